#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Drills: each broken fabric is named by "conga check", or by "conga", with its cause or the next
# command, on the node where it can be seen. A sound fabric has no findings before the fault and
# after the repair. Each drill prints what the tool printed.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/hellos.sh"

unset -f jq			# the order of keys matters here

TOPO_LEAVES=3
TOPO_LINKS=1
FABRIC_RATE=1gbit
QUIET=				# leaves send hellos
readonly WAIT_MS=25000		# what is known of a neighbour takes 18.5 s to go
readonly HELLO=50ms
readonly LOSS=20		# % of the packets that a bad spine drops
readonly SMALL_MTU=1400

setup() {
	topo_up && fabric_up conga auto && leaves_set hello "$HELLO"
}

# ---- what the tool says ----

# sound NAMESPACE: "conga check" prints nothing, and succeeds
sound() {
	local said

	if ! said=$("$CONGA" -n "$1" check 2>&1) || [[ $said ]]; then
		fail "$1: $said"
	fi
}

becomes_sound() {
	busywait "$WAIT_MS" sound "$1" >/dev/null || sound "$1"
}

leaves_answer() {
	local l

	for l in 0 1 2; do
		conga "$l" -j leaf show | json_is 'length == 2 and all(.state == "conga")' || return
	done
}

all_are_sound() {
	local ns

	leaves_answer || fail "$(conga 0 leaf show)" || return
	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		sound "$ns" || return
	done
}

all_sound() {
	busywait "$WAIT_MS" all_are_sound >/dev/null || all_are_sound
}

# check_says NAMESPACE "PATTERN": a line of "conga check" matches, and is printed. The exit status
# is 1 if any line is more than a note, and 0 otherwise.
check_says() {
	local line said status=0 expected=0

	said=$("$CONGA" -n "$1" check) || status=$?
	[[ $'\n'$said != *$'\n'@(error|warning):* ]] || expected=1
	# shellcheck disable=SC2053 # a pattern
	while read -r line; do
		[[ $line == $2 ]] || continue
		((status == expected)) || fail "the status is $status: $said" || return
		echo "# $line"
		return
	done <<<"$said"
	fail "conga check says: $said"
}

# named NAMESPACE "PATTERN"...: "conga check" has such a line each, in a while. It is asked no
# more once it had: a path that loses packets at random becomes silent now and then.
named() {
	local pattern

	for pattern in "${@:2}"; do
		busywait "$WAIT_MS" check_says "$1" "$pattern" || check_says "$1" "$pattern" || return
	done
}

# shows LEAF "PATTERN": a line of "conga" matches, and is printed
shows() {
	local line said

	said=$(conga "$1")
	while read -r line; do
		# shellcheck disable=SC2053 # a pattern
		[[ $line == $2 ]] || continue
		echo "# $line"
		return
	done <<<"$said"
	fail "conga says: $said"
}

# shown LEAF "PATTERN": likewise, in a while
shown() {
	busywait "$WAIT_MS" shows "$@" || shows "$@"
}

# ---- faults on the way ----

# filter SPINE "RULE": drops packets that the spine forwards
filter() {
	in_ns "${SPINE[$1]}" nft -f - <<-END
	table inet drill {
		chain forward { type filter hook forward priority 0; $2 drop; }
	}
	END
}

unfilter() {
	in_ns "${SPINE[$1]}" nft delete table inet drill
}

spine_drops_all() {
	filter 0 "" && named "${LEAF[0]}" "warning: ${VTEP[1]} by up0: is silent: *; look for what drops packets of the tunnel (*) from the gateway * on" &&
		unfilter 0 && all_sound
}

spine_drops_some() {
	filter 0 "numgen random mod 100 < $LOSS" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]} by up0: loses packets: * hellos by it were not answered; *" &&
		shown 0 "dev up0 tag 0 *missed */*" && unfilter 0 && all_sound
}

# Stamped packets have reserved bits in bytes 1 to 3 of the VXLAN header.
readonly RESERVED="udp dport 4789 @th,72,24 != 0"

