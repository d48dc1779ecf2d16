#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nexthops.sh - the kinds of routes, for nexthops4.sh and nexthops6.sh, which set TOPO_UNDERLAY
# and call nexthops_main.
#
# Leaf 0 has three uplinks. A route of each kind leads to leaf 1 by some of them: these and no
# other carry traffic, in shares, as the module decides, and `path show` prints them. Then the
# route loses a nexthop: from the next packet on the others carry all traffic. Traffic is always
# sent first, since `path show` itself reads the routes again.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"

TOPO_SPINES=3
TOPO_LINKS=1

readonly COUNT=120		# flows
readonly GROUP=10		# id of the group; nexthop objects 1, 2, 3 are up0, up1, up2
readonly RULE_TABLE=77
readonly WEIGHT=9		# weight of up1; up0 has weight 1
readonly FEW=30			# flows on up0: 12 are expected, 60 with equal weights
readonly ROUTER_MAC=02:00:00:00:00:fe

# ---- routes of leaf 0 ----

# Removes all routes to leaf 1, if there are any.
routes_clear() {
	ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" -force -batch - 2>/dev/null <<-END
		route flush root $COVERING
		nexthop del id $GROUP
		nexthop del id 1
		nexthop del id 2
		nexthop del id 3
	END
}

# route_add PREFIX METRIC UPLINK...: adds a route by these uplinks
route_add() {
	nexthops "${@:3}"
	leaf_ip route add "$1" metric "$2" "${NEXTHOPS[@]}"
}

# Adds a nexthop object for each of these uplinks.
objects_add() {
	local u

	for u; do
		gateway "$u"
		leaf_ip nexthop add id $((u + 1)) via "$SPINE_END" dev "up$u" || return
	done
}

# group_add MEMBERS [WORD]...: adds a group and a route that uses it
group_add() {
	ip -n "${LEAF[0]}" nexthop add id "$GROUP" group "$@" &&
		leaf_ip route add "$VTEP_PREFIX" nhid "$GROUP"
}

# ---- expected values ----

# Sets FAILED to the packets that the tunnel could not send.
failed_since() {
	local dev words

	while read -r dev words; do
		[[ $dev == vx: ]] && read -r _ _ _ _ _ _ _ _ _ _ FAILED _ <<<"$words"
	done <"/proc/${PIN[${LEAF[0]}]}/net/dev"
	((FAILED >= $1))
}

