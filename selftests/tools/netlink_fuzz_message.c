// SPDX-License-Identifier: GPL-2.0
/*
 * One message, which depends on a seed and an index alone: a message that does harm can be
 * sent again without the previous ones.
 */
#include <string.h>
#include <sys/param.h>
#include "netlink_fuzz.h"

#define FUZZ_SENT_MAX	32768		/* of a message that is not absurd */
#define FUZZ_PLACES	512		/* attributes that mutations choose from */
#define FUZZ_DEPTH	64		/* of nests within nests */
#define FUZZ_MANY	300		/* of one attribute */
#define FUZZ_NTH_MAX	40		/* allocations that a request may make */

const struct fuzz_choice fuzz_kinds[FUZZ_KINDS] = {
	[FUZZ_VALID]	 = { "valid", 26 },
	[FUZZ_RESTORED]	 = { "restored", 14 },
	[FUZZ_BITS]	 = { "bits", 8 },
	[FUZZ_RANDOM]	 = { "bytes", 8 },
	[FUZZ_TRUNCATED] = { "truncated", 6 },
	[FUZZ_NESTED]	 = { "nested", 7 },
	[FUZZ_REPEATED]	 = { "repeated", 7 },
	[FUZZ_LENGTHS]	 = { "lengths", 7 },
	[FUZZ_UNKNOWN]	 = { "unknown", 5 },
	[FUZZ_HEADER]	 = { "header", 4 },
	[FUZZ_ABANDONED] = { "abandoned", 3 },
	[FUZZ_STARVED]	 = { "starved", 5 },
};

const struct fuzz_choice fuzz_actors[FUZZ_ACTORS] = {
	[FUZZ_ADMIN]	 = { "admin", 78 },
	[FUZZ_ELSEWHERE] = { "elsewhere", 4 },
	[FUZZ_OWN]	 = { "own", 4 },
	[FUZZ_DROPPED]	 = { "dropped", 5 },
	[FUZZ_NOBODY]	 = { "nobody", 5 },
	[FUZZ_STRANGER]	 = { "stranger", 4 },
};

struct fuzz_maker {
	const struct fuzz_grammar *grammar;
	struct fuzz_message *message;
	struct fuzz_rng rng;
	int family;			/* 4 or 6: of addresses */
	const struct fuzz_param *param;	/* of a policy; NULL: none is given */
	bool dump;
};

static unsigned int fuzz_weighted(struct fuzz_rng *rng, const struct fuzz_choice *choices,
				  unsigned int count)
{
	unsigned int i, sum = 0;
	uint64_t drawn;

	for (i = 0; i < count; i++)
		sum += choices[i].weight;
	drawn = fuzz_below(rng, sum);
	for (i = 0; drawn >= choices[i].weight; i++)
		drawn -= choices[i].weight;
	return i;
}

/* ---- values ---- */

/* These values often reveal faults: ends of ranges, powers of two and their neighbours. */
static uint64_t fuzz_odd(struct fuzz_rng *rng)
{
	uint64_t bit = 1ULL << fuzz_below(rng, 64);

	switch (fuzz_below(rng, 6)) {
	case 0:
		return bit;
	case 1:
		return bit - 1;
	case 2:
		return bit + 1;
	case 3:
		return fuzz_below(rng, 20);
	case 4:
		return -fuzz_below(rng, 20);
	}
	return fuzz_random(rng);
}

/* Small numbers are as frequent as large ones, except where a small or large value would
 * keep the machine busy from then on: probes every 20 us, tables of millions.
 */
static uint64_t fuzz_within(struct fuzz_rng *rng, const struct fuzz_rule *rule, bool even)
{
	uint64_t value = fuzz_random(rng) >> fuzz_below(rng, 64);
	unsigned int steps = 1;

	if (rule->zero && fuzz_chance(rng, 20))
		return 0;
	if (rule->also && fuzz_chance(rng, 10))
		return rule->also;
	if (even && fuzz_chance(rng, 98))
		return rule->min + fuzz_random(rng) % (rule->max - rule->min + 1);
	if (rule->power) {
		while (rule->min << steps <= rule->max)
			steps++;
		return rule->min << MIN(fuzz_below(rng, steps),
					MIN(fuzz_below(rng, steps), fuzz_below(rng, steps)));
	}
	if (fuzz_chance(rng, 20))
		return fuzz_chance(rng, 50) ? rule->min : rule->max;
	return rule->min + value % (rule->max - rule->min + 1);
}

static uint64_t fuzz_number(struct fuzz_rng *rng, const struct fuzz_rule *rule, bool even)
{
	if (!rule || fuzz_chance(rng, 8))
		return fuzz_odd(rng);
	return fuzz_within(rng, rule, even);
}

