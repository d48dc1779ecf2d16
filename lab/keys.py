# SPDX-License-Identifier: GPL-2.0
"""The words of a scenario: section, name, what it may say, and what if it is absent.

A key with a variable is a setting of the experiment; the others make the trace. The
experiment's own defaults are not relied on: every setting is written, except those
that few runs need ("rare"), which are written where they are used only, so that an
experiment that does not know them is found out, and runs that were before such a key
keep their names and traces.
"""
import re
from pathlib import Path
from typing import NamedTuple, Optional

import values
import workload
from values import (Kind, byte_count, choice, duration, integer, optional, shell_ms, shell_optional,
                    shell_rate, shell_seconds, shell_time, shell_us, shell_words,
                    time_between, whole_ms, words)

RATE = Kind(values.rate, shell_rate)
TIME = Kind(values.time, shell_time)
DURATION = Kind(duration, shell_time)
SECONDS = Kind(duration, shell_seconds)
BYTES = Kind(byte_count)

LEAVES_MAX = 128
SPINES_MAX = 16
UPLINKS_MAX = 16        # LBTags are 4 bits
HOSTS_MAX = 200         # a leaf's hosts have addresses 10 to 209
MTU_MIN, MTU_MAX = 1280, 9000
GSO_MAX = 65536

LINK = words(r"[0-9]+\.[0-9]+\.[0-9]+|spine[0-9]+-core[0-9]+",
             "LEAF.SPINE.LINK, as 1.1.0, or spine0-core1")
FROM_TO = r"(leaf[0-9]+-spine[0-9]+\.[0-9]+|spine[0-9]+\.[0-9]+-leaf[0-9]+)="
LINK_RATE = words(FROM_TO + r"[0-9.]+[kmg]?bit",
                  "spine0.1-leaf1=10gbit or leaf1-spine0.1=10gbit")
LINK_DELAY = words(f"({FROM_TO}|spine[0-9]+=)" + r"[0-9.]+[num]?s",
                   "spine0.1-leaf1=20us or leaf1-spine0.1=20us, or spine0=20us for all its links")
LEAF_SCHEME = words(r"[0-9]+=(ecmp|local)", "LEAF=SCHEME, as 1=ecmp")
LEAF_LINK = words(r"[0-9]+\.[0-9]+\.[0-9]+", "LEAF.SPINE.LINK, as 1.1.0")
DEMAND = words(r"[0-9]+-[0-9]+:[0-9.]+[kmg]?bit", "FROM-TO:RATE, as 0-1:100gbit")
CAP = words(r"[a-z]+:[0-9.]+(KB|MB|GB)?", "WORKLOAD:BYTES, as datamining:100MB")
NUMBERS = words(r"[0-9]+", "a number")
SYSCTL = words(r"net\.(core|ipv4)\.[a-z0-9_]+=[a-z0-9]+", "NAME=VALUE, as net.ipv4.tcp_sack=0")
DEVICE = words(r"(leaf|spine|core|host)[0-9.]+\.[a-z0-9.]+", "BOX.DEVICE, as leaf0.vx")

# What "conga fabric set" takes; with Q above 3 the header's last byte has the low bits of
# metrics, nothing else need be said. The policy is the scheme's.
OPTIONS = {
    "q": integer(1, 6),
    "metric": choice("max", "sum"),
    "tdre": optional(time_between("1us", "1s"), "auto"),
    "flowlet-timeout": optional(time_between("0s", "1s"), "auto"),
    "age": time_between("100us", "10s"),
    "hello": optional(time_between("20ms", "10s"), "off"),
    "explicit-feedback": choice("on", "off"),
    "entropy": optional(integer(1, UPLINKS_MAX), "auto"),
    "ecn": choice("on", "off"),
    "probe": optional(optional(time_between("20us", "1s"), "off"), "auto"),
}

# Of the policies that have any, behind the policy's name.
PARAMS = {"hula": {"fail": integer(1, 100), "near": integer(0, 255)},
          "tr": {"short": integer(1000, 16000000), "rtt": time_between("4us", "1s"),
                 "idle": time_between("4us", "1s"),
                 "margin": time_between("0ns", "1s"), "wait": time_between("0ns", "1s")}}

TABLE = Path(__file__).resolve().parents[1] / "kmod/policies/policy_table.h"
POLICIES = tuple(name.replace("_", "-") for name in re.findall(
    r"^CONGA_POLICY\((\w+)\)$", TABLE.read_text(encoding="utf-8"), re.MULTILINE))
SCHEMES = ("stock", *POLICIES, "plb", "mptcp")
# With the tick of its timers, as those of TCP
TICK = {"uml": "4ms", "uml-hz1000": "1ms", "uml-6.12": "4ms"}
KERNELS = tuple(TICK)
MODES = ("conga", "plain")
PATTERNS = ("client-server", "demand", "incast", "hdfs", "idle")
PEERS = ("leaves", "pods")
PAIRINGS = ("all", "one", "matched")
DIRECTIONS = ("both", "one")
CONGESTION = ("cubic", "reno", "dctcp", "bbr", "lia")


