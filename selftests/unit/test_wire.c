// SPDX-License-Identifier: GPL-2.0
/* The wire format: golden words, every field against the model of naive_wire.h,
 * and packets that pass boxes of different Q.
 */
#include "unit.h"
#include "naive_wire.h"
#include "paper/wire.h"

#define PLAIN		0x08000000u
#define GPE		0x0c000000u
#define GBP		0x88000000u

#define Q_MAX		6

static const struct golden {
	u32			word;
	struct conga_stamp	stamp;
	u8			q;
	u32			want;
} goldens[] = {
	/* one field at a time, plain */
	{ PLAIN, { 0, 0, false, 0, 0 }, 3, 0x08000100 },
	{ PLAIN, { 15, 0, false, 0, 0 }, 3, 0x08f00100 },
	{ PLAIN, { 1, 0, false, 0, 0 }, 3, 0x08100100 },
	{ PLAIN, { 8, 0, false, 0, 0 }, 3, 0x08800100 },
	{ PLAIN, { 0, 7, false, 0, 0 }, 3, 0x080e0100 },
	{ PLAIN, { 0, 1, false, 0, 0 }, 3, 0x08020100 },
	{ PLAIN, { 0, 0, true, 0, 0 }, 3, 0x08010100 },
	{ PLAIN, { 0, 0, true, 15, 0 }, 3, 0x0801f100 },
	{ PLAIN, { 0, 0, true, 1, 0 }, 3, 0x08011100 },
	{ PLAIN, { 0, 0, true, 0, 7 }, 3, 0x08010f00 },
	{ PLAIN, { 0, 0, true, 0, 1 }, 3, 0x08010300 },
	/* feedback that is not valid leaves no trace */
	{ PLAIN, { 0, 0, false, 15, 7 }, 3, 0x08000100 },
	/* left-aligned: half of full scale is the same bit for every Q */
	{ PLAIN, { 0, 1, true, 0, 1 }, 1, 0x08090900 },
	{ PLAIN, { 0, 2, true, 0, 2 }, 2, 0x08090900 },
	{ PLAIN, { 0, 4, true, 0, 4 }, 3, 0x08090900 },
	{ PLAIN, { 0, 8, true, 0, 8 }, 4, 0x08090900 },
	{ PLAIN, { 0, 16, true, 0, 16 }, 5, 0x08090900 },
	{ PLAIN, { 0, 32, true, 0, 32 }, 6, 0x08090900 },
	/* Q > 3: lower bits in byte 3, bits 7..5 and 4..2 */
	{ PLAIN, { 0, 63, false, 0, 0 }, 6, 0x080e01e0 },
	{ PLAIN, { 0, 1, false, 0, 0 }, 6, 0x08000120 },
	{ PLAIN, { 0, 15, false, 0, 0 }, 4, 0x080e0180 },
	{ PLAIN, { 0, 1, false, 0, 0 }, 5, 0x08000140 },
	{ PLAIN, { 0, 0, true, 0, 63 }, 6, 0x08010f1c },
	{ PLAIN, { 0, 0, true, 0, 1 }, 6, 0x08010104 },
	{ PLAIN, { 0, 0, true, 0, 1 }, 4, 0x08010110 },
	/* everything */
	{ PLAIN, { 10, 5, true, 5, 2 }, 3, 0x08ab5500 },
	{ PLAIN, { 15, 63, true, 15, 63 }, 6, 0x08fffffc },
	/* GPE: next protocol stays, whatever Q; three bits of a metric */
	{ GPE | 0x03, { 0, 0, false, 0, 0 }, 3, 0x0c000103 },
	{ GPE | 0x03, { 10, 5, true, 5, 2 }, 3, 0x0cab5503 },
	{ GPE | 0x01, { 15, 63, true, 15, 63 }, 6, 0x0cffff01 },
	{ GPE | 0xff, { 0, 7, true, 0, 7 }, 6, 0x0c0101ff },
	{ GPE | 0x04, { 0, 1, false, 0, 0 }, 1, 0x0c080104 },
};

static void test_wire_golden(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		const struct golden *g = &goldens[i];
		u32 got = conga_wire_stamp(g->word, &g->stamp, g->q);

		unit_check(got == g->want, "golden %zu: 0x%08x, not 0x%08x", i,
			   got, g->want);
	}
}

