# SPDX-License-Identifier: GPL-2.0
"""The CSVs of a folder, and the rows that belong together.

Schemes are compared seed by seed, and only where they ran the same trace.
"""
import csv
import math
import re
from pathlib import Path
from typing import NamedTuple

import keys

FORMS = ("full", "reduced", "quick")    # the best first
TAP = re.compile(r"(not )?ok ([0-9]+) (.*)")
NEEDED = ("id", "scenario", "forms", "scheme", "seed", "seconds", "trace")
OF_RUNS = ("queues", "throughput", "counters", "balance", "flowlets", "concurrency",
           "failures", "probes", "order")


class Tables(NamedTuple):
    """Rows of strings, as the files have them; of those of runs, {run's id: rows}."""
    runs: list = []
    queues: dict = {}
    throughput: dict = {}
    counters: dict = {}
    balance: dict = {}
    flowlets: dict = {}
    concurrency: dict = {}
    failures: dict = {}
    probes: dict = {}
    order: dict = {}
    ideal: list = []
    nash: list = []
    imbalance: list = []
    feedback: list = []
    calibration: list = []
    unequal: list = []
    cost: list = []
    reaction: list = []
    step: list = []
    step_series: list = []


def read_file(path: Path) -> list[dict]:
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(folder: Path) -> Tables:
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    found = {name: read_file(folder / f"{name}.csv") for name in Tables._fields}
    for name in ("feedback", "calibration"):
        found[name] = found[name] or read_tap(folder / f"{name}.tap")
    found["cost"] = found["cost"] or read_cost(folder / "cost.txt")
    if not any(found.values()):
        raise ValueError(f"{folder} has no runs.csv: lab csv makes it")
    for column in NEEDED:
        if found["runs"] and column not in found["runs"][0]:
            raise ValueError(f"{folder}/runs.csv has no column {column}")
    found["runs"] = list(map(with_new_columns, found["runs"]))
    return Tables(**{name: by_id(rows) if name in OF_RUNS else rows
                     for name, rows in found.items()})


def with_new_columns(run: dict) -> dict:
    """Of a run that was before some key."""
    return {**run, **{name: text for name, text in keys.BEFORE.items() if name not in run}}


def by_id(rows: list[dict]) -> dict:
    found: dict = {}
    for row in rows:
        found.setdefault(row["id"], []).append(row)
    return found


def read_tap(path: Path) -> list[dict]:
    """Tests that ran, as rows, with what they said."""
    if not path.exists():
        return []
    rows, said = [], []
    for text in path.read_text(encoding="utf-8").splitlines():
        match = TAP.fullmatch(text)
        if match and "# SKIP" not in match[3]:
            rows.append({"test": match[3], "passed": "0" if match[1] else "1",
                         "said": "; ".join(said)})
        said = said + [text[2:]] if text.startswith("# ") else []
    return rows


def read_cost(path: Path) -> list[dict]:
    """What make bench-cost said: "cost CASE INSTRUCTIONS RATIO"."""
    if not path.exists():
        return []
    lines = [text.split() for text in path.read_text(encoding="utf-8").splitlines()]
    return [{"case": words[1], "count": words[2]} for words in lines if words[:1] == ["cost"]]


def write_file(path: Path, rows: list[dict]) -> None:
    if not rows:
        path.unlink(missing_ok=True)
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def number(text: str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("nan")


def rank(text: str) -> tuple:
    """Numbers by size, then the other texts."""
    value = number(text)
    return (1, 0, text) if math.isnan(value) else (0, value, text)


def equal(cell: str, wanted) -> bool:
    """wanted: a text, a number, or several of them."""
    if isinstance(wanted, tuple):
        return any(equal(cell, one) for one in wanted)
    if isinstance(wanted, str):
        return cell == wanted
    return abs(number(cell) - wanted) < 1e-9


def of_form(tables: Tables, form: str) -> Tables:
    return tables._replace(runs=[row for row in tables.runs if form in row["forms"].split()])


def shortest(rows: list[dict]) -> list[dict]:
    """A point that was run for several lengths counts with the shortest."""
    least = min((number(row["seconds"]) for row in rows), default=0)
    return [row for row in rows if equal(row["seconds"], least)]


def matching(rows: list[dict], wanted: dict) -> list[dict]:
    return [row for row in rows
            if all(equal(row[column], value) for column, value in wanted.items())]


def select(tables: Tables, **wanted) -> list[dict]:
    return matching(tables.runs, wanted)


def by_column(rows: list[dict], column: str) -> dict:
    """{seed: row}; ValueError: one seed, two rows."""
    found: dict = {}
    for row in rows:
        seed = row[column]
        if seed in found:
            raise ValueError(f"{found[seed]['id']} and {row['id']} are the same point with the "
                             f"same {column} {seed}: leave one out")
        found[seed] = row
    return found


def pairs(one: list[dict], other: list[dict], column: str = "seed") -> dict:
    """{seed: (row, row)} of the seeds that both have.

    ValueError: two rows to be compared are of different traces.
    """
    rows = shortest(one + other)
    left = by_column([row for row in one if row in rows], column)
    right = by_column([row for row in other if row in rows], column)
    found = {seed: (left[seed], right[seed]) for seed in left if seed in right}
    for row, against in found.values():
        if row["trace"] != against["trace"]:
            raise ValueError(f"{row['id']} and {against['id']} cannot be compared: "
                             "they ran different traces")
    return found


def distinct(rows: list[dict], column: str) -> list[str]:
    """In the order of numbers, if they are."""
    return sorted({row[column] for row in rows}, key=rank)


def split(rows: list[dict], columns: tuple) -> dict:
    """{values of the columns: rows}"""
    found: dict = {}
    for row in rows:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return {key: found[key]
            for key in sorted(found, key=lambda key: list(map(rank, key)))}
