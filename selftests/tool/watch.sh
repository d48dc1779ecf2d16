#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Counters as text, their growth, and their export for Prometheus; also the errors that are
# printed if the output has no reader.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly PINGS=20
readonly WAIT_MS=30000
readonly INTERVAL=200ms
readonly HEADER=$TESTS/../include/uapi/linux/conga.h
readonly UNIT=$TESTS/../userspace/dist/conga-metrics
readonly SMALL_DISK=4k		# smaller than the metrics of any fabric
readonly NOBODY=65534
readonly WEIRD='q"u\x'		# a device name that the kernel accepts
readonly NO_TEXT=$'n\xff'	# a device name that is not UTF-8

WATCH=""			# process id

setup() {
	topo_up && tunnel_says_nothing && hosts_need_not_ask && fabric_up conga conga || return
	OUT=$TOPO_DIR/told ERR=$TOPO_DIR/said
}

ping_hosts() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -c "$PINGS" -i 0.01 -W 5 "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: ${said##*---}"
}

# ---- words ----

counters_of_the_header() {
	sed -n 's/^\tCONGA_A_STATS_\([A-Z_]*\),$/\L\1/p' "$HEADER" | sort
}

every_counter_is_explained() {
	local said expected

	said=$("$CONGA" -j stats explain) && expected=$(counters_of_the_header) || return
	((${#expected} > 100)) || fail "$HEADER has too few counters" || return
	[[ $(jq -r '.[].counter' <<<"$said" | sort) == "$expected" ]] ||
		fail "$(diff <(echo "$expected") <(jq -r '.[].counter' <<<"$said" | sort))" || return
	json_is 'all(.[]; (keys == ["advice", "counter", "meaning"]) and
		(.meaning | length > 5) and (.advice | test("^[A-Z].*[.]$|^conga .*[.]$")))' \
		<<<"$said" ||
		fail "$(jq -c '.[] | select((.advice | length) < 5 or (.meaning | length) < 5)' <<<"$said")"
}

a_counter_is_explained() {
	says 0 "rx_malformed: packets to a VXLAN port without a valid VNI flag; passed unchanged
    Find who sends to this UDP port: the packets are not VXLAN." \
		"$CONGA" stats explain rx_malformed || return
	[[ $("$CONGA" -j stats explain bye_sent path_up | jq -c 'map(.counter)') == \
		'["bye_sent","path_up"]' ]] ||
			fail "the two requested counters are not printed" || return
	[[ $(conga 0 stats show all explain) == *$'\n'"rx_malformed                    0 packets to a VXLAN port without a valid VNI"* ]] ||
		fail "the counters are not explained: $(conga 0 stats show all explain)" || return
	says 2 'Error: argument "nosuch" is wrong: no such counter, "conga stats explain" lists all' \
		"$CONGA" stats explain bye_sent nosuch
}

bad_words_are_refused() {
	says 2 'Error: option "-i" is wrong: only "stats show" and "top" take it' \
		"$CONGA" -i 1 port show &&
		says 2 'Error: argument "explain" is wrong: only "stats show" repeats' \
			"$CONGA" -i 1 stats explain &&
		says 2 'Error: argument "0" is wrong: an interval is 100ms to 86400s' \
			"$CONGA" -i 0 stats &&
		says 2 'Error: argument "99ms" is wrong: an interval is 100ms to 86400s' \
			"$CONGA" -i 99ms stats &&
		says 2 'Error: argument "soon" is wrong: not a time such as 1 or 500ms (units: ns, us, ms, s)' \
			"$CONGA" -i soon stats &&
		says 2 'Error: argument "count" is wrong: counters are shown once without option -i' \
			"$CONGA" stats show count 2 &&
		says 2 'Error: argument "0" is wrong: must be at least 1' \
			"$CONGA" -i 1 stats show count 0 &&
		says 2 'Error: argument "nosuch" is unknown, try "conga stats help".' \
			"$CONGA" stats show nosuch &&
		says 2 'Error: argument "nosuch" is unknown, try "conga metrics help".' \
			"$CONGA" metrics nosuch &&
		says 2 'Error: option "-j" is wrong: metrics are printed as Prometheus text only' \
			"$CONGA" -j metrics
}

# ---- growth ----

# watch_start WORD...: its blocks go to $OUT from the first one on
watch_start() {
	# A failed test may have left one running.
	[[ ! $WATCH ]] || kill -KILL "$WATCH" 2>/dev/null
	: >"$OUT"
	"$CONGA" -n "${LEAF[0]}" "$@" >"$OUT" 2>"$ERR" &
	WATCH=$!
	busywait "$WAIT_MS" test -s "$OUT" || fail "nothing was printed: $(<"$ERR")"
}

# watch_stop STATUS TEXT: ends the tool and checks its output
watch_stop() {
	local status=0

	kill -TERM "$WATCH" 2>/dev/null
	wait "$WATCH" || status=$?
	WATCH=""
	[[ $status == "$1" && $(<"$ERR") == "$2" ]] ||
		fail "the status is $status, the errors: $(<"$ERR"), expected: $1, $2"
}

# told_of COUNTER NUMBER: the changes of all blocks add up to this number
told_of() {
	[[ $(jq -s "map(.changes.$1) | add" "$OUT") == "$2" ]]
}

growth_is_told() {
	watch_start -j -i "$INTERVAL" stats show && ping_hosts || return
	busywait "$WAIT_MS" told_of tx_steered "$PINGS" ||
		fail "tx_steered changed by: $(jq -s -c 'map(.changes.tx_steered)' "$OUT")" ||
			return
	watch_stop 0 "" || return
	jq -s -e 'length > 1 and all(.[]; . as $block | .interval_ns > 0 and
		(.changes | keys) == (.per_second | keys) and
		all(.changes | to_entries[]; .value as $change |
			$block.per_second[.key] - $change * 1e9 / $block.interval_ns | fabs < 0.01))' \
		"$OUT" >/dev/null ||
			fail "the rates are wrong: $(jq -c '[.interval_ns, .changes.tx_steered,
			.per_second.tx_steered]' "$OUT")" || return
	[[ $(head -1 "$OUT" | jq -r '.changes | keys[]') == "$(counters_of_the_header)" ]] ||
		fail "not every counter is printed: $(head -1 "$OUT")"
}

