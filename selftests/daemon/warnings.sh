#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The daemon says which tunnels it cannot serve, once, in a sentence that names the device and the
# remedy, and again only after the state had ended. The remedies help.
#
# The tests examine leaf 0, whose own tunnel, vx, gives no reason for a warning. The kernel lets no
# external device share the UDP port of vx, so the fabric lists 4790, too.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/daemon.sh"

TOPO_LINKS=1

readonly ZERO=00:00:00:00:00:00
readonly ELSEWHERE="so congad adds no leaves for it"

external_sentence() {
	echo "vxlan $1 is external: $2 chooses its destinations, and no forwarding table has them,\
 $ELSEWHERE; add each other node by \"conga leaf add ADDR\""
}

# warned TIMES SENTENCE: the log has it so often, also after two more looks
warned() {
	says_soon "${LEAF[0]}" "$2" && daemon_looked && daemon_looked || return
	(($(grep -cxF "congad: $2" "$(log_of "${LEAF[0]}")") == $1)) ||
		fail "\"$2\" is not $1 times in the log: $(<"$(log_of "${LEAF[0]}")")"
}

# silent PATTERN...: no line of a log that begins now matches after two looks
silent() {
	local pattern

	daemon_restart "${LEAF[0]}" && daemon_looked && daemon_looked || return
	for pattern in "$@"; do
		(($(times_said "${LEAF[0]}" "$pattern") == 0)) ||
			fail "congad logged $(<"$(log_of "${LEAF[0]}")")" || return
	done
}

nothing_to_say() {
	silent "(vxlan|bridge|geneve) .*"
}

# The warning ends with a forwarding entry, and comes again when the entry goes.
external_is_named() {
	local sentence

	sentence=$(external_sentence vxm "another program")
	leaf_ip link add vxm up type vxlan external dstport 4790 && warned 1 "$sentence" &&
		leaf_fdb append "$ZERO" dev vxm dst 10.0.9.6 src_vni 1000 self permanent &&
		leaf_is 10.0.9.6 auto auto && daemon_looked && warned 1 "$sentence" &&
		leaf_fdb del "$ZERO" dev vxm dst 10.0.9.6 src_vni 1000 self && daemon_looked &&
		warned 2 "$sentence"
}

operators_leaf_ends_it() {
	conga 0 leaf add 10.0.9.7 && silent "vxlan .*" || return
	conga 0 leaf del 10.0.9.7 && warned 1 "$(external_sentence vxm "another program")"
}

# Its bridge asks its forwarding table, which BGP fills later.
bridged_external_is_awaited() {
	leaf_ip link add brm up type bridge && leaf_ip link set vxm master brm && silent "vxlan .*" &&
		leaf_ip link del vxm && leaf_ip link del brm
}

cilium_is_named() {
	leaf_ip link add cilium_vxlan up type vxlan external dstport 4790 &&
		warned 1 "$(external_sentence cilium_vxlan Cilium)" && leaf_ip link del cilium_vxlan
}

# The sentence has the command that helps.
dstport_is_named() {
	local log sentence command

	sentence="vxlan vxp uses the UDP port 4791, which the fabric does not list, so conga leaves\
 its packets to the kernel; list the port by \"conga fabric set dstport 4789 dstport 4790\
 dstport 4791\""
	leaf_ip link add vxp up type vxlan id 200 local "${VTEP[0]}" dstport 4791 &&
		warned 1 "$sentence" || return
	log=$(log_of "${LEAF[0]}")
	command=$(sed -n 's/.* list the port by "conga \(.*\)"$/\1/p' "$log")
	# shellcheck disable=SC2086 # the words of a command
	conga 0 $command && silent "vxlan vxp .*" && conga 0 fabric set dstport 4789 dstport 4790 &&
		warned 1 "$sentence"
}

# A fabric takes four ports.
full_list_is_named() {
	conga 0 fabric set dstport 4789 dstport 1 dstport 2 dstport 3 &&
		warned 1 "vxlan vxp uses the UDP port 4791, and the fabric lists 4 others, the most that\
 it can, so conga leaves its packets to the kernel; create the device with one of these ports" &&
		conga 0 fabric set dstport 4789 && leaf_ip link del vxp
}

