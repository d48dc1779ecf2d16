#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The topology builder, on a kernel without conga: all other tests depend on it.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/topology.sh"
. "$TESTS/lib/neighbours.sh"

readonly RATE_MBIT=12 SLOW_MBIT=3	# slow enough for every machine
readonly RATE_SECONDS=2
readonly RATE_TOLERANCE=10	# percent
readonly MSS=1448 WIRE=1564	# bytes of an inner 1500-byte packet, as tbf counts it
readonly FLOWS=4000		# flows of one packet each, for the balance
readonly MAX_IMBALANCE=130	# percent: the busiest link of a tier over the idlest
readonly STRAY=50		# other packets (neighbour discovery) in a tier
readonly FIRST_PORT=20000
readonly PATIENCE_MS=20000	# for links and neighbours of a fabric that was just built

# failed SENTENCE: prints the reason of a failure
failed() {
	why "$*"
	return 1
}

# ---- reachability ----

# Every host of leaf 0 reaches every host of the other leaves.
pings_cross() {
	local a b to

	for a in "${!HOST[@]}"; do
		[[ $a == 0.* ]] || continue
		for b in "${!HOST[@]}"; do
			[[ $b != 0.* ]] || continue
			for to in "${HOST_IP[$b]}" "${HOST_IP6[$b]}"; do
				in_ns "${HOST[$a]}" ping -q -n -c 1 -W 5 "$to" >/dev/null ||
					failed "host $a cannot reach $to" || return
			done
		done
	done
}

# variant WORD=VALUE...: builds a fabric with these settings, and pings through it
variant() {
	local setting status=0

	topo_defaults
	for setting in "$@"; do
		declare -g "TOPO_${setting%%=*}=${setting#*=}"
	done
	topo_up || failed "the fabric cannot be set up" || return
	pings_cross || status=1
	topo_down
	return "$status"
}

# reaches HOST HOST
reaches() {
	in_ns "${HOST[$1]}" ping -q -n -c 1 -W 1 "${HOST_IP[$2]}" >/dev/null
}

# The last host of each leaf is in a different tunnel than the first.
foreign_apart() {
	local a b status=0

	topo_defaults
	TOPO_LEAVES=3 TOPO_HOSTS=2 TOPO_FOREIGN=1
	topo_up || failed "the fabric cannot be set up" || return
	for a in 0 1; do
		for b in 0 1; do
			if ((a == b)); then
				busywait "$PATIENCE_MS" reaches "0.$a" "2.$b" ||
					failed "host 0.$a cannot reach 2.$b" || status=1
			elif reaches "0.$a" "2.$b" || reaches "0.$a" "0.$b"; then
				failed "host 0.$a reaches hosts $b" || status=1
			fi
		done
	done
	topo_down
	return "$status"
}

# Each address of a host reaches each address of another, without neighbour resolution.
# The first packet waits for links and neighbours, which may take longer than a ping waits.
address_reaches() {
	in_ns "${HOST[0.0]}" ping -q -n -c 1 -W 1 -I "$1" "$2" >/dev/null
}

several_addresses() {
	local one other status=0

	topo_defaults
	TOPO_HOST_ADDRESSES=3
	topo_up || failed "the fabric cannot be set up" || return
	[[ ${HOST_IPS[1.0]} == *" "*" "* ]] || failed "not three: ${HOST_IPS[1.0]}" || status=1
	for one in ${HOST_IPS[0.0]}; do
		for other in ${HOST_IPS[1.0]}; do
			busywait "$PATIENCE_MS" address_reaches "$one" "$other" ||
				failed "$one cannot reach $other" || status=1
		done
	done
	topo_down
	return "$status"
}

# ---- balance ----

# Each port gets one packet, without a fork per packet. No socket listens: the answers go in the
# other direction and are not counted.
udp_flows_send() {
	local i

	for ((i = 0; i < $2; i++)); do
		echo >"/dev/udp/$1/$((FIRST_PORT + i))"
	done 2>/dev/null
}

