// SPDX-License-Identifier: GPL-2.0
/* One DRE and many CPUs: what they send at once or before they go quiet is all
 * counted, in its own period and no other. The model is the paper's one register
 * (naive_dre.h): at the start of a period it has what all CPUs sent before, and
 * a reader adds what it sent itself since. CPUs are threads.
 */
#include <errno.h>
#include <pthread.h>

#include "unit.h"
#include "paper/dre_shared.h"
#include "naive_dre.h"

#define RATE		(100 * NS)
#define T		CONGA_TDRE_PAPER
#define CPUS		UNIT_CPUS
/* alpha, at which nothing is rounded, and at which little is forgotten */
#define HALF		500000u
#define SLOW		1000u

struct shared {
	struct conga_dre_params	params;
	struct conga_dre_shared	dre;
};

static void shared_setup(struct shared *shared, u32 alpha)
{
	conga_dre_setup(&shared->params, RATE, T, alpha, CONGA_FABRIC_Q_MAX);
	assert_int_equal(conga_dre_shared_setup(&shared->dre), 0);
}

static void shared_clean(struct shared *shared)
{
	conga_dre_shared_clean(&shared->dre);
}

static u64 shared_x(struct shared *shared, int cpu, u64 now)
{
	unit_cpu = cpu;
	return conga_dre_shared_x(&shared->params, &shared->dre, now);
}

/* Whoever adds a packet is told X with it. */
static void shared_add(struct shared *shared, int cpu, u64 now, u32 bytes)
{
	u64 told;

	unit_cpu = cpu;
	told = conga_dre_shared_add(&shared->params, &shared->dre, now, bytes);
	assert_true(told == shared_x(shared, cpu, now));
}

static u64 shared_bytes(struct shared *shared, int cpu, u64 now)
{
	return conga_dre_bytes(shared_x(shared, cpu, now));
}

/* One's own bytes at once, those of others from the next period on. */
static void test_shared_by_hand(void **state)
{
	struct shared shared;

	(void)state;
	shared_setup(&shared, HALF);
	assert_int_equal(shared_bytes(&shared, 0, 0), 0);
	shared_add(&shared, 0, 5 * T, 1024);
	shared_add(&shared, 1, 5 * T, 2048);
	assert_int_equal(shared_bytes(&shared, 0, 5 * T), 1024);
	assert_int_equal(shared_bytes(&shared, 1, 5 * T + 1), 2048);
	assert_int_equal(shared_bytes(&shared, 2, 6 * T - 1), 0);
	assert_int_equal(shared_bytes(&shared, 0, 6 * T), 1536);
	assert_int_equal(shared_bytes(&shared, 2, 6 * T), 1536);
	/* what comes in a period whose sum is made is not lost */
	shared_add(&shared, 3, 6 * T + 1, 512);
	assert_int_equal(shared_bytes(&shared, 2, 6 * T + 2), 1536);
	assert_int_equal(shared_bytes(&shared, 3, 6 * T + 2), 2048);
	assert_int_equal(shared_bytes(&shared, 2, 7 * T), 1024);
	/* after an hour nothing is left */
	assert_int_equal(shared_x(&shared, 0, 3600 * NS), 0);
	shared_clean(&shared);
}

/* Who is a period behind takes nothing from the others. */
static void test_shared_behind(void **state)
{
	struct shared shared;
	u64 at_seven;

	(void)state;
	shared_setup(&shared, HALF);
	shared_add(&shared, 0, 5 * T, 4096);
	at_seven = shared_x(&shared, 0, 7 * T);
	assert_int_equal(conga_dre_bytes(at_seven), 1024);
	shared_add(&shared, 1, 6 * T, 4096);
	assert_int_equal(shared_bytes(&shared, 1, 6 * T), 2048 + 4096);
	/* the latecomer's bytes count from its own period, not from now */
	assert_int_equal(shared_bytes(&shared, 0, 7 * T), 1024 + 2048);
	assert_int_equal(shared_bytes(&shared, 0, 8 * T), 512 + 1024);
	shared_clean(&shared);
}

/* At most one look at each share in a period, however many packets, and none at those
 * of CPUs that never sent.
 */
