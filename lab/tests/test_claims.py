# SPDX-License-Identifier: GPL-2.0
"""Every claim, on tables in which it is right, and on tables in which it is not."""
import tempfile
import unittest
from pathlib import Path

import context
import synthetic

claims = context.module("claims")
judgement = context.module("judgement")
measures = context.module("measures")
scenario = context.module("scenario")
tables = context.module("tables")

# Of claims that are no comparison of schemes, or are claims of sameness.
RIGHT_IN_FLAT = {"C06", "C07", "C08", "C09", "C24", "C25", "C30", "C31", "C32",
                 "L1", "L2", "H04"}


def found_in(world, **where) -> "tables.Tables":
    return synthetic.whole(synthetic.runs(world=world, **where), world)


def verdicts(found, claim=None) -> dict:
    return {row.claim: row.verdict for row in judgement.judge_all(found)
            if row.part == judgement.WHOLE and claim in (None, row.claim)}


def changed(found, wanted: dict, **cells) -> "tables.Tables":
    """With other cells in the rows that match."""
    return found._replace(runs=[{**row, **cells} if tables.matching([row], wanted) else row
                                for row in found.runs])


class Worlds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.paper, cls.flat = found_in(synthetic.PAPER), found_in(synthetic.FLAT)

    def test_where_the_paper_is_right(self):
        found = verdicts(self.paper)
        for claim in claims.CLAIMS:
            with self.subTest(claim=claim.id):
                self.assertEqual(found[claim.id], "reproduced")

    def test_where_all_schemes_are_the_same(self):
        found = verdicts(self.flat)
        for claim in claims.CLAIMS:
            with self.subTest(claim=claim.id):
                self.assertEqual(found[claim.id], "reproduced" if claim.id in RIGHT_IN_FLAT
                                 else "not reproduced")

    def test_sameness_can_fail(self):
        for claim, where in (("C09", {"scenario": "fig9", "load": 0.3, "scheme": "ecmp"}),
                             ("C24", {"scenario": "fig14", "cut": "", "scheme": "ecmp"}),
                             ("C25", {"scenario": "fig14", "cut": "1.1.1", "scheme": "conga"})):
            with self.subTest(claim=claim):
                found = changed(self.flat, where, mean_fct_s="1.2", job_seconds="1.2")
                self.assertEqual(verdicts(found)[claim], "not reproduced")

    def test_no_loads_can_fail(self):
        found = self.flat._replace(
            nash=[{**row, "ratio": "2.1"} for row in self.flat.nash],
            imbalance=[{**row, "imbalance": "2.1"} for row in self.flat.imbalance],
            feedback=[{**row, "passed": "0"} for row in self.flat.feedback])
        self.assertEqual([verdicts(found)[name] for name in ("C30", "C31", "C32")],
                         ["not reproduced"] * 3)

    def test_a_link_that_comes_back_late_or_never(self):
        for column, text in (("back_s", "0.0011"), ("last_lost_s", "0.0011"), ("back_s", "nan")):
            rows = {name: [*rows[:-1], {**rows[-1], column: text}]
                    for name, rows in self.paper.failures.items()}
            self.assertIn(verdicts(self.paper._replace(failures=rows))["H10"],
                          ("not reproduced", "not measured"), text)

    def test_one_kind_of_link_with_more_probes(self):
        rows = {name: [{**row, "least": "0.97"} if row["links"] == "core-spine" else row
                       for row in rows] for name, rows in self.paper.probes.items()}
        self.assertEqual(verdicts(self.paper._replace(probes=rows))["H12"], "not reproduced")

    def test_low_load_and_slow_probes_can_fail(self):
        where = {"scenario": "fattree", "load": 0.2, "scheme": "conga-prime"}
        self.assertEqual(verdicts(changed(self.paper, where, mean_fct_s="1.2"))["H04"],
                         "not reproduced")
        where = {"scenario": "fattree-cut", "load": 0.6,
                 "options": "flowlet-timeout 100us probe 2ms"}
        self.assertEqual(verdicts(changed(self.paper, where, mean_fct_s="1.2"))["H11"],
                         "not reproduced")

    def test_one_packet_that_overtook_is_context(self):
        """TCP bears with two; what it sends again is judged."""
        rows = {name: [{**row, "overtook": "1"} for row in rows]
                for name, rows in self.paper.order.items()}
        self.assertEqual(verdicts(self.paper._replace(order=rows))["T04"], "reproduced")

    def test_one_segment_that_was_sent_again(self):
        for tcp, verdict in (("ns2", "not reproduced"), ("linux", "reproduced")):
            where = {"scenario": "tr-micro", "scheme": "tr", "tcp": tcp}
            self.assertEqual(verdicts(changed(self.paper, where, retransmits="1"))["T04"],
                             verdict, tcp)

    def test_one_scheme_that_is_worse_than_rps(self):
        for tcp, verdict in (("ns2", "not reproduced"), ("linux", "reproduced")):
            where = {"scenario": "tr-micro", "scheme": "presto", "tcp": tcp}
            self.assertEqual(verdicts(changed(self.paper, where, long_goodput_bit_s="1e8"))["T09"],
                             verdict, tcp)

    def test_drb_is_a_little_better_than_rps(self):
        where = {"scenario": "tr-micro", "scheme": "drb"}
        self.assertEqual(verdicts(changed(self.paper, where, long_goodput_bit_s="2e8"))["T09"],
                         "not reproduced")

    def test_rps_that_does_not_collapse(self):
        where = {"scenario": "tr-micro", "scheme": "rps", "tcp": "ns2"}
        found = changed(self.paper, where, long_goodput_bit_s="1e9")
        self.assertEqual([verdicts(found)[name] for name in ("T03", "T09")],
                         ["not reproduced"] * 2)

    def test_one_workload_with_a_better_threshold(self):
        where = {"scenario": "tr-short", "params": "rtt 200us short 500000",
                 "workload": "websearch"}
        self.assertEqual(verdicts(changed(self.paper, where, mean_fct_s="0.1"))["T05"],
                         "not reproduced")

    def test_the_abstract_claims_more_than_the_text(self):
        where = {"scenario": "tr", "scheme": "rps"}
        for column in ("small_mean_fct_s", "small_p99_fct_s"):
            found = verdicts(changed(self.paper, where, **{column: "0.012"}))
            self.assertNotEqual(found["T11"], "reproduced", column)
            self.assertEqual((found["T01"], found["T06"]), ("reproduced", "reproduced"))

    def test_memory_of_the_box(self):
        for kilobytes, verdict in (("52428", "reproduced"), ("52430", "not reproduced")):
            rows = [{**row, "count": kilobytes} if row["case"] == "memory-tr" else row
                    for row in self.paper.cost]
            self.assertEqual(verdicts(self.paper._replace(cost=rows))["T10"], verdict)

    def test_the_papers_rule_is_judged(self):
        """What the module's default does is shown, and decides nothing."""
        for params, verdict in (("near 0", "not reproduced"), ("", "reproduced")):
            found = changed(self.paper, {"scheme": "hula", "params": params}, mean_fct_s="9",
                            small_mean_fct_s="99", large_mean_fct_s="99", p99_fct_s="99")
            self.assertEqual([verdicts(found)[name] for name in ("H01", "H02", "H03", "H06",
                                                                 "H07", "H08", "H13")],
                             [verdict] * 7, params)

    def test_one_packet_dropped(self):
        """Of the longest runs; and a run of which nothing was counted is none without drops."""
        where = tables.matching(self.paper.runs, {"scenario": "fattree-cut", "scheme": "hula",
                                                  "params": "near 0", "workload": "websearch",
                                                  "load": 0.6, "seed": 2})
        drop = {"box": "spine0.core1", "counter": "drops", "value": "1"}
        rows = {row["id"]: [{"id": row["id"], **drop}] for row in where}
        found = self.paper._replace(counters={**self.paper.counters, **rows})
        self.assertEqual(verdicts(found)["H14"], "not reproduced")
        self.assertEqual(verdicts(self.paper._replace(counters={}))["H14"], "not measured")

    def test_a_frame_that_waits(self):
        for more, verdict in ((64, "reproduced"), (65, "not reproduced")):
            rows = {name: [{**row, "p90": str(9000 + more)} if row["link"] == "core0.spine1"
                           else row for row in rows] for name, rows in self.paper.queues.items()}
            self.assertEqual(verdicts(self.paper._replace(queues=rows))["H15"], verdict, more)

    def test_flowlets_can_fail(self):
        small = {name: [{**row, "bytes_p50": "1e6"} for row in rows]
                 for name, rows in self.flat.flowlets.items()}
        many = {name: [{**row, "median": "131"} for row in rows]
                for name, rows in self.flat.concurrency.items()}
        found = verdicts(self.flat._replace(flowlets=small, concurrency=many))
        self.assertEqual([found[name] for name in ("C06", "C07", "C08")],
                         ["not reproduced"] * 3)

    def test_the_headline_needs_five_seeds(self):
        found = self.paper._replace(runs=[row for row in self.paper.runs if row["seed"] != "5"])
        self.assertEqual(verdicts(found)["C01"], "too few seeds")
        self.assertEqual(verdicts(found)["C13"], "reproduced", "three are enough elsewhere")

    def test_one_missing_part_is_a_missing_claim(self):
        found = self.paper._replace(runs=[
            row for row in self.paper.runs
            if not tables.matching([row], {"scenario": "fig11", "workload": "datamining"})])
        self.assertEqual(verdicts(found)["C01"], "not measured")

    def test_one_seed_the_other_way(self):
        where = {"scenario": "three-tier", "scheme": "ecmp", "seed": 2}
        found = changed(self.paper, where, mean_fct_s="0.5")
        self.assertEqual(verdicts(found)["C37"], "not reproduced")

    def test_jobs_without_an_end_do_not_count(self):
        where = {"scenario": "fig14", "scheme": "ecmp", "seed": 1}
        self.assertEqual(verdicts(changed(self.paper, where, job_seconds="nan"))["C02"],
                         "too few seeds")

    def test_other_forms_can_be_judged(self):
        for form in ("quick", "full"):
            with self.subTest(form=form):
                found = verdicts(found_in(synthetic.PAPER, form=form))
                self.assertEqual(found["C04"], "reproduced" if form == "full"
                                 else "too few seeds")

    def test_the_fuller_form_counts(self):
        reduced, full = (synthetic.runs("fig9", form=form) for form in ("reduced", "full"))
        rows = judgement.judge(synthetic.whole(full + reduced), claims.CLAIMS[7])
        self.assertEqual((rows[0].claim, rows[0].form), ("C09", "full"))
        self.assertTrue(rows[0].command.endswith("FORM=full"))

    def test_context_does_not_decide(self):
        where = {"scenario": "fig11", "seconds": 0.1, "scheme": "ecmp"}
        self.assertEqual(verdicts(changed(self.paper, where, mean_fct_s="0.1"))["C01"],
                         "reproduced")

    def test_boots_beside_seeds(self):
        found = judgement.spreads(self.paper)
        self.assertEqual(list(found), ["5 seeds", "5 boots of seed 1"])
        self.assertGreater(found["5 seeds"].most - found["5 seeds"].least, 0)

    def test_text(self):
        found = judgement.text(judgement.judge_all(self.paper), self.paper)
        self.assertRegex(found, r"C01 +reproduced +6\.0.*5 reduced +more than 5")
        self.assertRegex(found, r"C03 +context only")
        self.assertIn("sudo make lab SCENARIO=fig11", found)
        self.assertIn("over 5 boots of seed 1: ", found)


