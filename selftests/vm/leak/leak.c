// SPDX-License-Identifier: GPL-2.0
/* Leaks memory, so that the machine's search for leaks can be seen to find. */
#include <linux/module.h>
#include <linux/slab.h>

#define LEAK_BYTES	123

static int __init leak_init(void)
{
	return kmalloc(LEAK_BYTES, GFP_KERNEL) ? 0 : -ENOMEM;
}

static void __exit leak_exit(void)
{
}

module_init(leak_init);
module_exit(leak_exit);
MODULE_DESCRIPTION("A memory leak for a self-test");
MODULE_LICENSE("GPL");
