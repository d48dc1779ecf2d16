#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The YNL specification, include/netlink/conga.yaml: the UAPI header is generated from it, it
# accepts what the running family accepts, and describes the answers of that family. With YNL=DIR,
# the tool in the kernel's tools/net/ynl uses the family through it (./ynl_tool).

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/documents.sh"
. "$TESTS/lib/expect.sh"

CONGA=$TESTS/../userspace/conga

readonly SPEC=$TESTS/../include/netlink/conga.yaml
readonly NODE=ynl-$$
readonly ADDR4=167772174	# 10.0.0.14
readonly PATIENCE_MS=20000

header_is_generated() {
	local said

	said=$("$TESTS/../include/netlink/generate" --check 2>&1) && return
	why "$said"
	return 1
}

family_agrees() {
	local said

	said=$("$TESTS/tool/ynl.py" family 2>&1) && return
	why "$said"
	return 1
}

# is_reported SCRIPT SENTENCE: the generator reports the difference to a specification that this
# sed script changed
is_reported() {
	local said

	sed "$1" "$SPEC" >/tmp/conga.yaml
	! said=$("$TESTS/tool/ynl.py" family /tmp/conga.yaml 2>&1) && [[ $said == "$2"* ]] && return
	why "$1: $said"
	return 1
}

differences_are_reported() {
	is_reported 's/\[ifindex, origin\]/[ifindex]/' "port-del: " &&
		is_reported '0,/type: u64/s//type: u32/' "fabric-new: " &&
		is_reported 's/\[{name: name}, {name: value}, {name: time}\]/[{name: name}]/' "fabric-new: "
}

# ---- answers ----

node() {
	"$CONGA" -n "$NODE" "$@"
}

# node_up: a leaf with an uplink whose far end is missing, and a tunnel to another leaf, so that
# each object exists
node_up() {
	ip netns add "$NODE" && defer ip netns del "$NODE" || return
	ip -n "$NODE" -batch - <<-END || return
		link set lo up
		link add d0 up type dummy
		link add d1 up type dummy
		address add 10.9.0.1/24 dev d0
		neighbour add 10.9.0.2 lladdr 02:00:00:00:09:02 dev d0
		route add 10.0.0.13 via 10.9.0.2
		link add vx0 up type vxlan id 7 local 10.9.0.1 remote 10.0.0.13 dstport 4789
		address add 172.31.7.1/24 dev vx0
		neighbour add 172.31.7.2 lladdr 02:00:00:00:07:02 dev vx0
	END
	node -b - <<-END
		fabric add hello off
		port add dev d0 role uplink rate 1gbit
		port add dev d1 role transit rate 1gbit tier 3
		leaf add 10.0.0.12 mode plain
		leaf add 10.0.0.13 mode conga
		leaf add fd00::12 mode plain
	END
}

# answers_agree WHAT: all that can be read is as the specification describes it
answers_agree() {
	local said

	said=$(in_ns "$NODE" "$TESTS/tool/ynl.py" answers 2>&1) && return
	why "$1: $said"
	return 1
}

# shows WORD...: prints at least one object
shows() {
	(($(node -j "$@" | jq length)))
}

# A busy computer may stop the machine for longer than the flowlet lives, until the next packet.
nothing_is_empty() {
	local what

	for what in "port show" "leaf show" "path show" "table show to-leaf" "flowlet show"; do
		# shellcheck disable=SC2086 # these are words
		busywait "$PATIENCE_MS" shows $what || { why "$what prints nothing"; return 1; }
	done
}

# pings_start: packets to the other leaf, unanswered, so that there is a flowlet
pings_start() {
	nsenter --net="/run/netns/$NODE" ping -q -i 0.1 172.31.7.2 >/dev/null &
	defer "kill $! 2>/dev/null"
}

# What an operator set has another source in an answer than what the policy brings.
answers_are_described() {
	node_up || { why "no node"; return 1; }
	answers_agree "defaults" || return
	node -b - <<<"fabric set flowlet-timeout 1s probe 1s leaf-id 7 metric sum" || return
	pings_start && nothing_is_empty && answers_agree "values of an operator" || return
	node -b - <<<"fabric set policy tr flowlet-timeout auto probe auto metric max" &&
		answers_agree "another policy"
}

