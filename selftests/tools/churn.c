// SPDX-License-Identifier: GPL-2.0
/*
 * churn - creates and removes objects, with a process for each kind, all at once
 *
 *	churn -n COUNT -t SECONDS -p MILLISECONDS -m MODULE -a NETNS -b NETNS -r VTEP
 *	      -h DEVICE,GATEWAY...
 *
 * The program ends when each process has done so COUNT times, and prints the numbers as
 * "KIND DONE TRIED" lines. Before that it prints once a minute a line of progress, which
 * begins with "#". A process whose request is rejected tries again, since one process
 * removes what another uses. After SECONDS in which no process came nearer to COUNT, the
 * program ends as well.
 *
 *	-p MILLISECONDS	between the rounds of a process, ten times as long once it has done
 *			enough: traffic is to go on, and so are the others
 *	-a NETNS	leaf 0, where most of it is done
 *	-b NETNS	leaf 1, whose fabric comes and goes; devices move there and back
 *	-r VTEP		leaf 1 as leaf 0 knows it, by the devices of -h and their gateways
 *
 * churn.sh has set up the objects that are removed here, and restores them at the end.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/conga.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"
#include "message.h"
#include "netns.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define DISCARD		9		/* UDP port */
#define SLOWER		10		/* who has done enough */
#define PROGRESS_S	60
#define USEC_PER_MSEC	1000
#define STEP_US		100000

struct kind {
	const char *name;
	bool (*round)(void);
};

struct score {
	unsigned long	done;
	unsigned long	tried;
};

struct options opt;

static struct {
	atomic_bool stop;
	struct score score[32];
} *shared;

struct box box, peer;
unsigned long turn;

/* ---- namespaces ---- */

static int netns_open(const char *name)
{
	int fd = open_netns(name);

	if (fd < 0)
		err(EXIT_FAILURE, "network namespace %s", name);
	return fd;
}

static void netns_enter(int fd)
{
	if (setns(fd, CLONE_NEWNET))
		err(EXIT_FAILURE, "setns");
}

/* ---- packets ---- */

void packets_send(const char *to, int count)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(DISCARD) };
	int fd;

	inet_pton(AF_INET, to, &addr.sin_addr);
	while (count--) {
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			err(EXIT_FAILURE, "socket");
		sendto(fd, "", 0, MSG_DONTWAIT, (void *)&addr, sizeof(addr));
		close(fd);
	}
}

/* ---- contents of a fabric ---- */

static bool port_add(struct box *b, const char *dev, int role)
{
	char index[32], as[32];

	snprintf(index, sizeof(index), "1:u32=%d", link_index(b, dev));
	snprintf(as, sizeof(as), "2:u32=%d", role);
	return conga(b, CONGA_CMD_PORT_NEW, index, as, "4:u64=1000000000", NULL);
}

static bool port_delete(struct box *b, const char *dev)
{
	char index[32];

	snprintf(index, sizeof(index), "1:u32=%d", link_index(b, dev));
	return conga(b, CONGA_CMD_PORT_DEL, index, NULL);
}

static bool leaf_change(struct box *b, int command, const char *addr, int mode)
{
	char key[64], as[32];
	struct in_addr in;

	inet_pton(AF_INET, addr, &in);
	snprintf(key, sizeof(key), "1:hex=%08x", ntohl(in.s_addr));
	snprintf(as, sizeof(as), "3:u32=%d", mode);
	return conga(b, command, key, mode ? as : NULL, NULL);
}

static bool fabric_add(struct box *b)
{
	int i;

	if (!conga(b, CONGA_CMD_FABRIC_NEW, "13:u64=20000000", NULL))
		return false;
	for (i = 0; i < opt.hops; i++)
		port_add(b, opt.hop[i].dev, CONGA_ROLE_UPLINK);
	return true;
}

/* Uses leaf 0, with those leaves that only receive traffic. */
static bool fabric_add_all(void)
{
	if (!fabric_add(&box))
		return false;
	port_add(&box, "up7", CONGA_ROLE_UPLINK);
	port_add(&box, "up8", CONGA_ROLE_UPLINK);
	port_add(&box, "up9", CONGA_ROLE_UPLINK);
	conga(&box, CONGA_CMD_LEAF_NEW, FAR_LEAF_HEX, NULL);
	conga(&box, CONGA_CMD_LEAF_NEW, "2:hex=fd000000000000000000000000000098", NULL);
	conga(&box, CONGA_CMD_LEAF_NEW, "2:hex=fd000000000000000000000000000099", NULL);
	return leaf_change(&box, CONGA_CMD_LEAF_NEW, opt.vtep, CONGA_MODE_AUTO);
}

