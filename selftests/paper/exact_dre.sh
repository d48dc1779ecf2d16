#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The DRE, measured by an exact clock. The X and the metric of a port, which the tool shows and
# packets carry, must equal those of a naive model of section 3.2: X += bytes for every packet,
# its own bytes included, and X *= 1 - alpha every Tdre.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/bench/bench.sh"

readonly PAPER_NS=16000		# Tdre
readonly QUESTIONS=12		# reads of a port under a load
readonly SEGMENT=1400 BURST=63000	# 45 datagrams in one GSO packet
readonly LOADS="1 30 100"	# percent of the port's rate

# ---- the naive model ----

# The model reads "from to kind value..." lines: the bytes that were sent by the port (on the
# wire, so with headers, and for every segment), and the values that the port showed.
record() {
	jq -r --argjson headers "$BENCH_HEADERS" --argjson segment "$SEGMENT" '
		def wire: if .sent == "load0" then .bytes
			elif .bytes > 9000 then .bytes + (.bytes / $segment | ceil) * $headers
			else .bytes + $headers end;
		if .sent then [.from, .to, "sent", wire]
		elif .got then [.from, .to, "ce", .ce]
		else .answer[0] as $port | [.from, .to, "shown", $port.dre_bytes, $port.metric]
		end | join(" ")' "$EVENTS"
}

# model RATE TDRE ALPHA Q: compares the port with the model. The module rounds X down by 2^-8 byte
# at each decay (a tenth of this error is left 22 periods later), and by about 10^-7 of X. It
# shows X rounded to one byte.
model() {
	record | awk -v rate="$1" -v tdre="$2" -v alpha="$3" -v q="$4" '
		function metric(v,  m) {
			m = int(2 ^ q * v / (rate * tdre / alpha / 8e9))
			return m < 0 ? 0 : m < 2 ^ q ? m : 2 ^ q - 1
		}
		function wrong(what) { printf "%s: %s, X is %.3f; ", what, $0, x; bad = 1 }
		function right(m) { return m <= metric(x) && m >= metric(x - room) }
		int($1 / tdre) != int($2 / tdre) { wrong("between two periods") }
		{
			x *= (1 - alpha) ^ (int($1 / tdre) - period)
			period = int($1 / tdre)
			room = 2 + x * 1e-6
		}
		$3 == "sent" { x += $4; if (x > most) most = x; sent++ }
		$3 == "ce" { if (!right($4 * 2 ^ q / 64)) wrong("CE"); seen[metric(x)]++; ces++ }
		$3 == "shown" {
			if ($4 > x || $4 < x - room) wrong("X")
			if (x - $4 > off) off = x - $4
			if (!right($5)) wrong("metric")
			seen[$5]++; shown++
		}
		END {
			for (m in seen) metrics++
			if (!bad) printf "%d packets, X up to %d, at most %.2f less shown, \
%d CEs, %d metrics", sent, most, off, ces, metrics
			exit bad || sent < 2 || ces < 2 || shown < 2
		}'
}

# ---- loads ----

# A load is a list of the bytes that each period gets, sent back to back from the start of the
# period. After every third such period one datagram is sent, whose CE is read, and X is queried.
# In short periods at high rates all frames are long, because sending short frames would take
# longer than the period.
schedule() {
	bench_ends 1
	echo "zero $2"
	awk -v rate="$1" -v tdre="$2" -v load="$3" -v questions="$QUESTIONS" '
		function size() {
			return rate * tdre > 1e15 ? 9000 : sizes[sent % 10 + 1]
		}
		function ask() {
			printf "at %.0f\nsend flow0.0 %d\nask leaf port show dev up0\n",
				p * tdre + 2000, 40 + 60 * asked
			busy = 0; asked++
		}
		function fill(  some) {
			printf "at %.0f\n", p * tdre + 1000
			for (some = 0; some < 20 && credit >= size(); some++) {
				print "send load0", size()
				credit -= size(); sent++
			}
			busy++
		}
		BEGIN {
			split("64 1500 9000 590 128 4000 64 64 300 1500", sizes, " ")
			for (p = 100; asked < questions; p++) {
				credit += rate * tdre / 8e9 * load / 100
				if (busy == 3) ask()
				else if (credit >= size()) fill()
			}
		}'
}

# in_force RATE TDRE: configures the port, and sets TDRE to the period in force, in ns
in_force() {
	printf 'fabric set tdre %s\nport set dev up0 rate %sbit\n' "$2" "$1" |
		conga_batch "${LEAF[0]}" || fail "rate $1 with tdre $2 was rejected" || return
	TDRE=$(conga 0 -j port show dev up0 | jq '.[0].tdre_ns')
}

# compare RATE ALPHA Q NAME: compares the port with the model
compare() {
	local said

	bench_run || return
	said=$(model "$1" "$TDRE" "$2" "$3") ||
		fail "$4: the DRE differs from the model: $said" || return
	echo "# $4: $said"
}

# loads RATE TDRE: sends every load, each of which begins with an idle DRE
loads() {
	local load

	for load in $LOADS; do
		in_force "$1" "$2" || return
		compare "$1" 0.1 3 "$load %" < <(schedule "$1" "$TDRE" "$load") || return
	done
}

