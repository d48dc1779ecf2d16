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
#include "tool/path.h"
#include "tool/sample.h"
#include "tool/state.h"
#include "tool/stats.h"
#include "tool/table.h"

void conga_sample_clean(struct conga_sample *sample)
{
	conga_state_clean(&sample->state);
	conga_nl_replies_clean(&sample->tables);
	memset(sample, 0, sizeof(*sample));
}

static int conga_sample_read_tables(struct conga_replies *tables, int *error)
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

static int conga_sample_read_part(struct conga_sample *sample, enum conga_sample_part part,
				  int *error)
{
	if (part == CONGA_SAMPLE_TABLES)
		return conga_sample_read_tables(&sample->tables, error);
	return conga_state_read_object(&conga_path_object, NLM_F_DUMP, &sample->state.paths, error);
}

int conga_sample_take(struct conga_sample *sample, enum conga_sample_part part)
{
	int status, error = 0;

	conga_sample_clean(sample);
	status = conga_state_read_objects(&sample->state, &error);
	if (!status)
		status = conga_sample_read_part(sample, part, &error);
	if (!status)
		status = conga_stats_read(&sample->stats, &error);
	sample->taken = true;
	sample->present = !status;
	return error == ENOENT ? CONGA_OK : status;
}
