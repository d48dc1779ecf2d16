#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# keepalived moves the address of a tunnel between two machines, leaf 1 and leaf 2, while leaf 0
# sends to that address. The machines speak VRRP by a link of their own, since the spines are
# routers, and the new master's script changes the spines' routes, as in clouds. keepalived stops,
# a link fails, and keepalived is killed, which leaves the address on both machines. At the end
# the other machine has no conga any longer.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/failures.sh"

TOPO_LEAVES=3
TOPO_LINKS=1

readonly ADDRESS=10.0.0.20	# of the tunnel, which moves
readonly PRIORITY=(0 200 100)	# leaf 1 is master whenever it can

declare -A VRRP=()		# leaf -> process

# ---- the machines ----

# takes_routes LEAF: prints the script of the new master
takes_routes() {
	local s

	echo "#!/bin/sh"
	for s in 0 1; do
		topo_link_addresses "$1" "$s" 0
		echo "ip -n ${SPINE[s]} route replace $ADDRESS/32 via $LEAF_END dev down$1.0"
	done
}

# vrrp_file LEAF: a machine that has lost a link gives up the address
vrrp_file() {
	cat <<-END
		global_defs {
			script_user root
			vrrp_version 3
		}
		vrrp_instance tunnel {
			interface sync
			virtual_router_id 51
			priority ${PRIORITY[$1]}
			advert_int 1
			track_interface {
				up0
			}
			virtual_ipaddress {
				$ADDRESS/32 dev lo
			}
			notify_master $TOPO_DIR/master$1
		}
	END
}

# The process starts another one, which speaks VRRP, and starts it again if it ends.
vrrp_up() {
	local dir=$TOPO_DIR/vrrp$1

	mkdir -p "$dir" && vrrp_file "$1" >"$dir/conf" || return
	takes_routes "$1" >"$TOPO_DIR/master$1" && chmod 755 "$TOPO_DIR/master$1" || return
	nsenter --net="/run/netns/${LEAF[$1]}" keepalived -n -P -l -G -D -f "$dir/conf" \
		-p "$dir/pid" -r "$dir/vrrp.pid" >"$dir/said" 2>&1 &
	VRRP[$1]=$!
}

vrrp_stop() {
	kill "${VRRP[1]}" && wait "${VRRP[1]}"
}

vrrp_crash() {
	kill -STOP "${VRRP[1]}" && kill -KILL "$(<"$TOPO_DIR/vrrp1/vrrp.pid")" "${VRRP[1]}" || return
	wait "${VRRP[1]}" 2>/dev/null || :
}

# tunnel LEAF LOCAL REMOTE: the only tunnel of the leaf
tunnel() {
	local ns=${LEAF[$1]}

	ip -n "$ns" -batch - <<-END || return
		link del vx
		link add vx up mtu $TOPO_HOST_MTU type vxlan id 100 local $2 dstport 4789 nolearning
		link set vx master br0
	END
	bridge -n "$ns" fdb append 00:00:00:00:00:00 dev vx dst "$3" self permanent
}

sync_link() {
	ip link add sync netns "${LEAF[1]}" type veth peer name sync netns "${LEAF[2]}" &&
		ip -n "${LEAF[1]}" address add 10.9.0.1/30 dev sync &&
		ip -n "${LEAF[2]}" address add 10.9.0.2/30 dev sync &&
		ip -n "${LEAF[1]}" link set sync up && ip -n "${LEAF[2]}" link set sync up
}

setup() {
	local l

	topo_up && sync_link && tunnel 0 "${VTEP[0]}" "$ADDRESS" || return
	leaf_nexthops 0 0 1
	ip -n "${LEAF[0]}" route add "$ADDRESS" "${NEXTHOPS[@]}" || return
	for l in 1 2; do
		tunnel "$l" "$ADDRESS" "${VTEP[0]}" && vrrp_up "$l" || return
	done
	failures_count 0.0 1.0 2.0
}

# ---- who has the address ----

has_address() {
	[[ $(ip -n "${LEAF[$1]}" address show dev lo to "$ADDRESS") ]]
}

# routes_lead LEAF: the script of this master has ended
routes_lead() {
	local s

	for s in 0 1; do
		[[ $(ip -n "${SPINE[s]}" route show "$ADDRESS") == *" dev down$1.0 "* ]] || return
	done
}

# master_is LEAF [also]: with "also" the other machine has the address, too
master_is() {
	{ has_address "$1" && routes_lead "$1"; } ||
		fail "leaf $1 is not master: $(tail -n 5 "$TOPO_DIR/vrrp$1/said")" || return
	if [[ ${2-} ]]; then
		has_address $((3 - $1))
	else
		! has_address $((3 - $1))
	fi
}

# leaf 0 agrees anew if another machine answers at the address
agrees_with() {
	leaf_is 0 "conga answers" "$ADDRESS" && leaf_id_is 0 $((10 + $1)) "$ADDRESS"
}

# delivers_to LEAF [also]
delivers_to() {
	soon master_is "$@" || return
	FLOWS_TO=$1.0
	all_arrive up0 up1 || return
	[[ $WITH != "with conga" ]] || soon agrees_with "$1" ||
		fail "leaf 0 knows another machine: $(conga 0 leaf show), $(conga "$1" leaf show)"
}

# ---- failures ----

stops() {
	vrrp_stop && delivers_to 2
}

returns() {
	vrrp_up 1 && delivers_to 1
}

link_fails() {
	link_down 0 1 && delivers_to 2
}

link_returns() {
	link_up 0 1 && delivers_to 1
}

is_killed() {
	vrrp_crash && delivers_to 2 also
}

failures() {
	fails "all flows arrive at the master" delivers_to 1
	fails "keepalived stops, and all flows arrive at the other machine" stops
	fails "keepalived starts again, and all flows arrive at the first machine" returns
	fails "the master loses a link, and all flows arrive at the other machine" link_fails
	fails "the link returns, and all flows arrive at the first machine" link_returns
	fails "keepalived is killed, and all flows arrive at the other machine" is_killed
	fails "the killed keepalived starts again, and all flows arrive at the first machine" returns
}

# The new machine says nothing to hellos, and drops stamped packets, until leaf 0 knows it.
plain_takes_over() {
	conga 2 fabric del && vrrp_stop && soon master_is 2 || return
	soon leaf_is 0 "lost silent" "$ADDRESS" && FLOWS_TO=2.0 && all_arrive up0 up1
}

congas_up() {
	local l

	for l in 0 1 2; do
		conga "$l" fabric add leaf-id $((10 + l)) || return
	done
	with_conga
}

agrees() {
	{ congas_up && soon agrees_with 1; } || fail "leaf 0 is not conga: $(conga 0)"
}

tap_plan 17
require_root
require_commands ip bridge nft jq keepalived
require_module
setup || die "cannot set up"
failures
tap_test "congad finds uplinks and leaves, and leaf 0 agrees with the master" agrees
failures
fails "the address moves to a machine without conga, and all flows arrive there" plain_takes_over
fails "the address returns to the machine with conga, and all flows arrive there" returns
topo_down
tap_exit
