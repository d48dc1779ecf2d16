/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_HELLO_H
#define _UNIT_NAIVE_HELLO_H

/* Hello as its rules read: a record per path and times in plain ticks, where
 * hello.c has bits and counts down. Here are ticks and answers; naive_hello_events.h has the rest.
 */
#include <string.h>

#include "paper/hello.h"

#define NAIVE_TAGS	CONGA_TAGS_MAX
#define NAIVE_ROUND	4	/* ticks */
#define NAIVE_MISSES	3
#define NAIVE_ANSWERS	144
#define NAIVE_WRONG	64
#define NAIVE_PORTS	4
#define NAIVE_WAYS	256	/* nonces of a round */
#define NAIVE_PING	128	/* in nonces of pings */
#define NAIVE_CALM	10	/* rounds */
#define NAIVE_NEVER	(-1000000000LL)

/* A hello of the last tick */
struct naive_sent {
	bool	sent;
	bool	unanswered;	/* since then */
};

struct naive_path {
	bool	out, narrow;
	int	lost;		/* hellos in a row */
	bool	doubted;	/* a full-size hello was lost */
	int	swallowed;	/* and then so many, not the small ones beside */
	s64	proven;		/* tick after which the last answer came */
	bool	came;		/* an answer, since it has a route */
	s64	due;		/* round of the next full-size hello */
	struct naive_sent large;
};

/* The last ping by a path, and all of them */
struct naive_ping {
	bool	ordered;
	u64	nonce;		/* with all its bits, 0: none */
	s64	left, came;	/* any clock; came is NAIVE_NEVER before its answer */
	int	sent, answered;
};

struct naive_port {
	int	number;		/* 0: none */
	bool	held;		/* its place in the list is about to be another's */
	bool	agreed;
	int	unheard;	/* ticks in a row that asked in vain */
	struct naive_sent by[NAIVE_TAGS];
};

struct naive_hello {
	struct naive_path path[NAIVE_TAGS];
	struct naive_port port[NAIVE_PORTS];
	struct naive_ping ping[NAIVE_TAGS];
	s64	tick;		/* of the next one */
	s64	round;		/* of now */
	u64	nonce, nonce_before, echo;
	s64	bye;		/* round of the last one */
	s64	returned;	/* round in which an earlier id came back */
	u32	id, id_before;
	int	main;		/* port that paths were asked about last */
	int	came;		/* number of the port of the last nonce */
	u16	usable;
	int	wrong;
	int	answers_proven, answers_unproven;
	int	turn;
	bool	version;
	int	vain;		/* ticks in a row whose hellos nobody answered */
	u8	reason;
};

static inline void naive_forget(struct naive_path *path)
{
	*path = (struct naive_path) { .proven = NAIVE_NEVER, .due = NAIVE_NEVER };
}

static inline void naive_hello_setup(struct naive_hello *naive, int phase,
				     const __be16 *ports)
{
	int i;

	memset(naive, 0, sizeof(*naive));
	naive->tick = phase;
	naive->bye = NAIVE_NEVER;
	naive->returned = NAIVE_NEVER;
	naive->turn = NAIVE_TAGS - 1;
	naive->reason = CONGA_LEAF_WAITING;
	for (i = 0; i < NAIVE_TAGS; i++)
		naive_forget(&naive->path[i]);
	for (i = 0; i < NAIVE_TAGS; i++)
		naive->ping[i].came = NAIVE_NEVER;
	for (i = 0; i < NAIVE_PORTS; i++) {
		naive->port[i].number = ports[i];
		naive->port[i].unheard = NAIVE_MISSES;
	}
}

static inline bool naive_has(u16 set, int tag)
{
	return set >> tag & 1;
}

static inline bool naive_listed(const struct naive_port *port)
{
	return port->number && !port->held;
}

static inline bool naive_heard(const struct naive_hello *naive)
{
	int p;

	for (p = 0; p < NAIVE_PORTS; p++)
		if (naive->port[p].agreed)
			return true;
	return false;
}

static inline void naive_fall_silent(struct naive_hello *naive, u8 reason)
{
	int tag, p;

	naive->reason = reason;
	for (tag = 0; tag < NAIVE_TAGS; tag++)
		naive_forget(&naive->path[tag]);
	for (p = 0; p < NAIVE_PORTS; p++) {
		naive->port[p].agreed = false;
		naive->port[p].unheard = NAIVE_MISSES;
		for (tag = 0; tag < NAIVE_TAGS; tag++)
			naive->port[p].by[tag].unanswered = false;
	}
}

