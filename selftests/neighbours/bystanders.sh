#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Traffic passes conga together with other users of packets on the same nodes: userspace queues
# (NFQUEUE) in output, input and forward, masquerade, IPsec by device and by pair, routing by
# source and by mark, and marks that no rule selects. The same traffic is sent first without
# conga, as a control, then under several policies. Each datagram that arrives without conga must
# arrive with conga; packets must obey the kernel's rules about uplinks; and each packet to a leaf
# must be steered, or counted by the reason why it is not.
#
# There are three tunnels between two leaves, each with a pair of addresses of its own:
#
#	vx	from bridged hosts; UDP over IPv4 has the mark FREE_MARK, which no rule looks
#		at, UDP over IPv6 RULE_MARK, for which a rule has up0 alone, TCP has none;
#		on leaf 0 a userspace queue gives back half of the flows
#	vy	by a source rule, whose table has up1 alone
#	vz	IPsec: leaf 0 transforms what leaves by up1, leaf 1 all, which leaf 0 demands
#
# Leaf 0 masquerades packets that leave by up1, except those of IPsec. One queue gives back the
# packets that arrive at leaf 1 by up0, and another those that pass spine 0, in segments.
#
# DATAGRAMS is the number of each of four senders under each policy, 300 by default; SEED is 1 by
# default.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/neighbours.sh"

readonly TRIED="conga hula tr drill"
readonly DATAGRAMS=${DATAGRAMS:-300} SEED=${SEED:-1}
readonly TRANSFERS=20 TRANSFER_BYTES=50000
readonly PROBES=5ms HELLOS=100ms
readonly FREE_MARK=0x10000 RULE_MARK=0x2 RULE_MASK=0xff
readonly RULED=(10.0.0.21 10.0.0.22) SECURED=(10.0.0.31 10.0.0.32)
readonly RULED_VNI=8 SECURED_VNI=9
readonly CONTROL="@th,96,24 0xfffffe"	# the VNI of control packets
readonly LAST=2147483646		# priority of a chain right before conga's hooks
readonly COMPLAINTS='WARNING:|BUG|Oops|refcount_t|KASAN|INFO: rcu|soft lockup'
readonly KEYS=(enc 'cbc(aes)' 0x00112233445566778899aabbccddeeff
	auth 'hmac(sha256)' 0x000102030405060708090a0b0c0d0e0f)

# Only a processor that hangs exceeds this time; kernels that check every access to memory get
# more time.
DEADLINE_S=60
[[ ! -e /sys/kernel/debug/kmemleak && ! -e /sys/kernel/debug/kcsan ]] || DEADLINE_S=400

TOPO_LINKS=1
FABRIC_RATE=1gbit
QUIET="hello $HELLOS"

# ---- set up ----

# tunnel_up LEAF DEVICE VNI SOURCE DESTINATION OPTIONS
tunnel_up() {
	local l=$1 net=172.31.$3

	ip -n "${LEAF[l]}" -batch - <<-END || return
		address add $4/32 dev lo
		link add $2 up mtu 1500 address 02:00:00:00:0$3:0$l type vxlan id $3 local $4 \
remote $5 dstport 4789 nolearning ttl 64 $6
		address add $net.$((l + 1))/24 dev $2
		neighbour add $net.$((2 - l)) lladdr 02:00:00:00:0$3:0$((1 - l)) dev $2
	END
}

# routes_up LEAF: main serves all three tunnels, and each rule has a table of its own
routes_up() {
	local l=$1 r=$((1 - $1)) s hops=() via=()

	for s in 0 1; do
		topo_link_addresses "$l" "$s" 0
		via[s]="via $SPINE_END dev up$s"
		hops[s]="nexthop ${via[s]}"
		ip -n "${SPINE[s]}" -batch - <<-END || return
			route add ${RULED[l]}/32 via $LEAF_END dev down$l.0
			route add ${SECURED[l]}/32 via $LEAF_END dev down$l.0
		END
	done
	ip -n "${LEAF[l]}" -batch - <<-END
		route add ${RULED[r]}/32 ${hops[*]}
		route add ${SECURED[r]}/32 ${hops[*]}
		route add ${VTEP[r]}/32 table 101 ${hops[*]}
		route add ${RULED[r]}/32 table 102 ${via[1]}
		route add ${VTEP[r]}/32 table 103 ${via[0]}
		rule add fwmark $RULE_MARK/$RULE_MASK lookup 103 pref 100
		rule add from ${VTEP[l]} lookup 101 pref 101
		rule add from ${RULED[l]} lookup 102 pref 102
	END
}

