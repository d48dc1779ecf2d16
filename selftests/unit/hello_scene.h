/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_HELLO_SCENE_H
#define _UNIT_HELLO_SCENE_H

/* A leaf and its uplinks, some of which may be dead, for the tests of hello. */
#include <linux/bitops.h>
#include <string.h>

#include "paper/hello.h"

#define TICKS		CONGA_HELLO_TICKS
#define MISSES		CONGA_HELLO_MISSES
#define TAGS		CONGA_TAGS_MAX
#define ID		77
#define PORTS		CONGA_HELLO_PORTS
#define WAYS		256		/* nonces of a round */
#define ANY_ROUND	0x123456789abcde00ull	/* random bits of a round */
#define EVERY		5		/* rounds between full-size hellos */
#define PORT		4789		/* numbers of ports, in any byte order */
#define PORT_B		8472
#define PORT_C		9999

static const __be16 one_port[PORTS] = { PORT };

static const struct conga_hello_terms terms = { .q = 3 };

/* A leaf, the world as the next tick sees it, and what the last tick did. */
struct scene {
	struct conga_hello	hello;
	struct conga_hello_view	view;
	struct conga_hello_step	step;
	u16			dead;	/* uplinks by which no answer comes */
	u16			small;	/* uplinks that swallow full-size hellos */
	u8			deaf;	/* ports about which no answer comes */
};

static inline void scene_setup(struct scene *scene, u16 usable)
{
	memset(scene, 0, sizeof(*scene));
	conga_hello_setup(&scene->hello, 0, one_port);
	scene->view.usable = usable;
	scene->view.random = ANY_ROUND;
	scene->view.every = EVERY;
}

/* A tick, whose nonces nobody has seen before. */
static inline void scene_tick(struct scene *scene)
{
	scene->view.random += WAYS;
	conga_hello_tick(&scene->hello, &scene->view, &scene->step);
}

static inline bool scene_answer_to(struct scene *scene, u64 nonce)
{
	return conga_hello_answered(&scene->hello, nonce, ID, &terms, &terms);
}

static inline bool scene_answer(struct scene *scene, u8 tag)
{
	return scene_answer_to(scene, conga_hello_nonce(&scene->hello, tag, 0));
}

/* Answers to the hellos by @tag that the last tick sent. */
static inline void scene_answer_all(struct scene *scene, u8 tag)
{
	u64 nonce;
	int port;

	for (port = 0; port < PORTS; port++) {
		nonce = conga_hello_nonce(&scene->hello, tag, port);
		if (scene->deaf & BIT(port))
			continue;
		if (scene->step.ask[port] & BIT(tag))
			assert_true(scene_answer_to(scene, nonce));
		if (scene->step.main == port &&
		    scene->step.large & ~scene->small & BIT(tag))
			assert_true(scene_answer_to(scene, nonce | CONGA_HELLO_LARGE));
	}
}

/* A tick, and answers by all uplinks that work. */
static inline void scene_run(struct scene *scene)
{
	int tag;

	scene_tick(scene);
	for (tag = 0; tag < TAGS; tag++)
		if (!(scene->dead & BIT(tag)))
			scene_answer_all(scene, tag);
}

static inline void scene_rounds(struct scene *scene, int rounds)
{
	int i;

	for (i = 0; i < rounds * TICKS; i++)
		scene_run(scene);
}

/* A leaf that answers by all of @usable. The next tick begins a round. */
static inline void scene_answered(struct scene *scene, u16 usable)
{
	int i;

	scene_setup(scene, usable);
	for (i = 0; i < TICKS; i++)
		scene_run(scene);
	assert_true(scene->hello.agreed);
}

static inline void scene_is(const struct scene *scene, bool heard, u8 reason, u16 out)
{
	assert_int_equal(!!scene->hello.agreed, heard);
	assert_int_equal(scene->hello.reason, reason);
	assert_int_equal(scene->hello.out, out);
}

#endif /* _UNIT_HELLO_SCENE_H */
