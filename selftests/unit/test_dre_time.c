// SPDX-License-Identifier: GPL-2.0
/* The DRE over time: how it follows a load, what an idle time leaves of it, and
 * CPUs whose clocks differ, that go quiet, or that bring more than the link can
 * carry. naive_dre.h has the model and says how far ours may be from it.
 */
#include <math.h>

#include "unit.h"
#include "paper/dre.h"
#include "dre_link.h"

#define RATE		(100 * NS)	/* bit/s */
#define PACKET		1009u		/* bytes; no divisor of a period's */
#define EULER		2.718281828459045L

/* A constant load of equal packets. */
struct stream {
	long double	now, gap;	/* ns */
	long double	load;		/* X, were it exactly load * C * tau */
	struct link	link;
};

static void stream_setup(struct stream *stream, u32 alpha, int percent)
{
	link_setup(&stream->link, RATE, CONGA_TDRE_PAPER, alpha, CONGA_FABRIC_Q_MAX);
	stream->now = 0;
	stream->gap = PACKET * 8.0L * NS / RATE * 100 / percent;
	stream->load = stream->link.naive.full * percent / 100;
}

static void stream_packet(struct stream *stream)
{
	link_add(&stream->link, 0, stream->now, PACKET);
	stream->now += stream->gap;
}

static void stream_until(struct stream *stream, long double until)
{
	while (stream->now < until)
		stream_packet(stream);
}

static long double stream_tau(const struct stream *stream)
{
	return stream->link.naive.tdre / stream->link.naive.alpha;
}

/* The time mean of a constant load is (1 - alpha / 2) of it: X is decremented
 * for what came just before, too.
 */
static void dre_mean(u32 alpha, int percent)
{
	long double ours = 0, model = 0, expected;
	struct unit_random none = { 0 };
	struct stream stream;

	stream_setup(&stream, alpha, percent);
	stream_until(&stream, 10 * stream_tau(&stream));
	expected = stream.load * (1 - stream.link.naive.alpha / 2);
	for (; stream.now < 40 * stream_tau(&stream); none.step++) {
		u64 between = stream.now + stream.gap / 2;

		stream_packet(&stream);
		link_check(&stream.link, between, &none);
		ours += link_x(&stream.link, between) * UNIT;
		model += stream.link.naive.x;
	}
	ours /= none.step;
	model /= none.step;
	/* to a hundredth, and what a packet, half the time, is more than that */
	unit_check(fabsl(model - expected) < expected / 100 + PACKET / 2,
		   "alpha %u load %d %%: the model's mean is %.1Lf, not %.1Lf",
		   alpha, percent, model, expected);
	unit_check(ours <= model && model - ours <= stream.link.naive.slack,
		   "alpha %u load %d %%: mean %.3Lf, not %.3Lf", alpha, percent,
		   ours, model);
}

static void test_dre_mean(void **state)
{
	static const u32 alphas[] = { 20000, CONGA_FABRIC_ALPHA_DEFAULT, 500000 };
	static const int loads[] = { 1, 10, 30, 60, 90, 100 };
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(alphas); i++)
		for (j = 0; j < ARRAY_SIZE(loads); j++)
			dre_mean(alphas[i], loads[j]);
}

/* When X has risen to 1 - 1/e of its mean. */
static long double stream_rise(struct stream *stream, long double mean)
{
	struct unit_random none = { 0 };

	do {
		stream_packet(stream);
		link_check(&stream->link, stream->now, &none);
	} while (link_x(&stream->link, stream->now) * UNIT <
		 mean * (1 - 1 / EULER));
	return stream->now;
}

/* How long it then takes to fall to 1/e. */
static long double stream_fall(struct stream *stream, long double mean)
{
	long double began = stream->now;
	struct unit_random none = { 0 };

	do {
		stream->now += 100;
		link_check(&stream->link, stream->now, &none);
	} while (link_x(&stream->link, stream->now) * UNIT > mean / EULER);
	return stream->now - began;
}

/* It rises within a little less than tau, since 1 - alpha < exp(-alpha), and
 * falls as fast, to the period.
 */
static void test_dre_rise(void **state)
{
	int percent;

	(void)state;
	for (percent = 10; percent <= 100; percent += 30) {
		long double mean, tau, rise, fall;
		struct stream stream;

		stream_setup(&stream, CONGA_FABRIC_ALPHA_DEFAULT, percent);
		tau = stream_tau(&stream);
		mean = stream.load * (1 - stream.link.naive.alpha / 2);
		rise = stream_rise(&stream, mean);
		unit_check(rise > 0.85L * tau && rise < tau,
			   "load %d %%: rises in %.2Lf tau", percent,
			   rise / tau);
		stream_until(&stream, 20 * tau);
		fall = stream_fall(&stream, mean);
		unit_check(fall > 0.85L * tau && fall < 1.1L * tau,
			   "load %d %%: falls in %.2Lf tau", percent,
			   fall / tau);
	}
}

static const u64 idle_rates[] = {
	10000000ULL, NS, 10 * NS, 100 * NS, 800 * NS,
};