bits_are_dropped_at_one() {
	filter 1 "$RESERVED" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]} by up1: is silent: *a filter of reserved bits of VXLAN*" &&
		unfilter 1 && all_sound
}

bits_are_dropped_at_all() {
	filter 0 "$RESERVED" && filter 1 "$RESERVED" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]}: is lost: it answered hellos until * ago; *something drops packets of the tunnel" &&
		unfilter 0 && unfilter 1 && all_sound
}

hello_is_blocked_one_way() {
	filter 0 "oifname down1.0 $CONTROL" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]} by up0: is silent: *" &&
		unfilter 0 && all_sound
}

link_is_narrow() {
	filter 0 "oifname down1.0 meta length > 1400" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]} by up0: loses large packets, *; look for a link with a smaller MTU from the gateway *" &&
		unfilter 0 && all_sound
}

# ---- other nodes ----

# Its links are up, and it says no goodbye.
leaf_dies() {
	in_ns "${LEAF[1]}" nft -f - <<-END || return
	table inet drill {
		chain input { type filter hook input priority 0; udp dport 4789 drop; }
		chain output { type filter hook output priority 0; udp dport 4789 drop; }
	}
	END
	named "${LEAF[0]}" "warning: ${VTEP[1]}: is lost: it answered hellos until * ago; see whether the leaf is up*" &&
		shown 0 "${VTEP[1]} mode auto state lost (answered hellos until * ago) *" &&
		in_ns "${LEAF[1]}" nft delete table inet drill && all_sound
}

fabric_returns() {
	fabric_leaf "$1" conga auto && conga "$1" fabric set hello "$HELLO" && all_sound
}

fabric_is_missing() {
	conga 1 fabric del && shown 0 "${VTEP[1]} mode auto state plain (sent a goodbye message) *" &&
		named "${LEAF[0]}" "note: ${VTEP[1]}: sent a goodbye message, *; if it must run conga, *" &&
		fabric_returns 1
}

# A leaf that was added when the other one had no fabric never heard of it.
leaf_never_ran_conga() {
	conga 1 fabric del && conga 0 leaf del "${VTEP[1]}" && conga 0 leaf add "${VTEP[1]}" mode auto &&
		named "${LEAF[0]}" "warning: ${VTEP[1]}: has never answered a hello; *: conga leaf set ${VTEP[1]} mode plain" &&
		shown 0 "${VTEP[1]} mode auto state plain (has never answered a hello) *" &&
		fabric_returns 1
}

leaf_is_missing() {
	conga 1 leaf del "${VTEP[0]}" &&
		named "${LEAF[1]}" "warning: control_unknown_leaf: grew by *; Add the sender as a leaf here: *" &&
		conga 1 leaf add "${VTEP[0]}" mode auto && all_sound
}

port_is_missing() {
	conga 1 port del up0 &&
		named "${LEAF[1]}" "warning: up0: is a nexthop of a route to a leaf, but no port, *; add it: conga port add up0 role uplink" \
			"warning: control_not_port: grew by *" || return
	conga 1 port add up0 role transit rate 1gbit &&
		named "${LEAF[1]}" "warning: up0: is a nexthop of a route to a leaf, but a transit port, *; delete the port, and add it as an uplink: *" &&
		conga 1 port del up0 && conga 1 port add up0 role uplink rate 1gbit tag 0 && all_sound
}

udp_port_differs() {
	conga 1 fabric set dstport 8472 &&
		named "${LEAF[1]}" "warning: UDP port 8472: is a port of the fabric, but no vxlan device that is up uses it, *; *" \
			"note: vx: uses UDP port 4789, which is none of the fabric, *; *conga fabric set dstport 8472 dstport 4789" &&
		conga 0 leaf del "${VTEP[1]}" && conga 0 leaf add "${VTEP[1]}" mode auto &&
		named "${LEAF[0]}" "warning: ${VTEP[1]}: has never answered a hello; *the same UDP port*" &&
		conga 1 fabric set dstport 4789 && all_sound
}

