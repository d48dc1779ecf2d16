#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Reaction at 40 Gbit/s, measured by an exact clock: the time from the first packet of a remote
# link's overload to the first flowlet that avoids the link. Sections 3.2 to 3.5 of the paper add
# up to:
#
#	a round trip + rise + wait for a packet back + wait for a flowlet
#
# A load u brings the DRE to level k of 8 in rise = -tau ln(1 - k / (8 u)).
#
#	host0 -- leaf0 --- spine0 === leaf1 -- host1	===: loaded towards leaf 1
#	              \--- spine1 ---/
#
# Host 0 starts a flowlet every 20 us, host 1 sends a packet back every 30 us, and all flowlets
# take spine 0. Frames that leaf 0 sends by uplink 1 keep its metric at k - 1: a flowlet avoids
# spine 0 if and only if leaf 0 has received level k.
#
# RUNS=4 SEED=1 in the environment is the number of runs of each load, which differ in the start
# of the load and in the position of the packets relative to it. With ROWS=1 each run is printed
# as a line for lab/reaction.py.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/bench/bench.sh"
# This program names its nodes as the topology does; this line must come second.
. "$TESTS/lib/topology.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/capture.sh"

RUNS=${RUNS:-4}
SEED=${SEED:-1}
ROWS=${ROWS:-}

# These are the paper's parameters, which links of 40 Gbit/s have by default.
readonly GBITS=40 TDRE_NS=16000 TAU_NS=160000
readonly FULL_BYTES=$((GBITS * TAU_NS / 8))	# C * tau

TOPO_LINKS=1
TOPO_FABRIC_MTU=60000		# few packets keep the load of uplink 1
TOPO_QDISC=wire
TOPO_RATE=${GBITS}gbit
TOPO_BUFFER=1000000
readonly DELAY_NS=1000
TOPO_DELAY=${DELAY_NS}ns

readonly FRAME=9000 BYTES=100		# bytes of a load frame, and of a datagram
readonly WIRE_BYTES=$((BYTES + BENCH_HEADERS))
readonly FRAME_NS=$((FRAME * 8 / GBITS))
readonly HOP_NS=$((DELAY_NS + WIRE_BYTES * 8 / GBITS))
readonly RTT_NS=$((4 * HOP_NS))
readonly EXACT_NS=20			# error of the clock, and of rounded times

# This many flows take turns, so that the gaps of a flow are longer than 500 us.
readonly FLOWS=26 FLOWLET_NS=20000 BACK_NS=30000
readonly ENTRIES=4194304		# entries of the flowlet table: no two flows share one

readonly RUN_NS=100000000		# time of a run: the feedback of the previous one has expired
readonly GRID_NS=100			# grid of all times, so that none is late
readonly LONGEST_NS=1000000		# longest load that no result is promised for

# The loads of each level are in percent of the link's rate.
declare -rA LOADS=([1]="25 50 75 95 100 125" [4]="60 75 95 100 125" [7]="95 100 110 125")

# ---- the bound ----

# These formulas are for awk; a load u of 1 fills the link. "formula" is the sum of the paper's
# terms.
#
# The bound also has the terms that the formula leaves out. The load begins within a period, a
# decrement leaves 1 - alpha of X, and X may lack one frame compared with a continuous flow. From
# "held" on, every packet that enters the link finds level k. The next such packet then waits
# behind a frame that is being sent and, if the offered load exceeds the link's rate, behind the
# queue. A load that does not hold level k after a decrement shows it to some packets only, and
# has no bound: 0.
#
# A reaction must also not come too early: (1 - alpha)^n is slightly less than e^(-alpha n), and a
# frame counts as a whole, which is less than the bytes of one period. The packets must then cross
# three links.
# shellcheck disable=SC2016 # awk's
readonly FORMULAS='
	function rise(level) { return level < 1 ? -tau * log(1 - level) : 0 }
	function own(u) { return u + packet * 8 / flowlet / gbits }
	function formula(k, u) { return rtt + rise(k / 8 / u) + back + flowlet }
	function held(k, u,  ns) {
		ns = rise((k / 8 + frame / full) / (u * (1 - tdre / tau)))
		return ns ? ns + tdre : 0
	}
	function queue(u, ns) { return own(u) > 1 ? (own(u) - 1) * ns : 0 }
	function bound(k, u,  seen) {
		if (!held(k, u)) return 0
		seen = held(k, u) + flowlet
		return seen + queue(u, seen) + frame_ns + rtt + back + flowlet
	}
	function early(k, u) {
		return rise(k / 8 / own(u)) * (tdre / tau) / -log(1 - tdre / tau) - tdre
	}
	function least(k, u) { return early(k, u) + 3 * hop }
	function random() { state = state * 16807 % 2147483647; return state / 2147483647 }
	BEGIN { state = seed * 100 + k; for (i = 0; i < 10; i++) random() }'

