# SPDX-License-Identifier: GPL-2.0
"""The selftests as judges of mutants of the module, outside of kmod/paper/ and kmod/policies/.

They run in User Mode Linux. A mutant is judged by the programs that kill mutants of the tables in
the same function, the same file and the same folder, and by those that test the file's rules.
"""
import hashlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import tables

from .judging import Verdict, run

LIST = "selftests/mutants/equivalent_module.list"
RESULTS = "module"
# Guests have a /tmp of their own.
FOLDER = os.environ.get("CONGA_CACHE", Path.home() / ".cache/conga")
KEPT: list = []     # the kernel's inline functions are too many to be compiled in each file
WARNINGS = ["-O1", "-Wall", "-Wno-unused-but-set-variable", "-Wno-pointer-sign", "-Werror"]
FILES = ("kmod/*.c", "kmod/*/*.c")
# What is judged by the unit tests, and what is generated or read by macros.
NO_FOLDERS, NO_FILES = ("kmod/paper", "kmod/policies"), ("kmod/trace.c",)
# Programs that judge every file after those of its own mutants: what packets meet on their way.
ALL = ("selftests/datapath/stamp.sh", "selftests/paper/feedback.sh")
MOST = 12           # programs that judge a mutant
KERNEL = "uml"
LOCAL = "-uml"      # what the release of this kernel ends in
TIMES, SECONDS = 4, 60


def files(tree: Path, patterns: tuple) -> list:
    found = {path.relative_to(tree) for pattern in patterns for path in tree.glob(pattern)}
    return sorted(str(path) for path in found
                  if str(path.parent) not in NO_FOLDERS and str(path) not in NO_FILES
                  and not path.stem.endswith("_generated"))


def built(tree: Path) -> Path:
    """Where the module is built for that kernel."""
    found = sorted(tree.glob(f"build/*{LOCAL}/kmod/datapath/.tx.o.cmd"))
    if not found:
        raise SystemExit(f"generated: first type selftests/vm/module -k {KERNEL}")
    return found[-1].parents[2]


def flags(tree: Path) -> list:
    """Those of the kernel's own build that decide what the text means."""
    folder = built(tree)
    text = (folder / "kmod/datapath/.tx.o.cmd").read_text()
    source = re.search(r"-I(\S+)/arch/um/include ", text)[1]
    kernel = source.replace("/source-", f"/{KERNEL}-")
    words = re.findall(r"(?<= )(?:-include \S+|-[IDm]\S+|-std=\S+|-nostdinc)",
                       text.split("\n")[0])
    return [part.replace("'", "").replace(f"{folder}/", f"{tree}/").replace("./", f"{kernel}/")
            for word in words for part in word.split(" ")]


class Copy:
    """A private copy of the tree, with everything built."""

    def __init__(self, folder: Path):
        self.folder = folder

    def build_all(self) -> None:
        for command in (["make", "-s", "tool"], ["make", "-s", "-C", "selftests", "all", "lab"],
                        ["selftests/vm/module", "-k", KERNEL]):
            status, said = run(command, self.folder, 1800)
            if status != 0:
                raise SystemExit(f"generated: {' '.join(command)} fails\n{said}")

    def build(self) -> bool:
        status, _ = run(["selftests/vm/module", "-k", KERNEL, "--only"], self.folder, 600)
        return status == 0

    def execute(self, program: str, timed: bool, seconds: float) -> tuple:
        """Exit status and output, until the first failure."""
        options = ["--time-travel", "--seed", "1"] if timed else []
        name = program.removeprefix("selftests/")
        command = ["selftests/vm/run", "-k", KERNEL, *options, "-t", str(int(seconds)),
                   "--stop-at-complaint", "-e", "PROGRAM_SECONDS", "--", "selftests/run_tests",
                   name]
        limit = "0" if timed else str(int(seconds))
        return watch(command, self.folder, {"PROGRAM_SECONDS": limit})

    def write(self, file: str, text: bytes) -> None:
        (self.folder / file).write_bytes(text)


