#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netlink_fuzz.sh [-n MESSAGES] [-s SEED] - sends random requests to a leaf of a fabric that
# carries traffic: each is answered as the manual describes, and none leaves anything behind. The
# file netlink_fuzz.c has the messages and the expected answers.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/balance.sh"
. "$TESTS/lib/backlog.sh"
. "$TESTS/lib/kernel_memory.sh"

QUIET=				# the fabric sends hellos and feedback
FABRIC_RATE=1gbit
readonly FLOWS=2000 BALANCE_PERCENT=140
readonly DATAGRAMS=100000000 INTERVAL_US=5000
readonly KEPT_KB=256		# memory that other work of the machine uses
readonly WARM=2000		# messages before the memory is measured
readonly SAME=300		# messages that are compared

MESSAGES=10000 SEED=1
while getopts n:s: option; do
	case $option in
	n) MESSAGES=$OPTARG ;;
	s) SEED=$OPTARG ;;
	*) exit 2 ;;
	esac
done
readonly MESSAGES SEED SHARED=$((MESSAGES / 5))

REPORT=$(mktemp -d)
defer "rm -rf $REPORT"

# ---- the fabric ----

leaf_up() {
	fabric_leaf 0 conga conga && conga_batch "${LEAF[0]}" <<-END
		leaf add fd00::12 mode auto
		leaf add 10.0.0.99 mode plain
	END
}

# Restores the initial fabric, whatever its state is.
leaf_again() {
	conga 0 fabric del 2>/dev/null
	leaf_up || fail "leaf 0 cannot be set up again"
}

elsewhere_up() {
	ELSEWHERE=elsewhere-$(mktemp -u XXXXXX)
	ip netns add "$ELSEWHERE" && defer "ip netns del $ELSEWHERE"
}

traffic_up() {
	local h

	for h in 0.0 1.0; do
		"$TESTS/tools/udp_listen" "${HOST[$h]}" 9 >/dev/null &
	done
	for h in 1.0 0.0; do
		"$TESTS/tools/vxlan_send" -n "${HOST[$((1 - ${h%.*})).0]}" -c "$DATAGRAMS" -i "$INTERVAL_US" \
			-l 500 -p 9 "${HOST_IP[$h]}" - 2>/dev/null &
	done
}

traffic_down() {
	jobs -p | xargs -r kill 2>/dev/null
	wait 2>/dev/null
}

balances() {
	local before

	before=$(stat_of "${LEAF[0]}" tx_steered) || fail "leaf 0 does not answer" || return
	balance_flows "$FLOWS" || fail "not all flows arrived after the requests" || return
	(($(stat_of "${LEAF[0]}" tx_steered) - before >= FLOWS)) ||
		fail "leaf 0 did not choose the uplinks" || return
	balance_within "$BALANCE_PERCENT"
}

# ---- messages ----

# If the kernel can inject failures, these include allocations that may wait. The kernel logs no
# failure, because a log line would count as a complaint.
starving() {
	local settings=/sys/kernel/debug/failslab

	[[ ! -d $settings ]] || { echo 0 >$settings/verbose && echo N >$settings/ignore-gfp-wait; }
}

# fuzz WORD...
fuzz() {
	"$TESTS/tools/netlink_fuzz" -n "${LEAF[0]}" -e "$ELSEWHERE" "$@"
}

same_seed() {
	local seed

	for seed in "$SEED" "$SEED" $((SEED + 1)); do
		fuzz -p -s "$seed" -c "$SAME" | sha256sum
	done >"$REPORT/sums"
	[[ $(uniq -c <"$REPORT/sums" | awk '{ print $1 }' | xargs) == "2 1" ]] ||
		fail "$(<"$REPORT/sums")"
}

one_sends() {
	local start status=0

	start=$(now_ms)
	fuzz -s "$SEED" -c "$MESSAGES" 2>&1 | tee "$REPORT/one"
	((!PIPESTATUS[0])) || status=1
	echo "# $MESSAGES messages in $(($(now_ms) - start)) ms"
	((!status)) || fail "there are findings"
}

# are_stopped PID...
are_stopped() {
	local pid

	for pid; do
		[[ $(<"/proc/$pid/stat") == *") T "* ]] || return
	done
}

# Two processes change one fabric, each during the changes of the other. Each stops when it has
# read what exists, so that both begin with the same fabric.
two_send() {
	local i pid pids=() status=0

	leaf_again || return
	for i in 1 2; do
		"$TESTS/tools/netlink_fuzz" -n "${LEAF[0]}" -e "$ELSEWHERE" -S -s $((SEED + i)) \
			-c "$SHARED" >"$REPORT/shared$i" 2>&1 &
		pids+=("$!")
	done
	busywait 60000 are_stopped "${pids[@]}" || status=1
	kill -CONT "${pids[@]}"
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	((!status)) && return
	cat "$REPORT"/shared{1,2}
	fail "there are findings"
}

# A line is "command NAME: 7 sent, 5 accepted, 2 refused ...": POLICY_GET accepts every
# well-formed request.
all_commands_both() {
	local never

	never=$(awk '/^# command [A-Z]/ && (!$6 || !$8) { print $3 }' "$REPORT/one" | xargs)
	[[ ! $never ]] || fail "these commands were never both accepted and rejected: $never"
}

module_answers() {
	leaf_again || return
	conga 0 check >/dev/null || (($? == 1)) || fail "conga check does not run" || return
	busywait 60000 leaf_has_paths || fail "$(conga 0 path show)"
}

leaf_has_paths() {
	(($(conga 0 -j path show leaf "${VTEP[1]}" | jq '[.[] | select(.state == "usable")] | length') ==
		TOPO_SPINES * TOPO_LINKS))
}

# A large flowlet table may or may not be counted, depending on the memory in which the kernel
# places it.
leaf_memory() {
	leaf_again && conga 0 fabric set flowlets 1024 && memory
}

# Objects that are allocated once are allocated before; the later readings include them again.
memory_before() {
	traffic_up
	fuzz -s $((SEED + 3)) -c "$WARM" >/dev/null 2>&1
	traffic_down
	leaf_again && balances && leaf_memory
}

nothing_kept() {
	local before=$MEMORY

	leaf_memory || return
	echo "# memory: $((MEMORY - before)) KB more"
	((MEMORY - before <= KEPT_KB)) || fail "the kernel's memory grew by $((MEMORY - before)) KB"
}

# A kernel that watches every allocation uses memory for this. Such a kernel reports leaks by
# itself when the machine ends.
watched() {
	[[ -e /sys/kernel/debug/kmemleak ]]
}

require_root
require_commands ip tc jq
require_module
if watched; then tap_plan 7; else tap_plan 8; fi
topo_up || die "the topology cannot be set up"
backlog_raise
{ fabric_up conga conga && leaf_again && elsewhere_up && starving; } ||
	die "the fabrics cannot be set up"
tap_test "the same seed makes the same messages, and another seed others" same_seed
tap_test "leaf 0 balances flows over its uplinks before the fuzzing" balances
watched || memory_before >/dev/null || die "$TAP_WHY"
traffic_up
tap_test "$MESSAGES messages, seed $SEED: each is answered as the manual says" one_sends
tap_test "every command was accepted at least once, and rejected at least once" all_commands_both
tap_test "two processes send $SHARED messages each, and the kernel survives" two_send
traffic_down
tap_test "the module answers as before after a fabric is created again" module_answers
tap_test "leaf 0 balances flows over its uplinks after the fuzzing" balances
watched || tap_test "no memory is leaked" nothing_kept
tap_exit
