# SPDX-License-Identifier: GPL-2.0
"""The game of metric sum: flows that can be calculated by hand, and the ladder."""
import unittest
from fractions import Fraction

import numpy
from scipy.optimize import minimize

import context

anarchy = context.module("anarchy")
game = context.module("game")
networks = context.module("networks")
sums = context.module("sums")

CLOSE = 1e-6


def network(capacities: dict, *users: tuple) -> game.Game:
    """capacities: {spine: (uplink, downlink)} of L0 and L1"""
    capacity = {}
    for spine, (up, down) in capacities.items():
        capacity["L0", spine], capacity[spine, "L1"] = Fraction(up), Fraction(down)
    return game.build(capacity, [game.User(*user) for user in users or [("L0", "L1", 1)]])


def least_total(played: game.Game, flow: list) -> float:
    """By a solver that knows nothing of users' answers."""
    paths = [(user, spine) for user, some in enumerate(played.paths) for spine in some]
    links = list(played.capacity)
    use = numpy.array([[float(link in played.paths[user][spine]) for user, spine in paths]
                       for link in links])
    capacity = numpy.array([float(value) for value in played.capacity.values()])
    own = numpy.array([[float(user == index) for user, _ in paths]
                       for index in range(len(played.users))])
    demands = numpy.array([float(user.demand) for user in played.users])
    start = [float(flow[user].get(spine, 0)) for user, spine in paths]
    found = minimize(lambda x: ((use @ x) ** 2 / capacity).sum(), start, method="SLSQP",
                     jac=lambda x: 2 * use.T @ ((use @ x) / capacity),
                     bounds=[(0, None)] * len(paths), options={"maxiter": 1000, "ftol": 1e-12},
                     constraints={"type": "eq", "fun": lambda x: own @ x - demands,
                                  "jac": lambda x: own})
    return float(found.fun)


class ByHand(unittest.TestCase):
    def test_both_links_count(self):
        """Slopes are 1 + 1 and 1 + 1/2: the split is 3/7 and 4/7, and both cost 6/7."""
        played = network({"S0": (1, 1), "S1": (1, 2)})
        end = sums.settle(played, [{"S0": Fraction(1)}], numpy.random.default_rng(1))
        self.assertEqual(end, [{"S0": Fraction(3, 7), "S1": Fraction(4, 7)}])
        self.assertEqual(sums.path_costs(played, end, 0),
                         {"S0": Fraction(6, 7), "S1": Fraction(6, 7)})
        self.assertTrue(sums.is_nash(played, end, 0))
        # Metric max sees the narrowest link of each path alone.
        half = Fraction(1, 2)
        self.assertEqual(game.best_response(played, end, 0)[1], {"S0": half, "S1": half})

    def test_dear_path_is_left(self):
        """Another user makes S1 cost 3 before the first has anything there."""
        capacity = {**network({"S0": (1, 1), "S1": (1, 1)}).capacity, ("L2", "S1"): Fraction(3)}
        played = game.build(capacity, [game.User("L0", "L1", 1), game.User("L2", "L1", 3)])
        half = Fraction(1, 2)
        flow = [{"S0": half, "S1": half}, {"S1": Fraction(3)}]
        self.assertEqual(sums.best_response(played, flow, 0), (2, {"S0": 1}))
        self.assertFalse(sums.is_nash(played, flow))
        self.assertTrue(sums.is_nash(played, [{"S0": Fraction(1)}, flow[1]], 0))

    def test_total(self):
        """1/2 on each of four links of 1."""
        played = network({"S0": (1, 1), "S1": (1, 1)})
        half = Fraction(1, 2)
        self.assertEqual(sums.total_cost(played, [{"S0": half, "S1": half}]), 1)
        self.assertEqual(sums.total_cost(played, [{"S0": Fraction(1)}]), 2)

    def test_every_user_counts(self):
        played = network({"S0": (1, 1), "S1": (1, 1)}, ("L0", "L1", 1), ("L0", "L1", 1))
        half = {"S0": Fraction(1, 2), "S1": Fraction(1, 2)}
        self.assertTrue(sums.is_nash(played, [half, half], 0))
        self.assertTrue(sums.is_nash(played, [{"S0": Fraction(1)}, {"S1": Fraction(1)}], 0))
        self.assertFalse(sums.is_nash(played, [half, {"S1": Fraction(1)}]))


