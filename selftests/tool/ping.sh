#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "conga ping" tests each path to a leaf. The round-trip time of a slow path is that of its link,
# the loss is that of the path whose packets are dropped, and each path has a line for itself.
# Each ping that cannot leave is refused with its own sentence, and only a user with
# CAP_NET_ADMIN pings.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/requests.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly HOSTS=/etc/conga/hosts NAME=leaf2
readonly DELAY_MS=100 PINGS=5
readonly PATH_ADDR4=1 PATH_IFINDEX=3 PATH_TAG=4	# numbers of linux/conga.h
readonly LONG_HELLO=10s		# all requests of a case are in one hello interval
readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
readonly CANNOT="Error: This path cannot be pinged:"

setup() {
	topo_up && fabric_up conga auto && leaf_becomes 0 "conga answers" &&
		mkdir -p "${HOSTS%/*}" && mount -t tmpfs names "${HOSTS%/*}" && defer "umount ${HOSTS%/*}" &&
		echo "${VTEP[1]} $NAME" >"$HOSTS" && chmod 644 "$HOSTS" &&
		PUBLIC=$(mktemp -d) && defer "rm -rf $PUBLIC" &&
		cp "$CONGA" "$PUBLIC/conga" && chmod 755 "$PUBLIC" "$PUBLIC/conga" &&
		OUT=$PUBLIC/out
}

# pinged STATUS WORD...: pings, and records the output
pinged() {
	local expected=$1 status=0

	shift
	conga 0 "$@" >"$OUT" 2>&1 || status=$?
	((status == expected)) || fail "$*: status $status, expected $expected: $(cat "$OUT")"
}

# lines COUNT PATTERN: the output has so many lines of this extended regular expression
lines() {
	local found

	found=$(grep -cxE -- "$2" "$OUT")
	((found == $1)) || fail "$found lines are \"$2\", expected $1: $(cat "$OUT")"
}

# summary_is DEVICE KEY VALUE: the summary in JSON has this value
summary_is() {
	local found

	found=$(jq -r "select(.event == \"summary\" and .dev == \"$1\").$2" "$OUT")
	[[ $found == "$3" ]] || fail "$2 of $1 is $found, expected $3: $(cat "$OUT")"
}

# path_is DEVICE STATE
path_is() {
	local state

	state=$(conga 0 -j path show leaf "${VTEP[1]}" | jq -r ".[] | select(.dev == \"$1\").state")
	[[ $state == "$2" ]] || fail "the path by $1 is $state, expected $2"
}

# ---- times ----

never_pinged() {
	! conga 0 -j path show | grep -q ping || fail "path show knows of pings: $(conga 0 -j path show)"
}

readonly TIME='[0-9.]+(ns|us|ms|s)'

all_paths_answer() {
	pinged 0 ping "${VTEP[1]}" count 2 || return
	lines 2 "from $NAME by up0: seq [12] time $TIME" && lines 2 "from $NAME by up1: seq [12] time $TIME" &&
		lines 1 "up0: 2 sent, 2 received, 0% loss, min/avg/max $TIME/$TIME/$TIME" &&
		lines 1 "up1: 2 sent, 2 received, 0% loss, min/avg/max $TIME/$TIME/$TIME" &&
		lines 6 ".*"
}

names_and_numbers() {
	pinged 0 ping "$NAME" count 1 && lines 2 "from $NAME by .*" &&
		pinged 0 -N ping leaf "$NAME" count 1 && lines 2 "from ${VTEP[1]} by .*" &&
		pinged 0 -o ping "$NAME" count 1 && lines 2 "from $NAME by up[01]: seq 1 time $TIME" &&
		pinged 0 -t ping "$NAME" count 1 && lines 2 "\[[0-9T:.-]*\] from $NAME by .*"
}

one_uplink_is_pinged() {
	pinged 0 ping "${VTEP[1]}" dev up1 count 1 && lines 1 "from .* by up1: .*" &&
		lines 1 "up1: 1 sent, .*" && lines 2 ".*"
}

# The least of several times of the other path is below the delay, however slow the machine is.
quick() {
	pinged 0 -j ping "${VTEP[1]}" count "$PINGS" && summary_is up0 received "$PINGS" &&
		jq -es "map(select(.event == \"summary\" and .dev == \"up1\"))[0].min_ns < $1" "$OUT" >/dev/null
}

