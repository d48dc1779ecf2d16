#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Behaviour at each limit: the maximum number of flows, leaves and uplinks, and one more; very
# slow and very fast links, very large packets and very long names; settings at both ends of their
# ranges; clocks that jump. Documentation/user/limits.md has the table.
#
# Code takes no time on the clock of this machine: flows that start one after the other exist at
# the same time. A pause lets timers and ages proceed by exactly this time, and waits for no
# condition.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly BOX=limits
readonly ALL_FLOWS=1000000	# flows: less than the product of the primes 1,009 and 997
readonly ADDRESSES_LAST=192.168.3.241 ALL_PORTS=997	# 1,009 from 192.168.0.1 on
readonly FEW_FLOWLETS=1024 DEFAULT_FLOWLETS=65536 MOST_FLOWLETS=4194304
readonly SIGMAS=5		# sigmas of a random deviation
readonly SOME=20000		# flows: enough to use each of few entries
readonly LEAVES=4096 MOST_LEAVES=65535
readonly TOO_MANY_LEAVES="A fabric has at most 65535 leaves"
readonly EACH=64			# one leaf in so many is checked
readonly DELETED=16		# leaves: each deletion waits for all processors
readonly NO_SPEED="The device reports no usable link speed, give a rate"
readonly OTHER_MAC=02:00:00:00:03:01
readonly JUMBO=60000		# bytes of a packet in one piece
readonly LONG_NAME=abcdefghijklmno
readonly DAY=86400 PAUSE_MS=200
readonly FED_BACK=08110f0000006400	# LBTag 1, CE 0; feedback: LBTag 0, metric 7

# ---- a leaf and its packets ----

conga() {
	"$CONGA" -n "$BOX" "$@"
}

# Routes lead to whole networks of leaves, and a tunnel to two of these leaves.
rig_up() {
	local i devices=() hops4="" hops6=""

	for ((i = 0; i < UPLINKS; i++)); do
		devices+=("up$i")
		hops4+=" nexthop via 10.1.0.$((2 * i + 1)) dev up$i"
		hops6+=" nexthop via 2001:db8:1:$i::2 dev up$i"
	done
	links "$BOX" "$UPLINKS" && addresses "$BOX" "${devices[@]}" || return
	ip -n "$BOX" -batch - <<-END || return
		link set lo up
		address add 10.0.0.1/32 dev lo
		route add 10.64.0.0/10$hops4
		route add fd00::/16$hops6
	END
	leaf_address v4 1 && tunnel "$BOX" "$ADDRESS" local 10.0.0.1 noudpcsum &&
		leaf_address v4 2 && bridge -n "$BOX" fdb add "$OTHER_MAC" dev vx dst "$ADDRESS"
}

# Creates a device that reports the speed that was set.
tap_up() {
	ip -n "$BOX" tuntap add tap0 mode tap && ip -n "$BOX" link set tap0 up
}

# leaf_address KIND N: sets ADDRESS of leaf N, from 1 on; for the kind "alike" both halves are
# equal
leaf_address() {
	case $1 in
	v4) ADDRESS=10.$((64 + ($2 >> 16))).$(($2 >> 8 & 255)).$(($2 & 255)) ;;
	v6) printf -v ADDRESS 'fd00:1::%x' "$2" ;;
	alike) printf -v ADDRESS 'fd00:0:0:%x::%x' "$2" "$2" ;;
	esac
}

# leaf_lines KIND COUNT WORD...: prints lines for a batch, each with an ADDRESS
leaf_lines() {
	local n kind=$1 count=$2

	shift 2
	for ((n = 1; n <= count; n++)); do
		leaf_address "$kind" "$n"
		echo "${*//ADDRESS/$ADDRESS}"
	done
}

# fabric_make WORD...: creates the fabric silently, with its uplinks and no leaf
fabric_make() {
	local i

	{
		echo "fabric add hello off explicit-feedback off $*"
		for ((i = 0; i < UPLINKS; i++)); do
			echo "port add dev up$i role uplink rate $RATE"
		done
	} | conga -b -
}

# fabric_of_two WORD...: creates it with the tunnel's two leaves, too
fabric_of_two() {
	fabric_make "$@" && leaf_lines v4 2 leaf add ADDRESS mode plain | conga -b -
}

# with FABRIC_WORDS... -- TEST...: runs the test in such a fabric, which is removed afterwards
with() {
	local words=() status=0

	while [[ $1 != -- ]]; do words+=("$1"); shift; done
	shift
	fabric_of_two "${words[@]}" || fail "the fabric cannot be created" || return
	stats_mark "$BOX"
	"$@" || status=1
	conga fabric del
	return "$status"
}

