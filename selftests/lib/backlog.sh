#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# backlog.sh - where the packets of a veth wait for their processor. The kernel drops those that
# find 1,000 others there, which happens to a burst while the processor has other work.
#
#	backlog_raise		no burst of a test is dropped, until the test ends
#	backlog_dropped		prints how many packets the processors have dropped
#
# Source lib.sh first.

backlog_raise() {
	local before most=100000

	before=$(</proc/sys/net/core/netdev_max_backlog)
	defer "sysctl -qw net.core.netdev_max_backlog=$before"
	sysctl -qw net.core.netdev_max_backlog=$most
}

backlog_dropped() {
	local dropped sum=0

	while read -r _ dropped _; do
		sum=$((sum + 16#$dropped))
	done </proc/net/softnet_stat
	echo "$sum"
}
