# SPDX-License-Identifier: GPL-2.0
"""The runner, with a small program in place of the machine."""
import contextlib
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import context

one_run = context.module("one_run")
scenario = context.module("scenario")
locks = context.module("locks")
progress = context.module("progress")
results = context.module("results")
runner = context.module("runner")
repeat = context.module("repeat")
trace = context.module("trace")
keys = context.module("keys")
tables = context.module("tables")

TESTS = Path(__file__).resolve().parent
FAKE = TESTS / "fake_experiment.py"
SCENARIO = """[scenario]
title = A test
[load]
pattern = incast
servers = 2
rounds = {rounds}
seed = {seeds}
[reduced]
"""
PATIENCE_SECONDS = 20


def make_jobs(folder: Path, seeds: str, rounds: int = 2) -> list:
    path = folder / "test.ini"
    path.write_text(SCENARIO.format(seeds=seeds, rounds=rounds), encoding="utf-8")
    return runner.jobs([scenario.read(path)], "reduced", "00000000")


def alive(number: int) -> bool:
    """A zombie is not."""
    try:
        status = Path(f"/proc/{number}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


class Case(unittest.TestCase):
    """A folder with a store and a cache."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.store = self.folder / "store"
        self.store.mkdir()
        self.said = []
        before = os.environ.get("CONGA_CACHE")
        os.environ["CONGA_CACHE"] = str(self.folder / "cache")
        self.addCleanup(self.restore, before)
        self.errors = self.enterContext(contextlib.redirect_stderr(io.StringIO()))
        self.mode("well")

    @staticmethod
    def restore(before):
        del os.environ["CONGA_CACHE"]
        if before:
            os.environ["CONGA_CACHE"] = before

    def mode(self, name: str) -> None:
        (self.folder / "mode").write_text(name, encoding="ascii")

    def lab(self, at_once: int = 2, say=None) -> "runner.Lab":
        return runner.Lab(self.store, "00000000", at_once,
                          lambda settings, _: [sys.executable, FAKE, self.folder, settings],
                          say or self.said.append)

    def calls(self) -> list:
        return sorted(self.folder.glob("call-*"))

    def done(self) -> list:
        return [folder.name for folder, _ in results.stored(self.store)]

    def partial(self) -> list:
        return list(self.store.glob(".*"))


class Runs(Case):
    def test_a_run_is_kept_by_sections(self):
        job = make_jobs(self.folder, "1")[0]
        self.assertEqual(runner.run_jobs(self.lab(), [job]), 0)
        kept = self.store / job.id
        self.assertEqual({path.name for path in kept.iterdir()},
                         {"settings", "facts", "transfers", "samples.gz", "counters", "log",
                          "meta.json"})
        with gzip.open(kept / "samples.gz", "rt") as file:
            self.assertEqual(file.read().splitlines()[1:], ["0 0 0", "100000 1500 3000"])
        self.assertEqual((kept / "facts").read_text(), "kernel 6.1.0-fake\nhz 250\n")
        self.assertEqual(self.partial(), [])

    def test_meta(self):
        job = make_jobs(self.folder, "5")[0]
        runner.run_jobs(self.lab(), [job])
        meta = json.loads((self.store / job.id / "meta.json").read_text())
        self.assertEqual((meta["id"], meta["scenario"], meta["form"]),
                         (job.id, "test", "reduced"))
        self.assertEqual(meta["values"]["seed"], "5")
        self.assertEqual(meta["values"]["scheme"], "conga")
        self.assertEqual(meta["facts"]["kernel"], "6.1.0-fake")
        self.assertEqual(meta["exit_status"], 0)
        self.assertEqual(meta["trace"]["transfers"], 4)
        self.assertEqual(len(meta["commit"]), len(results.git("rev-parse", "HEAD") or "unknown"))
        self.assertGreaterEqual(meta["wall_seconds"], 0)

    def test_settings_are_those_of_the_run(self):
        runner.run_jobs(self.lab(), make_jobs(self.folder, "1"))
        settings = self.calls()[0].read_text()
        shell = subprocess.run(["bash", "-c", f"{settings}\necho $SCHEME $LINK_RATE $TRACE"],
                               capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(shell[:2], ["conga", "40000000000bit"])
        self.assertTrue(Path(shell[2]).exists())

    def test_what_is_done_is_not_done_again(self):
        jobs = make_jobs(self.folder, "1, 2, 3")
        runner.run_jobs(self.lab(), jobs[:2])
        self.assertEqual(len(self.calls()), 2)
        self.assertEqual(runner.run_jobs(self.lab(), jobs), 0)
        self.assertEqual(len(self.calls()), 3)
        self.assertIn("3 runs, 2 of them done before", self.said[-2])

    def test_what_was_done_elsewhere_is_not_done_again(self):
        """On this kernel: another one is another run."""
        jobs = make_jobs(self.folder, "1, 2")
        rows = [{"id": job.id, "kernel": kernel, "scenario": "test", "forms": "", "scheme": "",
                 "seed": "", "seconds": "", "trace": ""}
                for job, kernel in zip(jobs, ("6.1.0-fake", "6.1.0-other"))]
        tables.write_file(self.folder / "runs.csv", rows)
        with unittest.mock.patch.object(runner, "machine_release", lambda _: "6.1.0-fake"):
            self.assertEqual(runner.run_jobs(self.lab(), jobs, self.folder), 0)
        self.assertEqual(self.done(), [jobs[1].id])
        self.assertIn("2 runs, 1 of them done before", self.said[0])

    def test_other_inputs_are_another_run(self):
        first = make_jobs(self.folder, "1")[0]
        runner.run_jobs(self.lab(), [first])
        other = first._replace(id=results.run_id(first.run, "11111111"))
        runner.run_jobs(self.lab(), [other])
        self.assertEqual(len(self.calls()), 2)

    def test_all_schemes_have_the_same_random_numbers(self):
        one, other, third = (job.run for job in make_jobs(self.folder, "1, 2, 3"))
        ecmp = one._replace(values={**one.values, "schemes.names": "ecmp"})
        self.assertEqual(runner.machine_seed(ecmp), runner.machine_seed(one))
        boot = one._replace(values={**one.values, "load.boot": 2})
        self.assertEqual(len(set(map(runner.machine_seed, (one, other, third, boot)))), 4)
        command = list(map(str, runner.vm_command(Path("/x/settings"), boot)))
        self.assertEqual(command[command.index("--seed") + 1], runner.machine_seed(boot))

    def test_the_same_again(self):
        job = make_jobs(self.folder, "1")[0]
        self.assertTrue(repeat.repeat(self.lab(), job))
        self.assertRegex(self.said[-1], "4 transfers, sha256 [0-9a-f]{8}$")
        self.mode("otherwise")
        self.assertFalse(repeat.repeat(self.lab(), job))
        self.assertRegex(self.said[-1], "counters not the same again$")
        self.assertEqual(len(self.calls()), 4)
        self.assertEqual((self.done(), self.partial()), ([], []))

    def test_longest_first(self):
        path = self.folder / "test.ini"
        path.write_text(SCENARIO.format(seeds="1", rounds="1, 9, 3"), encoding="utf-8")
        jobs = runner.jobs([scenario.read(path)], "reduced", "0")
        self.assertEqual([job.run["load.rounds"] for job in jobs], [9, 3, 1])

    def test_equal_runs_are_made_seed_by_seed(self):
        """So that those that are done can be compared."""
        path = self.folder / "test.ini"
        path.write_text(SCENARIO.format(seeds="1, 2", rounds="3") + "schemes.names = conga, ecmp\n",
                        encoding="utf-8")
        jobs = runner.jobs([scenario.read(path)], "reduced", "0")
        self.assertEqual([(job.run["load.seed"], job.run["schemes.names"]) for job in jobs],
                         [(1, "conga"), (1, "ecmp"), (2, "conga"), (2, "ecmp")])

    def test_what_is_slow_is_last(self):
        path = self.folder / "test.ini"
        path.write_text(SCENARIO.format(seeds="1", rounds="1, 9") + "schemes.names = mptcp, ecmp\n",
                        encoding="utf-8")
        jobs = runner.jobs([scenario.read(path)], "reduced", "0")
        self.assertEqual([(job.run["schemes.names"], job.run["load.rounds"]) for job in jobs],
                         [("ecmp", 9), ("ecmp", 1), ("mptcp", 9), ("mptcp", 1)])

    def test_larger_frames_take_less(self):
        job = make_jobs(self.folder, "1")[0]
        jumbo = job._replace(run=job.run._replace(values={**job.run.values, "fabric.mtu": 9000}))
        small = job._replace(run=job.run._replace(values={**job.run.values, "fabric.mtu": 1280}))
        self.assertEqual((job.work, jumbo.work, small.work),
                         (job.bytes, job.bytes / runner.JUMBO_FASTER, job.bytes))

    def test_a_processor_for_each_machine(self):
        """As long as there are enough."""
        job, number = make_jobs(self.folder, "1")[0], runner.processors()
        active = []
        for _ in range(2 * number):
            active.append(runner.Machine(job, None, None, None, 0, runner.least_used(active),
                                         None))
        self.assertEqual(sorted(one.processor for one in active),
                         sorted(2 * list(os.sched_getaffinity(0))))
        self.assertEqual(len({one.processor for one in active[:number]}), number)

    def test_a_processor_that_no_other_lab_has(self):
        """A machine's own program locks the file of its processor."""
        numbers = sorted(os.sched_getaffinity(0))
        trace.cache().mkdir(parents=True)
        with contextlib.ExitStack() as files:
            for number in numbers[:-1]:
                file = files.enter_context(open(trace.cache() / f"processor-{number}", "w",
                                                encoding="ascii"))
                self.assertTrue(locks.try_lock(file))
            self.assertEqual(runner.least_used([]), numbers[-1])
        self.assertEqual(runner.least_used([]), numbers[0])

    def test_a_machine_stays_where_it_is(self):
        one = max(os.sched_getaffinity(0))
        process = runner.launch([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"],
                                self.folder, one)
        self.assertEqual(process.wait(), 0)
        self.assertEqual((self.folder / "output").read_text(), f"{{{one}}}\n")

    def test_progress_counts_and_says_what_is_left(self):
        runner.run_jobs(self.lab(1), make_jobs(self.folder, "1, 2"))
        self.assertIn("seeds 1 2", self.said[0])
        self.assertRegex(self.said[1], r"^1 of 2: test-incast-.*0.02 GB, .* MB/s; about .* left$")
        self.assertRegex(self.said[2], r"^2 of 2: .*nothing left$")


class Failures(Case):
    def test_a_failed_run_is_tried_once_more(self):
        self.mode("fail-once")
        self.assertEqual(runner.run_jobs(self.lab(1), make_jobs(self.folder, "1")), 0)
        self.assertEqual(len(self.calls()), 2)
        self.assertEqual(len(self.done()), 1)

    def test_then_it_is_put_aside_and_the_rest_goes_on(self):
        jobs = make_jobs(self.folder, "1, 2")
        self.mode("fail")
        self.assertEqual(runner.run_jobs(self.lab(1), jobs), 1)
        self.assertEqual(len(self.calls()), 4)
        self.assertEqual(self.done(), [])
        self.assertIn("lab: 2 of 2 runs failed", self.errors.getvalue())
        aside = self.store / "failed" / jobs[0].id
        self.assertEqual((aside / "log").read_text(), "it went wrong\n")
        meta = json.loads((aside / "meta.json").read_text())
        self.assertEqual((meta["failure"], meta["attempt"]), ("exit status 7", 2))
        self.assertEqual(self.partial(), [])

    def test_when_it_works_again_nothing_is_aside(self):
        jobs = make_jobs(self.folder, "1")
        self.mode("fail")
        runner.run_jobs(self.lab(), jobs)
        self.mode("well")
        self.assertEqual(runner.run_jobs(self.lab(), jobs), 0)
        self.assertEqual(self.done(), [jobs[0].id])
        self.assertFalse((self.store / "failed" / jobs[0].id).exists())

    def test_what_is_not_whole_has_failed(self):
        for mode, sentence in [("half", "the output has no end"),
                               ("short", "3 transfers came out, 4 went in")]:
            self.mode(mode)
            self.assertEqual(runner.run_jobs(self.lab(), make_jobs(self.folder, "1")), 1)
            self.assertIn(sentence, " ".join(self.said))
            self.assertEqual(self.done(), [])


class Interruption(Case):
    def test_resumes(self):
        jobs = make_jobs(self.folder, "1, 2, 3")
        self.assertEqual(runner.run_jobs(self.lab(1), jobs[:1]), 0)
        self.mode("sleep")
        child = self.start_lab()
        self.wait_for(lambda: len(self.calls()) == 3, "two more are under way")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(PATIENCE_SECONDS), 128 + signal.SIGINT)
        self.assertEqual(self.partial(), [], "no half results")
        self.assertEqual(self.done(), [jobs[0].id])
        numbers = [int(path.name.split("-")[2]) for path in self.calls()]
        self.assertFalse(any(map(alive, numbers)), "the machines are gone")
        self.mode("well")
        self.assertEqual(runner.run_jobs(self.lab(), jobs), 0)
        self.assertEqual(len(self.calls()), 3 + 2, "what was done is not done again")
        self.assertEqual(len(self.done()), 3)

    def start_lab(self) -> subprocess.Popen:
        """A process of its own, which does what run_all() does."""
        code = ("import sys; sys.path[:0] = sys.argv[1:3]; import test_runner\n"
                "test_runner.lab_process(sys.argv[3])")
        return subprocess.Popen([sys.executable, "-c", code, context.LAB, TESTS, self.folder],
                                stdout=subprocess.DEVNULL)

    def wait_for(self, true, what: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not true():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def test_leftovers_of_a_killed_lab(self):
        leftover = results.new_folder(self.store, "test-half")
        (leftover / "output").write_text("half")
        results.clear_leftovers(self.store)
        self.assertEqual(self.partial(), [])

    def test_the_lock_of_a_killed_lab_is_free(self):
        jobs = make_jobs(self.folder, "1, 2, 3")
        self.mode("sleep")
        child = self.start_lab()
        self.wait_for(lambda: len(self.calls()) == 2, "two are under way")
        self.assertIsNone(locks.take(self.store, jobs[0].id))
        results.clear_leftovers(self.store)
        self.assertEqual(len(self.partial()), 2, "those of a lab at work stay")
        child.kill()
        child.wait(PATIENCE_SECONDS)
        for path in self.calls():
            os.kill(int(path.name.split("-")[2]), signal.SIGKILL)
        results.clear_leftovers(self.store)
        self.assertEqual(self.partial(), [])
        self.mode("well")
        self.assertEqual(runner.run_jobs(self.lab(), jobs), 0)
        self.assertEqual(len(self.done()), 3)

    def test_a_run_that_another_lab_is_at_comes_last(self):
        """And is made here, if the other lab gives it up."""
        jobs = make_jobs(self.folder, "1, 2, 3")
        other = locks.take(self.store, jobs[0].id)
        child = self.start_lab()
        self.wait_for(lambda: len(self.done()) == 2, "the others are made")
        self.assertIsNone(child.poll())
        self.assertEqual(len(self.calls()), 2)
        locks.release(other)
        self.assertEqual(child.wait(PATIENCE_SECONDS), 0)
        self.assertEqual((len(self.done()), len(self.calls())), (3, 3))
        self.assertEqual(list((self.store / "locks").iterdir()), [])

    def test_a_run_that_another_lab_made_is_not_made_again(self):
        jobs = make_jobs(self.folder, "1, 2, 3")
        other = locks.take(self.store, jobs[0].id)
        child = self.start_lab()
        self.wait_for(lambda: len(self.done()) == 2, "the others are made")
        (self.store / jobs[0].id).mkdir()
        (self.store / jobs[0].id / "meta.json").write_text("{}")
        locks.release(other)
        self.assertEqual(child.wait(PATIENCE_SECONDS), 0)
        self.assertEqual(len(self.calls()), 2)

    def test_a_lock_whose_file_was_removed_is_none(self):
        path = self.store / "locks" / "run"
        locks.release(locks.take(self.store, "run"))
        late = open(path, "w", encoding="ascii")
        self.addCleanup(late.close)
        path.unlink()
        new = locks.take(self.store, "run")
        self.assertTrue(locks.try_lock(late), "locked, but no more of that name")
        self.assertFalse(locks.is_named(late, path))
        locks.release(new)

    def test_so_many_runs_and_no_more(self):
        jobs = make_jobs(self.folder, "1, 2, 3")
        self.assertEqual(runner.run_jobs(self.lab(), jobs, None, 2), 0)
        self.assertEqual(len(self.calls()), 2)
        self.assertEqual(self.said[-1], "1 runs are left; the same command goes on from here")
        self.assertEqual(runner.run_jobs(self.lab(), jobs, None, 2), 0)
        self.assertEqual(len(self.calls()), 3)


class Progress(Case):
    def output(self, text: str) -> Path:
        path = self.folder / "output"
        path.write_text(text, encoding="ascii")
        return path

    def test_the_last_line_counts(self):
        path = self.output("== load\nprogress 100000000 2 5000000\nprogress 200000001 9 7000000\n")
        self.assertEqual(progress.read(path, 3.5), (3.5, 200000001, 9, 7000000))

    def test_a_line_that_is_not_whole_is_none(self):
        self.assertIsNone(progress.read(self.output("== load\nprogress 10000000"), 1))
        self.assertIsNone(progress.read(self.output(""), 1))

    def test_of_much_output_the_end_is_read(self):
        path = self.output(2000 * "progress 100000000 2 5000000\n" + "progress 300000000 3 8\n")
        self.assertEqual(progress.read(path, 1).ns, 300000000)

    def test_rates_are_since_the_last_look(self):
        watch = progress.Watch()
        path = self.output("progress 100000000 2 5000000\n")
        self.assertEqual(watch.look("run", path, 10, 15)[1], 1e6)
        self.assertIsNone(watch.look("run", path, 10, 16), "nothing new")
        path = self.output("progress 200000000 2 25000000\n")
        point, rate = watch.look("run", path, 10, 20)
        self.assertEqual(rate, 4e6)
        self.assertEqual(progress.text(point, rate, 50_000_000),
                         "0.2 s, 0.0 of 0.1 GB, 4 MB/s")

    def test_is_said_while_a_run_goes_on(self):
        """The run ends when it was said."""
        def say(text: str) -> None:
            self.said.append(text)
            if "MB/s; about" in text:
                (self.folder / "go").write_text("")
        self.mode("told")
        job = make_jobs(self.folder, "1")[0]
        with unittest.mock.patch.object(runner, "TELL_SECONDS", 0):
            self.assertEqual(runner.run_jobs(self.lab(1, say), [job]), 0)
        self.assertRegex(self.said[1], rf"^{job.id}: 0.1 s, 0.0 of 0.0 GB, [0-9]+ MB/s; "
                                       "about 0 min left$")
        self.assertIn("progress 100000000 1 5000000\n",
                      (self.store / job.id / "load").read_text())


def lab_process(folder: str) -> None:
    # What a shell runs in the background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = Path(folder)
    lab = runner.Lab(path / "store", "00000000", 2,
                     lambda settings, _: [sys.executable, FAKE, path, settings], print)
    sys.exit(runner.run_jobs(lab, make_jobs(path, "1, 2, 3")))


class Sections(Case):
    def split(self, text: str) -> list:
        output = self.folder / "output"
        output.write_text(text, encoding="utf-8")
        return results.split_sections(output, self.folder)

    def test_split(self):
        names = self.split("noise\n== facts\na 1\n== load\n\n== capture\n1 2\n== end\n")
        self.assertEqual(names, ["facts", "load", "capture", "end"])
        self.assertEqual((self.folder / "facts").read_text(), "a 1\n")
        self.assertEqual((self.folder / "load").read_text(), "\n")
        with gzip.open(self.folder / "capture.gz", "rt") as file:
            self.assertEqual(file.read(), "1 2\n")
        self.assertFalse((self.folder / "end").exists())

    def test_refusals(self):
        for text, sentence in [("", "has no end"), ("== facts\na 1\n", "has no end"),
                               ("== facts\n== facts\n== end\n", "has the section facts twice"),
                               ("== end\n== facts\n", "has no end")]:
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, sentence):
                self.split(text)

    def test_counters(self):
        path = self.folder / "counters"
        path.write_text("leaf0.up0 bytes 3 packets 2\nspine1.down0.1 drops 0\nleaf1 stamped 7\n"
                        "hosts repathed 9\n")
        self.assertEqual(results.read_counters(path), [
            ("leaf0.up0", "bytes", 3), ("leaf0.up0", "packets", 2),
            ("spine1.down0.1", "drops", 0), ("leaf1", "stamped", 7),
            ("hosts", "repathed", 9)])
        for text in ("parse error: Invalid numeric literal at line 1", "leaf0 stamped",
                     "leaf0 stamped null"):
            path.write_text(f"{text}\n")
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "are no counters"):
                results.read_counters(path)


