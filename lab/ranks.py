# SPDX-License-Identifier: GPL-2.0
"""Schemes side by side: a table for each fabric of a scenario, the scheme with the least mean
completion time first. The scenario schemes has fabrics with names; those of others are told
apart by all settings in which their runs differ."""
from typing import Callable, NamedTuple

import settings
import tables
from measures import Quantity, cell, mean
from tables import FORMS, Tables, number

SCENARIO = "schemes"
SEGMENT_BYTES = 1448
SCHEME_WIDTH = 12       # letters of a column, at least
BY_SEED = "by seed"     # of the first column: the least and the most
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
    return Fabric(name, lambda run: run["scenario"] == SCENARIO and differs(run)
                  and (run["mode"], run["congestion"]) == (mode, congestion))


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


def fabrics(found: Tables, scenario: str) -> tuple:
    """Of any scenario, in the order of its runs."""
    if scenario == SCENARIO:
        return FABRICS
    runs = [run for run in found.runs if run["scenario"] == scenario]
    columns = settings.varied(runs)
    names = dict.fromkeys(settings.case(run, columns) for run in runs)
    return tuple(Fabric(name, lambda run, name=name: run["scenario"] == scenario
                        and settings.case(run, columns) == name) for name in names)


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
                if one.is_it(run)]
        if rows:
            return rows
    return []


def common_seeds(runs: list[dict]) -> set:
    """Those that every scheme has: a missing run must not make a scheme better."""
    by_scheme: dict = {}
    for run in runs:
        by_scheme.setdefault(settings.variant(run), set()).add(run["seed"])
    return set.intersection(*by_scheme.values()) if by_scheme else set()


def check_traces(runs: list[dict]) -> None:
    for (seed,), rows in tables.split(runs, ("seed",)).items():
        if len({run["trace"] for run in rows}) > 1:
            raise ValueError(f"{rows[0]['id']}: the schemes of seed {seed} ran different traces")


def text_of(value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def line(found: Tables, name: str, scheme: str, runs: list[dict]) -> dict:
    row = {"fabric": name, "scheme": scheme, "seeds": " ".join(run["seed"] for run in runs)}
    for column in COLUMNS:
        values = [column.quantity(found, run) for run in runs]
        row[column.name] = mean(values)
        if column is COLUMNS[0]:
            row[BY_SEED] = f"{text_of(min(values))} to {text_of(max(values))}"
    return row


def rank(found: Tables, one: Fabric) -> list[dict]:
    """A line per scheme; means over the seeds that all schemes have."""
    runs = runs_of(found, one)
    check_traces(runs)
    seeds = common_seeds(runs)
    by_scheme: dict = {}
    for run in runs:
        if run["seed"] in seeds:
            by_scheme.setdefault(settings.variant(run), []).append(run)
    rows = [line(found, one.name, scheme, some) for scheme, some in by_scheme.items()]
    return sorted(rows, key=lambda row: row[COLUMNS[0].name])


def rank_all(found: Tables, scenario: str = SCENARIO) -> list[dict]:
    return [row for one in fabrics(found, scenario) for row in rank(found, one)]


def text(rows: list[dict]) -> str:
    """As lab ranks prints it."""
    lines, last = [], None
    names = [COLUMNS[0].name, BY_SEED, *(column.name for column in COLUMNS[1:])]
    width = max([SCHEME_WIDTH, *(len(row["scheme"]) for row in rows)])
    for row in rows:
        if row["fabric"] != last:
            last = row["fabric"]
            lines += ["", last, f"  {'scheme':{width}}" + "".join(
                f"{name:>24}" for name in names)]
        lines.append(f"  {row['scheme']:{width}}" + "".join(
            f"{text_of(row[name]):>24}" for name in names))
    return "\n".join(lines[1:])


def write(rows: list[dict], path) -> None:
    tables.write_file(path, [{name: text_of(value) for name, value in row.items()}
                             for row in rows])
