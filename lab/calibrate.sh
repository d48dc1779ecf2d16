#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the lab's machine does is arithmetic: a link sends at its rate, delays,
# drops and marks to the byte, and its queue is that of theory; a connection's
# goodput and a round trip are what the headers and rates leave; a healthy fabric
# is balanced in every tier, and TCP behaves as is known of it. Only then do numbers
# of the lab mean anything.
#
# Needs code that costs no time: selftests/vm/run -k uml --time-travel -- lab/calibrate.sh

TESTS=$(realpath "$(dirname "$0")/../selftests")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/balance.sh"

readonly WIRE=$TESTS/../lab/wire SAMPLER=/sys/kernel/debug/wire
readonly PATIENCE_MS=10000
DIR=$(mktemp -d)
defer "rm -rf $DIR"

# ---- one link: device "wire" in namespace LINK ----

readonly LINK=link-$$ FRAME=1500	# bytes, with the Ethernet header
readonly ETHERTYPE=0x88b5		# the ethertype of timetable's frames
readonly NEIGHBOUR=10.9.0.2 MAC=02:00:00:00:00:02

link_up() {
	ip netns add "$LINK" && defer "ip netns del $LINK" || return
	ip -n "$LINK" -batch - <<-END
		link add wire up mtu 9000 type veth peer name sink mtu 9000
		link set sink up
		address add 10.9.0.1/24 dev wire
		neighbour add $NEIGHBOUR lladdr $MAC dev wire
	END
}

# link_is WORD...: its rate and so on, with everything counted from zero
link_is() {
	tc -n "$LINK" qdisc del dev wire root 2>/dev/null
	echo "$LINK wire $* name link" | "$WIRE"
}

# As tc prints it, which knows no qdisc wire.
dropped() {
	tc -n "$LINK" -s qdisc show dev wire | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p'
}

# play: commands for timetable on stdin
play() {
	{
		echo "frames load $LINK wire"
		echo "zero 1000000"
		cat
	} | "$TESTS/tools/timetable" >"$DIR/events"
}

# burst COUNT: at one moment, or nearly: reading the clock takes a nanosecond
burst() {
	local i

	echo "at 1000000"
	for ((i = 0; i < $1; i++)); do echo "send load $FRAME"; done
}

# capture NAMESPACE DEVICE FILTER: from now on, to $DIR/packets; sets CAPTURE.
# Headers only: of unknown frames tcpdump prints all that it has. Not by in_ns: a
# shell in between would be what is ended.
capture() {
	nsenter --net="/run/netns/$1" tcpdump -n -tt --time-stamp-precision=nano -l -Z root -s 64 \
		--immediate-mode -B 8192 -i "$2" "$3" >"$DIR/packets" 2>"$DIR/tcpdump" &
	CAPTURE=$!
	busywait "$PATIENCE_MS" grep -qs 'listening on' "$DIR/tcpdump"
}

# captured COUNT: so many have come; their times, in ns, one a line, to $DIR/times.
# Of the seconds the last four digits: awk counts to 2^53.
captured() {
	local count

	busywait "$PATIENCE_MS" packets_are "$1" || :
	kill "$CAPTURE" && { wait "$CAPTURE" || :; }
	count=$(packets)
	((count == $1)) || fail "$count packets were recorded, expected $1" || return
	sed -n 's/^[0-9]*\([0-9]\{4\}\)\.\([0-9]*\) .*/\1\2/p' "$DIR/packets" >"$DIR/times"
}

packets() {
	grep -c '^[0-9]' "$DIR/packets" || :
}

packets_are() {
	(($(packets) == $1))
}

# At 1 Mbit/s, where a frame takes 12 ms and a byte 8 us: of the first one or two
# bytes have left when the last one comes.
drops_to_the_byte() {
	link_is rate 1mbit limit $((10 * FRAME)) && burst 15 | play || return
	(($(dropped) == 5)) || fail "$(dropped) packets were dropped, expected 5" || return
	link_is rate 1mbit limit $((10 * FRAME - 3)) && burst 15 | play || return
	(($(dropped) == 6)) ||
		fail "$(dropped) packets were dropped," \
			"expected 6 with a queue that is three bytes shorter"
}

# datagrams COUNT: at one moment, from a sender that speaks ECN
datagrams() {
	in_ns "$LINK" nft -f - <<-'END' || return
		table inet lab {
			chain sent {
				type filter hook output priority 0;
				ip ecn set ect0
			}
		}
	END
	"$TESTS/tools/vxlan_send" -n "$LINK" -c "$1" -l $((FRAME - 42)) "$NEIGHBOUR" -
}

