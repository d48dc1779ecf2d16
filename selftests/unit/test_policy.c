// SPDX-License-Identifier: GPL-2.0
/* Policies, section 3.5, and what all policies have in common. */
#include <string.h>

#include "policy_scene.h"

/* Four uplinks, and what may be picked of them. */
struct pick_case {
	u8	local[4], remote[4];
	u16	usable;
	u8	previous;
	u16	max, sum, blind;	/* sets, each member of which must occur:
					 * by the maximum, by the sum, by local
					 */
};

#define NONE	CONGA_TAG_NONE

static const struct pick_case cases[] = {
	/* the maximum is not the sum, neither is it the minimum */
	{ { 3, 0, 4, 4 }, { 3, 5, 0, 4 }, 0xf, NONE, 0x1, 0x4, 0x2 },
	{ { 0, 2, 7, 7 }, { 7, 2, 0, 7 }, 0xf, NONE, 0x2, 0x2, 0x1 },
	{ { 5, 5, 5, 1 }, { 0, 0, 0, 4 }, 0xf, NONE, 0x8, 0xf, 0x8 },
	{ { 1, 2, 3, 4 }, { 7, 7, 7, 7 }, 0xf, NONE, 0xf, 0x1, 0x1 },
	{ { 4, 0, 2, 5 }, { 4, 6, 5, 0 }, 0xf, NONE, 0x1, 0x8, 0x2 },
	/* a sum is not clamped to the scale of its terms, nor to their bits */
	{ { 7, 7, 7, 7 }, { 7, 4, 6, 5 }, 0xf, NONE, 0xf, 0x2, 0xf },
	{ { 63, 63, 62, 63 }, { 63, 63, 63, 63 }, 0xf, NONE, 0xf, 0x4, 0x4 },
	/* local alone, remote alone */
	{ { 4, 3, 2, 1 }, { 0, 0, 0, 0 }, 0xf, NONE, 0x8, 0x8, 0x8 },
	{ { 0, 0, 0, 0 }, { 1, 0, 2, 3 }, 0xf, NONE, 0x2, 0x2, 0xf },
	/* ties */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, NONE, 0xf, 0xf, 0xf },
	{ { 2, 1, 2, 1 }, { 1, 2, 3, 3 }, 0xf, NONE, 0x3, 0x3, 0xa },
	{ { 7, 7, 7, 7 }, { 7, 7, 7, 7 }, 0xf, NONE, 0xf, 0xf, 0xf },
	{ { 63, 63, 62, 63 }, { 0, 0, 0, 0 }, 0xf, NONE, 0x4, 0x4, 0x4 },
	/* kept if among the best, wherever it stands */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, 0, 0x1, 0x1, 0x1 },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, 2, 0x4, 0x4, 0x4 },
	{ { 5, 0, 5, 2 }, { 0, 5, 0, 5 }, 0xf, 3, 0x8, 0x7, 0x2 },
	{ { 1, 4, 4, 4 }, { 5, 2, 3, 2 }, 0xf, 3, 0x8, 0x8, 0x1 },
	/* left for a strictly better one */
	{ { 1, 0, 1, 1 }, { 0, 0, 0, 0 }, 0xf, 3, 0x2, 0x2, 0x2 },
	{ { 1, 0, 1, 0 }, { 0, 0, 0, 0 }, 0xf, 2, 0xa, 0xa, 0xa },
	{ { 1, 1, 1, 1 }, { 1, 0, 1, 1 }, 0xf, 3, 0x8, 0x2, 0x8 },
	/* unusable: neither best nor kept */
	{ { 0, 4, 5, 0 }, { 0, 0, 0, 0 }, 0x6, NONE, 0x2, 0x2, 0x2 },
	{ { 0, 4, 5, 0 }, { 0, 0, 0, 0 }, 0x6, 0, 0x2, 0x2, 0x2 },
	{ { 0, 7, 7, 0 }, { 0, 7, 7, 0 }, 0x6, 3, 0x6, 0x6, 0x6 },
	{ { 0, 0, 0, 7 }, { 0, 0, 0, 7 }, 0x8, 0, 0x8, 0x8, 0x8 },
	/* a previous that is no tag at all */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0x5, 16, 0x5, 0x5, 0x5 },
};

/* Those who decide by cost, and how a path's cost is made. */
struct rule {
	const char			*name;
	const struct conga_policy	*policy;
	bool				sum;
	int				(*cost)(int local, int remote);
};

