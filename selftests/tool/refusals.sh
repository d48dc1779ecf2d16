#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Invalid input: each command is rejected with its own sentence and exit status, and changes
# nothing. The tests also cover the privileges for changing and for reading, and the loading of
# the module on demand.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/requests.sh"

readonly ALIAS=net-pf-16-proto-16-family-conga
readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
readonly UPLINKS=16
readonly NOT_PERMITTED="Error: Operation not permitted:"
readonly NEEDS="needs CAP_NET_ADMIN in this network namespace"

readonly NO_POLICY="There is no policy of this name; valid names: ${POLICIES// /, }"
readonly NO_PARAM="has no parameter of this name; valid names:"
readonly OWN="A leaf must be remote, but this address belongs to this node"
readonly NO_DEVICE="The request must name the device of the port"
readonly LEAF_NAME="The request must name the leaf by exactly one address"
readonly ORIGIN="origin must be manual or auto"
readonly RATE="rate must be auto or from 1 Mbit/s to 1 Tbit/s"
readonly FLOWLETS="flowlets must be a power of two from 1024 to 4194304"
readonly TIMEOUT="flowlet-timeout must be auto or a time from 0 to 1 s"
readonly DSTPORTS="A fabric has at most 4 dstports"
readonly CELL="cell of policy presto must be from 1500 to 16777216"
readonly RTT="rtt of policy tr must be a time from 4 us to 1 s"
readonly ALL_DUMPED="A dump of all objects accepts no attributes"
readonly HELLO="hello must be off or a time from 20 ms to 10 s"
readonly LOCAL="local must be a unicast address that is neither loopback nor link-local"
readonly BYTE3="This policy uses byte 3 of the VXLAN header for queues, so q must be at most 3"
readonly UNICAST="A leaf must have a unicast address that is neither loopback nor link-local"

# ---- two namespaces: one with a fabric, one without ----

names() {
	local sfx

	sfx=$(mktemp -u XXXXXX)
	HERE_NS=refusals-$sfx THERE_NS=elsewhere-$sfx
	PUBLIC=$(mktemp -d)
	defer "rm -rf $PUBLIC"
}

# Devices d0 ... d16 have no link speed. The index of the device "elsewhere" does not exist in
# this namespace.
links() {
	local i

	echo "link set lo up"
	echo "address add 10.0.0.11/32 dev lo"
	echo "address add fd00::11/128 dev lo"
	echo "link add bcast up type dummy"
	echo "address add 10.9.0.1/24 brd 10.9.0.255 dev bcast"
	for ((i = 0; i <= UPLINKS; i++)); do
		echo "link add d$i up type dummy"
	done
	echo "link add transit up type dummy"
}

setup() {
	names
	ip netns add "$HERE_NS" && defer "ip netns del $HERE_NS" || return
	ip netns add "$THERE_NS" && defer "ip netns del $THERE_NS" || return
	# No node sends packets by itself, so counters stay unchanged, too.
	in_ns "$HERE_NS" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || return
	links | ip -n "$HERE_NS" -batch - || return
	ip -n "$THERE_NS" link add elsewhere index 4711 type dummy || return
	# Other users may have no access to the tree.
	printf '%s show\n' fabric port leaf >"$PUBLIC/configuration"
	cp "$CONGA" "$PUBLIC/conga" && chmod 755 "$PUBLIC" "$PUBLIC/conga" || return
	D0=$(ip -n "$HERE_NS" -o link show d0) && D0=${D0%%:*} || return
	conga_batch "$HERE_NS" <<-END
		fabric add q 4 age 20ms hello off
		port add d0 role uplink rate 10gbit tag 3
		port add transit role transit rate 1gbit
		leaf add 10.0.0.12 mode conga
		leaf add fd00::12 mode plain
	END
}

# ---- state that must stay unchanged ----

configuration() {
	"$CONGA" -n "$HERE_NS" -j -b "$PUBLIC/configuration"
}

unchanged() {
	local now=$BEFORE

	BEFORE=$(configuration)
	[[ $BEFORE == "$now" ]] ||
		fail "$* changed the configuration: $(diff <(jq . <<<"$now") <(jq . <<<"$BEFORE"))"
}

