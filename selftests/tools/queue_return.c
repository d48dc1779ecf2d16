// SPDX-License-Identifier: GPL-2.0
/*
 * queue_return - gives the packets of a netfilter queue back, all accepted
 *
 *	queue_return [-s] NETNS QUEUE
 *
 * The kernel continues with a packet within the system call that brings its verdict: in
 * process context, where packets otherwise pass in softirq. Prints "ready" once packets
 * can arrive, and after SIGTERM the number of packets that were given back. With -s the
 * kernel cuts packets into segments before it queues them (no NFQA_CFG_F_GSO).
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#define BUFFER_BYTES	(32 << 20)	/* a slow kernel queues many before we read */
#define QUEUE_MAX	100000
#define MESSAGE_MAX	65536

struct request {
	struct nlmsghdr		nl;
	struct nfgenmsg		nf;
	char			attrs[64];
};

static atomic_int stop;
static int fd, queue;

static void request_init(struct request *req, int type, int flags)
{
	*req = (struct request){
		.nl = {
			.nlmsg_len	= NLMSG_LENGTH(sizeof(req->nf)),
			.nlmsg_type	= NFNL_SUBSYS_QUEUE << 8 | type,
			.nlmsg_flags	= NLM_F_REQUEST | flags,
		},
		.nf.res_id = htons(queue),
	};
}

static void request_put(struct request *req, int type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)req + NLMSG_ALIGN(req->nl.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	req->nl.nlmsg_len = NLMSG_ALIGN(req->nl.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

static bool request_send(const struct request *req)
{
	return send(fd, req, req->nl.nlmsg_len, 0) == (ssize_t)req->nl.nlmsg_len;
}

/* The kernel acknowledges the request, or the program ends. */
static void configure(int type, const void *data, size_t len)
{
	char answer[MESSAGE_MAX];
	const struct nlmsghdr *nl = (void *)answer;
	const struct nlmsgerr *error = NLMSG_DATA(nl);
	struct request req;

	request_init(&req, NFQNL_MSG_CONFIG, NLM_F_ACK);
	request_put(&req, type, data, len);
	if (!request_send(&req))
		err(EXIT_FAILURE, "send");
	do {
		if (recv(fd, answer, sizeof(answer), 0) < 0)
			err(EXIT_FAILURE, "recv");
	} while (nl->nlmsg_type != NLMSG_ERROR);
	if (error->error)
		errx(EXIT_FAILURE, "queue %d: %s", queue, strerror(-error->error));
}

static void queue_open(bool segments)
{
	struct nfqnl_msg_config_params params = {
		.copy_range	= htonl(0xffff),
		.copy_mode	= NFQNL_COPY_PACKET,
	};
	struct nfqnl_msg_config_cmd bind = { .command = NFQNL_CFG_CMD_BIND };
	uint32_t most = htonl(QUEUE_MAX), gso = htonl(NFQA_CFG_F_GSO);
	int buffer = BUFFER_BYTES, on = 1;
	struct request req;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof(on)))
		err(EXIT_FAILURE, "netlink");
	configure(NFQA_CFG_CMD, &bind, sizeof(bind));
	configure(NFQA_CFG_QUEUE_MAXLEN, &most, sizeof(most));
	if (!segments) {
		request_init(&req, NFQNL_MSG_CONFIG, 0);
		request_put(&req, NFQA_CFG_FLAGS, &gso, sizeof(gso));
		request_put(&req, NFQA_CFG_MASK, &gso, sizeof(gso));
		if (!request_send(&req))
			err(EXIT_FAILURE, "send");
	}
	configure(NFQA_CFG_PARAMS, &params, sizeof(params));
}

/* Returns the number of the packet in the queue, in network order. */
static bool packet_number(const struct nlmsghdr *nl, uint32_t *number)
{
	const struct nlattr *attr = (void *)((char *)NLMSG_DATA(nl) + sizeof(struct nfgenmsg));
	int left = (int)nl->nlmsg_len - (int)NLMSG_LENGTH(sizeof(struct nfgenmsg));
	const struct nfqnl_msg_packet_hdr *packet;

	for (; left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN;
	     left -= NLA_ALIGN(attr->nla_len),
	     attr = (void *)((char *)attr + NLA_ALIGN(attr->nla_len)))
		if ((attr->nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR) {
			packet = (void *)((char *)attr + NLA_HDRLEN);
			*number = packet->packet_id;
			return true;
		}
	return false;
}

static bool give_back(uint32_t number)
{
	struct nfqnl_msg_verdict_hdr verdict = { .verdict = htonl(NF_ACCEPT), .id = number };
	struct request req;

	request_init(&req, NFQNL_MSG_VERDICT, 0);
	request_put(&req, NFQA_VERDICT_HDR, &verdict, sizeof(verdict));
	return request_send(&req);
}

static unsigned long packets_return(const char *messages, int len)
{
	const struct nlmsghdr *nl = (void *)messages;
	unsigned long count = 0;
	uint32_t number;

	for (; len > 0 && NLMSG_OK(nl, (unsigned int)len); nl = NLMSG_NEXT(nl, len))
		if ((nl->nlmsg_type & 0xff) == NFQNL_MSG_PACKET && packet_number(nl, &number) &&
		    give_back(number))
			count++;
	return count;
}

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	static char messages[2 * MESSAGE_MAX];
	bool segments = argc == 4 && !strcmp(argv[1], "-s");
	unsigned long count = 0;
	ssize_t len;

	if (argc != 3 && !segments)
		errx(EXIT_FAILURE, "[-s] NETNS QUEUE");
	enter_netns(argv[argc - 2]);
	queue = atoi(argv[argc - 1]);
	queue_open(segments);
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!stop) {
		len = recv(fd, messages, sizeof(messages), 0);
		if (len > 0)
			count += packets_return(messages, len);
		else if (errno != EINTR)
			err(EXIT_FAILURE, "recv");
	}
	printf("%lu given back\n", count);
	return EXIT_SUCCESS;
}
