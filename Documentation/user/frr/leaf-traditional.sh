#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tunnels of leaf 1, a VXLAN device for each VNI. swp3 and swp4 are the ports
# of its hosts.
set -e

# The tenant's VRF.
ip link add red up type vrf table 1000

# VNI 100 is one subnet on all leaves: they share the gateway's address and MAC.
ip link add br100 address 02:00:5e:00:00:64 type bridge
ip link set br100 master red addrgenmode none up
ip address add 192.168.100.1/24 dev br100
ip link add vx100 type vxlan id 100 local 10.0.0.11 dstport 4789 nolearning
ip link set vx100 master br100 addrgenmode none up
ip link set vx100 type bridge_slave learning off neigh_suppress on
ip link set swp3 master br100 up

# The leaves route to each other by the L3VNI, with one MAC per leaf.
ip link add br1000 address 02:00:00:00:10:11 type bridge
ip link set br1000 master red addrgenmode none up
ip link add vx1000 type vxlan id 1000 local 10.0.0.11 dstport 4789 nolearning
ip link set vx1000 master br1000 addrgenmode none up
ip link set vx1000 type bridge_slave learning off neigh_suppress on

# Only this leaf has this subnet, which has no VNI.
ip link set swp4 master red up
ip address add 10.2.11.1/24 dev swp4
