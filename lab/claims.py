# SPDX-License-Identifier: GPL-2.0
"""What the paper claims, and what of it the lab measures.

A claim has parts, each with a rule and a measure, and is worth what its weakest part
is; parts that do not count are context. "x % better" means a completion time that is
x % lower: a factor of 1 / (1 - x).
"""
from typing import Callable

import claims_hula
import claims_tr
import nash
from claim import (CONGA, ECMP, FLOW, LARGE, LOCAL, MEAN, MPTCP, NORMALISED, SMALL, Claim,
                   Part)
from measures import (against_one, cell, client_gbits, concurrent, delivered, each,
                      flowlet_bytes, median_imbalance, of_buffer, of_client_link, queue,
                      queue_next_to_failures, ratios, sample, share, trend)
from tables import number
from verdict import FEWEST_SEEDS, Factor, Limit, Near, Shown

HEADLINE_SEEDS = 5
JOB, BLOCK = map(cell, ("job_seconds", "group_mean_s"))
WORKLOADS = {"websearch": "web search", "enterprise": "enterprise",
             "datamining": "data mining"}
HIGH_LOADS = (0.6, 0.7, 0.8, 0.9)
MIDDLE_LOADS = (0.5, 0.6, 0.7, 0.8)
FAST, SLOW = "40000000000bit", "10000000000bit"     # of hosts
MUCH = 2                # "much more", where no number is published
ROBUST = 0.2            # "fairly robust"
LATE_BURST = 65536      # bytes: hosts that segment late, as the paper's did
MB = 1e6
HALF_RUN = 0.5


def better(part: float) -> float:
    """The factor of a completion time that is lower by this part."""
    return 1 / (1 - part)


# ---- Figure 11, and the headline ----

TESTBED = {"scenario": "fig11", "cut": "1.1.1", "buffer": 1 * MB, "gso": 1500,
           "congestion": "cubic", "balance_flows": 0, "boot": 1}
HEADLINE = {**TESTBED, "workload": "websearch", "load": 0.6}
LONGER = 0.3            # seconds of a run
LONGEST = 1
AT_LENGTH = 3
REST = "spine1.down1.0"     # the link that is left of the two between spine 1 and leaf 1


def headline(name: str, rule=Factor(5), one=ECMP, other=CONGA, counts=False,
             fewest=HEADLINE_SEEDS, **where) -> Part:
    return Part(name, rule, ratios(MEAN, one, other, **{**TESTBED, **where}), counts, fewest)


def headline_parts() -> tuple:
    points = [{"workload": workload, "load": load}
              for workload in WORKLOADS for load in (0.6, 0.7)]
    found = []
    for counts, kind, where in ((True, ", 300 ms", {"seconds": LONGER}), (False, "", {}),
                                (False, ", buffers of 8 MB", {"buffer": 8 * MB})):
        found += [headline(f"{WORKLOADS[point['workload']]}, {point['load']:.0%}{kind}",
                           counts=counts, **point, **where) for point in points]
    return tuple(found) + headline_context()


def headline_context() -> tuple:
    base = {"workload": "websearch", "load": 0.6}
    local = tuple(headline(f"local-only / CONGA, {WORKLOADS[workload]}, {load:.0%}", Factor(),
                           LOCAL, workload=workload, load=load)
                  for workload in WORKLOADS for load in (0.6, 0.7))
    frames = tuple(headline(f"web search, 60%, {LONGER} s, hosts of 2014, frames of {mtu}",
                            scenario="frames", mtu=mtu, gso=mtu, seconds=LONGER,
                            fewest=FEWEST_SEEDS, **base) for mtu in (1500, 9000))
    return local + frames + (
        headline(f"web search, 60%, {LONGEST} s", seconds=LONGEST, fewest=FEWEST_SEEDS, **base),
        headline(f"web search, 60%, {AT_LENGTH} s, hosts of 2014, frames of 9000",
                 scenario="headline", gso=9000, seconds=AT_LENGTH, fewest=FEWEST_SEEDS, **base),
        headline("web search, 60%, NewReno", congestion="reno", fewest=FEWEST_SEEDS, **base),
        headline("web search, 60%, hosts that segment late", gso=LATE_BURST,
                 fewest=FEWEST_SEEDS, **base),
        headline("web search, 60%, stock / CONGA", one={"scheme": "stock"},
                 fewest=FEWEST_SEEDS, **base))


