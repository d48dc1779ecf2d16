#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No object outlives its use: ports, leaves, fabrics, devices, namespaces and the module itself
# are removed while packets pass, at once and without a reference left. The traffic continues by
# the remaining paths, at last by the kernel's own route.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

# Of the uplinks up0 to up3, up0 and up2 are moved away. A route of nexthop objects loses only
# that nexthop; the kernel removes any other multipath route.
TOPO_LINKS=2
TOPO_NEXTHOPS=object
QUIET=				# work that runs by itself must end, too
readonly ROUNDS=8
readonly PATIENCE_MS=30000
readonly DATAGRAMS=1000000 INTERVAL_US=3000 ENOUGH=50
readonly COMPLAINTS='unregister_netdevice: waiting|WARNING:|BUG|Oops|refcount_t|KASAN'

# ---- traffic ----

# Every datagram is a flow of its own, so that all uplinks are in use.
sender() {
	"$TESTS/tools/vxlan_send" -n "${HOST[$1]}" -c "$DATAGRAMS" -i "$INTERVAL_US" -l 500 -p 9 \
		"${HOST_IP[$2]}" - 2>/dev/null &
}

traffic_up() {
	local h

	for h in 0.0 1.0; do
		"$TESTS/tools/udp_listen" "${HOST[$h]}" 9 >/dev/null &
	done
	sender 0.0 1.0
	sender 1.0 0.0
}

received_more_than() {
	(($(link_counter "${HOST[$1]}" eth0 rx packets) > $2))
}

# Both hosts receive packets of the other.
traffic_flows() {
	local h before

	for h in 0.0 1.0; do
		before=$(link_counter "${HOST[$h]}" eth0 rx packets)
		busywait "$PATIENCE_MS" received_more_than "$h" $((before + ENOUGH)) ||
			fail "host $h receives no traffic" || return
	done
}

# ---- removals that must end at once ----

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

# ends COMMAND...: the command succeeds soon. A command that waits for a reference cannot be
# killed, so the test then leaves it running.
ends() {
	local pid start

	"$@" &
	pid=$!
	start=$(now_ms)
	if ! busywait "$PATIENCE_MS" is_gone "$pid"; then
		disown "$pid"
		fail "$* still waits after $(($(now_ms) - start)) ms"
		return
	fi
	wait "$pid" || fail "$* failed"
}

no_such_link() {
	! ip -n "$1" link show "$2" >/dev/null 2>&1
}

no_complaint() {
	local said

	said=$(dmesg | sed "1,/$MARK/d" | grep -E "$COMPLAINTS")
	[[ ! $said ]] || fail "$said"
}

# ---- configuration is added and removed ----

# Leaf 0 has this number of paths.
paths_are_usable() {
	(($(conga 0 path show | grep -c usable) == $1))
}

ports_and_leaves_go() {
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		printf '%s\n' "port del up0" "leaf set ${VTEP[1]} mode plain" "port del up3" \
			"leaf del ${VTEP[1]}" "port add up3 role uplink" \
			"leaf add ${VTEP[1]} mode conga" "port add up0 role uplink"
	done | ends conga_batch "${LEAF[0]}" || return
	traffic_flows || return
	busywait "$PATIENCE_MS" paths_are_usable 4 || fail "$(conga 0 path show)" || return
	no_complaint
}

parameters_change() {
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		printf '%s\n' "fabric set q $((i % 6 + 1)) flowlets $((1024 << i % 4))" \
			"fabric set tdre $((20 + i))us policy ecmp" "flowlet flush" \
			"fabric set policy conga alpha 0.$((i % 4 + 1))" "port set up0 rate 1gbit"
	done | ends conga_batch "${LEAF[0]}" && traffic_flows && no_complaint
}

