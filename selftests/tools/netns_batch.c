// SPDX-License-Identifier: GPL-2.0
/* netns_batch - sets up many network namespaces as one process
 *
 *	netns_batch <<END
 *	netns host0.0 host0.1
 *	sysctl net.core.txrehash=0
 *	address eth0 192.168.0.10/16
 *	neighbour eth0 192.168.0.11 02:00:00:00:0b:01
 *	END
 *
 * Lines are done in each namespace of the netns line above them, in the order of
 * the namespaces. ip and sysctl want a process for each: under User Mode Linux one
 * takes 100 ms, a thousand times a system call.
 *
 * Bad lines are refused before anything is done. The kernel is sent many requests
 * at once: when it refuses one, what follows in that namespace may be done, up to
 * the next sysctl line; no other namespace is entered then.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include "common/netns.h"
#include "common/status.h"
#include "rtnetlink.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BATCH_BLANKS	" \t\n"
#define BATCH_WORDS_MAX	4		/* of a line, netns aside */
#define BATCH_BITS	8		/* of a byte */
#define BATCH_BYTES	16384		/* of requests, half of what libnl lets a socket hold */

struct batch_line {
	struct batch_line *next;
	const struct batch_verb *verb;
	unsigned int number;
	char *words[BATCH_WORDS_MAX];	/* all names of a netns are the second */
	struct nl_addr *ip;
	struct nl_addr *lladdr;
};

struct batch_verb {
	const char *name;
	int words;			/* with its name; 0: parsed by itself */
	int (*parse)(struct batch_line *line);
	int (*run)(const struct batch_line *line);	/* NULL: netns */
};

/* The current namespace: requests that were not sent yet, and the device that was looked up
 * last, since a lookup costs three system calls.
 */
static struct {
	const char *name;
	struct nl_sock *sock;
	char bytes[BATCH_BYTES];
	size_t length;
	struct nlmsghdr *last;
	char device[IF_NAMESIZE];
	unsigned int ifindex;
} batch_netns;

static struct rtnetlink_refusal batch_refusal;

static int batch_fail(int status, unsigned int number, const char *why, const char *word)
{
	const char *name = batch_netns.name;

	fprintf(stderr, "netns_batch: line %u: %s%s%s%s%s%s\n", number, why, word ? " \"" : "",
		word ? word : "", word ? "\"" : "", name ? ", in " : "", name ? name : "");
	return status;
}

/* ---- requests ---- */

/* The kernel answers to a request that it rejects, and to the last request. */
static int batch_flush(void)
{
	int err;

	if (!batch_netns.length)
		return CONGA_OK;
	batch_refusal = (struct rtnetlink_refusal){ .seq = batch_netns.last->nlmsg_seq };
	batch_netns.last->nlmsg_flags |= NLM_F_ACK;
	err = nl_sendto(batch_netns.sock, batch_netns.bytes, batch_netns.length);
	if (err >= 0)
		err = nl_wait_for_ack(batch_netns.sock);
	batch_netns.length = 0;
	if (err >= 0)
		return CONGA_OK;
	return batch_fail(CONGA_REFUSED, batch_refusal.seq,
			  batch_refusal.why[0] ? batch_refusal.why : nl_geterror(err), NULL);
}

/* The sequence number of a request is its line, which the kernel's answer contains. */
static int batch_add(unsigned int number, struct nl_msg *msg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	size_t length = NLMSG_ALIGN(hdr->nlmsg_len);

	if (batch_netns.length + length > sizeof(batch_netns.bytes) && batch_flush())
		return CONGA_REFUSED;
	hdr->nlmsg_seq = number;
	batch_netns.last = (struct nlmsghdr *)(batch_netns.bytes + batch_netns.length);
	memcpy(batch_netns.last, hdr, hdr->nlmsg_len);
	batch_netns.length += length;
	return CONGA_OK;
}