# tier_counters PREFIX NAMESPACE...: prints "namespace/device packets" lines
tier_counters() {
	local prefix=$1 ns

	shift
	for ns in "$@"; do
		link_counters "$ns" tx packets | sed -n "s,^$prefix,$ns/&,p"
	done | sort
}

# balanced TIER LINKS BEFORE AFTER: the tier has this number of links, which carry all the flows,
# and the busiest link carries little more than the idlest
balanced() {
	local tier=$1 links=$2 n sum min max

	read -r n sum min max < <(join <(echo "$3") <(echo "$4") | awk '{ print $3 - $2 }' | sort -n |
		awk 'NR == 1 { min = $1 } { sum += $1; max = $1 } END { print NR, sum, min, max }')
	echo "# $tier: $n links, $sum packets, $min to $max a link"
	((n == links)) || failed "$tier has $n links, not $links" || return
	((sum >= FLOWS && sum <= FLOWS + STRAY)) ||
		failed "$tier carried $sum packets for $FLOWS flows" || return
	((max * 100 <= min * MAX_IMBALANCE)) || failed "$tier: $min to $max packets a link"
}

balance() {
	local leaf spine status=0

	leaf=$(tier_counters up "${LEAF[0]}")
	spine=$(tier_counters down1 "${SPINE[@]}")
	in_ns "${HOST[0.0]}" bash -c "$(declare -f udp_flows_send)
		FIRST_PORT=$FIRST_PORT udp_flows_send ${HOST_IP[1.0]} $FLOWS"
	balanced "leaf tier" 4 "$leaf" "$(tier_counters up "${LEAF[0]}")" || status=1
	balanced "spine tier" 4 "$spine" "$(tier_counters down1 "${SPINE[@]}")" || status=1
	return "$status"
}

# A stock kernel keeps one route per vxlan device and CPU. With a fixed tos it searches the FIB
# for every packet, so that the test measures its multipath hash.
balance_up() {
	topo_defaults
	TOPO_VXLAN_OPTIONS="tos 0x10"
	topo_up || failed "the fabric cannot be set up" || return
	pings_cross && neighbours_meet && balance
}

# This is the control: a spine that hashes addresses only has one flow per pair of leaves.
one_sided() {
	local s status=0

	for ((s = 0; s < TOPO_SPINES; s++)); do
		in_ns "${SPINE[s]}" sysctl -q net.ipv4.fib_multipath_hash_policy=0 || return
	done
	balance >/dev/null || status=1
	TAP_WHY=""
	topo_down
	((status)) || failed "spines that use one of two links went unnoticed"
}

# ---- rates ----

rates_up() {
	topo_defaults
	TOPO_SPINES=1 TOPO_LINKS=1
	TOPO_GSO=9000 TOPO_BUFFER=1000000	# no loss: only the rate matters
	TOPO_RATE=${RATE_MBIT}mbit
	TOPO_LINK_RATE[spine0.0-leaf1]=${SLOW_MBIT}mbit
	topo_up || failed "the fabric cannot be set up" || return
	pings_cross
}

# rate_is FROM TO MBIT: one long transfer gets this rate, less the headers
rate_is() {
	local bytes=$(($3 * 1000000 * RATE_SECONDS / 8)) expected got

	got=$("$TESTS/tools/flowgen" -q -f "${HOST[$1]},${HOST_IP[$1]}" -t "${HOST[$2]},${HOST_IP[$2]}" \
		-C 1e9 -n 1 -c 1 -S "$bytes" |
		sed -n 's/.*unfinished=0 mean_ms=\([0-9]*\).*/\1/p')
	((got)) || failed "the transfer did not finish" || return
	expected=$((1000 * RATE_SECONDS * WIRE / MSS))
	echo "# $((bytes / 1000)) kB from $1 to $2 in $got ms, $expected expected"
	((got * 100 <= expected * (100 + RATE_TOLERANCE) &&
	  got * 100 >= expected * (100 - RATE_TOLERANCE))) ||
		failed "took $got ms instead of $expected"
}

