#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One of four spines drops all VXLAN while its links stay up, so it looks idle. With hello its
# path is out within three intervals, and no new flowlet takes it; after the repair the path is
# back within two intervals. Without hello the spine permanently attracts the traffic for which
# the other spines are too busy. The tests cover traffic in both directions, and in one direction
# with and without explicit feedback. The cost of hellos is counted. If all spines are dead, no
# path is out, and the leaf is plain.
#
# Every datagram is a flow of its own. The ports of the spines are so slow that the working paths
# are congested, which makes an idle path attractive. Code takes no time in this machine, so that
# all measured times are those of the module.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/hellos.sh"

TOPO_SPINES=4
TOPO_LINKS=1
QUIET="tdre 5ms"		# tau is 50 ms; hellos are sent every 300 ms by default

readonly UPLINKS=(up0 up1 up2 up3)
readonly SPINE_RATE=1500kbit	# rate of every spine's ports, which only the DRE uses
readonly BYTES=900 PAUSE_US=2000
readonly MANY=100000000		# datagrams: the sender is stopped before
readonly FLOWS=300		# new flowlets in a window
readonly FAIR=25 ATTRACTED=50	# percent of the new flowlets by one of four paths
readonly LEAST=5		# percent that prove that a path is used again
readonly OUT_MS=$((3 * HELLO_MS)) BACK_MS=$((2 * HELLO_MS))
readonly COST_MS=6000		# length of the window

declare -a TRAFFIC=()

# ---- traffic ----

# traffic_start FROM TO
traffic_start() {
	"$TESTS/tools/vxlan_send" -n "${HOST[$1]}" -c "$MANY" -i "$PAUSE_US" -l "$BYTES" -p "$FLOW_PORT" \
		"${HOST_IP[$2]}" - &
	TRAFFIC+=($!)
	grows 20 "${HOST[$1]}" eth0 tx
}

traffic_stop() {
	kill "${TRAFFIC[@]}"
	wait "${TRAFFIC[@]}"
	TRAFFIC=()
}

# Counts the new flowlets in a time window: sets LEFT, and SHARE in percent of up0.
window() {
	local dev sum=0

	flows_left "${LEAF[0]}" && grows "$FLOWS" "${HOST[0.0]}" eth0 tx && flows_left "${LEAF[0]}" ||
		return
	for dev in "${UPLINKS[@]}"; do
		sum=$((sum + LEFT[$dev]))
	done
	SHARE=$((100 * LEFT[up0] / sum))
}

# ---- the spines ----

# dead SPINE: drops all VXLAN that the spine should forward, in both directions
dead() {
	in_ns "${SPINE[$1]}" nft -f - <<-END
	table netdev dead {
		counter dropped { }
		chain down0 {
			type filter hook ingress device "down0.0" priority 0;
			udp dport 4789 counter name dropped drop
		}
		chain down1 {
			type filter hook ingress device "down1.0" priority 0;
			udp dport 4789 counter name dropped drop
		}
	}
	END
}

repaired() {
	in_ns "${SPINE[$1]}" nft delete table netdev dead
}

# dropped_by SPINE: sets DROPPED to the packets that it dropped
dropped_by() {
	local list

	list=$(in_ns "${SPINE[$1]}" nft list counter netdev dead dropped) || return
	[[ $list =~ packets\ ([0-9]+) ]] && DROPPED=${BASH_REMATCH[1]}
}

# ---- paths ----

