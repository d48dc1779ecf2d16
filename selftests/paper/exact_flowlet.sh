#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Flowlets, measured by an exact clock. A gap that is two grains longer than Tfl always starts a
# flowlet, and a gap that is two grains shorter never does. A flow keeps its uplink as long as no
# other uplink is better, and otherwise moves at its next flowlet. Flows to two leaves that share
# a table entry share its uplink, or each flow keeps its own: neither flow is ever moved by the
# other.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly GAPS=1000 ROUNDS=300
readonly START_NS=96000000	# time of the first packet: older feedback has expired
readonly LATE_NS=20		# tolerance for a packet that is sent late
readonly BYTES=100		# of a datagram: no load for links of 100 Gbit/s

# The length of a packet that raises the metric of a port by one unit: C * tau / 8 at 1 Gbit/s and
# 160 us.
readonly RATE=1gbit STEP_BYTES=2500
readonly FRAME_MARGIN=500	# bytes more: a metric is far from the next step
readonly PERIOD_NS=16000
readonly IDLE_NS=2000000	# 125 periods: X has decayed to a millionth

readonly UPLINKS=4 FLOWS=16 FLOWLETS=63	# more than a thousand flowlets in all
readonly FEW_ENTRIES=1024	# of 200 flows about nine pairs share an entry
readonly MEETINGS=20 MEETING_NS=2000000 STEP_NS=20000	# each flow sends a packet in each meeting
readonly PAUSE=10ms		# five meetings

fresh_start() {
	conga 0 fabric set flowlet-timeout "$1" && conga 0 flowlet flush &&
		stats_mark "${LEAF[0]}"
}

# packets_apart GAP COUNT: sends COUNT packets of one flow, GAP apart
packets_apart() {
	local i

	bench_ends 1
	echo "zero $PERIOD_NS"
	for ((i = 0; i < $2; i++)); do
		echo "at $((START_NS + i * $1))"
		echo "send flow0.0 $BYTES"
	done
}

