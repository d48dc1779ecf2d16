/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_WIRE_H
#define _CONGA_CONTROL_WIRE_H

#include <asm/byteorder.h>
#include <linux/types.h>
#include <uapi/linux/conga.h>

#include "paper/wire.h"

/*
 * The payload of control packets, version 1. All fields are bytes or big endian, and no
 * compiler leaves a hole between them. include/uapi/linux/conga.h has a picture of it.
 */
#define CONGA_CONTROL_MAGIC	0x434e4741u	/* 'CNGA' */
#define CONGA_CONTROL_VERSION	1
#define CONGA_CONTROL_RECORDS	16		/* at most one per LBTag */

enum conga_control_type {
	CONGA_CONTROL_HELLO = 1,
	CONGA_CONTROL_FEEDBACK,
	CONGA_CONTROL_BYE,
	CONGA_CONTROL_PROBE,	/* between neighbours; a body instead of records */
	CONGA_CONTROL_ANNOUNCE,	/* likewise, without body and records */
};

/* Control packets between neighbours have TTL 255, which no router away can forge (GTSM,
 * RFC 5082).
 */
#define CONGA_CONTROL_LINK_HOPS	255

#define CONGA_CONTROL_ASK	0x01	/* this hello wants an answer */
#define CONGA_CONTROL_SUM	0x02	/* the sender's metric is sum */
#define CONGA_CONTROL_WIDE	0x04	/* upper halves of nonces, behind the records */
#define CONGA_CONTROL_ECN	0x08	/* in hellos: the sender has ecn on */

struct conga_control_header {
	__be32	magic;
	u8	version;
	u8	type;		/* enum conga_control_type */
	u8	flags;
	u8	count;		/* records that follow */
	__be32	id;		/* the sender's leaf id */
	u8	q;
	u8	byte3;		/* enum conga_byte3 */
	__be16	zero;
	__be32	nonce;		/* lower half; the receiver echoes it; 0: none */
	__be32	echo;		/* lower half of the last nonce heard; 0: none */
};

/* The upper halves of both nonces, behind the records, if CONGA_CONTROL_WIDE is set */
struct conga_control_wide {
	__be32	nonce;
	__be32	echo;
};

/* One entry of a from-leaf table */
struct conga_control_record {
	u8	tag;		/* the receiver's LBTag */
	u8	metric;		/* left-aligned: 2^Q values in 8 bits */
	__be16	zero;
};

/* The state of the path between a leaf and the node that this packet is sent to */
struct conga_control_probe {
	__be32	origin[4];	/* the leaf's address, IPv4 mapped */
	u8	utilisation;	/* of the path to it, 255 is full */
	u8	hops;		/* nodes that it may still pass */
	__be16	zero;
};

struct conga_control_payload {
	struct conga_control_header	header;
	union {
		struct conga_control_record	record[CONGA_CONTROL_RECORDS];
		struct conga_control_probe	probe;
	};
	struct conga_control_wide	wide;	/* the wire has it elsewhere, behind the records */
};

/* Bytes of a hello behind its IP header: UDP and VXLAN have 8 each, then the payload */
#define CONGA_CONTROL_SMALL	(8 + 8 + sizeof(struct conga_control_header) + \
				 sizeof(struct conga_control_wide))

unsigned int conga_control_body(const struct conga_control_header *header);
unsigned int conga_control_upper(const struct conga_control_header *header);
void conga_control_put_nonces(struct conga_control_payload *payload,
			      u64 nonce, u64 echo);
u8 conga_control_byte3(u8 q, bool marks);
u8 conga_control_metric_put(u8 metric, u8 q);
u8 conga_control_metric_get(u8 metric, u8 q);

#endif /* _CONGA_CONTROL_WIRE_H */
