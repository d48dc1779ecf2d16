#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost.sh [few] - the cost of a packet in instructions, on the stock kernel and with conga.
#
# make bench-cost runs it in a machine whose clock counts instructions (vm/run -i), so that a time
# in nanoseconds is a number of instructions, on any computer and under any load. All cases are
# measured first without the module, then with it, in one boot. It prints a line for each case:
#
#	cost CASE INSTRUCTIONS RATIO MORE	per packet; ratio and difference to the
#						stock kernel in the same case
#
# Every number includes dropping the packets behind the last veth pair. "few" are the cases of
# bench_inline: packets that are sent, that start a flowlet, that are received and forwarded.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly ECN_FLAG=8 ECT=2	# of hellos; of a packet's TOS
readonly ECN_TRIES=10

declare -A COST=()	# CASE -> instructions of the stock kernel
SAID=$(mktemp)		# the output of tcpdump
defer "rm -f $SAID"

# said CASE STOCK: prints SPENT, and its ratio to the stock kernel in the case STOCK
said() {
	[[ ${COST[$2]-} ]] || COST[$2]=$SPENT
	awk -v name="$1" -v spent="$SPENT" -v stock="${COST[$2]}" \
		'BEGIN { printf "cost %s %d %.3f %d\n", name, spent, spent / stock, spent - stock }'
}

stock() {
	send "$2" $FLOWS || die "$1: nothing was sent"
	said "$1" "$1"
}

# Prints the cost of the same hooks if they only read the clock.
floor_cases() {
	insmod "$(module_file floor/conga_floor)" || die "no hooks"
	send v4 $FLOWS && said floor-pinned stock-pinned
	send v6 $FLOWS && said floor-v6 stock-v6
	recv $PLAIN && said floor-recv stock-recv
	transit $VXLAN_PORT && said floor-transit stock-transit
	transit $OTHER_PORT && said floor-port-other stock-port-other
	rmmod conga_floor
}

# captured COMMAND...: runs the command during a capture at all uplinks that is never read
captured() {
	local status=0 i pids=()

	for ((i = 0; i < UPLINKS; i++)); do
		: >"$SAID"
		nsenter --net=/run/netns/v4 tcpdump -i "up$i" -B 8192 -w /dev/null 2>"$SAID" &
		pids+=($!)
		busywait $PATIENCE_MS grep -q 'listening on' "$SAID" || die "tcpdump does not capture"
	done
	kill -STOP "${pids[@]}"
	"$@" || status=$?
	kill -CONT "${pids[@]}" && kill "${pids[@]}" && wait "${pids[@]}"
	return "$status"
}

