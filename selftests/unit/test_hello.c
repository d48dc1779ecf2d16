// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf: scenes with known ends, and the properties that hello.c
 * states.
 */
#include "unit.h"
#include "hello_scene.h"

static void test_hello_first(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 0x0ff0);
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
	/* no nonce is no nonce of ours */
	for (i = 0; i < WAYS; i++)
		assert_false(conga_hello_echoed(&scene.hello, i));
	assert_false(scene_answer(&scene, 4));
	assert_false(conga_hello_bye(&scene.hello, 0));
	/* one hello per round, by the uplinks in turn */
	for (i = 0; i < 32; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.ask[0],
				 i % TICKS ? 0 : BIT(4 + i / TICKS));
		assert_int_equal(scene.step.silenced, 0);
		/* the third hello was in vain */
		scene_is(&scene, false, i <= 2 * TICKS ? CONGA_LEAF_WAITING :
							 CONGA_LEAF_SILENT, 0);
	}
}

/* Leaves begin their rounds at different ticks. */
static void test_hello_phase(void **state)
{
	int phase, i;

	(void)state;
	for (phase = 0; phase < 3 * TICKS; phase++) {
		struct scene scene;

		scene_setup(&scene, 1);
		conga_hello_setup(&scene.hello, phase, one_port);
		for (i = 0; i < 3 * TICKS; i++) {
			scene_tick(&scene);
			assert_int_equal(scene.step.ask[0],
					 (i + phase) % TICKS ? 0 : 1);
		}
	}
}

static void test_hello_no_path(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.usable = 0;
	for (i = 0; i < 5 * TICKS; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.ask[0], 0);
		assert_int_equal(scene.step.missed[0], 0);
	}
	/* nobody was asked, so nobody is silent */
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_hello_nonce(void **state)
{
	struct scene scene;
	u64 first, second;
	int tag, i;

	(void)state;
	scene_setup(&scene, 1);
	scene_tick(&scene);
	first = conga_hello_nonce(&scene.hello, 0, 0);
	assert_true(first == ANY_ROUND + WAYS);
	for (tag = 0; tag < TAGS; tag++) {
		assert_true(conga_hello_nonce(&scene.hello, tag, 0) == first + tag);
		assert_true(conga_hello_nonce(&scene.hello, tag, 3) == first + 48 + tag);
		assert_true(conga_hello_echoed(&scene.hello, first + tag));
	}
	for (i = 0; i < 8; i++)
		assert_true(conga_hello_echoed(&scene.hello, first ^ BIT_ULL(i)));
	for (; i < 64; i++)
		assert_false(conga_hello_echoed(&scene.hello, first ^ BIT_ULL(i)));
	for (i = 1; i < TICKS; i++) {
		scene_tick(&scene);
		assert_true(conga_hello_nonce(&scene.hello, 0, 0) == first);
	}
	/* this round's, the one before, and no older one */
	scene_tick(&scene);
	second = conga_hello_nonce(&scene.hello, 0, 0);
	assert_true(second != first);
	for (i = 1; i <= TICKS; i++) {
		assert_true(conga_hello_echoed(&scene.hello, first));
		assert_true(conga_hello_echoed(&scene.hello, second));
		scene_tick(&scene);
	}
	assert_false(conga_hello_echoed(&scene.hello, first));
	assert_true(conga_hello_echoed(&scene.hello, second));
}

/* Bits that happen to be zero make a nonce nevertheless. */
static void test_hello_nonce_never_zero(void **state)
{
	struct scene scene;
	u32 random;

	(void)state;
	for (random = 0; random < WAYS; random++) {
		scene_setup(&scene, 1);
		scene.view.random = random - (u64)WAYS;
		scene_tick(&scene);
		assert_true(conga_hello_nonce(&scene.hello, 3, 0) == WAYS + 3);
		assert_true(scene_answer(&scene, 0));
	}
}

static void test_hello_answered(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 3);
	scene_tick(&scene);
	assert_false(conga_hello_answered(&scene.hello, 0xdeadbeef, ID, &terms,
					  &terms));
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
	assert_int_equal(scene.hello.waiting[0], 1);
	assert_true(scene_answer(&scene, 0));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(scene.hello.id, ID);
	scene_tick(&scene);
	assert_int_equal(scene.step.missed[0], 0);
	assert_int_equal(scene.step.ask[0], 0);
}

