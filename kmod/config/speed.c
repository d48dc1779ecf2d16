// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of a port, by which its DRE scales load: the configured rate, or the one that
 * its device reports. An event reports most changes of a device's speed. A bond is as fast
 * as its sending links, and does not report which these are, so that all ports are also
 * checked every second. The same work looks for bound tunnels, if nothing tells of them.
 */
#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>

#include "config/speed.h"
#include "datapath/leave.h"
#include "objects/fabric.h"
#include "objects/pace.h"
#include "objects/port.h"

#define CONGA_SPEED_LOOK_MS	1000
#define CONGA_SPEED_RETRY_MS	20	/* after a lock was not free */

/* conga_speed_set - @source is enum conga_rate_source. Returns 0, or -ENOMEM and leaves the
 * rate as it was
 */
int conga_speed_set(struct conga_port *port, u64 rate, u8 source)
{
	struct conga_port_dre *dre;

	dre = conga_port_dre_create(port, conga_fabric_params(port->fabric), rate);
	if (!dre)
		return -ENOMEM;
	WRITE_ONCE(port->rate, rate);
	WRITE_ONCE(port->rate_source, source);
	conga_port_dre_publish(port, dre);
	return 0;
}

/* conga_speed_follow - a rate that was taken from the device follows the device. A device
 * that is down, or faster than a port may be, reports no rate, and the port keeps its
 * previous one. Without memory the old DRE stays.
 */
void conga_speed_follow(struct conga_port *port)
{
	u64 rate;

	if (port->rate_source != CONGA_RATE_LINK)
		return;
	rate = conga_port_link_rate(port->dev);
	if (!rate || rate == port->rate)
		return;
	if (!conga_speed_set(port, rate, CONGA_RATE_LINK))
		conga_fabric_changed(port->fabric);
}

static void conga_speed_look_locked(struct conga_fabric *fabric)
{
	u64 began = ktime_get_ns();
	struct conga_port *port;

	list_for_each_entry(port, &fabric->ports, list)
		conga_speed_follow(port);
	if (conga_leave_must_look(fabric))
		conga_leave_look(fabric);
	conga_pace_spent(&fabric->speed_pace, fabric->net, ktime_get_ns() - began);
}

/* False if one of the locks was not free; see DOC: Locking. */
static bool conga_speed_look(struct conga_fabric *fabric)
{
	struct mutex *lock = &conga_net(fabric->net)->lock;
	bool done = false;

	if (!rtnl_trylock())
		return false;
	if (mutex_trylock(lock)) {
		conga_speed_look_locked(fabric);
		mutex_unlock(lock);
		done = true;
	}
	rtnl_unlock();
	return done;
}

static bool conga_speed_is_followed(const struct conga_fabric *fabric)
{
	const struct conga_port *port;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(port, &fabric->ports, list)
		found |= READ_ONCE(port->rate_source) == CONGA_RATE_LINK;
	rcu_read_unlock();
	return found;
}

static bool conga_speed_must_look(const struct conga_fabric *fabric)
{
	return conga_leave_must_look(fabric) || conga_speed_is_followed(fabric);
}

static void conga_speed_work(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(to_delayed_work(work),
						   struct conga_fabric,
						   speed_work);
	u64 ms = CONGA_SPEED_LOOK_MS;

	if (!conga_pace_wait(&fabric->speed_pace) &&
	    conga_speed_must_look(fabric) && !conga_speed_look(fabric))
		ms = CONGA_SPEED_RETRY_MS;
	queue_delayed_work(system_wq, &fabric->speed_work,
			   conga_pace_jiffies(&fabric->speed_pace,
					      ms * NSEC_PER_MSEC));
}

/* conga_speed_start - start to check speeds */
void conga_speed_start(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	INIT_DELAYED_WORK(&fabric->speed_work, conga_speed_work);
	queue_delayed_work(system_wq, &fabric->speed_work,
			   msecs_to_jiffies(CONGA_SPEED_LOOK_MS));
}

/* conga_speed_stop - before ports go; waits for a check in progress */
void conga_speed_stop(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	cancel_delayed_work_sync(&fabric->speed_work);
}
