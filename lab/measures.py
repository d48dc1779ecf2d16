# SPDX-License-Identifier: GPL-2.0
"""What claims are measured by: functions from the tables to {point: {seed: number}}.

A quantity is a function of the tables and one run's row. ratios() compares it between
two schemes (or settings) seed by seed on the same trace; each() takes it as it is. A
factor is written so that more than 1 is what the claim says.
"""
import math
from typing import Callable

import numpy

import one_run
import tables
from tables import Tables, number

WARM_UP = 0.2           # of a run's time, until rates are steady
GBIT = 1e9

Quantity = Callable[[Tables, dict], float]
Measure = Callable[[Tables], dict]


# ---- quantities of a run ----

def cell(column: str) -> Quantity:
    return lambda _tables, run: number(run[column])


def bins(found: Tables, run: dict, link: str, after: float = WARM_UP) -> list[float]:
    """Gbit/s with headers of each 10 ms, from this part of the run's time on."""
    first = after * number(run["seconds"]) * 1e3
    return [number(row["gbit_per_s"]) for row in found.throughput.get(run["id"], [])
            if row["link"] == link and number(row["start_ms"]) >= first]


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan


def delivered(*links: str) -> Quantity:
    """Gbit/s with headers by these links together, as demands are meant."""
    return lambda found, run: sum(mean(bins(found, run, link)) for link in links)


def share(link: str, *links: str, after: float = WARM_UP) -> Quantity:
    """Of what all the links carry, the part of the first."""
    def quantity(found: Tables, run: dict) -> float:
        all_links = [mean(bins(found, run, one, after)) for one in (link, *links)]
        return quotient(all_links[0], sum(all_links))
    return quantity


def uplinks(found: Tables, run: dict, leaf: str = "leaf0") -> list[str]:
    return sorted({row["link"] for row in found.throughput.get(run["id"], [])
                   if row["link"].startswith(f"{leaf}.up")})


def imbalances(found: Tables, run: dict) -> list[float]:
    """(maximum - minimum) / mean of the uplinks of leaf 0, of each 10 ms."""
    columns = [bins(found, run, link, after=0) for link in uplinks(found, run)]
    return [(max(row) - min(row)) / mean(row) for row in zip(*columns) if sum(row) > 0]


def median_imbalance(found: Tables, run: dict) -> float:
    each_bin = imbalances(found, run)
    return float(numpy.median(each_bin)) if each_bin else math.nan


def queue(link: str, column: str) -> Quantity:
    """Bytes that waited there."""
    def quantity(found: Tables, run: dict) -> float:
        return mean([number(row[column]) for row in found.queues.get(run["id"], [])
                     if row["link"] == link])
    return quantity


def of_buffer(link: str, column: str) -> Quantity:
    waited = queue(link, column)
    return lambda found, run: waited(found, run) / number(run["buffer"])


def links_next_to_failures(run: dict) -> list[str]:
    """Ports of spines to leaves to which another link of theirs is down; of a spine to other
    cores than the one that it has lost, and of that core to the pod's other spines."""
    words = run["cut"].split()
    return sorted({link for word in words for link in (
        next_to_core_link(run, *one_run.core_link(word)) if one_run.core_link(word)
        else next_to_leaf_link(run, *map(int, word.split("."))))})


def next_to_leaf_link(run: dict, leaf: int, spine: int, _number: int) -> list[str]:
    return [f"spine{spine}.down{leaf}.{link}" for link in range(int(run["links"]))
            if f"{leaf}.{spine}.{link}" not in run["cut"].split()]


def next_to_core_link(run: dict, spine: int, core: int) -> list[str]:
    pods = int(run["pods"])
    each_pod = int(run["spines"]) // pods
    first = spine // each_pod * each_pod
    up = {f"spine{spine}.core{other}": (spine, other) for other in range(int(run["cores"]))}
    down = {f"core{core}.spine{other}": (other, core)
            for other in range(first, first + each_pod)}
    return [name for name, ends in (up | down).items()
            if "spine{}-core{}".format(*ends) not in run["cut"].split()]


