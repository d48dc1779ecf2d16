#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# HULA in a fabric of three tiers, in simulated time, in which code takes no time. The probes of
# each leaf reach every node exactly once per interval on each link where a route leads back. A
# new flowlet takes the best hop at every node. Packets leave a loaded link, one that is cut, and
# one that silently drops packets. A packet changes nothing if it is no probe, or if it is not a
# neighbour's probe about a known leaf.
#
# A pause lets packets, timers and ages proceed by exactly this simulated time on any machine. It
# is not a wait for a condition.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/hula_fabric.sh"

readonly INTERVALS=100 TP=0.0002
readonly LEAST_PERCENT=99	# percent of probes or flowlets: each end loses a moment
readonly LEAF_ID=01020304

# ---- probes ----

every_leaf_is_known() {
	local box l best

	for box in "${BOXES[@]}"; do
		for l in "${!LEAF[@]}"; do
			[[ $box == "${LEAF[l]}" ]] && continue
			best=$(best_of "$box" "$l") || return
			[[ $best != null ]] ||
				fail "${box%-*} knows no best path to leaf $l" || return
		done
	done
	[[ $(conga 0 -j leaf show "${VTEP[1]}" |
		jq -c '.[0] | [.best, .utilisation, .probe_age_ns] | map(type)') == \
		'["string","number","number"]' ]] || fail "$(conga 0 -j leaf show)"
}

# link_carries NAMESPACE DEVICE LEAVES [MORE]: checks the probes that the device receives
link_carries() {
	local count more=${4:-0}

	count=$(received "$1" "$2")
	((count <= ($3 + more) * INTERVALS && count >= $3 * INTERVALS * LEAST_PERCENT / 100)) ||
		fail "$2 of ${1%-*} received $count probes in $INTERVALS intervals," \
			"about $3 leaves and $more"
}

# Links towards the cores carry the probes of a leaf, and those that its spines received from
# below. Links towards the leaves carry the probes of other nodes, and those that a core received
# from the other spine of the pod. All links are checked together, since simultaneous probes
# arrive in one order: another copy may take any other link.
one_probe_a_leaf_and_link() {
	local l s c link

	count_probes || return
	sleep "$(awk "BEGIN { print $INTERVALS * $TP }")"
	probes_off || return
	for l in "${!LEAF[@]}"; do
		for link in ${LEAF_LINKS[l]}; do
			link_carries "${LEAF[l]}" "up${link%.*}" 3 &&
				link_carries "${SPINE[${link%.*}]}" "down$l.0" 1 || return
		done
	done
	for c in "${!CORE[@]}"; do
		for s in "${!SPINE[@]}"; do
			link_carries "${CORE[c]}" "spine$s" 2 && link_carries "${SPINE[s]}" "core$c" 2 2 ||
				return
		done
	done
	probes_on
}

# The probes of a leaf reach the other spine of its pod through a core, but this spine has no
# route in that direction.
only_where_a_route_leads_back() {
	local box

	for box in "${SPINE[@]}"; do
		(($(stat_of "$box" probe_not_path) >= 0)) || return
	done
	(($(stat_of "${SPINE[0]}" probe_not_path) + $(stat_of "${SPINE[1]}" probe_not_path) > 0)) ||
		fail "no probe was counted in probe_not_path" || return
	[[ $(best_of "${SPINE[0]}" 1) == down1.0 && $(best_of "${SPINE[1]}" 1) == down1.0 ]] ||
		fail "spines reach leaf 1 by $(best_of "${SPINE[0]}" 1), $(best_of "${SPINE[1]}" 1)"
}

