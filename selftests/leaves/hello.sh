#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A leaf in mode auto is conga while it answers hellos and agrees, and plain otherwise. An echoed
# nonce makes it conga. Three misses, a goodbye message, another Q, metric, use of byte 3 or
# version, or two nodes that answer in turn, make it plain. Each cause has its reason, its counter
# and its event. Modes conga and plain are orders. Control packets are for the module alone.
#
# Leaf 1 is either a second conga leaf or a leaf that hello_peer plays.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly CALM_ROUNDS=10 MISSES=3
readonly PINGS=20
readonly OWN_VNI=16777214	# 0xfffffe, the VNI of control packets
readonly OWN=(10.9.0.1 10.9.0.2)

# ---- the peer ----

# Creates a fabric, ports and leaf 0 in mode auto.
peer_up() {
	fabric_leaf 1 conga auto
}

peer_down() {
	conga 1 fabric del
}

# Leaf 1 sends nothing from now on, and does not know it.
peer_mute() {
	control_drop "${LEAF[1]}" up0 up1
}

peer_speaks() {
	control_pass "${LEAF[1]}"
}

# ---- becoming conga ----

begins_plain() {
	conga 0 leaf add "${VTEP[1]}" || fail "the leaf was not added" || return
	[[ $(conga 0 -j leaf show | jq -r '.[0].mode') == auto ]] ||
		fail "the mode of the leaf is not auto" || return
	events_have "auto waiting waiting" && leaf_becomes 0 "plain silent" &&
		events_have "auto plain silent"
}

becomes_conga() {
	stats_mark "${LEAF[0]}"
	peer_up && leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" || return
	stats_grew "${LEAF[0]}" leaf_up=1 && events_have "auto conga answers" &&
		knows_id
}

# Prints the id that leaf 1 chose.
knows_id() {
	local id

	id=$(conga 1 -j fabric show | jq -r '.[0].leaf_id')
	[[ $(conga 0 -j leaf show | jq -r '.[0].id') == "$id" ]] || fail "the leaf id is not $id"
}

# The leaf becomes conga a second time, with another id.
restarts() {
	stats_mark "${LEAF[0]}"
	peer_down && leaf_becomes 0 "plain bye" && peer_up &&
		leaf_becomes 0 "conga answers" && knows_id || return
	pause_rounds && leaf_is 0 "conga answers" && stats_grew "${LEAF[0]}" leaf_bye=1
}

# ---- becoming plain ----

says_bye() {
	stats_mark "${LEAF[0]}"
	peer_down && leaf_becomes 0 "plain bye" || return
	stats_grew "${LEAF[0]}" leaf_bye=1 && stats_grew "${LEAF[0]}" bye_received=2 &&
		events_have "auto plain bye" || return
	peer_up && leaf_becomes 0 "conga answers"
}

# Leaf 1 still receives hellos of leaf 0, which ask, but gets no answer to its own.
falls_silent() {
	stats_mark "${LEAF[0]}"
	peer_mute && leaf_becomes 0 "lost silent" || return
	stats_grew "${LEAF[0]}" leaf_silent=1 && events_have "auto lost silent" || return
	stat_has hello_missed "$MISSES" || return
	peer_speaks && leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers"
}

# disagrees REASON WORD...: sets these words at leaf 1; the last two words make it agree again
disagrees() {
	local reason=$1

	shift
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	conga 1 fabric set "$1" "$2" && leaf_becomes 0 "mismatch $reason" &&
		leaf_becomes 1 "mismatch $reason" || return
	stats_grew "${LEAF[0]}" leaf_disagrees=1 && stats_grew "${LEAF[1]}" leaf_disagrees=1 &&
		events_have "auto mismatch $reason" || return
	conga 1 fabric set "$1" "$3" && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers"
}

# The leaf is recognised by its return to a previous id; the id is forgotten after ten rounds.
alternates() {
	local id since

	stats_mark "${LEAF[0]}"
	for id in 7 8 7; do
		conga 1 fabric set leaf-id "$id" && busywait "$PATIENCE_MS" leaf_id_is 0 "$id" || return
	done
	events_have "auto mismatch alternates" && since=$EVENT_MS || return
	leaf_is 0 "mismatch alternates" && stats_grew "${LEAF[0]}" leaf_alternates=1 || return
	events_have "auto conga answers" || return
	((EVENT_MS - since > (CALM_ROUNDS - 2) * HELLO_MS)) ||
		fail "the state alternates ended after only $((EVENT_MS - since)) ms"
}

