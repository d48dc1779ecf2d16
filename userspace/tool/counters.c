// SPDX-License-Identifier: GPL-2.0
/*
 * The text for each counter: what it counts, and what the operator can do about it. The
 * UAPI header linux/conga.h defines the numbers.
 */
#include <string.h>
#include <linux/conga.h>
#include "tool/counters.h"

const struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1] = {
	[CONGA_A_STATS_TX_STEERED] = {
		"tx_steered",
		"VXLAN packets sent on the chosen path",
		"Nothing to do: this is what conga is for. If it stays zero while tunnels carry traffic, see fallback_* and tx_unknown_leaf."
	},
	[CONGA_A_STATS_TX_STAMPED] = {
		"tx_stamped",
		"steered packets that were stamped for a conga leaf",
		"Nothing to do. If it is far below tx_steered, leaves are plain: \"conga leaf show\" shows why."
	},
	[CONGA_A_STATS_TX_UNKNOWN_LEAF] = {
		"tx_unknown_leaf",
		"VXLAN packets to an address that is no leaf; left to the kernel",
		"If conga must balance them, add that VTEP (conga leaf add ADDR), or run congad."
	},
	[CONGA_A_STATS_TX_FORGED] = {
		"tx_forged",
		"packets of local sockets that carried a stamp; the stamp was cleared",
		"Find the local program that writes reserved bits of VXLAN. The forged stamps did no harm here."
	},
	[CONGA_A_STATS_TX_RESERVED] = {
		"tx_reserved",
		"packets not stamped, because the tunnel itself uses the reserved bits (e.g. Group Based Policy)",
		"Nothing to do if the tunnel needs GBP. Otherwise create the tunnel without it, so that its packets can be stamped."
	},
	[CONGA_A_STATS_FLOWLETS_STARTED] = {
		"flowlets_started",
		"flowlets started",
		"Nothing to do. If they are few compared with packets, flows have no gaps, or flowlet-timeout is long."
	},
	[CONGA_A_STATS_FLOWLETS_KEPT] = {
		"flowlets_kept",
		"flowlets that started on the previous uplink of their flow",
		"Nothing to do."
	},
	[CONGA_A_STATS_FLOWLETS_MOVED] = {
		"flowlets_moved",
		"flowlets that started on another uplink than the previous one of their flow",
		"Nothing to do. If most flowlets move and receivers see packets out of order, increase flowlet-timeout."
	},
	[CONGA_A_STATS_FLOWLETS_REROUTED] = {
		"flowlets_rerouted",
		"flowlets in progress moved at once because their path went down",
		"Run \"conga monitor path\" to see why paths go down."
	},
	[CONGA_A_STATS_FLOWLET_COLLISIONS] = {
		"flowlet_collisions",
		"packets of flows that shared the entry, and the uplink, of another leaf's flowlet in progress",
		"If it grows by more than a hundredth of tx_steered, enlarge the table (fabric set flowlets)."
	},
	[CONGA_A_STATS_FALLBACK_NO_PATH] = {
		"fallback_no_path",
		"packets left to the kernel: no path is usable",
		"Run \"conga path show\" to see why each path is down: mostly a route or a link."
	},
	[CONGA_A_STATS_FALLBACK_XFRM] = {
		"fallback_xfrm",
		"packets left to the kernel: IPsec transforms them",
		"Nothing to do: conga does not steer what IPsec carries."
	},
	[CONGA_A_STATS_FALLBACK_MARK] = {
		"fallback_mark",
		"packets left to the kernel: marked after routing, with bits that a routing rule uses",
		"Mark these packets before they are routed, or with bits that no ip rule uses."
	},
	[CONGA_A_STATS_FALLBACK_MTU] = {
		"fallback_mtu",
		"packets left to the kernel: they fit the MTU of their own route, but not that of the chosen path",
		"Give all uplinks the same MTU, with room for the tunnel: \"conga check\" verifies it."
	},
	[CONGA_A_STATS_FALLBACK_NOMEM] = {
		"fallback_nomem",
		"packets left to the kernel: no memory to make the header writable",
		"This node is short of memory: find what uses it."
	},
	[CONGA_A_STATS_CE_RAISED] = {
		"ce_raised",
		"packets whose CE a port of this node raised",
		"Nothing to do: ports of this node are loaded, and \"conga top\" shows which."
	},
	[CONGA_A_STATS_CE_UNWRITABLE] = {
		"ce_unwritable",
		"packets whose CE was not raised: the header could not be made writable",
		"This node is short of memory, so its congestion is underreported."
	},
	[CONGA_A_STATS_FEEDBACK_SENT] = {
		"feedback_sent",
		"stamped packets that carried feedback",
		"Nothing to do."
	},
	[CONGA_A_STATS_FEEDBACK_RECEIVED] = {
		"feedback_received",
		"feedback stored in a to-leaf table",
		"Nothing to do. If it stays zero while tx_stamped grows, the other leaves do not answer: \"conga leaf show\" shows why."
	},
	[CONGA_A_STATS_FEEDBACK_IGNORED] = {
		"feedback_ignored",
		"feedback about an LBTag that no uplink has",
		"Nothing to do after a port was removed. If it keeps growing, another node answers with a leaf's address."
	},
	[CONGA_A_STATS_RX_STAMPED] = {
		"rx_stamped",
		"stamped packets received, cleared and delivered",
		"Nothing to do."
	},
	[CONGA_A_STATS_RX_LEARNT] = {
		"rx_learnt",
		"stamped packets whose CE was stored in a from-leaf table",
		"Nothing to do. If it is below rx_stamped, see rx_not_port, rx_unknown_leaf and rx_plain_leaf."
	},
	[CONGA_A_STATS_RX_NOT_PORT] = {
		"rx_not_port",
		"stamped packets not learnt from: received by a device that is no port",
		"Make the receiving device a port (conga port add), or find out why the packets arrive there."
	},
	[CONGA_A_STATS_RX_UNKNOWN_LEAF] = {
		"rx_unknown_leaf",
		"stamped packets not learnt from: the sender is no leaf",
		"Add the sender as a leaf here: this node is a leaf there."
	},
	[CONGA_A_STATS_RX_PLAIN_LEAF] = {
		"rx_plain_leaf",
		"stamped packets not learnt from: the sender is a plain leaf",
		"The sender stamps, but is plain here: \"conga leaf show\" shows why. Both nodes must agree."
	},
	[CONGA_A_STATS_RX_CONTROL] = {
		"rx_control",
		"control packets consumed",
		"Nothing to do: hellos and other control packets arrive."
	},
	[CONGA_A_STATS_RX_FOREIGN] = {
		"rx_foreign",
		"VXLAN packets with flags or reserved bits that conga does not use; passed unchanged",
		"Nothing to do if tunnels with extensions (GBP, others) end here. Otherwise find who sends these packets."
	},
	[CONGA_A_STATS_RX_MALFORMED] = {
		"rx_malformed",
		"packets to a VXLAN port without a valid VNI flag; passed unchanged",
		"Find who sends to this UDP port: the packets are not VXLAN."
	},
	[CONGA_A_STATS_RX_TRUNCATED] = {
		"rx_truncated",
		"packets to a VXLAN port that are too short for a VXLAN header; passed unchanged",
		"Find who sends to this UDP port: the packets are not VXLAN."
	},
	[CONGA_A_STATS_RX_NOMEM] = {
		"rx_nomem",
		"stamped packets that could not be cleared for lack of memory; passed unchanged",
		"This node is short of memory: the tunnel drops these packets, because they are still stamped."
	},
	[CONGA_A_STATS_PATH_UP] = {
		"path_up",
		"times a path became usable",
		"Nothing to do. If it grows together with path_down, a link or a route flaps: run \"conga monitor path\"."
	},
	[CONGA_A_STATS_PATH_DOWN] = {
		"path_down",
		"times a path became unusable",
		"Run \"conga path show\" to see why: a link, a route, or a silent leaf."
	},
	[CONGA_A_STATS_PATH_SILENT] = {
		"path_silent",
		"times a path became unusable because the leaf did not answer by it",
		"Look for a device on that path that drops packets silently: \"conga path show\" names the uplink."
	},
	[CONGA_A_STATS_PATH_ANSWERS] = {
		"path_answers",
		"times an answer made a silent path usable again",
		"Nothing to do. If it grows together with path_silent, a link on the path loses packets."
	},
	[CONGA_A_STATS_HELLO_SENT] = {
		"hello_sent",
		"hellos sent",
		"Nothing to do."
	},
	[CONGA_A_STATS_HELLO_MISSED] = {
		"hello_missed",
		"hellos that were not answered in time",
		"Some are missed while a leaf or link is down. If all are missed, the leaf does not run conga, or a firewall drops hellos."
	},
	[CONGA_A_STATS_HELLO_ANSWERED] = {
		"hello_answered",
		"hellos of leaves that were answered",
		"Nothing to do."
	},
	[CONGA_A_STATS_HELLO_HEARD] = {
		"hello_heard",
		"answers to hellos of this node",
		"Nothing to do. If it is far below hello_sent, see hello_missed."
	},
	[CONGA_A_STATS_BYE_SENT] = {
		"bye_sent",
		"goodbye messages sent",
		"Nothing to do: a fabric or leaf was removed here."
	},
	[CONGA_A_STATS_BYE_RECEIVED] = {
		"bye_received",
		"goodbye messages received from leaves",
		"Nothing to do: a fabric or leaf was removed there."
	},
	[CONGA_A_STATS_EXPLICIT_SENT] = {
		"explicit_sent",
		"packets sent that carry only feedback",
		"Nothing to do: traffic is one-way, so feedback is sent in packets of its own."
	},
	[CONGA_A_STATS_EXPLICIT_RECEIVED] = {
		"explicit_received",
		"packets received that carry only feedback; feedback_received and feedback_ignored count the content",
		"Nothing to do: traffic is one-way, so feedback is sent in packets of its own."
	},
	[CONGA_A_STATS_CONTROL_UNSENT] = {
		"control_unsent",
		"control packets not sent: no memory",
		"This node is short of memory: leaves may consider it silent."
	},
	[CONGA_A_STATS_CONTROL_NOT_PORT] = {
		"control_not_port",
		"control packets ignored: received by a device that is no port",
		"Make the receiving device a port (conga port add)."
	},
	[CONGA_A_STATS_CONTROL_UNKNOWN_LEAF] = {
		"control_unknown_leaf",
		"control packets ignored: the sender is no leaf",
		"Add the sender as a leaf here: this node is a leaf there."
	},
	[CONGA_A_STATS_CONTROL_PLAIN_LEAF] = {
		"control_plain_leaf",
		"control packets ignored: the sender is in mode plain, or hello is off",
		"If packets to the sender must be balanced by the load of paths, set the sender to mode auto."
	},
	[CONGA_A_STATS_CONTROL_MALFORMED] = {
		"control_malformed",
		"control packets ignored: too short, not of conga, or shorter than their count of records",
		"Find who sends them: a leaf with another program, or somebody who scans this node."
	},
	[CONGA_A_STATS_CONTROL_VERSION] = {
		"control_version",
		"control packets ignored: of another version",
		"Install the same version of the module on both nodes."
	},
	[CONGA_A_STATS_CONTROL_TYPE] = {
		"control_type",
		"control packets ignored: of an unknown type",
		"Install the same version of the module on both nodes."
	},
	[CONGA_A_STATS_CONTROL_NONCE] = {
		"control_nonce",
		"control packets ignored: they echo no nonce of this node",
		"A few after a restart are normal. If it keeps growing, somebody forges answers of leaves."
	},
	[CONGA_A_STATS_CONTROL_LIMITED] = {
		"control_limited",
		"hellos not answered: more than a leaf sends",
		"Somebody sends hellos with a leaf's address, or a leaf's hello interval is very short."
	},
	[CONGA_A_STATS_LEAF_UP] = {
		"leaf_up",
		"times a leaf in mode auto became conga",
		"Nothing to do. If it grows together with leaf_silent, the leaf or the path to it is unstable."
	},
	[CONGA_A_STATS_LEAF_SILENT] = {
		"leaf_silent",
		"times a leaf in mode auto became plain: it did not answer",
		"Check that the leaf is up and runs conga: \"conga leaf show\"."
	},
	[CONGA_A_STATS_LEAF_BYE] = {
		"leaf_bye",
		"times a leaf in mode auto became plain: it sent a goodbye message",
		"Nothing to do: the leaf's fabric was removed, and its traffic continues unstamped."
	},
	[CONGA_A_STATS_LEAF_DISAGREES] = {
		"leaf_disagrees",
		"times a leaf in mode auto became plain: it has another Q, metric or use of byte 3",
		"Set the same q, metric and policy's use of byte 3 on all nodes: \"conga leaf show\" shows what differs."
	},
	[CONGA_A_STATS_LEAF_ALTERNATES] = {
		"leaf_alternates",
		"times a leaf in mode auto became plain: two nodes answer by turns",
		"Two nodes have one VTEP address (MLAG, anycast, or a mistake): give each node its own."
	},
	[CONGA_A_STATS_TX_OPTED_OUT] = {
		"tx_opted_out",
		"VXLAN packets to leaves that the user exempted from the policy, by mark or DSCP",
		"Nothing to do: opt-out is configured."
	},
	[CONGA_A_STATS_FORWARD_STEERED] = {
		"forward_steered",
		"VXLAN packets forwarded by the hop that was chosen here",
		"Nothing to do: this node decides at every hop (hula)."
	},
	[CONGA_A_STATS_FORWARD_UNKNOWN_LEAF] = {
		"forward_unknown_leaf",
		"VXLAN packets forwarded to an address that is no leaf; left to the kernel",
		"Add the address as a leaf here, too: with hula every node must know it."
	},
	[CONGA_A_STATS_FALLBACK_NO_PROBE] = {
		"fallback_no_probe",
		"packets left to the kernel: no probe reported a usable hop",
		"Run hula on every node between the leaves. The counter stops growing one second later."
	},
	[CONGA_A_STATS_PROBE_SENT] = {
		"probe_sent",
		"probes sent about this leaf",
		"Nothing to do."
	},
	[CONGA_A_STATS_PROBE_LATE] = {
		"probe_late",
		"times probes were sent late by more than a quarter of their interval",
		"This node is overloaded, or the interval is too short for it: fabric set probe."
	},
	[CONGA_A_STATS_PROBE_SKIPPED] = {
		"probe_skipped",
		"times probes were skipped because the next ones were due",
		"This node is overloaded, or the interval is too short for it: fabric set probe."
	},
	[CONGA_A_STATS_PROBE_TAKEN] = {
		"probe_taken",
		"probes accepted: they report the current best hop",
		"Nothing to do."
	},
	[CONGA_A_STATS_PROBE_MOVED] = {
		"probe_moved",
		"probes that made another hop the best",
		"Nothing to do."
	},
	[CONGA_A_STATS_PROBE_HANDED_ON] = {
		"probe_handed_on",
		"probes of other leaves forwarded, counted for each port",
		"Nothing to do."
	},
	[CONGA_A_STATS_PROBE_UNWANTED] = {
		"probe_unwanted",
		"probes ignored: the policy needs none",
		"Set policy hula here, or stop the probes there (fabric set probe off)."
	},
	[CONGA_A_STATS_PROBE_DISTANT] = {
		"probe_distant",
		"probes ignored: the sender is no neighbour",
		"A sender that is no neighbour sends probes, and they are ignored: find the sender."
	},
	[CONGA_A_STATS_PROBE_MALFORMED] = {
		"probe_malformed",
		"probes ignored: too short, not of conga, or of another version or type",
		"Install the same version of the module on both nodes, or find who sends them."
	},
	[CONGA_A_STATS_PROBE_OWN] = {
		"probe_own",
		"probes ignored: this leaf's own probes that came back",
		"Nothing to do: links form a loop, and the probes end here."
	},
	[CONGA_A_STATS_PROBE_UNKNOWN_LEAF] = {
		"probe_unknown_leaf",
		"probes ignored: the origin is no leaf",
		"Add the origin as a leaf here, too: with hula every node must know it."
	},
	[CONGA_A_STATS_PROBE_NOT_PATH] = {
		"probe_not_path",
		"probes ignored: received by a port that is no nexthop of the route to their origin",
		"Nothing to do if routes leave out that path on purpose. Otherwise \"conga path show\" shows what they use."
	},
	[CONGA_A_STATS_PROBE_HOPS] = {
		"probe_hops",
		"probes not forwarded: they reached the hop limit",
		"There are more than eight nodes between two leaves, or a loop: set tiers of ports (port set tier)."
	},
	[CONGA_A_STATS_PROBE_NO_BETTER] = {
		"probe_no_better",
		"probes ignored: their metric is no better than the known one",
		"Nothing to do: most probes end so."
	},
	[CONGA_A_STATS_PATH_UNPROBED] = {
		"path_unprobed",
		"times a path became unusable because no probes arrived by it",
		"Look for a device on the path by that port that drops probes: \"conga path show\" names the port."
	},
	[CONGA_A_STATS_PATH_PROBED] = {
		"path_probed",
		"times a probe made a path without probes usable again",
		"Nothing to do. If it grows together with path_unprobed, a link on the path loses packets."
	},
	[CONGA_A_STATS_QUEUE_MARKED] = {
		"queue_marked",
		"forwarded packets marked with the queue of the port that they came in by",
		"Nothing to do: policy tr works."
	},
	[CONGA_A_STATS_QUEUE_RECEIVED] = {
		"queue_received",
		"packets learnt from that carried the queue of the node behind an uplink",
		"Nothing to do. If it stays zero with policy tr, the nodes behind the uplinks do not run tr."
	},
	[CONGA_A_STATS_QUEUE_IGNORED] = {
		"queue_ignored",
		"packets learnt from whose byte 3 carries no queue, or none behind an uplink",
		"Set policy tr on the nodes behind the uplinks, too."
	},
	[CONGA_A_STATS_FALLBACK_ROUTE] = {
		"fallback_route",
		"packets left to the kernel: their own route is none of the paths",
		"Another rule, route or program decides about these packets: compare ip route get for their addresses with \"conga path show\"."
	},
	[CONGA_A_STATS_FALLBACK_NAT] = {
		"fallback_nat",
		"packets left to the kernel: NAT translates their outer addresses, or may do so",
		"Exempt the tunnel's UDP port from NAT on the uplinks, e.g. by a rule that accepts it before masquerade."
	},
	[CONGA_A_STATS_FALLBACK_BOUND] = {
		"fallback_bound",
		"packets left to the kernel: their tunnel is bound to a device",
		"Nothing to do if that is intended. Otherwise create the vxlan device without dev, and FDB entries without via."
	},
	[CONGA_A_STATS_FALLBACK_KEYS] = {
		"fallback_keys",
		"packets left to the kernel: routing rules distinguish more kinds of packets to the leaf than are kept",
		"Use fewer routing rules by DSCP, mark, source address or port for the tunnels' packets."
	},
	[CONGA_A_STATS_TX_COPIED] = {
		"tx_copied",
		"packets of local sockets copied before they are changed, because their sender might still write to them",
		"Nothing to do. A local process sends to the VXLAN port by MSG_ZEROCOPY, splice or UDP_SEGMENT."
	},
	[CONGA_A_STATS_TX_NOMEM] = {
		"tx_nomem",
		"packets of local sockets dropped: no memory to copy them, or to clear a stamp",
		"This node is short of memory: find what uses it."
	},
	[CONGA_A_STATS_RX_XFRM] = {
		"rx_xfrm",
		"stamped packets not learnt from: the IPsec policy rejects them",
		"A leaf sends without the IPsec that this node requires, or somebody forges its packets."
	},
	[CONGA_A_STATS_RX_JOINED] = {
		"rx_joined",
		"datagrams that arrived joined in one packet, and were read one by one",
		"Nothing to do."
	},
	[CONGA_A_STATS_CONTROL_XFRM] = {
		"control_xfrm",
		"control packets rejected: the IPsec policy does not accept them",
		"A leaf sends without the IPsec that this node requires, or somebody forges its packets."
	},
	[CONGA_A_STATS_CONTROL_UNSENT_XFRM] = {
		"control_unsent_xfrm",
		"control packets not sent: IPsec would have to transform them",
		"Leaves behind IPsec are plain, because conga does not steer what IPsec carries. Set mode plain to stop the hellos."
	},
	[CONGA_A_STATS_PATH_NARROW] = {
		"path_narrow",
		"times a path became unusable because it loses large packets",
		"A link on the path has a smaller MTU than the uplink: \"conga path show\" names the path."
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
