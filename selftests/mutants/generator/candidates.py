# SPDX-License-Identifier: GPL-2.0
"""The mutants that the operators make of files, each with an identity of its own, and the order
in which a seed draws them.

The identity of a mutant follows from its file, its function's text and its change. So it stays
the same while only other functions change, and so does the order of the others.
"""
import hashlib
from pathlib import Path
from typing import NamedTuple

from .operators import Edit, edits
from .syntax import Source, Span


class Mutant(NamedTuple):
    """One change of one file."""
    id: str
    file: str       # from the top of the tree
    function: str   # or variable
    line: int
    edit: Edit
    old: tuple      # the lines that change, and those that they become
    new: tuple
    whole: bytes    # the file when it was parsed: it may be edited during a campaign

    def text(self) -> bytes:
        """The file with the change."""
        start, end = self.edit.span
        return self.whole[:start] + self.edit.text.encode() + self.whole[end:]


def digest(*parts) -> str:
    return hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()


def lines_of(text: bytes, where: Span) -> Span:
    """The whole lines that hold a span."""
    start = text.rfind(b"\n", 0, where.start) + 1
    end = text.find(b"\n", max(where.end, start))
    return Span(start, len(text) if end < 0 else end)


def mutant(source: Source, file: str, unit, edit: Edit) -> Mutant:
    whole = lines_of(source.text, edit.span)
    old = source.read(whole)
    head = source.text[whole.start:edit.span.start].decode()
    tail = source.text[edit.span.end:whole.end].decode()
    new = (head + edit.text + tail).rstrip()
    at = (edit.span.start - unit.span.start, edit.span.end - unit.span.start)
    name = digest(file, unit.name, source.read(unit.span), edit.operator, *at, edit.text)[:12]
    line = source.text.count(b"\n", 0, edit.span.start) + 1
    return Mutant(name, file, unit.name, line, edit, tuple(old.split("\n")),
                  tuple(each.rstrip() for each in new.split("\n") if each.strip()),
                  source.text)


def candidates(tree: Path, file: str, flags: list) -> list:
    """All mutants of a file, in the order of the file."""
    source = Source(tree / file, flags)
    return [mutant(source, file, unit, edit)
            for unit in source.units() for edit in edits(source, unit)]


def draw(mutants: list, seed: int) -> list:
    """The order in which a seed takes mutants."""
    return sorted(mutants, key=lambda each: digest(seed, each.id))
