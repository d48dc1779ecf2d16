// SPDX-License-Identifier: GPL-2.0
/* libFuzzer on the wire format: what holds for any header, any stamp, and boxes
 * of any Q. See ./fuzz. An input shorter than a case is filled up with zeroes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_wire.h"
#include "paper/wire.h"

#define Q_MAX		6
#define ALIKE		0xc0	/* of 256 cases: flags byte one of ours */

/* The bytes of an input, in this order. */
struct input {
	u32	word, vni;
	u8	pick;			/* of flags: random ones are foreign */
	u8	q[3];			/* of three boxes */
	u8	metric[2];		/* of two links */
	u8	tag, ce, feedback, fb_tag, fb_metric;
};

#define property(condition)	do {					\
		if (!(condition))					\
			violated(#condition, word, vni);		\
	} while (0)

static void violated(const char *what, u32 word, u32 vni)
{
	fprintf(stderr, "header %08x %08x: not %s\n", word, vni, what);
	abort();
}

static void input_read(struct input *input, const u8 *data, size_t size)
{
	int i;

	memset(input, 0, sizeof(*input));
	memcpy(input, data, size < sizeof(*input) ? size : sizeof(*input));
	for (i = 0; i < 3; i++)
		input->q[i] = 1 + input->q[i] % Q_MAX;
	for (i = 0; i < 2; i++)
		input->metric[i] %= 1u << input->q[i];
	if (input->pick < ALIKE)
		input->word = model_put(input->word, 31, 8,
					input->pick % 2 ? 0x08 : 0x0c);
}

static void input_stamp(const struct input *input, struct conga_stamp *stamp)
{
	*stamp = (struct conga_stamp) {
		.tag = input->tag % 16,
		.ce = input->ce % (1u << input->q[0]),
		.feedback = input->feedback % 2,
		.fb_tag = input->fb_tag % 16,
		.fb_metric = input->fb_metric % (1u << input->q[0]),
	};
}

/* Ours or foreign, stamped or blank: what is neither is never written to. */
static void check_kind(u32 word, u32 vni)
{
	bool ours = model_ours(word) && model_room(vni);
	bool present = model_get(word, BIT_PRESENT, 1);

	property(conga_wire_stamped(word, vni) == (ours && present));
	property(conga_wire_blank(word, vni) ==
		 (ours && model_clear(word) == word));
	property(!conga_wire_stamped(word, vni) || !conga_wire_blank(word, vni));
	property(conga_wire_control(vni) == (vni / 256 == 0xfffffe));
}

static void check_clear(u32 word, u32 vni)
{
	u32 clear = conga_wire_clear(word);

	property(clear == model_clear(word));
	property(conga_wire_clear(clear) == clear);
	property(!conga_wire_stamped(clear, vni));
	property(!model_room(vni) || conga_wire_blank(clear, vni));
	property(!conga_wire_blank(word, vni) || clear == word);
}

static void check_read(u32 word, u32 vni, u8 q)
{
	struct conga_stamp ours, model, coarse;

	conga_wire_read(&ours, word, q);
	model_read(&model, word, q);
	property(model_same(&ours, &model));
	property(ours.ce < 1u << q && ours.fb_metric < 1u << q);
	/* a smaller Q reads the upper bits of the same fraction */
	conga_wire_read(&coarse, word, 1);
	property(coarse.ce == ours.ce >> (q - 1));
	property(coarse.fb_metric == ours.fb_metric >> (q - 1));
}

