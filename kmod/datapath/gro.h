/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_GRO_H
#define _CONGA_GRO_H

/* RTNL; the caller of put waits for a grace period before the module may go. */
void conga_gro_get(void);
void conga_gro_put(void);

#endif /* _CONGA_GRO_H */