# flows COUNT [MAC]: sends flows of one packet each
flows() {
	pktgen_send "$BOX" vx "count $1" "pkt_size $BYTES" "dst_mac ${2:-$FAR_MAC}" \
		"src_min 192.168.0.1" "src_max $ADDRESSES_LAST" "dst 192.168.0.2" \
		"udp_src_min 1000" "udp_src_max $((1000 + ALL_PORTS))" || fail "pktgen did not send"
}

# grown COUNTER: prints the growth since the mark
grown() {
	local words

	words=" $(stats_growth "$BOX") "
	[[ $words =~ \ $1=([0-9]+)\  ]] && echo "${BASH_REMATCH[1]}" || echo 0
}

# ---- flows ----

# Computes how many bins are not empty when balls fall at random: the expected number and its
# deviation.
occupied() {
	awk -v n="$ALL_FLOWS" -v m="$1" -v sigmas="$SIGMAS" 'BEGIN {
		a = n / m
		printf "%.0f %.0f", m * (1 - exp(-a)),
			sigmas * sqrt(m * (exp(-a) - (1 + a) * exp(-2 * a))) + 1
	}'
}

flows_meet() {
	local first expected room left

	flows "$ALL_FLOWS" || return
	first=$(($(grown flowlets_started) - $(grown flowlets_kept) - $(grown flowlets_moved)))
	read -r expected room < <(occupied "$1")
	left=$(grown tx_steered)
	echo "# $1 entries: $ALL_FLOWS flows took $first of them, by chance $expected +- $room"
	((left == ALL_FLOWS)) || fail "$left of $ALL_FLOWS packets were steered" || return
	((first >= expected - room && first <= expected + room)) ||
		fail "$first entries were taken, expected $expected +- $room"
}

all_flows() {
	with flowlets "$1" flowlet-timeout 1s -- flows_meet "$1"
}

# There are as many flowlets as entries. No flowlet had a pause: each flow continues in the
# flowlet of earlier flows.
few_flowlets() {
	flows "$ALL_FLOWS" || return
	stats_moved "$BOX" "tx_steered=$ALL_FLOWS flowlets_started=$FEW_FLOWLETS"
}

# No flowlet of the other leaf had ended when flows to this leaf arrived.
entries_shared() {
	flows "$SOME" && flows "$SOME" "$OTHER_MAC" || return
	stats_moved "$BOX" "tx_steered=$((2 * SOME)) flowlets_started=$FEW_FLOWLETS \
flowlet_collisions=$SOME"
}

# ---- leaves ----

# leaf_count: prints the number of leaves of the fabric
leaf_count() {
	conga -j fabric show | jq '.[0].leaves'
}

# some_found KIND COUNT: a path is shown for every COUNTth leaf
some_found() {
	local found asked=$(($2 / EACH))

	found=$(leaf_lines "$1" "$2" path get ADDRESS | sed -n "0~${EACH}p" | conga -b - |
		grep -c '^[^ ].* dev up')
	((found == asked)) || fail "only $found of $asked leaves have a path"
}

# many_leaves KIND COUNT
many_leaves() {
	local said count

	fabric_make || fail "the fabric cannot be created" || return
	said=$(leaf_lines "$1" "$2" leaf add ADDRESS mode plain | conga -b - 2>&1) ||
		fail "a leaf was rejected: $said" || return
	count=$(leaf_count)
	((count == $2)) || fail "the fabric has $count leaves, expected $2" || return
	some_found "$1" "$2" || return
	count=$(conga -j leaf show | jq length)
	((count == $2)) || fail "leaf show prints $count leaves, expected $2" || return
	leaf_lines "$1" "$DELETED" leaf del ADDRESS | conga -b - ||
		fail "the leaves cannot be deleted" || return
	count=$(leaf_count)
	((count == $2 - DELETED)) || fail "$count leaves are left, expected $(($2 - DELETED))"
}

leaves_known() {
	local status=0

	many_leaves "$@" || status=1
	conga fabric del
	return "$status"
}

# The number of the last leaf is the largest that a flowlet can hold: flows to this leaf stay in
# their flowlets.
last_leaf_is_used() {
	leaf_address v4 2
	conga leaf add "$ADDRESS" mode plain || fail "the last leaf was rejected" || return
	sleep 1		# until all paths were checked
	stats_mark "$BOX"
	flows "$SOME" "$OTHER_MAC" && flows "$SOME" "$OTHER_MAC" || return
	stats_moved "$BOX" "tx_steered=$((2 * SOME)) flowlets_started=$FEW_FLOWLETS"
}

