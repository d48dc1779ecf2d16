// SPDX-License-Identifier: GPL-2.0
/*
 * A configuration consists of values that can be compared, whether they come from the
 * kernel or from a file. A setting that a file leaves out has the default of "add".
 */
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "tool/args.h"
#include "tool/command.h"
#include "tool/config.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/policy.h"
#include "tool/port.h"
#include "tool/state.h"

#define CONGA_CONFIG_ROOM_MIN	64

int conga_config_no_memory(void)
{
	fputs("conga: out of memory\n", stderr);
	return CONGA_REFUSED;
}

/* Returns NULL without memory, after an error message. */
struct conga_config_item *conga_config_add(struct conga_config *config,
					   const struct conga_object *object)
{
	struct conga_config_item *items;
	size_t room;

	if (config->count == config->room) {
		room = config->room ? 2 * config->room : CONGA_CONFIG_ROOM_MIN;
		items = reallocarray(config->items, room, sizeof(*items));
		if (!items) {
			conga_config_no_memory();
			return NULL;
		}
		config->items = items;
		config->room = room;
	}
	memset(&config->items[config->count], 0, sizeof(*config->items));
	config->items[config->count].object = object;
	return &config->items[config->count++];
}

void conga_config_clean(struct conga_config *config)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		free(config->items[i].name);
	free(config->items);
	memset(config, 0, sizeof(*config));
}

/* --- from a message: the kernel's reply, or a line as it would be sent --- */

static int conga_config_fill_name(struct conga_config_item *item, const char *name)
{
	free(item->name);
	item->name = strdup(name);
	return item->name ? CONGA_OK : conga_config_no_memory();
}

/* A device has its primary name here, also if a file uses an alternative name. */
static int conga_config_fill_dev(struct conga_config_item *item, struct nlattr *attr)
{
	char name[IF_NAMESIZE];

	if (nla_len(attr) != sizeof(uint32_t) || !conga_attr_number(attr))
		return CONGA_OK;
	item->ifindex = conga_attr_number(attr);
	conga_names_find(item->ifindex, name);
	return conga_config_fill_name(item, name);
}

static struct conga_config_param *conga_config_find_param(struct conga_config *config,
							  const char *name)
{
	size_t i;

	for (i = 0; i < config->param_count; i++)
		if (!strcmp(config->params[i].name, name))
			return &config->params[i];
	return NULL;
}

/* Returns the parameter of this name, or a new one; NULL if there are too many. */
static struct conga_config_param *conga_config_make_param(struct conga_config *config,
							  const char *name)
{
	struct conga_config_param *param = conga_config_find_param(config, name);

	if (param || config->param_count == CONGA_CONFIG_PARAMS_MAX)
		return param;
	param = &config->params[config->param_count++];
	snprintf(param->name, sizeof(param->name), "%s", name);
	return param;
}

/* The last of repeated values counts, as in the kernel. */
static int conga_config_fill_param(struct conga_config *config, struct nlattr *nest)
{
	struct nlattr *attrs[CONGA_A_PARAM_MAX + 1];
	struct conga_config_param *param;

	if (nla_parse_nested(attrs, CONGA_A_PARAM_MAX, nest, NULL) < 0 ||
	    !attrs[CONGA_A_PARAM_NAME] || !attrs[CONGA_A_PARAM_VALUE])
		return CONGA_OK;
	param = conga_config_make_param(config, nla_get_string(attrs[CONGA_A_PARAM_NAME]));
	if (!param) {
		fputs("Error: too many parameters of a policy\n", stderr);
		return CONGA_USAGE;
	}
	param->value = conga_attr_number(attrs[CONGA_A_PARAM_VALUE]);
	param->time = attrs[CONGA_A_PARAM_TIME];
	return CONGA_OK;
}

static void conga_config_fill_addr(struct conga_config_item *item, struct nlattr *attr)
{
	item->is_v4 = nla_type(attr) == CONGA_A_LEAF_ADDR4;
	nla_memcpy(&item->addr, attr, sizeof(item->addr));
}

