#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MTUs that differ. A packet that fits its own route must not be cut or lost because the chosen
# uplink is narrower: such a packet is left to the kernel. An ICMP error reports a narrower link
# behind a spine, and TCP continues with smaller packets, whether or not the kernel's own route
# uses this link, as TCP does without conga. If fragmentation is allowed, the spine cuts, and
# nothing else happens. A leaf may be unreachable for a time without harm.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tcp.sh"

TOPO_LINKS=1
TOPO_FABRIC_MTU=1500
FABRIC_RATE=1tbit		# so fast that CE stays 0

readonly SMALLER=400		# bytes less than the largest packet: no MTU is too small
readonly NARROW=1400		# MTU of an uplink
readonly BEHIND_FIRST=1380	# MTU of a link behind a spine, smaller each time but above 1280
readonly ADDRESSES=0x3		# fib_multipath_hash_fields of the leaf's routes
readonly COUNT=40 LEAST=6	# flows, and the least number on each of two uplinks
readonly SINK=9
readonly PATIENCE_MS=20000
readonly -a UNRELATED=([4]=198.51.100.1 [6]=2001:db8::1)
readonly LONG_EXPIRY=600	# seconds that the kernel keeps a path MTU
readonly PINGS=20		# far more than the leaf's other packets on a link
readonly -a OVERHEAD=([4]=50 [6]=70)	# bytes of VXLAN's headers
readonly INNER_HEADERS=28		# IPv4 and UDP

# ---- set up ----

# A tunnel keeps its route; a new entry has no route yet, and makes the kernel look for one.
new_entry() {
	local word

	for word in del append; do
		echo "fdb $word 00:00:00:00:00:00 dev vx dst ${VTEP[1]} self permanent"
	done | bridge -n "${LEAF[0]}" -batch -
}

# A nexthop whose link has no carrier yet is not usable.
nexthops_are_up() {
	! ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" route show "${VTEP[1]}" | grep -q linkdown
}

# own_route_is UPLINK: true if the pings of find_own_route left by this uplink
own_route_is() {
	(($(link_counter "${LEAF[0]}" "up$1" tx packets) - BEFORE[$1] >= PINGS))
}

# The tunnel's own packets show the leaf's own route, which depends on addresses alone: it is the
# same for all flows.
find_own_route() {
	local u

	for u in 0 1; do
		BEFORE[u]=$(link_counter "${LEAF[0]}" "up$u" tx packets) || return
	done
	in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.02 -W 5 "${HOST_IP[1.0]}" >/dev/null ||
		return
	OWN=0
	own_route_is 0 || OWN=1
	own_route_is "$OWN" && OTHER=$((1 - OWN))
}

own_routes() {
	in_ns "${LEAF[0]}" sysctl -qw "net.ipv4.fib_multipath_hash_fields=$ADDRESSES" \
		"net.ipv6.fib_multipath_hash_fields=$ADDRESSES" || return
	busywait "$PATIENCE_MS" nexthops_are_up && new_entry && find_own_route
}

# Every flow has an uplink of its own, and each uplink has half of the flows.
fabrics_up() {
	fabric_leaf 0 ecmp conga && fabric_leaf 1 ecmp conga
}

fabrics_down() {
	conga 0 fabric del && conga 1 fabric del
}

setup() {
	BEHIND=$BEHIND_FIRST
	TOPO_HOST_MTU=$((TOPO_FABRIC_MTU - OVERHEAD[TOPO_UNDERLAY]))
	topo_up && tunnel_says_nothing && own_routes && fabrics_up || return
	"$TESTS/tools/udp_listen" "${HOST[1.0]}" "$SINK" >"$TOPO_DIR/sink" &
	busywait "$PATIENCE_MS" grep -qs listening "$TOPO_DIR/sink"
}

# ---- traffic ----

sink_has() {
	(($(wc -l <"$TOPO_DIR/sink") == $1))
}

send_flows() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$COUNT" -l "$1" -p "$SINK" "${HOST_IP[1.0]}" -
}

# flows_arrive [BYTES_LESS]: each flow sends one datagram, the largest that the hosts' link
# carries, or one that is BYTES_LESS smaller
flows_arrive() {
	local before

	before=$(wc -l <"$TOPO_DIR/sink")
	send_flows $((TOPO_HOST_MTU - INNER_HEADERS - ${1:-0})) || return
	busywait "$PATIENCE_MS" sink_has $((before + COUNT)) ||
		fail "$(($(wc -l <"$TOPO_DIR/sink") - before)) of $COUNT datagrams arrived"
}

# So many connections that each uplink has some
transfer() {
	tcp_crosses -C 1e8 -l 1 -S 100000 -n 48 -c 48 -D 20
}

# ---- counters of the kernel ----

