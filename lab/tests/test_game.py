# SPDX-License-Identifier: GPL-2.0
"""The bottleneck routing game: best answers, Nash flows, the optimum, and the sweep."""
import itertools
import unittest
from fractions import Fraction

import numpy
from scipy.optimize import linprog

import context

game = context.module("game")
fewest = context.module("fewest")
nash = context.module("nash")
networks = context.module("networks")

CLOSE = 1e-7  # relative: what the linear program guarantees
RULE_LEADS_TO = 1.0021  # ratio, when nobody moves for a difference of 0.2 %


def two_spines(first: float, second: float, demand: float) -> game.Game:
    """One user, two paths, whose downlinks are wide."""
    capacity = {("L0", "S0"): first, ("L0", "S1"): second,
                ("S0", "L1"): 100, ("S1", "L1"): 100}
    return game.build(capacity, [game.User("L0", "L1", demand)])


def level_by_linear_programs(rooms: dict, demand: float) -> float:
    """The least level over all sets of paths that a user may use at all."""
    best = numpy.inf
    for count in range(1, len(rooms) + 1):
        for used in itertools.combinations(rooms.values(), count):
            rows, limits = [], []
            for path, (capacity, load) in ((p, link) for p in range(count)
                                           for link in used[p]):
                rows.append([1 if p == path else 0 for p in range(count)] + [-capacity])
                limits.append(-load)
            answer = linprog([0] * count + [1], A_ub=rows, b_ub=limits,
                             A_eq=[[1] * count + [0]], b_eq=[demand])
            best = min(best, answer.x[-1])
    return best


class BestResponse(unittest.TestCase):
    def test_against_linear_programs(self):
        for seed in range(12):
            generator = numpy.random.default_rng(seed)
            played, _ = networks.random_game(generator)
            flow = game.random_split(played, generator)
            index = int(generator.integers(len(flow)))
            level, split = game.best_response(played, flow, index)
            demand = played.users[index].demand
            expected = level_by_linear_programs(game.others_room(played, flow, index), demand)
            self.assertAlmostEqual(level / expected, 1, delta=CLOSE, msg=f"seed {seed}")
            self.assertAlmostEqual(sum(split.values()), demand)
            after = flow[:index] + [split] + flow[index + 1:]
            self.assertAlmostEqual(game.user_bottleneck(played, after, index), level)

    def test_links_left_empty_do_not_count(self):
        capacity = {("L0", "S0"): 4, ("L0", "S1"): 1, ("L1", "S1"): 9,
                    ("S0", "L2"): 4, ("S1", "L2"): 1}
        played = game.build(capacity, [game.User("L0", "L2", 1), game.User("L1", "L2", 3)])
        flow = [{"S1": 1}, {"S1": 3}]
        self.assertEqual(game.best_response(played, flow, 0), (Fraction(1, 4), {"S0": 1}))


class NashFlow(unittest.TestCase):
    def test_even_split_only(self):
        played = two_spines(1, 1, 1)
        half = Fraction(1, 2)
        self.assertTrue(game.is_nash(played, [{"S0": half, "S1": half}], 0))
        self.assertFalse(game.is_nash(played, [{"S0": half + Fraction(1, 10 ** 6),
                                                "S1": half - Fraction(1, 10 ** 6)}]))
        self.assertFalse(game.is_nash(played, [{"S0": 1}]))

    def test_every_user_counts(self):
        """The first can gain, the second has one path."""
        capacity = {("L0", "S0"): 1, ("L0", "S1"): 1, ("L1", "S0"): 1,
                    ("S0", "L2"): 100, ("S1", "L2"): 100}
        played = game.build(capacity, [game.User("L0", "L2", 1), game.User("L1", "L2", 1)])
        self.assertFalse(game.is_nash(played, [{"S0": 1}, {"S0": 1}]))

    def test_in_proportion_to_capacity(self):
        played = two_spines(1, 3, 2)
        end = game.settle(played, [{"S0": 2}], numpy.random.default_rng(1))
        self.assertEqual(end, [{"S0": Fraction(1, 2), "S1": Fraction(3, 2)}])

    def test_settle_ends_in_a_nash_flow(self):
        for seed in range(20):
            generator = numpy.random.default_rng(seed)
            played, _ = networks.random_game(generator)
            end = game.settle(played, game.one_path_each(played, generator), generator)
            self.assertIsNotNone(end, f"seed {seed}")
            self.assertTrue(game.is_nash(played, end, CLOSE), f"seed {seed}")
            for user, split in zip(played.users, end):
                self.assertAlmostEqual(sum(split.values()), user.demand)


class Optimum(unittest.TestCase):
    def test_known(self):
        self.assertAlmostEqual(game.optimum(two_spines(1, 3, 2))[0], 0.5)

    def test_is_reached_and_never_beaten(self):
        for seed in range(20):
            generator = numpy.random.default_rng(seed)
            played, _ = networks.random_game(generator)
            least, flow = game.optimum(played)
            self.assertAlmostEqual(game.bottleneck(played, flow) / least, 1, delta=CLOSE)
            for user, split in zip(played.users, flow):
                self.assertAlmostEqual(sum(split.values()), user.demand)
            other = game.random_split(played, generator)
            self.assertGreaterEqual(game.bottleneck(played, other), least * (1 - CLOSE))