class NashFlow(unittest.TestCase):
    def test_has_the_least_total(self):
        for seed in range(12):
            generator = numpy.random.default_rng(seed)
            played, _ = networks.random_game(generator)
            start = game.random_split(played, generator)
            end = sums.settle(played, start, generator)
            self.assertTrue(sums.is_nash(played, end, CLOSE), seed)
            self.assertAlmostEqual(sums.total_cost(played, end) / least_total(played, start), 1,
                                   delta=1e-4, msg=f"seed {seed}")
            for user, split in zip(played.users, end):
                self.assertAlmostEqual(sum(split.values()), user.demand)

    def test_loads_are_the_same_from_every_start(self):
        for seed in range(12):
            generator = numpy.random.default_rng(seed)
            played, _ = networks.random_game(generator)
            first, second = (game.congestions(played, sums.settle(
                played, game.one_path_each(played, generator), generator)) for _ in range(2))
            for link, value in first.items():
                self.assertAlmostEqual(value, second[link], delta=1e-4 * max(1, value))


class Ladder(unittest.TestCase):
    def test_exact_nash_flow(self):
        for depth in range(5):
            played, flow = networks.ladder(depth)
            self.assertTrue(sums.is_nash(played, flow, 0), depth)
            self.assertEqual(game.bottleneck(played, flow), 1, depth)
            self.assertEqual(len(played.users), 2 ** (depth + 1) - 1)

    def test_ratio_doubles_with_each_step(self):
        for depth in range(1, 5):
            played, flow = networks.ladder(depth)
            ratio = float(game.bottleneck(played, flow)) / game.optimum(played)[0]
            self.assertAlmostEqual(ratio / 2 ** depth, 1, delta=anarchy.LADDER_ERROR)

    def test_first_step_by_hand(self):
        """A user of 1/1000 on a link of 1/1000, and two links of 1000 that are half full: the
        optimum fills all three alike, x 1000 = 500 + 1/1000 (1 - x), or very nearly so."""
        played, _ = networks.ladder(1)
        self.assertAlmostEqual(game.optimum(played)[0], 0.5, delta=0.001)

    def test_max_is_better_there(self):
        generator = numpy.random.default_rng(1)
        played, flow = networks.ladder(3)
        end = game.settle(played, flow, generator)
        self.assertLess(game.bottleneck(played, end) / game.optimum(played)[0], 1.01)


class Saturated(unittest.TestCase):
    def test_no_bound(self):
        for narrow in (10, 100):
            played, flow = networks.saturated(narrow)
            self.assertTrue(sums.is_clamped_nash(played, flow))
            self.assertFalse(sums.is_nash(played, flow))
            ratio = float(game.bottleneck(played, flow)) / game.optimum(played)[0]
            self.assertGreater(ratio, narrow)

    def test_full_scale_is_the_cause(self):
        played, flow = networks.saturated(100)
        end = sums.settle(played, flow, numpy.random.default_rng(1))
        self.assertLess(game.bottleneck(played, end) / game.optimum(played)[0], 2)

    def test_empty_path_attracts(self):
        played, flow = networks.saturated(10)
        alone = game.build(played.capacity, played.users[:1])
        self.assertFalse(sums.is_clamped_nash(alone, flow[:1]))


class Report(unittest.TestCase):
    def rows(self, **changed):
        one = anarchy.Row("equal 1", 3, 2, 12, 6, 1.0, 1.0, 1.2, 1.0)
        return [one._replace(**changed)]

    def test_faults(self):
        self.assertEqual(anarchy.faults(self.rows()), [])
        for wrong in ({"sum_ratio": 1.1}, {"max_ratio": 2.1}, {"max_mean_ratio": 0.9},
                      {"network": "ladder 3", "sum_ratio": 7.5}):
            self.assertEqual(len(anarchy.faults(self.rows(**wrong))), 1, wrong)

    def test_examples(self):
        for name in ("three pairs", "ladder 2"):
            played, flow = anarchy.EXAMPLES[name]()
            row = anarchy.of_network(name, played, flow, 2, numpy.random.default_rng(1))
            self.assertEqual(anarchy.faults([row]), [])
            self.assertGreater(max(row.sum_ratio, row.max_ratio), 1.99)

    def test_equal_links(self):
        for seed in range(5):
            played, _ = networks.random_equal(numpy.random.default_rng(seed))
            row = anarchy.of_network("equal 0", played, None, 2, numpy.random.default_rng(1))
            self.assertAlmostEqual(row.sum_ratio, 1)


if __name__ == "__main__":
    unittest.main()
