#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packet_fuzz.sh [-n PACKETS] [-s SEED] - sends hostile packets, the same number to each hook of a
# node whose links are taps. Every packet that comes out is as the manual describes, each is
# counted, and the module learns only from accepted senders. The file packet_fuzz.c and the files
# beside it have the packets and the expected results.

TESTS=$(realpath "$(dirname "$0")/..")

# The taps last as long as this program, which is restarted with them.
[[ ${PACKET_FUZZ_TAPS-} ]] || ((EUID)) ||
	PACKET_FUZZ_TAPS=1 exec "$TESTS/tools/packet_fuzz" -o "$0" "$@"

. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"

readonly FLOWS=1000 BALANCE_PERCENT=140
readonly LEAF_ID=24239		# the id that packet_fuzz uses
readonly MAC=02:00:00:00:00:01 MAC_PEER=02:00:00:00:00:02
readonly -a DOORS=(rx tx link control) POLICY_ROUNDS=(conga tr hula rehash)
# One interval is as long as possible, for hellos that are too many; another is short, for leaves
# that become silent.
readonly -A HELLO=([conga]=10s [tr]=300ms [hula]=300ms [rehash]=300ms)
# A long Tage lets the metrics of the previous hook be fed back, and a short Tage makes them
# overdue.
readonly -A AGE=([conga]=10s [tr]=1s [hula]=1s [rehash]=10s)
readonly -A METRIC=([conga]=max [tr]=max [hula]=max [rehash]=sum)
readonly -A LINK=([up0]=0 [up1]=1 [pass]=2 [side]=3)

PACKETS=12000 SEED=1
while getopts n:s: option; do
	case $option in
	n) PACKETS=$OPTARG ;;
	s) SEED=$OPTARG ;;
	*) exit 2 ;;
	esac
done
readonly PACKETS SEED ROUND=$(((PACKETS + 3) / 4))

# These packets cannot reach these counters of packets and reasons; the values give the cause.
readonly -A BEYOND_REACH=(
	[flowlets_rerouted]="no path goes down"
	[probe_late]="of the timer alone" [probe_skipped]="of the timer alone"
	[leaf_alternates]="a conversation, see hello.sh" [leaf_silent]="the same"
	[leaf_bye]="the same" [leaf_disagrees]="the same" [control_limited]="the same, see control.sh"
	[path_silent]="a leaf that answers by one path alone" [path_answers]="the same"
	[ecn_sent]="ecn is off, see ecn_marks.sh" [ecn_marked]="the same" [ecn_received]="the same"
	[ecn_restored]="no packet that a switch marked, see the same"
	[entropy_redrawn]="no uplink with several paths, see entropy.sh"
	[path_unprobed]="probes that stop" [path_probed]="the same"
	[path_down]="no path goes down"
	[fallback_nomem]="a tunnel's header is its own" [ce_unwritable]="at a port so are all"
	[fallback_route]="no rule, see rules.sh" [fallback_mark]="the same" [fallback_keys]="the same"
	[fallback_bound]="no bound tunnel, see bound.sh" [fallback_nat]="no NAT, see nat.sh"
	[rx_xfrm]="no policy on input, see ipsec.sh" [control_xfrm]="the same"
	[control_unsent_xfrm]="no policy that a hello meets, see ipsec.sh"
	[rx_joined]="no GRO, see joined.sh" [tx_copied]="no local socket, see forged.sh"
	[tx_nomem]="the same" [path_narrow]="a path that is, see narrow.sh"
)

REPORT=$(mktemp -d)
defer "rm -rf $REPORT"

# ---- the node ----

# by_uplinks ADDRESS [WEIGHT]: adds a route; WEIGHT is that of the first uplink
by_uplinks() {
	local v=10.1.0. a=1 b=3

	[[ $1 != *:* ]] || v=fd01:0:0: a=0::1 b=1::1
	echo "route add $1 nexthop via $v$a dev up0 weight ${2-1} nexthop via $v$b dev up1"
}

links() {
	local dev k mtu

	for dev in "${!LINK[@]}"; do
		k=${LINK[$dev]} mtu=9000
		[[ $dev != up1 ]] || mtu=1500
		echo "link set $dev up address $MAC mtu $mtu"
		echo "address add 10.1.0.$((2 * k))/31 dev $dev"
		echo "address add fd01:0:0:$k::/127 dev $dev nodad"
		echo "neighbour add 10.1.0.$((2 * k + 1)) lladdr $MAC_PEER dev $dev"
		echo "neighbour add fd01:0:0:$k::1 lladdr $MAC_PEER dev $dev"
	done
}

