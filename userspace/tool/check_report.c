// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tool/check_report.h"
#include "tool/color.h"
#include "tool/print.h"

#define CONGA_CHECK_REPORT_MAX	512

static unsigned int conga_check_report_counts[CONGA_SEVERITIES];
static bool conga_check_report_is_printed;

void conga_check_report_begin(bool print)
{
	memset(conga_check_report_counts, 0, sizeof(conga_check_report_counts));
	conga_check_report_is_printed = print;
	if (print)
		conga_print_begin();
}

void conga_check_report_end(void)
{
	if (conga_check_report_is_printed)
		conga_print_end();
}

unsigned int conga_check_report_count(enum conga_severity severity)
{
	return conga_check_report_counts[severity];
}

const char *conga_check_report_word(enum conga_severity severity)
{
	static const char *const words[CONGA_SEVERITIES] = {
		[CONGA_SEVERITY_NOTE] = "note",
		[CONGA_SEVERITY_WARNING] = "warning",
		[CONGA_SEVERITY_ERROR] = "error",
	};

	return words[severity];
}

static enum conga_color conga_check_report_color(enum conga_severity severity)
{
	static const enum conga_color colors[CONGA_SEVERITIES] = {
		[CONGA_SEVERITY_NOTE] = CONGA_COLOR_NONE,
		[CONGA_SEVERITY_WARNING] = CONGA_COLOR_WARNING,
		[CONGA_SEVERITY_ERROR] = CONGA_COLOR_BAD,
	};

	return colors[severity];
}

void conga_check_report_parts(const struct conga_check *check, const char *object,
			      const char *finding, const char *advice)
{
	conga_check_report_counts[check->severity]++;
	if (!conga_check_report_is_printed)
		return;
	conga_print_object(NULL);
	conga_print_string("check", NULL, check->name);
	conga_print_color(conga_check_report_color(check->severity));
	conga_print_string("severity", "", conga_check_report_word(check->severity));
	conga_print_append(":");
	conga_print_string("object", "", object);
	conga_print_append(":");
	conga_print_string("finding", "", finding);
	conga_print_append(";");
	conga_print_string("advice", "", advice);
	conga_print_object_end();
}

void conga_check_report(const struct conga_check *check, const char *object,
			const char *format, ...)
{
	char text[CONGA_CHECK_REPORT_MAX], *advice;
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	advice = strstr(text, "; ");
	if (advice)
		*advice = '\0';
	conga_check_report_parts(check, object, text, advice ? advice + strlen("; ") : "");
}
