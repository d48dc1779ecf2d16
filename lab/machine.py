# SPDX-License-Identifier: GPL-2.0
"""What the runs were made on: kernel, HZ, hash fields, commits, dates, and how evenly
ECMP's hashing uses its links."""
from collections import Counter
from pathlib import Path


# Columns of runs.csv; where a fabric has no such boxes, they are empty
FACTS = ("kernel", "machine", "hz", "txrehash", "leaf_hash_fields", "spine_hash_fields",
         "odd_pod_hash_fields", "core_hash_fields")


def columns(meta: dict) -> dict:
    """One run's."""
    return {**{name: meta["facts"].get(name, "") for name in FACTS},
            "commit": meta["commit"][:12], "dirty": int(meta["dirty"]),
            "date": meta.get("ended", "")[:10]}


def facts_of(run: dict) -> dict:
    changed = " with changes" if run.get("dirty") == "1" else ""
    return {**{name: run.get(name, "") for name in FACTS},
            "commit": run["commit"] + changed, "date": run.get("date", "")}


def rows(runs: list[dict]) -> list[dict]:
    """A line per fact and value, with the number of runs that have it."""
    count = Counter(fact for run in runs for fact in facts_of(run).items())
    return [{"fact": name, "value": value, "runs": number}
            for (name, value), number in sorted(count.items()) if value]


def read_balance(path: Path) -> dict:
    """{tier: flows of each link}, of lines "leaf0.up0 1074"."""
    tiers: dict = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        link, flows = text.split()
        tiers.setdefault(tier_of(link), []).append(int(flows))
    return tiers


def tier_of(link: str) -> str:
    box, device, *_ = link.split(".")
    if box.startswith("leaf"):
        return "uplinks of a leaf"
    if box.startswith("core"):
        return "cores' ports to spines"
    leaf = device.removeprefix("down")
    return "spines' ports to cores" if leaf == device else f"spines' ports to leaf {leaf}"


def balance(folder: Path, meta: dict) -> list[dict]:
    """A line per tier, of a run that looked."""
    path = folder / "balance"
    if not path.exists():
        return []
    return [{"cut": meta["values"]["cut"], "tier": tier, "links": len(flows),
             "least": min(flows), "most": max(flows),
             "ratio": f"{max(flows) / max(1, min(flows)):.3f}"}
            for tier, flows in read_balance(path).items()]
