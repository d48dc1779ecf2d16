#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# control_packets.sh - one leaf, and the far leaves that a test plays from spine 0. It makes and
# sends control packets, and reads them byte by byte.
#
#	setup
#	look; by_port $FRIEND "$(control type=4)"
#	golden 0 $FRIEND 01 00 0 ........ 00000000	this very packet comes
#	mark; ...; heedless "rx_control=1"		it was counted, and no more
#
# Source lib.sh, topology.sh, fabric.sh, expect.sh and tables.sh first.

# Addresses and datagrams are single words; some variables are read by the tests alone.
# shellcheck disable=SC2034,SC2086

TOPO_LEAVES=1
TOPO_LINKS=1

# No node has these addresses: routes lead to the spines, which drop the packets.
readonly FRIEND=10.0.0.21 AUTO=10.0.0.22 PLAIN=10.0.0.23 STRANGER=10.7.7.7
readonly OWN6=fd00::11 FRIEND6=fd00::21 PLAIN6=fd00::23 STRANGER6=fd07::7
readonly -a TAG=(5 12)		# LBTags of uplinks 0 and 1
readonly -a TAG_HEX=(5 c)
readonly LEAF_ID=01020304
readonly DATA_PORT=8472		# a port of the fabric, but not of a vxlan device
readonly NOBODY=65534

# The interval is the maximum: hellos are sent when the test requests them, see rounds.
readonly -a INTERVAL=(10s 9s)
readonly ANSWERS=144		# answers per leaf and hello interval
readonly WRONG=64		# wrong echoes per leaf and hello interval

# These are the VXLAN headers of control packets, stamped with LBTag 3, and the stamp of a data
# packet: LBTag 4, CE 7, feedback for LBTag 12, metric 1.
readonly CONTROL=08300100fffffe00
readonly FORGED_DATA=084fc30000006400
# This matches a nonce of any round: its last two digits are [08] of a small hello about the first
# port, and the LBTag.
readonly NO_NONCE=0000000000000000
readonly ANY_NONCE=..............
readonly RUBBISH=deadbee0deadbee0	# a nonce that nobody sent

declare -a LOOKED=(0 0)		# number of lines of each uplink that were read
ASKED=65536 TICKED=0

# ---- set up ----

# far_routes NAMESPACE WORD...: adds routes to all far leaves
far_routes() {
	local addr

	{
		for addr in 10.0.0.{21,22,23}/32 $STRANGER/32 fd00::{21,23}/128 $STRANGER6/128; do
			echo "route add ${*:2} $addr"
		done
	} | ip -n "$1" -batch -
}

# route_words ADDRESS: prints the words of a route to a far leaf by both uplinks
route_words() {
	if [[ $1 == *:* ]]; then
		echo "$1/128 nexthop via fd01:0:0:0::1 dev up0 nexthop via fd01:0:0:1::1 dev up1"
	else
		echo "$1/32 nexthop via 10.1.0.1 dev up0 nexthop via 10.1.0.3 dev up1"
	fi
}

leaf_routes() {
	local addr

	{
		for addr in 10.0.0.{21,22,23} $STRANGER; do
			echo "route add $(route_words $addr)"
		done
		echo "address add $OWN6/128 dev lo nodad"
		echo "address add fd01:0:0:0::/127 dev up0 nodad"
		echo "address add fd01:0:0:1::/127 dev up1 nodad"
		for addr in fd00::{21,23} $STRANGER6; do
			echo "route add $(route_words $addr)"
		done
		echo "link add vx6 up type vxlan id 106 local $OWN6 dstport 4789 nolearning"
	} | ip -n "${LEAF[0]}" -batch -
}

spine_routes() {
	far_routes "${SPINE[$1]}" blackhole &&
		ip -n "${SPINE[$1]}" address add "fd01:0:0:$1::1/127" dev down0.0 nodad
}

fabric_begin() {
	conga_batch "${LEAF[0]}" <<-END
		fabric add leaf-id 0x$LEAF_ID hello ${INTERVAL[0]} age 10s dstport 4789 dstport $DATA_PORT
		port add up0 role uplink rate 1tbit tag ${TAG[0]}
		port add up1 role uplink rate 1tbit tag ${TAG[1]}
		leaf add $PLAIN mode plain
		leaf add $PLAIN6 mode plain
	END
}

