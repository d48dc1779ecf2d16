#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd, and then NetworkManager, own the uplinks of two leaves: the addresses, and the
# routes to the other leaf. networkd has one route with both uplinks, NetworkManager one for each.
# conga follows what they do when a spine fails, when they restart or are killed, and when an
# operator takes an uplink out of the routes. (NetworkManager 1.42 can make one route of both, from
# routes that have a weight. But it has none when a link has failed, with or without conga.)

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/failures.sh"
. "$TESTS/lib/owners.sh"

TOPO_LINKS=1

# stop LEAF
stop() {
	kill "${OWNER_PID[$1]}" && wait "${OWNER_PID[$1]}"
}

killed() {
	kill -KILL "${OWNER_PID[$1]}" && { wait "${OWNER_PID[$1]}" 2>/dev/null || :; }
}

# forget LEAF: networkd would keep the route that it finds beside the new one
forget() {
	stop "$1" && ip -n "${LEAF[$1]}" route flush "${VTEP[1 - $1]}"
}

# restart HOW: on both leaves
restart() {
	local l

	for l in 0 1; do "$1" "$l" && "${OWNER}_up" "$l" || return; done
	are_ready
}

# are_ready: the daemons have looked at everything, and done what they want
are_ready() {
	local l

	for l in 0 1; do
		soon "${OWNER}_ready" "$l" || fail "$OWNER_NAME: $(tail -n 8 "$TOPO_DIR/owner$l/said")" ||
			return
	done
}

# files UPLINK...: of both leaves
files() {
	"${OWNER}_files" 0 "$@" && "${OWNER}_files" 1 "$@"
}

setup() {
	local l

	topo_up || return
	for l in 0 1; do
		owner_places "$l" && ip -n "${LEAF[l]}" -4 address flush dev up0 &&
			ip -n "${LEAF[l]}" -4 address flush dev up1 &&
			ip -n "${LEAF[l]}" -4 route flush proto boot || return
	done
	files 0 1 && "${OWNER}_up" 0 && "${OWNER}_up" 1 && are_ready && failures_count 0.0 1.0
}

# ---- failures ----

# delivers UPLINKS
# shellcheck disable=SC2086 # a list of words
delivers() {
	routes_become "$1" || fail "$(tail -n 8 "$TOPO_DIR"/owner?/said)" || return
	all_arrive $1
}

spine_fails() {
	link_down 0 0 && link_down 0 1 && delivers up1
}

spine_returns() {
	link_up 0 0 && link_up 0 1 && delivers "$USED"
}

restarts() {
	restart "$1" && delivers "$USED"
}

route_changes() {
	files 1 && restart forget && delivers up1 && files 0 1 && restart forget && delivers "$USED"
}

failures() {
	fails "$OWNER_NAME makes the routes, and all flows arrive" delivers "$USED"
	fails "a spine fails, and all flows arrive by the other one" spine_fails
	fails "the spine returns, and $OWNER_NAME's routes use it again" spine_returns
	fails "$OWNER_NAME restarts, and all flows arrive" restarts stop
	fails "$OWNER_NAME is killed, and all flows arrive" restarts killed
	fails "an uplink leaves the route and returns, and all flows arrive" route_changes
}

# uplinks_of OWNER NAME UPLINKS: which are used while nothing is broken
uplinks_of() {
	OWNER=$1 OWNER_NAME=$2 USED=$3 WITH="without conga"
	setup || die "cannot set up: $TAP_WHY"
	failures
	tap_test "congad finds the uplinks of $OWNER_NAME, and the leaves agree" congas_agree
	failures
	topo_down
}

tap_plan 26
require_root
require_commands ip nft jq NetworkManager dbus-daemon /lib/systemd/systemd-networkd
require_module
uplinks_of networkd systemd-networkd "up0 up1"
uplinks_of nm NetworkManager up0
tap_exit