/* A port counts once, as in the kernel. */
static void conga_config_fill_dstport(struct conga_config *config, unsigned int port)
{
	size_t i;

	for (i = 0; i < config->dstport_count; i++)
		if (config->dstports[i] == port)
			return;
	if (config->dstport_count < CONGA_DSTPORTS_MAX)
		config->dstports[config->dstport_count++] = port;
}

static int conga_config_fill_fabric(struct conga_config *config,
				    struct conga_config_item *item, struct nlattr *attr)
{
	switch (nla_type(attr)) {
	case CONGA_A_FABRIC_POLICY:
		return conga_config_fill_name(item, nla_get_string(attr));
	case CONGA_A_FABRIC_PARAM:
		return conga_config_fill_param(config, attr);
	case CONGA_A_FABRIC_DSTPORT:
		conga_config_fill_dstport(config, conga_attr_number(attr));
		break;
	case CONGA_A_FABRIC_LOCAL6:
		nla_memcpy(&config->local6, attr, sizeof(config->local6));
		item->value[CONGA_A_FABRIC_LOCAL6] = !IN6_IS_ADDR_UNSPECIFIED(&config->local6);
		break;
	}
	return CONGA_OK;
}

/* Attributes that only pad are ignored. */
static bool conga_config_is_known(const struct conga_object *object, int type)
{
	const struct nla_policy *rule = &object->policy[type];
	int pad = object == &conga_fabric_object ? (int)CONGA_A_FABRIC_PAD :
		  object == &conga_port_object ? (int)CONGA_A_PORT_PAD : (int)CONGA_A_LEAF_PAD;

	return type == pad || (type <= object->attr_max && (rule->type || rule->minlen));
}

/* Returns true if the attribute is a keyword of "add". An opt-out, a parameter and an IPv6
 * address are given by keywords of other attributes.
 */
static bool conga_config_is_setting(const struct conga_object *object, int attr)
{
	if (object == &conga_fabric_object &&
	    (attr == CONGA_A_FABRIC_PARAM || attr == CONGA_A_FABRIC_OPT_OUT_MASK ||
	     attr == CONGA_A_FABRIC_OPT_OUT_DSCP || attr == CONGA_A_FABRIC_LOCAL6))
		return true;
	if ((object == &conga_port_object && attr == CONGA_A_PORT_ORIGIN) ||
	    (object == &conga_leaf_object && attr == CONGA_A_LEAF_ORIGIN))
		return true;
	return conga_args_find_attr(conga_command_find(object, "add")->words, attr);
}

/* Copies the attributes of @msg into the item; the last of a repeated attribute counts. */
int conga_config_fill(struct conga_config *config, struct conga_config_item *item,
		      struct nl_msg *msg)
{
	int status = CONGA_OK, rem, type;
	struct nlattr *attr;

	nlmsg_for_each_attr(attr, nlmsg_hdr(msg), GENL_HDRLEN, rem) {
		type = nla_type(attr);
		config->unknown |= !conga_config_is_known(item->object, type);
		if (type == CONGA_CONFIG_ABSENT && item->object == &conga_port_object)
			status = conga_config_fill_name(item, nla_get_string(attr));
		if (status || type > item->object->attr_max)
			continue;
		if (conga_config_is_setting(item->object, type))
			item->given |= conga_config_bit(type);
		if (nla_len(attr) <= (int)sizeof(*item->value))
			item->value[type] = conga_attr_number(attr);
		if (item->object == &conga_fabric_object)
			status = conga_config_fill_fabric(config, item, attr);
		else if (item->object == &conga_port_object && type == CONGA_A_PORT_IFINDEX)
			status = conga_config_fill_dev(item, attr);
		else if (item->object == &conga_leaf_object && type <= CONGA_A_LEAF_ADDR6)
			conga_config_fill_addr(item, attr);
		if (status)
			break;
	}
	return status;
}

/* --- defaults --- */

/* A parameter that is missing has its default. */
static int conga_config_complete_param(struct conga_config *config, struct nlattr *nest)
{
	struct conga_config known = { 0 };
	struct conga_config_param *param;
	int status;

	status = conga_config_fill_param(&known, nest);
	if (status || !known.param_count)
		return status;
	param = conga_config_find_param(config, known.params[0].name);
	if (!param)
		status = conga_config_fill_param(config, nest);
	param = conga_config_find_param(config, known.params[0].name);
	if (param)
		param->is_default = conga_config_param_equals(param, &known.params[0]);
	return status;
}

