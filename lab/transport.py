# SPDX-License-Identifier: GPL-2.0
"""What packets out of order cost with each TCP: the schemes of TR's small network, half of
whose paths are longer, with ns-2's TCP and with Linux's.
"""
from typing import NamedTuple

import claims_tr
import keys
import ranks
import tables
from measures import Quantity, mean
from tables import FORMS, Tables

MBIT = 1e6


class Row(NamedTuple):
    """Means over the seeds that all schemes have with both."""
    tcp: str
    scheme: str
    seeds: str
    long_mbit_s: str            # size / FCT above 1 MB, the mean
    retransmits: str            # per 1,000 segments
    out_of_order: str


def common_seeds(runs: list[dict]) -> set:
    by_pair = {pair: {run["seed"] for run in some}
               for pair, some in tables.split(runs, ("tcp", "scheme")).items()}
    return set.intersection(*by_pair.values()) if by_pair else set()


def text_of(found: Tables, runs: list[dict], quantity: Quantity, scale: float = 1) -> str:
    return ranks.text_of(mean([quantity(found, run) / scale for run in runs]))


def of_form(found: Tables) -> list[Row]:
    runs = tables.matching(found.runs, {**claims_tr.SMALL_NETWORK,
                                        **claims_tr.longer(claims_tr.FAR)})
    seeds = common_seeds(runs)
    rows = []
    for tcp in claims_tr.TCPS:
        for scheme in keys.SCHEMES:
            some = [run for run in tables.matching(runs, {"tcp": tcp, "scheme": scheme})
                    if run["seed"] in seeds]
            if some:
                rows.append(Row(tcp, scheme, str(len(some)),
                                text_of(found, some, claims_tr.GOODPUT, MBIT),
                                text_of(found, some, claims_tr.RESENT),
                                text_of(found, some, ranks.per_thousand("out_of_order"))))
    return rows


def rows(found: Tables) -> list[Row]:
    """Of the fullest form that has any."""
    return next(filter(None, (of_form(tables.of_form(found, form)) for form in FORMS)), [])
