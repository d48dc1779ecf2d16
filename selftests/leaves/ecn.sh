#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Marks of nodes that know nothing of conga: spines without a fabric set CE, by a rule or by the
# queue of their link. Packets to a leaf that has ecn on, too, leave with ECT, whatever is inside;
# what is inside is delivered as RFC 6040 wants, in all sixteen combinations; the marks are fed back
# and flowlets avoid the path. Towards all other leaves nothing changes, and no packet is lost when
# ecn is switched, or a leaf leaves, under marked traffic.
#
# Code takes no time in this machine, so that no verdict depends on the speed of the computer.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/tcp.sh"

TOPO_LEAVES=4			# 0 and 1 have ecn on; 2 has it off; 3 has no fabric
TOPO_LINKS=1
TOPO_UDPCSUM=on			# the IPv4 underlay needs it
TOPO_FABRIC_MTU=1700
TOPO_QDISC=wire
TOPO_RATE=25mbit
TOPO_BUFFER=150000		# bytes, 48 ms
TOPO_MARK=20000			# bytes that wait in a link's queue until it marks
FABRIC_RATE=1tbit		# of the DREs alone, so that CE of stamps stays 0
QUIET="hello 100ms"

# ECN fields by their values
readonly FIELDS=(not-ect ect1 ect0 ce)
readonly ECT1=1 ECT0=2 CE=3
# The port of a datagram tells its inner field, and the outer one that spines give it.
readonly FIRST_PORT=9216 PORT_MASK=0xfff3
readonly EACH=4			# datagrams of a combination
readonly DATAGRAMS=300 PARTS=20
readonly FEW=$((DATAGRAMS / 5)) MANY=$((DATAGRAMS * 2 / 5))	# half of them is expected
readonly ANY_VLAN=4		# its lower bits are zero, where a tunnel looks for Not-ECT
readonly TAGGED=10.44.0.2	# host 1 in that VLAN
readonly FLUSH_NS=4000000	# leaf 1 waits so long for frames to merge

# presently COMMAND...: repeats the command for thirty rounds of hellos; if it still fails, it prints
# the reason
presently() {
	busywait 3000 "$@" >/dev/null || "$@"
}

# ---- fields of packets ----

# outer_field FIELD [WORDS]: spines give all packets of tunnels that have ECT this outer field, or
# those that WORDS match
outer_field() {
	local ns

	for ns in "${SPINE[@]}"; do spine_sets "$ns" "$@" || return; done
}

# spine_sets NAMESPACE FIELD [WORDS]
spine_sets() {
	in_ns "$1" nft -f - <<-END
		table inet marks
		delete table inet marks
		table inet marks {
			chain forward {
				type filter hook forward priority 0;
				udp dport $TOPO_PORT $IP ecn != not-ect ${3-} $IP ecn set $2
			}
		}
	END
}

outer_is_kept() {
	local ns

	for ns in "${SPINE[@]}"; do
		! in_ns "$ns" nft list table inet marks &>/dev/null ||
			in_ns "$ns" nft delete table inet marks || return
	done
}

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

# send TO COUNT [OPTION]...: sends datagrams from host 0, each by a new socket
send() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$2" -l 200 "${@:3}" "${HOST_IP[$1.0]}" - &&
		sleep 0.002
}

send_all_combinations() {
	local port

	for ((port = FIRST_PORT; port < FIRST_PORT + 16; port++)); do
		send 1 "$EACH" -p "$port" || return
	done
}

# outer_fields [LEAF]: prints "INNER-PORT OUTER-FIELD COUNT" of each kind of captured data packet
# that left leaf 0, to a leaf or to all
outer_fields() {
	local to=""

	[[ ! ${1-} ]] || to=$(address_digits "${VTEP[$1]}")
	capture_bytes all "${LEAF[0]}" | awk -v v6="$((TOPO_UNDERLAY == 6))" -v to="$to" '
		function field(at, bytes) { return substr($4, 2 * at + 1, 2 * bytes) }
		{ ip = v6 ? 40 : 20 }
		to && field(16, 4) != to { next }
		field(ip + 12, 3) != "fffffe" {
			print field(ip + 52, 2), v6 ? substr($4, 3, 1) : substr($4, 4, 1)
		}' | by_field
}

# by_field: reads "PORT DIGIT" lines, whose digit has the field in its lower bits
by_field() {
	local port digit

	while read -r port digit; do echo "$((16#$port)) $((16#$digit & 3))"; done |
		sort -n | uniq -c | awk '{ print $2, $3, $1 }'
}

