# SPDX-License-Identifier: GPL-2.0
"""Scenario files: what is refused, and with which sentence; which runs they mean."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import context

one_run = context.module("one_run")
scenario = context.module("scenario")
keys = context.module("keys")

HEADER = "[scenario]\ntitle = A test\nclaims = C01 C02\n"
REDUCED = "[reduced]\n"
PODS = "[fabric]\nleaves = 4\nspines = 4\nlinks = 1\npods = 2\ncores = 2\n"


def read(text: str, name: str = "test") -> "scenario.Scenario":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.ini"
        path.write_text(text, encoding="utf-8")
        return scenario.read(path)


def runs(text: str, form: str = "reduced") -> list:
    return scenario.expand(read(HEADER + text), form)


class QuietSchemes(unittest.TestCase):
    """At quiet links no policy may read how much waits."""

    def test_exactly_the_schemes_that_read_no_queue_have_quiet_links(self):
        text = (context.LAB / "experiment").read_text(encoding="utf-8")
        quiet = re.search(r'QUIET_SCHEMES="([^"]*)"', text)[1].split()
        reading = {path.stem.removeprefix("policy_").replace("_", "-")
                   for path in (context.LAB.parent / "kmod/policies").glob("policy_*.c")
                   if re.search(r"conga_view_backlog|backlog, u32 mbits",
                                path.read_text(encoding="utf-8"))}
        self.assertEqual(reading, {"drill", "tr"})
        self.assertEqual(set(keys.SCHEMES) - set(quiet), reading)


class Refusals(unittest.TestCase):
    """Each a section, its content, and a part of the sentence."""

    CASES = [
        ("[fabrik]\nleaves = 2", "[fabrik]: unknown section"),
        ("[fabric]\nleafs = 2", "[fabric] unknown key 'fabric.leafs'"),
        ("[fabric]\nleaves = 1", "fabric.leaves: '1' is no whole number from 2 to 128"),
        ("[fabric]\nleaves = two", "fabric.leaves: 'two' is no whole number"),
        ("[fabric]\nleaves =", "fabric.leaves: no value"),
        ("[fabric]\nlink_rate = 40", "'40' is no rate: a number and one of bit kbit"),
        ("[fabric]\nlink_rate = 0gbit", "'0gbit' is not above 0"),
        ("[fabric]\ndelay = 1 furlong", "'1 furlong' is no time"),
        ("[fabric]\ndelay = 0.5ns", "'0.5ns' is finer than the unit ns"),
        ("[fabric]\nbuffer = 1XB", "'1XB' is no number of bytes"),
        ("[fabric]\ncut = 1.1", "'1.1' does not look like LEAF.SPINE.LINK"),
        ("[fabric]\ncut = 2.0.0", "'2.0.0' names leaf 2, but there are 2"),
        ("[fabric]\ncut = 0.2.0", "'0.2.0' names spine 2, but there are 2"),
        ("[fabric]\ncut = 0.0.2", "'0.0.2' names parallel link 2, but there are 2"),
        ("[fabric]\ncut = 0.0.0 0.0.0", "'0.0.0' is cut twice"),
        ("[fabric]\ncut = 0.0.0 0.0.1 0.1.0 0.1.1", "all uplinks of leaf 0 are cut"),
        ("[fabric]\nleaves = 4\nspines = 4\npods = 2\ncores = 1\ncut = 2.2.0 2.2.1 2.3.0 2.3.1",
         "all uplinks of leaf 2 are cut"),
        ("[fabric]\nlinks = 1\ncut = 0.1.0 1.0.0", "leaf 0 and leaf 1 have no spine in common"),
        ("[fabric]\ncut = spine0", "'spine0' does not look like LEAF.SPINE.LINK, as 1.1.0, or"),
        ("[fabric]\ncut = core0-spine0", "'core0-spine0' does not look like"),
        ("[fabric]\ncut = spine0-core0", "'spine0-core0' names core 0, but there are 0"),
        (f"{PODS}cut = spine4-core0", "'spine4-core0' names spine 4, but there are 4"),
        (f"{PODS}cut = spine0-core2", "'spine0-core2' names core 2, but there are 2"),
        (f"{PODS}cut = spine0-core1 spine0-core1", "'spine0-core1' is cut twice"),
        (f"{PODS}cut = spine0-core0 spine1-core0 spine2-core1 spine3-core1",
         "leaf 0 and leaf 2 have no core in common"),
        (f"{PODS}cut = 0.1.0 spine0-core0 spine0-core1",
         "leaf 0 and leaf 2 have no core in common"),
        ("[fabric]\nfails = spine0-core0", "does not look like LEAF.SPINE.LINK, as 1.1.0"),
        (f"{PODS}fails = 0.2.0", "leaf 0 and spine 2, which are of different pods"),
        (f"{PODS}fails = 0.0.0 0.1.0", "more than one link fails"),
        (f"{PODS}fails = 0.0.0\ncut = 0.0.0", "'0.0.0' is cut, and fails"),
        ("[fabric]\nfails = 0.0.0", "'0.0.0' fails beside a parallel link: say links = 1"),
        (f"{PODS}fails = 0.0.0\nfails_for = 0ms", "'0ms' is not above 0"),
        (f"{PODS}fails = 0.0.0\nfails_times = 10", "failures take 110 ms, longer than the load"),
        ("[load]\npeers = pods", "hosts of other pods are asked, but there is one pod"),
        ("[load]\npeers = all", "unknown name 'all': there are leaves, pods"),
        (f"{PODS}[schemes]\nforeign_hosts = 1\n[load]\npeers = pods",
         "foreign hosts ask hosts of other leaves, not of other pods"),
        ("[load]\npattern = idle\nload = 10%", "load.load means nothing to the pattern idle"),
        ("[load]\npattern = demand\npeers = pods", "peers means nothing to the pattern demand"),
        ("[schemes]\nnames = hula\nunmarked_spines = 1",
         "the scheme hula has no unmarked_spines: every box decides"),
        ("[schemes]\nnames = hula\nleaf_schemes = 1=ecmp", "the scheme hula has no leaf_schemes"),
        ("[schemes]\noptions = probe 19us", "'19us' is no time from 20us to 1s"),
        ("[schemes]\noptions = probe 2s", "'2s' is no time from 20us to 1s"),
        ("[fabric]\nlink_rates = spine2.0-leaf1=1gbit", "names spine 2, but there are 2"),
        ("[fabric]\nlink_rates = leaf7-spine0.0=1gbit", "names leaf 7, but there are 2"),
        ("[fabric]\nlink_rates = spine0.0-spine1.0=1gbit", "does not look like spine0.1-leaf1"),
        ("[fabric]\nlink_rates = spine0.0-leaf1=0gbit", "'0gbit' is not above 0"),
        ("[fabric]\nlink_delays = spine2.0-leaf1=1us", "names spine 2, but there are 2"),
        ("[fabric]\nlink_delays = spine2=1us", "names spine 2, but there are 2, counted from 0"),
        ("[fabric]\nlink_delays = spine0=", "does not look like spine0.1-leaf1=20us"),
        ("[schemes]\nparams = short 10000", "the scheme conga has no parameter short"),
        ("[schemes]\nnames = tr\nparams = short 999", "is no whole number from 1000 to 16000000"),
        ("[schemes]\nnames = tr\nparams = long 9", "unknown option 'long': there are fail, near, "
         "short, rtt, idle"),
        ("[load]\norder = 2", "is no whole number from 0 to 1"),
        ("[fabric]\nlink_delays = leaf0-spine0.0=1gbit", "does not look like spine0.1-leaf1=20us"),
        ("[schemes]\nnames = plb", "plb is a part of dctcp, in Linux from 6.2 on"),
        ("[schemes]\nnames = plb\n[load]\ncongestion = dctcp\n[fabric]\nmark = 100KB",
         "say load.congestion = dctcp, fabric.mark and load.kernel = uml-6.12"),
        ("[load]\nkernel = 6.12", "unknown name '6.12': there are uml, uml-hz1000, uml-6.12"),
        ("[schemes]\nmode = auto", "unknown name 'auto': there are conga, plain"),
        ("[fabric]\nspines = 9", "a leaf has 18 uplinks, more than 16"),
        ("[fabric]\npods = 2", "pods are joined by cores"),
        ("[fabric]\nleaves = 3\npods = 2\ncores = 1", "cannot be shared out among 2 pods"),
        ("[fabric]\nleaves = 4\nspines = 4\npods = 2\ncores = 1\ncut = 0.3.0",
         "leaf 0 and spine 3, which are of different pods"),
        ("[fabric]\nsilent = 2", "there is no spine 2: there are 2"),
        ("[schemes]\nnames = conga, vigour", "schemes.names: unknown name 'vigour': there are"),
        ("[schemes]\nnames = stock\noptions = q 4", "the scheme stock has no options"),
        ("[schemes]\nnames = stock\nleaf_schemes = 1=ecmp", "the scheme stock has no leaf_schemes"),
        ("[schemes]\nnames = stock\nunmarked_spines = 1", "stock has no unmarked_spines"),
        ("[schemes]\nunmarked_cores = 0", "there is no core 0: there are 0, counted from 0"),
        ("[schemes]\nnames = mptcp\nleaf_schemes = 1=local",
         "the scheme mptcp has no leaf_schemes: every leaf does ECMP"),
        ("[schemes]\nnames = ecmp, mptcp\n[load]\ncapture = leaf0.vx",
         "the scheme mptcp has no capture"),
        ("[schemes]\noptions = reboot now", "unknown option 'reboot': there are q, metric"),
        ("[schemes]\noptions = policy ecmp", "unknown option 'policy'"),
        ("[schemes]\noptions = q 4; reboot", "'4;' is no whole number from 1 to 6"),
        ("[schemes]\noptions = q 7", "'7' is no whole number from 1 to 6"),
        ("[schemes]\noptions = metric max q", "the option q has no value"),
        ("[schemes]\noptions = q 4 q 5", "the option q is there twice"),
        ("[schemes]\noptions = tdre 100ns", "'100ns' is no time from 1us to 1s"),
        ("[schemes]\noptions = hello 10ms", "'10ms' is no time from 20ms to 10s"),
        ("[schemes]\noptions = metric most", "unknown name 'most': there are max, sum"),
        ("[schemes]\nleaf_schemes = 5=ecmp", "there is no leaf 5"),
        ("[schemes]\nleaf_schemes = 1=conga", "'1=conga' does not look like LEAF=SCHEME"),
        ("[schemes]\nleaf_schemes = 1=ecmp 1=local", "leaf 1 has two schemes"),
        ("[schemes]\nforeign_hosts = 33", "more foreign hosts than hosts"),
        ("[schemes]\nforeign_hosts = 1\n[load]\npattern = hdfs",
         "schemes.foreign_hosts means nothing to the pattern hdfs"),
        ("[load]\nload = 0", "load.load: a load of 0 is not above 0 and at most 100%"),
        ("[load]\nload = 200%", "load.load: a load of 200% is not above 0 and at most 100%"),
        ("[load]\nload = 60%, 2", "a load of 2 is not above 0 and at most 100%"),
        ("[load]\nload = -1", "'-1' is no load"),
        ("[load]\nworkload = dreams", "load.workload: unknown workload 'dreams': there are"),
        ("[load]\ncaps = dreams:1MB", "unknown workload 'dreams'"),
        ("[load]\ncaps = websearch:0MB", "'0MB' is not above 0"),
        ("[load]\npattern = rain", "unknown name 'rain'"),
        ("[load]\nseed = x", "load.seed: 'x' is no whole number"),
        ("[load]\nseconds = 0ms", "'0ms' is not above 0"),
        ("[load]\nseconds = 1s", "a reduced run carries 22.2 GB, more than 4 GB"),
        ("[load]\nflows = 100\nseconds = 1s", "load.seconds beside load.flows, from which the "
         "seconds follow by the mean of all sizes: say one of them"),
        ("[load]\nflows = 100\ncaps = datamining:1MB", "load.caps beside load.flows"),
        ("[load]\npattern = hdfs\nflows = 9", "load.flows means nothing to the pattern hdfs"),
        ("[load]\nservers = 3", "load.servers means nothing to the pattern client-server"),
        ("[load]\npattern = incast\nservers = 64", "64 servers and their client are more than"),
        ("[load]\npattern = incast\nload = 10%", "load.load means nothing to the pattern incast"),
        ("[load]\npattern = demand", "the pattern demand has no load.demands"),
        ("[load]\npattern = demand\ndemands = 0-2:1gbit", "'0-2:1gbit' does not go from one"),
        ("[load]\npattern = demand\ndemands = 0-0:1gbit", "'0-0:1gbit' does not go from one"),
        ("[load]\npattern = hdfs\n[fabric]\nhosts = 1", "two replicas on one leaf need two"),
        ("[load]\ncongestion = dctcp", "dctcp needs ports that mark"),
        ("[load]\ncongestion = vegas", "unknown name 'vegas'"),
        ("[load]\npairing = some", "unknown name 'some': there are all, one, matched"),
        ("[load]\npattern = hdfs\npairing = one", "pairing means nothing to the pattern hdfs"),
        ("[load]\ndirection = up", "unknown name 'up': there are both, one"),
        ("[load]\npattern = demand\ndirection = one", "direction means nothing to the pattern"),
        ("[fabric]\nleaves = 3\n[load]\ndirection = one",
         "one half of 3 leaves cannot send to the other: say an even number"),
        ("[fabric]\nleaves = 6\nspines = 6\nlinks = 1\npods = 3\ncores = 2\n"
         "[load]\ndirection = one\npeers = pods",
         "one half of 3 pods cannot send to the other: say an even number"),
        ("[load]\ntcp = 2020", "unknown name '2020': there are linux, 2014, ns2"),
        ("[load]\nsysctls = tcp_sack=0", "'tcp_sack=0' does not look like NAME=VALUE, as"),
        ("[load]\nsysctls = kernel.panic=1", "'kernel.panic=1' does not look like NAME=VALUE"),
        ("[load]\nsysctls = net.ipv4.tcp_sack=0;reboot", "does not look like NAME=VALUE"),
        ("[load]\nsysctls = net.ipv4.tcp_sack=0 net.ipv4.tcp_sack=1",
         "the sysctl net.ipv4.tcp_sack is set twice"),
        ("[load]\nrto_min = 0ms", "'0ms' is no time from 1ms to 10s"),
        ("[load]\nrto_min = 1500us", "'1500us' is finer than the unit ms"),
        ("[load]\nrto_min = 3ms", "rto_min 3ms is less than a tick of the kernel uml, 4 ms"),
        ("[fabric]\nmtu = 9000", "a burst of 1500 bytes is less than a packet of 9000: say "
         "fabric.gso"),
        ("[fabric]\nmtu = 9001\ngso = 65536", "'9001' is no whole number from 1280 to 9000"),
        ("[full]\nload = 3", "[full] unknown key 'load'"),
        ("[quick longer]\nload.seed = 2", "[quick longer] without [quick]"),
        ("[load]\nseed = 1\nseed = 2", "already exists"),
        ("seed", "contains parsing errors"),
    ]

    def test_sentences(self):
        for text, sentence in self.CASES:
            with self.subTest(text=text), self.assertRaises(ValueError) as caught:
                runs(f"{text}\n{REDUCED}")
            self.assertIn(sentence, str(caught.exception), text)
            self.assertIn("test.ini", str(caught.exception), text)

    def test_header(self):
        for text, sentence in [
                ("[fabric]\n", "no section [scenario]"),
                ("[scenario]\nclaims = C01\n", "has no title"),
                ("[scenario]\ntitle = x\nclaims = one\n", "'one' does not look like C01"),
                ("[scenario]\ntitle = x\nmost = much\n", "most: 'much' is no number of bytes"),
                ("[scenario]\ntitle = x\ncolour = red\n", "unknown key 'colour'")]:
            with self.subTest(text=text), self.assertRaises(ValueError) as caught:
                read(text)
            self.assertIn(sentence, str(caught.exception))

    def test_unknown_scenario_and_form(self):
        with self.assertRaisesRegex(ValueError, "unknown scenario 'fig99': there are"):
            scenario.find("fig99")
        with self.assertRaisesRegex(ValueError, "unknown form 'huge'"):
            scenario.expand(scenario.find("fig11"), "huge")
        with self.assertRaisesRegex(ValueError, r"fig9.ini: no section \[quick\]"):
            scenario.expand(scenario.find("fig9"), "quick")


class Runs(unittest.TestCase):
    def test_matrix(self):
        found = runs("[schemes]\nnames = ecmp, conga\n[load]\nseed = 1, 2, 3\n"
                     "load = 10%, 0.5\n" + REDUCED)
        self.assertEqual(len(found), 12)
        self.assertEqual({str(run["load.load"]) for run in found}, {"1/10", "1/2"})

    def test_a_variant_adds_to_its_form_and_repeats_nothing(self):
        text = "[reduced]\nload.seed = 1, 2\n[reduced more]\nload.seed = 2, 3\n"
        self.assertEqual([run["load.seed"] for run in runs(text)], [1, 2, 3])

    def test_a_variant_starts_from_its_form(self):
        text = "[reduced]\nload.load = 30%\n[reduced more]\nload.seed = 7\n"
        self.assertEqual([float(run["load.load"]) for run in runs(text)], [0.3, 0.3])

    def test_a_form_overrides_the_base(self):
        text = "[fabric]\nhosts = 8\n[reduced]\n[full]\nfabric.hosts = 16\n"
        self.assertEqual(runs(text)[0]["fabric.hosts"], 8)
        self.assertEqual(runs(text, "full")[0]["fabric.hosts"], 16)

    def test_only_the_full_form_may_be_large(self):
        text = "[load]\nseconds = 1s\n[full]\n"
        self.assertAlmostEqual(one_run.run_bytes(runs(text, "full")[0]) * 1564 / 1448,
                               24 * 10 ** 9, delta=2)

    def test_key_is_of_what_decides(self):
        plain = runs(REDUCED)[0]
        same = runs("[load]\nload = 0.6\n[fabric]\nlink_rate = 40000mbit\n" + REDUCED)[0]
        other = runs("[fabric]\nbuffer = 2MB\n" + REDUCED)[0]
        seed = runs("[load]\nseed = 2\n" + REDUCED)[0]
        self.assertEqual(one_run.run_key(plain), one_run.run_key(same))
        self.assertEqual(len({one_run.run_key(run) for run in (plain, other, seed)}), 3)

    def test_what_few_runs_say(self):
        """The experiment hears of it; a run that does not say it is the one that it was."""
        plain, said = runs(REDUCED)[0], runs(
            "[fabric]\nlink_delays = spine0=5us\n[schemes]\nnames = tr\n"
            "params = short 10000 rtt 300us\n[load]\norder = 1\n" + REDUCED)[0]
        found = one_run.settings(said)
        self.assertEqual([found[name] for name in ("LINK_DELAYS", "SCHEME_PARAMS", "ORDER")],
                         ["spine0=5us", "short 10000 rtt 300us", "1"])
        self.assertFalse({"LINK_DELAYS", "SCHEME_PARAMS", "ORDER"} & set(one_run.settings(plain)))

    def test_seconds_of_so_many_flows(self):
        """So many are expected by the mean of all sizes; the trace is that of these seconds."""
        text = "[load]\nworkload = datamining\nload = 30%\nwithin = none\n{}\n" + REDUCED
        run = runs(text.format("flows = 100"))[0]
        mean = float(scenario.workload.mean(scenario.workload.find("datamining")))
        self.assertAlmostEqual(one_run.run_bytes(run) / mean, 100, places=5)
        same = runs(text.format(f"seconds = {run['load.seconds']}ns"))[0]
        self.assertEqual(one_run.run_key(run), one_run.run_key(same))
        twice = runs(text.format("flows = 200"))[0]
        self.assertAlmostEqual(twice["load.seconds"] / run["load.seconds"], 2, places=5)

    def test_ticks_are_those_of_the_kernels(self):
        """Their patches set them, since nothing can configure them."""
        folder = context.LAB.parent / "selftests/vm"
        for kernel, tick in keys.TICK.items():
            text = (folder / f"{kernel}.patch").read_text(encoding="utf-8")
            hz = re.search(r"^ config HZ\n \tint\n-.*\n\+\tdefault ([0-9]+)$", text, re.MULTILINE)
            self.assertEqual(scenario.values.time(tick), 10 ** 9 // int(hz[1]), kernel)

    def test_named_tcps(self):
        """A name is its sysctls and its rto_min: the same run, whichever is said."""
        named, said = runs("[load]\ntcp = 2014\n" + REDUCED)[0], runs(
            "[load]\nsysctls = net.ipv4.tcp_recovery=0 net.ipv4.tcp_early_retrans=0 "
            "net.ipv4.tcp_max_reordering=3\n" + REDUCED)[0]
        self.assertEqual(one_run.run_key(named), one_run.run_key(said))
        self.assertNotIn("RTO_MIN", one_run.settings(named))
        found = one_run.settings(runs("[load]\ntcp = ns2\n" + REDUCED)[0])
        self.assertEqual(found["RTO_MIN"], "10ms")
        self.assertEqual(found["SYSCTLS"].split()[3:],
                         ["net.ipv4.tcp_sack=0", "net.ipv4.tcp_dsack=0",
                          "net.ipv4.tcp_timestamps=0"])
        fine = runs("[load]\nkernel = uml-hz1000\nrto_min = 1ms\n" + REDUCED)[0]
        self.assertEqual(one_run.settings(fine)["RTO_MIN"], "1ms")
        plain = one_run.settings(runs("[load]\ntcp = linux\n" + REDUCED)[0])
        self.assertFalse({"SYSCTLS", "RTO_MIN", "TCP"} & set(plain))

    def test_what_is_said_goes_before_the_name(self):
        found = one_run.settings(runs(
            "[load]\ntcp = ns2\nrto_min = 200ms\n"
            "sysctls = net.ipv4.tcp_sack=1 net.core.somaxconn=9\n" + REDUCED)[0])
        self.assertEqual(found["RTO_MIN"], "200ms")
        self.assertEqual([word for word in found["SYSCTLS"].split()
                          if "sack" in word or "core" in word],
                         ["net.ipv4.tcp_sack=1", "net.ipv4.tcp_dsack=0", "net.core.somaxconn=9"])

    def test_lia_is_for_any_scheme(self):
        """It couples subflows of MPTCP; a plain TCP has Reno with it."""
        found = runs("[schemes]\nnames = ecmp, mptcp\n[load]\ncongestion = lia\n" + REDUCED)
        self.assertEqual([one_run.settings(run)["CONGESTION"] for run in found], ["lia"] * 2)

    def test_boots_of_one_run(self):
        found = runs("[load]\nboot = 1, 2\n" + REDUCED)
        self.assertEqual(one_run.settings(found[0]), one_run.settings(found[1]))
        self.assertNotEqual(one_run.run_key(found[0]), one_run.run_key(found[1]))
        self.assertRegex(one_run.run_slug(found[1]), "^test-websearch-60-conga-s1-boot2-")

    def test_cuts_that_leave_a_way(self):
        for text in ("cut = 0.1.0 0.1.1",
                     "leaves = 4\nspines = 4\npods = 2\ncores = 1\nlinks = 1\ncut = 0.0.0 2.3.0"):
            self.assertEqual(len(runs(f"[fabric]\n{text}\n{REDUCED}")), 1, text)
        for text in ("spine0-core0 spine3-core0", "0.1.0 spine0-core1 spine3-core1",
                     "spine0-core0 spine0-core1"):
            found = runs(f"{PODS}cut = {text}\n{REDUCED}")
            self.assertEqual(one_run.settings(found[0])["CUT"], text)

    def test_rare_keys_leave_older_runs_as_they_were(self):
        """Their names and traces are known: this one's is in the tables of earlier runs."""
        plain = runs(REDUCED)[0]
        same = runs("[load]\npeers = leaves\n[fabric]\nfails_for = 5ms\n" + REDUCED)[0]
        self.assertEqual(one_run.run_key(plain), one_run.run_key(same))
        self.assertEqual(one_run.run_key(plain), "708eed47")
        found = one_run.settings(runs(f"{PODS}fails = 0.0.0\nfails_for = 6ms\n{REDUCED}")[0])
        self.assertEqual((found["FAILS"], found["FAILS_FOR"]), ("0.0.0", "6000000ns"))
        self.assertNotIn("FAILS_AFTER", found)

    def test_options_are_those_of_the_tool(self):
        """The limits are in the sentences by which the kernel refuses."""
        netlink = (context.LAB.parent / "kmod/netlink/rules_generated.c").read_text()
        said = dict(re.findall(r'sentence = "([a-z-]+) must be ([^"]*)"', netlink))
        for name, text in (("q", "a number of bits from 1 to 6"), ("metric", "max or sum"),
                           ("tdre", "auto or a time from 1 us to 1 s"),
                           ("flowlet-timeout", "auto or a time from 0 to 1 s"),
                           ("age", "a time from 100 us to 10 s"),
                           ("hello", "off or a time from 20 ms to 10 s"),
                           ("explicit-feedback", "on or off"),
                           ("entropy", "auto or a number from 1 to 16"),
                           ("ecn", "on or off"),
                           ("probe", "auto, off or a time from 20 us to 1 s")):
            self.assertEqual(said[name], text)
            self.assertIn(name, keys.OPTIONS)
        self.assertEqual(len(keys.OPTIONS), 10)
        found = runs("[schemes]\noptions = none, q 6 tdre auto, hello off  age 1ms, "
                     "probe off, probe auto, probe 20us, entropy 4 ecn on\n" + REDUCED)
        self.assertEqual([run["schemes.options"] for run in found],
                         ["", "q 6 tdre auto", "hello off age 1ms", "probe off", "probe auto",
                          "probe 20us", "entropy 4 ecn on"])

    def test_tiers(self):
        run = runs("[fabric]\nleaves = 4\nspines = 4\npods = 2\ncores = 3\ncut = 3.3.1\n"
                   "[load]\nseconds = 50ms\n" + REDUCED)[0]
        self.assertEqual(one_run.uplinks_of(run), 4)
        found = one_run.settings(run)
        self.assertEqual((found["PODS"], found["CORES"], found["CUT"]), ("2", "3", "3.3.1"))

    def test_settings(self):
        run = runs("[fabric]\ncut = 1.1.1 0.0.0\nmark = 100KB\n[load]\ndrain = 1.5s\n"
                   "seconds = 10ms\n" + REDUCED)[0]
        found = one_run.settings(run)
        self.assertEqual(found["CUT"], "1.1.1 0.0.0")
        self.assertEqual(found["LINK_RATE"], "40000000000bit")
        self.assertEqual(found["MARK"], "100000")
        self.assertEqual(found["DRAIN"], "1.5")
        self.assertEqual((found["SAMPLE_US"], found["SAMPLES"]), ("100", "100"))
        self.assertEqual(found["LIMIT"], "")
        self.assertNotIn("MTU", found, "written only where it is used")