def queue_next_to_failures(column: str) -> Quantity:
    def quantity(found: Tables, run: dict) -> float:
        links = links_next_to_failures(run)
        return mean([number(row[column]) for row in found.queues.get(run["id"], [])
                     if row["link"] in links])
    return quantity


def worst(table: str, column: str, scale: float = 1) -> Quantity:
    """The largest of a run's rows; NaN if one of them has none."""
    def quantity(found: Tables, run: dict) -> float:
        numbers = [number(row[column]) for row in getattr(found, table).get(run["id"], [])]
        if not numbers or any(map(math.isnan, numbers)):
            return math.nan
        return scale * max(numbers)
    return quantity


def flowlet_bytes(gap_us: int) -> Quantity:
    """Half of the bytes are in flowlets of at most this size."""
    return lambda found, run: mean([number(row["bytes_p50"])
                                    for row in found.flowlets.get(run["id"], [])
                                    if tables.equal(row["gap_us"], gap_us)])


def over_ideal(column: str) -> Quantity:
    """Of an ideal fabric on the same trace (ideal.py)."""
    def quantity(found: Tables, run: dict) -> float:
        return mean([quotient(number(run[column]), number(row[column])) for row in found.ideal
                     if row["trace"] == run["trace"]])
    return quantity


def concurrent(found: Tables, run: dict) -> float:
    return mean([number(row["median"]) for row in found.concurrency.get(run["id"], [])])


def flowlets_per_megabyte(found: Tables, run: dict) -> float:
    started = sum(number(row["value"]) for row in found.counters.get(run["id"], [])
                  if row["counter"] == "flowlets_started")
    return quotient(started, number(run["bytes"]) / 1e6)


def client_gbits(_found: Tables, run: dict) -> float:
    return quotient(8 * number(run["job_bytes"]) / GBIT, number(run["job_seconds"]))


def of_client_link(found: Tables, run: dict) -> float:
    return quotient(client_gbits(found, run), number(run["host_rate"].removesuffix("bit")) / GBIT)


def quotient(one: float, other: float) -> float:
    return one / other if other else math.nan


# ---- points ----

WORDS = {"load": lambda value: f"{value:.0%}", "buffer": lambda value: f"{value / 1e6:g} MB",
         "think": lambda value: f"pauses of {value:g} us"}


def word(column: str, text: str) -> str:
    if math.isnan(number(text)):
        return text or f"no {column}"
    return WORDS.get(column, lambda value: f"{column} {text}")(number(text))


def label(columns: tuple, cells: tuple) -> str:
    return " ".join(map(word, columns, cells))


def each(quantity: Quantity, along: tuple = (), **where) -> Measure:
    """The quantity of every run, by the columns `along`."""
    def measure(found: Tables) -> dict:
        return {label(along, cells): {seed: quantity(found, run) for seed, run in
                                      tables.by_column(tables.shortest(rows), "seed").items()}
                for cells, rows in tables.split(tables.matching(found.runs, where),
                                                along).items()}
    return measure


def compared(found: Tables, rows: list[dict], quantity: Quantity, one: dict, other: dict,
             column: str = "seed") -> dict:
    """{seed: quantity of one / that of the other}"""
    both = tables.pairs(tables.matching(rows, one), tables.matching(rows, other), column)
    return {seed: quotient(quantity(found, left), quantity(found, right))
            for seed, (left, right) in both.items()}


def ratios(quantity: Quantity, one: dict, other: dict, along: tuple = (),
           column: str = "seed", **where) -> Measure:
    """one / other, by the columns `along`."""
    def measure(found: Tables) -> dict:
        points = {label(along, cells): compared(found, rows, quantity, one, other, column)
                  for cells, rows in tables.split(tables.matching(found.runs, where),
                                                  along).items()}
        return {name: by_seed for name, by_seed in points.items() if by_seed}
    return measure


