#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ownership of bytes: the module must not trust bytes of an unprivileged sender while the sender
# can still write them. A process sends VXLAN by a UDP socket and rewrites the headers while the
# packets, each delayed at the uplink, are in transit. It uses send(), MSG_ZEROCOPY, splice and
# sendfile, each with single datagrams and with segments of one call. The control runs without
# conga on the process's leaf: the bytes that were written after the output hooks leave, and the
# other leaf accepts them. With conga all datagrams arrive, and the other leaf sees no stamp.
#
# A rule before conga's hook writes a DSCP into each datagram without a stamp, so that an arriving
# datagram shows whether its stamp was written later.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/tables.sh"

TOPO_SPINES=1
TOPO_LINKS=1

readonly NOBODY=65534
readonly CALLS=150 SEGMENTS=4
readonly DELAY=5ms		# delay at the uplink, after all hooks
readonly PATIENCE_MS=10000

# These are the methods of sending, and the number of datagrams in a call.
readonly WAYS=(copy zerocopy splice sendfile)

# These are the VNI that forge sends, and its word without and with a stamp.
readonly VNI=0x000063 CLEAN=0x08000000 STAMPED=0x084f0f00

# ---- set up ----

# Segments are cut behind the queue, so that leaf 1 sees each datagram.
uplink_slow() {
	in_ns "${LEAF[0]}" ethtool -K up0 tx-udp-segmentation off >/dev/null &&
		tc -n "${LEAF[0]}" qdisc add dev up0 root netem delay "$DELAY" limit 100000
}

hooks_up() {
	local ours="udp dport 4789 @th,96,24 $VNI"

	in_ns "${LEAF[0]}" nft -f - <<-END || return
		table inet before {
			chain out {
				type filter hook output priority 0;
				$ours @th,64,32 $CLEAN meta nfproto ipv4 ip dscp set cs1
				$ours @th,64,32 $CLEAN meta nfproto ipv6 ip6 dscp set cs1
			}
		}
	END
	in_ns "${LEAF[1]}" nft -f - <<-END
		table netdev seen {
			counter came { }
			counter clean { }
			counter stamped { }
			counter late { }
			chain in {
				type filter hook ingress device "up0" priority 0;
				$ours counter name came
				$ours @th,64,32 $CLEAN counter name clean
				$ours @th,64,32 $STAMPED counter name stamped
				$ours @th,64,32 $STAMPED ip dscp cs1 counter name late
				$ours @th,64,32 $STAMPED ip6 dscp cs1 counter name late
			}
		}
	END
}

# Counters are exact when no other traffic exists. The rate is such that no burst raises CE.
leaf_up() {
	conga_batch "${LEAF[$1]}" <<-END
		fabric add $QUIET age 10s
		port add dev up0 role uplink rate 1tbit tag 0
		leaf add ${VTEP[1 - $1]} mode conga
	END
}

setup() {
	TOPO_UNDERLAY=$1
	topo_up && tunnel_says_nothing && neighbours_meet && neighbours_stay && uplink_slow &&
		hooks_up && leaf_up 1
}

# ---- sending ----

# seen_read: sets SEEN, by name
seen_read() {
	local previous="" name="" word said

	said=$(in_ns "${LEAF[1]}" nft list counters table netdev seen) || return
	for word in $said; do
		case $previous in
		counter) name=$word ;;
		packets) SEEN[$name]=$word ;;
		esac
		previous=$word
	done
}

seen_all() {
	seen_read && ((SEEN[came] - ALL >= $1))
}

# forge METHOD SEGMENTS [OPTION]: all datagrams arrive. Sets SEEN to the counts of leaf 1.
forge() {
	local count=$((CALLS * $2)) name
	local -A before=()

	seen_read || return
	for name in "${!SEEN[@]}"; do before[$name]=${SEEN[$name]}; done
	ALL=${SEEN[came]}
	stats_mark "${LEAF[0]}" 2>/dev/null	# fails without a fabric
	stats_mark "${LEAF[1]}"
	SAID=$("$TESTS/tools/forge" -n "${LEAF[0]}" -u "$NOBODY" -s "${VTEP[0]}" -c "$CALLS" -g "$2" \
		"${@:3}" "$1" "${VTEP[1]}" 2>&1) || fail "$SAID" || return
	busywait "$PATIENCE_MS" seen_all "$count"
	seen_read || return
	for name in "${!SEEN[@]}"; do SEEN[$name]=$((SEEN[$name] - before[$name])); done
	((SEEN[came] == count)) || fail "${SEEN[came]} of $count datagrams arrived"
}

