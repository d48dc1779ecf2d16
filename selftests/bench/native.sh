#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# native.sh ROUND... - the time that a packet takes in a kernel whose code runs at native speed.
#
# make bench-native runs it in User Mode Linux, one round in each machine. A round measures every
# case of the table once; its number decides their order. Before the packets that are timed, half
# as many fill the caches. It prints a line for each case:
#
#	native CASE ROUND NS	per packet, including dropping it behind the last veth pair
#
# The module is loaded all the time, since it has no hooks while there is no fabric.

TESTS=$(realpath "$(dirname "$0")/..")
PACKETS=25000 STORM=20000
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

# The name of a case, its hooks, and how its packets are made. The names are those of cost.sh.
readonly TABLE="
	stock-pinned		none	send v4 $FLOWS
	stock-ecmp		none	send tos $FLOWS
	lag			none	send lag $FLOWS
	floor-pinned		floor	send v4 $FLOWS
	send-steady-conga	leaf	send v4 $FLOWS
	stock-recv		none	recv $PLAIN
	floor-recv		floor	recv $PLAIN
	recv			leaf	recv $STAMPED_WORD
	stock-transit		none	transit $VXLAN_PORT
	floor-transit		floor	transit $VXLAN_PORT
	transit			spine	transit $VXLAN_PORT"

# ---- hooks: NAME_add, and NAME_del ACTION, which checks that the intended packets were timed ----

none_add() {
	:
}

none_del() {
	:
}

floor_add() {
	insmod "$(module_file floor/conga_floor)"
}

floor_del() {
	rmmod conga_floor
}

leaf_add() {
	fabric v4 $UPLINKS 1 conga
}

# at_least COUNTER PACKETS
at_least() {
	local count

	count=$(counter v4 "$1")
	((count >= $2)) || die "$1 counts $count packets instead of $2"
}

leaf_del() {
	case $1 in
	send) at_least tx_stamped $((3 * PACKETS)) ;;
	recv) at_least rx_learnt $((3 * STORM)) ;;
	esac
	"$CONGA" -n v4 fabric del
}

spine_add() {
	spine v4
}

# The first packets are an exception, because they find an idle link.
spine_del() {
	at_least ce_raised $((3 * STORM * 9 / 10))
	"$CONGA" -n v4 fabric del
}

# ---- a round ----

# timed ROUND NAME HOOKS ACTION [WORD]...: prints the line of the case
timed() {
	local packets=$PACKETS

	[[ $4 == send ]] || packets=$STORM
	"$3_add" || die "$2: no hooks"
	"${@:4}" || die "$2: no packets"
	"$3_del" "$4" || die "$2: the hooks stay"
	awk -v name="$2" -v round="$1" -v ns="$NS" -v packets="$packets" \
		'BEGIN { printf "native %s %d %.1f\n", name, round, ns / (2 * packets) }'
}

# order ROUND: prints the numbers of the cases, in round 0 as the table has them. Each case begins
# some round, and every other round goes backwards.
order() {
	local i count=${#CASES[@]}

	for ((i = 0; i < count; i++)); do
		echo $((($1 + ($1 % 2 ? count - i : i)) % count))
	done
}

main() {
	local shape round i words

	mapfile -t CASES < <(sed '/^$/d' <<<"$TABLE")
	pktgen_load || die "no pktgen"
	for shape in v4 tos lag; do
		"${shape}_up" || die "$shape cannot be set up"
	done
	recv_up || die "nothing can be received"
	module_load || die "no module"
	for round in "$@"; do
		for i in $(order "$round"); do
			read -ra words <<<"${CASES[i]}"
			timed "$round" "${words[@]}"
		done
	done
}

main "$@"
