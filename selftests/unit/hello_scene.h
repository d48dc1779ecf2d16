/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_HELLO_SCENE_H
#define _UNIT_HELLO_SCENE_H

/* A leaf and its uplinks, some of which may be dead, for the tests of hello. */
#include <linux/bitops.h>
#include <string.h>

#include "hello.h"

#define TICKS		CONGA_HELLO_TICKS
#define MISSES		CONGA_HELLO_MISSES
#define TAGS		CONGA_TAGS_MAX
#define ID		77
#define ANY_ROUND	0x12345670u	/* random bits of a round */

static const struct conga_hello_terms terms = { .q = 3 };

/* A leaf, the world as the next tick sees it, and what the last tick did. */
struct scene {
	struct conga_hello	hello;
	struct conga_hello_view	view;
	struct conga_hello_step	step;
	u16			dead;	/* uplinks by which no answer comes */
};

static inline void scene_setup(struct scene *scene, u16 usable)
{
	memset(scene, 0, sizeof(*scene));
	conga_hello_setup(&scene->hello, 0);
	scene->view.usable = usable;
	scene->view.random = ANY_ROUND;
}

/* A tick, whose nonces nobody has seen before. */
static inline void scene_tick(struct scene *scene)
{
	scene->view.random += TAGS;
	conga_hello_tick(&scene->hello, &scene->view, &scene->step);
}

static inline bool scene_answer(struct scene *scene, u8 tag)
{
	u32 nonce = conga_hello_nonce(&scene->hello, tag);

	return conga_hello_answered(&scene->hello, nonce, ID, &terms, &terms);
}

/* A tick, and answers by all uplinks that work. */
static inline void scene_run(struct scene *scene)
{
	int tag;

	scene_tick(scene);
	for (tag = 0; tag < TAGS; tag++)
		if (scene->step.ask & ~scene->dead & BIT(tag))
			assert_true(scene_answer(scene, tag));
}

/* A leaf that answers by all of @usable. The next tick begins a round. */
static inline void scene_answered(struct scene *scene, u16 usable)
{
	int i;

	scene_setup(scene, usable);
	for (i = 0; i < TICKS; i++)
		scene_run(scene);
	assert_true(scene->hello.heard);
}

static inline void scene_is(const struct scene *scene, bool heard, u8 reason, u16 out)
{
	assert_int_equal(scene->hello.heard, heard);
	assert_int_equal(scene->hello.reason, reason);
	assert_int_equal(scene->hello.out, out);
}

#endif /* _UNIT_HELLO_SCENE_H */
