#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a fabric that drops nothing each datagram arrives exactly once and unchanged, under every
# policy, over IPv4 and IPv6. The module's counters equal those of the devices: on every node
# ports count the packets that their devices send, and leaf 1 receives the packets that leaf 0
# sent. Some datagrams leave the host as one packet, which the uplinks of leaf 0 cut.
#
# DATAGRAMS is the number by policy and underlay, 600 by default; SEED is 1 by default.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"

readonly DATAGRAMS=${DATAGRAMS:-600} SEED=${SEED:-1}
readonly PROBES=100ms	# interval of hula's probes: every machine can send them
readonly BURST=8		# datagrams that leave the host as one packet at most

TOPO_UDPCSUM=on

# The kernel cuts packets for a device that cannot do so, after the port counted them.
cut_in_kernel() {
	local ns=$1 dev

	for dev in $(ip -n "$ns" -br link show type veth | sed -n 's/^\(up[0-9]*\)@.*/\1/p'); do
		in_ns "$ns" ethtool -K "$dev" gso off tso off tx-udp-segmentation off >/dev/null || return
	done
}

# From here on no node sends packets of its own or neighbour requests: a neighbour that is
# resolved while requests are dropped would be lost.
silence() {
	local ns

	neighbours_stay || return
	for ns in "${LEAF[@]}" "${SPINE[@]}" "${HOST[@]}"; do
		in_ns "$ns" nft "table inet quiet { chain out {
			type filter hook output priority 0; meta l4proto ipv6-icmp drop; }; }" ||
			return
	done
}

# A frame whose destination got the group bit would still be delivered.
refuse_groups() {
	in_ns "$1" sysctl -qw net.ipv4.conf.eth0.drop_unicast_in_l2_multicast=1 \
		net.ipv6.conf.eth0.drop_unicast_in_l2_multicast=1
}

conserved() {
	"$TESTS/tools/conserve" -s "$SEED" "$1" "${HOST[0.0]}" "${HOST[1.0]}" "${HOST_IP[1.0]}" \
		"${HOST_IP6[1.0]}"
}

# Neighbour resolution may lose packets, so this loop pings until none is lost.
neighbours_known() {
	local try says

	for ((try = 0; try < 10; try++)); do
		says=$(conserved 2000) && return
	done
	fail "$says"
}

setup() {
	local ns

	TOPO_UNDERLAY=$1
	topo_up && fabric_up conga conga && fabric_hula && cut_in_kernel "${LEAF[0]}" &&
		refuse_groups "${HOST[1.0]}" || return
	for ns in "${LEAF[@]}" "${SPINE[@]}"; do pin "$ns" || return; done
}

# ---- what is counted ----

mark() {
	local ns

	for ns in "${LEAF[@]}"; do
		totals "$ns" up && BEFORE[$ns]=$TOTALS || return
	done
	for ns in "${SPINE[@]}"; do totals "$ns" down && BEFORE[$ns]=$TOTALS || return; done
}

# box_agrees NAMESPACE DEVICES: the ports of the node agree with its devices
box_agrees() {
	totals "$1" "$2" && ports_agree "${BEFORE[$1]}" "$TOTALS"
}

# These are the counts since the fabric was created.
all_agree() {
	local ns

	for ns in "${LEAF[@]}"; do
		box_agrees "$ns" up || fail "counters of ${ns%-*} disagree" || return
	done
	for ns in "${SPINE[@]}"; do
		box_agrees "$ns" down || fail "counters of ${ns%-*} disagree" || return
	done
}

# ---- policies ----

# left_to_kernel POLICY: HULA leaves packets to the kernel while no recent probe has reported a
# path. A node that has time for its probes leaves none, another node a few. Sets LEFT.
left_to_kernel() {
	local grown percent=0

	grown=" $(stats_growth "${LEAF[0]}")"
	LEFT=0
	[[ ! $grown =~ \ fallback_no_probe=([0-9]+) ]] || LEFT=${BASH_REMATCH[1]}
	[[ $1 != hula ]] || percent=1
	((LEFT * 100 <= DATAGRAMS * percent)) || fail "$LEFT packets of $DATAGRAMS datagrams were left to the kernel"
}

# If packets were left to the kernel, each of one to BURST datagrams, these arrived without a
# stamp.
stamped_arrive() {
	local grown plain

	grown=$(stats_growth "${LEAF[1]}")
	[[ $grown =~ rx_stamped=([0-9]+)\ rx_learnt=([0-9]+) ]] ||
		fail "counters of leaf 1 moved by: $grown" || return
	plain=$((DATAGRAMS - BASH_REMATCH[1]))
	((BASH_REMATCH[1] == BASH_REMATCH[2] && plain >= LEFT && plain <= BURST * LEFT)) ||
		fail "$LEFT packets were not stamped, counters of leaf 1 moved by: $grown"
}

policy_conserves() {
	local says

	fabric_policy "$1" "$PROBES" && stats_mark "${LEAF[0]}" && stats_mark "${LEAF[1]}" || return
	says=$(conserved "$DATAGRAMS") || fail "$says" || return
	left_to_kernel "$1" || return
	((!LEFT)) || says+=", $LEFT not stamped"
	echo "# $says"
	stamped_arrive
}

# underlay_conserves 4|6
underlay_conserves() {
	local policy

	setup "$1" || die "the fabric cannot be set up"
	tap_test "v$1: each datagram arrives once and unchanged as soon as neighbours are known" \
		neighbours_known
	{ silence && mark; } || die "the nodes cannot be silenced"
	for policy in $POLICIES; do
		tap_test "v$1, $policy: each datagram arrives once and unchanged, and is learnt from" \
			policy_conserves "$policy"
	done
	tap_test "v$1: on every node ports count what their devices sent" all_agree
	topo_down
}

declare -A BEFORE=()

require_root
require_commands ip ethtool jq nft nsenter
require_module
read -ra policies <<<"$POLICIES"
tap_plan $((2 * (${#policies[@]} + 2)))
underlay_conserves 4
underlay_conserves 6
tap_exit
