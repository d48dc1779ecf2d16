#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A time or a rate must have its unit, in commands, in files and in options of congad. An interval
# without a unit is seconds, and a size without a unit is bytes. What is saved has units.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

readonly CONGAD=$TESTS/../userspace/congad
readonly NS=units-$$
readonly NEEDS_TIME="needs a unit, for example 300ms"
readonly NEEDS_RATE="needs a unit, for example 10gbit"
readonly BAD_TIME="not a time such as 500us (units: ns, us, ms, s)"
readonly BAD_INTERVAL="not a time such as 1 or 500ms (units: ns, us, ms, s)"
readonly BAD_RATE="not a rate such as 40gbit (units: bit, kbit, mbit, gbit, tbit)"

box() {
	"$CONGA" -n "$NS" "$@"
}

# rejected TEXT WHY COMMAND...: the command is wrong, in one sentence, and changes nothing
rejected() {
	local before after

	before=$(box -d save) && says 2 "Error: argument \"$1\" is wrong: $2" "${@:3}" || return
	after=$(box -d save)
	[[ $after == "$before" ]] || fail "${*:3} changed something"
}

# The keywords are those of the fabric that take a time.
time_needs_unit() {
	local word

	for word in tdre flowlet-timeout age hello probe; do
		rejected 300 "$NEEDS_TIME" box fabric set "$word" 300 &&
			rejected 0.5 "$NEEDS_TIME" box fabric set "$word" 0.5 &&
			rejected 5min "$BAD_TIME" box fabric set "$word" 5min || return
	done
	says 0 "" box fabric set tdre 16us flowlet-timeout 0.5ms age 10ms hello 1s
}

rate_needs_unit() {
	rejected 1000000000 "$NEEDS_RATE" box port set d0 rate 1000000000 &&
		rejected 10g "$BAD_RATE" box port set d0 rate 10g &&
		rejected 40 "$NEEDS_RATE" box port add d1 role uplink rate 40 &&
		says 0 "" box port set d0 rate 2.5gbit
}

# Zero is zero in every unit. Where zero is a word, the word is named.
zero_needs_none() {
	says 0 "" box fabric set flowlet-timeout 0 && rejected 0 'zero is written "off"' \
		box fabric set hello 0 && rejected 0 'zero is written "auto"' box port set d0 rate 0
}

file_needs_unit() {
	local file=$SCRATCH/file

	printf 'fabric add hello 300\nport add d0 role uplink rate 1000\n' >"$file"
	says 2 "Error: argument \"300\" is wrong: $NEEDS_TIME
Command failed $file:1
Error: argument \"1000\" is wrong: $NEEDS_RATE
Command failed $file:2
Nothing was changed" box sync check "$file"
}

# These values are no round numbers of any unit.
saved_has_units() {
	local before

	says 0 "" box fabric set tdre 16001ns flowlet-timeout 501us age 10.5ms hello 1.001s &&
		says 0 "" box port set d0 rate 1234567kbit && before=$(box -d save) || return
	[[ $before == *" tdre 16.001us "* && $before == *" rate 1.234567Gbit"* ]] ||
		fail "conga save prints $before" || return
	box -d save "$SCRATCH/saved" && box fabric del && box restore "$SCRATCH/saved" || return
	[[ $(box -d save) == "$before" ]] || fail "restored were $(box -d save), saved $before"
}

# The limits are 100 ms and a day.
interval_is_seconds() {
	local wrong

	for wrong in 0.099 99ms 86401 86401s 0; do
		says 2 "Error: argument \"$wrong\" is wrong: an interval is 100ms to 86400s" \
			box -i "$wrong" stats show count 1 || return
	done
	says 2 "Error: argument \"1h\" is wrong: $BAD_INTERVAL" box -i 1h stats show count 1 &&
		box -i 0.1 stats show count 1 >/dev/null && box -i 100ms stats show count 1 >/dev/null
}

size_is_bytes() {
	says 2 'Error: argument "64q" is wrong: not a number such as 2 or 64k (units: b, k, m)' \
		box -rcvbuf 64q fabric show &&
		box -rcvbuf 65536 fabric show >/dev/null && box -rcvbuf 64k fabric show >/dev/null
}

daemon_follows_the_rule() {
	says 2 "Error: argument \"1000\" is wrong: rate: $NEEDS_RATE" "$CONGAD" -r 1000 &&
		says 2 "Error: argument \"d0=1000\" is wrong: rate: $NEEDS_RATE" "$CONGAD" -r d0=1000 &&
		says 2 "Error: argument \"1h\" is wrong: hold: $BAD_INTERVAL" "$CONGAD" -hold 1h &&
		says 2 "Error: argument \"x\" is wrong: idle: $BAD_INTERVAL" "$CONGAD" -idle x &&
		says 0 "" "$CONGAD" -n "$NS" -hold 1.5 -idle 90s -r d0=1gbit -r 10gbit -m spine -1
}

setup() {
	ip netns add "$NS" && defer "ip netns del $NS" && SCRATCH=$(mktemp -d) &&
		defer "rm -r $SCRATCH" && ip -n "$NS" link add d0 up type dummy &&
		ip -n "$NS" link add d1 up type dummy && box fabric add &&
		box port add d0 role uplink rate 1gbit
}

tap_plan 8
require_root
require_commands ip
require_module
setup || die "cannot set up"
tap_test "a time without a unit is rejected, for each parameter" time_needs_unit
tap_test "a rate without a unit is rejected" rate_needs_unit
tap_test "0 needs no unit" zero_needs_none
tap_test "a file with numbers without units is rejected line by line" file_needs_unit
tap_test "what is saved has units, and restores the same values" saved_has_units
tap_test "an interval without a unit is seconds" interval_is_seconds
tap_test "a size without a unit is bytes" size_is_bytes
tap_test "congad takes units by the same rule" daemon_follows_the_rule
tap_exit
