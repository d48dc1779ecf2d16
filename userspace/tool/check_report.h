/* SPDX-License-Identifier: GPL-2.0 */
/* A check and its report. */
#ifndef CONGA_TOOL_CHECK_REPORT_H
#define CONGA_TOOL_CHECK_REPORT_H

#include <stdbool.h>
#include "tool/severity.h"

struct conga_node;

/* @run looks at the node, which has been read before, and reports findings. */
struct conga_check {
	const char *name;
	enum conga_severity severity;
	void (*run)(const struct conga_check *check, const struct conga_node *node);
};

/* These two functions enclose all checks. Findings are counted, and printed if @print is true. */
void conga_check_report_begin(bool print);
void conga_check_report_end(void);

/* conga_check_report_count - the number of findings of a severity since the last begin */
unsigned int conga_check_report_count(enum conga_severity severity);

/* conga_check_report_word - what a severity is called in output */
const char *conga_check_report_word(enum conga_severity severity);

/* conga_check_report - report "FINDING; ADVICE" about an object */
__attribute__((__format__(__printf__, 3, 4)))
void conga_check_report(const struct conga_check *check, const char *object,
			const char *format, ...);

/* conga_check_report_parts - likewise, where finding and advice are two texts */
void conga_check_report_parts(const struct conga_check *check, const char *object,
			      const char *finding, const char *advice);

#endif /* CONGA_TOOL_CHECK_REPORT_H */
