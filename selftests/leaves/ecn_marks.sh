#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Marks of nodes that know nothing of conga: spines without a fabric set CE, by a rule or by the
# queue of their link. Packets to a leaf that has ecn on, too, leave with ECT, whatever is inside;
# what is inside is delivered as RFC 6040 wants, in all sixteen combinations; the marks are fed back
# and flowlets avoid the path.
#
# Code takes no time in this machine, so that no verdict depends on the speed of the computer.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/tcp.sh"
. "$TESTS/lib/ecn_fabric.sh"

readonly FIELDS=(not-ect ect1 ect0 ce)	# nft's words, by the values of ECN fields
# The port of a datagram tells its inner field, and the outer one that spines give it.
readonly FIRST_PORT=9216 PORT_MASK=0xfff3
readonly EACH=4			# datagrams of a combination
readonly DATAGRAMS=300 PARTS=20
readonly FEW=$((DATAGRAMS / 5)) MANY=$((DATAGRAMS * 2 / 5))	# half of them is expected
readonly ANY_VLAN=4		# its lower bits are zero, where a tunnel looks for Not-ECT
readonly TAGGED=10.44.0.2	# host 1 in that VLAN
readonly FLUSH_NS=4000000	# leaf 1 waits so long for frames to merge

# ---- fields of packets ----

# Spines and the host set the fields that the inner ports tell.
fields_follow_ports() {
	local field

	{
		echo "table inet marks { chain forward { type filter hook forward priority 0;"
		for field in 0 1 2 3; do
			echo "udp dport $TOPO_PORT @th,416,16 & $PORT_MASK == $((FIRST_PORT + field))" \
				"$IP ecn set ${FIELDS[field]}"
		done
		printf '}\n}\n'
	} >"$TOPO_DIR/outer"
	{
		echo "table ip inner { chain output { type filter hook output priority 0;"
		for field in 0 1 2 3; do
			echo "udp dport $((FIRST_PORT + 4 * field))-$((FIRST_PORT + 4 * field + 3))" \
				"ip ecn set ${FIELDS[field]}"
		done
		printf '}\n}\n'
	} >"$TOPO_DIR/inner"
	in_ns "${SPINE[0]}" nft -f "$TOPO_DIR/outer" && in_ns "${SPINE[1]}" nft -f "$TOPO_DIR/outer" &&
		in_ns "${HOST[0.0]}" nft -f "$TOPO_DIR/inner"
}

send_all_combinations() {
	local port

	for ((port = FIRST_PORT; port < FIRST_PORT + 16; port++)); do
		send 1 "$EACH" -p "$port" || return
	done
}

# inner_fields: prints "PORT FIELD COUNT" of the datagrams that came to host 1
inner_fields() {
	capture_bytes inner "${HOST[1.0]}" | awk '{ print substr($4, 45, 4), substr($4, 4, 1) }' | by_field
}

# ---- RFC 6040 ----

# What leaves leaf 0 for an inner field: what the kernel writes, or ECT(0) in place of Not-ECT
sent_for() {
	(($1 == ECT1)) && echo "$ECT1" || echo "$ECT0"
}

# expected FUNCTION: prints the lines for all sixteen combinations
expected() {
	local inner outer

	for inner in 0 1 2 3; do
		for outer in 0 1 2 3; do
			echo "$((FIRST_PORT + 4 * inner + outer)) $("$1" "$inner" "$outer") $EACH"
		done
	done
}

# Tunnels log packets that are ECT outside alone.
no_complaints() {
	local said

	said=$(dmesg | grep -c "non-ECT from")
	((said == 0)) || fail "the tunnel complained about the outer field"
}

all_combinations() {
	fields_follow_ports && capture_start inner "${HOST[1.0]}" eth0 -Q in \
		"udp dst portrange $FIRST_PORT-$((FIRST_PORT + 15))" || return
	observed send_all_combinations && capture_stop inner && outer_is_kept &&
		in_ns "${HOST[0.0]}" nft delete table ip inner
}

