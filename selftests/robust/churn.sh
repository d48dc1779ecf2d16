#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Under traffic all objects are created and removed at once, each kind by a process of its own
# (churn): the module, fabrics, ports, leaves, devices, namespaces, routes, tunnels, and their
# settings; also the other inputs of the kernel's decision: rules, neighbours, weights, IPsec
# policies and NAT. Removed objects leave nothing behind, and afterwards traffic flows as before.
#
#	churn.sh [-n COUNT] [-t SECONDS] [-p MILLISECONDS] [-a ATTEMPTS]
#			of each kind (70); how long none may come nearer to that (240); what
#			a process waits between its rounds (20). In a kernel with every
#			checker 15 and 200.
#			Transfers have to find connections in so many attempts (1), each
#			of 20 s: where a round takes seconds, the route is often away.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/neighbours.sh"
. "$TESTS/lib/tcp.sh"

readonly KINDS="module fabric port leaf down rename move unregister namespace route nexthop \
policy parameters mtu address rate speed vxlan bound rule neighbour weight resilient xfrm nat"
readonly PATIENCE_MS=20000
readonly NEXT_MS=10000 NAMESPACES_MS=120000	# a checker makes it slow to delete a namespace
readonly DATAGRAMS=1000000
readonly FLOWS=160		# flows of one datagram each; each of four uplinks gets LEAST
readonly LEAST=20
readonly SLACK_LEAST=10		# objects of a kmalloc cache that others may have added
readonly COMPLAINTS='unregister_netdevice: waiting|WARNING:|BUG|Oops|refcount_t|KASAN'

COUNT=70 SECONDS_MOST=240 PACE_MS=20 ATTEMPTS=1
[[ ! -e /sys/kernel/debug/kmemleak ]] || COUNT=15 PACE_MS=200
QUIET="hello 20ms"

parse() {
	local o

	while getopts n:t:p:a: o; do
		case $o in
		n) COUNT=$OPTARG ;;
		t) SECONDS_MOST=$OPTARG ;;
		p) PACE_MS=$OPTARG ;;
		a) ATTEMPTS=$OPTARG ;;
		*) exit "$KSFT_FAIL" ;;
		esac
	done
}

# ---- set up ----

# Besides the other leaf there are three leaves that do not exist, IPv6: by nexthop objects
# (fd00::99), by buckets of a resilient group (fd00::98), and by a route to which churn adds
# devices that come and go (fd00::97). Each has a tunnel. Some of churn's rules use table 200.
rig_up() {
	topo_up && ip -n "${LEAF[0]}" -batch - <<-END || return
		link add up7 up type dummy
		link add up8 up type dummy
		link add up9 up type dummy
		address add fd00::11 dev lo nodad
		route add fd00::97 dev up7 metric 1024
		nexthop add id 31 via fe80::99 dev up8
		nexthop add id 32 via fe80::99 dev up9
		nexthop add id 33 group 31/32
		nexthop add id 34 group 31/32 type resilient buckets 32 idle_timer 0
		route add fd00::99 nhid 33
		route add fd00::98 nhid 34
		link add vx6 up type vxlan id 6 local fd00::11 remote fd00::99 dstport 4789
		link add vx7 up type vxlan id 7 local fd00::11 remote fd00::97 dstport 4789
		link add vx8 up type vxlan id 8 local fd00::11 remote fd00::98 dstport 4789
		address add 172.31.8.1/24 dev vx8
		neighbour add 172.31.8.2 lladdr 02:00:00:00:08:02 dev vx8
		address add 172.31.6.1/24 dev vx6
		address add 172.31.7.1/24 dev vx7
		neighbour add 172.31.6.2 lladdr 02:00:00:00:06:02 dev vx6
		neighbour add 172.31.7.2 lladdr 02:00:00:00:07:02 dev vx7
	END
	topo_link_addresses 0 0 0
	ip -n "${LEAF[0]}" route add "${VTEP[1]}/32" table 200 via "$SPINE_END" dev up0 &&
		fabric_up conga auto
}

# Every datagram is a flow of its own. The kernel's own threads, which free removed objects, have
# priority. A sender ends when it may not send for a moment, and begins again.
sender() {
	{
		trap 'kill $!; exit' TERM
		while :; do
			nice "$TESTS/tools/vxlan_send" -n "$1" -c "$DATAGRAMS" -i $((PACE_MS * 200)) \
				-l 200 -p 9 "$2" - 2>/dev/null &
			wait "$!"
		done
	} &
	SENDERS+=("$!")
}

