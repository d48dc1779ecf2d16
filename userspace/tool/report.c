// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "common/extack.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/grammar.h"
#include "tool/report.h"

static const char *conga_report_stop(const struct conga_extack *extack)
{
	size_t len = strlen(extack->text);

	return len && extack->text[len - 1] == '.' ? "" : ".";
}

void conga_report_warning(const struct conga_extack *extack)
{
	if (*extack->text)
		fprintf(stderr, "Warning: %s%s\n", extack->text, conga_report_stop(extack));
}

/* The module rejects attributes that it does not know, so this tool is newer. */
static bool conga_report_is_unknown(const struct conga_extack *extack)
{
	return !strncmp(extack->text, "Unknown attribute", 17) ||
		!strncmp(extack->text, "Unsupported attribute", 21);
}

static void conga_report_unknown(const char *what)
{
	fprintf(stderr,
		"Error: the module does not know %s, it is older than this tool (conga -V)\n",
		what);
}

static void conga_report_word(const struct conga_extack *extack,
			      const struct conga_keyword *keyword)
{
	char min[CONGA_UNITS_TEXT_MAX], max[CONGA_UNITS_TEXT_MAX];

	if (!extack->has_range || !keyword->kind->format) {
		fprintf(stderr, "Error: %s: %s%s\n", keyword->word, extack->text,
			conga_report_stop(extack));
		return;
	}
	keyword->kind->format(min, sizeof(min), extack->min);
	keyword->kind->format(max, sizeof(max), extack->max);
	fprintf(stderr, "Error: %s: %s (%s to %s).\n", keyword->word, extack->text, min, max);
}

static void conga_report_errno(int error, const struct conga_command *command)
{
	if (error == EPERM && command->privilege)
		fprintf(stderr,
			"Error: %s: %s needs CAP_NET_ADMIN in this network namespace\n",
			strerror(error), command->privilege);
	else if (error == EOPNOTSUPP)
		conga_report_unknown("this command");
	else
		fprintf(stderr, "conga: %s\n", strerror(error));
}

void conga_report_error(const struct conga_extack *extack, int error,
			const struct conga_command *command)
{
	const struct conga_keyword *missing, *bad;

	missing = conga_args_find_attr(command->words, extack->missing_attr);
	bad = conga_args_find_attr(command->words, extack->bad_attr);
	if (conga_report_is_unknown(extack))
		conga_report_unknown(bad ? bad->word : "an attribute");
	else if (*extack->text && bad && extack->by_policy)
		conga_report_word(extack, bad);
	else if (*extack->text)
		fprintf(stderr, "Error: %s%s\n", extack->text, conga_report_stop(extack));
	else if (missing)
		fprintf(stderr, "Error: argument \"%s\" is required\n", missing->word);
	else if (bad)
		fprintf(stderr, "Error: %s: %s.\n", bad->word, strerror(error));
	else
		conga_report_errno(error, command);
}
