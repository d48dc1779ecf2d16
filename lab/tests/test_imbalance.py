# SPDX-License-Identifier: GPL-2.0
"""Random placement: against exact expectations, and against the paper's bound."""
import contextlib
import io
import math
import unittest
from fractions import Fraction

import numpy
from scipy.special import ive

import context

imbalance = context.module("imbalance")
workload = context.module("workload")

SURE = 5 / imbalance.Z95  # 95 % half widths in five standard errors
EQUAL = workload.Workload("equal", [Fraction(1000)] * 2, [Fraction(0), Fraction(1)])


class Exact(unittest.TestCase):
    def assert_near(self, row, expected: float):
        half = (row.high95 - row.low95) / 2
        self.assertLess(abs(row.imbalance - expected), SURE * half, f"{row} {expected}")
        self.assertLess(half, expected / 10, "too few runs to tell anything")

    def test_two_links_equal_sizes(self):
        """|N1 - N2| of two Poisson counts of mean m is 2 m e^-2m (I0(2m) + I1(2m)),
        with Bessel functions; m is half the flows, and the mean load of a link.
        """
        times = [10, 40, 200]
        rows = imbalance.measure(EQUAL, [0], 2, times, 4000, 1)
        for row in rows:
            self.assert_near(row, 2 * (ive(0, row.flows) + ive(1, row.flows)))

    def test_range_of_many_equal_flows(self):
        """Four nearly normal loads: their range is 2.0588 standard deviations."""
        row, = imbalance.measure(EQUAL, [0], 4, [40000], 1500, 1)
        self.assert_near(row, 2.0588 * math.sqrt(4 / 40000))

    def test_variance_of_a_difference(self):
        """E (A1 - A2)^2 = 2/n * flows * mean sum of squares of a flow's pieces."""
        table, links, flows, runs = workload.find("websearch"), 4, 200, 4000
        for piece in (0, 500000):
            squares = []
            for seed in range(runs):
                generator = numpy.random.default_rng(seed)
                sizes = workload.draw(table, generator, generator.poisson(flows))
                given = imbalance.place(sizes, numpy.zeros(len(sizes), int), (1, links),
                                        piece, generator)
                self.assertAlmostEqual(given.sum() / sizes.sum(), 1)
                squares.append((given[0, 0] - given[0, 1]) ** 2)
            expected = 2 / links * flows * workload.piece_squares(table, piece)
            error = numpy.std(squares) / math.sqrt(runs)
            self.assertLess(abs(numpy.mean(squares) - expected), 5 * error, f"piece {piece}")
            self.assertLess(error, expected / 20)


class Bound(unittest.TestCase):
    def test_formula(self):
        """lambda_e = lambda / (8 n ln n (1 + (sigma / E[S])^2)), as in the paper."""
        table, links, flows = workload.find("datamining"), 8, 5000
        mean = float(workload.mean(table))
        sigma = math.sqrt(float(workload.second_moment(table)) - mean ** 2)
        rate = flows / (8 * links * math.log(links) * (1 + (sigma / mean) ** 2))
        self.assertAlmostEqual(imbalance.bound(table, 0, links, flows), 1 / math.sqrt(rate))

    def test_formula_for_pieces(self):
        """Flows of 1,000 bytes in pieces of 250: four times as many, all equal."""
        self.assertAlmostEqual(imbalance.bound(EQUAL, 250, 4, 100),
                               imbalance.bound(EQUAL, 0, 4, 400))

    def test_holds(self):
        for name in workload.names():
            rows = imbalance.measure(workload.find(name), [0, 500000], 4,
                                     imbalance.point_times(10000), 60, 1)
            for row in rows:
                self.assertLess(row.low95, row.bound, row)
            self.assertGreater(max(row.imbalance / row.bound for row in rows), 0.2, name)

    def test_smaller_pieces_balance_better(self):
        for name in ("websearch", "datamining", "enterprise"):
            whole, *cut = imbalance.measure(workload.find(name), [0, 500000, 50000], 4,
                                            [10000], 60, 1)
            self.assertLess(cut[0].imbalance, 0.7 * whole.imbalance, name)
            self.assertLess(cut[1].imbalance, 0.7 * cut[0].imbalance, name)

    def test_falls_with_the_root_of_time(self):
        first, last = imbalance.measure(workload.find("websearch"), [0], 4, [2500, 40000],
                                        400, 1)
        self.assertAlmostEqual(first.imbalance / last.imbalance, 4, delta=0.5)


class Runs(unittest.TestCase):
    def test_seed_decides(self):
        table = workload.find("webserver")
        one, same, other = (imbalance.measure(table, [0, 2000], 3, [10, 100], 30, seed)
                            for seed in (1, 1, 2))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_points_in_time(self):
        self.assertEqual(imbalance.point_times(1000), [10, 32, 100, 316, 1000])
        self.assertEqual(imbalance.point_times(11), [10, 11])

    def test_conclusion(self):
        row = imbalance.Row("any", 0, 4, 10, 30, 0.5, 0.4, 0.6, 0.45)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(imbalance.conclude([row]), 0)
            self.assertEqual(imbalance.conclude([row, row._replace(bound=0.3)]), 1)


if __name__ == "__main__":
    unittest.main()
