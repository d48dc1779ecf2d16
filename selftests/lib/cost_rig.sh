#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost_rig.sh - leaves whose packets are timed. The packets are made by pktgen or arrive by a
# cable, and are dropped on arrival behind the last veth pair. In a machine whose clock counts
# instructions (vm/run -i) nanoseconds are instructions.
#
#	v4_up, tos_up, rule_up, csum_up, v6_up, wide_up, many_up, lag_up, queue_up, queues_up
#				a namespace of that name
#	send v4 8		sets SPENT, per packet, and STAMPED, STARTED
#	undisturbed v4 8 0	likewise, with so many new flowlets
#	recv_up; recv $PLAIN; transit $VXLAN_PORT		likewise, SPENT
#	fabric v4 $UPLINKS 1 conga
#	spine v4 [WORD]...	all links are busy, and paths of other leaves
#
# After send, recv and transit NS is the time of the longer of their two runs, of 2 * PACKETS or
# 2 * STORM packets, which may be set before this file is sourced. Source lib.sh and pktgen.sh
# first.
#
# shellcheck disable=SC2034 # for those who source this

readonly CONGA=$TESTS/../userspace/conga
readonly PACKETS=${PACKETS:-2000} PATIENCE_MS=60000
readonly BYTES=200 FLOWS=8 MANY_FLOWS=1000
readonly UPLINKS=4 MANY_UPLINKS=16 MANY_LEAVES=1000
readonly QUEUES=64 TRIES=3
readonly VXLAN_PORT=4789 OTHER_PORT=5000 VNI=100
readonly FAR_MAC=02:00:00:00:03:00 NEXT_MAC=02:00:00:00:02:00
readonly RATE=40gbit BUSY_RATE=100mbit	# one flow loads the port little, or too much

FABRIC=""		# the namespace that has a fabric

# ---- one leaf and its uplinks, which lead to a namespace that drops all packets ----

# far N: prints the addresses of far leaf N, in IPv4 and IPv6
far() {
	FAR4=10.0.$((1 + $1 / 250)).$((1 + $1 % 250)) FAR6=2001:db8:0:1::$((1 + $1))
}

# links LEAF UPLINKS [QUEUES]: adds up0 and so on, which lead to a namespace that drops all
# packets
links() {
	local leaf=$1 i mine="" theirs=""

	[[ ! ${3-} ]] || mine="numtxqueues $3 numrxqueues 1" theirs="numtxqueues 1 numrxqueues $3"

	ip netns add "$leaf" && ip netns add "$leaf-sink" || return
	in_ns "$leaf" sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.fib_multipath_hash_policy=1 \
		net.ipv6.fib_multipath_hash_policy=1 net.ipv6.conf.all.accept_dad=0 \
		net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.router_solicitations=0
	for ((i = 0; i < $2; i++)); do
		echo "link add up$i $mine netns $leaf up type veth peer name down$i $theirs netns $leaf-sink"
	done | ip -batch - || return
	for ((i = 0; i < $2; i++)); do echo "link set down$i up"; done |
		ip -n "$leaf-sink" -batch - || return
	for ((i = 0; i < $2; i++)); do
		echo "qdisc add dev down$i clsact"
		echo "filter add dev down$i ingress matchall action drop"
	done | tc -n "$leaf-sink" -batch -
}

# addresses LEAF DEVICE...: sets the address of each uplink, and the neighbour behind it
addresses() {
	local leaf=$1 i=0 dev

	shift
	for dev in "$@"; do
		echo "address add 10.1.0.$((2 * i))/31 dev $dev"
		echo "address add 2001:db8:1:$i::1/64 dev $dev nodad"
		echo "neighbour add 10.1.0.$((2 * i + 1)) lladdr $NEXT_MAC dev $dev nud permanent"
		echo "neighbour add 2001:db8:1:$i::2 lladdr $NEXT_MAC dev $dev nud permanent"
		i=$((i + 1))
	done | ip -n "$leaf" -batch -
}

# routes LEAF LEAVES DEVICE...: adds routes to LEAVES far leaves, by all of these devices
routes() {
	local leaf=$1 leaves=$2 i=0 n dev hops4="" hops6=""

	shift 2
	for dev in "$@"; do
		hops4+=" nexthop via 10.1.0.$((2 * i + 1)) dev $dev"
		hops6+=" nexthop via 2001:db8:1:$i::2 dev $dev"
		i=$((i + 1))
	done
	echo "link set lo up"
	echo "address add 10.0.0.1/32 dev lo"
	echo "address add 2001:db8::1/128 dev lo nodad"
	for ((n = 0; n < leaves; n++)); do
		far "$n"
		echo "route add $FAR4/32$hops4"
		((leaves > 1)) || echo "route add $FAR6/128$hops6"
	done
}

