/* SPDX-License-Identifier: GPL-2.0 */
/* These are the options of congad's command line. */
#ifndef CONGA_DAEMON_OPTIONS_H
#define CONGA_DAEMON_OPTIONS_H

#include <net/if.h>
#include <stdbool.h>
#include "common/array.h"

enum congad_mode {
	CONGAD_MODE_AUTO,	/* a leaf if there is a vxlan device */
	CONGAD_MODE_LEAF,
	CONGAD_MODE_SPINE,
};

struct congad_rate {
	char dev[IFNAMSIZ];
	unsigned long long bps;
};

struct congad_options {
	enum congad_mode mode;
	unsigned long long rate;	/* bit/s, where a link reports none; 0: not given */
	struct conga_array rates;	/* struct congad_rate, whatever the link reports */
	/* a leaf that no vxlan device forwards to is kept so long */
	unsigned long long hold_ns;
	unsigned long long idle_ns;	/* an uplink unused for so long may be replaced */
	bool verbose;
	const char *netns;		/* name of a network namespace; NULL: this one */
	bool once;
	bool version;
	bool help;
};

extern struct congad_options congad_options;

/* congad_options_parse - fill congad_options; returns CONGA_OK, or CONGA_USAGE after the reason
 * was printed
 */
int congad_options_parse(int argc, char **argv);

/* congad_options_rate - the rate in bit/s that was given for this device; 0: none */
unsigned long long congad_options_rate(const char *dev);

void congad_options_help(void);

#endif /* CONGA_DAEMON_OPTIONS_H */
