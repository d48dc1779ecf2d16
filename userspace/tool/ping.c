// SPDX-License-Identifier: GPL-2.0
/*
 * ping lets the kernel send a hello to a leaf by each uplink, once per interval, and prints the
 * round-trip times that the kernel measured, and what each path lost.
 */
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/color.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/path.h"
#include "tool/ping.h"
#include "tool/print.h"
#include "tool/repeat.h"
#include "tool/state.h"

#define CONGA_PING_INTERVAL	1000000000ULL		/* ns, the default */
#define CONGA_PING_INTERVAL_MAX	86400000000000ULL	/* ns */
#define CONGA_PING_POLL		10	/* ms between looks at the answers */
#define CONGA_PING_TAGS		16	/* a leaf has a path per LBTag at most */
/* An answer is accepted for two hello intervals, and the path may be busy for one before. */
#define CONGA_PING_HELLOS	3
#define CONGA_PING_PERCENT	100.0

static const char conga_ping_usage[] =
	"Usage: conga ping [ leaf ] ADDR [ dev UPLINK ] [ count NUMBER ] [ interval TIME ]\n"
	"Every interval (default 1s) a hello leaves for the leaf by each uplink, or by UPLINK, until a\n"
	"signal or NUMBER times. TIME is at least the hello interval of the fabric.\n";

/* A path and what became of its pings */
struct conga_ping_path {
	unsigned int ifindex;		/* 0: the LBTag was not pinged yet */
	bool one_of_several;		/* the uplink has other LBTags, too */
	unsigned long long before;	/* the kernel's count before the ping that is waited for */
	bool waiting;
	unsigned long long sent, received;
	unsigned long long min, max, sum;	/* ns */
};

struct conga_ping {
	struct nl_msg *leaf;		/* its address, and the uplink if only that is pinged */
	unsigned int ifindex;		/* 0: all uplinks */
	unsigned long long seq;		/* from 1 on */
	unsigned long long hello;	/* ns, the hello interval */
	unsigned long long end;		/* ns, when it is given up; it may be after the interval */
	struct conga_ping_path paths[CONGA_PING_TAGS];
};

static unsigned long long conga_ping_count;	/* 0: without end */
static unsigned long long conga_ping_interval;	/* ns */
static const char *conga_ping_interval_text;

static int conga_ping_take_count(struct conga_args *args, struct nl_msg *msg,
				 const struct conga_keyword *keyword, const char *text)
{
	const char *why = conga_units_parse_integer(text, &conga_ping_count);

	(void)args, (void)msg, (void)keyword;
	if (!why && !conga_ping_count)
		why = "must be at least 1";
	return why ? conga_args_wrong(text, why) : CONGA_OK;
}

static int conga_ping_take_interval(struct conga_args *args, struct nl_msg *msg,
				    const struct conga_keyword *keyword, const char *text)
{
	const char *why = conga_units_parse_time(text, &conga_ping_interval);

	(void)args, (void)msg, (void)keyword;
	if (!why && (!conga_ping_interval || conga_ping_interval > CONGA_PING_INTERVAL_MAX))
		why = "an interval is at most 86400s, and not zero";
	conga_ping_interval_text = text;
	return why ? conga_args_wrong(text, why) : CONGA_OK;
}

static const struct conga_kind conga_ping_kind_count = { .take = conga_ping_take_count };
static const struct conga_kind conga_ping_kind_interval = { .take = conga_ping_take_interval };

/* The last two are no attributes. */
static const struct conga_keyword conga_ping_words[] = {
	{ "leaf", CONGA_A_PATH_ADDR4, &conga_kind_leaf,
	  CONGA_KEYWORD_REQUIRED | CONGA_KEYWORD_BARE, NULL },
	{ "dev", CONGA_A_PATH_IFINDEX, &conga_kind_dev, 0, NULL },
	{ "count", -1, &conga_ping_kind_count, 0, NULL },
	{ "interval", -2, &conga_ping_kind_interval, 0, NULL },
	{ }
};

static const struct conga_command conga_ping_commands[] = {
	{ .name = "ping", .cmd = CONGA_CMD_PATH_PING, .words = conga_ping_words,
	  .privilege = "a ping" },
	{ }
};

static struct nlattr *conga_ping_attr(const struct conga_ping *ping, int type)
{
	return nlmsg_find_attr(nlmsg_hdr(ping->leaf), GENL_HDRLEN, type);
}

