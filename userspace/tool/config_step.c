// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/command.h"
#include "tool/config.h"
#include "tool/config_step.h"
#include "tool/epoch_file.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/port.h"
#include "tool/print.h"

static bool conga_config_step_has(const struct conga_config_step *step, int attr)
{
	return step->attrs & conga_config_bit(attr);
}

static unsigned long long conga_config_step_value(const struct conga_config_step *step, int attr)
{
	const struct conga_config_item *item = step->item;

	if (item->object == &conga_port_object && attr == CONGA_A_PORT_TAG &&
	    !(item->given & conga_config_bit(attr)))
		return step->tag;
	return item->value[attr];
}

/* --- as text --- */

/* A word is quoted if it has characters that separate or end words; a quote is quoted by the
 * other kind of quote.
 */
static void conga_config_write_word(FILE *line, const char *word)
{
	const char *c;

	if (!strpbrk(word, "\"'#\\")) {
		fprintf(line, " %s", word);
		return;
	}
	fputc(' ', line);
	for (c = word; *c; c++)
		fprintf(line, *c == '"' ? "'%c'" : "\"%c\"", *c);
}

static void conga_config_write_value(FILE *line, const struct conga_keyword *keyword,
				     unsigned long long value)
{
	const char *word = conga_args_choice_word(keyword->choices, value);
	char text[CONGA_UNITS_TEXT_MAX];

	if (!word && keyword->kind->format) {
		keyword->kind->format(text, sizeof(text), value);
		word = text;
	}
	fprintf(line, " %s %s", keyword->word, word ? word : "unknown");
}

static void conga_config_write_param(FILE *line, const struct conga_config_param *param)
{
	char text[CONGA_UNITS_TEXT_MAX];

	if (param->time)
		conga_units_format_time(text, sizeof(text), param->value);
	else
		conga_units_format_integer(text, sizeof(text), param->value);
	fprintf(line, " %s %s", param->name, text);
}

static void conga_config_write_policy(FILE *line, const struct conga_config_step *step)
{
	const struct conga_config *config = step->config;
	size_t i;

	fprintf(line, " policy %s", step->item->name);
	if (!conga_config_step_has(step, CONGA_A_FABRIC_PARAM))
		return;
	for (i = 0; i < config->param_count; i++)
		if (!config->params[i].is_default || !strcmp(step->verb, "set") ||
		    conga_options.details)
			conga_config_write_param(line, &config->params[i]);
}

static void conga_config_write_opt_out(FILE *line, const struct conga_config_step *step)
{
	const unsigned long long *value = step->item->value;

	if (conga_config_step_has(step, CONGA_A_FABRIC_OPT_OUT_MARK)) {
		if (value[CONGA_A_FABRIC_OPT_OUT_MASK])
			fprintf(line, " opt-out mark 0x%llx/0x%llx",
				value[CONGA_A_FABRIC_OPT_OUT_MARK],
				value[CONGA_A_FABRIC_OPT_OUT_MASK]);
		else
			fputs(" opt-out mark off", line);
	}
	if (!conga_config_step_has(step, CONGA_A_FABRIC_OPT_OUT_DSCP))
		return;
	if (value[CONGA_A_FABRIC_OPT_OUT_DSCP] == CONGA_DSCP_NONE)
		fputs(" opt-out dscp off", line);
	else
		fprintf(line, " opt-out dscp %llu", value[CONGA_A_FABRIC_OPT_OUT_DSCP]);
}

/* One change sets the addresses of both families: an address that is not repeated is removed. */
static void conga_config_write_local(FILE *line, const struct conga_config_step *step)
{
	const unsigned long long *value = step->item->value;
	const struct in_addr local4 = { .s_addr = value[CONGA_A_FABRIC_LOCAL4] };
	char text[INET6_ADDRSTRLEN];

	if (conga_config_step_has(step, CONGA_A_FABRIC_LOCAL4) && !strcmp(step->verb, "set"))
		fputs(" local off", line);
	if (conga_config_step_has(step, CONGA_A_FABRIC_LOCAL4) && local4.s_addr)
		fprintf(line, " local %s", inet_ntop(AF_INET, &local4, text, sizeof(text)));
	if (conga_config_step_has(step, CONGA_A_FABRIC_LOCAL6) && value[CONGA_A_FABRIC_LOCAL6])
		fprintf(line, " local %s", inet_ntop(AF_INET6, &step->config->local6, text,
						     sizeof(text)));
}