# ---- tests ----

# believed METHOD SEGMENTS: the control. Segments of a copy may differ, too, since copying takes a
# while.
believed() {
	forge "$@" || return
	stats_grown "${LEAF[1]}" rx_learnt
	[[ $2 != 1 ]] || LATE[$1]=${SEEN[late]}
	echo "# $SAID; ${SEEN[stamped]} with a stamp, ${SEEN[late]} written late, $GROWTH believed"
	((GROWTH > 0 && SEEN[stamped] > 0 && SEEN[clean] > 0)) ||
		fail "${SEEN[stamped]} packets had a stamp, ${SEEN[clean]} had none," \
			"$GROWTH were accepted" || return
	case $1.$2 in
	copy.1) ((SEEN[late] == 0)) || fail "${SEEN[late]} copied packets were written late" ;;
	zerocopy.*) ((SEEN[late] > 0)) || fail "no packet was written late" ;;
	esac
}

# copied METHOD SEGMENTS: all packets are copied if the kernel took pages of the sender. Some
# kernels copy spliced data.
copied() {
	stats_grown "${LEAF[0]}" tx_copied
	((GROWTH == CALLS || (GROWTH == 0 && LATE[$1] == 0))) ||
		fail "$GROWTH of $CALLS packets were copied"
}

# not_believed METHOD SEGMENTS: some datagrams had a stamp when they were checked, and some had
# none
not_believed() {
	forge "$@" || return
	stats_grown "${LEAF[0]}" tx_forged
	echo "# $SAID; $GROWTH of $CALLS packets with a stamp when conga looked"
	((SEEN[stamped] == 0 && SEEN[clean] == SEEN[came])) ||
		fail "${SEEN[stamped]} of ${SEEN[came]} packets left with a stamp," \
			"${SEEN[late]} of them written late" ||
		return
	((GROWTH > 0 && GROWTH < CALLS)) ||
		fail "$GROWTH of $CALLS packets were counted as forged" || return
	copied "$@" && stats_moved "${LEAF[1]}" "" && tables_are_empty
}

# not_written METHOD SEGMENTS: the module clears the packet, and never the memory of its sender
not_written() {
	forge "$@" -k || return
	stats_grown "${LEAF[0]}" tx_forged
	((SEEN[clean] == SEEN[came] && GROWTH == CALLS)) ||
		fail "$GROWTH of $CALLS packets were counted as forged," \
			"${SEEN[clean]} of ${SEEN[came]} are clean"
}

tables_are_empty() {
	table_has 1 from-leaf "${VTEP[0]}" || return
	[[ $(rows_to_leaf) == "$TO_LEAF" ]] ||
		fail "the to-leaf table is $(rows_to_leaf), it was $TO_LEAF"
}

rows_to_leaf() {
	table_rows 1 to-leaf "${VTEP[0]}" && echo "$ROWS"
}

# A new fabric has learnt nothing yet.
fabrics_anew() {
	conga 1 fabric del && leaf_up 1 && leaf_up 0
}

# by_all_ways TEXT FUNCTION
by_all_ways() {
	local way

	for way in "${WAYS[@]}"; do
		tap_test "v$TOPO_UNDERLAY: $1, by $way" "$2" "$way" 1
		tap_test "v$TOPO_UNDERLAY: $1, by $way in segments" "$2" "$way" "$SEGMENTS"
	done
}

underlay() {
	LATE=()
	setup "$1" || die "cannot set up: $TAP_WHY"
	by_all_ways "without conga a process forges stamps" believed
	fabrics_anew || die "no fabric"
	TO_LEAF=$(rows_to_leaf)
	by_all_ways "an unprivileged process forges no stamp while it rewrites what it sends" \
		not_believed
	by_all_ways "memory and files of the process are unchanged when stamps are cleared" \
		not_written
	topo_down
}

declare -A SEEN=() LATE=()
tap_plan $((2 * 3 * 2 * ${#WAYS[@]}))
require_root
require_commands ip tc nft ethtool
require_module
underlay 4
underlay 6
tap_exit
