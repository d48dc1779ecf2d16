# SPDX-License-Identifier: GPL-2.0
"""Tables of runs that never were: every run of a form, in a world of one's choice.

A world says what a run's numbers are: in PAPER every claim is right, in FLAT all
schemes are the same.
"""
import hashlib
from typing import Callable, NamedTuple

import context

one_run = context.module("one_run")
scenario = context.module("scenario")
keys = context.module("keys")
tables = context.module("tables")

SEED_STEP = 1e-3            # between seeds, relative
OPTIONS_INSIDE = ("q 4", "q 5", "q 6", "tdre 10us", "tdre 20us", "tdre 30us", "tdre 50us",
                  "flowlet-timeout 300us", "flowlet-timeout 700us", "flowlet-timeout 1ms")


class World(NamedTuple):
    fct: Callable           # (run's row) -> mean FCT, of 1 for CONGA at its best
    small: Callable         # -> that of small transfers
    large: Callable
    carried: Callable       # -> {link: Gbit/s}
    waited: Callable        # -> bytes at each port
    failed: Callable        # -> (s until the last packet is lost, s until it carries again)
    job: Callable           # -> seconds of an Incast job of 1 GB
    told: float             # by probes, of what the formula says


# ---- where the paper is right ----

def figure_15(run: dict) -> float:
    if run["load"] == "0.3":
        return 1.4 if run["host_rate"] == "40000000000bit" else 1.08
    heavy = {"websearch": 1.0, "datamining": 1.1, "enterprise": 0.95}[run["workload"]]
    return heavy * {"2": 1.3, "4": 1.2, "12": 1.1}[run["spines"]] * (
        1.1 if run["load"] == "0.8" else 1)


def figure_14(run: dict) -> float:
    return {"ecmp": 1.9, "local": 1.2, "conga": 1.05}[run["scheme"]] if run["cut"] else 1.02


def sweep(run: dict) -> float:
    if run["options"] in ("", *OPTIONS_INSIDE):
        return 1.1 if run["options"] else 1
    return 1.3


def grey(run: dict) -> float:
    return 3 if "hello off" in run["options"] else 1


ECMP = {"fig9": 1.02, "fig10": 1.5, "fig12": 1.2, "fig13": 1, "fig16": 1.5, "mixed": 2,
        "three-tier": 1.5, "grey": 2, "sweep": 4, "fig2": 1, "fig3": 1, "fig5": 1,
        "schemes": 2, "foreign": 2, "foreign-more": 2, "foreign-tree": 2, "plain": 2,
        "headline-deep": 5.5, "headline-mining": 7, "frames": 6}
HEADLINE = {"0.1": 1.4, "0.3": 1.9, "1": 3.3, "3": 16}  # by the run's length


OTHERS = {"stock": 7, "local": 1.5, "conga-flow": 1.05, "mptcp": 1.4, "letflow": 1.1, "wcmp": 1.9,
          "rps": 3, "drb": 2.5, "presto": 1.3, "drill": 1.6, "plb": 1.2, "hula": 1,
          "rehash": 2.2, "letflow-rate": 1.08}


# ---- where HULA's is right, too ----

def fat_tree(run: dict) -> float:
    """By scheme; 1 is HULA's"""
    if run["scheme"] == "hula":
        return 1
    if run["workload"] == "datamining":
        return {"ecmp": 1.6, "conga-prime": 1.4}[run["scheme"]]
    ecmp, prime = {"0.2": (1.02, 1.01), "0.5": (2.2, 1.6), "0.7": (3.8, 2.7),
                   "0.8": (4, 2.9), "0.9": (5, 3.1)}[run["load"]]
    return ecmp if run["scheme"] == "ecmp" else prime


def fat_tree_cut(run: dict) -> float:
    if run["scheme"] == "hula":
        return 1.15 if "probe 2ms" in run["options"] and run["load"] == "0.9" else 1
    return {"ecmp": 8.5, "conga-prime": 2.7}[run["scheme"]]


HULA = {"fattree": fat_tree, "fattree-cut": fat_tree_cut, "linkdown": lambda run: 1,
        "probes": lambda run: 1}


# ---- and TR's ----

TR_FCT = {"tr": 1, "letflow": 1.3, "conga": 1.3, "presto": 1.4, "ecmp": 1.5, "drb": 1.8, "rps": 2.6}
TR_TAIL = {"letflow": 2.2, "rps": 5.2}
TR_FAR = {"rps": 0.3, "drb": 0.4}   # of their throughput, where paths are not equally long


def tr_fct(run: dict) -> float:
    if run["scenario"] == "tr-short":
        return 1 if run["params"].endswith("short 100000") else 1.1
    return TR_FCT[run["scheme"]]