static void test_shared_summed_once(void **state)
{
	struct shared shared;
	int cpu, senders;
	u64 now;

	(void)state;
	for (senders = 1; senders <= CPUS; senders++) {
		shared_setup(&shared, CONGA_FABRIC_ALPHA_DEFAULT);
		for (cpu = CPUS - senders; cpu < CPUS; cpu++)
			shared_add(&shared, cpu, 9 * T, 1500);
		unit_seq_reads = 0;
		for (now = 10 * T; now < 20 * T; now += T / 100) {
			cpu = CPUS - 1 - now / 7 % senders;
			shared_add(&shared, cpu, now, 1500);
			shared_x(&shared, now / 7 % CPUS, now);
		}
		assert_int_equal(unit_seq_reads, 10 * senders);
		shared_clean(&shared);
	}
}

static void test_shared_no_memory(void **state)
{
	struct conga_dre_shared dre;

	(void)state;
	unit_cpu_no_memory = true;
	assert_int_equal(conga_dre_shared_setup(&dre), -ENOMEM);
	unit_cpu_no_memory = false;
}

struct naive_shared {
	long double		since[CPUS];	/* the start of the period */
	struct naive_dre	dre;		/* as at that time */
};

static void naive_shared_advance(struct naive_shared *naive, u64 now)
{
	int cpu;

	if (now < naive->dre.next)
		return;
	for (cpu = 0; cpu < CPUS; cpu++) {
		naive->dre.x += naive->since[cpu];
		naive->since[cpu] = 0;
	}
	naive_advance(&naive->dre, now);
}

static void shared_check(struct shared *shared, struct naive_shared *naive,
			 int cpu, u64 now, const struct unit_random *random)
{
	long double ours = shared_x(shared, cpu, now) * UNIT;
	long double model;

	naive_shared_advance(naive, now);
	model = naive->dre.x + naive->since[cpu];
	unit_check_step(random, ours <= model * (1 + BITS(50)) &&
			ours >= model - CPUS * naive->dre.slack,
			"CPU %d at %llu ns: X %.3Lf, not %.3Lf", cpu, now, ours,
			model);
}

/* Several are busy, each goes quiet for a while, readers are any. */
static void test_shared_against_model(void **state)
{
	struct naive_shared naive = { 0 };
	struct unit_random random;
	struct shared shared;
	u64 now = 0;
	int busy = 0;

	(void)state;
	unit_random_setup(&random, 31);
	shared_setup(&shared, CONGA_FABRIC_ALPHA_DEFAULT);
	naive_setup(&naive.dre, RATE, T, CONGA_FABRIC_ALPHA_DEFAULT, CONGA_FABRIC_Q_MAX);
	for (; random.step < UNIT_STEPS; random.step++) {
		u32 bytes = unit_random_between(&random, 64, 65536);
		int cpu;

		if (random.step % 100 == 0)
			busy = unit_random_below(&random, 1 << CPUS);
		now += random.step % 1000 ?
		       unit_random_below(&random, T / 4) :
		       unit_random_wide(&random, 0, 3600 * NS);
		cpu = unit_random_below(&random, CPUS);
		if (busy >> cpu & 1) {
			naive_shared_advance(&naive, now);
			shared_add(&shared, cpu, now, bytes);
			naive.since[cpu] += bytes;
		}
		shared_check(&shared, &naive,
			     unit_random_below(&random, CPUS), now, &random);
	}
	shared_clean(&shared);
}

#define ROUNDS		1000	/* a period long each */
#define PACKETS		100	/* of a CPU in a round */
#define PERIODS		(ROUNDS + 2)

/* A CPU, and what it sent in which period. */
struct cpu {
	pthread_t		thread;
	pthread_barrier_t	*start;		/* of a round, for all */
	struct shared		*shared;
	struct unit_random	random;
	int			number;
	bool			quiet;		/* half of the time */
	u64			sent[PERIODS];	/* bytes */
	u64			most;		/* X it ever read */
};

static void cpu_send(struct cpu *cpu, u64 now)
{
	u32 bytes = unit_random_between(&cpu->random, 64, 65536);
	u64 x;

	conga_dre_shared_add(&cpu->shared->params, &cpu->shared->dre, now,
			     bytes);
	cpu->sent[now / T] += bytes;
	x = conga_dre_shared_x(&cpu->shared->params, &cpu->shared->dre, now);
	if (x > cpu->most)
		cpu->most = x;
}

/* The clock of each may be ahead, and the others a period behind it. */
static void *cpu_run(void *argument)
{
	struct cpu *cpu = argument;
	u64 period = 0, round;
	int i;

	unit_cpu = cpu->number;
	for (round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(cpu->start);
		if (period < round + unit_random_below(&cpu->random, 2))
			period++;
		if (cpu->quiet && round / 100 % 2)
			continue;
		for (i = 0; i < PACKETS; i++)
			cpu_send(cpu, period * T + i);
	}
	return NULL;
}

