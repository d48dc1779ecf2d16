#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A foreign VTEP: leaf 1 does not run conga. Leaf 0 treats it as a plain leaf, or does not know
# it: packets of every kind arrive in both directions, and none has a reserved bit set. The
# control shows why modes exist: such a peer drops stamped packets.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"

TOPO_LINKS=1

readonly COUNT=150		# packets of each kind, each packet is a flow
readonly LEAST=45		# packets on each of two uplinks: 4.9 sigma below half
readonly PINGS=10
readonly PATIENCE_MS=30000
readonly DISCARD=9		# the UDP port of the counted packets
readonly KINDS=(udp4 udp6 frames)

# The fields of a VXLAN packet over IPv4 are given by offsets from the outer UDP header: inner
# Ethernet at 16, inner IP at 30.
readonly VXLAN="udp port 4789"
readonly RESERVED="$VXLAN and (udp[8:4] != 0x08000000 or udp[15] != 0)"
declare -rA INNER=(
	[udp4]="$VXLAN and udp[28:2] = 0x0800 and udp[39] = 17 and udp[52:2] = $DISCARD"
	[udp6]="$VXLAN and udp[28:2] = 0x86dd and udp[36] = 17 and udp[72:2] = $DISCARD"
	[frames]="$VXLAN and udp[28:2] = 0x88b5"
	[fragments]="$VXLAN and udp[28:2] = 0x0800 and udp[36:2] & 0x3fff != 0")
readonly LARGE=4000 PIECES=3	# bytes of a datagram, and the number of its fragments

# ---- counting what arrives ----

count_frames() {
	in_ns "$1" nft -f - <<-END
	table netdev arrived {
		counter frames { }
		chain eth0 {
			type filter hook ingress device eth0 priority 0;
			ether type 0x88b5 counter name frames
		}
	}
	END
}

frames_arrived() {
	local list

	list=$(in_ns "$1" nft list counter netdev arrived frames) || return
	[[ $list =~ packets\ ([0-9]+) ]] && ARRIVED=${BASH_REMATCH[1]}
}

# arrived HOST KIND: sets ARRIVED to the number of these packets
arrived() {
	case $2 in
	udp?)	udp_unwanted "${HOST[$1]}" "${2#udp}" && ARRIVED=$UNWANTED ;;
	*)	frames_arrived "${HOST[$1]}" ;;
	esac
}

arrived_is() {
	arrived "$1" "$2" && ((ARRIVED == $3))
}

# ---- sending ----

# Each datagram is a flow: every socket has a port of its own.
datagrams() {
	local i

	for ((i = 0; i < $2; i++)); do
		echo >"/dev/udp/$1/$3"
	done
}

# Later fragments have random bytes at the place of the ports.
large_datagrams() {
	local i

	for ((i = 0; i < $2; i++)); do
		head -c "$4" /dev/urandom >"/dev/udp/$1/$3"
	done
}

# send KIND FROM TO
send() {
	case $1 in
	udp4)	in_ns "${HOST[$2]}" bash -c "datagrams ${HOST_IP[$3]} $COUNT $DISCARD" ;;
	udp6)	in_ns "${HOST[$2]}" bash -c "datagrams ${HOST_IP6[$3]} $COUNT $DISCARD" ;;
	frames)	in_ns "${HOST[$2]}" "$TESTS/tools/frames" eth0 "${HOST_MAC[$3]}" "$COUNT" ;;
	large)
		in_ns "${HOST[$2]}" bash -c \
			"large_datagrams ${HOST_IP[$3]} $COUNT $DISCARD $LARGE" ;;
	esac
}

# all_arrive KIND FROM TO
all_arrive() {
	local before

	arrived "$3" "$1" || fail "the counter of $1 is missing" || return
	before=$ARRIVED
	send "$@" || fail "$1 cannot be sent" || return
	busywait "$PATIENCE_MS" arrived_is "$3" "$1" $((before + COUNT)) && return
	arrived "$3" "$1"
	fail "$1 from host $2 to host $3: $((ARRIVED - before)) of $COUNT packets arrived"
}

