/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DRE_H
#define _CONGA_DRE_H

#include <linux/types.h>

#define CONGA_Q_MIN		1
#define CONGA_Q_MAX		6
#define CONGA_Q_DEFAULT		3	/* section 3.6 */

#define CONGA_ALPHA_ONE		1000000u	/* alpha is in millionths */
#define CONGA_ALPHA_MIN		1000u
#define CONGA_ALPHA_MAX		500000u
#define CONGA_ALPHA_DEFAULT	100000u

#define CONGA_TDRE_AUTO		0
#define CONGA_TDRE_MIN		1000ULL		/* ns */
#define CONGA_TDRE_MAX		1000000000ULL
#define CONGA_TDRE_PAPER	16000ULL	/* tau = 160 us, section 3.6 */
#define CONGA_DRE_BURSTS	4		/* that tau must span in auto */

#define CONGA_RATE_MIN		1000000ULL	/* bit/s */
#define CONGA_RATE_MAX		1000000000000ULL

#define CONGA_DRE_POWERS	16

/* Constant while a DRE lives. */
struct conga_dre_params {
	u64	tdre;		/* ns, decrement period */
	u64	full;		/* C * tau, in DRE units of 2^-8 byte */
	u8	q;
	u32	keep[CONGA_DRE_POWERS];	/* (1 - alpha)^(2^i), 32 bit fraction */
};

/* One CPU's share of X. DRE units of 2^-8 byte. */
struct conga_dre_cell {
	u64	period;		/* time / tdre */
	u64	x;		/* at the start of that period */
	u64	added;		/* during that period */
};

u64 conga_dre_tdre(u64 tdre, u32 alpha, u64 rate, u32 burst);
void conga_dre_setup(struct conga_dre_params *params, u64 rate, u64 tdre,
		     u32 alpha, u8 q);
u64 conga_dre_period(const struct conga_dre_params *params, u64 now);
void conga_dre_add(const struct conga_dre_params *params,
		   struct conga_dre_cell *cell, u64 period, u32 bytes);
u64 conga_dre_at(const struct conga_dre_params *params,
		 const struct conga_dre_cell *cell, u64 period);
u64 conga_dre_own(const struct conga_dre_cell *cell, u64 period);
u8 conga_dre_metric(const struct conga_dre_params *params, u64 x);
u64 conga_dre_bytes(u64 x);

#endif /* _CONGA_DRE_H */
