/* SPDX-License-Identifier: GPL-2.0 */
/* One sentence a line, on stderr, where a service manager reads it. */
#ifndef CONGA_DAEMON_LOG_H
#define CONGA_DAEMON_LOG_H

#include <stdio.h>
#include "daemon/options.h"

/* A warning is said once, not at every look: its caller sees to that. */
#define congad_log_warn(format, ...) \
	fprintf(stderr, "congad: " format "\n", ##__VA_ARGS__)

/* A change, with its reason; with -v only */
#define congad_log_change(format, ...) do { \
	if (congad_options.verbose) \
		congad_log_warn(format, ##__VA_ARGS__); \
} while (0)

#endif /* CONGA_DAEMON_LOG_H */
