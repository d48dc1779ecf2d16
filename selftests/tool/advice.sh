#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "conga check" reports nothing on a healthy node. Each fault is reported when the test makes its
# cause, without other findings, and is no longer reported after the repair.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

unset -f jq			# the order of keys matters here

# A spine needs two links to each leaf, so that it has a choice.
TOPO_SPINES=1
TOPO_LINKS=2
FABRIC_RATE=1gbit
QUIET=				# leaves in mode auto send hellos
readonly WAIT_MS=30000
readonly HELLO=200ms

setup() {
	topo_up && fabric_up conga auto || return
	conga 0 fabric set hello "$HELLO" && conga 1 fabric set hello "$HELLO" || return
	ip -n "${LEAF[0]}" link add extra up type dummy
}

# ---- expectations ----

is_sound() {
	says 0 "" "$CONGA" -n "$1" check
}

# finds NAMESPACE "CHECK OBJECT"...: the findings are exactly these, in this order
finds() {
	local expected said status=0

	printf -v expected '%s\n' "${@:2}"
	said=$("$CONGA" -n "$1" -j check) || status=$?
	said=$(jq -r '.[] | .check + " " + .object' <<<"$said")
	[[ $said == "${expected%$'\n'}" ]] ||
		fail "check found: ${said//$'\n'/, }, expected: ${*:2}" || return
	((status == 1)) || fail "the status is $status in spite of findings"
}

# here COMMAND...: runs a command of ip on leaf 0
here() {
	ip -n "${LEAF[0]}" "$@"
}

# mended: removes the change of leaf 0, and the finding disappears
mended() {
	is_sound "${LEAF[0]}"
}

# ---- the form ----

# Leaves in mode auto must answer first.
leaf_answers() {
	conga "$1" -j leaf show | json_is 'length > 0 and all(.reason == "answers")'
}

sound_boxes_have_nothing() {
	local ns

	busywait "$WAIT_MS" leaf_answers 0 && busywait "$WAIT_MS" leaf_answers 1 ||
		fail "the leaves did not answer hellos: $(conga 0 leaf show)" || return
	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		is_sound "$ns" || return
	done
	says 0 "[]" "$CONGA" -n "${LEAF[0]}" -j check
}

# /proc/sys and the devices are those of the namespace by name.
findings_have_a_form() {
	local text

	here link set up0 mtu 1540 || return
	text="error: up0: has an MTU of 1540, too small for packets of vx, 1550 bytes with their headers; \
set the MTU of every link between leaves to 1550 at least, at both ends, or that of vx to 1490 at most
warning: up0: has an MTU of 1540, smaller than that of up1, 1600; give all uplinks the same MTU"
	says 1 "$text" "$CONGA" -n "${LEAF[0]}" check &&
		says 1 "$text" in_ns "${LEAF[0]}" "$CONGA" check || return
	text='[{"check":"mtu_differs","severity":"warning","object":"up0","finding":"has an MTU of 1540, smaller than that of up1, 1600","advice":"give all uplinks the same MTU"}]'
	[[ $(conga 0 -j check | jq -c '.[1:]') == "$text" ]] || fail "$(conga 0 -j check)" || return
	here link set up0 mtu "$TOPO_FABRIC_MTU" && mended
}

# ---- tunnels ----

# Devices that are down have no socket, so several devices may share the port.
tunnel() {
	here link add "$1" mtu 1400 type vxlan "${@:2}"
}

no_local_is_found() {
	tunnel other id 200 dstport 4789 && finds "${LEAF[0]}" "vxlan_local other" || return
	here link del other && mended && tunnel elsewhere id 200 dstport 8472 && mended &&
		here link del elsewhere || return
	here link add told mtu 65000 type vxlan external dstport 4789 && mended && here link del told
}

two_locals_are_found() {
	tunnel other id 200 local 10.9.9.9 dstport 4789 &&
		finds "${LEAF[0]}" "vxlan_locals other" && here link del other || return
	tunnel other id 200 local "${VTEP[0]}" dstport 4789 &&
		tunnel six id 201 local fd00::99 dstport 4789 && mended &&
		here link del other && here link del six
}

gbp_is_found() {
	tunnel other id 200 local "${VTEP[0]}" dstport 4789 gbp &&
		finds "${LEAF[0]}" "vxlan_gbp other" && here link del other && mended
}

# IPv6 needs 20 bytes more.
mtu_is_found() {
	here link set up1 mtu 1549 &&
		finds "${LEAF[0]}" "mtu up1" "mtu_differs up1" && here link set up1 mtu 1550 &&
		finds "${LEAF[0]}" "mtu_differs up1" && here link set up0 mtu 1550 && mended || return
	here link add six mtu 1500 type vxlan id 201 local fd00::99 dstport 4789 &&
		finds "${LEAF[0]}" "mtu up0" "mtu up1" && here link set six mtu 1480 && mended &&
		here link del six || return
	here link set up0 mtu "$TOPO_FABRIC_MTU" && here link set up1 mtu "$TOPO_FABRIC_MTU" && mended
}

# ---- ports ----

