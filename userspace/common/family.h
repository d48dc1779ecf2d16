/* SPDX-License-Identifier: GPL-2.0 */
/* conga's family of generic netlink has a number and groups, which change when the module is
 * reloaded.
 */
#ifndef CONGA_COMMON_FAMILY_H
#define CONGA_COMMON_FAMILY_H

#include <stdbool.h>
#include <linux/conga.h>
#include "common/netlink.h"

enum conga_family_group {
	CONGA_FAMILY_CONFIG,
	CONGA_FAMILY_STATE,
	CONGA_FAMILY_GROUPS
};

struct conga_family {
	int id;					/* 0: not resolved */
	unsigned int version;			/* the module's, of the family */
	int groups[CONGA_FAMILY_GROUPS];	/* 0: there is none of that name */
};

/**
 * conga_family_resolve() - ask the kernel for the family, which loads the module if it can
 * @family: filled; all zero if the family is not there
 * @netlink: of NETLINK_GENERIC
 * @answer: filled; an error of ENOENT means that the module is not loaded
 * Return: 0, or a negative code of libnl.
 */
int conga_family_resolve(struct conga_family *family, struct conga_netlink *netlink,
			 struct conga_netlink_answer *answer);

/* conga_family_message - create a request of the family, which need not be resolved yet; returns
 * NULL without memory
 */
struct nl_msg *conga_family_message(int cmd);

/* conga_family_request - send a request to the family, which must be resolved; otherwise as
 * conga_netlink_request()
 */
int conga_family_request(const struct conga_family *family, struct conga_netlink *netlink,
			 struct nl_msg *msg, int flags, conga_netlink_reader *read, void *arg,
			 struct conga_netlink_answer *answer);

/* This folder exists while the module is loaded. */
#define CONGA_MODULE_PATH	"/sys/module/conga"

/* conga_family_is_loaded - is the module loaded? Resolving the family would load it. */
bool conga_family_is_loaded(void);

#endif /* CONGA_COMMON_FAMILY_H */
