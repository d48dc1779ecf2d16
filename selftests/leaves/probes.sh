#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Invalid probes: malformed, looping, about unknown leaves, or forged about a leaf, by ports that
# lead to this leaf and by one that does not. All are counted by reason. Traffic to the leaf
# continues on its paths, and on no other link. Memory does not grow, and the number of packets
# and events that these probes cause is bounded. PROBES is their number, ten thousand by default.
#
# The program also tests the diagnostics of probes: tracepoints, and the delay of the timer.

# Addresses and datagrams are single words.
# shellcheck disable=SC2086
TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/tables.sh"
. "$TESTS/lib/control_packets.sh"

readonly PROBES=${PROBES:-10000} BEFORE=10000 ROUNDS=10	# a round has hundreds of probes
readonly GROWTH_KIB=2000
readonly TP=1s TP_S=1 TFAIL_S=3
readonly ALL=224.0.0.1 ALL_MAC=01:00:5e:00:00:01
readonly PACKETS=$((1000 + PROBES / 100)) APART_US=1000
readonly PATIENCE_MS=20000
readonly BEHIND=10.99.0.2 BEHIND_MAC=02:00:00:00:99:02
readonly TRACING=/sys/kernel/tracing

# ---- set up ----

# Creates a tunnel to the played leaf, on which the kernel sends no packets of its own, and a
# third port, which does not lead to this leaf.
setup_hula() {
	setup && in_ns "${LEAF[0]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || return
	ip -n "${LEAF[0]}" -batch - <<-END || return
		link add friend up type vxlan id 777 local ${VTEP[0]} remote $FRIEND dstport 4789 ttl 64
		address add 10.99.0.1/24 dev friend
		neighbour add $BEHIND lladdr $BEHIND_MAC dev friend nud permanent
	END
	conga_batch "${LEAF[0]}" <<-END
		fabric set hello off explicit-feedback off policy hula probe $TP
		port add side role transit rate 1tbit
		leaf add $FRIEND mode plain
		leaf add $FRIEND6 mode plain
	END
}

# Counts the packets of the tunnel that arrive by each link.
count_arrivals() {
	local at

	for at in "${SPINE[0]} down0.0" "${SPINE[1]} down0.0" "${HOST[0.0]} side"; do
		in_ns "${at% *}" nft -f - <<-END || return
			table netdev arrivals {
				counter came { }
				chain in {
					type filter hook ingress device "${at#* }" priority 0;
					ip daddr $FRIEND udp dport 4789 counter name came
				}
			}
		END
	done
}

# arrived NAMESPACE
arrived() {
	in_ns "$1" nft -j list counter netdev arrivals came | jq '.nftables[1].counter.packets'
}

# ---- probes ----

# probe FIELD=VALUE... ADDRESS UTILISATION HOPS
probe() {
	local tail addr=${*: -3:1}

	if [[ $addr == *:* ]]; then
		addr=$(address_hex "$addr")
	else
		addr=00000000000000000000ffff$(address_hex "$addr")
	fi
	printf -v tail '%s%02x%02x0000' "$addr" "${@: -2}"
	control type=4 flags=0 nonce=0 "${@:1:$#-3}" "records=$tail"
}

# probing LINK [-OPTION VALUE]... DATAGRAM...: sends to all systems, by up0, up1 or side
probing() {
	local ns dev=down0.0 options=()

	case $1 in
	up0) ns=${SPINE[0]} ;;
	up1) ns=${SPINE[1]} ;;
	side) ns=${HOST[0.0]} dev=side ;;
	esac
	shift
	while [[ $1 == -* ]]; do
		options+=("$1" "$2")
		shift 2
	done
	"$TESTS/tools/vxlan_send" -n "$ns" -d "$dev" -m "$ALL_MAC" -s 10.1.0.1 "${options[@]}" \
		"$ALL" "$@"
}

