# SPDX-License-Identifier: GPL-2.0
"""The values that netlink_fuzz takes for valid, and the sentences by which others are refused."""
from .description import BITS, SPECIAL, Attribute, Description, c_name
from .sentences import refusal, refusal_of_user
from .text import fold, guarded

PATH = "selftests/tools/netlink_fuzz_rules_generated.h"

HEAD = """\
What netlink_fuzz knows of the attributes that requests take: their valid values, which of them \
dumps do not take, and the sentences by which other values are refused."""


def numbers(attr: Attribute) -> list[tuple[str, str]]:
    """Of an attribute without a range every number of its type is valid."""
    if attr.enum:
        return [("min", attr.enum.entries[0].constant), ("max", attr.enum.entries[-1].constant)]
    if attr.type not in BITS:
        return []
    if "max" not in attr.facts:
        return [("max", f"UINT{BITS[attr.type]}_MAX")]
    given = [(end, attr.fact_constant(end)) for end in ("min", "max")]
    for special in SPECIAL:
        if special in attr.facts and attr.facts[special]:
            given.append(("also", attr.fact_constant(special)))
        elif special in attr.facts:
            given.append(("zero", f"!{attr.fact_constant(special)}"))
    if "power-of" in attr.facts:
        given.append(("power", f"{attr.fact_constant('power-of')} == 2"))
    return given


def sentences(attr: Attribute) -> list[tuple[str, str]]:
    if not attr.is_limited:
        return []
    given = [("sentence", f'"{refusal(attr)}"')]
    if "min-user" in attr.facts:
        given.append(("sentence_user", f'"{refusal_of_user(attr)}"'))
    return given


def singles(description: Description) -> list[Attribute]:
    """Those that a request for one object takes, and a dump of all does not"""
    return [attr for operation in description.operations.values()
            if "dump reply" in operation.messages
            for attr in operation.messages.get("do request", [])
            if attr not in operation.messages.get("dump request", [])]


def rule(attr: Attribute, single: bool) -> str:
    members = ([("object", c_name("fuzz", attr.set)), ("attr", attr.constant)] + numbers(attr) +
               ([("single", "true")] if single else []) + sentences(attr))
    lines = "".join(f"\t\t.{name} = {value},\n" for name, value in members)
    return f"\t{{\n{lines}\t}},\n"


def text(description: Description) -> str:
    single = singles(description)
    rules = "".join(rule(attr, attr in single) for one in description.sets.values()
                    if not one.subset_of for attr in one.attributes if attr.requested)
    return guarded("NETLINK_FUZZ_RULES_GENERATED_H", HEAD,
                   ['#include <stdint.h>\n#include <linux/conga.h>\n#include "netlink_fuzz.h"\n',
                    fold(f"static const struct fuzz_rule fuzz_rules[] = {{\n{rules}}};\n")])
