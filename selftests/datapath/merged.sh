#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which segments a leaf merges (GRO). Eight segments of a connection that come one behind the other
# become one packet at the vxlan device, whatever their CE is, and with entropy, too, where other
# connections have the same source port. Segments with another outer ECN field stay separate, so that
# each mark is counted and delivered.
#
# Code takes no time in this machine, so that segments come at the same moment.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/ecn_fabric.sh"
. "$TESTS/lib/inner_packets.sh"

readonly SEGMENTS=8 PAYLOAD=100		# of a connection, in bytes
readonly PLAIN=08130100			# LBTag 1, CE 1, no feedback
readonly FLUSH_NS=4000000		# leaf 1 waits so long for packets
readonly VXLAN_VNI=00006400
readonly WAIT_MS=20000

# ---- sending, and what arrives ----

# segment_of NUMBER [WORD [TOS [PORT]]]: prints a VXLAN packet with this segment of a connection
segment_of() {
	echo "${2:-$PLAIN}$VXLAN_VNI$(inner_tcp "${3:-0}" "${4:-1000}" $(($1 * PAYLOAD)) "$PAYLOAD")"
}

packets_from_tunnel() {
	packets "${LEAF[1]}" vx rx
}

bytes_came() {
	(($(capture_text inner -q tcp | awk '{ bytes += $NF } END { print bytes + 0 }') == $1))
}

# arrive_as PACKETS SEGMENTS COMMAND...: so many segments reach the host, and PACKETS is the number
# of packets that they are at the vxlan device
arrive_as() {
	local before

	packets_from_tunnel && before=$PACKETS || return
	stats_mark "${LEAF[1]}"
	capture_start inner "${HOST[1.0]}" eth0 -Q in tcp dst port 9 && "${@:3}" &&
		{ busywait "$WAIT_MS" bytes_came $(($2 * PAYLOAD)) || fail "segments were lost"; } &&
		capture_stop inner && packets_from_tunnel || return
	((PACKETS - before == $1)) ||
		fail "$2 segments came as $((PACKETS - before)) packets, expected $1"
}

# ---- segments ----

segments_send() {
	local i
	local -a all=()

	for ((i = 0; i < SEGMENTS; i++)); do all+=("$(segment_of "$i" "$@")"); done
	send_from_leaf 0 "${all[@]}"
}

equal_segments() {
	arrive_as 1 "$SEGMENTS" segments_send
}

ce_changes_send() {
	local i word
	local -a all=()

	for ((i = 0; i < SEGMENTS; i++)); do
		printf -v word '%08x' $((0x08110100 | (i * 3 % 8) << 17))
		all+=("$(segment_of "$i" "$word")")
	done
	send_from_leaf 0 "${all[@]}"
}

ce_changes() {
	arrive_as 1 "$SEGMENTS" ce_changes_send && stats_grew "${LEAF[1]}" rx_learnt=1
}

# With entropy all connections by an LBTag have one source port.
port_shared_send() {
	local i
	local -a all=()

	for ((i = 0; i < SEGMENTS; i++)); do
		all+=("$(segment_of "$i" "$PLAIN" 0 1000)" "$(segment_of "$i" "$PLAIN" 0 2000)")
	done
	send_from_leaf 0 "${all[@]}"
}

port_shared() {
	arrive_as 2 $((2 * SEGMENTS)) port_shared_send && stats_grew "${LEAF[1]}" rx_learnt=2
}

# marked_send INNER: the third and the fourth of six segments are marked
marked_send() {
	local i

	for i in 0 2 4; do
		send_from_leaf $((i == 2 ? CE : ECT0)) "$(segment_of "$i" "$PLAIN" "$1")" \
			"$(segment_of $((i + 1)) "$PLAIN" "$1")" || return
	done
}

# bytes_by_field: prints "FIELD BYTES" of what came to the host
bytes_by_field() {
	capture_text inner -v tcp | awk '
		match($0, /tos 0x[0-9a-f]+/) { field = substr($0, RSTART + 6, RLENGTH - 6) }
		/ length [0-9]+$/ && !/tos 0x/ { bytes[field] += $NF }
		END { for (field in bytes) print field, bytes[field] }' | sort | paste -sd,
}

# stay_apart INNER RESTORED FIELDS
stay_apart() {
	local found

	arrive_as 3 6 marked_send "$1" && stats_grew "${LEAF[1]}" ecn_received=3 &&
		stats_grew "${LEAF[1]}" ecn_marked=1 || return
	stats_grown "${LEAF[1]}" ecn_restored
	((GROWTH == $2)) || fail "ecn_restored grew by $GROWTH, expected $2" || return
	found=$(bytes_by_field)
	[[ $found == "$3" ]] || fail "fields and bytes are $found, expected $3"
}

marks_stay_apart() {
	stay_apart 0 1 "0 $((6 * PAYLOAD))" &&
		stay_apart "$ECT0" 0 "2 $((4 * PAYLOAD)),3 $((2 * PAYLOAD))"
}

# ---- all of it ----

# The link of leaf 1 merges, and the spine's sends every frame by itself.
leaf_merges() {
	in_ns "${SPINE[0]}" ethtool -K down1.0 tso off >/dev/null &&
		in_ns "${LEAF[1]}" ethtool -K up0 gro on >/dev/null &&
		ip netns exec "${LEAF[1]}" sh -c "echo $FLUSH_NS >/sys/class/net/up0/gro_flush_timeout"
}

underlay() {
	{ setup_leaves "$1" && leaf_merges; } || die "cannot set up: $TAP_WHY"
	tap_test "v$1: segments that are alike become one packet" equal_segments
	tap_test "v$1: segments that differ in CE become one packet" ce_changes
	tap_test "v$1: segments of two connections with one source port become two packets" port_shared
	tap_test "v$1: segments that differ in the outer field stay separate, and each mark is counted and delivered" \
		marks_stay_apart
	topo_down
}

require_root
require_commands ip jq tcpdump nft ethtool
require_module
require_exact_time
tap_plan 8
underlay 4
underlay 6
tap_exit
