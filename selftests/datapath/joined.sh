#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Datagrams can be joined into one packet in transit, by UDP GRO forwarding or by fraglist GRO of
# a spine, or by UDP_SEGMENT of a local process; each datagram has a stamp of its own. The leaf
# must read each stamp, learn from it and clear it, and the spine must raise it; the payload must
# arrive unchanged. Every eighth datagram is shorter than the others that it is joined with. A
# control shows which datagrams a stock kernel's spine joins.
#
# Datagrams leave leaf 0 past its IP layer, with LBTags in turn, and with CE and feedback that
# follow from the LBTag, so that the tables of leaf 1 show which datagrams it has read.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tables.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"

TOPO_SPINES=1
TOPO_LINKS=1
TOPO_UDPCSUM=on			# the IPv4 underlay needs it

readonly COUNT=128 TURN=8	# datagrams, and the number between two short ones
readonly LONG=200 SHORT=100	# bytes of their payload
readonly SEGMENT=100 SEGMENTS=32	# bytes; datagrams of a local process before a short one
readonly SINK=9
readonly OTHER_PORT=8472	# a port of the fabric, but not of a vxlan device
readonly NOBODY=65534
readonly FLUSH_NS=5000000 DEFER_IRQS=100	# a device waits so long for packets to join
readonly PATIENCE_MS=30000
readonly VXLAN="udp port $TOPO_PORT"
readonly HELD_MS=200		# a mirrored packet waits so long
readonly HEADERS=40		# bytes that distinguish a datagram from others
readonly PAGED=900 PAGES=64	# bytes, datagrams of a process that sends its pages

# The uplinks of leaf 1 have this LBTag; feedback is about it.
readonly UPLINK=3

# ---- datagrams ----

