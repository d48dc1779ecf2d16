# SPDX-License-Identifier: GPL-2.0
"""Who overtook whom between two leaves, and which error of TR's Time to Next Leaf let it.

A run with load.order has three captures: of packets as they come to leaf 0's tunnel, of
what leaves it and comes to it by its uplinks (a packet is seen leaving when it comes to
the spine), and of what comes to leaf 1. From these follow, to the nanosecond, for each
packet of data of leaf 0's hosts

    TNL     = sent + pd + lql/lqw + sql/sqw     as the leaf knew them
    arrival = sent + pd + what it waited and took to be sent, at the leaf and at the spine

and what TNL was wrong by, in four parts:

    length  pd is half of what a small hello took, and a full packet takes longer
    own     the queue of the uplink, as it was when a packet last came to it or left it
    code    the spine's queue in five bits: a fifth of it, or 128 ns
    stale   the rest: the spine's queue has changed since it was told

A packet overtook if it came before one that its flow had sent before. TR sends none whose
TNL is less than that of the flow's packet before, but by the uplink that this one took; so
the two packets' errors differ by more than their TNLs do, and the part by which they
differ most is called the cause. A packet that overtook although its own TNL was less than
the other's is none of these: "unexplained". (Where TNL fell by the flow's own uplink, who
overtakes the first of its packets overtakes the last, too, and is compared with that.)
"""
import base64
import bisect
import gzip
import json
import struct
from pathlib import Path
from typing import Iterator, NamedTuple

import values

CAUSES = ("length", "own", "code", "stale", "unexplained")
CODES_BITS = 5          # kmod/paper/queue.c
UNIT_NS = 256
AGES = 8                # kmod/paper/toleaf.c
FIFTH, LEAST_NS = 0.2, 128
SLACK_NS = 2            # what rounding may take
HELLO_BYTES = 74
ROOM = 50               # of a tunnelled packet around the inner frame

ETHERNET, SLL2 = 1, 276
OUTGOING = 4            # kind of packet in SLL2
SLL2_BYTES, ETHERNET_BYTES, OUTER_BYTES, VXLAN_BYTES = 20, 14, 28, 8
PCAP_NANO = 0xa1b23c4d
BEGIN_S = 1_400_000_000     # of the machine's clock: a double holds ns of the time since
VALID = 0x80


class Packet(NamedTuple):
    ns: int
    link: int           # index of the interface, 0 where there is one only
    leaving: bool
    byte3: int          # of the VXLAN header
    length: int         # bytes of the outer frame
    flow: tuple         # addresses and ports of TCP; or nothing
    number: tuple       # which packet of it: IP id and sequence number
    payload: int


class Sent(NamedTuple):
    """A packet of data on its way."""
    flow: tuple
    ns: int             # when it came to the leaf
    uplink: int
    tnl: float
    arrival: int
    errors: tuple       # of TNL, in ns, by CAUSES


class Overtaking(NamedTuple):
    earlier: Sent
    later: Sent
    cause: str


# ---- captures ----

def frames(path: Path) -> Iterator[tuple]:
    """(ns, link type, captured bytes, length) of a pcap, compressed, as text."""
    data = gzip.decompress(base64.b64decode(path.read_bytes()))
    magic, _, _, _, _, _, kind = struct.unpack_from("<IHHiIII", data)
    if magic != PCAP_NANO:
        raise ValueError(f"{path} is no capture with nanoseconds")
    at = 24
    while at < len(data):
        seconds, ns, kept, length = struct.unpack_from("<IIII", data, at)
        yield ((seconds - BEGIN_S) * values.NS_PER_SECOND + ns, kind,
               data[at + 16:at + 16 + kept], length)
        at += 16 + kept


def inner(frame: bytes) -> tuple:
    """(flow, number, payload) of TCP in IPv4 in Ethernet, or nothing of each."""
    if len(frame) < 54 or frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return (), (), 0
    total, number = struct.unpack_from("!HH", frame, 16)
    source, target = frame[26:30], frame[30:34]
    ports = struct.unpack_from("!HH", frame, 34)
    sequence, = struct.unpack_from("!I", frame, 38)
    return (source, target, *ports), (number, sequence), total - 20 - (frame[46] >> 4) * 4


def packet(ns: int, kind: int, frame: bytes, length: int) -> Packet:
    if kind == ETHERNET:
        return Packet(ns, 0, True, 0, length + ROOM, *inner(frame))
    link, _, way = struct.unpack_from("!IHB", frame, 4)
    outer = frame[SLL2_BYTES:]
    vxlan = outer[OUTER_BYTES:OUTER_BYTES + VXLAN_BYTES]
    return Packet(ns, link, way == OUTGOING, vxlan[3],
                  length - SLL2_BYTES + ETHERNET_BYTES,
                  *inner(outer[OUTER_BYTES + VXLAN_BYTES:]))


def read(path: Path) -> list[Packet]:
    return [packet(*one) for one in frames(path)]


# ---- what the leaf knew ----