# transfer COUNT: transfers TCP data in both directions; each transfer is complete in the end
transfer() {
	tcp_crosses -b -C 1e7 -S 20000 -n "$1" -D 300
}

# Runs transfers one after the other while the process exists; prints their number, or an error.
transfers_while() {
	local count=0 vain=0 row=0

	while kill -0 "$1" 2>/dev/null; do
		TAP_WHY=""
		if transfer 20; then
			count=$((count + 20)) row=0
		elif [[ $TAP_WHY == *" connections came up "* ]] && ((++row < ATTEMPTS)); then
			vain=$((vain + 1))
		else
			echo "$TAP_WHY"
			return 1
		fi
	done
	echo "$count transfers, $vain attempts without connections"
}

# ---- the ledger ----

# objects CACHE: prints how many objects are in use, or nothing if the kernel does not report it
objects() {
	[[ ! -e /sys/kernel/slab/$1/shrink ]] || echo 1 >"/sys/kernel/slab/$1/shrink"
	awk -v name="$1" '$1 == name { print $2 }' /proc/slabinfo
}

# no_more_objects CACHE BEFORE SLACK
no_more_objects() {
	local now

	now=$(objects "$1")
	[[ ! $2 ]] || ((now <= $2 + $3)) || fail "cache $1 had $2 objects before, and has $now now"
}

# The kernel continues to delete a namespace after the command has ended, and frees it when it
# deletes the next one. That one must be gone, too, before another try makes one more.
next_namespace() {
	ip -batch - <<<"netns add next-$$"$'\n'"netns del next-$$"
}

namespaces_go() {
	next_namespace && busywait "$NEXT_MS" no_more_objects net_namespace "$1" 0
}

# Everything that the module and the topology created is removed. What the kernel caches by itself
# goes, too: routes of each nexthop on each processor. No route and no namespace may be left.
ledger() {
	local cache status=0 slack

	module_is_unused && topo_down || return
	busywait "$NAMESPACES_MS" namespaces_go "${BEFORE[net_namespace]}" >/dev/null
	for cache in "${!BEFORE[@]}"; do
		slack=0
		[[ $cache != kmalloc* ]] || slack=$((COUNT / 2 > SLACK_LEAST ? COUNT / 2 : SLACK_LEAST))
		busywait "$PATIENCE_MS" no_more_objects "$cache" "${BEFORE[$cache]}" "$slack" >/dev/null ||
			no_more_objects "$cache" "${BEFORE[$cache]}" "$slack" || status=1
		echo "# $cache: ${BEFORE[$cache]:-?} before, $(objects "$cache") now"
	done
	return "$status"
}

ledger_begin() {
	local cache

	next_namespace || return
	for cache in net_namespace ip_dst_cache ip6_dst_cache kmalloc-1k kmalloc-cg-1k kmalloc-512 \
		kmalloc-cg-512; do
		BEFORE[$cache]=$(objects "$cache")
	done
}

# ---- tests ----

