# SPDX-License-Identifier: GPL-2.0
"""Whether a capture says the same of a run's transfers as flowgen does.

Packets are written down where they leave the last link, to the receiver. A transfer
is complete when as many bytes as all transfers of its connection so far have come. Of
connections that sent something again a packet does not tell which bytes it brings:
they are left out.
"""
import gzip
from pathlib import Path
from typing import NamedTuple

import numpy

import flowlets
import results
import transfers

MOST_OFF = 0.01     # of a completion time
ENOUGH = 0.5        # of the transfers must be comparable
HOSTS_FIRST = 10    # last byte of the address of a leaf's first host


class Agreement(NamedTuple):
    transfers: int  # compared
    of: int
    worst: float    # difference, as a part of the completion time
    mean: float


def begin_ns(path: Path) -> int:
    """When flowgen's clock started, by the clock of the capture."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        for text in file:
            name, _, value = text.partition(" ")
            if name == "begin":
                return flowlets.nanoseconds(value.strip())
    raise ValueError(f"{path} does not say when the load began")


def read_rows(path: Path) -> list:
    """(start, size, sender, receiver, copy) of a trace's transfers."""
    with open(path, encoding="ascii") as file:
        return [tuple(map(int, text.split()[:5])) for text in file if not text.startswith("#")]


def host_of(address: str, hosts: int) -> int:
    """Its number, of "192.168.LEAF.HOST.PORT"."""
    _, _, leaf, host, _ = address.rstrip(":").split(".")
    return int(leaf) * hosts + int(host) - HOSTS_FIRST


def connections(packets: flowlets.Packets, hosts: int) -> dict:
    """(sender, receiver) -> [(moments, bytes come by then), ...], one each."""
    found: dict = {}
    ends = numpy.flatnonzero(numpy.diff(packets.connection, append=-1)) + 1
    for number, part in enumerate(numpy.split(numpy.arange(len(packets.ns)), ends[:-1])):
        sender, receiver = packets.names[number]
        pair = host_of(sender, hosts), host_of(receiver, hosts)
        found.setdefault(pair, []).append((packets.ns[part],
                                           numpy.cumsum(packets.size[part])))
    return found


def by_connection(rows: list) -> dict:
    """(sender, receiver) -> [numbers of transfers, ...], a list per connection."""
    found: dict = {}
    for number, (_, _, sender, receiver, copy) in enumerate(rows):
        found.setdefault((sender, receiver), {}).setdefault(copy, []).append(number)
    return {pair: list(copies.values()) for pair, copies in found.items()}


def completions(numbers: list, sizes: numpy.ndarray, seen: list):
    """Moments, if one connection of the pair has carried just these transfers."""
    ends = numpy.cumsum(sizes[numbers])
    fitting = [(ns, come) for ns, come in seen if come[-1] == ends[-1]]
    if len(fitting) != 1:
        return None
    ns, come = fitting[0]
    return ns[numpy.searchsorted(come, ends)]


def compare(folder: Path, replayed: Path, hosts: int) -> Agreement:
    rows = read_rows(replayed)
    told = transfers.read(folder / "transfers")
    begin = begin_ns(folder / "capture.gz")
    seen = connections(flowlets.read(folder / "capture.gz"), hosts)
    starts, sizes = (numpy.array(column) for column in list(zip(*rows))[:2])
    off = []
    for pair, copies in by_connection(rows).items():
        for numbers in copies:
            moments = completions(numbers, sizes, seen.get(pair, []))
            if moments is not None:
                fct = (moments - begin - starts[numbers]) / 1e9
                off.append(numpy.abs(fct - told.fct[numbers]) / told.fct[numbers])
    found = numpy.concatenate(off) if off else numpy.zeros(0)
    if len(found) < ENOUGH * len(rows):
        raise ValueError(f"{len(found)} of {len(rows)} transfers can be told from the capture")
    return Agreement(len(found), len(rows), float(found.max()), float(found.mean()))


def check(store: Path, scenario_name: str) -> list:
    """(id, Agreement) of all runs of the scenario."""
    found = []
    for folder, meta in results.stored(store):
        if meta["scenario"] == scenario_name:
            found.append((meta["id"], compare(folder, Path(meta["trace"]["path"]),
                                              int(meta["values"]["hosts"]))))
    if not found:
        raise ValueError(f"there is no run of {scenario_name} in {store}")
    return found