# probe_is NAMESPACE DEVICE LBTAG UTILISATION HOPS: checks the next probe about leaf 0 that
# arrives by the device, from its IP header; the values are regular expressions of hexadecimal
# digits
probe_is() {
	local expected said filter="udp[24:4] = 0x$LEAF_ID"
	local ip="45c00050....4000ff11............e0000001"

	if ((TOPO_UNDERLAY == 6)); then
		filter="ip6[64:4] = 0x$LEAF_ID"
		ip="6c000000003c11fffe80.{28}ff02$(printf '%027d1' 0)"
	fi
	expected="^${ip}[c-f]...12b5003c....08${3}00100fffffe00434e474101040000${LEAF_ID}0300"
	expected+="0000$(printf '%016d' 0)$(digits "${VTEP[0]}")$4${5}0000\$"
	said=$(in_ns "$1" timeout 1 tcpdump -i "$2" -Q in -c 1 -l -n -q -x "$filter" 2>/dev/null |
		sed -n 's/^\t0x[0-9a-f]*: *//p' | tr -d ' \n')
	[[ $said =~ $expected ]] || fail "$2 of ${1%-*} received $said, expected: $expected"
}

# The test checks a leaf's own probe, and the probe that its spine forwards, whose links are
# utilised by probes.
golden_probes() {
	conga 0 fabric set leaf-id "0x$LEAF_ID" &&
		probe_is "${SPINE[0]}" down0.0 0 00 08 && probe_is "${CORE[0]}" spine0 0 .. 07
}

# This wait is longer than a probe is in transit: tau, which is Tdre over alpha.
dre_remembers_probes() {
	local tdre

	conga 0 port set up0 rate 100gbit && tdre_is 40000 &&
		conga 0 fabric set probe 1ms && tdre_is 200000 &&
		conga 0 fabric set probe auto tdre 20us && tdre_is 20000 &&
		conga 0 fabric set tdre auto && conga 0 port set up0 rate "$FABRIC_RATE" && sleep 0.002
}

# tdre_is NS
tdre_is() {
	tdre=$(conga 0 -j port show up0 | jq '.[0].tdre_ns')
	((tdre == $1)) || fail "Tdre is $tdre, expected $1"
}

# Code takes no time here, so that the timer is never late.
timer_keeps_up() {
	conga 0 -j fabric show | json_is '.[0] | .probe_late_ns == 0 and .probe_latest_ns == 0' ||
		fail "$(conga 0 -d fabric show)" || return
	(($(stat_of "${LEAF[0]}" probe_late) + $(stat_of "${LEAF[0]}" probe_skipped) == 0)) ||
		fail "$(stats_words "${LEAF[0]}")"
}

# ---- traffic ----

# The packets go to the other pod: they cross two spines, and one core between them.
every_box_decides() {
	local box total=0 one

	for box in "${SPINE[@]}" "${CORE[@]}"; do stats_mark "$box"; done
	stats_mark "${LEAF[0]}"
	send 0 2 "$FLOWS" || return
	for box in "${SPINE[@]}" "${CORE[@]}"; do
		one=$(grown "$box" forward_steered)
		total=$((total + one))
	done
	((total == 3 * FLOWS)) ||
		fail "$total packets were steered by the spines, expected $((3 * FLOWS))" || return
	(($(grown "${LEAF[0]}" tx_steered) == FLOWS)) ||
		fail "the counters of the leaf moved by: $(stats_growth "${LEAF[0]}")"
}

# The probes found this path idle after other traffic loaded the previous path.
loaded_link_is_left() {
	local before after

	before=$(best_of "${SPINE[0]}" 2)
	[[ $before == core* ]] || fail "spine 0 reaches leaf 2 by $before" || return
	load_start "${SPINE[0]}" "$before" || return
	sleep 0.05
	after=$(best_of "${SPINE[0]}" 2)
	load_stop
	[[ $after == core* && $after != "$before" ]] ||
		fail "with a load on $before the best hop is $after"
}

# uplinks_of_flows: prints how many uplinks simultaneous new flows take, between two probes
uplinks_of_flows() {
	conga 0 flowlet flush && sleep 0.002 && send 0 2 "$FLOWS" &&
		conga 0 -j flowlet show leaf "${VTEP[2]}" | jq 'map(.dev) | unique | length'
}