churn() {
	local hops=() link s p options

	for link in ${LEAF_LINKS[0]}; do
		s=${link%.*} p=${link#*.}
		topo_link_addresses 0 "$s" "$p"
		hops+=(-h "up$((s * TOPO_LINKS + p)),$SPINE_END")
	done
	options=(-n "$COUNT" -t "$SECONDS_MOST" -p "$PACE_MS" -m "$(module_file conga)" -a "${LEAF[0]}"
		-b "${LEAF[1]}" -r "${VTEP[1]}" "${hops[@]}")
	"$TESTS/tools/churn" "${options[@]}" 2>&1 | tee "$TOPO_DIR/churn" | sed -n -u '/^# /p'
	return "${PIPESTATUS[0]}"
}

kind_is_done() {
	local times tried

	read -r times tried < <(sed -n "s/^$1 //p" "$TOPO_DIR/churn")
	[[ $times ]] || fail "$(<"$TOPO_DIR/churn")" || return
	echo "# $1: $times of $tried"
	((times >= COUNT)) || fail "$1 succeeded $times of $tried times, expected $COUNT"
}

ended_well() {
	((CHURNED == 0)) || fail "churn ended with $CHURNED: $(<"$TOPO_DIR/churn")"
}

transfers_went_on() {
	local said

	said=$(<"$TOPO_DIR/transfers")
	echo "# $said"
	[[ $said =~ ^[1-9][0-9]*\ transfers ]] || fail "$said"
}

# The events of creation without an event of removal must give the existing objects: those of the
# last fabric.
paths_balance() {
	local words usable

	words=" $(stats_words "${LEAF[0]}") "
	usable=$(conga 0 path show | grep -c usable)
	[[ $words =~ \ path_up=([0-9]+)\ .*path_down=([0-9]+)\  ]] || fail "$words" || return
	echo "# ${BASH_REMATCH[1]} went up, ${BASH_REMATCH[2]} down, $usable are usable"
	((BASH_REMATCH[1] - BASH_REMATCH[2] == usable)) ||
		fail "${BASH_REMATCH[1]} paths went up, ${BASH_REMATCH[2]} went down," \
			"but $usable are usable"
}

# No device, socket or timer holds a reference.
module_is_unused() {
	local ns

	for ns in "${LEAF[@]}" "${SPINE[@]}"; do
		"$CONGA" -n "$ns" fabric del 2>/dev/null
	done
	busywait "$PATIENCE_MS" unused ||
		fail "the refcnt of the module is $(</sys/module/conga/refcnt)" || return
	rmmod conga || fail "the module cannot be removed"
}

unused() {
	[[ $(</sys/module/conga/refcnt) == 0 ]]
}

# Data races of the kernel itself are not counted.
no_complaint() {
	local said

	said=$(dmesg | sed "1,/$MARK/d" | "$TESTS/vm/races" | grep -E "$COMPLAINTS")
	[[ ! $said ]] || fail "$said"
}

# Restores the objects that churn removed last. A gateway that did not answer meanwhile is resolved again.
rig_again() {
	local multipath="" link s p

	for link in ${LEAF_LINKS[0]}; do
		s=${link%.*} p=${link#*.}
		topo_link_addresses 0 "$s" "$p"
		multipath+=" nexthop via $SPINE_END dev up$((s * TOPO_LINKS + p))"
	done
	ip -n "${LEAF[0]}" -batch - <<-END || return
		link set up1 mtu $TOPO_FABRIC_MTU
		link set up2 up
		route replace ${VTEP[1]}/32$multipath
	END
	neighbours_meet && module_load && fabric_up conga auto
}

uplinks_sent() {
	conga 0 -j port show | jq -r '.[] | "\(.dev) \(.tx_packets)"'
}

traffic_balances() {
	local dev count
	local -A before=()

	rig_again || fail "the topology cannot be set up again" || return
	while read -r dev count; do before[$dev]=$count; done < <(uplinks_sent)
	transfer 20 || return
	"$TESTS/tools/vxlan_send" -n "${HOST[0.0]}" -c "$FLOWS" -i 1000 -l 200 -p 9 "${HOST_IP[1.0]}" -
	while read -r dev count; do
		echo "# $dev: $((count - before[$dev])) packets"
		((count - before[$dev] >= LEAST)) ||
			fail "$dev sent only $((count - before[$dev])) packets:" \
				"$(conga 0 path show)" || return
	done < <(uplinks_sent)
}

parse "$@"
require_root
require_commands ip jq dmesg rmmod
require_module
module_is_ours || tap_skip_all "$TAP_WHY"
MARK="churn $$ $EPOCHREALTIME"
echo "$MARK" >/dev/kmsg
declare -A BEFORE=()
SENDERS=()
tap_plan $(($(wc -w <<<"$KINDS") + 7))
ledger_begin || die "no namespace can be made"
rig_up || die "cannot set up"
sender "${HOST[0.0]}" "${HOST_IP[1.0]}"
sender "${HOST[1.0]}" "${HOST_IP[0.0]}"
sender "${LEAF[0]}" 172.31.6.2
sender "${LEAF[0]}" 172.31.7.2
sender "${LEAF[0]}" 172.31.8.2
churn &
CHURN=$!
transfers_while "$CHURN" >"$TOPO_DIR/transfers"
wait "$CHURN"
CHURNED=$?
for kind in $KINDS; do
	tap_test "$kind is done at least $COUNT times" kind_is_done "$kind"
done
tap_test "no churning process ended early" ended_well
tap_test "all transfers during the churn are complete" transfers_went_on
tap_test "every path that went up and never went down exists" paths_balance
kill "${SENDERS[@]}"
tap_test "the module is unused, and can be removed" module_is_unused
tap_test "traffic uses all uplinks after the churn" traffic_balances
tap_test "everything that was created is freed" ledger
tap_test "the kernel logs no complaint" no_complaint
tap_exit
