#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabric.sh - conga on a topology: fabrics, ports and leaves, counters, rejected commands.
#
# Source lib.sh and topology.sh first; after topo_up:
#
#	FABRIC_RATE=200mbit	the rate of every port; empty: the link's own speed
#	QUIET=			fabrics send hellos and explicit feedback
#	fabric_up conga conga	policy and mode of every leaf, spine and core
#	conga 0 path show	runs the tool in leaf 0's namespace
#	stat_of "${LEAF[0]}" rx_stamped
#	fabric_down

CONGA=${BASH_SOURCE[0]%/*}/../../userspace/conga
FABRIC_RATE=

# POLICIES has all policies that the module knows, in its order.
POLICIES=$(sed -n 's/^CONGA_POLICY(\(.*\))$/\1/p' "${BASH_SOURCE[0]%/*}/../../kmod/policies/policy_table.h" |
	tr '_\n' '- ')
POLICIES=${POLICIES% }

readonly PROBES_WAIT_MS=20000

# Counters are exact when no node sends control packets.
QUIET="hello off explicit-feedback off"

# conga LEAF WORD...: runs the tool in a leaf's namespace
conga() {
	"$CONGA" -n "${LEAF[$1]}" "${@:2}"
}

# leaves_set WORD...: runs "fabric set" on every leaf
leaves_set() {
	local l

	for l in "${!LEAF[@]}"; do conga "$l" fabric set "$@" || return; done
}

# conga_batch NAMESPACE: runs the tool's commands on stdin
conga_batch() {
	"$CONGA" -n "$1" -b -
}

# fabric_uplinks LEAF: prints "port add" lines for the leaf's uplinks
fabric_uplinks() {
	local l=$1 link

	for link in ${LEAF_LINKS[l]}; do
		fabric_port "up$((${link%.*} * TOPO_LINKS + ${link#*.}))" uplink "leaf$l" "spine$link"
	done
}

# fabric_port DEVICE ROLE FROM TO: prints a "port add" line
fabric_port() {
	topo_rate "$3" "$4"
	RATE=${FABRIC_RATE:-$RATE}
	echo "port add dev $1 role $2 ${RATE:+rate $RATE}"
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
	local s=$1 link c

	{
		echo "fabric add $QUIET"
		for link in ${SPINE_LINKS[s]}; do
			fabric_port "down$link" transit "spine$s.${link#*.}" "leaf${link%.*}"
		done
		for ((c = 0; c < TOPO_CORES; c++)); do
			fabric_port "core$c" transit "spine$s" "core$c"
		done
	} | conga_batch "${SPINE[s]}"
}

# fabric_core CORE
fabric_core() {
	local c=$1 s

	{
		echo "fabric add $QUIET"
		for ((s = 0; s < TOPO_SPINES; s++)); do
			fabric_port "spine$s" transit "core$c" "spine$s"
		done
	} | conga_batch "${CORE[c]}"
}

# fabric_hula: sets policy hula, with $HULA_PARAMS, on spines and cores, above leaves that have it.
# Spines and cores know the leaves, too; a spine's ports to cores have a higher tier than its ports
# to leaves.
fabric_hula() {
	local s c l box

	for s in "${!SPINE[@]}"; do
		for c in "${!CORE[@]}"; do echo "port set core$c tier 1"; done |
			conga_batch "${SPINE[s]}" || return
	done
	for box in "${SPINE[@]}" "${CORE[@]}"; do
		{
			for l in "${!LEAF[@]}"; do echo "leaf add ${VTEP[l]} mode plain"; done
			echo "fabric set policy hula ${HULA_PARAMS-}"
		} | conga_batch "$box" || return
	done
}

# fabric_up POLICY MODE: adds a fabric on every leaf, spine and core
fabric_up() {
	local l s c

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		fabric_leaf "$l" "$1" "$2" || return
	done
	for ((s = 0; s < TOPO_SPINES; s++)); do
		fabric_spine "$s" || return
	done
	for ((c = 0; c < TOPO_CORES; c++)); do
		fabric_core "$c" || return
	done
}

# fabric_policy POLICY [INTERVAL]: sets the policy on every node, since hula and tr run on spines,
# too; with hula also the interval of probes, one of which is then received
fabric_policy() {
	local ns probe=auto

	[[ $1 != hula ]] || probe=${2-auto}
	for ns in "${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}"; do
		"$CONGA" -n "$ns" fabric set policy "$1" probe "$probe" || return
	done
	[[ $1 != hula ]] || busywait "$PROBES_WAIT_MS" probes_heard || fail "no probe was received"
}

probes_heard() {
	[[ $(conga 0 -j leaf show | jq -r '.[0].best // empty') ]]
}

fabric_down() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}"; do
		"$CONGA" -n "$ns" fabric del || return
	done
}

# stat_of NAMESPACE COUNTER: prints one number
stat_of() {
	"$CONGA" -n "$1" -j stats show all | jq -e ".[0].$2"
}

# refused SENTENCE WORD...: the tool must print exactly this error on stderr, nothing else, and
# exit with 1.
refused() {
	local sentence=$1 out status=0

	shift
	out=$("$CONGA" "$@" 2>&1) || status=$?
	if ((status != 1)) || [[ $out != "Error: $sentence." ]]; then
		why "conga $*: status $status, output: $out, expected: Error: $sentence."
		return 1
	fi
}
