#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several paths by one uplink, in a fabric of three tiers: each LBTag of an uplink has a UDP
# source port of its own for each leaf that runs conga, and nodes that know nothing of conga hash
# it. The ports of packets and hellos, what happens when a core drops silently, how a loaded link
# beyond the spines is avoided, and the LBTags of uplinks that come and go.
#
# Code takes no time in this machine, so that no verdict depends on the speed of the computer.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/capture.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hula_fabric.sh"
. "$TESTS/lib/hellos.sh"

QUIET="hello 100ms"

readonly RANGE_FIRST=20000 RANGE_END=22000	# source ports that the tunnels may use
readonly FEW_END=20040				# of a tunnel that may use few
readonly ENTROPY=4
readonly TAGS_OF_UP0="0 2 3 4" TAGS_OF_UP1="1 5 6 7"
readonly DATAGRAMS=300
# A quarter of the datagrams is expected on each path. A path that is avoided gets some before
# feedback comes, and some whenever the feedback has aged.
readonly FEW=$((DATAGRAMS * 2 / 15)) MANY=$((DATAGRAMS * 3 / 20))

# presently COMMAND...: repeats the command for thirty rounds of hellos; if it still fails, it prints
# the reason
presently() {
	busywait 3000 "$@" >/dev/null || "$@"
}

# ---- paths of leaf 0 ----

# paths_of LEAF FILTER: prints what jq selects of the paths to the leaf
paths_of() {
	conga 0 -j path show leaf "${VTEP[$1]}" | jq -c "$2"
}

# paths_have LEAF FILTER: the filter is true of the paths to the leaf
paths_have() {
	conga 0 -j path show leaf "${VTEP[$1]}" | json_is "$2" ||
		fail "paths are $(paths_of "$1" 'map([.dev, .tag, .sport, .state])')"
}

# ports_of LEAF: prints "TAG PORT" of each path, in the order of LBTags
ports_of() {
	paths_of "$1" '.[] | "\(.tag) \(.sport)"' | tr -d '"'
}

readonly IN_RANGE="all(.sport >= $RANGE_FIRST and .sport < $RANGE_END)"
readonly PORTS_DIFFER='group_by(.dev) | all((map(.sport) | unique | length) == length)'

tags_are() {
	paths_have 2 "[.[] | select(.dev == \"$1\") | .tag] == [${2// /,}]"
}

each_path_has_its_port() {
	presently paths_are_told_apart
}

paths_are_told_apart() {
	tags_are up0 "$TAGS_OF_UP0" && tags_are up1 "$TAGS_OF_UP1" &&
		paths_have 2 "$IN_RANGE" && paths_have 2 "$PORTS_DIFFER" &&
		paths_have 2 'all(.state == "usable")'
}

# ---- packets ----

# sent_to LEAF {data|control}: prints "TAG PORT" of the captured stamped packets to the leaf, each
# pair once; the digits of VXLAN's VNI tell control packets from others
sent_to() {
	capture_bytes all "${LEAF[0]}" | awk -v to="$(address_digits "${VTEP[$1]}")" -v kind="$2" '
		function field(at, bytes) { return substr($4, 2 * at + 1, 2 * bytes) }
		field(16, 4) == to && (field(32, 3) == "fffffe") == (kind == "control") {
			print field(29, 1), field(20, 2)
		}' | sort -u | while read -r tag port; do echo "$((16#$tag >> 4)) $((16#$port))"; done |
		sort -u -n
}

# address_digits ADDRESS: prints an IPv4 address as it is in a header
address_digits() {
	local octets

	IFS=. read -ra octets <<<"$1"
	printf '%02x' "${octets[@]}"
}

packets_have_ports_of_paths() {
	local sent expected

	unwanted_mark "${HOST[2.0]}"
	observed send 0 2 "$DATAGRAMS" && unwanted_arrive 5000 "${HOST[2.0]}" "$DATAGRAMS" || return
	sent=$(sent_to 2 data)
	expected=$(ports_of 2)
	[[ $sent == "$expected" ]] ||
		fail "LBTags and ports of packets are ${sent//$'\n'/, }, of paths ${expected//$'\n'/, }"
}

hellos_have_ports_of_paths() {
	local sent expected

	observed sleep 3 || return	# thirty rounds of hellos
	sent=$(sent_to 2 control)
	expected=$(ports_of 2)
	[[ $sent == "$expected" ]] ||
		fail "LBTags and ports of hellos are ${sent//$'\n'/, }, of paths ${expected//$'\n'/, }"
}

