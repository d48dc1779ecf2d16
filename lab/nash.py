#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""C30: the Price of Anarchy of CONGA's bottleneck routing game on leaf-spine networks.

Two networks whose Nash flow has twice the least bottleneck, then random networks from
many starts: the ratio never exceeds 2, and with the rule of fewest bottlenecks it is 1.
"""
import sys
from typing import NamedTuple

import numpy

import commandline
import fewest
import game
import networks

POA = 2             # the theorem
ROUNDING = 1e-6     # relative, of a ratio: the linear program's and that of settling
SHOWN = 5           # networks of each kind, the worst first
RULE_ERROR = 1 / (1 - fewest.TIES[-1]) - 1  # how far the rule's tolerance can lead
RESTLESS = 2        # so many times that, while traffic still goes to and fro

EXAMPLES = {"three pairs": networks.three_pairs, "five pairs": networks.five_pairs}
RANDOM = {"random": networks.random_game, "ring": networks.random_ring}


class Row(NamedTuple):
    network: str
    leaves: int
    spines: int
    links: int
    users: int
    optimum: float
    nash_flows: int
    unsettled: int
    worst_nash: float
    ratio: float
    rule_ratio: float
    rule_at_rest: bool
    fewest_flows: int
    fewest_ratio: float


def count_nodes(played: game.Game, letter: str) -> int:
    return len({node for link in played.capacity for node in link if node[0] == letter})


def describe(name: str, played: game.Game, nash: list, unsettled: int, generator) -> Row:
    """Compare Nash flows with the optimum, and follow the rule from the worst."""
    optimum = game.optimum(played)[0]
    worst = max(nash, key=lambda flow: game.bottleneck(played, flow))
    after = fewest.settle_fewest(played, worst, generator)
    bottlenecks = [float(game.bottleneck(played, flow)) for flow in nash]
    meeting = [value for value, flow in zip(bottlenecks, nash)
               if fewest.has_fewest(played, flow, ROUNDING)]
    return Row(name, count_nodes(played, "L"), count_nodes(played, "S"),
               len(played.capacity), len(played.users), optimum, len(nash), unsettled,
               max(bottlenecks), max(bottlenecks) / optimum,
               float(game.bottleneck(played, after)) / optimum,
               fewest.has_fewest(played, after, fewest.TIES[-1]),
               len(meeting), max(meeting, default=optimum) / optimum)


def example(name: str, generator) -> Row:
    """The flow given with the network; checked in fractions, hence exactly."""
    played, flow = EXAMPLES[name]()
    nash = [flow] if game.is_nash(played, flow, tolerance=0) else []
    return describe(name, played, nash or [game.settle(played, flow, generator)], 0, generator)


def starts(played: game.Game, count: int, generator) -> list:
    """Half of them on one path each, half split over all paths."""
    return [(game.random_split if number % 2 else game.one_path_each)(played, generator)
            for number in range(count)]


def sweep_one(kind: str, seed: int, count: int) -> Row | None:
    """A random network from `count` starts; None if it has no Nash flow to show."""
    generator = numpy.random.default_rng(seed)
    played, known = RANDOM[kind](generator)
    ends = [game.settle(played, start, generator)
            for start in starts(played, count, generator)]
    nash = [flow for flow in ends if flow is not None]
    unsettled = count - len(nash)
    if known and game.is_nash(played, known):
        nash.append(known)
    if not nash:
        return None
    return describe(f"{kind} {seed}", played, nash, unsettled, generator)


def print_row(row: Row) -> None:
    print(f"{row.network:12} {row.leaves:6} {row.spines:6} {row.links:5} {row.users:5} "
          f"{row.optimum:9.4f} {row.worst_nash:9.4f} {row.ratio:7.4f} {row.rule_ratio:9.4f}")


def print_sweep(kind: str, rows: list) -> None:
    print(f"\n{len(rows)} networks '{kind}', {sum(row.nash_flows for row in rows)} Nash flows, "
          f"{sum(row.unsettled for row in rows)} starts not settled; the worst:")
    for row in sorted(rows, key=lambda row: -row.ratio)[:SHOWN]:
        print_row(row)
    print(f"Nash flows that meet the rule of fewest bottlenecks as they are: "
          f"{sum(row.fewest_flows for row in rows)}, worst ratio "
          f"{max((row.fewest_ratio for row in rows), default=1):.4f}")
    print(f"following the rule from the worst Nash flow of each network: worst ratio "
          f"{max((row.rule_ratio for row in rows), default=1):.4f}, "
          f"{sum(row.rule_at_rest for row in rows)} of {len(rows)} come to rest")


def faults(rows: list) -> list[str]:
    """What contradicts the claim."""
    found = []
    for row in rows:
        if row.ratio > POA * (1 + ROUNDING):
            found.append(f"{row.network}: ratio {row.ratio:.6f} is above {POA}")
        if row.network in EXAMPLES and row.ratio < POA * (1 - ROUNDING):
            found.append(f"{row.network}: ratio {row.ratio:.6f} is below {POA}")
        if row.fewest_ratio > 1 + ROUNDING:
            found.append(f"{row.network}: fewest bottlenecks, yet {row.fewest_ratio:.6f}")
        if row.rule_ratio > 1 + RULE_ERROR * (1 if row.rule_at_rest else RESTLESS):
            found.append(f"{row.network}: the rule led to {row.rule_ratio:.6f}")
    return found


def parse(description: str = __doc__):
    options = commandline.parser(description.splitlines()[0])
    options.add_argument("--networks", type=commandline.whole_number(1), default=100,
                         help="random networks of each kind, default %(default)s")
    options.add_argument("--starts", type=commandline.whole_number(1), default=10,
                         help="starts in each, default %(default)s")
    given = options.parse_args()
    return given, commandline.open_csv(options.prog, given.csv)


def sweep(kind: str, given) -> list[Row]:
    rows = [sweep_one(kind, given.seed + number, given.starts)
            for number in range(given.networks)]
    return [row for row in rows if row is not None]


def main() -> int:
    given, file = parse()
    print(f"{'network':12} leaves spines links users   optimum      Nash   ratio with rule")
    rows = [example(name, numpy.random.default_rng(given.seed)) for name in EXAMPLES]
    for row in rows:
        print_row(row)
    for kind in RANDOM:
        found = sweep(kind, given)
        print_sweep(kind, found)
        rows += found
    commandline.write_csv(file, rows)
    wrong = faults(rows)
    print("\n" + ("\n".join(wrong) or f"C30: no ratio above {POA}; both examples reach it; "
                  f"with the rule none above {max(row.rule_ratio for row in rows):.4f}, "
                  f"for a tolerance of {fewest.TIES[-1]}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
