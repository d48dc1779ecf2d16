# SPDX-License-Identifier: GPL-2.0
"""The evaluation that is kept: whole, the same again, and the one that the tree has."""
import io
import os
import re
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import context
import synthetic

claims = context.module("claims")
evaluation = context.module("evaluation")
judgement = context.module("judgement")
page = context.module("page")
tables = context.module("tables")
verdict = context.module("verdict")

TEXT = """# An evaluation

<!-- verdicts: written by lab keep -->
something old
<!-- end of verdicts -->
Text by hand.
<!-- runs: written by lab keep -->
<!-- end of runs -->
The end.
"""
MOST_BYTES = 60_000     # of a figure


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.source, self.into = self.folder / "source", self.folder / "into"
        for folder in (self.source, self.into):
            folder.mkdir()
        (self.into / evaluation.PAGE).write_text(TEXT)

    def files(self, folder: Path) -> dict:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def keep(self, found) -> dict:
        page.write_tables(found, self.source)
        evaluation.keep(self.source, self.into)
        return self.files(self.into)


class Keep(Case):
    def test_whole(self):
        kept = self.keep(synthetic.whole(synthetic.evaluated()))
        self.assertEqual(set(kept), {evaluation.ARCHIVE, evaluation.PAGE, *(
            f"{one.name}.svg" for one in evaluation.FIGURES)})
        self.check_page(kept[evaluation.PAGE].decode())
        for name, content in kept.items():
            if name.endswith(".svg"):
                root = xml.etree.ElementTree.fromstring(content)
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg", name)
        self.check_again(kept)

    def check_page(self, text: str):
        self.assertTrue(text.startswith("# An evaluation\n\n<!-- verdicts"))
        self.assertTrue(text.endswith("<!-- end of runs -->\nThe end.\n"))
        self.assertIn("<!-- end of verdicts -->\nText by hand.\n<!-- runs", text)
        self.assertNotIn("something old", text)
        for claim in claims.CLAIMS:
            self.assertEqual(len(re.findall(rf"^\| {claim.id} \|.*\|$", text, re.M)), 1, claim.id)
        self.assertIn("- commit: c0ffee (", text)
        # Each run of synthetic.py took 3.6 s, and sent 100 MB.
        count = int(re.search(r"- commit: c0ffee \((\d+) runs", text)[1])
        self.assertIn(f"- time: {count / 1000:.1f} hours of a processor, for {count / 1e4:.1f} TB "
                      "of goodput\n", text)

    def check_again(self, kept: dict):
        """From the archive, at another time, and on top of what stands there."""
        again = self.folder / "again"
        again.mkdir()
        (again / "old.csv").write_text("a\n1\n")
        count = evaluation.unpack(self.into / evaluation.ARCHIVE, again)
        self.assertEqual(len(list(again.iterdir())), count)
        self.assertIn("c0ffee", (again / evaluation.INSIDE).read_text())
        for path in again.iterdir():
            os.utime(path, (1, 1))
            path.chmod(0o600)
        evaluation.keep(again, self.into)
        after = self.files(self.into)
        for name, content in kept.items():
            self.assertTrue(after[name] == content, name)

    def test_missing_data_is_named(self):
        found = synthetic.whole([run for run in synthetic.evaluated() if run["scenario"] != "fig2"])
        with self.assertRaisesRegex(ValueError, "is not kept: it has no data for figure-2, C04$"):
            self.keep(found)
        self.assertEqual(self.files(self.into), {evaluation.PAGE: TEXT.encode()})

    def test_partial_evaluation_says_what_is_missing(self):
        found = synthetic.whole([run for run in synthetic.evaluated() if run["scenario"] != "fig2"])
        (self.into / "figure-2.svg").write_text("of an older evaluation")
        page.write_tables(found, self.source)
        self.assertEqual(evaluation.keep(self.source, self.into, True), ["figure-2", "C04"])
        kept = self.files(self.into)
        self.assertNotIn("figure-2.svg", kept)
        self.assertIn("figure-3.svg", kept)
        self.assertIn("\n- without data: figure-2 C04\n", kept[evaluation.PAGE].decode())

    def test_page_without_blocks_is_rejected(self):
        found = synthetic.whole(synthetic.runs("fig2"))
        first, last = evaluation.marks("verdicts")
        for text in ("no marks", TEXT.replace(last, ""), TEXT + first, last + first):
            with self.assertRaisesRegex(ValueError, "the page has no block between '<!-- verdicts"):
                evaluation.written(text, found, [], [])
        with self.assertRaisesRegex(ValueError, "source has no page to be written again"):
            evaluation.read_page(self.source)

    def test_cells(self):
        row = judgement.Row(**{**dict.fromkeys(judgement.Row._fields, ""), "claim": "C01",
                               "part": judgement.WHOLE, "says": "a | b", "seeds": "3",
                               "verdict": verdict.PARTLY, "measured": "2", "low95": "1",
                               "high95": "3", "published": "5", "point": "conga, 60%"})
        lines = evaluation.verdicts([row, row._replace(claim="C02", high95="inf"),
                                     row._replace(claim="C03", verdict=verdict.CONTEXT),
                                     row._replace(part="a part")])
        self.assertEqual(lines, [
            "0 reproduced, 2 partly, 0 direction only, 0 not reproduced of 2.", "",
            "| paper | partly |", "|---|---|", "| CONGA | 2: C01 C02 |", "",
            "| claim | what the paper says | verdict | measured (95 %) | published | case |",
            "|---|---|---|---|---|---|",
            r"| C01 | a \| b | partly | 2 (1 to 3) | 5 | conga, 60% |",
            r"| C02 | a \| b | partly | 2 | 5 | conga, 60% |"])


