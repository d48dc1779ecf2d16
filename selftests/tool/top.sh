#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The live screen: its content at any size, down to 20 columns, the terminal, which must be as
# before however the tool ends, and the output without a terminal and as text. The terminal is
# tmux.
#
#	top.sh text	runs no tests, but prints Documentation/user/top.txt: text under load

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

readonly WAIT_MS=30000
readonly INTERVAL=200ms
readonly SLOW=1mbit		# an uplink that pings fill
readonly TITLES="PORT ROLE    TAG STATE     RATE    SENDS  LOAD   DRE LEVEL"
readonly -a TMUX_=(tmux -f /dev/null)

SERVER=""			# the socket of tmux
PINGER=""			# process id

# ---- the terminal ----

terminal() {
	"${TMUX_[@]}" -S "$SERVER" "$@"
}

screen() {
	terminal capture-pane -p 2>/dev/null
}

# screen_has REGEX
screen_has() {
	screen | grep -qE -- "$1"
}

shows() {
	busywait "$WAIT_MS" screen_has "$1" >/dev/null ||
		fail "the screen does not have $1: $(screen; cat "$DIR/said")"
}

# start COLUMNS LINES [NAMESPACE]: starts the screen; the previous text and the terminal's
# settings must be restored later
start() {
	cat >"$DIR/run" <<-END
		trap : INT QUIT		# these signals are for top
		echo before
		stty -g >$DIR/tty.before
		sh -c 'echo \$\$ >$DIR/pid; exec $CONGA -n ${3:-${LEAF[0]}} -i $INTERVAL top' 2>$DIR/said
		echo \$? >$DIR/status
		stty -g >$DIR/tty.after
		echo after
		exec sleep 1000
	END
	rm -f "$DIR"/{status,pid} && : >"$DIR/said"
	SERVER=$DIR/tmux.$RANDOM
	TERM=xterm terminal new-session -d -x "$1" -y "$2" "exec sh $DIR/run"
}

stop() {
	[[ ! $SERVER ]] || terminal kill-server 2>/dev/null
	SERVER=""
}

# ended STATUS: the tool ended and restored the terminal
ended() {
	busywait "$WAIT_MS" screen_has '^after$' >/dev/null ||
		fail "top did not end: $(screen)" || return
	[[ $(<"$DIR/status") == "$1" ]] ||
		fail "the status is $(<"$DIR/status"), the errors: $(<"$DIR/said")" || return
	cmp -s "$DIR/tty.before" "$DIR/tty.after" ||
		fail "$(diff "$DIR"/tty.{before,after})" || return
	[[ $(terminal display-message -p '#{alternate_on}#{cursor_flag}') == 01 ]] ||
		fail "the terminal has the other screen or no cursor" || return
	{ screen_has '^before$' && ! screen_has '^PORT'; } ||
		fail "the screen was not restored: $(screen)"
}

is_no_wider_than() {
	(($(screen | awk 'length > n { n = length } END { print n + 0 }') <= $1)) ||
		fail "a line is wider than $1 columns: $(screen)"
}

# ---- set up ----

setup() {
	DIR=$TOPO_DIR
	fabric_up conga conga || return
	conga 0 port set up0 rate "$SLOW" && conga 0 port set up1 rate "$SLOW" &&
		conga 0 port set up2 rate 10gbit && conga 0 port set up3 rate 2.5gbit || return
	in_ns "${HOST[0.0]}" ping -q -i 0.01 -s 1400 "${HOST_IP[1.0]}" >/dev/null &
	PINGER=$!
	defer "kill $PINGER"
	defer stop
}

# ---- tests ----

wide_screen() {
	start 80 24 || return
	shows "^$TITLES\$" && shows '^up2  uplink +2 +up +10Gbit +[0-9.]+[KM]?bit +0% +0/7 \[ +\]$' &&
		shows '^up3  uplink +3 +up +2.5Gbit ' && shows '^conga: policy conga flowlet-timeout 500us$' &&
		shows "^${VTEP[1]} +conga +4 +[0-3]:[0-7]( |\$)" &&
		shows '^flowlets [1-9][0-9]*/s moved [0-9]+/s rerouted 0/s steered [1-9][0-9]*/s fallback 0/s$' &&
		is_no_wider_than 80
}

