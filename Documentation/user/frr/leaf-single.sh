#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tunnels of leaf 1, a single VXLAN device for all VNIs. swp3 and swp4 are the
# ports of its hosts. FRR 8.4 does not see the VNIs of such a device: the lines
# at the end set the other leaves, which EVPN would set.
set -e

# The tenant's VRF.
ip link add red up type vrf table 1000

# The bridge has a VLAN for each VNI.
ip link add br0 type bridge vlan_filtering 1 vlan_default_pvid 0
ip link set br0 addrgenmode none up
ip link add vx0 type vxlan external vnifilter local 10.0.0.11 dstport 4789 learning
ip link set vx0 master br0 addrgenmode none up
bridge link set dev vx0 vlan_tunnel on
for vni in 100 1000; do
	bridge vlan add dev vx0 vid $vni
	bridge vlan add dev vx0 vid $vni tunnel_info id $vni
	bridge vni add dev vx0 vni $vni
done

# VNI 100 is one subnet on all leaves.
ip link set swp3 master br0 up
bridge vlan add dev swp3 vid 100 pvid untagged

# The leaves route to each other by the L3VNI, with one MAC per leaf.
bridge vlan add dev br0 vid 1000 self
ip link add link br0 name vlan1000 address 02:00:00:00:10:11 type vlan id 1000
ip link set vlan1000 master red addrgenmode none up

# Only this leaf has this subnet, which has no VNI.
ip link set swp4 master red up
ip address add 10.2.11.1/24 dev swp4

# other_leaf VTEP MAC SUBNET
other_leaf() {
	bridge fdb append 00:00:00:00:00:00 dev vx0 dst "$1" src_vni 100 vni 100 self permanent
	bridge fdb add "$2" dev vx0 dst "$1" src_vni 1000 vni 1000 self permanent
	bridge fdb add "$2" dev vx0 vlan 1000 master static
	ip neighbour add "$1" lladdr "$2" dev vlan1000 nud permanent
	ip route add "$3" via "$1" dev vlan1000 onlink vrf red
}
other_leaf 10.0.0.12 02:00:00:00:10:12 10.2.12.0/24
other_leaf 10.0.0.13 02:00:00:00:10:13 10.2.13.0/24
