# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel_memory.sh - measures the kernel's memory in use, in pages as the kernel counts them.
#
#	memory || return		sets MEMORY, in KB
#
# Source lib.sh and expect.sh first.

readonly REST_KB=8 REST_TIMES=6

# Empty slabs are kept for a while, unless they are released explicitly. Counts of pages are kept
# per CPU, and added up when stat_refresh is read.
memory_kb() {
	local cache

	for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done
	[[ ! -e /proc/sys/vm/stat_refresh ]] || cat /proc/sys/vm/stat_refresh
	awk '/^(Slab|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# memory: sets MEMORY, in KB, after released objects are freed. A read uses up to 100 KB itself
# for a moment, so the result is the least of several reads, until later reads are not smaller.
# The pause between them lets the kernel's own work, for example RCU callbacks, release objects.
memory() {
	local now rest=0 tries=120

	MEMORY=$(memory_kb)
	while ((rest < REST_TIMES && tries-- > 0)); do
		sleep 0.25
		now=$(memory_kb)
		rest=$((now < MEMORY - REST_KB ? 0 : rest + 1))
		((now >= MEMORY)) || MEMORY=$now
	done
	((rest == REST_TIMES)) ||
		fail "the kernel's memory does not become steady: it was $MEMORY KB, and is $now KB"
}
