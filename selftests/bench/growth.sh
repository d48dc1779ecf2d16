#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# growth.sh - the cost of a packet in instructions, as a fabric grows.
#
# bench_growth runs it, as cost.sh, in a machine whose clock counts instructions. It prints lines:
#
#	growth SUBJECT N INSTRUCTIONS	per packet
#
# A subject is what is counted and what grows, e.g. send-leaves: send, recv (a stamped packet),
# hello (received and answered) or probe (of policy hula, received); with N leaves, uplinks, or
# route keys. A subject that ends in "-stock" is the same without the module, with the least N. If
# there are many leaves or keys, the number is the mean over some of them.
#
# shellcheck disable=SC2031 # "far" is called here, too, and not only in subshells

TESTS=$(realpath "$(dirname "$0")/..")
PACKETS=1000 STORM=1000
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly LEAVES=(1 100 1000 10000) LINKS=(1 4 16) KEYS=(1 2 4 8)
readonly KEYS_MOST=8
readonly SAMPLES=8		# of leaves
readonly WARM=64		# packets before those that are counted
readonly HELLOS=40		# a leaf may send 144 in a hello interval
readonly HELLO_S=10 PROBE_S=1
readonly ALL_SYSTEMS=224.0.0.1 ALL_SYSTEMS_MAC=01:00:5e:00:00:01 LINK_HOPS=255

# The VXLAN header of control packets and the magic number; then a hello that asks, and the parts
# of a probe before and after the address of its leaf, in hexadecimal digits.
readonly CONTROL=08300100fffffe00434e4741
readonly HELLO=${CONTROL}01010500000000770300000012345670000000001234567100000000
readonly PROBE=${CONTROL}010400000000007703000000000000000000000000000000000000000000ffff
readonly PROBE_REST=10080000

SUM=0 COUNT=0		# of measurements that make one number

add() {
	SUM=$((SUM + SPENT)) COUNT=$((COUNT + 1))
}

# said SUBJECT N: prints the mean of what was added
said() {
	((COUNT)) || die "$1: nothing was measured"
	echo "growth $1 $2 $((SUM / COUNT))"
	SUM=0 COUNT=0
}

# sample N: prints the numbers of some of N leaves, or of all
sample() {
	local i some=$(($1 < SAMPLES ? $1 : SAMPLES))

	for ((i = 0; i < some; i++)); do echo $(((2 * i + 1) * $1 / (2 * some))); done
}

# rig NAMESPACE UPLINKS: adds a leaf whose uplinks all lead to all leaves
rig() {
	local i hops=()

	for ((i = 0; i < $2; i++)); do hops+=(nexthop via "10.1.0.$((2 * i + 1))" dev "up$i"); done
	leaf_up "$1" "$2" 0 && ip -n "$1" route add 10.0.0.0/16 "${hops[@]}" &&
		far 0 && tunnel "$1" "$FAR4" local 10.0.0.1 noudpcsum &&
		tc -n "$1" qdisc add dev vx clsact &&
		tc -n "$1" filter add dev vx ingress matchall action drop
}

# sent NAMESPACE LEAF: adds the cost of a packet to the leaf. The first packets resolve its paths.
sent() {
	far "$2"
	bridge -n "$1" fdb replace "$FAR_MAC" dev vx dst "$FAR4" || die "no FDB entry"
	IN=$1
	generate $WARM $FLOWS || die "$1: nothing was sent"
	undisturbed "$1" $FLOWS 0 || die "$1: $STARTED packets started a flowlet"
	[[ ! $FABRIC ]] || ((STAMPED == PACKETS)) || die "$1: $STAMPED of $PACKETS are stamped"
	add
}

# mac NAMESPACE: sets MAC, of its first uplink
mac() {
	MAC=$(ip -n "$1" -j link show dev up0 | jq -r '.[0].address')
}

# received NAMESPACE LEAF WORD: adds the cost of a packet of the leaf
received() {
	far "$2"
	set -- "$1" "$3$INNER$INNER_UDP" -s "$FAR4" 10.0.0.1
	storm_ns $WARM "$2" -n "$1-sink" -d down0 -m "$MAC" "${@:3}"
	storm "$@"
	add
}

# stock NAMESPACE KIND N: prints both numbers without the module
stock() {
	mac "$1"
	sent "$1" 0
	said "send-$2-stock" "$3"
	received "$1" 0 $PLAIN
	said "recv-$2-stock" "$3"
}

# counted COUNTER PACKETS COMMAND...: the command must add as many to the counter
counted() {
	local before

	before=$(counter "$FABRIC" "$1")
	"${@:3}"
	(($(counter "$FABRIC" "$1") - before == $2)) || die "$1 does not count $2 packets"
}

receive() {
	counted rx_learnt $((WARM + 3 * STORM)) received "$@" $STAMPED_WORD
}