# address_digits ADDRESS: prints an IPv4 address as it is in a header
address_digits() {
	local octets

	IFS=. read -ra octets <<<"$1"
	printf '%02x' "${octets[@]}"
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

# delivered_for INNER OUTER: prints the field of RFC 6040, figure 4, of a packet whose field was
# restored
delivered_for() {
	case $1$2 in
	0?) echo 0 ;;
	?"$CE"|"$CE"?) echo "$CE" ;;
	"$ECT0$ECT1") echo "$ECT1" ;;
	*) echo "$1" ;;
	esac
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
	[[ $(outer_fields 2>/dev/null) == "$expected" ]] ||
		fail "ports, outer fields and counts are $(outer_fields | paste -sd,)"
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

# ---- counters, agreement ----

# All came marked, and nothing inside is ECT.
packets_are_counted() {
	stats_mark "${LEAF[0]}" && stats_mark "${LEAF[1]}" && unwanted_mark "${HOST[1.0]}" || return
	outer_field ce && send 1 20 -p 9 && unwanted_arrive 1000 "${HOST[1.0]}" 20 &&
		outer_is_kept || return
	stats_grew "${LEAF[0]}" ecn_sent=20 &&
		stats_grew "${LEAF[1]}" "ecn_marked=20 ecn_restored=20"
}

# agrees LEAF JSON: what leaf 0 tells of ecn to the leaf
agrees() {
	local said

	said=$(conga 0 -j leaf show "${VTEP[$1]}" | jq -c '.[0].ecn')
	[[ $said == "$2" ]] || fail "ecn to leaf $1 is $said, expected $2"
}

agreement_is_shown() {
	agrees 1 true && agrees 2 false && agrees 3 false || return
	[[ $(conga 0 leaf show "${VTEP[1]}") == *" ecn on "* &&
		$(conga 0 leaf show "${VTEP[2]}") == *" ecn off "* ]] ||
		fail "conga leaf show prints: $(conga 0 leaf show)" || return
	conga 2 -j leaf show | json_is 'all(has("ecn") | not)' ||
		fail "a leaf with ecn off tells of ecn"
}

# fields_to LEAF FIELD: packets to the leaf have this outer field
fields_to() {
	observed send "$1" 20 -p 9 || return
	[[ $(outer_fields "$1") == "9 $2 20" ]] ||
		fail "ports, outer fields and counts to leaf $1 are $(outer_fields "$1" | paste -sd,)"
}

others_get_no_ect() {
	stats_mark "${LEAF[0]}" && fields_to 2 0 && fields_to 3 0 || return
	stats_grew "${LEAF[0]}" tx_stamped=20 || return
	[[ $(stats_growth "${LEAF[0]}") != *ecn_sent* ]] || fail "$(stats_growth "${LEAF[0]}")"
}

# played FLAGS ECN FIELD: a leaf whose hellos have these flags gets packets with this field
played() {
	player_start "${LEAF[3]}" -f "$1" && presently leaf_is 0 "conga answers" "${VTEP[3]}" &&
		presently agrees 3 "$2" && fields_to 3 "$3" && player_stop
}

previous_version_gets_no_ect() {
	conga 0 leaf set "${VTEP[3]}" mode auto && played 0x00 false 0 && played 0x08 true "$ECT0" &&
		conga 0 leaf set "${VTEP[3]}" mode plain
}