# Each line of stdin is "SENTENCE | WORDS". The command is rejected with this sentence, and
# changes nothing.
all_refused() {
	local sentence words

	while IFS='|' read -r sentence words; do
		sentence=${sentence%"${sentence##*[![:space:]]}"}
		# shellcheck disable=SC2086 # a list of words
		refused "$sentence" -n "$HERE_NS" $words && unchanged "$words" || return
	done
}

# ---- errors of the kernel ----

devices_refused() {
	says 1 'Cannot find device "nosuch"' \
		"$CONGA" -n "$HERE_NS" port add nosuch role uplink rate 1gbit || return
	says 1 'Cannot find device "elsewhere"' \
		"$CONGA" -n "$HERE_NS" port add elsewhere role uplink rate 1gbit || return
	all_refused <<-END
		This device is a port already | port add d0 role uplink rate 1gbit
		This device is a port already | port add transit role uplink rate 1gbit
		A loopback or VRF device cannot be a port | port add lo role transit rate 1gbit
		This device is not a port of the fabric | port del d1
		This device is not a port of the fabric | port set d1 rate 1gbit
		This device is not a port of the fabric | port show d1
	END
}

# Routes lead to the device above a member, and never into a tunnel of the fabric.
members_refused() {
	ip -n "$HERE_NS" -batch - <<-END || return
		link add bond0 type bond
		link set d1 down
		link set d1 master bond0
		link add br0 type bridge
		link set d2 master br0
		link add vx0 type vxlan id 5 local 10.0.0.11 dstport 4789
		link add br1 type bridge
		link set vx0 master br1
		link add link br1 name br1.7 type vlan id 7
	END
	all_refused <<-END || return
		A member of a bond or team cannot be an uplink, the bond or team can | port add d1 role uplink rate 1gbit
		A port of a bridge cannot be an uplink, the bridge can | port add d2 role uplink rate 1gbit
		A port of a bridge cannot be an uplink, the bridge can | port add vx0 role uplink rate 1gbit
		A vxlan device, or a device above one, cannot be an uplink | port add br1 role uplink rate 1gbit
		A vxlan device, or a device above one, cannot be an uplink | port add br1.7 role uplink rate 1gbit
	END
	ip -n "$HERE_NS" -batch - <<-END || return
		link set vx0 nomaster
		link set d1 nomaster
		link set d1 up
		link set d2 nomaster
	END
	all_refused <<-END || return
		A vxlan device, or a device above one, cannot be an uplink | port add vx0 role uplink rate 1gbit
	END
	conga_batch "$HERE_NS" <<-END && unchanged "accepted ports" || return
		port add br0 role uplink rate 1gbit
		port add br1.7 role uplink rate 1gbit
		port del br0
		port del br1.7
	END
	ip -n "$HERE_NS" -batch - <<-END
		link del br1
		link del br0
		link del vx0
		link del bond0
	END
}

ports_refused() {
	all_refused <<-END
		Another uplink has this LBTag | port add d1 role uplink rate 1gbit tag 3
		tag must be an LBTag from 0 to 15 | port add d1 role uplink rate 1gbit tag 16
		tag must be an LBTag from 0 to 15 | port add d1 role uplink rate 1gbit tag 4294967295
		Only an uplink has an LBTag | port add d1 role transit rate 1gbit tag 4
		$RATE | port add d1 role uplink rate 999999bit
		$RATE | port add d1 role uplink rate 1000000000001bit
		$RATE | port set d0 rate 999kbit
		The device reports no usable link speed, give a rate | port add d1 role uplink
		The device reports no usable link speed, give a rate | port add d1 role transit rate auto
		The device reports no usable link speed, give a rate | port set d0 rate auto
		The request must set a rate, drain or tier | port set d0
		Only an uplink can be drained | port set transit drain on
		Only an uplink can be drained | port add d1 role transit rate 1gbit drain on
		Only an uplink can be drained | port set transit rate 2gbit drain off
	END
}

