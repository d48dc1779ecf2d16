// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/color.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/options.h"

#define CONGA_OPTIONS_INTERVAL_MIN	100000000ULL		/* ns */
#define CONGA_OPTIONS_INTERVAL_MAX	86400000000000ULL	/* ns */

#define CONGA_OPTIONS_COLOR		"color="

/* This stands for the letter of an option that has none: -b is another. */
#define CONGA_OPTIONS_BRIEF		'\1'

struct conga_options conga_options;

static const char conga_options_usage[] =
	"Usage: conga [ OPTIONS ] OBJECT { COMMAND | help }\n"
	"       conga [ OPTIONS ] -b FILE\n"
	"       conga [ OPTIONS ]                 show everything on one screen\n"
	"       conga [ OPTIONS ] check           report problems, and what to do\n"
	"       conga [ OPTIONS ] monitor         report events as they happen\n"
	"       conga [ OPTIONS ] ping ADDR       test each path to a leaf\n"
	"       conga [ OPTIONS ] top             show the load of each port, live\n"
	"       conga [ OPTIONS ] metrics         print all numbers for Prometheus\n"
	"       conga [ OPTIONS ] save            print the configuration as commands\n"
	"       conga [ OPTIONS ] restore FILE    replace the whole configuration\n"
	"       conga [ OPTIONS ] sync FILE       change only what differs\n"
	"OBJECT := { fabric | port | leaf | path | table | flowlet | policy | stats }\n"
	"OPTIONS := { -j[son] | -p[retty] | -s[tatistics] | -d[etails] | -t[imestamp] |\n"
	"             -i[nterval] SECONDS | -rcvbuf BYTES | -n[etns] NAME | -b[atch] FILE |\n"
	"             -o[neline] | -br | -brief | -N | -numeric |\n"
	"             -c[olor][={ always | never | auto }] | -V[ersion] | -h[elp] }\n";

struct conga_option {
	char letter;
	const char *word;
	const char *value;	/* the option's value, if it takes one */
};

static const struct conga_option conga_options_table[] = {
	{ 'j', "json", NULL },
	{ 'p', "pretty", NULL },
	{ 's', "statistics", NULL },
	{ 'd', "details", NULL },
	{ 't', "timestamp", NULL },
	{ 'o', "oneline", NULL },
	{ CONGA_OPTIONS_BRIEF, "brief", NULL },
	{ CONGA_OPTIONS_BRIEF, "br", NULL },
	{ 'N', "numeric", NULL },
	{ 'c', "color", NULL },
	{ 'i', "interval", "SECONDS" },
	{ 'r', "rcvbuf", "BYTES" },
	{ 'n', "netns", "NAME" },
	{ 'b', "batch", "FILE" },
	{ 'V', "Version", NULL },
	{ 'h', "help", NULL },
	{ 0, NULL, NULL }
};

static int conga_options_set_rcvbuf(const char *value)
{
	const char *why = conga_units_parse_size(value, &conga_options.rcvbuf);

	return why ? conga_args_wrong(value, why) : CONGA_OK;
}

static int conga_options_set_interval(const char *value)
{
	const char *why = conga_units_parse_seconds(value, &conga_options.interval);

	if (!why && (conga_options.interval < CONGA_OPTIONS_INTERVAL_MIN ||
		     conga_options.interval > CONGA_OPTIONS_INTERVAL_MAX))
		why = "an interval is 100ms to 86400s";
	return why ? conga_args_wrong(value, why) : CONGA_OK;
}

static int conga_options_set(char letter, const char *value, struct conga_request *request)
{
	switch (letter) {
	case 'j':
		conga_options.json = true;
		break;
	case 'p':
		conga_options.pretty = true;
		break;
	case 's':
		conga_options.statistics = true;
		break;
	case 'd':
		conga_options.details = true;
		break;
	case 't':
		conga_options.timestamps = true;
		break;
	case 'o':
		conga_options.oneline = true;
		break;
	case CONGA_OPTIONS_BRIEF:
		conga_options.brief = true;
		break;
	case 'N':
		conga_hosts_hide();
		break;
	case 'c':
		return conga_color_choose("always") ? CONGA_OK : CONGA_USAGE;
	case 'i':
		return conga_options_set_interval(value);
	case 'r':
		return conga_options_set_rcvbuf(value);
	case 'n':
		request->netns = value;
		break;
	case 'b':
		request->batch = value;
		break;
	case 'V':
		request->version = true;
		break;
	default:
		request->help = true;
		break;
	}
	return CONGA_OK;
}

