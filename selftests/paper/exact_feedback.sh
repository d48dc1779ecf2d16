#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Feedback on the wire, measured by an exact clock. The CEs of k LBTags are fed back in k packets,
# separately for each of two leaves. A metric that does not change is fed back again in time,
# whatever the other metrics do. A word stays unchanged if nothing requires a change. A metric
# older than Tage is never fed back.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly TAGE_NS=10000000
readonly LATER_NS=100000000	# all earlier feedback is older than Tage
readonly BYTES=100
readonly FULL=56		# a metric of 7, in 64ths
readonly HELD=8			# further packets after all is fed back
readonly STALE=100		# repetitions of the stale feedback

# ---- received and fed back ----

# "heard LEAF TAG CE TIME" lines are packets from a far leaf, and "fed LEAF TAG METRIC TIME" lines
# are packets to it. TAG is "none" without feedback.
record() {
	jq -r 'if .sent and .tag then ["heard", .sent[3:], .tag, .ce, .from]
		elif .got then ["fed", .got[4:], .fb_tag // "none", .fb // "none", .from]
		else empty end | join(" ")' "$EVENTS"
}

# Each metric that is fed back must be the last CE that was received.
fed_true() {
	local lies

	lies=$(record | awk '$1 == "heard" { ce[$2, $3] = $4 }
		$1 == "fed" && $3 != "none" && ce[$2, $3] "" != $4 { print }')
	[[ ! $lies ]] || fail "a metric that was fed back is not the last received CE: $lies"
}

# fed_tags LEAF: prints the tags that were fed back, in the order of the packets
fed_tags() {
	record | awk -v leaf="$1" '$1 == "fed" && $2 == leaf { print $3 }' | paste -sd' '
}

# rounds_whole ROUNDS K TAG...: checks that there are ROUNDS rounds, each with every tag from 0 to
# K-1
rounds_whole() {
	local rounds=$1 k=$2 i round

	shift 2
	(($# == rounds * k)) || fail "$# tags were fed back in $rounds rounds of $k tags" || return
	for ((i = 1; i <= $#; i += k)); do
		round=$(printf '%s\n' "${@:i:k}" | sort -n | paste -sd' ')
		[[ $round == "$(seq -s' ' 0 $((k - 1)))" ]] ||
			fail "a round of $k tags fed back: ${*:i:k}" || return
	done
}

# gaps_of TAG: prints the time from each feedback of TAG to the next. A word that stays unchanged
# counts as one feedback.
gaps_of() {
	record | awk -v tag="$1" '$1 == "fed" {
		if ($3 == tag && last != tag) { if (n++) print $5 - since; since = $5 }
		last = $3
	}'
}

# gaps_within TAG LEAST MOST TIMES: checks that every gap is longer than LEAST less one grain, and
# at most MOST ns
gaps_within() {
	gaps_of "$1" | awk -v least="$(($2 - GRAIN_NS))" -v most="$3" -v times="$4" '
		$1 <= least || $1 > most { bad = bad " " $1 }
		END { if (bad || NR < times) { print NR " gaps, wrong:" bad; exit 1 } }'
}

# ---- k metrics ----

# heard_all LEAF K SHIFT: receives tags 0 to K-1, each with a CE
heard_all() {
	local tag

	for ((tag = 0; tag < $2; tag++)); do
		echo "stamp far$1 $tag $(((tag + $3) % 8 * 8))"
	done
}

# packets COUNT LEAF...: sends packets to the leaves in turn
packets() {
	local i leaf

	for ((i = 0; i < $1; i++)); do
		for leaf in "${@:2}"; do echo "send flow$leaf.0 $BYTES"; done
	done
}

begin() {
	bench_ends 1
	echo "zero 1"
	echo "at $LATER_NS"
}

stored_schedule() {
	begin
	heard_all 0 "$1" 3
	packets "$(($1 + HELD))" 0
}

# k packets bring k metrics, and later packets repeat the last metric.
stored() {
	local k=$1 tags words

	bench_run < <(stored_schedule "$k") && fed_true || return
	read -ra tags < <(fed_tags 0)
	rounds_whole 1 "$k" "${tags[@]:0:k}" || return
	words=$(events .got .word | tail -n $((HELD + 1)) | sort -u | wc -l)
	((words == 1)) || fail "$words different stamps followed after all was fed back: ${tags[*]}"
}

all_stored() {
	local k

	for k in 1 4 12 16; do
		stored "$k" || return
	done
}

two_schedule() {
	begin
	heard_all 0 "$1" 3
	heard_all 1 "$1" 6
	packets "$1" 0 1
}

two_leaves() {
	local k leaf

	for k in 4 12; do
		bench_run < <(two_schedule "$k") && fed_true || return
		for leaf in 0 1; do
			# shellcheck disable=SC2046 # a list of numbers
			rounds_whole 1 "$k" $(fed_tags "$leaf") || return
		done
	done
}

# All metrics change before every packet, so only the order of the round decides which one is
# next.
changing_schedule() {
	local i

	begin
	for ((i = 0; i < 3 * $1; i++)); do
		heard_all 0 "$1" "$i"
		heard_all 1 "$1" "$((i + 5))"
		packets 1 0 1
	done
}

two_changing() {
	local leaf

	bench_run < <(changing_schedule "$1") && fed_true || return
	for leaf in 0 1; do
		# shellcheck disable=SC2046 # a list of numbers
		rounds_whole 3 "$1" $(fed_tags "$leaf") || return
	done
}

two_leaves_changing() {
	two_changing 4 && two_changing 12
}

# ---- time ----

# due_schedule K INTERVAL PACKETS: tag 0 is always full. One of the other tags changes with every
# packet, in turn, so that each has changed when its turn comes.
due_schedule() {
	local i

	begin
	heard_all 0 "$1" 0
	for ((i = 0; i < $3; i++)); do
		echo "at $((LATER_NS + (i + 1) * $2))"
		echo "stamp far0 0 $FULL"
		echo "stamp far0 $((1 + i % ($1 - 1))) $(((i / ($1 - 1) + 1) % 8 * 8))"
		echo "send flow0.0 $BYTES"
	done
}

# One round of K packets takes less than Tage / 4. A metric becomes due after another quarter of
# Tage, so the sum is at most half of Tage.
due() {
	local said times=$(($2 * $3 / (TAGE_NS / 2) - 1))

	bench_run < <(due_schedule "$@") && fed_true || return
	said=$(gaps_within 0 $((TAGE_NS / 4)) $((TAGE_NS / 2)) "$times") ||
		fail "$1 tags with a packet each $2 ns: $said"
}

all_due() {
	due 4 600000 300 && due 16 150000 900
}

# Four metrics are received again and again, and do not change.
held_schedule() {
	local i

	begin
	for ((i = 0; i < 300; i++)); do
		echo "at $((LATER_NS + (i + 1) * 100000))"
		heard_all 0 4 1
		echo "send flow0.0 $BYTES"
	done
}

# A packet is sent every 100 us. Each metric is fed back again by one of the four packets after
# the quarter of Tage, and the word stays unchanged in between.
held() {
	local tag said

	bench_run < <(held_schedule) && fed_true || return
	for tag in 0 1 2 3; do
		said=$(gaps_within "$tag" $((TAGE_NS / 4)) $((TAGE_NS / 4 + 500000)) 10) ||
			fail "tag $tag: $said" || return
	done
}

# stale_schedule AGE: the age of the only metric at the time when the packet to its leaf is sent
stale_schedule() {
	local i at

	bench_ends 1
	echo "zero 1"
	for ((i = 1; i <= STALE; i++)); do
		at=$((i * LATER_NS))
		echo "at $at"
		echo "stamp far0 3 $FULL"
		echo "at $((at + $1))"
		echo "send flow0.0 $BYTES"
	done
}

# aged GRAINS TAG: the metric is Tage and GRAINS grains old
aged() {
	bench_run < <(stale_schedule $((TAGE_NS + $1 * GRAIN_NS))) || return
	[[ $(record | grep ^fed | cut -d' ' -f3 | sort | uniq -c) =~ ^\ *"$STALE $2"$ ]] ||
		fail "at Tage and $1 grains these tags were fed back: $(fed_tags 0)"
}

fresh_then_stale() {
	aged -2 3 && aged 2 none
}

bench_require
tap_plan 6
bench_up 1 || die "the bench cannot be set up"
bench_fabric 1 100gbit || die "the fabric cannot be set up"
tap_test "1, 4, 12 and 16 metrics are fed back in as many packets, then feedback stays the same" \
	all_stored
tap_test "each of two leaves gets its own metrics, in as many packets" two_leaves
tap_test "two leaves whose metrics all change are fed back in separate rounds" two_leaves_changing
tap_test "a constant metric 7 among changing ones is fed back again within Tage / 2" all_due
tap_test "constant metrics are fed back again after Tage / 4, and not earlier" held
tap_test "a metric is fed back two grains before Tage, and not two grains after it" fresh_then_stale
tap_exit
