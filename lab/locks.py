# SPDX-License-Identifier: GPL-2.0
"""Locks of runs: several labs may work in one store, each on runs of its own.

A lock ends with its process, however that ends, so that no run stays locked. Its file is
store/locks/ID, and is removed before the lock is given back.
"""
import fcntl
import os
from pathlib import Path
from typing import Optional, TextIO

FOLDER = "locks"


def take(store: Path, name: str) -> Optional[TextIO]:
    """The lock of a run, or nothing: another lab has it."""
    path = store / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = open(path, "w", encoding="ascii")
        if not try_lock(file):
            file.close()
            return None
        if is_named(file, path):
            return file
        file.close()


def try_lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_named(file: TextIO, path: Path) -> bool:
    """Whether the file is still the one of that name: its last owner may have removed it
    after it was opened here."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def release(file: TextIO) -> None:
    Path(file.name).unlink()
    file.close()


def is_locked(path: Path) -> bool:
    """Whether any program has locked this file; it may not be there."""
    try:
        with open(path, encoding="ascii") as file:
            return not try_lock(file)
    except FileNotFoundError:
        return False
