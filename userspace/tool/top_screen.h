/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal of conga top. It is left as it was found, however that ends; what is said
 * on stderr meanwhile is said afterwards, since it would be lost on the screen.
 */
#ifndef CONGA_TOOL_TOP_SCREEN_H
#define CONGA_TOOL_TOP_SCREEN_H

#include <stdbool.h>
#include "tool/top_view.h"

/* conga_top_screen_begin - a status, and nothing to end if it is not CONGA_OK */
int conga_top_screen_begin(void);
void conga_top_screen_end(void);

/* conga_top_screen_width - in columns; it may change while input is waited for */
unsigned int conga_top_screen_width(void);

void conga_top_screen_draw(const struct conga_top_view *view);

/* conga_top_screen_input - takes what was typed; false if that is the end */
bool conga_top_screen_input(void);

#endif /* CONGA_TOOL_TOP_SCREEN_H */
