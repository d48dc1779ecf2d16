// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf, every step of a long run against the model of
 * naive_hello.h: routes that come and go, answers late, lost, forged and of two
 * boxes, byes and other versions.
 */
#include <linux/bits.h>

#include "unit.h"
#include "naive_hello_events.h"
#include "naive_hello.h"
#include "paper/hello_ping.h"

#define TICKS		CONGA_HELLO_TICKS
#define TAGS		CONGA_TAGS_MAX
#define PORTS		CONGA_HELLO_PORTS
#define NUMBERS		6	/* of ports there are */
#define LARGE		0x40
#define PING		0x80
#define ROWS		(PORTS + 2)

static const struct conga_hello_terms terms = { .q = 3 };

/* Both, and what a network may do to hellos. */
struct world {
	struct conga_hello	hello;
	struct conga_hello_pings pings;
	struct naive_hello	naive;
	struct unit_random	random;
	struct conga_hello_view	view;
	u64			sent[ROWS][TAGS]; /* nonces of the last hellos; the last rows of
						   * full-size ones and of pings
						   */
	u64			clock;
	u64			older;		/* any that was sent before */
	u16			alive;		/* uplinks by which answers come */
	u16			wide;		/* uplinks that take large packets */
	u8			ports;		/* about which the leaf answers */
	__be16			list[PORTS];
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
	u16 closed = world->view.busy;	/* any bits */

	unit_check_step(&world->random, got == want, "%s: %d, not %d", what,
			got, want);
	unit_check_step(&world->random,
			world->hello.agreed == naive_agreed(&world->naive) &&
			world->hello.reason == world->naive.reason &&
			world->hello.echo == world->naive.echo &&
			world->hello.out == naive_out(&world->naive) &&
			world->hello.narrow == naive_narrow(&world->naive) &&
			world->hello.proven == naive_came(&world->naive),
			"%s: agreed %x reason %d echo %llx out %x narrow %x, not %x %d %llx %x %x",
			what, world->hello.agreed, world->hello.reason,
			world->hello.echo, world->hello.out, world->hello.narrow,
			naive_agreed(&world->naive), world->naive.reason,
			world->naive.echo, naive_out(&world->naive),
			naive_narrow(&world->naive));
	unit_check_step(&world->random,
			conga_hello_shut(&world->hello, closed) ==
			naive_shut(&world->naive, closed), "%s: shut", what);
}

static void world_check_pings(struct world *world)
{
	int tag;

	for (tag = 0; tag < TAGS; tag++) {
		const struct conga_hello_ping *got = &world->pings.path[tag];
		const struct naive_ping *want = &world->naive.ping[tag];
		u64 rtt = want->came == NAIVE_NEVER ? 0 : want->came - want->left;

		unit_check_step(&world->random,
				conga_hello_ping_waits(&world->hello, &world->pings, tag) ==
				naive_ping_waits(&world->naive, tag) && got->rtt == rtt &&
				got->sent == (u32)want->sent &&
				got->answered == (u32)want->answered,
				"ping %d: rtt %llu sent %u answered %u, not %llu %d %d", tag,
				got->rtt, got->sent, got->answered, rtt, want->sent,
				want->answered);
	}
}

static void world_answer(struct world *world, u64 echo)
{
	u32 id = 1 + unit_random_below(&world->random, world->boxes);
	struct conga_hello_terms theirs = {
		.q = chance(world, 50) ? 4 : 3,
		.byte3 = chance(world, 50),
		.sum = chance(world, 50),
	};
	bool got = conga_hello_answered(&world->hello, echo, id, &terms, &theirs);

	world_check(world, got,
		    naive_hello_answered(&world->naive, echo, id, &terms,
					 &theirs), "answered");
	world->clock += 1 + unit_random_below(&world->random, 1000);
	if (!got)
		return;
	conga_hello_ping_answered(&world->pings, echo, world->clock);
	naive_ping_answered(&world->naive, echo, world->clock);
	world_check_pings(world);
}