# This counter counts the packets that leaf and spines cut.
cuts() {
	local ns sum=0 name=IpFragCreates

	((TOPO_UNDERLAY == 4)) || name=Ip6FragCreates
	for ns in "${LEAF[0]}" "${SPINE[@]}"; do
		sum=$((sum + $(snmp_of "$ns" "$name")))
	done
	echo "$sum"
}

# told NAME: prints the number of ICMP errors that leaf 0 received
told() {
	((TOPO_UNDERLAY == 4)) && snmp_of "${LEAF[0]}" IcmpInDestUnreachs && return
	snmp_of "${LEAF[0]}" "Icmp6In$1"
}

was_told_more() {
	(($(told "$1") > $2))
}

# ---- a narrow uplink ----

uplink_mtu() {
	ip -n "${LEAF[0]}" link set "up$OTHER" mtu "$1"
}

# Sets STEERED and LEFT.
steered_and_left() {
	local grown

	grown=" $(stats_growth "${LEAF[0]}") " STEERED=0 LEFT=0
	[[ ! $grown =~ \ tx_steered=([0-9]+) ]] || STEERED=${BASH_REMATCH[1]}
	[[ ! $grown =~ \ fallback_mtu=([0-9]+) ]] || LEFT=${BASH_REMATCH[1]}
}

large_flows_are_whole() {
	local cut

	cut=$(cuts)
	stats_mark "${LEAF[0]}"
	flows_arrive || return
	steered_and_left
	((STEERED + LEFT == COUNT && STEERED >= LEAST && LEFT >= LEAST)) ||
		fail "$STEERED packets were steered, $LEFT were left to the kernel" || return
	(($(cuts) == cut)) || fail "a packet was fragmented"
}

# This is the control: these packets would also have fitted into the narrow uplink.
small_flows_are_steered() {
	stats_mark "${LEAF[0]}"
	flows_arrive $((TOPO_FABRIC_MTU - NARROW)) || return
	steered_and_left
	((STEERED == COUNT && LEFT == 0)) ||
		fail "$STEERED packets were steered, $LEFT were left to the kernel"
}

bursts_are_whole() {
	local cut

	cut=$(cuts)
	stats_mark "${LEAF[0]}"
	transfer || return
	steered_and_left
	((STEERED > 0 && LEFT > 0)) ||
		fail "$STEERED packets were steered, $LEFT were left to the kernel" || return
	(($(cuts) == cut)) || fail "a packet was fragmented"
}

narrow_uplink() {
	local status=0

	uplink_mtu "$NARROW" || return
	"$@" || fail "the test failed with a small MTU at up$OWN" || status=1
	uplink_mtu "$TOPO_FABRIC_MTU" && return "$status"
}

# ---- a narrow link behind a spine ----

behind_mtu() {
	ip -n "${SPINE[$1]}" link set down1.0 mtu "$2"
}

# narrow_behind SPINE COMMAND...: runs the command while the link behind the spine is narrow,
# and the leaf receives an ICMP error for it. IPv6 keeps the previous path MTU, so that
# each time the link is narrower than before.
narrow_behind() {
	local before

	BEHIND=$((BEHIND - 20))
	behind_mtu "$1" "$BEHIND" || return
	before=$(told PktTooBigs)
	"${@:2}" || return
	busywait "$PATIENCE_MS" was_told_more PktTooBigs "$before" ||
		fail "the leaf received no ICMP error" || return
	behind_mtu "$1" "$TOPO_FABRIC_MTU"
}

may_cut() {
	((TOPO_UNDERLAY == 6)) || ip -n "${LEAF[0]}" link set vx type vxlan df "$1"
}

own_spine_says_too_big() {
	may_cut set && fabrics_down || return
	narrow_behind "$OWN" transfer || fail "TCP fails even without a fabric" || return
	fabrics_up && narrow_behind "$OWN" transfer
}

# These are packets that the kernel would not have sent by this path.
other_spine_says_too_big() {
	narrow_behind "$OTHER" transfer
}

# forget_at NETNS: removes the path MTUs of ICMP errors that the node keeps for IPv4
forget_at() {
	ip -n "$1" route flush cache
}

# Of a route of IPv6 with several nexthops the kernel lists the path MTUs of the first one
# alone, and "route flush cache" removes what is listed. A new route has none.
new_route() {
	local route

	route=$(ip -o -n "${LEAF[0]}" -6 route show "${VTEP[1]}") &&
		echo "route replace ${route//\\/}" | ip -n "${LEAF[0]}" -6 -batch -
}

# forget: removes the path MTUs of the underlay, and of the host, which uses IPv4
forget() {
	BEHIND=$BEHIND_FIRST
	forget_at "${LEAF[0]}" && forget_at "${HOST[0.0]}" || return
	((TOPO_UNDERLAY == 4)) || new_route
}

