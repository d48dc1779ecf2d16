#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel memory that conga uses: for the flowlet table, a flow of tr, a leaf, and a fabric of
# a thousand leaves with every path resolved. Packets and flowlets use no memory.
#
# The tracepoints of the kernel (kmem) show which code allocates how much: the kernel itself adds
# up the bytes by stack. Tests that need the tracepoints are skipped on a kernel without them
# (User Mode Linux).
#
# shellcheck disable=SC2031 # far() sets FAR4 in the shell that reads it

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/kernel_memory.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly FLOWLETS=65536 FEW_FLOWLETS=1024 MANY_FLOWLETS=1048576 FLOWLET_BYTES=8
readonly TR_FLOW_BYTES=16	# bytes of each flow, in addition to its flowlet
readonly HUGE_KB=2048		# the kernel rounds up to huge pages of so many KB
readonly LEAF_BYTES=1280	# 256 of them for hello, without its paths: see kmod/objects/leaf.h
readonly INDEX_BYTES=64		# share of a leaf in the index, at most
readonly FABRIC_KB=$((16 * 1024))
readonly BURST=20000		# packets, each in its own flow
readonly NOISE_KB=256		# memory that other work of the machine uses
readonly BOX=mem
readonly EVENTS=/sys/kernel/tracing/events
readonly HISTOGRAM="hist:keys=stacktrace:vals=bytes_alloc:size=4096"

SEEN=$(mktemp)		# histograms
defer "rm -f $SEEN"

# ---- allocations, as the kernel traces them ----

# The events differ from kernel to kernel. (Writing a trigger without appending would delete the
# others.)
events() {
	grep -lw bytes_alloc "$EVENTS"/kmem/km{alloc,em_cache_alloc}{,_node}/format \
		"$EVENTS"/percpu/percpu_alloc_percpu/format 2>/dev/null | xargs -r dirname
}

# traceable: returns KSFT_SKIP if this kernel has no such tracepoints
traceable() {
	[[ -e $EVENTS/kmem/kmalloc/hist ]] && return
	why "this kernel makes no histograms of tracepoints"
	return "$KSFT_SKIP"
}

# traced COMMAND...: records every allocation meanwhile, by stack, in SEEN
traced() {
	local event status=0

	for event in $(events); do
		echo "$HISTOGRAM" >>"$event/trigger" ||
			fail "the event cannot be traced: $event" || return
	done
	"$@" || status=$?
	for event in $(events); do
		echo "$HISTOGRAM:pause" >>"$event/trigger"
		cat "$event/hist"
		echo "!$HISTOGRAM" >>"$event/trigger"
	done >"$SEEN"
	return "$status"
}

# allocations PATTERN: sets OURS and OUR_BYTES to the allocations with a matching function among
# the callers, ALL to all allocations, and LOST to those without a stack
allocations() {
	read -r OURS OUR_BYTES ALL LOST < <(awk -v pattern="$1" '
		/stacktrace:/ && /^{/ { ours = 0 }
		$0 ~ pattern { ours = 1 }
		/hitcount:/ && ours {
			for (i = 1; i < NF; i++) {
				if ($i == "hitcount:") count += $(i + 1)
				if ($i == "bytes_alloc:") bytes += $(i + 1)
			}
		}
		$1 == "Hits:" { all += $2 }
		$1 == "Dropped:" { lost += $2 }
		END { print count + 0, bytes + 0, all + 0, lost + 0 }' "$SEEN")
	((LOST == 0)) || fail "$LOST allocations have no known stack"
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
	links $BOX $MANY_UPLINKS && addresses $BOX "${devices[@]}" &&
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

# ---- tests ----

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

leaf_object() {
	local bytes

	traceable || return
	fabric_make 4 0 || fail "the fabric cannot be created" || return
	traced conga -b - < <(leaves 4 "$MANY_LEAVES") ||
		fail "the leaves cannot be created" || return
	allocations 'conga_leaf_a' || return
	bytes=$((OUR_BYTES / MANY_LEAVES))
	echo "# a leaf: $bytes bytes, $OURS allocations for $MANY_LEAVES leaves"
	((OURS >= MANY_LEAVES)) ||
		fail "only $OURS allocations of $MANY_LEAVES leaves were traced" || return
	((bytes <= LEAF_BYTES + INDEX_BYTES)) || fail "a leaf takes $bytes bytes"
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

# flowlets_started: sets STARTED to the counter of the fabric
flowlets_started() {
	counters_read
	STARTED=${COUNTERS[1]}
}

# bursts COMMAND...: the command sends packets that start a flowlet each; sets STARTED. Earlier
# packets resolve what must be resolved once. Two flows may share an entry, one soon after the
# other.
bursts() {
	local before

	IN=$BOX FABRIC=$BOX
	fabric_make 4 "$MANY_LEAVES" && generate "$BURST" "$BURST" && flowlets_started ||
		fail "pktgen did not send" || return
	before=$STARTED
	"$@" generate "$BURST" "$BURST" && flowlets_started || fail "pktgen did not send" || return
	STARTED=$((STARTED - before))
	((STARTED >= BURST * 99 / 100)) || fail "$BURST packets started only $STARTED flowlets"
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

# The packets themselves are allocated meanwhile, which shows that the trace is active.
nothing_allocated() {
	traceable || return
	bursts traced && allocations '\[conga\]' || return
	echo "# $STARTED flowlets started: $OURS allocations by conga, $ALL by all"
	((ALL >= BURST)) || fail "only $ALL allocations of $BURST packets were traced" || return
	((OURS == 0)) || fail "conga allocated $OURS times for $STARTED flowlets"
}

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

require_root
require_commands ip jq tc
require_module
pktgen_load || tap_skip_all "needs pktgen"
[[ ! -e /sys/kernel/debug/kmemleak ]] ||
	tap_skip_all "this kernel's checkers take memory for whatever is allocated"
tap_plan 8
rig_up || die "cannot set up"
memory_test "$FLOWLETS flowlets take $((FLOWLETS * FLOWLET_BYTES / 1024)) KB" flowlet_table
memory_test "a table of single pages takes no additional page" large_table
memory_test "tr takes $TR_FLOW_BYTES bytes a flow more than letflow" tr_flows
memory_test "a leaf takes $LEAF_BYTES bytes, and at most $INDEX_BYTES in the index" leaf_object
memory_test "$MANY_LEAVES leaves by $MANY_UPLINKS uplinks take less than 16 MB, IPv4" fabric_takes 4
memory_test "$MANY_LEAVES leaves by $MANY_UPLINKS uplinks take less than 16 MB, IPv6" fabric_takes 6
memory_test "memory does not grow when flowlets start" nothing_kept
memory_test "packets that start flowlets allocate no memory, not even temporarily" nothing_allocated
tap_exit
