/* SPDX-License-Identifier: GPL-2.0 */
/*
 * These tables describe the command line: objects, their commands, keywords and values.
 * One table serves the parser, the error messages, and the completion of the shell.
 */
#ifndef CONGA_TOOL_GRAMMAR_H
#define CONGA_TOOL_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

struct conga_args;
struct conga_command;
struct conga_keyword;
struct conga_object;

/* No object has more attributes, so one array on the stack is large enough for all. */
#define CONGA_ATTRS_MAX		CONGA_A_STATS_MAX

/* This word stands for the name of a file among the words that may follow. */
#define CONGA_COMPLETE_FILE	"/"

#define CONGA_PRIVILEGE_CHANGE	"changing conga"

/* These are the remaining words of a command line, and the command they belong to. */
struct conga_args {
	int argc;
	char **argv;
	const struct conga_object *object;
	const struct conga_keyword *words;	/* of the command, while it is parsed */
};

/* A choice is a word of a fixed set and its number in the kernel; the last entry has no word. */
struct conga_choice {
	const char *word;
	unsigned long long value;
};

/* A kind says how the value of a keyword is written. @put turns text into an attribute; numbers
 * share one @put and differ in @parse and @bytes. @take, instead of @put, may take more words.
 * Both return a status.
 */
struct conga_kind {
	int (*take)(struct conga_args *args, struct nl_msg *msg,
		    const struct conga_keyword *keyword, const char *text);
	int (*put)(struct nl_msg *msg, const struct conga_keyword *keyword, const char *text);
	const char *(*parse)(const char *text, unsigned long long *value);
	void (*format)(char *text, size_t size, unsigned long long value);
	unsigned int bytes;	/* of the attribute: 1, 2, 4 or 8 */
};

enum conga_keyword_flags {
	CONGA_KEYWORD_REQUIRED = 0x1,
	CONGA_KEYWORD_REPEATED = 0x2,
	CONGA_KEYWORD_BARE = 0x4,	/* the word may be left out */
	CONGA_KEYWORD_NAMELESS = 0x8,	/* the word must be left out */
};

/* A table of keywords is the grammar of a command; the last entry has no word. An address has
 * the attribute of its IPv4 form here, and the IPv6 form is the next attribute. The @choices of
 * a number are words for special values, and the only way to write zero if it is one of them.
 */
struct conga_keyword {
	const char *word;
	int attr;
	const struct conga_kind *kind;
	unsigned int flags;
	const struct conga_choice *choices;
};

enum conga_command_reply {
	CONGA_REPLY_NONE,
	CONGA_REPLY_ONE,
	CONGA_REPLY_DUMP,
	CONGA_REPLY_ONE_OR_DUMP,	/* one if an argument names it */
};

/* A command is a verb of an object. @run returns a status. @privilege names, for EPERM, what
 * needs CAP_NET_ADMIN. The shell completes @all_words, if there are more tables than @words, and
 * @bare, words without a value or CONGA_COMPLETE_FILE; the last one is NULL.
 */
struct conga_command {
	const char *name;
	int (*run)(const struct conga_command *command, struct conga_args *args);
	unsigned char cmd;	/* CONGA_CMD_* */
	enum conga_command_reply reply;
	const struct conga_keyword *words;
	const struct conga_keyword *all_words;
	const char *const *bare;
	const char *privilege;
	bool streams;		/* there may be too many replies to hold at once */
};

/* The first command runs when no verb is given; the last entry has no name. With @run the object
 * is itself a verb, which @bare may follow, or the words of its one command. @print prints the
 * fields of one @reply, parsed by @policy into @attrs, which has only the last of a repeated
 * attribute. An object that can be saved has @defaults, the numbers that "add" means by attributes
 * that it lacks. @brief adds the cells of one reply to a table; an object without it has no table.
 */
struct conga_object {
	const char *name;
	const char *usage;
	const struct conga_command *commands;
	int (*run)(struct conga_args *args);
	const char *const *bare;
	bool repeats;		/* with -i */
	void (*print)(struct nlattr **attrs, struct nl_msg *reply);
	void (*brief)(struct nlattr **attrs);
	const struct nla_policy *policy;
	int attr_max;
	const unsigned long long *defaults;
};

#endif /* CONGA_TOOL_GRAMMAR_H */