ports_stay() {
	local before

	before=$(ports_of 2)
	send 0 2 "$DATAGRAMS" && sleep 2 || return	# twenty rounds of hellos
	[[ $(ports_of 2) == "$before" ]] || fail "the ports were $before, and are $(ports_of 2)"
}

a_plain_leaf_has_one_path_each() {
	local ports

	paths_have 3 'map(.dev) == ["up0", "up1"] and all(.sport == null)' || return
	observed send 0 3 "$DATAGRAMS" || return
	ports=$(capture_bytes all "${LEAF[0]}" | awk -v to="$(address_digits "${VTEP[3]}")" \
		'substr($4, 33, 8) == to { print substr($4, 41, 4) }' | sort -u | wc -l)
	((ports > DATAGRAMS / 2)) || fail "$DATAGRAMS flows to a plain leaf have $ports ports"
}

a_leaf_that_becomes_plain_loses_them() {
	conga 0 leaf set "${VTEP[2]}" mode plain &&
		paths_have 2 'map(.dev) == ["up0", "up1"] and all(.sport == null)' || return
	conga 0 leaf set "${VTEP[2]}" mode auto && each_path_has_its_port
}

each_path_is_pinged() {
	local said

	said=$(conga 0 ping "${VTEP[2]}" count 2) || fail "$said" || return
	(($(grep -c '^up[01] tag [0-7]: 2 sent, 2 received' <<<"$said") == 2 * ENTROPY)) || fail "$said"
}

drain_is_for_all_tags() {
	conga 0 port set dev up0 drain on || return
	paths_have 2 'all((.dev == "up0") == (.state == "draining"))' || return
	observed send 0 2 "$DATAGRAMS" || return
	[[ $(sent_to 2 data | cut -d ' ' -f 1 | paste -sd ' ') == "$TAGS_OF_UP1" ]] ||
		fail "packets had the LBTags $(sent_to 2 data | cut -d ' ' -f 1 | paste -sd ' ')" || return
	conga 0 port set dev up0 drain off && paths_have 2 'all(.state == "usable")'
}

# ---- a core that drops silently ----

core_dies() {
	in_ns "${CORE[0]}" nft -f - <<-END
		table inet dead {
			chain forward {
				type filter hook forward priority 0;
				udp dport $TOPO_PORT counter drop
			}
		}
	END
}

# dropped: prints the number of packets that the dead core dropped
dropped() {
	in_ns "${CORE[0]}" nft -j list chain inet dead forward |
		jq '[.. | .counter? // empty | .packets] | add'
}

# A path that carries packets is asked about every round, and is silent after three. Then it gets
# other ports until it leads through the other core. Return paths do the same.
dead_core_is_left() {
	stats_mark "${LEAF[0]}"
	core_dies && soon no_packet_is_lost && soon paths_have 2 'all(.state == "usable")' || return
	echo "# $(grown "${LEAF[0]}" path_silent) paths were silent," \
		"$(grown "${LEAF[0]}" entropy_redrawn) ports were drawn anew"
	(($(grown "${LEAF[0]}" entropy_redrawn) > 0)) || fail "no port was drawn anew"
}

no_packet_is_lost() {
	local before

	before=$(dropped)
	send 0 2 "$DATAGRAMS" && sleep 0.1 || return	# a round of hellos
	(($(dropped) == before)) || fail "$(($(dropped) - before)) packets came to the dead core"
}

# Its tags alone: in a fabric where hashing is even the other core has some of each uplink's.
core_returns() {
	in_ns "${CORE[0]}" nft delete table inet dead && ports_stay
}

# ---- a loaded link beyond the spines ----

nodes_mark() {
	local s c

	for s in "${!SPINE[@]}"; do fabric_spine "$s" || return; done
	for c in "${!CORE[@]}"; do fabric_core "$c" || return; done
}

# count_over_load: counts the packets of tunnels from core 0 to spine 2
count_over_load() {
	in_ns "${CORE[0]}" nft -f - <<-END
		table inet load {
			chain forward {
				type filter hook forward priority 0;
				oifname spine2 udp dport $TOPO_PORT @th,96,24 != 0xfffffe counter
			}
		}
	END
}

# over_load: sets OVER to the datagrams of DATAGRAMS that crossed the loaded link
over_load() {
	count_over_load && load_start "${CORE[0]}" spine2 && sleep 0.1 || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$DATAGRAMS" -i 800 -l 200 -p 9 \
		"${HOST_IP[2.0]}" - || return
	load_stop
	OVER=$(in_ns "${CORE[0]}" nft -j list chain inet load forward |
		jq '[.. | .counter? // empty | .packets] | add')
	in_ns "${CORE[0]}" nft delete table inet load || return
	echo "# $OVER of $DATAGRAMS datagrams crossed the loaded link"
}

