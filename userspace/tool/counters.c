// SPDX-License-Identifier: GPL-2.0
/*
 * The counters in words: what each counts, in packets unless said, and what to do about
 * it. The manual of the numbers is linux/conga.h.
 */
#include <string.h>
#include <linux/conga.h>
#include "tool/counters.h"

const struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1] = {
	[CONGA_A_STATS_TX_STEERED] = {
		"tx_steered",
		"VXLAN packets sent by the path that was chosen",
		"Nothing: this is what conga is for. Zero while tunnels carry traffic: see fallback_* and tx_unknown_leaf."
	},
	[CONGA_A_STATS_TX_STAMPED] = {
		"tx_stamped",
		"of these, stamped for a conga leaf",
		"Nothing. Far below tx_steered: leaves are plain, \"conga leaf show\" says why."
	},
	[CONGA_A_STATS_TX_UNKNOWN_LEAF] = {
		"tx_unknown_leaf",
		"VXLAN packets to an address that is no leaf; left to the kernel",
		"If conga should balance them, add that VTEP (conga leaf add ADDR), or let congad do it."
	},
	[CONGA_A_STATS_TX_FORGED] = {
		"tx_forged",
		"packets of local sockets that carried a stamp; cleared",
		"Find the local program that writes reserved bits of VXLAN; they were harmless here."
	},
	[CONGA_A_STATS_TX_RESERVED] = {
		"tx_reserved",
		"not stamped, because the tunnel uses the reserved bits for itself (e.g. Group Based Policy)",
		"Nothing, if the tunnel needs GBP; else make it without, so that its packets can be stamped."
	},
	[CONGA_A_STATS_FLOWLETS_STARTED] = {
		"flowlets_started",
		"flowlets started",
		"Nothing. Few beside many packets: flows have no gaps, or flowlet-timeout is long."
	},
	[CONGA_A_STATS_FLOWLETS_KEPT] = {
		"flowlets_kept",
		"of these, on the uplink the flow had before",
		"Nothing."
	},
	[CONGA_A_STATS_FLOWLETS_MOVED] = {
		"flowlets_moved",
		"of these, on another uplink",
		"Nothing. If most are moved and receivers see packets out of order, lengthen flowlet-timeout."
	},
	[CONGA_A_STATS_FLOWLETS_REROUTED] = {
		"flowlets_rerouted",
		"flowlets moved at once, gap or not, because their path went down",
		"See why paths go down: conga monitor path."
	},
	[CONGA_A_STATS_FLOWLET_COLLISIONS] = {
		"flowlet_collisions",
		"packets of flows that met another leaf's live flowlet in its entry, and shared its uplink",
		"If it grows by more than a hundredth of tx_steered, enlarge the table (fabric set flowlets)."
	},
	[CONGA_A_STATS_FALLBACK_NO_PATH] = {
		"fallback_no_path",
		"left to the kernel: no usable path",
		"conga path show says of each path why it is down: mostly a route or a link."
	},
	[CONGA_A_STATS_FALLBACK_XFRM] = {
		"fallback_xfrm",
		"left to the kernel: IPsec transforms it",
		"Nothing: conga does not steer what IPsec carries."
	},
	[CONGA_A_STATS_FALLBACK_MARK] = {
		"fallback_mark",
		"left to the kernel: marked after its route was found, with bits that a routing rule looks at",
		"Mark these packets before their route is found, or with bits that no ip rule looks at."
	},
	[CONGA_A_STATS_FALLBACK_MTU] = {
		"fallback_mtu",
		"left to the kernel: fits its route's MTU, but not that of the chosen path",
		"Give all uplinks the same MTU, with room for the tunnel: conga check looks at it."
	},
	[CONGA_A_STATS_FALLBACK_NOMEM] = {
		"fallback_nomem",
		"left to the kernel: no memory to make the header writable",
		"The box is short of memory: look at it as a whole."
	},
	[CONGA_A_STATS_CE_RAISED] = {
		"ce_raised",
		"packets whose CE a port of this box raised",
		"Nothing: ports of this box are loaded. conga top shows which."
	},
	[CONGA_A_STATS_CE_UNWRITABLE] = {
		"ce_unwritable",
		"CE not raised: the header could not be made writable",
		"The box is short of memory: congestion of this box is underreported meanwhile."
	},
	[CONGA_A_STATS_FEEDBACK_SENT] = {
		"feedback_sent",
		"stamped packets that carried feedback",
		"Nothing."
	},
	[CONGA_A_STATS_FEEDBACK_RECEIVED] = {
		"feedback_received",
		"feedback taken into a to-leaf table",
		"Nothing. Zero while tx_stamped grows: the other leaves do not answer, conga leaf show says why."
	},
	[CONGA_A_STATS_FEEDBACK_IGNORED] = {
		"feedback_ignored",
		"feedback about an LBTag that no uplink has",
		"Nothing after a port was removed; if it goes on, another box answers in the name of a leaf."
	},
	[CONGA_A_STATS_RX_STAMPED] = {
		"rx_stamped",
		"stamped packets received, cleared and delivered",
		"Nothing."
	},
	[CONGA_A_STATS_RX_LEARNT] = {
		"rx_learnt",
		"of these, CE taken into a from-leaf table",
		"Nothing. Below rx_stamped: see rx_not_port, rx_unknown_leaf and rx_plain_leaf."
	},
	[CONGA_A_STATS_RX_NOT_PORT] = {
		"rx_not_port",
		"not learnt from: came by a device that is no port",
		"Make the device that they come by a port (conga port add), or find out why they come there."
	},
	[CONGA_A_STATS_RX_UNKNOWN_LEAF] = {
		"rx_unknown_leaf",
		"not learnt from: sender is no leaf",
		"Add the sender as a leaf: it has this box as one."
	},
	[CONGA_A_STATS_RX_PLAIN_LEAF] = {
		"rx_plain_leaf",
		"not learnt from: sender is a plain leaf",
		"It stamps and is plain here: conga leaf show says why. The two boxes should agree."
	},
	[CONGA_A_STATS_RX_CONTROL] = {
		"rx_control",
		"control packets consumed",
		"Nothing: hellos and their like."
	},
	[CONGA_A_STATS_RX_FOREIGN] = {
		"rx_foreign",
		"VXLAN with flags or reserved bits that are not ours; passed untouched",
		"Nothing, if tunnels with extensions (GBP, others) end here; else find who sends them."
	},
	[CONGA_A_STATS_RX_MALFORMED] = {
		"rx_malformed",
		"to a VXLAN port, without a valid VNI flag; passed untouched",
		"Find who sends to this UDP port: it is not VXLAN. conga passes it on as it came."
	},
	[CONGA_A_STATS_RX_TRUNCATED] = {
		"rx_truncated",
		"to a VXLAN port, too short for a VXLAN header; passed untouched",
		"Find who sends to this UDP port: it is not VXLAN. conga passes it on as it came."
	},
	[CONGA_A_STATS_RX_NOMEM] = {
		"rx_nomem",
		"stamped packets that could not be cleared for want of memory; passed as they were",
		"The box is short of memory: the tunnel drops these packets, for they are still stamped."
	},
	[CONGA_A_STATS_PATH_UP] = {
		"path_up",
		"times a path became usable",
		"Nothing by itself. If it grows together with path_down, a link or a route flaps: conga monitor path."
	},
	[CONGA_A_STATS_PATH_DOWN] = {
		"path_down",
		"times a path ceased to be usable",
		"conga path show says why: a link, a route, or a leaf that is silent."
	},
	[CONGA_A_STATS_PATH_SILENT] = {
		"path_silent",
		"times a path was taken out because the leaf did not answer by it",
		"Look for what drops packets silently on the way by that uplink: conga path show names it."
	},
	[CONGA_A_STATS_PATH_ANSWERS] = {
		"path_answers",
		"times a silent path was brought back by an answer",
		"Nothing. If it grows together with path_silent, a link on the way loses packets."
	},
	[CONGA_A_STATS_HELLO_SENT] = {
		"hello_sent",
		"hellos sent",
		"Nothing."
	},
	[CONGA_A_STATS_HELLO_MISSED] = {
		"hello_missed",
		"hellos that were not answered in time",
		"Some are missed when a leaf or link is down; if all are, the leaf does not run conga or a firewall is between."
	},
	[CONGA_A_STATS_HELLO_ANSWERED] = {
		"hello_answered",
		"hellos of leaves that were answered",
		"Nothing."
	},
	[CONGA_A_STATS_HELLO_HEARD] = {
		"hello_heard",
		"answers to our hellos",
		"Nothing. Far below hello_sent: see hello_missed."
	},
	[CONGA_A_STATS_BYE_SENT] = {
		"bye_sent",
		"byes sent",
		"Nothing: a fabric or leaf was removed here."
	},
	[CONGA_A_STATS_BYE_RECEIVED] = {
		"bye_received",
		"byes of leaves",
		"Nothing: a fabric or leaf was removed there."
	},
	[CONGA_A_STATS_EXPLICIT_SENT] = {
		"explicit_sent",
		"packets sent that carry nothing but feedback",
		"Nothing: traffic is one-way, so that feedback travels by itself."
	},
	[CONGA_A_STATS_EXPLICIT_RECEIVED] = {
		"explicit_received",
		"such packets from leaves; what they say is counted as feedback received or ignored",
		"Nothing: traffic is one-way, so that feedback travels by itself."
	},
	[CONGA_A_STATS_CONTROL_UNSENT] = {
		"control_unsent",
		"control packets not sent: no memory",
		"The box is short of memory: leaves may take it for silent."
	},
	[CONGA_A_STATS_CONTROL_NOT_PORT] = {
		"control_not_port",
		"not heeded: came by a device that is no port",
		"Make the device that they come by a port (conga port add)."
	},
	[CONGA_A_STATS_CONTROL_UNKNOWN_LEAF] = {
		"control_unknown_leaf",
		"not heeded: sender is no leaf",
		"Add the sender as a leaf: it has this box as one."
	},
	[CONGA_A_STATS_CONTROL_PLAIN_LEAF] = {
		"control_plain_leaf",
		"not heeded: sender is in mode plain, or hello is off",
		"Set the sender to mode auto, if it is to balance by the load of paths."
	},
	[CONGA_A_STATS_CONTROL_MALFORMED] = {
		"control_malformed",
		"not heeded: too short, not ours, or shorter than its count says",
		"Find who sends them: a leaf with another program, or somebody who probes this box."
	},
	[CONGA_A_STATS_CONTROL_VERSION] = {
		"control_version",
		"not heeded: another version",
		"Bring the module of both boxes to one version."
	},
	[CONGA_A_STATS_CONTROL_TYPE] = {
		"control_type",
		"not heeded: unknown type",
		"Bring the module of both boxes to one version."
	},
	[CONGA_A_STATS_CONTROL_NONCE] = {
		"control_nonce",
		"not heeded: echoes no nonce of ours",
		"A few after a restart are usual; if it goes on, somebody forges answers of leaves."
	},
	[CONGA_A_STATS_CONTROL_LIMITED] = {
		"control_limited",
		"hellos not answered: more than a leaf sends",
		"Somebody sends hellos in the name of a leaf, or a leaf's hello interval is very short."
	},
	[CONGA_A_STATS_LEAF_UP] = {
		"leaf_up",
		"times a leaf in mode auto became conga",
		"Nothing. If it grows together with leaf_silent, the leaf or the way to it is unstable."
	},
	[CONGA_A_STATS_LEAF_SILENT] = {
		"leaf_silent",
		"times a leaf in mode auto became plain: it did not answer",
		"Look whether the leaf is there, and runs conga: conga leaf show."
	},
	[CONGA_A_STATS_LEAF_BYE] = {
		"leaf_bye",
		"times a leaf in mode auto became plain: it said bye",
		"Nothing: its fabric was removed, its traffic goes on unstamped."
	},
	[CONGA_A_STATS_LEAF_DISAGREES] = {
		"leaf_disagrees",
		"times a leaf in mode auto became plain: it has another Q, metric or use of byte 3",
		"Set q, metric and policy's byte 3 alike on all boxes: conga leaf show says what differs."
	},
	[CONGA_A_STATS_LEAF_ALTERNATES] = {
		"leaf_alternates",
		"times a leaf in mode auto became plain: two boxes answer by turns",
		"Two boxes have one VTEP address (MLAG, anycast, or a mistake): give each its own."
	},
	[CONGA_A_STATS_TX_OPTED_OUT] = {
		"tx_opted_out",
		"VXLAN packets to leaves that the user exempted from the policy, by mark or DSCP",
		"Nothing: opt-out says so."
	},
	[CONGA_A_STATS_FORWARD_STEERED] = {
		"forward_steered",
		"VXLAN packets that passed this box by the hop that was chosen here",
		"Nothing: this box decides at every hop (hula)."
	},
	[CONGA_A_STATS_FORWARD_UNKNOWN_LEAF] = {
		"forward_unknown_leaf",
		"VXLAN packets that passed, to an address that is no leaf; left to the kernel",
		"Add the address as a leaf here, too: hula needs to know it at every box."
	},
	[CONGA_A_STATS_FALLBACK_NO_PROBE] = {
		"fallback_no_probe",
		"left to the kernel: no probe told of a usable hop",
		"Let hula run on every box between the leaves; zero a second after all do."
	},
	[CONGA_A_STATS_PROBE_SENT] = {
		"probe_sent",
		"probes of this leaf",
		"Nothing."
	},
	[CONGA_A_STATS_PROBE_LATE] = {
		"probe_late",
		"times that probes were sent later than by a quarter of their interval",
		"The box is overloaded or the interval too short for it: fabric set probe."
	},
	[CONGA_A_STATS_PROBE_SKIPPED] = {
		"probe_skipped",
		"times that probes were not sent, since it was time for the next",
		"The box is overloaded or the interval too short for it: fabric set probe."
	},
	[CONGA_A_STATS_PROBE_TAKEN] = {
		"probe_taken",
		"probes that told what is best now",
		"Nothing."
	},
	[CONGA_A_STATS_PROBE_MOVED] = {
		"probe_moved",
		"probes by which another hop became the best",
		"Nothing."
	},
	[CONGA_A_STATS_PROBE_HANDED_ON] = {
		"probe_handed_on",
		"probes of others sent on, by each port",
		"Nothing."
	},
	[CONGA_A_STATS_PROBE_UNWANTED] = {
		"probe_unwanted",
		"probes not heeded: the policy needs none",
		"Set policy hula here, or end probes there (fabric set probe off)."
	},
	[CONGA_A_STATS_PROBE_DISTANT] = {
		"probe_distant",
		"probes not heeded: the sender is no neighbour",
		"Somebody who is no neighbour sends probes: they are not believed. Find who."
	},
	[CONGA_A_STATS_PROBE_MALFORMED] = {
		"probe_malformed",
		"probes not heeded: too short, not ours, another version or type",
		"Bring the module of both boxes to one version, or find who sends them."
	},
	[CONGA_A_STATS_PROBE_OWN] = {
		"probe_own",
		"probes not heeded: this leaf's own, come back",
		"Nothing: links form a loop, which probes end here."
	},
	[CONGA_A_STATS_PROBE_UNKNOWN_LEAF] = {
		"probe_unknown_leaf",
		"probes not heeded: the origin is no leaf",
		"Add the origin as a leaf here, too: hula needs to know it at every box."
	},
	[CONGA_A_STATS_PROBE_NOT_PATH] = {
		"probe_not_path",
		"probes not heeded: came by a port that is no nexthop of the route to their origin",
		"Nothing, if routes leave that way out on purpose; else conga path show says what they use."
	},
	[CONGA_A_STATS_PROBE_HOPS] = {
		"probe_hops",
		"probes not handed on: passed as many boxes as they may",
		"More than eight boxes between two leaves, or a loop: set tiers of ports (port set tier)."
	},
	[CONGA_A_STATS_PROBE_NO_BETTER] = {
		"probe_no_better",
		"probes about a leaf that told nothing better than what is known",
		"Nothing: the usual fate of a probe."
	},
	[CONGA_A_STATS_PATH_UNPROBED] = {
		"path_unprobed",
		"times a path was given up because probes came by it no more",
		"Look for what drops probes on the way by that port: conga path show names it."
	},
	[CONGA_A_STATS_PATH_PROBED] = {
		"path_probed",
		"times a probe brought such a path back",
		"Nothing. If it grows together with path_unprobed, a link on the way loses packets."
	},
	[CONGA_A_STATS_QUEUE_MARKED] = {
		"queue_marked",
		"packets that passed this box and were told what waits at the port they came in by",
		"Nothing: policy tr is at work."
	},
	[CONGA_A_STATS_QUEUE_RECEIVED] = {
		"queue_received",
		"packets learnt from that told of the queue at the box behind an uplink",
		"Nothing. Zero with policy tr: the boxes behind the uplinks do not run it."
	},
	[CONGA_A_STATS_QUEUE_IGNORED] = {
		"queue_ignored",
		"packets learnt from whose byte 3 tells of no queue, or of none behind an uplink",
		"Set policy tr on the boxes behind the uplinks, too."
	},
	[CONGA_A_STATS_FALLBACK_ROUTE] = {
		"fallback_route",
		"left to the kernel: its own route is none of the paths",
		"Another rule, route or program decides about these packets: compare ip route get for their addresses with conga path show."
	},
	[CONGA_A_STATS_FALLBACK_NAT] = {
		"fallback_nat",
		"left to the kernel: its outer addresses are translated (NAT), or may be",
		"Exempt the tunnel's UDP port from NAT on the uplinks, e.g. by a rule that accepts it before masquerade."
	},
	[CONGA_A_STATS_FALLBACK_BOUND] = {
		"fallback_bound",
		"left to the kernel: its tunnel is bound to a device",
		"Nothing if that is intended. Otherwise create the vxlan device without dev, and FDB entries without via."
	},
	[CONGA_A_STATS_FALLBACK_KEYS] = {
		"fallback_keys",
		"left to the kernel: rules tell more kinds of packets to its leaf apart than are kept",
		"Use fewer routing rules by DSCP, mark, source address or port for the tunnels' packets."
	},
	[CONGA_A_STATS_TX_COPIED] = {
		"tx_copied",
		"packets of local sockets copied first, because their sender might still write them",
		"Nothing. A local process sends to the VXLAN port by MSG_ZEROCOPY, splice or UDP_SEGMENT."
	},
	[CONGA_A_STATS_TX_NOMEM] = {
		"tx_nomem",
		"packets of local sockets dropped: no memory to copy them, or to clear a stamp",
		"The box is short of memory: look at it as a whole."
	},
	[CONGA_A_STATS_RX_XFRM] = {
		"rx_xfrm",
		"stamped packets not learnt from: IPsec policy does not accept them",
		"A leaf sends without the IPsec that this box asks for, or somebody forges its packets."
	},
	[CONGA_A_STATS_RX_JOINED] = {
		"rx_joined",
		"datagrams that came joined in one packet, and were read each",
		"Nothing."
	},
	[CONGA_A_STATS_CONTROL_XFRM] = {
		"control_xfrm",
		"control packets rejected: IPsec policy does not accept them",
		"A leaf sends without the IPsec that this box asks for, or somebody forges its packets."
	},
	[CONGA_A_STATS_CONTROL_UNSENT_XFRM] = {
		"control_unsent_xfrm",
		"control packets not sent: IPsec would have to transform them",
		"Leaves behind IPsec are plain: conga does not steer what IPsec carries. Set mode plain to say so."
	},
	[CONGA_A_STATS_PATH_NARROW] = {
		"path_narrow",
		"times a path was given up, because it loses large packets",
		"A link on the way has a smaller MTU than the uplink: conga path show names the path."
	},
};

const struct conga_counter *conga_counters_find(const char *name)
{
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name && !strcmp(conga_counters[i].name, name))
			return &conga_counters[i];
	return NULL;
}
