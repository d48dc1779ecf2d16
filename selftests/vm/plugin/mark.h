/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks that a program in the machine sets for a plugin of its QEMU: an instruction that does
 * nothing, with a displacement that no compiler writes.
 *
 *	0f 1f 84 00 xx c0 9a c0		nopl 0xc09ac0xx(%rax,%rax,1)
 */
#ifndef MARK_H
#define MARK_H

enum mark {
	MARK_NONE,
	MARK_BEGIN,	/* a section begins; what was counted before is forgotten */
	MARK_LEARN,	/* likewise, in which the plugin learns which lines are shared */
	MARK_END,	/* the section ends, and is written to a file */
};

#define MARK_SIZE	8
#define MARK_PLACE	4	/* of the byte that tells which mark it is */
#define MARK_BYTES	{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0xc0, 0x9a, 0xc0 }

/* What MARK_BEGIN, for example, is to the assembler */
#define MARK_SET(mark)	\
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00, %c0, 0xc0, 0x9a, 0xc0" : : "i"(mark) : "memory")

#endif
