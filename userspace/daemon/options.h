/* SPDX-License-Identifier: GPL-2.0 */
/* What the command line of congad says. */
#ifndef CONGA_DAEMON_OPTIONS_H
#define CONGA_DAEMON_OPTIONS_H

#include <stdbool.h>

enum congad_mode {
	CONGAD_MODE_AUTO,	/* a leaf if there is a vxlan device */
	CONGAD_MODE_LEAF,
	CONGAD_MODE_SPINE,
};

struct congad_options {
	enum congad_mode mode;
	unsigned long long rate;	/* bit/s, where a link reports none; 0: not given */
	unsigned long long hold_ns;	/* a leaf that nobody forwards to lives so long */
	unsigned long long idle_ns;	/* then an unused uplink gives way to another */
	bool verbose;
	const char *netns;		/* name of a network namespace; NULL: this one */
	bool once;
	bool version;
	bool help;
};

extern struct congad_options congad_options;

/* congad_options_parse - fills congad_options; CONGA_OK, or CONGA_USAGE after the reason
 * was printed
 */
int congad_options_parse(int argc, char **argv);

void congad_options_help(void);

#endif /* CONGA_DAEMON_OPTIONS_H */
