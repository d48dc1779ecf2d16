# SPDX-License-Identifier: GPL-2.0
"""Where the old text of a change stands in the tree, and the files with the new one."""
import functools
import re
from pathlib import Path

from tables import Change, Entry


class SourceError(Exception):
    """A change that does not apply."""


@functools.cache
def read_lines(path: Path) -> list:
    """Of a file; the last one is empty if the file ends with a newline."""
    return path.read_text().split("\n")


def is_python(path: str, lines: list) -> bool:
    return path.endswith(".py") or "python" in lines[0]


def end_of_python(lines: list, start: int) -> int:
    """Where a function ends: before the first line that is indented no more than it is."""
    depth = len(lines[start]) - len(lines[start].lstrip())
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if line.strip() and len(line) - len(line.lstrip()) <= depth and line.strip()[0] != ")":
            return index
    return len(lines)


def end_of_block(lines: list, start: int) -> int:
    """Where a function of C, shell or Lua ends; the start itself if it is only declared."""
    opened = "function" in lines[start]
    for index in range(start, len(lines)):
        line = lines[index]
        opened = opened or "{" in line
        if opened and re.match(r"}|end\b", line) or index == start and line.endswith("}"):
            return index + 1
        if not opened and line.endswith(";"):
            return start
    return start


def function_ranges(path: str, lines: list, name: str) -> list:
    """First line and end of each function of that name."""
    python = is_python(path, lines)
    head = re.compile(rf"\s*def {name}\(" if python else rf"(?![#/* \t])(.*\W)?{name}\s*\(")
    end_of = end_of_python if python else end_of_block
    starts = [index for index, line in enumerate(lines) if head.match(line)]
    ranges = [range(start, end_of(lines, start)) for start in starts]
    return [found for found in ranges if found]


def scope(change: Change, lines: list) -> range:
    """The lines among which the old text is looked for."""
    if not change.function:
        return range(len(lines))
    found = function_ranges(change.path, lines, change.function)
    if len(found) != 1:
        raise SourceError(f"{change}: the function is there {times(len(found))}")
    return found[0]


def times(count: int) -> str:
    return f"{count} times, not once"


def places(lines: list, within: range, old: list) -> list:
    """Where the old text begins."""
    return [index for index in range(within.start, within.stop - len(old) + 1)
            if lines[index:index + len(old)] == old]


def replaced(change: Change, lines: list) -> list:
    """The lines of a file after a change."""
    found = places(lines, scope(change, lines), change.old)
    if len(found) != 1:
        raise SourceError(f"{change}: the old text is there {times(len(found))}")
    return lines[:found[0]] + change.new + lines[found[0] + len(change.old):]


def mutated(mutant: Entry, tree: Path) -> dict:
    """The files that a mutant changes, by path, with the text that they have then."""
    files: dict = {}
    for change in mutant.changes:
        if not (tree / change.path).is_file():
            raise SourceError(f"{change.path}: there is no such file")
        lines = files.get(change.path) or read_lines(tree / change.path)
        files[change.path] = replaced(change, lines)
    return {path: "\n".join(lines) for path, lines in files.items()}
