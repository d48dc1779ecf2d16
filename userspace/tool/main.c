// SPDX-License-Identifier: GPL-2.0
/* Options, and which object the first word names. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tool/tool.h"

#define CONGA_MAIN_VERSION_MAX	64

#define CONGA_MAIN_INTERVAL_MIN	100000000ULL		/* ns */
#define CONGA_MAIN_INTERVAL_MAX	86400000000000ULL	/* ns */

struct conga_options conga_options;

static const char conga_main_usage[] =
	"Usage: conga [ OPTIONS ] OBJECT { COMMAND | help }\n"
	"       conga [ OPTIONS ] -b FILE\n"
	"       conga [ OPTIONS ]                 everything on one screen\n"
	"       conga [ OPTIONS ] check           what will hurt, and what to do\n"
	"       conga [ OPTIONS ] monitor         what happens, as it happens\n"
	"       conga [ OPTIONS ] top             who sends how much by which port, live\n"
	"       conga [ OPTIONS ] metrics         all numbers, for Prometheus\n"
	"       conga [ OPTIONS ] save            the configuration, as commands\n"
	"       conga [ OPTIONS ] restore FILE    instead of what is configured\n"
	"       conga [ OPTIONS ] sync FILE       change only what differs\n"
	"OBJECT := { fabric | port | leaf | path | table | flowlet | policy | stats }\n"
	"OPTIONS := { -j[son] | -p[retty] | -s[tatistics] | -d[etails] | -t[imestamp] |\n"
	"             -i[nterval] SECONDS | -rcvbuf BYTES | -n[etns] NAME | -b[atch] FILE |\n"
	"             -V[ersion] | -h[elp] }\n";

static const struct conga_object *const conga_main_objects[] = {
	&conga_fabric_object,
	&conga_port_object,
	&conga_leaf_object,
	&conga_path_object,
	&conga_table_object,
	&conga_flowlet_object,
	&conga_policy_object,
	&conga_stats_object,
	&conga_check_object,
	&conga_monitor_object,
	&conga_top_object,
	&conga_metrics_object,
	&conga_save_object,
	&conga_restore_object,
	&conga_sync_object,
};

struct conga_main_option {
	char letter;
	const char *word;
	const char *value;	/* what follows it, if anything does */
};

static const struct conga_main_option conga_main_options[] = {
	{ 'j', "json", NULL },
	{ 'p', "pretty", NULL },
	{ 's', "statistics", NULL },
	{ 'd', "details", NULL },
	{ 't', "timestamp", NULL },
	{ 'i', "interval", "SECONDS" },
	{ 'r', "rcvbuf", "BYTES" },
	{ 'n', "netns", "NAME" },
	{ 'b', "batch", "FILE" },
	{ 'V', "Version", NULL },
	{ 'h', "help", NULL },
	{ 0, NULL, NULL }
};

/* What the options ask for, besides conga_options. */
struct conga_main_request {
	const char *netns;
	const char *batch;
	bool version;
	bool help;
};

static bool conga_main_is_module_loaded(void)
{
	return !access(CONGA_MODULE_PATH, F_OK);
}

static int conga_main_show_version(void)
{
	char version[CONGA_MAIN_VERSION_MAX] = "of unknown version";
	FILE *file = fopen(CONGA_MODULE_PATH "/version", "r");

	if (file) {
		if (fgets(version, sizeof(version), file))
			version[strcspn(version, "\n")] = '\0';
		fclose(file);
	}
	printf("conga %s, module %s\n", CONGA_TOOL_VERSION,
	       conga_main_is_module_loaded() ? version : "not loaded");
	if (!file)
		return CONGA_OK;
	if (strverscmp(version, CONGA_TOOL_VERSION) < 0)
		fputs("Warning: the module is older than this tool\n", stderr);
	else if (strverscmp(version, CONGA_TOOL_VERSION) > 0)
		fputs("Warning: the module is newer than this tool\n", stderr);
	return CONGA_OK;
}

static int conga_main_dispatch(const struct conga_object *object, struct conga_args *args)
{
	if (!conga_options.interval || object->repeats)
		return conga_command_dispatch(object, args);
	fputs("Error: option \"-i\" is wrong: only \"stats show\" and \"top\" repeat\n",
	      stderr);
	return CONGA_USAGE;
}

int conga_main_run(int argc, char **argv)
{
	struct conga_args args = { .argc = argc, .argv = argv };
	const char *name = conga_args_next(&args);
	size_t i;

	if (!name)
		return conga_overview_show();
	if (!strcmp(name, "help")) {
		fputs(conga_main_usage, stdout);
		return CONGA_OK;
	}
	for (i = 0; i < sizeof(conga_main_objects) / sizeof(*conga_main_objects); i++)
		if (!strcmp(conga_main_objects[i]->name, name))
			return conga_main_dispatch(conga_main_objects[i], &args);
	fprintf(stderr, "Object \"%s\" is unknown, try \"conga help\".\n", name);
	return CONGA_USAGE;
}

static int conga_main_set_rcvbuf(const char *value)
{
	const char *why = conga_units_parse_integer(value, &conga_options.rcvbuf);

	return why ? conga_args_wrong(value, why) : CONGA_OK;
}

static int conga_main_set_interval(const char *value)
{
	const char *why = conga_units_parse_seconds(value, &conga_options.interval);

	if (!why && (conga_options.interval < CONGA_MAIN_INTERVAL_MIN ||
		     conga_options.interval > CONGA_MAIN_INTERVAL_MAX))
		why = "an interval is 100ms to 86400s";
	return why ? conga_args_wrong(value, why) : CONGA_OK;
}