/* The hellos about a port of the last tick: who answered? */
static inline u16 naive_count_misses(struct naive_hello *naive, int p)
{
	struct naive_port *port = &naive->port[p];
	int tag, sent = 0, lost = 0;
	u16 missed = 0;

	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		sent += port->by[tag].sent;
		if (!port->by[tag].sent || !port->by[tag].unanswered)
			continue;
		lost++;
		missed += 1 << tag;
		/* of a leaf that is not there no path is better */
		if (p == naive->main)
			naive->path[tag].lost += naive_heard(naive);
	}
	if (sent && sent == lost && port->unheard < NAIVE_MISSES)
		port->unheard++;
	return missed;
}

static inline u8 naive_unheard(const struct naive_hello *naive)
{
	return naive->vain < NAIVE_MISSES ? CONGA_LEAF_WAITING : CONGA_LEAF_SILENT;
}

/* All hellos of the last tick, about all ports */
static inline void naive_count_vain(struct naive_hello *naive)
{
	int p, tag, sent = 0, unanswered = 0;

	for (p = 0; p < NAIVE_PORTS; p++)
		for (tag = 0; tag < NAIVE_TAGS; tag++) {
			sent += naive->port[p].by[tag].sent;
			unanswered += naive->port[p].by[tag].sent &&
				      naive->port[p].by[tag].unanswered;
		}
	naive->vain += sent && sent == unanswered;
	if (naive->reason == CONGA_LEAF_WAITING)
		naive->reason = naive_unheard(naive);
}

/* Full-size hellos: lost, while the small one beside was not? */
static inline u16 naive_count_swallowed(struct naive_hello *naive, u16 *narrowed)
{
	u16 missed = 0;
	int tag;

	*narrowed = 0;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		const struct naive_sent *small = &naive->port[naive->main].by[tag];
		struct naive_path *path = &naive->path[tag];

		if (!path->large.sent || !path->large.unanswered)
			continue;
		missed += 1 << tag;
		if (path->narrow)
			continue;
		if (path->doubted && small->sent && !small->unanswered)
			path->swallowed++;
		path->doubted = true;
		if (path->swallowed < NAIVE_MISSES)
			continue;
		path->narrow = true;
		*narrowed += 1 << tag;
	}
	return missed;
}

/* A port that lost three is agreed no more. If it was the one that paths were asked
 * about, these hellos tell nothing of them.
 */
static inline void naive_judge_ports(struct naive_hello *naive)
{
	int p, tag;

	for (p = 0; p < NAIVE_PORTS; p++) {
		if (!naive->port[p].agreed || naive->port[p].unheard < NAIVE_MISSES)
			continue;
		naive->port[p].agreed = false;
		for (tag = 0; tag < NAIVE_TAGS && p == naive->main; tag++)
			if (!naive->path[tag].out)
				naive->path[tag].lost = 0;
	}
}

/* Out are paths that lost three, if not all is lost. */
static inline u16 naive_judge(struct naive_hello *naive)
{
	u16 silenced = 0;
	int tag;

	if (!naive_heard(naive))
		return 0;
	naive_judge_ports(naive);
	if (!naive_heard(naive)) {
		naive_fall_silent(naive, naive->version ? CONGA_LEAF_VERSION :
							  CONGA_LEAF_SILENT);
		return 0;
	}
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		struct naive_path *path = &naive->path[tag];

		if (path->out || path->lost < NAIVE_MISSES)
			continue;
		path->out = true;
		silenced += 1 << tag;
	}
	return silenced;
}

static inline void naive_new_nonce(struct naive_hello *naive, u64 random)
{
	naive->nonce = random - random % NAIVE_WAYS;
	if (!naive->nonce)
		naive->nonce = NAIVE_WAYS;
}

static inline void naive_new_round(struct naive_hello *naive, u64 random)
{
	naive->nonce_before = naive->bye == naive->round ? 0 : naive->nonce;
	naive_new_nonce(naive, random);
	naive->round++;
	naive->wrong = 0;
	naive->answers_proven = 0;
	naive->answers_unproven = 0;
	if (naive->reason == CONGA_LEAF_VERSION && !naive->version)
		naive->reason = naive_unheard(naive);
	naive->version = false;
}

/* The path @steps after @turn, among those for which this is true; -1: none is. */
static inline int naive_after(int turn, u16 among, int steps)
{
	int i;

	for (i = 1; among; i++)
		if (naive_has(among, (turn + i) % NAIVE_TAGS) && !--steps)
			return (turn + i) % NAIVE_TAGS;
	return -1;
}

static inline u16 naive_turn(struct naive_hello *naive, u16 among)
{
	int tag = naive_after(naive->turn, among, 1);

	if (tag < 0)
		return 0;
	naive->turn = tag;
	return 1 << tag;
}

