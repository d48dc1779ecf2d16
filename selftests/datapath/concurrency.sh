#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two processors send through one fabric at the same time, and receive: no counter
# loses a packet. Each packet is one that pktgen made, by a thread on each processor; it
# leaves leaf 0 by one of two uplinks, crosses the spine and is delivered behind leaf 1,
# all on the processor that sent it.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/neighbours.sh"

TOPO_SPINES=1

readonly EACH=20000		# packets from each processor
readonly BYTES=200 OUTER=50	# bytes; OUTER is Ethernet, IPv4, UDP, VXLAN
PROCESSORS=$(nproc)
readonly SENT=$((PROCESSORS * EACH))

setup() {
	topo_up && tunnel_says_nothing && pktgen_prepare && fabric_up conga conga || return
	pin "${LEAF[0]}" && pin "${LEAF[1]}" && pin "${SPINE[0]}" && pin "${HOST[1.0]}" &&
		flows_end "${HOST[1.0]}" eth0
}

# ---- what was sent ----

# sent_at_once: all processors send at leaf 0; sets LEAF_BEFORE, LEAF_AFTER and the same for the
# spine
sent_at_once() {
	local us

	stats_mark "${LEAF[0]}" && stats_mark "${LEAF[1]}" || return
	totals "${LEAF[0]}" up && LEAF_BEFORE=$TOTALS
	totals "${SPINE[0]}" down && SPINE_BEFORE=$TOTALS
	pktgen_flows "$EACH" "$BYTES" || return
	for us in "${PKTGEN_ALL_US[@]}"; do echo "# $EACH packets of a processor in $us us"; done
	flows_arrive "$SENT" "${HOST[1.0]}" eth0 || return
	totals "${LEAF[0]}" up && LEAF_AFTER=$TOTALS
	totals "${SPINE[0]}" down && SPINE_AFTER=$TOTALS
}

# ports_sent BEFORE AFTER: the ports count the packets of their devices, at least as many as were
# sent
ports_sent() {
	ports_agree "$1" "$2" || return
	echo "# $SENT sent: ports count $PORT_PACKETS packets, $PORT_BYTES bytes"
	((PORT_PACKETS >= SENT && PORT_BYTES >= SENT * (BYTES + OUTER))) ||
		fail "ports count $PORT_PACKETS packets, $PORT_BYTES bytes," \
			"but $SENT packets were sent"
}

# ---- tests ----

all_arrive() {
	sent_at_once || return
	stats_grew "${LEAF[0]}" "tx_stamped=$SENT" && stats_grew "${LEAF[0]}" "tx_steered=$SENT"
}

uplinks_agree() {
	ports_sent "$LEAF_BEFORE" "$LEAF_AFTER"
}

spine_agrees() {
	ports_sent "$SPINE_BEFORE" "$SPINE_AFTER"
}

all_learnt() {
	stats_grew "${LEAF[1]}" "rx_stamped=$SENT" && stats_grew "${LEAF[1]}" "rx_learnt=$SENT"
}

require_root
require_commands ip jq nft ping
((PROCESSORS > 1)) || tap_skip_all "needs two processors"
require_module
pktgen_load || tap_skip_all "needs pktgen"
tap_plan 4
setup || die "cannot set up"
tap_test "$PROCESSORS processors send at once: each packet is stamped, steered and arrives" all_arrive
tap_test "the uplinks count each packet and byte that they sent" uplinks_agree
tap_test "the spine's links count each packet and byte that they forwarded" spine_agrees
tap_test "leaf 1 learns from each packet" all_learnt
tap_exit