/* Pings that were ordered leave, except for a few. */
static void world_send_pings(struct world *world, u16 pinged)
{
	int tag;

	conga_hello_ping_begin(&world->pings, &world->hello, pinged);
	for (tag = 0; tag < TAGS; tag++) {
		struct naive_ping *ping = &world->naive.ping[tag];

		if (!naive_has(pinged, tag))
			continue;
		conga_hello_ping_asked(&world->pings, tag, ++world->clock);
		ping->left = world->clock;
		ping->sent++;
		if (!chance(world, 20))
			continue;
		conga_hello_ping_unsent(&world->pings, tag);
		ping->nonce = 0;
		ping->sent--;
	}
	world_check_pings(world);
}

static void world_order_ping(struct world *world)
{
	int tag = unit_random_below(&world->random, TAGS);

	world_check(world, conga_hello_ping_order(&world->hello, &world->pings, tag),
		    naive_ping_order(&world->naive, tag), "ping");
}

/* The bits that make up a nonce: also none, and those of the round before. */
static u64 world_bits(struct world *world)
{
	if (chance(world, 50))
		return unit_random_below(&world->random, NAIVE_WAYS);
	if (chance(world, 50))
		return world->naive.nonce;
	return unit_random_u64(&world->random);
}

static void world_note_sent(struct world *world, const struct conga_hello_step *step,
			    int tag)
{
	u64 nonce = 0;
	int port;

	for (port = 0; port < PORTS; port++) {
		nonce = conga_hello_nonce(&world->hello, tag, port);
		world_check(world, nonce == world->naive.nonce + port * TAGS + tag, true,
			    "nonce");
		world->sent[port][tag] = step->ask[port] & BIT(tag) ? nonce : 0;
	}
	nonce = conga_hello_nonce(&world->hello, tag, step->main) | LARGE;
	world->sent[PORTS][tag] = step->large & BIT(tag) ? nonce : 0;
	world->sent[PORTS + 1][tag] = world->naive.ping[tag].nonce;
	if (step->pinged & BIT(tag))
		world->sent[step->main][tag] = 0;
}

static void world_tick(struct world *world)
{
	struct conga_hello_step got, want;
	int tag, port;

	world->view.random = world_bits(world);
	world->view.busy = unit_random_u64(&world->random) &
			   unit_random_u64(&world->random);
	world->view.heard = world->view.busy & world->alive &
			    unit_random_u64(&world->random);
	conga_hello_tick(&world->hello, &world->view, &got);
	naive_hello_tick(&world->naive, &world->view, &want);
	unit_check_step(&world->random, got.pinged == want.pinged, "pinged %x, not %x",
			got.pinged, want.pinged);
	unit_check_step(&world->random, got.large == want.large &&
			got.main == want.main &&
			got.missed_large == want.missed_large &&
			got.narrowed == want.narrowed &&
			got.silenced == want.silenced,
			"large %x main %d missed %x narrowed %x silenced %x, not %x %d %x %x %x",
			got.large, got.main, got.missed_large, got.narrowed,
			got.silenced, want.large, want.main, want.missed_large,
			want.narrowed, want.silenced);
	for (port = 0; port < PORTS; port++)
		unit_check_step(&world->random, got.ask[port] == want.ask[port] &&
				got.missed[port] == want.missed[port],
				"port %d: ask %x missed %x, not %x %x", port,
				got.ask[port], got.missed[port], want.ask[port],
				want.missed[port]);
	world_send_pings(world, got.pinged);
	for (tag = 0; tag < TAGS; tag++)
		world_note_sent(world, &got, tag);
	if (chance(world, 5))
		world->older = world->naive.nonce;
}

/* Does the leaf get this hello, and we its answer? */
static bool world_passes(const struct world *world, u64 nonce)
{
	int tag = nonce % TAGS, port = nonce / TAGS % PORTS;

	return naive_has(world->alive, tag) && naive_has(world->ports, port) &&
	       (!(nonce & LARGE) || naive_has(world->wide, tag));
}

