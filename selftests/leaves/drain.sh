#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An uplink is taken out of service without losing a packet. While it drains, no flowlet begins on
# it, and those in progress stay until their next gap; the number of remaining flowlets is
# reported, down to zero. Afterwards the uplink is used again. Without another uplink the kernel's
# own route decides.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"

TOPO_LINKS=1
QUIET+=" flowlet-timeout 1s"	# the longest, so that a flow of a slow machine has no gap

readonly COUNT=150
readonly FLOWS=12		# flows: with chance 1 in 2048 all are on one uplink
readonly PATIENCE_MS=30000
readonly TRIES=5

# ---- flows in progress ----

# steady_start: starts FLOWS flows, each of which sends a datagram now and then. none_lost counts
# from here, when no packet is in transit.
steady_start() {
	packets "${HOST[0.0]}" eth0 tx && SENT=$PACKETS || return
	packets "${HOST[1.0]}" eth0 rx && ARRIVED=$PACKETS || return
	nsenter --net="/run/netns/${HOST[0.0]}" bash -c "flows_steady ${HOST_IP[1.0]} $FLOWS" &
	STEADY=$!
	defer "kill $STEADY 2>/dev/null"
	busywait "$PATIENCE_MS" flowlets_are "$FLOWS" ||
		fail "not all flows have a flowlet: $(conga 0 flowlet show)"
}

steady_stop() {
	kill "$STEADY" && wait "$STEADY"
	[[ $? -gt 128 ]]
}

# flowlets_on DEVICE: sets ON to the number of flowlets on it
flowlets_on() {
	ON=$(conga 0 -j flowlet show | jq --arg dev "$1" 'map(select(.dev == $dev)) | length')
}

flowlets_are() {
	(($(conga 0 -j flowlet show | jq length) == $1))
}

# port_says DEVICE JQ: prints a field of one port
port_says() {
	conga 0 -j port show dev "$1" | jq -r ".[0] | $2"
}

# ---- tests ----

# All flows begin anew: none has the port, or the table entry, of an earlier flow.
cross() {
	conga 0 flowlet flush &&
		flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}"
}

both_used() {
	cross && flows_spread "$COUNT" up0 up1
}

path_of() {
	conga 0 -j path show | jq -r ".[] | select(.dev == \"$1\") | .reason // .state"
}

no_new_flowlets() {
	conga 0 port set up0 drain on || fail "port set drain on failed" || return
	[[ $(port_says up0 .drain) == true ]] || fail "$(conga 0 -j port show up0)" || return
	[[ $(path_of up0) == draining && $(path_of up1) == usable ]] || fail "$(conga 0 path show)" ||
		return
	cross && flows_spread "$COUNT" up1
}

brought_back() {
	conga 0 port set up0 drain off && [[ $(port_says up0 .flowlets) == null ]] ||
		fail "$(conga 0 -j port show up0)" || return
	[[ $(path_of up0) == usable ]] || fail "$(conga 0 path show)" || return
	both_used
}

# Flowlets in progress stay, and are counted. If the machine itself stopped for a second, a flow
# had its gap, and a flowlet began: this result shows nothing, and the test tries again.
live_ones_stay() {
	local try began

	conga 0 flowlet flush && steady_start || return
	for ((try = 0; try < TRIES; try++)); do
		stats_read "${LEAF[0]}" && began=${STAT[flowlets_started]} || return
		in_progress_stay && return
		stats_read "${LEAF[0]}" || return
		((STAT[flowlets_started] > began)) || return
		conga 0 port set up0 drain off && conga 0 flowlet flush &&
			busywait "$PATIENCE_MS" flowlets_are "$FLOWS" || return
	done
	return 1
}

