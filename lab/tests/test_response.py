# SPDX-License-Identifier: GPL-2.0
"""What is derived from a share over time, of signals whose answer is known."""
import unittest

import numpy

import context

response = context.module("response")

GRAIN, BEFORE, STEP, AFTER = 20.0, 6000.0, 16000.0, 8000.0     # us
OLD, NEW = 0.5, 0.25
PACKETS = 20        # in an interval: the noise of real shares


def signal(answer=lambda us: NEW, packets: int = PACKETS, seed: int = 1):
    """A series that answers a step; with noise unless packets is 0."""
    us = numpy.arange(-BEFORE, STEP + AFTER, GRAIN) + GRAIN
    within = (us > 0) & (us <= STEP)
    share = numpy.where(within, [answer(one) if 0 < one <= STEP else OLD for one in us], OLD)
    if packets:
        generator = numpy.random.default_rng(seed)
        share = generator.binomial(packets, numpy.clip(share, 0, 1)) / packets
    return response.Series(us, share, STEP)


def wave(amplitude: float, period: float):
    return lambda us: NEW + amplitude / 2 * numpy.sin(2 * numpy.pi * us / period)


class Answer(unittest.TestCase):
    def test_sudden(self):
        found = response.analyse(signal(lambda us: NEW if us > 300 else OLD, 0))
        self.assertEqual((found.before, found.final), (OLD, NEW))
        self.assertAlmostEqual(found.reaction_us, 320, delta=GRAIN)
        self.assertAlmostEqual(found.back_us, 20, delta=GRAIN)
        self.assertAlmostEqual(found.overshoot, 0)
        self.assertEqual((found.amplitude, found.period_us), (0, None))

    def test_reaction_is_at_half_of_the_way(self):
        """A ramp of 4 ms passes the middle after 2; the mean of two intervals is one late."""
        found = response.analyse(signal(lambda us: OLD + (NEW - OLD) * min(1, us / 4000), 0))
        self.assertAlmostEqual(found.reaction_us, 2000, delta=GRAIN)
        self.assertAlmostEqual(found.settling_us, 4000 * 0.6, delta=response.SMOOTH * GRAIN)

    def test_to_more_traffic(self):
        found = response.analyse(signal(lambda us: 0.9 if us > 100 else OLD, 0))
        self.assertAlmostEqual(found.final, 0.9)
        self.assertAlmostEqual(found.reaction_us, 120, delta=GRAIN)

    def test_no_reaction(self):
        found = response.analyse(signal(lambda us: OLD))
        self.assertEqual((found.reaction_us, found.settling_us, found.back_us), (None,) * 3)
        self.assertEqual((found.overshoot, found.period_us), (0, None))

    def test_only_the_final_half_counts(self):
        """A share that is elsewhere for a third of the time has its final mean."""
        found = response.analyse(signal(lambda us: 0.8 if us < STEP / 3 else NEW, 0))
        self.assertEqual(found.final, NEW)


class Damped(unittest.TestCase):
    DAMPING, PERIOD = 800.0, 800.0

    def answer(self, us: float) -> float:
        return NEW + (OLD - NEW) * numpy.exp(-us / self.DAMPING) * numpy.cos(
            2 * numpy.pi * us / self.PERIOD)

    def test_overshoot_and_settling(self):
        found = response.analyse(signal(self.answer, 0))
        # After half a period it is exp(-1/2) of the way beyond; the moving mean sees less.
        self.assertAlmostEqual(found.overshoot, numpy.exp(-0.5), delta=0.12)
        # exp(-t / 800) is 0.1 / 0.25 after 733 us, and the next half wave is within.
        self.assertTrue(200 < found.settling_us < 733, found)
        self.assertIsNone(found.period_us)

    def test_no_oscillation_under_noise(self):
        for seed in range(20):
            found = response.analyse(signal(self.answer, seed=seed))
            self.assertLess(found.amplitude, response.STABLE, seed)
            self.assertIsNone(found.period_us, seed)
            self.assertAlmostEqual(found.final, NEW, delta=0.02)


class Sustained(unittest.TestCase):
    def test_amplitude_and_period(self):
        for amplitude, period in ((0.3, 200), (0.5, 400), (0.4, 1000), (0.3, 100)):
            for seed in range(5):
                found = response.analyse(signal(wave(amplitude, period), seed=seed))
                self.assertAlmostEqual(found.amplitude, amplitude, delta=0.06, msg=str(period))
                self.assertAlmostEqual(found.period_us, period, msg=str(period),
                                       delta=max(GRAIN, 0.05 * period))

    def test_never_settles(self):
        found = response.analyse(signal(wave(0.5, 2000)))
        self.assertIsNone(found.settling_us)

    def test_all_or_nothing(self):
        """A square wave has more power than a sine: the amplitude ends at all traffic."""
        found = response.analyse(signal(lambda us: float(us % 400 < 100), 0))
        self.assertEqual((found.amplitude, found.period_us), (1, 400))

    def test_noise_of_pictures_is_no_oscillation(self):
        for seed in range(20):
            self.assertLess(response.analyse(signal(seed=seed)).amplitude, response.STABLE)

    def test_too_short(self):
        self.assertEqual(response.oscillation(numpy.array([0.0, 1.0] * 2), GRAIN), (0, None))

    def test_of_before_counts_not(self):
        """Only what happens in the final part of the step."""
        found = response.analyse(signal(lambda us: float(us % 400 < 100) if us < 7000 else NEW, 0))
        self.assertEqual((found.amplitude, found.period_us), (0, None))


if __name__ == "__main__":
    unittest.main()