# Selects a line of the tool's JSON: every path begins with its leaf.
paths_are() {
	local json usable="" pattern='"dev": ?"([a-z0-9]*)"[^}]*"state": ?"usable"'

	json=$(conga 0 -j path show) || fail "conga path show failed" || return
	while [[ $json =~ $pattern ]]; do
		usable+=" ${BASH_REMATCH[1]}"
		json=${json#*"${BASH_REMATCH[0]}"}
	done
	[[ ${usable# } == "$*" ]] || fail "the usable paths are:$usable, expected: $*"
}

# carried_by UPLINK...: the next packets leave by these uplinks, as the module decides
carried_by() {
	local devices=("${@/#/up}")

	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" &&
		flows_spread "$COUNT" "${devices[@]}" &&
		stats_grew "${LEAF[0]}" "tx_steered=$COUNT" && paths_are "${devices[@]}"
}

# carried_by_weight: packets leave by up0 and up1, and the route gives up1 the larger weight
carried_by_weight() {
	local few

	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" || return
	flows_counter up0
	few=${LEFT[$COUNTER]}
	((few > 0 && few <= FEW)) ||
		fail "the uplinks were not used by weight: $(flows_text)" || return
	flows_counter up1
	((few + LEFT[$COUNTER] == COUNT)) || fail "other uplinks were used: $(flows_text)" || return
	stats_grew "${LEAF[0]}" "tx_steered=$COUNT" && paths_are up0 up1
}

# The kernel has no route for the packets, so the module has none, either.
carried_by_none() {
	failed_since 0
	flows_send "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" || return
	busywait "$FLOW_PATIENCE_MS" failed_since $((FAILED + COUNT)) ||
		fail "the tunnel sent without a route" || return
	flows_left "${LEAF[0]}" && flows_spread 0 && paths_are
}

# The kernel's own route uses a device that is no port.
carried_aside() {
	stats_mark "${LEAF[0]}"
	flows_send "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" || return
	busywait "$FLOW_PATIENCE_MS" stats_grew "${LEAF[0]}" "fallback_no_path=$COUNT" ||
		fail "not all packets were left to the kernel" || return
	flows_left "${LEAF[0]}" && flows_spread "$COUNT" aside && paths_are
}

# ---- a route by up0 and up1, and up0 taken out of it ----

# by_two MAKE CUT [CARRIED]: functions
by_two() {
	routes_clear
	"$1" || fail "the route cannot be added by $1" || return
	"${3:-carried_by}" 0 1 || return
	"$2" || fail "$2 failed" || return
	carried_by 1
}

multipath() {
	route_add "$VTEP_PREFIX" 100 0 1
}

multipath_less() {
	nexthops 1
	leaf_ip route replace "$VTEP_PREFIX" metric 100 "${NEXTHOPS[@]}"
}

# Only IPv6 can remove a nexthop from a route; no generation count reports it.
multipath_part() {
	gateway 0
	leaf_ip route del "$VTEP_PREFIX" metric 100 via "$SPINE_END" dev up0
}

weighted() {
	nexthops 0 1
	leaf_ip route add "$VTEP_PREFIX" metric 100 "${NEXTHOPS[@]}" weight "$WEIGHT"
}

group() {
	objects_add 0 1 2 && group_add 1/2
}

weighted_group() {
	objects_add 0 1 2 && group_add "1,1/2,$WEIGHT"
}

resilient_group() {
	objects_add 0 1 2 && group_add 1/2 type resilient buckets 32 idle_timer 60
}

object_deleted() {
	ip -n "${LEAF[0]}" nexthop del id 1
}

# The object of up0 is replaced in place, and belongs to up1 from now on.
object_moved() {
	gateway 1
	leaf_ip nexthop replace id 1 via "$SPINE_END" dev up1
}

group_replaced() {
	ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group 2
}

resilient_replaced() {
	ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group 2 type resilient buckets 32
}

# BGP without addresses makes such routes: one link-local gateway on all uplinks.
link_local() {
	leaf_ip route add "$VTEP_PREFIX" metric 100 nexthop via "$@" fe80::fe dev up0 \
		nexthop via "$@" fe80::fe dev up1
}

via_inet6() {
	link_local inet6
}

via_inet6_less() {
	leaf_ip route replace "$VTEP_PREFIX" metric 100 via inet6 fe80::fe dev up1
}

via_inet6_group() {
	ip -n "${LEAF[0]}" -6 nexthop add id 1 via fe80::fe dev up0 &&
		ip -n "${LEAF[0]}" -6 nexthop add id 2 via fe80::fe dev up1 && group_add 1/2
}

link_local_less() {
	leaf_ip route del "$VTEP_PREFIX" metric 100 via fe80::fe dev up0
}

onlink() {
	leaf_ip route add "$VTEP_PREFIX" metric 100 \
		nexthop via "$ONLINK" dev up0 onlink nexthop via "$ONLINK" dev up1 onlink
}

onlink_less() {
	leaf_ip route replace "$VTEP_PREFIX" metric 100 via "$ONLINK" dev up1 onlink
}

device_only() {
	leaf_ip route add "$VTEP_PREFIX" metric 100 nexthop dev up0 nexthop dev up1
}

device_only_less() {
	leaf_ip route replace "$VTEP_PREFIX" metric 100 dev up1
}

device_only_group() {
	leaf_ip nexthop add id 1 dev up0 && leaf_ip nexthop add id 2 dev up1 && group_add 1/2
}

# ---- one route hides another ----

# The better route uses up0, and the other route uses the remaining uplinks.
better_metric() {
	routes_clear
	route_add "$VTEP_PREFIX" 200 1 2 && carried_by 1 2 &&
		route_add "$VTEP_PREFIX" 100 0 && carried_by 0 || return
	leaf_ip route del "$VTEP_PREFIX" metric 100 ||
		fail "the route with metric 100 cannot be deleted" || return
	carried_by 1 2
}

# forbidden KIND: adds a route that is not unicast
forbidden() {
	routes_clear
	route_add "$VTEP_PREFIX" 200 0 1 && leaf_ip route add "$1" "$VTEP_PREFIX" metric 100 &&
		carried_by_none || return
	leaf_ip route del "$1" "$VTEP_PREFIX" metric 100 ||
		fail "the route $1 cannot be deleted" || return
	carried_by 0 1
}

forbidden_object() {
	routes_clear
	route_add "$COVERING" 200 0 1 && leaf_ip nexthop add id "$GROUP" blackhole &&
		leaf_ip route add "$VTEP_PREFIX" nhid "$GROUP" && carried_by_none || return
	leaf_ip nexthop del id "$GROUP" || return
	carried_by 0 1
}

more_specific() {
	routes_clear
	route_add "$COVERING" 100 0 1 2 && carried_by 0 1 2 &&
		route_add "$VTEP_PREFIX" 100 0 && carried_by 0 || return
	leaf_ip route del "$VTEP_PREFIX" || fail "the route cannot be deleted" || return
	carried_by 0 1 2
}

# The better route uses no uplink at all.
more_specific_aside() {
	routes_clear
	route_add "$COVERING" 100 0 1 2 && carried_by 0 1 2 &&
		leaf_ip route add "$VTEP_PREFIX" dev aside && carried_aside || return
	leaf_ip route del "$VTEP_PREFIX" || fail "the route cannot be deleted" || return
	carried_by 0 1 2
}

# The route is removed with its device, not by a command about routes.
device_with_better_route() {
	routes_clear
	route_add "$COVERING" 100 0 1 2 && leaf_ip route add "$VTEP_PREFIX" dev aside &&
		carried_aside && leaf_ip link set aside down || return
	carried_by 0 1 2 || return
	leaf_ip link set aside up
}

# rule WORD...: packets that match are routed by a separate table, and then by the main table
# again
rule() {
	routes_clear
	route_add "$COVERING" 10 0 1 && carried_by 0 1 || return
	nexthops 1 2
	leaf_ip route replace "$VTEP_PREFIX" table "$RULE_TABLE" "${NEXTHOPS[@]}" &&
		leaf_ip rule add "$@" lookup "$RULE_TABLE" || return
	carried_by 1 2 && leaf_ip rule del "$@" lookup "$RULE_TABLE" && carried_by 0 1
}

not_ruled() {
	local status=0

	! rule ipproto udp dport 4790 || fail "the packets followed the rule's table" || status=1
	leaf_ip rule del ipproto udp dport 4790 lookup "$RULE_TABLE" && carried_by 0 1 && return "$status"
}

# ---- set up ----

# The routers have addresses that need no resolution: a link-local gateway that all share, and the
# VTEP itself on the link.
neighbours() {
	local u

	for u in 0 1 2; do
		ip -n "${SPINE[u]}" -batch - <<-END || return
			link set down0.0 down
			link set down0.0 address $ROUTER_MAC
			link set down0.0 up
		END
		gateway "$u"
		((TOPO_UNDERLAY == 4)) ||
			ip -n "${SPINE[u]}" address replace "$SPINE_END/127" dev down0.0 nodad || return
		ip -n "${LEAF[0]}" -batch - <<-END || return
			neighbour replace $ONLINK lladdr $ROUTER_MAC dev up$u nud permanent
			neighbour replace fe80::fe lladdr $ROUTER_MAC dev up$u nud permanent
			neighbour replace ${VTEP[1]} lladdr $ROUTER_MAC dev up$u nud permanent
			neighbour replace $SPINE_END lladdr $ROUTER_MAC dev up$u nud permanent
		END
	done
	ip -n "${LEAF[0]}" -batch - <<-END
		link add aside up type dummy
		neighbour replace ${VTEP[1]} lladdr $ROUTER_MAC dev aside nud permanent
	END
}

setup() {
	if ((TOPO_UNDERLAY == 4)); then
		COVERING=10.0.0.0/24 VTEP_LENGTH=32 ONLINK=169.254.0.1
	else
		COVERING=fd00::/64 VTEP_LENGTH=128 ONLINK=fe80::ff
	fi
	topo_up && neighbours && fabric_leaf 0 conga conga && fabric_leaf 1 conga conga || return
	VTEP_PREFIX=${VTEP[1]}/$VTEP_LENGTH
	pin "${LEAF[0]}" && pin "${HOST[1.0]}" || return
	tunnel_says_nothing && flows_count "${LEAF[0]}" up{0,1,2} aside &&
		flows_end "${HOST[1.0]}" eth0
}

# ---- tests ----

test_two() {
	tap_test "$1" by_two "${@:2}"
}

tests_common() {
	test_two "a replaced multipath route is followed" multipath multipath_less
	test_two "a multipath route is shared by its weights" weighted multipath_less carried_by_weight
	test_two "the deletion of a nexthop group's member is followed" group object_deleted
	test_two "the replacement of a nexthop group's member is followed" group object_moved
	test_two "a replaced nexthop group is followed" group group_replaced
	test_two "a nexthop group is shared by its weights" weighted_group object_deleted carried_by_weight
	test_two "the deletion of a resilient nexthop group's member is followed" \
		resilient_group object_deleted
	test_two "a replaced resilient nexthop group is followed" resilient_group resilient_replaced
	test_two "routes with onlink gateways are followed" onlink onlink_less
	test_two "nexthop objects without a gateway are followed" device_only_group object_deleted
	tap_test "a route of better metric is followed, and its removal" better_metric
	tap_test "a blackhole route in front is obeyed, and its removal" forbidden blackhole
	tap_test "an unreachable route in front is obeyed, and its removal" forbidden unreachable
	tap_test "a prohibit route in front is obeyed, and its removal" forbidden prohibit
	tap_test "a blackhole nexthop in front is obeyed, and its removal" forbidden_object
	tap_test "a more specific route by an uplink is followed, and its removal" more_specific
	tap_test "a more specific route by no uplink is followed, and its removal" \
		more_specific_aside
	tap_test "the other routes are followed when the device of a more specific route goes down" \
		device_with_better_route
	tap_test "a routing rule by destination is followed, and its removal" rule to "$VTEP_PREFIX"
	tap_test "a routing rule by source is followed, and its removal" rule from "${VTEP[0]}"
	tap_test "a routing rule by UDP port is followed, and its removal" \
		rule ipproto udp dport 4789
	tap_test "a routing rule by another UDP port changes nothing" not_ruled
}

tests_of_family() {
	if ((TOPO_UNDERLAY == 4)); then
		test_two "routes by devices without a gateway are followed" \
			device_only device_only_less
		test_two "IPv6 gateways of an IPv4 route are followed" via_inet6 via_inet6_less
		test_two "IPv6 nexthop objects of an IPv4 route are followed" \
			via_inet6_group object_deleted
	else
		test_two "a multipath route that loses a nexthop is followed" \
			multipath multipath_part
		test_two "routes with one link-local gateway on all uplinks are followed" \
			link_local link_local_less
	fi
}

nexthops_main() {
	tap_plan $((TOPO_UNDERLAY == 4 ? 25 : 24))
	require_root
	require_commands ip nft
	require_module
	setup || die "cannot set up"
	tests_common
	tests_of_family
	tap_exit
}
