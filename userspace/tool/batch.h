/* SPDX-License-Identifier: GPL-2.0 */
/* A batch is a file of commands, one a line. Words are separated by blanks and may be quoted;
 * "#" begins a comment; "\" at the end of a line joins the next.
 */
#ifndef CONGA_TOOL_BATCH_H
#define CONGA_TOOL_BATCH_H

#include <stdio.h>

/* The longest command, a fabric with all its parameters, has 32 words. */
#define CONGA_BATCH_WORDS_MAX	64

struct conga_batch {
	FILE *file;
	const char *name;
	unsigned long line;	/* last line read */
	unsigned long start;	/* line where the command begins */
	char *text;		/* the command; NULL at the end of the file */
};

/* conga_batch_open - open a file, "-" for stdin; returns a status, and nothing is to be closed
 * if it is not CONGA_OK
 */
int conga_batch_open(struct conga_batch *batch, const char *file);

/* conga_batch_read - read the next command with its continuation lines; returns a status */
int conga_batch_read(struct conga_batch *batch);

/* conga_batch_split - split @text into @words, which has room for CONGA_BATCH_WORDS_MAX and
 * points into @text; returns their number, or -1 after the reason was printed
 */
int conga_batch_split(char *text, char **words);

/* conga_batch_failed - print the line at which the batch failed */
void conga_batch_failed(const struct conga_batch *batch);

void conga_batch_close(struct conga_batch *batch);

#endif /* CONGA_TOOL_BATCH_H */