/* Creates a request about the leaf. */
static struct nl_msg *conga_ping_message(const struct conga_ping *ping,
					 const struct conga_command *command)
{
	struct nlattr *addr = conga_ping_attr(ping, CONGA_A_PATH_ADDR4);
	struct nl_msg *msg = conga_nl_message(command);

	if (!addr)
		addr = conga_ping_attr(ping, CONGA_A_PATH_ADDR6);
	if (!msg || !conga_args_stored(nla_put(msg, nla_type(addr), nla_len(addr),
					       nla_data(addr))))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/* ---- output ---- */

/* Begins an object, and on screen the words up to the path. */
static void conga_ping_print_begin(const struct conga_ping *ping,
				   const struct conga_ping_path *path,
				   const char *event, const char *leaf, const char *dev)
{
	struct nlattr *attrs[CONGA_A_PATH_ADDR6 + 1] = {
		[CONGA_A_PATH_ADDR4] = conga_ping_attr(ping, CONGA_A_PATH_ADDR4),
		[CONGA_A_PATH_ADDR6] = conga_ping_attr(ping, CONGA_A_PATH_ADDR6),
	};
	char name[IF_NAMESIZE];

	conga_print_string("event", NULL, event);
	conga_print_leaf("leaf", leaf, attrs, CONGA_A_PATH_ADDR4);
	conga_names_find(path->ifindex, name);
	conga_print_string("dev", dev, name);
	conga_print_number("tag", path->one_of_several ? "tag" : NULL, path - ping->paths);
	conga_print_append(":");
}

static void conga_ping_print_time(const char *label, unsigned long long ns)
{
	char text[CONGA_UNITS_TEXT_MAX];

	conga_units_format_age(text, sizeof(text), ns);
	conga_print_text(label);
	conga_print_text(text);
	conga_print_number("rtt_ns", NULL, ns);
}

static void conga_ping_print_answer(const struct conga_ping *ping,
				    const struct conga_ping_path *path, unsigned long long rtt)
{
	conga_print_object(NULL);
	conga_repeat_print_time();
	conga_ping_print_begin(ping, path, "answered", "from", "by");
	conga_print_number("seq", "seq", ping->seq);
	conga_ping_print_time("time", rtt);
	conga_print_object_end();
	fflush(stdout);
}

static void conga_ping_print_failure(const struct conga_ping *ping,
				     const struct conga_ping_path *path, const char *event,
				     const char *words)
{
	conga_print_object(NULL);
	conga_repeat_print_time();
	conga_print_color(CONGA_COLOR_BAD);
	conga_print_text(words);
	conga_ping_print_begin(ping, path, event, NULL, "by");
	conga_print_number("seq", "seq", ping->seq);
	conga_print_object_end();
	fflush(stdout);
}

static void conga_ping_print_times(const struct conga_ping_path *path)
{
	char min[CONGA_UNITS_TEXT_MAX], avg[CONGA_UNITS_TEXT_MAX], max[CONGA_UNITS_TEXT_MAX];
	char text[4 * CONGA_UNITS_TEXT_MAX];
	unsigned long long mean;

	if (!path->received)
		return;
	mean = path->sum / path->received;
	conga_print_number("min_ns", NULL, path->min);
	conga_print_number("avg_ns", NULL, mean);
	conga_print_number("max_ns", NULL, path->max);
	conga_units_format_age(min, sizeof(min), path->min);
	conga_units_format_age(avg, sizeof(avg), mean);
	conga_units_format_age(max, sizeof(max), path->max);
	snprintf(text, sizeof(text), ", min/avg/max %s/%s/%s", min, avg, max);
	conga_print_append(text);
}

static void conga_ping_print_path(const struct conga_ping *ping,
				  const struct conga_ping_path *path)
{
	char text[4 * CONGA_UNITS_TEXT_MAX];
	double lost = path->sent - path->received;

	conga_print_object(NULL);
	conga_ping_print_begin(ping, path, "summary", NULL, "");
	conga_print_number("sent", NULL, path->sent);
	conga_print_number("received", NULL, path->received);
	snprintf(text, sizeof(text), "%llu sent, %llu received", path->sent, path->received);
	conga_print_text(text);
	if (path->sent) {
		snprintf(text, sizeof(text), ", %.3g%% loss",
			 CONGA_PING_PERCENT * lost / path->sent);
		conga_print_append(text);
	}
	conga_ping_print_times(path);
	conga_print_object_end();
}

/* Returns whether any ping was answered. */
static bool conga_ping_print_summary(const struct conga_ping *ping)
{
	bool any = false;
	int tag;

	for (tag = 0; tag < CONGA_PING_TAGS; tag++) {
		if (ping->paths[tag].ifindex)
			conga_ping_print_path(ping, &ping->paths[tag]);
		any |= ping->paths[tag].received;
	}
	return any;
}

/* ---- answers ---- */

static void conga_ping_count_answer(struct conga_ping_path *path, unsigned long long rtt)
{
	path->min = path->received && path->min < rtt ? path->min : rtt;
	path->max = path->max > rtt ? path->max : rtt;
	path->sum += rtt;
	path->received++;
}

/* The ping is over: it was answered, its answer is too late, or it did not leave. */
static void conga_ping_conclude(const struct conga_ping *ping, struct conga_ping_path *path,
				struct nlattr **attrs)
{
	unsigned long long rtt = conga_attr_number(attrs[CONGA_A_PATH_PING_RTT]);

	path->waiting = false;
	if (conga_attr_number(attrs[CONGA_A_PATH_PINGS]) <= path->before) {
		conga_ping_print_failure(ping, path, "unsent", "not sent");
		return;
	}
	path->sent++;
	if (!rtt) {
		conga_ping_print_failure(ping, path, "missed", "no answer");
		return;
	}
	conga_ping_count_answer(path, rtt);
	conga_ping_print_answer(ping, path, rtt);
}

/* Returns the path of a reply, or NULL if it is not one by an uplink, or not a desired one. */
static struct conga_ping_path *conga_ping_find(struct conga_ping *ping, struct nlattr **attrs)
{
	unsigned int ifindex = conga_attr_number(attrs[CONGA_A_PATH_IFINDEX]);
	unsigned long long tag = conga_attr_number(attrs[CONGA_A_PATH_TAG]);

	if (!attrs[CONGA_A_PATH_TAG] || tag >= CONGA_PING_TAGS ||
	    (ping->ifindex && ping->ifindex != ifindex))
		return NULL;
	return &ping->paths[tag];
}

static int conga_ping_read(const struct conga_ping *ping, struct conga_replies *replies)
{
	struct nl_msg *msg = conga_ping_message(ping, conga_path_object.commands);
	int status = CONGA_REFUSED;

	if (msg)
		status = conga_nl_request(conga_path_object.commands, msg, NLM_F_DUMP, replies,
					  NULL);
	nlmsg_free(msg);
	return status;
}

/* Looks at the answers once; @last if no more are waited for. *@waiting is set if any may come. */
static int conga_ping_look(struct conga_ping *ping, bool last, bool *waiting)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	struct conga_ping_path *path;
	size_t next = 0;
	int status;

	*waiting = false;
	status = conga_ping_read(ping, &replies);
	while (conga_command_next(&conga_path_object, &replies, &next, attrs)) {
		path = conga_ping_find(ping, attrs);
		if (!path || !path->waiting)
			continue;
		if (last || !attrs[CONGA_A_PATH_PING_WAITING])
			conga_ping_conclude(ping, path, attrs);
		*waiting |= path->waiting;
	}
	conga_nl_replies_clean(&replies);
	return status;
}

