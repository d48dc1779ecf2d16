# SPDX-License-Identifier: GPL-2.0
"""The words of the tool for the numbers of the kernel: entries of enums, and special values."""
from .description import SPECIAL, Attribute, Description, Enum
from .sentences import entries
from .text import names_of, top

PATH = "userspace/tool/choices_generated.c"

HEAD = """\
Words for numbers: of each enum, and of each attribute of a request that has special values. \
A word that is typed is written as in the description; other words, which only replies have, \
have underscores."""


def enum_array(enum: Enum) -> str:
    return f"conga_choices_{names_of(enum.name)}"


def special_array(attr: Attribute) -> str:
    return f"conga_choices_{names_of(attr.set)}_{names_of(attr.name)}"


def all_attributes(description: Description) -> list[Attribute]:
    return [attr for one in description.sets.values() if not one.subset_of
            for attr in one.attributes]


def with_specials(description: Description) -> list[Attribute]:
    """A value without a range, such as a mask, is a number even if it means off."""
    return [attr for attr in all_attributes(description) if attr.requested and
            "max" in attr.facts and any(special in attr.facts for special in SPECIAL)]


def enum_words(enum: Enum, attributes: list[Attribute]) -> list[tuple[str, str]]:
    users = [attr for attr in attributes if attr.enum is enum]
    typed = [attr for attr in users if attr.requested]
    return [(entry.word or (entry.name if typed else names_of(entry.name)), entry.constant)
            for entry in entries((typed or users)[0])]


def special_words(attr: Attribute) -> list[tuple[str, str]]:
    return [(special, attr.fact_constant(special)) for special in SPECIAL if special in attr.facts]


def table(name: str, words: list[tuple[str, str]]) -> str:
    lines = "".join(f'\t{{ "{word}", {constant} }},\n' for word, constant in words)
    return f"const struct conga_choice {name}[] = {{\n{lines}\t{{ }}\n}};\n"


def tables(description: Description) -> dict[str, list[tuple[str, str]]]:
    """The words of each table, by its name"""
    attributes = all_attributes(description)
    found = {enum_array(enum): enum_words(enum, attributes)
             for enum in description.enums.values()}
    return found | {special_array(attr): special_words(attr)
                    for attr in with_specials(description)}


def text(description: Description) -> str:
    return "\n".join(
        [top("//", HEAD) + "#include <linux/conga.h>\n"
         '#include "tool/choices_generated.h"\n#include "tool/grammar.h"\n'] +
        [table(name, words) for name, words in tables(description).items()])