/* ---- kinds: each returns whether an object was removed and created ---- */

static bool round_port(void)
{
	bool gone = port_delete(&box, opt.hop[opt.hops - 1].dev);

	return port_add(&box, opt.hop[opt.hops - 1].dev, CONGA_ROLE_UPLINK) && gone;
}

static bool round_leaf(void)
{
	bool gone = leaf_change(&box, CONGA_CMD_LEAF_DEL, opt.vtep, 0);

	return leaf_change(&box, CONGA_CMD_LEAF_NEW, opt.vtep,
			   turn % 2 ? CONGA_MODE_AUTO : CONGA_MODE_CONGA) && gone;
}

/* The other leaf is plain for a moment: leaf 0 sends a goodbye message, or hello is silent.
 */
static bool round_fabric(void)
{
	bool gone = conga(&peer, CONGA_CMD_FABRIC_DEL, NULL);

	return fabric_add(&peer) &&
	       leaf_change(&peer, CONGA_CMD_LEAF_NEW, "10.0.0.11", CONGA_MODE_AUTO) && gone;
}

static bool round_policy(void)
{
	static const char * const policies[] = {
		"1:string=hula", "1:string=tr", "1:string=presto", "1:string=conga",
		"1:string=drill", "1:string=rehash", "1:string=ecmp", "1:string=letflow",
	};

	return conga(&box, CONGA_CMD_FABRIC_SET, policies[turn % ARRAY_SIZE(policies)], NULL);
}

/* The flowlet table and DREs are allocated again. */
static bool round_parameters(void)
{
	return conga(&box, CONGA_CMD_FABRIC_SET, turn % 2 ? "2:u32=2" : "2:u32=3",
		     turn % 2 ? "8:u32=1024" : "8:u32=4096", NULL);
}

static bool round_rate(void)
{
	char index[32];

	snprintf(index, sizeof(index), "1:u32=%d", link_index(&box, opt.hop[0].dev));
	return conga(&box, CONGA_CMD_PORT_SET, index,
		     turn % 2 ? "4:u64=2000000000" : "4:u64=1000000000", NULL);
}

static bool tap_speed(int fd, int tap, unsigned int mbits)
{
	struct ethtool_cmd cmd = { .cmd = ETHTOOL_SSET, .duplex = DUPLEX_FULL };
	struct ifreq ifr = { .ifr_name = "tap0", .ifr_data = (void *)&cmd };
	int on = 1, off = 0;

	ethtool_cmd_speed_set(&cmd, mbits);
	return !ioctl(tap, TUNSETCARRIER, &off) && !ioctl(fd, SIOCETHTOOL, &ifr) &&
	       !ioctl(tap, TUNSETCARRIER, &on);
}

/* The rate of this port is that of its link, which changes. */
static bool round_speed(void)
{
	struct ifreq ifr = { .ifr_name = "tap0", .ifr_flags = IFF_TAP | IFF_NO_PI };
	static int tap;
	char index[32];

	if (!tap) {
		tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
		if (tap < 0 || ioctl(tap, TUNSETIFF, &ifr) || !link_set(&box, "tap0", true))
			err(EXIT_FAILURE, "tap0");
	}
	snprintf(index, sizeof(index), "1:u32=%d", link_index(&box, "tap0"));
	conga(&box, CONGA_CMD_PORT_NEW, index, "2:u32=2", NULL);
	return tap_speed(box.route, tap, turn % 2 ? 1000 : 10000);
}

static bool round_down(void)
{
	return link_set(&box, opt.hop[2].dev, false) && link_set(&box, opt.hop[2].dev, true);
}

static bool round_mtu(void)
{
	return link_change(&box, opt.hop[1].dev, IFLA_MTU, turn % 2 ? 1600 : 1590);
}

static bool round_address(void)
{
	bool gone = address_change(&box, RTM_DELADDR, opt.hop[1].dev, "10.99.0.1");

	return address_change(&box, RTM_NEWADDR, opt.hop[1].dev, "10.99.0.1") && gone;
}

/* An uplink that is down is left out. */
static bool round_route(void)
{
	bool gone = route_delete(&box, opt.vtep);

	return route_add(&box, opt.vtep, opt.hop, opt.hops) && gone;
}

/* A nexthop leaves its group when it is deleted. */
static bool round_nexthop(void)
{
	bool gone = nexthop_delete(&box, GROUP_SECOND);

	return nexthop_add(&box, GROUP_SECOND, "up9") &&
	       nexthop_group(&box, GROUP, GROUP_FIRST, GROUP_SECOND) && gone;
}

