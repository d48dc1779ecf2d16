# SPDX-License-Identifier: GPL-2.0
"""What HULA's paper claims (SOSR 2016): its policy at every box of a fat tree, against
ECMP and CONGA', which is CONGA within a pod and ECMP of flowlets between pods.
"""
from claim import CONGA, ECMP, LARGE, MEAN, SMALL, Claim, Part
from measures import Quantity, cell, each, over_ideal, queue_next_to_failures, ratios, worst
from measures_hula import drops, longest, waits_behind
from tables import Tables, number
from verdict import Factor, Limit, Near, Shown

# Judged is the paper's rule, by which all flowlets take the best hop; the module's default,
# by which they take any hop that is nearly as good, is shown beside it.
HULA, OURS = ({"scheme": "hula", "params": params} for params in ("near 0", ""))
PRIME = {"scheme": "conga-prime"}
FLOWLETS = "flowlet-timeout 100us"
SLOW_PROBES = f"{FLOWLETS} probe 2ms"
JUMBO, SMALL_FRAMES = ({"mtu": size, "gso": size} for size in (9000, 1500))
SMALL_BUFFER, LARGE_BUFFER = 1_000_000, 8_000_000
# A window of 64 KB at most, or as much as TCP likes
LIMITED, UNLIMITED = ({"sysctls": text} for text in ("net.ipv4.tcp_window_scaling=0", ""))
HEALTHY_BY_WINDOW = {"scenario": "fattree", "options": FLOWLETS, "workload": "websearch", **JUMBO}
HEALTHY = {**HEALTHY_BY_WINDOW, **LIMITED}
HEALTHY_UNLIMITED = {**HEALTHY_BY_WINDOW, **UNLIMITED}
MINING = {**HEALTHY, "workload": "datamining", "load": 0.8}
CUTS = {"scenario": "fattree-cut", "options": FLOWLETS, "load": 0.6}
CUT_BY_WINDOW = {**CUTS, "workload": "websearch", "buffer": SMALL_BUFFER, **JUMBO}
CUT = {**CUT_BY_WINDOW, **LIMITED}
CUT_UNLIMITED = {**CUT_BY_WINDOW, **UNLIMITED}
CUT_MINING, CUT_MINING_UNLIMITED = ({**where, "workload": "datamining"}
                                    for where in (CUT, CUT_UNLIMITED))
SHORTER = 0.5                       # seconds of the shorter one of two runs
DOWN = {"scenario": "linkdown"}
SHORT, LONG = 20_000, 12_000_000    # bytes of the transfers over the link that fails
MS = 1e3                            # of a second
FORMULA = 0.02                      # the probes' bytes are within that of the formula
KINDS = ("leaf-spine", "spine-core", "core-spine", "spine-leaf")
MANY, PAPER_LEAVES = 128, 1000
P99 = cell("p99_fct_s")

SETTINGS = ("Each host asks one server of the other pod for the whole run, by three connections; "
            "each server has one such host, since no link of a host could carry two. Hosts have "
            "ns-2's TCP, and frames of 9000 bytes. Judged is the paper's rule (near 0); the "
            "module's default (near 16) is shown.")
WINDOWS = ("Windows have at most 64 KB, because the paper says that HULA drops no packet: without "
           "a limit, which ns-2's TCP has, too, TCP fills every queue until it drops. The same "
           "without a limit is shown.")
SHORT_RUNS = (f"{SETTINGS} {WINDOWS} An ideal fabric (lab/ideal.py) leaves no more to win than is "
              "shown.")
CUT_RUNS = (f"{SETTINGS} {WINDOWS} The longest runs count, since such factors grow with time; "
            "shorter ones, and buffers of 8 MB, are shown. The link is between spine 0 and core 0 "
            "(the paper's aggregation switch and spine).")


