#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel memory that conga uses: for the flowlet table, a flow of tr, and a fabric of a thousand
# leaves with every path resolved. Flowlets use no memory. allocations.sh has what single
# allocations show.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/kernel_memory.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"
. "$TESTS/lib/memory_rig.sh"

readonly FLOWLETS=65536 FEW_FLOWLETS=1024 MANY_FLOWLETS=1048576 FLOWLET_BYTES=8
readonly TR_FLOW_BYTES=16	# bytes of each flow, in addition to its flowlet
readonly HUGE_KB=2048		# the kernel rounds up to huge pages of so many KB
readonly FABRIC_KB=$((16 * 1024))
readonly NOISE_KB=256		# memory that other work of the machine uses

# table_kb: sets KB, if the table was made of single pages. The kernel uses contiguous memory if
# it has some, and does not trace that. The list of a large table's pages is made of pages, too,
# and is traced like them.
table_kb() {
	local pages

	pages=$(sed -n 's/.* conga_flowlets_create.* pages=\([0-9]*\) .*/\1/p' /proc/vmallocinfo |
		sort -n | tail -n 1)
	[[ $pages ]] || return
	KB=$((pages * $(getconf PAGESIZE) / 1024))
}

flowlet_table() {
	local before most=$((FLOWLETS * FLOWLET_BYTES / 1024)) spare=0

	conga fabric add hello off flowlets "$FEW_FLOWLETS" && memory || return
	before=$MEMORY
	conga fabric set flowlets "$FLOWLETS" && memory || return
	KB=$((MEMORY - before + FEW_FLOWLETS * FLOWLET_BYTES / 1024))
	table_kb || spare=$NOISE_KB
	echo "# $FLOWLETS flowlets: $KB KB"
	((KB <= most + spare)) || fail "$FLOWLETS flowlets take $KB KB, expected at most $most"
}

# The table is larger than any contiguous memory, so that its pages are counted.
large_table() {
	local most=$((MANY_FLOWLETS * FLOWLET_BYTES / 1024))

	conga fabric add hello off flowlets "$MANY_FLOWLETS" || return
	table_kb || KB=0
	echo "# $MANY_FLOWLETS flowlets: $KB KB"
	((KB == most)) || fail "$MANY_FLOWLETS flowlets take $KB KB of pages, expected $most"
}

# policy_takes POLICY: sets KB for a fabric whose tables are too large to be contiguous
policy_takes() {
	local before

	memory || return
	before=$MEMORY
	conga fabric add hello off policy "$1" flowlets "$MANY_FLOWLETS" || return
	memory || return
	KB=$((MEMORY - before))
	conga fabric del
}

# The program bench_cost uses this result, too.
tr_flows() {
	local letflow most

	policy_takes letflow || fail "the fabric cannot be created" || return
	letflow=$KB
	policy_takes tr || fail "the fabric cannot be created" || return
	echo "# cost memory-letflow $letflow 1.000 0"
	echo "# cost memory-tr $KB $(awk "BEGIN { printf \"%.3f\", $KB / $letflow }") $((KB - letflow))"
	most=$((MANY_FLOWLETS * TR_FLOW_BYTES / 1024))
	((KB - letflow >= most && KB - letflow <= most + HUGE_KB + NOISE_KB)) ||
		fail "tr takes $KB KB and letflow $letflow KB, expected a difference of $most KB"
}

# fabric_takes {4|6}
fabric_takes() {
	local before usable

	memory || return
	before=$MEMORY
	fabric_make "$1" "$MANY_LEAVES" || fail "the fabric cannot be created" || return
	usable=$(paths_usable)
	memory || return
	((usable == MANY_LEAVES * MANY_UPLINKS)) || fail "only $usable paths are usable" || return
	echo "# $MANY_LEAVES leaves by $MANY_UPLINKS uplinks, IPv$1: $((MEMORY - before)) KB," \
		"$(((MEMORY - before) * 1024 / MANY_LEAVES)) bytes a leaf, routes and all"
	((MEMORY - before < FABRIC_KB)) || fail "the fabric takes $((MEMORY - before)) KB"
}

# growing COMMAND...: sets GROWN to the growth of memory, in KB
growing() {
	local before

	memory || return
	before=$MEMORY
	"$@" && memory || return
	GROWN=$((MEMORY - before))
}

nothing_kept() {
	bursts growing || return
	echo "# $STARTED flowlets started: $GROWN KB more"
	((GROWN <= NOISE_KB)) || fail "$STARTED flowlets keep $GROWN KB"
}

memory_require
tap_plan 6
rig_up || die "cannot set up"
memory_test "$FLOWLETS flowlets take $((FLOWLETS * FLOWLET_BYTES / 1024)) KB" flowlet_table
memory_test "a table of single pages takes no additional page" large_table
memory_test "tr takes $TR_FLOW_BYTES bytes a flow more than letflow" tr_flows
memory_test "$MANY_LEAVES leaves by $MANY_UPLINKS uplinks take less than 16 MB, IPv4" fabric_takes 4
memory_test "$MANY_LEAVES leaves by $MANY_UPLINKS uplinks take less than 16 MB, IPv6" fabric_takes 6
memory_test "memory does not grow when flowlets start" nothing_kept
tap_exit