sent_with_ect() {
	local expected

	leaves_agree && all_combinations || return
	expected=$(expected sent_for)
	[[ $(outer_fields all 2>/dev/null) == "$expected" ]] ||
		fail "ports, outer fields and counts are $(outer_fields all | paste -sd,)"
}

delivered_as_they_should() {
	local expected

	expected=$(expected delivered_for)
	[[ $(inner_fields) == "$expected" ]] ||
		fail "ports, inner fields and counts are $(inner_fields | paste -sd,)" || return
	no_complaints
}

# frames_came COUNT
frames_came() {
	(($(capture_count frames "ether proto 0x88b5") == $1))
}

others_are_delivered() {
	outer_field ce || return
	capture_start frames "${HOST[1.0]}" eth0 -Q in ether proto 0x88b5 &&
		in_ns "${HOST[0.0]}" "$TESTS/tools/frames" eth0 "${HOST_MAC[1.0]}" 20 &&
		presently frames_came 20 && capture_stop frames || fail "frames were lost" || return
	tag_hosts && unwanted_mark "${HOST[1.0]}" || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c 20 -p 9 "$TAGGED" - &&
		unwanted_arrive 1000 "${HOST[1.0]}" 20 || return
	ip -n "${HOST[0.0]}" link del eth0.v && outer_is_kept
}

# Host 1 is in a VLAN with host 0.
tag_hosts() {
	local h

	for h in 0 1; do
		ip -n "${HOST[$h.0]}" -batch - <<-END || return
			link add link eth0 name eth0.v up type vlan id $ANY_VLAN
			address add ${TAGGED%.*}.$((h + 1))/24 dev eth0.v
		END
	done
}

# A copy of a packet shares its header, and is looked at after the packet was delivered.
copies_keep_their_field() {
	local dev count

	ip -n "${LEAF[1]}" link add copy0 up type veth peer name copy1 &&
		ip -n "${LEAF[1]}" link set copy1 up || return
	for dev in up0 up1; do
		tc -n "${LEAF[1]}" qdisc add dev "$dev" clsact &&
			tc -n "${LEAF[1]}" filter add dev "$dev" ingress matchall \
				action mirred egress mirror dev copy0 || return
	done
	unwanted_mark "${HOST[1.0]}" && capture_start copies "${LEAF[1]}" copy1 -Q in \
		"udp port $TOPO_PORT and udp[12:4] & 0xffffff00 != 0xfffffe00 and ip[1] & 3 != 0" &&
		send 1 20 -p 9 && unwanted_arrive 1000 "${HOST[1.0]}" 20 && capture_stop copies || return
	for dev in up0 up1; do tc -n "${LEAF[1]}" qdisc del dev "$dev" clsact || return; done
	ip -n "${LEAF[1]}" link del copy0
	count=$(capture_count copies udp)
	((count == 20)) || fail "$count of 20 copies have ECT"
}

# ---- checksums ----

no_offloads() {
	offloads_off "${LEAF[@]:0:2}" "${SPINE[@]}" "${HOST[0.0]}" "${HOST[1.0]}"
}

# bad_checksums: prints the number of captured packets with a wrong one of IP or UDP, or none
bad_checksums() {
	capture_text all -vv udp port "$TOPO_PORT" | grep -cE 'bad (udp )?cksum|no cksum|incorrect'
}

# The capture makes each header a shared one.
checksums_are_right() {
	local errors bad

	CAPTURE_BYTES=2000
	no_offloads && outer_field ce && unwanted_mark "${HOST[1.0]}" || return
	observed send 1 20 -p 9 && unwanted_arrive 1000 "${HOST[1.0]}" 20 &&
		tcp_crosses -C 1e6 -l 1 -S 20000 -n 5 -c 2 || return
	CAPTURE_BYTES=256
	bad=$(bad_checksums) errors=$(csum_errors "${!PIN[@]}")
	[[ $bad == 0 && $errors == 0 ]] || fail "$bad captured packets and $errors received ones" \
		"had wrong checksums" || return
	outer_is_kept && corruption_is_seen "$errors"
}

