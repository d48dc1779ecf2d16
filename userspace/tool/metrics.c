// SPDX-License-Identifier: GPL-2.0
/*
 * This file prints all numbers in Prometheus' text format, by the rules of
 * node_exporter's textfile collector: a file is replaced as a whole, and has no times.
 * Units are seconds and bytes; a metric without a value, such as the age of feedback
 * that never arrived, is missing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
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
#include "tool/state.h"
#include "tool/stats.h"

#define CONGA_METRICS_NS	0.000000001
#define CONGA_METRICS_BITS	0.125
#define CONGA_METRICS_MODE	0644	/* readable by others */
#define CONGA_METRICS_SUFFIX	".XXXXXX"

static const char conga_metrics_usage[] =
	"Usage: conga metrics [ file FILE ]\n"
	"Prometheus text; FILE, for node_exporter's textfile collector, is replaced as a whole.\n";

static FILE *conga_metrics_out;

/* This is a number of an object as a metric; without @scale it is a whole number. */
struct conga_metric_kind {
	const char *name;
	const char *type;
	int attr;
	double scale;
	const char *help;
};

static const struct conga_metric_kind conga_metrics_of_fabric[] = {
	{ "conga_fabric_ports", "gauge", CONGA_A_FABRIC_PORTS, 0, "Ports of the fabric." },
	{ "conga_fabric_leaves", "gauge", CONGA_A_FABRIC_LEAVES, 0, "Leaves of the fabric." },
	{ "conga_fabric_flowlet_entries", "gauge", CONGA_A_FABRIC_FLOWLETS, 0,
	  "Entries of the flowlet table." },
	{ "conga_fabric_flowlet_timeout_seconds", "gauge", CONGA_A_FABRIC_FLOWLET_TIMEOUT,
	  CONGA_METRICS_NS, "Idle gap after which a flow may move." },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_port[] = {
	{ "conga_port_rate_bytes_per_second", "gauge", CONGA_A_PORT_RATE, CONGA_METRICS_BITS,
	  "Rate that the port's load is measured against." },
	{ "conga_port_metric", "gauge", CONGA_A_PORT_METRIC, 0,
	  "Congestion of the port, 0 to conga_fabric_metric_limit." },
	{ "conga_port_dre_bytes", "gauge", CONGA_A_PORT_DRE_BYTES, 0,
	  "X of the port's discounting rate estimator." },
	{ "conga_port_dre_period_seconds", "gauge", CONGA_A_PORT_TDRE, CONGA_METRICS_NS,
	  "Decrement period of the port's discounting rate estimator." },
	{ "conga_port_transmit_packets_total", "counter", CONGA_A_PORT_TX_PACKETS, 0,
	  "Frames that entered the port's queue." },
	{ "conga_port_transmit_bytes_total", "counter", CONGA_A_PORT_TX_BYTES, 0,
	  "Bytes that entered the port's queue, with the Ethernet header." },
	{ "conga_port_draining", "gauge", CONGA_A_PORT_DRAIN, 0,
	  "Whether the uplink takes no new flowlets." },
	{ "conga_port_draining_flowlets", "gauge", CONGA_A_PORT_FLOWLETS, 0,
	  "Flowlets that are left on an uplink that drains." },
	{ "conga_port_short_flows", "gauge", CONGA_A_PORT_SHORT_FLOWS, 0,
	  "Flows on the uplink that policy tr considers short." },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_leaf[] = {
	{ "conga_leaf_usable_paths", "gauge", CONGA_A_LEAF_PATHS, 0,
	  "Usable paths to the leaf." },
	{ "conga_leaf_probe_age_seconds", "gauge", CONGA_A_LEAF_PROBE_AGE, CONGA_METRICS_NS,
	  "Time since the last probe of the leaf." },
	{ }
};

static const struct conga_metric_kind conga_metrics_of_path[] = {
	{ "conga_path_local_metric", "gauge", CONGA_A_PATH_LOCAL, 0,
	  "Congestion of the path's uplink, 0 to conga_fabric_metric_limit." },
	{ "conga_path_remote_metric", "gauge", CONGA_A_PATH_REMOTE, 0,
	  "Congestion of the path as the leaf reported it, aged." },
	{ "conga_path_feedback_age_seconds", "gauge", CONGA_A_PATH_AGE, CONGA_METRICS_NS,
	  "Time since the leaf reported on the path." },
	{ "conga_path_delay_seconds", "gauge", CONGA_A_PATH_DELAY, CONGA_METRICS_NS,
	  "Delay of the path without queues, one way." },
	{ "conga_path_queue_seconds", "gauge", CONGA_A_PATH_QUEUE, CONGA_METRICS_NS,
	  "Queueing delay at the node behind the path's uplink." },
	{ }
};

static void conga_metrics_begin(const char *name, const char *type, const char *help)
{
	fprintf(conga_metrics_out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

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

static void conga_metrics_end(unsigned long long value)
{
	fprintf(conga_metrics_out, "} %llu\n", value);
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

static void conga_metrics_label_fabric(struct nlattr **attrs)
{
	conga_metrics_label("policy", nla_get_string(attrs[CONGA_A_FABRIC_POLICY]), true);
}

/* Prints a metric for each of @replies. */
struct conga_metric_of {
	const struct conga_object *object;
	const struct conga_replies *replies;
	void (*label)(struct nlattr **attrs);
};

static void conga_metrics_number(const struct conga_metric_kind *kind,
				 const struct conga_metric_of *of)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	unsigned long long value;
	size_t next = 0;
	bool any = false;

	while (conga_command_next(of->object, of->replies, &next, attrs)) {
		if (!attrs[kind->attr])
			continue;
		if (!any)
			conga_metrics_begin(kind->name, kind->type, kind->help);
		any = true;
		value = conga_attr_number(attrs[kind->attr]);
		fputs(kind->name, conga_metrics_out);
		of->label(attrs);
		if (kind->scale)
			fprintf(conga_metrics_out, "} %.15g\n", value * kind->scale);
		else
			conga_metrics_end(value);
	}
}

static void conga_metrics_numbers(const struct conga_metric_kind *kinds,
				  const struct conga_metric_of *of)
{
	for (; kinds->name; kinds++)
		conga_metrics_number(kinds, of);
}

/* A choice in the kernel's answer becomes 1 if it is the good one, else 0. */
static void conga_metrics_whether(const char *name, const char *help, int attr,
				  unsigned int good, const struct conga_metric_of *of)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	if (!of->replies->count)
		return;
	conga_metrics_begin(name, "gauge", help);
	while (conga_command_next(of->object, of->replies, &next, attrs)) {
		fputs(name, conga_metrics_out);
		of->label(attrs);
		conga_metrics_end(conga_attr_number(attrs[attr]) == good);
	}
}

/* Words become labels of a metric with the value 1; @print adds them. */
static void conga_metrics_info(const char *name, const char *help,
			       void (*print)(struct nlattr **attrs),
			       const struct conga_metric_of *of)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	if (!of->replies->count)
		return;
	conga_metrics_begin(name, "gauge", help);
	while (conga_command_next(of->object, of->replies, &next, attrs)) {
		fputs(name, conga_metrics_out);
		of->label(attrs);
		print(attrs);
		conga_metrics_end(1);
	}
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
	conga_metrics_choice("state", attrs[CONGA_A_LEAF_STATE], conga_choices_mode);
	conga_metrics_choice("reason", attrs[CONGA_A_LEAF_REASON], conga_choices_leaf_reason);
}

static void conga_metrics_words_of_fabric(struct nlattr **attrs)
{
	(void)attrs;
	conga_metrics_label("version", CONGA_TOOL_VERSION, false);
}

static void conga_metrics_fabric(const struct conga_replies *replies)
{
	const struct conga_metric_of of = { &conga_fabric_object, replies,
					    conga_metrics_label_fabric };
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	conga_metrics_info("conga_fabric_info", "Policy of the fabric, and the tool's version.",
			   conga_metrics_words_of_fabric, &of);
	conga_metrics_numbers(conga_metrics_of_fabric, &of);
	if (!conga_command_next(of.object, replies, &next, attrs))
		return;
	conga_metrics_begin("conga_fabric_metric_limit", "gauge", "Full scale of metrics.");
	fprintf(conga_metrics_out, "conga_fabric_metric_limit %llu\n",
		(1ULL << conga_attr_number(attrs[CONGA_A_FABRIC_Q])) - 1);
}

static void conga_metrics_ports(const struct conga_replies *replies)
{
	const struct conga_metric_of of = { &conga_port_object, replies,
					    conga_metrics_label_port };

	conga_metrics_info("conga_port_info", "Role and LBTag of the port.",
			   conga_metrics_words_of_port, &of);
	conga_metrics_whether("conga_port_up", "Whether the port can send.",
			      CONGA_A_PORT_STATE, CONGA_PORT_UP, &of);
	conga_metrics_numbers(conga_metrics_of_port, &of);
}

static void conga_metrics_leaves(const struct conga_replies *replies)
{
	const struct conga_metric_of of = { &conga_leaf_object, replies,
					    conga_metrics_label_leaf };

	conga_metrics_info("conga_leaf_info", "Mode and state of the leaf, and why.",
			   conga_metrics_words_of_leaf, &of);
	conga_metrics_whether("conga_leaf_conga", "Whether packets to the leaf are stamped.",
			      CONGA_A_LEAF_STATE, CONGA_MODE_CONGA, &of);
	conga_metrics_numbers(conga_metrics_of_leaf, &of);
}

static void conga_metrics_paths(const struct conga_replies *replies)
{
	const struct conga_metric_of of = { &conga_path_object, replies,
					    conga_metrics_label_path };

	conga_metrics_whether("conga_path_usable", "Whether the path can be chosen.",
			      CONGA_A_PATH_REASON, CONGA_PATH_USABLE, &of);
	conga_metrics_numbers(conga_metrics_of_path, &of);
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

/* A missing fabric is no error, and is a metric, too. */
static int conga_metrics_read(struct conga_state *state, struct conga_stats_sample *sample,
			      bool *present)
{
	int status, error = 0;

	status = conga_state_read(state, &error);
	if (!status)
		status = conga_stats_read(sample, &error);
	*present = !status;
	return error == ENOENT ? CONGA_OK : status;
}

static void conga_metrics_print(const struct conga_state *state,
				const struct conga_stats_sample *sample, bool present)
{
	conga_metrics_begin("conga_fabric_present", "gauge",
			    "Whether this network namespace has a fabric.");
	fprintf(conga_metrics_out, "conga_fabric_present %d\n", present);
	if (!present)
		return;
	conga_metrics_fabric(&state->fabric);
	conga_metrics_ports(&state->ports);
	conga_metrics_leaves(&state->leaves);
	conga_metrics_paths(&state->paths);
	conga_metrics_counters(sample);
}

static int conga_metrics_failed(const char *file)
{
	fprintf(stderr, "Cannot write file \"%s\": %s\n", file, strerror(errno));
	return CONGA_REFUSED;
}

/* The temporary file beside @file has a name that the collector ignores: it reads *.prom. */
static FILE *conga_metrics_open(const char *file, char **temporary)
{
	FILE *out = NULL;
	int fd = -1;

	if (asprintf(temporary, "%s" CONGA_METRICS_SUFFIX, file) < 0)
		*temporary = NULL;
	else
		fd = mkstemp(*temporary);
	if (fd >= 0 && !fchmod(fd, CONGA_METRICS_MODE))
		out = fdopen(fd, "w");
	if (fd >= 0 && !out) {
		close(fd);
		unlink(*temporary);
	}
	return out;
}

static int conga_metrics_replace(const char *file, const struct conga_state *state,
				 const struct conga_stats_sample *sample, bool present)
{
	char *temporary;
	int status = CONGA_OK;
	bool failed;

	conga_metrics_out = conga_metrics_open(file, &temporary);
	if (conga_metrics_out) {
		conga_metrics_print(state, sample, present);
		failed = ferror(conga_metrics_out);
		failed = fclose(conga_metrics_out) || failed;
		if (failed || rename(temporary, file)) {
			status = conga_metrics_failed(file);
			unlink(temporary);
		}
	} else {
		status = conga_metrics_failed(file);
	}
	free(temporary);
	return status;
}

static int conga_metrics_tell(const char *file)
{
	struct conga_stats_sample sample;
	struct conga_state state = { 0 };
	bool present;
	int status;

	status = conga_metrics_read(&state, &sample, &present);
	if (!status && file) {
		status = conga_metrics_replace(file, &state, &sample, present);
	} else if (!status) {
		conga_metrics_out = stdout;
		conga_metrics_print(&state, &sample, present);
	}
	conga_state_clean(&state);
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