# The text shows only counters that changed.
growth_is_shown() {
	watch_start -t -i "$INTERVAL" stats show && ping_hosts || return
	busywait "$WAIT_MS" grep -q '^tx_steered ' "$OUT" || fail "$(<"$OUT")" || return
	watch_stop 0 "" || return
	grep -qE '^\[20..-..-..T.*\] in [0-9.]+m?s:$' "$OUT" ||
		fail "the heading is missing: $(<"$OUT")" || return
	grep -qE '^tx_steered +[0-9]+ +[0-9.]+/s$' "$OUT" || fail "$(<"$OUT")" || return
	! grep -q '^rx_malformed' "$OUT" || fail "a counter that did not move is printed"
}

# The counters of a new fabric begin at zero, which does not count as a decrease.
new_fabric_is_no_fall() {
	ping_hosts && watch_start -j -i 1 stats show || return
	conga_batch "${LEAF[0]}" <<<"$(echo "fabric del"; fabric_leaf_lines)" || return
	busywait "$WAIT_MS" another_block ||
		fail "no second block was printed: $(<"$ERR")" || return
	watch_stop 0 "" || return
	jq -s -e 'all(.[]; all(.changes[]; . >= 0 and . < 100000))' "$OUT" >/dev/null ||
		fail "$(jq -c .changes "$OUT")"
}

fabric_leaf_lines() {
	echo "fabric add $QUIET"
	fabric_uplinks 0
	echo "leaf add ${VTEP[1]} mode conga"
}

another_block() {
	(($(wc -l <"$OUT") > 1))
}

# The tool prints this number of blocks, and then ends.
count_is_kept() {
	[[ $(conga 0 -j -i 100ms stats show count 3 | wc -l) == 3 ]] ||
		fail "not three blocks are printed"
}

gone_fabric_ends_it() {
	watch_start -j -i "$INTERVAL" stats show && conga 0 fabric del || return
	wait_for_end || return
	conga_batch "${LEAF[0]}" <<<"$(fabric_leaf_lines)"
}

wait_for_end() {
	local status=0

	wait "$WATCH" || status=$?
	WATCH=""
	[[ $status == 1 && $(<"$ERR") == "Error: There is no fabric in this network namespace"* ]] ||
		fail "the status is $status, the errors: $(<"$ERR")"
}

# ---- Prometheus ----

# is_valid FILE: promtool accepts it, including the names
is_valid() {
	local said

	{ said=$(promtool check metrics <"$1" 2>&1) && [[ ! $said ]]; } ||
		fail "promtool found: $said"
}