/* What a reader makes of golden words, independent of who wrote them. */
static void test_wire_golden_read(void **state)
{
	struct conga_stamp stamp;

	(void)state;
	conga_wire_read(&stamp, 0x08ab5500, 3);
	assert_int_equal(stamp.tag, 10);
	assert_int_equal(stamp.ce, 5);
	assert_true(stamp.feedback);
	assert_int_equal(stamp.fb_tag, 5);
	assert_int_equal(stamp.fb_metric, 2);
	conga_wire_read(&stamp, 0x080e01e0, 6);
	assert_int_equal(stamp.ce, 63);
	assert_false(stamp.feedback);
	/* a box with a small Q reads the upper bits of a larger one */
	conga_wire_read(&stamp, 0x080f0ffc, 1);
	assert_int_equal(stamp.ce, 1);
	assert_int_equal(stamp.fb_metric, 1);
	/* GPE: byte 3 is no part of a metric */
	conga_wire_read(&stamp, 0x0c0101ff, 6);
	assert_int_equal(stamp.ce, 0);
	assert_int_equal(stamp.fb_metric, 0);
}

static void wire_round_trip(u32 word, u8 ce, u8 fb, u8 q)
{
	struct conga_stamp in = {
		.tag = ce % 16, .ce = ce, .feedback = true,
		.fb_tag = 15 - fb % 16, .fb_metric = fb,
	};
	int kept = word == PLAIN || q < 3 ? q : 3;
	u32 stamped = conga_wire_stamp(word, &in, q);
	struct conga_stamp out;

	conga_wire_read(&out, stamped, q);
	unit_check(out.tag == in.tag && out.fb_tag == in.fb_tag && out.feedback,
		   "word 0x%08x q %d: tags or FB lost", stamped, q);
	unit_check(out.ce >> (q - kept) == ce >> (q - kept) &&
		   out.fb_metric >> (q - kept) == fb >> (q - kept) &&
		   out.ce <= ce && out.fb_metric <= fb,
		   "word 0x%08x q %d: ce %d fb %d read as %d %d", stamped, q,
		   ce, fb, out.ce, out.fb_metric);
	unit_check(kept < q || (out.ce == ce && out.fb_metric == fb),
		   "word 0x%08x q %d: ce %d fb %d read as %d %d", stamped, q,
		   ce, fb, out.ce, out.fb_metric);
	unit_check((stamped & 0x3) == 0 || word != PLAIN,
		   "word 0x%08x: bits 1..0 of byte 3", stamped);
	unit_check(q > 3 || (stamped & 0xff) == (word & 0xff),
		   "word 0x%08x q %d: byte 3 needed by none", stamped, q);
	assert_true(conga_wire_clear(stamped) == word);
}

static void test_wire_round_trip(void **state)
{
	int q, ce, fb;

	(void)state;
	for (q = 1; q <= Q_MAX; q++)
		for (ce = 0; ce < 1 << q; ce++)
			for (fb = 0; fb < 1 << q; fb++) {
				wire_round_trip(PLAIN, ce, fb, q);
				wire_round_trip(GPE | (ce << 2 | 3), ce, fb, q);
			}
}

static void random_stamp(struct unit_random *random, struct conga_stamp *stamp,
			 u8 q)
{
	*stamp = (struct conga_stamp) {
		.tag = unit_random_below(random, 16),
		.ce = unit_random_below(random, 1 << q),
		.feedback = unit_random_below(random, 2),
		.fb_tag = unit_random_below(random, 16),
		.fb_metric = unit_random_below(random, 1 << q),
	};
}

/* Of what stood there, nothing is left but GPE's byte 3. */
static void test_wire_stamp_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 1);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 bits = unit_random_u64(&random);
		u8 q = unit_random_between(&random, 1, Q_MAX);
		u32 word = (bits >> 63 ? PLAIN : GPE) | (bits & 0xffffff);
		struct conga_stamp stamp;
		u32 got, want;

		random_stamp(&random, &stamp, q);
		got = conga_wire_stamp(word, &stamp, q);
		want = model_stamp(word, &stamp, q);
		unit_check_step(&random, got == want,
				"0x%08x stamped at q %d: 0x%08x, not 0x%08x",
				word, q, got, want);
	}
}

/* Any bits at all, whoever wrote them. */
static void test_wire_read_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 20);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 bits = unit_random_u64(&random);
		u8 q = unit_random_between(&random, 1, Q_MAX);
		u32 word = (bits >> 63 ? PLAIN : GPE) | (bits & 0xffffff);
		struct conga_stamp got, want;

		conga_wire_read(&got, word, q);
		model_read(&want, word, q);
		unit_check_step(&random, model_same(&got, &want),
				"word 0x%08x q %d", word, q);
	}
}

