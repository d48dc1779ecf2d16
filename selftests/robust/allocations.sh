#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What conga allocates: an object for each leaf, and nothing for packets and flowlets.
#
# The tracepoints of the kernel (kmem) show which code allocates how much: the kernel itself adds
# up the bytes by stack.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"
. "$TESTS/lib/memory_rig.sh"

readonly LEAF_BYTES=1280	# 256 of them for hello, without its paths: see kmod/objects/leaf.h
readonly INDEX_BYTES=64		# share of a leaf in the index, at most
readonly TRACES=5		# attempts, of one trace each
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

# complete COMMAND...: does it again while the trace lacks a stack, which happens if two processors
# meet a new stack at the same time
complete() {
	local try status

	for ((try = 0; try < TRACES; try++)); do
		LOST=0 status=0
		without_fabric "$@" || status=$?
		((LOST)) || break
	done
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

# ---- tests ----

leaf_object() {
	local bytes

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

# The packets themselves are allocated meanwhile, which shows that the trace is active.
nothing_allocated() {
	bursts traced && allocations '\[conga\]' || return
	echo "# $STARTED flowlets started: $OURS allocations by conga, $ALL by all"
	((ALL >= BURST)) || fail "only $ALL allocations of $BURST packets were traced" || return
	((OURS == 0)) || fail "conga allocated $OURS times for $STARTED flowlets"
}

memory_require
[[ -e $EVENTS/kmem/kmalloc/hist ]] || tap_skip_all "needs histograms of tracepoints"
tap_plan 2
rig_up || die "cannot set up"
tap_test "a leaf takes $LEAF_BYTES bytes, and at most $INDEX_BYTES in the index" \
	complete leaf_object
tap_test "packets that start flowlets allocate no memory, not even temporarily" \
	complete nothing_allocated
tap_exit
