#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# evpn.sh - conga follows FRR, for frr_numbered.sh and frr_unnumbered.sh, which
# set FRR_UNDERLAY and call evpn_main.
#
# Three leaves and two spines run zebra and bgpd with the configurations of Documentation/user/frr/,
# and congad. No command names a port or a leaf. Flows between hosts of one VNI, and flows routed
# by the L3VNI, use both uplinks to each other leaf, where the stock kernel uses one. A link, a
# spine and a bgpd fail and return, and a link does so three times in a row. Meanwhile `path get`
# reports why the uplink is not used, and all flows arrive; afterwards every uplink is used again
# in time.

. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/frr.sh"
. "$TESTS/lib/documents.sh"
. "$TESTS/lib/frr_guide.sh"

TOPO_LEAVES=3
TOPO_LINKS=1
TOPO_HOSTS=2

readonly CONGAD=$TESTS/../userspace/congad
readonly COUNT=80		# flows from each leaf to each other leaf
readonly RETURN_MS=5000		# until the uplink is used after FRR's route returns
readonly ARRIVE_MS=5000
readonly SWITCHED=0 ROUTED=1	# the hosts that exchange packets: in VNI 100, or routed
readonly BOTH="up0 up1"
readonly NHID="(nhid [0-9]+ )?"	# of a route where zebra creates nexthop objects
readonly NO_CARRIER="the uplink is down or has no carrier"
readonly NO_NEXTHOP="the route to the leaf does not use this uplink"

# Large datagrams, each a flow of its own, show that an uplink is used again: they are more bytes
# than BGP and hellos need in that time.
readonly LOAD_PORT=10 LOAD_BYTES=1200 LOAD_EVERY_US=4000 LOAD_FLOWS=30000 USED=50000
readonly -a LOAD_TO=(1 0 0)	# receiver of each leaf's load: none needs up0 while it is broken

declare -A LEFT_FOR=()		# "LEAF OTHER DEVICE" -> flows

# ---- flows, counted by uplink and leaf ----

# An uplink has a counter for each other leaf.
uplink_chain() {
	local l=$1 dev=$2 r rules=""

	for ((r = 0; r < TOPO_LEAVES; r++)); do
		((r != l)) || continue
		echo "counter ${dev}_$r { }"
		rules+="ip daddr ${VTEP[r]} $FLOW_INNER counter name ${dev}_$r"$'\n'
	done
	echo "chain $dev { type filter hook egress device \"$dev\" priority 0;"
	echo "$rules }"
}

count_leaf() {
	{
		echo "table netdev out {"
		uplink_chain "$1" up0
		uplink_chain "$1" up1
		echo "}"
	} | in_ns "${LEAF[$1]}" nft -f -
}

read_leaf() {
	local l=$1 word name="" value _

	while read -r word value _; do
		case $word in
		counter) name=$value ;;
		packets) LEFT_FOR["$l ${name#*_} ${name%_*}"]=$value ;;
		esac
	done < <(in_ns "${LEAF[l]}" nft reset counters table netdev out)
}

# No socket listens, so a complete datagram is counted as unwanted.
mark_arrived() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		unwanted_mark "${HOST[$l.$1]}"
	done
}

# all_arrive HOSTS: each of these hosts received all datagrams of the other leaves
all_arrive() {
	local l end=$(($(now_ms) + ARRIVE_MS)) all=$((COUNT * (TOPO_LEAVES - 1)))

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		until unwanted_grew "${HOST[$l.$1]}" "$all"; do
			(($(now_ms) < end)) ||
				fail "$UNWANTED of $all flows arrived at host $l.$1" || return
			poll_pause
		done
	done
}

# send_all HOSTS: sends from each leaf to each other; sets LEFT_FOR
send_all() {
	local l r status=0

	mark_arrived "$1"
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		for ((r = 0; r < TOPO_LEAVES; r++)); do
			((r == l)) || flows_send "$COUNT" "${HOST[$l.$1]}" "${HOST_IP[$r.$1]}" || return
		done
	done
	all_arrive "$1" || status=1
	LEFT_FOR=()
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		read_leaf "$l"
	done
	return "$status"
}

