/* SPDX-License-Identifier: GPL-2.0 */
/* conga top: samples, what is shown of two of them, and where. */
#ifndef CONGA_TOP_H
#define CONGA_TOP_H

#include "tool/tool.h"

/* Everything that is shown, as it was at one time. */
struct conga_top_sample {
	bool taken;
	bool present;		/* there is a fabric */
	struct conga_state state;	/* without paths */
	struct conga_replies tables;	/* to-leaf, in the order of leaves */
	struct conga_stats_sample stats;
};

/* top_view.c: lines of a width. */
struct conga_top_view {
	unsigned int width;
	char **lines;
	bool *headings;
	size_t count;
};

void conga_top_view_make(struct conga_top_view *view, const struct conga_top_sample *before,
			 const struct conga_top_sample *after);
void conga_top_view_clean(struct conga_top_view *view);

/* top_screen.c */
int conga_top_screen_begin(void);
void conga_top_screen_end(void);
unsigned int conga_top_screen_width(void);
void conga_top_screen_draw(const struct conga_top_view *view);
bool conga_top_screen_input(void);

#endif /* CONGA_TOP_H */
