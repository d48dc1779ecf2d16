/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_TAGS_H
#define _CONGA_TAGS_H

#include <linux/types.h>

bool conga_tags_suffice(unsigned int uplinks, u8 entropy);
u16 conga_tags_share(u16 own, u8 tag, u8 entropy);

#endif /* _CONGA_TAGS_H */
