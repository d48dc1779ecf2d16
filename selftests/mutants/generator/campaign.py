# SPDX-License-Identifier: GPL-2.0
"""A campaign: draws mutants by a seed until there are enough, and has each judged by the tests."""
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import aside
from .candidates import Mutant, candidates, draw
from .compiled import Compiler
from .results import KILLED, REJECTED, SAME, SURVIVED, Results, result


def say(text: str) -> None:
    print(f"generated: {text}", file=sys.stderr, flush=True)


class Campaign:
    """Mutants of some files, and what is known of them."""

    def __init__(self, tree: Path, suite, names: list, results: Results, jobs: int):
        self.tree, self.suite, self.results, self.jobs = tree, suite, results, jobs
        self.flags = suite.flags(tree)
        self.mutants = [each for name in names for each in candidates(tree, name, self.flags)]
        self.aside = aside.read(tree, suite.LIST)
        self.compiler = Compiler(tree, suite)

    def sample(self, seed: int, count: int) -> list:
        """The first mutants of a seed that are to be tested or known to be so, and not set aside,
        nor of the same code as one before.
        """
        chosen, codes = [], set()
        order = draw(self.mutants, seed)
        for start in range(0, len(order), 32):
            part = order[start:start + 32]
            with ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(self.compile, part))
            for mutant in part:
                if len(chosen) < count and self.counts(mutant, codes):
                    chosen.append(mutant)
            if len(chosen) == count:
                break
        return chosen

    def counts(self, mutant: Mutant, codes: set) -> bool:
        known = self.results.known[mutant.id]
        if known.verdict in (REJECTED, SAME) or aside.find(self.aside, mutant):
            return False
        code = (mutant.file, known.code)
        if code in codes:
            return False
        codes.add(code)
        return True

    def compile(self, mutant: Mutant) -> None:
        if mutant.id not in self.results.known:
            self.results.add(self.compiler.judge(mutant))

    def run(self, seed: int, count: int) -> list:
        """Judges what is not judged yet; once more for those that do not build with the tests."""
        say(f"{len(self.mutants)} candidates; building the tests that judge them")
        with tempfile.TemporaryDirectory(prefix="conga-generated.", dir=self.suite.FOLDER) as name:
            programs = self.suite.Programs(self.tree, Path(name))
            programs.prepare()
            say(f"seed {seed}: drawing {count} and compiling them")
            while True:
                chosen = self.sample(seed, count)
                left = [each for each in chosen if not self.is_judged(each, programs)]
                if not left:
                    return chosen
                say(f"seed {seed}: {len(chosen)} mutants, {len(left)} to be tested, of "
                    f"{len(self.mutants)} candidates")
                Workers(self, programs).run(left)

    def is_judged(self, mutant: Mutant, programs) -> bool:
        known = self.results.known[mutant.id]
        if known.verdict == KILLED:
            return known.by in programs.parts and (known.inputs
                                                   == programs.inputs([known.by], known.why))
        return (known.verdict == SURVIVED
                and known.inputs == programs.inputs(programs.fitting(mutant.file,
                                                                     mutant.function)))


class Workers:
    """As many copies of the tests as jobs, each with its share of the mutants."""

    def __init__(self, campaign: Campaign, programs):
        self.campaign, self.programs = campaign, programs
        self.done, self.began, self.total = 0, time.monotonic(), 0

    def run(self, mutants: list) -> None:
        """Mutants of a file one after the other, so that little is built again."""
        mutants = sorted(mutants, key=lambda each: (each.file, each.line))
        self.total = len(mutants)
        by_file: dict = {}
        for mutant in mutants:
            by_file.setdefault(mutant.file, []).append(mutant)
        queue = sorted(by_file.values(), key=len, reverse=True)
        with ThreadPoolExecutor(self.campaign.jobs) as pool:
            list(pool.map(self.work, range(self.campaign.jobs),
                          [queue] * self.campaign.jobs))

    def work(self, number: int, queue: list) -> None:
        with tempfile.TemporaryDirectory(dir=self.programs.folder) as name:
            copy = self.programs.copy(f"{Path(name).name}/{number}")
            while queue:
                try:
                    mutants = queue.pop(0)
                except IndexError:
                    return
                self.work_file(copy, mutants)

    def work_file(self, copy, mutants: list) -> None:
        file = mutants[0].file
        for mutant in mutants:
            copy.write(file, mutant.text())
            found = self.judge(copy, mutant)
            self.campaign.results.add(found)
            self.done += 1
            self.progress(found)
        copy.write(file, mutants[0].whole)

    def judge(self, copy, mutant: Mutant):
        fitting = self.programs.fitting(mutant.file, mutant.function)
        code = self.campaign.results.known[mutant.id].code
        for program, way in self.programs.ways(fitting):
            verdict = self.programs.judge(copy, program, way)
            if not verdict.built:
                return result(mutant, REJECTED, why=verdict.why, code=code)
            if verdict.killed:
                return result(mutant, KILLED, by=program, why=verdict.why, code=code,
                              inputs=self.programs.inputs([program], verdict.why))
        return result(mutant, SURVIVED, inputs=self.programs.inputs(fitting), code=code)

    def progress(self, found) -> None:
        took = time.monotonic() - self.began
        left = took / self.done * (self.total - self.done)
        say(f"{self.done}/{self.total}, {left / 60:.0f} min left: {found.id} {found.file}:"
            f"{found.line} {found.verdict}" + (f" by {found.by}" if found.by != "-" else ""))
