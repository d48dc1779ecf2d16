/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netlink_fuzz - random requests to the family "conga", made by its own rules
 *
 * netlink_fuzz.c judges, netlink_fuzz_grammar.c asks the kernel what the family takes and
 * has, netlink_fuzz_message.c makes a message of a seed and an index, netlink_fuzz_send.c
 * sends it. netlink_fuzz_rules_generated.h has the valid values.
 */
#ifndef NETLINK_FUZZ_H
#define NETLINK_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/conga.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include "fuzz_driver.h"
#include "fuzz_random.h"

#define FUZZ_ATTRS	64		/* of a policy, at most */
#define FUZZ_POLICIES	32		/* as the kernel counts them */
#define FUZZ_COMMANDS	256
#define FUZZ_VALUES	48		/* kept of an attribute */
#define FUZZ_BYTES	65536		/* of a message */
#define FUZZ_SENTENCE	256		/* of an answer */

/* ---- the manual: include/uapi/linux/conga.h in tables ---- */

enum fuzz_object {
	FUZZ_FABRIC, FUZZ_PORT, FUZZ_LEAF, FUZZ_PATH, FUZZ_TABLE, FUZZ_FLOWLET,
	FUZZ_POLICY, FUZZ_STATS, FUZZ_FLOW, FUZZ_PARAM, FUZZ_OBJECTS
};

enum fuzz_right {
	FUZZ_READS,		/* anybody may */
	FUZZ_TELLS,		/* changes nothing, but tells who talks to whom */
	FUZZ_CHANGES,
};

struct fuzz_command {
	const char *name;	/* NULL: there is no such command */
	enum fuzz_object object;
	enum fuzz_right right;
	unsigned int weight;
};

/* The valid values of an attribute, as the description has them. */
struct fuzz_rule {
	enum fuzz_object object;
	int attr;
	uint64_t min, max;	/* max is 0 if it is no number */
	uint64_t also;		/* a value beside the range, 0 if that is in it or none is */
	bool zero;		/* 0 beside the range */
	bool power;		/* of two */
	bool single;		/* a dump does not take it */
	const char *sentence;	/* by which other values are refused, NULL: none are */
	const char *sentence_user;	/* likewise, in a user namespace */
};

/* How often a request has an attribute, and with which values. */
struct fuzz_habit {
	enum fuzz_object object;
	int attr;
	unsigned int percent;
	bool even;		/* small numbers are as rare as they are few */
	int family;		/* 4 or 6: one of both is given */
	enum fuzz_object like;	/* the same thing is called so there */
	int like_attr;		/* 0: nowhere else */
};

extern const struct fuzz_command fuzz_commands[FUZZ_COMMANDS];

const struct fuzz_rule *fuzz_rule(enum fuzz_object object, int attr);
const struct fuzz_habit *fuzz_habit(enum fuzz_object object, int attr);
bool fuzz_in_range(const struct fuzz_rule *rule, uint64_t value);

/* fuzz_is_refused_by - is it the sentence for values that @rule excludes? It has one. */
bool fuzz_is_refused_by(const struct fuzz_rule *rule, const char *sentence);

/* ---- the kernel's description, and the current configuration ---- */

struct fuzz_attr {
	bool taken;
	uint32_t type;		/* enum netlink_attribute_type */
	uint32_t nested;	/* which policy its nest has */
	uint32_t len;		/* of binary data */
};

struct fuzz_policy {
	struct fuzz_attr attrs[FUZZ_ATTRS];
};

struct fuzz_op {
	bool known, doit, dumpit;
	uint32_t policy, dump_policy;
};

struct fuzz_value {
	size_t len;
	const void *data;
};

struct fuzz_values {
	unsigned int count;
	struct fuzz_value value[FUZZ_VALUES];
};

/* A request that created a configured object. */
struct fuzz_made {
	struct fuzz_made *next;
	size_t len;
	char bytes[];
};