static int conga_ping_collect(struct conga_ping *ping)
{
	bool waiting = true, last = false;
	int status = CONGA_OK;

	while (!status && waiting && !last && conga_repeat_goes_on()) {
		last = conga_repeat_now() >= ping->end;
		status = conga_ping_look(ping, last, &waiting);
		if (waiting)
			conga_repeat_pause(CONGA_PING_POLL);
	}
	return status;
}

/* ---- pings ---- */

static bool conga_ping_is_busy(int error)
{
	return error == EBUSY;
}

/* A path that was pinged before may have gone down meanwhile. */
static bool conga_ping_is_passing(int error)
{
	return error == EBUSY || error == ENETUNREACH;
}

/* Orders a ping; @tag: the LBTag, or NULL for the uplink's own. Somebody else may ping, too, so
 * that the path is busy for a hello interval. *@error is set to the refusal if it was not
 * printed.
 */
static int conga_ping_order(const struct conga_ping *ping, unsigned int ifindex,
			    const struct nlattr *tag, int *error)
{
	struct nl_msg *msg = conga_ping_message(ping, conga_ping_commands);
	int status = CONGA_REFUSED;

	*error = 0;
	if (msg && !conga_args_stored(nla_put_u32(msg, CONGA_A_PATH_IFINDEX, ifindex)) &&
	    (!tag || !conga_args_stored(nla_put_u32(msg, CONGA_A_PATH_TAG,
						    conga_attr_number(tag)))))
		status = CONGA_OK;
	while (!status) {
		status = conga_nl_order(conga_ping_commands, msg,
					ping->seq == 1 ? conga_ping_is_busy :
							 conga_ping_is_passing, error);
		if (status || *error != EBUSY || !conga_repeat_goes_on() ||
		    conga_repeat_now() >= ping->end)
			break;
		conga_repeat_pause(CONGA_PING_POLL);
	}
	nlmsg_free(msg);
	return status;
}

/* A path that is down is left out, unless it was pinged before. */
static int conga_ping_path(const struct conga_ping *ping, struct conga_ping_path *path,
			   struct nlattr **attrs)
{
	unsigned int ifindex = conga_attr_number(attrs[CONGA_A_PATH_IFINDEX]);
	bool down = conga_attr_number(attrs[CONGA_A_PATH_STATE]) == CONGA_PATH_STATE_DOWN;
	int status, error = ENETUNREACH;

