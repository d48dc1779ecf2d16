// SPDX-License-Identifier: GPL-2.0
/* The trace: which transfer starts when, how long it is, on which connection.
 *
 * It depends on the options alone, never on the run. Per transfer six numbers
 * are drawn in this order: gap, direction, sender, receiver, connection, size,
 * from SplitMix64 seeded with the seed. Same options, same trace.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "flowgen.h"

#define MEAN_STEPS	1000000		/* of the integral over the size table */

struct point {
	double bytes;
	double cdf;
};

/* The web-search distribution of the DCTCP paper; linear between points. */
static const struct point web_search[] = {
	{ 0, 0 }, { 10e3, .15 }, { 20e3, .2 }, { 30e3, .3 }, { 50e3, .4 },
	{ 80e3, .53 }, { 200e3, .6 }, { 1e6, .7 }, { 2e6, .8 }, { 5e6, .9 },
	{ 10e6, .97 }, { 30e6, 1 },
};

struct flow *flows;
__u32 n_flows;

static __u64 random_next(void)
{
	static __u64 state;
	static bool seeded;
	__u64 z;

	if (!seeded)
		state = opt.seed;
	seeded = true;
	z = (state += 0x9e3779b97f4a7c15ULL);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Uniform over 0 <= u < 1, from the upper 53 bits. */
static double random_unit(void)
{
	return (random_next() >> 11) / (double)(1ULL << 53);
}

static __u32 random_below(__u32 n)
{
	return random_unit() * n;
}

static double clamp_size(double bytes)
{
	bytes *= opt.scale;
	if (bytes > opt.cap)
		bytes = opt.cap;
	return bytes < 1 ? 1 : bytes;
}

static double size_at(double p)
{
	const struct point *a = web_search, *b = a + 1;

	while (b->cdf < p)
		a++, b++;
	return a->bytes + (b->bytes - a->bytes) * (p - a->cdf) / (b->cdf - a->cdf);
}

static __u32 random_size(void)
{
	double p = random_unit();

	return opt.fixed ? opt.fixed : clamp_size(size_at(p));
}

/* Computes the mean of the table in use, so that the arrival rate gives the load. A capped
 * piece has no simple closed form, so the function sums it up finely.
 */
static double mean_size(void)
{
	double sum = 0;
	int i;

	if (opt.fixed)
		return opt.fixed;
	for (i = 0; i < MEAN_STEPS; i++)
		sum += clamp_size(size_at((i + 0.5) / MEAN_STEPS));
	return sum / MEAN_STEPS;
}

/* Connections are numbered by direction, sender, receiver and copy. */
static __u32 conn_index(bool back, __u32 a, __u32 b, __u32 k)
{
	return ((back * n_from + a) * n_to + b) * opt.per_pair + k;
}

static void flow_draw(struct flow *f)
{
	bool back = random_unit() < 0.5 && opt.both_ways;
	__u32 a = random_below(n_from);
	__u32 b = random_below(n_to);
	__u32 k = random_below(opt.per_pair);

	f->conn = conn_index(back, a, b, k);
	f->size = random_size();
	f->group = NO_GROUP;
}

static void conns_name(bool back)
{
	__u32 a, b, k, i;

	for (a = 0; a < n_from; a++)
		for (b = 0; b < n_to; b++)
			for (k = 0; k < opt.per_pair; k++) {
				i = conn_index(back, a, b, k);
				conns[i].from = back ? &to[b] : &from[a];
				conns[i].to = back ? &from[a] : &to[b];
			}
}

static void conns_make(void)
{
	conns_alloc((__u64)n_from * n_to * opt.per_pair * (1 + opt.both_ways));
	conns_name(false);
	if (opt.both_ways)
		conns_name(true);
}

void trace_make(void)
{
	double per_second = opt.load * opt.capacity / 8 / mean_size();
	double at = 0;

	conns_make();
	flows = calloc(MAX_FLOWS, sizeof(*flows));
	if (!flows)
		die(EXIT_RUNTIME, "no memory for the trace");
	while (n_flows < MAX_FLOWS) {
		at += -log(1 - random_unit()) / per_second;
		if (opt.flows ? n_flows == opt.flows : at >= opt.seconds)
			return;
		flows[n_flows].arrival_ns = at * NSEC_PER_SEC;
		flow_draw(&flows[n_flows++]);
	}
	die(EXIT_RUNTIME, "the trace is longer than %d transfers", MAX_FLOWS);
}

void trace_print(void)
{
	__u32 i;

	for (i = 0; i < n_flows; i++)
		printf("%llu %u %u\n", flows[i].arrival_ns, flows[i].size,
		       flows[i].conn);
}