/* Answers to the last hellos, some of them late, lost or more than one. */
static void world_answers(struct world *world)
{
	int row, tag;

	for (row = 0; row < ROWS; row++)
		for (tag = 0; tag < TAGS; tag++) {
			u64 *sent = &world->sent[row][tag];

			if (!*sent || !world_passes(world, *sent) || chance(world, 10))
				continue;
			world_answer(world, *sent);
			if (!chance(world, 10))
				*sent = 0;
		}
}

static u64 world_any_echo(struct world *world)
{
	u64 way = unit_random_below(&world->random, NAIVE_WAYS);

	switch (unit_random_below(&world->random, 4)) {
	case 0:
		return world->older + way;
	case 1:
		return world->naive.nonce + way;
	case 2:
		return world->naive.nonce_before + way;
	}
	return unit_random_u64(&world->random);
}

static void world_bye(struct world *world)
{
	u64 echo = world_any_echo(world);

	world_check(world, conga_hello_bye(&world->hello, echo),
		    naive_hello_bye(&world->naive, echo), "bye");
}

static void world_asked(struct world *world)
{
	int i, count = chance(world, 20) ? 150 : 1;
	u64 nonce = unit_random_u64(&world->random);
	int number = 1 + unit_random_below(&world->random, NUMBERS);
	u64 echo = world_any_echo(world);

	for (i = 0; i < count; i++)
		world_check(world, conga_hello_asked(&world->hello, number, nonce + i,
						     echo),
			    naive_hello_asked(&world->naive, number, nonce + i, echo),
			    "asked");
}

/* Another list of ports, now and then while hellos go on in between. */
static void world_list(struct world *world)
{
	int i, count = unit_random_below(&world->random, PORTS) + 1;
	u64 random;

	for (i = 0; i < PORTS; i++)
		world->list[i] = i < count ?
				 1 + unit_random_below(&world->random, NUMBERS) : 0;
	conga_hello_hold(&world->hello, world->list);
	naive_hello_hold(&world->naive, world->list);
	for (i = unit_random_below(&world->random, 3); i; i--) {
		world_tick(world);
		world_answers(world);
	}
	random = unit_random_u64(&world->random);
	conga_hello_bind(&world->hello, world->list, random);
	naive_hello_bind(&world->naive, world->list, random);
	world_check(world, true, true, "list");
}

static void world_other(struct world *world)
{
	u64 echo = world_any_echo(world);

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
	case 10:
		world_check(world, conga_hello_wrong(&world->hello),
			    naive_hello_wrong(&world->naive), "wrong");
		return;
	case 11:
		world_list(world);
		return;
	case 12 ... 14:
		world_order_ping(world);
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
	if (chance(world, 60))
		world->wide = chance(world, 2) ? 0xffff : unit_random_u64(random);
	if (chance(world, 60))
		world->view.large = chance(world, 2) ? 0xffff : unit_random_u64(random);
	if (chance(world, 100))
		world->ports = chance(world, 2) ? 0xf : unit_random_u64(random);
	if (chance(world, 500))
		world->view.every = unit_random_between(random, 4, 50);
	if (chance(world, 500))
		world->boxes = chance(world, 2) ? 1 : 2;
	if (chance(world, 100))
		world->chatter = unit_random_below(random, 40);
	if (chance(world, 2000)) {
		int phase = unit_random_below(random, TICKS);

		conga_hello_setup(&world->hello, phase, world->list);
		memset(&world->pings, 0, sizeof(world->pings));
		naive_hello_setup(&world->naive, phase, world->list);
	}
}

static void test_hello_random(void **state)
{
	struct world world = {
		.view = { .usable = 0xffff, .large = 0xffff, .every = 4 },
		.boxes = 1, .wide = 0xffff, .ports = 0xf, .list = { 1, 2 },
	};

	(void)state;
	unit_random_setup(&world.random, 43);
	conga_hello_setup(&world.hello, 0, world.list);
	naive_hello_setup(&world.naive, 0, world.list);
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