def tr_cells(run: dict, world) -> dict:
    """Of sizes that only TR's claims look at."""
    fct = world.fct(run) if run["scenario"] == "tr" else 1
    tail = TR_TAIL.get(run["scheme"], 1) if world is PAPER else 1
    far = TR_FAR.get(run["scheme"], 1) if run["link_delays"] and world is PAPER else 1
    return {"middle_mean_fct_s": str(fct), "long_mean_fct_s": str(fct),
            "small_p99_fct_s": str(0.01 * tail),
            "long_goodput_bit_s": str(1e9 * far * (1 + SEED_STEP * (run["scheme"] == "tr")
                                                   * (world is PAPER)))}


def resent(run: dict, world) -> str:
    return "0" if run["scheme"] == "tr" and world is PAPER else "100"


def paper_fct(run: dict) -> float:
    name, scheme = run["scenario"], run["scheme"]
    if name.split("-")[0] == "tr":
        return tr_fct(run)
    if name in HULA:
        return HULA[name](run)
    if name == "fig14":
        return figure_14(run)
    if scheme == "ecmp":
        if name == "fig11":
            return 1.5
        if name == "headline":
            return HEADLINE[run["seconds"]]
        return figure_15(run) if name == "fig15" else ECMP[name]
    if scheme == "conga":
        return {"sweep": sweep, "grey": grey}.get(name, lambda run: 1)(run)
    return 2.1 if (name, scheme) == ("fig11", "mptcp") else OTHERS[scheme]


def paper_small(run: dict) -> float:
    if (run["scenario"], run["scheme"]) == ("fig9", "mptcp"):
        return 1.5
    if run["scenario"] == "tr":
        return tr_fct(run)
    if run["scenario"] == "fattree-cut":
        return {"ecmp": 11 if run["workload"] == "websearch" else 1.6,
                "hula": 1}.get(run["scheme"], 3)
    return 1.15 if run["scenario"] == "fig9" and run["scheme"] == "conga" else 1


def paper_large(run: dict) -> float:
    if run["scenario"] == "fattree-cut":
        return {"ecmp": 4.1, "hula": 1}.get(run["scheme"], 2)
    return 1.22 if run["scenario"] == "fig9" and run["scheme"] == "ecmp" else 1


def figure_3(run: dict) -> dict:
    both = "0-2" in run["demands"]
    spine1 = {"ecmp": 20, "local": 15, "conga": 38}[run["scheme"]] if both else 20
    spine0 = {"ecmp": 40, "local": 38, "conga": 40}[run["scheme"]] if both else 20
    return {"spine0.down2.0": spine0, "spine1.down2.0": spine1,
            "leaf1.up0": 40 - spine1, "leaf1.up1": spine1}


def paper_carried(run: dict) -> dict:
    scheme = run["scheme"]
    if run["scenario"] == "fig2":
        spine0, spine1 = {"ecmp": (53, 37), "local": (40, 40), "conga": (66, 33)}[scheme]
        return {"spine0.down1.0": spine0, "spine1.down1.0": spine1,
                "leaf0.up0": spine0, "leaf0.up1": spine1}
    if run["scenario"] == "fig3":
        return figure_3(run)
    first = {"ecmp": (30, 10), "conga": (21, 19)}.get(scheme, (23, 17))
    if run["scenario"] == "grey":
        first = (0.1, 20) if "hello 20ms" in run["options"] else (5, 20)
    return {f"leaf0.up{i}": gbits for i, gbits in enumerate((*first, 20, 20))}


def paper_waited(run: dict) -> float:
    if run["scheme"] == "mptcp":
        return 250_000
    if run["scenario"] == "fattree-cut":
        return {"ecmp": 950_000, "conga-prime": 420_000, "hula": 50_000}[run["scheme"]]
    return 600_000 if run["scheme"] == "ecmp" else 60_000


def paper_incast(run: dict) -> float:
    """Seconds of a job of 1 GB, which takes 0.8 at the rate of the client's link."""
    if run["scheme"] != "mptcp":
        return 0.9
    if run["rto_min"] == "1ms":
        return 1.8
    return 20 if run["mtu"] == "9000" else 3


PAPER = World(paper_fct, paper_small, paper_large, paper_carried, paper_waited,
              lambda run: (0.005, 1e-4) if run["scheme"] == "conga" else (6e-4, 2e-4),
              paper_incast, 1.001)
FLAT_LINKS = ("leaf0.up0", "leaf0.up1", "leaf0.up2", "leaf0.up3", "leaf1.up0", "leaf1.up1",
              *(f"spine{spine}.down{leaf}.0" for spine in (0, 1) for leaf in (1, 2)))