# metric_is NAME[LABELS] NUMBER
metric_is() {
	grep -qFx -- "$1 $2" "$OUT" ||
		fail "the metric $1 $2 is missing, but: $(grep -F -- "${1%%\{*}" "$OUT")"
}

metrics_are_valid() {
	ping_hosts && conga 0 metrics >"$OUT" || return
	is_valid "$OUT" || return
	[[ $(sed -n 's/^conga_\([a-z_]*\)_total [0-9]*$/\1/p' "$OUT" | sort) == \
		"$(counters_of_the_header)" ]] || fail "not every counter is exported" || return
	[[ $(grep -c '^# HELP' "$OUT") == $(grep -c '^# TYPE' "$OUT") ]] ||
		fail "a metric lacks a type or help"
}

up1_bytes() {
	conga 0 -j port show up1 | jq '.[0].tx_bytes'
}

# The numbers are read while no packet is sent, because neighbours may be resolved at any time.
metrics_are_the_numbers() {
	local bytes

	while bytes=$(up1_bytes); do
		conga 0 metrics >"$OUT" || return
		[[ $(up1_bytes) != "$bytes" ]] || break
	done
	metric_is conga_fabric_present 1 && metric_is conga_fabric_metric_limit 7 &&
		metric_is conga_tx_steered_total "$(stat_of "${LEAF[0]}" tx_steered)" &&
		metric_is 'conga_port_info{dev="up1",role="uplink",tag="1"}' 1 &&
		metric_is 'conga_port_up{dev="up1"}' 1 &&
		metric_is 'conga_port_rate_bytes_per_second{dev="up1"}' 1250000000 &&
		metric_is 'conga_port_transmit_bytes_total{dev="up1"}' "$bytes" &&
		metric_is "conga_leaf_info{leaf=\"${VTEP[1]}\",mode=\"conga\",state=\"conga\",reason=\"ordered\"}" 1 &&
		metric_is "conga_leaf_conga{leaf=\"${VTEP[1]}\"}" 1 &&
		metric_is "conga_leaf_usable_paths{leaf=\"${VTEP[1]}\"}" 2 &&
		metric_is "conga_path_usable{leaf=\"${VTEP[1]}\",dev=\"up0\"}" 1 &&
		metric_is conga_fabric_flowlet_timeout_seconds 0.0005
}

# A device name may contain characters that a label must not contain.
labels_are_escaped() {
	local dev

	for dev in "$WEIRD" "$NO_TEXT"; do
		ip -n "${LEAF[0]}" link add "$dev" up type dummy &&
			conga 0 port add dev "$dev" role transit rate 1gbit || return
	done
	conga 0 metrics >"$OUT" && is_valid "$OUT" && metric_is 'conga_port_up{dev="q\"u\\x"}' 1 &&
		metric_is 'conga_port_up{dev="n?"}' 1 || return
	for dev in "$WEIRD" "$NO_TEXT"; do
		ip -n "${LEAF[0]}" link del "$dev" || return
	done
}

no_fabric_is_a_metric() {
	in_ns "${HOST[0.0]}" "$CONGA" metrics >"$OUT" && is_valid "$OUT" || return
	[[ $(grep -v '^#' "$OUT") == "conga_fabric_present 0" ]] || fail "$(<"$OUT")"
}

# Each update writes a whole new file, readable by all users, and leaves no other file.
file_is_replaced() {
	local dir=$TOPO_DIR/collector inode

	mkdir -m 777 "$dir" && chmod 711 "$TOPO_DIR" && conga 0 metrics file "$dir/conga.prom" &&
		inode=$(stat -c %i "$dir/conga.prom") && ln "$dir/conga.prom" "$TOPO_DIR/old" || return
	(umask 077 && conga 0 metrics file "$dir/conga.prom") || return
	[[ $(stat -c %i "$dir/conga.prom") != "$inode" ]] ||
		fail "the file was written in place" || return
	[[ $(stat -c %a "$dir/conga.prom") == 644 && $(ls "$dir") == conga.prom ]] ||
		fail "$(ls -l "$dir")" || return
	is_valid "$dir/conga.prom" || return
	rm -f "$dir/conga.prom" && in_ns "${LEAF[0]}" setpriv --reuid "$NOBODY" --regid "$NOBODY" \
		--clear-groups "$CONGA" metrics file "$dir/conga.prom" && is_valid "$dir/conga.prom"
}

# If the file cannot be written, the previous file stays.
failed_file_stays() {
	local dir=$TOPO_DIR/full

	mkdir "$dir" && mount -t tmpfs -o "size=$SMALL_DISK" small "$dir" && defer "umount $dir" &&
		echo old >"$dir/conga.prom" || return
	says 1 "Cannot write file \"$dir/conga.prom\": No space left on device" \
		"$CONGA" -n "${LEAF[0]}" metrics file "$dir/conga.prom" || return
	[[ $(<"$dir/conga.prom") == old && $(ls "$dir") == conga.prom ]] || fail "$(ls -l "$dir")" ||
		return
	says 1 "Cannot write file \"$TOPO_DIR/nosuch/x\": No such file or directory" \
		"$CONGA" -n "${LEAF[0]}" metrics file "$TOPO_DIR/nosuch/x"
}

# The test runs the command line of the service; systemd checks both units.
units_work() {
	local line dir=$TOPO_DIR/unit said

	line=$(sed -n 's/^ExecStart=[^ ]*\/conga //p' "$UNIT.service") && mkdir "$dir" || return
	[[ $line == *" /var/lib/prometheus/node-exporter/conga.prom" ]] || fail "$line" || return
	# shellcheck disable=SC2086 # words
	conga 0 ${line/\/var\/lib\/prometheus\/node-exporter/$dir} && is_valid "$dir/conga.prom" ||
		return
	sed "s|^ExecStart=[^ ]*|ExecStart=$(realpath "$CONGA")|" "$UNIT.service" \
		>"$dir/conga-metrics.service" && cp "$UNIT.timer" "$dir" || return
	{
		said=$(systemd-analyze verify "$dir"/conga-metrics.{timer,service} 2>&1) &&
			[[ $said != *conga-metrics* ]]
	} || fail "systemd-analyze found: $said"
}

# ---- output without a reader ----

# The reader exits before any output.
to_closed_pipe() {
	local pipe

	exec {pipe}> >(true)
	wait "$!"
	"$@" 1>&"$pipe" 2>"$ERR"
	echo $? >"$OUT"
	exec {pipe}>&-
}

ignoring_sigpipe() {
	(trap '' PIPE && exec "$@")
}

closed_pipe_is_quiet() {
	to_closed_pipe conga 0 -j port show
	[[ $(<"$OUT") == 141 && ! -s $ERR ]] ||
		fail "the status is $(<"$OUT"), the errors: $(<"$ERR")" || return
	to_closed_pipe ignoring_sigpipe "$CONGA" -n "${LEAF[0]}" -j port show
	[[ $(<"$OUT") == 1 && ! -s $ERR ]] ||
		fail "without SIGPIPE the status is $(<"$OUT"), the errors: $(<"$ERR")" || return
	to_closed_pipe ignoring_sigpipe "$CONGA" -n "${LEAF[0]}" -i "$INTERVAL" stats show
	[[ $(<"$OUT") == 1 && ! -s $ERR ]] ||
		fail "the status of stats -i is $(<"$OUT"), the errors: $(<"$ERR")"
}

full_disk_is_told() {
	local said status=0

	said=$(conga 0 port show 2>&1 >/dev/full) || status=$?
	[[ $status == 1 && $said == "conga: cannot write: No space left on device" ]] ||
		fail "the status is $status, the output: $said"
}

require_root
require_commands ip jq ping promtool systemd-analyze
require_module
tap_plan 17
setup || die "the fabric cannot be set up"
tap_test "every counter has an explanation and advice" every_counter_is_explained
tap_test "a single counter is explained" a_counter_is_explained
tap_test "wrong words are rejected" bad_words_are_refused
tap_test "growth and rates are reported" growth_is_told
tap_test "the screen shows only counters that grew" growth_is_shown
tap_test "a new fabric is not shown as a decrease" new_fabric_is_no_fall
tap_test "the requested number of reports is printed" count_is_kept
tap_test "watching ends when the fabric is deleted" gone_fabric_ends_it
tap_test "metrics are complete, and valid to promtool" metrics_are_valid
tap_test "metrics have the values of the counters" metrics_are_the_numbers
tap_test "labels are escaped" labels_are_escaped
tap_test "a missing fabric is reported as a metric" no_fabric_is_a_metric
tap_test "the metrics file is replaced as a whole" file_is_replaced
tap_test "a file that cannot be written is left unchanged" failed_file_stays
tap_test "the metrics service and timer work" units_work
tap_test "a closed pipe causes no error" closed_pipe_is_quiet
tap_test "a full disk is reported" full_disk_is_told
tap_exit
