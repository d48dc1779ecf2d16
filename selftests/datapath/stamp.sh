#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bytes on the wire: packets of the fabric have a stamp, and all other packets have none. Unknown
# bits in incoming packets pass untouched and are counted, stamped packets are cleared and
# delivered whichever node sent them, and no local process can forge a stamp.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/tcp.sh"
. "$TESTS/lib/tables.sh"

# One uplink per spine, and an underlay of 1500 bytes under hosts of 1500.
TOPO_LINKS=1
TOPO_FABRIC_MTU=1500

readonly -a TAG0=(5 9) TAG1=(2 12)	# LBTags of the leaves, by spine
readonly VTEP6_0=fd00::11 VTEP6_1=fd00::12
readonly STRANGER=10.7.7.7 STRANGER6=fd07::7 PLAIN_LEAF=10.9.9.9
readonly OTHER_PORT=8472		# a port of the fabric, but not of a vxlan device
readonly GPE_PORT=4790
readonly NOBODY=65534

# These are VXLAN headers with VNI 100. The stamp has LBTag 5, CE 3, feedback for LBTag 2 and
# metric 6. The forged one has LBTag 4, CE 7, feedback for LBTag 12 and metric 1.
readonly VNI=00006400 CONTROL_VNI=fffffe00 BODY=c0ffee00
readonly BLANK=08000000$VNI$BODY STAMPED=08572d00$VNI$BODY FORGED=084fc300$VNI$BODY

# ---- set up ----

# IPv6 exists beside the IPv4 underlay, by both spines, and one link is no port.
v6_leaf() {
	local l=$1 s k

	echo "address add fd00::1$((1 + l))/128 dev lo nodad"
	for s in 0 1; do
		k=$((l * 2 + s))
		echo "address add fd01:0:0:$k::/127 dev up$s nodad"
	done
	k=$((l * 2))
	echo "route add fd00::1$((2 - l))/128 nexthop via fd01:0:0:$k::1 dev up0 \
nexthop via fd01:0:0:$((k + 1))::1 dev up1"
}

v6_spine() {
	local s=$1 l k

	for l in 0 1; do
		k=$((l * 2 + s))
		echo "address add fd01:0:0:$k::1/127 dev down$l.0 nodad"
		echo "route add fd00::1$((1 + l))/128 via fd01:0:0:$k:: dev down$l.0"
	done
}

v6_up() {
	local i

	for i in 0 1; do
		v6_leaf $i | ip -n "${LEAF[i]}" -batch - || return
		v6_spine $i | ip -n "${SPINE[i]}" -batch - || return
	done
}

hosts_may_be_cut() {
	local ns

	for ns in "${HOST[@]}"; do
		in_ns "$ns" sysctl -qw net.ipv4.ip_no_pmtu_disc=1 || return
	done
}

# Tage is long, so that learnt metrics stay in the tables. The rate is such that no burst of the
# test raises CE.
leaf_up() {
	local l=$1
	local -n tags=TAG$l

	conga_batch "${LEAF[l]}" <<-END
		fabric add $QUIET age 10s dstport 4789 dstport $GPE_PORT dstport $OTHER_PORT
		port add up0 role uplink rate 1tbit tag ${tags[0]}
		port add up1 role uplink rate 1tbit tag ${tags[1]}
		leaf add ${VTEP[1 - l]} mode conga
		leaf add fd00::1$((2 - l)) mode conga
		leaf add $PLAIN_LEAF mode plain
	END
}

# The DRE of spine 1 towards leaf 1 is full after 125,000 bytes.
spines_up() {
	FABRIC_RATE=1tbit
	fabric_spine 0 && fabric_spine 1 && conga_batch "${SPINE[1]}" <<-END
		fabric set tdre 100ms dstport 4789 dstport $GPE_PORT
		port set down1.0 rate 1mbit
	END
}

