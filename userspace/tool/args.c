// SPDX-License-Identifier: GPL-2.0
/*
 * This file parses keywords and values: a command line becomes the attributes of a
 * message. It checks what can be checked without the kernel; ranges are checked by the
 * kernel.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/grammar.h"
#include "tool/hosts.h"

/* conga_args_put_addr() and conga_args_find_attr() rely on this order. */
static_assert(CONGA_A_LEAF_ADDR6 - 1 == CONGA_A_LEAF_ADDR4, "IPv6 follows IPv4");
static_assert(CONGA_A_PATH_ADDR6 - 1 == CONGA_A_PATH_ADDR4, "IPv6 follows IPv4");
static_assert(CONGA_A_TABLE_ADDR6 - 1 == CONGA_A_TABLE_ADDR4, "IPv6 follows IPv4");
static_assert(CONGA_A_FLOWLET_ADDR6 - 1 == CONGA_A_FLOWLET_ADDR4, "IPv6 follows IPv4");
static_assert(CONGA_A_FLOW_SRC6 - 1 == CONGA_A_FLOW_SRC4, "IPv6 follows IPv4");
static_assert(CONGA_A_FLOW_DST6 - 1 == CONGA_A_FLOW_DST4, "IPv6 follows IPv4");

int conga_args_wrong(const char *text, const char *why)
{
	fprintf(stderr, "Error: argument \"%s\" is wrong: %s\n", text, why);
	return CONGA_USAGE;
}

static int conga_args_wrong_zero(const char *text, const char *zero)
{
	fprintf(stderr, "Error: argument \"%s\" is wrong: zero is written \"%s\"\n", text, zero);
	return CONGA_USAGE;
}

int conga_args_stored(int err)
{
	if (!err)
		return CONGA_OK;
	fputs("Error: too many arguments for one message\n", stderr);
	return CONGA_USAGE;
}

static int conga_args_store(struct nl_msg *msg, const struct conga_keyword *keyword,
			    unsigned long long value)
{
	switch (keyword->kind->bytes) {
	case 1:
		return conga_args_stored(nla_put_u8(msg, keyword->attr, value));
	case 2:
		return conga_args_stored(nla_put_u16(msg, keyword->attr, value));
	case 4:
		return conga_args_stored(nla_put_u32(msg, keyword->attr, value));
	default:
		return conga_args_stored(nla_put_u64(msg, keyword->attr, value));
	}
}

static bool conga_args_fits(unsigned long long value, unsigned int bytes)
{
	return bytes >= sizeof(value) || !(value >> (bytes * 8));
}

static const struct conga_choice *conga_args_find_choice(const struct conga_choice *choices,
							 const char *word)
{
	for (; choices && choices->word; choices++)
		if (!strcmp(choices->word, word))
			return choices;
	return NULL;
}

static int conga_args_put_number(struct nl_msg *msg, const struct conga_keyword *keyword,
				 const char *text)
{
	const struct conga_choice *special = conga_args_find_choice(keyword->choices, text);
	const char *zero = conga_args_choice_word(keyword->choices, 0), *why;
	unsigned long long value;

	if (special)
		return conga_args_store(msg, keyword, special->value);
	why = keyword->kind->parse(text, &value);
	if (why)
		return conga_args_wrong(text, why);
	if (zero && !value)
		return conga_args_wrong_zero(text, zero);
	if (!conga_args_fits(value, keyword->kind->bytes))
		return conga_args_wrong(text, "too large");
	return conga_args_store(msg, keyword, value);
}

static int conga_args_put_string(struct nl_msg *msg, const struct conga_keyword *keyword,
				 const char *text)
{
	return conga_args_stored(nla_put_string(msg, keyword->attr, text));
}

static int conga_args_wrong_choice(const struct conga_keyword *keyword, const char *text)
{
	const struct conga_choice *choice;

	fprintf(stderr, "Error: argument \"%s\" is wrong: %s must be ", text, keyword->word);
	for (choice = keyword->choices; choice->word; choice++)
		fprintf(stderr, "%s%s", choice == keyword->choices ? "" : " or ", choice->word);
	fputc('\n', stderr);
	return CONGA_USAGE;
}

