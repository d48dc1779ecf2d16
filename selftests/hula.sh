#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# HULA in a fabric of three tiers, in simulated time, in which code takes none. Probes of
# each leaf come to every box, by each link once in an interval and no more, and only
# where a route leads back; a new flowlet takes the best hop at every box; a loaded link,
# one that is cut, and one that silently drops what it gets are left. What is no probe, or
# none of a neighbour about a leaf that is known, changes nothing.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"
# shellcheck source=selftests/topology.sh
. "$HERE/topology.sh"
# shellcheck source=selftests/fabric.sh
. "$HERE/fabric.sh"
# shellcheck source=selftests/expect.sh
. "$HERE/expect.sh"
# shellcheck source=selftests/hula_fabric.sh
. "$HERE/hula_fabric.sh"

readonly INTERVALS=100 TP=0.0002
readonly LEAST_PERCENT=99	# of probes, or of flowlets: a moment is lost at either end

# ---- probes ----

every_leaf_is_known() {
	local box l best

	for box in "${BOXES[@]}"; do
		for l in "${!LEAF[@]}"; do
			[[ $box == "${LEAF[l]}" ]] && continue
			best=$(best_of "$box" "$l") || return
			[[ $best != null ]] || fail "${box%-*} knows no way to leaf $l" || return
		done
	done
}

# link_carries NAMESPACE DEVICE LEAVES: by what it receives
link_carries() {
	local count

	count=$(received "$1" "$2")
	((count <= $3 * INTERVALS && count >= $3 * INTERVALS * LEAST_PERCENT / 100)) ||
		fail "${1%-*}, $2: $count probes in $INTERVALS intervals, about $3 leaves"
}

# Up go a leaf's own, and what its spines have from below; down what others have.
one_probe_a_leaf_and_link() {
	count_probes || return
	sleep "$(awk "BEGIN { print $INTERVALS * $TP }")"
	probes_off || return
	link_carries "${SPINE[0]}" down0.0 1 && link_carries "${SPINE[0]}" down1.0 1 &&
		link_carries "${CORE[0]}" spine0 2 && link_carries "${CORE[0]}" spine3 2 &&
		link_carries "${LEAF[0]}" up0 3 && link_carries "${LEAF[3]}" up3 3 || return
	probes_on
}

# By way of a core the probes of a pod's leaf come to the pod's other spine, which has
# no route that way.
only_where_a_route_leads_back() {
	local box

	for box in "${SPINE[@]}"; do
		(($(stat_of "$box" probe_not_path) >= 0)) || return
	done
	(($(stat_of "${SPINE[0]}" probe_not_path) + $(stat_of "${SPINE[1]}" probe_not_path) > 0)) ||
		fail "no probe took a way down and up again"
	[[ $(best_of "${SPINE[0]}" 1) == down1.0 && $(best_of "${SPINE[1]}" 1) == down1.0 ]] ||
		fail "spines reach leaf 1 by $(best_of "${SPINE[0]}" 1), $(best_of "${SPINE[1]}" 1)"
}

# ---- traffic ----

# In the other pod: two spines, and one core between
every_box_decides() {
	local box total=0 one

	for box in "${SPINE[@]}" "${CORE[@]}"; do stats_mark "$box"; done
	stats_mark "${LEAF[0]}"
	send 0 2 "$FLOWS" || return
	for box in "${SPINE[@]}" "${CORE[@]}"; do
		one=$(grown "$box" forward_steered)
		total=$((total + one))
	done
	((total == 3 * FLOWS)) || fail "$total packets were steered on the way, not $((3 * FLOWS))"
	(($(grown "${LEAF[0]}" tx_steered) == FLOWS)) || fail "the leaf steered $(grown "${LEAF[0]}" tx_steered)"
}

# The way that probes found idle, when the one before is loaded by others
loaded_link_is_left() {
	local before after

	before=$(best_of "${SPINE[0]}" 2)
	[[ $before == core* ]] || fail "spine 0 reaches leaf 2 by $before" || return
	load_start "${SPINE[0]}" "$before" || return
	sleep 0.05
	after=$(best_of "${SPINE[0]}" 2)
	load_stop
	[[ $after == core* && $after != "$before" ]] ||
		fail "with a load on $before the best way is by $after"
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
		fail "without $before the best way is by $after"
}

# A spine takes what it gets and does nothing with it: links and routes stay up.
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
		fail "with $before silent the best way is by $after" || return
	[[ $reason == unprobed ]] || fail "$before is $reason" || return
	sleep 0.002
	reason=$("$CONGA" -n "${LEAF[0]}" -j path show leaf "${VTEP[2]}" |
		jq -r ".[] | select(.dev == \"$before\").state")
	[[ $reason == usable ]] || fail "$before is $reason again"
}