/* ---- attributes ---- */

static struct nlattr *fuzz_put(struct fuzz_message *message, uint16_t type, const void *data,
			       size_t len)
{
	struct nlattr *attr = (void *)(message->bytes + message->len);

	if (message->len + NLA_HDRLEN + NLA_ALIGN(len) > FUZZ_BYTES)
		return attr;
	memset(attr, 0, NLA_HDRLEN + NLA_ALIGN(len));
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	message->len += NLA_HDRLEN + NLA_ALIGN(len);
	return attr;
}

static void fuzz_put_random(struct fuzz_maker *maker, uint16_t type, size_t len)
{
	char data[256];
	size_t i;

	for (i = 0; i < len; i++)
		data[i] = fuzz_random(&maker->rng);
	fuzz_put(maker->message, type, data, len);
}

static void fuzz_put_string(struct fuzz_maker *maker, uint16_t type, const char *text)
{
	fuzz_put(maker->message, type, text, strlen(text) + 1);
}

static void fuzz_put_number(struct fuzz_maker *maker, uint16_t type, size_t size,
			    const struct fuzz_rule *rule, bool even)
{
	uint64_t value = fuzz_number(&maker->rng, rule, even);
	uint32_t u32 = value;
	uint16_t u16 = value;
	uint8_t u8 = value;

	if (size == sizeof(u8))
		fuzz_put(maker->message, type, &u8, size);
	else if (size == sizeof(u16))
		fuzz_put(maker->message, type, &u16, size);
	else if (size == sizeof(u32))
		fuzz_put(maker->message, type, &u32, size);
	else
		fuzz_put(maker->message, type, &value, sizeof(value));
}

static const struct fuzz_values *fuzz_known(const struct fuzz_grammar *grammar,
					    enum fuzz_object object, int attr)
{
	const struct fuzz_habit *habit = fuzz_habit(object, attr);

	if (habit->like_attr)
		return &grammar->values[habit->like][habit->like_attr];
	return &grammar->values[object][attr];
}

static void fuzz_put_list(struct fuzz_maker *maker, enum fuzz_object object, uint32_t policy);

static enum fuzz_object fuzz_nested_object(enum fuzz_object object, int attr)
{
	if (object == FUZZ_FABRIC && attr == CONGA_A_FABRIC_PARAM)
		return FUZZ_PARAM;
	return object == FUZZ_PATH && attr == CONGA_A_PATH_FLOW ? FUZZ_FLOW : object;
}

static void fuzz_put_param(struct fuzz_maker *maker)
{
	const struct fuzz_rule range = { .min = maker->param->min, .max = maker->param->max };

	fuzz_put_string(maker, CONGA_A_PARAM_NAME, maker->param->name);
	fuzz_put_number(maker, CONGA_A_PARAM_VALUE, sizeof(uint32_t), &range, false);
	if (maker->param->time != fuzz_chance(&maker->rng, 10))
		fuzz_put(maker->message, CONGA_A_PARAM_TIME, NULL, 0);
}

static void fuzz_put_nest(struct fuzz_maker *maker, enum fuzz_object object, int type,
			  uint32_t policy)
{
	struct nlattr *nest = fuzz_put(maker->message, type | NLA_F_NESTED, NULL, 0);
	enum fuzz_object inner = fuzz_nested_object(object, type);

	if (inner == FUZZ_PARAM && maker->param)
		fuzz_put_param(maker);
	else if (inner != object)
		fuzz_put_list(maker, inner, policy);
	nest->nla_len = maker->message->bytes + maker->message->len - (char *)nest;
}

static size_t fuzz_number_size(uint32_t type)
{
	switch (type) {
	case NL_ATTR_TYPE_U8:
	case NL_ATTR_TYPE_S8:
		return sizeof(uint8_t);
	case NL_ATTR_TYPE_U16:
	case NL_ATTR_TYPE_S16:
		return sizeof(uint16_t);
	case NL_ATTR_TYPE_U64:
	case NL_ATTR_TYPE_S64:
		return sizeof(uint64_t);
	}
	return sizeof(uint32_t);
}