marked() {
	in_ns "$LINK" nft -j list counter netdev lab ce | jq '.nftables[1].counter.packets'
}

# At 1 Mbit/s, of 15 frames of 12 ms each: the first has begun to leave.
quiet_reports_its_backlog() {
	local backlog

	link_is rate 1mbit limit 1000000 quiet 1 && burst 15 | play || return
	backlog=$(tc -n "$LINK" -s qdisc show dev wire | sed -n 's/.*backlog \([0-9]*\)b.*/\1/p')
	((backlog > 14 * FRAME && backlog <= 15 * FRAME)) ||
		fail "tc showed a backlog of ${backlog:-nothing} bytes"
}

# Each that finds so many bytes waiting, not one before.
marks_to_the_byte() {
	in_ns "$LINK" nft -f - <<-'END' || return
		table netdev lab {
			counter ce { }
			chain arrivals {
				type filter hook ingress device "sink" priority 0;
				ip ecn ce counter name "ce"
			}
		}
	END
	link_is rate 10mbit limit 1000000 mark $((5 * FRAME - 500)) && datagrams 12 || return
	busywait "$PATIENCE_MS" all_marked || fail "$(marked) of 12 packets were marked, expected 7"
}

all_marked() {
	(($(marked) == 7))
}

# Frames sent at one moment arrive one after the other: each takes 1.2 us, and at a
# rate at which a byte takes no whole picoseconds 12/7 us, in the end, too.
sends_at_its_rate() {
	arrive_apart 10 1200 13200 && arrive_apart 7 "1714|1715" 18857
}

# Nothing happens at a quiet link when a packet leaves, while two others are on their way.
quiet_sends_at_its_rate() {
	arrive_apart 10 1200 13200 quiet 1
}

# arrive_apart GBIT NS TOTAL WORD...: from one to the next, and from the first to the last
arrive_apart() {
	link_is rate "$1gbit" limit 1000000 delay 3us "${@:4}" &&
		capture "$LINK" sink "ether proto $ETHERTYPE" &&
		burst 12 | play && captured 12 || return
	awk -v each="^($2)$" -v total="$3" '
		NR == 1 { first = $1 }
		NR > 1 && $1 - last !~ each { print $1 - last }
		{ last = $1 }
		END { off = last - first - total; if (off < -1 || off > 1) print total + off }' \
		"$DIR/times" >"$DIR/off"
	[[ ! -s $DIR/off ]] ||
		fail "at $1 Gbit/s packets are not $2 ns apart:" \
			"$(head -n 3 "$DIR/off" | paste -sd' ')"
}

# ---- theory: a queue of Poisson arrivals and equal service times ----

readonly QUEUE_FRAMES=200000 QUEUE_MBIT=100 QUEUE_PERCENT=3
readonly QUEUE_SAMPLES=1000000 QUEUE_SAMPLE_NS=30000

# arrivals LOAD: at 100 Mbit/s a frame takes 120 us. Those that come within 3 us
# of their predecessor, one or two in a hundred, come with it.
arrivals() {
	awk -v load="$1" -v frames="$QUEUE_FRAMES" -v frame="$FRAME" -v mbit="$QUEUE_MBIT" '
		BEGIN {
			srand(1)
			t = last = 1e6
			for (i = 0; i < frames; i++) {
				t += -log(1 - rand()) * frame * 8000 / mbit / load
				if (t - last > 3000) { printf "at %.0f\n", t; last = t }
				print "send load", frame
			}
		}'
}

