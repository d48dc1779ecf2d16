#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which leaves agree about ecn, by a flag in answers to hellos: packets to such leaves have ECT, and
# towards all other leaves nothing changes. No packet is lost when ecn is switched, or a leaf leaves,
# under marked traffic. ecn_marks.sh looks at the fields and the marks themselves.
#
# Code takes no time in this machine, so that no verdict depends on the speed of the computer.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/ecn_fabric.sh"

readonly OWN_VNI=16777214	# 0xfffffe, the VNI of control packets
readonly OWN_NET=172.31.9

# ---- to whom ----

agreement_is_shown() {
	leaves_agree && agrees 1 true && agrees 2 false && agrees 3 false || return
	[[ $(conga 0 leaf show "${VTEP[1]}") == *" ecn on "* &&
		$(conga 0 leaf show "${VTEP[2]}") == *" ecn off "* ]] ||
		fail "conga leaf show prints: $(conga 0 leaf show)" || return
	conga 2 -j leaf show | json_is 'all(has("ecn") | not)' ||
		fail "a leaf with ecn off tells of ecn"
}

# fields_to LEAF FIELD: packets to the leaf have this outer field
fields_to() {
	observed send "$1" 20 -p 9 || return
	[[ $(outer_fields "$1") == "9 $2 20" ]] ||
		fail "ports, outer fields and counts to leaf $1 are $(outer_fields "$1" | paste -sd,)"
}

# since stats_mark
no_ect_was_sent() {
	[[ $(stats_growth "${LEAF[0]}") != *ecn_sent* ]] || fail "$(stats_growth "${LEAF[0]}")"
}

others_get_no_ect() {
	stats_mark "${LEAF[0]}" && fields_to 2 0 && fields_to 3 0 || return
	stats_grew "${LEAF[0]}" tx_stamped=20 || return
	no_ect_was_sent
}

# A tunnel's packets with the VNI of control packets get no stamp, so that their field is not put back.
unstamped_get_no_ect() {
	in_ns "${LEAF[0]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || return
	ip -n "${LEAF[0]}" -batch - <<-END || return
		link add own up type vxlan id $OWN_VNI local ${VTEP[0]} \
			remote ${VTEP[1]} dstport $TOPO_PORT
		address add $OWN_NET.1/24 dev own
		neighbour add $OWN_NET.2 lladdr 02:00:00:00:09:02 dev own
	END
	leaves_agree && stats_mark "${LEAF[0]}" &&
		"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -c 20 -p 9 "$OWN_NET.2" - &&
		stats_grew "${LEAF[0]}" tx_steered=20 && stats_grew "${LEAF[0]}" tx_reserved=20 || return
	no_ect_was_sent || return
	ip -n "${LEAF[0]}" link del own
}

# played FLAGS ECN FIELD: a leaf whose hellos have these flags gets packets with this field
played() {
	player_start "${LEAF[3]}" -f "$1" && presently leaf_is 0 "conga answers" "${VTEP[3]}" &&
		presently agrees 3 "$2" && fields_to 3 "$3" && player_stop
}

previous_version_gets_no_ect() {
	conga 0 leaf set "${VTEP[3]}" mode auto && played 0x00 false 0 && played 0x08 true "$ECT0" &&
		conga 0 leaf set "${VTEP[3]}" mode plain
}

