// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts accesses to cache lines that processors have to take from one
 * another. In a first section, from MARK_LEARN to MARK_BEGIN, it learns how often each processor
 * writes and reads each line. In the second, to MARK_END, it counts for each instruction of the
 * kernel how often it writes a line that another processor writes or reads often, and how often it
 * reads one that another processor writes often. A line that is written by a timer, for
 * example, is not counted.
 *
 * The emulated processors take turns, so that the number of times that a line really moves would
 * depend on the length of a turn. Such an access is what makes a line move when they run at the
 * same time.
 */
#include <stdlib.h>

#include "section.h"

#define LINE_SHIFT	6
#define MEMORY_MOST	(4ull << 30)	/* physical addresses that are looked at */
#define LINES		(MEMORY_MOST >> LINE_SHIFT)
#define VCPUS_MOST	4
#define OFTEN		3000		/* accesses in the first section: more than timers make */

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* How often each processor accessed a line in the first section, up to OFTEN */
struct line {
	uint16_t reads[VCPUS_MOST], writes[VCPUS_MOST];
};

static struct line *lines;
static enum mark phase = MARK_NONE;

static void marked(unsigned int vcpu, void *data)
{
	enum mark mark = (enum mark)(uintptr_t)data;

	(void)vcpu;
	if (mark == MARK_LEARN) {
		free(lines);
		lines = calloc(LINES, sizeof(*lines));
		if (!lines)
			abort();
	}
	if (mark == MARK_BEGIN)
		section_forget();
	if (mark == MARK_END)
		section_write();
	phase = mark;
}

/* Does another processor use the line so that an access has to wait for it? */
static bool shared(const struct line *line, unsigned int vcpu, bool store)
{
	unsigned int other;

	for (other = 0; other < VCPUS_MOST; other++)
		if (other != vcpu && (line->writes[other] == OFTEN ||
				      (store && line->reads[other] == OFTEN)))
			return true;
	return false;
}

static void accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct qemu_plugin_hwaddr *hardware;
	struct place *place = data;
	bool store = qemu_plugin_mem_is_store(info);
	struct line *line;
	uint64_t index;
	uint16_t *count;

	if (phase != MARK_LEARN && phase != MARK_BEGIN)
		return;
	hardware = qemu_plugin_get_hwaddr(info, address);
	if (!lines || !hardware || qemu_plugin_hwaddr_is_io(hardware) || vcpu >= VCPUS_MOST)
		return;
	index = qemu_plugin_hwaddr_phys_addr(hardware) >> LINE_SHIFT;
	if (index >= LINES)
		return;
	line = &lines[index];
	count = store ? &line->writes[vcpu] : &line->reads[vcpu];
	if (phase == MARK_BEGIN)
		place->count += shared(line, vcpu, store);
	else if (*count < OFTEN)
		(*count)++;
}

static void translated(struct qemu_plugin_insn *insn)
{
	enum mark mark = section_mark(insn);
	struct place *place = section_place(insn);

	if (place)
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, place);
	if (mark != MARK_NONE)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)mark);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
				 char **argv)
{
	(void)info;
	section_open(id, argc, argv, translated);
	return 0;
}
