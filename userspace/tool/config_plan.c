// SPDX-License-Identifier: GPL-2.0
/*
 * A plan has the steps from one configuration to another: first the fabric's
 * parameters, which the kernel may reject, then removals, then additions. Settings that
 * are equal stay untouched, and so do objects of a daemon that no line changes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include "common/status.h"
#include "tool/args.h"
#include "tool/config.h"
#include "tool/config_plan.h"
#include "tool/config_step.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/port.h"

#define CONGA_PLAN_ROOM_MIN	16

struct conga_plan_state {
	struct conga_config_plan *plan;
	const struct conga_config *current;
	const struct conga_config *desired;
	unsigned int used_tags;	/* a bit per LBTag */
};

int conga_config_plan_add(struct conga_config_plan *plan, const char *verb,
			  const struct conga_config *config,
			  const struct conga_config_item *item, uint32_t attrs)
{
	struct conga_config_step *steps;
	size_t room;

	if (plan->count == plan->room) {
		room = plan->room ? 2 * plan->room : CONGA_PLAN_ROOM_MIN;
		steps = reallocarray(plan->steps, room, sizeof(*steps));
		if (!steps)
			return conga_config_no_memory();
		plan->steps = steps;
		plan->room = room;
	}
	plan->steps[plan->count++] = (struct conga_config_step){
		.verb = verb, .config = config, .item = item, .attrs = attrs,
	};
	return CONGA_OK;
}

void conga_config_plan_clean(struct conga_config_plan *plan)
{
	free(plan->steps);
	memset(plan, 0, sizeof(*plan));
}

static uint32_t conga_plan_diff_attr(const struct conga_config_item *current,
				     const struct conga_config_item *desired, int attr)
{
	return current->value[attr] == desired->value[attr] ? 0 : conga_config_bit(attr);
}

/* --- the fabric --- */

static bool conga_plan_params_differ(const struct conga_config *current,
				     const struct conga_config *desired)
{
	size_t i, j;

	for (i = 0; i < desired->param_count; i++) {
		for (j = 0; j < current->param_count; j++)
			if (!strcmp(current->params[j].name, desired->params[i].name))
				break;
		if (j == current->param_count ||
		    !conga_config_param_equals(&current->params[j], &desired->params[i]))
			return true;
	}
	return false;
}

/* These are the keywords that set one number. */
static uint32_t conga_plan_numbers(const struct conga_config_item *current,
				   const struct conga_config_item *desired)
{
	const struct conga_keyword *word;
	uint32_t attrs = 0;

	for (word = conga_fabric_words; word->word; word++)
		if (!(word->flags & CONGA_KEYWORD_REPEATED) &&
		    (word->kind == &conga_kind_choice || word->kind->format))
			attrs |= conga_plan_diff_attr(current, desired, word->attr);
	return attrs;
}

static uint32_t conga_plan_opt_outs(const struct conga_config_item *current,
				    const struct conga_config_item *desired)
{
	const uint32_t mark = conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MARK) |
			      conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MASK);
	uint32_t attrs = conga_plan_diff_attr(current, desired, CONGA_A_FABRIC_OPT_OUT_MARK) |
			 conga_plan_diff_attr(current, desired, CONGA_A_FABRIC_OPT_OUT_MASK);

	if (attrs)
		attrs = mark;
	return attrs | conga_plan_diff_attr(current, desired, CONGA_A_FABRIC_OPT_OUT_DSCP);
}

