// SPDX-License-Identifier: GPL-2.0
/*
 * Hello: does a leaf run conga, and by which uplinks can it be reached?
 *
 * This goes beyond the paper, whose leaves all run CONGA and whose links fail loudly. Here
 * a leaf without the module drops stamped packets, and a spine that drops silently looks
 * idle, and would attract every new flowlet. So each leaf gets hellos that carry a nonce,
 * and gets stamped packets only while it answers; and a path that carries packets, but has
 * no feedback, is tested by a hello on that uplink.
 *
 * A hello is about the UDP port to which it is sent; the answer echoes the nonce, which
 * names the port. A leaf is conga while it answers about any port; it gets stamped
 * packets at the ports that it answers about.
 *
 * Time is counted in ticks. A round is a hello interval, and has four ticks. A leaf that
 * answers gets one hello per round, by its uplinks in turn, about the lowest port that it
 * answers about (the main port), one more about each further port, and one more by each
 * silent path. An answer proves its path for a round. A hello that is not answered by the
 * next tick is missed, and asked again at once, so that three misses take no longer than a
 * round:
 *
 * - If hellos by one path are missed, while the leaf answers by another, that path is out
 *   until an answer comes by it; it gets one hello a round.
 * - If hellos about a port are missed by all paths that were asked, that port is no longer
 *   agreed, and the misses do not count against the paths. If it was the last agreed port,
 *   the leaf is silent, and no path is out, since there is nothing to choose by. A leaf
 *   that does not answer gets one hello about each port per round; until three were in
 *   vain, it is waited for.
 *
 * Now and then each path gets a hello of full size, which has as many bytes as the path
 * takes. If that hello is missed, it is repeated at each tick, with a small one beside it.
 * A path that loses three in a row whose small ones are answered is narrow, and out, until
 * a large one is answered; it gets one hello a round. If all paths are narrow, none of them
 * is out for that reason.
 *
 * A path that an operator pinged gets a hello by the next tick (hello_ping.c).
 *
 * Cost, in packets per leaf and second: (ports + silent paths) / hello interval sent, as
 * many received, and the same again for the leaf's own hellos. Full-size hellos cost paths
 * / (four hello intervals, or a second if that is longer) + narrow paths / hello interval
 * sent, as many small answers received.
 *
 * A nonce is valid in its round and the next one. A message that echoes no valid nonce is
 * rejected: a sender that cannot see the fabric's packets must not speak for a leaf.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "paper/hello.h"
#include "paper/hello_large.h"
#include "paper/hello_loss.h"
#include "paper/hello_ping.h"
#include "paper/hello_terms.h"

/* conga_hello_setup - sets up a leaf that has not been heard of; @tick spreads leaves over
 * a round, @port has the fabric's UDP ports, 0: none
 */
void conga_hello_setup(struct conga_hello *hello, u8 tick, const __be16 *port)
{
	WRITE_ONCE(hello->echo, 0);
	WRITE_ONCE(hello->id, 0);
	WRITE_ONCE(hello->reason, CONGA_LEAF_WAITING);
	memset_after(hello, 0, reason);
	memset(hello->misses, CONGA_HELLO_MISSES, sizeof(hello->misses));
	hello->tick = tick % CONGA_HELLO_TICKS;
	hello->turn = CONGA_TAGS_MAX - 1;
	memcpy(hello->port, port, sizeof(hello->port));
	conga_hello_hold(hello, port);
}

/* Forgets all about the paths, since the leaf is silent. */
static void conga_hello_silence(struct conga_hello *hello, u8 reason)
{
	hello->agreed = 0;
	WRITE_ONCE(hello->reason, reason);
	memset(hello->misses, CONGA_HELLO_MISSES, sizeof(hello->misses));
	memset(hello->waiting, 0, sizeof(hello->waiting));
	hello->large = 0;
	WRITE_ONCE(hello->out, 0);
	WRITE_ONCE(hello->narrow, 0);
	WRITE_ONCE(hello->proven, 0);
	memset(hello->path, 0, sizeof(hello->path));
}

/* The reason for a leaf without an agreement, of which nothing else is known */
static u8 conga_hello_unheard(const struct conga_hello *hello)
{
	return hello->unanswered < CONGA_HELLO_MISSES ? CONGA_LEAF_WAITING :
							CONGA_LEAF_SILENT;
}

