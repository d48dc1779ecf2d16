#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Routing rules and their selectors: source, DSCP, mark, source port and L3 domain. Packets of two
# kinds go to one leaf: those of the class by table 102 (up2, up3), the others by the main table
# (up0, up1). Each kind is balanced within its own table, and no packet leaves by an uplink that
# the kernel's decision excludes. Packets whose kind is unknown are left to the kernel and
# counted.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"

TOPO_SPINES=4
TOPO_LINKS=1
TOPO_VXLAN_OPTIONS="tos inherit"
FABRIC_RATE=1tbit		# so fast that no port is loaded

readonly COUNT=120		# flows, of which a rule selects half
readonly AT_ONCE=600		# packets from each of two senders on two processors
readonly CLASS_TABLE=102
readonly RULE_MARK=0x20 RULE_MASK=0xff FREE_MARK=0x10000
readonly SECOND_VNI=200 PORTS_VNI=300
readonly LEAST_PORT=40000 MIDDLE_PORT=45000 LAST_PORT=49999
readonly DEVICES=(up{0,1,2,3})

setup() {
	TOPO_UNDERLAY=$1
	topo_up && vtep_words && tunnel_says_nothing && neighbours_known || return
	SECOND=10.0.0.99
	((TOPO_UNDERLAY == 4)) || SECOND=fd00::99
	leaf_ip address add "$SECOND/$LENGTH" dev lo ${NODAD:+"$NODAD"} &&
		tunnel_up vy "$SECOND_VNI" "$SECOND" && tunnel_default vy &&
		tunnel_up vz "$PORTS_VNI" "${VTEP[0]}" tos 0x10 \
			srcport "$LEAST_PORT" "$((LAST_PORT + 1))" && tunnel_default vz &&
		fabric_leaf 0 conga conga && fabric_leaf 1 conga conga || return
	pin "${LEAF[0]}" && pin "${HOST[1.0]}" && pin "${LEAF[1]}" || return
	route main 0 1 && route "$CLASS_TABLE" 2 3 || return
	flows_count "${LEAF[0]}" "${DEVICES[@]}" && flows_end "${HOST[1.0]}" eth0
}

# ---- rules of leaf 0: of nftables for what it sends, and of routing ----

# sending TYPE RULE...: rules for VXLAN that leaf 0 sends
sending() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table inet sending
		delete table inet sending
		table inet sending {
			chain out {
				type $1 hook output priority 0;
				udp dport 4789 ${*:2}
			}
		}
	END
}

rules_clear() {
	arriving accept
	sending filter accept
	leaf_ip -force -batch - 2>/dev/null <<-END
		rule flush
		rule add lookup local pref 0
		rule add lookup main pref 32766
	END
	((TOPO_UNDERLAY == 6)) || leaf_ip rule add lookup default pref 32767
	:
}

rule() {
	leaf_ip rule add "$@" lookup "$CLASS_TABLE" pref 100
}

# ---- what is expected ----

cross() {
	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" &&
		class_left
}

# cross_from DEVICE NET: packets leave from the tunnel itself
cross_from() {
	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${LEAF[0]}" "10.$2.0.2" "${LEAF[1]}" "$1" "${LEAF[0]}" && class_left
}

# divided COUNT: COUNT packets belong to the class, and each kind uses its own table
divided() {
	local sum=$((LEFT[up0] + LEFT[up1] + LEFT[up2] + LEFT[up3]))

	class_spread "$1" up2 up3 && others_left && flows_spread $((sum - $1)) up0 up1
}

by_main() {
	flows_spread "$COUNT" up0 up1
}

by_class_table() {
	flows_spread "$COUNT" up2 up3
}

# ---- tests ----

# send_at_once NAMESPACE ADDRESS PROCESSOR: sends from this processor
send_at_once() {
	taskset -c "$3" "$TESTS/tools/vxlan_send" -n "$1" -c "$AT_ONCE" -p "$FLOW_PORT" "$2" - &
}

# Two processors use both paths of the leaf at the same time.
by_source() {
	local ids=()

	rules_clear
	rule from "$SECOND" && class_watch "$IP saddr $SECOND" "${DEVICES[@]}" || return
	stats_mark "${LEAF[0]}"
	send_at_once "${HOST[0.0]}" "${HOST_IP[1.0]}" 0 && ids+=($!)
	send_at_once "${LEAF[0]}" 10.20.0.2 $(($(nproc) - 1)) && ids+=($!)
	wait "${ids[@]}"
	flows_arrive "$AT_ONCE" "${HOST[1.0]}" eth0 && flows_arrive "$AT_ONCE" "${LEAF[1]}" vy ||
		return
	flows_left "${LEAF[0]}" && class_left && divided "$AT_ONCE" &&
		steered_all $((2 * AT_ONCE))
}

by_dscp() {
	rules_clear
	arriving numgen inc mod 2 0 ip dscp set 4
	rule tos 0x10 && class_watch "$IP dscp 4" "${DEVICES[@]}" || return
	cross && divided $((COUNT / 2)) && steered_all "$COUNT"
}

by_dscp_route() {
	rules_clear
	arriving numgen inc mod 2 0 ip dscp set 4
	nexthops 2 3
	leaf_ip route add "$VTEP_PREFIX" tos 0x10 "${NEXTHOPS[@]}" &&
		class_watch "$IP dscp 4" "${DEVICES[@]}" || return
	cross && divided $((COUNT / 2)) && steered_all "$COUNT" || return
	leaf_ip route del "$VTEP_PREFIX" tos 0x10
}

by_mark() {
	rules_clear
	arriving numgen inc mod 2 0 meta mark set "$RULE_MARK"
	rule fwmark "$RULE_MARK/$RULE_MASK" && class_watch "mark $RULE_MARK" "${DEVICES[@]}" || return
	cross && divided $((COUNT / 2)) && steered_all "$COUNT"
}