class Beside(unittest.TestCase):
    """What rests on MPTCP is a number, and no verdict."""

    def parts(self, found, claim: str) -> list:
        return [row for row in judgement.judge_all(found)
                if row.claim == claim and row.part != judgement.WHOLE]

    def test_numbers(self):
        found = synthetic.whole(synthetic.runs("fig9", "fig11", "fig13"))
        for claim, number in (("C16", 1.4), ("C18", 1.4 / 1.05), ("C19", 1), ("C03", 1.4)):
            for row in self.parts(found, claim):
                with self.subTest(claim=claim, part=row.part):
                    self.assertEqual((row.verdict, row.seeds), ("context only", "3"))
                    if "ecmp" not in row.part:
                        self.assertAlmostEqual(float(row.measured), number, delta=0.01)

    def test_of_the_link(self):
        found = changed(synthetic.whole(synthetic.runs("fig13")),
                        {"scheme": "mptcp", "servers": 63, "mtu": 9000},
                        job_bytes="1e9", job_seconds="8")
        self.assertEqual([row.measured for row in self.parts(found, "C22")], ["0.1"])

    def test_without_runs(self):
        found = found_in(synthetic.PAPER)
        found = found._replace(runs=[row for row in found.runs if row["scheme"] != "mptcp"])
        for claim in claims.BESIDE:
            for row in self.parts(found, claim):
                self.assertEqual((row.verdict, row.measured), ("not measured", ""))
        self.assertEqual(verdicts(found)["C09"], "reproduced")
        self.assertEqual(verdicts(found)["C16"], "context only")

    def test_it_decides_nothing(self):
        found = changed(found_in(synthetic.PAPER), {"scheme": "mptcp"}, mean_fct_s="99")
        self.assertEqual([verdicts(found)[name] for name in ("C09", "C13", "C16")],
                         ["reproduced", "reproduced", "context only"])


