/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FLOWLET_H
#define _CONGA_FLOWLET_H

#include <linux/types.h>

#define CONGA_FLOWLETS_MIN	1024u
#define CONGA_FLOWLETS_MAX	4194304u
#define CONGA_FLOWLETS_DEFAULT	65536u		/* section 3.4 */

#define CONGA_TFL_MAX		1000000000ULL	/* ns */
#define CONGA_TFL_DEFAULT	500000ULL	/* 500 us, section 3.6 */

/* An entry of the flowlet table, one word; see flowlet.c. 0 is empty. */
typedef u64 conga_flowlet_t;

enum conga_flowlet_state {
	CONGA_FLOWLET_EMPTY,
	CONGA_FLOWLET_EXPIRED,	/* the gap was long enough for a new flowlet */
	CONGA_FLOWLET_LIVE,
	CONGA_FLOWLET_COLLISION, /* live, but towards another leaf */
};

conga_flowlet_t conga_flowlet_make(u8 tag, u16 leaf, u64 now);
enum conga_flowlet_state conga_flowlet_state(conga_flowlet_t entry, u16 leaf,
					     u64 now, u64 tfl);
u8 conga_flowlet_tag(conga_flowlet_t entry);
u16 conga_flowlet_leaf(conga_flowlet_t entry);
u64 conga_flowlet_idle(conga_flowlet_t entry, u64 now);
bool conga_flowlet_stale(conga_flowlet_t entry, u64 now);

#endif /* _CONGA_FLOWLET_H */
