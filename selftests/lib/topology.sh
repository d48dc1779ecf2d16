#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topology.sh - a leaf-spine fabric in network namespaces.
#
#	 spine0      spine1        S spines
#	  | \\      // |
#	 leaf0      leaf1          L leaves, P parallel links to each spine
#	 | | |      | | |
#	 hosts      hosts          H hosts per leaf, bridge br0 and vxlan device vx
#
# In three tiers leaves and spines are divided among pods, which cores join: a leaf has links to
# the spines of its pod, and a spine has one link to each core.
#
# Set the TOPO_ variables below, then `topo_up`. The namespaces are gone after
# `topo_down` or when the shell exits, however it exits. Source lib.sh first.
#
#	${LEAF[l]} ${SPINE[s]} ${CORE[c]} ${HOST[l.h]}	namespaces
#	${VTEP[l]} ${HOST_IP[l.h]} ${HOST_IP6[l.h]}	addresses
#	${HOST_IPS[l.h]}				IPv4 addresses of a host, "A B ..."
#	upI on a leaf, I = spine * P + parallel link; downL.P on a spine;
#	coreC on a spine, spineS on a core;
#	hI on a leaf towards its host I, eth0 in the host

. "$TESTS/lib/topology_batches.sh"

declare -A TOPO_LINK_RATE TOPO_LINK_DELAY

# topo_defaults sets the variables; it is called below, and must be called again before another
# topology in the same shell.
topo_defaults() {
	TOPO_LEAVES=2
	TOPO_SPINES=2
	TOPO_LINKS=2			# parallel links per (leaf, spine)
	TOPO_HOSTS=1			# per leaf
	TOPO_HOST_ADDRESSES=1		# IPv4, of each host, up to 16, a network each
	TOPO_PODS=1			# leaf l is of pod l * pods / leaves, spines alike
	TOPO_CORES=0			# each with a link to every spine; joins the pods
	TOPO_CUT=			# links that are down, "LEAF.SPINE.LINK ...", or of
					# a spine and a core "spine0-core1 ...": routes are
					# those that a routing protocol would leave
	TOPO_FOREIGN=0			# the last so many hosts of each leaf: in a tunnel
					# of their own, br1 and vx1
	TOPO_UNDERLAY=4			# 4 or 6
	TOPO_UDPCSUM=			# "on": outer checksums on a v4 underlay (v6 has them)
	TOPO_NEXTHOPS=route		# "route": multipath routes; "object": nexthop groups
	TOPO_VXLAN_OPTIONS=		# more words for the vxlan devices, as "tos 0x10"
	TOPO_SPINE="hash"		# over its parallel links to a leaf: "hash"; "plane":
					# what came by parallel link p leaves by p, so that
					# a leaf's uplink has one link behind it
	TOPO_HOST_MTU=1500
	TOPO_FABRIC_MTU=1600		# room for 70 bytes of VXLAN over IPv6
	TOPO_RATE=			# of every fabric link, as tc takes it; empty: unshaped
	TOPO_LINK_RATE=()		# exceptions: [spine0.1-leaf1]=25mbit, one direction
	TOPO_HOST_RATE=			# of every host link, both directions
	TOPO_BUFFER=150000		# bytes a shaped fabric link queues before it drops
	TOPO_HOST_BUFFER=1000000	# the same of a host link
	TOPO_QDISC=tbf			# what shapes; "wire": the lab's own, exact link
	TOPO_DELAY=			# of every link, wire only: as tc takes it; empty: none
	TOPO_LINK_DELAY=()		# exceptions, as those of rates
	TOPO_MARK=			# bytes waiting at which a link marks CE, wire only
	TOPO_QUIET=			# 1: no policy reads how much waits at a link, wire only
	TOPO_PORT_BUFFER=		# of a leaf's link to a host; empty: as the host's
	TOPO_GSO=65536			# largest TSO burst a host sends
}

# A full TSO burst must fit with an IPv6 or GPE header, otherwise a fabric link would segment it.
readonly TOPO_GSO_HEADROOM=256
readonly TOPO_GSO_KERNEL_MAX=65536
readonly TOPO_ANSWER_MS=20000	# until every neighbour answers, or is given up
readonly TOPO_PLANE_TABLE=100	# the routing table of plane 0

# A stock kernel caches one route per destination of a vxlan device; with a fixed tos it looks up
# the FIB for every packet, and so hashes every flow.
readonly TOPO_FOREIGN_OPTIONS="tos 0x10"
readonly TOPO_VNI=100 TOPO_PORT=4789 TOPO_FOREIGN_VNI=200 TOPO_FOREIGN_PORT=8472

