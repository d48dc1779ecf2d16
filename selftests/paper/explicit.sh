#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Explicit feedback, measured by an exact clock. A leaf that receives but sends nothing reports
# the received metrics by packets of its own, at a low rate. A leaf whose packets return anyway
# sends no such packets. With explicit feedback one-way traffic avoids a congested remote link;
# without it, as in the paper, one-way traffic does not.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/tcp.sh"

QUIET=

# Uplink 0 leads to the slow link.
TOPO_LINKS=1
TOPO_GSO=9000			# bursts are short compared with the slow link's queue
TOPO_RATE=40mbit
TOPO_LINK_RATE[spine0.0-leaf1]=10mbit

readonly SINK_PORT=9

# One-way traffic: one datagram each millisecond, and each is a flow of its own
readonly PACKETS=2000 INTERVAL_US=1000 BYTES=200

# The balance test sends 1042 bytes on the wire, 50 of them VXLAN headers, so 15 Mbit/s. An equal
# share is three quarters of the slow link.
readonly LOAD_PACKETS=4000 LOAD_INTERVAL_US=580 LOAD_BYTES=1000
readonly SHARE_WITH=38		# percent by the slow path at most, with feedback
readonly SHARE_WITHOUT=45	# percent at least, without feedback

readonly PINGS=60 PING_S=0.05	# the interval is five times Tage
readonly TRANSFER=2000000

# This filter matches control packets of type 2 that leaf 1 sends.
readonly EXPLICIT='udp[12:4] = 0xfffffe00 and udp[21] = 2'

declare -A SHARE=()

sink_up() {
	"$TESTS/tools/udp_listen" "${HOST[1.0]}" "$SINK_PORT" >"$TOPO_DIR/sink" &
	busywait 20000 grep -q listening "$TOPO_DIR/sink"
}

