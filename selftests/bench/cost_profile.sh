#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost_profile.sh [POLICY] - distributes the instructions of case send-steady of cost.sh over
# steps.
#
#	make bench-profile		or POLICY=ecmp
#
# The guest's perf takes a sample every 11 us, i.e. every 11,111 instructions, which is a little
# more than a packet takes. The program prints a line for each step: its instructions per packet,
# less those of the stock kernel in the same functions.
#
#	step STEP INSTRUCTIONS

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly SAMPLES_HZ=90000 SAMPLED_PACKETS=24000
DIR=$(mktemp -d)
defer "rm -rf $DIR"

# These patterns assign a function to a step, whether it is inlined or not; the first match
# applies.
readonly STEPS='
	conga_(packet_(find|judge|is_plain4|plain4|linear|destination)|params_)	classify
	conga_(steer_(begin|find|opted_out|leave)|tx_(from_tunnel|packet)|tx$)	classify
	conga_leaf_(find|hash|differs)|rht_	leaf
	conga_packet_flow_hash|conga_flowhash	hash
	conga_(choose|policy|flowlet|steer_choose)|prandom|get_random	flowlet, decision
	conga_(path|steer_(paths|tos|transformed)|packet_tos|port_up|port_hop|leaf_is_silent|leaf_is_v4)|ipv4_dst_check	path
	conga_(steer_(fits|route)|packet_fits)|ipv4_mtu|dst_release	route
	conga_(packet_(write|fix|csum)|feedback|tx_stamp|wire|leaf_(is_conga|mark))	stamp
	ktime_get$|read_tsc	clock
	conga_(link|port|dre|packet_(on_wire|segments))	DRE, mark
	nf_hook|__rcu_read	hooks
	.	elsewhere'

# ours: for lines that begin with SYMBOL+OFFSET, prints the innermost function of the module that
# the compiler inlined there, or "-"; counters belong to the function that counts
ours() {
	local module value name at
	local -A base=()

	module=$(module_file conga)
	while read -r value _ name; do base[$name]=$value; done < <(nm --defined-only "$module")
	while read -r at _; do
		printf '%x\n' $((0x${base[${at%+*}]-0} + ${at#*+}))
	done |
		addr2line -e "$module" -a -f -i |
		awk '/^0x/ { if (n++) print name; name = "-"; next }
			/^conga_/ && !/stats|count$/ && name == "-" { name = $1 }
			END { print name }'
}

# sampled NAME: prints functions and their samples
sampled() {
	export -f generate pktgen_send pktgen_say pktgen_us in_ns
	export BYTES FAR_MAC
	perf record -q -o "$DIR/data" -e cpu-clock:k -F $SAMPLES_HZ -a -- \
		bash -c "IN=v4; generate $SAMPLED_PACKETS $FLOWS" >&2 &&
		perf script -i "$DIR/data" --comm kpktgend_0 -F ip,sym,symoff 2>/dev/null |
		awk 'NF > 1 { n[$2]++ } END { for (at in n) print at, n[at] }' >"$DIR/places" &&
		ours <"$DIR/places" >"$DIR/functions" &&
		paste -d ' ' "$DIR/functions" "$DIR/places" |
		awk '{
			split($2, at, "+")
			n[$1 == "-" || at[1] !~ /^conga_/ ? at[1] : $1] += $3
		} END { for (name in n) print name, n[name] }' >"$DIR/$1"
}

# steps STOCK OURS: prints instructions per packet of both
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
