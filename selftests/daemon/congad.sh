#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The daemon adds leaves from forwarding tables of every kind and uplinks from routes of every
# kind, without any command. Objects that an operator made take precedence. Flapping devices, a
# restarted daemon and a removed fabric cost neither LBTags nor packets.
#
# The tests examine leaf 0; leaf 1, with a daemon of its own, answers. Peers that exist only by
# name have addresses of 10.0.9.0/24; a pair of devices sN, tN is a link that leads to no node.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/daemon.sh"

TOPO_LINKS=1

readonly PINGS_MS=5		# interval of the pings
readonly PINGS_LEAST=20
readonly FLAPS=3
readonly SPARE=18		# pairs of devices: more than LBTags
readonly ZERO=00:00:00:00:00:00

# If the test only searches for a port, any LBTag matches.
uplink_is() {
	port_is "$1" uplink "[0-9]*" auto
}

# After a test only the ports up0 and up1 and the leaf 1 remain.
clear_ports() {
	local dev

	for dev in $(ports "${LEAF[0]}" | sed -n 's/^\([^u][^ ]*\) .*/\1/p'); do
		conga 0 port del "$dev" || return
	done
}

# ---- pings during other changes ----

pings_start() {
	nsenter --net="/run/netns/${HOST[0.0]}" ping -q -n -i "0.00$PINGS_MS" "${HOST_IP[1.0]}" \
		>"$TOPO_DIR/pings" 2>&1 &
	PINGS=$!
}

# pings_stop LOST: at most LOST pings were lost, and some were sent. The last one may be in
# transit.
pings_stop() {
	local summary='([0-9]+) packets transmitted, ([0-9]+) received'

	kill -INT "$PINGS" && wait "$PINGS"
	[[ $(<"$TOPO_DIR/pings") =~ $summary ]] ||
		fail "ping printed no summary: $(<"$TOPO_DIR/pings")" || return
	((BASH_REMATCH[1] >= PINGS_LEAST && BASH_REMATCH[1] - BASH_REMATCH[2] <= $1 + 1)) ||
		fail "too many pings were lost: ${BASH_REMATCH[0]}"
}

# ---- tests: leaves ----

by_itself() {
	leaf_is "${VTEP[1]}" auto auto && port_is up0 uplink 0 auto && port_is up1 uplink 1 auto
}

# forwards NAME ADDRESS COMMAND...: after the command the peer is a leaf
forwards() {
	"${@:2}" || fail "$* failed" || return
	leaf_is "$1" auto auto
}

static_entry() {
	forwards 10.0.9.1 leaf_fdb add "$MAC:01" dev vx dst 10.0.9.1 self permanent &&
		forwards 10.0.9.2 leaf_fdb append "$ZERO" dev vx dst 10.0.9.2 self permanent
}

no_leaves() {
	local addr

	for addr in "${VTEP[0]}" 239.1.1.1 169.254.7.7 127.0.0.9; do
		leaf_fdb append "$ZERO" dev vx dst "$addr" self permanent || return
	done
	leaf_ip address add 10.0.9.3/32 dev lo
	leaf_fdb append "$ZERO" dev vx dst 10.0.9.3 self permanent || return
	daemon_looked || return
	for addr in "${VTEP[0]}" 239.1.1.1 169.254.7.7 127.0.0.9 10.0.9.3; do
		has_no_line leaves "${LEAF[0]}" "$addr *" || fail "$addr became a leaf" || return
		leaf_fdb del "$ZERO" dev vx dst "$addr" self || return
	done
	! grep rejected "$(log_of "${LEAF[0]}")" || fail "congad made a request that the kernel rejects"
}

# EVPN multihoming makes these entries.
nexthop_group_entry() {
	leaf_ip nexthop add id 901 via 10.0.9.4 fdb && leaf_ip nexthop add id 902 via 10.0.9.5 fdb &&
		leaf_ip nexthop add id 910 group 901/902 fdb || return
	forwards 10.0.9.4 leaf_fdb add "$MAC:04" dev vx nhid 910 self && leaf_is 10.0.9.5 auto auto
	# A peer that leaves the group is removed from the leaves; no forwarding entry reports
	# the change.
	leaf_ip nexthop replace id 910 group 901 fdb && leaf_is_gone 10.0.9.5 &&
		leaf_is 10.0.9.4 auto auto
}

