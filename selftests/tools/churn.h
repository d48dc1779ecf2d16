/* SPDX-License-Identifier: GPL-2.0 */
/* The common part of all kinds of churn. Each kind is a process of its own. */
#ifndef CHURN_H
#define CHURN_H

#include <stdbool.h>

#include "churn_requests.h"

#define HOPS_MAX	16
#define PAUSE_US	2000		/* for packets to meet what is new */

/* The arguments that churn.sh has given. */
#define FAR_LEAF	"fd00::97"	/* by dummies, one of which stays */
#define FAR_LEAF_HEX	"2:hex=fd000000000000000000000000000097"
#define FAR_TUNNEL	"172.31.7.2"
#define GROUP		33		/* nexthop object, of the next two */
#define GROUP_FIRST	31
#define GROUP_SECOND	32
#define RESILIENT_GROUP	34		/* of the same two */
#define FIRST_UPLINK_TABLE 200		/* of routes by the first of -h alone */

struct options {
	unsigned long count;
	int seconds;
	unsigned int pace;		/* us */
	const char *module;
	const char *netns[2];
	const char *vtep;
	struct hop hop[HOPS_MAX];
	int hops;
};

extern struct options opt;
extern struct box box, peer;		/* of the leaves, each process its own */
extern unsigned long turn;		/* rounds of this process */

/* Sends from several ports, so that these are several flows. */
void packets_send(const char *to, int count);

/* Kinds that change the kernel's decision, besides routes; each returns whether it
 * succeeded.
 */
bool round_rule(void);
bool round_neighbour(void);
bool round_weight(void);
bool round_resilient(void);
bool round_xfrm(void);
bool round_nat(void);

#endif
