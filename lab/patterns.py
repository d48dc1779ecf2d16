# SPDX-License-Identifier: GPL-2.0
"""The patterns of load: which transfer starts when, from whom to whom.

Every function draws from the generator in the order in which it is written here, so
that a seed gives the same transfers for ever. Hosts are numbered leaf by leaf.
"""
from typing import NamedTuple, Optional

import numpy
from numpy.random import Generator

import one_run
import values
import workload
from one_run import Run
from workload import Workload

NOTHING = -1            # no group, nothing to wait for, nothing to relay
ARRIVALS_AT_ONCE = 4096
WRITE_BYTES = 65536     # of an application that pauses between its writes (load.think)
DRAWS_MAX = 10000       # of all transfers of a run, until their load is what was asked for

FIELDS = ("start", "size", "sender", "receiver", "copy", "group", "after", "relay")


class Transfers(NamedTuple):
    """Columns of equal length; start in ns, size in bytes."""
    start: numpy.ndarray
    size: numpy.ndarray
    sender: numpy.ndarray
    receiver: numpy.ndarray
    copy: numpy.ndarray
    group: numpy.ndarray
    after: numpy.ndarray
    relay: numpy.ndarray


def transfers(start, size, sender, receiver, copy) -> Transfers:
    """That belong to no group."""
    nothing = numpy.full(len(start), NOTHING)
    return Transfers(start, size, sender, receiver, copy, nothing, nothing, nothing)


def joined(parts: list) -> Transfers:
    return Transfers(*(numpy.concatenate(column) for column in zip(*parts)))


def by_start(found: Transfers) -> Transfers:
    order = numpy.argsort(found.start, kind="stable")
    return Transfers(*(column[order] for column in found))


def before(found: Transfers, ns: int) -> Transfers:
    """Those that begin before that."""
    kept = found.start < ns
    return Transfers(*(column[kept] for column in found))


# ---- sizes ----

def capped(table: Workload, cap: Optional[int]) -> Workload:
    """The table with every size above `cap` bytes made `cap`."""
    if cap is None or cap >= table.sizes[-1]:
        return table
    sizes, cumulative = table.sizes, table.probabilities
    if cap <= sizes[0]:
        raise ValueError(f"a cap of {cap} bytes is not above the smallest size of "
                         f"{table.name}, {float(sizes[0]):g} bytes")
    i = next(i for i, size in enumerate(sizes) if size > cap)
    share = (cap - sizes[i - 1]) / (sizes[i] - sizes[i - 1])
    at_cap = cumulative[i - 1] + share * (cumulative[i] - cumulative[i - 1])
    return Workload(table.name, sizes[:i] + [cap, cap], cumulative[:i] + [at_cap, 1])


def table_of(run: Run) -> Workload:
    return capped(workload.find(run["load.workload"]), one_run.cap_of(run))


def draw_sizes(table: Workload, generator: Generator, count: int) -> numpy.ndarray:
    """Whole bytes, at least one."""
    drawn = workload.draw(table, generator, count)
    return numpy.maximum(1, numpy.rint(drawn)).astype(numpy.int64)


# ---- arrivals and hosts ----

def poisson(generator: Generator, per_second: float, end_ns: int) -> numpy.ndarray:
    """Moments before `end_ns`, in ns."""
    parts, last = [], 0.0
    while last < end_ns:
        gaps = generator.exponential(values.NS_PER_SECOND / per_second, ARRIVALS_AT_ONCE)
        parts.append(last + numpy.cumsum(gaps))
        last = parts[-1][-1]
    moments = numpy.concatenate(parts)
    return moments[moments < end_ns].astype(numpy.int64)


def hosts_of(generator: Generator, leaf: numpy.ndarray, hosts: int) -> numpy.ndarray:
    """For each leaf one of its hosts."""
    return leaf * hosts + generator.integers(hosts, size=len(leaf))


def other_leaves(generator: Generator, leaf: numpy.ndarray, leaves: int) -> numpy.ndarray:
    return (leaf + generator.integers(1, leaves, size=len(leaf))) % leaves