/* --- the list of ports --- */

/*
 * conga_hello_hold - the list of ports is about to become @port
 *
 * Messages about a port whose place changes, or that has none in the new list, are ignored
 * until conga_hello_bind(), since packets may be judged by either list until then.
 */
void conga_hello_hold(struct conga_hello *hello, const __be16 *port)
{
	u8 i;

	hello->kept = 0;
	for (i = 0; i < CONGA_HELLO_PORTS; i++)
		if (hello->port[i] && hello->port[i] == port[i])
			hello->kept |= BIT(i);
}

/* The place of a port in the list; CONGA_HELLO_PORTS or more if it has none. */
static u8 conga_hello_place(const __be16 *ports, __be16 port)
{
	u8 i;

	for (i = 0; i < CONGA_HELLO_PORTS; i++)
		if (port && ports[i] == port)
			break;
	return i;
}

/* Nonces name ports by their place, so that nonces of a list with another order are void. */
static void conga_hello_renew(struct conga_hello *hello, u64 random)
{
	hello->nonce[1] = 0;
	hello->nonce[0] = random & ~CONGA_HELLO_WAY_MASK;
	if (!hello->nonce[0])
		hello->nonce[0] = CONGA_HELLO_WAY_MASK + 1;
}

/*
 * conga_hello_bind - @port is the list of ports now, and no packet is judged by another
 * list
 *
 * An agreement belongs to the port, whatever its place in the list.
 */
void conga_hello_bind(struct conga_hello *hello, const __be16 *port, u64 random)
{
	const struct conga_hello old = *hello;
	bool moved = false;
	u8 i, from;

	hello->agreed = 0;
	for (i = 0; i < CONGA_HELLO_PORTS; i++) {
		moved |= old.port[i] && old.port[i] != port[i];
		from = conga_hello_place(old.port, port[i]);
		hello->port[i] = port[i];
		hello->misses[i] = CONGA_HELLO_MISSES;
		if (from == CONGA_HELLO_PORTS)
			continue;
		hello->misses[i] = old.misses[from];
		if (old.agreed & BIT(from))
			hello->agreed |= BIT(i);
	}
	conga_hello_hold(hello, port);
	hello->came = conga_hello_place(port, old.port[old.came]) % CONGA_HELLO_PORTS;
	memset(hello->asked, 0, sizeof(hello->asked));
	memset(hello->waiting, 0, sizeof(hello->waiting));
	hello->large = 0;
	if (moved && hello->nonce[0])
		conga_hello_renew(hello, random);
	if (old.agreed && !hello->agreed)
		conga_hello_silence(hello, conga_hello_unheard(hello));
}

/* conga_hello_port - the port to which messages to the leaf are sent */
u8 conga_hello_port(const struct conga_hello *hello)
{
	u8 agreed = hello->agreed & hello->kept;

	return agreed ? __ffs(agreed) : hello->came;
}

/* --- the tick --- */

/* A path without a route is neither missed nor silent; it starts anew. */
static void conga_hello_forget(struct conga_hello *hello, u16 usable)
{
	u8 tag, port;

	for (port = 0; port < CONGA_HELLO_PORTS; port++) {
		hello->asked[port] &= usable;
		hello->waiting[port] &= usable;
	}
	hello->large &= usable;
	WRITE_ONCE(hello->out, hello->out & usable);
	WRITE_ONCE(hello->proven, hello->proven & usable);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!(usable & BIT(tag)))
			hello->path[tag] = (struct conga_hello_path){};
	hello->usable = usable;
}

static void conga_hello_miss_path(struct conga_hello *hello, u8 tag)
{
	struct conga_hello_path *path = &hello->path[tag];
	bool asked = hello->asked[hello->main] & BIT(tag);
	bool missed = hello->waiting[hello->main] & BIT(tag);

	if (path->proof)
		path->proof--;
	if (!hello->agreed)
		return;
	if (asked)
		conga_hello_loss_add(&path->loss, missed);
	if (missed && path->misses < CONGA_HELLO_MISSES)
		path->misses++;
}