static void test_hello_terms(void **state)
{
	static const struct {
		struct conga_hello_terms	ours, theirs;
		u8				reason;
	} rows[] = {
		{ { 3, 0, false }, { 3, 0, false }, CONGA_LEAF_ANSWERS },
		{ { 6, 1, true }, { 6, 1, true }, CONGA_LEAF_ANSWERS },
		{ { 3, 0, false }, { 2, 0, false }, CONGA_LEAF_Q },
		{ { 3, 0, false }, { 4, 1, true }, CONGA_LEAF_Q },
		{ { 3, 0, false }, { 3, 1, false }, CONGA_LEAF_BYTE3 },
		{ { 3, 0, false }, { 3, 2, true }, CONGA_LEAF_BYTE3 },
		{ { 3, 0, false }, { 3, 0, true }, CONGA_LEAF_METRIC },
		{ { 3, 0, true }, { 3, 0, false }, CONGA_LEAF_METRIC },
	};
	struct scene scene;
	size_t i;

	(void)state;
	scene_answered(&scene, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 nonce = conga_hello_nonce(&scene.hello, 0, 0);

		assert_true(conga_hello_answered(&scene.hello, nonce, ID,
						 &rows[i].ours,
						 &rows[i].theirs));
		scene_is(&scene, true, rows[i].reason, 0);
	}
}

/* The last answer is a round old: three misses, no longer than a round. */
static void test_hello_silent(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene.dead = 0xffff;
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		/* what missed is asked again, and one that may be better */
		assert_int_equal(hweight16(scene.step.ask[0]), i ? i + 1 : 1);
	}
	scene_run(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.step.silenced, 0);
	assert_int_equal(scene.step.ask[0], 0);
	/* all at once again */
	scene.dead = 0;
	for (i = 0; i < TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

/* A busy path without feedback, while another answers. */
static void test_hello_grey(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.busy = 3;
	scene.view.heard = 1;
	scene.dead = 2;
	for (i = 0; i <= MISSES; i++) {
		assert_int_equal(scene.hello.out, 0);
		scene_run(&scene);
	}
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	assert_int_equal(scene.step.silenced, 2);
	/* once a round, until it answers */
	for (; i < 10 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0] & 2, i % TICKS ? 0 : 2);
		assert_int_equal(scene.step.silenced, 0);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	}
	scene.dead = 0;
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

/* Packets without feedback ask; feedback, or an answer of this round, tells. */
static void test_hello_unproven(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 2);
	scene.view.busy = 4;
	scene.view.heard = 4;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 4);
	scene.view.heard = 0;
	/* proven by that answer */
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	/* and asked anew when it is a round old, beside the one in turn */
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 4 | 1);
	/* idle ones are not asked between rounds */
	scene.view.busy = 0;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	/* a busy one at once */
	scene_run(&scene);
	scene.view.busy = 1;
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 1);
}

/* When nobody answers any more, none is out: there is nothing to choose by. */
static void test_hello_silent_has_no_out(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene.view.busy = 7;
	scene.dead = 2;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene.dead = 7;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
}

/* The route of a path that is out goes and comes: it begins anew. */
static void test_hello_route_gone(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.busy = 3;
	scene.dead = 2;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene.view.usable = 1;
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(scene.step.missed[0], 0);
	scene.view.usable = 3;
	/* out again only by three new misses */
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		assert_int_equal(scene.hello.out, 0);
		assert_true(scene.step.ask[0] & 2);
	}
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
}

/* rounds_asked: the hellos of so many rounds, and how often by each uplink */
static int rounds_asked(struct scene *scene, int rounds, int times[TAGS])
{
	int i, tag, sum = 0;

	memset(times, 0, TAGS * sizeof(*times));
	for (i = 0; i < rounds * TICKS; i++) {
		scene_run(scene);
		sum += hweight16(scene->step.ask[0]);
		for (tag = 0; tag < TAGS; tag++)
			times[tag] += !!(scene->step.ask[0] & BIT(tag));
	}
	return sum;
}

