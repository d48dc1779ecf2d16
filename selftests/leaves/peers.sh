#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Never worse than a stock kernel: 10,000 pings, a millisecond apart, go to each of four leaves
# for which leaf 0 has no configured mode.
#
#	leaf 1	has the module, but no fabric
#	leaf 2	has a fabric that does not know leaf 0
#	leaf 3	is conga until its fabric is removed, and its goodbye messages are lost
#	leaf 4	is conga until its fabric is removed, and sends goodbye messages
#
# The first two leaves lose no ping and never get a stamp. The third loses the pings of at most
# three hello intervals, and the last those that were in transit. All hellos are counted.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LEAVES=5
TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly PINGS=10000 PINGS_A_MS=1
readonly PEERS=(1 2 3 4)
readonly DOWN_MS=$((3 * HELLO_MS))	# after that a leaf that is gone is plain
readonly UNDER_WAY=2		# pings that may be on their way at a goodbye message
readonly BEFORE=1000		# pings to each before the fabrics are deleted
readonly PINGS_PATIENCE_MS=120000

declare -a PING=() LOST=()

# ---- counting what leaves leaf 0 ----

# Counts the packets to each leaf: control packets, and other stamped packets.
count_rules() {
	local dev l

	for l in "${PEERS[@]}"; do
		printf 'counter stamped%s { }\ncounter control%s { }\n' "$l" "$l"
	done
	for dev in up0 up1; do
		echo "chain $dev { type filter hook egress device $dev priority 0;"
		for l in "${PEERS[@]}"; do
			echo "ip daddr ${VTEP[l]} udp dport 4789 @th,64,32 & 0xff000100 == 0x08000100 @th,96,24 != 0xfffffe counter name stamped$l"
			echo "ip daddr ${VTEP[l]} $CONTROL counter name control$l"
		done
		echo "}"
	done
}

count_packets() {
	{
		echo "table netdev out {"
		count_rules
		echo "}"
	} | in_ns "${LEAF[0]}" nft -f -
}

# counted NAME: sets COUNTED to the value of this counter
counted() {
	local list

	list=$(in_ns "${LEAF[0]}" nft list counter netdev out "$1") ||
		fail "nft has no counter $1" || return
	[[ $list =~ packets\ ([0-9]+) ]] && COUNTED=${BASH_REMATCH[1]}
}

# ---- pings ----

pings_start() {
	local l

	for l in "${PEERS[@]}"; do
		in_ns "${HOST[0.0]}" ping -q -n -i "0.00$PINGS_A_MS" -c "$PINGS" -W 2 \
			"${HOST_IP[$l.0]}" >"$TOPO_DIR/ping$l" &
		PING[l]=$!
	done
}

# Prints the number of packets that arrived at each leaf since the pings began.
pinged() {
	local l

	for l in "${PEERS[@]}"; do
		packets "${HOST[$l.0]}" eth0 rx && ((PACKETS >= $1)) || return
	done
}

# pings_end: sets LOST
pings_end() {
	local l said

	for l in "${PEERS[@]}"; do
		wait "${PING[l]}"
		said=$(<"$TOPO_DIR/ping$l")
		[[ $said =~ $PINGS\ packets\ transmitted,\ ([0-9]+)\ received ]] ||
			fail "leaf $l did not answer all pings: $said" || return
		LOST[l]=$((PINGS - BASH_REMATCH[1]))
	done
	echo "# of $PINGS pings to each of leaves ${PEERS[*]} lost: ${LOST[*]}"
}

# ---- tests ----

leaves_are() {
	local l number=0

	for l in "${PEERS[@]}"; do
		number=$((number + 1))
		soon leaf_is 0 "${!number}" "${VTEP[l]}" || return
	done
}

known_before() {
	leaves_are "plain silent" "plain silent" "conga answers" "conga answers"
}

# The fabrics of leaves 3 and 4 are removed while the pings continue.
pings_survive() {
	pings_start
	busywait "$PINGS_PATIENCE_MS" pinged "$BEFORE" || fail "the pings did not start" || return
	bye_drop "${LEAF[3]}" up0 up1 && conga 3 fabric del && conga 4 fabric del ||
		fail "the fabrics cannot be deleted" || return
	leaves_are "plain silent" "plain silent" "lost silent" "plain bye" || return
	pings_end && were_stamped
}

# nothing_lost LEAF
nothing_lost() {
	[[ ${LOST[$1]} == 0 ]] || fail "${LOST[$1]} of $PINGS pings were lost" || return
	never_stamped "$1"
}

never_stamped() {
	counted "stamped$1" || return
	((COUNTED == 0)) || fail "$COUNTED stamped packets were sent" || return
	counted "control$1" || return
	((COUNTED > 0)) || fail "no hello was sent"
}

# This is the control: it counts the stamped packets.
were_stamped() {
	local l

	for l in 3 4; do
		counted "stamped$l" && ((COUNTED >= BEFORE)) ||
			fail "only $COUNTED packets to leaf $l were stamped" || return
	done
}

# lost_at_most LEAF PINGS
lost_at_most() {
	((${LOST[$1]:-PINGS} <= $2)) || fail "${LOST[$1]} pings were lost, expected at most $2"
}

# Every control packet that left is counted under its type. From now on none leaves.
hellos_are_counted() {
	local l sum=0 said

	conga 0 fabric set hello off || return
	for l in "${PEERS[@]}"; do
		counted "control$l" && sum=$((sum + COUNTED)) || return
	done
	stats_read "${LEAF[0]}" || return
	said=$((STAT[hello_sent] + STAT[hello_answered] + STAT[explicit_sent] + STAT[bye_sent]))
	echo "# sent: hellos ${STAT[hello_sent]}, answers ${STAT[hello_answered]}, explicit feedback ${STAT[explicit_sent]}"
	((said == sum)) || fail "$sum control packets left, but $said are counted"
}

setup() {
	local l

	topo_up && count_packets && fabric_leaf 0 conga auto || return
	for l in 3 4; do fabric_leaf "$l" conga auto || return; done
	{
		echo "fabric add"
		fabric_uplinks 2
	} | conga_batch "${LEAF[2]}" || return
	for l in "${PEERS[@]}"; do pin "${HOST[$l.0]}" || return; done
}

tap_plan 7
require_root
require_commands ip jq nft ping
require_module
setup || die "cannot set up"
tap_test "leaves that answer are conga, and the others plain" known_before
tap_test "pings continue through the changes, and every leaf is plain at the end" pings_survive
tap_test "a leaf with the module but no fabric loses no ping and stamps nothing" nothing_lost 1
tap_test "a leaf whose fabric does not know leaf 0 loses no ping and stamps nothing" nothing_lost 2
tap_test "a leaf whose goodbye messages are lost loses at most pings of three intervals" \
	lost_at_most 3 $((DOWN_MS / PINGS_A_MS))
tap_test "a leaf that sends goodbye messages loses at most the pings in flight" \
	lost_at_most 4 "$UNDER_WAY"
tap_test "every control packet is counted" hellos_are_counted
tap_exit
