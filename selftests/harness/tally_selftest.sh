#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tally_selftest.sh - tally counts the results of programs, and a test that did not run never
# passes. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly SKIPS="# one test of a program, and a program
a.sh: two
a.sh: needs a moon"

# counts COUNTS STATUS LINE...: these are the counts of a program that prints these lines and ends
# with this status, besides a program that passes
counts() {
	local said last

	said=$(printf '%s\n' "# program a.sh" "${@:3}" "${2:+# end a.sh status $2 seconds 0}" \
		"# program b.sh" "1..1" "ok 1 one" "# end b.sh status 0 seconds 1" |
		"$TESTS/tally" -v SKIPS=<(echo "$SKIPS"))
	last="$?: ${said##*$'\n'}"
	[[ $last == "$1" ]] && return
	why "${*:3}: $said"
	return 1
}

tells_all_three() {
	counts "0: 3 passed, 0 failed, 0 skipped" 0 1..2 "ok 1 one" "ok 2 - two" &&
		counts "1: 2 passed, 1 failed, 0 skipped" 1 1..2 "ok 1 one" "not ok 2 two" &&
		counts "0: 2 passed, 0 failed, 1 skipped" 4 1..2 "ok 1 one" "ok 2 two # SKIP no reason"
}

tells_a_whole_program() {
	counts "0: 1 passed, 0 failed, 1 skipped" 4 "1..0 # SKIP needs a moon"
}

takes_no_other_skip() {
	counts "1: 1 passed, 1 failed, 0 skipped" 4 1..1 "ok 1 one # SKIP no reason" &&
		counts "1: 1 passed, 1 failed, 0 skipped" 4 "1..0 # SKIP needs a sun" &&
		counts "1: 1 passed, 1 failed, 0 skipped" 4 1..0
}

takes_as_many_as_planned() {
	counts "1: 2 passed, 1 failed, 0 skipped" 0 1..2 "ok 1 one" &&
		counts "1: 3 passed, 1 failed, 0 skipped" 0 1..1 "ok 1 one" "ok 2 two" &&
		counts "1: 1 passed, 1 failed, 0 skipped" 0 "# nothing"
}

takes_an_end_that_tests_explain() {
	counts "1: 2 passed, 1 failed, 0 skipped" 1 1..1 "ok 1 one" &&
		counts "1: 2 passed, 1 failed, 0 skipped" "" 1..1 "ok 1 one"
}

# The lines before a result belong to it, and so do comments behind it; those of other tests do not.
repeats_what_failed_tests_said() {
	local said

	said=$(printf '%s\n' "# program a.sh" 1..3 "# about one" "ok 1 one" "about two" "not ok 2 two" \
		"# why two failed" "ok 3 three" "# behind three" "# end a.sh status 1 seconds 0" |
		"$TESTS/tally")
	[[ $said == "# failed: a.sh: not ok 2 two"$'\n#   about two\n#   # why two failed\n2 passed'* ]] &&
		return
	why "$said"
	return 1
}

takes_no_silence() {
	local said status=0

	said=$("$TESTS/tally" </dev/null) || status=$?
	[[ $status == 1 && $said == *"0 passed, 1 failed, 0 skipped" ]] && return
	why "the status is $status, the output: $said"
	return 1
}

tap_plan 7
tap_test "passed, failed and skipped tests are counted" tells_all_three
tap_test "a program that is skipped as a whole is counted" tells_a_whole_program
tap_test "a skip that is not listed is a failure" takes_no_other_skip
tap_test "more tests than planned, fewer or none are a failure" takes_as_many_as_planned
tap_test "a status that the tests do not explain, or a missing end, is a failure" \
	takes_an_end_that_tests_explain
tap_test "what a failed test said is repeated at the end" repeats_what_failed_tests_said
tap_test "a run without any program is a failure" takes_no_silence
tap_exit