class Archive(Case):
    def test_faults(self):
        archive = self.folder / "archive"
        with self.assertRaisesRegex(ValueError, "archive cannot be read"):
            evaluation.unpack(archive, self.into)
        archive.write_text("no archive")
        with self.assertRaisesRegex(ValueError, "archive cannot be read"):
            evaluation.unpack(archive, self.into)
        for name, kind in (("../out.csv", tarfile.REGTYPE), ("link.csv", tarfile.SYMTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            with tarfile.open(archive, "w:xz") as tar:
                tar.addfile(member, io.BytesIO())
            with self.assertRaisesRegex(ValueError, f"{name} is no file of one folder"):
                evaluation.unpack(archive, self.into)
        self.assertEqual(self.files(self.into), {evaluation.PAGE: TEXT.encode()})


class Kept(Case):
    """What the tree has."""

    def setUp(self):
        super().setUp()
        self.text = (evaluation.FOLDER / evaluation.PAGE).read_text(encoding="utf-8")
        evaluation.unpack(evaluation.FOLDER / evaluation.ARCHIVE, self.source)

    def test_blocks_are_those_of_the_archive(self):
        rows = [judgement.Row(**cells) for cells in
                tables.read_file(self.source / "verdicts.csv")]
        found = tables.read(self.source)
        missing = evaluation.without_data(rows, self.drawn())
        self.assertTrue(evaluation.written(self.text, found, rows, missing) == self.text,
                        "make evaluation-keep FROM=build/evaluation writes them again")

    def drawn(self) -> set:
        return {path.stem for path in evaluation.FOLDER.glob("*.svg")}

    def test_figures(self):
        """Each stands in the page, with the command that makes it, and no other is there."""
        shown = re.findall(r"^!\[[^]]+\]\(([a-z0-9-]+)\.svg\)\n\n(.+?)\n\n", self.text, re.M | re.S)
        self.assertEqual(sorted(name for name, _ in shown), sorted(self.drawn()))
        commands = {one.name: one.command for one in evaluation.FIGURES}
        for name, text in shown:
            self.assertIn(commands[name], text, name)
        for path in evaluation.FOLDER.glob("*.svg"):
            self.assertLess(path.stat().st_size, MOST_BYTES)

    def test_no_table_stands_beside_the_archive(self):
        self.assertEqual([path.name for path in evaluation.FOLDER.iterdir()
                          if path.suffix not in (".md", ".svg", ".xz")], [])


if __name__ == "__main__":
    unittest.main()
