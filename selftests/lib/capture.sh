#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# capture.sh - exact captures by tcpdump in a namespace.
#
#	capture_start NAME NAMESPACE DEVICE [WORD]...	words as tcpdump takes them
#	capture_stop NAME	fails unless every packet was captured
#	capture_count NAME FILTER [SINCE]	one number; SINCE as $EPOCHREALTIME
#	capture_text NAME [WORD]...	tcpdump's text
#	capture_bytes NAME NAMESPACE [WORD]...	"TIME DEVICE DIRECTION BYTES" of each
#	capture_headers NAME NAMESPACE	"DEVICE 16-DIGITS" of each VXLAN packet
#	observed COMMAND...	captures as "all" what tunnels of leaf 0 send meanwhile
#	offloads_off NAMESPACE...	switches the offloads of every veth off
#
# Source lib.sh, topology.sh and expect.sh first; the files live in $TOPO_DIR.

readonly CAPTURE_KIB=8192
CAPTURE_BYTES=256		# bytes of a packet: fewer bytes, less loss

declare -A CAPTURE=()		# NAME -> process id

# In immediate mode a packet is in the file as soon as it was on the device, not only when a
# buffer is full. nsenter becomes tcpdump, so the process id is that of tcpdump. The option -Q
# selects one direction: the word "outbound" in a filter loses the first packet, which libpcap
# filters by itself, without knowing its direction.
capture_start() {
	local name=$1 ns=$2 dev=$3 file=$TOPO_DIR/$1

	# A failed test may have left one running.
	[[ ! ${CAPTURE[$name]} ]] || kill "${CAPTURE[$name]}" 2>/dev/null
	: >"$file.log"		# the output of an earlier capture must not remain
	nsenter --net="/run/netns/$ns" tcpdump -i "$dev" -n -Z root -U --immediate-mode \
		-s "$CAPTURE_BYTES" -B "$CAPTURE_KIB" -w "$file.pcap" "${@:4}" 2>"$file.log" &
	CAPTURE[$name]=$!
	busywait 60000 grep -q "listening on" "$file.log" ||
		fail "tcpdump on $dev does not start: $(<"$file.log")"
}

# tcpdump is asleep when it has written all packets that arrived so far.
capture_idle() {
	local stat

	read -r stat <"/proc/${CAPTURE[$1]}/stat" && [[ $stat == *") S "* ]]
}

capture_stop() {
	local log=$TOPO_DIR/$1.log

	busywait 60000 capture_idle "$1" || fail "the capture $1 did not become idle" || return
	kill -TERM "${CAPTURE[$1]}" && wait "${CAPTURE[$1]}"
	unset "CAPTURE[$1]"
	grep -q '^0 packets dropped by kernel' "$log" ||
		fail "the capture $1 is not complete: $(paste -sd, "$log")"
}

# The second line of a tunnelled packet has no time.
capture_count() {
	tcpdump -n -tt -r "$TOPO_DIR/$1.pcap" "$2" 2>/dev/null |
		awk -v since="${3:-0}" '$1 ~ /^[0-9]+[.][0-9]+$/ && $1 > since { n++ } END { print n + 0 }'
}

capture_text() {
	tcpdump -n -r "$TOPO_DIR/$1.pcap" "${@:2}" 2>/dev/null
}

# Prints "TIME DEVICE DIRECTION BYTES" of each packet; the bytes are hexadecimal, from the network
# header on. Only a capture on "any" has device and direction, and the device has its name only in
# its namespace. The option -q is needed: if a flow has the port of a protocol that tcpdump knows,
# e.g. 49152, and too few bytes for it, tcpdump also prints the link's header.
capture_bytes() {
	in_ns "$2" tcpdump -n -q -tt -x -r "$TOPO_DIR/$1.pcap" "${@:3}" 2>/dev/null | awk '
		function tell() { if (bytes) print packet, bytes }
		/^\t/ { sub(/^[^:]*: */, ""); gsub(/ /, ""); bytes = bytes $0; next }
		/^[0-9.]+ / { tell(); packet = $1 " " $2 " " $3; bytes = "" }
		END { tell() }'
}

# Selects the eight bytes after the 28 bytes of IPv4 and UDP, or the 48 of IPv6 and UDP.
capture_headers() {
	capture_bytes "$@" | awk '{ print $2, substr($4, $4 ~ /^4/ ? 57 : 97, 16) }'
}

# The status is that of the command, unless the capture failed.
observed() {
	local status=0

	capture_start all "${LEAF[0]}" any -Q out "udp port $TOPO_PORT" || return
	"$@" || status=$?
	capture_stop all && return "$status"
}

# offloads_off NAMESPACE...: switches offloads off on every veth in the
# namespaces, so that captures show the checksums and the packets of the wire
offloads_off() {
	local ns dev

	for ns; do
		for dev in $(ip -n "$ns" -o link show type veth | sed 's/^[0-9]*: \([^@:]*\).*/\1/'); do
			in_ns "$ns" ethtool -K "$dev" tx off rx off gso off gro off tso off >/dev/null ||
				fail "the offloads of $dev cannot be switched off" || return
		done
	done
}
