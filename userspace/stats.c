// SPDX-License-Identifier: GPL-2.0
/* The fabric's counters. */
#include <stdio.h>
#include <string.h>
#include "tool.h"

#define CONGA_STATS_NAME_WIDTH	20
#define CONGA_STATS_VALUE_WIDTH	12

static const char conga_stats_usage[] =
	"Usage: conga stats [ show [ all ] ]\n"
	"Counters that are zero are shown with \"all\" or -s, with -d each is explained.\n";

struct conga_counter {
	const char *name;
	const char *meaning;
};

/* In packets unless said; the manual is linux/conga.h. */
static const struct conga_counter conga_stats_counters[CONGA_A_STATS_MAX + 1] = {
	[CONGA_A_STATS_TX_STEERED] = {
		"tx_steered",
		"VXLAN packets sent by the path that was chosen"
	},
	[CONGA_A_STATS_TX_STAMPED] = {
		"tx_stamped",
		"of these, stamped for a conga leaf"
	},
	[CONGA_A_STATS_TX_UNKNOWN_LEAF] = {
		"tx_unknown_leaf",
		"VXLAN packets to an address that is no leaf; left to the kernel"
	},
	[CONGA_A_STATS_TX_FORGED] = {
		"tx_forged",
		"packets of local sockets that carried a stamp; cleared"
	},
	[CONGA_A_STATS_TX_RESERVED] = {
		"tx_reserved",
		"not stamped, because the tunnel uses the reserved bits for itself (e.g. Group Based Policy)"
	},
	[CONGA_A_STATS_FLOWLETS_STARTED] = {
		"flowlets_started",
		"flowlets started"
	},
	[CONGA_A_STATS_FLOWLETS_KEPT] = {
		"flowlets_kept",
		"of these, on the uplink the flow had before"
	},
	[CONGA_A_STATS_FLOWLETS_MOVED] = {
		"flowlets_moved",
		"of these, on another uplink"
	},
	[CONGA_A_STATS_FLOWLETS_REROUTED] = {
		"flowlets_rerouted",
		"flowlets moved at once, gap or not, because their path went down"
	},
	[CONGA_A_STATS_FLOWLET_COLLISIONS] = {
		"flowlet_collisions",
		"live entries taken over by a flow towards another leaf"
	},
	[CONGA_A_STATS_FALLBACK_NO_PATH] = {
		"fallback_no_path",
		"left to the kernel: no usable path"
	},
	[CONGA_A_STATS_FALLBACK_XFRM] = {
		"fallback_xfrm",
		"left to the kernel: IPsec transforms it"
	},
	[CONGA_A_STATS_FALLBACK_MARK] = {
		"fallback_mark",
		"left to the kernel: marked, so that policy routing may want it"
	},
	[CONGA_A_STATS_FALLBACK_MTU] = {
		"fallback_mtu",
		"left to the kernel: fits its route's MTU, but not that of the chosen path"
	},
	[CONGA_A_STATS_FALLBACK_NOMEM] = {
		"fallback_nomem",
		"left to the kernel: no memory to make the header writable"
	},
	[CONGA_A_STATS_CE_RAISED] = {
		"ce_raised",
		"packets whose CE a port of this box raised"
	},
	[CONGA_A_STATS_CE_UNWRITABLE] = {
		"ce_unwritable",
		"CE not raised: the header could not be made writable"
	},
	[CONGA_A_STATS_FEEDBACK_SENT] = {
		"feedback_sent",
		"stamped packets that carried feedback"
	},
	[CONGA_A_STATS_FEEDBACK_RECEIVED] = {
		"feedback_received",
		"feedback taken into a to-leaf table"
	},
	[CONGA_A_STATS_FEEDBACK_IGNORED] = {
		"feedback_ignored",
		"feedback about an LBTag that no uplink has"
	},
	[CONGA_A_STATS_RX_STAMPED] = {
		"rx_stamped",
		"stamped packets received, cleared and delivered"
	},
	[CONGA_A_STATS_RX_LEARNT] = {
		"rx_learnt",
		"of these, CE taken into a from-leaf table"
	},
	[CONGA_A_STATS_RX_NOT_PORT] = {
		"rx_not_port",
		"not learnt from: came by a device that is no port"
	},
	[CONGA_A_STATS_RX_UNKNOWN_LEAF] = {
		"rx_unknown_leaf",
		"not learnt from: sender is no leaf"
	},
	[CONGA_A_STATS_RX_PLAIN_LEAF] = {
		"rx_plain_leaf",
		"not learnt from: sender is a plain leaf"
	},
	[CONGA_A_STATS_RX_CONTROL] = {
		"rx_control",
		"control packets consumed"
	},
	[CONGA_A_STATS_RX_FOREIGN] = {
		"rx_foreign",
		"VXLAN with flags or reserved bits that are not ours; passed untouched"
	},
	[CONGA_A_STATS_RX_MALFORMED] = {
		"rx_malformed",
		"to a VXLAN port, without a valid VNI flag; passed untouched"
	},
	[CONGA_A_STATS_RX_TRUNCATED] = {
		"rx_truncated",
		"to a VXLAN port, too short for a VXLAN header; passed untouched"
	},
	[CONGA_A_STATS_RX_NOMEM] = {
		"rx_nomem",
		"stamped packets that could not be cleared for want of memory; passed as they were"
	},
	[CONGA_A_STATS_PATH_UP] = {
		"path_up",
		"times a path became usable"
	},
	[CONGA_A_STATS_PATH_DOWN] = {
		"path_down",
		"times a path ceased to be usable"
	},
	[CONGA_A_STATS_PATH_SILENT] = {
		"path_silent",
		"times a path was taken out because the leaf did not answer by it"
	},
	[CONGA_A_STATS_PATH_ANSWERS] = {
		"path_answers",
		"times a silent path was brought back by an answer"
	},
	[CONGA_A_STATS_HELLO_SENT] = {
		"hello_sent",
		"hellos sent"
	},
	[CONGA_A_STATS_HELLO_MISSED] = {
		"hello_missed",
		"hellos that were not answered in time"
	},
	[CONGA_A_STATS_HELLO_ANSWERED] = {
		"hello_answered",
		"hellos of leaves that were answered"
	},
	[CONGA_A_STATS_HELLO_HEARD] = {
		"hello_heard",
		"answers to our hellos"
	},
	[CONGA_A_STATS_BYE_SENT] = {
		"bye_sent",
		"byes sent"
	},
	[CONGA_A_STATS_BYE_RECEIVED] = {
		"bye_received",
		"byes of leaves"
	},
	[CONGA_A_STATS_EXPLICIT_SENT] = {
		"explicit_sent",
		"packets sent that carry nothing but feedback"
	},
	[CONGA_A_STATS_EXPLICIT_RECEIVED] = {
		"explicit_received",
		"such packets from leaves; what they say is counted as feedback received or ignored"
	},
	[CONGA_A_STATS_CONTROL_UNSENT] = {
		"control_unsent",
		"control packets not sent: no memory"
	},
	[CONGA_A_STATS_CONTROL_NOT_PORT] = {
		"control_not_port",
		"not heeded: came by a device that is no port"
	},
	[CONGA_A_STATS_CONTROL_UNKNOWN_LEAF] = {
		"control_unknown_leaf",
		"not heeded: sender is no leaf"
	},
	[CONGA_A_STATS_CONTROL_PLAIN_LEAF] = {
		"control_plain_leaf",
		"not heeded: sender is in mode plain, or hello is off"
	},
	[CONGA_A_STATS_CONTROL_MALFORMED] = {
		"control_malformed",
		"not heeded: too short, not ours, or shorter than its count says"
	},
	[CONGA_A_STATS_CONTROL_VERSION] = {
		"control_version",
		"not heeded: another version"
	},
	[CONGA_A_STATS_CONTROL_TYPE] = {
		"control_type",
		"not heeded: unknown type"
	},
	[CONGA_A_STATS_CONTROL_NONCE] = {
		"control_nonce",
		"not heeded: echoes no nonce of ours"
	},
	[CONGA_A_STATS_CONTROL_LIMITED] = {
		"control_limited",
		"hellos not answered: more than a leaf sends"
	},
	[CONGA_A_STATS_LEAF_UP] = {
		"leaf_up",
		"times a leaf in mode auto became conga"
	},
	[CONGA_A_STATS_LEAF_SILENT] = {
		"leaf_silent",
		"times a leaf in mode auto became plain: it did not answer"
	},
	[CONGA_A_STATS_LEAF_BYE] = {
		"leaf_bye",
		"times a leaf in mode auto became plain: it said bye"
	},
	[CONGA_A_STATS_LEAF_DISAGREES] = {
		"leaf_disagrees",
		"times a leaf in mode auto became plain: it has another Q, metric or use of byte 3"
	},
	[CONGA_A_STATS_LEAF_ALTERNATES] = {
		"leaf_alternates",
		"times a leaf in mode auto became plain: two boxes answer by turns"
	},
	[CONGA_A_STATS_TX_OPTED_OUT] = {
		"tx_opted_out",
		"VXLAN packets to leaves that the user exempted from the policy, by mark or DSCP"
	},
	[CONGA_A_STATS_FORWARD_STEERED] = {
		"forward_steered",
		"VXLAN packets that passed this box by the hop that was chosen here"
	},
	[CONGA_A_STATS_FORWARD_UNKNOWN_LEAF] = {
		"forward_unknown_leaf",
		"VXLAN packets that passed, to an address that is no leaf; left to the kernel"
	},
	[CONGA_A_STATS_FALLBACK_NO_PROBE] = {
		"fallback_no_probe",
		"left to the kernel: no probe told of a usable hop"
	},
	[CONGA_A_STATS_PROBE_SENT] = {
		"probe_sent",
		"probes of this leaf"
	},
	[CONGA_A_STATS_PROBE_LATE] = {
		"probe_late",
		"times that probes were sent later than by a quarter of their interval"
	},
	[CONGA_A_STATS_PROBE_SKIPPED] = {
		"probe_skipped",
		"times that probes were not sent, since it was time for the next"
	},
	[CONGA_A_STATS_PROBE_TAKEN] = {
		"probe_taken",
		"probes that told what is best now"
	},
	[CONGA_A_STATS_PROBE_MOVED] = {
		"probe_moved",
		"probes by which another hop became the best"
	},
	[CONGA_A_STATS_PROBE_HANDED_ON] = {
		"probe_handed_on",
		"probes of others sent on, by each port"
	},
	[CONGA_A_STATS_PROBE_UNWANTED] = {
		"probe_unwanted",
		"probes not heeded: the policy needs none"
	},
	[CONGA_A_STATS_PROBE_DISTANT] = {
		"probe_distant",
		"probes not heeded: the sender is no neighbour"
	},
	[CONGA_A_STATS_PROBE_MALFORMED] = {
		"probe_malformed",
		"probes not heeded: too short, not ours, another version or type"
	},
	[CONGA_A_STATS_PROBE_OWN] = {
		"probe_own",
		"probes not heeded: this leaf's own, come back"
	},
	[CONGA_A_STATS_PROBE_UNKNOWN_LEAF] = {
		"probe_unknown_leaf",
		"probes not heeded: the origin is no leaf"
	},
	[CONGA_A_STATS_PROBE_NOT_PATH] = {
		"probe_not_path",
		"probes not heeded: came by a port that is no nexthop of the route to their origin"
	},
	[CONGA_A_STATS_PROBE_HOPS] = {
		"probe_hops",
		"probes not handed on: passed as many boxes as they may"
	},
	[CONGA_A_STATS_PROBE_NO_BETTER] = {
		"probe_no_better",
		"probes about a leaf that told nothing better than what is known"
	},
	[CONGA_A_STATS_PATH_UNPROBED] = {
		"path_unprobed",
		"times a path was given up because probes came by it no more"
	},
	[CONGA_A_STATS_PATH_PROBED] = {
		"path_probed",
		"times a probe brought such a path back"
	},
	[CONGA_A_STATS_QUEUE_MARKED] = {
		"queue_marked",
		"packets that passed this box and were told what waits at the port they came in by"
	},
	[CONGA_A_STATS_QUEUE_RECEIVED] = {
		"queue_received",
		"packets learnt from that told of the queue at the box behind an uplink"
	},
	[CONGA_A_STATS_QUEUE_IGNORED] = {
		"queue_ignored",
		"packets learnt from whose byte 3 tells of no queue, or of none behind an uplink"
	},
};