def against(name: str, one: dict, quantity: Quantity, rule, **where) -> tuple:
    """one / HULA, of the longest runs; and one / the module's default, as context."""
    return tuple(Part(f"{name} / {hula}", rule,
                      longest(ratios(quantity, one, other, **where), **where), counts)
                 for hula, other, counts in (("HULA", HULA, True),
                                             ("HULA as the module has it", OURS, False)))


def shown(parts: tuple, when: str = "") -> tuple:
    """The same as context; @when says what differs."""
    return tuple(part._replace(counts=False, name=part.name + when) for part in parts)


def unlimited(name: str, one: dict, quantity: Quantity, rule, where: dict) -> tuple:
    """Context: one / HULA where windows have no limit."""
    return shown(against(name, one, quantity, rule, **where), ", windows without a limit")


def bound(column: str, name: str = "", **where) -> Part:
    """No scheme can be better than ECMP by more."""
    return Part(f"{name}ECMP / an ideal fabric", Shown("the most there is"),
                longest(each(over_ideal(column), **where, **ECMP), **where), False)


def at_load(load: float, name: str, one: dict, rule) -> tuple:
    return against(f"{load:.0%}: {name}", one, MEAN, rule, **HEALTHY, load=load)


def in_other_cases(quantity: Quantity, rule, one: dict = ECMP) -> tuple:
    """Windows without a limit, runs of half a second with each buffer, and short ones with each
    size of frames."""
    where = {**CUTS, "workload": "websearch", **UNLIMITED}
    name = f"windows without a limit: {one['scheme']} / HULA"
    return tuple(Part(f"{name}, {SHORTER} s, buffers of {buffer // 1_000_000} MB", rule, ratios(
        quantity, one, HULA, **where, **JUMBO, buffer=buffer, seconds=SHORTER), False)
        for buffer in (SMALL_BUFFER, LARGE_BUFFER)) + tuple(
            Part(f"{name}, the shortest runs, frames of {frames['mtu']}", rule, ratios(
                quantity, one, HULA, **where, **frames, buffer=SMALL_BUFFER), False)
            for frames in (JUMBO, SMALL_FRAMES))


def failures(column: str) -> Quantity:
    """The worst of a run's failures, in ms."""
    return worst("failures", column, MS)


def of_failures(name: str, column: str, piece: int, scheme: dict, rule,
                counts: bool = True) -> Part:
    return Part(f"{name}, ms", rule, each(failures(column), **DOWN, piece=piece, **scheme), counts)


def off_formula(kind: str) -> Quantity:
    """Measured / formula, of the link that is farthest from it."""
    def quantity(found: Tables, run: dict) -> float:
        rows = [row for row in found.probes.get(run["id"], []) if row["links"] == kind]
        return max((number(row[end]) for row in rows for end in ("least", "most")),
                   key=lambda ratio: abs(ratio - 1), default=float("nan"))
    return quantity


def of_rate(found: Tables, run: dict) -> float:
    """Of the busiest link's rate, as if there were as many leaves as in the paper; in %."""
    busiest = [number(row["busiest_of_rate"]) for row in found.probes.get(run["id"], [])]
    return 100 * max(busiest, default=float("nan")) * PAPER_LEAVES / (number(run["leaves"]) - 1)


def slow_probes(load: float, rule, hula: dict = HULA, **where) -> Part:
    return Part(f"2 ms / 200 us, {load:.0%}", rule, ratios(
        MEAN, {"options": SLOW_PROBES}, {"options": FLOWLETS},
        **{**CUT, **where, "load": load, "options": (FLOWLETS, SLOW_PROBES)}, **hula))


def slow_probes_elsewhere(name: str, **how) -> tuple:
    """Both loads, as context."""
    return shown((slow_probes(0.6, Near(1), **how), slow_probes(0.9, Near(1.15), **how)),
                 f", {name}")


