#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost_profile.sh [POLICY] - distributes the instructions of case send-steady of cost.sh over
# steps.
#
#	make bench-profile		or POLICY=ecmp
#
# The emulator counts how often each instruction of the kernel runs (vm/run --plugin
# instructions). A case is counted with n and with 2n packets, so that what starts and ends it
# cancels out. The program prints a line for each step: its instructions per packet, less those of
# the stock kernel in the same functions.
#
#	step STEP INSTRUCTIONS

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/pktgen.sh"
. "$TESTS/lib/cost_rig.sh"

readonly MARK=$TESTS/vm/plugin/build/mark
readonly COUNTED=1500		# packets
SECTIONS=0
DIR=$(mktemp -d)
defer "rm -rf $DIR"

# These patterns assign a function to a step, whether it is inlined or not; the first match
# applies.
readonly STEPS='
	conga_(packet_(find|judge|is_plain4|plain4|linear|destination)|params_)	classify
	conga_(steer_(begin|find|opted_out|leave)|tx_(from_tunnel|packet)|tx$)	classify
	conga_leaf_(find|hash|differs|slot)|conga_find|hash_32|rht_	leaf
	conga_packet_flow_hash|conga_flowhash	hash
	conga_(choose|policy|flowlet|steer_choose)|prandom|get_random|_chacha|blake2s	flowlet, decision
	conga_(path|steer_(paths|tos|transformed)|packet_tos|port_up|port_hop|leaf_is_silent|leaf_is_v4)|ipv4_dst_check	path
	conga_(steer_(fits|route)|packet_fits)|ipv4_mtu|dst_release	route
	conga_(packet_(write|fix|csum)|feedback|tx_stamp|wire|leaf_(is_conga|mark))	stamp
	ktime_get$|read_tsc|conga_clock	clock
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

# section PACKETS: counts so many
section() {
	"$MARK" begin
	generate "$1" $FLOWS || return
	"$MARK" end
	SECTIONS=$((SECTIONS + 1))
}

# counted NAME: prints functions and their instructions per packet into a file of that name, and
# sets SPENT to their sum
counted() {
	IN=v4
	generate $COUNTED $FLOWS && section $COUNTED && section $((2 * COUNTED)) || return
	awk -v n=$COUNTED '
		FNR == 1 { files++ }
		{ count[$1] += files == 1 ? -$2 : $2 }
		END { for (at in count) if (count[at] * 50 > n) printf "%s %.3f\n", at, count[at] / n }' \
		"$PLUGIN_FILE.$((SECTIONS - 1))" "$PLUGIN_FILE.$SECTIONS" | sort >"$DIR/places"
	awk '$2 ~ /[tTwW]/ { print $1, $3 }' /proc/kallsyms | sort >"$DIR/symbols"
	# Each place belongs to the last symbol before it.
	sort -k1,1 -s "$DIR/symbols" <(awk '{ print $1, "=", $2 }' "$DIR/places") |
		awk 'function low(hex,  i, n) {	# the lower 32 bits, in which addresses differ
				hex = substr(hex, length(hex) - 7)
				for (i = 1; i <= 8; i++)
					n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
				return n
			}
			$2 != "=" { at = $1; name = $2; next }
			{ printf "%s+0x%x %s\n", name, low($1) - low(at), $3 }' >"$DIR/named"
	ours <"$DIR/named" >"$DIR/functions"
	paste -d ' ' "$DIR/functions" "$DIR/named" |
		awk '{
			split($2, at, "+")
			n[$1 == "-" || at[1] !~ /^conga_/ ? at[1] : $1] += $3
		} END { for (name in n) print name, n[name] }' >"$DIR/$1"
	SPENT=$(awk '{ sum += $2 } END { printf "%d", sum }' "$DIR/$1")
}

# steps: prints instructions per packet of both
steps() {
	awk -v steps="$STEPS" '
		BEGIN {
			n = split(steps, line, "\n")
			for (i = 2; i <= n; i++) {
				split(line[i], word, "\t")
				pattern[i] = word[2]; step[i] = word[3]
			}
		}
		FNR == NR { before[$1] = $2; next }
		{ now[$1] = $2 }
		END {
			for (name in before)
				now[name] += 0
			for (name in now) {
				for (i = 2; name !~ pattern[i]; i++)
					continue
				spent[i] += now[name] - before[name]
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

	[[ ${PLUGIN_FILE-} ]] || die "the emulator counts nothing: see selftests/vm/run --plugin"
	sysctl -qw kernel.kptr_restrict=0
	pktgen_load || die "no pktgen"
	v4_up || die "no leaf"
	counted stock || die "nothing was sent"
	stock=$SPENT
	module_load || die "no module"
	fabric v4 $UPLINKS 1 "$policy" || die "no fabric"
	counted ours || die "nothing was sent"
	echo "# per packet: stock $stock, $policy $SPENT"
	steps
}

main "$@"