static int cost_max(int local, int remote)
{
	return local > remote ? local : remote;
}

static int cost_sum(int local, int remote)
{
	return local + remote;
}

static int cost_local(int local, int remote)
{
	(void)remote;
	return local;
}

static const struct rule rules[] = {
	{ "conga", &conga_policy_conga, false, cost_max },
	{ "conga, sum", &conga_policy_conga, true, cost_sum },
	{ "local", &conga_policy_local, false, cost_local },
	{ "local, sum", &conga_policy_local, true, cost_local },
};

#define RULES	ARRAY_SIZE(rules)

/* What is picked in many draws. */
static u16 case_picks(const struct pick_case *c, const struct rule *rule,
		      struct unit_random *random)
{
	struct conga_view view = {
		.usable = c->usable, .previous = c->previous, .sum = rule->sum,
	};
	u16 got = 0;
	int i;

	for (i = 0; i < 4; i++)
		view.uplink[i] = (struct conga_view_uplink) {
			.local = c->local[i], .remote = c->remote[i],
		};
	note_load(&view);
	for (i = 0; i < 200; i++) {
		view.random = unit_random_u64(random);
		got |= 1u << rule->policy->pick(&view);
	}
	return got;
}

static void test_pick_cases(void **state)
{
	struct unit_random random;
	size_t i, j;

	(void)state;
	unit_random_setup(&random, 9);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (j = 0; j < RULES; j++) {
			const u16 want[RULES] = {
				cases[i].max, cases[i].sum, cases[i].blind,
				cases[i].blind,
			};
			u16 got = case_picks(&cases[i], &rules[j], &random);

			unit_check(got == want[j], "%s, case %zu: 0x%x, not 0x%x",
				   rules[j].name, i, got, want[j]);
		}
}

/* The model: an array of structs, and a scan. */
struct naive_path {
	bool	usable;
	int	cost;
};

static bool naive_beaten(const struct naive_path path[TAGS], int tag)
{
	int other;

	for (other = 0; other < TAGS; other++)
		if (path[other].usable && path[other].cost < path[tag].cost)
			return true;
	return false;
}

static bool naive_best(const struct naive_path path[TAGS], int tag)
{
	return path[tag].usable && !naive_beaten(path, tag);
}

static void naive_view(struct naive_path path[TAGS],
		       const struct conga_view *view, const struct rule *rule)
{
	int tag;

	for (tag = 0; tag < TAGS; tag++)
		path[tag] = (struct naive_path) {
			.usable = view->usable >> tag & 1,
			.cost = rule->cost(view->uplink[tag].local,
					   view->uplink[tag].remote),
		};
}

static void pick_random(const struct rule *rule, struct unit_random *random)
{
	struct naive_path path[TAGS];
	struct conga_view view;
	u8 got;

	random_view(random, &view);
	view.sum = rule->sum;
	naive_view(path, &view, rule);
	got = rule->policy->pick(&view);
	unit_check_step(random, got < TAGS && naive_best(path, got),
			"%s: %d is not of the best", rule->name, got);
	unit_check_step(random, view.previous >= TAGS ||
			!naive_best(path, view.previous) ||
			got == view.previous, "%s: %d, though %d is as good",
			rule->name, got, view.previous);
}

static void test_pick_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 10);
	for (; random.step < UNIT_STEPS * RULES; random.step++)
		pick_random(&rules[random.step % RULES], &random);
}

/* Uplinks of @best cost alike, all others more, or less but not usable. */
static void pick_view(struct conga_view *view, const struct rule *rule,
		      u16 best, u8 previous)
{
	int tag;

	*view = (struct conga_view) {
		.usable = best, .previous = previous, .sum = rule->sum,
	};
	for (tag = 0; tag < TAGS; tag++) {
		bool member = best >> tag & 1;
		bool worse = !member && tag % 2;

		view->usable |= worse << tag;
		view->uplink[tag].local = member ? 2 : worse ? 3 : 0;
		view->uplink[tag].remote = member ? 1 : worse ? tag : 0;
	}
	note_load(view);
}

static void pick_draw(struct unit_random *random, const struct rule *rule,
		      u16 best, u8 previous)
{
	struct conga_view view;
	u64 count[TAGS] = { 0 };
	int i;

	pick_view(&view, rule, best, previous);
	for (i = 0; i < DRAWS; i++) {
		view.random = unit_random_u64(random);
		count[rule->policy->pick(&view)]++;
	}
	check_uniform(count, best, random->seed);
}

