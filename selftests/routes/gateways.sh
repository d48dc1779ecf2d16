#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several gateways behind one uplink: each gateway gets flows, and a flow stays with its gateway.
# A gateway that does not answer while its link has carrier is left out where the kernel leaves it
# out: from multipath routes with fib_multipath_use_neigh (IPv4) or on a node that does not
# forward (IPv6), and from nexthop groups always (IPv4).

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"
. "$TESTS/lib/gateways.sh"

# ---- what is expected ----

# shared GATEWAY...: each of these has a part of the packets that left by up0, and all others have
# none
shared() {
	local i sum=0

	for i; do
		((AT[i] * $# * FLOWS_EACH >= BY_UP0 * FLOWS_LEAST && AT[i])) ||
			fail "the gateways got ${AT[*]} packets, expected some at each of $*" ||
				return
		sum=$((sum + AT[i]))
	done
	((sum == BY_UP0)) || fail "the gateways got ${AT[*]} packets, expected all $BY_UP0 at $*"
}

# several ROUTE GATEWAY...: flows are shared by these gateways
several() {
	local kind=$1

	shift
	routes_clear
	"$kind" "$@" && cross && steered_all "$COUNT" && flows_spread "$COUNT" up0 && shared "$@"
}

# beside_another ROUTE: one uplink has two gateways, and another has one
beside_another() {
	routes_clear
	"$1" 1 2 up1 && cross && steered_all "$COUNT" && shared 1 2 && flows_spread "$COUNT" up0 up1
}

# Sends datagrams of a single flow, by policy letflow, where each flowlet ends at once.
one_gateway_each() {
	local i used=0

	routes_clear
	by_route 1 2 3 || return
	in_ns "${HOST[0.0]}" bash -c "exec 3>/dev/udp/${HOST_IP[1.0]}/$FLOW_PORT
		for ((i = 0; i < 60; i++)); do echo >&3; done"
	flows_arrive 60 "${HOST[1.0]}" eth0 && flows_left "${LEAF[0]}" && gateways_left || return
	for i in 1 2 3; do ((!AT[i])) || used=$((used + 1)); done
	((used == 1)) || fail "the gateways got ${AT[*]} packets, expected one gateway"
}

# reason_is DEVICE WORD: the path of the device is out for this reason
reason_is() {
	local state

	state=$(conga 0 -j path show | jq -r ".[] | select(.dev == \"$1\") | .reason // .state")
	[[ $state == "$2" ]] || fail "the path by $1 is $state, expected: $2"
}

# left_out ROUTE LOOKS: the only gateway of up0 stops answering, and later answers again
left_out() {
	routes_clear "$2"
	"$1" 1 up1 && gateways_fail 1 && cross && flows_spread "$COUNT" up1 &&
		steered_all "$COUNT" && reason_is up0 neighbour || return
	gateways_answer 1
	cross && flows_spread "$COUNT" up0 up1 && shared 1 && reason_is up0 usable
}

one_of_two() {
	routes_clear 1
	"$1" 1 2 && gateways_fail 1 && cross && flows_spread "$COUNT" up0 && shared 2 &&
		steered_all "$COUNT" && reason_is up0 usable || return
	gateways_answer 1
	cross && shared 1 2
}

# late_ones_end: packets that waited for a gateway have arrived, and are no longer counted. Their
# number is not known, since the kernel keeps only some of them, so the function polls until no
# more arrive.
late_ones_end() {
	local seen=none

	while flows_came "${HOST[1.0]}" eth0 && [[ $FLOWS_CAME != "$seen" ]]; do
		seen=$FLOWS_CAME
		sleep 0.5
	done
	flows_left "${LEAF[0]}" && gateways_left && flows_forget "${HOST[1.0]}" eth0
}

# Neither the kernel nor conga checks the neighbour: the path counts as usable.
not_looked_at() {
	routes_clear 0
	by_route 1 up1 && gateways_fail 1 || return
	flows_send "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}"
	reason_is up0 usable && reason_is up1 usable || return
	gateways_answer 1
	late_ones_end
}

# This is the behaviour of a stock kernel, which uses all of them in this case.
none_answers() {
	routes_clear 1
	by_route 1 2 && gateways_fail 1 2 || return
	stats_mark "${LEAF[0]}"
	flows_send "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}"
	busywait "$FLOW_PATIENCE_MS" steered_all "$COUNT" && reason_is up0 usable || return
	gateways_answer 1 2
	late_ones_end
}

# ---- tests ----

# These are the results of a stock kernel.
left_out_by_kernel() {
	routes_clear 1
	by_route 1 up1 && gateways_fail 1 && cross && flows_spread "$COUNT" up1 || return
	routes_clear 0
	by_group 1 up1 && gateways_fail 1 && cross && flows_spread "$COUNT" up1
}

underlay() {
	gateways_fabric "$1" || die "cannot set up"
	tap_test "v$1: a stock kernel leaves out a gateway that does not answer" left_out_by_kernel
	leaves_up conga || die "no fabric"
	tap_test "v$1: two gateways of a route behind one uplink share its flows" \
		several by_route 1 2
	tap_test "v$1: three gateways of a route behind one uplink share its flows" \
		several by_route 1 2 3
	tap_test "v$1: two gateways of a nexthop group behind one uplink share its flows" \
		several by_group 1 2
	tap_test "v$1: three gateways of a nexthop group behind one uplink share its flows" \
		several by_group 1 2 3
	tap_test "v$1: an uplink with two gateways does not take flows from another" \
		beside_another by_route
	tap_test "v$1: a flow stays at one gateway" one_gateway_each
}

neighbours4() {
	tap_test "v4: a route leaves out a gateway that does not answer, and uses it again when it answers" \
		left_out by_route 1
	tap_test "v4: a nexthop group leaves out a gateway that does not answer, whatever the sysctl is" \
		left_out by_group 0
	tap_test "v4: of two gateways of a route the one that answers carries all flows" \
		one_of_two by_route
	tap_test "v4: of two gateways of a group the one that answers carries all flows" \
		one_of_two by_group
	tap_test "v4: a route uses gateways that do not answer where the kernel ignores their state" \
		not_looked_at
	tap_test "v4: where no gateway answers all are used, as in a stock kernel" none_answers
}

tap_plan 25
require_root
require_commands ip nft jq
require_module
underlay 4
neighbours4
topo_down
underlay 6
tap_test "v6: a route leaves out a gateway that does not answer, and uses it again when it answers" \
	left_out by_route 1
tap_test "v6: a nexthop group leaves out a gateway that does not answer, also where the node forwards" \
	left_out by_group 0
tap_test "v6: of two gateways of a group the one that answers carries all flows" one_of_two by_group
tap_test "v6: where no gateway answers all are used, as in a stock kernel" none_answers
tap_test "v6: a route uses gateways that do not answer where the kernel ignores their state" \
	not_looked_at
topo_down
tap_exit
