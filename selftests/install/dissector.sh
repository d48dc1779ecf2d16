#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dissector.sh - tests userspace/dist/wireshark/conga.lua with tshark: the values that it reads
# from the packets of a small fabric are those that the module reported, and the golden bytes have
# the meaning that golden.sh gives them. It runs on the host, with a recording beside the
# dissector:
#
#	selftests/vm/run -- selftests/install/dissector.sh record | base64 -d |
#		tar -xzC userspace/dist/wireshark
#
# This command makes the recording again: the packets that the spine forwarded to the leaves
# (recorded.pcap), and the output of the leaves at the end (recorded.json).

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"

readonly DISSECTOR=${DISSECTOR:-$TESTS/../userspace/dist/wireshark/conga.lua}
readonly PCAP=$TESTS/../userspace/dist/wireshark/recorded.pcap
readonly SAID=$TESTS/../userspace/dist/wireshark/recorded.json

# ---- in the virtual machine ----

TOPO_SPINES=1

readonly PORT_RATE=1mbit HELLO=20ms PROBE=20ms
readonly PINGS=10 PAYLOAD=900 PROBES=20
readonly PATIENCE_MS=20000 TRANSIT_US=50000

record_fabrics() {
	local l

	for l in 0 1; do
		conga_batch "${LEAF[l]}" <<-END || return
			fabric add q 3 tdre 10ms alpha 0.5 age 10s hello $HELLO leaf-id 0xc0de000$l
			port add up0 role uplink rate $PORT_RATE tag 3
			port add up1 role uplink rate $PORT_RATE tag 12
			leaf add ${VTEP[1 - l]} mode conga
		END
	done
	conga_batch "${SPINE[0]}" <<-END
		fabric add q 3 tdre 10ms alpha 0.5 age 10s hello off
		port add down0.0 role transit rate $PORT_RATE
		port add down0.1 role transit rate $PORT_RATE
		port add down1.0 role transit rate $PORT_RATE
		port add down1.1 role transit rate $PORT_RATE
		leaf add ${VTEP[0]} mode plain
		leaf add ${VTEP[1]} mode plain
	END
}

pings() {
	in_ns "${HOST[0.0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 -s "$PAYLOAD" "${HOST_IP[1.0]}"
}

# counter LEAF NAME: prints a counter of the leaf
counter() {
	conga "$1" -j stats show | jq -r ".[0].$2"
}

counted() {
	(($(counter "$1" "$2") >= $3))
}

# soon_counted LEAF NAME LEAST: waits until the leaf has counted so many
soon_counted() {
	busywait "$PATIENCE_MS" counted "$@" || fail "$2 of leaf $1 is only $(counter "$1" "$2")"
}

# The spine announces itself while its hello is on; it has no leaf that it asks.
soon_announced() {
	"$CONGA" -n "${SPINE[0]}" fabric set hello 10s && soon_counted 0 announce_heard 1 &&
		"$CONGA" -n "${SPINE[0]}" fabric set hello off
}

received() {
	conga 0 -j stats show | jq -c '.[0] | [.rx_control, .rx_stamped]'
}

# Only packets that were in transit can make a difference.
received_all() {
	local before

	before=$(received) && poll_pause "$TRANSIT_US" && [[ $(received) == "$before" ]]
}

# The recording has stamps in both directions, feedback, queues, probes and a goodbye message.
record_traffic() {
	capture_start recorded "${SPINE[0]}" any -Q out "udp port 4789" && record_fabrics &&
		soon_counted 0 hello_answered 1 && soon_counted 1 hello_answered 1 &&
		soon_announced || return
	pings && "$CONGA" -n "${SPINE[0]}" fabric set policy tr && pings || return
	"$CONGA" -n "${SPINE[0]}" fabric set policy hula && conga 1 fabric set probe $PROBE &&
		soon_counted 0 probe_unwanted "$PROBES" && conga 1 fabric set probe off
}

# The goodbye message is the last packet to leaf 0.
record_end() {
	{
		conga 0 -j fabric show
		conga 1 -j fabric show
		conga 0 -j table show to-leaf
		conga 1 -j table show from-leaf
		conga 1 fabric del && soon_counted 0 bye_received 1 &&
			busywait "$PATIENCE_MS" received_all && conga 0 -j stats show
	} | jq -s '{leaf0: .[0][0], leaf1: .[1][0], to_leaf: .[2][0], from_leaf: .[3][0],
		stats: .[4][0]}' >"$TOPO_DIR/recorded.json" && capture_stop recorded
}