/* A flow without a previous uplink, and one whose previous is beaten or gone;
 * every number of best uplinks.
 */
static void test_pick_uniform(void **state)
{
	struct unit_random random;
	size_t i;
	u8 tag;
	int n;

	(void)state;
	unit_random_setup(&random, 11);
	for (i = 0; i < RULES; i++)
		for (n = 1; n <= TAGS; n++) {
			u16 best = random_set(&random, n);

			pick_draw(&random, &rules[i], best, CONGA_TAG_NONE);
			for (tag = 0; tag < TAGS && best >> tag & 1; tag++)
				;
			if (tag < TAGS)
				pick_draw(&random, &rules[i], best, tag);
		}
}

/* Neither now nor the hash of the flow decides; to local, neither does what is
 * behind the uplink.
 */
static void test_pick_ignores(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 12);
	for (; random.step < 1000; random.step++) {
		const struct rule *rule = &rules[random.step % RULES];
		struct conga_view view, other;
		u8 before;
		int tag;

		random_view(&random, &view);
		random_view(&random, &other);
		view.sum = rule->sum;
		before = rule->policy->pick(&view);
		view.now = other.now;
		view.hash = other.hash;
		for (tag = 0; rule->cost == cost_local && tag < TAGS; tag++)
			view.uplink[tag].remote = other.uplink[tag].remote;
		unit_check_step(&random, rule->policy->pick(&view) == before,
				"%s: another pick", rule->name);
	}
}

static void test_ecmp_uniform(void **state)
{
	struct unit_random random;
	int draw, n;

	(void)state;
	unit_random_setup(&random, 13);
	for (n = 1; n <= TAGS; n++) {
		struct conga_view view = { .usable = random_set(&random, n) };
		u64 count[TAGS] = { 0 };

		for (draw = 0; draw < DRAWS; draw++) {
			view.hash = unit_random_u64(&random);
			count[conga_policy_ecmp.pick(&view)]++;
		}
		check_uniform(count, view.usable, random.seed);
	}
}

/* The usable uplinks in a row, and the hash's place in it. */
static int naive_ecmp(const struct conga_view *view)
{
	int row[TAGS], n = 0, tag;

	for (tag = 0; tag < TAGS; tag++)
		if (view->usable >> tag & 1)
			row[n++] = tag;
	return row[(int)(view->hash / 4294967296.0L * n)];
}

/* By the hash alone: metrics, time, chance and history are not looked at. */
static void test_ecmp_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 14);
	for (; random.step < UNIT_STEPS; random.step++) {
		struct conga_view view;
		int got, want;

		random_view(&random, &view);
		view.sum = random.step % 2;
		got = conga_policy_ecmp.pick(&view);
		want = naive_ecmp(&view);
		unit_check_step(&random, got == want, "tag %d, not %d", got,
				want);
	}
}

/* floor(hash * n / 2^32), in the order of the LBTags. */
static void test_ecmp_scale(void **state)
{
	static const struct {
		u32	hash;
		u16	usable;
		u8	want;
	} rows[] = {
		{ 0, 0xffff, 0 }, { 0x0fffffff, 0xffff, 0 },
		{ 0x10000000, 0xffff, 1 }, { 0xffffffff, 0xffff, 15 },
		{ 0x7fffffff, 0x8001, 0 }, { 0x80000000, 0x8001, 15 },
		{ 0x55555555, 0x0150, 4 }, { 0x55555556, 0x0150, 6 },
		{ 0xaaaaaaaa, 0x0150, 6 }, { 0xaaaaaaab, 0x0150, 8 },
		{ 0xffffffff, 0x0040, 6 }, { 0, 0x0040, 6 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct conga_view view = {
			.hash = rows[i].hash, .usable = rows[i].usable,
		};

		unit_check(conga_policy_ecmp.pick(&view) == rows[i].want,
			   "row %zu", i);
	}
}

/* Every set, against counting on one's fingers. */
static void test_policy_nth(void **state)
{
	u32 set;
	int tag;

	(void)state;
	for (set = 1; set < 1u << TAGS; set++) {
		unsigned int n = 0;

		for (tag = 0; tag < TAGS; tag++)
			if (set >> tag & 1)
				unit_check(conga_policy_nth(set, n++) == tag,
					   "set 0x%04x tag %d", set, tag);
		assert_int_equal(n, set_size(set));
	}
}

static void test_policy_find(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_find("conga"), &conga_policy_conga);
	assert_ptr_equal(conga_policy_find("local"), &conga_policy_local);
	assert_ptr_equal(conga_policy_find("ecmp"), &conga_policy_ecmp);
	assert_null(conga_policy_find(""));
	assert_null(conga_policy_find("cong"));
	assert_null(conga_policy_find("congas"));
	assert_null(conga_policy_find("ECMP"));
}

