#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several gateways behind one uplink: each gateway gets flows, and a flow stays with its gateway.
# A gateway that does not answer while its link has carrier is left out where the kernel leaves it
# out: from multipath routes with fib_multipath_use_neigh (IPv4) or on a node that does not
# forward (IPv6), and from nexthop groups always (IPv4). Neighbours that no path depends on change
# nothing.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"
FABRIC_RATE=1tbit

readonly COUNT=120
readonly GROUP=10
readonly SCANNED=40		# neighbours that no path uses

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

# ---- what is expected ----

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

# searches_watch: from now on, the searches for paths of all nodes are counted. Showing the paths
# searches for those of all keys, so that later no control packet has to.
searches_watch() {
	local dir=/sys/kernel/tracing

	conga 0 path show && conga 1 path show || return
	[[ -e $dir/events ]] || mount -t tracefs tracefs "$dir" 2>/dev/null
	echo "p:conga_searched conga:conga_path_search$TOPO_UNDERLAY" >"$dir/kprobe_events" &&
		echo 1 >"$dir/events/kprobes/conga_searched/enable"
} &>/dev/null

# searches_end: sets SEARCHES to the number of searches for paths by a port since then
searches_end() {
	SEARCHES=$(awk '$1 == "conga_searched" { print $2 }' /sys/kernel/tracing/kprobe_profile)
	echo 0 >/sys/kernel/tracing/events/kprobes/conga_searched/enable
	echo >/sys/kernel/tracing/kprobe_events
}

# The kernel notifies of neighbours that answered before, and fail now.
scan() {
	local i

	for ((i = 0; i < SCANNED; i++)); do
		gateway_behind "$((20 + i))"
		echo "neighbour replace $GATEWAY lladdr 02:00:00:00:0a:0a dev up0 nud permanent"
		echo "neighbour replace $GATEWAY dev up0 nud failed"
	done | leaf_batch
}

scan_changes_nothing() {
	routes_clear 1
	by_route 1 up1 && cross || return
	searches_watch || { why "needs kprobes"; return "$KSFT_SKIP"; }
	scan && cross && searches_end || return
	((SEARCHES == 0)) || fail "$SEARCHES searches for paths after a scan" || return
	searches_watch && gateways_fail 1 && cross && searches_end || return
	((SEARCHES > 0)) || fail "no path was searched after a gateway's failure" || return
	gateways_answer 1
}

# ---- tests ----

# These are the results of a stock kernel.
left_out_by_kernel() {
	routes_clear 1
	by_route 1 up1 && gateways_fail 1 && cross && flows_spread "$COUNT" up1 || return
	routes_clear 0
	by_group 1 up1 && gateways_fail 1 && cross && flows_spread "$COUNT" up1
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && gateways_up &&
		pin "${LEAF[0]}" && pin "${HOST[1.0]}" && flows_count "${LEAF[0]}" up0 up1 &&
		gateways_watch && flows_end "${HOST[1.0]}" eth0
}

underlay() {
	setup "$1" || die "cannot set up"
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
	tap_test "v$1: a scan of the link's neighbours does not cause new path look-ups" \
		scan_changes_nothing
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

tap_plan 27
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