struct fuzz_param {
	char policy[CONGA_POLICY_NAME_MAX];
	char name[CONGA_POLICY_NAME_MAX];
	uint32_t min, max;
	bool time;			/* a value must have the flag that it is a time */
};

struct fuzz_grammar {
	uint16_t family;
	uint32_t config, state;		/* multicast groups */
	struct fuzz_op ops[FUZZ_COMMANDS];
	struct fuzz_policy policies[FUZZ_POLICIES];
	struct fuzz_values values[FUZZ_OBJECTS][FUZZ_ATTRS];
	struct fuzz_made *made;
	unsigned int made_count;
	unsigned int policy_count;	/* replies to POLICY_GET */
	struct fuzz_param params[FUZZ_VALUES];
	unsigned int param_count;
};

int fuzz_open(void);
int fuzz_grammar_read(struct fuzz_grammar *grammar, int fd);
unsigned int fuzz_count_policies(int fd, uint16_t family);

/* ---- messages ---- */

enum fuzz_kind {
	FUZZ_VALID,
	FUZZ_RESTORED,		/* makes again what there was */
	FUZZ_BITS,		/* some are turned over */
	FUZZ_RANDOM,		/* some bytes are others */
	FUZZ_TRUNCATED,
	FUZZ_NESTED,		/* where no nest is wanted */
	FUZZ_REPEATED,
	FUZZ_LENGTHS,		/* of an attribute, or of all */
	FUZZ_UNKNOWN,		/* an attribute that is not taken */
	FUZZ_HEADER,		/* version, flags, command */
	FUZZ_ABANDONED,		/* a dump that nobody reads */
	FUZZ_STARVED,		/* an allocation fails */

	FUZZ_KINDS
};

enum fuzz_actor {
	FUZZ_ADMIN,
	FUZZ_ELSEWHERE,		/* admin of another namespace */
	FUZZ_OWN,		/* root of a user namespace, in its own */
	FUZZ_DROPPED,		/* no CAP_NET_ADMIN, but admin's socket */
	FUZZ_NOBODY,		/* admin, but a socket of one without it */
	FUZZ_STRANGER,		/* root of a user namespace, in one that is not its own */

	FUZZ_ACTORS
};

struct fuzz_choice {
	const char *name;
	unsigned int weight;
};

extern const struct fuzz_choice fuzz_kinds[FUZZ_KINDS];
extern const struct fuzz_choice fuzz_actors[FUZZ_ACTORS];

struct fuzz_message {
	enum fuzz_kind kind;
	enum fuzz_actor actor;
	unsigned int nth;		/* allocation that fails, of a starved one */
	size_t len;			/* bytes that are sent */
	union {
		struct nlmsghdr nl;
		char bytes[FUZZ_BYTES];
	};
};

void fuzz_make(struct fuzz_message *message, const struct fuzz_grammar *grammar,
	       uint64_t seed, uint64_t index);

static inline struct genlmsghdr *fuzz_genl(struct fuzz_message *message)
{
	return (struct genlmsghdr *)(message->bytes + NLMSG_HDRLEN);
}

/* ---- sending ---- */

/* What the kernel said to a message. */
struct fuzz_verdict {
	bool answered;
	bool accepted;
	int error;
	char sentence[FUZZ_SENTENCE];	/* "": there is none */
	uint32_t offset;	/* of the attribute that it is about, 0: not said */
	bool news;		/* its configuration changed */
};

/* fuzz_open_all - open the sockets of all senders; ELSEWHERE is a network namespace */
void fuzz_open_all(const char *elsewhere);

/* fuzz_listen - hear the events from now on */
void fuzz_listen(const struct fuzz_grammar *grammar);

/* fuzz_admin - the socket of FUZZ_ADMIN */
int fuzz_admin(void);

/* fuzz_nth_kernel - the number of allocations for a request before it is the module's */
unsigned int fuzz_nth_kernel(void);

/* fuzz_forget_state - discard the events about states, which no message is judged by */
void fuzz_forget_state(void);

void fuzz_send(struct fuzz_message *message, uint64_t index, struct fuzz_verdict *verdict);

#endif