/* The hello that goes round visits every usable path, none twice before all. */
static void test_hello_turn(void **state)
{
	struct unit_random random;
	int times[TAGS], tag;

	(void)state;
	unit_random_setup(&random, 41);
	for (; random.step < 2000; random.step++) {
		u16 usable = unit_random_between(&random, 1, 0xffff);
		int paths = hweight16(usable);
		struct scene scene;

		scene_answered(&scene, usable);
		unit_check_step(&random,
				rounds_asked(&scene, paths, times) == paths,
				"usable %04x: not one hello per round", usable);
		for (tag = 0; tag < TAGS; tag++)
			unit_check_step(&random,
					times[tag] == !!(usable & BIT(tag)),
					"usable %04x: tag %d asked %d times",
					usable, tag, times[tag]);
	}
}

/* (1 + silent paths) per round of a leaf that answers, one of one that does not,
 * whatever is busy and known to work.
 */
static void test_hello_cost(void **state)
{
	struct unit_random random;
	int times[TAGS], i;

	(void)state;
	unit_random_setup(&random, 42);
	for (; random.step < 2000; random.step++) {
		u16 usable = unit_random_between(&random, 1, 0xffff);
		struct scene scene;
		unsigned int out;
		int sum;

		scene_answered(&scene, usable);
		scene.view.busy = usable;
		scene.dead = usable & unit_random_u64(&random);
		for (i = 0; i < 2 * TAGS * TICKS; i++)
			scene_run(&scene);
		scene.view.heard = usable & ~scene.dead;
		rounds_asked(&scene, 1, times);
		sum = rounds_asked(&scene, 100, times);
		out = scene.dead == usable ? 0 : hweight16(scene.dead);
		unit_check_step(&random, hweight16(scene.hello.out) == out,
				"usable %04x dead %04x: %04x are out", usable,
				scene.dead, scene.hello.out);
		unit_check_step(&random, sum == 100 * (1 + (int)out),
				"usable %04x dead %04x: %d in 100 rounds",
				usable, scene.dead, sum);
	}
}

static void ids_are(struct scene *scene, const u32 *ids, int count, u8 reason)
{
	int i;

	for (i = 0; i < count; i++) {
		u64 nonce = conga_hello_nonce(&scene->hello, 0, 0);

		assert_true(conga_hello_answered(&scene->hello, nonce, ids[i],
						 &terms, &terms));
	}
	scene_is(scene, true, reason, 0);
}

/* A box that is restarted has a new id each time; two boxes come back to theirs.
 */
static void test_hello_ids(void **state)
{
	static const u32 restarts[] = { 1, 1, 2, 2, 2, 3, 4, 4, 5 };
	static const u32 one[] = { 5 };
	static const u32 back[] = { 4 };
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	ids_are(&scene, restarts, ARRAY_SIZE(restarts), CONGA_LEAF_ANSWERS);
	ids_are(&scene, back, 1, CONGA_LEAF_ALTERNATES);
	/* one of them is gone: believed after ten rounds */
	for (i = 0; i < CONGA_HELLO_CALM * TICKS; i++) {
		scene_tick(&scene);
		if (i % TICKS == 0)
			ids_are(&scene, back, 1, i / TICKS + 1 < CONGA_HELLO_CALM ?
				CONGA_LEAF_ALTERNATES : CONGA_LEAF_ANSWERS);
	}
	/* and not while both are there */
	for (i = 0; i < 2 * CONGA_HELLO_CALM * TICKS; i++) {
		scene_tick(&scene);
		if (i % TICKS == 0)
			ids_are(&scene, i / TICKS % 2 ? back : one, 1,
				CONGA_LEAF_ALTERNATES);
	}
}

/* Whoever asks, no more are answered in a round. */
static void scene_limit(struct scene *scene, u64 echo)
{
	int i;

	for (i = 1; i <= CONGA_HELLO_ANSWERS; i++) {
		assert_true(conga_hello_asked(&scene->hello, PORT, i, echo));
		assert_int_equal(scene->hello.echo, i);
	}
	for (i = 0; i < TICKS; i++) {
		assert_false(conga_hello_asked(&scene->hello, PORT, 1000, echo));
		assert_int_equal(scene->hello.echo, CONGA_HELLO_ANSWERS);
		scene_tick(scene);
	}
}