record() {
	module_load || die "no module"
	topo_up || die "cannot set up"
	{ record_traffic >/dev/null && record_end; } || die "cannot record: $TAP_WHY"
	tar -C "$TOPO_DIR" -cz recorded.pcap recorded.json | base64
}

# ---- on the host ----

# fields FILTER FIELD...: prints the fields of the packets that match, separated by tabs
fields() {
	local list=() field

	for field in "${@:2}"; do
		list+=(-e "$field")
	done
	tshark -X "lua_script:$DISSECTOR" -r "${FILE:-$PCAP}" "${OPTIONS[@]}" -Y "$1" -T fields \
		-E occurrence=a "${list[@]}" 2>"$SCRATCH/errors" ||
		fail "tshark failed: $(tail -n 1 "$SCRATCH/errors")"
}

# are "WHAT" EXPECTED ACTUAL: both are equal and not empty
are() {
	[[ $2 && $2 == "$3" ]] || fail "$1: the dissector reads \"$3\", the module wrote \"$2\""
}

said_by() {
	jq -r "$1" "$SAID"
}

count() {
	fields "$1" frame.number | wc -l
}

# ids SOURCE
ids() {
	fields "ip.src == $1 && conga.type" conga.leaf_id | sort -u | paste -sd' '
}

hellos() {
	local l

	for l in 0 1; do
		are "leaf ids" "$(said_by ".leaf$l.leaf_id" | xargs printf '0x%08x\n')" \
			"$(ids "10.0.0.1$((1 + l))")" || return
	done
	are q "$(said_by .leaf0.q)" "$(fields conga.type==1 conga.q | sort -u)"
}

# The receiver's table has the last CE of each LBTag.
congestion() {
	are "CE" "$(said_by '.from_leaf.rows | map("\(.tag) \(.metric)") | sort | join(",")')" \
		"$(fields "ip.dst == 10.0.0.12 && conga.lbtag && !conga.type" conga.lbtag conga.ce |
			awk '{ ce[$1] = $2 } END { for (t in ce) print t, ce[t] }' | sort | paste -sd,)"
}

# The leaf's table has the last report of each LBTag, in whichever packet it arrived.
feedback() {
	are "feedback" "$(said_by '.to_leaf.rows | map("\(.tag) \(.metric)") | sort | join(",")')" \
		"$({
			fields "ip.dst == 10.0.0.11 && conga.fb_lbtag" frame.number conga.fb_lbtag \
				conga.fb_metric
			fields "ip.dst == 10.0.0.11 && conga.record.lbtag" frame.number \
				conga.record.lbtag conga.record.metric |
				awk '{ n = split($2, t, ","); split($3, m, ",")
					for (i = 1; i <= n; i++) print $1, t[i], int(m[i] / 32) }'
		} | sort -n | awk '{ m[$2] = $3 } END { for (t in m) print t, m[t] }' |
			sort | paste -sd,)"
}

counters() {
	local to="ip.dst == 10.0.0.11"

	are "stamped packets" "$(said_by .stats.rx_stamped)" \
		"$(count "$to && conga.lbtag && !conga.type")" &&
		are "control packets" "$(said_by .stats.rx_control)" \
			"$(count "conga.type && ($to || conga.type >= 4 && ip.ttl == 255 && \
sll.ifindex in {$(links_to_leaf0)})")"
}

# While the spine's policy was tr, each answer carried a queue. Other packets of hosts may, too.
queues() {
	are "answers with a queue" "$PINGS" \
		"$(count "ip.dst == 10.0.0.11 && conga.queue_ns && !conga.type && icmp")"
}

# The names of the module's own devices exist in the namespace only, so its packets identify the
# device.
links_to_leaf0() {
	fields "ip.dst == 10.0.0.11" sll.ifindex | sort -u | paste -sd,
}

# Explicit feedback does not occur here: pings go in both directions.
types() {
	are types "1 3 4 5" "$(fields conga.type conga.type | sort -un | paste -sd' ')"
}

probes() {
	are origins "::ffff:10.0.0.12" "$(fields conga.type==4 conga.probe.origin | sort -u)" &&
		are hops 7 "$(fields conga.type==4 conga.probe.hops | sort -u)"
}

