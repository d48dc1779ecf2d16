// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/args.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/state.h"
#include "tool/stats.h"
#include "tool/table.h"
#include "tool/top_sample.h"

void conga_top_sample_clean(struct conga_top_sample *sample)
{
	conga_state_clean(&sample->state);
	conga_nl_replies_clean(&sample->tables);
	memset(sample, 0, sizeof(*sample));
}

static int conga_top_sample_read_tables(struct conga_replies *tables, int *error)
{
	const struct conga_command *command = conga_table_object.commands;
	struct nl_msg *msg = conga_nl_message(command);
	int status;

	if (!msg)
		return CONGA_REFUSED;
	status = conga_args_stored(nla_put_u32(msg, CONGA_A_TABLE_KIND, CONGA_TABLE_TO_LEAF));
	if (!status)
		status = conga_nl_request(command, msg, NLM_F_DUMP, tables, error);
	nlmsg_free(msg);
	return status;
}

/* A missing fabric is shown as well, because one may be added. */
int conga_top_sample_take(struct conga_top_sample *sample)
{
	int status, error = 0;

	conga_top_sample_clean(sample);
	status = conga_state_read_objects(&sample->state, &error);
	if (!status)
		status = conga_top_sample_read_tables(&sample->tables, &error);
	if (!status)
		status = conga_stats_read(&sample->stats, &error);
	sample->taken = true;
	sample->present = !status;
	return error == ENOENT ? CONGA_OK : status;
}