def flat_carried(_run: dict) -> dict:
    return {link: 20 + i % 2 for i, link in enumerate(FLAT_LINKS)}


FLAT = World(lambda run: 1, lambda run: 1, lambda run: 1, flat_carried, lambda run: 20_000,
             lambda run: (0.005, 0.005), lambda run: 0.9, 1.03)


# ---- tables ----

def trace_of(run) -> str:
    words = [str(run[path]) for path in one_run.trace_keys(run)]
    words += [str(run[path]) for path in ("fabric.leaves", "fabric.hosts",
                                          "schemes.foreign_hosts")]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]


def row(run, form: str, world: World) -> dict:
    cells = {"id": one_run.run_slug(run), "scenario": run.scenario, "forms": form,
             "inputs": "0", **{key.column: key.kind.shell(run[key.path]) for key in keys.KEYS},
             "bytes": "1e8", "wall_seconds": "3.6", "job_bytes": "1e9", "trace": trace_of(run),
             "commit": "c0ffee", "kernel": "6.1",
             "hz": "1000" if run["load.kernel"] == "uml-hz1000" else "250"}
    sign = -1 if run["schemes.names"] == "conga" else 1
    fct = world.fct(cells) * (1 + sign * SEED_STEP * run["load.seed"] * (world is PAPER))
    return {**cells, "mean_fct_s": str(fct), "normalised_fct": str(fct),
            "small_mean_fct_s": str(world.small(cells)),
            "job_seconds": str(world.job(cells) if run["load.pattern"] == "incast" else fct),
            "group_mean_s": str(fct),
            "large_mean_fct_s": str(world.large(cells) * (1 + SEED_STEP * run["load.seed"])),
            "p99_fct_s": str(world.small(cells)), **tr_cells(cells, world),
            "large_p99_fct_s": "0.2", "out_of_order": "500",
            "retransmits": resent(cells, world)}


def runs(*names: str, form: str = "reduced", world: World = PAPER) -> list[dict]:
    """Of these scenarios, or of all that have the form."""
    found = [scenario.find(name) for name in names or scenario.names()]
    return [row(run, form, world) for one in found if scenario.has_form(one, form)
            for run in scenario.expand(one, form)
            if one.name != "congestion" or run["load.congestion"] == "cubic"]


def evaluated(world: World = PAPER) -> list[dict]:
    """What an evaluation has: CONGA's scenarios in full form, each other one in reduced form."""
    names = scenario.names()
    full = [name for name in names if scenario.find(name).claims[:1]
            and scenario.find(name).claims[0][0] in "CLG"]
    return runs(*full, form="full", world=world) \
        + runs(*(name for name in names if name not in full), world=world)


def throughput(run: dict, world: World) -> list[dict]:
    bins = max(2, int(float(run["seconds"]) * 100))
    step = SEED_STEP * int(run["seed"]) * (world is PAPER)
    return [{"id": run["id"], "link": link, "start_ms": str(10 * i),
             "gbit_per_s": str(gbits * (1 + step))}
            for link, gbits in world.carried(run).items() for i in range(bins)]


def queues(run: dict, world: World) -> list[dict]:
    size = str(world.waited(run) * (1 + SEED_STEP * int(run["seed"]) * (world is PAPER)))
    links = [f"spine{spine}.down{leaf}.{link}" for spine in range(int(run["spines"]))
             for leaf in range(int(run["leaves"])) for link in range(int(run["links"]))]
    links += [name for spine in range(int(run["spines"])) for core in range(int(run["cores"]))
              for name in (f"spine{spine}.core{core}", f"core{core}.spine{spine}")]
    empty = run["scheme"] == "hula" and world is PAPER
    return [{"id": run["id"], "link": link, "mean": size, "p50": size,
             "p90": run["mtu"] if empty else size, "p95": size, "p99": size, "max": size}
            for link in links]


def counters(run: dict, world: World) -> list[dict]:
    if run["scenario"] == "congestion":
        return [{"id": run["id"], "box": "leaf0", "value": "5000", "counter": "flowlets_started"}]
    drops = [] if run["scheme"] == "hula" and world is PAPER else [("drops", "3")]
    return [{"id": run["id"], "box": "spine0.core1", "value": value, "counter": counter}
            for counter, value in (("packets", "9"), *drops)]


def failures(run: dict, world: World) -> list[dict]:
    lost, back = world.failed(run)
    return [{"id": run["id"], "number": str(i), "lost_packets": "9",
             "last_lost_s": str(lost / i), "back_s": str(back / i)} for i in (1, 2)]


def probes(run: dict, world: World) -> list[dict]:
    return [{"id": run["id"], "links": kind, "count": "8", "formula_bit_s": "1000",
             "least": "1.0", "mean": "1.0", "most": str(world.told), "busiest_of_rate": "0.002"}
            for kind in ("leaf-spine", "spine-core", "core-spine", "spine-leaf")]


