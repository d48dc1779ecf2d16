#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Metric max and metric sum, end to end, measured by an exact clock: the metric that the receiver
# learns of a path, the metric that is fed back to the sender, and the path that the sender takes.
#
#	leaf0 --- near0 --- far0 --- leaf1	two planes, each with two
#	   \----- near1 --- far1 -----/		transit links in each direction

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly PERIOD_NS=16000
readonly IDLE_NS=$((125 * PERIOD_NS))	# X has decayed to a millionth
readonly CASE_NS=$((6000 * PERIOD_NS))	# 96 ms: feedback of an earlier case has expired
readonly BYTES=100

# At 500 Mbit/s and tau = 160 us one step of the metric is 1250 bytes. A load is a frame of some
# steps and a margin, so that packets and roundings never change the metric.
readonly RATE=500mbit STEP_BYTES=1250 MARGIN_BYTES=500

# Each case lists the metrics of the links (local, near, far) of plane 0 and of plane 1, then the
# plane that a packet must take with max and with sum. The previous packet took plane 1. The local
# metric is the load of the uplink when the packet is sent. In the last case the sums are 7 and 8.
readonly -a CASES=(
	"0 0 0  3 0 0  1 0"
	"2 1 2  0 0 4  0 1"
	"3 0 0  0 2 2  1 0"
	"0 5 4  0 6 0  0 1"
	"1 3 3  4 1 3  0 0"
)
readonly WIRE_LOCAL=3		# the uplink's load when CE is learnt

declare -A BOX=()		# leaf0, near0, ... -> its namespace
CHAIN_DIR=""

# ---- set up ----

batch() {
	printf '%s\n' "${@:2}" >>"$CHAIN_DIR/$1"
}

# chain_end NODE DEV NUMBER END: configures one end of a link
chain_end() {
	batch "$1" "link set $2 up" "address add 10.1.$3.$4/31 dev $2" \
		"neighbour add 10.1.$3.$((1 - $4)) lladdr 02:00:00:00:0$3:0$((1 - $4)) dev $2 nud permanent"
}

# chain_link NUMBER NODE DEV NODE DEV
chain_link() {
	batch links "link add $3 netns ${BOX[$2]} address 02:00:00:00:0$1:00 mtu $BENCH_MTU \
type veth peer name $5 netns ${BOX[$4]} address 02:00:00:00:0$1:01 mtu $BENCH_MTU"
	chain_end "$2" "$3" "$1" 0
	chain_end "$4" "$5" "$1" 1
}

# chain_plane PLANE
chain_plane() {
	local first=$((3 * $1))

	chain_link "$first" leaf0 "up$1" "near$1" west
	chain_link $((first + 1)) "near$1" east "far$1" west
	chain_link $((first + 2)) "far$1" east leaf1 "up$1"
	batch "near$1" "route add $LEAF_VTEP via 10.1.$first.0" \
		"route add ${FAR_VTEP[0]} via 10.1.$((first + 1)).1"
	batch "far$1" "route add $LEAF_VTEP via 10.1.$((first + 1)).0" \
		"route add ${FAR_VTEP[0]} via 10.1.$((first + 2)).1"
}

# chain_leaf NODE VTEP IP OTHER_VTEP OTHER_IP ROUTE. The neighbour entry has another address than
# the neighbour's device, so that arriving packets are dropped and not answered with feedback.
chain_leaf() {
	batch "$1" "link set lo up" "address add $2 dev lo" "route add $4 $6" \
		"link add vx up mtu 1500 type vxlan id 100 local $2 remote $4 dstport $VXLAN_PORT nolearning" \
		"address add $3/24 dev vx" \
		"neighbour add $5 lladdr 02:00:00:00:03:03 dev vx nud permanent"
}

chain_down() {
	[[ $CHAIN_DIR ]] || return 0
	printf 'netns del %s\n' "${BOX[@]}" | ip -force -batch - 2>/dev/null
	rm -rf "$CHAIN_DIR"
}