FULL_ONLY = ("headline-deep", "headline-mining")
US, MS, SECOND = 10 ** 3, 10 ** 6, 10 ** 9
MB = 10 ** 6


def reduced(name: str) -> list:
    return [] if name in FULL_ONLY else scenario.expand(scenario.find(name), "reduced")


class Committed(unittest.TestCase):
    """The scenarios of the lab themselves."""

    def test_all_forms_expand(self):
        for name in scenario.names():
            one = scenario.find(name)
            self.assertEqual(scenario.has_form(one, "reduced"), name not in FULL_ONLY, name)
            self.assertTrue(scenario.has_form(one, "full"), name)
            for form in filter(lambda form: scenario.has_form(one, form), scenario.FORMS):
                with self.subTest(scenario=name, form=form):
                    self.assertTrue(scenario.expand(one, form))

    def test_three_seeds_each(self):
        for name in scenario.names():
            found = reduced(name) or scenario.expand(scenario.find(name), "full")
            if found[0]["load.pattern"] == "idle":
                continue  # nothing is drawn
            self.assertGreaterEqual(len({run["load.seed"] for run in found}), 3, name)

    def test_loads_are_realised(self):
        """Within 5 %: a short run of heavy-tailed sizes is far off, else. Of a long one the
        rare large transfers are what is looked at."""
        for name in scenario.names():
            for run in reduced(name):
                if run["load.within"] is None:
                    self.assertGreaterEqual(run["load.prefix_of"] or run["load.seconds"], SECOND,
                                            name)
                else:
                    self.assertLessEqual(run["load.within"], 0.05, name)

    def test_frames_differ_in_nothing_but_frames(self):
        found = scenario.expand(scenario.find("frames"), "reduced")
        other = [{path: value for path, value in run.values.items()
                  if path not in ("fabric.mtu", "fabric.gso")} for run in found]
        self.assertEqual([run["fabric.mtu"] for run in found], 6 * [1500] + 6 * [9000])
        self.assertEqual(other[:6], other[6:])
        self.assertTrue(all(run["fabric.mtu"] == run["fabric.gso"] for run in found))

    def full(self, name: str, **where) -> list:
        """Those of the full form that have these values."""
        wanted = {path.replace("_of_", "."): value for path, value in where.items()}
        return [run for run in scenario.expand(scenario.find(name), "full")
                if all(run[path] == value for path, value in wanted.items())]

    def test_frames_have_a_pair_for_each_figure(self):
        runs_of_size = {mtu: [{path: value for path, value in run.values.items()
                               if path not in ("fabric.mtu", "fabric.gso")}
                              for run in self.full("frames", fabric_of_mtu=mtu)]
                        for mtu in (1500, 9000)}
        self.assertEqual(runs_of_size[1500], runs_of_size[9000])
        kinds = {(run["load.pattern"], run["load.workload"], bool(run["fabric.cut"]),
                  run["fabric.leaves"], run["fabric.pods"]) for run in self.full("frames")}
        self.assertEqual(kinds, {
            ("client-server", "websearch", True, 2, 1), ("client-server", "enterprise", True, 2, 1),
            ("client-server", "enterprise", False, 2, 1),
            ("client-server", "datamining", False, 2, 1), ("hdfs", "enterprise", True, 2, 1),
            ("client-server", "websearch", False, 3, 1),
            ("client-server", "websearch", True, 4, 2)})

    def test_full_runs_are_the_papers(self):
        """TCP of 2014, neither caps nor traces that are drawn anew."""
        for name in ("fig5", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "fig16",
                     "sweep", "mixed", "three-tier", "headline", *FULL_ONLY):
            for run in self.full(name):
                self.assertEqual((run["load.tcp"], run["load.caps"]), ("2014", ()), name)
                if run["load.pattern"] != "incast":
                    self.assertIsNone(run["load.within"], name)

    def test_full_runs_have_time_and_seeds(self):
        """(scenario, seconds, seeds) of the runs that decide; some have more, others fewer."""
        for name, seconds, seeds in (
                ("headline", 3, 3), ("headline-deep", 3, 3), ("headline-mining", 20, 3),
                ("fig9", 2, 5), ("fig10", 5, 5), ("fig11", 1, 3),
                ("fig12", 0.3, 10), ("fig14", 1.2, 10), ("fig15", 1, 3), ("fig16", 0.1, 5),
                ("sweep", 0.3, 3),
                ("mixed", 0.5, 5), ("three-tier", 0.5, 5)):
            found = self.full(name, load_of_seconds=int(seconds * SECOND))
            self.assertEqual({run["load.seed"] for run in found}, set(range(1, seeds + 1)), name)
        for think, seeds in ((None, 10), (500 * US, 3)):
            found = self.full("fig5", load_of_think=think, load_of_seconds=5 * SECOND)
            self.assertEqual({run["load.seed"] for run in found}, set(range(1, seeds + 1)), think)

    def test_the_headline_has_the_lengths_of_one_trace(self):
        found = self.full("headline", load_of_workload="websearch", load_of_boot=1,
                          load_of_balance_flows=0, load_of_congestion="cubic")
        for scheme in ("ecmp", "conga", "local"):
            self.assertEqual({run["load.seconds"] / SECOND for run in found
                              if run["schemes.names"] == scheme}, {0.1, 0.3, 1, 3})
        self.assertEqual({run["load.prefix_of"] for run in found
                          if run["load.seconds"] < 3 * SECOND}, {3 * SECOND})

    def test_queues_and_round_trips_of_the_testbed(self):
        for name in ("fig9", "fig10", "fig15", "fig16", "sweep"):
            for run in self.full(name):
                self.assertEqual((run["fabric.buffer"], 8 * run["fabric.delay"]),
                                 (8 * MB, 100 * US))
        self.assertEqual({(run["fabric.buffer"], 8 * run["fabric.delay"])
                          for run in self.full("fig11")}, {(16 * MB, 100 * US)})
        self.assertEqual({run["fabric.buffer"] for run in self.full("headline-deep")}, {16 * MB})
        self.assertEqual({run["fabric.buffer"] for run in
                          self.full("headline", load_of_workload="enterprise")}, {8 * MB})

    def test_the_evaluation_is_affordable(self):
        """All that CONGA's claims need, in full form, but the longest runs: at the 400 MB a second
        of a processor that is otherwise idle, five and a half hours of two."""
        names = [name for name in scenario.names() if name not in FULL_ONLY
                 and any(claim[0] in "CG" for claim in scenario.find(name).claims)]
        total = sum(one_run.run_bytes(run) for name in names for run in self.full(name))
        self.assertLess(total, 15.8e12)

    def test_mptcp_is_coupled(self):
        for name in scenario.names():
            for form in filter(lambda form: scenario.has_form(scenario.find(name), form),
                               scenario.FORMS):
                for run in scenario.expand(scenario.find(name), form):
                    if run["schemes.names"] == "mptcp":
                        self.assertEqual(run["load.congestion"], "lia", name)

    def test_claims_of_the_quick_form(self):
        found = {claim for one in map(scenario.find, scenario.names())
                 if scenario.has_form(one, "quick") for claim in one.claims}
        self.assertLessEqual({"C01", "C04", "C13", "C15", "C20"}, found)


