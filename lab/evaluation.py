# SPDX-License-Identifier: GPL-2.0
"""The evaluation that the tree keeps: all its tables in one archive, and a Markdown page
with the figures that carry it.

The same tables give the same bytes. An evaluation with a figure or a claim without runs
is kept only if it is said to be partial, and the page says what is missing.
"""
import io
import lzma
import tarfile
import tempfile
from pathlib import Path
from typing import Callable, NamedTuple

import numpy

import drawing
import figures
import figures_hula
import figures_tr
import judgement
import machine
import page
import ranks
import results
import tables
import verdict
from judgement import Row, WHOLE
from tables import Tables

FOLDER = results.TREE / "Documentation" / "evaluation"
ARCHIVE, PAGE = "results.tar.xz", "README.md"
INSIDE = "README"       # of the archive
IN_PAGE = ("kernel", "date", "commit")  # what made it
PAPERS = {"C": "CONGA", "L": "LetFlow", "H": "HULA", "T": "TR", "G": "none: our own"}


class Figure(NamedTuple):
    name: str           # of the file, without .svg
    draw: Callable
    command: str        # that makes its runs


# Those of the page of page.py that say most: the page has all.
FIGURES = (
    Figure("figure-2", figures.figure2, page.runs_of("fig2")),
    Figure("figure-3", figures.figure3, page.runs_of("fig3")),
    Figure("figure-9", figures.figure9, page.runs_of("fig9")),
    Figure("headline", figures.headline, page.runs_of("headline")),
    Figure("queue", figures.headline_queue, page.runs_of("headline")),
    Figure("figure-14", figures.figure14, page.runs_of("fig14")),
    Figure("figure-16", figures.figure16, page.runs_of("fig16")),
    Figure("schemes", figures.schemes(*ranks.FABRICS[:4]), page.runs_of("schemes")),
    Figure("grey", figures.grey, page.runs_of("grey")),
    Figure("fat-tree-cut", figures_hula.fat_tree_cut, page.runs_of("fattree-cut")),
    Figure("tr", figures_tr.tr_sizes("datamining"), page.runs_of("tr")),
    Figure("reaction", figures.overload, "lab/reaction.py"),
)


# ---- the archive ----

