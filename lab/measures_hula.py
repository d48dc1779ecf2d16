# SPDX-License-Identifier: GPL-2.0
"""What the claims of HULA and TR are measured by, beside measures.py."""
import math

import tables
from measures import Measure, links_next_to_failures
from one_run import ETHERNET, TUNNEL
from tables import Tables, number

DROPS = "drops"


def longest(measure: Measure, **where) -> Measure:
    """Of the points that ran for several lengths those of the greatest for which the measure
    has any, since what a failed link costs grows with time. They are named by it."""
    def of_longest(found: Tables) -> dict:
        rows = tables.matching(found.runs, where)
        for seconds in reversed(tables.distinct(rows, "seconds")):
            points = measure(found._replace(runs=tables.matching(rows, {"seconds": seconds})))
            if points:
                return {f"{number(seconds):g} s {point}".strip(): by_seed
                        for point, by_seed in points.items()}
        return {}
    return of_longest


def drops(found: Tables, run: dict) -> float:
    """Packets that links of the fabric had no room for. NaN: nothing was counted at all."""
    if run["id"] not in found.counters:
        return math.nan
    return sum(number(row["value"]) for row in found.counters[run["id"]]
               if row["counter"] == DROPS)


def waits_behind(column: str):
    """Bytes at the worst link next to a failure, without the frame that is being sent: a
    queue of none is empty."""
    def quantity(found: Tables, run: dict) -> float:
        frame = number(run["mtu"]) + ETHERNET + TUNNEL
        links = links_next_to_failures(run)
        waited = [number(row[column]) for row in found.queues.get(run["id"], [])
                  if row["link"] in links]
        return max(max(waited) - frame, 0) if waited else math.nan
    return quantity
