# SPDX-License-Identifier: GPL-2.0
"""What a mutant changes: each operator of OPERATORS finds the places in a unit of a C file, and
yields an edit for each.

Operators are those of the literature on mutation testing (Jia and Harman, "An Analysis and
Survey of the Development of Mutation Testing", IEEE TSE 37:5, 2011), for C.
"""
import re
from typing import Iterator, NamedTuple

from clang.cindex import Cursor, CursorKind, TypeKind

from .syntax import Source, Span, Unit, descend, span


class Edit(NamedTuple):
    """A piece of the file, and the text that replaces it."""
    operator: str
    span: Span
    text: str


RELATIONAL = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",),
              "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
              "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",)}
LOGICAL = {"&&": ("||",), "||": ("&&",)}
# Those that the compiler wants in parentheses when they are mixed
MIXED = {"&", "|", "^", "&&", "||"}

LOOPS = (CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.FOR_STMT)
# Statements that are kept: without a declaration nothing compiles, and blocks have statements.
NOT_REMOVED = (CursorKind.DECL_STMT, CursorKind.COMPOUND_STMT, CursorKind.NULL_STMT,
               CursorKind.LABEL_STMT, CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT)
INTEGERS = {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.CHAR_S, TypeKind.UCHAR, TypeKind.SCHAR,
            TypeKind.USHORT, TypeKind.SHORT, TypeKind.UINT, TypeKind.INT, TypeKind.ULONG,
            TypeKind.LONG, TypeKind.ULONGLONG, TypeKind.LONGLONG, TypeKind.ENUM}
NUMBER = re.compile(r"(\d+)([uUlL]*)$")
CONSTANT = re.compile(r"0[xX][0-9a-fA-F]+[uUlL]*$|[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")


def is_integer(node: Cursor) -> bool:
    return node.type.get_canonical().kind in INTEGERS


def operator_between(source: Source, node: Cursor) -> tuple:
    """The operator of a node with two operands, as it is written, and the operands."""
    operands = list(node.get_children())
    if len(operands) != 2:
        return "", None, None
    left, right = operands
    gap = source.between(left, right)
    return (source.read(gap).strip() if gap.start < gap.end else ""), left, right


def replaced_operator(source: Source, node: Cursor, table: dict) -> Iterator[tuple]:
    """The span of an expression, and its text with another operator."""
    old, left, right = operator_between(source, node)
    for new in table.get(old, ()):
        gap = source.between(left, right)
        text = source.read(gap).replace(old, new)
        if new not in MIXED:
            yield gap, text
            continue
        yield (Span(span(left).start, span(right).end),
               f"({operand(source, left)}{text}{operand(source, right)})")


def operand(source: Source, node: Cursor) -> str:
    """An operand, in parentheses if it has operators itself."""
    word = source.word(node)
    return f"({word})" if re.search(r"[<>=&|+*/-]", word) and word[0] != "(" else word


def binary(name: str, table: dict):
    """An operator that replaces operators by those in the table."""
    def edits(source: Source, unit: Unit) -> Iterator[Edit]:
        for node, _ in descend(unit.node, unit.span):
            if node.kind == CursorKind.BINARY_OPERATOR:
                for where, text in replaced_operator(source, node, table):
                    yield Edit(name, where, text)
    return edits


def change_assignment(source: Source, unit: Unit) -> Iterator[Edit]:
    """+= becomes -=, ++ becomes --, and the like."""
    table = {f"{old}=": tuple(f"{each}=" for each in new) for old, new in ARITHMETIC.items()}
    for node, _ in descend(unit.node, unit.span):
        if node.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR:
            for where, text in replaced_operator(source, node, table):
                yield Edit("arithmetic", where, text)
        elif node.kind == CursorKind.UNARY_OPERATOR:
            word = source.word(node)
            for old, new in (("++", "--"), ("--", "++")):
                if word.startswith(old) or word.endswith(old):
                    yield Edit("arithmetic", span(node), word.replace(old, new))


def condition(source: Source, node: Cursor) -> Cursor | None:
    """The condition of a statement or of "?:"."""
    children = list(node.get_children())
    if node.kind == CursorKind.FOR_STMT:
        return for_condition(source, node, children)
    if node.kind == CursorKind.DO_STMT:
        return children[-1]
    if node.kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT):
        return children[0]
    if node.kind == CursorKind.CONDITIONAL_OPERATOR and len(children) == 3:
        gap = source.between(*children[:2])
        return children[0] if source.read(gap).strip() == "?" else None
    return None


def for_condition(source: Source, node: Cursor, children: list) -> Cursor | None:
    """What stands behind the first semicolon and before the second one."""
    for child in children[:-1]:
        before = source.read(Span(span(node).start, span(child).start))
        if before.count(";") == 1:
            return child
    return None


def negate_condition(source: Source, unit: Unit) -> Iterator[Edit]:
    """if (x) becomes if (!(x)), and what a function of type bool returns likewise."""
    boolean = unit.node.result_type.kind == TypeKind.BOOL
    for node, _ in descend(unit.node, unit.span):
        asked = condition(source, node)
        if boolean and node.kind == CursorKind.RETURN_STMT:
            asked = next(node.get_children(), None)
        if asked and source.word(asked):
            yield Edit("negate-condition", span(asked), f"!({source.word(asked)})")


def statement_span(source: Source, node: Cursor) -> Span | None:
    """A statement with its semicolon."""
    start, end = span(node)
    if source.text[end - 1:end] == b"}" and node.kind in (CursorKind.IF_STMT, *LOOPS):
        return Span(start, end)
    rest = re.match(rb"\s*;", source.text[end:])
    return Span(start, end + rest.end()) if rest else None