# These are the header fields that each tier hashes. All namespaces share one kernel and so one
# hash seed: tiers that forward by the same fields (or by skb->hash, which crosses a veth: policy 1)
# choose alike, and one of a spine's parallel links stays empty. Destination port and protocol are
# constant here, so leaving them out changes the hash and loses no entropy.
readonly TOPO_LEAF_FIELDS=0x37	# addresses, protocol, both ports
readonly TOPO_SPINE_FIELDS=0x13	# addresses, source port
readonly TOPO_ODD_POD_FIELDS=0x17	# the same and protocol: between pods are two spines
readonly TOPO_CORE_FIELDS=0x33	# addresses, both ports

TOPO_WIRE=${BASH_SOURCE[0]%/*}/../../lab/wire
TOPO_NETNS_BATCH=${BASH_SOURCE[0]%/*}/../tools/netns_batch

declare -a LEAF=() SPINE=() CORE=() VTEP=()
declare -a LEAF_LINKS=() SPINE_LINKS=()	# "SPINE.LINK ..." of a leaf, "LEAF.LINK ..." of a spine
declare -A HOST=() HOST_IP=() HOST_IPS=() HOST_IP6=() HOST_MAC=()
TOPO_DIR=""
topo_defaults

# ---- names and numbers ----

topo_names() {
	local l s c h a hex sfx=${TOPO_DIR##*.}

	for ((c = 0; c < TOPO_CORES; c++)); do CORE[c]="core$c-$sfx"; done
	for ((s = 0; s < TOPO_SPINES; s++)); do SPINE[s]="spine$s-$sfx"; done
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		LEAF[l]="leaf$l-$sfx"
		VTEP[l]="10.0.0.$((11 + l))"
		((TOPO_UNDERLAY == 6)) && printf -v "VTEP[l]" 'fd00::%x' $((11 + l))
		for ((h = 0; h < TOPO_HOSTS; h++)); do
			HOST[$l.$h]="host$l.$h-$sfx"
			HOST_IP[$l.$h]="192.168.$l.$((10 + h))"
			HOST_IPS[$l.$h]=${HOST_IP[$l.$h]}
			for ((a = 1; a < TOPO_HOST_ADDRESSES; a++)); do
				HOST_IPS[$l.$h]+=" 172.$((16 + a)).$l.$((10 + h))"
			done
			printf -v hex '%x:%x' "$l" $((10 + h))
			HOST_IP6[$l.$h]="fd02::$hex"
			printf -v "HOST_MAC[$l.$h]" '02:00:00:%02x:%02x:01' "$l" $((10 + h))
		done
	done
	topo_links
}

topo_links() {
	local l s p

	LEAF_LINKS=() SPINE_LINKS=()
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		for ((s = 0; s < TOPO_SPINES; s++)); do
			topo_same_pod "$l" "$s" || continue
			for ((p = 0; p < TOPO_LINKS; p++)); do
				LEAF_LINKS[l]+=" $s.$p"
				SPINE_LINKS[s]+=" $l.$p"
			done
		done
	done
}

# topo_same_pod LEAF SPINE
topo_same_pod() {
	(($1 * TOPO_PODS / TOPO_LEAVES == $2 * TOPO_PODS / TOPO_SPINES))
}

# topo_is_cut LEAF.SPINE.LINK, or spineS-coreC
topo_is_cut() {
	[[ " $TOPO_CUT " == *" $1 "* ]]
}

# topo_reaches SPINE LEAF: does the spine reach the leaf, by an uncut link or over cores?
topo_reaches() {
	local p c

	[[ $TOPO_CUT ]] || return 0
	if topo_same_pod "$2" "$1"; then
		for ((p = 0; p < TOPO_LINKS; p++)); do
			topo_is_cut "$2.$1.$p" || return 0
		done
	else
		for ((c = 0; c < TOPO_CORES; c++)); do
			! topo_climbs "$1" "$c" "$2" || return 0
		done
	fi
	return 1
}

# topo_climbs SPINE CORE LEAF: does the spine reach a leaf of another pod by the core?
topo_climbs() {
	! topo_is_cut "spine$1-core$2" && topo_core_reaches "$2" "$3"
}

# topo_core_reaches CORE LEAF: does the core reach the leaf by any spine?
topo_core_reaches() {
	local s

	for ((s = 0; s < TOPO_SPINES; s++)); do
		! topo_descends "$1" "$s" "$2" || return 0
	done
	return 1
}

# topo_descends CORE SPINE LEAF: does the core reach the leaf by this spine?
topo_descends() {
	topo_same_pod "$3" "$2" && ! topo_is_cut "spine$2-core$1" && topo_reaches "$2" "$3"
}

# One a line, in the order in which they are configured.
topo_namespaces() {
	printf '%s\n' "${CORE[@]}" "${SPINE[@]}" "${LEAF[@]}" "${HOST[@]}"
}

# Sets LOWER_END and UPPER_END to the addresses of link number $2 of network $1.
topo_ends() {
	local net=$1 k=$2

	if ((TOPO_UNDERLAY == 6)); then
		printf -v LOWER_END 'fd01:0:%x:%x::0' "$net" "$k"
		UPPER_END=${LOWER_END%0}1
	else
		LOWER_END=10.$((net + 1)).$((k / 128)).$((k % 128 * 2))
		UPPER_END=10.$((net + 1)).$((k / 128)).$((k % 128 * 2 + 1))
	fi
}

# topo_link_addresses LEAF SPINE LINK: sets LEAF_END, SPINE_END
topo_link_addresses() {
	topo_ends 0 $((($1 * TOPO_SPINES + $2) * TOPO_LINKS + $3))
	LEAF_END=$LOWER_END SPINE_END=$UPPER_END
}

# topo_core_addresses SPINE CORE: sets SPINE_END, CORE_END
topo_core_addresses() {
	topo_ends 1 $(($1 * TOPO_CORES + $2))
	SPINE_END=$LOWER_END CORE_END=$UPPER_END
}

# topo_rate FROM TO: sets RATE of one direction of a link, e.g. spine0.1 leaf1, leaf1 spine0.1,
# spine0 core1; it is empty for an unshaped link
topo_rate() {
	RATE=${TOPO_LINK_RATE[$1-$2]:-$TOPO_RATE}
}

# topo_delay FROM TO: sets DELAY_OF of one direction of a link, empty for none
topo_delay() {
	DELAY_OF=${TOPO_LINK_DELAY[$1-$2]:-$TOPO_DELAY}
}

# ---- sysctls, before there are devices: a new one takes the default ----

# rp_filter is off, because an answer may come by another uplink. accept_dad is off, so that
# nothing waits for duplicate address detection.
readonly TOPO_SYSCTLS=(
	net.ipv4.conf.{all,default}.rp_filter=0
	net.ipv4.conf.{all,default}.ignore_routes_with_linkdown=1
	net.ipv6.conf.default.ignore_routes_with_linkdown=1
	net.ipv6.conf.{all,default}.accept_dad=0
	net.ipv6.conf.{all,default}.disable_ipv6=0
)

readonly TOPO_ROUTER_SYSCTLS=(
	net.ipv4.ip_forward=1
	net.ipv6.conf.all.forwarding=1
	net.ipv{4,6}.fib_multipath_hash_policy=3
)

# txrehash is off: after a timeout TCP would otherwise draw a new skb->hash, which crosses a veth
# and becomes the tunnel's source port: the baseline would change its path, which separate machines
# cannot do.
#
# no_metrics_save is on: the kernel would otherwise remember round-trip times and thresholds per
# destination, and start the next run's connections from them.
readonly TOPO_HOST_SYSCTLS=(
	net.core.txrehash=0
	net.ipv4.tcp_no_metrics_save=1
)

# topo_sysctl "NAMESPACE..." SETTING...: prints settings in the format of netns_batch
topo_sysctl() {
	[[ $1 ]] || return 0
	printf 'netns %s\n' "$1"
	printf 'sysctl %s\n' "${TOPO_SYSCTLS[@]}" "${@:2}"
}

# topo_router "NAMESPACE..." FIELDS: prints the settings of routers that hash these fields
topo_router() {
	topo_sysctl "$1" "${TOPO_ROUTER_SYSCTLS[@]}" \
		"net.ipv4.fib_multipath_hash_fields=$2" "net.ipv6.fib_multipath_hash_fields=$2"
}

topo_write_sysctls() {
	local s fields

	topo_router "${CORE[*]}" "$TOPO_CORE_FIELDS"
	for ((s = 0; s < TOPO_SPINES; s++)); do
		fields=$TOPO_SPINE_FIELDS
		((s * TOPO_PODS / TOPO_SPINES % 2 == 0)) || fields=$TOPO_ODD_POD_FIELDS
		topo_router "${SPINE[s]}" "$fields"
	done
	topo_router "${LEAF[*]}" "$TOPO_LEAF_FIELDS"
	topo_sysctl "${HOST[*]}" "${TOPO_HOST_SYSCTLS[@]}"
}

topo_sysctls() {
	topo_write_sysctls | "$TOPO_NETNS_BATCH"
}

# ---- up and down ----

topo_configure() {
	local ns

	for ns in $(topo_namespaces); do
		[[ ! -e $TOPO_DIR/$ns.ip ]] || ip -n "$ns" -batch "$TOPO_DIR/$ns.ip" || return
		[[ ! -e $TOPO_DIR/$ns.fdb ]] || bridge -n "$ns" -batch "$TOPO_DIR/$ns.fdb" || return
		[[ ! -e $TOPO_DIR/$ns.tc ]] || tc -n "$ns" -batch "$TOPO_DIR/$ns.tc" || return
	done
	topo_hosts && topo_wires
}

# One process sets the addresses and neighbours of all hosts.
topo_hosts() {
	[[ ! -e $TOPO_DIR/hosts ]] || "$TOPO_NETNS_BATCH" <"$TOPO_DIR/hosts"
}

# One process creates all links.
topo_wires() {
	[[ $TOPO_QDISC != wire ]] || cat "$TOPO_DIR"/*.wire | "$TOPO_WIRE"
}

topo_up() {
	[[ ! $TOPO_DIR ]] || topo_down
	TOPO_DIR=$(mktemp -d) || return
	topo_names
	defer topo_down
	topo_write_batches
	topo_namespaces | sed 's/^/netns add /' >"$TOPO_DIR/namespaces"
	ip -batch "$TOPO_DIR/namespaces" && topo_sysctls &&
		ip -batch "$TOPO_DIR/links" && topo_configure
}

# topo_down: kills the caller's jobs first, because processes inside would keep a namespace alive.
# The call is harmless when nothing is up, or not everything.
topo_down() {
	local ns

	[[ $TOPO_DIR ]] || return 0
	jobs -p | xargs -r kill 2>/dev/null
	wait
	for ns in $(topo_namespaces); do
		[[ ! -e /run/netns/$ns ]] || echo "netns del $ns"
	done | ip -batch -
	rm -rf "$TOPO_DIR"
	TOPO_DIR=""
	LEAF=() SPINE=() CORE=() VTEP=() HOST=() HOST_IP=() HOST_IPS=() HOST_IP6=() HOST_MAC=()
}

# No socket listens, and no error is sent.
hosts_say_nothing() {
	local ns

	for ns in "${HOST[@]}"; do
		in_ns "$ns" nft -f - <<-END || return
			table ip quiet {
				chain out { type filter hook output priority 0; meta l4proto icmp drop; }
			}
		END
	done
}

# hosts_need_not_ask: makes the first hosts of leaf 0 and 1 static neighbours of each other
hosts_need_not_ask() {
	local h

	for h in 0 1; do
		ip -n "${HOST[$h.0]}" neighbour replace "${HOST_IP[$((1 - h)).0]}" \
			lladdr "${HOST_MAC[$((1 - h)).0]}" dev eth0 nud permanent || return
	done
}

# neighbours_stay: makes known neighbours of a node permanent, because a request might have to wait
# behind queued packets
neighbours_stay() {
	local ns address dev mac

	for ns in "${LEAF[@]}" "${SPINE[@]}" "${HOST[@]}"; do
		while read -r address dev mac; do
			echo "neigh replace $address dev $dev lladdr $mac nud permanent"
		done < <(ip -n "$ns" neigh show | awk '$4 == "lladdr" { print $1, $3, $5 }') |
			ip -n "$ns" -batch - || return
	done
}

topo_no_packet_waits() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}"; do
		[[ ! $(ip -n "$ns" neigh show nud incomplete) ]] || return
	done
}

# Packets that nodes sent while the fabric was set up may wait a second for a neighbour that had no
# address yet. They must arrive before anything is counted.
queued_packets_leave() {
	busywait "$TOPO_ANSWER_MS" topo_no_packet_waits
}

# Switches IPv6 off on hosts, and on the devices of leaves towards them, so that only requested
# packets come through the tunnels, and counters are exact.
tunnel_says_nothing() {
	local ns

	for ns in "${LEAF[@]}" "${HOST[@]}"; do
		# shellcheck disable=SC2016 # the inner shell expands it
		in_ns "$ns" bash -c 'for file in /proc/sys/net/ipv6/conf/{br,vx,h,eth}*/disable_ipv6; do
				[[ ! -e $file ]] || echo 1 >"$file" || exit
			done' || return
	done
	queued_packets_leave
}
