#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""How CONGA answers a step of remote load, over Q, tau, the round trip and Tfl.

Section 3.6 of the paper says that tau must be larger than the round trip, or else the
loop oscillates. Leaf 0 sends a constant rate by two spines; at a moment other traffic
begins to load the link behind spine 0, and later it ends. The machine of lab/step says
how leaf 0 divides its traffic, response.py what follows from that, stability.py draws it.
The same seed gives the same bytes.
"""
import argparse
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy

import commandline
import drawing
import response
import results
import runner
import stability
from response import Series

# ---- the network of lab/step ----

SENT_GBITS, STEP_GBITS = 20, 10     # by leaf 0, and of the step: links of 25 are behind spines
HEADERS = 92            # bytes: VXLAN over IPv4, and the inner headers of a datagram
LINKS_OF_LOOP = 4       # a round trip crosses so many links of the fabric
TDRE_OF_TAU = 10        # alpha is 0.1: tau = Tdre / alpha
US = 1000               # ns

# ---- a run: its scale is its loop, tau + round trip ----

ZERO_NS = 10_000_000    # its time 0 is the first multiple of this in its future
BEGIN_NS = 1_000_000    # of the traffic
TICK_NS, LATE_NS = 100, 500     # of all times; and how late a packet may be
LOADED_LOOPS, AROUND_LOOPS = 24, 8  # the step lasts so long; before and after it
PACKETS, PICTURES, BACKS = 80, 10, 20   # of a loop: of leaf 0, of the links, and of leaf 1
LEAST_GRAIN_NS, LEAST_BACK_NS = 5000, 2500
FRAMES = (1500, 9000)   # bytes on the wire of a packet of leaf 0 and of the step, at most
FLOWS = 200             # of leaf 0
STAYS = 8               # and flows beside these that never pause
SMALL_BYTES = 100       # of their datagrams, and of those of leaf 1, which carry feedback
ROOM = 1.05             # a paced flow is silent for so many Tfl; the others for 1 / 1.05 at most
LEAST_TIMEOUT, TIMEOUT_LOOPS = 50, 1 / 4    # us; of paced runs, in which it does not matter

# ---- the runs ----

QS = (2, 3, 4, 5, 6)
TAUS = (20, 50, 100, 160, 250, 500, 1000)
ROUND_TRIPS = (20, 50, 200, 400, 1000)
TIMEOUTS = (50, 100, 200, 500, 1000)
TIMEOUT_TAUS = (50, 160, 500)
USUAL_TAU, USUAL_ROUND_TRIP, USUAL_TIMEOUT, USUAL_Q = 160, 100, 500, 3
BOOT_SECONDS, MOST_SECONDS = 100, 24    # a machine may take so long, and this for a run
AT_ONCE = 20            # runs of a machine


class Point(NamedTuple):
    """What a run differs in; times in us. If paced, no flow sends again within Tfl, so that
    each packet is a flowlet and only the feedback loop decides; if not, each packet is of a
    flow drawn at random, so that Tfl decides which packets begin a flowlet. Flows that never
    pause stay where they are, so that every path is measured at all times."""
    q: int
    tau_us: int
    rtt_us: int
    tfl_us: int
    paced: int


class Row(NamedTuple):
    """A point and its response (response.py), with empty cells for None."""
    seed: int
    q: int
    tau_us: int
    rtt_us: int
    tfl_us: int
    paced: int
    share_before: str
    share: str
    reaction_us: str
    overshoot: str
    settling_us: str
    back_us: str
    amplitude: str
    period_us: str
    queue_bytes: int


class Moment(NamedTuple):
    """Of the responses over time that are drawn."""
    q: int
    tau_us: int
    rtt_us: int
    us: str
    share: str


def paced(q: int, tau: int, rtt: int) -> Point:
    return Point(q, tau, rtt, max(LEAST_TIMEOUT, round((tau + rtt) * TIMEOUT_LOOPS)), 1)


def points() -> list[Point]:
    loop = [paced(q, tau, USUAL_ROUND_TRIP) for q, tau in itertools.product(QS, TAUS)]
    loop += [paced(q, USUAL_TAU, rtt) for q, rtt in itertools.product(QS, ROUND_TRIPS)]
    flowlets = [Point(USUAL_Q, tau, USUAL_ROUND_TRIP, timeout, 0)
                for tau, timeout in itertools.product(TIMEOUT_TAUS, TIMEOUTS)]
    return loop + flowlets + [Point(USUAL_Q, USUAL_TAU, rtt, USUAL_TIMEOUT, 0)
                              for rtt in ROUND_TRIPS]


def name(point: Point) -> str:
    return "-".join(map(str, point))


# ---- what a machine is told ----

class Scale(NamedTuple):
    """Of a run: in ns, and bytes."""
    step: int
    step_end: int
    end: int
    grain: int      # between two pictures
    back: int       # between two datagrams of leaf 1
    frame: int


def scale(point: Point, generator) -> Scale:
    """The step begins anywhere between two pictures."""
    loop = (point.tau_us + point.rtt_us) * US
    grain = max(LEAST_GRAIN_NS, loop // PICTURES)
    step = BEGIN_NS + AROUND_LOOPS * loop + int(generator.integers(grain // TICK_NS)) * TICK_NS
    end = step + LOADED_LOOPS * loop
    frame = min(max(SENT_GBITS * loop // PACKETS // 8, FRAMES[0]), FRAMES[1])
    return Scale(step, end, end + AROUND_LOOPS * loop, grain,
                 max(LEAST_BACK_NS, loop // BACKS), frame)


def order(count: int, silent: int, generator) -> list[int]:
    """Which flow sends each packet: a random one of those that sent none of the last
    `silent` packets."""
    free, sent = list(range(FLOWS)), []
    for place in range(count):
        if place > silent:
            free.append(sent[place - silent - 1])
        at = int(generator.integers(len(free)))
        free[at], free[-1] = free[-1], free[at]
        sent.append(free.pop())
    return sent


def ticks(begin: int, end: int, apart: float) -> list[int]:
    """Times of packets."""
    times = numpy.arange(begin, end, apart)
    return (numpy.round(times / TICK_NS) * TICK_NS).astype(int).tolist()


def events(point: Point, generator, found: Scale) -> list[tuple]:
    """(time, command) of timetable."""
    packet_ns = found.frame * 8 / SENT_GBITS
    sent = ticks(BEGIN_NS, found.end, packet_ns)
    silent = int(ROOM * point.tfl_us * US / packet_ns) if point.paced else 0
    some = [(at, f"send flow{flow} {found.frame - HEADERS}")
            for at, flow in zip(sent, order(len(sent), silent, generator))]
    some += [(at, f"send step {found.frame}") for at in
             ticks(found.step, found.step_end, found.frame * 8 / STEP_GBITS)]
    some += [(at, f"send back {SMALL_BYTES}") for at in
             ticks(BEGIN_NS, found.end, found.back)]
    apart = point.tfl_us * US / ROOM
    for flow in range(STAYS):
        some += [(at, f"send flow{FLOWS + flow} {SMALL_BYTES}") for at in
                 ticks(BEGIN_NS + round(apart * flow / STAYS), found.end, apart)]
    return sorted(some, key=lambda event: event[0])


def commands(point: Point, seed: int) -> tuple[list[str], Scale]:
    """For timetable, without the ends."""
    generator = numpy.random.default_rng([seed, *point])
    found = scale(point, generator)
    lines = [f"zero {ZERO_NS}", f"late {LATE_NS}"]
    for at, some in itertools.groupby(events(point, generator, found), lambda event: event[0]):
        lines += [f"at {at}", *(text for _, text in some)]
    return lines, found


def run_line(point: Point, found: Scale) -> str:
    pictures = (ZERO_NS + found.end) // found.grain + 1
    return (f"{name(point)} {point.rtt_us * US // LINKS_OF_LOOP} {found.grain} {pictures} "
            f"q {point.q} tdre {point.tau_us * US // TDRE_OF_TAU}ns "
            f"flowlet-timeout {point.tfl_us}us")


def write_plan(folder: Path, some: list[Point], seed: int) -> dict:
    """{name: Scale}"""
    found, lines = {}, []
    for point in some:
        text, found[name(point)] = commands(point, seed)
        (folder / name(point)).write_text("\n".join(text) + "\n", encoding="ascii")
        lines.append(run_line(point, found[name(point)]))
    (folder / "runs").write_text("\n".join(lines) + "\n", encoding="ascii")
    (folder / "flows").write_text(f"{FLOWS + STAYS}\n", encoding="ascii")
    return found


# ---- what a machine says ----

class Pictures(NamedTuple):
    ns: numpy.ndarray
    sent: numpy.ndarray     # bytes by uplink 0 and 1, so far
    queue: numpy.ndarray    # bytes that wait behind spine 0


def sections(text: str) -> dict:
    """{name: Pictures}; ValueError if it is not whole."""
    found = {}
    *some, last = text.split("== ")[1:] or [""]
    if last.strip() != "end":
        raise ValueError("the machine did not come to the end")
    for section in some:
        head, *lines = section.splitlines()
        rows = numpy.array([line.split() for line in lines], numpy.int64)
        found[head] = Pictures(rows[:, 0], rows[:, 1:3], rows[:, 3])
    return found


def series(found: Pictures, at: Scale) -> Series:
    """The shares of all intervals in which leaf 0 sends all the time, but the very first may
    have to wait for neighbours. It begins to send BEGIN_NS after a multiple of ZERO_NS, which
    the first interval with traffic tells."""
    steps = numpy.diff(found.sent, axis=0)
    traffic = steps.sum(axis=1) > 0
    if not traffic.any():
        raise ValueError("leaf 0 sent nothing")
    zero = (found.ns[1:][traffic][0] - BEGIN_NS) // ZERO_NS * ZERO_NS
    ends = found.ns[1:] - zero
    whole = traffic & (ends - at.grain >= BEGIN_NS) & (ends <= at.end)
    return Series((ends[whole] - at.step) / US, steps[whole, 0] / steps[whole].sum(axis=1),
                  (at.step_end - at.step) / US)


def cell(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}".rstrip("0").rstrip(".")


def row(seed: int, point: Point, one: Series, queue: int) -> Row:
    found = response.analyse(one)
    return Row(seed, *point, *map(cell, found), queue)


def moments(point: Point, one: Series) -> list[Moment]:
    return [Moment(point.q, point.tau_us, point.rtt_us, cell(us), cell(share))
            for us, share in zip(one.us.tolist(), one.share.tolist())]


# ---- the machine ----

def machine(folder: Path, some: list[Point], seed: int) -> str:
    command = [runner.SELFTESTS / "vm" / "run", "-k", "uml", "--time-travel", "--seed", str(seed),
               "-t", str(BOOT_SECONDS + MOST_SECONDS * len(some)), "--", "lab/step", folder]
    done = subprocess.run(command, cwd=results.TREE, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"the machine failed: {done.stdout[-200:]}{done.stderr[-2000:]}")
    return done.stdout


def measure(some: list[Point], seed: int, folder: Path) -> tuple[list[Row], list[Moment]]:
    rows, drawn = [], []
    at = write_plan(folder, some, seed)
    found = sections(machine(folder, some, seed))
    for point in some:
        pictures = found[name(point)]
        one = series(pictures, at[name(point)])
        rows.append(row(seed, point, one, int(pictures.queue.max())))
        if point[:3] in stability.SHOWN and point.paced:
            drawn += moments(point, one)
        print(" ".join(f"{key}={value}" for key, value in rows[-1]._asdict().items()), flush=True)
    return rows, drawn


def parse():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.error = lambda message: commandline.refuse(options.prog, message)
    options.add_argument("--seed", type=commandline.whole_number(0), default=1,
                         help="default %(default)s")
    options.add_argument("--into", type=Path, default=results.folder(), metavar="DIR",
                         help="where step.csv, step_series.csv and two pictures go; %(default)s")
    return options, options.parse_args()


def write(program: str, into: Path, rows: list[Row], drawn: list[Moment]) -> None:
    for file, some in (("step", rows), ("step_series", drawn)):
        if some:
            commandline.write_csv(commandline.open_csv(program, str(into / f"{file}.csv")), some)
    for file, draw in stability.FIGURES.items():
        picture = draw([one._asdict() for one in rows], [one._asdict() for one in drawn])
        if picture:
            text = drawing.document(picture)
            (into / f"{file}.svg").write_text(text, encoding="utf-8")


def main() -> int:
    options, given = parse()
    rows, drawn, todo = [], [], points()
    try:
        given.into.mkdir(parents=True, exist_ok=True)
        runner.check_visible(given.into)
        for begin in range(0, len(todo), AT_ONCE):
            with tempfile.TemporaryDirectory(dir=given.into) as folder:
                some = measure(todo[begin:begin + AT_ONCE], given.seed, Path(folder))
            rows += some[0]
            drawn += some[1]
            write(options.prog, given.into, rows, drawn)
    except (OSError, ValueError) as error:
        options.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
