#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Control packets byte by byte, and the senders from which they are accepted. The test plays the
# far leaves from spine 0. Hello, answer, explicit feedback and goodbye are as the manual
# describes them. A forged, broken or unknown packet changes nothing and is counted exactly. A
# storm of all kinds gets a limited number of answers and leaves no memory allocated. STORM is the
# number of its packets, a million by default.

# Addresses and datagrams are single words.
# shellcheck disable=SC2086
TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tables.sh"
. "$TESTS/lib/control_packets.sh"

readonly PATIENCE_MS=30000
readonly MANY=200		# more packets than are answered or compared in an interval

# ---- tests: bytes ----

hellos() {
	local addr

	look
	for addr in $FRIEND $FRIEND6; do conga 0 leaf add "$addr" mode conga || return; done
	rounds 2 || return
	for addr in $FRIEND $FRIEND6; do
		golden 0 "$addr" 01 05 0 "$ANY_NONCE"'[08]5' "$NO_NONCE" &&
			golden 1 "$addr" 01 05 0 "$ANY_NONCE"'[08]c' "$NO_NONCE" || return
	done
}

answer_bytes() {
	ask $FRIEND && ask $FRIEND6
}

sums_true() {
	local i bad

	for i in 0 1; do
		bad=$(grep -cE 'bad udp cksum|bad cksum' "$TOPO_DIR/wire$i")
		((bad == 0)) || fail "uplink $i sent $bad packets with a wrong checksum" || return
		(($(grep -c 'udp sum ok' "$TOPO_DIR/wire$i") >= 2)) ||
			fail "uplink $i sent too few packets with a right checksum" || return
	done
}

# stamped SOURCE: data with LBTag 6 and CE 3, and with LBTag 9 and CE 7, every 100 ms for longer
# than Tage. A packet that comes more than Tage after the one before it would begin anew.
stamped() {
	by_port "$1" -p "$DATA_PORT" -c 25 -i 100000 0866010000006400 089e010000006400
}

has_grown() {
	stats_grown "${LEAF[0]}" "$1"
	((GROWTH))
}

# Packets arrive and are not answered for a while: the feedback has a record for each LBTag,
# whose metric is in the upper bits. Only this test has a short Tage.
feedback_bytes() {
	local echo

	ask "$1" || return
	printf -v echo '%016x' "$ASKED"
	conga 0 fabric set age 2s || return
	stats_mark "${LEAF[0]}"
	look
	stamped "$1" || return
	busywait "$PATIENCE_MS" has_grown explicit_sent ||
		fail "no explicit feedback was sent" || return
	golden 0 "$1" 02 04 2 "$NO_NONCE" "$echo" 0660000009e00000 || return
	conga 0 fabric set age 10s
}

feedbacks() {
	feedback_bytes $FRIEND && feedback_bytes $FRIEND6
}

# The packets leave by every uplink, with the nonce that was received last.
bye_bytes() {
	local echo

	ask "$1" || return
	printf -v echo '%016x' "$ASKED"
	look
	conga 0 leaf del "$1" || return
	golden 0 "$1" 03 04 0 "$NO_NONCE" "$echo" && golden 1 "$1" 03 04 0 "$NO_NONCE" "$echo" &&
		conga 0 leaf add "$1" mode conga
}

byes() {
	bye_bytes $FRIEND && bye_bytes $FRIEND6
}

# ---- tests: rejected packets ----

