// SPDX-License-Identifier: GPL-2.0
/*
 * tcp_lia - LIA, the coupled congestion control of MPTCP ("Linked Increases").
 *
 * Its goals, for a connection of several subflows:
 *
 *  - it has at least the throughput that a single TCP would have on its best path;
 *  - it takes no more of any link that its subflows share than a single TCP would;
 *  - it moves its load away from its more congested paths.
 *
 * Only the increase in congestion avoidance is coupled: an acknowledged packet of
 * any subflow lets its window grow by what lia_window.c computes from all windows
 * and round-trip times of the connection. Slow start, the decrease by half and all
 * else are Reno's, and so is a connection of a single subflow, or of plain TCP.
 *
 *    C. Raiciu, M. Handley, D. Wischik:
 *      "Coupled Congestion Control for Multipath Transport Protocols", RFC 6356,
 *      2011.
 *
 *    D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley:
 *      "Design, implementation and evaluation of congestion control for multipath
 *      TCP", Proc. USENIX NSDI, 2011.
 *
 * Subflows count that may send, have packets in flight and know their round-trip
 * time. An idle one takes nothing of any link.
 *
 * The list of a connection's subflows is guarded by the connection's lock, which
 * the code that handles an ACK does not hold. The list is walked without the lock,
 * because the kernels of the lab have one processor and no preemption: it changes
 * neither on another processor nor in another process during the walk, which does
 * not sleep.
 * An interrupt may happen in the middle of a change, or of the walk, and only adds
 * subflows; and list_add() and list_del() keep the forward pointers whole at each
 * moment. A subflow and its connection are freed no sooner than they left the list.
 */
#include <linux/module.h>
#include <net/tcp.h>
#include "lia_window.h"
#include "protocol.h"	/* MPTCP's own */

/* Whether the subflow counts; fills *flow if so. */
static bool lia_flow_read(const struct sock *ssk, struct lia_flow *flow)
{
	const struct tcp_sock *tp = tcp_sk(ssk);

	flow->cwnd = tcp_snd_cwnd(tp);
	flow->rtt = tp->srtt_us;
	return flow->cwnd && flow->rtt;
}

static bool lia_flow_sends(const struct mptcp_subflow_context *subflow)
{
	return __mptcp_subflow_active((struct mptcp_subflow_context *)subflow) &&
	       tcp_sk(mptcp_subflow_tcp_sock(subflow))->packets_out;
}

/* The connection of a subflow, or NULL: a plain TCP, or one that fell back to it. */
static struct mptcp_sock *lia_connection(const struct sock *sk)
{
	const struct mptcp_subflow_context *ctx;

	if (!sk_is_mptcp(sk))
		return NULL;
	ctx = mptcp_subflow_ctx(sk);
	return ctx && ctx->conn ? mptcp_sk(ctx->conn) : NULL;
}

/* The flows that count beside sk; their number. */
static unsigned int lia_siblings(const struct sock *sk, struct lia_flow *flows, unsigned int most)
{
	struct mptcp_sock *msk = lia_connection(sk);
	struct mptcp_subflow_context *subflow;
	unsigned int count = 0;

	if (!msk)
		return 0;
	mptcp_for_each_subflow(msk, subflow) {
		const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		if (ssk == sk || !lia_flow_sends(subflow))
			continue;
		if (WARN_ON_ONCE(count == most))
			break;
		count += lia_flow_read(ssk, &flows[count]);
	}
	return count;
}

/* Reno's, which is the window, before there is any sample of the round-trip time. */
static u32 lia_increase_after(const struct sock *sk)
{
	struct lia_flow flows[LIA_FLOWS_MAX];

	if (!lia_flow_read(sk, &flows[0]))
		return tcp_snd_cwnd(tcp_sk(sk));
	return lia_window(flows, 1 + lia_siblings(sk, flows + 1, LIA_FLOWS_MAX - 1));
}

/* tcp_reno_cong_avoid() with another increase. */
static void lia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, lia_increase_after(sk), acked);
}

static struct tcp_congestion_ops lia_ops __read_mostly = {
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= lia_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.owner		= THIS_MODULE,
	.name		= "lia",
};

static int __init lia_module_init(void)
{
	/* See above: the walk over the subflows depends on it. */
	BUILD_BUG_ON(IS_ENABLED(CONFIG_SMP) || IS_ENABLED(CONFIG_PREEMPTION));
	return tcp_register_congestion_control(&lia_ops);
}

static void __exit lia_module_exit(void)
{
	tcp_unregister_congestion_control(&lia_ops);
}

module_init(lia_module_init);
module_exit(lia_module_exit);
MODULE_DESCRIPTION("The lab's coupled congestion control of MPTCP (LIA, RFC 6356)");
MODULE_LICENSE("GPL");
