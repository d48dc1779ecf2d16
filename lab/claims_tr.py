# SPDX-License-Identifier: GPL-2.0
"""What TR's paper claims (Journal of Cloud Computing, 2021): packet by packet to the
earliest uplink, in order, against LetFlow and who sprays packets or flows.
"""
import tables
from claim import CONGA, ECMP, MEAN, SMALL, Claim, Part
from measures import cell, each, quotient, ratios
from ranks import per_thousand
from tables import Tables, number
from verdict import Factor, Limit, Shown

PAPER = "TR (J. Cloud Comp. 2021)"
LETFLOW, RPS, DRB, PRESTO = ({"scheme": name} for name in ("letflow", "rps", "drb", "presto"))
TR, SLOW, ALL_SHORT = ({"scheme": "tr", "params": text}
                       for text in ("", "rtt 500us", "short 16000000"))
OTHERS = (ECMP, LETFLOW, CONGA, PRESTO, RPS, DRB)
WORKLOADS = {"websearch": "web search", "datamining": "data mining",
             "cachefollower": "cache follower", "webserver": "web server"}
NONE_LONG = ("webserver",)
MIDDLE, LONG, TAIL, GOODPUT = (cell(name) for name in (
    "middle_mean_fct_s", "long_mean_fct_s", "small_p99_fct_s", "long_goodput_bit_s"))
RESENT = per_thousand("retransmits")

SMALL_NETWORK = {"scenario": "tr-micro", "workload": "datamining"}
SMALL_TR = {"scheme": "tr", "params": "rtt 200us"}      # the round trip of that network
TCPS = {"ns2": "", "linux": ", Linux's TCP"}    # the first is the paper's
EQUAL = {"link_delays": ""}
RATIOS = {3.5: "150us"}     # of round trips -> delay of the longer links
FAR = 3.5
MUCH = 2                # a collapse, of which no number is published
MODERATE = 1.25         # times the instructions, of which no number is published either
BOX_KB, BOX_PART = 1024 * 1024, 5       # memory of a small switch; TR's part of it in %
SHORT, SHORTS = 100_000, (10_000, 50_000, 500_000, 1_000_000)   # bytes

DETAILS = ("Hosts have 40 Gbit/s, and ns-2's TCP with DCTCP; ports mark from 100 KB, which the "
           "paper does not say.")
LARGE_RUNS = ("Loads are 60 and 80 %, and LetFlow's timeout is 500 us. The full form has 3,000 "
              "flows of web search instead of 50,000, 1,000 of data mining, 5,000 of cache "
              "follower, and 50,000 of web server; the reduced one, in which the other schemes "
              f"are, two leaves and 5 to 10 ms. {DETAILS}")
SMALL_RUNS = ("100 flows of data mining, whose load is within half of 30 %; DCTCP, ports mark from "
              "20 packets. Hosts have ns-2's TCP; the same with Linux's is shown.")


def lower(part: float) -> float:
    """The factor of a completion time that is lower by this part."""
    return 1 / (1 - part)


def longer(ratio: float) -> dict:
    """Half of the paths of the small network have round trips so many times as long."""
    return {"link_delays": " ".join(f"spine{spine}={RATIOS[ratio]}" for spine in range(5, 10))}


def small(tcp: str = "ns2", **where) -> dict:
    return {**SMALL_NETWORK, "tcp": tcp, **where}


def together(measures: dict):
    """One measure of several, whose points have their names."""
    def measure(found: Tables) -> dict:
        return {f"{name} {point}".strip(): by_seed for name, one in measures.items()
                for point, by_seed in one(found).items()}
    return measure


def against_letflow(quantity, published: float, without: tuple = ()) -> tuple:
    """The paper has one number for all: judged is the mean over workloads and loads, and each
    workload is shown."""
    names = {name: title for name, title in WORKLOADS.items() if name not in without}
    return (Part("LetFlow / TR", Factor(published), ratios(
        quantity, LETFLOW, TR, ("workload", "load"), scenario="tr", workload=tuple(names))),
            *(Part(f"{title}: LetFlow / TR", Factor(published), ratios(
                quantity, LETFLOW, TR, ("load",), scenario="tr", workload=name), False)
              for name, title in names.items()))


def against_others(quantity, without: tuple = ()) -> tuple:
    """Context: the same of the other schemes; of short flows that count as active for 500 us
    instead of 150; and of flows that are all short, web search."""
    where = {"scenario": "tr", "workload": "websearch"}
    return tuple(Part(f"{title}: {one['scheme']} / TR", Shown(), ratios(
        quantity, one, TR, ("load",), scenario="tr", workload=name), False)
        for name, title in WORKLOADS.items() if name not in without
        for one in OTHERS if one is not LETFLOW) + (
            Part("web search, 80%: LetFlow / TR with rtt 500us", Shown(), ratios(
                quantity, LETFLOW, SLOW, **where, load=0.8), False),
            Part("web search: LetFlow / TR, all flows short", Shown(), ratios(
                quantity, LETFLOW, ALL_SHORT, ("load",), **where), False))


