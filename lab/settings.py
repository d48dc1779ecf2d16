# SPDX-License-Identifier: GPL-2.0
"""In what the runs of any scenario differ, so that a scenario that no figure knows has one."""
import math

import keys
from measures import label
from tables import number

# A variant is compared with others; runs that differ in the rest are of other fabrics or loads.
VARIANT = ("scheme", "params", "options")
NEVER = ("seed", "boot", "forms", *VARIANT)
COLUMNS = tuple(key.column for key in keys.KEYS if key.column not in NEVER)


def varied(runs: list[dict]) -> tuple:
    """The columns of settings in which they differ, apart from schemes and seeds."""
    return tuple(column for column in COLUMNS if len({run.get(column, "") for run in runs}) > 1)


def variant(run: dict) -> str:
    """A scheme with what it was told."""
    return " ".join(run.get(column, "") for column in VARIANT if run.get(column))


def case(run: dict, columns: tuple) -> str:
    """The settings in these columns, in words."""
    return label(columns, tuple(run.get(column, "") for column in columns)) or "all runs"


def is_scale(runs: list[dict], column: str) -> bool:
    """Numbers all of them, so that they can be an axis."""
    return not any(math.isnan(number(run.get(column, ""))) for run in runs)
