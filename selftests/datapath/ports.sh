#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ports that are devices above other devices. Leaf 0 has an uplink of each kind: a VLAN device
# whose tag is beside the packet, one whose tag is in it, a bond of two links, a macvlan device
# and a bridge; the spine has VLAN devices and a bond as transit ports. Traffic is steered to each
# port by its LBTag, which is on the wire. Each port counts, raises CE and learns from the packets
# that arrive by it. A port is withdrawn when a device below it loses its carrier, and stops being
# a port when its device is removed.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/tables.sh"

TOPO_SPINES=1
TOPO_LINKS=6

# Each kind has the uplink of leaf 0, its LBTag, the first link below it, and the spine's port at
# the other end.
readonly -a UPLINK=(up0.10 up1.20 bond0 mac0 brp0)
readonly -a TAG=(3 14 7 0 9)
readonly -a LINK=(0 1 2 4 5)
readonly -a FAR=(down0.0.10 down0.1.20 bond1 down0.4 down0.5)
readonly SORTED="0 3 7 9 14"	# LBTags

readonly COUNT=$((${#UPLINK[@]} * FLOWS_EACH))

# An empty datagram in VXLAN is a frame of 92 bytes; a VLAN tag in the packet is counted, too.
readonly FRAME=92 VLAN_TAG=4

# This load raises the metric of a port of 1 Mbit/s, even if a slow machine needs seconds for it.
readonly LOAD=$((2 * COUNT)) BYTES=1400

readonly STACKED="This device is above or below another port, so both ports count the same packets"

# ---- set up ----

# These devices are above the links of leaf 0.
stack_leaf() {
	cat <<-END
		link add link up0 name up0.10 type vlan id 10
		link add link up1 name up1.20 type vlan id 20 reorder_hdr off
		link add bond0 type bond mode balance-xor miimon 20 xmit_hash_policy layer3+4
		link set up2 down
		link set up2 master bond0
		link set up3 down
		link set up3 master bond0
		link add link up4 name mac0 type macvlan mode private
		link add brp0 type bridge mcast_snooping 0
		link set up5 master brp0
	END
}

stack_spine() {
	cat <<-END
		link add link down0.0 name down0.0.10 type vlan id 10
		link add link down0.1 name down0.1.20 type vlan id 20 reorder_hdr off
		link add bond1 type bond mode balance-xor miimon 20 xmit_hash_policy layer3+4
		link set down0.2 down
		link set down0.2 master bond1
		link set down0.3 down
		link set down0.3 master bond1
	END
}

# ends {LEAF_END|SPINE_END} MINE THEIRS DEVICE...: sets addresses, and permanent neighbours; the
# last bytes of MACs are 0x1I and 0x2I
ends() {
	local i mine other here=$1

	for ((i = 0; i < ${#LINK[@]}; i++)); do
		topo_link_addresses 0 0 "${LINK[i]}"
		[[ $here == LEAF_END ]] && mine=$LEAF_END other=$SPINE_END ||
			mine=$SPINE_END other=$LEAF_END
		echo "link set ${*:4 + i:1} address 02:00:00:00:00:$2$i up"
		echo "address replace $mine/31 dev ${*:4 + i:1}"
		echo "neighbour replace $other lladdr 02:00:00:00:00:$3$i dev ${*:4 + i:1} nud permanent"
	done
}

# route_leaf INDEX...: sets the multipath route by these kinds
route_leaf() {
	local i

	echo -n "route replace ${VTEP[1]}/32"
	for i; do
		topo_link_addresses 0 0 "${LINK[i]}"
		echo -n " nexthop via $SPINE_END dev ${UPLINK[i]}"
	done
	echo
}

route_spine() {
	local i

	echo -n "route replace ${VTEP[0]}/32"
	for ((i = 0; i < ${#LINK[@]}; i++)); do
		topo_link_addresses 0 0 "${LINK[i]}"
		echo -n " nexthop via $LEAF_END dev ${FAR[i]}"
	done
	echo
}

flush_links() {
	local p

	for ((p = 0; p < TOPO_LINKS; p++)); do
		echo "address flush dev $1$p"
	done
}

stack() {
	in_ns "${LEAF[0]}" sysctl -qw net.ipv6.conf.{all,default}.disable_ipv6=1 &&
		in_ns "${SPINE[0]}" sysctl -qw net.ipv6.conf.{all,default}.disable_ipv6=1 || return
	{
		flush_links up
		stack_leaf
		ends LEAF_END 1 2 "${UPLINK[@]}"
		route_leaf "${!UPLINK[@]}"
	} | ip -n "${LEAF[0]}" -batch - && {
		flush_links down0.
		stack_spine
		ends SPINE_END 2 1 "${FAR[@]}"
		route_spine
	} | ip -n "${SPINE[0]}" -batch - && all_have_carrier
}

# Bonds and bridges need some time to start.
all_have_carrier() {
	local i

	for ((i = 0; i < ${#UPLINK[@]}; i++)); do
		busywait 60000 has_carrier "${LEAF[0]}" "${UPLINK[i]}" &&
			busywait 60000 has_carrier "${SPINE[0]}" "${FAR[i]}" ||
			fail "${UPLINK[i]} has no carrier" || return
	done
}

has_carrier() {
	ip -n "$1" link show dev "$2" | grep -q LOWER_UP
}

# With policy ecmp all ports carry traffic, whatever their load. Tage is long, so that learnt
# metrics stay in the tables.
fabrics() {
	local i p

	{
		echo "fabric add $QUIET policy ecmp age 10s tdre 100ms"
		echo "leaf add ${VTEP[1]} mode conga"
		for ((i = 0; i < ${#UPLINK[@]}; i++)); do
			echo "port add ${UPLINK[i]} role uplink rate 1tbit tag ${TAG[i]}"
		done
	} | conga_batch "${LEAF[0]}" && {
		echo "fabric add $QUIET tdre 100ms"
		for ((i = 0; i < ${#FAR[@]}; i++)); do
			echo "port add ${FAR[i]} role transit rate 1tbit"
		done
		for ((p = 0; p < TOPO_LINKS; p++)); do
			echo "port add down1.$p role transit rate 1tbit"
		done
	} | conga_batch "${SPINE[0]}" && FABRIC_RATE=1tbit fabric_leaf 1 ecmp conga &&
		conga 1 fabric set age 10s
}

setup() {
	local ns i words=()

	topo_up && tunnel_says_nothing && stack && fabrics || return
	for ns in "${LEAF[0]}" "${HOST[@]}"; do pin "$ns" || return; done
	for ((i = 0; i < ${#FAR[@]}; i++)); do words+=("${FAR[i]}:${TAG[i]}"); done
	FLOWS_HOOK=ingress
	flows_count "${SPINE[0]}" "${words[@]}" && flows_count "${LEAF[0]}" "${UPLINK[@]}" &&
		flows_end "${HOST[0.0]}" eth0 && flows_end "${HOST[1.0]}" eth0
}

# ---- what is expected ----

# carried_by INDEX...: these kinds carry traffic to leaf 1, as the spine counts it
carried_by() {
	local i far=()

	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${SPINE[0]}" ||
		return
	for i; do
		flows_counter "${FAR[i]}"
		((STAMPED[$COUNTER] == LEFT[$COUNTER])) ||
			fail "${STAMPED[$COUNTER]} of ${LEFT[$COUNTER]} packets by ${UPLINK[i]}" \
				"have LBTag ${TAG[i]}" ||
			return
		far+=("${FAR[i]}")
	done
	flows_spread "$COUNT" "${far[@]}"
}

# others INDEX: sets OTHERS to all existing kinds but this one
others() {
	local i

	OTHERS=()
	for i in "${!UPLINK[@]}"; do
		[[ $i == "$1" || ${GONE[i]} ]] || OTHERS+=("$i")
	done
}

# port_counts INDEX: sets PORT_PACKETS, PORT_BYTES
port_counts() {
	local counts='"tx_packets": ?([0-9]+), ?"tx_bytes": ?([0-9]+)'

	[[ $(conga 0 -j port show "${UPLINK[$1]}") =~ $counts ]] ||
		fail "port show has no counters of ${UPLINK[$1]}" || return
	PORT_PACKETS=${BASH_REMATCH[1]} PORT_BYTES=${BASH_REMATCH[2]}
}

# path_state INDEX: sets STATE to "usable" or to the reason why the path is not
path_state() {
	local state="\"dev\": ?\"${UPLINK[$1]}\",[^}]*\"state\": ?\"([a-z]*)\"(, ?\"reason\": ?\"([a-z_]*)\")?"

	[[ $(conga 0 -j path show) =~ $state ]] ||
		fail "path show has no path by ${UPLINK[$1]}" || return
	STATE=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
}

# ---- tests ----

all_carry() {
	local i

	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	carried_by "${!UPLINK[@]}" && stats_grew "${LEAF[0]}" "tx_stamped=$COUNT" &&
		stats_grew "${LEAF[1]}" "rx_learnt=$COUNT" || return
	# shellcheck disable=SC2086 # a list of words
	table_has 1 from-leaf "${VTEP[0]}" $SORTED
}

# Each port has counted the packets that arrived at the far end.
each_counts() {
	local i size packets=() bytes=() n

	for i in "${!UPLINK[@]}"; do
		port_counts "$i" && packets[i]=$PORT_PACKETS && bytes[i]=$PORT_BYTES || return
	done
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${SPINE[0]}" ||
		return
	for i in "${!UPLINK[@]}"; do
		flows_counter "${FAR[i]}"
		n=${LEFT[$COUNTER]} size=$FRAME
		[[ ${UPLINK[i]} == up1.20 ]] && size=$((FRAME + VLAN_TAG))
		port_counts "$i" || return
		((PORT_PACKETS - packets[i] == n && PORT_BYTES - bytes[i] == n * size)) ||
			fail "${UPLINK[i]} counted $((PORT_PACKETS - packets[i])) packets of" \
				"$((PORT_BYTES - bytes[i])) bytes, $n of $size left" || return
	done
}

# Each port in turn is slow while all others are fast: leaf 1 receives a congested metric for its
# LBTag alone.
each_raises_ce() {
	local i expected row

	for i in "${!UPLINK[@]}"; do
		conga 0 port set "${UPLINK[i]}" rate 1mbit || return
		flows_send "$LOAD" "${HOST[0.0]}" "${HOST_IP[1.0]}" "$BYTES" &&
			flows_arrive "$LOAD" "${HOST[1.0]}" eth0 && flows_left "${SPINE[0]}" &&
			conga 0 port set "${UPLINK[i]}" rate 1tbit && table_rows 1 from-leaf "${VTEP[0]}" ||
			return
		expected=""
		for row in $SORTED; do
			((row == TAG[i])) && expected+=" $row=[1-7]" || expected+=" $row=0"
		done
		# shellcheck disable=SC2053 # a pattern
		[[ " $ROWS" == $expected ]] ||
			fail "${UPLINK[i]} is slow: the from-leaf table of leaf 1 is $ROWS," \
				"expected:$expected" || return
	done
}

# The same holds for the spine's ports with packets that they only forward: leaf 0 receives the
# congestion behind the uplinks of leaf 1. All LBTags are known by now.
transit_raises_ce() {
	local i

	for i in "${!FAR[@]}"; do
		"$CONGA" -n "${SPINE[0]}" port set "${FAR[i]}" rate 1mbit || return
		stats_mark "${SPINE[0]}"
		flows_send "$LOAD" "${HOST[1.0]}" "${HOST_IP[0.0]}" "$BYTES" &&
			flows_arrive "$LOAD" "${HOST[0.0]}" eth0 && flows_left "${LEAF[0]}" || return
		[[ $(stats_growth "${SPINE[0]}") == ce_raised=* ]] ||
			fail "${FAR[i]} is slow, but it raised no CE" || return
		"$CONGA" -n "${SPINE[0]}" port set "${FAR[i]}" rate 1tbit || return
	done
}

# Packets return by each port, and leaf 0 learns from all of them. Leaf 1 feeds back metrics that
# it has just received, which age.
each_learns() {
	flows_cross "$COUNT" "${HOST[0.0]}" "${HOST_IP[1.0]}" "${HOST[1.0]}" eth0 "${SPINE[0]}" ||
		return
	stats_mark "${LEAF[0]}"
	flows_cross "$COUNT" "${HOST[1.0]}" "${HOST_IP[0.0]}" "${HOST[0.0]}" eth0 "${LEAF[0]}" &&
		flows_spread "$COUNT" "${UPLINK[@]}" &&
		stats_moved "${LEAF[0]}" \
			"feedback_received=$COUNT rx_stamped=$COUNT rx_learnt=$COUNT" || return
	# shellcheck disable=SC2086 # a list of words
	table_has 0 to-leaf "${VTEP[1]}" $SORTED
}

# A packet that arrives by a device above or below a port does not arrive by the port.
other_device_learns_nothing() {
	local i n

	for i in "${!UPLINK[@]}"; do
		conga 0 port del "${UPLINK[i]}" || return
		stats_mark "${LEAF[0]}"
		flows_cross "$COUNT" "${HOST[1.0]}" "${HOST_IP[0.0]}" "${HOST[0.0]}" eth0 "${LEAF[0]}" ||
			return
		flows_counter "${UPLINK[i]}"
		n=${LEFT[$COUNTER]}
		stats_grew "${LEAF[0]}" "rx_not_port=$n" &&
			stats_grew "${LEAF[0]}" "rx_learnt=$((COUNT - n))" || return
		conga 0 port add "${UPLINK[i]}" role uplink rate 1tbit tag "${TAG[i]}" || return
	done
}

# carrier INDEX {up|down}: sets all links below, from the far end; the spine's routes change with
# them
carrier() {
	local p last=${LINK[$1]}

	[[ ${UPLINK[$1]} == bond0 ]] && last=3
	for ((p = LINK[$1]; p <= last; p++)); do
		echo "link set down0.$p $2"
	done | ip -n "${SPINE[0]}" -batch -
}

lost_carrier() {
	! has_carrier "$@"
}

carrier_withdraws() {
	local i=$1 dev=${UPLINK[$1]}

	carrier "$i" down && busywait 60000 lost_carrier "${LEAF[0]}" "$dev" ||
		fail "$dev did not lose its carrier" || return
	others "$i"
	carried_by "${OTHERS[@]}" && path_state "$i" || return
	[[ $STATE == port_down ]] || fail "the path by $dev is $STATE, expected port_down" || return
	carrier "$i" up && all_have_carrier && far_end_back "$i" || return
	others none
	carried_by "${OTHERS[@]}"
}

# The spine's device went down with the link below.
far_end_back() {
	{
		echo "link set ${FAR[$1]} up"
		ends SPINE_END 2 1 "${FAR[@]}"
		route_spine
	} | ip -n "${SPINE[0]}" -batch -
}

# A bond with one remaining link is a port as before.
bond_survives() {
	local status=0

	ip -n "${SPINE[0]}" link set down0.2 down || return
	busywait 60000 lost_carrier "${LEAF[0]}" up2 && busywait 60000 one_slave_up ||
		fail "the bond did not notice the lost carrier" || return
	others none
	carried_by "${OTHERS[@]}" || status=1
	ip -n "${SPINE[0]}" link set down0.2 up && all_have_carrier && return "$status"
}

one_slave_up() {
	[[ $(in_ns "${LEAF[0]}" cat /proc/net/bonding/bond0 | grep -c "^MII Status: down") == 1 ]]
}

# removed INDEX DEVICE: removes the uplink, or the device below it, by deleting DEVICE. The kernel
# would delete the whole of a route that still uses it.
removed() {
	GONE[$1]=1
	others none
	route_leaf "${OTHERS[@]}" | ip -n "${LEAF[0]}" -batch - &&
		ip -n "${LEAF[0]}" link del "$2" || fail "device $2 cannot be deleted" || return
	! conga 0 port show | grep -q "${UPLINK[$1]} " || fail "${UPLINK[$1]} is still a port" || return
	carried_by "${OTHERS[@]}"
}

# warns WORD...: the command prints a warning, and succeeds
warns() {
	says 0 "Warning: $STACKED." "$CONGA" -n "${LEAF[0]}" port add "$@" role transit rate 1tbit &&
		conga 0 port del "$1"
}

stacked_ports_warn() {
	warns up0 && warns up2 && warns up4 && warns up5 || return
	ip -n "${LEAF[0]}" link add link up0.10 name up0.10.5 up type vlan id 5 || return
	warns up0.10.5 && ip -n "${LEAF[0]}" link add free up type dummy || return
	says 0 "" "$CONGA" -n "${LEAF[0]}" port add free role transit rate 1tbit
}

tap_plan 17
require_root
require_commands ip nft
require_module
declare -a GONE=() OTHERS=()
setup || die "cannot set up"
tap_test "each kind of port carries packets, stamped with its LBTag" all_carry
tap_test "each kind of port counts what it sends" each_counts
tap_test "each kind of port raises CE" each_raises_ce
tap_test "each kind of port learns from what it receives" each_learns
tap_test "each kind of port raises CE on a spine" transit_raises_ce
tap_test "a device that is no port learns nothing" other_device_learns_nothing
tap_test "a port above or below another port gets a warning" stacked_ports_warn
for n in "${!UPLINK[@]}"; do
	tap_test "${UPLINK[n]} is withdrawn when all links below it lose carrier" \
		carrier_withdraws "$n"
done
tap_test "a bond that lost one of two links continues" bond_survives
tap_test "a removed VLAN device is left out" removed 0 up0.10
tap_test "a VLAN device whose lower link is removed is left out" removed 1 up1
tap_test "a removed bond is left out" removed 2 bond0
tap_test "a removed bridge is left out" removed 4 brp0
tap_exit
