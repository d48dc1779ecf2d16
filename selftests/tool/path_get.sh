#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command "path get" predicts which uplink a packet would take. The answer is that of the
# policy, or that of the flowlet in progress. Every uplink that is not used has a reason. The
# query changes nothing.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

unset -f jq			# the order of keys matters here

TOPO_LINKS=1
FABRIC_RATE=1gbit
readonly WAIT_MS=30000
readonly SPORT=50000 DPORT=9	# the source port of vxlan_send
readonly ASKED=6		# times path get is asked: each answer must be the same
readonly ASKED_MOST=60		# times at most until a tie has chosen both uplinks
readonly NOWHERE=10.0.0.99	# a leaf without a route

declare -A SENTENCE=(
	[port_down]="the uplink is down or has no carrier"
	[no_route]="there is no unicast route to the leaf"
	[not_nexthop]="the route to the leaf does not use this uplink"
	[silent]="the leaf answers hellos, but not by this uplink"
	[draining]="the uplink is draining: it takes no new flowlets"
)

# A flowlet lives for a second. The uplinks' DREs remember for ten seconds, so that two reads give
# nearly the same value.
setup() {
	topo_up && tunnel_says_nothing && fabric_up conga conga &&
		conga 1 fabric set hello off || return
	ip -n "${LEAF[0]}" link add unused up type dummy && conga_batch "${LEAF[0]}" <<-END
		fabric set flowlet-timeout 1s tdre 1s hello off
		port add unused role uplink rate 1gbit tag 14
		leaf add $NOWHERE mode plain
	END
}

# get FILTER WORD...: prints a field of the only object that "path get" prints
get() {
	conga 0 -j path get "${@:2}" | jq -c ".[] | $1"
}

# got EXPECTED FILTER WORD...: the field has the expected value
got() {
	local found

	found=$(get "${@:2}")
	[[ $found == "$1" ]] || fail "path get ${*:3} printed $found, expected: $1"
}

drain() {
	conga 0 port set "$1" drain "$2"
}

# ---- the form ----

# shape FILTER WORD...: prints "key:type ..." of each object that matches, one a line
shape() {
	get "$1 | to_entries | map(\"\\(.key):\\(.value | type)\") | join(\" \")" "${@:2}" | sort -u
}

keys_are_these() {
	local found

	found=$(shape . "${VTEP[1]}")
	[[ $found == '"leaf:string decision:string dev:string tag:number local:number remote:number metric_limit:number paths:array"' ]] ||
		fail "$found" || return
	found=$(shape . "$NOWHERE")
	[[ $found == '"leaf:string decision:string paths:array"' ]] || fail "$found"
}

# These fields change with packets and time, and are ignored.
paths_are_those_of_path_show() {
	local steady='map(del(.leaf, .age_ns, .local, .remote))' leaf

	for leaf in "${VTEP[1]}" "$NOWHERE"; do
		got "$(conga 0 -j path show leaf "$leaf" | jq -c "$steady")" ".paths | $steady" "$leaf" ||
			return
	done
	got 3 '.paths | length' leaf "${VTEP[1]}"
}

# ---- the choice ----

# Either of two idle uplinks may be chosen, and no other.
ties_fall_to_both() {
	local i chosen=""

	for ((i = 0; i < ASKED_MOST; i++)); do
		chosen+=$(get '"\(.decision) \(.dev) \(.local) \(.remote)"' "${VTEP[1]}")
		[[ $chosen != *'"new up0 0 0"'* || $chosen != *'"new up1 0 0"'* ]] || break
	done
	chosen=${chosen//\"new up[01] 0 0\"/}
	[[ $i != "$ASKED_MOST" && ! $chosen ]] || fail "after $i answers path get chose: $chosen"
}

up0_is_loaded() {
	in_ns "${HOST[0.0]}" ping -q -f -c 300 -W 5 -s 1400 "${HOST_IP[1.0]}" >/dev/null &&
		get '.paths[] | select(.dev == "up0").local > 5' "${VTEP[1]}" | grep -q true
}

# The rate is such that pings fill the DRE of up0, which only they use; it is empty again after 17
# s.
load_is_avoided() {
	local i

	drain up1 on && conga 0 port set up0 rate 1mbit &&
		busywait "$WAIT_MS" up0_is_loaded || fail "$(conga 0 path show)" || return
	drain up1 off || return
	for ((i = 0; i < ASKED; i++)); do
		got '["new","up1",0]' '[.decision, .dev, .local]' "${VTEP[1]}" || return
	done
	conga 0 fabric set policy ecmp && got '["new"]' '[.decision]' "${VTEP[1]}" &&
		conga 0 fabric set policy conga && conga 0 port set up0 rate 1gbit
}

# ---- flows ----

# send ADDRESS ADDRESS: sends a datagram inside the tunnel, from host to host
send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -d eth0 -m "${HOST_MAC[1.0]}" -p "$DPORT" -s "$1" "$2" 00
}

