#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The effect of each scheme on the packets on the wire, measured by an exact clock: the LBTags of
# the packets of a flow, in order, are the signature of the scheme. Schemes are changed while
# traffic flows, and some traffic is exempted.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly UPLINKS=4 RATE=100gbit
readonly START_NS=96000000	# time of the first packet
readonly APART_NS=20480		# usual interval of packets: no gap
readonly GAP_NS=600000		# more than 500 us
readonly BYTES=1400		# of a datagram
readonly OUTER_BYTES=$((BYTES + BENCH_HEADERS - 14))	# as the policy of the leaf counts it
readonly DRAWS=1000

# These schemes need no probes; hula waits for probes, see hula.sh.
readonly SCHEMES=${POLICIES/ hula/}

# This limit is the chi-square of four equal shares, plus five standard deviations.
readonly CHI_BOUND=35.9

# flow_of COUNT APART [BYTES]: sends packets of one flow
flow_of() {
	local i

	bench_ends "$UPLINKS"
	echo "zero 16000"
	for ((i = 0; i < $1; i++)); do
		echo "at $((START_NS + i * $2))"
		echo "send flow0.0 ${3:-$BYTES}"
	done
}

# flows_of FLOWS ROUNDS: sends packets of each flow in turn
flows_of() {
	local i

	bench_ends "$UPLINKS" "$1"
	echo "zero 16000"
	for ((i = 0; i < $1 * $2; i++)); do
		echo "at $((START_NS + i * APART_NS))"
		echo "send flow0.$((i % $1)) $BYTES"
	done
}

# scheme WORD...: sets the scheme for new flows
scheme() {
	conga 0 fabric set policy "$@" && conga 0 flowlet flush && stats_mark "${LEAF[0]}"
}

# tags_of FLOW: prints the LBTags of its packets, in order, without spaces
tags_of() {
	events ".got and .by == \"flow0.$1\"" .tag | tr -d '\n'
}

tags_all() {
	events .got .tag | tr -d '\n'
}

# all_came COUNT: every packet arrived, stamped, by the uplink that its LBTag names
all_came() {
	local odd count

	count=$(events .got | wc -l)
	((count == $1)) || fail "$count of $1 packets arrived" || return
	odd=$(events '.got and .dev != "down\(.tag)"' | head -n 1)
	[[ ! $odd ]] || fail "a packet left by another uplink than its LBTag: $odd"
}

