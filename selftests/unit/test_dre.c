// SPDX-License-Identifier: GPL-2.0
/* The DRE, section 3.2, against the paper's text in floating point:
 *
 *	X += bytes for every packet; X *= (1 - alpha) every Tdre
 *	metric = min(2^Q - 1, floor(2^Q * X / (C * tau))), tau = Tdre / alpha
 *
 * naive_dre.h says how far ours may be from that.
 */
#include "unit.h"
#include "paper/dre.h"
#include "dre_link.h"

static const u64 rates[] = {
	10000000ULL, 100000000ULL, 1000000000ULL, 10000000000ULL,
	40000000000ULL, 100000000000ULL, 400000000000ULL, 800000000000ULL,
};

static const int loads[] = { 1, 2, 5, 10, 20, 30, 50, 70, 90, 99, 100, 150 };

/* Bytes of a packet; 0: any. */
static const u32 sizes[] = { 64, 1500, 9000, BURST, 0 };

#define RATES	ARRAY_SIZE(rates)
#define LOADS	ARRAY_SIZE(loads)
#define SIZES	ARRAY_SIZE(sizes)

/* Of each: every burst is a step, and so is the gap after it. */
#define BURSTS	(UNIT_STEPS / 2 / (RATES * LOADS * SIZES) + 1)

static u32 random_size(struct unit_random *random, u32 size)
{
	if (size)
		return size;
	return unit_random_below(random, 2) ?
	       unit_random_between(random, 64, 1518) :
	       unit_random_between(random, 64, BURST);
}

/* As many packets as fill a good part of a period, or one that fills more. */
static void link_burst(struct link *link, struct unit_random *random, u32 size,
		       u64 now, long double *sent)
{
	long double period = link->naive.full * link->naive.alpha;
	long double most = unit_random_below(random, 1000) / 1000.0L * period;
	int packets = 0;

	*sent = 0;
	do {
		u32 bytes = random_size(random, size);

		link_add(link, unit_random_below(random, link->cells), now,
			 bytes);
		*sent += bytes;
	} while (*sent < most && ++packets < 64);
}

/* Bursts at @load percent of @rate, and now and then silence. */
static void link_run(struct link *link, struct unit_random *random, u64 rate,
		     int load, u32 size, u64 seen[64])
{
	long double now = unit_random_wide(random, 0, HOUR);
	size_t i;

	for (i = 0; i < BURSTS; i++) {
		long double sent, gap;

		random->step++;
		link_burst(link, random, size, now, &sent);
		seen[link_check(link, now, random)]++;
		gap = sent * 8 * NS / rate * 100 / load;
		now += gap * unit_random_below(random, 2001) / 1000;
		if (!unit_random_below(random, 100))
			now += unit_random_below(random, 8) *
			       (link->naive.tdre / link->naive.alpha);
		link_check(link, now, random);
	}
}

static u64 random_tdre(struct unit_random *random, u64 rate, u32 alpha)
{
	switch (unit_random_below(random, 4)) {
	case 0:
		return CONGA_TDRE_PAPER;
	case 1:
		return unit_random_wide(random, CONGA_FABRIC_TDRE_MIN, CONGA_FABRIC_TDRE_MAX);
	default:
		return conga_dre_tdre(CONGA_FABRIC_TDRE_AUTO, alpha, rate, BURST);
	}
}

