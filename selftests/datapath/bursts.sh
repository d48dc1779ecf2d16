#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bursts: a packet of up to 64 KB is cut into frames behind the port's hook. Ports must count the
# frames and bytes that are on the wire, with the headers of each frame: exactly the number that
# the device counts which sends the frames one by one. The tests cover TCP and UDP, in a tunnel
# and outside of one, from a leaf and through a spine, frames of 1500 bytes and jumbo frames, IPv4
# and IPv6. CE is raised once for a burst, and every frame carries it.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/tcp.sh"

TOPO_SPINES=1
TOPO_LINKS=1
TOPO_FABRIC_MTU=9000

readonly JUMBO=8900		# MTU of hosts: the tunnel's headers fit in 9000
readonly DISCARD=9
readonly PATIENCE_MS=20000
readonly TRANSFER=200000 TRANSFERS=3
readonly UDP_BURSTS=5 UDP_BURST=60000
readonly BURST_SEGMENTS=8
readonly LEAST_FRAMES=2		# a packet has at least so many on average
readonly ODD_FRAMES=10		# frames that are not IP

# ---- sending ----

tcp() {
	tcp_between "$1" "$2" -b -C 1e9 -l 1 -S "$TRANSFER" -n "$TRANSFERS" -c 1
}

# udp NAMESPACE ADDRESS LENGTH: sends bursts, each by one call, which are cut later
udp() {
	local -a datagrams
	local i

	for ((i = 0; i < UDP_BURST / $3; i++)); do datagrams[i]=-; done
	"$TESTS/tools/vxlan_send" -n "$1" -c "$UDP_BURSTS" -g -l "$3" -p "$DISCARD" "$2" "${datagrams[@]}"
}

# The datagrams have the length that fills the frames of the tunnel.
send_tunnelled_tcp() {
	tcp "${HOST[0.0]},${HOST_IP[0.0]}" "${HOST[1.0]},${HOST_IP[1.0]}"
}

send_tunnelled_udp() {
	udp "${HOST[0.0]}" "${HOST_IP[1.0]}" $((HOST_MTU - 28))
}

send_tunnelled_udp6() {
	udp "${HOST[0.0]}" "${HOST_IP6[1.0]}" $((HOST_MTU - 48))
}

send_tcp() {
	tcp "${LEAF[0]},${VTEP[0]}" "${LEAF[1]},${VTEP[1]}"
}

# The last datagram of each burst is shorter than the others.
send_udp() {
	udp "${LEAF[0]}" "${VTEP[1]}" 1234
}

send_frames() {
	in_ns "${LEAF[0]}" "$TESTS/tools/frames" up0 "$SPINE_MAC" "$ODD_FRAMES"
}

# ---- counting ----

# This counter counts packets at the port's hook, where a burst is one packet.
count_packets() {
	in_ns "$1" nft -f - <<-END
		table netdev bursts {
			counter pieces { }
			chain out { type filter hook egress device $2 priority 0; counter name pieces; }
		}
	END
}

# door_packets NAMESPACE: sets PACKETS_IN
door_packets() {
	local list

	list=$(in_ns "$1" nft list counter netdev bursts pieces) || return
	[[ $list =~ packets\ ([0-9]+) ]] && PACKETS_IN=${BASH_REMATCH[1]}
}