# Each hello has the flag 0x08, CS6 and no ECT.
hellos_tell() {
	local said

	observed sleep 1 || return
	said=$(capture_bytes all "${LEAF[0]}" | awk -v to="$(address_digits "${VTEP[1]}")" '
		function field(at, bytes) { return substr($4, 2 * at + 1, 2 * bytes) }
		field(16, 4) == to && field(32, 3) == "fffffe" && field(41, 1) == "01" {
			print field(1, 1), substr($4, 85, 1) }' | sort -u)
	[[ $said == "c0 0" ]] || fail "$said"
}

every_policy_sends_ect() {
	local policy

	for policy in local letflow ecmp conga; do
		conga 0 fabric set policy "$policy" && stats_mark "${LEAF[0]}" && send 1 10 -p 9 &&
			stats_grew "${LEAF[0]}" ecn_sent=10 || fail "policy $policy" || return
	done
}

# ---- changes under marked traffic ----

# stream_while COMMAND...: all datagrams of a marked stream arrive, whatever the command does
stream_while() {
	local sender status=0

	outer_field ce && unwanted_mark "${HOST[1.0]}" || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c 1000 -i 1000 -l 200 -p 9 "${HOST_IP[1.0]}" - &
	sender=$!
	"$@" || status=1
	wait "$sender" && unwanted_arrive 1000 "${HOST[1.0]}" 1000 && outer_is_kept && return "$status"
}

# switched LEAF: switches ecn off and on again
switched() {
	conga "$1" fabric set ecn off && sleep 0.2 && conga "$1" fabric set ecn on && sleep 0.2
}

# Other leaves learn of it by their next hello, this leaf knows it at once: the next tick of hellos
# is 2.5 s away. Entropy also changes the outer header.
off_is_off_at_once() {
	conga 0 fabric set hello 10s entropy 2 && sleep 0.1 && fields_to 1 "$ECT0" &&
		conga 0 fabric set ecn off && fields_to 1 0 && conga 0 fabric set ecn on &&
		fields_to 1 "$ECT0" && conga 0 fabric set entropy 1 hello 100ms
}

switching_loses_none() {
	stream_while switched 1 && stream_while switched 0 && presently leaves_agree
}

# The goodbye message comes while 35 ms of packets wait in the queue of the uplink, which marks.
leaves_with_a_queue() {
	local arrived

	unwanted_mark "${HOST[1.0]}" && stats_mark "${LEAF[1]}" || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c 80 -l 1200 -p 9 "${HOST_IP[1.0]}" - || return
	stats_grown "${LEAF[1]}" rx_stamped
	conga 1 fabric del && unwanted_arrive 1000 "${HOST[1.0]}" 80 || return
	arrived=$GROWTH
	((arrived < 40)) || fail "$arrived datagrams arrived before the leaf left, so nothing was tested"
}

leaving_loses_none() {
	by_up0_alone leaves_with_a_queue || return
	presently leaf_is 0 "plain bye" "${VTEP[1]}" && fabric_leaf 1 conga auto &&
		conga 1 fabric set ecn on && leaves_agree
}

# ---- configuration ----

setting_is_saved() {
	conga 2 fabric set ecn on && conga 2 save >"$TOPO_DIR/saved" || return
	grep -q '^fabric add .* ecn on' "$TOPO_DIR/saved" || fail "$(<"$TOPO_DIR/saved")" || return
	conga 2 fabric set ecn off && conga 2 -j fabric show | json_is '.[0].ecn == false' &&
		conga 2 sync "$TOPO_DIR/saved" && conga 2 -j fabric show | json_is '.[0].ecn == true' &&
		conga 2 fabric del && conga 2 restore "$TOPO_DIR/saved" &&
		conga 2 -j fabric show | json_is '.[0].ecn == true' ||
		fail "the fabric is $(conga 2 fabric show)" || return
	[[ $(conga 2 fabric show) == *" ecn on "* ]] || fail "$(conga 2 fabric show)" || return
	presently agrees 2 true
}

refusals_have_sentences() {
	local before

	before=$(conga 2 -j fabric show)
	says 1 "Error: This policy finds paths by probes, so ecn must be off." \
		conga 2 fabric set policy hula &&
		says 1 "Error: This policy finds paths by queues in packets, so ecn must be off." \
			conga 2 fabric set policy tr || return
	[[ $(conga 2 -j fabric show) == "$before" ]] || fail "a rejected request changed the fabric" ||
		return
	conga 2 fabric set policy hula ecn off &&
		says 1 "Error: This policy finds paths by probes, so ecn must be off." \
			conga 2 fabric set ecn on || return
	conga 2 fabric set policy tr &&
		says 1 "Error: This policy finds paths by queues in packets, so ecn must be off." \
			conga 2 fabric set ecn on
}

require_root
require_commands ip jq tcpdump nft
require_module
require_exact_time
[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || die "wire.ko cannot be loaded"
tap_plan 11
setup 4 || die "the fabric cannot be set up"
tap_test "leaf show tells to which leaves ecn is agreed" agreement_is_shown
tap_test "packets to leaves without ecn, and to plain leaves, have no ECT" others_get_no_ect
tap_test "packets without a stamp get no ECT" unstamped_get_no_ect
tap_test "a leaf of the previous version gets no ECT" previous_version_gets_no_ect
tap_test "hellos have the flag, and no ECT" hellos_tell
tap_test "all policies that have no paths of their own send ECT" every_policy_sends_ect
tap_test "ecn off means no ECT from the next packet on" off_is_off_at_once
tap_test "no marked packet is lost when ecn is switched off and on" switching_loses_none
tap_test "no marked packet is lost when a leaf leaves" leaving_loses_none
tap_test "the setting is saved, restored and synchronised" setting_is_saved
tap_test "policies hula and tr are rejected with ecn on" refusals_have_sentences
tap_exit
