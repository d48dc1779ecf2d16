# SPDX-License-Identifier: GPL-2.0
"""When a claim counts as reproduced: decided by numbers, never typed.

A claim with a factor, written so that more than 1 is the claimed direction:
  reproduced       more than 1 in every seed, the 95 % interval (Student's t over seeds)
                   excludes 1, and the mean is at least 80 % of what is published, or
                   inside the range where one is published
  partly           the mean is more than 1, and the interval excludes 1
  direction only   more than 1 in every seed, but the interval does not exclude 1
  not reproduced   all else
A direction without a published number has no factor to reach. "Up to" and "somewhere" mean
the best point: one suffices. Otherwise each seed counts with its mean over all points. The
mean of factors is the geometric one.

Sameness, a plain number and a limit have no "no effect" to exclude. In the place of "more than
1" stands "inside the limits", which are 10 % around a number where nothing else is said:
  reproduced       inside in every seed, and the interval is inside
  partly           the interval is inside, but a seed is not
  direction only   inside in every seed, but the interval reaches beyond
  not reproduced   all else
This must hold at every point, and the worst one is shown. There is no chance in what is exact:
a count of instructions, of which one number is enough, or a calculation for many networks. It
is inside in every row, or it is not.
"""
import math
from typing import NamedTuple

REPRODUCED, PARTLY = "reproduced", "partly"
DIRECTION, NOT = "direction only", "not reproduced"
NOT_MEASURED, TOO_FEW, CONTEXT = "not measured", "too few seeds", "context only"
DECIDED = (REPRODUCED, PARTLY, DIRECTION, NOT)
WORST_FIRST = (NOT_MEASURED, TOO_FEW, *reversed(DECIDED))

ENOUGH = 0.8            # of a published factor
CONFIDENCE = 0.95
SAME = 0.1              # "similar", "nearly identical", "almost unchanged": within 10 %
EXACT = 1e-3            # a tolerance below that is rounding
FEWEST_SEEDS = 3


class Factor(NamedTuple):
    """So many times as much. Without a number: only the direction is claimed."""
    published: float | None = None
    most: float | None = None   # of a range
    up_to: bool = False
    somewhere: bool = False     # claimed of one point, not of all

    @property
    def of_best(self) -> bool:
        return self.up_to or self.somewhere

    def __str__(self) -> str:
        where = " somewhere" if self.somewhere else ""
        if self.published is None:
            return f"more than 1{where}"
        if self.most is not None:
            return f"{self.published:.3g} to {self.most:.3g}{where}"
        return f"{'up to ' if self.up_to else ''}{self.published:.3g}{where}"


class Near(NamedTuple):
    """A number, or 1 for sameness."""
    published: float
    tolerance: float = SAME

    def __str__(self) -> str:
        return f"{self.published:.4g}" + (
            f" within {self.tolerance:.0%}" if self.tolerance >= EXACT else "")


class Limit(NamedTuple):
    least: float = -math.inf
    most: float = math.inf
    exact: bool = False     # what is calculated, row by row: there is no chance in it

    def __str__(self) -> str:
        words = [f"at least {self.least:.4g}"] if self.least > -math.inf else []
        words += [f"at most {self.most:.4g}"] if self.most < math.inf else []
        return " and ".join(words)


class Shown(NamedTuple):
    """A number beside those that are judged, and never a verdict."""
    published: str = ""

    of_best = False

    def __str__(self) -> str:
        return self.published


class Estimate(NamedTuple):
    """Of one point, over seeds."""
    mean: float
    low: float          # of the 95 % interval
    high: float
    least: float        # of any seed
    most: float
    seeds: int


class Outcome(NamedTuple):
    verdict: str
    point: str = ""
    estimate: Estimate | None = None


def half_width(numbers: list[float]) -> float:
    """Of the interval of the mean."""
    import scipy.stats  # slow to load: only who judges needs it
    count = len(numbers)
    if count < 2:
        return math.inf
    middle = sum(numbers) / count
    deviation = math.sqrt(sum((x - middle) ** 2 for x in numbers) / (count - 1))
    return float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * deviation \
        / math.sqrt(count)


def exponential(number: float) -> float:
    return math.exp(number) if number < 700 else math.inf


def estimate(numbers: list[float], geometric: bool) -> Estimate:
    found = [math.log(x) for x in numbers] if geometric else numbers
    middle, half = sum(found) / len(found), half_width(found)
    ends = (middle, middle - half, middle + half)
    if geometric:
        ends = tuple(exponential(x) for x in ends)
    return Estimate(*ends, min(numbers), max(numbers), len(numbers))


