# SPDX-License-Identifier: GPL-2.0
"""Scenarios: what a figure's runs are, out of scenarios/NAME.ini.

[fabric], [schemes] and [load] hold the keys of keys.py. [quick], [reduced] and [full]
override them by "section.key = value", and a section such as [full longer] adds runs
that differ from those of [full] once more. Several values, separated by commas, make
a run each, combined with all others. Everything is checked before anything boots.
"""
import configparser
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import NamedTuple

import keys
import values
import workload
from keys import BY_PATH, KEYS

FOLDER = Path(__file__).resolve().parent / "scenarios"
FORMS = ("quick", "reduced", "full")
PARTS = ("fabric", "schemes", "load")
HEADER_KEYS = ("title", "claims", "most")
MOST = "4GB"            # bytes that a run of the quick and the reduced form carries
HASH_DIGITS = 8
NOT_OF_THE_TRACE = ("load.sample", "load.boot", "load.tcp", "load.flows")


class Scenario(NamedTuple):
    name: str
    title: str
    claims: tuple
    most: int           # bytes
    base: dict          # path of a key -> text
    variants: dict      # form -> list of {path: text}


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


# ---- reading ----

def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.ini"))


def find(name: str) -> Scenario:
    if name not in names():
        raise ValueError(f"unknown scenario '{name}': there are {', '.join(names())}")
    return read(FOLDER / f"{name}.ini")


def parse_file(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, default_section="",
                                       inline_comment_prefixes=("#",))
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path.name))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except configparser.Error as error:
        raise ValueError(" ".join(str(error).split())) from None
    return parser


def read(path: Path) -> Scenario:
    parser = parse_file(path)
    base, variants, header = {}, {}, {}
    for section in parser.sections():
        where = f"{path.name}: [{section}]"
        items = dict(parser[section])
        form = section.split(" ")[0]
        if section == "scenario":
            header = read_header(items, where)
        elif section in PARTS:
            base.update(read_part({f"{section}.{name}": text for name, text in items.items()},
                                  where))
        elif form in FORMS and re.fullmatch(r"[a-z]+( [a-z0-9-]+)?", section):
            variants[section] = read_part(items, where)
        else:
            raise ValueError(f"{where}: unknown section")
    if not header:
        raise ValueError(f"{path.name}: no section [scenario]")
    return Scenario(path.stem, header["title"], header["claims"], header["most"], base,
                    layer(variants, path.name))


def read_header(items: dict, where: str) -> dict:
    for name in items:
        if name not in HEADER_KEYS:
            raise ValueError(f"{where} unknown key '{name}'")
    if not items.get("title"):
        raise ValueError(f"{where} has no title")
    try:
        most = values.byte_count(items.get("most", MOST))
    except ValueError as error:
        raise ValueError(f"{where} most: {error}") from None
    claims = tuple(items.get("claims", "").replace(",", " ").split())
    for claim in claims:
        if not re.fullmatch(r"[A-Z][0-9]{1,2}", claim):
            raise ValueError(f"{where} claims: '{claim}' does not look like C01")
    return {"title": items["title"], "claims": claims, "most": most}


def read_part(items: dict, where: str) -> dict:
    for path, text in items.items():
        if path not in BY_PATH:
            raise ValueError(f"{where} unknown key '{path}'")
        if text is None or not text.strip():
            raise ValueError(f"{where} {path}: no value; say none, if it may be empty")
        parse_values(path, text, where)
    return items


def parse_values(path: str, text: str, where: str) -> list:
    """One value for each that commas separate."""
    try:
        return [BY_PATH[path].kind.parse(word.strip()) for word in text.split(",")]
    except ValueError as error:
        raise ValueError(f"{where} {path}: {error}") from None


def layer(variants: dict, name: str) -> dict:
    """[full longer] starts from [full]."""
    layered = {form: [] for form in FORMS}
    for section, items in variants.items():
        form = section.split(" ")[0]
        if form not in variants:
            raise ValueError(f"{name}: [{section}] without [{form}]")
        layered[form].append({**variants[form], **items})
    return layered