class Pairs(unittest.TestCase):
    def setUp(self):
        self.runs = synthetic.runs("three-tier")

    def test_other_traces_are_refused(self):
        self.runs[0]["trace"] = "other"
        with self.assertRaisesRegex(ValueError, "three-tier-.* cannot be compared: they ran "
                                                "different traces"):
            verdicts(synthetic.whole(self.runs))

    def test_seed_by_seed(self):
        """What the trace of a seed costs every scheme is in no ratio."""
        rows = [{**row, "mean_fct_s": str((2 if row["scheme"] == "ecmp" else 1)
                                          * 10 ** int(row["seed"]))} for row in self.runs]
        measure = measures.ratios(measures.cell("mean_fct_s"), claims.ECMP,
                                  {"options": "metric max"}, **claims.THREE_TIERS)
        self.assertEqual(measure(synthetic.whole(rows)),
                         {"": {str(seed): 2 for seed in range(1, 6)}})

    def test_two_runs_of_one_point_are_refused(self):
        with self.assertRaisesRegex(ValueError, "the same point with the same seed 1"):
            verdicts(synthetic.whole(self.runs + [{**self.runs[0], "id": "again"}]))

    def test_the_shortest_run_counts(self):
        rows = [{**row, "id": row["id"] + "-long", "seconds": "9", "mean_fct_s": "99",
                 "trace": "long"} for row in self.runs]
        self.assertEqual(verdicts(synthetic.whole(self.runs + rows))["C37"], "reproduced")

    def test_the_longest_run_counts_where_a_failure_grows(self):
        rows = synthetic.runs("fattree-cut")
        long = [{**row, "id": row["id"] + "-long", "seconds": "9", "trace": row["trace"] + "9",
                 "mean_fct_s": str(2 if row["scheme"] == "ecmp" else 1)} for row in rows
                if row["workload"] == "websearch" and row["params"] == "near 0"
                or row["scheme"] == "ecmp"]
        found = {(row.claim, row.part): row for row in
                 judgement.judge_all(synthetic.whole(rows + long)) if row.claim in ("H05", "H06")}
        self.assertEqual(found["H06", "ECMP / HULA"].measured, "2")
        self.assertEqual(found["H06", "ECMP / HULA"].point, "9 s")
        self.assertEqual(found["H06", "ECMP / HULA as the module has it"].point, "0.11 s",
                         "of which none is longer")

    def test_seeds_without_a_partner_are_left_out(self):
        rows = [row for row in self.runs if row["scheme"] != "ecmp" or row["seed"] in "12"]
        self.assertEqual(verdicts(synthetic.whole(rows))["C37"], "too few seeds")