in_progress_stay() {
	local before

	flowlets_on up0
	before=$ON
	((before > 0 && before < FLOWS)) || fail "$before of $FLOWS flows left by up0" || return
	conga 0 port set up0 drain on || return
	[[ $(port_says up0 .flowlets) == "$before" ]] ||
		fail "up0 has $(port_says up0 .flowlets) flowlets, expected $before" || return
	flows_left "${LEAF[0]}" && grows $((5 * FLOWS)) "${HOST[0.0]}" eth0 tx &&
		flows_left "${LEAF[0]}" || return
	((LEFT[up0] >= before && LEFT[up1] > 0)) ||
		fail "the flows left by: $(flows_text)" || return
	flowlets_on up0
	((ON == before)) || fail "$ON of $before flowlets stay on up0"
}

port_is_empty() {
	[[ $(port_says up0 .flowlets) == 0 ]]
}

# With a timeout that is shorter than their pauses each flow has a gap. No datagram is lost.
leave_at_their_gap() {
	conga 0 fabric set flowlet-timeout 5ms || return
	busywait "$PATIENCE_MS" port_is_empty || fail "$(conga 0 -j port show up0)" || return
	flows_left "${LEAF[0]}" && grows $((5 * FLOWS)) "${HOST[0.0]}" eth0 tx || return
	steady_stop && flows_left "${LEAF[0]}" || return
	((LEFT[up0] == 0 && LEFT[up1] >= 5 * FLOWS)) ||
		fail "the flows left by: $(flows_text)" || return
	busywait "$PATIENCE_MS" none_lost || none_lost
}

# Every datagram that was sent since the flows began has arrived.
none_lost() {
	local sent

	packets "${HOST[0.0]}" eth0 tx && sent=$((PACKETS - SENT)) || return
	packets "${HOST[1.0]}" eth0 rx || return
	((PACKETS - ARRIVED == sent)) ||
		fail "$sent packets were sent, $((PACKETS - ARRIVED)) arrived"
}

# The kernel's own decision applies, as without conga.
all_drained() {
	flows_forget "${HOST[1.0]}" eth0 || return
	conga 0 port set up1 drain on || return
	stats_mark "${LEAF[0]}"
	cross || return
	stats_grew "${LEAF[0]}" "fallback_no_path=$COUNT" || return
	conga 0 port set up1 drain off && conga 0 port set up0 drain off && both_used
}

# A port that is new to its tag begins without flowlets.
drain_ends_with_port() {
	conga 0 port set up0 drain on && conga 0 port del up0 &&
		conga 0 port add up0 role uplink tag 0 || return
	[[ $(port_says up0 .drain) == false ]] || fail "$(conga 0 -j port show up0)" || return
	both_used || return
	conga 0 port del up0 && conga 0 port add up0 role uplink tag 0 drain on && cross &&
		flows_spread "$COUNT" up1
}

refusals() {
	refused "Only an uplink can be drained" -n "${SPINE[0]}" port set down0.0 drain on &&
		refused "Only an uplink can be drained" -n "${SPINE[0]}" port set down0.0 drain off ||
		return
	says 2 'Error: argument "maybe" is wrong: drain must be on or off' \
		conga 0 port set up0 drain maybe
}

setup() {
	local ns

	topo_up && tunnel_says_nothing && fabric_up conga conga || return
	for ns in "${HOST[@]}"; do pin "$ns" || return; done
	flows_count "${LEAF[0]}" up0 up1 && flows_end "${HOST[1.0]}" eth0
}

export -f flows_steady
tap_plan 8
require_root
require_commands ip jq nft
require_module
setup || die "cannot set up"
tap_test "new flowlets use both uplinks" both_used
tap_test "no flowlet begins on the uplink that drains, and its path shows the reason" \
	no_new_flowlets
tap_test "an uplink is used again after drain off" brought_back
tap_test "flowlets in progress stay on the uplink that drains, and are counted" live_ones_stay
tap_test "flowlets leave the uplink that drains at their next gap, and no packet is lost" \
	leave_at_their_gap
tap_test "packets are left to the kernel's route when all uplinks drain" all_drained
tap_test "a drain ends with its port, and a port may be added with drain on" drain_ends_with_port
tap_test "drain is accepted for uplinks only, with on or off" refusals
tap_exit
