# SPDX-License-Identifier: GPL-2.0
"""Traces: the load they realise, that they are repeatable, and each pattern's shape."""
import os
import tempfile
import unittest
from pathlib import Path

import numpy

import context

one_run = context.module("one_run")
scenario = context.module("scenario")
trace = context.module("trace")
patterns = context.module("patterns")
workload = context.module("workload")
values = context.module("values")

HEADER = "[scenario]\ntitle = A test\nmost = 100GB\n"
SEEDS = ", ".join(map(str, range(1, 41)))
CHI_SQUARE_LIMIT = 5.0  # standard deviations of a count


def runs(text: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.ini"
        path.write_text(f"{HEADER}{text}\n[reduced]\n", encoding="utf-8")
        return scenario.expand(scenario.read(path), "reduced")


# A byte of data with its share of headers
WIRE = 1564 / 1448


def one(text: str) -> "patterns.Transfers":
    return trace.make(runs(text)[0])


class Load(unittest.TestCase):
    """The mean of many seeds is what was asked for; one of them may be far off."""

    def check(self, text: str, asked: float):
        run = runs(f"[load]\n{text}\nwithin = none\nseed = {SEEDS}")
        loads = [trace.realised_load(each, trace.make(each)) for each in run]
        error = numpy.std(loads, ddof=1) / len(loads) ** 0.5
        self.assertLess(error, 0.05 * asked, "the test is sharp enough")
        self.assertLess(abs(numpy.mean(loads) - asked), 4 * error)

    def test_websearch(self):
        self.check("load = 60%\nseconds = 20ms", 0.6)

    def test_datamining_capped(self):
        self.check("workload = datamining\nload = 30%\ncaps = datamining:10MB\nseconds = 40ms",
                   0.3)

    def test_enterprise_capped(self):
        self.check("workload = enterprise\nload = 90%\ncaps = enterprise:20MB\nseconds = 20ms",
                   0.9)

    def test_many_leaves(self):
        run = runs("[fabric]\nleaves = 4\nspines = 3\nlinks = 1\n"
                   f"[load]\nload = 50%\nseconds = 20ms\nwithin = none\nseed = {SEEDS}")
        sent = numpy.zeros(4)
        for each in run:
            found = trace.make(each)
            sent += numpy.bincount(found.sender // 32, found.size, minlength=4)
        per_leaf = sent / len(run) / 0.02 * 8 / (3 * 40e9) * WIRE
        self.assertTrue((abs(per_leaf - 0.5) < 0.05).all(), per_leaf)

    def test_a_failure_changes_nothing(self):
        """The load is a part of the capacity as it was built."""
        whole, cut = map(trace.make, runs("[fabric]\ncut = none, 1.1.1\n[load]\nseconds = 5ms"))
        self.assertTrue(all(numpy.array_equal(*columns) for columns in zip(whole, cut)))

    def test_each_seed_is_near(self):
        """None of them would be, but for the drawing anew."""
        run = runs("[load]\nworkload = enterprise\nload = 70%\ncaps = enterprise:50MB\n"
                   f"seconds = 20ms\nwithin = 2%, none\nseed = {SEEDS}")
        for near in (True, False):
            loads = numpy.array([trace.realised_load(each, trace.make(each)) for each in run
                                 if (each["load.within"] is not None) == near])
            self.assertEqual(bool((abs(loads / 0.7 - 1) <= 0.02).all()), near)
            self.assertEqual(len(set(loads)), 40)

    def test_too_short_for_its_sizes(self):
        run = runs("[load]\nworkload = datamining\nload = 10%\nseconds = 1us\n"
                   "within = 1%")[0]
        with self.assertRaisesRegex(ValueError, "not one of 10000 draws has a load within 1%"):
            trace.make(run)

    def test_larger_frames_have_fewer_headers(self):
        """The load is that of the links: more data at the same load."""
        both = runs("[fabric]\nmtu = 1500, 9000\ngso = 65536\n[load]\nseconds = 50ms")
        for run, wire in zip(both, (1564 / 1448, 9064 / 8948)):
            found = trace.make(run)
            load = found.size.sum() * 8 * wire / 0.05 / (2 * 160e9)
            self.assertAlmostEqual(load, 0.6, delta=0.03)
            self.assertAlmostEqual(trace.realised_load(run, found), load, places=6)
            self.assertAlmostEqual(one_run.run_bytes(run) * wire / 0.05 / 40e9, 0.6, places=5)
        self.assertNotEqual(*map(trace.path_of, both))

    def test_frames_are_no_part_of_other_traces(self):
        both = runs("[fabric]\nmtu = 1500, 9000\ngso = 65536\n[load]\npattern = incast")
        self.assertEqual(*map(trace.path_of, both))

    def test_one_way(self):
        """The load is that of the leaves that send."""
        run = runs("[fabric]\nleaves = 4\n[load]\ndirection = one\nseconds = 50ms")[0]
        found = trace.make(run)
        load = found.size.sum() * 8 * WIRE / 0.05 / (2 * 160e9)
        self.assertAlmostEqual(load, 0.6, delta=0.03)
        self.assertAlmostEqual(trace.realised_load(run, found), load, places=6)

    def test_demand_counts_headers(self):
        run = runs("[load]\npattern = demand\ndemands = 0-1:100gbit\nseconds = 200ms")[0]
        found = trace.make(run)
        self.assertAlmostEqual(trace.realised_load(run, found), 1, delta=0.02)
        wire = found.size.sum() * 8 * WIRE / 0.2
        self.assertAlmostEqual(wire / 100e9, 1, delta=0.02)


class Pods(unittest.TestCase):
    FABRIC = "[fabric]\nleaves = 6\nspines = 6\nlinks = 1\npods = 3\ncores = 2\nhosts = 4\n"

    def test_all_leave_their_pod(self):
        found = one(self.FABRIC + "[load]\npeers = pods\nseconds = 20ms")
        asked, server = found.receiver // 4, found.sender // 4
        self.assertTrue((asked // 2 != server // 2).all())
        counts = numpy.zeros((6, 6))
        numpy.add.at(counts, (server, asked), 1)
        apart = counts[numpy.arange(6)[:, None] // 2 != numpy.arange(6)[None, :] // 2]
        deviation = abs(apart - apart.mean()) / apart.mean() ** 0.5
        self.assertLess(deviation.max(), CHI_SQUARE_LIMIT, "every pair of leaves alike")

    def test_a_trace_of_its_own(self):
        both = runs(self.FABRIC + "[load]\npeers = leaves, pods\nseconds = 5ms")
        self.assertNotEqual(*map(trace.path_of, both))
        inside = trace.make(both[0])
        self.assertTrue((inside.receiver // 8 == inside.sender // 8).any())

    def test_idle(self):
        found = one(self.FABRIC + "[load]\npattern = idle\nseconds = 5ms")
        self.assertEqual([column.tolist() for column in found[:5]],
                         [[0, 5_000_000], [1, 1], [0, 0], [4, 4], [0, 0]])


class Repeatable(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.cache = Path(holder.name)
        before = os.environ.get("CONGA_CACHE")
        os.environ["CONGA_CACHE"] = holder.name
        self.addCleanup(os.environ.__setitem__ if before else os.environ.pop,
                        "CONGA_CACHE", before)

    def test_same_parameters_same_file(self):
        run = runs("[load]\nseconds = 5ms")[0]
        first = trace.get(run)
        content = first.path.read_bytes()
        first.path.unlink()
        self.assertEqual(trace.get(run), first)
        self.assertEqual(first.path.read_bytes(), content)

    def test_made_once(self):
        run = runs("[load]\nseconds = 5ms")[0]
        path = trace.get(run).path
        made = path.stat().st_mtime_ns
        self.assertEqual(trace.get(run).path.stat().st_mtime_ns, made)
        self.assertEqual(list(path.parent.iterdir()), [path])

    def test_all_schemes_and_failures_replay_one(self):
        found = runs("[schemes]\nnames = ecmp, conga\n[fabric]\ncut = none, 1.1.1\n"
                     "buffer = 1MB, 8MB\n[load]\nseconds = 5ms\n"
                     "congestion = cubic, reno\nboot = 1, 2\ntcp = linux, ns2")
        self.assertEqual(len(found), 64)
        self.assertEqual(len({trace.path_of(run) for run in found}), 1)

    def test_foreign_hosts_have_traces_of_their_own(self):
        found = runs("[schemes]\nnames = ecmp, conga\nforeign_hosts = 0, 8, 16")
        self.assertEqual(len({trace.path_of(run) for run in found}), 3)

    def test_what_changes_it(self):
        plain = trace.path_of(runs("")[0])
        for text in ("[load]\nseed = 2", "[load]\nload = 61%", "[load]\nworkload = enterprise",
                     "[load]\nseconds = 99ms", "[load]\ncaps = websearch:1MB",
                     "[load]\nconnections = 2", "[fabric]\nhosts = 31",
                     "[fabric]\nlink_rate = 10gbit", "[load]\npattern = hdfs",
                     "[load]\npairing = one", "[load]\ndirection = one"):
            with self.subTest(text=text):
                self.assertNotEqual(trace.path_of(runs(text)[0]), plain)

    def test_a_cap_of_another_workload_changes_nothing(self):
        other = runs("[load]\ncaps = datamining:1MB")[0]
        self.assertEqual(trace.path_of(other), trace.path_of(runs("")[0]))

    def test_known_transfers(self):
        """numpy keeps its streams: a change of the drawing shows here."""
        found = one("[load]\nseconds = 5ms\nseed = 7\nwithin = none")
        rows = [list(map(int, row[:5])) for row in list(zip(*found))[:2]]
        self.assertEqual(rows, [[94854, 1923, 21, 40, 0], [100075, 105116, 36, 24, 2]])

    def test_file(self):
        run = runs("[load]\nseconds = 5ms\nworkload = datamining\ncaps = datamining:5MB")[0]
        got = trace.get(run)
        header = trace.read_header(got.path)
        lines = [line.split() for line in got.path.read_text().splitlines()
                 if not line.startswith("#")]
        self.assertEqual(len(lines), got.transfers)
        self.assertEqual(sum(int(line[1]) for line in lines), got.bytes)
        self.assertTrue(all(len(line) == 8 and line[5:] == ["-"] * 3 for line in lines))
        self.assertEqual(header["load.cap"], "5000000")
        self.assertEqual(header["load.seed"], "1")
        self.assertEqual(float(header["realised_load"]), got.realised_load)
        self.assertAlmostEqual(got.bytes * WIRE / 0.005 / 40e9, got.realised_load, places=5)


class Limits(unittest.TestCase):
    def test_are_those_of_flowgen(self):
        text = (context.LAB.parent / "selftests" / "tools" / "flowgen.h").read_text()
        self.assertRegex(text, rf"#define MAX_FLOWS\s+{trace.TRANSFERS_MAX}\n")
        self.assertRegex(text, rf"#define MAX_CONNS\s+{trace.CONNECTIONS_MAX}\n")

    def test_nothing_at_all(self):
        run = runs("[load]\nworkload = datamining\nload = 1%\nseconds = 1us\nwithin = none")[0]
        with self.assertRaisesRegex(ValueError, "a run of 0 transfers; flowgen takes from 1 to"):
            trace.make(run)

    def test_too_many_connections(self):
        run = runs("[fabric]\nleaves = 8\nhosts = 60\n[load]\nworkload = webserver\n"
                   "load = 100%\nseconds = 60ms")[0]
        with self.assertRaisesRegex(ValueError, "connections; flowgen takes from 1 to 65536"):
            trace.make(run)


class ClientServer(unittest.TestCase):
    def setUp(self):
        self.found = one("[fabric]\nleaves = 3\nhosts = 8\n[load]\nseconds = 200ms\n"
                         "load = 100%\nworkload = webserver")

    def test_starts_do_not_decrease(self):
        self.assertTrue((numpy.diff(self.found.start) >= 0).all())
        self.assertLess(self.found.start[-1], 200e6)

    def test_poisson(self):
        """Mean and variance of the gaps: those of an exponential distribution."""
        gaps = numpy.diff(self.found.start)
        self.assertAlmostEqual(gaps.std() / gaps.mean(), 1, delta=0.02)

    def test_always_another_leaf(self):
        self.assertTrue((self.found.sender // 8 != self.found.receiver // 8).all())

    def uniform(self, column, count: int):
        seen = numpy.bincount(column, minlength=count)
        expected = len(column) / count
        self.assertEqual(len(seen), count)
        self.assertTrue((abs(seen - expected) < CHI_SQUARE_LIMIT * expected ** 0.5).all(), seen)

    def test_everybody_is_client_and_server(self):
        self.uniform(self.found.sender, 24)
        self.uniform(self.found.receiver, 24)

    def test_three_connections(self):
        self.uniform(self.found.copy, 3)


class Pairs(unittest.TestCase):
    """Who asks whom, with a server for each client, and one way."""

    FABRICS = {
        "leaves": "[fabric]\nleaves = 3\nhosts = 8\n[load]\n",
        "pods": "[fabric]\nleaves = 6\nspines = 6\nlinks = 1\npods = 3\ncores = 2\nhosts = 4\n"
                "[load]\npeers = pods\n",
        "one way": "[fabric]\nleaves = 6\nhosts = 4\n[load]\ndirection = one\n",
        "one way between pods": "[fabric]\nleaves = 4\nspines = 4\nlinks = 1\npods = 2\n"
                                "cores = 2\nhosts = 6\n[load]\npeers = pods\ndirection = one\n",
        "foreign": "[fabric]\nleaves = 3\nhosts = 8\n[schemes]\nforeign_hosts = 3\n[load]\n",
    }

    def servers(self, found, count: int) -> dict:
        """{client: its servers}"""
        asked: dict = {}
        for client, server in zip(found.receiver.tolist(), found.sender.tolist()):
            asked.setdefault(client, set()).add(server)
        self.assertLessEqual(max(asked), count - 1)
        return asked

    def made(self, name: str, pairing: str) -> tuple:
        run = runs(f"{self.FABRICS[name]}pairing = {pairing}\nworkload = webserver\n"
                   "load = 50%\nseconds = 50ms")[0]
        return run, trace.make(run)

    def test_each_client_has_one_server(self):
        for name in self.FABRICS:
            for pairing in ("one", "matched"):
                with self.subTest(fabric=name, pairing=pairing):
                    run, found = self.made(name, pairing)
                    hosts = run["fabric.leaves"] * run["fabric.hosts"]
                    asked = self.servers(found, hosts)
                    clients = hosts // 2 if "one way" in name else hosts
                    self.assertEqual(len(asked), clients)
                    self.assertEqual({len(servers) for servers in asked.values()}, {1})
                    several = len(set().union(*asked.values())) < clients
                    self.assertEqual(several, pairing == "one")
                    self.partners_are_apart(run, found)

    def partners_are_apart(self, run, found) -> None:
        hosts, leaves = run["fabric.hosts"], run["fabric.leaves"]
        server, client = found.sender // hosts, found.receiver // hosts
        self.assertTrue((server != client).all())
        if run["load.peers"] == "pods":
            pods = leaves // run["fabric.pods"]
            self.assertTrue((server // pods != client // pods).all())
        if run["load.direction"] == "one":
            self.assertTrue((server < leaves // 2).all() and (client >= leaves // 2).all())
        own = hosts - run["schemes.foreign_hosts"]
        self.assertTrue(((found.sender % hosts < own) == (found.receiver % hosts < own)).all())

    def test_one_way_with_all_servers(self):
        for name in ("one way", "one way between pods"):
            run, found = self.made(name, "all")
            self.partners_are_apart(run, found)
            hosts = run["fabric.leaves"] * run["fabric.hosts"]
            self.assertEqual(len(set(found.sender.tolist())), hosts // 2)
            self.assertEqual(len(set(found.receiver.tolist())), hosts // 2)

    def test_connections_of_the_whole_run(self):
        """HULA: 32 clients with three connections each."""
        found = one("[fabric]\nleaves = 4\nspines = 4\nlinks = 1\npods = 2\ncores = 2\nhosts = 8\n"
                    "[load]\npeers = pods\npairing = one\nworkload = webserver\nload = 70%\n"
                    "seconds = 100ms")
        pairs = numpy.stack((found.sender, found.receiver, found.copy))
        self.assertEqual(numpy.unique(pairs, axis=1).shape[1], 96)

    def test_other_seeds_have_other_pairs(self):
        first, second = (self.servers(trace.make(run), 24) for run in runs(
            f"{self.FABRICS['leaves']}pairing = matched\nworkload = webserver\nseed = 1, 2\n"
            "seconds = 50ms"))
        self.assertNotEqual(first, second)


class Prefix(unittest.TestCase):
    """Runs of several lengths with the same transfers, as far as each of them goes."""
    base = "[load]\nwithin = none\nseconds = {}\n"

    def test_first_transfers_of_the_longer_run(self):
        whole = one(self.base.format("40ms"))
        part = one(self.base.format("10ms") + "prefix_of = 40ms\n")
        kept = whole.start < 10_000_000
        self.assertTrue(0 < kept.sum() < len(kept))
        for column, of_whole in zip(part, whole):
            self.assertTrue(numpy.array_equal(column, of_whole[kept]))
        alone = one(self.base.format("10ms"))
        self.assertFalse(numpy.array_equal(alone.start, part.start))

    def test_the_whole_run_is_its_own_prefix(self):
        whole = one(self.base.format("10ms"))
        same = one(self.base.format("10ms") + "prefix_of = 10ms\n")
        self.assertTrue(all(map(numpy.array_equal, whole, same)))

    def test_traces_are_apart(self):
        paths = {trace.path_of(run) for run in runs(
            self.base.format("10ms, 20ms") + "prefix_of = none, 20ms, 40ms\n")}
        self.assertEqual(len(paths), 6)

    def test_a_prefix_is_not_longer(self):
        with self.assertRaisesRegex(ValueError, "a run of 20 ms is not the first part of one of "
                                                "10 ms"):
            runs(self.base.format("20ms") + "prefix_of = 10ms\n")


class Think(unittest.TestCase):
    """Transfers as writes of 64 KB at random moments."""
    base = "[load]\nworkload = enterprise\nload = 10%\nwithin = none\nseconds = 60ms\n"

    def setUp(self):
        self.at_once = one(self.base)
        self.found = one(self.base + "think = 1us\n")

    def test_bytes_are_those_of_the_transfers(self):
        self.assertEqual(self.found.size.sum(), self.at_once.size.sum(),
                         "pauses of 1 us end within the run here")
        self.assertLessEqual(self.found.size.max(), patterns.WRITE_BYTES)
        self.assertGreater(self.at_once.size.max(), 10 * patterns.WRITE_BYTES)

    def test_pauses_are_exponential(self):
        found = one(self.base.replace("60ms", "600ms") + "think = 200us\n")
        one_pair = found.sender << 40 | found.receiver << 8 | found.copy
        order = numpy.lexsort((found.start, one_pair))
        full = found.size[order] == patterns.WRITE_BYTES
        same = numpy.diff(one_pair[order]) == 0
        gaps = numpy.diff(found.start[order])[same & full[:-1] & full[1:]]
        self.assertGreater(len(gaps), 3000)
        self.assertAlmostEqual(numpy.mean(gaps > 200_000), numpy.exp(-1), delta=0.04)

    def test_starts_do_not_decrease_nor_pass_the_end(self):
        late = one(self.base + "think = 2ms\n")
        self.assertTrue((numpy.diff(late.start) >= 0).all())
        self.assertLess(late.start.max(), 60_000_000)
        self.assertLess(late.size.sum(), self.at_once.size.sum(), "what is later is left out")


class ForeignHosts(unittest.TestCase):
    def test_nobody_crosses(self):
        found = one("[fabric]\nleaves = 3\nhosts = 8\n[schemes]\nforeign_hosts = 3\n"
                    "[load]\nseconds = 200ms\nload = 100%\nworkload = webserver")
        foreign = found.sender % 8 >= 5
        self.assertTrue((foreign == (found.receiver % 8 >= 5)).all())
        self.assertTrue((found.sender // 8 != found.receiver // 8).all())
        self.assertAlmostEqual(foreign.mean(), 3 / 8, delta=0.02)
        seen = numpy.bincount(found.receiver, minlength=24)
        self.assertTrue((abs(seen / seen.mean() - 1) < 0.2).all(), seen)

    def test_all_of_them(self):
        found = one("[fabric]\nhosts = 8\n[schemes]\nforeign_hosts = 8\n[load]\nseconds = 20ms")
        self.assertTrue((found.sender // 8 != found.receiver // 8).all())


class Sizes(unittest.TestCase):
    def test_capped_mean(self):
        """Against the drawing itself, which knows nothing of means."""
        for name, cap in (("websearch", 10 ** 6), ("datamining", 10 ** 7),
                          ("enterprise", 5 * 10 ** 7)):
            table = patterns.capped(workload.find(name), cap)
            generator = numpy.random.default_rng(1)
            drawn = numpy.minimum(workload.draw(workload.find(name), generator, 10 ** 6), cap)
            error = drawn.std() / 1e3
            self.assertLess(abs(float(workload.mean(table)) - drawn.mean()), 4 * error, name)
            self.assertEqual(table.sizes[-1], cap)

    def test_a_cap_above_all_sizes_changes_nothing(self):
        table = workload.find("websearch")
        self.assertIs(patterns.capped(table, 10 ** 9), table)

    def test_a_cap_below_all_sizes_is_refused(self):
        with self.assertRaisesRegex(ValueError, "a cap of 1000 bytes is not above the smallest"):
            patterns.capped(workload.find("datamining"), 1000)

    def test_no_transfer_is_empty(self):
        sizes = patterns.draw_sizes(workload.find("websearch"), numpy.random.default_rng(1),
                                    10 ** 6)
        self.assertEqual(sizes.min(), 1)


class Demand(unittest.TestCase):
    def test_two_demands(self):
        found = one("[fabric]\nleaves = 3\nhosts = 4\n[load]\npattern = demand\n"
                    "demands = 1-2:40gbit 0-2:20gbit\nseconds = 100ms")
        self.assertTrue((found.receiver // 4 == 2).all())
        self.assertTrue((numpy.diff(found.start) >= 0).all())
        self.assertTrue((found.size == 65536).all())
        ratio = (found.sender // 4 == 1).sum() / (found.sender // 4 == 0).sum()
        self.assertAlmostEqual(ratio, 2, delta=0.2)


class Incast(unittest.TestCase):
    def test_rounds(self):
        found = one("[load]\npattern = incast\nservers = 30\nrounds = 5")
        self.assertEqual(len(found.start), 150)
        self.assertTrue((found.receiver == 0).all())
        self.assertTrue((found.sender > 0).all())
        for number in range(5):
            mine = found.group == number
            self.assertEqual(len(set(found.sender[mine])), 30, "no server twice")
            self.assertEqual(set(found.after[mine]), {number - 1})
            self.assertGreaterEqual(found.size[mine].sum(), 10 ** 7)
            self.assertLess(found.size[mine].sum(), 10 ** 7 + 30)
        self.assertLessEqual(found.start.max(), 10000)


class WriteJob(unittest.TestCase):
    def setUp(self):
        self.found = one("[fabric]\nleaves = 3\nhosts = 4\n[load]\npattern = hdfs\nblocks = 2\n"
                         "block = 1MB\nseconds = 5ms\nload = 10%")
        self.job = self.found.group >= 0

    def test_blocks(self):
        self.assertEqual(self.job.sum(), 3 * 4 * 2 * 2)
        self.assertTrue((self.found.size[self.job] == 10 ** 6).all())
        self.assertTrue((self.found.group[~self.job] == -1).all())
        self.assertGreater((~self.job).sum(), 0, "there is other traffic")

    def test_rack_aware_pipeline(self):
        found = self.found
        for row in numpy.flatnonzero(self.job & (found.relay >= 0)):
            first = found.relay[row]
            writer, second, third = found.sender[first], found.sender[row], found.receiver[row]
            self.assertEqual(found.receiver[first], second)
            self.assertEqual(found.group[first], found.group[row])
            self.assertNotEqual(writer // 4, second // 4)
            self.assertEqual(second // 4, third // 4)
            self.assertNotEqual(second, third)

    def test_block_after_block(self):
        found = self.found
        for row in numpy.flatnonzero(self.job):
            group = found.group[row]
            self.assertEqual(found.after[row], group - 1 if group % 2 else -1)


if __name__ == "__main__":
    unittest.main()
