/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_SEARCH_H
#define _CONGA_PATH_SEARCH_H

#include "objects/path.h"

struct conga_leaf;
struct conga_port;

/* RCU, BH disabled */
struct conga_paths *conga_path_make(struct conga_leaf *leaf,
				    const struct conga_path_key *key);
u8 conga_path_search_one(struct conga_leaf *leaf, struct conga_port *port);

/* Any context */
void conga_path_free(struct conga_paths *paths);

#endif /* _CONGA_PATH_SEARCH_H */
