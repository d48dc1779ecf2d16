# SPDX-License-Identifier: GPL-2.0
"""Schemes side by side: the right runs, fair means, the best first."""
import re
import tempfile
import unittest
from pathlib import Path

import context
import synthetic

ranks = context.module("ranks")
tables = context.module("tables")


class Ranks(unittest.TestCase):
    def setUp(self):
        self.runs = synthetic.runs("schemes")

    def rank(self, name: str, runs=None) -> list[dict]:
        one = next(fabric for fabric in ranks.FABRICS if fabric.name == name)
        return ranks.rank(synthetic.whole(runs or self.runs), one)

    def test_every_run_is_of_one_fabric(self):
        for run in self.runs:
            names = [fabric.name for fabric in ranks.FABRICS if fabric.is_it(run)]
            self.assertEqual(len(names), 1, f"{run['id']}: {names}")

    def test_every_fabric_has_all_schemes(self):
        for fabric in ranks.FABRICS:
            with self.subTest(fabric=fabric.name):
                schemes = {row["scheme"] for row in self.rank(fabric.name)}
                self.assertEqual(len(schemes), {"plain": 3, "DCTCP": 4}.get(
                    re.split("[ ,]", fabric.name)[0], 10))

    def test_the_best_first(self):
        found = self.rank("healthy")
        self.assertEqual(found[0]["scheme"], "conga")
        self.assertEqual(found[-1]["scheme"], "rps")
        means = [row["mean FCT / idle"] for row in found]
        self.assertEqual(means, sorted(means))

    def test_only_seeds_that_all_have(self):
        runs = [run for run in self.runs if (run["scheme"], run["seed"]) != ("drb", "2")]
        for row in self.rank("one link failed", runs):
            self.assertEqual(row["seeds"], "1 3")

    def test_other_traces_are_refused(self):
        runs = [{**run, "trace": "other"} if run["scheme"] == "rps" else run
                for run in self.runs]
        with self.assertRaisesRegex(ValueError, "the schemes of seed 1 ran different traces"):
            self.rank("healthy", runs)

    def test_units(self):
        """500 of 1e8 bytes' segments of 1,448; 0.01 s."""
        row = self.rank("healthy")[0]
        self.assertAlmostEqual(row["out of order per 1,000"], 7.24)
        self.assertAlmostEqual(row["retransmits per 1,000"], 1.448)
        self.assertAlmostEqual(row["small: p99, ms"], 10)
        self.assertAlmostEqual(row["large: p99, ms"], 200)

    def test_by_seed(self):
        """The least and the most of the seeds, beside their mean."""
        for row in self.rank("one link failed"):
            values = [float(run["normalised_fct"]) for run in self.runs if run["cut"] and
                      (run["scheme"], run["mode"], run["congestion"]) ==
                      (row["scheme"], "conga", "cubic")]
            self.assertEqual(row["by seed"], f"{min(values):.4g} to {max(values):.4g}")
        self.assertIn("mean FCT / idle                 by seed", ranks.text([row]))

    def test_text_and_table(self):
        found = ranks.rank_all(synthetic.whole(self.runs))
        self.assertEqual(len(found), 4 * 10 + 2 * 3 + 2 * 4)
        text = ranks.text(found)
        self.assertEqual(text.count("mean FCT / idle"), len(ranks.FABRICS))
        self.assertTrue(text.startswith("healthy\n"))
        with tempfile.TemporaryDirectory() as folder:
            ranks.write(found, Path(folder) / "ranks.csv")
            rows = tables.read_file(Path(folder) / "ranks.csv")
        self.assertEqual([row["scheme"] for row in rows], [row["scheme"] for row in found])

    def test_other_scenarios_by_what_their_runs_differ_in(self):
        found = synthetic.whole(synthetic.runs("fig9", form="full"))
        rows = ranks.rank_all(found, "fig9")
        self.assertEqual(list(dict.fromkeys(row["fabric"] for row in rows)),
                         ["50% cubic", "80% cubic", "80% lia"])
        self.assertEqual({row["scheme"] for row in rows if row["fabric"] == "50% cubic"},
                         {"ecmp", "conga"})

    def test_options_make_another_scheme(self):
        runs = [{**run, "scenario": "own", "options": options}
                for run in synthetic.runs("schemes") if run["scheme"] == "conga" and not run["cut"]
                and ranks.healthy(run) for options in ("", "q 6")]
        rows = ranks.rank_all(synthetic.whole(runs), "own")
        self.assertEqual({row["scheme"] for row in rows}, {"conga", "conga q 6"})

    def test_nothing(self):
        self.assertEqual(ranks.rank_all(synthetic.whole(synthetic.runs("fig9"))), [])


if __name__ == "__main__":
    unittest.main()
