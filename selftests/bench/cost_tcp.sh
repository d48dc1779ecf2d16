#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost_tcp.sh - the cost of TCP through a tunnel in instructions, on the stock kernel and with
# conga.
#
# make bench-cost runs it, like cost.sh, in a machine whose clock counts instructions. Two leaves
# have four links between them, and a connection leads from one to the other. Sender, network and
# receiver share the processor, so that the cost of a byte or of a transaction is the sum of
# theirs. All cases are measured first without the module, then with it, in one boot. It prints a
# line for each case:
#
#	cost CASE INSTRUCTIONS RATIO MORE	ratio and difference to the stock kernel
#						in the same case
#
#	bulk		1,000 bytes of a transfer by iperf3, in packets of up to 64 KB
#	segments	the same, cut into frames by the sender's links and merged again
#			by the receiver's
#	rr		a request of 16 bytes and a response of one, by flowgen
#
# All programs work all the time, so that time equals instructions. Sometimes a program waits some
# milliseconds for one of its own pages: therefore the result is the least of several transfers,
# and the median transaction.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly CONGA=$TESTS/../userspace/conga
readonly UPLINKS=4 RATE=40gbit MTU=1600
readonly RUNS=4 BULK_BYTES=32000000 TRANSACTIONS=1000
readonly IPERF_PORT=5201 PATIENCE_MS=10000
readonly LEAVES=(0 1)

declare -A COST=()	# CASE -> instructions of the stock kernel
DIR=$(mktemp -d)
defer "rm -rf $DIR"

# ---- two leaves, and links between them ----

namespaces() {
	local l

	for l in "${LEAVES[@]}"; do
		ip netns add "leaf$l" &&
			in_ns "leaf$l" sysctl -qw net.ipv4.conf.all.rp_filter=0 \
				net.ipv4.fib_multipath_hash_policy=1 net.ipv4.tcp_no_metrics_save=1 \
				net.core.txrehash=0 net.ipv6.conf.all.disable_ipv6=1 \
				net.ipv6.conf.default.disable_ipv6=1 || return
	done
}

links() {
	local i

	for ((i = 0; i < UPLINKS; i++)); do
		echo "link add up$i netns leaf0 up mtu $MTU type veth peer name up$i netns leaf1 mtu $MTU"
	done | ip -batch -
}

# routes LEAF: adds routes and addresses
routes() {
	local leaf=$1 peer=$((1 - $1)) i hops=""

	echo "link set lo up"
	echo "address add 10.0.0.1$leaf/32 dev lo"
	for ((i = 0; i < UPLINKS; i++)); do
		echo "link set up$i up"
		echo "address add 10.1.$i.$leaf/31 dev up$i"
		hops+=" nexthop via 10.1.$i.$peer dev up$i"
	done
	echo "route add 10.0.0.1$peer/32$hops"
}

# tunnel LEAF: adds device vx, to the other leaf, and permanent neighbours
tunnel() {
	local leaf=$1 peer=$((1 - $1))

	echo "link add vx up address 02:00:00:00:00:0$leaf type vxlan id 100 local 10.0.0.1$leaf" \
		"remote 10.0.0.1$peer dstport 4789 nolearning"
	echo "address add 192.168.0.1$leaf/24 dev vx"
	echo "neighbour add 192.168.0.1$peer lladdr 02:00:00:00:00:0$peer dev vx nud permanent"
}

setup() {
	local l

	namespaces && links || return
	for l in "${LEAVES[@]}"; do
		{ routes "$l"; tunnel "$l"; } | ip -n "leaf$l" -batch - || return
	done
}

# segments {on|off}: leaf 0 cuts the packets that it sends, and leaf 1 merges those that it
# receives
segments() {
	local i not=on

	[[ $1 == off ]] || not=off
	for ((i = 0; i < UPLINKS; i++)); do
		in_ns leaf0 ethtool -K "up$i" tso "$not" gso "$not" &&
			in_ns leaf1 ethtool -K "up$i" gro "$1" || return
	done >/dev/null
}