/* Returns whether @dev became an uplink of FAR_LEAF. */
static bool far_port(const char *dev)
{
	char index[32];

	route_append(&box, FAR_LEAF, dev);
	port_add(&box, dev, CONGA_ROLE_UPLINK);
	packets_send(FAR_TUNNEL, 4);
	usleep(PAUSE_US);
	snprintf(index, sizeof(index), "1:u32=%d", link_index(&box, dev));
	return conga(&box, CONGA_CMD_PORT_SET, index, "14:u32=0", NULL);
}

static bool round_rename(void)
{
	const char *from = link_index(&box, "rn1") ? "rn1" : "rn0";
	const char *to = from[2] == '1' ? "rn0" : "rn1";
	bool port;

	if (!link_index(&box, from))
		link_add_dummy(&box, from);
	port = far_port(from);
	return link_set(&box, from, false) && link_rename(&box, from, to) &&
	       link_set(&box, to, true) && port;
}

static bool round_move(void)
{
	static int here, there;
	bool port;

	if (!here) {
		here = netns_open(opt.netns[0]);
		there = netns_open(opt.netns[1]);
	}
	if (!link_index(&box, "mv0"))
		link_add_dummy(&box, "mv0");
	link_set(&box, "mv0", true);
	port = far_port("mv0");
	return link_change(&box, "mv0", IFLA_NET_NS_FD, there) &&
	       link_change(&peer, "mv0", IFLA_NET_NS_FD, here) && port;
}

static bool round_unregister(void)
{
	bool port = link_add_dummy(&box, "un0") && far_port("un0");

	return link_delete(&box, "un0") && port;
}

static bool round_vxlan(void)
{
	bool sent = link_add_vxlan(&box, "vxc", 9, opt.vtep) &&
		    address_change(&box, RTM_NEWADDR, "vxc", "172.31.9.1") &&
		    neighbour_add(&box, "vxc", "172.31.9.2");

	packets_send("172.31.9.2", 4);
	return link_delete(&box, "vxc") && sent;
}

/* The tunnel is bound to a device while packets use it. */
static bool round_bound(void)
{
	bool made = link_add_vxlan(&box, "vxb", 10, opt.vtep) &&
		    address_change(&box, RTM_NEWADDR, "vxb", "172.31.10.1") &&
		    neighbour_add(&box, "vxb", "172.31.10.2");

	packets_send("172.31.10.2", 4);
	made = link_bind_vxlan(&box, "vxb", opt.hop[turn % 2].dev) && made;
	packets_send("172.31.10.2", 4);
	usleep(PAUSE_US);
	return link_delete(&box, "vxb") && made;
}

/* Packets use the fabric of this namespace. The process that deletes it leaves it; the
 * kernel does the rest.
 */
static bool round_namespace(void)
{
	static int home;
	struct box b;
	bool made;

	if (!home)
		home = netns_open(opt.netns[0]);
	if (unshare(CLONE_NEWNET))
		err(EXIT_FAILURE, "unshare");
	b = box_open();
	made = link_set(&b, "lo", true) && link_add_dummy(&b, "up0") &&
	       address_change(&b, RTM_NEWADDR, "up0", "10.0.0.1") &&
	       link_add_vxlan(&b, "vx", 1, "10.0.0.2") &&
	       address_change(&b, RTM_NEWADDR, "vx", "172.31.9.1") &&
	       neighbour_add(&b, "vx", "172.31.9.2") &&
	       conga(&b, CONGA_CMD_FABRIC_NEW, "13:u64=20000000", NULL) &&
	       port_add(&b, "up0", CONGA_ROLE_UPLINK) &&
	       leaf_change(&b, CONGA_CMD_LEAF_NEW, "10.0.0.2", CONGA_MODE_CONGA);
	packets_send("172.31.9.2", 4);
	box_close(&b);
	netns_enter(home);
	usleep(PAUSE_US);
	return made;
}

