#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets in transit. If no spine, or only some of the spines, mark packets, the leaves still work
# with the loads of their own links. Reserved bits of other protocols pass through a leaf's and a
# spine's ports that mark packets, and through a leaf's hook: they arrive as they were sent, and
# the module learns nothing from them.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tables.sh"

TOPO_LINKS=1

readonly OTHER_PORT=8472	# a port of the fabric, but not of a vxlan device
readonly SINK=9
readonly FLOWS=30
readonly PATIENCE_MS=5000
readonly SLOW=1mbit FAST=1tbit	# port rates: every packet fills the DRE, or none does

# ---- set up ----

# The tables keep the learnt metrics long enough for a test to read them.
leaf_up() {
	local l=$1

	conga_batch "${LEAF[l]}" <<-END
		fabric add $QUIET tdre 1us alpha 0.5 age 10s policy ecmp dstport 4789 dstport $OTHER_PORT
		port add up0 role uplink rate $FAST tag 4
		port add up1 role uplink rate $FAST tag 7
		leaf add ${VTEP[1 - l]} mode conga
	END
}

marking_spine_up() {
	conga_batch "${SPINE[0]}" <<-END
		fabric add $QUIET tdre 1us alpha 0.5 dstport 4789 dstport $OTHER_PORT
		port add down0.0 role transit rate $SLOW
		port add down1.0 role transit rate $SLOW
	END
}

# hears NAME NAMESPACE PORT: the datagrams that arrive at the port go to this file
hears() {
	"$TESTS/tools/udp_listen" "$2" "$3" >"$TOPO_DIR/$1" &
	busywait "$PATIENCE_MS" grep -qs listening "$TOPO_DIR/$1"
}

setup() {
	topo_up && tunnel_says_nothing && leaf_up 0 && leaf_up 1 || return
	SPINE_MAC=$(ip -n "${SPINE[0]}" -br link show down0.0 | awk '{ print $3 }')
	hears host0 "${HOST[0.0]}" "$SINK" && hears host1 "${HOST[1.0]}" "$SINK" &&
		hears leaf1 "${LEAF[1]}" "$OTHER_PORT"
}

# ---- traffic between hosts ----

lines_are() {
	(($(wc -l <"$TOPO_DIR/$1") == $2))
}

# flows_cross FROM TO: sends flows of one datagram each
flows_cross() {
	local before

	before=$(wc -l <"$TOPO_DIR/host$2")
	"$TESTS/tools/vxlan_send" -n "${HOST[$1.0]}" -c "$FLOWS" -p "$SINK" "${HOST_IP[$2.0]}" c0ffee || return
	busywait "$PATIENCE_MS" lines_are "host$2" $((before + FLOWS)) ||
		fail "$(($(wc -l <"$TOPO_DIR/host$2") - before)) of $FLOWS datagrams arrived"
}

flows_cross_both_ways() {
	flows_cross 0 1 && flows_cross 1 0
}

# table_is LEAF TABLE METRIC METRIC: checks the metrics of LBTags 4 and 7
table_is() {
	local other=${VTEP[1 - $1]}

	if [[ $2 == to-leaf ]]; then
		table_has "$1" to-leaf "$other" 4 7 && fed_back "$1" "$other" "4=$3" "7=$4"
		return
	fi
	table_rows "$1" "$2" "$other" || return
	[[ $ROWS == "4=$3 7=$4" ]] || fail "table $2 of leaf $1 has $ROWS, expected 4=$3 7=$4"
}

ports_are() {
	printf 'port set up%s rate %s\n' 0 "$2" 1 "$3" | conga_batch "${LEAF[$1]}"
}

# Leaf 0 reports that its up1 is full, and leaf 1 reports that both of its uplinks are idle.
no_spine_marks() {
	ports_are 0 "$FAST" "$SLOW" && flows_cross_both_ways && flows_cross_both_ways || return
	table_is 1 from-leaf 0 7 && table_is 0 to-leaf 0 7 &&
		table_is 0 from-leaf 0 0 && table_is 1 to-leaf 0 0
}

# The roles are now exchanged, so that no old metric remains: only spine 0 reports congestion.
one_spine_marks() {
	ports_are 0 "$FAST" "$FAST" && marking_spine_up || return
	flows_cross_both_ways && flows_cross_both_ways || return
	table_is 1 from-leaf 7 0 && table_is 0 to-leaf 7 0 &&
		table_is 0 from-leaf 7 0 && table_is 1 to-leaf 7 0
}

# ---- reserved bits of others ----

