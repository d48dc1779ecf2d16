#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flows.sh - sends flows of one datagram each, which are counted exactly where they leave and
# where they arrive.
#
#	flows_count "${LEAF[0]}" up0:5 up1	counts at devices; up0 has LBTag 5
#	flows_end "${HOST[1.0]}" eth0		counts arrivals in a pinned namespace
#	flows_cross 150 "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}"
#						sets LEFT[up0] and STAMPED[up0]
#	flows_spread 150 up0 up1		each device must have sent its share
#	flows_steady "${HOST_IP[1.0]}" 8	sends eight endless flows, with pauses
#
# Only these datagrams are counted. Source lib.sh, topology.sh, expect.sh and counters.sh first.

. "${BASH_SOURCE[0]%/*}/backlog.sh"

readonly FLOW_PORT=9
readonly FLOW_PATIENCE_MS=30000

# The match finds the inner datagram by bits from the outer UDP header on: inner ethertype,
# protocol, and destination port, without options in the inner IPv4 header.
readonly FLOW_INNER="meta l4proto udp @th,224,16 0x0800 @th,312,8 17 @th,416,16 $FLOW_PORT"

# A used device must get at least FLOWS_LEAST of FLOWS_EACH, its fair share: with FLOWS_EACH
# flows for each device that is 4.7 sigma below the mean.
readonly FLOWS_EACH=40 FLOWS_LEAST=10

FLOWS_HOOK=egress		# or "ingress", to count at the far end of a link

declare -A LEFT=() STAMPED=()	# device -> datagrams
declare -A CAME=()		# NAMESPACE/DEVICE -> datagrams at the last count

