#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Policies rehash and conga-prime in a fabric of three tiers, in simulated time, in which code
# takes no time. Each flowlet of a flow has an outer UDP source port of its own, which its packets
# share. By this port ECMP at spines and cores spreads the flowlets of a single flow. Within the
# pod conga-prime equals conga. The effects of both policies end with them.
#
# A pause lets packets, timers and ages proceed by exactly this simulated time on any machine. It
# is not a wait for a condition.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hula_fabric.sh"
. "$TESTS/lib/tcp.sh"

readonly START_NS=96000000	# time of the first packet
readonly GAP_NS=600000		# more than the flowlet timeout of 500 us
readonly APART_NS=20000		# less than the flowlet timeout
readonly WITHIN_US=480 BEYOND_US=520
readonly FLOWLETS=200 PACKETS=3
readonly DISTINCT=100		# least number of different ports: 138 of 255 are expected
readonly PORT=9 SOURCE_PORT=10000 BYTES=200
readonly UDP=11 TCP=06		# hex numbers of the protocols in the inner packet

# A tunnel may use the node's port range, or that of the device if it has one.
readonly RANGE_FIRST=20000 RANGE_END=22000

# ---- packets that leaf 0 sends ----

# flow_to LEAF: prints the flow of host 0
flow_to() {
	echo "udp flow$1 ${HOST[0.0]} ${HOST_IP[0.0]} $((SOURCE_PORT + $1)) ${HOST_IP[$1.0]} $PORT"
}

# flowlets FLOWLETS PACKETS: sends flowlets of one flow to the other pod
flowlets() {
	local i j

	flow_to 2
	echo "zero 1000000"
	for ((i = 0; i < $1; i++)); do
		for ((j = 0; j < $2; j++)); do
			echo "at $((START_NS + i * GAP_NS + j * APART_NS))"
			echo "send flow2 $BYTES"
		done
	done
}

run() {
	"$TESTS/tools/timetable" "$CONGA" >"$TOPO_DIR/events" || fail "timetable failed or was late"
}

# outer LEAF PROTOCOL: prints "TIME UPLINK PORT" of each packet to the leaf's host, in order; the
# port is written xHEXADECIMAL, which awk does not take for a number
outer() {
	local ip=$((TOPO_UNDERLAY == 4 ? 20 : 40)) octets

	IFS=. read -ra octets <<<"${HOST_IP[$1.0]}"
	capture_bytes all "${LEAF[0]}" | awk -v ip="$ip" -v protocol="$2" \
		-v to="$(printf '%02x' "${octets[@]}")" '
		function field(at, bytes) { return substr($4, 2 * (ip + at) + 1, 2 * bytes) }
		field(39, 1) == protocol && field(46, 4) == to { print $1, $2, "x" field(0, 2) }'
}

