#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hello works over all kinds of underlay: IPv4 and IPv6, in a VRF, by routing rules, and from a
# tunnel without an address of its own. Both leaves become conga, and "conga ping" is answered by
# both uplinks, except in the last case, where the peer does not know the leaf by that address: the
# leaf stays plain, and works.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly TABLE=100
readonly PINGS=10

in_vrf() {
	underlay_in_vrf "$TABLE" && with_tunnel local "${VTEP[0]}" dev underlay
}

# with_tunnel WORD...: the tunnel of leaf 0 is another one
with_tunnel() {
	tunnel_anew id 100 "$@" && tunnel_floods
}

# Packets that leaf 0 sends from the tunnel's address use a table of their own.
by_rule() {
	nexthops 0 1
	leaf_ip route replace "${VTEP[1]}" table "$TABLE" "${NEXTHOPS[@]}" &&
		leaf_ip route del "${VTEP[1]}" &&
		leaf_ip rule add from "${VTEP[0]}" lookup "$TABLE"
}

as_built() {
	:
}

# pings_return: a host of leaf 0 pings a host of leaf 1
pings_return() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: $said"
}

# leaf_is_pinged: a ping by each uplink of leaf 0 is answered
leaf_is_pinged() {
	local said

	said=$(conga 0 -j ping "${VTEP[1]}" count 1 2>&1)
	[[ $(jq -r 'select(.event == "answered") | "\(.leaf) \(.dev)"' <<<"$said" | sort | paste -sd\;) == \
		"${VTEP[1]} up0;${VTEP[1]} up1" ]] || fail "not all uplinks were answered: $said"
}

# Only the tunnel's own packets show the module which rules they match. Each ping is a flowlet, and
# may take another uplink than the one before: all of them return once every link is ready.
both_are_conga() {
	soon pings_return && leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" ||
		return
	stats_mark "${LEAF[0]}"
	pings_return || return
	stat_has tx_stamped "$PINGS" && leaf_is_pinged
}

# The hellos of leaf 0 come from the address of an uplink. It answers the requests of leaf 1.
without_address() {
	stats_mark "${LEAF[1]}"
	soon pings_return && pause_rounds && leaf_falls_silent 0 && pings_return || return
	[[ $(stats_growth "${LEAF[1]}") == *" control_unknown_leaf="* ]] ||
		fail "$(stats_growth "${LEAF[1]}")" || return
	leaf_is 1 "conga answers"
}

underlay_up() {
	topo_up && "$1" && fabric_up conga auto
}

# underlay VERSION CHANGE TEXT TEST
underlay() {
	TOPO_UNDERLAY=$1
	underlay_up "$2" || die "cannot set up"
	tap_test "$3" "$4"
	topo_down
}

tap_plan 6
require_root
require_commands ip bridge jq ping
require_module
unshare -n ip link add vrf0 type vrf table 1 2>/dev/null || tap_skip_all "needs VRF devices"
underlay 6 as_built "with IPv6 both leaves become conga" both_are_conga
underlay 4 in_vrf "with IPv4 in a VRF both leaves become conga" both_are_conga
underlay 6 in_vrf "with IPv6 in a VRF both leaves become conga" both_are_conga
underlay 4 by_rule "with IPv4 and a routing rule by source both leaves become conga" both_are_conga
underlay 6 by_rule "with IPv6 and a routing rule by source both leaves become conga" both_are_conga
underlay 4 with_tunnel "a leaf whose tunnel has no address is plain, and nothing is lost" \
	without_address
tap_exit
