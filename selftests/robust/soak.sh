#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Transfers continue, at 30 % of a fabric of slow links, while one failure after the other begins
# and is repaired: links, paths behind a spine, spines, ports and fabrics. Every transfer ends,
# with each byte as it was sent. The kernel uses no more memory than before, counters add up, and
# repaired paths are used again.
#
#	soak.sh [-t SECONDS] [-n FAILURES] [-s SEED]
#		runs for this simulated time (108) with this number of failures (one each
#		36 s); the seed selects their kind, place and duration
#
# Under User Mode Linux with time travel an hour takes some minutes. Pauses are durations of this
# time, and wait for no condition.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/kernel_memory.sh"

TOPO_RATE=10mbit
TOPO_HOST_MTU=9000 TOPO_FABRIC_MTU=9100	# fewer packets take less real time
QUIET=""			# hellos and feedback are sent as usual

readonly UPLINKS=4 LOAD=0.3
readonly LINK_BITS=10000000
readonly EACH=36		# seconds for a failure and the recovery
readonly LEAST_DOWN=2 MOST_DOWN=15 AGAIN_SECONDS=20
readonly DRAIN=300		# seconds until a transfer counts as stuck
readonly TIME_WAIT=65		# seconds for which closed connections use memory
readonly FLAT_KB=512 WARM=150
readonly KINDS=(link_down carrier_lost lossy blackhole port_gone fabric_gone spine_reboots)

TIME=108 FAILURES="" SEED=1

parse() {
	local o

	while getopts t:n:s: o; do
		case $o in
		t) TIME=$OPTARG ;;
		n) FAILURES=$OPTARG ;;
		s) SEED=$OPTARG ;;
		*) exit "$KSFT_FAIL" ;;
		esac
	done
	: "${FAILURES:=$((TIME / EACH))}"
	RANDOM=$SEED
}

# ---- failures: KIND_begins and KIND_ends, each with leaf L, spine S, parallel link P ----

# draw MAX: sets DRAWN to a random number
draw() {
	DRAWN=$((RANDOM % $1))
}

uplink() {
	UPLINK=up$((S * TOPO_LINKS + P))
}

link_down_begins() {
	ip -n "${LEAF[L]}" link set "$UPLINK" down
}

link_down_ends() {
	ip -n "${LEAF[L]}" link set "$UPLINK" up
}

carrier_lost_begins() {
	ip -n "${SPINE[S]}" link set "down$L.$P" down
}

carrier_lost_ends() {
	ip -n "${SPINE[S]}" link set "down$L.$P" up && spine_routes
}

# The spine's link to the leaf loses one packet in five.
lossy_begins() {
	tc -n "${SPINE[S]}" qdisc replace dev "down$L.$P" root netem rate "$TOPO_RATE" loss 20% limit 100
}

lossy_ends() {
	tc -n "${SPINE[S]}" qdisc del dev "down$L.$P" root &&
		grep "dev down$L.$P root" "$TOPO_DIR/${SPINE[S]}.tc" | tc -n "${SPINE[S]}" -batch -
}

# The spine silently drops all packets to the leaf.
blackhole_begins() {
	ip -n "${SPINE[S]}" route replace blackhole "${VTEP[L]}"
}

blackhole_ends() {
	spine_routes
}

port_gone_begins() {
	conga "$L" port del "$UPLINK"
}

port_gone_ends() {
	conga "$L" port add "$UPLINK" role uplink rate "$TOPO_RATE"
}

fabric_gone_begins() {
	counters_agree "$L" 10 && conga "$L" fabric del
}

fabric_gone_ends() {
	fabric_leaf "$L" conga auto
}

# All its links lose their carrier; its routes and its fabric are removed.
spine_reboots_begins() {
	local link

	for link in ${SPINE_LINKS[S]}; do echo "link set down$link down"; done |
		ip -n "${SPINE[S]}" -batch - && "$CONGA" -n "${SPINE[S]}" fabric del &&
		ip -n "${SPINE[S]}" route flush table main
}

spine_reboots_ends() {
	local link

	for link in ${SPINE_LINKS[S]}; do echo "link set down$link up"; done |
		ip -n "${SPINE[S]}" -batch - && spine_routes && fabric_spine "$S"
}

# The routes are restored as a routing protocol would do it.
spine_routes() {
	sed -n 's/^route add/route replace/p' "$TOPO_DIR/${SPINE[S]}.ip" |
		ip -n "${SPINE[S]}" -batch -
}

# ---- conditions ----