# All packets to a UDP port without a tunnel on leaf 1 go to the file "heard".
listen() {
	"$TESTS/tools/udp_listen" "${LEAF[1]}" "$OTHER_PORT" >"$TOPO_DIR/heard" &
	busywait 20000 grep -q listening "$TOPO_DIR/heard"
}

mac_of() {
	ip -n "$1" -br link show "$2" | awk '{ print $3 }'
}

setup() {
	topo_up && v6_up && tunnel_says_nothing && hosts_may_be_cut || return
	ip link add side netns "${HOST[0.0]}" up type veth peer name side netns "${LEAF[1]}" &&
		ip -n "${LEAF[1]}" link set side up || return
	MAC=$(mac_of "${LEAF[1]}" up0) MAC_SIDE=$(mac_of "${LEAF[1]}" side)
	MAC_SPINE=$(mac_of "${SPINE[0]}" down0.0)
	leaf_up 0 && leaf_up 1 && spines_up && listen && sink_up
}

# ---- sending and hearing ----

# by_port SOURCE DESTINATION DATAGRAM...: sends past spine 0's IP layer into leaf 1
by_port() {
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down1.0 -m "$MAC" -p "$OTHER_PORT" -s "$@"
}

by_side() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -d side -m "$MAC_SIDE" -p "$OTHER_PORT" -s "$@"
}

heard_lines() {
	(($(wc -l <"$TOPO_DIR/heard") >= $1))
}

