#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The Price of Anarchy of metric sum on leaf-spine networks, beside that of metric max.

For each network the bottleneck of the Nash flow of metric sum and that of the worst Nash
flow of metric max that was found, each over the least bottleneck possible; and the mean
cost of a unit of traffic, as metric sum counts it, in that flow of metric max, over the
least one, which the Nash flow of metric sum has (sums.py says why).
"""
import sys
from typing import NamedTuple

import numpy

import commandline
import game
import nash
import networks
import sums

DEPTHS = (1, 2, 3, 4)   # of ladders; a linear program has no digits for more
NARROW = (1, 10, 100)   # times its capacity that a saturated link is loaded
SHOWN = 5               # networks of each kind, the worst first
EQUAL = "equal"         # all links are there and alike
EQUAL_MOST = 1          # of these: the even split is the Nash flow, and no other is better
LADDER_ERROR = 0.01     # relative: a ladder's links are wide, but not endlessly so
EXAMPLES = {**nash.EXAMPLES,
            **{f"ladder {depth}": lambda depth=depth: networks.ladder(depth)
               for depth in DEPTHS}}
RANDOM = {"random": networks.random_game, "ring": networks.random_ring,
          EQUAL: networks.random_equal}


class Row(NamedTuple):
    network: str
    leaves: int
    spines: int
    links: int
    users: int
    optimum: float
    sum_ratio: float
    max_ratio: float
    max_mean_ratio: float


def describe(name: str, played: game.Game, flow: list, others: list) -> Row:
    """flow: the Nash flow of metric sum. others: those of metric max that were found."""
    optimum = float(game.optimum(played)[0])
    least = float(sums.total_cost(played, flow))
    return Row(name, nash.count_nodes(played, "L"), nash.count_nodes(played, "S"),
               len(played.capacity), len(played.users), optimum,
               float(game.bottleneck(played, flow)) / optimum,
               max(float(game.bottleneck(played, other)) for other in others) / optimum,
               max(float(sums.total_cost(played, other)) for other in others) / least)


def nash_flows(played: game.Game, known: list, count: int, generator) -> list:
    """Of metric max, from this many starts; the known flow, if it is one, is another."""
    ends = [game.settle(played, start, generator)
            for start in nash.starts(played, count, generator)]
    return [end for end in ends if end] + (
        [known] if known and game.is_nash(played, known) else [])


def of_network(name: str, played: game.Game, known: list, count: int, generator) -> Row | None:
    """None: starts did not settle."""
    flow = known if known and sums.is_nash(played, known, 0) else \
        sums.settle(played, game.random_split(played, generator), generator)
    others = nash_flows(played, known, count, generator)
    return describe(name, played, flow, others) if flow and others else None


def rows_of(kind: str, given) -> list[Row]:
    found = []
    for number in range(given.networks):
        generator = numpy.random.default_rng(given.seed + number)
        played, known = RANDOM[kind](generator)
        found.append(of_network(f"{kind} {given.seed + number}", played, known, given.starts,
                                generator))
    return [row for row in found if row]


def print_row(row: Row) -> None:
    print(f"{row.network:12} {row.leaves:6} {row.spines:6} {row.links:5} {row.users:5} "
          f"{row.optimum:9.4f} {row.sum_ratio:9.4f} {row.max_ratio:9.4f} "
          f"{row.max_mean_ratio:9.4f}")


def print_sweep(kind: str, rows: list[Row]) -> None:
    print(f"\n{len(rows)} networks '{kind}': bottleneck with sum at most "
          f"{max(row.sum_ratio for row in rows):.4f}, with max "
          f"{max(row.max_ratio for row in rows):.4f}; mean cost with max "
          f"{max(row.max_mean_ratio for row in rows):.4f}; the worst for sum:")
    for row in sorted(rows, key=lambda row: -row.sum_ratio)[:SHOWN]:
        print_row(row)


def print_saturated() -> None:
    print("\nmetrics that end at full scale: a Nash flow of metric sum, over the optimum")
    for narrow in NARROW:
        played, flow = networks.saturated(narrow)
        ratio = float(game.bottleneck(played, flow)) / game.optimum(played)[0]
        print(f"a link loaded {narrow:4} times: {ratio:9.4f}"
              + ("" if sums.is_clamped_nash(played, flow) else ", which is no Nash flow"))


def faults(rows: list[Row]) -> list[str]:
    """What contradicts what is said of metric sum."""
    found = []
    for row in rows:
        kind, _, number = row.network.partition(" ")
        if kind == EQUAL and row.sum_ratio > EQUAL_MOST * (1 + nash.ROUNDING):
            found.append(f"{row.network}: ratio {row.sum_ratio:.6f} is above {EQUAL_MOST}")
        if kind == "ladder" and abs(row.sum_ratio / 2 ** int(number) - 1) > LADDER_ERROR:
            found.append(f"{row.network}: ratio {row.sum_ratio:.6f} is not near 2^{number}")
        if row.max_ratio > nash.POA * (1 + nash.ROUNDING):
            found.append(f"{row.network}: with max {row.max_ratio:.6f} is above {nash.POA}")
        if row.max_mean_ratio < 1 - nash.ROUNDING:
            found.append(f"{row.network}: a lower mean cost than that of metric sum")
    return found


def main() -> int:
    given, file = nash.parse(__doc__)
    print(f"{'network':12} leaves spines links users   optimum       sum       max  mean(max)")
    rows = []
    for name, make in EXAMPLES.items():
        rows.append(of_network(name, *make(), given.starts,
                               numpy.random.default_rng(given.seed)))
        print_row(rows[-1])
    for kind in RANDOM:
        found = rows_of(kind, given)
        print_sweep(kind, found)
        rows += found
    print_saturated()
    commandline.write_csv(file, rows)
    wrong = faults(rows)
    print("\n" + ("\n".join(wrong) or f"metric sum: up to {max(r.sum_ratio for r in rows):.2f} "
                  f"times the least bottleneck, twice as much with each step of a ladder; "
                  f"metric max: never above {nash.POA}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