collect_metadata() {
	leaf_ip link add vxm up type vxlan external dstport 4790 || return
	forwards 10.0.9.6 leaf_fdb add "$ZERO" dev vxm dst 10.0.9.6 src_vni 1000 self permanent
}

point_to_point() {
	forwards 10.0.9.7 leaf_ip link add vxp up type vxlan id 200 remote 10.0.9.7 dstport 4791 &&
		forwards fd00::99 leaf_ip link add vx6 up type vxlan id 201 remote fd00::99 dstport 4792
}

device_removed() {
	leaf_ip link del vxp && leaf_is_gone 10.0.9.7 && leaf_is "${VTEP[1]}" auto auto
}

held() {
	local end

	leaf_fdb del "$MAC:01" dev vx self && end=$(($(now_ms) + HOLD_S * 1000)) || return
	while has_line leaves "${LEAF[0]}" "10.0.9.1 *"; do
		(($(now_ms) < end + PATIENCE_MS)) ||
			fail "the leaf was not removed in $PATIENCE_MS ms" || return
		poll_pause
	done
	(($(now_ms) >= end)) ||
		fail "the leaf was removed $((end - $(now_ms))) ms too early" || return
	says_soon "${LEAF[0]}" "leaf 10.0.9.1 removed: no vxlan device has forwarded to it for $HOLD_S s"
}

# ---- tests: uplinks ----

spare_up() {
	local i

	for ((i = 0; i < SPARE; i++)); do
		echo "link add s$i up type veth peer name t$i"
		echo "link set t$i up"
		echo "address add 10.8.$i.0/31 dev s$i"
		echo "address add fd08::$i:0/127 dev s$i nodad"
	done | leaf_ip -batch -
}

multipath_route() {
	leaf_ip route add 10.0.9.2 nexthop via 10.8.0.1 dev s0 nexthop via 10.8.1.1 dev s1 &&
		uplink_is s0 && uplink_is s1
}

nexthop_objects() {
	leaf_ip nexthop add id 1002 via 10.8.2.1 dev s2 &&
		leaf_ip nexthop add id 1003 via 10.8.3.1 dev s3 &&
		leaf_ip nexthop add id 1010 group 1002/1003 &&
		leaf_ip route add 10.0.9.4 nhid 1010 && uplink_is s2 && uplink_is s3 || return
	# The route stays the same object; only the group reports the change.
	leaf_ip nexthop add id 1004 via 10.8.4.1 dev s4 &&
		leaf_ip nexthop replace id 1010 group 1002/1003/1004 && uplink_is s4
}

# The kernel then reports the group alone.
nexthop_objects_alone() {
	in_ns "${LEAF[0]}" sysctl -qw net.ipv4.nexthop_compat_mode=0 || return
	leaf_ip nexthop add id 1005 via 10.8.5.1 dev s5 &&
		leaf_ip nexthop replace id 1010 group 1002/1005 && uplink_is s5
}

# BGP without addresses makes these routes.
via_inet6() {
	leaf_ip route add 10.0.9.6 nexthop via inet6 fe80::fe dev s6 \
		nexthop via inet6 fe80::fe dev s7 && uplink_is s6 && uplink_is s7
}

ipv6_route() {
	leaf_ip -6 route add fd00::99 nexthop via fd08::8:1 dev s8 nexthop via fd08::9:1 dev s9 &&
		uplink_is s8 && uplink_is s9
}

ipv6_objects() {
	leaf_ip link add vx7 up type vxlan id 202 remote fd00::98 dstport 4793 &&
		leaf_ip -6 nexthop add id 1020 via fd08::10:1 dev s10 &&
		leaf_ip -6 route add fd00::98 nhid 1020 && uplink_is s10
}

