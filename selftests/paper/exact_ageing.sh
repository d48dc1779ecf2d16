#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ageing, measured by an exact clock. A metric that the leaf does not refresh loses one eighth of
# full scale per Tage, with the resolution of one grain. A congested path that carries no traffic
# is used again as soon as ageing makes its metric the better one.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly AGES=8			# number of Tage from full scale to zero
readonly TAGE_NS=10000000
readonly MARGIN_NS=$((2 * GRAIN_NS))
readonly START_NS=160000000	# feedback of an earlier test has expired
readonly BYTES=100
readonly FULL=56		# a metric of 7, in 64ths

# The length of a packet that raises the metric of a port by one unit: C * tau / 8 at 1 Gbit/s and
# 160 us.
readonly RATE=1gbit STEP_BYTES=2500 FRAME_MARGIN=500 PERIOD_NS=16000
readonly IDLE_NS=$((125 * PERIOD_NS))	# X has decayed to a millionth

# ---- the formula ----

# sample_schedule METRIC TAGE STEPS WORD...: reads the table just before and just after each of
# STEPS steps from full scale to zero
sample_schedule() {
	local metric=$1 tage=$2 steps=$3 i step

	bench_ends 1
	echo "zero 1"
	echo "at $START_NS"
	echo "stamp far0 0 0 0 $metric"
	for ((i = 1; i <= steps; i++)); do
		step=$((START_NS + i * tage * AGES / steps))
		echo "at $((step - MARGIN_NS))"
		echo "ask leaf ${*:4}"
		echo "at $((step + MARGIN_NS))"
		echo "ask leaf ${*:4}"
	done
}