class Checks(Case):
    def test_what_the_experiment_cannot_do_is_left_out(self):
        experiment = self.folder / "experiment"
        jobs = make_jobs(self.folder, "1, 2")
        known = " ".join(f"{name}=x" for name in one_run.settings(jobs[0].run))
        experiment.write_text(known, encoding="ascii")
        self.assertEqual(runner.possible(jobs, experiment), jobs)
        self.assertEqual(self.errors.getvalue(), "")
        experiment.write_text(known.replace("BUFFER=", "PUFFER="), encoding="ascii")
        self.assertEqual(runner.possible(jobs, experiment), [])
        self.assertEqual(self.errors.getvalue(), "lab: test: 2 runs are left out: experiment "
                         "knows no setting BUFFER\n")

    def test_what_the_machine_cannot_see_is_refused(self):
        tree = Path("/tmp/somewhere/tree")
        runner.check_visible(Path("/root/results"), tree)
        runner.check_visible(Path("/tmp/somewhere/results"), tree)
        with self.assertRaisesRegex(ValueError, "has a /tmp of its own"):
            runner.check_visible(Path("/tmp/elsewhere"), tree)
        with self.assertRaisesRegex(ValueError, "has a /run of its own"):
            runner.check_visible(Path("/run/results"), tree)

    def test_what_is_not_built_of_the_sources_is_refused(self):
        tree, made = self.folder / "tree", []
        for name in ("selftests/tools/flowgen.c", "kmod/main.c", "lab/sch_wire.c",
                     "lab/wire_sampler.c", "lab/wire.c",
                     "selftests/tools/flowgen", "build/6.1-uml/conga.ko",
                     "lab/tcp_lia.c", "lab/lia_window.c", "build/6.1-uml/lab/lia.ko",
                     "build/6.1-uml/lab/wire.ko", "lab/wire",
                     "selftests/tools/netns_batch.c", "selftests/tools/rtnetlink.c",
                     "selftests/tools/netns_batch"):
            made.append(tree / name)
            made[-1].parent.mkdir(parents=True, exist_ok=True)
            made[-1].write_text("")
        runner.check_built(tree, "6.1-uml")
        os.utime(made[1], (2 ** 32, 2 ** 32))
        with self.assertRaisesRegex(ValueError, "conga.ko is missing or older than kmod"):
            runner.check_built(tree, "6.1-uml")
        made[5].unlink()
        with self.assertRaisesRegex(ValueError, "selftests/tools/flowgen is missing or older"):
            runner.check_built(tree, "6.1-uml")

    def test_a_tree_that_changes_meanwhile_is_refused(self):
        run = make_jobs(self.folder, "1")[0].run
        command = runner.unchanged(results.inputs_digest())(Path("/x/settings"), run)
        self.assertEqual(command[-2:], ["lab/experiment", Path("/x/settings")])
        with self.assertRaisesRegex(ValueError, "the tree has changed since the lab began"):
            runner.unchanged("00000000")(Path("/x/settings"), run)

    def test_inputs_are_what_decides(self):
        tree = self.folder / "tree"
        for name in ("kmod/a.c", "lab/experiment", "lab/tests/x.py"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("1")
        before = results.inputs_digest(tree)
        (tree / "lab/tests/x.py").write_text("2")
        self.assertEqual(results.inputs_digest(tree), before)
        (tree / "kmod/a.c").write_text("2")
        self.assertNotEqual(results.inputs_digest(tree), before)

    def sourced(self, path):
        """Files that a script sources, and those that these source."""
        names = re.findall(r'^\. "\$TESTS/([a-z_/.]+\.sh)"', path.read_text(), re.M)
        files = {(results.TREE / "selftests" / name).resolve() for name in names}
        return files.union(*map(self.sourced, files))

    def test_what_the_experiment_reads_is_an_input(self):
        sourced = self.sourced(runner.EXPERIMENT)
        inputs = [path.resolve() for path in results.input_files()]
        self.assertIn(runner.EXPERIMENT.with_name("experiment_scheme.sh"), sourced)
        self.assertIn(results.TREE / "selftests/lib/topology_batches.sh", sourced)
        self.assertLessEqual(sourced, set(inputs))

    def test_every_input_is_there(self):
        for pattern in results.INPUTS:
            self.assertTrue(list(results.TREE.glob(pattern)), pattern)

    def test_span(self):
        self.assertEqual(runner.span(61), "2 min")
        self.assertEqual(runner.span(3600 * 2 + 60 * 5), "2 h 05 min")


if __name__ == "__main__":
    unittest.main()
