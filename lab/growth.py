#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""growth.py FILE - draws what packets cost as a fabric grows, as SVG.

FILE has the lines of selftests/bench/growth.sh. A panel shows all subjects that grow with the
same number: solid with conga, dotted on the stock kernel, which was measured with the least
number alone.
"""
import sys
from pathlib import Path

from matplotlib.lines import Line2D

import drawing

PANELS = {"leaves": "leaves", "uplinks": "uplinks", "keys": "route keys of the leaf"}
SUBJECTS = {"send": ("sent", "conga", "o"), "recv": ("received", "conga-flow", "D"),
            "hello": ("hello answered", "ecmp", "s"), "probe": ("probe received", "mptcp", "v")}
STOCK = "-stock"
WIDTH = 3.1             # inches, of a panel
HEADROOM = 1.1


def points(lines: list[str]) -> dict:
    """{(subject, what grows): {N: instructions}}; the stock kernel's end in -stock."""
    found: dict = {}
    for line in lines:
        if not line.startswith("growth "):
            continue
        _, subject, number, cost = line.split()
        kind, grows = subject.split("-", 1)
        found.setdefault((kind, grows), {})[int(number)] = int(cost)
    return found


def curve(axes, cost: dict, stock: dict, name: str) -> None:
    label, colour, marker = SUBJECTS[name]
    axes.plot(list(cost), list(cost.values()), label=label, marker=marker,
              color=drawing.COLOURS[colour])
    for value in stock.values():
        axes.axhline(value, color=drawing.COLOURS[colour], linestyle=":")


def panel(axes, found: dict, grows: str, most: int) -> None:
    numbers: set = set()
    for name in SUBJECTS:
        cost = found.get((name, grows))
        if cost:
            curve(axes, cost, found.get((name, grows + STOCK), {}), name)
            numbers |= set(cost)
    axes.set_xscale("log")
    axes.set_xticks(sorted(numbers), [f"{number:,}" for number in sorted(numbers)])
    axes.minorticks_off()
    axes.set_ylim(0, HEADROOM * most)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set(xlabel=PANELS[grows])


def legend(all_axes: list) -> None:
    """Below the panel in the middle; the first panel has all subjects."""
    handles, labels = all_axes[0].get_legend_handles_labels()
    handles.append(Line2D([], [], color=drawing.INK, linestyle=":"))
    all_axes[1].legend(handles, labels + ["stock kernel"], loc="upper center",
                       bbox_to_anchor=(0.5, drawing.BELOW), ncol=2)


def picture(found: dict) -> str:
    most = max(max(cost.values()) for cost in found.values())
    with drawing.style():
        figure, all_axes = drawing.panels(len(PANELS), width=WIDTH)
        for axes, grows in zip(all_axes, PANELS):
            panel(axes, found, grows, most)
        all_axes[0].set_ylabel("instructions per packet")
        legend(all_axes)
        return drawing.svg(figure, "cost of packets as a fabric grows")


def main(words: list[str]) -> int:
    if len(words) != 1:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    lines = Path(words[0]).read_text(encoding="utf-8").splitlines()
    sys.stdout.write(drawing.document(picture(points(lines))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