slow_path_takes_its_time() {
	local ns=$((DELAY_MS * 1000000)) status=0

	tc -n "${LEAF[0]}" qdisc replace dev up0 root netem delay "${DELAY_MS}ms" || return
	soon quick "$ns" &&
		jq -es "map(select(.dev == \"up0\" and .event == \"answered\")) |
			length == $PINGS and all(.rtt_ns >= $ns) and
			map(.seq) == [range(1; $PINGS + 1)]" "$OUT" >/dev/null ||
		fail "the times are wrong: $(cat "$OUT")" || status=1
	tc -n "${LEAF[0]}" qdisc del dev up0 root && return "$status"
}

# The ping leaves at most a quarter of a hello interval before its end, after which answers are
# accepted for one more.
late_answer_counts() {
	local status=0

	conga 0 fabric set hello 2s && tc -n "${LEAF[0]}" qdisc replace dev up0 root netem delay 2100ms || return
	pinged 0 -j ping "${VTEP[1]}" dev up0 count 1 interval 2s && summary_is up0 received 1 || status=1
	tc -n "${LEAF[0]}" qdisc del dev up0 root && conga 0 fabric set hello 300ms &&
		leaf_becomes 0 "conga answers" && return "$status"
}

json_has_base_units() {
	pinged 0 -j ping "${VTEP[1]}" dev up0 count 1 || return
	jq -es ".[0] == {event: \"answered\", leaf: \"${VTEP[1]}\", name: \"$NAME\", dev: \"up0\",
			tag: 0, seq: 1, rtt_ns: .[0].rtt_ns} and .[0].rtt_ns > 0 and
			.[1] == {event: \"summary\", leaf: \"${VTEP[1]}\", name: \"$NAME\", dev: \"up0\", tag: 0, sent: 1,
			received: 1, min_ns: .[0].rtt_ns, avg_ns: .[0].rtt_ns, max_ns: .[0].rtt_ns}" \
			"$OUT" >/dev/null || fail "JSON is $(cat "$OUT")"
}

path_show_has_them() {
	conga 0 -j path show | json_is 'all(.[]; .pings > 0 and .pings_answered <= .pings and
		.ping_rtt_ns > 0 and (has("ping_waiting") | not))' || fail "$(conga 0 -j path show)" || return
	[[ $(conga 0 -d path show leaf "${VTEP[1]}") == *" pings "*" answered "*" rtt "* ]] ||
		fail "path show prints $(conga 0 -d path show)"
}

# ---- losses ----

lost_by_one_path() {
	control_drop "${LEAF[0]}" up1 && pinged 0 ping "${VTEP[1]}" count 3 || return
	lines 3 "from $NAME by up0: .*" && lines 3 "no answer by up1: seq [123]" &&
		lines 1 "up0: 3 sent, 3 received, 0% loss, .*" && lines 1 "up1: 3 sent, 0 received, 100% loss" &&
		lines 8 ".*" || return
	pinged 1 ping "${VTEP[1]}" dev up1 count 1 && lines 1 "up1: 1 sent, 0 received, 100% loss" || return
	pinged 1 -j ping "${VTEP[1]}" dev up1 count 1 && summary_is up1 sent 1 && summary_is up1 min_ns null
}

# A ping is a hello: the repaired path is back with its answer.
silent_path_is_pinged() {
	path_is up1 silent && control_pass "${LEAF[0]}" && pinged 0 ping "${VTEP[1]}" dev up1 count 1 &&
		lines 1 "from $NAME by up1: seq 1 .*" && path_is up1 usable
}

silent_leaf_is_pinged() {
	control_drop "${LEAF[0]}" up0 up1 && leaf_falls_silent 0 && pinged 1 ping "${VTEP[1]}" count 1 &&
		lines 2 "no answer by up[01]: seq 1" || return
	control_pass "${LEAF[0]}" && pinged 0 ping "${VTEP[1]}" count 1 && leaf_becomes 0 "conga answers"
}

# ---- signals ----

# began WORD...: starts a ping without end, whose output grows
began() {
	nsenter --net="/run/netns/${LEAF[0]}" "$CONGA" ping "$@" >"$OUT" 2>&1 &
	PING=$!
	defer "kill $PING 2>/dev/null"
	has_line "from .* by up1: .*"
}

has_line() {
	busywait "$PATIENCE_MS" grep -qxE -- "$1" "$OUT" || fail "no line is \"$1\": $(cat "$OUT")"
}

# ended SIGNAL
ended() {
	local status=0

	kill "-$1" "$PING"
	wait "$PING" || status=$?
	((status == 0)) || fail "after SIG$1 the status is $status: $(cat "$OUT")"
}