# by_spine [OPTION VALUE]... DATAGRAM...: sends by the uplink to the marking spine, past leaf 0's
# IP layer
by_spine() {
	local options=()

	while [[ $1 == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -d up0 -m "$SPINE_MAC" -p "$OTHER_PORT" \
		-s "${VTEP[0]}" "${options[@]}" "${VTEP[1]}" "$@"
}

# heard_is DATAGRAM...: since the last call leaf 1 has received exactly these
heard_is() {
	local all

	busywait "$PATIENCE_MS" lines_are leaf1 $((HEARD + $#))
	mapfile -t -s "$HEARD" all <"$TOPO_DIR/leaf1"
	HEARD=$((HEARD + ${#all[@]}))
	[[ ${all[*]} == "$*" ]] || fail "the headers are ${all[*]}, expected: $*"
}

# Prints both tables of leaf 1, without the fields that time changes.
tables() {
	printf 'table show %s\n' to-leaf from-leaf | "$CONGA" -n "${LEAF[1]}" -j -b - |
		sed -E 's/,"age_ns":[0-9]+//g; s/,"metric":[0-9]+}/}/g'
}

marked() {
	TABLES=$(tables)
	stats_mark "${LEAF[0]}"
	stats_mark "${SPINE[0]}"
	stats_mark "${LEAF[1]}"
}

# nobody_cares COUNTERS: these are the counters of leaf 1; the ports of the other nodes changed
# nothing
nobody_cares() {
	stats_moved "${LEAF[1]}" "$1" && stats_moved "${SPINE[0]}" "" &&
		stats_moved "${LEAF[0]}" "" || return
	[[ $(tables) == "$TABLES" ]] ||
		fail "the tables of leaf 1 changed: $(tables), before: $TABLES"
}

readonly VNI=00006400 BODY=c0ffee

# The headers are a stamp without bit 8; byte 3; byte 7; other flags, alone and with the bits of a
# stamp; and all flags.
readonly -a FOREIGN=(08f6fe00 08000080 0841010000006401 08410100000064ff 0cf6fe01 0a000000
	09410100 18410100 28410100 48410100 ffffffffffffffff)
# Group Based Policy has bit 8 in its group, and its flags at the place of CE.
readonly -a GBP=(88000100 8800ffff 88480100 8840ff01)
# These headers lack the flag of a valid VNI.
readonly -a MALFORMED=(00410100 04410100 f7ffffffffffffff)

# passes COUNTER HEADER...: adds a VNI to a header of four bytes
passes() {
	local counter=$1 header
	local -a datagrams=()

	for header in "${@:2}"; do
		((${#header} > 8)) || header+=$VNI
		datagrams+=("$header$BODY")
	done
	marked
	by_spine "${datagrams[@]}" && heard_is "${datagrams[@]}" &&
		nobody_cares "$counter=${#datagrams[@]}"
}

# This is the control: a stamp with CE 1, sent by the same path.
stamp_is_marked() {
	stats_mark "${SPINE[0]}"
	stats_mark "${LEAF[1]}"
	by_spine "08420100$VNI$BODY" && heard_is "08000000$VNI$BODY" || return
	stats_moved "${SPINE[0]}" "ce_raised=1" &&
		stats_moved "${LEAF[1]}" "rx_stamped=1 rx_learnt=1" || return
	table_rows 1 from-leaf "${VTEP[0]}" || return
	[[ " $ROWS " == *" 4=7 "* ]] ||
		fail "the from-leaf table lacks the metric 7: $(tables)"
}

# Leaf 0's own uplink is full, and a stamp would show it. With four bytes cut off, the IP packet
# ends amid the VXLAN header, and the module must not touch it. With three the header is just
# complete.
beyond_ip_is_nobodys() {
	ports_are 0 "$SLOW" "$SLOW" || return
	stats_mark "${LEAF[0]}"
	by_spine -e 4 "08420100$VNI$BODY" && stats_moved "${LEAF[0]}" "" || return
	by_spine -e 3 "08420100$VNI$BODY" && stats_moved "${LEAF[0]}" "ce_raised=1"
}

underlay() {
	TOPO_UNDERLAY=$1 HEARD=1
	setup || die "cannot set up"
	tap_test "v$1: when no spine marks, the leaves' own metrics are fed back" no_spine_marks
	tap_test "v$1: when one spine marks, its metrics are fed back" one_spine_marks
	tap_test "v$1: foreign use of reserved bits passes unchanged" \
		passes rx_foreign "${FOREIGN[@]}"
	tap_test "v$1: Group Based Policy passes unchanged" passes rx_foreign "${GBP[@]}"
	tap_test "v$1: malformed VXLAN passes unchanged" passes rx_malformed "${MALFORMED[@]}"
	tap_test "v$1: a stamp on the same path is marked" stamp_is_marked
	tap_test "v$1: a header that is cut by IP's length passes unchanged" beyond_ip_is_nobodys
	topo_down
}

tap_plan 14
require_root
require_commands ip sysctl
require_module
underlay 4
underlay 6
tap_exit
