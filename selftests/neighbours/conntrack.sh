#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Control packets together with connection tracking and NAT. They are untracked when they are
# sent, and leave no entry when they are consumed. NAT keeps their source, and a firewall's chains
# still see them.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/hellos.sh"

TOPO_LINKS=1
QUIET=				# the default interval, 300 ms

readonly LAST=2147483644	# priority of the last input hook that sees control packets

# Only packets of conga pass the leaves: the tunnel sends none from now on, and neighbour packets
# are not tracked.
tunnel_is_still() {
	local l

	for l in 0 1; do
		ip -n "${LEAF[l]}" link set h0 down && ip -n "${LEAF[l]}" link set br0 down &&
			ip -n "${LEAF[l]}" link set vx down || return
	done
}

# tracking LEAF: tracks connections from now on, after conga's own hooks. A packet that the tunnel
# sent before may still wait for a neighbour; it is dropped before it is tracked.
tracking() {
	in_ns "${LEAF[$1]}" nft -f - <<-END
	table inet tracking {
		counter untracked { }
		counter seen { }
		chain before {
			type filter hook prerouting priority -300;
			$CONTROL accept
			udp dport 4789 drop
		}
		chain out {
			type filter hook postrouting priority 0;
			udp dport 4789 ct state untracked counter name untracked
		}
		chain in {
			type filter hook input priority $LAST;
			udp dport 4789 ct state new counter name seen
		}
	}
	END
}

masquerade() {
	in_ns "${LEAF[$1]}" nft -f - <<-END
	table inet nat {
		chain out {
			type nat hook postrouting priority 100;
			oifname { "up0", "up1" } masquerade
		}
	}
	END
}

# counted LEAF COUNTER: the counter is above zero
counted() {
	local list

	list=$(in_ns "${LEAF[$1]}" nft list counter inet tracking "$2") || return
	[[ $list =~ packets\ [1-9] ]] || fail "$2: $list"
}

# entries LEAF: prints the entries of UDP that connection tracking keeps. Other entries do not
# belong to conga: IGMP sends reports at any time.
entries() {
	in_ns "${LEAF[$1]}" grep " udp " /proc/net/nf_conntrack
}

both_answer() {
	leaf_becomes 0 "conga answers" && leaf_becomes 1 "conga answers"
}

no_entry() {
	both_answer || return
	pause_rounds
	[[ ! $(entries 0) && ! $(entries 1) ]] || fail "$(entries 0), $(entries 1)"
}

untracked() {
	counted 0 untracked && counted 1 untracked
}

chains_see() {
	counted 0 seen && counted 1 seen
}

source_stays() {
	masquerade 0 && masquerade 1 || fail "the masquerade rule cannot be added" || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	pause_rounds
	leaf_is 0 "conga answers" && leaf_is 1 "conga answers" || return
	[[ "$(stats_growth "${LEAF[0]}") $(stats_growth "${LEAF[1]}")" != *unknown_leaf* ]] ||
		fail "$(stats_growth "${LEAF[0]}") $(stats_growth "${LEAF[1]}")" || return
	no_entry
}

underlay() {
	TOPO_UNDERLAY=$1
	{ topo_up && tunnel_is_still && fabric_leaf 0 conga auto && fabric_leaf 1 conga auto &&
		tracking 0 && tracking 1; } || die "cannot set up"
	tap_test "v$1: control packets leave no entry in either leaf's connection tracking" no_entry
	tap_test "v$1: control packets are untracked on output" untracked
	tap_test "v$1: input chains of any priority before the last three see control packets" \
		chains_see
	tap_test "v$1: masquerading on uplinks leaves the source of control packets unchanged" \
		source_stays
	topo_down
}

tap_plan 8
require_root
require_commands ip nft
require_module
unshare -n nft 'table ip t { chain c { ct state new accept; }; }' 2>/dev/null ||
	tap_skip_all "needs connection tracking"
underlay 4
underlay 6
tap_exit
