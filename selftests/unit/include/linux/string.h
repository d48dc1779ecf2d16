/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_STRING_H
#define _UNIT_LINUX_STRING_H

#include <string.h>

#define memset_after(obj, v, member)						\
do {										\
	__auto_type memset_obj = (obj);						\
	char *memset_from = (char *)((&memset_obj->member) + 1);		\
										\
	memset(memset_from, v, (char *)(memset_obj + 1) - memset_from);		\
} while (0)

#endif /* _UNIT_LINUX_STRING_H */
