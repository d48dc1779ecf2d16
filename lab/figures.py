# SPDX-License-Identifier: GPL-2.0
"""The figures of CONGA and of all schemes, from the tables: each function returns SVG, or None
without data."""
import re
from typing import Callable

import claims
import claims_mptcp
import drawing
import keys
import measures
import ranks
import reaction
import settings
import stability
import tables
from claim import NORMALISED
from figure import (KB, MB, NARROW, PERCENT, PERCENTILES, TALL, WIDE, by_scheme, completion, draw,
                    kept, of, over_seeds, percent, queue_curves, schemes_of, value_of)
from tables import Tables, number

BYTE_PERCENTILES = (10, 25, 50, 75, 90)


# ---- Figures 2, 3, 5 ----

def figure2(found: Tables) -> str | None:
    one = of(found, **claims.FIGURE_2)
    series = by_scheme(one, measures.delivered(*claims.INTO_LEAF_1), "demands",
                       lambda _text: "demand of 100")
    parts = by_scheme(one, measures.share("leaf0.up0", "leaf0.up1"), "demands",
                      lambda _text: "demand of 100")
    return draw("figure 2", [
        (drawing.bars, series, "Throughput", "", "Gbit/s with headers"),
        (drawing.bars, parts, "Sent by spine 0 (the wider way)", "", "part of leaf 0's bytes")])


def figure3(found: Tables) -> str | None:
    one = of(found, scenario="fig3", buffer=8 * MB)

    def name(text: str) -> str:
        return "(a) alone" if text == claims.ALONE["demands"] else "(b) with leaf 0"
    series = by_scheme(one, measures.delivered(*claims.INTO_LEAF_2), "demands", name)
    parts = by_scheme(one, measures.share("leaf1.up1", "leaf1.up0"), "demands", name)
    return draw("figure 3", [
        (drawing.bars, series, "Throughput into leaf 2", "", "Gbit/s with headers"),
        (drawing.bars, parts, "Sent by spine 1", "", "part of leaf 1's bytes")])


def sizes_of_gap(found: Tables, gap: int) -> dict:
    """{percent of bytes: Value of the size}"""
    rows = [row for run in found.runs for row in found.flowlets.get(run["id"], [])
            if tables.equal(row["gap_us"], gap)]
    return kept({percent: value_of(number(row[f"bytes_p{percent}"]) for row in rows)
                 for percent in BYTE_PERCENTILES})


def byte_curves(axes, series: dict) -> None:
    for position, (name, points) in enumerate(series.items()):
        values = list(points.values())
        axes.errorbar([one.mean for one in values], list(points), xerr=drawing.errors(values),
                      label=name, color=drawing.OTHERS[position], marker="o",
                      capsize=drawing.CAP, elinewidth=0.8)
    axes.set_xscale("log")
    axes.set_ylim(0, PERCENT)
    drawing.legend(axes)


def figure5(found: Tables) -> str | None:
    panels = []
    for how, title in ((claims.PAUSES, "64 KB after 64 KB, pauses of 500 us"),
                       (claims.AT_ONCE, "Transfers at once")):
        one = of(found, scenario="fig5", gso=claims.LATE_BURST, **how)
        series = {f"{gap / 1000:g} ms": sizes_of_gap(one, gap) for gap in (250_000, 500, 100)}
        panels.append((byte_curves, kept(series), title, "size, bytes", "% of bytes"))
    return draw("figure 5", panels)


# ---- Figures 9 to 11 ----

def figure9(found: Tables) -> str | None:
    return completion(found, "figure 9", scenario="fig9")


def figure10(found: Tables) -> str | None:
    return completion(found, "figure 10", scenario="fig10")


def figure11(workload: str) -> Callable:
    return lambda found: completion(found, f"figure 11, {workload}", **claims.FIGURE_11_MPTCP,
                                    workload=workload)