def order(run: dict, world: World) -> list[dict]:
    overtook = "9" if run["scheme"] == "rps" or world is FLAT else "0"
    return [{"id": run["id"], "packets": "100", "overtook": overtook, "mean_ns": "5",
             "most_ns": "9", **dict.fromkeys(("length", "own", "code", "stale", "unexplained"),
                                             "1")}]


def cost(world: World) -> list[dict]:
    times = {"send-steady": 1.1, "send-start": 1.2, "memory": 20} if world is PAPER \
        else {"send-steady": 1.3, "send-start": 1.3, "memory": 60}
    return [{"case": f"{case}-{name}", "count": str(1000 * (times[case] if name == "tr" else 1))}
            for case in times for name in ("tr", "letflow")]


def captured(run: dict) -> list[dict]:
    return [{"id": run["id"], "gap_us": str(gap), "flowlets": "9", "bytes": "1e9",
             **{f"bytes_p{p}": str(size * p / 50) for p in (10, 25, 50, 75, 90)}}
            for gap, size in ((250_000, 35e6), (500, 4.5e5), (100, 1e5))]


def whole(found: list[dict], world: World = PAPER) -> "tables.Tables":
    def of_runs(rows, *only) -> dict:
        return {run["id"]: rows(run) for run in found if not only or run["scenario"] in only}
    return tables.Tables(
        runs=found,
        throughput=of_runs(lambda run: throughput(run, world), "fig2", "fig3", "fig12", "grey"),
        queues=of_runs(lambda run: queues(run, world), "fig11", "fig16", "fattree-cut",
                       "headline", "headline-deep", "headline-mining"),
        failures=of_runs(lambda run: failures(run, world), "linkdown"),
        probes=of_runs(lambda run: probes(run, world), "probes"),
        order=of_runs(lambda run: order(run, world), "tr-order"), cost=cost(world),
        flowlets=of_runs(captured, "fig5"),
        concurrency=of_runs(lambda run: [{"id": run["id"], "gbit_per_s": "15",
                                          "median": "120", "p90": "150", "max": "200"}],
                            "fig5"),
        counters=of_runs(lambda run: counters(run, world), "congestion", "fattree-cut"),
        nash=nash(), imbalance=imbalance(),
        unequal=unequal() if any(run["scenario"] == "tr-unequal" for run in found) else [],
        reaction=reaction() if any(run["scenario"] == "grey" for run in found) else [],
        **(stepped() if any(run["scenario"] == "grey" for run in found) else {}),
        feedback=[{"test": str(i), "passed": "1"} for i in range(6)])


def nash() -> list[dict]:
    ratios = {"three pairs": "2.0", "five pairs": "2.0", "random 1": "1.4", "ring 2": "1.1"}
    return [{"network": name, "ratio": ratio, "fewest_ratio": "1.0", "rule_ratio": "1.0"}
            for name, ratio in ratios.items()]


def unequal() -> list[dict]:
    return [{"demands": "2-1:1gbit 0-1:4gbit", "scheme": scheme, "model_share": "0.5",
             "share": "0.4", "model_wait_us": "9", "wait_us": "8"} for scheme in ("rps", "tr")]


def stepped() -> dict:
    return {"step": step(), "step_series": step_series()}


def step() -> list[dict]:
    """Stable where tau is at least the round trip."""
    return [{"q": str(q), "tau_us": str(tau), "rtt_us": str(rtt), "paced": "1",
             "amplitude": "0.1" if tau >= rtt else "0.7"}
            for q in (3, 6) for tau, rtt in ((50, 100), (160, 100), (160, 20), (160, 400))]


def step_series() -> list[dict]:
    return [{"q": "3", "tau_us": tau, "rtt_us": "100", "us": str(us),
             "share": "0.5" if us < 0 else "0.25"}
            for tau in ("500", "160", "20") for us in range(-1000, 3000, 20)]


def reaction() -> list[dict]:
    return [{"level": "4", "load": load, "tick_ns": "0", "rise_ns": "9000",
             "feedback_wait_ns": "100", "flowlet_wait_ns": "200", "flight_ns": "3000",
             "total_ns": "12300", "soonest_ns": "9000", "due_ns": "", "formula_ns": "15000",
             "least_ns": "8000", "bound_ns": "20000"} for load in ("0.75", "0.95")]


def imbalance() -> list[dict]:
    return [{"workload": "websearch", "piece_bytes": "0", "flows": str(flows),
             "imbalance": "0.5", "bound": "2"} for flows in (10, 100, 1000)]
