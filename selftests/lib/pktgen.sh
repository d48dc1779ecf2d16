#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pktgen.sh - the kernel's packet generator, in a namespace. It holds a reference to each packet
# until the packet was sent.
#
#	pktgen_load
#	pktgen_prepare				so that none is dropped on its way
#	pktgen_send "${LEAF[0]}" vx "count 5" "dst_mac $MAC"	sets PKTGEN_US
#	pktgen_send_all "${LEAF[0]}" vx "count 5" "dst_mac $MAC"	on each processor; sets
#						PKTGEN_ALL_US, an array
#	pktgen_flows 5 200			likewise, of flows.sh, by the tunnel of leaf 0
#
# Source lib.sh first; pktgen_prepare needs topology.sh and neighbours.sh, too, and pktgen_flows
# topology.sh, expect.sh and flows.sh.

. "${BASH_SOURCE[0]%/*}/backlog.sh"

pktgen_load() {
	[[ -d /proc/net/pktgen ]] || modprobe pktgen
}

# pktgen_say NAMESPACE FILE LINE...
pktgen_say() {
	local ns=$1 file=$2 line

	shift 2
	for line in "$@"; do
		in_ns "$ns" tee "/proc/net/pktgen/$file" <<<"$line" >/dev/null || return
	done
}

# pktgen_prepare: no packet is dropped on its way. Only a few packets may wait for a neighbour's
# answer, which itself waits behind packets on a busy machine.
pktgen_prepare() {
	neighbours_meet && neighbours_stay && backlog_raise
}

# pktgen_send NAMESPACE DEVICE LINE...: the lines are in pktgen's own grammar; sends as fast as
# possible. PKTGEN_US is the time that sending took, in microseconds.
pktgen_send() {
	local ns=$1 dev=$2

	shift 2
	pktgen_say "$ns" kpktgend_0 rem_device_all "add_device $dev" &&
		pktgen_say "$ns" "$dev" "delay 0" "$@" && pktgen_say "$ns" pgctrl start || return
	PKTGEN_US=$(pktgen_us "$ns" "$dev")
	pktgen_say "$ns" kpktgend_0 rem_device_all
	[[ $PKTGEN_US ]]
}

# pktgen_us NAMESPACE DEVICE: prints the duration of the last send
pktgen_us() {
	in_ns "$1" sed -n 's/^Result: OK: [0-9]*(c\([0-9]*\)+.*/\1/p' "/proc/net/pktgen/$2"
}

# pktgen_send_all NAMESPACE DEVICE LINE...: sends by a thread on each processor at the same time;
# each thread sends all requested packets
pktgen_send_all() {
	local ns=$1 dev=$2 cpu us

	shift 2
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		pktgen_say "$ns" "kpktgend_$cpu" rem_device_all "add_device $dev@$cpu" &&
			pktgen_say "$ns" "$dev@$cpu" "delay 0" "$@" || return
	done
	pktgen_say "$ns" pgctrl start || return
	PKTGEN_ALL_US=()
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		us=$(pktgen_us "$ns" "$dev@$cpu")
		pktgen_say "$ns" "kpktgend_$cpu" rem_device_all
		[[ $us ]] && PKTGEN_ALL_US+=("$us") || return
	done
}

# pktgen_flows COUNT BYTES: sends from the first host of leaf 0 to that of leaf 1, which flows_end
# counts
pktgen_flows() {
	pktgen_send_all "${LEAF[0]}" vx "count $1" "pkt_size $2" \
		"dst_mac ${HOST_MAC[1.0]}" "dst ${HOST_IP[1.0]}" "src_min ${HOST_IP[0.0]}" \
		"src_max ${HOST_IP[0.0]}" "udp_dst_min $FLOW_PORT" "udp_dst_max $FLOW_PORT" \
		"udp_src_min 1000" "udp_src_max 1500" || fail "pktgen did not send"
}