mac_of() {
	ip -n "$1" -br link show "$2" | awk '{ print $3 }'
}

# The leaf also has a link that is no port. Offloads are off, so that a capture sees the checksum
# as it is on the wire.
setup() {
	topo_up && in_ns "${LEAF[0]}" ethtool -K up0 tx off >/dev/null &&
		in_ns "${LEAF[0]}" ethtool -K up1 tx off >/dev/null && leaf_routes && spine_routes 0 && spine_routes 1 || return
	ip link add side netns "${HOST[0.0]}" up type veth peer name side netns "${LEAF[0]}" &&
		ip -n "${LEAF[0]}" link set side up || return
	MAC=$(mac_of "${LEAF[0]}" up0) MAC_SIDE=$(mac_of "${LEAF[0]}" side)
	listen 0 && listen 1 && fabric_begin
}

# All packets that the leaf sends by this uplink go to a file as text.
listen() {
	nsenter --net="/run/netns/${SPINE[$1]}" tcpdump -i down0.0 -Q in -n -l -x -vv -Z root \
		--immediate-mode -s 256 -B 8192 udp port 4789 >"$TOPO_DIR/wire$1" 2>"$TOPO_DIR/log$1" &
	busywait 60000 grep -q "listening on" "$TOPO_DIR/log$1"
}

# ---- packets of the far leaves ----

