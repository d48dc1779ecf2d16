# SPDX-License-Identifier: GPL-2.0
"""What TR's paper claims (Journal of Cloud Computing, 2021): packet by packet to the
earliest uplink, in order, against LetFlow and who sprays packets or flows.
"""
import tables
from claim import CONGA, ECMP, MEAN, SMALL, Claim, Part
from measures import cell, each, quotient, ratios
from ranks import per_thousand
from tables import Tables, number
from verdict import Factor, Limit, Near, Shown

PAPER = "TR (J. Cloud Comp. 2021)"
LETFLOW, RPS, DRB, PRESTO = ({"scheme": name} for name in ("letflow", "rps", "drb", "presto"))
TR, SLOW, ALL_SHORT = ({"scheme": "tr", "params": text}
                       for text in ("", "rtt 500us", "short 16000000"))
REST = (ECMP, LETFLOW, CONGA, PRESTO, TR)   # beside RPS and DRB
WORKLOADS = {"websearch": "web search", "datamining": "data mining",
             "cachefollower": "cache follower", "webserver": "web server"}
NONE_LONG = ("webserver",)
MIDDLE, LONG, TAIL, GOODPUT = (cell(name) for name in (
    "middle_mean_fct_s", "long_mean_fct_s", "small_p99_fct_s", "long_goodput_bit_s"))

SMALL_NETWORK = {"scenario": "tr-micro", "workload": "websearch", "load": 0.5}
EQUAL = {**SMALL_NETWORK, "link_delays": ""}
RATIOS = {1.5: "25us", 2.5: "50us", 3.5: "75us"}    # of round trips -> delay of the longer links
MUCH = 2                # a collapse, of which no number is published
MODERATE = 1.25         # times the instructions, of which no number is published either
SHORT, SHORTS = 100_000, (10_000, 30_000, 300_000, 1_000_000)   # bytes

LARGE_RUNS = ("Two leaves of ten hosts instead of ten leaves, 5 to 10 ms. Hosts have 40 Gbit/s, "
              "round trips are 100 us, ports mark from 100 KB, data mining is capped at 30 MB: the "
              "text at hand does not say. Loads are 40 and 80 %, LetFlow's timeout is 500 us.")
SMALL_RUNS = ("Web search at 50 % for 0.15 s between two leaves of ten hosts; cubic, whose losses "
              "count as much as order does. Round trips are 100 us.")


def lower(part: float) -> float:
    """The factor of a completion time that is lower by this part."""
    return 1 / (1 - part)


def longer(ratio: float) -> dict:
    """Half of the paths of the small network have round trips so many times as long."""
    words = " ".join(f"spine{spine}={RATIOS[ratio]}" for spine in range(5, 10))
    return {**SMALL_NETWORK, "link_delays": words}


def together(measures: dict):
    """One measure of several, whose points have their names."""
    def measure(found: Tables) -> dict:
        return {f"{name} {point}".strip(): by_seed for name, one in measures.items()
                for point, by_seed in one(found).items()}
    return measure


def by_workload(quantity, rule, without: tuple = ()) -> tuple:
    return tuple(Part(f"{title}: LetFlow / TR", rule, ratios(
        quantity, LETFLOW, TR, ("load",), scenario="tr", workload=name))
        for name, title in WORKLOADS.items() if name not in without)


def against_others(quantity, without: tuple = ()) -> tuple:
    """Context: the same of the other schemes; of short flows that count as active for 500 us
    instead of 150; and of flows that are all short, web search."""
    where = {"scenario": "tr", "workload": "websearch"}
    return tuple(Part(f"{title}: {one['scheme']} / TR", Shown(), ratios(
        quantity, one, TR, ("load",), scenario="tr", workload=name), False)
        for name, title in WORKLOADS.items() if name not in without
        for one in (ECMP, CONGA, PRESTO, RPS, DRB)) + (
            Part("web search, 80%: LetFlow / TR with rtt 500us", Shown(), ratios(
                quantity, LETFLOW, SLOW, **where, load=0.8), False),
            Part("web search: LetFlow / TR, all flows short", Shown(), ratios(
                quantity, LETFLOW, ALL_SHORT, ("load",), **where), False))


def behind(scheme: str):
    """Its mean FCT / the longest of all but RPS and DRB, by workload and load."""
    def measure(found: Tables) -> dict:
        rows = tables.matching(found.runs, {"scenario": "tr", "params": ""})
        points: dict = {}
        for (name, load, seed), runs in tables.split(rows, ("workload", "load", "seed")).items():
            fct = {name: number(run["mean_fct_s"])
                   for name, run in tables.by_column(runs, "scheme").items()}
            rest = [fct[one["scheme"]] for one in REST if one["scheme"] in fct]
            if scheme in fct and len(rest) == len(REST):
                point = f"{WORKLOADS[name]} {number(load):.0%}"
                points.setdefault(point, {})[seed] = fct[scheme] / max(rest)
        return points
    return measure


def long_flows(other: dict) -> dict:
    """{ratio: TR's throughput of long flows / the other's}"""
    where = {1: EQUAL, **{ratio: longer(ratio) for ratio in RATIOS}}
    return {f"{other['scheme']}, ratio {ratio:g}": ratios(GOODPUT, TR, other, **fabric)
            for ratio, fabric in where.items()}


def decline(one: dict, rule, counts: bool = False) -> Part:
    """Of long flows' throughput, by paths of which half are longer. The traces are the
    same."""
    far = longer(3.5)
    return Part(f"{one['scheme']}: equal paths / half of them 3.5 times as long", rule, ratios(
        GOODPUT, {**EQUAL, **one}, {**far, **one}), counts)