def headline(found: Tables) -> str | None:
    """Mean FCT over the length of a run, of schemes that ran for several lengths."""
    def milliseconds(_found: Tables, run: dict) -> float:
        return number(run["mean_fct_s"]) * 1000

    panels = []
    for workload, title in claims.WORKLOADS.items():
        one = of(found, **claims.AT_LENGTH, workload=workload, load=0.6)
        series = by_scheme(one, milliseconds, "seconds", number)
        panels.append((drawing.steep_curves, {name: points for name, points in series.items()
                                              if len(points) > 1}, title,
                       "length of the run, s", "mean FCT, ms"))
    return draw("mean FCT over the length of a run", panels)


def queue_points(found: Tables, link: str) -> dict:
    """{scheme: {kB: percentile}}"""
    series = {}
    for scheme in schemes_of(found):
        runs = tables.matching(found.runs, {"scheme": scheme})
        series[scheme] = kept({p: over_seeds(found, measures.queue(link, column), runs)
                               for p, column in PERCENTILES})
    return kept(series)


def hotspots(found: Tables, *several: dict) -> str | None:
    """A panel for each workload of these runs."""
    panels = []
    for workload in claims.WORKLOADS:
        for where in several:
            one = of(found, **where, workload=workload, load=0.6)
            panels.append((queue_curves, queue_points(one, claims.REST),
                           claims.WORKLOADS[workload], "queue, KB", "% of the time at most"))
    return draw("queue of the link that is left", panels)


def hotspot(found: Tables) -> str | None:
    """Of the longest runs, and of those with MPTCP."""
    return hotspots(found, {**claims.AT_LENGTH, **claims.LATER}, claims.FIGURE_11_MPTCP)


def headline_queue(found: Tables) -> str | None:
    return hotspots(found, {**claims.AT_LENGTH, **claims.LATER})


# ---- Figures 12 to 16 ----

def figure12(found: Tables) -> str | None:
    panels = []
    for workload, title in claims.WORKLOADS.items():
        one = of(found, scenario="fig12", workload=workload)
        series = {scheme: sorted(x for run in tables.matching(one.runs, {"scheme": scheme})
                                 for x in measures.imbalances(one, run))
                  for scheme in schemes_of(one)}
        panels.append((drawing.steps, kept(series), title, "(maximum - minimum) / mean",
                       "part of all 10 ms"))
    return draw("figure 12", panels)


def figure13(found: Tables) -> str | None:
    panels = []
    for mtu in (1500, 9000):
        one = of(found, **claims_mptcp.INCAST, mtu=mtu)
        panels.append((drawing.curves, by_scheme(one, measures.client_gbits, "servers", number),
                       f"MTU {mtu}", "servers", "Gbit/s at the client"))
    return draw("figure 13", panels)


def figure14(found: Tables) -> str | None:
    one = of(found, scenario="fig14")
    job, block = (by_scheme(one, quantity, "cut",
                            lambda text: "one link failed" if text else "healthy")
                  for quantity in (claims.JOB, claims.BLOCK))
    return draw("figure 14", [(drawing.bars, job, "HDFS write job", "", "seconds"),
                              (drawing.bars, block, "A block of it, mean", "", "seconds")])


def oversubscription(run: dict) -> str:
    into = number(run["hosts"]) * number(run["host_rate"].removesuffix("bit"))
    out = number(run["spines"]) * number(run["links"]) \
        * number(run["link_rate"].removesuffix("bit"))
    return f"{into / out:.2g}:1"


def figure15(found: Tables) -> str | None:
    one = of(found, scenario="fig15")
    points = {}
    columns = ("workload", "host_rate", "spines", "load")
    for (workload, rate, _, load), runs in tables.split(one.runs, columns).items():
        hosts = f"{number(rate.removesuffix('bit')) / 1e9:g}G"
        name = f"{claims.WORKLOADS[workload]}, {oversubscription(runs[0])}, {hosts}, " \
               f"{percent(load):g}%"
        points[name] = value_of(measures.compared(one, runs, claims.MEAN, claims.CONGA,
                                                  claims.ECMP).values())
    return draw("figure 15", [(drawing.lying_ratios, kept(points), "",
                               "mean FCT of CONGA / ECMP's", "")], TALL)


