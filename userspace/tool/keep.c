// SPDX-License-Identifier: GPL-2.0
/*
 * A configuration is saved as commands, and applied by restore, which replaces
 * everything, or by sync, which changes only differences. Either all changes are
 * applied or, if the kernel rejects one, the previous configuration is restored.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include "common/status.h"
#include "tool/args.h"
#include "tool/config.h"
#include "tool/config_file.h"
#include "tool/config_plan.h"
#include "tool/config_step.h"
#include "tool/grammar.h"
#include "tool/keep.h"
#include "tool/leaf.h"
#include "tool/options.h"
#include "tool/port.h"
#include "tool/print.h"
#include "tool/replace.h"

static const char conga_save_usage[] =
	"Usage: conga [ -d[etails] ] save [ FILE ]\n"
	"The configuration is printed as commands, without a daemon's objects; -d: with defaults.\n"
	"FILE is replaced as a whole, or not at all.\n";

static const char conga_restore_usage[] =
	"Usage: conga restore [ check ] FILE\n"
	"FILE has lines as \"conga save\" prints; \"-\" is stdin. The file replaces the whole\n"
	"configuration. check: only report what is wrong with the file. The line \"fabric del\" alone\n"
	"asks for no fabric.\n";

static const char conga_sync_usage[] =
	"Usage: conga [ -d[etails] ] sync [ check ] FILE\n"
	"FILE has lines as \"conga save\" prints; \"-\" is stdin. The manual configuration\n"
	"is changed where it differs from the file, and nothing else. Ports whose device is missing\n"
	"wait for it. -d: print the changes; check: print the changes without making them.\n";

static const char conga_keep_untouched[] = "Nothing was changed\n";

/* --- save --- */

static bool conga_keep_is_manual(const struct conga_config_item *item)
{
	if (item->object == &conga_port_object)
		return item->value[CONGA_A_PORT_ORIGIN] == CONGA_ORIGIN_MANUAL;
	if (item->object == &conga_leaf_object)
		return item->value[CONGA_A_LEAF_ORIGIN] == CONGA_ORIGIN_MANUAL;
	return true;
}

/* Prints to @file, or to the screen if it is NULL. */
static void conga_keep_print(const struct conga_config *config, FILE *file)
{
	struct conga_config_step step = { .verb = "add", .config = config };
	size_t i;

	for (i = 0; i < config->count; i++) {
		step.item = &config->items[i];
		step.attrs = step.item->given;
		if (!conga_keep_is_manual(step.item))
			continue;
		if (file)
			conga_config_step_write(file, &step);
		else
			conga_config_step_print(&step);
	}
}

static int conga_keep_write(const struct conga_config *config, const char *name)
{
	struct conga_replace replace;
	int status;

	if (!conga_config_fabric(config)) {
		fprintf(stderr, "Error: there is no fabric to save, file \"%s\" was not changed\n",
			name);
		return CONGA_REFUSED;
	}
	status = conga_replace_begin(&replace, name);
	if (status)
		return status;
	fputs(CONGA_CONFIG_FIRST_LINE "\n", replace.file);
	conga_keep_print(config, replace.file);
	fputs(CONGA_CONFIG_LAST_LINE "\n", replace.file);
	return conga_replace_end(&replace);
}

static int conga_keep_save(const char *name)
{
	struct conga_config config = { 0 };
	int status = conga_config_read(&config, conga_options.details);

	if (!status && name) {
		status = conga_keep_write(&config, name);
	} else if (!status) {
		conga_print_begin();
		conga_keep_print(&config, NULL);
		conga_print_end();
	}
	if (config.unknown)
		fprintf(stderr,
			"Warning: the module is newer than this tool (conga -V), settings that only the module knows are not saved\n");
	conga_config_clean(&config);
	return status;
}

static int conga_save_run(struct conga_args *args)
{
	const char *name = conga_args_next(args);

	if (args->argc)
		return conga_args_unknown(args, *args->argv);
	if (!name || !conga_options.json)
		return conga_keep_save(name);
	fputs("Error: option \"-j\" is wrong: a file has commands only\n", stderr);
	return CONGA_USAGE;
}

/* --- restore and sync --- */

struct conga_keep {
	const char *file;
	bool replace;		/* replace the whole configuration */
	bool check;
	bool print;
	struct conga_config current;
	struct conga_config desired;
	struct conga_config_plan plan;
};

static void conga_keep_failed(const struct conga_keep *keep, const struct conga_config_item *item)
{
	if (item->line)
		fprintf(stderr, "Command failed %s:%lu\n", keep->file, item->line);
}

static void conga_keep_warn_absent(const struct conga_keep *keep)
{
	const struct conga_config_item *item;
	size_t i;

	for (i = 0; i < keep->desired.count; i++) {
		item = &keep->desired.items[i];
		if (item->object == &conga_port_object && !item->ifindex)
			fprintf(stderr,
				"Warning: %s:%lu: there is no device \"%s\" yet, the port waits for it\n",
				keep->file, item->line, item->name);
	}
}

