# SPDX-License-Identifier: GPL-2.0
"""Where CONGA's loop is stable: a map over Q and tau / round trip, and responses over time.

From rows of strings, as the tables have them (step.py).
"""
import numpy

import drawing
import response
from tables import number

SHOWN = {(3, 500, 100): "stable", (3, 160, 100): "the paper's tau", (3, 20, 100): "oscillating"}
COLOURS = ("#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5",
           "#08519c")     # of amplitudes from 0 to 1
DARK = 0.55             # from here on numbers on a colour are white
EDGE = "#d55e00"        # around what is stable
MAP_WIDTH, MAP_HEIGHT, TIME_WIDTH = 4.6, 3.0, 3.3   # inches
MEAN_US = 200           # of the line through the shares
BEFORE_US, AFTER_US = 1000, 5000    # of the step, that are drawn
PERCENT = 100


def varied(rows: list[dict], fixed: str) -> list[dict]:
    """Of the paced runs those in which only tau or only the round trip was varied."""
    value = {"rtt_us": 100, "tau_us": 160}[fixed]
    return [row for row in rows if number(row["paced"]) == 1 and number(row[fixed]) == value]


def ratio(row: dict) -> float:
    return number(row["tau_us"]) / number(row["rtt_us"])


def cells_of(rows: list[dict]) -> dict:
    """{(tau / round trip, Q): amplitude}"""
    return {(ratio(row), int(number(row["q"]))): number(row["amplitude"]) for row in rows}


def is_stable(amplitude: float) -> bool:
    return amplitude < response.STABLE


def edges(cells: dict) -> list[tuple]:
    """Between a stable cell and one that is not, in places: ((x, x), (y, y))"""
    ratios, bits = (sorted({key[i] for key in cells}) for i in (0, 1))
    stable = {(ratios.index(x), bits.index(q)) for (x, q), value in cells.items()
              if is_stable(value)}
    found = []
    for x, y in sorted(stable):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if (x + dx, y + dy) not in stable:
                across = (x + dx / 2, y + dy / 2)
                found.append(((across[0] - abs(dy) / 2, across[0] + abs(dy) / 2),
                              (across[1] - abs(dx) / 2, across[1] + abs(dx) / 2)))
    return found


def panel(axes, cells: dict) -> None:
    ratios, bits = (sorted({key[i] for key in cells}) for i in (0, 1))
    for (x, q), value in cells.items():
        place = (ratios.index(x), bits.index(q))
        colour = COLOURS[min(int(value * len(COLOURS)), len(COLOURS) - 1)]
        axes.bar(place[0], 1, 1, place[1] - 0.5, color=colour)
        axes.text(*place, f"{value * PERCENT:.0f}", ha="center", va="center",
                  color="white" if value >= DARK else "black")
    for x, y in edges(cells):
        axes.plot(x, y, color=EDGE, linewidth=2)
    axes.set_xticks(range(len(ratios)), [f"{x:.2g}" for x in ratios])
    axes.set_yticks(range(len(bits)), bits)
    axes.set_xlim(-0.55, len(ratios) - 0.45)
    axes.set_ylim(-0.55, len(bits) - 0.45)


def stability_map(rows: list[dict], _moments: list[dict]) -> str | None:
    if not rows:
        return None
    with drawing.style():
        figure, both = drawing.panels(2, MAP_HEIGHT, MAP_WIDTH)
        for axes, fixed, title in zip(both, ("rtt_us", "tau_us"), (
                "tau from 20 us to 1 ms, round trip 100 us",
                "round trip from 1 ms to 20 us, tau 160 us")):
            panel(axes, cells_of(varied(rows, fixed)))
            axes.set(title=title, xlabel="tau / round trip", ylabel="Q")
        return drawing.svg(figure, "oscillation, % of the leaf's traffic, peak to peak")


def over_time(_rows: list[dict], moments: list[dict]) -> str | None:
    if not moments:
        return None
    with drawing.style():
        figure, all_axes = drawing.panels(len(SHOWN), width=TIME_WIDTH)
        for axes, (point, title) in zip(all_axes, SHOWN.items()):
            some = [row for row in moments
                    if tuple(int(number(row[name])) for name in ("q", "tau_us", "rtt_us")) == point
                    and -BEFORE_US <= number(row["us"]) <= AFTER_US]
            response_curve(axes, some)
            axes.set(title=f"{title}: Q {point[0]}, tau {point[1]} us", xlabel="ms since the step",
                     ylabel="% of the traffic by spine 0")
        return drawing.svg(figure, "responses to a step of remote load, over time")


def response_curve(axes, rows: list[dict]) -> None:
    at = numpy.array([number(row["us"]) for row in rows]) / 1000
    share = numpy.array([number(row["share"]) for row in rows]) * PERCENT
    axes.plot(at, share, color=drawing.COLOURS["stock"], linewidth=0.5)
    width = max(1, round(MEAN_US / 1000 / (at[1] - at[0])))
    axes.plot(at[width - 1:], response.moving_mean(share, width), color=drawing.COLOURS["conga"])
    axes.axvline(0, color=drawing.INK, linewidth=0.6, linestyle=":")
    axes.set_ylim(0, PERCENT)


FIGURES = {"stability": stability_map, "step-response": over_time}
