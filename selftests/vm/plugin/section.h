/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SECTION_H
#define SECTION_H

#include <stdint.h>

#include "mark.h"
#include "qemu_plugin.h"

#define KERNEL_ADDRESS	(1ull << 63)	/* of an instruction; programs are below */

/* An instruction of the kernel; a translated one that is translated again gets a new place */
struct place {
	uint64_t address, count;
	struct place *next;
};

enum mark section_mark(const struct qemu_plugin_insn *insn);
struct place *section_place(const struct qemu_plugin_insn *insn);
void section_forget(void);
void section_write(void);
void section_open(qemu_plugin_id_t id, int argc, char **argv,
		  void (*translated)(struct qemu_plugin_insn *insn));

#endif
