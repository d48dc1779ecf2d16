# SPDX-License-Identifier: GPL-2.0
"""How the tool writes the attributes of a request, for its tables, its help and its manual page."""
from dataclasses import dataclass, field

from .choices import enum_array, special_array, with_specials
from .description import Attribute, Description, check
from .sentences import accepted

# The struct conga_kind that reads a value of this unit, and the type of the attribute; for other
# units the kind of the type.
KINDS = {"ns": ("time", "u64"), "bit/s": ("rate", "u64"), "millionths": ("fraction", "u32"),
         "id": ("id", "u32"), "dscp": ("id", "u32")}
TYPES = ("u8", "u16", "u32")

# What help and manual write for a value of this unit
PLACES = {"ns": "TIME", "bit/s": "RATE", "bytes": "BYTES", "millionths": "FRACTION",
          "bits": "BITS", "entries": "ENTRIES", "port": "PORT", "tag": "TAG"}


@dataclass
class Keyword:
    """A row of struct conga_keyword"""
    word: str
    kind: str
    choices: str = "NULL"
    flags: list[str] = field(default_factory=list)


# Keywords that are more than a word with a number, by (set, attribute). The files of the tool that
# use the tables have their kinds.
BY_HAND = {
    ("fabric", "policy"): Keyword("policy", "conga_fabric_kind_policy"),
    ("fabric", "opt-out-mark"): Keyword("opt-out", "conga_fabric_kind_opt_out",
                                        "conga_fabric_kind_opt_outs", ["REPEATED"]),
    ("fabric", "local4"): Keyword("local", "conga_fabric_kind_local",
                                  "conga_fabric_kind_local_off", ["REPEATED"]),
    ("port", "ifindex"): Keyword("dev", "conga_kind_dev", flags=["BARE"]),
    ("leaf", "addr4"): Keyword("ADDR", "conga_kind_leaf", flags=["NAMELESS"]),
}
# Attributes that are written together with another one, or that only programs write
UNWRITTEN = (("fabric", "param"), ("fabric", "opt-out-mask"), ("fabric", "local6"),
             ("port", "origin"), ("leaf", "addr6"), ("leaf", "origin"))
SAME_KEYWORD = (("fabric", "opt-out-dscp"),)    # as the attribute before it
VALUES = {("fabric", "policy"): ["NAME [ PARAM VALUE ]..."],
          ("fabric", "opt-out-mark"): ["VALUE[/MASK]", "off"]}
AGAIN = (("fabric", "local4"),)                 # may be given again, though not repeated


def kind(attr: Attribute) -> str:
    name, of_type = KINDS.get(attr.unit, (attr.type, attr.type if attr.type in TYPES else ""))
    check(attr.type == of_type, f"the tool cannot write {attr.label}, a number of type "
          f"{attr.type} and of unit {attr.unit or 'none'}")
    return f"conga_kind_{name}"


def keyword(attr: Attribute, description: Description) -> Keyword:
    """Of an attribute that has one"""
    known = BY_HAND.get((attr.set, attr.name))
    if known:
        return Keyword(known.word, known.kind, known.choices, list(known.flags))
    flags = ["REPEATED"] if attr.repeated else []
    if attr.enum:
        return Keyword(attr.word, "conga_kind_choice", enum_array(attr.enum), flags)
    if attr.unit == "on/off":
        return Keyword(attr.word, "conga_kind_choice", "conga_args_on_off", flags)
    special = special_array(attr) if attr in with_specials(description) else "NULL"
    return Keyword(attr.word, kind(attr), special, flags)


def written(description: Description, operation: str) -> list[Attribute]:
    """Those of a request that people write, in the order of its list"""
    return [attr for attr in description.operations[operation].messages["do request"]
            if (attr.set, attr.name) not in UNWRITTEN]


def keywords(description: Description, operation: str) -> list[tuple[Attribute, Keyword]]:
    return [(attr, keyword(attr, description)) for attr in written(description, operation)
            if (attr.set, attr.name) not in SAME_KEYWORD]


# ---- help and manual ----

def values(attr: Attribute) -> list[str]:
    """What may follow the word: words as they are typed, and PLACES of values"""
    if (attr.set, attr.name) in VALUES:
        return VALUES[attr.set, attr.name]
    if attr.enum or attr.unit == "on/off":
        return accepted(attr, 0)
    place = "ADDR" if attr.big_endian else PLACES.get(attr.unit, "NUMBER")
    return (["auto"] if "auto" in attr.facts else []) + [place] + (
        ["off"] if "off" in attr.facts else [])


def usage(attr: Attribute) -> str:
    given = values(attr)
    value = f"{{ {' | '.join(given)} }}" if len(given) > 1 else given[0]
    again = "..." if attr.repeated or (attr.set, attr.name) in AGAIN else ""
    return f"[ {attr.word} {value} ]{again}"
