#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two processors send through one fabric at the same time, and receive: no counter
# loses a packet. Each packet is one that pktgen made, by a thread on each processor; it
# leaves leaf 0 by one of two uplinks, crosses the spine and is delivered behind leaf 1,
# all on the processor that sent it.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"
# shellcheck source=selftests/topology.sh
. "$HERE/topology.sh"
# shellcheck source=selftests/fabric.sh
. "$HERE/fabric.sh"
# shellcheck source=selftests/expect.sh
. "$HERE/expect.sh"
# shellcheck source=selftests/counters.sh
. "$HERE/counters.sh"
# shellcheck source=selftests/flows.sh
. "$HERE/flows.sh"
# shellcheck source=selftests/pktgen.sh
. "$HERE/pktgen.sh"

TOPO_SPINES=1

readonly EACH=20000		# packets, of each processor
readonly BYTES=200 OUTER=50	# Ethernet, IPv4, UDP, VXLAN
readonly BACKLOG=100000		# packets that a processor may have waiting
PROCESSORS=$(nproc)
readonly SENT=$((PROCESSORS * EACH))

# ---- what was sent ----

# A veth's packets wait for the processor that they are on.
backlog_up() {
	local before

	before=$(</proc/sys/net/core/netdev_max_backlog)
	defer "sysctl -qw net.core.netdev_max_backlog=$before"
	sysctl -qw net.core.netdev_max_backlog=$BACKLOG
}

setup() {
	topo_up && flows_silence && backlog_up && fabric_up conga conga || return
	pin "${LEAF[0]}" && pin "${LEAF[1]}" && pin "${SPINE[0]}" && pin "${HOST[1.0]}" &&
		flows_end "${HOST[1.0]}" eth0
}

# device_sum NAMESPACE PREFIX: sets PACKETS and BYTES_OUT, of all devices of such a name,
# as the kernel itself counts them
device_sum() {
	read -r PACKETS BYTES_OUT < <(awk -v prefix="$2" '
		{ gsub(":", " ") }
		index($1, prefix) == 1 { packets += $11; bytes += $10 }
		END { print packets + 0, bytes + 0 }' "/proc/${PIN[$1]}/net/dev")
}

# port_sum NAMESPACE: sets PORT_PACKETS and PORT_BYTES, of all ports
port_sum() {
	read -r PORT_PACKETS PORT_BYTES < <("$CONGA" -n "$1" -j port show |
		jq -r '"\(map(.tx_packets) | add) \(map(.tx_bytes) | add)"')
}

# totals NAMESPACE PREFIX: sets TOTALS, "packets bytes" of its ports and of its devices, at
# a moment when none was sent between the looks (neighbours are asked now and then)
totals() {
	local before=none

	while port_sum "$1" && [[ $PORT_PACKETS != "$before" ]]; do
		before=$PORT_PACKETS
		device_sum "$1" "$2" || return
	done
	TOTALS="$PORT_PACKETS $PORT_BYTES $PACKETS $BYTES_OUT"
}

# sent_at_once: at leaf 0 by all processors; sets LEAF_BEFORE, LEAF_AFTER and the spine's
sent_at_once() {
	local us

	stats_mark "${LEAF[0]}" && stats_mark "${LEAF[1]}" || return
	totals "${LEAF[0]}" up && LEAF_BEFORE=$TOTALS
	totals "${SPINE[0]}" down && SPINE_BEFORE=$TOTALS
	pktgen_send_all "${LEAF[0]}" vx "count $EACH" "pkt_size $BYTES" \
		"dst_mac ${HOST_MAC[1.0]}" "dst ${HOST_IP[1.0]}" "src_min ${HOST_IP[0.0]}" \
		"src_max ${HOST_IP[0.0]}" "udp_dst_min $FLOW_PORT" "udp_dst_max $FLOW_PORT" \
		"udp_src_min 1000" "udp_src_max 1500" || fail "pktgen did not send" || return
	for us in "${PKTGEN_ALL_US[@]}"; do echo "# $EACH packets of a processor in $us us"; done
	flows_arrive "$SENT" "${HOST[1.0]}" eth0 || return
	totals "${LEAF[0]}" up && LEAF_AFTER=$TOTALS
	totals "${SPINE[0]}" down && SPINE_AFTER=$TOTALS
}

# ports_agree BEFORE AFTER: what ports counted is what their devices sent, and no less
# than what was sent
ports_agree() {
	local -a before after
	local packets bytes

	read -ra before <<<"$1"
	read -ra after <<<"$2"
	packets=$((after[0] - before[0])) bytes=$((after[1] - before[1]))
	echo "# $SENT sent: ports count $packets packets, $bytes bytes"
	((packets == after[2] - before[2])) ||
		fail "ports count $packets packets, their devices $((after[2] - before[2]))" || return
	((bytes == after[3] - before[3])) ||
		fail "ports count $bytes bytes, their devices $((after[3] - before[3]))" || return
	((packets >= SENT && bytes >= SENT * (BYTES + OUTER))) ||
		fail "ports count $packets packets, $bytes bytes, of $SENT that were sent"
}

# ---- tests ----

all_arrive() {
	sent_at_once || return
	stats_grew "${LEAF[0]}" "tx_stamped=$SENT" && stats_grew "${LEAF[0]}" "tx_steered=$SENT"
}

uplinks_agree() {
	ports_agree "$LEAF_BEFORE" "$LEAF_AFTER"
}

spine_agrees() {
	ports_agree "$SPINE_BEFORE" "$SPINE_AFTER"
}

all_learnt() {
	stats_grew "${LEAF[1]}" "rx_stamped=$SENT" && stats_grew "${LEAF[1]}" "rx_learnt=$SENT"
}

require_root
require_commands ip jq nft
((PROCESSORS > 1)) || tap_skip_all "needs two processors"
require_module
pktgen_load || tap_skip_all "needs pktgen"
tap_plan 4
setup || die "cannot set up"
tap_test "$PROCESSORS processors send at once: each packet is stamped, steered and arrives" all_arrive
tap_test "the uplinks count each packet and byte that they sent" uplinks_agree
tap_test "so do the spine's links, which forward them" spine_agrees
tap_test "leaf 1 learns from each of them" all_learnt
tap_exit
