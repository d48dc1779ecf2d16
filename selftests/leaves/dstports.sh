#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Agreement is per UDP port. Two tunnels lead from leaf 0 to leaf 1, one at port 4789 and
# one at 8472, and each leaf lists one of these ports or both. A tunnel's packets are
# stamped if both leaves list its port, and otherwise go on plain: no ping is lost,
# whichever leaf changes its list, and in whichever order. Over IPv4 and IPv6.

# Ports are single words.
# shellcheck disable=SC2086
TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
TOPO_HOSTS=2
TOPO_FOREIGN=1			# the second host of each leaf is in the tunnel at 8472
QUIET=				# the default interval, 300 ms

readonly A=4789 B=8472 C=9999
readonly PINGS=20
readonly MANY=1500 EACH_MS=2	# pings while a port list changes, and their interval
readonly UNDER_WAY=2		# pings that may be on their way at a goodbye message

# ---- lists and agreements ----

# lists LEAF PORT...: sets the list of the leaf
lists() {
	local l=$1 port words=()

	shift
	for port; do words+=(dstport "$port"); done
	conga "$l" fabric set "${words[@]}"
}

# ports_are LEAF "PORT ...": the leaf stamps at these ports for the other leaf
ports_are() {
	local ports

	ports=$(conga "$1" -j leaf show | jq -r '.[0].ports | map(tostring) | join(" ")')
	[[ $ports == "$2" ]] ||
		fail "leaf $1 stamps packets to the ports \"$ports\", expected \"$2\""
}

# agreed "PORT ..." "PORT ...": leaf 0 and leaf 1 stamp at these ports
agreed() {
	soon ports_are 0 "$1" && soon ports_are 1 "$2"
}

# ---- traffic ----

# ping_by HOST COUNT MS: leaf 0's host pings leaf 1's host; sets LOST
ping_by() {
	local said

	said=$(in_ns "${HOST[0.$1]}" ping -q -n -c "$2" -i "0.00$3" -W 5 "${HOST_IP[1.$1]}")
	[[ $said =~ $2\ packets\ transmitted,\ ([0-9]+)\ received ]] ||
		fail "not all pings were answered: $said" || return
	LOST=$(($2 - BASH_REMATCH[1]))
}

# stat_grew COUNTER: sets GREW, since the mark
stat_grew() {
	local grown

	grown=" $(stats_growth "${LEAF[0]}") "
	GREW=0
	[[ ! $grown =~ \ $1=([0-9]+)\  ]] || GREW=${BASH_REMATCH[1]}
}

# crosses HOST {stamped|plain}: all packets arrive and are steered, and they are stamped or plain
crosses() {
	stats_mark "${LEAF[0]}"
	ping_by "$1" "$PINGS" 9 || return
	((LOST == 0)) || fail "$LOST of $PINGS pings lost" || return
	stat_grew tx_steered && ((GREW >= PINGS)) || fail "only $GREW pings were steered" || return
	stat_grew tx_stamped
	case $2 in
	plain) ((GREW == 0)) || fail "$GREW packets to a port that is not agreed were stamped" ;;
	stamped) ((GREW >= PINGS)) || fail "only $GREW packets to an agreed port were stamped" ;;
	esac
}

# changes HOST LEAF PORT...: changes the list while pings continue
changes() {
	local host=$1 status=0 pid

	shift
	in_ns "${HOST[0.$host]}" ping -q -n -c "$MANY" -i "0.00$EACH_MS" -W 5 \
		"${HOST_IP[1.$host]}" >"$TOPO_DIR/ping" &
	pid=$!
	grows 100 "${HOST[1.$host]}" eth0 rx && lists "$@" || status=1
	wait "$pid"
	[[ $(<"$TOPO_DIR/ping") =~ transmitted,\ ([0-9]+)\ received ]] ||
		fail "ping printed no summary" || return
	LOST=$((MANY - BASH_REMATCH[1]))
	echo "# leaf $1 lists ${*:2}: $LOST of $MANY pings lost"
	((LOST <= UNDER_WAY)) || fail "$LOST of $MANY pings lost" || return
	return "$status"
}

# ---- tests ----

# An agreement about ecn is no agreement about the first port of the list.
ecn_and_second() {
	leaves_set ecn on && lists 0 $B $A && agreed "$A" "$A" && crosses 0 stamped &&
		crosses 1 plain && ports_are 0 "$A" && leaves_set ecn off
}

one_lists_more() {
	lists 0 $A $B && agreed "$A" "$A" && pause_rounds && ports_are 0 "$A" &&
		crosses 0 stamped && crosses 1 plain
}

both_list_both() {
	lists 1 $A $B && agreed "$A $B" "$A $B" && crosses 0 stamped && crosses 1 stamped
}

# A hello to the first port alone would never be answered.
first_is_another() {
	lists 0 $B && agreed "$B" "$B" && leaf_is 0 "conga answers" && leaf_is 1 "conga answers" &&
		crosses 1 stamped || return
	lists 1 $B $A && agreed "$B" "$B" && crosses 1 stamped
}

# The leaf that asks has the list in the other order.
order_does_not_matter() {
	lists 0 $A $B && agreed "$A $B" "$B $A" && crosses 0 stamped && crosses 1 stamped
}

