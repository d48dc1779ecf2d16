# SPDX-License-Identifier: GPL-2.0
"""The figures of HULA, from the tables: each function returns SVG, or None without data."""
from typing import Callable

import claims
import claims_hula
import drawing
import measures
import tables
from claim import NORMALISED
from figure import (PERCENT, PERCENTILES, by_scheme, completion, draw, kept, of, over_seeds,
                    percent, queue_curves, relative, value_of)
from tables import Tables, number


def of_paper(found: Tables) -> Tables:
    """HULA by its paper's rule; the module's default would be another scheme."""
    return found._replace(runs=[run for run in found.runs if run["scheme"] != "hula"
                                or run["params"] == claims_hula.HULA["params"]])


def of_longest(found: Tables) -> Tables:
    """The longest runs, which decide: what a failed link costs grows with time."""
    lengths = tables.distinct(found.runs, "seconds")
    return found._replace(runs=tables.matching(found.runs, {"seconds": lengths[-1]})) \
        if lengths else found


def fat_tree(workload: str) -> Callable:
    where = {**claims_hula.HEALTHY, "workload": workload}
    return lambda found: completion(of_paper(found), f"fat tree, {workload}", **where)


def slow_probes(found: Tables) -> str | None:
    one = of(found, **{**claims_hula.CUT, **claims_hula.HULA, "load": (0.6, 0.9),
                       "options": (claims_hula.FLOWLETS, claims_hula.SLOW_PROBES)})
    series: dict = {}
    for (options,), runs in tables.split(one.runs, ("options",)).items():
        name = "2 ms" if "probe" in options else "200 us"
        series[name] = kept({percent(cells[0]): over_seeds(one, NORMALISED, some)
                             for cells, some in tables.split(runs, ("load",)).items()})
    return draw("probes' interval", [(drawing.curves, kept(series), "HULA, by the probes' interval",
                                      "load, %", "mean FCT / that of the idle network")])


def fat_tree_cut(found: Tables) -> str | None:
    one = of_longest(of(of_paper(found), **claims_hula.CUT))
    sizes = (("all", claims.MEAN), ("small", claims.SMALL), ("large", claims.LARGE),
             ("99th percentile", claims_hula.P99))
    against: dict = {}
    for name, quantity in sizes:
        for scheme, points in relative(one, quantity, "cut", lambda _text: name).items():
            against.setdefault(scheme, {}).update(points)
    waited = {percentile: {scheme: points["queue"] for scheme, points in by_scheme(
        one, measures.queue_next_to_failures(column), "cut", lambda _text: "queue").items()}
        for percentile, column in PERCENTILES}
    queues: dict = {}
    for percentile, points in waited.items():
        for scheme, point in points.items():
            queues.setdefault(scheme, {})[percentile] = point
    return draw("fat tree, one link removed", [
        (drawing.bars, against, "Completion times", "", "FCT / ECMP's"),
        (queue_curves, queues, "Links next to the one removed", "queue, KB",
         "% of the time at most")])


def link_down(found: Tables) -> str | None:
    one = of(of_paper(found), **claims_hula.DOWN)
    names = {str(claims_hula.SHORT): "short transfers", str(claims_hula.LONG): "long transfers"}
    lost, back = (by_scheme(one, claims_hula.failures(column), "piece", names.__getitem__)
                  for column in ("last_lost_s", "back_s"))
    return draw("link down", [
        (drawing.bars, lost, "Link down: last packet lost after", "", "ms"),
        (drawing.bars, back, "Link up: it carries again after", "", "ms")])


def probe_bytes(found: Tables) -> str | None:
    one = of(found, scenario="probes", options="probe 1ms")
    series: dict = {}
    for run in one.runs:
        for row in one.probes.get(run["id"], []):
            point = number(row["busiest_of_rate"]) * PERCENT
            series.setdefault(row["links"], {})[number(run["leaves"])] = value_of([point])
    return draw("probes", [(drawing.curves, kept(series), "Probes every 1 ms", "leaves",
                            "% of the busiest link")])
