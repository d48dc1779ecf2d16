# SPDX-License-Identifier: GPL-2.0
"""What the paper claims, and what of it the lab measures.

A claim has parts, each with a rule and a measure, and is worth what its weakest part
is; parts that do not count are context. "x % better" means a completion time that is
x % lower: a factor of 1 / (1 - x).
"""
import claims_foreign
import claims_hula
import claims_mptcp
import claims_tr
import nash
from claim import (CONGA, ECMP, FLOW, LARGE, LOCAL, MB, MEAN, MPTCP, REST, SMALL, WORKLOADS,
                   Claim, Part, better)
from measures import (against_one, cell, concurrent, delivered, each, flowlet_bytes, grown,
                      median_imbalance, of_buffer, queue_next_to_failures, ratios, sample, share,
                      trend)
from tables import number
from verdict import ENOUGH, Factor, Limit, Near, Shown

JOB, BLOCK = map(cell, ("job_seconds", "group_mean_s"))
HIGH_LOADS = (0.6, 0.7, 0.8, 0.9)
MIDDLE_LOADS = (0.5, 0.6, 0.7, 0.8)
FAST, SLOW = "40000000000bit", "10000000000bit"     # of hosts
MUCH = 2                # "much more", where no number is published
NEAR = 0.2              # of a number of which 80 % is enough elsewhere
ROBUST = 0.2            # "fairly robust"
LATE_BURST = 65536      # bytes: hosts that segment late, as the paper's did
HALF_RUN = 0.5

# ---- Figure 11 with ECMP: the headline ----

FAILED = {"cut": "1.1.1", "congestion": "cubic", "balance_flows": 0, "boot": 1}
AT_LENGTH = {"scenario": "headline", "buffer": 8 * MB, **FAILED}
HEADLINE = {**AT_LENGTH, "workload": "websearch", "load": 0.6}
HEADLINES = ("headline", "headline-deep", "headline-mining")
LENGTHS = (0.1, 0.3, 1, 3)  # seconds of runs with the same first transfers
SHORT, LONG, LONGEST = 0.3, 3, 20
LETFLOW = {"scheme": "letflow"}


def web_search(name: str, one: dict, **where) -> Part:
    """Context: web search in other runs than those of 3 s."""
    return Part(f"web search, {name}", Shown(), ratios(MEAN, one, CONGA, **{**HEADLINE, **where}),
                counts=False, fewest=1)


HEADLINE_CONTEXT = (
    *(web_search(f"{seconds} s", ECMP, seconds=seconds) for seconds in LENGTHS),
    web_search("1 s, queues of 1 MB", ECMP, seconds=1, buffer=MB),
    web_search("local / CONGA, 3 s", LOCAL, seconds=LONG),
    web_search("letflow / CONGA, 3 s", LETFLOW, seconds=LONG),
    web_search("0.3 s, NewReno's window", ECMP, seconds=SHORT, congestion="reno"),
    web_search("0.3 s, stock / CONGA", {"scheme": "stock"}, seconds=SHORT),
)

BOOTS = ratios(MEAN, ECMP, CONGA, column="boot",
               **{**HEADLINE, "seconds": SHORT, "boot": (1, 2, 3, 4, 5), "seed": 1})
SEEDS = ratios(MEAN, ECMP, CONGA, **HEADLINE, seconds=SHORT)
FIGURE_11_MPTCP = claims_mptcp.FAILED
LATER, SOON = {"seconds": LONG}, {"seconds": SHORT}
POINTS = ("workload", "load")