/* All of rates, loads, sizes; parameters at random. @cells CPUs at most. */
static void dre_against_model(u64 seed, int cells)
{
	u64 seen[7][64] = { { 0 } }, checks = 0, edges = 0;
	struct unit_random random;
	int metric;
	size_t i;

	unit_random_setup(&random, seed);
	for (i = 0; i < RATES * LOADS * SIZES; i++) {
		u64 rate = rates[i % RATES];
		int load = loads[i / RATES % LOADS];
		u32 alpha = i % 2 ? CONGA_FABRIC_ALPHA_DEFAULT :
			    unit_random_wide(&random, CONGA_FABRIC_ALPHA_MIN,
					     CONGA_FABRIC_ALPHA_MAX);
		int q = unit_random_between(&random, CONGA_FABRIC_Q_MIN, CONGA_FABRIC_Q_MAX);
		struct link link;

		link_setup(&link, rate, random_tdre(&random, rate, alpha),
			   alpha, q);
		link.cells = unit_random_between(&random, 1, cells);
		link_run(&link, &random, rate, load,
			 sizes[i / RATES / LOADS], seen[q]);
		checks += link.checks;
		edges += link.edges;
	}
	for (i = CONGA_FABRIC_Q_MIN; i <= CONGA_FABRIC_Q_MAX; i++)
		for (metric = 0; metric < 1 << i; metric++)
			unit_check(seen[i][metric], "q %zu: never %d", i,
				   metric);
	unit_check(edges * 50 < checks, "%llu of %llu checks at an edge",
		   edges, checks);
}

static void test_dre_against_model(void **state)
{
	(void)state;
	dre_against_model(15, 1);
}

/* The exact sum of the CPUs' shares is the link's. */
static void test_dre_cells_against_model(void **state)
{
	(void)state;
	dre_against_model(16, CELLS_MAX);
}

/* At alpha = 1/2, as long as bits last, nothing is rounded: the sum of cells is
 * that of one cell to the unit, whichever CPU sent when.
 */
static void test_dre_cells_sum(void **state)
{
	struct conga_dre_cell one = { 0 }, cell[CELLS_MAX] = { { 0 } };
	struct conga_dre_params params;
	struct unit_random random;
	u64 period = 0;
	int i, j;

	(void)state;
	unit_random_setup(&random, 17);
	conga_dre_setup(&params, rates[4], CONGA_TDRE_PAPER, 500000, 6);
	for (i = 0; i < 5000; i++) {
		u32 bytes = unit_random_below(&random, 128) << 20;
		u64 sum = 0;

		/* 28 trailing zeroes: 25 periods at most, then a long idle */
		period += i % 25 ? unit_random_below(&random, 2) : 64;
		conga_dre_add(&params, &one, period, bytes);
		conga_dre_add(&params,
			      &cell[unit_random_below(&random, CELLS_MAX)],
			      period, bytes);
		for (j = 0; j < CELLS_MAX; j++)
			sum += conga_dre_at(&params, &cell[j], period) +
			       conga_dre_own(&cell[j], period);
		unit_check(sum == conga_dre_at(&params, &one, period) +
			   conga_dre_own(&one, period),
			   "seed %llu add %d: %llu", random.seed, i, sum);
	}
}

/* 40 Gbit/s by the paper's parameters: C * tau is 800,000 bytes. */
static void test_dre_quantise(void **state)
{
	static const struct {
		u64	bytes;
		int	metric;
	} rows[] = {
		{ 0, 0 }, { 99999, 0 }, { 100000, 1 }, { 199999, 1 },
		{ 200000, 2 }, { 400000, 4 }, { 699999, 6 }, { 700000, 7 },
		{ 799999, 7 }, { 800000, 7 }, { 800001, 7 }, { 8000000, 7 },
		{ 1ULL << 50, 7 },
	};
	struct conga_dre_params params;
	size_t i;

	(void)state;
	conga_dre_setup(&params, 40 * NS, CONGA_TDRE_PAPER,
			CONGA_FABRIC_ALPHA_DEFAULT, CONGA_FABRIC_Q_DEFAULT);
	assert_int_equal(conga_dre_bytes(params.full), 800000);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		unit_check(conga_dre_metric(&params, rows[i].bytes << 8) ==
			   rows[i].metric, "%llu bytes", rows[i].bytes);
}

