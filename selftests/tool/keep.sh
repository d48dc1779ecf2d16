#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A configuration is kept. A saved and restored configuration equals the previous one, whatever
# was set. The command sync changes what differs and disturbs nothing else: flowlets, tables and
# objects of a daemon stay. A file with one wrong line, or one that the kernel rejects in the
# middle, changes nothing. Missing devices are added when they appear.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/flows.sh"
. "$TESTS/lib/requests.sh"

TOPO_LINKS=1
QUIET+=" age 10s flowlet-timeout 1s"	# learnt metrics and chosen uplinks stay for long

readonly FLOWS=12
readonly PATIENCE_MS=30000
readonly ROUNDS=${ROUNDS:-20} LEAVES=300
readonly ATTR_ORIGIN=13 ORIGIN_AUTO=2	# of include/uapi/linux/conga.h

# ---- a node with devices and no traffic ----

# These names contain characters that the reader of a file must handle, and one device has no link
# speed.
readonly -a DEVICES=(d0 d1 d2 d10 dev "a#b" "\"q'" veth)

box_up() {
	local i

	BOX=keep-$(mktemp -u XXXXXX)
	ip netns add "$BOX" && defer "ip netns del $BOX" || return
	in_ns "$BOX" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		ip -n "$BOX" link set lo up || return
	for ((i = 0; i < ${#DEVICES[@]} - 1; i++)); do
		ip -n "$BOX" link add name "${DEVICES[i]}" up type dummy || return
	done
	ip -n "$BOX" link add veth up type veth peer name htev &&
		ip -n "$BOX" link set htev up
}

box() {
	"$CONGA" -n "$BOX" "$@"
}

# file_is NAME: writes the file from stdin; all files of this test are deleted afterwards
file_is() {
	cat >"$DIR/$1"
}

# applied WORD...: the command succeeds and prints nothing
applied() {
	says 0 "" "$CONGA" -n "$BOX" "$@"
}

# saved NAME: the current configuration equals the file, byte by byte
saved() {
	diff "$DIR/$1" <(box save) >"$DIR/diff" ||
		fail "the saved configuration is not $1: $(tr '\n' '|' <"$DIR/diff")"
}

# ---- round trips ----

full() {
	file_is full <<-END
		fabric add policy letflow q 4 metric sum tdre 20us alpha 0.25 flowlet-timeout 0ns age 20ms dstport 8472 dstport 4789 flowlets 1024 hello off probe off explicit-feedback off leaf-id 0x00001234 opt-out mark 0x10/0xf0 opt-out dscp 46 local 10.0.0.11 local fd00::11 ecn on
		port add dev '"'q"'" role transit rate 2Gbit
		port add dev "a""#""b" role transit rate 1Gbit tier 15
		port add dev d0 role uplink tag 5 rate 10Gbit drain on tier 2
		port add dev d10 role uplink tag 0 rate 1.5Gbit
		port add dev dev role uplink tag 15 rate 40Gbit
		port add dev veth role uplink tag 1
		leaf add 10.0.0.12
		leaf add 10.0.0.13 mode conga
		leaf add fd00::12 mode plain
	END
	# The name is accepted as a user may quote it, and as the tool prints it.
	sed -i 's/"a""#""b"/a"#"b/' "$DIR/full"
}

everything_comes_back() {
	full && box restore "$DIR/full" || return
	box save >"$DIR/first" && box fabric del && box restore "$DIR/first" && saved first &&
		box restore - <"$DIR/first" && saved first || return
	box -d save >"$DIR/details" && box restore "$DIR/details" && saved first || return
	[[ $(grep -c . "$DIR/first") == 10 ]] ||
		fail "the saved configuration is incomplete: $(<"$DIR/first")" || return
	diff <(sed 's/a"#"b/"a""#""b"/' "$DIR/full" | tr -d '"' | sort) \
		<(tr -d '"' <"$DIR/first" | sort) >"$DIR/diff" ||
		fail "the saved configuration differs from the file: $(tr '\n' '|' <"$DIR/diff")"
}

# All values are defaults, and a value that is in force by default is not saved.
defaults_are_left_out() {
	echo "fabric add" | box restore - || return
	file_is plain <<<"fabric add policy conga"
	saved plain && box fabric set policy hula && file_is hula <<<"fabric add policy hula" &&
		saved hula || return
	box -d save >"$DIR/details" || return
	grep -q "policy hula .*q 3 metric max tdre auto alpha 0.1 flowlet-timeout auto age 10ms dstport 4789 flowlets 65536 hello 300ms probe auto explicit-feedback on" \
		"$DIR/details" ||
			fail "save -d does not print all defaults: $(<"$DIR/details")" || return
	! grep -q leaf-id "$DIR/details" || fail "a random leaf-id was saved" || return
	box restore "$DIR/details" && saved hula || return
	[[ $(box -j save | jq -r '.[0].command') == "fabric add policy hula" ]] ||
		fail "save -j prints: $(box -j save)"
}

nothing_is_kept_too() {
	box restore - <<<"fabric del" && [[ ! $(box save) ]] ||
		fail "the configuration is not empty: $(box save)" || return
	box sync - <<<"fabric del" && refused "There is no fabric in this network namespace, add one first" \
		-n "$BOX" fabric show
}

# ---- random configurations ----

one_of() {
	shift $((RANDOM % $#))
	echo "$1"
}

# maybe WORD VALUE...: prints the word and one of the values, or nothing
maybe() {
	((RANDOM % 2)) || echo "$1 $(one_of "${@:2}") "
}

random_params() {
	local name min max unit

	while read -r name min max unit; do
		((RANDOM % 2)) || echo -n "$name $((min + RANDOM % (max - min + 1)))$unit "
	done < <(jq -r --arg p "$1" '.[] | select(.name == $p) | .params[] | if has("min_ns")
		then "\(.name) \(.min_ns) \(.max_ns) ns" else "\(.name) \(.min) \(.max)" end' \
		"$DIR/policies")
}

# A policy that marks packets limits q; one with probes or marks has no ecn.
random_fabric() {
	local policy

	# shellcheck disable=SC2086 # a list of words
	policy=$(one_of $POLICIES)
	echo -n "fabric add policy $policy $(random_params "$policy")leaf-id $((1 + RANDOM)) "
	[[ $policy == tr ]] || maybe q 1 3 4 6
	[[ $policy == @(hula|tr) ]] || maybe ecn on off
	maybe metric max sum
	maybe tdre auto 16us 1ms
	maybe alpha 0.1 0.001 0.5 0.333333
	maybe flowlet-timeout auto 0 500us 1s
	maybe age 100us 10ms 12.345ms
	maybe dstport 4789 8472
	maybe dstport 4790
	maybe flowlets 1024 65536
	maybe hello off 300ms 20ms
	maybe probe auto off 200us 1ms
	maybe explicit-feedback on off
	maybe "opt-out mark" off 1 0x10/0xf0 0/1
	maybe "opt-out dscp" off 0 46
	maybe local off 10.0.0.11 fd00::11 "10.0.0.11 local fd00::12"
}

random_ports() {
	local dev tag=$((RANDOM % 8))

	for dev in d0 d1 d2 d10 dev veth; do
		((RANDOM % 3)) || continue
		echo -n "port add dev $dev rate $(one_of 1gbit 2500mbit 40gbit) $(maybe tier 0 3) "
		if ((RANDOM % 3)); then
			echo "role uplink tag $((tag = (tag + 1 + RANDOM % 2) % 16))" "$(maybe drain on off)"
		else
			echo "role transit"
		fi
	done
}

random_leaves() {
	local leaf

	for leaf in 10.0.0.{12..17} fd00::{12..14}; do
		((RANDOM % 2)) || echo "leaf add $leaf $(maybe mode auto conga plain)"
	done
}

random_configuration() {
	{ random_fabric | tr '\n' ' '; echo; random_ports; random_leaves; } | shuf
}

# Sync from the previous configuration has the same result as restore from an empty one, and the
# saved file is complete. A second sync then changes nothing.
random_round() {
	box save >"$DIR/before" && random_configuration >"$DIR/random" || return
	box sync "$DIR/random" 2>"$DIR/said" || fail "sync failed: $(<"$DIR/said")" || return
	box save >"$DIR/synced" && [[ ! $(box sync check "$DIR/random") ]] ||
		fail "a second sync would change: $(box sync check "$DIR/random")" || return
	box restore "$DIR/random" 2>"$DIR/said" && saved synced || fail "$(<"$DIR/said")" || return
	box restore "$DIR/synced" && saved synced
}

random_ones_come_back() {
	local round

	box -j policy list >"$DIR/policies" || return
	for ((round = 0; round < ROUNDS; round++)); do
		random_round ||
			fail "a sync to a random configuration failed," \
				"from $(<"$DIR/before") to $(<"$DIR/random")" || return
	done
}

# ---- an invalid file changes nothing ----

base_is() {
	file_is base <<-END
		fabric add policy conga q 4
		port add dev d0 role uplink tag 3 rate 10Gbit
		port add dev d1 role transit rate 1Gbit
		leaf add 10.0.0.12 mode conga
	END
	box restore "$DIR/base" && saved base
}

# wrong_in_7 WORD STATUS ERROR LINE: the other lines of the file are valid and differ from the
# current configuration; neither restore nor sync changes anything, even for a moment.
wrong_in_7() {
	local way=$1 status=$2 error=$3 line=$4

	file_is wrong <<-END
		# The fabric begins in line 3, and continues in line 4.

		fabric add policy letflow \\
			q 2
		port add dev d2 role uplink rate 10gbit
		leaf add 10.0.0.13	# another
		$line
		leaf add 10.0.0.14
	END
	events_begin || return
	says "$status" "$error
Command failed $DIR/wrong:7
Nothing was changed" "$CONGA" -n "$BOX" "$way" "$DIR/wrong" || return
	events_end && saved base
}

# No event of a change arrives between these two.
events_begin() {
	"$CONGA" -n "$BOX" -j monitor fabric port leaf >"$DIR/events" &
	MONITOR=$!
	defer "kill $MONITOR 2>/dev/null"
	busywait "$PATIENCE_MS" monitor_listens || fail "the monitor did not start"
}

# The monitor has the only generic netlink socket with groups in this namespace.
monitor_listens() {
	# shellcheck disable=SC2016 # awk's
	in_ns "$BOX" awk '$2 == 16 && $4 !~ /^0+$/ { found = 1 } END { exit !found }' \
		/proc/self/net/netlink
}

events_end() {
	kill "$MONITOR"
	wait "$MONITOR"
	[[ ! -s $DIR/events ]] || fail "the configuration changed: $(tr '\n' '|' <"$DIR/events")"
}

line_7_is_told() {
	local way

	base_is || return
	for way in restore sync; do
		wrong_in_7 "$way" 2 'Error: argument "10.0.0" is wrong: not an IPv4 or IPv6 address, and no name in /etc/conga/hosts' \
			"leaf add 10.0.0" &&
			wrong_in_7 "$way" 2 "Error: a configuration has the commands fabric add, port add and leaf add" \
				"port set d0 rate 1gbit" &&
			wrong_in_7 "$way" 2 "Error: a quoted string is not closed" 'leaf add "10.0.0.15' &&
			wrong_in_7 "$way" 2 "Error: this leaf is in line 6 already" "leaf add 10.0.0.13" &&
			wrong_in_7 "$way" 2 "Error: this fabric is in line 3 already" "fabric add" &&
			wrong_in_7 "$way" 2 "Error: this port is in line 5 already" \
				"port add d2 role transit rate 1gbit" &&
			wrong_in_7 "$way" 2 "Error: only an uplink has a tag" \
				"port add d0 role transit tag 3" &&
			wrong_in_7 "$way" 2 "Error: only an uplink can be drained" \
				"port add d0 role transit drain on" || return
	done
	wrong_in_7 restore 1 'Cannot find device "nowhere"' \
		"port add nowhere role uplink rate 1gbit"
}

# The kernel alone knows which values are valid. The tool asks it before any change.
values_are_asked_for() {
	local way

	base_is || return
	for way in restore sync; do
		wrong_in_7 "$way" 1 "Error: rate must be auto or from 1 Mbit/s to 1 Tbit/s." \
			"port add d0 role uplink rate 1kbit" &&
			wrong_in_7 "$way" 1 "Error: tag must be an LBTag from 0 to 15." \
				"port add d0 role uplink rate 1gbit tag 16" || return
	done
	file_is wrong <<<"fabric add q 7"
	says 1 "Error: q must be a number of bits from 1 to 6.
Command failed $DIR/wrong:1
Nothing was changed" "$CONGA" -n "$BOX" restore "$DIR/wrong" && saved base
}

all_wrong_lines_are_told() {
	base_is || return
	file_is wrong <<-END
		port add d0 role uplink rate fast
		port add d1 role sideways
	END
	says 2 "Error: argument \"fast\" is wrong: not a rate such as 40gbit (units: bit, kbit, mbit, gbit, tbit)
Command failed $DIR/wrong:1
Error: argument \"sideways\" is wrong: role must be uplink or transit
Command failed $DIR/wrong:2
Nothing was changed" "$CONGA" -n "$BOX" sync "$DIR/wrong" || return
	file_is wrong <<<"leaf add 10.0.0.13"
	says 2 "Error: ports and leaves need a fabric, and no line has \"fabric add\"
Command failed $DIR/wrong:1
Nothing was changed" "$CONGA" -n "$BOX" sync "$DIR/wrong" && saved base
}

# ports_without_load: prints the ports, without what hellos change
ports_without_load() {
	box -j port show |
		jq 'map(del(.tx_packets, .tx_bytes, .dre_bytes, .metric, .neighbour))'
}

# The node's own address is rejected after all earlier changes were made.
refused_in_the_midst() {
	local way

	base_is && ip -n "$BOX" address replace 10.0.0.99/32 dev lo || return
	auto_port d10 && box leaf set 10.0.0.12 mode plain && box save >"$DIR/before" || return
	ports_without_load >"$DIR/ports"
	for way in restore sync; do
		file_is wrong <<-END
			fabric add policy letflow q 2 dstport 1234
			port add dev d0 role transit rate 1gbit
			port add dev d10 role uplink rate 3gbit
			port add dev d2 role uplink rate 10gbit tag 3
			leaf add 10.0.0.12 mode conga
			leaf add 10.0.0.99
		END
		says 1 "Error: A leaf must be remote, but this address belongs to this node.
Command failed $DIR/wrong:6
The previous configuration was restored" "$CONGA" -n "$BOX" "$way" "$DIR/wrong" && saved before || return
		diff "$DIR/ports" <(ports_without_load) >"$DIR/diff" ||
			fail "$way changed the ports: $(tr '\n' '|' <"$DIR/diff")" || return
	done
}

# ---- objects of a daemon ----

# auto_port DEVICE: adds the port as congad does
auto_port() {
	local index said

	index=$(ip -n "$BOX" -o link show "$1") || return
	said=$(request "$BOX" "$PORT_NEW" "1:u32=${index%%:*}" 2:u32=1 \
		4:u64=1000000000 "$ATTR_ORIGIN:u32=$ORIGIN_AUTO")
	[[ $said == ok ]] || fail "port $1 was rejected: $said"
}

origin_of() {
	box -j port show dev "$1" | jq -r '.[0].origin'
}

daemon_is_left_alone() {
	base_is && auto_port d10 && saved base && applied sync "$DIR/base" || return
	[[ $(origin_of d10) == auto ]] || fail "the origin of d10 is $(origin_of d10)" || return
	echo "port add dev d10 role uplink tag 0 rate 1Gbit" >>"$DIR/base"
	sort -o "$DIR/base" -k1,1 -s "$DIR/base" && box -d sync "$DIR/base" >"$DIR/said" || return
	[[ $(<"$DIR/said") == "port set dev d10 tier 0" && $(origin_of d10) == manual ]] ||
		fail "sync printed $(<"$DIR/said"), the origin of d10 is $(origin_of d10)"
}

# ---- devices that come later ----

absent_is_waited_for() {
	base_is && echo "port add dev later role uplink tag 7 rate 10gbit" >>"$DIR/base" &&
		echo "port add dev d2 role uplink rate 10gbit" >>"$DIR/base" || return
	says 0 "Warning: $DIR/base:5: there is no device \"later\" yet, the port waits for it" \
		"$CONGA" -n "$BOX" sync "$DIR/base" || return
	ip -n "$BOX" link add later up type dummy || return
	[[ $(box -d sync "$DIR/base") == "port add dev later role uplink tag 7 rate 10Gbit" ]] ||
		fail "the port was not added to the device: $(box port show)" || return
	ip -n "$BOX" link del later && ip -n "$BOX" link add later up type dummy &&
		applied sync "$DIR/base" && [[ $(box -j port show dev later | jq '.[0].tag') == 7 ]] ||
		fail "the port was not added to the new device" || return
	ip -n "$BOX" link del later
}

# If a line gives a tag to a device that is missing yet, no earlier device gets this tag.
tags_are_kept_free() {
	file_is tags <<-END
		fabric add
		port add d0 role uplink rate 1gbit
		port add later role uplink rate 1gbit tag 0
		port add d1 role uplink rate 1gbit tag 1
	END
	box restore - <<<"fabric del" && box sync "$DIR/tags" 2>/dev/null || return
	[[ $(box -j port show dev d0 | jq '.[0].tag') == 2 ]] || fail "$(box port show)"
}

# ---- the service ----

# unit_does ACTION: runs the commands of the unit, with the privileges that the unit leaves them
unit_does() {
	local command

	command=$(sed -n "s/^Exec$1=-\?//p" "$TESTS/../userspace/dist/conga.service") || return
	command=${command//\/etc\/conga.conf/$DIR/conf}
	# shellcheck disable=SC2086 # a list of words
	in_ns "$BOX" setpriv --bounding-set=-all,+net_admin --inh-caps=-all --no-new-privs \
		${command//\/usr\/local\/sbin\/conga/$CONGA}
}

# This test follows the example, with the devices of this node.
service_starts_reloads_stops() {
	[[ $(find "$TESTS/../userspace/dist" -name '*.rules' -exec grep -c 'try-reload-or-restart conga.service' {} +) == 1 ]] ||
		fail "no udev rule reloads the service" || return
	sed -e 's/eth1/d0/' -e 's/eth2/later/' "$TESTS/../userspace/dist/conga.conf" >"$DIR/conf"
	box restore - <<<"fabric del" || return
	unit_does Start 2>"$DIR/said" || fail "the start failed: $(<"$DIR/said")" || return
	[[ $(<"$DIR/said") == "Warning: $DIR/conf:"*": there is no device \"later\" yet, the port waits for it" ]] ||
		fail "the start printed: $(<"$DIR/said")" || return
	ip -n "$BOX" link add later up type dummy && says 0 "" unit_does Reload &&
		ip -n "$BOX" link del later || return
	[[ $(box save | grep -c .) == 4 ]] || fail "the configuration is: $(box save)" || return
	says 0 "" unit_does Stop || return
	[[ ! $(box save) ]] || fail "the stop left: $(box save)"
}

# The service must be hardened at least as well as the other service.
service_is_sound() {
	local unit=$DIR/conga.service

	type -P systemd-analyze >/dev/null || { why "needs systemd-analyze"; return "$KSFT_SKIP"; }
	sed "s|/usr/local/sbin/conga|$(realpath "$CONGA")|" "$TESTS/../userspace/dist/conga.service" >"$unit"
	grep -q "^Before=network.target frr.service" "$unit" ||
		fail "the unit does not start before routing" || return
	systemd-analyze verify --man=no "$unit" >"$DIR/said" 2>&1 &&
		[[ ! -s $DIR/said ]] ||
			fail "systemd-analyze verify printed: $(tr '\n' '|' <"$DIR/said")" || return
	systemd-analyze security --offline=yes --threshold=18 "$unit" >"$DIR/said" 2>&1 ||
		fail "systemd-analyze security failed: $(tail -1 "$DIR/said")"
}

# ---- output without a reader ----

# The reader has exited before any output: all changes are made nevertheless, and an error is
# reported.
closed_pipe_is_no_half() {
	local status i

	base_is && full || return
	for ((i = 0; i < LEAVES; i++)); do
		echo "leaf add 10.1.$((i / 100)).$((1 + i % 100))"
	done >>"$DIR/full"
	{ read -r -t 0.2; box -d sync "$DIR/full"; echo $? >"$DIR/status"; } 2>"$DIR/said" | :
	status=$(<"$DIR/status")
	box save >"$DIR/piped" && box restore "$DIR/full" && saved piped ||
		fail "only a part was applied: $(<"$DIR/piped")" || return
	((status == 141)) || fail "the status is $status, the output: $(<"$DIR/said")" || return
	(trap '' PIPE; { read -r -t 0.2; box save; echo $? >"$DIR/status"; } 2>"$DIR/said" | :)
	[[ $(<"$DIR/status") == 1 && ! -s $DIR/said ]] ||
		fail "the status of save is $(<"$DIR/status"), the output: $(<"$DIR/said")"
}

# ---- another version ----

# One tool has another number for "probe", which is unknown to the module and does not know the
# module's number. Another tool has a different version of the family.
versions_are_told() {
	base_is || return
	says 1 "Error: the module does not know probe, it is older than this tool (conga -V)" \
		"$TESTS/tools/conga_ahead" -n "$BOX" fabric set probe 1ms && saved base || return
	"$TESTS/tools/conga_ahead" -n "$BOX" save >"$DIR/ahead" 2>"$DIR/said" || return
	[[ $(<"$DIR/said") == "Warning: the module is newer than this tool (conga -V), settings that only the module knows are not saved" ]] ||
		fail "save printed: $(<"$DIR/said")" || return
	says 1 "Error: the module is older than this tool, its netlink family has version 1, not 2: update the module (conga-dkms)" \
		"$TESTS/tools/conga_apart" -n "$BOX" save || return
	[[ $("$TESTS/tools/conga_ahead" -V 2>&1 >/dev/null) == "Warning: the module is older than this tool" ]] ||
		fail "-V printed: $("$TESTS/tools/conga_ahead" -V 2>&1)" || return
	[[ ! $(box -V 2>&1 >/dev/null) ]] || fail "$(box -V 2>&1)"
}

# ---- with traffic ----

steady_start() {
	nsenter --net="/run/netns/${HOST[0.0]}" bash -c "flows_steady ${HOST_IP[1.0]} $FLOWS" &
	STEADY=$!
	defer "kill $STEADY 2>/dev/null"
	busywait "$PATIENCE_MS" flowlets_are "$FLOWS" ||
		fail "the flows have no flowlets: $(conga 0 flowlet show)"
}

flowlets() {
	conga 0 -j flowlet show | jq -r 'map("\(.hash) \(.dev)") | sort | .[]'
}

flowlets_are() {
	(($(flowlets | grep -c .) == $1))
}

# A change of a rate, a leaf or a parameter must keep the uplink of each flow and the tables of
# the other leaf.
sync_disturbs_nobody() {
	local before table

	pings && steady_start && before=$(flowlets) && table=$(rows) || return
	[[ $table == *"${VTEP[1]} tag"* ]] || fail "the to-leaf table is empty: $table" || return
	conga 0 save | sed -e 's/dev up0 \(.*\)$/dev up0 \1 drain on/' -e 's/age 10s/age 9s/' \
		>"$DIR/traffic" && echo "leaf add 10.9.9.9 mode plain" >>"$DIR/traffic" || return
	sed -i -e 's/ drain on//' -e '/dev up0/s/ rate [^ ]*//' -e '/dev up0/s/$/ rate 5gbit/' \
		"$DIR/traffic"
	stats_mark "${LEAF[0]}"
	conga 0 -d sync "$DIR/traffic" >"$DIR/said" || return
	[[ $(<"$DIR/said") == "fabric set age 9s
port set dev up0 rate 5Gbit
leaf add 10.9.9.9 mode plain" ]] || fail "sync did: $(<"$DIR/said")" || return
	[[ $(flowlets) == "$before" && $(rows) == "$table" ]] ||
		fail "sync disturbed the traffic: flowlets $before, then $(flowlets);" \
			"rows $table, then $(rows)" || return
	[[ " $(stats_growth "${LEAF[0]}") " != *flowlets_[smr]* ]] ||
		fail "flowlets were started: $(stats_growth "${LEAF[0]}")"
}

pings() {
	in_ns "${HOST[0.0]}" ping -qc 5 -i 0.05 "${HOST_IP[1.0]}" >/dev/null
}

rows() {
	conga 0 -j table show to-leaf leaf "${VTEP[1]}" |
		jq -r '.[] | "\(.leaf) \(.rows | map("tag \(.tag)") | join(" "))"'
}

oldest_row_ns() {
	conga 0 -j table show to-leaf leaf "${VTEP[1]}" | jq '[.[].rows[].age_ns] | max // 0'
}

# This is the control: a restart loses both, though new rows may appear at once.
restore_begins_anew() {
	local start=${EPOCHREALTIME/.} passed oldest

	(($(oldest_row_ns) > 0)) || fail "the to-leaf table is empty" || return
	conga 0 restore "$DIR/traffic" && busywait "$PATIENCE_MS" flowlets_are "$FLOWS" || return
	oldest=$(oldest_row_ns)
	passed=$((${EPOCHREALTIME/.} - start))
	((oldest < passed * 1000)) ||
		fail "a row of the table was kept: it is $oldest ns old," \
			"$passed us after the restart"
}

require_root
require_commands ip jq shuf setpriv
require_module
export -f flows_steady
tap_plan 17
DIR=$(mktemp -d) && defer "rm -rf $DIR"
{ box_up && topo_up && tunnel_says_nothing && fabric_up conga conga; } || die "cannot set up"
tap_test "every setting is saved and restored" everything_comes_back
tap_test "defaults are not saved" defaults_are_left_out
tap_test "a configuration without a fabric is saved and restored" nothing_is_kept_too
tap_test "random configurations are restored, by sync and by restore" random_ones_come_back
tap_test "an error in line 7 is reported with line and reason, and nothing is changed" \
	line_7_is_told
tap_test "values that the kernel rejects are reported before anything is changed" \
	values_are_asked_for
tap_test "all wrong lines are reported" all_wrong_lines_are_told
tap_test "the previous configuration is restored when the kernel rejects a later command" \
	refused_in_the_midst
tap_test "a daemon's port stays, and becomes manual unchanged when the file names it" \
	daemon_is_left_alone
tap_test "a port waits for its device, also repeatedly" absent_is_waited_for
tap_test "an LBTag given in the file to a later port is not given to another port" \
	tags_are_kept_free
tap_test "the service starts, reloads and stops with the example configuration" \
	service_starts_reloads_stops
tap_test "systemd accepts the service, and finds it hardened" service_is_sound
tap_test "a closed pipe leaves no half-written configuration" closed_pipe_is_no_half
tap_test "a module older or newer than the tool is reported" versions_are_told
tap_test "sync keeps flowlets and tables" sync_disturbs_nobody
tap_test "restore clears flowlets and tables" restore_begins_anew
tap_exit
