# SPDX-License-Identifier: GPL-2.0
"""Whether a run does the same again: in two new machines, compared to the bit."""
import gzip
import hashlib
import shutil
from pathlib import Path

import results
import runner
from runner import Job, Lab, Machine


def digests(folder: Path) -> dict:
    """Of all that a run prints."""
    found = {}
    for name in ("facts", "transfers", "samples.gz", "counters"):
        path = folder / name
        if path.exists():
            content = path.read_bytes()
            content = gzip.decompress(content) if name.endswith(".gz") else content
            found[name] = hashlib.sha256(content).hexdigest()
    return found


def outcome(machine: Machine) -> dict:
    machine.process.wait()
    runner.collect(machine)
    return digests(machine.partial)


def repeat(lab: Lab, job: Job) -> bool:
    """Whether it was the same, which it also says. Nothing is kept."""
    machines = []
    try:
        for name in ("first", "second"):
            machine = runner.start(lab, job._replace(id=f"{job.id}-{name}"),
                                   runner.least_used(machines))
            if machine is None:
                raise ValueError(f"another lab repeats {job.id}")
            machines.append(machine)
        first, second = map(outcome, machines)
    finally:
        runner.end_all(machines)
        for machine in machines:
            shutil.rmtree(machine.partial, ignore_errors=True)
    differ = [name for name, digest in first.items() if second.get(name) != digest]
    if differ or len(first) != len(second):
        lab.say(f"{job.id}: {' '.join(differ)} not the same again")
        return False
    lab.say(f"{job.id}: {machines[0].trace.transfers} transfers, sha256 "
            f"{first['transfers'][:results.HASH_DIGITS]}")
    return True
