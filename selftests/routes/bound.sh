#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tunnels that are bound to a device: a vxlan device with "dev" and "remote", or an FDB entry with
# "via". Their packets stay on that device, and are counted. All other packets are steered, also
# those of a vxlan device with "dev" whose entries have no "via" (as flannel makes it).

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"	# the kernel asks for the route of each packet
FABRIC_RATE=1tbit

readonly COUNT=120
readonly BOUND_VNI=200 ENTRY_VNI=300 FLANNEL_VNI=400
readonly ENTRY_MAC=02:00:00:00:30:01 FLANNEL_MAC=02:00:00:00:40:01

bound_tunnel() {
	tunnel_up vy "$BOUND_VNI" "${VTEP[0]}" tos 0x10 dev up0 remote "${VTEP[1]}"
}

# This entry is for one MAC alone.
bound_entry() {
	tunnel_up vz "$ENTRY_VNI" "${VTEP[0]}" tos 0x10 && tunnel_entry vz "$ENTRY_MAC" via up1 &&
		tunnel_default vz
}

flannel_tunnel() {
	tunnel_up vu "$FLANNEL_VNI" "${VTEP[0]}" tos 0x10 dev up0 &&
		tunnel_entry vu "$FLANNEL_MAC"
}

tunnels_down() {
	local l dev

	for l in 0 1; do
		for dev in vy vz vu; do ip -n "${LEAF[l]}" link del "$dev" 2>/dev/null; done
		in_ns "${LEAF[l]}" nft delete table netdev in 2>/dev/null
	done
	:
}

fabric_new() {
	"$CONGA" -n "${LEAF[0]}" fabric del 2>/dev/null
	fabric_leaf 0 conga conga
}

# before TUNNEL, after TUNNEL: create the tunnel before or after the fabric
before() {
	tunnels_down && "$1" && fabric_new
}

after() {
	tunnels_down && fabric_new && "$1"
}

# cross DEVICE ADDRESS: pings cross a tunnel of the leaf's own
cross() {
	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${LEAF[0]}" "$2" "${LEAF[1]}" "$1" "${LEAF[0]}"
}

cross_hosts() {
	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}"
}

steered() {
	flows_spread "$COUNT" up0 up1 && steered_all "$COUNT"
}

device_stays() {
	"$1" bound_tunnel && cross vy 10.20.0.2 && flows_spread "$COUNT" up0 &&
		left_all "$COUNT" fallback_bound
}

# In a kernel without notifications about FDB entries the module looks for them every second.
entry_is_known() {
	stats_mark "${LEAF[0]}"
	in_ns "${LEAF[0]}" ping -q -c 1 -W 1 10.30.0.2 >/dev/null
	stats_grown "${LEAF[0]}" fallback_bound
	((GROWTH))
}

entry_stays() {
	"$1" bound_entry || return
	busywait 60000 entry_is_known || fail "the entry was not noticed" || return
	cross vz 10.30.0.2 && flows_spread "$COUNT" up1 &&
		left_all "$COUNT" fallback_bound && cross vz 10.30.0.3 && steered
}

entries_are_free() {
	"$1" flannel_tunnel && cross vu 10.40.0.2 && steered
}

both() {
	after bound_tunnel && bound_entry && cross vy 10.20.0.2 && flows_spread "$COUNT" up0 &&
		cross_hosts && steered && cross vz 10.30.0.2 && flows_spread "$COUNT" up1 || return
	tunnels_down
	cross_hosts && steered
}

# The other uplink is removed, and none takes its place.
device_goes() {
	after bound_tunnel && leaf_ip route del "$VTEP_PREFIX" || return
	nexthops 1
	leaf_ip route add "$VTEP_PREFIX" "${NEXTHOPS[@]}" || return
	flows_send "$COUNT" "${LEAF[0]}" 10.20.0.2 && flows_left "${LEAF[0]}" &&
		route main 0 1 && flows_forget "${LEAF[1]}" vy || return
	((LEFT[up1] == 0)) || fail "${LEFT[up1]} packets left by up1"
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && route main 0 1 &&
		leaves_up conga && pin "${LEAF[0]}" && pin "${LEAF[1]}" && pin "${HOST[1.0]}" &&
		flows_count "${LEAF[0]}" up0 up1 && flows_end "${HOST[1.0]}" eth0
}

underlay() {
	setup "$1" || die "cannot set up"
	tap_test "v$1: a tunnel that is bound to a device stays there" device_stays after
	tap_test "v$1: a bound tunnel that existed before the fabric stays at its device" \
		device_stays before
	tap_test "v$1: an FDB entry that names a device binds its MAC and no other" \
		entry_stays after
	tap_test "v$1: an FDB entry that names a device and existed before the fabric binds its MAC" \
		entry_stays before
	tap_test "v$1: entries without a device are steered on a tunnel that has one" \
		entries_are_free after
	tap_test "v$1: entries without a device that existed before the fabric are steered" \
		entries_are_free before
	tap_test "v$1: bound tunnels and others work side by side" both
	# IPv6 itself chooses another device if a source is given.
	(($1 == 6)) ||
		tap_test "v4: a bound tunnel whose device no longer leads to the leaf uses no other device" \
			device_goes
	topo_down
}

tap_plan 15
require_root
require_commands ip bridge nft jq
require_module
underlay 4
underlay 6
tap_exit