/* In 8 bits whatever Q is; full and more are 255, also where X is largest. */
static void test_dre_utilisation(void **state)
{
	struct conga_dre_params params;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		conga_dre_setup(&params, rates[i], CONGA_FABRIC_TDRE_MAX, CONGA_FABRIC_ALPHA_MIN,
				CONGA_FABRIC_Q_DEFAULT);
		assert_int_equal(conga_dre_utilisation(&params, 0), 0);
		assert_int_equal(conga_dre_utilisation(&params, params.full / 256 - 1), 0);
		assert_int_equal(conga_dre_utilisation(&params, params.full / 256), 1);
		assert_int_equal(conga_dre_utilisation(&params, params.full / 2), 128);
		assert_int_equal(conga_dre_utilisation(&params, params.full - 1), 255);
		assert_int_equal(conga_dre_utilisation(&params, params.full), 255);
		assert_int_equal(conga_dre_utilisation(&params, ~0ULL), 255);
	}
}

/* 2^Q - 1 is the most, for every Q, however large X is. */
static void test_dre_clamp(void **state)
{
	struct conga_dre_params params;
	unsigned int q;

	(void)state;
	for (q = CONGA_FABRIC_Q_MIN; q <= CONGA_FABRIC_Q_MAX; q++) {
		int top = (1 << q) - 1;

		conga_dre_setup(&params, NS, CONGA_TDRE_PAPER,
				CONGA_FABRIC_ALPHA_DEFAULT, q);
		assert_int_equal(conga_dre_metric(&params, params.full - 1),
				 top);
		assert_int_equal(conga_dre_metric(&params, params.full), top);
		assert_int_equal(conga_dre_metric(&params, 2 * params.full),
				 top);
		assert_int_equal(conga_dre_metric(&params, ~0ULL), top);
	}
}

/* Packet by packet through the first periods, alpha = 0.1. */
static void test_dre_by_hand(void **state)
{
	struct link link;
	u64 t = CONGA_TDRE_PAPER;

	(void)state;
	link_setup(&link, 40 * NS, t, CONGA_FABRIC_ALPHA_DEFAULT, 3);
	link_add(&link, 0, 0, 400000);
	assert_int_equal(conga_dre_bytes(link_x(&link, 0)), 400000);
	link_add(&link, 0, t - 1, 100000);
	assert_int_equal(conga_dre_bytes(link_x(&link, t - 1)), 500000);
	assert_int_equal(link_metric(&link, t - 1), 5);
	/* 450,000 less a unit */
	assert_int_equal(conga_dre_bytes(link_x(&link, t)), 449999);
	assert_int_equal(link_metric(&link, t), 4);
	link_add(&link, 0, t, 50000);
	assert_int_equal(conga_dre_bytes(link_x(&link, t)), 499999);
	assert_int_equal(conga_dre_bytes(link_x(&link, 2 * t)), 449999);
	assert_int_equal(conga_dre_bytes(link_x(&link, 3 * t)), 404999);
	/* 404,999 * 0.9^7 = 193,710 */
	assert_int_equal(conga_dre_bytes(link_x(&link, 10 * t)), 193710);
	/* reading has changed nothing */
	assert_int_equal(conga_dre_bytes(link_x(&link, 2 * t)), 449999);
}

/* A period's decay is a product that is rounded down, to the last unit, at either end of X. */
static void test_dre_decay_rounds_down(void **state)
{
	const u32 keep = (900000ULL << 32) / 1000000;
	struct conga_dre_params params;
	u64 x, high;

	(void)state;
	conga_dre_setup(&params, NS, CONGA_TDRE_PAPER, 100000, 3);
	for (x = 0; x < 1000; x++) {
		high = ~0ULL - x;
		assert_int_equal(conga_dre_decay(&params, x, 1), x * keep >> 32);
		assert_true(conga_dre_decay(&params, high, 1) ==
			    (u64)((__uint128_t)high * keep >> 32));
	}
}

