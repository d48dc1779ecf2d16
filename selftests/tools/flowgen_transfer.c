// SPDX-License-Identifier: GPL-2.0
/* A transfer from its request to its last byte, and the transfers that it starts. */
#include <errno.h>
#include <string.h>

#include "flowgen.h"

#define CHUNK	(256 * 1024)	/* bytes offered to one read or write */
#define PIECE	(64 * 1024)
#define PACKET	1448		/* bytes that come at once in any case */
#define REQUEST	16		/* bytes, by which a receiver asks for a transfer */

__u32 n_started, n_done;
__u64 bytes_received;
static char zeros[CHUNK], sink[CHUNK];

static __u32 flow_ready(const struct flow *f)
{
	return (f->source ? f->source->received : f->size) - f->sent;
}

/* The kernel takes less than it is offered if it has no room for more; epoll reports when it
 * has room.
 */
static void conn_send(struct conn *c)
{
	struct flow *f = c->head;
	__u32 bytes;
	ssize_t n;

	while (f && !c->request_left && !c->blocked && (bytes = flow_ready(f))) {
		if (bytes > CHUNK)
			bytes = CHUNK;
		n = send(c->tx_fd, zeros, bytes, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			die(EXIT_RUNTIME, "sending from \"%s\" to \"%s\" failed: %s",
			    c->from->ns, c->to->ns, strerror(errno));
		c->blocked = n < (ssize_t)bytes;
		if (n > 0)
			f->sent += n;
	}
}

/* Wakes up for the end of the transfer or a large piece of it, not for every packet. With
 * MPTCP, whose receive window then stays closed, it costs retransmissions.
 */
static void conn_expect(struct conn *c)
{
	__u32 left = c->head->size - c->head->received;
	int bytes = left < PIECE ? left : PIECE;

	if (left <= PACKET)
		bytes = 1;
	if (opt.mptcp || bytes == c->lowat)
		return;
	if (setsockopt(c->rx_fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)))
		die(EXIT_RUNTIME, "cannot set SO_RCVLOWAT: %s", strerror(errno));
	c->lowat = bytes;
}

/* There is room for it: all earlier data in this direction was answered. */
static void request_send(struct conn *c)
{
	ssize_t n = send(c->rx_fd, zeros, REQUEST, MSG_NOSIGNAL);

	if (n != REQUEST)
		die(EXIT_RUNTIME, "a request from \"%s\" to \"%s\" failed: %s",
		    c->to->ns, c->from->ns, n < 0 ? strerror(errno) : "no room");
	c->request_left = REQUEST;
}

static void request_receive(struct conn *c)
{
	ssize_t n = recv(c->tx_fd, sink, CHUNK, MSG_TRUNC);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 || (__u32)n > c->request_left)
		die(EXIT_RUNTIME, "a request from \"%s\" to \"%s\" failed: %s",
		    c->to->ns, c->from->ns,
		    n < 0 ? strerror(errno) : n ? "too long" : "closed");
	c->request_left -= n;
}

/* Returns the transfer whose turn it is on its connection. */
static void conn_start(struct conn *c)
{
	conn_expect(c);
	if (opt.requests)
		request_send(c);
	else
		conn_send(c);
}

static void group_finish(const struct flow *f)
{
	struct group *group;

	if (f->group == NO_GROUP)
		return;
	group = &groups[f->group];
	if (!--group->unfinished)
		queue_release(group, elapsed);
}

static void conn_finish(struct conn *c)
{
	struct counts counts = counts_read(c);
	struct flow *f = c->head;

	clock_look();
	f->fct_ns = elapsed - f->arrival_ns;
	f->counts = counts_since(&c->before, &counts);
	f->done = true;
	n_done++;
	group_finish(f);
	c->head = f->next;
	c->before = counts;
	if (c->head)
		conn_start(c);
}

/* A transfer that forwards these bytes may do so, if it is its turn on its connection. */
static void relays_send(const struct flow *f)
{
	struct flow *relay;

	for (relay = f->relays; relay; relay = relay->relays_next)
		if (conns[relay->conn].head == relay)
			conn_send(&conns[relay->conn]);
}

/* conn_serve - the sender's end has room, or data to read */
void conn_serve(struct conn *c, bool in, bool out)
{
	if (out)
		c->blocked = false;
	if (in && c->request_left)
		request_receive(c);
	conn_send(c);
}

/* MSG_TRUNC: the kernel drops the bytes instead of copying them. */
void conn_receive(struct conn *c)
{
	ssize_t n = recv(c->rx_fd, sink, CHUNK, MSG_TRUNC);
	struct flow *f = c->head;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0)
		die(EXIT_RUNTIME, "receiving in \"%s\" failed: %s", c->to->ns,
		    strerror(errno));
	if (n == 0 || !f || n > f->size - f->received)
		die(EXIT_RUNTIME, "connection from \"%s\" to \"%s\" %s", c->from->ns,
		    c->to->ns, n ? "brought bytes nobody sent" : "was closed");
	bytes_received += n;
	f->received += n;
	relays_send(f);
	if (f->received < f->size)
		conn_expect(c);
	else
		conn_finish(c);
}

void flow_start(struct flow *f)
{
	struct conn *c = &conns[f->conn];

	n_started++;
	f->next = NULL;
	if (c->head) {
		c->tail->next = f;
		c->tail = f;
		return;
	}
	c->head = f;
	c->tail = f;
	c->before = counts_read(c);
	conn_start(c);
}