# each_its_own FLOWLETS: the packets on stdin have FLOWLETS flowlets, and port and uplink never
# change within one
each_its_own() {
	local said

	said=$(awk -v within="$WITHIN_US" -v beyond="$BEYOND_US" -v least="$1" \
		-v first="$(printf 'x%04x' "$RANGE_FIRST")" -v end="$(printf 'x%04x' "$RANGE_END")" \
		-v distinct="$DISTINCT" '
		{ gap = ($1 - last) * 1000000; last = $1 }
		NR > 1 && gap < within && ($2 != dev || $3 != port) {
			print "after " gap " us from " dev ", " port " to " $2 ", " $3
			exit
		}
		NR > 1 && gap > beyond && $3 == port {
			print "after " gap " us again " port
			exit
		}
		$3 < first || $3 >= end { print "port " $3 " is out of range"; exit }
		NR == 1 || gap > beyond { flowlets++ }
		{ dev = $2; port = $3; if (!seen[port]++) ports++ }
		END {
			if (flowlets < least || ports < distinct)
				print flowlets + 0 " flowlets, " ports + 0 " ports"
		}' | head -n 1)
	[[ ! $said ]] || fail "$said"
}

a_port_each() {
	local count

	leaves_set policy rehash || return
	unwanted_mark "${HOST[2.0]}"
	observed run < <(flowlets "$FLOWLETS" "$PACKETS") || return
	count=$(outer 2 "$UDP" | wc -l)
	((count == FLOWLETS * PACKETS)) || fail "$count packets were sent" || return
	each_its_own "$FLOWLETS" < <(outer 2 "$UDP") || return
	unwanted_arrive 1000 "${HOST[2.0]}" $((FLOWLETS * PACKETS))
}

# These are bursts that the device cuts, and their acknowledgements.
connection() {
	tcp_between "${HOST[0.0]},${HOST_IP[0.0]}" "${HOST[2.0]},${HOST_IP[2.0]}" \
		-C 50e6 -l 1 -S 20000 -n 300 -c 1
}

a_port_each_of_tcp() {
	observed connection && each_its_own 150 < <(outer 2 "$TCP")
}

# ---- paths ----

readonly WAYS=(spine0.core0 spine0.core1 spine1.core0 spine1.core1
	core0.spine2 core0.spine3 core1.spine2 core1.spine3)

# ways: prints the number of packets that took each path so far
ways() {
	local way ns

	for way in "${WAYS[@]}"; do
		ns=${way%.*}
		if [[ $ns == spine* ]]; then ns=${SPINE[${ns#spine}]}; else ns=${CORE[${ns#core}]}; fi
		link_counter "$ns" "${way#*.}" tx packets || return
	done
}

# ways_of_flowlets: sets TAKEN to the packets of each path
ways_of_flowlets() {
	local before after i

	mapfile -t before < <(ways)
	run < <(flowlets "$FLOWLETS" 1) || return
	sleep 0.001
	mapfile -t after < <(ways)
	TAKEN=()
	for i in "${!WAYS[@]}"; do TAKEN[i]=$((after[i] - before[i])); done
	echo "# flowlets by way: ${TAKEN[*]}"
}

all_taken() {
	local i

	for i in "${!WAYS[@]}"; do
		((TAKEN[i] >= FLOWLETS / 8)) ||
			fail "only ${TAKEN[i]} flowlets used the path ${WAYS[i]}" || return
	done
}

# Each uplink gets half of the packets, each core gets half of these, and so on. Without ports of
# their own all packets that arrive at a node leave it by one path.
every_way_is_taken() {
	local i others=0

	leaves_set policy rehash && ways_of_flowlets && all_taken || return
	leaves_set policy letflow && ways_of_flowlets || return
	for i in 0 2; do
		others=$((others + (TAKEN[i] < TAKEN[i + 1] ? TAKEN[i] : TAKEN[i + 1])))
	done
	((others < FLOWLETS / 40)) || fail "with letflow $others flowlets used another path"
}

# If all nodes run on one kernel, a hash of the inner headers stays with the packet from node to
# node, and policy 1 prefers it to the packet's own hash.
also_if_a_hash_is_handed_on() {
	local box status=0

	for box in "${SPINE[@]}"; do spine_hashes "$box" 1 || return; done
	leaves_set policy rehash && ways_of_flowlets && all_taken || status=$?
	for box in "${SPINE[@]}"; do spine_hashes "$box" 3 || return; done
	return "$status"
}

spine_hashes() {
	in_ns "$1" sysctl -qw net.ipv{4,6}.fib_multipath_hash_policy="$2"
}

# ---- conga-prime ----

# loaded SPINE: sends flows to both pods, one flow back with feedback, and loads the link from the
# spine to leaf 1 with half of its rate
loaded() {
	local i

	flow_to 1
	flow_to 2
	echo "udp back ${HOST[1.0]} ${HOST_IP[1.0]} $SOURCE_PORT ${HOST_IP[0.0]} $PORT"
	echo "frames load ${SPINE[$1]} down1.0"
	echo "zero 1000000"
	for ((i = 0; i < 3 * FLOWLETS; i++)); do
		echo "at $((START_NS + i * GAP_NS / 3))"
		echo "send load 1250"
		((i % 3)) || printf 'send %s 100\n' flow1 flow2 back
	done
}

# uplinks LEAF [FROM]: prints "UPLINK ..." of the flowlets, beginning with number FROM
uplinks() {
	outer "$1" "$UDP" | awk -v from="${2:-0}" 'NR > from { print $2 }' | sort -u | paste -sd ' '
}

ports() {
	outer "$1" "$UDP" | awk '{ print $3 }' | sort -u | wc -l
}

within_the_pod_as_conga() {
	local s left

	leaves_set policy conga-prime || return
	for s in 0 1; do
		observed run < <(loaded "$s") || return
		left=$(uplinks 1 $((FLOWLETS / 2)))
		[[ $left == "up$((1 - s))" ]] ||
			fail "with a load behind up$s the flowlets left by $left" || return
		(($(ports 1) == 1)) ||
			fail "within the pod packets have $(ports 1) source ports, expected 1" ||
				return
	done
}

# The same packets are sent, whatever the load is.
between_pods_as_rehash() {
	[[ $(uplinks 2 $((FLOWLETS / 2))) == "up0 up1" ]] ||
		fail "the flowlets left by $(uplinks 2)" || return
	each_its_own "$FLOWLETS" < <(outer 2 "$UDP")
}

# ---- changes in progress ----

# changes: prints a policy, or "-", and the time in ns since the previous packet, for each packet
readonly CHANGES="letflow:600000 rehash:400000 -:600000 conga-prime:400000 letflow:400000
	-:600000 rehash:400000 -:600000"

changing() {
	local word at=$START_NS

	echo "tool leaf ${LEAF[0]}"
	flow_to 2
	echo "zero 1000000"
	for word in $CHANGES; do
		at=$((at + ${word#*:}))
		echo "at $at"
		if [[ $word != -* ]]; then
			echo "tell leaf fabric set policy ${word%:*}"
			echo "ask leaf fabric show"
		fi
		echo "send flow2 $BYTES"
	done
}

# Prints names of the ports in order of their first use. A flowlet that another policy began keeps
# the tunnel's port, a, and a port that was drawn at random ends with rehash. The last name does
# not show whether the port was drawn before.
nothing_is_left() {
	local row

	conga 0 flowlet flush && observed run < <(changing) || return
	row=$(outer 2 "$UDP" | awk '
		!($3 in name) { name[$3] = substr("abc", ++n, 1) }
		{ printf "%s", name[$3] }')
	[[ $row == aabbaaa[bc] ]] || fail "the source ports of the packets are $row"
}

# ---- all of it ----

# Leaves of another pod are plain leaves.
pods_apart() {
	local l r

	for l in "${!LEAF[@]}"; do
		for r in "${!LEAF[@]}"; do
			((l / 2 == r / 2)) || conga "$l" leaf set "${VTEP[r]}" mode plain || return
		done
	done
}

# The first packets resolve the neighbours.
acquaint() {
	local to

	for to in 1 2; do
		send 0 "$to" 1 && send "$to" 0 1 || return
	done
	sleep 0.1
}

# own_range {box|device}: tests a range of source ports
own_range() {
	local ns

	[[ $1 == box ]] || return 0
	for ns in "${LEAF[@]}"; do
		in_ns "$ns" sysctl -qw \
			net.ipv4.ip_local_port_range="$RANGE_FIRST $RANGE_END" || return
	done
}

setup() {
	underlay "$1"
	# shellcheck disable=SC2034 # for topo_up
	[[ $2 == box ]] || TOPO_VXLAN_OPTIONS="srcport $RANGE_FIRST $RANGE_END"
	topo_up && own_range "$2" && settle && fabric_up conga-prime conga && pods_apart &&
		pin "${HOST[2.0]}" && acquaint
}

fabric() {
	setup "$@" || die "cannot set up"
	tap_test "v$1: each flowlet of a flow has its own port of the $2's, and all its packets have it" \
		a_port_each
	tap_test "v$1: each flowlet of a TCP connection has its own port" a_port_each_of_tcp
	tap_test "v$1: nodes on the path spread flowlets of a flow by the port" every_way_is_taken
	tap_test "v$1: flowlets of a flow are spread although a hash is handed on" \
		also_if_a_hash_is_handed_on
	tap_test "v$1: conga-prime decides by congestion within the pod" within_the_pod_as_conga
	tap_test "v$1: conga-prime rehashes between pods" between_pods_as_rehash
	tap_test "v$1: flowlets of another policy have the tunnel's port" nothing_is_left
	topo_down
}

tap_plan 14
require_root
require_commands ip tcpdump jq
require_module
fabric 4 box
fabric 6 device
tap_exit