static void conga_config_write_key(FILE *line, const struct conga_config_item *item)
{
	char text[INET6_ADDRSTRLEN];

	if (item->object == &conga_port_object) {
		fputs(" dev", line);
		conga_config_write_word(line, item->name);
	} else if (item->object == &conga_leaf_object) {
		inet_ntop(item->is_v4 ? AF_INET : AF_INET6, &item->addr, text, sizeof(text));
		fprintf(line, " %s", text);
	}
}

static void conga_config_write_fabric_word(FILE *line, const struct conga_config_step *step,
					   const struct conga_keyword *keyword)
{
	size_t i;

	switch (keyword->attr) {
	case CONGA_A_FABRIC_POLICY:
		if (conga_config_step_has(step, keyword->attr))
			conga_config_write_policy(line, step);
		break;
	case CONGA_A_FABRIC_OPT_OUT_MARK:
		conga_config_write_opt_out(line, step);
		break;
	case CONGA_A_FABRIC_LOCAL4:
		conga_config_write_local(line, step);
		break;
	case CONGA_A_FABRIC_DSTPORT:
		for (i = 0; conga_config_step_has(step, keyword->attr) &&
		     i < step->config->dstport_count; i++)
			fprintf(line, " dstport %u", step->config->dstports[i]);
		break;
	default:
		if (conga_config_step_has(step, keyword->attr))
			conga_config_write_value(line, keyword, step->item->value[keyword->attr]);
	}
}

static void conga_config_write_words(FILE *line, const struct conga_config_step *step)
{
	const struct conga_object *object = step->item->object;
	const struct conga_keyword *words = conga_command_find(object, step->verb)->words;

	fprintf(line, "%s %s", object->name, step->verb);
	conga_config_write_key(line, step->item);
	for (; words && words->word; words++) {
		if (object == &conga_fabric_object)
			conga_config_write_fabric_word(line, step, words);
		else if (words->kind != &conga_kind_dev && words->kind != &conga_kind_leaf &&
			 conga_config_step_has(step, words->attr))
			conga_config_write_value(line, words,
						 conga_config_step_value(step, words->attr));
	}
}

void conga_config_step_write(FILE *file, const struct conga_config_step *step)
{
	conga_config_write_words(file, step);
	fputc('\n', file);
}

/* On screen the step is a line that this tool accepts. */
void conga_config_step_print(const struct conga_config_step *step)
{
	char *text = NULL;
	size_t size = 0;
	FILE *line = open_memstream(&text, &size);

	if (!line) {
		conga_config_no_memory();
		return;
	}
	conga_config_write_words(line, step);
	fclose(line);
	conga_print_object(NULL);
	conga_print_string("command", NULL, text);
	conga_print_object_end();
	if (!conga_options.json)
		puts(text);
	free(text);
}

/* --- as a request --- */

static int conga_config_put_params(struct nl_msg *msg, const struct conga_config *config)
{
	struct nlattr *nest;
	int err = 0;
	size_t i;

	for (i = 0; i < config->param_count && !err; i++) {
		nest = nla_nest_start(msg, CONGA_A_FABRIC_PARAM);
		err = !nest || nla_put_string(msg, CONGA_A_PARAM_NAME, config->params[i].name) ||
			nla_put_u32(msg, CONGA_A_PARAM_VALUE, config->params[i].value) ||
			(config->params[i].time && nla_put_flag(msg, CONGA_A_PARAM_TIME));
		if (nest)
			nla_nest_end(msg, nest);
	}
	return err;
}