# spread LEAF OTHER DEVICES: all flows left by these devices, each of which has its share
spread() {
	local dev
	# shellcheck disable=SC2034 # flows_spread reads it
	local -A LEFT=()

	for dev in $BOTH; do
		LEFT[$dev]=${LEFT_FOR["$1 $2 $dev"]}
	done
	# shellcheck disable=SC2086 # a list of words
	flows_spread "$COUNT" $3 ||
		fail "the flows from leaf $1 to leaf $2 are not spread as expected"
}

# pinned_to_one LEAF OTHER: all flows left by one uplink, whichever it is
pinned_to_one() {
	local a=${LEFT_FOR["$1 $2 up0"]} b=${LEFT_FOR["$1 $2 up1"]}

	((a + b == COUNT && a * b == 0)) ||
		fail "from leaf $1 to leaf $2 $a packets left by up0 and $b by up1," \
			"expected one uplink"
}

# for_pairs COMMAND...: runs the command with all pairs of two leaves
for_pairs() {
	local l r

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		for ((r = 0; r < TOPO_LEAVES; r++)); do
			((r == l)) || "$@" "$l" "$r" || return
		done
	done
}

# for_leaves COMMAND...: runs the command with each leaf
for_leaves() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		"$@" "$l" || return
	done
}

# Sets EXPECTED to the uplinks of a pair of leaves. FAILED names the failure: "link" is between leaf 0 and
# spine 0; "spine" is spine 0, or its bgpd.
expected() {
	case $FAILED in
	spine) EXPECTED=up1 ;;
	link) (($1 && $2)) && EXPECTED=$BOTH || EXPECTED=up1 ;;
	*) EXPECTED=$BOTH ;;
	esac
}

spread_as_expected() {
	expected "$1" "$2"
	spread "$1" "$2" "$EXPECTED"
}

balanced() {
	send_all "$1" && for_pairs spread_as_expected
}

# ---- routes of FRR ----

# routed_as_expected LEAF: the leaf currently has the expected routes to each other leaf
routed_as_expected() {
	local r

	frr_routes "$1"
	for ((r = 0; r < TOPO_LEAVES; r++)); do
		expected "$1" "$r"
		((r == $1)) || [[ ${FRR_ROUTE[${VTEP[r]}]} == "$EXPECTED" ]] || return
	done
}

all_routed() {
	for_leaves routed_as_expected
}

routes_text() {
	ip -n "${LEAF[$1]}" route show proto bgp | paste -sd" "
}

wait_routes() {
	busywait "$FRR_PATIENCE_MS" all_routed ||
		fail "FRR's routes are incomplete: $(for_leaves routes_text)"
}

# evpn_of LEAF: EVPN has host 0 of each other leaf by its MAC and by its address (type 2), the
# leaf for flooding (type 3), and the leaf's own subnet (type 5)
evpn_of() {
	local r fdb routes via

	fdb=$(bridge -n "${LEAF[$1]}" fdb show dev vx100)
	routes=$(ip -n "${LEAF[$1]}" route show vrf red)
	for ((r = 0; r < TOPO_LEAVES; r++)); do
		((r != $1)) || continue
		via="${NHID}via ${VTEP[r]} dev br1000"
		[[ $fdb == *"00:00:00:00:00:00 dst ${VTEP[r]} self permanent"* &&
			$fdb == *"${HOST_MAC[$r.0]} dst ${VTEP[r]} self extern_learn"* &&
			$routes =~ ${HOST_IP[$r.0]}\ $via && $routes =~ ${HOST_IP[$r.1]%.*}.0/24\ $via ]] ||
			return
	done
}

