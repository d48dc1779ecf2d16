#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IPsec policies and the packets that conga accepts and sends. If xfrm would drop a packet on its
# way to the tunnel, conga must not learn from it, whether it is stamped or a hello; a packet that
# arrived as the policy demands is accepted. A control packet that a policy would transform or
# block is not sent.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly PINGS=5
readonly MARK=0x7
POLICY_DEV=
readonly KEYS=(enc "cbc(aes)" 0x00112233445566778899aabbccddeeff
	auth "hmac(sha256)" 0x000102030405060708090a0b0c0d0e0f)

# policy LEAF {in|out} WORD...: sets a policy for VXLAN between the two leaves, by POLICY_DEV
# alone
policy() {
	local l=$1 dir=$2 from to

	shift 2
	from=${VTEP[l]} to=${VTEP[1 - l]}
	[[ $dir == out ]] || { from=${VTEP[1 - l]} to=${VTEP[l]}; }
	ip -n "${LEAF[l]}" xfrm policy add src "$from" dst "$to" \
		${POLICY_DEV:+dev "$POLICY_DEV"} proto udp dport 4789 dir "$dir" "$@"
}

in_esp() {
	policy 1 in tmpl src "${VTEP[0]}" dst "${VTEP[1]}" proto esp mode transport
}

in_block() {
	policy 1 in action block
}

in_default() {
	ip -n "${LEAF[1]}" xfrm policy setdefault in block
}

# Leaf 1 marks these packets before it checks its policies.
in_marked() {
	policy 1 in mark "$MARK" tmpl src "${VTEP[0]}" dst "${VTEP[1]}" proto esp mode transport &&
		in_ns "${LEAF[1]}" nft -f - <<-END
		table inet marks {
			chain early {
				type filter hook prerouting priority -150;
				udp dport 4789 meta mark set $MARK
			}
		}
		END
}

in_other_mark() {
	policy 1 in mark "$MARK" action block
}

# The spine forwards packets through a tunnel of its own if leaf 1 demands that.
in_tunnelled() {
	local ns words

	topo_link_addresses 1 0 0
	words=(src "$SPINE_END" dst "$LEAF_END" proto esp)
	for ns in "${SPINE[0]}" "${LEAF[1]}"; do
		ip -n "$ns" xfrm state add "${words[@]}" spi 0x100 mode tunnel "${KEYS[@]}" || return
	done
	ip -n "${SPINE[0]}" xfrm policy add src "${VTEP[0]}" dst "${VTEP[1]}" dir out \
		tmpl "${words[@]}" mode tunnel &&
		policy 1 in tmpl "${words[@]}" mode tunnel
}

out_esp() {
	policy 0 out tmpl src "${VTEP[0]}" dst "${VTEP[1]}" proto esp mode transport
}

out_block() {
	policy 0 out action block
}

out_default() {
	ip -n "${LEAF[0]}" xfrm policy setdefault out block
}

out_by_device() {
	POLICY_DEV=up0 policy 0 out tmpl src "${VTEP[0]}" dst "${VTEP[1]}" proto esp mode transport
}

out_other_mark() {
	policy 0 out mark "$MARK" action block
}

# Probes use IPv4 if a device has an IPv4 address.
link_blocked() {
	local group=224.0.0.1

	((TOPO_UNDERLAY == 4)) || group=ff02::1
	ip -n "${LEAF[0]}" xfrm policy add dst "$group" dev up0 dir out action block
}

pings() {
	in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.05 -W 0.2 "${HOST_IP[1.0]}" >/dev/null
	:
}

# Leaf 1 rejects every control packet of leaf 0, and counts each of them.
nothing_believed() {
	stats_mark "${LEAF[1]}"
	pause_rounds
	leaf_falls_silent 1 && leaf_falls_silent 0 || return
	xfrm_counted control_xfrm && not_grown hello_heard hello_answered || return
	conga 0 leaf set "${VTEP[1]}" mode conga && conga 1 leaf set "${VTEP[0]}" mode conga || return
	stats_mark "${LEAF[1]}"
	pings
	xfrm_counted rx_xfrm && not_grown rx_learnt feedback_received
}

