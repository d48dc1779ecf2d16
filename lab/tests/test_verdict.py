# SPDX-License-Identifier: GPL-2.0
"""The rule for verdicts, branch by branch."""
import math
import unittest

import context

verdict = context.module("verdict")
Factor, Near, Limit = verdict.Factor, verdict.Near, verdict.Limit


def judged(rule, *numbers, fewest=3) -> str:
    return verdict.judge(rule, {"": dict(enumerate(numbers))}, fewest).verdict


class Factors(unittest.TestCase):
    def test_80_percent_is_enough(self):
        self.assertEqual(judged(Factor(5), 4.1, 4.0, 4.05), "reproduced")
        self.assertEqual(judged(Factor(5), 4.0, 4.0, 4.0), "reproduced", "exactly 80 %")
        self.assertEqual(judged(Factor(5), 3.9, 4.0, 3.95), "partly")

    def test_one_seed_the_other_way(self):
        self.assertEqual(judged(Factor(1.2), 0.99, 1.3, 1.31, 1.32, 1.33, 1.34, 1.3),
                         "partly", "beyond chance, but not in every seed")
        self.assertEqual(judged(Factor(1.2), 0.9, 1.3, 1.3), "not reproduced")
        self.assertEqual(judged(Factor(1.2), 1.0, 1.3, 1.3), "not reproduced", "no effect")

    def test_chance(self):
        self.assertEqual(judged(Factor(5), 1.1, 3.0, 1.05), "direction only")
        self.assertEqual(judged(Factor(1.5), 1.1, 3.0, 1.05), "direction only",
                         "enough in the mean, but no effect is not excluded")

    def test_the_other_way(self):
        self.assertEqual(judged(Factor(5), 0.5, 0.51, 0.52), "not reproduced")

    def test_all_right_is_needed_however_large(self):
        self.assertEqual(judged(Factor(2), 0.9, 20, 20), "not reproduced")

    def test_inside_a_range(self):
        self.assertEqual(judged(Factor(1.12, 1.19), 1.13, 1.15, 1.16), "reproduced")
        self.assertEqual(judged(Factor(1.12, 1.19), 1.3, 1.31, 1.32), "partly", "above")
        self.assertEqual(judged(Factor(1.12, 1.19), 1.05, 1.06, 1.07), "partly", "below")
        self.assertEqual(judged(Factor(1.12, 1.19), 1.01, 1.15, 1.3), "direction only")
        self.assertEqual(judged(Factor(1.12, 1.19), 0.9, 0.91, 0.92), "not reproduced")

    def test_a_direction_must_be_beyond_chance(self):
        self.assertEqual(judged(Factor(), 1.1, 1.2, 1.15), "reproduced")
        self.assertEqual(judged(Factor(), 1.01, 1.9, 1.02), "direction only")
        self.assertEqual(judged(Factor(), 0.99, 1.1, 1.1, 1.1, 1.1, 1.1), "partly")
        self.assertEqual(judged(Factor(), 0.99, 1.9, 1.02), "not reproduced")

    def test_the_interval_is_students(self):
        """Two degrees of freedom: 4.303 standard errors."""
        half = verdict.half_width([1, 2, 3])
        self.assertAlmostEqual(half, 4.3027 / math.sqrt(3), places=3)
        self.assertEqual(verdict.half_width([1]), math.inf)

    def test_means_are_geometric(self):
        self.assertAlmostEqual(verdict.estimate([1, 4], True).mean, 2)
        self.assertAlmostEqual(verdict.estimate([1, 4], False).mean, 2.5)
        points = {"": {1: 1.0, 2: 4.0}}
        self.assertAlmostEqual(verdict.judge(Factor(2), points).estimate.mean, 2)
        self.assertAlmostEqual(verdict.judge(Near(2), points).estimate.mean, 2.5)

    def test_one_seed_has_no_end(self):
        found = verdict.estimate([2.0], True)
        self.assertEqual((found.low, found.high), (0, math.inf))


class Points(unittest.TestCase):
    points = {"50": dict(enumerate([1.0, 1.01, 1.02])), "60": dict(enumerate([1.5, 1.51, 1.6]))}

    def test_up_to_means_the_best_point(self):
        found = verdict.judge(Factor(1.5, up_to=True), self.points)
        self.assertEqual((found.verdict, found.point), ("reproduced", "60"))

    def test_else_the_mean_of_all(self):
        found = verdict.judge(Factor(1.5), self.points)
        self.assertAlmostEqual(found.estimate.least, math.sqrt(1.5))
        self.assertEqual(found.point, "mean of 50, 60")

    def test_one_point_is_enough_and_chance_is_none(self):
        points = {**self.points, "70": dict(enumerate([1.1, 9.0, 1.2]))}
        for rule in (Factor(1.5, up_to=True), Factor(1.5, somewhere=True)):
            found = verdict.judge(rule, points)
            self.assertEqual((found.verdict, found.point), ("reproduced", "60"), "70 is larger")
        self.assertEqual(str(rule), "1.5 somewhere")

    def test_the_best_point_must_have_seeds(self):
        points = {**self.points, "70": {1: 9.0}}
        self.assertEqual(verdict.judge(Factor(1.5, up_to=True), points).point, "60")

    def test_the_mean_is_of_seeds_with_all_points(self):
        points = {"50": {1: 2.0, 2: 2.0, 3: 2.0}, "60": {1: 2.0, 2: 2.0}}
        found = verdict.judge(Factor(2), points)
        self.assertEqual((found.verdict, found.estimate.seeds), ("too few seeds", 2))

    def test_sameness_holds_at_every_point(self):
        found = verdict.judge(Near(1), self.points)
        self.assertEqual((found.verdict, found.point), ("not reproduced", "60"))
        self.assertEqual(verdict.judge(Near(1), {"50": self.points["50"]}).verdict, "reproduced")

    def test_the_point_closest_to_the_limit_is_shown(self):
        found = verdict.judge(Limit(most=2), self.points)
        self.assertEqual((found.verdict, found.point), ("reproduced", "60"))
        self.assertEqual(verdict.judge(Limit(least=0.5), self.points).point, "50")


