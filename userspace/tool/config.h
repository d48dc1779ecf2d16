/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration is read from the kernel or from a file. */
#ifndef CONGA_TOOL_CONFIG_H
#define CONGA_TOOL_CONFIG_H

#include <assert.h>
#include <netinet/in.h>
#include <stdint.h>
#include "tool/grammar.h"

/* The fabric has more attributes than a port or a leaf. */
#define CONGA_CONFIG_ATTRS	((int)CONGA_A_FABRIC_MAX)

static_assert((int)CONGA_A_PORT_MAX <= CONGA_CONFIG_ATTRS, "a port has more attributes");
static_assert((int)CONGA_A_LEAF_MAX <= CONGA_CONFIG_ATTRS, "a leaf has more attributes");
static_assert(CONGA_CONFIG_ATTRS < 32, "a bit per attribute");

/* An alternative name of a device is longer than its name. */
#define CONGA_CONFIG_NAME_MAX	128

/* An item is the fabric, a port or a leaf. */
struct conga_config_item {
	const struct conga_object *object;
	unsigned long line;	/* 0: not from a file */
	char *name;		/* the fabric's policy, a port's device */
	unsigned int ifindex;	/* 0: no such device */
	bool is_v4;
	struct in6_addr addr;	/* a leaf's; IPv4 in its first bytes */
	uint32_t given;		/* a bit per attribute; the others have their defaults */
	unsigned long long value[CONGA_CONFIG_ATTRS + 1];
};

struct conga_config_param {
	char name[CONGA_POLICY_NAME_MAX];
	unsigned int value;
	bool time;		/* the value is in ns */
	bool is_default;
};

/* A number is no time: the kernel rejects it. */
static inline bool conga_config_param_equals(const struct conga_config_param *one,
					     const struct conga_config_param *other)
{
	return one->value == other->value && one->time == other->time;
}

#define CONGA_CONFIG_PARAMS_MAX	16

/* Items are sorted: the fabric, ports by name, leaves by address. */
struct conga_config {
	struct conga_config_item *items;
	size_t count;
	size_t room;
	struct conga_config_param params[CONGA_CONFIG_PARAMS_MAX];	/* of the fabric's policy */
	size_t param_count;
	unsigned int dstports[CONGA_DSTPORTS_MAX];
	size_t dstport_count;
	struct in6_addr local6;	/* the fabric's; its item has whether it has one */
	bool unknown;		/* the kernel reported an attribute that this tool does not know */
};

/* This attribute holds the name of a missing device, in a message that is never sent. */
#define CONGA_CONFIG_ABSENT	(CONGA_A_PORT_MAX + 1)

static inline uint32_t conga_config_bit(int attr)
{
	return UINT32_C(1) << attr;
}

/* conga_config_read - read the kernel's configuration, empty without a fabric; if @defaults is
 * true, default values are marked as given. Returns a status; the caller cleans in any case.
 */
int conga_config_read(struct conga_config *config, bool defaults);
void conga_config_clean(struct conga_config *config);

/* conga_config_add - append an item without values; returns NULL after an error message if there
 * is no memory
 */
struct conga_config_item *conga_config_add(struct conga_config *config,
					   const struct conga_object *object);

/* conga_config_fill - copy the attributes of @msg, a reply or a request, into the item; returns
 * a status
 */
int conga_config_fill(struct conga_config *config, struct conga_config_item *item,
		      struct nl_msg *msg);

/* conga_config_complete - set missing settings to their defaults, so that two configurations can
 * be compared; returns a status
 */
int conga_config_complete(struct conga_config *config);

void conga_config_sort(struct conga_config *config);

/* conga_config_same_key - are they the same object? */
bool conga_config_same_key(const struct conga_config_item *a,
			   const struct conga_config_item *b);

/* These functions search a sorted configuration for the same object, and for the fabric; they
 * return NULL if it is missing.
 */
const struct conga_config_item *conga_config_find(const struct conga_config *config,
						  const struct conga_config_item *like);
const struct conga_config_item *conga_config_fabric(const struct conga_config *config);

/* conga_config_no_memory - print the error, and return its status */
int conga_config_no_memory(void);

#endif /* CONGA_TOOL_CONFIG_H */
