#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One to sixteen uplinks, all of them parallel links to one spine. Leaf 0's route to leaf 1 has
# seventeen nexthops. Those that are uplinks carry traffic, all of them and no other nexthop, and
# the LBTag of every packet names its uplink. LBTags are not in the order of links: the first
# uplink has 15.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/tables.sh"

readonly UPLINKS=16
TOPO_SPINES=1
TOPO_LINKS=$((UPLINKS + 1))

readonly TOO_MANY="A leaf has at most 16 uplinks, because an LBTag has 4 bits"
readonly -a ALL_TAGS=({0..15})
readonly -a GONE=(up3 up9 up12)

declare -A TAG=()		# device -> LBTag of the current uplinks

# ---- uplinks ----

# Steps of 7 visit all 16 uplinks.
tag_of() {
	echo $(((15 + 7 * $1) % UPLINKS))
}

uplink_add() {
	TAG[up$1]=$(tag_of "$1")
	conga 0 port add "up$1" role uplink tag "${TAG[up$1]}"
}

uplinks_grow() {
	while ((${#TAG[@]} < $1)); do
		uplink_add "${#TAG[@]}" || return
	done
	uplinks_watch
}

# Every device is watched, and one that is no uplink must have no LBTag.
uplinks_watch() {
	local u words=()

	for ((u = 0; u < TOPO_LINKS; u++)); do
		words+=("up$u${TAG[up$u]:+:${TAG[up$u]}}")
	done
	flows_count "${LEAF[0]}" "${words[@]}"
}

tags_given() {
	conga 0 -j port show | tr '{' '\n' |
		sed -n 's/.*"dev":"\([^"]*\)".*"tag":\([0-9]*\),.*/\1 \2/p'
}

# ---- what is expected ----

# All uplinks carry traffic, each with its own LBTag.
uplinks_carry() {
	local dev count=$((${#TAG[@]} * FLOWS_EACH))

	stats_mark "${LEAF[0]}"
	flows_cross "$count" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" ||
		return
	for dev in "${!TAG[@]}"; do
		((STAMPED[$dev] == LEFT[$dev])) ||
			fail "$dev: ${STAMPED[$dev]} of ${LEFT[$dev]} packets have" \
				"LBTag ${TAG[$dev]}" || return
	done
	flows_spread "$count" "${!TAG[@]}" && stats_grew "${LEAF[0]}" "tx_stamped=$count"
}

carry_by_policy() {
	local policy

	for policy in ecmp conga; do
		conga 0 fabric set policy "$policy" && uplinks_carry ||
			fail "not every uplink carried traffic with policy $policy" || return
	done
}

# ---- tests ----

number_of_uplinks() {
	uplinks_grow "$1" || fail "an uplink was rejected" || return
	carry_by_policy
}

one_more_is_refused() {
	local before

	before=$(tags_given)
	refused "$TOO_MANY" -n "${LEAF[0]}" port add "up$UPLINKS" role uplink tag 3 &&
		refused "$TOO_MANY" -n "${LEAF[0]}" port add "up$UPLINKS" role uplink || return
	[[ $(tags_given) == "$before" ]] || fail "the uplinks changed: $(tags_given)" || return
	uplinks_carry
}

# The device is a port with a DRE, but no uplink, so it is no path to a leaf. It stays, since the
# spine also sends by it.
transit_is_not_counted() {
	conga 0 port add "up$UPLINKS" role transit ||
		fail "a transit port beside 16 uplinks was rejected" || return
	uplinks_carry
}

all_tags_are_heard() {
	table_has 1 from-leaf "${VTEP[0]}" "${ALL_TAGS[@]}"
}

# Each packet carries one metric. Twice as many packets return as there are LBTags, because two
# packets that two processors send at the same time may report the same LBTag.
all_tags_are_fed_back() {
	local count=$((2 * UPLINKS))

	stats_mark "${LEAF[0]}"
	flows_send "$count" "${HOST[1.0]}" "${HOST_IP[0.0]}" &&
		flows_arrive "$count" "${HOST[0.0]}" eth0 || return
	table_has 0 to-leaf "${VTEP[1]}" "${ALL_TAGS[@]}" && stats_moved "${LEAF[0]}" \
		"feedback_received=$count rx_stamped=$count rx_learnt=$count"
}

# Metrics of a removed uplink must not pass to its successor.
uplinks_deleted() {
	local dev left

	for dev in "${GONE[@]}"; do
		conga 0 port del "$dev" || fail "port $dev cannot be deleted" || return
		unset "TAG[$dev]"
	done
	uplinks_watch && uplinks_carry || return
	mapfile -t left < <(printf '%s\n' "${TAG[@]}" | sort -n)
	table_has 0 to-leaf "${VTEP[1]}" "${left[@]}"
}

# New uplinks get the free LBTags, lowest first, whichever uplink had them before.
lowest_free_tag() {
	local dev free

	free=$(for dev in "${GONE[@]}"; do tag_of "${dev#up}"; done | sort -n)
	for dev in up9 up12 up3; do
		conga 0 port add "$dev" role uplink || fail "port $dev was rejected" || return
		TAG[$dev]=${free%%$'\n'*}
		free=${free#*$'\n'}
	done
	for dev in "${!TAG[@]}"; do echo "$dev ${TAG[$dev]}"; done | sort >"$TOPO_DIR/expected"
	tags_given | sort | cmp -s "$TOPO_DIR/expected" - ||
		fail "the LBTags are wrong: $(tags_given | paste -sd,)" || return
	uplinks_watch && carry_by_policy
}

# ---- set up ----

# Tage is long, so that learnt metrics stay in the tables. All links of leaf 1 are ports, too.
setup() {
	local u

	topo_up && tunnel_says_nothing && fabric_spine 0 || return
	for ns in "${LEAF[0]}" "${HOST[@]}"; do pin "$ns" || return; done
	conga_batch "${LEAF[0]}" <<-END || return
		fabric add $QUIET age 10s
		leaf add ${VTEP[1]} mode conga
	END
	{
		echo "fabric add $QUIET age 10s"
		echo "leaf add ${VTEP[0]} mode conga"
		for ((u = 0; u < UPLINKS; u++)); do echo "port add up$u role uplink"; done
		echo "port add up$u role transit"
	} | conga_batch "${LEAF[1]}" || return
	flows_end "${HOST[0.0]}" eth0 && flows_end "${HOST[1.0]}" eth0
}

tap_plan 13
require_root
require_commands ip nft
require_module
setup || die "cannot set up"
for n in 1 2 3 5 8 15 16; do
	tap_test "$n uplinks are all used with policies ecmp and conga" number_of_uplinks "$n"
done
tap_test "a 17th uplink is rejected, and changes nothing" one_more_is_refused
tap_test "a transit port beside 16 uplinks carries nothing to the leaf" transit_is_not_counted
tap_test "leaf 1 learns about all 16 LBTags" all_tags_are_heard
tap_test "feedback is received for all 16 LBTags" all_tags_are_fed_back
tap_test "uplinks that are deleted carry nothing, and their state is removed" uplinks_deleted
tap_test "a new uplink gets the lowest free LBTag" lowest_free_tag
tap_exit
