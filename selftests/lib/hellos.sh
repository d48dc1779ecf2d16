#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hellos.sh - the state of a leaf and its reason, the events of a leaf, control packets counted or
# dropped, and a played peer.
#
#	leaf_is 0 "conga answers"	state and reason of leaf 0's one other leaf
#	leaf_is 0 "plain silent" "${VTEP[2]}"
#	leaf_becomes 0 "plain bye"	likewise, in a while
#	leaf_falls_silent 0		three hellos are in vain
#	events_start 0; events_have "auto conga answers", events_have "up0 silent"
#					after what was asked for last; sets EVENT_MS
#	control_count NAMESPACE DEVICE...; control_counted NAMESPACE PACKETS
#	control_drop NAMESPACE DEVICE...; bye_drop likewise; control_pass NAMESPACE
#	player_start NAMESPACE [OPTION]...; player_done; player_stop
#
# Source lib.sh, topology.sh, fabric.sh, expect.sh and counters.sh first.

readonly HELLO_MS=300		# the default interval
readonly PATIENCE_MS=30000

# The control VNI and the type are matched by bits from the outer UDP header on: control packets
# between leaves, of any type but announcements, which nodes send to their neighbours.
readonly CONTROL="udp dport 4789 @th,96,24 0xfffffe @th,168,8 != 5"

# soon COMMAND...: repeats the command for a while; if it still fails, it prints the reason
soon() {
	busywait "$PATIENCE_MS" "$@" >/dev/null || "$@"
}

# ---- leaves ----

