# SPDX-License-Identifier: GPL-2.0
"""Tables out of results: statistics of transfers, samples, captures."""
import csv
import gzip
import json
import re
import shutil
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy

import context

transfers = context.module("transfers")
samples = context.module("samples")
failure = context.module("failure")
flowlets = context.module("flowlets")
probes = context.module("probes")
collect = context.module("collect")
results = context.module("results")
tables = context.module("tables")
keys = context.module("keys")

TRANSFERS = """# start_s size_bytes fct_s retransmits rtos out_of_order from to group finished
0.000000000 1000 0.001000000 1 0 2 0 32 - 1
0.010000000 99999 0.003000000 0 1 - 0 33 - 1
0.020000000 100000 0.005000000 - - - 0 34 - 1
0.030000000 10000001 0.027000000 4 0 0 0 35 - 0
"""
JOB = """0.000000000 500 0.002000000 0 0 0 0 32 0 1
0.002000000 500 0.004000000 0 0 0 0 32 1 1
0.001000000 800 0.100000000 0 0 0 0 32 - 1
"""
# A pipeline of two: a group takes as long as its last
PIPELINE = """0.000000000 500 0.002000000 0 0 0 0 32 7 1
0.000000000 500 0.004000000 0 0 0 32 33 7 1
0.004000000 500 0.002000000 0 0 0 0 32 9 1
"""
WAITING = "- 500 - 0 0 0 0 32 2 0\n"
GBIT = 10 ** 9
PROPAGATION_S = 8e-6


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        if name.endswith(".gz"):
            with gzip.open(path, "wt", encoding="ascii") as file:
                file.write(text)
        else:
            path.write_text(text, encoding="ascii")
        return path

    def statistics(self, text: str) -> dict:
        found = transfers.read(self.write("transfers", text))
        return transfers.statistics(found, 10 * GBIT, 40 * GBIT, 1000)


class Transfers(Case):
    def test_counts(self):
        found = self.statistics(TRANSFERS)
        self.assertEqual((found["transfers"], found["unfinished"]), (4, 1))
        self.assertEqual((found["retransmits"], found["rtos"], found["out_of_order"]), (5, 1, 2))
        self.assertEqual(found["bytes"], 10201000)

    def test_means(self):
        found = self.statistics(TRANSFERS)
        self.assertAlmostEqual(found["mean_fct_s"], 0.009)
        self.assertEqual(found["small_transfers"], 2)
        self.assertAlmostEqual(found["small_mean_fct_s"], 0.002)
        self.assertEqual(found["large_transfers"], 1)
        self.assertAlmostEqual(found["large_p99_fct_s"], 0.027)

    def test_sizes_of_tr(self):
        """Each transfer is of one kind, whatever its size."""
        found = self.statistics(TRANSFERS + "0 1000000 0.002 0 0 0 0 32 - 1\n")
        self.assertEqual([found[f"{name}_transfers"] for name in ("small", "middle", "long")],
                         [2, 2, 1])
        self.assertAlmostEqual(found["middle_mean_fct_s"], 0.0035)
        self.assertAlmostEqual(found["long_goodput_bit_s"], 8 * 10000001 / 0.027)

    def test_ideal(self):
        """1,448 bytes are one packet: sent four times, and eight propagations."""
        sent = 8 * (2 * 1514 / 10e9 + 2 * 1564 / 40e9)
        self.assertAlmostEqual(transfers.ideal_fct(1448, 10 * GBIT, 40 * GBIT, 1000),
                               sent + PROPAGATION_S, places=12)
        sent = 8 * (2 * 9014 / 10e9 + 2 * 9064 / 40e9)
        self.assertAlmostEqual(transfers.ideal_fct(8948, 10 * GBIT, 40 * GBIT, 1000, 9000),
                               sent + PROPAGATION_S, places=12)
        found = self.statistics(TRANSFERS.splitlines()[1] + "\n")
        self.assertAlmostEqual(found["normalised_fct"], found["mean_slowdown"])
        self.assertAlmostEqual(found["normalised_fct"], 1e-3 / 10.672e-6, delta=0.1)

    def test_pieces_are_one(self):
        lines = (TRANSFERS + JOB).splitlines()
        with unittest.mock.patch.object(transfers, "LINES_AT_ONCE", 2):
            pieces = transfers.read(self.write("transfers", "\n".join(lines) + "\n"))
        whole = transfers.read(self.write("transfers", "\n".join(lines) + "\n"))
        for one, other in zip(pieces, whole):
            numpy.testing.assert_array_equal(one, other)

    def test_no_transfers(self):
        with self.assertRaisesRegex(ValueError, "transfers has no transfers"):
            transfers.read(self.write("transfers", "# start_s\n"))

    def test_job(self):
        found = self.statistics(JOB)
        self.assertAlmostEqual(found["job_seconds"], 0.006)
        self.assertAlmostEqual(found["group_mean_s"], 0.003)
        self.assertEqual(found["job_bytes"], 1000)
        self.assertAlmostEqual(found["mean_fct_s"], 0.1, msg="of the other traffic")

    def test_a_group_ends_with_its_last(self):
        self.assertAlmostEqual(self.statistics(PIPELINE)["group_mean_s"], 0.003)

    def test_unfinished_job_has_no_time(self):
        found = self.statistics(JOB + WAITING)
        self.assertTrue(numpy.isnan(found["job_seconds"]))
        self.assertTrue(numpy.isnan(found["group_mean_s"]))
        self.assertEqual(found["unfinished"], 1)


