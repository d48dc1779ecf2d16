/* SPDX-License-Identifier: GPL-2.0 */
/* These are the exit statuses of both programs. */
#ifndef CONGA_COMMON_STATUS_H
#define CONGA_COMMON_STATUS_H

/* Functions of the tool that can fail return a status, which is also the exit status of both
 * programs. A function that returns another status than CONGA_OK has printed the reason.
 */
enum conga_status {
	CONGA_OK,
	CONGA_REFUSED,		/* by the kernel or by this node */
	CONGA_USAGE,
};

#endif /* CONGA_COMMON_STATUS_H */