# xfrm_counted COUNTER: the counter of leaf 1 grew
xfrm_counted() {
	[[ " $(stats_growth "${LEAF[1]}")" == *" $1="* ]] ||
		fail "counter $1 did not grow: $(stats_growth "${LEAF[1]}")"
}

not_grown() {
	local counter grown

	grown=" $(stats_growth "${LEAF[1]}")"
	for counter; do
		[[ $grown != *" $counter="* ]] || fail "counter $counter grew:$grown" || return
	done
}

believed() {
	leaf_becomes 1 "conga answers" && leaf_becomes 0 "conga answers" || return
	stats_mark "${LEAF[1]}"
	pings
	xfrm_counted rx_learnt && not_grown rx_xfrm control_xfrm
}

# No such packet is on the wire, in clear or transformed.
nothing_said() {
	control_count "${LEAF[0]}" up0 up1 && stats_mark "${LEAF[0]}" || return
	pause_rounds
	leaf_falls_silent 0 && leaf_falls_silent 1 && control_counted "${LEAF[0]}" 0 ||
		return
	stat_has control_unsent_xfrm
}

said_elsewhere() {
	control_count "${LEAF[0]}" up0 && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers" || return
	pings
	pause_rounds
	control_counted "${LEAF[0]}" 0 && leaf_is 0 "conga answers" || return
	stats_mark "${LEAF[0]}"
	pause_rounds
	stat_has control_unsent_xfrm && stat_has hello_sent
}

said() {
	leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" || return
	stats_mark "${LEAF[0]}"
	pause_rounds
	[[ $(stats_growth "${LEAF[0]}") != *control_unsent* ]] || fail "$(stats_growth "${LEAF[0]}")"
}

probes_by_other_link() {
	leaves_set policy hula hello off probe 20ms && control_count "${LEAF[0]}" up0 || return
	stats_mark "${LEAF[0]}"
	pause_rounds
	control_counted "${LEAF[0]}" 0 && stat_has probe_sent && stat_has control_unsent_xfrm
}

# check CHANGE TEXT TEST
check() {
	{ topo_up && "$1" && fabric_leaf 0 conga auto && fabric_leaf 1 conga auto; } ||
		die "cannot set up"
	tap_test "v$TOPO_UNDERLAY: $2" "$3"
	topo_down
}

input() {
	check in_esp "control packets that must come through ESP are ignored in clear" \
		nothing_believed
	check in_block "control packets that a policy blocks on input are ignored" nothing_believed
	check in_marked "marked control packets are ignored where a policy blocks their mark" \
		nothing_believed
	check in_other_mark "control packets are accepted where the policy is for another mark" \
		believed
	TOPO_SPINES=1
	check in_tunnelled "control packets that came through ESP as the policy requires are accepted" \
		believed
	TOPO_SPINES=2
}

output() {
	check out_esp "a leaf behind ESP is sent no hello in clear, and is plain" nothing_said
	check out_block "a leaf to which output is blocked is sent no hello, and is plain" \
		nothing_said
	check out_by_device "hellos use the other uplink when a policy blocks one" said_elsewhere
	check out_other_mark "hellos are sent where the policy is for another mark" said
	check link_blocked "probes do not leave by an uplink where a policy blocks them" \
		probes_by_other_link
}

tap_plan 22
require_root
require_commands ip nft ping
require_module
unshare -n ip xfrm policy list 2>/dev/null || tap_skip_all "needs IPsec policies"
input
output
check in_default "control packets are ignored where input is blocked by default" nothing_believed
check out_default "no hello is sent where output is blocked by default" nothing_said
# shellcheck disable=SC2034 # topology.sh reads it
TOPO_UNDERLAY=6
input
output
tap_exit
