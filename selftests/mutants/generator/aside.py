# SPDX-License-Identifier: GPL-2.0
"""Mutants that were set aside by hand, since no test can notice them: ../equivalent.list, and
../equivalent_module.list for what the selftests judge.

    @@ kmod/paper/dre.c conga_dre_metric()
    -a line that goes
    +a line that comes
    Reason: one sentence, which may go on
      in an indented line.

All mutants of a function that replace these lines by those are meant.
"""
from pathlib import Path
from typing import NamedTuple

from .candidates import Mutant


class ListFault(Exception):
    """A list that cannot be read."""


class Aside(NamedTuple):
    """A mutant that is set aside, with the reason."""
    file: str
    function: str
    old: tuple
    new: tuple
    reason: str

    list: str       # the name of the list

    def means(self, mutant: Mutant) -> bool:
        return ((self.file, self.function) == (mutant.file, mutant.function)
                and (self.old, self.new) == (stripped(mutant.old), stripped(mutant.new)))


def stripped(lines: tuple) -> tuple:
    return tuple(line.strip() for line in lines if line.strip())


def read(tree: Path, name: str) -> list:
    path = tree / name
    text = path.read_text() if path.exists() else ""
    entries = [entry for entry in text.split("\n\n") if "@@ " in entry]
    return [parse(name, entry.strip("\n").split("\n")) for entry in entries]


def parse(name: str, lines: list) -> Aside:
    lines = [line for line in lines if not line.startswith("#")]
    head, *rest = lines
    words = head.split()
    changes = [line for line in rest if line[:1] in ("-", "+")]
    reason = " ".join(line.strip() for line in rest[len(changes):])
    if len(words) != 3 or words[0] != "@@" or not reason.startswith("Reason: "):
        raise ListFault(f"{name}: no mutant with a reason: {head}")
    return Aside(words[1], words[2].removesuffix("()"),
                 *(stripped(tuple(line[1:] for line in changes if line[0] == sign))
                   for sign in "-+"), reason.removeprefix("Reason: "), name)


def entry(mutant: Mutant, reason: str) -> str:
    """A mutant as the list has it."""
    lines = [f"@@ {mutant.file} {mutant.function}()"]
    lines += [f"-{line}" for line in mutant.old] + [f"+{line}" for line in mutant.new]
    return "\n".join([*lines, f"Reason: {reason}"]) + "\n"


def find(known: list, mutant: Mutant) -> Aside | None:
    return next((each for each in known if each.means(mutant)), None)


def stale(known: list, mutants: list) -> list:
    """Entries that no mutant has any more, a sentence each."""
    return [f"{each.list}: {each.file} {each.function}(): no such mutant: {' '.join(each.new)}"
            for each in known if not any(each.means(mutant) for mutant in mutants)]
