/* SPDX-License-Identifier: GPL-2.0 */
/* Colors on a terminal, those of iproute2: devices are cyan, addresses magenta and blue, what works
 * is green, and what does not is red.
 */
#ifndef CONGA_TOOL_COLOR_H
#define CONGA_TOOL_COLOR_H

#include <stdbool.h>

enum conga_color {
	CONGA_COLOR_NONE,
	CONGA_COLOR_DEV,
	CONGA_COLOR_ADDR4,
	CONGA_COLOR_ADDR6,
	CONGA_COLOR_GOOD,
	CONGA_COLOR_WARNING,
	CONGA_COLOR_BAD,
};

/* The values of option -color; the last one is NULL. */
extern const char *const conga_color_words[];

/* conga_color_choose - take the value of option -color: "always", "never" or "auto"; returns
 * false if it is another word
 */
bool conga_color_choose(const char *when);

/* conga_color_begin - what to print before text of this color, and conga_color_end() after it; ""
 * without colors. Without the option there are colors if stdout is a terminal that has them, and
 * the environment has no NO_COLOR.
 */
const char *conga_color_begin(enum conga_color color);
const char *conga_color_end(enum conga_color color);

#endif /* CONGA_TOOL_COLOR_H */