# The dissector of VXLAN still shows its header and the inner packet.
tunnel_is_shown() {
	[[ $(fields "conga.lbtag && !conga.type" vxlan.vni | sort -u) =~ ^[0-9]+$ ]] &&
		(($(count "conga.lbtag && icmp") > 0)) ||
			fail "the payload of stamped packets is not dissected" || return
	(($(count "conga.type && eth.dst && vxlan") == 0)) ||
		fail "a control packet is dissected as if it had a payload"
}

is_sound() {
	are "findings" 0 "$(count "_ws.malformed || _ws.lua.error || conga.short || conga.unknown")"
}

# ---- golden bytes ----

readonly WITHIN=02000000000402000000000388b5	# an Ethernet header

# octets HEX: prints the octets separated by blanks
octets() {
	# shellcheck disable=SC2001 # a blank after each pair
	sed 's/../& /g' <<<"$1"
}

# golden_file BYTES: makes a datagram with these bytes, to port 4789, or to 4790 for GPE; sets
# FILE
golden_file() {
	local port=12b5 bytes=$((${#1} / 2))

	[[ $1 != 0c* ]] || port=12b6
	{
		echo "000000 $(octets 0200000000020200000000010800)"
		echo "00000e $(octets "4500$(printf %04x $((28 + bytes)))0000000040110000")0a 00 00 01 0a 00 00 02"
		echo "000022 $(octets "c000$port$(printf %04x $((8 + bytes)))0000")"
		echo "00002a $(octets "$1")"
	} | text2pcap -q - "$FILE" 2>"$SCRATCH/errors"
}

# golden_is Q "LBTAG CE FB_LBTAG FB_METRIC QUEUE" HEADER
golden_is() {
	local FILE=$SCRATCH/golden.pcap OPTIONS=(-o "conga.q:$1")

	local read

	golden_file "$3$WITHIN" || return
	read=$(fields udp conga.lbtag conga.ce conga.fb_lbtag conga.fb_metric conga.queue_ns |
		tr '\t' ' ' | sed 's/ *$//')
	[[ $read == "$2" ]] || fail "$3 is read as \"$read\", expected \"$2\""
}

golden() {
	golden_is 3 "3 3" 08360100abcdef00 &&
		golden_is 3 "3 3 12 6" 0837cd00abcdef00 &&
		golden_is 3 "9 1 0 0" 08930100abcdef00 &&
		golden_is 3 "15 0 15 7" 08f1ff00abcdef00 &&
		golden_is 3 "3 3 12 6" 0c37cd0111223300
}

golden_q6() {
	golden_is 6 "3 25 12 53" 0837cd34abcdef00 &&
		golden_is 6 "9 12 0 0" 08930180abcdef00 &&
		golden_is 6 "15 6 15 63" 08f1ffdcabcdef00 &&
		golden_is 6 "3 24 12 48" 0c37cd0111223300
}

# The codes are 0, 1, 7 and 31 of queue.h; bits 1..0 are zero.
golden_queues() {
	golden_is 3 "3 3   0" 08360180abcdef00 &&
		golden_is 3 "3 3   256" 08360184abcdef00 &&
		golden_is 3 "3 3   3072" 0836019cabcdef00 &&
		golden_is 3 "3 3   12582912" 083601fcabcdef00 &&
		golden_is 3 "3 3" 08360181abcdef00
}

# control_is "VALUES" BYTES FIELD...
control_is() {
	local FILE=$SCRATCH/golden.pcap read

	golden_file "$2" || return
	read=$(fields udp "${@:3}" | tr '\t' ' ')
	[[ $read == "$1" ]] || fail "$2 is read as \"$read\", expected \"$1\""
}

# The bytes are those of control.sh and hula.sh.
readonly FEEDBACK=08500100fffffe00434e474101020002010203040300000000000000123456750660000009e00000
readonly HELLO_BYTES=08c00100fffffe00434e474101010300010203040602000000000abc00000def
readonly PROBE_BYTES=08000100fffffe00434e4741010400000102030403000000000000000000000000000000000000000000ffff0a00000c2a070000
readonly ANNOUNCEMENT_BYTES=08000100fffffe00434e47410105000001020304040100000000000000000000

golden_control() {
	control_is "5 2 0x01020304 3 0x12345675 6,9 96,224" "$FEEDBACK" conga.lbtag conga.type \
		conga.leaf_id conga.q conga.echo conga.record.lbtag conga.record.metric &&
		control_is "12 1 1 1 6 2 0x00000abc 0x00000def" "$HELLO_BYTES" conga.lbtag conga.type \
			conga.flags.ask conga.flags.sum conga.q conga.byte3 conga.nonce conga.echo &&
		control_is "1 1" "${HELLO_BYTES/010103/01010b}" conga.flags.ask conga.flags.ecn &&
		control_is "4 ::ffff:10.0.0.12 42 7" "$PROBE_BYTES" conga.type conga.probe.origin \
			conga.probe.utilisation conga.probe.hops &&
		control_is "5 0x01020304 4 1" "$ANNOUNCEMENT_BYTES" conga.type conga.leaf_id conga.q \
			conga.byte3
}

# The upper halves of the nonces follow the records, and precede the padding of a hello of full
# size.
readonly WIDE_FEEDBACK=${FEEDBACK/010200/010204}0000000099aaeeff
readonly WIDE_HELLO=${HELLO_BYTES/010103/010105}55667788000000000000

golden_upper() {
	control_is "1 9,6 0x00000000 0x99aaeeff" "${WIDE_FEEDBACK/0660000009e00000/09e0000006600000}" \
		conga.flags.wide conga.record.lbtag conga.nonce_upper conga.echo_upper &&
		control_is "1 0x00000abc 0x55667788 0x00000000" "$WIDE_HELLO" conga.flags.wide \
			conga.nonce conga.nonce_upper conga.echo_upper &&
		control_is "1 " "${WIDE_FEEDBACK:0:-2}" conga.short conga.unknown
}

# Every control packet of leaves has these fields; some hellos are of full size.
nonces_are_wide() {
	are "control packets of leaves without upper halves" 0 \
		"$(count "conga.type && conga.type < 4 && !conga.nonce_upper")" || return
	(($(count "conga.padding") > 0)) || fail "no hello of full size is recognised"
}

# These packets lack a record, half a probe or the header, or have another magic, version or type.
golden_faults() {
	local bytes

	for bytes in "${FEEDBACK:0:-2}" "${PROBE_BYTES:0:-8}" "${HELLO_BYTES:0:-2}"; do
		control_is "1 " "$bytes" conga.short conga.unknown || return
	done
	for bytes in "${HELLO_BYTES/434e/434f}" "${HELLO_BYTES/47410101/47410201}" \
		"${HELLO_BYTES/47410101/47410106}"; do
		control_is " 1" "$bytes" conga.short conga.unknown || return
	done
}

# These headers have a policy group, no present bit, or only byte 7: none is a stamp.
not_ours() {
	golden_is 3 "" 880001000000c800 && golden_is 3 "" 08000000abcdef00 &&
		golden_is 3 "" 0836010000006401
}

compare() {
	OPTIONS=()
	[[ -e $PCAP && -e $SAID ]] || die "dissector.sh: there is no recording"
	SCRATCH=$(mktemp -d)
	defer "rm -rf $SCRATCH"
	tap_plan 17
	tap_test "hellos show leaf ids and Q" hellos
	tap_test "the last CE of each LBTag is what the other leaf knows" congestion
	tap_test "the last feedback for each LBTag is what its leaf knows" feedback
	tap_test "stamps and control packets are as many as the leaf counted" counters
	tap_test "queue marks are shown while the spine marks" queues
	tap_test "hellos, goodbye messages, probes and announcements are shown" types
	tap_test "probes show their origin and hops" probes
	tap_test "the standard VXLAN header and the inner packet are shown as without the dissector" \
		tunnel_is_shown
	tap_test "no packet is shown as malformed" is_sound
	tap_test "golden bytes with q 3 are decoded" golden
	tap_test "golden bytes with q 6 are decoded" golden_q6
	tap_test "golden bytes with queues are decoded" golden_queues
	tap_test "golden bytes of control packets are decoded" golden_control
	tap_test "golden bytes with upper halves of nonces are decoded" golden_upper
	tap_test "all control packets of leaves have upper halves of nonces, and some hellos are of full size" \
		nonces_are_wide
	tap_test "control packets that are short or of an unknown type are shown as such" \
		golden_faults
	tap_test "packets without a stamp are shown as plain VXLAN" not_ours
	tap_exit
}

case ${1-} in
record) record ;;
"")
	for command in tshark text2pcap jq; do
		type -P "$command" >/dev/null || tap_skip_all "needs the command $command"
	done
	compare
	;;
esac
