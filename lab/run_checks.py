# SPDX-License-Identifier: GPL-2.0
"""What must hold between the keys of a run: check() says in a sentence what does not."""
import itertools
import re

import keys
import values
from one_run import Run, core_link, pod_of, tcp_of, uplinks_of


# ---- links and boxes ----

def check_uplinks(run: Run) -> None:
    uplinks = uplinks_of(run)
    if uplinks > keys.UPLINKS_MAX:
        raise ValueError(f"a leaf has {uplinks} uplinks, more than {keys.UPLINKS_MAX}")


def check_link(run: Run, leaf: int, spine: int, link: int, word: str) -> None:
    for what, number, count in (("leaf", leaf, run["fabric.leaves"]),
                                ("spine", spine, run["fabric.spines"]),
                                ("parallel link", link, run["fabric.links"])):
        if number >= count:
            raise ValueError(f"'{word}' names {what} {number}, but there are {count}, "
                             "counted from 0")
    if pod_of(run, leaf, "leaves") != pod_of(run, spine, "spines"):
        raise ValueError(f"'{word}' names leaf {leaf} and spine {spine}, which are of "
                         "different pods")


def check_spine(run: Run, spine: int, word: str) -> None:
    if spine >= run["fabric.spines"]:
        raise ValueError(f"'{word}' names spine {spine}, but there are "
                         f"{run['fabric.spines']}, counted from 0")


def check_core_link(run: Run, spine: int, core: int, word: str) -> None:
    for what, number, count in (("spine", spine, run["fabric.spines"]),
                                ("core", core, run["fabric.cores"])):
        if number >= count:
            raise ValueError(f"'{word}' names {what} {number}, but there are {count}, "
                             "counted from 0")


def check_cut(run: Run) -> None:
    cut = run["fabric.cut"]
    for word in cut:
        if core_link(word):
            check_core_link(run, *core_link(word), word)
        else:
            check_link(run, *map(int, word.split(".")), word)
        if cut.count(word) > 1:
            raise ValueError(f"'{word}' is cut twice")
    check_cut_in_pods(run)
    check_cut_between_pods(run)


def check_cut_in_pods(run: Run) -> None:
    left = {leaf: spines_left(run, leaf) for leaf in range(run["fabric.leaves"])}
    for leaf, spines in left.items():
        if not spines:
            raise ValueError(f"all uplinks of leaf {leaf} are cut")
    for one, other in itertools.combinations(left, 2):
        if pod_of(run, one, "leaves") == pod_of(run, other, "leaves") \
                and not left[one] & left[other]:
            raise ValueError(f"leaf {one} and leaf {other} have no spine in common")


def spines_left(run: Run, leaf: int) -> set:
    """Of its pod, those to which not all links are cut."""
    cut = run["fabric.cut"]
    return {spine for spine in range(run["fabric.spines"])
            if pod_of(run, spine, "spines") == pod_of(run, leaf, "leaves")
            and any(f"{leaf}.{spine}.{link}" not in cut
                    for link in range(run["fabric.links"]))}


def check_cut_between_pods(run: Run) -> None:
    left = {leaf: cores_left(run, leaf) for leaf in range(run["fabric.leaves"])}
    for one, other in itertools.combinations(left, 2):
        if pod_of(run, one, "leaves") != pod_of(run, other, "leaves") \
                and not left[one] & left[other]:
            raise ValueError(f"leaf {one} and leaf {other} have no core in common")


def cores_left(run: Run, leaf: int) -> set:
    """To which a spine has a link, to which the leaf has one."""
    return {core for core in range(run["fabric.cores"])
            if any(f"spine{spine}-core{core}" not in run["fabric.cut"]
                   for spine in spines_left(run, leaf))}


def check_fails(run: Run) -> None:
    """What comes for the leaf by the spine is lost while its link is down: it must be the
    only one."""
    words = run["fabric.fails"]
    if not words:
        return
    if len(words) > 1:
        raise ValueError("more than one link fails")
    check_link(run, *map(int, words[0].split(".")), words[0])
    if run["fabric.links"] > 1:
        raise ValueError(f"'{words[0]}' fails beside a parallel link: say links = 1")
    if words[0] in run["fabric.cut"]:
        raise ValueError(f"'{words[0]}' is cut, and fails")
    last = run["fabric.fails_after"] + 2 * run["fabric.fails_times"] * run["fabric.fails_for"]
    if last > run["load.seconds"]:
        raise ValueError(f"failures take {last / 1e6:g} ms, longer than the load")


def check_exceptions(run: Run) -> None:
    for name, parse in (("link_rates", values.rate), ("link_delays", values.time)):
        for word in run[f"fabric.{name}"]:
            direction, _, text = word.partition("=")
            parse(text)
            if "-" not in direction:
                check_spine(run, int(direction.removeprefix("spine")), word)
                continue
            leaf = int(re.search(r"leaf([0-9]+)", direction)[1])
            spine, link = map(int, re.search(r"spine([0-9]+)\.([0-9]+)", direction).groups())
            check_link(run, leaf, spine, link, word)


def check_boxes(run: Run) -> None:
    boxes = [("leaf", int(word.split("=")[0]), run["fabric.leaves"])
             for word in run["schemes.leaf_schemes"]]
    boxes += [("spine", int(word), run["fabric.spines"])
              for word in run["schemes.unmarked_spines"] + run["fabric.silent"]]
    boxes += [("core", int(word), run["fabric.cores"])
              for word in run["schemes.unmarked_cores"]]
    for what, number, count in boxes:
        if number >= count:
            raise ValueError(f"there is no {what} {number}: there are {count}, "
                             "counted from 0")
    leaves = [word.split("=")[0] for word in run["schemes.leaf_schemes"]]
    for leaf in leaves:
        if leaves.count(leaf) > 1:
            raise ValueError(f"leaf {leaf} has two schemes")
    if run["schemes.foreign_hosts"] > run["fabric.hosts"]:
        raise ValueError("more foreign hosts than hosts")