def figure16(found: Tables) -> str | None:
    one = of(found, scenario="fig16")
    series: dict = {}
    for run in one.runs:
        for link in measures.links_next_to_failures(run):
            series.setdefault(run["scheme"], {}).setdefault(link, []).append(
                measures.queue(link, "mean")(one, run) / KB)
    series = kept({scheme: kept({link.replace("spine", "").replace(".down", "-"):
                                 value_of(numbers) for link, numbers in links.items()})
                   for scheme, links in sorted(series.items(), reverse=True)})
    return draw("figure 16", [(drawing.bars, series, "Ports next to failed links",
                               "spine - leaf . link", "mean queue, KB")])


# ---- Sections 3.6 and 7, and beyond ----

def sweep(found: Tables) -> str | None:
    one = of(found, **claims.SWEEP)
    points = {}
    for (options,), runs in tables.split(tables.matching(one.runs, claims.CONGA),
                                         ("options",)).items():
        base = tables.matching(one.runs, claims.DEFAULT)
        if options and base:
            both = runs + base
            points[options] = value_of(measures.compared(
                one, both, claims.MEAN, {"options": options}, {"options": ""}).values())
    ecmp = measures.compared(one, one.runs, claims.MEAN, claims.ECMP, claims.DEFAULT)
    points["(ECMP)"] = value_of(ecmp.values())
    return draw("sweep", [(drawing.lying_ratios, kept(points), "",
                           "mean FCT / that of the defaults", "")], TALL)


def mixed_name(run: dict) -> str:
    if run["leaf_schemes"]:
        return f"leaves {run['leaf_schemes']}"
    if run["unmarked_spines"]:
        return f"spines without: {run['unmarked_spines']}"
    if number(run["foreign_hosts"]):
        return f"{run['foreign_hosts']} foreign hosts of a leaf"
    return "CONGA everywhere"


def relative_to_ecmp(found: Tables, name: Callable, **where) -> dict:
    """{name of the run: Value of its mean FCT / that of ECMP on its trace}"""
    one = of(found, **where)
    base = tables.by_column(tables.matching(one.runs, claims.ECMP), "trace")
    groups: dict = {}
    for run in tables.matching(one.runs, claims.CONGA):
        groups.setdefault(name(run), []).append(run)
    return kept({group: value_of(number(run["mean_fct_s"])
                                 / number(base[run["trace"]]["mean_fct_s"])
                                 for run in runs if run["trace"] in base)
                 for group, runs in groups.items()})


def mixed(found: Tables) -> str | None:
    points = relative_to_ecmp(found, mixed_name, scenario="mixed")
    return draw("mixed", [(drawing.lying_ratios, points, "", "mean FCT / ECMP's", "")])


def three_tier(found: Tables) -> str | None:
    points = relative_to_ecmp(found, lambda run: run["options"], **claims.THREE_TIERS)
    return draw("three tiers", [(drawing.lying_ratios, points, "", "mean FCT / ECMP's", "")],
                drawing.HEIGHT / 2)


def schemes(*fabrics: ranks.Fabric) -> Callable:
    """A panel for each fabric, with the schemes one below the other, the best first."""
    def figure(found: Tables) -> str | None:
        panels = []
        for fabric in fabrics:
            some = tables.split(ranks.runs_of(found, fabric), ("scheme",))
            points = {name: over_seeds(found, measures.cell("normalised_fct"), some[(name,)])
                      for name in keys.SCHEMES if (name,) in some}
            best = dict(sorted(kept(points).items(), key=lambda one: one[1].mean))
            panels.append((drawing.lying_bars, best, fabric.name, "mean FCT / idle", ""))
        return draw(f"schemes, {', '.join(fabric.name for fabric in fabrics)}", panels,
                    width=NARROW)
    return figure


def overload(found: Tables) -> str | None:
    return reaction.draw(list(map(reaction.of_cells, found.reaction))) if found.reaction else None


def stable(found: Tables) -> str | None:
    return stability.stability_map(found.step, found.step_series)


def step_responses(found: Tables) -> str | None:
    return stability.over_time(found.step, found.step_series)


def grey_name(run: dict) -> str:
    hello = re.match(r"hello (\S+)", run["options"])
    if not hello:
        return run["scheme"]
    return "no hellos" if hello[1] == "off" else f"hellos, {hello[1]}"


