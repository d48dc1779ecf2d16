#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost.sh - what a packet costs, in instructions, on the stock kernel and with conga.
#
# For make bench-cost: a machine whose clock counts instructions (vm/run -i), so that
# a time in nanoseconds is a number of instructions, on any computer and however busy
# it is. Everything is measured first without the module, then with it, in one boot.
# Prints a line a case:
#
#	cost CASE INSTRUCTIONS RATIO	per packet; to the stock kernel in the same case
#
# Packets of 200 bytes are sent by the kernel's pktgen into a VXLAN device, or by a
# packet socket as if they came by a cable; behind the last veth pair they are dropped
# on arrival, which is part of every number.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"
# shellcheck source=selftests/pktgen.sh
. "$HERE/pktgen.sh"

readonly CONGA=$HERE/../userspace/conga
readonly PACKETS=2000 PATIENCE_MS=10000
readonly BYTES=200 FLOWS=8 MANY_FLOWS=1000
readonly UPLINKS=4 MANY_UPLINKS=16 MANY_LEAVES=1000
readonly VXLAN_PORT=4789 OTHER_PORT=5000 VNI=100
readonly FAR_MAC=02:00:00:00:03:00
readonly RATE=40gbit BUSY_RATE=100mbit	# the packets of one flow are few, or too many

declare -A COST=()	# CASE -> instructions, of the stock kernel
FABRIC=""		# the namespace that has one
SAID=$(mktemp)		# by tcpdump
defer "rm -f $SAID"

# ---- one leaf, its uplinks, and nothing behind them ----

# far N: addresses of far leaf N, in IPv4 and IPv6
far() {
	FAR4=10.0.$((1 + $1 / 250)).$((1 + $1 % 250)) FAR6=2001:db8:0:1::$((1 + $1))
}

# links LEAF UPLINKS: up0 ... to a namespace that drops all
links() {
	local leaf=$1 i

	ip netns add "$leaf" && ip netns add "$leaf-sink" || return
	in_ns "$leaf" sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.fib_multipath_hash_policy=1 \
		net.ipv6.fib_multipath_hash_policy=1 net.ipv6.conf.all.accept_dad=0 \
		net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.router_solicitations=0
	for ((i = 0; i < $2; i++)); do
		echo "link add up$i netns $leaf up type veth peer name down$i netns $leaf-sink"
	done | ip -batch - || return
	for ((i = 0; i < $2; i++)); do echo "link set down$i up"; done |
		ip -n "$leaf-sink" -batch - || return
	for ((i = 0; i < $2; i++)); do
		echo "qdisc add dev down$i clsact"
		echo "filter add dev down$i ingress matchall action drop"
	done | tc -n "$leaf-sink" -batch -
}

# addresses LEAF DEVICE...: of each uplink, and the neighbour behind it
addresses() {
	local leaf=$1 i=0 dev

	shift
	for dev in "$@"; do
		echo "address add 10.1.0.$((2 * i))/31 dev $dev"
		echo "address add 2001:db8:1:$i::1/64 dev $dev nodad"
		echo "neighbour add 10.1.0.$((2 * i + 1)) lladdr 02:00:00:00:02:00 dev $dev nud permanent"
		echo "neighbour add 2001:db8:1:$i::2 lladdr 02:00:00:00:02:00 dev $dev nud permanent"
		i=$((i + 1))
	done | ip -n "$leaf" -batch -
}

# routes LEAF LEAVES DEVICE...: to so many far leaves, by all of these
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

# tunnel LEAF REMOTE WORD...: device vx, by which all goes to one far leaf
tunnel() {
	local leaf=$1 remote=$2

	shift 2
	ip -n "$leaf" link add vx up mtu 1400 type vxlan id $VNI dstport $VXLAN_PORT nolearning "$@" &&
		ip -n "$leaf" address add 192.168.0.1/24 dev vx &&
		bridge -n "$leaf" fdb add "$FAR_MAC" dev vx dst "$remote"
}

# leaf NAME UPLINKS LEAVES: without a tunnel
leaf_up() {
	local devices=() i

	for ((i = 0; i < $2; i++)); do devices+=("up$i"); done
	links "$1" "$2" && addresses "$1" "${devices[@]}" &&
		routes "$1" "$3" "${devices[@]}" | ip -n "$1" -batch -
}

# As stock Linux comes: the tunnel keeps the route that it took first.
v4_up() {
	leaf_up v4 $UPLINKS 1 && far 0 && tunnel v4 "$FAR4" local 10.0.0.1 noudpcsum
}

