// SPDX-License-Identifier: GPL-2.0
/* The hash of a flow spreads as chance does, also flows that differ in few bits, as those of a host
 * that counts its ports up, and all its bits are equally good.
 */
#include "unit.h"
#include <linux/bits.h>
#include "paper/hash.h"

#define SEEDS		20
#define BUCKETS		256
#define EACH		64	/* flows for a bucket, on average */
#define FLOWS		(BUCKETS * EACH)
/* The sum of squares has BUCKETS - 1 degrees of freedom: a mean of 255, sigma 22.6 */
#define LEAST		142.0	/* 5 sigma below */
#define MOST		368.0	/* and above */
#define INPUT_BITS	128
#define OUTPUT_BITS	32
#define PAIRS		4000	/* of inputs that differ in one bit */

/* The words of flow @i, as packet/flowhash.h makes them: addresses, and ports with the protocol */
struct flow_kind {
	const char	*name;
	void		(*words)(u32 i, u64 *one, u64 *other);
};

static void ports_count_up(u32 i, u64 *one, u64 *other)
{
	*one = 0x0100a8c00200a8c0ULL;
	*other = (u64)(__builtin_bswap16(1024 + i) | 0x5000u << 16) << 32 | 6;
}

static void addresses_count_up(u32 i, u64 *one, u64 *other)
{
	*one = (u64)__builtin_bswap32(0x0a000000 + i) << 32 | 0x0200a8c0;
	*other = 0xb51189c6ULL << 32 | 17;
}

static void pairs_of_hosts(u32 i, u64 *one, u64 *other)
{
	*one = (u64)__builtin_bswap32(0x0a000000 + i / 128) << 32 |
	       __builtin_bswap32(0x0a010000 + i % 128);
	*other = 0x5000b822ULL << 32 | 6;
}

static const struct flow_kind kinds[] = {
	{ "ports that count up", ports_count_up },
	{ "addresses that count up", addresses_count_up },
	{ "pairs of hosts", pairs_of_hosts },
};

/* The sum over all buckets of (flows - EACH)^2 / EACH, of eight bits of the hash from @shift on */
static double squares(const struct flow_kind *kind, u32 seed, u32 shift)
{
	u32 count[BUCKETS] = { 0 };
	double sum = 0;
	u64 one, other;
	u32 i;

	for (i = 0; i < FLOWS; i++) {
		kind->words(i, &one, &other);
		count[conga_hash(one, other, seed) >> shift & (BUCKETS - 1)]++;
	}
	for (i = 0; i < BUCKETS; i++)
		sum += ((double)count[i] - EACH) * ((double)count[i] - EACH) / EACH;
	return sum;
}

static void test_flows_spread_as_by_chance(void **state)
{
	struct unit_random random;
	double sum, all = 0;
	u32 seed, shift;
	size_t kind;

	(void)state;
	unit_random_setup(&random, 1);
	for (seed = 0; seed < SEEDS; seed++) {
		u32 key = unit_random_u64(&random);

		for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			for (shift = 0; shift < OUTPUT_BITS; shift += 8) {
				sum = squares(&kinds[kind], key, shift);
				all += sum;
				unit_check(sum > LEAST && sum < MOST,
					   "%s, seed 0x%x, bits from %u on: %f", kinds[kind].name,
					   key, shift, sum);
			}
	}
	printf("# the sum of squares is %.1f on average, 255 by chance\n",
	       all / (SEEDS * ARRAY_SIZE(kinds) * 4));
}

/* Each bit of the input changes each bit of the hash in half of all cases. */
static void test_each_bit_changes_half_of_all(void **state)
{
	static u32 changed[INPUT_BITS][OUTPUT_BITS];
	double least = 1, most = 0;
	struct unit_random random;
	u32 in, out;

	(void)state;
	unit_random_setup(&random, 2);
	for (random.step = 0; random.step < PAIRS; random.step++) {
		u64 one = unit_random_u64(&random), other = unit_random_u64(&random);
		u32 seed = unit_random_u64(&random), hash = conga_hash(one, other, seed);

		for (in = 0; in < INPUT_BITS; in++) {
			u32 differs = hash ^ conga_hash(one ^ (in < 64 ? BIT_ULL(in) : 0),
							other ^ (in < 64 ? 0 : BIT_ULL(in - 64)),
							seed);

			for (out = 0; out < OUTPUT_BITS; out++)
				changed[in][out] += differs >> out & 1;
		}
	}
	for (in = 0; in < INPUT_BITS; in++)
		for (out = 0; out < OUTPUT_BITS; out++) {
			double part = (double)changed[in][out] / PAIRS;

			least = part < least ? part : least;
			most = part > most ? part : most;
			/* sigma is 0.008, and there are 4,096 of them */
			unit_check(part > 0.46 && part < 0.54, "bit %u changes bit %u in %f", in,
				   out, part);
		}
	printf("# a bit changes another in %.3f to %.3f of the cases\n", least, most);
}

static void test_seeds_differ(void **state)
{
	u32 seed, i, alike = 0;
	u64 one, other;

	(void)state;
	for (seed = 0; seed < SEEDS; seed++)
		for (i = 0; i < FLOWS; i++) {
			ports_count_up(i, &one, &other);
			alike += conga_hash(one, other, seed) % BUCKETS ==
				 conga_hash(one, other, seed + 1) % BUCKETS;
		}
	/* one in 256 by chance */
	assert_in_range(alike, SEEDS * FLOWS / BUCKETS * 9 / 10, SEEDS * FLOWS / BUCKETS * 11 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flows_spread_as_by_chance),
		cmocka_unit_test(test_each_bit_changes_half_of_all),
		cmocka_unit_test(test_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