STEPS = 25      # of a curve, so that each can be seen


def to_silent_spine(found: Tables) -> dict:
    """{what: {ms: Value of Gbit/s}}, the mean of each step but the first, in which it forwards"""
    series: dict = {}
    for run in found.runs:
        rows = [row for row in found.throughput.get(run["id"], []) if row["link"] == "leaf0.up0"]
        step = max((number(row["start_ms"]) for row in rows), default=0) / STEPS or 1
        means: dict = {}
        for row in rows:
            means.setdefault(number(row["start_ms"]) // step * step, []).append(
                number(row["gbit_per_s"]))
        for start, rates in list(means.items())[1:]:
            series.setdefault(grey_name(run), {}).setdefault(round(start), []).append(
                sum(rates) / len(rates))
    return kept({name: {x: drawing.value(numbers) for x, numbers in sorted(points.items())}
                 for name, points in series.items()})


def grey(found: Tables) -> str | None:
    one = of(found, scenario="grey")
    fct = {name: over_seeds(one, claims.MEAN, [run for run in one.runs if grey_name(run) == name])
           for name in dict.fromkeys(map(grey_name, one.runs))}
    return draw("grey", [
        (drawing.lying_bars, dict(sorted(kept(fct).items(), key=lambda one: one[1].mean)),
         "All transfers", "mean FCT, s", ""),
        (drawing.curves, to_silent_spine(one), "To the silent spine, from leaf 0", "ms",
         "Gbit/s")])


def frames_name(run: dict) -> str:
    where = "hdfs" if run["pattern"] == "hdfs" else claims.WORKLOADS[run["workload"]]
    leaves = "" if run["leaves"] == "2" else f", {run['leaves']} leaves"
    fabric = ", three tiers" if number(run["pods"]) > 1 else leaves
    return f"{where}{fabric}, {'link failed' if run['cut'] else 'healthy'}"


def frames(found: Tables) -> str | None:
    """ECMP / CONGA, with frames of either size, one below the other."""
    one = of(found, scenario="frames")
    groups: dict = {}
    for run in one.runs:
        groups.setdefault((frames_name(run), run["mtu"]), []).append(run)
    points = {f"{name}: {mtu}": value_of(measures.compared(
        one, runs, claims.MEAN, claims.ECMP, claims.CONGA).values())
        for (name, mtu), runs in sorted(groups.items())}
    return draw("frames", [(drawing.lying_bars, kept(points), "", "ECMP / CONGA", "")],
                TALL, WIDE)


def congestion(found: Tables) -> str | None:
    one = of(found, scenario="congestion")
    series = {}
    for (gso,), runs in tables.split(one.runs, ("gso",)).items():
        name = "packet by packet" if gso == "1500" else "hosts that segment late"
        series[name] = kept({cells[0]: over_seeds(one, measures.flowlets_per_megabyte, some)
                             for cells, some in tables.split(runs, ("congestion",)).items()})
    return draw("congestion", [(drawing.bars, kept(series), "Flowlets", "",
                                "flowlets started per MB")])


# ---- scenarios that no figure is about ----

def of_scenario(name: str) -> Callable:
    """Mean FCT by scheme: over the one setting in which runs differ, if it is a number, or else a
    group of bars for each combination of settings."""
    def figure(found: Tables) -> str | None:
        one = of(found, scenario=name)
        columns = settings.varied(one.runs)
        scale = len(columns) == 1 and settings.is_scale(one.runs, columns[0])
        series: dict = {}
        for run in one.runs:
            place = number(run[columns[0]]) if scale else settings.case(run, columns)
            series.setdefault(settings.variant(run), {}).setdefault(place, []).append(run)
        points = kept({scheme: kept({place: over_seeds(one, NORMALISED, runs) for place, runs in
                                     sorted(places.items())})
                       for scheme, places in series.items()})
        return draw(name, [(drawing.curves if scale else drawing.bars, points, name,
                            columns[0] if scale else "", "mean FCT / that of the idle network")],
                    width=WIDE)
    return figure
