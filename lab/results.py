# SPDX-License-Identifier: GPL-2.0
"""Results: a directory for each run that ended well, named by what the run was.

    ID/settings transfers counters ... samples.gz meta.json log
    failed/ID/log ...  what was tried twice
    .ID-PID/    in progress; of a lab that was killed, removed by the next
    locks/ID    of a run in progress, locked by its lab

An ID is SCENARIO-...-KEY-INPUTS: the key is a hash of what the run is, the inputs one
of the files of the tree that decide what comes out. So what was done is found again,
and nothing is mixed up with what an older tree did.
"""
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import locks
import one_run
from one_run import Run

TREE = Path(__file__).resolve().parent.parent

# All that decides the outcome of a run beside its settings; neither tests nor what
# only reads results. The tool writes what it is told, so that its help may change.
INPUTS = ("Kbuild", "include/**/*.h", "kmod/**/*.[ch]", "selftests/tools/flowgen*.[ch]",
          "selftests/lib/lib.sh", "selftests/lib/topology*.sh", "selftests/lib/fabric.sh",
          "selftests/tools/netns_batch.c", "selftests/tools/rtnetlink.[ch]",
          "selftests/lib/balance.sh", "selftests/vm/uml.config", "selftests/vm/uml.patch",
          "lab/experiment*", "lab/*.[ch]", "lab/patterns.py", "lab/trace.py",
          "lab/workload.py", "lab/workloads/*.cdf")
HASH_DIGITS = 8

SECTION = re.compile(r"== ([a-z_]+)\n")
COUNTERS = re.compile(r"(hosts|(leaf|spine|core|host)[0-9][a-z0-9.]*)( [a-z0-9_]+ [0-9]+)+")
LAST_SECTION = "end"
LARGE_SECTIONS = ("samples", "capture")  # stored compressed


def folder() -> Path:
    """CONGA_LAB moves it."""
    return Path(os.environ.get("CONGA_LAB") or TREE / "build" / "lab").resolve()


# ---- names ----

def input_files(tree: Path = TREE) -> list[Path]:
    return sorted({path for pattern in INPUTS for path in tree.glob(pattern)
                   if path.is_file() and not path.name.endswith(".mod.c")})


def inputs_digest(tree: Path = TREE) -> str:
    """Of names and contents, as they are now, committed or not."""
    total = hashlib.sha256()
    for path in input_files(tree):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(tree)} {content}\n".encode())
    return total.hexdigest()[:HASH_DIGITS]


def run_id(run: Run, inputs: str) -> str:
    return f"{one_run.run_slug(run)}-{inputs}"


def git(*arguments: str) -> str:
    """What git says, or nothing where there is no git."""
    try:
        return subprocess.run(["git", "-C", TREE, *arguments], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def tree_state() -> dict:
    return {"commit": git("rev-parse", "HEAD") or "unknown",
            "dirty": bool(git("status", "--porcelain"))}


# ---- sections of a run's output ----

def open_section(into: Path, name: str):
    if name in LARGE_SECTIONS:
        return gzip.open(into / f"{name}.gz", "wt", encoding="utf-8")
    return open(into / name, "w", encoding="utf-8")


def split_sections(output: Path, into: Path) -> list[str]:
    """A file for each section; what comes before the first one belongs to none.

    ValueError: the output is not whole.
    """
    names, file = [], None
    with open(output, encoding="utf-8", errors="replace") as lines:
        for text in lines:
            match = SECTION.fullmatch(text)
            if match:
                if file:
                    file.close()
                names.append(match[1])
                file = open_section(into, match[1])
            elif file:
                file.write(text)
    if file:
        file.close()
    check_sections(names)
    (into / LAST_SECTION).unlink()
    return names


def check_sections(names: list[str]) -> None:
    if not names or names[-1] != LAST_SECTION:
        raise ValueError("the output has no end: it is not whole")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the output has the section {name} twice")


def read_pairs(path: Path) -> dict:
    """Lines of a name and the rest."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        name, _, value = text.partition(" ")
        found[name] = value
    return found


def read_counters(path: Path) -> list[tuple]:
    """(box, counter, value) of lines "box counter value [counter value]..."."""
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        if not COUNTERS.fullmatch(text):
            raise ValueError(f"'{text[:60]}' are no counters")
        box, *words = text.split()
        found += [(box, name, int(value)) for name, value in zip(words[::2], words[1::2])]
    return found


def count_lines(path: Path) -> int:
    with open(path, encoding="utf-8") as file:
        return sum(not text.startswith("#") for text in file)


# ---- the store ----

def new_folder(store: Path, name: str) -> Path:
    path = store / f".{name}-{os.getpid()}"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def clear_leftovers(store: Path) -> None:
    """Of labs that could not clean up; not those of labs that are at work."""
    for path in store.glob(".*-*"):
        lock = locks.take(store, path.name[1:].rpartition("-")[0])
        if lock:
            shutil.rmtree(path, ignore_errors=True)
            locks.release(lock)


def is_done(store: Path, name: str) -> bool:
    return (store / name / "meta.json").exists()


def keep(partial: Path, store: Path, name: str, meta: dict) -> None:
    """From now on the run is done: all of it appears at once."""
    (partial / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(store / name, ignore_errors=True)
    partial.rename(store / name)
    shutil.rmtree(store / "failed" / name, ignore_errors=True)


def keep_failed(partial: Path, store: Path, name: str, meta: dict) -> Path:
    path = store / "failed" / name
    (partial / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    partial.rename(path)
    return path


def stored(store: Path) -> Iterator[tuple[Path, dict]]:
    """(directory, meta) of every finished run, by name."""
    for path in sorted(store.glob("[!.]*/meta.json")):
        yield path.parent, json.loads(path.read_text(encoding="utf-8"))
