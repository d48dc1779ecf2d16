/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_GATHER_H
#define _CONGA_PATH_GATHER_H

#include "objects/path.h"

struct conga_leaf;
struct conga_port;
struct fib_nh_common;
struct net_device;

/* The nexthops of one key, gathered port by port */
struct conga_path_search {
	struct conga_leaf		*leaf;
	const struct conga_path_key	*key;
	bool			any_neighbour;	/* nexthops count even if their gateway does not
						 * answer
						 */
	bool			skipped;	/* a nexthop was skipped because its gateway does
						 * not answer
						 */
	bool			nomem;		/* no memory: the next packet tries again */
	u8			nexthops;
	u8			reason[CONGA_TAGS_MAX];	/* enum conga_path_reason */
	struct dst_entry	*witness;	/* held; IPv6 */
	u32			witness_cookie;
	u8			members;
	struct conga_nexthop	nexthop[CONGA_PATH_NEXTHOPS];
	struct conga_path_member member[CONGA_PATH_MEMBERS];
};

/* For path4.c and path6.c, during a search */
s32 conga_path_domain(const struct conga_path_search *search,
		      const struct net_device *dev);
void conga_path_gather(struct conga_path_search *search, const struct conga_port *port,
		       struct dst_entry *dst, u32 kept, unsigned int weight);
void conga_path_note(struct conga_path_search *search, const struct fib_nh_common *nhc);

/* path4.c, path6.c: gather the nexthops on @port, or return the reason why there are none.
 * RCU, BH disabled.
 */
u8 conga_path_search4(struct conga_path_search *search, struct conga_port *port);
u8 conga_path_search6(struct conga_path_search *search, struct conga_port *port);
void conga_path_members4(struct conga_path_search *search);
void conga_path_members6(struct conga_path_search *search);

#endif /* _CONGA_PATH_GATHER_H */