FAT_TREE = (
    Claim("H01", "Healthy fat tree, web search: CONGA' takes 1.6 times as long as HULA at 50 % "
          "load, 3 times at 90 %.", "HULA (SOSR 2016)", "fattree", "mean FCT, CONGA' / HULA",
          "1.6; 3", SHORT_RUNS,
          (*at_load(0.5, "CONGA'", PRIME, Factor(1.6)), *at_load(0.9, "CONGA'", PRIME, Factor(3)),
           bound("mean_fct_s", "50%: ", **HEALTHY, load=0.5),
           bound("mean_fct_s", "90%: ", **HEALTHY, load=0.9))),
    Claim("H02", "Healthy fat tree, web search, 70 %: HULA's FCT is 3.7 times lower than ECMP's, "
          "2.7 times lower than that of CONGA'.", "HULA (SOSR 2016)", "fattree",
          "mean FCT, ECMP and CONGA' / HULA", "3.7; 2.7", SHORT_RUNS,
          (*at_load(0.7, "ECMP", ECMP, Factor(3.7)), *at_load(0.7, "CONGA'", PRIME, Factor(2.7)),
           *unlimited("70%: ECMP", ECMP, MEAN, Factor(3.7), {**HEALTHY_UNLIMITED, "load": 0.7}),
           *unlimited("70%: CONGA'", PRIME, MEAN, Factor(2.7), {**HEALTHY_UNLIMITED, "load": 0.7}),
           bound("mean_fct_s", **HEALTHY, load=0.7))),
    Claim("H03", "Healthy fat tree, data mining, 80 %: HULA is 1.35 times better than ECMP.",
          "HULA (SOSR 2016)", "fattree", "mean FCT, ECMP / HULA", "1.35", SHORT_RUNS,
          (*against("ECMP", ECMP, MEAN, Factor(1.35), **MINING), bound("mean_fct_s", **MINING))),
    Claim("H04", "Healthy fat tree: no difference at low load.", "HULA (SOSR 2016)", "fattree",
          "mean FCT, ECMP and CONGA' / HULA, web search, 20 %", "similar",
          f"Similar is within 10 %. {SHORT_RUNS}",
          at_load(0.2, "ECMP", ECMP, Near(1)) + at_load(0.2, "CONGA'", PRIME, Near(1))),
    Claim("H05", "One link between spine and core removed, web search, 60 %: ECMP takes 3 times "
          "as long as CONGA'.", "HULA (SOSR 2016)", "fattree-cut", "mean FCT, ECMP / CONGA'", "3",
          CUT_RUNS,
          (Part("ECMP / CONGA'", Factor(3), longest(ratios(MEAN, ECMP, PRIME, **CUT), **CUT)),
           Part("ECMP / CONGA', windows without a limit", Factor(3),
                longest(ratios(MEAN, ECMP, PRIME, **CUT_UNLIMITED), **CUT_UNLIMITED), False))),
    Claim("H06", "The same: HULA is 8 times better than ECMP.", "HULA (SOSR 2016)", "fattree-cut",
          "mean FCT, ECMP / HULA", "8", CUT_RUNS,
          (*against("ECMP", ECMP, MEAN, Factor(8), **CUT),
           *unlimited("ECMP", ECMP, MEAN, Factor(8), CUT_UNLIMITED),
           *in_other_cases(MEAN, Factor(8)),
           *shown(against("CONGA'", PRIME, MEAN, Factor(), **CUT)),
           bound("mean_fct_s", **CUT))),
    Claim("H07", "The same: 10 times better for small transfers, 4 times for large ones.",
          "HULA (SOSR 2016)", "fattree-cut", "mean FCT below 100 KB and above 10 MB, ECMP / HULA",
          "10; 4", CUT_RUNS,
          (*against("small: ECMP", ECMP, SMALL, Factor(10), **CUT),
           *against("large: ECMP", ECMP, LARGE, Factor(4), **CUT),
           *unlimited("small: ECMP", ECMP, SMALL, Factor(10), CUT_UNLIMITED),
           *unlimited("large: ECMP", ECMP, LARGE, Factor(4), CUT_UNLIMITED),
           *shown(against("small: CONGA'", PRIME, SMALL, Factor(), **CUT)),
           *shown(against("large: CONGA'", PRIME, LARGE, Factor(), **CUT)),
           bound("small_mean_fct_s", "small: ", **CUT),
           bound("large_mean_fct_s", "large: ", **CUT))),
    Claim("H08", "The same: the 99th percentile is 10 times better.", "HULA (SOSR 2016)",
          "fattree-cut", "99th percentile of FCT, ECMP / HULA", "10", CUT_RUNS,
          (*against("ECMP", ECMP, P99, Factor(10), **CUT),
           *unlimited("ECMP", ECMP, P99, Factor(10), CUT_UNLIMITED),
           *shown(against("CONGA'", PRIME, P99, Factor(), **CUT)),
           bound("p99_fct_s", **CUT))),
    Claim("H09", "The same: the 95th percentile of queues is 8 times lower than with CONGA', 19 "
          "times lower than with ECMP.", "HULA (SOSR 2016)", "fattree-cut",
          "bytes waiting, 95th percentile, mean of the links that are left of that spine upwards "
          "and of that core down to the pod: CONGA' and ECMP / HULA", "8; 19",
          f"{CUT_RUNS} Buffers hold 1 MB, and drop what is more.",
          (*against("CONGA'", PRIME, queue_next_to_failures("p95"), Factor(8), **CUT),
           *against("ECMP", ECMP, queue_next_to_failures("p95"), Factor(19), **CUT),
           *unlimited("CONGA'", PRIME, queue_next_to_failures("p95"), Factor(8), CUT_UNLIMITED),
           *unlimited("ECMP", ECMP, queue_next_to_failures("p95"), Factor(19), CUT_UNLIMITED),
           *in_other_cases(queue_next_to_failures("p95"), Factor(19)),
           *shown(against("mean: ECMP", ECMP, queue_next_to_failures("mean"), Factor(), **CUT)))),
    Claim("H10", "A link goes down, and up again: the load has moved within 1 ms.",
          "HULA (SOSR 2016)", "linkdown",
          "from the cut to the last packet of data that comes to a spine for the leaf that it has "
          "lost; from the return until that spine sends 10 packets there: the longest of five "
          "failures", "at most 1 ms",
          "A link between leaf 0 and spine 0, at 36 Gbit/s to that leaf. No routing protocol is "
          "at work, which would help all schemes. Long transfers leave no gap for a while, so "
          "that their return is context. What waited for the link itself is not counted.",
          (of_failures("short transfers: last lost packet", "last_lost_s", SHORT, HULA,
                       Limit(most=1)),
           of_failures("long transfers: last lost packet", "last_lost_s", LONG, HULA,
                       Limit(most=1)),
           of_failures("short transfers: until it carries again", "back_s", SHORT, HULA,
                       Limit(most=1)),
           of_failures("long transfers: until it carries again", "back_s", LONG, HULA, Shown(),
                       False),
           of_failures("CONGA at the leaves, short transfers: last lost packet", "last_lost_s",
                       SHORT, CONGA, Shown(), False))),
    Claim("H11", "One link removed: probes ten times as seldom change nothing below 70 % load, "
          "and cost a factor of 1.15 at 90 %.", "HULA (SOSR 2016)", "fattree-cut",
          "mean FCT of HULA, probes every 2 ms / 200 us, web search, at 60 and 90 %", "1; 1.15",
          f"Numbers count within 10 %. {SETTINGS} {WINDOWS} At 90 % the links that are left are "
          "overloaded: 144 Gbit/s are sent to 120.",
          (slow_probes(0.6, Near(1)), slow_probes(0.9, Near(1.15)),
           *slow_probes_elsewhere("as the module has it", hula=OURS),
           *slow_probes_elsewhere("windows without a limit", **UNLIMITED),
           *slow_probes_elsewhere("buffers of 8 MB", buffer=LARGE_BUFFER),
           *slow_probes_elsewhere("as the module has it, buffers of 8 MB", hula=OURS,
                                  buffer=LARGE_BUFFER))),
    Claim("H12", "Probes take the formula's part of a link: bytes x leaves x 8 / (interval x "
          "rate).", "HULA (SOSR 2016)", "probes",
          "bytes on each link without load / formula, the link that is farthest from it, at 8, 32 "
          "and 128 leaves, probes every 1 ms", "1.28 % of 40 Gbit/s at 1000 leaves",
          "Within 2 %. Leaves are those that a link tells of: one upwards from a leaf, all others "
          "downwards. A probe has 94 bytes here instead of 64, so that 1000 leaves take 1.88 %.",
          tuple(Part(f"{kind}: measured / formula", Near(1, FORMULA),
                     each(off_formula(kind), ("leaves",), scenario="probes",
                          options="probe 1ms"), fewest=1) for kind in KINDS) + (
              Part("% of the busiest link, for 1000 leaves", Shown("1.28"),
                   each(of_rate, scenario="probes", leaves=MANY, options="probe 1ms"),
                   False, fewest=1),)),
    Claim("H13", "One link removed, data mining: HULA is 1.53 times better than ECMP for small "
          "transfers, 1.35 times for large ones, 1.52 times for all.", "HULA (SOSR 2016)",
          "fattree-cut", "mean FCT below 100 KB, above 10 MB and of all, ECMP / HULA",
          "1.53; 1.35; 1.52", f"{CUT_RUNS} The load is 60 %, as with web search.",
          (*against("small: ECMP", ECMP, SMALL, Factor(1.53), **CUT_MINING),
           *against("large: ECMP", ECMP, LARGE, Factor(1.35), **CUT_MINING),
           *against("all: ECMP", ECMP, MEAN, Factor(1.52), **CUT_MINING),
           *unlimited("small: ECMP", ECMP, SMALL, Factor(1.53), CUT_MINING_UNLIMITED),
           *unlimited("large: ECMP", ECMP, LARGE, Factor(1.35), CUT_MINING_UNLIMITED),
           *unlimited("all: ECMP", ECMP, MEAN, Factor(1.52), CUT_MINING_UNLIMITED),
           bound("mean_fct_s", **CUT_MINING))),
    Claim("H14", "One link removed, web search, 60 %: no packet is dropped with HULA.",
          "HULA (SOSR 2016)", "fattree-cut", "packets dropped at all links of the fabric", "0",
          f"{CUT_RUNS} Buffers hold 1 MB.",
          tuple(Part(name, Limit(most=0), longest(each(drops, **CUT, **one), **CUT), counts)
                for name, one, counts in (("HULA", HULA, True),
                                          ("HULA as the module has it", OURS, False))) + tuple(
              Part(name, Shown(), longest(each(drops, **CUT, **one), **CUT), False)
              for name, one in (("ECMP", ECMP), ("CONGA'", PRIME))) + tuple(
              Part(f"{name}, windows without a limit", Shown(), longest(
                  each(drops, **CUT_UNLIMITED, **one), **CUT_UNLIMITED), False)
              for name, one in (("HULA", HULA), ("ECMP", ECMP)))),
    Claim("H15", "The same: HULA's queue is empty for 90 % of the time.", "HULA (SOSR 2016)",
          "fattree-cut", "bytes that wait behind the frame that is being sent, 90th percentile, "
          "the worst of the links that are left of that spine upwards and of that core down to "
          "the pod", "0", CUT_RUNS,
          tuple(Part(name, Limit(most=0),
                     longest(each(waits_behind("p90"), **CUT, **one), **CUT), counts)
                for name, one, counts in (("HULA", HULA, True),
                                          ("HULA as the module has it", OURS, False),
                                          ("CONGA'", PRIME, False), ("ECMP", ECMP, False)))),
)