# The tunnel's lower device selects the routes that lead to its peer.
vrf() {
	leaf_ip -batch - <<-END || return
		link add red up type vrf table 77
		link add r0 up master red type veth peer name r1
		link set r1 up
		address add 10.8.80.0/31 dev r0
		route add 10.0.9.10 via 10.8.80.1 dev r0 vrf red
		link add vxr up type vxlan id 203 remote 10.0.9.10 local 10.8.80.0 dev red dstport 4794
	END
	leaf_is 10.0.9.10 auto auto && uplink_is r0 || return
	has_no_line ports "${LEAF[0]}" "red *" || fail "the VRF device became an uplink" || return
	leaf_ip link del vxr && leaf_ip link del r0 && leaf_is_gone 10.0.9.10
}

# The bridge has a port, and therefore a speed, so it could be an uplink.
no_uplinks() {
	leaf_ip -batch - <<-END || return
		link add dum0 up type dummy
		link add brx up type bridge
		link add b0 up master brx type veth peer name b1
		link set b1 up
		address add 10.8.90.0/31 dev brx
		route replace 10.0.9.2 nexthop via 10.8.90.1 dev brx nexthop via 10.8.0.1 dev s0 nexthop dev dum0
	END
	daemon_looked || return
	has_no_line ports "${LEAF[0]}" "brx *" || fail "the bridge became an uplink"
}

# This is dum0 of the previous test.
no_speed() {
	says_soon "${LEAF[0]}" "port dum0 rejected: The device reports no usable link speed,\
 give a rate (congad -r RATE, or conga port add)" && daemon_looked && daemon_looked || return
	(($(times_said "${LEAF[0]}" "port dum0 rejected.*") == 1)) ||
		fail "the rejection was not logged exactly once" || return
	daemon_restart "${LEAF[0]}" -r 3gbit && uplink_is dum0 || return
	[[ $(conga 0 -j port show dum0 | jq -c '.[0] | [.rate_bps, .rate_source]') == '[3000000000,"configured"]' ]] ||
		fail "the rate of dum0 is not the configured one: $(conga 0 -j port show dum0)"
}

# rate_is DEVICE RATE SOURCE: waits until the port has it
rate_is() {
	busywait "$PATIENCE_MS" has_rate "$@" ||
		fail "port $1 has another rate than $2 $3: $(conga 0 -j port show "$1")"
}

has_rate() {
	[[ $(conga 0 -j port show "$1" | jq -r '.[0] | "\(.rate_bps) \(.rate_source)"') == "$2 $3" ]]
}

# A port that an operator set keeps its rate. s0 reports 10 Gbit/s, and dum0 nothing.
rates_of_devices() {
	rate_is s0 10000000000 link && conga 0 port set s1 rate 2gbit || return
	daemon_restart "${LEAF[0]}" -r dum0=5gbit -r s0=1gbit -r s1=6gbit -r 4gbit -r s0=7gbit &&
		rate_is s0 7000000000 configured && rate_is dum0 5000000000 configured &&
		daemon_looked && rate_is s1 2000000000 configured || return
	leaf_ip link add s18 up type veth peer name t18 || return
	leaf_ip link set t18 up && leaf_ip address add 10.8.18.0/31 dev s18 || return
	daemon_restart "${LEAF[0]}" -r s18=9gbit &&
		leaf_ip route replace 10.0.9.2 nexthop via 10.8.90.1 dev brx nexthop via 10.8.0.1 dev s0 \
			nexthop dev dum0 nexthop via 10.8.18.1 dev s18 &&
		rate_is s18 9000000000 configured
}

# Without -r, s0 has the speed of its link again, and dum0, whose link reports none, keeps its rate.
rates_follow_options() {
	rate_is s0 10000000000 link && rate_is dum0 5000000000 configured &&
		daemon_restart "${LEAF[0]}" -r 3gbit && rate_is dum0 3000000000 configured &&
		rate_is s0 10000000000 link || return
	conga 0 port del s1 && leaf_ip link del s18
}

# ---- tests: state that stays ----

# A daemon that starts later finds nothing to change.
state() {
	ports "${LEAF[0]}"
	leaves "${LEAF[0]}"
}

