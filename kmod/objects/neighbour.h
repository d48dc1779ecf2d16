/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_NEIGHBOUR_H
#define _CONGA_NEIGHBOUR_H

struct conga_port;
struct in6_addr;

void conga_neighbour_watch(struct conga_port *port, const struct in6_addr *gateway);
int conga_neighbour_init(void);
void conga_neighbour_exit(void);

#endif /* _CONGA_NEIGHBOUR_H */
