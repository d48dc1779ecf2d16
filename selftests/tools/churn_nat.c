// SPDX-License-Identifier: GPL-2.0
/* NAT for churn, by messages of nftables: a process for each change would take too long. */
#include <arpa/inet.h>
#include <err.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "churn_requests.h"
#include "message.h"

#define TABLE		"churn"
#define CHAIN		"post"
#define PRIORITY_NAT	100
#define BATCH_MAX	4096

/* Changes of nftables are sent together, between two messages that begin and end the batch.
 */
struct batch {
	char	messages[BATCH_MAX];
	size_t	len;
};

static void batch_add(struct batch *batch, const struct message *msg)
{
	size_t len = NLMSG_ALIGN(msg->nl.nlmsg_len);

	if (batch->len + len > sizeof(batch->messages))
		errx(EXIT_FAILURE, "the batch is too long");
	memcpy(batch->messages + batch->len, msg, len);
	batch->len += len;
}

static void batch_mark(struct batch *batch, uint16_t type)
{
	struct nfgenmsg nf = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };
	struct message msg;

	message_init_with(&msg, type, 0, &nf, sizeof(nf));
	batch_add(batch, &msg);
}

static void change_init(struct message *msg, int type, uint16_t flags)
{
	struct nfgenmsg nf = { .nfgen_family = NFPROTO_IPV4 };

	message_init_with(msg, NFNL_SUBSYS_NFTABLES << 8 | type, flags, &nf, sizeof(nf));
}

/* The first answer is the acknowledgment or the error; the program waits for no other
 * answer.
 */
static bool batch_send(const struct box *b, const struct batch *batch)
{
	struct message answer;
	const struct nlmsgerr *error = NLMSG_DATA(&answer.nl);
	bool accepted;

	if (send(b->filter, batch->messages, batch->len, 0) < 0 ||
	    recv(b->filter, &answer, sizeof(answer), 0) < 0)
		err(EXIT_FAILURE, "nftables");
	accepted = answer.nl.nlmsg_type == NLMSG_ERROR && !error->error;
	while (recv(b->filter, &answer, sizeof(answer), MSG_DONTWAIT) > 0)
		;
	return accepted;
}

static void put_be32(struct message *msg, uint16_t type, uint32_t value)
{
	value = htonl(value);
	message_put(msg, type, &value, sizeof(value));
}

/* ---- table, chain, rule ---- */

static void table_add(struct batch *batch)
{
	struct message msg;

	change_init(&msg, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	put_string(&msg, NFTA_TABLE_NAME, TABLE);
	batch_add(batch, &msg);
}

static void chain_add(struct batch *batch)
{
	struct message msg;
	struct nlattr *hook;

	change_init(&msg, NFT_MSG_NEWCHAIN, NLM_F_CREATE);
	put_string(&msg, NFTA_CHAIN_TABLE, TABLE);
	put_string(&msg, NFTA_CHAIN_NAME, CHAIN);
	hook = nest_begin(&msg, NFTA_CHAIN_HOOK | NLA_F_NESTED);
	put_be32(&msg, NFTA_HOOK_HOOKNUM, NF_INET_POST_ROUTING);
	put_be32(&msg, NFTA_HOOK_PRIORITY, PRIORITY_NAT);
	nest_end(&msg, hook);
	put_string(&msg, NFTA_CHAIN_TYPE, "nat");
	batch_add(batch, &msg);
}

static struct nlattr *expression_begin(struct message *msg, const char *name)
{
	struct nlattr *element = nest_begin(msg, NFTA_LIST_ELEM | NLA_F_NESTED);

	put_string(msg, NFTA_EXPR_NAME, name);
	return element;
}

static void put_output_device(struct message *msg, uint32_t index)
{
	struct nlattr *element, *data, *value;

	element = expression_begin(msg, "meta");
	data = nest_begin(msg, NFTA_EXPR_DATA | NLA_F_NESTED);
	put_be32(msg, NFTA_META_KEY, NFT_META_OIF);
	put_be32(msg, NFTA_META_DREG, NFT_REG_1);
	nest_end(msg, data);
	nest_end(msg, element);

	element = expression_begin(msg, "cmp");
	data = nest_begin(msg, NFTA_EXPR_DATA | NLA_F_NESTED);
	put_be32(msg, NFTA_CMP_SREG, NFT_REG_1);
	put_be32(msg, NFTA_CMP_OP, NFT_CMP_EQ);
	value = nest_begin(msg, NFTA_CMP_DATA | NLA_F_NESTED);
	message_put(msg, NFTA_DATA_VALUE, &index, sizeof(index));
	nest_end(msg, value);
	nest_end(msg, data);
	nest_end(msg, element);
}

static void rule_add(struct batch *batch, int index)
{
	struct nlattr *expressions, *element, *data;
	struct message msg;

	change_init(&msg, NFT_MSG_NEWRULE, NLM_F_ACK | NLM_F_CREATE | NLM_F_APPEND);
	put_string(&msg, NFTA_RULE_TABLE, TABLE);
	put_string(&msg, NFTA_RULE_CHAIN, CHAIN);
	expressions = nest_begin(&msg, NFTA_RULE_EXPRESSIONS | NLA_F_NESTED);
	if (index)
		put_output_device(&msg, index);
	element = expression_begin(&msg, "masq");
	data = nest_begin(&msg, NFTA_EXPR_DATA | NLA_F_NESTED);
	nest_end(&msg, data);
	nest_end(&msg, element);
	nest_end(&msg, expressions);
	batch_add(batch, &msg);
}

bool nat_add(const struct box *b, int index)
{
	struct batch batch = {};

	batch_mark(&batch, NFNL_MSG_BATCH_BEGIN);
	table_add(&batch);
	chain_add(&batch);
	rule_add(&batch, index);
	batch_mark(&batch, NFNL_MSG_BATCH_END);
	return batch_send(b, &batch);
}

bool nat_delete(const struct box *b)
{
	struct batch batch = {};
	struct message msg;

	batch_mark(&batch, NFNL_MSG_BATCH_BEGIN);
	change_init(&msg, NFT_MSG_DELTABLE, NLM_F_ACK);
	put_string(&msg, NFTA_TABLE_NAME, TABLE);
	batch_add(&batch, &msg);
	batch_mark(&batch, NFNL_MSG_BATCH_END);
	return batch_send(b, &batch);
}