def by_seed(found: Tables, rows: list[dict], quantity: Quantity, one: dict) -> dict:
    """{seed: (number, trace)} of the runs that are so."""
    return {seed: (quantity(found, run), run["trace"]) for seed, run in
            tables.by_column(tables.matching(rows, one), "seed").items()}


def together(quantity: Quantity, several: tuple, number_of: Callable, along: tuple,
             where: dict) -> Measure:
    """A number of the quantities of several schemes on the same trace."""
    def measure(found: Tables) -> dict:
        points = {}
        for cells, rows in tables.split(tables.matching(found.runs, where), along).items():
            each_one = [by_seed(found, rows, quantity, one) for one in several]
            seeds = set.intersection(*map(set, each_one))
            if any(len({one[seed][1] for one in each_one}) > 1 for seed in seeds):
                raise ValueError(f"runs of different traces: {where}")
            if seeds:
                points[label(along, cells)] = {
                    seed: number_of(*(one[seed][0] for one in each_one))
                    for seed in sorted(seeds)}
        return points
    return measure


def gain(quantity: Quantity, one: dict, best: dict, base: dict, along: tuple = (),
         **where) -> Measure:
    """What one gains over the base, of what the best gains; 0 where that gains nothing."""
    return together(quantity, (one, best, base), lambda mine, least, most:
                    quotient(most - mine, most - least) if most > least else 0, along, where)


def over_best(quantity: Quantity, one: dict, others: tuple, along: tuple = (),
              **where) -> Measure:
    """One, over the least of the others."""
    return together(quantity, (one, *others), lambda mine, *rest: quotient(mine, min(rest)),
                    along, where)


def against_one(quantity: Quantity, base: dict, column: str, values: tuple, over: bool,
                **where) -> Measure:
    """A point for each value of a column: base / it, or it / base if `over`."""
    def measure(found: Tables) -> dict:
        rows = tables.matching(found.runs, where)
        points = {}
        for value in values:
            it = {column: value, "scheme": "conga"}
            ends = (it, base) if over else (base, it)
            points[f"{value}"] = compared(found, rows, quantity, *ends)
        return {name: by_seed for name, by_seed in points.items() if by_seed}
    return measure


def trend(quantity: Quantity, one: dict, other: dict, more: dict, less: dict,
          along: tuple = (), **where) -> Measure:
    """The factor one / other where there is more of something, over that with less."""
    def measure(found: Tables) -> dict:
        points = {}
        for cells, rows in tables.split(tables.matching(found.runs, where), along).items():
            high, low = (compared(found, tables.matching(rows, end), quantity, one, other)
                         for end in (more, less))
            by_seed = {seed: quotient(high[seed], low[seed]) for seed in high if seed in low}
            if by_seed:
                points[label(along, cells)] = by_seed
        return points
    return measure


def grown(quantity: Quantity, more: dict, less: dict, along: tuple = (), **where) -> Measure:
    """The quantity where there is more of something, over that with less; not on one trace."""
    def measure(found: Tables) -> dict:
        points = {}
        for cells, rows in tables.split(tables.matching(found.runs, where), along).items():
            high, low = (tables.by_column(tables.matching(rows, end), "seed")
                         for end in (more, less))
            by_seed = {seed: quotient(quantity(found, high[seed]), quantity(found, low[seed]))
                       for seed in high if seed in low}
            if by_seed:
                points[label(along, cells)] = by_seed
        return points
    return measure


def sample(table: str, quantity: Callable[[dict], float], key: Callable[[dict], str],
           keep: Callable[[dict], bool] = lambda row: True) -> Measure:
    """Of a table that is no table of runs: one point, its rows instead of seeds."""
    def measure(found: Tables) -> dict:
        rows = [row for row in getattr(found, table) if keep(row)]
        return {"": {key(row): quantity(row) for row in rows}} if rows else {}
    return measure