static void fuzz_put_attr(struct fuzz_maker *maker, enum fuzz_object object, int type,
			  const struct fuzz_attr *attr)
{
	const struct fuzz_values *known = fuzz_known(maker->grammar, object, type);
	const struct fuzz_value *value;

	if (attr->type == NL_ATTR_TYPE_NESTED) {
		fuzz_put_nest(maker, object, type, attr->nested);
	} else if (known->count && fuzz_chance(&maker->rng, 80)) {
		value = &known->value[fuzz_below(&maker->rng, known->count)];
		fuzz_put(maker->message, type, value->data, value->len);
	} else if (attr->type == NL_ATTR_TYPE_STRING || attr->type == NL_ATTR_TYPE_NUL_STRING) {
		fuzz_put_random(maker, type, fuzz_below(&maker->rng, 32));
	} else if (attr->type == NL_ATTR_TYPE_BINARY) {
		fuzz_put_random(maker, type, MIN(attr->len, 64));
	} else {
		fuzz_put_number(maker, type, fuzz_number_size(attr->type),
				fuzz_rule(object, type), fuzz_habit(object, type)->even);
	}
}

/* Adds some of the attributes that a command accepts. */
static void fuzz_put_list(struct fuzz_maker *maker, enum fuzz_object object, uint32_t policy)
{
	const struct fuzz_attr *attr;
	const struct fuzz_habit *habit;
	const struct fuzz_rule *rule;
	int type;

	for (type = 1; type < FUZZ_ATTRS; type++) {
		attr = &maker->grammar->policies[policy].attrs[type];
		rule = fuzz_rule(object, type);
		habit = fuzz_habit(object, type);
		if (!attr->taken || (habit->family && habit->family != maker->family) ||
		    (rule && rule->single && maker->dump && fuzz_chance(&maker->rng, 90)))
			continue;
		if (maker->param && object == FUZZ_FABRIC && type == CONGA_A_FABRIC_POLICY)
			fuzz_put_string(maker, type, maker->param->policy);
		else if ((maker->param && object == FUZZ_FABRIC && type == CONGA_A_FABRIC_PARAM) ||
			 fuzz_chance(&maker->rng, habit->percent))
			fuzz_put_attr(maker, object, type, attr);
	}
}

/* ---- a valid request ---- */

static uint8_t fuzz_choose(struct fuzz_maker *maker)
{
	struct fuzz_choice choices[FUZZ_COMMANDS];
	unsigned int i;

	for (i = 0; i < FUZZ_COMMANDS; i++)
		choices[i].weight = fuzz_commands[i].weight;
	return fuzz_weighted(&maker->rng, choices, FUZZ_COMMANDS);
}

static void fuzz_start(struct fuzz_message *message, uint16_t family, uint8_t command)
{
	memset(message->bytes, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	message->nl.nlmsg_type = family;
	message->nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	fuzz_genl(message)->cmd = command;
	fuzz_genl(message)->version = CONGA_FAMILY_VERSION;
	message->len = NLMSG_HDRLEN + GENL_HDRLEN;
}

static void fuzz_make_valid(struct fuzz_maker *maker, uint8_t command, bool dump)
{
	const struct fuzz_grammar *grammar = maker->grammar;
	const struct fuzz_op *op = &grammar->ops[command];

	fuzz_start(maker->message, grammar->family, command);
	maker->dump = dump;
	if (dump)
		maker->message->nl.nlmsg_flags |= NLM_F_DUMP;
	maker->family = fuzz_chance(&maker->rng, 80) ? 4 : 6;
	maker->param = grammar->param_count && fuzz_chance(&maker->rng, 15) ?
		       &grammar->params[fuzz_below(&maker->rng, grammar->param_count)] : NULL;
	fuzz_put_list(maker, fuzz_commands[command].object, dump ? op->dump_policy : op->policy);
}

static void fuzz_make_request(struct fuzz_maker *maker)
{
	uint8_t command = fuzz_choose(maker);
	const struct fuzz_op *op = &maker->grammar->ops[command];

	fuzz_make_valid(maker, command,
			op->dumpit && (!op->doit || fuzz_chance(&maker->rng, 50)));
}

static void fuzz_make_abandoned(struct fuzz_maker *maker)
{
	uint8_t command;

	do
		command = fuzz_choose(maker);
	while (!maker->grammar->ops[command].dumpit);
	fuzz_make_valid(maker, command, true);
}

static void fuzz_make_restored(struct fuzz_maker *maker)
{
	const struct fuzz_made *made = maker->grammar->made;
	uint64_t skip = fuzz_below(&maker->rng, maker->grammar->made_count);

	while (skip--)
		made = made->next;
	memcpy(maker->message->bytes, made->bytes, made->len);
	maker->message->len = made->len;
}

/* ---- invalid requests ---- */

/* Finds its attributes, those within nests too. */
static unsigned int fuzz_places(const struct fuzz_message *message, size_t begin, size_t end,
				size_t *places, unsigned int count)
{
	const struct nlattr *attr;

	for (; begin + NLA_HDRLEN <= end && count < FUZZ_PLACES;
	     begin += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)(message->bytes + begin);
		if (attr->nla_len < NLA_HDRLEN || begin + attr->nla_len > end)
			break;
		places[count++] = begin;
		if (attr->nla_type & NLA_F_NESTED)
			count = fuzz_places(message, begin + NLA_HDRLEN, begin + attr->nla_len,
					    places, count);
	}
	return count;
}