# port_counts NAMESPACE DEVICE: sets FRAMES_SAID, BYTES_SAID
port_counts() {
	local json

	json=$("$CONGA" -n "$1" -j port show dev "$2") || return
	[[ $json =~ \"tx_packets\":\ *([0-9]+) ]] && FRAMES_SAID=${BASH_REMATCH[1]} || return
	[[ $json =~ \"tx_bytes\":\ *([0-9]+) ]] && BYTES_SAID=${BASH_REMATCH[1]}
}

# wire_counts NAMESPACE DEVICE: sets FRAMES_SENT, BYTES_SENT
wire_counts() {
	local dev bytes frames

	while read -r dev _ _ _ _ _ _ _ _ bytes frames _; do
		[[ $dev == "$2:" ]] || continue
		FRAMES_SENT=$frames BYTES_SENT=$bytes
		return
	done <"/proc/${PIN[$1]}/net/dev"
	fail "device $2 is not in ${1%-*}"
}

# Prints the counts of the port minus those of the wire.
difference() {
	port_counts "$@" && wire_counts "$@" || return
	echo "$((FRAMES_SAID - FRAMES_SENT)) frames, $((BYTES_SAID - BYTES_SENT)) bytes"
}

# The two counts are not read at the same time, so this loop repeats until two readings are equal.
steady_difference() {
	local last now end=$((SECONDS + PATIENCE_S))

	now=$(difference "$@") || return
	until last=$now && now=$(difference "$@") && [[ $now == "$last" ]]; do
		((SECONDS < end)) || return
	done
	echo "$now"
}

difference_is() {
	[[ $(difference "${@:2}") == "$1" ]]
}

# count_is_exact NAMESPACE DEVICE LEAST COMMAND: COMMAND sends bursts, which become at least LEAST
# frames each on average
count_is_exact() {
	local ns=$1 dev=$2 least=$3 before packets frames

	before=$(steady_difference "$ns" "$dev") && door_packets "$ns" && wire_counts "$ns" "$dev" ||
		fail "the counters of $dev do not come to rest" || return
	packets=$PACKETS_IN frames=$FRAMES_SENT
	"$4" || return
	busywait "$PATIENCE_MS" difference_is "$before" "$ns" "$dev" ||
		fail "$4, $dev: the counters differ by $(difference "$ns" "$dev")," \
			"before they differed by $before" || return
	door_packets "$ns" && wire_counts "$ns" "$dev" || return
	packets=$((PACKETS_IN - packets)) frames=$((FRAMES_SENT - frames))
	((packets > 0 && frames >= least * packets)) ||
		fail "$4, $dev: $packets packets have only $frames frames"
}

# cutting_at NAMESPACE DEVICE: this link, one of the two on the path, cuts bursts
cutting_at() {
	local way word=on

	for way in "${LEAF[0]} up0" "${SPINE[0]} down1.0"; do
		[[ $way != "$*" ]] && word=on || word=off
		# shellcheck disable=SC2086 # namespace and device
		set_offloads $way "$word" || return
	done
}

set_offloads() {
	in_ns "$1" ethtool -K "$2" tso "$3" gso "$3" tx-udp-segmentation "$3" >/dev/null 2>&1 ||
		fail "the offloads of $2 cannot be switched $3"
}

hosts_have_mtu() {
	local l

	HOST_MTU=$1
	for l in 0 1; do
		printf 'link set %s mtu %s\n' h0 "$1" vx "$1" br0 "$1" | ip -n "${LEAF[l]}" -batch - &&
			ip -n "${HOST[$l.0]}" link set eth0 mtu "$1" || return
	done
}

# ---- tests ----

# tunnelled NAMESPACE DEVICE HOST_MTU KIND...
tunnelled() {
	local kind

	hosts_have_mtu "$3" || return
	for kind in "${@:4}"; do
		count_is_exact "$1" "$2" "$LEAST_FRAMES" "send_tunnelled_$kind" ||
			fail "the traffic of the hosts of $3 is not counted" || return
	done
}

tunnel_is_counted() {
	cutting_at "$@" && tunnelled "$@" 1500 tcp udp udp6 && tunnelled "$@" "$JUMBO" tcp udp
}

others_are_counted() {
	cutting_at "$@" && count_is_exact "$@" "$LEAST_FRAMES" send_tcp &&
		count_is_exact "$@" "$LEAST_FRAMES" send_udp || return
	[[ $2 != up0 ]] || count_is_exact "$@" 1 send_frames
}

# Counts the frames on the link to leaf 1, and those with the highest CE: sets FRAMES and MARKED.
frames_captured() {
	read -r FRAMES MARKED < <(capture_headers wire "${LEAF[1]}" | awk '
		$2 ~ /^08.[ef].[13579bdf]00/ { marked++ }
		END { print NR, marked + 0 }')
}

# Spine 0 must have raised CE once for each packet that leaf 0 stamped, and nowhere else: sets
# RAISED.
raised_as_stamped() {
	local raised

	raised=$(stats_growth "${SPINE[0]}")
	[[ $raised =~ ^ce_raised=([0-9]+)$ ]] ||
		fail "counters of spine 0 moved by: $raised" || return
	RAISED=${BASH_REMATCH[1]}
	stats_grew "${LEAF[0]}" "tx_stamped=$RAISED"
}

# Every packet fills this DRE; no other port raises CE.
ce_is_in_every_frame() {
	cutting_at "${SPINE[0]}" down1.0 && hosts_have_mtu 1500 &&
		conga_batch "${SPINE[0]}" <<-END || return
			fabric set tdre 1us alpha 0.5
			port set down1.0 rate 1mbit
		END
	capture_start wire "${LEAF[1]}" up0 udp dst port 4789 and src "${VTEP[0]}" || return
	stats_mark "${LEAF[0]}"
	stats_mark "${SPINE[0]}"
	send_tunnelled_udp && send_tunnelled_tcp && capture_stop wire && raised_as_stamped || return
	frames_captured
	((MARKED == FRAMES)) || fail "$MARKED of $FRAMES frames have CE 7" || return
	((FRAMES > LEAST_FRAMES * RAISED)) || fail "CE was raised $RAISED times for $FRAMES frames"
}

# Leaves send from the addresses of their tunnels, to which all nodes have a route.
leaf_sources() {
	local l

	for l in 0 1; do
		topo_link_addresses "$l" 0 0
		ip -n "${LEAF[l]}" route replace "${VTEP[1 - l]}" via "$SPINE_END" dev up0 \
			src "${VTEP[l]}" || return
	done
}

# TCP sends bursts of the maximum length, however slow the machine is.
long_bursts() {
	local ns

	for ns in "${LEAF[0]}" "${HOST[0.0]}"; do
		in_ns "$ns" sysctl -qw net.ipv4.tcp_min_tso_segs="$BURST_SEGMENTS" || return
	done
}

# Hosts send no router solicitations, and bridges send no packets.
silence() {
	local l

	for l in 0 1; do
		in_ns "${LEAF[l]}" sysctl -qw net.ipv6.conf.{br0,vx,h0}.disable_ipv6=1 &&
			in_ns "${HOST[$l.0]}" sysctl -qw net.ipv6.conf.eth0.accept_ra=0 || return
	done
	queued_packets_leave
}

setup() {
	local ns

	topo_up && silence && long_bursts && leaf_sources || return
	FABRIC_RATE=1tbit fabric_up conga conga || return
	PIN=()
	for ns in "${LEAF[0]}" "${SPINE[0]}"; do pin "$ns" || return; done
	count_packets "${LEAF[0]}" up0 && count_packets "${SPINE[0]}" down1.0 || return
	SPINE_MAC=$(ip -n "${SPINE[0]}" -br link show down0.0 | awk '{ print $3 }')
}

underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: a leaf's bursts into a tunnel are counted as frames" \
		tunnel_is_counted "${LEAF[0]}" up0
	tap_test "v$1: a spine's bursts into a tunnel are counted as frames" \
		tunnel_is_counted "${SPINE[0]}" down1.0
	tap_test "v$1: a leaf's other bursts are counted as frames" \
		others_are_counted "${LEAF[0]}" up0
	tap_test "v$1: a spine's other bursts are counted as frames" \
		others_are_counted "${SPINE[0]}" down1.0
	tap_test "v$1: CE is raised once for a burst, and every frame carries it" \
		ce_is_in_every_frame
	topo_down
}

tap_plan 10
require_root
require_commands ip ethtool nft tcpdump
require_module
underlay 4
underlay 6
tap_exit
