/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_ENTROPY_H
#define _CONGA_ENTROPY_H

#include <linux/types.h>
#include <uapi/linux/conga.h>

/* The score at which two LBTags of an uplink are taken to share their path; see
 * conga_entropy_judge()
 */
#define CONGA_ENTROPY_ALIKE	32
#define CONGA_ENTROPY_ALIKE_MOST	U8_MAX
#define CONGA_ENTROPY_DIFFER	2	/* what a difference takes from the score */

/* Looks at a silent path until its port is drawn once more */
#define CONGA_ENTROPY_PATIENCE	8

/* The UDP source ports of a leaf's paths, by LBTag; the user's lock guards writes */
struct conga_entropy {
	u16	port[CONGA_TAGS_MAX];	/* host order; 0: packets keep theirs */
	u8	score[CONGA_TAGS_MAX];	/* with the LBTag below; up to CONGA_ENTROPY_ALIKE */
	u8	other[CONGA_TAGS_MAX];	/* a lower LBTag of the same uplink */
	u8	alike[CONGA_TAGS_MAX];	/* ports in a row that were drawn anew since they told the
					 * same; up to CONGA_ENTROPY_ALIKE_MOST
					 */
	u8	silent[CONGA_TAGS_MAX];	/* looks since the port was drawn, if the path is silent */
};

/* Ports from min to below max */
struct conga_entropy_range {
	u16	min;
	u16	max;
};

/* What feedback tells of a leaf's paths at one moment */
struct conga_entropy_view {
	u16	silent;			/* LBTags by which no answer comes back any more */
	u16	fresh;			/* LBTags with feedback that has not aged */
	u8	metric[CONGA_TAGS_MAX];	/* 0: it tells nothing about links behind the uplink */
};

bool conga_entropy_fits(const struct conga_entropy *entropy, u8 tag,
			const struct conga_entropy_range *range);
void conga_entropy_draw(struct conga_entropy *entropy, u16 share, u8 tag,
			const struct conga_entropy_range *range, u32 random);
void conga_entropy_forget(struct conga_entropy *entropy, u8 tag);
u16 conga_entropy_judge(struct conga_entropy *entropy, u16 share,
			const struct conga_entropy_view *view);

#endif /* _CONGA_ENTROPY_H */