# auto RATE: the period is the paper's, or longer if four of the port's largest bursts take longer
auto() {
	local wanted burst

	burst=$(ip -n "${LEAF[0]}" -d -j link show up0 | jq '.[0].gso_max_size')
	wanted=$((4 * burst * 8 * 1000000000 / $1 / 10))
	((wanted > PAPER_NS)) || wanted=$PAPER_NS
	loads "$1" auto || return
	((TDRE == wanted)) || fail "Tdre is $TDRE, expected $wanted"
}

# ---- bursts, other parameters, an hour ----

bursts_schedule() {
	local i

	bench_ends 1
	echo "zero $PAPER_NS"
	for ((i = 0; i < QUESTIONS; i++)); do
		echo "at $((PAPER_NS * (100 + i * i) + 1000))"
		echo "send flow0.0 $BURST $SEGMENT"
		echo "ask leaf port show dev up0"
	done
}

bursts() {
	in_force 10000000000 16us && compare 10000000000 0.1 3 bursts < <(bursts_schedule)
}

# Only GSO bursts can fill a link this fast. Each of ten periods gets the same number of bursts,
# at most four fifths of the link's rate, since sending more takes longer than a period.
readonly FAST_RATE=800000000000 FAST_BURSTS="0 2 5 10 15 20"

fast_schedule() {
	local bursts p=100 i j

	bench_ends 1
	echo "zero $PAPER_NS"
	for bursts in $FAST_BURSTS; do
		for ((i = 0; i < 10; i++)); do
			echo "at $((PAPER_NS * ++p + 1000))"
			for ((j = 0; j < bursts; j++)); do echo "send flow0.0 $BURST $SEGMENT"; done
		done
		echo "at $((PAPER_NS * ++p + 2000))"
		echo "send flow0.0 $SEGMENT"
		echo "ask leaf port show dev up0"
	done
}

fast_link() {
	in_force "$FAST_RATE" auto && compare "$FAST_RATE" 0.1 3 "800 Gbit/s" < <(fast_schedule) || return
	((TDRE == PAPER_NS)) || fail "Tdre is $TDRE, expected $PAPER_NS"
}

other_parameters() {
	conga 0 fabric set alpha 0.25 q 6 || return
	in_force 1000000000 50us || return
	compare 1000000000 0.25 6 "alpha 0.25, Q 6, Tdre 50 us" \
		< <(schedule 1000000000 "$TDRE" 100) || return
	conga 0 fabric set alpha 0.1 q 3
}

# The link is idle between the packets: no byte of one packet is left when the next is sent. At
# 100 Mbit/s a step of the metric is 250 bytes.
readonly OWN_RATE=100000000 OWN_STEP=250

own_schedule() {
	local m at=0

	bench_ends 1
	echo "zero $PAPER_NS"
	for m in {1..7}; do
		echo "at $((at += PAPER_NS * 1000))"
		echo "send flow0.0 $((m * OWN_STEP - 1 - BENCH_HEADERS))"
		echo "at $((at += PAPER_NS * 1000))"
		echo "send flow0.0 $((m * OWN_STEP - BENCH_HEADERS))"
	done
}

own_packet() {
	local heard

	in_force "$OWN_RATE" 16us && bench_run < <(own_schedule) || return
	heard=$(events .got '.ce / 8' | paste -sd' ')
	[[ $heard == "0 1 1 2 2 3 3 4 4 5 5 6 6 7" ]] || fail "the received CEs are $heard"
}

# The DRE must be right at once, after an idle hour, and afterwards.
hour_schedule() {
	local after

	bench_ends 1
	echo "zero $TDRE"
	for after in 0 $((3600 * 1000000000)); do
		echo "at $((TDRE * 10 + after))"
		echo "ask leaf port show dev up0"
		echo "send load0 9000"
		echo "ask leaf port show dev up0"
	done
}

idle_hour() {
	local said

	in_force "$1" "$2" && bench_run < <(hour_schedule) || return
	said=$(events .asked '.answer[0] | [.dre_bytes, .metric > 0]' | paste -sd' ')
	[[ $said == "[0,false] [9000,$3] [0,false] [9000,$3]" ]] ||
		fail "rate $1, Tdre $2: the values of X, and whether there is a metric, are $said"
}

idle_hours() {
	idle_hour 1000000000 16us true && idle_hour 10000000 auto false &&
		idle_hour 1000000000000 16us false
}

bench_require
tap_plan 10
bench_up 1 || die "the bench cannot be set up"
bench_fabric 1 1gbit || die "the fabric cannot be set up"
tap_test "10 Mbit/s, Tdre 16 us: X, metric and CE equal the model's" loads 10000000 16us
tap_test "10 Mbit/s, Tdre auto: X, metric and CE equal the model's" auto 10000000
tap_test "1 Gbit/s, Tdre 16 us: X, metric and CE equal the model's" loads 1000000000 16us
tap_test "10 Gbit/s, Tdre auto: X, metric and CE equal the model's" auto 10000000000
tap_test "100 Gbit/s, Tdre auto: X, metric and CE equal the model's" auto 100000000000
tap_test "GSO bursts of 64 KB: X, metric and CE equal the model's, with headers of all segments" \
	bursts
tap_test "800 Gbit/s, Tdre auto, GSO bursts: X, metric and CE equal the model's" fast_link
tap_test "alpha 0.25, Q 6: X, metric and CE equal the model's" other_parameters
tap_test "a packet's CE includes the packet's own bytes, to the byte" own_packet
tap_test "X is 0 after an idle hour, and then rises as on a new link" idle_hours
tap_exit