/* X at the start of @end, were every byte sent by one CPU, and the most that it
 * ever was.
 */
static long double cpus_model(const struct cpu *cpu, u64 end, u32 alpha,
			      long double *most)
{
	long double x = 0;
	u64 period;
	int i;

	*most = 0;
	for (period = 0; period < end; period++) {
		for (i = 0; i < CPUS; i++)
			x += cpu[i].sent[period];
		*most = x > *most ? x : *most;
		x *= 1 - alpha / MILLION;
	}
	return x;
}

static void cpus_run(struct cpu *cpu, struct shared *shared,
		     const struct unit_random *random)
{
	pthread_barrier_t start;
	int i;

	pthread_barrier_init(&start, NULL, CPUS);
	for (i = 0; i < CPUS; i++) {
		cpu[i].start = &start;
		cpu[i].shared = shared;
		cpu[i].random.state = random->seed + i;
		cpu[i].number = i;
		cpu[i].quiet = i % 2;
		assert_int_equal(pthread_create(&cpu[i].thread, NULL, cpu_run,
						&cpu[i]), 0);
	}
	for (i = 0; i < CPUS; i++)
		pthread_join(cpu[i].thread, NULL);
	pthread_barrier_destroy(&start);
}

/* All at once, for a thousand periods, half of them quiet half of the time: not
 * a byte is lost, none counts in a later period than its own, and nobody reads
 * more than there was, save for a decrement.
 */
static void test_shared_at_once(void **state)
{
	long double model, most, ours;
	static struct cpu cpu[CPUS];
	struct unit_random random;
	struct shared shared;
	int i;

	(void)state;
	unit_random_setup(&random, 32);
	shared_setup(&shared, SLOW);
	cpus_run(cpu, &shared, &random);
	model = cpus_model(cpu, PERIODS, SLOW, &most);
	ours = shared_x(&shared, 0, PERIODS * T) * UNIT;
	unit_check(ours <= model && ours > model * (1 - 1 / MILLION),
		   "seed %llu: X %.3Lf, not %.3Lf", random.seed, ours, model);
	for (i = 0; i < CPUS; i++)
		unit_check(cpu[i].most * UNIT <= most * (1 + 2 * SLOW / MILLION),
			   "seed %llu: CPU %d read %.3Lf, there was %.3Lf",
			   random.seed, i, cpu[i].most * UNIT, most);
	shared_clean(&shared);
}

/* CPU 0 is about to send in the next period, when CPU 1 has begun to read its
 * share: it writes a part of it, then the rest.
 */
static struct conga_dre_share *race_share;

static void race_end(void)
{
	race_share->cell.added = 0;
	race_share->cell.period++;
	write_seqcount_end(&race_share->seq);
	unit_race.step = NULL;
}

static void race_begin(void)
{
	write_seqcount_begin(&race_share->seq);
	race_share->cell.x = (race_share->cell.x + race_share->cell.added) / 2;
	unit_race.step = race_end;
}

static void test_shared_never_torn(void **state)
{
	struct shared shared;

	(void)state;
	shared_setup(&shared, HALF);
	shared_add(&shared, 0, 5 * T, 4096);
	race_share = &shared.dre.shares[0];
	unit_race.step = race_begin;
	assert_int_equal(shared_bytes(&shared, 1, 6 * T), 2048);
	assert_null(unit_race.step);
	shared_clean(&shared);
}

/* With PREEMPT_RT a packet can be preempted, and whoever reads its share would wait for it. */
static void test_shared_not_preempted(void **state)
{
	struct shared shared;
	int cpu;

	(void)state;
	shared_setup(&shared, HALF);
	unit_seq_preemptible = 0;
	for (cpu = 0; cpu < CPUS; cpu++)
		shared_add(&shared, cpu, 5 * T, 4096);
	assert_int_equal(unit_seq_preemptible, 0);
	assert_int_equal(unit_preempt_off, 0);
	shared_clean(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_by_hand),
		cmocka_unit_test(test_shared_behind),
		cmocka_unit_test(test_shared_summed_once),
		cmocka_unit_test(test_shared_no_memory),
		cmocka_unit_test(test_shared_against_model),
		cmocka_unit_test(test_shared_at_once),
		cmocka_unit_test(test_shared_never_torn),
		cmocka_unit_test(test_shared_not_preempted),
	};

	return cmocka_run_group_tests_name("dre_shared", tests, NULL, NULL);
}
