#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# routes.sh - withdrawn paths, for routes4.sh and routes6.sh, which set
# TOPO_UNDERLAY and call routes_main.
#
# Leaf 0 reaches leaf 1 by up0 and up1. The path by up0 is withdrawn in every possible way, under
# TCP. From then on no VXLAN packet and no ARP or neighbour solicitation for the leaf's VTEP
# leaves that port, TCP continues, and `path show` prints the reason. After the repair the path is
# used again. Leaf 1 answers by spine 1 alone, as its own routing would do once spine 0 is cut
# off.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"

TOPO_LINKS=1
TOPO_NEXTHOPS=object

# No link is shaped, but the DREs see the load as half of a link: a flow keeps its uplink unless
# another one is better, so only under load a path that returns is used again.
TOPO_GSO=9000
FABRIC_RATE=8mbit

# Each transfer has one packet, with pauses in which a flowlet ends. The transfers last for half an
# hour, which is longer than run_tests lets a program run.
readonly LOAD_BPS=4000000 TRANSFER=1000 TRANSFERS=900000 CONNECTIONS=16
readonly PROGRESS=150		# packets at the receiver that prove progress of TCP
readonly USED=20		# packets of a port that prove that it is used

# The topology builder gave these ids: one nexthop per uplink, then their group.
readonly NH0=1 NH1=2 GROUP=3
readonly VXLAN_PORT=4789

# ---- routes of leaf 0 ----

vtep_prefix() {
	echo "${VTEP[1]}/$((TOPO_UNDERLAY == 6 ? 128 : 32))"
}

# route_set UPLINK...: sets a route with these nexthops
route_set() {
	nexthops "$@"
	leaf_ip route replace "$(vtep_prefix)" "${NEXTHOPS[@]}"
}

route_both() {
	route_set 0 1
}

route_up1() {
	route_set 1
}

# Sets the same route with nexthop objects. The kernel removes the objects of a port that lost its
# carrier, so they are added again.
group_both() {
	gateway 0
	leaf_ip nexthop replace id "$NH0" via "$SPINE_END" dev up0 &&
		ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group "$NH0/$NH1"
}

group_up1() {
	ip -n "${LEAF[0]}" nexthop replace id "$GROUP" group "$NH1"
}

group_route() {
	leaf_ip route replace "$(vtep_prefix)" nhid "$GROUP"
}

carrier() {
	ip -n "${SPINE[0]}" link set down0.0 "$1"
}

carrier_back_group() {
	carrier up && busywait 60000 has_carrier && group_both
}

carrier_back() {
	carrier up && busywait 60000 has_carrier
}

has_carrier() {
	ip -n "${LEAF[0]}" link show dev up0 | grep -q LOWER_UP
}

uplink_down() {
	ip -n "${LEAF[0]}" link set up0 down
}

uplink_back() {
	gateway 0
	ip -n "${LEAF[0]}" link set up0 up &&
		ip -n "${LEAF[0]}" address replace "$LEAF_END/$((TOPO_UNDERLAY == 6 ? 127 : 31))" \
			dev up0 ${NODAD:+"$NODAD"} && route_both
}

carrier_loss() {
	carrier down
}

# Adds a less specific route by up0 besides the leaf's own by up1, twice.
less_specific() {
	local covering=10.0.0.0/24

	((TOPO_UNDERLAY == 4)) || covering=fd00::/64
	gateway 0
	leaf_ip route replace "$covering" via "$SPINE_END" dev up0 &&
		leaf_ip route replace default via "$SPINE_END" dev up0 && route_up1
}

less_specific_gone() {
	local covering=10.0.0.0/24

	((TOPO_UNDERLAY == 4)) || covering=fd00::/64
	leaf_ip route del "$covering" && leaf_ip route del default && route_both
}

# ---- traffic ----

traffic_start() {
	"$TESTS/tools/flowgen" -q -f "${HOST[0.0]},${HOST_IP[0.0]}" -t "${HOST[1.0]},${HOST_IP[1.0]}" \
		-C "$LOAD_BPS" -l 1 -S "$TRANSFER" -n "$TRANSFERS" -c "$CONNECTIONS" \
		>"$TOPO_DIR/summary" 2>"$TOPO_DIR/errors" &
	TRAFFIC=$!
}