# lies: prints ten datagrams, of which three could be accepted
lies() {
	probe $FRIEND 0 8
	probe $FRIEND6 200 8
	probe $FRIEND 100 1
	probe "id=$((16#$LEAF_ID))" $FRIEND 0 8
	probe $STRANGER 0 8
	probe magic=434e4742 $FRIEND 0 8
	probe version=2 $FRIEND 0 8
	control type=1
	probe $FRIEND 0 0
	probe $FRIEND 0 8 | cut -c 1-100
}

# campaign COUNT
campaign() {
	local tenth=$(($1 / 10)) list

	mapfile -t list < <(lies)
	probing up0 -h 255 -r $((3 * tenth)) "${list[@]}" &&
		probing up1 -h 255 -r $((3 * tenth)) "${list[@]}" &&
		probing side -h 255 -r $((2 * tenth)) "${list[@]}" &&
		probing up0 -h 254 -r "$tenth" "${list[@]}" &&
		probing up0 -h 255 -x 1234 -r "$tenth" "${list[@]}"
}

# Each port often reports a better metric than the other.
campaigns() {
	local i

	for ((i = 0; i < ROUNDS; i++)); do campaign $((PROBES / ROUNDS)) || return; done
}

# ---- results ----

# The letters refer to the list above: of the probes by up0, up1 and side each kind is one tenth.
judged() {
	local n=$(($1 / 100)) taken better grown word

	grown=$(growth)
	taken=$(grown_by probe_taken) better=$(grown_by probe_no_better)
	((taken + better == 18 * n)) ||
		fail "$taken probes were taken and $better were no better, of $((18 * n))" || return
	for word in probe_own=$((8 * n)) probe_unknown_leaf=$((8 * n)) probe_not_path=$((6 * n)) \
		probe_distant=$((10 * n)) probe_malformed=$((50 * n)); do
		[[ " $grown " == *" $word "* ]] ||
			fail "the counters do not have $word: $grown" || return
	done
}

