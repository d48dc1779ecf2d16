# SPDX-License-Identifier: GPL-2.0
"""What the lab costs: a table, before it is run."""
from typing import NamedTuple

import one_run
import runner
import scenario
from one_run import Run
from scenario import Scenario

HEADINGS = ("claims", "scenario", "form", "size", "runs", "GB a run", "GB", "hours")


class Cost(NamedTuple):
    runs: int
    largest: int    # bytes
    bytes: int
    work: float     # bytes of other schemes and frames of 1500 that take as long


def cost(runs: list[Run]) -> Cost:
    carried = [one_run.run_bytes(run) for run in runs]
    work = [count * runner.effort(run) for count, run in zip(carried, runs)]
    return Cost(len(runs), max(carried), sum(carried), sum(work))


def hours(found: Cost, bytes_per_second: float, at_once: int) -> float:
    seconds = found.work / bytes_per_second + found.runs * runner.OVERHEAD_SECONDS
    return seconds / at_once / 3600


def span(numbers: list) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:g}" if least == most else f"{least:g}-{most:g}"


def size(runs: list[Run]) -> str:
    """Leaves x hosts, uplinks of a leaf, and time."""
    leaves = span([run["fabric.leaves"] for run in runs])
    hosts = span([run["fabric.hosts"] for run in runs])
    uplinks = span([one_run.uplinks_of(run) for run in runs])
    rates = span([run["fabric.link_rate"] / 1e9 for run in runs])
    return f"{leaves} x {hosts} hosts, {uplinks} x {rates}G{lasts(runs)}"


def lasts(runs: list[Run]) -> str:
    open_ended = [run["load.seconds"] / 1e6 for run in runs
                  if run["load.pattern"] != "incast"]
    return f", {span(open_ended)} ms" if open_ended else ""


def row(one: Scenario, form: str, bytes_per_second: float, at_once: int) -> tuple:
    runs = scenario.expand(one, form)
    found = cost(runs)
    return (" ".join(one.claims) or "-", one.name, form, size(runs), str(found.runs),
            f"{found.largest / 1e9:.2f}", f"{found.bytes / 1e9:.0f}",
            f"{hours(found, bytes_per_second, at_once):.1f}")


def rows(bytes_per_second: float, at_once: int) -> list[tuple]:
    return [row(one, form, bytes_per_second, at_once)
            for form in scenario.FORMS for one in map(scenario.find, scenario.names())
            if scenario.has_form(one, form)]


def sums(found: list[tuple]) -> list[tuple]:
    """A row for each form."""
    total = []
    for form in scenario.FORMS:
        of_form = [one for one in found if one[2] == form]
        total.append(("", "all", form, "", str(sum(int(one[4]) for one in of_form)), "",
                      str(sum(int(one[6]) for one in of_form)),
                      f"{sum(float(one[7]) for one in of_form):.1f}"))
    return total


def markdown(bytes_per_second: float, at_once: int) -> str:
    found = rows(bytes_per_second, at_once)
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *found, *sums(found)]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return (f"At {bytes_per_second / 1e6:g} MB of goodput per second and processor, "
            f"{at_once} at a time, and {runner.OVERHEAD_SECONDS} s around each run; mptcp takes "
            f"{runner.SLOWER['mptcp']} times as long, and frames of 9000 take "
            f"{1 / runner.JUMBO_FASTER:g} of the time. "
            "\"GB a run\" is the largest.\n\n" + text)
