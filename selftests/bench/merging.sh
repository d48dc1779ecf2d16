#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# merging.sh - how many frames the receiver merges (GRO), on the stock kernel and with conga.
#
# make bench-merging runs it, in a machine whose code takes no time, so that the figures do not
# depend on the computer. Two leaves have one link of 10 Gbit/s to each of two spines. The uplinks
# of the senders cut bursts into frames. The receiver's links are polled every 20 us, as if a card
# delayed its interrupts, and merge the frames that came meanwhile: 17 of them, if they came at the
# rate of the link. Both leaves send, so that full packets carry feedback. Spines take their links
# for half as fast as these are, so that each burst changes CE, and with it feedback. Links mark ECT
# packets while 100 KB wait. It prints a line for each case:
#
#	merging LOAD-KIND SEGMENTS RATIO	to the stock kernel with the same load
#
# SEGMENTS is the number of frames that become one packet at the vxlan device, or, for LOAD-host,
# at the host, behind the second GRO, which is that of the vxlan device itself. The loads:
#
#	tcp-1		one connection each way, which sends a burst of 64 KB every 120 us
#	tcp-8		eight connections each way, all of which send a burst every 960 us
#	frames-1	like tcp-1, but the hosts send single frames: each has a stamp of its own
#	udp		a burst of 40 datagrams by UDP_SEGMENT every 120 us, each of another flow; the
#			vxlan device merges datagrams
#
# The kinds: stock; conga with default settings; entropy auto; ecn on; both; marks and random, with
# both, where spines mark a half of the packets: 24 in a row, as a queue does that grows and
# shrinks, or each with probability a half; letflow. With ect-stock and ect-conga the hosts use ECN
# themselves, and spines mark 24 packets in a row. In moves and moves-entropy, which are letflow with a
# short gap, each burst takes an uplink at random.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"

TOPO_LINKS=1
TOPO_QDISC=wire
TOPO_RATE=10gbit
TOPO_BUFFER=1000000
TOPO_MARK=100000
QUIET="hello 100ms"
readonly SLOW_RATE=5gbit
readonly SHORT_GAP=30us		# less than between two bursts of one connection
readonly ROW="numgen inc mod 48 < 24" RANDOM_HALF="numgen random mod 2 0"

# A leaf's link is polled so often; after so many polls without a frame, frames wait no longer.
readonly POLL_NS=20000 IDLE_POLLS=2
readonly BURST=65536 BURSTS=800 GAP_NS=120000	# half of a link's rate, each way
readonly DATAGRAMS=40 DATAGRAM=1400 UDP_GAP_US=120
readonly AGREED_MS=5000

FABRIC=0			# 1: leaves have one
declare -A SEGMENTS=()		# LOAD -> those of the stock kernel

# ---- set up ----

# A veth merges no packets from a veth that accepts bursts whole.
offloads() {
	local l s

	for l in 0 1; do
		for s in 0 1; do
			in_ns "${LEAF[l]}" ethtool -K "up$s" tso off gso off tx-udp-segmentation off gro on \
				rx-udp-gro-forwarding on &&
				in_ns "${SPINE[s]}" ethtool -K "down$l.0" tso off tx-udp-segmentation off &&
				ip netns exec "${LEAF[l]}" sh -c \
					"echo $IDLE_POLLS >/sys/class/net/up$s/napi_defer_hard_irqs
					echo $POLL_NS >/sys/class/net/up$s/gro_flush_timeout" || return
		done
		in_ns "${LEAF[l]}" ethtool -K vx gro on rx-udp-gro-forwarding on || return
	done >/dev/null
}

# hosts_cut {on|off}: hosts send single frames
hosts_cut() {
	local h word=off

	[[ $1 == off ]] && word=on
	for h in 0 1; do
		in_ns "${HOST[$h.0]}" ethtool -K eth0 tso "$word" gso "$word" || return
	done >/dev/null
}

hosts_use_ecn() {
	local h

	for h in 0 1; do in_ns "${HOST[$h.0]}" sysctl -qw net.ipv4.tcp_ecn="$1" || return; done
}

