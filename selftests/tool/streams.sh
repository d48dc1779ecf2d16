#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A flowlet table of 64K live entries is printed while it is read, in little memory, by leaf and
# port, also to readers that stop early. The test needs a clock by which 64K flows begin within
# one flowlet timeout.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly FLOWS=22000 TARGETS=4		# each its own flow, unless a port is drawn twice
readonly LIVE=65536			# entries at least
readonly MEMORY=4000000			# bytes of data; 64K replies take five times that

setup() {
	topo_up && fabric_up conga conga || return
	conga 0 fabric set flowlets 4194304 flowlet-timeout 1s || return
	in_ns "${HOST[0.0]}" sysctl -qw net.ipv4.ip_local_port_range="1024 65535" || return
	DIR=$TOPO_DIR
	settle
}

# Each datagram has a socket of its own, and so another port. Some flowlets may not be live yet,
# or no longer: LIVE is the number of those that are.
send_flows() {
	local i

	for ((i = 0; i < TARGETS; i++)); do
		"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -p $((5000 + i)) -c "$FLOWS" "${HOST_IP[1.0]}" \
			00 || return
	done
}

show() {
	"$CONGA" -n "${LEAF[0]}" -j flowlet show "$@"
}

all_are_shown() {
	send_flows && show >"$DIR/all" || return
	(($(jq length "$DIR/all") >= LIVE)) ||
		fail "only $(jq length "$DIR/all") entries are listed" || return
	[[ $(jq 'map(.hash) | unique | length' "$DIR/all") == "$(jq length "$DIR/all")" ]] ||
		fail "some entries are listed twice"
}

# Text and JSON are printed alike, in less memory than all entries would need.
in_little_memory() {
	send_flows || return
	(($(prlimit --data="$MEMORY" "$CONGA" -n "${LEAF[0]}" flowlet show | wc -l) >= LIVE)) ||
		fail "not all entries are listed as text" || return
	(($(prlimit --data="$MEMORY" "$CONGA" -n "${LEAF[0]}" -j flowlet show | jq length) >= LIVE)) ||
		fail "not all entries are listed as JSON"
}

# Each flowlet is on one uplink, and leads to one leaf.
by_leaf_and_port() {
	local all part=0 dev

	send_flows && all=$(show | jq length) || return
	for dev in up0 up1; do
		show port "$dev" >"$DIR/part" || return
		[[ $(jq -c 'map(.dev) | unique' "$DIR/part") == "[\"$dev\"]" ]] ||
			fail "port $dev has entries of:" \
				"$(jq -c 'map(.dev) | unique' "$DIR/part")" || return
		part=$((part + $(jq length "$DIR/part")))
	done
	[[ $part == "$all" && $(show leaf "${VTEP[1]}" | jq length) == "$all" ]] ||
		fail "$part entries are listed by port and" \
			"$(show leaf "${VTEP[1]}" | jq length) by leaf, of $all"
}

# The reader stops early, as head does: the tool prints no error, and does not wait.
readers_stop() {
	local first

	send_flows || return
	first=$(conga 0 flowlet show 2>"$DIR/said" | head -1)
	[[ $first == "hash "*" leaf ${VTEP[1]} dev up"*" idle "* && ! -s $DIR/said ]] ||
		fail "the first line is $first, the errors: $(<"$DIR/said")" || return
	(trap '' PIPE && exec "$CONGA" -n "${LEAF[0]}" flowlet show 2>"$DIR/said") | head -1 >/dev/null
	[[ ! -s $DIR/said ]] || fail "errors were printed: $(<"$DIR/said")"
}

# If the array never began, the output is empty.
refusal_prints_nothing() {
	local said status=0

	said=$(in_ns "${LEAF[0]}" setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all "$CONGA" -j flowlet show 2>/dev/null) || status=$?
	[[ $status == 1 && ! $said ]] || fail "the status is $status, the output: $said" || return
	[[ $(show port up0 leaf 10.9.9.9 2>&1) != '['* ]] || fail "an unknown leaf is accepted"
}

require_root
require_commands ip jq prlimit setpriv
require_module
tap_plan 5
setup || die "the fabric cannot be set up"
tap_test "64K flowlets are shown" all_are_shown
tap_test "64K flowlets are shown in little memory" in_little_memory
tap_test "flowlets are selected by leaf and port" by_leaf_and_port
tap_test "a reader that stops early causes no error" readers_stop
tap_test "a rejected request prints nothing" refusal_prints_nothing
tap_exit
