#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Policy tr, in simulated time, in which code takes no time, on links whose backlog is exact. A
# spine reports the backlog of the port by which a packet arrived. The leaf learns it for its
# uplink and that leaf, delivers the packet without it, and forgets it in time. Packets take the
# path on which they arrive earliest, but no packet of a flow arrives before an earlier one, and
# long flows avoid short ones. Hellos measure the delay of the links. tr6.sh has the same tests
# over IPv6.
#
# A pause lets packets, timers and ages proceed by exactly this simulated time on any machine. It
# is not a wait for a condition.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"

readonly START_NS=96000000	# time of the first packet
readonly US=1000 MS=1000000	# in ns
readonly FRAME=1250		# bytes, 100 us of a link
readonly FLOWS=8 BYTES=200
readonly PORT=9 SOURCE_PORT=10000
readonly LONG=2000		# bytes after which a flow is long in some tests
readonly MARGIN=100us WAIT=0us	# the defaults

TOPO_LINKS=1
TOPO_UNDERLAY=${TR_UNDERLAY:-4}
TOPO_QDISC=wire
TOPO_RATE=100mbit
TOPO_BUFFER=1000000
readonly NEAR_US=20 FAR_US=200	# delay of most links, and between leaf 0 and spine 1
TOPO_DELAY=${NEAR_US}us
TOPO_LINK_DELAY=([leaf0-spine1.0]=${FAR_US}us [spine1.0-leaf0]=${FAR_US}us)

# These values depend on the underlay: IP's header, the packet in a tunnel, and the addresses of
# other leaves.
if ((TOPO_UNDERLAY == 6)); then
	readonly OUTER=40 TUNNELLED="udp port $TOPO_PORT and ip6[68:2] = 0x0800"
	readonly STRANGER=fd00::9:9 PLAIN=fd00::99
else
	readonly OUTER=20 TUNNELLED="udp port $TOPO_PORT and udp[28:2] = 0x0800"
	readonly STRANGER=10.9.9.9 PLAIN=10.0.0.99
fi

# ---- schedules ----

EVENTS=""

ends() {
	local i s

	for ((i = 0; i < FLOWS; i++)); do
		echo "udp flow$i ${HOST[0.0]} ${HOST_IP[0.0]} $((SOURCE_PORT + i)) ${HOST_IP[1.0]} $PORT"
	done
	echo "udp back ${HOST[1.0]} ${HOST_IP[1.0]} $SOURCE_PORT ${HOST_IP[0.0]} $PORT"
	for s in "${!SPINE[@]}"; do
		echo "frames ahead$s ${SPINE[s]} down1.0"
		echo "frames own$s ${LEAF[0]} up$s"
	done
	echo "tool leaf ${LEAF[0]}"
	echo "zero 1000000"
}

# at NS: sets the time since the start
at() {
	echo "at $((START_NS + $1))"
}

# load NAME FRAMES
load() {
	local i

	for ((i = 0; i < $2; i++)); do echo "send $1 $FRAME"; done
}

# All packets that were sent have arrived at this time.
run() {
	"$TESTS/tools/timetable" "$CONGA" >"$EVENTS" ||
		fail "timetable failed or was late" || return
	sleep 0.02
}

# asked JQ: prints this field of each answer, in order
asked() {
	jq -r "select(.asked) | .answer | $1" "$EVENTS" | paste -sd ' '
}

# queues UPLINK: prints the queues that the answers show
queues() {
	asked "map(select(.dev == \"$1\"))[0].queue_ns"
}

