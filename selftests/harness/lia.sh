#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The lab's coupled congestion control of MPTCP, LIA, does what RFC 6356 wants of it. On a link
# that its subflows share with a TCP, a connection takes about what the TCP takes, however many
# subflows it has. Of two paths it takes at least what a TCP would have on the better one, and it
# moves load off the worse one. Uncoupled subflows are the control: each of them takes what a TCP
# takes.
#
#	left -- router1 == link 1 == right	The path of a packet follows from its source.
#	    \-- router2 == link 2 ==/
#
# What arrives is counted for some seconds of simulated time. Windows oscillate, so that each
# number is the mean of several runs, whose connections start at different moments.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

# A link carries 1,000 packets a second, of which 20 are on their way for the round trip of 20 ms,
# and 30 may wait. A TCP alone halves a window of 50 packets each second, so that a run has many
# halvings. Faster links have fewer: at 24 Mbit/s, one start decided whether subflows on two paths
# had 74 or 115 % of a TCP.
readonly KBIT=12000 DELAY=10ms BUFFER=45000
readonly WARM_S=3 MEASURE_S=20
readonly STARTS=${LIA_STARTS:-0.13 0.37}	# seconds between the connections
readonly SUBFLOWS=${LIA_SUBFLOWS:-"2 8"}	# numbers of subflows
readonly SUBFLOWS_MOST=8
readonly BYTES=4000000000			# more than a run carries

readonly FAIR_LEAST=25 FAIR_MOST=65		# % of the link: half in theory, one start varies
readonly UNCOUPLED_LEAST=66			# %: more than what is fair; 8 of 9 in theory
readonly BETTER_LEAST=70			# % of what a TCP has on the better path
readonly WORSE_TCPS=3				# TCPs on the worse path; one on the better
readonly MOVED_MOST=72				# % of what a TCP has on the worse path
readonly ALIKE=1000				# a plain TCP differs by less than one in so many

DIR=$(mktemp -d)
defer "rm -rf $DIR"
readonly LEFT=left-$$ RIGHT=right-$$ ROUTER=router$$-
declare -a GENERATORS=()
declare -A RATE=()				# kbit/s, by the name of a counter

# ---- two paths ----

# path_up I
path_up() {
	local i=$1 r=$ROUTER$1

	ip netns add "$r" || return
	in_ns "$r" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.{all,default}.rp_filter=0
	ip -n "$LEFT" link add "path$i" up gso_max_size 1500 type veth peer name left netns "$r" &&
		ip -n "$RIGHT" link add "path$i" up type veth peer name right netns "$r" || return
	ip -n "$r" -batch - <<-END || return
		link set left up
		link set right up
		address add 10.$i.0.254/24 dev left
		address add 10.$i.1.254/24 dev right
		route replace 10.1.1.1/32 via 10.$i.1.1
	END
	ip -n "$RIGHT" -batch - <<-END || return
		address add 10.$i.1.1/24 dev path$i
		address add 10.$i.1.2/24 dev path$i
		route add 10.$i.0.0/24 via 10.$i.1.254
	END
	left_addresses "$i" | ip -n "$LEFT" -batch -
}

# left_addresses I: one for each subflow that may be there, and the way that they take
left_addresses() {
	local i=$1 a

	for ((a = 1; a <= SUBFLOWS_MOST; a++)); do
		echo "address add 10.$i.0.$a/24 dev path$i"
	done
	echo "route add 10.$i.1.0/24 via 10.$i.0.254"
	echo "rule add from 10.$i.0.0/24 table $((100 + i))"
	echo "route add default via 10.$i.0.254 table $((100 + i))"
}

count_arrivals() {
	in_ns "$RIGHT" nft -f - <<-'END'
		table ip lia {
			counter mptcp1 { }
			counter mptcp2 { }
			counter tcp1 { }
			counter tcp2 { }
			chain arrivals {
				type filter hook input priority 0;
				ip saddr 10.1.0.0/24 ip daddr 10.1.1.1 counter name mptcp1
				ip saddr 10.2.0.0/24 ip daddr 10.1.1.1 counter name mptcp2
				ip daddr 10.1.1.2 counter name tcp1
				ip daddr 10.2.1.2 counter name tcp2
			}
		}
	END
}