# The flow is on up1, which takes no new flowlets: only its flowlet keeps it there.
flowlets_are_found() {
	local from to

	for from in "${HOST_IP[0.0]}" "${HOST_IP6[0.0]}"; do
		to=${HOST_IP[1.0]}
		[[ $from != *:* ]] || to=${HOST_IP6[1.0]}
		busywait "$WAIT_MS" flow_stays "$from" "$to" || return
		drain up1 off || return
	done
}

# On a slow machine a second may have passed.
flow_stays() {
	drain up1 off && drain up0 on && send "$1" "$2" && drain up0 off && drain up1 on &&
		got '["flowlet","up1",1]' '[.decision, .dev, .tag]' "${VTEP[1]}" from "$1" to "$2" \
			proto udp sport "$SPORT" dport "$DPORT"
}

# A change of any field makes another flow, which is new.
other_flows_are_new() {
	local flow a=${HOST_IP[0.0]} b=${HOST_IP[1.0]}

	drain up0 on && drain up1 off && send "$a" "$b" && drain up0 off && drain up1 on || return
	for flow in "from $a to $b proto tcp sport $SPORT dport $DPORT" \
		"from $a to $b sport $SPORT dport $DPORT" \
		"from $a to $b proto 17 sport $((SPORT + 1)) dport $DPORT" \
		"from $a to $b proto 17 sport $SPORT dport $((DPORT + 1))" \
		"from $b to $a proto udp sport $SPORT dport $DPORT" \
		"from $a to $b proto udp" "from fd02::1 to fd02::2"; do
		# shellcheck disable=SC2086 # a list of words
		got '["new","up0"]' '[.decision, .dev]' "${VTEP[1]}" $flow || return
	done
	drain up1 off
}

# ---- reasons ----

# reasons_are "DEV REASON" ...: the uplinks that are not usable have these reasons
reasons_are() {
	local found

	found=$(get '.paths[] | select(.reason) | "\(.dev) \(.reason)"' "${VTEP[1]}" |
		tr -d '"' | paste -sd,)
	[[ $found == "$1" ]] || fail "the reasons are: $found, expected: $1"
}

# says_why DEV STATE REASON LEAF: the line of the uplink contains the state and the sentence
says_why() {
	local text

	text=$(conga 0 path get "$4" | grep "^    dev $1 ")
	[[ $text == "    dev $1 tag "*" $2 (${SENTENCE[$3]})" ]] ||
		fail "the sentence \"${SENTENCE[$3]}\" is missing: $text"
}

no_carrier_is_said() {
	ip -n "${SPINE[0]}" link set down0.0 down || return
	busywait "$WAIT_MS" reasons_are "up0 port_down,unused not_nexthop" || return
	got '["new","up1"]' '[.decision, .dev]' "${VTEP[1]}" &&
		says_why up0 down port_down "${VTEP[1]}" && says_why unused down not_nexthop "${VTEP[1]}" &&
		ip -n "${SPINE[0]}" link set down0.0 up || return
	# The spine's own route was removed with its link.
	topo_link_addresses 0 0 0
	ip -n "${SPINE[0]}" route replace "${VTEP[0]}" via "$LEAF_END" || return
	busywait "$WAIT_MS" reasons_are "unused not_nexthop" || return
}

