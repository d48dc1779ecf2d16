/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_LARGE_H
#define _CONGA_HELLO_LARGE_H

#include "paper/hello_types.h"

u16 conga_hello_large_judge(struct conga_hello *hello);
u16 conga_hello_large_doubted(const struct conga_hello *hello);
u16 conga_hello_large_ask(struct conga_hello *hello, const struct conga_hello_view *view);
void conga_hello_large_prove(struct conga_hello *hello, u8 tag);
void conga_hello_large_unsent(struct conga_hello *hello, u8 tag);

#endif /* _CONGA_HELLO_LARGE_H */
