# SPDX-License-Identifier: GPL-2.0
"""What pauses cut traffic into (section 2.6), from the packets of one device.

The packets are tcpdump's lines, "-tt -nq tcp": "1.000000123 IP 192.168.0.10.4000 >
192.168.1.10.5000: tcp 1448". A flowlet ends where its connection is silent for longer
than a gap; with one of 250 ms it is, by and large, a transfer.
"""
import gzip
from pathlib import Path
from typing import NamedTuple

import numpy

GAPS_US = (250_000, 500, 100)   # the paper's, figure 5
PERCENTILES = (10, 25, 50, 75, 90)
WINDOW_NS = 1_000_000           # in which connections are counted: the paper's 1 ms
NS_PER_US, NS_DIGITS = 1000, 9


class Packets(NamedTuple):
    """Columns, by connection, then by time. Those without data are left out."""
    connection: numpy.ndarray   # numbered
    ns: numpy.ndarray
    size: numpy.ndarray         # bytes of TCP data
    names: list                 # (sender, receiver) of each connection


def nanoseconds(text: str) -> int:
    seconds, _, fraction = text.partition(".")
    return int(seconds + fraction.ljust(NS_DIGITS, "0"))


def read(path: Path) -> Packets:
    numbers: dict = {}
    rows = []
    with gzip.open(path, "rt", encoding="ascii") as file:
        for text in file:
            words = text.split()
            if len(words) != 7 or words[3] != ">" or words[6] == "0":
                continue
            connection = numbers.setdefault((words[2], words[4]), len(numbers))
            rows.append((connection, nanoseconds(words[0]), int(words[6])))
    columns = numpy.array(rows, numpy.int64).reshape(-1, 3).T
    order = numpy.lexsort((columns[1], columns[0]))
    return Packets(*columns[:, order], list(numbers))


def sizes(found: Packets, gap_ns: int) -> numpy.ndarray:
    """Bytes of every flowlet."""
    if not len(found.ns):
        return numpy.zeros(0, numpy.int64)
    new = numpy.diff(found.connection, prepend=-1) != 0
    new |= numpy.diff(found.ns, prepend=found.ns[0]) > gap_ns
    return numpy.add.reduceat(found.size, numpy.flatnonzero(new))


def byte_percentile(flowlets: numpy.ndarray, percent: float) -> int:
    """So many percent of all bytes are in flowlets of at most this size."""
    ordered = numpy.sort(flowlets)
    carried = numpy.cumsum(ordered)
    return int(ordered[numpy.searchsorted(carried, carried[-1] * percent / 100)])


def by_gap(found: Packets) -> list[dict]:
    rows = []
    for gap in GAPS_US:
        flowlets = sizes(found, gap * NS_PER_US)
        if len(flowlets):
            rows.append({"gap_us": gap, "flowlets": len(flowlets), "bytes": flowlets.sum(),
                         **{f"bytes_p{p}": byte_percentile(flowlets, p) for p in PERCENTILES}})
    return rows


def concurrency(found: Packets) -> list[dict]:
    """How many connections send within 1 ms, over all of the time."""
    if not len(found.ns):
        return []
    window = (found.ns - found.ns.min()) // WINDOW_NS
    pairs = numpy.unique(numpy.stack((window, found.connection)), axis=1)
    count = numpy.bincount(pairs[0])
    seconds = (found.ns.max() - found.ns.min()) / 10 ** NS_DIGITS or float("nan")
    return [{"gbit_per_s": f"{found.size.sum() * 8 / seconds / 1e9:.3f}",
             "median": f"{numpy.median(count):g}", "p90": f"{numpy.percentile(count, 90):g}",
             "max": int(count.max())}]