static int conga_args_put_choice(struct nl_msg *msg, const struct conga_keyword *keyword,
				 const char *text)
{
	const struct conga_choice *choice = conga_args_find_choice(keyword->choices, text);

	if (!choice)
		return conga_args_wrong_choice(keyword, text);
	return conga_args_stored(nla_put_u32(msg, keyword->attr, choice->value));
}

static int conga_args_put_dev(struct nl_msg *msg, const struct conga_keyword *keyword,
			      const char *text)
{
	unsigned int ifindex = if_nametoindex(text);

	if (!ifindex) {
		fprintf(stderr, "Cannot find device \"%s\"\n", text);
		return CONGA_REFUSED;
	}
	return conga_args_stored(nla_put_u32(msg, keyword->attr, ifindex));
}

static int conga_args_put_addr(struct nl_msg *msg, const struct conga_keyword *keyword,
			       const char *text)
{
	struct in6_addr addr6;
	struct in_addr addr4;

	if (inet_pton(AF_INET, text, &addr4) == 1)
		return conga_args_stored(nla_put(msg, keyword->attr, sizeof(addr4), &addr4));
	if (inet_pton(AF_INET6, text, &addr6) == 1)
		return conga_args_stored(nla_put(msg, keyword->attr + 1, sizeof(addr6), &addr6));
	return conga_args_wrong(text, "not an IPv4 or IPv6 address");
}

/* An address is an address, also where a name is written like one. */
static int conga_args_put_leaf(struct nl_msg *msg, const struct conga_keyword *keyword,
			       const char *text)
{
	struct in6_addr addr;
	const char *why;

	if (inet_pton(AF_INET, text, &addr) == 1 || inet_pton(AF_INET6, text, &addr) == 1)
		return conga_args_put_addr(msg, keyword, text);
	why = conga_hosts_find_addr(text, &addr);
	if (why)
		return conga_args_wrong(text, why);
	return conga_args_stored(conga_addr_put(msg, keyword->attr, keyword->attr + 1, &addr));
}

const struct conga_kind conga_kind_u8 = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_integer,
	.format = conga_units_format_integer,
	.bytes = 1,
};

const struct conga_kind conga_kind_u16 = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_integer,
	.format = conga_units_format_integer,
	.bytes = 2,
};

const struct conga_kind conga_kind_u32 = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_integer,
	.format = conga_units_format_integer,
	.bytes = 4,
};

const struct conga_kind conga_kind_id = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_id,
	.format = conga_units_format_id,
	.bytes = 4,
};

const struct conga_kind conga_kind_time = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_time,
	.format = conga_units_format_time,
	.bytes = 8,
};

const struct conga_kind conga_kind_rate = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_rate,
	.format = conga_units_format_rate,
	.bytes = 8,
};

const struct conga_kind conga_kind_fraction = {
	.put = conga_args_put_number,
	.parse = conga_units_parse_fraction,
	.format = conga_units_format_fraction,
	.bytes = 4,
};

const struct conga_choice conga_args_on_off[] = {
	{ "on", 1 },
	{ "off", 0 },
	{ }
};

const struct conga_kind conga_kind_string = { .put = conga_args_put_string };
const struct conga_kind conga_kind_choice = { .put = conga_args_put_choice };
const struct conga_kind conga_kind_dev = { .put = conga_args_put_dev };
const struct conga_kind conga_kind_addr = { .put = conga_args_put_addr };
const struct conga_kind conga_kind_leaf = { .put = conga_args_put_leaf };

const char *conga_args_next(struct conga_args *args)
{
	if (!args->argc)
		return NULL;
	args->argc--;
	return *args->argv++;
}

int conga_args_count(struct conga_args *args, unsigned long long *count)
{
	const char *value = conga_args_next(args), *why;

	if (!value)
		return conga_args_incomplete(args);
	why = conga_units_parse_integer(value, count);
	if (!why && !*count)
		why = "must be at least 1";
	return why ? conga_args_wrong(value, why) : CONGA_OK;
}

const char *conga_args_choice_word(const struct conga_choice *choices, unsigned long long value)
{
	for (; choices && choices->word; choices++)
		if (choices->value == value)
			return choices->word;
	return NULL;
}

const struct conga_keyword *conga_args_find_attr(const struct conga_keyword *words, int attr)
{
	for (; words && words->word; words++) {
		if (words->attr == attr)
			return words;
		if ((words->kind == &conga_kind_addr || words->kind == &conga_kind_leaf) &&
		    words->attr + 1 == attr)
			return words;
	}
	return NULL;
}

