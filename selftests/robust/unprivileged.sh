#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cost that a user without privileges can cause for other users. The user has user and network
# namespaces of his own, as many uplinks as a fabric has, and many leaves. Timers and works run in
# softirq and in kernel threads, whose time no cgroup accounts. Therefore probes have a minimum
# interval there, and rounds of one kind, in all fabrics of the user together, use at most one
# hundredth of a processor. Kprobes show when each round began and how long it took, so the
# machine's speed does not matter: the next round of the same fabric must begin after a multiple
# of this time.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"

readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
readonly TRACING=/sys/kernel/tracing
readonly USERS=10 UPLINKS=16 FEW=2 LEAVES=3000
readonly SHARE=100		# a pause is at least so many times as long as a round
readonly TOLERANCE=2		# kprobes add time to a round
readonly ROUNDS=8		# rounds seen of each fabric, at least
readonly TRIES=6		# at most so many intervals of the administrator's probes
readonly PATIENCE_MS=300000
readonly FLOOR="probe must be auto, off or a time from 10 ms to 1 s in a user namespace"

# ---- namespaces ----

# uplinks COUNT: adds uplinks that end in the same namespace, with addresses of both families
uplinks() {
	local i

	echo "link set lo up"
	echo "address add 10.0.0.1/32 dev lo"
	echo "link add vx up type vxlan id 100 local 10.0.0.1 dstport 4789 nolearning"
	for ((i = 0; i < $1; i++)); do
		echo "link add up$i up type veth peer name down$i"
		echo "link set down$i up"
		echo "address add 10.1.$i.0/31 dev up$i"
		echo "address add 2001:db8:1:$i::1/64 dev up$i nodad"
		echo "route append 10.64.0.0/10 metric $i via 10.1.$i.1 dev up$i"
	done
}

# user_up NUMBER UPLINKS: creates a namespace of a user without privileges
user_up() {
	local ns=user$1-$SFX pid

	"${AS_NOBODY[@]}" unshare -Urn sleep infinity &
	pid=$!
	defer "kill $pid"
	busywait "$PATIENCE_MS" is_apart "$pid" && ip netns attach "$ns" "$pid" &&
		defer "ip netns del $ns" && uplinks "$2" | ip -n "$ns" -batch - || return
	USER_NS[$1]=$ns
}

is_apart() {
	local ns

	ns=$(readlink "/proc/$1/ns/net") && [[ $ns == net:* && $ns != "$(readlink /proc/self/ns/net)" ]]
}

# fabric_make NAMESPACE UPLINKS WORD...
fabric_make() {
	local i ns=$1 count=$2

	shift 2
	{
		echo "fabric add $*"
		for ((i = 0; i < count; i++)); do
			echo "port add dev up$i role uplink rate 1gbit"
		done
	} | conga_batch "$ns"
}

# leaves NAMESPACE COUNT
leaves() {
	local i

	for ((i = 1; i <= $2; i++)); do
		echo "leaf add 10.64.$((i >> 8)).$((i & 255))"
	done | conga_batch "$1"
}

fabrics_del() {
	local ns

	for ns; do "$CONGA" -n "$ns" fabric del || return; done
}

setup() {
	SFX=$(mktemp -u XXXXXX)
	OWN=own-$SFX
	"${AS_NOBODY[@]}" unshare -Urn true 2>/dev/null ||
		tap_skip_all "unprivileged user namespaces are switched off"
	ip netns add "$OWN" && defer "ip netns del $OWN" &&
		uplinks "$UPLINKS" | ip -n "$OWN" -batch - && user_up 0 "$UPLINKS" || return
	[[ -d "$TRACING/events" ]] || mount -t tracefs tracefs "$TRACING" || return
	echo mono >"$TRACING/trace_clock"
}

# ---- rounds ----

# watch FUNCTION [OTHER]: watches the function from now on, and counts the calls of the other one
watch() {
	echo 0 >"$TRACING/tracing_on"
	echo >"$TRACING/trace"
	{
		echo "p:rounds/begin $1 object=%di:x64"
		echo "r:rounds/end $1"
		[[ ! ${2-} ]] || echo "p:rounds/other $2"
	} >"$TRACING/kprobe_events" && echo 1 >"$TRACING/events/rounds/enable" &&
		echo 1 >"$TRACING/tracing_on"
}

watch_end() {
	echo 0 >"$TRACING/tracing_on"
	rounds
	SOONEST=$(soonest)
	LAST=$(tail -n 3 "$TRACING/trace")
	OTHERS=$(grep -c ' other: ' "$TRACING/trace")
	echo 0 >"$TRACING/events/rounds/enable"
	echo >"$TRACING/kprobe_events"
}