wait_evpn() {
	busywait "$FRR_PATIENCE_MS" evpn_of "$1" || fail "EVPN did not reach leaf $1: $(
		bridge -n "${LEAF[$1]}" fdb show dev vx100 | paste -sd,
		ip -n "${LEAF[$1]}" route show vrf red | paste -sd,)"
}

# speak HOST ADDRESS: sends a packet, because EVPN announces a host only after it has sent one
speak() {
	busywait "$FRR_PATIENCE_MS" in_ns "${HOST[$1]}" ping -q -c 1 -W 1 "$2" >"$TOPO_DIR/ping" ||
		fail "host $1 cannot ping $2"
}

greet_gateways() {
	speak "$1.0" 192.168.100.1 && speak "$1.1" "10.2.$((11 + $1)).1"
}

# An answer means that each host knows the other, so each pair needs one ping.
talk() {
	(($1 < $2)) || return 0
	speak "$1.0" "${HOST_IP[$2.0]}" && speak "$1.1" "${HOST_IP[$2.1]}"
}

converge() {
	wait_routes && for_leaves greet_gateways && for_leaves wait_evpn && for_pairs talk &&
		speak 0.1 "${HOST_IP[1.0]}"
}

# ---- ports and leaves of conga ----

# The daemon finds the uplinks and leaves; no command names them.
congad_everywhere() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGAD" -n "$ns" -v >"$TOPO_DIR/congad.$ns" 2>&1 &
	done
}

# spine_has_ports SPINE: the spine has a transit port to each leaf
spine_has_ports() {
	(($("$CONGA" -n "${SPINE[$1]}" -j port show 2>/dev/null |
		jq '[.[] | select(.role == "transit")] | length') == TOPO_LEAVES))
}

# agreed LEAF: the leaf agrees with both others by hello, and all paths are usable
agreed() {
	local shown

	shown=$(conga "$1" 2>&1)
	[[ $(grep -c "mode auto state conga paths 2/2 .* origin auto" <<<"$shown") == 2 &&
		$(grep -c "dev up[01] tag .* usable" <<<"$shown") == 4 ]]
}

wait_agreed() {
	busywait "$FRR_PATIENCE_MS" agreed "$1" ||
		fail "leaf $1 did not agree with its peers: $(conga "$1" 2>&1)"
}

# The links are virtual Ethernet devices, which report no rate of their own.
nobody_has_findings() {
	local ns said

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		said=$("$CONGA" -n "$ns" -j check)
		jq -e 'map(select(.check != "rate")) == []' <<<"$said" >/dev/null ||
			fail "conga check on $ns: $("$CONGA" -n "$ns" check)" || return
	done
}

no_findings() {
	busywait "$FRR_PATIENCE_MS" nobody_has_findings >/dev/null || nobody_has_findings
}

# said_of_up0 LEAF OTHER: prints the line of `path get`
said_of_up0() {
	local line

	while read -r line; do
		[[ $line != "dev up0 "* ]] || echo "$line"
	done < <(conga "$1" path get "${VTEP[$2]}" 2>&1)
}

# up0_is LEAF OTHER WORDS
up0_is() {
	[[ $(said_of_up0 "$1" "$2") == *"$3"* ]]
}

# excluded LEAF OTHER WORDS: up0 is not used, and these words are the reason
excluded() {
	busywait "$FRR_PATIENCE_MS" up0_is "$@" ||
		fail "the path from leaf $1 to leaf $2 by up0 is:" \
			"$(conga "$1" path get "${VTEP[$2]}" 2>&1), expected $3"
}

# tags: prints the tags of all uplinks, in one line
tags() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		conga "$l" -j port show | jq -r '.[] | "\(.dev)=\(.tag)"' | sort
	done | paste -sd" "
}

# ---- failures and repairs ----

link_down() {
	ip -n "${SPINE[0]}" link set down0.0 down
}

link_up() {
	ip -n "${SPINE[0]}" link set down0.0 up
}

