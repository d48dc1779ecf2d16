#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# expect.sh - what several tests expect in the same words.
#
#	[[ $a == "$b" ]] || fail "a is $a" || return
#	says STATUS TEXT COMMAND...
#	conga 0 -j fabric show | json_is '.[0].policy == "tr"'
#	stats_mark "${LEAF[0]}"; ...; stats_moved "${LEAF[0]}" "rx_stamped=3 rx_learnt=3"
#
# Source lib.sh first; the counters and the module need fabric.sh, too.

declare -A STATS_MARK=()	# NAMESPACE -> the counters as they were

# The reason of a failure, and status 1.
fail() {
	why "$*"
	return 1
}

# says STATUS TEXT COMMAND...: exactly this on both outputs, and this status
says() {
	local expected=$1 text=$2 out status=0

	shift 2
	out=$("$@" 2>&1) || status=$?
	[[ $status == "$expected" && $out == "$text" ]] ||
		fail "$*: status $status, said: $out, expected: $expected, $text"
}

# json_is FILTER: true of the one JSON text on standard input. If there is none, jq by itself
# (1.6) says that it is.
json_is() {
	jq -es "length == 1 and (.[0] | $1)" >/dev/null
}

# On a box in use the module is not ours to remove.
module_is_ours() {
	! "$CONGA" fabric show >/dev/null 2>&1 || fail "this box has a fabric of its own"
}

# stats_words NAMESPACE: "name=value ..." of all counters, without a fork of jq
stats_words() {
	local json

	json=$("$CONGA" -n "$1" -j stats show) || return
	json=${json//[\[\]\{\}\"[:space:]]/}
	json=${json//:/=}
	echo "${json//,/ }"
}

stats_mark() {
	STATS_MARK[$1]=$(stats_words "$1")
}

# stats_growth NAMESPACE: "name=difference ..." of the counters that moved
stats_growth() {
	local -A before=()
	local word grown=""

	for word in ${STATS_MARK[$1]}; do
		before[${word%=*}]=${word#*=}
	done
	for word in $(stats_words "$1"); do
		((${word#*=} == before[${word%=*}])) ||
			grown+=" ${word%=*}=$((${word#*=} - before[${word%=*}]))"
	done
	echo "${grown# }"
}

# stats_moved NAMESPACE WORDS: since stats_mark these counters moved by so
# much, in the order in which the tool prints them, and no other did.
stats_moved() {
	local grown

	grown=$(stats_growth "$1")
	[[ $grown == "$2" ]] || fail "counters of ${1%-*} moved by: $grown, expected: $2"
}

# stats_grown NAMESPACE COUNTER: sets GROWTH, by how much it moved
stats_grown() {
	local word

	GROWTH=0
	for word in $(stats_growth "$1"); do
		# shellcheck disable=SC2034 # the caller reads it
		[[ ${word%=*} != "$2" ]] || GROWTH=${word#*=}
	done
}

# stats_grew NAMESPACE WORD: among others, this counter moved by so much
stats_grew() {
	local grown

	grown=$(stats_growth "$1")
	[[ " $grown " == *" $2 "* ]] || fail "counters of ${1%-*} moved by: $grown, expected: $2"
}