# round_times: prints -1 and the least number of rounds of a fabric; then for each round how long
# it took, and after what time the next one of that fabric began
round_times() {
	grep -v '^#' "$TRACING/trace" | awk '
		{
			match($0, /-[0-9]+ +\[/)
			task = substr($0, RSTART)
			sub(/ .*/, "", task)
			match($0, / [0-9]+\.[0-9]+: /)
			now = substr($0, RSTART + 1) + 0
		}
		/ begin: / {
			sub(/.*object=/, "")
			if ($0 in began) {
				count[$0]++
				printf "%.6f %.6f\n", took[$0], now - began[$0]
			}
			began[$0] = now
			doing[task] = $0
		}
		/ end: / {
			if (task in doing)
				took[doing[task]] = now - began[doing[task]]
		}
		END {
			for (object in count)
				if (!least || count[object] < least)
					least = count[object]
			for (object in began)
				if (!(object in count))
					least = 0
			print -1, least + 0
		}'
}

# ratio QUARTERS: reads these times, and prints the ratio of the time between the starts of two
# rounds to the duration of a round, of so many quarters of the lines, the first ones
ratio() {
	awk -v quarters="$1" '
		{ took[NR] = $1; apart[NR] = $2 }
		END {
			for (i = 1; i <= NR * quarters / 4; i++) {
				spent += took[i]
				between += apart[i]
			}
			printf "%d\n", (spent > 0 ? between / spent : 0)
		}'
}

# rounds: sets COUNT to the least number of rounds of a fabric, and RATIO. The longest quarter of
# the rounds is left out, because the machine may have stopped in them: a busy computer runs others
# meanwhile.
rounds() {
	local times

	times=$(round_times | sort -g)
	read -r _ COUNT <<<"$times"
	RATIO=$(tail -n +2 <<<"$times" | ratio 3)
}

# soonest: prints the ratio of the quarter of rounds with the shortest time to the next one. A busy
# computer lengthens that time: while the machine has no processor, no round begins.
soonest() {
	round_times | grep -v '^-1 ' | sort -g -k 2 | ratio 1
}

# seen FABRICS: each fabric has had enough rounds. The test checks rarely, because the watched
# code can be preempted.
seen() {
	local objects

	sleep 0.5
	objects=$(grep -o 'object=.*' "$TRACING/trace" | sort -u | wc -l)
	rounds
	((objects >= $1 && COUNT >= ROUNDS))
}

# bounded FUNCTION FABRICS [COMMAND...]: the rounds are bounded while the command runs
bounded() {
	local fabrics=$2 status=0 pid=""

	watch "$1" || fail "function $1 cannot be traced" || return
	if (($# > 2)); then
		"${@:3}" &
		pid=$!
	fi
	busywait "$PATIENCE_MS" seen "$fabrics" || status=1
	[[ ! $pid ]] || { kill "$pid" && wait "$pid"; }
	watch_end
	((!status)) || fail "too few rounds were seen: $LAST" || return
	echo "# $1, fabrics: $fabrics: rounds of each: $COUNT, apart: $RATIO times their length"
	((RATIO * TOLERANCE >= SHARE * fabrics)) ||
		fail "rounds are only $RATIO times as far apart as they take"
}

# ---- tests ----

probe_is() {
	"$CONGA" -n "$1" -j fabric show | json_is ".[0].probe_ns == $2"
}

floor_refuses() {
	local ns=${USER_NS[0]} word

	for word in 20us 1ms 9999999ns; do
		refused "$FLOOR" -n "$ns" fabric add policy hula probe "$word" || return
	done
	refused "There is no fabric in this network namespace, add one first" -n "$ns" fabric show &&
		"$CONGA" -n "$ns" fabric add policy hula probe 11ms || return
	for word in 20us 1ms 9999999ns; do
		refused "$FLOOR" -n "$ns" fabric set probe "$word" &&
			probe_is "$ns" 11000000 || return
	done
	"$CONGA" -n "$ns" fabric set probe 10ms && probe_is "$ns" 10000000 &&
		"$CONGA" -n "$ns" fabric set probe off && probe_is "$ns" 0 && fabrics_del "$ns"
}

auto_is_floor() {
	local ns=${USER_NS[0]}

	"$CONGA" -n "$ns" fabric add policy hula && probe_is "$ns" 10000000 &&
		"$CONGA" -n "$ns" fabric set policy conga && probe_is "$ns" 0 &&
		fabrics_del "$ns" && "$CONGA" -n "$OWN" fabric add policy hula &&
		probe_is "$OWN" 200000 && "$CONGA" -n "$OWN" fabric set probe 20us &&
		probe_is "$OWN" 20000 && fabrics_del "$OWN"
}

probes_of_one() {
	fabric_make "${USER_NS[0]}" "$UPLINKS" policy hula hello off &&
		bounded conga_probe_tick 1
}

# The pauses of this function, and of the others that run until they are ended, are the rate of
# changes. They wait for nothing.
probes_restarted() {
	while :; do
		"$CONGA" -n "${USER_NS[0]}" fabric set probe 10ms
		sleep 0.1
		"$CONGA" -n "${USER_NS[0]}" fabric set probe 11ms
		sleep 0.1
	done
}

probes_of_ten() {
	local i

	for ((i = 1; i < USERS; i++)); do
		user_up "$i" "$FEW" && fabric_make "${USER_NS[i]}" "$FEW" policy hula hello off ||
			fail "the fabric of user $i cannot be created" || return
	done
	bounded conga_probe_tick "$USERS" && fabrics_del "${USER_NS[@]}"
}

hellos_of_many() {
	fabric_make "${USER_NS[0]}" "$UPLINKS" hello 20ms && leaves "${USER_NS[0]}" "$LEAVES" &&
		bounded conga_control_tick 1
}

hellos_restarted() {
	while :; do
		"$CONGA" -n "${USER_NS[0]}" fabric set hello 20ms
		sleep 0.1
		"$CONGA" -n "${USER_NS[0]}" fabric set hello 21ms
		sleep 0.1
	done
}

# Every link that goes down or comes up changes the paths to all leaves.
links_flap() {
	while :; do
		ip -n "${USER_NS[0]}" link set down0 down
		sleep 0.2
		ip -n "${USER_NS[0]}" link set down0 up
		sleep 0.2
	done
}

news() {
	bounded conga_netlink_news 1 links_flap && fabrics_del "${USER_NS[@]:0:1}"
}

# own_fabric COMMAND...: with a fabric of the administrator, which sends probes
own_fabric() {
	local status=0

	fabric_make "$OWN" "$FEW" policy hula hello off probe 100ms || return
	"$@" || status=$?
	fabrics_del "$OWN" && return "$status"
}

# The rounds are as frequent as configured, and their distance is a few times their duration. The
# duration is known only of rounds that were: those that are far apart take longer, as does each on a
# busy computer. So the interval shrinks until it is a few times the duration, which it never
# becomes if rounds are bounded.
own_not_bounded() {
	local us=100000 try

	for ((try = 0; try < TRIES; try++)); do
		own_seen || return
		((!SOONEST || SOONEST * TOLERANCE >= SHARE)) || return 0
		us=$((4 * us / (SOONEST + 1) + 20))
		"$CONGA" -n "$OWN" fabric set probe "${us}us" || return
	done
	fail "rounds are $SOONEST times as far apart as they take"
}

own_seen() {
	watch conga_probe_tick "$@" && busywait "$PATIENCE_MS" seen 1 ||
		fail "too few rounds were seen" || return
	watch_end
	echo "# conga_probe_tick, the administrator's: apart: $SOONEST times their length"
}

# The module walks the devices for addresses after a change, which the new fabric is.
devices_left_alone() {
	own_seen conga_own_work || return
	echo "# looks for addresses in $COUNT rounds: $OTHERS"
	((OTHERS * 2 < COUNT)) ||
		fail "addresses were looked up $OTHERS times in $COUNT rounds"
}

tap_plan 10
require_root
require_commands ip setpriv unshare jq
require_module
declare -a USER_NS=()
setup || die "cannot set up"
tap_test "a probe interval below 10 ms is rejected in a user namespace, and changes nothing" \
	floor_refuses
tap_test "probe auto is 10 ms in a user namespace, and 200 us in the administrator's" auto_is_floor
tap_test "probes of a fabric in a user namespace take at most a hundredth of a processor" \
	probes_of_one
tap_test "setting the probe interval repeatedly causes no more probes" \
	bounded conga_probe_tick 1 probes_restarted
tap_test "ten fabrics in user namespaces together take at most a hundredth of a processor" \
	probes_of_ten
tap_test "hellos to many leaves take at most a hundredth of a processor" hellos_of_many
tap_test "setting the hello interval repeatedly causes no more hellos" \
	bounded conga_control_tick 1 hellos_restarted
tap_test "scans for changes take at most a hundredth of a processor while links flap" news
tap_test "the administrator's own probes are sent as often as requested" \
	own_fabric own_not_bounded
tap_test "rounds of probes do not walk the devices" own_fabric devices_left_alone
tap_exit