loaded_link_is_avoided() {
	over_load || return
	((OVER <= FEW)) || fail "$OVER datagrams crossed the loaded link, expected at most $FEW"
}

without_entropy_it_is_not() {
	leaves_set entropy 1 && paths_have 2 'map(.dev) == ["up0", "up1"] and all(.sport == null)' &&
		over_load || return
	((OVER >= MANY)) || fail "$OVER datagrams crossed the loaded link, expected at least $MANY"
}

# for_long: datagrams to leaf 2, for most of the time of a load of FRAMES
for_long() {
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c $((FRAMES * NEARLY_FULL_NS / 1000000)) -i 800 \
		-l 200 -p 9 "${HOST_IP[2.0]}" - >/dev/null
}

# ---- LBTags that tell the same ----

# In five seconds at a constant metric a port would be drawn anew.
readonly FRAMES=48000 NEARLY_FULL_NS=105000

# All LBTags of the uplink tell its own load. Without another uplink packets cannot avoid it.
busy_uplink_is_no_reason() {
	local before

	before=$(ports_of 2)
	conga 0 port set dev up1 drain on || return
	load_start "${LEAF[0]}" up0 "$FRAMES" "$NEARLY_FULL_NS" && for_long &&
		(($(conga 0 -j port show up0 | jq '.[0].metric') > 0)) || fail "up0 is not busy" || return
	load_stop
	conga 0 port set dev up1 drain off || return
	[[ $(ports_of 2) == "$before" ]] || fail "ports were ${before//$'\n'/, }, and are $(ports_of 2)"
}

# hash_by POLICY: spines and cores hash addresses alone (0), or ports, too (3)
hash_by() {
	local ns

	for ns in "${SPINE[@]}" "${CORE[@]}"; do
		in_ns "$ns" sysctl -qw net.ipv4.fib_multipath_hash_policy="$1" || return
	done
}

readonly UNHASHED="up0: has LBTags that tell the same whichever source ports they have (to 1 leaf), so\
 there is one path only behind it; if there should be more, see that the nodes there hash the UDP\
 source port (layer 4)"

check_says_unhashed() {
	[[ $(conga 0 check interval 1ms) == *"note: $UNHASHED"* ]]
}

# Each link to the leaf is loaded: LBTags that lead along one path tell the same.
unhashed_ports_are_found() {
	local s loads=() status=0

	! check_says_unhashed || fail "ports are hashed, and the check says no" || return
	hash_by 0 && leaves_set hello 20ms || return
	for s in 2 3; do
		load_start "${SPINE[s]}" down2.0 "$FRAMES" "$NEARLY_FULL_NS" && loads+=("$LOAD")
	done
	for_long
	check_says_unhashed || status=1
	kill "${loads[@]}" 2>/dev/null
	wait "${loads[@]}" || :
	leaves_set hello 100ms && hash_by 3 || return
	((!status)) || fail "$(conga 0 check; paths_of 2 'map([.dev, .tag, .sport, .remote, .alike])')"
}

# ---- LBTags ----

auto_takes_all() {
	conga 0 fabric set entropy auto &&
		paths_have 2 'length == 16 and ([.[] | select(.dev == "up0")] | length) == 8' &&
		presently paths_have 2 "$IN_RANGE" && paths_have 2 "$PORTS_DIFFER"
}

tags_follow_the_uplinks() {
	conga 0 port del dev up1 &&
		paths_have 2 'length == 16 and all(.dev == "up0")' || return
	{ fabric_uplinks 0 | sed -n 2p; } | conga_batch "${LEAF[0]}" &&
		paths_have 2 'length == 16 and ([.[] | select(.dev == "up1")] | length) == 8' &&
		soon paths_have 2 'all(.state == "usable")' && presently paths_have 2 "$PORTS_DIFFER"
}

# A second tunnel narrows the range of ports, so that two uplinks often have the same ones by chance.
ports_differ_when_tags_move() {
	ip -n "${LEAF[0]}" link add few type vxlan id 99 local "${VTEP[0]}" dstport 4789 \
		srcport "$RANGE_FIRST" "$FEW_END" &&
		presently paths_have 2 "all(.sport < $FEW_END)" || return
	for _ in {1..6}; do
		conga 0 port del dev up1 && paths_have 2 "$PORTS_DIFFER" || return
		{ fabric_uplinks 0 | sed -n 2p; } | conga_batch "${LEAF[0]}" &&
			paths_have 2 "$PORTS_DIFFER" || return
	done
	ip -n "${LEAF[0]}" link del few
}

