# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel_memory.sh - how much memory the kernel has in use, in pages as it counts them.
#
#	memory || return		sets MEMORY, in KB
#
# Source lib.sh and expect.sh first.

readonly REST_KB=8 REST_TIMES=6

# Slabs that are empty are kept for a while, unless they are asked for; counts of pages are
# kept per CPU, and put together when stat_refresh is read.
memory_kb() {
	local cache

	for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done
	[[ ! -e /proc/sys/vm/stat_refresh ]] || cat /proc/sys/vm/stat_refresh
	awk '/^(Slab|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# memory: sets MEMORY, in KB, once what was given up is freed: to ask takes up to 100 KB
# itself, for a moment, so it is the least of what is seen, until the next are not less.
memory() {
	local now rest=0 tries=120

	MEMORY=$(memory_kb)
	while ((rest < REST_TIMES && tries-- > 0)); do
		sleep 0.25
		now=$(memory_kb)
		rest=$((now < MEMORY - REST_KB ? 0 : rest + 1))
		((now >= MEMORY)) || MEMORY=$now
	done
	((rest == REST_TIMES)) || fail "the kernel's memory does not come to rest: $MEMORY KB, $now KB"
}
