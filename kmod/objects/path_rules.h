/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_RULES_H
#define _CONGA_PATH_RULES_H

#include <linux/types.h>

struct conga_path_key;
struct net;

#define CONGA_PATH_SPORTS	6	/* bounds of source port ranges in rules, at most */

/* What routing rules look at, so that packets that differ in nothing of it are alike. */
struct conga_path_rules {
	bool	any;		/* there are rules, or routes, that look at more than the
				 * destination and, IPv4, the DSCP
				 */
	bool	too_many;	/* source port ranges: such packets are not told apart */
	u8	sports;		/* of sport */
	u16	sport[CONGA_PATH_SPORTS];	/* where another class of ports begins */
	u32	marks;		/* bits of the mark */
};

/* RCU */
void conga_path_rules_read(struct conga_path_rules *rules, const struct net *net,
			   bool v4);

/* Any context */
u16 conga_path_sport_class(const struct conga_path_rules *rules, u16 sport);
bool conga_path_rules_allow(const struct conga_path_rules *rules,
			    const struct conga_path_key *key);

#endif /* _CONGA_PATH_RULES_H */