leaves_refused() {
	all_refused <<-END
		$UNICAST | leaf add 224.0.0.1 mode conga
		$UNICAST | leaf add 239.1.1.1 mode plain
		$UNICAST | leaf add 255.255.255.255 mode plain
		$UNICAST | leaf add 10.9.0.255 mode plain
		$UNICAST | leaf add 127.0.0.1 mode conga
		$UNICAST | leaf add 169.254.7.7 mode conga
		$UNICAST | leaf add 0.0.0.0 mode conga
		$UNICAST | leaf add ff02::1 mode conga
		$UNICAST | leaf add ::1 mode conga
		$UNICAST | leaf add :: mode conga
		$UNICAST | leaf add fe80::1 mode conga
		$UNICAST | leaf add ::ffff:10.0.0.13 mode conga
		$OWN | leaf add 10.0.0.11 mode conga
		$OWN | leaf add fd00::11 mode conga
		This leaf exists already | leaf add 10.0.0.12 mode plain
		This leaf exists already | leaf add fd00::12 mode conga
		This address is not a leaf of the fabric | leaf set 10.0.0.99 mode conga
		This address is not a leaf of the fabric | leaf del fd00::99
		This address is not a leaf of the fabric | leaf show 10.0.0.99
		This address is not a leaf of the fabric | path get 10.0.0.99
		This address is not a leaf of the fabric | path get leaf fd00::99 from 10.1.0.1 to 10.1.0.2
	END
}

flows_refused() {
	local addresses="A flow must have a source and a destination address of the same family"

	all_refused <<-END
		$addresses | path get 10.0.0.12 from 10.1.0.1
		$addresses | path get 10.0.0.12 to 10.1.0.1 sport 7
		$addresses | path get 10.0.0.12 from 10.1.0.1 to fd00::1
		$addresses | path get 10.0.0.12 proto udp sport 1 dport 2
		Only flows of TCP and UDP have ports | path get 10.0.0.12 from 10.1.0.1 to 10.1.0.2 proto 1 dport 7
	END
}

parameters_refused() {
	all_refused <<-END
		This network namespace has a fabric already | fabric add
		q must be a number of bits from 1 to 6 | fabric set q 0
		q must be a number of bits from 1 to 6 | fabric set q 7
		alpha must be a factor from 0.001 to 0.5 | fabric set alpha 0.000999
		alpha must be a factor from 0.001 to 0.5 | fabric set alpha 0.500001
		tdre must be auto or a time from 1 us to 1 s | fabric set tdre 999ns
		tdre must be auto or a time from 1 us to 1 s | fabric set tdre 1000000001ns
		$TIMEOUT | fabric set flowlet-timeout 1000000001ns
		age must be a time from 100 us to 10 s | fabric set age 99999ns
		age must be a time from 100 us to 10 s | fabric set age 10000000001ns
		dstport must be a UDP port from 1 to 65535 | fabric set dstport 0
		$DSTPORTS | fabric set dstport 1 dstport 2 dstport 3 dstport 4 dstport 5
		$FLOWLETS | fabric set flowlets 1025
		$FLOWLETS | fabric set flowlets 512
		$FLOWLETS | fabric set flowlets 8388608
		$NO_POLICY | fabric set policy nosuch
		Policy ecmp has no parameters | fabric set policy ecmp cell 64k
		Policy drill $NO_PARAM choices | fabric set policy drill cell 64k
		Policy presto $NO_PARAM cell | fabric set policy presto choices 2
		$CELL | fabric set policy presto cell 1499
		$CELL | fabric set policy presto cell 16777217
		choices of policy drill must be from 1 to 16 | fabric set policy drill choices 0
		choices of policy drill must be from 1 to 16 | fabric set policy drill choices 17
		$BYTE3 | fabric set policy tr
		$BYTE3 | fabric set q 6 policy tr
		short of policy tr must be from 1000 to 16000000 | fabric set q 3 policy tr short 999
		idle of policy tr must be a time from 4 us to 1 s | fabric set q 3 policy tr idle 3us
		near of policy hula must be from 0 to 255 | fabric set policy hula near 256
		$RTT | fabric set q 3 policy tr rtt 3999ns
		$RTT | fabric set q 3 policy tr rtt 1000000001ns
		$RTT | fabric set q 3 policy tr rtt 500
		$RTT | fabric set q 3 policy tr rtt 500000
		$RTT | fabric set q 3 policy tr rtt 0us
		short of policy tr must be from 1000 to 16000000 | fabric set q 3 policy tr short 5ms
		The mark of opt-out must not have bits outside its mask | fabric set opt-out mark 3/1
		$LOCAL | fabric set local 224.0.0.1
		$LOCAL | fabric set local 127.0.0.1
		$LOCAL | fabric set local fe80::1
		$LOCAL | fabric set local ::ffff:10.0.0.1
		$HELLO | fabric set hello 19999us
		$HELLO | fabric set hello 10000001us
		leaf-id must be a number from 1 to 4294967295 | fabric set leaf-id 0
	END
}

