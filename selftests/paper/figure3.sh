#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figure 3 of the paper (section 2.4): the best split depends on the traffic of other leaves.
# There are three leaves and two spines, and all links carry 40 units; leaf 0 has a link to spine
# 0 only. Real TCP sends 40 units from leaf 1 to leaf 2, and from leaf 0 to leaf 2 it sends
#
#	(a) nothing: the best is an equal split, 20 by each spine;
#	(b) 40, all by spine 0: the best is to leave spine 0 alone.
#
# No static weight fits both cases. An equal split in (b) offers 60 units to the link from spine 0
# to leaf 2, so that 60 of 80 arrive. Equal local load delivers no more, because the uplink looks
# idle where TCP of leaf 1 is slowed down.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/figures.sh"

readonly LINK=40 DEMAND_EACH=40	# units
readonly SINK=2			# leaf
figures_topology
TOPO_LEAVES=3
TOPO_HOSTS=8
TOPO_CUT=0.1.0
TOPO_RATE=$(units "$LINK")
TOPO_HOST_RATE=$(units 20)	# at most half of it is used, so that no host is the bottleneck
readonly DEMAND_CONNECTIONS=4	# per pair of hosts: 256 from a leaf

readonly SCHEMES=(ecmp local conga)
declare -rA PAPER=([a]="everything; best is 50 %" [b ecmp]="60, 50 %"
	[b local]="less than ecmp" [b conga]="80; best is 0 %")
readonly BEST=500 TOLERANCE=100	# tenths of a percent by spine 0 in (a)
# Leaf 1 must send at least this much less by spine 0 in (b). It does not avoid spine 0
# completely: a flow that has data waiting there makes no pause, and so has no chance to move.
readonly APART=200
declare -A SPLIT=()		# case scheme seed -> measured split of leaf 1

# run CASE SCHEME SEED PAPER: measures the traffic of leaf 1 to spine 0 at its uplinks, because
# traffic of leaf 0 is mixed in behind them.
run() {
	carry "$2" "$3" "$1 $2 $3" || return
	SPLIT[$1 $2 $3]=$(share "${CARRIED[up0]}" "${CARRIED[up1]}")
	echo "# figure 3 ($1), seed $3, $2: $(tenths "${TOTAL[$1 $2 $3]}") carried of" \
		"$(tenths "$OFFERED"), $(tenths "${CARRIED[S0]}") by spine 0 and" \
		"$(tenths "${CARRIED[S1]}") by spine 1, leaf 1 sends" \
		"$(tenths "${SPLIT[$1 $2 $3]}") % by spine 0 (paper: $4)"
}

# uplinks_are LEAF LEAF DEVICES: checks which uplinks are usable from one leaf to the other
uplinks_are() {
	local usable

	usable=$(conga "$1" -j path show leaf "${VTEP[$2]}" |
		jq -r '[.[] | select(.state == "usable").dev] | join(" ")')
	[[ $usable == "$3" ]] || fail "from leaf $1 to $2 the usable paths are: $usable"
}

# ---- tests ----

paths_are() {
	uplinks_are 0 1 "up0" && uplinks_are 1 0 "up0" && uplinks_are 0 2 "up0" &&
		uplinks_are 2 0 "up0" && uplinks_are 1 2 "up0 up1"
}

demand_a() {
	DEMAND_HOSTS=()
	DEMAND=$DEMAND_EACH
	demand_from 1 && demand_to 2
}

# One program serves both leaves, since both send to the same receivers.
demand_b() {
	demand_a
	demand_from 0
	DEMAND=$((2 * DEMAND_EACH))
}

# Each leaf sends alone, so no traffic competes.
alone() {
	local seed scheme

	demand_a
	for seed in $SEEDS; do
		for scheme in "${SCHEMES[@]}"; do
			run a "$scheme" "$seed" "${PAPER[a]}" && carries_all "a $scheme $seed" || return
		done
	done
}

conga_halves() {
	local seed split

	for seed in $SEEDS; do
		measured "a conga $seed" || return
		split=${SPLIT[a conga $seed]}
		(($(off "$split" "$BEST") <= TOLERANCE)) ||
			fail "seed $seed: $(tenths "$split") % of the traffic went by spine 0" ||
				return
	done
}

together() {
	local seed scheme

	demand_b
	for seed in $SEEDS; do
		for scheme in "${SCHEMES[@]}"; do
			run b "$scheme" "$seed" "${PAPER[b $scheme]}" || return
		done
	done
}

# conga_beats SCHEME
conga_beats() {
	local seed

	for seed in $SEEDS; do
		carries_more "b conga $seed" "b $1 $seed" || return
	done
}

conga_makes_room() {
	local seed alone together

	for seed in $SEEDS; do
		measured "a conga $seed" "b conga $seed" || return
		alone=${SPLIT[a conga $seed]} together=${SPLIT[b conga $seed]}
		((alone - together >= APART)) ||
			fail "seed $seed: $(tenths "$together") % of the traffic went by spine 0" ||
				return
	done
}

setup() {
	topo_up && figures_pin && settle
}

figures_require
tap_plan 8
setup || die "cannot set up"
tap_test "leaf 0 has one path, leaf 1 and leaf 2 have two" under conga paths_are
tap_test "ecmp spreads leaf 1's flows over both uplinks" under ecmp balanced 1 1.0 2.0
tap_test "(a) every scheme carries leaf 1's demand alone" alone
tap_test "(a) conga splits leaf 1's demand in half, within 10 points" conga_halves
tap_test "(b) every scheme runs when leaf 0 sends, too" together
tap_test "(b) conga carries more than ecmp" conga_beats ecmp
tap_test "(b) conga carries more than local" conga_beats local
tap_test "(b) conga leaves room for leaf 0 at spine 0" conga_makes_room
tap_exit