terms_differ() {
	local word value old

	while read -r word value old; do
		conga 1 fabric set "$word" "$value" &&
			named "${LEAF[0]}" "warning: ${VTEP[1]}: has another $word: $value; set the same $word on every node of the fabric: conga fabric set $word *" &&
			shown 0 "${VTEP[1]} mode auto state mismatch (has another $word: $value) *" &&
			conga 1 fabric set "$word" "$old" && all_sound || return
	done <<-END
		q 2 3
		metric sum max
	END
}

# A spine without a fabric is a spine without conga: it forwards, and sends no announcements.
spine_runs_no_conga() {
	"$CONGA" -n "${SPINE[1]}" fabric del &&
		named "${LEAF[0]}" "warning: up1: no node that runs conga announces itself at the other end, as one does by up0, *" &&
		shown 0 "up1: role uplink * neighbour none*" || return
	"$CONGA" -n "${SPINE[0]}" fabric del &&
		shown 0 "up0: role uplink * neighbour none*" && becomes_sound "${LEAF[0]}" || return
	fabric_spine 0 conga && fabric_spine 1 conga && all_sound &&
		shown 0 "up1: role uplink * neighbour conga*"
}

spine_terms_differ() {
	local word value old says

	while read -r word value old says; do
		"$CONGA" -n "${SPINE[0]}" fabric set "$word" "$value" &&
			named "${LEAF[0]}" "warning: up0: the node at the other end $says" &&
			named "${SPINE[0]}" "warning: down0.0: the node at the other end *" &&
			shown 0 "up0: role uplink * neighbour mismatch (*)*" &&
			"$CONGA" -n "${SPINE[0]}" fabric set "$word" "$old" && all_sound || return
	done <<-END
		q 2 3 has another q: 2, so *; set the same q on every node of the fabric: conga fabric set q N
		metric sum max has another metric: sum, so *; set the same metric on every node of the fabric: conga fabric set metric *
		policy tr conga uses byte 3 of the VXLAN header differently: tr-queue, so *, and policy tr on all of them or on none
	END
}

ids_are_equal() {
	conga 1 fabric set leaf-id 7 && conga 2 fabric set leaf-id 7 &&
		named "${LEAF[0]}" "warning: ${VTEP[2]}: has the same leaf id as ${VTEP[1]}, 0x00000007; *" || return
	conga 0 fabric set leaf-id 7 &&
		named "${LEAF[0]}" "warning: ${VTEP[1]}: has the leaf id of this node, 0x00000007; *" || return
	conga 0 fabric set leaf-id 1 && conga 1 fabric set leaf-id 2 && conga 2 fabric set leaf-id 3 &&
		all_sound
}

hula_is_alone() {
	leaves_set policy hula &&
		named "${LEAF[0]}" "warning: ${VTEP[1]}: has never sent a probe that arrived here, *; run policy hula on the leaf and on every node between, *" &&
		leaves_set policy conga && all_sound
}

# ---- this node ----

uplink_is_shaped() {
	ip_tc "${LEAF[0]}" qdisc replace dev up0 root tbf rate 250mbit burst 100k limit 1m &&
		named "${LEAF[0]}" "warning: up0: is shaped by tbf to 250Mbit, below the rate of the port, 1Gbit, *, set the rate: conga port set up0 rate 250Mbit; if not: tc qdisc del dev up0 root" &&
		conga 0 port set up0 rate 250mbit && sound "${LEAF[0]}" &&
		conga 0 port set up0 rate 1gbit || return
	ip_tc "${LEAF[0]}" qdisc replace dev up0 root netem rate 500mbit &&
		named "${LEAF[0]}" "warning: up0: is shaped by netem to 500Mbit, *" &&
		ip_tc "${LEAF[0]}" qdisc del dev up0 root && all_sound
}

ip_tc() {
	in_ns "$1" tc "${@:2}"
}

queue_drops() {
	ip_tc "${LEAF[0]}" qdisc replace dev up0 root netem loss 100% &&
		named "${LEAF[0]}" "note: up0: dropped * packets in its queue meanwhile; *" &&
		ip_tc "${LEAF[0]}" qdisc del dev up0 root && all_sound
}