/* Is this path asked, whoever's turn it is? */
static inline bool naive_is_asked(const struct naive_hello *naive, int tag,
				  const struct conga_hello_view *view,
				  bool begins)
{
	const struct naive_path *path = &naive->path[tag];

	if (!naive_has(view->usable, tag))
		return false;
	if (path->out)
		return begins;
	if (path->lost || (path->doubted && !path->narrow))
		return true;
	return naive_has(view->busy, tag) && !naive_has(view->heard, tag) &&
	       naive->tick - path->proven >= NAIVE_ROUND;
}

/* About the main port */
static inline u16 naive_ask(struct naive_hello *naive,
			    const struct conga_hello_view *view, bool begins)
{
	u16 ask = 0, others = 0;
	int tag;

	if (!naive_heard(naive))
		return begins ? naive_turn(naive, view->usable) : 0;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		if (naive_is_asked(naive, tag, view, begins))
			ask += 1 << tag;
		else if (naive_has(view->usable, tag) && !naive->path[tag].out)
			others += 1 << tag;
	}
	if (!begins && !naive->port[naive->main].unheard)
		return ask;
	return ask | naive_turn(naive, others ? others : view->usable);
}

/* Ordered pings about the main port; they wait while no answer would count. */
static inline u16 naive_send_pings(struct naive_hello *naive, u16 usable)
{
	u16 pings = 0;
	int tag;

	if (!naive_listed(&naive->port[naive->main]) || !naive->nonce ||
	    naive->bye == naive->round)
		return 0;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		struct naive_ping *ping = &naive->ping[tag];

		if (ping->ordered && naive_has(usable, tag)) {
			ping->nonce = naive->nonce + NAIVE_PING + naive->main * NAIVE_TAGS + tag;
			ping->came = NAIVE_NEVER;
			pings += 1 << tag;
		}
		ping->ordered = false;
	}
	return pings;
}

/* About another: further on in the turn, by as much as it was missed. */
static inline u16 naive_ask_beside(const struct naive_hello *naive, int p,
				   const struct conga_hello_view *view, bool begins)
{
	const struct naive_port *port = &naive->port[p];
	u16 among = 0;
	int tag;

	if (!begins && !(port->agreed && port->unheard))
		return 0;
	for (tag = 0; tag < NAIVE_TAGS; tag++)
		if (naive_has(view->usable, tag) && !naive->path[tag].out)
			among += 1 << tag;
	tag = naive_after(naive->turn, among ? among : view->usable,
			  1 + p + port->unheard);
	return tag < 0 ? 0 : 1 << tag;
}

/* By full-size hellos: every so many rounds, each round while narrow, each tick while
 * in doubt.
 */
static inline u16 naive_measure(struct naive_hello *naive,
				const struct conga_hello_view *view)
{
	u16 ask = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		struct naive_path *path = &naive->path[tag];
		bool turn = naive->tick % NAIVE_ROUND == tag % NAIVE_ROUND;

		if (!naive_has(view->usable, tag) || !naive_has(view->large, tag) ||
		    path->out || naive->reason != CONGA_LEAF_ANSWERS) {
			path->narrow = false;
			path->doubted = false;
			path->swallowed = 0;
			path->due = NAIVE_NEVER;
			continue;
		}
		if (turn && (path->narrow || naive->round >= path->due)) {
			ask += 1 << tag;
			path->due = naive->round + view->every;
		} else if (path->doubted && !path->narrow) {
			ask += 1 << tag;
		}
	}
	return ask;
}

static inline int naive_main(const struct naive_hello *naive)
{
	int p;

	for (p = 0; p < NAIVE_PORTS; p++)
		if (naive_listed(&naive->port[p]) && naive->port[p].agreed)
			return p;
	for (p = 0; p < NAIVE_PORTS; p++)
		if (naive_listed(&naive->port[p]))
			return p;
	return 0;
}

static inline void naive_note(struct naive_sent *sent, bool asked)
{
	sent->sent = asked;
	sent->unanswered = asked;
}

static inline void naive_note_asked(struct naive_hello *naive,
				    const struct conga_hello_step *step)
{
	int tag, p;

	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		naive_note(&naive->path[tag].large, naive_has(step->large, tag));
		for (p = 0; p < NAIVE_PORTS; p++)
			naive_note(&naive->port[p].by[tag], naive_has(step->ask[p], tag));
	}
}

static inline void naive_lose_routes(struct naive_hello *naive, u16 usable)
{
	int tag, p;

	naive->usable = usable;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		if (naive_has(usable, tag))
			continue;
		naive_forget(&naive->path[tag]);
		for (p = 0; p < NAIVE_PORTS; p++)
			naive_note(&naive->port[p].by[tag], false);
	}
}