# tunnel LEAF REMOTE WORD...: adds device vx, which sends all packets to one far leaf
tunnel() {
	local leaf=$1 remote=$2

	shift 2
	ip -n "$leaf" link add vx up mtu 1400 type vxlan id $VNI dstport $VXLAN_PORT nolearning "$@" &&
		ip -n "$leaf" address add 192.168.0.1/24 dev vx &&
		bridge -n "$leaf" fdb add "$FAR_MAC" dev vx dst "$remote"
}

# leaf NAME UPLINKS LEAVES: adds a leaf without a tunnel
leaf_up() {
	local devices=() i

	for ((i = 0; i < $2; i++)); do devices+=("up$i"); done
	links "$1" "$2" && addresses "$1" "${devices[@]}" &&
		routes "$1" "$3" "${devices[@]}" | ip -n "$1" -batch -
}

# Stock Linux has this default: the tunnel keeps the route that it used first.
v4_up() {
	leaf_up v4 $UPLINKS 1 && far 0 && tunnel v4 "$FAR4" local 10.0.0.1 noudpcsum
}

# With a fixed TOS the tunnel keeps no route, so that each flow is hashed.
tos_up() {
	leaf_up tos $UPLINKS 1 && far 0 && tunnel tos "$FAR4" local 10.0.0.1 noudpcsum tos 4
}

# If routing rules select the source and marks, packets have keys.
rule_up() {
	leaf_up rule $UPLINKS 1 && ip -n rule rule add from 10.0.0.1 fwmark 0/0xff lookup main pref 100 &&
		far 0 && tunnel rule "$FAR4" local 10.0.0.1 noudpcsum
}

csum_up() {
	leaf_up csum $UPLINKS 1 && far 0 && tunnel csum "$FAR4" local 10.0.0.1 udpcsum
}

v6_up() {
	leaf_up v6 $UPLINKS 1 && far 0 && tunnel v6 "$FAR6" local 2001:db8::1
}

wide_up() {
	leaf_up wide $MANY_UPLINKS 1 && far 0 && tunnel wide "$FAR4" local 10.0.0.1 noudpcsum
}

# with_queues NAMESPACE QUEUES QDISC: adds a pfifo_fast for each queue
with_queues() {
	local i default

	default=$(</proc/sys/net/core/default_qdisc)
	sysctl -qw net.core.default_qdisc=pfifo_fast
	links "$1" $UPLINKS "$2" && for ((i = 0; i < UPLINKS; i++)); do
		echo "qdisc replace dev up$i root handle 1: $3"
	done | tc -n "$1" -batch - && addresses "$1" up0 up1 up2 up3 &&
		routes "$1" 1 up0 up1 up2 up3 | ip -n "$1" -batch - &&
		far 0 && tunnel "$1" "$FAR4" local 10.0.0.1 noudpcsum
	sysctl -qw net.core.default_qdisc="$default"
}

queue_up() {
	with_queues queue 1 pfifo_fast
}

queues_up() {
	with_queues queues $QUEUES mq
}

many_up() {
	leaf_up many $UPLINKS $MANY_LEAVES && far $((MANY_LEAVES / 2)) &&
		tunnel many "$FAR4" local 10.0.0.1 noudpcsum
}

# Stock Linux offers this besides ECMP: one link of four, by a hash of the flow.
lag_up() {
	local i

	links lag $UPLINKS && {
		echo "link add lag type bond mode balance-xor xmit_hash_policy layer3+4"
		for ((i = 0; i < UPLINKS; i++)); do
			echo "link set up$i down"
			echo "link set up$i master lag"
		done
		echo "link set lag up"
	} | ip -n lag -batch - && addresses lag lag && routes lag 1 lag | ip -n lag -batch - &&
		far 0 && tunnel lag "$FAR4" local 10.0.0.1 noudpcsum
}

# ---- measuring ----

# generate PACKETS FLOWS: sends in namespace IN, by device vx or DEVICE; sets NS
generate() {
	pktgen_send "$IN" "${DEVICE:-vx}" "count $1" "pkt_size $BYTES" "dst_mac $FAR_MAC" \
		"src_min 192.168.0.1" "src_max 192.168.0.1" "dst 192.168.0.2" \
		"udp_src_min 1000" "udp_src_max $((1000 + $2))" && NS=$((PKTGEN_US * 1000))
}

# counters_read: reads stamped packets and flowlets of the fabric in IN, if it has one
counters_read() {
	COUNTERS=(0 0)
	[[ $IN != "$FABRIC" ]] ||
		mapfile -t COUNTERS < <("$CONGA" -n "$IN" -j stats show all |
			jq '.[0] | .tx_stamped, .flowlets_started')
}

