#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Golden bytes: the eight bytes of the VXLAN header on the wire are compared with constants. There
# are three uplinks, whose LBTags differ from their indices, and each uplink is the only path to a
# leaf of its own. CE comes from a DRE that holds this one packet, and feedback is the metric that
# the leaf last sent. The tests cover plain VXLAN and GPE, over IPv4 and IPv6, with metrics of
# three bits and of six. They also cover Group Based Policy, which uses the same bits: its packets
# must arrive unchanged.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"

TOPO_SPINES=1
TOPO_LINKS=3
TOPO_HOSTS=0

readonly -a UPLINKS=(0 1 2) TAGS=(3 9 15)
readonly GPE_PORT=4790 GBP_PORT=4791 GBP_EXTERNAL_PORT=4792	# in addition to 4789
readonly SINK=9
readonly PATIENCE_MS=20000

# The DREs have alpha 0.5 and Tdre 10 ms, so tau is 20 ms and C * tau is 2,500, 5,000 and 10,000
# bytes. A frame of 1,000 bytes is 0.4, 0.2 and 0.1 of these. With q 3 the metrics are 3, 1 and 0;
# with q 6 they are 25, 12 and 6.
readonly -a RATES=(1mbit 2mbit 4mbit)
readonly FRAME=1000

# Leaf I is 10.9.9.I, or fd09::I. It sends LBTag 12 with metric 6 of 7 or 53 of 63, LBTag 0 with
# 0, and LBTag 15 with 7 or 63; its packets have an unknown VNI.
readonly -a TEACH3=(08cc0100 08000100 08fe0100) TEACH6=(08cc01a0 08000100 08fe01e0)
readonly NO_VNI=00007700

# ---- set up ----

mac_of() {
	ip -n "$1" -br link show "$2" | awk '{ print $3 }'
}

# Uplink I is the only path to leaf I, and permanent entries make neighbour discovery unnecessary.
uplink_lines() {
	local i=$1

	topo_link_addresses 0 0 "$i"
	cat <<-END
		address add fd01:0:0:$i::/127 dev up$i nodad
		neighbour replace $SPINE_END lladdr $2 dev up$i nud permanent
		neighbour add fd01:0:0:$i::1 lladdr $2 dev up$i nud permanent
		route add 10.9.9.$i/32 via $SPINE_END dev up$i
		route add fd09::$i/128 via fd01:0:0:$i::1 dev up$i
	END
}

# Behind leaf I there is a host 1I in each of four networks.
tunnel_lines() {
	local i

	cat <<-END
		link add v4 up type vxlan id 0xabcdef local ${VTEP[0]} dstport 4789 ttl 64 nolearning
		link add v6 up type vxlan id 0xfedcba local $VTEP6 dstport 4789 ttl 64 nolearning
		link add gpe up type vxlan dstport $GPE_PORT external gpe
		address add 10.61.0.1/24 dev v4
		address add 10.63.0.1/24 dev v6
		address add 10.65.0.1/32 dev gpe
	END
	for i in "${UPLINKS[@]}"; do
		cat <<-END
			neighbour add 10.61.0.1$i lladdr 02:00:00:00:00:1$i dev v4 nud permanent
			neighbour add 10.63.0.1$i lladdr 02:00:00:00:00:1$i dev v6 nud permanent
			route add 10.65.0.1$i/32 encap ip id 0x112233 src ${VTEP[0]} dst 10.9.9.$i ttl 64 dev gpe
			route add 10.67.0.1$i/32 encap ip6 id 0x332211 src $VTEP6 dst fd09::$i hoplimit 64 csum dev gpe
		END
	done
}

tunnel_entries() {
	local i

	for i in "${UPLINKS[@]}"; do
		echo "fdb add 02:00:00:00:00:1$i dev v4 dst 10.9.9.$i self permanent"
		echo "fdb add 02:00:00:00:00:1$i dev v6 dst fd09::$i self permanent"
	done
}

# These packets take the topology's own routes to leaf 1; leaf l has the address l + 1.
gbp_lines() {
	local l=$1
	local at="id 200 local ${VTEP[l]} remote ${VTEP[1 - l]} ttl 64 gbp dstport"

	cat <<-END
		link add gbp up address 02:00:00:00:02:0$((1 + l)) type vxlan $at $GBP_PORT
		address add 10.71.0.$((1 + l))/24 dev gbp
		neighbour add 10.71.0.$((2 - l)) lladdr 02:00:00:00:02:0$((2 - l)) dev gbp nud permanent
	END
}

