#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two leaves with conga behind spines that may run conga or not. While no spine does, and ecn is off,
# feedback tells no more than a leaf's own load, and new flowlets are placed as those to plain leaves
# are. They follow feedback again as soon as a spine announces itself, ecn is agreed on, or mode conga
# is ordered. With ecn, marks that never come are noted.
#
# Code takes no time in this machine: announcements are judged by exact seconds.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LEAVES=2
TOPO_LINKS=1
readonly HELLO_MS_HERE=400
QUIET="hello ${HELLO_MS_HERE}ms"

readonly PLAIN='"letflow-rate"'
readonly LOST_S=14		# so long after the last announcement no node is there
readonly AGAIN_S=5		# the longest time until a change of neighbours is noticed
readonly MANY=100000		# packets without a mark are worth a note
readonly PART=20000		# of them, from one socket
# Drawn evenly, all take the same of two uplinks once in 500,000; drawn by rates, one takes up0 once
# in 50,000.
readonly FLOWLETS=20

# The port of up0 has almost no rate: a choice by rates takes up1, one by load either, for both are
# idle.
slow_up0() {
	conga 0 port set up0 rate 1mbit && conga 0 port set up1 rate 1tbit
}

# in_time COMMAND...: when the change must have been noticed. Polling costs more than time here.
in_time() {
	sleep "$AGAIN_S" && "$@"
}

# by_then COMMAND...: when a neighbour that is silent must be given up
by_then() {
	sleep $((LOST_S + AGAIN_S)) && "$@"
}

# chosen: prints the uplinks that new flowlets get
chosen() {
	local i

	for ((i = 0; i < FLOWLETS; i++)); do echo "path get ${VTEP[1]}"; done |
		"$CONGA" -n "${LEAF[0]}" -j -b - | jq -r '.[0].dev' | sort -u | paste -s -d ' '
}

# decides POLICY UPLINKS: what is shown, and what flowlets get
decides() {
	local shown uplinks

	shown=$(conga 0 -j leaf show "${VTEP[1]}" | jq -c '.[0].policy')
	[[ $shown == "$1" ]] || fail "policy $shown decides, expected $1" || return
	uplinks=$(chosen)
	[[ $uplinks == "$2" ]] || fail "new flowlets take $uplinks, expected $2"
}

feedback_decides() {
	decides null "up0 up1"
}

rates_decide() {
	decides "$PLAIN" up1
}

# Feedback decides at once, and still after so long.
for_good() {
	in_time feedback_decides || return
	by_then feedback_decides
}

neighbours_unknown() {
	in_time leaf_is 0 "conga answers" && feedback_decides
}

nobody_marks() {
	by_then rates_decide || return
	leaf_is 0 "conga answers" || return
	[[ $(conga 0 leaf show "${VTEP[1]}") == *" policy letflow-rate"* ]] ||
		fail "leaf show prints $(conga 0 leaf show "${VTEP[1]}")"
}

# The packets to the leaf are still those to a conga leaf.
stamps_go_on() {
	local before after

	before=$(stat_of "${LEAF[0]}" tx_stamped)
	in_ns "${HOST[0.0]}" ping -q -n -c 3 -i 0.1 "${HOST_IP[1.0]}" >/dev/null ||
		fail "pings are lost" || return
	after=$(stat_of "${LEAF[0]}" tx_stamped)
	((after >= before + 3)) || fail "$((after - before)) of 3 packets were stamped" || return
	[[ $(stat_of "${LEAF[1]}" ecn_received) == 0 ]] || fail "ECN fields were read with ecn off"
}

other_policies_stay() {
	local policy

	for policy in local letflow ecmp; do
		conga 0 fabric set policy "$policy" || return
		[[ $(conga 0 -j leaf show "${VTEP[1]}" | jq '.[0].policy') == null ]] ||
			fail "another policy than $policy decides" || return
	done
	conga 0 fabric set policy conga-prime || return
	[[ $(conga 0 -j leaf show "${VTEP[1]}" | jq -r '.[0].policy') == rehash ]] ||
		fail "rehash does not decide in place of conga-prime" || return
	conga 0 fabric set policy conga && rates_decide
}

ecn_informs() {
	conga 0 fabric set ecn on && conga 1 fabric set ecn on && for_good &&
		conga 1 fabric set ecn off && in_time rates_decide && conga 0 fabric set ecn off
}

order_informs() {
	conga 0 leaf set "${VTEP[1]}" mode conga && for_good &&
		conga 0 leaf set "${VTEP[1]}" mode auto && in_time leaf_is 0 "conga answers" &&
		in_time rates_decide
}

up0_knows_nobody() {
	conga 0 -j port show dev up0 | json_is '.[0].neighbour == null'
}

# A link whose other end is not known yet may lead to a node that marks.
unknown_link_may_mark() {
	ip -n "${LEAF[0]}" link set up0 down && in_time up0_knows_nobody &&
		ip -n "${LEAF[0]}" link set up0 up && in_time feedback_decides || return
	by_then rates_decide
}

