#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/openvswitch.md is correct: nodes whose only tunnel is a vxlan port of
# Open vSwitch become conga by its commands, with and without a local_ip.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1

readonly SCHEMA=/usr/share/openvswitch/vswitch.ovsschema

# ovs LEAF COMMAND...: runs a command of the leaf's switch, in its namespace
ovs() {
	local dir=$TOPO_DIR/ovs$1

	in_ns "${LEAF[$1]}" env OVS_RUNDIR="$dir" OVS_DBDIR="$dir" OVS_SYSCONFDIR="$dir" \
		OVS_LOGDIR="$dir" "${@:2}"
}

# vsctl LEAF WORD...
vsctl() {
	ovs "$1" ovs-vsctl --db="unix:$TOPO_DIR/ovs$1/db.sock" --timeout=20 "${@:2}"
}

# The guide uses this name.
ovs-vsctl() {
	vsctl "$GUIDE_LEAF" "$@"
}

# Open vSwitch reads the number of processors no earlier than ten seconds after boot
# (count_cpu_cores() in its lib/ovs-thread.c). If it starts earlier, it believes that there is none,
# and starts no thread that handles new flows.
readonly COUNTED_S=10

machine_is_counted() {
	local up

	read -r up _ </proc/uptime
	((${up%.*} > COUNTED_S))
}

# switch_up LEAF: starts its daemons
switch_up() {
	local dir=$TOPO_DIR/ovs$1

	busywait $((2 * COUNTED_S * 1000)) machine_is_counted || return
	mkdir -p "$dir"
	ovs "$1" ovsdb-tool create "$dir/conf.db" "$SCHEMA" &&
		ovs "$1" ovsdb-server "$dir/conf.db" --remote="punix:$dir/db.sock" --detach --no-chdir \
			--pidfile="$dir/db.pid" --log-file="$dir/db.log" >/dev/null 2>&1 &&
		vsctl "$1" --no-wait init &&
		ovs "$1" ovs-vswitchd "unix:$dir/db.sock" --detach --no-chdir \
			--pidfile="$dir/switch.pid" --log-file="$dir/switch.log" >/dev/null 2>&1 || return
	defer "switch_down $1 2>/dev/null"
}

# switch_down LEAF: stops its daemons, while their folder exists
switch_down() {
	local pids

	mapfile -t pids < <(cat "$TOPO_DIR/ovs$1/switch.pid" "$TOPO_DIR/ovs$1/db.pid") && kill "${pids[@]}"
}

# node LEAF [OPTION]...: creates a bridge with the host and the vxlan port
node() {
	local l=$1

	ip -n "${LEAF[l]}" link del vx && ip -n "${LEAF[l]}" link set h0 nomaster &&
		ip -n "${LEAF[l]}" link del br0 && switch_up "$l" &&
		vsctl "$l" add-br br-int -- add-port br-int h0 -- add-port br-int vx0 -- \
			set interface vx0 type=vxlan "options:remote_ip=${VTEP[1 - l]}" \
			options:key=100 "${@:2}"
}

# The route's source is the VTEP if no local_ip is set.
nodes() {
	local l

	for l in 0 1; do
		node "$l" ${1:+"options:local_ip=${VTEP[l]}"} && leaf_route "$l" 0 1 || return
	done
}

# The switch takes all packets of its ports, whichever kind of device these are.
members_refused() {
	refused "A port of Open vSwitch cannot be an uplink, an internal port can" \
		-n "${LEAF[0]}" port add h0 role uplink rate 1gbit &&
		refused "A port of Open vSwitch cannot be an uplink, an internal port can" \
			-n "${LEAF[0]}" port add vxlan_sys_4789 role uplink rate 1gbit || return
	ip -n "${LEAF[0]}" link set br-int up && conga 0 port add br-int role uplink rate 1gbit &&
		conga 0 port del br-int
}

# congad cannot find the leaves, and says who has them.
switch_is_named() {
	says 0 "congad: vxlan vxlan_sys_4789 is external: Open vSwitch chooses its destinations, and no\
 forwarding table has them, so congad adds no leaves for it; add each other node by \"conga leaf\
 add ADDR\"" "$TESTS/../userspace/congad" -n "${LEAF[0]}" -1 && conga 0 fabric del
}

# check TEXT NODES...
check() {
	{ topo_up && nodes "$2"; } || die "cannot set up"
	tap_test "Open vSwitch $1: congad names the switch, and how to add leaves" switch_is_named
	{ guide_run 0 openvswitch.md && guide_run 1 openvswitch.md; } || die "the guide cannot be run"
	tap_test "Open vSwitch $1: both nodes become conga by the guide's commands" guide_converges
	tap_test "Open vSwitch $1: packets between hosts are stamped, and learnt from" guide_stamps
	tap_test "Open vSwitch $1: conga check reports nothing" \
		guide_is_sound
	[[ $2 ]] || tap_test "Open vSwitch: its ports cannot be uplinks, the internal one can" \
		members_refused
	switch_down 0 && switch_down 1
	topo_down
}

tap_plan 9
require_root
require_commands ip ping jq ovs-vswitchd ovsdb-server ovsdb-tool
require_module
modprobe -q openvswitch || genl ctrl get name ovs_datapath >/dev/null 2>&1 ||
	tap_skip_all "needs the kernel's openvswitch"
check "with local_ip" local_ip
check "without local_ip" ""
tap_exit
