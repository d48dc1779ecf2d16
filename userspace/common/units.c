// SPDX-License-Identifier: GPL-2.0
/*
 * Times, rates and numbers. Everything is integer arithmetic, because a
 * parameter that is set must read back as it was written.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "common/units.h"

#define CONGA_UNITS_MILLION	1000000ULL

/* Shortened values are below this, times a power of ten. */
#define CONGA_UNITS_SHORT_LIMIT	1000ULL

/* This is the limit in the largest unit, a terabit. */
#define CONGA_UNITS_DECIMALS_MAX	12

static const char conga_units_too_large[] = "too large";
static const char conga_units_too_long[] = "too many digits";
static const char conga_units_no_id[] = "not a number such as 7 or 0x1f";

struct conga_unit {
	const char *name;
	unsigned long long factor;
};

/* The largest unit is first, because a value is printed in the first unit that fits. */
static const struct conga_unit conga_units_time[] = {
	{ "s", 1000000000ULL },
	{ "ms", 1000000ULL },
	{ "us", 1000ULL },
	{ "ns", 1ULL },
	{ NULL, 0 }
};

static const struct conga_unit conga_units_rate[] = {
	{ "Tbit", 1000000000000ULL },
	{ "Gbit", 1000000000ULL },
	{ "Mbit", 1000000ULL },
	{ "Kbit", 1000ULL },
	{ "bit", 1ULL },
	{ NULL, 0 }
};

static const struct conga_unit conga_units_size[] = {
	{ "m", 1024ULL * 1024 },
	{ "mb", 1024ULL * 1024 },
	{ "k", 1024ULL },
	{ "kb", 1024ULL },
	{ "b", 1ULL },
	{ NULL, 0 }
};

/* The value is digits / scale; the scale is a power of ten. */
struct conga_decimal {
	unsigned long long digits;
	unsigned long long scale;
};

static bool conga_units_push_digit(struct conga_decimal *number, char digit, bool fraction)
{
	if (__builtin_mul_overflow(number->digits, 10ULL, &number->digits) ||
	    __builtin_add_overflow(number->digits, digit - '0', &number->digits))
		return false;
	return !fraction || !__builtin_mul_overflow(number->scale, 10ULL, &number->scale);
}

/* Parses the longest number; @rest is NULL if there was none. */
static const char *conga_units_read(const char *text, struct conga_decimal *number,
				    const char **rest)
{
	bool fraction = false, any = false;
	const char *c;

	*number = (struct conga_decimal){ .digits = 0, .scale = 1 };
	*rest = NULL;
	for (c = text; isdigit((unsigned char)*c) || (*c == '.' && !fraction); c++) {
		if (*c == '.') {
			fraction = true;
			continue;
		}
		any = true;
		if (!conga_units_push_digit(number, *c, fraction))
			return conga_units_too_long;
	}
	if (any)
		*rest = c;
	return NULL;
}

/* Tens are cancelled first, so that a valid result does not overflow on the way. */
static const char *conga_units_scale(struct conga_decimal number, unsigned long long factor,
				     const char *too_fine, unsigned long long *value)
{
	while (number.scale > 1 && factor % 10 == 0) {
		number.scale /= 10;
		factor /= 10;
	}
	if (__builtin_mul_overflow(number.digits, factor, value))
		return conga_units_too_large;
	if (number.scale <= 1)
		return NULL;
	if (*value % number.scale)
		return too_fine;
	*value /= number.scale;
	return NULL;
}

static unsigned long long conga_units_factor(const struct conga_unit *unit, const char *name)
{
	for (; unit->name; unit++)
		if (!strcasecmp(unit->name, name))
			return unit->factor;
	return 0;
}

const char *conga_units_parse_integer(const char *text, unsigned long long *value)
{
	struct conga_decimal number;
	const char *rest, *why;

	why = conga_units_read(text, &number, &rest);
	if (why)
		return why;
	if (!rest || *rest || strchr(text, '.'))
		return "not a whole number";
	*value = number.digits;
	return NULL;
}

static unsigned int conga_units_hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static const char *conga_units_parse_hex(const char *digits, unsigned long long *value)
{
	const char *c;

	*value = 0;
	for (c = digits; isxdigit((unsigned char)*c); c++) {
		if (*value >> (sizeof(*value) * 8 - 4))
			return conga_units_too_long;
		*value = *value << 4 | conga_units_hex_digit(*c);
	}
	return c == digits || *c ? conga_units_no_id : NULL;
}

const char *conga_units_parse_id(const char *text, unsigned long long *value)
{
	const char *why;

	if (!strncasecmp(text, "0x", 2))
		return conga_units_parse_hex(text + 2, value);
	why = conga_units_parse_integer(text, value);
	return why && why != conga_units_too_long ? conga_units_no_id : why;
}

/* What is measured, with the sentences about what is wrong */
struct conga_quantity {
	const struct conga_unit *units;
	const char *bare;	/* the unit of a number without one; NULL: such a number is wrong */
	const char *needs;	/* if @bare is NULL */
	const char *wrong;
	const char *too_fine;
};

/* A number needs a unit: tc takes microseconds, and other programs seconds. */
static const struct conga_quantity conga_units_a_time = {
	.units = conga_units_time,
	.needs = "needs a unit, for example 300ms",
	.wrong = "not a time such as 500us (units: ns, us, ms, s)",
	.too_fine = "finer than a nanosecond",
};

