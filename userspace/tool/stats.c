// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/command.h"
#include "tool/counters.h"
#include "tool/epoch.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/print.h"
#include "tool/repeat.h"
#include "tool/state.h"
#include "tool/stats.h"

#define CONGA_STATS_NAME_WIDTH	20
#define CONGA_STATS_VALUE_WIDTH	12
#define CONGA_STATS_INDENT	4
#define CONGA_STATS_NS_PER_S	1e9
#define CONGA_STATS_TIME_PER_S	1000000000ULL
#define CONGA_STATS_DATE_MAX	64

static const char conga_stats_usage[] =
	"Usage: conga stats [ show [ all ] [ absolute ] [ explain ] ]\n"
	"       conga -i SECONDS stats show [ all ] [ count NUMBER ]\n"
	"       conga stats explain [ COUNTER ]...\n"
	"       conga stats reset\n"
	"\"all\" or -s also shows counters that are zero, \"explain\" or -d shows what each means.\n"
	"-i shows counters that grew, by how much and per second, until a signal or for NUMBER\n"
	"reports. \"reset\" lets counts begin at zero; \"absolute\" shows those of the kernel.\n";

/* These are the words of the running command. */
static bool conga_stats_all;
static bool conga_stats_meanings;
static bool conga_stats_absolute;
static unsigned long long conga_stats_count;	/* 0: without end */

static bool conga_stats_is_shown(unsigned long long value)
{
	return value || conga_stats_all || conga_options.statistics || conga_options.json;
}

static void conga_stats_print_name(const struct conga_counter *counter)
{
	char label[CONGA_UNITS_TEXT_MAX];

	conga_print_line(0);
	snprintf(label, sizeof(label), "%-*s", CONGA_STATS_NAME_WIDTH, counter->name);
	conga_print_text(label);
}

static void conga_stats_print_counter(const struct conga_counter *counter,
				      unsigned long long value)
{
	if (!conga_stats_is_shown(value))
		return;
	conga_stats_print_name(counter);
	if (conga_stats_meanings)
		conga_print_pad(CONGA_STATS_VALUE_WIDTH);
	conga_print_number(counter->name, "", value);
	if (conga_stats_meanings)
		conga_print_text(counter->meaning);
}

static void conga_stats_fill(struct conga_stats_sample *sample, struct nlattr **attrs)
{
	int i;

	sample->ns = conga_repeat_now();
	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		sample->values[i] = conga_attr_number(attrs[i]);
}

static void conga_stats_print_reset(const struct conga_epoch *epoch)
{
	char date[CONGA_STATS_DATE_MAX], text[CONGA_STATS_DATE_MAX + 32];
	time_t seconds = epoch->time / CONGA_STATS_TIME_PER_S;
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
	snprintf(text, sizeof(text), "since the reset at %s:", date);
	conga_print_text(text);
	conga_print_number("reset_time_ns", NULL, epoch->time);
}

/* JSON always has the zeroes, because a script must not take them for absent. */
static void conga_stats_print(struct nlattr **attrs, struct nl_msg *reply)
{
	struct conga_stats_sample now;
	struct conga_epoch epoch;
	bool reset;
	int i;

	(void)reply;
	conga_stats_fill(&now, attrs);
	reset = !conga_stats_absolute && conga_epoch_read(&epoch, now.values);
	if (reset)
		conga_stats_print_reset(&epoch);
	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name && attrs[i])
			conga_stats_print_counter(&conga_counters[i], now.values[i] -
						  (reset ? epoch.values[i] : 0));
}

/* Without a fabric *@error is ENOENT, and no error is printed, if @error is not NULL. */
int conga_stats_read(struct conga_stats_sample *sample, int *error)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	size_t next = 0;
	int status;

	status = conga_state_read_object(&conga_stats_object, 0, &replies, error);
	if (!status && conga_command_next(&conga_stats_object, &replies, &next, attrs))
		conga_stats_fill(sample, attrs);
	conga_nl_replies_clean(&replies);
	return status;
}

/* Counters of a fabric that was created meanwhile started at zero. */
unsigned long long conga_stats_change(unsigned long long before, unsigned long long after)
{
	return after < before ? after : after - before;
}

double conga_stats_per_second(unsigned long long change, unsigned long long ns)
{
	return ns ? change * CONGA_STATS_NS_PER_S / ns : 0;
}

static void conga_stats_print_change(const struct conga_counter *counter,
				     unsigned long long change, unsigned long long ns)
{
	if (!conga_stats_is_shown(change))
		return;
	conga_stats_print_name(counter);
	conga_print_pad(CONGA_STATS_VALUE_WIDTH);
	conga_print_number(NULL, "", change);
	conga_print_pad(CONGA_STATS_VALUE_WIDTH);
	conga_print_real(NULL, "", conga_stats_per_second(change, ns), "/s");
}

static void conga_stats_print_json(const char *key, const struct conga_stats_sample *before,
				   const struct conga_stats_sample *after, bool per_second)
{
	unsigned long long change, ns = after->ns - before->ns;
	int i;

	conga_print_object(key);
	for (i = 1; i <= CONGA_A_STATS_MAX; i++) {
		if (!conga_counters[i].name)
			continue;
		change = conga_stats_change(before->values[i], after->values[i]);
		if (per_second)
			conga_print_real(conga_counters[i].name, NULL,
					 conga_stats_per_second(change, ns), "");
		else
			conga_print_number(conga_counters[i].name, NULL, change);
	}
	conga_print_object_end();
}

