/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_ASM_BYTEORDER_H
#define _UNIT_ASM_BYTEORDER_H

#include <endian.h>

#define cpu_to_be32(x)	htobe32(x)

#endif /* _UNIT_ASM_BYTEORDER_H */
