# SPDX-License-Identifier: GPL-2.0
"""Runs: each in a machine of its own, as many at a time as told, the longest first.

What is done already is not done again. A run that fails is tried once more, then put
aside with its log, and the others go on. Several labs may share a store: none makes a run
that another one is at.
"""
import contextlib
import datetime
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from pathlib import Path
from typing import Callable, NamedTuple, Optional, TextIO

import elsewhere
import locks
import one_run
import progress
import results
import scenario
import trace
from keys import BY_PATH, KEYS, MTU_MAX
from one_run import Run
from trace import Trace

SELFTESTS = results.TREE / "selftests"
EXPERIMENT = results.TREE / "lab" / "experiment"

BYTES_PER_SECOND = 80e6         # of goodput, by one processor, with frames of 1500
SLOWER = {"mptcp": 8}           # times as long for a byte
JUMBO_FASTER = 4                # times as fast with frames of 9000
OVERHEAD_SECONDS = 4            # to boot, to build the fabric, to store what came out
SLOWEST_BYTES_PER_SECOND = 2e6  # below that something is wrong
SLOWEST_OVERHEAD_SECONDS = 900
MEMORY_MB, MEMORY_PER_HOST_MB = 2048, 16
# Linux has a list of MPTCP's tokens for each MB of memory and none longer than 4: of 11,000
# tokens in 3 GB it refuses some, and those connections have a single subflow.
MULTIPATH_MEMORY_MB = 16384

SECTIONS = ("facts", "transfers", "counters")   # that every run has
ATTEMPTS = 2
POLL_SECONDS = 0.2
TELL_SECONDS = 30               # between two lines about a run that goes on
STOP_SECONDS = 15               # until a machine that was asked to end is killed

# The machine has file systems of its own there
HIDDEN = ("/tmp", "/run", "/dev", "/proc", "/sys")


class Job(NamedTuple):
    id: str
    form: str
    run: Run
    bytes: int      # about
    attempt: int = 1

    @property
    def work(self) -> int:
        return self.bytes * effort(self.run)


class Machine(NamedTuple):
    job: Job
    process: subprocess.Popen
    partial: Path
    trace: Trace
    started: float
    processor: int
    lock: TextIO


class Lab(NamedTuple):
    store: Path
    inputs: str
    at_once: int
    command: Callable[[Path, Run], list]
    say: Callable[[str], None]


def say(text: str) -> None:
    print(f"lab: {text}", flush=True)


# ---- what is to be done ----

def slowness(run: Run) -> int:
    return SLOWER.get(run["schemes.names"], 1)


def effort(run: Run) -> float:
    """How long a byte takes, relative to frames of 1500 and most schemes. Between the two
    sizes the speed grows with the frame."""
    larger = (run["fabric.mtu"] - one_run.MTU) / (MTU_MAX - one_run.MTU)
    return slowness(run) / (1 + (JUMBO_FASTER - 1) * max(0, larger))


def jobs(scenarios: list, form: str, inputs: str) -> list[Job]:
    """Of all scenarios, those that have the form: the longest first, but last of all what
    is slow. Of equal ones seed by seed, so that those that are done can be compared."""
    found = [Job(results.run_id(run, inputs), form, run, one_run.run_bytes(run))
             for one in scenarios for run in scenario.expand(one, form)]
    return sorted(found, key=lambda job: (slowness(job.run), -job.bytes, job.run["load.seed"]))


def known_settings(experiment: Path) -> set:
    return set(re.findall(r"\b([A-Z_]+)=", experiment.read_text(encoding="utf-8")))


def possible(found: list[Job], experiment: Path = EXPERIMENT) -> list[Job]:
    """Without runs that need what the experiment cannot do yet: a setting that it does
    not know would silently do nothing. Says what is left out."""
    known, kept, left_out = known_settings(experiment), [], Counter()
    for job in found:
        unknown = [name for name in one_run.settings(job.run) if name not in known]
        left_out.update((job.run.scenario, name) for name in unknown[:1])
        if not unknown:
            kept.append(job)
    for (name, setting), count in left_out.items():
        print(f"lab: {name}: {count} runs are left out: {experiment.name} knows no setting "
              f"{setting}", file=sys.stderr)
    return kept


def check_visible(path: Path, tree: Path = results.TREE) -> None:
    """The machine sees this computer's files, but not all folders (see vm/init)."""
    parts = path.resolve().parts
    hidden = len(parts) > 1 and "/" + parts[1] in HIDDEN
    if hidden and parts[:3] != tree.resolve().parts[:3]:
        raise ValueError(f"{path} is not visible in the machine, which has a /{parts[1]} of "
                         "its own: set CONGA_LAB and CONGA_CACHE to other places")