# A thousand marks are in use, and no mark gets the paths of another.
by_no_mark() {
	rules_clear
	arriving meta mark set numgen inc mod 1000 offset "$FREE_MARK"
	class_watch "mark 0" "${DEVICES[@]}" && cross && class_spread 0 && by_main &&
		steered_all "$COUNT"
}

# These are bits of the mark that no rule selects, besides one bit that a rule selects.
by_other_bits() {
	rules_clear
	arriving meta mark set numgen inc mod 64 offset "$FREE_MARK"
	rule fwmark 0x1/0x1 && class_watch "mark and 1 == 1" "${DEVICES[@]}" || return
	cross && divided $((COUNT / 2)) && steered_all "$COUNT"
}

# The size of the class is random.
by_source_port() {
	rules_clear
	rule ipproto udp sport "$LEAST_PORT-$((MIDDLE_PORT - 1))" &&
		class_watch "udp sport < $MIDDLE_PORT" "${DEVICES[@]}" || return
	cross_from vz $((PORTS_VNI / 10)) || return
	divided $((CLASS[up0] + CLASS[up1] + CLASS[up2] + CLASS[up3])) && steered_all "$COUNT"
}

by_destination_port() {
	rules_clear
	rule ipproto udp dport 4789 && class_watch "udp dport 4789" "${DEVICES[@]}" || return
	cross && by_class_table && steered_all "$COUNT" || return
	rules_clear
	rule ipproto tcp dport 4789 && cross && by_main && steered_all "$COUNT"
}

# The rules have more port ranges than the module distinguishes: all packets stay on their own
# routes.
by_many_ports() {
	local i

	rules_clear
	for i in 1 2 3 4; do rule ipproto udp sport $((i * 100))-$((i * 100 + 10)); done
	class_watch "udp dport 4789" "${DEVICES[@]}" && cross && left_all "$COUNT" fallback_keys
}

# A packet whose key is not kept is left to the kernel, and never sent by the paths of another
# key.
many_keys() {
	local steered

	rules_clear
	arriving meta mark set numgen inc mod 12 offset $((RULE_MARK - 11))
	rule fwmark "$RULE_MARK/$RULE_MASK" && class_watch "mark $RULE_MARK" "${DEVICES[@]}" || return
	cross || return
	((CLASS[up0] + CLASS[up1] == 0 && LEFT[up2] + LEFT[up3] == COUNT / 12)) ||
		fail "up0 and up1 carried ${CLASS[up0]} and ${CLASS[up1]} marked packets;" \
			"all packets left by: $(flows_text)" || return
	grown_by tx_steered
	steered=$GROWN_BY
	grown_by fallback_keys
	((steered && GROWN_BY && steered + GROWN_BY == COUNT)) ||
		fail "$steered packets were steered," \
			"$GROWN_BY were left to the kernel for their keys"
}

# The kernel ignores a mark that is set after the route was found.
marked_late() {
	rules_clear
	sending filter meta mark set "$RULE_MARK"
	rule fwmark "$RULE_MARK/$RULE_MASK" && class_watch "mark $RULE_MARK" "${DEVICES[@]}" || return
	cross || return
	((LEFT[up2] + LEFT[up3] == 0)) || fail "the packets left by: $(flows_text)" || return
	left_all "$COUNT" fallback_mark
}

rerouted() {
	rules_clear
	sending route meta mark set "$RULE_MARK"
	rule fwmark "$RULE_MARK/$RULE_MASK" && class_watch "mark $RULE_MARK" "${DEVICES[@]}" || return
	cross && by_class_table && steered_all "$COUNT"
}

# This address also exists in another VRF, by a port of its own.
by_own_domain() {
	rules_clear
	class_watch "udp dport 4789" "${DEVICES[@]}" &&
		leaf_ip link add other up type vrf table 900 &&
		leaf_ip link set up3 master other || return
	gateway 3
	((TOPO_UNDERLAY == 4)) || leaf_ip address replace "$LEAF_END/127" dev up3 nodad
	leaf_ip route add "$VTEP_PREFIX" via "$SPINE_END" dev up3 vrf other || return
	cross && by_main && steered_all "$COUNT" || return
	conga 0 path show | grep -q "dev up3 .*does not use this uplink" ||
		fail "the path by up3 has another reason: $(conga 0 path show)"
}

underlay() {
	setup "$1" || die "cannot set up"
	tap_test "v$1: packets of two source rules, sent concurrently, keep to their own tables" \
		by_source
	tap_test "v$1: a rule by DSCP takes its packets and no other" by_dscp
	(($1 == 6)) || tap_test "v4: a route by DSCP takes its packets without any rule" by_dscp_route
	tap_test "v$1: a rule by mark takes its packets and no other" by_mark
	tap_test "v$1: packets with marks that no rule looks at are steered" by_no_mark
	tap_test "v$1: bits of a mark that no rule looks at make no difference" by_other_bits
	tap_test "v$1: a rule by source ports takes its packets and no other" by_source_port
	tap_test "v$1: a rule by protocol and destination port is obeyed" by_destination_port
	tap_test "v$1: packets are left to the kernel where rules have too many source port ranges" \
		by_many_ports
	tap_test "v$1: packets with more keys than can be kept arrive, and are counted" many_keys
	tap_test "v$1: a packet that is marked after it was routed is left to the kernel" \
		marked_late
	tap_test "v$1: a packet that nftables reroutes is steered within its new route" rerouted
	tap_test "v$1: a port of another VRF is not used" by_own_domain
	topo_down
}

tap_plan 25
require_root
require_commands ip bridge nft jq taskset
require_module
underlay 4
underlay 6
tap_exit