/* Were all hellos of the previous tick in vain? */
static bool conga_hello_in_vain(const struct conga_hello *hello)
{
	u16 asked = 0;
	u8 port;

	for (port = 0; port < CONGA_HELLO_PORTS; port++) {
		if (hello->asked[port] != hello->waiting[port])
			return false;
		asked |= hello->asked[port];
	}
	return asked;
}

static void conga_hello_miss_leaf(struct conga_hello *hello)
{
	if (!conga_hello_in_vain(hello) || hello->unanswered == CONGA_HELLO_MISSES)
		return;
	hello->unanswered++;
	if (hello->reason == CONGA_LEAF_WAITING)
		WRITE_ONCE(hello->reason, conga_hello_unheard(hello));
}

static void conga_hello_miss(struct conga_hello *hello)
{
	u8 tag, port;

	conga_hello_miss_leaf(hello);

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		conga_hello_miss_path(hello, tag);
	for (port = 0; port < CONGA_HELLO_PORTS; port++)
		if (hello->asked[port] &&
		    hello->asked[port] == hello->waiting[port] &&
		    hello->misses[port] < CONGA_HELLO_MISSES)
			hello->misses[port]++;
}

/* Takes back the misses of the paths: they were not the paths' fault. */
static void conga_hello_acquit(struct conga_hello *hello)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		if (hello->out & BIT(tag))
			continue;
		hello->path[tag].misses = 0;
		hello->path[tag].loss = (struct conga_hello_loss){};
	}
}

/* Removes ports that are no longer agreed; false if none is left. */
static bool conga_hello_judge_ports(struct conga_hello *hello)
{
	u8 port;

	for (port = 0; port < CONGA_HELLO_PORTS; port++) {
		if (!(hello->agreed & BIT(port)) ||
		    hello->misses[port] < CONGA_HELLO_MISSES)
			continue;
		hello->agreed &= ~BIT(port);
		if (port == hello->main)
			conga_hello_acquit(hello);
	}
	return hello->agreed;
}

static u16 conga_hello_judge(struct conga_hello *hello)
{
	u16 out = 0;
	u8 tag;

	if (!conga_hello_judge_ports(hello)) {
		conga_hello_silence(hello, hello->version ? CONGA_LEAF_VERSION :
							    CONGA_LEAF_SILENT);
		return 0;
	}
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (hello->path[tag].misses == CONGA_HELLO_MISSES)
			out |= BIT(tag);
	out &= ~hello->out;
	WRITE_ONCE(hello->out, hello->out | out);
	return out;
}

static void conga_hello_round(struct conga_hello *hello, u64 random)
{
	u64 before = hello->left ? 0 : hello->nonce[0];

	conga_hello_renew(hello, random);
	hello->nonce[1] = before;
	hello->left = false;
	memset(hello->answers, 0, sizeof(hello->answers));
	hello->wrong = 0;
	if (hello->calm)
		hello->calm--;
	if (!hello->version && hello->reason == CONGA_LEAF_VERSION)
		WRITE_ONCE(hello->reason, conga_hello_unheard(hello));
	hello->version = false;
}

/* The next LBTag of @set after *@turn, as a bit; 0 if @set is empty. */
static u16 conga_hello_next(u8 *turn, u16 set)
{
	u8 i;

	for (i = 0; set && i < CONGA_TAGS_MAX; i++) {
		*turn = (*turn + 1) % CONGA_TAGS_MAX;
		if (set & BIT(*turn))
			return BIT(*turn);
	}
	return 0;
}

/* Paths that missed hellos, but too few to be out. */
static u16 conga_hello_suspects(const struct conga_hello *hello)
{
	u16 suspects = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (hello->path[tag].misses)
			suspects |= BIT(tag);
	return suspects & ~hello->out;
}

static u16 conga_hello_unproven(const struct conga_hello *hello)
{
	u16 unproven = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!hello->path[tag].proof)
			unproven |= BIT(tag);
	return unproven & ~hello->out;
}

/* Asks about the main port. The hello that goes round skips paths that are asked anyway, or
 * are out, unless no other path is left.
 */
