/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of flowgen share. Transfers come from flowgen_trace.c, which
 * draws them, or from flowgen_replay.c, which reads them; flowgen_conn.c opens
 * their connections, of flowgen_socket.c's sockets, and flowgen_subflows.c those of
 * multipath TCP. flowgen_run.c starts them in the order of flowgen_queue.c,
 * flowgen_transfer.c carries them out and asks flowgen_info.c what TCP counted.
 * flowgen.c reads options, flowgen_report.c reports.
 */
#ifndef FLOWGEN_H
#define FLOWGEN_H

#include <linux/types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <sys/socket.h>

#define NSEC_PER_SEC	1000000000ULL
#define MAX_HOSTS	1024
#define MAX_CONNS	65536
#define MAX_FLOWS	1000000
#define MAX_GROUPS	MAX_FLOWS
#define MAX_COPIES	1000	/* connections of a pair of hosts, per direction */
#define MAX_BYTES	4000000000U
#define MAX_SECONDS	100000
#define NO_GROUP	(~0U)
#define EXIT_RUNTIME	1
#define EXIT_USAGE	2
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct host {
	const char *ns;
	const char *addr;
	const char *name;	/* in the report */
	struct sockaddr_storage sa;
	socklen_t sa_len;
	int listener;		/* -1: none */
};

/* Counters of both ends of a connection, so far or over a transfer. */
struct counts {
	__u32 retrans;
	__u32 out_of_order;
	__u16 rtos;
};

struct flow {
	__u64 arrival_ns;	/* scheduled, since the start; if it waits for a
				 * group, since that is complete
				 */
	__u64 fct_ns;		/* valid if done, else its age at the end */
	__u32 size;
	__u32 sent;
	__u32 received;
	__u32 conn;
	__u32 group;		/* or NO_GROUP */
	bool waits;		/* for a group: nobody knows yet when it arrives */
	bool done;
	struct counts counts;
	struct flow *next;	/* behind it on its connection, or waiting like it */
	struct flow *source;	/* whose bytes it forwards */
	struct flow *relays;	/* the first that forwards its bytes */
	struct flow *relays_next;
};

struct group {
	__u32 unfinished;
	__u32 awaited_line;	/* the first that waits for it, or 0 */
	struct flow *waiting;
};

/* An end of a connection as its peer sees it; the struct has no padding. */
struct end {
	__u8 addr[16];
	__u8 port[2];
};

struct conn {
	struct host *from;
	struct host *to;
	int tx_fd;
	int rx_fd;
	struct end end;		/* of tx_fd */
	__u32 request_left;	/* bytes of the request that the sender misses */
	int lowat;		/* SO_RCVLOWAT of rx_fd */
	bool blocked;		/* tx_fd takes no more until epoll says so */
	struct counts before;	/* when the transfer in progress began */
	struct flow *head;	/* the transfer in progress */
	struct flow *tail;
};

/* Counts are doubles, too: one table reads them all, and 2^53 is enough. */
struct options {
	double load;
	double capacity;	/* bit/s */
	double flows;		/* so many transfers, or */
	double seconds;		/* arrivals for so long */
	double drain;		/* seconds after the last arrival, or */
	double limit;		/* seconds in all */
	double scale;		/* of the size table */
	double cap;		/* largest size in bytes, after scaling */
	double fixed;		/* bytes; every transfer this long */
	double seed;
	double per_pair;
	bool both_ways;
	bool trace_only;
	bool quiet;
	bool requests;
	bool mptcp;
	const char *congestion;	/* control: its name */
	const char *replay;	/* the trace file */
	const char *begin;	/* a file that is told when the clock starts */
	const char *progress;	/* a file that is told how far it is */
	const char *out;
};

extern struct options opt;
extern struct host from[MAX_HOSTS], to[MAX_HOSTS], hosts[MAX_HOSTS];
extern __u32 n_from, n_to, n_hosts;
extern struct flow *flows;
extern __u32 n_flows;
extern struct conn *conns;
extern __u32 n_conns;

/* flowgen.c */
noreturn void die(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
__u64 now_ns(void);

/* flowgen_trace.c */
void trace_make(void);
void trace_print(void);

/* flowgen_replay.c */
extern struct group *groups;
void replay_read(void);

/* flowgen_socket.c */
void host_resolve(struct host *h);
void host_enter(const struct host *h);
void host_listen(struct host *h);
void sockets_check(void);
int socket_open(const struct host *h);
void files_allow(__u64 sockets);
void epoll_watch(int epoll_fd, int fd, __u32 events, __u64 cookie);

/* flowgen_conn.c */
void conns_alloc(__u64 count);
void conns_setup(void);

/* flowgen_subflows.c */
extern __u64 n_subflows;
void subflows_open(void);

/* flowgen_queue.c */
void queue_setup(void);
struct flow *queue_first(void);
void queue_take(void);
void queue_release(struct group *group, __u64 at);

/* flowgen_info.c */
extern bool rtos_known;
struct counts counts_read(const struct conn *c);
struct counts counts_since(const struct counts *before, const struct counts *now);

/* flowgen_transfer.c: the totals are valid after (and during) the run */
extern __u32 n_started, n_done;
extern __u64 bytes_received;
void flow_start(struct flow *f);
void conn_serve(struct conn *c, bool in, bool out);
void conn_receive(struct conn *c);

/* flowgen_run.c */
extern double cpu_idle;	/* of the whole machine: a busy one measures itself */
extern atomic_bool interrupted;
extern __u64 elapsed;	/* ns since the start, when somebody looked: a system call */
void clock_look(void);
__u64 flows_run(void);

/* flowgen_report.c */
FILE *report_open(void);
void report(FILE *out, __u64 ran);

#endif
