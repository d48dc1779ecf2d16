/* SPDX-License-Identifier: GPL-2.0 */
/* How bad is a finding of "conga check"? */
#ifndef CONGA_TOOL_SEVERITY_H
#define CONGA_TOOL_SEVERITY_H

enum conga_severity {
	CONGA_SEVERITY_NONE,	/* no finding */
	CONGA_SEVERITY_NOTE,	/* it may be intended */
	CONGA_SEVERITY_WARNING,	/* the fabric balances badly, or hides a fault */
	CONGA_SEVERITY_ERROR,	/* packets are lost */
	CONGA_SEVERITIES,
};

#endif /* CONGA_TOOL_SEVERITY_H */
