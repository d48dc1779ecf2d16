/* SPDX-License-Identifier: GPL-2.0 */
/* Exit statuses of both programs, and their version. */
#ifndef CONGA_COMMON_STATUS_H
#define CONGA_COMMON_STATUS_H

#ifndef CONGA_TOOL_VERSION
#define CONGA_TOOL_VERSION	"0.1.0"
#endif

/* What the tool's functions return that can fail, and both programs' exit status. A function
 * that returns something else than CONGA_OK has printed the reason.
 */
enum conga_status {
	CONGA_OK,
	CONGA_REFUSED,		/* by the kernel or by this node */
	CONGA_USAGE,
};

#endif /* CONGA_COMMON_STATUS_H */
