#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/user/tracing.md is correct: the tracepoints and their fields are those of the
# kernel, verdicts and reasons are those of the manual, and each of its bpftrace programs runs and
# prints events. The other commands of tracing.md and hula.md run, too.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/documents.sh"

TOPO_LINKS=1
readonly EVENTS=/sys/kernel/tracing/events/conga
readonly PAGE=$TESTS/../Documentation/user/tracing.md
readonly TRACE=$TESTS/../kmod/trace.h
readonly HEADER=$TESTS/../include/uapi/linux/conga.h
readonly PROBE=20ms
readonly ATTACH_MS=180000	# LLVM is slow in an emulator
readonly FLAP_MS=30000 MOST_FLAPS=20
readonly SLOW=1mbit		# at this rate a ping is a load
readonly PING_S=0.02

TRAFFIC=""			# process id
TRACER=""			# process id

setup() {
	topo_up && fabric_up hula conga && fabric_hula || return
	DIR=$TOPO_DIR
	conga 0 fabric set probe "$PROBE" && conga 1 fabric set probe "$PROBE" || return
	conga 0 port set up0 rate "$SLOW" && conga 0 port set up1 rate "$SLOW"
}

# Flowlets have one packet each and load the uplinks; answers bring feedback.
traffic_start() {
	nsenter --net="/run/netns/${HOST[0.0]}" ping -q -s 1000 -i "$PING_S" "${HOST_IP[1.0]}" >/dev/null &
	TRAFFIC=$!
	defer "kill $TRAFFIC 2>/dev/null"
}

# Prints "EVENT FIELD TYPE" lines of the page.
fields_of_the_page() {
	awk -F' *[|] *' '$2 ~ /^conga_/ && NF == 6 { print $2, $3, $4 }' "$PAGE" | sort
}

# Prints the same lines of the kernel, without the fields that every event has.
fields_of_the_kernel() {
	local event

	for event in "$EVENTS"/*/format; do
		sed -n '/common_/d; s/^\tfield:\([^;]*\);.*/\1/p' "$event" |
			sed -E 's/^(.*) ([a-z_]+)(\[[0-9]+\])?$/\2 \1\3/' |
			sed "s/^/$(basename "${event%/format}") /"
	done | sort
}

fields_are_the_kernels() {
	[[ $(fields_of_the_page) == "$(fields_of_the_kernel)" ]] ||
		fail "$(diff <(fields_of_the_page) <(fields_of_the_kernel))"
}

# Prints "NUMBER NAME" lines of the page's table of enumerators.
table_of_the_page() {
	awk -F' *[|] *' -v what="$1" '$2 !~ /^[0-9-]+$/ { inside = $2 == what }
		inside && $2 ~ /^[0-9]+$/ { print $2, $3 }' "$PAGE"
}

# numbers_are_the_headers TABLE PREFIX: the enumerators count from the first, which is 1
numbers_are_the_headers() {
	local number name

	(($(table_of_the_page "$1" | wc -l) == $(grep -c "{ $2" "$TRACE"))) ||
		fail "the page does not have every $1: $(table_of_the_page "$1")" || return
	while read -r number name; do
		[[ $(sed -nE "s/^\t$2([A-Z_]*)( = 1)?,\$/\L\1/p" "$HEADER" |
			sed -n "${number}p") == "$name" ]] ||
				fail "value $number in $HEADER is not $name" || return
		grep -qE "\{ $2${name^^},[[:space:]]*\"${name#probe_}\" \}" "$TRACE" ||
			fail "$name is not in $TRACE" || return
	done < <(table_of_the_page "$1")
}

verdicts_are_the_headers() {
	numbers_are_the_headers verdict CONGA_A_STATS_
}

reasons_are_the_headers() {
	numbers_are_the_headers reason CONGA_PATH_
}

# Writes all programs of the page to $DIR/all.bt, and prints their number.
extract_programs() {
	awk -v into="$DIR/all.bt" '
		/^    bpftrace -e \x27/ { n++; inside = 1; sub(/^    bpftrace -e \x27/, "") }
		inside {
			ends = /\x27$/
			sub(/\x27$/, "")
			print >into
			if (ends)
				inside = 0
		}
		END { print n + 0 }' "$PAGE"
}

attaching() {
	grep -q '^Attaching' "$DIR/seen"
}

