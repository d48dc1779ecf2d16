# SPDX-License-Identifier: GPL-2.0
"""What the pictures of all links say: how much waited, and how much was carried."""
import gzip
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy

ACCEPTED_WRAP = 1 << 32         # the counter has 32 bits
BIN_NS = 10_000_000             # of throughput: the paper's 10 ms
PICTURES_AT_ONCE = 1024
PERCENTILES = (50, 90, 95, 99, 100)
NS_PER_MS = 1e6


class Samples(NamedTuple):
    ns: numpy.ndarray           # of the machine's monotonic clock
    links: list                 # names, "leaf0.up1"
    backlog: numpy.ndarray      # bytes; a row a picture, a column a link
    accepted: numpy.ndarray     # bytes since the first picture


def read(path: Path) -> Samples:
    """In pieces: an hour of pictures as text is more than a computer has room for."""
    ns, backlog, steps, last = [], [], [], None
    with gzip.open(path, "rt", encoding="ascii") as file:
        names = file.readline().split()
        while piece := list(itertools.islice(file, PICTURES_AT_ONCE)):
            rows = numpy.fromstring("".join(piece), numpy.int64, sep=" ").reshape(-1, len(names))
            if last is None:
                last = rows[:1, 2::2]
            ns.append(rows[:, 0].copy())
            backlog.append(rows[:, 1::2].astype(numpy.uint32))
            steps.append(numpy.diff(rows[:, 2::2], axis=0, prepend=last) % ACCEPTED_WRAP)
            last = rows[-1:, 2::2]
    links = [name.removesuffix(".backlog") for name in names[1::2]]
    if not ns:
        nothing = numpy.empty((0, len(links)), numpy.int64)
        return Samples(numpy.empty(0, numpy.int64), links, nothing, nothing)
    accepted = numpy.concatenate(steps)
    return Samples(numpy.concatenate(ns), links, numpy.concatenate(backlog),
                   numpy.cumsum(accepted, axis=0, out=accepted))


def since(found: Samples, ns: int) -> Samples:
    """Without the pictures from before the load began."""
    kept = found.ns >= ns
    return Samples(found.ns[kept], found.links, found.backlog[kept], found.accepted[kept])


def is_fabric_link(name: str) -> bool:
    """And not one to or from a host."""
    box, _, device = name.partition(".")
    return (box.startswith("leaf") and device.startswith("up")) \
        or box.startswith(("spine", "core"))


def queues(found: Samples) -> list[dict]:
    """Bytes that waited at each link."""
    rows = []
    for i, link in enumerate(found.links):
        waited = found.backlog[:, i]
        if not len(waited):
            continue
        percentiles = numpy.percentile(waited, PERCENTILES)
        rows.append({"link": link, "mean": f"{waited.mean():.1f}",
                     **{f"p{p}" if p < 100 else "max": f"{value:.0f}"
                        for p, value in zip(PERCENTILES, percentiles)}})
    return rows


def throughput(found: Samples) -> list[dict]:
    """Of each link of the fabric, in whole bins."""
    if len(found.ns) < 2:
        return []
    step = max(1, round(BIN_NS / (found.ns[1] - found.ns[0])))
    ns, carried = found.ns[::step], found.accepted[::step]
    gbits = 8 * numpy.diff(carried, axis=0) / numpy.diff(ns)[:, None]
    return [{"link": link, "start_ms": f"{(ns[row] - found.ns[0]) / NS_PER_MS:g}",
             "gbit_per_s": f"{gbits[row, i]:.4f}"}
            for i, link in enumerate(found.links) if is_fabric_link(link)
            for row in range(len(gbits))]
