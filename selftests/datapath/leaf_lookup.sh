#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A packet finds the leaf of its outer address, whichever other leaves there are. Packets look
# leaves of IPv4 up in an array, at a slot that a hash of the address gives; a leaf whose slot
# another one has is found by the table of all leaves. Leaf 1 and a stranger have the same slot
# here. Packets to leaf 1 are stamped, and those to the stranger, as a plain leaf, are not.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

readonly PACKETS=10
readonly SLOT_BITS=12	# as in kmod/objects/leaf.h
readonly MAC_LEAF=02:00:00:00:77:01 MAC_STRANGER=02:00:00:00:77:02
readonly IP_LEAF=192.168.77.1 IP_STRANGER=192.168.77.2

# slot ADDRESS: sets SLOT, by the kernel's hash_32() of the address as the packet has it
slot() {
	local IFS=. byte

	read -ra byte <<<"$1"
	SLOT=$((((byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24) * 0x61c88647 & 0xffffffff) >>
		(32 - SLOT_BITS)))
}

# stranger_find: sets STRANGER to an address with the slot of leaf 1
stranger_find() {
	local wanted i

	slot "${VTEP[1]}"
	wanted=$SLOT
	for ((i = 1; i < 65535; i++)); do
		STRANGER=10.77.$((i / 256)).$((i % 256))
		slot "$STRANGER"
		((SLOT != wanted)) || return 0
	done
	fail "no address has the slot of ${VTEP[1]}"
}

# Packets to each of two addresses in the tunnel go to leaf 1 and to the stranger.
setup() {
	local paths port

	topo_up && tunnel_says_nothing && stranger_find || return
	paths=$(ip -n "${LEAF[0]}" route show "${VTEP[1]}" | sed 1d | tr -d '\n')
	ip -n "${LEAF[0]}" -batch - <<-END || return
		route add $STRANGER $paths
		address add 192.168.77.9/24 dev vx
		neighbour add $IP_LEAF lladdr $MAC_LEAF dev vx nud permanent
		neighbour add $IP_STRANGER lladdr $MAC_STRANGER dev vx nud permanent
	END
	bridge -n "${LEAF[0]}" -batch - <<-END || return
		fdb add $MAC_LEAF dev vx dst ${VTEP[1]} self permanent
		fdb add $MAC_STRANGER dev vx dst $STRANGER self permanent
	END
	{
		echo "fabric add $QUIET"
		for port in up{0..3}; do echo "port add $port role uplink"; done
		echo "leaf add ${VTEP[1]} mode conga"
	} | conga_batch "${LEAF[0]}"
}

# sent ADDRESS: sends packets to an address in the tunnel
sent() {
	in_ns "${LEAF[0]}" bash -c "for ((i = 0; i < $PACKETS; i++)); do echo >/dev/udp/$1/9; done"
}

# counted ADDRESS [COUNTER]...: these counters grow by the packets to this address, and no other
# one of packets that are sent does
counted() {
	local counter expected="" grown

	stats_mark "${LEAF[0]}"
	sent "$1" || fail "nothing was sent" || return
	for counter in "${@:2}"; do expected+=" $counter=$PACKETS"; done
	grown=$(stats_growth "${LEAF[0]}" | tr ' ' '\n' |
		grep -E '^(tx_(steered|stamped|unknown_leaf))=' | sort | tr '\n' ' ')
	[[ ${grown% } == "${expected# }" ]] ||
		fail "of packets to $1 the counters grew by '${grown% }', not by '${expected# }'"
}

# A stranger is no leaf, though a leaf has the slot of its address.
stranger_is_unknown() {
	counted "$IP_LEAF" tx_stamped tx_steered && counted "$IP_STRANGER" tx_unknown_leaf
}

both_are_found() {
	conga 0 leaf add "$STRANGER" mode plain &&
		counted "$IP_LEAF" tx_stamped tx_steered && counted "$IP_STRANGER" tx_steered
}

# The slot is free then, and the leaf that had none is found as before.
other_stays() {
	conga 0 leaf del "${VTEP[1]}" &&
		counted "$IP_LEAF" tx_unknown_leaf && counted "$IP_STRANGER" tx_steered
}

# A leaf that comes back takes the slot again.
first_comes_back() {
	conga 0 leaf add "${VTEP[1]}" mode conga &&
		counted "$IP_LEAF" tx_stamped tx_steered && counted "$IP_STRANGER" tx_steered
}

require_module
tap_plan 4
setup || die "cannot set up"
tap_test "an address without a leaf is unknown, though a leaf has its slot" stranger_is_unknown
tap_test "two leaves with one slot are both found" both_are_found
tap_test "when the leaf that has the slot goes, the other one is found" other_stays
tap_test "a leaf that comes back is found" first_comes_back
tap_exit
