/* SPDX-License-Identifier: GPL-2.0 */
/* Network namespaces, named as "ip netns" names them. */
#ifndef CONGA_COMMON_NETNS_H
#define CONGA_COMMON_NETNS_H

#define CONGA_NETNS_DIR		"/run/netns"

/**
 * conga_netns_switch() - enter another network namespace, for good
 * @name: a file of CONGA_NETNS_DIR, or a path if it has a slash
 * Return: CONGA_OK or CONGA_REFUSED, after the reason was printed.
 */
int conga_netns_switch(const char *name);

#endif /* CONGA_COMMON_NETNS_H */