draining_is_said() {
	drain up0 on && reasons_are "up0 draining,unused not_nexthop" &&
		says_why up0 draining draining "${VTEP[1]}" &&
		got '["new","up1"]' '[.decision, .dev]' "${VTEP[1]}" && drain up0 off
}

# Spine 1 drops packets of the tunnel and otherwise looks healthy.
silence_is_said() {
	in_ns "${SPINE[1]}" nft -f - <<-END || return
		table inet grey {
			chain forward { type filter hook forward priority 0; udp dport 4789 drop; }
		}
	END
	conga 0 fabric set hello 100ms && conga 1 fabric set hello 100ms || return
	busywait "$WAIT_MS" is_silent || fail "$(conga 0 path show)" || return
	says_why up1 silent silent "${VTEP[1]}" && got '["new","up0"]' '[.decision, .dev]' "${VTEP[1]}" &&
		in_ns "${SPINE[1]}" nft delete table inet grey || return
	busywait "$WAIT_MS" reasons_are "unused not_nexthop" || return
	conga 0 fabric set hello off && conga 1 fabric set hello off
}

# A path without traffic is probed only after it was used.
is_silent() {
	in_ns "${HOST[0.0]}" ping -q -f -c 20 -W 1 "${HOST_IP[1.0]}" >/dev/null
	[[ $(get '.paths[] | select(.dev == "up1") | .reason' "${VTEP[1]}") == '"silent"' ]]
}

nothing_is_usable() {
	local text

	got '"kernel"' .decision "$NOWHERE" && says_why up0 down no_route "$NOWHERE" || return
	text=$(conga 0 path get "$NOWHERE")
	[[ $text == "$NOWHERE left to the kernel: no usable path"$'\n'"    dev up0 tag 0 down ("* ]] ||
		fail "$text"
}

text_names_the_choice() {
	local text

	drain up1 on && text=$(conga 0 path get "${VTEP[1]}") && drain up1 off || return
	[[ $text == "${VTEP[1]} dev up0 tag 0 new flowlet local 0/7 remote 0/7"$'\n'"    dev up0 tag 0 via "*" usable local 0/7 "* ]] ||
		fail "$text"
}

# ---- a query changes nothing ----

# A query begins no flowlet and changes no counter; the hosts send nothing.
asking_changes_nothing() {
	local i

	ip -n "${HOST[0.0]}" link set eth0 down && ip -n "${HOST[1.0]}" link set eth0 down &&
		conga 0 flowlet flush && stats_mark "${LEAF[0]}" || return
	for ((i = 0; i < ASKED; i++)); do
		conga 0 path get "${VTEP[1]}" >/dev/null &&
			conga 0 path get "${VTEP[1]}" from "${HOST_IP[0.0]}" to "${HOST_IP[1.0]}" >/dev/null ||
			fail "path get was rejected" || return
	done
	[[ $(conga 0 -j flowlet show) == "[]" ]] || fail "$(conga 0 flowlet show)" || return
	stats_moved "${LEAF[0]}" ""
}

require_root
require_commands ip jq ping nft sysctl
require_module
tap_plan 12
setup || die "the fabric cannot be set up"
tap_test "the answer has exactly the documented keys" keys_are_these
tap_test "path get and path show report the same paths" paths_are_those_of_path_show
tap_test "either of two equal uplinks may be chosen" ties_fall_to_both
tap_test "the text names the chosen uplink" text_names_the_choice
tap_test "a loaded uplink is not chosen" load_is_avoided
tap_test "a flow whose flowlet is in progress stays on its uplink" flowlets_are_found
tap_test "any other flow is shown as new" other_flows_are_new
tap_test "uplinks without carrier and without a route are shown with the reason" no_carrier_is_said
tap_test "an uplink that drains is shown with the reason" draining_is_said
tap_test "an uplink by which the leaf does not answer is shown with the reason" silence_is_said
tap_test "no usable uplink is reported" nothing_is_usable
tap_test "path get changes nothing" asking_changes_nothing
tap_exit
