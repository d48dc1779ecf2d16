// SPDX-License-Identifier: GPL-2.0
/* The pending transfers: a heap by arrival, and, outside of it, those that wait until all
 * transfers of a group are complete.
 */
#include <stdlib.h>

#include "flowgen.h"

static struct flow **heap;
static __u32 n_heap;

/* Transfers of the same time are sorted as in the trace. */
static bool earlier(const struct flow *a, const struct flow *b)
{
	return a->arrival_ns < b->arrival_ns ||
	       (a->arrival_ns == b->arrival_ns && a < b);
}

static void queue_add(struct flow *f)
{
	__u32 i = n_heap++;

	for (; i && earlier(f, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = f;
}

void queue_setup(void)
{
	__u32 i;

	heap = calloc(n_flows, sizeof(*heap));
	if (!heap)
		die(EXIT_RUNTIME, "no memory for the queue");
	for (i = 0; i < n_flows; i++)
		if (!flows[i].waits)
			queue_add(&flows[i]);
}

struct flow *queue_first(void)
{
	return n_heap ? heap[0] : NULL;
}

static __u32 earlier_child(__u32 i)
{
	__u32 child = 2 * i + 1;

	return child + 1 < n_heap && earlier(heap[child + 1], heap[child]) ?
	       child + 1 : child;
}

/* Removes the first; the last sinks from its place. */
void queue_take(void)
{
	struct flow *last = heap[--n_heap];
	__u32 i = 0, child;

	while ((child = earlier_child(i)) < n_heap && earlier(heap[child], last)) {
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
}

/* The group is complete: each transfer that waited for it arrives after its own delay. */
void queue_release(struct group *group, __u64 at)
{
	struct flow *f;

	while ((f = group->waiting)) {
		group->waiting = f->next;
		f->arrival_ns += at;
		f->waits = false;
		queue_add(f);
	}
}