network_down() {
	local ns

	for ns in "$LEFT" "$RIGHT" "${ROUTER}1" "${ROUTER}2"; do
		[[ ! -e /run/netns/$ns ]] || ip netns del "$ns"
	done
}

# Each run has a new network, because Linux keeps what is left of a connection for a while.
# Linux gives a connection the largest send buffer of its subflows, not their sum: with the usual
# one it, and not the network, would limit eight subflows.
network_up() {
	local ns i

	network_down
	for ns in "$LEFT" "$RIGHT"; do
		ip netns add "$ns" || return
		in_ns "$ns" sysctl -qw net.ipv4.conf.{all,default}.rp_filter=0 \
			net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem="4096 4194304 4194304"
	done
	path_up 1 && path_up 2 && count_arrivals || return
	for i in 1 2; do
		echo "$ROUTER$i right rate ${KBIT}kbit limit $BUFFER delay $DELAY"
		echo "$RIGHT path$i rate 1gbit limit 10000000 delay $DELAY"
	done | "$TESTS/../lab/wire" && settle && neighbours_meet
}

# The SYN of a subflow must not wait for the answer to an ARP request: flowgen closes its listener
# a second later.
neighbours_meet() {
	local i a

	for i in 1 2; do
		for ((a = 1; a <= SUBFLOWS_MOST; a++)); do
			in_ns "$LEFT" ping -q -c 1 -W 5 -I "10.$i.0.$a" 10.1.1.1 >/dev/null ||
				fail "10.1.1.1 does not answer to 10.$i.0.$a" || return
		done
	done
}

# ---- connections ----

# subflows_are ADDRESS...: from these addresses, beside the first
subflows_are() {
	local ns address

	for ns in "$LEFT" "$RIGHT"; do
		ip -n "$ns" mptcp endpoint flush && ip -n "$ns" mptcp limits set subflow $# || return
	done
	for address in "$@"; do
		ip -n "$LEFT" mptcp endpoint add "$address" subflow || return
	done
}