BOOTS = ratios(MEAN, ECMP, CONGA, column="boot",
               **{**HEADLINE, "boot": (1, 2, 3, 4, 5), "seed": 1})
SEEDS = ratios(MEAN, ECMP, CONGA, **HEADLINE)


def rise(workload: str) -> Part:
    # Against CONGA's own rise, for each seed's sizes decide much of it
    at = {"load": (0.6, 0.7)}
    return Part(f"{WORKLOADS[workload]}: rise of ECMP / CONGA from 40-50% to 60-70% load",
                Factor(MUCH), trend_of_loads(workload, at))


def trend_of_loads(workload: str, above: dict):
    where = {**TESTBED, "workload": workload}

    def measure(found) -> dict:
        points = {}
        for high in above["load"]:
            for low in (0.5, 0.4):
                got = trend(NORMALISED, ECMP, CONGA, {"load": high}, {"load": low},
                            **where)(found)
                if got:
                    points[f"{high:.0%} over {low:.0%}"] = got[""]
                    break
        return points
    return measure


FIGURE_11 = (
    Claim("C01", "With one link failed, mean completion times of ECMP are more than five "
          "times those of CONGA.", "11", "fig11",
          "mean FCT, ECMP / CONGA, on the same trace", "more than 5",
          "The paper does not name load and workload of the headline: here it must hold at 60 "
          "and 70 % for each of three workloads, in 300 ms. ECMP offers the link that is left "
          "more than it carries, so that the factor grows with the length of a run: see those "
          "of 100 ms and 1 s. Sizes are capped at 100 MB.",
          headline_parts()),
    Claim("C15", "With one link failed, ECMP is unstable above 50 % load.", "11", "fig11",
          "ECMP / CONGA (normalised FCT) at 60 and 70 % over that at 50 % (40 % where there is "
          "no 50 %); and the queue of the link that is left between spine 1 and leaf 1: its "
          "median under ECMP, as a part of the buffer", "unstable",
          "No number is published: a doubling counts, and a queue that is half full half of "
          "the time. Runs of 100 ms end before an unstable queue of TCP could show more.",
          (rise("enterprise"), rise("datamining"),
           Part("web search: rise of ECMP / CONGA", Factor(MUCH),
                trend_of_loads("websearch", {"load": (0.6, 0.7)}), counts=False),
           Part("median queue of the link that is left, ECMP, 60-70%", Limit(least=0.5),
                each(of_buffer(REST, "p50"), ("workload", "load"), **TESTBED, **ECMP,
                     load=(0.6, 0.7))))),
)

# ---- Figures 2 to 5 ----

INTO_LEAF_1 = ("spine0.down1.0", "spine1.down1.0")
INTO_LEAF_2 = ("spine0.down2.0", "spine1.down2.0")
ALONE, BOTH = ({"scenario": "fig3", "demands": text}
               for text in ("1-2:40gbit", "1-2:40gbit 0-2:40gbit"))
FIGURE_2 = {"scenario": "fig2", "buffer": 8 * MB}


def throughput_of(scheme: dict, rule) -> Part:
    return Part(f"{scheme['scheme']}: throughput, of 100", rule,
                each(delivered(*INTO_LEAF_1), **FIGURE_2, **scheme))


def flowlets(name: str, rule, quantity, late: bool) -> Part:
    gso = LATE_BURST if late else 1500
    hosts = "hosts that segment late" if late else "packet by packet"
    return Part(f"{name}, {hosts}", rule, each(quantity, scenario="fig5", gso=gso), counts=late)


def fewer_bytes(found, run: dict) -> float:
    return flowlet_bytes(250_000)(found, run) / flowlet_bytes(500)(found, run)


