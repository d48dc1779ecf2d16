// SPDX-License-Identifier: GPL-2.0
/*
 * Pictures of all named links at once, at equal times: how many bytes wait, and
 * how many were accepted up to then.
 *
 *	echo "100000 5000" >/sys/kernel/debug/wire/sample	every 100 us, 5000 times
 *	cat /sys/kernel/debug/wire/samples
 *
 * One timer for all links, in softirq, where it may take their locks: a link's
 * backlog follows from when it will be idle, so that a picture disturbs nothing.
 *
 * The list changes under RTNL and wire_sampler_lock, the buffers under RTNL while
 * the timer does not run, the count of pictures under wire_sampler_lock.
 */
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/seq_file.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "wire.h"

#define WIRE_INTERVAL_MIN	1000ULL		/* ns: more often is no picture but a film */
#define WIRE_SAMPLES_MAX	1000000UL	/* of a link: 8 MB */
#define WIRE_REQUEST_MAX	64		/* bytes written to "sample" */

static LIST_HEAD(wire_list);
static DEFINE_SPINLOCK(wire_sampler_lock);
static struct hrtimer wire_timer;
static struct dentry *wire_dir;
static u64 wire_interval;	/* ns */
static u64 wire_begin;		/* ns of the monotonic clock: picture 0 */
static u32 wire_wanted, wire_taken;

void wire_sampler_add(struct wire *wire)
{
	spin_lock_bh(&wire_sampler_lock);
	list_add_tail(&wire->list, &wire_list);
	spin_unlock_bh(&wire_sampler_lock);
}

void wire_sampler_del(struct wire *wire)
{
	spin_lock_bh(&wire_sampler_lock);
	list_del_init(&wire->list);
	spin_unlock_bh(&wire_sampler_lock);
	kvfree(wire->samples);
}

static void wire_picture(struct wire *wire, u64 now)
{
	struct Qdisc *sch = wire->watchdog.qdisc;

	/* Added since the request: its buffer comes with the next one. */
	if (!wire->samples)
		return;
	spin_lock(qdisc_lock(sch));
	wire->samples[wire_taken].backlog = wire_backlog(wire, now);
	wire->samples[wire_taken].accepted = wire->accepted;
	spin_unlock(qdisc_lock(sch));
}

static enum hrtimer_restart wire_tick(struct hrtimer *timer)
{
	u64 now = ktime_get_ns();
	struct wire *wire;
	bool more;

	spin_lock(&wire_sampler_lock);
	list_for_each_entry(wire, &wire_list, list)
		wire_picture(wire, now);
	more = ++wire_taken < wire_wanted;
	spin_unlock(&wire_sampler_lock);
	if (!more)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(wire_interval));
	return HRTIMER_RESTART;
}

static int wire_buffers_alloc(u32 count)
{
	struct wire *wire;

	list_for_each_entry(wire, &wire_list, list) {
		kvfree(wire->samples);
		wire->samples = kvcalloc(count, sizeof(*wire->samples), GFP_KERNEL);
		if (!wire->samples)
			return -ENOMEM;
	}
	return 0;
}

static int wire_sampler_start(u64 interval, u32 count)
{
	int err;

	rtnl_lock();
	hrtimer_cancel(&wire_timer);
	wire_taken = 0;
	wire_wanted = 0;
	err = wire_buffers_alloc(count);
	if (!err) {
		wire_interval = interval;
		wire_wanted = count;
		wire_begin = ktime_get_ns() + interval;
		hrtimer_start(&wire_timer, ns_to_ktime(wire_begin), HRTIMER_MODE_ABS_SOFT);
	}
	rtnl_unlock();
	return err;
}

static ssize_t wire_sample_write(struct file *file, const char __user *from, size_t size,
				 loff_t *pos)
{
	char text[WIRE_REQUEST_MAX] = "";
	u64 interval;
	u32 count;
	int err;

	if (size >= sizeof(text) || copy_from_user(text, from, size))
		return -EFAULT;
	if (sscanf(text, "%llu %u", &interval, &count) != 2 || interval < WIRE_INTERVAL_MIN ||
	    !count || count > WIRE_SAMPLES_MAX)
		return -EINVAL;
	err = wire_sampler_start(interval, count);
	return err ?: size;
}

static const struct file_operations wire_sample_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= wire_sample_write,
};

/* Position 0 is the header, N + 1 is picture N. */
static void *wire_samples_start(struct seq_file *m, loff_t *pos)
{
	rtnl_lock();
	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= READ_ONCE(wire_taken) ? pos : NULL;
}

static void *wire_samples_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return *pos <= READ_ONCE(wire_taken) ? pos : NULL;
}

static void wire_samples_stop(struct seq_file *m, void *v)
{
	rtnl_unlock();
}

static int wire_samples_show(struct seq_file *m, void *v)
{
	bool header = v == SEQ_START_TOKEN;
	u32 i = header ? 0 : *(loff_t *)v - 1;
	struct wire *wire;

	if (header)
		seq_puts(m, "ns");
	else
		seq_printf(m, "%llu", wire_begin + i * wire_interval);
	list_for_each_entry(wire, &wire_list, list) {
		if (!wire->samples)
			continue;
		if (header)
			seq_printf(m, " %s.backlog %s.accepted", wire->name, wire->name);
		else
			seq_printf(m, " %u %u", wire->samples[i].backlog,
				   wire->samples[i].accepted);
	}
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations wire_samples_sops = {
	.start	= wire_samples_start,
	.next	= wire_samples_next,
	.stop	= wire_samples_stop,
	.show	= wire_samples_show,
};
DEFINE_SEQ_ATTRIBUTE(wire_samples);

int __init wire_sampler_init(void)
{
	hrtimer_setup(&wire_timer, wire_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	wire_dir = debugfs_create_dir("wire", NULL);
	if (IS_ERR(wire_dir))
		return PTR_ERR(wire_dir);
	debugfs_create_file("sample", 0200, wire_dir, NULL, &wire_sample_fops);
	debugfs_create_file("samples", 0400, wire_dir, NULL, &wire_samples_fops);
	return 0;
}

/* No link is left: each holds the module. */
void wire_sampler_exit(void)
{
	debugfs_remove_recursive(wire_dir);
	hrtimer_cancel(&wire_timer);
}
