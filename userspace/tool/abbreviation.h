/* SPDX-License-Identifier: GPL-2.0 */
/* Names of objects and verbs may be shortened, as those of iproute2, while only one begins so. */
#ifndef CONGA_TOOL_ABBREVIATION_H
#define CONGA_TOOL_ABBREVIATION_H

#include <stdbool.h>
#include <stddef.h>

/* conga_abbreviation_name_t - name number @i of a table; NULL behind the last */
typedef const char *(*conga_abbreviation_name_t)(const void *table, size_t i);

/* conga_abbreviation_find - the number of the name that @text is, or of the only one that it
 * shortens; negative if there is none, or more than one
 */
int conga_abbreviation_find(const char *text, conga_abbreviation_name_t name, const void *table);

/* conga_abbreviation_told - if @text shortens several names, print them in an error message that
 * begins with @what, and return true
 */
bool conga_abbreviation_told(const char *what, const char *text, conga_abbreviation_name_t name,
			     const void *table);

#endif /* CONGA_TOOL_ABBREVIATION_H */