# A valid attribute beside an invalid one must never be applied, in whatever order the kernel
# checks them.
settings_are_whole() {
	all_refused <<-END
		$NO_POLICY | fabric set q 5 alpha 0.2 age 5ms flowlets 2048 policy nosuch
		$DSTPORTS | fabric set policy ecmp dstport 1 dstport 2 dstport 3 dstport 4 dstport 5
		$FLOWLETS | fabric set q 5 tdre 20us flowlet-timeout 1ms flowlets 1000
		q must be a number of bits from 1 to 6 | fabric set policy ecmp age 5ms q 9
	END
	says 0 "" "$CONGA" -n "$HERE_NS" fabric set policy ecmp age 5ms || return
	[[ $(configuration) != "$BEFORE" ]] || fail "a valid setting was not applied" || return
	says 0 "" "$CONGA" -n "$HERE_NS" fabric set policy conga age 20ms && unchanged
}

seventeenth_uplink_refused() {
	local full="A leaf has at most 16 uplinks, because an LBTag has 4 bits"
	local i saved=$BEFORE status

	for ((i = 1; i < UPLINKS; i++)); do
		echo "port add d$i role uplink rate 1gbit"
	done | conga_batch "$HERE_NS" || return
	BEFORE=$(configuration)
	all_refused <<-END
		$full | port add d$UPLINKS role uplink rate 1gbit
		$full | port add d$UPLINKS role uplink rate 1gbit tag 3
	END
	status=$?
	BEFORE=$saved
	for ((i = 1; i < UPLINKS; i++)); do
		echo "port del d$i"
	done | conga_batch "$HERE_NS" && unchanged || return
	return "$status"
}

no_fabric_refused() {
	local none="There is no fabric in this network namespace, add one first"
	local words

	for words in "fabric show" "fabric set q 4" "fabric del" "leaf show" \
		"port add elsewhere role uplink rate 1gbit" "port del elsewhere" \
		"leaf add 10.0.0.12" "path show" "path get 10.0.0.12" "stats show" "check" \
		"table show to-leaf" "flowlet show" "flowlet flush"; do
		# shellcheck disable=SC2086 # a list of words
		refused "$none" -n "$THERE_NS" $words || return
	done
	unchanged "no fabric elsewhere"
}

# verdict PATTERN COMMAND [ATTRIBUTE:TYPE=VALUE]...: the answer of the kernel matches the pattern
verdict() {
	local pattern=$1 said

	shift
	said=$(request "$HERE_NS" "$@")
	# shellcheck disable=SC2053 # a pattern
	[[ $said == $pattern ]] || fail "$* was answered by $said, expected: $pattern" || return
	unchanged "$*"
}