routes() {
	local n

	# The kernel's own route to one leaf is the wide uplink: the test sends packets that fit
	# only there.
	by_uplinks 10.0.0.21 255
	for n in 22 23 25 77; do by_uplinks "10.0.0.$n"; done
	for n in 15 16 17 4d; do by_uplinks "fd00::$n"; done
	echo "route add 10.0.0.24 via 10.1.0.7 dev side"
	echo "route add 10.0.0.99 via 10.1.0.5 dev pass"
	echo "route add fd00::63 via fd01:0:0:2::1 dev pass"
}

tunnels() {
	local dev

	echo "link add br0 up type bridge mcast_snooping 0"
	echo "link add vx up mtu 8900 type vxlan id 100 local 10.0.0.11 dstport 4789 nolearning udpcsum"
	echo "link add vx6 up mtu 8900 type vxlan id 106 local fd00::b dstport 4789 nolearning"
	echo "link add vxc up mtu 8900 type vxlan id 16777214 local 10.0.0.11 dstport 4789 nolearning"
	echo "link set host up mtu 8900"
	for dev in host vx vx6 vxc; do echo "link set $dev master br0"; done
}

# to DEVICE ADDRESS MAC: prints an FDB entry
to() {
	echo "fdb add $3 dev $1 dst $2 self"
	echo "fdb add $3 dev $1 master static"
}

stations() {
	local n hex dev

	for n in 21 22 23 24 25 77; do
		printf -v hex %02x $n
		to vx "10.0.0.$n" "02:00:00:00:01:$hex"
		((n > 23)) || to vx6 "fd00::$hex" "02:00:00:00:06:$hex"
	done
	to vxc 10.0.0.21 02:00:00:00:0c:15
	for dev in vx vx6 vxc; do echo "link set dev $dev isolated on learning off"; done
}

# Packets for this leaf go to IPsec first.
secret() {
	local ends="src 10.0.0.11 dst 10.0.0.25"

	# shellcheck disable=SC2086 # words
	ip -n "$BOX" xfrm state add $ends proto esp spi 1 mode transport \
		aead "rfc4106(gcm(aes))" "0x$(printf '%040d' 1)" 128 &&
		ip -n "$BOX" xfrm policy add $ends dir out tmpl $ends proto esp mode transport
}

box_up() {
	local dev

	BOX=box-$(mktemp -u XXXXXX)
	ip netns add "$BOX" && defer "ip netns del $BOX" || return
	in_ns "$BOX" sysctl -qw net.ipv{4,6}.conf.all.forwarding=1 \
		net.ipv4.conf.{all,default}.rp_filter=0 net.ipv6.conf.{all,default}.accept_dad=0 \
		net.ipv6.conf.default.addr_gen_mode=1 net.ipv6.conf.all.router_solicitations=0 || return
	for dev in "${!LINK[@]}" host; do
		ip link set "fuzz_$dev" netns "$BOX" name "$dev" || return
	done
	{
		echo "link set lo up"
		echo "address add 10.0.0.11/32 dev lo"
		echo "address add fd00::b/128 dev lo nodad"
		links
		routes
		tunnels
	} | ip -n "$BOX" -batch - && stations | bridge -n "$BOX" -batch - && secret &&
		in_ns "$BOX" nft -f - <<-END
			table inet quiet {
				chain out {
					type filter hook output priority 0
					meta l4proto { icmp, icmpv6 } drop
				}
			}
		END
}

# Ports are slow, so that CE is raised; reported queues have a test of their own.
fabric_here() {
	{
		echo "fabric add leaf-id $LEAF_ID hello ${HELLO[conga]} probe 50ms flowlet-timeout 500ms explicit-feedback on age 10s flowlets 1024 \
dstport 4789 dstport 4790 dstport 8472 opt-out dscp 46"
		echo "port add up0 role uplink rate 10mbit tag 5"
		echo "port add up1 role uplink rate 10mbit tag 12"
		echo "port add pass role transit rate 10mbit"
		echo "leaf add 10.0.0.21 mode conga"
		echo "leaf add 10.0.0.22 mode auto"
		echo "leaf add 10.0.0.23 mode plain"
		echo "leaf add 10.0.0.24 mode conga"
		echo "leaf add 10.0.0.25 mode plain"
		echo "leaf add 10.0.0.99 mode plain"
		echo "leaf add fd00::15 mode conga"
		echo "leaf add fd00::16 mode auto"
		echo "leaf add fd00::17 mode plain"
		echo "leaf add fd00::63 mode plain"
	} | conga_batch "$BOX"
}

