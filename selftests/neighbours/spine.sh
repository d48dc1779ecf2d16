#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/spine.md is correct: its commands make a router a spine that its
# leaves see, and that writes the load of its links into packets.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1
TOPO_RATE=20mbit
readonly LOAD_BYTES=1000000

# spine SPINE: the guide's example has two ports, and so has this spine
spine() {
	guide_run_in "${SPINE[$1]}" spine.md swp1=down0.0 swp2=down1.0 10gbit=20mbit \
		>"$TOPO_DIR/guide.spine$1" 2>&1
	document_log "spine.md, spine $1" <"$TOPO_DIR/guide.spine$1"
}

# leaf LEAF
leaf() {
	{
		echo "fabric add"
		fabric_uplinks "$1"
		echo "leaf add ${VTEP[1 - $1]}"
	} | conga_batch "${LEAF[$1]}"
}

commands_succeed() {
	local s said

	guide_succeeded || return
	for s in 0 1; do
		said=$("$CONGA" -n "${SPINE[s]}" -j port show | jq -r '[.[] | .dev, .role] | join(" ")')
		[[ $said == "down0.0 transit down1.0 transit" ]] || fail "spine $s has: $said" || return
	done
}

neighbours_are() {
	[[ $(conga "$1" -j port show | jq -r '[.[].neighbour] | unique | join(" ")') == "$2" ]]
}

leaves_see_spines() {
	local l

	for l in 0 1; do
		soon neighbours_are "$l" conga || fail "leaf $l: $(conga "$l" port show)" || return
	done
}

# load: bytes through the fabric, which fill its links for a moment
load() {
	in_ns "${HOST[0.0]}" iperf3 -c "${HOST_IP[1.0]}" -n "$LOAD_BYTES" >/dev/null 2>&1
}

# Slow start alone fills a link, so that its load is more than nothing.
spines_write_load() {
	local s raised=0

	for s in 0 1; do stats_mark "${SPINE[s]}"; done
	stats_mark "${LEAF[1]}"
	in_ns "${HOST[1.0]}" iperf3 -s >/dev/null 2>&1 &
	defer "kill $! 2>/dev/null"
	soon load || fail "no transfer" || return
	for s in 0 1; do
		[[ " $(stats_growth "${SPINE[s]}")" != *" ce_raised="* ]] || raised=1
	done
	((raised)) || fail "CE was not raised: $(stats_growth "${SPINE[0]}")" || return
	[[ " $(stats_growth "${LEAF[1]}")" == *" rx_learnt="* ]] || fail "$(stats_growth "${LEAF[1]}")"
}

tap_plan 3
require_root
require_commands ip jq iperf3
require_module
{ topo_up && spine 0 && spine 1 && leaf 0 && leaf 1; } || die "cannot set up"
tap_test "spine: the guide's commands make both routers spines" commands_succeed
tap_test "spine: the leaves see it at all uplinks" leaves_see_spines
tap_test "spine: it writes the load of its links into packets" spines_write_load
topo_down
tap_exit
