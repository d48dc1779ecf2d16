// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf, every step of a long run against the model of
 * naive_hello.h: routes that come and go, answers late, lost, forged and of two
 * boxes, byes and other versions.
 */
#include <linux/bits.h>

#include "unit.h"
#include "naive_hello.h"

#define TICKS		CONGA_HELLO_TICKS
#define TAGS		CONGA_TAGS_MAX

static const struct conga_hello_terms terms = { .q = 3 };

/* Both, and what a network may do to hellos. */
struct world {
	struct conga_hello	hello;
	struct naive_hello	naive;
	struct unit_random	random;
	struct conga_hello_view	view;
	u32			sent[TAGS];	/* nonces of the last hellos */
	u32			older;		/* any that was sent before */
	u16			alive;		/* uplinks by which answers come */
	int			boxes;		/* behind the leaf's address */
	int			chatter;	/* other events, in a hundred */
};

static bool chance(struct world *world, int in)
{
	return !unit_random_below(&world->random, in);
}

static void world_check(struct world *world, bool got, bool want,
			const char *what)
{
	unit_check_step(&world->random, got == want, "%s: %d, not %d", what,
			got, want);
	unit_check_step(&world->random,
			world->hello.heard == world->naive.heard &&
			world->hello.reason == world->naive.reason &&
			world->hello.echo == world->naive.echo &&
			world->hello.out == naive_out(&world->naive),
			"%s: heard %d reason %d echo %x out %x, not %d %d %x %x",
			what, world->hello.heard, world->hello.reason,
			world->hello.echo, world->hello.out,
			world->naive.heard, world->naive.reason,
			world->naive.echo, naive_out(&world->naive));
}

static void world_answer(struct world *world, u32 echo)
{
	u32 id = 1 + unit_random_below(&world->random, world->boxes);
	struct conga_hello_terms theirs = {
		.q = chance(world, 50) ? 4 : 3,
		.byte3 = chance(world, 50),
		.sum = chance(world, 50),
	};

	world_check(world,
		    conga_hello_answered(&world->hello, echo, id, &terms, &theirs),
		    naive_hello_answered(&world->naive, echo, id, &terms,
					 &theirs), "answered");
}

/* The bits that make up a nonce: also none, and those of the round before. */
static u32 world_bits(struct world *world)
{
	if (chance(world, 50))
		return unit_random_below(&world->random, TAGS);
	if (chance(world, 50))
		return world->naive.nonce;
	return unit_random_u64(&world->random);
}

static void world_tick(struct world *world)
{
	struct conga_hello_step got, want;
	int tag;

	world->view.random = world_bits(world);
	world->view.busy = unit_random_u64(&world->random) &
			   unit_random_u64(&world->random);
	world->view.heard = world->view.busy & world->alive &
			    unit_random_u64(&world->random);
	conga_hello_tick(&world->hello, &world->view, &got);
	naive_hello_tick(&world->naive, &world->view, &want);
	unit_check_step(&world->random, got.ask == want.ask &&
			got.missed == want.missed &&
			got.silenced == want.silenced,
			"ask %x missed %x silenced %x, not %x %x %x", got.ask,
			got.missed, got.silenced, want.ask, want.missed,
			want.silenced);
	for (tag = 0; tag < TAGS; tag++) {
		u32 nonce = conga_hello_nonce(&world->hello, tag);

		world_check(world, nonce == world->naive.nonce + tag, true,
			    "nonce");
		world->sent[tag] = got.ask & BIT(tag) ? nonce : 0;
	}
	if (chance(world, 5))
		world->older = world->naive.nonce;
}

/* Answers to the last hellos, some of them late, lost or more than one. */
static void world_answers(struct world *world)
{
	int tag;

	for (tag = 0; tag < TAGS; tag++) {
		if (!world->sent[tag] || !naive_has(world->alive, tag) ||
		    chance(world, 10))
			continue;
		world_answer(world, world->sent[tag]);
		if (!chance(world, 10))
			world->sent[tag] = 0;
	}
}

static u32 world_any_echo(struct world *world)
{
	u32 tag = unit_random_below(&world->random, TAGS);

	switch (unit_random_below(&world->random, 4)) {
	case 0:
		return world->older + tag;
	case 1:
		return world->naive.nonce + tag;
	case 2:
		return world->naive.nonce_before + tag;
	}
	return unit_random_u64(&world->random);
}

static void world_bye(struct world *world)
{
	u32 echo = world_any_echo(world);

	world_check(world, conga_hello_bye(&world->hello, echo),
		    naive_hello_bye(&world->naive, echo), "bye");
}

static void world_asked(struct world *world)
{
	int i, count = chance(world, 20) ? 70 : 1;
	u32 nonce = unit_random_u64(&world->random);
	u32 echo = world_any_echo(world);

	for (i = 0; i < count; i++)
		world_check(world, conga_hello_asked(&world->hello, nonce + i,
						     echo),
			    naive_hello_asked(&world->naive, nonce + i, echo),
			    "asked");
}

static void world_other(struct world *world)
{
	u32 echo = world_any_echo(world);

	switch (unit_random_below(&world->random, 20)) {
	case 0:
		world_bye(world);
		return;
	case 1:
		conga_hello_version(&world->hello);
		naive_hello_version(&world->naive);
		world_check(world, true, true, "version");
		return;
	case 2 ... 5:
		world_answer(world, echo);
		return;
	case 6 ... 9:
		world_check(world, conga_hello_echoed(&world->hello, echo),
			    naive_hello_echoed(&world->naive, echo), "echoed");
		return;
	}
	world_asked(world);
}

/* Rarely another fabric: routes, dead uplinks, number of boxes, peace. */
static void world_change(struct world *world)
{
	struct unit_random *random = &world->random;

	if (chance(world, 100))
		world->view.usable = unit_random_u64(random) &
				     unit_random_u64(random);
	if (chance(world, 50))
		world->view.usable |= unit_random_u64(random);
	if (chance(world, 60))
		world->alive = chance(world, 4) ? 0 : unit_random_u64(random);
	if (chance(world, 30))
		world->alive |= world->view.usable;
	if (chance(world, 500))
		world->boxes = chance(world, 2) ? 1 : 2;
	if (chance(world, 100))
		world->chatter = unit_random_below(random, 40);
	if (chance(world, 2000)) {
		int phase = unit_random_below(random, TICKS);

		conga_hello_setup(&world->hello, phase);
		naive_hello_setup(&world->naive, phase);
	}
}

static void test_hello_random(void **state)
{
	struct world world = { .view.usable = 0xffff, .boxes = 1 };

	(void)state;
	unit_random_setup(&world.random, 43);
	conga_hello_setup(&world.hello, 0);
	naive_hello_setup(&world.naive, 0);
	for (; world.random.step < UNIT_STEPS; world.random.step++) {
		if (unit_random_below(&world.random, 100) < (u64)world.chatter) {
			world_other(&world);
			continue;
		}
		world_change(&world);
		world_tick(&world);
		world_answers(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_random),
	};

	return cmocka_run_group_tests_name("hello_random", tests, NULL, NULL);
}
