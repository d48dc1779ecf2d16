// SPDX-License-Identifier: GPL-2.0
/* The payload of control packets: its bytes, its numbers, and metrics in eight
 * bits.
 */
#include <arpa/inet.h>
#include <string.h>

#include "unit.h"
#include "naive_wire.h"
#include "paper/control_wire.h"

#define Q_MAX		6
#define BYTE		8	/* bits */

/* A feedback of two records, field by field. */
static const u8 golden[] = {
	'C', 'N', 'G', 'A', 0x01, 0x02, 0x06, 0x02,
	0x12, 0x34, 0x56, 0x78, 0x06, 0x01, 0x00, 0x00,
	0xaa, 0xbb, 0xcc, 0xdd, 0x11, 0x22, 0x33, 0x44,
	0x0f, 0xfc, 0x00, 0x00,
	0x02, 0x04, 0x00, 0x00,
};

/* Behind the records */
static const u8 wide[] = { 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xee, 0xff };

static void test_control_golden(void **state)
{
	struct conga_control_payload payload = {
		.header = {
			.magic		= htonl(CONGA_CONTROL_MAGIC),
			.version	= CONGA_CONTROL_VERSION,
			.type		= CONGA_CONTROL_FEEDBACK,
			.flags		= CONGA_CONTROL_SUM,
			.count		= 2,
			.id		= htonl(0x12345678),
			.q		= 6,
			.byte3		= conga_control_byte3(6, false),
		},
		.record = {
			{ .tag = 15, .metric = conga_control_metric_put(63, 6) },
			{ .tag = 2, .metric = conga_control_metric_put(1, 6) },
		},
	};

	(void)state;
	conga_control_put_nonces(&payload, 0x55667788aabbccddull, 0x99aaeeff11223344ull);
	assert_memory_equal(&payload, golden, sizeof(golden));
	assert_memory_equal(&payload.wide, wide, sizeof(wide));
	assert_int_equal(conga_control_body(&payload.header), 8);
	assert_int_equal(conga_control_upper(&payload.header), sizeof(wide));
	payload.header.flags = CONGA_CONTROL_WIDE;
	assert_int_equal(conga_control_upper(&payload.header), sizeof(wide));
	payload.header.flags = ~CONGA_CONTROL_WIDE;
	assert_int_equal(conga_control_upper(&payload.header), 0);
}

/* The body of a probe has no records, whatever its count says. */
static void test_probe_has_no_records(void **state)
{
	struct conga_control_header header = { .type = CONGA_CONTROL_PROBE, .count = 2 };

	(void)state;
	assert_int_equal(conga_control_body(&header), sizeof(struct conga_control_probe));
	header.count = 0;
	assert_int_equal(conga_control_body(&header), sizeof(struct conga_control_probe));
}

/* No holes, and one record per LBTag at the most. */
static void test_control_sizes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct conga_control_header), 24);
	assert_int_equal(sizeof(struct conga_control_record), 4);
	assert_int_equal(sizeof(struct conga_control_payload), 24 + 16 * 4 + 8);
	assert_int_equal(sizeof(struct conga_control_wide), 8);
	assert_int_equal(CONGA_CONTROL_SMALL, 8 + 8 + 24 + 8);
}

/* As the manual, include/uapi/linux/conga.h, has them. */
static void test_control_numbers(void **state)
{
	(void)state;
	assert_int_equal(CONGA_CONTROL_VERSION, 1);
	assert_int_equal(CONGA_CONTROL_HELLO, 1);
	assert_int_equal(CONGA_CONTROL_FEEDBACK, 2);
	assert_int_equal(CONGA_CONTROL_BYE, 3);
	assert_int_equal(CONGA_CONTROL_ASK, 0x01);
	assert_int_equal(CONGA_CONTROL_SUM, 0x02);
	assert_int_equal(CONGA_CONTROL_WIDE, 0x04);
	assert_int_equal(CONGA_VNI_CONTROL, 0xfffffe);
}

/* Byte 3 is used exactly where a metric has bits for it. */
static void test_control_byte3(void **state)
{
	int q;

	(void)state;
	for (q = 1; q <= Q_MAX; q++) {
		struct conga_stamp stamp = { .ce = 0xff };
		u32 word = conga_wire_stamp(0x08000000, &stamp, q);

		assert_int_equal(conga_control_byte3(q, false), (word & 0xff) != 0);
	}
	assert_int_equal(CONGA_BYTE3_NONE, 0);
	assert_int_equal(CONGA_BYTE3_LOW, 1);
	assert_int_equal(CONGA_BYTE3_QUEUE, 2);
	assert_int_equal(conga_control_byte3(3, true), CONGA_BYTE3_QUEUE);
}

/* Left-aligned: doubled once for each bit that is missing from eight. */
static void test_control_metric_put(void **state)
{
	int q, metric, i;

	(void)state;
	for (q = 1; q <= Q_MAX; q++)
		for (metric = 0; metric < 1 << q; metric++) {
			int want = metric;

			for (i = q; i < BYTE; i++)
				want *= 2;
			assert_int_equal(conga_control_metric_put(metric, q),
					 want);
			assert_int_equal(conga_control_metric_get(want, q),
					 metric);
		}
}

/* From before a change of Q: full scale, never a small one. */
static void test_control_metric_too_large(void **state)
{
	int q, metric;

	(void)state;
	for (q = 1; q <= Q_MAX; q++)
		for (metric = 1 << q; metric < 1 << BYTE; metric++)
			assert_int_equal(conga_control_metric_put(metric, q),
					 256 - (256 >> q));
}

/* Any byte, from boxes of any Q, as the same fraction in a stamp. */
static void test_control_metric_as_stamp(void **state)
{
	int q, other, metric;

	(void)state;
	for (q = 1; q <= Q_MAX; q++)
		for (metric = 0; metric < 1 << q; metric++) {
			u8 byte = conga_control_metric_put(metric, q);

			for (other = 1; other <= Q_MAX; other++)
				assert_int_equal(conga_control_metric_get(byte,
									  other),
						 model_metric(model_full(metric,
									 q),
							      other));
		}
	for (metric = 0; metric < 1 << BYTE; metric++)
		for (q = 1; q <= Q_MAX; q++)
			assert_in_range(conga_control_metric_get(metric, q), 0,
					(1 << q) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_golden),
		cmocka_unit_test(test_probe_has_no_records),
		cmocka_unit_test(test_control_sizes),
		cmocka_unit_test(test_control_numbers),
		cmocka_unit_test(test_control_byte3),
		cmocka_unit_test(test_control_metric_put),
		cmocka_unit_test(test_control_metric_too_large),
		cmocka_unit_test(test_control_metric_as_stamp),
	};

	return cmocka_run_group_tests_name("control_wire", tests, NULL, NULL);
}
