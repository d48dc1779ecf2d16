// SPDX-License-Identifier: GPL-2.0
/*
 * Hello: does a leaf run conga, and by which uplinks can it be reached?
 *
 * Beyond the paper, whose leaves all run CONGA and whose links fail loudly. Here
 * a leaf without the module drops stamped packets, and a spine that drops
 * silently looks idle, and would attract every new flowlet. So each leaf is
 * asked, by hellos that carry a nonce, and is stamped for only while it answers;
 * and a path that carries packets, but of which no feedback comes, is asked by
 * that very uplink.
 *
 * Time is counted in ticks, four to a hello interval, the round. A leaf that
 * answers gets one hello per round, by its uplinks in turn, and one more by each
 * silent path. An answer proves its path for a round. A hello that is not
 * answered by the next tick is missed, and asked again at once, so that three
 * misses take no longer than a round:
 *
 * - By one path, while the leaf answers by another: that path is out until an
 *   answer comes by it; it is asked once a round.
 * - By all paths that were asked: the leaf is silent, and none is out, since
 *   there is nothing to choose by. A leaf that does not answer gets one hello
 *   per round.
 *
 * Cost, in packets per leaf and second: (1 + silent paths) / hello interval
 * sent, as many received, and the same again for the leaf's own hellos.
 *
 * A nonce counts for its round and the next one. What echoes none is not taken:
 * who cannot see the fabric's packets cannot speak for a leaf.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hello.h"

/* conga_hello_setup - a leaf not heard of; @tick spreads leaves over a round */
void conga_hello_setup(struct conga_hello *hello, u8 tick)
{
	WRITE_ONCE(hello->echo, 0);
	WRITE_ONCE(hello->id, 0);
	WRITE_ONCE(hello->reason, CONGA_LEAF_SILENT);
	memset_after(hello, 0, reason);
	hello->misses = CONGA_HELLO_MISSES;
	hello->tick = tick % CONGA_HELLO_TICKS;
	hello->turn = CONGA_TAGS_MAX - 1;
}

/* A path whose route is gone is neither missed nor silent, and begins anew. */
static void conga_hello_forget(struct conga_hello *hello, u16 usable)
{
	u8 tag;

	hello->asked &= usable;
	hello->waiting &= usable;
	hello->out &= usable;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!(usable & BIT(tag)))
			hello->path[tag] = (struct conga_hello_path){};
}

static void conga_hello_miss(struct conga_hello *hello)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct conga_hello_path *path = &hello->path[tag];

		if (path->proof)
			path->proof--;
		if (hello->heard && hello->waiting & BIT(tag) &&
		    path->misses < CONGA_HELLO_MISSES)
			path->misses++;
	}
	if (hello->asked && hello->asked == hello->waiting &&
	    hello->misses < CONGA_HELLO_MISSES)
		hello->misses++;
}

/* Nobody answers: nothing is known of any path. */
static void conga_hello_silence(struct conga_hello *hello, u8 reason)
{
	hello->heard = false;
	WRITE_ONCE(hello->reason, reason);
	hello->misses = CONGA_HELLO_MISSES;
	hello->waiting = 0;
	hello->out = 0;
	memset(hello->path, 0, sizeof(hello->path));
}

static u16 conga_hello_judge(struct conga_hello *hello)
{
	u16 out = 0;
	u8 tag;

	if (hello->misses == CONGA_HELLO_MISSES) {
		conga_hello_silence(hello, hello->version ? CONGA_LEAF_VERSION :
							    CONGA_LEAF_SILENT);
		return 0;
	}
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (hello->path[tag].misses == CONGA_HELLO_MISSES)
			out |= BIT(tag);
	out &= ~hello->out;
	hello->out |= out;
	return out;
}

static void conga_hello_round(struct conga_hello *hello, u32 random)
{
	hello->nonce[1] = hello->left ? 0 : hello->nonce[0];
	hello->left = false;
	hello->nonce[0] = random & ~CONGA_HELLO_TAG_MASK;
	if (!hello->nonce[0])
		hello->nonce[0] = CONGA_HELLO_TAG_MASK + 1;
	memset(hello->answers, 0, sizeof(hello->answers));
	if (hello->calm)
		hello->calm--;
	if (!hello->version && hello->reason == CONGA_LEAF_VERSION)
		WRITE_ONCE(hello->reason, CONGA_LEAF_SILENT);
	hello->version = false;
}

/* The next one of @set after the last turn, as a bit; 0 if @set is empty. */
static u16 conga_hello_next(struct conga_hello *hello, u16 set)
{
	u8 i;

	for (i = 0; set && i < CONGA_TAGS_MAX; i++) {
		hello->turn = (hello->turn + 1) % CONGA_TAGS_MAX;
		if (set & BIT(hello->turn))
			return BIT(hello->turn);
	}
	return 0;
}

/* Paths that missed some, but not enough to be out. */
static u16 conga_hello_suspects(const struct conga_hello *hello)
{
	u16 suspects = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (hello->path[tag].misses)
			suspects |= BIT(tag);
	return suspects & ~hello->out;
}

static u16 conga_hello_unproven(const struct conga_hello *hello)
{
	u16 unproven = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!hello->path[tag].proof)
			unproven |= BIT(tag);
	return unproven & ~hello->out;
}