one_leaf_too_many() {
	local said

	leaf_address v4 2
	conga leaf del "$ADDRESS" || return
	said=$(leaf_lines v4 "$MOST_LEAVES" leaf add ADDRESS mode plain | tail -n +3 | conga -b - 2>&1) ||
		fail "a leaf was rejected: $said" || return
	last_leaf_is_used || return
	leaf_address alike 1
	refused "$TOO_MANY_LEAVES" -n "$BOX" leaf add "$ADDRESS" || return
	(($(leaf_count) == MOST_LEAVES)) ||
		fail "the fabric has $(leaf_count) leaves, expected $MOST_LEAVES" || return
	leaf_address v4 1000
	conga leaf del "$ADDRESS" || return
	leaf_address alike 1
	conga leaf add "$ADDRESS" mode plain || fail "a leaf in place of a removed one was rejected"
}

# ---- clocks ----

# tag_0: prints the metric and its age in ms, as the leaf fed it back
tag_0() {
	conga -j table show to-leaf | jq -r '.[0].rows[] | select(.tag == 0) |
		"\(.metric) \(.age_ns / 1000000 | floor)"'
}

x_of_up0() {
	conga -j port show dev up0 | jq '.[0].dre_bytes'
}

# as_before WORDS: the fields that a few milliseconds do not change are as before, and the same
# packets as then are added to X
as_before() {
	local metric age x more

	read -r metric age < <(tag_0)
	x=$(x_of_up0)
	((metric == 7 && age >= PAUSE_MS && age < 1000)) ||
		fail "$1: the metric fed back is $metric, $age ms old" || return
	((x >= BEFORE * 8 / 10)) || fail "$1: X was $BEFORE, and is $x" || return
	flows 1000 || return
	(($(grown tx_steered) == $2 && $(grown flowlets_started) == FIRST)) ||
		fail "$1: $FIRST flowlets were started before, and now the counters moved by:" \
			"$(stats_growth "$BOX")" || return
	more=$(($(x_of_up0) - x))
	((more >= BEFORE / 2)) || fail "$1: X grew by $more, before by $BEFORE"
}

# Sends one packet of far leaf 1 by the first uplink, which brings feedback.
feed_back() {
	local mac

	mac=$(ip -n "$BOX" -j link show dev up0 | jq -r '.[0].address')
	leaf_address v4 1
	"$TESTS/tools/vxlan_send" -n "$BOX-sink" -d down0 -m "$mac" -s "$ADDRESS" -r 1 10.0.0.1 \
		"$FED_BACK$INNER$INNER_UDP"
}

# set_clock SECONDS: moves the wall clock by this time
set_clock() {
	date -s "@$(($(date +%s) + $1))" >/dev/null || fail "the clock cannot be set"
}

# The first packets start their flowlets; no flowlet starts after the clock was set.
clock_jumps() {
	local now

	now=$(date +%s)
	leaf_address v4 1
	conga leaf set "$ADDRESS" mode conga && flows 1000 || return
	FIRST=$(grown flowlets_started)
	((FIRST > 900 && FIRST <= 1000)) ||
		fail "$FIRST flowlets were started, expected about 1000" || return
	feed_back && sleep "0.$PAUSE_MS" || return
	BEFORE=$(x_of_up0)
	((BEFORE > 0)) || fail "X is $BEFORE, expected more than 0" || return
	set_clock "$DAY" && (($(date +%s) - now >= DAY)) && as_before "a day later" 2000 || return
	set_clock $((-2 * DAY)) && (($(date +%s) < now)) && as_before "a day earlier" 3000
}

# ---- links ----

# shown DEVICE FIELD: prints the field
shown() {
	conga -j port show dev "$1" | jq ".[0].$2"
}

# speed MBITS: sets the speed of tap0
speed() {
	in_ns "$BOX" ethtool -s tap0 speed "$1" duplex full
}

# Tdre is alpha times the duration of four of the largest bursts, at least 16 us and at most 1 s.
tdre() {
	awk -v rate="$1" -v burst="$2" 'BEGIN {
		tdre = 4 * burst * 8e9 / rate * 0.1
		printf("%d", tdre < 16000 ? 16000 : tdre > 1e9 ? 1e9 : tdre)
	}'
}

