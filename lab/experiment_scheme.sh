# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# experiment_scheme.sh - starts the scheme of an experiment: policies at leaves, spines and cores,
# subflows or repathing at hosts. The load begins when leaves know of each other what the scheme
# needs.
#
#	scheme_start
#	subflows_check SUMMARY		flowgen says that every connection has its subflows
#	hosts_count NAME=COUNTER...
#
# Source lib.sh, topology.sh and fabric.sh first. The settings are those of lab/experiment.
#
# SUBFLOWS_COUNTERS and others are for lab/experiment.
# shellcheck disable=SC2034

# The paper's time constants: tau 160 us with alpha 0.1. By itself it would follow the
# size of bursts. The flowlet timeout is the scheme's own. HULA's tau follows the interval
# of its probes.
readonly PAPER_TDRE="tdre 16us" PAPER_AGE="age 10ms"
# TR's leaves ask each path's delay in turn, this often, and the load waits for it. The first
# hello of a path waits for its neighbour's address, too: all are measured again.
readonly TR_HELLO=20ms TR_PATIENCE=20	# tenths of a second
readonly ECN_PATIENCE=20			# tenths of a second
readonly TR_AGAIN=1			# second: 16 paths, and three times that
# Linux opens a subflow for each address; more than 8 beside the first it refuses.
readonly SUBFLOWS=8 SUBFLOWS_MOST=8
# It gives a connection the largest send buffer of its subflows, not their sum: with the usual
# 16 KB at first, the buffer and not the network would limit eight subflows. What a subflow has
# not sent yet is bounded instead: no other one could send it.
readonly SUBFLOWS_WMEM="4096 4194304 4194304" SUBFLOWS_UNSENT=16384	# bytes
# By all hosts: a connection's counters are those of its first subflow
readonly SUBFLOWS_COUNTERS="TcpRetransSegs=retransmits TcpExtTCPOFOQueue=out_of_order"

declare -a BOXES=()

# ---- boxes with a fabric ----

# Every box that has a fabric; each word once in a command.
options() {
	local ns

	(($#)) || return 0
	for ns in "${BOXES[@]}"; do
		"$CONGA" -n "$ns" fabric set "$@" || return
	done
}

# scheme_of LEAF: its policy
scheme_of() {
	local word

	for word in $LEAF_SCHEMES; do
		[[ $word != "$1="* ]] || { echo "${word#*=}"; return; }
	done
	case $SCHEME in
	mptcp)	echo ecmp ;;
	*)	echo "$SCHEME${SCHEME_PARAMS:+ $SCHEME_PARAMS}" ;;
	esac
}

has_conga() {
	[[ " $LEAF_SCHEMES" != *" $1="* ]]
}

# are_plain LEAF LEAF: for each other. A leaf without conga neither stamps nor is stamped,
# and CONGA' is CONGA within a pod.
are_plain() {
	! has_conga "$1" || ! has_conga "$2" ||
		{ [[ $SCHEME == conga-prime ]] && (($1 * PODS / LEAVES != $2 * PODS / LEAVES)); }
}

leaf_modes() {
	local l=$1 r

	for ((r = 0; r < LEAVES; r++)); do
		if ((r != l)) && are_plain "$l" "$r"; then
			conga "$l" leaf set "${VTEP[r]}" mode plain || return
		fi
	done
}

boxes_start() {
	local l s c

	BOXES=("${LEAF[@]}")
	for ((l = 0; l < LEAVES; l++)); do
		fabric_leaf "$l" "$(scheme_of "$l")" "$MODE" && leaf_modes "$l" || return
	done
	for ((s = 0; s < SPINES; s++)); do
		[[ " $UNMARKED_SPINES " != *" $s "* ]] || continue
		fabric_spine "$s" || return
		BOXES+=("${SPINE[s]}")
	done
	for ((c = 0; c < CORES; c++)); do
		[[ " $UNMARKED_CORES " != *" $c "* ]] || continue
		fabric_core "$c" || return
		BOXES+=("${CORE[c]}")
	done
	[[ $SCHEME != hula ]] || HULA_PARAMS=$SCHEME_PARAMS fabric_hula || return
	[[ $SCHEME != tr ]] || spines_tell
}

