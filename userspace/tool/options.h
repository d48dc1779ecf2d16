/* SPDX-License-Identifier: GPL-2.0 */
/* Options stand before the object. */
#ifndef CONGA_TOOL_OPTIONS_H
#define CONGA_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include "tool/grammar.h"

struct conga_options {
	bool json;
	bool pretty;
	bool statistics;
	bool details;
	bool timestamps;
	bool oneline;		/* an object is a line */
	bool brief;		/* and a row of a table */
	unsigned long long rcvbuf;	/* bytes, 0: the default */
	unsigned long long interval;	/* ns, 0: not given */
};

extern struct conga_options conga_options;

/* These are requested by options, besides conga_options. */
struct conga_request {
	const char *netns;	/* name of a network namespace; NULL: this one */
	const char *batch;	/* file; NULL: the command line */
	bool version;
	bool help;
};

/* conga_options_parse - remove the options from the beginning of @args; returns a status */
int conga_options_parse(struct conga_args *args, struct conga_request *request);

/* conga_options_take - take one option with its value; the next word begins with "-" */
int conga_options_take(struct conga_args *args, struct conga_request *request);

/* conga_options_complete - call @say for each option */
void conga_options_complete(const char *prefix,
			    void (*say)(const char *prefix, const char *word));

/* conga_options_help - the usage of the whole tool */
void conga_options_help(FILE *file);

#endif /* CONGA_TOOL_OPTIONS_H */