# The program prints its first line when it is ready.
attached() {
	grep -q ' by up[01]: reason 1$' "$DIR/seen" && grep -q ' to up[01], utilisation' "$DIR/seen"
}

path_usable() {
	conga 0 -j path show leaf "${VTEP[1]}" |
		json_is "any(.[]; .dev == \"$1\" and .state == \"usable\")"
}

path_down() {
	! path_usable "$1"
}

# flap UPLINK: if the uplink was the best hop, another becomes it
flap() {
	ip -n "${LEAF[0]}" link set "$1" down && busywait "$FLAP_MS" path_down "$1" ||
		fail "no event came when $1 went down: $(conga 0 path show)" || return
	ip -n "${LEAF[0]}" link set "$1" up && busywait "$FLAP_MS" path_usable "$1" ||
		fail "no event came when $1 went up: $(conga 0 path show)" || return
}

# Pings raised CE, began flowlets and brought feedback while the programs ran: the counters say
# so.
traffic_was_seen() {
	local counter

	for counter in ce_raised flowlets_started feedback_received probe_taken; do
		stats_grown "${LEAF[0]}" "$counter" && ((GROWTH > 0)) || return
	done
}

# All programs run at once, since compiling them takes most of the time. Each prints its own
# lines.
programs_see() {
	local expected seen i

	[[ $(extract_programs) == 8 ]] ||
		fail "the page does not have eight programs: $(<"$DIR/all.bt")" || return
	: >"$DIR/seen"
	bpftrace "$DIR/all.bt" >"$DIR/seen" 2>"$DIR/said" &
	TRACER=$!
	busywait "$ATTACH_MS" attaching || fail "$(<"$DIR/said")" || return
	traffic_start || return
	for ((i = 0; i < MOST_FLAPS; i++)); do
		flap up0 && flap up1 || return
		! attached || break
	done
	flap up0 || return
	stats_mark "${LEAF[0]}"
	busywait "$FLAP_MS" traffic_was_seen || fail "no traffic: $(stats_growth "${LEAF[0]}")" || return
	kill -INT "$TRACER" && wait "$TRACER"
	seen=$(<"$DIR/seen")
	for expected in '^@moved\[[01], [01]\]: [1-9]' '^@saw\[[0-7], [0-7], [0-7], [0-7]\]: [1-9]' \
		'^@ce\[up[01]\]:' \
		"^@metric\[(::ffff:)?${VTEP[1]}, [01]\]:" \
		"^[0-9:]{8} (::ffff:)?${VTEP[1]} by up[01]: reason [25]\$" \
		"^[0-9:]{8} (::ffff:)?${VTEP[1]} by up[01]: reason 1\$" \
		'^@probes\[up[01], (65|75)\]: [1-9]' \
		"^@utilisation\[(::ffff:)?${VTEP[1]}\]:" \
		"^[0-9:]{8} (::ffff:)?${VTEP[1]}: [-a-z0-9]+ to up[01], utilisation [0-9]+\$" \
		'^@gap\[up[01]\]:'; do
		grep -qE -- "$expected" <<<"$seen" ||
			fail "the trace does not have $expected: $seen $(<"$DIR/said")" || return
	done
}

# The pipe of the trace has no end.
trace_shell() {
	cat() { until_ended cat "$@"; }
}

trace_is_read() {
	local section

	traffic_start || return
	for section in "tracing.md|Without any tool" "hula.md|What can be seen"; do
		document_runs "Documentation/user/${section%|*}" "${section#*|}" trace_shell ||
			fail "$DOCUMENT_SAID" || return
		[[ $DOCUMENT_SAID == *" conga_"*": "* ]] || fail "no event: $DOCUMENT_SAID" || return
	done
	kill "$TRAFFIC"
	echo 0 >"$EVENTS/enable"
}

require_root
require_commands ip jq bpftrace ping
require_module
[[ -d $EVENTS ]] || tap_skip_all "this kernel has no tracepoints"
tap_plan 5
setup || die "the fabric cannot be set up"
tap_test "events and fields are those of the kernel" fields_are_the_kernels
tap_test "verdicts are those of the manual" verdicts_are_the_headers
tap_test "reasons are those of the manual" reasons_are_the_headers
tap_test "the trace can be read without any tool, as the manuals say" trace_is_read
tap_test "the programs for bpftrace run, and report packets" programs_see
tap_exit
