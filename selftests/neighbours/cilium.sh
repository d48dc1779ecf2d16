#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/cilium.md is correct: nodes become conga by its commands. They have a
# tunnel device like Cilium's, which has no address; each packet carries its own destination and a
# mark.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1

# The mark is an identity and "from a pod", as Cilium writes it.
readonly MARK=0x12340f00

# The guide uses these names: the list of all nodes but this one
hostname() {
	echo "node$GUIDE_LEAF"
}

kubectl() {
	[[ $* == "get nodes --field-selector metadata.name!=node$GUIDE_LEAF -o jsonpath="* ]] || return
	echo "${VTEP[1 - GUIDE_LEAF]}"
}

# node LEAF
node() {
	local l=$1 ns=${LEAF[$1]}

	leaf_nexthops "$l" 0 1
	ip -n "$ns" link del vx && ip -n "$ns" link set h0 nomaster && ip -n "$ns" link del br0 &&
		ip -n "$ns" route replace "${VTEP[1 - l]}" src "${VTEP[l]}" "${NEXTHOPS[@]}" &&
		ip -n "$ns" link add cilium_vxlan up mtu "$TOPO_HOST_MTU" type vxlan external dstport 8472 &&
		in_ns "$ns" tc qdisc add dev h0 clsact &&
		in_ns "$ns" tc qdisc add dev cilium_vxlan clsact &&
		in_ns "$ns" tc filter add dev h0 ingress matchall action skbedit mark "$MARK" pipe \
			action tunnel_key set src_ip 0.0.0.0 dst_ip "${VTEP[1 - l]}" id 100 dst_port 8472 \
			nocsum pipe action mirred egress redirect dev cilium_vxlan &&
		in_ns "$ns" tc filter add dev cilium_vxlan ingress matchall action tunnel_key unset pipe \
			action mirred egress redirect dev h0
}

tap_plan 3
require_root
require_commands ip tc ping jq
require_module
{ topo_up && node 0 && node 1 && guide_run 0 cilium.md && guide_run 1 cilium.md; } ||
	die "cannot set up"
tap_test "Cilium: both nodes become conga by the guide's commands" guide_converges
tap_test "Cilium: packets between pods are stamped, and learnt from" guide_stamps
tap_test "Cilium: conga check reports nothing" guide_is_sound
topo_down
tap_exit