def graded(every_seed: bool, beyond_chance: bool, enough: bool = True) -> str:
    if every_seed and beyond_chance and enough:
        return REPRODUCED
    if beyond_chance:
        return PARTLY
    return DIRECTION if every_seed else NOT


def judge_factor(rule: Factor, found: Estimate) -> str:
    if rule.published is None:
        enough = True
    elif rule.most is not None:
        enough = rule.published <= found.mean <= rule.most
    else:
        enough = found.mean >= ENOUGH * rule.published
    return graded(found.least > 1, found.low > 1, enough)


def judge_near(rule: Near, found: Estimate) -> str:
    return judge_limit(limits(rule), found)


def limits(rule: Near) -> Limit:
    half = abs(rule.published) * rule.tolerance * (1 + 1e-9)
    return Limit(rule.published - half, rule.published + half)


def judge_limit(rule: Limit, found: Estimate) -> str:
    return graded(rule.least <= found.least and found.most <= rule.most,
                  rule.least <= found.low and found.high <= rule.most)


JUDGES = {Factor: judge_factor, Near: judge_near, Limit: judge_limit,
          Shown: lambda _rule, _found: CONTEXT}
AVERAGED = (Factor, Shown)  # over points, as factors are


def usable(points: dict) -> dict:
    """Without what is no number, or has no logarithm, and without empty points."""
    kept = {point: {seed: x for seed, x in by_seed.items() if math.isfinite(x) and x >= 0}
            for point, by_seed in points.items()}
    return {point: by_seed for point, by_seed in kept.items() if by_seed}


def merged(points: dict) -> dict:
    """One point: each seed's geometric mean over all points; of seeds that have all."""
    seeds = set.intersection(*(set(by_seed) for by_seed in points.values()))
    name = next(iter(points)) if len(points) == 1 else f"mean of {', '.join(points)}"
    return {name: {seed: math.exp(sum(math.log(by_seed[seed]) for by_seed in points.values())
                                  / len(points)) for seed in sorted(seeds)}}


def is_exact(rule, numbers: list[float], fewest: int) -> bool:
    return len(numbers) == fewest == 1 or getattr(rule, "exact", False)


def exact(found: Estimate) -> Estimate:
    """Numbers without chance are their own interval."""
    return found._replace(low=found.least, high=found.most)


def judge_point(rule, point: str, numbers: list[float], fewest: int) -> Outcome:
    found = estimate(numbers, isinstance(rule, AVERAGED))
    if len(numbers) < fewest:
        return Outcome(TOO_FEW, point, found)
    sure = exact(found) if is_exact(rule, numbers, fewest) else found
    return Outcome(JUDGES[type(rule)](rule, sure), point, found)


def best(found: list[Outcome]) -> Outcome:
    """One point is enough; of equally good ones that with the most."""
    return max(found, key=lambda one: (standing(one.verdict), one.estimate.mean))


def standing(verdict: str) -> int:
    """Worse is less; context is no verdict."""
    return WORST_FIRST.index(verdict) if verdict in WORST_FIRST else 0


def judge(rule, points: dict, fewest: int = FEWEST_SEEDS) -> Outcome:
    """points: {name: {seed: number}}. A factor is that of the best point ("up to",
    "somewhere") or the mean of all; what must be the same, or within a limit, must be so at
    every point, and the worst one is shown."""
    points = usable(points)
    if isinstance(rule, AVERAGED):
        points = {point: kept for point, by_seed in points.items()
                  if (kept := {seed: x for seed, x in by_seed.items() if x > 0})}
        points = points if rule.of_best or not points else usable(merged(points))
    if not points:
        return Outcome(NOT_MEASURED)
    found = [judge_point(rule, point, list(by_seed.values()), fewest)
             for point, by_seed in points.items()]
    if isinstance(rule, AVERAGED):
        return best(found)
    return min(found, key=lambda one: (standing(one.verdict), -distance(rule, one)))


def distance(rule, outcome: Outcome) -> float:
    """How close the farthest seed is to being wrong, or how far it is wrong."""
    least, most = outcome.estimate.least, outcome.estimate.most
    if isinstance(rule, Near):
        return max(rule.published - least, most - rule.published)
    return max(rule.least - least, most - rule.most)


def worst(verdicts: list[str]) -> str:
    """A claim of several parts is worth what its weakest part is."""
    return min(verdicts, key=WORST_FIRST.index, default=NOT_MEASURED)
