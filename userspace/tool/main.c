// SPDX-License-Identifier: GPL-2.0
/* The conga tool parses options, then runs a command, or the commands of a file, or the
 * completion of a command line.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <conga_version.h>
#include "common/family.h"
#include "common/netns.h"
#include "common/status.h"
#include "tool/args.h"
#include "tool/batch.h"
#include "tool/complete.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/objects.h"
#include "tool/options.h"

#define CONGA_MAIN_VERSION_MAX	64

static int conga_main_show_version(void)
{
	char version[CONGA_MAIN_VERSION_MAX] = "of unknown version";
	FILE *file = fopen(CONGA_MODULE_PATH "/version", "r");

	if (file) {
		if (fgets(version, sizeof(version), file))
			version[strcspn(version, "\n")] = '\0';
		fclose(file);
	}
	printf("conga %s, module %s\n", CONGA_VERSION,
	       conga_family_is_loaded() ? version : "not loaded");
	if (!file)
		return CONGA_OK;
	if (strverscmp(version, CONGA_VERSION) < 0)
		fputs("Warning: the module is older than this tool\n", stderr);
	else if (strverscmp(version, CONGA_VERSION) > 0)
		fputs("Warning: the module is newer than this tool\n", stderr);
	return CONGA_OK;
}

/* Completes another command line, whose last word is incomplete. Error messages about it are
 * suppressed, because the line has not ended.
 */
static int conga_main_complete(struct conga_args *args)
{
	const char *prefix = args->argc ? args->argv[args->argc - 1] : "";
	struct conga_request request = { 0 };

	if (!args->argc || !freopen("/dev/null", "w", stderr))
		return CONGA_OK;
	while (args->argc > 1 && **args->argv == '-')
		if (conga_options_take(args, &request))
			return CONGA_OK;
	if (!args->argc && request.batch == prefix)
		conga_complete_file();
	else if (!args->argc && request.netns == prefix)
		conga_complete_netns(prefix);
	if (!args->argc || (request.netns && conga_netns_switch(request.netns)))
		return CONGA_OK;
	if (*prefix == '-' && args->argc == 1)
		conga_options_complete(prefix, conga_complete_say);
	else
		conga_objects_complete(args);
	return CONGA_OK;
}

static int conga_main_batch_command(char *text)
{
	char *words[CONGA_BATCH_WORDS_MAX];
	int count = conga_batch_split(text, words);

	if (count < 0)
		return CONGA_USAGE;
	return count ? conga_objects_run(count, words) : CONGA_OK;
}

static int conga_main_batch_lines(struct conga_batch *batch)
{
	int status = conga_batch_read(batch);

	while (!status && batch->text) {
		status = conga_main_batch_command(batch->text);
		fflush(stdout);
		if (status)
			conga_batch_failed(batch);
		else
			status = conga_batch_read(batch);
	}
	return status;
}

static int conga_main_batch(const char *file)
{
	struct conga_batch batch;
	int status = conga_batch_open(&batch, file);

	if (status)
		return status;
	status = conga_main_batch_lines(&batch);
	conga_batch_close(&batch);
	return status;
}

static int conga_main_execute(const struct conga_request *request,
			      const struct conga_args *args)
{
	int status = CONGA_OK;

	if (request->help) {
		conga_options_help(stdout);
		return CONGA_OK;
	}
	if (request->version)
		return conga_main_show_version();
	if (request->netns)
		status = conga_netns_switch(request->netns);
	if (status)
		return status;
	return request->batch ? conga_main_batch(request->batch) :
				conga_objects_run(args->argc, args->argv);
}

/* The reader closed the pipe because it has read enough, as head does. */
static bool conga_main_is_pipe_closed(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

/* A full disk is a failure. A closed pipe is one without SIGPIPE, as in a service, but is not
 * reported.
 */
static int conga_main_flush(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (conga_main_is_pipe_closed())
		return status ? status : CONGA_REFUSED;
	fprintf(stderr, "conga: cannot write: %s\n", strerror(errno));
	return status ? status : CONGA_REFUSED;
}

int main(int argc, char **argv)
{
	struct conga_args args = { .argc = argc - 1, .argv = argv + 1 };
	struct conga_request request = { 0 };
	int status;

	if (!argc)
		return CONGA_USAGE;
	status = conga_options_parse(&args, &request);
	if (!status && args.argc && !strcmp(*args.argv, "complete")) {
		conga_args_next(&args);
		status = conga_main_complete(&args);
	} else if (!status) {
		status = conga_main_execute(&request, &args);
	}
	conga_nl_close();
	return conga_main_flush(status);
}
