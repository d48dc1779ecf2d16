// SPDX-License-Identifier: GPL-2.0
/* Two threads that write one number, so that the machine's search for races can be seen
 * to find.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>

#define RACE_THREADS	2

static struct task_struct *race_threads[RACE_THREADS];
static unsigned long race_number;

static int race_run(void *unused)
{
	while (!kthread_should_stop()) {
		race_number++;
		cond_resched();
	}
	return 0;
}

static void race_stop(void)
{
	int i;

	for (i = 0; i < RACE_THREADS; i++)
		if (!IS_ERR_OR_NULL(race_threads[i]))
			kthread_stop(race_threads[i]);
}

static int __init race_init(void)
{
	int i;

	for (i = 0; i < RACE_THREADS; i++) {
		race_threads[i] = kthread_run(race_run, NULL, "race/%d", i);
		if (IS_ERR(race_threads[i])) {
			race_stop();
			return PTR_ERR(race_threads[i]);
		}
	}
	return 0;
}

static void __exit race_exit(void)
{
	race_stop();
}

module_init(race_init);
module_exit(race_exit);
MODULE_DESCRIPTION("A data race for a self-test");
MODULE_LICENSE("GPL");