class CommandLine(unittest.TestCase):
    def lab(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, context.LAB / "lab", *arguments],
                              capture_output=True, text=True, check=False)

    def test_bad_input_is_status_2_and_a_sentence(self):
        for arguments, sentence in [
                (("run", "fig99"), "lab: unknown scenario 'fig99'"),
                (("run", "fig11", "--form", "huge"), "lab: unknown form 'huge'"),
                (("run", "fig9", "--form", "quick"), "lab: fig9.ini: no section [quick]"),
                (("run", "fig11", "--jobs", "0"), "lab: --jobs 0 is not above 0"),
                (("run", "fig11", "--runs", "0"), "lab: --runs 0 is not above 0"),
                (("budget", "--rate", "0"), "lab: --rate 0 is not above 0")]:
            with self.subTest(arguments=arguments):
                done = self.lab(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith(sentence), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_budget_is_a_table(self):
        done = self.lab("budget", "--rate", "40", "--jobs", "1")
        rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
        self.assertIn("At 40 MB of goodput", done.stdout)
        self.assertEqual({row.count("|") for row in rows}, {rows[0].count("|")})

    def test_list_names_all(self):
        listed = self.lab("list").stdout
        for name in scenario.names():
            self.assertIn(name, listed)


if __name__ == "__main__":
    unittest.main()