# checksum DIGITS: the Internet checksum of these bytes
checksum() {
	local i sum=0

	for ((i = 0; i < ${#1}; i += 4)); do sum=$((sum + 0x${1:i:4})); done
	while ((sum >> 16)); do sum=$(((sum & 0xffff) + (sum >> 16))); done
	printf '%04x' $((~sum & 0xffff))
}

# frame BYTES: a frame from host to host, with a 16-bit number and zeros. Sets HEAD, without the
# checksum, and SUM, the sum of all but the number.
frame() {
	local from=c0a8000a to=c0a8010a udp ip

	printf -v udp '%04x' $((8 + $1))
	printf -v ip '4500%04x000040004011' $((28 + $1))
	HEAD=020000010a01020000000a010800$ip$(checksum "$ip$from$to")$from${to}03e80009$udp
	SUM=$(checksum "$from${to}001103e80009$udp$udp")
	printf -v ZEROS '%0*d' $((2 * $1 - 4)) 0
}

# Prints the word of datagram number $1, with LBTag, CE and feedback in turn.
word_of() {
	local tag=$(($1 % 16))

	printf -v WORD '%08x' $((0x08010100 | tag << 20 | (tag % 8) << 17 | UPLINK << 12 | 5 << 9))
}

# datagrams_make: sets STAMPED, BLANK and PAYLOADS, one datagram a line
datagrams_make() {
	local i sum bytes
	local -A head=() base=() zeros=()

	for bytes in "$LONG" "$SHORT"; do
		frame "$bytes"
		head[$bytes]=$HEAD base[$bytes]=$((~0x$SUM & 0xffff)) zeros[$bytes]=$ZEROS
	done
	STAMPED=() BLANK=() PAYLOADS=""
	for ((i = 0; i < COUNT; i++)); do
		bytes=$(((i + 1) % TURN ? LONG : SHORT))
		sum=$((base[$bytes] + i + 1))
		((sum <= 0xffff)) || sum=$((sum - 0xffff))
		printf -v FRAME '%s%04x%04x%s' "${head[$bytes]}" $((~sum & 0xffff)) $((i + 1)) \
			"${zeros[$bytes]}"
		word_of "$i"
		STAMPED[i]=${WORD}00006400$FRAME
		BLANK[i]=0800000000006400$FRAME
		printf -v PAYLOADS '%s%04x%s\n' "$PAYLOADS" $((i + 1)) "${zeros[$bytes]}"
	done
	PAYLOADS=${PAYLOADS%$'\n'}
}

# ---- set up ----

# joins NAMESPACE DEVICE FEATURE: the device holds incoming packets for a moment and joins them
joins() {
	in_ns "$1" ethtool -K "$2" gro on rx-udp-gro-forwarding off rx-gro-list off \
		"$3" on >/dev/null || fail "device $2 does not have the offload $3" || return
	ip netns exec "$1" sh -c "echo $FLUSH_NS >/sys/class/net/$2/gro_flush_timeout
		echo $DEFER_IRQS >/sys/class/net/$2/napi_defer_hard_irqs"
}

joins_nothing() {
	in_ns "$1" ethtool -K "$2" rx-udp-gro-forwarding off rx-gro-list off gro off >/dev/null
}

# This counter counts the packets that leaf 1 gets from the spine, where joined datagrams are one
# packet.
hooks_up() {
	in_ns "${LEAF[1]}" nft -f - <<-END
		table inet seen {
			counter packets_in { }
			chain in {
				type filter hook input priority -300;
				udp dport $TOPO_PORT counter name packets_in
			}
		}
	END
}

# packets_in: sets PACKETS_IN, since the last call
packets_in() {
	local said

	said=$(in_ns "${LEAF[1]}" nft reset counter inet seen packets_in) || return
	[[ $said =~ packets\ ([0-9]+) ]] && PACKETS_IN=${BASH_REMATCH[1]}
}

# leaf_up LEAF MODE: creates the fabric of the leaf again
leaf_up() {
	conga "$1" fabric del 2>/dev/null
	conga_batch "${LEAF[$1]}" <<-END
		fabric add $QUIET age 10s dstport $TOPO_PORT dstport $OTHER_PORT
		port add dev up0 role uplink rate 1tbit tag $UPLINK
		leaf add ${VTEP[1 - $1]} mode $2
	END
}

# The DRE of the spine's port to leaf 1 is full after 3 MB: 1 Mbit/s for 24 s, which is Tdre / alpha.
spine_up() {
	local ns=${SPINE[0]}

	spine_down
	FABRIC_RATE=1tbit fabric_spine 0 && "$CONGA" -n "$ns" fabric set tdre 24ms alpha 0.001 &&
		"$CONGA" -n "$ns" port set down1.0 rate 1mbit
}

# Only some tests have a spine with a fabric.
spine_down() {
	"$CONGA" -n "${SPINE[0]}" fabric del 2>/dev/null
	:
}

# The DRE is filled so far that it remains full for nearly 24 seconds, of which a machine with every
# checker needs four. A processor does not see what the others sent in the running period, so that
# the next packet must come after it.
spine_fill() {
	topo_link_addresses 1 0 0
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -c 270 -l 30000 -p "$SINK" "$LEAF_END" - &&
		poll_pause 50000
}

mac_of() {
	ip -n "$1" -j link show "$2" | jq -r '.[0].address'
}

sink_up() {
	"$TESTS/tools/udp_listen" "$1" "$2" >"$TOPO_DIR/$3" &
	busywait "$PATIENCE_MS" grep -q listening "$TOPO_DIR/$3" ||
		fail "the UDP listener did not start"
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && tunnel_says_nothing && hooks_up || return
	topo_link_addresses 1 0 0
	ip -n "${SPINE[0]}" neighbour replace "$LEAF_END" lladdr "$(mac_of "${LEAF[1]}" up0)" \
		dev down1.0 nud permanent || return
	PIN=()
	pin "${HOST[1.0]}" && pin "${LEAF[1]}" || return
	MAC=$(mac_of "${SPINE[0]}" down0.0)
	sink_up "${HOST[1.0]}" "$SINK" sink && sink_up "${LEAF[1]}" "$OTHER_PORT" other
}

# ---- sending, and what arrives ----

lines_are() {
	(($(wc -l <"$TOPO_DIR/$1") == $2))
}

# arrive FILE TEXT COMMAND...: exactly these lines arrive, in this order
arrive() {
	local file=$1 text=$2 before count

	shift 2
	before=$(wc -l <"$TOPO_DIR/$file")
	count=$(wc -l <<<"$text")
	"$@" || return
	busywait "$PATIENCE_MS" lines_are "$file" $((before + count))
	[[ $(tail -n +$((before + 1)) "$TOPO_DIR/$file") == "$text" ]] ||
		fail "$(($(wc -l <"$TOPO_DIR/$file") - before)) of $count datagrams" \
			"arrived, or they differ"
}

# send [-p PORT] DATAGRAM...: sends from leaf 0, past its IP layer
send() {
	local -a words=()

	[[ $1 != -p ]] || { words=("$1" "$2"); shift 2; }
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m "$MAC" -s "${VTEP[0]}" -r "$#" \
		"${words[@]}" "${VTEP[1]}" "$@"
}

# cross DATAGRAM...: all datagrams reach the host through the tunnel of leaf 1
cross() {
	packets_in
	# Some tests have no fabric on some nodes.
	stats_mark "${LEAF[1]}" 2>/dev/null
	stats_mark "${SPINE[0]}" 2>/dev/null
	arrive sink "$PAYLOADS" send "$@" && no_errors && packets_in || return
	echo "# $COUNT datagrams in $PACKETS_IN packets"
}

no_errors() {
	local errors

	errors=$(csum_errors "${HOST[1.0]}" "${LEAF[1]}")
	((errors == ERRORS)) || fail "the kernel counted $((errors - ERRORS)) checksum errors"
}

# Most packets that leaf 1 received were joined.
were_joined() {
	((PACKETS_IN <= COUNT / 2)) ||
		fail "$COUNT datagrams arrived in $PACKETS_IN packets, too few were joined"
}

# ---- tests ----

joined_by_stock() {
	cross "${BLANK[@]}" && were_joined
}

# expected_rows [CE]: prints the expected rows of the from-leaf table
expected_rows() {
	local tag rows=""

	for ((tag = 0; tag < 16; tag++)); do rows+=" $tag=${1:-$((tag % 8))}"; done
	echo "${rows# }"
}

# Each LBTag has its CE, or the CE to which the spine raised all of them.
rows_are() {
	table_rows 1 from-leaf "${VTEP[0]}" || return
	[[ $ROWS == "$1" ]] || fail "the from-leaf table has $ROWS, expected $1"
}

learnt_each() {
	spine_down
	leaf_up 1 conga && cross "${STAMPED[@]}" && were_joined || return
	stats_grew "${LEAF[1]}" "rx_stamped=$COUNT" && stats_grew "${LEAF[1]}" "rx_learnt=$COUNT" &&
		stats_grew "${LEAF[1]}" "feedback_received=$COUNT" && joined_counted &&
		rows_are "$(expected_rows)" && table_has 1 to-leaf "${VTEP[0]}" "$UPLINK" &&
		fed_back 1 "${VTEP[0]}" "$UPLINK=5"
}

# Few datagrams arrived alone.
joined_counted() {
	stats_grown "${LEAF[1]}" rx_joined
	((GROWTH > COUNT / 2 && GROWTH <= COUNT)) ||
		fail "rx_joined grew by $GROWTH for $COUNT datagrams"
}

# The tunnel drops a packet that is not cleared.
cleared_each() {
	leaf_up 1 plain && cross "${STAMPED[@]}" && were_joined || return
	stats_grew "${LEAF[1]}" "rx_stamped=$COUNT" &&
		stats_grew "${LEAF[1]}" "rx_plain_leaf=$COUNT" && rows_are ""
}

# Only every second datagram has a stamp.
mixed_each() {
	local i
	local -a mixed=()

	leaf_up 1 conga || return
	for ((i = 0; i < COUNT; i += 2)); do
		mixed+=("${BLANK[i]}" "${STAMPED[i + 1]}")
	done
	cross "${mixed[@]}" && were_joined && stats_grew "${LEAF[1]}" "rx_learnt=$((COUNT / 2))" &&
		rows_are "1=1 3=3 5=5 7=7 9=1 11=3 13=5 15=7"
}

# No packet that is joined with a control packet passes, and no datagram is lost.
control_each() {
	local control=08000100fffffe00c0ffee00

	leaf_up 1 conga && stats_mark "${LEAF[1]}" || return
	send "$control" "$control" "$control" "$control" "$control" "$control" &&
		busywait "$PATIENCE_MS" stats_grew "${LEAF[1]}" rx_control=6 || return
	stats_grown "${LEAF[1]}" rx_joined
	((GROWTH > 0)) || fail "rx_joined did not grow: all packets arrived alone" || return
	cross "${STAMPED[@]}" && stats_grew "${LEAF[1]}" "rx_learnt=$COUNT"
}

# The spine still has all datagrams as one packet, and leaf 1 reads each of them.
raised_each() {
	leaf_up 1 conga && spine_up && spine_fill && cross "${STAMPED[@]}" && were_joined || return
	rows_are "$(expected_rows 7)" && stats_grew "${LEAF[1]}" "rx_learnt=$COUNT" || return
	stats_grown "${SPINE[0]}" ce_raised
	((GROWTH >= COUNT * 7 / 8 && GROWTH <= COUNT)) ||
		fail "ce_raised grew by $GROWTH for $COUNT datagrams" || return
	stats_moved "${SPINE[0]}" "ce_raised=$GROWTH"
}

# offload_segments WORD: sets the offload of the spine's port to leaf 1; if it is off, the port
# makes the checksums, too
offload_segments() {
	in_ns "${SPINE[0]}" ethtool -K down1.0 gso "$1" tx "$1" tx-udp-segmentation "$1" \
		tx-gso-list "$1" >/dev/null 2>&1
}

# words_captured: prints the first word of each VXLAN header
words_captured() {
	capture_headers wire "${LEAF[1]}" | awk '{ print substr($2, 1, 8) }'
}

# The spine cuts the packet into frames, each of which must have CE 7, all else unchanged, and a
# right checksum.
raised_on_the_wire() {
	local status=0

	CAPTURE_BYTES=2000
	leaf_up 1 conga && spine_up && offload_segments off || return
	frames_are_raised || status=1
	offload_segments on && return "$status"
}

frames_are_raised() {
	local i expected="" good

	capture_start wire "${LEAF[1]}" up0 -Q in "$VXLAN" && spine_fill &&
		cross "${STAMPED[@]}" && capture_stop wire || return
	((PACKETS_IN == COUNT)) || fail "$PACKETS_IN packets arrived for $COUNT frames" || return
	for ((i = 0; i < COUNT; i++)); do
		word_of "$i"
		printf -v expected '%s%08x\n' "$expected" $((0x$WORD | 0xe0000))
	done
	[[ $(words_captured) == "${expected%$'\n'}" ]] ||
		fail "the headers differ:" \
			"$(diff <(words_captured) <(echo "$expected") | head -n 5 | paste -sd' ')" ||
		return
	good=$(capture_text wire -vv | grep -c "udp sum ok] VXLAN")
	((good == COUNT)) || fail "only $good of $COUNT checksums are right" || return
	# Otherwise the datagrams were not joined.
	stats_grown "${SPINE[0]}" ce_raised
	((GROWTH >= COUNT * 7 / 8)) || fail "ce_raised grew by $GROWTH for $COUNT datagrams"
}

# An ordinary socket listens at leaf 1 itself. For such a socket fraglist GRO joins packets that
# the kernel cuts again before the socket receives them. A veth joins no packets from a veth that
# accepts bursts whole.
own_device_joins() {
	in_ns "${SPINE[0]}" ethtool -K down1.0 tso off >/dev/null &&
		leaf_up 1 conga && joins "${LEAF[1]}" up0 rx-gro-list || return
	stats_mark "${LEAF[1]}"
	arrive other "$(printf '%s\n' "${BLANK[@]}")" send -p "$OTHER_PORT" "${STAMPED[@]}" &&
		stats_grew "${LEAF[1]}" "rx_learnt=$COUNT" && joined_counted &&
		rows_are "$(expected_rows)"
}

read_at_own_device() {
	local status=0

	joins_nothing "${SPINE[0]}" down0.0 && own_device_joins || status=1
	joins_nothing "${LEAF[1]}" up0 && return "$status"
}

# ---- packets with other owners ----

# mirrored NAMESPACE DEVICE COMMAND...: while the command runs, every packet that arrives by this
# device is mirrored, and the copies are delayed for a while
mirrored() {
	local ns=$1 dev=$2 status=0

	shift 2
	ip -n "$ns" link add mirror up type dummy &&
		tc -n "$ns" qdisc add dev mirror root netem delay "${HELD_MS}ms" limit 10000 &&
		tc -n "$ns" qdisc add dev "$dev" clsact &&
		tc -n "$ns" filter add dev "$dev" ingress matchall \
			action mirred egress mirror dev mirror || return
	"$@" || status=1
	tc -n "$ns" qdisc del dev "$dev" clsact && ip -n "$ns" link del mirror && return "$status"
}

nothing_waits() {
	[[ $(tc -n "$1" -s qdisc show dev mirror) == *" backlog 0b 0p "* ]]
}

# copies_are_untouched NAMESPACE COMMAND...: all datagrams in the copies are as they were sent
copies_are_untouched() {
	local ns=$1 i expected="" found

	shift
	CAPTURE_BYTES=8000
	capture_start mirror "$ns" mirror -Q out "$VXLAN" && "$@" && busywait "$PATIENCE_MS" nothing_waits "$ns" &&
		capture_stop mirror || return
	for ((i = 0; i < COUNT; i++)); do
		expected+=${STAMPED[i]:0:2 * HEADERS}$'\n'
	done
	found=$(capture_bytes mirror "$ns" | awk '{ print $4 }' |
		grep -oE "[0-9a-f]{8}00006400020000010a01[0-9a-f]{$((2 * HEADERS - 28))}")
	[[ $found == "${expected%$'\n'}" ]] ||
		fail "the copies differ:" \
			"$(diff <(echo "$found") <(echo -n "$expected") | head -n 3)"
}

held_at_leaf() {
	mirrored "${LEAF[1]}" up0 copies_are_untouched "${LEAF[1]}" learnt_each
}

held_at_spine() {
	mirrored "${SPINE[0]}" down0.0 copies_are_untouched "${SPINE[0]}" raised_each
}

# pages_each METHOD: datagrams lie in pages of a process, as forge sends them. For packets of
# MSG_ZEROCOPY, GRO makes only fraglists; some kernels copy spliced data.
pages_each() {
	local i lines="" zeros

	printf -v zeros '%0*d' $((2 * (PAGED - 8))) 0
	for ((i = 0; i < PAGES; i++)); do lines+=0800000000006300$zeros$'\n'; done
	leaf_up 1 conga || return
	stats_mark "${LEAF[1]}"
	arrive other "${lines%$'\n'}" "$TESTS/tools/forge" -n "${LEAF[0]}" -s "${VTEP[0]}" \
		-p "$OTHER_PORT" -k -i 0 -c "$PAGES" -l "$PAGED" "$1" "${VTEP[1]}" >/dev/null &&
		stats_grew "${LEAF[1]}" "rx_learnt=$PAGES" || return
	stats_grown "${LEAF[1]}" rx_joined
	((GROWTH >= 2)) || fail "rx_joined grew by only $GROWTH"
}

pages_each_held() {
	mirrored "${LEAF[1]}" up0 pages_each "$1"
}

# ---- a local process ----

# A process of leaf 0 sends all datagrams in one call.
segments_are_cleared() {
	local i sent="" expected=""

	leaf_up 0 conga && leaf_up 1 conga || return
	for ((i = 0; i < SEGMENTS; i++)); do
		sent+=${STAMPED[i]:0:2 * SEGMENT}
		expected+=${BLANK[i]:0:2 * SEGMENT}$'\n'
	done
	sent+=${STAMPED[i]:0:SEGMENT}
	expected+=${BLANK[i]:0:SEGMENT}
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	arrive other "$expected" "$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -u "$NOBODY" \
		-s "${VTEP[0]}" -p "$OTHER_PORT" -g -l "$SEGMENT" "${VTEP[1]}" "$sent" &&
		stats_grew "${LEAF[0]}" tx_forged=1 && stats_moved "${LEAF[1]}" ""
}

# by_kind KIND FEATURE
by_kind() {
	joins "${SPINE[0]}" down0.0 "$2" || die "$TAP_WHY"
	tap_test "v$TOPO_UNDERLAY, $1: without conga the spine joins datagrams" \
		joined_by_stock
	tap_test "v$TOPO_UNDERLAY, $1: the leaf learns from each joined datagram, and clears each" \
		learnt_each
	tap_test "v$TOPO_UNDERLAY, $1: each joined control packet is read and consumed" control_each
	tap_test "v$TOPO_UNDERLAY, $1: the spine raises CE in each datagram that it forwards as one" \
		raised_each
	tap_test "v$TOPO_UNDERLAY, $1: CE and checksum of each joined datagram are right on the wire" \
		raised_on_the_wire
	tap_test "v$TOPO_UNDERLAY, $1: the leaf clears each joined datagram, but no copy that waits elsewhere" \
		held_at_leaf
	tap_test "v$TOPO_UNDERLAY, $1: the spine raises CE in each joined datagram, but in no copy that waits elsewhere" \
		held_at_spine
}

# by_kind_further KIND METHOD: tests that do not depend on the underlay
by_kind_further() {
	spine_down
	tap_test "$1: stamps of a plain leaf are cleared in each joined datagram, and teach nothing" \
		cleared_each
	tap_test "$1: only joined datagrams that have a stamp are learnt from" mixed_each
	tap_test "$1: each datagram sent by $2 is read and cleared" pages_each "$2"
	tap_test "$1: each datagram sent by $2 is read and cleared, but no copy that waits elsewhere" \
		pages_each_held "$2"
}

fabrics_down() {
	spine_down
	conga 1 fabric del
}

underlay() {
	setup "$1" || die "cannot set up: $TAP_WHY"
	ERRORS=$(csum_errors "${HOST[1.0]}" "${LEAF[1]}")
	by_kind "UDP GRO forwarding" rx-udp-gro-forwarding
	(($1 == 6)) || by_kind_further "UDP GRO forwarding" splice
	fabrics_down
	by_kind "fraglist GRO" rx-gro-list
	(($1 == 6)) || by_kind_further "fraglist GRO" zerocopy
	fabrics_down
	tap_test "v$1: each datagram that the leaf's own device joins is read and cleared" \
		read_at_own_device
	tap_test "v$1: stamps of a local process are cleared in each of many segments" \
		segments_are_cleared
	topo_down
}

tap_plan 40
require_root
require_commands ip tc nft ethtool jq tcpdump
require_module
datagrams_make
underlay 4
underlay 6
tap_exit
