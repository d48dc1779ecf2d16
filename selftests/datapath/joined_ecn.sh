#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ECN fields of datagrams that a spine joins into one packet, by UDP GRO forwarding or by fraglist
# GRO. The leaf counts them one by one, and they are delivered as RFC 6040 wants, in all sixteen
# combinations. Datagrams of a fraglist have an outer field each, others share one.
#
# Code takes no time in this machine, so that datagrams come at the same moment.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/ecn_fabric.sh"
. "$TESTS/lib/inner_packets.sh"

readonly PAYLOAD=100			# bytes of a datagram
readonly WORD=08130100			# a stamp with LBTag 1, CE 1
readonly VXLAN_VNI=00006400
readonly FLUSH_NS=4000000 DEFER_IRQS=100	# the spine waits so long for packets
readonly FIRST_PORT=9216		# of datagrams: their port tells their fields
readonly EACH=8				# datagrams of a combination
readonly WAIT_MS=20000

# joins FEATURE: the spine holds incoming packets for a moment and joins them
joins() {
	in_ns "${SPINE[0]}" ethtool -K down0.0 gro on rx-udp-gro-forwarding off rx-gro-list off \
		"$1" on >/dev/null &&
		ip netns exec "${SPINE[0]}" sh -c "echo $FLUSH_NS >/sys/class/net/down0.0/gro_flush_timeout
			echo $DEFER_IRQS >/sys/class/net/down0.0/napi_defer_hard_irqs"
}

# joined_send INNER OUTER [INNER]: datagrams of a combination, with both inner fields in turn
joined_send() {
	local i inner
	local -a all=()

	for ((i = 0; i < EACH; i++)); do
		inner=$1
		((i % 2 == 0)) || inner=${3-$1}
		all+=("$WORD$VXLAN_VNI$(inner_udp "$inner" $((FIRST_PORT + 4 * inner + $2)) "$PAYLOAD")")
	done
	send_from_leaf "$2" "${all[@]}"
}

# came_joined COUNT COMMAND...: so many datagrams reach the host; most of them were joined
came_joined() {
	unwanted_mark "${HOST[1.0]}"
	stats_mark "${LEAF[1]}"
	"${@:2}" && unwanted_arrive "$WAIT_MS" "${HOST[1.0]}" "$1" || return
	stats_grown "${LEAF[1]}" rx_joined
	((GROWTH >= $1 / 2)) || fail "rx_joined grew by $GROWTH for $1 datagrams"
}

# counted RECEIVED MARKED RESTORED: leaf 1 counted so many datagrams
counted() {
	stats_grew "${LEAF[1]}" "ecn_received=$1" && stats_grew "${LEAF[1]}" "ecn_marked=$2" &&
		stats_grew "${LEAF[1]}" "ecn_restored=$3"
}

all_combinations() {
	local inner outer

	for inner in 0 1 2 3; do
		for outer in 0 1 2 3; do joined_send "$inner" "$outer" || return; done
	done
}

# expected: prints "PORT FIELD COUNT" for all combinations
expected() {
	local inner outer

	for inner in 0 1 2 3; do
		for outer in 0 1 2 3; do
			echo "$((FIRST_PORT + 4 * inner + outer)) $(delivered_for "$inner" "$outer") $EACH"
		done
	done
}

joined_fields() {
	capture_bytes inner "${HOST[1.0]}" | awk '{ print substr($4, 45, 4), substr($4, 4, 1) }' | by_field
}

joined_are_delivered() {
	local found

	capture_start inner "${HOST[1.0]}" eth0 -Q in udp && came_joined $((16 * EACH)) all_combinations &&
		capture_stop inner &&
		counted $((12 * EACH)) $((4 * EACH)) "$EACH" || return
	found=$(joined_fields)
	[[ $found == "$(expected)" ]] || fail "ports, fields and counts are $(paste -sd, <<<"$found")"
}

# mixed_are_delivered FIELD: half of the datagrams, which are all marked, are Not-ECT inside; the
# others are delivered with this field
mixed_are_delivered() {
	local found expected

	capture_start inner "${HOST[1.0]}" eth0 -Q in udp && came_joined "$EACH" joined_send 0 "$CE" "$ECT0" &&
		capture_stop inner && counted "$EACH" "$EACH" $((EACH / 2)) || return
	found=$(joined_fields | paste -sd,)
	expected="$((FIRST_PORT + CE)) 0 $((EACH / 2)),$((FIRST_PORT + 4 * ECT0 + CE)) $1 $((EACH / 2))"
	[[ $found == "$expected" ]] || fail "ports, fields and counts are $found, expected $expected"
}

# head_is_marked MARKED: the spine marks the packet of joined datagrams, and so many of them
head_is_marked() {
	outer_field ce && came_joined "$EACH" joined_send 0 "$ECT0" && counted "$EACH" "$1" "$1" &&
		outer_is_kept
}

by_kind() {
	joins "$3" || die "the spine cannot join datagrams"
	tap_test "v$1, $2: joined datagrams are counted one by one, and delivered by RFC 6040" \
		joined_are_delivered
}

underlay() {
	setup_leaves "$1" || die "cannot set up: $TAP_WHY"
	by_kind "$1" "UDP GRO forwarding" rx-udp-gro-forwarding
	tap_test "v$1, UDP GRO forwarding: datagrams of one field lose their mark rather than one of them" \
		mixed_are_delivered "$ECT0"
	tap_test "v$1, UDP GRO forwarding: a mark of the joined packet is one of each datagram" \
		head_is_marked "$EACH"
	by_kind "$1" "fraglist GRO" rx-gro-list
	tap_test "v$1, fraglist GRO: each of joined datagrams keeps its own mark" mixed_are_delivered "$CE"
	tap_test "v$1, fraglist GRO: a mark of the joined packet is that of its first datagram" head_is_marked 1
	topo_down
}

require_root
require_commands ip jq tcpdump nft ethtool
require_module
require_exact_time
tap_plan 12
underlay 4
underlay 6
tap_exit
