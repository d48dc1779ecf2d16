// SPDX-License-Identifier: GPL-2.0
/*
 * Flowlets (CONGA, section 3.4)
 *
 * Goal: move a flow between uplinks only where a gap in it is longer than the
 * difference of the paths' delays, so that its packets stay in order.
 *
 * Mechanism: a table indexed by a hash of the inner 5-tuple and the leaf. A
 * packet after an idle time of more than Tfl starts a new flowlet. The paper's
 * switch keeps an age bit and sees gaps between Tfl and 2 Tfl; we keep the time
 * and detect a gap of Tfl, to the grain. Flows that share an entry share its uplink,
 * whichever leaf they go to, and have a gap only where all of them pause: sharing costs an
 * opportunity to move, never order (remark 1).
 *
 * An entry is one word, so that no lock guards it; when two CPUs race, one
 * decision is lost and made again. The time wraps after 2^35 grains, 9.8 hours:
 * a flow that was idle for just that long, to a second, keeps its uplink.
 *
 * The draw makes flowlets of one flow differ for nodes on the way, which hash the outer UDP
 * source port: the draw stands for one of 255 ports, or, if it is 0, for the port that the
 * tunnel chose. So a flowlet that another policy began keeps the tunnel's port.
 */
#include <linux/types.h>

#include "paper/flowlet.h"

/* conga_flowlet_is_live - is the flowlet in progress, to any leaf? Only queries call this.
 * @now and @tfl are in ns.
 */
bool conga_flowlet_is_live(conga_flowlet_t entry, u64 now, u64 tfl)
{
	return conga_flowlet_state(entry, conga_flowlet_leaf(entry), now, tfl) ==
	       CONGA_FLOWLET_LIVE;
}
