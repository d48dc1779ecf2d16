/* SPDX-License-Identifier: GPL-2.0 */
/* Options, which stand before the object. */
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
	unsigned long long rcvbuf;	/* bytes, 0: the default */
	unsigned long long interval;	/* ns, 0: not given */
};

extern struct conga_options conga_options;

/* What the options ask for, besides conga_options. */
struct conga_request {
	const char *netns;	/* name of a network namespace; NULL: this one */
	const char *batch;	/* file; NULL: the command line */
	bool version;
	bool help;
};

/* conga_options_parse - take the options off the beginning of @args; a status */
int conga_options_parse(struct conga_args *args, struct conga_request *request);

/* conga_options_take - take one, and its value if it has one; the next word begins with "-" */
int conga_options_take(struct conga_args *args, struct conga_request *request);

/* conga_options_complete - calls @say for each */
void conga_options_complete(const char *prefix,
			    void (*say)(const char *prefix, const char *word));

/* conga_options_help - of the whole tool */
void conga_options_help(FILE *file);

#endif /* CONGA_TOOL_OPTIONS_H */
