/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_H
#define _CONGA_HELLO_H

#include <linux/types.h>

#include "paper/hello_nonce.h"
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

#endif /* _CONGA_HELLO_H */
