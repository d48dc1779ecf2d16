#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A link behind a spine loses packets above a size without an error, while small ones pass: a path
# with such a link is narrow. Hellos of full size detect it. Large datagrams then use the other
# path, TCP continues, `path show` and an event give the reason, and a path that is wide again
# returns. If all paths are narrow, none is out for this reason. A path whose reverse direction
# alone is narrow is not narrow. The tests cover IPv4 and IPv6.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/tcp.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms
FABRIC_RATE=1tbit		# so fast that CE stays 0

readonly BYTES=1400		# length of an IP packet that passes
readonly COUNT=200		# flows of one large datagram each
readonly LARGE=1450		# bytes of a large datagram

# ---- links ----

# narrow SPINE LEAF: limits the packets that the spine sends to the leaf
narrow() {
	in_ns "${SPINE[$1]}" nft -f - <<-END
	table inet narrow {
		counter swallowed { }
		chain forward {
			type filter hook forward priority 0;
			oifname "down$2.0" meta length > $BYTES counter name swallowed drop
		}
	}
	END
}

wide() {
	in_ns "${SPINE[$1]}" nft delete table inet narrow
}

# swallowed SPINE: sets SWALLOWED to the packets that it lost
swallowed() {
	local list

	list=$(in_ns "${SPINE[$1]}" nft list counter inet narrow swallowed) || return
	[[ $list =~ packets\ ([0-9]+) ]] && SWALLOWED=${BASH_REMATCH[1]}
}

# ---- paths ----

# paths_are LEAF "STATE ...": the states of its uplinks, "usable" or the reason why not
paths_are() {
	local paths

	paths=$(conga "$1" -j path show | jq -r 'map(.reason // .state) | join(" ")')
	[[ $paths == "$2" ]] || fail "leaf $1 has paths \"$paths\", expected \"$2\""
}

# Waits for rounds in which each path got a hello, and could have been found narrow.
pause_measured() {
	pause_rounds && pause_rounds
}

# ---- traffic ----

# large_flows DEVICE...: sends one large datagram for each device, all of which arrive by these
# uplinks
large_flows() {
	flows_send "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "$LARGE" &&
		flows_arrive "$COUNT" "${HOST[1.0]}" eth0 && flows_left "${LEAF[0]}" || return
	flows_spread "$COUNT" "$@"
}

transfer() {
	tcp_crosses -C 1e8 -l 1 -S 100000 -n 24 -c 12 -D 20
}

# ---- tests ----

all_wide() {
	pause_measured && paths_are 0 "usable usable" && paths_are 1 "usable usable" &&
		large_flows up0 up1
}

becomes_narrow() {
	local since

	stats_mark "${LEAF[0]}"
	since=$(now_ms)
	narrow 0 1 && events_have "up0 narrow" && paths_are 0 "narrow usable" || return
	echo "# narrow after $((EVENT_MS - since)) ms"
	large_flows up1 && stats_grew "${LEAF[0]}" path_narrow=1 && stat_has hello_missed &&
		leaf_is 0 "conga answers" || return
	[[ $(stats_growth "${LEAF[0]}") != *path_silent* ]] ||
		fail "the narrow path is reported as silent" || return
	[[ $(conga 0 path show) == *"dev up0"*"(the path loses large packets, small ones pass)"* ]] ||
		fail "$(conga 0 path show)"
}

# The leaf sends large bursts as one packet.
tcp_goes_on() {
	local before

	swallowed 0 && before=$SWALLOWED && transfer && swallowed 0 || return
	# Hellos of full size are sent once a round.
	((SWALLOWED - before <= 60)) || fail "$((SWALLOWED - before)) packets were swallowed"
}

other_leaf_is_well() {
	paths_are 1 "usable usable"
}

becomes_wide() {
	stats_mark "${LEAF[0]}"
	wide 0 && events_have "up0 usable" && paths_are 0 "usable usable" && large_flows up0 up1 &&
		stats_grew "${LEAF[0]}" path_answers=1
}

