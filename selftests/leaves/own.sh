#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The address by which leaves know this node. Control packets must leave from the source address
# of the tunnel's packets to the leaf, whatever other tunnels exist, and probes must announce this
# address. Leaf 1 knows leaf 0 by its VTEP alone, unless a test states otherwise.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly PINGS=5
readonly ASK=1			# flag of a hello that wants an answer

# by_metadata: the tunnel has no address, remote or VNI; each packet carries them, as Cilium's
# packets do
by_metadata() {
	local csum=nocsum

	((TOPO_UNDERLAY == 4)) || csum=csum
	leaf_ip link del vx
	leaf_ip link add vx up mtu "$TOPO_HOST_MTU" type vxlan dstport 4789 external ttl 64 &&
		leaf_ip link set h0 nomaster &&
		in_ns "${LEAF[0]}" tc qdisc add dev h0 clsact &&
		in_ns "${LEAF[0]}" tc qdisc add dev vx clsact &&
		in_ns "${LEAF[0]}" tc filter add dev h0 ingress matchall \
			action tunnel_key set src_ip "${VTEP[0]}" dst_ip "${VTEP[1]}" id 100 \
			dst_port 4789 "$csum" action mirred egress redirect dev vx &&
		in_ns "${LEAF[0]}" tc filter add dev vx ingress matchall \
			action tunnel_key unset action mirred egress redirect dev h0
}

# The source of the route to leaf 1 is the VTEP.
route_has_source() {
	nexthops 0 1
	leaf_ip route replace "${VTEP[1]}" src "${VTEP[0]}" "${NEXTHOPS[@]}"
}

# Leaf 1 answers, but does not ask: leaf 0 must find its address by itself.
nobody_calls() {
	control_rule "${LEAF[1]}" egress "@th,176,8 & $ASK == $ASK drop" up0 up1
}

# The packets of this tunnel have the address of an uplink.
nameless() {
	tunnel_anew id 100 && tunnel_floods && nobody_calls
}

# The address of this tunnel is that of an uplink.
other_port_first() {
	topo_link_addresses 0 0 0
	leaf_ip link add other up type vxlan id 1 local "$LEAF_END" dstport 8472 &&
		tunnel_anew id 100 local "${VTEP[0]}" && tunnel_floods
}

# The only tunnel has a UDP port that is not the fabric's.
other_port_only() {
	leaf_ip link del vx
	leaf_ip link add vx up type vxlan id 100 local "${VTEP[0]}" dstport 8472 && nobody_calls
}

# The packets of this tunnel leave in the namespace in which it was created.
elsewhere_first() {
	topo_link_addresses 0 0 0
	ip -n "${SPINE[0]}" link add other type vxlan id 1 local "$LEAF_END" dstport 4789 &&
		ip -n "${SPINE[0]}" link set other netns "${LEAF[0]}" &&
		leaf_ip link set other up &&
		tunnel_anew id 100 local "${VTEP[0]}" && tunnel_floods
}

# No packet leaves by this tunnel.
metadata_still() {
	by_metadata && leaf_ip link set h0 down
}

metadata_and_route() {
	metadata_still && route_has_source && nobody_calls
}

metadata_uncalled() {
	by_metadata && nobody_calls
}

# This is the route to the second VTEP of leaf 0.
route_second() {
	local u

	for u in 0 1; do
		gateway "$u"
		ip -n "${SPINE[u]}" "-$TOPO_UNDERLAY" route add "$SECOND" via "$LEAF_END" dev down0.0 ||
			return
	done
	leaf_nexthops 1 0 1
	ip -n "${LEAF[1]}" "-$TOPO_UNDERLAY" route add "$SECOND" "${NEXTHOPS[@]}"
}

# No address is left that a packet could have as its source. The routes stay.
addressless() {
	local dev word route=()

	leaf_ip link del vx || return
	for dev in $(leaf_ip -br address show | awk -F '[@ ]' '{ print $1 }'); do
		leaf_ip address flush dev "$dev" || return
	done
	nexthops 0 1
	for word in "${NEXTHOPS[@]}"; do
		route+=("$word")
		[[ $word != up? ]] || route+=(onlink)
	done
	leaf_ip route replace "${VTEP[1]}" "${route[@]}"
}

SECOND=
second_address() {
	SECOND=10.0.0.99
	((TOPO_UNDERLAY == 4)) || SECOND=fd00::99
	route_second && leaf_ip address add "$SECOND" dev lo ${NODAD:+"$NODAD"}
}

# Leaf 1 answers, but does not ask, so that leaf 0 must find its address by itself.
two_addresses() {
	second_address && nobody_calls
}

# This tunnel sends to leaf 1, too, which does not know it.
second_vtep() {
	second_address &&
		leaf_ip link add vx2 type vxlan id 200 local "$SECOND" remote "${VTEP[1]}" \
			dstport 4789 ttl 64 &&
		in_ns "${LEAF[0]}" sysctl -qw net.ipv6.conf.vx2.disable_ipv6=1 &&
		leaf_ip link set vx2 up &&
		ip -n "${LEAF[0]}" address add 192.168.99.1/24 dev vx2 &&
		ip -n "${LEAF[0]}" neighbour add 192.168.99.2 lladdr 02:00:00:00:00:99 dev vx2
}

pings() {
	in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.05 -W 1 "${HOST_IP[1.0]}" >/dev/null
	:
}

becomes_conga() {
	stats_mark "${LEAF[1]}"
	leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" && hello_senders_known
}

