#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Mistakes in a trace file, and in the options that go with one: flowgen rejects them with one
# sentence, before it does anything.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

# trace LINE...: writes the trace file
trace() {
	printf '%s\n' "$@" >"$DIR/trace"
}

# refused SENTENCE OPTION...: the options are rejected before a namespace is entered (none of the
# named ones exists) and before a file is written
refused() {
	local sentence=$1

	shift
	echo "untouched" >"$DIR/kept"
	says 2 "flowgen: $sentence" "$TESTS/tools/flowgen" -h nowhere0,10.0.0.1 -h nowhere1,10.0.0.2 \
		-h nowhere2,10.0.0.3 -o "$DIR/kept" "$@" || return
	[[ $(<"$DIR/kept") == untouched ]] || fail "a rejected command wrote results"
}

# refused_line N SENTENCE LINE...: line N of a trace with these lines is rejected
refused_line() {
	local n=$1 sentence=$2

	shift 2
	trace "$@"
	refused "$DIR/trace, line $n: $sentence" -T "$DIR/trace"
}

# The first line is valid, so that it is not the reason.
refused_second() {
	refused_line 3 "$1" "# a comment" "5 10 0 1 0 - - -" "$2"
}

bad_numbers() {
	local range="from 1 to 4000000000"

	refused_second "start \"1.5\" is not a number" "1.5 10 0 1 0 - - -" &&
		refused_second "start \"-5\" is not a number" "-5 10 0 1 0 - - -" &&
		refused_second "start 100000000000001 is not from 0 to 100000000000000" \
			"100000000000001 10 0 1 0 - - -" &&
		refused_second "size \"0x10\" is not a number" "5 0x10 0 1 0 - - -" &&
		refused_second "size \"10k\" is not a number" "5 10k 0 1 0 - - -" &&
		refused_second "size 0 is not $range" "5 0 0 1 0 - - -" &&
		refused_second "size 4000000001 is not $range" "5 4000000001 0 1 0 - - -" &&
		refused_second "size 99999999999999999999 is not $range" \
			"5 99999999999999999999 0 1 0 - - -" &&
		refused_second "connection 1000 is not from 0 to 999" "5 10 0 1 1000 - - -" &&
		refused_second "connection \"-\" is not a number" "5 10 0 1 - - - -" &&
		refused_second "group \"a\" is not a number" "5 10 0 1 0 a - -" &&
		refused_second "group 1000000 is not from 0 to 999999" "5 10 0 1 0 1000000 - -" &&
		refused_second "group \"+1\" is not a number" "5 10 0 1 0 - +1 -" &&
		refused_second "transfer \"x\" is not a number" "5 10 0 1 0 - - x"
}

bad_lines() {
	refused_second "7 fields instead of 8" "5 10 0 1 0 - -" &&
		refused_second "9 fields instead of 8" "5 10 0 1 0 - - - -" &&
		refused_second "0 fields instead of 8" "" &&
		refused_second "starts at 4 ns, before the one above it at 5 ns" "4 10 0 1 0 - - -"
}

bad_hosts() {
	refused_second "there is no host 3: 3 are given" "5 10 3 1 0 - - -" &&
		refused_second "there is no host 99999999999: 3 are given" "5 10 0 99999999999 0 - - -" &&
		refused_second "host \"host1\" is not a number" "5 10 0 host1 0 - - -" &&
		refused_second "from host 1 to itself" "5 10 1 1 0 - - -"
}

bad_groups() {
	refused_second "waits for group 7, which no line above belongs to" "0 10 0 1 0 - 7 -" &&
		refused_line 1 "waits for group 7, which no line above belongs to" \
			"0 10 0 1 0 - 7 -" "0 10 0 1 0 7 - -" &&
		refused_second "waits for its own group 7" "0 10 0 1 0 7 7 -" &&
		refused_line 3 "joins group 7, for which line 2 waits already" \
			"0 10 0 1 0 7 - -" "0 10 0 1 0 8 7 -" "0 10 0 1 0 7 8 -"
}

bad_relays() {
	refused_second "relays transfer 1, which is not above it" "5 10 1 2 0 - - 1" &&
		refused_second "relays transfer 9, which is not above it" "5 10 1 2 0 - - 9" &&
		refused_second "host 0 cannot relay transfer 0, which goes to host 1" "5 10 0 2 0 - - 0" &&
		refused_second "relays transfer 0 of 10 bytes, but has 11" "5 11 1 2 0 - - 0"
}

bad_files() {
	refused "cannot read \"$DIR/none\": No such file or directory" -T "$DIR/none" &&
		refused "cannot read \"$DIR\": Is a directory" -T "$DIR" || return
	trace "# nothing"
	refused "$DIR/trace: no transfer in it" -T "$DIR/trace" || return
	: >"$DIR/trace"
	refused "$DIR/trace: no transfer in it" -T "$DIR/trace" || return
	printf '0 10 0 1 0 - - -\0\n' >"$DIR/trace"
	refused "$DIR/trace, line 1: there is a zero byte in it" -T "$DIR/trace"
}

bad_options() {
	trace "0 10 0 1 0 - - -"
	refused "-r does not go with -T" -T "$DIR/trace" -r 2 &&
		refused "-f does not go with -T" -f a,10.0.0.1 -T "$DIR/trace" &&
		refused "-L takes a value from 0.001 to 100000, not \"0\"" -T "$DIR/trace" -L 0 &&
		refused "\"nonsense\" is not an IP address: Name or service not known" -h a,nonsense
}

bad_congestion_control() {
	trace "0 10 0 1 0 - - -"
	refused "this kernel has no congestion control \"nonsense\": No such file or directory" \
		-T "$DIR/trace" -K nonsense &&
		refused "this kernel has no congestion control \"cubic-and-far-too-long\": File name too long" \
			-T "$DIR/trace" -K cubic-and-far-too-long
}

[[ -x $TESTS/tools/flowgen ]] || tap_skip_all "needs flowgen: run make in selftests"
DIR=$(mktemp -d "${TMPDIR:-/tmp}/flowgen.XXXXXX") || die "cannot make a directory"
defer rm -rf "$DIR"

tap_plan 8
tap_test "values that are no numbers or out of range are rejected" bad_numbers
tap_test "missing fields and decreasing starts are rejected" bad_lines
tap_test "unknown hosts and transfers from a host to itself are rejected" bad_hosts
tap_test "groups that are not defined above or wait for themselves are rejected" bad_groups
tap_test "relays of a transfer that is not above, elsewhere, or of another size are rejected" \
	bad_relays
tap_test "files without a transfer are rejected" bad_files
tap_test "options that do not go with a trace file are rejected" bad_options
tap_test "a congestion control that the kernel lacks is rejected" bad_congestion_control
tap_exit