# ours CASE NAMESPACE UPLINKS LEAVES POLICY FLOWS STARTED STOCK [RATE]: POLICY may have other words
# of "fabric add" behind it; the counters must show
# that the intended packets were measured
ours() {
	fabric "$2" "$3" "$4" "$5" "${@:9}" || die "$1-$5: no fabric"
	FABRIC=$2
	undisturbed "$2" "$6" "$7" || die "$1-$5: $STARTED packets started a flowlet, not $7"
	((STAMPED == PACKETS)) || die "$1-$5: $STAMPED of $PACKETS packets are stamped"
	(($# < 9 || $(counter "$2" ce_raised) >= PACKETS)) || die "$1-$5: CE was not raised"
	said "$1-${5// /-}" "$8"
	"$CONGA" -n "$2" fabric del
	FABRIC=""
}

receive_cases() {
	fabric v4 $UPLINKS 1 conga && recv $STAMPED_WORD && said recv stock-recv
	(($(counter v4 rx_learnt) == 3 * STORM)) || die "recv: not every packet was learnt from"
	"$CONGA" -n v4 fabric del
	spine v4 && transit $VXLAN_PORT && said transit stock-transit
	# The first packets are an exception, because they find an idle link.
	(($(counter v4 ce_raised) > 3 * STORM * 95 / 100)) || die "transit: CE was not raised"
	transit $OTHER_PORT && said port-other stock-port-other
	"$CONGA" -n v4 fabric del
	spine v4 policy tr && transit $VXLAN_PORT && said transit-tr stock-transit
	(($(counter v4 queue_marked) > 0)) || die "transit-tr: nothing was marked"
	"$CONGA" -n v4 fabric del
}

ecn_is_agreed() {
	"$CONGA" -n v4 -j leaf show | jq -e '.[0].ecn' >/dev/null
}

# A played leaf agrees about ecn, and goes. Hellos are so rare that it is not missed while packets
# are counted.
ecn_agree() {
	local i peer

	"$CONGA" -n v4 fabric set hello 10s ecn on || die "ecn: it cannot be set"
	for ((i = 0; i < UPLINKS; i++)); do
		ip -n v4-sink link set "down$i" address "$NEXT_MAC"
		tc -n v4-sink filter del dev "down$i" ingress
	done
	"$TESTS/tools/hello_peer" -f "$ECN_FLAG" v4-sink >"$SAID" &
	peer=$!
	busywait $PATIENCE_MS ecn_is_agreed || die "ecn: the leaf does not agree"
	kill "$peer"
	for ((i = 0; i < UPLINKS; i++)); do
		tc -n v4-sink filter add dev "down$i" ingress matchall action drop
	done
}

# ecn_sent_all CASE: all packets that are counted have ECT, since the leaves agree until the end
ecn_sent_all() {
	local before

	before=$(counter v4 ecn_sent)
	undisturbed v4 $FLOWS 0 || die "$1: $STARTED packets started a flowlet"
	((STAMPED == PACKETS && $(counter v4 ecn_sent) - before >= 3 * PACKETS)) && ecn_is_agreed
}

# ecn_case CASE [WORD]...: with these words of "fabric set". Time passes in this machine while it
# waits for files of a busy computer, so that the played leaf may be missed already: then it comes
# again.
ecn_case() {
	local try

	fabric v4 $UPLINKS 1 conga || die "$1: no fabric"
	FABRIC=v4
	(($# < 2)) || "$CONGA" -n v4 fabric set "${@:2}" || die "$1: the words are refused"
	for ((try = 0; try < ECN_TRIES; try++)); do
		ecn_agree
		ecn_sent_all "$1" && said "$1" stock-pinned && return
	done
	die "$1: packets have no ECT"
}

ecn_cases() {
	ecn_case send-steady-conga-entropy-auto-ecn entropy auto
	"$CONGA" -n v4 fabric del
	ecn_case send-steady-conga-ecn
	recv $STAMPED_WORD -o $ECT && said recv-ecn stock-recv
	(($(counter v4 ecn_received) == 3 * STORM)) || die "recv-ecn: ECN fields were not read"
	"$CONGA" -n v4 fabric del
	FABRIC=""
}

# few_cases POLICY STARTS: STARTS states whether the policy has flowlets
few_cases() {
	ours send-steady v4 $UPLINKS 1 "$1" $FLOWS 0 stock-pinned
	ours send-start wide $MANY_UPLINKS 1 "$1" $MANY_FLOWS $(($2 * PACKETS)) stock-16-uplinks
}

# queue_cases POLICY: the policy reads queues, one or many for each uplink
queue_cases() {
	ours send-queue queue $UPLINKS 1 "$1" $FLOWS 0 stock-queue
	ours send-64-queues queues $UPLINKS 1 "$1" $FLOWS 0 stock-64-queues
}

# Prints the cases of a policy in the same way.
send_cases() {
	local policy=$1 starts=$2

	few_cases "$policy" "$starts"
	ours send-busy v4 $UPLINKS 1 "$policy" $FLOWS 0 stock-pinned $BUSY_RATE
	ours send-rule rule $UPLINKS 1 "$policy" $FLOWS 0 stock-rule
	ours send-1000-leaves many $UPLINKS $MANY_LEAVES "$policy" $FLOWS 0 stock-1000-leaves
	ours send-v6 v6 $UPLINKS 1 "$policy" $FLOWS 0 stock-v6
	ours send-udpcsum csum $UPLINKS 1 "$policy" $FLOWS 0 stock-udpcsum
	captured ours send-capture v4 $UPLINKS 1 "$policy" $FLOWS 0 stock-capture
}

few() {
	local shape

	pktgen_load || die "no pktgen"
	for shape in v4 wide; do "${shape}_up" || die "$shape cannot be set up"; done
	stock stock-pinned v4
	stock stock-16-uplinks wide
	recv_up
	recv $PLAIN && said stock-recv stock-recv
	transit $VXLAN_PORT && said stock-transit stock-transit
	module_load || die "no module"
	few_cases conga 1
	few_cases tr 0
	receive_cases
}

main() {
	local shape

	pktgen_load || die "no pktgen"
	for shape in v4 tos rule csum v6 wide many lag queue queues; do
		"${shape}_up" || die "$shape cannot be set up"
	done
	stock stock-pinned v4
	stock stock-ecmp tos
	stock lag lag
	stock stock-rule rule
	stock stock-v6 v6
	stock stock-udpcsum csum
	stock stock-1000-leaves many
	stock stock-16-uplinks wide
	stock stock-queue queue
	stock stock-64-queues queues
	recv_up
	recv $PLAIN && said stock-recv stock-recv
	transit $VXLAN_PORT && said stock-transit stock-transit
	transit $OTHER_PORT && said stock-port-other stock-port-other
	captured stock stock-capture v4
	floor_cases
	module_load || die "no module"
	send v4 $FLOWS && said idle stock-pinned
	fabric tos $UPLINKS 1 conga && send v4 $FLOWS && said other-netns stock-pinned
	"$CONGA" -n tos fabric del
	send_cases conga 1
	send_cases ecmp 0
	few_cases letflow 1
	few_cases tr 0
	ours send-steady v4 $UPLINKS 1 "conga entropy auto" $FLOWS 0 stock-pinned
	queue_cases drill
	receive_cases
	ecn_cases
}

case ${1-} in
few) few ;;
"") main ;;
*) die "there is no set of cases '$1'" ;;
esac
