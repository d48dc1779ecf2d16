#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh - a single leaf, whose whole environment is controlled by the test.
#
#	leaf --- up0 ... upN-1 === down0 ... downN-1 --- core
#
# The core plays all nodes except the leaf under test: it owns the VTEPs of two far leaves, has no
# fabric, and reads and writes VXLAN headers itself. It sends only the packets of the test. The
# time is exact (see timetable.c) if code takes no time, which is so under User Mode Linux with
# time travel.
#
#	bench_require			before anything else
#	bench_up 2			with two uplinks, LBTag i on up$i
#	bench_ends 2			commands for timetable: what can be named
#	bench_run <<<"..."		runs them; the events are in $EVENTS
#	events '.sent' '[.from, .to]'	those that have the field, as jq shows them
#
# Source lib.sh, fabric.sh and expect.sh first.

readonly LEAF_VTEP=10.0.0.11
readonly -a FAR_VTEP=(10.0.0.12 10.0.0.13)
readonly LEAF_IP=192.168.0.11
readonly -a FAR_IP=(192.168.0.12 192.168.0.13)
readonly BENCH_MTU=9300		# room for a frame of 9000 bytes in VXLAN
readonly VXLAN_PORT=4789 INNER_PORT=9 FLOW_PORT=10000 FLOWS_MAX=100

# An inner datagram of n bytes is n + 92 bytes on the wire: UDP 8, IP 20, Ethernet 14, VXLAN 8,
# UDP 8, IP 20, Ethernet 14.
# shellcheck disable=SC2034 # for those who source this
readonly BENCH_HEADERS=92
# shellcheck disable=SC2034
readonly GRAIN_NS=1024	# resolution of the module's idle times

declare -a LEAF=()
CORE=""
BENCH_DIR=""
EVENTS=""

# Only in this machine code takes no time, so that a schedule is kept exactly.
bench_require() {
	require_root
	require_commands ip bridge jq awk
	require_exact_time
	require_module
}

bench_down() {
	local ns

	[[ $BENCH_DIR ]] || return 0
	for ns in "${LEAF[0]}" "$CORE"; do
		[[ ! -e /run/netns/$ns ]] || ip netns del "$ns"
	done
	rm -rf "$BENCH_DIR"
	BENCH_DIR=""
}

# IPv6 and neighbour resolution are off, because a DRE counts every frame.
bench_namespaces() {
	local ns

	for ns in "${LEAF[0]}" "$CORE"; do
		ip netns add "$ns" && in_ns "$ns" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 \
			net.ipv4.conf.{all,default}.rp_filter=0 || return
	done
}

bench_links() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "link add up$i netns ${LEAF[0]} up mtu $BENCH_MTU address 02:00:00:00:01:$(printf %02x $i) \
type veth peer name down$i netns $CORE mtu $BENCH_MTU address 02:00:00:00:02:$(printf %02x $i)"
	done
}

bench_core() {
	local i vtep

	for vtep in "${FAR_VTEP[@]}"; do echo "address add $vtep dev lo"; done
	echo "link set lo up"
	for ((i = 0; i < $1; i++)); do
		echo "link set down$i up"
		echo "address add 10.1.0.$((2 * i + 1))/31 dev down$i"
		echo "neighbour add 10.1.0.$((2 * i)) lladdr 02:00:00:00:01:$(printf %02x $i) dev down$i nud permanent"
	done
	echo "route add $LEAF_VTEP via 10.1.0.0"
}

bench_leaf() {
	local i far hops=""

	echo "link set lo up"
	echo "address add $LEAF_VTEP dev lo"
	for ((i = 0; i < $1; i++)); do
		echo "address add 10.1.0.$((2 * i))/31 dev up$i"
		echo "neighbour add 10.1.0.$((2 * i + 1)) lladdr 02:00:00:00:02:$(printf %02x $i) dev up$i nud permanent"
		hops+=" nexthop via 10.1.0.$((2 * i + 1)) dev up$i"
	done
	echo "link add vx up mtu $((BENCH_MTU - 50)) type vxlan id 100 local $LEAF_VTEP dstport $VXLAN_PORT nolearning"
	echo "address add $LEAF_IP/24 dev vx"
	for far in 0 1; do
		echo "route add ${FAR_VTEP[far]}$hops"
		echo "neighbour add ${FAR_IP[far]} lladdr 02:00:00:00:03:0$far dev vx nud permanent"
	done
}

bench_fdb() {
	local far

	for far in 0 1; do
		echo "fdb add 02:00:00:00:03:0$far dev vx dst ${FAR_VTEP[far]} self permanent"
	done
}

# bench_up UPLINKS
bench_up() {
	BENCH_DIR=$(mktemp -d) || return
	EVENTS=$BENCH_DIR/events
	LEAF=("leaf-${BENCH_DIR##*.}")
	CORE=core-${BENCH_DIR##*.}
	defer bench_down
	bench_namespaces && ip -batch - < <(bench_links "$1") &&
		ip -n "$CORE" -batch - < <(bench_core "$1") &&
		ip -n "${LEAF[0]}" -batch - < <(bench_leaf "$1") &&
		bridge -n "${LEAF[0]}" -batch - < <(bench_fdb) && settle
}

# bench_fabric UPLINKS RATE WORD...: the words are those of "fabric add"; both far leaves run
# conga. Reading the paths resolves them, so that the first packet need not.
bench_fabric() {
	local uplinks=$1 rate=$2 i

	shift 2
	{
		echo "fabric add $QUIET $*"
		for ((i = 0; i < uplinks; i++)); do
			echo "port add up$i role uplink tag $i rate $rate"
		done
		printf 'leaf add %s mode conga\n' "${FAR_VTEP[@]}"
		echo "path show"
	} | conga_batch "${LEAF[0]}" >/dev/null
}

bench_fabric_again() {
	conga 0 fabric del && bench_fabric "$@"
}

# bench_ends UPLINKS [FLOWS]: load0, load1, ... send frames on an uplink; flow0.0, flow0.1, ...
# send to far leaf 0, and flow1.0 to far leaf 1; far0 and far1 send as the far leaves, and wire0
# and wire1 receive their packets; leaf is the tool.
bench_ends() {
	local i far

	echo "tool leaf ${LEAF[0]}"
	for ((i = 0; i < $1; i++)); do echo "frames load$i ${LEAF[0]} up$i"; done
	for far in 0 1; do
		for ((i = 0; i < ${2:-1}; i++)); do
			echo "udp flow$far.$i ${LEAF[0]} $LEAF_IP $((FLOW_PORT + FLOWS_MAX * far + i)) ${FAR_IP[far]} $((INNER_PORT + far))"
		done
		echo "udp far$far $CORE ${FAR_VTEP[far]} 50000 $LEAF_VTEP $VXLAN_PORT"
		echo "listen wire$far $CORE ${FAR_VTEP[far]} $VXLAN_PORT"
	done
}

bench_run() {
	"$TESTS/tools/timetable" "$CONGA" >"$EVENTS" || fail "timetable failed or was late"
}

# events FIELD [SHOW]: prints the events that have the field, a line each, as jq -c prints them
events() {
	jq -c "select($1) | ${2:-.}" "$EVENTS"
}
