# SPDX-License-Identifier: GPL-2.0
"""What the figures have in common: values over seeds, and how panels are drawn."""
from typing import Callable, Iterable

import claims
import drawing
import keys
import measures
import tables
from claim import NORMALISED
from drawing import Value
from measures import Quantity
from tables import FORMS, Tables, number

PERCENTILES = ((50, "p50"), (90, "p90"), (95, "p95"), (99, "p99"), (100, "max"))
KB, MB, PERCENT = 1e3, 1e6, 100
TALL, TALLER, NARROW, WIDE = 3.4, 4.4, 2.2, 5   # inches


def of(found: Tables, **where) -> Tables:
    """One form of a scenario's runs: that with the most of them."""
    forms = [found._replace(runs=tables.matching(tables.of_form(found, form).runs, where))
             for form in FORMS]
    return max(forms, key=lambda one: len(one.runs))


def value_of(numbers: Iterable[float]) -> Value | None:
    kept = [x for x in numbers if x == x]
    return drawing.value(kept) if kept else None


def over_seeds(found: Tables, quantity: Quantity, runs: list[dict]) -> Value | None:
    return value_of(quantity(found, run) for run in tables.shortest(runs))


def schemes_of(found: Tables) -> list[str]:
    return [name for name in keys.SCHEMES if any(run["scheme"] == name for run in found.runs)]


def kept(points: dict) -> dict:
    return {name: point for name, point in points.items() if point}


def by_scheme(found: Tables, quantity: Quantity, column: str,
              name: Callable = lambda text: text) -> dict:
    """{scheme: {name of the column's cell: Value}}"""
    series = {}
    for scheme in schemes_of(found):
        split = tables.split(tables.matching(found.runs, {"scheme": scheme}), (column,))
        series[scheme] = kept({name(cells[0]): over_seeds(found, quantity, runs)
                               for cells, runs in split.items()})
    return kept(series)


def relative(found: Tables, quantity: Quantity, column: str, name: Callable) -> dict:
    """{scheme: {name: Value of its ratio to ECMP, seed by seed}}"""
    series = {}
    for scheme in schemes_of(found):
        if scheme == "ecmp":
            continue
        split = tables.split(found.runs, (column,))
        series[scheme] = kept({name(cells[0]): value_of(measures.compared(
            found, runs, quantity, {"scheme": scheme}, claims.ECMP).values())
            for cells, runs in split.items()})
    return kept(series)


def draw(name: str, panels: list[tuple], height: float = drawing.HEIGHT,
         width: float = drawing.WIDTH) -> str | None:
    """panels: (how, series, title, label of x, label of y); without data they are left out."""
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return None
    with drawing.style():
        figure, all_axes = drawing.panels(len(panels), height, width)
        for axes, (how, series, title, x, y) in zip(all_axes, panels):
            how(axes, series)
            axes.set(title=title, xlabel=x, ylabel=y)
        return drawing.svg(figure, name)


def percent(text: str) -> float:
    return round(number(text) * PERCENT, 3)


def completion(found: Tables, name: str, **where) -> str | None:
    """Mean FCT over load, and small and large transfers relative to ECMP's."""
    one = of(found, **where)
    x = "load, %"
    return draw(name, [
        (drawing.curves, by_scheme(one, NORMALISED, "load", percent), "All transfers", x,
         "mean FCT / that of the idle network"),
        (drawing.curves, relative(one, claims.SMALL, "load", percent), "Below 100 KB", x,
         "mean FCT / ECMP's"),
        (drawing.curves, relative(one, claims.LARGE, "load", percent), "Above 10 MB", x,
         "mean FCT / ECMP's")])


def queue_curves(axes, series: dict) -> None:
    for name, points in series.items():
        values = [Value(*(x / KB for x in one)) for one in points.values()]
        axes.errorbar([one.mean for one in values], list(points), xerr=drawing.errors(values),
                      label=name, color=drawing.COLOURS[name], marker=drawing.MARKERS[name],
                      capsize=drawing.CAP, elinewidth=0.8)
    drawing.legend(axes)