static u16 conga_hello_ask_paths(struct conga_hello *hello,
				 const struct conga_hello_view *view)
{
	bool begin = !hello->tick;
	u16 ask, rest;

	if (!hello->agreed)
		return begin ? conga_hello_next(&hello->turn, view->usable) : 0;
	ask = conga_hello_suspects(hello) | conga_hello_large_doubted(hello);
	ask |= conga_hello_unproven(hello) & view->busy & ~view->heard;
	if (begin)
		ask |= hello->out;
	ask &= view->usable;
	if (begin || hello->misses[hello->main]) {
		rest = view->usable & ~ask & ~hello->out;
		ask |= conga_hello_next(&hello->turn, rest ? rest : view->usable);
	}
	return ask;
}

/* Asks about a further port by one path, and by another path if that was missed. */
static u16 conga_hello_ask_beside(const struct conga_hello *hello,
				  const struct conga_hello_view *view, u8 port)
{
	u16 set = view->usable & ~hello->out ? : view->usable;
	u8 turn = hello->turn, n;
	u16 ask = 0;

	if (hello->tick &&
	    !(hello->agreed & BIT(port) && hello->misses[port]))
		return 0;
	for (n = 0; n <= port + hello->misses[port]; n++)
		ask = conga_hello_next(&turn, set);
	return ask;
}

/* The lowest port that is agreed; if none is, the lowest port */
static u8 conga_hello_main(const struct conga_hello *hello)
{
	u8 agreed = hello->agreed & hello->kept;

	return agreed ? __ffs(agreed) : hello->kept ? __ffs(hello->kept) : 0;
}

static void conga_hello_ask(struct conga_hello *hello,
			    const struct conga_hello_view *view,
			    struct conga_hello_step *step)
{
	u8 port;

	hello->main = conga_hello_main(hello);
	step->main = hello->main;
	step->large = conga_hello_large_ask(hello, view);
	memset(step->ask, 0, sizeof(step->ask));
	step->pinged = conga_hello_ping_take(hello, view->usable);
	if (hello->kept)
		step->ask[hello->main] = conga_hello_ask_paths(hello, view) | step->pinged;
	else
		step->large = 0;
	for (port = 0; port < CONGA_HELLO_PORTS; port++)
		if (port != hello->main && hello->kept & BIT(port))
			step->ask[port] = conga_hello_ask_beside(hello, view, port);
}

/**
 * conga_hello_tick - does one tick; called CONGA_HELLO_TICKS times per hello interval
 * @hello: of one leaf
 * @view: the state of its paths
 * @step: set to what the caller must do: send the hellos of @ask and @large
 */
void conga_hello_tick(struct conga_hello *hello,
		      const struct conga_hello_view *view,
		      struct conga_hello_step *step)
{
	conga_hello_forget(hello, view->usable);
	memcpy(step->missed, hello->waiting, sizeof(step->missed));
	step->missed_large = hello->large;
	conga_hello_miss(hello);
	step->narrowed = conga_hello_large_judge(hello);
	step->silenced = hello->agreed ? conga_hello_judge(hello) : 0;
	if (!hello->tick)
		conga_hello_round(hello, view->random);
	conga_hello_ask(hello, view, step);
	memcpy(hello->asked, step->ask, sizeof(hello->asked));
	memcpy(hello->waiting, step->ask, sizeof(hello->waiting));
	hello->large = step->large;
	hello->tick = (hello->tick + 1) % CONGA_HELLO_TICKS;
}

/* conga_hello_shut - paths that packets must not use; those of @closed, and those that are
 * out. Narrow paths are among them while any other path is left.
 */
u16 conga_hello_shut(const struct conga_hello *hello, u16 closed)
{
	u16 wide = hello->usable & ~(closed | hello->out | hello->narrow);

	return hello->out | (wide ? hello->narrow : 0);
}

/* --- what the leaf says --- */

/* conga_hello_echoed - was this nonce sent in this round or in the previous one? */
bool conga_hello_echoed(const struct conga_hello *hello, u64 echo)
{
	u64 round = echo & ~CONGA_HELLO_WAY_MASK;

	return round && (round == hello->nonce[0] || round == hello->nonce[1]);
}

/* conga_hello_wrong - a message came without a valid nonce; false if the leaf sent too many
 * of these
 */
bool conga_hello_wrong(struct conga_hello *hello)
{
	if (hello->wrong == CONGA_HELLO_WRONG)
		return false;
	hello->wrong++;
	return true;
}

/* A node that was restarted has a new id once. Two nodes behind one address alternate
 * between ids that were there before.
 */