static inline void naive_hello_tick(struct naive_hello *naive,
				    const struct conga_hello_view *view,
				    struct conga_hello_step *step)
{
	bool begins = naive->tick % NAIVE_ROUND == 0;
	int p;

	memset(step, 0, sizeof(*step));
	naive_lose_routes(naive, view->usable);
	naive_count_vain(naive);
	for (p = 0; p < NAIVE_PORTS; p++)
		step->missed[p] = naive_count_misses(naive, p);
	step->missed_large = naive_count_swallowed(naive, &step->narrowed);
	step->silenced = naive_judge(naive);
	if (begins)
		naive_new_round(naive, view->random);
	naive->main = naive_main(naive);
	step->main = naive->main;
	step->large = naive_measure(naive, view);
	step->pinged = naive_send_pings(naive, view->usable);
	if (naive_listed(&naive->port[naive->main]))
		step->ask[naive->main] = naive_ask(naive, view, begins) | step->pinged;
	else
		step->large = 0;
	for (p = 0; p < NAIVE_PORTS; p++)
		if (p != naive->main && naive_listed(&naive->port[p]))
			step->ask[p] = naive_ask_beside(naive, p, view, begins);
	naive_note_asked(naive, step);
	naive->tick++;
}

/* A nonce ends with the round after its own, or with the round of a bye. */
static inline bool naive_hello_echoed(const struct naive_hello *naive, u64 echo)
{
	u64 nonce = echo - echo % NAIVE_WAYS;

	return nonce && (nonce == naive->nonce || nonce == naive->nonce_before);
}

static inline bool naive_ping_order(struct naive_hello *naive, int tag)
{
	struct naive_ping *ping = &naive->ping[tag];
	u64 round = ping->nonce - ping->nonce % NAIVE_WAYS;

	if (ping->ordered || (round && round == naive->nonce))
		return false;
	ping->ordered = true;
	return true;
}

/* By a valid echo: another port's answer is the ping's, too. */
static inline void naive_ping_answered(struct naive_hello *naive, u64 echo, s64 now)
{
	struct naive_ping *ping = &naive->ping[echo % NAIVE_TAGS];

	if (echo % NAIVE_WAYS < NAIVE_PING || ping->came != NAIVE_NEVER ||
	    ping->nonce / NAIVE_WAYS != echo / NAIVE_WAYS)
		return;
	ping->came = now;
	ping->answered++;
}

static inline bool naive_ping_waits(const struct naive_hello *naive, int tag)
{
	const struct naive_ping *ping = &naive->ping[tag];

	return ping->ordered ||
	       (ping->came == NAIVE_NEVER && naive_hello_echoed(naive, ping->nonce));
}

static inline void naive_meet(struct naive_hello *naive, u32 id)
{
	if (id == naive->id)
		return;
	if (id == naive->id_before)
		naive->returned = naive->round;
	naive->id_before = naive->id;
	naive->id = id;
}

static inline u8 naive_agrees(const struct conga_hello_terms *a,
			      const struct conga_hello_terms *b)
{
	return a->q != b->q ? CONGA_LEAF_Q :
	       a->byte3 != b->byte3 ? CONGA_LEAF_BYTE3 :
	       a->sum != b->sum ? CONGA_LEAF_METRIC : CONGA_LEAF_ANSWERS;
}

static inline bool naive_hello_answered(struct naive_hello *naive, u64 echo,
					u32 id,
					const struct conga_hello_terms *ours,
					const struct conga_hello_terms *theirs)
{
	struct naive_path *path = &naive->path[echo % NAIVE_TAGS];
	struct naive_port *port = &naive->port[echo / NAIVE_TAGS % NAIVE_PORTS];
	bool large = echo % NAIVE_PING / NAIVE_TAGS / NAIVE_PORTS;

	if (!naive_hello_echoed(naive, echo) || naive->bye == naive->round ||
	    !naive_listed(port))
		return false;
	if (large) {
		path->large.unanswered = false;
		path->narrow = false;
		path->doubted = false;
		path->swallowed = 0;
	} else {
		port->by[echo % NAIVE_TAGS].unanswered = false;
	}
	path->out = false;
	path->lost = 0;
	path->came = true;
	path->proven = naive->tick - 1;
	naive->vain = 0;
	port->unheard = 0;
	port->agreed = true;
	naive_meet(naive, id);
	naive->reason = naive->round - naive->returned < NAIVE_CALM ?
			CONGA_LEAF_ALTERNATES : naive_agrees(ours, theirs);
	return true;
}

#endif /* _UNIT_NAIVE_HELLO_H */
