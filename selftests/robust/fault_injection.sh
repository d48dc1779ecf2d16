#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Lack of memory: each allocation of every request, of loading the module and of resolving the
# routes for a packet fails once; for requests, all allocations from one on fail, because the kernel
# tries some again at once; for a query of paths, two in a row fail. Either an error is reported or
# everything works, the configuration is unchanged, nothing leaks (the machine checks this), and
# traffic continues. The same holds when many allocations of packets fail for a while.
#
#	fault_injection.sh [all]	all policies instead of some

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/tcp.sh"

unset -f jq			# gojq does not know -S

TOPO_SPINES=1
TOPO_NEXTHOPS=object		# routes are created again with one of them

readonly ALL=${1-}
# A load makes these allocations: about twelve for each namespace, one of which is the module's
# own, and some that the kernel makes before. If the module itself or its trace events get no
# memory, the log has a backtrace.
readonly LAST=148
readonly FAULTS=/sys/kernel/debug
readonly PERCENT=5		# percent of the allocations of packets
readonly GIGABIT=1000000000
readonly GROUP=3 GROUP6=33	# nexthop objects to the other leaf, IPv4 and IPv6
readonly SIBLINGS6="nexthop via fe80::99 dev up8 nexthop via fe80::99 dev up9"
readonly LEAF6=fd00:0000:0000:0000:0000:0000:0000:0099
readonly MOVING=dre_bytes,metric,tx_packets,tx_bytes,flowlets,local,remote,age_ns
readonly MOVING_HELLOS=unanswered,heard_age_ns,hellos,hellos_missed

# ---- faults ----

# fault_set KIND SETTING=VALUE...
fault_set() {
	local word

	for word in "${@:2}"; do echo "${word#*=}" >"$FAULTS/$1/${word%%=*}" || return; done
}

# Injection is silent, includes allocations that may sleep, and applies to a process that arms
# itself. It applies to objects, not to pages: the number of page allocations depends on earlier
# frees, so that one could be missed.
faults_up() {
	local kind

	for kind in failslab fail_page_alloc; do
		fault_set "$kind" probability=0 verbose=0 ignore-gfp-wait=N || return
	done
	pages_fail no
}

# pages_fail yes|no: lets pages of order 0 and above fail, or none
pages_fail() {
	local -A order=([yes]=0 [no]=11)

	fault_set fail_page_alloc "min-order=${order[$1]}"
}

# ---- set up ----

# The other leaf has two uplinks. A leaf that does not exist, IPv6, has two more, which are
# dummies. The device up10 is no port yet. Each leaf has a tunnel. All gateways are known, since a
# path is left out while its gateway is being asked for.
rig_up() {
	topo_up && ip netns add "${LEAF[0]}-bare" && defer ip netns del "${LEAF[0]}-bare" || return
	ip -n "${LEAF[0]}" -batch - <<-END || return
		link add up8 index 1008 up type dummy
		link add up9 index 1009 up type dummy
		link add up10 index 1010 up type dummy
		address add fd00::11 dev lo nodad
		nexthop add id 31 via fe80::99 dev up8
		nexthop add id 32 via fe80::99 dev up9
		nexthop add id $GROUP6 group 31/32
		route add $LEAF6 nhid $GROUP6
		link add vx4 up type vxlan id 4 local ${VTEP[0]} remote ${VTEP[1]} dstport 4789
		link add vx6 up type vxlan id 6 local fd00::11 remote $LEAF6 dstport 4789
		address add 172.31.4.1/24 dev vx4
		address add 172.31.6.1/24 dev vx6
		neighbour add 172.31.4.2 lladdr 02:00:00:00:04:02 dev vx4
		neighbour add 172.31.6.2 lladdr 02:00:00:00:06:02 dev vx6
		neighbour replace fe80::99 lladdr 02:00:00:00:08:99 dev up8
		neighbour replace fe80::99 lladdr 02:00:00:00:09:99 dev up9
	END
	tunnel_says_nothing && neighbours_meet || return
	fabric_up conga conga && conga_batch "${LEAF[0]}" <<-END || return
		port add dev up8 role uplink rate 1gbit
		port add dev up9 role uplink rate 1gbit
		leaf add $LEAF6 mode plain
	END
	conga_batch "${LEAF[0]}-bare" <<<"fabric add hello off leaf-id 7"
}

