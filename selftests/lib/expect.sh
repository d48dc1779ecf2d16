#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# expect.sh - assertions that several tests share.
#
#	[[ $a == "$b" ]] || fail "a is $a" || return
#	says STATUS TEXT COMMAND...
#	conga 0 -j fabric show | json_is '.[0].policy == "tr"'
#	stats_mark "${LEAF[0]}"; ...; stats_moved "${LEAF[0]}" "rx_stamped=3 rx_learnt=3"
#
# Source lib.sh first; the counters and the module need fabric.sh, too.

declare -A STATS_MARK=()	# NAMESPACE -> the counters at the mark

# fail REASON: adds the reason of a failure, and returns 1.
fail() {
	why "$*"
	return 1
}

# says STATUS TEXT COMMAND...: both outputs of the command must be exactly this text
says() {
	local expected=$1 text=$2 out status=0

	shift 2
	out=$("$@" 2>&1) || status=$?
	[[ $status == "$expected" && $out == "$text" ]] ||
		fail "$*: status $status, output: $out, expected: $expected, $text"
}

# json_is FILTER: the filter must be true of the one JSON text on standard input. Without any text
# jq 1.6 alone would succeed.
json_is() {
	jq -es "length == 1 and (.[0] | $1)" >/dev/null
}

# module_is_ours: a test must not remove the module on a node that has a fabric of its own.
module_is_ours() {
	! "$CONGA" fabric show >/dev/null 2>&1 || fail "this node has a fabric of its own"
}

# snmp_of NAMESPACE COUNTER: prints a counter of the kernel
snmp_of() {
	in_ns "$1" nstat -asz "$2" | awk 'END { print $2 }'
}

# stats_words NAMESPACE: prints "name=value ..." of all counters, without a fork of jq
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

# stats_growth NAMESPACE: prints "name=difference ..." of the counters that moved
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

# stats_moved NAMESPACE WORDS: since stats_mark these counters must have moved by so much, in the
# order in which the tool prints them, and no other counter.
stats_moved() {
	local grown

	grown=$(stats_growth "$1")
	[[ $grown == "$2" ]] || fail "counters of ${1%-*} moved by: $grown, expected: $2"
}

# stats_grown NAMESPACE COUNTER: sets GROWTH to the counter's growth since stats_mark
stats_grown() {
	local word

	GROWTH=0
	for word in $(stats_growth "$1"); do
		# shellcheck disable=SC2034 # the caller reads it
		[[ ${word%=*} != "$2" ]] || GROWTH=${word#*=}
	done
}

# stats_grew NAMESPACE WORD: since stats_mark this counter must have moved by so much
stats_grew() {
	local grown

	grown=$(stats_growth "$1")
	[[ " $grown " == *" $2 "* ]] || fail "counters of ${1%-*} moved by: $grown, expected: $2"
}