# An LBTag that the operator gives an uplink may be an extra one of another uplink.
own_tag_is_taken_from_extras() {
	conga 0 fabric set entropy 4 && conga 0 port del dev up1 &&
		conga 0 port add dev up1 role uplink tag 2 rate 100mbit &&
		tags_are up0 "0 1 3 4" && tags_are up1 "2 5 6 7" &&
		soon paths_have 2 'all(.state == "usable")'
}

refusals_have_sentences() {
	local before

	before=$(conga 0 -j fabric show)
	says 1 "Error: All uplinks together have at most 16 LBTags, entropy for each of them." \
		conga 0 fabric set entropy 9 &&
		says 1 "Error: This policy finds paths by probes, so entropy must be 1." \
			conga 0 fabric set policy hula &&
		says 1 "Error: This policy draws source ports itself, so entropy must be 1." \
			conga 0 fabric set policy rehash &&
		says 1 "Error: This policy draws source ports itself, so entropy must be 1." \
			conga 0 fabric set policy conga-prime || return
	[[ $(conga 0 -j fabric show) == "$before" ]] || fail "a rejected request changed the fabric" ||
		return
	conga 0 fabric set entropy 8 && ip -n "${LEAF[0]}" link add more type dummy || return
	says 1 "Error: All uplinks together have at most 16 LBTags, entropy for each of them." \
		conga 0 port add dev more role uplink rate 100mbit &&
		[[ $(conga 0 -j port show | jq length) == 2 ]] || fail "a rejected port was added" || return
	conga 0 fabric set entropy 4
}

# ---- all of it ----

# A leaf in mode auto is asked first.
setup() {
	local l

	underlay 4
	# shellcheck disable=SC2034 # for topo_up
	TOPO_VXLAN_OPTIONS="srcport $RANGE_FIRST $RANGE_END"
	topo_up && settle || return
	for l in 0 1 2; do fabric_leaf "$l" conga auto || return; done
	leaves_of_three set entropy "$ENTROPY" && conga 0 leaf set "${VTEP[3]}" mode plain &&
		pin "${HOST[2.0]}" && send 0 2 1 && send 0 3 1 && send 2 0 1 && sleep 0.1 &&
		leaf_becomes 0 "conga answers" "${VTEP[2]}"
}

# leaves_of_three WORD...: "fabric WORD..." on the leaves that run conga
leaves_of_three() {
	local l

	for l in 0 1 2; do conga "$l" fabric "$@" || return; done
}

leaves_set() {
	leaves_of_three set "$@"
}

require_root
require_commands ip jq tcpdump nft
require_module
tap_plan 19
setup || die "the fabric cannot be set up"
tap_test "each path by an uplink has its own LBTag and a port of the tunnel's range" \
	each_path_has_its_port
tap_test "packets have the LBTag and the source port of their path" packets_have_ports_of_paths
tap_test "hellos have the LBTag and the source port of their path" hellos_have_ports_of_paths
tap_test "ports stay the same while nothing fails" ports_stay
tap_test "a plain leaf has one path by each uplink, and its packets keep their ports" \
	a_plain_leaf_has_one_path_each
tap_test "a leaf that becomes plain has one path by each uplink" \
	a_leaf_that_becomes_plain_loses_them
tap_test "each path is pinged" each_path_is_pinged
tap_test "drain of an uplink is for all its LBTags" drain_is_for_all_tags
tap_test "paths through a core that drops silently get ports that lead elsewhere" dead_core_is_left
tap_test "ports stay when the core returns" core_returns
nodes_mark || die "spines and cores cannot run conga"
tap_test "a loaded link beyond the spines is avoided" loaded_link_is_avoided
tap_test "with entropy 1 a loaded link beyond the spines is not avoided" without_entropy_it_is_not
leaves_set entropy "$ENTROPY" || die "leaves reject entropy"
tap_test "an uplink's own load is no reason to draw ports anew" busy_uplink_is_no_reason
tap_test "conga check says that nodes do not hash source ports" unhashed_ports_are_found
tap_test "entropy auto uses all LBTags" auto_takes_all
tap_test "LBTags follow the uplinks" tags_follow_the_uplinks
tap_test "LBTags that go to another uplink get ports that no other LBTag has there" \
	ports_differ_when_tags_move
tap_test "an uplink's own LBTag may have been an extra one of another uplink" \
	own_tag_is_taken_from_extras
tap_test "too few LBTags and unfit policies are rejected, and change nothing" refusals_have_sentences
tap_exit
