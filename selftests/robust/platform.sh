#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a computer does under a running fabric: its clocksource changes, its memory is reclaimed,
# processors go and come back. No packet is lost meanwhile, and the fabric still does its work
# afterwards. (two_kernels replaces the module and the card.)

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/recovery.sh"

TOPO_SPINES=2

readonly EACH=4000		# datagrams of each sender, in one round
readonly SENDERS=2 ROUNDS=20
readonly LEAST=6		# changes while packets are sent
readonly CPU=/sys/devices/system/cpu/cpu1
readonly CLOCK=/sys/devices/system/clocksource/clocksource0
readonly GROUP=/sys/fs/cgroup/conga_platform
readonly ALL_PATHS=4		# to the other leaf
readonly LIMIT=12582912		# bytes of the group; 1,048,576 flowlets of tr take 24 MB
STEPS=$(mktemp)			# a line for each change
defer "rm -f $STEPS"

setup() {
	topo_up && tunnel_says_nothing && neighbours_meet && neighbours_stay && backlog_raise || return
	# Flows begin anew in each round, so that both links are used.
	QUIET="hello 300ms explicit-feedback off"
	fabric_up conga conga && flows_end "${HOST[1.0]}" eth0
}

# ---- packets, while something changes ----

# round: each sender sends its datagrams, and all arrive
round() {
	local pids=() i status=0

	for ((i = 0; i < SENDERS; i++)); do
		flows_send "$EACH" "${HOST[0.0]}" "${HOST_IP[1.0]}" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || status=1; done
	((status == 0)) || fail "datagrams cannot be sent" || return
	flows_arrive $((SENDERS * EACH)) "${HOST[1.0]}" eth0
}

# repeats COMMAND: does so until it is stopped, and remembers how often
repeats() {
	local stopped=""

	trap 'stopped=yes' TERM
	until [[ $stopped ]]; do
		"$1" || exit
		echo >>"$STEPS"
	done
}

steps() {
	wc -l <"$STEPS"
}

# meanwhile COMMAND: packets cross the fabric while the command is repeated
meanwhile() {
	local pid i before status=0

	: >"$STEPS"
	before=$(stat_of "${LEAF[0]}" tx_stamped)
	repeats "$1" &
	pid=$!
	for ((i = 0; i < ROUNDS && (i < 2 || $(steps) < LEAST); i++)); do
		round || { status=1; break; }
	done
	kill "$pid" 2>/dev/null
	wait "$pid" || fail "$1 failed" || status=1
	echo "# $i rounds, $(steps) changes"
	((status == 0)) || return
	(($(steps) >= LEAST)) || fail "there were only $(steps) changes" || return
	(($(stat_of "${LEAF[0]}" tx_stamped) - before >= i * SENDERS * EACH)) ||
		fail "not every packet was stamped"
}

# ---- clocksources ----

next_clocksource() {
	local all i

	read -ra all <"$CLOCK/available_clocksource"
	i=$(($(steps) % ${#all[@]}))
	echo "${all[i]}" >"$CLOCK/current_clocksource"
	sleep 0.2
}

clocksources() {
	local all before

	read -ra all <"$CLOCK/available_clocksource"
	((${#all[@]} > 1)) || { why "there is one clocksource"; return "$KSFT_SKIP"; }
	before=$(<"$CLOCK/current_clocksource")
	defer "echo $before >$CLOCK/current_clocksource"
	meanwhile next_clocksource && links_fall_idle
}

# ---- memory ----

reclaim() {
	echo 3 >/proc/sys/vm/drop_caches && echo 1 >/proc/sys/vm/compact_memory || return
	"$CONGA" -n "${HOST[1.0]}" -b - <<-END
		fabric add policy tr flowlets 65536
		fabric del
	END
}

memory_is_reclaimed() {
	meanwhile reclaim && links_fall_idle
}

# limited COMMAND...: runs it in the group
limited() (
	echo "$BASHPID" >"$GROUP/cgroup.procs" && exec "$@"
)

# The group's limit is met as memory that is missing: one sentence, and no program is killed.
groups_are_limited() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup || return
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir "$GROUP" || return
	defer "rmdir $GROUP"
	echo "$LIMIT" >"$GROUP/memory.max" || return
	says 1 "Error: Out of memory." \
		limited "$CONGA" -n "${HOST[1.0]}" fabric add policy tr flowlets 1048576 &&
		says 0 "" limited "$CONGA" -n "${HOST[1.0]}" fabric add policy tr flowlets 4096 &&
		says 0 "" "$CONGA" -n "${HOST[1.0]}" fabric del || return
	grep -qx "oom_kill 0" "$GROUP/memory.events" ||
		fail "the kernel killed a program: $(paste -sd' ' "$GROUP/memory.events")"
}

# ---- processors ----

other_processor() {
	echo 0 >"$CPU/online" && sleep 0.2 && echo 1 >"$CPU/online" && sleep 0.2
}

processors_come_and_go() {
	meanwhile other_processor && links_fall_idle
}

# counted: the packets that leaf 0 stamped, and those that its ports sent
counted() {
	stat_of "${LEAF[0]}" tx_stamped
	conga 0 -j port show | jq 'map(.tx_packets) | add'
}

# The fabric's timers, and what packets of this processor left (counters, rates), go on without it.
without_the_processor() {
	local before

	taskset -c 1 "$CONGA" -n "${LEAF[0]}" fabric set hello off && taskset -c 1 \
		"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$EACH" -p "$FLOW_PORT" "${HOST_IP[1.0]}" - &&
		flows_arrive "$EACH" "${HOST[1.0]}" eth0 || return
	before=$(counted)
	echo 0 >"$CPU/online" || return
	[[ $(counted) == "$before" ]] || fail "counted: $(counted | paste -sd' ')," \
		"before the processor went: $(paste -sd' ' <<<"$before")" || return
	conga 0 fabric set hello 300ms && links_fall_idle && round && hello_works "$ALL_PATHS"
}

with_the_processor_again() {
	echo 1 >"$CPU/online" && round && links_fall_idle && hello_works "$ALL_PATHS"
}

require_root
require_commands ip nft jq taskset
[[ -w $CPU/online ]] || tap_skip_all "needs a second processor that can go"
require_module
module_is_ours || tap_skip_all "$TAP_WHY"
tap_plan 6
setup || die "cannot set up"
tap_test "no packet is lost when the clocksource changes" clocksources
tap_test "no packet is lost while the kernel reclaims memory" memory_is_reclaimed
tap_test "a group's limit of memory is reported, and no program is killed" groups_are_limited
tap_test "no packet is lost when processors come and go" processors_come_and_go
tap_test "rates decay and hello works without the processor that had them" without_the_processor
tap_test "both go on when the processor is back" with_the_processor_again
tap_exit