/* Changes one of its attributes, or adds one. */
static struct nlattr *fuzz_any(struct fuzz_maker *maker)
{
	struct fuzz_message *message = maker->message;
	size_t places[FUZZ_PLACES];
	unsigned int count = fuzz_places(message, NLMSG_HDRLEN + GENL_HDRLEN, message->len,
					 places, 0);

	if (!count)
		return fuzz_put(message, 1 + fuzz_below(&maker->rng, 8), "\1\0\0", 4);
	return (void *)(message->bytes + places[fuzz_below(&maker->rng, count)]);
}

/* Changes any byte except those with the number of the family, which stays. */
static char *fuzz_byte(struct fuzz_maker *maker)
{
	size_t at = fuzz_below(&maker->rng, maker->message->len - sizeof(uint16_t));

	if (at >= offsetof(struct nlmsghdr, nlmsg_type))
		at += sizeof(uint16_t);
	return maker->message->bytes + at;
}

static void fuzz_mutate_bits(struct fuzz_maker *maker)
{
	unsigned int count = 1 + fuzz_below(&maker->rng, 8);

	while (count--)
		*fuzz_byte(maker) ^= 1 << fuzz_below(&maker->rng, 8);
}

static void fuzz_mutate_bytes(struct fuzz_maker *maker)
{
	unsigned int count = 1 + fuzz_below(&maker->rng, 4);

	while (count--)
		*fuzz_byte(maker) = fuzz_odd(&maker->rng);
}

/* The length in the header may be right or wrong. */
static void fuzz_mutate_truncated(struct fuzz_maker *maker)
{
	struct fuzz_message *message = maker->message;

	if (fuzz_chance(&maker->rng, 30))
		message->nl.nlmsg_len = message->len;
	message->len = fuzz_below(&maker->rng, message->len);
}

/* Adds all attributes, inside a nest, or nests inside empty nests. */
static void fuzz_mutate_deep(struct fuzz_maker *maker, bool all)
{
	struct fuzz_message *message = maker->message;
	unsigned int depth = all ? 1 : 1 + fuzz_below(&maker->rng, FUZZ_DEPTH);
	size_t begin = all ? NLMSG_HDRLEN + GENL_HDRLEN : message->len;
	size_t end = message->len;
	uint16_t type = NLA_F_NESTED | (1 + fuzz_below(&maker->rng, 20));
	struct nlattr *nest;

	memmove(message->bytes + begin + NLA_HDRLEN * depth, message->bytes + begin, end - begin);
	message->len = end += NLA_HDRLEN * depth;
	while (depth--) {
		nest = (void *)(message->bytes + begin);
		nest->nla_type = type;
		nest->nla_len = end - begin;
		begin += NLA_HDRLEN;
	}
}

static void fuzz_mutate_nested(struct fuzz_maker *maker)
{
	struct nlattr *attr;

	switch (fuzz_below(&maker->rng, 4)) {
	case 0:
		fuzz_any(maker)->nla_type ^= NLA_F_NESTED;
		break;
	case 1:
		fuzz_mutate_deep(maker, true);
		break;
	case 2:
		fuzz_mutate_deep(maker, false);
		break;
	default:
		attr = fuzz_any(maker);
		attr->nla_type = (attr->nla_type & NLA_F_NESTED) | fuzz_below(&maker->rng, 24);
	}
}

/* Repeats an attribute with the same value, or with another. */
static void fuzz_mutate_repeated(struct fuzz_maker *maker)
{
	unsigned int count = fuzz_chance(&maker->rng, 10) ? fuzz_below(&maker->rng, FUZZ_MANY) :
							    1 + fuzz_below(&maker->rng, 6);
	struct fuzz_message *message = maker->message;
	char copy[FUZZ_SENT_MAX];
	struct nlattr *attr;
	uint64_t other;
	size_t len;

	while (count--) {
		attr = fuzz_any(maker);
		if (message->len + NLA_ALIGN(attr->nla_len) > FUZZ_SENT_MAX)
			break;
		len = attr->nla_len - NLA_HDRLEN;
		memcpy(copy, (char *)attr + NLA_HDRLEN, len);
		other = fuzz_odd(&maker->rng);
		if (fuzz_chance(&maker->rng, 40))
			memcpy(copy, &other, MIN(len, sizeof(other)));
		fuzz_put(message, attr->nla_type, copy, len);
	}
}