# This control corrupts the inner identification.
corruption_is_seen() {
	local errors

	outer_field ce "@th,416,16 9 @th,272,16 set 0xdead" && send 1 5 -p 9 || return
	errors=$(csum_errors "${!PIN[@]}")
	((errors - $1 == 5)) || fail "$errors wrong checksums are counted for 5" || return
	outer_is_kept
}

# ---- marks as feedback ----

# All came marked, and nothing inside is ECT.
packets_are_counted() {
	stats_mark "${LEAF[0]}" && stats_mark "${LEAF[1]}" && unwanted_mark "${HOST[1.0]}" || return
	outer_field ce && send 1 20 -p 9 && unwanted_arrive 1000 "${HOST[1.0]}" 20 &&
		outer_is_kept || return
	stats_grew "${LEAF[0]}" ecn_sent=20 &&
		stats_grew "${LEAF[1]}" "ecn_marked=20 ecn_restored=20"
}

# over_up0: sets OVER to the datagrams of DATAGRAMS that left by up0, and REMOTE to the largest
# metric that is known of it
over_up0() {
	local metrics

	unwanted_mark "${HOST[1.0]}" && packets "${LEAF[0]}" up0 tx && OVER=$PACKETS || return
	metrics=$(watch_metrics) && unwanted_arrive 1000 "${HOST[1.0]}" "$DATAGRAMS" || return
	packets "${LEAF[0]}" up0 tx && OVER=$((PACKETS - OVER)) REMOTE=$(sort -n <<<"$metrics" | tail -n 1)
	echo "# about $OVER of $DATAGRAMS datagrams left by up0, whose metric was up to $REMOTE"
}

remote_metric() {
	conga 0 -j path show leaf "${VTEP[1]}" | jq '.[] | select(.dev == "up0") | .remote'
}

# Sends in parts, and prints the remote metric of up0 behind each.
watch_metrics() {
	local i

	for ((i = 0; i < PARTS; i++)); do
		"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c $((DATAGRAMS / PARTS)) -i 800 -l 200 -p 9 \
			"${HOST_IP[1.0]}" - || return
		remote_metric || return
	done
}

path_is_avoided() {
	over_up0 || return
	((OVER <= FEW && REMOTE > 0)) ||
		fail "$OVER datagrams left by up0, expected at most $FEW; its metric was $REMOTE"
}

# metric_is METRIC: leaf 0 knows this remote metric of up0
metric_is() {
	local metric

	metric=$(remote_metric) || return
	((metric == $1)) || fail "the metric of up0 is $metric, expected $1"
}

# A metric of full scale that is not heard again ages for eight times Tage until it is nothing.
path_is_not_avoided() {
	presently metric_is 0 && over_up0 || return
	((OVER >= MANY && REMOTE == 0)) ||
		fail "$OVER datagrams left by up0, expected at least $MANY; its metric was $REMOTE"
}

marking_spine_is_avoided() {
	spine_sets "${SPINE[0]}" ce && path_is_avoided && outer_is_kept
}

# Both leaves must have ecn on.
without_ecn_it_is_not() {
	local status=0

	conga 1 fabric set ecn off && presently agrees 1 false && spine_sets "${SPINE[0]}" ce &&
		path_is_not_avoided && outer_is_kept || status=1
	# The tests below need it.
	conga 1 fabric set ecn on && presently agrees 1 true && return "$status"
}

# queue NAMESPACE DEVICE: others send as much as the link takes, behind a queue that marks
queue_start() {
	"$TESTS/tools/timetable" >/dev/null <<-END &
		frames load $1 $2
		zero 1000000
		$(for ((i = 0; i < 32; i++)); do echo "send load 1250"; done
		for ((i = 0; i < 1500; i++)); do echo "at $((i * 400000))"; echo "send load 1250"; done)
	END
	QUEUE=$!
}

# What waits is sent within 48 ms.
queue_stop() {
	kill "$QUEUE" 2>/dev/null
	wait "$QUEUE" || :
	sleep 0.1
}

