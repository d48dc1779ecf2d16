// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/status.h"
#include "tool/batch.h"

static char *conga_batch_skip(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return *text == '#' ? text + strlen(text) : text;
}

/* A backslash at the end of a comment does not join the next line. */
static bool conga_batch_joins(char *line)
{
	size_t len = strlen(line);

	if (len && line[len - 1] == '\n')
		line[--len] = '\0';
	if (!*conga_batch_skip(line) || line[len - 1] != '\\')
		return false;
	line[len - 1] = ' ';
	return true;
}

static int conga_batch_append(struct conga_batch *batch, const char *line)
{
	size_t len = batch->text ? strlen(batch->text) : 0;
	char *text = realloc(batch->text, len + strlen(line) + 1);

	if (!text) {
		fputs("conga: out of memory\n", stderr);
		return CONGA_REFUSED;
	}
	strcpy(text + len, line);
	batch->text = text;
	return CONGA_OK;
}

static int conga_batch_damaged(struct conga_batch *batch, const char *what)
{
	fprintf(stderr, "Error: %s\n", what);
	batch->start = batch->line;
	conga_batch_failed(batch);
	return CONGA_USAGE;
}

/* A crash may leave a file that is filled with zeros, or cut off within a line. */
static int conga_batch_take(struct conga_batch *batch, char *line, size_t length, bool *joins)
{
	batch->line++;
	if (memchr(line, '\0', length))
		return conga_batch_damaged(batch,
					   "a byte of the line is zero: the file is damaged");
	if (line[length - 1] != '\n')
		return conga_batch_damaged(batch,
					   "the last line does not end: the file may have been cut off");
	*joins = conga_batch_joins(line);
	return conga_batch_append(batch, line);
}

int conga_batch_read(struct conga_batch *batch)
{
	bool joins = true;
	char *line = NULL;
	int status = CONGA_OK;
	ssize_t length;
	size_t room = 0;

	free(batch->text);
	batch->text = NULL;
	batch->start = batch->line + 1;
	while (joins && !status) {
		length = getline(&line, &room, batch->file);
		if (length < 0)
			break;
		status = conga_batch_take(batch, line, length, &joins);
	}
	if (!status && ferror(batch->file)) {
		fprintf(stderr, "Cannot read file \"%s\": %s\n", batch->name, strerror(errno));
		status = CONGA_REFUSED;
	}
	free(line);
	return status;
}

/* Cuts off the word at *text, without its quotes; returns NULL if a quote is open. */
static char *conga_batch_word(char **text)
{
	char *word = *text, *to = word, *from = word, quote = '\0';

	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? '\0' : *from;
		else
			*to++ = *from;
	}
	*text = *from ? from + 1 : from;
	*to = '\0';
	return quote ? NULL : word;
}

int conga_batch_split(char *text, char **words)
{
	int count = 0;

	for (text = conga_batch_skip(text); *text; text = conga_batch_skip(text)) {
		if (count == CONGA_BATCH_WORDS_MAX) {
			fputs("Error: too many words in one command\n", stderr);
			return -1;
		}
		words[count] = conga_batch_word(&text);
		if (!words[count++]) {
			fputs("Error: a quoted string is not closed\n", stderr);
			return -1;
		}
	}
	return count;
}

int conga_batch_open(struct conga_batch *batch, const char *file)
{
	*batch = (struct conga_batch){ .name = file, .file = stdin };
	if (strcmp(file, "-"))
		batch->file = fopen(file, "r");
	if (batch->file)
		return CONGA_OK;
	fprintf(stderr, "Cannot open file \"%s\" for reading: %s\n", file, strerror(errno));
	return CONGA_REFUSED;
}

void conga_batch_close(struct conga_batch *batch)
{
	free(batch->text);
	if (batch->file != stdin)
		fclose(batch->file);
}

void conga_batch_failed(const struct conga_batch *batch)
{
	fprintf(stderr, "Command failed %s:%lu\n", batch->name, batch->start);
}