# These are one packet of each type that would be accepted from a leaf.
kinds() {
	local nonce=$((16#$1))

	control && control flags=0 echo=$nonce &&
		control type=2 flags=0 echo=$nonce count=1 records=0c200000 &&
		control type=3 flags=0 echo=$nonce
}

# shellcheck disable=SC2046 # a datagram is a word
other_device() {
	mark
	by_side $FRIEND $(kinds "$NONCE") && by_side $FRIEND6 $(kinds "$NONCE") &&
		heedless "rx_control=8 control_not_port=8"
}

# shellcheck disable=SC2046
unknown_source() {
	mark
	by_port $STRANGER $(kinds "$NONCE") && by_port $STRANGER6 $(kinds "$NONCE") &&
		heedless "rx_control=8 control_unknown_leaf=8"
}

# shellcheck disable=SC2046
plain_source() {
	mark
	by_port $PLAIN $(kinds "$NONCE") && by_port $PLAIN6 $(kinds "$NONCE") &&
		heedless "rx_control=8 control_plain_leaf=8"
}

# These are an answer, feedback and a goodbye message without an echoed nonce, with a random one,
# or with a nonce that has one wrong bit in its round.
wrong_nonce() {
	local addr echo bad

	for addr in $FRIEND $FRIEND6; do
		ask "$addr" || return
		bad=()
		for echo in 0 5 0x$RUBBISH $((16#$NONCE ^ 0x100)) $((16#$NONCE ^ 1 << 31)) \
			$((16#$NONCE ^ 1 << 32)) $((16#$NONCE ^ 1 << 63)); do
			bad+=("$(control flags=0 "echo=$echo")"
				"$(control type=2 flags=0 "echo=$echo" count=1 records=0c200000)"
				"$(control type=3 flags=0 "echo=$echo")")
		done
		mark
		by_port "$addr" "${bad[@]}" && heedless "rx_control=21 control_nonce=21" || return
	done
}

# prefixes HEX: prints prefixes of every length, from the VXLAN header to one byte less than the
# whole
prefixes() {
	local length

	for ((length = 16; length < ${#1}; length += 2)); do echo "${1:0:length}"; done
}

# An attacker could guess half of a nonce. A hello that echoes no more than half is answered.
half_nonce() {
	local addr echo

	for addr in $FRIEND $FRIEND6; do
		ask "$addr" || return
		echo=$((16#$NONCE))
		mark
		by_port "$addr" "$(control wide=0 flags=0 "echo=$echo")" \
			"$(control wide=0 type=2 flags=0 "echo=$echo" count=1 records=0c200000)" \
			"$(control wide=0 type=3 flags=0 "echo=$echo")" &&
			heedless "rx_control=3 control_nonce=3" || return
		look
		mark
		by_port "$addr" "$(control wide=0 "nonce=$ASKED")" &&
			golden 0 "$addr" 01 04 0 "$ANY_NONCE"'[08]5' "$(printf '%016x' "$ASKED")" &&
			counted "rx_control=1 hello_answered=1" || return
	done
}

truncated() {
	local whole addr

	whole=$(control type=2 flags=0 "echo=$((16#$NONCE))" count=2 records=0c20000005200000)
	for addr in $FRIEND $FRIEND6; do
		mark
		# shellcheck disable=SC2046
		by_port $addr $(prefixes "$whole") && heedless "rx_control=40 control_malformed=40" ||
			return
	done
}

malformed() {
	local echo=$((16#$NONCE)) many

	printf -v many '0c200000%.0s' {1..17}
	mark
	by_port $FRIEND "$(control magic=434e4742)" "$(control magic=00000000)" \
		"$(control count=1)" "$(control type=2 flags=0 echo=$echo count=3 records=0c20000005200000)" \
		"$(control type=2 flags=0 echo=$echo count=17 "records=$many")" \
		"$(control type=2 flags=0 echo=$echo count=255 "records=$many")" &&
		heedless "rx_control=6 control_malformed=6"
}

other_version() {
	mark
	by_port $FRIEND "$(control version=0)" "$(control version=2 type=9)" \
		"$(control version=255 type=3 flags=0 "echo=$((16#$NONCE))")" || return
	counted "rx_control=3 control_version=3"
}

# A probe must come from a neighbour.
unknown_type() {
	mark
	by_port $FRIEND "$(control type=0)" "$(control type=5)" \
		"$(control type=4 records="$(printf '%048d' 0)")" \
		"$(control type=255 "echo=$((16#$NONCE))")" &&
		heedless "rx_control=4 control_type=4"
}

# IPv6 has no datagrams without a checksum.
wrong_sum() {
	local bye

	bye=$(control type=3 flags=0 "echo=$((16#$NONCE))")
	mark
	by_port $FRIEND -x 1234 "$bye" "$(control)" && by_port $FRIEND6 -x 1234 "$bye" "$(control)" &&
		by_port $FRIEND6 -x 0 "$(control)" &&
		heedless "rx_control=5 control_malformed=5" || return
	mark
	by_port $FRIEND -x 0 "$(control)" && counted "rx_control=1 hello_answered=1"
}

hello_off() {
	conga 0 fabric set hello off || return
	mark
	# shellcheck disable=SC2046
	by_port $FRIEND $(kinds "$NONCE") && heedless "rx_control=4 control_plain_leaf=4" && rounds 1
}

# Without a route to the leaf there is no uplink by which an answer could leave.
# shellcheck disable=SC2046 # the words of a route
no_way_back() {
	local addr

	for addr in $FRIEND $FRIEND6; do
		ip -n "${LEAF[0]}" route del "$addr" || return
		mark
		by_port "$addr" "$(control)" && counted "rx_control=1 control_unsent=1" || return
		ip -n "${LEAF[0]}" route add $(route_words "$addr") || return
		mark
		by_port "$addr" "$(control)" && counted "rx_control=1 hello_answered=1" || return
	done
}

# The stamp of a local process is cleared, so on the wire it is no control packet.
local_process() {
	look
	mark
	# shellcheck disable=SC2046
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -u "$NOBODY" -s "${VTEP[0]}" $FRIEND $(kinds "$NONCE") &&
		heedless "tx_forged=4" && busywait 20000 four_cleared
}

four_cleared() {
	local i count=0

	for i in 0 1; do
		count=$((count + $(said $i 08000000fffffe00434e4741 | wc -l)))
	done
	((count == 4)) || fail "$count of 4 forged control packets were cleared"
}

data_packets() {
	mark
	by_side $FRIEND -p $DATA_PORT $FORGED_DATA && by_port $STRANGER -p $DATA_PORT $FORGED_DATA &&
		by_port $PLAIN -p $DATA_PORT $FORGED_DATA && by_side $FRIEND6 -p $DATA_PORT $FORGED_DATA &&
		by_port $STRANGER6 -p $DATA_PORT $FORGED_DATA && by_port $PLAIN6 -p $DATA_PORT $FORGED_DATA &&
		heedless "rx_stamped=6 rx_not_port=2 rx_unknown_leaf=2 rx_plain_leaf=2"
}

# ---- tests: accepted packets ----

# leaf_is ADDRESS STATE REASON: the tool shows this state
leaf_is() {
	local seen

	seen=$(conga 0 -j leaf show | jq -r ".[] | select(.addr == \"$1\") | .state + \" \" + .reason")
	[[ $seen == "$2 $3" ]] || fail "$1 is $seen, expected: $2 $3"
}

# Sends the answer of leaf AUTO, which then is conga for at least one interval.
auto_answers() {
	ask $AUTO || return
	mark
	by_port $AUTO "$(control flags=0 "echo=$((16#$NONCE))")" && counted "rx_control=1 $1" &&
		leaf_is $AUTO conga answers
}

answered() {
	conga 0 leaf add $AUTO && rounds 1 && leaf_is $AUTO waiting waiting &&
		auto_answers "hello_heard=1 leaf_up=1"
}

# On a slow machine the leaf may have become silent meanwhile.
auto_conga() {
	auto_answers "hello_heard=1" || auto_answers "hello_heard=1 leaf_up=1" ||
		auto_answers "hello_heard=1"
}

# in_time COMMAND...: on a slow computer the leaf may become silent in the middle of it, which
# empties its tables. The command then has up to two more tries.
in_time() {
	"$@" || "$@" || "$@"
}

# The leaf is conga. LBTag 5 and 12 are uplinks, 6, 16 and 255 are not.
feedback_is_accepted() {
	local records=05e000000c20000006e0000010e00000ffe00000

	auto_conga || return
	mark
	by_port $AUTO "$(control type=2 flags=0 "echo=$((16#$NONCE))" count=5 records=$records)" &&
		counted "feedback_received=2 feedback_ignored=3 rx_control=1 explicit_received=1" &&
		table_has 0 to-leaf $AUTO 5 12 && fed_back 0 $AUTO 5=7 12=1
}

said_bye() {
	auto_conga || return
	mark
	by_port $AUTO "$(control type=3 flags=0 "echo=$((16#$NONCE))")" &&
		counted "rx_control=1 bye_received=1 leaf_bye=1" && leaf_is $AUTO plain bye || return
	# An answer that was in transit arrives too late.
	mark
	by_port $AUTO "$(control flags=0 "echo=$((16#$NONCE))")" &&
		heedless "rx_control=1 control_nonce=1"
}

# ---- tests: many ----

# The test starts with an empty state: the answers of the leaf are forgotten.
friend_anew() {
	conga 0 leaf set $FRIEND mode plain && conga 0 leaf set $FRIEND mode conga
}

answers_limited() {
	friend_anew || return
	mark
	by_port $FRIEND -r 200 "$(control)" &&
		counted "rx_control=200 hello_answered=$ANSWERS control_limited=$((200 - ANSWERS))"
}

# A hello interval may begin in the middle of this test.
limited() {
	local count

	look
	answers_limited || answers_limited || return
	count=$(busywait 20000 answers_heard)
	echo "# $count answers to 200 hellos"
	((count >= ANSWERS && count <= 3 * ANSWERS)) || fail "$count answers were sent"
}

# These packets echo the default nonce of the library control_packets.sh.
answers_heard() {
	local count

	count=$(said 0 '434e474101010400.*00001230........00000000$' | wc -l)
	echo "$count"
	((count >= ANSWERS))
}

# A hello interval may begin in the middle: the test then runs once more, in an interval of its
# own.
wrong_limited() {
	wrong_in_interval || wrong_in_interval
}

wrong_in_interval() {
	conga 0 leaf set $AUTO mode plain && conga 0 leaf set $AUTO mode auto && rounds 1 &&
		wrong_counted
}

# No leaf sent these goodbye messages: all are counted, and only the right answer among the last
# of them is accepted. They are sent at once, so that one hello interval is usually enough for them.
wrong_counted() {
	local bye wrong

	bye=$(control type=3 flags=0 "echo=0x$RUBBISH")
	mapfile -t wrong < <(yes "$bye" | head -n $((MANY - 1)))
	ask $AUTO || return
	mark
	by_port $AUTO "${wrong[@]}" "$(control flags=0 "echo=$((16#$NONCE))")" "$bye" &&
		counted "rx_control=$((MANY + 1)) hello_heard=1 control_nonce=$WRONG control_limited=$((MANY - WRONG)) leaf_up=1" &&
		leaf_is $AUTO conga answers
}

readonly STORM=${STORM:-1000000} STORM_BEFORE=100000
readonly STORM_GROWTH_KIB=4000	# a leak of four bytes a packet would be more

slab_kib() {
	awk '$1 == "Slab:" { print $2 }' /proc/meminfo
}

# storm COUNT: sends COUNT packets, as many of each kind; half of them come from senders that
# could be accepted
# shellcheck disable=SC2046
storm() {
	local bad count=$(($1 / 4))

	bad=$(printf '%s\n' $(kinds "$RUBBISH") "$(control magic=0)" "$(control version=2)" \
		"$(control type=9)" "$(control count=16)" ${CONTROL}434e)
	by_port $FRIEND -r $count $bad && by_port $FRIEND6 -r $count $bad &&
		by_port $PLAIN -r $count $bad && by_port $STRANGER -r $count $bad
}

# Adds up the words of the growth of the counters that begin with NAME.
grown_by() {
	growth | tr ' ' '\n' | awk -F= -v name="^($1)\$" '$1 ~ name { sum += $2 } END { print sum + 0 }'
}

all_arrived() {
	(($(grown_by rx_control) == $1))
}

stormed() {
	local before after came told rounds

	# The leaf in mode auto becomes silent in a long storm.
	conga 0 leaf del $AUTO && storm $STORM_BEFORE || return
	conga 0 leaf set $FRIEND6 mode plain && conga 0 leaf set $FRIEND6 mode conga && friend_anew
	before=$(slab_kib)
	mark
	began=$SECONDS
	storm $STORM || return
	busywait 60000 all_arrived $STORM ||
		fail "only $(grown_by rx_control) of $STORM control packets arrived" || return
	after=$(slab_kib)
	rounds=$(((SECONDS - began) / 9 + 2))
	came=$(grown_by rx_control)
	told=$(grown_by 'control_.*|hello_answered|hello_heard|explicit_received|bye_received')
	echo "# $came packets in $((SECONDS - began)) s: $(growth); slab $before KiB before, $after after"
	((told == came)) || fail "of $came packets $told are counted by reason" || return
	(($(grown_by hello_answered) <= 2 * ANSWERS * rounds)) ||
		fail "$(grown_by hello_answered) answers were sent in $rounds intervals" || return
	((after - before < STORM_GROWTH_KIB)) ||
		fail "the slab memory grew from $before to $after KiB" || return
	# The tool reports that a leaf may have another version, and reports nothing else.
	[[ $(state | sed 's/"version"/"ordered"/g') == "$STATE" ]] ||
		fail "the state of the leaf is $(state), it was $STATE"
}

require_root
require_commands ip tcpdump ethtool jq awk nsenter
require_module
tap_plan 25
setup || die "the fabric cannot be set up"
tap_test "each uplink sends a hello with the right bytes" hellos
tap_test "an answer has the right bytes, and leaves by the uplink of the request" answer_bytes
tap_test "explicit feedback has the right bytes" feedbacks
tap_test "each uplink sends a goodbye message with the right bytes" byes
tap_test "checksums of control packets are right" sums_true
tap_test "a control packet by a device that is no port is counted, and changes nothing" other_device
tap_test "a control packet of an unknown sender is counted, and changes nothing" unknown_source
tap_test "a control packet of a plain leaf is counted, and changes nothing" plain_source
tap_test "a control packet of a leaf with an unknown nonce is counted, and changes nothing" \
	wrong_nonce
tap_test "a control packet with half a nonce is counted; a hello with half a nonce is answered" \
	half_nonce
tap_test "a control packet truncated at any length is counted, and changes nothing" truncated
tap_test "wrong magic, or more records than bytes, is counted, and changes nothing" malformed
tap_test "a control packet of another version is counted" other_version
tap_test "a control packet of an unknown type is counted, and changes nothing" unknown_type
tap_test "a control packet with a wrong UDP checksum is counted, and changes nothing" wrong_sum
tap_test "with hello off a control packet is counted, and changes nothing" hello_off
tap_test "a hello that has no way back is counted, and not answered" no_way_back
tap_test "a control packet of a local process is cleared and counted" local_process
tap_test "stamped data of other senders is counted, and changes nothing" data_packets
tap_test "an answer with the right nonce makes the leaf conga" answered
tap_test "feedback with the right nonce is accepted" in_time feedback_is_accepted
tap_test "a goodbye message with the right nonce makes the leaf plain" in_time said_bye
tap_test "answers per interval are limited to what a leaf needs" limited
tap_test "the right nonce is accepted among many wrong ones" wrong_limited
tap_test "$STORM control packets at once are exactly counted, and no memory grows" stormed
tap_exit
