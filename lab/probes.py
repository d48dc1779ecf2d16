# SPDX-License-Identifier: GPL-2.0
"""What HULA's probes take of each link, against the paper's formula (section 3.3):

    bytes of a probe x leaves that it is told of x 8 / interval

A link up from a leaf tells of that leaf; from a spine to a core, of the pod's leaves; down
to a leaf, of all others. A core hands on what comes from a pod to all ports but that by
which it came: the pod's other spines get it, too, though no route of theirs leads there.
So its links to the spines of a pod together tell of all leaves of other pods once each,
and of each of the pod's own once on all but one of them.
"""
import numpy

import values
from samples import BIN_NS, Samples, is_fabric_link

# Ethernet, IPv4, UDP, VXLAN; the header of all control packets and a probe's body
# (kmod/paper/control_wire.h)
PROBE_BYTES = 14 + 20 + 8 + 8 + 24 + 20
INTERVAL = "200us"
SETTLED = 0.5           # of the time that pictures are taken
ENDS = {"up": "spine", "down": "leaf"}  # other devices have the other end's name


def interval_s(options: str) -> float:
    words = options.split()
    text = dict(zip(words[::2], words[1::2])).get("probe", INTERVAL)
    return values.time(INTERVAL if text == "auto" else text) / values.NS_PER_SECOND


def pod(run: dict, number: int, what: str) -> int:
    return number * int(run["pods"]) // int(run[what])


def bundle(run: dict, link: str) -> tuple[str, str]:
    """(kind, the links that are counted together)"""
    box, _, device = link.partition(".")
    end = device.rstrip("0123456789.")
    kind = f"{box.rstrip('0123456789')}-{ENDS.get(end, end)}"
    if kind != "core-spine":
        return kind, link
    return kind, f"{box}-pod{pod(run, int(device.removeprefix('spine')), 'spines')}"


def told(run: dict, kind: str) -> int:
    """Probes in an interval, of all links of a bundle."""
    leaves, pods, spines = (int(run[name]) for name in ("leaves", "pods", "spines"))
    own, each = leaves // pods, spines // pods
    return {"leaf-spine": 1, "spine-core": own, "spine-leaf": leaves - 1,
            "core-spine": each * (leaves - own) + (each - 1) * own}[kind]


def rates(found: Samples) -> numpy.ndarray:
    """Bytes per second by each link: the median of 10 ms each, since hosts' neighbour
    discovery crosses now and then; of what the pictures show once all has settled."""
    first = int(SETTLED * len(found.ns))
    step = max(1, round(BIN_NS / (found.ns[1] - found.ns[0])))
    ns, accepted = found.ns[first::step], found.accepted[first::step]
    return numpy.median(numpy.diff(accepted, axis=0) / numpy.diff(ns)[:, None], axis=0) \
        * values.NS_PER_SECOND


def rows(found: Samples, run: dict) -> list[dict]:
    """A row for each kind of link; run: its keys, as its tables have them."""
    carried: dict = {}
    for link, rate in zip(found.links, rates(found)):
        if is_fabric_link(link):
            kind, name = bundle(run, link)
            carried.setdefault(kind, {}).setdefault(name, []).append(rate)
    return [row(run, kind, bundles) for kind, bundles in sorted(carried.items())]


def row(run: dict, kind: str, bundles: dict) -> dict:
    formula = PROBE_BYTES * told(run, kind) / interval_s(run["options"])
    measured = numpy.array([sum(links) for links in bundles.values()]) / formula
    busiest = max(max(links) for links in bundles.values())
    return {"links": kind, "count": sum(map(len, bundles.values())),
            "formula_bit_s": f"{8 * formula:.0f}", "least": f"{measured.min():.5f}",
            "mean": f"{measured.mean():.5f}", "most": f"{measured.max():.5f}",
            "busiest_of_rate": f"{8 * busiest / values.rate(run['link_rate']):.3e}"}