static const struct conga_option *conga_options_find_letter(char letter)
{
	const struct conga_option *option;

	for (option = conga_options_table; option->word; option++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static const struct conga_option *conga_options_find_word(const char *word)
{
	const struct conga_option *option;

	for (option = conga_options_table; option->word; option++)
		if (!strcmp(option->word, word))
			return option;
	return NULL;
}

static int conga_options_unknown(const char *text)
{
	fprintf(stderr, "Option \"%s\" is unknown, try \"conga -h\".\n%s", text,
		conga_options_usage);
	return CONGA_USAGE;
}

static int conga_options_take_value(const struct conga_option *option, struct conga_args *args,
				    struct conga_request *request)
{
	const char *value = NULL;

	if (option->value) {
		value = conga_args_next(args);
		if (!value) {
			fprintf(stderr, "Error: argument \"%s\" is required\n%s",
				option->value, conga_options_usage);
			return CONGA_USAGE;
		}
	}
	return conga_options_set(option->letter, value, request);
}

/* The value of this option may be left out, and follows "=", as iproute2 has it. */
static int conga_options_set_color(const char *when)
{
	if (conga_color_choose(when))
		return CONGA_OK;
	return conga_args_wrong(when, "color must be always, never or auto");
}

/* -json, --json, or letters together as in -jp. */
int conga_options_take(struct conga_args *args, struct conga_request *request)
{
	const char *text = conga_args_next(args);
	const char *word = text + (text[1] == '-' ? 2 : 1), *c;
	const struct conga_option *option = conga_options_find_word(word);
	int status = CONGA_OK;

	if (option)
		return conga_options_take_value(option, args, request);
	if (!strncmp(word, CONGA_OPTIONS_COLOR, strlen(CONGA_OPTIONS_COLOR)))
		return conga_options_set_color(word + strlen(CONGA_OPTIONS_COLOR));
	if (text[1] == '-' || !text[1])
		return conga_options_unknown(text);
	for (c = word; *c && !status; c++) {
		option = conga_options_find_letter(*c);
		status = option ? conga_options_take_value(option, args, request) :
				  conga_options_unknown(text);
	}
	return status;
}

int conga_options_parse(struct conga_args *args, struct conga_request *request)
{
	int status = CONGA_OK;

	while (!status && args->argc && **args->argv == '-')
		status = conga_options_take(args, request);
	if (!status && request->batch && args->argc) {
		fprintf(stderr, "Error: argument \"%s\" is wrong: the commands are in \"%s\"\n",
			*args->argv, request->batch);
		status = CONGA_USAGE;
	}
	return status;
}

/* The values are offered once "=" is typed. */
static void conga_options_complete_color(const char *prefix,
					 void (*say)(const char *prefix, const char *word))
{
	char text[CONGA_UNITS_TEXT_MAX];
	int i;

	if (strncmp(prefix, "-" CONGA_OPTIONS_COLOR, strlen("-" CONGA_OPTIONS_COLOR)))
		return;
	for (i = 0; conga_color_words[i]; i++) {
		snprintf(text, sizeof(text), "-" CONGA_OPTIONS_COLOR "%s", conga_color_words[i]);
		say(prefix, text);
	}
}

void conga_options_complete(const char *prefix,
			    void (*say)(const char *prefix, const char *word))
{
	const struct conga_option *option;
	char text[CONGA_UNITS_TEXT_MAX];

	for (option = conga_options_table; option->word; option++) {
		snprintf(text, sizeof(text), "-%s", option->word);
		say(prefix, text);
	}
	conga_options_complete_color(prefix, say);
}

void conga_options_help(FILE *file)
{
	fputs(conga_options_usage, file);
}
