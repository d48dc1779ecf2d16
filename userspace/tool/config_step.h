/* SPDX-License-Identifier: GPL-2.0 */
/* A change of what is configured, as text and as a request. */
#ifndef CONGA_TOOL_CONFIG_STEP_H
#define CONGA_TOOL_CONFIG_STEP_H

#include "tool/config.h"

/* @attrs, a bit each, of @item are what changes. */
struct conga_config_step {
	const char *verb;
	const struct conga_config *config;	/* that @item is of */
	const struct conga_config_item *item;
	uint32_t attrs;
	unsigned long long tag;		/* of a port that is added without one */
};

/* conga_config_step_print - as the command that does it */
void conga_config_step_print(const struct conga_config_step *step);

/* conga_config_step_apply - a status */
int conga_config_step_apply(const struct conga_config_step *step);

/* conga_config_step_check - would the kernel take the values of @item? Nothing is changed. A
 * status.
 */
int conga_config_step_check(const struct conga_config_item *item,
			    const struct conga_config *config);

#endif /* CONGA_TOOL_CONFIG_STEP_H */