tcp_goes_on() {
	kill -0 "$TRAFFIC" || fail "the traffic ended too early: $(<"$TOPO_DIR/errors")" || return
	grows "$PROGRESS" "${HOST[1.0]}" eth0 rx
}

# ---- expected values ----

# paths_are STATE STATE: the states of up0 and up1, "usable" or the reason why not
paths_are() {
	local json path0 path1

	json=$(conga 0 -j path show) || fail "conga path show failed" || return
	path_state "$json" up0 path0 && path_state "$json" up1 path1 || return
	[[ "$path0 $path1" == "$*" ]] ||
		fail "the paths by up0 and up1 are $path0 and $path1, expected $*"
}

# The kernel also leaves out a gateway of a group that did not answer. It asks again only if a
# packet is for the gateway itself, for example from a routing daemon. A link that has just
# returned may lose the first one, or have no address for it yet.
paths_return() {
	gateway 0
	busywait 60000 gateway_answers || fail "the gateway $SPINE_END does not answer" || return
	busywait 60000 paths_are usable usable || paths_are usable usable
}

gateway_answers() {
	in_ns "${LEAF[0]}" ping -q -c 1 -W 1 "$SPINE_END" >/dev/null 2>&1
}

# path_state JSON DEVICE VARIABLE: sets the variable to the state
path_state() {
	local state="\"dev\": ?\"$2\",[^}]*\"state\": ?\"([a-z]*)\"(, ?\"reason\": ?\"([a-z_]*)\")?"

	[[ $1 =~ $state ]] || fail "path show has no path by $2: $1" || return
	printf -v "$3" %s "${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}"
}

# left SINCE: prints the result of the capture as "VXLAN packets before, VXLAN packets since,
# requests for the VTEP since". A VXLAN packet has a second line, for the inner packet, which has
# no time.
left() {
	capture_text gone -tt | awk -v since="$1" -v vtep="${VTEP[1]}" -v vxlan=".$VXLAN_PORT: VXLAN" '
		$1 !~ /^[0-9]+[.][0-9]+$/ { next }
		index($0, vxlan) { if ($1 > since) after++; else before++ }
		$1 > since && $0 ~ "who.has " vtep "[ ,]" { asked++ }
		END { print before + 0, after + 0, asked + 0 }'
}

nothing_left() {
	local before after asked

	read -r before after asked < <(left "$1")
	((before >= USED)) ||
		fail "the capture has only $before VXLAN packets from before the withdrawal" ||
			return
	((after == 0)) || fail "$after VXLAN packets left up0 after the withdrawal" || return
	((asked == 0)) || fail "up0 sent $asked neighbour requests for the VTEP"
}

# without_path REASON WITHDRAW
without_path() {
	local since

	grows "$USED" "${LEAF[0]}" up0 tx || return
	"$2" || fail "$2 failed" || return
	since=$EPOCHREALTIME
	paths_are "$1" usable && tcp_goes_on && paths_are "$1" usable || return
	capture_stop gone && nothing_left "$since"
}

# withdrawn REASON WITHDRAW REPAIR: the last two are functions. The path is repaired whatever the
# result is, for the tests that follow.
withdrawn() {
	local status=0

	capture_start gone "${LEAF[0]}" up0 -Q out "udp port $VXLAN_PORT or arp or icmp6" ||
		return
	without_path "$1" "$2" || status=1
	"$3" || fail "$3 failed" || return
	paths_return && grows "$USED" "${LEAF[0]}" up0 tx && tcp_goes_on || return
	return "$status"
}

# ---- tests ----

both_used() {
	paths_are usable usable || return
	grows "$USED" "${LEAF[0]}" up0 tx && grows "$USED" "${LEAF[0]}" up1 tx
}

by_group() {
	withdrawn not_nexthop group_up1 group_both
}

by_carrier_under_group() {
	withdrawn port_down carrier_loss carrier_back_group
}

by_route() {
	route_both || fail "the multipath route cannot be added" || return
	withdrawn not_nexthop route_up1 route_both
}

