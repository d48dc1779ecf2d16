# SPDX-License-Identifier: GPL-2.0
"""The tool's texts about the counters: what each counts, and what an operator can do about it."""
import re

from .description import Attribute, Description, check
from .text import c_string, first_sentence, names_of, top

PATH = "userspace/tool/counters_generated.c"

HEAD = """\
The counters: their names, what they count, and advice. The meaning is the first sentence of a \
counter's doc in the description, the advice is the second paragraph. The severity is that of a \
finding of "conga check" that the counter grew; without one it is no finding."""

SEVERITIES = ("error", "warning", "note")

INCLUDES = '#include <linux/conga.h>\n#include "tool/counters.h"\n'


def meaning(attr: Attribute) -> str:
    """As part of a line: without a full stop, and with a small letter unless initials begin it"""
    text = first_sentence(attr.doc).removesuffix(".")
    return text if re.match("[A-Z]{2}", text) else text[0].lower() + text[1:]


def split_severity(attr: Attribute) -> tuple[str, str]:
    found = re.match(r"\(([^)]*)\) (.*)", attr.for_operators)
    if not found:
        return "CONGA_SEVERITY_NONE", attr.for_operators
    check(found[1] in SEVERITIES, f"{attr.label} has the unknown severity {found[1]}")
    return f"CONGA_SEVERITY_{found[1].upper()}", found[2]


def counter(attr: Attribute) -> str:
    check(attr.for_operators, f"{attr.label} has no advice")
    severity, advice = split_severity(attr)
    strings = [names_of(attr.name), meaning(attr), advice]
    lines = ",\n".join([f"\t\t{c_string(one)}" for one in strings] + [f"\t\t{severity}"])
    return f"\t[{attr.constant}] = {{\n{lines}\n\t}},\n"


def text(description: Description) -> str:
    counters = "".join(counter(attr) for attr in description.sets["stats"].attributes
                       if attr.type != "pad")
    return (top("//", HEAD) + INCLUDES +
            f"\nconst struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1] = {{\n{counters}"
            "};\n")
