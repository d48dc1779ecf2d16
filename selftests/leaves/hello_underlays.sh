#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hello works over all kinds of underlay: IPv4 and IPv6, in a VRF, by routing rules, and from a
# tunnel without an address of its own. Both leaves become conga, except in the last case, where
# the peer does not know the leaf by that address: the leaf stays plain, and works.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly TABLE=100
readonly PINGS=10

leaf_ip() {
	ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" "$@"
}

# route_by WORD...: sets a route to the VTEP of leaf 1, by both uplinks, with these words
route_by() {
	local u nexthops=()

	for u in 0 1; do
		topo_link_addresses 0 "$u" 0
		nexthops+=(nexthop via "$SPINE_END" dev "up$u")
	done
	leaf_ip route replace "${VTEP[1]}" "$@" "${nexthops[@]}"
}

# The kernel removes an IPv6 address when its device moves into a VRF.
enslave() {
	local u

	for u in 0 1; do
		topo_link_addresses 0 "$u" 0
		leaf_ip link set "up$u" master underlay || return
		((TOPO_UNDERLAY == 4)) ||
			leaf_ip address replace "$LEAF_END/127" dev "up$u" nodad || return
	done
}

in_vrf() {
	local length=$((TOPO_UNDERLAY == 6 ? 128 : 32))

	leaf_ip link add underlay up type vrf table "$TABLE" &&
		leaf_ip address del "${VTEP[0]}/$length" dev lo &&
		leaf_ip address add "${VTEP[0]}" dev underlay ${NODAD:+"$NODAD"} &&
		enslave && route_by vrf underlay || return
	# The tunnel's socket is in no VRF.
	in_ns "${LEAF[0]}" sysctl -qw net.ipv4.udp_l3mdev_accept=1
	tunnel_anew local "${VTEP[0]}" dev underlay
}

# tunnel_anew WORD...: creates leaf 0's tunnel again
tunnel_anew() {
	leaf_ip link del vx
	leaf_ip link add vx up mtu "$TOPO_HOST_MTU" type vxlan id 100 "$@" dstport 4789 \
		nolearning ttl 64 &&
		leaf_ip link set vx master br0 &&
		bridge -n "${LEAF[0]}" fdb append 00:00:00:00:00:00 dev vx dst "${VTEP[1]}" \
			self permanent
}

# Packets that leaf 0 sends from the tunnel's address use a table of their own.
by_rule() {
	route_by table "$TABLE" && leaf_ip route del "${VTEP[1]}" &&
		leaf_ip rule add from "${VTEP[0]}" lookup "$TABLE"
}

as_built() {
	:
}

# pings_return: a host of leaf 0 pings a host of leaf 1
pings_return() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: $said"
}

# Only the tunnel's own packets show the module which rules they match.
both_are_conga() {
	pings_return && leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" ||
		return
	stats_mark "${LEAF[0]}"
	pings_return || return
	stat_has tx_stamped "$PINGS"
}

# The hellos of leaf 0 come from the address of an uplink. It answers the requests of leaf 1.
without_address() {
	stats_mark "${LEAF[1]}"
	pings_return && pause_rounds && leaf_is 0 "plain silent" && pings_return || return
	[[ $(stats_growth "${LEAF[1]}") == *" control_unknown_leaf="* ]] ||
		fail "$(stats_growth "${LEAF[1]}")" || return
	leaf_is 1 "conga answers"
}

underlay_up() {
	topo_up && "$1" && fabric_up conga auto
}

# underlay VERSION CHANGE TEXT TEST
underlay() {
	TOPO_UNDERLAY=$1
	underlay_up "$2" || die "cannot set up"
	tap_test "$3" "$4"
	topo_down
}

tap_plan 6
require_root
require_commands ip bridge ping
require_module
unshare -n ip link add vrf0 type vrf table 1 2>/dev/null || tap_skip_all "needs VRF devices"
underlay 6 as_built "with IPv6 both leaves become conga" both_are_conga
underlay 4 in_vrf "with IPv4 in a VRF both leaves become conga" both_are_conga
underlay 6 in_vrf "with IPv6 in a VRF both leaves become conga" both_are_conga
underlay 4 by_rule "with IPv4 and a routing rule by source both leaves become conga" both_are_conga
underlay 6 by_rule "with IPv6 and a routing rule by source both leaves become conga" both_are_conga
underlay 4 "tunnel_anew" "a leaf whose tunnel has no address is plain, and nothing is lost" \
	without_address
tap_exit