# Each hello has the flag 0x08, CS6 and no ECT.
hellos_tell() {
	local said

	observed sleep 1 || return
	said=$(capture_bytes all "${LEAF[0]}" | awk -v to="$(address_digits "${VTEP[1]}")" '
		function field(at, bytes) { return substr($4, 2 * at + 1, 2 * bytes) }
		field(16, 4) == to && field(32, 3) == "fffffe" && field(41, 1) == "01" {
			print field(1, 1), substr($4, 85, 1) }' | sort -u)
	[[ $said == "c0 0" ]] || fail "$said"
}

# ---- marks as feedback ----

# over_up0: sets OVER to the datagrams of DATAGRAMS that left by up0, and REMOTE to the largest
# metric that is known of it
over_up0() {
	local metrics

	unwanted_mark "${HOST[1.0]}" && packets "${LEAF[0]}" up0 tx && OVER=$PACKETS || return
	metrics=$(watch_metrics) && unwanted_arrive 1000 "${HOST[1.0]}" "$DATAGRAMS" || return
	packets "${LEAF[0]}" up0 tx && OVER=$((PACKETS - OVER)) REMOTE=$(sort -n <<<"$metrics" | tail -n 1)
	echo "# about $OVER of $DATAGRAMS datagrams left by up0, whose metric was up to $REMOTE"
}

# Sends in parts, and prints the remote metric of up0 behind each.
watch_metrics() {
	local i

	for ((i = 0; i < PARTS; i++)); do
		"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c $((DATAGRAMS / PARTS)) -i 800 -l 200 -p 9 \
			"${HOST_IP[1.0]}" - || return
		conga 0 -j path show leaf "${VTEP[1]}" | jq '.[] | select(.dev == "up0") | .remote'
	done
}

path_is_avoided() {
	over_up0 || return
	((OVER <= FEW && REMOTE > 0)) ||
		fail "$OVER datagrams left by up0, expected at most $FEW; its metric was $REMOTE"
}

path_is_not_avoided() {
	over_up0 || return
	((OVER >= MANY && REMOTE == 0)) ||
		fail "$OVER datagrams left by up0, expected at least $MANY; its metric was $REMOTE"
}

marking_spine_is_avoided() {
	spine_sets "${SPINE[0]}" ce && path_is_avoided && outer_is_kept
}

# Both leaves must have ecn on.
without_ecn_it_is_not() {
	conga 1 fabric set ecn off && presently agrees 1 false && spine_sets "${SPINE[0]}" ce &&
		path_is_not_avoided && outer_is_kept && conga 1 fabric set ecn on &&
		presently agrees 1 true
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

every_policy_sends_ect() {
	local policy

	for policy in local letflow ecmp conga; do
		conga 0 fabric set policy "$policy" && stats_mark "${LEAF[0]}" && send 1 10 -p 9 &&
			stats_grew "${LEAF[0]}" ecn_sent=10 || fail "policy $policy" || return
	done
}

# ---- changes under marked traffic ----

# stream_while COMMAND...: all datagrams of a marked stream arrive, whatever the command does
stream_while() {
	local sender status=0

	outer_field ce && unwanted_mark "${HOST[1.0]}" || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c 1000 -i 1000 -l 200 -p 9 "${HOST_IP[1.0]}" - &
	sender=$!
	"$@" || status=1
	wait "$sender" && unwanted_arrive 1000 "${HOST[1.0]}" 1000 && outer_is_kept && return "$status"
}

# switched LEAF: switches ecn off and on again
switched() {
	conga "$1" fabric set ecn off && sleep 0.2 && conga "$1" fabric set ecn on && sleep 0.2
}

# Other leaves learn of it by their next hello, this leaf knows it at once: the next tick of hellos
# is 2.5 s away. Entropy also changes the outer header.
off_is_off_at_once() {
	conga 0 fabric set hello 10s entropy 2 && sleep 0.1 && fields_to 1 "$ECT0" &&
		conga 0 fabric set ecn off && fields_to 1 0 && conga 0 fabric set ecn on &&
		fields_to 1 "$ECT0" && conga 0 fabric set entropy 1 hello 100ms
}

switching_loses_none() {
	stream_while switched 1 && stream_while switched 0 && presently leaves_agree
}

# by_up0_alone COMMAND...
by_up0_alone() {
	local status=0

	conga 0 port set up1 drain on || return
	"$@" || status=1
	conga 0 port set up1 drain off && return "$status"
}

# The goodbye message comes while 35 ms of packets wait in the queue of the uplink, which marks.
leaves_with_a_queue() {
	local arrived

	unwanted_mark "${HOST[1.0]}" && stats_mark "${LEAF[1]}" || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c 80 -l 1200 -p 9 "${HOST_IP[1.0]}" - || return
	stats_grown "${LEAF[1]}" rx_stamped
	conga 1 fabric del && unwanted_arrive 1000 "${HOST[1.0]}" 80 || return
	arrived=$GROWTH
	((arrived < 40)) || fail "$arrived datagrams arrived before the leaf left, so nothing was tested"
}

leaving_loses_none() {
	by_up0_alone leaves_with_a_queue || return
	presently leaf_is 0 "plain bye" "${VTEP[1]}" && fabric_leaf 1 conga auto &&
		conga 1 fabric set ecn on && leaves_agree
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

# ---- configuration ----

setting_is_saved() {
	conga 2 fabric set ecn on && conga 2 save >"$TOPO_DIR/saved" || return
	grep -q '^fabric add .* ecn on' "$TOPO_DIR/saved" || fail "$(<"$TOPO_DIR/saved")" || return
	conga 2 fabric set ecn off && conga 2 -j fabric show | json_is '.[0].ecn == false' &&
		conga 2 sync "$TOPO_DIR/saved" && conga 2 -j fabric show | json_is '.[0].ecn == true' &&
		conga 2 fabric del && conga 2 restore "$TOPO_DIR/saved" &&
		conga 2 -j fabric show | json_is '.[0].ecn == true' ||
		fail "the fabric is $(conga 2 fabric show)" || return
	[[ $(conga 2 fabric show) == *" ecn on "* ]] || fail "$(conga 2 fabric show)" || return
	presently agrees 2 true
}

refusals_have_sentences() {
	local before

	before=$(conga 2 -j fabric show)
	says 1 "Error: This policy finds paths by probes, so ecn must be off." \
		conga 2 fabric set policy hula &&
		says 1 "Error: This policy finds paths by queues in packets, so ecn must be off." \
			conga 2 fabric set policy tr || return
	[[ $(conga 2 -j fabric show) == "$before" ]] || fail "a rejected request changed the fabric" ||
		return
	conga 2 fabric set policy hula ecn off &&
		says 1 "Error: This policy finds paths by probes, so ecn must be off." \
			conga 2 fabric set ecn on || return
	conga 2 fabric set policy tr &&
		says 1 "Error: This policy finds paths by queues in packets, so ecn must be off." \
			conga 2 fabric set ecn on
}

# ---- all of it ----

leaves_agree() {
	presently leaf_is 0 "conga answers" "${VTEP[1]}" && presently agrees 1 true &&
		presently conga_agrees_back
}

conga_agrees_back() {
	conga 1 -j leaf show "${VTEP[0]}" | json_is '.[0].ecn == true'
}

# Routes and neighbours are known after the first packets.
setup() {
	local l ns

	TOPO_UNDERLAY=$1 IP=ip${1/4/}
	topo_up && tunnel_says_nothing && hosts_say_nothing && settle || return
	for l in 0 1 2; do fabric_leaf "$l" conga auto || return; done
	conga 0 fabric set ecn on && conga 1 fabric set ecn on &&
		conga 0 leaf set "${VTEP[3]}" mode plain || return
	PIN=()
	for ns in "${LEAF[@]:0:2}" "${SPINE[@]}" "${HOST[0.0]}" "${HOST[1.0]}"; do
		pin "$ns" || return
	done
	presently leaf_is 0 "conga answers" "${VTEP[1]}" &&
		presently leaf_is 1 "conga answers" "${VTEP[0]}" &&
		presently leaf_is 0 "conga answers" "${VTEP[2]}" &&
		send 1 20 -p 9 && send 2 20 -p 9 && send 3 20 -p 9
}

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
tap_plan 25
fields 6
topo_down
fields 4
tap_test "the copy of a packet keeps the field that is put back in the packet" copies_keep_their_field
tap_test "sent, marked and restored packets are counted" packets_are_counted
tap_test "leaf show tells to which leaves ecn is agreed" agreement_is_shown
tap_test "packets to leaves without ecn, and to plain leaves, have no ECT" others_get_no_ect
tap_test "a leaf of the previous version gets no ECT" previous_version_gets_no_ect
tap_test "hellos have the flag, and no ECT" hellos_tell
tap_test "marks of a spine are fed back, and flowlets avoid the spine" marking_spine_is_avoided
tap_test "they do not if one of the leaves has ecn off" without_ecn_it_is_not
tap_test "a link whose queue marks is avoided" long_queue_is_avoided
tap_test "CE of stamps is fed back if it is more than marks tell" stamps_count_too
tap_test "all policies that have no paths of their own send ECT" every_policy_sends_ect
tap_test "ecn off means no ECT from the next packet on" off_is_off_at_once
tap_test "no marked packet is lost when ecn is switched off and on" switching_loses_none
tap_test "no marked packet is lost when a leaf leaves" leaving_loses_none
tap_test "packets are merged and delivered in order around marked ones" merging_keeps_order
tap_test "the setting is saved, restored and synchronised" setting_is_saved
tap_test "policies hula and tr are rejected with ecn on" refusals_have_sentences
tap_exit
