// SPDX-License-Identifier: GPL-2.0
/* flowgen - TCP transfers between network namespaces, and how long each took
 *
 * One process plays every host: a socket belongs to the namespace in which it
 * was created, so setns() once per socket and one epoll loop replace a process
 * per host. That matters where a fork costs tens of milliseconds.
 *
 * Connections are persistent and opened before the clock starts (CONGA, section
 * 5: long-lived connections). One connection per transfer would put handshakes
 * in the result: a lost SYN costs one second whatever the load balancer does.
 * A transfer that finds its connection busy waits for it, and the wait counts:
 * completion time runs from the scheduled arrival to the last byte received.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flowgen.h"

struct options opt = {
	.load = 0.5, .drain = 10, .scale = 1, .cap = 4e9, .seed = 1, .per_pair = 3,
};

struct host from[MAX_HOSTS], to[MAX_HOSTS];
__u32 n_from, n_to;

void die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("flowgen: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

__u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* An unfinished transfer enters the statistics with its age: a lower bound. */
static void flows_age(__u64 ran)
{
	__u32 i;

	for (i = 0; i < n_flows; i++)
		if (!flows[i].done && flows[i].arrival_ns < ran)
			flows[i].fct_ns = ran - flows[i].arrival_ns;
}

static void flows_write(FILE *out)
{
	__u32 i;

	fputs("# start_s size_bytes fct_s retransmits from to finished\n", out);
	for (i = 0; i < n_flows; i++)
		fprintf(out, "%.9f %u %.9f %u %s %s %d\n",
			flows[i].arrival_ns / 1e9, flows[i].size,
			flows[i].fct_ns / 1e9, flows[i].retrans,
			conns[flows[i].conn].from->ns, conns[flows[i].conn].to->ns,
			flows[i].done);
}

static int compare_fct(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

static void summary(__u64 ran)
{
	__u64 *fct = calloc(n_flows, sizeof(*fct)), retrans = 0;
	double sum = 0;
	__u32 i;

	if (!fct)
		die(EXIT_RUNTIME, "no memory for the statistics");
	for (i = 0; i < n_flows; i++) {
		fct[i] = flows[i].fct_ns;
		sum += fct[i];
		retrans += flows[i].retrans;
	}
	qsort(fct, n_flows, sizeof(*fct), compare_fct);
	printf("flows=%u unfinished=%u ", n_flows, n_flows - n_done);
	printf("mean_ms=%.3f p50_ms=%.3f p99_ms=%.3f ", sum / n_flows / 1e6,
	       fct[n_flows / 2] / 1e6, fct[(__u64)n_flows * 99 / 100] / 1e6);
	printf("retransmits=%llu bytes=%llu offered_bytes=%llu ", retrans, bytes_received,
	       trace_bytes());
	printf("seconds=%.3f cpu_idle=%.0f\n", ran / 1e9, 100 * cpu_idle);
	free(fct);
}

static const char usage_text[] =
"usage: flowgen -f NS,ADDR [-f ...] -t NS,ADDR [-t ...] -C BITS { -n FLOWS | -d SECONDS }\n"
"  -f NS,ADDR  a sender: namespace and address      -t NS,ADDR  a receiver\n"
"  -b          half of the transfers go the other way\n"
"  -C BITS     capacity in bit/s                    -l LOAD     fraction of it (0.5)\n"
"  -n FLOWS    that many transfers                  -d SECONDS  arrivals for that long\n"
"  -D SECONDS  wait after the last arrival (10)     -r SEED     of the trace (1)\n"
"  -s SCALE    of the web-search sizes (1)          -m BYTES    no transfer larger\n"
"  -S BYTES    every transfer this long             -c CONNS    per pair of hosts (3)\n"
"  -o FILE     a line per transfer                  -q          no progress\n"
"  -p          print the trace (ns, bytes, connection) and do nothing\n";

static noreturn void usage(void)
{
	fputs(usage_text, stderr);
	exit(EXIT_USAGE);
}

static double number(const char *s, char name, double min, double max)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || !(v >= min && v <= max))
		die(EXIT_USAGE, "-%c takes a value from %g to %g, not \"%s\"", name,
		    min, max, s);
	return v;
}

