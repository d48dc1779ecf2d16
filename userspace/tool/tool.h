/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conga tool, one file per noun:
 *
 *   main.c     options, and which object the first word names
 *   batch.c    lines of a file instead of the command line
 *   overview.c the screen of a bare "conga"
 *   top.c      the same under load, live: what to tell; top_view.c: where on the screen;
 *              top_screen.c: the terminal
 *   metrics.c  all numbers for Prometheus
 *   monitor.c  events as they come
 *   check.c    what will hurt, and what to do; a subject each: check_*.c
 *   keep.c     save, restore and sync a configuration: config.h
 *   fabric.c port.c leaf.c path.c table.c flowlet.c policy.c stats.c
 *              an object each: grammar, and how a reply is printed
 *   path_get.c which uplink a packet would take
 *   counters.c the counters in words
 *   state.c    all objects at once
 *   repeat.c   again and again, until a signal
 *   command.c  what all objects share: verbs, change, show
 *   complete.c what may follow, for the shell
 *   args.c     keywords and their values, into attributes of a message
 *   nl.c       requests to the kernel, and its answers
 *   events.c   what the kernel tells unasked
 *   report.c   the kernel's refusals, as sentences
 *   print.c    a field at a time, as text or as JSON
 *
 * JSON is an interface. Every command that reads prints one array of objects,
 * except monitor and what -i repeats, which print an object a line. Keys are lower_snake with the
 * base unit in the name; a value that does not exist is missing, never null.
 */
#ifndef CONGA_TOOL_H
#define CONGA_TOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/extack.h"
#include "common/family.h"
#include "common/names.h"
#include "common/netns.h"
#include "common/status.h"
#include "common/subscription.h"
#include "common/units.h"

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

/* args.c */
struct conga_object;
struct conga_keyword;

/* What is left of a command line, and whose it is. */
struct conga_args {
	int argc;
	char **argv;
	const struct conga_object *object;
	const struct conga_keyword *words;	/* of the command, while it is parsed */
};

/* A word of a fixed set and its number in the kernel; the last has no word. */
struct conga_choice {
	const char *word;
	unsigned int value;
};

/* How the value of a keyword is written. @put goes from text to attribute;
 * numbers share one @put and differ in @parse and @bytes. @take, instead of @put, may
 * take more words.
 */
struct conga_kind {
	int (*take)(struct conga_args *args, struct nl_msg *msg,
		    const struct conga_keyword *keyword, const char *text);
	int (*put)(struct nl_msg *msg, const struct conga_keyword *keyword, const char *text);
	const char *(*parse)(const char *text, unsigned long long *value);
	void (*format)(char *text, size_t size, unsigned long long value);
	unsigned int bytes;
	const char *zero;	/* the only word for zero, if there is one */
};

extern const struct conga_kind conga_kind_u16;
extern const struct conga_kind conga_kind_u32;
extern const struct conga_kind conga_kind_id;
extern const struct conga_kind conga_kind_u8_or_choice;
extern const struct conga_kind conga_kind_time;
extern const struct conga_kind conga_kind_time_or_auto;
extern const struct conga_kind conga_kind_time_or_off;
extern const struct conga_kind conga_kind_rate_or_auto;
extern const struct conga_kind conga_kind_fraction;
extern const struct conga_kind conga_kind_string;
extern const struct conga_kind conga_kind_choice;
extern const struct conga_kind conga_kind_dev;
extern const struct conga_kind conga_kind_addr;

enum conga_keyword_flags {
	CONGA_KEYWORD_REQUIRED = 0x1,
	CONGA_KEYWORD_REPEATED = 0x2,
	CONGA_KEYWORD_BARE = 0x4,	/* the word may be left out */
	CONGA_KEYWORD_NAMELESS = 0x8,	/* the word must be left out */
};

/* A table of these is the grammar of a command; the last has no word. An
 * address has the attribute of its IPv4 form here, IPv6 is the next one.
 */
struct conga_keyword {
	const char *word;
	int attr;
	const struct conga_kind *kind;
	unsigned int flags;
	const struct conga_choice *choices;
};

extern const struct conga_choice conga_args_on_off[];

const char *conga_args_next(struct conga_args *args);
int conga_args_parse(struct conga_args *args, const struct conga_keyword *words,
		     struct nl_msg *msg);
int conga_args_wrong(const char *text, const char *why);
int conga_args_stored(int err);
int conga_args_incomplete(const struct conga_args *args);
bool conga_args_is_word(const struct conga_args *args, const char *text);
int conga_args_unknown(const struct conga_args *args, const char *word);
const struct conga_keyword *conga_args_find_word(const struct conga_keyword *words,
						 const char *word);
const struct conga_keyword *conga_args_find_bare(const struct conga_keyword *words,
						 unsigned int given);
