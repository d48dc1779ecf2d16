// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tool/abbreviation.h"

static bool conga_abbreviation_fits(const char *text, const char *name)
{
	return *text && !strncmp(name, text, strlen(text));
}

int conga_abbreviation_find(const char *text, conga_abbreviation_name_t name, const void *table)
{
	int found = -1, count = 0, i;

	for (i = 0; name(table, i); i++) {
		if (!strcmp(name(table, i), text))
			return i;
		if (!conga_abbreviation_fits(text, name(table, i)))
			continue;
		found = i;
		count++;
	}
	return count == 1 ? found : -1;
}

bool conga_abbreviation_told(const char *what, const char *text, conga_abbreviation_name_t name,
			     const void *table)
{
	bool any = false;
	size_t i;

	for (i = 0; name(table, i); i++) {
		if (!conga_abbreviation_fits(text, name(table, i)))
			continue;
		if (any)
			fprintf(stderr, " or %s", name(table, i));
		else
			fprintf(stderr, "%s \"%s\" is ambiguous: %s", what, text, name(table, i));
		any = true;
	}
	if (any)
		fputc('\n', stderr);
	return any;
}