stacked_vlan_is_found() {
	here link add link up0 name up0.9 up type vlan id 9 &&
		conga 0 port add up0.9 role transit rate 1gbit 2>/dev/null &&
		finds "${LEAF[0]}" "stacked up0.9" && conga 0 port del up0.9 && mended || return
	here link del up0.9
}

# A member refers to its bond, and the bond does not refer to its members.
stacked_bond_is_found() {
	here link add bundle type bond && here link set extra down &&
		here link set extra master bundle && here link set bundle up || return
	conga 0 port add bundle role transit rate 1gbit &&
		conga 0 port add extra role transit rate 1gbit 2>/dev/null &&
		finds "${LEAF[0]}" "stacked bundle" || return
	here link add link bundle name bundle.9 up type vlan id 9 && conga 0 port del bundle &&
		conga 0 port add bundle.9 role transit rate 1gbit 2>/dev/null &&
		finds "${LEAF[0]}" "stacked bundle.9" || return
	conga 0 port del bundle.9 && conga 0 port del extra && mended || return
	here link del bundle && here link set extra up
}

# The two ends of a veth on one node lie side by side.
veth_is_not_stacked() {
	here link add left up type veth peer name right && here link set right up || return
	conga_batch "${LEAF[0]}" <<-END && mended || return
		port add left role transit rate 1gbit
		port add right role transit rate 1gbit
	END
	here link del left && mended
}

claimed_rate_is_found() {
	conga 0 port set up1 rate auto && finds "${LEAF[0]}" "rate up1" &&
		conga 0 port set up1 rate 1gbit && mended
}

unused_uplink_is_found() {
	conga 0 port add extra role uplink rate 1gbit &&
		finds "${LEAF[0]}" "mtu extra" "mtu_differs extra" "uplink_unused extra" &&
		here link set extra mtu "$TOPO_FABRIC_MTU" &&
		finds "${LEAF[0]}" "uplink_unused extra" && conga 0 port del extra && mended
}

# ---- leaves ----

unreachable_leaf_is_found() {
	conga 0 leaf add 10.0.0.99 mode plain && finds "${LEAF[0]}" "leaf_no_path 10.0.0.99" &&
		conga 0 leaf del 10.0.0.99 && mended
}

hello_off_is_found() {
	conga 0 fabric set hello off && finds "${LEAF[0]}" "hello_off ${VTEP[1]}" || return
	conga 0 leaf set "${VTEP[1]}" mode plain && mended &&
		conga 0 fabric set hello "$HELLO" && conga 0 leaf set "${VTEP[1]}" mode auto
}

sound_at_last() {
	busywait "$WAIT_MS" leaf_answers "$1" && is_sound "${LEAF[$1]}"
}

other_q_is_found() {
	conga 1 fabric set q 4 && busywait "$WAIT_MS" finds "${LEAF[0]}" "leaf_differs ${VTEP[1]}" ||
		return
	[[ $(conga 0 check) == "warning: ${VTEP[1]}: "*"; set the same q on every node of the fabric: conga fabric set q N" ]] ||
		fail "$(conga 0 check)" || return
	conga 1 fabric set q 3 && busywait "$WAIT_MS" sound_at_last 0
}

other_metric_is_found() {
	conga 1 fabric set metric sum &&
		busywait "$WAIT_MS" finds "${LEAF[0]}" "leaf_differs ${VTEP[1]}" || return
	[[ $(conga 0 check) == "warning: ${VTEP[1]}: has another metric: sum; set the same metric on every node of the fabric: conga fabric set metric { max | sum }" ]] ||
		fail "$(conga 0 check)" || return
	conga 1 fabric set metric max && busywait "$WAIT_MS" sound_at_last 0
}

# Mode auto reacts by itself, and mode conga continues to stamp.
unheard_leaf_is_found() {
	conga 1 fabric del || return
	busywait "$WAIT_MS" leaf_is_plain ||
		fail "the leaf did not become plain: $(conga 0 leaf show)" || return
	[[ $(conga 0 check) == "note: ${VTEP[1]}: sent a goodbye message, "* ]] &&
		conga_1_returns || fail "$(conga 0 leaf show)" || return
	conga 0 leaf set "${VTEP[1]}" mode conga &&
		busywait "$WAIT_MS" is_sound "${LEAF[0]}" || fail "$(conga 0 check)" || return
	conga 1 fabric del &&
		busywait "$WAIT_MS" finds "${LEAF[0]}" "leaf_unheard ${VTEP[1]}" ||
		fail "$(conga 0 check) $(conga 0 leaf show)" || return
	conga_1_returns && busywait "$WAIT_MS" is_sound "${LEAF[0]}" &&
		conga 0 leaf set "${VTEP[1]}" mode auto && busywait "$WAIT_MS" sound_at_last 0
}

conga_1_returns() {
	fabric_leaf 1 conga auto && conga 1 fabric set hello "$HELLO" &&
		busywait "$WAIT_MS" leaf_answers 1
}

never_heard_leaf_is_found() {
	conga 0 leaf add 10.0.0.97 mode conga &&
		finds "${LEAF[0]}" "leaf_no_path 10.0.0.97" "leaf_unheard 10.0.0.97" &&
		conga 0 leaf set 10.0.0.97 mode plain && finds "${LEAF[0]}" "leaf_no_path 10.0.0.97" &&
		conga 0 leaf del 10.0.0.97 && mended
}

