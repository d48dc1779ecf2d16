#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Docker's overlay networks, with the kernel's objects as its library libnetwork makes them, but
# without Docker. The tunnel is made in the node's namespace and moved into a sandbox, a namespace
# with a bridge; each container of another node has a permanent neighbour and a forwarding entry
# there. An encrypted network marks its packets, and has an IPsec policy for that mark. A spine
# fails, Docker restarts, a node is lost from Docker's gossip, and the keys rotate.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/failures.sh"
. "$TESTS/lib/esp.sh"

TOPO_LINKS=1

readonly VNI=4097 MARK=0xd0c4e3	# the numbers of libnetwork
readonly KEYS=(00112233445566778899aabbccddeeff ffeeddccbbaa99887766554433221100)

declare -a SANDBOX=()		# of each leaf

# ---- libnetwork's objects ----

sandbox_ip() {
	ip -n "${SANDBOX[$1]}" "${@:2}"
}

# sandbox_up LEAF: the container's end of the network is the host's
sandbox_up() {
	local l=$1 name=vx-001001-$1

	ip -n "${LEAF[l]}" link add "$name" mtu 1450 type vxlan id "$VNI" dstport 4789 proxy \
		l2miss l3miss && ip netns add "${SANDBOX[l]}" &&
		ip -n "${LEAF[l]}" link set "$name" netns "${SANDBOX[l]}" name vxlan0 &&
		sandbox_ip "$l" -batch - <<-END || return
			link add br0 up type bridge
			link set vxlan0 up master br0
		END
	peer_added "$l"
}

sandbox_down() {
	[[ ! -e /run/netns/${SANDBOX[$1]} ]] || ip netns del "${SANDBOX[$1]}"
}

# peer_added LEAF: Docker has heard of the container at the other node
peer_added() {
	local peer=$((1 - $1)).0

	sandbox_ip "$1" neighbour add "${HOST_IP[$peer]}" lladdr "${HOST_MAC[$peer]}" dev vxlan0 \
		nud permanent &&
		bridge -n "${SANDBOX[$1]}" fdb add "${HOST_MAC[$peer]}" dev vxlan0 \
			dst "${VTEP[1 - $1]}" self permanent
}

peer_deleted() {
	local peer=$((1 - $1)).0

	sandbox_ip "$1" neighbour del "${HOST_IP[$peer]}" dev vxlan0 &&
		bridge -n "${SANDBOX[$1]}" fdb del "${HOST_MAC[$peer]}" dev vxlan0 self
}

# container_up LEAF: the container has no neighbours of its own, but asks for them
container_up() {
	local l=$1

	ip link add eth0 netns "${HOST[$l.0]}" mtu 1450 address "${HOST_MAC[$l.0]}" type veth \
		peer name veth0 netns "${SANDBOX[l]}" mtu 1450 &&
		sandbox_ip "$l" link set veth0 up master br0 &&
		ip -n "${HOST[$l.0]}" -batch - <<-END
			link set eth0 up
			address add ${HOST_IP[$l.0]}/16 dev eth0
		END
}

# node LEAF
node() {
	SANDBOX[$1]=sandbox$1-${TOPO_DIR##*.}
	defer "sandbox_down $1"
	ip -n "${LEAF[$1]}" -batch - <<-END || return
		link del vx
		link del br0
		link del h0
	END
	leaf_route "$1" 0 1 && sandbox_up "$1" && container_up "$1"
}

# state LEAF FROM KEY: adds the state of packets from a leaf to the other one
state() {
	ip -n "${LEAF[$1]}" xfrm state add src "${VTEP[$2]}" dst "${VTEP[1 - $2]}" proto esp \
		spi "0x1$3$2" reqid $((MARK)) mode transport \
		aead "rfc4106(gcm(aes))" "0x${KEYS[$3]}0000000$2" 64
}

# policy LEAF {add|update} KEY
policy() {
	local ends=(src "${VTEP[$1]}" dst "${VTEP[1 - $1]}")

	ip -n "${LEAF[$1]}" xfrm policy "$2" "${ends[@]}" proto udp dport 4789 dir out \
		mark "$MARK" mask 0xffffffff \
		tmpl "${ends[@]}" proto esp spi "0x1$3$1" reqid $((MARK)) mode transport
}

# marked LEAF: the rules of libnetwork, which match the VNI: a mark leads to another route, by
# IPsec, and packets in clear are dropped
marked() {
	in_ns "${LEAF[$1]}" nft -f - <<-END
		table ip docker {
			chain output {
				type route hook output priority mangle;
				udp dport 4789 @th,96,24 $VNI meta mark set $MARK
			}
			chain input {
				type filter hook input priority filter;
				udp dport 4789 @th,96,24 $VNI meta secpath missing drop
			}
		}
	END
}

# ---- failures ----

spine_fails() {
	link_down 0 1 && routes_avoid 0 && all_arrive up1
}

spine_returns() {
	link_up 0 1 && routes_avoid && all_arrive up0 up1
}

# Docker removes what it finds at its start. The container's device, and what counts there, go with
# the sandbox.
docker_restarts() {
	sandbox_down 1 && in_ns "${HOST[1.0]}" nft delete table netdev in &&
		sandbox_up 1 && container_up 1 && failures_count 1.0 && all_arrive up0 up1
}

gossip_returns() {
	peer_deleted 0 && peer_deleted 1 && peer_added 0 && peer_added 1 && all_arrive up0 up1
}

failures() {
	fails "all flows of the overlay arrive" all_arrive up0 up1
	fails "a spine fails, and all flows arrive by the other one" spine_fails
	fails "the spine returns, and all flows arrive" spine_returns
	fails "Docker restarts with a new sandbox, and all flows arrive" docker_restarts
	fails "a node is lost and found by the gossip, and all flows arrive" gossip_returns
}

encrypts() {
	local l

	for l in 0 1; do
		state "$l" 0 0 && state "$l" 1 0 && policy "$l" add 0 && marked "$l" || return
	done
	esp_left && arrive_encrypted
}

# The order is libnetwork's: first keys to receive with, then those to send with.
keys_rotate() {
	local l

	for l in 0 1; do state "$l" $((1 - l)) 1 || return; done
	for l in 0 1; do
		state "$l" "$l" 1 && policy "$l" update 1 &&
			ip -n "${LEAF[l]}" xfrm state del src "${VTEP[l]}" dst "${VTEP[1 - l]}" \
				proto esp spi "0x10$l" || return
	done
	arrive_encrypted
}

# congad sees no tunnel in its namespace, so that the node's role and leaf are told to it.
congas_up() {
	conga 0 fabric add && conga 0 leaf add "${VTEP[1]}" &&
		conga 1 fabric add && conga 1 leaf add "${VTEP[0]}" || return
	congas_agree -m leaf
}

setup() {
	modprobe -qa esp4 xfrm_user gcm seqiv aes_generic
	topo_up && node 0 && node 1 && esp_watch && failures_count 0.0 1.0
}

tap_plan 13
require_root
require_commands ip bridge nft jq
require_module
setup || die "cannot set up"
failures
tap_test "congad finds the uplinks, and the nodes agree" congas_up
failures
FLOWS_COUNTER=fallback_xfrm
fails "all flows of an encrypted network arrive, and none leaves in clear" encrypts
fails "the keys rotate, and all flows arrive" keys_rotate
topo_down
tap_exit
