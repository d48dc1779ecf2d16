/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of fail_nth: what one line asks for, which allocation fails meanwhile, and whether
 * the configuration stays the same.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define ANSWER_BYTES	131072
#define STATE_BYTES	65536
#define FAULT_ONWARDS	INT_MAX

/* What is to be done, of one line. */
struct task {
	const char *name;
	bool (*run)(const struct task *task, unsigned int nth, bool *failed);
	bool dump;
	unsigned int last;	/* allocation that fails */
	int words, undo;	/* undo: the number of the first word behind the first "/", or 0 */
	char **word;
};

struct counts {
	unsigned int refused, sentences, lost, spared;
};

struct state {
	size_t length;
	char bytes[STATE_BYTES];
};

extern struct counts counts;
extern bool pinging;		/* the request is a ping, which no event announces */

/* Notes why something is wrong, and returns false. */
bool wrong(const char *text);

/* Must be called before the first fault. @times allocations fail in a row, at least 1; with
 * FAULT_ONWARDS all of them. If several fail, only allocations of objects do.
 */
void fault_open(unsigned int times);
/* Lets the allocation number @nth fail, 0: none. If several fail, the first one does after @nth - 1
 * steps of bytes.
 */
void fault_arm(unsigned int nth);
/* Returns how many allocations were left before the one that should fail; 0: it failed. If several
 * should fail, it returns 0 if any allocation failed, else 1.
 */
unsigned int fault_disarm(void);

/* Reads what is configured, without what moves by itself. */
void state_read(struct state *state);
bool state_is(const struct state *before);

void listener_open(void);
void listener_close(void);
/* Returns whether all is as it should be; needs a listener. */
bool request_run(const struct task *task, unsigned int nth, bool *failed);
/* Prints "COMMAND do|dump" of all that the family takes. */
void commands_print(void);

#endif
