#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One fabric serves every kind of VXLAN tunnel: devices with VNIs and UDP ports of their own,
# devices that take the tunnel from routes, filters or VLANs (collect metadata), devices in
# another network namespace than their underlay, and IPv6. For each kind, flows use all uplinks,
# are stamped and arrive in both directions, and feedback is learnt. A UDP port that the fabric
# does not list is left alone. Two leaves have two tables.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/tables.sh"

TOPO_LEAVES=3
TOPO_LINKS=1

readonly COUNT=80		# flows in each direction
readonly FLOWLETS=4194304
readonly -a TAG=(5 9 2 12 3 7)	# LBTags, two for each leaf
readonly OTHER_PORT=8472 EXTERNAL_PORT=8473 SINGLE_PORT=8474
readonly UNLISTED_PORT=8475
readonly -a PORTS=(dstport 4789 dstport "$OTHER_PORT" dstport "$EXTERNAL_PORT"
	dstport "$SINGLE_PORT")

# This load raises the metric of a port of 1 Mbit/s, even if a slow machine needs seconds for it.
readonly LOAD=$((2 * COUNT)) BYTES=1400

# ---- set up ----

# IPv6 exists beside the IPv4 underlay of leaf 0 and 1: sets VTEP6
v6_underlay() {
	local l s k

	VTEP6=(fd00::11 fd00::12)
	for l in 0 1; do
		ip -n "${LEAF[l]}" address add "${VTEP6[l]}/128" dev lo nodad
		for s in 0 1; do
			k=$((l * 2 + s))
			ip -n "${LEAF[l]}" address add "fd01:0:0:$k::/127" dev "up$s" nodad &&
				ip -n "${SPINE[s]}" -batch - <<-END || return
					address add fd01:0:0:$k::1/127 dev down$l.0 nodad
					route add ${VTEP6[l]}/128 via fd01:0:0:$k:: dev down$l.0
				END
		done
		k=$((l * 2))
		ip -n "${LEAF[l]}" route add "${VTEP6[1 - l]}/128" \
			nexthop via "fd01:0:0:$k::1" dev up0 \
			nexthop via "fd01:0:0:$((k + 1))::1" dev up1 || return
	done
}

# Tage is long, so that learnt metrics stay in the tables. The rates are such that no burst of the
# test raises CE, and the table is so large that two flows rarely share an entry.
leaf_up() {
	local l=$1 r

	{
		echo "fabric add $QUIET age 10s flowlets $FLOWLETS ${PORTS[*]}"
		echo "port add up0 role uplink rate 1tbit tag ${TAG[2 * l]}"
		echo "port add up1 role uplink rate 1tbit tag ${TAG[2 * l + 1]}"
		for r in 0 1 2; do
			((r == l)) || echo "leaf add ${VTEP[r]} mode conga"
		done
		((l == 2)) || echo "leaf add ${VTEP6[1 - l]} mode conga"
	} | conga_batch "${LEAF[l]}" &&
		flows_count "${LEAF[l]}" "up0:${TAG[2 * l]}" "up1:${TAG[2 * l + 1]}"
}

# New devices send no packets of their own.
setup() {
	local l ns

	topo_up && v6_underlay && tunnel_says_nothing || return
	for l in 0 1 2; do
		pin "${LEAF[l]}" && pin "${HOST[$l.0]}" && leaf_up "$l" &&
			flows_end "${HOST[$l.0]}" eth0 &&
			in_ns "${LEAF[l]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || return
	done
	FABRIC_RATE=1tbit
	for l in 0 1; do
		fabric_spine "$l" && "$CONGA" -n "${SPINE[l]}" fabric set "${PORTS[@]}" || return
		TENANT[l]="tenant$l-${TOPO_DIR##*.}"
		ip netns add "${TENANT[l]}" && defer "ip netns del ${TENANT[l]}" &&
			pin "${TENANT[l]}" || return
	done
}

# ---- tunnels between leaf 0 and leaf 1: 10.NET.0.1 and 10.NET.0.2 ----

