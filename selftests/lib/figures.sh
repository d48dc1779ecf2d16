#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# figures.sh - the common part of the tests of the paper's figures 2 and 3: the unit of rate, the
# demand, and the traffic that arrives during a window of time, by spine.
#
#	figures_topology; TOPO_...=...
#	figures_require
#	topo_up; figures_pin; settle
#	DEMAND=100; demand_from 0; demand_to 1
#	SINK=1				the leaf whose last links are counted
#	carry conga 1 KEY		scheme, seed; sets TOTAL[KEY] and others
#
# SEEDS="1 2 3" in the environment are the seeds of the demand.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"

SEEDS=${SEEDS:-1}

# The fabric is the paper's, a hundred times slower: a unit is 10 Mbit/s on a link, with all
# headers, where the paper has 1 Gbit/s. In this machine code costs no time, so the processor does
# not require the lower rate. The kernel's retransmission time-out of 200 ms and its tick of 4 ms
# do not scale.
readonly UNIT_MBIT=10

# The demand consists of many connections, each idle most of the time, on which pieces of data
# arrive at random times (Poisson), the same for every scheme. TCP carries them as fast as it can;
# data that the fabric cannot carry waits at its sender. A piece is a quarter of the 64 KB that
# the paper's hosts send at once, so that there are four times as many pieces for the same number
# of packets.
readonly PIECE=16384
readonly PAYLOAD=1448 WIRE=1564	# bytes of a full packet: TCP data, and on a fabric link

# Therefore time constants are the paper's times 100, for the rate, and divided by four, for the
# pieces: tau = 4 ms (160 us), Tfl = 12.5 ms (500 us), Tage = 250 ms (10 ms). With tdre auto,
# which depends on the size of skbs, here of single packets, tau would be 160 us, in which a link
# carries no more than one piece.
readonly SCHEME_SCALE=(tdre 400us flowlet-timeout 12500us age 250ms)

# These times are in milliseconds: the time in which the backlogs grow at overloaded links, the
# measured window, and the time for which the demand continues afterwards.
readonly WARM_UP_MS=300 WINDOW_MS=700 MARGIN_MS=100
readonly CONNECT_MS=50		# time that opening all connections may take
readonly QUIET_MS=50 PATIENCE_MS=10000

readonly FILES=4096		# open files: two per connection, in one process

readonly MORE=10		# tenths of a unit: a larger difference is not random
readonly ALL=970		# thousandths of the offered load: the rest is on its way

readonly BALANCE_FLOWS=4000	# flows of one packet each
readonly BALANCE_MAX=130	# percent: the busier uplink's packets over the other's
readonly DISCARD=9		# a UDP port

declare -a DEMAND_HOSTS=()
declare -A CARRIED=() TOTAL=()
OFFERED=0

# ---- set-up ----

# units N: prints the rate as tc and conga accept it
units() {
	echo "$(($1 * UNIT_MBIT))mbit"
}

# The buffer is 8 MB for pieces of 64 KB. With a buffer of 1 MB TCP loses more packets at a narrow
# link, which their uplink has carried in vain. Policy local, which equalises uplinks, then sends
# some units more in the other direction.
figures_topology() {
	TOPO_LINKS=1
	TOPO_GSO=1500
	TOPO_BUFFER=2000000
}

figures_require() {
	require_root
	require_commands ip tc jq
	require_exact_time
	require_module
	ulimit -n "$FILES" || die "cannot open $FILES files at once"
}

# The counters are read through a process in the namespace.
figures_pin() {
	local ns

	for ns in "${SPINE[@]}" "${LEAF[1]}"; do
		pin "$ns" || return
	done
}

# scheme_up POLICY
scheme_up() {
	local ns

	fabric_up "$1" conga || return
	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGA" -n "$ns" fabric set "${SCHEME_SCALE[@]}" || return
	done
}

# under POLICY COMMAND...
under() {
	local status=0

	scheme_up "$1" && "${@:2}" || status=$?
	fabric_down && return "$status"
}

# ---- the demand ----

# demand_from LEAF, demand_to LEAF: add all hosts of the leaf
demand_from() {
	demand_hosts -f "$1"
}

demand_to() {
	demand_hosts -t "$1"
}

demand_hosts() {
	local h

	for ((h = 0; h < TOPO_HOSTS; h++)); do
		DEMAND_HOSTS+=("$1" "${HOST[$2.$h]},${HOST_IP[$2.$h]}")
	done
}

# demand SEED [OPTION]: creates DEMAND units between the DEMAND_HOSTS
demand() {
	local ms=$((WARM_UP_MS + WINDOW_MS + MARGIN_MS))

	exec "$TESTS/tools/flowgen" -q "${DEMAND_HOSTS[@]}" -c "$DEMAND_CONNECTIONS" -S "$PIECE" \
		-C $((DEMAND * UNIT_MBIT * 1000000 * PAYLOAD / WIRE)) -l 1 -D 0 \
		-d "${ms}e-3" -r "$@"
}

# Prints the data that arrives at the senders in the window, in tenths of a unit, with the headers
# that it will get. The arrivals are Poisson, with mean DEMAND.
offered() {
	(demand "$1" -p) | awk -v from="$WARM_UP_MS" -v window="$WINDOW_MS" \
		-v unit="$UNIT_MBIT" -v header="$((1000 * WIRE / PAYLOAD))" '
		{ at = $1 / 1e6 } at >= from && at < from + window { sum += $2 }
		END { printf "%.0f", sum * 8 * header / 1000 / (window * 1e3 * unit) * 10 }'
}