prepare() {
	[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || return
	topo_up && tunnel_says_nothing && hosts_say_nothing && offloads && settle
}

# ---- loads ----

# bursts CONNECTIONS: prints a trace of bursts both ways, all connections at the same time
bursts() {
	local i way

	for ((i = 0; i < BURSTS; i++)); do
		for way in "0 1" "1 0"; do
			echo "$((i / $1 * $1 * GAP_NS)) $BURST $way $((i % $1)) - - -"
		done
	done
}

# tcp CONNECTIONS
tcp() {
	local said

	said=$("$TESTS/tools/flowgen" -q -T <(bursts "$1") -h "${HOST[0.0]},${HOST_IP[0.0]}" \
		-h "${HOST[1.0]},${HOST_IP[1.0]}") || fail "the TCP transfers failed" || return
	[[ $said == *" unfinished=0 "* ]] || fail "some TCP transfers did not finish: $said"
}

tcp-1() {
	tcp 1
}

tcp-8() {
	tcp 8
}

frames-1() {
	local status=0

	hosts_cut on || return
	tcp 1 || status=1
	hosts_cut off && return $status
}

udp() {
	local -a bursts
	local i

	for ((i = 0; i < DATAGRAMS; i++)); do bursts[i]=-; done
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$BURSTS" -i "$UDP_GAP_US" -g -l "$DATAGRAM" \
		-p 9 "${HOST_IP[1.0]}" "${bursts[@]}"
}

# ---- measuring ----

# The links of leaf 1 count frames, the tunnel and the host packets: sets BY_LINK,
# FRAMES, PACKETS and DELIVERED.
counters_read() {
	local s

	for s in 0 1; do
		BY_LINK[s]=$(link_counter "${LEAF[1]}" "up$s" rx packets) || return
	done
	FRAMES=$((BY_LINK[0] + BY_LINK[1]))
	PACKETS=$(link_counter "${LEAF[1]}" vx rx packets) &&
		DELIVERED=$(link_counter "${HOST[1.0]}" eth0 rx packets)
}

# segments LOAD-KIND FRAMES PACKETS LOAD
segments() {
	local ect=""

	[[ $1 != *-ect-* ]] || ect=-ect
	[[ $1 != *-stock ]] || SEGMENTS[$4$ect]=$(awk -v f="$2" -v p="$3" 'BEGIN { print f / p }')
	awk -v name="$1" -v f="$2" -v p="$3" -v stock="${SEGMENTS[$4$ect]}" \
		'BEGIN { printf "merging %s %.2f %.3f\n", name, f / p, f / p / stock }'
}

# tell_growth: prints what leaf 1 counted meanwhile
tell_growth() {
	local name text=""

	((FABRIC)) || return 0
	for name in rx_learnt feedback_received ecn_received ecn_marked; do
		stats_grown "${LEAF[1]}" "$name"
		text+=" $name=$GROWTH"
	done
	echo "#$text"
}

# measure LOAD KIND
measure() {
	local frames packets delivered first

	counters_read || return
	first=${BY_LINK[0]}
	frames=$FRAMES packets=$PACKETS delivered=$DELIVERED
	((!FABRIC)) || stats_mark "${LEAF[1]}"
	"$1" && sleep 0.05 && counters_read || return
	frames=$((FRAMES - frames)) packets=$((PACKETS - packets))
	segments "$1-$2" "$frames" "$packets" "$1"
	segments "$1-host-$2" "$frames" $((DELIVERED - delivered)) "$1-host"
	echo "# $((BY_LINK[0] - first)) of $frames frames came by up0"
	tell_growth
}

# loads KIND
loads() {
	local load kind=$1

	for load in tcp-1 tcp-8 frames-1 udp; do
		measure "$load" "$kind" || die "$load-$kind: $TAP_WHY"
	done
}

# ---- kinds ----

# Each leaf knows whether the other has ecn on.
agreed() {
	local l

	for l in 0 1; do
		conga "$l" -j leaf show |
			json_is ".[0].reason == \"answers\" and (.[0].ecn // false) == $1" || return
	done
}

# becomes KIND ENTROPY ECN [POLICY [WORD]...]
becomes() {
	local ecn=false

	[[ $3 == off ]] || ecn=true
	leaves_set policy "${4:-conga}" entropy "$2" ecn "$3" "${@:5}" || die "$1: leaves reject it"
	busywait "$AGREED_MS" agreed "$ecn" || die "$1: leaves do not agree: $(conga 0 -j leaf show)"
	loads "$1"
}

# marked WHICH COMMAND...: spines mark those of the packets with ECT that WHICH selects meanwhile
marked() {
	local ns

	for ns in "${SPINE[@]}"; do
		in_ns "$ns" nft -f - <<-END || die "nft failed"
			table ip marks {
				chain forward {
					type filter hook forward priority 0;
					udp dport $TOPO_PORT ip ecn != not-ect $1 ip ecn set ce
				}
			}
		END
	done
	"${@:2}"
	for ns in "${SPINE[@]}"; do in_ns "$ns" nft delete table ip marks || die "nft failed"; done
}

with_ecn_inside() {
	hosts_use_ecn 1 || die "hosts cannot use ECN"
	"$@"
	hosts_use_ecn 2 || die "hosts cannot use ECN"
}

# Spines count load as if their links were slower.
slow_fabric() {
	local s l

	fabric_up conga auto || return
	for s in 0 1; do
		for l in 0 1; do
			"$CONGA" -n "${SPINE[s]}" port set "down$l.0" rate "$SLOW_RATE" || return
		done
	done
}

require_root
require_commands ip jq nft ethtool awk
require_module
require_exact_time
prepare || die "cannot set up: $TAP_WHY"
loads stock
with_ecn_inside marked "$ROW" loads ect-stock
slow_fabric || die "no fabric"
FABRIC=1
becomes conga 1 off
becomes entropy auto off
becomes ecn 1 on
becomes both auto on
marked "$ROW" becomes marks auto on
marked "$RANDOM_HALF" becomes random auto on
with_ecn_inside marked "$ROW" becomes ect-conga 1 off
becomes letflow 1 off letflow
becomes moves 1 off letflow flowlet-timeout "$SHORT_GAP"
becomes moves-entropy auto off letflow flowlet-timeout "$SHORT_GAP"
