#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ecn_fabric.sh - two leaves with ecn, one with it off and one without a fabric, behind spines that
# know nothing of conga and set CE, by a rule or by the queue of their link.
#
#	setup 4				the underlay: 4 or 6
#	outer_field ce; ...; outer_is_kept	all spines mark meanwhile
#	observed send 1 20 -p 9; outer_fields 1	"INNER-PORT OUTER-FIELD COUNT"
#	agrees 1 true			what leaf 0 says about ecn to leaf 1
#	presently COMMAND...		in some rounds of hellos
#	delivered_for 2 3		the inner field that RFC 6040 wants, of an inner and an outer one
#
# Source fabric_test.sh, capture.sh, counters.sh and hellos.sh first.
#
# Programs that source this file run in simulated time, in which code takes no time.
#
# The variables set here are for the programs that source this file, and topology.sh sets
# TOPO_PORT.
# shellcheck disable=SC2034,SC2153

TOPO_LEAVES=4			# 0 and 1 have ecn on; 2 has it off; 3 has no fabric
TOPO_LINKS=1
TOPO_UDPCSUM=on			# the IPv4 underlay needs it
TOPO_FABRIC_MTU=1700
TOPO_QDISC=wire
TOPO_RATE=25mbit
TOPO_BUFFER=150000		# bytes, 48 ms
TOPO_MARK=20000			# bytes that wait in a link's queue until it marks
FABRIC_RATE=1tbit		# of the DREs alone, so that CE of stamps stays 0
QUIET="hello 100ms"

# ECN fields
readonly ECT1=1 ECT0=2 CE=3

# presently COMMAND...: repeats the command for thirty rounds of hellos; if it still fails, it prints
# the reason
presently() {
	busywait 3000 "$@" >/dev/null || "$@"
}

# ---- fields of packets ----

# outer_field FIELD [WORDS]: spines give all packets of tunnels that have ECT this outer field, or
# those that WORDS match
outer_field() {
	local ns

	for ns in "${SPINE[@]}"; do spine_sets "$ns" "$@" || return; done
}

# spine_sets NAMESPACE FIELD [WORDS]
spine_sets() {
	in_ns "$1" nft -f - <<-END
		table inet marks
		delete table inet marks
		table inet marks {
			chain forward {
				type filter hook forward priority 0;
				udp dport $TOPO_PORT $IP ecn != not-ect ${3-} $IP ecn set $2
			}
		}
	END
}

outer_is_kept() {
	local ns

	for ns in "${SPINE[@]}"; do
		! in_ns "$ns" nft list table inet marks &>/dev/null ||
			in_ns "$ns" nft delete table inet marks || return
	done
}

# send TO COUNT [OPTION]...: sends datagrams from host 0, each by a new socket
send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$2" -l 200 "${@:3}" "${HOST_IP[$1.0]}" - &&
		sleep 0.002
}

# outer_fields LEAF|all: prints "INNER-PORT OUTER-FIELD COUNT" of each kind of captured data packet
# that left leaf 0, to a leaf or to all
outer_fields() {
	local to=""

	[[ $1 == all ]] || to=$(address_digits "${VTEP[$1]}")
	capture_bytes all "${LEAF[0]}" | awk -v v6="$((TOPO_UNDERLAY == 6))" -v to="$to" '
		function field(at, bytes) { return substr($4, 2 * at + 1, 2 * bytes) }
		{ ip = v6 ? 40 : 20 }
		to && field(16, 4) != to { next }
		field(ip + 12, 3) != "fffffe" {
			print field(ip + 52, 2), v6 ? substr($4, 3, 1) : substr($4, 4, 1)
		}' | by_field
}

# by_field: reads "PORT DIGIT" lines, whose digit has the field in its lower bits
by_field() {
	local port digit

	while read -r port digit; do echo "$((16#$port)) $((16#$digit & 3))"; done |
		sort -n | uniq -c | awk '{ print $2, $3, $1 }'
}

# delivered_for INNER OUTER: prints the field of RFC 6040, figure 4, of a packet whose field was
# restored
delivered_for() {
	case $1$2 in
	0?) echo 0 ;;
	?"$CE"|"$CE"?) echo "$CE" ;;
	"$ECT0$ECT1") echo "$ECT1" ;;
	*) echo "$1" ;;
	esac
}

# address_digits ADDRESS: prints an IPv4 address as it is in a header
address_digits() {
	local octets

	IFS=. read -ra octets <<<"$1"
	printf '%02x' "${octets[@]}"
}

# ---- agreement ----

# agrees LEAF JSON: what leaf 0 tells of ecn to the leaf
agrees() {
	local said

	said=$(conga 0 -j leaf show "${VTEP[$1]}" | jq -c '.[0].ecn')
	[[ $said == "$2" ]] || fail "ecn to leaf $1 is $said, expected $2"
}

conga_agrees_back() {
	conga 1 -j leaf show "${VTEP[0]}" | json_is '.[0].ecn == true'
}

leaves_agree() {
	presently leaf_is 0 "conga answers" "${VTEP[1]}" && presently agrees 1 true &&
		presently conga_agrees_back
}

# ---- the fabric ----

# by_up0_alone COMMAND...: leaf 0 sends by one uplink meanwhile
by_up0_alone() {
	local status=0

	conga 0 port set up1 drain on || return
	"$@" || status=1
	conga 0 port set up1 drain off && return "$status"
}

# Routes and neighbours are known after the first packets.
setup() {
	local l ns

	TOPO_UNDERLAY=$1 IP=ip${1/4/}
	topo_up && tunnel_says_nothing && hosts_say_nothing && settle || return
	for l in 0 1 2; do fabric_leaf "$l" conga auto || return; done
	conga 0 fabric set ecn on && conga 1 fabric set ecn on &&
		conga 0 leaf set "${VTEP[3]}" mode plain || return
	PIN=()
	for ns in "${LEAF[@]:0:2}" "${SPINE[@]}" "${HOST[0.0]}" "${HOST[1.0]}"; do
		pin "$ns" || return
	done
	presently leaf_is 0 "conga answers" "${VTEP[1]}" &&
		presently leaf_is 1 "conga answers" "${VTEP[0]}" &&
		presently leaf_is 0 "conga answers" "${VTEP[2]}" &&
		send 1 20 -p 9 && send 2 20 -p 9 && send 3 20 -p 9
}