def pack(folder: Path, archive: Path) -> None:
    """All files of a folder; no times, no owners. In one step."""
    part = archive.with_name(archive.name + ".new")
    with tarfile.open(part, "w:xz", format=tarfile.USTAR_FORMAT, preset=9) as tar:
        for path in sorted(folder.iterdir()):
            content = path.read_bytes()
            member = tarfile.TarInfo(path.name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    part.replace(archive)


def content_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if "/" in member.name or not member.isfile():
        raise tarfile.TarError(f"{member.name} is no file of one folder")
    file = tar.extractfile(member)
    return file.read() if file else b""


def read_archive(archive: Path) -> dict:
    """{name: content}"""
    try:
        with tarfile.open(archive, "r:xz") as tar:
            return {member.name: content_of(tar, member) for member in tar}
    except (OSError, tarfile.TarError, lzma.LZMAError) as error:
        raise ValueError(f"{archive} cannot be read: {error}") from None


def unpack(archive: Path, into: Path) -> int:
    """How many files; other tables in the folder are removed."""
    files = read_archive(archive)
    into.mkdir(parents=True, exist_ok=True)
    for path in into.glob("*.csv"):
        path.unlink()
    for name, content in files.items():
        (into / name).write_bytes(content)
    return len(files)


# ---- what made it ----

def made(found: Tables, *facts: str) -> list[str]:
    """Lines: a fact and its values, with the number of runs that have each."""
    values: dict = {}
    for row in machine.rows(found.runs):
        if row["fact"] in (facts or (row["fact"],)):
            values.setdefault(row["fact"], []).append(f"{row['value']} ({row['runs']} runs)")
    return [f"{name}: {', '.join(some)}" for name, some in values.items()]


def cost(found: Tables) -> str:
    """Time of computing: each run has a processor to itself. What failed is not in the tables."""
    seconds, sent = (numpy.nansum([tables.number(run.get(name)) for run in found.runs])
                     for name in ("wall_seconds", "bytes"))
    return (f"time: {seconds / 3600:.1f} hours of a processor, for {sent / 1e12:.1f} TB of "
            "goodput")


def inside(found: Tables) -> str:
    return "\n".join(["The tables of an evaluation, made by lab/lab csv, and packed by",
                      "lab keep; lab/README.md describes them. Their runs were made on:",
                      "", *made(found)]) + "\n"


# ---- the page ----

def cell(text: str) -> str:
    return text.replace("|", r"\|")


def line(*cells: str) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def head(*names: str) -> list[str]:
    return [line(*names), "|" + "---|" * len(names)]


def measured(row: Row) -> str:
    """Without an interval that has no end."""
    return row.measured if "inf" in (row.high95, row.low95) else judgement.interval(row)


def by_paper(rows: list[Row]) -> list[str]:
    """How many claims have which verdict, paper by paper."""
    kinds = [one for one in reversed(verdict.WORST_FIRST)
             if any(row.verdict == one for row in rows)]
    lines = head("paper", *kinds)
    for letter, paper in PAPERS.items():
        names = [[row.claim for row in rows if row.verdict == one and row.claim[0] == letter]
                 for one in kinds]
        if any(names):
            lines.append(line(paper, *(f"{len(some)}: {' '.join(some)}" if some else "0"
                                       for some in names)))
    return lines


def verdicts(rows: list[Row]) -> list[str]:
    judged = judgement.judged(rows)
    return [f"{judgement.summary(rows)}.", "", *by_paper(judged), "",
            *head("claim", "what the paper says", "verdict", "measured (95 %)", "published",
                  "case"),
            *(line(row.claim, row.says, row.verdict, measured(row), row.published, row.point)
              for row in judged)]


def marks(name: str) -> tuple:
    return f"<!-- {name}: written by lab keep -->\n", f"<!-- end of {name} -->\n"


def replaced(text: str, name: str, lines: list[str]) -> str:
    """The page with this block of it written again."""
    start, end = marks(name)
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise ValueError(f"the page has no block between '{start.strip()}' and '{end.strip()}'")
    before, rest = text.split(start)
    return before + start + "\n" + "\n".join(lines) + "\n\n" + end + rest.split(end)[1]


def read_page(folder: Path) -> str:
    try:
        return (folder / PAGE).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{folder} has no page to be written again: {error}") from None


def written(text: str, found: Tables, rows: list[Row], missing: list[str]) -> str:
    facts = [*made(found, *IN_PAGE), cost(found)]
    if missing:
        facts.append(f"without data: {' '.join(missing)}")
    text = replaced(text, "verdicts", verdicts(rows))
    return replaced(text, "runs", [f"- {fact}" for fact in facts])


# ---- to keep it ----

def without_data(rows: list[Row], drawn: set) -> list[str]:
    """drawn: names of the figures that there are"""
    return [one.name for one in FIGURES if one.name not in drawn] + [
        row.claim for row in rows if row.part == WHOLE and row.verdict == verdict.NOT_MEASURED]


def keep(source: Path, into: Path, partial: bool = False) -> list[str]:
    """Writes archive, figures and page of an evaluation, and returns what it has no data for."""
    found = page.compact(tables.read(source))
    rows = judgement.judge_all(found)
    drawings = {one.name: one.draw(found) for one in FIGURES}
    pictures = {name: picture for name, picture in drawings.items() if picture is not None}
    missing = without_data(rows, set(pictures))
    if missing and not partial:
        raise ValueError(f"{source} is not kept: it has no data for {', '.join(missing)}")
    text = written(read_page(into), found, rows, missing)
    with tempfile.TemporaryDirectory() as folder:
        page.write_tables(found, Path(folder))
        judgement.write(rows, Path(folder, "verdicts.csv"))
        Path(folder, INSIDE).write_text(inside(found), encoding="utf-8")
        pack(Path(folder), into / ARCHIVE)
    for one in FIGURES:
        (into / f"{one.name}.svg").unlink(missing_ok=True)
    for name, picture in pictures.items():
        (into / f"{name}.svg").write_text(drawing.document(picture), encoding="utf-8")
    (into / PAGE).write_text(text, encoding="utf-8")
    return missing
