# SPDX-License-Identifier: GPL-2.0
"""What a word of a scenario may say: numbers, rates, times, bytes, names.

Each parser takes the text and returns the value in base units (bit/s, ns, bytes), or
refuses it with a ValueError that says what is expected. Each shell_ function writes
the value as the experiment reads it.
"""
import itertools
import re
from fractions import Fraction
from typing import Any, Callable, NamedTuple

NS_PER_SECOND = 10 ** 9
NS_PER_MS = 10 ** 6
NS_PER_US = 1000
NONE = "none"

RATE_UNITS = {"bit": 1, "kbit": 10 ** 3, "mbit": 10 ** 6, "gbit": 10 ** 9}
TIME_UNITS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}
BYTE_UNITS = {"": 1, "KB": 10 ** 3, "MB": 10 ** 6, "GB": 10 ** 9}

NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)")


class Kind(NamedTuple):
    parse: Callable[[str], Any]
    shell: Callable[[Any], str] = str


def measured(text: str, units: dict, what: str) -> int:
    """A number with one of `units`; a whole multiple of the smallest."""
    match = NUMBER.fullmatch(text)
    if not match or match[2] not in units:
        known = " ".join(unit for unit in units if unit)
        raise ValueError(f"'{text}' is no {what}: a number and one of {known}")
    value = Fraction(match[1]) * units[match[2]]
    if value.denominator != 1:
        raise ValueError(f"'{text}' is finer than the unit {next(iter(units)) or 'byte'}")
    return int(value)


def time_between(least: str, most: str) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not time(least) <= time(text) <= time(most):
            raise ValueError(f"'{text}' is no time from {least} to {most}")
        return time(text)
    return parse


def whole_ms(parse: Callable[[str], int]) -> Callable[[str], int]:
    """A time of the same parser, in ns, that is a whole number of ms."""
    def parse_ms(text: str) -> int:
        if parse(text) % NS_PER_MS:
            raise ValueError(f"'{text}' is finer than the unit ms")
        return parse(text)
    return parse_ms


def positive(value: int, text: str) -> int:
    if value <= 0:
        raise ValueError(f"'{text}' is not above 0")
    return value


def rate(text: str) -> int:
    """bit/s"""
    return positive(measured(text, RATE_UNITS, "rate"), text)


def time(text: str) -> int:
    """ns"""
    return measured(text, TIME_UNITS, "time")


def duration(text: str) -> int:
    """ns, of something that takes time"""
    return positive(time(text), text)


def byte_count(text: str) -> int:
    return positive(measured(text, BYTE_UNITS, "number of bytes"), text)


def optional(parse: Callable[[str], Any], nothing: str = NONE) -> Callable[[str], Any]:
    """The same, or "none"."""
    return lambda text: None if text == nothing else parse(text)


def load(text: str) -> Fraction:
    """Of the healthy capacity: 60% or 0.6"""
    match = NUMBER.fullmatch(text)
    if not match or match[2] not in ("", "%"):
        raise ValueError(f"'{text}' is no load: a number such as 60% or 0.6")
    value = Fraction(match[1]) / (100 if match[2] else 1)
    if not 0 < value <= 1:
        raise ValueError(f"a load of {text} is not above 0 and at most 100%")
    return value


def integer(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]+", text) or not least <= int(text) <= most:
            raise ValueError(f"'{text}' is no whole number from {least} to {most}")
        return int(text)
    return parse


def choice(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"unknown name '{text}': there are {', '.join(names)}")
        return text
    return parse


def words(pattern: str, example: str) -> Callable[[str], tuple]:
    """Words that all match, as a tuple; "none" or nothing: no words."""
    def parse(text: str) -> tuple:
        found = () if text == NONE else tuple(text.split())
        for word in found:
            if not re.fullmatch(pattern, word):
                raise ValueError(f"'{word}' does not look like {example}")
        return found
    return parse


def options(known: dict) -> Callable[[str], str]:
    """Names, each followed by what its parser in `known` takes, as a text."""
    def parse(text: str) -> str:
        found = [] if text == NONE else text.split()
        for name, value in itertools.zip_longest(found[::2], found[1::2]):
            if name not in known:
                raise ValueError(f"unknown option '{name}': there are {', '.join(known)}")
            if value is None:
                raise ValueError(f"the option {name} has no value")
            if found[::2].count(name) > 1:
                raise ValueError(f"the option {name} is there twice")
            known[name](value)
        return " ".join(found)
    return parse


def shell_rate(value: int) -> str:
    return f"{value}bit"


def shell_time(value: int) -> str:
    return f"{value}ns"


def shell_ms(value: int) -> str:
    return f"{value // NS_PER_MS}ms"


def shell_seconds(value: int) -> str:
    return f"{value / NS_PER_SECOND:.9f}".rstrip("0").rstrip(".")


def shell_number(value: Fraction) -> str:
    return f"{float(value):g}"


def shell_us(value: int) -> str:
    return str(value // NS_PER_US)


def shell_words(value: tuple) -> str:
    return " ".join(value)


def shell_optional(shell: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else shell(value)
