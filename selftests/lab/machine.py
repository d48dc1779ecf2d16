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
    """{tier: flows of each link}, of lines "leaf0.up0 1074"; a tier is the leaf's uplinks,
    or the ports of all spines to leaf 1."""
    tiers: dict = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        link, flows = text.split()
        tier = "uplinks of a leaf" if link.startswith("leaf") else "spines' ports to a leaf"
        tiers.setdefault(tier, []).append(int(flows))
    return tiers


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