# The tool cannot send these requests. Attributes are given by number, see linux/conga.h.
raw_requests_refused() {
	verdict "ENODEV: There is no such device in this network namespace" \
		"$PORT_NEW" 1:u32=4711 2:u32=1 4:u64=1000000000 &&
	verdict "ENODEV: There is no such device in this network namespace" \
		"$PORT_NEW" 1:u32=4294967295 2:u32=1 4:u64=1000000000 &&
	verdict "EINVAL: $NO_DEVICE" "$PORT_NEW" 2:u32=1 &&
	verdict "EINVAL: $NO_DEVICE" "$PORT_SET" 4:u64=1000000000 &&
	verdict "ERANGE: role must be uplink or transit" "$PORT_NEW" 2:u32=3 &&
	verdict "ERANGE: metric must be max or sum" "$FABRIC_SET" 12:u32=3 &&
	verdict "EINVAL: $LEAF_NAME" "$LEAF_NEW" 3:u32=1 &&
	verdict "EINVAL: $LEAF_NAME" \
		"$LEAF_NEW" 1:hex=0a00000d 2:hex=fd000000000000000000000000000013 3:u32=1 &&
	verdict "EINVAL: The request must set a mode" "$LEAF_SET" 1:hex=0a00000c &&
	verdict "ERANGE: mode must be auto, conga or plain" "$LEAF_NEW" 1:hex=0a00000d 3:u32=0 &&
	verdict "ERANGE: mode must be auto, conga or plain" "$LEAF_SET" 1:hex=0a00000c 3:u32=4 &&
	verdict "ERANGE: explicit-feedback must be on or off" "$FABRIC_SET" 14:u32=2 &&
	verdict "EINVAL: opt-out must have both a mark and a mask" "$FABRIC_SET" 18:u32=1 &&
	verdict "EINVAL: opt-out must have both a mark and a mask" "$FABRIC_SET" 19:u32=1 &&
	verdict "ERANGE: opt-out dscp must be off or a DSCP from 0 to 63" "$FABRIC_SET" 20:u32=65 &&
	verdict "EINVAL: A policy parameter must have a name and a value" "$FABRIC_SET" 32784:hex= &&
	verdict "EINVAL: ?*" "$FABRIC_SET" 17:u32=1 &&
	verdict "ERANGE: drain must be on or off" "$PORT_SET" 1:u32="$D0" 14:u32=2 &&
	verdict "EINVAL: role cannot be changed: delete the port, and add it with another" \
		"$PORT_SET" 1:u32="$D0" 2:u32=2 &&
	verdict "EINVAL: tag cannot be changed: delete the port, and add it with another" \
		"$PORT_SET" 1:u32="$D0" 3:u32=5 &&
	verdict "ERANGE: $ORIGIN" "$PORT_SET" 1:u32="$D0" 4:u64=1000000000 13:u32=3 &&
	verdict "ERANGE: $ORIGIN" "$LEAF_SET" 1:hex=0a00000c 3:u32=1 7:u32=0 &&
	verdict "EINVAL: $LEAF_NAME" "$PATH_GET" &&
	verdict "EINVAL: $LEAF_NAME" "$LEAF_DEL"
}

# Checks are strict: an attribute that a command does not accept is rejected, not ignored. The
# error is the kernel's own text, which differs from version to version.
malformed_requests_refused() {
	verdict "EINVAL: ?*" "$FABRIC_SET" 77:u32=1 &&
	verdict "EINVAL: ?*" "$FABRIC_SET" 9:u32=1 2:u32=5 &&
	verdict "EINVAL: ?*" "$LEAF_DEL" 3:u32=1 1:hex=0a00000c &&
	verdict "ENOENT: $NO_POLICY" \
		"$FABRIC_SET" 1:string=a-name-that-is-longer-than-any &&
	verdict "EINVAL: ?*" "$FABRIC_SET" 1:hex=636f6e6761 &&
	verdict "EINVAL: ?*" "$FABRIC_SET" 2:u8=5 &&
	verdict "E*: ?*" "$LEAF_NEW" 2:hex=fd00 3:u32=1 &&
	verdict "EEXIST: This network namespace has a fabric already" "$FABRIC_NEW" &&
	verdict "EOPNOTSUPP: " "$TABLE_GET" 1:u32=1 &&
	verdict "EOPNOTSUPP: " 99
}

# A dump would have to ignore these attributes, because it prints all objects.
dumps_refused() {
	verdict "EINVAL: $ALL_DUMPED" -d "$PORT_GET" 1:u32="$D0" &&
	verdict "EINVAL: $ALL_DUMPED" -d "$LEAF_GET" 1:hex=0a00000c &&
	verdict "EINVAL: A dump of paths cannot be filtered by flow" -d "$PATH_GET" 32778:hex=
}

# The kernel shows the rules of a family to every user, and some rules made it fail.
rules_can_be_read() {
	local rules before leaf

	before=$(</proc/sys/kernel/tainted)
	rules=$(in_ns "$HERE_NS" "${AS_NOBODY[@]}" genl ctrl policy name conga) || return
	(($(grep -c 'type=U32' <<<"$rules") > 5)) ||
		fail "the kernel prints no rules: $rules" || return
	leaf=$(sed -n "s/.*op $LEAF_GET policies: do=\([0-9]*\).*/\1/p" <<<"$rules")
	[[ $rules == *"policy[$leaf]:attr[1]: type=U32"* ]] ||
		fail "the rules leave out addresses: $rules" || return
	(($(</proc/sys/kernel/tainted) == before)) || fail "the kernel complained, see dmesg" || return
	unchanged "genl ctrl policy"
}

