# SPDX-License-Identifier: GPL-2.0
"""What a test says of a mutant, and how programs are run.

A kind of tests that judges mutants is a module like unit.py and module.py. FILES, files() and
flags() say what is mutated, LIST what is set aside, KEPT and WARNINGS are the compiler's; its
class Programs prepares, copies, chooses and runs the tests.
"""
import os
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple


class Verdict(NamedTuple):
    """Whether a program noticed, and what it said."""
    killed: bool
    why: str
    built: bool = True


def run(command: list, folder: Path, seconds: float) -> tuple:
    """Exit status and output; the status is None if the time was not enough."""
    environment = {**os.environ, "CMOCKA_MESSAGE_OUTPUT": "TAP"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
            return process.returncode, said.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
