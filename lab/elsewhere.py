# SPDX-License-Identifier: GPL-2.0
"""Runs that were made elsewhere, or before their folders were gone: all that is left is
the tables of "lab csv", or those of "lab unpack".

The same run on the same kernel is the same to the bit, so that an evaluation may be
made in parts, by several computers.
"""
from pathlib import Path

import tables


def read(folder: Path) -> list[dict]:
    """The rows of runs.csv."""
    runs = tables.read(folder).runs
    if not runs:
        raise ValueError(f"{folder} has no runs.csv: lab csv makes it")
    return runs


def key(run: dict) -> str:
    """That of results.run_id()."""
    return run["id"].split("-")[-2]


def done(folder: Path, releases: list[str]) -> set[str]:
    """The runs that were made on one of these kernels."""
    return {run["id"] for run in read(folder) if run["kernel"] in releases}


def rows(folder: Path, known: set[str], inputs: str | None) -> dict:
    """{table: rows} of runs that are not known here. inputs: only of these, if given."""
    new = {run["id"] for run in read(folder)
           if run["id"] not in known and inputs in (None, run["inputs"])}
    return {name: [row for row in tables.read_file(folder / f"{name}.csv") if row["id"] in new]
            for name in ("runs", *tables.OF_RUNS)}