/* What a link does to CE: raise it, or add to it. */
struct link_rule {
	u32	(*ours)(u32 word, u8 metric, u8 q);
	u32	(*model)(u32 word, unsigned int metric, int q);
};

static const struct link_rule link_raise = { conga_wire_raise, model_raise };
static const struct link_rule link_add = { conga_wire_add, model_add };

static void wire_link_one(const struct link_rule *rule, u32 word, u8 metric,
			  u8 q)
{
	u32 got = rule->ours(word, metric, q);
	u32 want = rule->model(word, metric, q);

	unit_check(got == want,
		   "word 0x%08x, link at %d of q %d: 0x%08x, not 0x%08x", word,
		   metric, q, got, want);
	unit_check(model_ce(got) >= model_ce(word),
		   "word 0x%08x lowered to 0x%08x", word, got);
	unit_check(model_put_metric(got, BIT_CE, BIT_CE_LOW, 0) ==
		   model_put_metric(word, BIT_CE, BIT_CE_LOW, 0),
		   "word 0x%08x: more than CE changed: 0x%08x", word, got);
}

/* Every CE that can be on the wire, every metric of every Q; the other fields
 * at random.
 */
static void wire_link_all(const struct link_rule *rule,
			  struct unit_random *random)
{
	unsigned int full;
	int q, metric;

	for (q = 1; q <= Q_MAX; q++)
		for (metric = 0; metric < 1 << q; metric++)
			for (full = 0; full < 64; full++) {
				u32 other = unit_random_u64(random) & 0xffffff;
				u32 plain = model_put_metric(PLAIN | other,
							     BIT_CE, BIT_CE_LOW,
							     full);
				u32 gpe = model_put_metric(GPE | other, BIT_CE,
							   BIT_CE_LOW, full);

				wire_link_one(rule, plain, metric, q);
				wire_link_one(rule, gpe, metric, q);
			}
}

static void test_wire_raise(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 2);
	wire_link_all(&link_raise, &random);
}

static void test_wire_add(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 21);
	wire_link_all(&link_add, &random);
}

static void test_wire_raise_golden(void **state)
{
	(void)state;
	assert_int_equal(conga_wire_raise(0x08000100, 7, 3), 0x080e0100);
	assert_int_equal(conga_wire_raise(0x080e0100, 3, 3), 0x080e0100);
	assert_int_equal(conga_wire_raise(0x08060100, 3, 3), 0x08060100);
	/* 011 111 at Q = 6 is less than 4 at Q = 3: lower bits are cleared */
	assert_int_equal(conga_wire_raise(0x080601e0, 4, 3), 0x08080100);
	/* ... and more than 3 at Q = 3 */
	assert_int_equal(conga_wire_raise(0x08060120, 3, 3), 0x08060120);
	/* FB_Metric's lower bits are not CE's */
	assert_int_equal(conga_wire_raise(0x080001fc, 4, 3), 0x0808011c);
	assert_int_equal(conga_wire_raise(0x0800011c, 1, 6), 0x0800013c);
	/* GPE: a metric below an eighth leaves no trace, larger ones 3 bits */
	assert_int_equal(conga_wire_raise(0x0c000100, 7, 6), 0x0c000100);
	assert_int_equal(conga_wire_raise(0x0c0001ff, 63, 6), 0x0c0e01ff);
}

static void test_wire_add_golden(void **state)
{
	(void)state;
	assert_int_equal(conga_wire_add(0x08000100, 3, 3), 0x08060100);
	assert_int_equal(conga_wire_add(0x08060100, 3, 3), 0x080c0100);
	assert_int_equal(conga_wire_add(0x08060100, 0, 3), 0x08060100);
	/* full scale is the most, and no carry reaches the LBTag */
	assert_int_equal(conga_wire_add(0x080c0100, 2, 3), 0x080e0100);
	assert_int_equal(conga_wire_add(0x080e0100, 7, 3), 0x080e0100);
	assert_int_equal(conga_wire_add(0x08fe0100, 7, 3), 0x08fe0100);
	assert_int_equal(conga_wire_add(0x08080100, 1, 1), 0x08080100);
	/* Q = 6: 31 + 1, 62 + 1, 63 + 63; FB_Metric's lower bits are not CE's */
	assert_int_equal(conga_wire_add(0x080601e0, 1, 6), 0x08080100);
	assert_int_equal(conga_wire_add(0x080e01dc, 1, 6), 0x080e01fc);
	assert_int_equal(conga_wire_add(0x080e01e0, 63, 6), 0x080e01e0);
	/* 31 of 64 is 3 of 8, and one more is 4; 63 of 64 is not lowered */
	assert_int_equal(conga_wire_add(0x080601e0, 1, 3), 0x08080100);
	assert_int_equal(conga_wire_add(0x080601e0, 0, 3), 0x080601e0);
	assert_int_equal(conga_wire_add(0x080e01e0, 1, 3), 0x080e01e0);
	assert_int_equal(conga_wire_add(0x080e01e0, 1, 1), 0x080e01e0);
	/* GPE: byte 3 is neither read nor written */
	assert_int_equal(conga_wire_add(0x0c0001ff, 1, 3), 0x0c0201ff);
	assert_int_equal(conga_wire_add(0x0c0201ff, 8, 6), 0x0c0401ff);
	assert_int_equal(conga_wire_add(0x0c0e0100, 63, 6), 0x0c0e0100);
}

