#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# manuals.sh - mandoc finds no fault in the manuals. They contain everything that the help of the
# tools contains: each command and word of the grammar, in the section of its object, and each
# option. They contain no other option. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly PAGES=$TESTS/../Documentation/man TOOLS=$TESTS/../userspace

# page NAME: prints the page as a reader sees it, without bold
page() {
	mandoc -Tascii -O width=100 "$PAGES/$1" | col -b
}

no_findings() {
	local said

	said=$(mandoc -Tlint -Wwarning "$PAGES"/*)
	[[ -z $said ]] && return
	why "$(head -n 1 <<<"$said")"
	return 1
}

objects() {
	"$TOOLS/conga" help | sed -n 's/^OBJECT := { \(.*\) }/\1/p; s/^ *conga \[ OPTIONS \] \([a-z]\+\) .*/\1/p' |
		tr -d '|'
}

# Prints the words of an object's grammar, one a line; units have a section of their own.
words() {
	"$TOOLS/conga" "$1" help | grep -E '^(Usage:| )|:=' | grep -vE '^(TIME|RATE|ADDR) :=' |
		sed -E 's/^Usage: *//; s/ -[a-z]+(\[[a-z]+\])?//; s/, [a-z].*//' |
		grep -oE '\<[a-z][a-z-]*\>' | sort -u
}

# section OBJECT: prints its section of conga(8)
section() {
	page conga.8 | awk -v head="   conga $1" '/^   [^ ]/ { on = $0 == head } /^[A-Z]/ { on = 0 } on'
}

has_words() {
	local object word text

	for object in $(objects); do
		text=$(section "$object")
		[[ $text ]] || { why "the manual has no section conga $object"; return 1; }
		for word in $(words "$object"); do
			grep -qwF -- "$word" <<<"$text" || {
				why "$word is not in the section of conga $object"
				return 1
			}
		done
	done
}

# "-j[son]" is -j and -json.
options() {
	"$TOOLS/$1" -h | grep -oE '(^|[ |{])-[A-Za-z0-9]+(\[[a-z]+\])?' | tr -d ' |{' |
		sed -E 's/^(-[A-Za-z])\[(.*)\]$/\1\n\1\2/' | sort -u
}

documented() {
	page "$1" | sed -n 's/^     \(-.*\)/\1/p' | sed 's/   .*//' | grep -oE '(^| )-[A-Za-z0-9]+' |
		tr -d ' ' | sort -u
}

# A single letter may stand for a longer option (-r for -rcvbuf), according to the tool's table.
has_options() {
	local said

	said=$(diff <(options "$1") <(documented "$1.8" | grep -vxF -e "${2-}") | grep '^[<>]')
	[[ -z $said ]] && return
	why "help and manual differ (<: help alone, >: manual alone): ${said//$'\n'/ }"
	return 1
}

tap_plan 4
for command in mandoc col; do
	type -P "$command" >/dev/null || tap_skip_all "needs the command $command"
done
tap_test "mandoc reports nothing" no_findings
tap_test "conga(8) documents every object, command and word" has_words
tap_test "conga(8) documents every option, and no other" has_options conga -r
tap_test "congad(8) documents every option, and no other" has_options congad
tap_exit