# This function checks that the packets left in time. The kernel counts times that are one grain
# apart as one grain or two, so one of the two grains is for the kernel. The other grain leaves
# room for the few nanoseconds that reading the clock takes.
gaps_were() {
	local bad

	bad=$(events '.sent == "flow0.0"' .from | awk -v gap="$1" -v room="$LATE_NS" '
		NR > 1 && ($1 - last < gap - room || $1 - last > gap + room) { print $1 - last }
		{ last = $1 }' | sort | uniq -c)
	[[ ! $bad ]] || fail "gaps of $1 ns were not as expected: $bad"
}

# gaps TFL GRAINS COUNTERS: sends a flow of packets that are Tfl and GRAINS grains apart, and
# names the counters that must grow besides those of packets
gaps() {
	local gap=$(($1 + $2 * GRAIN_NS)) all=$((GAPS + 1))

	fresh_start "$1ns" || return
	bench_run < <(packets_apart "$gap" "$all") || return
	gaps_were "$gap" || return
	stats_moved "${LEAF[0]}" "tx_steered=$all tx_stamped=$all $3"
}

longer_gap() {
	gaps "$1" 2 "flowlets_started=$((GAPS + 1)) flowlets_kept=$GAPS"
}

shorter_gap() {
	gaps "$1" -2 "flowlets_started=1"
}

every_packet() {
	fresh_start 0 && bench_run < <(packets_apart "$((5 * GRAIN_NS))" "$((GAPS + 1))") || return
	stats_moved "${LEAF[0]}" "tx_steered=$((GAPS + 1)) tx_stamped=$((GAPS + 1)) \
flowlets_started=$((GAPS + 1)) flowlets_kept=$GAPS"
}

# ---- stickiness ----

# The flows are sent one after the other, so two flows that share an entry of the table do no
# harm.
ties_schedule() {
	local i

	bench_ends 1 "$FLOWS"
	echo "zero $PERIOD_NS"
	for ((i = 0; i < FLOWS * FLOWLETS; i++)); do
		echo "at $((START_NS + i * IDLE_NS))"
		echo "send flow0.$((i / FLOWLETS)) $BYTES"
	done
}

ties_keep() {
	local uplinks

	fresh_start 500us || return
	bench_run < <(ties_schedule) || return
	stats_grew "${LEAF[0]}" "flowlets_started=$((FLOWS * FLOWLETS))" || return
	[[ " $(stats_growth "${LEAF[0]}")" != *" flowlets_moved"* ]] ||
		fail "flows moved: $(stats_growth "${LEAF[0]}")" || return
	uplinks=$(events .got '[.by, .dev]' | sort -u)
	(($(wc -l <<<"$uplinks") == FLOWS)) ||
		fail "the uplinks of the flows are: $uplinks" || return
	(($(cut -d, -f2 <<<"$uplinks" | sort -u | wc -l) > 1)) ||
		fail "all flows left by one uplink"
}

# ---- two uplinks, one of which gets better ----

# feedback TAG METRIC TAG METRIC: two packets of the far leaf bring these metrics
feedback() {
	echo "stamp far0 0 0 $1 $(($2 * 8))"
	echo "stamp far0 0 0 $3 $(($4 * 8))"
}

# load TAG METRIC TAG METRIC: the uplinks' own load gives the same metrics
load() {
	echo "send load$1 $(($2 * STEP_BYTES + FRAME_MARGIN))"
	echo "send load$3 $(($4 * STEP_BYTES + FRAME_MARGIN))"
}

# rounds METRICS LEVELS GAP: makes the uplink of the flow, at every flowlet, equal to the other
# uplink or worse by one, in turn. The expected uplinks go to $BENCH_DIR.
rounds() {
	local i own=0 level

	bench_ends 2
	echo "zero $PERIOD_NS"
	echo "at $START_NS"
	"$1" 0 0 1 1
	echo "send flow0.0 $BYTES"
	echo "$own down$own" >"$BENCH_DIR/expected"
	for ((i = 0; i < ROUNDS; i++)); do
		level=$((i / 2 % $2))
		echo "at $((START_NS + (i + 1) * $3))"
		"$1" "$own" $((level + i % 2)) $((1 - own)) "$level"
		echo "send flow0.0 $BYTES"
		((i % 2)) && own=$((1 - own))
		echo "$own down$own" >>"$BENCH_DIR/expected"
	done
}

# The uplinks are compared by LBTag and by the device where the packets arrived.
uplinks_were() {
	events .got '"\(.tag) \(.dev)"' | tr -d '"' | diff - "$BENCH_DIR/expected" >"$BENCH_DIR/diff" ||
		fail "the uplinks differ from those expected: $(head -n 8 "$BENCH_DIR/diff")"
}

# moves METRICS LEVELS GAP TFL
moves() {
	fresh_start "$4" || return
	bench_run < <(rounds "$1" "$2" "$3") || return
	uplinks_were && stats_grew "${LEAF[0]}" "flowlets_moved=$((ROUNDS / 2))" &&
		stats_grew "${LEAF[0]}" "flowlets_kept=$((ROUNDS / 2))"
}

# The other uplink is idle and this one is full, but the flow has no gap.
in_progress_schedule() {
	local i

	bench_ends 2
	echo "zero $PERIOD_NS"
	for ((i = 0; i <= ROUNDS; i++)); do
		echo "at $((START_NS + i * (500000 - 2 * GRAIN_NS)))"
		if ((i)); then feedback 0 7 1 0; else feedback 0 0 1 7; fi
		echo "send flow0.0 $BYTES"
	done
}

in_progress() {
	fresh_start 500us && bench_run < <(in_progress_schedule) || return
	[[ $(events .got .tag | sort -u) == 0 ]] || fail "packets left by another uplink" || return
	stats_grew "${LEAF[0]}" flowlets_started=1
}

# ---- flows to two leaves that meet in an entry ----

# meeting_schedule LAST: flows to far leaf 0 send in the meetings up to LAST, and flows to far
# leaf 1 send in all meetings
meeting_schedule() {
	local meeting i

	bench_ends "$UPLINKS" "$FLOWS_MAX"
	echo "zero $PERIOD_NS"
	for ((meeting = 0; meeting < MEETINGS; meeting++)); do
		for ((i = 0; i < FLOWS_MAX; i++)); do
			echo "at $((START_NS + meeting * MEETING_NS + i * STEP_NS))"
			((meeting > $1)) || echo "send flow0.$i $BYTES"
			echo "send flow1.$i $BYTES"
		done
	done
}

# No meeting had a pause between two of its packets.
uplink_each() {
	local uplinks moved

	uplinks=$(events .got '[.by, .dev]' | sort -u)
	moved=$(cut -d, -f1 <<<"$uplinks" | uniq -d | wc -l)
	((moved == 0)) || fail "$moved flows used more than one uplink" || return
	(($(wc -l <<<"$uplinks") == 2 * FLOWS_MAX)) || fail "not all flows arrived" || return
	[[ " $(stats_growth "${LEAF[0]}")" == *" flowlet_collisions="* ]] ||
		fail "no flows shared an entry: $(stats_growth "${LEAF[0]}")"
}

# Most flows that are moved use another uplink afterwards.
meet() {
	bench_fabric_again "$UPLINKS" 100gbit policy letflow flowlets "$FEW_ENTRIES" \
		flowlet-timeout "$PAUSE" || return
	stats_mark "${LEAF[0]}"
	bench_run < <(meeting_schedule "$1") && uplink_each
}

# far_route FAR UPLINK...
far_route() {
	local i hops=()

	for i in "${@:2}"; do hops+=(nexthop via "10.1.0.$((2 * i + 1))" dev "up$i"); done
	ip -n "${LEAF[0]}" route replace "${FAR_VTEP[$1]}" "${hops[@]}"
}

far_routes_again() {
	far_route 0 0 1 2 3 && far_route 1 0 1 2 3
}

# No uplink leads to both leaves.
meet_apart() {
	local strayed

	far_route 0 0 1 && far_route 1 2 3 || return
	meet "$1" || return
	strayed=$(events .got '"\(.by) \(.dev)"' | tr -d '"' | sort -u |
		awk '{ far = substr($1, 5, 1); up = substr($2, 5) } int(up / 2) != far' | head -n 4)
	[[ ! $strayed ]] || fail "flows left their uplink: $strayed"
}

bench_require
tap_plan 15
bench_up "$UPLINKS" || die "the bench cannot be set up"
bench_fabric "$UPLINKS" 100gbit tdre 16us || die "the fabric cannot be set up"
tap_test "Tfl 500 us: each of $GAPS gaps two grains longer than Tfl starts a flowlet" \
	longer_gap 500000
tap_test "Tfl 500 us: no gap two grains shorter than Tfl starts a flowlet" shorter_gap 500000
tap_test "Tfl 13 ms: each gap two grains longer than Tfl starts a flowlet" longer_gap 13000000
tap_test "Tfl 13 ms: no gap two grains shorter than Tfl starts a flowlet" shorter_gap 13000000
tap_test "Tfl 0: every packet starts a flowlet" every_packet
tap_test "each of $FLOWS flows keeps its uplink on ties" ties_keep
tap_test "flows to two leaves that share an entry share its uplink" meet "$MEETINGS"
tap_test "a shared entry stays alive while any of its flows sends" meet 0
tap_test "flows that share an entry but no uplink keep an uplink each" meet_apart "$MEETINGS"
tap_test "a flow that shares an entry keeps its own uplink when the other flow pauses" meet_apart 4
tap_test "a flow that shares an entry keeps its own uplink when the other flow ends at once" \
	meet_apart 0
far_routes_again || die "the routes cannot be set back"
bench_fabric_again 2 "$RATE" tdre 16us || die "the fabric cannot be set up again"
# No feedback has arrived yet, so only the uplinks' own load decides.
tap_test "by local load a flow moves to a strictly better uplink only" moves load 3 "$IDLE_NS" 500us
tap_test "by feedback a flow moves to a strictly better uplink only" moves feedback 7 502048 500us
tap_test "with Tfl 0 a flow moves with every packet" moves feedback 7 20480 0
tap_test "a flowlet in progress stays, however congested its uplink is" in_progress
tap_exit
