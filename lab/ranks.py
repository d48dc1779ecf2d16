# SPDX-License-Identifier: GPL-2.0
"""All schemes side by side: a table for each fabric of the scenario schemes, the scheme
with the least mean completion time first."""
from typing import Callable, NamedTuple

import tables
from measures import Quantity, cell, mean
from tables import FORMS, Tables, number

SCENARIO = "schemes"
SEGMENT_BYTES = 1448
MS = 1e3


class Fabric(NamedTuple):
    name: str
    is_it: Callable     # of a run's row


class Column(NamedTuple):
    name: str
    quantity: Quantity


def healthy(run: dict) -> bool:
    return not (run["cut"] or run["link_delays"] or run["link_rates"])


def fabric(name: str, differs: Callable, mode: str = "conga",
           congestion: str = "cubic") -> Fabric:
    return Fabric(name, lambda run: (run["mode"], run["congestion"]) == (mode, congestion)
                  and differs(run))


FABRICS = (
    fabric("healthy", healthy),
    fabric("one link failed", lambda run: bool(run["cut"])),
    fabric("unequal delays", lambda run: bool(run["link_delays"])),
    fabric("unequal rates", lambda run: bool(run["link_rates"])),
    fabric("plain leaves, healthy", healthy, "plain"),
    fabric("plain leaves, one link failed", lambda run: bool(run["cut"]), "plain"),
    fabric("DCTCP, healthy", healthy, congestion="dctcp"),
    fabric("DCTCP, one link failed", lambda run: bool(run["cut"]), congestion="dctcp"),
)


def milliseconds(column: str) -> Quantity:
    return lambda _found, run: number(run[column]) * MS


def per_thousand(column: str) -> Quantity:
    """Of the segments that carry the run's data."""
    return lambda _found, run: number(run[column]) * SEGMENT_BYTES / number(run["bytes"]) * 1000


COLUMNS = (
    Column("mean FCT / idle", cell("normalised_fct")),
    Column("small: mean, ms", milliseconds("small_mean_fct_s")),
    Column("small: p99, ms", milliseconds("small_p99_fct_s")),
    Column("large: mean, ms", milliseconds("large_mean_fct_s")),
    Column("large: p99, ms", milliseconds("large_p99_fct_s")),
    Column("out of order per 1,000", per_thousand("out_of_order")),
    Column("retransmits per 1,000", per_thousand("retransmits")),
)


def runs_of(found: Tables, one: Fabric) -> list[dict]:
    """Of the fullest form that has any."""
    for form in FORMS:
        rows = [run for run in tables.of_form(found, form).runs
                if run["scenario"] == SCENARIO and one.is_it(run)]
        if rows:
            return rows
    return []


def common_seeds(runs: list[dict]) -> set:
    """Those that every scheme has: a missing run must not make a scheme better."""
    by_scheme: dict = {}
    for run in runs:
        by_scheme.setdefault(run["scheme"], set()).add(run["seed"])
    return set.intersection(*by_scheme.values()) if by_scheme else set()


def check_traces(runs: list[dict]) -> None:
    for (seed,), rows in tables.split(runs, ("seed",)).items():
        if len({run["trace"] for run in rows}) > 1:
            raise ValueError(f"{rows[0]['id']}: the schemes of seed {seed} ran different traces")


def line(found: Tables, name: str, scheme: str, runs: list[dict]) -> dict:
    seeds = " ".join(run["seed"] for run in runs)
    return {"fabric": name, "scheme": scheme, "seeds": seeds,
            **{column.name: mean([column.quantity(found, run) for run in runs])
               for column in COLUMNS}}


def rank(found: Tables, one: Fabric) -> list[dict]:
    """A line per scheme; means over the seeds that all schemes have."""
    runs = runs_of(found, one)
    check_traces(runs)
    seeds = common_seeds(runs)
    split = tables.split([run for run in runs if run["seed"] in seeds], ("scheme",))
    rows = [line(found, one.name, scheme, some) for (scheme,), some in split.items()]
    return sorted(rows, key=lambda row: row[COLUMNS[0].name])


def rank_all(found: Tables) -> list[dict]:
    return [row for one in FABRICS for row in rank(found, one)]


def text_of(value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def text(rows: list[dict]) -> str:
    """As lab ranks prints it."""
    lines, last = [], None
    for row in rows:
        if row["fabric"] != last:
            last = row["fabric"]
            lines += ["", last, f"  {'scheme':12}" + "".join(
                f"{column.name:>24}" for column in COLUMNS)]
        lines.append(f"  {row['scheme']:12}" + "".join(
            f"{text_of(row[column.name]):>24}" for column in COLUMNS))
    return "\n".join(lines[1:])


def write(rows: list[dict], path) -> None:
    tables.write_file(path, [{name: text_of(value) for name, value in row.items()}
                             for row in rows])
