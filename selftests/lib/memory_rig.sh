# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# memory_rig.sh - a leaf that has routes to a thousand others, by sixteen uplinks, and how to make
# fabrics there whose memory is measured. Source lib.sh, expect.sh, pktgen.sh and cost_rig.sh first.
#
#	memory_require		skips all tests where bytes cannot be counted
#	rig_up			the leaf, without a fabric
#	fabric_make 4 1000	a fabric with so many leaves
#	bursts COMMAND...	the command sends BURST packets that start a flowlet each
#	memory_test NAME COMMAND...
#
# shellcheck disable=SC2031 # far() sets FAR4 in the shell that reads it
# shellcheck disable=SC2034 # for those who source this

readonly BURST=20000		# packets, each in its own flow
readonly BOX=mem

memory_require() {
	require_root
	require_commands ip jq tc
	require_module
	pktgen_load || tap_skip_all "needs pktgen"
	[[ ! -e /sys/kernel/debug/kmemleak ]] ||
		tap_skip_all "this kernel's checkers take memory for whatever is allocated"
}

# ---- a leaf, and a thousand others ----

# far_routes: each leaf has a route of its own, since the kernel shares the common part of routes
# to several destinations
far_routes() {
	local n i hops4="" hops6=""

	for ((i = 0; i < MANY_UPLINKS; i++)); do
		hops4+=" nexthop via 10.1.0.$((2 * i + 1)) dev up$i"
		hops6+=" nexthop via 2001:db8:1:$i::2 dev up$i"
	done
	for ((n = 0; n < MANY_LEAVES; n++)); do
		far "$n"
		echo "route add $FAR4/32 metric $((n + 1))$hops4"
		echo "route add $FAR6/128$hops6"
	done
}

# The tunnel leads to one of these leaves.
rig_up() {
	local devices=() i

	for ((i = 0; i < MANY_UPLINKS; i++)); do devices+=("up$i"); done
	links $BOX "$MANY_UPLINKS" && addresses $BOX "${devices[@]}" &&
		routes $BOX 0 "${devices[@]}" | ip -n $BOX -batch - &&
		far_routes | ip -n $BOX -batch - && far $((MANY_LEAVES / 2)) &&
		tunnel $BOX "$FAR4" local 10.0.0.1 noudpcsum
}

conga() {
	"$CONGA" -n "$BOX" "$@"
}

# leaves {4|6} COUNT
leaves() {
	local n addr

	for ((n = 0; n < $2; n++)); do
		far "$n"
		[[ $1 == 4 ]] && addr=$FAR4 || addr=$FAR6
		echo "leaf add $addr mode conga"
	done
}

# fabric_make {4|6} LEAVES
fabric_make() {
	local i

	{
		echo "fabric add hello off explicit-feedback off"
		for ((i = 0; i < MANY_UPLINKS; i++)); do
			echo "port add dev up$i role uplink rate $RATE"
		done
		leaves "$1" "$2"
	} | conga -b -
}

# Reading the paths resolves them.
paths_usable() {
	conga -j path show | jq '[.[] | select(.state == "usable")] | length'
}

# ---- packets that start flowlets ----

# flowlets_started: sets STARTED to the counter of the fabric
flowlets_started() {
	counters_read
	STARTED=${COUNTERS[1]}
}

# bursts COMMAND...: the command sends packets that start a flowlet each; sets STARTED. Earlier
# packets resolve what must be resolved once. Two flows may share an entry, one soon after the
# other: 2,800 of 20,000 flows in 65,536 entries, if all packets come within one flowlet timeout.
bursts() {
	local before

	IN=$BOX FABRIC=$BOX
	fabric_make 4 "$MANY_LEAVES" && generate "$BURST" "$BURST" && flowlets_started ||
		fail "pktgen did not send" || return
	before=$STARTED
	"$@" generate "$BURST" "$BURST" && flowlets_started || fail "pktgen did not send" || return
	STARTED=$((STARTED - before))
	((STARTED >= BURST * 85 / 100)) || fail "$BURST packets started only $STARTED flowlets"
}

# ---- tests ----

# without_fabric COMMAND...: removes a fabric that a failed test left
without_fabric() {
	local status=0

	"$@" || status=$?
	! conga fabric show >/dev/null 2>&1 || conga fabric del
	return "$status"
}

# memory_test NAME COMMAND...
memory_test() {
	tap_test "$1" without_fabric "${@:2}"
}
