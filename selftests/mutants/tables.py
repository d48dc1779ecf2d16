# SPDX-License-Identifier: GPL-2.0
"""The tables of rules and mutants: what a .table file looks like, and how it is read.

    Subject: the heading in Documentation/developer/proofs.md
    Paragraphs that stand below the heading.

    Rule: a sentence that must hold
    Paper: 3.2                          (may be left out: no paper has the rule)
    Rooms: dre.c                        (the files that hold the rule)
    Tests: test_dre, exact_dre.sh       (those that fail when it is broken)

    Mutant: a-name
    Effect: One sentence on what goes wrong.
    Kills: test_dre                     (the test that must fail, one of the rule's)
    Kernel: uml-debug                   (where it needs another one than the test)
    @@ kmod/paper/dre.c conga_dre_metric()
     a line that stays
    -a line that goes
    +a line that comes

A mutant belongs to the rule above it. The lines that stay and those that go must be found
exactly once, in a row, in that function, or in the file if no function is named. A mutant
has as many "@@" as it needs. A long field goes on in the next line, indented. A table may
have kinds instead of rules: "Kind", "Met", "Siblings", "Tests", and "Mutants" of other
tables.
"""
import re
from pathlib import Path
from typing import NamedTuple

FIELDS = {
    "Subject": (),
    "Rule": ("Paper", "Rooms", "Tests"),
    "Mutant": ("Effect", "Kills", "Kernel"),
    "Kind": ("Met", "Siblings", "Tests", "Mutants"),
}
OPTIONAL = ("Paper", "Kernel")
FIELD = re.compile(r"([A-Z][a-z]+):\s+(.*)")
CHANGE = re.compile(r"@@ (\S+)(?: (\w+)\(\))?$")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*$")


class TableError(Exception):
    """A table that cannot be read, with its file and line."""


class Change(NamedTuple):
    """Lines of a file, or of one of its functions, that become others."""
    path: str
    function: str | None
    lines: list

    @property
    def old(self) -> list:
        return [line[1:] for line in self.lines if line[0] in " -"]

    @property
    def new(self) -> list:
        return [line[1:] for line in self.lines if line[0] in " +"]

    def __str__(self) -> str:
        return self.path + (f" {self.function}()" if self.function else "")


class Entry:
    """A subject, rule, mutant or kind, as it stands in a table."""

    def __init__(self, sort: str, title: str, where: str):
        self.sort, self.title, self.where = sort, title, where
        self.fields: dict = {}
        self.text: list = []        # the paragraphs of a subject
        self.changes: list = []     # of a mutant
        self.mutants: list = []     # of a rule

    def words(self, field: str) -> list:
        """The names in a field that is a list."""
        return [word.strip() for word in self.fields.get(field, "").split(",") if word.strip()]


class Reader:
    """Reads one table, line by line."""

    def __init__(self, name: str):
        self.name = name
        self.entries: list = []
        self.field: str | None = None   # the one that the next line may go on with

    def read(self, text: str) -> list:
        for number, line in enumerate(text.split("\n"), 1):
            where = f"{self.name}:{number}"
            if not (self.starts(line, where) or self.goes_on(line)):
                raise TableError(f"{where}: neither a field nor a change: {line}")
        for entry in self.entries:
            check_entry(entry)
        return self.entries

    def starts(self, line: str, where: str) -> bool:
        """Is it the first line of an entry, a field or a change?"""
        field, change = FIELD.match(line), CHANGE.match(line)
        last = self.entries[-1] if self.entries else None
        if field and field[1] in FIELDS:
            self.entries.append(Entry(field[1], field[2], where))
            self.field = "title"
        elif field and last and field[1] in FIELDS[last.sort] and field[1] not in last.fields:
            last.fields[field[1]] = field[2]
            self.field = field[1]
        elif change and last and last.sort == "Mutant":
            last.changes.append(Change(change[1], change[2], []))
            self.field = None
        else:
            return False
        return True

    def goes_on(self, line: str) -> bool:
        """Does it belong to what the line before it belongs to?"""
        if not self.entries:
            return not line
        last = self.entries[-1]
        if self.field and line.startswith(" "):
            self.extend(last, line.strip())
        elif last.sort == "Subject":
            last.text.append(line)
            self.field = None
        elif line and line[0] in " +-" and last.changes:
            last.changes[-1].lines.append(line)
        else:
            return not line
        return True

    def extend(self, entry: Entry, more: str) -> None:
        if self.field == "title":
            entry.title += " " + more
        else:
            entry.fields[self.field] += " " + more


def check_entry(entry: Entry) -> None:
    """It has all that it must have."""
    for field in FIELDS[entry.sort]:
        if field not in OPTIONAL and not entry.fields.get(field):
            raise TableError(f"{entry.where}: no {field}: {entry.title}")
    if entry.sort != "Mutant":
        return
    if not NAME.match(entry.title):
        raise TableError(f"{entry.where}: not a name of small letters, digits and dashes: "
                         f"{entry.title}")
    if not entry.changes:
        raise TableError(f"{entry.where}: no change: {entry.title}")
    for change in entry.changes:
        if not change.old or change.old == change.new:
            raise TableError(f"{entry.where}: a change without old text, or that changes "
                             f"nothing: {entry.title}: {change}")


class Table(NamedTuple):
    """A subject: its rules, each with its mutants, or its kinds."""
    name: str
    subject: Entry
    rules: list
    kinds: list

    @property
    def mutants(self) -> list:
        return [mutant for rule in self.rules for mutant in rule.mutants]


def table_of(name: str, entries: list) -> Table:
    """Each mutant is put to the rule above it."""
    if not entries or entries[0].sort != "Subject":
        raise TableError(f"{name}: does not begin with a subject")
    table = Table(name, entries[0], [], [])
    for entry in entries[1:]:
        if entry.sort == "Mutant" and table.rules:
            table.rules[-1].mutants.append(entry)
        elif entry.sort in ("Rule", "Kind"):
            (table.rules if entry.sort == "Rule" else table.kinds).append(entry)
        else:
            raise TableError(f"{entry.where}: a second subject, or a mutant without a rule: "
                             f"{entry.title}")
    return table


def read_tables(folder: Path) -> list:
    """All tables of a folder, by name."""
    return [table_of(path.stem, Reader(path.name).read(path.read_text()))
            for path in sorted(folder.glob("*.table"))]
