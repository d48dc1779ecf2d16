# SPDX-License-Identifier: GPL-2.0
"""Flow sizes: the tables in workloads/, their exact moments, and draws from them.

A table is lines of "bytes cumulative-probability". Between two points the size is
uniform; where two points share a size, that size has a probability of its own.
Moments are fractions, not floats: the arrival rate of a load follows from the mean.
"""
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy

TABLES = Path(__file__).resolve().parent / "workloads"
FEWEST_POINTS = 2


class Workload(NamedTuple):
    name: str
    sizes: list  # Fractions, bytes
    probabilities: list  # Fractions, cumulative


def names() -> list[str]:
    return sorted(table.stem for table in TABLES.glob("*.cdf"))


def find(name: str) -> Workload:
    """The table called so in workloads/."""
    if name not in names():
        raise ValueError(f"unknown workload '{name}': there are {', '.join(names())}")
    return load(TABLES / f"{name}.cdf")


def parse_number(text: str, where: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{where}: '{text}' is not a number") from None


def parse_point(line: str, where: str) -> tuple[Fraction, Fraction]:
    words = line.split()
    if len(words) != 2:
        raise ValueError(f"{where}: expected 'bytes cumulative-probability', got '{line}'")
    size, probability = (parse_number(word, where) for word in words)
    if size < 0:
        raise ValueError(f"{where}: a size of {words[0]} bytes is negative")
    return size, probability


def read_lines(path: Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise ValueError(f"{path}: {reason}") from None


def check_step(before: tuple, after: tuple, where: str) -> None:
    if after[0] < before[0]:
        raise ValueError(f"{where}: the size is below that of the point before")
    if after[1] < before[1]:
        raise ValueError(f"{where}: the probability is below that of the point before")


def load(path: Path) -> Workload:
    """Read a table; ValueError names the file and line that is wrong."""
    points, where = [], f"{path}:1"
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{path}:{number}"
        point = parse_point(line, where)
        if points:
            check_step(points[-1], point, where)
        elif point[1] != 0:
            raise ValueError(f"{where}: the first probability is {float(point[1])}, not 0")
        points.append(point)
    check_whole(points, where)
    return Workload(Path(path).stem, [size for size, _ in points], [p for _, p in points])


def check_whole(points: list, where: str) -> None:
    if len(points) < FEWEST_POINTS:
        raise ValueError(f"{where}: {len(points)} points, at least {FEWEST_POINTS} are needed")
    if points[-1][1] != 1:
        raise ValueError(f"{where}: the last probability is {float(points[-1][1])}, not 1")
    if points[-1][0] == 0:
        raise ValueError(f"{where}: every size is 0 bytes")


def segments(workload: Workload) -> list[tuple[Fraction, Fraction, Fraction]]:
    """(probability, lower size, upper size) of each uniform stretch."""
    sizes, cumulative = workload.sizes, workload.probabilities
    return [(cumulative[i + 1] - cumulative[i], sizes[i], sizes[i + 1])
            for i in range(len(sizes) - 1)]


def mean(workload: Workload) -> Fraction:
    """Bytes."""
    return sum(p * (low + high) / 2 for p, low, high in segments(workload))


def second_moment(workload: Workload) -> Fraction:
    """Bytes squared: the integral of x^2 over a uniform stretch is (a^2 + ab + b^2) / 3."""
    return sum(p * (low * low + low * high + high * high) / 3
               for p, low, high in segments(workload))


def piece_squares(workload: Workload, piece: int) -> float:
    """Mean over flows of the sum of squares of a flow's pieces, in bytes squared.

    A flow is cut into pieces of `piece` bytes and one rest; 0 leaves it whole.
    Between two multiples of `piece` the number of full pieces is constant, which
    leaves the second moment of a uniform rest.
    """
    if not piece:
        return float(second_moment(workload))
    return sum(float(p) * stretch_squares(float(low), float(high), piece)
               for p, low, high in segments(workload))


def stretch_squares(low: float, high: float, piece: int) -> float:
    if low == high:
        full, rest = divmod(low, piece)
        return full * piece ** 2 + rest ** 2
    cuts = numpy.arange(low // piece + 1, -(-high // piece)) * piece
    ends = numpy.concatenate(([low], cuts, [high]))
    lower, upper = ends[:-1], ends[1:]
    full = numpy.floor((lower + upper) / 2 / piece)
    a, b = lower - full * piece, upper - full * piece
    squares = full * piece ** 2 + (a * a + a * b + b * b) / 3
    return float(((upper - lower) * squares).sum() / (high - low))


def draw(workload: Workload, generator: numpy.random.Generator, count: int) -> numpy.ndarray:
    """`count` independent sizes, in bytes: the inverse of the table at uniform points."""
    return numpy.interp(generator.random(count), numpy.array(workload.probabilities, float),
                        numpy.array(workload.sizes, float))
