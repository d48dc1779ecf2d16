# SPDX-License-Identifier: GPL-2.0
"""The table of both TCPs, on runs that never were."""
import unittest

import context
import synthetic

transport = context.module("transport")


class Rows(unittest.TestCase):
    def setUp(self):
        self.runs = synthetic.runs("tr-micro")

    def test_each_scheme_with_each_tcp(self):
        rows = transport.rows(synthetic.whole(self.runs))
        self.assertEqual([(row.tcp, row.scheme) for row in rows],
                         [(tcp, scheme) for tcp in ("ns2", "linux")
                          for scheme in ("conga", "ecmp", "letflow", "rps", "drb", "presto", "tr")])
        by_scheme = {row.scheme: row for row in rows if row.tcp == "ns2"}
        self.assertEqual(by_scheme["rps"].long_mbit_s, "300")
        self.assertEqual(by_scheme["tr"].retransmits, "0")

    def test_seeds_that_all_have(self):
        runs = [{**run, "long_goodput_bit_s": str(1e6 * int(run["seed"]))} for run in self.runs
                if (run["scheme"], run["tcp"], run["seed"]) != ("drb", "linux", "3")]
        rows = transport.rows(synthetic.whole(runs))
        self.assertEqual({(row.seeds, row.long_mbit_s) for row in rows}, {("2", "1.5")})

    def test_equal_paths_are_another_table(self):
        runs = [run for run in self.runs if not run["link_delays"]]
        self.assertEqual(transport.rows(synthetic.whole(runs)), [])

    def test_nothing(self):
        self.assertEqual(transport.rows(synthetic.whole([])), [])


if __name__ == "__main__":
    unittest.main()