unsigned int conga_args_bit(const struct conga_keyword *words,
			    const struct conga_keyword *keyword);
const struct conga_keyword *conga_args_find_attr(const struct conga_keyword *words, int attr);
const char *conga_args_choice_word(const struct conga_choice *choices, unsigned int value);

/* command.c */
enum conga_command_reply {
	CONGA_REPLY_NONE,
	CONGA_REPLY_ONE,
	CONGA_REPLY_DUMP,
	CONGA_REPLY_ONE_OR_DUMP,	/* one if an argument names it */
};

/* A verb of an object. @privilege says, for EPERM, what needs CAP_NET_ADMIN. What the
 * shell completes are @all_words, if there are more tables than @words, and those of
 * @bare, which have no value, or CONGA_COMPLETE_FILE; the last is NULL.
 */
struct conga_command {
	const char *name;
	int (*run)(const struct conga_command *command, struct conga_args *args);
	unsigned char cmd;
	enum conga_command_reply reply;
	const struct conga_keyword *words;
	const struct conga_keyword *all_words;
	const char *const *bare;
	const char *privilege;
	bool streams;		/* more than may be held at once */
};

/* The first command is the one that runs when no verb is given; the last has
 * no name. With @run the object is itself a verb, which @bare may follow. @print prints
 * the fields of one @reply, parsed by @policy into @attrs, which has only the last of an
 * attribute that is repeated.
 */
struct conga_object {
	const char *name;
	const char *usage;
	const struct conga_command *commands;
	int (*run)(struct conga_args *args);
	const char *const *bare;
	bool repeats;		/* with -i */
	void (*print)(struct nlattr **attrs, struct nl_msg *reply);
	const struct nla_policy *policy;
	int attr_max;
};

#define CONGA_PRIVILEGE_CHANGE	"changing conga"

/* More than any object has, so that one array on the stack serves all. */
#define CONGA_ATTRS_MAX		CONGA_A_STATS_MAX

const struct conga_command *conga_command_find(const struct conga_object *object,
					       const char *name);
int conga_command_dispatch(const struct conga_object *object, struct conga_args *args);
int conga_command_change(const struct conga_command *command, struct conga_args *args);
int conga_command_show(const struct conga_command *command, struct conga_args *args);
int conga_command_parse_reply(const struct conga_object *object, struct nl_msg *reply,
			      struct nlattr **attrs);

/* report.c */
void conga_report_warning(const struct conga_extack *extack);
void conga_report_error(const struct conga_extack *extack, int error,
			const struct conga_command *command);

/* nl.c */
struct conga_replies {
	struct nl_msg **msgs;
	size_t count;
	size_t room;
	/* If set, takes each as it comes, and none is kept. */
	void (*each)(struct nl_msg *reply, void *arg);
	void *arg;
};

struct nl_msg *conga_nl_message(const struct conga_command *command);
int conga_nl_request(const struct conga_command *command, struct nl_msg *msg, int flags,
		     struct conga_replies *replies, int *error);
int conga_nl_expect(const struct conga_command *command, struct nl_msg *msg, int refusal);
void conga_nl_replies_clean(struct conga_replies *replies);
int conga_nl_find_group(enum conga_family_group group, int *number);
void conga_nl_close(void);

/* batch.c: the longest command, a fabric with all its parameters, has 32 words. */
#define CONGA_BATCH_WORDS_MAX	64

struct conga_batch {
	FILE *file;
	const char *name;
	unsigned long line;	/* last line read */
	unsigned long start;	/* line where the command begins */
	char *text;
};

int conga_batch_open(struct conga_batch *batch, const char *file);
int conga_batch_read(struct conga_batch *batch);
int conga_batch_split(char *text, char **words);
void conga_batch_failed(const struct conga_batch *batch);
void conga_batch_close(struct conga_batch *batch);
int conga_batch_run(const char *file);

/* state.c */
struct conga_state {
	struct conga_replies fabric;
	struct conga_replies ports;
	struct conga_replies leaves;
	struct conga_replies paths;
};

int conga_state_read_object(const struct conga_object *object, int flags,
			    struct conga_replies *replies, int *error);
int conga_state_read_objects(struct conga_state *state, int *error);
int conga_state_read(struct conga_state *state, int *error);
void conga_state_clean(struct conga_state *state);
bool conga_state_next(const struct conga_object *object, const struct conga_replies *replies,
		      size_t *next, struct nlattr **attrs);

bool conga_state_same_addr(struct nlattr **a, int a_addr4, struct nlattr **b, int b_addr4);

/* events.c */
int conga_events_open(void);
void conga_events_close(void);
enum conga_subscription_result conga_events_read(void (*handle)(struct nl_msg *event));
int conga_events_wait(const sigset_t *mask);

