#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# guides.sh - runs the commands that a guide gives to an operator.
#
#	guide_run 0 flannel.md		the commands under its "Set it up", on leaf 0
#	guide_converges			all commands succeeded, and both leaves are conga
#
# The guide's own text is run, so that it cannot go stale. sudo does nothing, systemctl starts a
# daemon in the leaf's namespace, and a program that lists the nodes of a cluster is a function of
# the test that sources this file. The commands and what they say are printed, as comments of TAP.
# Source lib.sh, topology.sh, fabric.sh, expect.sh, hellos.sh and counters.sh first.

. "${BASH_SOURCE[0]%/*}/documents.sh"

readonly GUIDE_TREE=${BASH_SOURCE[0]%/*}/../..
readonly GUIDE_PINGS=20

# guide_daemon LEAF
guide_daemon() {
	"$GUIDE_TREE/userspace/congad" -n "${LEAF[$1]}" -r 10gbit \
		2>"$TOPO_DIR/congad.$1" >/dev/null &
	defer "kill $! 2>/dev/null"
}

# guide_run LEAF FILE [NAME=OTHER]...
guide_run() {
	# shellcheck disable=SC2034 # programs of the test read it
	GUIDE_LEAF=$1
	guide_run_in "${LEAF[$1]}" "${@:2}" >"$TOPO_DIR/guide.$1" 2>&1
	document_log "$2, leaf $1" <"$TOPO_DIR/guide.$1"
	[[ ! -e $TOPO_DIR/wants_daemon ]] || guide_daemon "$1"
	rm -f "$TOPO_DIR/wants_daemon"
}

guide_eval() {
	document_eval "$1" || echo "$1" >>"$TOPO_DIR/guide_failed"
}

# guide_succeeded: all commands did that ran until now
guide_succeeded() {
	[[ ! -e $TOPO_DIR/guide_failed ]] ||
		fail "commands of the guide failed: $(<"$TOPO_DIR/guide_failed")"
}

# guide_run_in NAMESPACE FILE [NAME=OTHER]...: the devices and addresses that the guide names are
# others in this namespace. A failing command does not end the run, as in an operator's shell.
guide_run_in() {
	local commands name

	commands=$(document_commands "Documentation/user/$2" "Set it up")
	[[ $commands ]] || die "$2 has no commands"
	for name in "${@:3}"; do commands=${commands//"${name%%=*}"/"${name#*=}"}; done
	(guide_shell "$1"; document_each guide_eval <<<"$commands")
}

# These functions replace commands of a guide. The daemon is started by a process that can end it.
guide_shell() {
	GUIDE_NS=$1
	sudo() { "$@"; }
	systemctl() { : >"$TOPO_DIR/wants_daemon"; }
	sysctl() { in_ns "$GUIDE_NS" sysctl "$@"; }
	ip() { command ip -n "$GUIDE_NS" "$@"; }
	bridge() { command bridge -n "$GUIDE_NS" "$@"; }
	nft() { in_ns "$GUIDE_NS" nft "$@"; }
	conga() { "$CONGA" -n "$GUIDE_NS" "$@"; }
}

guide_ping() {
	in_ns "${HOST[0.0]}" ping -q -n -c 1 -W 1 "${GUIDE_PEER:-${HOST_IP[1.0]}}" >/dev/null
}

guide_pings() {
	local said

	soon guide_ping || fail "no ping was answered" || return
	said=$(in_ns "${HOST[0.0]}" ping -q -n -c "$GUIDE_PINGS" -i 0.02 -W 5 \
		"${GUIDE_PEER:-${HOST_IP[1.0]}}")
	[[ $said == *" $GUIDE_PINGS received"* ]] || fail "not all pings were answered: $said"
}

guide_converges() {
	guide_succeeded || return
	{ guide_pings && leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" &&
		guide_pings; } ||
			fail "leaf 0 did not converge: $(<"$TOPO_DIR/guide.0")" \
				"$(<"$TOPO_DIR/congad.0")"
}

# A virtual Ethernet device reports a rate that is none, which an operator must know; on a node with
# real links there is nothing to report.
check_is_silent() {
	local said

	said=$(conga 0 -j check)
	jq -e 'map(select(.check != "rate")) == []' <<<"$said" >/dev/null ||
		fail "conga check found problems: $(conga 0 check)"
}

# Other software beside conga is no problem, and congad serves the node's tunnels.
guide_is_sound() {
	[[ ! -s $TOPO_DIR/congad.0 ]] || fail "congad logged $(<"$TOPO_DIR/congad.0")" || return
	soon check_is_silent
}

# Kubernetes' networks create their tunnels on a device. Linux binds only packets without an entry
# of their own to it.
guide_leaves_none_bound() {
	stats_mark "${LEAF[0]}"
	guide_pings && stat_has tx_stamped "$GUIDE_PINGS" || return
	[[ " $(stats_growth "${LEAF[0]}")" != *" fallback_bound="* ]] ||
		fail "packets are bound: $(stats_growth "${LEAF[0]}")"
}

# guide_network NAME FILE: the tests of a guide about a network of Kubernetes, whose tunnels name a
# device; the program defines node LEAF, which creates what the network's daemon creates.
guide_network() {
	tap_plan 4
	require_root
	require_commands ip bridge ping jq
	require_module
	{ topo_up && node 0 && node 1 && guide_run 0 "$2" && guide_run 1 "$2"; } ||
		die "cannot set up"
	tap_test "$1: both nodes become conga by the guide's commands" guide_converges
	tap_test "$1: packets between pods are stamped, and learnt from" guide_stamps
	tap_test "$1: no packet stays on the device that the tunnel names" guide_leaves_none_bound
	tap_test "$1: conga check reports nothing" guide_is_sound
	topo_down
	tap_exit
}

# The packets are stamped, as the guide promises.
guide_stamps() {
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	guide_pings && stat_has tx_stamped "$GUIDE_PINGS" || return
	[[ " $(stats_growth "${LEAF[1]}")" == *" rx_learnt="* ]] || fail "$(stats_growth "${LEAF[1]}")"
}