# by_uplink: prints "FLOW:UPLINK ..." of leaf 0's packets, in order, as captured
by_uplink() {
	capture_bytes all "${LEAF[0]}" "$TUNNELLED" | awk -v first="$SOURCE_PORT" -v outer="$OUTER" '
		function field(at, bytes) { return substr($4, 2 * (outer + at) + 1, 2 * bytes) }
		function number(hex,   n, i) {
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		$2 ~ /^up/ { printf "%s%d:%s", (NR > 1 ? " " : ""), number(field(50, 2)) - first, $2 }'
}

# told UPLINK FRAMES: FRAMES frames wait at the spine of the uplink, towards leaf 1, when one
# packet returns
told() {
	conga 1 port set "up$1" drain off && conga 1 port set "up$((1 - $1))" drain on || return
	ends
	at 0
	load "ahead$1" "$2"
	at $((1 * US))
	echo "send back $BYTES"
}

# spines_set WORD...: sets the words of "fabric set"
spines_set() {
	local box

	for box in "${SPINE[@]}"; do "$CONGA" -n "$box" fabric set "$@" || return; done
}

# ---- the mark ----

# 20 frames are 2 ms, which is 8192 units of 256 ns; there are four codes per Tage of 10 ms.
mark_arrives_and_ages() {
	local s said expected="2097152 1572864 1048576 0"

	for s in 0 1; do
		run < <(
			told "$s" 20
			at $((1 * MS))
			echo "ask leaf path show"
			at $((4 * MS))
			echo "ask leaf path show"
			at $((6 * MS))
			echo "ask leaf path show"
			at $((81 * MS))
			echo "ask leaf path show"
		) || return
		said=$(queues "up$s")
		[[ $said == "$expected" ]] ||
			fail "the queue of up$s is $said, expected $expected" || return
		said=$(queues "up$((1 - s))")
		[[ $said == "0 0 0 0" ]] ||
			fail "the queue of up$((1 - s)) is $said, expected 0" || return
	done
}

# 8192 units are code 26: 0x80, and 26 in bits 6..2.
mark_byte_by_byte() {
	local words

	capture_start in "${LEAF[0]}" any -Q in "$TUNNELLED" || return
	run < <(told 0 20) && capture_stop in || return
	words=$(capture_headers in "${LEAF[0]}" | cut -c 1-12 | sort | uniq -c | tr -s ' ')
	[[ $words =~ ^" 1 up0 08"....e8$ ]] || fail "the headers are $words"
}

# A packet with a mark comes to leaf 0's host.
delivered_marked() {
	unwanted_mark "${HOST[0.0]}"
	stats_mark "${SPINE[0]}" && stats_mark "${LEAF[0]}"
	run < <(told 0 20) || return
	unwanted_arrive 1000 "${HOST[0.0]}" 1 || return
	stats_grew "${SPINE[0]}" queue_marked=1
}

# Otherwise the tunnel would drop the packet.
delivered_without() {
	delivered_marked && stats_grew "${LEAF[0]}" queue_received=1
}

# ---- rejected marks ----

# forged SOURCE BYTE3: sends to leaf 0 on its up0, as from its spine; prints "" if nothing changed
forged() {
	local before after mac

	mac=$(ip -n "${LEAF[0]}" -j link show dev up0 | jq -r '.[0].address')
	before=$(conga 0 -j path show | jq -c 'map([.leaf, .dev, .queue_ns])')
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$mac" -s "$1" "${VTEP[0]}" \
		"080001$2$(printf '%06x00%0120d' "$TOPO_VNI" 0)" || return
	sleep 0.0005
	after=$(conga 0 -j path show | jq -c 'map([.leaf, .dev, .queue_ns])')
	[[ $before == "$after" ]] || echo "$before to $after"
}

# nothing_by SOURCE BYTE3 COUNTER
nothing_by() {
	local said

	stats_mark "${LEAF[0]}"
	said=$(forged "$1" "$2")
	[[ ! $said ]] || fail "byte 3 $2 of $1 changed a queue: $said" || return
	stats_grew "${LEAF[0]}" "$3=1"
}

forged_changes_nothing() {
	local said byte3 status=0

	sleep 0.1
	# A packet that the leaf itself sends arrives by no port, and would report no queue.
	spines_set policy conga && conga 0 leaf add "$PLAIN" mode plain || return
	for byte3 in 7c ff 81 02; do
		nothing_by "${VTEP[1]}" "$byte3" queue_ignored || status=1
	done
	nothing_by "$STRANGER" fc rx_unknown_leaf && nothing_by "$PLAIN" fc rx_plain_leaf || status=1
	# A valid mark by this path is learnt.
	said=$(forged "${VTEP[1]}" e8)
	[[ $said == '[["'"${VTEP[1]}"'","up0",0],["'"${VTEP[1]}"'","up1",0],["'"$PLAIN"'"'* &&
		$said == *' to [["'"${VTEP[1]}"'","up0",'[1-9]*',["'"${VTEP[1]}"'","up1",0],["'"$PLAIN"'","up0",0],["'"$PLAIN"'","up1",0]]' ]] ||
		fail "a valid mark was not learnt: $said" || status=1
	conga 0 leaf del "$PLAIN" && spines_set policy tr && sleep 0.1 && return "$status"
}

# ---- the decision ----

# Delays are not known while hello is off. All flows are new.
first_packets() {
	local i

	for ((i = 1; i < FLOWS; i++)); do
		at $(($1 + i * 50 * US))
		echo "send flow$i $BYTES"
	done
}

# all_by UPLINK: all flows took this uplink
all_by() {
	local said i expected=""

	said=$(by_uplink)
	for ((i = 1; i < FLOWS; i++)); do expected+=" $i:$1"; done
	[[ " $said" == "$expected" ]] || fail "the flows left by $said, expected:$expected"
}

short_avoid_queue_ahead() {
	local s

	for s in 0 1; do
		conga 0 flowlet flush && sleep 0.1
		observed run < <(told "$s" 40; first_packets $((500 * US))) && all_by "up$((1 - s))" || return
	done
}

short_avoid_own_queue() {
	local s

	for s in 0 1; do
		conga 0 flowlet flush && sleep 0.1
		observed run < <(
			ends
			at 0
			load "own$s" 40
			first_packets $((500 * US))
		) && all_by "up$((1 - s))" || return
	done
}

# Flow 0 begins on up0, as up1 is busy, and becomes long. Then up0 has a long queue, and flow 1
# takes up1. Flow 0 leaves up1 to flow 1, although its packets would arrive earlier there. When
# flow 1 pauses, flow 0's packets would still arrive earlier there, but before its earlier
# packets.
long_and_short() {
	local i

	ends
	at 0
	load own1 3
	for ((i = 0; i < 8; i++)); do echo "send flow0 $BYTES"; done
	at $((100 * US))
	load own0 30
	for ((i = 2; i < 20; i++)); do
		((i > 6)) || printf 'at %d\nsend flow1 %d\n' $((START_NS + (i * 100 - 50) * US)) "$BYTES"
		at $((i * 100 * US))
		echo "send flow0 $((BYTES + i))"
		((i != 6 && i != 15)) || echo "ask leaf port show"
	done
}

in_order() {
	local lengths

	lengths=$(capture_text in "src port $SOURCE_PORT" | awk '{ print $NF }')
	(($(wc -l <<<"$lengths") == 26)) ||
		fail "$(wc -l <<<"$lengths") of 26 packets arrived" || return
	sort -nc <<<"$lengths" 2>/dev/null ||
		fail "the packets arrived with the lengths $(paste -sd ' ' <<<"$lengths")"
}

# long_flow_by WAIT: prints the uplinks of both flows, by the paper's rule of order
long_flow_by() {
	conga 0 fabric set policy tr short "$LONG" margin 0us wait "$1" && conga 0 flowlet flush &&
		sleep 0.1 || return
	capture_start in "${HOST[1.0]}" eth0 -Q in "udp port $PORT" || return
	observed run < <(long_and_short) && capture_stop in || return
	by_uplink
}

tr_defaults() {
	conga 0 fabric set policy tr short 100000 margin "$MARGIN" wait "$WAIT"
}

# Queues that are longer by a second do not matter, as in the paper.
long_keep_clear_and_in_order() {
	local said status=0

	said=$(long_flow_by 1s) || return
	[[ $said != *0:up1* && $said != *1:up0* ]] || fail "the flows left by $said" || status=1
	in_order || status=1
	said=$(asked 'map(.short_flows | tostring) | join(",")')
	[[ $said == "0,1 0,0" ]] || fail "the short flows are $said" || status=1
	tr_defaults && return "$status"
}

# Flow 0 takes up1 once up0 has a long queue, although flow 1 is there.
long_keep_out_of_queues() {
	local said status=0

	said=$(long_flow_by 0us) || return
	[[ $said == *0:up1* && $said != *1:up0* ]] || fail "the flows left by $said" || status=1
	in_order || status=1
	tr_defaults && return "$status"
}

# All flows start, all move, one becomes long, and all become idle.
counts_return() {
	local i said

	conga 0 flowlet flush && sleep 0.1
	run < <(
		ends
		at 0
		for ((i = 0; i < FLOWS; i++)); do echo "send flow$i $BYTES"; done
		echo "ask leaf port show"
		at $((600 * US))
		for ((i = 0; i < 3; i++)); do echo "send flow$i $BYTES"; done
		at $((650 * US))
		echo "ask leaf port show"
		at $((1300 * US))
		echo "ask leaf port show"
	) || return
	said=$(asked 'map(.short_flows) | add')
	[[ $said == "$FLOWS 3 0" ]] || fail "the short flows are $said"
}

# ---- delay ----

# Goodbye messages are in transit for a while.
hello_off() {
	leaves_set hello off 2>/dev/null && sleep 0.01
}

# The delay is half of the round trip: four links, and a hello of 74 bytes on each.
delay_is() {
	local said

	said=$(conga 0 -j path show | jq ".[] | select(.dev == \"$1\").delay_ns")
	[[ $said != null ]] || fail "the delay of $1 is not known" || return
	((said > $2 * US && said < ($2 + 30) * US)) ||
		fail "the delay of $1 is $said ns, expected $2 us and up to 30 us for sending"
}

delays_are_measured() {
	local status=0

	[[ $(conga 0 -j path show | jq -c 'map(has("delay_ns"))') == "[false,false]" ]] ||
		fail "delays are known without hellos" || return
	leaves_set hello 20ms && sleep 1
	delay_is up0 $((2 * NEAR_US)) && delay_is up1 $((NEAR_US + FAR_US)) || status=1
	[[ $(conga 0 path show | head -n 1) == *" delay "*us* ]] || fail "$(conga 0 path show)" ||
		status=1
	hello_off && return "$status"
}

# The longer path is not taken while the shorter one is faster.
delay_counts() {
	local said

	leaves_set hello 20ms && sleep 1 && hello_off && conga 0 flowlet flush &&
		observed run < <(ends; first_packets 0) && all_by up0
}

# ---- other settings ----

reason_is() {
	[[ $(conga 0 -j leaf show | jq -r '.[0].reason') == "$1" ]]
}

# Another use of byte 3 makes a leaf plain, as another q does.
other_use_is_plain() {
	local status=0

	conga 0 leaf set "${VTEP[1]}" mode auto && conga 1 leaf set "${VTEP[0]}" mode auto &&
		leaves_set hello 20ms || return
	busywait 20000 reason_is answers || fail "$(conga 0 leaf show)" || status=1
	conga 1 fabric set policy conga
	busywait 20000 reason_is byte3 || fail "$(conga 0 leaf show)" || status=1
	conga 1 fabric set policy tr
	busywait 20000 reason_is answers || fail "$(conga 0 leaf show)" || status=1
	hello_off && conga 0 leaf set "${VTEP[1]}" mode conga &&
		conga 1 leaf set "${VTEP[0]}" mode conga && return "$status"
}

refusals() {
	local byte3="This policy uses byte 3 of the VXLAN header for queues, so q must be at most 3"

	refused "$byte3" -n "${LEAF[0]}" fabric set q 4 &&
		refused "$byte3" -n "${SPINE[0]}" fabric set q 6 || return
	[[ $(conga 0 fabric show) == *" byte3 tr-queue "* ]] || fail "$(conga 0 fabric show)"
}

nothing_is_left() {
	local shape

	leaves_set policy conga || return
	shape=$(conga 0 -j path show | jq -c 'map(has("delay_ns") or has("queue_ns")) | unique')
	[[ $shape == "[false]" ]] ||
		fail "the paths still have attributes of tr: $(conga 0 path show)" || return
	shape=$(conga 0 -j port show | jq -c 'map(has("short_flows")) | unique')
	[[ $shape == "[false]" ]] ||
		fail "the ports still have attributes of tr: $(conga 0 port show)" || return
	# The spine still marks: the leaf learns nothing, and delivers the packet.
	delivered_unlearnt || return
	spines_set policy conga || return
	capture_start in "${LEAF[0]}" any -Q in "$TUNNELLED" || return
	run < <(told 0 20) && capture_stop in || return
	[[ $(capture_headers in "${LEAF[0]}" | cut -c 11-12) == 00 ]] ||
		fail "$(capture_headers in "${LEAF[0]}")" || return
	# The leaf begins with an empty table.
	leaves_set policy tr || return
	shape=$(conga 0 -j path show | jq -c 'map([.queue_ns, .delay_ns]) | unique')
	[[ $shape == "[[0,null]]" ]] || fail "the table of a new start is not empty: $shape"
}

delivered_unlearnt() {
	delivered_marked || return
	[[ $(stats_growth "${LEAF[0]}") != *queue_* ]] || fail "$(stats_growth "${LEAF[0]}")"
}

# ---- all of it ----

send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[$1.0]}" -c 2 -i 1000 -l "$BYTES" -p "$PORT" "${HOST_IP[$2.0]}" -
}