# grown_by NAME
grown_by() {
	growth | tr ' ' '\n' | awk -F= -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

all_judged() {
	judged "$1" >/dev/null
}

slab_kib() {
	awk '$1 == "Slab:" { print $2 }' /proc/meminfo
}

# Each datagram is a flow of its own during the whole test.
traffic_start() {
	"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -c "$PACKETS" -i "$APART_US" -p 9 -l 100 "$BEHIND" - &
	TRAFFIC=$!
}

# Each packet arrived by one of the two links that lead to the leaf.
traffic_arrived() {
	local by=() ns

	for ns in "${SPINE[0]}" "${SPINE[1]}" "${HOST[0.0]}"; do by+=("$(arrived "$ns")"); done
	echo "# of $PACKETS packets ${by[0]} by up0, ${by[1]} by up1"
	((by[0] + by[1] == PACKETS && by[2] == 0)) ||
		fail "of $PACKETS packets ${by[0]} left by up0, ${by[1]} by up1, ${by[2]} by side"
}

# At least Tp lies between two forwarded probes, and at least Tfail between two changes of a path.
within_bounds() {
	local seconds=$1 sent told

	sent=$(grown_by probe_handed_on)
	((sent <= 2 * 2 * (seconds / TP_S + 2))) ||
		fail "$sent probes were handed on in $seconds s" || return
	told=$(grep -c . "$TOPO_DIR/told")
	((told <= 2 * 2 * 2 * (seconds / TFAIL_S + 1))) ||
		fail "$told events were sent in $seconds s"
}

# Sends PROBES probes together with traffic.
lies_are_counted() {
	local before after began seconds monitor

	count_arrivals && campaign $BEFORE || return
	"$CONGA" -n "${LEAF[0]}" -j monitor path >"$TOPO_DIR/told" &
	monitor=$!
	before=$(slab_kib)
	mark
	began=$SECONDS
	traffic_start
	campaigns && busywait "$PATIENCE_MS" all_judged "$PROBES" || judged "$PROBES" || return
	seconds=$((SECONDS - began + 1))
	wait "$TRAFFIC" || fail "the traffic ended with status $?" || return
	after=$(slab_kib)
	kill "$monitor" && wait "$monitor"
	echo "# $PROBES probes in $seconds s: $(growth); slab $before KiB before, $after after"
	((after - before < GROWTH_KIB)) ||
		fail "the slab memory grew from $before to $after KiB" || return
	(($(grown_by probe_moved) >= ROUNDS)) || fail "the best hop changed too seldom" || return
	traffic_arrived && within_bounds "$seconds"
}

# ---- diagnostics ----

# The trace shows the result of each probe, and each change of the best hop.
traced() {
	local seen

	[[ -d $TRACING/events/conga ]] || {
		why "this kernel has no tracepoints"
		return "$KSFT_SKIP"
	}
	conga 0 fabric set probe off && conga 0 fabric set probe $TP || return
	: >$TRACING/trace
	echo 1 >$TRACING/events/conga/enable
	probing up0 -h 255 "$(probe $FRIEND 9 8)" "$(probe $STRANGER 9 8)" &&
		probing up1 -h 255 "$(probe $FRIEND 12 8)" "$(probe $FRIEND 7 8)" &&
		probing side -h 255 "$(probe $FRIEND 0 8)" && probing up0 -h 254 "$(probe $FRIEND 0 8)"
	echo 0 >$TRACING/events/conga/enable
	seen=$(sed -n 's/.*: \(conga_[a-z_]*: .*\)/\1/p' $TRACING/trace)
	[[ $seen == "\
conga_hop_changed: leaf ::ffff:$FRIEND from - to up0 utilisation 9
conga_probe: leaf ::ffff:$FRIEND dev up0 utilisation 9 taken
conga_probe: leaf ::ffff:$STRANGER dev up0 utilisation 9 unknown_leaf
conga_probe: leaf ::ffff:$FRIEND dev up1 utilisation 12 no_better
conga_hop_changed: leaf ::ffff:$FRIEND from up0 to up1 utilisation 7
conga_probe: leaf ::ffff:$FRIEND dev up1 utilisation 7 taken
conga_probe: leaf ::ffff:$FRIEND dev side utilisation 0 not_path
conga_probe: leaf :: dev up0 utilisation 0 distant" ]] || fail "the trace has $seen"
}

# A timer is never exactly in time.
timer_was_late() {
	conga 0 -j fabric show | json_is '.[0].probe_latest_ns > 0'
}

# The tool shows the average and the largest delay of the timer, and nothing where no probes are
# sent.
lateness() {
	conga 0 fabric set probe 10ms && busywait "$PATIENCE_MS" timer_was_late ||
		fail "no lateness is shown: $(conga 0 -j fabric show)" || return
	conga 0 -j fabric show | json_is '.[0] | 0 <= .probe_late_ns and
		.probe_late_ns <= .probe_latest_ns' &&
		[[ $(conga 0 -d fabric show) =~ " probe-late "[0-9].*" probe-latest "[0-9] ]] ||
		fail "$(conga 0 -d fabric show)" || return
	echo "# $(conga 0 -d fabric show | grep -o 'probe-late .* probe-latest [^ ]*'), each 10 ms"
	conga 0 fabric set probe off || return
	[[ $(conga 0 -d fabric show) != *probe-late* ]] || fail "$(conga 0 -d fabric show)"
}

require_root
require_commands ip nft jq awk tcpdump ethtool
require_module
tap_plan 3
setup_hula || die "the fabric cannot be set up"
tap_test "$PROBES false probes are counted by reason, traffic keeps its paths, and no memory grows" \
	lies_are_counted
tap_test "tracepoints report what happened to each probe" traced
tap_test "the lateness of the probe timer is shown" lateness
tap_exit