# Leaf 1 got no hello from an address that it does not know.
hello_senders_known() {
	[[ $(stats_growth "${LEAF[1]}") != *control_unknown_leaf* ]] ||
		fail "$(stats_growth "${LEAF[1]}")"
}

is_answered() {
	leaf_becomes 0 "conga answers"
}

is_answered_by_its_port() {
	leaf_falls_silent 0 && conga 0 fabric set dstport 4789 dstport 8472 && is_answered
}

is_answered_by_traffic() {
	pings
	is_answered
}

sends_nothing() {
	stats_mark "${LEAF[0]}"
	pause_rounds
	stat_has control_unsent && stats_only "${LEAF[0]}" control_unsent hello_missed
}

stays_conga() {
	local i

	leaf_becomes 0 "conga answers" && pings && leaf_becomes 0 "conga answers" || return
	stats_mark "${LEAF[1]}"
	for ((i = 0; i < 30; i++)); do
		in_ns "${LEAF[0]}" ping -q -n -c 1 -W 0.05 192.168.99.2 >/dev/null
	done
	pause_rounds
	leaf_is 0 "conga answers" && hello_senders_known
}

order_wins() {
	pings
	pause_rounds
	leaf_falls_silent 0 && conga 0 fabric set local "${VTEP[0]}" && is_answered || return
	conga 0 -j fabric show | json_is ".[0].local$TOPO_UNDERLAY == \"${VTEP[0]}\"" ||
		fail "$(conga 0 -j fabric show)" || return
	conga 0 fabric set local off && conga 0 leaf set "${VTEP[1]}" mode plain && pings &&
		conga 0 leaf set "${VTEP[1]}" mode auto || return
	pause_rounds
	leaf_falls_silent 0
}

# Leaf 1 knows both addresses of leaf 0, and the first is removed. No traffic shows the change.
follows_address() {
	local length=$((TOPO_UNDERLAY == 6 ? 128 : 32))

	leaf_ip link del vx2 && conga 1 leaf add "$SECOND" && is_answered && nobody_calls &&
		tunnel_anew id 100 local "$SECOND" &&
		leaf_ip address del "${VTEP[0]}/$length" dev lo || return
	pause_rounds
	is_answered
}

# The tunnel moves to another address, and leaf 1 knows leaf 0 by that one from then on. The node
# keeps both. Packets after the first answer make the old address one that was answered.
moves_with_tunnel() {
	is_answered_by_traffic && is_answered_by_traffic && conga 1 leaf add "$SECOND" &&
		conga 1 leaf del "${VTEP[0]}" && tunnel_anew id 100 local "$SECOND" &&
		tunnel_floods && soon hellos_are_known
}

hellos_are_known() {
	pings
	stats_mark "${LEAF[1]}"
	pause_rounds
	leaf_is 0 "conga answers" && hello_senders_known
}

# probes_known: leaf 1 receives probes of leaf 0, and of no other leaf
probes_known() {
	leaves_set policy hula probe 5ms || return
	pings
	soon probe_is_taken || return
	stats_mark "${LEAF[1]}"
	pause_rounds
	[[ $(stats_growth "${LEAF[1]}") == *probe_taken* &&
	   $(stats_growth "${LEAF[1]}") != *probe_unknown_leaf* ]] ||
		fail "$(stats_growth "${LEAF[1]}")"
}

probe_is_taken() {
	conga 1 -j leaf show "${VTEP[0]}" | json_is '.[0].best' || fail "$(conga 1 leaf show)"
}

fabric_of_leaves() {
	fabric_leaf 0 conga auto && fabric_leaf 1 conga auto
}

# check VERSION CHANGE TEXT TEST
check() {
	TOPO_UNDERLAY=$1
	{ topo_up && "$2" && fabric_of_leaves; } || die "cannot set up"
	tap_test "v$1: $3" "$4"
	topo_down
}

# check_probes VERSION CHANGE TEXT: the spines know the leaves, too, and forward probes
check_probes() {
	TOPO_UNDERLAY=$1
	{ topo_up && "$2" && fabric_up conga auto && fabric_hula; } || die "cannot set up"
	tap_test "v$1: $3" probes_known
	topo_down
}

tap_plan 26
require_root
require_commands ip bridge ping tc nft
require_module
for v in 4 6; do
	check "$v" other_port_first "a tunnel of another UDP port does not give hellos its address" \
		becomes_conga
	check "$v" other_port_only "a tunnel gives hellos its address once its UDP port is the fabric's" \
		is_answered_by_its_port
	check "$v" elsewhere_first "a tunnel whose packets leave in another namespace does not give hellos its address" \
		becomes_conga
	check "$v" metadata_still "without a tunnel address hellos have the address that the leaf sends to" \
		is_answered
	check "$v" metadata_and_route "without received packets hellos have the address of the route" \
		is_answered
	check "$v" metadata_uncalled "hellos have the address of the tunnel's packets to the leaf" \
		is_answered_by_traffic
	check "$v" addressless "a node without an address sends no hello, and counts those that it could not send" \
		sends_nothing
	check "$v" nameless "an address set by the operator is used until it is removed" order_wins
	check "$v" second_vtep "a second VTEP that sends to the leaf changes nothing" stays_conga
	check "$v" second_vtep "an address that the node no longer has is not used" follows_address
	check "$v" two_addresses "hellos have the tunnel's new address after the leaf no longer answers the old one" \
		moves_with_tunnel
	check_probes "$v" other_port_first "probes carry the tunnel's address, not the address of another tunnel"
	check_probes "$v" by_metadata "probes carry the address of the tunnel's packets"
done
tap_exit