# ---- a peer that is played ----

# The played leaf no longer runs conga, and only has its tunnel.
played() {
	stats_mark "${LEAF[0]}"
	player_start "${LEAF[1]}" "$@"
}

# Every answer is counted, and none is accepted.
wrong_nonce() {
	played -x 0x10000 -n 3 && player_done || return
	soon stats_grew "${LEAF[0]}" control_nonce=3 && leaf_is 0 "plain bye"
}

# Only a node that received the nonce can know its upper half.
half_nonce() {
	played -h -n 3 && player_done || return
	soon stats_grew "${LEAF[0]}" control_nonce=3 && leaf_is 0 "plain bye"
}

# The module ignores the LBTag when it decides whether the nonce is its own.
right_nonce() {
	played -i 77 && leaf_becomes 0 "conga answers" && leaf_id_is 0 77 || return
	player_stop && stats_grew "${LEAF[0]}" leaf_up=1 && leaf_becomes 0 "lost silent"
}

# The nonce is valid for its round and the next one.
old_nonce() {
	events_skip
	played -o && events_have "auto conga answers" && events_have "auto lost silent" || return
	player_stop && leaf_is 0 "lost silent" && stat_has control_nonce
}

byte_3() {
	played -b 1 && leaf_becomes 0 "mismatch byte3" && player_stop &&
		events_have "auto mismatch byte3"
}

# A version alone changes no state, but explains why no leaf answers.
other_version() {
	played -v 2 && leaf_becomes 0 "mismatch version" || return
	events_have "auto mismatch version" && player_stop || return
	stat_has control_version && leaf_becomes 0 "lost silent"
}

other_type() {
	played -t 9 -n 2 && player_done || return
	soon stats_grew "${LEAF[0]}" control_type=2 && leaf_is 0 "lost silent"
}

damaged() {
	played -s 1 -n 2 && player_done && soon stats_grew "${LEAF[0]}" control_malformed=2 || return
	played -k 0x1234 -n 2 && player_done && soon stats_grew "${LEAF[0]}" control_malformed=2 ||
		return
	leaf_is 0 "lost silent"
}

# This state lasts as long as two nodes answer in turn.
two_boxes() {
	played -i 7,8 && leaf_becomes 0 "mismatch alternates" && pause_rounds &&
		leaf_is 0 "mismatch alternates" || return
	player_stop && leaf_becomes 0 "lost silent"
}

# ---- orders ----

conga_by_order() {
	conga 0 leaf set "${VTEP[1]}" mode conga && leaf_is 0 "conga ordered" || return
	pause_rounds && leaf_is 0 "conga ordered" || return
	played -q 4 && leaf_becomes 0 "conga q" && player_stop && leaf_becomes 0 "conga ordered" ||
		return
	stats_grew "${LEAF[0]}" hello_heard=1 || stat_has hello_heard
}

# This leaf neither asks nor answers, so that the other leaf gives up.
plain_by_order() {
	conga 0 leaf set "${VTEP[1]}" mode auto && peer_up && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers" || return
	stats_mark "${LEAF[1]}"
	conga 0 leaf set "${VTEP[1]}" mode plain && leaf_becomes 1 "plain bye" || return
	control_count "${LEAF[0]}" up0 up1
	stats_mark "${LEAF[0]}"
	pause_rounds && control_counted "${LEAF[0]}" 0 && leaf_is 0 "plain ordered" || return
	stats_only "${LEAF[0]}" rx_control control_plain_leaf announce_sent announce_heard
}

# A leaf whose hello is off is not asked, does not answer, and has sent a goodbye message.
hello_is_off() {
	conga 0 leaf set "${VTEP[1]}" mode auto && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers" || return
	conga 0 fabric set hello off && leaf_is 0 "plain hello_off" && leaf_becomes 1 "plain bye" ||
		return
	control_count "${LEAF[0]}" up0 up1
	pause_rounds && control_counted "${LEAF[0]}" 0 && leaf_is 1 "plain bye" || return
	conga 0 fabric set hello 300ms && leaf_becomes 0 "conga answers" &&
		leaf_becomes 1 "conga answers"
}

