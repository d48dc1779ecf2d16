/* SPDX-License-Identifier: GPL-2.0 */
/* A file is replaced as a whole: whoever reads it sees the old contents or the new ones, also
 * after a crash.
 */
#ifndef CONGA_TOOL_REPLACE_H
#define CONGA_TOOL_REPLACE_H

#include <stdio.h>

struct conga_replace {
	FILE *file;		/* what is written here is the new contents */
	char *name;		/* the file, behind all symbolic links */
	char *temporary;
};

/* conga_replace_begin - open a temporary file beside @name, which it need not find. Returns a
 * status after the reason was printed; conga_replace_end() is called only after CONGA_OK.
 */
int conga_replace_begin(struct conga_replace *replace, const char *name);

/* conga_replace_end - replace the file; it keeps its mode, and a new file can be read by
 * everybody. Returns a status; without CONGA_OK the file has not changed.
 */
int conga_replace_end(struct conga_replace *replace);

#endif /* CONGA_TOOL_REPLACE_H */
