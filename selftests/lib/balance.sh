#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# balance.sh - checks that hashing uses all links of a tier alike. It sends flows of one packet
# each from leaf 0 to leaf 1, and the same number to the last leaf if that is in another pod. All
# nodes run on one kernel, so tiers could hash alike and leave half of the links empty, which
# would make the baseline useless.
#
#	balance_flows 4000		sends them; sets BALANCE[leaf0.up0]=1013 ...
#	balance_within 130		each tier's busiest link has at most 1.3 times
#					the packets of its idlest; cut links count not
#
# Source lib.sh and topology.sh first. No other traffic may cross meanwhile.

readonly BALANCE_PORT=9 BALANCE_PATIENCE_MS=30000

declare -A BALANCE=()		# link -> packets

# The flows go to these leaves: spine 0 is in leaf 0's pod.
balance_leaves() {
	local last=$((TOPO_LEAVES - 1))

	echo 1
	((last == 1)) || topo_same_pod "$last" 0 || echo "$last"
}

# Prints "link packets" of each link on the path that is not cut.
balance_count() {
	local l

	balance_links "${LEAF[0]}" 'up.*'
	for l in $(balance_leaves); do
		balance_links_down "$l"
		topo_same_pod "$l" 0 || balance_links_across "$l"
	done
}

# balance_links NAMESPACE DEVICES
balance_links() {
	ip -n "$1" -j -s link show up | jq -r --arg box "${1%-*}" --arg devices "^($2)$" \
		'.[] | select((.ifname // "") | test($devices)) |
		"\($box).\(.ifname) \(.stats64.tx.packets)"'
}

# balance_links_down LEAF: prints the links from the spines of its pod
balance_links_down() {
	local s

	for ((s = 0; s < TOPO_SPINES; s++)); do
		! topo_same_pod "$1" "$s" || balance_links "${SPINE[s]}" "down$1[.].*"
	done
}

# balance_links_across LEAF: prints the links to cores, and from them to the spines of its pod
balance_links_across() {
	local s c pod=""

	for ((s = 0; s < TOPO_SPINES; s++)); do
		! topo_same_pod 0 "$s" || balance_links "${SPINE[s]}" 'core.*'
		! topo_same_pod "$1" "$s" || pod+="${pod:+|}spine$s"
	done
	for ((c = 0; c < TOPO_CORES; c++)); do balance_links "${CORE[c]}" "$pod"; done
}

# balance_came PACKETS: this number of packets arrived over the last links
balance_came() {
	local link packets sum=0

	while read -r link packets; do
		[[ $link != *.down* ]] || sum=$((sum + packets))
	done < <(balance_count)
	((sum >= $1))
}

balance_flows() {
	local link packets l expected=0

	BALANCE=()
	while read -r link packets; do
		BALANCE[$link]=-$packets
		[[ $link != *.down* ]] || expected=$((expected + packets))
	done < <(balance_count)
	for l in $(balance_leaves); do
		"${BASH_SOURCE[0]%/*}/../tools/vxlan_send" -n "${HOST[0.0]}" -c "$1" -p "$BALANCE_PORT" \
			"${HOST_IP[$l.0]}" - || return
		expected=$((expected + $1))
	done
	busywait "$BALANCE_PATIENCE_MS" balance_came "$expected" || return
	while read -r link packets; do
		BALANCE[$link]=$((${BALANCE[$link]} + packets))
	done < <(balance_count)
}

# balance_tier PERCENT TIER PACKETS...: PACKETS is a number for each link of the tier
balance_tier() {
	local percent=$1 tier=$2 least=$3 most=$3 packets

	shift 2
	echo "# balance, $tier: $*"
	(($# > 1)) || fail "tier $tier has fewer than two links" || return
	for packets; do
		((least <= packets)) || least=$packets
		((most >= packets)) || most=$packets
	done
	((100 * most <= percent * least)) ||
		fail "the links of tier $tier carried unequal numbers of packets: $*"
}

# balance_within PERCENT: the tiers are "leaf up", "spine down1", "spine core" and so on
balance_within() {
	local link tier
	local -A packets=()

	for link in $(printf '%s\n' "${!BALANCE[@]}" | sort); do
		tier=$(sed -E 's/[0-9]+\./ /; s/\.?[0-9]+$//' <<<"$link")
		packets[$tier]+=" ${BALANCE[$link]}"
	done
	for tier in "${!packets[@]}"; do
		# shellcheck disable=SC2086 # a list of numbers
		balance_tier "$1" "$tier" ${packets[$tier]} || return
	done
}
