/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_H
#define _CONGA_HELLO_H

/* The shifts and masks are inline only because hello.c is as long as a file may be. */
#include <linux/bits.h>
#include <linux/types.h>

#include "paper/hello_types.h"

void conga_hello_setup(struct conga_hello *hello, u8 tick, const __be16 *port);
void conga_hello_hold(struct conga_hello *hello, const __be16 *port);
void conga_hello_bind(struct conga_hello *hello, const __be16 *port, u64 random);
void conga_hello_tick(struct conga_hello *hello,
		      const struct conga_hello_view *view,
		      struct conga_hello_step *step);
bool conga_hello_echoed(const struct conga_hello *hello, u64 echo);
bool conga_hello_wrong(struct conga_hello *hello);
bool conga_hello_answered(struct conga_hello *hello, u64 echo, u32 id,
			  const struct conga_hello_terms *ours,
			  const struct conga_hello_terms *theirs);
bool conga_hello_bye(struct conga_hello *hello, u64 echo);
bool conga_hello_asked(struct conga_hello *hello, __be16 port, u64 nonce, u64 echo);
void conga_hello_version(struct conga_hello *hello);
u8 conga_hello_port(const struct conga_hello *hello);
u16 conga_hello_shut(const struct conga_hello *hello, u16 closed);

/* conga_hello_nonce - the nonce of a small hello by @tag about @port, which the tick ordered */
static inline u64 conga_hello_nonce(const struct conga_hello *hello, u8 tag, u8 port)
{
	return hello->nonce[0] | (u64)port << CONGA_HELLO_PORT_SHIFT | tag;
}

/* conga_hello_unsent - the full-size hello by @tag was not sent, for want of memory */
static inline void conga_hello_unsent(struct conga_hello *hello, u8 tag)
{
	hello->large &= ~BIT(tag);
}

static inline u8 conga_hello_nonce_tag(u64 nonce)
{
	return nonce & CONGA_HELLO_TAG_MASK;
}

static inline u8 conga_hello_nonce_port(u64 nonce)
{
	return (nonce & CONGA_HELLO_PORT_MASK) >> CONGA_HELLO_PORT_SHIFT;
}

#endif /* _CONGA_HELLO_H */
