/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The view has what conga top shows, as lines of a width: columns that do not fit are
 * left out, the least important first, so that port, rate and congestion remain on 20.
 */
#ifndef CONGA_TOOL_TOP_VIEW_H
#define CONGA_TOOL_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include "tool/sample.h"

struct conga_top_view {
	unsigned int width;	/* columns, given by the caller */
	char **lines;
	bool *headings;		/* is the line one? */
	size_t count;
};

/* conga_top_view_make - make the view of two samples; the first may be missing */
void conga_top_view_make(struct conga_top_view *view, const struct conga_sample *before,
			 const struct conga_sample *after);
void conga_top_view_clean(struct conga_top_view *view);

#endif /* CONGA_TOOL_TOP_VIEW_H */
