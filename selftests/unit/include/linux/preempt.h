/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_PREEMPT_H
#define _UNIT_LINUX_PREEMPT_H

/* As in a kernel with PREEMPT_RT: how deep this thread is in sections that none may preempt. */
extern __thread int unit_preempt_off;

static inline void preempt_disable_nested(void)
{
	unit_preempt_off++;
}

static inline void preempt_enable_nested(void)
{
	unit_preempt_off--;
}

#endif /* _UNIT_LINUX_PREEMPT_H */
