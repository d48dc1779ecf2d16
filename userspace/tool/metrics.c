// SPDX-License-Identifier: GPL-2.0
/*
 * This file prints all numbers in Prometheus' text format, by the rules of
 * node_exporter's textfile collector: a file is replaced as a whole, and has no times.
 * Units are seconds and bytes.
 *
 * The set of series follows from the objects alone: a series ends with its port, leaf or path, but
 * not when the policy or another parameter changes. So labels that a parameter can change are
 * those of *_info, and a value that there is not is NaN, such as the age of feedback that never
 * arrived, or what only another policy measures.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <conga_version.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/check.h"
#include "tool/check_report.h"
#include "tool/command.h"
#include "tool/counters.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/metrics.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/path.h"
#include "tool/port.h"
#include "tool/print.h"
#include "tool/replace.h"
#include "tool/sample.h"

#define CONGA_METRICS_SECONDS	0.000000001	/* of a nanosecond */
#define CONGA_METRICS_BYTES	0.125		/* of a bit */

static const char conga_metrics_usage[] =
	"Usage: conga metrics [ file FILE ]\n"
	"Prometheus text; FILE, for node_exporter's textfile collector, is replaced as a whole.\n";

static FILE *conga_metrics_out;

/* ---- labels ---- */

static void conga_metrics_escape(const char *value)
{
	char *clean = conga_print_utf8(value), *c;

	for (c = clean; *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', conga_metrics_out);
		if (*c == '\n')
			fputs("\\n", conga_metrics_out);
		else
			fputc(*c, conga_metrics_out);
	}
	free(clean);
}

/* The first label of a sample opens the brace. */
static void conga_metrics_label(const char *key, const char *value, bool first)
{
	fprintf(conga_metrics_out, "%s%s=\"", first ? "{" : ",", key);
	conga_metrics_escape(value ? value : "unknown");
	fputc('"', conga_metrics_out);
}

static void conga_metrics_dev(const struct nlattr *attr, bool first)
{
	char name[IF_NAMESIZE];

	conga_names_find(conga_attr_number(attr), name);
	conga_metrics_label("dev", name, first);
}

static void conga_metrics_addr(struct nlattr **attrs, int attr4)
{
	struct nlattr *attr = attrs[attr4] ? attrs[attr4] : attrs[attr4 + 1];
	char text[INET6_ADDRSTRLEN] = "";

	if (attr)
		inet_ntop(attrs[attr4] ? AF_INET : AF_INET6, nla_data(attr), text, sizeof(text));
	conga_metrics_label("leaf", text, true);
}

static void conga_metrics_choice(const char *key, const struct nlattr *attr,
				 const struct conga_choice *choices)
{
	conga_metrics_label(key, conga_args_choice_word(choices, conga_attr_number(attr)), false);
}

/* Prints the labels that identify the port, leaf or path. */
static void conga_metrics_label_port(struct nlattr **attrs)
{
	conga_metrics_dev(attrs[CONGA_A_PORT_IFINDEX], true);
}

static void conga_metrics_label_leaf(struct nlattr **attrs)
{
	conga_metrics_addr(attrs, CONGA_A_LEAF_ADDR4);
}

static void conga_metrics_label_path(struct nlattr **attrs)
{
	conga_metrics_addr(attrs, CONGA_A_PATH_ADDR4);
	conga_metrics_dev(attrs[CONGA_A_PATH_IFINDEX], false);
}

static void conga_metrics_words_of_port(struct nlattr **attrs)
{
	char tag[CONGA_UNITS_TEXT_MAX];

	conga_metrics_choice("role", attrs[CONGA_A_PORT_ROLE], conga_choices_role);
	if (!attrs[CONGA_A_PORT_TAG])
		return;
	conga_units_format_integer(tag, sizeof(tag), conga_attr_number(attrs[CONGA_A_PORT_TAG]));
	conga_metrics_label("tag", tag, false);
}

static void conga_metrics_words_of_leaf(struct nlattr **attrs)
{
	conga_metrics_choice("mode", attrs[CONGA_A_LEAF_MODE], conga_choices_mode);
	conga_metrics_choice("state", attrs[CONGA_A_LEAF_STATE], conga_choices_leaf_state);
	conga_metrics_choice("reason", attrs[CONGA_A_LEAF_REASON], conga_choices_leaf_reason);
}

