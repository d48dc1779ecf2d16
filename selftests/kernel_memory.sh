# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel_memory.sh - how much memory the kernel has in use, in pages as it counts them.
#
#	memory || return		sets MEMORY, in KB
#
# Source lib.sh and expect.sh first.

readonly REST_KB=32

# Slabs that are empty are kept for a while, unless they are asked for; counts of pages are
# kept per CPU, and put together when stat_refresh is read.
memory_kb() {
	local cache

	for cache in /sys/kernel/slab/*/shrink; do echo 1 >"$cache"; done
	[[ ! -e /proc/sys/vm/stat_refresh ]] || cat /proc/sys/vm/stat_refresh
	awk '/^(Slab|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# memory: sets MEMORY, in KB, once what was given up is freed. To ask forks, which takes a
# few pages more or less from time to time.
memory() {
	local before seen tries=60

	MEMORY=$(memory_kb)
	seen=$MEMORY
	while ((tries-- > 0)); do
		before=$MEMORY
		sleep 0.5
		MEMORY=$(memory_kb)
		((MEMORY - before > REST_KB || before - MEMORY > REST_KB)) || return 0
		seen+=" $MEMORY"
	done
	fail "the kernel's memory does not come to rest: $seen KB"
}