class Refusals(unittest.TestCase):
    def test_no_path(self):
        with self.assertRaisesRegex(ValueError, "no path from L0 to L1"):
            game.build({("L0", "S0"): 1}, [game.User("L0", "L1", 1)])

    def test_capacity(self):
        with self.assertRaisesRegex(ValueError, "L0-S0 has capacity 0"):
            two_spines(0, 1, 1)

    def test_demand(self):
        with self.assertRaisesRegex(ValueError, "demand L0-L1 is not above 0"):
            two_spines(1, 1, 0)


class Examples(unittest.TestCase):
    """What the caption of the paper's Figure 17 states, of both networks."""

    def test_capacities_and_demands(self):
        for name, make in nash.EXAMPLES.items():
            played, _ = make()
            self.assertEqual(set(played.capacity.values()), {1}, name)
            self.assertEqual({user.demand for user in played.users}, {1}, name)
            pairs = {(user.source, user.destination) for user in played.users}
            self.assertEqual(pairs, {pair[::-1] for pair in pairs}, name)

    def test_number_of_pairs(self):
        self.assertEqual(len(networks.three_pairs()[0].users), 6)
        self.assertEqual(len(networks.five_pairs()[0].users), 10)

    def test_links_both_ways(self):
        capacity = networks.five_pairs()[0].capacity
        self.assertEqual(set(capacity), {link[::-1] for link in capacity})

    def test_nash_flow_of_bottleneck_one(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            self.assertTrue(game.is_nash(played, flow, 0), name)
            self.assertEqual(game.bottleneck(played, flow), 1, name)

    def test_optimum_is_half(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            self.assertAlmostEqual(game.optimum(played)[0], 0.5, places=9, msg=name)
            other = other_paths(played, flow)
            self.assertEqual(set(game.congestions(played, other).values()),
                             {Fraction(1, 2)}, name)
            self.assertTrue(game.is_nash(played, other, 0), name)


def other_paths(played: game.Game, flow: list) -> list:
    """Half of every demand on each path with one bottleneck: the dashed paths."""
    congestion = game.congestions(played, flow)
    return [{spine: Fraction(1, 2) for spine, (_, count)
             in fewest.path_ranks(played, index, congestion, 0).items() if count == 1}
            for index in range(len(flow))]


class Rule(unittest.TestCase):
    def test_bad_nash_flow_breaks_it(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            self.assertFalse(fewest.has_fewest(played, flow, 0), name)
            congestion = game.congestions(played, flow)
            for index, split in enumerate(flow):
                ranks = fewest.path_ranks(played, index, congestion, 0)
                self.assertEqual(sorted(ranks.values()), [(1, 1), (1, 1), (1, 2)], name)
                self.assertEqual([ranks[spine] for spine in split], [(1, 2)], name)

    def test_optimal_flow_keeps_it(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            self.assertTrue(fewest.has_fewest(played, other_paths(played, flow), 0), name)

    def test_not_every_game_can(self):
        capacity = {("L0", "S0"): 1, ("S0", "L1"): 1, ("L0", "S1"): 1, ("S1", "L1"): 2}
        played = game.build(capacity, [game.User("L0", "L1", 2)])
        least, flow = 1, [{"S0": 1, "S1": 1}]
        self.assertAlmostEqual(game.optimum(played)[0], least)
        self.assertTrue(game.is_nash(played, flow, 0))
        self.assertFalse(fewest.has_fewest(played, flow, 0))

    def test_leads_out_of_the_bad_nash_flow(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            end = fewest.settle_fewest(played, flow, numpy.random.default_rng(1))
            self.assertLess(game.bottleneck(played, end), 0.5 * RULE_LEADS_TO, name)
            for user, split in zip(played.users, end):
                self.assertAlmostEqual(float(sum(split.values())), 1, msg=name)

    def test_without_the_rule_it_stays(self):
        for name, make in nash.EXAMPLES.items():
            played, flow = make()
            self.assertEqual(game.settle(played, flow, numpy.random.default_rng(1)), flow, name)


class Sweep(unittest.TestCase):
    NETWORKS, STARTS = 15, 4

    @classmethod
    def setUpClass(cls):
        cls.rows = {kind: [nash.sweep_one(kind, seed, cls.STARTS)
                           for seed in range(cls.NETWORKS)] for kind in nash.RANDOM}

    def test_claim(self):
        for kind, rows in self.rows.items():
            self.assertEqual(nash.faults(rows), [], kind)

    def test_it_shows_something(self):
        """Rings come close to 2, and the known flow of each is a Nash flow."""
        rings = self.rows["ring"]
        self.assertGreater(max(row.ratio for row in rings), 1.9)
        self.assertEqual({row.nash_flows for row in rings}, {self.STARTS + 1})
        self.assertGreater(sum(row.fewest_flows for row in self.rows["random"]), 20)

    def test_no_flow_beats_the_optimum(self):
        for row in self.rows["ring"] + self.rows["random"]:
            self.assertGreaterEqual(min(row.ratio, row.rule_ratio), 1 - CLOSE, row)
            self.assertEqual(row.unsettled, 0, row)

    def test_faults_are_seen(self):
        good = self.rows["ring"][0]._replace(ratio=2.0, rule_ratio=1.0, rule_at_rest=True,
                                             fewest_ratio=1.0)
        self.assertEqual(nash.faults([good]), [])
        for wrong in ({"ratio": 2.001}, {"rule_ratio": 1.003}, {"fewest_ratio": 1.001},
                      {"rule_ratio": 1.005, "rule_at_rest": False},
                      {"ratio": 1.999, "network": "three pairs"}):
            self.assertEqual(len(nash.faults([good._replace(**wrong)])), 1, wrong)


if __name__ == "__main__":
    unittest.main()