static void fuzz_mutate_lengths(struct fuzz_maker *maker)
{
	struct fuzz_message *message = maker->message;
	uint32_t len = fuzz_odd(&maker->rng);
	char zeros[FUZZ_SENT_MAX] = "";
	struct nlattr *attr;

	switch (fuzz_below(&maker->rng, 4)) {
	case 0:
		message->nl.nlmsg_len = len ? len : 1;
		break;
	case 1:
		message->nl.nlmsg_len = message->len + 8 - fuzz_below(&maker->rng, 16);
		break;
	case 2:
		attr = fuzz_any(maker);
		fuzz_put(message, attr->nla_type, zeros, fuzz_below(&maker->rng, FUZZ_SENT_MAX));
		break;
	default:
		attr = fuzz_any(maker);
		attr->nla_len = fuzz_chance(&maker->rng, 50) ? len :
				attr->nla_len + 8 - fuzz_below(&maker->rng, 16);
	}
}

static void fuzz_mutate_unknown(struct fuzz_maker *maker)
{
	uint16_t type = fuzz_below(&maker->rng, fuzz_chance(&maker->rng, 70) ? 40 : 0x10000);

	fuzz_put_random(maker, type, fuzz_below(&maker->rng, 5) * sizeof(uint32_t));
}

static void fuzz_mutate_header(struct fuzz_maker *maker)
{
	struct fuzz_message *message = maker->message;
	uint64_t random = fuzz_random(&maker->rng);

	switch (fuzz_below(&maker->rng, 5)) {
	case 0:
		fuzz_genl(message)->version = random;
		break;
	case 1:
		fuzz_genl(message)->reserved = random;
		break;
	case 2:
		fuzz_genl(message)->cmd = random;
		break;
	case 3:
		message->nl.nlmsg_flags ^= NLM_F_DUMP;
		break;
	default:
		message->nl.nlmsg_flags ^= 1 << random % 16;
	}
}

static void (*const fuzz_mutations[FUZZ_KINDS])(struct fuzz_maker *maker) = {
	[FUZZ_BITS]	 = fuzz_mutate_bits,
	[FUZZ_RANDOM]	 = fuzz_mutate_bytes,
	[FUZZ_TRUNCATED] = fuzz_mutate_truncated,
	[FUZZ_NESTED]	 = fuzz_mutate_nested,
	[FUZZ_REPEATED]	 = fuzz_mutate_repeated,
	[FUZZ_LENGTHS]	 = fuzz_mutate_lengths,
	[FUZZ_UNKNOWN]	 = fuzz_mutate_unknown,
	[FUZZ_HEADER]	 = fuzz_mutate_header,
};

/* ---- whole messages ---- */

static void fuzz_make_body(struct fuzz_maker *maker, enum fuzz_kind kind)
{
	if (kind == FUZZ_RESTORED || (kind == FUZZ_STARVED && fuzz_chance(&maker->rng, 30)))
		fuzz_make_restored(maker);
	else if (kind == FUZZ_ABANDONED)
		fuzz_make_abandoned(maker);
	else
		fuzz_make_request(maker);
}

/* The length is set last, unless a mutation has set it. */
void fuzz_make(struct fuzz_message *message, const struct fuzz_grammar *grammar,
	       uint64_t seed, uint64_t index)
{
	struct fuzz_maker maker = { .grammar = grammar, .message = message };

	maker.rng.state = seed;
	maker.rng.state = fuzz_random(&maker.rng) + index * 0xd1342543de82ef95ULL;
	message->kind = fuzz_weighted(&maker.rng, fuzz_kinds, FUZZ_KINDS);
	message->actor = message->kind == FUZZ_ABANDONED || message->kind == FUZZ_STARVED ?
			 FUZZ_ADMIN :
			 fuzz_weighted(&maker.rng, fuzz_actors, FUZZ_ACTORS);
	message->nth = 1 + fuzz_below(&maker.rng, FUZZ_NTH_MAX);
	fuzz_make_body(&maker, message->kind);
	message->nl.nlmsg_seq = index + 1;
	message->nl.nlmsg_len = message->kind == FUZZ_BITS || message->kind == FUZZ_RANDOM ?
				message->len : 0;
	if (fuzz_mutations[message->kind])
		fuzz_mutations[message->kind](&maker);
	if (!message->nl.nlmsg_len)
		message->nl.nlmsg_len = message->len;
}