def leaves_of_other_pods(generator: Generator, leaf: numpy.ndarray, run: Run) -> numpy.ndarray:
    leaves, pods = run["fabric.leaves"], run["fabric.pods"]
    first = leaf // (leaves // pods) * (leaves // pods)     # of the leaf's own pod
    offset = generator.integers(leaves // pods, leaves, size=len(leaf))
    return (first + offset) % leaves


def leaves_of_other_half(generator: Generator, leaf: numpy.ndarray, run: Run) -> numpy.ndarray:
    half = run["fabric.leaves"] // 2
    return numpy.where(leaf < half, half, 0) + generator.integers(half, size=len(leaf))


def partners(generator: Generator, run: Run, host: numpy.ndarray) -> numpy.ndarray:
    """For each host one of another leaf, or another pod, or the other half of all leaves, and
    of the same tunnel: the last hosts of each leaf are foreign, and talk only to each other.
    Drawn: leaves, hosts."""
    hosts, foreign = run["fabric.hosts"], run["schemes.foreign_hosts"]
    if run["load.direction"] == "one":
        leaf = leaves_of_other_half(generator, host // hosts, run)
    elif run["load.peers"] == "pods":
        leaf = leaves_of_other_pods(generator, host // hosts, run)
    else:
        leaf = other_leaves(generator, host // hosts, run["fabric.leaves"])
    own = hosts - foreign
    first = numpy.where(host % hosts < own, 0, own)
    count = numpy.where(host % hosts < own, own, foreign)
    return leaf * hosts + first + generator.integers(count)


# ---- a server for each client, for the whole run ----

def blocks_of(run: Run) -> int:
    """Blocks of leaves; a host's partner is of another block."""
    if run["load.direction"] == "one":
        return 2
    return run["fabric.pods"] if run["load.peers"] == "pods" else run["fabric.leaves"]


def matched(run: Run, generator: Generator) -> numpy.ndarray:
    """For each host a server that is no other host's. The hosts of one number, one of each
    leaf, all go on by as many blocks, and by as many leaves in the block. Drawn: these, and
    which number each has at its server's leaf, leaf by leaf."""
    leaves, hosts = run["fabric.leaves"], run["fabric.hosts"]
    own, width = hosts - run["schemes.foreign_hosts"], leaves // blocks_of(run)
    block_on = generator.integers(1, leaves // width, size=hosts)
    leaf_on = generator.integers(width, size=hosts)
    numbers = numpy.stack([numpy.concatenate((generator.permutation(own),
                                              own + generator.permutation(hosts - own)))
                           for _ in range(leaves)])
    leaf, number = numpy.divmod(numpy.arange(leaves * hosts), hosts)
    server_leaf = (leaf + width * block_on[number]) % leaves // width * width \
        + (leaf + leaf_on[number]) % width
    return server_leaf * hosts + numbers[server_leaf, number]


def servers_of_clients(run: Run, generator: Generator) -> numpy.ndarray:
    """For each host the only one that it asks."""
    if run["load.pairing"] == "matched":
        return matched(run, generator)
    return partners(generator, run, numpy.arange(run["fabric.leaves"] * run["fabric.hosts"]))


# ---- the patterns ----

def client_server(run: Run, generator: Generator) -> Transfers:
    """Every host asks random servers on other leaves, or one of them, at random moments.

    Each leaf that answers sends, on average, the load times the healthy capacity of its
    uplinks, with headers. A short run of heavy-tailed sizes is often far from the average,
    so all transfers are drawn anew until their bytes are near enough (load.within) to the
    load's.
    """
    asked = one_run.offered_rate(run) * run["load.seconds"] / values.NS_PER_SECOND
    within = run["load.within"]
    for _ in range(DRAWS_MAX):
        found = client_server_draw(run, generator)
        if within is None or abs(int(found.size.sum()) - asked) <= within * asked:
            return written(run, generator, found) if run["load.think"] else found
    raise ValueError(f"{run.scenario}: not one of {DRAWS_MAX} draws has a load within "
                     f"{float(within):.0%} of {float(run['load.load']):.0%}: the run is too "
                     "short for such sizes")


def client_server_draw(run: Run, generator: Generator) -> Transfers:
    """In this order: moments, servers and clients, connections, sizes."""
    table = table_of(run)
    per_second = one_run.offered_rate(run) / float(workload.mean(table))
    start = poisson(generator, per_second, run["load.seconds"])
    server, client = ends(run, generator, len(start))
    copy = generator.integers(run["load.connections"], size=len(start))
    return transfers(start, draw_sizes(table, generator, len(start)), server, client, copy)


def written(run: Run, generator: Generator, found: Transfers) -> Transfers:
    """Each transfer as writes on its connection, of which the last ones may begin too late to
    be a part of the run. Drawn: the pauses, transfer by transfer."""
    count = -(-found.size // WRITE_BYTES)
    which = numpy.repeat(numpy.arange(len(count)), count)
    first = numpy.cumsum(count) - count
    pauses = generator.exponential(run["load.think"], len(which))
    since = numpy.cumsum(pauses)
    start = found.start[which] + (since - since[first][which]).astype(numpy.int64)
    size = numpy.full(len(which), WRITE_BYTES)
    size[first + count - 1] = found.size - (count - 1) * WRITE_BYTES
    writes = transfers(start, size, found.sender[which], found.receiver[which],
                       found.copy[which])
    return before(by_start(writes), run["load.seconds"])


def ends(run: Run, generator: Generator, count: int) -> tuple:
    """(server, client) of so many requests. Drawn: the servers' leaves, the servers, the
    clients' leaves, the clients; if each client has one server: these, the clients' leaves,
    the clients."""
    leaves, hosts = run["fabric.leaves"], run["fabric.hosts"]
    answering = one_run.answering_leaves(run)
    if run["load.pairing"] == "all":
        server = hosts_of(generator, generator.integers(answering, size=count), hosts)
        return server, partners(generator, run, server)
    server_of = servers_of_clients(run, generator)
    leaf = generator.integers(leaves - answering if answering < leaves else 0, leaves, size=count)
    client = hosts_of(generator, leaf, hosts)
    return server_of[client], client


def one_demand(run: Run, generator: Generator, word: str) -> Transfers:
    """Pieces that arrive on many connections between two leaves, at random moments.

    The rate is that on a fabric link, with all headers. Drawn: moments, senders,
    receivers, connections.
    """
    leaves, _, text = word.partition(":")
    source, sink = map(int, leaves.split("-"))
    payload = values.rate(text) / 8 * run.payload
    start = poisson(generator, payload / run["load.piece"], run["load.seconds"])
    leaf = numpy.ones(len(start), numpy.int64)
    sender = hosts_of(generator, source * leaf, run["fabric.hosts"])
    receiver = hosts_of(generator, sink * leaf, run["fabric.hosts"])
    copy = generator.integers(run["load.connections"], size=len(start))
    return transfers(start, run["load.piece"] * leaf, sender, receiver, copy)


def demand(run: Run, generator: Generator) -> Transfers:
    """One demand after the other is drawn."""
    return by_start(joined([one_demand(run, generator, word)
                            for word in run["load.demands"]]))


def incast_round(run: Run, generator: Generator, number: int) -> Transfers:
    """Host 0 gets its file from so many others, each of which has a stripe of it.

    Drawn: the servers, and when each of them begins, in ns.
    """
    servers = run["load.servers"]
    hosts = run["fabric.leaves"] * run["fabric.hosts"]
    sender = 1 + generator.choice(hosts - 1, size=servers, replace=False)
    start = generator.integers(run["load.jitter"] + 1, size=servers)
    size = numpy.full(servers, -(-run["load.response"] // servers))
    nothing = numpy.full(servers, NOTHING)
    zero = numpy.zeros(servers, numpy.int64)
    return Transfers(start, size, sender, zero, zero, zero + number,
                     zero + number - 1 if number else nothing, nothing)


def incast(run: Run, generator: Generator) -> Transfers:
    """Round after round: the next request follows the last byte of this answer."""
    rounds = [incast_round(run, generator, number) for number in range(run["load.rounds"])]
    return joined([by_start(rounds[0])] + rounds[1:])


def replicas(run: Run, generator: Generator, writer: int) -> tuple:
    """(another leaf's host, another host of that leaf), as a rack-aware HDFS has it.

    The first replica is the writer's own. Drawn: leaf, host, other host.
    """
    leaves, hosts = run["fabric.leaves"], run["fabric.hosts"]
    leaf = (writer // hosts + int(generator.integers(1, leaves))) % leaves
    second = int(generator.integers(hosts))
    third = (second + int(generator.integers(1, hosts))) % hosts
    return leaf * hosts + second, leaf * hosts + third


def write_job(run: Run, generator: Generator) -> Transfers:
    """Every host writes block after block, each through a pipeline of replicas.

    A block is a group: the next one begins when both replicas have all of it.
    """
    rows, blocks, size = [], run["load.blocks"], run["load.block"]
    for writer in range(run["fabric.leaves"] * run["fabric.hosts"]):
        for block in range(blocks):
            group = writer * blocks + block
            after = group - 1 if block else NOTHING
            second, third = replicas(run, generator, writer)
            rows.append((0, size, writer, second, 0, group, after, NOTHING))
            rows.append((0, size, second, third, 0, group, after, len(rows) - 1))
    return Transfers(*numpy.array(rows, numpy.int64).T)


def hdfs(run: Run, generator: Generator) -> Transfers:
    """The job, and other traffic, of the client-server pattern, from the start on."""
    return joined([write_job(run, generator), client_server(run, generator)])


def idle(run: Run, _generator: Generator) -> Transfers:
    """A byte from the first leaf to the next at the start, and one at the end: what links
    carry between is what boxes tell each other."""
    both = numpy.ones(2, numpy.int64)
    start = numpy.array([0, run["load.seconds"]])
    return transfers(start, both, 0 * both, run["fabric.hosts"] * both, 0 * both)


PATTERNS = {"client-server": client_server, "demand": demand, "incast": incast, "hdfs": hdfs,
            "idle": idle}