# ---- runs ----

def has_form(scenario: Scenario, form: str) -> bool:
    return bool(scenario.variants[form])


def expand(scenario: Scenario, form: str) -> list[Run]:
    """The runs of a form, each once."""
    if form not in FORMS:
        raise ValueError(f"unknown form '{form}': there are {', '.join(FORMS)}")
    if not has_form(scenario, form):
        raise ValueError(f"{scenario.name}.ini: no section [{form}]")
    runs = {}
    for variant in scenario.variants[form]:
        for run in combine(scenario, {**scenario.base, **variant}):
            check_run(scenario, form, run)
            runs.setdefault(run_key(run), run)
    return list(runs.values())


def combine(scenario: Scenario, texts: dict) -> list[Run]:
    where = f"{scenario.name}.ini:"
    alternatives = [parse_values(key.path, texts.get(key.path, key.default), where)
                    for key in KEYS]
    check_meaning(scenario, texts)
    return [timed(scenario, Run(scenario.name, dict(zip(BY_PATH, combination))), texts)
            for combination in itertools.product(*alternatives)]


def timed(scenario: Scenario, run: Run, texts: dict) -> Run:
    """With the seconds in which so many transfers are expected, if a number is said."""
    if not run["load.flows"]:
        return run
    for path in ("load.seconds", "load.caps"):
        if path in texts:
            raise ValueError(f"{scenario.name}.ini: {path} beside load.flows, from which the "
                             "seconds follow by the mean of all sizes: say one of them")
    mean = float(workload.mean(workload.find(run["load.workload"])))
    seconds = run["load.flows"] * mean / offered_rate(run)
    return run._replace(values={**run.values,
                                "load.seconds": round(seconds * values.NS_PER_SECOND)})


def check_meaning(scenario: Scenario, texts: dict) -> None:
    """A key that the pattern of the load does not look at is a mistake."""
    pattern = texts.get("load.pattern", BY_PATH["load.pattern"].default)
    for path in texts:
        if pattern not in BY_PATH[path].patterns:
            raise ValueError(f"{scenario.name}.ini: {path} means nothing to the pattern "
                             f"{pattern}")


# ---- what must hold between keys ----

def check_run(scenario: Scenario, form: str, run: Run) -> None:
    try:
        for check in CHECKS:
            check(run)
        if form != "full" and run_bytes(run) > scenario.most:
            raise ValueError(f"a {form} run carries {run_bytes(run) / 1e9:.1f} GB, more than "
                             f"{scenario.most / 1e9:g} GB")
    except ValueError as error:
        raise ValueError(f"{scenario.name}.ini: [{form}] {error}") from None


def check_uplinks(run: Run) -> None:
    uplinks = uplinks_of(run)
    if uplinks > keys.UPLINKS_MAX:
        raise ValueError(f"a leaf has {uplinks} uplinks, more than {keys.UPLINKS_MAX}")


def uplinks_of(run: Run) -> int:
    """Of a leaf, which has links to the spines of its own pod only."""
    return run["fabric.spines"] // run["fabric.pods"] * run["fabric.links"]


def pod_of(run: Run, number: int, what: str) -> int:
    return number * run["fabric.pods"] // run[f"fabric.{what}"]


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


def core_link(word: str) -> tuple:
    """(spine, core) of a link between them, or nothing of another."""
    return tuple(map(int, re.findall("[0-9]+", word))) if word.startswith("spine") else ()


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


# ---- what a run is ----

def leaf_capacity(run: Run) -> int:
    """bit/s of a healthy leaf's uplinks, one direction"""
    return uplinks_of(run) * run["fabric.link_rate"]


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


def whole(run: Run) -> Run:
    """That whose first transfers these are; itself, if it is no part."""
    length = run["load.prefix_of"] or run["load.seconds"]
    return run._replace(values={**run.values, "load.seconds": length, "load.prefix_of": None})


def at_once(run: Run) -> Run:
    """The same without pauses within its transfers."""
    return run._replace(values={**run.values, "load.think": None})


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