/* A CPU whose clock is behind reads and adds, but neither decays nor moves. */
static void test_dre_ahead(void **state)
{
	struct conga_dre_cell cell = { .period = 1000, .x = 5000, .added = 70 };
	struct conga_dre_params params;
	u64 behind;

	(void)state;
	conga_dre_setup(&params, NS, CONGA_TDRE_PAPER, CONGA_FABRIC_ALPHA_DEFAULT, 3);
	for (behind = 0; behind < 1000; behind += 37) {
		assert_int_equal(conga_dre_at(&params, &cell, 1000 - behind),
				 5000);
		assert_int_equal(conga_dre_own(&cell, 1000 - behind), 70);
	}
	conga_dre_add(&params, &cell, 998, 1);
	assert_int_equal(cell.period, 1000);
	assert_int_equal(cell.x, 5000);
	assert_int_equal(cell.added, 70 + 256);
	/* its own bytes are of no later period */
	assert_int_equal(conga_dre_own(&cell, 1001), 0);
	conga_dre_add(&params, &cell, 1001, 2);
	assert_int_equal(cell.period, 1001);
	assert_int_equal(cell.added, 512);
	assert_in_range(cell.x, (5000 + 326) * 9 / 10 - 1, (5000 + 326) * 9 / 10);
}

static void test_dre_tdre_table(void **state)
{
	static const struct {
		u64	tdre;
		u32	alpha;
		u64	rate;
		u32	burst;
		u64	want;
	} rows[] = {
		/* as configured */
		{ 1000, 100000, 10000000, BURST, 1000 },
		{ NS, 100000, 100 * NS, BURST, NS },
		/* bursts are short against 160 us */
		{ 0, 100000, 100 * NS, BURST, 16000 },
		{ 0, 100000, 40 * NS, BURST, 16000 },
		{ 0, 100000, NS, 1500, 16000 },
		/* tau is the time of four bursts */
		{ 0, 100000, 10 * NS, BURST, 20971 },
		{ 0, 100000, NS, BURST, 209715 },
		{ 0, 500000, NS, BURST, 1048576 },
		{ 0, 100000, 10000000, BURST, 20971520 },
		{ 0, 100000, 100 * NS, 524280, 16776 },
		/* but Tdre at most a second */
		{ 0, 500000, CONGA_PORT_RATE_MIN, 524280, CONGA_FABRIC_TDRE_MAX },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 got = conga_dre_tdre(rows[i].tdre, rows[i].alpha,
					 rows[i].rate, rows[i].burst);

		unit_check(got == rows[i].want, "row %zu: %llu, not %llu", i,
			   got, rows[i].want);
	}
}

/* Never less than 16 us and four bursts, and no longer than these need. */
static void test_dre_tdre_auto(void **state)
{
	long double need;
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 18);
	for (i = 0; i < 100000; i++) {
		u32 alpha = unit_random_wide(&random, CONGA_FABRIC_ALPHA_MIN,
					     CONGA_FABRIC_ALPHA_MAX);
		u64 rate = unit_random_wide(&random, CONGA_PORT_RATE_MIN,
					    CONGA_PORT_RATE_MAX);
		u32 burst = unit_random_wide(&random, 1500, 524280);
		u64 tdre = conga_dre_tdre(CONGA_FABRIC_TDRE_AUTO, alpha, rate, burst);

		need = 4.0L * burst * 8 * NS / rate * alpha / MILLION;
		unit_check(tdre >= CONGA_TDRE_PAPER && tdre <= CONGA_FABRIC_TDRE_MAX,
			   "seed %llu case %d: %llu", random.seed, i, tdre);
		unit_check(tdre + 2 > need || tdre == CONGA_FABRIC_TDRE_MAX,
			   "seed %llu case %d: %llu for %.1Lf", random.seed, i,
			   tdre, need);
		unit_check(tdre <= need || tdre == CONGA_TDRE_PAPER,
			   "seed %llu case %d: %llu for %.1Lf", random.seed, i,
			   tdre, need);
	}
}

/* C * tau by integers of 128 bits, over all that may be configured. */
static void test_dre_full(void **state)
{
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 19);
	for (i = 0; i < 100000; i++) {
		u32 alpha = unit_random_wide(&random, CONGA_FABRIC_ALPHA_MIN,
					     CONGA_FABRIC_ALPHA_MAX);
		u64 rate = unit_random_wide(&random, CONGA_PORT_RATE_MIN,
					    CONGA_PORT_RATE_MAX);
		u64 tdre = unit_random_wide(&random, CONGA_FABRIC_TDRE_MIN,
					    CONGA_FABRIC_TDRE_MAX);
		struct conga_dre_params params;
		u64 want = (__uint128_t)rate * 256 * tdre *
			   CONGA_ALPHA_ONE / 8 / NS / alpha;

		conga_dre_setup(&params, rate, tdre, alpha, 3);
		unit_check(params.full <= want &&
			   params.full + CONGA_ALPHA_ONE / alpha + 1 >= want,
			   "seed %llu case %d: %llu, not %llu", random.seed, i,
			   params.full, want);
	}
}

