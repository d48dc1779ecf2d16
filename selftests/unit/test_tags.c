// SPDX-License-Identifier: GPL-2.0
/* The LBTags of each uplink, for every set of uplinks. */
#include "unit.h"
#include <linux/bitops.h>
#include <uapi/linux/conga.h>
#include "paper/tags.h"

#define TAGS	CONGA_TAGS_MAX
#define AUTO	CONGA_FABRIC_ENTROPY_AUTO

static unsigned int expected(u16 own, u8 entropy)
{
	return entropy == AUTO ? TAGS / hweight16(own) : entropy;
}

static void share_is_right(u16 own, u8 entropy)
{
	u16 all = 0, share;
	u8 tag;

	for (tag = 0; tag < TAGS; tag++) {
		if (!(own & BIT(tag)))
			continue;
		share = conga_tags_share(own, tag, entropy);
		assert_int_equal(hweight16(share), expected(own, entropy));
		assert_int_equal(share & own, BIT(tag));
		assert_int_equal(share & all, 0);
		all |= share;
	}
}

static void test_each_uplink_has_its_own_and_as_many_others(void **state)
{
	u32 own;
	u8 entropy;

	(void)state;
	for (own = 1; own < BIT(TAGS); own++)
		for (entropy = 0; entropy <= TAGS; entropy++)
			if (conga_tags_suffice(hweight16(own), entropy))
				share_is_right(own, entropy);
}

static void test_sixteen_suffice(void **state)
{
	unsigned int uplinks, entropy;

	(void)state;
	for (uplinks = 1; uplinks <= TAGS; uplinks++) {
		assert_true(conga_tags_suffice(uplinks, AUTO));
		for (entropy = 1; entropy <= TAGS; entropy++)
			assert_int_equal(conga_tags_suffice(uplinks, entropy),
					 uplinks * entropy <= TAGS);
	}
	assert_true(conga_tags_suffice(0, TAGS));
	assert_false(conga_tags_suffice(TAGS + 1, AUTO));
}

static void test_lowest_free_tags_are_taken_in_order(void **state)
{
	(void)state;
	assert_int_equal(conga_tags_share(0x0003, 0, 1), 0x0001);
	assert_int_equal(conga_tags_share(0x0003, 0, 4), 0x001d);
	assert_int_equal(conga_tags_share(0x0003, 1, 4), 0x00e2);
	assert_int_equal(conga_tags_share(0x1020, 5, 3), 0x0023);
	assert_int_equal(conga_tags_share(0x1020, 12, 3), 0x100c);
	assert_int_equal(conga_tags_share(0x0007, 1, AUTO), 0x0782);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_uplink_has_its_own_and_as_many_others),
		cmocka_unit_test(test_sixteen_suffice),
		cmocka_unit_test(test_lowest_free_tags_are_taken_in_order),
	};

	return cmocka_run_group_tests_name("tags", tests, NULL, NULL);
}