# The test fills an uplink by pings and reads its rate and level. (The pings move to an idle
# uplink.)
load_is_shown() {
	conga 0 port set up2 drain on && conga 0 port set up3 drain on || return
	shows '^up[01] +uplink +[01] +up +1Mbit +[0-9.]+(M|K)bit +[1-9][0-9]*% +[1-7]/7 \[#+ *\]$' ||
		return
	shows '^up2 +uplink +2 +drain ' && conga 0 port set up2 drain off &&
		conga 0 port set up3 drain off
}

# The most important columns stay: port, rate and congestion; the omitted columns return on a
# wider screen.
narrow_screen() {
	terminal resize-window -x 20 -y 24 && shows '^PORT    SENDS   DRE$' &&
		shows '^up2 +([0-9.]+[KM]?bit) +0/7$' && shows '^flowlets [0-9]+/s$' &&
		shows "^${VTEP[1]} conga 4\$" && shows '^  [0-3]:[0-7]( |$)' && is_no_wider_than 20 || return
	terminal resize-window -x 50 -y 24 && shows '^PORT TAG STATE    SENDS  LOAD   DRE LEVEL$' &&
		is_no_wider_than 50 || return
	terminal resize-window -x 80 -y 24 && shows "^$TITLES\$"
}

# The list exceeds the screen: keys scroll, and stop at the end.
low_screen() {
	terminal resize-window -x 80 -y 5 && shows '^up0 ' || return
	! screen_has '^LEAF' || fail "five lines show the whole view: $(screen)" || return
	terminal send-keys NPage NPage NPage && shows '^LEAF' && shows "^${VTEP[1]} " || return
	! screen_has '^conga:' || fail "the view did not move: $(screen)" || return
	terminal send-keys PPage PPage PPage && shows '^conga:' &&
		terminal send-keys Down && shows '^up1 '
}

a_port_that_is_down() {
	terminal resize-window -x 80 -y 24 && ip -n "${LEAF[0]}" link set up3 down || return
	shows '^up3 +uplink +3 +down +2.5Gbit +down ' && terminal resize-window -x 20 -y 24 &&
		shows '^up3 +down +[0-7]/7$' && ip -n "${LEAF[0]}" link set up3 up &&
		shows '^up3 +[0-9.]+[KM]?bit +[0-7]/7$'
}

q_ends() {
	terminal send-keys q && ended 0 && stop
}

# by_signal SIGNAL
by_signal() {
	start 80 24 && shows '^PORT' && kill -"$1" "$(<"$DIR/pid")" && ended 0 && stop
}

by_key() {
	start 80 24 && shows '^PORT' && terminal send-keys "$1" && ended 0 && stop
}

signals_end() {
	by_signal TERM && by_signal HUP && by_key C-c && by_key C-\\
}

started_narrow() {
	start 20 10 && shows '^PORT    SENDS   DRE$' && is_no_wider_than 20 &&
		terminal send-keys q && ended 0 && stop
}

no_fabric_is_shown() {
	start 80 24 "${HOST[0.0]}" &&
		shows '^no fabric in this network namespace \(conga fabric add\)$' || return
	"$CONGA" -n "${HOST[0.0]}" fabric add && shows '^PORT' || return
	"$CONGA" -n "${HOST[0.0]}" fabric del && shows '^no fabric' && terminal send-keys q &&
		ended 0 && stop
}

# What ports sent before does not count.
idle_is_shown() {
	kill -STOP "$PINGER" && start 80 24 || return
	shows '^up0 +uplink +0 +up +1Mbit +0bit ' && shows '^up1 +uplink +1 +up +1Mbit +0bit ' &&
		terminal send-keys q && ended 0 && stop && kill -CONT "$PINGER"
}