FIGURE_11 = (
    Claim("C01", "With one link failed, mean completion times of ECMP are more than five "
          "times those of CONGA.", "11", "headline",
          "mean FCT, ECMP / CONGA, on the same trace, at the best point, runs of 3 s (data "
          "mining: 20 s)", "more than 5",
          "The paper says it of realistic workloads, and names neither workload, load nor length: "
          "one point of enterprise, data mining or web search is enough. Figure 11 has the first "
          "two, figure 15 the third. ECMP offers the link that is left more than it carries, so "
          "that the factor grows with the length of a run. Frames have 9000 bytes; buffers have 8 "
          "MB, or 16 (headline-deep). Data mining is a scenario of its own (headline-mining), "
          "without which the claim is judged, too.",
          (Part("a realistic workload", Factor(5, somewhere=True),
                ratios(MEAN, ECMP, CONGA, ("workload", "load", "buffer"), scenario=HEADLINES,
                       seconds=(LONG, LONGEST), **FAILED)),
           *HEADLINE_CONTEXT)),
    Claim("C15", "With one link failed, ECMP is unstable above 50 % load.", "11", "headline",
          "mean FCT in 3 s over that in the first 0.3 s of the same transfers: ECMP's, and ECMP's "
          "over CONGA's", "unstable",
          "Unstable is what grows with time; no number is published, so that the direction "
          "counts. Loads are 60 and 70 %. As C01.",
          (Part("ECMP, 3 s / 0.3 s", Factor(),
                grown(MEAN, LATER, SOON, POINTS, **AT_LENGTH, **ECMP)),
           Part("ECMP / CONGA, 3 s / 0.3 s", Factor(),
                trend(MEAN, ECMP, CONGA, LATER, SOON, POINTS, **AT_LENGTH)),
           Part("CONGA, 3 s / 0.3 s", Shown(),
                grown(MEAN, LATER, SOON, POINTS, **AT_LENGTH, **CONGA), counts=False),
           Part("median queue of the link that is left, ECMP, of the buffer", Shown(),
                each(of_buffer(REST, "p50"), POINTS, **AT_LENGTH, **ECMP, **LATER),
                counts=False))),
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


AT_ONCE, PAUSES = {"think": ""}, {"think": 500}     # us in the mean, between writes of 64 KB
KB, KB_500 = 1e3, 500


def flowlets(name: str, rule, quantity, how: dict, counts: bool = True, fewest: int = 3) -> Part:
    """Of hosts that segment late."""
    return Part(name, rule, each(quantity, ("think",), scenario="fig5", gso=LATE_BURST, **how),
                counts, fewest)


def other_pauses(quantity) -> tuple:
    """Context: how much of it is the pauses, which are ours."""
    return tuple(flowlets(f"pauses of {text}", Shown(), quantity, {"think": think}, False, 1)
                 for text, think in (("250 us", 250), ("1 ms", 1000), ("none", "")))


def transfer_megabytes(found, run: dict) -> float:
    return flowlet_bytes(250_000)(found, run) / MB


def flowlet_kilobytes(found, run: dict) -> float:
    return flowlet_bytes(500)(found, run) / KB


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
          "At least 80 % of it, as factors count from 80 % on. The paper captured a production "
          "cluster; here its published enterprise sizes, of which half of the bytes are above "
          "38.6 MB, are replayed at 15 Gbit/s for 5 s, each transfer at once. That is 60 transfers "
          "of more than 30 MB in a run.",
          (flowlets("MB", Limit(least=ENOUGH * 30), transfer_megabytes, AT_ONCE),)),
    Claim("C07", "Cut by pauses of 500 us, half of the bytes are in flowlets of at most "
          "500 KB, a sixtieth.", "5", "fig5",
          "the same size for pauses of 250 ms over that for 500 us; the latter in KB", "60; 500 KB",
          "As C06. A sender at 10 Gbit/s without competition makes no pauses; the paper's "
          "applications did, but it is not told which: here they write 64 KB after 64 KB, "
          "at random moments (Poisson) 500 us apart in the mean. Other pauses are beside it.",
          (flowlets("times smaller", Factor(60), fewer_bytes, PAUSES),
           flowlets("KB", Limit(most=KB_500), flowlet_kilobytes, PAUSES),
           *other_pauses(fewer_bytes))),
    Claim("C08", "Few connections send within one millisecond: a median of 130 at 15 Gbit/s.",
          "5", "fig5", "median number of connections with data, by 1 ms", "130",
          "Within 20 %. As C07; hosts have persistent connections, so that many transfers share "
          "one.",
          (flowlets("connections", Near(130, NEAR), concurrent, PAUSES),
           *other_pauses(concurrent))),
)

# ---- Figures 9, 10, 12: the healthy testbed ----

LONG_RUNS = ("In full form runs take 2 s, without caps, with frames of 9000 bytes, buffers of 8 MB "
             "and round trips of 100 us, at 50 and 80 % load; in reduced form 100 ms, and sizes "
             "have caps.")
MINING = ("In full form runs take 5 s at 80 % load, without caps, with frames of 9000 bytes, "
          "buffers of 8 MB and round trips of 100 us; in reduced form 100 ms, and sizes have caps.")