static bool round_module(void)
{
	bool gone = !syscall(SYS_delete_module, MESSAGE_FAMILY, O_NONBLOCK);
	int fd = open(opt.module, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(EXIT_FAILURE, "%s", opt.module);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		err(EXIT_FAILURE, "finit_module");
	close(fd);
	box.family = 0;
	peer.family = 0;
	fabric_add_all();
	fabric_add(&peer);
	leaf_change(&peer, CONGA_CMD_LEAF_NEW, "10.0.0.11", CONGA_MODE_AUTO);
	usleep(SLOWER * opt.pace);
	return gone;
}

static const struct kind kinds[] = {
	{ "module", round_module },	/* takes away what all others work with */
	{ "fabric", round_fabric },
	{ "port", round_port },
	{ "leaf", round_leaf },
	{ "down", round_down },
	{ "rename", round_rename },
	{ "move", round_move },
	{ "unregister", round_unregister },
	{ "namespace", round_namespace },
	{ "route", round_route },
	{ "nexthop", round_nexthop },
	{ "policy", round_policy },
	{ "parameters", round_parameters },
	{ "mtu", round_mtu },
	{ "address", round_address },
	{ "rate", round_rate },
	{ "speed", round_speed },
	{ "vxlan", round_vxlan },
	{ "bound", round_bound },
	{ "rule", round_rule },
	{ "neighbour", round_neighbour },
	{ "weight", round_weight },
	{ "resilient", round_resilient },
	{ "xfrm", round_xfrm },
	{ "nat", round_nat },
};

/* ---- processes ---- */

static noreturn void kind_run(size_t k)
{
	struct score *score = &shared->score[k];

	netns_enter(netns_open(opt.netns[1]));
	peer = box_open();
	netns_enter(netns_open(opt.netns[0]));
	box = box_open();
	while (!shared->stop) {
		score->tried++;
		turn++;
		if (kinds[k].round())
			score->done++;
		usleep(score->done < opt.count ? opt.pace : SLOWER * opt.pace);
	}
	exit(EXIT_SUCCESS);
}

/* Rounds that are still needed, of all kinds */
static unsigned long rounds_left(void)
{
	unsigned long left = 0, done;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		done = shared->score[k].done;
		left += done < opt.count ? opt.count - done : 0;
	}
	return left;
}

/* Progress, a line that begins with "#": the kinds that have not done enough rounds, and how
 * many they have done.
 */
static void progress_print(void)
{
	size_t k;

	printf("# of %lu rounds:", opt.count);
	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		if (shared->score[k].done < opt.count)
			printf(" %s %lu", kinds[k].name, shared->score[k].done);
	printf("\n");
	fflush(stdout);
}

/* No process ends before it gets the signal. */
static bool kinds_go_on(void)
{
	time_t now = time(NULL), next = now + PROGRESS_S, end = now + opt.seconds;
	unsigned long left = rounds_left(), before = left;

	while (left && now < end) {
		if (waitpid(-1, NULL, WNOHANG))
			return false;
		usleep(STEP_US);
		now = time(NULL);
		left = rounds_left();
		if (left < before)
			end = now + opt.seconds;
		before = left;
		if (now < next)
			continue;
		progress_print();
		next += PROGRESS_S;
	}
	return true;
}

static bool kinds_end(void)
{
	bool well = true;
	int status;

	shared->stop = true;
	while (wait(&status) > 0)
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			well = false;
	return well;
}

static int kinds_run(void)
{
	bool well;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		switch (fork()) {
		case -1:
			err(EXIT_FAILURE, "fork");
		case 0:
			kind_run(k);
		}
	well = kinds_go_on();
	well = kinds_end() && well;
	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		printf("%s %lu %lu\n", kinds[k].name, shared->score[k].done,
		       shared->score[k].tried);
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void hop_add(char *text)
{
	struct hop *hop = &opt.hop[opt.hops++];

	hop->dev = strtok(text, ",");
	hop->gateway = strtok(NULL, ",");
	if (!hop->gateway || opt.hops == HOPS_MAX)
		errx(EXIT_FAILURE, "not DEVICE,GATEWAY, or too many");
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:t:p:m:a:b:r:h:")) != -1) {
		switch (c) {
		case 'n':
			opt.count = strtoul(optarg, NULL, 0);
			break;
		case 't':
			opt.seconds = atoi(optarg);
			break;
		case 'p':
			opt.pace = atoi(optarg) * USEC_PER_MSEC;
			break;
		case 'm':
			opt.module = optarg;
			break;
		case 'a':
			opt.netns[0] = optarg;
			break;
		case 'b':
			opt.netns[1] = optarg;
			break;
		case 'r':
			opt.vtep = optarg;
			break;
		case 'h':
			hop_add(optarg);
			break;
		default:
			return EXIT_FAILURE;
		}
	}
	if (!opt.count || !opt.pace || !opt.module || !opt.netns[1] || !opt.vtep || opt.hops < 3)
		errx(EXIT_FAILURE, "-n, -t, -p, -m, -a, -b, -r and at least three -h are needed");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		err(EXIT_FAILURE, "mmap");
	setvbuf(stdout, NULL, _IOLBF, 0);
	return kinds_run();
}
