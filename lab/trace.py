# SPDX-License-Identifier: GPL-2.0
"""Traces: the transfers of a run as a file that flowgen replays.

A trace is made once for its parameters and kept outside the tree, so that every
scheme, buffer and failure sees the same transfers. It depends on them alone: they
seed numpy's PCG64 by their SHA-256.
"""
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy

import one_run
import patterns
import values
import workload
from one_run import Run
from patterns import NOTHING, Transfers

FORMAT = 1              # another one where the same parameters give other transfers
LINES_AT_ONCE = 65536

# What flowgen takes (flowgen.h)
TRANSFERS_MAX = 1000000
CONNECTIONS_MAX = 65536
FABRIC_KEYS = ("fabric.leaves", "fabric.hosts", "fabric.spines", "fabric.links",
               "fabric.link_rate", "fabric.pods")
COLUMNS = "START_NS BYTES FROM TO COPY GROUP AFTER RELAY"


class Trace(NamedTuple):
    path: Path
    sha256: str
    transfers: int
    bytes: int
    realised_load: float    # while transfers arrive; 0 if their starts follow from ends


def cache() -> Path:
    """CONGA_CACHE moves it."""
    found = os.environ.get("CONGA_CACHE")
    if not found:
        found = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "conga"
    return Path(found).resolve()


def folder() -> Path:
    return cache() / "lab" / "traces"


def parameters(run: Run) -> dict:
    """All that the transfers depend on, as text."""
    paths = [*FABRIC_KEYS, *one_run.trace_keys(run)]
    found = {"format": str(FORMAT), **{path: str(run[path]) for path in paths}}
    if one_run.wanted_rate(run) and run["fabric.mtu"] != one_run.MTU:
        found["fabric.mtu"] = str(run["fabric.mtu"])    # headers are a part of the load
    if run["schemes.foreign_hosts"]:
        found["schemes.foreign_hosts"] = str(run["schemes.foreign_hosts"])
    if "load.workload" in paths:
        del found["load.caps"]
        found["load.cap"] = str(one_run.cap_of(run) or "none")
        found["load.table"] = one_run.digest(table_text(run))
    return found


def table_text(run: Run) -> dict:
    table = workload.find(run["load.workload"])
    return {"sizes": [str(size) for size in table.sizes],
            "probabilities": [str(p) for p in table.probabilities]}


def make(run: Run) -> Transfers:
    whole = one_run.whole(run)
    seed = int(one_run.digest(parameters(one_run.at_once(whole))), 16)
    generator = numpy.random.Generator(numpy.random.PCG64(seed))
    found = patterns.PATTERNS[run["load.pattern"]](whole, generator)
    if run["load.prefix_of"]:
        found = patterns.before(found, run["load.seconds"])
    check_size(run, found)
    return found


def check_size(run: Run, found: Transfers) -> None:
    pairs = numpy.stack((found.sender, found.receiver, found.copy))
    for what, count, most in (
            ("transfers", len(found.start), TRANSFERS_MAX),
            ("connections", numpy.unique(pairs, axis=1).shape[1], CONNECTIONS_MAX)):
        if not 0 < count <= most:
            raise ValueError(f"{run.scenario}: a run of {count} {what}; flowgen takes from 1 to "
                             f"{most}")


def open_bytes(found: Transfers) -> int:
    """Of transfers whose start is given, not the end of others."""
    return int(found.size[found.group == NOTHING].sum())


def realised_load(run: Run, found: Transfers) -> float:
    """Of the healthy capacity; of a demand: of what is demanded. With headers, as if all
    packets were full."""
    if run["load.pattern"] in ("incast", "idle"):
        return 0.0
    seconds = run["load.seconds"] / values.NS_PER_SECOND
    load = open_bytes(found) / (seconds * one_run.offered_rate(run))
    return load if run["load.pattern"] == "demand" else load * float(run["load.load"])


# ---- files ----

def header(run: Run, found: Transfers) -> dict:
    facts = {**parameters(run), "transfers": str(len(found.start)),
             "bytes": str(int(found.size.sum())),
             "realised_load": f"{realised_load(run, found):.6f}"}
    if run["load.pattern"] in ("client-server", "hdfs"):
        facts["mean_bytes"] = f"{float(workload.mean(patterns.table_of(run))):.1f}"
    return facts


def write(path: Path, run: Run, found: Transfers) -> None:
    with open(path, "w", encoding="ascii") as file:
        for name, value in header(run, found).items():
            file.write(f"# {name} {value}\n")
        file.write(f"# {COLUMNS}\n")
        rows = numpy.stack(found, axis=1)
        for first in range(0, len(rows), LINES_AT_ONCE):
            file.writelines(line(row) for row in rows[first:first + LINES_AT_ONCE].tolist())


def line(row: list) -> str:
    return " ".join("-" if value == NOTHING else str(value) for value in row) + "\n"


def read_header(path: Path) -> dict:
    found = {}
    with open(path, encoding="ascii") as file:
        for text in file:
            if not text.startswith("# "):
                break
            name, _, value = text[2:].strip().partition(" ")
            found[name] = value
    return found


def path_of(run: Run) -> Path:
    return folder() / f"{one_run.digest(parameters(run))[:16]}.trace"


def get(run: Run) -> Trace:
    """The trace of a run, made if it is not there yet."""
    path = path_of(run)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        write(partial, run, make(run))
        partial.rename(path)
    facts = read_header(path)
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Trace(path, sha256, int(facts["transfers"]),
                 int(facts["bytes"]), float(facts["realised_load"]))
