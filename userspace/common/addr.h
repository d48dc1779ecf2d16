/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of both families have one type: IPv4 addresses are mapped (::ffff:0:0/96). */
#ifndef CONGA_COMMON_ADDR_H
#define CONGA_COMMON_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>

struct nl_msg;
struct nlattr;

#define CONGA_ADDR_TEXT_MAX	INET6_ADDRSTRLEN

/* conga_addr_compare - compare two addresses, for arrays of items that begin with a struct
 * in6_addr
 */
int conga_addr_compare(const void *a, const void *b);

/* conga_addr_read - read an address from an attribute, whose length determines the family;
 * returns false, with @addr undefined, if @attr is NULL or no address
 */
bool conga_addr_read(const struct nlattr *attr, struct in6_addr *addr);

bool conga_addr_is_v4(const struct in6_addr *addr);

/* conga_addr_put - add the address as the attribute of its family; returns 0, or a negative code
 * of libnl
 */
int conga_addr_put(struct nl_msg *msg, int attr4, int attr6, const struct in6_addr *addr);

/* conga_addr_text - write the address to @text, which has CONGA_ADDR_TEXT_MAX bytes, and return
 * @text
 */
const char *conga_addr_text(const struct in6_addr *addr, char *text);

#endif /* CONGA_COMMON_ADDR_H */
