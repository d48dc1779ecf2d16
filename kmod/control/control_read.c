// SPDX-License-Identifier: GPL-2.0
/* Control packets that were received: is the payload complete, is its checksum right, and which
 * terms does its sender have?
 */
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "control/control_read.h"
#include "objects/extension.h"
#include "objects/fabric.h"
#include "packet/packet.h"

/* LOCAL_IN comes before UDP verifies checksums. The checksums of joined datagrams were
 * verified when they were joined.
 */
static bool conga_control_intact(const struct conga_control_source *source,
				 const struct udphdr *udp)
{
	const struct conga_packet *packet = source->packet;

	if (source->length || (!udp->check && !packet->v6))
		return true;
	/* The check only notes in the skb that the sum is right. */
	return !nf_checksum((struct sk_buff *)source->skb, NF_INET_LOCAL_IN,
			    packet->udp, IPPROTO_UDP,
			    packet->v6 ? AF_INET6 : AF_INET);
}

/* Among joined datagrams only the first has a UDP header, with the length of all. */
static bool conga_control_udp(const struct conga_control_source *source,
			      struct udphdr *udp)
{
	if (skb_copy_bits(source->skb, source->packet->udp, udp, sizeof(*udp)))
		return false;
	if (source->length)
		udp->len = htons(sizeof(*udp) + source->length);
	return true;
}

/* The upper halves of nonces, at @offset of the packet; zero if it has none. */
static bool conga_control_read_wide(const struct conga_control_source *source,
				    struct conga_control_payload *payload, int offset)
{
	memset(&payload->wide, 0, sizeof(payload->wide));
	return !(payload->header.flags & CONGA_CONTROL_WIDE) ||
	       !skb_copy_bits(source->skb, offset, &payload->wide,
			      sizeof(payload->wide));
}

/* conga_control_type - the type in the header; 0 if the packet ends before it. Softirq, RCU */
u8 conga_control_type(const struct conga_control_source *source)
{
	int offset = source->packet->udp + sizeof(struct udphdr) + 2 * sizeof(u32) +
		     offsetof(struct conga_control_header, type);
	u8 type;

	return skb_copy_bits(source->skb, offset, &type, sizeof(type)) ? 0 : type;
}

/* conga_control_read - read the payload; false if a part is cut off that its header
 * announces. All bytes behind it are padding. Softirq, RCU
 */
bool conga_control_read(const struct conga_control_source *source,
			struct conga_control_payload *payload)
{
	struct conga_control_header *header = &payload->header;
	int offset = source->packet->udp + sizeof(struct udphdr);
	int length = 2 * sizeof(u32) + sizeof(*header);
	struct udphdr udp;

	if (!conga_control_udp(source, &udp) ||
	    skb_copy_bits(source->skb, offset + 2 * sizeof(u32), header,
			  sizeof(*header)))
		return false;
	if (header->magic != cpu_to_be32(CONGA_CONTROL_MAGIC) ||
	    header->count > CONGA_CONTROL_RECORDS)
		return false;
	if (skb_copy_bits(source->skb, offset + length, payload->record,
			  conga_control_body(header)))
		return false;
	length += conga_control_body(header);
	if (!conga_control_read_wide(source, payload, offset + length))
		return false;
	length += conga_control_upper(header);
	return ntohs(udp.len) >= sizeof(udp) + length &&
	       conga_control_intact(source, &udp);
}

/* conga_control_terms - the terms of this node */
struct conga_hello_terms conga_control_terms(const struct conga_params *params)
{
	return (struct conga_hello_terms) {
		.q	= params->q,
		.byte3	= conga_extension_byte3(params),
		.sum	= params->metric == CONGA_METRIC_SUM,
	};
}

/* conga_control_terms_read - the terms of the sender of a control packet of this version */
struct conga_hello_terms
conga_control_terms_read(const struct conga_control_header *header)
{
	return (struct conga_hello_terms) {
		.q	= header->q,
		.byte3	= header->byte3,
		.sum	= header->flags & CONGA_CONTROL_SUM,
	};
}