FIGURES_2_TO_5 = (
    Claim("C04", "Of 100 units of TCP demand over two spines, one with a narrow link behind it, "
          "ECMP carries 90, a choice by local load 80, CONGA all 100, split 66.6 to 33.3.", "2",
          "fig2", "Gbit/s into leaf 1 from 20 % of the run on; spine 0's part of what "
          "leaf 0 sends", "90, 80, 100; 2/3",
          "A unit is a Gbit/s with headers. The demand comes in pieces of 64 KB, as the paper "
          "does not say how. Numbers count within 10 %, and the factors between them too.",
          (throughput_of(ECMP, Near(90)), throughput_of(LOCAL, Near(80)),
           throughput_of(CONGA, Near(100)),
           Part("conga: spine 0's part", Near(2 / 3),
                each(share("leaf0.up0", "leaf0.up1"), **FIGURE_2, **CONGA)),
           Part("conga / ecmp", Factor(100 / 90),
                ratios(delivered(*INTO_LEAF_1), CONGA, ECMP, **FIGURE_2)),
           Part("ecmp / local", Factor(90 / 80),
                ratios(delivered(*INTO_LEAF_1), ECMP, LOCAL, **FIGURE_2)))),
    Claim("C05", "The best split of leaf 1 depends on what leaf 0 sends, so that no fixed "
          "weights suit both cases; with leaf 0's traffic a local choice is worse than ECMP.",
          "3", "fig3", "spine 1's part of what leaf 1 sends; Gbit/s into leaf 2",
          "halves alone; by spine 1 with the other traffic",
          "Without numbers in the text, 80 % by spine 1 counts as avoiding spine 0.",
          (Part("conga, alone: spine 1's part", Near(0.5),
                each(share("leaf1.up1", "leaf1.up0"), **ALONE, **CONGA)),
           Part("conga, with leaf 0's traffic: spine 1's part", Limit(least=0.8),
                each(share("leaf1.up1", "leaf1.up0"), **BOTH, **CONGA)),
           Part("with leaf 0's traffic: ecmp / local", Factor(),
                ratios(delivered(*INTO_LEAF_2), ECMP, LOCAL, **BOTH)),
           Part("with leaf 0's traffic: conga / ecmp", Factor(),
                ratios(delivered(*INTO_LEAF_2), CONGA, ECMP, **BOTH), counts=False))),
    Claim("C06", "Half of the bytes are in transfers of more than 30 MB.", "5", "fig5",
          "size up to which transfers (pauses of 250 ms) carry half of the bytes, MB",
          "more than 30 MB",
          "The paper captured a production cluster; here its published enterprise sizes are "
          "replayed, capped at 500 MB, for one second.",
          tuple(flowlets("MB", Limit(least=30), lambda found, run:
                         flowlet_bytes(250_000)(found, run) / MB, late)
                for late in (True, False))),
    Claim("C07", "Cut by pauses of 500 us, half of the bytes are in flowlets of more than "
          "500 KB only, a sixtieth.", "5", "fig5",
          "the same size for pauses of 250 ms over that for 500 us", "60",
          "As C06. Pauses are those of Linux's TCP of today, with and without late "
          "segmentation.",
          tuple(flowlets("times smaller", Factor(60), fewer_bytes, late)
                for late in (True, False))),
    Claim("C08", "Few connections send within one millisecond: a median of 130 at 15 Gbit/s.",
          "5", "fig5", "median number of connections with data, by 1 ms", "130",
          "At most the paper's number counts: the point is that there are few. Hosts have "
          "persistent connections, so that many transfers share one.",
          tuple(flowlets("connections", Limit(most=130), concurrent, late)
                for late in (True, False))),
)

# ---- Figures 9, 10, 12: the healthy testbed ----

