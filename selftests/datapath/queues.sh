#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Uplinks with many queues. At every packet policy drill compares the two uplinks, so that no
# packet leaves by an uplink where packets wait: in its only qdisc, in one qdisc for all queues,
# or in one of many. A queue that begins to fill counts after one millisecond for each 256 queues,
# and stops counting once it is empty.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"

readonly PACKETS=60 APART_US=5000 WAITING=20
readonly MAC=02:00:00:00:00:02 FAR_MAC=02:00:00:00:00:03
readonly LEAF_ADDRESS=10.0.0.2 FAR_HOST=192.168.9.2
readonly MARKED_PORT=7777		# the port of packets that are sent to one queue
readonly LEAST=10			# packets of 60 on each of two idle uplinks
readonly LATE=3				# packets until all queues have been read

setup() {
	local sfx

	sfx=$(mktemp -u XXXXXX)
	BOX=queues-$sfx SINK=sink-$sfx
	ip netns add "$BOX" && defer "ip netns del $BOX" &&
		ip netns add "$SINK" && defer "ip netns del $SINK" || return
	in_ns "$BOX" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1 || return
	ip -n "$BOX" -batch - <<-END
		link set lo up
		address add 10.0.0.1/32 dev lo
		link add vx up type vxlan id 100 local 10.0.0.1 remote $LEAF_ADDRESS dstport 4789
		address add 192.168.9.1/24 dev vx
		neighbour add $FAR_HOST lladdr $FAR_MAC dev vx nud permanent
	END
}

# links QUEUES: creates both uplinks with QUEUES queues each, and the fabric
links() {
	local i

	for i in 0 1; do
		echo "link add up$i numtxqueues $1 numrxqueues 1 netns $BOX type veth peer name down$i numtxqueues 1 numrxqueues $1 netns $SINK"
	done | ip -batch - || return
	for i in 0 1; do
		ip -n "$SINK" link set "down$i" up || return
		echo "link set up$i up"
		echo "address add 10.1.$i.0/31 dev up$i"
		echo "neighbour add 10.1.$i.1 lladdr $MAC dev up$i nud permanent"
	done | ip -n "$BOX" -batch - || return
	ip -n "$BOX" route add "$LEAF_ADDRESS" nexthop via 10.1.0.1 dev up0 \
		nexthop via 10.1.1.1 dev up1 || return
	conga_batch "$BOX" <<-END
		fabric add $QUIET policy drill
		port add dev up0 role uplink rate 1gbit
		port add dev up1 role uplink rate 1gbit
		leaf add "$LEAF_ADDRESS" mode conga
	END
}

links_gone() {
	"$CONGA" -n "$BOX" fabric del && ip -n "$BOX" link del up0 && ip -n "$BOX" link del up1
}

# roots QDISC: sets the root qdisc of both uplinks
roots() {
	tc -n "$BOX" qdisc replace dev up0 root handle 1: "$1" &&
		tc -n "$BOX" qdisc replace dev up1 root handle 1: "$1"
}

# qdisc PLACE HANDLE WORD...: sets a qdisc of the first uplink; PLACE is "root", or the queue that
# gets the qdisc
qdisc() {
	local parent=root

	[[ $1 == root ]] || printf -v parent 'parent 1:%x' $(($1 + 1))
	# shellcheck disable=SC2086 # two words
	tc -n "$BOX" qdisc replace dev up0 $parent handle "$2:" "${@:3}"
}

# fill QUEUE: sends packets to the marked port into this queue, where they wait for long
fill() {
	tc -n "$BOX" qdisc add dev up0 clsact &&
		tc -n "$BOX" filter add dev up0 egress protocol ip u32 \
			match ip dport "$MARKED_PORT" 0xffff \
			action skbedit queue_mapping "$1" || return
	"$TESTS/tools/vxlan_send" -n "$BOX" -d up0 -m "$MAC" -s 10.0.0.1 -p "$MARKED_PORT" -r "$WAITING" \
		-l 500 "$LEAF_ADDRESS" 00
	waiting || fail "no packet waits in the queue: $(tc -n "$BOX" -s qdisc show dev up0)"
}

waiting() {
	tc -n "$BOX" -j -s qdisc show dev up0 | jq -e "any(.[]; .qlen >= $WAITING)" >/dev/null
}

sent_by() {
	"$CONGA" -n "$BOX" -j port show "$1" | jq '.[0].tx_packets'
}

# cross: sets BY to the packets that left by each uplink
cross() {
	local before0 before1

	before0=$(sent_by up0) before1=$(sent_by up1)
	"$TESTS/tools/vxlan_send" -n "$BOX" -p 9 -c "$PACKETS" -i "$APART_US" "$FAR_HOST" - || return
	BY=($(($(sent_by up0) - before0)) $(($(sent_by up1) - before1)))
	((BY[0] + BY[1] == PACKETS)) || fail "of $PACKETS packets ${BY[*]} left by the uplinks"
}

# avoided LATE: all but at most LATE packets leave by the other uplink
avoided() {
	cross || return
	((BY[0] <= $1)) ||
		fail "${BY[0]} packets left by the uplink with the queue, at most $1 are expected"
}

shared() {
	cross || return
	((BY[0] >= LEAST && BY[1] >= LEAST)) ||
		fail "the uplinks do not share the packets: ${BY[*]}"
}

# seen QUEUES QDISC PLACE QUEUE LATE: packets that wait in this one of QUEUES queues are noticed
seen() {
	local status=0

	links "$1" && roots "$2" && shared && qdisc "$3" 8 netem delay 250s limit 1000 &&
		fill "$4" && avoided "$5" && qdisc "$3" 9 pfifo && shared || status=1
	links_gone && return "$status"
}

tap_plan 5
require_root
require_commands ip tc jq
require_module
setup || die "cannot set up"
tap_test "every packet avoids an uplink whose only queue holds packets" \
	seen 1 pfifo root 0 0
tap_test "every packet avoids an uplink whose single qdisc for 64 queues holds packets" \
	seen 64 pfifo root 5 0
tap_test "an uplink with packets in one of 8 queues is avoided until they are gone" \
	seen 8 mq 5 5 $LATE
tap_test "an uplink with packets in one of 64 queues is avoided until they are gone" \
	seen 64 mq 63 63 $LATE
tap_test "an uplink with packets in one of 300 queues is avoided until they are gone" \
	seen 300 mq 290 290 $LATE
tap_exit
