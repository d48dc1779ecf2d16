# SPDX-License-Identifier: GPL-2.0
"""The tool's texts about the counters: what each counts, and what an operator can do about it."""
import re

from .description import Attribute, Description, check
from .text import c_string, first_sentence, names_of, top

PATH = "userspace/tool/counters_generated.c"

HEAD = """\
The counters: their names, what they count, and advice. The meaning is the first sentence of a \
counter's doc in the description, the advice is the second paragraph."""

INCLUDES = '#include <linux/conga.h>\n#include "tool/counters.h"\n'


def meaning(attr: Attribute) -> str:
    """As part of a line: without a full stop, and with a small letter unless initials begin it"""
    text = first_sentence(attr.doc).removesuffix(".")
    return text if re.match("[A-Z]{2}", text) else text[0].lower() + text[1:]


def counter(attr: Attribute) -> str:
    check(attr.for_operators, f"{attr.label} has no advice")
    strings = [names_of(attr.name), meaning(attr), attr.for_operators]
    lines = ",\n".join(f"\t\t{c_string(one)}" for one in strings)
    return f"\t[{attr.constant}] = {{\n{lines}\n\t}},\n"


def text(description: Description) -> str:
    counters = "".join(counter(attr) for attr in description.sets["stats"].attributes
                       if attr.type != "pad")
    return (top("//", HEAD) + INCLUDES +
            f"\nconst struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1] = {{\n{counters}"
            "};\n")