/* By the paper's parameters nothing is left after an hour. */
static void test_dre_idle_hour(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(idle_rates); i++) {
		struct link link;

		link_setup(&link, idle_rates[i], CONGA_TDRE_PAPER,
			   CONGA_FABRIC_ALPHA_MIN, CONGA_FABRIC_Q_MAX);
		link_add(&link, 0, HOUR, 0xffffffff);
		assert_int_not_equal(link_metric(&link, HOUR), 0);
		assert_int_equal(link_x(&link, 2 * HOUR), 0);
		assert_int_equal(link_metric(&link, 2 * HOUR), 0);
		/* what comes then starts from nothing */
		link_add(&link, 0, 2 * HOUR, 1000);
		assert_int_equal(conga_dre_bytes(link_x(&link, 2 * HOUR)),
				 1000);
	}
}

/* By any parameters exactly that is left which the model has after as many
 * decrements, be it a period, be it an hour's; one of a second leaves a lot.
 */
static void test_dre_idle(void **state)
{
	struct unit_random random;
	struct link link;

	(void)state;
	unit_random_setup(&random, 23);
	for (; random.step < 4000; random.step++) {
		u64 rate = idle_rates[random.step % ARRAY_SIZE(idle_rates)];
		u64 tdre = unit_random_wide(&random, CONGA_FABRIC_TDRE_MIN,
					    CONGA_FABRIC_TDRE_MAX);
		u32 alpha = unit_random_wide(&random, CONGA_FABRIC_ALPHA_MIN,
					     CONGA_FABRIC_ALPHA_MAX);
		u64 now = unit_random_wide(&random, 0, HOUR);
		int i;

		link_setup(&link, rate, random.step % 3 ? tdre : CONGA_FABRIC_TDRE_MAX,
			   alpha, CONGA_FABRIC_Q_MAX);
		for (i = 0; i < 10; i++) {
			link_add(&link, 0, now, unit_random_u64(&random));
			now += unit_random_below(&random, 2 * tdre);
		}
		now += random.step % 2 ? HOUR :
		       unit_random_wide(&random, 0, HOUR);
		link_check(&link, now, &random);
		link_add(&link, 0, now, 1500);
		link_check(&link, now, &random);
	}
}

/* A second per period: the hour is 3,600 of them, and e^-3.6 is left. */
static void test_dre_idle_by_hand(void **state)
{
	long double ours, model;
	struct conga_dre_cell cell = { .period = 5, .x = 1ULL << 48 };
	struct conga_dre_params params;

	(void)state;
	conga_dre_setup(&params, RATE, NS, CONGA_FABRIC_ALPHA_MIN, CONGA_FABRIC_Q_MAX);
	model = ldexpl(powl(0.999L, 3600), 48);
	ours = conga_dre_at(&params, &cell, 5 + 3600);
	assert_true(ours <= model && ours > model * (1 - 3600 * BITS(31)));
}

/* Several CPUs, each with the clock that it has; the model has one DRE a CPU,
 * which counts what comes by a clock behind its last packet at that one's time.
 */
struct skewed {
	struct link		link;
	struct naive_dre	naive[CELLS_MAX];
	u64			latest;	/* ns, of all clocks */
};

static void skewed_setup(struct skewed *skewed, struct unit_random *random)
{
	u32 alpha = unit_random_between(random, 50000, CONGA_FABRIC_ALPHA_MAX);
	int cpu;

	link_setup(&skewed->link, RATE, CONGA_TDRE_PAPER, alpha, CONGA_FABRIC_Q_MAX);
	skewed->link.cells = CELLS_MAX;
	for (cpu = 0; cpu < CELLS_MAX; cpu++)
		naive_setup(&skewed->naive[cpu], RATE, CONGA_TDRE_PAPER, alpha,
			    CONGA_FABRIC_Q_MAX);
	skewed->latest = unit_random_wide(random, 0, HOUR);
}

static void skewed_add(struct skewed *skewed, int cpu, u64 now, u32 bytes)
{
	struct conga_dre_cell *cell = &skewed->link.cell[cpu];
	struct conga_dre_cell before = *cell;
	u64 period = conga_dre_period(&skewed->link.params, now);

	conga_dre_add(&skewed->link.params, cell, period, bytes);
	naive_advance(&skewed->naive[cpu], now);
	skewed->naive[cpu].x += bytes;
	if (period > before.period)
		return;
	/* nothing decayed and nothing moved, it was only added */
	unit_check(cell->period == before.period && cell->x == before.x &&
		   cell->added == before.added + ((u64)bytes << 8),
		   "period %llu into %llu", period, before.period);
}

static void skewed_check(const struct skewed *skewed,
			 const struct unit_random *random)
{
	long double x = 0, slack = 0, ours = link_x(&skewed->link,
						    skewed->latest) * UNIT;
	int cpu;

	for (cpu = 0; cpu < CELLS_MAX; cpu++) {
		struct naive_dre naive = skewed->naive[cpu];

		naive_advance(&naive, skewed->latest);
		x += naive.x;
		slack += naive.slack;
	}
	unit_check_step(random, ours <= x * (1 + BITS(50)) && ours >= x - slack,
			"X %.3Lf, not %.3Lf, slack %.3Lf", ours, x, slack);
}