# Prints "from to metric age" of LBTag 0 towards far leaf 0. The first line is the time at which
# the feedback arrived.
samples() {
	jq -r --arg leaf "${FAR_VTEP[0]}" 'if .fb_tag == 0 then [.from, .to]
		elif .asked then [.from, .to, (.answer[] | select(.leaf == $leaf) |
			((.rows // [.])[] | select(.tag == 0) | (.metric // .remote), .age_ns))]
		else empty end | join(" ")' "$EVENTS"
}

# formula METRIC TAGE Q: max(0, m - floor(2^Q * age / (8 * Tage))). Ages are counted in grains, so
# an age may differ from the clock by one grain.
formula() {
	samples | awk -v m="$1" -v tage="$2" -v q="$3" -v ages="$AGES" -v grain="$GRAIN_NS" '
		function aged(age,  left) {
			left = m - int(2 ^ q * age / (ages * tage))
			return left > 0 ? left : 0
		}
		NR == 1 { from = $1; to = $2; next }
		aged($1 - to - grain) != aged($2 - from + grain) { print "asked too near to a step:", $0 }
		$3 != aged($1 - from) { print "at age", $1 - from, "it is", $3, "not", aged($1 - from) }
		$4 < $1 - to - grain || $4 > $2 - from + grain { print "at age", $1 - from, "shown", $4 }
		END { if (NR < 2) print "nothing was shown" }'
}

# ages METRIC TAGE Q STEPS WORD...
ages() {
	local wrong

	bench_run < <(sample_schedule "$(($1 << (6 - $3)))" "$2" "$4" "${@:5}") || return
	(($(events .asked | wc -l) == 2 * $4)) ||
		fail "not every read of a table was answered" || return
	wrong=$(formula "$1" "$2" "$3")
	[[ ! $wrong ]] || fail "$wrong"
}

# The cost of a path is the metric that the table shows.
ages_shown() {
	ages "$1" "$TAGE_NS" "$2" "$3" table show to-leaf leaf "${FAR_VTEP[0]}" &&
		ages "$1" "$TAGE_NS" "$2" "$3" path show leaf "${FAR_VTEP[0]}"
}

q3() {
	ages_shown 7 3 8 && ages_shown 4 3 8
}

q6() {
	conga 0 fabric set q 6 && ages_shown 63 6 64 && ages_shown 21 6 64 &&
		conga 0 fabric set q 3
}

other_tage() {
	local tage

	for tage in 100000 123456 1000000000; do
		conga 0 fabric set age "${tage}ns" &&
			ages 7 "$tage" 3 8 table show to-leaf leaf "${FAR_VTEP[0]}" || return
	done
	conga 0 fabric set age "${TAGE_NS}ns"
}

# ---- used again ----

# The other uplink's metric is set at every packet, by feedback or by the uplink's own load.
feedback() {
	echo "stamp far0 0 0 1 $(($1 * 8))"
}

load() {
	echo "send load1 $(($1 * STEP_BYTES + FRAME_MARGIN))"
}

# again_schedule HOW LEVEL MARGIN: uplink 0 was full once, and the other uplink has the metric
# LEVEL. Every packet makes a new decision, and packets are sent long before and long after each
# step of the age.
again_schedule() {
	local n step at

	bench_ends 2
	echo "zero $PERIOD_NS"
	echo "at $START_NS"
	echo "stamp far0 0 0 0 $FULL"
	for ((n = 1; n <= AGES; n++)); do
		step=$((START_NS + n * TAGE_NS))
		for at in $((step - $3)) $((step + $3)); do
			echo "at $at"
			"$1" "$2"
			echo "send flow0.0 $BYTES"
		done
	done
}

# Uplink 0 is used as soon as 7 minus the steps is better than LEVEL, and not earlier.
again() {
	local n=$((8 - $2)) expected

	bench_run < <(again_schedule "$@") || return
	expected=$(for ((i = 1; i <= 2 * AGES; i++)); do echo $((i < 2 * n)); done)
	[[ $(events .got .tag) == "$expected" ]] ||
		fail "with the other path at $2 the flows took" \
			"$(events .got .tag | paste -sd' ')," \
			"expected: $(paste -sd' ' <<<"$expected")"
}

again_feedback() {
	local level

	for level in 1 2 3 4 5 6; do
		again feedback "$level" "$PERIOD_NS" || return
	done
}

again_load() {
	local level

	for level in 1 2 3; do
		again load "$level" "$IDLE_NS" || return
	done
}

# Uplink 0 has no traffic, and the other uplink is idle. A new flow begins each millisecond for
# ten Tage. Equal metrics are decided at random.
readonly NEW_FLOWS=100 FLOW_NS=1000000

draw_schedule() {
	local i

	bench_ends 2 "$NEW_FLOWS"
	echo "zero $PERIOD_NS"
	echo "at $START_NS"
	echo "stamp far0 0 0 0 $FULL"
	for ((i = 0; i < NEW_FLOWS; i++)); do
		echo "at $((START_NS + FLOW_NS / 2 + i * FLOW_NS))"
		echo "send flow0.$i $BYTES"
	done
}

draw() {
	local tags worse=$((7 * TAGE_NS / FLOW_NS))

	conga 0 flowlet flush && bench_run < <(draw_schedule) || return
	tags=$(events .got .tag | paste -sd' ')
	(($(wc -w <<<"$tags") == NEW_FLOWS)) ||
		fail "packets are missing, the LBTags are: $tags" || return
	[[ $(cut -d' ' -f"-$worse" <<<"$tags") != *0* ]] ||
		fail "uplink 0 was used while its metric was larger: $tags" || return
	[[ $(cut -d' ' -f"$((worse + 1))-" <<<"$tags") == *0* ]] ||
		fail "uplink 0 was not used again: $tags"
}

bench_require
tap_plan 6
bench_up 2 || die "the bench cannot be set up"
bench_fabric 2 "$RATE" tdre 16us flowlet-timeout 0 || die "the fabric cannot be set up"
tap_test "with Q 3 the table and the path fall by one with every Tage" q3
tap_test "with Q 6 the table and the path fall in 64 steps of Tage / 8" q6
tap_test "with Tage 100 us, 123.456 us and 1 s the table and the path fall by one with every Tage" \
	other_tage
tap_test "an aged path is used again as soon as it is better than the feedback of another" \
	again_feedback
tap_test "an aged path is used again as soon as it is better than the load of another" again_load
tap_test "new flows use an aged path again within 10 Tage if the other path is idle" draw
tap_exit
