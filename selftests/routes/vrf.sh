#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The underlay of leaf 0 is in a VRF: LOCAL_OUT then sees every packet twice, once with the VRF's
# device, and the VRF's table has the routes. Leaf 1 has no VRF, so that the packets of both
# leaves can be compared.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"

TOPO_LINKS=1

readonly COUNT=150		# packets, each in its own flow
readonly LEAST=45		# packets on each uplink: 4.9 sigma below half
readonly STRAY=10		# packets that are not VXLAN, such as ARP
readonly TABLE=100
readonly DISCARD=9
readonly PATIENCE_MS=10000
readonly SETTLE_MS=60000	# until no node sends neighbour or group messages

# vrf_route UPLINK...
vrf_route() {
	nexthops "$@"
	leaf_ip route replace "${VTEP[1]}" vrf underlay "${NEXTHOPS[@]}"
}

setup() {
	local ns

	topo_up && underlay_in_vrf "$TABLE" &&
		tunnel_anew id 100 local "${VTEP[0]}" dev underlay && tunnel_floods &&
		fabric_up conga conga || return
	PIN=()
	for ns in "${LEAF[0]}" "${HOST[@]}"; do pin "$ns" || return; done
	# Packets that leaf 0 stamped before leaf 1 had a fabric were lost.
	MISSED_BEFORE=$(busywait "$SETTLE_MS" missed_printed)
}

datagrams() {
	local i

	for ((i = 0; i < $2; i++)); do
		echo >"/dev/udp/$1/$3"
	done
}

# all_arrive FROM TO
all_arrive() {
	unwanted_mark "${HOST[$2]}"
	in_ns "${HOST[$1]}" bash -c "datagrams ${HOST_IP[$2]} $COUNT $DISCARD"
	unwanted_arrive "$PATIENCE_MS" "${HOST[$2]}" "$COUNT"
}

# sent_by UPLINK: sets PACKETS to the packets that left by the uplink
sent_by() {
	packets "${LEAF[0]}" "up$1" tx
}

both_ways() {
	local by0 by1

	sent_by 0 && by0=$PACKETS && sent_by 1 && by1=$PACKETS
	all_arrive 0.0 1.0 || return
	sent_by 0 && by0=$((PACKETS - by0)) && sent_by 1 && by1=$((PACKETS - by1))
	echo "# $by0 by up0, $by1 by up1"
	((by0 >= LEAST && by1 >= LEAST)) ||
		fail "$by0 packets left by up0 and $by1 by up1" || return
	all_arrive 1.0 0.0
}

# Sets MISSED to the packets that leaf 0 stamped and leaf 1 did not learn from. Fails if a packet
# was sent meanwhile.
missed() {
	local stamped learnt

	stats_read "${LEAF[0]}" || return
	stamped=${STAT[tx_stamped]}
	stats_read "${LEAF[1]}" || return
	learnt=${STAT[rx_learnt]}
	stats_read "${LEAF[0]}" && ((STAT[tx_stamped] == stamped)) || return
	MISSED=$((stamped - learnt))
}

missed_printed() {
	missed && echo "$MISSED"
}

# A packet may still be in transit, so the counters are read again a moment later.
missed_no_more() {
	missed && ((MISSED == MISSED_BEFORE))
}

# The packet must be counted on one pass only.
counted_once() {
	stats_read "${LEAF[0]}" || return
	((STAT[tx_stamped] >= COUNT && STAT[tx_stamped] == STAT[tx_steered])) ||
		fail "tx_stamped is ${STAT[tx_stamped]}, tx_steered is ${STAT[tx_steered]}" ||
			return
	((STAT[tx_reserved] + STAT[tx_forged] + STAT[fallback_no_path] == 0)) ||
		fail "tx_reserved is ${STAT[tx_reserved]}, tx_forged ${STAT[tx_forged]}," \
			"fallback_no_path ${STAT[fallback_no_path]}" ||
		return
	((STAT[rx_learnt] >= COUNT && STAT[rx_not_port] == 0)) ||
		fail "rx_learnt is ${STAT[rx_learnt]}, rx_not_port is ${STAT[rx_not_port]}" ||
			return
	busywait "$SETTLE_MS" missed_no_more || fail "leaf 1 did not learn from every stamped packet"
}

withdrawn() {
	local before

	vrf_route 1 || fail "the route cannot be replaced" || return
	sent_by 0 && before=$PACKETS
	conga 0 path show | grep -q "dev up0 .*the route to the leaf does not use this uplink" ||
		fail "the path by up0 has another reason: $(conga 0 path show)" || return
	all_arrive 0.0 1.0 || return
	sent_by 0
	((PACKETS - before < STRAY)) || fail "$((PACKETS - before)) packets left by up0" || return
	vrf_route 0 1 && both_ways
}

underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: both uplinks are used, and every packet arrives" both_ways
	tap_test "v$1: a packet is stamped once, and learnt from" counted_once
	tap_test "v$1: an uplink is withdrawn when its route in the VRF's table is" withdrawn
	topo_down
}

export -f datagrams
tap_plan 6
require_root
require_commands ip bridge
require_module
unshare -n ip link add vrf0 type vrf table 1 2>/dev/null || tap_skip_all "needs VRF devices"
underlay 4
underlay 6
tap_exit
