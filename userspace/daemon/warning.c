// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "daemon/log.h"
#include "daemon/warning.h"

#define CONGAD_WARNING_MAX	320	/* bytes; the longest name and address fit */

struct congad_warning {
	char text[CONGAD_WARNING_MAX];
};

static int congad_warning_compare(const void *a, const void *b)
{
	const struct congad_warning *first = a, *second = b;

	return strcmp(first->text, second->text);
}

static struct conga_array congad_warning_said =
	CONGA_ARRAY(struct congad_warning, congad_warning_compare);

void congad_warning_setup(struct conga_array *warnings)
{
	*warnings = (struct conga_array)
		CONGA_ARRAY(struct congad_warning, congad_warning_compare);
}

void congad_warning_add(struct conga_array *warnings, const char *format, ...)
{
	struct congad_warning warning;
	va_list args;

	va_start(args, format);
	vsnprintf(warning.text, sizeof(warning.text), format, args);
	va_end(args);
	conga_array_add(warnings, &warning);
}

void congad_warning_say(struct conga_array *warnings)
{
	size_t i;

	conga_array_sort(warnings);
	for (i = 0; i < warnings->count; i++) {
		const struct congad_warning *warning = conga_array_at(warnings, i);

		if (!conga_array_find(&congad_warning_said, warning))
			congad_log_warn("%s", warning->text);
	}
	congad_warning_forget();
	congad_warning_said = *warnings;
}

void congad_warning_forget(void)
{
	conga_array_clean(&congad_warning_said);
}