def any_other(quantity):
    """{scheme, workload and load: its time / TR's}"""
    return together({one["scheme"]: ratios(quantity, one, TR, ("workload", "load"), scenario="tr")
                     for one in OTHERS})


# ---- the small network ----

def schemes(found: Tables, tcp: str, quantity, **where) -> dict:
    """{seed: {scheme: the quantity}} of the seeds that all schemes have."""
    rows = tables.matching(found.runs, small(tcp, **where))
    by_seed = {}
    for (seed,), runs in tables.split(rows, ("seed",)).items():
        of_all = {name: quantity(found, run)
                  for name, run in tables.by_column(runs, "scheme").items()}
        if {one["scheme"] for one in (*OTHERS, SMALL_TR)} <= set(of_all):
            by_seed[seed] = of_all
    return by_seed


def below_the_rest(scheme: str, tcp: str, quantity=GOODPUT):
    """The least of all schemes but RPS and DRB / the scheme's."""
    def measure(found: Tables) -> dict:
        return {"": {seed: min(x for name, x in of_all.items() if name not in ("rps", "drb"))
                     / of_all[scheme]
                     for seed, of_all in schemes(found, tcp, quantity, **longer(FAR)).items()}}
    return measure


def above_the_rest(scheme: str, tcp: str):
    """The scheme's mean FCT / the longest of all but RPS and DRB."""
    return below_the_rest(scheme, tcp, lambda found, run: 1 / MEAN(found, run))


def worst_of_all(tcp: str, counts: bool) -> tuple:
    parts = [Part(f"{name}: the least of the others / its throughput{TCPS[tcp]}", Factor(),
                  below_the_rest(name, tcp), counts) for name in ("rps", "drb")]
    parts.append(Part(f"drb / rps{TCPS[tcp]}", Factor(), ratios(
        GOODPUT, DRB, RPS, **small(tcp, **longer(FAR))), counts))
    return (*parts, *(Part(f"{name}: mean FCT / the longest of the others{TCPS[tcp]}", Factor(),
                           above_the_rest(name, tcp), False) for name in ("rps", "drb")))


def long_flows(tcp: str):
    """{scheme, ratio: TR's throughput of long flows / the scheme's}"""
    where = {1: EQUAL, **{ratio: longer(ratio) for ratio in RATIOS}}
    return together({f"{one['scheme']}, ratio {ratio:g}":
                     ratios(GOODPUT, SMALL_TR, one, **small(tcp, **fabric))
                     for one in OTHERS for ratio, fabric in where.items()})


def decline(one: dict, rule, tcp: str = "ns2", counts: bool = False) -> Part:
    """Of long flows' throughput, by paths of which half are longer. The traces are the
    same."""
    return Part(f"{one['scheme']}: equal paths / half of them {FAR} times as long{TCPS[tcp]}",
                rule, ratios(GOODPUT, {**EQUAL, **one}, {**longer(FAR), **one}, **small(tcp)),
                counts)


def resent(one: dict, tcp: str, rule, counts: bool = False) -> Part:
    return Part(f"{one['scheme']}: retransmitted, per 1,000 segments{TCPS[tcp]}", rule,
                each(RESENT, ("link_delays",), **small(tcp), **one), counts)


def overtaken(found: Tables, run: dict) -> float:
    return sum(number(row["overtook"]) for row in found.order.get(run["id"], [])) \
        if run["id"] in found.order else float("nan")


def overtook_of(cause: str):
    return lambda found, run: sum(number(row[cause]) for row in found.order.get(run["id"], []))


def spent(case: str):
    """TR's / LetFlow's, as bench-cost counted."""
    def measure(found: Tables) -> dict:
        counts = {row["case"]: number(row["count"]) for row in found.cost}
        ends = [counts.get(f"{case}-{name}") for name in ("tr", "letflow")]
        return {case: {"": quotient(*ends)}} if all(ends) else {}
    return measure


def of_the_box(found: Tables) -> dict:
    """TR's memory of a million flows, in % of a small switch's."""
    kilobytes = [number(row["count"]) for row in found.cost if row["case"] == "memory-tr"]
    return {"a million flows": {"": 100 * kilobytes[0] / BOX_KB}} if kilobytes else {}


