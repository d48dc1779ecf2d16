#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""C31: the imbalance of flows placed at random on links, against the paper's bound.

Flows arrive as a Poisson process of rate lambda, have sizes S from a table, and each is
put on one of n links uniformly at random (CONGA, section 6.2). With A_k(t) the bytes
that link k has been given up to t, the imbalance is

    chi(t) = (max_k A_k(t) - min_k A_k(t)) / (lambda E[S] t / n)

and E[chi(t)] <= 1 / sqrt(lambda_e t) + O(1/t),
lambda_e = lambda / (8 n ln n (1 + (sigma / E[S])^2)).

Time is counted in expected flows, lambda t. 1 + (sigma / E[S])^2 is E[S^2] / E[S]^2.
For flows cut into pieces, each put on a link of its own, the sum of squares of a
flow's pieces takes the place of S^2: rate, mean and variance of the pieces give just
that. The pieces of a flow come at once here, not as a Poisson process; the variance of
the difference of two links is the same.
"""
import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy

import commandline
import workload

Z95 = 1.96        # half width of a 95 % interval in standard errors; needs many runs
FEWEST_RUNS = 30  # for which that holds well enough
FLOWLET = 500000  # bytes: half of the traffic is in flowlets above it (Figure 5)
LEAST_PIECE = 1000  # bytes: less than a packet makes no sense, and costs memory
POINTS_PER_DECADE = 2
FIRST_FLOWS = 10  # of the first point in time
MOST_FLOWS = 10 ** 7  # of the last one: about 500 MB of memory
MOST_LINKS = 1000


class Row(NamedTuple):
    workload: str
    piece_bytes: int
    links: int
    flows: int
    runs: int
    imbalance: float
    low95: float
    high95: float
    bound: float


def bound(table: workload.Workload, piece: int, links: int, flows: float) -> float:
    """1 / sqrt(lambda_e t), with lambda t = flows."""
    spread = workload.piece_squares(table, piece) / float(workload.mean(table)) ** 2
    return math.sqrt(8 * links * math.log(links) * spread / flows)


def point_times(most: int) -> list[int]:
    """Points in time, in expected flows, evenly on a logarithmic scale up to `most`."""
    count = math.ceil(POINTS_PER_DECADE * math.log10(most / FIRST_FLOWS)) + 1
    return sorted({round(value) for value in numpy.geomspace(FIRST_FLOWS, most, count)})


def place(sizes, spans, shape: tuple, piece: int, generator) -> numpy.ndarray:
    """Bytes given to each link in each span of time; spans[i] is the span of flow i.

    Full pieces all have one size, so that their number on each link is enough.
    """
    given = numpy.zeros(shape)
    if piece:
        full = sizes // piece
        sizes = sizes - full * piece
        totals = numpy.bincount(spans, weights=full, minlength=shape[0]).astype(int)
        given += piece * generator.multinomial(totals, [1 / shape[1]] * shape[1])
    cells = spans * shape[1] + generator.integers(shape[1], size=len(sizes))
    return given + numpy.bincount(cells, sizes, minlength=shape[0] * shape[1]).reshape(shape)


def one_run(table, pieces: list, links: int, times: list, generator) -> list:
    """chi at each time, for each size of piece, of the same flows."""
    counts = generator.poisson(numpy.diff(times, prepend=0))
    sizes = workload.draw(table, generator, counts.sum())
    spans = numpy.repeat(numpy.arange(len(times)), counts)
    fair = numpy.array(times) * float(workload.mean(table)) / links
    chi = []
    for piece in pieces:
        given = place(sizes, spans, (len(times), links), piece, generator).cumsum(axis=0)
        chi.append((given.max(axis=1) - given.min(axis=1)) / fair)
    return chi


def measure(table, pieces: list, links: int, times: list, runs: int, seed: int) -> list[Row]:
    """Mean imbalance over independent runs, its 95 % interval, and the bound."""
    chi = numpy.array([one_run(table, pieces, links, times,
                               numpy.random.default_rng([seed, run]))
                       for run in range(runs)])
    means = chi.mean(axis=0)
    halves = Z95 * chi.std(axis=0, ddof=1) / math.sqrt(runs)
    return [Row(table.name, piece, links, flows, runs, float(means[i, j]),
                float(means[i, j] - halves[i, j]), float(means[i, j] + halves[i, j]),
                bound(table, piece, links, flows))
            for i, piece in enumerate(pieces) for j, flows in enumerate(times)]


def print_rows(rows: list) -> None:
    print(f"{'workload':14} {'pieces':>10} {'flows':>8} {'imbalance':>10} "
          f"{'95 % interval':>19} {'bound':>9} {'of bound':>8}")
    for row in rows:
        piece = f"{row.piece_bytes:,}" if row.piece_bytes else "whole"
        print(f"{row.workload:14} {piece:>10} {row.flows:8} {row.imbalance:10.4f} "
              f"{row.low95:9.4f}-{row.high95:9.4f} {row.bound:9.4f} "
              f"{row.imbalance / row.bound:8.2f}")


def conclude(rows: list) -> int:
    """0 if no imbalance is above its bound beyond doubt."""
    above = [row for row in rows if row.low95 > row.bound]
    worst = max(rows, key=lambda row: row.imbalance / row.bound)
    print(f"C31: {len(rows) - len(above)} of {len(rows)} points within the bound; "
          f"the closest has {worst.imbalance / worst.bound:.2f} of it "
          f"({worst.workload}, {worst.flows} flows)")
    return 1 if above else 0


def find_table(name: str) -> workload.Workload:
    """A workload by name, or a table of one's own by its file name."""
    return workload.load(Path(name)) if name.endswith(".cdf") else workload.find(name)


def parse(options):
    options.add_argument("workloads", nargs="*", metavar="WORKLOAD",
                         help=f"{', '.join(workload.names())}, or a FILE.cdf; default all")
    options.add_argument("--links", type=commandline.whole_number(2, MOST_LINKS), default=4,
                         help="default %(default)s")
    options.add_argument("--flows", type=commandline.whole_number(FIRST_FLOWS + 1, MOST_FLOWS),
                         default=100000, help="expected at the last point, default %(default)s")
    options.add_argument("--runs", type=commandline.whole_number(FEWEST_RUNS), default=400,
                         help="independent runs, default %(default)s")
    options.add_argument("--piece", type=commandline.whole_number(LEAST_PIECE), default=FLOWLET,
                         help="bytes of a piece, to compare, default %(default)s")
    given = options.parse_args()
    try:
        tables = [find_table(name) for name in given.workloads or workload.names()]
    except ValueError as error:
        options.error(str(error))
    return given, tables


def main() -> int:
    options = commandline.parser(__doc__.splitlines()[0])
    given, tables = parse(options)
    file = commandline.open_csv(options.prog, given.csv)
    times = point_times(given.flows)
    rows = []
    for table in tables:
        rows += measure(table, [0, given.piece], given.links, times, given.runs, given.seed)
    print_rows(rows)
    commandline.write_csv(file, rows)
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
