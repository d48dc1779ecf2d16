/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_HELLO_EVENTS_H
#define _UNIT_NAIVE_HELLO_EVENTS_H

/* What happens to the model of naive_hello.h between ticks, beside answers: another list of
 * ports, hellos, goodbye messages, and other versions. And what the model knows of paths and ports.
 */
#include "naive_hello.h"

/* ---- the list of ports ---- */

static inline int naive_find(const struct naive_hello *naive, int number)
{
	int p;

	for (p = 0; p < NAIVE_PORTS; p++)
		if (number && naive->port[p].number == number)
			return p;
	return -1;
}

static inline void naive_hello_hold(struct naive_hello *naive, const __be16 *ports)
{
	int p;

	for (p = 0; p < NAIVE_PORTS; p++)
		naive->port[p].held = naive->port[p].number != ports[p];
}

/* Agreements follow their numbers. Where a place is another's, nonces are new. */
static inline void naive_hello_bind(struct naive_hello *naive, const __be16 *ports,
				    u64 random)
{
	struct naive_port moved[NAIVE_PORTS] = {};
	bool renew = false, heard = naive_heard(naive);
	int p, from;

	for (p = 0; p < NAIVE_PORTS; p++) {
		renew |= naive->port[p].number && naive->port[p].number != ports[p];
		from = naive_find(naive, ports[p]);
		moved[p].number = ports[p];
		moved[p].agreed = from >= 0 && naive->port[from].agreed;
		moved[p].unheard = from >= 0 ? naive->port[from].unheard : NAIVE_MISSES;
	}
	memcpy(naive->port, moved, sizeof(moved));
	for (p = 0; p < NAIVE_TAGS; p++)
		naive_note(&naive->path[p].large, false);
	if (renew && naive->nonce) {
		naive_new_nonce(naive, random);
		naive->nonce_before = 0;
	}
	if (heard && !naive_heard(naive))
		naive_fall_silent(naive, naive_unheard(naive));
}

/* ---- what the leaf sends ---- */

static inline bool naive_hello_wrong(struct naive_hello *naive)
{
	return naive->wrong++ < NAIVE_WRONG;
}

static inline bool naive_hello_bye(struct naive_hello *naive, u64 echo)
{
	if (!naive_hello_echoed(naive, echo))
		return false;
	naive_fall_silent(naive, CONGA_LEAF_BYE);
	naive->bye = naive->round;
	naive->echo = 0;
	return true;
}

/* Who echoes a nonce of ours is the leaf; others may be. */
static inline bool naive_hello_asked(struct naive_hello *naive, int number, u64 nonce,
				     u64 echo)
{
	bool proven = naive_hello_echoed(naive, echo);
	int *answers = proven ? &naive->answers_proven : &naive->answers_unproven;
	int p = naive_find(naive, number);

	if (p < 0 || !naive_listed(&naive->port[p]) || *answers == NAIVE_ANSWERS)
		return false;
	++*answers;
	if (proven || !naive_heard(naive)) {
		naive->echo = nonce;
		naive->came = number;
	}
	return true;
}

static inline void naive_hello_version(struct naive_hello *naive)
{
	naive->version = true;
	if (!naive_heard(naive))
		naive->reason = CONGA_LEAF_VERSION;
}

/* ---- what is known ---- */

static inline u16 naive_came(const struct naive_hello *naive)
{
	u16 came = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		if (naive->path[tag].came)
			came += 1 << tag;
	return came;
}

static inline u16 naive_out(const struct naive_hello *naive)
{
	u16 out = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		out += naive->path[tag].out << tag;
	return out;
}

static inline u16 naive_narrow(const struct naive_hello *naive)
{
	u16 narrow = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		narrow += naive->path[tag].narrow << tag;
	return narrow;
}

/* Narrow ones are shut if another is open. */
static inline u16 naive_shut(const struct naive_hello *naive, u16 closed)
{
	bool other = false;
	u16 shut = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		other |= naive_has(naive->usable, tag) && !naive_has(closed, tag) &&
			 !naive->path[tag].out && !naive->path[tag].narrow;
	for (tag = 0; tag < NAIVE_TAGS; tag++)
		if (naive->path[tag].out || (other && naive->path[tag].narrow))
			shut += 1 << tag;
	return shut;
}

static inline u8 naive_agreed(const struct naive_hello *naive)
{
	u8 agreed = 0;
	int p;

	for (p = 0; p < NAIVE_PORTS; p++)
		agreed += naive->port[p].agreed << p;
	return agreed;
}

#endif /* _UNIT_NAIVE_HELLO_EVENTS_H */