restart_disturbs_nothing() {
	local before

	busywait "$PATIENCE_MS" marks_gone && before=$(state) || return
	pings_start
	daemon_stop "${LEAF[0]}" || return
	[[ $(state) == "$before" ]] ||
		fail "the end of congad changed the configuration: $(state | paste -sd,)" || return
	daemon_start "${LEAF[0]}" && daemon_looked && kill -HUP "${DAEMON[${LEAF[0]}]}" &&
		daemon_looked && pings_stop 0 || return
	busywait "$PATIENCE_MS" state_is "$before" ||
		fail "the configuration was $(paste -sd, <<<"$before")," \
			"and is $(state | paste -sd,)" || return
	(($(times_said "${LEAF[0]}" "(port|fabric) .*") == 0)) ||
		fail "congad logged $(<"$(log_of "${LEAF[0]}")")"
}

# The markers of daemon_looked are removed later.
marks_gone() {
	has_no_line leaves "${LEAF[0]}" "10.0.9.1[0-9][0-9] *"
}

state_is() {
	[[ $(state) == "$1" ]]
}

# Both directions of a plane are set, so that no node sends to a link that is down, and by one
# command, since leaves use the spine as soon as a link is up, whether it has routes or not. What
# they send meanwhile is lost, as with the kernel's own routes: FLAP_US is that time.
flap() {
	local words=$1 since=${EPOCHREALTIME/./} status

	{
		echo "link set down1.0 $words"
		[[ $words == down ]] || echo "route replace ${VTEP[1]}/32 via 10.1.0.4 dev down1.0"
		echo "link set down0.0 $words"
		[[ $words == down ]] || echo "route replace ${VTEP[0]}/32 via 10.1.0.0 dev down0.0"
	} | ip -n "${SPINE[0]}" -batch -
	status=$?
	FLAP_US=$((FLAP_US + ${EPOCHREALTIME/./} - since))
	return "$status"
}

path_by_up0() {
	[[ $(conga 0 -j path show leaf "${VTEP[1]}" |
		jq -r '.[] | select(.dev == "up0") | .state') == "$1" ]]
}

# The later port, up1, keeps LBTag 1 all the time, and up0 gets its own again when it returns. A
# flap may cost the packet that is on the link, and those that leave while it is set up.
tags_survive_flaps() {
	local i FLAP_US=0

	pings_start
	for ((i = 1; i <= FLAPS; i++)); do
		flap down && busywait "$PATIENCE_MS" path_by_up0 down && daemon_looked &&
			port_is up0 uplink 0 auto && port_is up1 uplink 1 auto || return
		flap up && busywait "$PATIENCE_MS" path_by_up0 usable ||
			fail "the path by up0 is not usable after flap $i" || return
	done
	echo "# the flaps took $FLAP_US us"
	pings_stop "$((FLAPS + FLAP_US / 1000 / PINGS_MS))" && by_itself || return
	(($(times_said "${LEAF[0]}" "port up[01] .*") == 0)) ||
		fail "congad logged $(<"$(log_of "${LEAF[0]}")")"
}

# The kernel removes the nexthop object of a link that flaps, without a notification; the route
# never has it again. The device keeps its place.
dropped_nexthop_stays_a_port() {
	local before

	before=$(ports "${LEAF[0]}" | grep '^s2 ')
	leaf_ip link set t2 down && daemon_looked && leaf_ip link set t2 up && daemon_looked || return
	[[ $(ports "${LEAF[0]}" | grep '^s2 ') == "$before" ]] ||
		fail "port s2 changed or was removed"
}

device_goes() {
	leaf_ip link del s7 && port_is_gone s7 && daemon_looked
}

# ---- tests: operators ----

manual_leaf_wins() {
	conga 0 leaf set "${VTEP[1]}" mode plain && daemon_looked &&
		leaf_is "${VTEP[1]}" plain manual || return
	daemon_restart "${LEAF[0]}" && daemon_looked && leaf_is "${VTEP[1]}" plain manual || return
	leaf_fdb del "$ZERO" dev vx dst "${VTEP[1]}" self && conga 0 leaf add 10.0.9.88 mode plain &&
		daemon_restart "${LEAF[0]}" -hold 0 && daemon_looked || return
	leaf_is "${VTEP[1]}" plain manual && leaf_is 10.0.9.88 plain manual || return
	conga 0 leaf del 10.0.9.88 && conga 0 leaf del "${VTEP[1]}" &&
		leaf_fdb append "$ZERO" dev vx dst "${VTEP[1]}" self permanent &&
		daemon_restart "${LEAF[0]}" && leaf_is "${VTEP[1]}" auto auto
}

