// SPDX-License-Identifier: GPL-2.0
/* Counters of TCP for a connection. */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include "flowgen.h"

/* tcpi_total_rto came with Linux 6.7; the headers may be older. Between the two
 * are tcpi_rcv_wnd and tcpi_rehash.
 */
#define TOTAL_RTO	(offsetof(struct tcp_info, tcpi_snd_wnd) + 3 * sizeof(__u32))

union info {
	struct tcp_info tcp;
	__u8 bytes[512];	/* room for what later kernels tell */
};

bool rtos_known;		/* after the first counts */

static __u16 info_rtos(const union info *info)
{
	__u16 rtos;

	memcpy(&rtos, info->bytes + TOTAL_RTO, sizeof(rtos));
	return rtos;
}

static void info_read(int fd, union info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &len))
		die(EXIT_RUNTIME, "cannot read TCP_INFO: %s", strerror(errno));
	rtos_known = len >= TOTAL_RTO + sizeof(__u16);
}

/* The receiver's end sends requests: a lost request delays its transfer, too. MPTCP reports
 * the first of its subflows only, which is useless here.
 */
struct counts counts_read(const struct conn *c)
{
	struct counts counts = { 0 };
	union info info;

	if (opt.mptcp)
		return counts;
	info_read(c->tx_fd, &info);
	counts.retrans = info.tcp.tcpi_total_retrans;
	counts.rtos = info_rtos(&info);
	if (!opt.out && !opt.requests)
		return counts;	/* nobody asks, or it is zero */
	info_read(c->rx_fd, &info);
	counts.retrans += info.tcp.tcpi_total_retrans;
	counts.rtos += info_rtos(&info);
	counts.out_of_order = info.tcp.tcpi_rcv_ooopack;
	return counts;
}

/* The counters wrap, and so do the differences. */
struct counts counts_since(const struct counts *before, const struct counts *now)
{
	return (struct counts) {
		.retrans = now->retrans - before->retrans,
		.out_of_order = now->out_of_order - before->out_of_order,
		.rtos = now->rtos - before->rtos,
	};
}
