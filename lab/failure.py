# SPDX-License-Identifier: GPL-2.0
"""A link that fails while there is load: how long others send what it cannot carry, and
how soon it carries again."""
import math
from pathlib import Path

import numpy

import values
from one_run import WIRE_BYTES
from samples import Samples

BACK_PACKETS = 10       # full ones, which are no probes


def rows(path: Path, found: Samples, link: str) -> list[dict]:
    """path: the section "failures" of a run's output; link: LEAF.SPINE.LINK."""
    leaf, spine, number = link.split(".")
    said = [tuple(map(int, text.split())) for text in path.read_text().splitlines()]
    ends = [down for down, *_ in said[1:]] + [math.inf]
    return [row(one, found, f"spine{spine}.down{leaf}.{number}", end, i)
            for i, (one, end) in enumerate(zip(said, ends), start=1)]


def row(said: tuple, found: Samples, link: str, end: float, number: int) -> dict:
    down, up, lost, last = said
    if up <= down:
        raise ValueError(f"'{' '.join(map(str, said))}' is no failure that ended")
    return {"number": number, "lost_packets": lost,
            "last_lost_s": f"{last / values.NS_PER_SECOND:.9f}",
            "back_s": f"{back_ns(found, link, up, end) / values.NS_PER_SECOND:.9f}"}


def back_ns(found: Samples, link: str, up: int, end: float) -> float:
    """From up until the other end has sent data again; NaN: not before the end."""
    accepted = found.accepted[:, found.links.index(link)]
    before = accepted[found.ns < up]
    if not len(before):
        return math.nan
    again = numpy.flatnonzero((found.ns >= up) & (found.ns < end)
                              & (accepted >= before[-1] + BACK_PACKETS * WIRE_BYTES))
    return float(found.ns[again[0]] - up) if len(again) else math.nan
