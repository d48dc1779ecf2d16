// SPDX-License-Identifier: GPL-2.0
/*
 * Which share of the latest hellos by a path was lost?
 *
 * A path is out after three misses in a row. A path that loses one packet in five is hardly ever
 * out, but TCP suffers by it, so that an operator must know. Each path remembers the fate of its
 * latest 31 hellos, a bit each, which takes 19 s with two uplinks and the default interval.
 */
#include <linux/bitops.h>

#include "paper/hello_loss.h"

#define CONGA_HELLO_LOSS_FULL	BIT(CONGA_HELLO_LOSS_WINDOW)

/* The highest bit that is set stands above the oldest hello, and for none. */
static u32 conga_hello_loss_begin(const struct conga_hello_loss *loss)
{
	return loss->history ? : 1;
}

/* conga_hello_loss_add - the next hello was answered, or missed. If the history is full, the
 * oldest hello gives its bit to the one that stands above.
 */
void conga_hello_loss_add(struct conga_hello_loss *loss, bool missed)
{
	u32 history = conga_hello_loss_begin(loss);

	loss->history = history << 1 | missed | (history & CONGA_HELLO_LOSS_FULL);
}

/* conga_hello_loss_take_back - an answer came that was not waited for any more: the last miss was
 * none
 */
void conga_hello_loss_take_back(struct conga_hello_loss *loss)
{
	if (conga_hello_loss_missed(loss))
		loss->history &= loss->history - 1;
}

/* conga_hello_loss_sent - the number of hellos that are remembered */
u8 conga_hello_loss_sent(const struct conga_hello_loss *loss)
{
	return fls64(conga_hello_loss_begin(loss)) - 1;
}

/* conga_hello_loss_missed - how many of these were missed */
u8 conga_hello_loss_missed(const struct conga_hello_loss *loss)
{
	return hweight32(conga_hello_loss_begin(loss)) - 1;
}
