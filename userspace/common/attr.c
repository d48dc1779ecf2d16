// SPDX-License-Identifier: GPL-2.0
#include <netlink/attr.h>
#include "common/attr.h"

unsigned long long conga_attr_number(const struct nlattr *attr)
{
	switch (attr ? nla_len(attr) : 0) {
	case sizeof(uint16_t):
		return nla_get_u16((struct nlattr *)attr);
	case sizeof(uint32_t):
		return nla_get_u32((struct nlattr *)attr);
	case sizeof(uint64_t):
		return nla_get_u64((struct nlattr *)attr);
	default:
		return 0;
	}
}