class Samples(Case):
    def read(self, rows: list) -> "samples.Samples":
        names = ("leaf0.up0", "leaf0.h0")
        head = "ns " + " ".join(f"{name}.backlog {name}.accepted" for name in names)
        text = "\n".join([head] + [" ".join(map(str, row)) for row in rows]) + "\n"
        return samples.read(self.write("samples.gz", text))

    def test_throughput_in_10_ms(self):
        step = 12_500_000  # bytes in 10 ms at 10 Gbit/s
        rows = [[5_000_000 + i * 5_000_000, 0, 7 + i * step // 2, 0, 0] for i in range(5)]
        found = samples.throughput(self.read(rows))
        self.assertEqual([row["start_ms"] for row in found], ["0", "10"])
        self.assertEqual([row["gbit_per_s"] for row in found], ["10.0000", "10.0000"])
        self.assertEqual({row["link"] for row in found}, {"leaf0.up0"}, "hosts are left out")

    def test_the_counter_wraps(self):
        rows = [[0, 0, 2 ** 32 - 1000, 0, 0], [10_000_000, 0, 12_499_000, 0, 0]]
        self.assertEqual(samples.throughput(self.read(rows))[0]["gbit_per_s"], "10.0000")

    def test_queues(self):
        rows = [[i, i * 100, 0, 0, 0] for i in range(11)]
        found = samples.queues(self.read(rows))
        self.assertEqual(found[0], {"link": "leaf0.up0", "mean": "500.0", "p50": "500",
                                    "p90": "900", "p95": "950", "p99": "990", "max": "1000"})
        self.assertEqual(found[1]["max"], "0")

    def test_what_was_before_the_load_is_left_out(self):
        found = samples.since(self.read([[0, 9, 0, 0, 0], [100, 1, 0, 0, 0]]), 50)
        self.assertEqual(samples.queues(found)[0]["max"], "1")

    def test_pieces_are_one(self):
        """The counter wraps between two pieces, and within one."""
        rows = [[i, i, (i * 3 * 10 ** 9 + 7) % 2 ** 32, 0, 0] for i in range(9)]
        with unittest.mock.patch.object(samples, "PICTURES_AT_ONCE", 4):
            found = self.read(rows)
        self.assertEqual(found.ns.tolist(), list(range(9)))
        self.assertEqual(found.backlog[:, 0].tolist(), list(range(9)))
        self.assertEqual(found.accepted[:, 0].tolist(), [i * 3 * 10 ** 9 for i in range(9)])

    def test_no_pictures(self):
        found = self.read([])
        self.assertEqual((samples.queues(found), samples.throughput(found)), ([], []))


def pictures(ns: list, **accepted) -> "samples.Samples":
    """Of links called leaf0_up0 instead of leaf0.up0; the queues are empty."""
    columns = numpy.array(list(accepted.values())).T
    return samples.Samples(numpy.array(ns), [name.replace("_", ".") for name in accepted],
                           0 * columns, columns)


class Failures(Case):
    MANY = 10 * 1564

    def rows(self, counts: list, said: str = "100 300 7 150\n") -> list:
        """The link of leaf 0 that fails, as spine 1 sends by it; and another."""
        found = pictures([0, 200, 400, 600], spine1=counts, spine0=[0, 10 ** 6] * 2)
        found = found._replace(links=["spine1.down0.0", "spine0.down0.0"])
        return failure.rows(self.write("failures", said), found, "0.1.0")

    def back(self, counts: list, said: str = "100 300 7 150\n") -> str:
        return self.rows(counts, said)[0]["back_s"]

    def test_what_was_lost(self):
        self.assertEqual(self.rows([0, 0, 0, 0], "100 300 7 150\n400 500 0 0\n"),
                         [{"number": 1, "lost_packets": 7, "last_lost_s": "0.000000150",
                           "back_s": "nan"},
                          {"number": 2, "lost_packets": 0, "last_lost_s": "0.000000000",
                           "back_s": "nan"}])

    def test_data_again(self):
        self.assertEqual(self.back([0, 500, 500 + self.MANY, 10 ** 6]), "0.000000100")
        self.assertEqual(self.back([0, 500, 499 + self.MANY, 10 ** 6]), "0.000000300",
                         "probes are not data")
        self.assertEqual(self.back([0, 500, 10 ** 6, 10 ** 6], "100 401 7 150\n"), "nan")

    def test_not_after_the_next_failure(self):
        self.assertEqual(self.back([0, 500, 500, 10 ** 6], "100 300 7 150\n500 550 0 0\n"), "nan")

    def test_a_run_that_ended_before(self):
        with self.assertRaisesRegex(ValueError, "'100 0 7 150' is no failure that ended"):
            self.rows([0, 0, 0, 0], "100 0 7 150\n")


class Probes(unittest.TestCase):
    RUN = {"leaves": "4", "spines": "4", "pods": "2", "cores": "2", "links": "1",
           "link_rate": "40gbit", "options": "flowlet-timeout 100us probe 1ms"}

    def links(self, told: dict) -> "samples.Samples":
        """200 ms of 1 ms, so many probes in each by each link; and what is none: much in the
        first half, a little in the second."""
        ns = [i * 1_000_000 for i in range(201)]
        return pictures(ns, **{link: [i * count * probes.PROBE_BYTES + 3000 * min(i, 50)
                                      + 117 * (i > 120) + 117 * (i > 177) for i in range(201)]
                               for link, count in told.items()})

    EVERY = {"leaf0_up0": 1, "leaf3_up1": 1, "spine0_down1.0": 3, "spine0_core1": 2,
             "core0_spine0": 4, "core0_spine1": 2, "core0_spine2": 3, "core0_spine3": 3}

    def test_size_of_a_probe(self):
        """As the module's header has it."""
        text = (context.LAB.parent / "kmod/paper/control_wire.h").read_text()
        size = {"__be32": 4, "__be16": 2, "u8": 1}
        bodies = [re.search(rf"struct conga_control_{name} {{(.*?)}};", text, re.DOTALL)[1]
                  for name in ("header", "probe")]
        fields = re.findall(r"^\t(__be32|__be16|u8)\s+\w+(?:\[(\d)\])?;", "".join(bodies),
                            re.MULTILINE)
        self.assertEqual(sum(size[kind] * int(count or 1) for kind, count in fields) + 50,
                         probes.PROBE_BYTES)

    def test_the_formula(self):
        found = {row["links"]: row for row in probes.rows(self.links(self.EVERY), self.RUN)}
        self.assertEqual(set(found), {"leaf-spine", "spine-leaf", "spine-core", "core-spine"})
        for kind, row in found.items():
            self.assertEqual((row["least"], row["most"]), ("1.00000", "1.00000"), kind)
        self.assertEqual(found["leaf-spine"]["formula_bit_s"], str(8 * 1000 * probes.PROBE_BYTES))
        self.assertEqual(float(found["spine-leaf"]["busiest_of_rate"]),
                         float(f"{8 * 3000 * probes.PROBE_BYTES / 40e9:.3e}"))

    def test_what_is_off_shows(self):
        found = {row["links"]: row for row in
                 probes.rows(self.links({**self.EVERY, "leaf3_up1": 2}), self.RUN)}
        self.assertEqual((found["leaf-spine"]["least"], found["leaf-spine"]["most"]),
                         ("1.00000", "2.00000"))

    def test_interval(self):
        for options, seconds in (("", 2e-4), ("probe auto", 2e-4), ("q 4 probe 2ms", 2e-3)):
            self.assertEqual(probes.interval_s(options), seconds)


class Flowlets(Case):
    def packets(self, rows: list) -> "flowlets.Packets":
        text = "".join(f"{ns / 1e9:.9f} IP 192.168.0.10.{port} > 192.168.1.10.5000: tcp {size}\n"
                       for ns, port, size in rows)
        return flowlets.read(self.write("capture.gz", text))

    def test_gaps(self):
        found = self.packets([(0, 1, 100), (500_000, 1, 10), (500_100, 2, 7),
                              (1_000_001, 1, 1), (1_000_002, 1, 0)])
        self.assertEqual(sorted(flowlets.sizes(found, 500_000)), [1, 7, 110])
        self.assertEqual(sorted(flowlets.sizes(found, 600_000)), [7, 111])
        self.assertEqual(sorted(flowlets.sizes(found, 100_000)), [1, 7, 10, 100])

    def test_byte_percentile(self):
        flowlet = numpy.array([1] * 100 + [100])
        self.assertEqual(flowlets.byte_percentile(flowlet, 49), 1)
        self.assertEqual(flowlets.byte_percentile(flowlet, 51), 100)

    def test_concurrency(self):
        found = self.packets([(0, 1, 9), (1, 1, 9), (2, 2, 9), (1_000_000, 3, 9),
                              (2_000_000, 3, 9)])
        row = flowlets.concurrency(found)[0]
        self.assertEqual((row["median"], row["max"]), ("1", 2))

    def test_nothing(self):
        found = self.packets([])
        self.assertEqual((flowlets.by_gap(found), flowlets.concurrency(found)), ([], []))


class Tables(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "store").mkdir()

    def store(self, name: str, inputs: str) -> None:
        folder = self.folder / "store" / name
        folder.mkdir(parents=True)
        (folder / "transfers").write_text(TRANSFERS)
        (folder / "counters").write_text(
            "leaf0.up0 bytes 3000 packets 2 drops 0\nleaf0.h0 bytes 9 packets 1 drops 1\n"
            "leaf0 stamped 7\nleaf0 malformed 0\n")
        meta = {"id": name, "key": "0", "inputs": inputs, "scenario": "fig11",
                "values": {key.column: key.kind.shell(key.kind.parse(key.default))
                           for key in keys.KEYS},
                "trace": {"realised_load": 0.59, "sha256": "ab" * 32}, "commit": "c" * 40,
                "dirty": False, "facts": {"kernel": "6.1"}, "wall_seconds": 3.5}
        (folder / "meta.json").write_text(json.dumps(meta))

    def read(self, name: str) -> list:
        with open(self.folder / "into" / f"{name}.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def collect(self, any_inputs: bool, made=None) -> tuple:
        return collect.collect(self.folder / "store", self.folder / "into", any_inputs, made)

    def test_tables(self):
        self.store("one", results.inputs_digest())
        self.assertEqual(self.collect(False), (1, 0))
        row = self.read("runs")[0]
        self.assertEqual((row["id"], row["scheme"], row["seed"], row["load"]),
                         ("one", "conga", "1", "0.6"))
        self.assertEqual((row["transfers"], row["realised_load"]), ("4", "0.59"))
        self.assertEqual([(row["box"], row["counter"], row["value"])
                          for row in self.read("counters")],
                         [("leaf0.up0", "bytes", "3000"), ("leaf0.up0", "packets", "2"),
                          ("leaf0", "stamped", "7")])

    def test_what_all_hosts_counted_is_of_the_run(self):
        """Transfers of MPTCP have no counts of their own."""
        self.store("one", results.inputs_digest())
        with open(self.folder / "store" / "one" / "counters", "a", encoding="ascii") as file:
            file.write("hosts out_of_order 12\nhosts retransmits 34\nhosts repathed 9\n")
        self.collect(False)
        row = self.read("runs")[0]
        self.assertEqual((row["retransmits"], row["out_of_order"]), ("34", "12"))
        self.assertNotIn("repathed", row)

    def test_runs_made_elsewhere_are_added(self):
        """Their tables are all that there is of them; those that are here, too, count once."""
        self.store("one-0-x", results.inputs_digest())
        self.store("two-0-x", results.inputs_digest())
        self.collect(False)
        there = self.folder / "there"
        (self.folder / "into").rename(there)
        shutil.rmtree(self.folder / "store" / "two-0-x")
        self.assertEqual(self.collect(False, there), (2, 0))
        for name in ("runs", "counters"):
            self.assertEqual(self.read(name), tables.read_file(there / f"{name}.csv"), name)
        self.assertEqual(collect.collect(self.folder / "store", there, False, there), (2, 0))
        self.assertEqual(tables.read_file(there / "runs.csv"), self.read("runs"), "in place")

    def test_other_inputs_made_elsewhere_only_if_asked_for(self):
        self.store("old-0-x", "00000000")
        self.collect(True)
        there = self.folder / "there"
        (self.folder / "into").rename(there)
        shutil.rmtree(self.folder / "store" / "old-0-x")
        self.assertEqual(self.collect(False, there), (0, 0))
        self.assertEqual(self.collect(True, there), (1, 0))

    def test_a_folder_without_runs_is_refused(self):
        with self.assertRaisesRegex(ValueError, "store has no runs.csv: lab csv makes it"):
            self.collect(False, self.folder / "store")
        self.assertFalse((self.folder / "into").exists())

    def test_other_inputs_only_if_asked_for(self):
        self.store("old", "00000000")
        self.assertEqual(self.collect(False), (0, 1))
        self.assertEqual(self.collect(True), (1, 0))

    def test_a_broken_result_is_named(self):
        self.store("one", results.inputs_digest())
        (self.folder / "store" / "one" / "counters").write_text("leaf0 stamped\n")
        with self.assertRaisesRegex(ValueError, "store/one: 'leaf0 stamped' are no counters"):
            self.collect(False)

    def test_columns_are_unique(self):
        names = [key.column for key in keys.KEYS]
        self.assertEqual(len(set(names)), len(names))


if __name__ == "__main__":
    unittest.main()
