# SPDX-License-Identifier: GPL-2.0
"""Scenarios: what a figure's runs are, out of scenarios/NAME.ini.

[fabric], [schemes] and [load] hold the keys of keys.py. [quick], [reduced] and [full]
override them by "section.key = value", and a section such as [full longer] adds runs
that differ from those of [full] once more. Several values, separated by commas, make
a run each, combined with all others. Everything is checked before anything boots.
"""
import configparser
import itertools
import re
from pathlib import Path
from typing import NamedTuple

import run_checks
import values
import workload
from keys import BY_PATH, KEYS
from one_run import Run, offered_rate, run_bytes, run_key

FOLDER = Path(__file__).resolve().parent / "scenarios"
FORMS = ("quick", "reduced", "full")
PARTS = ("fabric", "schemes", "load")
HEADER_KEYS = ("title", "claims", "most")
MOST = "4GB"            # bytes that a run of the quick and the reduced form carries


class Scenario(NamedTuple):
    name: str
    title: str
    claims: tuple
    most: int           # bytes
    base: dict          # path of a key -> text
    variants: dict      # form -> list of {path: text}


# ---- reading ----

def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.ini"))


def find(name: str) -> Scenario:
    if name not in names():
        raise ValueError(f"unknown scenario '{name}': there are {', '.join(names())}")
    return read(FOLDER / f"{name}.ini")


def parse_file(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, default_section="",
                                       inline_comment_prefixes=("#",))
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path.name))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except configparser.Error as error:
        raise ValueError(" ".join(str(error).split())) from None
    return parser


def read(path: Path) -> Scenario:
    parser = parse_file(path)
    base, variants, header = {}, {}, {}
    for section in parser.sections():
        where = f"{path.name}: [{section}]"
        items = dict(parser[section])
        form = section.split(" ")[0]
        if section == "scenario":
            header = read_header(items, where)
        elif section in PARTS:
            base.update(read_part({f"{section}.{name}": text for name, text in items.items()},
                                  where))
        elif form in FORMS and re.fullmatch(r"[a-z]+( [a-z0-9-]+)?", section):
            variants[section] = read_part(items, where)
        else:
            raise ValueError(f"{where}: unknown section")
    if not header:
        raise ValueError(f"{path.name}: no section [scenario]")
    return Scenario(path.stem, header["title"], header["claims"], header["most"], base,
                    layer(variants, path.name))


def read_header(items: dict, where: str) -> dict:
    for name in items:
        if name not in HEADER_KEYS:
            raise ValueError(f"{where} unknown key '{name}'")
    if not items.get("title"):
        raise ValueError(f"{where} has no title")
    try:
        most = values.byte_count(items.get("most", MOST))
    except ValueError as error:
        raise ValueError(f"{where} most: {error}") from None
    claims = tuple(items.get("claims", "").replace(",", " ").split())
    for claim in claims:
        if not re.fullmatch(r"[A-Z][0-9]{1,2}", claim):
            raise ValueError(f"{where} claims: '{claim}' does not look like C01")
    return {"title": items["title"], "claims": claims, "most": most}


def read_part(items: dict, where: str) -> dict:
    for path, text in items.items():
        if path not in BY_PATH:
            raise ValueError(f"{where} unknown key '{path}'")
        if text is None or not text.strip():
            raise ValueError(f"{where} {path}: no value; say none, if it may be empty")
        parse_values(path, text, where)
    return items


def parse_values(path: str, text: str, where: str) -> list:
    """One value for each that commas separate."""
    try:
        return [BY_PATH[path].kind.parse(word.strip()) for word in text.split(",")]
    except ValueError as error:
        raise ValueError(f"{where} {path}: {error}") from None


def layer(variants: dict, name: str) -> dict:
    """[full longer] starts from [full]."""
    layered = {form: [] for form in FORMS}
    for section, items in variants.items():
        form = section.split(" ")[0]
        if form not in variants:
            raise ValueError(f"{name}: [{section}] without [{form}]")
        layered[form].append({**variants[form], **items})
    return layered


# ---- runs ----

def has_form(scenario: Scenario, form: str) -> bool:
    return bool(scenario.variants[form])


def expand(scenario: Scenario, form: str) -> list[Run]:
    """The runs of a form, each once."""
    if form not in FORMS:
        raise ValueError(f"unknown form '{form}': there are {', '.join(FORMS)}")
    if not has_form(scenario, form):
        raise ValueError(f"{scenario.name}.ini: no section [{form}]")
    runs = {}
    for variant in scenario.variants[form]:
        for run in combine(scenario, {**scenario.base, **variant}):
            check_run(scenario, form, run)
            runs.setdefault(run_key(run), run)
    return list(runs.values())


def combine(scenario: Scenario, texts: dict) -> list[Run]:
    where = f"{scenario.name}.ini:"
    alternatives = [parse_values(key.path, texts.get(key.path, key.default), where)
                    for key in KEYS]
    check_meaning(scenario, texts)
    return [timed(scenario, Run(scenario.name, dict(zip(BY_PATH, combination))), texts)
            for combination in itertools.product(*alternatives)]


def timed(scenario: Scenario, run: Run, texts: dict) -> Run:
    """With the seconds in which so many transfers are expected, if a number is said."""
    if not run["load.flows"]:
        return run
    for path in ("load.seconds", "load.caps"):
        if path in texts:
            raise ValueError(f"{scenario.name}.ini: {path} beside load.flows, from which the "
                             "seconds follow by the mean of all sizes: say one of them")
    mean = float(workload.mean(workload.find(run["load.workload"])))
    seconds = run["load.flows"] * mean / offered_rate(run)
    return run._replace(values={**run.values,
                                "load.seconds": round(seconds * values.NS_PER_SECOND)})


def check_meaning(scenario: Scenario, texts: dict) -> None:
    """A key that the pattern of the load does not look at is a mistake."""
    pattern = texts.get("load.pattern", BY_PATH["load.pattern"].default)
    for path in texts:
        if pattern not in BY_PATH[path].patterns:
            raise ValueError(f"{scenario.name}.ini: {path} means nothing to the pattern "
                             f"{pattern}")


def check_run(scenario: Scenario, form: str, run: Run) -> None:
    try:
        run_checks.check(run)
        if form != "full" and run_bytes(run) > scenario.most:
            raise ValueError(f"a {form} run carries {run_bytes(run) / 1e9:.1f} GB, more than "
                             f"{scenario.most / 1e9:g} GB")
    except ValueError as error:
        raise ValueError(f"{scenario.name}.ini: [{form}] {error}") from None