# paths_are STATE...: the states of leaf 0's uplinks, "usable" or the reason why not
paths_are() {
	local json word paths=""

	json=$(conga 0 -j path show) || fail "path show failed" || return
	json=${json//[[:space:]]/}
	while [[ $json =~ \"state\":\"([a-z]+)\"(,\"reason\":\"([a-z_]+)\")? ]]; do
		word=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
		paths+=" $word"
		json=${json#*"${BASH_REMATCH[0]}"}
	done
	[[ ${paths# } == "$*" ]] || fail "the path states are$paths, expected $*"
}

# told_within MS SINCE EVENT: an event was received in time, and contains its time
told_within() {
	local ms

	events_have "$3" || return
	ms=$((EVENT_MS - $2))
	echo "# $3 after $ms ms"
	((ms <= $1)) || fail "$3 took $ms ms, expected at most $1"
}

# ---- a spine dies ----

# The spine is used like the others while it works.
fair_share() {
	paths_are usable usable usable usable && window || return
	echo "# healthy: $(flows_text)"
	((SHARE <= 2 * FAIR && SHARE >= LEAST)) ||
		fail "$SHARE % of the packets left by up0: $(flows_text)"
}

no_share() {
	window || return
	echo "# with hello: $(flows_text)"
	((LEFT[up0] == 0)) || fail "${LEFT[up0]} packets left by the silent path: $(flows_text)"
}

share_again() {
	window || return
	((SHARE >= LEAST)) ||
		fail "$SHARE % of the packets left by the path that is usable again: $(flows_text)"
}

# Repairs the spine for the tests that follow, whatever the result was.
dies() {
	local status=0 since

	since=$(now_ms)
	dead 0 || fail "the spine cannot be made silent" || return
	told_within "$OUT_MS" "$since" "up0 silent" && paths_are silent usable usable usable &&
		no_share || status=1
	dropped_by 0 && echo "# it dropped $DROPPED packets"
	since=$(now_ms)
	repaired 0 && told_within "$BACK_MS" "$since" "up0 usable" &&
		paths_are usable usable usable usable && share_again || return
	return "$status"
}

counts_and_dies() {
	stats_mark "${LEAF[0]}"
	fair_share && dies && stats_grew "${LEAF[0]}" path_silent=1 &&
		stats_grew "${LEAF[0]}" path_answers=1
}

both_ways() {
	traffic_start 0.0 1.0 && traffic_start 1.0 0.0 && counts_and_dies
}

# The leaf that receives the traffic has no packets that could carry feedback.
one_way() {
	traffic_stop
	traffic_start 0.0 1.0 && counts_and_dies
}

one_way_unfed() {
	conga 1 fabric set explicit-feedback off && counts_and_dies || return
	conga 1 fabric set explicit-feedback on
}

# This is the failure that hello prevents: the leaf is in mode conga by order, and no hellos are
# sent.
without_hello() {
	local status=0

	traffic_stop
	conga 0 leaf set "${VTEP[1]}" mode conga && conga 1 leaf set "${VTEP[0]}" mode conga &&
		conga 0 fabric set hello off && conga 1 fabric set hello off || return
	traffic_start 0.0 1.0 && traffic_start 1.0 0.0 && attracts || status=1
	traffic_stop
	events_skip
	conga 0 fabric set hello 300ms && conga 1 fabric set hello 300ms &&
		conga 0 leaf set "${VTEP[1]}" mode auto && conga 1 leaf set "${VTEP[0]}" mode auto || return
	return "$status"
}

# The window begins after the time in which hellos would have excluded the path. The pause is that
# time, since nothing happens at its end.
attracts() {
	fair_share && dead 0 && sleep "$((OUT_MS / 1000)).$((OUT_MS % 1000))" && window || return
	echo "# without hello: $(flows_text)"
	repaired 0 && paths_are usable usable usable usable || return
	((SHARE >= ATTRACTED)) ||
		fail "$SHARE % of the packets left by the silent path: $(flows_text)"
}

# ---- all are dead ----

all_dead() {
	local s since

	events_have "auto conga answers" && traffic_start 0.0 1.0 || return
	for s in 0 1 2 3; do dead "$s" || return; done
	since=$(now_ms)
	told_within "$OUT_MS" "$since" "auto lost silent" || return
	paths_are usable usable usable usable && window || return
	echo "# all dead: $(flows_text)"
	((SHARE >= LEAST && SHARE <= 2 * FAIR)) ||
		fail "the packets are not spread: $(flows_text)" || return
	traffic_stop
	for s in 0 1 2 3; do repaired "$s" || return; done
	events_have "auto conga answers"
}

# ---- a spine drops large packets ----

readonly NARROW_MS=2000

# The spine sends no error for these packets.
narrows() {
	local since status=0

	traffic_start 0.0 1.0 || return
	in_ns "${SPINE[0]}" nft -f - <<-END || return
	table netdev dead {
		chain down0 {
			type filter hook ingress device "down0.0" priority 0;
			meta length > 1400 drop
		}
	}
	END
	since=$(now_ms)
	told_within "$NARROW_MS" "$since" "up0 narrow" && paths_are narrow usable usable usable &&
		no_share || status=1
	since=$(now_ms)
	repaired 0 && told_within "$BACK_MS" "$since" "up0 usable" || status=1
	traffic_stop
	return "$status"
}

# ---- what it costs ----

# cost TEXT LEAST MOST: counts the hellos of twenty intervals, which begin and end at any point of
# four rounds, and scales the number to a hundred intervals. The pause is the time that is measured.
cost() {
	local since sent ms

	stats_read "${LEAF[0]}" && sent=${STAT[hello_sent]} && since=$(now_ms) || return
	sleep "$((COST_MS / 1000))"
	stats_read "${LEAF[0]}" && sent=$((STAT[hello_sent] - sent)) && ms=$(($(now_ms) - since)) ||
		return
	sent=$((100 * sent * HELLO_MS / ms))
	echo "# $1: $((sent / 100)).$(printf %02d $((sent % 100))) hellos per interval"
	((sent >= $2 && sent <= $3)) ||
		fail "$1: $sent hellos were sent in 100 intervals, expected $2 to $3"
}

# A leaf sends one hello per round, wherever the sample begins and ends. In four rounds it also
# sends one hello of full size by each path that is not silent: by four paths, and by three paths
# in the last case.
costs() {
	cost "no traffic" 160 230 || return
	traffic_start 0.0 1.0 && traffic_start 1.0 0.0 && cost "traffic" 160 230 || return
	events_skip
	dead 0 && events_have "up0 silent" && cost "one silent path" 205 330 || return
	traffic_stop
	repaired 0 && events_have "up0 usable"
}

# silent MILLISECONDS: leaf 0 sends no hello in this time from now on
silent() {
	local sent end

	stats_read "${LEAF[0]}" && sent=${STAT[hello_sent]} && end=$(($(now_ms) + $1)) || return
	while (($(now_ms) < end)); do poll_pause; done
	stats_read "${LEAF[0]}" && ((STAT[hello_sent] == sent))
}

# A leaf that is silent for one shorter interval waits for the tick of the longer interval. If it
# went on waiting, it would be silent for most of the time that is measured.
heeded() {
	conga 0 fabric set hello 10s || return
	busywait "$PATIENCE_MS" silent "$HELLO_MS" || fail "hellos do not become fewer" || return
	conga 0 fabric set hello "${HELLO_MS}ms" && cost "shorter from now on" 160 230
}

setup() {
	local ns

	topo_up && tunnel_says_nothing && fabric_up conga auto || return
	for ns in "${SPINE[@]}"; do
		printf 'port set down0.0 rate %s\nport set down1.0 rate %s\n' "$SPINE_RATE" "$SPINE_RATE" |
			conga_batch "$ns" || return
	done
	for ns in "${HOST[@]}"; do pin "$ns" && flows_end "$ns" eth0 || return; done
	events_start 0 && flows_count "${LEAF[0]}" "${UPLINKS[@]}" && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers"
}

tap_plan 8
require_root
require_commands ip jq nft
require_exact_time
require_module
setup || die "cannot set up"
tap_test "traffic in both directions: a silent path is left out, and used again when it is repaired" \
	both_ways
tap_test "one-way traffic with explicit feedback: a silent path is left out, and used again when it is repaired" \
	one_way
tap_test "one-way traffic without explicit feedback: a silent path is left out, and used again when it is repaired" \
	one_way_unfed
tap_test "without hello a silent path attracts new flowlets" without_hello
tap_test "when all spines are dead no path is left out, and the leaf is plain" all_dead
tap_test "a path that swallows large packets is left out within two seconds, and used again when it is repaired" \
	narrows
tap_test "hellos are one per leaf and interval, one more for each silent path, and a full-size one by each other path in four intervals" \
	costs
tap_test "a shorter interval takes effect at once" heeded
tap_exit