# No process remains after its terminal is closed.
terminal_that_goes() {
	local pid

	start 80 24 && shows '^PORT' && pid=$(<"$DIR/pid") && stop || return
	busywait "$WAIT_MS" is_gone "$pid" || fail "top runs on without a terminal"
}

is_gone() {
	! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null
}

no_terminal_is_told() {
	local sentence='Error: top needs a terminal; "conga top batch" prints text'

	says 1 "$sentence" "$CONGA" -n "${LEAF[0]}" top &&
		says 2 'Error: argument "count" is unknown, try "conga top help".' \
			"$CONGA" top count 1 &&
		says 2 'Error: option "-j" is wrong: use "-j -i 1 stats show"' \
			"$CONGA" -j top || return
	start 80 24 && shows '^PORT' && terminal send-keys q && ended 0 || return
	terminal respawn-window -k "TERM=nosuch $CONGA -n ${LEAF[0]} top 2>$DIR/said; exec sleep 1000"
	busywait "$WAIT_MS" test -s "$DIR/said"
	[[ $(<"$DIR/said") == 'Error: the terminal type "nosuch" (TERM) is unknown' ]] ||
		fail "top printed: $(<"$DIR/said")" || return
	stop
}

as_text() {
	local said

	said=$(conga 0 -i "$INTERVAL" top batch count 2) || return
	[[ $(grep -cx "$TITLES" <<<"$said") == 2 && $(grep -c '^$' <<<"$said") == 5 ]] ||
		fail "$said" || return
	grep -qE '^up0 +uplink +0 +up +1Mbit +[0-9.]+[KM]?bit ' <<<"$said" || fail "$said" || return
	said=$(COLUMNS=20 conga 0 -i "$INTERVAL" top batch count 1) || return
	{ grep -qx 'PORT    SENDS   DRE' <<<"$said" && ! grep -qE '.{21}' <<<"$said"; } || fail "$said"
}

# ---- text ----

# This is no test: it makes the example of Documentation/user/watching.md. The second pause lets TCP
# share the links, so that the example has typical rates.

text() {
	TOPO_RATE=100mbit
	TOPO_LINK_RATE=([spine1.1-leaf1]=25mbit)
	TOPO_SPINE=plane
	QUIET=""
	{ topo_up && fabric_up conga conga && sleep 1; } || die "the fabric cannot be set up"
	in_ns "${HOST[1.0]}" iperf3 -s -D -1 >/dev/null
	busywait "$WAIT_MS" in_ns "${HOST[0.0]}" iperf3 -c "${HOST_IP[1.0]}" -P 16 -t 8 >/dev/null &
	sleep 4
	cat <<-END
		A leaf with four uplinks of 100 Mbit/s that sends 16 TCP flows to another; the link
		behind uplink up3, from its spine on, has a quarter of that. Made by

		    selftests/vm/run -k uml -- selftests/tool/top.sh text

		    # conga -i 1 top batch count 2

	END
	conga 0 -i 1 top batch count 2
	wait
}

require_root
require_commands ip jq ping tmux iperf3
require_module
if [[ ${1-} == text ]]; then
	text
	exit
fi
tap_plan 13
{ topo_up && setup; } || die "the fabric cannot be set up"
tap_test "the screen has all columns at a width of 80" wide_screen
tap_test "load and congestion of a port are shown" load_is_shown
tap_test "the screen adapts to a width of 20, and back" narrow_screen
tap_test "keys scroll a screen of five lines" low_screen
tap_test "a port that is down is shown as down" a_port_that_is_down
tap_test "q ends top, and the terminal is restored" q_ends
tap_test "signals end top, and the terminal is restored" signals_end
tap_test "top can start at a width of 20" started_narrow
tap_test "a missing fabric is shown, and a fabric that is added" no_fabric_is_shown
tap_test "ports that no longer send have a rate of 0" idle_is_shown
tap_test "top ends when its terminal goes away" terminal_that_goes
tap_test "a missing or unknown terminal is reported" no_terminal_is_told
tap_test "top prints text without a terminal" as_text
tap_exit