/* The largest C * tau, at @percent of the rate for 20 tau. */
static void dre_saturate(int percent)
{
	const u32 packet = 1250000000;	/* a hundredth of a period's bytes */
	struct unit_random none = { 0 };
	struct link link;
	int i;

	link_setup(&link, CONGA_PORT_RATE_MAX, CONGA_FABRIC_TDRE_MAX, CONGA_FABRIC_ALPHA_MIN,
		   CONGA_FABRIC_Q_MAX);
	for (; none.step < 20000; none.step++) {
		u64 now = none.step * CONGA_FABRIC_TDRE_MAX;

		for (i = 0; i < percent; i++)
			link_add(&link, 0, now, packet);
		link_check(&link, now, &none);
	}
	assert_int_equal(link_metric(&link, 20000 * CONGA_FABRIC_TDRE_MAX - 1),
			 percent >= 100 ? 63 : 64 * percent / 100);
}

static void test_dre_extremes(void **state)
{
	struct conga_dre_params params;

	(void)state;
	conga_dre_setup(&params, CONGA_PORT_RATE_MAX, CONGA_FABRIC_TDRE_MAX,
			CONGA_FABRIC_ALPHA_MIN, CONGA_FABRIC_Q_MAX);
	/* 10^12 / 8 bytes a second, for 1000 s */
	assert_int_equal(params.full, 125000000000000ULL << 8);
	assert_int_equal(conga_dre_metric(&params, params.full / 64), 1);
	assert_int_equal(conga_dre_metric(&params, params.full / 64 - 1), 0);
	assert_int_equal(conga_dre_metric(&params, params.full / 2), 32);
	assert_int_equal(conga_dre_metric(&params, params.full - 1), 63);
	dre_saturate(60);
	dre_saturate(200);
}

/* The smallest, too: an eighth of a byte per period, alpha = 1/2. */
static void test_dre_smallest(void **state)
{
	struct conga_dre_params params;

	(void)state;
	conga_dre_setup(&params, CONGA_PORT_RATE_MIN, CONGA_FABRIC_TDRE_MIN,
			CONGA_FABRIC_ALPHA_MAX, CONGA_FABRIC_Q_MAX);
	assert_int_equal(params.full, 64);
	assert_int_equal(conga_dre_metric(&params, 0), 0);
	assert_int_equal(conga_dre_metric(&params, 256), 63);
	/* a rate that is none divides by nothing all the same */
	conga_dre_setup(&params, 1, CONGA_FABRIC_TDRE_MIN, CONGA_FABRIC_ALPHA_MAX,
			CONGA_FABRIC_Q_MAX);
	assert_int_equal(params.full, 1);
	assert_int_equal(conga_dre_metric(&params, 0), 0);
	assert_int_equal(conga_dre_metric(&params, 1), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dre_quantise),
		cmocka_unit_test(test_dre_clamp),
		cmocka_unit_test(test_dre_utilisation),
		cmocka_unit_test(test_dre_by_hand),
		cmocka_unit_test(test_dre_decay_rounds_down),
		cmocka_unit_test(test_dre_ahead),
		cmocka_unit_test(test_dre_tdre_table),
		cmocka_unit_test(test_dre_tdre_auto),
		cmocka_unit_test(test_dre_full),
		cmocka_unit_test(test_dre_extremes),
		cmocka_unit_test(test_dre_smallest),
		cmocka_unit_test(test_dre_cells_sum),
		cmocka_unit_test(test_dre_against_model),
		cmocka_unit_test(test_dre_cells_against_model),
	};

	return cmocka_run_group_tests_name("dre", tests, NULL, NULL);
}