HEALTHY = (
    Claim("C09", "Enterprise workload, no failure: mean FCT is similar for all schemes.", "9",
          "fig9", "mean FCT, ECMP and CONGA-Flow / CONGA, at each load", "similar",
          f"Similar is within 10 % at each load. MPTCP is context here. {LONG_RUNS}",
          tuple(Part(f"{one['scheme']} / conga", Near(1),
                     ratios(MEAN, one, CONGA, ("load",), scenario="fig9"))
                for one in (ECMP, FLOW)) + (
              Part("mptcp / conga", Shown("similar"),
                   ratios(MEAN, MPTCP, CONGA, ("load",), scenario="fig9"), counts=False),)),
    Claim("C11", "Enterprise workload, no failure, 50 to 80 % load: CONGA's small transfers "
          "take 12 to 19 % longer than ECMP's.", "9", "fig9",
          "mean FCT below 100 KB, CONGA / ECMP, mean over these loads", "1.12 to 1.19", LONG_RUNS,
          (Part("conga / ecmp", Factor(1.12, 1.19),
                ratios(SMALL, CONGA, ECMP, ("load",), scenario="fig9", load=MIDDLE_LOADS)),)),
    Claim("C12", "Enterprise workload, no failure, 50 to 80 % load: CONGA's large transfers "
          "are up to 20 % better than ECMP's.", "9", "fig9",
          "mean FCT above 10 MB, ECMP / CONGA, at the best of these loads", "up to 1.25", LONG_RUNS,
          (Part("ecmp / conga", Factor(better(0.2), up_to=True),
                ratios(LARGE, ECMP, CONGA, ("load",), scenario="fig9", load=MIDDLE_LOADS)),)),
    Claim("C13", "Data-mining workload, no failure, high load: CONGA's mean FCT is up to 35 % "
          "better than ECMP's.", "10", "fig10",
          "mean FCT, ECMP / CONGA, at the best load from 60 % on", "up to 1.54", MINING,
          (Part("ecmp / conga", Factor(better(0.35), up_to=True),
                ratios(MEAN, ECMP, CONGA, ("load",), scenario="fig10", load=HIGH_LOADS)),
           Part("mptcp / conga", Shown(),
                ratios(MEAN, MPTCP, CONGA, ("load",), scenario="fig10"), counts=False))),
    Claim("C14", "Data-mining workload, no failure: CONGA is notably better than CONGA-Flow.",
          "10", "fig10", "mean FCT, CONGA-Flow / CONGA, mean over the loads from 60 % on",
          "more than 1", f"No number is published: the direction counts. {MINING}",
          (Part("conga-flow / conga", Factor(),
                ratios(MEAN, FLOW, CONGA, ("load",), scenario="fig10", load=HIGH_LOADS)),)),
    Claim("C20", "Healthy fabric, 60 % load: CONGA uses leaf 0's four uplinks much more evenly "
          "than ECMP.", "12", "fig12",
          "median of (maximum - minimum) / mean over 10 ms each, ECMP / CONGA", "much more",
          "No number is published: twice as even counts as the paper's. The warm-up is included. "
          "In full form there are ten seeds of 0.3 s, without caps, with frames of 9000 bytes.",
          tuple(Part(WORKLOADS[workload], Factor(MUCH),
                     ratios(median_imbalance, ECMP, CONGA, scenario="fig12", workload=workload))
                for workload in ("enterprise", "datamining"))),
)

# ---- Figure 14 ----


def hadoop(what: str, rule, one: dict, other: dict, **where) -> tuple:
    """By a block's mean time. The job's is that of its slowest host, and shown."""
    judged = not isinstance(rule, Shown)
    return tuple(Part(f"{name}{what}", rule, ratios(quantity, one, other, scenario="fig14",
                                                    **where), counts)
                 for name, quantity, counts in (("", BLOCK, judged), ("the job: ", JOB, False)))


FAILED_LINK, NO_FAILURE = {"cut": "1.1.1"}, {"cut": ""}