static void test_hello_limit(void **state)
{
	struct scene scene;
	int round;

	(void)state;
	scene_setup(&scene, 1);
	scene_tick(&scene);
	for (round = 0; round < 3; round++)
		scene_limit(&scene, 0);
	for (round = 0; round < 3; round++)
		scene_limit(&scene, conga_hello_nonce(&scene.hello, 0, 0));
}

/* A storm of what may be forged: the leaf, which echoes our nonce, is answered
 * all the same, and it is its nonce that we echo.
 */
static void test_hello_storm(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	scene_tick(&scene);
	assert_true(conga_hello_asked(&scene.hello, PORT, 99, scene.hello.nonce[0]));
	for (i = 0; i < 1000; i++) {
		assert_int_equal(conga_hello_asked(&scene.hello, PORT, i, i << 8),
				 i < CONGA_HELLO_ANSWERS);
		assert_int_equal(scene.hello.echo, 99);
	}
	assert_true(conga_hello_asked(&scene.hello, PORT, 98, scene.hello.nonce[1]));
	assert_int_equal(scene.hello.echo, 98);
}

static void test_hello_bye(void **state)
{
	struct scene scene;
	u64 nonce;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	conga_hello_asked(&scene.hello, PORT, 99, scene.hello.nonce[0]);
	assert_false(conga_hello_bye(&scene.hello, 0xdeadbeef));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	scene_tick(&scene);
	nonce = conga_hello_nonce(&scene.hello, 0, 0);
	assert_true(conga_hello_bye(&scene.hello, nonce));
	scene_is(&scene, false, CONGA_LEAF_BYE, 0);
	assert_int_equal(scene.hello.echo, 0);
	/* again by another uplink; an answer that was under way does not count */
	assert_true(conga_hello_bye(&scene.hello, nonce | 1));
	assert_false(scene_answer(&scene, 1));
	/* nor in the next round, when this round's nonce is the one before */
	for (i = 0; i < TICKS; i++) {
		scene_tick(&scene);
		scene_is(&scene, false, CONGA_LEAF_BYE, 0);
		assert_int_equal(scene.step.missed[0], 0);
	}
	assert_false(conga_hello_echoed(&scene.hello, nonce));
	assert_true(scene_answer(&scene, 0));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_hello_version(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_version(&scene.hello);
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
	/* forgotten after a round without */
	scene_tick(&scene);
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
	for (i = 0; i < TICKS; i++)
		scene_tick(&scene);
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
	/* one that answers is believed, until it does not */
	scene_answered(&scene, 1);
	scene.dead = 1;
	for (i = 0; i <= MISSES; i++) {
		conga_hello_version(&scene.hello);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		scene_run(&scene);
	}
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
}

/* ---- ports ---- */

static const __be16 two_ports[PORTS] = { PORT, PORT_B };

/* A leaf that answers about the ports that are not @deaf */
static void scene_ports(struct scene *scene, u16 usable, u8 deaf)
{
	scene_setup(scene, usable);
	conga_hello_setup(&scene->hello, 0, two_ports);
	scene->deaf = deaf;
	scene_rounds(scene, 2);
}

/* A further port costs one hello per round, whether it is answered about or not. */
static void test_hello_ports_cost(void **state)
{
	u8 deaf;

	(void)state;
	for (deaf = 0; deaf < 4; deaf++) {
		struct scene scene;
		int i, sum[2] = {};

		scene_ports(&scene, 0xf, deaf);
		assert_int_equal(scene.hello.agreed, 3 & ~deaf);
		for (i = 0; i < 10 * TICKS; i++) {
			scene_run(&scene);
			sum[0] += hweight16(scene.step.ask[0]);
			sum[1] += hweight16(scene.step.ask[1]);
			assert_int_equal(scene.step.ask[2] | scene.step.ask[3], 0);
		}
		assert_int_equal(sum[0], 10);
		assert_int_equal(sum[1], 10);
	}
}

/* The nonce says about which port; an answer about one is none about another. */
static void test_hello_port_of_nonce(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 0, two_ports);
	scene_tick(&scene);
	assert_true(scene_answer_to(&scene, conga_hello_nonce(&scene.hello, 0, 1)));
	assert_int_equal(scene.hello.agreed, 2);
	assert_int_equal(scene.hello.waiting[0], 1);
	assert_int_equal(scene.hello.waiting[1], 0);
	/* one that is not listed */
	assert_false(scene_answer_to(&scene, conga_hello_nonce(&scene.hello, 0, 2)));
	assert_int_equal(scene.hello.agreed, 2);
}