# inside NAMESPACE LEAF NET DEVICE: sets the address in a tunnel, and permanent neighbours
inside() {
	ip -n "$1" -batch - <<-END
		link set $4 address 02:00:00:00:$3:0$2 up
		address add 10.$3.0.$((1 + $2))/24 dev $4
		neighbour add 10.$3.0.$((2 - $2)) lladdr 02:00:00:00:$3:0$((1 - $2)) dev $4 nud permanent
	END
}

# default_entry LEAF DEVICE REMOTE [WORD]...: all packets go to one leaf
default_entry() {
	bridge -n "${LEAF[$1]}" fdb append 00:00:00:00:00:00 dev "$2" dst "$3" self permanent \
		"${@:4}"
}

# vxlan NET DEVICE WORD...: creates the tunnel with these words at both leaves
vxlan() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" link add "$2" type vxlan local "${VTEP[l]}" nolearning ttl 64 \
			"${@:3}" && default_entry "$l" "$2" "${VTEP[1 - l]}" &&
			inside "${LEAF[l]}" "$l" "$1" "$2" && flows_end "${LEAF[l]}" "$2" || return
	done
}

vxlan6() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" link add vx6 type vxlan id 900 local "${VTEP6[l]}" nolearning \
			ttl 64 dstport "$OTHER_PORT" && default_entry "$l" vx6 "${VTEP6[1 - l]}" &&
			inside "${LEAF[l]}" "$l" 90 vx6 && flows_end "${LEAF[l]}" vx6 || return
	done
}

# There is one device; the route selects the tunnel, over IPv4 (60) or IPv6 (61).
external() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" link add vxe type vxlan external dstport "$EXTERNAL_PORT" &&
			inside "${LEAF[l]}" "$l" 60 vxe && flows_end "${LEAF[l]}" vxe || return
		ip -n "${LEAF[l]}" -batch - <<-END || return
			address add 10.61.0.$((1 + l))/32 dev vxe
			neighbour add 10.61.0.$((2 - l)) lladdr 02:00:00:00:60:0$((1 - l)) dev vxe nud permanent
			route replace 10.60.0.$((2 - l))/32 encap ip id 600 src ${VTEP[l]} dst ${VTEP[1 - l]} ttl 64 dev vxe
			route replace 10.61.0.$((2 - l))/32 encap ip6 id 601 src ${VTEP6[l]} dst ${VTEP6[1 - l]} hoplimit 64 csum dev vxe
		END
	done
}

# There is the same device; a filter selects the tunnel.
external_by_tc() {
	local l

	for l in 0 1; do
		tc -n "${LEAF[l]}" qdisc add dev vxe clsact &&
			tc -n "${LEAF[l]}" filter add dev vxe egress protocol ip flower \
				dst_ip "10.62.0.$((2 - l))" action tunnel_key set id 602 \
				src_ip "${VTEP[l]}" dst_ip "${VTEP[1 - l]}" \
				dst_port "$EXTERNAL_PORT" ttl 64 || return
		ip -n "${LEAF[l]}" -batch - <<-END || return
			address add 10.62.0.$((1 + l))/24 dev vxe
			neighbour add 10.62.0.$((2 - l)) lladdr 02:00:00:00:60:0$((1 - l)) dev vxe nud permanent
		END
	done
}

# A single device for all VLANs of a bridge: 10 is VNI 1010, 20 is VNI 1020.
single_device() {
	local l vlan

	for l in 0 1; do
		ip -n "${LEAF[l]}" -batch - <<-END || return
			link add br1 up type bridge vlan_filtering 1 vlan_default_pvid 0 mcast_snooping 0
			link add vxd type vxlan external vnifilter local ${VTEP[l]} dstport $SINGLE_PORT nolearning ttl 64
			link set vxd up master br1
		END
		bridge -n "${LEAF[l]}" link set dev vxd vlan_tunnel on || return
		for vlan in 10 20; do
			single_vlan "$l" "$vlan" || return
		done
	done
}