dead_link_is_no_reason() {
	ip -n "${LEAF[0]}" link set up0 down || return
	in_time decides "$PLAIN" up1 && ip -n "${LEAF[0]}" link set up0 up || return
	by_then rates_decide
}

one_spine_is_enough() {
	fabric_spine 1 && for_good && "$CONGA" -n "${SPINE[1]}" fabric del || return
	by_then rates_decide
}

# A node with another q is known to run conga: the operator is told to mend it.
disagreement_is_no_silence() {
	fabric_spine 1 && "$CONGA" -n "${SPINE[1]}" fabric set q 5 && for_good &&
		"$CONGA" -n "${SPINE[1]}" fabric del
}

terms_are_asked_anew() {
	by_then rates_decide && conga 0 fabric set q 4 && conga 1 fabric set q 4 &&
		in_time leaf_is 0 "conga answers" && in_time feedback_decides
}

hello_off_knows_nobody() {
	by_then rates_decide && conga 0 fabric set hello off && conga 0 fabric set hello 400ms &&
		in_time leaf_is 0 "conga answers" && feedback_decides
}

# ---- marks that never come ----

# send COUNT: datagrams to host 1
send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$1" -l 100 "${HOST_IP[1.0]}" -
}

ecn_is_agreed() {
	conga 0 -j leaf show "${VTEP[1]}" | json_is '.[0].ecn'
}

# notes: prints what conga check says about ecn
notes() {
	conga 1 check interval 1ms | grep '^note: ecn: '
}

received() {
	stat_of "${LEAF[1]}" ecn_received
}

spine_marks() {
	in_ns "${SPINE[$1]}" nft -f - <<-END
		table inet marks {
			chain forward {
				type filter hook forward priority 0;
				ip ecn != not-ect ip ecn set ce
			}
		}
	END
}

# The note comes with so many packets, and goes with the first mark.
marks_never_come() {
	local at

	conga 0 fabric set ecn on && conga 1 fabric set ecn on && in_time ecn_is_agreed || return
	at=$(received)
	while ((at < MANY)); do
		[[ -z $(notes) ]] || fail "after $at packets: $(notes)" || return
		send "$PART" || return
		(($(received) > at)) || fail "no packet of $PART came with ECT" || return
		at=$(received)
	done
	notes | grep -qF "none of the $at packets that could be marked was;" ||
		fail "after $at packets conga check says: $(conga 1 check)" || return
	spine_marks 0 && spine_marks 1 && send 1 || return
	[[ -z $(notes) ]] || fail "a mark came, and conga check says: $(notes)"
}

# ---- a spine that drops silently ----

readonly EACH=4			# LBTags of an uplink
readonly ROUND_MS=100

# all_are DEVICE STATE: all LBTags of an uplink have paths in this state
all_are() {
	conga 0 -j path show | jq -e --arg dev "$1" --arg state "$2" --argjson each "$EACH" \
		'[.[] | select(.dev == $dev) | .state] | length == $each and all(. == $state)' >/dev/null ||
		fail "paths by $1 are not all $2: $(conga 0 path show)"
}

all_are_usable() {
	all_are up0 usable && all_are up1 usable
}

# Each path carries packets, so that hellos ask about it every round.
silent_spine_is_left() {
	local ms

	leaves_set entropy "$EACH" && in_time all_are_usable || return
	in_ns "${SPINE[1]}" nft add table inet dead && in_ns "${SPINE[1]}" nft add chain inet dead forward \
		"{ type filter hook forward priority 0; policy drop; }" || return
	for ((ms = 0; ms < 3 * HELLO_MS_HERE; ms += ROUND_MS)); do
		send 40 && sleep 0.1 || return
	done
	all_are up1 silent && all_are up0 usable && in_ns "${SPINE[1]}" nft delete table inet dead &&
		in_time all_are_usable
}

setup() {
	topo_up && settle && fabric_leaf 0 conga auto &&
		fabric_leaf 1 conga auto && slow_up0
}

require_root
require_commands ip jq ping
require_module
require_exact_time
tap_plan 14
setup || die "the fabric cannot be set up"
tap_test "feedback decides until neighbours had 14 s to announce themselves" neighbours_unknown
tap_test "while no neighbour runs conga, flowlets to conga leaves are placed by rates" nobody_marks
tap_test "packets to such leaves are still stamped" stamps_go_on
tap_test "each policy has its own substitute, or none" other_policies_stay
tap_test "feedback decides while ecn is agreed on" ecn_informs
tap_test "feedback decides if mode conga is ordered" order_informs
tap_test "feedback decides while the other end of a link is unknown" unknown_link_may_mark
tap_test "a link that is down may lead to whatever node" dead_link_is_no_reason
tap_test "feedback decides if one spine runs conga, and until 14 s after it stopped" one_spine_is_enough
tap_test "a spine with another q is not taken for one without conga" disagreement_is_no_silence
tap_test "neighbours are asked anew when the terms of the node change" terms_are_asked_anew
tap_test "with hello off nothing is known of neighbours" hello_off_knows_nobody
tap_test "conga check notes that no packet came marked" marks_never_come
tap_test "a spine without conga that drops silently is left within three hello intervals, alone" \
	silent_spine_is_left
tap_exit