# Attributes are given by the numbers of linux/conga.h.
requests() {
	local leaf=${LEAF[0]} bare=${LEAF[0]}-bare far=1:hex=0a000063 other=1:hex=0a00000c
	local far6=2:hex=fd000000000000000000000000000063 leaf6=2:hex=${LEAF6//:/}
	local fabric="13:u64=0 15:u32=7" role=2:u32=1 rate=4:u64=$GIGABIT policy

	cat <<-END
		fabric_del $bare do 4 / 1 $fabric
		fabric_set_flowlets $leaf do 2 8:u32=1024 / 2 8:u32=65536
		fabric_set_q $leaf do 2 2:u32=4 / 2 2:u32=3
		fabric_set_hello $leaf do 2 13:u64=300000000 / 2 13:u64=0
		fabric_get $leaf do 3
		port_new $leaf do 5 1:u32=1010 $role $rate / 8 1:u32=1010
		port_new_transit $leaf do 5 1:u32=1010 2:u32=2 $rate / 8 1:u32=1010
		port_set $leaf do 6 1:u32=1009 4:u64=2000000000 / 6 1:u32=1009 $rate
		port_get $leaf do 7 1:u32=1009
		port_dump $leaf dump 7
		port_del $leaf do 8 1:u32=1009 / 5 1:u32=1009 $role $rate
		leaf_new_first $bare do 9 $far 3:u32=2 / 12 $far
		leaf_new $leaf do 9 $far 3:u32=2 / 12 $far
		leaf_new_ipv6 $leaf do 9 $far6 / 12 $far6
		leaf_set $leaf do 10 $other 3:u32=1 / 10 $other 3:u32=2
		leaf_get $leaf do 11 $leaf6
		leaf_dump $leaf dump 11
		leaf_del $leaf do 12 $leaf6 / 9 $leaf6 3:u32=1
		path_get $leaf do 13 $other
		path_dump $leaf dump 13
		to_leaf_dump $leaf dump 14 1:u32=1
		from_leaf_dump $leaf dump 14 1:u32=2
		flowlet_dump $leaf dump 15
		flowlet_flush $leaf do 16
		policy_dump $leaf dump 17
		stats_get $leaf do 18
	END
	for policy in ${ALL:+${POLICIES#conga}} ${ALL:-presto hula tr}; do
		[[ $policy == all ]] ||
			echo "fabric_set_$policy $leaf do 2 1:string=$policy / 2 1:string=conga"
	done
}

# This table is larger than contiguous memory allows, so it is made of pages.
request_of_pages() {
	echo "fabric_set_large ${LEAF[0]} begin 2 8:u32=1048576 / 2 8:u32=65536"
}

# A path is pinged once per hello interval, and the leaf has memory for pings from the first one
# on. So after each ping the leaf is removed, and added again. It needs hellos.
request_of_ping() {
	local leaf6=2:hex=${LEAF6//:/}

	echo "path_ping ${LEAF[0]} do 26 $leaf6 3:u32=1008 / 12 $leaf6 / 9 $leaf6"
}

# The leaf gets hellos meanwhile.
ping_fails() {
	conga_batch "${LEAF[0]}" <<-END || return
		fabric set hello 10s
		leaf set $LEAF6 mode auto
	END
	fail_nth_of "$(request_of_ping)"
	conga_batch "${LEAF[0]}" <<-END
		fabric set hello off
		leaf set $LEAF6 mode plain
	END
}

# This request runs in a namespace without a fabric.
requests_bare() {
	local bare=${LEAF[0]}-bare policy

	for policy in conga hula tr; do
		echo "fabric_new_$policy $bare do 1 1:string=$policy / 4"
	done
}

packets() {
	cat <<-END
		packet ${LEAF[0]} packet 172.31.4.2 ${VTEP[1]} $GROUP
		packet_ipv6 ${LEAF[0]} packet 172.31.6.2 $LEAF6 $GROUP6
	END
}

# The module looks for an IPv6 nexthop in two ways, both of which must fail. The kernel keeps what a
# look-up allocates with the nexthop, and nexthop objects outlive their routes: for once, the nexthops
# are the route's own.
paths() {
	cat <<-END
		paths ${LEAF[0]} paths ${VTEP[1]} nhid $GROUP
		paths_ipv6 ${LEAF[0]} paths $LEAF6 $SIBLINGS6
	END
}

# No stamp that a process forged may leave: a packet is dropped if there is no memory to clear it.
# The process could still write the page from which the datagrams are cut.
forged_is_dropped() {
	local dropped

	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	pages_fail yes && fail_nth_of "forged ${LEAF[0]} forged ${VTEP[1]}" && pages_fail no &&
		was_well forged || return
	stats_grown "${LEAF[0]}" tx_nomem
	dropped=$GROWTH
	stats_grown "${LEAF[0]}" tx_forged
	((dropped > 0 && GROWTH > dropped)) ||
		fail "$GROWTH packets were forged, $dropped of them dropped" || return
	stats_grown "${LEAF[1]}" rx_stamped
	((GROWTH == 0)) || fail "$GROWTH datagrams left with a stamp"
}

# fail_nth_of LINES [twice|onwards]: sets RESULT to the "NAME ok ..." lines, by name
fail_nth_of() {
	local line

	while read -r line; do RESULT[${line%% *}]=${line#* }; done < \
		<("$TESTS/tools/fail_nth" ${2+"$2"} <<<"$1" 2>&1)
}

# configured: prints all settings that do not change by themselves
configured() {
	local what

	for what in fabric port leaf path; do
		conga 0 -j "$what" show
	done | jq -S "map(del(.${MOVING//,/,.},.${MOVING_HELLOS//,/,.}))"
}

# ---- tests ----

# The module's memory for each namespace is denied once.
module_loads() {
	local namespaces refused

	namespaces=$(($(ip netns list | wc -l) + 1))
	fail_nth_of "module - module $(module_file conga) $LAST"
	was_well module || return
	refused=${RESULT[module]#*refused }
	((${refused%% *} >= namespaces)) ||
		fail "the allocation was not denied once in each of $namespaces namespaces"
}

was_well() {
	[[ ${RESULT[$1]} == ok* ]] ||
		fail "${RESULT[$1]:-fail_nth has no result: ${RESULT[fail_nth:]}}" || return
	echo "# $1: ${RESULT[$1]#ok }"
}

# A packet that has no paths for lack of memory is counted as that.
lack_is_counted() {
	[[ ${GREW[$1]} == *fallback_nomem=* ]] || fail "${GREW[$1]}"
}

# All allocations of a request fail from one on.
fails_onwards() {
	local -A RESULT=()
	local name status=0

	fail_nth_of "$1" onwards
	while read -r name _; do was_well "$name" || status=1; done <<<"$1"
	return "$status"
}

# Its commands are those of requests(), request_of_ping() and requests_bare().
nothing_is_forgotten() {
	local tried said

	tried=$( (requests; request_of_ping; requests_bare) | awk '{ print $4, $3 }' | sort -u)
	said=$("$TESTS/tools/fail_nth" commands | sort -u)
	[[ $tried == "$said" ]] ||
		fail "commands are not tried or do not exist:" \
			"$(diff <(echo "$tried") <(echo "$said"))"
}

# Failed allocations of the module itself give a sentence.
refusals_are_told() {
	local name

	for name in fabric_new_conga fabric_set_flowlets fabric_set_q fabric_get port_new port_set \
		port_get leaf_new leaf_get path_get stats_get path_ping; do
		[[ ${RESULT[$name]} =~ sentences\ [1-9] ]] || fail "$name: ${RESULT[$name]}" || return
	done
}

is_as_before() {
	local now

	now=$(configured)
	[[ $now == "$BEFORE" ]] ||
		fail "the configuration changed:" \
			"$(diff <(echo "$BEFORE") <(echo "$now") | head -n 20)"
}

# transfer COUNT [OPTION]...: transfers TCP data in both directions by so many connections that
# each uplink is drawn by one; each transfer is complete in the end
transfer() {
	tcp_crosses -b -C 1e7 -S 20000 -c 32 -n "$1" -D 60 "${@:2}" || return
	echo "# $TCP_SAID"
}

uplinks_sent() {
	conga 0 -j port show | jq -r '.[] | "\(.dev) \(.tx_packets)"'
}

# The packets use all uplinks to the other leaf; a gateway may have stayed unresolved for lack of
# memory.
traffic_goes_on() {
	local dev count
	local -A before=()

	neighbours_meet || return
	while read -r dev count; do before[$dev]=$count; done < <(uplinks_sent)
	transfer 64 || return
	while read -r dev count; do
		[[ $dev == up[89] ]] || ((count > before[$dev])) ||
			fail "no packet left by $dev: $(conga 0 path show | paste -sd\;)" || return
	done < <(uplinks_sent)
}

# Packets, control packets and routes are allocated in contexts that may not sleep. Connections
# are established before.
packets_fail() {
	local status=0 transfers

	leaves_set hello 20ms explicit-feedback on || return
	mkfifo "$TOPO_DIR/begin"
	transfer 100 -B "$TOPO_DIR/begin" >"$TOPO_DIR/transfers" &
	transfers=$!
	read -r <"$TOPO_DIR/begin"
	fault_set failslab ignore-gfp-wait=Y "probability=$PERCENT" interval=1 times=-1
	wait "$transfers" || status=1
	fault_set failslab probability=0 ignore-gfp-wait=N
	cat "$TOPO_DIR/transfers"
	leaves_set hello off explicit-feedback off && return "$status"
}

require_root
require_commands ip jq
[[ -w $FAULTS/failslab/probability && -e /proc/self/fail-nth ]] ||
	tap_skip_all "this kernel injects no faults"
require_module
module_is_ours || tap_skip_all "$TAP_WHY"
declare -A RESULT=() GREW=()
faults_up || die "faults cannot be set"
rig_up || die "cannot set up"
NAMES=$( (requests; packets; paths; request_of_pages) | cut -d' ' -f1)
PACKETS=$(packets | cut -d' ' -f1)
tap_plan $(($(wc -w <<<"$NAMES $PACKETS") + 14))
BEFORE=$(configured)
[[ $BEFORE ]] || die "nothing is configured"
tap_test "every command is tried" nothing_is_forgotten
fail_nth_of "$(requests)"
for name in $PACKETS; do
	stats_mark "${LEAF[0]}"
	fail_nth_of "$(packets | grep "^$name ")"
	GREW[$name]=$(stats_growth "${LEAF[0]}")
done
fail_nth_of "$(paths)" twice
ip -n "${LEAF[0]}" route replace $LEAF6 nhid $GROUP6 || die "the route cannot be as before"
pages_fail yes || die "pages cannot fail"
fail_nth_of "$(request_of_pages)"
pages_fail no || die "pages fail for ever"
for name in $NAMES; do
	tap_test "$name without memory fails cleanly" was_well "$name"
done
for name in $PACKETS; do
	tap_test "$name: a lack of memory for its paths is counted" lack_is_counted "$name"
done
ping_fails || die "hellos cannot be switched on and off"
tap_test "path_ping without memory fails cleanly" was_well path_ping
tap_test "requests fail cleanly when all allocations fail from one on" fails_onwards "$(requests)"
tap_test "the configuration is unchanged after commands failed" is_as_before
tap_test "packets with forged stamps that cannot be cleared are dropped" forged_is_dropped
tap_test "traffic continues on all uplinks" traffic_goes_on
tap_test "all transfers are complete while $PERCENT of 100 packet allocations fail" packets_fail
tap_test "the configuration is unchanged after packet allocations failed" is_as_before
conga_batch "${LEAF[0]}-bare" <<<"fabric del" || die "no fabric to remove"
fail_nth_of "$(requests_bare)"
for name in fabric_new_{conga,hula,tr}; do
	tap_test "$name without memory fails cleanly" was_well "$name"
done
tap_test "adding a fabric fails cleanly when all allocations fail from one on" \
	fails_onwards "$(requests_bare)"
tap_test "a lack of memory is reported as a sentence" refusals_are_told
topo_down
rmmod conga || die "the module is in use"
tap_test "loading the module without memory fails cleanly" module_loads
tap_exit