# Flowlets last until they are looked at, and not until the next test.
near_hops_are_used() {
	local near best default

	default=$(conga 0 -j fabric show | jq '.[0].policy_params.near')
	conga 0 fabric set flowlet-timeout 10ms policy hula near 255 && near=$(uplinks_of_flows) &&
		conga 0 fabric set policy hula near 0 && best=$(uplinks_of_flows) &&
		conga 0 fabric set flowlet-timeout auto policy hula near "$default" &&
		conga 0 flowlet flush || return
	[[ $near == 2 && $best == 1 ]] ||
		fail "flows take $near uplinks with near 255, and $best with near 0"
}

# ---- failures ----

cut_link_is_left() {
	local before after

	before=$(best_of "${LEAF[0]}" 2)
	ip -n "${LEAF[0]}" link set "$before" down || return
	sleep 0.001
	after=$(best_of "${LEAF[0]}" 2)
	ip -n "${LEAF[0]}" link set "$before" up
	[[ $after == up* && $after != "$before" ]] ||
		fail "without $before the best hop is $after"
}

# The spine drops all packets that it receives: links and routes stay up.
silent_box_is_left() {
	local before after reason

	before=$(best_of "${LEAF[0]}" 2)
	silence "$before" || return
	sleep 0.002
	after=$(best_of "${LEAF[0]}" 2)
	reason=$("$CONGA" -n "${LEAF[0]}" -j path show leaf "${VTEP[2]}" |
		jq -r ".[] | select(.dev == \"$before\").reason")
	speak "$before"
	[[ $after == up* && $after != "$before" ]] ||
		fail "with $before silent the best hop is $after" || return
	[[ $reason == unprobed ]] ||
		fail "the path by $before is $reason, expected unprobed" || return
	sleep 0.002
	reason=$("$CONGA" -n "${LEAF[0]}" -j path show leaf "${VTEP[2]}" |
		jq -r ".[] | select(.dev == \"$before\").state")
	[[ $reason == usable ]] || fail "the path by $before is $reason, expected usable"
}

# The flow moves with the next packet, even without a gap.
flowlet_leaves_silent_box() {
	local before on traffic

	conga 0 fabric set flowlet-timeout 10ms || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -d eth0 -m "${HOST_MAC[2.0]}" -s "${HOST_IP[0.0]}" \
		-c 1000 -i 50 "${HOST_IP[2.0]}" - &
	traffic=$!
	sleep 0.001
	before=$(flowlet_on)
	[[ $before == up* ]] || fail "the flow is on $before, which is no uplink" || return
	silence "$before" || return
	sleep 0.002
	on=$(flowlet_on)
	speak "$before"
	wait "$traffic" || return
	conga 0 fabric set flowlet-timeout auto || return
	[[ $on == up* && $on != "$before" ]] || fail "with $before silent the flow is on $on"
}

# There is one flow to leaf 2.
flowlet_on() {
	conga 0 -j flowlet show leaf "${VTEP[2]}" | jq -r '.[-1].dev'
}

# Prints "LEAF STATE REASON" of each event about leaf 0's DEVICE, in the order of leaves.
told_of() {
	jq -r "select(.dev == \"$1\") | \"\(.leaf) \(.state) \(.reason)\"" "$TOPO_DIR/told" |
		sort -s -k 1,1 | paste -sd,
}

# told_once COMMAND: exactly one event for each leaf behind a silent node reports it. After the
# command, which gets the uplink, exactly one event reports that the paths are usable again.
told_once() {
	local before monitor expected="" l

	before=$(best_of "${LEAF[0]}" 2)
	"$CONGA" -n "${LEAF[0]}" -j monitor path >"$TOPO_DIR/told" &
	monitor=$!
	sleep 0.01
	silence "$before" || return
	sleep 0.01
	"$1" "$before"
	sleep 0.01
	kill "$monitor" && wait "$monitor"
	for l in 1 2 3; do expected+="${VTEP[l]} silent unprobed,${VTEP[l]} usable null,"; done
	[[ $(told_of "$before"), == "$expected" ]] ||
		fail "the events are: $(told_of "$before"), expected: $expected"
}

silence_is_told() {
	stats_mark "${LEAF[0]}"
	told_once speak &&
		stats_grew "${LEAF[0]}" path_unprobed=3 && stats_grew "${LEAF[0]}" path_probed=3
}

