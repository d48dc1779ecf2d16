#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""How soon flowlets avoid a remote link that is overloaded: a table and a picture.

Of what reaction.sh says of each run, with ROWS=1. Times are in ns; "due" and "bound" are
empty where nothing is promised.
"""
import argparse
import sys
from pathlib import Path
from typing import Iterable, NamedTuple

import commandline
import drawing

MARK = "# row "     # before a row in the test's output
US = 1000           # ns
NAME = "reaction"   # of the files
MOST_LOAD = 1.3     # of the axis
LINES = (("bound_ns", "bound", "-", drawing.COLOURS["ecmp"]),
         ("formula_ns", "round trip + rise + waits", "--", drawing.COLOURS["conga-flow"]),
         ("least_ns", "least", ":", drawing.COLOURS["stock"]))


class Row(NamedTuple):
    level: int
    load: float
    tick_ns: int
    rise_ns: int
    feedback_wait_ns: int
    flowlet_wait_ns: int
    flight_ns: int
    total_ns: int
    soonest_ns: int
    due_ns: int | None
    formula_ns: int
    least_ns: int
    bound_ns: int | None


OPTIONAL = ("due_ns", "bound_ns")


def row(text: str) -> Row:
    words = text.split()
    if len(words) != len(Row._fields):
        raise ValueError(f"'{text}' is no row of {len(Row._fields)} numbers")
    numbers = [float(word) if name == "load" else int(word)
               for name, word in zip(Row._fields, words)]
    return Row(*(None if name in OPTIONAL and not number else number
                 for name, number in zip(Row._fields, numbers)))


def read(lines: Iterable[str]) -> list[Row]:
    rows = [row(line.removeprefix(MARK).strip()) for line in lines if line.startswith(MARK)]
    if not rows:
        raise ValueError("there is no row: was ROWS=1 passed on?")
    return rows


def of_cells(cells: dict) -> Row:
    """A row of the table that main() writes."""
    return row(" ".join(cells[name] or "0" for name in Row._fields))


def by_load(rows: list[Row]) -> dict:
    """{load: rows}"""
    return {load: [one for one in rows if one.load == load]
            for load in sorted({one.load for one in rows})}


def panel(axes, rows: list[Row]) -> None:
    """Limits as lines, what was measured with its range."""
    loads = by_load(rows)
    for column, label, dashes, colour in LINES:
        points = {load: getattr(some[0], column) for load, some in loads.items()}
        points = {load: ns / US for load, ns in points.items() if ns is not None}
        axes.plot(list(points), list(points.values()), dashes, label=label, color=colour)
    values = [drawing.value([one.total_ns / US for one in some]) for some in loads.values()]
    axes.errorbar(list(loads), [one.mean for one in values], drawing.errors(values), fmt="o",
                  label="measured", color=drawing.COLOURS["conga"], capsize=drawing.CAP,
                  elinewidth=0.8)
    axes.set_ylim(0)
    axes.set_xlim(0, MOST_LOAD)


def draw(rows: list[Row]) -> str:
    """SVG, to stand in a page."""
    levels = sorted({one.level for one in rows})
    with drawing.style():
        figure, all_axes = drawing.panels(len(levels))
        for axes, level in zip(all_axes, levels):
            panel(axes, [one for one in rows if one.level == level])
            axes.set(title=f"level {level}", xlabel="load of the remote link",
                     ylabel="us until a flowlet avoids it")
        drawing.legend(all_axes[len(levels) // 2])
        return drawing.svg(figure, NAME)


def parse():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.error = lambda message: commandline.refuse(options.prog, message)
    options.add_argument("tap", metavar="TAP", help="what reaction.sh said")
    options.add_argument("--into", metavar="DIR", default=".", help="default %(default)s")
    return options, options.parse_args()


def main() -> int:
    options, given = parse()
    try:
        rows = read(Path(given.tap).read_text(encoding="ascii").splitlines())
    except (OSError, ValueError) as error:
        options.error(str(error))
    commandline.write_csv(commandline.open_csv(options.prog, f"{given.into}/{NAME}.csv"), rows)
    picture = drawing.document(draw(rows))
    Path(given.into, f"{NAME}.svg").write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