/* A clock that is behind reads shares as they stand. */
static void skewed_read_behind(const struct skewed *skewed, u64 now)
{
	u64 period = conga_dre_period(&skewed->link.params, now);
	int cpu;

	for (cpu = 0; cpu < CELLS_MAX; cpu++) {
		const struct conga_dre_cell *cell = &skewed->link.cell[cpu];

		if (cell->period < period)
			continue;
		assert_int_equal(conga_dre_at(&skewed->link.params, cell,
					      period), cell->x);
		assert_int_equal(conga_dre_own(cell, period), cell->added);
	}
}

static void test_dre_skewed(void **state)
{
	struct unit_random random;
	struct skewed skewed;

	(void)state;
	unit_random_setup(&random, 24);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 behind = unit_random_below(&random, 3 * CONGA_TDRE_PAPER);
		int cpu = unit_random_below(&random, CELLS_MAX);

		if (random.step % 2000 == 0)
			skewed_setup(&skewed, &random);
		skewed.latest += unit_random_below(&random, 2) ? 100 :
				 unit_random_wide(&random, 0, 10 * NS);
		if (skewed.latest < behind)
			behind = 0;
		/* one CPU goes quiet for most of the time */
		if (cpu || random.step % 500 < 5)
			skewed_add(&skewed, cpu, skewed.latest - behind,
				   unit_random_between(&random, 64, BURST));
		skewed_read_behind(&skewed, skewed.latest - behind);
		if (random.step % 8 == 0)
			skewed_check(&skewed, &random);
	}
}

/* A CPU sends and goes quiet. Whoever looks, and how often: its bytes decay
 * from the period in which they came, and are never found as new.
 */
static void test_dre_quiet_cpu(void **state)
{
	struct conga_dre_cell quiet = { 0 }, fresh = { 0 };
	struct conga_dre_params params;
	u64 period, x = 1000000 << 8;

	(void)state;
	conga_dre_setup(&params, RATE, CONGA_TDRE_PAPER, CONGA_FABRIC_ALPHA_DEFAULT,
			CONGA_FABRIC_Q_DEFAULT);
	conga_dre_add(&params, &quiet, 100, 1000000);
	assert_int_equal(conga_dre_at(&params, &quiet, 100), 0);
	assert_int_equal(conga_dre_own(&quiet, 100), x);
	for (period = 101; period < 400; period++) {
		u64 left = conga_dre_at(&params, &quiet, period);

		assert_int_equal(conga_dre_own(&quiet, period), 0);
		assert_true(left <= x);
		x = left;
		/* the same if the CPU speaks up in that period */
		fresh = quiet;
		conga_dre_add(&params, &fresh, period, 500);
		assert_int_equal(fresh.x, left);
		assert_int_equal(conga_dre_at(&params, &fresh, period), left);
		assert_int_equal(fresh.added, 500 << 8);
	}
	assert_int_equal(x, 0);
}

/* Any parameters, far more than the link can carry: nothing overflows. */
static void test_dre_overload(void **state)
{
	struct unit_random random;
	struct link link;
	u64 now = 0;

	(void)state;
	unit_random_setup(&random, 25);
	for (; random.step < UNIT_STEPS; random.step++) {
		if (random.step % 1000 == 0) {
			u64 rate = unit_random_wide(&random, CONGA_PORT_RATE_MIN,
						    CONGA_PORT_RATE_MAX);
			u64 tdre = unit_random_wide(&random, CONGA_FABRIC_TDRE_MIN,
						    CONGA_FABRIC_TDRE_MAX);
			u32 alpha = unit_random_wide(&random, CONGA_FABRIC_ALPHA_MIN,
						     CONGA_FABRIC_ALPHA_MAX);

			link_setup(&link, random.step % 2000 ? rate :
				   CONGA_PORT_RATE_MAX, tdre, alpha,
				   1 + random.step / 1000 % CONGA_FABRIC_Q_MAX);
			now = unit_random_wide(&random, 0, 1ULL << 63);
		}
		link_add(&link, 0, now, 0xffffffff);
		link_check(&link, now, &random);
		if (!unit_random_below(&random, 100))
			now += unit_random_wide(&random, 0,
						4 * link.naive.tdre);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dre_mean),
		cmocka_unit_test(test_dre_rise),
		cmocka_unit_test(test_dre_idle_hour),
		cmocka_unit_test(test_dre_idle),
		cmocka_unit_test(test_dre_idle_by_hand),
		cmocka_unit_test(test_dre_skewed),
		cmocka_unit_test(test_dre_quiet_cpu),
		cmocka_unit_test(test_dre_overload),
	};

	return cmocka_run_group_tests_name("dre_time", tests, NULL, NULL);
}
