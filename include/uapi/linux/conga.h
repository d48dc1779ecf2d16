/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * conga: congestion-aware load balancing of VXLAN over a leaf-spine fabric
 *
 * This file is the manual of the generic netlink family "conga", version 1.
 * It implements CONGA (Alizadeh et al., "CONGA: Distributed Congestion-Aware
 * Load Balancing for Datacenters", SIGCOMM 2014); section numbers below are
 * that paper's.
 *
 * Objects
 * -------
 * Everything lives in a network namespace, the one of the netlink socket.
 *
 *  fabric  at most one per network namespace: parameters, policy, ports and
 *          leaves. No packet is touched before a fabric exists.
 *  port    a network device that is a link of the fabric. Every port measures
 *          its own load with a DRE (discounting rate estimator, section 3.2)
 *          and raises the congestion extent (CE) of stamped packets that
 *          leave by it. A port in role "uplink" also owns an LBTag (0-15) and
 *          is a candidate for VXLAN packets towards leaves; a port in role
 *          "transit" (a spine's) is not.
 *  leaf    a remote tunnel endpoint (VTEP), keyed by its outer IP address.
 *  path    a (leaf, uplink) pair; made by the kernel, read-only. A path is
 *          usable while its uplink is a live nexthop of the route to the leaf,
 *          and the leaf, if it answers hellos at all, answers by it.
 *
 * Ports and leaves know their origin: an operator, or a daemon that follows the
 * routes. A request says which (default: an operator). What an operator adds or
 * sets is an operator's from then on; a daemon's request to change or remove
 * such a thing is refused with EPERM.
 *
 * Rules for all messages
 * ----------------------
 * - Every attribute is validated strictly: unknown attributes, and attributes
 *   that a command does not take, are refused.
 * - A refused request changes nothing, and says why in one sentence by
 *   extended ACK (set NETLINK_EXT_ACK on the socket). A request is validated
 *   whole and then applied whole.
 * - Commands that change something need CAP_NET_ADMIN in the user namespace
 *   that owns the network namespace. Reading needs no privilege, except for
 *   the flowlet table, which tells who talks to whom.
 * - Times are nanoseconds, rates bits per second, sizes bytes.
 * - Dumps take the attributes named below as filters, and no others.
 *
 * Events
 * ------
 * Two multicast groups: CONGA_MCGRP_CONFIG_NAME tells what was configured,
 * CONGA_MCGRP_STATE_NAME what happened to it. An event is a message of the
 * layout of the object's GET, under a command of its own (CONGA_CMD_*_NTF); of
 * what was removed only the key. State that changed to and fro between two
 * events is told once, as it is.
 *
 * Wire format, version 1
 * ----------------------
 * The 16 bits that both RFC 7348 and VXLAN-GPE leave reserved, bytes 1-2 of
 * the VXLAN header; the flags byte and the VNI are untouched. Seen as the
 * first 32-bit big endian word of that header::
 *
 *    31..24  23..20  19..17  16  15..12   11..9      8        7..0
 *    flags   LBTag   CE      FB  FB_LBTag FB_Metric  present  byte 3
 *
 * A packet is "stamped" if the flags byte is exactly 0x08 (VXLAN) or 0x0c
 * (VXLAN-GPE), present is 1 and byte 7 of the header is zero. Metrics are
 * fractions of full scale, left-aligned: with Q up to 3 they fit in CE and
 * FB_Metric; with Q from 4 to 6 their lower bits go to byte 3, bits 7..5 for
 * CE and 4..2 for FB_Metric. With a policy that marks packets, and Q up to 3,
 * byte 3 has what waits at the last box on the way, at the port by which the packet
 * came in: bit 7 says so, bits 6..2 are the time it takes to be sent, 1..0 are zero.
 * The time is in units of 256 ns: c for a code c of 0 or 1, else
 * (2 + c mod 2) 2^(c/2 - 1). Byte 3 of VXLAN-GPE has neither. VNI 0xfffffe with
 * present = 1 is a control packet: consumed by the receiver, never delivered.
 *
 * Control packets, version 1
 * --------------------------
 * The VXLAN header of a stamped packet with VNI 0xfffffe, whose LBTag is the
 * uplink it left by, and this payload, big endian::
 *
 *     0 magic 'CNGA'   4 version 1    5 type         6 flags     7 count
 *     8 leaf id       12 Q           13 byte-3 use  14 zero (16 bits)
 *    16 nonce         20 echoed nonce
 *    24 count records of 4 bytes: LBTag, metric (left-aligned in 8 bits), zero
 *    .. upper half of the nonce, upper half of the echoed nonce (32 bits each)
 *    .. zeroes, in hellos of full size
 *
 * Types: 1 hello, 2 explicit feedback, 3 bye, 4 probe. Flags: 0x01 this hello wants an
 * answer, 0x02 the sender's metric is sum, 0x04 nonces have upper halves, behind the
 * records. Byte-3 use: enum conga_byte3. A nonce has 64 bits: 63..7 are random, 6 says
 * that its hello is of full size, 5..4 are the place of the UDP port in the sender's list,
 * 3..0 the LBTag; only the sender reads them. A box takes an answer, feedback or a bye
 * only if it has flag 0x04 and echoes a nonce that the box sent to that leaf not long
 * ago; it answers hellos without the flag. Other versions and types are counted and
 * ignored.
 *
 * A hello is about the UDP port that it is sent to, and is answered at that port. A leaf
 * gets stamped packets at ports that it answered about. A hello of full size has as many
 * bytes as the path takes (or the largest tunnel sends); its answer is small.
 *
 * Probes (type 4; HULA, SOSR 2016) are between the two boxes at a link: to 224.0.0.1
 * or ff02::1, TTL or hop limit 255, anything less is refused. Count, Q, byte-3 use
 * and both nonces say nothing in them; LBTag is 0 where a box that is not the origin
 * sends them by a transit port. Leaf id is the origin's at every link. In place of
 * records they have::
 *
 *    24 origin: the leaf that it is about, 16 bytes, IPv4 as ::ffff:a.b.c.d
 *    40 utilisation of the path to it: 0 to 255, 255 is full or more
 *    41 hops: boxes that it may still pass, 8 at its origin, never 0
 *    42 zero (16 bits)
 *
 * The utilisation is that of the links that the probe passed, the largest, each in the
 * direction towards the origin. The one that it has just come by is not in it yet:
 * the receiver takes the maximum with its own port's, and hands that on.
 */
#ifndef _UAPI_LINUX_CONGA_H
#define _UAPI_LINUX_CONGA_H

#define CONGA_FAMILY_NAME	"conga"
#define CONGA_FAMILY_VERSION	1

/* Longest name of a policy, with the terminating zero. */
#define CONGA_POLICY_NAME_MAX	16
/* LBTags are 4 bits (section 3.1), so a leaf has at most 16 uplinks. */
#define CONGA_TAGS_MAX		16
/* Not a DSCP, which is 6 bits: nothing opts out by it. */
#define CONGA_DSCP_NONE		64
/* Flowlet timeout: the policy's own. */
#define CONGA_FLOWLET_TIMEOUT_AUTO	(~0ULL)
/* Interval of probes: the usual one if the policy needs them. */
#define CONGA_PROBE_AUTO	(~0ULL)
/* Tiers of links are 0 to 15. */
#define CONGA_TIERS_MAX		16
/* UDP destination ports that one fabric takes for VXLAN. */
#define CONGA_DSTPORTS_MAX	4

/* Multicast groups, see Events. */
#define CONGA_MCGRP_CONFIG_NAME	"config"
#define CONGA_MCGRP_STATE_NAME	"state"

/**
 * enum conga_cmd - requests
 * @CONGA_CMD_FABRIC_NEW: create the fabric of this network namespace. Takes
 *	any of CONGA_A_FABRIC_*; what is left out gets its default. EEXIST if
 *	there is one; parameters that would be refused are refused before that.
 * @CONGA_CMD_FABRIC_SET: change those parameters that are given, while
 *	traffic flows. A new Q empties both congestion tables, a new size
 *	empties the flowlet table. ENOENT without a fabric, as for every
 *	command below.
 * @CONGA_CMD_FABRIC_GET: one reply with all of CONGA_A_FABRIC_*.
 * @CONGA_CMD_FABRIC_DEL: remove ports, leaves and fabric.
 * @CONGA_CMD_PORT_NEW: make CONGA_A_PORT_IFINDEX a port with CONGA_A_PORT_ROLE
 *	(both mandatory). An uplink takes CONGA_A_PORT_TAG, or the lowest free
 *	one. CONGA_A_PORT_RATE is mandatory where the device reports no speed.
 * @CONGA_CMD_PORT_SET: change CONGA_A_PORT_RATE of a port, whereupon its DRE
 *	starts again from zero, or CONGA_A_PORT_DRAIN of an uplink.
 * @CONGA_CMD_PORT_GET: one port by CONGA_A_PORT_IFINDEX, or dump of all.
 * @CONGA_CMD_PORT_DEL: remove the port. The device is not touched.
 * @CONGA_CMD_LEAF_NEW: add a leaf: one of CONGA_A_LEAF_ADDR4 and
 *	CONGA_A_LEAF_ADDR6, and CONGA_A_LEAF_MODE (default auto).
 * @CONGA_CMD_LEAF_SET: change CONGA_A_LEAF_MODE. Its congestion tables start
 *	again from nothing.
 * @CONGA_CMD_LEAF_GET: one leaf by address, or dump of all.
 * @CONGA_CMD_LEAF_DEL: remove the leaf. Its traffic goes on by the kernel's
 *	own route.
 * @CONGA_CMD_PATH_GET: dump of CONGA_A_PATH_*; filter: a leaf's address.
 *	Without NLM_F_DUMP: what the policy would choose now for a packet to the
 *	leaf, as one path with CONGA_A_PATH_DECISION; nothing changes by it. With
 *	CONGA_A_PATH_FLOW for a packet of that flow, which may be on a flowlet;
 *	needs CAP_NET_ADMIN then.
 * @CONGA_CMD_TABLE_GET: dump of CONGA_A_TABLE_*, a message per leaf.
 *	CONGA_A_TABLE_KIND is mandatory; filter: a leaf's address.
 * @CONGA_CMD_FLOWLET_GET: dump of the live flowlets, CONGA_A_FLOWLET_*;
 *	filters: a leaf's address, CONGA_A_FLOWLET_IFINDEX. Needs
 *	CAP_NET_ADMIN.
 * @CONGA_CMD_FLOWLET_FLUSH: empty the flowlet table: every flow decides anew
 *	at its next packet.
 * @CONGA_CMD_POLICY_GET: dump of the policies this module knows.
 * @CONGA_CMD_STATS_GET: one reply with the fabric's counters.
 * @CONGA_CMD_FABRIC_NTF: event, config: the fabric is new or was changed.
 * @CONGA_CMD_FABRIC_DEL_NTF: event, config: the fabric is gone with all it had.
 * @CONGA_CMD_PORT_NTF: event; config: a port is new or was changed; state: it
 *	went up or down, or its link's speed changed.
 * @CONGA_CMD_PORT_DEL_NTF: event, config: a port is gone.
 * @CONGA_CMD_LEAF_NTF: event; config: a leaf is new or was changed; state: its
 *	state in force or the reason for that changed.
 * @CONGA_CMD_LEAF_DEL_NTF: event, config: a leaf is gone.
 * @CONGA_CMD_PATH_NTF: event, state: a path became usable, or ceased to be.
 */
enum conga_cmd {
	CONGA_CMD_FABRIC_NEW = 1,
	CONGA_CMD_FABRIC_SET,
	CONGA_CMD_FABRIC_GET,
	CONGA_CMD_FABRIC_DEL,
	CONGA_CMD_PORT_NEW,
	CONGA_CMD_PORT_SET,
	CONGA_CMD_PORT_GET,
	CONGA_CMD_PORT_DEL,
	CONGA_CMD_LEAF_NEW,
	CONGA_CMD_LEAF_SET,
	CONGA_CMD_LEAF_GET,
	CONGA_CMD_LEAF_DEL,
	CONGA_CMD_PATH_GET,
	CONGA_CMD_TABLE_GET,
	CONGA_CMD_FLOWLET_GET,
	CONGA_CMD_FLOWLET_FLUSH,
	CONGA_CMD_POLICY_GET,
	CONGA_CMD_STATS_GET,
	CONGA_CMD_FABRIC_NTF,
	CONGA_CMD_FABRIC_DEL_NTF,
	CONGA_CMD_PORT_NTF,
	CONGA_CMD_PORT_DEL_NTF,
	CONGA_CMD_LEAF_NTF,
	CONGA_CMD_LEAF_DEL_NTF,
	CONGA_CMD_PATH_NTF,

	/* private: */
	__CONGA_CMD_MAX,
	CONGA_CMD_MAX = __CONGA_CMD_MAX - 1
};

/**
 * enum conga_attr_fabric - parameters of the fabric
 * @CONGA_A_FABRIC_POLICY: (string) how uplinks are chosen, default "conga".
 * @CONGA_A_FABRIC_Q: (u32, 1-6) bits of a metric, section 3.2, default 3.
 *	Must be the same on every box of the fabric.
 * @CONGA_A_FABRIC_TDRE: (u64, ns, 0 or 1000-1000000000) decrement period of
 *	the DRE. 0, the default, is "auto": 16 us where the memory tau = Tdre /
 *	alpha spans at least four of the port's largest bursts (its
 *	gso_max_size), else as much longer as that needs.
 * @CONGA_A_FABRIC_ALPHA: (u32, millionths, 1000-500000) decrement factor of
 *	the DRE, section 3.2, default 100000, i.e. 0.1.
 * @CONGA_A_FABRIC_FLOWLET_TIMEOUT: (u64, ns, 0-1000000000, or
 *	CONGA_FLOWLET_TIMEOUT_AUTO) Tfl: a longer idle gap starts a new flowlet,
 *	section 3.4. Default auto: the policy's own, 500 us if it has none. 0
 *	decides for every packet. Gaps are measured with a grain of 1.024 us. A
 *	reply has the one in force.
 * @CONGA_A_FABRIC_AGE: (u64, ns, 100000-10000000000) Tage: an entry of the
 *	to-leaf table loses an eighth of full scale per Tage without feedback;
 *	an entry of the from-leaf table is not fed back after that time,
 *	section 3.3, default 10 ms.
 * @CONGA_A_FABRIC_DSTPORT: (u16, host order, repeated up to
 *	CONGA_DSTPORTS_MAX times) UDP ports of VXLAN, default 4789.
 * @CONGA_A_FABRIC_FLOWLETS: (u32, power of two, 1024-4194304) entries of the
 *	flowlet table, section 3.4, default 65536.
 * @CONGA_A_FABRIC_METRIC: (u32) enum conga_metric, default max. Must be the
 *	same on every box of the fabric. A new one empties both congestion
 *	tables.
 * @CONGA_A_FABRIC_HELLO: (u64, ns, 0 or 20000000-10000000000) interval of
 *	hellos to each leaf, default 300 ms. 0 is off: none is sent or answered,
 *	leaves in mode auto stay plain, and silent paths stay in use.
 * @CONGA_A_FABRIC_EXPLICIT_FEEDBACK: (u32, 0 or 1) send feedback by itself, at
 *	most once per Tage / 2 and leaf, where no packet to the leaf carries it,
 *	default 1. Only to leaves whose hello was heard.
 * @CONGA_A_FABRIC_LEAF_ID: (u32) who we are in hellos, random by default. Two
 *	boxes that answer for one address are known by their different ids.
 * @CONGA_A_FABRIC_PROBE: (u64, ns, 0, 20000-1000000000 or CONGA_PROBE_AUTO) interval of
 *	probes by each uplink. 0 is off. Default auto: 200 us with policy hula, else
 *	off. A leaf with another policy sends them, too, if it is told so here. A
 *	reply has the one in force. In a network namespace that belongs to a user
 *	namespace other than the initial one the least is 10000000, which is auto, too.
 * @CONGA_A_FABRIC_PROBE_SOURCE: (u32, reply only) enum conga_timeout_source, of the
 *	interval of probes.
 * @CONGA_A_FABRIC_LEAF_ID_ORIGIN: (u32, reply only) enum conga_origin: auto is random.
 * @CONGA_A_FABRIC_PROBE_LATE: (u64, ns, reply only) how late the timer of probes was
 *	on average, since their interval was set. Absent where none were due.
 * @CONGA_A_FABRIC_PROBE_LATEST: (u64, ns, reply only) and at most.
 * @CONGA_A_FABRIC_PARAM: (nest, repeated) enum conga_attr_param: a parameter of the
 *	policy by CONGA_A_PARAM_NAME and CONGA_A_PARAM_VALUE. A new policy starts with
 *	its defaults.
 * @CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE: (u32, reply only) enum
 *	conga_timeout_source.
 * @CONGA_A_FABRIC_OPT_OUT_MARK: (u32) VXLAN packets with this mark, under
 *	CONGA_A_FABRIC_OPT_OUT_MASK, stay on policy ecmp. Absent in a reply: none.
 * @CONGA_A_FABRIC_OPT_OUT_MASK: (u32) the bits of the mark that count; given
 *	together with the mark. 0: no mark opts out, the default.
 * @CONGA_A_FABRIC_OPT_OUT_DSCP: (u32, 0-63 or CONGA_DSCP_NONE) so do packets whose
 *	inner IP header has this DSCP. Default, and absent in a reply: none.
 * @CONGA_A_FABRIC_BYTE3: (u32, reply only) enum conga_byte3. Must be the same on every
 *	box of the fabric. A policy that marks packets is refused together with Q from
 *	4 on: EINVAL.
 * @CONGA_A_FABRIC_LOCAL4: (be32) the IPv4 address by which leaves know
 *	this node: source of control packets and origin of probes. 0, the default, and
 *	absent in a reply: found for each leaf, by the packets of tunnels and by hellos.
 * @CONGA_A_FABRIC_LOCAL6: (16 bytes) likewise of IPv6; :: is none.
 * @CONGA_A_FABRIC_PORTS: (u32, reply only) number of ports.
 * @CONGA_A_FABRIC_LEAVES: (u32, reply only) number of leaves.
 */
enum conga_attr_fabric {
	CONGA_A_FABRIC_POLICY = 1,
	CONGA_A_FABRIC_Q,
	CONGA_A_FABRIC_TDRE,
	CONGA_A_FABRIC_ALPHA,
	CONGA_A_FABRIC_FLOWLET_TIMEOUT,
	CONGA_A_FABRIC_AGE,
	CONGA_A_FABRIC_DSTPORT,
	CONGA_A_FABRIC_FLOWLETS,
	CONGA_A_FABRIC_PORTS,
	CONGA_A_FABRIC_LEAVES,
	CONGA_A_FABRIC_PAD,
	CONGA_A_FABRIC_METRIC,
	CONGA_A_FABRIC_HELLO,
	CONGA_A_FABRIC_EXPLICIT_FEEDBACK,
	CONGA_A_FABRIC_LEAF_ID,
	CONGA_A_FABRIC_PARAM,
	CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE,
	CONGA_A_FABRIC_OPT_OUT_MARK,
	CONGA_A_FABRIC_OPT_OUT_MASK,
	CONGA_A_FABRIC_OPT_OUT_DSCP,
	CONGA_A_FABRIC_PROBE,
	CONGA_A_FABRIC_PROBE_LATE,
	CONGA_A_FABRIC_PROBE_LATEST,
	CONGA_A_FABRIC_BYTE3,
	CONGA_A_FABRIC_PROBE_SOURCE,
	CONGA_A_FABRIC_LEAF_ID_ORIGIN,
	CONGA_A_FABRIC_LOCAL4,
	CONGA_A_FABRIC_LOCAL6,

	/* private: */
	__CONGA_A_FABRIC_MAX,
	CONGA_A_FABRIC_MAX = __CONGA_A_FABRIC_MAX - 1
};

/**
 * enum conga_byte3 - what byte 3 of the VXLAN header is used for
 * @CONGA_BYTE3_NONE: nothing, it is zero.
 * @CONGA_BYTE3_LOW: lower bits of metrics, with Q from 4 on.
 * @CONGA_BYTE3_QUEUE: a queue, by a policy that marks packets (tr).
 */
enum conga_byte3 {
	CONGA_BYTE3_NONE,
	CONGA_BYTE3_LOW,
	CONGA_BYTE3_QUEUE,
};

/**
 * enum conga_timeout_source - where the flowlet timeout comes from
 * @CONGA_TIMEOUT_CONFIGURED: set by the operator; stays when the policy changes.
 * @CONGA_TIMEOUT_POLICY: the policy's own.
 */
enum conga_timeout_source {
	CONGA_TIMEOUT_CONFIGURED = 1,
	CONGA_TIMEOUT_POLICY,
};

/**
 * enum conga_attr_param - a parameter of a policy
 * @CONGA_A_PARAM_NAME: (string) its name.
 * @CONGA_A_PARAM_VALUE: (u32) its value; of POLICY_GET the default.
 * @CONGA_A_PARAM_SUMMARY: (string, POLICY_GET) what it is, with its unit.
 * @CONGA_A_PARAM_MIN: (u32, POLICY_GET) least value.
 * @CONGA_A_PARAM_LIMIT: (u32, POLICY_GET) largest value.
 */
enum conga_attr_param {
	CONGA_A_PARAM_NAME = 1,
	CONGA_A_PARAM_VALUE,
	CONGA_A_PARAM_SUMMARY,
	CONGA_A_PARAM_MIN,
	CONGA_A_PARAM_LIMIT,

	/* private: */
	__CONGA_A_PARAM_MAX,
	CONGA_A_PARAM_MAX = __CONGA_A_PARAM_MAX - 1
};

/**
 * enum conga_metric - how the metrics of a path's links make the path's
 * @CONGA_METRIC_MAX: the worst of them, section 3.
 * @CONGA_METRIC_SUM: their sum, section 7, at most 2^Q - 1 on the wire. An
 *	uplink leaves its own share out: the sender adds it, fresh, when it
 *	decides.
 */
enum conga_metric {
	CONGA_METRIC_MAX = 1,
	CONGA_METRIC_SUM,
};

/** enum conga_origin - who made a port or leaf */
enum conga_origin {
	CONGA_ORIGIN_MANUAL = 1,
	CONGA_ORIGIN_AUTO,
};

/** enum conga_role - what a port is for */
enum conga_role {
	CONGA_ROLE_UPLINK = 1,
	CONGA_ROLE_TRANSIT,
};

/**
 * enum conga_rate_source - where a port's rate comes from
 * @CONGA_RATE_CONFIGURED: set by the operator.
 * @CONGA_RATE_LINK: the speed that the device reports; follows it.
 */
enum conga_rate_source {
	CONGA_RATE_CONFIGURED = 1,
	CONGA_RATE_LINK,
};

/** enum conga_port_state - can the port send now? (running and carrier) */
enum conga_port_state {
	CONGA_PORT_UP = 1,
	CONGA_PORT_DOWN,
};

/**
 * enum conga_attr_port - a port
 * @CONGA_A_PORT_IFINDEX: (u32) its device.
 * @CONGA_A_PORT_ROLE: (u32) enum conga_role.
 * @CONGA_A_PORT_TAG: (u32, 0-15) LBTag; uplinks only.
 * @CONGA_A_PORT_RATE: (u64, bit/s, 0 or 1000000-1000000000000) C of the DRE.
 *	In requests 0 means "the link's speed".
 * @CONGA_A_PORT_RATE_SOURCE: (u32, reply only) enum conga_rate_source.
 * @CONGA_A_PORT_STATE: (u32, reply only) enum conga_port_state.
 * @CONGA_A_PORT_TDRE: (u64, ns, reply only) decrement period in force.
 * @CONGA_A_PORT_DRE_BYTES: (u64, reply only) X of the DRE, section 3.2.
 * @CONGA_A_PORT_METRIC: (u32, reply only) X over C * tau, quantised to Q bits.
 * @CONGA_A_PORT_TX_PACKETS: (u64, reply only) frames counted by the DRE; a
 *	GSO packet counts as the frames that it becomes.
 * @CONGA_A_PORT_TX_BYTES: (u64, reply only) bytes counted by the DRE: those
 *	that enter the port's queue, with the Ethernet header, without
 *	preamble and frame check sequence.
 * @CONGA_A_PORT_ORIGIN: (u32) enum conga_origin, default manual.
 * @CONGA_A_PORT_DRAIN: (u32, 0 or 1; uplinks only) no new flowlets; those that
 *	are on it leave at their next gap.
 * @CONGA_A_PORT_TIER: (u32, 0-15) tier of the link, default 0. Of a box's transit ports
 *	those of its lowest tier lead down, towards leaves, all others up, as uplinks
 *	do. Probes that came from above are handed on downwards only.
 * @CONGA_A_PORT_FLOWLETS: (u32, reply only, no event, while draining) live flowlets that
 *	are still on it.
 * @CONGA_A_PORT_SHORT_FLOWS: (u32, reply only) flows that the policy (tr) takes to be
 *	short, and active on the uplink; absent if it does not count them.
 */
enum conga_attr_port {
	CONGA_A_PORT_IFINDEX = 1,
	CONGA_A_PORT_ROLE,
	CONGA_A_PORT_TAG,
	CONGA_A_PORT_RATE,
	CONGA_A_PORT_RATE_SOURCE,
	CONGA_A_PORT_STATE,
	CONGA_A_PORT_TDRE,
	CONGA_A_PORT_DRE_BYTES,
	CONGA_A_PORT_METRIC,
	CONGA_A_PORT_TX_PACKETS,
	CONGA_A_PORT_TX_BYTES,
	CONGA_A_PORT_PAD,
	CONGA_A_PORT_ORIGIN,
	CONGA_A_PORT_DRAIN,
	CONGA_A_PORT_FLOWLETS,
	CONGA_A_PORT_TIER,
	CONGA_A_PORT_SHORT_FLOWS,

	/* private: */
	__CONGA_A_PORT_MAX,
	CONGA_A_PORT_MAX = __CONGA_A_PORT_MAX - 1
};

/**
 * enum conga_mode - how a leaf is treated
 * @CONGA_MODE_PLAIN: a foreign VTEP: never stamped, so nothing is learnt from
 *	it and uplinks are chosen by their local metrics alone.
 * @CONGA_MODE_CONGA: runs conga: packets to it are stamped, CE and feedback
 *	from it are learnt. A VTEP without conga drops stamped packets.
 * @CONGA_MODE_AUTO: plain until it answers a hello, and plain again when it
 *	stops to, says bye, or disagrees. Never a leaf's state, only its mode.
 */
enum conga_mode {
	CONGA_MODE_PLAIN = 1,
	CONGA_MODE_CONGA,
	CONGA_MODE_AUTO,
};

/**
 * enum conga_leaf_reason - why a leaf's state is what it is
 * @CONGA_LEAF_ORDERED: the operator said so; it was not asked, or agrees.
 * @CONGA_LEAF_ANSWERS: it answers our hellos, and agrees.
 * @CONGA_LEAF_SILENT: it has not answered the last three hellos, or never any.
 * @CONGA_LEAF_BYE: it said bye.
 * @CONGA_LEAF_VERSION: it speaks another version of control packets.
 * @CONGA_LEAF_Q: it has another Q.
 * @CONGA_LEAF_BYTE3: it uses byte 3 of the VXLAN header otherwise.
 * @CONGA_LEAF_METRIC: it has another metric (max or sum).
 * @CONGA_LEAF_ALTERNATES: two boxes answer for its address by turns.
 * @CONGA_LEAF_HELLO_OFF: hello is off here.
 *
 * Of a leaf in mode conga a reason from bye to alternates is a warning: packets
 * to it are stamped nevertheless.
 */
enum conga_leaf_reason {
	CONGA_LEAF_ORDERED = 1,
	CONGA_LEAF_ANSWERS,
	CONGA_LEAF_SILENT,
	CONGA_LEAF_BYE,
	CONGA_LEAF_VERSION,
	CONGA_LEAF_Q,
	CONGA_LEAF_BYTE3,
	CONGA_LEAF_METRIC,
	CONGA_LEAF_ALTERNATES,
	CONGA_LEAF_HELLO_OFF,

	/* private: */
	__CONGA_LEAF_REASON_MAX
};

/**
 * enum conga_attr_leaf - a remote leaf
 * @CONGA_A_LEAF_ADDR4: (be32) its outer IPv4 address.
 * @CONGA_A_LEAF_ADDR6: (16 bytes) its outer IPv6 address.
 * @CONGA_A_LEAF_MODE: (u32) enum conga_mode, by order of the operator.
 * @CONGA_A_LEAF_STATE: (u32, reply only) plain or conga, in force now.
 * @CONGA_A_LEAF_PATHS: (u32, reply only) number of usable paths.
 * @CONGA_A_LEAF_ORIGIN: (u32) enum conga_origin, default manual.
 * @CONGA_A_LEAF_REASON: (u32, reply only) enum conga_leaf_reason.
 * @CONGA_A_LEAF_ID: (u32, reply only) the leaf's id, once it answered.
 * @CONGA_A_LEAF_BEST: (u32, reply only) ifindex of the best hop by probes; absent if none
 *	was heard of for the policy's parameter fail.
 * @CONGA_A_LEAF_UTILISATION: (u32, 0-255, reply only) of the path by it, as the last
 *	probe said; 255 is full.
 * @CONGA_A_LEAF_PROBE_AGE: (u64, ns, reply only) since that probe.
 * @CONGA_A_LEAF_PORT: (u16, host order, repeated, reply only) a UDP port at which
 *	packets to it are stamped: of those of CONGA_A_FABRIC_DSTPORT the ones that it
 *	answers hellos about, or all of them in mode conga.
 */
enum conga_attr_leaf {
	CONGA_A_LEAF_ADDR4 = 1,
	CONGA_A_LEAF_ADDR6,
	CONGA_A_LEAF_MODE,
	CONGA_A_LEAF_STATE,
	CONGA_A_LEAF_PATHS,
	CONGA_A_LEAF_PAD,
	CONGA_A_LEAF_ORIGIN,
	CONGA_A_LEAF_REASON,
	CONGA_A_LEAF_ID,
	CONGA_A_LEAF_BEST,
	CONGA_A_LEAF_UTILISATION,
	CONGA_A_LEAF_PROBE_AGE,
	CONGA_A_LEAF_PORT,

	/* private: */
	__CONGA_A_LEAF_MAX,
	CONGA_A_LEAF_MAX = __CONGA_A_LEAF_MAX - 1
};

/**
 * enum conga_path_reason - why a path is not used
 * @CONGA_PATH_USABLE: it is.
 * @CONGA_PATH_PORT_DOWN: the uplink is down or has no carrier.
 * @CONGA_PATH_NO_ROUTE: there is no unicast route to the leaf.
 * @CONGA_PATH_NOT_NEXTHOP: the route to the leaf does not use this uplink.
 * @CONGA_PATH_NEXTHOP_DOWN: the nexthop on this uplink is dead or its link
 *	is down.
 * @CONGA_PATH_OTHER_DEVICE: a lookup through this uplink answers with another
 *	device.
 * @CONGA_PATH_SILENT: the leaf answers hellos by other uplinks, and has not
 *	answered the last three by this one.
 * @CONGA_PATH_DRAINING: the uplink takes no new flowlets.
 * @CONGA_PATH_UNPROBED: probes of the leaf came by it, and come no more.
 * @CONGA_PATH_NARROW: hellos of the path's full size are lost on it, small ones are
 *	answered.
 * @CONGA_PATH_NEIGHBOUR: no gateway on this uplink answers, and the kernel leaves
 *	out such nexthops.
 */
enum conga_path_reason {
	CONGA_PATH_USABLE = 1,
	CONGA_PATH_PORT_DOWN,
	CONGA_PATH_NO_ROUTE,
	CONGA_PATH_NOT_NEXTHOP,
	CONGA_PATH_NEXTHOP_DOWN,
	CONGA_PATH_OTHER_DEVICE,
	CONGA_PATH_SILENT,
	CONGA_PATH_DRAINING,
	CONGA_PATH_UNPROBED,
	CONGA_PATH_NARROW,
	CONGA_PATH_NEIGHBOUR,

	/* private: */
	__CONGA_PATH_REASON_MAX
};

/**
 * enum conga_decision - how a packet's uplink was found
 * @CONGA_DECISION_NEW: the policy chose it; ties are drawn anew each time.
 * @CONGA_DECISION_FLOWLET: the flow's flowlet is in progress on it.
 * @CONGA_DECISION_KERNEL: none is usable, the packet is left to the kernel.
 */
enum conga_decision {
	CONGA_DECISION_NEW = 1,
	CONGA_DECISION_FLOWLET,
	CONGA_DECISION_KERNEL,
};

/**
 * enum conga_attr_flow - a flow inside the tunnel
 * @CONGA_A_FLOW_SRC4: (be32) source address, or
 * @CONGA_A_FLOW_SRC6: (16 bytes)
 * @CONGA_A_FLOW_DST4: (be32) destination address, of the same family, or
 * @CONGA_A_FLOW_DST6: (16 bytes)
 * @CONGA_A_FLOW_PROTOCOL: (u8) IP protocol, default TCP.
 * @CONGA_A_FLOW_SPORT: (u16, host order) source port, of TCP and UDP.
 * @CONGA_A_FLOW_DPORT: (u16, host order) destination port.
 */
enum conga_attr_flow {
	CONGA_A_FLOW_SRC4 = 1,
	CONGA_A_FLOW_SRC6,
	CONGA_A_FLOW_DST4,
	CONGA_A_FLOW_DST6,
	CONGA_A_FLOW_PROTOCOL,
	CONGA_A_FLOW_SPORT,
	CONGA_A_FLOW_DPORT,

	/* private: */
	__CONGA_A_FLOW_MAX,
	CONGA_A_FLOW_MAX = __CONGA_A_FLOW_MAX - 1
};

/**
 * enum conga_attr_path - a (leaf, uplink) pair
 * @CONGA_A_PATH_ADDR4: (be32) the leaf.
 * @CONGA_A_PATH_ADDR6: (16 bytes) the leaf.
 * @CONGA_A_PATH_IFINDEX: (u32) the device of the uplink, or of a transit port that
 *	the policy may choose (it decides at every box).
 * @CONGA_A_PATH_TAG: (u32) its LBTag; uplinks only.
 * @CONGA_A_PATH_REASON: (u32) enum conga_path_reason.
 * @CONGA_A_PATH_LOCAL: (u32, 0 to 2^Q - 1) the uplink's own metric.
 * @CONGA_A_PATH_REMOTE: (u32, 0 to 2^Q - 1) the to-leaf metric, aged.
 * @CONGA_A_PATH_AGE: (u64, ns) since the last feedback; absent if none.
 * @CONGA_A_PATH_DELAY: (u64, ns) one way, without queues, by hellos; absent if it is not
 *	known, or the policy does not want to know.
 * @CONGA_A_PATH_QUEUE: (u64, ns) what waits behind the uplink, as packets of the leaf
 *	told, aged; absent if the policy does not want to know.
 * @CONGA_A_PATH_FLOW: (nest) enum conga_attr_flow, in requests.
 * @CONGA_A_PATH_DECISION: (u32) enum conga_decision, if that was asked for; with
 *	CONGA_DECISION_KERNEL there is no uplink.
 */
enum conga_attr_path {
	CONGA_A_PATH_ADDR4 = 1,
	CONGA_A_PATH_ADDR6,
	CONGA_A_PATH_IFINDEX,
	CONGA_A_PATH_TAG,
	CONGA_A_PATH_REASON,
	CONGA_A_PATH_LOCAL,
	CONGA_A_PATH_REMOTE,
	CONGA_A_PATH_AGE,
	CONGA_A_PATH_PAD,
	CONGA_A_PATH_FLOW,
	CONGA_A_PATH_DECISION,
	CONGA_A_PATH_DELAY,
	CONGA_A_PATH_QUEUE,

	/* private: */
	__CONGA_A_PATH_MAX,
	CONGA_A_PATH_MAX = __CONGA_A_PATH_MAX - 1
};

/**
 * enum conga_table - the congestion tables, section 3.3
 * @CONGA_TABLE_TO_LEAF: Congestion-To-Leaf: what the leaf told us about our
 *	uplinks.
 * @CONGA_TABLE_FROM_LEAF: Congestion-From-Leaf: what its packets told us about
 *	its uplinks, to be fed back.
 */
enum conga_table {
	CONGA_TABLE_TO_LEAF = 1,
	CONGA_TABLE_FROM_LEAF,
};

/**
 * enum conga_attr_table - a congestion table of one leaf
 * @CONGA_A_TABLE_KIND: (u32) enum conga_table.
 * @CONGA_A_TABLE_ADDR4: (be32) the leaf.
 * @CONGA_A_TABLE_ADDR6: (16 bytes) the leaf.
 * @CONGA_A_TABLE_ROW: (nest, repeated) enum conga_attr_row, a row for every
 *	LBTag that was ever heard of.
 */
enum conga_attr_table {
	CONGA_A_TABLE_KIND = 1,
	CONGA_A_TABLE_ADDR4,
	CONGA_A_TABLE_ADDR6,
	CONGA_A_TABLE_ROW,

	/* private: */
	__CONGA_A_TABLE_MAX,
	CONGA_A_TABLE_MAX = __CONGA_A_TABLE_MAX - 1
};

/**
 * enum conga_attr_row - a row of a congestion table
 * @CONGA_A_ROW_TAG: (u32) LBTag: ours in to-leaf, the leaf's in from-leaf.
 * @CONGA_A_ROW_METRIC: (u32) to-leaf: aged as the decision sees it;
 *	from-leaf: the last CE.
 * @CONGA_A_ROW_AGE: (u64, ns) since it was last heard.
 * @CONGA_A_ROW_CHANGED: (flag) from-leaf: differs from what was last fed back.
 */
enum conga_attr_row {
	CONGA_A_ROW_TAG = 1,
	CONGA_A_ROW_METRIC,
	CONGA_A_ROW_AGE,
	CONGA_A_ROW_CHANGED,
	CONGA_A_ROW_PAD,

	/* private: */
	__CONGA_A_ROW_MAX,
	CONGA_A_ROW_MAX = __CONGA_A_ROW_MAX - 1
};

/**
 * enum conga_attr_flowlet - a live flowlet, section 3.4
 * @CONGA_A_FLOWLET_ADDR4: (be32) the leaf it goes to.
 * @CONGA_A_FLOWLET_ADDR6: (16 bytes) the leaf it goes to.
 * @CONGA_A_FLOWLET_IFINDEX: (u32) the uplink it is on.
 * @CONGA_A_FLOWLET_HASH: (u32) its entry, the lower bits of the hash of the
 *	inner 5-tuple.
 * @CONGA_A_FLOWLET_IDLE: (u64, ns) since its last packet.
 */
enum conga_attr_flowlet {
	CONGA_A_FLOWLET_ADDR4 = 1,
	CONGA_A_FLOWLET_ADDR6,
	CONGA_A_FLOWLET_IFINDEX,
	CONGA_A_FLOWLET_HASH,
	CONGA_A_FLOWLET_IDLE,
	CONGA_A_FLOWLET_PAD,

	/* private: */
	__CONGA_A_FLOWLET_MAX,
	CONGA_A_FLOWLET_MAX = __CONGA_A_FLOWLET_MAX - 1
};

/**
 * enum conga_attr_policy - a policy
 * @CONGA_A_POLICY_NAME: (string) its name.
 * @CONGA_A_POLICY_SUMMARY: (string) one line on what it does, with a citation.
 * @CONGA_A_POLICY_FLOWLET_TIMEOUT: (u64, ns) its own flowlet timeout; absent if it
 *	decides for every packet.
 * @CONGA_A_POLICY_PARAM: (nest, repeated) enum conga_attr_param.
 */
enum conga_attr_policy {
	CONGA_A_POLICY_NAME = 1,
	CONGA_A_POLICY_SUMMARY,
	CONGA_A_POLICY_FLOWLET_TIMEOUT,
	CONGA_A_POLICY_PARAM,
	CONGA_A_POLICY_PAD,

	/* private: */
	__CONGA_A_POLICY_MAX,
	CONGA_A_POLICY_MAX = __CONGA_A_POLICY_MAX - 1
};

/**
 * enum conga_attr_stats - counters of the fabric, all u64, packets unless said
 * @CONGA_A_STATS_TX_STEERED: VXLAN packets sent by the path that was chosen.
 * @CONGA_A_STATS_TX_STAMPED: of these, stamped for a conga leaf.
 * @CONGA_A_STATS_TX_UNKNOWN_LEAF: VXLAN packets to an address that is no leaf;
 *	left to the kernel.
 * @CONGA_A_STATS_TX_FORGED: packets of local sockets that carried a stamp;
 *	cleared.
 * @CONGA_A_STATS_TX_RESERVED: not stamped, because the tunnel uses the
 *	reserved bits for itself (e.g. Group Based Policy).
 * @CONGA_A_STATS_FLOWLETS_STARTED: flowlets started, section 3.4.
 * @CONGA_A_STATS_FLOWLETS_KEPT: of these, on the uplink the flow had before.
 * @CONGA_A_STATS_FLOWLETS_MOVED: of these, on another uplink.
 * @CONGA_A_STATS_FLOWLETS_REROUTED: flowlets moved at once, gap or not,
 *	because their path went down.
 * @CONGA_A_STATS_FLOWLET_COLLISIONS: packets of flows that met another leaf's live
 *	flowlet in its entry, and shared its uplink.
 * @CONGA_A_STATS_FALLBACK_NO_PATH: left to the kernel: no usable path.
 * @CONGA_A_STATS_FALLBACK_XFRM: left to the kernel: IPsec transforms it.
 * @CONGA_A_STATS_FALLBACK_MARK: left to the kernel: marked after its route was
 *	found, with bits that a routing rule looks at.
 * @CONGA_A_STATS_FALLBACK_MTU: left to the kernel: fits its route's MTU, but
 *	not that of the chosen path.
 * @CONGA_A_STATS_FALLBACK_NOMEM: left to the kernel: no memory to make the
 *	header writable.
 * @CONGA_A_STATS_CE_RAISED: packets whose CE a port of this box raised.
 * @CONGA_A_STATS_CE_UNWRITABLE: CE not raised: the header could not be made
 *	writable.
 * @CONGA_A_STATS_FEEDBACK_SENT: stamped packets that carried feedback.
 * @CONGA_A_STATS_FEEDBACK_RECEIVED: feedback taken into a to-leaf table.
 * @CONGA_A_STATS_FEEDBACK_IGNORED: feedback about an LBTag that no uplink has.
 * @CONGA_A_STATS_RX_STAMPED: stamped packets received, cleared and delivered.
 * @CONGA_A_STATS_RX_LEARNT: of these, CE taken into a from-leaf table.
 * @CONGA_A_STATS_RX_NOT_PORT: not learnt from: came by a device that is no
 *	port.
 * @CONGA_A_STATS_RX_UNKNOWN_LEAF: not learnt from: sender is no leaf.
 * @CONGA_A_STATS_RX_PLAIN_LEAF: not learnt from: sender is a plain leaf.
 * @CONGA_A_STATS_RX_CONTROL: control packets consumed.
 * @CONGA_A_STATS_RX_FOREIGN: VXLAN with flags or reserved bits that are not
 *	ours; passed untouched.
 * @CONGA_A_STATS_RX_MALFORMED: to a VXLAN port, without a valid VNI flag;
 *	passed untouched.
 * @CONGA_A_STATS_RX_TRUNCATED: to a VXLAN port, too short for a VXLAN header, or, in
 *	fragments of IPv6, the first of them is; passed untouched.
 * @CONGA_A_STATS_RX_NOMEM: stamped packets that could not be cleared for want
 *	of memory; passed as they were.
 * @CONGA_A_STATS_PATH_UP: times a path became usable.
 * @CONGA_A_STATS_PATH_DOWN: times a path ceased to be usable.
 * @CONGA_A_STATS_PATH_SILENT: times a path was taken out because the leaf did not
 *	answer by it.
 * @CONGA_A_STATS_PATH_ANSWERS: times such a path, or a narrow one, was brought back by
 *	an answer.
 * @CONGA_A_STATS_HELLO_SENT: hellos sent.
 * @CONGA_A_STATS_HELLO_MISSED: hellos that were not answered in time.
 * @CONGA_A_STATS_HELLO_ANSWERED: hellos of leaves that were answered.
 * @CONGA_A_STATS_HELLO_HEARD: answers to our hellos.
 * @CONGA_A_STATS_BYE_SENT: byes sent.
 * @CONGA_A_STATS_BYE_RECEIVED: byes of leaves.
 * @CONGA_A_STATS_EXPLICIT_SENT: packets sent that carry nothing but feedback.
 * @CONGA_A_STATS_EXPLICIT_RECEIVED: such packets of leaves; what they say is
 *	counted as feedback received or ignored.
 * @CONGA_A_STATS_CONTROL_UNSENT: control packets not sent: no memory.
 * @CONGA_A_STATS_CONTROL_NOT_PORT: not heeded: came by a device that is no port.
 * @CONGA_A_STATS_CONTROL_UNKNOWN_LEAF: not heeded: sender is no leaf.
 * @CONGA_A_STATS_CONTROL_PLAIN_LEAF: not heeded: sender is in mode plain, or
 *	hello is off.
 * @CONGA_A_STATS_CONTROL_MALFORMED: not heeded: too short, not ours, or shorter
 *	than its count says.
 * @CONGA_A_STATS_CONTROL_VERSION: not heeded: another version.
 * @CONGA_A_STATS_CONTROL_TYPE: not heeded: unknown type.
 * @CONGA_A_STATS_CONTROL_NONCE: not heeded: echoes no nonce of ours, or half of one.
 * @CONGA_A_STATS_CONTROL_LIMITED: hellos not answered: more than a leaf sends; and what
 *	echoes no nonce of ours, after the first 64 of a leaf in a hello interval.
 * @CONGA_A_STATS_LEAF_UP: times a leaf in mode auto became conga.
 * @CONGA_A_STATS_LEAF_SILENT: times such a leaf became plain: no answers.
 * @CONGA_A_STATS_LEAF_BYE: the same: it said bye.
 * @CONGA_A_STATS_LEAF_DISAGREES: the same: another Q, metric or use of byte 3.
 * @CONGA_A_STATS_LEAF_ALTERNATES: the same: two boxes answer by turns.
 * @CONGA_A_STATS_TX_OPTED_OUT: VXLAN packets to leaves that the user exempted from
 *	the policy, by mark or DSCP.
 * @CONGA_A_STATS_FORWARD_STEERED: VXLAN packets that passed this box by the hop that was
 *	chosen here.
 * @CONGA_A_STATS_FORWARD_UNKNOWN_LEAF: the same, to an address that is no leaf; left to
 *	the kernel.
 * @CONGA_A_STATS_FALLBACK_NO_PROBE: left to the kernel: no probe told of a usable hop.
 * @CONGA_A_STATS_PROBE_SENT: probes of this leaf.
 * @CONGA_A_STATS_PROBE_LATE: times that they were sent later than by a quarter of their
 *	interval.
 * @CONGA_A_STATS_PROBE_SKIPPED: times that they were not, since it was time for the next.
 * @CONGA_A_STATS_PROBE_TAKEN: probes that told what is best now.
 * @CONGA_A_STATS_PROBE_MOVED: of these, another hop than before.
 * @CONGA_A_STATS_PROBE_NO_BETTER: probes about a leaf that did not.
 * @CONGA_A_STATS_PROBE_HANDED_ON: probes of others sent on, by each port.
 * @CONGA_A_STATS_PROBE_UNWANTED: not heeded: the policy needs none.
 * @CONGA_A_STATS_PROBE_DISTANT: not heeded: its sender is no neighbour (TTL below 255).
 * @CONGA_A_STATS_PROBE_MALFORMED: not heeded: too short, not ours, another version or
 *	type.
 * @CONGA_A_STATS_PROBE_OWN: not heeded: this leaf's own, come back.
 * @CONGA_A_STATS_PROBE_UNKNOWN_LEAF: not heeded: its origin is no leaf.
 * @CONGA_A_STATS_PROBE_NOT_PATH: not heeded: came by a port that is no nexthop of the
 *	route to its origin.
 * @CONGA_A_STATS_PROBE_HOPS: not handed on: passed as many boxes as it may.
 * @CONGA_A_STATS_PATH_UNPROBED: times a path was given up because probes of the leaf
 *	came by it no more.
 * @CONGA_A_STATS_PATH_PROBED: times a probe brought such a path back.
 * @CONGA_A_STATS_QUEUE_MARKED: packets that passed this box and were told what waits at
 *	the port they came in by.
 * @CONGA_A_STATS_QUEUE_RECEIVED: packets learnt from that told of a queue.
 * @CONGA_A_STATS_QUEUE_IGNORED: the same, whose byte 3 was something else, or that came by
 *	a port that is no uplink.
 * @CONGA_A_STATS_FALLBACK_ROUTE: left to the kernel: the packet's own route is none of
 *	the paths that were found for it.
 * @CONGA_A_STATS_FALLBACK_NAT: left to the kernel: NAT translates its outer
 *	addresses, or has not decided yet whether it does.
 * @CONGA_A_STATS_FALLBACK_BOUND: left to the kernel: its tunnel or FDB entry is
 *	bound to a device.
 * @CONGA_A_STATS_FALLBACK_KEYS: left to the kernel: routing rules tell more kinds
 *	of packets to its leaf apart than are kept at once.
 * @CONGA_A_STATS_TX_COPIED: packets of local sockets to a VXLAN port that were
 *	copied before they were looked at, because their sender could still write them,
 *	or nothing says that it could not (UDP_SEGMENT).
 * @CONGA_A_STATS_TX_NOMEM: packets of local sockets to a VXLAN port that were
 *	dropped, because there was no memory to copy them or to clear a stamp.
 * @CONGA_A_STATS_RX_XFRM: stamped packets not learnt from, because IPsec policy does not
 *	accept them; the kernel drops them.
 * @CONGA_A_STATS_RX_JOINED: stamped datagrams that came joined in one packet (UDP GRO),
 *	and were read and cleared each.
 * @CONGA_A_STATS_CONTROL_XFRM: control packets rejected, because IPsec policy does not
 *	accept them.
 * @CONGA_A_STATS_CONTROL_UNSENT_XFRM: control packets not sent, because IPsec would have
 *	to transform or block them.
 * @CONGA_A_STATS_PATH_NARROW: times a path was given up, because hellos of full size
 *	are lost on it, and small ones are not.
 */
enum conga_attr_stats {
	CONGA_A_STATS_PAD = 1,
	CONGA_A_STATS_TX_STEERED,
	CONGA_A_STATS_TX_STAMPED,
	CONGA_A_STATS_TX_UNKNOWN_LEAF,
	CONGA_A_STATS_TX_FORGED,
	CONGA_A_STATS_TX_RESERVED,
	CONGA_A_STATS_FLOWLETS_STARTED,
	CONGA_A_STATS_FLOWLETS_KEPT,
	CONGA_A_STATS_FLOWLETS_MOVED,
	CONGA_A_STATS_FLOWLETS_REROUTED,
	CONGA_A_STATS_FLOWLET_COLLISIONS,
	CONGA_A_STATS_FALLBACK_NO_PATH,
	CONGA_A_STATS_FALLBACK_XFRM,
	CONGA_A_STATS_FALLBACK_MARK,
	CONGA_A_STATS_FALLBACK_MTU,
	CONGA_A_STATS_FALLBACK_NOMEM,
	CONGA_A_STATS_CE_RAISED,
	CONGA_A_STATS_CE_UNWRITABLE,
	CONGA_A_STATS_FEEDBACK_SENT,
	CONGA_A_STATS_FEEDBACK_RECEIVED,
	CONGA_A_STATS_FEEDBACK_IGNORED,
	CONGA_A_STATS_RX_STAMPED,
	CONGA_A_STATS_RX_LEARNT,
	CONGA_A_STATS_RX_NOT_PORT,
	CONGA_A_STATS_RX_UNKNOWN_LEAF,
	CONGA_A_STATS_RX_PLAIN_LEAF,
	CONGA_A_STATS_RX_CONTROL,
	CONGA_A_STATS_RX_FOREIGN,
	CONGA_A_STATS_RX_MALFORMED,
	CONGA_A_STATS_RX_TRUNCATED,
	CONGA_A_STATS_RX_NOMEM,
	CONGA_A_STATS_PATH_UP,
	CONGA_A_STATS_PATH_DOWN,
	CONGA_A_STATS_PATH_SILENT,
	CONGA_A_STATS_PATH_ANSWERS,
	CONGA_A_STATS_HELLO_SENT,
	CONGA_A_STATS_HELLO_MISSED,
	CONGA_A_STATS_HELLO_ANSWERED,
	CONGA_A_STATS_HELLO_HEARD,
	CONGA_A_STATS_BYE_SENT,
	CONGA_A_STATS_BYE_RECEIVED,
	CONGA_A_STATS_EXPLICIT_SENT,
	CONGA_A_STATS_EXPLICIT_RECEIVED,
	CONGA_A_STATS_CONTROL_UNSENT,
	CONGA_A_STATS_CONTROL_NOT_PORT,
	CONGA_A_STATS_CONTROL_UNKNOWN_LEAF,
	CONGA_A_STATS_CONTROL_PLAIN_LEAF,
	CONGA_A_STATS_CONTROL_MALFORMED,
	CONGA_A_STATS_CONTROL_VERSION,
	CONGA_A_STATS_CONTROL_TYPE,
	CONGA_A_STATS_CONTROL_NONCE,
	CONGA_A_STATS_CONTROL_LIMITED,
	CONGA_A_STATS_LEAF_UP,
	CONGA_A_STATS_LEAF_SILENT,
	CONGA_A_STATS_LEAF_BYE,
	CONGA_A_STATS_LEAF_DISAGREES,
	CONGA_A_STATS_LEAF_ALTERNATES,
	CONGA_A_STATS_TX_OPTED_OUT,
	CONGA_A_STATS_FORWARD_STEERED,
	CONGA_A_STATS_FORWARD_UNKNOWN_LEAF,
	CONGA_A_STATS_FALLBACK_NO_PROBE,
	CONGA_A_STATS_PROBE_SENT,
	CONGA_A_STATS_PROBE_LATE,
	CONGA_A_STATS_PROBE_SKIPPED,
	CONGA_A_STATS_PROBE_TAKEN,
	CONGA_A_STATS_PROBE_MOVED,
	CONGA_A_STATS_PROBE_HANDED_ON,
	CONGA_A_STATS_PROBE_UNWANTED,
	CONGA_A_STATS_PROBE_DISTANT,
	CONGA_A_STATS_PROBE_MALFORMED,
	CONGA_A_STATS_PROBE_OWN,
	CONGA_A_STATS_PROBE_UNKNOWN_LEAF,
	CONGA_A_STATS_PROBE_NOT_PATH,
	CONGA_A_STATS_PROBE_HOPS,
	CONGA_A_STATS_PROBE_NO_BETTER,
	CONGA_A_STATS_PATH_UNPROBED,
	CONGA_A_STATS_PATH_PROBED,
	CONGA_A_STATS_QUEUE_MARKED,
	CONGA_A_STATS_QUEUE_RECEIVED,
	CONGA_A_STATS_QUEUE_IGNORED,
	CONGA_A_STATS_FALLBACK_ROUTE,
	CONGA_A_STATS_FALLBACK_NAT,
	CONGA_A_STATS_FALLBACK_BOUND,
	CONGA_A_STATS_FALLBACK_KEYS,
	CONGA_A_STATS_TX_COPIED,
	CONGA_A_STATS_TX_NOMEM,
	CONGA_A_STATS_RX_XFRM,
	CONGA_A_STATS_RX_JOINED,
	CONGA_A_STATS_CONTROL_XFRM,
	CONGA_A_STATS_CONTROL_UNSENT_XFRM,
	CONGA_A_STATS_PATH_NARROW,

	/* private: */
	__CONGA_A_STATS_MAX,
	CONGA_A_STATS_MAX = __CONGA_A_STATS_MAX - 1
};

#endif /* _UAPI_LINUX_CONGA_H */