usage_exits_2() {
	local words

	for words in "nosuch" "fabric nosuch" "fabric set nosuch 1" "fabric set" \
		"fabric set q" "fabric set q x" "fabric set q 4 q 5" "fabric set alpha -1" \
		"fabric set dstport 65536" "port add d1 role uplnk rate 1gbit" "port add d1" \
		"port add d1 role uplink rate fast" "leaf add 10.0.0.256 mode conga" \
		"leaf add 10.0.0.13 mode" "leaf add 10.0.0.13 mode maybe" "table show" \
		"port show d0 d1" "-x" "-b" "leaf set 10.0.0.12" "port set d0 drain maybe" \
		"fabric set hello 0" "fabric set leaf-id 0x" "fabric set leaf-id 4294967296" \
		"fabric set explicit-feedback 1" "path get" "path get leaf" "path get 10.0.0.12 nosuch" \
		"path get 10.0.0.12 from 10.1.0.1 to" "monitor nosuch" "check now" "-rcvbuf" "fabric set policy drill choices" "fabric set policy drill choices x" \
		"fabric set policy presto cell 5g" "fabric set choices 2" "fabric set opt-out" \
		"fabric set opt-out mark" "fabric set opt-out mark 1/0" "fabric set opt-out mark 1/x" \
		"fabric set opt-out dscp 64" "fabric set opt-out vlan 3" \
		"fabric set local" "fabric set local 10.0.0.256" "fabric set local on" \
		"-rcvbuf x monitor"; do
		# shellcheck disable=SC2086 # a list of words
		"$CONGA" -n "$HERE_NS" $words >"$PUBLIC/out" 2>"$PUBLIC/err"
		(($? == 2)) || fail "conga $words does not exit with 2" || return
		[[ -s $PUBLIC/err && ! -s $PUBLIC/out ]] ||
			fail "conga $words: usage belongs on stderr" || return
	done
	unchanged "usage"
}

# ---- privileges ----

# as_nobody LINES: each line is a command of the tool, run by a process without privileges. Prints
# the output and the exit status.
as_nobody() {
	# shellcheck disable=SC2016 # for the other bash
	in_ns "$HERE_NS" "${AS_NOBODY[@]}" bash -c 'while read -r words; do
		"$0" $words 2>&1
		echo "$?"
	done' "$PUBLIC/conga"
}

nobody_may_change() {
	local said expected="" i

	for ((i = 0; i < 10; i++)); do
		expected+="$NOT_PERMITTED changing conga $NEEDS"$'\n1\n'
	done
	said=$(as_nobody <<-END
		fabric add
		fabric set q 5
		fabric del
		port add d1 role uplink rate 1gbit
		port set d0 rate 1gbit
		port del d0
		leaf add 10.0.0.13 mode plain
		leaf set 10.0.0.12 mode plain
		leaf del 10.0.0.12
		flowlet flush
	END
	)
	[[ $said == "${expected%$'\n'}" ]] || fail "not all commands were rejected: $said" || return
	unchanged "nobody"
}