pings_return() {
	local to said

	for to in "${HOST_IP[1.0]}" "${HOST_IP6[1.0]}"; do
		said=$(in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 "$to")
		[[ $said == *" $PINGS received"* ]] ||
			fail "$to did not answer all pings: $said" || return
	done
}

everything_arrives() {
	local kind

	for kind in "${KINDS[@]}"; do
		all_arrive "$kind" 0.0 1.0 && all_arrive "$kind" 1.0 0.0 || return
	done
	pings_return
}

# ---- tests ----

captures_start() {
	capture_start up0 "${LEAF[0]}" up0 -Q out "$VXLAN" &&
		capture_start up1 "${LEAF[0]}" up1 -Q out "$VXLAN"
}

plain_exchanges() {
	captures_start && everything_arrives
}

# Both uplinks together carried exactly the packets that were sent.
plain_balances() {
	local kind by0 by1

	capture_stop up0 && capture_stop up1 || return
	for kind in "${KINDS[@]}"; do
		by0=$(capture_count up0 "${INNER[$kind]}")
		by1=$(capture_count up1 "${INNER[$kind]}")
		echo "# $kind: $by0 by up0, $by1 by up1"
		((by0 + by1 == COUNT)) ||
			fail "$kind: $by0 packets left by up0 and $by1 by up1," \
				"expected $COUNT in all" || return
		((by0 >= LEAST && by1 >= LEAST)) ||
			fail "$kind: $by0 packets left by up0 and $by1 by up1, too few by one" ||
				return
	done
}

# Most fragments lack ports, so the module never hashes a fragment by its ports: the fragments
# between two hosts are one flow.
fragments_stay_together() {
	local by0 by1

	conga 0 fabric set policy ecmp && captures_start && send large 0.0 1.0 ||
		fail "the packets cannot be sent" || return
	capture_stop up0 && capture_stop up1 || return
	by0=$(capture_count up0 "${INNER[fragments]}")
	by1=$(capture_count up1 "${INNER[fragments]}")
	echo "# fragments: $by0 by up0, $by1 by up1"
	((by0 + by1 == COUNT * PIECES)) ||
		fail "$by0 fragments left by up0 and $by1 by up1" || return
	((by0 == 0 || by1 == 0)) ||
		fail "$by0 fragments left by up0 and $by1 by up1: the flow was split"
}

nothing_reserved() {
	local dev seen

	for dev in up0 up1; do
		seen=$(capture_count "$dev" "$RESERVED")
		[[ $seen == 0 ]] || fail "$seen packets of $dev have reserved bits set" || return
	done
}