# The fabrics are removed with all their objects; the last one stays, as it was at first.
fabrics_go() {
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		echo "fabric del"
		echo "fabric add"
		fabric_uplinks 0
		echo "leaf add ${VTEP[1]} mode conga"
	done | ends conga_batch "${LEAF[0]}" || return
	traffic_flows || return
	busywait "$PATIENCE_MS" paths_are_usable 4 || fail "$(conga 0 path show)" || return
	no_complaint
}

# ---- devices are removed ----

port_is_gone() {
	[[ $(conga 0 -j port show) != *"\"$1\""* ]] || fail "port $1 was not removed"
}

device_is_removed() {
	ends ip -n "${LEAF[0]}" link del up0 && port_is_gone up0 && traffic_flows || return
	no_such_link "${SPINE[0]}" down0.0 || fail "the peer device down0.0 still exists" || return
	[[ $("$CONGA" -n "${SPINE[0]}" -j port show) != *down0.0* ]] ||
		fail "the peer device down0.0 is still a port" || return
	no_complaint
}

# In its new namespace the device is ordinary, and can be a port again.
device_moves() {
	ends ip -n "${LEAF[0]}" link set up2 netns "${HOST[0.0]}" && port_is_gone up2 &&
		traffic_flows || return
	says 0 "" conga_batch "${HOST[0.0]}" <<-END || return
		fabric add
		port add up2 role transit rate 1gbit
		fabric del
	END
	no_complaint
}

# ---- the module is removed ----

unused_module() {
	[[ $(</sys/module/conga/refcnt) == 0 ]] ||
		fail "the refcnt of the module is $(</sys/module/conga/refcnt)"
}

module_is_removed() {
	unused_module && ends rmmod conga || return
	[[ ! -d /sys/module/conga ]] || fail "the module was not removed" || return
	traffic_flows && no_complaint
}

module_returns() {
	module_load && fabric_partly && traffic_flows &&
		busywait "$PATIENCE_MS" paths_are_usable 2
}

# The test removes the rest of leaf 0, all of leaf 1, and the other ends of the spines.
fabric_partly() {
	fabric_leaf 1 conga conga && conga_batch "${LEAF[0]}" <<-END || return
		fabric add
		port add up1 role uplink
		port add up3 role uplink
		leaf add ${VTEP[1]} mode conga
	END
	conga_batch "${SPINE[1]}" <<-END
		fabric add
		port add down0.1 role transit
		port add down1.0 role transit
	END
}

# ---- namespaces are removed ----

# The namespaces are configured and send. A namespace is removed when its devices are, together
# with their peers, which takes the kernel a moment.
namespaces_are_removed() {
	ends ip netns del "${LEAF[1]}" && ends ip netns del "${SPINE[1]}" || return
	busywait "$PATIENCE_MS" no_such_link "${SPINE[0]}" down1.0 ||
		fail "the devices of leaf 1 were not removed" || return
	busywait "$PATIENCE_MS" no_such_link "${LEAF[0]}" up3 ||
		fail "the devices of spine 1 were not removed" || return
	port_is_gone up3 && no_complaint && unused_module && ends rmmod conga && no_complaint
}

require_root
require_commands ip tc jq dmesg rmmod
require_module
module_is_ours || tap_skip_all "$TAP_WHY"
tap_plan 8
MARK="lifetime $$ $EPOCHREALTIME"
echo "$MARK" >/dev/kmsg
topo_up || die "the topology cannot be set up"
fabric_up conga conga || die "the fabrics cannot be set up"
traffic_up
tap_test "ports and leaves come and go under traffic" ports_and_leaves_go
tap_test "parameters change under traffic" parameters_change
tap_test "fabrics come and go under traffic" fabrics_go
tap_test "a port's device is removed under traffic" device_is_removed
tap_test "a port's device moves to another namespace under traffic" device_moves
tap_test "the module is removed under traffic, and traffic continues without it" module_is_removed
tap_test "the module can be loaded again" module_returns
tap_test "configured namespaces are removed under traffic" namespaces_are_removed
tap_exit
