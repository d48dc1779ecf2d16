#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# counters.sh - reads the kernel's counters of namespaces without a fork, so that frequent reads
# are cheap.
#
#	pin "${LEAF[0]}"			once per namespace
#	grows 20 "${LEAF[0]}" up0 tx		waits for 20 packets more
#	csum_errors "${LEAF[0]}" "${HOST[0.0]}"	prints one number
#	udp_unwanted "${HOST[1.0]}" 4		sets UNWANTED
#	unwanted_mark "${HOST[1.0]}"; ...; unwanted_arrive 1000 "${HOST[1.0]}" 3
#	stats_read "${LEAF[0]}"			conga's own: sets STAT[tx_stamped] etc.
#	totals "${LEAF[0]}" up; BEFORE=$TOTALS	sums of its ports and devices
#	ports_agree "$BEFORE" "$TOTALS"		both must have counted alike
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.

readonly PATIENCE_S=60

declare -A PIN=()		# NAMESPACE -> a process in it
declare -A UNWANTED_MARK=()	# NAMESPACE -> what udp_unwanted counted at the mark
declare -A STAT=()		# counter -> value of the fabric that was read last

# /proc/PID/net of a process inside shows its namespace's counters.
pin() {
	nsenter --net="/run/netns/$1" sleep infinity &
	PIN[$1]=$!
	busywait 20000 pinned "$1" || fail "no process runs in $1"
}

pinned() {
	[[ /proc/${PIN[$1]}/ns/net -ef /run/netns/$1 ]]
}

# packets NAMESPACE DEVICE {rx|tx}: sets PACKETS to the counter
packets() {
	local dev rx tx

	while read -r dev _ rx _ _ _ _ _ _ _ tx _; do
		[[ $dev == "$2:" ]] || continue
		[[ $3 == rx ]] && PACKETS=$rx || PACKETS=$tx
		return
	done <"/proc/${PIN[$1]}/net/dev"
	fail "device $2 is not in ${1%-*}"
}

# grows PACKETS NAMESPACE DEVICE {rx|tx}
grows() {
	local more=$1 end=$((SECONDS + PATIENCE_S)) before

	shift
	packets "$@" || return
	before=$PACKETS
	until packets "$@" && ((PACKETS - before >= more)); do
		((SECONDS < end)) ||
			fail "${1%-*} $2 $3 grew by fewer than $more packets in $PATIENCE_S s" ||
				return
		poll_pause
	done
}

# csum_errors NAMESPACE...: prints the sum of checksum errors, of every protocol
csum_errors() {
	local ns files=()

	for ns; do
		files+=("/proc/${PIN[$ns]}/net/snmp" "/proc/${PIN[$ns]}/net/snmp6")
	done
	awk 'NF == 2 { if ($1 ~ /CsumErrors$/) sum += $2; next }
		$1 != proto { proto = $1; for (i = 2; i <= NF; i++) name[i] = $i; next }
		{ for (i = 2; i <= NF; i++) if (name[i] == "InCsumErrors") sum += $i; proto = "" }
		END { print sum + 0 }' "${files[@]}"
}

# udp_unwanted NAMESPACE {4|6}: sets UNWANTED to the datagrams that arrived complete and with a
# right checksum at a port without a socket
# shellcheck disable=SC2034 # the caller reads it
udp_unwanted() {
	local proto value

	while read -r proto _ value _; do
		[[ $2 == 4 && $proto == Udp: ]] && UNWANTED=$value
	done <"/proc/${PIN[$1]}/net/snmp"
	while read -r proto value; do
		[[ $2 == 6 && $proto == Udp6NoPorts ]] && UNWANTED=$value
	done <"/proc/${PIN[$1]}/net/snmp6"
	return 0
}

# unwanted_mark NAMESPACE: counts from here
unwanted_mark() {
	udp_unwanted "$1" 4
	UNWANTED_MARK[$1]=$UNWANTED
}

# unwanted_grew NAMESPACE COUNT: sets UNWANTED to those since the mark
unwanted_grew() {
	udp_unwanted "$1" 4
	UNWANTED=$((UNWANTED - UNWANTED_MARK[$1]))
	((UNWANTED == $2))
}

# unwanted_arrive MILLISECONDS NAMESPACE COUNT: so many datagrams arrive since the mark
unwanted_arrive() {
	busywait "$1" unwanted_grew "$2" "$3" || unwanted_grew "$2" "$3" ||
		fail "$UNWANTED of $3 datagrams arrived"
}

stats_read() {
	local word

	STAT=()
	for word in $(stats_words "$1"); do
		STAT[${word%=*}]=${word#*=}
	done
	((${#STAT[@]})) || fail "stats show prints no counters of ${1%-*}"
}

# device_sum NAMESPACE PREFIX: sets PACKETS and BYTES_OUT, the kernel's own sums of all devices
# with such a name
device_sum() {
	read -r PACKETS BYTES_OUT < <(awk -v prefix="$2" '
		{ gsub(":", " ") }
		index($1, prefix) == 1 { packets += $11; bytes += $10 }
		END { printf "%.0f %.0f\n", packets, bytes }' "/proc/${PIN[$1]}/net/dev")
}

# port_sum NAMESPACE: sets PORT_PACKETS and PORT_BYTES, the sums of all ports
port_sum() {
	read -r PORT_PACKETS PORT_BYTES < <("$CONGA" -n "$1" -j port show |
		jq -r '"\(map(.tx_packets) | add) \(map(.tx_bytes) | add)"')
}

# totals NAMESPACE PREFIX: sets TOTALS to "packets bytes" of its ports and of its devices, at a
# time when none was sent between the reads (neighbours are resolved now and then)
# shellcheck disable=SC2034 # the caller reads TOTALS
totals() {
	local before=none

	while port_sum "$1" && [[ $PORT_PACKETS != "$before" ]]; do
		before=$PORT_PACKETS
		device_sum "$1" "$2" || return
	done
	TOTALS="$PORT_PACKETS $PORT_BYTES $PACKETS $BYTES_OUT"
}

# ports_agree BEFORE AFTER: the arguments are values of TOTALS; sets PORT_PACKETS and PORT_BYTES
# to the growth between them
ports_agree() {
	local -a before after

	read -ra before <<<"$1"
	read -ra after <<<"$2"
	PORT_PACKETS=$((after[0] - before[0])) PORT_BYTES=$((after[1] - before[1]))
	((PORT_PACKETS == after[2] - before[2])) ||
		fail "ports count $PORT_PACKETS packets," \
			"their devices count $((after[2] - before[2]))" || return
	((PORT_BYTES == after[3] - before[3])) ||
		fail "ports count $PORT_BYTES bytes, their devices count $((after[3] - before[3]))"
}
