#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The reset of counters. "stats show" begins at zero, and says since when, while the kernel's
# counters and all that is computed from them go on. A reset ends with its fabric, and with the
# boot of the node.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly PINGS=20 RUN=/run/conga
readonly SINCE='^since the reset at [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}:$'
readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)

unset -f jq			# the order of keys matters here

# Resets of this machine are put aside. No node sends packets by itself.
setup() {
	if [[ -e $RUN ]]; then
		mv "$RUN" "$RUN.aside" && defer "mv $RUN.aside $RUN" || return
	fi
	defer "rm -rf $RUN"
	topo_up && tunnel_says_nothing || return
	fabric_up conga conga && conga 0 fabric set hello off explicit-feedback off
}

ping_hosts() {
	local said

	said=$(in_ns "${HOST[0.0]}" ping -q -c "$PINGS" -i 0.01 -W 5 "${HOST_IP[1.0]}")
	[[ $said == *" $PINGS received"* ]] || fail "not all pings were answered: ${said##*---}"
}

# steered [WORD]: prints how many packets "stats show" counts, without or with the word
steered() {
	conga 0 -j stats show "$@" | jq '.[0].tx_steered'
}

metric() {
	conga 0 metrics | awk '$1 == "conga_tx_steered_total" { print $2 }'
}

epoch_file() {
	echo "$RUN"/stats.*
}

is_reset() {
	[[ $(conga 0 stats show | head -n 1) =~ $SINCE ]]
}

is_not_reset() {
	! is_reset || fail "the reset counts: $(conga 0 stats show)" || return
	says 0 "$(conga 0 stats show absolute)" conga 0 stats show
}

# ARP may send packets beside the pings, so that counters are compared with each other.
counts_begin_at_zero() {
	local before absolute

	ping_hosts && before=$(steered) || return
	((before >= PINGS)) || fail "only $before packets were counted" || return
	says 0 "" conga 0 stats reset && is_reset || fail "it prints: $(conga 0 stats show)" || return
	before=$(($(steered absolute) - $(steered))) && ping_hosts || return
	absolute=$(steered absolute)
	(($(steered) == absolute - before && absolute - before >= PINGS && before >= PINGS)) ||
		fail "$(steered) packets since the reset, $absolute in all, $before before" || return
	[[ $(conga 0 stats show absolute) != *since* && $(conga 0 stats show) == *tx_steered* ]] ||
		fail "it prints: $(conga 0 stats show)" || return
	# Another reset begins at zero again.
	conga 0 stats reset || return
	(($(steered) < absolute - before)) || fail "it counts $(steered)"
}

programs_see_all() {
	conga 0 stats reset || return
	[[ $(metric) == $(steered absolute) && $(metric) -ge $PINGS ]] ||
		fail "metrics count $(metric), and $(steered absolute)" || return
	conga 0 -j stats show | json_is '.[0] | .reset_time_ns > 1e18 and keys_unsorted[0] == "reset_time_ns"' ||
		fail "JSON has: $(conga 0 -j stats show)" || return
	conga 0 -j stats show absolute | json_is '.[0] | has("reset_time_ns") | not' ||
		fail "JSON has: $(conga 0 -j stats show absolute)"
}

# Two fabrics of the same leaf-id, whose counters are zero, differ in their namespaces only.
others_are_not_reset() {
	local ns

	for ns in reset-a-$$ reset-b-$$; do
		ip netns add "$ns" && defer "ip netns del $ns" &&
			"$CONGA" -n "$ns" fabric add leaf-id 77 hello off || return
	done
	"$CONGA" -n reset-a-$$ stats reset || return
	[[ $("$CONGA" -n reset-a-$$ stats show) =~ $SINCE ]] ||
		fail "there is no reset: $("$CONGA" -n reset-a-$$ stats show)" || return
	[[ $("$CONGA" -n reset-b-$$ stats show) != *since* ]] ||
		fail "the other namespace shows: $("$CONGA" -n reset-b-$$ stats show)" || return
	rm -f "$RUN"/stats.*
}

# A value that the operator chose may be that of the next fabric, too.
new_fabric_counts_all() {
	local way

	for way in add restore; do
		conga 0 fabric set leaf-id 77 && conga 0 stats reset && is_reset || return
		conga 0 save >"$TOPO_DIR/saved" && conga 0 fabric del || return
		if [[ $way == add ]]; then
			conga_batch "${LEAF[0]}" <"$TOPO_DIR/saved"
		else
			conga 0 restore "$TOPO_DIR/saved"
		fi || return
		[[ $(epoch_file) == "$RUN/stats.*" ]] || fail "the file stayed: $(epoch_file)" || return
		is_not_reset || return
	done
}

# ignored EXPRESSION: the file, changed so, counts for nothing, and causes no error
ignored() {
	conga 0 stats reset && is_reset && sed -i "$1" "$(epoch_file)" || return
	is_not_reset || fail "after $1 the file has: $(<"$(epoch_file)")"
}

stale_files_are_ignored() {
	ping_hosts && ignored 's/^boot .*/boot 7b9e1c1a-0000-4000-8000-000000000000/' &&
		ignored 's/^leaf-id .*/leaf-id 78/' && ignored 's/^tx_steered .*/tx_steered 999999/' &&
		ignored '2,99d' && ignored 's/.*/nonsense/' && ignored d || return
	conga 0 stats reset && is_reset && conga 0 fabric set leaf-id 79 && is_not_reset
}

unwritable_is_told() {
	rm -rf "$RUN" && says 1 "conga: cannot create folder \"$RUN\": Permission denied" \
		in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" stats reset && is_not_reset || return
	conga 0 stats reset && is_reset || return
	cp "$(epoch_file)" "$TOPO_DIR/epoch"
	says 1 "Cannot write file \"$(epoch_file)\": Permission denied" \
		in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" stats reset &&
		cmp "$TOPO_DIR/epoch" "$(epoch_file)" || return
	[[ $(echo "$RUN"/*) == "$(epoch_file)" ]] || fail "the folder has: $(echo "$RUN"/*)" || return
	# Everybody may read it.
	[[ $(in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" stats show | head -n 1) =~ $SINCE ]] ||
		fail "another user sees no reset"
}

wrong_words_are_refused() {
	says 2 'Error: argument "now" is unknown, try "conga stats help".' conga 0 stats reset now &&
		says 2 'Error: argument "reset" is wrong: only "stats show" repeats' conga 0 -i 1 stats reset &&
		says 2 'Error: argument "absolute" is wrong: option -i shows by how much counters grew' \
			conga 0 -i 1 stats show absolute || return
	conga 0 fabric del && says 1 "$(conga 0 stats show 2>&1)" conga 0 stats reset
}

tap_plan 7
require_root
require_commands ip jq ping setpriv
require_module
setup || die "the fabric cannot be set up"
tap_test "after a reset counts begin at zero, and the time is shown" counts_begin_at_zero
tap_test "metrics, and JSON on request, go on" programs_see_all
tap_test "a reset is that of one network namespace" others_are_not_reset
tap_test "a new fabric ends the reset" new_fabric_counts_all
tap_test "a reset of another boot or fabric, and a damaged file, are ignored" stale_files_are_ignored
tap_test "a file that cannot be written is reported, and changes nothing" unwritable_is_told
tap_test "wrong words, and a node without a fabric, are refused" wrong_words_are_refused
tap_exit