# control [FIELD=VALUE]...: prints a control packet, by default a hello that asks. Numbers are
# those of the shell; magic, records and word are hexadecimal. With wide=0 the packet has only the
# lower halves of its nonces, like a probe.
control() {
	local -A is=([word]=$CONTROL [magic]=434e4741 [version]=1 [type]=1 [flags]=1 [count]=0
		[id]=77 [q]=3 [byte3]=0 [nonce]=0x1230 [echo]=0 [records]="" [wide]=1)
	local word upper=""

	for word; do is[${word%%=*}]=${word#*=}; done
	[[ ${is[type]} != 4 ]] || is[wide]=0
	((!is[wide])) || printf -v upper '%08x%08x' "$((is[nonce] >> 32 & 0xffffffff))" \
		"$((is[echo] >> 32 & 0xffffffff))"
	printf '%s%s%02x%02x%02x%02x%08x%02x%02x0000%08x%08x%s%s\n' "${is[word]}" "${is[magic]}" \
		"${is[version]}" "${is[type]}" "$((is[flags] | (is[wide] ? 4 : 0)))" "${is[count]}" \
		"${is[id]}" "${is[q]}" "${is[byte3]}" "$((is[nonce] & 0xffffffff))" \
		"$((is[echo] & 0xffffffff))" "${is[records]}" "$upper"
}

# by_port SOURCE WORD...: sends to the leaf, past spine 0's IP layer; the words are more options
# of vxlan_send, and datagrams
by_port() {
	by "${SPINE[0]}" down0.0 "$MAC" "$@"
}

by_side() {
	by "${HOST[0.0]}" side "$MAC_SIDE" "$@"
}

# by NAMESPACE DEVICE MAC SOURCE [-OPTION VALUE]... DATAGRAM...
by() {
	local ns=$1 dev=$2 mac=$3 source=$4 to=${VTEP[0]} options=()

	shift 4
	[[ $source != *:* ]] || to=$OWN6
	while [[ $1 == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	"$TESTS/tools/vxlan_send" -n "$ns" -d "$dev" -m "$mac" -s "$source" "${options[@]}" "$to" "$@"
}

# ---- packets of the leaf ----

# said SPINE [REGULAR-EXPRESSION]: prints the matching packets since the last call of look, one a
# line, from the IP header; the status is 1 if there is none
said() {
	awk -v since="${LOOKED[$1]}" -v like="${2:-.}" '
		function tell() {
			if (bytes && bytes ~ like) { print bytes; found = 1 }
			bytes = ""
		}
		NR <= since { next }
		/^\t0x/ { sub(/^[^:]*: */, ""); gsub(/ /, ""); bytes = bytes $0; next }
		{ tell() }
		END { tell(); exit !found }' "$TOPO_DIR/wire$1"
}

# look: earlier packets are ignored from now on
look() {
	local i lines

	for i in 0 1; do
		mapfile -t lines <"$TOPO_DIR/wire$i"
		LOOKED[i]=${#lines[@]}
	done
}

# address_hex ADDRESS: prints the address as on the wire; an IPv6 address must be one of this test
address_hex() {
	local part

	case $1 in
	*::*) printf '%04x000000000000000000000000%04x' "0x${1%%::*}" "0x${1##*::}" ;;
	*) for part in ${1//./ }; do printf '%02x' "$part"; done ;;
	esac
}

# outer TO PAYLOAD-BYTES: prints the headers down to UDP. IPv4 has length, don't fragment, CS6 and
# 64 hops; source ports are dynamic ones.
outer() {
	local udp=$((8 + 8 + $2)) ports='[c-f]...12b5'

	if [[ $1 == *:* ]]; then
		printf '6c000000%04x1140%s%s%s%04x....' "$udp" "$(address_hex "$OWN6")" \
			"$(address_hex "$1")" "$ports" "$udp"
	else
		printf '45c0%04x....40004011....%s%s%s%04x....' $((udp + 20)) \
			"$(address_hex "${VTEP[0]}")" "$(address_hex "$1")" "$ports" "$udp"
	fi
}

# golden SPINE TO TYPE FLAGS COUNT NONCE ECHO [RECORDS]: exactly this packet arrives. Nonces have
# 16 digits, whose upper halves are at the end.
golden() {
	local bytes=$((24 + 4 * $5 + 8)) expected

	expected="^$(outer "$2" "$bytes")08${TAG_HEX[$1]}00100fffffe00434e474101$3$4"
	expected+="$(printf '%02x' "$5")${LEAF_ID}03000000${6:8}${7:8}$8${6:0:8}${7:0:8}\$"
	SAID=$(busywait 20000 said "$1" "$expected") ||
		fail "the control packets to $2 by uplink $1 were:" \
			"$(said "$1" | tail -n 3 | paste -sd' '), expected: $expected"
}

# rounds COUNT: causes new nonces, and hellos to each leaf. A change of the hello interval makes
# the next tick come at once, and a round has four ticks.
rounds() {
	local i

	for ((i = 0; i < 4 * $1; i++)); do
		TICKED=$((1 - TICKED))
		conga 0 fabric set hello "${INTERVAL[TICKED]}" || return
	done
}

# ask SOURCE: sends a hello of that leaf; sets NONCE to the nonce of the leaf's answer
ask() {
	ASKED=$((ASKED + 16))
	look
	by_port "$1" "$(control "nonce=$ASKED")" &&
		golden 0 "$1" 01 04 0 "$ANY_NONCE"'[08]5' "$(printf '%016x' "$ASKED")" || return
	NONCE=${SAID: -16:8}${SAID: -32:8}
}

# ---- accepted packets ----

# Prints tables, paths and leaves without ages, without metrics that age, and without feedback
# that is due.
state() {
	printf '%s\n' "table show to-leaf" "table show from-leaf" "leaf show" "path show" |
		"$CONGA" -n "${LEAF[0]}" -j -b - |
		sed -E 's/,"(age_ns|heard_age_ns|unanswered|hellos|hellos_missed)":[0-9]+//g; s/,"metric":[0-9]+}/}/g; s/"(local|remote)":[0-9]+,?//g'
}

mark() {
	STATE=$(state)
	stats_mark "${LEAF[0]}"
}

# These tests ignore the packets that the leaf sends now and then by itself.
growth() {
	local word grown=""

	for word in $(stats_growth "${LEAF[0]}"); do
		case $word in
		hello_sent=*|hello_missed=*|announce_sent=*) ;;
		*) grown+=" $word" ;;
		esac
	done
	echo "${grown# }"
}

grown() {
	[[ $(growth) == "$1" ]]
}

# counted COUNTERS: exactly these counters grew by these numbers since mark
counted() {
	busywait 20000 grown "$1" || fail "counters moved by: $(growth), expected: $1"
}

# heedless COUNTERS: the packet was counted, and nothing else happened
heedless() {
	counted "$1" || return
	[[ $(state) == "$STATE" ]] || fail "the state of the leaf is $(state), it was $STATE"
}
