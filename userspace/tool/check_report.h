/* SPDX-License-Identifier: GPL-2.0 */
/* A check and its report. */
#ifndef CONGA_TOOL_CHECK_REPORT_H
#define CONGA_TOOL_CHECK_REPORT_H

struct conga_node;

/* @run looks at the node, which has been read before, and reports findings. */
struct conga_check {
	const char *name;
	const char *severity;	/* an error loses packets, a warning balances badly */
	void (*run)(const struct conga_check *check, const struct conga_node *node);
};

/* These two functions enclose all checks; the end returns the number of findings. */
void conga_check_report_begin(void);
unsigned int conga_check_report_end(void);

/* conga_check_report - report "FINDING; ADVICE" about an object */
__attribute__((__format__(__printf__, 3, 4)))
void conga_check_report(const struct conga_check *check, const char *object,
			const char *format, ...);

#endif /* CONGA_TOOL_CHECK_REPORT_H */
