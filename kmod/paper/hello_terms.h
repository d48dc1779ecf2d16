/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_TERMS_H
#define _CONGA_HELLO_TERMS_H

#include "paper/hello_types.h"

u8 conga_hello_terms_compare(const struct conga_hello_terms *ours,
			     const struct conga_hello_terms *theirs);
u32 conga_hello_terms_value(const struct conga_hello_terms *theirs, u8 reason);

#endif /* _CONGA_HELLO_TERMS_H */
