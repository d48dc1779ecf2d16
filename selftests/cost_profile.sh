#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost_profile.sh [POLICY] - where the instructions of case send-steady of cost.sh go.
#
#	make bench-profile		or POLICY=ecmp
#
# The guest's perf takes a sample every 11 us, i.e. every 11,111 instructions, which is
# a little more than a packet takes. Prints a line a step: what it takes for a packet,
# less what the stock kernel takes in the same functions.
#
#	step STEP INSTRUCTIONS

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"
# shellcheck source=selftests/pktgen.sh
. "$HERE/pktgen.sh"
# shellcheck source=selftests/cost_rig.sh
. "$HERE/cost_rig.sh"

readonly SAMPLES_HZ=90000 SAMPLED_PACKETS=12000
DIR=$(mktemp -d)
defer "rm -rf $DIR"

# What a function belongs to; the first pattern that fits
readonly STEPS='
	conga_packet_(find|destination|address)	classify
	conga_tx	classify
	conga_(leaf_find|path_by_key)|rht_	leaf
	conga_packet_flow_hash|conga_flowhash	hash
	conga_choose|conga_policy|get_random	flowlet, decision
	conga_path|ipv4_dst_check	path
	conga_packet_fits|ipv4_mtu|dst_release	route
	conga_(packet_write|feedback)	stamp
	ktime_get$	clock
	conga_(link|port|dre|packet_segments)	DRE, mark
	nf_hook|__rcu_read	hooks
	.	elsewhere'

# sampled NAME: functions and their samples
sampled() {
	export -f generate pktgen_send pktgen_say pktgen_us in_ns
	export BYTES FAR_MAC
	perf record -q -o "$DIR/data" -e cpu-clock:k -F $SAMPLES_HZ -a -- \
		bash -c "IN=v4; generate $SAMPLED_PACKETS $FLOWS" >&2 &&
		perf script -i "$DIR/data" --comm kpktgend_0 -F ip,sym 2>/dev/null |
		awk 'NF > 1 { n[$2]++ } END { for (name in n) print name, n[name] }' >"$DIR/$1"
}

# steps STOCK OURS: instructions per packet of both
steps() {
	awk -v steps="$STEPS" -v stock="$1" -v ours="$2" '
		BEGIN {
			n = split(steps, line, "\n")
			for (i = 2; i <= n; i++) {
				split(line[i], word, "\t")
				pattern[i] = word[2]; step[i] = word[3]
			}
		}
		FNR == NR { before[$1] = $2; stock_samples += $2; next }
		{ now[$1] = $2; samples += $2 }
		END {
			for (name in before)
				now[name] += 0
			for (name in now) {
				for (i = 2; name !~ pattern[i]; i++)
					continue
				spent[i] += now[name] * ours / samples - before[name] * stock / stock_samples
			}
			for (i = 2; i <= n; i++)
				sum[step[i]] += spent[i]
			for (i = 2; i <= n; i++)
				if (step[i] in sum) {
					printf "step %s %.0f\n", step[i], sum[step[i]]
					delete sum[step[i]]
				}
		}' "$DIR/stock" "$DIR/ours"
}

main() {
	local policy=${1:-conga} stock

	require_commands perf
	sysctl -qw kernel.perf_event_max_sample_rate=200000 kernel.perf_cpu_time_max_percent=0 \
		kernel.kptr_restrict=0
	pktgen_load || die "no pktgen"
	v4_up || die "no leaf"
	send v4 $FLOWS || die "nothing was sent"
	stock=$SPENT
	sampled stock || die "nothing was sampled"
	module_load || die "no module"
	fabric v4 $UPLINKS 1 "$policy" || die "no fabric"
	send v4 $FLOWS || die "nothing was sent"
	echo "# per packet: stock $stock, $policy $SPENT"
	sampled ours || die "nothing was sampled"
	steps "$stock" "$SPENT"
}

main "$@"