/* The hello that goes round leaves out what is asked, or out, anyway; unless
 * there is nothing else.
 */
static u16 conga_hello_ask(struct conga_hello *hello,
			   const struct conga_hello_view *view)
{
	bool begin = !hello->tick;
	u16 ask = 0, rest;

	if (!hello->heard)
		return begin ? conga_hello_next(hello, view->usable) : 0;
	ask |= conga_hello_suspects(hello);
	ask |= conga_hello_unproven(hello) & view->busy & ~view->heard;
	if (begin)
		ask |= hello->out;
	ask &= view->usable;
	if (begin || hello->misses) {
		rest = view->usable & ~ask & ~hello->out;
		ask |= conga_hello_next(hello, rest ? rest : view->usable);
	}
	return ask;
}

/**
 * conga_hello_tick - CONGA_HELLO_TICKS times per hello interval
 * @hello: of one leaf
 * @view: what is known of its paths
 * @step: what to do: send a hello by each of @ask
 */
void conga_hello_tick(struct conga_hello *hello,
		      const struct conga_hello_view *view,
		      struct conga_hello_step *step)
{
	conga_hello_forget(hello, view->usable);
	step->missed = hello->waiting;
	conga_hello_miss(hello);
	step->silenced = hello->heard ? conga_hello_judge(hello) : 0;
	if (!hello->tick)
		conga_hello_round(hello, view->random);
	step->ask = conga_hello_ask(hello, view);
	hello->asked = step->ask;
	hello->waiting = step->ask;
	hello->tick = (hello->tick + 1) % CONGA_HELLO_TICKS;
}

/* conga_hello_nonce - for a hello that leaves by @tag, after a tick asked */
u32 conga_hello_nonce(const struct conga_hello *hello, u8 tag)
{
	return hello->nonce[0] | tag;
}

/* conga_hello_echoed - is this a nonce that was sent not long ago? */
bool conga_hello_echoed(const struct conga_hello *hello, u32 echo)
{
	u32 round = echo & ~CONGA_HELLO_TAG_MASK;

	return round && (round == hello->nonce[0] || round == hello->nonce[1]);
}

static u8 conga_hello_compare(const struct conga_hello_terms *ours,
			      const struct conga_hello_terms *theirs)
{
	if (ours->q != theirs->q)
		return CONGA_LEAF_Q;
	if (ours->byte3 != theirs->byte3)
		return CONGA_LEAF_BYTE3;
	if (ours->sum != theirs->sum)
		return CONGA_LEAF_METRIC;
	return CONGA_LEAF_ANSWERS;
}

/* A box that was restarted has another id once. Two boxes behind one address
 * come back to an id that was there before.
 */
static void conga_hello_identify(struct conga_hello *hello, u32 id)
{
	if (id == hello->id)
		return;
	if (id == hello->other)
		hello->calm = CONGA_HELLO_CALM;
	hello->other = hello->id;
	WRITE_ONCE(hello->id, id);
}

/**
 * conga_hello_answered - an answer came
 * @hello: of its sender
 * @echo: the nonce it echoes
 * @id: the sender's leaf id
 * @ours: the terms of this box
 * @theirs: the sender's
 *
 * False, and nothing changed, if it echoes no nonce of ours.
 */
bool conga_hello_answered(struct conga_hello *hello, u32 echo, u32 id,
			  const struct conga_hello_terms *ours,
			  const struct conga_hello_terms *theirs)
{
	u8 tag = echo & CONGA_HELLO_TAG_MASK;

	if (!conga_hello_echoed(hello, echo) || hello->left)
		return false;
	hello->waiting &= ~BIT(tag);
	hello->out &= ~BIT(tag);
	hello->path[tag].misses = 0;
	hello->path[tag].proof = CONGA_HELLO_TICKS;
	hello->misses = 0;
	hello->heard = true;
	conga_hello_identify(hello, id);
	WRITE_ONCE(hello->reason, hello->calm ? CONGA_LEAF_ALTERNATES :
						conga_hello_compare(ours, theirs));
	return true;
}

/* conga_hello_bye - the leaf leaves; false if it echoes no nonce of ours. What it
 * answered before may still be under way, and must not count. A bye comes by
 * several uplinks.
 */
bool conga_hello_bye(struct conga_hello *hello, u32 echo)
{
	if (!conga_hello_echoed(hello, echo))
		return false;
	conga_hello_silence(hello, CONGA_LEAF_BYE);
	hello->left = true;
	WRITE_ONCE(hello->echo, 0);
	return true;
}

/* conga_hello_asked - the leaf's hello; false if it has asked enough this round. It
 * is proven if it echoes a nonce of ours. Others may be forged: they have a limit
 * of their own, and give no nonce once there is a leaf that answers.
 */
bool conga_hello_asked(struct conga_hello *hello, u32 nonce, u32 echo)
{
	bool proven = conga_hello_echoed(hello, echo);

	if (hello->answers[proven] == CONGA_HELLO_ANSWERS)
		return false;
	hello->answers[proven]++;
	if (proven || !hello->heard)
		WRITE_ONCE(hello->echo, nonce);
	return true;
}

/* conga_hello_version - the leaf sent a control packet of another version */
void conga_hello_version(struct conga_hello *hello)
{
	hello->version = true;
	if (!hello->heard)
		WRITE_ONCE(hello->reason, CONGA_LEAF_VERSION);
}