# ynl WORD...: sets SAID
ynl() {
	SAID=$(cd "$YNL/tools/net/ynl" &&
		./cli.py --spec "$SPEC" --schema "$YNL/Documentation/netlink/genetlink.yaml" \
			--output-json "$@" 2>&1) && return
	why "$*: $SAID"
	return 1
}

# said FILTER: the filter is true for the tool's output
said() {
	json_is "$1" <<<"$SAID" && return
	why "the answer does not satisfy $1: $SAID"
	return 1
}

tool_shows_ports() {
	ip link add d0 up type dummy && "$CONGA" port add d0 role transit rate 1gbit &&
		ynl --dump port-get || return
	said "length == 1 and (.[0] | .ifindex == $(</sys/class/net/d0/ifindex) and
		.role == \"transit\" and .rate == 1e9 and .origin == \"manual\")"
}

tool_adds_a_leaf() {
	ynl --do leaf-new --json "{\"addr4\": $ADDR4, \"mode\": 1}" &&
		[[ $("$CONGA" -j leaf show | jq -c 'map([.addr, .mode])') == '[["10.0.0.14","plain"]]' ]] &&
		ynl --do leaf-get --json "{\"addr4\": $ADDR4}" &&
		said '.addr4 == "10.0.0.14" and .mode == "plain" and .reason == "ordered"'
}

tool_reads_all() {
	ynl --do fabric-get && said '.policy == "conga" and .metric == "max" and .dstport == [4789]' &&
		ynl --do stats-get && said '."tx-steered" == 0' &&
		ynl --dump policy-get && said 'map(.name) | index("tr")' &&
		ynl --dump path-get && said 'length == 0' &&
		ynl --dump table-get --json '{"kind": 1}' && said '.[0].addr4 == "10.0.0.14"'
}

# The generator searches for its schema above the specification, and for a kernel tree.
tool_makes_the_header() {
	local specs=$YNL/Documentation/netlink/specs said

	mkdir -p "$specs" && cp "$SPEC" "$specs" && touch "$YNL/MAINTAINERS" || return
	said=$("$YNL/tools/net/ynl/ynl-gen-c.py" --mode uapi --header --spec "$specs/conga.yaml" \
		-o /tmp/conga.h 2>&1 && "$TESTS/tool/ynl.py" generated /tmp/conga.h 2>&1) && return
	why "$said"
	return 1
}

tool_tells_why() {
	! ynl --do port-del --json '{"ifindex": 99}' &&
		[[ $SAID == *"This device is not a port of the fabric"* ]]
}

# The clone of the document is in the user's home.
cli_shell() {
	HOME=$(mktemp -d)
	ln -s "$(realpath "$TESTS/..")" "$HOME/conga" && cd "$YNL/tools/net/ynl" || return
}

# as_rationale_says: the example's leaf is removed again
as_rationale_says() {
	document_runs Documentation/developer/rationale.md "Why a netfilter module" cli_shell ||
		{ why "$DOCUMENT_SAID"; return 1; }
	"$CONGA" leaf del 10.0.0.12
}

require_root
require_module
if [[ -z ${YNL-} ]]; then
	require_commands ip jq ping
	tap_plan 4
	tap_test "the header is the one generated from the specification" \
		header_is_generated
	tap_test "the running family accepts what the specification describes" family_agrees
	tap_test "a difference between specification and family is reported" \
		differences_are_reported
	tap_test "each answer is as the specification describes it" answers_are_described
	tap_exit
fi
require_commands ip jq
tap_plan 6
"$CONGA" fabric add hello off || die "no fabric"
tap_test "the kernel's tool shows ports" tool_shows_ports
tap_test "the kernel's tool adds a leaf" tool_adds_a_leaf
tap_test "the kernel's tool reads all other objects" tool_reads_all
tap_test "the commands of rationale.md succeed" as_rationale_says
tap_test "the kernel's tool prints why a request is rejected" tool_tells_why
tap_test "the header that the kernel's tool makes has the numbers of ours" tool_makes_the_header
tap_exit