HEALTHY = (
    Claim("C09", "Enterprise workload, no failure: mean FCT is similar for all schemes.", "9",
          "fig9", "mean FCT, ECMP and CONGA-Flow / CONGA, at each load", "similar",
          "Similar is within 10 % at each load. MPTCP, which the paper compares too, is context. "
          "Runs are short, sizes capped.",
          tuple(Part(f"{one['scheme']} / conga", Near(1),
                     ratios(MEAN, one, CONGA, ("load",), scenario="fig9"))
                for one in (ECMP, FLOW)) + (
              Part("mptcp / conga, 60%", Shown("similar"),
                   ratios(MEAN, MPTCP, CONGA, scenario="fig9", load=0.6), counts=False),)),
    Claim("C11", "Enterprise workload, no failure, 50 to 80 % load: CONGA's small transfers "
          "take 12 to 19 % longer than ECMP's.", "9", "fig9",
          "mean FCT below 100 KB, CONGA / ECMP, mean over these loads", "1.12 to 1.19",
          "Runs are short, sizes capped.",
          (Part("conga / ecmp", Factor(1.12, 1.19),
                ratios(SMALL, CONGA, ECMP, ("load",), scenario="fig9", load=MIDDLE_LOADS)),)),
    Claim("C12", "Enterprise workload, no failure, 50 to 80 % load: CONGA's large transfers "
          "are up to 20 % better than ECMP's.", "9", "fig9",
          "mean FCT above 10 MB, ECMP / CONGA, at the best of these loads", "up to 1.25",
          "Sizes are capped, so that large transfers are smaller, and few.",
          (Part("ecmp / conga", Factor(better(0.2), up_to=True),
                ratios(LARGE, ECMP, CONGA, ("load",), scenario="fig9", load=MIDDLE_LOADS)),)),
    Claim("C13", "Data-mining workload, no failure, high load: CONGA's mean FCT is up to 35 % "
          "better than ECMP's.", "10", "fig10",
          "mean FCT, ECMP / CONGA, at the best load from 60 % on", "up to 1.54",
          "Runs of 100 ms hold few of the transfers that carry most bytes; capped at 100 MB.",
          (Part("ecmp / conga", Factor(better(0.35), up_to=True),
                ratios(MEAN, ECMP, CONGA, ("load",), scenario="fig10", load=HIGH_LOADS)),
           Part("mptcp / conga, 80%", Shown(),
                ratios(MEAN, MPTCP, CONGA, scenario="fig10", load=0.8), counts=False))),
    Claim("C14", "Data-mining workload, no failure: CONGA is notably better than CONGA-Flow.",
          "10", "fig10", "mean FCT, CONGA-Flow / CONGA, mean over the loads from 60 % on",
          "more than 1", "No number is published: the direction counts. As C13.",
          (Part("conga-flow / conga", Factor(),
                ratios(MEAN, FLOW, CONGA, ("load",), scenario="fig10", load=HIGH_LOADS)),)),
    Claim("C20", "Healthy fabric, 60 % load: CONGA uses leaf 0's four uplinks much more evenly "
          "than ECMP.", "12", "fig12",
          "median of (maximum - minimum) / mean over 10 ms each, ECMP / CONGA", "much more",
          "No number is published: twice as even counts as the paper's. MPTCP is context. The "
          "warm-up is included.",
          tuple(Part(WORKLOADS[workload], Factor(MUCH),
                     ratios(median_imbalance, ECMP, CONGA, scenario="fig12", workload=workload))
                for workload in ("enterprise", "datamining")) + tuple(
              Part(f"mptcp / conga, {WORKLOADS[workload]}", Shown("as even"),
                   ratios(median_imbalance, MPTCP, CONGA, scenario="fig12", workload=workload),
                   counts=False) for workload in ("enterprise", "datamining"))),
)

# ---- Figure 14 ----

HADOOP = (
    Claim("C02", "HDFS write job beside enterprise traffic: with one link failed ECMP takes "
          "nearly twice its time without failure.", "14", "fig14",
          "time of the job under ECMP, failed / healthy, on the same trace", "nearly 2",
          "Each host writes 20 blocks of 1 MB (the paper: 1 TB in all), in the lab's own model "
          "of HDFS's pipeline. So short a job ends when its last host does, and that may wait "
          "once for the 200 ms that TCP takes for a lost last packet; the mean time of a block "
          "is beside it.",
          (Part("ecmp, failed / healthy", Factor(2),
                ratios(JOB, {"cut": "1.1.1"}, {"cut": ""}, scenario="fig14", **ECMP)),
           Part("a block: ecmp, failed / healthy", Factor(2),
                ratios(BLOCK, {"cut": "1.1.1"}, {"cut": ""}, scenario="fig14", **ECMP),
                counts=False))),
    Claim("C25", "HDFS write job under CONGA: almost unchanged by the failure.", "14", "fig14",
          "time of the job under CONGA, failed / healthy", "almost 1",
          "Almost unchanged is within 10 %. As C02.",
          (Part("conga, failed / healthy", Near(1),
                ratios(JOB, {"cut": "1.1.1"}, {"cut": ""}, scenario="fig14", **CONGA)),
           Part("a block: conga, failed / healthy", Near(1),
                ratios(BLOCK, {"cut": "1.1.1"}, {"cut": ""}, scenario="fig14", **CONGA),
                counts=False),
           Part("local, failed / healthy", Near(1),
                ratios(JOB, {"cut": "1.1.1"}, {"cut": ""}, scenario="fig14", **LOCAL),
                counts=False))),
    Claim("C24", "HDFS write job, no failure: ECMP and CONGA are nearly identical.", "14", "fig14",
          "time of the job, ECMP / CONGA", "nearly identical",
          "Nearly identical is within 10 %. As C02.",
          (Part("ecmp / conga, healthy", Near(1),
                ratios(JOB, ECMP, CONGA, scenario="fig14", cut="")),
           Part("a block: ecmp / conga, healthy", Near(1),
                ratios(BLOCK, ECMP, CONGA, scenario="fig14", cut=""), counts=False))),
)

