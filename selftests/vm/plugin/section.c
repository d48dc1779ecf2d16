// SPDX-License-Identifier: GPL-2.0
/*
 * What both plugins share: the instructions of the kernel and a count for each, and the files of
 * the sections between marks. The file of section N is FILE.N, as in "out=FILE". Each line has an
 * address and its count.
 *
 * One thread emulates all processors, so that nothing here needs a lock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "section.h"

static struct place *places;
static const char *file = "section";
static unsigned int sections;

/* section_mark - the mark that the instruction sets, if any */
enum mark section_mark(const struct qemu_plugin_insn *insn)
{
	static const uint8_t wanted[MARK_SIZE] = MARK_BYTES;
	const uint8_t *bytes = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != MARK_SIZE || memcmp(bytes, wanted, MARK_PLACE) ||
	    memcmp(bytes + MARK_PLACE + 1, wanted + MARK_PLACE + 1, MARK_SIZE - MARK_PLACE - 1))
		return MARK_NONE;
	return bytes[MARK_PLACE];
}

/* section_place - a place for an instruction of the kernel; NULL for one of a program */
struct place *section_place(const struct qemu_plugin_insn *insn)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	struct place *place;

	if (!(address & KERNEL_ADDRESS))
		return NULL;
	place = calloc(1, sizeof(*place));
	if (!place)
		abort();
	place->address = address;
	place->next = places;
	places = place;
	return place;
}

/* section_forget - sets all counts to 0 */
void section_forget(void)
{
	struct place *place;

	for (place = places; place; place = place->next)
		place->count = 0;
}

/* section_write - writes the next section's file; it appears when it is complete */
void section_write(void)
{
	char name[4096], new[4096 + 4];
	struct place *place;
	FILE *out;

	snprintf(name, sizeof(name), "%s.%u", file, ++sections);
	snprintf(new, sizeof(new), "%s.new", name);
	out = fopen(new, "w");
	if (!out) {
		perror(new);
		exit(1);
	}
	for (place = places; place; place = place->next)
		if (place->count)
			fprintf(out, "%" PRIx64 " %" PRIu64 "\n", place->address, place->count);
	if (fclose(out) || rename(new, name)) {
		perror(name);
		exit(1);
	}
}

static void (*each)(struct qemu_plugin_insn *insn);

static void block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		each(qemu_plugin_tb_get_insn(tb, i));
}

/* section_open - reads the plugin's arguments; @translated is called for each instruction that is
 * translated
 */
void section_open(qemu_plugin_id_t id, int argc, char **argv,
		  void (*translated)(struct qemu_plugin_insn *insn))
{
	int i;

	for (i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			file = strdup(argv[i] + 4);
	each = translated;
	qemu_plugin_register_vcpu_tb_trans_cb(id, block);
}
