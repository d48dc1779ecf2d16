#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cores.sh [CPUS] - what packets of several processors share: accesses to cache lines that a
# processor has to take from another one.
#
#	make bench-cores
#
# The emulator counts them (vm/run --plugin lines): how often an instruction of the kernel writes a
# line that another processor writes or reads, or reads one that another one writes. All
# processors send at the same time, flows of their own; or they receive or forward, each from
# a cable of its own. The program prints a line for each case and kernel module on the way, with
# the accesses of its instructions per packet:
#
#	cores CASE MODULE ACCESSES
#
# A case is measured twice, with n and with 2n packets, so that what starts and ends it cancels out.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly MARK=$TESTS/vm/plugin/build/mark
readonly EACH=4000		# packets of one processor
readonly MODULES="conga|vxlan|bonding|veth"
readonly APART=100		# UDP ports between the flows of two processors
CPUS=$(nproc)
SECTIONS=0

# send_all PACKETS: each processor sends so many
send_all() {
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		pktgen_say "$IN" "kpktgend_$cpu" rem_device_all "add_device vx@$cpu" &&
			pktgen_say "$IN" "vx@$cpu" "delay 0" "count $1" "pkt_size $BYTES" \
				"dst_mac $FAR_MAC" "src_min 192.168.0.1" "src_max 192.168.0.1" \
				"dst 192.168.0.2" "udp_src_min $((1000 + APART * cpu))" \
				"udp_src_max $((1000 + APART * cpu + FLOWS))" || return
	done
	pktgen_say "$IN" pgctrl start
}

# The first far leaf
REMOTE=""

# storm_all PACKETS DATAGRAM WORD...: each processor sends so many into an uplink of its own; the
# words are those of vxlan_send
storm_all() {
	local packets=$1 datagram=$2 batch=() pids=() cpu i

	for ((i = 0; i < STORM_BATCH; i++)); do batch+=("$datagram"); done
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		taskset -c "$cpu" "$TESTS/tools/vxlan_send" -r "$packets" -l $((BYTES - 42)) \
			-n v4-sink -d "down$cpu" -m "${MAC[cpu]}" "${@:3}" "${batch[@]}" &
		pids+=($!)
	done
	wait "${pids[@]}"
}

receive_all() {
	storm_all "$1" "$WORD$INNER$INNER_UDP" -s "$REMOTE" -x 0 10.0.0.1
}

forward_all() {
	storm_all "$1" "$STAMPED_WORD$INNER$INNER_UDP" -s 10.9.9.9 -p $VXLAN_PORT -x 0 "$REMOTE"
}

# counted COMMAND PACKETS: lets the emulator learn which lines are shared, then counts
counted() {
	"$MARK" learn
	"$1" "$2" || return
	"$MARK" begin
	"$1" "$2" || return
	"$MARK" end
	SECTIONS=$((SECTIONS + 1))
}

# shared CASE COMMAND: prints the case's lines. What an instruction does less often than in a
# hundredth of the packets is the work of timers and of programs.
shared() {
	local words

	"$2" "$EACH" || die "$1: nothing was sent"	# every cache of the kernel is filled
	counted "$2" "$EACH" || die "$1: nothing was sent"
	counted "$2" $((2 * EACH)) || die "$1: nothing was sent"
	words=$(grep -E "^($MODULES) " /proc/modules | awk '{ print $1, $2, $6 }')
	awk -v modules="$words" -v packets=$((EACH * CPUS)) -v name="$1-$CPUS-cpus" '
		function place(hex,  i, n) {	# exact: addresses of modules differ in 32 bits
			hex = tolower(substr(hex, length(hex) - 7))
			for (i = 1; i <= 8; i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		BEGIN {
			count = split(modules, line, "\n")
			for (i = 1; i <= count; i++) {
				split(line[i], word, " ")
				module[i] = word[1]
				first[i] = place(word[3])
				size[i] = word[2]
			}
		}
		FNR == 1 { files++ }
		{ n[$1] += files == 1 ? -$2 : $2 }
		END {
			for (at in n)
				for (i = 1; i <= count; i++)
					if (n[at] >= packets / 100 && place(at) >= first[i] &&
					    place(at) < first[i] + size[i])
						sum[i] += n[at]
			for (i = 1; i <= count; i++)
				printf "cores %s %s %.3f\n", name, module[i], sum[i] / packets
		}' "$PLUGIN_FILE.$((SECTIONS - 1))" "$PLUGIN_FILE.$SECTIONS"
}

# steady: an emulated packet takes longer than a period of the DREs, in which there are many packets
# at native speed. Here all packets are in one period, and no flowlet ends.
steady() {
	"$CONGA" -n v4 fabric set tdre 1s flowlet-timeout 1s age 10s || die "the fabric cannot be set"
}

# links_mark: adds a fabric whose links are busy, and paths of other leaves
links_mark() {
	local i

	{
		echo "fabric add"
		for ((i = 0; i < UPLINKS; i++)); do
			echo "port add dev up$i role transit rate $BUSY_RATE"
		done
	} | "$CONGA" -n v4 -b -
}

sends() {
	IN=$2
	shared "$1" send_all
}

main() {
	local cpu shape

	[[ ${PLUGIN_FILE-} ]] || die "the emulator counts nothing: see selftests/vm/run --plugin"
	((CPUS <= UPLINKS)) || die "there are more processors than links"
	sysctl -qw kernel.kptr_restrict=0
	pktgen_load || die "no pktgen"
	for shape in v4 tos lag recv; do
		"${shape}_up" || die "$shape cannot be set up"
	done
	# shellcheck disable=SC2031 # what other functions set in subshells is no matter
	REMOTE=$(far 0 && echo "$FAR4")
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		MAC[cpu]=$(ip -n v4 -j link show dev "up$cpu" | jq -r '.[0].address')
	done
	sends send-stock-pinned v4
	sends send-stock-ecmp tos
	sends send-lag lag
	WORD=$PLAIN shared receive-stock receive_all
	shared forward-stock forward_all
	module_load || die "no module"
	fabric v4 $UPLINKS 1 conga || die "no fabric"
	steady
	sends send-conga v4
	WORD=$STAMPED_WORD shared receive-conga receive_all
	"$CONGA" -n v4 fabric del
	links_mark && steady && shared forward-conga forward_all
	"$CONGA" -n v4 fabric del
}

main "$@"
