# SPDX-License-Identifier: GPL-2.0
"""An ideal fabric: shares that can be told by hand, and times that follow from them."""
import unittest

import context

ideal = context.module("ideal")
claims_hula = context.module("claims_hula")
tables = context.module("tables")


class Shares(unittest.TestCase):
    def test_one_link_in_common(self):
        self.assertEqual(ideal.shares({1: (0, 5), 2: (0, 6), 3: (1, 6)}, 12), {1: 6, 2: 6, 3: 6})

    def test_what_others_cannot_use(self):
        """Three to host 9 get a third each; the sender of one of them has two thirds left."""
        found = ideal.shares({1: (0, 9), 2: (1, 9), 3: (2, 9), 4: (2, 8)}, 12)
        self.assertEqual(found, {1: 4, 2: 4, 3: 4, 4: 8})

    def test_both_directions_of_a_host(self):
        self.assertEqual(ideal.shares({1: (0, 1), 2: (1, 0)}, 12), {1: 12, 2: 12})


class Times(unittest.TestCase):
    def times(self, *rows) -> list:
        return [round(float(x), 9) for x in ideal.completion_times(list(rows), 100.0)]

    def test_alone(self):
        self.assertEqual(self.times((1.0, 300, 0, 1, 0), (5.0, 100, 0, 1, 0)), [3, 1])

    def test_a_link_is_shared_while_both_last(self):
        self.assertEqual(self.times((0.0, 300, 0, 1, 0), (1.0, 100, 0, 2, 0)), [4, 2])

    def test_a_connection_does_one_after_the_other(self):
        self.assertEqual(self.times((0.0, 300, 0, 1, 0), (1.0, 100, 0, 1, 0)), [3, 3])
        self.assertEqual(self.times((0.0, 300, 0, 1, 0), (1.0, 100, 0, 1, 1)), [4, 2])


class Bound(unittest.TestCase):
    def test_of_the_same_trace(self):
        run = {"id": "a", **{name: str(value) for name, value in claims_hula.CUT.items()},
               "seed": "1", "scheme": "ecmp", "trace": "two", "mean_fct_s": "6", "seconds": "1"}
        found = tables.Tables(runs=[run], ideal=[{"trace": "one", "mean_fct_s": "1"},
                                                 {"trace": "two", "mean_fct_s": "4"}])
        part = claims_hula.bound("mean_fct_s", **claims_hula.CUT)
        self.assertEqual(part.measure(found), {"1 s": {"1": 1.5}})
        self.assertFalse(part.counts)


if __name__ == "__main__":
    unittest.main()