/* Bit i of @given is set if keyword number i of a table has been given. */
unsigned int conga_args_bit(const struct conga_keyword *words,
			    const struct conga_keyword *keyword)
{
	return 1U << (keyword - words);
}

const struct conga_keyword *conga_args_find_word(const struct conga_keyword *words,
						 const char *word)
{
	for (; words && words->word; words++)
		if (!(words->flags & CONGA_KEYWORD_NAMELESS) && !strcmp(words->word, word))
			return words;
	return NULL;
}

/* Returns true if the text is a keyword of the command that is being parsed. */
bool conga_args_is_word(const struct conga_args *args, const char *text)
{
	return conga_args_find_word(args->words, text);
}

/* Returns the keyword of a value that may be given without its word. */
const struct conga_keyword *conga_args_find_bare(const struct conga_keyword *words,
						 unsigned int given)
{
	const unsigned int bare = CONGA_KEYWORD_BARE | CONGA_KEYWORD_NAMELESS;
	const struct conga_keyword *keyword;

	for (keyword = words; keyword && keyword->word; keyword++)
		if ((keyword->flags & bare) && !(given & conga_args_bit(words, keyword)))
			return keyword;
	return NULL;
}

/* Returns true if "set" is being parsed, and only "add" has this keyword. */
static bool conga_args_is_fixed(const struct conga_args *args, const char *word)
{
	const struct conga_command *command;
	bool sets = false, adds = false;

	for (command = args->object->commands; command && command->name; command++) {
		if (!strcmp(command->name, "set"))
			sets = command->words == args->words;
		if (!strcmp(command->name, "add"))
			adds = conga_args_find_word(command->words, word);
	}
	return sets && adds;
}

int conga_args_unknown(const struct conga_args *args, const char *word)
{
	if (conga_args_is_fixed(args, word)) {
		fprintf(stderr,
			"Error: \"%s\" cannot be changed: delete the %s, and add it with another\n",
			word, args->object->name);
		return CONGA_USAGE;
	}
	fprintf(stderr, "Error: argument \"%s\" is unknown, try \"conga %s help\".\n",
		word, args->object->name);
	return CONGA_USAGE;
}

int conga_args_incomplete(const struct conga_args *args)
{
	fprintf(stderr, "Command line is not complete. Try option \"help\"\n%s",
		args->object->usage);
	return CONGA_USAGE;
}

static int conga_args_required(const struct conga_args *args, const char *word)
{
	fprintf(stderr, "Error: argument \"%s\" is required\n%s", word, args->object->usage);
	return CONGA_USAGE;
}

static int conga_args_duplicate(const char *word, const char *value)
{
	fprintf(stderr, "Error: duplicate \"%s\": \"%s\" is the second value.\n", word, value);
	return CONGA_USAGE;
}

static int conga_args_take(struct conga_args *args, const struct conga_keyword *words,
			   struct nl_msg *msg, unsigned int *given)
{
	const char *word = conga_args_next(args), *value = word;
	const struct conga_keyword *keyword;

	keyword = conga_args_find_word(words, word);
	if (keyword)
		value = conga_args_next(args);
	else
		keyword = conga_args_find_bare(words, *given);
	if (!keyword)
		return conga_args_unknown(args, word);
	if (!value)
		return conga_args_incomplete(args);
	if ((*given & conga_args_bit(words, keyword)) &&
	    !(keyword->flags & CONGA_KEYWORD_REPEATED))
		return conga_args_duplicate(keyword->word, value);
	*given |= conga_args_bit(words, keyword);
	if (keyword->kind->take)
		return keyword->kind->take(args, msg, keyword, value);
	return keyword->kind->put(msg, keyword, value);
}

int conga_args_parse(struct conga_args *args, const struct conga_keyword *words,
		     struct nl_msg *msg)
{
	const struct conga_keyword *keyword;
	unsigned int given = 0;

	args->words = words;
	while (args->argc) {
		int status = conga_args_take(args, words, msg, &given);

		if (status)
			return status;
	}
	for (keyword = words; keyword && keyword->word; keyword++)
		if ((keyword->flags & CONGA_KEYWORD_REQUIRED) &&
		    !(given & conga_args_bit(words, keyword)))
			return conga_args_required(args, keyword->word);
	return CONGA_OK;
}
