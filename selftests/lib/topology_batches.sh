#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# topology_batches.sh - the batch files of a topology, for topology.sh: one process sets up a
# namespace, and one sets up all hosts. The files are in $TOPO_DIR: NAMESPACE.ip, .fdb, .tc and
# .wire, and "hosts".

batch() {
	printf '%s\n' "${@:2}" >>"$TOPO_DIR/$1"
}

# Only one side of a new veth can be up; the other side comes up with its namespace. The order of
# topo_namespaces ensures that links have carrier before the first route needs it.
batch_links() {
	local l h gso=$((TOPO_GSO + TOPO_GSO_HEADROOM)) fabric

	((gso > TOPO_GSO_KERNEL_MAX)) && gso=$TOPO_GSO_KERNEL_MAX
	fabric="mtu $TOPO_FABRIC_MTU gso_max_size $gso"
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		batch_leaf_links "$l"
		for ((h = 0; h < TOPO_HOSTS; h++)); do
			batch links "link add eth0 netns ${HOST[$l.$h]} up mtu $TOPO_HOST_MTU \
gso_max_size $TOPO_GSO address ${HOST_MAC[$l.$h]} \
type veth peer name h$h netns ${LEAF[l]} mtu $TOPO_HOST_MTU"
		done
	done
	batch_core_links
}

