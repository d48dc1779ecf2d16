# SPDX-License-Identifier: GPL-2.0
"""What CONGA's paper claims against MPTCP."""
from claim import (CONGA, ECMP, FLOW, MB, MEAN, MPTCP, REST, SMALL, Claim, Part, better)
from measures import client_gbits, each, of_client_link, queue, ratios
from verdict import Factor, Limit, Shown

COUPLED = {**MPTCP, "congestion": "lia"}
DIFFERS = ("MPTCP is Linux's: 8 subflows by 8 addresses of each host, over a fabric that does "
           "ECMP, coupled by the lab's own LIA (RFC 6356), for Linux has no coupled congestion "
           "control. Frames of long runs have 9000 bytes.")

SHORT_FRAMES, JUMBO = 1500, 9000

# ---- Figures 9 and 11 ----

FAILED = {"scenario": "fig11", "cut": "1.1.1", "buffer": 16 * MB, "boot": 1,
          "gso": JUMBO, "balance_flows": 0}


def failed(name: str, rule, other: dict, workload: str, load: float, quantity=MEAN) -> Part:
    return Part(name, rule, ratios(quantity, COUPLED, {**other, "congestion": "cubic"},
                                   ("workload", "load"), **FAILED, workload=workload, load=load))


# ---- Figure 13 ----

ALL = 63                # servers
SMALLER = 0.8           # 80 % of a published number, which is a small one here
INCAST = {"scenario": "fig13", "buffer": 2 * MB, "hz": 250}
FINE = {**INCAST, "hz": 1000, "servers": ALL}
PATIENT, HASTY = {"rto_min": ""}, {"rto_min": "1ms"}


def incast_factors(buffer: float, servers: int, counts: bool) -> tuple:
    return tuple(Part(f"{one['scheme']} / mptcp, MTU {mtu}, {servers} servers, buffers of "
                      f"{buffer / MB:g} MB", Factor(2),
                      ratios(client_gbits, one, COUPLED, ("servers",),
                             **{**INCAST, "buffer": buffer}, mtu=mtu, servers=servers), counts)
                 for mtu in (SHORT_FRAMES, JUMBO) for one in (CONGA, ECMP))


def of_link(mtu: int, rule) -> tuple:
    """MPTCP's throughput, and that of the others beside it, by the share of the port."""
    where = {**INCAST, "mtu": mtu, "servers": ALL}
    return (Part(f"mptcp, MTU {mtu}", rule, each(of_client_link, **where, **COUPLED)),
            *(Part(f"{one['scheme']}, MTU {mtu}, buffers of {buffer} MB", Shown(),
                   each(of_client_link, **{**where, "buffer": buffer * MB}, **one),
                   counts=False)
              for buffer in (1, 2, 8) for one in (ECMP, CONGA, COUPLED)))


INCAST_HOW = ("The paper does not tell how much of its switch's shared buffer one port gets. Here "
              "it is 2 MB; 1 and 8 MB are shown, with which all collapse, or none. ")

CLAIMS = (
    Claim("C03", "Incast, up to 63 servers: CONGA and TCP reach 2 to 8 times MPTCP's "
          "throughput.", "13", "fig13",
          "the client's throughput with 63 servers, CONGA and ECMP / MPTCP",
          "2 to 8", "The paper says it of the same settings as C21 to C23: many servers. More "
          f"than 8 is not held against the claim. {INCAST_HOW}{DIFFERS}",
          incast_factors(2 * MB, ALL, True) +
          tuple(part for buffer, servers in ((2, 8), (2, 32), (1, ALL), (8, ALL))
                for part in incast_factors(buffer * MB, servers, False))),
    Claim("C10", "Enterprise workload, no failure: MPTCP's small transfers are up to 50 % worse "
          "than ECMP's.", "9", "fig9", "mean FCT below 100 KB, MPTCP / ECMP", "up to 1.5", DIFFERS,
          (Part("mptcp / ecmp", Factor(1.5, up_to=True),
                ratios(SMALL, COUPLED, ECMP, ("load",), scenario="fig9")),)),
    Claim("C16", "One link failed, 70 %, enterprise: CONGA's mean FCT is up to 30 % below "
          "MPTCP's.", "11", "fig11", "mean FCT, MPTCP / CONGA", "up to 1.43", DIFFERS,
          (failed("mptcp / conga", Factor(better(0.3), up_to=True), CONGA, "enterprise", 0.7),)),
    Claim("C17", "The same, data mining: close to half of MPTCP's.", "11", "fig11",
          "mean FCT, MPTCP / CONGA", "close to 2", DIFFERS,
          (failed("mptcp / conga", Factor(2), CONGA, "datamining", 0.7),)),
    Claim("C18", "One link failed: CONGA-Flow is better than MPTCP.", "11", "fig11",
          "mean FCT, MPTCP / CONGA-Flow", "more than 1",
          f"Enterprise at 70 %, data mining at 60 and 70 %. {DIFFERS}",
          tuple(failed("mptcp / conga-flow", Factor(), FLOW, workload, load)
                for workload, load in (("enterprise", 0.7), ("datamining", 0.6),
                                       ("datamining", 0.7)))),
    Claim("C19", "Data mining, one link failed, 60 %: the 90th percentile of the queue from "
          "spine 1 to leaf 1 is a quarter of MPTCP's.", "11", "fig11",
          "bytes waiting at the link that is left, 90th percentile, MPTCP / CONGA", "4",
          f"Buffers of 16 MB. {DIFFERS}",
          (failed("mptcp / conga", Factor(4), CONGA, "datamining", 0.6, queue(REST, "p90")),)),
    Claim("C21", "Incast with many servers: MPTCP gets below 30 % of the client's link.", "13",
          "fig13", "the client's throughput with 63 servers / its link's rate", "below 0.3",
          f"{INCAST_HOW}{DIFFERS}", of_link(SHORT_FRAMES, Limit(most=0.3))),
    Claim("C22", "The same with jumbo frames: 5 %.", "13", "fig13", "as C21", "0.05",
          f"At most 0.05 / 0.8, as factors count from 80 % on. {INCAST_HOW}{DIFFERS}",
          of_link(JUMBO, Limit(most=0.05 / SMALLER))),
    Claim("C23", "The same: a least time-out of 1 ms helps MPTCP with small frames; with jumbo "
          "frames it does not prevent the loss of throughput.", "13", "fig13",
          "the client's throughput with 63 servers: MPTCP with 1 ms / with 200 ms, MTU 1500; "
          "CONGA / MPTCP, both with 1 ms, MTU 9000", "more than 1",
          f"A kernel with ticks of 1 ms. No number is published. {INCAST_HOW}{DIFFERS}",
          (Part("mptcp, 1 ms / 200 ms, MTU 1500", Factor(),
                ratios(client_gbits, HASTY, PATIENT, **FINE, **COUPLED, mtu=SHORT_FRAMES)),
           Part("conga / mptcp, 1 ms, MTU 9000", Factor(),
                ratios(client_gbits, CONGA, COUPLED, **FINE, **HASTY, mtu=JUMBO)))),
)
