# SPDX-License-Identifier: GPL-2.0
"""Numbers as people write them, and the sentences by which values are rejected."""
from .description import SPECIAL, Attribute, Entry

# What sentences say before a range of this unit.
NOUNS = {"ns": "a time ", "bit/s": "", "bytes": "a number of bytes ", "millionths": "a factor ",
         "bits": "a number of bits ", "entries": "a number of entries ", "port": "a UDP port ",
         "dscp": "a DSCP ", "id": "a number ", "tag": "an LBTag ", "tier": "a number ",
         "packets": "a number of packets ", "none": "a number "}
STEPS = {"ns": [(10 ** 9, "s"), (10 ** 6, "ms"), (10 ** 3, "us"), (1, "ns")],
         "bit/s": [(10 ** 12, "Tbit/s"), (10 ** 9, "Gbit/s"), (10 ** 6, "Mbit/s"),
                   (10 ** 3, "kbit/s"), (1, "bit/s")]}
MILLIONTHS = 10 ** 6


def number(value: int, unit: str) -> str:
    if unit == "millionths":
        return f"{value / MILLIONTHS:.6f}".rstrip("0").rstrip(".")
    for step, name in STEPS.get(unit, []):
        if value and not value % step:
            return f"{value // step} {name}"
    return str(value)


def either(choices: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(choices[:-1]), choices[-1]]))


def entries(attr: Attribute) -> list[Entry]:
    """Those of its enum; a default that is the last of them comes first."""
    given = attr.enum.entries
    return given[::-1] if given[-1].value == attr.facts.get("default") else given


def accepted(attr: Attribute, minimum: int) -> list[str]:
    """What is accepted, in words"""
    facts = attr.facts
    if attr.enum:
        return [entry.name for entry in entries(attr)]
    if attr.unit == "on/off":
        return ["on", "off"]
    noun = NOUNS[attr.unit]
    if "power-of" in facts:
        noun = "a power of two "
    return [special for special in SPECIAL if special in facts] + [
        f"{noun}from {number(minimum, attr.unit)} to {number(facts['max'], attr.unit)}"]


def sentence(attr: Attribute, minimum: int) -> str:
    return f"{attr.word} must be {either(accepted(attr, minimum))}"


def refusal(attr: Attribute) -> str:
    return sentence(attr, attr.facts.get("min", 0))


def refusal_of_user(attr: Attribute) -> str:
    """In a namespace where min is that of a user namespace"""
    return f"{sentence(attr, attr.facts['min-user'])} in a user namespace"