/* repeat.c */
void conga_repeat_begin(void);
bool conga_repeat_goes_on(void);
bool conga_repeat_is_on(void);
void conga_repeat_pause(int ms);
const sigset_t *conga_repeat_mask(void);
bool conga_repeat_wait(int fd);
void conga_repeat_end(void);
void conga_repeat_print_time(void);
unsigned long long conga_repeat_now(void);

/* counters.c: by attribute; those without a name are none. */
struct conga_counter {
	const char *name;
	const char *meaning;
	const char *advice;
};

extern const struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1];

const struct conga_counter *conga_counters_find(const char *name);

/* stats.c: all counters, and when they were read. */
struct conga_stats_sample {
	unsigned long long ns;
	unsigned long long values[CONGA_A_STATS_MAX + 1];
};

int conga_stats_read(struct conga_stats_sample *sample, int *error);
unsigned long long conga_stats_change(unsigned long long before, unsigned long long after);
double conga_stats_per_second(unsigned long long change, unsigned long long ns);

/* print.c: a field is printed in JSON under @key and on screen behind
 * @label. No key: on screen only. No label: in JSON only; label "": the bare
 * value. A field whose attribute is absent is left out.
 */
void conga_print_begin(void);
void conga_print_end(void);
void conga_print_lines(bool on);
void conga_print_object(const char *key);
void conga_print_object_end(void);
void conga_print_array(const char *key);
void conga_print_array_end(void);
void conga_print_line(unsigned int indent);
void conga_print_pad(unsigned int width);
void conga_print_text(const char *text);
void conga_print_append(const char *text);
void conga_print_string(const char *key, const char *label, const char *value);
void conga_print_number(const char *key, const char *label, unsigned long long value);
void conga_print_real(const char *key, const char *label, double value, const char *unit);
void conga_print_flag(const char *key, const char *label, bool value);
void conga_print_fraction(const char *key, const char *label, const struct nlattr *attr);
void conga_print_uint(const char *key, const char *label, const struct nlattr *attr);
void conga_print_time(const char *key, const char *label, const struct nlattr *attr);
void conga_print_time_or_off(const char *key, const char *label, const struct nlattr *attr);
void conga_print_id(const char *key, const char *label, const struct nlattr *attr);
void conga_print_age(const char *key, const char *label, const struct nlattr *attr);
void conga_print_rate(const char *key, const char *label, const struct nlattr *attr);
void conga_print_name(const char *key, const char *label, const struct nlattr *attr);
void conga_print_choice(const char *key, const char *label, const struct nlattr *attr,
			const struct conga_choice *choices);
void conga_print_sentence(const struct nlattr *attr, const struct conga_choice *sentences);
void conga_print_on_off(const char *key, const char *label, const struct nlattr *attr);
void conga_print_origin(const struct nlattr *attr);
void conga_print_dev(const char *key, const char *label, const struct nlattr *attr);
void conga_print_addr(const char *key, const char *label, struct nlattr **attrs, int attr4);
char *conga_print_utf8(const char *value);

/* the objects */
extern const struct conga_object conga_fabric_object;
extern const struct conga_object conga_port_object;
extern const struct conga_object conga_leaf_object;
extern const struct conga_object conga_path_object;
extern const struct conga_object conga_table_object;
extern const struct conga_object conga_flowlet_object;
extern const struct conga_object conga_policy_object;
extern const struct conga_object conga_stats_object;
extern const struct conga_object conga_monitor_object;
extern const struct conga_object conga_check_object;
extern const struct conga_object conga_metrics_object;
extern const struct conga_object conga_top_object;
extern const struct conga_object conga_save_object;
extern const struct conga_object conga_restore_object;
extern const struct conga_object conga_sync_object;

extern const struct conga_choice conga_port_roles[];
extern const struct conga_choice conga_leaf_modes[];
extern const struct conga_choice conga_leaf_reasons[];
extern const struct conga_choice conga_leaf_sentences[];

/* complete.c: what begins with @prefix, a line each */
#define CONGA_MODULE_PATH	"/sys/module/conga"
#define CONGA_COMPLETE_FILE	"/"

void conga_complete_say(const char *prefix, const char *word);
void conga_complete_netns(const char *prefix);
void conga_complete_file(void);
void conga_complete_object(const struct conga_object *object, const struct conga_args *args);

extern const struct conga_kind conga_fabric_kind_policy;
extern const struct conga_kind conga_fabric_kind_opt_out;
extern const struct conga_keyword conga_path_get_words[];

#define CONGA_FABRIC_POLICY	"conga"

unsigned long long conga_fabric_default(int attr);
void conga_path_print_tail(struct nlattr **attrs);
int conga_path_get(const struct conga_command *command, struct conga_args *args);

int conga_overview_show(void);
int conga_main_run(int argc, char **argv);

#endif /* CONGA_TOOL_H */
