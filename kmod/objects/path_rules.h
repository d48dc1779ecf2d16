/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_RULES_H
#define _CONGA_PATH_RULES_H

#include <linux/types.h>

struct conga_path_key;
struct net;

#define CONGA_PATH_SPORTS	6	/* bounds of source port ranges in rules, at most */

/* The properties that routing rules match; packets that agree in them are treated alike. */
struct conga_path_rules {
	bool	any;		/* there are rules, or routes, that match more than the destination
				 * and, for IPv4, the DSCP
				 */
	bool	too_many;	/* source port ranges: the paths of such packets are not kept */
	u8	sports;		/* entries of sport */
	u16	sport[CONGA_PATH_SPORTS];	/* each begins another class of ports */
	u32	marks;		/* bits of the mark that rules match */
};

/* RCU */
void conga_path_rules_read(struct conga_path_rules *rules, const struct net *net,
			   bool v4);

/* Any context */
u16 conga_path_sport_class(const struct conga_path_rules *rules, u16 sport);
bool conga_path_rules_allow(const struct conga_path_rules *rules,
			    const struct conga_path_key *key);

#endif /* _CONGA_PATH_RULES_H */
