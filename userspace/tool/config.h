/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A configuration: what "conga save" writes, and what restore and sync read.
 *
 *   config.c       what is configured, by the kernel's word
 *   config_file.c  what a file says
 *   config_plan.c  what leads from one to the other
 *   config_step.c  a change, as text and as a request
 *   keep.c         save, restore, sync
 */
#ifndef CONGA_CONFIG_H
#define CONGA_CONFIG_H

#include <assert.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include "tool/tool.h"

/* The fabric has more attributes than a port or a leaf. */
#define CONGA_CONFIG_ATTRS	((int)CONGA_A_FABRIC_MAX)

static_assert((int)CONGA_A_PORT_MAX <= CONGA_CONFIG_ATTRS, "a port has more attributes");
static_assert((int)CONGA_A_LEAF_MAX <= CONGA_CONFIG_ATTRS, "a leaf has more attributes");
static_assert(CONGA_CONFIG_ATTRS < 32, "a bit per attribute");

/* A device may have an alternative name, which is longer. */
#define CONGA_CONFIG_NAME_MAX	128

/* The fabric, a port or a leaf. */
struct conga_config_item {
	const struct conga_object *object;
	unsigned long line;	/* 0: of no file */
	char *name;		/* the fabric's policy, a port's device */
	unsigned int ifindex;	/* 0: there is no such device */
	bool is_v4;
	struct in6_addr addr;	/* a leaf's; IPv4 in its first bytes */
	uint32_t given;		/* a bit per attribute; the others are defaults */
	unsigned long long value[CONGA_CONFIG_ATTRS + 1];
};

struct conga_config_param {
	char name[CONGA_POLICY_NAME_MAX];
	unsigned int value;
	bool is_default;
};

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
	bool unknown;		/* the kernel said what this tool does not know */
};

/* In a message that is never sent: the name of a device that is not there. */
#define CONGA_CONFIG_ABSENT	(CONGA_A_PORT_MAX + 1)

static inline uint32_t conga_config_bit(int attr)
{
	return UINT32_C(1) << attr;
}

/* config.c */
int conga_config_read(struct conga_config *config, bool defaults);
void conga_config_clean(struct conga_config *config);
struct conga_config_item *conga_config_add(struct conga_config *config,
					   const struct conga_object *object);
int conga_config_fill(struct conga_config *config, struct conga_config_item *item,
		      struct nl_msg *msg);
int conga_config_complete(struct conga_config *config);
void conga_config_sort(struct conga_config *config);
bool conga_config_same_key(const struct conga_config_item *a,
			   const struct conga_config_item *b);
const struct conga_config_item *conga_config_find(const struct conga_config *config,
						  const struct conga_config_item *like);
const struct conga_config_item *conga_config_fabric(const struct conga_config *config);
int conga_config_no_memory(void);

/* config_file.c */
int conga_config_load(struct conga_config *config, const char *file, bool all_devices);

/* config_step.c: @attrs, a bit each, of @item are what changes. */
struct conga_config_step {
	const char *verb;
	const struct conga_config *config;	/* that @item is of */
	const struct conga_config_item *item;
	uint32_t attrs;
	unsigned long long tag;		/* of a port that is added without one */
};

void conga_config_step_print(const struct conga_config_step *step);
int conga_config_step_apply(const struct conga_config_step *step);
int conga_config_step_check(const struct conga_config_item *item,
			    const struct conga_config *config);

/* config_plan.c */
struct conga_config_plan {
	struct conga_config_step *steps;
	size_t count;
	size_t room;
};

int conga_config_plan_make(struct conga_config_plan *plan, const struct conga_config *is,
			   const struct conga_config *shall);
int conga_config_plan_add(struct conga_config_plan *plan, const char *verb,
			  const struct conga_config *config,
			  const struct conga_config_item *item, uint32_t attrs);
void conga_config_plan_clean(struct conga_config_plan *plan);

#endif /* CONGA_CONFIG_H */
