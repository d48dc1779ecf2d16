/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What conga top shows, as lines of a width: what does not fit is left out by columns,
 * the least important first, so that port, rate and congestion remain on 20.
 */
#ifndef CONGA_TOOL_TOP_VIEW_H
#define CONGA_TOOL_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include "tool/top_sample.h"

struct conga_top_view {
	unsigned int width;	/* columns, given by the caller */
	char **lines;
	bool *headings;		/* is the line one? */
	size_t count;
};

/* conga_top_view_make - of two samples, of which the first need not be taken */
void conga_top_view_make(struct conga_top_view *view, const struct conga_top_sample *before,
			 const struct conga_top_sample *after);
void conga_top_view_clean(struct conga_top_view *view);

#endif /* CONGA_TOOL_TOP_VIEW_H */