/* What it says of itself fits together. Whoever decides instead of it has none of its
 * parameters and state.
 */
static void check_declared(const struct conga_policy *policy)
{
	const struct conga_policy_param *param;
	const struct conga_policy *other;

	assert_true((policy->needs & CONGA_NEEDS_MEMORY) != CONGA_NEEDS_MEMORY);
	assert_true(!policy->flow_size || policy->needs & CONGA_NEEDS_FLOW);
	assert_in_range(policy->flow_size, 0, CONGA_POLICY_FLOW_SIZE);
	assert_true(!policy->tfl || policy->needs & CONGA_NEEDS_FLOWLET);
	assert_null(policy->param[CONGA_POLICY_PARAMS].name);
	for (param = policy->param; param->name; param++) {
		assert_in_range(param->initial, param->min, param->max);
		assert_true(strlen(param->summary) > 0);
	}
	assert_true(!policy->rehash || policy->needs & CONGA_NEEDS_FLOWLET);
	assert_true(!policy->extension.shared_size || policy->flow_size);
	assert_true(!policy->extension.flows || policy->extension.shared_size);
	assert_int_equal(!policy->extension.mark, !policy->extension.absorb);
	assert_true(!policy->extension.probes || policy->extension.transit);
	for (other = policy->plain; other; other = other->plain) {
		assert_null(other->param[0].name);
		assert_int_equal(other->flow_size, 0);
		assert_false(other->needs & CONGA_NEEDS_REMOTE || other->extension.absorb);
	}
	assert_true(policy->plain || !(policy->needs & CONGA_NEEDS_REMOTE));
}

static void test_opt_out(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_opt_out(), &conga_policy_ecmp);
	assert_null(conga_policy_opt_out()->param[0].name);
	assert_int_equal(conga_policy_opt_out()->needs, 0);
}

/* The same decisions, one timeout apart. */
static void test_conga_flow(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_conga_flow.pick, conga_policy_conga.pick);
	assert_int_equal(conga_policy_conga_flow.needs, conga_policy_conga.needs);
	assert_int_equal(conga_policy_conga_flow.tfl, 13000000);
	assert_int_equal(conga_policy_conga.tfl, 0);
}

static void test_policy_get(void **state)
{
	const struct conga_policy *policy;
	unsigned int i;

	(void)state;
	for (i = 0; (policy = conga_policy_get(i)); i++) {
		assert_ptr_equal(conga_policy_find(policy->name), policy);
		assert_in_range(strlen(policy->name), 1,
				CONGA_POLICY_NAME_MAX - 1);
		assert_true(strlen(policy->summary) > 0);
		assert_non_null(policy->pick);
		check_declared(policy);
	}
	assert_in_range(i, 10, CONGA_POLICIES_MAX);
	assert_null(conga_policy_get(i + 1));
	assert_null(conga_policy_get(~0u));
}

/* What the module gives each policy, and what it keeps for it */
struct declared {
	const char	*name;
	u32		needs;
	u64		tfl;		/* ns */
	unsigned int	flow_size;
	unsigned int	shared_size;
	const char	*plain;
	bool		rehash;
};

#define DECIDES_BY_PATH	(CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL | CONGA_NEEDS_REMOTE | \
			 CONGA_NEEDS_RANDOM)

