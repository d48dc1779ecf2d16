# SPDX-License-Identifier: GPL-2.0
"""One run: what its values mean for links and bytes, what the experiment hears of it, and its
names."""
import hashlib
import json
import re
from typing import NamedTuple

import keys
import values
from keys import KEYS

HASH_DIGITS = 8
NOT_OF_THE_TRACE = ("load.sample", "load.boot", "load.tcp", "load.flows")

# On a link of the fabric a full packet of 1,448 bytes of TCP data takes 1,564 bytes:
# headers of TCP with timestamps (32), IP (20), Ethernet (14), VXLAN (50). On a host's link,
# which is no tunnel, it takes 50 less.
MTU = 1500
MTU_HEADERS, ETHERNET, TUNNEL = 52, 14, 50
PAYLOAD_BYTES, WIRE_BYTES = MTU - MTU_HEADERS, MTU + ETHERNET + TUNNEL


class Run(NamedTuple):
    scenario: str
    values: dict        # path of a key -> value

    def __getitem__(self, path: str):
        return self.values[path]

    @property
    def payload(self) -> float:
        """Data, as a part of what full packets take on a link of the fabric."""
        mtu = self["fabric.mtu"]
        return (mtu - MTU_HEADERS) / (mtu + ETHERNET + TUNNEL)

    @property
    def host_payload(self) -> float:
        """The same of a host's link, which is no tunnel."""
        mtu = self["fabric.mtu"]
        return (mtu - MTU_HEADERS) / (mtu + ETHERNET)


# ---- its fabric ----

def uplinks_of(run: Run) -> int:
    """Of a leaf, which has links to the spines of its own pod only."""
    return run["fabric.spines"] // run["fabric.pods"] * run["fabric.links"]


def pod_of(run: Run, number: int, what: str) -> int:
    return number * run["fabric.pods"] // run[f"fabric.{what}"]


def core_link(word: str) -> tuple:
    """(spine, core) of a link between them, or nothing of another."""
    return tuple(map(int, re.findall("[0-9]+", word))) if word.startswith("spine") else ()


def leaf_capacity(run: Run) -> int:
    """bit/s of a healthy leaf's uplinks, one direction"""
    return uplinks_of(run) * run["fabric.link_rate"]


# ---- its load ----

def answering_leaves(run: Run) -> int:
    """The number of leaves, the first of all, whose hosts send what others ask for."""
    one_way = run["load.direction"] == "one"
    return run["fabric.leaves"] // 2 if one_way else run["fabric.leaves"]


def wanted_rate(run: Run) -> float:
    """bit/s on the links of the fabric that the pattern's open part is meant to take, with
    headers; of all leaves"""
    if run["load.pattern"] == "demand":
        return sum(values.rate(word.split(":")[1]) for word in run["load.demands"])
    if run["load.pattern"] in ("incast", "idle"):
        return 0
    return float(run["load.load"]) * leaf_capacity(run) * answering_leaves(run)


def offered_rate(run: Run) -> float:
    """bytes of data per second of that"""
    return wanted_rate(run) / 8 * run.payload


def closed_bytes(run: Run) -> int:
    """Bytes of transfers that start when others end."""
    if run["load.pattern"] == "incast":
        return run["load.response"] * run["load.rounds"]
    if run["load.pattern"] == "hdfs":
        writers = run["fabric.leaves"] * run["fabric.hosts"]
        return 2 * writers * run["load.blocks"] * run["load.block"]  # the first is local
    return 0


def run_bytes(run: Run) -> int:
    """What a run is to carry."""
    seconds = run["load.seconds"] / values.NS_PER_SECOND
    return round(offered_rate(run) * seconds + closed_bytes(run))


def cap_of(run: Run) -> int | None:
    """bytes"""
    for word in run["load.caps"]:
        name, _, text = word.partition(":")
        if name == run["load.workload"]:
            return values.byte_count(text)
    return None


def sample_count(run: Run) -> int:
    """Pictures of all links, while transfers start."""
    return -(-run["load.seconds"] // run["load.sample"]) if run["load.sample"] else 0


def whole(run: Run) -> Run:
    """That whose first transfers these are; itself, if it is no part."""
    length = run["load.prefix_of"] or run["load.seconds"]
    return run._replace(values={**run.values, "load.seconds": length, "load.prefix_of": None})


def at_once(run: Run) -> Run:
    """The same without pauses within its transfers."""
    return run._replace(values={**run.values, "load.think": None})


# ---- what the experiment hears ----

def is_absent(key: keys.Key, run: Run) -> bool:
    return key.rare and run[key.path] == key.kind.parse(key.default)


def tcp_of(run: Run) -> keys.Tcp:
    """The named settings of hosts, and what differs from these."""
    named = keys.TCPS[run["load.tcp"]]
    sysctls = dict(word.split("=") for word in named.sysctls + run["load.sysctls"])
    rto_min = run["load.rto_min"]
    return keys.Tcp(tuple("=".join(pair) for pair in sysctls.items()),
                    values.shell_ms(rto_min) if rto_min else named.rto_min)


def settings(run: Run) -> dict:
    """The experiment's variables, all but where the trace is."""
    found = {}
    for key in KEYS:
        value = run[key.path]
        if key.variable and not is_absent(key, run):
            found[key.variable] = key.kind.shell(value)
    tcp = tcp_of(run)
    if tcp.sysctls:
        found["SYSCTLS"] = " ".join(tcp.sysctls)
    if tcp.rto_min:
        found["RTO_MIN"] = tcp.rto_min
    found["SAMPLES"] = str(sample_count(run))
    if run["load.sample"]:
        found["SAMPLE_US"] = values.shell_us(run["load.sample"])
    return found


# ---- its names ----

def trace_keys(run: Run) -> list[str]:
    pattern = run["load.pattern"]
    return [key.path for key in KEYS if key.section == "load" and not key.variable
            and key.path not in NOT_OF_THE_TRACE and pattern in key.patterns
            and not is_absent(key, run)]


def digest(content: dict) -> str:
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def run_key(run: Run) -> str:
    """Decided by what the run is, and by nothing else."""
    load = {path: run[path] for path in trace_keys(run)}
    return digest({"settings": settings(run), "load": load,
                   "boot": run["load.boot"]})[:HASH_DIGITS]


def run_slug(run: Run) -> str:
    """For people: the key tells runs apart."""
    pattern = run["load.pattern"]
    words = [run.scenario]
    if pattern in keys.SIZED:
        words += [run["load.workload"], f"{float(run['load.load']) * 100:g}"]
    else:
        words += [pattern]
    words += [run["schemes.names"], f"s{run['load.seed']}"]
    if run["load.boot"] > 1:
        words.append(f"boot{run['load.boot']}")
    words.append(run_key(run))
    return "-".join(words)
