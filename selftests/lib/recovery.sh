#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# recovery.sh - what leaf 0 must still do after something happened to its computer.
#
#	links_fall_idle				rates decay
#	paths_are_usable 4			so many paths become usable
#	hello_works 4				of so many, a silent path is left, and comes back
#
# The topology needs the link from spine 0 to leaf 0. Source fabric_test.sh first.

readonly RECOVERY_MS=20000

links_are_idle() {
	conga 0 -j port show | json_is 'all(.metric == 0)'
}

# links_fall_idle: without load the metric of each uplink decays to 0
links_fall_idle() {
	busywait "$RECOVERY_MS" links_are_idle || fail "the metrics do not decay: $(conga 0 port show)"
}

so_many_are_usable() {
	conga 0 -j path show | json_is "map(select(.state == \"usable\")) | length == $1"
}

# paths_are_usable COUNT
paths_are_usable() {
	busywait "$RECOVERY_MS" so_many_are_usable "$1" ||
		fail "not $1 paths are usable: $(conga 0 path show)"
}

# hello_works PATHS
hello_works() {
	local status=0

	paths_are_usable "$1" && in_ns "${SPINE[0]}" nft -f - <<-'END' || return
		table netdev silent {
			chain in { type filter hook ingress device "down0.0" priority 0; policy drop; }
		}
	END
	paths_are_usable $(($1 - 1)) || status=1
	in_ns "${SPINE[0]}" nft delete table netdev silent && paths_are_usable "$1" && return "$status"
}
