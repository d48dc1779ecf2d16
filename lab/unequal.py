#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unequal load, a model beside what was measured (the scenario tr-unequal).

Leaf 0 sends to leaf 1 by n spines, of which m carry what leaf 2 sends there. All packets
have one size, and come at random moments (Poisson). The model says how leaf 0 divides
its packets, and how long they wait at the spines' ports to leaf 1:

    equal split (RPS, DRB, and in the mean ECMP)    F / n by each
    least delay (TR)    so that all ports are loaded alike, or, where what leaf 2 sends is
                        more than that, nothing goes there: fluids find their level
    wait                r / (2 (1 - r)) packets at a port of load r: M/D/1

It does not know that packets come to the ports one behind the other from links of the same
rate, that DRB's come in turns, and that TR looks at each queue and not at loads: these
wait less. Nor that TR's knowledge is late, and that ECMP's flows are few: these wait more.
"""
import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import commandline
import measures
import tables
import values
from one_run import WIRE_BYTES
from tables import Tables, number

SCENARIO = "tr-unequal"
LEAST_DELAY = ("tr",)


class Row(NamedTuple):
    demands: str
    scheme: str
    seeds: int
    model_share: float      # of leaf 0's bytes, by the spines with leaf 2's
    share: float
    model_loaded_us: float  # wait at their ports
    loaded_us: float
    model_free_us: float    # and at those of the others
    free_us: float
    model_wait_us: float    # of leaf 0's packets, in the mean
    wait_us: float


class Load(NamedTuple):
    links: int
    loaded: int             # of them
    rate: float             # bit/s
    other: float            # bit/s, in all, by the loaded ones
    own: float              # bit/s, in all


def equal_split(load: Load) -> float:
    """bit/s of ours by each loaded link"""
    return load.own / load.links


def least_delay(load: Load) -> float:
    level = (load.own + load.other) / load.links
    return max(0.0, level - load.other / load.loaded)


def wait_us(load: float, rate: float) -> float:
    """load: a part of the rate"""
    if load >= 1:
        return float("inf")
    return load / (2 * (1 - load)) * WIRE_BYTES * 8 / rate * 1e6


def model(load: Load, scheme: str) -> tuple[float, float, float]:
    """(our share by loaded links, wait there, wait at the others)"""
    ours = (least_delay if scheme in LEAST_DELAY else equal_split)(load)
    share = ours * load.loaded / load.own
    free = (load.own - ours * load.loaded) / (load.links - load.loaded)
    return (share, wait_us((ours + load.other / load.loaded) / load.rate, load.rate),
            wait_us(free / load.rate, load.rate))


def mean_wait(share: float, loaded: float, free: float) -> float:
    return share * loaded + ((1 - share) * free if share < 1 else 0)


def load_of(run: dict) -> Load:
    demands = {word.split(":")[0]: values.rate(word.split(":")[1])
               for word in run["demands"].split()}
    spines = int(run["spines"])
    return Load(spines, spines - len(run["cut"].split()),
                number(run["link_rate"].removesuffix("bit")), demands["2-1"], demands["0-1"])


def measured(found: Tables, run: dict) -> tuple[float, float, float]:
    """As model(); leaf 2 has links to the first spines."""
    load = load_of(run)
    us = 8e6 / load.rate
    carried = [measures.mean(measures.bins(found, run, f"leaf0.up{spine}"))
               for spine in range(load.links)]
    waits = [us * measures.queue(f"spine{spine}.down1.0", "mean")(found, run)
             for spine in range(load.links)]
    return (sum(carried[:load.loaded]) / sum(carried), measures.mean(waits[:load.loaded]),
            measures.mean(waits[load.loaded:]))


def row(found: Tables, demands: str, scheme: str, runs: list[dict]) -> Row:
    said = model(load_of(runs[0]), scheme)
    seen = tuple(map(measures.mean, map(list, zip(*(measured(found, run) for run in runs)))))
    pairs = [number for both in zip(said, seen) for number in both]
    return Row(demands, scheme, len(runs), *pairs, mean_wait(*said), mean_wait(*seen))


def rows(found: Tables) -> list[Row]:
    runs = tables.select(found, scenario=SCENARIO)
    return [row(found, *cells, some)
            for cells, some in tables.split(runs, ("demands", "scheme")).items()]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.error = lambda message: commandline.refuse(options.prog, message)
    options.add_argument("--from", type=Path, dest="source", metavar="DIR", required=True,
                         help="the tables that lab csv made")
    options.add_argument("--csv", metavar="FILE", help="write the rows there too")
    given = options.parse_args()
    try:
        found = rows(tables.read(given.source))
    except ValueError as error:
        options.error(str(error))
    if not found:
        options.error(f"{given.source} has no runs of {SCENARIO}")
    file = commandline.open_csv(options.prog, given.csv)
    for one in found:
        print(" ".join(f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
                       for name, value in one._asdict().items()))
    commandline.write_csv(file, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
