#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The packets that a leaf receives are merged (GRO) as without conga, even if CE changes in the
# middle of a burst. The first part uses TCP. The uplink of the sender cuts its bursts into
# frames. The link of the spine is slow for its DRE, but not for the traffic, so that each burst
# raises the metric by a quarter of full scale, and the metric falls until the next burst. The
# number of frames that become one packet is compared with that of the same load before any fabric
# exists. The second part goes frame by frame: it checks which two segments are merged, and the
# header of the result.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"

TOPO_SPINES=1
TOPO_LINKS=1
FABRIC_RATE=100gbit
CAPTURE_BYTES=1600		# whole frames, for their checksums

# Tdre is automatic: C * tau is four of the largest bursts, here in 42 ms. A burst every 40 ms
# fills a quarter of it, of which the fraction 0.39 is left at the next burst: the metric goes
# from 1 to 3 and back.
readonly SLOW_RATE=50mbit
readonly BURST=65536 BURSTS=50 GAP_NS=40000000
readonly LEAST_PERCENT=90	# percent of the frames that are merged without a fabric
readonly LEAST_MERGED=10	# frames in a packet; with fewer the test shows nothing
readonly MOST_DISORDER=5	# packets out of order, among those of all bursts

readonly FLUSH_NS=2000000	# leaf 1 waits so long for frames to merge
readonly PATIENCE_MS=20000

# These are segments of one connection in the tunnel: Ethernet, IPv4 and TCP, as hexadecimal
# digits.
readonly PAYLOAD=1000 HEADERS=40 SEQUENCE=0x10000000
readonly VNI=00006400
readonly ETHERNET=0200000003010200000003000800
readonly ADDRESSES=c0a8000ac0a8010a PORTS=03e80009

# ---- load ----

bursts() {
	local i

	for ((i = 0; i < BURSTS; i++)); do
		echo "$((i * GAP_NS)) $BURST 0 1 0 - - -"
	done
}

send_bursts() {
	local said

	said=$("$TESTS/tools/flowgen" -q -T <(bursts) -h "${HOST[0.0]},${HOST_IP[0.0]}" \
		-h "${HOST[1.0]},${HOST_IP[1.0]}") || fail "the TCP transfers failed" || return
	[[ $said == *" unfinished=0 "* ]] || fail "some TCP transfers did not finish: $said"
}

# ---- counting ----

disorder() {
	in_ns "${HOST[1.0]}" nstat -asz TcpExtTCPOFOQueue |
		awk '$1 == "TcpExtTCPOFOQueue" { print $2 }'
}

# The tunnel counts the packets that GRO made of the frames: sets FRAMES, PACKETS, DISORDER.
counters_read() {
	FRAMES=$(link_counter "${LEAF[1]}" up0 rx packets) &&
		PACKETS=$(link_counter "${LEAF[1]}" vx rx packets) && DISORDER=$(disorder)
}

# Sets MERGED (frames in a packet, in hundredths) and DISORDER for this load.
measure() {
	local frames packets disorder

	counters_read && frames=$FRAMES packets=$PACKETS disorder=$DISORDER &&
		send_bursts && counters_read || return
	frames=$((FRAMES - frames)) packets=$((PACKETS - packets))
	DISORDER=$((DISORDER - disorder))
	((packets > 0)) || fail "no packet came out of the tunnel" || return
	MERGED=$((100 * frames / packets))
	echo "# $frames frames became $packets packets, $DISORDER out of order"
}

# Prints how often CE differs from that of the previous frame, on the path to leaf 1.
ce_changes() {
	capture_headers wire "${SPINE[0]}" | awk '
		{ ce = substr($2, 4, 1) }
		NR > 1 && ce != last { changes++ }
		{ last = ce }
		END { print changes + 0 }'
}

# ---- tests ----

merged_without_fabric() {
	measure || return
	STOCK=$MERGED
	((STOCK >= 100 * LEAST_MERGED)) ||
		fail "the kernel merges only $STOCK hundredths of a frame into a packet"
}

slow_fabric() {
	fabric_up conga conga && "$CONGA" -n "${SPINE[0]}" port set down1.0 rate "$SLOW_RATE"
}

merged_with_conga() {
	local changes

	slow_fabric || fail "the fabric cannot be created" || return
	capture_start wire "${SPINE[0]}" down1.0 -Q out udp dst port "$TOPO_PORT" || return
	measure && capture_stop wire || return
	changes=$(ce_changes)
	echo "# CE changed $changes times"
	((changes >= BURSTS)) || fail "CE changed $changes times in $BURSTS bursts" || return
	((MERGED >= STOCK * LEAST_PERCENT / 100)) ||
		fail "a packet has $MERGED hundredths of a frame, $STOCK without a fabric"
}

in_order() {
	((DISORDER <= MOST_DISORDER)) || fail "$DISORDER packets came out of order"
}

merged_after_conga() {
	fabric_down && measure || return
	((MERGED >= STOCK * LEAST_PERCENT / 100)) ||
		fail "a packet has $MERGED hundredths of a frame, $STOCK before"
}

# ---- frame by frame ----

