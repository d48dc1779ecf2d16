#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CHECKSUM_COMPLETE: a network card sums up every frame. When a leaf clears bits, or takes off a
# mark, it must adjust the sum, too: the sum must be right when the tunnel receives the packet and when the inner
# packet arrives, with or without a checksum in the outer header, over IPv4 and IPv6, in plain
# VXLAN and GPE, and in every kind of skb. A wrong sum would not lose the packet: the kernel sums
# up again, and warns once about the card. So a module of this test, selftests/inject, checks the
# sum of every packet. The controls show that it notices a wrong sum, and that damaged packets are
# dropped.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/tcp.sh"

TOPO_SPINES=1
TOPO_LINKS=1
TOPO_HOSTS=0

readonly PORT6=8472 GPE_PORT=4790	# in addition to 4789
readonly SINK=9
readonly PINGS=5 DATAGRAMS=5 PAYLOAD=101
readonly PACKETS_EACH=$((PINGS + DATAGRAMS))
readonly PATIENCE_MS=20000

# These are the tunnels between the leaves, on which leaf l has the address of NET.(l + 1).
declare -rA NET=([v4]=10.61.0 [v4sum]=10.62.0 [v6]=10.63.0 [v6sum]=10.64.0
	[gpe]=10.65.0 [gpesum]=10.66.0 [gpe6sum]=10.67.0)
readonly -a SHAPES=("" "paged odd" "odd cloned" "paged cloned")

# ---- set up ----

mac_of() {
	ip -n "$1" -br link show "$2" | awk '{ print $3 }'
}

# Permanent neighbour entries make discovery unnecessary, as in the tunnels.
underlay6() {
	local l mac

	for l in 0 1; do
		mac=$(mac_of "${SPINE[0]}" "down$l.0")
		ip -n "${LEAF[l]}" neighbour add "fd01::$((2 * l + 1))" lladdr "$mac" dev up0 nud permanent &&
			ip -n "${SPINE[0]}" neighbour add "fd01::$((2 * l))" \
				lladdr "$(mac_of "${LEAF[l]}" up0)" dev "down$l.0" nud permanent || return
	done
	ip -n "${SPINE[0]}" -batch - <<-END || return
		address add fd01::1/127 dev down0.0 nodad
		address add fd01::3/127 dev down1.0 nodad
		route add fd00::11/128 via fd01:: dev down0.0
		route add fd00::12/128 via fd01::2 dev down1.0
	END
	ip -n "${LEAF[0]}" -batch - <<-END || return
		address add fd01::/127 dev up0 nodad
		address add fd00::11/128 dev lo nodad
		route add fd00::12/128 via fd01::1 dev up0
	END
	ip -n "${LEAF[1]}" -batch - <<-END
		address add fd01::2/127 dev up0 nodad
		address add fd00::12/128 dev lo nodad
		route add fd00::11/128 via fd01::3 dev up0
	END
}

# tunnel_lines LEAF NAME VNI WORD...: a tunnel of Ethernet frames. No neighbour is resolved, so
# every packet is one of the test's.
tunnel_lines() {
	local l=$1 name=$2

	echo "link add $name up address 02:00:00:00:00:0$((1 + l)) type vxlan id $3 ttl 64 ${*:4}"
	echo "address add ${NET[$name]}.$((1 + l))/24 dev $name"
	echo "neighbour add ${NET[$name]}.$((2 - l)) lladdr 02:00:00:00:00:0$((2 - l)) \
dev $name nud permanent"
}

# gpe_lines LEAF NAME ID WORD...: a tunnel of IP packets by one device
gpe_lines() {
	local l=$1 name=$2

	echo "address add ${NET[$name]}.$((1 + l))/32 dev gpe"
	echo "route add ${NET[$name]}.$((2 - l))/32 encap ${*:4} id $3 dev gpe \
src ${NET[$name]}.$((1 + l))"
}

tunnels() {
	local l=$1
	local by4="local ${VTEP[l]} remote ${VTEP[1 - l]} dstport 4789"
	local by6="local fd00::1$((1 + l)) remote fd00::1$((2 - l)) dstport"
	local gpe4="ip ttl 64 src ${VTEP[l]} dst ${VTEP[1 - l]}"
	local gpe6="ip6 hoplimit 64 src fd00::1$((1 + l)) dst fd00::1$((2 - l))"

	tunnel_lines "$l" v4 11 "$by4" noudpcsum
	tunnel_lines "$l" v4sum 12 "$by4" udpcsum
	tunnel_lines "$l" v6 13 "$by6 $PORT6" udp6zerocsumtx udp6zerocsumrx
	tunnel_lines "$l" v6sum 14 "$by6 4789"
	echo "link add gpe up type vxlan dstport $GPE_PORT external gpe"
	gpe_lines "$l" gpe 15 "$gpe4"
	gpe_lines "$l" gpesum 16 "$gpe4" csum
	gpe_lines "$l" gpe6sum 17 "$gpe6" csum
}