signals_end_with_a_summary() {
	local signal

	for signal in INT TERM; do
		began "${VTEP[1]}" && ended "$signal" && lines 1 "up0: [0-9]+ sent, .*" &&
			lines 1 "up1: [0-9]+ sent, [0-9]+ received, 0% loss, .*" || return
	done
}

# The ping goes on by the other path.
link_goes_down() {
	began "${VTEP[1]}" && ip -n "${LEAF[0]}" link set up1 down || return
	has_line "not sent by up1: seq [0-9]+" && ip -n "${LEAF[0]}" link set up1 up && ended INT &&
		lines 1 "up1: [0-9]+ sent, .*" && lines 1 "up0: [0-9]+ sent, [0-9]+ received, 0% loss, .*" ||
		return
	soon path_is up1 usable
}

# ---- refusals ----

# refused SENTENCE WORD...: the command is refused, and pings nothing. A ping that is accepted by
# mistake must end, so each of them has a count.
refused() {
	says 1 "Error: $1." conga 0 "${@:2}"
}

unknown_is_refused() {
	refused "This address is not a leaf of the fabric" ping 10.0.0.99 count 1 &&
		refused "This device is not a port of the fabric" ping "${VTEP[1]}" dev lo count 1 || return
	ip -n "${LEAF[0]}" link add other up type dummy && defer "ip -n ${LEAF[0]} link del other" &&
		conga 0 port add other role transit rate 1gbit || return
	refused "Only an uplink sends hellos, so no other port can ping" ping "${VTEP[1]}" dev other count 1 &&
		conga 0 port del other || return
	raw "EINVAL: The request must name the leaf by exactly one address" &&
		raw "EINVAL: The request must name the device of the port" "$ADDR" &&
		raw "EINVAL: There is no path with this LBTag by this uplink to the leaf" \
			"$ADDR" "$UPLINK" "$PATH_TAG:u32=$OTHER_TAG" &&
		says 1 "Error: There is no fabric in this network namespace, add one first." \
			"$CONGA" -n "${HOST[0.0]}" ping "${VTEP[1]}" count 1
}

# raw VERDICT ATTRIBUTE...: the kernel's answer to a request
raw() {
	local said

	said=$(request "${LEAF[0]}" "$PATH_PING" "${@:2}")
	[[ $said == "$1" ]] || fail "a ping with ${*:2} was answered by $said, expected: $1"
}

path_that_is_down_is_refused() {
	local status=0

	conga 0 leaf add 10.0.0.99 || return
	says 1 "$CANNOT there is no unicast route to the leaf." conga 0 ping 10.0.0.99 dev up0 count 1 &&
		says 1 'Error: no path to this leaf can be pinged: "conga path show" says why' \
			conga 0 ping 10.0.0.99 count 1 || status=1
	ip -n "${LEAF[0]}" link set up1 down &&
		says 1 "$CANNOT the uplink is down or has no carrier." conga 0 ping "${VTEP[1]}" dev up1 count 1 || status=1
	ip -n "${LEAF[0]}" link set up1 up && conga 0 leaf del 10.0.0.99 && soon path_is up1 usable &&
		return "$status"
}

# The route to one leaf is by up0 alone.
path_without_nexthop_is_refused() {
	local route status=0

	route=$(ip -n "${LEAF[0]}" -o route get "${VTEP[1]}" oif up0) || return
	[[ $route =~ via\ ([^ ]+) ]] && ip -n "${LEAF[0]}" route add 10.0.0.99 via "${BASH_REMATCH[1]}" dev up0 &&
		conga 0 leaf add 10.0.0.99 || return
	says 1 "$CANNOT the route to the leaf does not use this uplink." \
		conga 0 ping 10.0.0.99 dev up1 count 1 || status=1
	conga 0 leaf del 10.0.0.99 && ip -n "${LEAF[0]}" route del 10.0.0.99 && return "$status"
}

plain_leaf_is_refused() {
	conga 0 leaf set "${VTEP[1]}" mode plain || return
	refused "A leaf in mode plain gets no hellos, so it cannot be pinged" ping "${VTEP[1]}" count 1 &&
		conga 0 leaf set "${VTEP[1]}" mode auto && leaf_becomes 0 "conga answers"
}

without_hello_is_refused() {
	conga 0 fabric set hello off || return
	refused "Hello is off, so no leaf can be pinged" ping "${VTEP[1]}" count 1 &&
		conga 0 fabric set hello 300ms && leaf_becomes 0 "conga answers"
}

