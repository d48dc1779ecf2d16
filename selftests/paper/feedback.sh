#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Leaf-to-leaf feedback. The bottleneck is the remote link from spine 0 to leaf 1, while all
# uplinks of leaf 0 are equal and far from full. Only feedback from leaf 1 can make leaf 0 avoid
# this link; without feedback (mode plain) leaf 0 uses it. A computer that carries less than the load
# would show other metrics, so the program runs where code takes no time.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"

# Each uplink has one remote link behind it. LBTag 0 is the uplink that leads to the slow link,
# because uplinks take the lowest free tag.
TOPO_LINKS=1
TOPO_GSO=9000			# bursts are short compared with the slow link's queue
readonly RATE_MBIT=40 SLOW_MBIT=10
TOPO_RATE=${RATE_MBIT}mbit
TOPO_LINK_RATE[spine0.0-leaf1]=${SLOW_MBIT}mbit

# An equal share of the load is three fifths of the slow link: the link carries it, and its metric
# is four times that of the other link. Transfers have two packets, so that the metrics show the
# load and not the burst of one transfer. The connections are many, so that few of them wait for
# another.
readonly LOAD_MBIT=12
readonly OVERLOAD=2		# times the normal load
readonly TRANSFER=2800 TRANSFERS=1200 CONNECTIONS=120
readonly SHARE_WITH=38		# percent by the slow path at most, with feedback
readonly SHARE_WITHOUT=41	# percent at least, without feedback

declare -A SHARE=()

readonly PICTURE_MS=20		# interval between two reads of the table

# A slow fall leaves time to read the table several times.
readonly AGE_MS=200
readonly AGE_FROM=5		# metric under overload when the feedback is cut off
readonly AGE_LEAST=2		# the metric of the last feedback may be lower

# Prints the mean metric of an LBTag over several reads of the to-leaf table, times 100, or "none"
# if the table never had that row.
mean_metric() {
	jq -s -r --argjson tag "$1" '[.[][].rows[] | select(.tag == $tag).metric]
		| if length == 0 then "none" else 100 * add / length | floor end' \
		"$TOPO_DIR/pictures"
}

picture_pause() {
	read -r -t "0.0$PICTURE_MS" -u "$POLL_FD" || :
}

# Each line of input asks for one read of the to-leaf table.
take_pictures() {
	"$CONGA" -n "${LEAF[0]}" -j -b - >"$TOPO_DIR/pictures"
}

pictures_while_runs() {
	while kill -0 "$1" 2>/dev/null; do
		echo "table show to-leaf"
		picture_pause
	done | take_pictures
}

# The reads last a little longer than a fall from full scale.
pictures_of_fall() {
	local ms

	for ((ms = 0; ms < 10 * AGE_MS; ms += PICTURE_MS)); do
		echo "table show to-leaf"
		picture_pause
	done | take_pictures
}

uplink_bytes() {
	link_counters "${LEAF[0]}" tx bytes | awk '/^up/ { print $2 }' | paste -sd" "
}

# traffic_start TRANSFERS [LOAD]
traffic_start() {
	"$TESTS/tools/flowgen" -q -f "${HOST[0.0]},${HOST_IP[0.0]}" -t "${HOST[1.0]},${HOST_IP[1.0]}" \
		-C "${LOAD_MBIT}e6" -l "${2:-1}" -S "$TRANSFER" -n "$1" -c "$CONNECTIONS" -D 20 \
		>"$TOPO_DIR/summary" 2>"$TOPO_DIR/errors" &
	TRAFFIC=$!
}

# traffic_measure NAME: sets SHARE[NAME] to the percentage of the bytes on uplink 0
traffic_measure() {
	local slow0 fast0 slow1 fast1

	read -r slow0 fast0 < <(uplink_bytes)
	traffic_start "$TRANSFERS"
	pictures_while_runs "$TRAFFIC" || fail "conga table show to-leaf failed" || return
	wait "$TRAFFIC" || fail "the traffic failed: $(<"$TOPO_DIR/errors")" || return
	grep -q "unfinished=0 " "$TOPO_DIR/summary" ||
		fail "some transfers did not finish: $(<"$TOPO_DIR/summary")" || return
	read -r slow1 fast1 < <(uplink_bytes)
	SHARE[$1]=$((100 * (slow1 - slow0) / (slow1 - slow0 + fast1 - fast0)))
	echo "# $1: ${SHARE[$1]} % of the bytes by the uplink that leads to the slow link;" \
		"to-leaf metrics, mean times 100: $(mean_metric 0) and $(mean_metric 1)"
}

fabric_again() {
	fabric_down && fabric_up "$1" "$2"
}

# ---- tests ----