# The external device gets its policies from routes; leaf 1 needs none of these routes.
gbp_external_lines() {
	local i

	cat <<-END
		link add gbx up address 02:00:00:00:03:01 type vxlan dstport $GBP_EXTERNAL_PORT external gbp
		address add 10.72.0.1/32 dev gbx
	END
	for i in "${!POLICIES[@]}"; do
		cat <<-END
			neighbour add 10.72.0.1$i lladdr 02:00:00:00:03:02 dev gbx nud permanent
			route add 10.72.0.1$i/32 encap ip id 201 src ${VTEP[0]} dst ${VTEP[1]} ttl 64 \
		vxlan_opts ${POLICIES[i]} dev gbx src 10.72.0.1
		END
	done
}

gbp_receiver_lines() {
	local i

	echo "link add gbx up address 02:00:00:00:03:02 type vxlan id 201 local ${VTEP[1]} \
remote ${VTEP[0]} ttl 64 gbp dstport $GBP_EXTERNAL_PORT"
	for i in "${!POLICIES[@]}"; do
		echo "address add 10.72.0.1$i/32 dev gbx"
	done
}

sender_fabric() {
	local i

	echo "fabric add $QUIET q $1 tdre 10ms alpha 0.5 age 10s dstport 4789 dstport $GPE_PORT \
dstport $GBP_PORT dstport $GBP_EXTERNAL_PORT"
	for i in "${UPLINKS[@]}"; do
		echo "port add up$i role uplink rate ${RATES[i]} tag ${TAGS[i]}"
		echo "leaf add 10.9.9.$i mode conga"
		echo "leaf add fd09::$i mode conga"
	done
	echo "leaf add ${VTEP[1]} mode conga"
}

# Packets that the kernel sends by itself would be counted in the DREs, too, and behind the spine
# no host would answer them.
silence() {
	in_ns "${LEAF[0]}" nft -f - <<-END || return
		table ip6 silence {
			chain out { type filter hook output priority 0; meta l4proto ipv6-icmp drop; }
		}
	END
	ip -n "${SPINE[0]}" route add blackhole 10.9.9.0/24 &&
		ip -n "${SPINE[0]}" route add blackhole fd09::/64 &&
		in_ns "${LEAF[0]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		in_ns "${LEAF[1]}" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		tunnel_says_nothing
}

sender_up() {
	local i

	VTEP6=fd00::11
	MAC=$(mac_of "${LEAF[0]}" up0)
	{
		echo "address add $VTEP6/128 dev lo nodad"
		for i in "${UPLINKS[@]}"; do
			uplink_lines "$i" "$(mac_of "${SPINE[0]}" "down0.$i")"
		done
		tunnel_lines
		gbp_lines 0
		gbp_external_lines
	} | ip -n "${LEAF[0]}" -batch - && tunnel_entries | bridge -n "${LEAF[0]}" -batch -
}

receiver_up() {
	{
		gbp_lines 1
		gbp_receiver_lines
	} | ip -n "${LEAF[1]}" -batch - || return
	conga_batch "${LEAF[1]}" <<-END || return
		fabric add $QUIET dstport 4789 dstport $GBP_PORT dstport $GBP_EXTERNAL_PORT
		port add up0 role uplink rate 1tbit
		port add up1 role uplink rate 1tbit
		port add up2 role uplink rate 1tbit
		leaf add ${VTEP[0]} mode conga
	END
	pin "${LEAF[1]}"
}

setup() {
	topo_up && silence && sender_up && receiver_up && sender_fabric 3 | conga_batch "${LEAF[0]}"
}

# ---- the wire ----

# The capture has all packets that leaf 0 sends, as the spine receives them, with the name of the
# device.
wire_start() {
	capture_start wire "${SPINE[0]}" any -Q in "udp dst portrange 4789-4792"
}

# Prints "LINK HEADER" for each packet that arrived by a link of leaf 0, sorted.
wire_headers() {
	capture_headers wire "${SPINE[0]}" | grep ^down0 | sort | paste -sd' '
}

# wire_is "LINK HEADER..."
wire_is() {
	local headers

	capture_stop wire || return
	headers=$(wire_headers)
	[[ $headers == "$1" ]] || fail "the headers on the wire are $headers, expected: $1"
}

# ---- golden bytes of a stamp ----