# An agreement is about a port number, not about a place in the list: an agreement about the first
# port does not apply to the port that takes its place.
place_is_another() {
	lists 1 $A && lists 0 $A && agreed "$A" "$A" && changes 1 0 $B && ports_are 0 "" &&
		leaf_falls_silent 0 && crosses 1 plain || return
	lists 0 $C $A && agreed "$A" "$A" && crosses 0 stamped
}

keeps_its_agreement() {
	lists 0 $A $B && lists 1 $A $B && agreed "$A $B" "$A $B" || return
	stats_mark "${LEAF[0]}"
	lists 0 $B $A && ports_are 0 "$B $A" && stat_grew leaf_up || return
	((GREW == 0)) || fail "the ports were agreed again: $(stats_growth "${LEAF[0]}")"
}

removed_at_peer() {
	lists 0 $A $B && lists 1 $A $B && agreed "$A $B" "$A $B" || return
	changes 1 1 $A && agreed "$A" "$A" && crosses 0 stamped && crosses 1 plain
}

# Answers about one port are lost: that port alone is given up, and all paths stay usable.
one_is_lost() {
	local status=0

	lists 0 $A $B && lists 1 $A $B && agreed "$A $B" "$A $B" || return
	stats_mark "${LEAF[0]}"
	port_drop "$1" || return
	soon ports_are 0 "$2" || status=1
	pause_rounds && ports_are 0 "$2" && leaf_is 0 "conga answers" || status=1
	stat_grew path_silent
	((GREW == 0)) || fail "a path became silent because of a port" || status=1
	[[ $(conga 0 -j leaf show | jq '.[0].paths') == 2 ]] ||
		fail "the leaf does not have two paths" || status=1
	control_pass "${LEAF[1]}" && agreed "$A $B" "$A $B" || return
	return "$status"
}

# port_drop PORT: leaf 1 drops the packets that it sends to this port
port_drop() {
	in_ns "${LEAF[1]}" nft -f - <<-END
	table netdev control {
		chain up0 {
			type filter hook egress device "up0" priority 0;
			udp dport $1 @th,96,24 0xfffffe drop
		}
		chain up1 {
			type filter hook egress device "up1" priority 0;
			udp dport $1 @th,96,24 0xfffffe drop
		}
	}
	END
}

first_is_lost() {
	one_is_lost $A "$B" && crosses 1 stamped
}

second_is_lost() {
	one_is_lost $B "$A" && crosses 0 stamped
}

# The first port of the list is blocked. A goodbye message counts if it echoes a nonce of the last two
# rounds, which a computer that pauses may miss: then leaf 0 agrees again, and says goodbye again.
bye_is_heard() {
	local i

	lists 0 $A $B && lists 1 $B && agreed "$B" "$B" || return
	for i in 1 2 3; do
		conga 0 leaf set "${VTEP[1]}" mode plain || return
		busywait 1000 leaf_is 1 "plain bye" && break
		((i < 3)) || leaf_is 1 "plain bye" || return
		conga 0 leaf set "${VTEP[1]}" mode auto && agreed "$B" "$B" || return
	done
	conga 0 leaf set "${VTEP[1]}" mode auto && agreed "$B" "$B"
}

by_order_all() {
	lists 0 $A $B && lists 1 $A $B && conga 0 leaf set "${VTEP[1]}" mode conga &&
		ports_are 0 "$A $B" && crosses 0 stamped && crosses 1 stamped || return
	conga 0 leaf set "${VTEP[1]}" mode auto
}

setup() {
	topo_up && tunnel_says_nothing && fabric_up conga auto && pin "${HOST[1.0]}" && pin "${HOST[1.1]}" &&
		agreed "$A" "$A"
}

# underlay VERSION
underlay() {
	TOPO_UNDERLAY=$1
	setup || die "cannot set up"
	tap_test "v$1: with ecn on, a tunnel at the first port of a list is plain if only the second is agreed" \
		ecn_and_second
	tap_test "v$1: a tunnel at a port that only one leaf lists works, unstamped" one_lists_more
	tap_test "v$1: both tunnels are stamped when both leaves list both ports" both_list_both
	tap_test "v$1: the only port that both list is stamped although it is not the first of one" \
		first_is_another
	tap_test "v$1: both tunnels are stamped when the lists have different orders" \
		order_does_not_matter
	tap_test "v$1: a port that replaces another does not inherit its agreement" place_is_another
	tap_test "v$1: a port that moves within the list keeps its agreement" keeps_its_agreement
	tap_test "v$1: no packet is lost when a leaf removes a port that a tunnel uses" \
		removed_at_peer
	tap_test "v$1: the second port stays conga when answers about the first port are lost" \
		first_is_lost
	tap_test "v$1: the first port stays conga when answers about the second port are lost" \
		second_is_lost
	tap_test "v$1: a goodbye message is sent to a port that the leaf listens at" bye_is_heard
	tap_test "v$1: mode conga stamps at all ports of the list" by_order_all
	topo_down
}

tap_plan 24
require_root
require_commands ip jq nft ping
require_module
underlay 4
underlay 6
tap_exit
