#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# underlay.sh - the routes by which leaves reach each other, where a test changes them. Uplink N of
# a leaf leads to spine N, by one link.
#
#	leaf_ip rule add ...			ip, of the underlay's version, in leaf 0
#	nexthops 0 1,3				sets NEXTHOPS; up1 has weight 3
#	leaf_ip route replace "$VTEP_PREFIX" "${NEXTHOPS[@]}"
#	leaf_nexthops 1 0 1			likewise, of leaf 1
#	leaf_route 1 0				the route of leaf 1 to leaf 0 by up0, with a source
#	underlay_in_vrf 100			up0 and up1 of leaf 0 move into a VRF with this table
#	tunnel_anew local "${VTEP[0]}"		creates the tunnel of leaf 0 again
#
# Source lib.sh and topology.sh first.

leaf_ip() {
	ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" "$@"
}

# leaf_batch: runs lines of ip in leaf 0
leaf_batch() {
	ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" -batch -
}

# gateway UPLINK: sets SPINE_END to the address of the far end
gateway() {
	topo_link_addresses 0 "$1" 0
}

# leaf_nexthops LEAF UPLINK[,WEIGHT]...: sets NEXTHOPS, the words of a route
leaf_nexthops() {
	local u

	NEXTHOPS=()
	for u in "${@:2}"; do
		topo_link_addresses "$1" "${u%,*}" 0
		NEXTHOPS+=(nexthop via "$SPINE_END" dev "up${u%,*}")
		[[ $u != *,* ]] || NEXTHOPS+=(weight "${u#*,}")
	done
}

# leaf_route LEAF UPLINK[,WEIGHT]...: a tunnel without a local address then has the VTEP as source
leaf_route() {
	leaf_nexthops "$@"
	ip -n "${LEAF[$1]}" route replace "${VTEP[1 - $1]}" src "${VTEP[$1]}" "${NEXTHOPS[@]}"
}

nexthops() {
	leaf_nexthops 0 "$@"
}

# The kernel removes an IPv6 address when its device moves into a VRF.
uplinks_into_vrf() {
	local u

	for u in 0 1; do
		topo_link_addresses 0 "$u" 0
		leaf_ip link set "up$u" master underlay || return
		((TOPO_UNDERLAY == 4)) ||
			leaf_ip address replace "$LEAF_END/127" dev "up$u" nodad || return
	done
}

# underlay_in_vrf TABLE: the VRF's device is "underlay"; the tunnel is not changed
underlay_in_vrf() {
	local length=$((TOPO_UNDERLAY == 6 ? 128 : 32))

	leaf_ip link add underlay up type vrf table "$1" &&
		leaf_ip address del "${VTEP[0]}/$length" dev lo &&
		leaf_ip address add "${VTEP[0]}" dev underlay ${NODAD:+"$NODAD"} &&
		uplinks_into_vrf || return
	nexthops 0 1
	leaf_ip route replace "${VTEP[1]}" vrf underlay "${NEXTHOPS[@]}" || return
	# The tunnel's socket is in no VRF.
	in_ns "${LEAF[0]}" sysctl -qw net.ipv4.udp_l3mdev_accept=1
}

# tunnel_anew WORD...: makes it the last of leaf 0's devices; it does not flood
tunnel_anew() {
	leaf_ip link del vx
	leaf_ip link add vx up mtu "$TOPO_HOST_MTU" type vxlan dstport 4789 nolearning ttl 64 "$@" &&
		leaf_ip link set vx master br0
}

tunnel_floods() {
	bridge -n "${LEAF[0]}" fdb append 00:00:00:00:00:00 dev vx dst "${VTEP[1]}" self permanent
}
