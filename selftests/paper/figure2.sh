#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figure 2 of the paper (section 2.4): real TCP from leaf 0 to leaf 1 over two spines. All links
# carry 80 units, except that the link from spine 1 to leaf 1 carries 40; the demand is 100. Equal
# shares (ecmp) lose 10 units. Equal local load loses 20, since the traffic that TCP cannot push
# through spine 1 makes that uplink look idle. With feedback the fabric carries the whole demand:
# two thirds by spine 0 and one third by spine 1, so that both last links are equally used.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/figures.sh"

readonly LINK=80 NARROW=40 DEMAND=100	# units
readonly SINK=1			# leaf
figures_topology
TOPO_HOSTS=10
TOPO_RATE=$(units "$LINK")
TOPO_HOST_RATE=$(units 20)	# half of it is used, so that no host is the bottleneck
readonly DEMAND_CONNECTIONS=5	# per pair of hosts: 500 in all, which hashing spreads well

readonly SCHEMES=(ecmp local conga)
declare -rA PAPER=([ecmp]="90, 50 and 40" [local]="80, 40 and 40" [conga]="100, 66.6 and 33.3")
readonly OPTIMUM=667 TOLERANCE=50	# tenths of a percent by spine 0
declare -A SPLIT=()		# scheme seed -> measured split

# run SCHEME SEED PAPER
run() {
	local split

	carry "$1" "$2" "$1 $2" || return
	split=$(share "${CARRIED[S0]}" "${CARRIED[S1]}")
	SPLIT[$1 $2]=$split
	echo "# figure 2, seed $2, $1: $(tenths "${TOTAL[$1 $2]}") carried of" \
		"$(tenths "$OFFERED"), $(tenths "${CARRIED[S0]}") by spine 0 and" \
		"$(tenths "${CARRIED[S1]}") by spine 1, split $(tenths "$split") /" \
		"$(tenths $((1000 - split))) (paper: $3)"
}

# ---- tests ----

# This control shows that the links, the load and the measurement carry the whole demand. A later
# loss is therefore caused by the narrow link.
equal_links_carry_all() {
	local seed=${SEEDS%% *}

	run ecmp "$seed" "no such case" && carries_all "ecmp $seed"
}

# The queue stays the same and gets another rate. The topology builder gives the new rate to
# conga's port, too.
narrow_link() {
	local ns=${SPINE[1]} rate

	rate=$(units "$NARROW")
	TOPO_LINK_RATE[spine1.0-leaf1]=$rate
	batch_shape "$ns" down1.0 "$rate" "$TOPO_BUFFER"
	tail -n 1 "$TOPO_DIR/$ns.tc" | sed 's/ add / replace /' | tc -n "$ns" -batch -
}

all_schemes_run() {
	local seed scheme

	narrow_link || fail "the rate of the link cannot be changed" || return
	for seed in $SEEDS; do
		for scheme in "${SCHEMES[@]}"; do
			run "$scheme" "$seed" "${PAPER[$scheme]}" || return
		done
	done
}

# conga_beats SCHEME
conga_beats() {
	local seed

	for seed in $SEEDS; do
		carries_more "conga $seed" "$1 $seed" || return
	done
}

conga_splits() {
	local seed split

	for seed in $SEEDS; do
		measured "conga $seed" || return
		split=${SPLIT[conga $seed]}
		(($(off "$split" "$OPTIMUM") <= TOLERANCE)) ||
			fail "seed $seed: $(tenths "$split") % of the traffic went by spine 0" ||
				return
	done
}

setup() {
	topo_up && demand_from 0 && demand_to 1 && figures_pin && settle
}

figures_require
tap_plan 6
setup || die "cannot set up"
tap_test "ecmp spreads flows over both uplinks" under ecmp balanced 0 0.0 1.0
tap_test "ecmp carries the whole demand when all links are alike" equal_links_carry_all
tap_test "every scheme runs with a narrow link behind spine 1" all_schemes_run
tap_test "conga carries more than ecmp" conga_beats ecmp
tap_test "conga carries more than local" conga_beats local
tap_test "conga splits traffic 66.6 / 33.3, within 5 points" conga_splits
tap_exit