class Quantities(unittest.TestCase):
    def test_links_next_to_failures(self):
        run = {"cut": "0.0.0 2.1.2", "links": "3"}
        self.assertEqual(measures.links_next_to_failures(run),
                         ["spine0.down0.1", "spine0.down0.2", "spine1.down2.0",
                          "spine1.down2.1"])

    def test_links_next_to_a_failure_between_spine_and_core(self):
        run = {"cut": "spine2-core0 spine3-core1", "links": "1", "spines": "6", "pods": "3",
               "cores": "3"}
        self.assertEqual(measures.links_next_to_failures(run),
                         ["core0.spine3", "core1.spine2", "spine2.core1", "spine2.core2",
                          "spine3.core0", "spine3.core2"])
        found = tables.Tables(queues={"a": [{"link": link, "p95": size} for link, size in (
            ("core0.spine3", "4"), ("spine2.core1", "8"), ("spine0.core1", "99"))]})
        self.assertEqual(measures.queue_next_to_failures("p95")(found, {**run, "id": "a"}), 6)

    def test_imbalance(self):
        run = {"id": "a", "seconds": "0.02"}
        gbits = {"leaf0.up0": (4, 1), "leaf0.up1": (2, 3), "leaf1.up0": (99, 99)}
        found = tables.Tables(throughput={"a": [
            {"link": link, "start_ms": str(10 * i), "gbit_per_s": str(x)}
            for link, both in gbits.items() for i, x in enumerate(both)]})
        self.assertEqual(measures.imbalances(found, run), [2 / 3, 1.0])
        self.assertAlmostEqual(measures.median_imbalance(found, run), 5 / 6)

    def test_the_warm_up_is_left_out(self):
        run = {"id": "a", "seconds": "0.05"}
        found = tables.Tables(throughput={"a": [
            {"link": "x", "start_ms": str(10 * i), "gbit_per_s": str(0 if i == 0 else 10)}
            for i in range(5)]})
        self.assertAlmostEqual(measures.delivered("x")(found, run), 10)

    def test_better_is_a_lower_time(self):
        self.assertAlmostEqual(claims.better(0.35), 1.538, places=3)