leaf_is_plain() {
	[[ $(conga 0 -j leaf show | jq -r '.[].state') == plain ]]
}

# ---- forwarding ----

# spine_sysctl SETTING...
spine_sysctl() {
	in_ns "${SPINE[0]}" sysctl -qw "$@"
}

# In the fields of hash policy 3 bit 4 is the source port. A node that does not forward has no
# choice.
hash_policy_is_found() {
	local name=net.ipv4.fib_multipath_hash_policy policy

	for policy in 0 2; do
		spine_sysctl "$name=$policy" && finds "${SPINE[0]}" "hash_policy $name" || return
	done
	spine_sysctl net.ipv4.ip_forward=0 && is_sound "${SPINE[0]}" &&
		spine_sysctl net.ipv4.ip_forward=1 "$name=1" && is_sound "${SPINE[0]}" &&
		spine_sysctl "$name=3" net.ipv4.fib_multipath_hash_fields=3 &&
		finds "${SPINE[0]}" "hash_policy $name" || return
	[[ $("$CONGA" -n "${SPINE[0]}" check) == *"; hash ports: sysctl -w $name=1" ]] ||
		fail "$("$CONGA" -n "${SPINE[0]}" check)" || return
	spine_sysctl "net.ipv4.fib_multipath_hash_fields=$TOPO_SPINE_FIELDS" && is_sound "${SPINE[0]}"
}

# A single path to a leaf is no choice, whatever the hash is. The route returns afterwards.
one_way_needs_no_hash() {
	local way rest

	rest=$(ip -n "${SPINE[0]}" route show "${VTEP[0]}")
	way=$(ip -n "${SPINE[0]}" route show "${VTEP[1]}")
	spine_sysctl net.ipv4.fib_multipath_hash_policy=0 || return
	topo_link_addresses 0 0 0
	ip -n "${SPINE[0]}" route replace "${VTEP[0]}" via "$LEAF_END" || return
	topo_link_addresses 1 0 0
	ip -n "${SPINE[0]}" route replace "${VTEP[1]}" via "$LEAF_END" && is_sound "${SPINE[0]}" || return
	# shellcheck disable=SC2086 # lists of words
	ip -n "${SPINE[0]}" route replace $rest && ip -n "${SPINE[0]}" route replace $way &&
		finds "${SPINE[0]}" "hash_policy net.ipv4.fib_multipath_hash_policy" &&
		spine_sysctl net.ipv4.fib_multipath_hash_policy=3 && is_sound "${SPINE[0]}"
}

# The setting applies if it is made for all devices or for the device itself.
linkdown_is_found() {
	local name=net.ipv4.conf.all.ignore_routes_with_linkdown

	spine_sysctl net.ipv4.conf.{all,down0/0,down1/1}.ignore_routes_with_linkdown=0 &&
		finds "${SPINE[0]}" "linkdown $name" && spine_sysctl "$name=1" && is_sound "${SPINE[0]}" &&
		spine_sysctl "$name=0" net.ipv4.conf.{down0/0,down1/1}.ignore_routes_with_linkdown=1 &&
		is_sound "${SPINE[0]}"
}

no_fabric_is_said() {
	refused "There is no fabric in this network namespace, add one first" -n "${HOST[0.0]}" check
}

require_root
require_commands ip jq sysctl
require_module
tap_plan 21
setup || die "the fabric cannot be set up"
tap_test "conga check reports nothing about sound nodes" sound_boxes_have_nothing
tap_test "a finding is one line of text, or one JSON object" findings_have_a_form
tap_test "a missing fabric is reported" no_fabric_is_said
tap_test "a tunnel without a local address is found" no_local_is_found
tap_test "tunnels with different local addresses are found" two_locals_are_found
tap_test "a tunnel with Group Based Policy is found" gbp_is_found
tap_test "MTUs that are too small or differ are found" mtu_is_found
tap_test "a port on a VLAN of another port is found" stacked_vlan_is_found
tap_test "a port on a member of a bond is found, also by a VLAN" stacked_bond_is_found
tap_test "the two ends of a veth are not reported as ports above each other" veth_is_not_stacked
tap_test "a rate that only the device claims is found" claimed_rate_is_found
tap_test "an uplink that no route uses is found" unused_uplink_is_found
tap_test "a leaf that no route leads to is found" unreachable_leaf_is_found
tap_test "hello off with a leaf in mode auto is found" hello_off_is_found
tap_test "a leaf with another q is found" other_q_is_found
tap_test "a leaf with another metric is found" other_metric_is_found
tap_test "a leaf in mode conga that sent a goodbye message is found" unheard_leaf_is_found
tap_test "a leaf in mode conga that never answered is found" never_heard_leaf_is_found
tap_test "a spine that does not hash UDP ports is found" hash_policy_is_found
tap_test "a spine with a single path is not asked to hash ports" one_way_needs_no_hash
tap_test "routes by links that are down are found" linkdown_is_found
tap_exit