HADOOP = (
    Claim("C02", "HDFS write job beside enterprise traffic: with one link failed ECMP takes "
          "nearly twice its time without failure.", "14", "fig14",
          "mean time of a block under ECMP, failed / healthy, on the same trace", "nearly 2",
          "The paper writes 1 TB, 250 blocks a host one after the other, so that a job's time "
          "is that of its blocks. In full form each host writes two blocks of 64 MB, in the "
          "lab's own model of HDFS's pipeline, in ten trials, beside 1.2 s of other traffic; "
          "frames have 9000 bytes, and buffers 8 MB. In reduced form it writes 20 blocks of 1 MB. "
          "Such a job's time is that of one unlucky host, and shown.",
          hadoop("ecmp, failed / healthy", Factor(2), FAILED_LINK, NO_FAILURE, **ECMP)),
    Claim("C25", "HDFS write job under CONGA: almost unchanged by the failure.", "14", "fig14",
          "mean time of a block under CONGA, failed / healthy", "almost 1",
          "Almost unchanged is within 10 %. As C02.",
          hadoop("conga, failed / healthy", Near(1), FAILED_LINK, NO_FAILURE, **CONGA)
          + hadoop("local, failed / healthy", Shown("almost 1"), FAILED_LINK, NO_FAILURE,
                   **LOCAL)),
    Claim("C24", "HDFS write job, no failure: ECMP and CONGA are nearly identical.", "14", "fig14",
          "mean time of a block, ECMP / CONGA", "nearly identical",
          "Nearly identical is within 10 %. As C02.",
          hadoop("ecmp / conga, healthy", Near(1), ECMP, CONGA, **NO_FAILURE)),
)

# ---- Figures 15 and 16 ----

LARGER = {"scenario": "fig15", "host_rate": SLOW}

LARGE_FABRICS = (
    Claim("C26", "Larger symmetric fabrics: CONGA is 5 to 40 % better than ECMP, more so for "
          "heavier sizes, higher load and higher oversubscription.", "15", "fig15",
          "mean FCT, ECMP / CONGA, mean over all points; and this factor with more over that "
          "with less of each", "1.05 to 1.67",
          "In full form eight leaves of 48 hosts, as the paper's, but four where "
          "oversubscription is compared, runs of 0.5 s, or 1 s at 1:1, without caps, with frames "
          "of 9000 bytes, and the testbed's buffers of 8 MB and round trips of 100 us; in reduced "
          "form three leaves, and runs of 30 to 100 ms.",
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
          "As C26. In full form 96 hosts, as the paper's, and runs of 0.3 s; in reduced form 36 on "
          "three leaves.",
          (Part("ecmp / conga", Factor(better(0.3)),
                ratios(MEAN, ECMP, CONGA, scenario="fig15", host_rate=FAST,
                       workload="websearch", load=0.3)),)),
    Claim("C28", "The same with four times as many hosts of 10 Gbit/s: 5 to 10 % better.", "15",
          "fig15", "mean FCT, ECMP / CONGA", "1.05 to 1.11",
          "As C26. In full form 384 hosts, as the paper's, and runs of 0.3 s; in reduced form 144 "
          "on three leaves.",
          (Part("ecmp / conga", Factor(better(0.05), better(0.1)),
                ratios(MEAN, ECMP, CONGA, **LARGER, workload="websearch", load=0.3,
                       spines=4)),)),
    Claim("C29", "Six leaves, four spines, three links a pair, nine links failed, web search at "
          "60 %: queues of spine ports next to the failures are ten times shorter than ECMP's.",
          "16", "fig16", "mean bytes waiting at the links that are left of pairs of which one "
          "failed, ECMP / CONGA", "10",
          "100 ms in full form, with frames of 9000 bytes, and buffers and round trips as C26; 18 "
          "ms in reduced form. Which links fail is drawn by us: the paper does not say.",
          (Part("ecmp / conga", Factor(10),
                ratios(queue_next_to_failures("mean"), ECMP, CONGA, scenario="fig16")),)),
)

# ---- Section 3.6 and 7, and beyond ----

SWEEP = {"scenario": "sweep", "workload": "websearch"}
DEFAULT = {"options": "", **CONGA}
INSIDE = ("q 4", "q 5", "q 6", "tdre 10us", "tdre 20us", "tdre 30us", "tdre 50us",
          "flowlet-timeout 300us", "flowlet-timeout 700us", "flowlet-timeout 1ms")
OUTSIDE = ("q 1", "q 2", "tdre 100us", "tdre 200us",
           "flowlet-timeout 50us", "flowlet-timeout 100us", "flowlet-timeout 5ms")
QUICK_TAU = ("tdre 2us", "tdre 5us")    # less than a round trip
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
         # On traces of their own: foreign hosts talk only to each other
         Part("ECMP / CONGA on some traffic", Factor(),
              ratios(MEAN, ECMP, CONGA, ("foreign_hosts",), scenario="mixed",
                     foreign_hosts=(8, 16, 24))),
         Part("ECMP / CONGA everywhere", Factor(),
              ratios(MEAN, ECMP, CONGA, **EVERYWHERE, scenario="mixed"), counts=False))