# Neither path is better, and small packets pass.
all_narrow() {
	local status=0

	narrow 0 1 && narrow 1 1 || return
	soon paths_are 0 "narrow narrow" && leaf_is 0 "conga answers" &&
		flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${LEAF[0]}" &&
		flows_spread "$COUNT" up0 up1 || status=1
	wide 1 && soon paths_are 0 "narrow usable" && large_flows up1 || status=1
	wide 0 && soon paths_are 0 "usable usable" || return
	return "$status"
}

# The packets that are lost in the reverse direction are large packets of leaf 1, not answers.
narrow_back() {
	local status=0

	narrow 0 0 && soon paths_are 1 "narrow usable" && pause_measured &&
		paths_are 0 "usable usable" && large_flows up0 up1 || status=1
	wide 0 && soon paths_are 1 "usable usable" || return
	return "$status"
}

# This tunnel sends no large packets, so the largest size that its path carries does not matter.
# Those of a tunnel of the other IP version go to other leaves.
small_tunnel() {
	local -A far=([4]=fd00::ffff [6]=192.0.2.255)
	local status=0

	ip -n "${LEAF[0]}" link add other mtu 1500 up type vxlan id 77 dstport 4789 \
		remote "${far[$TOPO_UNDERLAY]}" || return
	ip -n "${LEAF[0]}" link set vx mtu 1200 && narrow 0 1 && pause_measured &&
		paths_are 0 "usable usable" || status=1
	ip -n "${LEAF[0]}" link set vx mtu 1500 && soon paths_are 0 "narrow usable" || status=1
	ip -n "${LEAF[0]}" link del other
	wide 0 && soon paths_are 0 "usable usable" || return
	return "$status"
}

# A silent path is a different fault: hellos of any size are lost.
dead_is_silent() {
	local status=0

	stats_mark "${LEAF[0]}"
	control_drop "${LEAF[0]}" up0 && soon paths_are 0 "silent usable" || status=1
	[[ $(stats_growth "${LEAF[0]}") != *path_narrow* ]] ||
		fail "the silent path is reported as narrow" || status=1
	control_pass "${LEAF[0]}" && soon paths_are 0 "usable usable" || return
	return "$status"
}

# No hello of full size goes to a leaf that is plain.
plain_is_not_asked() {
	conga 0 leaf set "${VTEP[1]}" mode plain && narrow 0 1 && pause_measured &&
		paths_are 0 "usable usable" && swallowed 0 || return
	((SWALLOWED == 0)) || fail "$SWALLOWED large packets were sent to a plain leaf" || return
	wide 0 && conga 0 leaf set "${VTEP[1]}" mode auto && leaf_becomes 0 "conga answers"
}

setup() {
	topo_up && tunnel_says_nothing && fabric_up conga auto && pin "${HOST[1.0]}" &&
		leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers" && events_start 0 &&
		flows_end "${HOST[1.0]}" eth0 && flows_count "${LEAF[0]}" up0 up1
}

# underlay VERSION
underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1, paths that take large packets are used" all_wide
	tap_test "v$1: a path that swallows large packets is left out, and shown as narrow" \
		becomes_narrow
	tap_test "v$1: TCP continues on the other path" tcp_goes_on
	tap_test "v$1: a path that is narrow in one direction is used in the other" \
		other_leaf_is_well
	tap_test "v$1: a path that is wide again is used again" becomes_wide
	tap_test "v$1: when all paths are narrow none is left out, and small packets use both" \
		all_narrow
	tap_test "v$1: a path that is narrow on the reply path alone is used" narrow_back
	tap_test "v$1: a narrow path is used when no tunnel sends packets that large" small_tunnel
	tap_test "v$1: a path that loses all packets is silent, not narrow" dead_is_silent
	tap_test "v$1: a plain leaf is sent no full-size hello" plain_is_not_asked
	topo_down
}

tap_plan 20
require_root
require_commands ip jq nft
require_module
underlay 4
underlay 6
tap_exit
