/* SPDX-License-Identifier: GPL-2.0 */
/* Messages are one sentence a line, on stderr, which a service manager reads. */
#ifndef CONGA_DAEMON_LOG_H
#define CONGA_DAEMON_LOG_H

#include <stdio.h>
#include "daemon/options.h"

/* The caller makes sure that a warning is logged once, not at every look. */
#define congad_log_warn(format, ...) \
	fprintf(stderr, "congad: " format "\n", ##__VA_ARGS__)

/* A change is logged with its reason, with -v only. */
#define congad_log_change(format, ...) do { \
	if (congad_options.verbose) \
		congad_log_warn(format, ##__VA_ARGS__); \
} while (0)

#endif /* CONGA_DAEMON_LOG_H */