# ---- Figures 15 and 16 ----

LARGER = {"scenario": "fig15", "host_rate": SLOW}

LARGE_FABRICS = (
    Claim("C26", "Larger symmetric fabrics: CONGA is 5 to 40 % better than ECMP, more so for "
          "heavier sizes, higher load and higher oversubscription.", "15", "fig15",
          "mean FCT, ECMP / CONGA, mean over all points; and this factor with more over that "
          "with less of each", "1.05 to 1.67",
          "Three leaves of 48 hosts in reduced form (the paper: up to 8 leaves, 384 servers), "
          "runs of 30 to 100 ms.",
          (Part("ecmp / conga", Factor(better(0.05), better(0.4)),
                ratios(MEAN, ECMP, CONGA, ("workload", "spines", "load"), **LARGER)),
           Part("data mining over web search", Factor(),
                trend(MEAN, ECMP, CONGA, {"workload": "datamining"}, {"workload": "websearch"},
                      ("spines", "load"), **LARGER, load=(0.6, 0.8))),
           Part("80% over 60% load", Factor(),
                trend(MEAN, ECMP, CONGA, {"load": 0.8}, {"load": 0.6}, ("workload",), **LARGER,
                      spines=4, workload=("websearch", "datamining"))),
           Part("5:1 over 1:1", Factor(),
                trend(MEAN, ECMP, CONGA, {"spines": 2}, {"spines": 12}, ("workload",), **LARGER,
                      load=0.6, workload=("websearch", "datamining"))))),
    Claim("C27", "Web search, 3:1, 30 % load, hosts of 40 Gbit/s: CONGA is 30 % better.", "15",
          "fig15", "mean FCT, ECMP / CONGA", "1.43",
          "36 hosts on three leaves in reduced form (the paper: 96).",
          (Part("ecmp / conga", Factor(better(0.3)),
                ratios(MEAN, ECMP, CONGA, scenario="fig15", host_rate=FAST,
                       workload="websearch", load=0.3)),)),
    Claim("C28", "The same with four times as many hosts of 10 Gbit/s: 5 to 10 % better.", "15",
          "fig15", "mean FCT, ECMP / CONGA", "1.05 to 1.11",
          "144 hosts on three leaves in reduced form (the paper: 384).",
          (Part("ecmp / conga", Factor(better(0.05), better(0.1)),
                ratios(MEAN, ECMP, CONGA, **LARGER, workload="websearch", load=0.3,
                       spines=4)),)),
    Claim("C29", "Six leaves, four spines, three links a pair, nine links failed, web search at "
          "60 %: queues of spine ports next to the failures are ten times shorter than ECMP's.",
          "16", "fig16", "mean bytes waiting at the links that are left of pairs of which one "
          "failed, ECMP / CONGA", "10",
          "18 ms in reduced form. Which links fail is drawn by us: the paper does not say.",
          (Part("ecmp / conga", Factor(10),
                ratios(queue_next_to_failures("mean"), ECMP, CONGA, scenario="fig16")),)),
)

# ---- Section 3.6 and 7, and beyond ----

SWEEP = {"scenario": "sweep", "workload": "websearch"}
DEFAULT = {"options": "", **CONGA}
INSIDE = ("q 4", "q 5", "q 6", "tdre 10us", "tdre 20us", "tdre 30us", "tdre 50us",
          "flowlet-timeout 300us", "flowlet-timeout 700us", "flowlet-timeout 1ms")
