# SPDX-License-Identifier: GPL-2.0
"""The figures of TR, from the tables: each function returns SVG, or None without data."""
from typing import Callable

import claims
import claims_tr
import drawing
import measures
import ranks
import tables
from drawing import Value
from figure import TALLER, by_scheme, draw, kept, of, percent, schemes_of, value_of
from tables import Tables, number

TR_SIZES = (("small", claims.SMALL), ("small, p99", claims_tr.TAIL),
            ("middle", claims_tr.MIDDLE), ("long", claims_tr.LONG), ("all", claims.MEAN))


def over_letflow(found: Tables, runs: list[dict]) -> dict:
    """{scheme: {size: Value of its FCT / LetFlow's, seed by seed}}"""
    series = {}
    for scheme in schemes_of(found):
        if scheme != "letflow":
            series[scheme] = kept({name: value_of(measures.compared(
                found, runs, quantity, {"scheme": scheme}, claims_tr.LETFLOW).values())
                for name, quantity in TR_SIZES})
    return kept(series)


def tr_sizes(workload: str) -> Callable:
    def figure(found: Tables) -> str | None:
        one = of(found, scenario="tr", workload=workload, params="")
        return draw(f"TR, {workload}", [
            (drawing.bars, over_letflow(one, runs), f"Load {percent(load):g} %", "",
             "FCT / LetFlow's") for (load,), runs in tables.split(one.runs, ("load",)).items()])
    return figure


def tr_ratio(text: str) -> float:
    """Of round trips, from the delays of links."""
    return {f"spine5={delay}": ratio for ratio, delay in claims_tr.RATIOS.items()}.get(
        text.split(" ", maxsplit=1)[0], 1)


def tr_micro(found: Tables) -> str | None:
    one = of(found, **claims_tr.small())
    goodput, order = (by_scheme(one, quantity, "link_delays", tr_ratio)
                      for quantity in (claims_tr.GOODPUT, ranks.per_thousand("out_of_order")))
    goodput = {scheme: {ratio: Value(*(x / 1e6 for x in point))
                        for ratio, point in points.items()} for scheme, points in goodput.items()}
    x = "round trips of half of the paths / others'"
    return draw("TR, small network", [
        (drawing.curves, {scheme: dict(sorted(points.items())) for scheme, points in each.items()},
         title, x, y) for each, title, y in (
            (goodput, "Transfers above 1 MB", "Mbit/s"),
            (order, "Out of order at the receivers", "per 1,000 segments"))])


def tr_short(found: Tables) -> str | None:
    one = of(found, scenario="tr-short")
    base = {"params": f"rtt 200us short {claims_tr.SHORT}"}
    series = {workload: kept({f"{int(params.split()[-1]) // 1000} KB": value_of(measures.compared(
        one, runs, claims.MEAN, {"params": params}, base).values())
        for params in sorted({run["params"] for run in runs},
                             key=lambda text: int(text.split()[-1]))})
              for (workload,), runs in tables.split(one.runs, ("workload",)).items()}
    return draw("TR, short flows", [(drawing.bars, kept(series), "", "",
                                     "mean FCT / that of 100 KB")])


def tr_unequal(found: Tables) -> str | None:
    """Model and measurement, a panel for each."""
    panels = []
    for column, title, y in (("share", "Leaf 0's bytes by the loaded spines", "part"),
                             ("wait_us", "Wait of its packets at spines", "us")):
        series: dict = {}
        for row in found.unequal:
            other, own = (word.split(":")[1].removesuffix("gbit")
                          for word in row["demands"].split())
            for kind, name in (("model", f"model_{column}"), ("measured", column)):
                series.setdefault(kind, {})[f"{other} + {own}: {row['scheme']}"] = \
                    value_of([number(row[name])])
        panels.append((drawing.bars, {name: kept(points) for name, points in series.items()},
                       title, "", y))
    return draw("unequal load", panels, TALLER) if found.unequal else None