# ---- for the module alone ----

# udp_heard NAMESPACE: sets HEARD to the datagrams that a socket or a tunnel received
udp_heard() {
	local proto value

	while read -r proto value _; do
		[[ $proto != Udp: ]] || HEARD=$value
	done <"/proc/${PIN[$1]}/net/snmp"
	[[ $HEARD ]] || fail "the counter of datagrams is missing"
}

not_delivered() {
	local before came

	udp_heard "${LEAF[1]}" && before=$HEARD
	stats_read "${LEAF[1]}" && came=${STAT[rx_control]}
	pause_rounds && udp_heard "${LEAF[1]}" && stats_read "${LEAF[1]}" || return
	((STAT[rx_control] > came)) || fail "no control packet arrived" || return
	((HEARD == before)) ||
		fail "$((STAT[rx_control] - came)) control packets arrived," \
			"and $((HEARD - before)) datagrams were delivered"
}

sums_are_right() {
	in_ns "${LEAF[0]}" ethtool -K up0 tx off >/dev/null || return
	capture_start sums "${LEAF[0]}" up0 -Q out udp port 4789 and "udp[12:4] = 0xfffffe00" &&
		pause_rounds && capture_stop sums || return
	capture_text sums -vv | awk '/udp sum ok/ { right++ } /bad udp|no cksum/ { wrong++ }
		/bad cksum/ { wrong++ } END { print "# sums: " right + 0 " right, " wrong + 0 " wrong"
		exit !right || wrong }' || fail "$(capture_text sums -vv | head -n 4)"
}

# A tunnel may use the control VNI as its own: its packets are steered, and never stamped.
own_tunnel() {
	local l said

	for l in 0 1; do
		ip -n "${LEAF[l]}" link add own up type vxlan id "$OWN_VNI" local "${VTEP[l]}" \
			remote "${VTEP[1 - l]}" dstport 4789 ttl 64 &&
			ip -n "${LEAF[l]}" address add "${OWN[l]}/24" dev own || return
	done
	leaf_is 0 "conga answers" || return
	stats_mark "${LEAF[0]}"
	said=$(in_ns "${LEAF[0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 "${OWN[1]}")
	[[ $said == *" $PINGS received"* ]] || fail "$said" || return
	stat_has tx_reserved "$PINGS"
}

setup() {
	topo_up && tunnel_says_nothing && conga_batch "${LEAF[0]}" <<-END || return
		fabric add
		port add up0 role uplink
		port add up1 role uplink
	END
	pin "${LEAF[1]}" && events_start 0
}

tap_plan 23
require_root
require_commands ip jq nft ping tcpdump ethtool
require_module
setup || die "cannot set up"
tap_test "a leaf is in mode auto by default, and begins plain" begins_plain
tap_test "a leaf that answers is conga, and its id is known" becomes_conga
tap_test "a leaf that restarts with another id is not reported as alternating" restarts
tap_test "a leaf that sends a goodbye message is plain" says_bye
tap_test "a leaf that misses three hellos is plain" falls_silent
tap_test "leaves with different q are both plain" disagrees q q 4 3
tap_test "leaves with different metrics are both plain" disagrees metric metric sum max
tap_test "a leaf whose id alternates is plain until the id stays the same" alternates
peer_down
tap_test "an answer without one of our nonces is ignored" wrong_nonce
tap_test "an answer with half of our nonce is ignored" half_nonce
tap_test "an answer with our nonce makes the leaf conga" right_nonce
tap_test "a nonce is accepted in its round and the next one, and not later" old_nonce
tap_test "a leaf that uses byte 3 otherwise is plain" byte_3
tap_test "a leaf of another version is plain, and the version is the reason" other_version
tap_test "a control packet of an unknown type is counted" other_type
tap_test "a short packet and a wrong checksum are counted" damaged
tap_test "two nodes that answer by turns make the leaf plain for as long as they do" two_boxes
tap_test "a leaf in mode conga stays conga, with a warning" conga_by_order
tap_test "a leaf in mode plain is not asked, and gets no answer" plain_by_order
tap_test "hello off sends a goodbye message, and then nothing" hello_is_off
tap_test "control packets reach no socket and no tunnel" not_delivered
tap_test "checksums of control packets are right" sums_are_right
tap_test "a tunnel that uses the control VNI works, unstamped" own_tunnel
tap_exit