static int conga_main_set(char letter, const char *value, struct conga_main_request *request)
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
	case 'i':
		return conga_main_set_interval(value);
	case 'r':
		return conga_main_set_rcvbuf(value);
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

static const struct conga_main_option *conga_main_find_letter(char letter)
{
	const struct conga_main_option *option;

	for (option = conga_main_options; option->word; option++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static const struct conga_main_option *conga_main_find_word(const char *word)
{
	const struct conga_main_option *option;

	for (option = conga_main_options; option->word; option++)
		if (!strcmp(option->word, word))
			return option;
	return NULL;
}

static int conga_main_unknown(const char *text)
{
	fprintf(stderr, "Option \"%s\" is unknown, try \"conga -h\".\n%s", text,
		conga_main_usage);
	return CONGA_USAGE;
}

static int conga_main_take(const struct conga_main_option *option, struct conga_args *args,
			   struct conga_main_request *request)
{
	const char *value = NULL;

	if (option->value) {
		value = conga_args_next(args);
		if (!value) {
			fprintf(stderr, "Error: argument \"%s\" is required\n%s",
				option->value, conga_main_usage);
			return CONGA_USAGE;
		}
	}
	return conga_main_set(option->letter, value, request);
}

/* -json, --json, or letters together as in -jp. */
static int conga_main_parse_option(const char *text, struct conga_args *args,
				   struct conga_main_request *request)
{
	const char *word = text + (text[1] == '-' ? 2 : 1), *c;
	const struct conga_main_option *option = conga_main_find_word(word);
	int status = CONGA_OK;

	if (option)
		return conga_main_take(option, args, request);
	if (text[1] == '-' || !text[1])
		return conga_main_unknown(text);
	for (c = word; *c && !status; c++) {
		option = conga_main_find_letter(*c);
		status = option ? conga_main_take(option, args, request) :
				  conga_main_unknown(text);
	}
	return status;
}

static int conga_main_parse(struct conga_args *args, struct conga_main_request *request)
{
	int status = CONGA_OK;

	while (!status && args->argc && **args->argv == '-')
		status = conga_main_parse_option(conga_args_next(args), args, request);
	if (!status && request->batch && args->argc) {
		fprintf(stderr, "Error: argument \"%s\" is wrong: the commands are in \"%s\"\n",
			*args->argv, request->batch);
		status = CONGA_USAGE;
	}
	return status;
}

/* What may follow the options: an object, or what may follow that. */
static void conga_main_complete_object(const struct conga_args *args)
{
	struct conga_args rest = { .argc = args->argc - 1, .argv = args->argv + 1 };
	size_t i;

	for (i = 0; i < sizeof(conga_main_objects) / sizeof(*conga_main_objects); i++) {
		if (!rest.argc)
			conga_complete_say(*args->argv, conga_main_objects[i]->name);
		else if (!strcmp(conga_main_objects[i]->name, *args->argv))
			conga_complete_object(conga_main_objects[i], &rest);
	}
	if (!rest.argc)
		conga_complete_say(*args->argv, "help");
}

static void conga_main_complete_option(const char *prefix)
{
	const struct conga_main_option *option;
	char text[CONGA_UNITS_TEXT_MAX];

	for (option = conga_main_options; option->word; option++) {
		snprintf(text, sizeof(text), "-%s", option->word);
		conga_complete_say(prefix, text);
	}
}

/* The words of another command line, of which the last is not whole. What would be
 * said of them is not: the line is not at its end.
 */
static int conga_main_complete(struct conga_args *args)
{
	const char *prefix = args->argc ? args->argv[args->argc - 1] : "";
	struct conga_main_request request = { 0 };

	if (!args->argc || !freopen("/dev/null", "w", stderr))
		return CONGA_OK;
	while (args->argc > 1 && **args->argv == '-')
		if (conga_main_parse_option(conga_args_next(args), args, &request))
			return CONGA_OK;
	if (!args->argc && request.batch == prefix)
		conga_complete_file();
	else if (!args->argc && request.netns == prefix)
		conga_complete_netns(prefix);
	if (!args->argc || (request.netns && conga_netns_switch(request.netns)))
		return CONGA_OK;
	if (*prefix == '-' && args->argc == 1)
		conga_main_complete_option(prefix);
	else
		conga_main_complete_object(args);
	return CONGA_OK;
}

static int conga_main_execute(const struct conga_main_request *request,
			      const struct conga_args *args)
{
	int status = CONGA_OK;

	if (request->help) {
		fputs(conga_main_usage, stdout);
		return CONGA_OK;
	}
	if (request->version)
		return conga_main_show_version();
	if (request->netns)
		status = conga_netns_switch(request->netns);
	if (status)
		return status;
	return request->batch ? conga_batch_run(request->batch) :
				conga_main_run(args->argc, args->argv);
}

/* Whoever read what we write has read enough, as head does. */
static bool conga_main_is_pipe_closed(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR);
}

/* A full disk is a failure, too. Without SIGPIPE, as in a service, so is a closed pipe,
 * but nothing to talk about.
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
	struct conga_main_request request = { 0 };
	int status;

	if (!argc)
		return CONGA_USAGE;
	status = conga_main_parse(&args, &request);
	if (!status && args.argc && !strcmp(*args.argv, "complete")) {
		conga_args_next(&args);
		status = conga_main_complete(&args);
	} else if (!status) {
		status = conga_main_execute(&request, &args);
	}
	conga_nl_close();
	return conga_main_flush(status);
}