static void conga_metrics_words_of_path(struct nlattr **attrs)
{
	conga_metrics_choice("state", attrs[CONGA_A_PATH_STATE], conga_choices_path_state);
	conga_metrics_choice("reason", attrs[CONGA_A_PATH_REASON], conga_choices_path_reason);
}

static void conga_metrics_words_of_fabric(struct nlattr **attrs)
{
	conga_metrics_label("policy", nla_get_string(attrs[CONGA_A_FABRIC_POLICY]), true);
	conga_metrics_label("version", CONGA_VERSION, false);
}

/* ---- metrics ---- */

/* The value is the number of @attr, or with CONGA_METRICS_IS whether it is @good. Without @attr it
 * is 1, and @words prints labels.
 */
enum conga_metrics_unit {
	CONGA_METRICS_WHOLE,
	CONGA_METRICS_NS,	/* printed in seconds */
	CONGA_METRICS_BITS,	/* printed in bytes */
	CONGA_METRICS_IS,
};

struct conga_metric_kind {
	const char *name;
	const char *help;
	int attr;
	enum conga_metrics_unit unit;
	unsigned int good;
	bool counts;		/* the type is counter, else gauge */
	bool uplinks;		/* transit ports do not have it */
	void (*words)(struct nlattr **attrs);
};

