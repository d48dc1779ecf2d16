/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_WIRE_H
#define _CONGA_CONTROL_WIRE_H

#include <asm/byteorder.h>
#include <linux/types.h>
#include <uapi/linux/conga.h>

#include "paper/wire.h"

/*
 * The payload of control packets, version 1: all bytes, big endian, so that it
 * has no holes anywhere. See include/uapi/linux/conga.h for its picture.
 */
#define CONGA_CONTROL_MAGIC	0x434e4741u	/* 'CNGA' */
#define CONGA_CONTROL_VERSION	1
#define CONGA_CONTROL_RECORDS	16		/* at most: one per LBTag */

enum conga_control_type {
	CONGA_CONTROL_HELLO = 1,
	CONGA_CONTROL_FEEDBACK,
	CONGA_CONTROL_BYE,
	CONGA_CONTROL_PROBE,	/* between neighbours; a body instead of records */
};

/* Of packets between neighbours: nobody can have it left who is farther away. */
#define CONGA_CONTROL_LINK_HOPS	255

#define CONGA_CONTROL_ASK	0x01	/* this hello wants an answer */
#define CONGA_CONTROL_SUM	0x02	/* the sender's metric is sum */
#define CONGA_CONTROL_WIDE	0x04	/* upper halves of nonces, behind the records */

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
	__be32	nonce;		/* to be echoed; 0: none. Of both the lower half */
	__be32	echo;		/* the last nonce heard; 0: none */
};

/* Behind the records, if flagged: the upper halves of both */
struct conga_control_wide {
	__be32	nonce;
	__be32	echo;
};

/* A row of a from-leaf table. */
struct conga_control_record {
	u8	tag;		/* the receiver's LBTag */
	u8	metric;		/* left-aligned: 2^Q values in 8 bits */
	__be16	zero;
};

/* What is between a leaf and the box that this is sent to. */
struct conga_control_probe {
	__be32	origin[4];	/* the leaf's address, IPv4 mapped */
	u8	utilisation;	/* of the path to it, 255 is full */
	u8	hops;		/* boxes that it may still pass */
	__be16	zero;
};

struct conga_control_payload {
	struct conga_control_header	header;
	union {
		struct conga_control_record	record[CONGA_CONTROL_RECORDS];
		struct conga_control_probe	probe;
	};
	struct conga_control_wide	wide;	/* not at this place on the wire */
};

/* A hello behind its IP header: UDP's and VXLAN's of 8 bytes each, and the payload */
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