# Of their queues.
spines_tell() {
	local s

	for s in "${SPINE[@]}"; do "$CONGA" -n "$s" fabric set policy tr || return; done
}

# ---- what leaves must know ----

# Those of this box's paths, to every leaf.
delays_known() {
	"$CONGA" -n "$1" -j path show |
		jq -es 'length == 1 and (.[0] | map(select(.state == "usable")) |
			length > 0 and all(has("delay_ns")))' >/dev/null
}

delays_measure() {
	local ns i

	for ns in "${LEAF[@]}"; do "$CONGA" -n "$ns" fabric set hello "$TR_HELLO" || return; done
	for ((i = 0; i < TR_PATIENCE; i++)); do
		sleep 0.1
		for ns in "${LEAF[@]}"; do delays_known "$ns" || continue 2; done
		sleep "$TR_AGAIN"
		return 0
	done
	echo "experiment: leaves do not know the delays of all paths" >&2
	return 1
}

# ecn_agreed NAMESPACE: this leaf sends ECT to all leaves
ecn_agreed() {
	"$CONGA" -n "$1" -j leaf show | jq -es '.[0] | length > 0 and all(.ecn)' >/dev/null
}

# Leaves agree about ECN by hellos, which have to be on.
ecn_agrees() {
	local ns i

	for ((i = 0; i < ECN_PATIENCE; i++)); do
		sleep 0.1
		for ns in "${LEAF[@]}"; do ecn_agreed "$ns" || continue 2; done
		return 0
	done
	echo "experiment: leaves do not agree about ecn: are hellos on?" >&2
	return 1
}

# ---- hosts ----

# Of each host: the first address is that of the connection itself.
subflows_allow() {
	local id ip

	for id in "${!HOST[@]}"; do
		{
			echo "mptcp limits set subflow $SUBFLOWS_MOST add_addr_accepted $SUBFLOWS_MOST"
			for ip in ${HOST_IPS[$id]#* }; do
				echo "mptcp endpoint add $ip dev eth0 subflow"
			done
		} >"$TOPO_DIR/subflows"
		ip -n "${HOST[$id]}" -batch "$TOPO_DIR/subflows" || return
	done
}

# subflows_check SUMMARY: of flowgen; all are up when the clock starts, and have the congestion
# control that they should have, or the hosts' settings were of no use
subflows_check() {
	if [[ ! $1 =~ connections=([0-9]+)\ subflows=([0-9]+) ]] ||
		((BASH_REMATCH[2] != SUBFLOWS * BASH_REMATCH[1])); then
		echo "experiment: not every connection has $SUBFLOWS subflows" >&2
		return 1
	fi
	if [[ ! $(<"$TOPO_DIR/congestion") =~ ^$CONGESTION:[0-9]+$ ]]; then
		echo "experiment: not every subflow uses $CONGESTION, but $(<"$TOPO_DIR/congestion")" >&2
		return 1
	fi
}

# A host draws another hash for a flow that was marked for several round trips.
repathing_start() {
	local id

	for id in "${!HOST[@]}"; do
		in_ns "${HOST[$id]}" sysctl -qw net.ipv4.tcp_plb_enabled=1 || return
	done
}

# hosts_count NAME=COUNTER...: what the kernel counts as NAME, by all hosts
hosts_count() {
	local id

	for id in "${!HOST[@]}"; do
		in_ns "${HOST[$id]}" nstat -asz "${@%%=*}"
	done | awk -v counters="$*" '
		{ sum[$1] += $2 }
		END {
			for (i = split(counters, counter, " "); i; i--) {
				split(counter[i], word, "=")
				print "hosts", word[2], sum[word[1]] + 0
			}
		}'
}

# ---- all of it ----

# shellcheck disable=SC2086 # lists of words
scheme_start() {
	local paper="$PAPER_TDRE $PAPER_AGE"

	case $SCHEME in
	stock)	return 0 ;;
	plb)	repathing_start; return ;;
	mptcp)	subflows_allow || return ;;
	hula)	paper=$PAPER_AGE ;;
	esac
	module_load && boxes_start && options $paper && options $SCHEME_OPTIONS || return
	[[ " $SCHEME_OPTIONS " != *" ecn on "* ]] || ecn_agrees || return
	[[ $SCHEME != tr ]] || delays_measure
}