# A node that does not listen for probes misses none.
forget_silence() {
	conga 0 fabric set policy conga
	sleep 0.01
	speak "$1"
	conga 0 fabric set policy hula
}

forgotten_silence_is_told() {
	told_once forget_silence
}

# Without any probe the kernel's own routes apply.
without_probes() {
	probes_off || return
	sleep 0.002
	stats_mark "${LEAF[0]}"
	send 0 2 "$FLOWS" || return
	probes_on || return
	(($(grown "${LEAF[0]}" fallback_no_probe) == FLOWS)) ||
		fail "$(grown "${LEAF[0]}" fallback_no_probe) packets were left to the kernel"
}

# ---- rejected probes ----

# not_heeded COUNTER OPTION... PAYLOAD: sends one packet to leaf 0's up0, as from its spine
not_heeded() {
	local counter=$1 before

	shift
	before=$("$CONGA" -n "${LEAF[0]}" -j leaf show "${VTEP[1]}" | jq -r '.[0].best')
	stats_mark "${LEAF[0]}"
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" "${@:1:$#-1}" \
		"$ALL" "${!#}" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" "$counter") == 1)) ||
		fail "$counter did not grow by 1: $(stats_growth "${LEAF[0]}")" || return
	[[ $("$CONGA" -n "${LEAF[0]}" -j leaf show "${VTEP[1]}" | jq -r '.[0].best') == "$before" ]] ||
		fail "$counter: the best hop changed"
}

others_are_not_heeded() {
	probes_off || return
	not_heeded probe_distant -h 254 "$(probe "${VTEP[1]}" 0 8)" &&
		not_heeded probe_malformed -h 255 "$(probe "${VTEP[1]}" 0 8 | cut -c 1-100)" &&
		not_heeded probe_malformed -h 255 "$(probe "${VTEP[1]}" 0 0)" &&
		not_heeded probe_unknown_leaf -h 255 "$(probe "$STRANGER" 0 8)" &&
		not_heeded probe_own -h 255 "$(probe "${VTEP[1]}" 0 8 "$(own_id 0)")" &&
		not_heeded probe_malformed -h 255 -x 1 "$(probe "${VTEP[1]}" 0 8)" &&
		probes_on
}

# This is the control: a correct probe is accepted.
a_right_one_is() {
	probes_off || return
	stats_mark "${LEAF[0]}"
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" -h 255 "$ALL" \
		"$(probe "${VTEP[1]}" 0 8)" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" probe_taken) == 1)) || fail "$(stats_growth "${LEAF[0]}")" || return
	probes_on
}

# passes_on COUNT PAYLOAD: spine 0 gets this from leaf 0, and forwards COUNT copies
passes_on() {
	sleep 0.001
	stats_mark "${SPINE[0]}"
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m "$ALL_MAC" -s "$LEAF_END" -h 255 "$ALL" "$2" ||
		return
	sleep 0.0001
	(($(grown "${SPINE[0]}" probe_handed_on) == $1 &&
		$(grown "${SPINE[0]}" probe_hops) == ($1 == 0))) ||
		fail "not $1 probes were handed on: $(stats_growth "${SPINE[0]}")"
}

# The spine forwards it to the other leaf and both cores, or not at all.
hop_limit() {
	topo_link_addresses 0 0 0
	probes_off && passes_on 0 "$(probe "${VTEP[0]}" 0 1)" &&
		passes_on 3 "$(probe "${VTEP[0]}" 0 2)" && probes_on
}

# ---- other policies ----

# The leaves use another policy, and probe because they are configured to.
conga_at_the_leaves() {
	local l

	for l in "${!LEAF[@]}"; do conga "$l" fabric set policy conga probe 200us || return; done
	sleep 0.002
	[[ $(best_of "${SPINE[0]}" 2) == core* ]] ||
		fail "spine 0 knows no path to leaf 2 by a core" || return
	stats_mark "${LEAF[0]}"
	stats_mark "${SPINE[0]}"
	stats_mark "${SPINE[1]}"
	send 0 2 "$FLOWS" || return
	(($(grown "${LEAF[0]}" tx_steered) == FLOWS &&
		$(grown "${SPINE[0]}" forward_steered) + $(grown "${SPINE[1]}" forward_steered) == FLOWS)) ||
		fail "leaf 0, spine 0 and spine 1 steered: $(grown "${LEAF[0]}" tx_steered)," \
			"$(grown "${SPINE[0]}" forward_steered)," \
			"$(grown "${SPINE[1]}" forward_steered)"
}