# The mean of what waits, in frames, is that of the work, load / 2 / (1 - load).
# The last tenth of the pictures may be of the empty link.
queue_of_theory() {
	local load=$1 said

	link_is rate "${QUEUE_MBIT}mbit" limit 100000000 || return
	echo "$QUEUE_SAMPLE_NS $QUEUE_SAMPLES" >"$SAMPLER/sample" || return
	arrivals "$load" | play || return
	said=$(awk -v load="$load" -v frame="$FRAME" -v most="$QUEUE_PERCENT" '
		NR > 1 && $3 > 0 { sum += $2; n++; if ($3 != was) { end = n; total = sum }; was = $3 }
		END {
			mean = total / end / frame; theory = load / 2 / (1 - load)
			printf "load %.2f: %.4f frames wait, in theory %.4f", load, mean, theory
			exit !(mean > theory * (1 - most / 100) && mean < theory * (1 + most / 100))
		}' "$SAMPLER/samples") || fail "$said" || return
	echo "# $said"
}

# ---- a fabric ----

# shellcheck disable=SC2034 # for topology.sh
fabric_settings() {
	TOPO_QDISC=wire TOPO_RATE=40gbit TOPO_HOST_RATE=10gbit TOPO_DELAY=1us TOPO_GSO=1500
	TOPO_BUFFER=1000000 TOPO_HOST_BUFFER=100000000 TOPO_PORT_BUFFER=1000000
}

fabric_build() {
	fabric_settings
	topo_up && settle
}

# From where the request leaves the host's link: six links there and back and the
# host's own, 98 bytes at 10 Gbit/s and 148 at 40, each rounded up to 1 ns, and
# 1 us of propagation each. And tcpdump, which the request wakes: it may read the clock
# twice, which takes 1 ns each, before softirqs go on.
readonly ROUND_TRIPS=10 CAPTURE_NS=2
readonly ROUND_TRIP_NS=$((3 * 79 + 4 * 30 + 7 * 1000))

round_trips() {
	local i

	in_ns "${HOST[0.0]}" ping -q -c 1 "${HOST_IP[1.0]}" >/dev/null || return	# ARP
	capture "${HOST[0.0]}" eth0 icmp || return
	for ((i = 0; i < ROUND_TRIPS; i++)); do
		in_ns "${HOST[0.0]}" ping -q -c 1 "${HOST_IP[1.0]}" >/dev/null || return
	done
	captured $((2 * ROUND_TRIPS)) || return
	awk -v ns="$ROUND_TRIP_NS" -v capture="$CAPTURE_NS" '
		{ more = $1 - last - ns; last = $1 }
		NR % 2 == 0 && (more < 0 || more > capture) { print more + ns }' \
		"$DIR/times" >"$DIR/off"
	[[ ! -s $DIR/off ]] ||
		fail "the round trip is not $ROUND_TRIP_NS ns:" \
			"$(head -n 3 "$DIR/off" | paste -sd' ')" || return
	echo "# round trip $ROUND_TRIP_NS ns, $ROUND_TRIPS times"
}

# Twice as many bytes take longer by the time of the rest: what a connection needs
# to find its rate cancels out. 1448 bytes of 1514 are data.
readonly BALANCE_FLOWS=4000 BALANCE_PERCENT=130
readonly SHORT=100000000 GOODPUT=9564068692	# bit/s

goodput() {
	local said

	printf '0 %d 0 1 0 0 - -\n0 %d 0 1 0 1 0 -\n' "$SHORT" $((2 * SHORT)) >"$DIR/trace"
	"$TESTS/tools/flowgen" -q -h "${HOST[0.0]},${HOST_IP[0.0]}" -h "${HOST[1.0]},${HOST_IP[1.0]}" \
		-T "$DIR/trace" -R -o "$DIR/transfers" -D 10 >/dev/null ||
			fail "flowgen failed" || return
	said=$(grep -v '^#' "$DIR/transfers" | awk -v bytes="$SHORT" -v expect="$GOODPUT" '
		{ fct[NR] = $3 }
		END {
			rate = bytes * 8 / (fct[2] - fct[1])
			printf "%.0f bit/s of %.0f", rate, expect
			exit !(rate > expect * 0.999 && rate < expect * 1.001)
		}') || fail "$said" || return
	echo "# goodput $said"
}

# As every comparison's baseline: each flow hashed by the leaf.
balanced() {
	local status=0

	module_load && fabric_up ecmp conga || return
	balance_flows "$BALANCE_FLOWS" && balance_within "$BALANCE_PERCENT" || status=$?
	fabric_down && return "$status"
}

# On a link that is slow all of a sudden: what waits there for 180 ms is seen by a policy
# that looks at queues. The link stays as it is.
readonly CHOICES=20

what_waits_is_seen() {
	local i dev

	fabric_leaf 0 "drill choices 16" plain || return
	tc -n "${LEAF[0]}" qdisc del dev up0 root
	echo "${LEAF[0]} up0 rate 1mbit limit 1000000" | "$WIRE" || return
	{
		echo "frames load ${LEAF[0]} up0"
		echo "zero 1000000"
		burst 15
	} | "$TESTS/tools/timetable" >"$DIR/events" || return
	for ((i = 0; i < CHOICES; i++)); do
		dev=$(conga 0 -j path get "${VTEP[1]}" | jq -r '.[0].dev')
		[[ $dev == up[1-3] ]] || fail "the shortest queue is that of $dev" || return
	done
	conga 0 fabric del
}

# With cores, and flows to a leaf of another pod, too.
three_tiers_balanced() {
	topo_down
	TOPO_LEAVES=4 TOPO_SPINES=4 TOPO_PODS=2 TOPO_CORES=4
	fabric_build && balanced
}

# ---- Incast, as it was first described: many servers behind a small buffer ----

# A gigabit, 64 KB, and the 200 ms that Linux waits at least before it sends again:
# a block of 1 MB, striped over more servers than the buffer can take, takes that long.
readonly INCAST_ROUNDS=20 INCAST_BLOCK=1000000 INCAST_MBIT=1000
readonly INCAST_MANY=32 INCAST_FULL=85 INCAST_COLLAPSED=30	# servers, %

# shellcheck disable=SC2034 # for topology.sh
incast_build() {
	topo_down
	TOPO_LEAVES=2 TOPO_SPINES=2 TOPO_PODS=1 TOPO_CORES=0 TOPO_HOSTS=$INCAST_MANY
	fabric_settings
	TOPO_HOST_RATE=${INCAST_MBIT}mbit TOPO_PORT_BUFFER=64000
	topo_up && settle
}

# incast_trace SERVERS: the last so many hosts, all of the other leaf
incast_trace() {
	awk -v servers="$1" -v rounds="$INCAST_ROUNDS" -v block="$INCAST_BLOCK" '
		BEGIN {
			for (r = 0; r < rounds; r++)
				for (s = 1; s <= servers; s++)
					print 0, int(block / servers), s, 0, 0, r, r ? r - 1 : "-", "-"
		}'
}

# incast_percent SERVERS: sets PERCENT of the client's link
incast_percent() {
	local h hosts=(-h "${HOST[0.0]},${HOST_IP[0.0]}")

	for ((h = 0; h < $1; h++)); do
		hosts+=(-h "${HOST[1.$h]},${HOST_IP[1.$h]}")
	done
	incast_trace "$1" >"$DIR/trace"
	"$TESTS/tools/flowgen" -q "${hosts[@]}" -T "$DIR/trace" -R -o "$DIR/transfers" -D 60 \
		>/dev/null || fail "flowgen failed" || return
	PERCENT=$(awk -v mbit="$INCAST_MBIT" '
		/^#/ { next }
		{ bytes += $2; if ($1 + $3 > end) end = $1 + $3 }
		END { printf "%.0f", bytes * 8 / end / mbit / 1e4 }' "$DIR/transfers")
}

incast_collapses() {
	incast_build && incast_percent 1 || return
	((PERCENT >= INCAST_FULL)) ||
		fail "one server had a throughput of only $PERCENT %" || return
	echo "# Incast: 1 server $PERCENT % of the link"
	incast_percent "$INCAST_MANY" || return
	((PERCENT <= INCAST_COLLAPSED)) ||
		fail "$INCAST_MANY servers had a throughput of $PERCENT %" || return
	echo "# Incast: $INCAST_MANY servers $PERCENT %"
}

require_root
require_commands ip tc jq nft tcpdump ping
require_exact_time
tap_plan 13
settle
insmod "$(module_file lab/wire)" || die "wire.ko cannot be loaded"
link_up || die "no link"
tap_test "a link drops packets exactly at its byte limit" drops_to_the_byte
tap_test "a link marks packets exactly at its byte limit" marks_to_the_byte
tap_test "a link sends at its rate" sends_at_its_rate
tap_test "a quiet link sends at its rate" quiet_sends_at_its_rate
tap_test "a quiet link reports its backlog to tc" quiet_reports_its_backlog
tap_test "a queue of Poisson arrivals at load 0.5 has the length of theory" queue_of_theory 0.5
tap_test "a queue of Poisson arrivals at load 0.8 has the length of theory" queue_of_theory 0.8
fabric_build || die "no fabric"
tap_test "a round trip through the fabric takes the calculated time, to the nanosecond" round_trips
tap_test "a connection's goodput is the calculated one" goodput
tap_test "a healthy fabric is balanced in every tier" balanced
tap_test "a policy that balances by queues sees waiting packets" what_waits_is_seen
tap_test "a healthy fabric with cores is balanced in every tier" three_tiers_balanced
tap_test "Incast of plain TCP collapses" incast_collapses
tap_exit
