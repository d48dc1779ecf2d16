#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The output of the tool: the JSON keys of every object, which are an interface, the numbers,
# which must be those of the kernel, and options and batches.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly PINGS=40 MANY_LEAVES=300
readonly SETTLE_MS=30000	# until no packets pass while counters are read
readonly HEADER=$TESTS/../include/uapi/linux/conga.h

# ---- set up ----

# No node sends packets by itself, one uplink has no route, and one flowlet stays.
setup() {
	topo_up && tunnel_says_nothing || return
	ip -n "${LEAF[0]}" link add unused up type dummy && fabric_up conga conga &&
		conga 1 fabric set hello off && conga_batch "${LEAF[0]}" <<-END
			fabric set flowlet-timeout 1s age 10s hello off explicit-feedback off leaf-id 0x1234
			port add unused role uplink rate 1gbit tag 14
		END
}

ping_hosts() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -c "$PINGS" -i 0.01 -W 5 -s 1000 "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: ${said##*---}"
}

# ---- keys ----

unset -f jq			# the order of keys matters here

# shape FILTER JSON: prints "key:type ..." of each object that matches, one a line
shape() {
	jq -r ".[] | $1 | to_entries |
		map(\"\(.key):\(.value | type)\") | join(\" \")" <<<"$2" | sort -u
}

# shape_is SHAPE FILTER WORD...: the output of the command has this shape
shape_is() {
	local one

	one=$(shape "$2" "$(conga 0 -j "${@:3}")")
	[[ $one == "$1" ]] || fail "${*:3} printed $one, expected: $1"
}

# without_new KEY:TYPE...: prints a filter for objects that removes all other keys
without_new() {
	printf 'with_entries(select(.key | IN('
	printf '"%s", ' "${@%:*}"
	printf '"")))'
}

# new_keys_are_parameters KEY:TYPE...: other keys of the fabric are parameters that the help has
new_keys_are_parameters() {
	local key word

	for key in $(conga 0 -j fabric show | jq -r ".[] | keys - ($(without_new "$@") | keys) | .[]"); do
		word=${key%_ns}
		[[ $(conga 0 fabric help) == *"[ ${word//_/-} "* ]] || fail "$key is no parameter" || return
	done
}

fabric_shape() {
	local head="policy:string policy_params:object q:number metric:string byte3:string"
	local tail="alpha:number flowlet_timeout_ns:number flowlet_timeout_source:string \
age_ns:number dstports:array flowlets:number hello_ns:number probe_ns:number \
explicit_feedback:boolean leaf_id:number" end="ports:number leaves:number" known
	local full="$head tdre_ns:number $tail opt_out_mark:number opt_out_mask:number \
opt_out_dscp:number local4:string local6:string $end"

	# shellcheck disable=SC2086 # a list of keys
	known=$(without_new $full) && new_keys_are_parameters $full || return
	shape_is "$head $tail $end" "$known" fabric show &&
		conga 0 fabric set tdre 20us opt-out mark 0x3/0xff opt-out dscp 46 \
			local 10.0.0.11 local fd00::11 &&
		shape_is "$full" "$known" fabric show &&
		conga 0 fabric set tdre auto opt-out mark off opt-out dscp off local off &&
		shape_is "$head $tail $end" "$known" fabric show
}

port_shape() {
	local head="dev:string role:string tag:number tier:number rate_bps:number \
rate_source:string state:string metric:number metric_limit:number drain:boolean"
	local tail="origin:string tdre_ns:number dre_bytes:number ifindex:number tx_packets:number \
tx_bytes:number"

	shape_is "$head $tail" . port show || return
	[[ $("$CONGA" -n "${SPINE[0]}" -j port show |
		jq -c '[.[] | .role, has("tag"), has("drain")] | unique') == '[false,"transit"]' ]] ||
		fail "a transit port is shown with a tag or drain" || return
	conga 0 port set unused drain on &&
		shape_is "$head flowlets:number $tail" 'select(.drain)' port show &&
		conga 0 port set unused drain off
}

leaf_shape() {
	hello 50ms && busywait "$SETTLE_MS" leaf_has_an_id ||
		fail "the leaf did not answer hellos: $(conga 0 leaf show)" ||
		return
	shape_is "addr:string mode:string state:string reason:string \
unanswered:number heard_age_ns:number paths:number paths_all:number ports:array \
id:number origin:string" . leaf show && hello off
}

hello() {
	conga 0 fabric set hello "$1" && conga 1 fabric set hello "$1"
}

# The value is carried by hellos, which are off otherwise, so that counters are exact.
leaf_has_an_id() {
	conga 0 -j leaf show | json_is '.[0].id != null'
}

path_shape() {
	shape_is "leaf:string dev:string tag:number gateways:array state:string reason:string \
local:number remote:number metric_limit:number" 'select(.state == "down")' path show || return
	shape_is "leaf:string dev:string tag:number gateways:array state:string local:number \
remote:number metric_limit:number age_ns:number" 'select(.state == "usable" and .age_ns)' path show || return
	[[ $(conga 0 -j path show | jq -r '.[] | select(.state == "down") | "\(.dev) \(.reason)"') == \
		"unused not_nexthop" ]] || fail "$(conga 0 path show)"
}

table_shape() {
	shape_is "table:string leaf:string metric_limit:number rows:array" . table show to-leaf &&
		shape_is "table:string leaf:string metric_limit:number rows:array" . table show from-leaf &&
		shape_is "tag:number metric:number age_ns:number" '.rows[]' table show to-leaf &&
		shape_is "tag:number metric:number age_ns:number changed:boolean" '.rows[]' \
			table show from-leaf
}

# while_pinging COMMAND...: a flowlet stays for a second, in which a slow machine does not always
# answer.
while_pinging() {
	local status=0 pinger

	nsenter --net="/run/netns/${HOST[0.0]}" ping -q -i 0.1 "${HOST_IP[1.0]}" >/dev/null &
	pinger=$!
	ping_hosts && "$@" || status=1
	kill "$pinger" && wait "$pinger"
	return "$status"
}

flowlet_shape() {
	while_pinging shape_is "hash:number leaf:string dev:string idle_ns:number" . flowlet show
}

policy_shape() {
	local head="name:string summary:string"

	shape_is "$head flowlet_timeout_ns:number params:array" \
		'select(.flowlet_timeout_ns)' policy list &&
		shape_is "$head params:array" 'select(.flowlet_timeout_ns | not)' policy list &&
		shape_is "name:string summary:string min:number max:number default:number" \
			'.params[] | select(has("min"))' policy list &&
		shape_is "name:string summary:string min_ns:number max_ns:number default_ns:number" \
			'.params[] | select(has("min") | not)' policy list || return
	[[ $(conga 0 -j policy list | jq -r 'map(.name) | join(" ")') == "$POLICIES" ]] ||
		fail "$(conga 0 policy list)"
}

# Every counter of the manual is printed, and no other, even if it is zero.
stats_shape() {
	local expected found

	expected=$(sed -n 's/^\tCONGA_A_STATS_\([A-Z_]*\),$/\L\1/p' "$HEADER" | sort)
	found=$(conga 0 -j stats show | jq -r '.[] | keys[]' | sort)
	((${#expected} > 100)) || fail "$HEADER has too few counters" || return
	[[ $found == "$expected" ]] || fail "$(diff <(echo "$expected") <(echo "$found"))"
}

# ---- numbers ----

# Prints the difference between the counts of the device and those of the port, "device packets
# bytes" a line. It is constant, since a device counts from its creation.
lead_of_devices() {
	jq -n -r --argjson links "$(ip -n "$1" -j -s link show)" \
		--argjson ports "$("$CONGA" -n "$1" -j port show)" '$ports[] as $port |
		$links[] | select(.ifname == $port.dev).stats64.tx |
		"\($port.dev) \(.packets - $port.tx_packets) \(.bytes - $port.tx_bytes)"'
}

lead_is() {
	[[ $(lead_of_devices "$1") == "$2" ]]
}

sent_by_ports() {
	"$CONGA" -n "$1" -j port show | jq 'map(.tx_packets) | add'
}

# Devices and ports were read while no packet passed: two reads are equal. Prints the result.
lead_is_settled() {
	local lead

	lead=$(lead_of_devices "$1")
	[[ $(lead_of_devices "$1") == "$lead" ]] && echo "$lead"
}

# Frames that are not segmented later are counted alike by device and port.
ports_count_what_devices_count() {
	local ns
	local -A lead=() sent=()

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		lead[$ns]=$(busywait "$SETTLE_MS" lead_is_settled "$ns")
		sent[$ns]=$(sent_by_ports "$ns")
	done
	ping_hosts || return
	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		busywait "$SETTLE_MS" lead_is "$ns" "${lead[$ns]}" ||
			fail "the devices of ${ns%-*} are ahead by $(lead_of_devices "$ns")," \
				"before by ${lead[$ns]}" || return
	done
	for ns in "${LEAF[@]}"; do
		(($(sent_by_ports "$ns") - sent[$ns] >= PINGS)) ||
			fail "the ports of ${ns%-*} counted too few packets" || return
	done
}

# The tx and rx hooks are compared with the tunnel device, and the link hook with the links of the
# spines.
doors_count_what_the_tunnel_counts() {
	local l tx rx

	tx=(0 0) rx=(0 0)
	for l in 0 1; do
		stats_mark "${LEAF[l]}"
		tx[l]=$(link_counter "${LEAF[l]}" vx tx packets)
		rx[l]=$(link_counter "${LEAF[l]}" vx rx packets)
	done
	ping_hosts || return
	for l in 0 1; do
		((tx[l] + PINGS == $(link_counter "${LEAF[l]}" vx tx packets) &&
			rx[l] + PINGS == $(link_counter "${LEAF[l]}" vx rx packets))) ||
			fail "the tunnel did not carry exactly the pings" || return
		stats_grew "${LEAF[l]}" "tx_steered=$PINGS" &&
			stats_grew "${LEAF[l]}" "tx_stamped=$PINGS" &&
			stats_grew "${LEAF[l]}" "rx_stamped=$PINGS" &&
			stats_grew "${LEAF[l]}" "rx_learnt=$PINGS" || return
	done
}

# numbers_are JSON FILTER WORD...: the command prints these numbers
numbers_are() {
	local found

	found=$(conga 0 -j "${@:3}" | jq -c "$2")
	[[ $found == "$1" ]] || fail "${*:3} printed $found, expected: $1"
}

ports_and_leaves_agree() {
	local index

	index=$(ip -n "${LEAF[0]}" -j link show up1 | jq '.[0].ifindex')
	numbers_are "[\"up1\",\"uplink\",1,10000000000,\"link\",\"up\",$index]" \
		'.[] | [.dev, .role, .tag, .rate_bps, .rate_source, .state, .ifindex]' \
		port show up1 || return
	numbers_are "[[\"${VTEP[1]}\",\"conga\",\"conga\",\"ordered\",2,\"manual\"]]" \
		'map([.addr, .mode, .state, .reason, .paths, .origin])' \
		leaf show || return
	numbers_are '["conga",3,"max",0.1,1000000000,10000000000,[4789],65536,0,false,4660,3,1]' \
		'.[] | [.policy, .q, .metric, .alpha, .flowlet_timeout_ns, .age_ns, .dstports, .flowlets,
		.hello_ns, .explicit_feedback, .leaf_id, .ports, .leaves]' fabric show || return
	[[ $(conga 0 fabric show) == *" hello off explicit-feedback off leaf-id 0x00001234 "* ]] ||
		fail "$(conga 0 fabric show)"
}

# The text omits default values; -d prints them.
text_says_what_is_not_the_rule() {
	conga 0 leaf set "${VTEP[1]}" mode auto 2>/dev/null || return
	[[ $(conga 0 leaf show) == "${VTEP[1]} mode auto state plain (hello is off here) paths 2/3"* ]] ||
		fail "$(conga 0 leaf show)" || return
	conga 0 leaf set "${VTEP[1]}" mode conga || return
	[[ $(conga 0 leaf show) == "${VTEP[1]} mode conga state conga paths 2/3"* &&
		$(conga 0 -d leaf show) == "${VTEP[1]} mode conga state conga (set by the operator) paths 2/3"*" origin manual" ]] ||
		fail "$(conga 0 leaf show) $(conga 0 -d leaf show)" || return
	[[ $(conga 0 port show unused) != *drain* && $(conga 0 -d port show unused) == *" drain off origin manual "* ]] ||
		fail "$(conga 0 -d port show unused)" || return
	conga 0 port set unused drain on || return
	[[ $(conga 0 port show unused) == *" drain on flowlets 0" ]] ||
		fail "$(conga 0 port show unused)" || return
	conga 0 port set unused drain off
}

state_follows_the_device() {
	ip -n "${LEAF[0]}" link set unused down && numbers_are '["down"]' 'map(.state)' \
		port show unused && ip -n "${LEAF[0]}" link set unused up &&
		numbers_are '["up"]' 'map(.state)' port show unused
}

# The output for one object equals its part in the output for all objects.
filters_pick() {
	conga 0 leaf add 10.0.0.99 mode plain || return
	numbers_are "[\"${VTEP[1]}\"]" 'map(.leaf) | unique' path show leaf "${VTEP[1]}" &&
		numbers_are '["10.0.0.99",3]' '[.[0].leaf, length]' path show leaf 10.0.0.99 &&
		numbers_are '[{"table":"to-leaf","leaf":"10.0.0.99","metric_limit":7,"rows":[]}]' . \
			table show to-leaf leaf 10.0.0.99 &&
		numbers_are '["10.0.0.99"]' 'map(.addr)' leaf show 10.0.0.99 &&
		numbers_are '[]' . flowlet show leaf 10.0.0.99 &&
		numbers_are '[]' . flowlet show port unused &&
		conga 0 leaf del 10.0.0.99 || return
	while_pinging numbers_are "[\"${VTEP[1]}\"]" 'map(.leaf) | unique' flowlet show leaf "${VTEP[1]}"
}

# The objects exceed one message: none is lost, and none is printed twice.
long_dumps_are_whole() {
	local i all

	for ((i = 0; i < MANY_LEAVES; i++)); do
		echo "leaf add 10.200.$((i / 250)).$((i % 250 + 1)) mode plain"
	done | conga_batch "${LEAF[0]}" || return
	all=$((MANY_LEAVES + 1))
	numbers_are "[$all,$all]" '[length, (unique_by(.addr) | length)]' leaf show &&
		numbers_are "[$((3 * all)),$((3 * all))]" \
			'[length, (unique_by([.leaf, .dev]) | length)]' path show &&
		numbers_are "[$all,$all]" '[length, (unique_by(.leaf) | length)]' table show to-leaf
}

# ---- options ----

options_work() {
	[[ $(conga 0 -j -p leaf show "${VTEP[1]}" | jq -c .) == "$(conga 0 -j leaf show "${VTEP[1]}")" ]] ||
		fail "-p and -j print different JSON" || return
	(($(conga 0 -jp leaf show "${VTEP[1]}" | wc -l) > 1)) || fail "-p does not indent" || return
	[[ $(conga 0 port show) != *tx_bytes* && $(conga 0 -s port show) == *tx_bytes* ]] ||
		fail "-s shows no counters" || return
	[[ $(conga 0 port show) != *ifindex* && $(conga 0 -d port show) == *ifindex* ]] ||
		fail "-d shows no details" || return
	[[ $("$CONGA" -V) == "conga "*", module $(</sys/module/conga/version)" ]] ||
		fail "-V printed $("$CONGA" -V)" || return
	[[ $(conga 0) == "fabric: policy conga "* ]] ||
		fail "conga without a command printed $(conga 0)"
}

namespaces_are_found() {
	says 1 'Cannot open network namespace "nosuch": No such file or directory' \
		"$CONGA" -n nosuch fabric show &&
		says 0 "$(conga 0 fabric show)" in_ns "${LEAF[0]}" "$CONGA" fabric show &&
		says 0 "$(conga 0 fabric show)" "$CONGA" -n "/run/netns/${LEAF[0]}" fabric show
}

# All lines before the failing line are executed, and no line after it.
batches_stop_where_they_fail() {
	local file=$TOPO_DIR/batch

	cat >"$file" <<-'END'
		# The file has a comment, an empty line, quotes and a continued line.

		fabric set q 4 \
			alpha 0.2
		leaf add '10.0.0.98' mode "plain"   # another comment
		leaf add 10.0.0.98 mode conga
		fabric set q 5
	END
	says 1 "Error: This leaf exists already."$'\n'"Command failed $file:6" \
		"$CONGA" -n "${LEAF[0]}" -b "$file" || return
	numbers_are '[4,0.2]' '.[] | [.q, .alpha]' fabric show &&
		numbers_are '["plain"]' 'map(.mode)' leaf show 10.0.0.98 || return
	says 2 "Object \"nosuch\" is unknown, try \"conga help\"."$'\n'"Command failed -:1" \
		conga_batch "${LEAF[0]}" <<<"nosuch" &&
		says 1 "Cannot open file \"$TOPO_DIR/nosuch\" for reading: No such file or directory" \
			"$CONGA" -b "$TOPO_DIR/nosuch" &&
		conga 0 leaf del 10.0.0.98
}

require_root
require_commands ip tc jq ping sysctl
require_module
tap_plan 18
setup || die "the fabric cannot be set up"
tap_test "ports count what their devices count" ports_count_what_devices_count
tap_test "the hooks count what the tunnel counts" doors_count_what_the_tunnel_counts
tap_test "a flowlet has exactly the documented keys" flowlet_shape
tap_test "a fabric has exactly the documented keys" fabric_shape
tap_test "a port has exactly the documented keys" port_shape
tap_test "a leaf has exactly the documented keys" leaf_shape
tap_test "a path has exactly the documented keys" path_shape
tap_test "a table has exactly the documented keys" table_shape
tap_test "a policy has exactly the documented keys" policy_shape
tap_test "counters have exactly the documented keys" stats_shape
tap_test "ports, leaves and fabric are shown as configured" ports_and_leaves_agree
tap_test "text shows values that are not default, and -d shows all" text_says_what_is_not_the_rule
tap_test "a port's state is that of its device" state_follows_the_device
tap_test "filters select the requested objects" filters_pick
tap_test "options are accepted, and wrong ones are rejected" options_work
tap_test "network namespaces are found by name" namespaces_are_found
tap_test "a batch stops at the line that fails, and reports it" batches_stop_where_they_fail
tap_test "long dumps are complete" long_dumps_are_whole
tap_exit
