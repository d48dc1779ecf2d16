// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tool/check_report.h"
#include "tool/print.h"

#define CONGA_CHECK_REPORT_MAX	256

static unsigned int conga_check_report_count;

void conga_check_report_begin(void)
{
	conga_check_report_count = 0;
	conga_print_begin();
}

unsigned int conga_check_report_end(void)
{
	conga_print_end();
	return conga_check_report_count;
}

static void conga_check_report_print(const struct conga_check *check, const char *object,
				     const char *finding, const char *advice)
{
	conga_print_object(NULL);
	conga_print_string("check", NULL, check->name);
	conga_print_string("severity", "", check->severity);
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
	conga_check_report_count++;
	advice = strstr(text, "; ");
	if (advice)
		*advice = '\0';
	conga_check_report_print(check, object, text, advice ? advice + strlen("; ") : "");
}
