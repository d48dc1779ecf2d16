// SPDX-License-Identifier: GPL-2.0
/* Options, and which object the first word names. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"

#define CONGA_MAIN_MODULE	"/sys/module/conga"
#define CONGA_MAIN_VERSION_MAX	64

struct conga_options conga_options;

static const char conga_main_usage[] =
	"Usage: conga [ OPTIONS ] OBJECT { COMMAND | help }\n"
	"       conga [ OPTIONS ] -b FILE\n"
	"       conga [ OPTIONS ]                 everything on one screen\n"
	"       conga [ OPTIONS ] check           what will hurt, and what to do\n"
	"       conga [ OPTIONS ] monitor         what happens, as it happens\n"
	"OBJECT := { fabric | port | leaf | path | table | flowlet | policy | stats }\n"
	"OPTIONS := { -j[son] | -p[retty] | -s[tatistics] | -d[etails] | -t[imestamp] |\n"
	"             -rcvbuf BYTES | -n[etns] NAME | -b[atch] FILE | -V[ersion] | -h[elp] }\n";

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
	return !access(CONGA_MAIN_MODULE, F_OK);
}

static int conga_main_show_version(void)
{
	char version[CONGA_MAIN_VERSION_MAX] = "of unknown version";
	FILE *file = fopen(CONGA_MAIN_MODULE "/version", "r");

	if (file) {
		if (fgets(version, sizeof(version), file))
			version[strcspn(version, "\n")] = '\0';
		fclose(file);
	}
	printf("conga %s, module %s\n", CONGA_TOOL_VERSION,
	       conga_main_is_module_loaded() ? version : "not loaded");
	return CONGA_OK;
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
			return conga_command_dispatch(conga_main_objects[i], &args);
	fprintf(stderr, "Object \"%s\" is unknown, try \"conga help\".\n", name);
	return CONGA_USAGE;
}

static int conga_main_set_rcvbuf(const char *value)
{
	const char *why = conga_units_parse_integer(value, &conga_options.rcvbuf);

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

/* A full disk or a closed pipe is a failure too. */
static int conga_main_flush(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
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
	if (!status)
		status = conga_main_execute(&request, &args);
	conga_nl_close();
	return conga_main_flush(status);
}
