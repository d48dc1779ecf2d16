/* SPDX-License-Identifier: GPL-2.0 */
/* Times, rates and numbers are converted between text and integers. */
#ifndef CONGA_COMMON_UNITS_H
#define CONGA_COMMON_UNITS_H

#include <stddef.h>

/* This has room for every text that is written here. */
#define CONGA_UNITS_TEXT_MAX	32

/*
 * A parser returns NULL, or the reason why the text is wrong, which is a constant. It writes
 * nothing to its second argument that could be used then. The whole text must be the value.
 */

/* conga_units_parse_integer - decimal digits, 0 to 2^64 - 1 */
const char *conga_units_parse_integer(const char *text, unsigned long long *value);

/* conga_units_parse_id - decimal digits, or 0x and hexadecimal ones; 0 to 2^64 - 1 */
const char *conga_units_parse_id(const char *text, unsigned long long *value);

/* conga_units_parse_time - nanoseconds; a number other than 0 must have a unit */
const char *conga_units_parse_time(const char *text, unsigned long long *ns);

/* conga_units_parse_seconds - nanoseconds; a number without a unit is seconds */
const char *conga_units_parse_seconds(const char *text, unsigned long long *ns);

/* conga_units_parse_rate - bits per second; a number other than 0 must have a unit */
const char *conga_units_parse_rate(const char *text, unsigned long long *bps);

/* conga_units_parse_size - bytes; units are powers of 1024, as in tc */
const char *conga_units_parse_size(const char *text, unsigned long long *bytes);

/* conga_units_parse_fraction - a decimal number, in millionths */
const char *conga_units_parse_fraction(const char *text, unsigned long long *millionths);

/* Each of these functions writes a text that the parser of the same name reads as the same
 * value.
 */
void conga_units_format_integer(char *text, size_t size, unsigned long long value);
void conga_units_format_id(char *text, size_t size, unsigned long long value);
void conga_units_format_time(char *text, size_t size, unsigned long long ns);
void conga_units_format_rate(char *text, size_t size, unsigned long long bps);
void conga_units_format_fraction(char *text, size_t size, unsigned long long millionths);

/* conga_units_format_age - a time, rounded down to three digits */
void conga_units_format_age(char *text, size_t size, unsigned long long ns);

/* conga_units_format_rate_short - a rate, rounded down to three digits */
void conga_units_format_rate_short(char *text, size_t size, unsigned long long bps);

#endif /* CONGA_COMMON_UNITS_H */
