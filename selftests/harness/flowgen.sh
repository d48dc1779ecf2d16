#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flowgen replays a trace file between three hosts on a switch: the tests check which transfers it
# makes, when, and what it reports. Times are compared with each other, or with delays and rates
# far longer than code takes, so that they hold on any machine.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

readonly HOSTS=3
readonly PORT=5001
readonly MTU=1500
readonly PATIENCE_MS=20000 RARELY_MS=400 LATE_MS=800

# A transfer takes 200 ms on this slow link, and another delay, on this link only, is as long. Two
# transfers one after the other would take twice as long.
readonly SLOW=(tbf rate 8mbit burst 5000 limit 1000000)
readonly SLOW_BYTES=200000 SLOW_NS=200000000
readonly DELAY_MS=200 DELAY_NS=200000000
readonly DELAY=(netem limit 10000 delay "${DELAY_MS}ms")
readonly DISORDER=(netem limit 10000 delay 10ms reorder "100%" gap 5)

readonly MANY=100		# connections of each pair
readonly FEW_FILES=64

declare -a NS=() ADDR=() GIVEN=()
declare -a START=() SIZE=() FCT=() RETRANS=() RTOS=() DISORDERED=() FROM=() TO=() GROUP=() DONE=()
SUMMARY=""
RUNNING=""
OPEN_FILES=""			# the limit of open files, if it is not ours

# ---- set-up ----

