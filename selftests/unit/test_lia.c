// SPDX-License-Identifier: GPL-2.0
/* The lab's coupled congestion control, lab/lia_window.c, against the formula of
 * RFC 6356 in floating point (naive_lia.h).
 *
 * Tolerance. The number of packets after which a window grows by one is rounded
 * down, which is less than 1. Each term of the sum that is squared lacks less than
 * 2^-16 packets, and the sum is at least one packet: n flows make the square
 * n * 2^-15 of itself too small. It is never too large.
 */
#include "unit.h"
#include "naive_lia.h"

#define CWND_MOST	1048576U		/* packets, 2^20 */
#define RTT_UNIT	8U			/* per us, as the kernel's srtt_us */
#define RTT_MOST	(10000000U * RTT_UNIT)	/* 10 s */
#define TERM_LACKS	(1 / 65536.0L)		/* packets */
#define FLOATING	(1.0L / (1ULL << 50))	/* of the model itself */

static void lia_check(const struct lia_flow *flows, unsigned int count,
		      const struct unit_random *random)
{
	long double model = 1 / naive_lia_increase(flows, count);
	u32 window = lia_window(flows, count);

	unit_check_step(random, window <= model * (1 + FLOATING) &&
			window > model * (1 - 2 * count * TERM_LACKS - FLOATING) - 1,
			"%u flows, the first has %u packets and %u: %u, expected %Lf",
			count, flows[0].cwnd, flows[0].rtt, window, model);
	unit_check_step(random, window >= flows[0].cwnd,
			"the window %u grows after %u packets, sooner than Reno's",
			flows[0].cwnd, window);
}

static void flows_draw(struct lia_flow *flows, unsigned int count, u32 cwnd, u32 rtt,
		       struct unit_random *random)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		flows[i].cwnd = unit_random_wide(random, 1, cwnd);
		flows[i].rtt = unit_random_wide(random, RTT_UNIT, rtt);
	}
}

/* Windows of 1 to 2^20 packets, round trips of 1 us to 10 s, 1 to 16 flows. */
static void random_connections(void **state)
{
	struct lia_flow flows[LIA_FLOWS_MAX];
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 1);
	while (random.step++ < UNIT_STEPS) {
		unsigned int count = unit_random_between(&random, 1, LIA_FLOWS_MAX);

		flows_draw(flows, count, CWND_MOST, RTT_MOST, &random);
		lia_check(flows, count, &random);
	}
}

/* All that 32 bits can hold: nothing overflows, up to the result's own limit. */
static void widest_connections(void **state)
{
	struct lia_flow flows[LIA_FLOWS_MAX];
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 2);
	while (random.step++ < UNIT_STEPS) {
		long double model;
		unsigned int count;

		count = unit_random_between(&random, 1, LIA_FLOWS_MAX);
		flows_draw(flows, count, U32_MAX, U32_MAX, &random);
		model = 1 / naive_lia_increase(flows, count);
		if (model < U32_MAX)
			lia_check(flows, count, &random);
		else
			unit_check_step(&random, lia_window(flows, count) >=
					U32_MAX * (1 - 2 * count * TERM_LACKS),
					"%Lf became %u", model, lia_window(flows, count));
	}
}

/* Each flow at one end of both ranges, in all combinations of four flows, and alike ones. */
static void extremes(void **state)
{
	static const struct lia_flow corners[] = {
		{ 1, RTT_UNIT }, { 1, RTT_MOST },
		{ CWND_MOST, RTT_UNIT }, { CWND_MOST, RTT_MOST },
	};
	struct unit_random random = { 0 };
	struct lia_flow flows[LIA_FLOWS_MAX];
	unsigned int i;

	(void)state;
	for (; random.step < 256; random.step++) {
		for (i = 0; i < LIA_FLOWS_MAX; i++)
			flows[i] = corners[random.step >> i % 4 * 2 & 3];
		for (i = 1; i <= LIA_FLOWS_MAX; i++)
			lia_check(flows, i, &random);
	}
}

/* To the packet, not nearly. */
static void single_flow_is_reno(void **state)
{
	struct unit_random random;
	struct lia_flow flow;

	(void)state;
	unit_random_setup(&random, 3);
	while (random.step++ < UNIT_STEPS) {
		flows_draw(&flow, 1, U32_MAX, U32_MAX, &random);
		unit_check_step(&random, lia_window(&flow, 1) == flow.cwnd,
				"a window of %u packets grows after %u", flow.cwnd,
				lia_window(&flow, 1));
	}
}

/* Alpha is 1 / n then: all windows together grow by 1 / n packets in a round trip, and a
 * loss takes back half of one of them, an nth part of what a single TCP would lose, too.
 */
static void alike_flows_share_one_increase(void **state)
{
	struct lia_flow flows[LIA_FLOWS_MAX];
	unsigned int n, i;
	u32 cwnd;

	(void)state;
	for (n = 1; n <= LIA_FLOWS_MAX; n++) {
		for (cwnd = 1; cwnd <= CWND_MOST; cwnd *= 2) {
			for (i = 0; i < n; i++)
				flows[i] = (struct lia_flow) { cwnd, RTT_MOST };
			unit_check(lia_window(flows, n) == n * n * cwnd,
				   "%u flows of %u packets: %u", n, cwnd, lia_window(flows, n));
		}
	}
}

/* By hand, for a path of 10 ms and one of 100 ms: windows of 10 and 20 packets have alpha
 * 30 * (10 / 10^2) / (10 / 10 + 20 / 100)^2 = 25 / 12, and 30 / alpha is 14.4. The window
 * of 20 grows no faster than Reno's.
 */
static void different_round_trips(void **state)
{
	const struct lia_flow fast = { 10, 10 }, slow = { 20, 100 };
	const struct lia_flow first[] = { fast, slow }, second[] = { slow, fast };

	(void)state;
	unit_check(lia_window(first, 2) == 14, "the fast path: %u", lia_window(first, 2));
	unit_check(lia_window(second, 2) == 20, "the slow path: %u", lia_window(second, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_connections),
		cmocka_unit_test(widest_connections),
		cmocka_unit_test(extremes),
		cmocka_unit_test(single_flow_is_reno),
		cmocka_unit_test(alike_flows_share_one_increase),
		cmocka_unit_test(different_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
