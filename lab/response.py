# SPDX-License-Identifier: GPL-2.0
"""What a share of traffic over time says: how soon it answers a step of load, how far it
goes beyond its final mean, when it stays there, and whether it oscillates.

A share is the part of a leaf's bytes, between two pictures, that left by one of its
uplinks. Flows send in random order, so that an interval of ten packets has noise: what
follows smooths it, or uses that the noise of one picture says nothing of the next.
"""
from typing import NamedTuple

import numpy

REACTED = 1 / 2     # of the way from the old mean to the new one
BAND = 0.1          # of the leaf's traffic, around the final mean
SMOOTH = 10         # intervals of the moving mean that has to stay in the band
FINAL = 1 / 2       # the last part of a time of constant load, in which means are taken
LEAST_CYCLES = 3    # in the final part: less is no period
SINE = 8 ** 0.5     # peak to peak over the standard deviation of a sine
STABLE = 0.2        # a smaller oscillation may be noise, and does not count as one
MOVED = 0.05        # a smaller change of the mean is no answer to the step
AS_HIGH = 0.8       # of the highest autocovariance, is that of the first period


class Series(NamedTuple):
    us: numpy.ndarray       # the end of each interval; the step begins at 0
    share: numpy.ndarray
    end_us: float           # of the step


class Response(NamedTuple):
    """Times in us; None is "never" of a time, and "nothing to see" of a period."""
    before: float           # mean share in the last part before the step
    final: float            # and of the step
    reaction_us: float | None
    overshoot: float        # beyond the final mean, as a part of the way there
    settling_us: float | None
    back_us: float | None   # the reaction to the step's end
    amplitude: float        # peak to peak, of a sine with this power
    period_us: float | None


def grain(series: Series) -> float:
    return float(series.us[1] - series.us[0])


def between(series: Series, begin: float, end: float) -> numpy.ndarray:
    """Shares of the intervals that lie within."""
    inside = (series.us - grain(series) >= begin) & (series.us <= end)
    return series.share[inside]


def final_part(series: Series, begin: float, end: float) -> numpy.ndarray:
    return between(series, end - (end - begin) * FINAL, end)


def moving_mean(numbers: numpy.ndarray, width: int) -> numpy.ndarray:
    return numpy.convolve(numbers, numpy.full(width, 1 / width), "valid")


def crossing(shares: numpy.ndarray, step_us: float, old: float, new: float) -> float | None:
    """How long until the share has gone half of the way; two intervals have to say so."""
    there = moving_mean((shares - old) / (new - old), 2) >= REACTED
    return float((int(numpy.argmax(there)) + 2) * step_us) if there.any() else None


def overshoot(smooth: numpy.ndarray, old: float, new: float) -> float:
    return max(0.0, float(((smooth - new) / (new - old)).max()))


def settling(smooth: numpy.ndarray, step_us: float, new: float) -> float | None:
    """From when on all moving means are within the band; in the final part they have to be."""
    outside = numpy.flatnonzero(numpy.abs(smooth - new) > BAND)
    if not len(outside):
        return 0.0
    after = int(outside[-1]) + 1
    return float(after * step_us) if after < len(smooth) * (1 - FINAL) else None


def autocovariance(shares: numpy.ndarray) -> numpy.ndarray:
    """By lag, from 0 to the longest of which there are enough cycles."""
    rest = shares - shares.mean()
    count = len(rest)
    return numpy.array([rest[:count - lag] @ rest[lag:] / (count - lag)
                        for lag in range(count // LEAST_CYCLES + 1)])


def oscillation(shares: numpy.ndarray, step_us: float) -> tuple:
    """(amplitude, period), from the highest autocovariance after it was first below 0.

    That at whole periods is the power of what is periodic, for the noise of two intervals
    is unrelated; the first lag that is nearly as high is the period. Of nothing periodic
    the highest of all is noise, too, and small.
    """
    if len(shares) < 2 * LEAST_CYCLES:
        return 0.0, None
    found = autocovariance(shares)
    below = numpy.flatnonzero(found < 0)
    if not len(below):
        return 0.0, None
    rest = found[below[0]:]
    power = max(0.0, float(rest.max()))
    amplitude = min(1.0, SINE * power ** 0.5)
    if amplitude < STABLE:
        return amplitude, None
    return amplitude, float((below[0] + first_peak(rest, AS_HIGH * power)) * step_us)


def first_peak(numbers: numpy.ndarray, least: float) -> int:
    """The highest of the first run of numbers that are at least so high."""
    begin = int(numpy.argmax(numbers >= least))
    lower = numpy.flatnonzero(numbers[begin:] < least)
    end = begin + int(lower[0]) if len(lower) else len(numbers)
    return begin + int(numpy.argmax(numbers[begin:end]))


def analyse(series: Series) -> Response:
    step_us = grain(series)
    loaded = between(series, 0, series.end_us)
    after = between(series, series.end_us, float(series.us[-1]))
    steady = final_part(series, 0, series.end_us)
    old = float(final_part(series, float(series.us[0]), 0).mean())
    new = float(steady.mean())
    amplitude, period = oscillation(steady, step_us)
    if abs(new - old) < MOVED:
        return Response(old, new, None, 0.0, None, None, amplitude, period)
    smooth = moving_mean(loaded, SMOOTH)
    return Response(old, new, crossing(loaded, step_us, old, new), overshoot(smooth, old, new),
                    settling(smooth, step_us, new), crossing(after, step_us, new, old),
                    amplitude, period)