# carrier_is {up|down}: sets the carrier at leaf 0's end
carrier_is() {
	local flags

	flags=$(ip -n "${LEAF[0]}" link show dev up0)
	case $1 in
	up) [[ $flags == *LOWER_UP* ]] ;;
	down) [[ $flags == *NO-CARRIER* ]] ;;
	esac
}

spine_down() {
	local l

	frr_kill "${SPINE[0]}" bgpd && frr_kill "${SPINE[0]}" zebra
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		ip -n "${SPINE[0]}" link set "down$l.0" down || return
	done
}

spine_up() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		ip -n "${SPINE[0]}" link set "down$l.0" up || return
	done
	frr_start "${SPINE[0]}"
}

bgpd_down() {
	frr_kill "${SPINE[0]}" bgpd
}

bgpd_up() {
	frr_run "${SPINE[0]}" bgpd
}

three_flaps() {
	local i

	for i in 1 2 3; do
		link_down && busywait 20000 carrier_is down &&
			link_up && busywait 20000 carrier_is up ||
				fail "up0 has no carrier after flap $i" || return
	done
}

# while_broken WHAT: the remaining uplinks carry all flows
while_broken() {
	FAILED=$1
	wait_routes && balanced "$ROUTED" && balanced "$SWITCHED"
}

# ---- an uplink is used again ----

load_start() {
	local l r

	LOAD=()
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		r=${LOAD_TO[l]}
		"$TESTS/tools/vxlan_send" -n "${HOST[$l.1]}" -p "$LOAD_PORT" -c "$LOAD_FLOWS" \
			-l "$LOAD_BYTES" -i "$LOAD_EVERY_US" "${HOST_IP[$r.1]}" - &
		LOAD+=($!)
	done
}

load_stop() {
	kill "${LOAD[@]}" 2>/dev/null
	wait "${LOAD[@]}" 2>/dev/null || :
}

# sent LEAF: sets SENT to the bytes that left by up0
sent() {
	local dev tx

	while read -r dev _ _ _ _ _ _ _ _ tx _; do
		[[ $dev != up0: ]] || SENT=$tx
	done <"/proc/${PIN[${LEAF[$1]}]}/net/dev"
}

mark_sent() {
	sent "$1"
	BASE[$1]=$SENT
}

# routes_back: sets BACK to the last time at which a route was still missing, and BASE to the
# bytes that up0 had sent by then
routes_back() {
	local end seen

	FAILED=""
	BACK=$(now_ms)
	end=$((BACK + FRR_PATIENCE_MS))
	until seen=$(now_ms); all_routed; do
		BACK=$seen
		for_leaves mark_sent
		((BACK < end)) ||
			fail "FRR's routes did not return: $(for_leaves routes_text)" || return
	done
}

used_again() {
	WAITING=$1
	sent "$1"
	((SENT - BASE[$1] >= USED))
}

all_used_again() {
	until for_leaves used_again; do
		(($(now_ms) - BACK < RETURN_MS)) ||
			fail "leaf $WAITING sent fewer than $USED bytes by up0 in $RETURN_MS ms" ||
				return
		poll_pause
	done
}

# repaired COMMAND...: the command makes the repair
repaired() {
	local start status=0

	start=$(now_ms)
	for_leaves mark_sent
	load_start
	"$@" && routes_back && all_used_again || status=1
	echo "# FRR's routes: back after $((BACK - start)) ms; up0 of every leaf: $(($(now_ms) - BACK)) ms later"
	load_stop
	((status == 0)) && balanced "$ROUTED" && balanced "$SWITCHED"
}

# ---- tests ----

# The test uses one processor: a stock kernel pins a route for each processor.
stock_pins() {
	local status=0 all

	all=$(taskset -cp $$) && taskset -cp 0 $$ >"$TOPO_DIR/taskset" || return
	send_all "$1" && for_pairs pinned_to_one || status=1
	taskset -cp "${all##* }" $$ >"$TOPO_DIR/taskset"
	return "$status"
}

