#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabric.sh - conga on a topology: fabrics, ports and leaves, counters, refusals.
#
# Source lib.sh and topology.sh first; after topo_up:
#
#	FABRIC_RATE=200mbit	of every port; empty: the link's own speed
#	QUIET=			fabrics say hello and feed back by themselves
#	fabric_up conga conga	policy, mode: every leaf and every spine
#	conga 0 path show	the tool in leaf 0's namespace
#	stat_of "${LEAF[0]}" rx_stamped
#	fabric_down

CONGA=${BASH_SOURCE[0]%/*}/../userspace/conga
FABRIC_RATE=

# Counters are exact when no box says anything by itself.
QUIET="hello off explicit-feedback off"

# conga LEAF WORD...: the tool in a leaf's namespace
conga() {
	"$CONGA" -n "${LEAF[$1]}" "${@:2}"
}

# conga_batch NAMESPACE: the tool's commands on stdin
conga_batch() {
	"$CONGA" -n "$1" -b -
}

# The uplinks of leaf $1, ports only: "port add" lines
fabric_uplinks() {
	local l=$1 s p

	for ((s = 0; s < TOPO_SPINES; s++)); do
		for ((p = 0; p < TOPO_LINKS; p++)); do
			topo_rate "leaf$l" "spine$s.$p"
			RATE=${FABRIC_RATE:-$RATE}
			echo "port add dev up$((s * TOPO_LINKS + p)) role uplink ${RATE:+rate $RATE}"
		done
	done
}

# fabric_leaf LEAF POLICY MODE
fabric_leaf() {
	local l=$1 r

	{
		echo "fabric add $QUIET policy $2"
		fabric_uplinks "$l"
		for ((r = 0; r < TOPO_LEAVES; r++)); do
			((r == l)) || echo "leaf add ${VTEP[r]} mode $3"
		done
	} | conga_batch "${LEAF[l]}"
}

# fabric_spine SPINE
fabric_spine() {
	local s=$1 l p

	{
		echo "fabric add $QUIET"
		for ((l = 0; l < TOPO_LEAVES; l++)); do
			for ((p = 0; p < TOPO_LINKS; p++)); do
				topo_rate "spine$s.$p" "leaf$l"
				RATE=${FABRIC_RATE:-$RATE}
				echo "port add dev down$l.$p role transit ${RATE:+rate $RATE}"
			done
		done
	} | conga_batch "${SPINE[s]}"
}

# fabric_up POLICY MODE: on every leaf and spine
fabric_up() {
	local l s

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		fabric_leaf "$l" "$1" "$2" || return
	done
	for ((s = 0; s < TOPO_SPINES; s++)); do
		fabric_spine "$s" || return
	done
}

fabric_down() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGA" -n "$ns" fabric del || return
	done
}

# stat_of NAMESPACE COUNTER: one number
stat_of() {
	"$CONGA" -n "$1" -j stats show all | jq -e ".[0].$2"
}

# refused SENTENCE WORD...: the tool must refuse with exactly this sentence on
# stderr, print nothing else, and exit with 1.
refused() {
	local sentence=$1 out status=0

	shift
	out=$("$CONGA" "$@" 2>&1) || status=$?
	if ((status != 1)) || [[ $out != "Error: $sentence." ]]; then
		why "conga $*: status $status, said: $out, expected: Error: $sentence."
		return 1
	fi
}