readonly -a AWK=(awk -v OFMT=%.0f -v seed="$SEED" -v runs="$RUNS" -v gbits="$GBITS"
	-v tdre="$TDRE_NS" -v tau="$TAU_NS" -v full="$FULL_BYTES" -v frame="$FRAME"
	-v frame_ns="$FRAME_NS" -v bytes="$BYTES" -v packet="$WIRE_BYTES" -v hop="$HOP_NS"
	-v rtt="$RTT_NS" -v flows="$FLOWS" -v flowlet="$FLOWLET_NS" -v back="$BACK_NS"
	-v most="$TOPO_FABRIC_MTU" -v grid="$GRID_NS" -v apart="$RUN_NS" -v longest="$LONGEST_NS")

# formulas LEVEL PROGRAM FILE...: runs awk with these formulas
formulas() {
	"${AWK[@]}" -v k="$1" -v loads="${LOADS[$1]}" "$FORMULAS $2" "${@:3}"
}

# ---- the schedule ----

# plan LEVEL: prints "LOAD START END" of each run, with times in ns. The starts are spread over
# one period of the DRE.
plan() {
	# shellcheck disable=SC2016
	formulas "$1" 'BEGIN {
		for (n = split(loads, u); ++l <= n;)
			for (j = 0; j < runs; j++) {
				start = ++run * apart + int((j + random()) / runs * tdre / grid) * grid
				lasts = bound(k, u[l] / 100)
				print u[l] / 100 "", start, start + (lasts ? lasts : longest)
			}
	}'
}

# commands LEVEL PLAN: prints "TIME COMMAND". Two rounds of all flows come before the load. Uplink
# 1 gets at once the bytes that raise it to its level, and then, in each period, the bytes that
# keep it there: it is as far below the next level before a decrement as it is above its own level
# afterwards. For level 0 this is level 1 in the first round, which sends all flows to spine 0.
commands() {
	# shellcheck disable=SC2016
	formulas "$1" '
		function say(time, what) { print int(time / grid + 0.5) * grid, what }
		function say_frames(time, count, bytes) {
			for (i = 0; i < count; i++) say(time, "send hold " int(bytes / count))
		}
		function hold(level, from, until,  x, count) {
			x = full * sqrt((level + 1) / 8 * level / 8 / (1 - tdre / tau))
			count = int(x * tdre / tau / most) + 1
			from = int(from / tdre) * tdre + 10 * grid
			say_frames(from, (tau / tdre - 1) * count, x * (1 - tdre / tau))
			for (; from < until; from += tdre) say_frames(from, count, x * tdre / tau)
		}
		{
			begin = $2 - 2 * flows * flowlet
			hold(k > 1 ? k - 1 : 1, begin - 2 * tdre, k > 1 ? $3 : $2 - flows * flowlet)
			for (time = $2; time < $3; time += frame * 8 / gbits / $1)
				say(time, "send load " frame)
			n = 0
			for (time = begin + random() * flowlet; time < $3; time += flowlet)
				say(time, "send flow" n++ % flows " " bytes)
			for (time = begin + random() * back; time < $3; time += back)
				say(time, "send back " bytes)
		}' "$2"
}

ends() {
	local i

	for ((i = 0; i < FLOWS; i++)); do
		echo "udp flow$i ${HOST[0.0]} ${HOST_IP[0.0]} $((FLOW_PORT + i)) ${HOST_IP[1.0]} $INNER_PORT"
	done
	echo "udp back ${HOST[1.0]} ${HOST_IP[1.0]} $INNER_PORT ${HOST_IP[0.0]} $INNER_PORT"
	echo "udp sink ${HOST[0.0]} ${HOST_IP[0.0]} $INNER_PORT ${HOST_IP[1.0]} $INNER_PORT"
	echo "frames load ${SPINE[0]} down1.0"
	echo "frames hold ${LEAF[0]} up1"
}

# schedule LEVEL PLAN
schedule() {
	ends
	echo "zero $TDRE_NS"
	commands "$1" "$2" | sort -s -n -k 1,1 |
		awk '$1 != at { at = $1; print "at", at } { sub(/^[^ ]* /, ""); print }'
}

# ---- what happened ----

# "TIME flow PORT" and "TIME back" lines are the packets that the hosts sent.
sent() {
	grep -E '"sent":"(flow|back)' "$EVENTS" | jq -r --argjson port "$FLOW_PORT" '
		[.from] + if .sent == "back" then ["back"]
		else ["flow", $port + (.sent[4:] | tonumber)] end | join(" ")'
}

# caught NAME NAMESPACE: prints the packets like capture_bytes, with times in ns. Only the last
# six digits of the seconds are kept, because awk counts to 2^53.
caught() {
	capture_bytes "$1" "$2" --time-stamp-precision=nano |
		sed -E 's/^[0-9]*([0-9]{6})[.]([0-9]{9}) /\1\2 /; s/^0*//'
}