expiry_is() {
	in_ns "${LEAF[0]}" sysctl -qw "net.ipv$TOPO_UNDERLAY.route.mtu_expires=$1"
}

# path_mtu: sets MTU_LEFT, the seconds for which the kernel still keeps the path MTU of an ICMP
# error; empty if it keeps none. IPv4 keeps it for all nexthops of a route, IPv6 for the one
# that its own lookup chooses.
path_mtu() {
	local said by=$OTHER

	((TOPO_UNDERLAY == 4)) || by=$OWN
	said=$(ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" route get "${VTEP[1]}" oif "up$by")
	MTU_LEFT=
	[[ ! $said =~ expires\ ([0-9]+)sec\ mtu ]] || MTU_LEFT=${BASH_REMATCH[1]}
}

# Another route is added and removed, as routing daemons do all the time.
routes_change() {
	ip -n "${LEAF[0]}" "-$TOPO_UNDERLAY" -batch - <<-END
		route add unreachable ${UNRELATED[TOPO_UNDERLAY]}
		route del unreachable ${UNRELATED[TOPO_UNDERLAY]}
	END
}

# path_mtu_kept SECONDS: is a path MTU that is to be kept so long still known when the small
# packets have made conga look for the path?
path_mtu_kept() {
	forget && expiry_is "$1" &&
		narrow_behind "$OTHER" send_flows $((TOPO_HOST_MTU - INNER_HEADERS)) &&
		routes_change && flows_arrive "$SMALLER" && path_mtu || return
	[[ $MTU_LEFT ]] || fail "a path MTU of $1 s had expired before the path was searched"
}

# path_mtu_expires COMMAND: the kernel forgets a path MTU without any event. After it expired,
# and the command ran, large packets use that path again. On a slow computer it has to be kept
# for longer. The pause is the time that was left. A query of the route would not only show whether
# it is over, but also make the kernel delete what expired.
path_mtu_expires() {
	may_cut set || return
	path_mtu_kept 4 || path_mtu_kept 30 || return
	sleep $((MTU_LEFT + 1))
	"$1" || return
	forget_at "${HOST[0.0]}" && expiry_is "$LONG_EXPIRY" || return
	stats_mark "${LEAF[0]}"
	flows_arrive && stats_grew "${LEAF[0]}" "tx_steered=$COUNT"
}

spine_cuts() {
	local cut

	forget && may_cut unset && behind_mtu "$OTHER" "$BEHIND" || return
	cut=$(cuts)
	stats_mark "${LEAF[1]}"
	flows_arrive || return
	(($(cuts) - cut >= 2 * LEAST)) ||
		fail "the spine fragmented fewer than $((2 * LEAST)) packets" || return
	stats_grew "${LEAF[1]}" "rx_stamped=$COUNT rx_learnt=$COUNT" &&
		behind_mtu "$OTHER" "$TOPO_FABRIC_MTU"
}

# ---- unreachable ----

spine_route() {
	ip -n "${SPINE[0]}" route del "${VTEP[1]}" &&
		ip -n "${SPINE[0]}" route add "$@"
}

unreachable_is_harmless() {
	local before

	topo_link_addresses 1 0 0
	before=$(told DestUnreachs)
	spine_route unreachable "${VTEP[1]}" && send_flows 100 || return
	busywait "$PATIENCE_MS" was_told_more DestUnreachs "$before" ||
		fail "no ICMP destination-unreachable error was received" || return
	spine_route "${VTEP[1]}" via "$LEAF_END" dev down1.0 || return
	stats_mark "${LEAF[0]}"
	flows_arrive "$SMALLER" && stats_grew "${LEAF[0]}" "tx_steered=$COUNT tx_stamped=$COUNT"
}

underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: large packets arrive whole beside a narrow uplink" \
		narrow_uplink large_flows_are_whole
	tap_test "v$1: small packets use a narrow uplink" narrow_uplink small_flows_are_steered
	tap_test "v$1: bursts arrive whole beside a narrow uplink" narrow_uplink bursts_are_whole
	tap_test "v$1: TCP continues with a narrow link on the kernel's own path" \
		own_spine_says_too_big
	tap_test "v$1: TCP continues with a narrow link on another path" other_spine_says_too_big
	tap_test "v$1: large packets are steered after the path MTU of an ICMP error expired" \
		path_mtu_expires true
	tap_test "v$1: packets are steered after the kernel gave up a route whose path MTU expired" \
		path_mtu_expires new_entry
	if ((TOPO_UNDERLAY == 4)); then
		tap_test "v$1: all packets arrive over a narrow link where a spine may fragment" \
			spine_cuts
	fi
	tap_test "v$1: a leaf that was unreachable is steered to as before" unreachable_is_harmless
	topo_down
}

tap_plan 17
require_root
require_commands ip nstat sysctl
require_module
underlay 4
underlay 6
tap_exit
