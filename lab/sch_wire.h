/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* What the qdisc "wire" is told and tells, by rtnetlink. */
#ifndef SCH_WIRE_H
#define SCH_WIRE_H

#include <linux/types.h>

#define WIRE_NAME_MAX	32	/* bytes, with the zero at the end */

/* In TCA_OPTIONS of a new qdisc. */
enum {
	TCA_WIRE_UNSPEC,
	TCA_WIRE_PAD,
	TCA_WIRE_RATE,		/* u64, bit/s; required */
	TCA_WIRE_LIMIT,		/* u32, bytes that may wait; required */
	TCA_WIRE_DELAY,		/* u64, ns of propagation; default 0 */
	TCA_WIRE_MARK,		/* u32, bytes waiting at which CE is set; default never */
	TCA_WIRE_NAME,		/* string; a link with a name is sampled */
	TCA_WIRE_QUIET,		/* u32, 1: no policy reads the backlog, only who dumps or samples */
	__TCA_WIRE_MAX
};

#define TCA_WIRE_MAX	(__TCA_WIRE_MAX - 1)

#endif