static const struct declared declared[] = {
	{ .name = "conga", .needs = DECIDES_BY_PATH, .plain = "letflow-rate" },
	{ .name = "conga-flow", .needs = DECIDES_BY_PATH, .tfl = 13000000,
	  .plain = "letflow-rate" },
	{ .name = "conga-prime", .needs = DECIDES_BY_PATH, .plain = "rehash" },
	{ .name = "local", .needs = CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL | CONGA_NEEDS_RANDOM },
	{ .name = "letflow", .needs = CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM },
	{ .name = "letflow-rate",
	  .needs = CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RATE | CONGA_NEEDS_RANDOM },
	{ .name = "rehash", .needs = CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM, .rehash = true },
	{ .name = "ecmp", .needs = 0 },
	{ .name = "wcmp", .needs = CONGA_NEEDS_RATE },
	{ .name = "rps", .needs = CONGA_NEEDS_RANDOM },
	{ .name = "drb", .needs = CONGA_NEEDS_FLOW | CONGA_NEEDS_RANDOM },
	{ .name = "drill",
	  .needs = CONGA_NEEDS_BACKLOG | CONGA_NEEDS_RECENT | CONGA_NEEDS_RANDOM },
	{ .name = "presto", .needs = CONGA_NEEDS_FLOW | CONGA_NEEDS_RANDOM, .flow_size = 4 },
	{ .name = "hula", .needs = CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM,
	  .tfl = 100000 },
	{ .name = "tr",
	  .needs = CONGA_NEEDS_FLOW | CONGA_NEEDS_RATE | CONGA_NEEDS_BACKLOG | CONGA_NEEDS_RANDOM,
	  .flow_size = 16, .shared_size = 1024 },
};

static void test_policy_declarations(void **state)
{
	unsigned int i;

	(void)state;
	assert_null(conga_policy_get(ARRAY_SIZE(declared)));
	for (i = 0; i < ARRAY_SIZE(declared); i++) {
		const struct declared *d = &declared[i];
		const struct conga_policy *policy = conga_policy_find(d->name);

		unit_check(policy, "there is no policy %s", d->name);
		unit_check(policy->needs == d->needs, "%s needs 0x%x", d->name, policy->needs);
		unit_check(policy->tfl == d->tfl, "%s: tfl %llu", d->name, policy->tfl);
		unit_check(policy->flow_size == d->flow_size, "%s: flow", d->name);
		unit_check(policy->extension.shared_size == d->shared_size, "%s: flows", d->name);
		unit_check(policy->rehash == d->rehash, "%s: rehash", d->name);
		unit_check(policy->plain == (d->plain ? conga_policy_find(d->plain) : NULL),
			   "%s: plain", d->name);
	}
}

/* Ranges and defaults, as Documentation/user/policies.md and saved configurations have them */
static void test_policy_params(void **state)
{
	static const struct {
		const char *policy;
		struct conga_policy_param param;
	} known[] = {
		{ "drill", { "choices", .min = 1, .max = 16, .initial = 2 } },
		{ "presto", { "cell", .min = 1500, .max = 16777216, .initial = 65536 } },
		{ "hula", { "fail", .min = 1, .max = 100, .initial = 3 } },
		{ "hula", { "near", .min = 0, .max = 255, .initial = 16 } },
		{ "tr", { "short", .min = 1000, .max = 16000000, .initial = 100000 } },
		{ "tr", { "rtt", .min = 4000, .max = 1000000000, .initial = 150000,
			  .time = true } },
		{ "tr", { "idle", .min = 4000, .max = 1000000000, .initial = 5000000,
			  .time = true } },
		{ "tr", { "margin", .max = 1000000000, .initial = 100000, .time = true } },
		{ "tr", { "wait", .max = 1000000000, .time = true } },
	};
	const struct conga_policy_param *param;
	const struct conga_policy *policy;
	unsigned int count = 0, i;

	(void)state;
	for (i = 0; (policy = conga_policy_get(i)); i++)
		for (param = policy->param; param->name; param++)
			count++;
	assert_int_equal(count, ARRAY_SIZE(known));
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const struct conga_policy_param *k = &known[i].param;

		param = conga_policy_find(known[i].policy)->param;
		while (param->name && strcmp(param->name, k->name))
			param++;
		unit_check(param->name, "%s: there is no %s", known[i].policy, k->name);
		unit_check(param->min == k->min && param->max == k->max &&
			   param->initial == k->initial && param->time == k->time,
			   "%s: %s is %u to %u, %u", known[i].policy, k->name, param->min,
			   param->max, param->initial);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pick_cases),
		cmocka_unit_test(test_pick_random),
		cmocka_unit_test(test_pick_uniform),
		cmocka_unit_test(test_pick_ignores),
		cmocka_unit_test(test_ecmp_uniform),
		cmocka_unit_test(test_ecmp_random),
		cmocka_unit_test(test_ecmp_scale),
		cmocka_unit_test(test_policy_nth),
		cmocka_unit_test(test_policy_find),
		cmocka_unit_test(test_policy_get),
		cmocka_unit_test(test_opt_out),
		cmocka_unit_test(test_conga_flow),
		cmocka_unit_test(test_policy_declarations),
		cmocka_unit_test(test_policy_params),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
