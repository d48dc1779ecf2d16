# SPDX-License-Identifier: GPL-2.0
"""All claims, judged by the tables of a folder: rows to print, to write, to draw."""
from typing import NamedTuple

import claims
import tables
import verdict
from claims import Claim, Part
from tables import FORMS, Tables
from verdict import Estimate, Outcome

WHOLE = "all parts"     # in the place of a part's name
CALCULATED = "calculated"


class Row(NamedTuple):
    """A line of verdicts.csv: a claim as a whole, or one part of it."""
    claim: str
    part: str
    counts: int
    verdict: str
    measured: str
    low95: str
    high95: str
    least_seed: str
    most_seed: str
    seeds: str
    point: str
    form: str
    published: str
    says: str
    how: str
    differs: str
    figure: str
    command: str


def best_form(found: Tables, part: Part) -> tuple[Outcome, str]:
    """The fullest form that can be judged; if none can, that with the most seeds."""
    tried = []
    for form in FORMS:
        outcome = verdict.judge(part.rule, part.measure(tables.of_form(found, form)), part.fewest)
        if outcome.verdict not in (verdict.NOT_MEASURED, verdict.TOO_FEW):
            return outcome, form
        tried.append((outcome, form))
    outcome, form = max(tried, key=lambda one: one[0].estimate.seeds if one[0].estimate else 0)
    return outcome, form if outcome.estimate else ""


def digits(number: float) -> str:
    return f"{number:.4g}"


def spread(found: Estimate | None) -> dict:
    names = ("measured", "low95", "high95", "least_seed", "most_seed")
    if found is None:
        return {**dict.fromkeys(names, ""), "seeds": "0"}
    return {**{name: digits(x) for name, x in zip(names, found)}, "seeds": str(found.seeds)}


def part_row(claim: Claim, part: Part, outcome: Outcome, form: str) -> Row:
    return Row(claim=claim.id, part=part.name, counts=int(part.counts),
               verdict=outcome.verdict, **spread(outcome.estimate), point=outcome.point,
               form=form if claim.scenario or not form else CALCULATED,
               published=str(part.rule), says="", how="", differs="", figure=claim.figure,
               command=command(claim, form))


def command(claim: Claim, form: str) -> str:
    text = claims.command(claim)
    return f"{text} FORM={form}" if claim.scenario and form in ("full", "quick") else text


def claim_row(claim: Claim, parts: list[Row]) -> Row:
    """Its numbers are those of the part that decides."""
    counted = [row for row in parts if row.counts]
    whole = verdict.worst([row.verdict for row in counted])
    weakest = next(row for row in counted if row.verdict == whole)
    forms = sorted({row.form for row in counted if row.form})
    return weakest._replace(part=WHOLE, point=f"{weakest.part} {weakest.point}".strip(),
                            form=" ".join(forms), published=claim.published, says=claim.says,
                            how=claim.how, differs=claim.differs)


def judge(found: Tables, claim: Claim) -> list[Row]:
    """The claim, then its parts."""
    parts = [part_row(claim, part, *best_form(found, part)) for part in claim.parts]
    return [claim_row(claim, parts)] + parts


def judge_all(found: Tables) -> list[Row]:
    return [row for claim in claims.CLAIMS for row in judge(found, claim)]


def judged(rows: list[Row]) -> list[Row]:
    """A row of each claim that has a verdict."""
    return [row for row in rows if row.part == WHOLE and row.verdict != verdict.CONTEXT]


def summary(rows: list[Row]) -> str:
    """How many claims came out."""
    words = [row.verdict for row in judged(rows)]
    open_ones = [one for one in (verdict.TOO_FEW, verdict.NOT_MEASURED) if one in words]
    counts = ", ".join(f"{words.count(one)} {one}" for one in (*verdict.DECIDED, *open_ones))
    return f"{counts} of {len(words)}"


# ---- the spread that is left when all is the same ----

def spreads(found: Tables) -> dict:
    """Of the headline, over seeds and over boots of one seed: {name: Estimate}."""
    measured = {}
    for name, measure in (("5 seeds", claims.SEEDS), ("5 boots of seed 1", claims.BOOTS)):
        for form in FORMS:
            points = verdict.usable(measure(tables.of_form(found, form)))
            if points and name not in measured:
                numbers = list(points[""].values())
                measured[name.replace("5", str(len(numbers)))] = verdict.estimate(numbers, True)
                break
    return measured


def deviation(found: Estimate) -> str:
    return f"from {found.least:.3g} to {found.most:.3g}"


# ---- for people ----

def interval(row: Row) -> str:
    if not row.measured:
        return ""
    if float(row.seeds) < 2:
        return row.measured
    return f"{row.measured} ({row.low95} to {row.high95})"


def line(row: Row) -> str:
    name = row.claim if row.part == WHOLE else f"  {'' if row.counts else '('}{row.part}" \
                                               f"{'' if row.counts else ')'}"
    seeds = f"{row.least_seed} to {row.most_seed}" if row.measured else ""
    return (f"{name:44.44} {row.verdict:14} {interval(row):26} {seeds:16} {row.seeds:>5} "
            f"{row.form:10.10} {row.published:14} {row.point}").rstrip()


def of_claims(rows: list[Row], names: list[str]) -> list[Row]:
    """Those of the claims with these names; all, if there are none."""
    unknown = set(names) - {row.claim for row in rows}
    if unknown:
        raise ValueError(f"unknown claim '{min(unknown)}'")
    return [row for row in rows if not names or row.claim in names]


def text(rows: list[Row], found: Tables) -> str:
    """The table, as lab verdicts prints it. What differs between runs of the headline is told
    beside the headline.
    """
    lines = [f"{'claim':44} {'verdict':14} {'measured (95 % interval)':26} "
             f"{'seeds from, to':16} seeds {'form':10} {'published':14} case"]
    for row in rows:
        lines.append(line(row))
        if row.part == WHOLE and row.command:
            lines.append(f"  {row.says}\n  {row.differs}\n  {row.command}")
    headline = any(row.claim == "C01" for row in rows)
    for name, one in spreads(found).items() if headline else ():
        lines.append(f"ECMP / CONGA, web search, 60 %, one link failed, 0.3 s, over {name}: "
                     f"{one.mean:.3g}, {deviation(one)}")
    return "\n".join(lines + [summary(rows)])


def write(rows: list[Row], path) -> None:
    tables.write_file(path, [row._asdict() for row in rows])