# ---- measuring ----

listens() {
	[[ $(in_ns leaf1 ss -Hltn "sport = :$IPERF_PORT") ]]
}

# transfer: sets SPENT to the cost of 1,000 bytes
transfer() {
	local server

	nsenter --net=/run/netns/leaf1 iperf3 -s -1 >/dev/null &
	server=$!
	busywait $PATIENCE_MS listens || return
	in_ns leaf0 iperf3 -c 192.168.0.11 -n $BULK_BYTES -J >"$DIR/bulk" && wait $server || return
	SPENT=$(jq -e '.end.sum_received | .seconds * 1e12 / .bytes | round' "$DIR/bulk")
}

# Each transaction begins when the previous one is complete.
transactions() {
	local i

	echo "0 1 1 0 0 0 - -"
	for ((i = 1; i < TRANSACTIONS; i++)); do echo "0 1 1 0 0 $i $((i - 1)) -"; done
}

# bulk: sets SPENT to the least of several transfers, after one that fills caches
bulk() {
	local run least=""

	transfer || return
	for ((run = 0; run < RUNS; run++)); do
		transfer || return
		((least && least < SPENT)) || least=$SPENT
	done
	SPENT=$least
}

# rr: sets SPENT to the cost of a transaction
rr() {
	"$TESTS/tools/flowgen" -q -R -T "$DIR/transactions" -o "$DIR/rr" -h leaf0,192.168.0.10 \
		-h leaf1,192.168.0.11 >/dev/null || return
	SPENT=$(awk '!/^#/ && $NF == 1 { printf "%.0f\n", $3 * 1e9 }' "$DIR/rr" | sort -n |
		awk -v all=$TRANSACTIONS '
			NR == int(all / 2) { median = $1 }
			END { if (NR != all) exit 1; print median }')
}

# measure CASE COMMAND KIND: runs the case and prints the result
measure() {
	"$2" || die "$1-$3: TCP failed"
	[[ $3 != stock ]] || COST[$1]=$SPENT
	awk -v name="$1-$3" -v spent="$SPENT" -v stock="${COST[$1]}" \
		'BEGIN { printf "cost %s %d %.3f %d\n", name, spent, spent / stock, spent - stock }'
}

# cases KIND
cases() {
	measure bulk bulk "$1"
	measure rr rr "$1"
	segments on || die "the offloads cannot be switched"
	measure segments bulk "$1"
	segments off || die "the offloads cannot be switched"
}

# ---- with a fabric ----

# fabric LEAF: adds a fabric with default settings that sends no control packets
fabric() {
	local i

	{
		echo "fabric add hello off explicit-feedback off"
		for ((i = 0; i < UPLINKS; i++)); do echo "port add dev up$i role uplink rate $RATE"; done
		echo "leaf add 10.0.0.1$((1 - $1)) mode conga"
	} | "$CONGA" -n "leaf$1" -b -
}

# counter LEAF NAME
counter() {
	"$CONGA" -n "leaf$1" -j stats show all | jq -e ".[0].$2"
}

# Every packet that a tunnel sent must have carried a stamp, which shows that the intended case
# was measured.
all_stamped() {
	local l sent stamped

	for l in "${LEAVES[@]}"; do
		sent=$(($(link_counter "leaf$l" vx tx packets) - SENT[l])) || return
		stamped=$(counter "$l" tx_stamped) || return
		((sent > 0 && stamped == sent)) || die "leaf $l: $stamped of $sent packets are stamped"
	done
}

main() {
	local l

	setup || die "the leaves cannot be set up"
	transactions >"$DIR/transactions"
	cases stock
	module_load || die "no module"
	for l in "${LEAVES[@]}"; do
		SENT[l]=$(link_counter "leaf$l" vx tx packets)
		fabric "$l" || die "leaf $l: no fabric"
	done
	cases conga
	all_stamped || die "no counters"
}

main "$@"