/* A packet's way as the paper tells it: no word, no bits, CE in 64ths. */
struct naive_packet {
	bool		gpe;
	unsigned int	tag, ce;
};

#define LINKS_MAX	4

static unsigned int naive_held(const struct naive_packet *packet,
			       unsigned int full)
{
	return packet->gpe ? full / 8 * 8 : full;
}

static void naive_link(struct naive_packet *packet, const struct link_rule *rule,
		       unsigned int metric, int q)
{
	unsigned int step = 64 >> q, full = metric * step;

	if (rule == &link_add)
		full += packet->ce / step * step;
	if (full > 64 - step)
		full = 64 - step;
	full = naive_held(packet, full);
	if (full > packet->ce)
		packet->ce = full;
}

/* One packet, of which every box may have a Q of its own. */
static void wire_chain(struct unit_random *random, const struct link_rule *rule,
		       int q_low, int q_high)
{
	struct naive_packet naive = { .gpe = unit_random_below(random, 2) };
	int links = unit_random_between(random, 1, LINKS_MAX);
	int q = unit_random_between(random, q_low, q_high);
	struct conga_stamp stamp;
	u32 word = naive.gpe ? GPE | unit_random_below(random, 256) : PLAIN;

	random_stamp(random, &stamp, q);
	naive.tag = stamp.tag;
	naive.ce = naive_held(&naive, stamp.ce * (64 >> q));
	word = conga_wire_stamp(word, &stamp, q);
	while (links--) {
		u8 metric;

		q = unit_random_between(random, q_low, q_high);
		metric = unit_random_below(random, 1 << q);
		word = rule->ours(word, metric, q);
		naive_link(&naive, rule, metric, q);
	}
	q = unit_random_between(random, q_low, q_high);
	conga_wire_read(&stamp, word, q);
	unit_check_step(random, conga_wire_stamped(word, 0) &&
			stamp.tag == naive.tag && stamp.ce == naive.ce >> (6 - q),
			"0x%08x read at q %d: tag %d ce %d, not %d %d", word, q,
			stamp.tag, stamp.ce, naive.tag, naive.ce >> (6 - q));
}

static void test_wire_chain(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 22);
	for (; random.step < UNIT_STEPS; random.step++) {
		const struct link_rule *rule = random.step % 2 ? &link_add :
								 &link_raise;
		int q = unit_random_between(&random, 1, Q_MAX);

		if (random.step % 4 < 2)
			wire_chain(&random, rule, q, q);
		else
			wire_chain(&random, rule, 1, Q_MAX);
	}
}

static void wire_classify(u32 word, u32 vni, u64 seed)
{
	unsigned int flags = model_get(word, 31, 8);
	bool ours = model_ours(word), room = model_room(vni);

	unit_check(conga_wire_flags_ours(word) == ours, "word 0x%08x", word);
	unit_check(conga_wire_gpe(word) == (flags == 0x0c), "word 0x%08x", word);
	unit_check(conga_wire_stamped(word, vni) ==
		   (ours && room && model_get(word, BIT_PRESENT, 1)),
		   "seed %llu: stamped 0x%08x 0x%08x", seed, word, vni);
	unit_check(conga_wire_blank(word, vni) ==
		   (ours && room && model_clear(word) == word),
		   "seed %llu: blank 0x%08x 0x%08x", seed, word, vni);
	unit_check(!ours || conga_wire_clear(word) == model_clear(word),
		   "seed %llu: clear 0x%08x is 0x%08x", seed, word,
		   conga_wire_clear(word));
}