# ---- clean-up ----

# dies COMMAND: a shell builds a fabric and ends with the command
dies() {
	local suffix built

	read -r suffix built <<<"$(env "TESTS=$TESTS" bash -c ". $TESTS/lib/lib.sh; . $TESTS/lib/topology.sh; topo_up || exit
		sfx=\${TOPO_DIR##*.}
		set -- /run/netns/*-\$sfx
		echo \$sfx \$#
		$1; echo still alive")"
	[[ $built == 6 ]] || failed "built ${built:-no} namespaces, not 6" || return
	! compgen -G "/run/netns/*-$suffix" >/dev/null || failed "namespaces are left"
}

# ---- flow generator ----

trace_repeats() {
	local one args=(-p -f "a,10.0.0.1" -f "b,10.0.0.2" -t "c,10.0.0.3" -b -C 1e9 -n 1000)

	one=$("$TESTS/tools/flowgen" "${args[@]}" -r 7 | md5sum)
	[[ $one == "$("$TESTS/tools/flowgen" "${args[@]}" -r 7 | md5sum)" ]] ||
		failed "the same seed gave another trace" || return
	[[ $one != "$("$TESTS/tools/flowgen" "${args[@]}" -r 8 | md5sum)" ]] ||
		failed "another seed gave the same trace"
}

require_root
require_commands ip tc bridge jq ping nsenter
[[ -x $TESTS/tools/flowgen ]] || tap_skip_all "needs flowgen: run make in selftests"

tap_plan 20
tap_test "v4 underlay, multipath routes: all hosts reach all hosts" variant HOSTS=2
tap_test "v4 underlay, nexthop groups, outer checksums: all hosts reach all hosts" \
	variant NEXTHOPS=object UDPCSUM=on
tap_test "v6 underlay, multipath routes, planes: all hosts reach all hosts" \
	variant UNDERLAY=6 SPINE=plane
tap_test "v6 underlay, nexthop groups: all hosts reach all hosts" variant UNDERLAY=6 NEXTHOPS=object
tap_test "three leaves, three spines, single links: all hosts reach all hosts" \
	variant LEAVES=3 SPINES=3 LINKS=1
tap_test "a spine without a link to a leaf is not used as a path to it" \
	variant LEAVES=3 LINKS=1 HOSTS=3 CUT="0.1.0 2.1.0"
tap_test "three tiers, multipath routes: all hosts reach all hosts" \
	variant LEAVES=4 SPINES=4 PODS=2 CORES=3 CUT="2.2.0 2.2.1 1.1.1"
tap_test "three tiers, v6 underlay, nexthop groups: all hosts reach all hosts" \
	variant LEAVES=4 SPINES=4 PODS=2 CORES=3 CUT="2.2.0 2.2.1 1.1.1" UNDERLAY=6 NEXTHOPS=object
tap_test "a core without a link to the only spine left to a leaf is not used as a path to it" \
	variant LEAVES=4 SPINES=4 LINKS=1 PODS=2 CORES=2 HOSTS=3 CUT="0.1.0 spine0-core0 spine2-core1"
tap_test "hosts with several addresses are reached by each" several_addresses
tap_test "foreign hosts reach each other, and no other host" foreign_apart
tap_test "$FLOWS flows spread evenly over every link of both tiers" balance_up
tap_test "control: flows spread unevenly when spines hash addresses only" one_sided
tap_test "links have the requested rates after set-up" rates_up
tap_test "a link with a rate of its own has it" rate_is 0.0 1.0 "$SLOW_MBIT"
tap_test "the other direction of a link with a rate of its own has the common rate" \
	rate_is 1.0 0.0 "$RATE_MBIT"
topo_down
tap_test "nothing is left after a failure" dies "exit 1"
tap_test "nothing is left after SIGTERM" dies "kill -TERM \$\$"
tap_test "nothing is left after SIGINT" dies "kill -INT \$\$"
tap_test "the same seed gives the same flow trace" trace_repeats
tap_exit