/* Checks values that the kernel would reject, before anything is changed. */
static int conga_keep_check_values(const struct conga_keep *keep)
{
	bool forbidden = false;
	int status = CONGA_OK, result;
	size_t i;

	if (!conga_config_fabric(&keep->current))
		return CONGA_OK;
	for (i = 0; i < keep->desired.count && !forbidden; i++) {
		result = conga_config_step_check(&keep->desired.items[i], &keep->desired,
						 &forbidden);
		if (result)
			conga_keep_failed(keep, &keep->desired.items[i]);
		if (!status)
			status = result;
	}
	if (forbidden && keep->check)
		fputs("Warning: without CAP_NET_ADMIN the kernel does not check ranges\n", stderr);
	return status;
}

static int conga_keep_plan(struct conga_keep *keep)
{
	static const struct conga_config nothing;
	const struct conga_config_item *fabric = conga_config_fabric(&keep->current);
	int status = CONGA_OK;

	if (!keep->replace)
		return conga_config_plan_make(&keep->plan, &keep->current, &keep->desired);
	if (fabric)
		status = conga_config_plan_add(&keep->plan, "del", &keep->current, fabric, 0);
	if (!status)
		status = conga_config_plan_make(&keep->plan, &nothing, &keep->desired);
	return status;
}

/* Restores the previous configuration, whatever the current one is. */
static void conga_keep_put_back(const struct conga_keep *keep)
{
	struct conga_config_plan plan = { 0 };
	struct conga_config now = { 0 };
	int status = conga_config_read(&now, false);
	size_t i;

	if (!status)
		status = conga_config_plan_make(&plan, &now, &keep->current);
	for (i = 0; i < plan.count; i++)
		if (conga_config_step_apply(&plan.steps[i]))
			status = CONGA_REFUSED;
	fputs(status ? "Error: the previous configuration could not be restored completely\n" :
		       "The previous configuration was restored\n", stderr);
	conga_config_plan_clean(&plan);
	conga_config_clean(&now);
}

static int conga_keep_apply(const struct conga_keep *keep)
{
	int status = CONGA_OK;
	size_t i;

	conga_print_begin();
	for (i = 0; i < keep->plan.count && !status; i++) {
		if (keep->print)
			conga_config_step_print(&keep->plan.steps[i]);
		if (!keep->check)
			status = conga_config_step_apply(&keep->plan.steps[i]);
		if (status)
			conga_keep_failed(keep, keep->plan.steps[i].item);
	}
	conga_print_end();
	if (status && i > 1)
		conga_keep_put_back(keep);
	else if (status)
		fputs(conga_keep_untouched, stderr);
	return status;
}

/* Neither a signal nor a closed pipe may interrupt the changes. */
static int conga_keep_apply_whole(const struct conga_keep *keep)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	status = conga_keep_apply(keep);
	fflush(stdout);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

static int conga_keep_change(struct conga_keep *keep)
{
	int status = conga_config_load(&keep->desired, keep->file, keep->replace);

	if (!status)
		status = conga_config_read(&keep->current, false);
	if (!status)
		status = conga_keep_check_values(keep);
	if (status) {
		fputs(conga_keep_untouched, stderr);
		return status;
	}
	conga_keep_warn_absent(keep);
	status = conga_keep_plan(keep);
	return status ? status : conga_keep_apply_whole(keep);
}

static int conga_keep_run(struct conga_args *args, struct conga_keep *keep)
{
	const char *word = conga_args_next(args);
	int status;

	if (word && !strcmp(word, "check")) {
		keep->check = true;
		word = conga_args_next(args);
	}
	if (!word)
		return conga_args_incomplete(args);
	if (args->argc)
		return conga_args_unknown(args, *args->argv);
	keep->file = word;
	keep->print = conga_options.details || (keep->check && !keep->replace);
	status = conga_keep_change(keep);
	conga_config_plan_clean(&keep->plan);
	conga_config_clean(&keep->current);
	conga_config_clean(&keep->desired);
	return status;
}

static int conga_restore_run(struct conga_args *args)
{
	struct conga_keep keep = { .replace = true };

	return conga_keep_run(args, &keep);
}

static int conga_sync_run(struct conga_args *args)
{
	struct conga_keep keep = { 0 };

	return conga_keep_run(args, &keep);
}

static const char *const conga_save_bare[] = { CONGA_COMPLETE_FILE, NULL };

const struct conga_object conga_save_object = {
	.name = "save",
	.usage = conga_save_usage,
	.run = conga_save_run,
	.bare = conga_save_bare,
};

static const char *const conga_keep_bare[] = { "check", CONGA_COMPLETE_FILE, NULL };

const struct conga_object conga_restore_object = {
	.name = "restore",
	.usage = conga_restore_usage,
	.run = conga_restore_run,
	.bare = conga_keep_bare,
};

const struct conga_object conga_sync_object = {
	.name = "sync",
	.usage = conga_sync_usage,
	.run = conga_sync_run,
	.bare = conga_keep_bare,
};
