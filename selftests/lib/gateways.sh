# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# gateways.sh - three gateways behind uplink up0 of leaf 0, which answer or not, routes by them, and
# the flows that each gets. Source decision.sh first.
#
#	gateways_fabric 4		two leaves, over IPv4
#	routes_clear 1; by_route 1 2 up1; gateways_fail 1; cross
#
# shellcheck disable=SC2034 # for those who source this

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"
FABRIC_RATE=1tbit

readonly COUNT=120		# flows
readonly GROUP=10

# ---- gateways ----

# Gateway $1 (1 to 3) of leaf 0 behind up0 is a device of its own at spine 0.
gateway_behind() {
	GATEWAY=10.9.0.$1
	((TOPO_UNDERLAY == 4)) || GATEWAY=fd09::$1
	MAC=02:00:00:09:00:0$1
}

gateways_up() {
	local i

	for i in 1 2 3; do
		gateway_behind "$i"
		ip -n "${SPINE[0]}" link add link down0.0 name "gw$i" address "$MAC" up type macvlan \
			mode bridge || return
	done
	gateways_answer 1 2 3
}

gateways_answer() {
	local i

	for i; do
		gateway_behind "$i"
		leaf_ip neighbour replace "$GATEWAY" lladdr "$MAC" dev up0 nud permanent || return
	done
}

gateways_fail() {
	local i

	for i; do
		gateway_behind "$i"
		leaf_ip neighbour replace "$GATEWAY" dev up0 nud failed || return
	done
}

# hops GATEWAY...: sets HOPS to these gateways by up0; "up1" is the gateway of that uplink
hops() {
	local i

	HOPS=()
	for i; do
		if [[ $i == up1 ]]; then
			gateway 1
			HOPS+=(nexthop via "$SPINE_END" dev up1)
		else
			gateway_behind "$i"
			HOPS+=(nexthop via "$GATEWAY" dev up0 onlink)
		fi
	done
}

by_route() {
	hops "$@"
	leaf_ip route replace "$VTEP_PREFIX" "${HOPS[@]}"
}

by_group() {
	local i id=0 members=""

	for i; do
		hops "$i"
		id=$((id + 1))
		leaf_ip nexthop replace id "$id" "${HOPS[@]:1}" || return
		members+=${members:+/}$id
	done
	ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group "$members" &&
		leaf_ip route replace "$VTEP_PREFIX" nhid "$GROUP"
}

# routes_clear [LOOKS]: with 1 the kernel checks the neighbours of routes, as IPv4 does by a
# sysctl, and IPv6 on a node that does not forward
routes_clear() {
	leaf_ip -force -batch - 2>/dev/null <<-END
		route del $VTEP_PREFIX
		nexthop del id $GROUP
		nexthop del id 1
		nexthop del id 2
		nexthop del id 3
	END
	in_ns "${LEAF[0]}" sysctl -qw net.ipv4.fib_multipath_use_neigh="${1:-0}" \
		net.ipv6.conf.all.forwarding=$((1 - ${1:-0}))
	gateways_answer 1 2 3
}

# ---- flows by gateway ----

# Counts flows by gateway in AT[1] and so on: a second capture of the packets that leave by up0.
gateways_watch() {
	local i

	{
		printf 'table netdev at\ndelete table netdev at\ntable netdev at {\n'
		for i in 1 2 3; do printf 'counter gw%d { }\n' "$i"; done
		echo 'chain up0 { type filter hook egress device "up0" priority 2;'
		for i in 1 2 3; do
			gateway_behind "$i"
			echo "$FLOW_INNER ether daddr $MAC counter name gw$i"
		done
		printf '}\n}\n'
	} | in_ns "${LEAF[0]}" nft -f -
}

# gateways_left: sets AT, and BY_UP0 of LEFT, and restarts the counts
gateways_left() {
	local i

	BY_UP0=${LEFT[up0]}
	for i in 1 2 3; do
		AT[i]=$(in_ns "${LEAF[0]}" nft reset counter netdev at "gw$i" |
			sed -n 's/.*packets \([0-9]*\).*/\1/p')
	done
}

cross() {
	stats_mark "${LEAF[0]}" 2>/dev/null	# fails with a stock kernel
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" &&
		gateways_left
}

gateways_fabric() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && gateways_up &&
		pin "${LEAF[0]}" && pin "${HOST[1.0]}" && flows_count "${LEAF[0]}" up0 up1 &&
		gateways_watch && flows_end "${HOST[1.0]}" eth0
}
