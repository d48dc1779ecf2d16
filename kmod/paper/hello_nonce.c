// SPDX-License-Identifier: GPL-2.0
/* The nonce of a hello: what it tells beside its random bits. */
#include "paper/hello_nonce.h"
#include "paper/hello_types.h"

/* conga_hello_nonce - the nonce of a small hello by @tag about @port, which the tick ordered */
u64 conga_hello_nonce(const struct conga_hello *hello, u8 tag, u8 port)
{
	return hello->nonce[0] | (u64)port << CONGA_HELLO_PORT_SHIFT | tag;
}

/* conga_hello_nonce_tag - the LBTag by which the hello with @nonce left */
u8 conga_hello_nonce_tag(u64 nonce)
{
	return nonce & CONGA_HELLO_TAG_MASK;
}

/* conga_hello_nonce_port - the index of the UDP port that the hello with @nonce asked about */
u8 conga_hello_nonce_port(u64 nonce)
{
	return (nonce & CONGA_HELLO_PORT_MASK) >> CONGA_HELLO_PORT_SHIFT;
}
