# SPDX-License-Identifier: GPL-2.0
"""What a run's transfers say: flowgen's lines as columns, and their statistics."""
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy

import values
from one_run import ETHERNET, MTU, MTU_HEADERS, TUNNEL

SMALL_BYTES = 100e3     # the paper's small transfers are below that (section 5.2)
LARGE_BYTES = 10e6      # and its large ones above that
MIDDLE_BYTES = 1e6      # TR's middle ones are from SMALL_BYTES to that, its long ones above
HOPS = 4                # links of a path: host, leaf, spine, leaf, host

LINES_AT_ONCE = 16384

COLUMNS = ("start", "size", "fct", "retransmits", "rtos", "out_of_order")


class Transfers(NamedTuple):
    """Columns. Seconds and bytes; NaN where flowgen has no number ("-")."""
    start: numpy.ndarray
    size: numpy.ndarray
    fct: numpy.ndarray      # of an unfinished one its age, a lower bound
    retransmits: numpy.ndarray
    rtos: numpy.ndarray
    out_of_order: numpy.ndarray
    group: numpy.ndarray    # a round of incast, a block of hdfs; -1: of no group
    finished: numpy.ndarray  # bool

    @property
    def grouped(self) -> numpy.ndarray:
        return self.group >= 0


def number(word: str) -> float:
    return float("nan") if word == "-" else float(word)


def read(path: Path) -> Transfers:
    """In pieces: words take twenty times the memory of their numbers."""
    pieces = []
    with open(path, encoding="ascii") as file:
        rows = (text.split() for text in file if not text.startswith("#"))
        while piece := list(itertools.islice(rows, LINES_AT_ONCE)):
            pieces.append(columns_of(piece))
    if not pieces:
        raise ValueError(f"{path} has no transfers")
    return Transfers(*map(numpy.concatenate, zip(*pieces)))


def columns_of(rows: list) -> Transfers:
    columns = list(zip(*rows))
    return Transfers(*(numpy.array([number(word) for word in columns[i]])
                       for i in range(len(COLUMNS))),
                     numpy.array([-1 if word == "-" else int(word) for word in columns[8]]),
                     numpy.array([word == "1" for word in columns[9]]))


def ideal_fct(size: numpy.ndarray, host_rate: int, link_rate: int, delay_ns: int,
              mtu: int = MTU):
    """Seconds that a transfer takes in an idle network.

    The bytes, with their headers, at the rate of the host's link; one round trip,
    for the request and the last byte: the propagation of four links there and back,
    and one full packet sent on over the other three links of its way.
    """
    packet = mtu + ETHERNET
    wire = size * packet / (mtu - MTU_HEADERS) * 8
    propagation = 2 * HOPS * delay_ns / values.NS_PER_SECOND
    forwarding = 8 * (2 * (packet + TUNNEL) / link_rate + packet / host_rate)
    return wire / host_rate + propagation + forwarding


def p99(column: numpy.ndarray) -> float:
    return float(numpy.percentile(column, 99)) if len(column) else float("nan")


def mean(column: numpy.ndarray) -> float:
    return float(column.mean()) if len(column) else float("nan")


def total(column: numpy.ndarray) -> int | float:
    """NaN: nothing was counted, as the retransmissions of MPTCP."""
    known = column[~numpy.isnan(column)]
    return int(known.sum()) if len(known) or not len(column) else float("nan")


def of_sizes(found: Transfers, which: numpy.ndarray, name: str) -> dict:
    fct = found.fct[which]
    return {f"{name}_transfers": int(which.sum()), f"{name}_mean_fct_s": mean(fct),
            f"{name}_p99_fct_s": p99(fct)}


def goodput(found: Transfers, which: numpy.ndarray) -> float:
    """Mean of what each of these got, bit/s."""
    return mean(8 * found.size[which] / found.fct[which])


def job(found: Transfers) -> dict:
    """Of the transfers in groups: their bytes, when the last one is complete, and how long
    a group takes in the mean, on which one late packet among all has little influence."""
    grouped = found.grouped
    if not grouped.any():
        return {"job_bytes": 0, "job_seconds": float("nan"), "group_mean_s": float("nan")}
    whole = found.finished[grouped].all()
    end = (found.start + found.fct)[grouped].max() if whole else float("nan")
    longest = numpy.zeros(found.group.max() + 1)
    numpy.maximum.at(longest, found.group[grouped], found.fct[grouped])
    each = mean(longest[numpy.unique(found.group[grouped])]) if whole else float("nan")
    return {"job_bytes": total(found.size[grouped]), "job_seconds": float(end),
            "group_mean_s": each}


def statistics(found: Transfers, host_rate: int, link_rate: int, delay_ns: int,
               mtu: int = MTU) -> dict:
    """FCT statistics are of those transfers that are not part of a job, if there are
    any, and that have begun; those that are unfinished enter with their age."""
    counted = ~numpy.isnan(found.fct)
    if not found.grouped.all():
        counted &= ~found.grouped
    fct, size = found.fct[counted], found.size[counted]
    ideal = ideal_fct(size, host_rate, link_rate, delay_ns, mtu)
    return {
        "transfers": len(found.size), "unfinished": int((~found.finished).sum()),
        "bytes": total(found.size), "mean_fct_s": mean(fct), "p99_fct_s": p99(fct),
        "normalised_fct": mean(fct) / mean(ideal), "mean_slowdown": mean(fct / ideal),
        **of_sizes(found, counted & (found.size < SMALL_BYTES), "small"),
        **of_sizes(found, counted & (found.size > LARGE_BYTES), "large"),
        **of_sizes(found, counted & (found.size >= SMALL_BYTES) & (found.size <= MIDDLE_BYTES),
                   "middle"),
        **of_sizes(found, counted & (found.size > MIDDLE_BYTES), "long"),
        "long_goodput_bit_s": goodput(found, counted & (found.size > MIDDLE_BYTES)),
        "retransmits": total(found.retransmits), "rtos": total(found.rtos),
        "out_of_order": total(found.out_of_order), **job(found),
    }