# words ZERO: prints the stamps of the packets that a leaf captured
#
#	TIME told TAG METRIC		feedback came
#	TIME heard TAG CE PORT		a packet came
#	TIME left TAG PORT		a packet left
#
# The 28 bytes of IPv4 and UDP come first, then tag, CE and the other fields in the VXLAN header.
# The source port of the inner packet is 50 bytes later.
words() {
	awk -v zero="$1" -v OFMT=%.0f '
		function hex(from, digits,  value) {
			for (value = 0; digits--; from++)
				value = value * 16 + index("123456789abcdef", substr($4, from, 1))
			return value
		}
		$2 !~ /^up/ { next }
		$3 == "Out" { print $1 - zero, "left", hex(59, 1), hex(141, 4); next }
		{
			print $1 - zero, "heard", hex(59, 1), int(hex(60, 1) / 2), hex(141, 4)
			print $1 - zero, "told", hex(60, 1) % 2 ? hex(61, 1) : "-", int(hex(62, 1) / 2)
		}'
}

# history DIR: prints all these events, sorted, in the time of the timetable
history() {
	local zero

	sent >"$1/sent"
	caught ask "${LEAF[0]}" >"$1/asked"
	zero=$(awk '$2 == "h0" && $3 != "Out" { print $1; exit }' "$1/asked")
	zero=$((zero - $(awk '$2 == "flow" { print $1; exit }' "$1/sent")))
	{
		cat "$1/sent"
		words "$zero" <"$1/asked" | grep -v heard
		caught hear "${LEAF[1]}" | words "$zero" | grep heard
	} | sort -s -n -k 1,1
}

# reactions LEVEL PLAN HISTORY: prints a row for each run, or an error. It searches backwards:
# first the flowlet that moved, then the feedback that leaf 0 had at that time, then the packet
# whose CE this feedback reports.
#
#	level load tick rise feedback flowlet flight total soonest due formula least bound
#
# "tick" is the time from the previous decrement to the start of the load. "rise" ends when the
# packet entered the link, and includes the wait for this packet. "feedback" and "flowlet" are the
# other two waits. "soonest" and "due" are the limits for the packets that existed: the first
# packet that may find level k, or finds it held, the first packet back after it, and the first
# flowlet after that.
reactions() {
	# shellcheck disable=SC2016
	formulas "$1" '
		function wrong(what) {
			if (!bad++) print "wrong: load " load ": " what
		}
		function last(times, count, time) {
			while (count && times[count] > time) count--
			return count
		}
		function next_of(times, count, time) {
			return times[last(times, count, time) + 1]
		}
		function chain(found, longer) {
			found = next_of(flowlet_at, flowlets, start + found - hop) + 2 * hop + longer
			found = next_of(back_at, backs, found) + 2 * hop
			return next_of(flowlet_at, flowlets, found) - start
		}
		function due(  ns) {
			ns = held(k, load)
			return ns ? chain(ns, frame_ns + queue(load, ns + flowlet)) : 0
		}
		function row(  t, h, entered) {
			t = last(told_at, told, moved)
			h = last(heard_at, heard, told_from[t])
			entered = heard_from[h] + hop
			if (told_metric[t] < k) wrong("a flowlet moved at level " told_metric[t])
			if (heard_ce[h] != told_metric[t]) wrong("not what was heard was fed back")
			if (!bad) print k, load "", start % tdre, entered - start, \
				told_from[t] - heard_at[h], moved - told_at[t], \
				heard_at[h] - entered + told_at[t] - told_from[t], \
				moved - start, chain(early(k, load), 0), due(), \
				formula(k, load), least(k, load), bound(k, load)
		}
		function finish() {
			if (!moved) wrong("no flowlet moved within " end - start " ns")
			if (!bad) row()
		}
		function begin() {
			load = load_of[++run]; start = start_of[run]; end = end_of[run]
			moved = bad = 0
		}
		FNR == NR {
			load_of[++planned] = $1; start_of[planned] = $2; end_of[planned] = $3; next
		}
		!run { begin() }
		$1 > end + apart / 2 { finish(); begin() }
		$2 == "flow" { flow_at[$3] = flowlet_at[++flowlets] = $1 }
		$2 == "back" { back_at[++backs] = $1 }
		$2 == "heard" && $3 == 0 {
			heard_at[++heard] = $1; heard_ce[heard] = $4; heard_from[heard] = flow_at[$5]
		}
		$2 == "heard" && $3 == 1 && $4 != k - 1 { wrong("uplink 1 had level " $4) }
		$2 == "told" {
			told_at[++told] = $1; told_metric[told] = $4; told_from[told] = back_at[told]
		}
		$2 == "left" && $3 == 1 && flow_at[$4] < start {
			wrong("not all flowlets went by spine 0")
		}
		$2 == "left" && $3 == 1 && !moved { moved = flow_at[$4] }
		END { finish(); if (run != planned) print "wrong: not all runs ran" }
	' "$2" "$3"
}