# send NAMESPACE FLOWS: sets SPENT, instructions per packet: the difference between the costs of
# 2n and of n packets, so that the cost of the start, with a flowlet of each flow, cancels out. It
# also sets STAMPED and STARTED, the number of these packets that were stamped and that started a
# flowlet.
send() {
	local once before half

	IN=$1
	counters_read && before=("${COUNTERS[@]}") && generate "$PACKETS" "$2" && counters_read || return
	once=$NS half=("${COUNTERS[@]}")
	generate $((2 * PACKETS)) "$2" && counters_read || return
	SPENT=$(((NS - once) / PACKETS))
	STAMPED=$((COUNTERS[0] - 2 * half[0] + before[0]))
	STARTED=$((COUNTERS[1] - 2 * half[1] + before[1]))
}

# undisturbed NAMESPACE FLOWS STARTED: measures until as many flowlets started as the packets mean.
# Work that the kernel does in between, e.g. to free the fabric before, is a pause for all flows.
undisturbed() {
	local try

	for ((try = 0; try < TRIES; try++)); do
		send "$1" "$2" || die "$1: nothing was sent"
		# In a thousand flows some share an entry. If a policy keeps flows, not flowlets, the
		# longer run finds those of the shorter one.
		((STARTED > $3 || STARTED < ($3 ? $3 * 99 / 100 : -$2))) || return 0
		echo "# $1: $STARTED packets started a flowlet, not $3; again" >&2
	done
	return 1
}

# Packets that arrive by a cable belong to one flow. These are, as hexadecimal digits, the VXLAN
# header, with and without a stamp (LBTag 1, CE 0), and the inner Ethernet, IPv4 and UDP.
readonly STORM=${STORM:-5000} STORM_BATCH=64
readonly PLAIN=0800000000006400 STAMPED_WORD=0810010000006400
readonly INNER=0200000003010200000003000800450000a00000000040110000c0a80002c0a80001
readonly INNER_UDP=03e80009008c0000

# storm_ns PACKETS DATAGRAM WORD...: sets NS; the words are those of vxlan_send
storm_ns() {
	local packets=$1 datagram=$2 batch=() i

	shift 2
	for ((i = 0; i < STORM_BATCH; i++)); do batch+=("$datagram"); done
	NS=$("$TESTS/tools/vxlan_send" -t -r "$packets" -l $((BYTES - 42)) "$@" "${batch[@]}") ||
		die "nothing came by the cable"
}

# storm LEAF DATAGRAM WORD...: sends into the first uplink of LEAF; sets SPENT, as send does
storm() {
	local leaf=$1 datagram=$2 mac once

	shift 2
	mac=$(ip -n "$leaf" -j link show dev up0 | jq -r '.[0].address')
	set -- -n "$leaf-sink" -d down0 -m "$mac" "$@"
	storm_ns "$STORM" "$datagram" "$@"
	once=$NS
	storm_ns $((2 * STORM)) "$datagram" "$@"
	SPENT=$(((NS - once) / STORM))
}

# recv WORD [OPTION]...: the packets go to the tunnel, where no socket receives them. They have no
# UDP checksum, as those that stock Linux sends over IPv4, unless an option -x asks for one.
recv() {
	far 0
	storm v4 "$1$INNER$INNER_UDP" -s "$FAR4" -x 0 "${@:2}" 10.0.0.1
}

# transit PORT [OPTION]...: the packets go to a far leaf, through this node; likewise.
transit() {
	far 0
	storm v4 "$STAMPED_WORD$INNER$INNER_UDP" -s 10.9.9.9 -p "$1" -x 0 "${@:2}" "$FAR4"
}

recv_up() {
	in_ns v4 sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.forwarding=1 &&
		tc -n v4 qdisc add dev vx clsact &&
		tc -n v4 filter add dev vx ingress matchall action drop
}

# ---- with a fabric ----

# fabric NAMESPACE UPLINKS LEAVES POLICY [RATE]: adds a fabric with default settings, except for
# requests that its neighbours do not answer
fabric() {
	local i rate=${5:-$RATE}

	{
		echo "fabric add hello off policy $4"
		for ((i = 0; i < $2; i++)); do echo "port add dev up$i role uplink rate $rate"; done
		for ((i = 0; i < $3; i++)); do
			far "$i"
			[[ $1 != v6 ]] || FAR4=$FAR6
			echo "leaf add $FAR4 mode conga"
		done
	} | "$CONGA" -n "$1" -b -
}

# spine NAMESPACE [WORD]...: adds a fabric with these words; all its links are paths of other
# leaves
spine() {
	local i

	{
		echo "fabric add ${*:2}"
		for ((i = 0; i < UPLINKS; i++)); do
			echo "port add dev up$i role transit rate $BUSY_RATE"
		done
	} | "$CONGA" -n "$1" -b -
}

# counter NAMESPACE NAME: prints a counter of the fabric
counter() {
	"$CONGA" -n "$1" -j stats show all | jq -e ".[0].$2"
}
