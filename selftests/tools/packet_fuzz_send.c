// SPDX-License-Identifier: GPL-2.0
/* The taps and sockets of packet_fuzz, and the ways to hand a packet over. */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "netns.h"
#include "packet_fuzz.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

#define FUZZ_FD_GRO	(FUZZ_FD + FUZZ_TAPS)	/* how long up1 waits for more to merge */
#define FUZZ_RING_FRAME	131072
#define FUZZ_FAILSLAB	"/sys/kernel/debug/failslab/probability"

const char * const fuzz_taps[FUZZ_TAPS] = { "up0", "up1", "pass", "side", "host" };

struct fuzz_fds fuzz_fds;
static void *fuzz_ring_frame;

/* ---- the taps ---- */

/* The uplink with GRO also makes checksums: without them there is no UDP_SEGMENT. */
static void fuzz_open_tap(int at, const char *name, short more)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | more };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

	if (fd < 0)
		err(EXIT_FAILURE, "/dev/net/tun");
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "fuzz_%s", name);
	if (ioctl(fd, TUNSETIFF, &ifr) || dup2(fd, at) < 0)
		err(EXIT_FAILURE, "%s", ifr.ifr_name);
	if (more == IFF_NAPI && ioctl(at, TUNSETOFFLOAD, TUN_F_CSUM))
		err(EXIT_FAILURE, "TUNSETOFFLOAD");
	close(fd);
}

/* fuzz_open_taps - opens the taps and runs the command with them */
void fuzz_open_taps(char **command)
{
	static const short more[FUZZ_TAPS] = {
		[FUZZ_UP0] = IFF_NAPI | IFF_NAPI_FRAGS,
		[FUZZ_UP1] = IFF_NAPI,
	};
	int i, fd;

	for (i = 0; i < FUZZ_TAPS; i++)
		fuzz_open_tap(FUZZ_FD + i, fuzz_taps[i], more[i]);
	fd = open("/sys/class/net/fuzz_up1/gro_flush_timeout", O_WRONLY);
	if (fd < 0 || dup2(fd, FUZZ_FD_GRO) < 0)
		err(EXIT_FAILURE, "gro_flush_timeout");
	close(fd);
	execvp(command[0], command);
	err(EXIT_FAILURE, "%s", command[0]);
}

/* ---- sockets ---- */

/* fuzz_socket - opens a socket, or ends the program */
int fuzz_socket(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	return fd;
}

static socklen_t fuzz_sockaddr(struct sockaddr_storage *addr, bool v6, uint8_t party,
			       uint16_t port)
{
	struct sockaddr_in6 *in6 = (void *)addr;
	struct sockaddr_in *in = (void *)addr;
	char text[20];

	memset(addr, 0, sizeof(*addr));
	snprintf(text, sizeof(text), v6 ? "fd00::%x" : "10.0.0.%d", party);
	addr->ss_family = v6 ? AF_INET6 : AF_INET;
	inet_pton(addr->ss_family, text, v6 ? (void *)&in6->sin6_addr : (void *)&in->sin_addr);
	in6->sin6_port = htons(port);	/* in the same place */
	return v6 ? sizeof(*in6) : sizeof(*in);
}

static int fuzz_open_udp(bool v6)
{
	int fd = fuzz_socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), one = 1;
	struct sockaddr_storage own;
	socklen_t len = fuzz_sockaddr(&own, v6, FUZZ_OWN, 0);

	if (bind(fd, (void *)&own, len) ||
	    setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		err(EXIT_FAILURE, "a UDP socket");
	return fd;
}

static void fuzz_open_ring(void)
{
	struct tpacket_req req = {
		.tp_block_size = FUZZ_RING_FRAME, .tp_block_nr = 1,
		.tp_frame_size = FUZZ_RING_FRAME, .tp_frame_nr = 1,
	};
	int version = TPACKET_V2;

	fuzz_fds.ring = fuzz_socket(AF_PACKET, SOCK_RAW, 0);
	if (setsockopt(fuzz_fds.ring, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fuzz_fds.ring, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)))
		err(EXIT_FAILURE, "PACKET_TX_RING");
	fuzz_ring_frame = mmap(NULL, FUZZ_RING_FRAME, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fuzz_fds.ring, 0);
	if (fuzz_ring_frame == MAP_FAILED)
		err(EXIT_FAILURE, "mmap");
}

/* fuzz_open - opens the sending and receiving sockets in the node's namespace */
void fuzz_open(const char *netns)
{
	int one = 1;

	fuzz_fds.starve = open(FUZZ_FAILSLAB, O_WRONLY | O_CLOEXEC);
	enter_netns(netns);
	fuzz_fds.raw[0] = fuzz_socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_UDP);
	fuzz_fds.raw[1] = fuzz_socket(AF_INET6, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_UDP);
	fuzz_fds.udp[0] = fuzz_open_udp(false);
	fuzz_fds.udp[1] = fuzz_open_udp(true);
	fuzz_fds.packet = fuzz_socket(AF_PACKET, SOCK_RAW, 0);
	if (setsockopt(fuzz_fds.packet, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)))
		err(EXIT_FAILURE, "PACKET_VNET_HDR");
	fuzz_open_ring();
}

/* ---- sending ---- */

static bool fuzz_write_tap(const struct fuzz_packet *packet, const struct fuzz_frame *frame)
{
	struct iovec parts[FUZZ_PIECES + 2] = {
		{ (void *)&packet->vnet, sizeof(packet->vnet) },
	};
	unsigned int i, count = 1;
	size_t at = 0, len;

	for (i = 0; i < packet->pieces && at < frame->len; i++, at += len) {
		len = packet->piece[i];
		if (len > frame->len - at)
			len = frame->len - at;
		parts[count++] = (struct iovec) { (void *)(frame->bytes + at), len };
	}
	if (at < frame->len || !frame->len)
		parts[count++] = (struct iovec) { (void *)(frame->bytes + at), frame->len - at };
	return writev(FUZZ_FD + packet->tap, parts, count) >= 0;
}