# ---- tests ----

setup() {
	[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || return
	# A DRE counts every frame.
	topo_up && tunnel_says_nothing && fabric_up conga conga &&
		conga 0 fabric set flowlets "$ENTRIES" && settle || return
	EVENTS=$TOPO_DIR/events
}

parameters() {
	local said

	said=$("$CONGA" -n "${SPINE[0]}" -j port show dev down1.0 |
		jq -c '.[0] | [.rate_bps, .tdre_ns]')
	[[ $said == "[$((GBITS * 1000000000)),$TDRE_NS]" ]] || fail "the rate and Tdre are $said"
}

# measure LEVEL: writes history.LEVEL and rows.LEVEL
measure() {
	local plan=$TOPO_DIR/plan

	plan "$1" >"$plan"
	capture_start ask "${LEAF[0]}" any --time-stamp-precision=nano \
		"udp dst port $VXLAN_PORT or udp dst port $INNER_PORT" &&
		capture_start hear "${LEAF[1]}" any --time-stamp-precision=nano -Q in \
			"udp dst port $VXLAN_PORT" &&
		bench_run < <(schedule "$1" "$plan") &&
		capture_stop ask && capture_stop hear || return
	history "$TOPO_DIR" >"$TOPO_DIR/history.$1"
	reactions "$1" "$plan" "$TOPO_DIR/history.$1" >"$TOPO_DIR/rows.$1"
}

# summary LEVEL: prints the times of each load, in us
summary() {
	awk '
		function us(ns) { return sprintf("%.1f", ns / 1000) }
		function range(i) { return us(min[i]) " to " us(max[i]) }
		function tell() {
			if (load) printf "# level %d, load %s: %s us (rise %s, feedback %s, flowlet %s, \
flight %s); at least %s, formula %s, bound %s\n", level, load, range(8), range(4), \
				range(5), range(6), range(7), us(least), us(formula), \
				bound ? us(bound) : "none"
		}
		$2 != load { tell(); split("", min); split("", max); level = $1; load = $2 }
		{
			for (i = 4; i <= 8; i++) {
				if (!(i in min) || $i < min[i]) min[i] = $i
				if (!(i in max) || $i > max[i]) max[i] = $i
			}
			formula = $11; least = $12; bound = $13
		}
		END { tell() }' "$TOPO_DIR/rows.$1"
	[[ ! $ROWS ]] || sed 's/^/# row /' "$TOPO_DIR/rows.$1"
}

avoided() {
	local wrong

	measure "$1" || return
	wrong=$(grep -m 1 wrong "$TOPO_DIR/rows.$1") && { fail "$wrong"; return; }
	summary "$1"
}

# runs LEVEL soonest|due: each run takes at least, or at most, this long; 0 means no limit
runs() {
	local said

	said=$(awk -v side="$2" '
		{ wrong = side == "soonest" ? $8 < $9 : $10 && $8 > $10 }
		/^wrong/ { wrong = 1; print "not all runs were measured"; exit }
		wrong { print "load " $2 ": after " $8 " ns; soonest " $9 ", due " $10; exit }
		END { exit wrong || !NR }' "$TOPO_DIR/rows.$1") ||
			fail "${said:-no packet was measured}"
}

# This is the shortest round trip of all runs of level 1.
round_trip() {
	local ns

	ns=$(awk '
		function less(a, b) { return a == "" || b < a ? b : a }
		$2 == "flow" { flow_at[$3] = $1 }
		$2 == "back" { back_at[++backs] = $1 }
		$2 == "heard" && $3 == 0 { there = less(there, $1 - flow_at[$5]) }
		$2 == "told" { again = less(again, $1 - back_at[++told]) }
		END { print there + again }' "$TOPO_DIR/history.1")
	((ns >= RTT_NS - EXACT_NS && ns <= RTT_NS + EXACT_NS)) ||
		fail "the round trip took $ns ns, expected $RTT_NS"
}

bench_require
require_commands tcpdump
tap_plan 11
setup || die "cannot set up"
tap_test "Tdre is 16 us by default on links of 40 Gbit/s" parameters
for level in 1 4 7; do
	tap_test "level $level: flowlets avoid a link when its congestion was fed back, and not before" \
		avoided "$level"
	tap_test "level $level: the reaction is within the bound" runs "$level" due
	tap_test "level $level: the reaction is not before the DRE can have risen" \
		runs "$level" soonest
done
tap_test "a round trip over idle links takes $RTT_NS ns" round_trip
tap_exit
