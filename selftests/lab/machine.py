# SPDX-License-Identifier: GPL-2.0
"""What the runs were made on: kernel, HZ, hash fields, commits, dates, and how evenly
ECMP's hashing uses its links."""
from pathlib import Path

import results


def facts_of(meta: dict) -> dict:
    """One run's, by name."""
    commit = meta["commit"][:12]
    return {**meta["facts"], "commit": f"{commit} with changes" if meta["dirty"] else commit,
            "date": meta.get("ended", "")[:10]}


def rows(store: Path, ids: set) -> list[dict]:
    """A line per fact and value, with the number of runs that have it."""
    count: dict = {}
    for _, meta in results.stored(store):
        if meta["id"] in ids:
            for fact in facts_of(meta).items():
                count[fact] = count.get(fact, 0) + 1
    return [{"fact": name, "value": value, "runs": runs}
            for (name, value), runs in sorted(count.items()) if value]


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


def balance(store: Path, ids: set) -> list[dict]:
    """A line per run that looked, and tier."""
    found = []
    for folder, meta in results.stored(store):
        path = folder / "balance"
        if meta["id"] in ids and path.exists():
            found += [{"id": meta["id"], "cut": meta["values"]["cut"], "tier": tier,
                       "links": len(flows), "least": min(flows), "most": max(flows),
                       "ratio": f"{max(flows) / max(1, min(flows)):.3f}"}
                      for tier, flows in read_balance(path).items()]
    return found
