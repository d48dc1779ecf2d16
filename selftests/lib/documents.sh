#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# documents.sh - runs the commands of a document as they stand there.
#
#	document_runs Documentation/keep.md "Keeping a configuration" keep_shell || fail "$DOCUMENT_SAID"
#
# The last word is a function of the test that defines functions in place of programs, such as sudo,
# or conga in a namespace. Each command must succeed. DOCUMENT_SAID is what the commands printed
# last, and which of them failed. documents.table lists which test runs which section.

DOCUMENT_SAID=""

# document_commands FILE HEADING
document_commands() {
	"${BASH_SOURCE[0]%/*}/../documents" commands "$1" "$2"
}

# document_runs FILE HEADING SHELL
document_runs() {
	local commands status=0

	commands=$(document_commands "$1" "$2")
	[[ $commands ]] || { DOCUMENT_SAID="$1 has no commands below \"$2\""; return 1; }
	DOCUMENT_SAID=$(
		exec 2>&1
		set -o pipefail
		sudo() { "$@"; }
		"$3" && document_eval <<<"$commands"
	) || status=1
	DOCUMENT_SAID="$1, \"$2\": $(tail -n 5 <<<"$DOCUMENT_SAID")"
	return "$status"
}

# document_eval: runs the commands on stdin, which may have several lines each, until one fails
document_eval() {
	local line command=""

	while IFS= read -r line; do
		command+=$line
		if [[ $line == *\\ ]] || ! bash -n <<<"$command" 2>/dev/null; then
			command+=$'\n'
			continue
		fi
		eval "$command" </dev/null || { echo "failed: $command"; return 1; }
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
