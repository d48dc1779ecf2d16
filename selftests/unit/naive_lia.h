/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_LIA_H
#define _UNIT_NAIVE_LIA_H

/* LIA as RFC 6356 has it, section 3, in floating point: alpha, and what a window
 * grows by when one of its packets is acknowledged.
 */
#include "lia_window.h"

static inline long double naive_lia_total(const struct lia_flow *flows, unsigned int count)
{
	long double total = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		total += flows[i].cwnd;
	return total;
}

static inline long double naive_lia_alpha(const struct lia_flow *flows, unsigned int count)
{
	long double most = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		long double rate = (long double)flows[i].cwnd / flows[i].rtt;

		if (rate / flows[i].rtt > most)
			most = rate / flows[i].rtt;
		sum += rate;
	}
	return naive_lia_total(flows, count) * most / (sum * sum);
}

/* The first flow's, in packets. */
static inline long double naive_lia_increase(const struct lia_flow *flows, unsigned int count)
{
	long double coupled = naive_lia_alpha(flows, count) / naive_lia_total(flows, count);
	long double own = 1.0L / flows[0].cwnd;

	return coupled < own ? coupled : own;
}

#endif /* _UNIT_NAIVE_LIA_H */