batch_leaf_links() {
	local l=$1 link s p state

	for link in ${LEAF_LINKS[l]}; do
		s=${link%.*} p=${link#*.} state=up
		! topo_is_cut "$l.$link" || state=down
		batch links "link add up$((s * TOPO_LINKS + p)) netns ${LEAF[l]} $state $fabric \
type veth peer name down$l.$p netns ${SPINE[s]} $fabric"
	done
}

batch_core_links() {
	local s c state

	for ((s = 0; s < TOPO_SPINES; s++)); do
		for ((c = 0; c < TOPO_CORES; c++)); do
			state=up
			! topo_is_cut "spine$s-core$c" || state=down
			batch links "link add core$c netns ${SPINE[s]} $state $fabric \
type veth peer name spine$s netns ${CORE[c]} $fabric"
		done
	done
}

# Adds a path of the multipath route to the VTEP of leaf $2 to PATHS.
batch_path() {
	local ns=$1 dst=$2 via=$3 dev=$4

	NEXTHOP_ID=$((NEXTHOP_ID + 1))
	if [[ $TOPO_NEXTHOPS == object ]]; then
		batch "$ns.ip" "nexthop add id $NEXTHOP_ID via $via dev $dev"
		PATHS+="${PATHS:+/}$NEXTHOP_ID"
	else
		PATHS+=" nexthop via $via dev $dev"
	fi
}

batch_route() {
	local ns=$1 dst=$2 len=$((TOPO_UNDERLAY == 6 ? 128 : 32))

	[[ $PATHS ]] || return 0	# all its links are cut
	if [[ $TOPO_NEXTHOPS == object ]]; then
		NEXTHOP_ID=$((NEXTHOP_ID + 1))
		batch "$ns.ip" "nexthop add id $NEXTHOP_ID group $PATHS" \
			"route add $dst/$len nhid $NEXTHOP_ID"
	else
		batch "$ns.ip" "route add $dst/$len$PATHS"
	fi
	PATHS=""
}

# A spine that has lost its links to a leaf is left out of paths to it.
batch_leaf_routes() {
	local l=$1 r link s p

	NEXTHOP_ID=0 PATHS=""
	for ((r = 0; r < TOPO_LEAVES; r++)); do
		((r == l)) && continue
		for link in ${LEAF_LINKS[l]}; do
			s=${link%.*} p=${link#*.}
			topo_is_cut "$l.$link" && continue
			topo_reaches "$s" "$r" || continue
			topo_link_addresses "$l" "$s" "$p"
			batch_path "${LEAF[l]}" "$r" "$SPINE_END" up$((s * TOPO_LINKS + p))
		done
		batch_route "${LEAF[l]}" "${VTEP[r]}"
	done
}

batch_spine_routes() {
	local s=$1 l

	NEXTHOP_ID=0 PATHS=""
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		if topo_same_pod "$l" "$s"; then
			batch_paths_down "$s" "$l"
		else
			batch_paths_up "$s" "$l"
		fi
		batch_route "${SPINE[s]}" "${VTEP[l]}"
	done
}

# batch_paths_down SPINE LEAF
batch_paths_down() {
	local s=$1 l=$2 p

	for ((p = 0; p < TOPO_LINKS; p++)); do
		topo_is_cut "$l.$s.$p" && continue
		topo_link_addresses "$l" "$s" "$p"
		batch_path "${SPINE[s]}" "$l" "$LEAF_END" "down$l.$p"
	done
}

# batch_paths_up SPINE LEAF
batch_paths_up() {
	local s=$1 l=$2 c

	for ((c = 0; c < TOPO_CORES; c++)); do
		topo_climbs "$s" "$c" "$l" || continue
		topo_core_addresses "$s" "$c"
		batch_path "${SPINE[s]}" "$l" "$CORE_END" "core$c"
	done
}

batch_core_routes() {
	local c=$1 l s

	NEXTHOP_ID=0 PATHS=""
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		for ((s = 0; s < TOPO_SPINES; s++)); do
			topo_descends "$c" "$s" "$l" || continue
			topo_core_addresses "$s" "$c"
			batch_path "${CORE[c]}" "$l" "$SPINE_END" "spine$s"
		done
		batch_route "${CORE[c]}" "${VTEP[l]}"
	done
}

# Each plane has a routing table, chosen by the link that the packet came by.
batch_spine_planes() {
	local s=$1 link l p any=0.0.0.0/0 len=32

	((TOPO_UNDERLAY == 6)) && any=::/0 len=128
	for link in ${SPINE_LINKS[s]}; do
		l=${link%.*} p=${link#*.}
		topo_is_cut "$l.$s.$p" && continue
		topo_link_addresses "$l" "$s" "$p"
		batch "${SPINE[s]}.ip" \
			"rule add from $any iif down$l.$p lookup $((TOPO_PLANE_TABLE + p))" \
			"route add ${VTEP[l]}/$len via $LEAF_END dev down$l.$p table $((TOPO_PLANE_TABLE + p))"
	done
}

# batch_shape NAMESPACE DEVICE RATE LIMIT [DELAY]: shapes a device. tbf is the most accurate
# bottleneck of a stock kernel: a token bucket with a FIFO limited in bytes, like a switch port's
# buffer. netem limits packets, and htb lends. The bucket holds one largest burst: tbf would segment
# a bigger packet, and a larger bucket would let bursts through faster than the link. wire is exact,
# but not part of a stock kernel.
batch_shape() {
	local ns=$1 dev=$2 rate=$3 limit=$4 delay=${5-$TOPO_DELAY}

	[[ $rate ]] || return 0
	if [[ $TOPO_QDISC == wire ]]; then
		batch "$ns.wire" "$ns $dev rate $rate limit $limit${delay:+ delay $delay}\
${TOPO_MARK:+ mark $TOPO_MARK}${TOPO_QUIET:+ quiet $TOPO_QUIET} name ${ns%-*}.$dev"
		return
	fi
	batch "$ns.tc" "qdisc add dev $dev root tbf rate $rate \
burst $((TOPO_GSO + TOPO_GSO / 8 + 2000)) limit $limit"
}

# batch_end NAMESPACE DEVICE ADDRESS FROM TO: sets up an end of a fabric link, with the rate at
# which it sends
batch_end() {
	batch "$1.ip" "address add $3/$((TOPO_UNDERLAY == 6 ? 127 : 31)) dev $2 $NODAD"
	topo_rate "$4" "$5"
	topo_delay "$4" "$5"
	# shellcheck disable=SC2153 # topo_rate sets RATE
	batch_shape "$1" "$2" "$RATE" "$TOPO_BUFFER" "$DELAY_OF"
}

batch_leaf_fabric() {
	local l=$1 link s p

	for link in ${LEAF_LINKS[l]}; do
		s=${link%.*} p=${link#*.}
		topo_link_addresses "$l" "$s" "$p"
		batch_end "${LEAF[l]}" up$((s * TOPO_LINKS + p)) "$LEAF_END" "leaf$l" "spine$s.$p"
		topo_is_cut "$l.$link" || batch "${SPINE[s]}.ip" "link set down$l.$p up"
		batch_end "${SPINE[s]}" "down$l.$p" "$SPINE_END" "spine$s.$p" "leaf$l"
	done
}

batch_core_fabric() {
	local c=$1 s

	for ((s = 0; s < TOPO_SPINES; s++)); do
		topo_core_addresses "$s" "$c"
		batch_end "${SPINE[s]}" "core$c" "$SPINE_END" "spine$s" "core$c"
		topo_is_cut "spine$s-core$c" || batch "${CORE[c]}.ip" "link set spine$s up"
		batch_end "${CORE[c]}" "spine$s" "$CORE_END" "core$c" "spine$s"
	done
}

batch_leaf_tunnels() {
	local l=$1 own=$((TOPO_HOSTS - TOPO_FOREIGN))

	batch "${LEAF[l]}.ip" "link set lo up" "address add ${VTEP[l]} dev lo $NODAD"
	batch_tunnel "$l" 0 "$own" br0 vx "$TOPO_VNI" "$TOPO_PORT" "$TOPO_VXLAN_OPTIONS"
	((!TOPO_FOREIGN)) || batch_tunnel "$l" "$own" "$TOPO_HOSTS" br1 vx1 \
		"$TOPO_FOREIGN_VNI" "$TOPO_FOREIGN_PORT" "$TOPO_FOREIGN_OPTIONS"
}

# batch_tunnel LEAF FIRST END BRIDGE DEVICE VNI PORT OPTIONS: sets up the tunnel of hosts from FIRST
# to before END
batch_tunnel() {
	local l=$1 h bridge=$4 csum=""

	[[ $TOPO_UDPCSUM ]] && csum=udpcsum
	batch "${LEAF[l]}.ip" "link add $bridge up type bridge mcast_snooping 0" \
		"link add $5 up mtu $TOPO_HOST_MTU type vxlan id $6 local ${VTEP[l]} dstport $7 \
nolearning ttl 64 $csum $8" \
		"link set $5 master $bridge"
	for ((h = $2; h < $3; h++)); do
		batch "${LEAF[l]}.ip" "link set h$h up master $bridge"
		batch_shape "${LEAF[l]}" "h$h" "$TOPO_HOST_RATE" \
			"${TOPO_PORT_BUFFER:-$TOPO_HOST_BUFFER}"
	done
	batch_tunnel_fdb "$l" "$2" "$3" "$5"
}

# Learning and flooding are off: hosts have static entries. With a single other leaf the default
# entry serves all its hosts, so that the vxlan device has one route cache per CPU for the whole
# leaf; with more leaves every host needs an entry (and a stock kernel then pins each of them to an
# uplink).
batch_tunnel_fdb() {
	local l=$1 r h dev=$4

	for ((r = 0; r < TOPO_LEAVES; r++)); do
		((r == l)) && continue
		batch "${LEAF[l]}.fdb" "fdb append 00:00:00:00:00:00 dev $dev dst ${VTEP[r]} self permanent"
		((TOPO_LEAVES > 2)) || continue
		for ((h = $2; h < $3; h++)); do
			batch "${LEAF[l]}.fdb" "fdb add ${HOST_MAC[$r.$h]} dev $dev dst ${VTEP[r]} self permanent"
		done
	done
}

batch_hosts() {
	local id ip

	for id in "${!HOST[@]}"; do
		batch hosts "netns ${HOST[$id]}" "address eth0 ${HOST_IP6[$id]}/64"
		for ip in ${HOST_IPS[$id]}; do
			batch hosts "address eth0 $ip/16"
		done
		batch_shape "${HOST[$id]}" eth0 "$TOPO_HOST_RATE" "$TOPO_HOST_BUFFER"
	done
	batch_neighbours
}

# Every host has a static neighbour for every host, so that nothing is broadcast. Its own address,
# which it never uses, is included, so that the lines are the same for all.
batch_neighbours() {
	local id ip

	((${#HOST[@]})) || return 0
	batch hosts "netns ${HOST[*]}"
	for id in "${!HOST[@]}"; do
		for ip in ${HOST_IPS[$id]} "${HOST_IP6[$id]}"; do
			printf 'neighbour eth0 %s %s\n' "$ip" "${HOST_MAC[$id]}"
		done
	done >>"$TOPO_DIR/hosts"
}

topo_write_batches() {
	local l s c

	NODAD=""
	((TOPO_UNDERLAY == 6)) && NODAD=nodad
	batch_links
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		batch_leaf_fabric "$l"
		batch_leaf_tunnels "$l"
	done
	for ((c = 0; c < TOPO_CORES; c++)); do
		batch_core_fabric "$c"
		batch_core_routes "$c"
	done
	for ((l = 0; l < TOPO_LEAVES; l++)); do batch_leaf_routes "$l"; done
	for ((s = 0; s < TOPO_SPINES; s++)); do
		batch_spine_routes "$s"
		[[ $TOPO_SPINE != plane ]] || batch_spine_planes "$s"
	done
	batch_hosts
}