manual_port_wins() {
	conga 0 port del up1 && port_is up1 uplink "[0-9]*" auto && conga 0 port set up1 rate 5gbit &&
		daemon_looked && port_is up1 uplink "[0-9]*" manual || return
	conga 0 port del up1 && conga 0 port add up1 role transit && daemon_looked &&
		port_is up1 transit - manual || return
	conga 0 port del up1 && port_is up1 uplink 1 auto
}

# ---- tests: many ----

# The first devices are those with the lowest ifindex; up0 and up1 exist already.
more_than_sixteen() {
	local i hops=()

	daemon_stop "${LEAF[0]}" && clear_ports || return
	leaf_ip link add s7 up type veth peer name t7 && leaf_ip link set t7 up &&
		leaf_ip address add 10.8.7.0/31 dev s7 || return
	for ((i = 0; i < SPARE; i++)); do
		hops+=(nexthop via "10.8.$i.1" dev "s$i")
	done
	leaf_ip route replace 10.0.9.2 "${hops[@]}" && daemon_start "${LEAF[0]}" -idle 2 || return
	says_soon "${LEAF[0]}" "more than 16 nexthops: s15, s16, s17, s7 left out, because an LBTag has 4 bits" ||
		return
	(($(ports "${LEAF[0]}" | grep -c uplink) == 16)) || fail "$(ports "${LEAF[0]}")" || return
	daemon_looked && daemon_looked || return
	(($(times_said "${LEAF[0]}" "more than 16.*") == 1)) ||
		fail "the limit of uplinks was not logged exactly once" || return
	port_is up0 uplink 0 auto && port_is up1 uplink 1 auto
}

# These devices are no longer nexthops of any route.
idle_gives_way() {
	leaf_ip route replace 10.0.9.2 nexthop via 10.8.16.1 dev s16 nexthop via 10.8.17.1 dev s17 &&
		uplink_is s16 && uplink_is s17 || return
	grep -q "^congad: port s[0-9]* removed: no LBTag was free, the port was long unused$" \
		"$(log_of "${LEAF[0]}")" ||
			fail "congad logged $(<"$(log_of "${LEAF[0]}")")" || return
	port_is up0 uplink 0 auto && port_is up1 uplink 1 auto
}

# ---- tests: fabric, spine, options ----

fabric_returns() {
	daemon_restart "${LEAF[0]}" && daemon_looked && conga 0 fabric del || return
	says_soon "${LEAF[0]}" "the fabric was deleted: waiting for a new one" || return
	leaf_fdb add "$MAC:09" dev vx dst 10.0.9.9 self permanent || return
	# The daemon has searched more than once, and created none.
	busywait 1000 false
	! conga 0 -j leaf show >/dev/null 2>&1 || fail "congad created a fabric" || return
	conga 0 fabric add && says_soon "${LEAF[0]}" "a new fabric was found" &&
		leaf_is "${VTEP[1]}" auto auto && leaf_is 10.0.9.9 auto auto &&
		uplink_is up0 && uplink_is up1
}

transit_is() {
	[[ $(ports "${SPINE[0]}" | paste -sd,) == "$1" ]]
}

# These are the links to the leaves; behind them there is no other router.
spine() {
	ip -n "${SPINE[0]}" -batch - <<-END || return
		link add nobody up type veth peer name nothing
		link set nothing up
		address add 10.7.0.0/31 dev nobody
	END
	daemon_start "${SPINE[0]}" || return
	busywait "$PATIENCE_MS" transit_is "down0.0 transit - auto,down1.0 transit - auto" ||
		fail "the ports are $(ports "${SPINE[0]}" | paste -sd,);" \
			"$(<"$(log_of "${SPINE[0]}")")"
}

# Its first tunnel makes the node a leaf.
spine_becomes_leaf() {
	ip -n "${SPINE[0]}" link add vx up type vxlan id 100 remote "${VTEP[0]}" dstport 4789 ||
		return
	busywait "$PATIENCE_MS" has_line ports "${SPINE[0]}" "down0.0 uplink 0 auto" ||
		fail "the ports are $(ports "${SPINE[0]}" | paste -sd,)" || return
	ip -n "${SPINE[0]}" link del vx && daemon_stop "${SPINE[0]}"
}