# marks_up LEAF: marks packets that its host sends
marks_up() {
	in_ns "${LEAF[$1]}" nft -f - <<-END
		table netdev marks {
			chain host {
				type filter hook ingress device "h0" priority 0;
				ip protocol udp meta mark set $FREE_MARK
				ip6 nexthdr udp meta mark set $RULE_MARK
			}
		}
	END
}

# Outer source ports are derived from the flow, and two flows may have the same port. If one of
# these is masqueraded, and the kernel's own decision sends the other to another uplink (by a
# rule, or by the route that a tunnel keeps for packets without a mark), the kernel drops a packet
# (nf_nat_oif_changed), with and without conga. Therefore only packets of vx with FREE_MARK are
# tracked: the kernel searches the route of each by its ports.
masquerade_up() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table ip nat {
			chain raw {
				type filter hook output priority -300;
				ip saddr ${VTEP[0]} udp dport 4789 meta mark != $FREE_MARK notrack
			}
			chain post {
				type nat hook postrouting priority 100;
				oifname "up1" ip saddr != ${SECURED[0]} masquerade
			}
		}
	END
}

# states_up LEAF: creates the IPsec states in both directions
states_up() {
	local from=${SECURED[0]} to=${SECURED[1]}

	ip -n "${LEAF[$1]}" xfrm state add src "$from" dst "$to" proto esp spi 0x100 reqid 1 \
		mode transport "${KEYS[@]}" &&
		ip -n "${LEAF[$1]}" xfrm state add src "$to" dst "$from" proto esp spi 0x101 \
			reqid 1 mode transport "${KEYS[@]}"
}

# If these features are modules, some of them are not loaded on demand.
ipsec_up() {
	local esp="proto esp reqid 1 mode transport"

	modprobe -qa esp4 xfrm_user authenc hmac sha256_generic aes_generic cbc echainiv
	states_up 0 && states_up 1 || return
	ip -n "${LEAF[0]}" -batch - <<-END || return
		xfrm policy add src ${SECURED[0]} dst ${SECURED[1]} dev up1 dir out \
tmpl src ${SECURED[0]} dst ${SECURED[1]} $esp
		xfrm policy add src ${SECURED[1]} dst ${SECURED[0]} proto udp dport 4789 dir in \
tmpl src ${SECURED[1]} dst ${SECURED[0]} $esp
	END
	ip -n "${LEAF[1]}" xfrm policy add src "${SECURED[1]}" dst "${SECURED[0]}" dir out \
		tmpl src "${SECURED[1]}" dst "${SECURED[0]}" proto esp reqid 1 mode transport
}

# queue_up NAME NAMESPACE HOOK MATCH [OPTION]: creates a queue, and a process that gives its
# packets back
queue_up() {
	in_ns "$2" nft -f - <<-END || return
		table inet queues {
			chain $3 {
				type filter hook $3 priority 0;
				$4 udp dport 4789 queue num 5
			}
		}
	END
	# shellcheck disable=SC2086 # an option or none
	"$TESTS/tools/queue_return" ${5-} "$2" 5 >"$TOPO_DIR/queue.$1" 2>&1 &
	READER[$1]=$!
	QUEUE_IN[$1]=$2
	busywait 20000 grep -q ready "$TOPO_DIR/queue.$1" || fail "$(<"$TOPO_DIR/queue.$1")"
}

queues_up() {
	queue_up output "${LEAF[0]}" output "ip saddr ${VTEP[0]} udp sport and 1 == 0" &&
		queue_up input "${LEAF[1]}" input 'iifname "up0"' &&
		queue_up forward "${SPINE[0]}" forward 'iifname "down0.0"' -s
}

