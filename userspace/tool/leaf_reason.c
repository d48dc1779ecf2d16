// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/grammar.h"
#include "tool/leaf_reason.h"

#define CONGA_LEAF_REASON_HELLOS	3	/* in vain, until a leaf is not waited for */

static const struct conga_choice conga_leaf_reason_words[] = {
	{ "set by the operator", CONGA_LEAF_ORDERED },
	{ "answers hellos", CONGA_LEAF_ANSWERS },
	{ "has not answered the last three hellos", CONGA_LEAF_SILENT },
	{ "sent a goodbye message", CONGA_LEAF_BYE },
	{ "uses another version of control packets", CONGA_LEAF_VERSION },
	{ "has another q", CONGA_LEAF_Q },
	{ "uses byte 3 of the VXLAN header differently", CONGA_LEAF_BYTE3 },
	{ "has another metric", CONGA_LEAF_METRIC },
	{ "two nodes answer for its address by turns", CONGA_LEAF_ALTERNATES },
	{ "hello is off here", CONGA_LEAF_HELLO_OFF },
	{ "has not answered its first hellos yet", CONGA_LEAF_WAITING },
	{ }
};

/* Returns the sentence, or NULL, where the state says more than the reason. */
static const char *conga_leaf_reason_known(struct nlattr **attrs,
					   char text[CONGA_LEAF_REASON_MAX])
{
	char age[CONGA_UNITS_TEXT_MAX];

	switch (conga_attr_number(attrs[CONGA_A_LEAF_STATE])) {
	case CONGA_LEAF_STATE_WAITING:
		snprintf(text, CONGA_LEAF_REASON_MAX, "%llu of %d hellos not answered yet",
			 conga_attr_number(attrs[CONGA_A_LEAF_UNANSWERED]),
			 CONGA_LEAF_REASON_HELLOS);
		return text;
	case CONGA_LEAF_STATE_LOST:
		conga_units_format_age(age, sizeof(age),
				       conga_attr_number(attrs[CONGA_A_LEAF_HEARD]));
		snprintf(text, CONGA_LEAF_REASON_MAX, "answered hellos until %s ago", age);
		return text;
	case CONGA_LEAF_STATE_PLAIN:
		if (conga_attr_number(attrs[CONGA_A_LEAF_REASON]) != CONGA_LEAF_SILENT)
			return NULL;
		return "has never answered a hello";
	default:
		return NULL;
	}
}

/* The other node's own value, if it differs in one. */
static void conga_leaf_reason_term(unsigned int reason, const struct nlattr *term,
				   char text[CONGA_LEAF_REASON_MAX])
{
	const struct conga_choice *choices = NULL;
	unsigned int value = conga_attr_number(term);
	char number[CONGA_UNITS_TEXT_MAX];

	*text = '\0';
	if (!term)
		return;
	if (reason == CONGA_LEAF_BYTE3)
		choices = conga_choices_byte3;
	else if (reason == CONGA_LEAF_METRIC)
		choices = conga_choices_metric;
	conga_units_format_integer(number, sizeof(number), value);
	snprintf(text, CONGA_LEAF_REASON_MAX, ": %s",
		 choices && conga_args_choice_word(choices, value) ?
		 conga_args_choice_word(choices, value) : number);
}

static void conga_leaf_reason_join(const char *sentence, unsigned int reason,
				   const struct nlattr *term, char text[CONGA_LEAF_REASON_MAX])
{
	char value[CONGA_LEAF_REASON_MAX];

	conga_leaf_reason_term(reason, term, value);
	snprintf(text, CONGA_LEAF_REASON_MAX, "%.*s%.*s", CONGA_LEAF_REASON_MAX / 2, sentence,
		 CONGA_LEAF_REASON_MAX / 3, value);
}

void conga_leaf_reason_differs(const struct nlattr *reason, const struct nlattr *term,
			       char text[CONGA_LEAF_REASON_MAX])
{
	unsigned int value = conga_attr_number(reason);
	const char *sentence = conga_args_choice_word(conga_leaf_reason_words, value);

	conga_leaf_reason_join(sentence ? sentence : "for a reason that this tool does not know",
			       value, term, text);
}

void conga_leaf_reason(struct nlattr **attrs, char text[CONGA_LEAF_REASON_MAX])
{
	const struct nlattr *reason = attrs[CONGA_A_LEAF_REASON], *term = attrs[CONGA_A_LEAF_TERM];
	char words[CONGA_LEAF_REASON_MAX];
	const char *known = conga_leaf_reason_known(attrs, words);

	if (known)
		conga_leaf_reason_join(known, conga_attr_number(reason), term, text);
	else
		conga_leaf_reason_differs(reason, term, text);
}
