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
 * completion time runs from the scheduled arrival to the last byte received. With
 * requests it is the request that arrives, at the receiver, and waits there.
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

#define OPTIONS		"f:t:bC:l:n:d:r:s:m:S:c:h:T:RK:ML:D:B:P:o:qp"
#define RANDOM_OPTIONS	"ftbClndrsmSc"	/* which a trace file makes pointless */

struct options opt = {
	.load = 0.5, .drain = 10, .scale = 1, .cap = MAX_BYTES, .seed = 1, .per_pair = 3,
};

struct host from[MAX_HOSTS], to[MAX_HOSTS], hosts[MAX_HOSTS];
__u32 n_from, n_to, n_hosts;

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

static const char usage_text[] =
"usage: flowgen -f NS,ADDR [-f ...] -t NS,ADDR [-t ...] -C BITS { -n FLOWS | -d SECONDS }\n"
"       flowgen -h NS,ADDR [-h ...] -T FILE\n"
"  -f NS,ADDR  a sender: namespace and address      -t NS,ADDR  a receiver\n"
"  -b          half of the transfers go the other way\n"
"  -C BITS     capacity in bit/s                    -l LOAD     fraction of it (0.5)\n"
"  -n FLOWS    that many transfers                  -d SECONDS  arrivals for that long\n"
"  -r SEED     of the trace (1)                     -c CONNS    per pair of hosts (3)\n"
"  -s SCALE    of the web-search sizes (1)          -m BYTES    no transfer larger\n"
"  -S BYTES    every transfer this long\n"
"  -h NS,ADDR  a host of the trace file, the first is number 0\n"
"  -T FILE     replay these transfers, one a line, '-' for none; # begins a comment:\n"
"              START_NS BYTES FROM TO COPY GROUP AFTER RELAY\n"
"              AFTER: START counts since all transfers of that group are complete\n"
"              RELAY: forwards the bytes of that transfer (the first is 0) as they come\n"
"both:\n"
"  -R          the receiver asks for each transfer  -K NAME     congestion control\n"
"  -M          multipath TCP, whose subflows are up when the clock starts\n"
"  -L SECONDS  no longer in all\n"
"  -D SECONDS  wait after the last arrival (10), unless -L is given\n"
"  -B FILE     write \"begin TIME\" to it, as a pipe, when the clock starts\n"
"  -P FILE     write \"progress NS TRANSFERS BYTES\" to it every 100 ms, as a pipe\n"
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

static void host_add(struct host *list, __u32 *n, char *arg)
{
	char *comma = strchr(arg, ',');
	struct host *h = &list[*n];

	if (!comma)
		die(EXIT_USAGE, "\"%s\" is not NAMESPACE,ADDRESS", arg);
	if (*n == MAX_HOSTS)
		die(EXIT_USAGE, "more than %d hosts", MAX_HOSTS);
	*comma = '\0';
	h->ns = arg;
	h->addr = comma + 1;
	h->name = arg;
	h->listener = -1;
	host_resolve(h);
	(*n)++;
}

/* A host of a trace file has its number there as its name. */
static void numbered_host_add(char *arg)
{
	char *name;

	host_add(hosts, &n_hosts, arg);
	if (asprintf(&name, "%u", n_hosts - 1) < 0)
		die(EXIT_RUNTIME, "no memory for the hosts");
	hosts[n_hosts - 1].name = name;
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
	{ 'd', 0.001, MAX_SECONDS, &opt.seconds },
	{ 'D', 0, MAX_SECONDS, &opt.drain },
	{ 'L', 0.001, MAX_SECONDS, &opt.limit },
	{ 'r', 0, 1e15, &opt.seed },
	{ 's', 0.000001, 1e3, &opt.scale },
	{ 'm', 1, MAX_BYTES, &opt.cap },
	{ 'S', 1, MAX_BYTES, &opt.fixed },
	{ 'c', 1, MAX_COPIES, &opt.per_pair },
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

static void option_host(int c)
{
	switch (c) {
	case 'f':
		host_add(from, &n_from, optarg);
		break;
	case 't':
		host_add(to, &n_to, optarg);
		break;
	case 'h':
		numbered_host_add(optarg);
		break;
	default:
		option_number(c);
	}
}

static void option_string(int c)
{
	switch (c) {
	case 'o':
		opt.out = optarg;
		break;
	case 'B':
		opt.begin = optarg;
		break;
	case 'P':
		opt.progress = optarg;
		break;
	case 'T':
		opt.replay = optarg;
		break;
	case 'K':
		opt.congestion = optarg;
		break;
	default:
		option_host(c);
	}
}

static void option(int c)
{
	switch (c) {
	case 'b':
		opt.both_ways = true;
		break;
	case 'q':
		opt.quiet = true;
		break;
	case 'p':
		opt.trace_only = true;
		break;
	case 'R':
		opt.requests = true;
		break;
	case 'M':
		opt.mptcp = true;
		break;
	default:
		option_string(c);
	}
}

static void options(int argc, char **argv)
{
	char random = 0;
	int c;

	while ((c = getopt(argc, argv, OPTIONS)) != -1) {
		option(c);
		if (strchr(RANDOM_OPTIONS, c))
			random = c;
	}
	if (opt.replay && random)
		die(EXIT_USAGE, "-%c does not go with -T", random);
	if (optind < argc || !opt.replay != !n_hosts)
		usage();
	if (!opt.replay && (!n_from || !n_to || !opt.capacity ||
			    !opt.flows == !opt.seconds))
		usage();
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

int main(int argc, char **argv)
{
	FILE *out;

	options(argc, argv);
	if (opt.replay)
		replay_read();
	else
		trace_make();
	if (opt.trace_only) {
		trace_print();
		return 0;
	}
	if (!n_flows)
		die(EXIT_RUNTIME, "no transfer arrives in %g s", opt.seconds);
	sockets_check();
	out = report_open();
	signals_catch();
	conns_setup();
	report(out, flows_run());
	if (interrupted)
		die(EXIT_RUNTIME, "interrupted");
	return 0;
}
