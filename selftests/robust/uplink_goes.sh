#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An uplink is removed and added while all processors send by it: a packet that just found it
# usable may find that its port is gone. The test runs for every policy that reads state of ports;
# no packet is lost. Paths outlive a port by a grace period, which is a long one here, so that many
# packets meet it.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/neighbours.sh"

TOPO_SPINES=1

readonly POLICIES="conga drill tr wcmp"
readonly EACH=10000		# packets from each processor
readonly TIMES=20		# removals of the uplink in a batch
readonly LEAST=20 ROUNDS=20	# removals in all while packets are sent, and tries
SENT=$(($(nproc) * EACH))
readonly SENT

# The kernel shortens the grace periods that an administrator waits for. A kernel for one processor
# has none.
long_grace_periods() {
	local switch=/sys/kernel/rcu_normal before

	[[ -e $switch ]] || return 0
	before=$(<"$switch") && defer "echo $before >$switch" && echo 1 >"$switch"
}

setup() {
	long_grace_periods && topo_up && tunnel_says_nothing && pktgen_prepare &&
		fabric_up conga conga || return
	flows_end "${HOST[1.0]}" eth0
}

# goes: removes and adds the uplink until it is stopped
goes() {
	local i

	trap 'exit 0' TERM
	while :; do
		for ((i = 0; i < TIMES; i++)); do
			echo "port del up1"
			echo "port add up1 role uplink tag 1 rate 1gbit"
		done | conga_batch "${LEAF[0]}" || exit
	done
}

# went BEFORE: prints how often this happened since BEFORE
went() {
	echo $(($(stat_of "${LEAF[0]}" path_down) - $1))
}

# goes_under POLICY: runs as many rounds as are needed
goes_under() {
	local going before round

	conga 0 fabric set policy "$1" || return
	before=$(stat_of "${LEAF[0]}" path_down)
	goes &
	going=$!
	for ((round = 0; round < ROUNDS && $(went "$before") < LEAST; round++)); do
		if ! pktgen_flows "$EACH" 200 || ! flows_arrive "$SENT" "${HOST[1.0]}" eth0; then
			kill "$going"
			return 1
		fi
	done
	kill "$going" && wait "$going" ||
		fail "the uplink was not removed and added repeatedly" || return
	echo "# it went $(went "$before") times"
	(($(went "$before") >= LEAST)) || fail "the uplink was removed too seldom"
}

require_root
require_commands ip nft
require_module
pktgen_load || tap_skip_all "needs pktgen"
tap_plan "$(wc -w <<<"$POLICIES")"
setup || die "cannot set up"
for policy in $POLICIES; do
	tap_test "$policy: no packet is lost when an uplink is removed under traffic" \
		goes_under "$policy"
done
tap_exit