by_carrier_under_route() {
	withdrawn port_down carrier_loss carrier_back
}

by_admin() {
	withdrawn port_down uplink_down uplink_back
}

by_less_specific() {
	withdrawn not_nexthop less_specific less_specific_gone
}

# Without any route the kernel decides, and TCP retries.
without_route() {
	leaf_ip route del "$(vtep_prefix)" || fail "the route is missing" || return
	paths_are no_route no_route || return
	route_both && paths_return && tcp_goes_on
}

# snmp NAMESPACE COUNTER: prints a counter of the Tcp lines of /proc/net/snmp
snmp() {
	in_ns "$1" cat /proc/net/snmp | awk -v name="$2" '$1 == "Tcp:" {
		for (i = 2; i <= NF; i++) { if (seen) { if (key[i] == name) print $i } else key[i] = $i }
		seen = 1 }'
}

no_reset() {
	local ns counter

	kill -0 "$TRAFFIC" || fail "the traffic ended too early: $(<"$TOPO_DIR/errors")" || return
	for ns in "${HOST[@]}"; do
		for counter in EstabResets OutRsts; do
			[[ $(snmp "$ns" "$counter") == 0 ]] ||
				fail "$counter of ${ns%-*} is $(snmp "$ns" "$counter")" || return
		done
	done
	kill "$TRAFFIC"
	wait "$TRAFFIC"
	[[ $(<"$TOPO_DIR/errors") == "flowgen: interrupted" ]] ||
		fail "flowgen printed $(<"$TOPO_DIR/errors")"
}

# stamped OPERATOR TAG: prints a filter for stamped packets whose LBTag compares so with TAG
stamped() {
	local vxlan=16 base=udp		# the VXLAN header in the UDP packet

	((TOPO_UNDERLAY == 4)) && vxlan=8 || base=ip6 vxlan=48
	echo "udp port $VXLAN_PORT and ${base}[$((vxlan + 2))] & 1 = 1 and" \
		"${base}[$((vxlan + 1))] & 0xf0 $1 $(($2 << 4))"
}

tags_are_true() {
	local tag own others

	for tag in 0 1; do
		capture_stop "tags$tag" || return
		own=$(capture_count "tags$tag" "$(stamped "=" $tag)")
		others=$(capture_count "tags$tag" "$(stamped "!=" $tag)")
		echo "# up$tag: $own packets stamped with LBTag $tag, $others with another"
		((own > PROGRESS && others == 0)) ||
			fail "up$tag sent $own packets with its own LBTag, $others with another" ||
				return
	done
}

routes_up() {
	topo_up && fabric_up conga conga || return
	# An operator sets this, so that a link that returns has its address.
	in_ns "${SPINE[0]}" sysctl -qw net.ipv6.conf.all.keep_addr_on_down=1
	topo_link_addresses 1 1 0
	ip -n "${LEAF[1]}" route replace "${VTEP[0]}" via "$SPINE_END" dev up1
}

routes_main() {
	local tag

	tap_plan 10
	require_root
	require_commands ip ping tcpdump jq
	require_module
	routes_up || die "the fabric cannot be set up"
	pin "${LEAF[0]}"
	pin "${HOST[1.0]}"
	for tag in 0 1; do
		capture_start "tags$tag" "${LEAF[0]}" "up$tag" -Q out "udp port $VXLAN_PORT" ||
			die "no capture"
	done
	traffic_start
	tap_test "both uplinks are used" both_used
	tap_test "an uplink is withdrawn by a change of the nexthop group" by_group
	tap_test "an uplink of a nexthop group is withdrawn by carrier loss" by_carrier_under_group
	tap_test "an uplink is withdrawn by ip route replace" by_route
	tap_test "an uplink of a multipath route is withdrawn by carrier loss" \
		by_carrier_under_route
	tap_test "an uplink is withdrawn by ip link set down" by_admin
	tap_test "a less specific route attracts no packet" by_less_specific
	tap_test "packets are left to the kernel while there is no route, and steered afterwards" \
		without_route
	tap_test "no TCP connection was reset" no_reset
	tap_test "every stamped packet's LBTag is that of the port it left by" tags_are_true
	tap_exit
}