ecmp_reflects() {
	local leaf counter

	fabric_up ecmp conga || fail "the fabric cannot be created" || return
	traffic_measure ecmp || return
	for leaf in "${LEAF[@]}"; do
		stats_read "$leaf" || return
		for counter in tx_stamped rx_learnt feedback_sent feedback_received; do
			((STAT[$counter] > TRANSFERS)) ||
				fail "$counter of ${leaf%-*} is only ${STAT[$counter]}" || return
		done
	done
	stats_read "${SPINE[0]}" || return
	((STAT[ce_raised] > 0)) || fail "spine 0 raised no CE"
}

# The table shows which path is congested, whichever leaf caused the congestion.
table_shows_slow_path() {
	local slow fast

	slow=$(mean_metric 0) fast=$(mean_metric 1)
	[[ $slow != none && $fast != none ]] ||
		fail "the metrics of the paths are $slow and $fast" || return
	((slow > fast + 100)) ||
		fail "the metrics times 100 are $slow by the slow path and $fast by the fast path"
}

feedback_avoids() {
	fabric_again conga conga || fail "the fabric cannot be created" || return
	traffic_measure feedback || return
	((SHARE[feedback] < SHARE_WITH)) ||
		fail "${SHARE[feedback]} % of the traffic went by the slow path, with feedback"
}

metric_at_least() {
	local row="\"tag\": ?$1, ?\"metric\": ?([0-9]+)"

	[[ $(conga 0 -j table show to-leaf) =~ $row ]] && ((BASH_REMATCH[1] >= $2))
}

# Prints the reads of LBTag 0 from load to zero, as "metric age_ns" lines. Reads before the last
# refresh (by a late packet) are left out.
fall() {
	jq -s -r '.[][].rows[] | select(.tag == 0) | "\(.metric) \(.age_ns)"' "$TOPO_DIR/pictures" |
		awk '$2 < age { n = 0 } { age = $2; line[n++] = $0 }
			END { for (i = 0; i < n; i++) print line[i] }'
}

# fall_check: every read must lie on the line max(0, m - floor(age / Tage)), one read must lie
# between its top and zero, and the last must be zero. Prints the top.
fall_check() {
	awk -v tage="$((AGE_MS * 1000000))" '
		{ top = $1 + int($2 / tage) }
		$1 { if (m && top != m) bad = 1; m = top; if (int($2 / tage)) between = 1 }
		!$1 && top < m { bad = 1 }
		END { print m + 0; exit bad || !between || $1 }'
}

traffic_stop() {
	kill "$TRAFFIC"
	wait "$TRAFFIC"
} 2>/dev/null

# The only host of leaf 1 is cut off, so leaf 1 has no packets that could carry feedback.
cut_off() {
	traffic_start "$((TRANSFERS * 100))" "$OVERLOAD"
	busywait 60000 metric_at_least 0 "$AGE_FROM" ||
		fail "the metric did not rise under load" || return
	ip -n "${LEAF[1]}" link set h0 down
	pictures_of_fall || fail "conga table show to-leaf failed" || return
	traffic_stop
	ip -n "${LEAF[1]}" link set h0 up
}

metrics_fall() {
	local top line=0

	conga 0 fabric set age "${AGE_MS}ms" || fail "fabric set age failed" || return
	cut_off || return
	top=$(fall | fall_check) || line=1
	((top >= AGE_LEAST)) || fail "the fall began at $top" || return
	((!line)) ||
		fail "from $top on, the reads of metric and age are not on the line:" \
			"$(fall | paste -sd,)" || return
	echo "# from $top to 0 in $(fall | wc -l) pictures"
}

# This is the control: only feedback keeps the traffic off the slow path.
plain_does_not() {
	fabric_again conga plain || fail "the fabric cannot be created" || return
	traffic_measure plain || return
	((SHARE[plain] > SHARE_WITHOUT)) ||
		fail "${SHARE[plain]} % of the traffic went by the slow path, without feedback"
}

plain_learns_nothing() {
	local counter

	stats_read "${LEAF[0]}" || return
	for counter in tx_stamped feedback_sent feedback_received rx_stamped; do
		((STAT[$counter] == 0)) || fail "$counter is not 0" || return
	done
	[[ $(mean_metric 0) == none && $(mean_metric 1) == none ]] ||
		fail "the to-leaf table is not empty"
}

tap_plan 6
require_root
require_commands ip tc jq
require_exact_time
require_module
topo_up || die "the fabric cannot be set up"
tap_test "policy ecmp stamps and reflects feedback" ecmp_reflects
tap_test "the to-leaf table shows the congested remote link" table_shows_slow_path
tap_test "metrics without new feedback fall by one step per Tage" metrics_fall
tap_test "the slow remote link is avoided with feedback" feedback_avoids
tap_test "the slow remote link is not avoided in mode plain, without feedback" plain_does_not
tap_test "mode plain neither stamps nor learns" plain_learns_nothing
tap_exit