destination_is_no_leaf() {
	in_ns "${LEAF[0]}" bridge fdb append 00:00:00:00:00:00 dev vx dst 10.0.0.77 &&
		in_ns "${LEAF[0]}" bridge fdb append 02:00:00:00:00:77 dev vx dst 10.0.0.78 &&
		named "${LEAF[0]}" "warning: vx: sends to 2 addresses that are no leaves, 10.0.0.77 among them, *: conga leaf add 10.0.0.77" &&
		in_ns "${LEAF[0]}" bridge fdb del 00:00:00:00:00:00 dev vx dst 10.0.0.77 &&
		in_ns "${LEAF[0]}" bridge fdb del 02:00:00:00:00:77 dev vx dst 10.0.0.78 && all_sound
}

spine_does_not_forward() {
	in_ns "${SPINE[0]}" sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0 &&
		named "${SPINE[0]}" "warning: down0.0: is a transit port, but this node forwards nothing; *" &&
		named "${LEAF[0]}" "warning: ${VTEP[1]} by up0: is silent: *" &&
		in_ns "${SPINE[0]}" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 &&
		all_sound
}

translated_packets_are_left() {
	in_ns "${LEAF[0]}" nft -f - <<-END || return
	table ip drill {
		chain post { type nat hook postrouting priority 100; oifname "up*" masquerade; }
	}
	END
	in_ns "${HOST[0.0]}" ping -q -i 0.2 -c 100000 "${HOST_IP[1.0]}" >/dev/null 2>&1 &
	TALKER=$!
	named "${LEAF[0]}" "warning: fallback_nat: grew by *: packets left to the kernel: NAT *; Exempt the tunnel's UDP port from connection tracking, *" || return
	kill "$TALKER" && in_ns "${LEAF[0]}" nft delete table ip drill && all_sound
}

checks_are_counted() {
	local found

	ip -n "${LEAF[0]}" link set up0 mtu "$SMALL_MTU" || return
	found=$(conga 0 metrics | grep '^conga_check_findings')
	[[ $found == 'conga_check_findings{severity="note"} 0
conga_check_findings{severity="warning"} 1
conga_check_findings{severity="error"} 1' ]] || fail "$found" || return
	ip -n "${LEAF[0]}" link set up0 mtu "$TOPO_FABRIC_MTU"
}


require_root
require_commands ip jq nft tc bridge sysctl ping
require_module
tap_plan 24
setup || die "the fabric cannot be set up"
tap_test "a sound fabric has no findings" all_sound
tap_test "a spine that drops all packets is named" spine_drops_all
tap_test "a spine that drops a fifth of all packets is named" spine_drops_some
tap_test "a firewall for reserved bits at one spine is named" bits_are_dropped_at_one
tap_test "a firewall for reserved bits at all spines is named" bits_are_dropped_at_all
tap_test "hellos that are blocked in one direction are named" hello_is_blocked_one_way
tap_test "a link with a smaller MTU on the way is named" link_is_narrow
tap_test "a leaf that died is named" leaf_dies
tap_test "a leaf whose fabric was removed is named" fabric_is_missing
tap_test "a leaf that never ran conga is named" leaf_never_ran_conga
tap_test "a leaf that was not added on one side is named" leaf_is_missing
tap_test "an uplink that is no port, or a transit port, is named" port_is_missing
tap_test "another UDP port on one side is named" udp_port_differs
tap_test "another q or metric on one side is named" terms_differ
tap_test "a spine that does not run conga is named, if another one does" spine_runs_no_conga
tap_test "another q, metric or use of byte 3 at a spine is named" spine_terms_differ
tap_test "two leaves with one leaf id are named" ids_are_equal
tap_test "policy hula on leaves alone is named" hula_is_alone
tap_test "an uplink that is shaped below its rate is named" uplink_is_shaped
tap_test "drops of an uplink's queue are named" queue_drops
tap_test "destinations that are no leaves are named" destination_is_no_leaf
tap_test "a spine that does not forward is named" spine_does_not_forward
tap_test "packets that are left to the kernel are named, with the reason" translated_packets_are_left
tap_test "a metric has the number of findings" checks_are_counted
tap_exit
