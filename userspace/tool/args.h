/* SPDX-License-Identifier: GPL-2.0 */
/* Keywords and their values: a command line becomes the attributes of a message. */
#ifndef CONGA_TOOL_ARGS_H
#define CONGA_TOOL_ARGS_H

#include "tool/grammar.h"

/* A kind says how values are written. A number becomes an attribute of so many bits, and an id
 * may be hexadecimal; a device becomes its index, an address its bytes. A leaf is an address, or
 * the name of one.
 */
extern const struct conga_kind conga_kind_u8;
extern const struct conga_kind conga_kind_u16;
extern const struct conga_kind conga_kind_u32;
extern const struct conga_kind conga_kind_id;		/* 32 bits */
extern const struct conga_kind conga_kind_time;		/* 64 bits, ns */
extern const struct conga_kind conga_kind_rate;		/* 64 bits, bit/s */
extern const struct conga_kind conga_kind_fraction;	/* 32 bits, millionths */
extern const struct conga_kind conga_kind_string;
extern const struct conga_kind conga_kind_choice;
extern const struct conga_kind conga_kind_dev;
extern const struct conga_kind conga_kind_addr;
extern const struct conga_kind conga_kind_leaf;

extern const struct conga_choice conga_args_on_off[];

/* conga_args_next - take the next word; returns NULL after the last */
const char *conga_args_next(struct conga_args *args);

/* conga_args_count - take the next word as a number from 1 on; returns a status */
int conga_args_count(struct conga_args *args, unsigned long long *count);

/* conga_args_parse - put all remaining words into @msg, by the table @words; returns a status */
int conga_args_parse(struct conga_args *args, const struct conga_keyword *words,
		     struct nl_msg *msg);

/* These functions print the error, and return the status for it. */
int conga_args_wrong(const char *text, const char *why);
int conga_args_incomplete(const struct conga_args *args);
int conga_args_unknown(const struct conga_args *args, const char *word);

/* conga_args_stored - return the status for @err, the result of nla_put() or a similar function */
int conga_args_stored(int err);

/* conga_args_is_word - is the text a keyword of the command that is being parsed? */
bool conga_args_is_word(const struct conga_args *args, const char *text);

/* These functions find a keyword in a table, which may be NULL; they return NULL if there is
 * none.
 */
const struct conga_keyword *conga_args_find_word(const struct conga_keyword *words,
						 const char *word);
const struct conga_keyword *conga_args_find_attr(const struct conga_keyword *words, int attr);

/* conga_args_find_bare - find the keyword of a value that may be given without its word */
const struct conga_keyword *conga_args_find_bare(const struct conga_keyword *words,
						 unsigned int given);

/* conga_args_bit - the bit of @keyword in @given, the set of keywords that were given */
unsigned int conga_args_bit(const struct conga_keyword *words,
			    const struct conga_keyword *keyword);

/* conga_args_choice_word - the word for a number, NULL if there is none; so may be @choices */
const char *conga_args_choice_word(const struct conga_choice *choices, unsigned long long value);

#endif /* CONGA_TOOL_ARGS_H */
