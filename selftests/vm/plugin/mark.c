// SPDX-License-Identifier: GPL-2.0
/*
 * mark begin|learn|end - sets a mark for the plugin of the machine's QEMU (vm/run --plugin).
 * Without a plugin it does nothing.
 */
#include <stdio.h>
#include <string.h>

#include "mark.h"

int main(int argc, char **argv)
{
	const char *which = argc == 2 ? argv[1] : "";

	if (!strcmp(which, "begin")) {
		MARK_SET(MARK_BEGIN);
	} else if (!strcmp(which, "learn")) {
		MARK_SET(MARK_LEARN);
	} else if (!strcmp(which, "end")) {
		MARK_SET(MARK_END);
	} else {
		fputs("Usage: mark begin|learn|end\n", stderr);
		return 2;
	}
	return 0;
}