# ---- packets ----

fuzz() {
	"$TESTS/tools/packet_fuzz" -n "$BOX" "$@"
}

# Atomic allocations fail while the program requests it; the kernel logs nothing about these
# failures.
starving() {
	local settings=/sys/kernel/debug/failslab

	[[ ! -d $settings ]] ||
		{ echo 0 >$settings/verbose && echo Y >$settings/ignore-gfp-wait &&
			echo 1 >$settings/interval && echo -1 >$settings/times; }
}

# door DOOR FIRST: sends a quarter of the packets of this hook
door() {
	local start status=0

	start=$(now_ms)
	stats_mark "$BOX"
	fuzz -d "$1" -s "$SEED" -i "$2" -c "$ROUND" 2>&1 | tee "$REPORT/$1"
	((!PIPESTATUS[0])) || status=1
	echo "# $ROUND packets in $(($(now_ms) - start)) ms"
	((!status)) || fail "there are findings" || return
	swept "$1" && counted "$1"
}

# The packets vary every byte of the headers, and every length. In packets of a tenant the outer
# headers stay unchanged.
swept() {
	local line

	((ROUND >= 3000)) && [[ $1 != tx ]] || return 0
	line=$(awk '/^# sweep/ && $6 != $8' "$REPORT/$1")
	[[ ! $line ]] || fail "the sweep is not complete: $line"
}

