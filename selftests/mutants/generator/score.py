# SPDX-License-Identifier: GPL-2.0
"""The mutation score: how many of the mutants of a sample were killed, by folder."""
from collections import Counter
from pathlib import Path

from .results import KILLED, Results


def table(sample: list, results: Results) -> str:
    """A row for each folder, and one for all."""
    total, killed = Counter(), Counter()
    for mutant in sample:
        for folder in (str(Path(mutant.file).parent), "all"):
            total[folder] += 1
            killed[folder] += results.known[mutant.id].verdict == KILLED
    rows = ["| folder | mutants | killed | score |", "|---|---|---|---|"]
    rows += [f"| {folder} | {total[folder]} | {killed[folder]} | "
             f"{100 * killed[folder] / total[folder]:.1f} % |"
             for folder in sorted(total, key=lambda name: (name == "all", name))]
    return "\n".join(rows)


def percent(sample: list, results: Results) -> float:
    killed = sum(results.known[mutant.id].verdict == KILLED for mutant in sample)
    return 100 * killed / len(sample) if sample else 0


def survivors(sample: list, results: Results) -> list:
    return [mutant for mutant in sample if results.known[mutant.id].verdict != KILLED]