# uniform TAGS: true if each of the four tags occurs equally often
uniform() {
	local said

	said=$(fold -w 1 <<<"$1" | sort | uniq -c | awk -v bound="$CHI_BOUND" -v kinds="$UPLINKS" '
		{ n[$2] = $1; all += $1 }
		END {
			for (tag = 0; tag < kinds; tag++)
				chi += (n[tag] - all / kinds) ^ 2 / (all / kinds)
			printf "%d %d %d %d", n[0], n[1], n[2], n[3]
			exit !(chi < bound)
		}') || fail "the uplinks carried $said packets"
}

# moves TAGS: prints how often the next packet has another tag
moves() {
	fold -w 1 <<<"$1" | uniq | wc -l
}

# ---- hashed: wcmp, ecmp ----

readonly FLOWS=96 ROUNDS=3

one_uplink_each() {
	local several

	several=$(events .got '[.by, .tag]' | sort -u | cut -d, -f1 | uniq -d | head -n 1)
	[[ ! $several ]] || fail "flow $several used several uplinks"
}

# shares: prints the number of flows by each uplink
shares() {
	events .got '"\(.tag) \(.by)"' | sort -u | cut -c 2 | uniq -c | awk '{ printf " %d", $1 }'
}

wcmp_by_rate() {
	local shares i

	for ((i = 0; i < UPLINKS; i++)); do
		conga 0 port set "up$i" rate $((10 * (1 + 3 * (i / 2))))gbit || return
	done
	scheme wcmp && bench_run < <(flows_of "$FLOWS" "$ROUNDS") &&
		all_came $((FLOWS * ROUNDS)) && one_uplink_each || return
	shares=$(shares)
	for ((i = 0; i < UPLINKS; i++)); do
		conga 0 port set "up$i" rate "$RATE" || return
	done
	echo "# flows by uplinks of 10, 10, 40 and 40 Gbit/s:$shares"
	awk '{ exit !($1 + $2 > 6 && $1 + $2 < 38 && $3 + $4 > 58) }' <<<"$shares" ||
		fail "the uplinks carried flows in the shares$shares" || return
	stats_moved "${LEAF[0]}" "tx_steered=$((FLOWS * ROUNDS)) tx_stamped=$((FLOWS * ROUNDS))"
}

ecmp_by_hash() {
	local shares

	scheme ecmp && bench_run < <(flows_of "$FLOWS" "$ROUNDS") &&
		all_came $((FLOWS * ROUNDS)) && one_uplink_each || return
	shares=$(shares)
	awk '{ exit !(NF == 4 && $1 > 5 && $2 > 5 && $3 > 5 && $4 > 5) }' <<<"$shares" ||
		fail "the uplinks carried flows in the shares$shares"
}

# ---- at random: letflow, rps ----

letflow_by_gap() {
	local row

	scheme letflow && bench_run < <(flow_of "$DRAWS" "$GAP_NS") && all_came "$DRAWS" || return
	row=$(tags_all)
	uniform "$row" || return
	(($(moves "$row") > DRAWS / 2 && $(moves "$row") < DRAWS * 9 / 10)) ||
		fail "the flow changed its uplink $(moves "$row") times" || return
	stats_grew "${LEAF[0]}" "flowlets_started=$DRAWS" || return
	scheme letflow && bench_run < <(flow_of "$DRAWS" "$APART_NS") && all_came "$DRAWS" || return
	(($(moves "$(tags_all)") == 1)) || fail "the flow moved without a gap: $(tags_all)"
}

# The choice is also not in turn: a quarter of the packets keep the previous uplink.
rps_by_packet() {
	local row

	scheme rps && bench_run < <(flow_of "$DRAWS" "$APART_NS") && all_came "$DRAWS" || return
	row=$(tags_all)
	uniform "$row" || return
	(($(moves "$row") > DRAWS / 2 && $(moves "$row") < DRAWS * 9 / 10)) ||
		fail "the flow changed its uplink $(moves "$row") times" || return
	stats_moved "${LEAF[0]}" "tx_steered=$DRAWS tx_stamped=$DRAWS"
}

# ---- in turn: drb, presto ----

# turns LENGTH COUNT TAGS: COUNT packets, LENGTH on each uplink, one uplink after the other
turns() {
	local i expected="" tag=${3:0:1}

	for ((i = 0; i < $2; i++)); do
		((!i || i % $1)) || tag=$(((tag + 1) % UPLINKS))
		expected+=$tag
	done
	[[ $3 == "$expected" ]] || fail "the LBTags are $3, expected $expected"
}

# Two flows run at the same time: each takes its turns separately.
drb_in_turn() {
	local i

	scheme drb && bench_run < <(flows_of 2 100) && all_came 200 || return
	for i in 0 1; do
		turns 1 100 "$(tags_of "$i")" || return
	done
	stats_moved "${LEAF[0]}" \
		"tx_steered=200 tx_stamped=200 flowlets_started=200 flowlets_moved=198"
}

# The next packet leaves out an uplink that was removed.
drb_without_one() {
	local row

	conga 0 port set up2 drain on || return
	scheme drb && bench_run < <(flow_of 99 "$APART_NS") && all_came 99
	conga 0 port set up2 drain off || return
	row=$(tags_all)
	[[ $row == *013013013013013* && $row != *2* ]] || fail "the LBTags are $row"
}

# presto_cells WORD...: cells are also filled by flows that pause
presto_cells() {
	local length=$1 count=$((10 * $1)) gap

	shift
	for gap in "$APART_NS" "$GAP_NS"; do
		scheme presto "$@" && bench_run < <(flow_of "$count" "$gap") &&
			all_came "$count" && turns "$length" "$count" "$(tags_all)" || return
	done
}

# Two flows run at the same time, and each fills its own cells.
presto_by_flow() {
	local i

	scheme presto cell $((5 * OUTER_BYTES)) && bench_run < <(flows_of 2 50) || return
	for i in 0 1; do
		turns 5 50 "$(tags_of "$i")" || return
	done
}

presto_in_turn() {
	presto_cells $((65536 / OUTER_BYTES)) && presto_cells 10 cell $((10 * OUTER_BYTES)) &&
		presto_cells 9 cell $((10 * OUTER_BYTES - 1)) &&
		stats_grew "${LEAF[0]}" flowlets_started=10
}

# ---- the shortest queue: drill ----

# fill_then UPLINK FRAMES PACKETS: fills the queue of the uplink, then sends packets
fill_then() {
	local i

	bench_ends "$UPLINKS"
	echo "zero 16000"
	echo "at $START_NS"
	for ((i = 0; i < $2; i++)); do echo "send load$1 1500"; done
	for ((i = 1; i <= $3; i++)); do
		echo "at $((START_NS + i * APART_NS))"
		echo "send flow0.0 100"
	done
}

# The previous uplink is not up1: drill would draw it again until it draws another.
last_is_another() {
	conga 0 port set up1 drain on && bench_run < <(flow_of 1 "$APART_NS") && all_came 1 &&
		conga 0 port set up1 drain off
}

# At one megabit 60 frames take 720 ms, and 1,000 packets take 20 ms: a packet by up1 does not
# arrive in time.
queue_avoided() {
	local row

	last_is_another || return
	tc -n "${LEAF[0]}" qdisc add dev up1 root tbf rate 1mbit burst 2000 limit 1000000 ||
		return
	bench_run < <(fill_then 1 60 "$DRAWS")
	tc -n "${LEAF[0]}" qdisc del dev up1 root
	row=$(tags_all)
	[[ ${#row} == "$DRAWS" && $row != *1* ]] ||
		fail "${#row} of $DRAWS packets arrived, or uplink 1 was used: $row" || return
	[[ $row == *0* && $row == *2* && $row == *3* ]] || fail "the LBTags are $row"
}

drill_by_queue() {
	scheme drill && bench_run < <(flow_of "$DRAWS" "$APART_NS") && all_came "$DRAWS" &&
		uniform "$(tags_all)" && queue_avoided
}

# With one choice, drill avoids the queue only because it remembers the previous uplink.
drill_remembers() {
	scheme drill choices 1 && bench_run < <(flow_of "$DRAWS" "$APART_NS") &&
		uniform "$(tags_all)" && queue_avoided || return
	[[ $(conga 0 fabric show) == *"policy drill choices 1 "* ]] ||
		fail "$(conga 0 fabric show)"
}

# ---- conga-flow ----

# The flow's own uplink is bad, and any other is better; the test checks whether the flow moves at
# a gap.
pause_then() {
	local i own

	bench_ends "$UPLINKS"
	echo "zero 16000"
	for ((i = 0; i < 40; i++)); do
		own=$((i % 2))
		echo "at $((START_NS + i * $1))"
		echo "stamp far0 0 0 $own 0"
		for other in 0 1 2 3; do
			((other == own)) || echo "stamp far0 0 0 $other 56"
		done
		echo "send flow0.0 $BYTES"
	done
}

conga_flow_waits() {
	scheme conga-flow && bench_run < <(pause_then 12900000) || return
	(($(moves "$(tags_all)") == 1)) ||
		fail "the flow moved after a pause of 12.9 ms: $(tags_all)" || return
	scheme conga-flow && bench_run < <(pause_then 13100000) || return
	[[ $(tags_all) == "$(printf '01%.0s' {1..20})" ]] ||
		fail "the flow did not move after a pause of 13.1 ms: $(tags_all)"
}

# timeout_is NS SOURCE
timeout_is() {
	local said

	said=$(conga 0 -j fabric show | jq -r '.[0] | "\(.flowlet_timeout_ns) \(.flowlet_timeout_source)"')
	[[ $said == "$1 $2" ]] || fail "the flowlet timeout is $said, expected $*"
}

# The default is that of the policy, until a timeout is set.
timeout_of_policy() {
	conga 0 fabric set policy conga-flow && timeout_is 13000000 policy &&
		conga 0 fabric set policy conga && timeout_is 500000 policy &&
		conga 0 fabric set flowlet-timeout 2ms && timeout_is 2000000 configured &&
		conga 0 fabric set policy conga-flow && timeout_is 2000000 configured &&
		conga 0 fabric set flowlet-timeout auto && timeout_is 13000000 policy &&
		conga 0 fabric set policy letflow flowlet-timeout 0 && timeout_is 0 configured &&
		conga 0 fabric set policy conga flowlet-timeout auto && timeout_is 500000 policy
}

# ---- every scheme ----

# Each scheme stamps packets, and feeds back received metrics.
feedback_schedule() {
	bench_ends "$UPLINKS"
	echo "zero 16000"
	echo "at $START_NS"
	echo "stamp far0 3 40"
	echo "send flow0.0 100"
}

all_feed_back() {
	local policy said

	for policy in $SCHEMES; do
		scheme "$policy" && bench_run < <(feedback_schedule) || return
		said=$(events .got '"\(.fb_tag) \(.fb)"')
		[[ $said == '"3 40"' ]] || fail "$policy feeds back $said" || return
		stats_grew "${LEAF[0]}" rx_learnt=1 || return
	done
}

# A query changes nothing, and the next packet takes the predicted uplink.
asking_schedule() {
	local i flow="from $LEAF_IP to ${FAR_IP[0]} proto udp sport $FLOW_PORT dport $INNER_PORT"

	bench_ends "$UPLINKS"
	echo "zero 16000"
	for ((i = 0; i < 8; i++)); do
		echo "at $((START_NS + i * APART_NS))"
		echo "ask leaf path get ${FAR_VTEP[0]} $flow"
		echo "ask leaf path get ${FAR_VTEP[0]} $flow"
		echo "send flow0.0 $BYTES"
	done
}

asking_is_free() {
	local policy asked

	for policy in ecmp wcmp; do
		scheme "$policy" && bench_run < <(asking_schedule) || return
		asked=$(events .asked '.answer[0].dev[2:]' | sort -u | tr -d '"')
		[[ $asked == "$(events .got .tag | sort -u)" ]] ||
			fail "$policy: path get named $asked, the packets have $(tags_all)" ||
				return
	done
	for policy in drb "presto cell $((2 * OUTER_BYTES))"; do
		# shellcheck disable=SC2086 # a policy and its words
		scheme $policy && bench_run < <(asking_schedule) || return
		turns $(($(wc -w <<<"$policy") > 1 ? 2 : 1)) 8 "$(tags_all)" || return
	done
}

# ---- changed while traffic flows ----

readonly CHANGES=20 EACH=30

# There are three flows, and another scheme after every EACH packets of them.
changing_schedule() {
	local i policies

	read -ra policies <<<"$SCHEMES"
	bench_ends "$UPLINKS" 3
	echo "zero 16000"
	for ((i = 0; i < CHANGES * EACH; i++)); do
		echo "at $((START_NS + i * APART_NS))"
		if ((i % EACH == 0)); then
			echo "tell leaf fabric set policy ${policies[i / EACH % ${#policies[@]}]}"
			echo "ask leaf fabric show"
		fi
		echo "send flow0.$((i % 3)) $BYTES"
	done
}

none_lost_in_changes() {
	scheme drill && bench_run < <(changing_schedule) && all_came $((CHANGES * EACH)) || return
	stats_grew "${LEAF[0]}" "tx_steered=$((CHANGES * EACH))" &&
		stats_grew "${LEAF[0]}" "tx_stamped=$((CHANGES * EACH))"
}

# A scheme that decides by flowlet takes over the flowlets in progress.
flowlets_go_on() {
	local words="conga letflow local conga-flow letflow conga" row i policy

	scheme letflow || return
	bench_run < <(
		bench_ends "$UPLINKS"
		echo "zero 16000"
		i=0
		for policy in $words; do
			echo "at $((START_NS + i++ * 400000))"
			echo "tell leaf fabric set policy $policy"
			echo "ask leaf fabric show"
			echo "send flow0.0 $BYTES"
		done
	) || return
	row=$(tags_all)
	((${#row} == 6 && $(moves "$row") == 1)) || fail "the LBTags are $row" || return
	stats_grew "${LEAF[0]}" flowlets_started=1
}

# The state that a scheme kept of a flow is removed with the scheme.
nothing_stale() {
	scheme presto cell $((10 * OUTER_BYTES)) && bench_run < <(flow_of 5 "$APART_NS") &&
		conga 0 fabric set policy drb && conga 0 fabric set policy presto || return
	[[ $(conga 0 fabric show) == *"policy presto cell 65536 "* ]] ||
		fail "$(conga 0 fabric show)" || return
	conga 0 fabric set policy presto cell $((10 * OUTER_BYTES)) || return
	bench_run < <(flow_of 20 "$APART_NS") && turns 10 20 "$(tags_all)"
}

# ---- exempt ----

# Sets a mark and a DSCP on flows of the leaf, which are selected by port.
exempt_rules() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table inet exempt
		delete table inet exempt
		table inet exempt {
			chain out {
				type filter hook output priority 0;
				udp sport $FLOW_PORT meta mark set $1
				udp sport $((FLOW_PORT + 1)) ip dscp set $2
			}
		}
	END
}

# flows_move PATTERN: "1 m 1" means that flows 0 and 2 stay on one uplink, and that flow 1 moves
flows_move() {
	local i said=""

	for i in 0 1 2; do
		if (($(moves "$(tags_of "$i")") == 1)); then said+="1 "; else said+="m "; fi
	done
	[[ ${said% } == "$1" ]] || fail "the flows moved as ${said% }, expected $1"
}

# exempted WORDS PATTERN COUNT: sets these words of "fabric set", and checks how flows move and
# the number of counted packets
exempted() {
	local count=$((3 * 50))

	# shellcheck disable=SC2086 # words
	conga 0 fabric set $1 && scheme drb && bench_run < <(flows_of 3 50) || return
	all_came "$count" || return
	flows_move "$2" || return
	[[ $3 == 0 ]] || stats_grew "${LEAF[0]}" "tx_opted_out=$3"
}

opted_out() {
	exempt_rules 0x105 46 || return
	exempted "opt-out mark 5/0xff" "1 m m" 50 &&
		exempted "opt-out mark 0x105" "1 m m" 50 &&
		exempted "opt-out dscp 46" "1 1 m" 100 && exempt_rules 0 46 &&
		exempted "opt-out mark off" "m 1 m" 50 &&
		exempted "opt-out dscp off" "m m m" 0
}

# A mark that is not exempt, and that no routing rule selects, has no effect.
other_marks_are_none() {
	local came

	exempt_rules 0x105 46 && conga 0 fabric set opt-out mark 6/0xff opt-out dscp off &&
		scheme drb && bench_run < <(flows_of 3 50) || return
	came=$(events '.got and .tag' | wc -l)
	((came == 150)) || fail "$came packets were stamped" || return
	[[ " $(stats_growth "${LEAF[0]}")" != *tx_opted_out* ]] ||
		fail "packets were counted as opted out" || return
	in_ns "${LEAF[0]}" nft delete table inet exempt && conga 0 fabric set opt-out mark off
}

bench_require
require_commands nft tc
tap_plan 19
bench_up "$UPLINKS" || die "the bench cannot be set up"
bench_fabric "$UPLINKS" "$RATE" tdre 16us || die "the fabric cannot be set up"
tap_test "ecmp: a flow stays on one uplink, and all uplinks carry flows" ecmp_by_hash
tap_test "wcmp: a flow stays on one uplink, and uplinks carry flows by their rates" wcmp_by_rate
tap_test "letflow: every flowlet is placed at random, and no flow moves within a flowlet" \
	letflow_by_gap
tap_test "rps: every packet is placed at random" rps_by_packet
tap_test "drb: every packet takes the flow's next uplink" drb_in_turn
tap_test "drb: an uplink that drains is left out" drb_without_one
tap_test "presto: every flowcell takes the flow's next uplink, to the byte" presto_in_turn
tap_test "presto: each flow has its own flowcells" presto_by_flow
tap_test "drill: the longer of two queues is never used" drill_by_queue
tap_test "drill: with one choice the remembered shorter queue is used" drill_remembers
tap_test "conga-flow: a flow moves after 13 ms" conga_flow_waits
tap_test "the flowlet timeout is the policy's own until one is set" timeout_of_policy
tap_test "every scheme stamps, learns and feeds back" all_feed_back
tap_test "path get does not change the next decision" asking_is_free
tap_test "no packet is lost while schemes change under traffic" none_lost_in_changes
tap_test "flowlets in progress continue under another scheme" flowlets_go_on
tap_test "no state of the previous scheme is kept" nothing_stale
tap_test "packets are exempt by mark, and by the inner DSCP" opted_out
tap_test "packets with other marks are not exempt" other_marks_are_none
tap_exit