all_learnt() {
	stats_grew "${LEAF[0]}" "rx_learnt=$1"
}

# teach KIND WORD0 WORD1 WORD2: leaf I sends word I by the link of uplink 0, over the address
# family of KIND. Leaf 0 feeds it back for ten seconds.
teach() {
	local i to=${VTEP[0]} from=10.9.9. words=("${@:2}")

	[[ $1 == *4 ]] || to=$VTEP6 from=fd09::
	stats_mark "${LEAF[0]}"
	for i in "${UPLINKS[@]}"; do
		"$TESTS/tools/vxlan_send" -n "${SPINE[0]}" -d down0.0 -m "$MAC" -s "$from$i" \
			"$to" "${words[i]}$NO_VNI" || return
	done
	busywait "$PATIENCE_MS" all_learnt ${#UPLINKS[@]} || all_learnt ${#UPLINKS[@]}
}

# Setting the rate empties the DRE.
idle_ports() {
	local i

	for i in "${UPLINKS[@]}"; do
		echo "port set up$i rate ${RATES[i]}"
	done | conga_batch "${LEAF[0]}"
}

# send_frames NET HEADERS: sends to each leaf one frame, and all have the same length on the wire
send_frames() {
	local i

	idle_ports || return
	for i in "${UPLINKS[@]}"; do
		"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -p "$SINK" -l $((FRAME - $2)) "$1.1$i" - || return
	done
}

# The headers are Ethernet 14, IP 20 or 40, UDP 8 and VXLAN 8 bytes; the inner headers are
# Ethernet 14, IP 20 and UDP 8. GPE has no inner Ethernet header.
readonly -A HEADERS=([v4]=92 [v6]=112 [gpe4]=78 [gpe6]=98)
readonly -A NET=([v4]=10.61.0 [v6]=10.63.0 [gpe4]=10.65.0 [gpe6]=10.67.0)

# golden KIND HEADER0 HEADER1 HEADER2: these headers must have left by uplinks 0, 1 and 2 since
# wire_start
golden() {
	send_frames "${NET[$1]}" "${HEADERS[$1]}" || return
	wire_is "down0.0 $2 down0.1 $3 down0.2 $4"
}

nothing_learnt() {
	wire_start && golden v4 08360100abcdef00 08920100abcdef00 08f00100abcdef00 &&
		wire_start && golden gpe6 0c36010133221100 0c92010133221100 0cf0010133221100
}

# The metrics that leaf I sends age, so everything else is prepared before.
q3() {
	wire_start && teach "$1" "${TEACH3[@]}" && golden "$@"
}

q6() {
	wire_start && teach "$1" "${TEACH6[@]}" && golden "$@"
}

q3_v4() {
	q3 v4 0837cd00abcdef00 08930100abcdef00 08f1ff00abcdef00
}

q3_v6() {
	q3 v6 0837cd00fedcba00 08930100fedcba00 08f1ff00fedcba00
}

q3_gpe() {
	q3 gpe4 0c37cd0111223300 0c93010111223300 0cf1ff0111223300 &&
		q3 gpe6 0c37cd0133221100 0c93010133221100 0cf1ff0133221100
}

q6_v4() {
	conga 0 fabric set q 6 && q6 v4 0837cd34abcdef00 08930180abcdef00 08f1ffdcabcdef00
}

q6_v6() {
	q6 v6 0837cd34fedcba00 08930180fedcba00 08f1ffdcfedcba00
}

# Byte 3 is the next protocol of GPE, so only the upper three bits are available.
q6_gpe() {
	q6 gpe4 0c37cd0111223300 0c93010111223300 0cf1ff0111223300 &&
		q6 gpe6 0c37cd0133221100 0c93010133221100 0cf1ff0133221100
}

# ---- Group Based Policy ----

# These policy groups have bits at the place of a stamp, bit 8 among them; 0x40 and 0x08 are the
# don't-learn and applied bits.
readonly -a POLICIES=(0x1 0x100 0xffff 0x480923)
readonly -a GBP_WORDS=(88000001 88000100 8800ffff 88480923)

# Leaf 1 counts the packets that arrive with each policy.
marks_counted() {
	local i

	in_ns "${LEAF[1]}" nft -f - <<-END
		table ip marks {
			$(for i in "${!POLICIES[@]}"; do echo "counter c$i { }"; done)
			chain in {
				type filter hook input priority 0;
				$(for i in "${!POLICIES[@]}"; do
					echo "iifname { gbp, gbx } meta mark ${POLICIES[i]} counter name c$i"
				done)
			}
		}
	END
}

# Each policy must have arrived with its packet this often.
marks_are() {
	local i list

	list=$(in_ns "${LEAF[1]}" nft list counters table ip marks) || return
	list=$(grep -o 'packets [0-9]*' <<<"$list" | paste -sd,)
	[[ $list == "packets $1,packets $1,packets $1,packets $1" ]] ||
		fail "the packets of each policy are $list, expected $1 of each"
}

headers_sorted() {
	wire_headers | xargs -n 2 | awk '{ print $2 }' | sort | paste -sd' '
}

# gbp_is VNI: each policy was on the wire once, by whichever uplink
gbp_is() {
	local words

	capture_stop wire || return
	words=$(headers_sorted)
	[[ $words == "${GBP_WORDS[0]}$1 ${GBP_WORDS[1]}$1 ${GBP_WORDS[2]}$1 ${GBP_WORDS[3]}$1" ]] ||
		fail "the headers on the wire are $words"
}

# The policy is that of the route, so the tunnel's packets have no mark: they leave by a chosen
# uplink, and have no other property.
policies_are_not_stamped() {
	local i

	marks_counted && wire_start || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	for i in "${!POLICIES[@]}"; do
		"$TESTS/tools/vxlan_send" -n "${LEAF[0]}" -p "$SINK" "10.72.0.1$i" c0ffee || return
	done
	busywait "$PATIENCE_MS" stats_grew "${LEAF[1]}" rx_foreign=4 || return
	gbp_is 0000c900 && marks_are 1 &&
		stats_grew "${LEAF[0]}" tx_steered=4 && stats_grew "${LEAF[0]}" tx_reserved=4 &&
		stats_moved "${LEAF[1]}" rx_foreign=4
}

# The policy is the mark of the packet, which the tunnel's packet has, too. No rule matches this
# mark.
marks_are_not_stamped() {
	local policy

	wire_start || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	for policy in "${POLICIES[@]}"; do
		pings_return -m "$((policy))" || return
	done
	gbp_is 0000c800 && marks_are 2 &&
		stats_grew "${LEAF[0]}" tx_steered=4 && stats_grew "${LEAF[0]}" tx_reserved=4 &&
		stats_grew "${LEAF[1]}" rx_foreign=4
}

pings_return() {
	in_ns "${LEAF[0]}" ping -q -n -c 1 -W 5 "$@" 10.71.0.2 >/dev/null ||
		fail "no ping was answered${*:+ with the mark ${*:2}}"
}

# A packet without a policy is ordinary VXLAN.
no_policy_is_stamped() {
	local headers

	wire_start || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	pings_return && capture_stop wire || return
	headers=$(wire_headers)
	[[ $headers =~ ^down0.([012])\ 08([39f]).*0000c800$ &&
		$((16#${BASH_REMATCH[2]})) == "${TAGS[BASH_REMATCH[1]]}" ]] ||
		fail "the headers on the wire are $headers" || return
	stats_grew "${LEAF[0]}" tx_stamped=1 && stats_grew "${LEAF[1]}" rx_learnt=1 &&
		stats_grew "${LEAF[0]}" rx_learnt=1
}

tap_plan 10
require_root
require_commands ip bridge nft tcpdump ping sysctl
require_module
setup || die "the fabric cannot be set up"
tap_test "q 3, nothing learnt: LBTag and CE have the right bytes" nothing_learnt
tap_test "q 3, IPv4: LBTag, CE and feedback have the right bytes" q3_v4
tap_test "q 3, IPv6: LBTag, CE and feedback have the right bytes" q3_v6
tap_test "q 3, GPE over IPv4 and IPv6: LBTag, CE and feedback have the right bytes" q3_gpe
tap_test "q 6, IPv4: byte 3 has the lower bits" q6_v4
tap_test "q 6, IPv6: byte 3 has the lower bits" q6_v6
tap_test "q 6, GPE over IPv4 and IPv6: only the upper bits are sent" q6_gpe
tap_test "packets with a tunnel's policy group are not stamped, and arrive" policies_are_not_stamped
tap_test "packets with a policy group given by a mark are not stamped, and arrive" \
	marks_are_not_stamped
tap_test "packets of the same tunnel without a policy group are stamped" no_policy_is_stamped
tap_exit