def overtaken(found: Tables, run: dict) -> float:
    return sum(number(row["overtook"]) for row in found.order.get(run["id"], [])) \
        if run["id"] in found.order else float("nan")


def overtook_of(cause: str):
    return lambda found, run: sum(number(row[cause]) for row in found.order.get(run["id"], []))


def out_of_order(one: dict) -> Part:
    return Part(f"{one['scheme']}: out of order at the receivers, per 1,000", Shown(),
                each(per_thousand("out_of_order"), **longer(3.5), **one), False)


def spent(case: str):
    """TR's / LetFlow's, as bench-cost counted."""
    def measure(found: Tables) -> dict:
        counts = {row["case"]: number(row["count"]) for row in found.cost}
        ends = [counts.get(f"{case}-{name}") for name in ("tr", "letflow")]
        return {case: {"": quotient(*ends)}} if all(ends) else {}
    return measure


CLAIMS = (
    Claim("T01", "Short flows (below 100 KB) take 20 % less with TR than with LetFlow.", PAPER,
          "tr", "mean FCT below 100 KB, LetFlow / TR", f"{lower(0.2):.3g}", LARGE_RUNS,
          by_workload(SMALL, Factor(lower(0.2))) + against_others(SMALL)),
    Claim("T02", "Long flows get up to 3.02 times the throughput.", PAPER, "tr-micro",
          "mean of size / FCT above 1 MB, TR / each other scheme, best point", "up to 3.02",
          f"{SMALL_RUNS} Against whom is not clear from the text at hand: here against any.",
          (Part("TR / other", Factor(3.02, up_to=True), together({
              name: one for other in (ECMP, LETFLOW, CONGA, PRESTO, RPS, DRB)
              for name, one in long_flows(other).items()})),)),
    Claim("T03", "RPS collapses for long flows where paths are not equally long.", PAPER,
          "tr-micro", "mean of size / FCT above 1 MB", "collapses",
          f"No number is published: half counts as a collapse. {SMALL_RUNS}",
          (decline(RPS, Factor(MUCH), True),
           *(decline(one, Shown()) for one in (DRB, PRESTO, ECMP, LETFLOW, CONGA, TR)))),
    Claim("T04", "TR never reorders.", PAPER, "tr-order",
          "packets of data from leaf 0 that came to leaf 1 before one that their flow had sent "
          "before", "0", f"Captured for 0.1 s (order.py). What receivers count has losses in it, "
          f"which is all that ECMP has. {SMALL_RUNS}",
          (Part("TR", Limit(most=0), each(overtaken, scenario="tr-order", **TR)),
           Part("TR, not explained by an error of TNL", Limit(most=0), each(
               overtook_of("unexplained"), scenario="tr-order", **TR), False),
           Part("TR, by what a spine told and was no more so", Shown(), each(
               overtook_of("stale"), scenario="tr-order", **TR), False),
           Part("ECMP", Limit(most=0), each(overtaken, scenario="tr-order", **ECMP), False, 1),
           Part("RPS", Shown(), each(overtaken, scenario="tr-order", **RPS), False, 1),
           *map(out_of_order, (TR, ECMP, LETFLOW, CONGA, PRESTO, RPS, DRB)))),
    Claim("T05", "100 KB is the best number of bytes from which on a flow is long.", PAPER,
          "tr-short", "mean FCT of others / of 100 KB, web search, 60 %", "more than 1",
          LARGE_RUNS,
          tuple(Part(f"{short // 1000} KB", Factor(), ratios(
              MEAN, {"params": f"short {short}"}, {"params": f"short {SHORT}"},
              scenario="tr-short", workload="websearch", load=0.6)) for short in SHORTS)),
    Claim("T06", "The tail of short flows is up to 50 % lower than with LetFlow.", PAPER, "tr",
          "99th percentile of FCT below 100 KB, LetFlow / TR, best point", "up to 2", LARGE_RUNS,
          (Part("LetFlow / TR", Factor(lower(0.5), up_to=True), ratios(
              TAIL, LETFLOW, TR, ("workload", "load"), scenario="tr")),)),
    Claim("T07", "Flows of 100 KB to 1 MB take 20 % less.", PAPER, "tr",
          "mean FCT from 100 KB to 1 MB, LetFlow / TR", f"{lower(0.2):.3g}", LARGE_RUNS,
          by_workload(MIDDLE, Factor(lower(0.2))) + against_others(MIDDLE)),
    Claim("T08", "Larger ones take 10 % less.", PAPER, "tr", "mean FCT above 1 MB, LetFlow / TR",
          f"{lower(0.1):.3g}", f"{LARGE_RUNS} Web server has none so large.",
          by_workload(LONG, Factor(lower(0.1)), NONE_LONG) + against_others(LONG, NONE_LONG)),
    Claim("T09", "RPS and DRB are worse than all the rest.", PAPER, "tr",
          "mean FCT of all transfers / the longest of ECMP, LetFlow, CONGA, Presto and TR",
          "more than 1", LARGE_RUNS,
          tuple(Part(name, Factor(), behind(name)) for name in ("rps", "drb"))),
    Claim("T10", "TR takes about 5 % more memory, and moderately more of the processor.", PAPER,
          "", "instructions per packet and bytes of a fabric, TR / LetFlow", "1.05; moderate",
          "By the cost bench. No number is published for the processor: a quarter more counts as "
          "moderate.",
          (*(Part(f"instructions, {case}", Limit(most=MODERATE), spent(case), fewest=1)
             for case in ("send-steady", "send-start")),
           Part("memory", Near(1.05), spent("memory"), fewest=1)),
          "make bench-cost"),
)
