# SPDX-License-Identifier: GPL-2.0
"""The runs of step.py, what a machine is told, and what its pictures become."""
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import numpy

import context

drawing = context.module("drawing")
stability = context.module("stability")
step = context.module("step")

POINT = step.paced(3, 160, 100)


def said(point, seed: int = 1, share: float = 0.25, offset: int = 30_000_000) -> str:
    """A machine's output: constant traffic of a constant share, zero at the offset."""
    _, scale = step.commands(point, seed)
    at = numpy.arange(offset - 5 * scale.grain + 700, offset + scale.end + 10 * scale.grain,
                      scale.grain)
    sent = numpy.clip(at - offset - step.BEGIN_NS, 0, scale.end - step.BEGIN_NS) * 10
    lines = [f"{ns} {round(share * total)} {round((1 - share) * total)} 7" for ns, total
             in zip(at, sent)]
    return "\n".join([f"== {step.name(point)}", *lines, "== end"]) + "\n"


class Plan(unittest.TestCase):
    def test_points(self):
        points = step.points()
        self.assertEqual(len(points), len(set(points)))
        self.assertTrue(60 <= len(points) <= 150)
        self.assertEqual({one.q for one in points}, {2, 3, 4, 5, 6})
        ratios = [one.tau_us / one.rtt_us for one in points]
        self.assertTrue(min(ratios) < 0.2 and max(ratios) >= 8)

    def test_same_seed_same_commands(self):
        self.assertEqual(step.commands(POINT, 1), step.commands(POINT, 1))
        self.assertNotEqual(step.commands(POINT, 1), step.commands(POINT, 2))

    def test_paced_flows_pause(self):
        """Every packet of a paced flow comes later than Tfl after the one before."""
        last, least = {}, None
        for at, text in self.sends():
            flow = text.split()[1]
            if flow.startswith("flow") and int(flow[4:]) < step.FLOWS:
                gap = at - last.get(flow, -10 ** 9)
                least = gap if least is None else min(gap, least)
                last[flow] = at
        self.assertGreater(least, POINT.tfl_us * step.US)

    def test_others_never_pause(self):
        at = [time for time, text in self.sends() if text.split()[1] == f"flow{step.FLOWS}"]
        self.assertLess(max(numpy.diff(at)), POINT.tfl_us * step.US)
        self.assertGreater(len(at), 100)

    def test_rates(self):
        _, scale = step.commands(POINT, 1)
        for name, gbits, begin, end in (
                ("flow", step.SENT_GBITS, step.BEGIN_NS, scale.end),
                ("step", step.STEP_GBITS, scale.step, scale.step_end)):
            sizes = [int(text.split()[2]) + (step.HEADERS if name == "flow" else 0)
                     for _, text in self.sends() if text.split()[1].startswith(name)
                     and int(text.split()[2]) > step.SMALL_BYTES]
            self.assertAlmostEqual(sum(sizes) * 8 / (end - begin) / gbits, 1, delta=0.01)

    def sends(self):
        at = None
        for line in step.commands(POINT, 1)[0]:
            if line.startswith("at "):
                at = int(line[3:])
            elif line.startswith("send "):
                yield at, line


class Pictures(unittest.TestCase):
    def test_share_and_time(self):
        found = step.sections(said(POINT))[step.name(POINT)]
        _, scale = step.commands(POINT, 1)
        one = step.series(found, scale)
        self.assertTrue(numpy.allclose(one.share, 0.25, atol=1e-4))
        # Within the traffic, and the step's begin between two pictures is time 0.
        self.assertTrue(one.us[0] * step.US >= step.BEGIN_NS + scale.grain - scale.step)
        self.assertTrue(one.us[-1] * step.US <= scale.end - scale.step)
        self.assertEqual(round(one.us[0] * step.US + scale.step - 700) % scale.grain, 0)
        self.assertAlmostEqual(one.end_us * step.US, scale.step_end - scale.step)

    def test_refusals(self):
        whole = said(POINT)
        with self.assertRaisesRegex(ValueError, "did not come to the end"):
            step.sections(whole.replace("== end", ""))
        with self.assertRaisesRegex(ValueError, "did not come to the end"):
            step.sections("")
        silent = step.sections(f"== {step.name(POINT)}\n1 0 0 0\n2 0 0 0\n== end\n")
        with self.assertRaisesRegex(ValueError, "sent nothing"):
            step.series(silent[step.name(POINT)], step.commands(POINT, 1)[1])

    def test_rows(self):
        pictures = step.sections(said(POINT))[step.name(POINT)]
        one = step.series(pictures, step.commands(POINT, 1)[1])
        row = step.row(1, POINT, one, 7)
        self.assertEqual((row.share_before, row.share, row.reaction_us), ("0.25", "0.25", ""))
        self.assertEqual((row.amplitude, row.period_us, row.queue_bytes), ("0", "", 7))

    def test_program_refuses(self):
        done = subprocess.run([sys.executable, context.LAB / "step.py", "--seed", "x"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("'x' is not a whole number", done.stderr)


class Map(unittest.TestCase):
    def rows(self):
        """Stable where tau is the round trip or more, and Q is at most 4."""
        return [{"q": str(one.q), "tau_us": str(one.tau_us), "rtt_us": str(one.rtt_us),
                 "tfl_us": str(one.tfl_us), "paced": str(one.paced),
                 "amplitude": "0.05" if one.tau_us >= one.rtt_us and one.q <= 4 else "0.75"}
                for one in step.points()]

    def test_edges_enclose_what_is_stable(self):
        cells = stability.cells_of(stability.varied(self.rows(), "rtt_us"))
        self.assertEqual(len(cells), len(step.QS) * len(step.TAUS))
        found = stability.edges(cells)
        # Stable are 5 of 7 columns and 3 of 5 rows, as a rectangle.
        self.assertEqual(len(found), 2 * 5 + 2 * 3)
        self.assertIn(((1.5, 1.5), (-0.5, 0.5)), found)
        self.assertIn(((1.5, 2.5), (2.5, 2.5)), found)

    def test_none_is_stable(self):
        rows = [{**row, "amplitude": "0.9"} for row in self.rows()]
        self.assertEqual(stability.edges(stability.cells_of(rows)), [])

    def test_pictures(self):
        moments = [{"q": str(q), "tau_us": str(tau), "rtt_us": str(rtt), "us": str(us),
                    "share": str(0.5 if us < 0 else 0.25)}
                   for q, tau, rtt in stability.SHOWN for us in range(-2000, 6000, 20)]
        with tempfile.TemporaryDirectory() as folder:
            rows = [step.Row(1, *one, *[""] * 6, "0.1", "", 0) for one in step.points()]
            drawn = [step.Moment(*(int(row[key]) for key in ("q", "tau_us", "rtt_us")),
                                 row["us"], row["share"]) for row in moments]
            step.write("step", Path(folder), rows, drawn)
            for name, draw in stability.FIGURES.items():
                picture = Path(folder, f"{name}.svg").read_text()
                self.assertTrue(xml.etree.ElementTree.fromstring(picture).tag.endswith("svg"))
                self.assertEqual(picture, drawing.document(draw(
                    [one._asdict() for one in rows], [one._asdict() for one in drawn])))
            self.assertIn("stable: Q 3", picture)
        self.assertIsNone(stability.stability_map([], []))
        self.assertIsNone(stability.over_time([], []))


if __name__ == "__main__":
    unittest.main()