# With a fixed TOS it keeps none, so that each flow is hashed.
tos_up() {
	leaf_up tos $UPLINKS 1 && far 0 && tunnel tos "$FAR4" local 10.0.0.1 noudpcsum tos 4
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

many_up() {
	leaf_up many $UPLINKS $MANY_LEAVES && far $((MANY_LEAVES / 2)) &&
		tunnel many "$FAR4" local 10.0.0.1 noudpcsum
}

# What stock Linux offers beside ECMP: one link of four, by a hash of the flow.
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

# generate PACKETS FLOWS: in IN; sets NS
generate() {
	pktgen_send "$IN" vx "count $1" "pkt_size $BYTES" "dst_mac $FAR_MAC" \
		"src_min 192.168.0.1" "src_max 192.168.0.1" "dst 192.168.0.2" \
		"udp_src_min 1000" "udp_src_max $((1000 + $2))" && NS=$((PKTGEN_US * 1000))
}

# counters_read: of the fabric in IN, if there is one: stamped packets, flowlets
counters_read() {
	COUNTERS=(0 0)
	[[ $IN != "$FABRIC" ]] ||
		mapfile -t COUNTERS < <("$CONGA" -n "$IN" -j stats show all |
			jq '.[0] | .tx_stamped, .flowlets_started')
}

# send NAMESPACE FLOWS: sets SPENT, instructions per packet: what twice as many packets
# take more than once as many, so that how it begins, with a flowlet of each flow,
# cancels out. Of these packets so many are STAMPED, and STARTED a flowlet.
send() {
	local once before

	IN=$1
	generate $PACKETS "$2" && counters_read || return
	once=$NS before=("${COUNTERS[@]}")
	generate $((2 * PACKETS)) "$2" && counters_read || return
	SPENT=$(((NS - once) / PACKETS))
	STAMPED=$((COUNTERS[0] - 2 * before[0])) STARTED=$((COUNTERS[1] - 2 * before[1]))
}

# Packets that come by a cable are of one flow; as hexadecimal digits the VXLAN header,
# with and without a stamp (LBTag 1, CE 0), and Ethernet, IPv4 and UDP of what is inside.
readonly STORM=5000 STORM_BATCH=64
readonly PLAIN=0800000000006400 STAMPED_WORD=0810010000006400
readonly INNER=0200000003010200000003000800450000a00000000040110000c0a80002c0a80001
readonly INNER_UDP=03e80009008c0000

# storm_ns PACKETS DATAGRAM WORD...: sets NS; of vxlan_send
storm_ns() {
	local packets=$1 datagram=$2 batch=() i

	shift 2
	for ((i = 0; i < STORM_BATCH; i++)); do batch+=("$datagram"); done
	NS=$("$HERE/vxlan_send" -t -r "$packets" -l $((BYTES - 42)) "$@" "${batch[@]}") ||
		die "nothing came by the cable"
}

# storm LEAF DATAGRAM WORD...: into the first uplink of LEAF; sets SPENT, as send does
storm() {
	local leaf=$1 datagram=$2 mac once

	shift 2
	mac=$(ip -n "$leaf" -j link show dev up0 | jq -r '.[0].address')
	set -- -n "$leaf-sink" -d down0 -m "$mac" "$@"
	storm_ns $STORM "$datagram" "$@"
	once=$NS
	storm_ns $((2 * STORM)) "$datagram" "$@"
	SPENT=$(((NS - once) / STORM))
}

# To the tunnel, whose packets nobody takes
recv() {
	far 0
	storm v4 "$1$INNER$INNER_UDP" -s "$FAR4" 10.0.0.1
}

# To a far leaf, by way of this box
transit() {
	far 0
	storm v4 "$STAMPED_WORD$INNER$INNER_UDP" -s 10.9.9.9 -p "$1" "$FAR4"
}

recv_up() {
	in_ns v4 sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.forwarding=1 &&
		tc -n v4 qdisc add dev vx clsact &&
		tc -n v4 filter add dev vx ingress matchall action drop
}

# said CASE STOCK: SPENT, beside what the stock kernel took in the case STOCK
said() {
	[[ ${COST[$2]-} ]] || COST[$2]=$SPENT
	awk -v name="$1" -v spent="$SPENT" -v stock="${COST[$2]}" \
		'BEGIN { printf "cost %s %d %.3f\n", name, spent, spent / stock }'
}

stock() {
	send "$2" $FLOWS || die "$1: nothing was sent"
	said "$1" "$1"
}

# ---- with a fabric ----

# fabric NAMESPACE UPLINKS LEAVES POLICY: as an operator makes one, defaults only, but
# what its neighbours do not answer
fabric() {
	local i

	{
		echo "fabric add hello off policy $4"
		for ((i = 0; i < $2; i++)); do echo "port add dev up$i role uplink rate $RATE"; done
		for ((i = 0; i < $3; i++)); do
			far "$i"
			[[ $1 != v6 ]] || FAR4=$FAR6
			echo "leaf add $FAR4 mode conga"
		done
	} | "$CONGA" -n "$1" -b -
}

# spine NAMESPACE: all its links are somebody else's path
spine() {
	local i

	{
		echo "fabric add"
		for ((i = 0; i < UPLINKS; i++)); do
			echo "port add dev up$i role transit rate $BUSY_RATE"
		done
	} | "$CONGA" -n "$1" -b -
}

counter() {
	"$CONGA" -n "$1" -j stats show all | jq -e ".[0].$2"
}

# captured COMMAND...: while somebody captures at all uplinks, who does not get to read
captured() {
	local status=0 i pids=()

	for ((i = 0; i < UPLINKS; i++)); do
		nsenter --net=/run/netns/v4 tcpdump -i "up$i" -B 8192 -w /dev/null 2>"$SAID" &
		pids+=($!)
		busywait $PATIENCE_MS grep -q 'listening on' "$SAID" || die "tcpdump does not capture"
	done
	kill -STOP "${pids[@]}"
	"$@" || status=$?
	kill -CONT "${pids[@]}" && kill "${pids[@]}" && wait "${pids[@]}"
	return "$status"
}

# ours CASE NAMESPACE UPLINKS LEAVES POLICY FLOWS STARTED STOCK: what was measured is
# what was meant
ours() {
	fabric "$2" "$3" "$4" "$5" || die "$1-$5: no fabric"
	FABRIC=$2
	send "$2" "$6" || die "$1-$5: nothing was sent"
	((STAMPED == PACKETS)) || die "$1-$5: $STAMPED of $PACKETS packets are stamped"
	# Of a thousand flows some have an entry in common.
	((STARTED <= $7 && STARTED >= $7 * 99 / 100)) ||
		die "$1-$5: $STARTED packets started a flowlet, not $7"
	said "$1-$5" "$8"
	"$CONGA" -n "$2" fabric del
	FABRIC=""
}

receive_cases() {
	fabric v4 $UPLINKS 1 conga && recv $STAMPED_WORD && said recv stock-recv
	(($(counter v4 rx_learnt) == 3 * STORM)) || die "recv: not every packet was learnt from"
	"$CONGA" -n v4 fabric del
	spine v4 && transit $VXLAN_PORT && said transit stock-transit
	# But for the first ones, which find an idle link
	(($(counter v4 ce_raised) > 3 * STORM * 95 / 100)) || die "transit: CE was not raised"
	transit $OTHER_PORT && said port-other stock-port-other
	"$CONGA" -n v4 fabric del
}

# The cases of a policy; STARTS says whether it has flowlets.
send_cases() {
	local policy=$1 starts=$2

	ours send-steady v4 $UPLINKS 1 "$policy" $FLOWS 0 stock-pinned
	ours send-start wide $MANY_UPLINKS 1 "$policy" $MANY_FLOWS $((starts * PACKETS)) stock-16-uplinks
	ours send-1000-leaves many $UPLINKS $MANY_LEAVES "$policy" $FLOWS 0 stock-1000-leaves
	ours send-v6 v6 $UPLINKS 1 "$policy" $FLOWS 0 stock-v6
	ours send-udpcsum csum $UPLINKS 1 "$policy" $FLOWS 0 stock-udpcsum
	captured ours send-capture v4 $UPLINKS 1 "$policy" $FLOWS 0 stock-capture
}

main() {
	local shape

	pktgen_load || die "no pktgen"
	for shape in v4 tos csum v6 wide many lag; do
		"${shape}_up" || die "$shape cannot be set up"
	done
	stock stock-pinned v4
	stock stock-ecmp tos
	stock lag lag
	stock stock-v6 v6
	stock stock-udpcsum csum
	stock stock-1000-leaves many
	stock stock-16-uplinks wide
	recv_up
	recv $PLAIN && said stock-recv stock-recv
	transit $VXLAN_PORT && said stock-transit stock-transit
	transit $OTHER_PORT && said stock-port-other stock-port-other
	captured stock stock-capture v4
	module_load || die "no module"
	send v4 $FLOWS && said idle stock-pinned
	fabric tos $UPLINKS 1 conga && send v4 $FLOWS && said other-netns stock-pinned
	"$CONGA" -n tos fabric del
	send_cases conga 1
	send_cases ecmp 0
	receive_cases
}

main "$@"
