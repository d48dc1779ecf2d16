/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_NONCE_H
#define _CONGA_HELLO_NONCE_H

#include <linux/bits.h>
#include <linux/types.h>

struct conga_hello;

/*
 * A nonce has 56 random bits of its round. The other bits tell by which LBTag its hello
 * left, about which UDP port (its index), whether the hello was of full size, and whether it
 * was a ping: at most one by each path is a ping in a round, so that its answer is known
 * from those to other hellos.
 */
#define CONGA_HELLO_TAG_MASK	0xfULL
#define CONGA_HELLO_PORT_SHIFT	4
#define CONGA_HELLO_PORT_MASK	0x30ULL
#define CONGA_HELLO_LARGE	BIT_ULL(6)
#define CONGA_HELLO_PING	BIT_ULL(7)
#define CONGA_HELLO_WAY_MASK	0xffULL

u64 conga_hello_nonce(const struct conga_hello *hello, u8 tag, u8 port);
u8 conga_hello_nonce_tag(u64 nonce);
u8 conga_hello_nonce_port(u64 nonce);

#endif /* _CONGA_HELLO_NONCE_H */
