#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flowgen replays a trace file between three hosts on a switch: the tests check when a replay ends,
# and what is reported of it and of each transfer. Times are compared with each other, or with
# delays and rates far longer than code takes, so that they hold on any machine.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/replay.sh"

readonly RARELY_MS=400 LATE_MS=800
readonly DISORDER=(netem limit 10000 delay 10ms reorder "100%" gap 5)

# ---- the end of a replay ----

# ran_ms: prints the total time, which is reported in milliseconds
ran_ms() {
	[[ $SUMMARY =~ seconds=([0-9]+)\.([0-9]{3}) ]] && echo $((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
}

# The third line never begins, since the second does not end.
drain_limit() {
	local ms

	trace "100000000 10 1 2 0 - - -" "300000000 $((50 * SLOW_BYTES)) 0 1 0 1 - -" "0 10 0 1 1 - 1 -"
	with 0 "${SLOW[@]}" -- replay "$@" -D 0.5 || return
	ms=$(ran_ms)
	((ms >= 800 && ms < 800 + DELAY_MS)) || fail "flowgen took $ms ms, not 800" || return
	[[ $SUMMARY == "flows=3 unfinished=2 "* ]] || fail "$SUMMARY" || return
	[[ ${DONE[*]} == "1 0 0" ]] || fail "the finished transfers are ${DONE[*]}" || return
	((($(end 1) + 500000) / 1000000 == ms)) || fail "transfer 1 is ${FCT[1]} ns old" || return
	[[ "${START[2]} ${FCT[2]}" == "- -" ]] ||
		fail "a transfer that never began has start ${START[2]} and time ${FCT[2]}"
}

# The rounds would last longer than -L allows, so -L ends the replay.
overall_limit() {
	local i lines=("0 $SLOW_BYTES 0 1 0 1 - -") ms

	for ((i = 1; i < 20; i++)); do
		lines+=("0 $SLOW_BYTES 0 1 0 $((i + 1)) $i -")
	done
	trace "${lines[@]}"
	with 0 "${SLOW[@]}" -- replay -L 1.1 || return
	ms=$(ran_ms)
	((ms >= 1100 && ms < 1100 + DELAY_MS)) || fail "flowgen took $ms ms, not 1100" || return
	[[ ${DONE[*]} =~ ^(1\ )+(0\ )+0$ ]] || fail "the finished transfers are ${DONE[*]}"
}

interrupted() {
	local before

	before=$(tcp_counter 0 TCPOrigDataSent)
	trace "0 10 0 1 0 - - -" "50000000000 10 0 1 0 - - -"
	running 1 || return
	busywait "$PATIENCE_MS" at_least 0 TCPOrigDataSent $((before + 1)) ||
		fail "no data was sent" || return
	stopped || return
	result_read
	[[ "${DONE[*]} ${START[1]} ${FCT[1]}" == "1 0 50000000000 -" ]] ||
		fail "the results are ${DONE[*]} ${START[1]} ${FCT[1]}"
}

# ---- reports meanwhile ----

# The reader arrives when all connections are up, which have enough time for their handshakes. The
# clock waits for the reader, and -L counts from then on.
clock_start_told() {
	local line="" ms since began

	trace "10000000000 1 0 1 0 - - -"
	mkfifo "$DIR/begin" || return
	flowgen -o "$DIR/out" -L 0.5 -B "$DIR/begin" >"$DIR/summary" 2>"$DIR/errors" &
	RUNNING=$!
	sleep "0.$LATE_MS"	# flowgen is kept waiting for so long
	since=$(now_ms)
	read -r -t $((PATIENCE_MS / 1000)) line <>"$DIR/begin"
	began=${line#begin } began=$((10#${began/./} / 1000000))
	ended || return
	ms=$(($(now_ms) - since))
	sleep "0.$LATE_MS"	# the end of the connections is delayed, too
	[[ $line =~ ^begin\ [0-9]+\.[0-9]{9}$ ]] || fail "the begin file has $line" || return
	((began >= since && began < since + DELAY_MS)) ||
		fail "the begin file has $line, but the reader came at $since ms" || return
	((ms >= 500 && ms < 500 + DELAY_MS)) || fail "flowgen ended $ms ms after that, expected 500"
}

# Each transfer ends in another tenth of a second, so that each reports what was done up to then.
progress_told() {
	local start lines=() ns count bytes i

	for start in 150000000 250000000 350000000; do
		lines+=("$start 1000 0 1 0 - - -")
	done
	trace "${lines[@]}" "2000000000 10 0 1 0 - - -"
	replay -P "$DIR/progress" && finished 4 || return
	mapfile -t lines <"$DIR/progress"
	for i in 1 2 3; do
		read -r _ ns count bytes <<<"${lines[i - 1]}"
		[[ ${lines[i - 1]} =~ ^progress\ [0-9]+\ [0-9]+\ [0-9]+$ ]] &&
			((ns >= i * 100000000 && count <= i && bytes == 1000 * count)) ||
			fail "line $i is ${lines[i - 1]}" || return
	done
	((count >= 2)) || fail "$count transfers were done after three reports"
}

# ---- what a transfer lost ----

# The test runs on kernels that report these events: 6.7 and later, or with a patch. One of the
# retransmits may be a probe, which is sent before the time-out.
rtos_counted() {
	if [[ ${RTOS[*]} =~ ^[-\ ]+$ ]]; then
		! kernel_counts_rtos || fail "no RTOs are reported" || return
		echo "# this kernel does not tell of RTOs"
		return 0
	fi
	((RTOS[0] >= RETRANS[0] - 1 && RTOS[0] <= RETRANS[0] && RTOS[1] == 0)) ||
		fail "the transfers had ${RTOS[*]} RTOs and ${RETRANS[*]} retransmits"
}

kernel_counts_rtos() {
	local release

	release=$(uname -r)
	[[ $(printf '%s\n' 6.7 "$release" | sort -V | head -n 1) == 6.7 ]]
}

# retransmitted HOST COUNT: waits for the retransmits. It polls rarely, since TCP needs seconds,
# and starting programs takes long if time is simulated.
retransmitted() {
	local i

	for ((i = 0; i < PATIENCE_MS / RARELY_MS; i++)); do
		! at_least "$1" RetransSegs "$2" || return 0
		sleep "0.$RARELY_MS"
	done
	return 1
}

# losses_counted HOST OPTION...: the host's cable is unplugged, which loses its data or its
# requests, until TCP has retransmitted several times. The next transfer, on the same connection,
# reports none of these losses.
losses_counted() {
	local host=$1 before status=0

	trace "2000000000 1000 0 1 0 1 - -" "0 1000 0 1 0 - 1 -"
	running 1 "${@:2}" || return
	ip -n "$SWITCH" link set "p$host" nomaster
	before=$(tcp_counter "$host" RetransSegs)
	retransmitted "$host" $((before + 3)) || fail "fewer than 3 packets were retransmitted" ||
		status=1
	ip -n "$SWITCH" link set "p$host" master br0
	ended && finished 2 && ((!status)) || return
	((RETRANS[0] >= 3 && RETRANS[1] == 0)) || fail "retransmits are ${RETRANS[*]}" || return
	rtos_counted
}

# A single packet, as in the second transfer, cannot overtake itself.
disorder_counted() {
	trace "0 200000 0 1 0 1 - -" "0 1000 0 1 0 - 1 -"
	with 0 "${DISORDER[@]}" -- replay "$@" && finished 2 || return
	((DISORDERED[0] > 0 && DISORDERED[1] == 0)) ||
		fail "the transfers had ${DISORDERED[*]} packets out of order"
}

# ---- columns ----

header() {
	[[ $(head -n 1 "$DIR/out") == "# start_s size_bytes fct_s retransmits rtos out_of_order from to group finished" ]] ||
		fail "the head of the columns is wrong: $(head -n 1 "$DIR/out")"
}

# Both directions are captured, and the names of the namespaces are reported.
random_trace() {
	SUMMARY=$("$TESTS/tools/flowgen" -q -b -f "${NS[0]},${ADDR[0]}" -f "${NS[1]},${ADDR[1]}" \
		-t "${NS[2]},${ADDR[2]}" -C 1e8 -n 60 -S 3000 -o "$DIR/out" "$@" 2>&1) ||
		fail "$SUMMARY" || return
	finished 60 && header && result_read && ((${#DONE[@]} == 60)) ||
		fail "${#DONE[@]} transfers are in the results, expected 60" || return
	[[ $(printf '%s\n' "${FROM[@]}" | sort -u | paste -sd ' ') == "${NS[*]}" ]] ||
		fail "the senders are ${FROM[*]}"
}

require_root
require_commands ip tc ss jq ping nsenter awk
[[ -x $TESTS/tools/flowgen ]] || tap_skip_all "needs flowgen: run make in selftests"

tap_plan 13
setup || die "cannot set up"
tap_test "transfers unfinished at the drain limit are reported" drain_limit
tap_test "on request transfers unfinished at the drain limit are reported" drain_limit -R
tap_test "endless rounds stop at the overall limit" overall_limit
tap_test "an interrupted run reports what was done" interrupted
tap_test "the start of the clock is reported, and the clock waits for the reader" \
	with 0 "${DELAY[@]}" -- with 1 "${DELAY[@]}" -- clock_start_told
tap_test "progress is reported every 100 ms" progress_told
tap_test "retransmits and RTOs of lost data are counted for the transfer" losses_counted 0
tap_test "retransmits and RTOs of lost requests are counted for the transfer" losses_counted 1 -R
tap_test "out-of-order segments are counted for the transfer" disorder_counted
tap_test "on request out-of-order segments are counted for the transfer" disorder_counted -R
tap_test "the report has one line for each transfer, with its columns in order" header
tap_test "a random trace has the same columns" random_trace
tap_test "a random trace has the same columns on request" random_trace -R
tap_exit
