/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Warnings about a state that lasts: each sentence is logged when the state begins, and again
 * only after the state had ended. Each look collects the sentences that are true now.
 */
#ifndef CONGA_DAEMON_WARNING_H
#define CONGA_DAEMON_WARNING_H

#include "common/array.h"

/* congad_warning_setup - begin the warnings of a look; congad_warning_say() ends them */
void congad_warning_setup(struct conga_array *warnings);

/* congad_warning_add - add a sentence; without memory the sentence is left out */
void __attribute__((format(printf, 2, 3)))
congad_warning_add(struct conga_array *warnings, const char *format, ...);

/* congad_warning_say - log what the previous look did not find; takes over @warnings */
void congad_warning_say(struct conga_array *warnings);

/* congad_warning_forget - forget the previous look */
void congad_warning_forget(void);

#endif /* CONGA_DAEMON_WARNING_H */