static const struct conga_metric_kind conga_metrics_of_fabric[] = {
	{ "conga_fabric_info", "Policy of the fabric, and the tool's version.",
	  .words = conga_metrics_words_of_fabric },
	{ "conga_fabric_ports", "Ports of the fabric.",
	  .attr = CONGA_A_FABRIC_PORTS },
	{ "conga_fabric_leaves", "Leaves of the fabric.",
	  .attr = CONGA_A_FABRIC_LEAVES },
	{ "conga_fabric_flowlet_entries", "Entries of the flowlet table.",
	  .attr = CONGA_A_FABRIC_FLOWLETS },
	{ "conga_fabric_flowlet_timeout_seconds", "Idle gap after which a flow may move.",
	  .attr = CONGA_A_FABRIC_FLOWLET_TIMEOUT, .unit = CONGA_METRICS_NS },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_port[] = {
	{ "conga_port_info", "Role and LBTag of the port.", .words = conga_metrics_words_of_port },
	{ "conga_port_up", "Whether the port can send.",
	  .attr = CONGA_A_PORT_STATE, .unit = CONGA_METRICS_IS, .good = CONGA_PORT_UP },
	{ "conga_port_rate_bytes_per_second", "Rate that the port's load is measured against.",
	  .attr = CONGA_A_PORT_RATE, .unit = CONGA_METRICS_BITS },
	{ "conga_port_metric", "Congestion of the port, 0 to conga_fabric_metric_limit.",
	  .attr = CONGA_A_PORT_METRIC },
	{ "conga_port_dre_bytes", "X of the port's discounting rate estimator.",
	  .attr = CONGA_A_PORT_DRE_BYTES },
	{ "conga_port_dre_period_seconds",
	  "Decrement period of the port's discounting rate estimator.",
	  .attr = CONGA_A_PORT_TDRE, .unit = CONGA_METRICS_NS },
	{ "conga_port_transmit_packets_total", "Frames that entered the port's queue.",
	  .attr = CONGA_A_PORT_TX_PACKETS, .counts = true },
	{ "conga_port_transmit_bytes_total",
	  "Bytes that entered the port's queue, with the Ethernet header.",
	  .attr = CONGA_A_PORT_TX_BYTES, .counts = true },
	{ "conga_port_draining", "Whether the uplink takes no new flowlets.",
	  .attr = CONGA_A_PORT_DRAIN, .uplinks = true },
	{ "conga_port_draining_flowlets",
	  "Flowlets that are left on an uplink that drains; NaN while it does not drain.",
	  .attr = CONGA_A_PORT_FLOWLETS, .uplinks = true },
	{ "conga_port_short_flows",
	  "Flows on the uplink that policy tr considers short; NaN with other policies.",
	  .attr = CONGA_A_PORT_SHORT_FLOWS, .uplinks = true },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_leaf[] = {
	{ "conga_leaf_info", "Mode and state of the leaf, and why.",
	  .words = conga_metrics_words_of_leaf },
	{ "conga_leaf_conga", "Whether packets to the leaf are stamped.",
	  .attr = CONGA_A_LEAF_STATE, .unit = CONGA_METRICS_IS,
	  .good = CONGA_LEAF_STATE_CONGA },
	{ "conga_leaf_usable_paths", "Usable paths to the leaf.",
	  .attr = CONGA_A_LEAF_PATHS },
	{ "conga_leaf_paths", "Paths to the leaf, usable or not.",
	  .attr = CONGA_A_LEAF_PATHS_ALL },
	{ "conga_leaf_answer_age_seconds",
	  "Time since the leaf's last answer to a hello; NaN before the first one.",
	  .attr = CONGA_A_LEAF_HEARD, .unit = CONGA_METRICS_NS },
	{ "conga_leaf_probe_age_seconds",
	  "Time since the last probe of the leaf; NaN without probes, which policy hula has.",
	  .attr = CONGA_A_LEAF_PROBE_AGE, .unit = CONGA_METRICS_NS },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_path[] = {
	{ "conga_path_hellos", "Latest hellos by the path that are remembered.",
	  .attr = CONGA_A_PATH_HELLOS },
	{ "conga_path_hellos_missed", "Hellos of these that were not answered.",
	  .attr = CONGA_A_PATH_HELLOS_MISSED },
	{ "conga_path_info", "State of the path, and why.", .words = conga_metrics_words_of_path },
	{ "conga_path_usable", "Whether the path can be chosen.",
	  .attr = CONGA_A_PATH_REASON, .unit = CONGA_METRICS_IS, .good = CONGA_PATH_USABLE },
	{ "conga_path_local_metric",
	  "Congestion of the path's uplink, 0 to conga_fabric_metric_limit.",
	  .attr = CONGA_A_PATH_LOCAL },
	{ "conga_path_remote_metric", "Congestion of the path as the leaf reported it, aged.",
	  .attr = CONGA_A_PATH_REMOTE },
	{ "conga_path_feedback_age_seconds",
	  "Time since the leaf reported on the path; NaN before the first report.",
	  .attr = CONGA_A_PATH_AGE, .unit = CONGA_METRICS_NS },
	{ "conga_path_delay_seconds",
	  "Delay of the path without queues, one way; NaN unless policy tr measured it.",
	  .attr = CONGA_A_PATH_DELAY, .unit = CONGA_METRICS_NS },
	{ "conga_path_queue_seconds",
	  "Queueing delay at the node behind the path's uplink; NaN with other policies than tr.",
	  .attr = CONGA_A_PATH_QUEUE, .unit = CONGA_METRICS_NS },
	{ }
};

static void conga_metrics_begin(const char *name, const char *type, const char *help)
{
	fprintf(conga_metrics_out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void conga_metrics_value(const struct conga_metric_kind *kind, const struct nlattr *attr)
{
	unsigned long long value = conga_attr_number(attr);

	if (kind->words)
		fputs(" 1\n", conga_metrics_out);
	else if (!attr)
		fputs(" NaN\n", conga_metrics_out);
	else if (kind->unit == CONGA_METRICS_NS)
		fprintf(conga_metrics_out, " %.15g\n", value * CONGA_METRICS_SECONDS);
	else if (kind->unit == CONGA_METRICS_BITS)
		fprintf(conga_metrics_out, " %.15g\n", value * CONGA_METRICS_BYTES);
	else if (kind->unit == CONGA_METRICS_IS)
		fprintf(conga_metrics_out, " %d\n", value == kind->good);
	else
		fprintf(conga_metrics_out, " %llu\n", value);
}

/* @label is NULL for the only object of its kind. */
static void conga_metrics_series(const struct conga_metric_kind *kind, struct nlattr **attrs,
				 void (*label)(struct nlattr **attrs))
{
	fputs(kind->name, conga_metrics_out);
	if (label)
		label(attrs);
	if (kind->words)
		kind->words(attrs);
	if (label || kind->words)
		fputc('}', conga_metrics_out);
	conga_metrics_value(kind, attrs[kind->attr]);
}

/* Prints a metric of each object, with the labels that @label prints. */
static void conga_metrics_one(const struct conga_metric_kind *kind,
			      const struct conga_object *object,
			      const struct conga_replies *replies,
			      void (*label)(struct nlattr **attrs))
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	bool any = false;
	size_t next = 0;

	while (conga_command_next(object, replies, &next, attrs)) {
		if (kind->uplinks &&
		    conga_attr_number(attrs[CONGA_A_PORT_ROLE]) != CONGA_ROLE_UPLINK)
			continue;
		if (!any)
			conga_metrics_begin(kind->name, kind->counts ? "counter" : "gauge",
					    kind->help);
		any = true;
		conga_metrics_series(kind, attrs, label);
	}
}

static void conga_metrics_all(const struct conga_metric_kind *kind,
			      const struct conga_object *object,
			      const struct conga_replies *replies,
			      void (*label)(struct nlattr **attrs))
{
	for (; kind->name; kind++)
		conga_metrics_one(kind, object, replies, label);
}

static void conga_metrics_limit(const struct conga_replies *replies)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	if (!conga_command_next(&conga_fabric_object, replies, &next, attrs))
		return;
	conga_metrics_begin("conga_fabric_metric_limit", "gauge", "Full scale of metrics.");
	fprintf(conga_metrics_out, "conga_fabric_metric_limit %llu\n",
		(1ULL << conga_attr_number(attrs[CONGA_A_FABRIC_Q])) - 1);
}

static void conga_metrics_counters(const struct conga_stats_sample *sample)
{
	char name[2 * CONGA_UNITS_TEXT_MAX];
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++) {
		if (!conga_counters[i].name)
			continue;
		snprintf(name, sizeof(name), "conga_%s_total", conga_counters[i].name);
		conga_metrics_begin(name, "counter", conga_counters[i].meaning);
		fprintf(conga_metrics_out, "%s %llu\n", name, sample->values[i]);
	}
}

/* What "conga check" finds, but for counters, which are metrics themselves */
static void conga_metrics_findings(void)
{
	enum conga_severity severity;

	if (conga_check_count())
		return;
	conga_metrics_begin("conga_check_findings", "gauge",
			    "Findings of conga check, counters that grow aside.");
	for (severity = CONGA_SEVERITY_NOTE; severity < CONGA_SEVERITIES; severity++)
		fprintf(conga_metrics_out, "conga_check_findings{severity=\"%s\"} %u\n",
			conga_check_report_word(severity), conga_check_report_count(severity));
}

/* A missing fabric is a metric, too. */
static void conga_metrics_print(const struct conga_sample *sample)
{
	const struct conga_state *state = &sample->state;

	conga_metrics_begin("conga_fabric_present", "gauge",
			    "Whether this network namespace has a fabric.");
	fprintf(conga_metrics_out, "conga_fabric_present %d\n", sample->present);
	if (!sample->present)
		return;
	conga_metrics_all(conga_metrics_of_fabric, &conga_fabric_object, &state->fabric, NULL);
	conga_metrics_limit(&state->fabric);
	conga_metrics_all(conga_metrics_of_port, &conga_port_object, &state->ports,
			  conga_metrics_label_port);
	conga_metrics_all(conga_metrics_of_leaf, &conga_leaf_object, &state->leaves,
			  conga_metrics_label_leaf);
	conga_metrics_all(conga_metrics_of_path, &conga_path_object, &state->paths,
			  conga_metrics_label_path);
	conga_metrics_counters(&sample->stats);
	conga_metrics_findings();
}

/* ---- output ---- */

static int conga_metrics_replace(const char *file, const struct conga_sample *sample)
{
	struct conga_replace replace;
	int status = conga_replace_begin(&replace, file);

	if (status)
		return status;
	conga_metrics_out = replace.file;
	conga_metrics_print(sample);
	return conga_replace_end(&replace);
}

static int conga_metrics_tell(const char *file)
{
	struct conga_sample sample = { 0 };
	int status = conga_sample_take(&sample, CONGA_SAMPLE_PATHS);

	if (!status && file) {
		status = conga_metrics_replace(file, &sample);
	} else if (!status) {
		conga_metrics_out = stdout;
		conga_metrics_print(&sample);
	}
	conga_sample_clean(&sample);
	return status;
}

static int conga_metrics_run(struct conga_args *args)
{
	const char *word = conga_args_next(args), *file = NULL;

	if (word && strcmp(word, "file"))
		return conga_args_unknown(args, word);
	if (word)
		file = conga_args_next(args);
	if (word && !file)
		return conga_args_incomplete(args);
	if (args->argc)
		return conga_args_unknown(args, *args->argv);
	if (!conga_options.json)
		return conga_metrics_tell(file);
	fputs("Error: option \"-j\" is wrong: metrics are printed as Prometheus text only\n",
	      stderr);
	return CONGA_USAGE;
}

static const char *const conga_metrics_bare[] = { "file", CONGA_COMPLETE_FILE, NULL };

const struct conga_object conga_metrics_object = {
	.name = "metrics",
	.usage = conga_metrics_usage,
	.run = conga_metrics_run,
	.bare = conga_metrics_bare,
};
