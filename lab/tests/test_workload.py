# SPDX-License-Identifier: GPL-2.0
"""Size tables: published means, exact moments, draws, and what is refused."""
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import numpy

import context

workload = context.module("workload")

MEANS = {"websearch": 1711250, "datamining": 7470236, "enterprise": 171330,
         "cachefollower": 712570, "webserver": 66115}  # bytes, rounded
POINTS = {"websearch": 12, "datamining": 9, "enterprise": 24, "cachefollower": 21,
          "webserver": 12}
ELEPHANT = 35e6  # bytes: the size at which the CONGA paper compares its workloads


def write(text: str) -> Path:
    with tempfile.NamedTemporaryFile("w", suffix=".cdf", delete=False) as file:
        file.write(text)
    return Path(file.name)


class Tables(unittest.TestCase):
    def test_all_are_there(self):
        self.assertEqual(workload.names(), sorted(MEANS))

    def test_means_and_points(self):
        for name, mean in MEANS.items():
            table = workload.find(name)
            self.assertEqual(round(workload.mean(table)), mean, name)
            self.assertEqual(len(table.sizes), POINTS[name], name)

    def test_header_states_the_mean(self):
        for name, mean in MEANS.items():
            text = (workload.TABLES / f"{name}.cdf").read_text()
            self.assertIn(f"Mean {mean:,} bytes", text)

    def bytes_above(self, table, size: float) -> float:
        """Part of all bytes that is in flows above this size."""
        above = sum(p * (max(high, size) ** 2 - max(low, size) ** 2) / 2 / (high - low)
                    for p, low, high in workload.segments(table) if high > low)
        return float(above / workload.mean(table))

    def test_elephants_as_the_paper_has_them(self):
        mining = self.bytes_above(workload.find("datamining"), Fraction(ELEPHANT))
        enterprise = self.bytes_above(workload.find("enterprise"), Fraction(ELEPHANT))
        self.assertAlmostEqual(mining, 0.951, places=3)
        self.assertAlmostEqual(enterprise, 0.5, delta=0.05)


class Moments(unittest.TestCase):
    def setUp(self):
        path = write("# two masses and a uniform stretch\n100 0\n100 .5\n300 1\n")
        self.addCleanup(path.unlink)
        self.table = workload.load(path)

    def test_by_hand(self):
        self.assertEqual(workload.mean(self.table), 150)
        self.assertEqual(workload.second_moment(self.table),
                         Fraction(100 ** 2, 2) + Fraction(100 ** 2 + 100 * 300 + 300 ** 2, 6))

    def test_pieces_by_numeric_integration(self):
        grid = (numpy.arange(200000) + 0.5) / 200000
        for name in MEANS:
            table = workload.find(name)
            sizes = numpy.interp(grid, [float(p) for p in table.probabilities],
                                 [float(size) for size in table.sizes])
            for piece in (100000, 500000):
                full, rest = numpy.divmod(sizes, piece)
                expected = (full * piece ** 2.0 + rest ** 2).mean()
                self.assertAlmostEqual(workload.piece_squares(table, piece) / expected, 1,
                                       delta=0.002, msg=f"{name} {piece}")

    def test_pieces_of_a_point_mass(self):
        self.assertAlmostEqual(workload.stretch_squares(100.0, 100.0, 30), 3 * 900 + 100)

    def test_whole_flows(self):
        self.assertEqual(workload.piece_squares(self.table, 0),
                         float(workload.second_moment(self.table)))

    def test_draws_follow_the_table(self):
        for name in ("websearch", "webserver", "datamining"):
            table = workload.find(name)
            sizes = workload.draw(table, numpy.random.default_rng(1), 100000)
            for size, p in zip(table.sizes, table.probabilities):
                at_most = (sizes <= float(size)).mean()
                last = max(q for other, q in zip(table.sizes, table.probabilities)
                           if other == size)
                self.assertAlmostEqual(at_most, float(last), delta=0.006, msg=f"{name} {p}")


class Refusals(unittest.TestCase):
    def refused(self, text: str, line: int, reason: str):
        path = write(text)
        self.addCleanup(path.unlink)
        with self.assertRaises(ValueError) as caught:
            workload.load(path)
        message = str(caught.exception)
        self.assertTrue(message.startswith(f"{path}:{line}: "), message)
        self.assertIn(reason, message)
        self.assertNotIn("\n", message)

    def test_sizes_fall(self):
        self.refused("# table\n10 0\n20 .5\n15 1\n", 4, "size is below")

    def test_probabilities_fall(self):
        self.refused("10 0\n20 .5\n30 .4\n40 1\n", 3, "probability is below")

    def test_does_not_end_at_one(self):
        self.refused("10 0\n20 .9\n", 2, "not 1")

    def test_does_not_begin_at_zero(self):
        self.refused("10 .1\n20 1\n", 1, "not 0")

    def test_too_few_points(self):
        self.refused("# nothing\n", 1, "0 points")
        self.refused("\n10 0\n", 2, "1 points")

    def test_negative_size(self):
        self.refused("-1 0\n20 1\n", 1, "negative")

    def test_nothing_but_zero(self):
        self.refused("0 0\n0 1\n", 2, "every size is 0")

    def test_not_numbers(self):
        self.refused("10 0\nten 1\n", 2, "'ten' is not a number")
        self.refused("10 0\nnan 1\n", 2, "'nan' is not a number")
        self.refused("10 0 3\n20 1\n", 1, "expected")

    def test_no_file(self):
        with self.assertRaisesRegex(ValueError, "^/nowhere.cdf: No such file"):
            workload.load(Path("/nowhere.cdf"))

    def test_unknown_name(self):
        with self.assertRaisesRegex(ValueError, "unknown workload 'mail': there are cache"):
            workload.find("mail")


if __name__ == "__main__":
    unittest.main()
