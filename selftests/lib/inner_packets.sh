#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# inner_packets.sh - packets that leave leaf 0 past its IP layer, with everything in them chosen.
#
#	setup_leaves 4					the underlay; two leaves with ecn, and a spine
#	send_from_leaf TOS DATAGRAM...			VXLAN with this outer TOS, at one moment
#	inner_tcp FIELD SOURCE-PORT OFFSET BYTES	a segment to port 9; its payload is zeros
#	inner_udp FIELD PORT BYTES			a datagram; its payload is zeros
#
# The last two print frames from host 0 of leaf 0 to host 0 of leaf 1, as hexadecimal digits, with
# right checksums. FIELD is the ECN field. Source ecn_fabric.sh first, and all that it needs.
#
# topo_up and ecn_fabric.sh read the variables.
# shellcheck disable=SC2034

TOPO_LEAVES=2
TOPO_SPINES=1
TOPO_QDISC=tbf
TOPO_RATE=

readonly INNER_ADDRESSES=c0a8000ac0a8010a INNER_SEQUENCE=0x10000000

# inner_checksum DIGITS: the Internet checksum of these bytes
inner_checksum() {
	local i sum=0

	for ((i = 0; i < ${#1}; i += 4)); do sum=$((sum + 0x${1:i:4})); done
	while ((sum >> 16)); do sum=$(((sum & 0xffff) + (sum >> 16))); done
	printf '%04x' $((~sum & 0xffff))
}

# inner_ip FIELD PROTOCOL TRANSPORT BYTES: sets FRAME, up to the payload
inner_ip() {
	local length ip

	printf -v length '%04x' $((20 + ${#3} / 2 + $4))
	ip=450${1}${length}0000400040$2
	FRAME=020000010a01020000000a010800$ip$(inner_checksum "$ip$INNER_ADDRESSES")$INNER_ADDRESSES$3
}

# inner_sum PROTOCOL TRANSPORT BYTES: the checksum of a transport header without its own, and of
# so many zeros behind it
inner_sum() {
	local length

	printf -v length '%04x' $((${#2} / 2 + $3))
	inner_checksum "${INNER_ADDRESSES}00$1$length$2"
}

inner_zeros() {
	printf '%0*d' $((2 * $1)) 0
}

inner_tcp() {
	local tcp

	printf -v tcp '%04x0009%08x000000015010ffff' "$2" $((INNER_SEQUENCE + $3))
	inner_ip "$1" 06 "$tcp$(inner_sum 06 "${tcp}00000000" "$4")0000" "$4"
	echo "$FRAME$(inner_zeros "$4")"
}

inner_udp() {
	local udp

	printf -v udp '03e8%04x%04x' "$2" $((8 + $3))
	inner_ip "$1" 11 "$udp$(inner_sum 11 "${udp}0000" "$3")" "$3"
	echo "$FRAME$(inner_zeros "$3")"
}

# send_from_leaf TOS DATAGRAM...
send_from_leaf() {
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m "$MAC" -s "${VTEP[0]}" -o "$1" -r $(($# - 1)) \
		"${VTEP[1]}" "${@:2}"
}

# Sets MAC, too.
setup_leaves() {
	local l

	TOPO_UNDERLAY=$1 IP=ip${1/4/}
	topo_up && tunnel_says_nothing && hosts_say_nothing && settle || return
	for l in 0 1; do fabric_leaf "$l" conga auto && conga "$l" fabric set ecn on || return; done
	PIN=()
	pin "${LEAF[1]}" && pin "${HOST[1.0]}" && leaves_agree || return
	MAC=$(ip -n "${SPINE[0]}" -j link show dev down0.0 | jq -r '.[0].address')
}