static uint32_t conga_plan_diff_fabric(const struct conga_plan_state *state,
				       const struct conga_config_item *current,
				       const struct conga_config_item *desired)
{
	uint32_t attrs = conga_plan_numbers(current, desired) |
			 conga_plan_opt_outs(current, desired);

	if (!(desired->given & conga_config_bit(CONGA_A_FABRIC_LEAF_ID)))
		attrs &= ~conga_config_bit(CONGA_A_FABRIC_LEAF_ID);
	if (strcmp(current->name, desired->name) ||
	    conga_plan_params_differ(state->current, state->desired))
		attrs |= conga_config_bit(CONGA_A_FABRIC_POLICY) |
			 conga_config_bit(CONGA_A_FABRIC_PARAM);
	if (current->value[CONGA_A_FABRIC_LOCAL4] != desired->value[CONGA_A_FABRIC_LOCAL4] ||
	    memcmp(&state->current->local6, &state->desired->local6,
		   sizeof(state->current->local6)))
		attrs |= conga_config_bit(CONGA_A_FABRIC_LOCAL4) |
			 conga_config_bit(CONGA_A_FABRIC_LOCAL6);
	if (state->current->dstport_count != state->desired->dstport_count ||
	    memcmp(state->current->dstports, state->desired->dstports,
		   sizeof(state->current->dstports)))
		attrs |= conga_config_bit(CONGA_A_FABRIC_DSTPORT);
	return attrs;
}

static int conga_plan_update_fabric(struct conga_plan_state *state)
{
	const struct conga_config_item *current = conga_config_fabric(state->current);
	const struct conga_config_item *desired = conga_config_fabric(state->desired);
	uint32_t attrs;

	if (!current)
		return conga_config_plan_add(state->plan, "add", state->desired, desired,
					     desired->given);
	attrs = conga_plan_diff_fabric(state, current, desired);
	return attrs ? conga_config_plan_add(state->plan, "set", state->desired, desired, attrs) :
		CONGA_OK;
}

/* --- removals --- */

static unsigned long long conga_plan_origin(const struct conga_config_item *item)
{
	return item->value[item->object == &conga_port_object ? (int)CONGA_A_PORT_ORIGIN :
								(int)CONGA_A_LEAF_ORIGIN];
}

static unsigned int conga_plan_tag_bit(const struct conga_config_item *item)
{
	if (item->object != &conga_port_object ||
	    !(item->given & conga_config_bit(CONGA_A_PORT_TAG)))
		return 0;
	return 1U << item->value[CONGA_A_PORT_TAG];
}

/* The kernel changes neither a role nor a tag, and no operator's object becomes a daemon's. */
static bool conga_plan_must_replace(const struct conga_config_item *current,
				    const struct conga_config_item *desired)
{
	if (conga_plan_origin(current) == CONGA_ORIGIN_MANUAL &&
	    conga_plan_origin(desired) == CONGA_ORIGIN_AUTO)
		return true;
	if (current->object != &conga_port_object)
		return false;
	return current->value[CONGA_A_PORT_ROLE] != desired->value[CONGA_A_PORT_ROLE] ||
		(conga_plan_tag_bit(desired) &&
		 conga_plan_tag_bit(desired) != conga_plan_tag_bit(current));
}

/* @named_tags are those that lines name. A daemon's port with such a tag gets another one. */
static bool conga_plan_must_remove(const struct conga_plan_state *state,
				   const struct conga_config_item *current, unsigned int named_tags)
{
	const struct conga_config_item *desired = conga_config_find(state->desired, current);

	if (desired)
		return conga_plan_must_replace(current, desired);
	return conga_plan_origin(current) == CONGA_ORIGIN_MANUAL ||
		(conga_plan_tag_bit(current) & named_tags);
}

static int conga_plan_remove_items(struct conga_plan_state *state)
{
	unsigned int named_tags = 0;
	int status = CONGA_OK;
	size_t i;

	for (i = 0; i < state->desired->count; i++)
		named_tags |= conga_plan_tag_bit(&state->desired->items[i]);
	state->used_tags = named_tags;
	for (i = 0; i < state->current->count && !status; i++) {
		const struct conga_config_item *current = &state->current->items[i];

		if (current->object == &conga_fabric_object)
			continue;
		if (conga_plan_must_remove(state, current, named_tags))
			status = conga_config_plan_add(state->plan, "del", state->current,
						       current, 0);
		else
			state->used_tags |= conga_plan_tag_bit(current);
	}
	return status;
}

