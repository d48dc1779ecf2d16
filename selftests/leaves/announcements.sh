#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Announcements between the two nodes at a link, byte by byte: what a port sends while hello is on,
# and what it knows of a played node at the other end by the announcements of that node. All others
# are counted by reason, and change nothing.

# Addresses and datagrams are single words.
# shellcheck disable=SC2086
TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tables.sh"
. "$TESTS/lib/control_packets.sh"

readonly ALL=224.0.0.1 ALL_HEX=e0000001 ALL_MAC=01:00:5e:00:00:01
readonly SPINE_ADDRESS=10.1.0.1
readonly EVERY_MS=4500		# the longest time between two announcements
readonly LOST_S=14		# so long after the last announcement nobody is there
readonly HOPS=ff

# ---- what a port sends ----

# announced SPINE: prints exactly one of the expected announcements that came by the uplink
announced() {
	local bytes=24

	said "$1" "^45c0$(printf '%04x' $((bytes + 36)))....4000${HOPS}11............${ALL_HEX}[c-f]...12b5$(printf '%04x' $((bytes + 16)))....08${TAG_HEX[$1]}00100fffffe00434e474101050000${LEAF_ID}03000000$NO_NONCE\$" |
		head -n 1 | grep .
}

each_port_announces() {
	local i

	for i in 0 1; do
		busywait "$EVERY_MS" announced "$i" >/dev/null ||
			fail "no announcement by uplink $i: $(said "$i" "$ALL_HEX" | tail -n 1)" || return
	done
	look
	for i in 0 1; do
		busywait "$EVERY_MS" announced "$i" >/dev/null ||
			fail "no other announcement by uplink $i in $EVERY_MS ms" || return
	done
}

hello_off_is_quiet() {
	conga 0 fabric set hello off && port_has 0 neighbour null || return
	look
	sleep 6			# time in which nothing may come
	[[ -z $(said 0 "$ALL_HEX")$(said 1 "$ALL_HEX") ]] || fail "announcements came with hello off" || return
	conga 0 fabric set hello "${INTERVAL[0]}" && soon_has 0 neighbour '"waiting"'
}

# ---- what a port hears ----

# announcement [FIELD=VALUE]...
announcement() {
	control type=5 flags=0 nonce=0 wide=0 "$@"
}

# announce [-OPTION VALUE]... DATAGRAM: sends to all systems at uplink 0
announce() {
	announce_by "${SPINE[0]}" down0.0 "$@"
}

