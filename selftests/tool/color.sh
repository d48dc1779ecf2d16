#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Colors. There are some on a terminal that has them, unless NO_COLOR is set, and where -color asks
# for them; the text is the same with and without, and JSON has none.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

readonly ESCAPE=$'\033['
readonly CYAN="${ESCAPE}36m" MAGENTA="${ESCAPE}35m" BLUE="${ESCAPE}34m"
readonly GREEN="${ESCAPE}32m" YELLOW="${ESCAPE}33m" RED="${ESCAPE}31m" END="${ESCAPE}0m"

box() {
	"$CONGA" -n "$BOX" "$@"
}

box_up() {
	BOX=color-$(mktemp -u XXXXXX)
	# The kernel sends no packets of its own, which ports would count between two answers.
	ip netns add "$BOX" && defer "ip netns del $BOX" &&
		in_ns "$BOX" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		ip -n "$BOX" link add d0 up type dummy && ip -n "$BOX" link add d1 type dummy &&
		box fabric add hello off && box port add d0 role uplink rate 1gbit &&
		box port add d1 role uplink rate 1gbit && box leaf add 10.0.0.12 mode conga &&
		box leaf add fd00::12 mode plain
}

# terminal VARIABLE=VALUE... -- WORD...: what the tool writes to a terminal
terminal() {
	local variables=()

	while [[ $1 != -- ]]; do
		variables+=("$1")
		shift
	done
	shift
	env -u NO_COLOR TERM=xterm "${variables[@]}" script -qec "$CONGA -n $BOX $*" /dev/null </dev/null |
		tr -d '\r'
}

plain() {
	sed 's/\x1b\[[0-9]*m//g'
}

# colored TEXT: the port show, or what else, has colors, and the text without them is right
colored() {
	[[ $1 == *"$ESCAPE"* && $(plain <<<"$1") == "$(box port show)" ]] ||
		fail "it prints: $(cat -v <<<"$1")"
}

uncolored() {
	[[ $1 == "$(box port show)" ]] || fail "it prints: $(cat -v <<<"$1")"
}

terminal_has_colors() {
	colored "$(terminal -- port show)" && uncolored "$(terminal NO_COLOR=1 -- port show)" &&
		colored "$(terminal NO_COLOR= -- port show)" &&
		uncolored "$(terminal TERM=dumb -- port show)" &&
		uncolored "$(terminal -- -color=never port show)" &&
		colored "$(terminal NO_COLOR=1 -- -c port show)"
}

# The terminal that the pipe may end at has colors.
pipe_has_none_unasked() {
	local -x TERM=xterm

	[[ $(box port show) != *"$ESCAPE"* ]] || fail "a pipe has colors" || return
	uncolored "$(box -color=auto port show)" && colored "$(box -c port show)" &&
		colored "$(box -color port show)" && colored "$(box --color=always port show)"
}

json_has_none() {
	local words

	for words in "" "port show" "leaf show" "path show" "fabric show"; do
		# shellcheck disable=SC2086 # a list of words
		[[ $(box -c -j $words) == "$(box -j $words)" ]] || fail "conga -c -j $words" || return
	done
}

# has TEXT WORD...: the output has this part
has() {
	local text=$1 out

	shift
	out=$(box -c "$@")
	[[ $out == *"$text"* ]] || fail "$*: $(cat -v <<<"$out")"
}

colors_mean_something() {
	has "${CYAN}d0${END}:" port show d0 && has "state ${GREEN}up${END}" port show d0 &&
		has "state ${RED}down${END}" port show d1 &&
		has "${MAGENTA}10.0.0.12${END} " leaf show 10.0.0.12 &&
		has "state ${GREEN}conga${END}" leaf show 10.0.0.12 &&
		has "${BLUE}fd00::12${END} " leaf show fd00::12 &&
		has "state ${YELLOW}plain${END}" leaf show fd00::12 &&
		has "${RED}down${END} (" path show
}

other_words_are_refused() {
	says 2 'Error: argument "sometimes" is wrong: color must be always, never or auto' \
		"$CONGA" -color=sometimes port show
}

require_root
require_commands ip script
require_module
tap_plan 5
box_up || die "cannot set up"
tap_test "a terminal has colors, unless NO_COLOR, TERM or the option refuse them" terminal_has_colors
tap_test "a pipe has colors only where the option asks for them" pipe_has_none_unasked
tap_test "JSON has no colors" json_has_none
tap_test "devices, addresses and states have the colors of iproute2" colors_mean_something
tap_test "another word for the option is refused" other_words_are_refused
tap_exit
