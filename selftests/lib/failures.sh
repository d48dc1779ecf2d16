#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# failures.sh - the same failures first without conga and then with it. Once the other software
# has changed the kernel's routes, addresses or tunnels, all flows must arrive, in both cases.
# With conga they leave by all uplinks that the route has, and conga's counters have them.
#
#	failures_count HOST...		after topo_up: these hosts count what arrives
#	with_conga			from now on; congad runs on all leaves
#	congas_agree -m leaf		likewise, and two leaves agree
#	all_arrive up0 up1		flows of both directions; those of leaf 0 leave by these
#	arrive_encrypted		likewise, by IPsec
#	FLOWS_TO=2.0; FLOWS_COUNTER=fallback_xfrm
#	link_down 0 1; link_up 0 1	the link from spine 0 to leaf 1
#	routes_avoid 0; routes_avoid	the leaves' routes lead by spine 1 alone; by both
#	routes_become "up0 up1"		the leaves' routes to each other lead by these, in a while
#	fails "a link fails" COMMAND...	a test, whose name begins with $WITH
#
# It sources all libraries that it needs; arrive_encrypted needs esp.sh, too.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/hellos.sh"

readonly FLOWS=80

WITH="without conga"
FLOWS_TO=1.0			# the host that exchanges flows with host 0.0
FLOWS_COUNTER=tx_steered	# the counter of leaf 0 that has each flow

# failures_count HOST...
failures_count() {
	local host

	for host; do
		flows_end "${HOST[$host]}" eth0 || return
	done
	flows_count "${LEAF[0]}" up0 up1
}

# with_conga [OPTION]...: the options are those of congad
with_conga() {
	local l

	WITH="with conga"
	for l in "${!LEAF[@]}"; do
		"$TESTS/../userspace/congad" -n "${LEAF[l]}" -r 10gbit "$@" \
			>"$TOPO_DIR/congad.$l" 2>&1 &
	done
}

# congas_agree [OPTION]...
congas_agree() {
	with_conga "$@"
	leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers"
}

# link_down SPINE LEAF: the spine loses its routes by this link
link_down() {
	ip -n "${SPINE[$1]}" link set "down$2.0" down
}

link_up() {
	topo_link_addresses "$2" "$1" 0
	ip -n "${SPINE[$1]}" -batch - <<-END
		link set down$2.0 up
		route replace ${VTEP[$2]}/32 via $LEAF_END dev down$2.0
	END
}

# routes_avoid SPINE: as by a routing protocol; without a SPINE no spine is avoided
routes_avoid() {
	local uplinks=(0 1)

	[[ ! ${1-} ]] || uplinks=($((1 - $1)))
	leaf_route 0 "${uplinks[@]}" && leaf_route 1 "${uplinks[@]}"
}

# route_devices LEAF: prints the usable uplinks of its best route to the other leaf
route_devices() {
	ip -n "${LEAF[$1]}" -j route show "${VTEP[1 - $1]}" |
		jq -r '[min_by(.metric // 0) | (.nexthops // [.])[] | select(.flags == []) | .dev] | sort |
			join(" ")'
}

routes_are() {
	[[ $(route_devices 0) == "$1" && $(route_devices 1) == "$1" ]]
}

# routes_become UPLINKS: both leaves have a route to each other by these
routes_become() {
	soon routes_are "$1" || fail "the leaves' routes lead by \"$(route_devices 0)\" and" \
		"\"$(route_devices 1)\", expected \"$1\""
}

# counted: conga's counter has all flows of leaf 0
counted() {
	[[ $WITH == "with conga" ]] || return 0
	stats_grown "${LEAF[0]}" "$FLOWS_COUNTER"
	((GROWTH >= FLOWS)) ||
		fail "$FLOWS_COUNTER did not grow by $FLOWS: $(stats_growth "${LEAF[0]}")"
}

# cross: flows of both directions, all of which must arrive
cross() {
	local there=${HOST[$FLOWS_TO]}

	flows_send "$FLOWS" "$there" "${HOST_IP[0.0]}" &&
		flows_cross "$FLOWS" "${HOST[0.0]}" "${HOST_IP[$FLOWS_TO]}" "$there" eth0 \
			"${LEAF[0]}" && flows_arrive "$FLOWS" "${HOST[0.0]}" eth0
}

# left_by UPLINK...: all flows of leaf 0 left by these uplinks, in any shares
left_by() {
	local dev sum=0

	for dev; do sum=$((sum + LEFT[$dev])); done
	((sum == FLOWS)) || fail "$sum of $FLOWS flows left by $*: $(flows_text)"
}

# spread UPLINK...: conga uses all of them, in a while, as more flows show
spread() {
	local end=$((SECONDS + PATIENCE_MS / 1000))

	[[ $WITH == "with conga" ]] || return 0
	until flows_spread "$FLOWS" "$@"; do
		((SECONDS < end)) || return
		TAP_WHY=""
		cross || return
	done
}

# all_arrive UPLINK...
all_arrive() {
	[[ $WITH != "with conga" ]] || stats_mark "${LEAF[0]}"
	cross && left_by "$@" && spread "$@" && counted
}

# arrive_encrypted: all flows do, and no packet of leaf 0 left in clear
arrive_encrypted() {
	[[ $WITH != "with conga" ]] || stats_mark "${LEAF[0]}"
	cross && esp_left || return
	((LEFT[up0] + LEFT[up1] == 0)) || fail "flows left in clear: $(flows_text)" || return
	# shellcheck disable=SC2154 # names of devices, not variables
	((ESP[up0] + ESP[up1] >= FLOWS)) ||
		fail "of $FLOWS flows, ${ESP[up0]} packets of up0 and ${ESP[up1]} of up1 were transformed" ||
		return
	counted
}

# fails NAME COMMAND...
fails() {
	tap_test "$WITH: $1" "${@:2}"
}