# A card receives frames as they are on the wire, so the spine cuts and sums up.
leaf_up() {
	local l=$1

	in_ns "${LEAF[l]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		in_ns "${SPINE[0]}" ethtool -K "down$l.0" tx off gso off tso off >/dev/null &&
		tunnels "$l" | ip -n "${LEAF[l]}" -batch - &&
		conga_batch "${LEAF[l]}" <<-END
			fabric add $QUIET dstport 4789 dstport $PORT6 dstport $GPE_PORT
			port add up0 role uplink rate 1tbit
			leaf add ${VTEP[1 - l]} mode conga
			leaf add fd00::1$((2 - l)) mode conga
		END
}

setup() {
	topo_up && tunnel_says_nothing && underlay6 && leaf_up 0 && leaf_up 1 && pin "${LEAF[1]}" && listen
}

listen() {
	"$TESTS/tools/udp_listen" "${LEAF[1]}" "$SINK" >"$TOPO_DIR/sink" &
	busywait "$PATIENCE_MS" grep -qs listening "$TOPO_DIR/sink"
}

# ---- the card ----

card_is() {
	echo "$*" >"/proc/${PIN[${LEAF[1]}]}/net/conga_inject" ||
		fail "the device cannot be set to \"$*\""
}

# Prints the counters of the card and of its checker that are not zero.
card_says() {
	local word words said=""

	read -r -a words <"/proc/${PIN[${LEAF[1]}]}/net/conga_inject"
	for word in "${words[@]}"; do
		[[ $word == *=0 ]] || said+=" $word"
	done
	echo "${said# }"
}

card_said() {
	[[ $(card_says) == "$1" ]] || fail "the device reported $(card_says), expected: $1"
}

# The kernel warns about the first packet only, whichever device receives it.
kernel_is_content() {
	local said

	said=$(dmesg | grep -c "hw csum failure")
	[[ $said == 0 ]] || fail "the kernel counted a wrong checksum"
}

# ---- traffic ----

sink_lines() {
	(($(wc -l <"$TOPO_DIR/sink") >= $1))
}

# The inner checksum of a datagram is verified before a socket receives it.
datagrams() {
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -c "$DATAGRAMS" -l "$PAYLOAD" -p "$SINK" "$1" c0ffee
}

datagrams_arrive() {
	local before

	before=$(wc -l <"$TOPO_DIR/sink")
	datagrams "$1" || return
	busywait "$PATIENCE_MS" sink_lines $((before + DATAGRAMS)) ||
		fail "$1: not all datagrams arrived"
}

# The card is on leaf 1 alone: one packet of each ping passes it.
pings_return() {
	local said

	said=$(in_ns "${LEAF[0]}" ping -q -n -c "$PINGS" -i 0.01 -W 5 -s "$PAYLOAD" "$1")
	[[ $said == *" $PINGS received"* ]] || fail "ping $1: ${said##*---}"
}

no_errors() {
	local errors

	errors=$(csum_errors "${LEAF[1]}")
	[[ $errors == "$ERRORS" ]] || fail "the kernel counted $((errors - ERRORS)) checksum errors"
}

# shape_is_true NAME SHAPE
shape_is_true() {
	local to=${NET[$1]}.2 kept=""

	[[ $2 != *cloned* ]] || kept=" kept_same=$PACKETS_EACH"
	card_is up0 "$2" && pings_return "$to" && datagrams_arrive "$to" || return
	card_said "injected=$PACKETS_EACH outer_true=$PACKETS_EACH inner_true=$PACKETS_EACH$kept"
}