# heard COUNT: prints the COUNT datagrams that leaf 1 received since the last call, in one line. A
# marker, which no counter counts, is sent after them.
heard() {
	local marker all

	MARKED=$((MARKED + 1))
	printf -v marker '08000000%06x00' "$MARKED"
	busywait 20000 heard_lines $((LINES_READ + $1))
	by_port "$STRANGER" "${VTEP[1]}" "$marker" || return
	busywait 20000 grep -qx "$marker" "$TOPO_DIR/heard" || return
	mapfile -t -s "$LINES_READ" all <"$TOPO_DIR/heard"
	LINES_READ=$((LINES_READ + ${#all[@]}))
	HEARD=${all[*]}
	HEARD=${HEARD%"$marker"}
	HEARD=${HEARD% }
}

# heard_is DATAGRAMS COUNTERS: leaf 1 received these datagrams, and its counters grew accordingly.
# The counters may lag if no datagram is expected.
heard_is() {
	local -a datagrams

	read -r -a datagrams <<<"$1"
	heard ${#datagrams[@]} || fail "leaf 1 received no datagrams" || return
	[[ $HEARD == "$1" ]] ||
		fail "leaf 1 received ${HEARD:0:200}, expected: ${1:0:200}" || return
	busywait 2000 stats_moved "${LEAF[1]}" "$2" || stats_moved "${LEAF[1]}" "$2"
}

# Prints both tables of leaf 1 for all leaves, without the fields that time changes: ages, and the
# metric of a to-leaf row, which is the row without "changed".
tables() {
	printf 'table show %s\n' to-leaf from-leaf | "$CONGA" -n "${LEAF[1]}" -j -b - |
		sed -E 's/,"age_ns":[0-9]+//g; s/,"metric":[0-9]+}/}/g'
}

tables_marked() {
	TABLES=$(tables)
	stats_mark "${LEAF[1]}"
}

tables_unchanged() {
	[[ $(tables) == "$TABLES" ]] || fail "the tables of leaf 1 changed: $(tables), before: $TABLES"
}

# ---- foreign packets pass ----

foreign_passes() {
	local gbp=88000123$VNI$BODY byte7=0857210000006401$BODY
	local absent=08f60000$VNI$BODY byte3=08000080$VNI$BODY gpe=0cf60001$VNI$BODY
	local flags=0a000000$VNI$BODY

	tables_marked
	by_port "${VTEP[0]}" "${VTEP[1]}" "$gbp" "$byte7" "$absent" "$byte3" "$gpe" "$flags" &&
		heard_is "$gbp $byte7 $absent $byte3 $gpe $flags" "rx_foreign=6" &&
		tables_unchanged
}

malformed_passes() {
	local zero=00000000$VNI$BODY stamped=00572d00$VNI$BODY

	tables_marked
	by_port "${VTEP[0]}" "${VTEP[1]}" "$zero" "$stamped" &&
		heard_is "$zero $stamped" "rx_malformed=2" && tables_unchanged
}

truncated_passes() {
	tables_marked
	by_port "${VTEP[0]}" "${VTEP[1]}" 08572d00000064 08 - &&
		by_port "$VTEP6_0" "$VTEP6_1" 08572d00000064 &&
		heard_is "08572d00000064 08 - 08572d00000064" "rx_truncated=4" && tables_unchanged
}

# Plain VXLAN and GPE without a stamp are ordinary: no counter grows.
blank_passes() {
	tables_marked
	by_port "${VTEP[0]}" "${VTEP[1]}" "$BLANK" "0c000001$VNI$BODY" "08000000$CONTROL_VNI" &&
		heard_is "$BLANK 0c000001$VNI$BODY 08000000$CONTROL_VNI" "" && tables_unchanged
}

# ---- stamped packets are cleared ----

stranger_teaches_nothing() {
	tables_marked
	by_port "$STRANGER" "${VTEP[1]}" "$STAMPED" &&
		by_port "$STRANGER6" "$VTEP6_1" "$STAMPED" &&
		heard_is "$BLANK $BLANK" "rx_stamped=2 rx_unknown_leaf=2" && tables_unchanged
}

plain_leaf_teaches_nothing() {
	tables_marked
	by_port "$PLAIN_LEAF" "${VTEP[1]}" "$STAMPED" &&
		heard_is "$BLANK" "rx_stamped=1 rx_plain_leaf=1" && tables_unchanged
}

other_device_teaches_nothing() {
	tables_marked
	by_side "${VTEP[0]}" "${VTEP[1]}" "$STAMPED" &&
		by_side "$VTEP6_0" "$VTEP6_1" "$STAMPED" &&
		heard_is "$BLANK $BLANK" "rx_stamped=2 rx_not_port=2" && tables_unchanged
}

control_is_consumed() {
	local control=08000100$CONTROL_VNI$BODY

	tables_marked
	by_port "${VTEP[0]}" "${VTEP[1]}" "$control" "0c000101$CONTROL_VNI" &&
		by_port "$STRANGER" "${VTEP[1]}" "$control" &&
		by_side "${VTEP[0]}" "${VTEP[1]}" "$control" &&
		by_port "$VTEP6_0" "$VTEP6_1" "$control" &&
		heard_is "" "rx_control=5 control_not_port=1 control_unknown_leaf=1 control_plain_leaf=3" &&
		tables_unchanged
}

# table_row TABLE LEAF TAG: prints the metric in that row of leaf 1
table_row() {
	"$CONGA" -n "${LEAF[1]}" -j table show "$1" leaf "$2" |
		sed -n "s/.*{\"tag\":$3,\"metric\":\([0-9]*\),.*/\1/p"
}

# learnt FROM: both tables have the metrics of STAMPED
learnt() {
	[[ $(table_row from-leaf "$1" 5) == 3 ]] ||
		fail "the from-leaf table lacks the metric 3: $(tables)" || return
	fed_back 1 "$1" "${TAG1[0]}=6"
}

# learnt_soon FROM COUNT: learnt from COUNT packets since the mark, which may take a while
learnt_soon() {
	busywait 20000 stats_grew "${LEAF[1]}" "rx_learnt=$2" && learnt "$1"
}

# This is the control of the tests above: the same bytes arrive from a conga leaf over a port.
# Byte 3 is cleared with the stamp, except in GPE.
leaf_teaches() {
	stats_mark "${LEAF[1]}"
	by_port "${VTEP[0]}" "${VTEP[1]}" "$STAMPED" "08572dff$VNI$BODY" "0c572d01$VNI$BODY" &&
		learnt_soon "${VTEP[0]}" 3 && by_port "$VTEP6_0" "$VTEP6_1" "$STAMPED" &&
		learnt_soon "$VTEP6_0" 4 &&
		heard_is "$BLANK $BLANK 0c000001$VNI$BODY $BLANK" \
			"feedback_received=4 rx_stamped=4 rx_learnt=4"
}

# LBTag 7 is no uplink of leaf 1, other than the one before.
unknown_tag_is_ignored() {
	stats_mark "${LEAF[1]}"
	by_port "${VTEP[0]}" "${VTEP[1]}" "$STAMPED" "08577d00$VNI$BODY" &&
		learnt_soon "${VTEP[0]}" 2 && heard_is "$BLANK $BLANK" \
			"feedback_received=1 feedback_ignored=1 rx_stamped=2 rx_learnt=2"
}

# ---- forging ----

# forge SOURCE DESTINATION WORD...: sends on leaf 0 without privileges
forge() {
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -u "$NOBODY" -p "$OTHER_PORT" -s "$@"
}

# forged_is DATAGRAMS FORGED [COUNTER]: leaf 1 received these datagrams and counted no stamp, and
# leaf 0 counted the forged ones
forged_is() {
	heard_is "$1" "" && stats_moved "${LEAF[0]}" "tx_forged=$2${3:+ $3}" && tables_unchanged
}

forging_marked() {
	tables_marked
	stats_mark "${LEAF[0]}"
}

datagrams_cannot_forge() {
	forging_marked
	forge "${VTEP[0]}" "${VTEP[1]}" "$FORGED" "084fc3ff$VNI$BODY" "$BLANK" &&
		forge "$VTEP6_0" "$VTEP6_1" "$FORGED" &&
		forged_is "$BLANK $BLANK $BLANK $BLANK" 3
}

# The datagrams are larger than a frame: the kernel builds them of pieces and sends fragments.
large_datagrams_cannot_forge() {
	local size=8000 zeros

	printf -v zeros '%0*d' $((size * 2 - ${#BLANK})) 0
	forging_marked
	forge "${VTEP[0]}" -l "$size" "${VTEP[1]}" "$FORGED" &&
		forge "$VTEP6_0" -l "$size" "$VTEP6_1" "$FORGED" &&
		forged_is "$BLANK$zeros $BLANK$zeros" 2
}

# The kernel holds one packet until the last moment, and its first datagram has no stamp.
segments_cannot_forge() {
	local size=100 zeros

	printf -v zeros '%0*d' $((size * 2 - ${#BLANK})) 0
	forging_marked
	forge "${VTEP[0]}" -g -l "$size" "${VTEP[1]}" "$BLANK" "$FORGED" "$BLANK" "$FORGED" &&
		forge "$VTEP6_0" -g -l "$size" "$VTEP6_1" "$BLANK" "$FORGED" &&
		forged_is "$(printf "%s$zeros\n" "$BLANK" "$BLANK" "$BLANK" "$BLANK" \
			"$BLANK" "$BLANK" | paste -sd" ")" 2 tx_copied=2
}

# This is the control: root sends the same bytes past the IP layer.
packets_can_forge() {
	stats_mark "${LEAF[1]}"
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m "$MAC_SPINE" -p "$OTHER_PORT" \
		-s "${VTEP[0]}" "${VTEP[1]}" "$FORGED" &&
		heard_is "$BLANK" "feedback_received=1 rx_stamped=1 rx_learnt=1" || return
	[[ $(table_row from-leaf "${VTEP[0]}" 4) == 7 ]] ||
		fail "the from-leaf table lacks the metric 7: $(tables)" || return
	fed_back 1 "${VTEP[0]}" 12=1
}

# ---- contents of our own packets ----

# Sends flows of one packet each from host to host.
readonly FLOWS=100 FLOW_BYTES=1000 SINK_PORT=9

sink_up() {
	"$TESTS/tools/udp_listen" "${HOST[1.0]}" "$SINK_PORT" >"$TOPO_DIR/sink" &
	busywait 20000 grep -q listening "$TOPO_DIR/sink"
}

sink_has() {
	(($(wc -l <"$TOPO_DIR/sink") == $1))
}

# flows_cross COUNT BYTES: sends flows, all of which arrive
flows_cross() {
	local before

	before=$(wc -l <"$TOPO_DIR/sink")
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$1" -l "$2" -p "$SINK_PORT" "${HOST_IP[1.0]}" - ||
		return
	busywait 60000 sink_has $((before + $1)) ||
		fail "$(($(wc -l <"$TOPO_DIR/sink") - before)) of $1 datagrams arrived"
}

# Prints the first words of the VXLAN headers of a capture, in order.
words_of() {
	capture_headers "$1" "${LEAF[0]}" | awk '{ print substr($2, 1, 8) }'
}

# WORDS[NAME] holds the words that left leaf 0 by each uplink, and those that reached leaf 1.
declare -A WORDS=()

flows_captured() {
	local i name filter="src host ${VTEP[0]} and udp port 4789"

	for i in 0 1; do
		capture_start "out$i" "${LEAF[0]}" "up$i" "$filter" || return
		capture_start "in$i" "${LEAF[1]}" "up$i" "$filter" || return
		stats_mark "${LEAF[i]}"
		stats_mark "${SPINE[i]}"
	done
	flows_cross "$FLOWS" "$FLOW_BYTES" || return
	for name in {out,in}{0,1}; do
		capture_stop "$name" || return
		WORDS[$name]=$(words_of "$name")
	done
}

# words_are NAME EXPRESSION COUNT: the expression is true for COUNT words W
words_are() {
	local W count=0

	for W in ${WORDS[$1]}; do
		W=0x$W
		((count += ($2) != 0))
	done
	((count == $3)) ||
		fail "$1: $count headers match $2, expected: $3, of ${WORDS[$1]//$'\n'/ }"
}

# These expressions use W.
readonly TAG='(W >> 20 & 15)'
readonly CE='((W >> 17 & 7) << 3 | (W >> 5 & 7))'	# CE has six bits
readonly IS_STAMPED='(W >> 24 == 8 && (W & 0x100))'

tags_are_of_the_port() {
	local i used

	flows_captured || return
	for i in 0 1; do
		used=$(wc -w <<<"${WORDS[out$i]}")
		((used)) || fail "uplink up$i was not used" || return
		words_are "out$i" "$IS_STAMPED && $TAG == ${TAG0[i]}" "$used" || return
	done
	stats_grew "${LEAF[0]}" "tx_stamped=$FLOWS" && stats_grew "${LEAF[1]}" "rx_learnt=$FLOWS"
}

# This test uses the previous captures. The slow port of spine 1 raises CE, and no other port
# does.
ce_is_raised_by_the_spine() {
	local raised

	raised=$(stats_growth "${SPINE[1]}")
	[[ $raised =~ ^ce_raised=([0-9]+)$ ]] ||
		fail "counters of spine 1 moved by: $raised" || return
	raised=${BASH_REMATCH[1]}
	stats_moved "${SPINE[0]}" "" && words_are out0 "$CE" 0 && words_are out1 "$CE" 0 &&
		words_are in0 "$CE" 0 && words_are in1 "$CE" "$raised" &&
		words_are in1 "W & 0xff" 0 && ce_is_learnt 3
}

# ce_is_learnt BITS: the metric in the table is the last CE on the wire
ce_is_learnt() {
	local W=0x${WORDS[in1]##*$'\n'} metric

	metric=$(table_row from-leaf "${VTEP[0]}" "${TAG0[1]}")
	# shellcheck disable=SC2004 # an expression, not a variable
	(($CE >> (6 - $1) && metric == $CE >> (6 - $1))) || fail "$W was learnt as $metric"
}

fabrics_set() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGA" -n "$ns" fabric set "$@" || return
	done
}

# A metric has six bits: the lower three are in byte 3.
low_bits_are_carried() {
	flows_captured && words_are out1 "$CE" 0 && ce_is_learnt 6 || return
	[[ ${WORDS[in1]} =~ [1-9a-f][0-9a-f]($'\n'|$) ]] ||
		fail "no header uses byte 3: ${WORDS[in1]}"
}

byte_3_has_low_bits() {
	local status=0

	fabrics_set q 6 && low_bits_are_carried || status=1
	fabrics_set q 3 && return "$status"
}

# ---- GPE ----

readonly GPE_STAMPED='udp[8] = 0x0c and udp[10] & 1 = 1 and udp[11] = 1'

gpe_up() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" -batch - <<-END || return
			link add gpe up type vxlan dstport $GPE_PORT external gpe
			address add 10.99.0.1$((1 + l))/32 dev gpe
			route add 10.99.0.1$((2 - l))/32 encap ip id 77 src ${VTEP[l]} dst ${VTEP[1 - l]} ttl 64 dev gpe
		END
	done
}

# Byte 3 is the next protocol of GPE: 1 is IPv4. The tunnel itself drops a packet that has any
# other bits.
gpe_is_stamped() {
	local count=10 seen i

	gpe_up 2>"$TOPO_DIR/gpe" ||
		fail "the GPE tunnel cannot be created: $(<"$TOPO_DIR/gpe")" || return
	for i in 0 1; do
		capture_start "gpe$i" "${LEAF[1]}" "up$i" \
			src host "${VTEP[0]}" and udp dst port "$GPE_PORT" || return
		stats_mark "${LEAF[i]}"
	done
	ping_crosses "${LEAF[0]}" "$count" 10.99.0.12 || return
	capture_stop gpe0 && capture_stop gpe1 || return
	seen=$(($(capture_count gpe0 "$GPE_STAMPED") + $(capture_count gpe1 "$GPE_STAMPED")))
	((seen == count)) || fail "$seen of $count packets are stamped and keep byte 3" || return
	stats_grew "${LEAF[0]}" "tx_stamped=$count" && stats_grew "${LEAF[1]}" "rx_learnt=$count"
}

# ping_crosses NAMESPACE COUNT WORD...: every ping is answered
ping_crosses() {
	local said

	said=$(in_ns "$1" ping -q -c "$2" -i 0.01 -W 5 "${@:3}")
	[[ $said == *" $2 received"* ]] || fail "not all pings were answered: ${said##*---}"
}

# ---- fragments ----

readonly FULL_UDP=1472		# bytes: with headers a frame of 1500 bytes

# The underlay has no room for 50 more bytes. Every ping and datagram is reassembled, stamped and
# learnt; TCP without path MTU discovery arrives.
fragments_v4_arrive() {
	local count=20 before after

	before=$(snmp_of "${LEAF[1]}" IpReasmOKs)
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	ping_crosses "${HOST[0.0]}" "$count" -M "dont" -s "$FULL_UDP" "${HOST_IP[1.0]}" &&
		flows_cross "$count" "$FULL_UDP" || return
	after=$(snmp_of "${LEAF[1]}" IpReasmOKs)
	((after - before == 2 * count)) || fail "IpReasmOKs grew by $((after - before))" || return
	stats_grew "${LEAF[0]}" "tx_stamped=$((2 * count))" &&
		stats_grew "${LEAF[1]}" "rx_stamped=$((2 * count))" &&
		stats_grew "${LEAF[1]}" "rx_learnt=$((2 * count))" &&
		tcp_crosses -C 1e9 -n 1 -c 1 -S 200000 -D 20 &&
		((after < $(snmp_of "${LEAF[1]}" IpReasmOKs)))
}

# Linux does not fragment VXLAN over IPv6, but other systems may. In this test a node without
# conga sends fragments with the address of leaf 0, on a link that is a port.
other_leaf_up() {
	ip -n "${HOST[0.0]}" -batch - <<-END &&
		address add $VTEP6_0/128 dev side nodad
		neighbour add $VTEP6_1 lladdr $MAC_SIDE dev side nud permanent
		route add $VTEP6_1/128 dev side
	END
		"$CONGA" -n "${LEAF[1]}" port add side role transit rate 10gbit
}

# This header has LBTag 3, CE 5 and no feedback; it is in the first of three fragments.
fragments_v6_arrive() {
	local size=4000 zeros before

	printf -v zeros '%0*d' $((size * 2 - ${#BLANK})) 0
	other_leaf_up || return
	before=$(snmp_of "${LEAF[1]}" Ip6ReasmOKs)
	stats_mark "${LEAF[1]}"
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -s "$VTEP6_0" -l "$size" -p "$OTHER_PORT" \
		"$VTEP6_1" "083a0100$VNI$BODY" &&
		heard_is "$BLANK$zeros" "rx_stamped=1 rx_learnt=1" || return
	(($(snmp_of "${LEAF[1]}" Ip6ReasmOKs) == before + 1)) ||
		fail "the fragments were not reassembled" || return
	[[ $(table_row from-leaf "$VTEP6_0" 3) == 5 ]] ||
		fail "the from-leaf table lacks the metric 5: $(tables)"
}

held_is_stamped() {
	pktgen_load || { why "no pktgen"; return "$KSFT_SKIP"; }
	stats_mark "${LEAF[0]}"
	pktgen_send "${LEAF[0]}" vx "count 5" "pkt_size 100" "dst_mac ${HOST_MAC[1.0]}" \
		"dst ${HOST_IP[1.0]}" || fail "pktgen did not send" || return
	stats_grew "${LEAF[0]}" tx_stamped=5
}

require_root
require_commands ip tc bridge tcpdump ping nstat sysctl nsenter
require_module
tap_plan 21
MARKED=0 LINES_READ=1
setup || die "the fabric cannot be set up"
tap_test "foreign VXLAN passes unchanged" foreign_passes
tap_test "malformed VXLAN passes unchanged" malformed_passes
tap_test "truncated VXLAN passes unchanged" truncated_passes
tap_test "VXLAN without a stamp passes uncounted" blank_passes
tap_test "a stamp of an unknown sender is cleared, and teaches nothing" stranger_teaches_nothing
tap_test "a stamp of a plain leaf is cleared, and teaches nothing" plain_leaf_teaches_nothing
tap_test "a stamp by a device that is no port is cleared, and teaches nothing" other_device_teaches_nothing
tap_test "control packets are consumed, whoever sent them" control_is_consumed
tap_test "a stamp of a conga leaf is cleared, and learnt from" leaf_teaches
tap_test "feedback about an LBTag that no uplink has is ignored" unknown_tag_is_ignored
tap_test "an unprivileged process cannot forge stamps by datagrams" datagrams_cannot_forge
tap_test "an unprivileged process cannot forge stamps by datagrams larger than a frame" \
	large_datagrams_cannot_forge
tap_test "an unprivileged process cannot forge stamps by segments of one large send" \
	segments_cannot_forge
tap_test "root can forge stamps by packet sockets" packets_can_forge
tap_test "every LBTag is that of the port that the packet left by" tags_are_of_the_port
tap_test "only the congested port of the spine raises CE" ce_is_raised_by_the_spine
tap_test "with q 6 byte 3 has the lower bits of CE" byte_3_has_low_bits
tap_test "GPE is stamped, and its next protocol is unchanged" gpe_is_stamped
tap_test "a packet that its sender still holds is stamped" held_is_stamped
tap_test "outer IPv4 fragments are stamped and learnt from" fragments_v4_arrive
tap_test "outer IPv6 fragments are stamped and learnt from" fragments_v6_arrive
tap_exit
