// SPDX-License-Identifier: GPL-2.0
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/names.h"

struct conga_name {
	unsigned int ifindex;
	char name[IF_NAMESIZE];
};

static struct conga_name *conga_names;
static size_t conga_names_count;

static struct conga_name *conga_names_known(unsigned int ifindex)
{
	size_t i;

	for (i = 0; i < conga_names_count; i++)
		if (conga_names[i].ifindex == ifindex)
			return &conga_names[i];
	return NULL;
}

static struct conga_name *conga_names_add(unsigned int ifindex)
{
	struct conga_name *names = reallocarray(conga_names, conga_names_count + 1,
						sizeof(*names));

	if (!names)
		return NULL;
	conga_names = names;
	names[conga_names_count].ifindex = ifindex;
	return &names[conga_names_count++];
}

/* Without memory for its name a removed device is shown by its number. */
void conga_names_remember(unsigned int ifindex)
{
	struct conga_name *known = conga_names_known(ifindex);
	char name[IF_NAMESIZE];

	if (!if_indextoname(ifindex, name))
		return;
	if (!known)
		known = conga_names_add(ifindex);
	if (known)
		memcpy(known->name, name, sizeof(name));
}

void conga_names_find(unsigned int ifindex, char *name)
{
	const struct conga_name *known;

	if (if_indextoname(ifindex, name))
		return;
	known = conga_names_known(ifindex);
	if (known)
		memcpy(name, known->name, sizeof(known->name));
	else
		snprintf(name, IF_NAMESIZE, "if%u", ifindex);
}