long_queue_is_avoided() {
	local status=0

	queue_start "${SPINE[0]}" down1.0 && sleep 0.05 || return
	path_is_avoided || status=1
	queue_stop
	return "$status"
}

# ce_of LEAF: prints the largest CE that was heard from leaf 0
ce_of() {
	conga "$1" -j table show from-leaf leaf "${VTEP[0]}" | jq '[.[].rows[].metric] | max'
}

# The load of uplinks is what stamps say, and no packet is marked.
stamps_count_too() {
	local dev ce

	conga 0 fabric set tdre 16us >/dev/null 2>&1 && stats_mark "${LEAF[1]}" || return
	for dev in up0 up1; do conga 0 port set "$dev" rate 1mbit || return; done
	send 1 20 -i 2000 -p 9 && ce=$(ce_of 1) || return
	for dev in up0 up1; do conga 0 port set "$dev" rate 1tbit || return; done
	conga 0 fabric set tdre auto || return
	[[ $(stats_growth "${LEAF[1]}") != *ecn_marked* ]] || fail "packets were marked" || return
	[[ $ce == 7 ]] || fail "CE is $ce, expected 7"
}

# ---- GRO ----

disorder() {
	snmp_of "${HOST[1.0]}" TcpExtTCPOFOQueue
}

# Each fifth packet is marked: packets before and behind it are merged, and overtake nothing.
merged_in_order() {
	local before frames merged

	outer_field ce "oifname down1.0 numgen inc mod 5 0" || return
	before=$(disorder) && frames=$(link_counter "${LEAF[1]}" up0 rx packets) &&
		merged=$(link_counter "${LEAF[1]}" vx rx packets) || return
	tcp_crosses -b -C 1e7 -l 1 -S 200000 -n 5 -c 1 || return
	frames=$(($(link_counter "${LEAF[1]}" up0 rx packets) - frames))
	merged=$(($(link_counter "${LEAF[1]}" vx rx packets) - merged))
	echo "# $frames frames became $merged packets"
	((2 * merged < frames)) || fail "too few packets were merged" || return
	(($(disorder) == before)) || fail "$(($(disorder) - before)) packets came out of order" ||
		return
}

# Other feedback in a packet separates it from those before, too. It stays the same while
# acknowledgements come by one path, which they do not load.
merging_keeps_order() {
	conga 1 port set up0 rate 100gbit && conga 1 port set up1 drain on && no_offloads &&
		in_ns "${LEAF[1]}" ethtool -K up0 gro on >/dev/null &&
		ip netns exec "${LEAF[1]}" sh -c "echo $FLUSH_NS >/sys/class/net/up0/gro_flush_timeout" ||
		return
	by_up0_alone merged_in_order && outer_is_kept
}

# ---- all of it ----

fields() {
	setup "$1" || die "the fabric cannot be set up"
	tap_test "v$1: packets to a leaf with ecn are sent with ECT, whatever is inside" sent_with_ect
	tap_test "v$1: all combinations of inner and outer fields are delivered by RFC 6040" \
		delivered_as_they_should
	tap_test "v$1: marked packets without IP inside, or with a VLAN tag, are delivered" \
		others_are_delivered
	tap_test "v$1: checksums are right without offloads" checksums_are_right
}

require_root
require_commands ip jq tcpdump nft ethtool nstat
require_module
require_exact_time
[[ -d /sys/module/wire ]] || insmod "$(module_file lab/wire)" || die "wire.ko cannot be loaded"
tap_plan 15
fields 6
topo_down
fields 4
tap_test "the copy of a packet keeps the field that is put back in the packet" copies_keep_their_field
tap_test "sent, marked and restored packets are counted" packets_are_counted
tap_test "marks of a spine are fed back, and flowlets avoid the spine" marking_spine_is_avoided
tap_test "they do not if one of the leaves has ecn off" without_ecn_it_is_not
tap_test "a link whose queue marks is avoided" long_queue_is_avoided
tap_test "CE of stamps is fed back if it is more than marks tell" stamps_count_too
tap_test "packets are merged and delivered in order around marked ones" merging_keeps_order
tap_exit
