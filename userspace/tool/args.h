/* SPDX-License-Identifier: GPL-2.0 */
/* Keywords and their values: a command line becomes the attributes of a message. */
#ifndef CONGA_TOOL_ARGS_H
#define CONGA_TOOL_ARGS_H

#include "tool/grammar.h"

/* How values are written. Numbers are attributes of so many bits, an id is also hexadecimal;
 * a device is its number, an address its bytes.
 */
extern const struct conga_kind conga_kind_u16;
extern const struct conga_kind conga_kind_u32;
extern const struct conga_kind conga_kind_id;
extern const struct conga_kind conga_kind_u8_or_choice;
extern const struct conga_kind conga_kind_time;		/* 64 bits, ns, as are the next two */
extern const struct conga_kind conga_kind_time_or_auto;
extern const struct conga_kind conga_kind_time_or_off;
extern const struct conga_kind conga_kind_rate_or_auto;	/* 64 bits, bit/s */
extern const struct conga_kind conga_kind_fraction;	/* 32 bits, millionths */
extern const struct conga_kind conga_kind_string;
extern const struct conga_kind conga_kind_choice;
extern const struct conga_kind conga_kind_dev;
extern const struct conga_kind conga_kind_addr;

extern const struct conga_choice conga_args_on_off[];

/* conga_args_next - takes the next word; NULL behind the last */
const char *conga_args_next(struct conga_args *args);

/* conga_args_parse - put all that is left into @msg, by @words; a status */
int conga_args_parse(struct conga_args *args, const struct conga_keyword *words,
		     struct nl_msg *msg);

/* These print what is wrong, and return the status for it. */
int conga_args_wrong(const char *text, const char *why);
int conga_args_incomplete(const struct conga_args *args);
int conga_args_unknown(const struct conga_args *args, const char *word);

/* conga_args_stored - a status: @err is what nla_put() returned, or such */
int conga_args_stored(int err);

/* conga_args_is_word - is it a keyword of the command that is being parsed? */
bool conga_args_is_word(const struct conga_args *args, const char *text);

/* These find a keyword in a table, which may be NULL, or return NULL. */
const struct conga_keyword *conga_args_find_word(const struct conga_keyword *words,
						 const char *word);
const struct conga_keyword *conga_args_find_attr(const struct conga_keyword *words, int attr);

/* conga_args_find_bare - the one that a value without its word belongs to */
const struct conga_keyword *conga_args_find_bare(const struct conga_keyword *words,
						 unsigned int given);

/* conga_args_bit - of @keyword in @given, the set of those that were given */
unsigned int conga_args_bit(const struct conga_keyword *words,
			    const struct conga_keyword *keyword);

/* conga_args_choice_word - the word for a number, NULL if there is none */
const char *conga_args_choice_word(const struct conga_choice *choices, unsigned int value);

#endif /* CONGA_TOOL_ARGS_H */
