#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Weights of a route's nexthops, in multipath routes, nexthop groups and resilient groups. Policy
# ecmp splits flows by weight as the kernel does. The other policies take a weight as capacity, so
# that idle uplinks get flows in proportion. A stock kernel is the control.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"	# a stock kernel then asks for the route of each packet
FABRIC_RATE=1tbit		# so fast that no port is loaded

# One tenth of the flows is 36, and half is 180. A random split exceeds each limit once in 40
# million times; the program looks at some 30 of them.
readonly COUNT=360 LEAST=9 MOST=70
readonly GROUP=10
readonly BY_WEIGHT="ecmp conga letflow rps drb presto wcmp local drill"

# ---- routes of leaf 0: nine parts by up0, one by up1 ----

multipath() {
	route main 0,9 1,1
}

multipath_equal() {
	route main 0,5 1,5
}

# objects [WORD]...: creates the nexthop objects of a group
objects() {
	local u

	for u in 0 1; do
		gateway "$u"
		leaf_ip nexthop replace id $((u + 1)) via "$SPINE_END" dev "up$u" || return
	done
	ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group 1,9/2,1 "$@" &&
		leaf_ip route replace "$VTEP_PREFIX" nhid "$GROUP"
}

resilient() {
	objects type resilient buckets 64 idle_timer 5
}

routes_clear() {
	leaf_ip -force -batch - 2>/dev/null <<-END
		route del $VTEP_PREFIX
		nexthop del id $GROUP
		nexthop del id 1
		nexthop del id 2
	END
	:
}

# ---- what is expected ----

cross() {
	stats_mark "${LEAF[0]}" 2>/dev/null	# fails with a stock kernel
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}"
}

proportionate() {
	((LEFT[up0] + LEFT[up1] == COUNT && LEFT[up1] >= LEAST && LEFT[up1] <= MOST)) ||
		fail "$COUNT flows left by: $(flows_text), expected 9:1"
}

stock() {
	routes_clear
	"$1" && cross && proportionate
}

# steered POLICY ROUTE
steered() {
	routes_clear
	"$2" && conga 0 fabric set policy "$1" && cross && steered_all "$COUNT" && proportionate
}

equal() {
	local policy

	routes_clear
	multipath_equal || return
	for policy in ecmp conga wcmp; do
		conga 0 fabric set policy "$policy" && cross && flows_spread "$COUNT" up0 up1 || return
	done
}

# The lighter uplink is the only one, and then gets a tenth again.
member_leaves() {
	routes_clear
	conga 0 fabric set policy letflow && objects && cross && proportionate &&
		ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group 2 && cross && flows_spread "$COUNT" up1 &&
		objects && cross && proportionate
}

# ---- tests ----

readonly -A KIND=([multipath]="a multipath route" [objects]="a nexthop group"
	[resilient]="a resilient group")

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && pin "${LEAF[0]}" &&
		pin "${HOST[1.0]}" && flows_count "${LEAF[0]}" up0 up1 &&
		flows_end "${HOST[1.0]}" eth0
}

underlay() {
	local kind policy

	setup "$1" || die "cannot set up"
	for kind in multipath objects resilient; do
		tap_test "v$1: a stock kernel splits flows by the weights of ${KIND[$kind]}" \
			stock "$kind"
	done
	leaves_up ecmp || die "no fabric"
	for kind in multipath objects resilient; do
		tap_test "v$1: ecmp splits flows by the weights of ${KIND[$kind]}" \
			steered ecmp "$kind"
		tap_test "v$1: conga uses the weights of ${KIND[$kind]} as capacity" \
			steered conga "$kind"
	done
	(($1 == 6)) || for policy in $BY_WEIGHT; do
		tap_test "$policy: idle uplinks get flows in proportion to their weights" \
			steered "$policy" multipath
	done
	tap_test "v$1: equal weights change nothing" equal
	tap_test "v$1: the remaining uplinks of a group carry all flows" member_leaves
	topo_down
}

tap_plan $((2 * 11 + $(wc -w <<<"$BY_WEIGHT")))
require_root
require_commands ip nft jq
require_module
underlay 4
underlay 6
tap_exit
