#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/flannel.md is correct: nodes with flannel's vxlan backend, whose
# devices are as flanneld creates them, become conga by its commands.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1
TOPO_FABRIC_MTU=1500

# node LEAF: creates flannel.1, on the interface that the guide gives to flanneld, and cni0, with
# a pod behind it
node() {
	local l=$1 r=$((1 - $1)) ns=${LEAF[$1]} pod=${HOST[$1.0]}

	{
		printf '%s\n' "link del vx" "link set h0 nomaster" "link del br0"
		echo "link add flannel.1 address 02:ff:00:00:00:1$l mtu 1450 type vxlan id 1" \
			"local ${VTEP[l]} dev lo dstport 8472 nolearning"
		echo "address add 10.244.$l.0/32 dev flannel.1"
		printf '%s\n' "link set flannel.1 up" "link add cni0 up type bridge"
		echo "address add 10.244.$l.1/24 dev cni0"
		echo "link set h0 master cni0 up"
		echo "route add 10.244.$r.0/24 via 10.244.$r.0 dev flannel.1 onlink"
		echo "neighbour add 10.244.$r.0 lladdr 02:ff:00:00:00:1$r dev flannel.1 nud permanent"
	} | ip -n "$ns" -batch - || return
	bridge -n "$ns" fdb add 02:ff:00:00:00:1$r dev flannel.1 dst "${VTEP[r]}" self permanent &&
		in_ns "$ns" sysctl -qw net.ipv4.ip_forward=1 &&
		ip -n "$pod" address add "10.244.$l.2/24" dev eth0 &&
		ip -n "$pod" link set eth0 mtu 1450 &&
		ip -n "$pod" route add 10.244.0.0/16 via "10.244.$l.1"
}

GUIDE_PEER=10.244.1.2

guide_network flannel flannel.md
