// SPDX-License-Identifier: GPL-2.0
/* frames - Ethernet frames that are not IP: each source address is a flow of its own
 *
 * Ethertype 0x88b5 is IEEE 802's for local experiments; no host answers it.
 */
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define EXIT_RUNTIME	1
#define EXIT_USAGE	2
#define ETHERTYPE_TEST	0x88b5
#define MAX_FRAMES	65536	/* source addresses count in 16 bits */

static const unsigned char source[ETH_ALEN] = { 0x02, 0x88, 0xb5, 0, 0, 0 };

static int frames_send(int fd, const struct sockaddr_ll *to, int count)
{
	unsigned char frame[ETH_ZLEN] = { 0 };
	struct ethhdr *eth = (void *)frame;
	int i;

	memcpy(eth->h_dest, to->sll_addr, ETH_ALEN);
	memcpy(eth->h_source, source, ETH_ALEN);
	eth->h_proto = htons(ETHERTYPE_TEST);
	for (i = 0; i < count; i++) {
		eth->h_source[ETH_ALEN - 2] = i >> 8;
		eth->h_source[ETH_ALEN - 1] = i;
		if (sendto(fd, frame, sizeof(frame), 0, (const void *)to,
			   sizeof(*to)) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll to = {
		.sll_family	= AF_PACKET,
		.sll_protocol	= htons(ETHERTYPE_TEST),
		.sll_halen	= ETH_ALEN,
	};
	struct ether_addr *mac = argc == 4 ? ether_aton(argv[2]) : NULL;
	int count = mac ? atoi(argv[3]) : 0;
	int fd;

	if (count < 1 || count > MAX_FRAMES) {
		fputs("usage: frames DEVICE MAC COUNT\n", stderr);
		return EXIT_USAGE;
	}
	memcpy(to.sll_addr, mac, ETH_ALEN);
	to.sll_ifindex = if_nametoindex(argv[1]);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || !to.sll_ifindex || frames_send(fd, &to, count)) {
		fprintf(stderr, "frames: cannot send on %s: %s\n", argv[1],
			strerror(errno));
		return EXIT_RUNTIME;
	}
	return 0;
}
