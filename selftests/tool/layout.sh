#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The layout of text. With -o every object is one line, in which a backslash stands for each end of
# a line; with -br ports, leaves and paths are tables whose columns are aligned. JSON does not change.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly WAIT_MS=30000

box() {
	"$CONGA" -n "$BOX" "$@"
}

box_up() {
	BOX=layout-$(mktemp -u XXXXXX)
	# The kernel sends no packets of its own, which ports would count.
	ip netns add "$BOX" && defer "ip netns del $BOX" &&
		in_ns "$BOX" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		ip -n "$BOX" link add d0 up type dummy && ip -n "$BOX" link add a-long-name type dummy &&
		ip -n "$BOX" link add d2 up type dummy && box -b - <<-END
			fabric add hello off leaf-id 7
			port add d0 role uplink rate 1gbit
			port add a-long-name role uplink tag 11 rate 40gbit drain on
			port add d2 role transit rate 10gbit
			leaf add 10.0.0.12 mode conga
			leaf add fd00::12 mode plain
		END
}

# joined: joins the indented lines of an object to the first one
joined() {
	sed -e ':next' -e '$!N' -e 's/\n /\\ /' -e 't next' -e 'P' -e 'D'
}

# one_line COUNT WORD...: the command prints so many lines with -o, which are those without, joined
one_line() {
	local expected

	expected=$(box "${@:2}" | joined)
	[[ $(wc -l <<<"$expected") == "$1" ]] || fail "${*:2} has other objects: $expected" || return
	says 0 "$expected" box -o "${@:2}" && says 0 "$expected" box --oneline "${@:2}"
}

objects_are_lines() {
	one_line 7 && one_line 7 -s && one_line 3 -s port show && one_line 1 fabric show &&
		one_line 1 -d fabric show && one_line 4 path show && one_line 1 path get 10.0.0.12 &&
		one_line "$(box -j policy list | jq length)" policy list &&
		one_line 1 stats explain rx_not_port || return
	[[ $(box -o) == *$'\n10.0.0.12 '*'\    dev d0 '*'\    dev a-long-name '*$'\nfd00::12 '* ]] ||
		fail "the overview is: $(box -o)"
}

# Each counter has a line of its own without -o.
counters_are_one_line() {
	local lines

	lines=$(box stats show all)
	says 0 "${lines//$'\n'/\\}" box -o stats show all
}

no_fabric_is_a_line() {
	ip netns add "$BOX-none" && defer "ip netns del $BOX-none" || return
	[[ $("$CONGA" -n "$BOX-none" -o | od -c) == "$("$CONGA" -n "$BOX-none" | od -c)" &&
		$("$CONGA" -n "$BOX-none" -o | wc -l) == 1 ]] ||
		fail "it prints: $("$CONGA" -n "$BOX-none" -o)"
}

# Two rows need packets of the other leaf by both uplinks. Each of these datagrams is a flow of its
# own, and draws its uplink.
table_has_rows() {
	"$TESTS/tools/vxlan_send" -n "${HOST[1.0]}" -c 20 -l 100 -p 9 "${HOST_IP[0.0]}" -
	conga 0 table show from-leaf >"$TOPO_DIR/table" && [[ $(wc -l <"$TOPO_DIR/table") -ge 4 ]]
}

table_is_a_line() {
	local said

	topo_up && fabric_up conga conga || return
	busywait "$WAIT_MS" table_has_rows || fail "the table has no rows" || return
	said=$(conga 0 -o table show from-leaf)
	[[ $said =~ ^from-leaf\ 10.0.0.12\\\ +tag\ +metric\ +age(\\\ +[01]\ +[0-9]+/7\ +[0-9.]+[nmu]?s(\ changed)?){2}$ &&
		$(wc -l <<<"$said") == 1 ]] || fail "the table is: $said"
}

readonly PORT_TABLE="d0           up    uplink   tag 0   1Gbit   metric 0
a-long-name  down  uplink   tag 11  40Gbit  metric 0  drain
d2           up    transit  -       10Gbit  metric 0"
readonly LEAF_TABLE="10.0.0.12  conga  paths 0/2  conga
fd00::12   plain  paths 0/2  plain"
readonly PATH_TABLE="10.0.0.12  d0           down  tag 0   local 0  remote 0
10.0.0.12  a-long-name  down  tag 11  local 0  remote 0
fd00::12   d0           down  tag 0   local 0  remote 0
fd00::12   a-long-name  down  tag 11  local 0  remote 0"

columns_are_aligned() {
	local option

	for option in -br -brief --brief; do
		says 0 "$PORT_TABLE" box "$option" port show && says 0 "$LEAF_TABLE" box "$option" leaf show &&
			says 0 "$PATH_TABLE" box "$option" path show || return
	done
	says 0 "d2  up  transit  -  10Gbit  metric 0" box -br port show d2 &&
		says 0 "10.0.0.12  conga  paths 0/2  conga" box -br leaf show 10.0.0.12 &&
		says 0 "$(box fabric show)
$PORT_TABLE
$LEAF_TABLE
$PATH_TABLE" box -br
}

colors_need_no_room() {
	[[ $(box -c -br port show) == *$'\033[32mup\033[0m    uplink '* &&
		$(box -c -br port show | sed 's/\x1b\[[0-9]*m//g') == "$PORT_TABLE" ]] ||
		fail "it prints: $(box -c -br port show | cat -v)"
}

# Without a table the usual text is printed; an empty list is empty.
rest_stays() {
	local object

	for object in "fabric show" "policy list" "stats show all" "path get 10.0.0.12"; do
		# shellcheck disable=SC2086 # words
		says 0 "$(box $object)" box -br $object || return
	done
	for object in fabric port leaf path; do
		says 0 "$(box -j "$object" show)" box -j -br -o "$object" show || return
	done
	box leaf del 10.0.0.12 && box leaf del fd00::12 && says 0 "" box -br leaf show
}

tap_plan 7
require_root
require_commands ip jq ping
require_module
box_up || die "cannot set up"
tap_test "with -o an object is a line" objects_are_lines
tap_test "with -o all counters are a line" counters_are_one_line
tap_test "with -o a node without a fabric is a line" no_fabric_is_a_line
tap_test "with -br columns are aligned" columns_are_aligned
tap_test "colors do not move the columns" colors_need_no_room
tap_test "what has no table, and JSON, do not change" rest_stays
tap_test "with -o a table of metrics is a line" table_is_a_line
tap_exit
