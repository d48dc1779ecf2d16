/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_LOSS_H
#define _CONGA_HELLO_LOSS_H

#include <linux/types.h>

#define CONGA_HELLO_LOSS_WINDOW	31	/* hellos that a path remembers */

/* Of one path; the lock of its hello guards it. All zero: none is remembered. */
struct conga_hello_loss {
	u32	history;	/* a bit per hello: was it missed? The last one has bit 0 */
};

void conga_hello_loss_add(struct conga_hello_loss *loss, bool missed);
void conga_hello_loss_take_back(struct conga_hello_loss *loss);
u8 conga_hello_loss_sent(const struct conga_hello_loss *loss);
u8 conga_hello_loss_missed(const struct conga_hello_loss *loss);

#endif /* _CONGA_HELLO_LOSS_H */