# Without any probe the kernel's own routes do.
without_probes() {
	probes_off || return
	sleep 0.002
	stats_mark "${LEAF[0]}"
	send 0 2 "$FLOWS" || return
	probes_on || return
	(($(grown "${LEAF[0]}" fallback_no_probe) == FLOWS)) ||
		fail "$(grown "${LEAF[0]}" fallback_no_probe) packets were left to the kernel"
}

# ---- what is not heeded ----

# not_heeded COUNTER OPTION... PAYLOAD: one packet on leaf 0's up0, as from its spine
not_heeded() {
	local counter=$1 before

	shift
	before=$("$CONGA" -n "${LEAF[0]}" -j leaf show "${VTEP[1]}" | jq -r '.[0].best')
	stats_mark "${LEAF[0]}"
	"$HERE/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" "${@:1:$#-1}" \
		"$ALL" "${!#}" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" "$counter") == 1)) ||
		fail "$counter: $(stats_growth "${LEAF[0]}")" || return
	[[ $("$CONGA" -n "${LEAF[0]}" -j leaf show "${VTEP[1]}" | jq -r '.[0].best') == "$before" ]] ||
		fail "$counter: the best way is another one"
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

# One that says all the truth is heeded, or nothing here is shown.
a_right_one_is() {
	probes_off || return
	stats_mark "${LEAF[0]}"
	"$HERE/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" -h 255 "$ALL" \
		"$(probe "${VTEP[1]}" 0 8)" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" probe_taken) == 1)) || fail "$(stats_growth "${LEAF[0]}")" || return
	probes_on
}

# ---- with others ----

# The leaves' policy is another, and they probe because they are told to.
conga_at_the_leaves() {
	local l

	for l in "${!LEAF[@]}"; do conga "$l" fabric set policy conga probe 200us || return; done
	sleep 0.002
	[[ $(best_of "${SPINE[0]}" 2) == core* ]] || fail "spine 0 knows no way" || return
	stats_mark "${LEAF[0]}"
	stats_mark "${SPINE[0]}"
	stats_mark "${SPINE[1]}"
	send 0 2 "$FLOWS" || return
	(($(grown "${LEAF[0]}" tx_steered) == FLOWS &&
		$(grown "${SPINE[0]}" forward_steered) + $(grown "${SPINE[1]}" forward_steered) == FLOWS)) ||
		fail "steered: $(grown "${LEAF[0]}" tx_steered), $(grown "${SPINE[0]}" forward_steered), $(grown "${SPINE[1]}" forward_steered)"
}

# What was hula's is gone with it.
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
			fail "${box%-*}: $(stats_growth "$box")" || return
	done
	[[ $(best_of "${LEAF[0]}" 2) == null ]] || fail "leaf 0 still knows $(best_of "${LEAF[0]}" 2)"
}

# A box whose policy needs none.
box_does_not_listen() {
	stats_mark "${LEAF[0]}"
	"$HERE/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$ALL_MAC" -s "$NEIGHBOUR" -h 255 "$ALL" \
		"$(probe "${VTEP[1]}" 0 8)" || return
	sleep 0.0001
	(($(grown "${LEAF[0]}" probe_unwanted) == 1)) || fail "$(stats_growth "${LEAF[0]}")"
}

refusals() {
	refused "probe is auto, off or a time from 20 us to 1 s" -n "${LEAF[0]}" fabric set probe 19us &&
		refused "probe is auto, off or a time from 20 us to 1 s" -n "${LEAF[0]}" fabric set probe 1001ms &&
		refused "tier is a number from 0 to 15" -n "${SPINE[0]}" port set core0 tier 16
}

fabric() {
	underlay "$1"
	topo_up && settle && fabric_up hula conga && hula_up || die "cannot set up"
	sleep 0.01
	tap_test "v$1, every box knows a best way to every leaf" every_leaf_is_known
	tap_test "v$1, a link carries one probe for each leaf and interval" one_probe_a_leaf_and_link
	tap_test "v$1, probes say nothing where no route leads back" only_where_a_route_leads_back
	tap_test "v$1, each box on the way decides, once for a packet" every_box_decides
	tap_test "v$1, a loaded link is left" loaded_link_is_left
	tap_test "v$1, a link that is cut is left" cut_link_is_left
	tap_test "v$1, a box that is silent is left, and used again when it speaks" silent_box_is_left
	tap_test "v$1, without probes packets are the kernel's" without_probes
	tap_test "v$1, what is no probe of a neighbour about a known leaf is not heeded" \
		others_are_not_heeded
	tap_test "v$1, what is, is" a_right_one_is
	tap_test "v$1, conga at the leaves, hula above" conga_at_the_leaves
	tap_test "v$1, nothing of it is left under another policy" no_trace_is_left
	tap_test "v$1, a box without probes does not listen" box_does_not_listen
	topo_down
}

tap_plan 27
require_root
require_commands ip jq nft
require_module
fabric 4
fabric 6
underlay 4
topo_up && settle && fabric_up hula conga || die "cannot set up"
tap_test "intervals and tiers out of range are refused" refusals
tap_exit
