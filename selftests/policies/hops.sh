#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With HULA the transit ports of a spine have numbers, which uplinks may take away. In this test
# an uplink does so again and again, from one port after the other, while packets pass on all
# processors. All numbers are in use, so the port then has none. No packet is lost.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/neighbours.sh"

TOPO_SPINES=1

readonly ROUNDS=10
readonly EACH=2000		# packets from each processor in a round
readonly TIMES=50		# times that each number is used in a round
readonly NUMBERS="15 14 13 12"	# the highest numbers, for the four ports with links
readonly FILLERS=12		# ports without links, which have the other numbers
readonly PROBE=20ms		# few probes: the test is about data packets
readonly PROBE_SELDOM=200ms
SENT=$(($(nproc) * EACH))
readonly SENT
ALL=0

setup() {
	topo_up && tunnel_says_nothing && pktgen_prepare && fabric_up hula conga &&
		fabric_hula || return
	probes_each "$PROBE" || return
	fillers || return
	ip -n "${SPINE[0]}" link add spare up type dummy || return
	pin "${SPINE[0]}" && pin "${HOST[1.0]}" && flows_end "${HOST[1.0]}" eth0 || return
	stats_mark "${SPINE[0]}"
}

probes_each() {
	leaves_set probe "$1" && "$CONGA" -n "${SPINE[0]}" fabric set probe "$1"
}

fillers() {
	local i

	for ((i = 0; i < FILLERS; i++)); do
		ip -n "${SPINE[0]}" link add "fill$i" up type dummy || return
		echo "port add dev fill$i role transit rate 1gbit"
	done | conga_batch "${SPINE[0]}"
}

takes() {
	local i number

	for ((i = 0; i < TIMES; i++)); do
		for number in $NUMBERS; do
			echo "port add dev spare role uplink tag $number rate 1gbit"
			echo "port del dev spare"
		done
	done
}

# sent_at_once: all processors send one round
sent_at_once() {
	pktgen_flows "$EACH" 200 || return
	ALL=$((ALL + SENT))
	flows_arrive "$SENT" "${HOST[1.0]}" eth0
}

none_is_lost() {
	local round

	for ((round = 0; round < ROUNDS; round++)); do
		takes | conga_batch "${SPINE[0]}" &
		sent_at_once || return
		wait $! || fail "the uplink was not removed and added repeatedly" || return
	done
}

# A hop that has just lost its number is no path for packets that wait for the next probe.
all_are_counted() {
	local word sum=0

	for word in $(stats_growth "${SPINE[0]}"); do
		case $word in
		forward_steered=*|fallback_no_probe=*|fallback_no_path=*)
			echo "# $word"
			sum=$((sum + ${word#*=})) ;;
		esac
	done
	((sum == ALL)) || fail "only $sum of $ALL packets were counted"
}

# Afterwards the ports are hops again: probes report each leaf, and packets follow them. The
# probes are so rare that a busy machine delays none of them too long.
hops_again() {
	probes_each "$PROBE_SELDOM" && busywait 180000 steered_all
}

steered_all() {
	local before

	before=$(stat_of "${SPINE[0]}" forward_steered)
	sent_at_once || return
	(($(stat_of "${SPINE[0]}" forward_steered) - before == SENT)) ||
		fail "only $(($(stat_of "${SPINE[0]}" forward_steered) - before)) of $SENT" \
			"packets were steered"
}

require_root
require_commands ip jq nft
require_module
pktgen_load || tap_skip_all "needs pktgen"
tap_plan 3
setup || die "cannot set up"
tap_test "no packet is lost while an uplink takes over nexthops $((ROUNDS * TIMES * 4)) times" \
	none_is_lost
tap_test "each packet is steered, or left to the kernel, and counted" all_are_counted
tap_test "the spine steers all packets afterwards" hops_again
tap_exit
