// SPDX-License-Identifier: GPL-2.0
/*
 * top shows the load and congestion of each port, and the feedback of leaves, live on a
 * terminal or as blocks of text.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/grammar.h"
#include "tool/options.h"
#include "tool/print.h"
#include "tool/repeat.h"
#include "tool/top.h"
#include "tool/sample.h"
#include "tool/top_screen.h"
#include "tool/top_view.h"

#define CONGA_TOP_INTERVAL	1000000000ULL	/* ns, unless -i says other */
#define CONGA_TOP_WIDTH		80		/* of text, unless COLUMNS says other */
#define CONGA_TOP_WIDTH_MAX	1000

static const char conga_top_usage[] =
	"Usage: conga [ -i SECONDS ] top\n"
	"       conga [ -i SECONDS ] top batch [ count NUMBER ]\n"
	"The default interval is a second. Keys: q ends, arrows and page keys scroll. \"batch\" prints\n"
	"text that is COLUMNS wide.\n";

static bool conga_top_batch;
static unsigned long long conga_top_count;	/* blocks of text, 0: without end */

static unsigned int conga_top_text_width(void)
{
	const char *columns = getenv("COLUMNS");
	unsigned long long width;

	if (columns && !conga_units_parse_integer(columns, &width) && width &&
	    width <= CONGA_TOP_WIDTH_MAX)
		return width;
	return CONGA_TOP_WIDTH;
}

static void conga_top_print(const struct conga_top_view *view, bool first)
{
	size_t i;

	if (!first)
		putchar('\n');
	if (conga_options.timestamps) {
		conga_repeat_print_time();
		conga_print_line_end();
	}
	for (i = 0; i < view->count; i++)
		puts(view->lines[i]);
	fflush(stdout);
}

static void conga_top_show(const struct conga_sample *samples, bool first)
{
	struct conga_top_view view = { 0 };

	view.width = conga_top_batch ? conga_top_text_width() : conga_top_screen_width();
	conga_top_view_make(&view, &samples[0], &samples[1]);
	if (conga_top_batch)
		conga_top_print(&view, first);
	else
		conga_top_screen_draw(&view);
	conga_top_view_clean(&view);
}

static int conga_top_next(struct conga_sample *samples)
{
	conga_sample_clean(&samples[0]);
	samples[0] = samples[1];
	memset(&samples[1], 0, sizeof(samples[1]));
	return conga_sample_take(&samples[1], CONGA_SAMPLE_TABLES);
}

static int conga_top_text(struct conga_sample *samples)
{
	unsigned long long told = 0;
	int status;

	status = conga_sample_take(&samples[1], CONGA_SAMPLE_TABLES);
	while (!status && conga_repeat_goes_on()) {
		if (!conga_repeat_wait(-1))
			continue;
		status = conga_top_next(samples);
		if (status)
			break;
		conga_top_show(samples, !told);
		if (++told == conga_top_count)
			break;
	}
	return status;
}

/* Keys and a new size are answered immediately, with the last numbers. */
static int conga_top_live(struct conga_sample *samples)
{
	int status;

	status = conga_sample_take(&samples[1], CONGA_SAMPLE_TABLES);
	if (!status)
		status = conga_top_screen_begin();
	if (status)
		return status;
	while (!status && conga_repeat_goes_on()) {
		conga_top_show(samples, false);
		if (conga_repeat_wait(STDIN_FILENO))
			status = conga_top_next(samples);
		else if (!conga_top_screen_input())
			break;
	}
	conga_top_screen_end();
	return status;
}

static int conga_top_parse(struct conga_args *args)
{
	const char *word;
	int status = CONGA_OK;

	conga_top_batch = false;
	conga_top_count = 0;
	while (!status && (word = conga_args_next(args))) {
		if (!strcmp(word, "batch"))
			conga_top_batch = true;
		else if (!strcmp(word, "count") && conga_top_batch)
			status = conga_args_count(args, &conga_top_count);
		else
			status = conga_args_unknown(args, word);
	}
	return status;
}

static int conga_top_check(void)
{
	if (conga_options.json) {
		fputs("Error: option \"-j\" is wrong: use \"-j -i 1 stats show\"\n",
		      stderr);
		return CONGA_USAGE;
	}
	if (conga_top_batch || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return CONGA_OK;
	fputs("Error: top needs a terminal; \"conga top batch\" prints text\n", stderr);
	return CONGA_REFUSED;
}

static int conga_top_run(struct conga_args *args)
{
	unsigned long long interval = conga_options.interval;
	struct conga_sample samples[2] = { 0 };
	int status = conga_top_parse(args);

	if (!status)
		status = conga_top_check();
	if (status)
		return status;
	if (!interval)
		conga_options.interval = CONGA_TOP_INTERVAL;
	conga_repeat_begin();
	status = conga_top_batch ? conga_top_text(samples) : conga_top_live(samples);
	conga_repeat_end();
	conga_options.interval = interval;
	conga_sample_clean(&samples[0]);
	conga_sample_clean(&samples[1]);
	return status;
}

static const char *const conga_top_bare[] = { "batch", "count", NULL };

const struct conga_object conga_top_object = {
	.name = "top",
	.usage = conga_top_usage,
	.run = conga_top_run,
	.bare = conga_top_bare,
	.repeats = true,
};
