#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# documents_selftest.sh - documents check finds commands that no test runs, and links that lead
# nowhere. It runs on the host, on a copy with planted faults.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/clone.sh"

COPY=$(mktemp -d)
defer "rm -rf $COPY"

readonly KEEP=Documentation/user/keep.md

# reports SENTENCE...: documents check prints these, in any order, or nothing if there are none
reports() {
	local said

	said=$("$COPY/selftests/documents" check 2>&1 | sort)
	[[ $said == "$( (($# == 0)) || printf '%s\n' "$@" | sort)" ]] && return
	why "documents says: $said"
	return 1
}

# plant FILE LINE: puts the line at the end of the file
plant() {
	printf '\n%s\n' "$2" >>"$COPY/$1"
}

# fresh: takes back what was planted
fresh() {
	git -C "$COPY" checkout -q .
}

links_found() {
	fresh && plant "$KEEP" "See [it](nowhere.md)." &&
		plant "$KEEP" "See [it](frr.md#nothing)." && plant "$KEEP" "See [it](#nothing)." &&
		plant README.md "![A picture](Documentation/packet.png)" || return
	reports "$KEEP: there is no file nowhere.md" \
		"$KEEP: there is no heading nothing in frr.md" \
		"$KEEP: there is no heading nothing in keep.md" \
		"README.md: there is no file Documentation/packet.png"
}

others_lead() {
	fresh && plant README.md "[It]($KEEP#keeping-a-configuration) is a link." &&
		plant README.md "[It](https://www.example.org/nowhere.md) is a link." || return
	reports
}

commands_found() {
	local table=selftests/documents.table

	fresh && plant "$KEEP" $'## New\n\n    conga' && plant "$table" "$KEEP | Old | text" &&
		plant "$table" "$KEEP | Keeping a configuration | tool/gone.sh" &&
		plant "$table" "$KEEP | Keeping a configuration | tool/alerts.sh" || return
	reports "$KEEP: documents.table has no row for the commands below \"New\"" \
		"documents.table: $KEEP has no box below \"Old\"" \
		"documents.table: there is no test tool/gone.sh" \
		"documents.table: tool/alerts.sh does not read $KEEP"
}

tap_plan 4
require_commands git
clone_tree "$TESTS/.." "$COPY" || die "cannot set up"
tap_test "nothing is reported about this tree" reports
tap_test "links to files or headings that do not exist are reported" links_found
tap_test "links that lead to a heading or out of the tree are not reported" others_lead
tap_test "commands that no test runs are reported, and rows that are not true" commands_found
tap_exit
