#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# balance.sh - whether hashing uses all links of a tier alike: flows of one packet
# each from leaf 0 to leaf 1. One kernel plays all boxes, so that leaf and spine
# could hash alike, and half of the links stay empty: no baseline to compare with.
#
#	balance_flows 4000		sends them; sets BALANCE[leaf0.up0]=1013 ...
#	balance_within 130		each tier's busiest link has at most 1.3 times
#					the packets of its idlest; cut links count not
#
# Source lib.sh and topology.sh first. Nothing else crosses meanwhile.

readonly BALANCE_PORT=9 BALANCE_PATIENCE_MS=10000

declare -A BALANCE=()		# link -> packets

# "link packets" of each link towards leaf 1 that is not cut
balance_count() {
	local s

	balance_links "${LEAF[0]}" leaf0 up
	for ((s = 0; s < TOPO_SPINES; s++)); do
		balance_links "${SPINE[s]}" "spine$s" down1.
	done
}

# balance_links NAMESPACE BOX PREFIX
balance_links() {
	ip -n "$1" -j -s link show up | jq -r --arg box "$2" --arg prefix "$3" \
		'.[] | select((.ifname // "") | startswith($prefix)) |
		"\($box).\(.ifname) \(.stats64.tx.packets)"'
}

balance_came() {
	local dev packets sum=0

	while read -r dev packets; do
		[[ $dev != leaf0.* ]] || sum=$((sum + packets))
	done < <(balance_count)
	((sum >= $1))
}

balance_flows() {
	local link packets before=0

	BALANCE=()
	while read -r link packets; do
		BALANCE[$link]=-$packets
		[[ $link != leaf0.* ]] || before=$((before + packets))
	done < <(balance_count)
	"${BASH_SOURCE[0]%/*}/vxlan_send" -n "${HOST[0.0]}" -c "$1" -p "$BALANCE_PORT" \
		"${HOST_IP[1.0]}" - || return
	busywait "$BALANCE_PATIENCE_MS" balance_came $((before + $1)) || return
	while read -r link packets; do
		BALANCE[$link]=$((${BALANCE[$link]} + packets))
	done < <(balance_count)
}

# balance_tier PREFIX PERCENT
balance_tier() {
	local link least="" most=0 all=""

	for link in $(printf '%s\n' "${!BALANCE[@]}" | sort); do
		[[ $link == "$1"* ]] || continue
		all+=" ${BALANCE[$link]}"
		[[ $least ]] && ((least <= BALANCE[$link])) || least=${BALANCE[$link]}
		((most >= BALANCE[$link])) || most=${BALANCE[$link]}
	done
	echo "# balance, $1:$all"
	[[ $all == *" "*" "* ]] || fail "fewer than two $1 links:$all" || return
	((100 * most <= $2 * least)) || fail "$1 links:$all"
}

# balance_within PERCENT
balance_within() {
	balance_tier leaf "$1" && balance_tier spine "$1"
}