leaves_conga() {
	local l

	for l in 0 1; do
		[[ $(conga "$l" -j leaf show) =~ \"state\":\ ?\"conga\" ]] || return
	done
}

setup() {
	settle
	topo_up && tunnel_says_nothing && sink_up || return
	MAC=$(ip -n "${LEAF[1]}" -br link show up0 | awk '{ print $3 }')
	fabric_up conga auto &&
		busywait 20000 leaves_conga
}

# explicit_set WORD...: configures both leaves
explicit_set() {
	conga 0 fabric set "$@" && conga 1 fabric set "$@"
}

# one_way PACKETS INTERVAL BYTES: host 0 sends to host 1, which listens
one_way() {
	local before now

	before=$(wc -l <"$TOPO_DIR/sink")
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$1" -i "$2" -l "$3" -p "$SINK_PORT" \
		"${HOST_IP[1.0]}" - || return
	busywait 20000 sink_has $((before + $1)) && return
	now=$(wc -l <"$TOPO_DIR/sink")
	fail "$((now - before)) of $1 datagrams arrived"
}

sink_has() {
	(($(wc -l <"$TOPO_DIR/sink") == $1))
}

# captured COMMAND...: sets TIMES to the times at which leaf 1 sent explicit feedback by any
# uplink
captured() {
	local i

	for i in 0 1; do
		capture_start "out$i" "${LEAF[1]}" "up$i" -Q out "$EXPLICIT" || return
		stats_mark "${LEAF[i]}"
	done
	"$@" || return
	for i in 0 1; do capture_stop "out$i" || return; done
	TIMES=$(for i in 0 1; do capture_text "out$i" -tt; done |
		awk '$1 ~ /^[0-9]+[.][0-9]+$/ { print $1 }' | sort -n)
}

# least_gap: prints the shortest gap between two of TIMES, in us
least_gap() {
	awk 'NR > 1 { gap = ($1 - last) * 1e6; if (NR == 2 || gap < least) least = gap }
		{ last = $1 } END { printf "%d\n", least + 0.5 }' <<<"$TIMES"
}

# ---- tests ----

# at_tage MILLISECONDS PACKETS
at_tage() {
	local tage_us=$(($1 * 1000)) count gap

	explicit_set age "$1ms" || return
	captured one_way "$2" "$INTERVAL_US" "$BYTES" || return
	count=$(wc -w <<<"$TIMES") gap=$(least_gap)
	echo "# Tage $1 ms: $count explicit in $(($2 * INTERVAL_US / 1000)) ms, at least $gap us apart"
	((gap >= tage_us / 2)) ||
		fail "Tage $1 ms: two packets with explicit feedback are only $gap us apart" ||
			return
	# The gap must also be at most Tage, because older feedback would be lost.
	((count >= $2 * INTERVAL_US / tage_us - 1)) ||
		fail "Tage $1 ms: only $count packets had explicit feedback" || return
	stats_grew "${LEAF[1]}" "explicit_sent=$count" &&
		stats_grew "${LEAF[0]}" "explicit_received=$count" || return
	[[ $(stats_growth "${LEAF[0]}") != *explicit_sent* ]] ||
		fail "the sender sends explicit feedback, too"
}

seldom() {
	at_tage 4 400 && at_tage 50 3000 && at_tage 10 "$PACKETS"
}

# begin_tags: sends LBTags that leaf 0 does not have. Each new tag begins when the previous one
# was just fed back, and all of them last longer than a quarter of Tage.
begin_tags() {
	local tag

	for tag in {2..15}; do
		"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down1.0 -m "$MAC" -s "${VTEP[0]}" -c 4 -i 1000 \
			"${VTEP[1]}" "$(printf '08%x0010000006500' "$tag")" || return
	done
}

# Two explicit packets are always at least half of Tage apart, whatever feedback is due.
limited() {
	local count gap

	captured begin_tags || return
	count=$(wc -w <<<"$TIMES") gap=$(least_gap)
	echo "# 14 new LBTags in 56 ms: $count explicit, at least $gap us apart"
	((count >= 5 && gap >= 5000)) ||
		fail "$count packets had explicit feedback, two of them only $gap us apart"
}

# The packets go to the multicast group of the link, and come from a leaf whose stamps bring new
# metrics.
to_group() {
	"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down1.0 -m 01:00:5e:00:00:01 -s "${VTEP[0]}" -c 20 \
		-i 5000 224.0.0.1 0820010000006500
}

# Explicit feedback that is due then leaves from our own address: every receiver would drop a
# packet from the group's address.
group_is_answered() {
	local count

	captured to_group || return
	count=$(wc -w <<<"$TIMES")
	((count)) || fail "no explicit feedback was sent" || return
	stats_grew "${LEAF[1]}" "explicit_sent=$count" &&
		stats_grew "${LEAF[0]}" "explicit_received=$count"
}

# This is the behaviour of the paper.
off_is_off() {
	explicit_set explicit-feedback off && captured one_way "$PACKETS" "$INTERVAL_US" "$BYTES" ||
		return
	[[ ! $TIMES ]] || fail "$(wc -w <<<"$TIMES") packets had explicit feedback" || return
	[[ $(stats_growth "${LEAF[1]}") != *explicit_sent* ]] ||
		fail "explicit feedback was counted as sent" || return
	[[ $(stats_growth "${LEAF[0]}") != *feedback_received* ]] ||
		fail "feedback was received without explicit feedback" || return
	explicit_set explicit-feedback on
}

pings() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -c "$PINGS" -i "$PING_S" "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: ${said##*---}"
}

# Each answer carries the feedback that is due to the leaf that asks. The feedback for the leaf
# that answers is old at its next request.
answers_suffice() {
	local i

	captured pings || return
	for i in 0 1; do
		[[ $(stats_growth "${LEAF[i]}") != *explicit_sent* ]] ||
			fail "leaf $i: $(stats_growth "${LEAF[i]}")" || return
	done
}

transfer() {
	tcp_crosses -C 1e9 -n 1 -c 1 -S "$TRANSFER" -D 20
}

acknowledgements_suffice() {
	local i count

	captured transfer || return
	for i in 0 1; do
		[[ $(stats_growth "${LEAF[i]}") =~ explicit_sent=([0-9]+) ]] && count=${BASH_REMATCH[1]} ||
			count=0
		echo "# $TRANSFER bytes of TCP: leaf $i sent $count explicit"
		((count <= 2)) ||
			fail "leaf $i sent $count packets with explicit feedback" || return
	done
}

uplink_bytes() {
	link_counters "${LEAF[0]}" tx bytes | awk '/^up/ { print $2 }' | paste -sd" "
}

# share {on|off}: sets SHARE[on] or SHARE[off] to the percentage of the bytes on uplink 0
share() {
	local slow0 fast0 slow1 fast1

	explicit_set explicit-feedback "$1" || return
	read -r slow0 fast0 < <(uplink_bytes)
	one_way "$LOAD_PACKETS" "$LOAD_INTERVAL_US" "$LOAD_BYTES" || return
	read -r slow1 fast1 < <(uplink_bytes)
	SHARE[$1]=$((100 * (slow1 - slow0) / (slow1 - slow0 + fast1 - fast0)))
	echo "# explicit feedback $1: ${SHARE[$1]} % of one-way UDP by the uplink that leads to the slow link"
}

one_way_avoids() {
	share on || return
	((SHARE[on] <= SHARE_WITH)) || fail "${SHARE[on]} % of the traffic went by the slow path"
}

without_it_does_not() {
	share off || return
	((SHARE[off] >= SHARE_WITHOUT)) ||
		fail "only ${SHARE[off]} % of the traffic went by the slow path"
}

require_root
require_commands ip tc tcpdump ping jq awk nsenter
require_exact_time
require_module
tap_plan 8
setup || die "the fabric cannot be set up"
tap_test "one-way traffic causes at most one explicit feedback per Tage / 2, and at least one per Tage" \
	seldom
tap_test "many LBTags heard for the first time cause no more explicit feedback" limited
tap_test "explicit feedback has the leaf's own source address, also for packets sent to a group" \
	group_is_answered
tap_test "explicit-feedback off sends none" off_is_off
tap_test "pings five Tage apart cause no explicit feedback" answers_suffice
tap_test "TCP causes almost no explicit feedback" acknowledgements_suffice
tap_test "one-way UDP avoids the slow remote link with explicit feedback" one_way_avoids
tap_test "one-way UDP does not avoid the slow remote link without explicit feedback" \
	without_it_does_not
tap_exit
