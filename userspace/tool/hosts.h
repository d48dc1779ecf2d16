/* SPDX-License-Identifier: GPL-2.0 */
/* Leaves have names in a file of the form of hosts(5), which is read once. */
#ifndef CONGA_TOOL_HOSTS_H
#define CONGA_TOOL_HOSTS_H

#include <netinet/in.h>
#include <netlink/attr.h>

#define CONGA_HOSTS_FILE	"/etc/conga/hosts"

/* Longer names are ignored. */
#define CONGA_HOSTS_NAME_MAX	64

/* conga_hosts_find_addr - find the address of @name; returns NULL, or in one sentence why there is
 * none
 */
const char *conga_hosts_find_addr(const char *name, struct in6_addr *addr);

/* conga_hosts_find_name - find the name of an address, whose attribute may be NULL; returns NULL
 * if it has none, or after conga_hosts_hide()
 */
const char *conga_hosts_find_name(const struct nlattr *addr);

/* conga_hosts_hide - find no name any more; addresses of names are still found */
void conga_hosts_hide(void);

/* conga_hosts_each - call @say for each name that can be typed */
void conga_hosts_each(void (*say)(const char *prefix, const char *word), const char *prefix);

#endif /* CONGA_TOOL_HOSTS_H */
