# SPDX-License-Identifier: GPL-2.0
"""What a claim is, and words that those of several papers have in common."""
from typing import Callable, NamedTuple

from measures import cell
from verdict import FEWEST_SEEDS, Factor, Limit, Near, Shown

ECMP, LOCAL, CONGA, FLOW, MPTCP = ({"scheme": name} for name in (
    "ecmp", "local", "conga", "conga-flow", "mptcp"))
MEAN, SMALL, LARGE = (cell(f"{name}mean_fct_s") for name in ("", "small_", "large_"))
NORMALISED = cell("normalised_fct")
WORKLOADS = {"websearch": "web search", "enterprise": "enterprise",
             "datamining": "data mining"}
MB = 1e6
REST = "spine1.down1.0"     # the link that is left of the two between spine 1 and leaf 1


def better(part: float) -> float:
    """The factor of a completion time that is lower by this part."""
    return 1 / (1 - part)


class Part(NamedTuple):
    name: str
    rule: Factor | Near | Limit | Shown
    measure: Callable
    counts: bool = True
    fewest: int = FEWEST_SEEDS


class Claim(NamedTuple):
    id: str
    says: str
    figure: str
    scenario: str       # or none: the command says all
    how: str
    published: str
    differs: str
    parts: tuple
    command: str = ""