# announce_by NAMESPACE DEVICE [-OPTION VALUE]... DATAGRAM
announce_by() {
	local ns=$1 dev=$2 options=(-h 255)

	shift 2
	while [[ $1 == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	"$TESTS/tools/vxlan_send" -n "$ns" -d "$dev" -m "$ALL_MAC" -s "$SPINE_ADDRESS" \
		"${options[@]}" "$ALL" "$@"
}

# port_has UPLINK KEY JSON
port_has() {
	conga 0 -j port show dev "up$1" | json_is ".[0].$2 == $3" ||
		fail "up$1 has $2 $(conga 0 -j port show dev "up$1" | jq -c ".[0].$2"), expected $3"
}

soon_has() {
	busywait 20000 port_has "$@" >/dev/null || port_has "$@"
}

# port_says UPLINK TEXT
port_says() {
	[[ $(conga 0 -d port show dev "up$1") == *" $2"* ]] || fail "$(conga 0 -d port show dev "up$1")"
}

silence_is_none() {
	soon_has 0 neighbour '"waiting"' && port_has 0 neighbour_id null || return
	sleep "$LOST_S"		# this time must pass
	soon_has 0 neighbour '"none"' && soon_has 1 neighbour '"none"' && port_says 0 "neighbour none"
}

agreement_is_shown() {
	mark
	announce "$(announcement)" && counted "rx_control=1 announce_heard=1" &&
		port_has 0 neighbour '"conga"' && port_has 0 neighbour_id 77 &&
		port_has 0 neighbour_reason null && port_has 1 neighbour '"none"' &&
		port_says 0 "neighbour conga id 0x0000004d"
}

# Each is repaired by an announcement of the same node.
disagreement_is_shown() {
	local field reason term text

	while read -r field reason term text; do
		announce "$(announcement "$field")" && soon_has 0 neighbour '"mismatch"' &&
			port_has 0 neighbour_reason "\"$reason\"" &&
			port_has 0 neighbour_term "$term" &&
			port_says 0 "neighbour mismatch id 0x0000004d ($text)" || return
		announce "$(announcement)" && soon_has 0 neighbour '"conga"' || return
	done <<-END
		q=4 q 4 has another q: 4
		byte3=2 byte3 2 uses byte 3 of the VXLAN header differently: tr-queue
		flags=2 metric 2 has another metric: sum
		version=2 version null uses another version of control packets
	END
}

others_change_nothing() {
	local lie

	lie=$(announcement id=78 q=4)
	mark
	announce -h 254 "$lie" && counted "rx_control=1 announce_distant=1" || return
	mark
	announce_by "${HOST[0.0]}" side "$lie" && counted "rx_control=1 control_not_port=1" || return
	mark
	announce "$(announcement id=78 q=4 magic=434e4742)" &&
		counted "rx_control=1 control_malformed=1" || return
	mark
	announce "${lie:0:50}" && counted "rx_control=1 control_malformed=1" || return
	mark
	announce -x 1234 "$lie" && counted "rx_control=1 control_malformed=1" || return
	announce "$(announcement)" && port_has 0 neighbour '"conga"' && port_has 0 neighbour_id 77
}

# An announcement to this node alone has another TTL limit than one to all systems, but no meaning.
unicast_has_no_meaning() {
	mark
	by_port "$FRIEND" -h 255 "$(announcement id=78 q=4)"
	counted "rx_control=1 control_unknown_leaf=1" && port_has 0 neighbour_id 77
}

a_silent_node_is_none() {
	announce "$(announcement)" && soon_has 0 neighbour '"conga"' || return
	sleep "$LOST_S"		# this time must pass
	soon_has 0 neighbour '"none"' && port_has 0 neighbour_id null
}

a_dead_link_forgets() {
	announce "$(announcement)" && soon_has 0 neighbour '"conga"' &&
		ip -n "${LEAF[0]}" link set up0 down && soon_has 0 neighbour null &&
		ip -n "${LEAF[0]}" link set up0 up && soon_has 0 neighbour '"waiting"'
}

# blocked COMMAND...: runs it while an IPsec policy blocks packets to all systems
blocked() {
	local policy=(dst "$ALL/32" dir out)
	local rc=0

	ip -n "${LEAF[0]}" xfrm policy add "${policy[@]}" action block || return
	"$@" || rc=$?
	ip -n "${LEAF[0]}" xfrm policy del "${policy[@]}" && return "$rc"
}

rejected_by_policy() {
	[[ " $(growth)" == *" control_unsent_xfrm="* ]]
}

restart_unsent() {
	ip -n "${LEAF[0]}" link set up0 down && soon_has 0 neighbour null || return
	mark
	ip -n "${LEAF[0]}" link set up0 up || return
	busywait "$EVERY_MS" rejected_by_policy ||
		fail "no announcement was rejected by the policy: $(growth)" || return
	port_has 0 neighbour null
}

# The port has a neighbour as soon as an announcement leaves.
unsent_expects_nobody() {
	blocked restart_unsent && soon_has 0 neighbour '"waiting"'
}

require_root
require_commands ip jq awk tcpdump ethtool
require_module
tap_plan 10
setup || die "the fabric cannot be set up"
tap_test "each port announces itself to all systems of its link with TTL 255" each_port_announces
tap_test "a link without announcements has no neighbour after 14 s" silence_is_none
tap_test "a node that announces itself is the neighbour of its port alone" agreement_is_shown
tap_test "the neighbour's other q, metric, use of byte 3 or version is shown" disagreement_is_shown
tap_test "distant, strange and malformed announcements are counted and change nothing" \
	others_change_nothing
tap_test "an announcement to one address is no announcement" unicast_has_no_meaning
tap_test "a node that announces itself no more is no neighbour after 14 s" a_silent_node_is_none
tap_test "a port that cannot send forgets its neighbour" a_dead_link_forgets
tap_test "a port whose announcements are not sent has no neighbour" unsent_expects_nobody
tap_test "with hello off no port announces itself, or has a neighbour" hello_off_is_quiet
tap_exit