static int conga_config_complete_policy(struct conga_config *config, const char *policy,
					const struct conga_replies *policies)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1], *attr;
	int status = CONGA_OK, rem;
	size_t next = 0;

	while (conga_command_next(&conga_policy_object, policies, &next, attrs)) {
		if (!attrs[CONGA_A_POLICY_NAME] ||
		    strcmp(nla_get_string(attrs[CONGA_A_POLICY_NAME]), policy))
			continue;
		nlmsg_for_each_attr(attr, nlmsg_hdr(policies->msgs[next - 1]), GENL_HDRLEN, rem)
			if (nla_type(attr) == CONGA_A_POLICY_PARAM && !status)
				status = conga_config_complete_param(config, attr);
	}
	return status;
}

static int conga_config_complete_fabric(struct conga_config *config,
					struct conga_config_item *item)
{
	struct conga_replies policies = { 0 };
	int status = CONGA_OK;

	if (!item->name)
		status = conga_config_fill_name(item, CONGA_FABRIC_POLICY_DEFAULT);
	if (!config->dstport_count)
		config->dstports[config->dstport_count++] = CONGA_FABRIC_DSTPORT_DEFAULT;
	if (!status)
		status = conga_state_read_object(&conga_policy_object, NLM_F_DUMP, &policies,
						 NULL);
	if (!status)
		status = conga_config_complete_policy(config, item->name, &policies);
	conga_nl_replies_clean(&policies);
	return status;
}

/* Missing settings get their defaults, so that two configurations can be compared. */
int conga_config_complete(struct conga_config *config)
{
	int status = CONGA_OK, attr;
	size_t i;

	for (i = 0; i < config->count && !status; i++) {
		struct conga_config_item *item = &config->items[i];

		for (attr = 1; attr <= item->object->attr_max; attr++)
			if (!(item->given & conga_config_bit(attr)))
				item->value[attr] = item->object->defaults[attr];
		if (item->object == &conga_fabric_object)
			status = conga_config_complete_fabric(config, item);
	}
	return status;
}

/* These settings have no default, and must always be given. */
static uint32_t conga_config_always(const struct conga_config_item *item)
{
	if (item->object == &conga_fabric_object)
		return conga_config_bit(CONGA_A_FABRIC_POLICY);
	if (item->object == &conga_port_object)
		return conga_config_bit(CONGA_A_PORT_IFINDEX) |
		       conga_config_bit(CONGA_A_PORT_ROLE) | conga_config_bit(CONGA_A_PORT_TAG);
	return conga_config_bit(CONGA_A_LEAF_ADDR4) | conga_config_bit(CONGA_A_LEAF_ADDR6);
}

static uint32_t conga_config_differs(const struct conga_config *config,
				     const struct conga_config_item *item)
{
	uint32_t differs = 0;
	size_t i;
	int attr;

	for (attr = 1; attr <= item->object->attr_max; attr++)
		if (item->value[attr] != item->object->defaults[attr])
			differs |= conga_config_bit(attr);
	if (item->object != &conga_fabric_object)
		return differs;
	if (differs & conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MASK))
		differs |= conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MARK);
	if (config->dstport_count > 1)
		differs |= conga_config_bit(CONGA_A_FABRIC_DSTPORT);
	differs &= ~conga_config_bit(CONGA_A_FABRIC_PARAM);
	for (i = 0; i < config->param_count; i++)
		if (!config->params[i].is_default)
			differs |= conga_config_bit(CONGA_A_FABRIC_PARAM);
	return differs;
}

/* --- from the kernel --- */