def check_pods(run: Run) -> None:
    pods, cores = run["fabric.pods"], run["fabric.cores"]
    if (pods > 1) != (cores > 0):
        raise ValueError("pods are joined by cores: say both or none")
    if run["fabric.leaves"] % pods or run["fabric.spines"] % pods:
        raise ValueError(f"leaves and spines cannot be shared out among {pods} pods")
    if run["load.peers"] == "pods" and pods < 2:
        raise ValueError("hosts of other pods are asked, but there is one pod")
    if run["load.peers"] == "pods" and run["schemes.foreign_hosts"]:
        raise ValueError("foreign hosts ask hosts of other leaves, not of other pods")


# ---- schemes ----

def check_scheme(run: Run) -> None:
    for name in ("options", "leaf_schemes", "unmarked_spines", "unmarked_cores"):
        if run["schemes.names"] in ("stock", "plb") and run[f"schemes.{name}"]:
            raise ValueError(f"the scheme {run['schemes.names']} has no {name}")
    if run["schemes.names"] == "mptcp":
        check_mptcp(run)
    known = keys.PARAMS.get(run["schemes.names"], {})
    for name in run["schemes.params"].split()[::2]:
        if name not in known:
            raise ValueError(f"the scheme {run['schemes.names']} has no parameter {name}")
    for name in ("leaf_schemes", "unmarked_spines", "unmarked_cores"):
        if run["schemes.names"] == "hula" and run[f"schemes.{name}"]:
            raise ValueError(f"the scheme hula has no {name}: every box decides")
    if run["schemes.names"] == "plb" and (run["load.congestion"], run["load.kernel"]) \
            != ("dctcp", "uml-6.12"):
        raise ValueError("plb is a part of dctcp, in Linux from 6.2 on: say load.congestion = "
                         "dctcp, fabric.mark and load.kernel = uml-6.12")
    if run["load.congestion"] == "dctcp" and run["fabric.mark"] is None:
        raise ValueError("dctcp needs ports that mark: say fabric.mark")


def check_mptcp(run: Run) -> None:
    """The scheme is ECMP at every leaf; a captured packet does not tell its connection."""
    if run["schemes.leaf_schemes"]:
        raise ValueError("the scheme mptcp has no leaf_schemes: every leaf does ECMP")
    if run["load.capture"]:
        raise ValueError("the scheme mptcp has no capture: each subflow would be taken for "
                         "a connection")


# ---- the load ----

def check_demands(run: Run) -> None:
    if run["load.pattern"] != "demand":
        return
    if not run["load.demands"]:
        raise ValueError("the pattern demand has no load.demands")
    for word in run["load.demands"]:
        leaves, _, text = word.partition(":")
        source, sink = map(int, leaves.split("-"))
        if source == sink or max(source, sink) >= run["fabric.leaves"]:
            raise ValueError(f"'{word}' does not go from one of {run['fabric.leaves']} "
                             "leaves, counted from 0, to another")
        values.rate(text)


def check_hosts(run: Run) -> None:
    hosts = run["fabric.leaves"] * run["fabric.hosts"]
    if run["load.pattern"] == "incast" and run["load.servers"] >= hosts:
        raise ValueError(f"{run['load.servers']} servers and their client are more than "
                         f"{hosts} hosts")
    if run["load.pattern"] == "hdfs" and run["fabric.hosts"] < 2:
        raise ValueError("two replicas on one leaf need two hosts")


def check_caps(run: Run) -> None:
    for word in run["load.caps"]:
        name, _, text = word.partition(":")
        keys.workload_name(name)
        values.byte_count(text)


def check_pairs(run: Run) -> None:
    """Half of the leaves, or of the pods, are whole ones."""
    what = "pods" if run["load.peers"] == "pods" else "leaves"
    if run["load.direction"] == "one" and run[f"fabric.{what}"] % 2:
        raise ValueError(f"one half of {run[f'fabric.{what}']} {what} cannot send to the other: "
                         "say an even number")


def check_prefix(run: Run) -> None:
    whole = run["load.prefix_of"]
    if whole and whole < run["load.seconds"]:
        raise ValueError(f"a run of {run['load.seconds'] / 1e6:g} ms is not the first part of one "
                         f"of {whole / 1e6:g} ms")


def check_tcp(run: Run) -> None:
    names = [word.partition("=")[0] for word in run["load.sysctls"]]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the sysctl {name} is set twice")
    tick, rto_min = values.time(keys.TICK[run["load.kernel"]]), tcp_of(run).rto_min
    if rto_min and values.time(rto_min) < tick:
        raise ValueError(f"rto_min {rto_min} is less than a tick of the kernel "
                         f"{run['load.kernel']}, {tick / 1e6:g} ms")


def check_bursts(run: Run) -> None:
    if run["fabric.gso"] < run["fabric.mtu"]:
        raise ValueError(f"a burst of {run['fabric.gso']} bytes is less than a packet of "
                         f"{run['fabric.mtu']}: say fabric.gso")


CHECKS = (check_pods, check_uplinks, check_cut, check_fails, check_exceptions, check_boxes,
          check_scheme, check_demands, check_hosts, check_caps, check_pairs, check_prefix,
          check_tcp, check_bursts)


def check(run: Run) -> None:
    for one in CHECKS:
        one(run)
