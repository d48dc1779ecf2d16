#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that a userspace queue gives back pass conga's hooks in process context. In a leaf's
# output they are steered like other packets if no tunnel is bound to a device; in input, and in a
# spine's forward, conga learns from them and they continue. No processor hangs when probes arrive
# by interrupts at the same time.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"	# the kernel asks for the route of each packet
FABRIC_RATE=1tbit

readonly COUNT=120
readonly QUEUE=5
readonly PROBES=5ms
readonly PATIENCE_MS=20000

# queue_up NAMESPACE HOOK: creates a queue for VXLAN, and a process that gives all packets back
queue_up() {
	in_ns "$1" nft -f - <<-END || return
		table inet queues {
			chain $2 {
				type filter hook $2 priority 0;
				udp dport 4789 queue num $QUEUE
			}
		}
	END
	"$TESTS/tools/queue_return" "$1" "$QUEUE" >"$TOPO_DIR/queue.$2" 2>&1 &
	READER[$2]=$!
	busywait "$PATIENCE_MS" grep -q ready "$TOPO_DIR/queue.$2" ||
		fail "$(<"$TOPO_DIR/queue.$2")"
}

# gave_back HOOK: the process gave back at least one packet for each flow
gave_back() {
	local said

	kill "${READER[$1]}"
	wait "${READER[$1]}"
	said=$(tail -n 1 "$TOPO_DIR/queue.$1")
	[[ $said =~ ^[0-9]+ ]] || fail "$1: $said" || return
	((BASH_REMATCH[0] >= COUNT)) || fail "$1: $said"
}

cross() {
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}"
}

# Each datagram arrives, is steered, and is learnt from; none is taken for a local process's own
# packet.
steered() {
	cross && flows_spread "$COUNT" up0 up1 && steered_all "$COUNT" || return
	[[ $(stats_growth "${LEAF[0]}") != *tx_forged* ]] ||
		fail "a packet was counted as forged" || return
	stats_grew "${LEAF[1]}" "rx_learnt=$COUNT"
}

bound() {
	tunnel_up vy 200 "${VTEP[0]}" dev up0 remote "${VTEP[1]}" && cross &&
		left_all "$COUNT" fallback_bound
}

probes_heard() {
	conga 0 -j leaf show | jq -e '.[0].best' >/dev/null
}

# HULA leaves packets to the kernel if it has no fresh probe for them.
steered_by_probes() {
	local steered

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGA" -n "$ns" fabric set policy hula probe "$PROBES" || return
	done
	busywait "$PATIENCE_MS" probes_heard || fail "no probe was received" || return
	cross || return
	grown_by tx_steered
	steered=$GROWN_BY
	grown_by fallback_no_probe
	((steered && steered + GROWN_BY == COUNT)) ||
		fail "$steered packets were steered: $(stats_growth "${LEAF[0]}")"
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known &&
		fabric_up conga conga && fabric_hula && leaves_set policy conga || return
	pin "${LEAF[0]}" && pin "${LEAF[1]}" && pin "${HOST[1.0]}" &&
		flows_count "${LEAF[0]}" up0 up1 && flows_end "${HOST[1.0]}" eth0 || return
	queue_up "${LEAF[0]}" output && queue_up "${LEAF[1]}" input &&
		queue_up "${SPINE[0]}" forward
}

underlay() {
	setup "$1" || die "cannot set up: $TAP_WHY"
	tap_test "v$1: packets that a queue gives back in output, input and forward are steered" \
		steered
	tap_test "v$1: packets that a queue gives back are steered while probes arrive, and nothing hangs" \
		steered_by_probes
	leaves_set policy conga
	tap_test "v$1: packets that a queue gives back are left where a tunnel is bound to a device" \
		bound
	tap_test "v$1: the queue in output was used" gave_back output
	tap_test "v$1: the queue in input was used" gave_back input
	tap_test "v$1: the queue in forward was used" gave_back forward
	topo_down
}

declare -A READER=()
tap_plan 12
require_root
require_commands ip nft jq
require_module
underlay 4
underlay 6
tap_exit