/* A bare number is seconds, as sleep, watch and ping take an interval. */
static const struct conga_quantity conga_units_an_interval = {
	.units = conga_units_time,
	.bare = "s",
	.wrong = "not a time such as 1 or 500ms (units: ns, us, ms, s)",
	.too_fine = "finer than a nanosecond",
};

/* A number needs a unit: tc takes bits per second, and ethtool Mbit/s. */
static const struct conga_quantity conga_units_a_rate = {
	.units = conga_units_rate,
	.needs = "needs a unit, for example 10gbit",
	.wrong = "not a rate such as 40gbit (units: bit, kbit, mbit, gbit, tbit)",
	.too_fine = "finer than a bit per second",
};

/* A bare number is bytes, or no size at all; as in tc units are powers of 1024. */
static const struct conga_quantity conga_units_a_size = {
	.units = conga_units_size,
	.bare = "b",
	.wrong = "not a number such as 2 or 64k (units: b, k, m)",
	.too_fine = "not a whole number",
};

/* Parses a number and a unit. */
static const char *conga_units_parse(const char *text, const struct conga_quantity *quantity,
				     unsigned long long *value)
{
	struct conga_decimal number;
	unsigned long long factor;
	const char *rest, *why;

	why = conga_units_read(text, &number, &rest);
	if (why)
		return why;
	if (!rest)
		return quantity->wrong;
	*value = 0;
	if (!*rest && !number.digits)
		return NULL;	/* zero is the same in all units */
	if (!*rest && !quantity->bare)
		return quantity->needs;
	factor = conga_units_factor(quantity->units, *rest ? rest : quantity->bare);
	if (!factor)
		return quantity->wrong;
	return conga_units_scale(number, factor, quantity->too_fine, value);
}

const char *conga_units_parse_time(const char *text, unsigned long long *ns)
{
	return conga_units_parse(text, &conga_units_a_time, ns);
}

const char *conga_units_parse_seconds(const char *text, unsigned long long *ns)
{
	return conga_units_parse(text, &conga_units_an_interval, ns);
}

/* In tc "bps" is bytes per second, and elsewhere bits. */
static bool conga_units_is_ambiguous(const char *text)
{
	size_t length = strlen(text);

	return length > 3 && !strcasecmp(text + length - 3, "bps");
}

const char *conga_units_parse_rate(const char *text, unsigned long long *bps)
{
	if (conga_units_is_ambiguous(text))
		return "bps may mean bits or bytes, write bits as in 40gbit";
	return conga_units_parse(text, &conga_units_a_rate, bps);
}

const char *conga_units_parse_size(const char *text, unsigned long long *bytes)
{
	return conga_units_parse(text, &conga_units_a_size, bytes);
}

const char *conga_units_parse_fraction(const char *text, unsigned long long *millionths)
{
	struct conga_decimal number;
	const char *rest, *why;

	why = conga_units_read(text, &number, &rest);
	if (why)
		return why;
	if (!rest || *rest)
		return "not a decimal number such as 0.1";
	return conga_units_scale(number, CONGA_UNITS_MILLION, "finer than a millionth",
				 millionths);
}

void conga_units_format_integer(char *text, size_t size, unsigned long long value)
{
	snprintf(text, size, "%llu", value);
}

void conga_units_format_id(char *text, size_t size, unsigned long long value)
{
	snprintf(text, size, "0x%08llx", value);
}

static int conga_units_decimals(unsigned long long factor)
{
	int decimals = 0;

	for (; factor > 1 && decimals < CONGA_UNITS_DECIMALS_MAX; factor /= 10)
		decimals++;
	return decimals;
}

/* Writes value / factor exactly; the factor is a power of ten. */
static void conga_units_format_decimal(char *text, size_t size, unsigned long long value,
				       unsigned long long factor, const char *name)
{
	int decimals = conga_units_decimals(factor);
	unsigned long long fraction = value % factor;

	for (; decimals && fraction % 10 == 0; decimals--)
		fraction /= 10;
	if (decimals)
		snprintf(text, size, "%llu.%0*llu%s", value / factor, decimals, fraction, name);
	else
		snprintf(text, size, "%llu%s", value / factor, name);
}

static void conga_units_format(char *text, size_t size, unsigned long long value,
			       const struct conga_unit *unit)
{
	while (unit->factor > 1 && value < unit->factor)
		unit++;
	conga_units_format_decimal(text, size, value, unit->factor, unit->name);
}

void conga_units_format_time(char *text, size_t size, unsigned long long ns)
{
	conga_units_format(text, size, ns, conga_units_time);
}

static unsigned long long conga_units_three_digits(unsigned long long value)
{
	unsigned long long grain = 1;

	while (value / grain >= CONGA_UNITS_SHORT_LIMIT)
		grain *= 10;
	return value / grain * grain;
}

/* An age is stale when it is read, so three digits are enough. */
void conga_units_format_age(char *text, size_t size, unsigned long long ns)
{
	conga_units_format_time(text, size, conga_units_three_digits(ns));
}

void conga_units_format_rate(char *text, size_t size, unsigned long long bps)
{
	conga_units_format(text, size, bps, conga_units_rate);
}

/* A measured rate is stale when it is read, too. */
void conga_units_format_rate_short(char *text, size_t size, unsigned long long bps)
{
	conga_units_format_rate(text, size, conga_units_three_digits(bps));
}

void conga_units_format_fraction(char *text, size_t size, unsigned long long millionths)
{
	conga_units_format_decimal(text, size, millionths, CONGA_UNITS_MILLION, "");
}
