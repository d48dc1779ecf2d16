// SPDX-License-Identifier: GPL-2.0
/*
 * The LBTags of each uplink (section 7 of the paper: a leaf may sample several paths beyond
 * each uplink).
 *
 * Each uplink has an LBTag of its own, and entropy N gives it N - 1 more of those that are
 * free, so that N paths by it are told apart. Uplinks take them in the order of their own
 * LBTags, each the lowest ones that are left: whoever knows the uplinks knows all LBTags.
 */
#include <linux/bitops.h>
#include <uapi/linux/conga.h>

#include "paper/tags.h"

/* The number of LBTags of each of so many uplinks */
static unsigned int conga_tags_each(unsigned int uplinks, u8 entropy)
{
	return entropy ?: CONGA_TAGS_MAX / uplinks;
}

/* conga_tags_suffice - are there enough LBTags? @entropy 0: as many each as there are */
bool conga_tags_suffice(unsigned int uplinks, u8 entropy)
{
	return !uplinks || (uplinks <= CONGA_TAGS_MAX &&
			    conga_tags_each(uplinks, entropy) * uplinks <= CONGA_TAGS_MAX);
}

/**
 * conga_tags_share - the LBTags of one uplink, a bit each
 * @own: the own LBTags of all uplinks, a bit each; conga_tags_suffice() of their number
 * @tag: the own LBTag of the uplink
 * @entropy: LBTags of each uplink; 0: as many as there are
 */
u16 conga_tags_share(u16 own, u8 tag, u8 entropy)
{
	unsigned int more = conga_tags_each(hweight16(own), entropy) - 1;
	unsigned int skip = more * hweight16(own & (BIT(tag) - 1));
	u16 share = BIT(tag), left = ~own;

	for (; skip; skip--)
		left &= left - 1;
	for (; more; more--) {
		share |= left & -left;
		left &= left - 1;
	}
	return share;
}