conga_follows() {
	local s

	congad_everywhere && for_leaves wait_agreed || return
	for ((s = 0; s < TOPO_SPINES; s++)); do
		busywait "$FRR_PATIENCE_MS" spine_has_ports "$s" ||
			fail "spine $s has other ports:" \
				"$("$CONGA" -n "${SPINE[s]}" port show 2>&1)" || return
	done
	TAGS=$(tags)
}

link_fails() {
	link_down || return
	excluded 0 1 "$NO_CARRIER" && excluded 1 0 "$NO_NEXTHOP" && while_broken link
}

link_returns() {
	repaired link_up
}

spine_fails() {
	spine_down || return
	excluded 0 1 "$NO_CARRIER" && excluded 1 0 "$NO_CARRIER" && while_broken spine
}

spine_returns() {
	repaired spine_up
}

bgpd_fails() {
	bgpd_down || return
	excluded 0 1 "$NO_NEXTHOP" && excluded 1 0 "$NO_NEXTHOP" && while_broken spine
}

bgpd_returns() {
	repaired bgpd_up
}

flaps() {
	repaired three_flaps || return
	[[ $(tags) == "$TAGS" ]] || fail "the LBTags were $TAGS, and are $(tags)"
}

single_tunnels() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		ip -n "${LEAF[l]}" -batch - <<-END || return
			link del vx100
			link del vx1000
			link del br100
			link del br1000
			link del red
			address flush dev h1
		END
	done
	frr_tunnels leaf-single.sh
}

# Without a gateway, host 0 sends only to hosts of its own kind.
talk_single() {
	(($1 < $2)) || return 0
	speak "$1.0" "${HOST_IP[$2.0]}" && speak "$1.1" "${HOST_IP[$2.1]}"
}

single_device() {
	single_tunnels && for_pairs talk_single && balanced "$SWITCHED" && balanced "$ROUTED"
}

setup() {
	local ns l

	frr_up || return
	for ns in "${LEAF[@]}" "${HOST[@]}"; do
		pin "$ns" || return
	done
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		count_leaf "$l" || return
	done
}

# evpn_main [single]: with "single", a single VXLAN device is tested at the end, too
evpn_main() {
	FAILED="" TAGS="" BASE=() LOAD=()
	tap_plan $((15 + $#))
	require_root
	require_commands ip bridge nft jq taskset vtysh "$FRR_DAEMONS/zebra" "$FRR_DAEMONS/bgpd"
	require_module
	setup || die "cannot set up: $TAP_WHY"
	tap_test "FRR converges: both uplinks and EVPN types 2, 3 and 5 are there, and hosts reach each other" \
		converge
	tap_test "the stock kernel pins switched flows to one uplink" stock_pins "$SWITCHED"
	tap_test "the stock kernel pins routed flows to one uplink" stock_pins "$ROUTED"
	tap_test "congad finds uplinks and leaves" conga_follows
	tap_test "conga check reports nothing on leaves and spines" no_findings
	tap_test "the commands of frr.md succeed" as_the_guide_says
	tap_test "switched flows use both uplinks to each other leaf" balanced "$SWITCHED"
	tap_test "routed flows use both uplinks to each other leaf" balanced "$ROUTED"
	tap_test "when a link fails the reason is shown, and the other paths carry all flows" \
		link_fails
	tap_test "the failed link is used again when it returns" link_returns
	tap_test "when a spine fails the reason is shown, and the other paths carry all flows" \
		spine_fails
	tap_test "the failed spine is used again when it returns" spine_returns
	tap_test "when a bgpd fails the reason is shown, and the other paths carry all flows" \
		bgpd_fails
	tap_test "the spine of the failed bgpd is used again when bgpd returns" bgpd_returns
	tap_test "a link that flapped three times in a row is used again" flaps
	[[ $1 != single ]] ||
		tap_test "flows use both uplinks with a single VXLAN device" single_device
	tap_exit
}