# counters_agree LEAF SLACK: the counters agree except for losses; SLACK covers packets that
# arrive while they are read
counters_agree() {
	local words name known
	local -A of=()

	words=$(stats_words "${LEAF[$1]}") || return
	for name in $words; do of[${name%=*}]=${name#*=}; done
	known=$((of[rx_learnt] + of[rx_not_port] + of[rx_unknown_leaf] + of[rx_plain_leaf]))
	if ((of[flowlets_kept] + of[flowlets_moved] > of[flowlets_started] ||
		of[tx_stamped] > of[tx_steered] || of[path_down] > of[path_up] ||
		of[path_answers] > of[path_silent] + of[path_narrow] ||
		known > of[rx_stamped] + $2 ||
		known < of[rx_stamped] - $2 ||
		of[feedback_received] + of[feedback_ignored] >
		of[rx_stamped] + UPLINKS * of[explicit_received] ||
		of[rx_malformed] + of[rx_truncated] + of[tx_forged])); then
		fail "leaf $1: the counters contradict each other: $words"
	fi
}

# usable LEAF: prints how many of its paths are usable
usable() {
	conga "$1" path show | grep -cw usable
}

# sent LEAF: sets SENT to the packets by uplink
sent() {
	mapfile -t SENT < <(conga "$1" -j port show | jq -r 'sort_by(.dev)[].tx_packets')
}

# all_send LEAF: each uplink has sent more packets than BEFORE
all_send() {
	local u

	sent "$1"
	((${#SENT[@]} == UPLINKS)) || return
	for ((u = 0; u < UPLINKS; u++)); do
		((SENT[u] > BEFORE[u] + 20)) || return
	done
}

# within SECONDS COMMAND...: works like busywait, but tries less often, since each try takes real
# time
within() {
	local until=$(($(now_ms) + $1 * 1000))

	shift
	until "$@"; do
		(($(now_ms) < until)) || return
		sleep 0.5
	done
}

# The paths have returned, and each carries traffic again, from both leaves.
used_again() {
	local l

	for l in 0 1; do
		within "$AGAIN_SECONDS" all_usable "$l" ||
			fail "leaf $l has only $(usable "$l") usable paths" || return
		sent "$l"
		BEFORE=("${SENT[@]}")
		within "$AGAIN_SECONDS" all_send "$l" ||
			fail "leaf $l sends ${SENT[*]} by its uplinks," \
				"before it was ${BEFORE[*]}" || return
	done
}

all_usable() {
	(($(usable "$1") == UPLINKS))
}

# ---- a run ----

# fail_one KIND: makes one failure at a random place for a random time; sets REPAIRED[KIND]
fail_one() {
	local for_seconds

	draw 2; L=$DRAWN
	draw 2; S=$DRAWN
	draw 2; P=$DRAWN
	draw $((MOST_DOWN - LEAST_DOWN + 1)); for_seconds=$((LEAST_DOWN + DRAWN))
	uplink
	WHAT="$1 of leaf $L, spine $S, link $P, for $for_seconds s"
	"$1_begins" || fail "$WHAT cannot begin" || return
	sleep "$for_seconds"
	"$1_ends" || fail "$WHAT cannot end" || return
	used_again || fail "the paths were not used again after $WHAT" || return
	REPAIRED[$1]=$((${REPAIRED[$1]-0} + 1))
}

seconds_now() {
	echo $(($(now_ms) / 1000 - START))
}

# progress MINUTES: prints a line
progress() {
	MEMORY_KB=$(memory_kb)
	SAMPLES+=("$MEMORY_KB")
	echo "# minute $1: $COUNT of $FAILURES failures, $MEMORY_KB KB;" \
		"$(tail -n 1 "$TOPO_DIR/transfers")"
}

# wait_until SECONDS: waits until this time of the run, and prints a line each minute
wait_until() {
	local now minute

	while now=$(seconds_now) && ((now < $1)); do
		minute=$((60 * (MINUTES + 1)))
		if ((now >= minute)); then
			progress $((++MINUTES))
		else
			sleep $(((minute < $1 ? minute : $1) - now))
		fi
	done
}

# transfers_begin SECONDS SEED: sets TRANSFERS
transfers_begin() {
	"$TESTS/tools/transfers" -s "$2" -t "$1" -D "$DRAIN" -r "$(awk "BEGIN {
		print $UPLINKS * $LINK_BITS * $LOAD }")" "${HOST[0.0]},${HOST_IP[0.0]}" \
		"${HOST[1.0]},${HOST_IP[1.0]}" >"$TOPO_DIR/transfers" 2>"$TOPO_DIR/wrong" &
	TRANSFERS=$!
}

# A first round makes all allocations that happen once: connections of all sizes, and each kind of
# failure.
warm_up() {
	local kind

	transfers_begin "$WARM" "$SEED"
	sleep 10
	for kind in "${KINDS[@]}"; do fail_one "$kind" || return; done
	wait "$TRANSFERS" || fail "$(tail -n 1 "$TOPO_DIR/transfers") $(<"$TOPO_DIR/wrong")" || return
	sleep "$TIME_WAIT"
	memory || return
	BASE=$MEMORY REPAIRED=()
}

# The time is divided into equal parts, and one failure begins in the first half of each part.
failures() {
	local part=$((TIME * 1000 / (FAILURES > 0 ? FAILURES : 1)))

	START=$(($(now_ms) / 1000)) COUNT=0 MINUTES=0 SAMPLES=()
	transfers_begin "$TIME" $((SEED + 1))
	while ((COUNT < FAILURES)); do
		draw $((part / 4 + 1))
		wait_until $(((COUNT * part + DRAWN) / 1000))
		draw "${#KINDS[@]}"
		fail_one "${KINDS[DRAWN]}" || return
		COUNT=$((COUNT + 1))
	done
	wait_until "$TIME"
}

# ---- tests ----

all_repaired() {
	local kind

	failures || return
	for kind in "${KINDS[@]}"; do echo "# $kind: ${REPAIRED[$kind]-0}"; done
}

transfers_complete() {
	local status=0 said

	wait "$TRANSFERS" || status=$?
	said=$(tail -n 1 "$TOPO_DIR/transfers")
	echo "# $said"
	[[ $status == 0 && $said == end\ * ]] || fail "$said $(head -n 5 "$TOPO_DIR/wrong")"
}

# queue_drops LEAF: prints the drops of all queues from this leaf to the other, which include
# packets without a stamp
queue_drops() {
	local s

	{
		tc -n "${LEAF[$1]}" -s qdisc show
		for s in "${!SPINE[@]}"; do
			tc -n "${SPINE[s]}" -s qdisc show | grep -A 1 " dev down$((1 - $1))[.]"
		done
	} | awk '$1 == "Sent" { sum += $7 } END { print sum + 0 }'
}

# At the end, the other leaf has received each packet that one leaf stamped, unless a full queue
# between them dropped it, as happens with TCP.
counters_add_up() {
	local l said tx rx dropped before=()

	sleep 2
	counters_agree 0 0 && counters_agree 1 0 || return
	for l in 0 1; do
		stats_mark "${LEAF[l]}"
		before[l]=$(queue_drops "$l")
	done
	said=$("$TESTS/tools/transfers" -s "$SEED" -t 10 -D 60 -r 1e6 "${HOST[0.0]},${HOST_IP[0.0]}" \
		"${HOST[1.0]},${HOST_IP[1.0]}" 2>&1) || fail "$said" || return
	sleep 2
	for l in 0 1; do
		[[ " $(stats_growth "${LEAF[l]}") " =~ \ tx_stamped=([0-9]+)\  ]] && tx=${BASH_REMATCH[1]} &&
			[[ " $(stats_growth "${LEAF[1 - l]}") " =~ \ rx_stamped=([0-9]+)\ .*rx_learnt=([0-9]+)\  ]] &&
			rx=${BASH_REMATCH[1]} || fail "no packet was stamped" || return
		dropped=$(($(queue_drops "$l") - before[l]))
		echo "# leaf $l stamped $tx, queues dropped $dropped, leaf $((1 - l)) heard $rx and" \
			"learnt from ${BASH_REMATCH[2]}"
		((tx >= rx && tx - rx <= dropped && rx == BASH_REMATCH[2])) ||
			fail "leaf $l stamped $tx, queues dropped $dropped," \
				"leaf $((1 - l)) received $rx" ||
			return
	done
}

# mean FIRST COUNT: prints the mean of these samples
mean() {
	local i sum=0

	for ((i = $1; i < $1 + $2; i++)); do sum=$((sum + SAMPLES[i])); done
	echo $((sum / $2))
}

# Memory at rest must equal that before; during the run it must not grow from the beginning to the
# end.
memory_flat() {
	local third=$((${#SAMPLES[@]} / 3)) first last

	sleep "$TIME_WAIT"
	memory || return
	echo "# at rest $BASE KB, then $MEMORY KB"
	((MEMORY - BASE <= FLAT_KB)) ||
		fail "the kernel's memory grew by $((MEMORY - BASE)) KB" || return
	((third > 0)) || return 0
	first=$(mean 0 "$third") last=$(mean $((${#SAMPLES[@]} - third)) "$third")
	echo "# under way $first KB in the first third, $last KB in the last"
	((last - first <= 2 * FLAT_KB)) ||
		fail "the kernel's memory grew by $((last - first)) KB in the last third"
}

parse "$@"
require_root
require_commands ip tc jq
require_module
tap_plan 5
echo "# $TIME s, $FAILURES failures, seed $SEED"
declare -A REPAIRED=()
if ! topo_up || ! fabric_up conga auto; then
	die "cannot set up"
fi
settle
tap_test "each kind of failure is repaired" warm_up
tap_test "after $FAILURES failures all paths are usable again, and used" all_repaired
tap_test "each transfer is complete and unchanged" transfers_complete
tap_test "counters add up on all nodes" counters_add_up
tap_test "the kernel's memory has not grown" memory_flat
tap_exit