def is_statement(source: Source, node: Cursor, parent: Cursor) -> bool:
    """Does a node stand where a statement does, and not in the block that a macro makes?"""
    children = list(parent.get_children())
    if node.kind in NOT_REMOVED:
        return False
    if parent.kind == CursorKind.COMPOUND_STMT:
        return source.word(parent).startswith("{")
    if parent.kind == CursorKind.IF_STMT:
        return node in children[1:]
    return parent.kind in LOOPS and node == children[0 if parent.kind == CursorKind.DO_STMT else -1]


def remove_statement(source: Source, unit: Unit) -> Iterator[Edit]:
    """A statement becomes an empty block, of as many lines."""
    for node, parent in descend(unit.node, unit.span):
        where = is_statement(source, node, parent) and statement_span(source, node)
        if not where or is_last_return(node, unit):
            continue
        name = "remove-call" if node.kind == CursorKind.CALL_EXPR else "remove-statement"
        yield Edit(name, where, "{ }" + "\n" * source.read(where).count("\n"))


def is_last_return(node: Cursor, unit: Unit) -> bool:
    """Without it a function with a result would have none."""
    return node.kind == CursorKind.RETURN_STMT and span(node).end >= unit.span.end - 3


def is_value(source: Source, node: Cursor, parent: Cursor) -> bool:
    """Is a node part of a value, not of a declared type?"""
    if parent.kind != CursorKind.VAR_DECL:
        return True
    return "=" in source.read(Span(span(parent).start, span(node).start))


def constants(source: Source, unit: Unit) -> list:
    """The spans of numbers and of constants with a name."""
    found = {}
    for node, parent in descend(unit.node, unit.span):
        word = source.word(node)
        if (node.kind.is_expression() and is_integer(node) and is_value(source, node, parent)
                and (NUMBER.match(word) or CONSTANT.match(word))):
            found[span(node)] = word
    return sorted(found.items())


def change_constant(source: Source, unit: Unit) -> Iterator[Edit]:
    """A constant becomes one more, and one less."""
    for where, word in constants(source, unit):
        number = NUMBER.match(word)
        if not number:
            yield Edit("constant", where, f"({word} + 1)")
            yield Edit("constant", where, f"({word} - 1)")
            continue
        value, suffix = int(number[1], 8 if number[1].startswith("0") else 10), number[2]
        yield Edit("constant", where, f"{value + 1}{suffix}")
        if value:
            yield Edit("constant", where, f"{value - 1}{suffix}")


def swap_constant(source: Source, unit: Unit) -> Iterator[Edit]:
    """A constant becomes the next other one of the same function."""
    found = constants(source, unit)
    for index, (where, word) in enumerate(found):
        others = [other for _, other in found[index + 1:] + found[:index] if other != word]
        if others:
            yield Edit("swap-constant", where, others[0])


def swap_arguments(source: Source, unit: Unit) -> Iterator[Edit]:
    """Two neighbouring arguments change places if the compiler cannot tell."""
    for node, _ in descend(unit.node, unit.span):
        if node.kind != CursorKind.CALL_EXPR:
            continue
        arguments = list(node.get_arguments())
        for left, right in zip(arguments, arguments[1:]):
            where = Span(span(left).start, span(right).end)
            words = source.word(left), source.word(right)
            gap = source.between(left, right)
            if (all(words) and words[0] != words[1] and gap.start < gap.end
                    and source.read(gap).strip() == "," and alike(left, right)):
                yield Edit("swap-arguments", where, words[1] + source.read(gap) + words[0])


def alike(left: Cursor, right: Cursor) -> bool:
    if is_integer(left) and is_integer(right):
        return True
    return left.type.get_canonical() == right.type.get_canonical()


def result_words(unit: Unit) -> tuple:
    """What a function may return early; none for a structure."""
    kind = unit.node.result_type.get_canonical().kind
    if kind == TypeKind.VOID:
        return ("",)
    if kind == TypeKind.BOOL:
        return (" false", " true")
    if kind in INTEGERS:
        return (" 0", " 1")
    return (" NULL",) if kind == TypeKind.POINTER else ()


def return_early(source: Source, unit: Unit) -> Iterator[Edit]:
    """A function returns before one of its statements, or returns something constant."""
    if unit.node.kind != CursorKind.FUNCTION_DECL:
        return
    body = list(unit.node.get_children())[-1]
    for word in result_words(unit):
        for node in body.get_children():
            start = span(node).start
            if node.kind not in (CursorKind.DECL_STMT, CursorKind.RETURN_STMT):
                yield Edit("early-return", Span(start, start), f"return{word}; ")
        for node, _ in descend(unit.node, unit.span):
            value = next(node.get_children(), None)
            if node.kind == CursorKind.RETURN_STMT and value is not None and source.word(value):
                if source.word(value) != word.strip():
                    yield Edit("early-return", span(value), word.strip())


OPERATORS = (negate_condition, remove_statement, binary("relational", RELATIONAL),
             binary("arithmetic", ARITHMETIC), binary("logical", LOGICAL), change_assignment,
             change_constant, swap_constant, swap_arguments, return_early)


def edits(source: Source, unit: Unit) -> list:
    """All edits of a unit, each once: a macro may use its argument several times."""
    found = {edit for operator in OPERATORS for edit in operator(source, unit)}
    return sorted(found, key=lambda edit: (edit.span, edit.operator, edit.text))