/* The first attribute is the address of the line; it is added twice if @again is not 0. */
static int batch_request(const struct batch_line *line, int type, void *header, size_t length,
			 int attr, int again)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	int status;

	if (!msg || nlmsg_append(msg, header, length, NLMSG_ALIGNTO) ||
	    nla_put_addr(msg, attr, line->ip) || (again && nla_put_addr(msg, again, line->ip)) ||
	    (line->lladdr && nla_put_addr(msg, NDA_LLADDR, line->lladdr)))
		status = batch_fail(CONGA_REFUSED, line->number, "no memory", NULL);
	else
		status = batch_add(line->number, msg);
	nlmsg_free(msg);
	return status;
}

static unsigned int batch_ifindex(const struct batch_line *line)
{
	const char *device = line->words[1];

	if (!strcmp(device, batch_netns.device))
		return batch_netns.ifindex;
	batch_netns.ifindex = if_nametoindex(device);
	if (batch_netns.ifindex)
		snprintf(batch_netns.device, sizeof(batch_netns.device), "%s", device);
	else if (!batch_flush())
		batch_fail(CONGA_REFUSED, line->number, "no device", device);
	return batch_netns.ifindex;
}

static int batch_run_address(const struct batch_line *line)
{
	struct ifaddrmsg ifa = {
		.ifa_family = nl_addr_get_family(line->ip),
		.ifa_prefixlen = nl_addr_get_prefixlen(line->ip),
		.ifa_index = batch_ifindex(line),
	};

	ifa.ifa_flags = ifa.ifa_family == AF_INET6 ? IFA_F_NODAD : 0;
	if (!ifa.ifa_index)
		return CONGA_REFUSED;
	return batch_request(line, RTM_NEWADDR, &ifa, sizeof(ifa), IFA_LOCAL, IFA_ADDRESS);
}

static int batch_run_neighbour(const struct batch_line *line)
{
	struct ndmsg ndm = {
		.ndm_family = nl_addr_get_family(line->ip),
		.ndm_state = NUD_PERMANENT,
		.ndm_ifindex = batch_ifindex(line),
	};

	if (!ndm.ndm_ifindex)
		return CONGA_REFUSED;
	return batch_request(line, RTM_NEWNEIGH, &ndm, sizeof(ndm), NDA_DST, 0);
}

/* ---- sysctls ---- */

/* A setting that the kernel lacks needs no change. */
static int batch_run_sysctl(const struct batch_line *line)
{
	const char *value = line->words[2];
	ssize_t written;
	int fd;

	if (batch_flush())
		return CONGA_REFUSED;
	fd = open(line->words[1], O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return CONGA_OK;
	written = fd < 0 ? -1 : write(fd, value, strlen(value));
	if (written < 0)
		batch_fail(CONGA_REFUSED, line->number, strerror(errno), line->words[1]);
	if (fd >= 0)
		close(fd);
	return written < 0 ? CONGA_REFUSED : CONGA_OK;
}

/* ---- lines ---- */

static int batch_bad(const struct batch_line *line, const char *why, const char *word)
{
	return batch_fail(CONGA_USAGE, line->number, why, word);
}

/* Without a prefix length it is the whole address. libnl accepts any length, and names such
 * as "default".
 */
static int batch_parse_address(struct batch_line *line)
{
	const char *text = line->words[2];

	if (nl_addr_parse(text, strchr(text, ':') ? AF_INET6 : AF_INET, &line->ip) ||
	    !nl_addr_get_len(line->ip) ||
	    nl_addr_get_prefixlen(line->ip) > nl_addr_get_len(line->ip) * BATCH_BITS)
		return batch_bad(line, "no address", text);
	return CONGA_OK;
}

static int batch_parse_neighbour(struct batch_line *line)
{
	if (nl_addr_parse(line->words[3], AF_LLC, &line->lladdr))
		return batch_bad(line, "no link-layer address", line->words[3]);
	if (strchr(line->words[2], '/'))
		return batch_bad(line, "no address", line->words[2]);
	return batch_parse_address(line);
}

/* Splits KEY=VALUE into the file and its new contents. */
static int batch_parse_sysctl(struct batch_line *line)
{
	char *key = line->words[1], *value = strchr(key, '='), *dot;

	if (!value || value == key || !value[1])
		return batch_bad(line, "not KEY=VALUE", key);
	*value = '\0';
	for (dot = key; (dot = strchr(dot, '.'));)
		*dot = '/';
	line->words[2] = value + 1;
	return asprintf(&line->words[1], "/proc/sys/%s", key) < 0 ? CONGA_REFUSED : CONGA_OK;
}

static int batch_parse_netns(struct batch_line *line)
{
	line->words[1] = strtok(NULL, "\n");
	if (!line->words[1] || !line->words[1][strspn(line->words[1], BATCH_BLANKS)])
		return batch_bad(line, "no namespace", NULL);
	return CONGA_OK;
}

static const struct batch_verb batch_verbs[] = {
	{ "netns", 0, batch_parse_netns, NULL },
	{ "sysctl", 2, batch_parse_sysctl, batch_run_sysctl },
	{ "address", 3, batch_parse_address, batch_run_address },
	{ "neighbour", 4, batch_parse_neighbour, batch_run_neighbour },
};

static const struct batch_verb *batch_verb_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(batch_verbs); i++)
		if (!strcmp(batch_verbs[i].name, name))
			return &batch_verbs[i];
	return NULL;
}