static void check_stamp(u32 word, u32 vni, const struct conga_stamp *stamp, u8 q)
{
	u32 stamped = conga_wire_stamp(word, stamp, q);
	u32 fresh = conga_wire_stamp(conga_wire_clear(word), stamp, q);
	bool whole = !model_gpe(word) || q <= 3;
	struct conga_stamp back;

	property(stamped == model_stamp(word, stamp, q));
	property(stamped == fresh);
	property(!model_room(vni) || conga_wire_stamped(stamped, vni));
	property(!conga_wire_blank(stamped, vni));
	property(conga_wire_clear(stamped) == conga_wire_clear(word));
	property(!model_gpe(word) || stamped % 256 == word % 256);
	property(model_gpe(word) || q > 3 || stamped % 256 == 0);
	conga_wire_read(&back, stamped, q);
	property(back.tag == stamp->tag && back.feedback == stamp->feedback);
	property(!whole || back.ce == stamp->ce);
	property(!whole || !stamp->feedback || model_same(&back, stamp));
}

/* What holds for a link, whether it raises or adds. */
static void check_link(u32 word, u32 vni, u32 after, u8 metric, u8 q)
{
	struct conga_stamp before, read;

	property(model_ce(after) >= model_ce(word));
	property(model_ce(after) >= model_held(word, model_full(metric, q)));
	property(model_put_metric(after, BIT_CE, BIT_CE_LOW, 0) ==
		 model_put_metric(word, BIT_CE, BIT_CE_LOW, 0));
	property(conga_wire_stamped(after, vni) == conga_wire_stamped(word, vni));
	conga_wire_read(&before, word, q);
	conga_wire_read(&read, after, q);
	property(read.tag == before.tag && read.fb_tag == before.fb_tag &&
		 read.fb_metric == before.fb_metric &&
		 read.feedback == before.feedback);
}

static void check_raise(u32 word, u32 vni, const u8 metric[2], const u8 q[2])
{
	u32 one = conga_wire_raise(word, metric[0], q[0]);
	u32 both = conga_wire_raise(one, metric[1], q[1]);
	u32 other = conga_wire_raise(word, metric[1], q[1]);

	check_link(word, vni, one, metric[0], q[0]);
	property(one == model_raise(word, metric[0], q[0]));
	property(conga_wire_raise(word, 0, q[0]) == word);
	property(conga_wire_raise(one, metric[0], q[0]) == one);
	/* the order of links does not matter */
	property(conga_wire_raise(other, metric[0], q[0]) == both);
}

static void check_add(u32 word, u32 vni, const u8 metric[2], const u8 q[2])
{
	u32 one = conga_wire_add(word, metric[0], q[0]);
	u32 both = conga_wire_add(one, metric[1], q[0]);
	u32 other = conga_wire_add(word, metric[1], q[0]);

	check_link(word, vni, one, metric[0], q[0]);
	property(one == model_add(word, metric[0], q[0]));
	property(conga_wire_add(word, 0, q[0]) == word);
	/* never less than the worst link's, were it a maximum */
	property(model_ce(one) >=
		 model_ce(conga_wire_raise(word, metric[0], q[0])));
	/* of boxes with the same Q the order does not matter */
	property(model_gpe(word) || metric[1] >= 1u << q[0] ||
		 conga_wire_add(other, metric[0], q[0]) == both);
	one = conga_wire_add(one, metric[1], q[1]);
	property(model_ce(one) >= model_ce(word));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct conga_stamp stamp;
	struct input input;
	u32 word, vni;

	input_read(&input, data, size);
	input_stamp(&input, &stamp);
	word = input.word;
	vni = input.vni;
	check_kind(word, vni);
	check_kind(word, vni & 0xffffff00);
	if (!model_ours(word))
		return 0;
	check_clear(word, vni);
	check_read(word, vni, input.q[2]);
	check_stamp(word, vni, &stamp, input.q[0]);
	check_raise(word, vni, input.metric, input.q);
	check_add(word, vni, input.metric, input.q);
	/* what a box makes of another's stamp, after the links */
	word = conga_wire_stamp(word, &stamp, input.q[0]);
	check_raise(word, vni, input.metric, input.q);
	check_add(word, vni, input.metric, input.q);
	check_read(word, vni, input.q[2]);
	check_clear(word, vni);
	return 0;
}
