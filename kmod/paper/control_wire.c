// SPDX-License-Identifier: GPL-2.0
/* The positions in a control packet that the structures of the header do not show. */
#include <linux/types.h>
#include <uapi/linux/conga.h>

#include "paper/control_wire.h"
#include "paper/wire.h"

#define CONGA_CONTROL_METRIC_BITS	8

/* conga_control_body - bytes behind the header; the count in @header must be at most
 * CONGA_CONTROL_RECORDS
 */
unsigned int conga_control_body(const struct conga_control_header *header)
{
	if (header->type == CONGA_CONTROL_PROBE)
		return sizeof(struct conga_control_probe);
	return header->count * sizeof(struct conga_control_record);
}

/* conga_control_upper - bytes of the upper halves of the nonces, behind the body */
unsigned int conga_control_upper(const struct conga_control_header *header)
{
	return header->flags & CONGA_CONTROL_WIDE ?
	       sizeof(struct conga_control_wide) : 0;
}

/* conga_control_put_nonces - writes both halves of both nonces */
void conga_control_put_nonces(struct conga_control_payload *payload,
			      u64 nonce, u64 echo)
{
	payload->header.flags |= CONGA_CONTROL_WIDE;
	payload->header.nonce = cpu_to_be32((u32)nonce);
	payload->header.echo = cpu_to_be32((u32)echo);
	payload->wide.nonce = cpu_to_be32(nonce >> 32);
	payload->wide.echo = cpu_to_be32(echo >> 32);
}

/* conga_control_byte3 - the enum conga_byte3 of a node with this Q, whose policy may mark
 * packets with queues
 */
u8 conga_control_byte3(u8 q, bool marks)
{
	if (marks)
		return CONGA_BYTE3_QUEUE;
	return q > CONGA_WIRE_HALF_BITS ? CONGA_BYTE3_LOW :
					  CONGA_BYTE3_NONE;
}

/* conga_control_metric_put - a metric of a larger Q than the current one is full scale, as
 * in a stamp
 */
u8 conga_control_metric_put(u8 metric, u8 q)
{
	u8 max = BIT(q) - 1;

	return (metric < max ? metric : max) << (CONGA_CONTROL_METRIC_BITS - q);
}

/* conga_control_metric_get - 0 to 2^Q - 1 */
u8 conga_control_metric_get(u8 metric, u8 q)
{
	return metric >> (CONGA_CONTROL_METRIC_BITS - q);
}
