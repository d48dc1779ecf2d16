// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool/color.h"

enum conga_color_when {
	CONGA_COLOR_AUTO,
	CONGA_COLOR_ALWAYS,
	CONGA_COLOR_NEVER,
};

static enum conga_color_when conga_color_when;

static const char *const conga_color_codes[] = {
	[CONGA_COLOR_NONE] = "",
	[CONGA_COLOR_DEV] = "\033[36m",
	[CONGA_COLOR_ADDR4] = "\033[35m",
	[CONGA_COLOR_ADDR6] = "\033[34m",
	[CONGA_COLOR_GOOD] = "\033[32m",
	[CONGA_COLOR_WARNING] = "\033[33m",
	[CONGA_COLOR_BAD] = "\033[31m",
};

const char *const conga_color_words[] = {
	[CONGA_COLOR_AUTO] = "auto",
	[CONGA_COLOR_ALWAYS] = "always",
	[CONGA_COLOR_NEVER] = "never",
	NULL
};

bool conga_color_choose(const char *when)
{
	int i;

	for (i = CONGA_COLOR_AUTO; i <= CONGA_COLOR_NEVER; i++) {
		if (strcmp(conga_color_words[i], when))
			continue;
		conga_color_when = i;
		return true;
	}
	return false;
}

/* https://no-color.org: the variable counts if it is not empty. */
static bool conga_color_terminal(void)
{
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (!refused || !*refused) && terminal && strcmp(terminal, "dumb") &&
	       isatty(STDOUT_FILENO);
}

static bool conga_color_is_on(void)
{
	if (conga_color_when == CONGA_COLOR_AUTO)
		conga_color_when = conga_color_terminal() ? CONGA_COLOR_ALWAYS :
							    CONGA_COLOR_NEVER;
	return conga_color_when == CONGA_COLOR_ALWAYS;
}

const char *conga_color_begin(enum conga_color color)
{
	return color && conga_color_is_on() ? conga_color_codes[color] : "";
}

const char *conga_color_end(enum conga_color color)
{
	return color && conga_color_is_on() ? "\033[0m" : "";
}
