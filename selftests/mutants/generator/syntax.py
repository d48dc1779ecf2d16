# SPDX-License-Identifier: GPL-2.0
"""The syntax of a C file, by libclang, with the places of everything in the file's own text.

A macro's argument has its place in the file, and what a macro expands to has the place of the
macro's name: so that only what is written in the file can be changed.
"""
import ctypes
from pathlib import Path
from typing import Iterator, NamedTuple

from clang import cindex
from clang.cindex import Cursor, CursorKind

LIBRARY = cindex.conf.lib


class SyntaxFault(Exception):
    """A file that the parser does not understand."""


class Span(NamedTuple):
    """From one byte of a file to before another one."""
    start: int
    end: int


def place(location: cindex.SourceLocation) -> int:
    """The byte in the file at which a location was written; macro arguments have their own."""
    numbers = [ctypes.c_uint() for _ in range(3)]
    file = cindex.c_object_p()
    LIBRARY.clang_getFileLocation(location, ctypes.byref(file),
                                  *(ctypes.byref(number) for number in numbers))
    return numbers[2].value


def span(node: Cursor) -> Span:
    return Span(place(node.extent.start), place(node.extent.end))


class Unit(NamedTuple):
    """A function, or a variable with an initial value: what a mutant belongs to."""
    name: str
    node: Cursor
    span: Span


class Source:
    """A C file, parsed."""

    def __init__(self, path: Path, flags: list):
        self.path = path
        self.text = path.read_bytes()
        self.tree = cindex.Index.create().parse(
            str(path), args=["-x", "c", "-Wno-everything", *flags])
        errors = [str(fault) for fault in self.tree.diagnostics
                  if fault.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SyntaxFault("\n".join(errors))

    def read(self, where: Span) -> str:
        return self.text[where.start:where.end].decode()

    def word(self, node: Cursor) -> str:
        """The text of a node, empty if it is not written in one piece."""
        where = span(node)
        return self.read(where) if where.start < where.end else ""

    def between(self, left: Cursor, right: Cursor) -> Span:
        return Span(span(left).end, span(right).start)

    def units(self) -> Iterator[Unit]:
        """The functions with a body and the variables with a value that this file defines."""
        for node in self.tree.cursor.get_children():
            if not self.owns(node):
                continue
            if node.kind == CursorKind.FUNCTION_DECL and node.is_definition():
                yield Unit(node.spelling, node, span(node))
            elif node.kind == CursorKind.VAR_DECL and "=" in self.word(node):
                yield Unit(node.spelling, node, span(node))

    def owns(self, node: Cursor) -> bool:
        file = node.location.file
        return file is not None and file.name == str(self.path)


def descend(node: Cursor, within: Span) -> Iterator[tuple]:
    """Each node and its parent, of those that are written within a span."""
    for child in node.get_children():
        where = span(child)
        inside = within.start <= where.start <= where.end <= within.end
        if inside and where.start < where.end:
            yield child, node
        yield from descend(child, within)