# flows_counter DEVICE: sets COUNTER to the device's name as nft accepts it
flows_counter() {
	COUNTER=${1//[^a-z0-9]/_}
}

# flows_chain DEVICE[:TAG]: prints counters of a device: all datagrams, and those stamped with its
# LBTag. Packets are stamped before any chain at egress sees them.
flows_chain() {
	local dev=${1%:*} tag

	flows_counter "$dev"
	printf 'counter %s { }\ncounter %s_stamped { }\n' "$COUNTER" "$COUNTER"
	printf 'chain %s {\ntype filter hook %s device "%s" priority 0;\n' \
		"$COUNTER" "$FLOWS_HOOK" "$dev"
	printf '%s counter name %s\n' "$FLOW_INNER" "$COUNTER"
	if [[ $1 == *:* ]]; then
		printf -v tag '0x08%x00100' "${1#*:}"
		printf '%s @th,64,32 & 0xfff00100 == %s counter name %s_stamped\n' \
			"$FLOW_INNER" "$tag" "$COUNTER"
	fi
	echo "}"
}

# flows_count NAMESPACE DEVICE[:TAG]...: starts counting, or starts again
flows_count() {
	local ns=$1 dev

	shift
	{
		printf 'table netdev out\ndelete table netdev out\ntable netdev out {\n'
		for dev; do
			flows_chain "$dev"
		done
		echo "}"
	} | in_ns "$ns" nft -f -
}

# flows_end NAMESPACE DEVICE...: counts and drops datagrams that come out of the tunnel
flows_end() {
	local ns=$1 dev

	shift
	{
		echo "table netdev in {"
		for dev; do
			flows_counter "$dev"
			echo "counter $COUNTER { }"
			echo "chain $COUNTER { type filter hook ingress device \"$dev\" priority 0;"
			echo "udp dport $FLOW_PORT counter name $COUNTER drop; }"
		done
		echo "}"
	} | in_ns "$ns" nft -f - || return
	for dev; do
		CAME[$ns/$dev]=0
	done
}

# flows_came NAMESPACE DEVICE: sets FLOWS_CAME, the total of arrivals
flows_came() {
	local says

	flows_counter "$2"
	says=$(in_ns "$1" nft list counter netdev in "$COUNTER") || return
	[[ $says =~ packets\ ([0-9]+) ]] && FLOWS_CAME=${BASH_REMATCH[1]}
}

# flows_forget NAMESPACE DEVICE: previous arrivals are not counted again
flows_forget() {
	flows_came "$@" && CAME[$1/$2]=$FLOWS_CAME
}

# flows_send COUNT NAMESPACE ADDRESS [BYTES]: sends each datagram by a new socket
flows_send() {
	"${BASH_SOURCE[0]%/*}/../tools/vxlan_send" -n "$2" -c "$1" -l "${4:-0}" -p "$FLOW_PORT" "$3" - ||
		fail "the datagrams to $3 cannot be sent"
}

# flows_have COUNT NAMESPACE DEVICE: succeeds when so many datagrams have arrived
flows_have() {
	flows_came "$2" "$3" && ((FLOWS_CAME - CAME[$2/$3] >= $1))
}

# flows_discarded: prints the packets that ever waited in vain for a neighbour's answer, on all
# nodes
flows_discarded() {
	local count discarded=0

	while read -r count; do
		discarded=$((discarded + 16#$count))
	done < <(awk 'FNR == 1 { for (n = 1; $n != "unresolved_discards"; n++); next } { print $n }' \
		/proc/net/stat/{arp,ndisc}_cache)
	echo "$discarded"
}

# flows_arrive COUNT NAMESPACE DEVICE: exactly so many must arrive, however long it takes
flows_arrive() {
	local before=${CAME[$2/$3]} seen=0

	until busywait "$FLOW_PATIENCE_MS" flows_have "$@"; do
		flows_came "$2" "$3" || break
		((FLOWS_CAME > seen)) || break
		seen=$FLOWS_CAME
	done
	flows_forget "$2" "$3" || return
	((FLOWS_CAME - before == $1)) ||
		fail "$((FLOWS_CAME - before)) of $1 flows arrived at ${2%-*};" \
			"$(flows_discarded) packets waited in vain for neighbours," \
			"$(backlog_dropped) found a processor's backlog full"
}

# shellcheck disable=SC2034 # the caller reads STAMPED
flows_left() {
	local word name="" value _

	LEFT=() STAMPED=()
	while read -r word value _; do
		case $word:$name in
		counter:*)		name=$value ;;
		packets:*_stamped)	STAMPED[${name%_stamped}]=$value ;;
		packets:*)		LEFT[$name]=$value ;;
		esac
	done < <(in_ns "$1" nft reset counters table netdev out)
	((${#LEFT[@]})) || fail "no packets are counted in ${1%-*}"
}

# flows_cross COUNT NAMESPACE ADDRESS NAMESPACE DEVICE NAMESPACE: sends from the first namespace to
# the address; all must arrive in the second. The counters of the third are read in any case, so
# that the next test starts at zero.
flows_cross() {
	local status=0

	flows_send "$1" "$2" "$3" && flows_arrive "$1" "$4" "$5" || status=1
	flows_left "$6" && return "$status"
}

flows_text() {
	local name

	for name in "${!LEFT[@]}"; do
		echo "$name=${LEFT[$name]}"
	done | sort -V | paste -sd" "
}

# flows_spread COUNT DEVICE...: all flows of LEFT must have left by these devices, each with its
# share, and none by another counted device
flows_spread() {
	local count=$1 dev sum=0

	shift
	for dev; do
		flows_counter "$dev"
		((LEFT[$COUNTER] * $# * FLOWS_EACH >= count * FLOWS_LEAST)) ||
			fail "of $count flows these left by each uplink:" \
				"$(flows_text), expected by $*" || return
		sum=$((sum + LEFT[$COUNTER]))
		unset "LEFT[$COUNTER]"
	done
	((sum == count)) || fail "only $sum of $count flows left by $*" || return
	for dev in "${!LEFT[@]}"; do
		((LEFT[$dev] == 0)) ||
			fail "$sum flows left by $*, but ${LEFT[$dev]} by $dev" || return
	done
}

# flows_steady ADDRESS COUNT: each flow keeps its socket open, and sends until it is killed.
flows_steady() {
	local i fd pause fds=()

	exec {pause}<> <(:)
	for ((i = 0; i < $2; i++)); do
		exec {fd}>"/dev/udp/$1/9"
		fds+=("$fd")
	done
	while :; do
		for i in "${fds[@]}"; do
			echo >&"$i"
		done 2>/dev/null
		read -r -t 0.05 -u "$pause"
	done
}
