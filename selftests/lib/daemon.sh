#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# daemon.sh - the daemon in namespaces, its log, and the leaves and ports that it adds.
#
#	daemon_start "${LEAF[0]}" -r 3gbit; daemon_restart NAMESPACE [OPTION]...; daemon_stop NAMESPACE
#	says_soon "${LEAF[0]}" SENTENCE	the log has this line, in a while
#	times_said "${LEAF[0]}" PATTERN	prints how many lines match
#	daemon_looked			the daemon of leaf 0 has processed all earlier changes
#	leaf_is 10.0.9.1 auto auto; leaf_is_gone 10.0.9.1; port_is up0 uplink 0 auto; port_is_gone up0
#					in a while, of leaf 0
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.

# shellcheck disable=SC2153 # CONGA is another program, that of fabric.sh
CONGAD=${BASH_SOURCE[0]%/*}/../../userspace/congad

readonly PATIENCE_MS=20000	# the daemon looks every 5 s at the latest
readonly HOLD_S=1
readonly MAC=02:00:00:00:99	# the MAC addresses of hosts behind peers

declare -A DAEMON=()		# NAMESPACE -> process id

leaf_ip() {
	ip -n "${LEAF[0]}" "$@"
}

leaf_fdb() {
	bridge -n "${LEAF[0]}" fdb "$@"
}

# ---- the daemon and its log ----

log_of() {
	echo "$TOPO_DIR/congad.$1"
}

# daemon_start NAMESPACE [OPTION]...: starts the daemon with an empty log
daemon_start() {
	local ns=$1

	: >"$(log_of "$ns")"
	"$CONGAD" -n "$ns" -v -hold "$HOLD_S" "${@:2}" 2>"$(log_of "$ns")" &
	DAEMON[$ns]=$!
}

# daemon_stop NAMESPACE: the daemon must end with status 0
daemon_stop() {
	local pid=${DAEMON[$1]} status=0

	unset "DAEMON[$1]"
	kill -TERM "$pid" && wait "$pid" || status=$?
	((status == 0)) || fail "the daemon of ${1%-*} ended with $status: $(<"$(log_of "$1")")"
}

daemon_restart() {
	daemon_stop "$1" && daemon_start "$@"
}

# said NAMESPACE SENTENCE: its log contains this line
said() {
	grep -qxF "congad: $2" "$(log_of "$1")"
}

says_soon() {
	busywait "$PATIENCE_MS" said "$@" ||
		fail "the daemon of ${1%-*} did not say \"$2\" but: $(<"$(log_of "$1")")"
}

# times_said NAMESPACE PATTERN: prints how many lines match
times_said() {
	grep -cE "^congad: $2$" "$(log_of "$1")"
}

# Waits until the daemon has processed all earlier changes: a new peer must appear in the log.
MARK=100
daemon_looked() {
	MARK=$((MARK + 1))
	leaf_fdb add "$MAC:fe" dev vx dst "10.0.9.$MARK" self permanent &&
		leaf_is "10.0.9.$MARK" auto auto && leaf_fdb del "$MAC:fe" dev vx self
}

# ---- existing objects ----

# leaves NAMESPACE: prints "ADDRESS MODE ORIGIN" lines, with no other fork than that of the tool
leaves() {
	local json pattern='"addr": ?"([^"]*)", ?"mode": ?"([^"]*)"[^}]*"origin": ?"([^"]*)"'

	json=$("$CONGA" -n "$1" -j leaf show 2>/dev/null)
	while [[ $json =~ $pattern ]]; do
		json=${json#*"${BASH_REMATCH[0]}"}
		echo "${BASH_REMATCH[*]:1}"
	done
}

# ports NAMESPACE: prints "DEVICE ROLE TAG ORIGIN" lines; transit ports have the tag "-"
ports() {
	local json pattern='"dev": ?"([^"]*)", ?"role": ?"([^"]*)"(, ?"tag": ?([0-9]+))?'

	pattern+='[^}]*"origin": ?"([^"]*)"'
	json=$("$CONGA" -n "$1" -j port show 2>/dev/null)
	while [[ $json =~ $pattern ]]; do
		json=${json#*"${BASH_REMATCH[0]}"}
		echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]} ${BASH_REMATCH[4]:--} ${BASH_REMATCH[5]}"
	done
}

# has_line {leaves|ports} NAMESPACE PATTERN
has_line() {
	local line

	while read -r line; do
		# shellcheck disable=SC2053 # a pattern
		[[ $line != $3 ]] || return 0
	done < <("$1" "$2")
	return 1
}

has_no_line() {
	! has_line "$@"
}

# leaf_is ADDRESS MODE ORIGIN: waits until the leaf is so
leaf_is() {
	busywait "$PATIENCE_MS" has_line leaves "${LEAF[0]}" "$*" ||
		fail "leaf \"$*\" was not added; the leaves are:" \
			"$(leaves "${LEAF[0]}" | paste -sd,); $(<"$(log_of "${LEAF[0]}")")"
}

leaf_is_gone() {
	busywait "$PATIENCE_MS" has_no_line leaves "${LEAF[0]}" "$1 *" ||
		fail "leaf $1 was not removed"
}

# port_is DEVICE ROLE TAG ORIGIN: waits until the port of leaf 0 is so
port_is() {
	busywait "$PATIENCE_MS" has_line ports "${LEAF[0]}" "$*" ||
		fail "port \"$*\" was not added; the ports are:" \
			"$(ports "${LEAF[0]}" | paste -sd,); $(<"$(log_of "${LEAF[0]}")")"
}

port_is_gone() {
	busywait "$PATIENCE_MS" has_no_line ports "${LEAF[0]}" "$1 *" ||
		fail "port $1 was not removed"
}
