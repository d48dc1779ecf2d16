#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What an ideal fabric would give: the transfers of a scenario's traces, if hosts' links
were the only ones, and all transfers shared them as max-min fairness has it, at once.

No scheme of the fabric can do much better, so that what is measured over this is the
most by which any scheme can beat another on that trace. A connection's transfers follow
each other, as in a run; headers are counted, delays and losses are not.
"""
import argparse
import sys
from collections import defaultdict, deque
from pathlib import Path
from typing import NamedTuple

import numpy

import commandline
import results
import scenario
import trace
from one_run import Run
from transfers import LARGE_BYTES, SMALL_BYTES, mean

SCENARIOS = ("fattree", "fattree-cut")
NEVER = float("inf")


def shares(active: dict, capacity: float) -> dict:
    """{transfer: bytes per second}; active: {transfer: (sender, receiver)}. The link with the
    least for each of its transfers is shared out, then the next of what is left."""
    users: dict = defaultdict(set)
    for transfer, (sender, receiver) in active.items():
        users["from", sender].add(transfer)
        users["to", receiver].add(transfer)
    left = dict.fromkeys(users, capacity)
    found: dict = {}
    while users:
        tightest = min(users, key=lambda link: left[link] / len(users[link]))
        share = left[tightest] / len(users[tightest])
        for transfer in users.pop(tightest):
            found[transfer] = share
            for link in (("from", active[transfer][0]), ("to", active[transfer][1])):
                if link in users:
                    left[link] -= share
                    users[link].discard(transfer)
                    if not users[link]:
                        del users[link]
    return found


class Hosts:
    """What is on its way, and what waits for its connection."""

    def __init__(self, capacity: float):
        self.capacity = capacity
        self.active: dict = {}      # transfer -> (sender, receiver)
        self.rest: dict = {}        # -> bytes
        self.rates: dict = {}
        self.waiting: dict = defaultdict(deque)     # connection -> transfers; the first is active

    def ask(self, transfer: int, size: int, connection: tuple) -> None:
        self.waiting[connection].append((transfer, size))
        if len(self.waiting[connection]) == 1:
            self.begin(connection)

    def begin(self, connection: tuple) -> None:
        transfer, size = self.waiting[connection][0]
        self.active[transfer], self.rest[transfer] = connection, size
        self.share()

    def share(self) -> None:
        self.rates = shares({transfer: ends[:2] for transfer, ends in self.active.items()},
                            self.capacity)

    def first_end(self) -> tuple[float, int]:
        """(seconds from now, transfer)"""
        return min(((self.rest[transfer] / rate, transfer)
                    for transfer, rate in self.rates.items()), default=(NEVER, -1))

    def go_on(self, seconds: float) -> None:
        for transfer, rate in self.rates.items():
            self.rest[transfer] -= rate * seconds

    def end(self, transfer: int) -> None:
        connection = self.active.pop(transfer)
        del self.rest[transfer]
        self.waiting[connection].popleft()
        if self.waiting[connection]:
            self.begin(connection)
        else:
            self.share()


def completion_times(rows: list[tuple], capacity: float) -> numpy.ndarray:
    """Seconds; rows: (start in s, bytes, sender, receiver, copy) by start; capacity in bytes
    of data per second."""
    hosts, found, now = Hosts(capacity), numpy.zeros(len(rows)), 0.0
    coming = deque(enumerate(rows))
    while coming or hosts.active:
        start = coming[0][1][0] if coming else NEVER
        wait, transfer = hosts.first_end()
        hosts.go_on(min(wait, start - now))
        if now + wait <= start:
            now += wait
            found[transfer] = now - rows[transfer][0]
            hosts.end(transfer)
        else:
            number, (now, size, *connection) = coming.popleft()
            hosts.ask(number, size, tuple(connection))
    return found


def read(path: Path) -> list[tuple]:
    rows = [text.split() for text in path.read_text(encoding="ascii").splitlines()
            if not text.startswith("#")]
    return [(int(row[0]) / 1e9, *map(int, row[1:5])) for row in rows]


class Row(NamedTuple):
    trace: str
    workload: str
    load: float
    seed: int
    mean_fct_s: float
    small_mean_fct_s: float
    large_mean_fct_s: float
    p99_fct_s: float


def row(run: Run) -> Row:
    made = trace.get(run)
    rows = read(made.path)
    fct = completion_times(rows, run["fabric.host_rate"] / 8 * run.host_payload)
    size = numpy.array([one[1] for one in rows])
    return Row(made.sha256[:results.HASH_DIGITS], run["load.workload"], float(run["load.load"]),
               run["load.seed"], mean(fct), mean(fct[size < SMALL_BYTES]),
               mean(fct[size > LARGE_BYTES]), float(numpy.percentile(fct, 99)))


def traces(names: list, form: str) -> list[Run]:
    """A run for each trace."""
    found = {trace.path_of(run): run for name in names
             for run in scenario.expand(scenario.find(name), form)}
    return list(found.values())


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.error = lambda message: commandline.refuse(options.prog, message)
    options.add_argument("--form", default="reduced", help="of the scenarios, default %(default)s")
    options.add_argument("--csv", metavar="FILE", help="write the rows there too")
    given = options.parse_args()
    try:
        runs = traces(SCENARIOS, given.form)
    except ValueError as error:
        options.error(str(error))
    file = commandline.open_csv(options.prog, given.csv)
    rows = []
    for run in runs:
        rows.append(row(run))
        print(" ".join(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
                       for name, value in rows[-1]._asdict().items()), flush=True)
    commandline.write_csv(file, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