class Numbers(unittest.TestCase):
    def test_near(self):
        self.assertEqual(judged(Near(90), 89, 91, 90), "reproduced")
        self.assertEqual(judged(Near(90), 99, 99, 99), "reproduced", "10 % at most")
        self.assertEqual(judged(Near(90), 81, 81, 81), "reproduced", "10 % at least")
        self.assertEqual(judged(Near(90), 82, 98, 90), "direction only", "from 70 to 110")
        self.assertEqual(judged(Near(90), 80, *[90] * 9), "partly", "one seed of ten")
        self.assertEqual(judged(Near(90), 80, 79, 81), "not reproduced")
        self.assertEqual(judged(Near(90), 80, 99, 90), "not reproduced")
        self.assertEqual(judged(Near(1, 0.2), 0.9, 1.1, 1), "direction only")
        self.assertEqual(judged(Near(1, 0.3), 0.9, 1.1, 1), "reproduced")

    def test_limits(self):
        self.assertEqual(judged(Limit(least=30), 33, 33.5, 34), "reproduced")
        self.assertEqual(judged(Limit(least=30), 30, 31, 32), "direction only", "from 28.5")
        self.assertEqual(judged(Limit(least=30), 29, *[32] * 9), "partly")
        self.assertEqual(judged(Limit(least=30), 29, 31, 32), "not reproduced")
        self.assertEqual(judged(Limit(most=130), 130, 130, 130), "reproduced")
        self.assertEqual(judged(Limit(most=130), 130, 100, 90), "direction only")
        self.assertEqual(judged(Limit(most=130), 131, *[100] * 9), "partly")
        self.assertEqual(judged(Limit(most=130), 131, 150, 140), "not reproduced")

    def test_an_exact_number_has_no_interval(self):
        self.assertEqual(judged(Limit(most=2), 1, fewest=1), "reproduced")
        self.assertEqual(judged(Limit(most=2), 2.1, fewest=1), "not reproduced")
        self.assertEqual(judged(Near(1), 1.05, fewest=1), "reproduced")
        self.assertEqual(judged(Near(1), 1.05, 1.06, fewest=1), "direction only", "two have one")
        self.assertEqual(judged(Limit(most=2, exact=True), 2, 2, 1), "reproduced")
        self.assertEqual(judged(Limit(most=2, exact=True), 2.1, *[1] * 99), "not reproduced",
                         "one row is enough to refute it")


class Seeds(unittest.TestCase):
    def test_too_few(self):
        self.assertEqual(judged(Factor(2), 3, 3), "too few seeds")
        self.assertEqual(judged(Factor(2), 3, 3, 3, 3, fewest=5), "too few seeds")
        self.assertEqual(judged(Factor(2), 3, 3.1, 3, 3, 3, fewest=5), "reproduced")

    def test_what_is_no_number_is_no_seed(self):
        self.assertEqual(judged(Factor(2), 3, 3, math.nan), "too few seeds")
        self.assertEqual(judged(Factor(2), 3, 3, math.inf), "too few seeds")
        self.assertEqual(judged(Factor(2), 3, 3, 0), "too few seeds", "no logarithm")

    def test_nothing(self):
        self.assertEqual(verdict.judge(Factor(2), {}).verdict, "not measured")
        self.assertEqual(judged(Factor(2), math.nan), "not measured")
        self.assertEqual(judged(Limit(most=1)), "not measured")

    def test_the_weakest_part_decides(self):
        self.assertEqual(verdict.worst(["reproduced", "partly"]), "partly")
        self.assertEqual(verdict.worst(["direction only", "partly"]), "direction only")
        self.assertEqual(verdict.worst(["direction only", "not reproduced"]), "not reproduced")
        self.assertEqual(verdict.worst(["not reproduced", "partly"]), "not reproduced")
        self.assertEqual(verdict.worst(["not reproduced", "too few seeds"]), "too few seeds")
        self.assertEqual(verdict.worst(["not measured", "too few seeds"]), "not measured")
        self.assertEqual(verdict.worst([]), "not measured")


if __name__ == "__main__":
    unittest.main()