# speed_followed MBITS: the port has this rate, and the values that follow from it
speed_followed() {
	local rate=$(($1 * 1000000)) burst wanted

	burst=$(ip -n "$BOX" -d -j link show tap0 | jq '.[0].gso_max_size')
	wanted=$(tdre "$rate" "$burst")
	(($(shown tap0 rate_bps) == rate)) ||
		fail "at $1 Mbit/s the rate is $(shown tap0 rate_bps)" ||
		return
	(($(shown tap0 tdre_ns) == wanted)) ||
		fail "at $1 Mbit/s Tdre is $(shown tap0 tdre_ns), expected $wanted"
}

# The speed goes up and down again: the device sends no notification of a change.
link_again() {
	ip -n "$BOX" link set tap0 down && ip -n "$BOX" link set tap0 up
}

speeds() {
	local mbits

	for mbits in 1 10 800000 1000000; do
		speed "$mbits" && conga port add tap0 role transit ||
			fail "a device of $mbits Mbit/s was rejected" || return
		speed_followed "$mbits" && conga port del tap0 || return
	done
	for mbits in 0 1000001 4294967294; do
		speed "$mbits" || fail "the device cannot report $mbits Mbit/s" || return
		refused "$NO_SPEED" -n "$BOX" port add tap0 role transit || return
	done
	speed 10 && conga port add tap0 role transit || return
	for mbits in 800000 1; do
		speed "$mbits" && link_again && speed_followed "$mbits" || return
	done
}

# With the largest Tdre and the smallest alpha the product of rate and tau is at its maximum.
too_fast() {
	local mbits

	speed 800000 && conga fabric set tdre 1s alpha 0.001 &&
		conga port add tap0 role transit || return
	for mbits in 1000001 4294967294; do
		speed "$mbits" && link_again || return
		(($(shown tap0 rate_bps) == 800000000000)) ||
			fail "at $mbits Mbit/s the rate is $(shown tap0 rate_bps)" || return
	done
}

# ---- packets, names ----

mtus() {
	local dev

	for dev in vx up0 up1 up2 up3; do ip -n "$BOX" link set "$dev" mtu "$1" || return; done
}

bytes_sent() {
	conga -j port show | jq 'map(.tx_bytes) | add'
}

# The packets are unsegmented; their headers are those of VXLAN (50), and pktgen counts Ethernet,
# too. Before the test the kernel has sent all packets of its own.
jumbo() {
	local before sent

	mtus 65535 && sleep 60 || return
	before=$(bytes_sent)
	pktgen_send "$BOX" vx "count 1" "pkt_size $JUMBO" "dst_mac $FAR_MAC" "src_min 192.168.0.1" \
		"src_max 192.168.0.1" "dst 192.168.0.2" "udp_src_min 1000" "udp_src_max 1000" || return
	stats_grew "$BOX" tx_steered=1 || return
	sent=$(($(bytes_sent) - before))
	((sent == JUMBO + 50)) || fail "$sent bytes were counted, expected $((JUMBO + 50))"
}

# This is the minimum of IPv4. If the packets' own route also uses that uplink, all packets are
# steered.
least_mtu() {
	ip -n "$BOX" link set up0 mtu 68 && flows 1000 || return
	(($(grown tx_steered) + $(grown fallback_mtu) == 1000 && $(grown tx_steered) > 500)) ||
		fail "$(stats_growth "$BOX")"
}

mtu_edges() {
	local status=0

	with flowlet-timeout 0 -- jumbo || status=1
	mtus 1500
	with policy ecmp -- least_mtu || status=1
	mtus 1500
	return "$status"
}

long_names() {
	ip -n "$BOX" link set up0 down && ip -n "$BOX" link set up0 name "$LONG_NAME" || return
	conga port set "$LONG_NAME" drain on ||
		fail "the tool does not know the long name" || return
	[[ $(conga -j port show dev "$LONG_NAME" | jq -r '.[0] | "\(.dev) \(.drain)"') == \
		"$LONG_NAME true" ]] || fail "$(conga -j port show dev "$LONG_NAME")" || return
	conga port del "$LONG_NAME" && conga port add "$LONG_NAME" role uplink rate 1gbit ||
		fail "the port with the long name cannot be added" || return
	conga path show | grep -q " $LONG_NAME " ||
		fail "path show has no path by the long name" || return
	says 1 "Cannot find device \"${LONG_NAME}p\"" \
		"$CONGA" -n "$BOX" port add "${LONG_NAME}p" role uplink rate 1gbit
}

