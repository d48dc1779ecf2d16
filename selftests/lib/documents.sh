#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# documents.sh - runs the commands of a document as they stand there.
#
#	document_runs Documentation/user/keep.md "Keeping a configuration" keep_shell ||
#		fail "$DOCUMENT_SAID"
#
# The last word is a function of the test that defines functions in place of programs, such as sudo,
# or conga in a namespace. Each command must succeed. The commands and what they say are printed, as
# comments of TAP. DOCUMENT_SAID is what the commands printed last, and which of them failed.
# documents.table lists which test runs which section.
#
# shellcheck disable=SC2034 # for those who source this

DOCUMENT_SAID=""

# document_commands FILE HEADING
document_commands() {
	"${BASH_SOURCE[0]%/*}/../documents" commands "$1" "$2"
}

# document_log TITLE: prints commands and what they said, on stdin, as comments of TAP. A trace, and
# a command that repeats, say more than anybody reads.
readonly DOCUMENT_LINES=40

document_log() {
	echo "# $1:"
	awk -v most="$DOCUMENT_LINES" '
		function more() { if (lines > most) print "#   (" lines - most " more lines)" }
		/^\$ / { more(); lines = 0; command = 1 }
		!/^[$>] / { command = 0 }
		/\033\[/ { $0 = "(a screen)" }
		command || ++lines <= most { print "#   " $0 }
		END { more() }'
}

# document_runs FILE HEADING SHELL
document_runs() {
	local commands said status=0

	commands=$(document_commands "$1" "$2")
	[[ $commands ]] || { DOCUMENT_SAID="$1 has no commands below \"$2\""; return 1; }
	said=$(
		exec 2>&1
		set -o pipefail
		sudo() { "$@"; }
		"$3" && document_each document_eval <<<"$commands"
	) || status=1
	document_log "$1, \"$2\"" <<<"$said"
	DOCUMENT_SAID="$1, \"$2\": $(grep -v '^[$>] ' <<<"$said" | tail -n 5)"
	return "$status"
}

# document_eval COMMAND: prints it as a shell would show it, then runs it
document_eval() {
	printf '$ %s\n' "${1//$'\n'/$'\n> '}"
	eval "$1" </dev/null || { echo "failed: $1"; return 1; }
}

# document_each FUNCTION: calls it with each of the commands on stdin, which may have several lines
# each, until it fails. Of a here-document without its end, bash says a warning alone.
document_each() {
	local line command=""

	while IFS= read -r line; do
		command+=$line
		if [[ $line == *\\ ]] || [[ $(bash -n <<<"$command" 2>&1) ]]; then
			command+=$'\n'
			continue
		fi
		"$1" "$command" || return
		command=""
	done
	[[ ! $command ]]
}

# until_ended COMMAND...: for a command that ends only when its user ends it, here after WHILE_S
# seconds
readonly WHILE_S=3 ENDED=124

until_ended() {
	local status=0

	timeout -s INT "$WHILE_S" "$@" </dev/null || status=$?
	((status == ENDED))
}
