/* SPDX-License-Identifier: GPL-2.0 */
/* A plan has the steps from one configuration to another. */
#ifndef CONGA_TOOL_CONFIG_PLAN_H
#define CONGA_TOOL_CONFIG_PLAN_H

#include "tool/config_step.h"

/* A plan starts all zero. */
struct conga_config_plan {
	struct conga_config_step *steps;
	size_t count;
	size_t room;
};

/* conga_config_plan_make - add all steps from the configuration @current to the configuration
 * @desired, which both must outlive the plan; returns a status
 */
int conga_config_plan_make(struct conga_config_plan *plan, const struct conga_config *current,
			   const struct conga_config *desired);

/* conga_config_plan_add - add one step; returns a status */
int conga_config_plan_add(struct conga_config_plan *plan, const char *verb,
			  const struct conga_config *config,
			  const struct conga_config_item *item, uint32_t attrs);

void conga_config_plan_clean(struct conga_config_plan *plan);

#endif /* CONGA_TOOL_CONFIG_PLAN_H */
