#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo_selftest.sh - the picture that the demo ends with is true to its result. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

SCRATCH=$(mktemp -d)
defer "rm -rf $SCRATCH"

# result SLOW UNFINISHED: four schemes, of which ecmp takes half of stock's time
result() {
	local scheme mean=400 runs=()

	for scheme in stock ecmp plain conga; do
		runs+=("{\"scheme\":\"$scheme\",\"mean_ms\":$mean.0,\"flows\":2800,\"unfinished\":$2}")
		mean=$((mean / 2))
	done
	printf '{"slow":"%s","seed":1,"runs":[%s]}\n' "$1" "$(IFS=,; echo "${runs[*]}")"
}

picture() {
	result "$@" >"$SCRATCH/json"
	"$TESTS/demo_picture" "$SCRATCH/json" "$SCRATCH/svg" >"$SCRATCH/text"
}

# bars: prints the lengths of the picture's bars; fails if the SVG is not well-formed
bars() {
	/usr/bin/python3 - "$SCRATCH/svg" <<-'END'
		import sys
		import xml.etree.ElementTree as tree
		for rect in tree.parse(sys.argv[1]).getroot().findall("{http://www.w3.org/2000/svg}rect")[1:]:
		    print(rect.get("width"))
	END
}

bars_are_means() {
	local lengths

	picture spine0.0 0 && lengths=$(bars | paste -sd ' ') || return
	[[ $lengths == "460.0 230.0 115.0 57.5" ]] || fail "the bars have: $lengths"
}

text_has_all() {
	local lengths

	picture spine0.0 0 || return
	lengths=$(sed -n 's/^  .*[a-zP]  *\(#*\) .* ms$/\1/p' "$SCRATCH/text" | awk '{ print length }' | paste -sd ' ')
	[[ $lengths == "44 22 11 6" ]] || fail "the text is: $(<"$SCRATCH/text")" || return
	grep -q "2800 TCP transfers; the link spine0.0 to leaf1 is four times slower" "$SCRATCH/text" ||
		fail "the heading is: $(head -n 1 "$SCRATCH/text")" || return
	picture none 0 || return
	grep -q "no link is slow" "$SCRATCH/text" || fail "the heading is: $(head -n 1 "$SCRATCH/text")"
}

unfinished_is_said() {
	picture spine0.0 3 || return
	[[ $(grep -c '> [0-9.]* ms$' "$SCRATCH/text") == 4 ]] || fail "the text is: $(<"$SCRATCH/text")" || return
	[[ $(grep -c '&gt; [0-9.]* ms<' "$SCRATCH/svg") == 4 ]] || fail "the SVG does not say it"
}

tap_plan 3
tap_test "the bars are as long as the mean transfer times" bars_are_means
tap_test "the text has a bar and a number for each scheme, and says which link is slow" text_has_all
tap_test "transfers that did not finish are marked" unfinished_is_said
tap_exit
