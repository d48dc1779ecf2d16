#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hula_fabric.sh - a fabric of three tiers with policy hula on every node, its probes, and forged
# probes.
#
#	topo_up; fabric_up hula conga; hula_up
#	best_of "${SPINE[0]}" 2			by what device to leaf 2, or "null"
#	send 0 2 20				so many datagrams, each a flow of its own
#	probe "${VTEP[1]}" UTILISATION HOPS [ID]	as hexadecimal digits
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.
#
# Programs that source this file run in simulated time, in which code takes no time. A pause lets
# packets, timers and ages proceed by exactly this time on any machine. It is not a wait for a
# condition.
#
# The variables set here are for the programs that source this file, and topology.sh sets
# TOPO_PORT.
# shellcheck disable=SC2034,SC2153

TOPO_LEAVES=4
TOPO_SPINES=4
TOPO_LINKS=1
TOPO_PODS=2
TOPO_CORES=2
FABRIC_RATE=100mbit	# rate that only the DRE uses
QUIET="hello off explicit-feedback off"

readonly FLOWS=20
declare -a BOXES=()

# underlay {4|6}: must be called before topo_up
underlay() {
	TOPO_UNDERLAY=$1 TOPO_FABRIC_MTU=1700
	if (($1 == 6)); then
		ALL=ff02::1 ALL_MAC=33:33:00:00:00:01 NEIGHBOUR=fe80::1 STRANGER=fd09::9
	else
		ALL=224.0.0.1 ALL_MAC=01:00:5e:00:00:01 NEIGHBOUR=10.1.0.1 STRANGER=10.9.9.9
	fi
}

# Sets BOXES to all nodes.
hula_up() {
	BOXES=("${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}")
	fabric_hula
}

# best_of NAMESPACE LEAF
best_of() {
	"$CONGA" -n "$1" -j leaf show "${VTEP[$2]}" | jq -r '.[0].best'
}

# grown NAMESPACE COUNTER: prints the growth since stats_mark
grown() {
	local word

	for word in $(stats_growth "$1"); do
		[[ $word == "$2="* ]] && echo "${word#*=}" && return
	done
	echo 0
}

# send FROM TO COUNT: sends datagrams between hosts, and lets the time pass that they travel
send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[$1.0]}" -c "$3" -l 200 -p 9 "${HOST_IP[$2.0]}" - && sleep 0.001
}

# probes {on|off}: switches the probes of the leaves
probes_off() {
	local l

	for l in "${!LEAF[@]}"; do conga "$l" fabric set probe off || return; done
}

# After ten intervals, every probe of the first ones has passed all tiers.
probes_on() {
	local l

	for l in "${!LEAF[@]}"; do conga "$l" fabric set probe auto || return; done
	sleep 0.002
}

# ---- counts of probes where they arrive ----

count_probes() {
	local ns dev

	for ns in "${BOXES[@]}"; do
		{
			echo "table netdev probes {"
			for dev in $(devices "$ns"); do
				counter_name "$dev"
				echo "counter $COUNTER { }"
				echo "chain $COUNTER {"
				echo "type filter hook ingress device \"$dev\" priority 0;"
				echo "ip${TOPO_UNDERLAY/4/} daddr $ALL udp dport $TOPO_PORT counter name $COUNTER"
				echo "}"
			done
			echo "}"
		} | in_ns "$ns" nft -f - || return
	done
}

devices() {
	"$CONGA" -n "$1" -j port show | jq -r '.[].dev'
}

counter_name() {
	COUNTER=c_${1//[^a-z0-9]/_}
}

# received NAMESPACE DEVICE: prints the probes since count_probes
received() {
	counter_name "$2"
	in_ns "$1" nft -j list counter netdev probes "$COUNTER" | jq '.nftables[1].counter.packets'
}

# ---- load, silence ----

LOAD=""

# load_start NAMESPACE DEVICE [FRAMES [NS]]: loads the device with foreign frames, so far apart; in
# general with half of its rate for 0.4 s
load_start() {
	"$TESTS/tools/timetable" >/dev/null <<-END &
		frames load $1 $2
		zero 1000000
		$(for ((i = 0; i < ${3:-2000}; i++)); do echo "at $((i * ${4:-200000}))"; echo "send load 1250"; done)
	END
	LOAD=$!
}

load_stop() {
	kill "$LOAD"
	wait "$LOAD" || :
}

# silence UPLINK: the node at the far end of this uplink of leaf 0 drops all packets from it
silence() {
	far_end "$1"
	in_ns "$FAR" nft -f - <<-END
		table netdev silence {
			chain sent {
				type filter hook egress device "$FAR_DEVICE" priority 0; policy drop;
			}
		}
	END
}

speak() {
	far_end "$1"
	in_ns "$FAR" nft delete table netdev silence
}

far_end() {
	FAR=${SPINE[${1#up}]} FAR_DEVICE=down0.0
}

# ---- forged probes ----

# probe ORIGIN UTILISATION HOPS [ID]: prints VXLAN header and payload
probe() {
	printf '08000100fffffe00434e474101040000%08x030000000000000000000000' "${4:-1}"
	digits "$1"
	printf '%02x%02x0000' "$2" "$3"
}

# digits ADDRESS: the address is IPv4 mapped, or PREFIX::NUMBER
digits() {
	local octets

	if [[ $1 == *:* ]]; then
		printf '%s%024d%04x' "${1%%:*}" 0 "0x${1##*:}"
	else
		IFS=. read -ra octets <<<"$1"
		printf '%020dffff%02x%02x%02x%02x' 0 "${octets[@]}"
	fi
}

# own_id LEAF: prints its leaf id
own_id() {
	conga "$1" -j fabric show | jq '.[0].leaf_id'
}