chain_namespaces() {
	local box

	for box in leaf0 near0 far0 near1 far1 leaf1; do
		BOX[$box]=$box-${CHAIN_DIR##*.}
	done
	printf 'netns add %s\n' "${BOX[@]}" | ip -batch - || return
	for box in "${BOX[@]}"; do
		in_ns "$box" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv4.ip_forward=1 \
			net.ipv4.conf.{all,default}.rp_filter=0 || return
	done
}

chain_up() {
	local box

	CHAIN_DIR=$(mktemp -d) || return
	EVENTS=$CHAIN_DIR/events
	defer chain_down
	chain_namespaces || return
	chain_plane 0
	chain_plane 1
	chain_leaf leaf0 "$LEAF_VTEP" "$LEAF_IP" "${FAR_VTEP[0]}" "${FAR_IP[0]}" \
		"nexthop via 10.1.0.1 dev up0 nexthop via 10.1.3.1 dev up1"
	chain_leaf leaf1 "${FAR_VTEP[0]}" "${FAR_IP[0]}" "$LEAF_VTEP" "$LEAF_IP" \
		"nexthop via 10.1.2.0 dev up0 nexthop via 10.1.5.0 dev up1"
	ip -batch "$CHAIN_DIR/links" || return
	for box in "${!BOX[@]}"; do
		ip -n "${BOX[$box]}" -batch "$CHAIN_DIR/$box" || return
	done
	settle
}

# ports ROLE DEV DEV
ports() {
	echo "port add dev $2 role $1 rate $RATE"
	echo "port add dev $3 role $1 rate $RATE"
}

# Every packet makes a new decision.
chain_fabric() {
	local plane box add="fabric add $QUIET metric $1 tdre ${PERIOD_NS}ns flowlet-timeout 0"

	for plane in 0 1; do
		for box in "near$plane" "far$plane"; do
			{ echo "$add"; ports transit west east; } | conga_batch "${BOX[$box]}" || return
		done
	done
	{ echo "$add"; ports uplink up0 up1; echo "leaf add ${FAR_VTEP[0]} mode conga"; } |
		conga_batch "${BOX[leaf0]}" || return
	{ echo "$add"; ports uplink up0 up1; echo "leaf add $LEAF_VTEP mode conga"; } |
		conga_batch "${BOX[leaf1]}"
}

chain_fabric_set() {
	local box

	for box in "${BOX[@]}"; do
		"$CONGA" -n "$box" fabric set "$@" || return
	done
}

# ---- a case ----

chain_ends() {
	local plane

	echo "tool leaf0 ${BOX[leaf0]}"
	echo "tool leaf1 ${BOX[leaf1]}"
	for plane in 0 1; do
		echo "frames local$plane ${BOX[leaf0]} up$plane"
		echo "frames near$plane ${BOX[near$plane]} east"
		echo "frames far$plane ${BOX[far$plane]} east"
	done
	echo "udp there ${BOX[leaf0]} $LEAF_IP $FLOW_PORT ${FAR_IP[0]} $INNER_PORT"
	echo "udp back ${BOX[leaf1]} ${FAR_IP[0]} $FLOW_PORT $LEAF_IP $INNER_PORT"
	echo "zero $PERIOD_NS"
}

# load LINK METRIC
load() {
	echo "send $1 $(($2 * STEP_BYTES + MARGIN_BYTES))"
}

# learn PLANE NEAR FAR: a packet takes this plane, since the other uplink is full
learn() {
	load "local$((1 - $1))" 7
	load "local$1" "$WIRE_LOCAL"
	load "near$1" "$2"
	load "far$1" "$3"
	echo "send there $BYTES"
}

# case_schedule TIME LOCAL NEAR FAR LOCAL NEAR FAR
case_schedule() {
	echo "at $1"
	learn 0 "$3" "$4"
	echo "at $(($1 + IDLE_NS))"
	learn 1 "$6" "$7"
	echo "ask leaf1 table show from-leaf"
	echo "at $(($1 + 2 * IDLE_NS))"
	echo "send back $BYTES"
	echo "send back $BYTES"
	load local0 "$2"
	load local1 "$5"
	echo "ask leaf0 path show"
	echo "send there $BYTES"
	echo "ask leaf1 table show from-leaf"
}

# schedule: prints the schedule of all cases, and ignores the two words that name the planes to
# take
schedule() {
	local i

	chain_ends
	for ((i = 0; i < ${#CASES[@]}; i++)); do
		# shellcheck disable=SC2086 # words
		case_schedule $(((i + 1) * CASE_NS)) ${CASES[i]}
	done
}

# ---- expected values ----

# path_metric KIND NEAR FAR: the metric that the receiver learns
path_metric() {
	local worst=$((WIRE_LOCAL > $2 ? WIRE_LOCAL : $2)) sum=$(($2 + $3))

	if [[ $1 == sum ]]; then
		echo $((sum > 7 ? 7 : sum))
	else
		echo $((worst > $3 ? worst : $3))
	fi
}

# expected KIND: prints for each case "learnt learnt local remote local remote plane"
expected() {
	local one learnt0 learnt1

	for one in "${CASES[@]}"; do
		# shellcheck disable=SC2086 # words
		set -- "$1" $one
		learnt0=$(path_metric "$1" "$3" "$4")
		learnt1=$(path_metric "$1" "$6" "$7")
		[[ $1 == max ]] && one=$8 || one=$9
		echo "$learnt0 $learnt1 $2 $learnt0 $5 $learnt1 $one"
	done
}

# These are the same values as measured. The plane that was taken is the one that was received
# last.
found() {
	jq -s -r '[.[] | select(.asked) | .answer] | range(0; length; 3) as $i |
		[(.[$i][0].rows | sort_by(.tag)[].metric),
		 (.[$i + 1] | sort_by(.tag)[] | .local, .remote),
		 (.[$i + 2][0].rows | min_by(.age_ns).tag)] | join(" ")' "$EVENTS"
}

metric_is() {
	chain_fabric_set metric "$1" && bench_run < <(schedule) || return
	diff <(expected "$1") <(found) >"$CHAIN_DIR/diff" ||
		fail "learnt, local, remote and plane metrics differ:" \
			"$(paste -sd' ' "$CHAIN_DIR/diff")"
}

bench_require
tap_plan 2
chain_up || die "the chain cannot be set up"
chain_fabric max || die "the fabrics cannot be set up"
tap_test "metric max: the most congested link is learnt, fed back and avoided" metric_is max
tap_test "metric sum: transit links add up on the wire, and the decision adds the uplink" \
	metric_is sum
tap_exit