MIXED_DIFFERS = ("The paper has no numbers. Means are over all traffic: that of hosts without "
                 "CONGA is not told apart. In full form runs take 0.5 s, with frames of 9000 "
                 "bytes.")

# What the balance of hashing is shown by is left out.
THREE_TIERS = {"scenario": "three-tier", "cut": "1.1.1", "balance_flows": 0}

SIDE_BY_SIDE = {"scenario": "schemes", "mode": "conga", "congestion": "cubic"}


def letflow(name: str, most: float, counts: bool = True, **where) -> Part:
    return Part(f"letflow / conga, {name}", Limit(most=most),
                ratios(MEAN, LETFLOW, CONGA, **SIDE_BY_SIDE, **where), counts)


BEYOND = (
    Claim("L1", "LetFlow is within 10 to 20 % of CONGA on a testbed.", "LetFlow (NSDI 2017)",
          "schemes", "mean FCT, LetFlow / CONGA, web search", "at most 1.2",
          "Theirs is a testbed of 1 and 10 Gbit/s; here the paper's fabric at 60 % load: healthy, "
          "for 0.1 s; and with one link failed, for 3 s (scenario foreign), since what waits at "
          "the link that is left grows for longer than 0.1 s. The same in 0.1 s is shown.",
          (letflow("healthy", 1.2, cut="", link_delays="", load=0.6),
           Part("letflow / conga, one link failed", Limit(most=1.2), ratios(
               MEAN, LETFLOW, claims_foreign.EVERYWHERE, **claims_foreign.FAILED)),
           letflow("one link failed, 0.1 s", 1.2, cut="1.1.1", counts=False))),
    Claim("L2", "LetFlow is within 2x of CONGA where paths are very unequal.",
          "LetFlow (NSDI 2017)", "schemes", "mean FCT, LetFlow / CONGA, web search",
          "at most 2", "Links of a quarter of the rate at one of two spines, at 40 % load.",
          (letflow("unequal rates", 2, load=0.4),)),
    Claim("C34", "CONGA is fairly robust for Q 3 to 6, tau 100 to 500 us and flowlet timeouts "
          "of 300 us to 1 ms.", "section 3.6", "sweep",
          "mean FCT with one parameter changed / with Q 3, tau 160 us, 500 us, one link failed",
          "fairly robust",
          "Fairly robust is within 20 % at each value. The paper has it that a larger Q and a tau "
          "of less than a round trip oscillate: Q above 6 does not fit into the header, and tau "
          "is beside it, as are other values outside. In full form runs take 0.3 s, buffers and "
          "round trips are as C26's, and frames have 9000 bytes.",
          (Part("inside", Near(1, ROBUST),
                against_one(MEAN, DEFAULT, "options", INSIDE, over=True, **SWEEP)),
           Part("tau less than a round trip", Shown("more than 1"),
                against_one(MEAN, DEFAULT, "options", QUICK_TAU, over=True, **SWEEP),
                counts=False, fewest=1),
           Part("outside", Shown(),
                against_one(MEAN, DEFAULT, "options", OUTSIDE, over=True, **SWEEP),
                counts=False, fewest=1))),
    Claim("C36", "With CONGA at some leaves only, or for some traffic, all traffic gains.",
          "section 7", "mixed",
          "mean FCT of all transfers, ECMP everywhere / CONGA in part, one link failed",
          "more than 1", MIXED_DIFFERS, MIXED),
    Claim("C37", "Three tiers, CONGA at the leaves and ECMP above: better than ECMP alone, by "
          "the maximum or the sum of a path's metrics.", "section 7", "three-tier",
          "mean FCT, ECMP / CONGA, one link failed", "more than 1",
          "The paper has no numbers, and no such topology. In full form runs take 0.5 s, with "
          "frames of 9000 bytes.",
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
                      + CALCULATED + claims_foreign.CLAIMS + claims_mptcp.CLAIMS
                      + claims_hula.FAT_TREE + claims_tr.CLAIMS,
                      key=lambda claim: (claim.id[0] != "C", claim.id)))


def command(claim: Claim) -> str:
    return claim.command or f"sudo make lab SCENARIO={claim.scenario}"
