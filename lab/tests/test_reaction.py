# SPDX-License-Identifier: GPL-2.0
"""The table and picture of reactions: every row of the output, the same picture again."""
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import context

drawing = context.module("drawing")
reaction = context.module("reaction")
tables = context.module("tables")

SAID = """TAP version 13
1..11
# level 1, load 0.25: 128.0 to 158.5 us
# row 1 0.25 2900 135739 7020 8820 3122 154701 134701 214701 165056 91222 240796
# row 1 0.25 5800 139539 4220 11620 3122 158501 118501 218501 165056 91222 240796
# row 7 0.95 1200 435439 6761 8820 3380 454400 400700 0 460388 369149 0
ok 2 level 1
"""


class Reaction(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.tap = self.folder / "tap"
        self.tap.write_text(SAID)

    def run_program(self, *words):
        return subprocess.run([sys.executable, context.LAB / "reaction.py", *words],
                              capture_output=True, text=True, check=False)

    def test_rows(self):
        rows = reaction.read(SAID.splitlines())
        self.assertEqual([(one.level, one.load, one.total_ns) for one in rows],
                         [(1, 0.25, 154701), (1, 0.25, 158501), (7, 0.95, 454400)])
        self.assertEqual((rows[0].due_ns, rows[0].bound_ns), (214701, 240796))
        self.assertEqual((rows[2].due_ns, rows[2].bound_ns), (None, None))

    def test_files(self):
        for _ in range(2):
            said = self.run_program(self.tap, "--into", self.folder)
            self.assertEqual((said.returncode, said.stdout, said.stderr), (0, "", ""))
            table = (self.folder / "reaction.csv").read_text().splitlines()
            self.assertEqual(len(table), 4)
            self.assertEqual(table[3], "7,0.95,1200,435439,6761,8820,3380,454400,400700,,"
                             "460388,369149,")
            picture = (self.folder / "reaction.svg").read_text()
            self.assertIn("level 7", picture)
            self.assertTrue(xml.etree.ElementTree.fromstring(picture).tag.endswith("svg"))
            rows = reaction.read(SAID.splitlines())
            self.assertEqual(picture, drawing.document(reaction.draw(rows)))
            found = tables.read_file(self.folder / "reaction.csv")
            self.assertEqual(list(map(reaction.of_cells, found)), rows)

    def test_refusals(self):
        for text, why in (("ok 1\n", "there is no row"), ("# row 1 2\n", "is no row of 13"),
                          (None, "No such file")):
            self.tap.unlink(missing_ok=True)
            if text:
                self.tap.write_text(text)
            said = self.run_program(self.tap, "--into", self.folder)
            self.assertEqual(said.returncode, 2)
            self.assertIn(why, said.stderr)
            self.assertEqual(said.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