/* --- additions and changes --- */

/* The tag must not be one that a later line requests, or a port waits for. */
static void conga_plan_choose_tag(struct conga_plan_state *state, struct conga_config_step *step)
{
	const struct conga_config_item *item = step->item;
	unsigned int tag;

	if (item->object != &conga_port_object || conga_plan_tag_bit(item) ||
	    item->value[CONGA_A_PORT_ROLE] != CONGA_ROLE_UPLINK)
		return;
	for (tag = 0; tag < CONGA_TAGS_MAX && (state->used_tags & 1U << tag); tag++)
		;
	if (tag == CONGA_TAGS_MAX)
		return;
	step->tag = tag;
	step->attrs |= conga_config_bit(CONGA_A_PORT_TAG);
	state->used_tags |= 1U << tag;
}

static int conga_plan_add_item(struct conga_plan_state *state,
			       const struct conga_config_item *desired)
{
	const uint32_t keys = desired->object == &conga_port_object ?
		conga_config_bit(CONGA_A_PORT_IFINDEX) :
		conga_config_bit(CONGA_A_LEAF_ADDR4) | conga_config_bit(CONGA_A_LEAF_ADDR6);
	int status = conga_config_plan_add(state->plan, "add", state->desired, desired,
					   desired->given & ~keys);

	if (!status)
		conga_plan_choose_tag(state, &state->plan->steps[state->plan->count - 1]);
	return status;
}

/* A daemon's object becomes an operator's when it is set to its own values. */
static uint32_t conga_plan_adopt_attr(const struct conga_config_item *current,
				      const struct conga_config_item *desired)
{
	if (conga_plan_origin(current) == conga_plan_origin(desired))
		return 0;
	return conga_config_bit(current->object == &conga_port_object ?
				(int)CONGA_A_PORT_TIER : (int)CONGA_A_LEAF_MODE);
}

static int conga_plan_set_item(struct conga_plan_state *state,
			       const struct conga_config_item *current,
			       const struct conga_config_item *desired)
{
	uint32_t attrs = conga_plan_adopt_attr(current, desired);

	if (current->object == &conga_port_object)
		attrs |= conga_plan_diff_attr(current, desired, CONGA_A_PORT_RATE) |
			 conga_plan_diff_attr(current, desired, CONGA_A_PORT_DRAIN) |
			 conga_plan_diff_attr(current, desired, CONGA_A_PORT_TIER);
	else
		attrs |= conga_plan_diff_attr(current, desired, CONGA_A_LEAF_MODE);
	return attrs ? conga_config_plan_add(state->plan, "set", state->desired, desired, attrs) :
		CONGA_OK;
}

static int conga_plan_update_item(struct conga_plan_state *state,
				  const struct conga_config_item *desired)
{
	const struct conga_config_item *current;

	if (desired->object == &conga_fabric_object ||
	    (desired->object == &conga_port_object && !desired->ifindex))
		return CONGA_OK;
	current = conga_config_find(state->current, desired);
	return current && !conga_plan_must_replace(current, desired) ?
		conga_plan_set_item(state, current, desired) : conga_plan_add_item(state, desired);
}

/* The caller cleans in any case. */
int conga_config_plan_make(struct conga_config_plan *plan, const struct conga_config *current,
			   const struct conga_config *desired)
{
	struct conga_plan_state state = { .plan = plan, .current = current, .desired = desired };
	int status;
	size_t i;

	if (!conga_config_fabric(desired))
		return conga_config_fabric(current) ?
			conga_config_plan_add(plan, "del", current,
					      conga_config_fabric(current), 0) :
			CONGA_OK;
	status = conga_plan_update_fabric(&state);
	if (!status)
		status = conga_plan_remove_items(&state);
	for (i = 0; i < desired->count && !status; i++)
		status = conga_plan_update_item(&state, &desired->items[i]);
	return status;
}
