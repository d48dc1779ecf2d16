# SPDX-License-Identifier: GPL-2.0
"""How far runs are, and how fast, while they run: by what flowgen prints every 100 ms of
the machine's time.
"""
import re
from pathlib import Path
from typing import NamedTuple, Optional

LINE = re.compile(rb"^progress ([0-9]+) ([0-9]+) ([0-9]+)$", re.MULTILINE)
TAIL_BYTES = 4096
NS_PER_SECOND = 1e9


class Point(NamedTuple):
    wall: float         # seconds of this computer
    ns: int             # since the load began, in the machine
    transfers: int      # that are done
    bytes: int          # of data that arrived


def read(output: Path, wall: float) -> Optional[Point]:
    """The last that was printed, if anything was."""
    with open(output, "rb") as file:
        file.seek(max(0, output.stat().st_size - TAIL_BYTES))
        found = LINE.findall(file.read())
    return Point(wall, *map(int, found[-1])) if found else None


class Watch:
    """What each run had done when somebody looked last."""

    def __init__(self):
        self.points: dict = {}

    def look(self, name: str, output: Path, started: float,
             wall: float) -> Optional[tuple[Point, float]]:
        """The point, and bytes per second of this computer since the one before, or since
        the machine was started; nothing, if there is no new one."""
        before = self.points.get(name, Point(started, 0, 0, 0))
        now = read(output, wall)
        if now is None or now.ns == before.ns:
            return None
        self.points[name] = now
        return now, (now.bytes - before.bytes) / (wall - before.wall)

    def forget(self, name: str) -> None:
        self.points.pop(name, None)


def text(point: Point, rate: float, total: int) -> str:
    return (f"{point.ns / NS_PER_SECOND:.1f} s, {point.bytes / 1e9:.1f} of {total / 1e9:.1f} GB, "
            f"{rate / 1e6:.0f} MB/s")