# All lines run in one process: a batch stops at the first line that fails.
everybody_may_read() {
	local said

	printf '%s\n' "fabric show" "port show" "port show d0" "leaf show" \
		"leaf show 10.0.0.12" "path show" "path get 10.0.0.12" "table show to-leaf" \
		"table show from-leaf" "policy list" "stats show" >"$PUBLIC/reads"
	chmod 644 "$PUBLIC/reads"
	said=$(as_nobody <<<"-j -b $PUBLIC/reads")
	[[ $(wc -l <<<"$said") == 12 && ${said##*$'\n'} == 0 ]] ||
		fail "not every read was answered: $said" || return
	said=$(as_nobody <<<"flowlet show")
	[[ $said == "$NOT_PERMITTED reading the flowlet table $NEEDS"$'\n1' ]] ||
		fail "flowlet show printed: $said" || return
	said=$(as_nobody <<<"path get 10.0.0.12 from 10.1.0.1 to 10.1.0.2")
	[[ $said == "Error: A query for the path of a flow needs CAP_NET_ADMIN."$'\n1' ]] ||
		fail "path get printed: $said"
}

# The root of a user namespace configures its own network namespace, and no other.
own_namespace_works() {
	local out

	"${AS_NOBODY[@]}" unshare -Urn true 2>/dev/null ||
		fail "unprivileged user namespaces are switched off" || return "$KSFT_SKIP"
	cat >"$PUBLIC/own" <<-END
		ip link add d0 type dummy && $PUBLIC/conga -b - <<-WORDS &&
		fabric add
		port add d0 role uplink rate 1gbit
		leaf add 10.0.0.12 mode conga
		WORDS
		$PUBLIC/conga -j fabric show && $PUBLIC/conga flowlet show && $PUBLIC/conga fabric del
	END
	out=$("${AS_NOBODY[@]}" unshare -Urn bash "$PUBLIC/own" 2>&1) ||
		fail "a user namespace was rejected: $out" || return
	[[ $out == *'"ports":1,"leaves":1}'* ]] ||
		fail "the fabric was not configured: $out" || return
	unchanged "a user namespace"
}

# ---- autoload ----

# modules_tree DIRECTORY: creates a tree with this module alone, and with the lists that depmod
# would miss
modules_tree() {
	local dir

	dir=$1/lib/modules/$(uname -r)
	mkdir -p "$dir" && touch "$dir"/modules.{order,builtin,builtin.modinfo} &&
		cp "$(module_file conga)" "$dir/" && depmod -b "$1"
}

# The kernel asks the user-space helper for the family by its alias. The helper is the real
# modprobe, on a tree of modules that contains only ours.
autoloads() {
	local tree=$PUBLIC/modules helper

	module_is_ours || return "$KSFT_SKIP"
	modinfo -F alias "$(module_file conga)" | grep -qx "$ALIAS" ||
		fail "the module has no alias $ALIAS" || return
	helper=$(</proc/sys/kernel/modprobe) && defer "echo $helper >/proc/sys/kernel/modprobe"
	modules_tree "$tree" || return
	printf '#!/bin/sh\nexec modprobe -d %q "$@"\n' "$tree" >"$PUBLIC/helper"
	chmod 755 "$PUBLIC/helper"
	"$CONGA" -n "$HERE_NS" fabric del && rmmod conga || return
	echo "$PUBLIC/helper" >/proc/sys/kernel/modprobe
	refused "There is no fabric in this network namespace, add one first" \
		-n "$HERE_NS" fabric show && [[ -d /sys/module/conga ]]
}

# If the module cannot be loaded, the tool prints a hint.
module_missing_said() {
	module_is_ours || return "$KSFT_SKIP"
	rmmod conga && echo /bin/false >/proc/sys/kernel/modprobe || return
	says 1 "Error: the kernel module conga is not loaded: modprobe conga (it is in the package conga-dkms)" \
		"$CONGA" -n "$HERE_NS" fabric show
}

require_root
require_commands ip setpriv unshare nsenter sysctl genl modinfo depmod modprobe
require_module
tap_plan 19
setup || die "cannot set up"
BEFORE=$(configuration)
tap_test "devices that do not exist, are elsewhere, taken or unfit are rejected" devices_refused
tap_test "a member of a bond or bridge and a device above a tunnel cannot be uplinks" members_refused
tap_test "LBTags and rates that are out of range, taken or missing are rejected" ports_refused
tap_test "a 17th uplink is rejected" seventeenth_uplink_refused
tap_test "leaves that are not remote unicast addresses, or already exist, are rejected" \
	leaves_refused
tap_test "invalid flows are rejected" flows_refused
tap_test "parameters out of range are rejected" parameters_refused
tap_test "settings are applied all or none" settings_are_whole
tap_test "every command without a fabric is rejected" no_fabric_refused
tap_test "requests that the tool cannot send are rejected" raw_requests_refused
tap_test "attributes that are unknown, misplaced or of a wrong size are rejected" \
	malformed_requests_refused
tap_test "attributes that a dump does not take are rejected" dumps_refused
tap_test "the family's netlink policies can be read" rules_can_be_read
tap_test "wrong words are a usage error" usage_exits_2
tap_test "changes without CAP_NET_ADMIN are rejected" nobody_may_change
tap_test "reads need no privilege, except of the flowlet table" everybody_may_read
tap_test "a user namespace configures its own network namespace" own_namespace_works
tap_test "the family loads the module by its alias" autoloads
tap_test "a missing module is reported" module_missing_said
tap_exit
