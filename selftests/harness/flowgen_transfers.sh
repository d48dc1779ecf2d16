#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flowgen replays a trace file between three hosts on a switch: the tests check which transfers it
# makes, when, and by which sockets. Times are compared with each other, or with delays and rates
# far longer than code takes, so that they hold on any machine.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/replay.sh"

readonly MANY=100		# connections of each pair
readonly FEW_FILES=64

# ---- transfers ----

# told LINE...: each transfer is reported as "BYTES FROM TO GROUP FINISHED"
told() {
	local i=0 line

	((${#START[@]} == $#)) || fail "${#START[@]} of $# transfers are reported" || return
	for line; do
		[[ "${SIZE[i]} ${FROM[i]} ${TO[i]} ${GROUP[i]} ${DONE[i]}" == "$line" ]] ||
			fail "transfer $i: ${SIZE[i]} ${FROM[i]} ${TO[i]} ${GROUP[i]} ${DONE[i]}" || return
		i=$((i + 1))
	done
}

# retransmits: prints the retransmits of all hosts
retransmits() {
	local h sum=0

	for ((h = 0; h < HOSTS; h++)); do
		sum=$((sum + $(tcp_counter "$h" RetransSegs)))
	done
	echo "$sum"
}

# The number of a relay is that of a transfer, not of a line. The last line has no end. An idle
# machine retransmits nothing; a busy one may, but flowgen counts no more than these retransmits.
all_arrives() {
	local retrans received

	trace "# one" "0 1 0 1 0 - - -" "# two" "1000 50000 1 2 0 4 - -" "1000 50000 2 0 7 - - 1" 		"2000 70000 0 1 1 - 4 -"
	printf '3000 7 2 1 0 999999 - -' >>"$DIR/trace"
	retrans=$(retransmits)
	received=$(link_counter "${NS[1]}" eth0 rx bytes) && replay "$@" && finished 5 || return
	[[ $SUMMARY == *" bytes=170008 offered_bytes=170008 "* ]] || fail "$SUMMARY" || return
	received=$(($(link_counter "${NS[1]}" eth0 rx bytes) - received))
	((received > 70008)) || fail "host 1 received only $received bytes" || return
	told "1 0 1 - 1" "50000 1 2 4 1" "50000 2 0 - 1" "70000 0 1 - 1" "7 2 1 999999 1" || return
	[[ "${START[0]} ${START[1]} ${START[2]} ${START[4]}" == "0 1000 1000 3000" ]] ||
		fail "the transfers started at ${START[*]}" || return
	retrans=$(($(retransmits) - retrans))
	((${RETRANS[*]/#/+} <= retrans)) || fail "retransmits are ${RETRANS[*]}, of $retrans in all"
}

# over_v6 COMMAND...
over_v6() {
	local h given=("${GIVEN[@]}") status=0

	GIVEN=()
	for ((h = 0; h < HOSTS; h++)); do
		GIVEN+=(-h "${NS[h]},fd07::$h")
	done
	"$@" || status=$?
	GIVEN=("${given[@]}")
	return "$status"
}

# Two senders have a single port: only their addresses distinguish their connections.
same_port() {
	local h

	trace "0 70 1 0 0 - - -" "0 7000 2 0 0 - - -"
	for h in 1 2; do
		in_ns "${NS[h]}" sysctl -q net.ipv4.ip_local_port_range="20000 20000" || return
	done
	replay "$@" && finished 2 || return
	for h in 1 2; do
		in_ns "${NS[h]}" sysctl -q net.ipv4.ip_local_port_range="32768 60999" || return
	done
}

# These are four of nine possible connections.
only_used_connections() {
	trace "10000000000 1 0 1 0 - - -" "10000000000 1 0 1 0 - - -" "10000000000 1 0 1 5 - - -" \
		"10000000000 1 1 0 0 - - -" "10000000000 1 2 1 0 - - -"
	running 3 || return
	established 1 4 >/dev/null || fail "host 1 has $(established 1 0) connections" || return
	established 2 1 >/dev/null || fail "host 2 has $(established 2 0) connections" || return
	stopped
}

# Each transfer has its own size, so that a transfer on the wrong connection is noticed.
many_connections() {
	local a b k n=0 status=0

	for ((a = 0; a < HOSTS; a++)); do
		for ((b = 0; b < HOSTS; b++)); do
			((a != b)) || continue
			for ((k = 0; k < MANY; k++)); do
				echo "0 $((++n)) $a $b $k - - -"
			done
		done
	done >"$DIR/trace"
	OPEN_FILES=$FEW_FILES
	replay -R && finished "$n" || status=1
	OPEN_FILES=""
	return "$status"
}

# ---- times ----

# The transfer starts in the very nanosecond in which the last one of the group finished.
groups_in_order() {
	local last i

	trace "0 10 0 1 0 1 - -" "0 $SLOW_BYTES 0 1 1 1 - -" "1000000 10 1 0 0 2 1 -" \
		"0 10 2 0 0 2 1 -" "0 10 0 2 0 - 2 -" "3000 10 1 2 0 - - -"
	with 0 "${SLOW[@]}" -- replay "$@" && finished 6 || return
	last=$(($(end 0) > $(end 1) ? $(end 0) : $(end 1)))
	((FCT[1] >= SLOW_NS * 9 / 10)) || fail "the slow transfer took only ${FCT[1]} ns" || return
	((START[2] == last + 1000000 && START[3] == last)) ||
		fail "transfers 2 and 3 started at ${START[2]} and ${START[3]} ns" || return
	last=$(($(end 2) > $(end 3) ? $(end 2) : $(end 3)))
	((START[4] == last)) || fail "transfer 4 started at ${START[4]}, not $last ns" || return
	((START[5] == 3000 && $(end 5) < $(end 1))) || fail "transfer 5 waited" || return
	for ((i = 0; i < 6; i++)); do
		((FCT[i] >= 0)) || fail "transfer $i took ${FCT[i]} ns"
	done
}

# Host 0 sends slowly, and host 1 forwards fast: host 1 must not be ahead.
relay_has_no_more() {
	trace "0 $SLOW_BYTES 0 1 0 - - -" "0 $SLOW_BYTES 1 2 0 - - 0"
	with 0 "${SLOW[@]}" -- replay "$@" && finished 2 || return
	((FCT[0] >= SLOW_NS * 9 / 10)) || fail "the slow transfer took only ${FCT[0]} ns" || return
	((FCT[1] >= FCT[0])) || fail "the relay took ${FCT[1]} ns, its source ${FCT[0]} ns"
}

# All send slowly: one after the other would take three times as long.
relay_forwards_while_receiving() {
	trace "0 $SLOW_BYTES 0 1 0 - - -" "0 $SLOW_BYTES 1 2 0 - - 0" "0 $SLOW_BYTES 2 0 0 - - 1"
	with 0 "${SLOW[@]}" -- with 1 "${SLOW[@]}" -- with 2 "${SLOW[@]}" -- replay "$@" &&
		finished 3 || return
	((FCT[0] <= FCT[1] && FCT[1] <= FCT[2])) || fail "the order is ${FCT[*]} ns" || return
	((FCT[2] < FCT[0] * 2)) || fail "the transfers were not sent at once: ${FCT[*]} ns"
}

# A relay that starts late, behind another transfer, finds all data there.
relay_may_be_late() {
	trace "0 $SLOW_BYTES 1 2 0 1 - -" "0 5000 0 1 0 - - -" "0 5000 1 2 0 - - 1" "0 5000 1 0 0 - 1 1"
	with 1 "${SLOW[@]}" -- replay "$@" && finished 4 || return
	(($(end 2) >= $(end 0) && START[3] == $(end 0))) ||
		fail "the transfers started at ${START[*]} and took ${FCT[*]} ns"
}

# Only packets that host 1 sends are delayed: the request, and acknowledgements.
requests_count() {
	trace "0 1000 0 1 0 - - -"
	with 1 "${DELAY[@]}" -- replay -R && finished 1 || return
	((FCT[0] >= DELAY_NS && FCT[0] < 2 * DELAY_NS)) ||
		fail "a transfer with a request took ${FCT[0]} ns" || return
	with 1 "${DELAY[@]}" -- replay && finished 1 || return
	((FCT[0] < DELAY_NS)) || fail "a transfer without a request took ${FCT[0]} ns"
}

# The request of the second transfer leaves when the first is complete; another connection does
# not wait for it.
busy_connection_queues() {
	trace "0 1000 0 1 0 - - -" "0 1000 0 1 0 - - -" "0 1000 0 1 1 - - -"
	with 1 "${DELAY[@]}" -- replay -R && finished 3 || return
	((FCT[1] >= FCT[0] + DELAY_NS)) || fail "the transfers took ${FCT[*]} ns" || return
	((FCT[2] < 2 * DELAY_NS)) || fail "a transfer on a free connection took ${FCT[2]} ns"
}

# ---- sockets ----

# using HOST NAME COUNT: COUNT connections use this congestion control
using() {
	local count

	count=$(ss_of "$1" -i | grep -cw "$2")
	((count == $3)) || fail "host $1: $count connections use $2, expected $3"
}

congestion_control() {
	trace "10000000000 1 0 1 0 - - -" "10000000000 1 1 0 0 - - -"
	running 2 -K reno || return
	using 0 reno 2 && using 1 reno 2 || return
	stopped
}

# Host 0 has a second address, for a second subflow.
second_address() {
	ip -n "${NS[0]}" address add 192.168.7.99/24 dev eth0 &&
		ip -n "${NS[0]}" mptcp endpoint add 192.168.7.99 dev eth0 subflow &&
		ip -n "${NS[0]}" mptcp limits set subflow 1 &&
		ip -n "${NS[1]}" mptcp limits set subflow 1
}

# Two of the connections belong to host 0: they have two subflows when the clock starts.
multipath() {
	local before

	trace "0 200000 0 1 0 1 - -" "0 1000 1 0 0 - 1 -" "0 1000 0 1 1 - 1 -"
	if [[ ! -e /proc/sys/net/mptcp/enabled ]]; then
		says 2 "flowgen: this kernel has no multipath TCP: Protocol not supported" \
			"$TESTS/tools/flowgen" "${GIVEN[@]}" -T "$DIR/trace" -M
		return
	fi
	second_address || return
	before=$(tcp_counter 1 MPCapableSYNRX)
	replay -M -R && finished 3 || return
	[[ $SUMMARY == *" connections=3 subflows=5 "* ]] || fail "flowgen: $SUMMARY" || return
	(($(tcp_counter 1 MPCapableSYNRX) == before + 2)) ||
		fail "the connections do not use multipath TCP" || return
	[[ "${RETRANS[*]} ${RTOS[*]} ${DISORDERED[*]}" == "- - - - - - - - -" ]] ||
		fail "the results are ${RETRANS[*]} ${RTOS[*]} ${DISORDERED[*]}"
}

require_root
require_commands ip tc ss jq ping nsenter awk
[[ -x $TESTS/tools/flowgen ]] || tap_skip_all "needs flowgen: run make in selftests"

tap_plan 18
setup || die "cannot set up"
tap_test "a trace is transferred" all_arrives
tap_test "a trace is transferred on request" all_arrives -R
tap_test "a trace is transferred over IPv6" over_v6 all_arrives -R
tap_test "two senders may use the same port" same_port
tap_test "two senders may use the same port with IPv6" over_v6 same_port
tap_test "only connections that the trace uses are opened" only_used_connections
tap_test "each of many connections is found, also beyond the limit of open files" many_connections
tap_test "a group's successors start when the whole group is complete" groups_in_order
tap_test "on request a group's successors start when the whole group is complete" groups_in_order -R
tap_test "a relay forwards only what it has received" relay_has_no_more
tap_test "on request a relay forwards only what it has received" relay_has_no_more -R
tap_test "a relay over three hosts forwards while it receives" relay_forwards_while_receiving
tap_test "on request a relay over three hosts forwards while it receives" \
	relay_forwards_while_receiving -R
tap_test "a relay that starts late forwards all" relay_may_be_late
tap_test "the time of the request is part of the completion time" requests_count
tap_test "a request waits for its connection" busy_connection_queues
tap_test "both ends use the requested congestion control" congestion_control
tap_test "multipath TCP transfers a trace" multipath
tap_exit