static void conga_hello_identify(struct conga_hello *hello, u32 id)
{
	if (id == hello->id)
		return;
	if (id == hello->other)
		hello->calm = CONGA_HELLO_CALM;
	hello->other = hello->id;
	WRITE_ONCE(hello->id, id);
}

/* A small hello was answered. If its tick is over, it was counted as missed by mistake. */
static void conga_hello_prove_small(struct conga_hello *hello, u64 echo)
{
	u8 tag = conga_hello_nonce_tag(echo), port = conga_hello_nonce_port(echo);

	if (port == hello->main && !(hello->waiting[port] & BIT(tag)))
		conga_hello_loss_take_back(&hello->path[tag].loss);
	hello->waiting[port] &= ~BIT(tag);
}

/* The path of the answer works; if a full-size hello was answered, for packets of both sizes. */
static void conga_hello_prove(struct conga_hello *hello, u64 echo)
{
	u8 tag = conga_hello_nonce_tag(echo);
	struct conga_hello_path *path = &hello->path[tag];

	if (hello->out & BIT(tag))
		path->loss = (struct conga_hello_loss){};
	if (echo & CONGA_HELLO_LARGE)
		conga_hello_large_prove(hello, tag);
	else
		conga_hello_prove_small(hello, echo);
	WRITE_ONCE(hello->out, hello->out & ~BIT(tag));
	WRITE_ONCE(hello->proven, hello->proven | BIT(tag));
	path->misses = 0;
	path->proof = CONGA_HELLO_TICKS;
}

/**
 * conga_hello_answered - an answer came
 * @hello: of its sender
 * @echo: the nonce it echoes
 * @id: the sender's leaf id
 * @ours: the terms of this node
 * @theirs: the sender's
 *
 * Returns false and changes nothing if the answer echoes no nonce of ours, or one about a
 * port that has left the list.
 */
bool conga_hello_answered(struct conga_hello *hello, u64 echo, u32 id,
			  const struct conga_hello_terms *ours,
			  const struct conga_hello_terms *theirs)
{
	u8 port = conga_hello_nonce_port(echo);

	if (!conga_hello_echoed(hello, echo) || hello->left ||
	    !(hello->kept & BIT(port)))
		return false;
	conga_hello_prove(hello, echo);
	hello->misses[port] = 0;
	hello->unanswered = 0;
	hello->theirs = *theirs;
	hello->agreed |= BIT(port);
	conga_hello_identify(hello, id);
	WRITE_ONCE(hello->reason, hello->calm ? CONGA_LEAF_ALTERNATES :
						conga_hello_terms_compare(ours, theirs));
	return true;
}

/* conga_hello_bye - the leaf leaves; false if its goodbye message echoes no nonce of ours.
 * Earlier answers of the leaf may still be on the way, and must not count. A goodbye
 * message comes by several uplinks, and ends the agreement about all ports.
 */
bool conga_hello_bye(struct conga_hello *hello, u64 echo)
{
	if (!conga_hello_echoed(hello, echo))
		return false;
	conga_hello_silence(hello, CONGA_LEAF_BYE);
	hello->left = true;
	WRITE_ONCE(hello->echo, 0);
	return true;
}

/* conga_hello_asked - the leaf sent a hello about @port. False if the leaf has asked enough
 * in this round, or if @port is not in the list, or is about to leave it. The hello is
 * proven if it echoes a nonce of ours. Other hellos may be forged: they have a limit of
 * their own, and their nonce is ignored while a leaf answers.
 */
bool conga_hello_asked(struct conga_hello *hello, __be16 port, u64 nonce, u64 echo)
{
	bool proven = conga_hello_echoed(hello, echo);
	u8 place = conga_hello_place(hello->port, port);

	if (place == CONGA_HELLO_PORTS || !(hello->kept & BIT(place)) ||
	    hello->answers[proven] == CONGA_HELLO_ANSWERS)
		return false;
	hello->answers[proven]++;
	if (!proven && hello->agreed)
		return true;
	WRITE_ONCE(hello->echo, nonce);
	hello->came = place;
	return true;
}

/* conga_hello_version - the leaf sent a control packet of another version */
void conga_hello_version(struct conga_hello *hello)
{
	hello->version = true;
	if (!hello->agreed)
		WRITE_ONCE(hello->reason, CONGA_LEAF_VERSION);
}