static int conga_config_put_dstports(struct nl_msg *msg, const struct conga_config *config)
{
	int err = 0;
	size_t i;

	for (i = 0; i < config->dstport_count && !err; i++)
		err = nla_put_u16(msg, CONGA_A_FABRIC_DSTPORT, config->dstports[i]);
	return err;
}

static int conga_config_put_value(struct nl_msg *msg, const struct conga_config_step *step,
				  int attr)
{
	unsigned long long value = conga_config_step_value(step, attr);

	if (step->item->object == &conga_fabric_object) {
		switch (attr) {
		case CONGA_A_FABRIC_POLICY:
			return nla_put_string(msg, attr, step->item->name);
		case CONGA_A_FABRIC_PARAM:
			return conga_config_put_params(msg, step->config);
		case CONGA_A_FABRIC_DSTPORT:
			return conga_config_put_dstports(msg, step->config);
		case CONGA_A_FABRIC_LOCAL6:
			return nla_put(msg, attr, sizeof(step->config->local6),
				       &step->config->local6);
		}
	}
	return step->item->object->policy[attr].type == NLA_U64 ?
		nla_put_u64(msg, attr, value) : nla_put_u32(msg, attr, value);
}

static int conga_config_put_key(struct nl_msg *msg, const struct conga_config_item *item,
				unsigned int ifindex)
{
	if (item->object == &conga_port_object)
		return nla_put_u32(msg, CONGA_A_PORT_IFINDEX, ifindex);
	if (item->object == &conga_fabric_object)
		return 0;
	return item->is_v4 ? nla_put(msg, CONGA_A_LEAF_ADDR4, sizeof(struct in_addr), &item->addr) :
		nla_put(msg, CONGA_A_LEAF_ADDR6, sizeof(item->addr), &item->addr);
}

static struct nl_msg *conga_config_step_message(const struct conga_config_step *step,
						unsigned int ifindex)
{
	const struct conga_object *object = step->item->object;
	struct nl_msg *msg = conga_nl_message(conga_command_find(object, step->verb));
	int attr, err;

	if (!msg)
		return NULL;
	err = conga_config_put_key(msg, step->item, ifindex);
	for (attr = 1; attr <= object->attr_max && !err; attr++)
		if (conga_config_step_has(step, attr))
			err = conga_config_put_value(msg, step, attr);
	if (!err)
		return msg;
	conga_args_stored(err);
	nlmsg_free(msg);
	return NULL;
}

int conga_config_step_apply(const struct conga_config_step *step)
{
	struct nl_msg *msg = conga_config_step_message(step, step->item->ifindex);
	int status;

	if (!msg)
		return CONGA_REFUSED;
	status = conga_nl_request(conga_command_find(step->item->object, step->verb), msg, 0,
				  NULL, NULL);
	nlmsg_free(msg);
	if (!status && step->item->object == &conga_fabric_object && !strcmp(step->verb, "add"))
		conga_epoch_file_remove();
	return status;
}

/*
 * Checks whether the kernel would accept the values. The kernel is asked to add an
 * object that it must reject, a second fabric or a port without a device, because it
 * checks values first.
 */
int conga_config_step_check(const struct conga_config_item *item,
			    const struct conga_config *config, bool *forbidden)
{
	const struct conga_config_step step = {
		.verb = "add", .config = config, .item = item, .attrs = item->given,
	};
	struct conga_config_step checked = step;
	struct nl_msg *msg;
	int status;

	*forbidden = false;
	if (item->object == &conga_leaf_object)
		return CONGA_OK;
	if (item->object == &conga_port_object)
		checked.attrs &= ~conga_config_bit(CONGA_A_PORT_IFINDEX);
	msg = conga_config_step_message(&checked, 0);
	if (!msg)
		return CONGA_REFUSED;
	status = conga_nl_expect(conga_command_find(item->object, step.verb), msg,
				 item->object == &conga_fabric_object ? EEXIST : ENODEV,
				 forbidden);
	nlmsg_free(msg);
	return status;
}