/* Three misses, within a round, while the leaf answers about the other: no path is out
 * because of them, whichever of the ports it was.
 */
static void test_hello_port_lost(void **state)
{
	int lost;

	(void)state;
	for (lost = 0; lost < 2; lost++) {
		struct scene scene;
		int i;

		scene_ports(&scene, 3, 0);
		scene.deaf = BIT(lost);
		for (i = 0; i <= MISSES; i++) {
			assert_int_equal(scene.hello.agreed, 3);
			scene_run(&scene);
			assert_int_equal(scene.step.silenced, 0);
		}
		assert_int_equal(scene.hello.agreed, 3 & ~BIT(lost));
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		scene_rounds(&scene, 5);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		/* and back by one answer */
		scene.deaf = 0;
		scene_rounds(&scene, 1);
		assert_int_equal(scene.hello.agreed, 3);
	}
}

/* A dead path is no reason to give up a port: it is asked about by another one. */
static void test_hello_port_by_other_path(void **state)
{
	int dead, i;

	(void)state;
	for (dead = 0; dead < 3; dead++) {
		struct scene scene;

		scene_ports(&scene, 7, 0);
		scene.dead = BIT(dead);
		for (i = 0; i < 20 * TICKS; i++) {
			scene_run(&scene);
			assert_int_equal(scene.hello.agreed, 3);
		}
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, scene.dead);
	}
}

static void test_hello_bye_ends_all_ports(void **state)
{
	struct scene scene;

	(void)state;
	scene_ports(&scene, 3, 0);
	assert_true(conga_hello_bye(&scene.hello, conga_hello_nonce(&scene.hello, 0, 1)));
	assert_int_equal(scene.hello.agreed, 0);
	scene_is(&scene, false, CONGA_LEAF_BYE, 0);
}

/* scene_list: the ports become these, and hellos go on in between. */
static void scene_list(struct scene *scene, const __be16 *ports)
{
	conga_hello_hold(&scene->hello, ports);
	scene_tick(scene);
	scene->view.random += WAYS;
	conga_hello_bind(&scene->hello, ports, scene->view.random);
}

/* An agreement is about a number, not about a place in the list. */
static void test_hello_list(void **state)
{
	static const __be16 turned[PORTS] = { PORT_B, PORT };
	static const __be16 other[PORTS] = { PORT, PORT_C };
	static const __be16 moved[PORTS] = { PORT_C, PORT };
	static const __be16 none[PORTS] = { PORT_C };
	struct scene scene;

	(void)state;
	scene_ports(&scene, 1, 2);
	assert_int_equal(scene.hello.agreed, 1);
	scene_list(&scene, turned);
	assert_int_equal(scene.hello.agreed, 2);
	scene_list(&scene, two_ports);
	assert_int_equal(scene.hello.agreed, 1);
	scene_ports(&scene, 1, 0);
	scene_list(&scene, other);
	assert_int_equal(scene.hello.agreed, 1);
	scene_list(&scene, moved);
	assert_int_equal(scene.hello.agreed, 2);
	scene_list(&scene, none);
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
}

