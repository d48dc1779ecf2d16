#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Outer UDP checksums, which IPv6 needs and IPv4 has with udpcsum, must never be wrong: not after
# a leaf stamps a packet, gives it another source port or clears it, and not after a leaf or a
# spine raises CE. A veth does not verify a checksum that it takes for offloaded, so the offloads
# are off, on every device or on those of the fabric. tcpdump runs on leaf and spine, so that
# every header is shared and must be made writable first. The control corrupts packets on the
# spine, and the receiver must count them.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/tcp.sh"

TOPO_LINKS=1
TOPO_UDPCSUM=on			# the IPv4 underlay needs it
# These are the rates of the DREs; no link is shaped. They are low, so that the traffic of a slow
# machine raises CE.
readonly LEAF_RATE=4mbit SPINE_RATE=1mbit

readonly VXLAN="udp port 4789"
readonly TRANSFER=20000 TRANSFERS=20 CONNECTIONS=4
readonly DATAGRAMS=40
readonly CORRUPTED=5
readonly DISCARD=9
readonly PATIENCE_MS=30000

# ---- errors ----

no_errors() {
	local errors

	errors=$(csum_errors "${!PIN[@]}")
	[[ $errors == 0 ]] || fail "$errors packets had a wrong checksum"
}

# The captures are at a leaf's port before the stamp is cleared, at a port that raises CE, and at
# a spine's port. The capture at the spine also gives every packet a second owner.
captures_start() {
	CAPTURE_BYTES=2000
	capture_start leaf0 "${LEAF[0]}" up0 "$VXLAN" &&
		capture_start leaf1 "${LEAF[1]}" up1 "$VXLAN" &&
		capture_start spine0 "${SPINE[0]}" down1.0 "$VXLAN"
}

# All outer and inner checksums must be present and right.
capture_is_right() {
	local packets good bad

	capture_stop "$1" || return
	read -r packets good bad < <(capture_text "$1" -vv | awk '
		/VXLAN, flags/ { packets++ }
		/udp sum ok\] VXLAN, flags/ { good++ }
		/bad udp cksum|incorrect|no cksum/ { bad++ }
		END { print packets + 0, good + 0, bad + 0 }')
	((packets > TRANSFERS && good == packets && bad == 0)) ||
		fail "$1: $packets packets, $good with a right checksum," \
			"$bad with a wrong one or none"
}

captures_are_right() {
	capture_is_right leaf0 && capture_is_right leaf1 && capture_is_right spine0
}

# ---- traffic ----

datagrams() {
	local i

	for ((i = 0; i < $2; i++)); do
		echo "$i" >"/dev/udp/$1/$3"
	done
}

transfer() {
	tcp_crosses -b -C 10e6 -l 1 -S "$TRANSFER" -n "$TRANSFERS" -c "$CONNECTIONS"
}

# No socket listens; the kernel still counts a packet that arrives with a right checksum.
udp_crosses() {
	local to=${HOST[1.0]}

	unwanted_mark "$to"
	in_ns "${HOST[0.0]}" bash -c "datagrams ${HOST_IP[1.0]} $DATAGRAMS $DISCARD"
	unwanted_arrive "$PATIENCE_MS" "$to" "$DATAGRAMS"
}

# Without such packets nothing was tested.
packets_were_written() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		stats_read "$ns" || return
		((STAT[ce_raised] > 0)) || fail "${ns%-*} raised no CE" || return
		[[ $ns == leaf* ]] || continue
		((STAT[tx_stamped] > TRANSFERS && STAT[rx_stamped] > TRANSFERS)) ||
			fail "${ns%-*} stamped or cleared too few packets" || return
	done
}

# ---- tests ----

# Spines are slower than leaves, so that they raise CE above the value of the leaves.
setup() {
	local l s ns

	topo_up || return
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		FABRIC_RATE=$LEAF_RATE fabric_leaf "$l" conga conga || return
	done
	for ((s = 0; s < TOPO_SPINES; s++)); do
		FABRIC_RATE=$SPINE_RATE fabric_spine "$s" || return
	done
	PIN=()
	for ns in "${LEAF[@]}" "${SPINE[@]}" "${HOST[@]}"; do pin "$ns" || return; done
}

all_on() {
	transfer && udp_crosses && no_errors
}

# The packets of the hosts arrive with inner checksums left to the device and as GSO packets; the
# links of leaves and spines, which offload nothing, complete them.
fabric_off() {
	offloads_off "${LEAF[@]}" "${SPINE[@]}" || return
	captures_start && transfer && udp_crosses || return
	captures_are_right && no_errors
}

all_off() {
	offloads_off "${HOST[@]}" || return
	captures_start && transfer && udp_crosses || return
	captures_are_right && no_errors && packets_were_written
}

# Without such packets nothing was tested.
ports_were_written() {
	local count

	count=$(capture_text leaf0 | awk '/VXLAN, flags/ { print $3 }' | sort -u | wc -l)
	((count > TRANSFERS)) || fail "only $count source ports were used"
}

# rehashed COMMAND...: runs the command while every packet gets a source port of its own, besides
# its stamp
rehashed() {
	local status=0

	leaves_set policy rehash flowlet-timeout 0 || return
	"$@" && ports_were_written || status=$?
	leaves_set policy conga flowlet-timeout auto && return "$status"
}

# This byte of the inner IP header (the identification) is not read before the checksum is
# verified.
corrupt() {
	local family=ip

	((TOPO_UNDERLAY == 4)) || family=ip6
	in_ns "$1" nft -f - <<-END
	table $family corrupt {
		counter corrupted { }
		chain forward {
			type filter hook forward priority 0;
			udp dport 4789 limit rate 1/hour burst $CORRUPTED packets @th,272,16 set 0xdead counter name corrupted
		}
	}
	END
}

errors_are() {
	(($(csum_errors "${LEAF[@]}") == $1))
}

# corrupted NAMESPACE: prints the number of corrupted packets
corrupted() {
	local family=ip

	((TOPO_UNDERLAY == 4)) || family=ip6
	in_ns "$1" nft list counter "$family" corrupt corrupted | sed -n 's/.*packets \([0-9]*\) .*/\1/p'
}

corruption_is_seen() {
	local ns sum=0

	for ns in "${SPINE[@]}"; do
		corrupt "$ns" || fail "nft cannot corrupt packets" || return
	done
	in_ns "${HOST[0.0]}" bash -c "datagrams ${HOST_IP[1.0]} $DATAGRAMS $DISCARD"
	for ns in "${SPINE[@]}"; do sum=$((sum + $(corrupted "$ns"))); done
	((sum > 0)) || fail "no packet was corrupted" || return
	busywait "$PATIENCE_MS" errors_are "$sum" ||
		fail "$(csum_errors "${LEAF[@]}") checksum errors are counted for $sum" \
			"corrupted packets"
}

underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: no checksum error occurs with offloads on" all_on
	tap_test "v$1: no checksum error occurs with offloads on at the hosts alone" fabric_off
	tap_test "v$1: no checksum error occurs with offloads on at the hosts alone and other source ports" \
		rehashed fabric_off
	tap_test "v$1: no checksum error occurs with offloads off everywhere" all_off
	tap_test "v$1: no checksum error occurs with offloads off everywhere and other source ports" \
		rehashed all_off
	tap_test "v$1: corrupted packets are counted" corruption_is_seen
	topo_down
}

export -f datagrams
tap_plan 12
require_root
require_commands ip ethtool nft tcpdump
require_module
underlay 6
underlay 4
tap_exit