names() {
	local h

	DIR=$(mktemp -d "${TMPDIR:-/tmp}/flowgen.XXXXXX") || die "cannot make a directory"
	defer rm -rf "$DIR"
	SWITCH=switch-${DIR##*.}
	for ((h = 0; h < HOSTS; h++)); do
		NS[h]=host$h-${DIR##*.}
		ADDR[h]=192.168.7.$((10 + h))
		GIVEN+=(-h "${NS[h]},${ADDR[h]}")
	done
}

# remove: removes these objects by name, if they exist
remove() {
	local ns

	for ns in "$SWITCH" "${NS[@]}"; do
		ip netns del "$ns" 2>/dev/null
	done
}

# txrehash is off, because it would count a time-out as another event, too.
host_up() {
	local ns=${NS[$1]}

	ip netns add "$ns" && in_ns "$ns" sysctl -q net.core.txrehash=0 &&
		ip link add eth0 netns "$ns" mtu "$MTU" gso_max_size "$MTU" \
			type veth peer name "p$1" netns "$SWITCH" &&
		ip -n "$SWITCH" link set "p$1" up master br0 &&
		ip -n "$ns" link set lo up &&
		ip -n "$ns" link set eth0 up &&
		ip -n "$ns" address add "${ADDR[$1]}/24" dev eth0 &&
		ip -n "$ns" address add "fd07::$1/64" dev eth0 nodad
}

setup() {
	local h

	names
	defer remove
	ip netns add "$SWITCH" &&
		ip -n "$SWITCH" link add br0 up type bridge mcast_snooping 0 || return
	for ((h = 0; h < HOSTS; h++)); do
		host_up "$h" || return
	done
	for ((h = 0; h < HOSTS; h++)); do
		in_ns "${NS[h]}" ping -q -c 1 -W 5 "${ADDR[(h + 1) % HOSTS]}" >/dev/null || return
	done
}

# with HOST QDISC... -- COMMAND...: packets that the host sends pass this qdisc
with() {
	local ns=${NS[$1]} qdisc=() status=0

	shift
	while [[ $1 != -- ]]; do
		qdisc+=("$1")
		shift
	done
	tc -n "$ns" qdisc replace dev eth0 root "${qdisc[@]}" || fail "tc failed" || return
	"${@:2}" || status=$?
	tc -n "$ns" qdisc del dev eth0 root
	return "$status"
}

# ---- replay ----

# trace LINE...: writes the trace file
trace() {
	printf '%s\n' "$@" >"$DIR/trace"
}

# The program replaces the subshell that called this function.
flowgen() {
	[[ ! $OPEN_FILES ]] || ulimit -Sn "$OPEN_FILES"
	exec "$TESTS/tools/flowgen" -q "${GIVEN[@]}" -T "$DIR/trace" "$@"
}

# replay OPTION...: replays the trace; sets SUMMARY and the results of each transfer from the file
replay() {
	SUMMARY=$(flowgen -o "$DIR/out" "$@" 2>&1) || fail "flowgen failed: $SUMMARY" || return
	result_read
}

# ns SECONDS: sets NS_READ from nine decimals, and keeps "-". It does not fork, since there may be
# many values.
ns() {
	NS_READ=$1
	[[ ! $1 =~ ^[0-9]+\.[0-9]{9}$ ]] || NS_READ=$((10#${1/./}))
}

result_read() {
	local i=0 w

	START=() SIZE=() FCT=() RETRANS=() RTOS=() DISORDERED=() FROM=() TO=() GROUP=() DONE=()
	while read -r -a w; do
		ns "${w[0]}" && START[i]=$NS_READ
		ns "${w[2]}" && FCT[i]=$NS_READ
		SIZE[i]=${w[1]} RETRANS[i]=${w[3]} RTOS[i]=${w[4]} DISORDERED[i]=${w[5]}
		FROM[i]=${w[6]} TO[i]=${w[7]} GROUP[i]=${w[8]} DONE[i]=${w[9]}
		i=$((i + 1))
	done < <(sed 1d "$DIR/out")
}

# end I: prints the end of transfer I, in ns since the beginning
end() {
	echo $((START[$1] + FCT[$1]))
}

# ran_ms: prints the total time, which is reported in milliseconds
ran_ms() {
	[[ $SUMMARY =~ seconds=([0-9]+)\.([0-9]{3}) ]] && echo $((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
}

finished() {
	[[ $SUMMARY == "flows=$1 unfinished=0 "* ]] || fail "$SUMMARY"
}

# running OPTION...: runs the same in the background until all its connections are up (host 0 is
# one end of each); ended COMMAND...: runs the command when the replay has ended
running() {
	local want=$1

	shift
	flowgen -o "$DIR/out" "$@" >"$DIR/summary" 2>"$DIR/errors" &
	RUNNING=$!
	busywait "$PATIENCE_MS" established 0 "$want" >/dev/null ||
		fail "there are $(established 0 0) connections, expected $want"
}

# established HOST COUNT: the host has COUNT TCP connections with flowgen's port
established() {
	local count

	count=$(ss_of "$1" -H | grep -c .)
	echo "$count"
	((count == $2))
}

ss_of() {
	in_ns "${NS[$1]}" ss -tn state established "${@:2}" "( sport = :$PORT or dport = :$PORT )"
}

ended() {
	local status=0

	wait "$RUNNING" || status=$?
	SUMMARY=$(<"$DIR/summary")
	((status == 0)) || fail "flowgen ended with $status: $(<"$DIR/errors")" || return
	result_read
}

stopped() {
	kill "$RUNNING"
	wait "$RUNNING"
	[[ $(<"$DIR/errors") == "flowgen: interrupted" ]] ||
		fail "flowgen printed $(<"$DIR/errors")"
}

# ---- counters of the kernel ----

# tcp_counter HOST NAME: prints a counter of /proc/net/snmp or netstat
tcp_counter() {
	in_ns "${NS[$1]}" cat /proc/net/snmp /proc/net/netstat | awk -v name="$2" '
		!($1 in names) { names[$1] = $0; next }
		{ n = split(names[$1], word); for (i = 2; i <= n; i++) if (word[i] == name) print $i }'
}

# at_least HOST NAME COUNT
at_least() {
	(($(tcp_counter "$1" "$2") >= $3))
}

# retransmits: prints the retransmits of all hosts
retransmits() {
	local h sum=0

	for ((h = 0; h < HOSTS; h++)); do
		sum=$((sum + $(tcp_counter "$h" RetransSegs)))
	done
	echo "$sum"
}

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

header() {
	[[ $(head -n 1 "$DIR/out") == "# start_s size_bytes fct_s retransmits rtos out_of_order from to group finished" ]] ||
		fail "the head of the columns is wrong: $(head -n 1 "$DIR/out")"
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

# ---- reports ----

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
	local host=$1 before

	trace "2000000000 1000 0 1 0 1 - -" "0 1000 0 1 0 - 1 -"
	running 1 "${@:2}" || return
	ip -n "$SWITCH" link set "p$host" nomaster
	before=$(tcp_counter "$host" RetransSegs)
	retransmitted "$host" $((before + 3)) || fail "fewer than 3 packets were retransmitted"
	ip -n "$SWITCH" link set "p$host" master br0
	ended && finished 2 || return
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

# ---- packet captures ----

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

tap_plan 31
setup || die "cannot set up"
tap_test "a trace is transferred" all_arrives
tap_test "a trace is transferred on request" all_arrives -R
tap_test "the report has one line for each transfer, with its columns in order" header
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
tap_test "both ends use the requested congestion control" congestion_control
tap_test "multipath TCP transfers a trace" multipath
tap_test "a random trace has the same columns" random_trace
tap_test "a random trace has the same columns on request" random_trace -R
tap_exit
