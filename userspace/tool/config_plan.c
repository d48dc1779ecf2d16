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
	const struct conga_config *is;
	const struct conga_config *shall;
	unsigned int tags;	/* in use, a bit per LBTag */
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

static uint32_t conga_plan_differs(const struct conga_config_item *is,
				   const struct conga_config_item *shall, int attr)
{
	return is->value[attr] == shall->value[attr] ? 0 : conga_config_bit(attr);
}

/* --- the fabric --- */

static bool conga_plan_params_differ(const struct conga_config *is,
				     const struct conga_config *shall)
{
	size_t i, j;

	for (i = 0; i < shall->param_count; i++) {
		for (j = 0; j < is->param_count; j++)
			if (!strcmp(is->params[j].name, shall->params[i].name))
				break;
		if (j == is->param_count || is->params[j].value != shall->params[i].value)
			return true;
	}
	return false;
}

/* These are the keywords that set one number. */
static uint32_t conga_plan_numbers(const struct conga_config_item *is,
				   const struct conga_config_item *shall)
{
	const struct conga_keyword *word;
	uint32_t attrs = 0;

	for (word = conga_fabric_words; word->word; word++)
		if (!(word->flags & CONGA_KEYWORD_REPEATED) &&
		    (word->kind == &conga_kind_choice || word->kind->format))
			attrs |= conga_plan_differs(is, shall, word->attr);
	return attrs;
}

static uint32_t conga_plan_opt_outs(const struct conga_config_item *is,
				    const struct conga_config_item *shall)
{
	const uint32_t mark = conga_plan_differs(is, shall, CONGA_A_FABRIC_OPT_OUT_MARK) |
			      conga_plan_differs(is, shall, CONGA_A_FABRIC_OPT_OUT_MASK);
	const uint32_t both = conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MARK) |
			      conga_config_bit(CONGA_A_FABRIC_OPT_OUT_MASK);

	return conga_plan_differs(is, shall, CONGA_A_FABRIC_OPT_OUT_DSCP) | (mark ? both : 0);
}

static uint32_t conga_plan_fabric_attrs(const struct conga_plan_state *state,
					const struct conga_config_item *is,
					const struct conga_config_item *shall)
{
	uint32_t attrs = conga_plan_numbers(is, shall) | conga_plan_opt_outs(is, shall);

	if (!(shall->given & conga_config_bit(CONGA_A_FABRIC_LEAF_ID)))
		attrs &= ~conga_config_bit(CONGA_A_FABRIC_LEAF_ID);
	if (strcmp(is->name, shall->name) || conga_plan_params_differ(state->is, state->shall))
		attrs |= conga_config_bit(CONGA_A_FABRIC_POLICY) |
			 conga_config_bit(CONGA_A_FABRIC_PARAM);
	if (is->value[CONGA_A_FABRIC_LOCAL4] != shall->value[CONGA_A_FABRIC_LOCAL4] ||
	    memcmp(&state->is->local6, &state->shall->local6, sizeof(state->is->local6)))
		attrs |= conga_config_bit(CONGA_A_FABRIC_LOCAL4) |
			 conga_config_bit(CONGA_A_FABRIC_LOCAL6);
	if (state->is->dstport_count != state->shall->dstport_count ||
	    memcmp(state->is->dstports, state->shall->dstports, sizeof(state->is->dstports)))
		attrs |= conga_config_bit(CONGA_A_FABRIC_DSTPORT);
	return attrs;
}

static int conga_plan_fabric(struct conga_plan_state *state)
{
	const struct conga_config_item *is = conga_config_fabric(state->is);
	const struct conga_config_item *shall = conga_config_fabric(state->shall);
	uint32_t attrs;

	if (!is)
		return conga_config_plan_add(state->plan, "add", state->shall, shall,
					     shall->given);
	attrs = conga_plan_fabric_attrs(state, is, shall);
	return attrs ? conga_config_plan_add(state->plan, "set", state->shall, shall, attrs) :
		CONGA_OK;
}

/* --- removals --- */

static unsigned long long conga_plan_origin(const struct conga_config_item *item)
{
	return item->value[item->object == &conga_port_object ? (int)CONGA_A_PORT_ORIGIN :
								(int)CONGA_A_LEAF_ORIGIN];
}

static unsigned int conga_plan_tag(const struct conga_config_item *item)
{
	if (item->object != &conga_port_object ||
	    !(item->given & conga_config_bit(CONGA_A_PORT_TAG)))
		return 0;
	return 1U << item->value[CONGA_A_PORT_TAG];
}

/* The kernel changes neither a role nor a tag, and no operator's object becomes a daemon's. */
static bool conga_plan_is_another(const struct conga_config_item *is,
				  const struct conga_config_item *shall)
{
	if (conga_plan_origin(is) == CONGA_ORIGIN_MANUAL &&
	    conga_plan_origin(shall) == CONGA_ORIGIN_AUTO)
		return true;
	if (is->object != &conga_port_object)
		return false;
	return is->value[CONGA_A_PORT_ROLE] != shall->value[CONGA_A_PORT_ROLE] ||
		(conga_plan_tag(shall) && conga_plan_tag(shall) != conga_plan_tag(is));
}