missing_local_is_named() {
	leaf_ip link add vxl up type vxlan id 201 dstport 4789 &&
		warned 1 "vxlan vxl has no local address, so the source of its packets depends on the route,\
 and other leaves may not know it; create the device with \"local ADDR\", an address of lo" &&
		leaf_ip link del vxl && leaf_ip link add vxl up type vxlan id 201 dstport 4789 \
			local "${VTEP[0]}" && silent "vxlan vxl .*" && leaf_ip link del vxl
}

# The packets of the tunnel leave where the device was created.
elsewhere_is_named() {
	ip -n "${SPINE[0]}" link add vxe type vxlan id 202 local 10.0.9.8 dstport 4789 &&
		ip -n "${SPINE[0]}" link set vxe netns "${LEAF[0]}" &&
		warned 1 "vxlan vxe sends its packets in another network namespace, $ELSEWHERE;\
 run congad there, too: \"congad -n NAME\"" && leaf_ip link del vxe
}

geneve_is_named() {
	leaf_ip link add gen up type geneve external || return
	warned 1 "geneve gen is no VXLAN tunnel, so conga leaves its packets to the kernel; use VXLAN\
 (OVN: encap-type vxlan, Cilium: tunnelProtocol vxlan)" && leaf_ip link del gen
}

# The module takes a bridge, which an operator must add.
bridge_is_named() {
	local sentence="bridge brx leads to leaves, but congad adds no bridge as an uplink; add it\
 by \"conga port add brx role uplink rate RATE\""

	leaf_ip -batch - <<-END || return
		link add brx up type bridge
		link add b0 up master brx type veth peer name b1
		link set b1 up
		address add 10.8.90.0/31 dev brx
		route add 10.0.9.2 via 10.8.90.1 dev brx
		route add 10.0.9.1 via 10.8.90.1 dev brx
	END
	leaf_fdb append "$ZERO" dev vx dst 10.0.9.2 self permanent && warned 1 "$sentence" || return
	# A second leaf behind the bridge is no other state.
	leaf_fdb append "$ZERO" dev vx dst 10.0.9.1 self permanent && leaf_is 10.0.9.1 auto auto &&
		warned 1 "$sentence" && conga 0 port add brx role uplink rate 1gbit && silent "bridge .*" || return
	conga 0 port del brx && warned 1 "$sentence"
}

# What is wrong with tunnels concerns no spine.
spine_is_silent() {
	ip -n "${SPINE[0]}" link add vxs up type vxlan id 100 dstport 4790 &&
		"$CONGA" -n "${SPINE[0]}" fabric add && says 0 "" "$CONGAD" -n "${SPINE[0]}" -m spine -1
}

# The bridge of the test before is still there.
once_is_enough() {
	says 0 "congad: bridge brx leads to leaves, but congad adds no bridge as an uplink; add it\
 by \"conga port add brx role uplink rate RATE\"" "$CONGAD" -n "${LEAF[0]}" -1
}

setup() {
	topo_up && daemon_start "${LEAF[0]}" && leaf_is "${VTEP[1]}" auto auto &&
		conga 0 fabric set dstport 4789 dstport 4790
}

tap_plan 13
require_root
require_commands ip bridge
require_module
setup || die "cannot set up"
tap_test "congad warns of nothing on a leaf whose tunnels it serves" nothing_to_say
tap_test "an external device is named once, and again after an entry of its table is gone" \
	external_is_named
tap_test "no external device is named while there is a leaf of an operator" operators_leaf_ends_it
tap_test "an external device in a bridge is not named" bridged_external_is_awaited
tap_test "the destinations of cilium_vxlan are chosen by Cilium" cilium_is_named
tap_test "a UDP port that the fabric does not list is named, and the remedy helps" dstport_is_named
tap_test "a UDP port that a full list cannot have is named" full_list_is_named
tap_test "a device without a local address is named" missing_local_is_named
tap_test "a device that sends in another network namespace is named" elsewhere_is_named
tap_test "a geneve device is named" geneve_is_named
tap_test "a bridge that leads to a leaf is named until an operator adds it" bridge_is_named
tap_test "congad -m spine warns of no tunnel" spine_is_silent
tap_test "congad -1 warns, too, and succeeds" once_is_enough
tap_exit
