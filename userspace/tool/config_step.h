/* SPDX-License-Identifier: GPL-2.0 */
/* A step is one change of the configuration, as text and as a request. */
#ifndef CONGA_TOOL_CONFIG_STEP_H
#define CONGA_TOOL_CONFIG_STEP_H

#include <stdbool.h>
#include <stdio.h>
#include "tool/config.h"

/* @attrs has a bit for each attribute of @item that changes. */
struct conga_config_step {
	const char *verb;
	const struct conga_config *config;	/* the configuration of @item */
	const struct conga_config_item *item;
	uint32_t attrs;
	unsigned long long tag;		/* tag of a port that is added without one */
};

/* conga_config_step_print - print the step as a command */
void conga_config_step_print(const struct conga_config_step *step);

/* conga_config_step_write - write it to a file, as a line that this tool accepts */
void conga_config_step_write(FILE *file, const struct conga_config_step *step);

/* conga_config_step_apply - send the step to the kernel; returns a status */
int conga_config_step_apply(const struct conga_config_step *step);

/* conga_config_step_check - would the kernel accept the values of @item? Nothing is changed.
 * Returns a status; CONGA_OK with *@forbidden set to true if it tells only the privileged.
 */
int conga_config_step_check(const struct conga_config_item *item,
			    const struct conga_config *config, bool *forbidden);

#endif /* CONGA_TOOL_CONFIG_STEP_H */
