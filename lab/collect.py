# SPDX-License-Identifier: GPL-2.0
"""All results as tables, for whoever judges or draws them.

runs.csv        a line per run: what it was (the keys of a scenario), what came out
queues.csv      a line per run and link: bytes waiting, mean and percentiles
throughput.csv  a line per run, link of the fabric and 10 ms: Gbit/s, with headers
counters.csv    a line per run, box and counter that is not 0
balance.csv     a line per run and tier, where flows of one packet were sent first
flowlets.csv    a line per run that was captured and gap: flowlets, and which sizes have
                how much of the bytes
concurrency.csv a line per run that was captured: connections that send within 1 ms
failures.csv    a line per failure of a link: what was lost, and for how long
order.csv       a line per run that watched order: packets, those that overtook, and why
probes.csv      a line per run without load and kind of link: what HULA's probes take
"""
import contextlib
import csv
import re
from pathlib import Path

import elsewhere
import failure
import flowlets
import machine
import one_run
import order
import probes
import results
import samples
import scenario
import transfers
import values
from keys import BEFORE


def forms_by_key() -> dict:
    """(scenario, key) -> the forms that have this run."""
    found: dict = {}
    for name in scenario.names():
        one = scenario.find(name)
        for form in scenario.FORMS:
            if scenario.has_form(one, form):
                for run in scenario.expand(one, form):
                    found.setdefault((name, one_run.run_key(run)), []).append(form)
    return found


# Columns of transfers' sums which all hosts together counted instead.
OF_HOSTS = ("retransmits", "out_of_order")


def run_row(folder: Path, meta: dict, forms: dict) -> dict:
    found = transfers.read(folder / "transfers")
    keys = {**BEFORE, **meta["values"]}
    now = forms.get((meta["scenario"], meta["key"]), [])
    return {
        "id": meta["id"], "scenario": meta["scenario"], "forms": " ".join(now),
        "inputs": meta["inputs"], **keys,
        **transfers.statistics(found, values.rate(keys["host_rate"]),
                               values.rate(keys["link_rate"]), values.time(keys["delay"]),
                               int(keys["mtu"])),
        **hosts_counted(folder),
        "realised_load": meta["trace"]["realised_load"],
        "trace": meta["trace"]["sha256"][:results.HASH_DIGITS],
        **machine.columns(meta), "wall_seconds": meta["wall_seconds"],
    }


def hosts_counted(folder: Path) -> dict:
    """What hosts counted in sum, where no transfer has counts of its own: with MPTCP."""
    return {name: value for box, name, value in results.read_counters(folder / "counters")
            if box == "hosts" and name in OF_HOSTS}


def counter_rows(folder: Path) -> list[dict]:
    """Of boxes and links of the fabric."""
    return [{"box": box, "counter": name, "value": value}
            for box, name, value in results.read_counters(folder / "counters")
            if value and ("." not in box or samples.is_fabric_link(box))]


def load_start(folder: Path) -> int:
    """When the load began, ns of the machine's clock, if flowgen says so."""
    load = folder / "load"
    match = re.search(r"\bstart_ns=([0-9]+)", load.read_text()) if load.exists() else None
    return int(match[1]) if match else 0


def sample_rows(folder: Path, meta: dict) -> dict:
    if not (folder / "samples.gz").exists():
        return {}
    found = samples.since(samples.read(folder / "samples.gz"), load_start(folder))
    if meta["values"]["pattern"] == "idle":
        return {"probes": probes.rows(found, {**BEFORE, **meta["values"]})}
    rows = {"queues": samples.queues(found), "throughput": samples.throughput(found)}
    if (folder / "failures").exists():
        rows["failures"] = failure.rows(folder / "failures", found, meta["values"]["fails"])
    return rows


def capture_rows(folder: Path) -> dict:
    if not (folder / "capture.gz").exists():
        return {}
    found = flowlets.read(folder / "capture.gz")
    return {"flowlets": flowlets.by_gap(found), "concurrency": flowlets.concurrency(found)}


def order_rows(folder: Path, meta: dict) -> dict:
    return {"order": order.rows(folder, meta)} if (folder / "order_sent").exists() else {}


class Tables:
    """The files, written as rows come: their header is that of the first row."""

    def __init__(self, into: Path):
        self.into = into
        self.files: dict = {}

    def add(self, name: str, rows: list[dict]) -> None:
        if not rows:
            return
        if name not in self.files:
            file = open(self.into / f"{name}.csv", "w", encoding="utf-8", newline="")
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            self.files[name] = file, writer
        try:
            self.files[name][1].writerows(rows)
        except ValueError as error:
            raise ValueError(f"{name}.csv: {error}") from None

    def close(self) -> None:
        for file, _ in self.files.values():
            file.close()


def add_run(tables: Tables, folder: Path, meta: dict, forms: dict) -> None:
    try:
        found = {"runs": [run_row(folder, meta, forms)], **sample_rows(folder, meta),
                 **capture_rows(folder), **order_rows(folder, meta),
                 "counters": counter_rows(folder),
                 "balance": machine.balance(folder, meta)}
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
    for name, rows in found.items():
        tables.add(name, [{"id": meta["id"], **row} for row in rows])


def collect(store: Path, into: Path, any_inputs: bool, made: Path | None = None) -> tuple:
    """How many runs are in the tables, and how many are not, of other inputs. "made":
    tables of runs that were made elsewhere, which are added."""
    inputs, forms = None if any_inputs else results.inputs_digest(), forms_by_key()
    here = [(folder, meta) for folder, meta in results.stored(store)]
    taken = [(folder, meta) for folder, meta in here if inputs in (None, meta["inputs"])]
    added = elsewhere.rows(made, {meta["id"] for _, meta in taken}, inputs) if made else {}
    into.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(Tables(into)) as tables:
        for folder, meta in taken:
            add_run(tables, folder, meta, forms)
        for run in added.get("runs", []):
            run["forms"] = " ".join(forms.get((run["scenario"], elsewhere.key(run)), []))
        for name, rows in added.items():
            tables.add(name, rows)
    return len(taken) + len(added.get("runs", [])), len(here) - len(taken)