OUTSIDE = ("q 1", "q 2", "tdre 2us", "tdre 5us", "tdre 100us", "tdre 200us",
           "flowlet-timeout 50us", "flowlet-timeout 100us", "flowlet-timeout 5ms")
BLIND, WATCHFUL = ({"options": text, **CONGA}
                   for text in ("hello off explicit-feedback off",
                                "hello 20ms explicit-feedback on"))


def mixed(name: str, column: str, *values) -> Part:
    return Part(f"ECMP / CONGA on {name}", Factor(),
                against_one(MEAN, {**ECMP, **EVERYWHERE}, column, values,
                            over=False, scenario="mixed"))


EVERYWHERE = {"leaf_schemes": "", "unmarked_spines": "", "foreign_hosts": 0}
MIXED = (mixed("some leaves", "leaf_schemes", "3=ecmp", "2=ecmp 3=ecmp",
               "1=ecmp 2=ecmp 3=ecmp"),
         mixed("leaves, some spines without", "unmarked_spines", "0", "1", "0 1"),
         # On traces of their own: foreign hosts talk only to each other
         Part("ECMP / CONGA on some traffic", Factor(),
              ratios(MEAN, ECMP, CONGA, ("foreign_hosts",), scenario="mixed",
                     foreign_hosts=(8, 16, 24))),
         Part("ECMP / CONGA everywhere", Factor(),
              ratios(MEAN, ECMP, CONGA, **EVERYWHERE, scenario="mixed"), counts=False))

# What the balance of hashing is shown by is left out.
THREE_TIERS = {"scenario": "three-tier", "cut": "1.1.1", "balance_flows": 0}

SIDE_BY_SIDE = {"scenario": "schemes", "mode": "conga", "congestion": "cubic"}
LETFLOW = {"scheme": "letflow"}


def letflow(name: str, most: float, **where) -> Part:
    return Part(f"letflow / conga, {name}", Limit(most=most),
                ratios(MEAN, LETFLOW, CONGA, **SIDE_BY_SIDE, **where))


BEYOND = (
    Claim("L1", "LetFlow is within 10 to 20 % of CONGA on a testbed.", "LetFlow (NSDI 2017)",
          "schemes", "mean FCT, LetFlow / CONGA, web search", "at most 1.2",
          "Theirs is a testbed of 1 and 10 Gbit/s; here the paper's fabric, healthy and with one "
          "link failed, at 60 % load.",
          (letflow("healthy", 1.2, cut="", link_delays="", load=0.6),
           letflow("one link failed", 1.2, cut="1.1.1"))),
    Claim("L2", "LetFlow is within 2x of CONGA where paths are very unequal.",
          "LetFlow (NSDI 2017)", "schemes", "mean FCT, LetFlow / CONGA, web search",
          "at most 2", "Links of a quarter of the rate at one of two spines, at 40 % load.",
          (letflow("unequal rates", 2, load=0.4),)),
    Claim("C34", "CONGA is fairly robust for Q 3 to 6, tau 100 to 500 us and flowlet timeouts "
          "of 300 us to 1 ms; outside it oscillates or is slow.", "section 3.6", "sweep",
          "mean FCT with one parameter changed / with Q 3, tau 160 us, 500 us, one link failed",
          "fairly robust",
          "Fairly robust is within 20 % at each value. Outside, the worst value must be worse "
          "than the defaults. Q above 6 does not fit into the header.",
          (Part("inside", Near(1, ROBUST),
                against_one(MEAN, DEFAULT, "options", INSIDE, over=True, **SWEEP)),
           Part("outside, the worst", Factor(up_to=True),
                against_one(MEAN, DEFAULT, "options", OUTSIDE, over=True, **SWEEP)))),
    Claim("C36", "With CONGA at some leaves only, or for some traffic, or with spines that do "
          "not mark, all traffic gains.", "section 7", "mixed",
          "mean FCT of all transfers, ECMP everywhere / CONGA in part, one link failed",
          "more than 1", "The paper has no numbers. Means are over all traffic: that of hosts "
          "without CONGA is not told apart.", MIXED),
    Claim("C37", "Three tiers, CONGA at the leaves and ECMP above: better than ECMP alone, by "
          "the maximum or the sum of a path's metrics.", "section 7", "three-tier",
          "mean FCT, ECMP / CONGA, one link failed", "more than 1",
          "The paper has no numbers, and no such topology.",
          tuple(Part(f"ecmp / conga, {word}", Factor(),
                     ratios(MEAN, ECMP, {"options": f"metric {word}", **CONGA},
                            **THREE_TIERS)) for word in ("max", "sum"))),
    Claim("G01", "A spine that drops silently attracts CONGA's flowlets; with hellos over each "
          "path that is at most a transient.", "beyond the paper", "grey",
          "mean FCT (unfinished transfers with their age); and, in the second half of the run, "
          "the part of leaf 0's bytes that go to the silent spine of four", "our own",
          "Not of the paper: the directions count, and at most 1 % for the lost bytes.",
          (Part("without hellos / ECMP", Factor(), ratios(MEAN, BLIND, ECMP, scenario="grey")),
           Part("without / with hellos", Factor(),
                ratios(MEAN, BLIND, WATCHFUL, scenario="grey")),
           Part("with hellos: bytes to the silent spine", Limit(most=0.01),
                each(share("leaf0.up0", "leaf0.up1", "leaf0.up2", "leaf0.up3",
                           after=HALF_RUN), scenario="grey", **WATCHFUL)),
           Part("without hellos: bytes to the silent spine", Limit(most=0.01),
                each(share("leaf0.up0", "leaf0.up1", "leaf0.up2", "leaf0.up3",
                           after=HALF_RUN), scenario="grey", **BLIND), counts=False))),
)