def queue_ns(code: int) -> int:
    units = code if code < 2 else (2 + code % 2) << (code // 2 - 1)
    return units * UNIT_NS


class Uplink:
    """Of leaf 0, as it was at each moment."""

    def __init__(self, rate: int, delay: int, known: int, tage: int):
        self.byte_ns = 8 * values.NS_PER_SECOND / rate
        self.delay = delay      # of each of the path's links
        self.known = known      # pd
        self.tage = tage
        self.heard: list = []   # (ns, code), in order
        self.moments: list = []  # packets left its buffer, or the link, in order
        self.came = 0           # when the last packet came to its buffer
        self.busy = 0.0         # until all that came have left it

    def told(self, ns: int) -> int:
        """By the spine, aged."""
        at = bisect.bisect_right(self.heard, (ns, 1 << CODES_BITS)) - 1
        if at < 0:
            return 0
        heard, code = self.heard[at]
        return queue_ns(max(0, code - ((ns - heard) << CODES_BITS) // (AGES * self.tage)))

    def own(self, ns: int) -> float:
        """What waits here, as of the last moment at which that was told."""
        if self.busy <= ns:
            return 0.0
        at = bisect.bisect_right(self.moments, ns) - 1
        return self.busy - max(self.came, self.moments[at] if at >= 0 else 0)


def listen(uplinks: dict, left: list[Packet]) -> None:
    """What spines tell in control packets is not learnt."""
    for one in left:
        if not one.leaving and one.flow and one.byte3 & VALID and one.link in uplinks:
            uplinks[one.link].heard.append((one.ns, one.byte3 >> 2 & (1 << CODES_BITS) - 1))


def journeys(uplinks: dict, sent: list, left: list, came: list) -> list[Sent]:
    """Of each packet of data that came to leaf 1, in the order in which they were sent."""
    began = {(one.flow, one.number): one.ns for one in sent if one.flow}
    there = {(one.flow, one.number): one.ns for one in came if one.flow}
    found = []
    out = [one for one in left if one.leaving and one.link in uplinks]
    for one in out:
        uplink = uplinks[one.link]
        uplink.moments += [one.ns - uplink.delay, one.ns]
    for uplink in uplinks.values():
        uplink.moments.sort()
    for one in out:
        uplink, key = uplinks[one.link], (one.flow, one.number)
        if one.payload > 0 and key in began and key in there:
            found.append(journey(uplink, one, began[key], there[key]))
        uplink.came = began.get(key, uplink.came)
        uplink.busy = one.ns - uplink.delay
    return sorted(found, key=lambda one: one.ns)


def journey(uplink: Uplink, one: Packet, ns: int, arrival: int) -> Sent:
    own, told = uplink.own(ns), uplink.told(ns)
    takes = one.length * uplink.byte_ns
    waited = one.ns - uplink.delay - ns - takes
    ahead = arrival - one.ns - uplink.delay - takes
    fault = max(FIFTH * ahead, LEAST_NS)
    code = min(max(ahead - told, -fault), fault)
    length = 2 * (takes + uplink.delay) - uplink.known
    return Sent(one.flow, ns, one.link, ns + uplink.known + own + told, arrival,
                (length, waited - own, code, ahead - told - code, 0.0))


# ---- who overtook whom ----

def overtakings(found: list[Sent]) -> list[Overtaking]:
    """Each packet that overtook, with the last sent of those that it overtook."""
    flows: dict = {}
    result = []
    for later in found:
        before = flows.setdefault(later.flow, [])
        for at in range(len(before) - 1, -1, -1):
            if before[at].arrival > later.arrival:
                result.append(Overtaking(before[at], later, cause(before[at], later)))
                break
        # who came later than all before it is the only one that can still be overtaken
        flows[later.flow] = [one for one in before if one.arrival > later.ns] + [later]
    return result


def cause(earlier: Sent, later: Sent) -> str:
    if later.tnl < earlier.tnl - SLACK_NS:
        return "unexplained"
    parts = [one - other for one, other in zip(earlier.errors, later.errors)]
    return CAUSES[parts.index(max(parts))]


def uplinks_of(folder: Path, meta: dict) -> dict:
    """{index: Uplink}, by the captures' names of interfaces."""
    lines = [text.split() for text in (folder / "order_links").read_text().splitlines()]
    index = {name: int(number) for name, number in lines}
    delay = values.time(meta["values"]["delay"])
    others = dict(word.split("=") for word in meta["values"]["link_delays"].split())
    rate = values.rate(meta["values"]["link_rate"])
    found = {}
    for path in json.loads((folder / "order_paths").read_text()):
        text = others.get(path["dev"].replace("up", "spine"))
        link = values.time(text) if text else delay
        found[index[f"leaf0.{path['dev']}"]] = Uplink(rate, link, path.get("delay_ns", 2 * link),
                                                      TAGE_NS)
    return found


TAGE_NS = 10_000_000    # the lab's ("experiment")


def look(folder: Path, meta: dict) -> tuple[list, list]:
    """(all packets, those that overtook)"""
    uplinks = uplinks_of(folder, meta)
    sent, left, came = (read(folder / f"order_{name}") for name in ("sent", "left", "came"))
    listen(uplinks, left)
    found = journeys(uplinks, sent, left, came)
    return found, overtakings(found)


def rows(folder: Path, meta: dict) -> list[dict]:
    """One for the table, of a run."""
    found, overtook = look(folder, meta)
    known = meta["values"]["scheme"] == "tr"    # others know no TNL
    count = dict.fromkeys(CAUSES, 0)
    for one in overtook:
        count[one.cause] += 1
    late = [one.earlier.arrival - one.later.arrival for one in overtook]
    return [{"packets": len(found), "overtook": len(overtook),
             **{name: number if known else "" for name, number in count.items()},
             "mean_ns": f"{sum(late) / len(late):.0f}" if late else "",
             "most_ns": f"{max(late)}" if late else ""}]