class Tcp(NamedTuple):
    """What hosts are told beside Linux's defaults."""
    sysctls: tuple
    rto_min: Optional[str]


# Hosts of 2014 had neither RACK nor tail loss probes, and took three duplicate
# acknowledgements for a loss, however many packets had been reordered before. ns-2's have
# no selective acknowledgements and no timestamps either.
TCP_2014 = ("net.ipv4.tcp_recovery=0", "net.ipv4.tcp_early_retrans=0",
            "net.ipv4.tcp_max_reordering=3")
TCPS = {
    "linux": Tcp((), None),
    "2014": Tcp(TCP_2014, None),
    "ns2": Tcp((*TCP_2014, "net.ipv4.tcp_sack=0", "net.ipv4.tcp_dsack=0",
                "net.ipv4.tcp_timestamps=0"), "10ms"),
}


def workload_name(text: str) -> str:
    workload.find(text)
    return text


class Key(NamedTuple):
    section: str
    name: str
    kind: Kind
    default: str
    variable: Optional[str] = None
    rare: bool = False
    patterns: tuple = PATTERNS  # of the load that the key means something for

    @property
    def path(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def column(self) -> str:
        """Its name in a table: of one run there is one scheme."""
        return "scheme" if self.path == "schemes.names" else self.name


SIZED = ("client-server", "hdfs")  # patterns with sizes from a workload

KEYS = (
    Key("fabric", "leaves", Kind(integer(2, LEAVES_MAX)), "2", "LEAVES"),
    Key("fabric", "spines", Kind(integer(1, SPINES_MAX)), "2", "SPINES"),
    Key("fabric", "links", Kind(integer(1, UPLINKS_MAX)), "2", "LINKS"),
    Key("fabric", "hosts", Kind(integer(1, HOSTS_MAX)), "32", "HOSTS"),
    Key("fabric", "link_rate", RATE, "40gbit", "LINK_RATE"),
    Key("fabric", "host_rate", RATE, "10gbit", "HOST_RATE"),
    Key("fabric", "link_rates", Kind(LINK_RATE, shell_words), "none", "LINK_RATES"),
    Key("fabric", "link_delays", Kind(LINK_DELAY, shell_words), "none", "LINK_DELAYS",
        rare=True),
    Key("fabric", "cut", Kind(LINK, shell_words), "none", "CUT"),
    Key("fabric", "delay", TIME, "1us", "DELAY"),
    Key("fabric", "buffer", BYTES, "1MB", "BUFFER"),
    Key("fabric", "mark", Kind(optional(byte_count), shell_optional(str)), "none", "MARK"),
    Key("fabric", "gso", Kind(integer(MTU_MIN, GSO_MAX)), "1500", "GSO"),
    Key("fabric", "mtu", Kind(integer(MTU_MIN, MTU_MAX)), "1500", "MTU", rare=True),
    # Three tiers: the leaves and spines are split into so many pods, joined by so
    # many cores, with a link from each spine to each core
    Key("fabric", "pods", Kind(integer(1, LEAVES_MAX)), "1", "PODS", rare=True),
    Key("fabric", "cores", Kind(integer(0, SPINES_MAX)), "0", "CORES", rare=True),
    # A spine that drops all it forwards, its links up, from this time of the load on
    Key("fabric", "silent", Kind(NUMBERS, shell_words), "none", "SILENT", rare=True),
    Key("fabric", "silent_after", DURATION, "1ms", "SILENT_AFTER", rare=True),
    # A leaf's link that goes down at this time of the load, up again so much later, and
    # so on: so many times
    Key("fabric", "fails", Kind(LEAF_LINK, shell_words), "none", "FAILS", rare=True),
    Key("fabric", "fails_after", DURATION, "10ms", "FAILS_AFTER", rare=True),
    Key("fabric", "fails_for", DURATION, "5ms", "FAILS_FOR", rare=True),
    Key("fabric", "fails_times", Kind(integer(1, 100)), "1", "FAILS_TIMES", rare=True),

    Key("schemes", "names", Kind(choice(*SCHEMES)), "conga", "SCHEME"),
    # Of leaves for each other; plain ones feed nothing back
    Key("schemes", "mode", Kind(choice(*MODES)), "conga", "MODE", rare=True),
    Key("schemes", "options", Kind(values.options(OPTIONS)), "none", "SCHEME_OPTIONS"),
    Key("schemes", "params", Kind(values.options({name: parse for known in PARAMS.values()
                                                  for name, parse in known.items()})),
        "none", "SCHEME_PARAMS", rare=True),
    # Leaves without conga, and what they do instead; spines and cores without conga; the last
    # so many hosts of each leaf, whose tunnel conga does not know: they are hashed, and talk
    # to their like only
    Key("schemes", "leaf_schemes", Kind(LEAF_SCHEME, shell_words), "none", "LEAF_SCHEMES",
        rare=True),
    Key("schemes", "unmarked_spines", Kind(NUMBERS, shell_words), "none", "UNMARKED_SPINES",
        rare=True),
    Key("schemes", "unmarked_cores", Kind(NUMBERS, shell_words), "none", "UNMARKED_CORES",
        rare=True),
    Key("schemes", "foreign_hosts", Kind(integer(0, HOSTS_MAX)), "0", "FOREIGN_HOSTS",
        rare=True, patterns=("client-server",)),

    Key("load", "pattern", Kind(choice(*PATTERNS)), "client-server"),
    Key("load", "workload", Kind(workload_name), "websearch", patterns=SIZED),
    Key("load", "load", Kind(values.load, values.shell_number), "60%", patterns=SIZED),
    Key("load", "caps", Kind(CAP, shell_words), "none", patterns=SIZED),
    Key("load", "within", Kind(optional(values.load), shell_optional(values.shell_number)),
        "5%", patterns=SIZED),
    # Whom a host asks: those of other leaves, or of other pods, so that all of it crosses
    # the cores
    Key("load", "peers", Kind(choice(*PEERS)), "leaves", rare=True,
        patterns=("client-server",)),
    # Whom else: a client asks all servers, request by request ("all"); or one for the whole
    # run, drawn at random ("one"), or so that each server has one client ("matched")
    Key("load", "pairing", Kind(choice(*PAIRINGS)), "all", rare=True,
        patterns=("client-server",)),
    # Hosts of all leaves ask and answer; or those of the first half of all leaves answer
    # only, and the others ask
    Key("load", "direction", Kind(choice(*DIRECTIONS)), "both", rare=True,
        patterns=("client-server",)),
    Key("load", "seconds", SECONDS, "100ms",
        patterns=("client-server", "demand", "hdfs", "idle")),
    # Instead of seconds: the time in which so many transfers are expected
    Key("load", "flows", Kind(integer(0, 10 ** 6)), "0", rare=True,
        patterns=("client-server",)),
    # The transfers are the first ones of a run of that length, with the same seed
    Key("load", "prefix_of", Kind(optional(duration), shell_optional(shell_seconds)), "none",
        rare=True, patterns=("client-server",)),
    # Applications do not write a transfer at once, but 64 KB after 64 KB, at random moments,
    # which are so far apart in the mean. Each of these writes is a transfer then.
    Key("load", "think", Kind(optional(duration), shell_optional(shell_us)), "none", rare=True,
        patterns=("client-server",)),
    Key("load", "seed", Kind(integer(0, 2 ** 31)), "1"),
    # Other random numbers of the kernel, as ports and the secrets of hashes: how much of
    # a difference is chance. By itself a run does the same again to the bit.
    Key("load", "boot", Kind(integer(1, 100)), "1"),
    Key("load", "connections", Kind(integer(1, 64)), "3",
        patterns=("client-server", "demand", "hdfs")),
    Key("load", "demands", Kind(DEMAND, shell_words), "none", patterns=("demand",)),
    Key("load", "piece", BYTES, "65536", patterns=("demand",)),
    Key("load", "servers", Kind(integer(1, LEAVES_MAX * HOSTS_MAX)), "1",
        patterns=("incast",)),
    Key("load", "response", BYTES, "10MB", patterns=("incast",)),
    Key("load", "rounds", Kind(integer(1, 10000)), "20", patterns=("incast",)),
    Key("load", "jitter", TIME, "10us", patterns=("incast",)),
    Key("load", "blocks", Kind(integer(1, 1000)), "3", patterns=("hdfs",)),
    Key("load", "block", BYTES, "4MB", patterns=("hdfs",)),
    Key("load", "congestion", Kind(choice(*CONGESTION)), "cubic", "CONGESTION"),
    # Of all hosts: a name for sysctls and rto_min (TCPS), and what differs from that. The
    # experiment hears of the sum of both, so that the name is none of its settings.
    Key("load", "tcp", Kind(choice(*TCPS)), "linux", rare=True),
    Key("load", "sysctls", Kind(SYSCTL, shell_words), "none", "SYSCTLS", rare=True),
    Key("load", "rto_min", Kind(optional(whole_ms(time_between("1ms", "10s"))),
                                shell_optional(shell_ms)), "none", "RTO_MIN", rare=True),
    # That the machine boots: one has finer ticks, for an rto_min of 1 ms; the later one PLB
    Key("load", "kernel", Kind(choice(*KERNELS)), "uml", "KERNEL", rare=True),
    Key("load", "drain", SECONDS, "2s", "DRAIN"),
    Key("load", "limit", Kind(optional(duration), shell_optional(shell_seconds)), "none",
        "LIMIT"),
    Key("load", "sample", Kind(optional(duration), shell_optional(shell_us)), "100us"),
    # Of one packet each, before the load; they take longer than most loads
    Key("load", "balance_flows", Kind(integer(0, 100000)), "0", "BALANCE_FLOWS"),
    # Devices whose packets are written down, by their inner headers
    Key("load", "capture", Kind(DEVICE, shell_words), "none", "CAPTURE", rare=True),
    # All packets at leaves 0 and 1, to see which overtook which, and why
    Key("load", "order", Kind(integer(0, 1)), "0", "ORDER", rare=True),
)

BY_PATH = {key.path: key for key in KEYS}

# In tables, what a run did of which there was no key yet.
BEFORE = {key.column: key.kind.shell(key.kind.parse(key.default)) for key in KEYS}
