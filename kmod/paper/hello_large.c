// SPDX-License-Identifier: GPL-2.0
/*
 * Full-size hellos: which paths lose large packets? See hello.c.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>

#include "paper/hello_large.h"

/* Full-size hellos lost in a row: the first one, which raises the doubt, and the misses */
#define CONGA_HELLO_LOST	(1 + CONGA_HELLO_MISSES)

/*
 * conga_hello_large_judge - counts full-size hellos that were missed; returns the paths that became
 * narrow
 *
 * The first one only raises a doubt; later ones
 * count if the small hello beside them was answered; otherwise the path loses packets of
 * any size.
 */
u16 conga_hello_large_judge(struct conga_hello *hello)
{
	u16 small = hello->asked[hello->main] & ~hello->waiting[hello->main];
	u16 narrowed = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct conga_hello_path *path = &hello->path[tag];

		if (!(hello->large & BIT(tag)) || path->lost == CONGA_HELLO_LOST)
			continue;
		if (!path->lost || small & BIT(tag))
			path->lost++;
		if (path->lost == CONGA_HELLO_LOST)
			narrowed |= BIT(tag);
	}
	WRITE_ONCE(hello->narrow, hello->narrow | narrowed);
	return narrowed;
}

/* conga_hello_large_doubted - paths that lost a full-size hello, but too few to be narrow */
u16 conga_hello_large_doubted(const struct conga_hello *hello)
{
	u16 doubted = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (hello->path[tag].lost)
			doubted |= BIT(tag);
	return doubted & ~hello->narrow;
}

/* conga_hello_large_ask - paths that get a full-size hello now. Paths of a conga leaf get them
 * unless they are out, each at its own tick of the round.
 */
u16 conga_hello_large_ask(struct conga_hello *hello, const struct conga_hello_view *view)
{
	u16 ask = conga_hello_large_doubted(hello), able = view->usable & view->large & ~hello->out;
	u8 tag;

	if (hello->reason != CONGA_LEAF_ANSWERS)
		able = 0;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct conga_hello_path *path = &hello->path[tag];

		if (!(able & BIT(tag))) {
			path->lost = 0;
			path->due = 0;
		} else if (hello->tick == tag % CONGA_HELLO_TICKS) {
			if (!path->due || hello->narrow & BIT(tag)) {
				ask |= BIT(tag);
				path->due = view->every;
			}
			path->due--;
		}
	}
	WRITE_ONCE(hello->narrow, hello->narrow & able);
	return ask & able;
}

/* conga_hello_large_prove - a full-size hello by @tag was answered */
void conga_hello_large_prove(struct conga_hello *hello, u8 tag)
{
	hello->large &= ~BIT(tag);
	WRITE_ONCE(hello->narrow, hello->narrow & ~BIT(tag));
	hello->path[tag].lost = 0;
}

/* conga_hello_large_unsent - the full-size hello by @tag was not sent, for want of memory */
void conga_hello_large_unsent(struct conga_hello *hello, u8 tag)
{
	hello->large &= ~BIT(tag);
}
