#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/calico.md is correct: nodes whose Calico tunnels by VXLAN, with
# devices and entries as Felix creates them, become conga by its commands.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1
TOPO_FABRIC_MTU=1500

# node LEAF: creates vxlan.calico, on the device that has the node's address, and a pod. Felix
# gives each node an address of the pool for the tunnel, and each pod's link a route.
node() {
	local l=$1 r=$((1 - $1)) ns=${LEAF[$1]} pod=${HOST[$1.0]}

	{
		printf '%s\n' "link del vx" "link set h0 nomaster" "link del br0"
		echo "link add vxlan.calico address 66:00:00:00:00:1$l mtu 1450 type vxlan id 4096" \
			"local ${VTEP[l]} dev lo dstport 4789 nolearning"
		echo "address add 10.244.$l.0/32 dev vxlan.calico"
		printf '%s\n' "link set vxlan.calico up" "link set h0 address ee:ee:ee:ee:ee:ee up"
		echo "route add 10.244.$l.2 dev h0 scope link"
		echo "neighbour add 10.244.$r.0 lladdr 66:00:00:00:00:1$r dev vxlan.calico nud permanent"
		echo "route add 10.244.$r.0/26 via 10.244.$r.0 dev vxlan.calico onlink"
		echo "route add blackhole 10.244.$l.0/26 proto 80"
	} | ip -n "$ns" -batch - || return
	bridge -n "$ns" fdb add 66:00:00:00:00:1$r dev vxlan.calico dst "${VTEP[r]}" self permanent &&
		in_ns "$ns" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.h0.proxy_arp=1 &&
		ip -n "$pod" address add "10.244.$l.2/32" dev eth0 &&
		ip -n "$pod" link set eth0 mtu 1450 &&
		ip -n "$pod" route add 169.254.1.1 dev eth0 scope link &&
		ip -n "$pod" route add default via 169.254.1.1 dev eth0 src "10.244.$l.2" &&
		ip -n "$pod" neighbour add 169.254.1.1 lladdr ee:ee:ee:ee:ee:ee dev eth0 nud permanent
}

GUIDE_PEER=10.244.1.2

guide_network Calico calico.md