/* @wanted are the tags that lines name. A daemon's port with such a tag gets another one. */
static bool conga_plan_goes(const struct conga_plan_state *state,
			    const struct conga_config_item *is, unsigned int wanted)
{
	const struct conga_config_item *shall = conga_config_find(state->shall, is);

	if (shall)
		return conga_plan_is_another(is, shall);
	return conga_plan_origin(is) == CONGA_ORIGIN_MANUAL || (conga_plan_tag(is) & wanted);
}

static int conga_plan_removals(struct conga_plan_state *state)
{
	unsigned int wanted = 0;
	int status = CONGA_OK;
	size_t i;

	for (i = 0; i < state->shall->count; i++)
		wanted |= conga_plan_tag(&state->shall->items[i]);
	state->tags = wanted;
	for (i = 0; i < state->is->count && !status; i++) {
		const struct conga_config_item *is = &state->is->items[i];

		if (is->object == &conga_fabric_object)
			continue;
		if (conga_plan_goes(state, is, wanted))
			status = conga_config_plan_add(state->plan, "del", state->is, is, 0);
		else
			state->tags |= conga_plan_tag(is);
	}
	return status;
}

/* --- additions and changes --- */

/* The tag must not be one that a later line requests, or a port waits for. */
static void conga_plan_choose_tag(struct conga_plan_state *state, struct conga_config_step *step)
{
	const struct conga_config_item *item = step->item;
	unsigned int tag;

	if (item->object != &conga_port_object || conga_plan_tag(item) ||
	    item->value[CONGA_A_PORT_ROLE] != CONGA_ROLE_UPLINK)
		return;
	for (tag = 0; tag < CONGA_TAGS_MAX && (state->tags & 1U << tag); tag++)
		;
	if (tag == CONGA_TAGS_MAX)
		return;
	step->tag = tag;
	step->attrs |= conga_config_bit(CONGA_A_PORT_TAG);
	state->tags |= 1U << tag;
}

static int conga_plan_addition(struct conga_plan_state *state,
			       const struct conga_config_item *shall)
{
	const uint32_t keys = shall->object == &conga_port_object ?
		conga_config_bit(CONGA_A_PORT_IFINDEX) :
		conga_config_bit(CONGA_A_LEAF_ADDR4) | conga_config_bit(CONGA_A_LEAF_ADDR6);
	int status = conga_config_plan_add(state->plan, "add", state->shall, shall,
					   shall->given & ~keys);

	if (!status)
		conga_plan_choose_tag(state, &state->plan->steps[state->plan->count - 1]);
	return status;
}

/* A daemon's object becomes an operator's when it is set to its own values. */
static uint32_t conga_plan_adopts(const struct conga_config_item *is,
				  const struct conga_config_item *shall)
{
	if (conga_plan_origin(is) == conga_plan_origin(shall))
		return 0;
	return conga_config_bit(is->object == &conga_port_object ? (int)CONGA_A_PORT_TIER :
								   (int)CONGA_A_LEAF_MODE);
}

static int conga_plan_change(struct conga_plan_state *state,
			     const struct conga_config_item *is,
			     const struct conga_config_item *shall)
{
	uint32_t attrs = conga_plan_adopts(is, shall);

	if (is->object == &conga_port_object)
		attrs |= conga_plan_differs(is, shall, CONGA_A_PORT_RATE) |
			 conga_plan_differs(is, shall, CONGA_A_PORT_DRAIN) |
			 conga_plan_differs(is, shall, CONGA_A_PORT_TIER);
	else
		attrs |= conga_plan_differs(is, shall, CONGA_A_LEAF_MODE);
	return attrs ? conga_config_plan_add(state->plan, "set", state->shall, shall, attrs) :
		CONGA_OK;
}

static int conga_plan_item(struct conga_plan_state *state, const struct conga_config_item *shall)
{
	const struct conga_config_item *is;

	if (shall->object == &conga_fabric_object ||
	    (shall->object == &conga_port_object && !shall->ifindex))
		return CONGA_OK;
	is = conga_config_find(state->is, shall);
	return is && !conga_plan_is_another(is, shall) ? conga_plan_change(state, is, shall) :
		conga_plan_addition(state, shall);
}

/* The caller cleans in any case. */
int conga_config_plan_make(struct conga_config_plan *plan, const struct conga_config *is,
			   const struct conga_config *shall)
{
	struct conga_plan_state state = { .plan = plan, .is = is, .shall = shall };
	int status;
	size_t i;

	if (!conga_config_fabric(shall))
		return conga_config_fabric(is) ?
			conga_config_plan_add(plan, "del", is, conga_config_fabric(is), 0) :
			CONGA_OK;
	status = conga_plan_fabric(&state);
	if (!status)
		status = conga_plan_removals(&state);
	for (i = 0; i < shall->count && !status; i++)
		status = conga_plan_item(&state, &shall->items[i]);
	return status;
}