/* A setting that the kernel chose was not configured. A random number has no default. */
static void conga_config_undo_auto(struct conga_config_item *item)
{
	unsigned long long *value = item->value;

	if (item->object == &conga_port_object) {
		if (value[CONGA_A_PORT_RATE_SOURCE] == CONGA_RATE_LINK)
			value[CONGA_A_PORT_RATE] = 0;
	} else if (item->object == &conga_fabric_object) {
		if (value[CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE] == CONGA_TIMEOUT_POLICY)
			value[CONGA_A_FABRIC_FLOWLET_TIMEOUT] = CONGA_FLOWLET_TIMEOUT_AUTO;
		if (value[CONGA_A_FABRIC_PROBE_SOURCE] == CONGA_TIMEOUT_POLICY)
			value[CONGA_A_FABRIC_PROBE] = CONGA_PROBE_AUTO;
		if (value[CONGA_A_FABRIC_LEAF_ID_ORIGIN] == CONGA_ORIGIN_AUTO)
			item->given &= ~conga_config_bit(CONGA_A_FABRIC_LEAF_ID);
	}
}

static int conga_config_read_object(struct conga_config *config,
				    const struct conga_object *object, int flags, int *error)
{
	struct conga_replies replies = { 0 };
	struct conga_config_item *item;
	int status;
	size_t i;

	status = conga_state_read_object(object, flags, &replies, error);
	for (i = 0; i < replies.count && !status; i++) {
		item = conga_config_add(config, object);
		if (!item)
			status = CONGA_REFUSED;
		else
			status = conga_config_fill(config, item, replies.msgs[i]);
		if (!status)
			conga_config_undo_auto(item);
	}
	conga_nl_replies_clean(&replies);
	return status;
}

/* The kernel reports all settings; those that differ from their defaults are marked as given. */
static void conga_config_trim(struct conga_config *config)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		config->items[i].given &= conga_config_always(&config->items[i]) |
					  conga_config_differs(config, &config->items[i]);
}

/* The caller cleans in any case. Without a fabric the configuration is empty. If @defaults is
 * true, default values are marked as given.
 */
int conga_config_read(struct conga_config *config, bool defaults)
{
	int status, error = 0;

	status = conga_config_read_object(config, &conga_fabric_object, 0, &error);
	if (error == ENOENT)
		return CONGA_OK;
	if (!status)
		status = conga_config_read_object(config, &conga_port_object, NLM_F_DUMP, NULL);
	if (!status)
		status = conga_config_read_object(config, &conga_leaf_object, NLM_F_DUMP, NULL);
	if (!status)
		status = conga_config_complete(config);
	if (!defaults)
		conga_config_trim(config);
	conga_config_sort(config);
	return status;
}

/* --- order --- */

static int conga_config_rank(const struct conga_config_item *item)
{
	return item->object == &conga_fabric_object ? 0 :
	       item->object == &conga_port_object ? 1 : 2;
}

static int conga_config_compare_keys(const struct conga_config_item *a,
				     const struct conga_config_item *b)
{
	int order = conga_config_rank(a) - conga_config_rank(b);

	if (order || a->object == &conga_fabric_object)
		return order;
	if (a->object == &conga_port_object)
		return strverscmp(a->name, b->name);
	if (a->is_v4 != b->is_v4)
		return b->is_v4 - a->is_v4;
	return memcmp(&a->addr, &b->addr, sizeof(a->addr));
}

static int conga_config_compare(const void *a, const void *b)
{
	const struct conga_config_item *first = a, *second = b;
	int order = conga_config_compare_keys(first, second);

	return order ? order : (first->line > second->line) - (first->line < second->line);
}

void conga_config_sort(struct conga_config *config)
{
	if (config->count)
		qsort(config->items, config->count, sizeof(*config->items),
		      conga_config_compare);
}

bool conga_config_same_key(const struct conga_config_item *a,
			   const struct conga_config_item *b)
{
	return !conga_config_compare_keys(a, b);
}

static int conga_config_compare_found(const void *a, const void *b)
{
	return conga_config_compare_keys(a, b);
}

const struct conga_config_item *conga_config_find(const struct conga_config *config,
						  const struct conga_config_item *like)
{
	if (!config->count)
		return NULL;
	return bsearch(like, config->items, config->count, sizeof(*config->items),
		       conga_config_compare_found);
}

const struct conga_config_item *conga_config_fabric(const struct conga_config *config)
{
	if (!config->count || config->items->object != &conga_fabric_object)
		return NULL;
	return config->items;
}
