#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The monitor prints each event once, in order, with its object as "show" prints it, as text and
# as JSON, with times. It reports a queue overrun and then repairs its view. It ends when it gets
# a signal.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

unset -f jq			# the order of keys matters here

TOPO_LINKS=1
FABRIC_RATE=1gbit
QUIET=				# leaves in mode auto send hellos
readonly WAIT_MS=30000
readonly SMALL_QUEUE=1		# the kernel rounds it up to its smallest queue
readonly FLOOD=50		# more events than the smallest queue holds
readonly DUMP=2000		# leaves: their dump is easily interrupted
readonly FLOOD_S=3
readonly HELLO=50ms

MONITOR=""			# process id
MARK_US=10001			# a value of Tage that no other test uses

# ---- the monitor in the background ----

# A mark is a new value of Tage: once the monitor has printed it, it has printed all earlier
# events.
mark() {
	MARK_US=$((MARK_US + 10))
	conga 0 fabric set age "${MARK_US}us"
}

is_marked() {
	local ms

	printf -v ms '%d.%03d' $((MARK_US / 1000)) $((MARK_US % 1000))
	grep -qE "\"age_ns\":${MARK_US}000,| age ${ms}ms " "$OUT"
}

# Changes only Tage, until the monitor prints a change.
is_listening() {
	mark && [[ -s $OUT ]]
}

settled() {
	mark || return
	busywait "$WAIT_MS" is_marked ||
		fail "the event of the mark is missing: $(<"$OUT") $(<"$ERR")"
}

# monitor_start [OPTION]... -- [OBJECT]...: its lines go to $OUT from here on
monitor_start() {
	local options=()

	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	# A failed test may have left a monitor running.
	[[ ! $MONITOR ]] || kill -KILL "$MONITOR" 2>/dev/null
	: >"$OUT"
	"$CONGA" -n "${LEAF[0]}" "${options[@]}" monitor fabric "${@:2}" >>"$OUT" 2>"$ERR" &
	MONITOR=$!
	busywait "$WAIT_MS" is_listening || fail "the monitor did not start: $(<"$ERR")" || return
	settled && : >"$OUT"
}

# monitor_stop [SIGNAL]: the monitor ends with status 0 and an empty stderr
monitor_stop() {
	local status=0

	kill -"${1:-TERM}" "$MONITOR" && wait "$MONITOR" || status=$?
	MONITOR=""
	[[ $status == 0 && ! -s $ERR ]] || fail "the status is $status, the errors: $(<"$ERR")"
}

# Prints the events, without marks, as a JSON object a line.
told() {
	jq -c "select(.object != \"fabric\" or .age_ns != ${MARK_US}000)" "$OUT"
}

# Prints "OBJECT EVENT KEY", one event a line.
summary() {
	told | jq -r '[.object, .event, .dev // .addr // .leaf // empty] | join(" ")'
}

summary_is() {
	local found

	settled || return
	found=$(summary)
	[[ $found == "$1" ]] || fail "the events are: ${found//$'\n'/, }, expected: ${1//$'\n'/, }"
}

# ---- set up ----

setup() {
	local l

	topo_up && fabric_up conga auto || return
	for l in 0 1; do
		conga "$l" fabric set hello off || return
	done
	ip -n "${LEAF[0]}" link add unused up type dummy
	OUT=$TOPO_DIR/told ERR=$TOPO_DIR/said
}

# ---- tests ----

changes_are_told_once() {
	monitor_start -j -- port leaf && conga_batch "${LEAF[0]}" <<-END || return
		fabric set q 4
		port add unused role uplink rate 1gbit
		port set unused rate 2gbit
		port set unused drain on
		leaf add 10.0.0.99 mode plain
		leaf del 10.0.0.99
		port del unused
		fabric set q 3
	END
	summary_is "fabric changed
port changed unused
port changed unused
port changed unused
leaf changed 10.0.0.99
leaf deleted 10.0.0.99
port deleted unused
fabric changed" && monitor_stop
}