told_to_be_a_leaf() {
	"$CONGA" -n "${SPINE[1]}" fabric add && "$CONGAD" -n "${SPINE[1]}" -m leaf -1 || return
	[[ ! $(ports "${SPINE[1]}") ]] || fail "spine 1, which has no tunnel, has ports" || return
	says 0 "congad: port down0.0 added as a transit port: nexthop of a route
congad: port down1.0 added as a transit port: nexthop of a route" \
		"$CONGAD" -n "${SPINE[1]}" -m spine -1 -v || return
	says 0 "" "$CONGAD" -n "${SPINE[1]}" -m spine -1 -v
}

options() {
	says 2 'Error: argument "root" is wrong: mode: not leaf, spine or auto' "$CONGAD" -m root &&
		says 2 'Error: argument "=1gbit" is wrong: rate: not the name of a device' \
			"$CONGAD" -r =1gbit &&
		says 2 'Error: argument "sixteen-letters-=1gbit" is wrong: rate: not the name of a device' \
			"$CONGAD" -r sixteen-letters-=1gbit &&
		says 2 'Error: argument "s0=0" is wrong: rate: must be above 0' "$CONGAD" -r s0=0 &&
		says 1 'Cannot open network namespace "none": No such file or directory' \
			"$CONGAD" -n none || return
	[[ $("$CONGAD" -V) == "congad "[0-9]* && $("$CONGAD" -h) == Usage:* ]]
}

setup() {
	topo_up && spare_up && daemon_start "${LEAF[0]}" && daemon_start "${LEAF[1]}"
}

tap_plan 32
require_root
require_commands ip bridge jq ping
require_module
setup || die "cannot set up"
tap_test "congad makes the fabric, its uplinks and the other leaf without a command" by_itself
tap_test "static entries make a leaf, with a MAC and without" static_entry
tap_test "own, multicast and link-local addresses make no leaf" no_leaves
tap_test "a nexthop group of forwarding entries makes a leaf" nexthop_group_entry
tap_test "a device for several VNIs makes a leaf" collect_metadata
tap_test "a point-to-point device makes a leaf, with IPv4 and IPv6" point_to_point
tap_test "a leaf is removed with the device that forwards to it" device_removed
tap_test "a leaf is removed after the hold time" held
tap_test "a multipath route makes uplinks" multipath_route
tap_test "a nexthop group makes uplinks, also when it grows" nexthop_objects
tap_test "a nexthop group that a route names by id alone makes uplinks" nexthop_objects_alone
tap_test "IPv6 gateways of an IPv4 route make uplinks" via_inet6
tap_test "an IPv6 multipath route makes uplinks" ipv6_route
tap_test "an IPv6 nexthop object makes uplinks" ipv6_objects
tap_test "routes in a VRF make uplinks" vrf
tap_test "a bridge makes no uplink" no_uplinks
tap_test "a link without a speed is reported once, and -r gives it a rate" no_speed
tap_test "-r DEV=RATE sets the rate of a device, whatever its link reports" rates_of_devices
tap_test "a rate is again that of the link when -r no longer gives it" rates_follow_options
tap_test "a restart changes nothing, and no packet is lost" restart_disturbs_nothing
tap_test "LBTags stay the same over three flaps" tags_survive_flaps
tap_test "a nexthop that the kernel drops stays a port" dropped_nexthop_stays_a_port
tap_test "a port is removed with its device" device_goes
tap_test "an operator's leaf is kept unchanged" manual_leaf_wins
tap_test "an operator's port is kept unchanged" manual_port_wins
tap_test "of more than 16 nexthops the first 16 become uplinks, with one warning" more_than_sixteen
tap_test "an idle uplink is replaced when another one needs its place" idle_gives_way
tap_test "congad continues when the fabric is deleted and added" fabric_returns
tap_test "a spine's links become transit ports" spine
tap_test "a spine becomes a leaf when it gets a tunnel" spine_becomes_leaf
tap_test "-m leaf and -m spine set the role in one run" told_to_be_a_leaf
tap_test "options are accepted, and wrong ones are rejected" options
tap_exit
