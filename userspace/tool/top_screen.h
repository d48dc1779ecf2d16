/* SPDX-License-Identifier: GPL-2.0 */
/*
 * conga top owns the terminal, and restores it however top ends; messages on stderr are
 * printed afterwards, because the screen would hide them.
 */
#ifndef CONGA_TOOL_TOP_SCREEN_H
#define CONGA_TOOL_TOP_SCREEN_H

#include <stdbool.h>
#include "tool/top_view.h"

/* conga_top_screen_begin - open the screen; returns a status, and nothing is to be ended if it
 * is not CONGA_OK
 */
int conga_top_screen_begin(void);
void conga_top_screen_end(void);

/* conga_top_screen_width - the width in columns; it may change during a wait for input */
unsigned int conga_top_screen_width(void);

void conga_top_screen_draw(const struct conga_top_view *view);

/* conga_top_screen_input - handle what was typed; returns false if a key ends top */
bool conga_top_screen_input(void);

#endif /* CONGA_TOOL_TOP_SCREEN_H */