# single_vlan LEAF VLAN: the number of its network is that of the VLAN plus 60
single_vlan() {
	bridge -n "${LEAF[$1]}" -batch - <<-END &&
		vlan add dev br1 vid $2 self
		vlan add dev vxd vid $2
		vlan add dev vxd vid $2 tunnel_info id $((1000 + $2))
		vni add dev vxd vni $((1000 + $2))
	END
		default_entry "$1" vxd "${VTEP[1 - $1]}" \
			vni $((1000 + $2)) src_vni $((1000 + $2)) &&
		ip -n "${LEAF[$1]}" link add link br1 name "br1.$2" type vlan id "$2" &&
		inside "${LEAF[$1]}" "$1" $((60 + $2)) "br1.$2" && flows_end "${LEAF[$1]}" "br1.$2"
}

# The device is created in the namespace of the underlay, and used by a tenant in another.
moved() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" link add vxt type vxlan id 850 local "${VTEP[l]}" nolearning \
			ttl 64 dstport 4789 && default_entry "$l" vxt "${VTEP[1 - l]}" &&
			in_ns "${TENANT[l]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
			ip -n "${LEAF[l]}" link set vxt netns "${TENANT[l]}" &&
			inside "${TENANT[l]}" "$l" 85 vxt && flows_end "${TENANT[l]}" vxt || return
	done
}

# ---- what is expected ----

# Nothing is learnt yet, and the counters are read.
mark() {
	local l r mode

	for l in 0 1; do
		for r in "${VTEP[1 - l]}" "${VTEP6[1 - l]}"; do
			for mode in plain conga; do
				echo "leaf set $r mode $mode"
			done
		done | conga_batch "${LEAF[l]}" || return
		stats_mark "${LEAF[l]}"
	done
}

# grew NAMESPACE WORD...: each counter grew by this number
grew() {
	local grown word

	grown=$(stats_growth "$1")
	for word in "${@:2}"; do
		[[ " $grown " == *" $word "* ]] ||
			fail "counters of ${1%-*} moved by: $grown, expected: $word" || return
	done
}

# by_flowlet FROM TO NAMESPACE ADDRESS NAMESPACE DEVICE: all packets between these leaves arrive,
# all uplinks are used, and all packets are stamped
by_flowlet() {
	local from=$1 to=$2 dev

	flows_cross "$COUNT" "${@:3}" "${LEAF[from]}" || return
	for dev in "${!LEFT[@]}"; do
		((STAMPED[$dev] == LEFT[$dev])) ||
			fail "${STAMPED[$dev]} of ${LEFT[$dev]} packets have the LBTag of $dev" ||
				return
	done
	flows_spread "$COUNT" up0 up1 &&
		grew "${LEAF[from]}" "flowlets_started=$COUNT" "tx_stamped=$COUNT" "tx_steered=$COUNT" &&
		grew "${LEAF[to]}" "rx_learnt=$COUNT"
}

# both_ways NET DEVICE [VTEPS [NAMESPACES]]: the last two are names of arrays
both_ways() {
	local -n vteps=${3:-VTEP} spaces=${4:-LEAF}

	mark && by_flowlet 0 1 "${spaces[0]}" "10.$1.0.2" "${spaces[1]}" "$2" &&
		by_flowlet 1 0 "${spaces[1]}" "10.$1.0.1" "${spaces[0]}" "$2" &&
		grew "${LEAF[0]}" "feedback_received=$COUNT" &&
		table_has 1 from-leaf "${vteps[0]}" 5 9 && table_has 0 to-leaf "${vteps[1]}" 5 9 &&
		table_has 0 from-leaf "${vteps[1]}" 2 12
}

# ---- tests ----

# made FUNCTION: creates the tunnel, or prints a reason to skip
made() {
	"$@" 2>"$TOPO_DIR/said" || fail "$* failed: $(<"$TOPO_DIR/said")"
}

second_vni() {
	made vxlan 30 vx300 id 300 dstport 4789 && both_ways 30 vx300
}

second_dstport() {
	made vxlan 40 vx400 id 400 dstport "$OTHER_PORT" && both_ways 40 vx400
}

over_v6() {
	made vxlan6 && both_ways 90 vx6 VTEP6
}

by_route() {
	made external && both_ways 60 vxe
}

by_route_v6() {
	both_ways 61 vxe VTEP6
}

by_filter() {
	made external_by_tc && both_ways 62 vxe
}