# ---- Section 6, and what is no load ----

EXAMPLES = tuple(nash.EXAMPLES)
RULE = 1 + nash.RULE_ERROR * nash.RESTLESS


def in_nash(column: str, keep=lambda row: True):
    return sample("nash", lambda row: number(row[column]), lambda row: row["network"], keep)


CALCULATED = (
    Claim("C30", "The Price of Anarchy of the bottleneck game on leaf-spine networks is 2, an "
          "example reaches it, and with the rule of fewest bottlenecks it is 1.", "17", "",
          "bottleneck of Nash flows / the least one, over networks instead of seeds", "2; 1",
          "The example is built from the paper's properties, for its figure has no numbers in "
          "the text. Following the rule has a tolerance.",
          (Part("the examples", Near(nash.POA, nash.ROUNDING),
                in_nash("ratio", lambda row: row["network"] in EXAMPLES),
                fewest=len(EXAMPLES)),
           Part("all networks", Limit(most=nash.POA * (1 + nash.ROUNDING), exact=True),
                in_nash("ratio")),
           Part("flows with fewest bottlenecks", Limit(most=1 + nash.ROUNDING, exact=True),
                in_nash("fewest_ratio")),
           Part("following the rule", Limit(most=RULE, exact=True), in_nash("rule_ratio"))),
          "lab/nash.py --csv build/lab/nash.csv"),
    Claim("C31", "The mean imbalance of random placement stays within 1 / sqrt(lambda_e t).",
          "section 6", "", "mean imbalance / bound, over workloads, pieces and times instead of "
          "seeds", "at most 1", "The bound's O(1/t) is not granted.",
          (Part("imbalance / bound", Limit(most=1, exact=True),
                sample("imbalance", lambda row: number(row["imbalance"]) / number(row["bound"]),
                       lambda row: f"{row['workload']} {row['piece_bytes']} {row['flows']}")),),
          "lab/imbalance.py --csv build/lab/imbalance.csv"),
    Claim("C32", "All metrics of a pair of leaves are fed back within at most 12 packets.",
          "section 3.3", "", "tests of the feedback's order that pass (1) or fail (0): k metrics "
          "by k packets, k up to 16", "12",
          "A test of the module in a virtual machine, packet by packet, not a load.",
          (Part("tests", Limit(least=1, exact=True),
                sample("feedback", lambda row: number(row["passed"]), lambda row: row["test"])),),
          "selftests/vm/run -- selftests/paper/exact_feedback.sh > build/lab/feedback.tap"),
)

CLAIMS = tuple(sorted(FIGURES_2_TO_5 + HEALTHY + FIGURE_11 + HADOOP + LARGE_FABRICS + BEYOND
                      + CALCULATED + claims_hula.FAT_TREE + claims_tr.CLAIMS,
                      key=lambda claim: (claim.id[0] != "C", claim.id)))

# ---- What rests on MPTCP: shown, not judged ----

