#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# counters.sh - the kernel's counters of namespaces, read without a fork, so
# that looking often costs little.
#
#	pin "${LEAF[0]}"			once per namespace
#	grows 20 "${LEAF[0]}" up0 tx		wait for 20 packets more
#	csum_errors "${LEAF[0]}" "${HOST[0.0]}"	one number
#	udp_unwanted "${HOST[1.0]}" 4		sets UNWANTED
#	stats_read "${LEAF[0]}"			conga's own: sets STAT[tx_stamped] etc.
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.

readonly PATIENCE_S=10

declare -A PIN=()		# NAMESPACE -> a process in it
declare -A STAT=()		# counter -> value, of the fabric read last

# Via /proc/PID/net a process inside shows its namespace's counters.
pin() {
	nsenter --net="/run/netns/$1" sleep infinity &
	PIN[$1]=$!
	busywait 5000 pinned "$1" || fail "nothing runs in $1"
}

pinned() {
	[[ /proc/${PIN[$1]}/ns/net -ef /run/netns/$1 ]]
}

# packets NAMESPACE DEVICE {rx|tx}: sets PACKETS
packets() {
	local dev rx tx

	while read -r dev _ rx _ _ _ _ _ _ _ tx _; do
		[[ $dev == "$2:" ]] || continue
		[[ $3 == rx ]] && PACKETS=$rx || PACKETS=$tx
		return
	done <"/proc/${PIN[$1]}/net/dev"
	fail "$2 is not in ${1%-*}"
}

# grows PACKETS NAMESPACE DEVICE {rx|tx}
grows() {
	local more=$1 end=$((SECONDS + PATIENCE_S)) before

	shift
	packets "$@" || return
	before=$PACKETS
	until packets "$@" && ((PACKETS - before >= more)); do
		((SECONDS < end)) ||
			fail "${1%-*} $2 $3: not $more packets in $PATIENCE_S s" || return
		poll_pause
	done
}

# All checksum errors of some namespaces, of every protocol
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

# udp_unwanted NAMESPACE {4|6}: datagrams that came, whole and with a right
# checksum, to a port where nobody listens; sets UNWANTED
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

stats_read() {
	local word

	STAT=()
	for word in $(stats_words "$1"); do
		STAT[${word%=*}]=${word#*=}
	done
	((${#STAT[@]})) || fail "no counters of ${1%-*}"
}