names() {
	local status=0

	with policy conga -- long_names || status=1
	ip -n "$BOX" link set "$LONG_NAME" down
	ip -n "$BOX" link set "$LONG_NAME" name up0 && ip -n "$BOX" link set up0 up
	return "$status"
}

# ---- settings ----

# ends: prints "POLICY PARAMETER MIN MAX UNIT RANGE" lines; UNIT is ns or -, and RANGE is what the
# sentence about the parameter says
ends() {
	conga -j policy list | jq -r 'def time: if . % 1e9 == 0 then "\(. / 1e9) s" else "\(. / 1e3) us" end;
		.[] | .name as $policy | (.params // [])[] | if has("min_ns")
		then "\($policy) \(.name) \(.min_ns) \(.max_ns) ns a time from \(.min_ns | time) to \(.max_ns | time)"
		else "\($policy) \(.name) \(.min) \(.max) - from \(.min) to \(.max)" end'
}

# goes_on WORD...: with this setting all flows use their paths
goes_on() {
	conga fabric set "$@" || fail "fabric set $* was rejected" || return
	stats_mark "$BOX"
	flows 1000 || return
	(($(grown tx_steered) + $(grown fallback_no_probe) == 1000)) ||
		fail "with $* the counters moved by: $(stats_growth "$BOX")"
}

params_at_ends() {
	local policy param min max unit range count=0

	while read -r policy param min max unit range; do
		unit=${unit#-}
		goes_on policy "$policy" "$param" "$min$unit" &&
			goes_on policy "$policy" "$param" "$max$unit" || return
		# The tool takes no number below 0.
		((!min)) || refused "$param of policy $policy must be $range" -n "$BOX" fabric set \
			policy "$policy" "$param" "$((min - 1))$unit" || return
		refused "$param of policy $policy must be $range" -n "$BOX" fabric set \
			policy "$policy" "$param" "$((max + 1))$unit" || return
		count=$((count + 1))
	done < <(ends)
	((count >= 5)) || fail "only $count parameters were found"
}

settings_at_ends() {
	local setting

	while read -r setting; do
		# shellcheck disable=SC2086 # a list of words
		goes_on $setting || return
	done <<-END
		q 1
		q 6
		tdre 1us alpha 0.001
		tdre 1us alpha 0.5
		tdre 1s alpha 0.001
		tdre 1s alpha 0.5
		flowlet-timeout 0
		flowlet-timeout 1s
		age 100us
		age 10s
		hello 20ms
		hello 10s
		flowlets $MOST_FLOWLETS
		flowlets $FEW_FLOWLETS
	END
}

require_root
require_commands ip jq tc ethtool date
require_exact_time
require_module
pktgen_load || tap_skip_all "needs pktgen"
tap_plan 15
rig_up || die "cannot set up"
tap_up || die "no TUN device"
settle
tap_test "10^6 flows are forwarded with the smallest table" \
	with flowlets "$FEW_FLOWLETS" flowlet-timeout 1s -- few_flowlets
tap_test "10^6 flows are forwarded with a table of the default size" all_flows "$DEFAULT_FLOWLETS"
tap_test "10^6 flows are forwarded with the largest table" all_flows "$MOST_FLOWLETS"
tap_test "a flow to another leaf that meets an entry shares its uplink" \
	with flowlets "$FEW_FLOWLETS" flowlet-timeout 1s -- entries_shared
tap_test "4,096 leaves with IPv4 are known" leaves_known v4 "$LEAVES"
tap_test "4,096 leaves with IPv6 are known" leaves_known v6 "$LEAVES"
tap_test "4,096 leaves with IPv6 whose addresses have equal halves are known" \
	leaves_known alike "$LEAVES"
tap_test "65,535 leaves are accepted, and one more is rejected" \
	with flowlets "$FEW_FLOWLETS" flowlet-timeout 1s -- one_leaf_too_many
tap_test "X and flowlets are unaffected when the wall clock jumps" \
	with tdre 1s age 10s flowlet-timeout 1s -- clock_jumps
tap_test "links from 1 Mbit/s to 1 Tbit/s have their rates" with policy conga -- speeds
tap_test "a link that becomes faster than the highest port rate keeps its rate" \
	with policy conga -- too_fast
tap_test "MTUs of 65,535 and 68 work" mtu_edges
tap_test "names of 15 characters work" names
tap_test "parameters of policies are accepted at the ends of their ranges" \
	with q 3 -- params_at_ends
tap_test "settings are accepted at the ends of their ranges" with policy conga -- settings_at_ends
tap_exit