setup() {
	[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || return
	topo_up && tunnel_says_nothing && settle && neighbours_meet && neighbours_stay &&
		hosts_say_nothing && hosts_need_not_ask && fabric_up tr conga &&
		spines_set policy tr || return
	EVENTS=$TOPO_DIR/events
	pin "${HOST[0.0]}" && send 0 1 && send 1 0 && sleep 0.2
}

tap_plan 14
require_root
require_commands ip jq nft ping tcpdump
require_module
setup || die "cannot set up"
tap_test "packets waiting at the spine are known of its uplink alone, and the mark ages" \
	mark_arrives_and_ages
tap_test "the mark has the right bytes" mark_byte_by_byte
tap_test "a packet is delivered without the mark" delivered_without
tap_test "forged marks change nothing, and a right one changes its path alone" \
	forged_changes_nothing
tap_test "short flows avoid the longer queue at a spine" short_avoid_queue_ahead
tap_test "short flows avoid the longer queue of an uplink" short_avoid_own_queue
tap_test "with wait 1s, long flows avoid short ones, and stay in order" long_keep_clear_and_in_order
tap_test "with wait 0, long flows leave long queues, and stay in order" long_keep_out_of_queues
tap_test "no flow is counted when all flows are idle" counts_return
tap_test "a path's delay is measured" delays_are_measured
tap_test "the measured delay is used by the policy" delay_counts
tap_test "a leaf with another use of byte 3 is plain" other_use_is_plain
tap_test "queues and large metrics are rejected in one fabric" refusals
tap_test "no state of tr is left under another policy" nothing_is_left
tap_exit