# few PACKETS NAMESPACE DATAGRAM WORD...: like storm, of so few packets, after half as many
few() {
	local packets=$1 datagram=$3 once

	set -- -n "$2-sink" -d down0 "${@:4}"
	storm_ns $((packets / 2)) "$datagram" "$@"
	storm_ns "$packets" "$datagram" "$@"
	once=$NS
	storm_ns $((2 * packets)) "$datagram" "$@"
	SPENT=$(((NS - once) / packets))
	add
}

hello() {
	far "$2"
	counted hello_answered $((7 * HELLOS / 2)) few $HELLOS "$1" "$HELLO" -m "$MAC" \
		-l $((${#HELLO} / 2)) -s "$FAR4" 10.0.0.1
}

# probe NAMESPACE LEAF: from the node above, about the leaf
probe() {
	local origin

	far "$2"
	# shellcheck disable=SC2086 # four bytes
	printf -v origin %02x ${FAR4//./ }
	counted probe_taken $((7 * STORM / 2)) few "$STORM" "$1" "$PROBE$origin$PROBE_REST" -l 0 \
		-m $ALL_SYSTEMS_MAC -h $LINK_HOPS -s 10.1.0.1 $ALL_SYSTEMS
}

# each NAMESPACE N COMMAND SUBJECT: for some of N leaves
each() {
	local leaf

	for leaf in $(sample "$2"); do "$3" "$1" "$leaf"; done
	said "$4" "$2"
}

# begin NAMESPACE UPLINKS LEAVES [POLICY]
begin() {
	mac "$1"
	fabric "$1" "$2" "$3" "${4:-conga}" || die "$1: no fabric with $3 leaves"
	FABRIC=$1
	settle
}

# change WORD...: with so many leaves the kernel has work to do for a while after a change
change() {
	"$CONGA" -n "$FABRIC" fabric set "$@" || die "$*: the words are rejected"
	settle
}

end() {
	"$CONGA" -n "$FABRIC" fabric del
	FABRIC=""
}

# The intervals of the node's own hellos and probes are so long that hardly any is sent meanwhile.
leaves() {
	local n

	for n in "${LEAVES[@]}"; do
		begin many $UPLINKS "$n"
		each many "$n" sent send-leaves
		each many "$n" receive recv-leaves
		change hello ${HELLO_S}s
		each many "$n" hello hello-leaves
		change hello off policy hula probe ${PROBE_S}s
		each many "$n" probe probe-leaves
		end
	done
}

uplinks() {
	local n

	for n in "${LINKS[@]}"; do
		begin "links$n" "$n" 1
		sent "links$n" 0
		said send-uplinks "$n"
		receive "links$n" 0
		said recv-uplinks "$n"
		end
	done
}

# ---- route keys: a rule makes the source address one, and each tunnel has its own ----

keys_up() {
	local i

	rig keys $UPLINKS && ip -n keys rule add from 10.0.0.0/24 lookup main pref 100 || return
	for ((i = 1; i < KEYS_MOST; i++)); do
		echo "address add 10.0.0.$((1 + i))/32 dev lo"
		echo "link add vx$i up mtu 1400 type vxlan id $((VNI + i)) dstport $VXLAN_PORT nolearning local 10.0.0.$((1 + i)) noudpcsum"
	done | ip -n keys -batch - || return
	far 0
	for ((i = 1; i < KEYS_MOST; i++)); do
		echo "fdb add $FAR_MAC dev vx$i dst $FAR4"
	done | bridge -n keys -batch -
}

# by_key N: sends by tunnel N
by_key() {
	DEVICE=vx
	(($1 == 0)) || DEVICE=vx$1
	undisturbed keys $FLOWS 0 || die "keys: $STARTED packets started a flowlet"
	((STAMPED == PACKETS)) || die "keys: $STAMPED of $PACKETS packets are stamped"
	DEVICE=vx
}

keys() {
	local n i

	for n in "${KEYS[@]}"; do
		begin keys $UPLINKS 1
		for ((i = 0; i < n; i++)); do by_key $i; done
		for ((i = 0; i < n; i++)); do by_key $i && add; done
		said send-keys "$n"
		receive keys 0
		said recv-keys "$n"
		(($(counter keys fallback_keys) == 0)) || die "keys: some were not kept"
		end
	done
}

main() {
	local n

	pktgen_load || die "no pktgen"
	rig many $UPLINKS || die "many: no leaf"
	for n in "${LINKS[@]}"; do rig "links$n" "$n" || die "links$n: no leaf"; done
	keys_up || die "keys: no leaf"
	stock many leaves 1
	stock links1 uplinks 1
	stock keys keys 1
	module_load || die "no module"
	uplinks
	keys
	leaves
}

main "$@"