/* Answers about the port that had the place before come too late. */
static void test_hello_list_nonces(void **state)
{
	static const __be16 other[PORTS] = { PORT, PORT_C };
	static const __be16 more[PORTS] = { PORT, PORT_C, PORT_B };
	struct scene scene;
	u64 nonce;

	(void)state;
	scene_ports(&scene, 1, 0);
	scene_tick(&scene);
	nonce = conga_hello_nonce(&scene.hello, 0, 1);
	scene.view.random += WAYS;
	conga_hello_hold(&scene.hello, other);
	assert_false(scene_answer_to(&scene, nonce));
	assert_true(scene_answer(&scene, 0));
	assert_false(conga_hello_asked(&scene.hello, PORT_B, 5, 0));
	assert_false(conga_hello_asked(&scene.hello, PORT_C, 5, 0));
	assert_true(conga_hello_asked(&scene.hello, PORT, 5, 0));
	conga_hello_bind(&scene.hello, other, scene.view.random);
	assert_false(conga_hello_echoed(&scene.hello, nonce));
	assert_int_equal(scene.hello.agreed, 1);
	/* where nothing moved they stay good */
	nonce = conga_hello_nonce(&scene.hello, 0, 1);
	conga_hello_hold(&scene.hello, more);
	conga_hello_bind(&scene.hello, more, 0);
	assert_true(scene_answer_to(&scene, nonce));
	assert_int_equal(scene.hello.agreed, 3);
}

/* What is told to the leaf goes to a port that is agreed, or by which it asked. */
static void test_hello_port(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 0, two_ports);
	scene_tick(&scene);
	assert_true(conga_hello_asked(&scene.hello, PORT_B, 7, 0));
	assert_int_equal(conga_hello_port(&scene.hello), 1);
	assert_true(scene_answer(&scene, 0));
	assert_int_equal(conga_hello_port(&scene.hello), 0);
}

/* ---- wrong echoes ---- */

/* After so many they are counted otherwise; a right one is believed all the same. */
static void test_hello_wrong(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	scene_tick(&scene);
	for (i = 0; i < 1000; i++) {
		assert_false(scene_answer_to(&scene, (u64)(i + 1) << 7));
		assert_int_equal(conga_hello_wrong(&scene.hello), i < CONGA_HELLO_WRONG);
	}
	assert_true(scene_answer(&scene, 0));
	assert_true(conga_hello_bye(&scene.hello, conga_hello_nonce(&scene.hello, 0, 0)));
	for (i = 0; i < TICKS; i++)
		scene_tick(&scene);
	assert_true(conga_hello_wrong(&scene.hello));
}

/* ---- full size ---- */

/* A leaf that answers, on paths that all take more than a small hello */
static void scene_large(struct scene *scene, u16 usable)
{
	scene_answered(scene, usable);
	scene->view.large = usable;
}

/* Each path once in so many rounds, with no small one beside. */
static void test_hello_large_cost(void **state)
{
	struct scene scene;
	int i, sum = 0, small = 0;

	(void)state;
	scene_large(&scene, 0xf0f);
	scene_rounds(&scene, EVERY);
	for (i = 0; i < 10 * EVERY * TICKS; i++) {
		scene_run(&scene);
		sum += hweight16(scene.step.large);
		small += hweight16(scene.step.ask[0]);
	}
	assert_int_equal(sum, 10 * 8);
	assert_int_equal(small, 10 * EVERY);
	assert_int_equal(scene.hello.narrow, 0);
}

/* Nobody that is not conga, nor a path that takes no more, is asked. */
static void test_hello_large_not_asked(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 3);
	scene.view.large = 3;
	for (i = 0; i < 10 * TICKS; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.large, 0);
	}
	scene_answered(&scene, 3);
	scene.view.large = 2;
	for (i = 0; i < 10 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & ~2, 0);
	}
}

/* Narrow after a doubt and three misses, tick after tick; asked once a round; back by an
 * answer.
 */
static void test_hello_narrow(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	while (!(scene.step.large & 2))
		scene_run(&scene);
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & 2, 2);
		assert_int_equal(scene.step.ask[0] & 2, 2);
		assert_int_equal(scene.step.narrowed, 0);
	}
	scene_run(&scene);
	assert_int_equal(scene.step.narrowed, 2);
	assert_int_equal(scene.hello.narrow, 2);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 2);
	for (i = 0; i < 3 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & 2, (scene.hello.tick - 1) % TICKS == 1 ?
				 2 : 0);
		assert_int_equal(scene.step.narrowed, 0);
	}
	scene.small = 0;
	scene_rounds(&scene, 1);
	assert_int_equal(scene.hello.narrow, 0);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
}