static int batch_parse(struct batch_line *line, char *text)
{
	int i;

	line->words[0] = strtok(text, BATCH_BLANKS);
	line->verb = batch_verb_find(line->words[0]);
	if (!line->verb)
		return batch_bad(line, "unknown word", line->words[0]);
	for (i = 1; i < line->verb->words; i++) {
		line->words[i] = strtok(NULL, BATCH_BLANKS);
		if (!line->words[i])
			return batch_bad(line, "too few words for", line->words[0]);
	}
	if (line->verb->words && strtok(NULL, BATCH_BLANKS))
		return batch_bad(line, "too many words for", line->words[0]);
	return line->verb->parse(line);
}

/* The first word of a netns line is its keyword. */
static int batch_read(struct batch_line **first)
{
	struct batch_line *line, **end = first;
	unsigned int number = 0;
	char *text = NULL;
	size_t room = 0;
	int status;

	for (; getline(&text, &room, stdin) > 0; text = NULL) {
		number++;
		if (!text[strspn(text, BATCH_BLANKS)])
			continue;
		line = calloc(1, sizeof(*line));
		if (!line)
			return batch_fail(CONGA_REFUSED, number, "no memory", NULL);
		line->number = number;
		status = batch_parse(line, text);
		if (status)
			return status;
		if (!*first && line->verb->run)
			return batch_bad(line, "no netns above", line->words[0]);
		*end = line;
		end = &line->next;
	}
	return ferror(stdin) ? batch_fail(CONGA_REFUSED, number + 1, "cannot read it", NULL) :
			       CONGA_OK;
}

/* ---- namespaces ---- */

static int batch_enter(const struct batch_line *line, const char *name)
{
	nl_socket_free(batch_netns.sock);
	memset(&batch_netns, 0, sizeof(batch_netns));
	batch_netns.sock = rtnetlink_open(name, &batch_refusal);
	if (!batch_netns.sock)
		return batch_fail(CONGA_REFUSED, line->number, "nothing is done in", name);
	batch_netns.name = name;
	nl_socket_disable_seq_check(batch_netns.sock);
	return CONGA_OK;
}

/* Executes the lines below that of a netns in each of its namespaces. */
static int batch_run(const struct batch_line *netns)
{
	const struct batch_line *line;
	char *name, *rest = netns->words[1];

	while ((name = strtok_r(rest, BATCH_BLANKS, &rest))) {
		if (batch_enter(netns, name))
			return CONGA_REFUSED;
		for (line = netns->next; line && line->verb->run; line = line->next)
			if (line->verb->run(line))
				return CONGA_REFUSED;
		if (batch_flush())
			return CONGA_REFUSED;
	}
	return CONGA_OK;
}

int main(int argc, char **argv)
{
	struct batch_line *first = NULL, *line;
	int status;

	if (argc > 1) {
		fprintf(stderr, "usage: %s < LINES\n"
			"a line: netns NAME... | sysctl KEY=VALUE | address DEV ADDRESS[/PREFIX] |\n"
			"        neighbour DEV ADDRESS LLADDR\n", argv[0]);
		return CONGA_USAGE;
	}
	status = batch_read(&first);
	for (line = first; line && !status; line = line->next)
		if (!line->verb->run)
			status = batch_run(line);
	return status;
}