MPTCP_DIFFERS = ("MPTCP here is Linux's: 8 subflows by 8 addresses of each host, not coupled, "
                 "each one cubic for itself. The paper's is coupled. So this is context.")
SERVERS = (1, 8, 32, 63)
INCAST = {"scenario": "fig13", "buffer": 1 * MB}


def beside(claim: str, says: str, figure: str, how: str, published: str, *parts: Part,
           differs: str = MPTCP_DIFFERS) -> Claim:
    return Claim(claim, says, figure, f"fig{figure}", how, published, differs, parts)


def shown(name: str, measure: Callable, published: str = "") -> Part:
    return Part(name, Shown(published), measure, counts=False)


def incast_factors() -> tuple:
    return tuple(shown(f"{one['scheme']} / mptcp, MTU {mtu}",
                       ratios(client_gbits, one, MPTCP, ("servers",), **INCAST, mtu=mtu,
                              servers=SERVERS), "2 to 8")
                 for mtu in (1500, 9000) for one in (CONGA, ECMP))


def incast_of_link(mtu: int, published: str) -> Part:
    return shown(f"mptcp, MTU {mtu}", each(of_client_link, **INCAST, **MPTCP, mtu=mtu,
                                           servers=SERVERS[-1]), published)


def mptcp_failed(name: str, other: dict, workload: str, load: float, published: str = "",
                 quantity=MEAN) -> Part:
    return shown(f"{name}, {WORKLOADS[workload]}, {load:.0%}",
                 ratios(quantity, MPTCP, other, **TESTBED, workload=workload, load=load),
                 published)


BESIDE = {claim.id: claim for claim in (
    beside("C03", "Incast, 1 to 63 servers: CONGA and TCP reach 2 to 8 times MPTCP's "
           "throughput.", "13", "the client's throughput, CONGA and ECMP / MPTCP, mean over 1, "
           "8, 32 and 63 servers", "2 to 8", *incast_factors()),
    beside("C10", "Enterprise workload, no failure: MPTCP's small transfers are up to 50 % worse "
           "than ECMP's.", "9", "mean FCT below 100 KB, MPTCP / ECMP, at 60 % load",
           "up to 1.5", shown("mptcp / ecmp", ratios(SMALL, MPTCP, ECMP, scenario="fig9",
                                                     load=0.6), "up to 1.5")),
    beside("C16", "One link failed, 70 %, enterprise: CONGA's mean FCT is up to 30 % below "
           "MPTCP's.", "11", "mean FCT, MPTCP / CONGA", "up to 1.43",
           mptcp_failed("mptcp / conga", CONGA, "enterprise", 0.7, "up to 1.43")),
    beside("C17", "The same, data mining: close to half of MPTCP's.", "11",
           "mean FCT, MPTCP / CONGA", "close to 2",
           mptcp_failed("mptcp / conga", CONGA, "datamining", 0.7, "close to 2")),
    beside("C18", "One link failed: CONGA-Flow is better than MPTCP.", "11",
           "mean FCT, MPTCP / CONGA-Flow", "more than 1",
           *(mptcp_failed("mptcp / conga-flow", FLOW, workload, load, "more than 1")
             for workload in ("enterprise", "datamining") for load in (0.6, 0.7))),
    beside("C19", "Data mining, one link failed, 60 %: the 90th percentile of the queue from "
           "spine 1 to leaf 1 is a quarter of MPTCP's.", "11",
           "bytes waiting at the link that is left, 90th percentile, MPTCP / CONGA", "4",
           mptcp_failed("mptcp / conga", CONGA, "datamining", 0.6, "4", queue(REST, "p90"))),
    beside("C21", "Incast with many servers: MPTCP gets below 30 % of the client's link.", "13",
           "the client's throughput with 63 servers / its link's rate", "below 0.3",
           incast_of_link(1500, "below 0.3")),
    beside("C22", "The same with jumbo frames: 5 %.", "13", "as C21", "0.05",
           incast_of_link(9000, "0.05")),
    beside("C23", "The same: a least time-out of 1 ms helps MPTCP with small frames only.", "13",
           "not measured", "", differs="Here the least time-out is Linux's, 200 ms."),
)}


def command(claim: Claim) -> str:
    return claim.command or f"sudo make lab SCENARIO={claim.scenario}"