# counters_are NAME=VALUE...: checks counters of leaf 0; VALUE is a number or "some"
counters_are() {
	local word value

	stats_read "${LEAF[0]}" || return
	for word; do
		value=${STAT[${word%=*}]}
		[[ $value == "${word#*=}" || (${word#*=} == some && $value -gt 0) ]] ||
			fail "${word%=*} is $value, expected ${word#*=}" || return
	done
}

plain_is_untouched() {
	nothing_reserved || return
	counters_are tx_steered=some tx_stamped=0 feedback_sent=0 rx_stamped=0 rx_foreign=0 \
		rx_malformed=0 ce_raised=0
}

# ARP is broadcast, and neighbour solicitation is multicast.
neighbours_are_found() {
	local to

	for to in "${HOST_IP[1.0]}" "${HOST_IP6[1.0]}"; do
		ip -n "${HOST[0.0]}" neighbour del "$to" dev eth0 ||
			fail "the neighbour $to is missing" || return
		in_ns "${HOST[0.0]}" ping -q -n -c 1 -W 5 "$to" >/dev/null ||
			fail "$to does not answer" || return
		ip -n "${HOST[0.0]}" neighbour show "$to" | grep -q "lladdr ${HOST_MAC[1.0]}" ||
			fail "the neighbour entry of $to is wrong" || return
	done
}

unknown_exchanges() {
	conga 0 leaf del "${VTEP[1]}" && captures_start ||
		fail "the plain tunnel cannot be set up" || return
	stats_read "${LEAF[0]}" && STEERED=${STAT[tx_steered]}
	everything_arrives || return
	capture_stop up0 && capture_stop up1
}

unknown_is_untouched() {
	nothing_reserved || return
	(($(capture_count up0 "$VXLAN") + $(capture_count up1 "$VXLAN") >= 3 * COUNT)) ||
		fail "the capture has too few packets" || return
	counters_are "tx_steered=$STEERED" tx_stamped=0 tx_unknown_leaf=some rx_stamped=0
}

# None of COUNT packets arrives because of the stamp: in mode plain they arrive again.
stamped_is_lost() {
	local before

	arrived 1.0 udp4 && before=$ARRIVED
	conga 0 leaf add "${VTEP[1]}" mode conga && send udp4 0.0 1.0 ||
		fail "the packets cannot be sent" || return
	stats_read "${LEAF[0]}" || return
	((STAT[tx_stamped] >= COUNT)) || fail "too few packets were stamped" || return
	conga 0 leaf set "${VTEP[1]}" mode plain || return
	send udp4 0.0 1.0
	busywait "$PATIENCE_MS" arrived_is 1.0 udp4 $((before + COUNT)) && return
	arrived 1.0 udp4
	fail "$((ARRIVED - before)) of $COUNT stamped and $COUNT plain packets arrived"
}

# A loaded uplink gets some of this many new flowlets: local load is no reason. The load never
# passes the tunnel, decays over many seconds, and is known to all processors within a short
# Tdre.
readonly CHOICES=20 LOAD_FRAMES=500 LOAD_BYTES=400
readonly LOAD_RATE=1mbit LOAD_TDRE=5ms LOAD_ALPHA=0.001

load_up0() {
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m 02:00:00:00:00:01 -s "${VTEP[0]}" -p 9 \
		-l "$LOAD_BYTES" -r "$LOAD_FRAMES" 10.255.255.1 -
}

load_is_no_reason() {
	local i chosen=""

	conga 0 fabric set policy conga tdre "$LOAD_TDRE" alpha "$LOAD_ALPHA" &&
		conga 0 port set up0 rate "$LOAD_RATE" && conga 0 port set up1 rate "$LOAD_RATE" ||
		return
	for ((i = 0; i < CHOICES; i++)); do
		load_up0 || return
		chosen+=" $(conga 0 -j path get "${VTEP[1]}" | jq -r '.[0].dev')"
	done
	(($(conga 0 -j port show up0 | jq '.[0].metric') > 0)) || fail "the metric of up0 is 0" ||
		return
	[[ $chosen == *up0* && $chosen == *up1* ]] || fail "new flowlets were sent by$chosen"
}

# A slow uplink gets few: one of 1,000,000 here.
rates_count() {
	local i dev

	conga 0 port set up0 rate 1mbit && conga 0 port set up1 rate 1tbit || return
	for ((i = 0; i < CHOICES; i++)); do
		dev=$(conga 0 -j path get "${VTEP[1]}" | jq -r '.[0].dev')
		[[ $dev == up1 ]] || fail "a new flowlet was sent by $dev" || return
	done
}

setup() {
	local ns

	topo_up && fabric_leaf 0 conga plain || return
	for ns in "${HOST[@]}"; do
		pin "$ns" && count_frames "$ns" || return
	done
}

export -f datagrams large_datagrams
tap_plan 10
require_root
require_commands ip nft ping tcpdump jq
require_module
setup || die "cannot set up"
tap_test "mode plain: every packet arrives, in both directions" plain_exchanges
tap_test "inner IPv4, IPv6 and other frames use both uplinks" plain_balances
tap_test "mode plain: no packet is stamped, and no reserved bit is set" plain_is_untouched
tap_test "mode plain: ARP and neighbour discovery cross" neighbours_are_found
tap_test "no leaf configured: every packet arrives, in both directions" unknown_exchanges
tap_test "no leaf configured: packets are left to the kernel" unknown_is_untouched
tap_test "mode conga towards a plain leaf loses packets, which is why modes exist" stamped_is_lost
tap_test "fragments of an inner datagram are one flow, whatever bytes they carry" \
	fragments_stay_together
tap_test "new flowlets to a plain leaf use loaded uplinks, too" load_is_no_reason
tap_test "new flowlets to a plain leaf use uplinks in proportion to their rates" rates_count
tap_exit
