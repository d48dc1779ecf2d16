#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lost_failures_selftest.sh - lost_failures finds checks after whose failure a test goes on. It runs
# on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

FILE=$(mktemp)
defer "rm -f $FILE"

# finds LINE...: of the function with the body on stdin these lines are reported, and no other
finds() {
	local found

	{ echo "check() {"; cat; echo "}"; } >"$FILE"
	found=$("$TESTS/lost_failures" "$FILE" | cut -d: -f2 | paste -sd' ')
	[[ $found == "$*" ]] || { why "lines $found are reported"; return 1; }
}

goes_on() {
	finds 2 3 5 <<-'END'
		[[ $a ]] || fail "a is empty"
		((b)) && fail "b is set"
		if ((c)); then
		((d)) ||
		fail "d is not set"
		fi
		echo "the end"
	END
}

# Words of messages are no commands, whatever they look like.
says_more() {
	finds 2 <<-'END'
		[[ $a ]] || fail "a is || return, not $(
		echo "$a")"
		echo "the end"
	END
}

ends() {
	finds <<-'END'
		[[ $a ]] || fail "a is empty" || return
		((b)) && fail "b is set" && return 1
		((c)) || fail "c is not set" || status=1
		# ((d)) || fail "this is a comment"
		jq -e 'map(. > 0) | all(.) and
		length > 1' || fail "the answer is
		wrong" || return
		case $e in
		one) ((f)) || fail "f is not set" ;;
		two) ((g)) || fail "g is not set" ;;
		esac
	END
}

texts_are_no_checks() {
	finds 6 <<-'END'
		cat >script <<-EOF
			[[ $a ]] || fail "a is empty"
			echo "the end"
		EOF
		((b)) || fail "b is not set"
		c=$((1 << 3))
	END
}

tap_plan 4
tap_test "a check after whose failure the test goes on is reported" goes_on
tap_test "a message that has words of a command does not hide a check" says_more
tap_test "checks that end the test, or are remembered, are not reported" ends
tap_test "the text of a here document is not taken for a check" texts_are_no_checks
tap_exit
