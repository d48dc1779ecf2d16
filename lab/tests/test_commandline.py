# SPDX-License-Identifier: GPL-2.0
"""The programs as a user starts them: tables, CSV files and refusals."""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import context


def run(program: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, context.LAB / program, *arguments],
                          capture_output=True, text=True, check=False)


class Refusals(unittest.TestCase):
    CASES = [
        ("nash.py", ["--networks", "0"], "'0' is not a whole number from 1 up"),
        ("nash.py", ["--starts", "many"], "'many' is not a whole number"),
        ("nash.py", ["--seed", "-1"], "--seed"),
        ("nash.py", ["fig17"], "unrecognized arguments: fig17"),
        ("nash.py", ["--csv", "/nowhere/out.csv"], "cannot write /nowhere/out.csv"),
        ("imbalance.py", ["mail"], "unknown workload 'mail': there are cachefollower"),
        ("imbalance.py", ["/nowhere.cdf"], "/nowhere.cdf: No such file"),
        ("imbalance.py", ["--links", "1"], "'1' is not a whole number from 2 to 1000"),
        ("imbalance.py", ["--flows", "10"], "'10' is not a whole number from 11 to"),
        ("imbalance.py", ["--runs", "29"], "'29' is not a whole number from 30 up"),
        ("imbalance.py", ["--piece", "0"], "'0' is not a whole number from 1000 up"),
        ("imbalance.py", ["--csv", "/nowhere/out.csv"], "cannot write /nowhere/out.csv"),
    ]

    def test_one_sentence_and_exit_2(self):
        for program, arguments, reason in self.CASES:
            done = run(program, *arguments)
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stdout, "", arguments)
            self.assertTrue(done.stderr.startswith(f"{program}: "), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_own_table_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "own.cdf"
            table.write_text("10 0\n5 1\n", encoding="ascii")
            done = run("imbalance.py", str(table))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"imbalance.py: {table}:2: the size is below that "
                                      f"of the point before\n")


class Results(unittest.TestCase):
    def rows(self, program: str, *arguments: str) -> tuple[str, list]:
        with tempfile.TemporaryDirectory() as folder:
            name = Path(folder) / "out.csv"
            done = run(program, *arguments, "--csv", str(name))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(name, encoding="ascii", newline="") as file:
                return done.stdout, list(csv.DictReader(file))

    def test_nash(self):
        text, rows = self.rows("nash.py", "--networks", "2", "--starts", "2")
        self.assertEqual([row["network"] for row in rows],
                         ["three pairs", "five pairs", "random 1", "random 2", "ring 1", "ring 2"])
        for row in rows[:2]:
            self.assertAlmostEqual(float(row["ratio"]), 2, places=6)
        self.assertIn("C30: no ratio above 2", text)

    def test_imbalance(self):
        text, rows = self.rows("imbalance.py", "websearch", "--flows", "100", "--runs", "30")
        self.assertEqual([(row["piece_bytes"], row["flows"]) for row in rows],
                         [(piece, flows) for piece in ("0", "500000")
                          for flows in ("10", "32", "100")])
        for row in rows:
            values = [float(row[name]) for name in ("low95", "imbalance", "high95")]
            self.assertEqual(values, sorted(values))
        self.assertIn("C31: 6 of 6 points within the bound", text)


if __name__ == "__main__":
    unittest.main()
