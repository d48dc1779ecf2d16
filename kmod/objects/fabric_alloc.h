/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FABRIC_ALLOC_H
#define _CONGA_FABRIC_ALLOC_H

struct conga_fabric;
struct conga_params;
struct net;

/* Process context */
void conga_params_setup(struct conga_params *params, const struct net *net);
struct conga_fabric *conga_fabric_create(struct net *net,
					 const struct conga_params *params);
void conga_fabric_free(struct conga_fabric *fabric);

#endif /* _CONGA_FABRIC_ALLOC_H */