static void host_add(struct host *hosts, __u32 *n, char *arg)
{
	char *comma = strchr(arg, ',');

	if (!comma)
		die(EXIT_USAGE, "\"%s\" is not NAMESPACE,ADDRESS", arg);
	if (*n == MAX_HOSTS)
		die(EXIT_USAGE, "more than %d hosts", MAX_HOSTS);
	*comma = '\0';
	hosts[*n].ns = arg;
	hosts[*n].addr = comma + 1;
	host_resolve(&hosts[(*n)++]);
}

static const struct {
	char name;
	double min;
	double max;
	double *value;
} numbers[] = {
	{ 'C', 1e3, 1e13, &opt.capacity },
	{ 'l', 0.000001, 100, &opt.load },
	{ 'n', 1, MAX_FLOWS - 1, &opt.flows },
	{ 'd', 0.001, 1e5, &opt.seconds },
	{ 'D', 0, 1e5, &opt.drain },
	{ 'r', 0, 1e15, &opt.seed },
	{ 's', 0.000001, 1e3, &opt.scale },
	{ 'm', 1, 4e9, &opt.cap },
	{ 'S', 1, 4e9, &opt.fixed },
	{ 'c', 1, 1000, &opt.per_pair },
};

static void option_number(int c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (numbers[i].name != c)
			continue;
		*numbers[i].value = number(optarg, c, numbers[i].min, numbers[i].max);
		return;
	}
	usage();
}

static void option(int c)
{
	switch (c) {
	case 'f':
		host_add(from, &n_from, optarg);
		break;
	case 't':
		host_add(to, &n_to, optarg);
		break;
	case 'b':
		opt.both_ways = true;
		break;
	case 'o':
		opt.out = optarg;
		break;
	case 'q':
		opt.quiet = true;
		break;
	case 'p':
		opt.trace_only = true;
		break;
	default:
		option_number(c);
	}
}

static void options(int argc, char **argv)
{
	__u64 conns_wanted;
	int c;

	while ((c = getopt(argc, argv, "f:t:bC:l:n:d:D:r:s:m:S:c:o:qp")) != -1)
		option(c);
	if (optind < argc || !n_from || !n_to || !opt.capacity ||
	    !opt.flows == !opt.seconds)
		usage();
	conns_wanted = (__u64)n_from * n_to * opt.per_pair * (1 + opt.both_ways);
	if (conns_wanted > MAX_CONNS)
		die(EXIT_USAGE, "%llu connections are more than %d", conns_wanted,
		    MAX_CONNS);
	n_conns = conns_wanted;
}

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void signals_catch(void)
{
	struct sigaction sa = { .sa_handler = interrupt };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static FILE *out_open(void)
{
	FILE *out = fopen(opt.out ? opt.out : "/dev/null", "w");

	if (!out)
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.out, strerror(errno));
	return out;
}

static void report(FILE *out, __u64 ran)
{
	flows_age(ran);
	flows_write(out);
	if (fclose(out))
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.out, strerror(errno));
	summary(ran);
	if (fflush(stdout))
		die(EXIT_RUNTIME, "cannot write the summary: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	FILE *out;

	options(argc, argv);
	trace_make();
	if (opt.trace_only) {
		trace_print();
		return 0;
	}
	if (!n_flows)
		die(EXIT_RUNTIME, "no transfer arrives in %g s", opt.seconds);
	out = out_open();
	signals_catch();
	conns_setup();
	report(out, flows_run());
	if (interrupted)
		die(EXIT_RUNTIME, "interrupted");
	return 0;
}