def check_built(tree: Path, release: str) -> None:
    """What is named by the sources' hash must be made of them."""
    made = tree / "build" / release
    tools = tree / "selftests" / "tools"
    for binary, sources in ((tools / "flowgen", "selftests/tools/flowgen*.[ch]"),
                            (tools / "netns_batch", "selftests/tools/netns_batch.c"),
                            (tools / "netns_batch", "selftests/tools/rtnetlink.[ch]"),
                            (made / "conga.ko", "kmod/**/*.[ch]"),
                            (made / "lab" / "wire.ko", "lab/sch_wire.[ch]"),
                            (made / "lab" / "wire.ko", "lab/wire_sampler.c"),
                            (made / "lab" / "lia.ko", "lab/tcp_lia.c"),
                            (made / "lab" / "lia.ko", "lab/lia_window.[ch]"),
                            (tree / "lab" / "wire", "lab/wire.c")):
        newest = max(path.stat().st_mtime for path in tree.glob(sources))
        if not binary.exists() or binary.stat().st_mtime < newest:
            raise ValueError(f"{binary.relative_to(tree)} is missing or older than {sources}: "
                             "run make lab-build")


def machine_release(kernel: str) -> str:
    """Of the kernel that the machines boot; it is built now if there is none. A kernel that
    few runs need has its modules built now, too."""
    done = subprocess.run([SELFTESTS / "vm" / "run", "-k", kernel, "--print-release"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.returncode and kernel != BY_PATH["load.kernel"].default:
        subprocess.run([SELFTESTS / "vm" / "module", "-k", kernel], check=False)
    if done.returncode:
        raise ValueError("there is no kernel to boot: run make lab-build")
    return done.stdout.strip()


def releases(found: list[Job]) -> list[str]:
    """Of all kernels that these boot."""
    return [machine_release(kernel)
            for kernel in sorted({job.run["load.kernel"] for job in found})]


# ---- one run ----

def vm_command(settings: Path, run: Run) -> list:
    seconds = SLOWEST_OVERHEAD_SECONDS + one_run.run_bytes(run) / SLOWEST_BYTES_PER_SECOND
    memory = MEMORY_MB + MEMORY_PER_HOST_MB * run["fabric.leaves"] * run["fabric.hosts"]
    if run["schemes.names"] == "mptcp":
        memory = max(memory, MULTIPATH_MEMORY_MB)
    return [SELFTESTS / "vm" / "run", "-k", run["load.kernel"], "--time-travel",
            "--seed", machine_seed(run), "-t", str(round(seconds)), "-m", str(memory),
            "--", "lab/experiment", settings]


def machine_seed(run: Run) -> str:
    """Of the kernel's random numbers, as ports and the secrets of hashes: the same for all
    schemes."""
    return f"{run['load.seed']}{run['load.boot']:03}"


def unchanged(inputs: str) -> Callable[[Path, Run], list]:
    """The command, as long as the tree is what the results are named by."""
    def command(settings: Path, run: Run) -> list:
        if results.inputs_digest() != inputs:
            raise ValueError("the tree has changed since the lab began: build and begin anew")
        return vm_command(settings, run)
    return command


def write_settings(path: Path, run: Run, replayed: Trace) -> None:
    found = {**one_run.settings(run), "TRACE": str(replayed.path)}
    path.write_text("".join(f"{name}={shlex.quote(value)}\n" for name, value in found.items()),
                    encoding="ascii")


def start(lab: Lab, job: Job, processor: int) -> Optional[Machine]:
    """Nothing: another lab is at this run."""
    lock = locks.take(lab.store, job.id)
    if lock is None:
        return None
    partial = None
    try:
        replayed = trace.get(job.run)
        partial = results.new_folder(lab.store, job.id)
        write_settings(partial / "settings", job.run, replayed)
        process = launch(lab.command(partial / "settings", job.run), partial, processor)
    except BaseException:
        if partial:
            shutil.rmtree(partial)
        locks.release(lock)
        raise
    return Machine(job, process, partial, replayed, time.monotonic(), processor, lock)


def launch(command: list, into: Path, processor: int) -> subprocess.Popen:
    """In a session of its own: an interruption from the keyboard is this program's. The
    machine's kernel and its processes take turns, so that one processor is all they can
    use, and moving between two takes half as long again."""
    pinned = ["taskset", "--cpu-list", str(processor), *command]
    with open(into / "output", "wb") as output, open(into / "log", "wb") as log:
        return subprocess.Popen(pinned, cwd=results.TREE, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=log, start_new_session=True)


def least_used(active: list[Machine]) -> int:
    """The processor with the fewest machines; among these one that no other lab's machine
    has, which vm/run locks a file for."""
    used = Counter(machine.processor for machine in active)
    return min(sorted(os.sched_getaffinity(0)), key=lambda number: (
        used[number], locks.is_locked(trace.cache() / f"processor-{number}")))


def end_all(active: list[Machine]) -> None:
    """By their processes' numbers; each ends its own machine then."""
    if active:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for machine in active:
        machine.process.terminate()
    for machine in active:
        try:
            machine.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            machine.process.kill()
            machine.process.wait()
        shutil.rmtree(machine.partial, ignore_errors=True)
        locks.release(machine.lock)


def collect(machine: Machine) -> None:
    """ValueError: what came out is not whole."""
    if machine.process.returncode:
        raise ValueError(f"exit status {machine.process.returncode}")
    names = results.split_sections(machine.partial / "output", machine.partial)
    for name in SECTIONS:
        if name not in names:
            raise ValueError(f"the output has no section {name}")
    results.read_counters(machine.partial / "counters")
    count = results.count_lines(machine.partial / "transfers")
    if count != machine.trace.transfers:
        raise ValueError(f"{count} transfers came out, {machine.trace.transfers} went in")


def meta(lab: Lab, machine: Machine, why: Optional[str]) -> dict:
    job, replayed = machine.job, machine.trace
    facts = machine.partial / "facts"
    return {
        "id": job.id, "key": one_run.run_key(job.run), "inputs": lab.inputs,
        "scenario": job.run.scenario, "form": job.form,
        "values": {key.column: key.kind.shell(job.run[key.path]) for key in KEYS},
        "trace": {"path": str(replayed.path), "sha256": replayed.sha256,
                  "transfers": replayed.transfers, "bytes": replayed.bytes,
                  "realised_load": replayed.realised_load},
        "facts": results.read_pairs(facts) if facts.exists() else {},
        **results.tree_state(),
        "ended": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "wall_seconds": round(time.monotonic() - machine.started, 1),
        "exit_status": machine.process.returncode, "attempt": job.attempt, "failure": why,
    }


def finish(lab: Lab, machine: Machine) -> Optional[str]:
    """Keeps what came out. Returns why it is of no use, or nothing."""
    try:
        collect(machine)
    except ValueError as error:
        return str(error)
    (machine.partial / "output").unlink()
    results.keep(machine.partial, lab.store, machine.job.id, meta(lab, machine, None))
    return None


# ---- all runs ----

def work(lab: Lab, todo: list[Job], most: Optional[int] = None) -> int:
    """Runs them all, or so many; returns how many failed. KeyboardInterrupt ends the
    machines."""
    waiting, active, pace = deque(todo), [], Pace(lab.at_once)
    watch = progress.Watch()
    failed = done = 0
    try:
        while waiting or active:
            begin(lab, waiting, active, most, done)
            if not active:
                if most == done:
                    break
                time.sleep(POLL_SECONDS)    # another lab is at all that is left
                continue
            machine = first_ended(lab, active, watch)
            active.remove(machine)
            watch.forget(machine.job.id)
            why = finish(lab, machine)
            if why and machine.job.attempt < ATTEMPTS:
                again(lab, machine, why, waiting)
                continue
            done += 1
            failed += bool(why)
            pace.add(machine)
            left = pace.left([*waiting, *(other.job for other in active)])
            tell(lab, machine, why, f"{done} of {len(todo)}", left)
            locks.release(machine.lock)
    finally:
        end_all(active)
    return failed


def begin(lab: Lab, waiting: deque, active: list[Machine], most: Optional[int],
          done: int) -> None:
    """As many as there is room for, of those that no other lab is at. What others did
    meanwhile waits no longer."""
    for job in list(waiting):
        if len(active) == lab.at_once or len(active) + done == most:
            return
        if results.is_done(lab.store, job.id):
            waiting.remove(job)
            continue
        machine = start(lab, job, least_used(active))
        if machine:
            waiting.remove(job)
            active.append(machine)


def first_ended(lab: Lab, active: list[Machine], watch: progress.Watch) -> Machine:
    told = time.monotonic()
    while True:
        for machine in active:
            if machine.process.poll() is not None:
                return machine
        time.sleep(POLL_SECONDS)
        if time.monotonic() - told >= TELL_SECONDS:
            told = time.monotonic()
            tell_progress(lab, active, watch)


def tell_progress(lab: Lab, active: list[Machine], watch: progress.Watch) -> None:
    for machine in active:
        seen = watch.look(machine.job.id, machine.partial / "output", machine.started,
                          time.monotonic())
        if seen:
            point, rate = seen
            left = span((machine.trace.bytes - point.bytes) / rate) if rate else "more"
            lab.say(f"{machine.job.id}: {progress.text(point, rate, machine.trace.bytes)}; "
                    f"about {left} left")


def again(lab: Lab, machine: Machine, why: str, waiting: deque) -> None:
    lab.say(f"{machine.job.id}: {why}; once more")
    shutil.rmtree(machine.partial)
    locks.release(machine.lock)
    waiting.appendleft(machine.job._replace(attempt=machine.job.attempt + 1))


def tell(lab: Lab, machine: Machine, why: Optional[str], count: str, left: str) -> None:
    job = machine.job
    wall = time.monotonic() - machine.started
    facts = (f"{machine.trace.bytes / 1e9:.2f} GB, load "
             f"{100 * machine.trace.realised_load:.1f} %, {wall:.0f} s, "
             f"{machine.trace.bytes / wall / 1e6:.0f} MB/s")
    if why:
        path = results.keep_failed(machine.partial, lab.store, job.id, meta(lab, machine, why))
        lab.say(f"{count}: FAILED {job.id}: {why}; see {path}/log; {left}")
    else:
        lab.say(f"{count}: {job.id}: {facts}; {left}")


class Pace:
    """How long the rest takes, as far as it can be told from what is done."""

    def __init__(self, at_once: int):
        self.at_once = at_once
        self.work = self.seconds = 0.0

    def add(self, machine: Machine) -> None:
        self.work += machine.trace.bytes * effort(machine.job.run)
        self.seconds += time.monotonic() - machine.started

    def left(self, rest: list[Job]) -> str:
        if not rest:
            return "nothing left"
        rate = self.work / self.seconds if self.seconds else BYTES_PER_SECOND
        return f"about {span(sum(job.work for job in rest) / rate / self.at_once)} left"


def span(seconds: float) -> str:
    minutes = -(-int(seconds) // 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def interrupt(_number, _frame):
    raise KeyboardInterrupt


@contextlib.contextmanager
def opened(inputs: str, at_once: int, found: list[Job]):
    """A Lab of this tree, checked."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    store = results.folder()
    check_visible(store)
    check_visible(trace.folder())
    booted = releases(found)
    for release in booted:
        check_built(results.TREE, release)
    store.mkdir(parents=True, exist_ok=True)
    results.clear_leftovers(store)
    say(f"kernel {', '.join(booted)}, results in {store}")
    yield Lab(store, inputs, at_once, unchanged(inputs), say)


def remaining(store: Path, found: list[Job], made: Optional[Path]) -> list[Job]:
    """What is to be done yet; "made": tables of runs that were made elsewhere."""
    known = elsewhere.done(made, releases(found)) if made else ()
    return [job for job in found if job.id not in known and not results.is_done(store, job.id)]


def run_all(scenarios: list, form: str, at_once: int, made: Optional[Path],
            most: Optional[int] = None) -> int:
    """The exit status."""
    inputs = results.inputs_digest()
    found = jobs(scenarios, form, inputs)
    able = possible(found)
    with opened(inputs, at_once, able) as lab:
        return run_jobs(lab, able, made, most) or int(len(able) < len(found))


def run_jobs(lab: Lab, found: list[Job], made: Optional[Path] = None,
             most: Optional[int] = None) -> int:
    todo = remaining(lab.store, found, made)
    state = results.tree_state()
    lab.say(f"{len(found)} runs, {len(found) - len(todo)} of them done before; {lab.at_once} "
            f"at a time; seeds {seeds(found)}; commit {state['commit'][:12]}"
            f"{', changed since' if state['dirty'] else ''}")
    try:
        failed = work(lab, todo, most)
    except KeyboardInterrupt:
        lab.say("interrupted; what is done is kept, the same command goes on from here")
        return 128 + signal.SIGINT
    if failed:
        print(f"lab: {failed} of {len(todo)} runs failed, see {lab.store}/failed",
              file=sys.stderr)
    left = len(remaining(lab.store, todo, None)) - failed
    if left:
        lab.say(f"{left} runs are left; the same command goes on from here")
    return 1 if failed else 0


def seeds(found: list[Job]) -> str:
    return " ".join(map(str, sorted({job.run["load.seed"] for job in found})))


def processors() -> int:
    return len(os.sched_getaffinity(0))
