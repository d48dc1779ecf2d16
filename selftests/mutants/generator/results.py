# SPDX-License-Identifier: GPL-2.0
"""What is known of mutants: a file of one line each, to which a run adds, and from which the next
run goes on.

A result counts as long as what it depends on is the same: the mutant, whose identity includes
its function's text, and, by the column "inputs", the programs that decided. Later lines replace
earlier ones.
"""
import threading
from pathlib import Path
from typing import NamedTuple

from .candidates import Mutant

KILLED, SURVIVED = "killed", "survived"
# Those that are no mutants: the compiler rejects the change, or makes the same code of it.
REJECTED, SAME = "rejected", "same-code"
COLUMNS = ("id", "file", "function", "line", "operator", "verdict", "by", "why", "inputs", "code",
           "old", "new")


class Result(NamedTuple):
    """A line of the file."""
    id: str
    file: str
    function: str
    line: str
    operator: str
    verdict: str
    by: str = "-"       # the program that killed it
    why: str = "-"      # its test, or how it ended
    inputs: str = "-"   # a hash of the programs that decided
    code: str = "-"     # a hash of the mutant's object code
    old: str = "-"
    new: str = "-"


def cell(text: str) -> str:
    return " ".join(text.split()) or "-"


def result(mutant: Mutant, verdict: str, **more: str) -> Result:
    return Result(mutant.id, mutant.file, mutant.function, str(mutant.line),
                  mutant.edit.operator, verdict, old=cell(" ".join(mutant.old)),
                  new=cell(" ".join(mutant.new)),
                  **{name: cell(text) for name, text in more.items()})


class Results:
    """The file, and the last result of each mutant, by its identity."""

    def __init__(self, path: Path):
        self.path = path
        self.lock = threading.Lock()
        self.known: dict = {}
        if path.exists():
            for line in path.read_text().splitlines()[1:]:
                words = line.split("\t")
                if len(words) == len(COLUMNS):  # the last one of a stopped run may be short
                    self.known[words[0]] = Result(*words)

    def add(self, found: Result) -> None:
        with self.lock:
            self.known[found.id] = found
            new = not self.path.exists()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(("\t".join(COLUMNS) + "\n") * new + "\t".join(found) + "\n")

    def write(self, mutants: list) -> None:
        """Each result once, in order of file and line, without those of the same files' former
        mutants: for the archive.
        """
        ids, files = {each.id for each in mutants}, {each.file for each in mutants}
        rows = sorted((row for row in self.known.values()
                       if row.id in ids or row.file not in files),
                      key=lambda row: (row.file, int(row.line), row.id))
        self.path.write_text("".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]))
