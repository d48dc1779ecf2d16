// SPDX-License-Identifier: GPL-2.0
/*
 * Pings: hellos that an operator orders, whose round-trip time is measured.
 *
 * A ping is a small hello about the main port, which the next tick sends even if the path is
 * out. It counts for the path as any hello does: an answer proves the path, and a missed
 * ping is a missed hello. Its nonce has a bit of its own, so that no other hello of the
 * round is taken for it, and a path gets at most one ping per round.
 *
 * A ping is waited for while its nonce is valid, which is one to two rounds.
 */
#include <linux/bits.h>
#include <linux/minmax.h>

#include "paper/hello_nonce.h"
#include "paper/hello_ping.h"

/* conga_hello_ping_order - the next tick must ping the path; false if it was pinged in this
 * round, or is about to be
 */
bool conga_hello_ping_order(struct conga_hello *hello, const struct conga_hello_pings *pings,
			    u8 tag)
{
	u64 round = pings->path[tag].round;

	if (hello->pinged & BIT(tag) || (round && round == hello->nonce[0]))
		return false;
	hello->pinged |= BIT(tag);
	return true;
}

/* conga_hello_ping_take - the paths that this tick pings: the ordered ones that have a route.
 * Orders wait for a later tick while no answer would count.
 */
u16 conga_hello_ping_take(struct conga_hello *hello, u16 usable)
{
	u16 pinged = hello->pinged & usable;

	if (!hello->kept || !hello->nonce[0] || hello->left)
		return 0;
	hello->pinged = 0;
	return pinged;
}

/* conga_hello_ping_begin - the tick ordered these pings, in the same section of the lock */
void conga_hello_ping_begin(struct conga_hello_pings *pings, const struct conga_hello *hello,
			    u16 pinged)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		if (!(pinged & BIT(tag)))
			continue;
		pings->path[tag].round = hello->nonce[0];
		pings->path[tag].rtt = 0;
	}
}

/* conga_hello_ping_asked - the ping by @tag leaves now */
void conga_hello_ping_asked(struct conga_hello_pings *pings, u8 tag, u64 now)
{
	pings->path[tag].asked = now;
	pings->path[tag].sent++;
}

/* conga_hello_ping_unsent - it could not leave; another one may be ordered in this round */
void conga_hello_ping_unsent(struct conga_hello_pings *pings, u8 tag)
{
	pings->path[tag].round = 0;
	pings->path[tag].sent--;
}

/* conga_hello_ping_answered - an answer came that echoes @echo, a valid nonce. Only the first
 * answer to the last ping of its path counts.
 */
void conga_hello_ping_answered(struct conga_hello_pings *pings, u64 echo, u64 now)
{
	struct conga_hello_ping *ping = &pings->path[echo & CONGA_HELLO_TAG_MASK];

	if (!(echo & CONGA_HELLO_PING) || ping->rtt ||
	    (echo & ~CONGA_HELLO_WAY_MASK) != ping->round)
		return;
	ping->rtt = max(now - ping->asked, 1ULL);
	ping->answered++;
}

/* Would an answer to this ping be accepted? */
static bool conga_hello_ping_is_valid(const struct conga_hello *hello,
				      const struct conga_hello_ping *ping)
{
	return ping->round && (ping->round == hello->nonce[0] || ping->round == hello->nonce[1]);
}

/* conga_hello_ping_waits - is a ping of this path ordered, or may it still be answered? */
bool conga_hello_ping_waits(const struct conga_hello *hello,
			    const struct conga_hello_pings *pings, u8 tag)
{
	const struct conga_hello_ping *ping = &pings->path[tag];

	return hello->pinged & BIT(tag) ||
	       (!ping->rtt && conga_hello_ping_is_valid(hello, ping));
}

/* conga_hello_ping_forget - the LBTag belongs to another uplink now */
void conga_hello_ping_forget(struct conga_hello *hello, struct conga_hello_pings *pings, u8 tag)
{
	hello->pinged &= ~BIT(tag);
	pings->path[tag] = (struct conga_hello_ping){};
}
