/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers in netlink attributes. */
#ifndef CONGA_COMMON_ATTR_H
#define CONGA_COMMON_ATTR_H

struct nlattr;

/* conga_attr_number - read a number by the length of @attr, which may grow in a later kernel: 2,
 * 4 or 8 bytes in host order; returns 0 if @attr is NULL or has another length
 */
unsigned long long conga_attr_number(const struct nlattr *attr);

#endif /* CONGA_COMMON_ATTR_H */