# ---- carried traffic ----

# tx_bytes NAMESPACE DEVICE: sets SENT
tx_bytes() {
	local dev

	while read -r dev _ _ _ _ _ _ _ _ SENT _; do
		[[ $dev != "$2:" ]] || return 0
	done <"/proc/${PIN[$1]}/net/dev"
	return 1
}

# count SIGN: adds to CARRIED (1), or subtracts from it (-1), the bytes of the last links to leaf
# SINK, S0 and S1, and those of leaf 1's uplinks
count() {
	local s

	for s in 0 1; do
		tx_bytes "${SPINE[s]}" "down$SINK.0" || return
		CARRIED[S$s]=$((${CARRIED[S$s]:-0} + $1 * SENT))
		tx_bytes "${LEAF[1]}" "up$s" || return
		CARRIED[up$s]=$((${CARRIED[up$s]:-0} + $1 * SENT))
	done
}

# elapsed_us SINCE: SINCE is EPOCHREALTIME without its point
elapsed_us() {
	echo $((${EPOCHREALTIME/[.,]/} - $1))
}

pause_ms() {
	local s

	printf -v s '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
	sleep "$s"
}

# This function runs during the demand. Its pauses are the window, and wait for no condition. Code
# costs no time, so that counters read one after the other belong to the same time.
window_measure() {
	local us name

	pause_ms "$WARM_UP_MS"
	CARRIED=()
	us=${EPOCHREALTIME/[.,]/}
	count -1 && pause_ms "$WINDOW_MS" && count 1 || fail "the counters cannot be read" || return
	us=$(elapsed_us "$us")
	for name in "${!CARRIED[@]}"; do
		CARRIED[$name]=$(((${CARRIED[$name]} * 80 / UNIT_MBIT + us / 2) / us))
	done
}

# No packet is in transit any more. A full queue of the previous run would cost the next run a
# SYN, and a second until the retransmission.
quiet() {
	CARRIED=()
	count -1 && pause_ms "$QUIET_MS" && count 1 || return
	[[ ${CARRIED[*]} == "0 0 0 0" ]]
}

# window SEED: sets CARRIED and OFFERED, in tenths of a unit
window() {
	local load start ms

	busywait "$PATIENCE_MS" quiet || fail "the traffic did not end" || return
	start=${EPOCHREALTIME/[.,]/}
	demand "$1" >"$TOPO_DIR/load" &
	load=$!
	window_measure && wait "$load" || fail "the demand cannot be measured" || return
	ms=$(($(elapsed_us "$start") / 1000 - WARM_UP_MS - WINDOW_MS))
	((ms > 0 && ms < MARGIN_MS + CONNECT_MS)) ||
		fail "demand ended $ms ms after the window, expected $MARGIN_MS" || return
	OFFERED=$(offered "$1")
}

# carry SCHEME SEED KEY
carry() {
	under "$1" window "$2" || fail "$1, seed $2: the run has no result" || return
	TOTAL[$3]=$((CARRIED[S0] + CARRIED[S1]))
}

# tenths N: prints "66.6" for 666
tenths() {
	echo "$(($1 / 10)).$(($1 % 10))"
}

# off A B: prints their distance
off() {
	echo $(($1 > $2 ? $1 - $2 : $2 - $1))
}

# share A B: prints the share of A in A + B, in tenths of a percent
share() {
	echo $((($1 * 1000 + ($1 + $2) / 2) / ($1 + $2 > 0 ? $1 + $2 : 1)))
}

# ---- expectations ----

measured() {
	local key

	for key; do
		[[ ${TOTAL[$key]-} ]] || fail "$key was not measured" || return
	done
}

# carries_all KEY: the previous run carried the whole demand
carries_all() {
	((1000 * ${TOTAL[$1]} >= ALL * OFFERED)) ||
		fail "only $(tenths "${TOTAL[$1]}") of $(tenths "$OFFERED") was carried"
}

# carries_more KEY KEY
carries_more() {
	measured "$1" "$2" || return
	((${TOTAL[$1]} - ${TOTAL[$2]} >= MORE)) ||
		fail "$1 carries $(tenths "${TOTAL[$1]}"), $2 carries $(tenths "${TOTAL[$2]}")"
}

# ---- the baseline is fair ----

datagrams() {
	local i

	for ((i = 0; i < $2; i++)); do
		echo >"/dev/udp/$1/$3"
	done
}
export -f datagrams

# uplink_packets LEAF: prints the packets of its two uplinks, the smaller number first; the status
# is 1 until all flows have passed
uplink_packets() {
	conga "$1" -j port show | jq -er --argjson all "$BALANCE_FLOWS" \
		'map(.tx_packets) | sort | if add >= $all then join(" ") else empty end'
}

# balanced LEAF FROM TO: hashing spreads flows of one packet equally over both uplinks
balanced() {
	local a b

	in_ns "${HOST[$2]}" bash -c "datagrams ${HOST_IP[$3]} $BALANCE_FLOWS $DISCARD" ||
		fail "the datagrams cannot be sent" || return
	read -r a b < <(busywait "$PATIENCE_MS" uplink_packets "$1")
	[[ $b ]] || fail "fewer than $BALANCE_FLOWS packets left by the uplinks" || return
	echo "# ecmp: $BALANCE_FLOWS flows of one packet, $a and $b by the two uplinks"
	((100 * b <= BALANCE_MAX * a)) || fail "the uplinks carried $a and $b packets"
}
