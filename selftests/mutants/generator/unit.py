# SPDX-License-Identifier: GPL-2.0
"""The unit tests as judges of mutants of kmod/paper/ and kmod/policies/. module.py has others."""
import hashlib
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

from .judging import Verdict, run

LIST = "selftests/mutants/equivalent.list"
RESULTS = "unit"
FOLDER = None       # that of temporary files
# Functions that only headers have are compiled, too.
KEPT = ["-fkeep-inline-functions", "-fkeep-static-functions"]
WARNINGS = ["-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
FILES = ("kmod/paper/*.[ch]", "kmod/policies/*.[ch]")
# policy_table.h is a list that is read by macros.
NO_FILES = ("kmod/policies/policy_table.h",)
COPIED = ("kmod", "include", "lab", "selftests/unit")
UNIT = "selftests/unit"
# Each program is built in two ways: plainly, which is quick, and with sanitizers, as the unit
# tests are. Only what survives the quick programs is tested by the others.
QUICK, WHOLE = "quick", "build"
VARIABLES = {QUICK: ["INSTRUMENT=-O1", f"BUILD={QUICK}"], WHOLE: []}
# A program has as long as it needs without a mutant, so many times, and so many seconds more: a
# computer may be busy.
TIMES, SECONDS = 5, 20


def flags(tree: Path) -> list:
    """What the compiler needs to read a file: those of the unit tests' Makefile."""
    return ["-std=gnu11", f"-I{tree}/{UNIT}/include", f"-I{tree}/include", "-iquote",
            f"{tree}/kmod", "-include", f"{tree}/{UNIT}/include/linux/types.h"]


def files(tree: Path, patterns: tuple) -> list:
    found = {str(path.relative_to(tree)) for pattern in patterns for path in tree.glob(pattern)}
    return sorted(found - set(NO_FILES))


class Copy:
    """A private copy of what the unit tests are made of, with everything built."""

    def __init__(self, folder: Path):
        self.folder, self.unit = folder, folder / UNIT

    def build_all(self) -> None:
        for variables in VARIABLES.values():
            status, said = run(["make", "-s", *variables], self.unit, 1200)
            if status != 0:
                raise SystemExit(f"generated: the unit tests do not build\n{said}")

    def build(self, program: str, way: str, objects: list) -> bool:
        """A program of these objects. make builds a fuzzer when it runs it."""
        if program.startswith("fuzz_"):
            return True
        words = " ".join(f"{way}/{name}" for name in objects)
        status, _ = run(["make", "-s", *VARIABLES[way], f"OBJECTS={words}", f"{way}/{program}"],
                        self.unit, 600)
        return status == 0

    def execute(self, program: str, way: str, seconds: float) -> tuple:
        if program.startswith("fuzz_"):
            return run(["make", "-s", "run", f"TESTS={program}"], self.unit, seconds + 60)
        return run([f"{way}/{program}"], self.unit, seconds)

    def write(self, file: str, text: bytes) -> None:
        (self.folder / file).write_bytes(text)


class Programs:
    """The unit test programs, how long each takes, and what each is made of."""

    def __init__(self, tree: Path, folder: Path):
        self.tree, self.folder = tree, folder
        self.base = Copy(folder / "base")
        self.took: dict = {}
        self.timing = threading.Lock()
        self.parts: dict = {}
        self.direct: dict = {}
        self.objects: dict = {}

    def prepare(self) -> None:
        """Builds everything, and looks at what is linked."""
        for name in COPIED:
            shutil.copytree(self.tree / name, self.base.folder / name, symlinks=True,
                            ignore=shutil.ignore_patterns("build", "*.ko", "tests"))
        self.base.build_all()
        self.find_parts()

    def seconds(self, program: str, way: str) -> float:
        """The time that a program may take. It is run once without a mutant, which it must pass."""
        with self.timing:
            if (program, way) not in self.took:
                began = time.monotonic()
                status, said = self.base.execute(program, way, 900)
                if status != 0:
                    raise SystemExit(f"generated: {program} fails without a mutant\n{said}")
                self.took[program, way] = time.monotonic() - began
        return TIMES * self.took[program, way] + SECONDS

    def names(self) -> list:
        makefile = (self.base.unit / "Makefile").read_text()
        words = " ".join(re.findall(r"^TESTS\t*\s*\+?:?=(.*)$", makefile, re.MULTILINE)).split()
        return [word for word in words if re.match(r"(test|fuzz)_\w+$", word)]

    def copy(self, number: int) -> Copy:
        """Of what is built; times are kept, so that make builds only what changes."""
        target = self.folder / str(number)
        shutil.copytree(self.base.folder, target, symlinks=True)
        return Copy(target)

    def find_parts(self) -> None:
        """The files that each program is made of: its own, and those of objects it refers to."""
        build = self.base.unit / WHOLE
        symbols = {path: Symbols(path) for path in build.glob("**/*.o")}
        defined = {name: path for path, found in symbols.items()
                   if not path.name.startswith("test_") for name in found.defined}
        for program in self.names():
            own = build / f"{program}.o"
            if own in symbols:
                self.find_linked(program, own, reach(own, symbols, defined))
                near = reach(own, {own: symbols[own]}, defined)
                self.direct[program] = self.sources(own).union(
                    f"kmod/{path.relative_to(build).with_suffix('.c')}" for path in near - {own})
            else:   # a fuzzer, which make does not build with the others
                self.parts[program] = self.direct[program] = self.included(program)
                self.objects[program] = []

    def find_linked(self, program: str, own: Path, reached: set) -> None:
        folder = self.base.unit / WHOLE
        self.objects[program] = sorted(str(path.relative_to(folder)) for path in reached - {own})
        self.parts[program] = set().union(*map(self.sources, reached))

    def sources(self, path: Path) -> set:
        """The files that an object was compiled from, from the top of the tree."""
        text = path.with_suffix(".d").read_text().split(":", 1)[1].split("\n\n")[0]
        words = text.replace("\\\n", " ").split("\n")[0].split()
        return self.from_top(words)

    def included(self, program: str) -> set:
        """Likewise, of a program that make does not build with the others."""
        said = subprocess.run(["gcc", "-MM", *flags(self.base.folder), f"{program}.c"],
                              cwd=self.base.unit, capture_output=True, text=True, check=True)
        return self.from_top(said.stdout.split(":", 1)[1].replace("\\\n", " ").split())

    def from_top(self, words: list) -> set:
        folder = self.base.folder.resolve()
        return {str((self.base.unit / word).resolve().relative_to(folder)) for word in words
                if (self.base.unit / word).resolve().is_relative_to(folder)}

    def fitting(self, file: str, function: str) -> list:
        """The programs that have a file in them. First the one of its name, then those that use
        it directly.
        """
        del function
        stem = Path(file).stem.removeprefix("policy_")

        def rank(program: str) -> tuple:
            return (program.removeprefix("test_") != stem, not program.startswith(f"test_{stem}"),
                    file not in self.direct[program])
        return sorted((name for name in self.names() if file in self.parts[name]), key=rank)

    def inputs(self, programs: list, test: str = "") -> str:
        """A hash of the programs' own files, not of what they test. If a test killed a mutant, the
        other tests do not matter; if none did, the compiler's options do as well.
        """
        names = {name for program in programs for name in self.parts[program]
                 if name.startswith(f"{UNIT}/")}
        names |= set() if test else {f"{UNIT}/Makefile"}
        total = hashlib.sha256()
        for name in sorted(names):
            text = (self.base.folder / name).read_text()
            total.update((name + alone(text, test)).encode())
        return total.hexdigest()[:12]

    def ways(self, programs: list) -> list:
        """The order in which programs are to judge a mutant, each in each way."""
        return ([(name, QUICK) for name in programs if not name.startswith("fuzz_")]
                + [(name, WHOLE) for name in programs])

    def judge(self, copy: Copy, program: str, way: str) -> Verdict:
        """A program against the mutant that is in the copy."""
        if not copy.build(program, way, self.objects[program]):
            return Verdict(False, "does not build", built=False)
        status, said = copy.execute(program, way, self.seconds(program, way))
        if status is None:
            return Verdict(True, "takes too long")
        if status == 0:
            return Verdict(False, "-")
        failed = re.search(r"^not ok \d+ -? ?(.*)$", said, re.MULTILINE)
        crash = re.search(r"(ERROR: \w+Sanitizer: \S+|runtime error: .*)", said)
        found = failed or crash
        return Verdict(True, found[1] if found else f"exit status {status}")


def alone(text: str, test: str) -> str:
    """The text of a test program without comments and without its other tests."""
    head = re.compile(r"^static void (test_\w+)\(void \*\*state\)\n\{\n.*?^\}\n",
                      re.MULTILINE | re.DOTALL)
    if test not in head.findall(text):
        return text
    kept = head.sub(lambda found: found[0] if found[1] == test else "", text)
    kept = re.sub(r"/\*.*?\*/|^.*cmocka_unit_test.*$", "", kept, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\n\s*\n", "\n", kept)


def reach(start: Path, symbols: dict, defined: dict) -> set:
    """An object, and those that define what it refers to, as far as symbols are known."""
    reached, left = set(), {start}
    while left:
        path = left.pop()
        reached.add(path)
        if path in symbols:
            left |= {defined[name] for name in symbols[path].wanted if name in defined} - reached
    return reached


class Symbols:
    """The names that an object defines, and those that it wants."""

    def __init__(self, path: Path):
        said = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True)
        rows = [line.split() for line in said.stdout.splitlines()]
        self.wanted = {row[-1] for row in rows if row[-2] == "U"}
        self.defined = {row[-1] for row in rows if row[-2] in "TDRBGV"}