# The event of a removed device contains its name, although the device no longer exists. The
# device goes down before, which may be an event as well.
gone_device_keeps_its_name() {
	ip -n "${LEAF[0]}" link add shortlived up type dummy || return
	monitor_start -j -- port && conga 0 port add shortlived role transit rate 1gbit &&
		ip -n "${LEAF[0]}" link del shortlived || return
	settled || return
	[[ $(summary | uniq) == "port changed shortlived
port deleted shortlived" ]] || fail "$(told)" || return
	monitor_stop
}

gone_fabric_is_told() {
	monitor_start -j -- port leaf && conga 0 fabric del && conga 0 fabric add hello off || return
	summary_is "fabric deleted
fabric changed" && monitor_stop || return
	conga 0 fabric del && fabric_leaf 0 conga auto && conga 0 fabric set hello off
}

# told_last FILTER: prints the last event that matches, without the fields that only events have
told_last() {
	jq -c "select($1) | del(.object, .event)" "$OUT" | tail -n 1
}

# shown_is FILTER WORD...: "show" prints the same object
shown_is() {
	local event shown

	event=$(told_last "$1")
	shown=$(conga 0 -j "${@:2}" | jq -c '.[]')
	[[ $event && $event == "$shown" ]] || fail "the event is $event, but show prints $shown"
}

# "unused" is idle, because no route uses it.
objects_are_as_shown() {
	monitor_start -j -- port leaf path && conga_batch "${LEAF[0]}" <<-END || return
		port add unused role uplink rate 1gbit tag 9
		leaf add 10.0.0.99 mode plain
	END
	settled && shown_is '.object == "port" and .dev == "unused"' port show unused &&
		shown_is '.object == "leaf"' leaf show 10.0.0.99 &&
		shown_is '.object == "fabric"' fabric show || return
	busywait "$WAIT_MS" path_is_told unused ||
		fail "the event of the path is missing: $(told)" || return
	[[ $(told_last '.object == "path" and .dev == "unused" and .leaf == "10.0.0.99"') == \
		'{"leaf":"10.0.0.99","dev":"unused","tag":9,"gateways":[],"state":"down","reason":"no_route","local":0,"remote":0,"metric_limit":7}' ]] ||
		fail "$(told)" || return
	monitor_stop && conga 0 leaf del 10.0.0.99 && conga 0 port del unused
}

path_is_told() {
	told | jq -es "any(.[]; .object == \"path\" and .dev == \"$1\" and .leaf == \"10.0.0.99\")" \
		>/dev/null
}

# states OBJECT DEV: prints each reported state, in order, ignoring changes of the reason
states() {
	told | jq -r "select(.object == \"$1\" and .dev == \"$2\") | .state" | uniq | paste -sd' '
}

states_are() {
	[[ $(states port up1) == "$1" && $(states path up1) == "$2" ]]
}

# The other end of the link goes down and comes up again.
links_and_paths_are_told() {
	monitor_start -j -- port path && ip -n "${SPINE[1]}" link set down0.0 down || return
	busywait "$WAIT_MS" states_are down down ||
		fail "the events of the link that is down are wrong: $(told)" || return
	ip -n "${SPINE[1]}" link set down0.0 up || return
	busywait "$WAIT_MS" states_are "down up" "down usable" ||
		fail "the events of the link that is up are wrong: $(told)" || return
	[[ $(told | jq -r 'select(.object == "port") | .dev + .state') == up1down$'\n'up1up ]] ||
		fail "the events of ports are wrong: $(told)" || return
	[[ $(told | jq -c 'select(.object == "path" and .state == "usable")' | wc -l) == 1 ]] ||
		fail "the events of paths are wrong: $(told)" || return
	# The spine's own route was removed with its link.
	topo_link_addresses 0 1 0
	ip -n "${SPINE[1]}" route replace "${VTEP[0]}" via "$LEAF_END" && monitor_stop
}

# leaf_states: prints "STATE REASON" of each event of the leaf, in order
leaf_states() {
	told | jq -r 'select(.object == "leaf") | .state + " " + .reason' | paste -sd,
}

leaf_states_are() {
	# shellcheck disable=SC2053 # a pattern
	[[ $(leaf_states) == $1 ]]
}

leaf_answers() {
	conga 0 -j leaf show "${VTEP[1]}" | json_is '.[0].state == "conga"'
}

leaves_are_told() {
	conga 0 fabric set hello "$HELLO" && conga 1 fabric set hello "$HELLO" &&
		busywait "$WAIT_MS" leaf_answers ||
			fail "the leaf did not answer hellos: $(conga 0 leaf show)" || return
	monitor_start -j -- leaf && conga 1 fabric del || return
	busywait "$WAIT_MS" leaf_states_are "plain bye*" ||
		fail "the event of the goodbye message is wrong: $(told)" || return
	fabric_leaf 1 conga auto || return
	busywait "$WAIT_MS" leaf_states_are "plain bye*,conga answers" ||
		fail "the event of the hello is wrong: $(told) $(conga 0 leaf show)" || return
	monitor_stop && conga 0 fabric set hello off && conga 1 fabric set hello off
}

only_what_is_asked_for() {
	monitor_start -j -- leaf && conga_batch "${LEAF[0]}" <<-END || return
		port add unused role transit rate 1gbit
		leaf add 10.0.0.99 mode plain
		port del unused
		leaf del 10.0.0.99
	END
	summary_is "leaf changed 10.0.0.99
leaf deleted 10.0.0.99" && monitor_stop
}

text_is_a_line_each() {
	local text

	monitor_start -- port leaf && conga_batch "${LEAF[0]}" <<-END || return
		port add unused role transit rate 1gbit
		leaf add 10.0.0.99 mode plain
		leaf del 10.0.0.99
		port del unused
	END
	settled || return
	text=$(grep -v '^fabric' "$OUT")
	[[ $text == "port unused: role transit rate 1Gbit (configured) state up metric 0/7
leaf 10.0.0.99 mode plain state plain paths 0/2 policy letflow-rate
deleted leaf 10.0.0.99
deleted port unused" ]] || fail "$text" || return
	[[ $(tail -n 1 "$OUT") == "fabric: policy conga q 3 "* ]] || fail "$(<"$OUT")" || return
	monitor_stop
}

times_are_those_of_the_clock() {
	local before after stamp date='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}'

	monitor_start -t -- leaf && settled || return
	stamp=$(head -n 1 "$OUT")
	[[ $stamp =~ ^\[$date\]\ fabric:\ policy ]] || fail "$stamp" || return
	monitor_stop && monitor_start -j -t -- leaf || return
	before=$(date +%s%N)
	settled || return
	after=$(date +%s%N)
	jq -e -s "length > 0 and all(.time_ns >= $before and .time_ns <= $after)" "$OUT" >/dev/null ||
		fail "an event is not between $before and $after: $(<"$OUT")" || return
	[[ $(head -n 1 "$OUT") == '{"time_ns":'*',"object":"fabric","event":"changed","policy":'* ]] ||
		fail "$(<"$OUT")" || return
	monitor_stop
}

# leaves NUMBER COMMAND [WORD]...: runs the command for this number of leaves
leaves() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "leaf $2 10.99.$((i / 256)).$((i % 256)) ${*:3}"
	done | conga_batch "${LEAF[0]}"
}

# flood: causes more events than fit into the queue of a stopped monitor
flood() {
	kill -STOP "$MONITOR" && leaves "$FLOOD" add mode plain && kill -CONT "$MONITOR"
}

no_flood() {
	leaves "$FLOOD" del
}

overrun_is_told() {
	grep -q overrun "$OUT"
}

# state_is_told OBJECT WORD...: after the last overrun every object is printed once, in its
# current state; fields that packets change are ignored
state_is_told() {
	local steady='del(.object, .event, .dre_bytes, .metric, .tx_packets, .tx_bytes, .local)'
	local told shown

	told=$(tac "$OUT" | sed '/overrun/,$d' | tac |
		jq -c "select(.object == \"$1\" and .event == \"changed\") | $steady")
	shown=$(conga 0 -j "${@:2}" | jq -c ".[] | $steady")
	[[ $shown && $told == "$shown" ]] || fail "$1: the event is $told, but show prints $shown"
}

# No mark follows the flood, because it would be printed twice.
overrun_is_made_good() {
	monitor_start -j -rcvbuf "$SMALL_QUEUE" -- port leaf path && flood || return
	busywait "$WAIT_MS" overrun_is_told || fail "no overrun was reported: $(<"$OUT")" || return
	busywait "$WAIT_MS" whole_state_is_told || fail "$(<"$OUT")" || return
	no_flood && monitor_stop
}

whole_state_is_told() {
	state_is_told fabric fabric show && state_is_told port port show &&
		state_is_told leaf leaf show && state_is_told path path show
}

overrun_is_a_line() {
	monitor_start -t -rcvbuf "$SMALL_QUEUE" -- && flood || return
	busywait "$WAIT_MS" overrun_is_told || fail "no overrun was reported: $(<"$OUT")" || return
	grep -qE '^\[[-0-9T:.]+\] overrun: events were lost, here is the state$' "$OUT" ||
		fail "$(<"$OUT")" || return
	no_flood && monitor_stop
}

# The wait is longer than the time for which a command retries a dump of leaves. The leaves are so
# many that a dump is interrupted.
lasting_flood_is_outlived() {
	local end

	leaves "$DUMP" add mode plain || return
	monitor_start -j -rcvbuf "$SMALL_QUEUE" -- port leaf path || return
	end=$((SECONDS + FLOOD_S))
	while ((SECONDS < end)); do
		printf 'leaf %s\n' "add 10.98.0.1 mode plain" "del 10.98.0.1"
	done | conga_batch "${LEAF[0]}" || return
	busywait "$WAIT_MS" overrun_is_told || fail "no overrun was reported: $(<"$OUT")" || return
	settled && monitor_stop && leaves "$DUMP" del
}

# Without a fabric the monitor prints one state: none.
overrun_without_fabric() {
	monitor_start -j -rcvbuf "$SMALL_QUEUE" -- && kill -STOP "$MONITOR" &&
		for ((i = 0; i < FLOOD; i++)); do
			echo "fabric set age 20ms"
		done | conga_batch "${LEAF[0]}" && conga 0 fabric del && kill -CONT "$MONITOR" || return
	busywait "$WAIT_MS" ends_with_no_fabric || fail "$(<"$OUT")" || return
	monitor_stop && fabric_leaf 0 conga auto && conga 0 fabric set hello off
}

ends_with_no_fabric() {
	[[ $(tail -n 2 "$OUT") == '{"event":"overrun"}
{"object":"fabric","event":"deleted"}' ]]
}

signals_end_it() {
	monitor_start -- && monitor_stop INT && monitor_start -- && monitor_stop TERM
}

# The monitor also runs without privileges: its queue then has the maximum size.
anybody_may_listen() {
	local status=0

	conga 0 fabric show >/dev/null || return
	cp "$CONGA" "$TOPO_DIR/conga" && chmod 755 "$TOPO_DIR" "$TOPO_DIR/conga" || return
	: >"$OUT"
	nsenter --net="/run/netns/${LEAF[0]}" setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all "$TOPO_DIR/conga" -j monitor fabric >>"$OUT" 2>"$ERR" &
	MONITOR=$!
	busywait "$WAIT_MS" is_listening || fail "the monitor did not start: $(<"$ERR")" || return
	monitor_stop
}

require_root
require_commands ip jq nsenter setpriv tac
require_module
tap_plan 15
setup || die "the fabric cannot be set up"
tap_test "each change is reported once, in order" changes_are_told_once
tap_test "events of a removed device still have its name" gone_device_keeps_its_name
tap_test "a deleted fabric and a new one are reported" gone_fabric_is_told
tap_test "objects are reported as show prints them" objects_are_as_shown
tap_test "a link that fails and returns is reported, with its paths" links_and_paths_are_told
tap_test "a leaf's goodbye message and its return are reported" leaves_are_told
tap_test "only the requested objects are reported" only_what_is_asked_for
tap_test "text output has one line for each event" text_is_a_line_each
tap_test "times are those of the clock" times_are_those_of_the_clock
tap_test "after an overrun the whole state is reported" overrun_is_made_good
tap_test "the state is reported after an overrun, however long changes continue" \
	lasting_flood_is_outlived
tap_test "an overrun is reported in one line of text" overrun_is_a_line
tap_test "an overrun without a fabric is reported" overrun_without_fabric
tap_test "INT and TERM end monitor with status 0" signals_end_it
tap_test "monitor needs no privilege" anybody_may_listen
tap_exit
