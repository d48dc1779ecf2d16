/* SPDX-License-Identifier: GPL-2.0 */
/* The extended ACK is the part of the kernel's answer besides its error number. */
#ifndef CONGA_COMMON_EXTACK_H
#define CONGA_COMMON_EXTACK_H

#include <stdbool.h>

struct nlmsghdr;
struct nlmsgerr;

#define CONGA_EXTACK_TEXT_MAX	256

struct conga_extack {
	char text[CONGA_EXTACK_TEXT_MAX];	/* a sentence; "": there is none */
	int bad_attr;		/* of the request; 0: not said */
	int missing_attr;	/* 0: not said */
	bool by_policy;		/* rejected before the module saw it */
	bool has_range;
	unsigned long long min;
	unsigned long long max;
};

/*
 * These functions fill @extack with zeroes and the answer's values. @request is the
 * message that was sent, in which attributes are looked up.
 */

/* conga_extack_read_error - read an ACK or an error, NLMSG_ERROR */
void conga_extack_read_error(struct conga_extack *extack, struct nlmsghdr *answer,
			     const struct nlmsghdr *request);

/* conga_extack_read_done - read the end of a dump, NLMSG_DONE */
void conga_extack_read_done(struct conga_extack *extack, struct nlmsghdr *answer,
			    const struct nlmsghdr *request);

#endif /* CONGA_COMMON_EXTACK_H */
