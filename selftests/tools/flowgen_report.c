// SPDX-License-Identifier: GPL-2.0
/* The result of the run: a line per transfer, and a summary. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flowgen.h"

FILE *report_open(void)
{
	FILE *out = fopen(opt.out ? opt.out : "/dev/null", "w");

	if (!out)
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.out, strerror(errno));
	return out;
}

static bool flow_arrived(const struct flow *f, __u64 ran)
{
	return f->done || (!f->waits && f->arrival_ns < ran);
}

/* An unfinished transfer enters the statistics with its age: a lower bound. */
static void flow_age(struct flow *f, __u64 ran)
{
	struct conn *c = &conns[f->conn];
	struct counts now;

	if (f->done || !flow_arrived(f, ran))
		return;
	f->fct_ns = ran - f->arrival_ns;
	if (c->head != f)
		return;		/* it waits for its connection */
	now = counts_read(c);
	f->counts = counts_since(&c->before, &now);
}

static void count_write(FILE *out, bool known, __u32 count)
{
	if (known)
		fprintf(out, " %u", count);
	else
		fputs(" -", out);
}

static void seconds_write(FILE *out, bool known, __u64 ns)
{
	if (known)
		fprintf(out, "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
	else
		fputc('-', out);
}

static void flow_write(FILE *out, const struct flow *f, __u64 ran)
{
	const struct conn *c = &conns[f->conn];

	seconds_write(out, !f->waits, f->arrival_ns);
	fprintf(out, " %u ", f->size);
	seconds_write(out, flow_arrived(f, ran), f->fct_ns);
	count_write(out, !opt.mptcp, f->counts.retrans);
	count_write(out, rtos_known, f->counts.rtos);
	count_write(out, !opt.mptcp, f->counts.out_of_order);
	fprintf(out, " %s %s", c->from->name, c->to->name);
	count_write(out, f->group != NO_GROUP, f->group);
	fprintf(out, " %d\n", f->done);
}

static void flows_write(FILE *out, __u64 ran)
{
	__u32 i;

	fputs("# start_s size_bytes fct_s retransmits rtos out_of_order from to group finished\n",
	      out);
	for (i = 0; i < n_flows; i++)
		flow_write(out, &flows[i], ran);
	if (fclose(out))
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.out, strerror(errno));
}

static int compare_fct(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

static __u64 trace_bytes(void)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < n_flows; i++)
		sum += flows[i].size;
	return sum;
}

/* times_print - prints the times of those that arrived, sorted */
static void times_print(__u64 *fct, __u32 n)
{
	double sum = 0;
	__u32 i;

	for (i = 0; i < n; i++)
		sum += fct[i];
	qsort(fct, n, sizeof(*fct), compare_fct);
	printf("mean_ms=%.3f p50_ms=%.3f p99_ms=%.3f ", n ? sum / n / 1e6 : 0,
	       fct[n / 2] / 1e6, fct[(__u64)n * 99 / 100] / 1e6);
}

static void summary(__u64 ran)
{
	__u64 *fct = calloc(n_flows + 1, sizeof(*fct)), retrans = 0;
	__u32 i, n = 0;

	if (!fct)
		die(EXIT_RUNTIME, "no memory for the statistics");
	for (i = 0; i < n_flows; i++) {
		if (flow_arrived(&flows[i], ran))
			fct[n++] = flows[i].fct_ns;
		retrans += flows[i].counts.retrans;
	}
	printf("flows=%u unfinished=%u ", n_flows, n_flows - n_done);
	times_print(fct, n);
	free(fct);
	if (opt.mptcp)
		printf("retransmits=- ");
	else
		printf("retransmits=%llu ", retrans);
	printf("bytes=%llu offered_bytes=%llu ", bytes_received, trace_bytes());
	if (opt.mptcp)
		printf("connections=%u subflows=%llu ", n_conns, n_conns + n_subflows);
	printf("seconds=%.3f cpu_idle=%.0f\n", ran / 1e9, 100 * cpu_idle);
}

void report(FILE *out, __u64 ran)
{
	__u32 i;

	for (i = 0; i < n_flows; i++)
		flow_age(&flows[i], ran);
	flows_write(out, ran);
	summary(ran);
	if (fflush(stdout))
		die(EXIT_RUNTIME, "cannot write the summary: %s", strerror(errno));
}
