#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IPsec below the tunnel: by device, for all packets, or by mark. A packet that a policy would
# transform must never leave in clear, whichever uplink would be chosen for it; it is left to the
# kernel and counted. All other packets are steered.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"
. "$TESTS/lib/esp.sh"

TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos 0x10"	# the kernel asks for the route of each packet
FABRIC_RATE=1tbit

readonly COUNT=120
readonly MARK=0x7
readonly KEYS=(enc "cbc(aes)" 0x00112233445566778899aabbccddeeff
	auth "hmac(sha256)" 0x000102030405060708090a0b0c0d0e0f)

# Both leaves can decrypt the packets that leaf 0 transforms.
states_up() {
	local l

	modprobe -qa esp4 esp6 xfrm_user authenc hmac sha256_generic aes_generic cbc echainiv
	for l in 0 1; do
		ip -n "${LEAF[l]}" xfrm state add src "${VTEP[0]}" dst "${VTEP[1]}" proto esp \
			spi 0x100 reqid 1 mode transport "${KEYS[@]}" || return
	done
}

# policy WORD...: sets a policy of leaf 0 for packets to leaf 1
policy() {
	ip -n "${LEAF[0]}" xfrm policy flush &&
		ip -n "${LEAF[0]}" xfrm policy add src "${VTEP[0]}" dst "${VTEP[1]}" proto udp \
			dport 4789 "$@" dir out tmpl src "${VTEP[0]}" dst "${VTEP[1]}" proto esp \
			reqid 1 mode transport
}

cross() {
	stats_mark "${LEAF[0]}" 2>/dev/null	# fails with a stock kernel
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" &&
		esp_left
}

# Packets leave in clear by up0 and transformed by up1, each with its share.
split_by_device() {
	((LEFT[up1] == 0 && ESP[up0] == 0 && LEFT[up0] + ESP[up1] == COUNT)) ||
		fail "plain packets left by: $(flows_text); transformed packets:" \
			"${ESP[up0]} by up0, ${ESP[up1]} by up1" ||
		return
	((LEFT[up0] >= COUNT / 8 && ESP[up1] >= COUNT / 8)) ||
		fail "plain packets left by: $(flows_text); transformed packets: ${ESP[up1]} by up1"
}

stock() {
	policy dev up1 && cross && split_by_device
}

# The counter includes packets whose own route is transformed, and packets that would have been
# moved.
by_device() {
	local left

	policy dev up1 && cross && split_by_device || return
	grown_by fallback_xfrm
	left=$GROWN_BY
	grown_by tx_steered
	((left > ESP[up1] && GROWN_BY && left + GROWN_BY == COUNT)) ||
		fail "$left packets were left to the kernel, $GROWN_BY were steered," \
			"${ESP[up1]} were transformed"
}

all_of_it() {
	policy && cross && flows_spread 0 && left_all "$COUNT" fallback_xfrm || return
	((ESP[up0] + ESP[up1] == COUNT)) ||
		fail "${ESP[up0]} packets of up0 and ${ESP[up1]} of up1 were transformed"
}

by_mark() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table netdev arriving {
			chain host {
				type filter hook ingress device "h0" priority 0;
				udp dport $FLOW_PORT numgen inc mod 2 0 meta mark set $MARK
			}
		}
	END
	policy mark "$MARK" && cross || return
	in_ns "${LEAF[0]}" nft delete table netdev arriving
	((ESP[up0] + ESP[up1] == COUNT / 2)) ||
		fail "${ESP[up0]} packets of up0 and ${ESP[up1]} of up1 were transformed" || return
	flows_spread $((COUNT / 2)) up0 up1 &&
		stats_grew "${LEAF[0]}" "tx_steered=$((COUNT / 2))" &&
		stats_grew "${LEAF[0]}" "fallback_xfrm=$((COUNT / 2))"
}

none_any_more() {
	ip -n "${LEAF[0]}" xfrm policy flush && cross && flows_spread "$COUNT" up0 up1 &&
		steered_all "$COUNT"
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known && states_up && esp_watch &&
		pin "${LEAF[0]}" && pin "${HOST[1.0]}" && flows_count "${LEAF[0]}" up0 up1 &&
		flows_end "${HOST[1.0]}" eth0
}

underlay() {
	setup "$1" || die "cannot set up"
	# IPv6 checks policies before it knows the device.
	(($1 == 6)) ||
		tap_test "v4: a stock kernel transforms what leaves by the uplink of a policy" stock
	leaves_up conga || die "no fabric"
	(($1 == 6)) ||
		tap_test "v4: no packet is moved in clear to an uplink where IPsec would transform it" \
			by_device
	tap_test "v$1: all packets of a tunnel that IPsec transforms are left to the kernel" \
		all_of_it
	tap_test "v$1: packets with the mark of a policy are left to the kernel, others are steered" \
		by_mark
	tap_test "v$1: all packets are steered without policies" none_any_more
	topo_down
}

tap_plan 8
require_root
require_commands ip nft jq
require_module
unshare -n ip xfrm policy list 2>/dev/null || tap_skip_all "needs IPsec policies"
underlay 4
underlay 6
tap_exit
