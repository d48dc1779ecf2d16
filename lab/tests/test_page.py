# SPDX-License-Identifier: GPL-2.0
"""The page: whole, of itself, the same again, and honest about what is not there."""
import re
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import context
import synthetic

claims = context.module("claims")
page = context.module("page")
tables = context.module("tables")

EMPTY_TAGS = {"meta", "br"}


class Reader(HTMLParser):
    """Checks that tags are nested, and keeps what is asked of them."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.tags, self.ids, self.links = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag not in EMPTY_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def make(self, found, name: str = "page") -> str:
        source = self.folder / "source"
        source.mkdir(exist_ok=True)
        page.write_tables(found, source)
        into = self.folder / name
        return page.make(source, into).read_text(encoding="utf-8")


class Whole(Case):
    def test_page(self):
        self.text = self.make(synthetic.whole(synthetic.evaluated()))
        self.check_nested()
        self.check_alone()
        self.check_figures()
        self.check_claims()
        self.check_again()
        self.check_numbers()

    def check_nested(self):
        found = read(self.text)
        self.assertEqual((found.faults, found.open), ([], []))
        self.assertEqual(len(found.ids), len(set(found.ids)), "an id stands for one thing")

    def check_alone(self):
        found = read(self.text)
        self.assertNotIn("script", found.tags)
        self.assertNotIn("link", found.tags)
        self.assertFalse(re.findall(r"https?:|@import|url\((?!#)|javascript:", self.text))
        for link in found.links:
            self.assertTrue(link.startswith("#"), link)
            self.assertIn(link[1:], found.ids)

    def check_figures(self):
        others = ("capture", "headline-deep", "headline-mining")
        drawn = sum(len(one.drawings) for one in page.SECTIONS) + len(others)
        self.assertEqual(self.text.count("<svg "), drawn)
        for name in others:
            self.check_in(f"<h2>Scenario {name}</h2>")
        self.assertEqual(self.text.count(page.NO_DATA), 0)
        self.assertGreater(self.text.count("currentColor"), drawn)

    def check_claims(self):
        for claim in claims.CLAIMS:
            self.check_in(f'id="{claim.id}"')
            self.check_in(claims.command(claim).replace(">", "&gt;"))
        self.check_in("5 boots of seed 1")

    def check_in(self, words: str):
        """Without the whole page, if it fails."""
        self.assertTrue(words in self.text, words)

    def check_again(self):
        """From the tables that it was made from."""
        made = self.folder / "page"
        before = {path.name: path.read_bytes() for path in made.iterdir()}
        page.make(made, made)
        after = {path.name: path.read_bytes() for path in made.iterdir()}
        self.assertEqual(sorted(after), sorted(before))
        for name in before:
            self.assertEqual(after[name] == before[name], True, name)

    def check_numbers(self):
        """Another number is another page."""
        found = tables.read(self.folder / "source")
        run = next(row for row in found.runs if row["scenario"] == "fig9")
        run["normalised_fct"] = "77"
        other = self.make(found, "other")
        self.assertFalse(other == self.text)


class Parts(Case):
    def test_any_scenario_has_a_figure_and_tables(self):
        """One that the page does not know, with schemes that differ in their options alone."""
        runs = [{**run, "scenario": "own", "options": options, "id": f"{run['id']}{options}"}
                for run in synthetic.runs("fig9", form="full") if run["scheme"] == "conga"
                for options in ("", "q 6")]
        text = self.make(synthetic.whole(runs))
        start = text.index("<h2>Scenario own</h2>")
        self.assertEqual(text[start:].count("<svg "), 1)
        for words in ("conga q 6", "sudo make lab SCENARIO=own", "50%: means", "80%: means"):
            self.assertTrue(words in text[start:], words)

    def test_missing_figures_are_said(self):
        text = self.make(synthetic.whole(synthetic.runs("fig9")))
        drawn = sum(len(one.drawings) for one in page.SECTIONS)
        self.assertEqual(text.count("<svg "), 1)
        made = sum(len(one.tables) for one in page.SECTIONS)
        self.assertEqual(text.count(page.NO_DATA), drawn - 1 + made)
        self.assertEqual((read(text).faults, read(text).open), ([], []))

    def test_numbers_that_are_none_draw_nothing(self):
        rows = [{**row, "job_seconds": "nan", "group_mean_s": "nan"}
                for row in synthetic.runs("fig14")]
        self.assertEqual(self.make(synthetic.whole(rows)).count("<svg "), 0)

    def test_compact(self):
        found = page.compact(synthetic.whole(synthetic.runs(
            "fig2", "fig11", "fig16", "headline")))
        links = {row["link"] for rows in found.throughput.values() for row in rows}
        self.assertEqual(links, {"leaf0.up0", "leaf0.up1", "spine0.down1.0", "spine1.down1.0"})
        for run in found.runs:
            waited = {row["link"] for row in found.queues.get(run["id"], [])}
            self.assertEqual(waited == {claims.REST}, run["scenario"] in ("fig11", "headline"))

    def test_text_is_escaped(self):
        rows = [{**row, "kernel": "<b>&"} for row in synthetic.runs("fig2")]
        found = synthetic.whole(rows)
        found = found._replace(calibration=[{"what": "goodput <", "measured": "1"}])
        text = self.make(found)
        self.assertTrue("&lt;b&gt;&amp;" in text)
        self.assertTrue("goodput &lt;" in text)

    def test_facts_of_the_machine(self):
        machine = context.module("machine")
        meta = {"facts": {"hz": "250", "txrehash": "0"}, "commit": "a" * 40, "dirty": True,
                "ended": "2026-11-21T10:00:00+00:00"}
        run = {name: str(value) for name, value in machine.columns(meta).items()}
        rows = machine.rows([run, {**run, "dirty": "0"}])
        self.assertEqual([(row["fact"], row["value"], row["runs"]) for row in rows],
                         [("commit", "a" * 12, 1), ("commit", "a" * 12 + " with changes", 1),
                          ("date", "2026-11-21", 2), ("hz", "250", 2), ("txrehash", "0", 2)])
        self.assertEqual(machine.rows([]), [])

    def test_balance(self):
        machine = context.module("machine")
        meta = {"values": {"cut": ""}}
        self.assertEqual(machine.balance(self.folder, meta), [])
        (self.folder / "balance").write_text("leaf0.up0 50\nleaf0.up1 75\nspine0.down1.0 9\n"
                                             "spine1.down1.0 9\n")
        rows = machine.balance(self.folder, meta)
        self.assertEqual([(row["links"], row["least"], row["most"], row["ratio"])
                          for row in rows], [(2, 50, 75, "1.500"), (2, 9, 9, "1.000")])

    def test_balance_of_three_tiers(self):
        machine = context.module("machine")
        path = self.folder / "balance"
        path.write_text("leaf0.up0 50\nspine0.down1.0 9\nspine2.down13.1 8\nspine0.core1 7\n"
                        "core1.spine2 6\n")
        self.assertEqual(machine.read_balance(path), {
            "uplinks of a leaf": [50], "spines' ports to leaf 1": [9],
            "spines' ports to leaf 13": [8], "spines' ports to cores": [7],
            "cores' ports to spines": [6]})


if __name__ == "__main__":
    unittest.main()