# Every required counter grew, and only required and optional counters grew.
counted() {
	local word unsure name expected
	local -A grown=()

	[[ $1 == rx ]] || return 0
	for word in $(stats_growth "$BOX"); do grown[${word%=*}]=${word#*=}; done
	unsure=$(sed -n 's/^# model .* unsure=//p' "$REPORT/$1")
	read -r -a expected < <(sed -n 's/^# model \(.*\) rx_control.*/\1/p' "$REPORT/$1")
	for word in "${expected[@]}"; do
		name=${word%=*}
		((grown[$name] >= ${word#*=} && grown[$name] <= ${word#*=} + unsure)) ||
			fail "$name grew by ${grown[$name]}," \
				"expected from ${word#*=} to $((${word#*=} + unsure))" ||
			return
	done
}

# sum NAME...: prints the sum of these counters
sum() {
	local name all=0

	for name; do all=$((all + STAT[$name])); done
	echo "$all"
}

read_stats() {
	local word

	declare -gA STAT=()
	for word in $(stats_words "$BOX"); do STAT[${word%=*}]=${word#*=}; done
}

# Exactly one reason is counted for each packet that was received.
add_up() {
	local consumed unsent

	read_stats
	((STAT[rx_stamped] == $(sum rx_learnt rx_not_port rx_unknown_leaf rx_plain_leaf))) ||
		fail "rx_stamped ${STAT[rx_stamped]} is not the sum of its reasons" || return
	consumed=$(sum hello_answered hello_heard explicit_received bye_received \
		control_{not_port,unknown_leaf,plain_leaf,malformed,version,type,nonce,limited} \
		probe_{taken,no_better,unwanted,distant,malformed,own,unknown_leaf,not_path})
	unsent=${STAT[control_unsent]}
	((STAT[rx_control] >= consumed && STAT[rx_control] <= consumed + unsent)) ||
		fail "rx_control ${STAT[rx_control]} is not the sum of its reasons," \
			"from $consumed to $((consumed + unsent))"
}

all_reasons() {
	local name never=""

	read_stats
	for name in "${!STAT[@]}"; do
		((STAT[$name])) || [[ ${BEYOND_REACH[$name]-} ]] || never+=" $name"
	done
	for name in "${!BEYOND_REACH[@]}"; do
		echo "# not asked for: $name=${STAT[$name]} (${BEYOND_REACH[$name]})"
	done
	[[ ! $never ]] || fail "these counters never grew:$never"
}

# ---- accepted packets ----

# Prints the state without ages, values that age, feedback that is due, and hellos in vain, after
# which a leaf that was asked is silent.
state() {
	printf '%s\n' "table show to-leaf" "table show from-leaf" "leaf show" "path show" |
		"$CONGA" -n "$BOX" -j -b - |
		sed -E 's/,"(age_ns|heard_age_ns|unanswered|hellos|hellos_missed)":[0-9]+//g
			s/"state":"waiting","reason":"waiting"/"state":"plain","reason":"silent"/g
			s/,"metric":[0-9]+}/}/g; s/,?"(local|remote|queue_ns)":[0-9]+//g'
}

# The module learns nothing from packets in transit, and may mark them with the local backlog
# (queue_marked).
strangers() {
	local before d word

	before=$(state) && stats_mark "$BOX" || return
	for d in rx control; do
		fuzz -S -d "$d" -s $((SEED + 1)) -c $((ROUND / 3)) >"$REPORT/strangers" 2>&1 ||
			{ cat "$REPORT/strangers"; fail "there are findings" || return; }
	done
	[[ $(state) == "$before" ]] ||
		fail "the state of the leaf is $(state), it was $before" || return
	for word in $(stats_growth "$BOX"); do
		case $word in
		rx_learnt=*|feedback_received=*|hello_heard=*|hello_answered=*|bye_received=*|\
		explicit_received=*|probe_taken=*|probe_no_better=*|queue_received=*|queue_ignored=*)
			fail "a packet of a stranger was accepted: $word"; return ;;
		esac
	done
}

# strangers_in POLICY: sends a few ordinary packets before those of unknown leaves
strangers_in() {
	conga_here fabric set policy "$1" && fuzz -d rx -s "$SEED" -c 60 >/dev/null && strangers
}

# begin POLICY: starts its round, with leaves that got a goodbye message
begin() {
	conga_here fabric set hello off &&
		conga_here fabric set policy "$1" metric "${METRIC[$1]}" hello "${HELLO[$1]}" age "${AGE[$1]}"
}

conga_here() {
	"$CONGA" -n "$BOX" "$@"
}

# These few packets do not load the links, and the table of flowlets is new: CONGA leaves a flow
# on the uplink of the last packet in its entry, and earlier packets did not divide the entries
# equally. The route has equal weights.
# The limit is five sigma of a fair draw.
balances() {
	local left up0 up1

	conga_here fabric set policy conga metric max age 10ms flowlets 4096 &&
		ip -n "$BOX" route del 10.0.0.21 && by_uplinks 10.0.0.21 | ip -n "$BOX" -batch - || return
	for up in up0 up1; do conga_here port set dev "$up" rate 1tbit || return; done
	settle && left=$(fuzz -b "$FLOWS") || return
	up0=$(sed -n 's/^up0=//p' <<<"$left") up1=$(sed -n 's/^up1=//p' <<<"$left")
	echo "# balance: $up0 $up1"
	((up0 + up1 >= FLOWS)) ||
		fail "of $FLOWS packets $up0 left by up0 and $up1 by up1" || return
	((100 * up0 <= BALANCE_PERCENT * up1 && 100 * up1 <= BALANCE_PERCENT * up0)) ||
		fail "the uplinks carried $up0 and $up1 packets"
}

same_seed() {
	local seed

	for seed in "$SEED" "$SEED" $((SEED + 1)); do
		fuzz -v -d tx -s "$seed" -c 300 | grep -v '^# \(kind\|way\|model\|door\)' | sha256sum
	done >"$REPORT/sums"
	[[ $(uniq -c <"$REPORT/sums" | awk '{ print $1 }' | xargs) == "2 1" ]] ||
		fail "$(<"$REPORT/sums")"
}

require_root
require_commands ip bridge nft jq
require_module
tap_plan $((4 + ${#POLICY_ROUNDS[@]} * (1 + ${#DOORS[@]})))
{ box_up && fabric_here && starving; } || die "the box cannot be set up"
tap_test "the same seed makes the same packets, and another seed others" same_seed
for policy in "${POLICY_ROUNDS[@]}"; do
	tap_test "$policy: unknown senders teach nothing" strangers_in "$policy"
done
first=0
for policy in "${POLICY_ROUNDS[@]}"; do
	begin "$policy" || die "policy $policy"
	for name in "${DOORS[@]}"; do
		tap_test "$policy, hook $name: $ROUND packets with seed $SEED are handled as the model says" \
			door "$name" $first
	done
	first=$((first + ROUND))
done
tap_test "counters by reason add up to the received packets" add_up
tap_test "every reason that packets can have was counted" all_reasons
tap_test "the node balances packets over its uplinks" balances
tap_exit