static void fuzz_wait_for_more(const char *ns)
{
	if (pwrite(FUZZ_FD_GRO, ns, strlen(ns), 0) < 0)
		err(EXIT_FAILURE, "gro_flush_timeout");
}

/* All packets but the last wait for more, as if one interrupt had brought them. */
static bool fuzz_send_taps(const struct fuzz_packet *packet)
{
	bool burst = packet->kind == FUZZ_BURST && packet->tap == FUZZ_UP1, sent = true;
	unsigned int i;

	for (i = 0; i < packet->count; i++) {
		if (burst && (!i || i == packet->count - 1))
			fuzz_wait_for_more(i ? "0" : "1000000000");
		sent &= fuzz_write_tap(packet, &packet->frame[i]);
	}
	return sent;
}

static void fuzz_device(const struct fuzz_packet *packet, struct sockaddr_ll *to)
{
	const char *name = fuzz_taps[packet->tap];
	const uint8_t *mac = packet->frame[0].bytes;

	if (packet->door == FUZZ_TX)
		name = mac[4] == 6 ? "vx6" : mac[4] == 12 ? "vxc" : "vx";
	*to = (struct sockaddr_ll) {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(name),
		.sll_halen = ETH_ALEN,
		.sll_protocol = htons(packet->v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP),
	};
	memcpy(to->sll_addr, mac, ETH_ALEN);
}

static bool fuzz_send_packet(const struct fuzz_packet *packet)
{
	const struct fuzz_frame *frame = &packet->frame[0];
	struct sockaddr_ll to;
	struct iovec parts[] = {
		{ (void *)&packet->vnet, sizeof(packet->vnet) },
		{ (void *)frame->bytes, frame->len },
	};
	struct msghdr message = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts),
	};

	fuzz_device(packet, &to);
	setsockopt(fuzz_fds.packet, SOL_SOCKET, SO_MARK, &packet->mark, sizeof(packet->mark));
	return sendmsg(fuzz_fds.packet, &message, MSG_DONTWAIT) >= 0;
}

/* The pages of the ring belong to the packet and to the process, which must not change them.
 */
static bool fuzz_send_ring(const struct fuzz_packet *packet, const char **wrong)
{
	const struct fuzz_frame *frame = &packet->frame[0];
	struct tpacket2_hdr *header = fuzz_ring_frame;
	uint8_t *at = (uint8_t *)header + TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);
	struct sockaddr_ll to;
	bool sent;

	fuzz_device(packet, &to);
	memcpy(at, frame->bytes, frame->len);
	header->tp_len = frame->len;
	header->tp_snaplen = frame->len;
	header->tp_status = TP_STATUS_SEND_REQUEST;
	sent = sendto(fuzz_fds.ring, NULL, 0, MSG_DONTWAIT, (void *)&to, sizeof(to)) > 0;
	header->tp_status = TP_STATUS_AVAILABLE;
	if (memcmp(at, frame->bytes, frame->len))
		*wrong = "the ring's own pages are changed";
	return sent;
}

static bool fuzz_send_socket(const struct fuzz_packet *packet, const char **wrong)
{
	int fd = fuzz_fds.udp[packet->v6], segment = packet->segment, flags = 0;
	const struct fuzz_frame *frame = &packet->frame[0];
	struct sockaddr_storage to;
	socklen_t addrlen = fuzz_sockaddr(&to, packet->v6, packet->party, packet->port);
	size_t half = packet->way == FUZZ_BY_CORK ? frame->len / 2 : 0;
	static struct fuzz_frame before;
	bool sent = true;

	setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment));
	if (packet->way == FUZZ_BY_ZEROCOPY) {
		flags = MSG_ZEROCOPY;
		before = *frame;
	}
	if (half)
		sent = sendto(fd, frame->bytes, half, MSG_MORE, (void *)&to, addrlen) >= 0;
	if (sendto(fd, frame->bytes + half, frame->len - half, flags, (void *)&to, addrlen) < 0)
		sent = false;
	if (flags && memcmp(before.bytes, frame->bytes, frame->len))
		*wrong = "the sender's own memory is changed";
	return sent;
}

/* fuzz_sent - a packet of this kind was sent, and all its results were read */
void fuzz_sent(const struct fuzz_packet *packet)
{
	struct msghdr message = {};

	if (packet->way != FUZZ_BY_ZEROCOPY)
		return;
	while (recvmsg(fuzz_fds.udp[packet->v6], &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
		;
}

/* fuzz_starve - lets half of the allocations that may not wait fail from now on, or none */
void fuzz_starve(bool on)
{
	const char *text = on ? "50" : "0";

	if (fuzz_fds.starve >= 0 && write(fuzz_fds.starve, text, strlen(text)) < 0)
		err(EXIT_FAILURE, FUZZ_FAILSLAB);
}

/* fuzz_send - returns false if it is rejected; *@wrong is an error of the sender itself */
bool fuzz_send(const struct fuzz_packet *packet, const char **wrong)
{
	switch (packet->way) {
	case FUZZ_BY_TAP:
		return fuzz_send_taps(packet);
	case FUZZ_BY_PACKET:
		return fuzz_send_packet(packet);
	case FUZZ_BY_RING:
		return fuzz_send_ring(packet, wrong);
	default:
		return fuzz_send_socket(packet, wrong);
	}
}
