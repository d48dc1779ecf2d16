#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# traffic.sh - the control packets of a leaf that has many others.
#
# bench_growth runs it in a machine whose code takes no time (vm/run -k uml --time-travel), so that
# a leaf sends at its intervals, however many there are. The far leaves are played by one program.
# Nobody sends any data. It prints lines, per second:
#
#	traffic KIND LEAVES PACKETS BITS	BITS of the Ethernet frames; those that the leaf sends
#
#	waiting		to leaves that do not answer
#	agreed		to leaves that do, which ask nothing themselves
#	probes		of policy hula, by all uplinks
#
# shellcheck disable=SC2031 # "far" is called here, too, and not only in subshells

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly LEAVES=(100 10000)
readonly BEFORE_S=3 WINDOW_S=6	# five times the interval of hellos of full size
readonly BUFFER=1000000000	# bytes: all hellos of a moment wait for the program

# rig: adds a leaf whose uplinks all lead to all leaves
rig() {
	local i hops=()

	for ((i = 0; i < UPLINKS; i++)); do hops+=(nexthop via "10.1.0.$((2 * i + 1))" dev "up$i"); done
	leaf_up many $UPLINKS 0 && ip -n many route add 10.0.0.0/16 "${hops[@]}" &&
		far 0 && tunnel many "$FAR4" local 10.0.0.1 noudpcsum
}

# fabric_with LEAVES MODE [WORD]...: with the default intervals, unless the words say otherwise
fabric_with() {
	local i

	{
		echo "fabric add ${*:3}"
		for ((i = 0; i < UPLINKS; i++)); do echo "port add dev up$i role uplink rate $RATE"; done
		for ((i = 0; i < $1; i++)); do
			far "$i"
			echo "leaf add $FAR4 mode $2"
		done
	} | "$CONGA" -n many -b -
}

# sent KIND: prints the number that all uplinks sent so far
sent() {
	link_counters many tx "$1" | awk '/^up/ { sum += $2 } END { printf "%d\n", sum }'
}

# watched KIND LEAVES: prints what is sent within the window
watched() {
	local packets bytes

	sleep $BEFORE_S
	packets=$(sent packets) bytes=$(sent bytes)
	sleep $WINDOW_S
	packets=$(($(sent packets) - packets)) bytes=$(($(sent bytes) - bytes))
	echo "traffic $1 $2 $((packets / WINDOW_S)) $((bytes * 8 / WINDOW_S))"
}

# agreed: prints the number of leaves that answer
agreed() {
	"$CONGA" -n many -j leaf show | jq '[.[] | select(.state == "conga")] | length'
}

all_agreed() {
	(($(agreed) == $1))
}

played() {
	local i peer

	for ((i = 0; i < UPLINKS; i++)); do
		ip -n many-sink link set "down$i" address "$NEXT_MAC"
		tc -n many-sink filter del dev "down$i" ingress
	done
	sysctl -qw net.core.rmem_max=$BUFFER net.core.rmem_default=$BUFFER
	"$TESTS/tools/hello_peer" many-sink >/dev/null &
	peer=$!
	busywait $PATIENCE_MS all_agreed "$1" || die "only $(agreed) of $1 leaves agree"
	watched agreed "$1"
	kill "$peer"
	for ((i = 0; i < UPLINKS; i++)); do
		tc -n many-sink filter add dev "down$i" ingress matchall action drop
	done
}

main() {
	local n

	require_exact_time
	rig || die "no leaf"
	module_load || die "no module"
	for n in "${LEAVES[@]}"; do
		fabric_with "$n" auto || die "no fabric with $n leaves"
		watched waiting "$n"
		played "$n"
		"$CONGA" -n many fabric del
		fabric_with "$n" conga hello off policy hula || die "no fabric with $n leaves"
		watched probes "$n"
		"$CONGA" -n many fabric del
	done
}

main "$@"
