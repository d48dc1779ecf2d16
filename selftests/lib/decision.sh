#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# decision.sh - tests of the kernel's own decision about packets of leaf 0: conga may only exchange
# one nexthop for another. The uplinks count two classes of packets: those that match an nft
# expression, and the others.
#
#	nexthops 0 1; leaf_ip route replace "$VTEP_PREFIX" "${NEXTHOPS[@]}"
#	class_watch "ip dscp 4" up{0,1,2,3}
#	flows_cross ...; class_left		sets CLASS[up0], a part of LEFT[up0]
#	steered_all 100				100 must be steered since stats_mark
#
# It sources all libraries that it needs.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"

declare -A CLASS=()		# device -> datagrams of the class

# route TABLE UPLINK[,WEIGHT]...: sets the route to leaf 1
route() {
	nexthops "${@:2}"
	leaf_ip route replace "$VTEP_PREFIX" table "$1" "${NEXTHOPS[@]}"
}

# tunnel_up DEVICE VNI SOURCE [WORD]...: sets up a tunnel between leaf 0 and leaf 1 with the
# addresses 10.VNI/10.0.1 and .2; static neighbours are .2, and .3 with another MAC
tunnel_up() {
	local l dev=$1 vni=$2 net=10.$(($2 / 10)).0 mac=02:00:00:00:$(($2 / 10)) source words

	for l in 0 1; do
		source=${VTEP[1]} words=""
		((l)) || source=$3 words=${*:4}
		ip -n "${LEAF[l]}" -batch - <<-END || return
			link add $dev mtu 1400 address $mac:0$l type vxlan id $vni local $source \
dstport 4789 nolearning ttl 64 $words
		END
		in_ns "${LEAF[l]}" sysctl -qw "net.ipv6.conf.$dev.disable_ipv6=1"
		ip -n "${LEAF[l]}" -batch - <<-END || return
			link set $dev up
			address add $net.$((1 + l))/24 dev $dev
			neighbour add $net.$((2 - l)) lladdr $mac:0$((1 - l)) dev $dev
			neighbour add $net.3 lladdr $mac:03 dev $dev
		END
	done
	flows_end "${LEAF[1]}" "$dev"
}

# tunnel_entry DEVICE MAC [WORD]...: adds an FDB entry to leaf 0
tunnel_entry() {
	bridge -n "${LEAF[0]}" fdb append "$2" dev "$1" dst "${VTEP[1]}" self permanent "${@:3}"
}

# tunnel_default DEVICE: adds the FDB entry for MACs without one
tunnel_default() {
	tunnel_entry "$1" 00:00:00:00:00:00
}

# neighbours_known: makes the gateways of all leaves static neighbours
neighbours_known() {
	local l u mac

	for l in "${!LEAF[@]}"; do
		for u in "${!SPINE[@]}"; do
			topo_link_addresses "$l" "$u" 0
			mac=$(ip -n "${SPINE[u]}" -j link show "down$l.0" | jq -r '.[0].address')
			ip -n "${LEAF[l]}" neighbour replace "$SPINE_END" lladdr "$mac" dev "up$u" \
				nud permanent || return
		done
	done
}

# arriving RULE...: rules of leaf 0 for packets from its host
arriving() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table netdev arriving
		delete table netdev arriving
		table netdev arriving {
			chain host {
				type filter hook ingress device "h0" priority 0;
				udp dport $FLOW_PORT $*
			}
		}
	END
}

# class_watch MATCH DEVICE...: starts counting flows that match, or starts again
class_watch() {
	local match=$1 dev

	shift
	{
		printf 'table netdev class\ndelete table netdev class\ntable netdev class {\n'
		for dev; do
			flows_counter "$dev"
			printf 'counter %s { }\nchain %s {\n' "$COUNTER" "$COUNTER"
			printf 'type filter hook egress device "%s" priority 1;\n' "$dev"
			printf '%s %s counter name %s\n}\n' "$FLOW_INNER" "$match" "$COUNTER"
		done
		echo "}"
	} | in_ns "${LEAF[0]}" nft -f -
}

# class_left: sets CLASS, and resets the counters
class_left() {
	local word name="" value _

	CLASS=()
	while read -r word value _; do
		case $word in
		counter) name=$value ;;
		packets) CLASS[$name]=$value ;;
		esac
	done < <(in_ns "${LEAF[0]}" nft reset counters table netdev class)
	((${#CLASS[@]})) || fail "nft counted no packets of a class"
}

# others_left: subtracts CLASS from LEFT
# shellcheck disable=SC2004
others_left() {
	local name

	for name in "${!CLASS[@]}"; do
		LEFT[$name]=$((LEFT[$name] - CLASS[$name]))
	done
}

# class_spread COUNT DEVICE...: all flows of CLASS must have left by these devices, each with its
# share, and none by another one
# shellcheck disable=SC2004
class_spread() {
	local -A all=()
	local name status=0

	for name in "${!LEFT[@]}"; do all[$name]=${LEFT[$name]}; done
	LEFT=()
	for name in "${!CLASS[@]}"; do LEFT[$name]=${CLASS[$name]}; done
	flows_spread "$@" || { why "these are the flows of the class"; status=1; }
	LEFT=()
	for name in "${!all[@]}"; do LEFT[$name]=${all[$name]}; done
	return "$status"
}

# leaves_up POLICY: adds the fabrics of both leaves, without spines
leaves_up() {
	fabric_leaf 0 "$1" conga && fabric_leaf 1 "$1" conga
}

# steered_all COUNT: so many must be steered since stats_mark, and none left to the kernel
steered_all() {
	local grown

	grown=$(stats_growth "${LEAF[0]}")
	[[ " $grown " == *" tx_steered=$1 "* && $grown != *fallback* ]] ||
		fail "counters moved by: $grown, expected: tx_steered=$1"
}

# left_all COUNT COUNTER: so many must be left to the kernel since stats_mark, and none steered
left_all() {
	local grown

	grown=$(stats_growth "${LEAF[0]}")
	[[ " $grown " == *" $2=$1 "* && " $grown" != *" tx_steered="* ]] ||
		fail "counters moved by: $grown, expected: $2=$1"
}

# grown_by COUNTER: sets GROWN_BY to the counter's growth since stats_mark
grown_by() {
	local word

	GROWN_BY=0
	for word in $(stats_growth "${LEAF[0]}"); do
		# shellcheck disable=SC2034 # the caller reads it
		[[ ${word%=*} != "$1" ]] || GROWN_BY=${word#*=}
	done
}

# vtep_words: sets VTEP_PREFIX, IP (the word of nft) and LENGTH of the underlay
vtep_words() {
	# shellcheck disable=SC2034 # the caller reads them
	if ((TOPO_UNDERLAY == 4)); then
		VTEP_PREFIX=${VTEP[1]}/32 IP=ip LENGTH=32
	else
		VTEP_PREFIX=${VTEP[1]}/128 IP=ip6 LENGTH=128
	fi
}
