# SPDX-License-Identifier: GPL-2.0
"""The model of unequal load, and what stands beside it."""
import math
import tempfile
import unittest
from pathlib import Path

import context
import synthetic

tables = context.module("tables")
unequal = context.module("unequal")

GBIT = 1e9
PACKET_US = unequal.WIRE_BYTES * 8 / 1e3    # at 1 Gbit/s


class Model(unittest.TestCase):
    def load(self, other: float, own: float):
        return unequal.Load(10, 5, GBIT, other * GBIT, own * GBIT)

    def test_equal_split(self):
        share, loaded, free = unequal.model(self.load(2.5, 4), "rps")
        self.assertAlmostEqual(share, 0.5)
        self.assertAlmostEqual(loaded, 0.9 / (2 * 0.1) * PACKET_US)
        self.assertAlmostEqual(free, 0.4 / (2 * 0.6) * PACKET_US)

    def test_least_delay_finds_its_level(self):
        share, loaded, free = unequal.model(self.load(2.5, 4), "tr")
        self.assertAlmostEqual(share, 0.15 * 5 / 4)
        self.assertAlmostEqual(loaded, free)
        self.assertAlmostEqual(loaded, 0.65 / (2 * 0.35) * PACKET_US)

    def test_nothing_goes_where_there_is_more(self):
        share, loaded, free = unequal.model(self.load(4, 1), "tr")
        self.assertEqual(share, 0)
        self.assertAlmostEqual(loaded, 0.8 / (2 * 0.2) * PACKET_US)
        self.assertAlmostEqual(free, 0.2 / (2 * 0.8) * PACKET_US)

    def test_more_than_a_link_carries(self):
        share, loaded, free = unequal.model(self.load(4, 4), "rps")
        self.assertEqual(loaded, math.inf)
        self.assertEqual(unequal.mean_wait(share, loaded, free), math.inf)
        self.assertEqual(unequal.mean_wait(1, 2, math.inf), 2)


class Beside(unittest.TestCase):
    def found(self):
        runs = synthetic.runs("tr-unequal")
        carried = {f"leaf0.up{spine}": 0.3 if spine < 5 else 0.6 for spine in range(10)}
        world = synthetic.PAPER._replace(carried=lambda run: carried, waited=lambda run: 1250)
        return tables.Tables(
            runs=runs, throughput={run["id"]: synthetic.throughput(run, world) for run in runs},
            queues={run["id"]: synthetic.queues(run, world) for run in runs})

    def test_rows(self):
        rows = unequal.rows(self.found())
        self.assertEqual(len(rows), 12)
        for row in rows:
            self.assertEqual(row.seeds, 3)
            self.assertAlmostEqual(row.share, 1 / 3)
            self.assertAlmostEqual(row.wait_us, 10, delta=0.1)
        shares = {row.scheme: row.model_share for row in rows if "2.5gbit 0-1:4" in row.demands}
        self.assertEqual(shares["rps"], 0.5)
        self.assertAlmostEqual(shares["tr"], 0.1875)

    def test_the_page_reads_them(self):
        with tempfile.TemporaryDirectory() as name:
            found = self.found()._replace(unequal=[row._asdict()
                                                   for row in unequal.rows(self.found())])
            tables.write_file(Path(name) / "unequal.csv", found.unequal)
            tables.write_file(Path(name) / "runs.csv", found.runs)
            figure = context.module("figures_tr").tr_unequal(tables.read(Path(name)))
        self.assertIn("measured", figure)


if __name__ == "__main__":
    unittest.main()
