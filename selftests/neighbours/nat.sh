#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NAT of the tunnel's own packets. The kernel drops a packet that is translated for one device
# when it leaves by another. Such a packet is left to the kernel and counted, so that conga loses
# no packet that a stock kernel delivers. Without NAT, packets are steered despite connection
# tracking. NAT that does not concern tunnels affects only the first packet of each outer
# connection.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"	# the kernel asks for the route of each packet
FABRIC_RATE=1tbit

# Each flow draws its uplink: with so many an uplink gets less than a quarter of its share never.
readonly FLOWS=64 ROUNDS=3
readonly COUNT=$((FLOWS * ROUNDS))
readonly LEAST_FLOWS=56		# outer connections: two flows may share a source port
readonly TRIED="conga drb"

# nat CHAIN RULE...: sets a rule of leaf 0
nat_up() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table $IP translate {
			chain $1 {
				$2
			}
		}
	END
}

nat_down() {
	! in_ns "${LEAF[0]}" nft list table "$IP" translate >/dev/null 2>&1 ||
		in_ns "${LEAF[0]}" nft delete table "$IP" translate || return
	"$TESTS/tools/conntrack_flush" "${LEAF[0]}"
}

readonly POST="type nat hook postrouting priority 100;"

masquerade() {
	nat_up post "$POST oifname { \"up0\", \"up1\" } masquerade"
}

# Only packets that leave by up1 get another source.
source_by_device() {
	nat_up post "$POST oifname \"up1\" snat to $OTHER_SOURCE"
}

destination() {
	nat_up out "type nat hook output priority -100; $IP daddr ${VTEP[1]} dnat to $OTHER_VTEP"
}

tracking() {
	nat_up out "type filter hook output priority 0; ct state new,established accept"
}

other_nat() {
	nat_up post "$POST oifname \"eth9\" masquerade"
}

# Sends datagrams of this many flows, in turn.
send() {
	# shellcheck disable=SC2016 # the other shell expands them
	in_ns "${HOST[0.0]}" bash -c '
		fds=()
		for ((i = 0; i < $1; i++)); do exec {fd}>/dev/udp/$3/$4; fds+=("$fd"); done
		for ((i = 0; i < $2; i++)); do
			for fd in "${fds[@]}"; do echo >&"$fd"; done
		done' send "$FLOWS" "$ROUNDS" "${HOST_IP[1.0]}" "$FLOW_PORT"
}

cross() {
	stats_mark "${LEAF[0]}" 2>/dev/null	# fails with a stock kernel
	send && flows_arrive "$COUNT" "${HOST[1.0]}" eth0 && flows_left "${LEAF[0]}"
}

# passes NAT: all datagrams arrive without conga
passes() {
	nat_down && "$1" && cross
}

# left NAT POLICY: packets are left to the kernel and counted
left() {
	nat_down && "$1" && conga 0 fabric set policy "$2" && cross && left_all "$COUNT" fallback_nat
}

# Connections that are not translated may be steered after their first packets.
left_in_part() {
	nat_down && "$1" && conga 0 fabric set policy "$2" && cross || return
	grown_by fallback_nat
	((GROWN_BY >= FLOWS)) || fail "$GROWN_BY of $COUNT packets were left to the kernel"
}

steered() {
	nat_down && "$1" && conga 0 fabric set policy "$2" && cross && steered_all "$COUNT" &&
		flows_spread "$COUNT" up0 up1
}

first_left() {
	local left

	nat_down && other_nat && conga 0 fabric set policy "$1" && cross || return
	grown_by fallback_nat
	left=$GROWN_BY
	grown_by tx_steered
	((left >= LEAST_FLOWS && left <= FLOWS && left + GROWN_BY == COUNT)) ||
		fail "of $FLOWS flows $left packets were left to the kernel, $GROWN_BY were steered"
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && route main 0 1 || return
	OTHER_SOURCE=10.0.0.77 OTHER_VTEP=10.0.0.78
	((TOPO_UNDERLAY == 4)) || OTHER_SOURCE=fd00::77 OTHER_VTEP=fd00::78
	ip -n "${LEAF[1]}" address add "$OTHER_VTEP/$LENGTH" dev lo ${NODAD:+"$NODAD"}
	nexthops 0 1
	leaf_ip route add "$OTHER_VTEP/$LENGTH" "${NEXTHOPS[@]}" || return
	for s in 0 1; do
		topo_link_addresses 1 "$s" 0
		ip -n "${SPINE[s]}" route add "$OTHER_VTEP/$LENGTH" via "$LEAF_END" dev down1.0 ||
			return
	done
	pin "${LEAF[0]}" && pin "${HOST[1.0]}" && flows_count "${LEAF[0]}" up0 up1 &&
		flows_end "${HOST[1.0]}" eth0
}

fabric_new() {
	fabric_leaf 0 conga conga && fabric_leaf 1 conga conga &&
		conga 0 leaf add "$OTHER_VTEP" mode conga
}

underlay() {
	local policy

	setup "$1" || die "cannot set up"
	tap_test "v$1: a stock kernel masquerades the tunnel without loss" passes masquerade
	tap_test "v$1: a stock kernel translates its destination without loss" passes destination
	fabric_new || die "no fabric"
	for policy in $TRIED; do
		tap_test "v$1, $policy: a masqueraded tunnel is left to the kernel, and nothing is lost" \
			left masquerade "$policy"
		tap_test "v$1, $policy: a tunnel whose source one uplink translates loses nothing" \
			left_in_part source_by_device "$policy"
		tap_test "v$1, $policy: a tunnel whose destination is translated is left to the kernel" \
			left destination "$policy"
		tap_test "v$1, $policy: tracked packets without NAT are steered" \
			steered tracking "$policy"
		tap_test "v$1, $policy: NAT of other flows leaves at most a connection's first packet to the kernel" \
			first_left "$policy"
	done
	nat_down
	topo_down
}

tap_plan 24
require_root
require_commands ip nft jq
require_module
modprobe -q nf_conntrack_netlink
underlay 4
underlay 6
tap_exit