CLAIMS = (
    Claim("T01", "Short flows (below 100 KB) take 20 % less with TR than with LetFlow.", PAPER,
          "tr", "mean FCT below 100 KB, LetFlow / TR, mean of four workloads",
          f"{lower(0.2):.3g}", LARGE_RUNS,
          against_letflow(SMALL, lower(0.2)) + against_others(SMALL)),
    Claim("T02", "Long flows get up to 3.02 times the throughput.", PAPER, "tr-micro",
          "mean of size / FCT above 1 MB, TR / each other scheme, best point", "up to 3.02",
          SMALL_RUNS,
          tuple(Part(f"TR / other{name}", Factor(3.02, up_to=True), long_flows(tcp), not name)
                for tcp, name in TCPS.items())),
    Claim("T03", "RPS collapses for long flows where paths are not equally long.", PAPER,
          "tr-micro", "mean of size / FCT above 1 MB", "collapses",
          f"No number is published: half counts as a collapse. {SMALL_RUNS}",
          (decline(RPS, Factor(MUCH), counts=True), decline(RPS, Factor(MUCH), "linux"),
           *(decline(one, Shown()) for one in (DRB, PRESTO, ECMP, LETFLOW, CONGA, SMALL_TR)))),
    Claim("T04", "TR never reorders: it retransmits nothing.", PAPER, "tr-micro",
          "segments that were sent again, of 1,000", "0",
          f"Packets that overtook one of their flow (tr-order, 0.1 s, order.py) are shown: TCP "
          f"bears with two. {SMALL_RUNS}",
          (resent(SMALL_TR, "ns2", Limit(most=0), True), resent(SMALL_TR, "linux", Limit(most=0)),
           *(resent(one, tcp, Shown()) for tcp in TCPS for one in OTHERS),
           Part("TR: packets that overtook", Limit(most=0), each(
               overtaken, scenario="tr-order", **TR), False),
           Part("TR, not explained by an error of TNL", Limit(most=0), each(
               overtook_of("unexplained"), scenario="tr-order", **TR), False),
           Part("TR, by what a spine told and was no more so", Shown(), each(
               overtook_of("stale"), scenario="tr-order", **TR), False),
           Part("ECMP: packets that overtook", Limit(most=0), each(
               overtaken, scenario="tr-order", **ECMP), False, 1),
           Part("RPS: packets that overtook", Shown(), each(
               overtaken, scenario="tr-order", **RPS), False, 1))),
    Claim("T05", "100 KB is the best number of bytes from which on a flow is long.", PAPER,
          "tr-short", "mean FCT of others / of 100 KB, mean of four workloads, 30 %",
          "more than 1", "The small network with 10 Gbit/s, half of the paths 3.5 times as long. "
          f"Data mining has 100 flows instead of 1,000. {DETAILS}",
          tuple(Part(f"{short // 1000} KB", Factor(), ratios(
              MEAN, {"params": f"rtt 200us short {short}"}, {"params": f"rtt 200us short {SHORT}"},
              ("workload",), scenario="tr-short")) for short in SHORTS)),
    Claim("T06", "The tail of short flows is up to 50 % lower than with LetFlow.", PAPER, "tr",
          "99th percentile of FCT below 100 KB, LetFlow / TR, best point", "up to 2", LARGE_RUNS,
          (Part("LetFlow / TR", Factor(lower(0.5), up_to=True), ratios(
              TAIL, LETFLOW, TR, ("workload", "load"), scenario="tr")),)),
    Claim("T07", "Flows of 100 KB to 1 MB take 20 % less.", PAPER, "tr",
          "mean FCT from 100 KB to 1 MB, LetFlow / TR, mean of four workloads",
          f"{lower(0.2):.3g}", LARGE_RUNS,
          against_letflow(MIDDLE, lower(0.2)) + against_others(MIDDLE)),
    Claim("T08", "Larger ones take 10 % less.", PAPER, "tr", "mean FCT above 1 MB, LetFlow / TR, "
          "mean of three workloads", f"{lower(0.1):.3g}",
          f"{LARGE_RUNS} Web server has none so large.",
          against_letflow(LONG, lower(0.1), NONE_LONG) + against_others(LONG, NONE_LONG)),
    Claim("T09", "RPS and DRB are worse than all the rest, and DRB a little better than RPS.",
          PAPER, "tr-micro", "mean of size / FCT above 1 MB, half of the paths 3.5 times as long: "
          "the least of ECMP, LetFlow, CONGA, Presto and TR / that of RPS and DRB; DRB / RPS",
          "more than 1", SMALL_RUNS,
          worst_of_all("ns2", True) + worst_of_all("linux", False)),
    Claim("T10", "TR takes about 5 % of a switch's memory, and moderately more of the processor.",
          PAPER, "", "KB of a million flows / memory of a box; instructions per packet, TR / "
          "LetFlow", "5 %; moderate", "By the cost bench. A box is taken to have 1 GB, and at most "
          "5 % of it counts. No number is published for the processor, whose use the paper "
          "measured while its workloads ran: a quarter more counts as moderate, for a packet of a "
          "flow in progress, as nearly all are. One that starts a flow is shown.",
          (*(Part(f"instructions, {case}", Limit(most=MODERATE), spent(case), counts, fewest=1)
             for case, counts in (("send-steady", True), ("send-start", False))),
           Part("memory, % of 1 GB", Limit(most=BOX_PART), of_the_box, fewest=1)),
          "make bench-cost"),
    Claim("T11", "Short flows take up to 60 % less with TR, and their tail up to 80 % (abstract).",
          PAPER, "tr", "mean and 99th percentile of FCT below 100 KB, each other scheme / TR, best "
          "point", f"up to {lower(0.6):.3g}; up to {lower(0.8):.3g}", LARGE_RUNS,
          (Part("mean: other / TR", Factor(lower(0.6), up_to=True), any_other(SMALL)),
           Part("tail: other / TR", Factor(lower(0.8), up_to=True), any_other(TAIL)))),
)