# counters_up LEAF: counts packets to leaves directly before conga's hook, and at its uplinks the
# packets that must, or must not, leave there. Leaf 0 may send by up0 packets that IPsec
# transforms for up1.
counters_up() {
	local vni='udp dport 4789 @th,96,24' all="${VTEP[*]} ${RULED[*]} ${SECURED[*]}"

	in_ns "${LEAF[$1]}" nft -f - <<-END
		table inet ledger {
			counter to_leaves { }
			counter rule_marked { }
			counter free_marked { }
			chain out {
				type filter hook output priority $LAST;
				udp dport 4789 $CONTROL accept
				udp dport 4789 ip daddr { ${all// /, } } counter name to_leaves
				$vni $TOPO_VNI meta mark $FREE_MARK counter name free_marked
				$vni $TOPO_VNI meta mark and $RULE_MASK == $RULE_MARK counter name rule_marked
			}
		}
		table netdev uplinks {
			counter by_rule { }
			counter rule_broken { }
			counter mark_broken { }
			counter clear { }
			counter transformed { }
			chain first {
				type filter hook egress device "up0" priority 0;
				$vni $RULED_VNI counter name rule_broken
				$([[ $1 == 0 ]] || echo "$vni $SECURED_VNI counter name clear")
				meta l4proto 50 counter name transformed
			}
			chain second {
				type filter hook egress device "up1" priority 0;
				$vni $RULED_VNI counter name by_rule
				$vni $TOPO_VNI meta mark and $RULE_MASK == $RULE_MARK counter name mark_broken
				$vni $SECURED_VNI counter name clear
				meta l4proto 50 counter name transformed
			}
		}
	END
}

# The leaves send no IPv6 packets of their own that would be counted; the hosts keep theirs.
leaves_say_nothing() {
	local ns

	for ns in "${LEAF[@]}"; do
		in_ns "$ns" sysctl -qw net.ipv6.conf.{br0,vx,vy,vz,h0}.disable_ipv6=1 || return
	done
	queued_packets_leave
}

rig_up() {
	local l

	topo_up || return
	for l in 0 1; do
		tunnel_up "$l" vy "$RULED_VNI" "${RULED[l]}" "${RULED[1 - l]}" "" &&
			tunnel_up "$l" vz "$SECURED_VNI" "${SECURED[l]}" "${SECURED[1 - l]}" "tos 0x10" &&
			routes_up "$l" && marks_up "$l" && counters_up "$l" || return
	done
	leaves_say_nothing && neighbours_meet && masquerade_up && ipsec_up && queues_up || return
	neighbours_stay
}

fabrics_up() {
	local l

	fabric_up conga conga && fabric_hula || return
	for l in 0 1; do
		conga "$l" leaf add "${RULED[1 - l]}" mode conga &&
			conga "$l" leaf add "${SECURED[1 - l]}" mode conga || return
	done
}

# ---- traffic, on all processors at once ----

# start NAME COMMAND...: runs the command in the background, on the next processor
start() {
	local name=$1

	shift
	timeout "$DEADLINE_S" taskset -c $((${#RUN[@]} % $(nproc))) "$@" >"$TOPO_DIR/run.$name" 2>&1 &
	RUN[$name]=$!
}

traffic_start() {
	RUN=()
	start hosts "$TESTS/tools/conserve" -s "$SEED" "$DATAGRAMS" "${HOST[0.0]}" "${HOST[1.0]}" \
		"${HOST_IP[1.0]}" "${HOST_IP6[1.0]}"
	start leaves "$TESTS/tools/conserve" -s "$SEED" "$DATAGRAMS" "${LEAF[0]}" "${LEAF[1]}" \
		172.31.$RULED_VNI.2 172.31.$SECURED_VNI.2
	start leaves-back "$TESTS/tools/conserve" -s "$SEED" "$DATAGRAMS" "${LEAF[1]}" "${LEAF[0]}" \
		172.31.$RULED_VNI.1 172.31.$SECURED_VNI.1
	start hosts-back "$TESTS/tools/conserve" -s "$SEED" "$DATAGRAMS" "${HOST[1.0]}" "${HOST[0.0]}" \
		"${HOST_IP[0.0]}" "${HOST_IP6[0.0]}"
	start transfers "$TESTS/tools/flowgen" -q -b -f "${HOST[0.0]},${HOST_IP[0.0]}" \
		-t "${HOST[1.0]},${HOST_IP[1.0]}" -C 1e8 -S "$TRANSFER_BYTES" -n "$TRANSFERS" \
		-D "$DEADLINE_S"
}

traffic() {
	local name

	traffic_start
	ENDED=()
	for name in "${!RUN[@]}"; do
		wait "${RUN[$name]}"
		ENDED[$name]=$?
	done
}

# ended_well NAME: the command ended in time and without an error
ended_well() {
	local said

	said=$(tail -n 1 "$TOPO_DIR/run.$1")
	((ENDED[$1] != 124)) || fail "$1 did not end within $DEADLINE_S s" || return
	((!ENDED[$1])) || fail "$1: $said"
}

datagrams_arrive() {
	local name status=0

	for name in hosts hosts-back leaves leaves-back; do
		ended_well "$name" || status=1
	done
	return "$status"
}

transfers_complete() {
	ended_well transfers || return
	grep -q ' unfinished=0 ' "$TOPO_DIR/run.transfers" || fail "$(<"$TOPO_DIR/run.transfers")"
}

# ---- counters ----

# look LEAF: reads the counters of its tables into COUNTED[LEAF.NAME], without a fork of jq
look() {
	local previous="" word counter said

	said=$(in_ns "${LEAF[$1]}" nft list counters) || return
	for word in $said; do
		case $previous in
		counter) counter=$1.$word ;;
		packets) COUNTED[$counter]=$word ;;
		esac
		previous=$word
	done
}

# still LEAF COMMAND...: repeats the command until no packet to a leaf passed meanwhile
still() {
	local l=$1 seen=none

	shift
	while look "$l" || return; [[ ${COUNTED[$l.to_leaves]} != "$seen" ]]; do
		seen=${COUNTED[$l.to_leaves]}
		"$@" || return
	done
}

# counters_mark LEAF STATS-COMMAND
counters_mark() {
	local name

	still "$1" "$2" "${LEAF[$1]}" || die "counters of leaf $1 cannot be read"
	for name in "${!COUNTED[@]}"; do BEFORE[$name]=${COUNTED[$name]}; done
}

grown_read() {
	GROWN[$1]=$(stats_growth "$1")
}

# counters_read LEAF STATS-COMMAND: reads the growth of the counters since counters_mark
counters_read() {
	local name

	still "$1" "$2" "${LEAF[$1]}" || die "counters of leaf $1 cannot be read"
	for name in "${!COUNTED[@]}"; do
		[[ $name != "$1".* ]] || COUNTED[$name]=$((COUNTED[$name] - BEFORE[$name]))
	done
}

# growth LEAF REGEX: sets GROWTH to the sum of conga's counters whose names match
growth() {
	local word

	GROWTH=0
	for word in ${GROWN[${LEAF[$1]}]}; do
		[[ ! ${word%=*} =~ ^($2)$ ]] || GROWTH=$((GROWTH + ${word#*=}))
	done
}

# ledger LEAF
ledger() {
	local seen=${COUNTED[$1.to_leaves]} word told=""

	growth "$1" 'tx_steered|fallback_.*'
	for word in ${GROWN[${LEAF[$1]}]}; do
		[[ ! $word =~ ^(tx_steered|fallback) ]] || told+=" $word"
	done
	echo "# leaf $1: $seen packets:$told"
	((seen && GROWTH == seen)) ||
		fail "leaf $1 sent $seen packets to leaves," \
			"but $GROWTH are counted as steered or left to the kernel"
}

all_counted() {
	local status=0

	ledger 0 || status=1
	ledger 1 || status=1
	return "$status"
}

# on_both {some|none} COUNTER
on_both() {
	local l

	for l in 0 1; do
		if ((COUNTED[$l.$2])); then [[ $1 == some ]]; else [[ $1 == none ]]; fi ||
			fail "leaf $l: ${COUNTED[$l.$2]} packets are $2" || return
	done
}

by_source_rule() {
	on_both some by_rule && on_both none rule_broken
}

by_mark_rule() {
	on_both some rule_marked && on_both none mark_broken
}

secured() {
	on_both some transformed && on_both none clear
}

# The packets that are left for their mark are at most those that have a mark which a rule
# selects. All other packets of the hosts are steered if no other reason prevents it: this holds
# on leaf 1, except for HULA while probes are late.
free_marks_steered() {
	local l

	for l in 0 1; do
		growth "$l" fallback_mark
		((GROWTH <= COUNTED[$l.rule_marked])) ||
			fail "leaf $l left $GROWTH packets to the kernel for their mark, \
a rule looks at ${COUNTED[$l.rule_marked]}" || return
	done
	growth 1 'tx_steered|fallback_no_probe'
	((GROWTH >= COUNTED[1.free_marked])) ||
		fail "leaf 1 steered $GROWTH packets," \
			"but ${COUNTED[1.free_marked]} have a mark that no rule selects"
}

nat_is_left() {
	growth 0 fallback_nat
	((GROWTH)) || fail "fallback_nat did not grow"
}

# queue_gave_all_back NAME: the kernel dropped no packet before the reader
queue_gave_all_back() {
	local dropped unheard said

	read -r _ _ _ _ _ dropped unheard _ < <(
		in_ns "${QUEUE_IN[$1]}" cat /proc/net/netfilter/nfnetlink_queue)
	kill "${READER[$1]}"
	wait "${READER[$1]}"
	said=$(tail -n 1 "$TOPO_DIR/queue.$1")
	echo "# $1: $said"
	[[ $said == [1-9]*" given back" ]] || fail "$1: $said" || return
	((dropped + unheard == 0)) ||
		fail "$1: the queue dropped $dropped packets, $unheard were not read"
}

# Data races of the kernel itself are not counted.
no_complaint() {
	local said

	said=$(dmesg | sed "1,/$MARK/d" | "$TESTS/vm/races" | grep -E "$COMPLAINTS")
	[[ ! $said ]] || fail "$said"
}

# ---- tests ----

# These rules hold with and without conga.
kernel_decides() {
	tap_test "$1: a source rule's packets leave by its table's uplink" by_source_rule
	tap_test "$1: packets with a mark that a rule looks at leave by its table's uplink" \
		by_mark_rule
	tap_test "$1: no packet leaves in clear where IPsec transforms it" secured
}

# traffic_passes NAME MARK-COMMAND READ-COMMAND: the commands mark and read conga's counters, by
# namespace
traffic_passes() {
	local l

	for l in 0 1; do counters_mark "$l" "$2"; done
	traffic
	for l in 0 1; do counters_read "$l" "$3"; done
	tap_test "$1: each datagram arrives once and unchanged" datagrams_arrive
	tap_test "$1: all transfers are complete" transfers_complete
	kernel_decides "$1"
}

policy_passes() {
	fabric_policy "$1" "$PROBES" || die "policy $1 cannot be set: $TAP_WHY"
	traffic_passes "$1" stats_mark grown_read
	tap_test "$1: packets to leaves are steered, or counted as left to the kernel" all_counted
	tap_test "$1: packets with marks that no rule looks at are steered" \
		free_marks_steered
	tap_test "$1: packets that NAT translates are left to the kernel, and counted" nat_is_left
}

require_root
require_commands ip nft jq dmesg nsenter taskset timeout
require_module
module_is_ours || tap_skip_all "$TAP_WHY"
MARK="bystanders $$ $EPOCHREALTIME"
echo "$MARK" >/dev/kmsg
declare -A READER=() QUEUE_IN=() RUN=() ENDED=() COUNTED=() BEFORE=() GROWN=()
tap_plan $((5 + $(wc -w <<<"$TRIED") * 8 + 4))
rig_up || die "cannot set up: $TAP_WHY"
traffic_passes "without conga" true true
fabrics_up || die "the fabric cannot be set up"
for policy in $TRIED; do policy_passes "$policy"; done
tap_test "the queue in output gave all packets back" queue_gave_all_back output
tap_test "the queue in input gave all packets back" queue_gave_all_back input
tap_test "the queue in forward gave all packets back" queue_gave_all_back forward
tap_test "the kernel logs no complaint" no_complaint
tap_exit
