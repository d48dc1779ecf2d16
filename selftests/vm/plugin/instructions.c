// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts how often the machine runs each instruction of its kernel between
 * two marks. Other than samples, the counts are exact.
 */
#include "section.h"

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void begin(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	section_forget();
}

static void end(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	section_write();
}

static void translated(struct qemu_plugin_insn *insn)
{
	enum mark mark = section_mark(insn);
	struct place *place = section_place(insn);

	if (place)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &place->count, 1);
	if (mark != MARK_NONE)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, mark == MARK_END ? end : begin,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
				 char **argv)
{
	(void)info;
	section_open(id, argc, argv, translated);
	return 0;
}