# checksum DIGITS: the Internet checksum of these bytes
checksum() {
	local i sum=0

	for ((i = 0; i < ${#1}; i += 4)); do sum=$((sum + 0x${1:i:4})); done
	while ((sum >> 16)); do sum=$(((sum & 0xffff) + (sum >> 16))); done
	printf '%04x' $((~sum & 0xffff))
}

# segment WORD SEQUENCE: a VXLAN packet with this first word
segment() {
	local ip tcp length

	printf -v length '%04x' $((HEADERS + PAYLOAD))
	ip=4500${length}000040004006$(checksum "4500${length}000040004006$ADDRESSES")$ADDRESSES
	printf -v tcp '%s%08x000000015010ffff' "$PORTS" "$2"
	printf -v length '%04x' $((HEADERS - 20 + PAYLOAD))
	echo "$1$VNI$ETHERNET$ip${tcp}$(checksum "${ADDRESSES}0006$length$tcp")0000"
}

# merged WORD WORD GAP [OPTION]...: sends two segments with these words and GAP bytes missing
# between them. Sets WORDS to the words of the result; OPTIONs are those of vxlan_send.
merged() {
	local first second mac

	first=$(segment "$1" "$SEQUENCE")
	second=$(segment "$2" $((SEQUENCE + PAYLOAD + $3)))
	mac=$(ip -n "${LEAF[1]}" -j link show dev up0 | jq -r '.[0].address')
	capture_start merged "${LEAF[1]}" up0 -Q in udp dst port "$TOPO_PORT" || return
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down1.0 -m "$mac" -s "${VTEP[0]}" "${@:4}" \
		-l $((${#first} / 2 + PAYLOAD)) "${VTEP[1]}" "$first" "$second" &&
		busywait "$PATIENCE_MS" all_came $((${#first} / 2)) && capture_stop merged || return
	WORDS=$(capture_headers merged "${LEAF[1]}" | awk '{ printf "%s%s", sep, substr($2, 1, 8); sep = " " }')
}

# The result has both payloads, in one packet or two.
all_came() {
	capture_text merged -q | awk -v headers="$1" -v all=$((2 * PAYLOAD)) '
		$(NF - 1) == "length" { bytes += $NF - headers }
		END { exit bytes != all }'
}

# becomes WORDS WORD WORD GAP [OPTION]...
becomes() {
	merged "${@:2}" || fail "no packet arrived for $2 and $3" || return
	[[ $WORDS == "$1" ]] || fail "$2 and $3 arrived as $WORDS"
}

ce_is_the_newer_one() {
	becomes 08170100 08130100 08170100 0 && becomes 08130100 08170100 08130100 0 &&
		becomes 08130100 08170100 08130100 0 -x 0
}

others_stay_apart() {
	becomes "08130100 08230100" 08130100 08230100 0 &&	# LBTag
		becomes "08133100 08133300" 08133100 08133300 0 &&	# feedback
		becomes "08120000 08160000" 08120000 08160000 0		# no stamps
}

# If byte 3 is no queue, bits 4..2 may be feedback.
queue_is_the_newer_one() {
	becomes "081301e4 081301e8" 081301e4 081301e8 0 && conga 1 fabric set policy tr || return
	becomes 081301e8 081301e4 081301e8 0 && becomes 081701e8 08130184 081701e8 0 -x 0 &&
		becomes "0c130104 0c130108" 0c130104 0c130108 0 && conga 1 fabric set policy conga
}

# Only the first segment has another word than it was sent with.
unmerged_is_whole() {
	becomes "08170100 08170100" 08130100 08170100 1 || return
	(($(capture_text merged -vv | grep -c "udp sum ok") == 2)) ||
		fail "merged packets have a wrong checksum:" \
			"$(capture_text merged -vv | grep -o "[[]bad udp.*]")"
}

# ---- set up ----

# A veth merges no packets from a veth that accepts bursts whole.
offloads() {
	in_ns "${LEAF[0]}" ethtool -K up0 tso off gso off &&
		in_ns "${SPINE[0]}" ethtool -K down1.0 tso off &&
		in_ns "${LEAF[1]}" ethtool -K up0 gro on
}

setup() {
	topo_up && offloads >/dev/null && settle
}

# Packets to leaf 1 are held for a moment; no other node sends packets.
setup_frames() {
	fabric_leaf 1 conga conga &&
		ip netns exec "${LEAF[1]}" sh -c "echo $FLUSH_NS >/sys/class/net/up0/gro_flush_timeout"
}

underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: frames of a burst are merged without a fabric" merged_without_fabric
	tap_test "v$1: as many frames are merged where CE changes within the burst" \
		merged_with_conga
	tap_test "v$1: merged frames are delivered in order" in_order
	tap_test "v$1: after the fabric is removed frames are merged as before" merged_after_conga
	setup_frames || die "cannot set up leaf 1"
	tap_test "v$1: two segments that differ in CE become one packet with the newer CE" \
		ce_is_the_newer_one
	tap_test "v$1: two segments that differ in queue marks become one packet with the newer mark" \
		queue_is_the_newer_one
	tap_test "v$1: segments that differ in LBTag or feedback, or have no stamp, stay separate" \
		others_stay_apart
	tap_test "v$1: packets that waited and were not merged have right checksums" \
		unmerged_is_whole
	topo_down
}

tap_plan 16
require_root
require_commands ip ethtool tcpdump jq nstat
require_module
underlay 4
underlay 6
tap_exit