by_vlan() {
	made single_device && both_ways 70 br1.10 && both_ways 80 br1.20
}

in_tenants() {
	made moved && both_ways 85 vxt VTEP TENANT
}

# untouched FROM TO DEVICE NET: packets take whichever uplinks the kernel chooses
untouched() {
	flows_cross "$COUNT" "${LEAF[$1]}" "10.$4.0.$((1 + $2))" "${LEAF[$2]}" "$3" "${LEAF[$1]}" ||
		return
	((LEFT[up0] + LEFT[up1] == COUNT && STAMPED[up0] + STAMPED[up1] == 0)) ||
		fail "the flows left by: $(flows_text), stamped packets:" \
			"${STAMPED[up0]} and ${STAMPED[up1]}"
}

left_alone() {
	mark && untouched 0 1 "$1" "$2" && untouched 1 0 "$1" "$2" || return
	stats_moved "${LEAF[0]}" "" && stats_moved "${LEAF[1]}" ""
}

unlisted() {
	made vxlan 50 vx500 id 500 dstport "$UNLISTED_PORT" && left_alone vx500 50
}

# The list of ports changes while the devices exist.
list_changes() {
	local l status=0

	for l in 0 1; do
		conga "$l" fabric set dstport 4789 dstport "$UNLISTED_PORT" || return
	done
	both_ways 50 vx500 && left_alone vx400 40 && both_ways 30 vx300 || status=1
	for l in 0 1; do
		conga "$l" fabric set "${PORTS[@]}" || return
	done
	return "$status"
}

# metrics_are LEAF TABLE OTHER PATTERN: the rows of the table match
metrics_are() {
	table_rows "$1" "$2" "${VTEP[$3]}" || return
	# shellcheck disable=SC2053 # a pattern
	[[ $ROWS == $4 ]] || fail "table $2 of leaf $1 about leaf $3 has $ROWS, expected: $4"
}

# host_flows FROM TO
host_flows() {
	flows_send "$LOAD" "${HOST[$1.0]}" "${HOST_IP[$2.0]}" "$BYTES" &&
		flows_arrive "$LOAD" "${HOST[$2.0]}" eth0
}

# Leaf 1 has a port that is full after 125,000 bytes. Leaf 0 receives this metric from leaf 1
# alone, and passes it to no other leaf.
two_leaves() {
	mark || return
	conga_batch "${LEAF[1]}" <<-END || return
		fabric set policy ecmp tdre 100ms
		port set up0 rate 1mbit
	END
	host_flows 1 0 && host_flows 2 0 || return
	metrics_are 0 from-leaf 1 "2=[1-7] 12=0" && metrics_are 0 from-leaf 2 "3=0 7=0" || return
	host_flows 0 1 && host_flows 0 2 || return
	metrics_are 1 to-leaf 0 "2=[1-7] 12=0" && metrics_are 2 to-leaf 0 "3=0 7=0" &&
		metrics_are 1 from-leaf 0 "5=0 9=0" && metrics_are 2 from-leaf 0 "5=0 9=0" || return
	# Leaf 1 has sent feedback to leaf 0 only.
	metrics_are 2 to-leaf 1 "" && metrics_are 2 from-leaf 1 ""
}

tap_plan 11
require_root
require_commands ip bridge tc nft
require_module
declare -a TENANT=()
setup || die "cannot set up"
tap_test "a second VNI is stamped" second_vni
tap_test "a second UDP port is stamped" second_dstport
tap_test "a UDP port that is not listed is left alone" unlisted
tap_test "changes of the list of UDP ports take effect" list_changes
tap_test "a tunnel over an IPv6 underlay is stamped" over_v6
tap_test "collect metadata: packets are stamped when the route gives the tunnel" by_route
tap_test "collect metadata, IPv6 underlay: packets are stamped when the route gives the tunnel" \
	by_route_v6
tap_test "collect metadata: packets are stamped when a tc filter gives the tunnel" by_filter
tap_test "packets are stamped when the bridge maps VLANs to VNIs of one VXLAN device" by_vlan
tap_test "packets of VXLAN devices in another network namespace are stamped" in_tenants
tap_test "two leaves have separate tables" two_leaves
tap_exit