def watch(command: list, folder: Path, variables: dict) -> tuple:
    """Exit status and output; ends the machine when a test has failed, which suffices."""
    said = []
    with subprocess.Popen(command, cwd=folder, env={**os.environ, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True, text=True, errors="replace") as process:
        for line in process.stdout:
            said.append(line)
            if line.startswith("not ok"):
                os.kill(process.pid, signal.SIGTERM)
                break
        for line in process.stdout:
            said.append(line)
        status = process.wait()
    return status, "".join(said)


class Programs:
    """The selftests, which files each is for, and how long each takes."""

    def __init__(self, tree: Path, folder: Path):
        self.tree, self.folder = tree, folder
        self.base = Copy(folder / "base")
        self.took: dict = {}
        self.timing = threading.Lock()
        self.parts: dict = {}       # what each program is made of
        # Of each function, file and folder: how many mutants each program kills. Of each file's
        # name: how many of its rules each program tests.
        self.kills: dict = {}
        self.timed: set = set()

    def prepare(self) -> None:
        shutil.copytree(self.tree, self.base.folder, symlinks=True,
                        ignore=shutil.ignore_patterns(".git", "build", "*.ko", "*.o", ".*.cmd"))
        self.base.build_all()
        self.timed = self.listed("timed")
        self.find_kills(self.listed("elsewhere") | self.timed)

    def listed(self, name: str) -> set:
        said = subprocess.run(["make", "-s", "-C", "selftests", f"list_{name}"], cwd=self.tree,
                              capture_output=True, text=True, check=True).stdout
        return {f"selftests/{word}" for word in said.split()}

    def find_kills(self, programs: set) -> None:
        by_name = {Path(program).name: program for program in programs}

        def count(key, name: str) -> None:
            if name in by_name:
                self.kills.setdefault(key, Counter())[by_name[name]] += 1
        for table in tables.read_tables(self.tree / "selftests/mutants"):
            for mutant in table.mutants:
                for change in mutant.changes:
                    for key in ((change.path, change.function), change.path,
                                str(Path(change.path).parent)):
                        count(key, mutant.fields["Kills"])
            for rule in table.rules:
                for room in rule.words("Rooms"):
                    for name in rule.words("Tests"):
                        count(room, name)
        self.parts = {program: {program} for program in programs}

    def fitting(self, file: str, function: str) -> list:
        """First those that kill most mutants of the function, then of the file, then those that
        test the file's rules, then those that kill mutants of the folder.
        """
        keys = ((file, function), file, Path(file).name, str(Path(file).parent))
        names = dict.fromkeys(name for key in keys
                              for name, _ in self.kills.get(key, Counter()).most_common())
        return list(dict.fromkeys([*list(names)[:MOST - len(ALL)], *ALL]))

    def inputs(self, programs: list, test: str = "") -> str:
        """A hash of the programs. What they share is not looked at: it rarely decides."""
        del test
        total = hashlib.sha256()
        for name in sorted(programs):
            total.update((name + (self.tree / name).read_text()).encode())
        return total.hexdigest()[:12]

    def ways(self, programs: list) -> list:
        return [(name, "") for name in programs]

    def copy(self, number: str) -> Copy:
        """Of what is built. Absolute names are in it, so that all is built once more."""
        target = Copy(self.folder / number)
        shutil.copytree(self.base.folder, target.folder, symlinks=True)
        if not target.build():
            raise SystemExit("generated: a copy does not build")
        return target

    def seconds(self, program: str) -> float:
        """The time that a program may take. It is run once without a mutant, which it must pass."""
        with self.timing:
            if program not in self.took:
                began = time.monotonic()
                status, said = self.base.execute(program, program in self.timed, 1800)
                if status != 0:
                    raise SystemExit(f"generated: {program} fails without a mutant\n{said}")
                self.took[program] = time.monotonic() - began
        return TIMES * self.took[program] + SECONDS

    def judge(self, copy: Copy, program: str, way: str) -> Verdict:
        """A program against the mutant that is in the copy."""
        del way
        if not copy.build():
            return Verdict(False, "does not build", built=False)
        status, said = copy.execute(program, program in self.timed, self.seconds(program))
        failed = re.search(r"^not ok \d+ -? ?(.*)$", said, re.MULTILINE)
        if not failed and status == 0:
            return Verdict(False, "-")
        crash = re.search(r"(WARNING|BUG|Kernel panic|Call Trace).*", said)
        found = failed or crash
        return Verdict(True, found[0] if found else f"exit status {status}")