/* All flags bytes, few or many of the other bits. */
static void test_wire_classify(void **state)
{
	struct unit_random random;
	u32 flags;
	int i;

	(void)state;
	unit_random_setup(&random, 3);
	for (flags = 0; flags < 256; flags++)
		for (i = 0; i < 1500; i++) {
			u32 sparse = unit_random_u64(&random) &
				     unit_random_u64(&random) &
				     unit_random_u64(&random);
			u32 other = i % 2 ? sparse : 1u << (sparse % 24);
			u32 vni = unit_random_u64(&random) & 0xffffff00;

			wire_classify(flags << 24 | (other & 0xffffff), vni,
				      random.seed);
			wire_classify(flags << 24 | (other & 0x1ff),
				      vni | (i % 3), random.seed);
			wire_classify(flags << 24, vni, random.seed);
		}
}

static void test_wire_foreign(void **state)
{
	(void)state;
	assert_true(conga_wire_stamped(PLAIN | 0x100, 0x00006400));
	assert_true(conga_wire_stamped(GPE | 0x103, 0x00006400));
	/* Group Based Policy: its policy id overlaps present */
	assert_false(conga_wire_stamped(GBP | 0x100, 0x00006400));
	assert_false(conga_wire_blank(GBP, 0x00006400));
	/* byte 7 */
	assert_false(conga_wire_stamped(PLAIN | 0x100, 0x00006401));
	assert_false(conga_wire_stamped(PLAIN | 0x100, 0x00006480));
	assert_false(conga_wire_blank(PLAIN, 0x00006401));
	/* present = 0, whatever else is set */
	assert_false(conga_wire_stamped(PLAIN | 0xfffeff, 0x00006400));
	/* remote checksum offload, no VNI, all flags */
	assert_false(conga_wire_stamped(0x08200000, 0x00006400));
	assert_false(conga_wire_stamped(0x00000100, 0x00006400));
	assert_false(conga_wire_stamped(0xff000100, 0x00006400));
}

static void test_wire_blank(void **state)
{
	int bit;

	(void)state;
	assert_true(conga_wire_blank(PLAIN, 0));
	assert_true(conga_wire_blank(GPE | 0xff, 0xffffff00));
	for (bit = 0; bit < 24; bit++) {
		assert_false(conga_wire_blank(PLAIN | 1u << bit, 0));
		assert_true(conga_wire_blank(GPE | 1u << bit, 0) == (bit < 8));
	}
}

static void test_wire_clear(void **state)
{
	(void)state;
	assert_int_equal(conga_wire_clear(0x08fffffc), PLAIN);
	assert_int_equal(conga_wire_clear(0x08ffffff), PLAIN);
	assert_int_equal(conga_wire_clear(0x0cffff03), GPE | 0x03);
	assert_int_equal(conga_wire_clear(PLAIN), PLAIN);
}

static void test_wire_control(void **state)
{
	(void)state;
	assert_true(conga_wire_control(0xfffffe00));
	assert_true(conga_wire_control(0xfffffeff));
	assert_false(conga_wire_control(0xffffff00));
	assert_false(conga_wire_control(0xfffffd00));
	assert_false(conga_wire_control(0x7ffffe00));
	assert_false(conga_wire_control(0));
}

/* Sampled at Q = 6, sent at Q = 3: full scale, and the neighbours stay. */
static void test_wire_metric_too_large(void **state)
{
	struct conga_stamp out, in = {
		.tag = 5, .ce = 63, .feedback = true, .fb_tag = 2, .fb_metric = 63,
	};

	(void)state;
	conga_wire_read(&out, conga_wire_stamp(CONGA_VXLAN_FLAG_VNI, &in, 3), 3);
	assert_int_equal(out.tag, 5);
	assert_int_equal(out.ce, 7);
	assert_true(out.feedback);
	assert_int_equal(out.fb_tag, 2);
	assert_int_equal(out.fb_metric, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire_metric_too_large),
		cmocka_unit_test(test_wire_golden),
		cmocka_unit_test(test_wire_golden_read),
		cmocka_unit_test(test_wire_round_trip),
		cmocka_unit_test(test_wire_stamp_random),
		cmocka_unit_test(test_wire_read_random),
		cmocka_unit_test(test_wire_raise),
		cmocka_unit_test(test_wire_raise_golden),
		cmocka_unit_test(test_wire_add),
		cmocka_unit_test(test_wire_add_golden),
		cmocka_unit_test(test_wire_chain),
		cmocka_unit_test(test_wire_classify),
		cmocka_unit_test(test_wire_foreign),
		cmocka_unit_test(test_wire_blank),
		cmocka_unit_test(test_wire_clear),
		cmocka_unit_test(test_wire_control),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