# leaf_read LEAF ADDRESS: sets LEAF_STATE, LEAF_ID
leaf_read() {
	local json

	json=$(conga "$1" -j leaf show "$2") || fail "leaf show found no leaf $2" || return
	json=${json//[[:space:]]/}
	[[ $json =~ \"state\":\"([a-z0-9]+)\",\"reason\":\"([a-z0-9_]+)\" ]] ||
		fail "leaf show prints no state: $json" || return
	LEAF_STATE="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
	LEAF_ID=""
	[[ ! $json =~ \"id\":\"?([0-9a-fx]+) ]] || LEAF_ID=${BASH_REMATCH[1]}
}

# leaf_has LEAF STATE [ADDRESS]
leaf_has() {
	leaf_read "$1" "${3:-${VTEP[1 - $1]}}" && [[ $LEAF_STATE == "$2" ]]
}

leaf_is() {
	leaf_has "$@" || fail "leaf ${3:-$((1 - $1))} is $LEAF_STATE to leaf $1, expected $2"
}

leaf_becomes() {
	soon leaf_is "$@"
}

leaf_is_silent() {
	leaf_has "$1" "plain silent" "${@:2}" || leaf_has "$1" "lost silent" "${@:2}" ||
		fail "leaf ${2:-$((1 - $1))} is $LEAF_STATE to leaf $1, expected plain or lost"
}

# leaf_falls_silent LEAF [ADDRESS]: three hellos are in vain, whether it ever answered or not
leaf_falls_silent() {
	soon leaf_is_silent "$@"
}

# leaf_id_is LEAF ID [ADDRESS]
leaf_id_is() {
	leaf_read "$1" "${3:-${VTEP[1 - $1]}}" && ((LEAF_ID == $2))
}

# An event that is missing after three rounds will not occur. This pause is part of the test, and
# waits for no condition.
pause_rounds() {
	sleep "$(((3 * HELLO_MS + 99) / 1000)).$(((3 * HELLO_MS + 99) % 1000))"
}

# ---- events ----

# events_start LEAF: records the events of its leaves and paths
events_start() {
	EVENTS=$TOPO_DIR/events
	EVENTS_SEEN=0
	# shellcheck disable=SC2153 # topology.sh sets it
	nsenter --net="/run/netns/${LEAF[$1]}" "$CONGA" -j -t monitor leaf path >"$EVENTS" &
	defer "kill $! 2>/dev/null"
	busywait "$PATIENCE_MS" listens "${LEAF[$1]}" || fail "conga monitor did not start"
}

# Waits until the monitor is a member of the groups.
listens() {
	in_ns "$1" cat /proc/net/netlink | awk '$2 == 16 && $4 != "00000000" { n++ } END { exit !n }'
}

# event_words LINE: prints "MODE STATE REASON" of a leaf, or "DEVICE REASON" of a path
event_words() {
	local leaf='"mode":"([a-z]+)","state":"([a-z]+)","reason":"([a-z0-9_]+)"'
	local path='"dev":"([a-z0-9]+)","tag":[0-9]+,"gateways":\[[^]]*\],"state":"([a-z]+)"(,"reason":"([a-z_]+)")?'

	if [[ $1 =~ $leaf ]]; then
		WORDS="${BASH_REMATCH[*]:1}"
	elif [[ $1 =~ $path ]]; then
		WORDS="${BASH_REMATCH[1]} ${BASH_REMATCH[4]:-${BASH_REMATCH[2]}}"
	else
		WORDS=""
	fi
}

# Succeeds if this event came after the previously checked one. Sets EVENTS_SEEN and EVENT_MS,
# without a fork.
# shellcheck disable=SC2034 # the caller reads EVENT_MS
events_came() {
	local line number=$EVENTS_SEEN lines

	mapfile -s "$EVENTS_SEEN" -t lines <"$EVENTS"
	for line in "${lines[@]}"; do
		number=$((number + 1))
		line=${line//[[:space:]]/}
		event_words "$line"
		[[ $WORDS == "$1" && $line =~ \"time_ns\":([0-9]+) ]] || continue
		EVENTS_SEEN=$number EVENT_MS=$((BASH_REMATCH[1] / 1000000))
		return
	done
	return 1
}

# Earlier events are ignored from now on.
events_skip() {
	EVENTS_SEEN=$(wc -l <"$EVENTS")
}

# events_have WORDS: waits for the event
events_have() {
	local end=$((SECONDS + PATIENCE_MS / 1000))

	until events_came "$1"; do
		((SECONDS < end)) ||
			fail "no event has $1: $(tail -n +$((EVENTS_SEEN + 1)) "$EVENTS")" || return
		poll_pause
	done
}

# ---- control packets ----

# control_rule NAMESPACE HOOK WORDS DEVICE...
control_rule() {
	local ns=$1 hook=$2 words=$3 dev

	shift 3
	{
		printf 'table netdev control\ndelete table netdev control\ntable netdev control {\n'
		echo "counter asked { }"
		for dev; do
			echo "chain $dev { type filter hook $hook device $dev priority 0;"
			echo "$CONTROL $words; }"
		done
		echo "}"
	} | in_ns "$ns" nft -f -
}

control_count() {
	control_rule "$1" egress "counter name asked" "${@:2}"
}

control_drop() {
	control_rule "$1" egress drop "${@:2}"
}

# Only goodbye messages, type 3, are dropped.
bye_drop() {
	control_rule "$1" egress "@th,168,8 3 drop" "${@:2}"
}

control_pass() {
	in_ns "$1" nft delete table netdev control
}

# control_read NAMESPACE: sets CONTROLS to the number of control packets
control_read() {
	local list

	list=$(in_ns "$1" nft list counter netdev control asked) || return
	[[ $list =~ packets\ ([0-9]+) ]] && CONTROLS=${BASH_REMATCH[1]}
}

control_counted() {
	control_read "$1" || fail "the counter of control packets is missing" || return
	((CONTROLS == $2)) || fail "$CONTROLS control packets left, expected $2"
}

# ---- a played peer ----

player_start() {
	: >"$TOPO_DIR/player"
	"${BASH_SOURCE[0]%/*}/../tools/hello_peer" "${@:2}" "$1" >"$TOPO_DIR/player" &
	PLAYER=$!
	busywait "$PATIENCE_MS" grep -q listening "$TOPO_DIR/player" ||
		fail "hello_peer did not start"
}

player_ended() {
	! kill -0 "$PLAYER" 2>/dev/null
}

# The player has sent the requested number of answers.
player_done() {
	busywait "$PATIENCE_MS" player_ended || fail "hello_peer got fewer hellos than requested"
}

player_stop() {
	kill "$PLAYER" && wait "$PLAYER"
	[[ $? -gt 128 ]] || fail "hello_peer ended too early"
}

# ---- counters ----

# stat_has COUNTER [LEAST]: the counter of leaf 0 grew since the mark, by at least LEAST
stat_has() {
	local grown word

	grown=$(stats_growth "${LEAF[0]}")
	for word in $grown; do
		[[ ${word%=*} != "$1" || ${word#*=} -lt ${2:-1} ]] || return 0
	done
	fail "$1 did not grow by ${2:-1}: $grown"
}

# stats_only NAMESPACE COUNTER...: no other counter grew
stats_only() {
	local ns=$1 word

	shift
	for word in $(stats_growth "$ns"); do
		[[ " $* " == *" ${word%=*} "* ]] || fail "$word" || return
	done
}