/* Where all are narrow, or the others are closed, there is nothing to choose by. */
static void test_hello_narrow_all(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 7);
	scene.small = 7;
	scene_rounds(&scene, 10);
	assert_int_equal(scene.hello.narrow, 7);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
	scene.small = 6;
	scene_rounds(&scene, 1);
	assert_int_equal(scene.hello.narrow, 6);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 6);
	assert_int_equal(conga_hello_shut(&scene.hello, 1), 0);
	/* the wide one falls silent */
	scene.view.busy = 1;
	scene.dead = 1;
	scene_rounds(&scene, 3);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 1);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 1);
	/* or loses its route */
	scene.view.usable = 6;
	scene_run(&scene);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
}

/* Where small ones are lost, too, the path is silent, and not narrow. */
static void test_hello_narrow_is_not_silent(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 3);
	scene.view.busy = 2;
	scene_rounds(&scene, EVERY);
	scene.dead = 2;
	while (!scene.step.silenced) {
		scene_run(&scene);
		assert_int_equal(scene.hello.narrow, 0);
	}
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene_rounds(&scene, EVERY);
	assert_int_equal(scene.hello.narrow, 0);
}

/* Misses count whose small hello was answered, beside others or not. */
static void test_hello_narrow_counts_pairs(void **state)
{
	struct scene scene;
	int i, pairs = 0;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	while (!(scene.step.large & 2))
		scene_run(&scene);
	scene_run(&scene);
	for (i = 0; !scene.step.narrowed; i++) {
		assert_true(pairs < MISSES);
		scene.dead = i % 2 ? 0 : 2;
		scene_run(&scene);
		pairs += !scene.dead && !scene.step.narrowed;
		assert_in_range(i, 0, 3 * MISSES);
	}
	assert_true(i > MISSES);
}

/* A leaf that nobody answers for any more has no narrow path, either. */
static void test_hello_narrow_forgotten(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	scene_rounds(&scene, 3);
	assert_int_equal(scene.hello.narrow, 2);
	scene.dead = 3;
	scene_rounds(&scene, 3);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.hello.narrow, 0);
}

/* A full-size hello that could not be sent is not missed. */
static void test_hello_unsent(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	for (i = 0; i < 3 * EVERY * TICKS; i++) {
		scene_run(&scene);
		conga_hello_unsent(&scene.hello, 1);
		assert_int_equal(scene.step.missed_large, 0);
	}
	assert_int_equal(scene.hello.narrow, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_first),
		cmocka_unit_test(test_hello_phase),
		cmocka_unit_test(test_hello_no_path),
		cmocka_unit_test(test_hello_nonce),
		cmocka_unit_test(test_hello_nonce_never_zero),
		cmocka_unit_test(test_hello_answered),
		cmocka_unit_test(test_hello_terms),
		cmocka_unit_test(test_hello_silent),
		cmocka_unit_test(test_hello_grey),
		cmocka_unit_test(test_hello_unproven),
		cmocka_unit_test(test_hello_silent_has_no_out),
		cmocka_unit_test(test_hello_route_gone),
		cmocka_unit_test(test_hello_turn),
		cmocka_unit_test(test_hello_cost),
		cmocka_unit_test(test_hello_ids),
		cmocka_unit_test(test_hello_limit),
		cmocka_unit_test(test_hello_storm),
		cmocka_unit_test(test_hello_bye),
		cmocka_unit_test(test_hello_version),
		cmocka_unit_test(test_hello_ports_cost),
		cmocka_unit_test(test_hello_port_of_nonce),
		cmocka_unit_test(test_hello_port_lost),
		cmocka_unit_test(test_hello_port_by_other_path),
		cmocka_unit_test(test_hello_bye_ends_all_ports),
		cmocka_unit_test(test_hello_list),
		cmocka_unit_test(test_hello_list_nonces),
		cmocka_unit_test(test_hello_port),
		cmocka_unit_test(test_hello_wrong),
		cmocka_unit_test(test_hello_large_cost),
		cmocka_unit_test(test_hello_large_not_asked),
		cmocka_unit_test(test_hello_narrow),
		cmocka_unit_test(test_hello_narrow_all),
		cmocka_unit_test(test_hello_narrow_is_not_silent),
		cmocka_unit_test(test_hello_narrow_counts_pairs),
		cmocka_unit_test(test_hello_narrow_forgotten),
		cmocka_unit_test(test_hello_unsent),
	};

	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