twice_is_refused() {
	local status=0

	conga 0 fabric set hello "$LONG_HELLO" || return
	soon raw ok "$ADDR" "$UPLINK" &&
		raw "EBUSY: This path was pinged in this hello interval already" "$ADDR" "$UPLINK" || status=1
	conga 0 fabric set hello 300ms && return "$status"
}

# The tool waits until the next hello interval.
two_may_ping() {
	local status=0

	conga 0 fabric set hello 2s || return
	soon raw ok "$ADDR" "$UPLINK" && pinged 0 ping "${VTEP[1]}" dev up0 count 1 interval 8s &&
		lines 1 "up0: 1 sent, 1 received, 0% loss, .*" || status=1
	conga 0 fabric set hello 300ms && return "$status"
}

wrong_words_are_refused() {
	says 1 'Cannot find device "nosuch"' conga 0 ping "${VTEP[1]}" dev nosuch &&
		says 2 "Error: argument \"leaf\" is required
$(conga 0 ping help)" conga 0 ping &&
		says 2 'Error: argument "0" is wrong: must be at least 1' conga 0 ping "${VTEP[1]}" count 0 &&
		says 2 'Error: argument "0s" is wrong: an interval is at most 86400s, and not zero' \
			conga 0 ping "${VTEP[1]}" interval 0s &&
		says 2 'Error: argument "86401s" is wrong: an interval is at most 86400s, and not zero' \
			conga 0 ping "${VTEP[1]}" interval 86401s &&
		says 2 'Error: argument "299ms" is wrong: a path is pinged once per hello interval at most' \
			conga 0 ping "${VTEP[1]}" interval 299ms &&
		says 2 'Error: argument "now" is unknown, try "conga ping help".' conga 0 ping "${VTEP[1]}" now
}

nobody_may_ping() {
	says 1 "Error: Operation not permitted: a ping needs CAP_NET_ADMIN in this network namespace" \
		in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$PUBLIC/conga" ping "${VTEP[1]}" count 1
}

tap_plan 22
require_root
require_commands ip jq nft setpriv tc
require_module
setup || die "the fabric cannot be set up"
# shellcheck disable=SC2086 # four words
ADDR=$PATH_ADDR4:hex=$(printf '%02x' ${VTEP[1]//./ })
UPLINK=$(ip -n "${LEAF[0]}" -o link show up0) || die "there is no up0"
UPLINK=$PATH_IFINDEX:u32=${UPLINK%%:*}
OTHER_TAG=$(conga 0 -j port show up1 | jq ".[0].tag") || die "up1 has no LBTag"
tap_test "a path that was never pinged has no pings" never_pinged
tap_test "every path to a leaf is pinged, and has its times and its summary" all_paths_answer
tap_test "a ping takes the name of a leaf, and prints it unless -N asks for numbers" names_and_numbers
tap_test "with dev one uplink alone is pinged" one_uplink_is_pinged
tap_test "the time of a path is at least the delay of its link, the other path's is below" slow_path_takes_its_time
tap_test "an answer that comes after the interval of its ping counts" late_answer_counts
tap_test "JSON has an object a line, with times in ns" json_has_base_units
tap_test "path show has the pings of each path" path_show_has_them
tap_test "a path whose packets are dropped loses all pings, the other one none" lost_by_one_path
tap_test "a silent path is pinged, and is back with its answer" silent_path_is_pinged
tap_test "a leaf that does not answer is pinged, too" silent_leaf_is_pinged
tap_test "SIGINT and SIGTERM end a ping with its summary" signals_end_with_a_summary
tap_test "when a link goes down its pings are not sent, the others are" link_goes_down
tap_test "no ping without a fabric, to an unknown leaf, or by a port that is no uplink" unknown_is_refused
tap_test "a path that is down is not pinged" path_that_is_down_is_refused
tap_test "an uplink that the route does not use is not pinged" path_without_nexthop_is_refused
tap_test "a leaf in mode plain is not pinged" plain_leaf_is_refused
tap_test "without hello no leaf is pinged" without_hello_is_refused
tap_test "a path is pinged once per hello interval" twice_is_refused
tap_test "two users may ping at the same time" two_may_ping
tap_test "wrong words are refused" wrong_words_are_refused
tap_test "a user without CAP_NET_ADMIN cannot ping" nobody_may_ping
tap_exit