# generate COUNT ADDRESS OPTION...: so many connections send to it without end
generate() {
	local i trace=$DIR/trace${#GENERATORS[@]}

	for ((i = 0; i < $1; i++)); do
		echo "0 $BYTES 0 1 $i $i - -"
	done >"$trace"
	"$TESTS/tools/flowgen" -q -h "$LEFT,10.1.0.1" -h "$RIGHT,$2" -T "$trace" -L 1000 \
		"${@:3}" >"$trace.out" 2>&1 &
	GENERATORS+=($!)
}

generators_end() {
	kill "${GENERATORS[@]}" || return
	wait "${GENERATORS[@]}" || :
	GENERATORS=()
}

# counted NAME: bytes so far
counted() {
	in_ns "$RIGHT" nft -j list counter ip lia "$1" | jq '.nftables[1].counter.bytes'
}

# measure: adds what each counter counts to RATE
measure() {
	local name
	local -A before=()

	sleep "$WARM_S"
	for name in mptcp1 mptcp2 tcp1 tcp2; do before[$name]=$(counted "$name"); done
	sleep "$MEASURE_S"
	for name in mptcp1 mptcp2 tcp1 tcp2; do
		RATE[$name]=$((RATE[$name] + ($(counted "$name") - before[$name]) * 8 / 1000 / MEASURE_S))
	done
}

# mptcp_uses CONGESTION COUNT: does each of so many subflows, at both ends?
mptcp_uses() {
	local ns count

	for ns in "$LEFT" "$RIGHT"; do
		in_ns "$ns" ss -tinHO state established "src 10.1.1.1 or dst 10.1.1.1" >"$DIR/sockets"
		count=$(grep -cw "$1" "$DIR/sockets")
		((count == $2)) ||
			fail "$count subflows use $1, expected $2: $(cut -c 1-80 "$DIR/sockets")" || return
	done
}

# run_end CONGESTION COUNT
run_end() {
	local status=0

	mptcp_uses "$@" || status=1
	generators_end && return "$status"
}

# ---- a shared link ----

# share CONGESTION SUBFLOWS: sets SHARE, the percentage of link 1 that MPTCP takes beside a TCP
share() {
	local start addresses=() a

	RATE=()
	for ((a = 2; a <= $2; a++)); do addresses+=("10.1.0.$a"); done
	for start in $STARTS; do
		network_up && subflows_are "${addresses[@]}" || return
		generate 1 10.1.1.2 -K reno
		sleep "$start"
		generate 1 10.1.1.1 -M -K "$1"
		measure
		SHARE=$((100 * RATE[mptcp1] / (RATE[mptcp1] + RATE[tcp1])))
		run_end "$1" "$2" || return
	done
	echo "# $2 subflows with $1 take $SHARE % of a link that they share with a TCP"
}

share_is_fair() {
	local n

	for n in $SUBFLOWS; do
		share lia "$n" || return
		((SHARE >= FAIR_LEAST && SHARE <= FAIR_MOST)) ||
			fail "$n subflows take $SHARE % of the link" || return
	done
}

uncoupled_share_is_not() {
	share reno "$SUBFLOWS_MOST" || return
	((SHARE >= UNCOUPLED_LEAST)) ||
		fail "$SUBFLOWS_MOST subflows, each for itself, take $SHARE % of the link"
}

# ---- two paths, the second with more TCPs on it ----

# Sets TOTAL to what both subflows have, in % of a TCP on the better path, and MOVED to what one
# has on the worse path, in % of a TCP there.
two_paths() {
	local start

	RATE=()
	for start in $STARTS; do
		network_up && subflows_are 10.2.0.1 || return
		generate 1 10.1.1.2 -K reno
		generate "$WORSE_TCPS" 10.2.1.2 -K reno
		sleep "$start"
		generate 1 10.1.1.1 -M -K "$1"
		measure
		run_end "$1" 2 || return
	done
	TOTAL=$((100 * (RATE[mptcp1] + RATE[mptcp2]) / ((RATE[mptcp1] + RATE[tcp1]) / 2)))
	MOVED=$((100 * RATE[mptcp2] * WORSE_TCPS / RATE[tcp2]))
	echo "# $1 on two paths has $TOTAL % of a TCP on the better one, and $MOVED % of one on the worse"
}

better_path_is_used() {
	two_paths lia || return
	((TOTAL >= BETTER_LEAST)) ||
		fail "both subflows have $TOTAL % of what a TCP has on the better path" || return
	((MOVED <= MOVED_MOST)) ||
		fail "the subflow on the worse path has $MOVED % of what a TCP has there"
}

uncoupled_paths_are_not_balanced() {
	two_paths reno || return
	((MOVED > MOVED_MOST)) ||
		fail "the uncoupled subflow on the worse path has only $MOVED % of a TCP there"
}

# ---- a plain TCP ----

# alone CONGESTION: sets FCT, in ns, of a transfer that fills the link's buffer many times
alone() {
	network_up || return
	echo "0 30000000 0 1 0 0 - -" >"$DIR/trace"
	"$TESTS/tools/flowgen" -q -h "$LEFT,10.1.0.1" -h "$RIGHT,10.1.1.2" -T "$DIR/trace" -L 100 \
		-K "$1" -o "$DIR/alone" >"$DIR/summary" 2>&1 || fail "$(<"$DIR/summary")" || return
	FCT=$(awk '!/^#/ { printf "%.0f", $3 * 1e9 }' "$DIR/alone")
	echo "# a TCP with $1 takes $FCT ns for 30 MB"
}

plain_is_reno() {
	local reno

	alone reno && reno=$FCT && alone lia || return
	(((FCT > reno ? FCT - reno : reno - FCT) * ALIKE < reno)) ||
		fail "a TCP with lia takes $FCT ns, with reno $reno"
}

require_root
require_commands ip tc jq nft ping ss
require_exact_time
tap_plan 5
settle
[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || die "wire.ko cannot be loaded"
[[ -d /sys/module/lia ]] || insmod "$(module_file lab/lia)" || die "lia.ko cannot be loaded"
defer network_down
tap_test "subflows together take about what a TCP takes of the same link" share_is_fair
tap_test "uncoupled subflows take a share each" uncoupled_share_is_not
tap_test "of two paths the less congested one is used" better_path_is_used
tap_test "uncoupled subflows move no load off the worse path" uncoupled_paths_are_not_balanced
tap_test "a plain TCP with lia is reno" plain_is_reno
tap_exit