# The state of hula is removed with the policy.
no_trace_is_left() {
	local box

	for box in "${BOXES[@]}"; do
		"$CONGA" -n "$box" fabric set policy conga probe auto || return
	done
	sleep 0.001
	for box in "${BOXES[@]}"; do stats_mark "$box"; done
	send 0 2 "$FLOWS" || return
	for box in "${BOXES[@]}"; do
		(($(grown "$box" rx_control) == 0 && $(grown "$box" forward_steered) == 0)) ||
			fail "${box%-*} received probes: $(stats_growth "$box")" || return
	done
	[[ $(best_of "${LEAF[0]}" 2) == null ]] ||
		fail "leaf 0 still knows the best hop $(best_of "${LEAF[0]}" 2)"
}

# The policy of this node needs no probes.
box_does_not_listen() {
	stats_mark "${LEAF[0]}"
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" -h 255 "$ALL" \
		"$(probe "${VTEP[1]}" 0 8)" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" probe_unwanted) == 1)) || fail "$(stats_growth "${LEAF[0]}")"
}

refusals() {
	local probe="probe must be auto, off or a time from 20 us to 1 s"

	refused "$probe" -n "${LEAF[0]}" fabric set probe 19us &&
		refused "$probe" -n "${LEAF[0]}" fabric set probe 1001ms &&
		refused "tier must be a number from 0 to 15" -n "${SPINE[0]}" port set core0 tier 16
}

setup() {
	topo_up && settle && hosts_say_nothing && fabric_up hula conga && hula_up
}

fabric() {
	underlay "$1"
	setup || die "cannot set up"
	sleep 0.01
	tap_test "v$1: every node knows a best path to every leaf" every_leaf_is_known
	tap_test "v$1: a link carries one probe for each leaf and interval" \
		one_probe_a_leaf_and_link
	tap_test "v$1: a leaf's probe, and a spine's copy, have the right bytes" golden_probes
	tap_test "v$1: the timer keeps up" timer_keeps_up
	tap_test "v$1: tau is at least two intervals" dre_remembers_probes
	tap_test "v$1: probes are ignored where no route leads back" only_where_a_route_leads_back
	tap_test "v$1: each node on the path decides, once for a packet" every_box_decides
	tap_test "v$1: a loaded link is avoided" loaded_link_is_left
	tap_test "v$1: flowlets take all near hops, and with near 0 only the best" near_hops_are_used
	tap_test "v$1: a cut link is avoided" cut_link_is_left
	tap_test "v$1: a silent node is avoided, and used again when it sends probes" \
		silent_box_is_left
	tap_test "v$1: a flowlet leaves a silent node at once" flowlet_leaves_silent_box
	tap_test "v$1: a node's silence is reported, and its return" silence_is_told
	tap_test "v$1: the end of a node's silence under another policy is reported" \
		forgotten_silence_is_told
	tap_test "v$1: without probes packets are left to the kernel" without_probes
	tap_test "v$1: a probe is ignored unless a neighbour sent it about a known leaf" \
		others_are_not_heeded
	tap_test "v$1: a valid probe of a neighbour about a known leaf is accepted" a_right_one_is
	tap_test "v$1: a probe is forwarded up to its hop limit, and not further" hop_limit
	tap_test "v$1: conga at the leaves works with hula at the spines" conga_at_the_leaves
	tap_test "v$1: no state of hula is left under another policy" no_trace_is_left
	tap_test "v$1: a node without probes does not listen for them" box_does_not_listen
	topo_down
}

tap_plan 43
require_root
require_commands ip jq nft tcpdump
require_module
fabric 4
fabric 6
underlay 4
setup || die "cannot set up"
tap_test "intervals and tiers out of range are rejected" refusals
tap_exit