# Every packet of the card had a stamp, which was cleared.
sum_is_true() {
	local shape count=$((PACKETS_EACH * ${#SHAPES[@]}))

	ERRORS=$(csum_errors "${LEAF[1]}")
	stats_mark "${LEAF[1]}"
	for shape in "${SHAPES[@]}"; do
		shape_is_true "$1" "$shape" || fail "device shape ${shape:-plain} failed" || return
	done
	no_errors && kernel_is_content &&
		stats_grew "${LEAF[1]}" "rx_stamped=$count rx_learnt=$count"
}

# The spine marks every packet, of which none uses ECN inside: the leaf takes the mark off. IPv6 has
# no header checksum that would keep the sum as it was.
marked_sum_is_true() {
	local status=0

	in_ns "${SPINE[0]}" nft -f - <<-END || return
		table inet marks {
			chain forward {
				type filter hook forward priority 0;
				ip ecn set ce
				ip6 ecn set ce
			}
		}
	END
	sum_is_true "$1" && stats_grew "${LEAF[1]}" "ecn_restored=$((PACKETS_EACH * ${#SHAPES[@]}))" ||
		status=1
	in_ns "${SPINE[0]}" nft delete table inet marks && return "$status"
}

# ---- controls ----

# This control runs without GRO, which would write to the kernel's log.
lies_are_seen() {
	local name

	for name in v4 v6; do
		in_ns "${LEAF[1]}" ethtool -K "$name" gro off >/dev/null || return
		card_is up0 lie && datagrams_arrive "${NET[$name]}.2" || return
		card_said "injected=$DATAGRAMS outer_false=$DATAGRAMS inner_false=$DATAGRAMS" ||
			return
	done
}

errors_are() {
	(($(csum_errors "${LEAF[1]}") - ERRORS == $1))
}

# The outer or the inner checksum detects the damaged packets, and no socket receives them.
damaged_are_dropped() {
	local before name

	before=$(wc -l <"$TOPO_DIR/sink")
	for name in "${!NET[@]}"; do
		ERRORS=$(csum_errors "${LEAF[1]}")
		card_is up0 "$1" corrupt && datagrams "${NET[$name]}.2" || return
		busywait "$PATIENCE_MS" errors_are "$DATAGRAMS" ||
			fail "$name: the kernel counted $(($(csum_errors "${LEAF[1]}") - ERRORS))" \
				"checksum errors" || return
	done
	(($(wc -l <"$TOPO_DIR/sink") == before)) || fail "a corrupted datagram was delivered"
}

# ---- streams ----

stream_crosses() {
	tcp_between "${LEAF[0]},${NET[$1]}.1" "${LEAF[1]},${NET[$1]}.2" -b -C 50e6 -l 1 -S 20000 \
		-n 5 -c 2
}

streams_cross() {
	local name words

	ERRORS=$(csum_errors "${LEAF[1]}")
	for name in "${!NET[@]}"; do
		card_is up0 paged odd cloned && stream_crosses "$name" || fail "$name" || return
		words=$(card_says)
		[[ $words == *outer_true=* && $words != *@(unfit|outer_false|inner_false|changed)* ]] ||
			fail "$name: the device reported $words" || return
	done
	no_errors && kernel_is_content
}

# The module is built by vm/module, or in its own folder.
card_file() {
	local built

	built=$(module_file inject/conga_inject)
	[[ -e $built ]] && echo "$built" || echo "$TESTS/inject/conga_inject.ko"
}

load_card() {
	[[ -e /proc/net/conga_inject ]] || insmod "$(card_file)" || return
	[[ ! -e /sys/module/conga_inject ]] || defer rmmod conga_inject
}

tap_plan 15
require_root
require_commands ip ethtool ping dmesg sysctl nft
require_module
load_card || tap_skip_all "needs conga_inject.ko: build selftests/inject"
setup || die "the fabric cannot be set up"
tap_test "v4: the inner checksum stays right without an outer checksum" sum_is_true v4
tap_test "v4: the inner checksum stays right with an outer checksum" sum_is_true v4sum
tap_test "v6: the inner checksum stays right without an outer checksum" sum_is_true v6
tap_test "v6: the inner checksum stays right with an outer checksum" sum_is_true v6sum
tap_test "GPE, v4: the inner checksum stays right without an outer checksum" sum_is_true gpe
tap_test "GPE, v4: the inner checksum stays right with an outer checksum" sum_is_true gpesum
tap_test "GPE, v6: the inner checksum stays right with an outer checksum" sum_is_true gpe6sum
tap_test "v4: the inner checksum stays right where a mark is taken off" marked_sum_is_true v4sum
tap_test "v6: the inner checksum stays right where a mark is taken off, without an outer checksum" \
	marked_sum_is_true v6
tap_test "v6: the inner checksum stays right where a mark is taken off, with an outer checksum" \
	marked_sum_is_true v6sum
tap_test "GPE, v6: the inner checksum stays right where a mark is taken off" marked_sum_is_true gpe6sum
tap_test "TCP streams cross all tunnels" streams_cross
tap_test "the test notices a wrong checksum" lies_are_seen
tap_test "damaged packets are dropped" damaged_are_dropped
tap_test "damaged packets in pages are dropped" damaged_are_dropped "paged odd"
tap_exit
