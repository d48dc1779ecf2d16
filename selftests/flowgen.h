/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of flowgen share: flowgen_trace.c makes the flows,
 * flowgen_conn.c the connections, flowgen_run.c lets the one run over the
 * other, flowgen.c reads options and reports.
 */
#ifndef FLOWGEN_H
#define FLOWGEN_H

#include <linux/types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdnoreturn.h>
#include <sys/socket.h>

#define NSEC_PER_SEC	1000000000ULL
#define MAX_HOSTS	256
#define MAX_CONNS	65536
#define MAX_FLOWS	1000000
#define EXIT_RUNTIME	1
#define EXIT_USAGE	2
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct host {
	const char *ns;
	const char *addr;
	struct sockaddr_storage sa;
	socklen_t sa_len;
	int listener;
};

struct flow {
	__u64 arrival_ns;	/* scheduled, since the start */
	__u64 fct_ns;	/* valid if done, else its age at the end */
	__u32 size;
	__u32 retrans;
	__u32 conn;
	bool done;
	struct flow *next;	/* behind it on the same connection */
};

struct conn {
	const struct host *from;
	const struct host *to;
	int tx_fd;
	int rx_fd;
	__u32 to_send;
	__u32 to_receive;
	__u32 retrans_before;
	struct flow *head;	/* the transfer in progress */
	struct flow *tail;
};

/* Counts are doubles, too: one table reads them all, and 2^53 is enough. */
struct options {
	double load;
	double capacity;	/* bit/s */
	double flows;		/* so many transfers, or */
	double seconds;		/* arrivals for so long */
	double drain;		/* seconds after the last arrival */
	double scale;		/* of the size table */
	double cap;		/* largest size in bytes, after scaling */
	double fixed;		/* bytes; every transfer this long */
	double seed;
	double per_pair;
	bool both_ways;
	bool trace_only;
	bool quiet;
	const char *out;
};

extern struct options opt;
extern struct host from[MAX_HOSTS], to[MAX_HOSTS];
extern __u32 n_from, n_to;
extern struct flow *flows;
extern __u32 n_flows;
extern struct conn *conns;
extern __u32 n_conns;

/* flowgen.c */
noreturn void die(int status, const char *fmt, ...);
__u64 now_ns(void);

/* flowgen_trace.c */
__u32 conn_index(bool back, __u32 a, __u32 b, __u32 k);
void trace_make(void);
__u64 trace_bytes(void);
void trace_print(void);

/* flowgen_conn.c */
void host_resolve(struct host *h);
void epoll_watch(int epoll_fd, int fd, __u32 events, __u64 cookie);
void conns_setup(void);
__u32 conn_retrans(const struct conn *c);

/* flowgen_run.c: the totals are valid after (and during) the run */
extern __u32 n_done;
extern __u64 bytes_received;
extern double cpu_idle;	/* of the whole machine: a busy one measures itself */
extern atomic_bool interrupted;
__u64 flows_run(void);

#endif