/* Set by the word "all" for the command that is running. */
static bool conga_stats_all;

static void conga_stats_print_counter(const struct conga_counter *counter,
				      unsigned long long value)
{
	char label[CONGA_UNITS_TEXT_MAX];

	if (!value && !conga_stats_all && !conga_options.statistics && !conga_options.json)
		return;
	conga_print_line(0);
	snprintf(label, sizeof(label), "%-*s", CONGA_STATS_NAME_WIDTH, counter->name);
	conga_print_text(label);
	if (conga_options.details)
		conga_print_pad(CONGA_STATS_VALUE_WIDTH);
	conga_print_number(counter->name, "", value);
	if (conga_options.details)
		conga_print_text(counter->meaning);
}

/* Zeroes are always in JSON: a script must not take them for absent. */
static void conga_stats_print(struct nlattr **attrs, struct nl_msg *reply)
{
	int i;

	(void)reply;
	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_stats_counters[i].name && attrs[i])
			conga_stats_print_counter(&conga_stats_counters[i],
						  conga_print_value(attrs[i]));
}

static int conga_stats_show(const struct conga_command *command, struct conga_args *args)
{
	conga_stats_all = args->argc && !strcmp(*args->argv, "all");
	if (conga_stats_all)
		conga_args_next(args);
	return conga_command_show(command, args);
}

static const struct conga_command conga_stats_commands[] = {
	{ .name = "show", .run = conga_stats_show, .cmd = CONGA_CMD_STATS_GET,
	  .reply = CONGA_REPLY_ONE },
	{ }
};

/* Without a policy: every attribute is a number, read by its length. */
const struct conga_object conga_stats_object = {
	.name = "stats",
	.usage = conga_stats_usage,
	.commands = conga_stats_commands,
	.print = conga_stats_print,
	.attr_max = CONGA_A_STATS_MAX,
};