class Table(unittest.TestCase):
    def test_scenarios_name_their_claims(self):
        """What a scenario says to show is judged or listed, and the other way."""
        for claim in claims.CLAIMS:
            if claim.scenario:
                self.assertIn(claim.id, scenario.find(claim.scenario).claims)
        known = {claim.id for claim in claims.CLAIMS} | set(claims.BESIDE)
        for name in scenario.names():
            self.assertLessEqual(set(scenario.find(name).claims), known)

    def test_every_claim_says_what_it_is(self):
        for claim in claims.CLAIMS:
            for text in (claim.says, claim.figure, claim.how, claim.published, claim.differs):
                self.assertTrue(text, claim.id)
            self.assertTrue(any(part.counts for part in claim.parts), claim.id)
        self.assertFalse({claim.id for claim in claims.CLAIMS} & set(claims.BESIDE))


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_nothing(self):
        with self.assertRaisesRegex(ValueError, "has no runs.csv: lab csv makes it"):
            tables.read(self.folder)
        with self.assertRaisesRegex(ValueError, "is no folder"):
            tables.read(self.folder / "missing")
        (self.folder / "runs.csv").write_text("id,scenario\na,b\n")
        with self.assertRaisesRegex(ValueError, "runs.csv has no column forms"):
            tables.read(self.folder)

    def test_tests_of_the_module(self):
        (self.folder / "feedback.tap").write_text(
            "TAP version 13\n1..3\n# 5\n# 6\nok 1 a round\nnot ok 2 two\n# 7\nok 3 c # SKIP why\n")
        self.assertEqual(tables.read(self.folder).feedback,
                         [{"test": "a round", "passed": "1", "said": "5; 6"},
                          {"test": "two", "passed": "0", "said": ""}])

    def test_what_the_bench_said(self):
        (self.folder / "cost.txt").write_text(
            "# of some kernel\ncost send-steady-tr 900 1.2\ncost send-steady-letflow 800 1.1\n")
        found = tables.read(self.folder)
        self.assertEqual(found.cost, [{"case": "send-steady-tr", "count": "900"},
                                      {"case": "send-steady-letflow", "count": "800"}])
        row = next(row for row in judgement.judge_all(found)
                   if row.part == "instructions, send-steady")
        self.assertEqual((row.verdict, row.measured), ("reproduced", "1.125"))
        self.assertEqual(verdicts(found)["T10"], "not measured", "one case is no bench")

    def test_verdicts_as_a_table(self):
        rows = judgement.judge_all(synthetic.whole(synthetic.runs("fig2")))
        judgement.write(rows, self.folder / "verdicts.csv")
        found = tables.read_file(self.folder / "verdicts.csv")
        self.assertEqual(len(found), len(rows))
        c04 = next(row for row in found if row["claim"] == "C04")
        self.assertEqual((c04["verdict"], c04["seeds"], c04["form"]),
                         ("reproduced", "3", "reduced"))


if __name__ == "__main__":
    unittest.main()