	if (down && !ping->ifindex && path->ifindex != ifindex)
		return CONGA_OK;
	if (!down || ping->seq == 1) {
		status = conga_ping_order(ping, ifindex, attrs[CONGA_A_PATH_TAG], &error);
		if (status)
			return status;
	}
	if (path->ifindex != ifindex)
		*path = (struct conga_ping_path) { .ifindex = ifindex };
	path->one_of_several = attrs[CONGA_A_PATH_SPORT];
	conga_names_remember(ifindex);
	path->before = conga_attr_number(attrs[CONGA_A_PATH_PINGS]);
	path->waiting = !error;
	if (error && conga_repeat_goes_on())
		conga_ping_print_failure(ping, path, "unsent", "not sent");
	return CONGA_OK;
}

static int conga_ping_none(const struct conga_ping *ping)
{
	int error;

	/* The kernel has a sentence about this device. */
	if (ping->ifindex)
		return conga_ping_order(ping, ping->ifindex, NULL, &error);
	fputs("Error: no path to this leaf can be pinged: \"conga path show\" says why\n", stderr);
	return CONGA_REFUSED;
}

static int conga_ping_send(struct conga_ping *ping)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	struct conga_ping_path *path;
	bool any = false;
	size_t next = 0;
	int status;

	status = conga_ping_read(ping, &replies);
	while (!status && conga_command_next(&conga_path_object, &replies, &next, attrs)) {
		path = conga_ping_find(ping, attrs);
		if (!path)
			continue;
		status = conga_ping_path(ping, path, attrs);
		any |= path->ifindex;
	}
	conga_nl_replies_clean(&replies);
	return status || any ? status : conga_ping_none(ping);
}

static int conga_ping_repeat(struct conga_ping *ping)
{
	int status = CONGA_OK;

	while (!status && conga_repeat_goes_on()) {
		ping->seq++;
		ping->end = conga_repeat_now() + conga_ping_interval +
			    CONGA_PING_HELLOS * ping->hello;
		status = conga_ping_send(ping);
		if (!status)
			status = conga_ping_collect(ping);
		if (ping->seq == conga_ping_count)
			break;
		while (!status && conga_repeat_goes_on() && !conga_repeat_wait(-1))
			;
	}
	return status;
}

/* ---- the command ---- */

/* There is at most one ping of a path per hello interval. */
static int conga_ping_check_interval(struct conga_ping *ping)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	size_t next = 0;
	int status;

	status = conga_state_read_object(&conga_fabric_object, 0, &replies, NULL);
	while (conga_command_next(&conga_fabric_object, &replies, &next, attrs))
		ping->hello = conga_attr_number(attrs[CONGA_A_FABRIC_HELLO]);
	conga_nl_replies_clean(&replies);
	if (status || conga_ping_interval >= ping->hello)
		return status;
	if (conga_ping_interval_text)
		return conga_args_wrong(conga_ping_interval_text,
					"a path is pinged once per hello interval at most");
	conga_ping_interval = ping->hello;
	return CONGA_OK;
}

static int conga_ping_until_signal(struct conga_ping *ping)
{
	unsigned long long interval = conga_options.interval;
	int status;

	conga_options.interval = conga_ping_interval;
	conga_print_lines(true);
	conga_repeat_begin();
	status = conga_ping_repeat(ping);
	conga_repeat_end();
	if (!conga_ping_print_summary(ping) && !status)
		status = CONGA_REFUSED;
	conga_print_lines(false);
	conga_options.interval = interval;
	return status;
}

static int conga_ping_parse(struct conga_args *args, struct conga_ping *ping)
{
	int status;

	conga_ping_count = 0;
	conga_ping_interval = CONGA_PING_INTERVAL;
	conga_ping_interval_text = NULL;
	status = conga_args_parse(args, conga_ping_words, ping->leaf);
	if (!status)
		ping->ifindex = conga_attr_number(conga_ping_attr(ping, CONGA_A_PATH_IFINDEX));
	return status;
}

static int conga_ping_run(struct conga_args *args)
{
	struct conga_ping ping = { .leaf = conga_nl_message(conga_ping_commands) };
	int status;

	if (!ping.leaf)
		return CONGA_REFUSED;
	status = conga_ping_parse(args, &ping);
	if (!status)
		status = conga_ping_check_interval(&ping);
	if (!status)
		status = conga_ping_until_signal(&ping);
	nlmsg_free(ping.leaf);
	return status;
}

const struct conga_object conga_ping_object = {
	.name = "ping",
	.usage = conga_ping_usage,
	.commands = conga_ping_commands,
	.run = conga_ping_run,
};
