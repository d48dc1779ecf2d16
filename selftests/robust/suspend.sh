#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine sleeps while flows cross the fabric, and its real-time clock wakes it: no packet that
# is sent before or after is lost, rates decay, and hello goes on. It sleeps once: the clock of User
# Mode Linux 6.1 wakes it only once, since it does not ask its thread for a second signal
# (uml_rtc_interrupt(), write_sigio_thread()).

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/recovery.sh"

TOPO_SPINES=2
QUIET="hello 300ms explicit-feedback off"

readonly EACH=400 ALL_PATHS=4
readonly SLEEP_S=3
readonly ALARM=/sys/class/rtc/rtc0/wakealarm STATE=/sys/power/state

setup() {
	topo_up && neighbours_meet && neighbours_stay && fabric_up conga auto &&
		flows_end "${HOST[1.0]}" eth0 && leaves_meet
}

leaf_answers() {
	conga 0 -j leaf show | json_is '.[0].state == "conga"'
}

# leaves_meet: the other leaf answers, and by all paths
leaves_meet() {
	busywait "$RECOVERY_MS" leaf_answers || fail "the leaf does not answer: $(conga 0 leaf show)" ||
		return
	paths_are_usable "$ALL_PATHS"
}

# slept: the machine sleeps for some seconds, as the clock that goes on in sleep shows
slept() {
	local before after

	before=$(date +%s)
	echo 0 >"$ALARM" && echo "+$SLEEP_S" >"$ALARM" && echo freeze >"$STATE" ||
		fail "the machine cannot sleep" || return
	after=$(date +%s)
	((after - before >= SLEEP_S - 1)) || fail "it slept for only $((after - before)) s"
}

crosses() {
	flows_send "$EACH" "${HOST[0.0]}" "${HOST_IP[1.0]}" &&
		flows_arrive "$EACH" "${HOST[1.0]}" eth0
}

# crossed_by SENDER: whoever was sending when the machine fell asleep has sent all
crossed_by() {
	wait "$1" || fail "datagrams cannot be sent" || return
	flows_arrive "$EACH" "${HOST[1.0]}" eth0
}

sleeps_while_sending() {
	local sender

	flows_send "$EACH" "${HOST[0.0]}" "${HOST_IP[1.0]}" &
	sender=$!
	slept && crossed_by "$sender" && crosses
}

require_root
require_commands ip nft jq
[[ -w $STATE && -w $ALARM ]] || tap_skip_all "needs a machine that can sleep and wake by its clock"
require_module
tap_plan 4
setup || die "cannot set up"
tap_test "no packet is lost when the machine sleeps" sleeps_while_sending
tap_test "rates decay after sleep" links_fall_idle
tap_test "leaves meet again after sleep" leaves_meet
tap_test "a silent path is left after sleep, and comes back" hello_works "$ALL_PATHS"
tap_exit
