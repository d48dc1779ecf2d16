#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows BIRD: eBGP between leaves and spines that have no addresses on their links, but
# fe80::1 at each spine's end and fe80::2 at each leaf's. IPv4 routes have IPv6 next hops (RFC
# 8950). A link, a BIRD and a spine's announcement fail and return.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/failures.sh"

TOPO_LINKS=1

declare -A BIRD=()		# namespace -> process

# ---- BIRD ----

# common ROUTER: prints what leaves and spines have alike
common() {
	cat <<-END
		log stderr all;
		router id $1;
		protocol device {
		}
		protocol direct {
			ipv4;
			interface "lo";
		}
		protocol kernel {
			merge paths;
			ipv4 { export where source = RTS_BGP; };
		}
		template bgp underlay {
			ipv4 {
				extended next hop;
				import all;
				export all;
			};
			connect retry time 1;
			connect delay time 1;
			error wait time 1, 2;
		}
	END
}

# leaf_file LEAF
leaf_file() {
	local s

	common "${VTEP[$1]}"
	for s in 0 1; do
		cat <<-END
			protocol bgp spine$s from underlay {
				local as $((65001 + $1));
				neighbor fe80::1%up$s as 65000;
			}
		END
	done
}

# spine_file SPINE
spine_file() {
	local l

	common "10.0.0.$((1 + $1))"
	for l in 0 1; do
		cat <<-END
			protocol bgp leaf$l from underlay {
				local as 65000;
				neighbor range fe80::/64 external;
				interface "down$l.0";
			}
		END
	done
}

# bird_up NAMESPACE
bird_up() {
	nsenter --net="/run/netns/$1" bird -f -c "$TOPO_DIR/bird.$1" -s "$TOPO_DIR/bird.$1.ctl" \
		>"$TOPO_DIR/bird.$1.said" 2>&1 &
	BIRD[$1]=$!
}

# bird_killed NAMESPACE: it ends as in a crash
bird_killed() {
	kill -KILL "${BIRD[$1]}" && { wait "${BIRD[$1]}" 2>/dev/null || :; }
}

# link_addresses SPINE LEAF: both ends of the link
link_addresses() {
	ip -n "${SPINE[$1]}" address replace fe80::1/64 dev "down$2.0" &&
		ip -n "${LEAF[$2]}" address replace fe80::2/64 dev "up$1"
}

# no_routes NAMESPACE: only the loopback has an IPv4 address, and the kernel's own routes stay
no_routes() {
	local dev

	for dev in up0 up1 down0.0 down1.0; do
		[[ ! $(ip -n "$1" link show dev "$dev" 2>/dev/null) ]] ||
			ip -n "$1" -4 address flush dev "$dev" || return
	done
	ip -n "$1" -4 route flush proto boot
}

setup() {
	local n m

	topo_up || return
	for n in 0 1; do
		ip -n "${SPINE[n]}" address add "10.0.0.$((1 + n))/32" dev lo &&
			no_routes "${SPINE[n]}" && no_routes "${LEAF[n]}" || return
		for m in 0 1; do link_addresses "$n" "$m" || return; done
		spine_file "$n" >"$TOPO_DIR/bird.${SPINE[n]}"
		leaf_file "$n" >"$TOPO_DIR/bird.${LEAF[n]}"
	done
	for n in "${SPINE[@]}" "${LEAF[@]}"; do bird_up "$n"; done
	failures_count 0.0 1.0
}

# ---- failures ----

# delivers UPLINK...: of both leaves
delivers() {
	routes_become "$*" && all_arrive "$@"
}

link_fails() {
	ip -n "${SPINE[0]}" link set down1.0 down && delivers up1
}

# A device that was down has lost its addresses.
link_returns() {
	ip -n "${SPINE[0]}" link set down1.0 up && link_addresses 0 1 && delivers up0 up1
}

spine_killed() {
	bird_killed "${SPINE[0]}" && delivers up1
}

spine_returns() {
	bird_up "${SPINE[0]}" && delivers up0 up1
}

# Meanwhile there is no route to the leaf.
leaf_restarts() {
	kill "${BIRD[${LEAF[1]}]}" && wait "${BIRD[${LEAF[1]}]}"
	routes_become "" && bird_up "${LEAF[1]}" && delivers up0 up1
}

failures() {
	fails "BIRD's routes lead by both uplinks, and all flows arrive" delivers up0 up1
	fails "a link fails, and all flows arrive by the other spine" link_fails
	fails "the link returns, and all flows arrive" link_returns
	fails "a spine's BIRD is killed, and all flows arrive by the other spine" spine_killed
	fails "the spine's BIRD starts again, and all flows arrive" spine_returns
	fails "a leaf's BIRD stops and starts, and all flows arrive" leaf_restarts
}

tap_plan 13
require_root
require_commands ip nft jq bird
require_module
setup || die "cannot set up"
failures
tap_test "congad finds uplinks and leaves, and the leaves agree" congas_agree
failures
topo_down
tap_exit
