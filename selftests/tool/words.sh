#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The words that a user types. Objects and verbs may be shortened while only one begins so, as
# those of iproute2, and "help" after each of them prints the usage.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

# words_after WORD...: what the completion offers next
words_after() {
	"$CONGA" complete "$@" "" 2>/dev/null | grep -vx help
}

# shortest WORD ALL...: prints the shortest beginning that no other word has, or the word itself
shortest() {
	local word=$1 length

	shift
	for ((length = 1; length < ${#word}; length++)); do
		[[ $(printf '%s\n' "$@" | grep -c "^${word:0:length}") != 1 ]] || break
	done
	echo "${word:0:length}"
}

helped() {
	local usage

	usage=$("$CONGA" "$1" help) && [[ $usage == "Usage: conga "* ]] ||
		fail "$1 help prints: $usage" || return
	says 0 "$usage" "$CONGA" "${@:2}" help
}

help_follows_all() {
	local object verb

	for object in $(words_after); do
		helped "$object" "$object" || return
		[[ $object == @(fabric|port|leaf|path|table|flowlet|policy|stats) ]] || continue
		for verb in $(words_after "$object"); do
			helped "$object" "$object" "$verb" || return
		done
	done
}

beginnings_suffice() {
	local object verb objects verbs count=0

	mapfile -t objects < <(words_after)
	for object in fabric port leaf path table flowlet policy stats; do
		mapfile -t verbs < <(words_after "$object")
		for verb in "${verbs[@]}"; do
			helped "$object" "$(shortest "$object" "${objects[@]}")" \
				"$(shortest "$verb" "${verbs[@]}")" || return
			count=$((count + 1))
		done
	done
	((count >= 18)) || fail "only $count commands were tried"
}

usual_words_are_known() {
	helped port port list && helped port port lst && helped port port delete
}

ambiguous_is_refused() {
	says 2 'Object "p" is ambiguous: port or path or policy or ping' "$CONGA" p show &&
		says 2 'Command "s" is ambiguous: show or set' "$CONGA" port s &&
		says 2 'Object "ports" is unknown, try "conga help".' "$CONGA" ports &&
		says 2 'Command "adds" is unknown, try "conga port help".' "$CONGA" port adds &&
		says 2 'Object "" is unknown, try "conga help".' "$CONGA" ""
}

# "set" names what only "add" takes, so that nobody looks for another word.
fixed_is_told() {
	local word

	for word in tag role; do
		says 2 "Error: \"$word\" cannot be changed: delete the port, and add it with another" \
			"$CONGA" port set lo "$word" 3 || return
	done
	says 2 'Error: argument "tags" is unknown, try "conga port help".' \
		"$CONGA" port set lo tags 3
}

tap_plan 5
tap_test "help after each object and each verb prints the usage" help_follows_all
tap_test "the shortest beginning of an object and a verb suffices" beginnings_suffice
tap_test "other words of iproute2's users are known" usual_words_are_known
tap_test "a beginning of several words is refused, and they are named" ambiguous_is_refused
tap_test "what can be given only when a port is added is named" fixed_is_told
tap_exit
