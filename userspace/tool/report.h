/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's errors and warnings are printed as sentences on stderr. */
#ifndef CONGA_TOOL_REPORT_H
#define CONGA_TOOL_REPORT_H

#include "common/extack.h"
#include "tool/grammar.h"

/* conga_report_warning - print the warning, if there is one */
void conga_report_warning(const struct conga_extack *extack);

/* conga_report_error - print the error; @error is an errno, and attributes are named by the
 * words of @command
 */
void conga_report_error(const struct conga_extack *extack, int error,
			const struct conga_command *command);

#endif /* CONGA_TOOL_REPORT_H */