static void conga_stats_print_lines(const struct conga_stats_sample *before,
				    const struct conga_stats_sample *after)
{
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name)
			conga_stats_print_change(&conga_counters[i],
						 conga_stats_change(before->values[i],
								    after->values[i]),
						 after->ns - before->ns);
}

static void conga_stats_print_changes(const struct conga_stats_sample *before,
				      const struct conga_stats_sample *after)
{
	char text[CONGA_UNITS_TEXT_MAX];

	conga_print_object(NULL);
	conga_repeat_print_time();
	conga_print_number("interval_ns", NULL, after->ns - before->ns);
	conga_units_format_age(text, sizeof(text), after->ns - before->ns);
	conga_print_text("in");
	conga_print_text(text);
	conga_print_append(":");
	if (conga_options.json) {
		conga_stats_print_json("changes", before, after, false);
		conga_stats_print_json("per_second", before, after, true);
	} else {
		conga_stats_print_lines(before, after);
	}
	conga_print_object_end();
	fflush(stdout);
}

static int conga_stats_repeat(void)
{
	struct conga_stats_sample before, after;
	unsigned long long told = 0;
	int status;

	conga_repeat_begin();
	conga_print_lines(true);
	status = conga_stats_read(&before, NULL);
	while (!status && conga_repeat_goes_on()) {
		if (!conga_repeat_wait(-1))
			continue;
		status = conga_stats_read(&after, NULL);
		if (status)
			break;
		conga_stats_print_changes(&before, &after);
		before = after;
		if (++told == conga_stats_count)
			break;
	}
	conga_print_lines(false);
	conga_repeat_end();
	return status;
}

static int conga_stats_parse_count(struct conga_args *args)
{
	if (!conga_options.interval)
		return conga_args_wrong("count", "counters are shown once without option -i");
	return conga_args_count(args, &conga_stats_count);
}

static int conga_stats_parse_absolute(void)
{
	if (conga_options.interval)
		return conga_args_wrong("absolute", "option -i shows by how much counters grew");
	conga_stats_absolute = true;
	return CONGA_OK;
}

static int conga_stats_parse(struct conga_args *args)
{
	const char *word;
	int status = CONGA_OK;

	conga_stats_all = false;
	conga_stats_absolute = false;
	conga_stats_meanings = conga_options.details;
	conga_stats_count = 0;
	while (!status && (word = conga_args_next(args))) {
		if (!strcmp(word, "all"))
			conga_stats_all = true;
		else if (!strcmp(word, "absolute"))
			status = conga_stats_parse_absolute();
		else if (!strcmp(word, "explain"))
			conga_stats_meanings = true;
		else if (!strcmp(word, "count"))
			status = conga_stats_parse_count(args);
		else
			status = conga_args_unknown(args, word);
	}
	return status;
}

static int conga_stats_show(const struct conga_command *command, struct conga_args *args)
{
	int status = conga_stats_parse(args);

	if (status)
		return status;
	return conga_options.interval ? conga_stats_repeat() : conga_command_show(command, args);
}

static void conga_stats_explain_one(const struct conga_counter *counter)
{
	conga_print_object(NULL);
	conga_print_string("counter", "", counter->name);
	conga_print_append(":");
	conga_print_string("meaning", "", counter->meaning);
	conga_print_line(CONGA_STATS_INDENT);
	conga_print_string("advice", "", counter->advice);
	conga_print_object_end();
}

static void conga_stats_explain_all(void)
{
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name)
			conga_stats_explain_one(&conga_counters[i]);
}

/* Explaining needs no kernel, because a user may look up a counter of another node. All names
 * are checked before anything is printed.
 */
static int conga_stats_explain(const struct conga_command *command, struct conga_args *args)
{
	int i;

	(void)command;
	if (conga_options.interval)
		return conga_args_wrong("explain", "only \"stats show\" repeats");
	for (i = 0; i < args->argc; i++)
		if (!conga_counters_find(args->argv[i]))
			return conga_args_wrong(args->argv[i],
						"no such counter, \"conga stats explain\" lists all");
	conga_print_begin();
	if (!args->argc)
		conga_stats_explain_all();
	while (args->argc)
		conga_stats_explain_one(conga_counters_find(conga_args_next(args)));
	conga_print_end();
	return CONGA_OK;
}

/* The kernel's counters go on, as those who compute rates of them need it. */
static int conga_stats_reset(const struct conga_command *command, struct conga_args *args)
{
	struct conga_stats_sample now = { 0 };
	int status;

	(void)command;
	if (conga_options.interval)
		return conga_args_wrong("reset", "only \"stats show\" repeats");
	if (args->argc)
		return conga_args_unknown(args, *args->argv);
	status = conga_stats_read(&now, NULL);
	return status ? status : conga_epoch_begin(now.values);
}

static const char *const conga_stats_bare[] = { "all", "absolute", "count", NULL };

static const struct conga_command conga_stats_commands[] = {
	{ .name = "show", .run = conga_stats_show, .cmd = CONGA_CMD_STATS_GET,
	  .reply = CONGA_REPLY_ONE, .bare = conga_stats_bare },
	{ .name = "explain", .run = conga_stats_explain },
	{ .name = "reset", .run = conga_stats_reset },
	{ }
};

/* There is no policy here: every attribute is a number, read by its length. */
const struct conga_object conga_stats_object = {
	.name = "stats",
	.usage = conga_stats_usage,
	.commands = conga_stats_commands,
	.repeats = true,
	.print = conga_stats_print,
	.attr_max = CONGA_A_STATS_MAX,
};
