// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/units.h"
#include "tool/brief.h"
#include "tool/choices_generated.h"
#include "tool/grammar.h"
#include "tool/options.h"
#include "tool/path_print.h"
#include "tool/print.h"

static const struct conga_choice conga_path_print_sentences[] = {
	{ "the uplink is down or has no carrier", CONGA_PATH_PORT_DOWN },
	{ "there is no unicast route to the leaf", CONGA_PATH_NO_ROUTE },
	{ "the route to the leaf does not use this uplink", CONGA_PATH_NOT_NEXTHOP },
	{ "the nexthop on this uplink is dead or its link is down", CONGA_PATH_NEXTHOP_DOWN },
	{ "a route lookup for this uplink returns another device",
	  CONGA_PATH_OTHER_DEVICE },
	{ "the leaf answers hellos, but not by this uplink", CONGA_PATH_SILENT },
	{ "the uplink is draining: it takes no new flowlets", CONGA_PATH_DRAINING },
	{ "probes of the leaf no longer arrive by this port", CONGA_PATH_UNPROBED },
	{ "the path loses large packets, small ones pass", CONGA_PATH_NARROW },
	{ "no gateway on this uplink answers", CONGA_PATH_NEIGHBOUR },
	{ }
};

static enum conga_color conga_path_print_color(unsigned int state)
{
	switch (state) {
	case CONGA_PATH_STATE_USABLE:
		return CONGA_COLOR_GOOD;
	case CONGA_PATH_STATE_UNPROVEN:
	case CONGA_PATH_STATE_DRAINING:
		return CONGA_COLOR_WARNING;
	default:
		return CONGA_COLOR_BAD;
	}
}

static void conga_path_print_state(struct nlattr **attrs)
{
	const struct nlattr *reason = attrs[CONGA_A_PATH_REASON];
	const struct nlattr *state = attrs[CONGA_A_PATH_STATE];

	conga_print_color(conga_path_print_color(conga_attr_number(state)));
	conga_print_choice("state", "", state, conga_choices_path_state);
	if (conga_attr_number(state) == CONGA_PATH_STATE_UNPROVEN)
		conga_print_text("(nothing came back by it yet)");
	if (conga_attr_number(reason) == CONGA_PATH_USABLE)
		return;
	conga_print_choice("reason", NULL, reason, conga_choices_path_reason);
	conga_print_sentence(reason, conga_path_print_sentences);
}

/* The gateways of the kernel's route; on link there is none. */
static void conga_path_print_gateways(struct nl_msg *reply)
{
	struct nlattr *attr, *attrs[CONGA_A_PATH_GATEWAY6 + 1] = { NULL };
	int left, type;

	conga_print_array("gateways");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, left) {
		type = nla_type(attr);
		if (type != CONGA_A_PATH_GATEWAY4 && type != CONGA_A_PATH_GATEWAY6)
			continue;
		attrs[type] = attr;
		conga_print_addr("", "via", attrs, CONGA_A_PATH_GATEWAY4);
		attrs[type] = NULL;
	}
	conga_print_array_end();
}

/* On screen only a path that is used, and lost some, says so: "missed 3/31". */
static void conga_path_print_loss(struct nlattr **attrs, bool used)
{
	const struct nlattr *hellos = attrs[CONGA_A_PATH_HELLOS];
	const struct nlattr *missed = attrs[CONGA_A_PATH_HELLOS_MISSED];
	char text[2 * CONGA_UNITS_TEXT_MAX];

	conga_print_uint("hellos", NULL, hellos);
	conga_print_uint("hellos_missed", NULL, missed);
	if (conga_options.json || !used || !conga_attr_number(missed))
		return;
	snprintf(text, sizeof(text), "missed %llu/%llu", conga_attr_number(missed),
		 conga_attr_number(hellos));
	conga_print_text(text);
}

/* On screen with -d only, since "conga ping" prints them. */
static void conga_path_print_pings(struct nlattr **attrs)
{
	bool shown = conga_options.details;

	conga_print_uint("pings", shown ? "pings" : NULL, attrs[CONGA_A_PATH_PINGS]);
	conga_print_uint("pings_answered", shown ? "answered" : NULL,
			 attrs[CONGA_A_PATH_PINGS_ANSWERED]);
	conga_print_time("ping_rtt_ns", shown ? "rtt" : NULL, attrs[CONGA_A_PATH_PING_RTT]);
	if (attrs[CONGA_A_PATH_PING_WAITING])
		conga_print_flag("ping_waiting", shown ? "waiting" : NULL, true);
}

void conga_path_print_brief(struct nlattr **attrs)
{
	const struct nlattr *state = attrs[CONGA_A_PATH_STATE];

	conga_brief_leaf(attrs, CONGA_A_PATH_ADDR4);
	conga_brief_dev(attrs[CONGA_A_PATH_IFINDEX]);
	conga_brief_choice(state, conga_choices_path_state,
			   conga_path_print_color(conga_attr_number(state)));
	conga_brief_number("tag", attrs[CONGA_A_PATH_TAG]);
	conga_brief_number("local", attrs[CONGA_A_PATH_LOCAL]);
	conga_brief_number("remote", attrs[CONGA_A_PATH_REMOTE]);
}

/* The metrics of an unusable path are printed in JSON only. */
void conga_path_print_tail(struct nlattr **attrs, struct nl_msg *reply)
{
	const struct nlattr *reason = attrs[CONGA_A_PATH_REASON];
	bool usable = conga_attr_number(reason) == CONGA_PATH_USABLE;

	conga_print_dev("dev", "dev", attrs[CONGA_A_PATH_IFINDEX]);
	conga_print_uint("tag", "tag", attrs[CONGA_A_PATH_TAG]);
	conga_print_uint("sport", "sport", attrs[CONGA_A_PATH_SPORT]);
	conga_print_uint("alike", NULL, attrs[CONGA_A_PATH_ALIKE]);
	conga_path_print_gateways(reply);
	conga_path_print_state(attrs);
	usable = usable || conga_options.details;
	conga_path_print_loss(attrs, usable);
	conga_path_print_pings(attrs);
	conga_print_metric("local", usable ? "local" : NULL, attrs[CONGA_A_PATH_LOCAL],
			   attrs[CONGA_A_PATH_METRIC_LIMIT]);
	conga_print_metric("remote", usable ? "remote" : NULL, attrs[CONGA_A_PATH_REMOTE],
			   attrs[CONGA_A_PATH_METRIC_LIMIT]);
	conga_print_uint("metric_limit", NULL, attrs[CONGA_A_PATH_METRIC_LIMIT]);
	conga_print_age("age_ns", usable ? "age" : NULL, attrs[CONGA_A_PATH_AGE]);
	conga_print_time("delay_ns", usable ? "delay" : NULL, attrs[CONGA_A_PATH_DELAY]);
	conga_print_time("queue_ns", usable ? "queue" : NULL, attrs[CONGA_A_PATH_QUEUE]);
}
