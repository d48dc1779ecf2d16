#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# replay.sh - three hosts on a switch, between which flowgen replays a trace file.
#
#	setup
#	trace "0 1000 0 1 0 - - -"	a line of the trace file each
#	replay -R			sets SUMMARY, and START, SIZE, FCT ... of each transfer
#	finished 1			all of them ended
#	with 0 "${SLOW[@]}" -- replay	packets that host 0 sends pass this qdisc
#	running 1; ...; ended		the same in the background, or: stopped
#
# Source lib.sh and expect.sh first.
#
# The variables set here are for the programs that source this file.
# shellcheck disable=SC2034

readonly HOSTS=3
readonly PORT=5001
readonly MTU=1500
readonly PATIENCE_MS=20000

# A transfer takes 200 ms on this slow link, and another delay, on this link only, is as long. Two
# transfers one after the other would take twice as long.
readonly SLOW=(tbf rate 8mbit burst 5000 limit 1000000)
readonly SLOW_BYTES=200000 SLOW_NS=200000000
readonly DELAY_MS=200 DELAY_NS=200000000
readonly DELAY=(netem limit 10000 delay "${DELAY_MS}ms")

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
