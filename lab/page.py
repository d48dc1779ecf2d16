# SPDX-License-Identifier: GPL-2.0
"""One HTML file with all figures beside their claims, and the tables it is made from.

No script, nothing from elsewhere. The same tables give the same bytes, and the tables
written beside the page are enough to make it again.
"""
from html import escape
from pathlib import Path
from typing import Callable, NamedTuple

import claims
import claims_tr
import figure
import figures
import figures_hula
import figures_tr
import judgement
import machine
import measures
import order
import ranks
import tables
import transport
import verdict
from judgement import Row
from measures_hula import DROPS
from tables import Tables

PAGE = "index.html"
NO_DATA = "No data: the runs of this figure are not there."


class Section(NamedTuple):
    title: str
    claims: tuple
    command: str
    drawings: tuple     # (function, what is seen)
    tables: tuple = ()  # the same, of tables


def runs_of(name: str) -> str:
    return f"sudo make lab SCENARIO={name}"


REACTION = "RUNS=16 ROWS=1 selftests/vm/run -k uml --time-travel -e RUNS -e ROWS -- " \
    "selftests/paper/reaction.sh >build/reaction.tap; " \
    "lab/reaction.py build/reaction.tap --into build/lab"


FIGURE_11 = tuple((figures.figure11(name), f"{claims.WORKLOADS[name]}: mean FCT over load; "
                   "small and large transfers relative to ECMP.")
                  for name in ("enterprise", "datamining"))


def ranked(fabric: ranks.Fabric) -> tuple:
    """A table instead of a picture."""
    def draw(found: Tables) -> str | None:
        rows = [{name: ranks.text_of(value) for name, value in row.items() if name != "fabric"}
                for row in ranks.rank(found, fabric)]
        return plain_table(rows) if rows else None
    return draw, f"{fabric.name[0].upper()}{fabric.name[1:]}: means over seeds, the best first."


def overtaken(found: Tables) -> str | None:
    rows = [{"scheme": scheme, "seeds": len(runs), **{
        name: ranks.text_of(measures.mean([tables.number(row[name]) for run in runs
                                           for row in found.order.get(run["id"], [])]))
        for name in ("packets", "overtook", *order.CAUSES, "mean_ns", "most_ns")}}
        for (scheme,), runs in tables.split(figure.of(found, scenario="tr-order").runs,
                                            ("scheme",)).items()]
    return plain_table(rows) if rows else None


def transports(found: Tables) -> str | None:
    rows = transport.rows(found)
    return plain_table([row._asdict() for row in rows]) if rows else None


RANKED = tuple(map(ranked, ranks.FABRICS))

SECTIONS = (
    Section("Figure 2: a narrow link behind one spine", ("C04",), runs_of("fig2"),
            ((figures.figure2, "100 Gbit/s from leaf 0 to leaf 1."),)),
    Section("Figure 3: the best split depends on others", ("C05",), runs_of("fig3"),
            ((figures.figure3, "40 Gbit/s from leaf 1 to leaf 2, without and with 40 from leaf "
              "0, which has a link to spine 0 only."),)),
    Section("Figure 5: what pauses cut traffic into", ("C06", "C07", "C08"), runs_of("fig5"),
            ((figures.figure5, "Part of the bytes in pieces up to a size, by the pause that "
              "ends a piece: 10th, 25th, 50th, 75th and 90th percentile."),)),
    Section("The headline: one link failed, seconds", ("C01", "C15"), runs_of("headline"),
            ((figures.headline, "Mean FCT at 60 %, by the length of the run; the shorter runs have "
              "the first transfers of the longest one."),
             (figures.hotspot, "Queue of the link that is left between spine 1 and leaf 1 at "
              "60 %: 50th, 90th, 95th and 99th percentile, and the maximum."))),
    Section("Figure 9: enterprise workload, healthy", ("C09", "C10", "C11", "C12"),
            runs_of("fig9"),
            ((figures.figure9, "Mean FCT over load; small and large transfers relative to "
              "ECMP."),)),
    Section("Figure 10: data-mining workload, healthy", ("C13", "C14"), runs_of("fig10"),
            ((figures.figure10, "As Figure 9."),)),
    Section("Figure 11: one link failed, MPTCP too", ("C16", "C17", "C18", "C19"),
            runs_of("fig11"), FIGURE_11),
    Section("Figure 12: how evenly uplinks are used", ("C20",), runs_of("fig12"),
            ((figures.figure12, "(Maximum - minimum) / mean of leaf 0's four uplinks, of all 10 "
              "ms of all seeds."),)),
    Section("Figure 13: Incast", ("C03", "C21", "C22", "C23"), runs_of("fig13"),
            ((figures.figure13, "Throughput of a client that gets 10 MB striped over so many "
              "servers."),)),
    Section("Figure 14: an HDFS write job", ("C02", "C24", "C25"), runs_of("fig14"),
            ((figures.figure14, "Time of the job, healthy and with one link failed."),)),
    Section("Figure 15: larger fabrics", ("C26", "C27", "C28"), runs_of("fig15"),
            ((figures.figure15, "By workload, oversubscription, speed of hosts and load."),)),
    Section("Figure 16: nine links failed", ("C29",), runs_of("fig16"),
            ((figures.figure16, "Mean queue of each spine port next to a failure."),)),
    Section("Section 3.6: parameters", ("C34",), runs_of("sweep"),
            ((figures.sweep, "One parameter changed at a time, one link failed."),)),
    Section("Section 7: CONGA in a part of the fabric", ("C36",), runs_of("mixed"),
            ((figures.mixed, "Four leaves, one link failed."),)),
    Section("Section 7: three tiers", ("C37",), runs_of("three-tier"),
            ((figures.three_tier, "Two pods, four cores, one link failed."),)),
    Section("Every scheme, side by side", ("L1", "L2"), runs_of("schemes"),
            ((figures.schemes(*ranks.FABRICS[:4]), "Mean FCT / that of an idle network."),
             (figures.schemes(*ranks.FABRICS[4:]), "The same with DCTCP, and towards leaves "
              "without conga.")), RANKED),
    Section("Past spines that only hash and mark", ("G02", "G03"), runs_of("foreign"),
            ((figures.of_scenario("foreign"), "Web search, one link failed, and healthy."),)),
    Section("Past spines that only hash and mark: other fabrics and hosts", (),
            runs_of("foreign-more"),
            ((figures.of_scenario("foreign-more"), "Web search."),)),
    Section("HULA's fat tree past spines and cores that only hash and mark", (),
            runs_of("foreign-tree"),
            ((figures.of_scenario("foreign-tree"), "Web search, one link removed."),)),
    Section("Towards leaves without conga", ("G04",), runs_of("plain"),
            ((figures.of_scenario("plain"), "Web search, four fabrics."),)),
    Section("A spine that drops silently", ("G01",), runs_of("grey"),
            ((figures.grey, "Spine 0 of four drops all it forwards, 20 ms after the load's "
              "start."),)),
    Section("Reaction to a remote link's overload", (), REACTION,
            ((figures.overload, "How long until the first flowlet avoids it, by the load of the "
              "link and the level that its metric has to reach."),)),
    Section("Section 3.6: is the loop stable?", (), "lab/step.py",
            ((figures.stable, "Oscillation of a leaf's traffic between two spines, % peak to "
              "peak, under a constant load of one of them; framed: none beyond noise."),
             (figures.step_responses, "The traffic by the spine that is loaded from 0 ms on; "
              "thin: each picture of the links."))),
    Section("Frames of 9000 bytes beside frames of 1500", (), runs_of("frames"),
            ((figures.frames, "The long runs have frames of 9000 bytes. Both sizes give the same "
              "factor if these pairs agree."),)),
    Section("Flowlets by congestion control", (), runs_of("congestion"),
            ((figures.congestion, "How many flowlets leaves start per MB of data."),)),
    Section("HULA's fat tree, healthy", ("H01", "H02", "H03", "H04"), runs_of("fattree"),
            ((figures_hula.fat_tree("websearch"), "Web search: mean FCT over load; small and large "
              "transfers relative to ECMP."),
             (figures_hula.fat_tree("datamining"), "Data mining: the same."))),
    Section("HULA's fat tree, one link removed",
            ("H05", "H06", "H07", "H08", "H09", "H11", "H13", "H14", "H15"),
            runs_of("fattree-cut"),
            ((figures_hula.fat_tree_cut, "Web search at 60 %: FCT relative to ECMP; queues of the "
              "links that are left of spine 0 upwards and of core 0 to its pod."),
             (figures_hula.slow_probes, "Web search: probes every 200 us, and ten times as "
              "seldom."))),
    Section("HULA: a link goes down and up", ("H10",), runs_of("linkdown"),
            ((figures_hula.link_down, "The longest of five failures of a leaf's link."),)),
    Section("HULA: what probes take", ("H12",), runs_of("probes"),
            ((figures_hula.probe_bytes, "By kind of link, from the lower box or from the "
              "upper."),)),
    Section("TR: ten uplinks of 40 Gbit/s, half of the paths longer",
            ("T01", "T06", "T07", "T08", "T11"), runs_of("tr"),
            tuple((figures_tr.tr_sizes(name), f"{title}: relative to LetFlow's, by size.")
                  for name, title in claims_tr.WORKLOADS.items())),
    Section("TR: ten paths of 1 Gbit/s", ("T02", "T03", "T04", "T09"), runs_of("tr-micro"),
            ((figures_tr.tr_micro, "Data mining, ns-2's TCP, by how many times the round trip of "
              "half of the paths is that of the others."),),
            ((transports, "Half of the paths 3.5 times as long: flows above 1 MB and what is sent "
              "again, with ns-2's TCP, which takes three duplicate acknowledgements for a loss, "
              "and with Linux's, which waits for packets that come late."),)),
    Section("TR: who overtakes whom, and why", (), runs_of("tr-order"), (),
            ((overtaken, "Packets of data from leaf 0 to leaf 1, means over seeds; of TR's by the "
              "part of its Time to Next Leaf that was most wrong (order.py)."),)),
    Section("TR: from which size on a flow is long", ("T05",), runs_of("tr-short"),
            ((figures_tr.tr_short, "Four workloads at 30 %, half of the paths 3.5 times as "
              "long."),)),
    Section("TR: unequal load, beside a model", (), runs_of("tr-unequal"),
            ((figures_tr.tr_unequal, "Half of the spines carry what another leaf sends there, "
              "too: model (unequal.py says what it knows) and measurement."),)),
    Section("TR: what it costs", ("T10",), "make bench-cost", ()),
    Section("Section 6 and the protocol", ("C30", "C31", "C32"), "", ()),
)

CSS = """
:root { color-scheme: light dark; --line: #8886; --quiet: #8882; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left;
         vertical-align: top; }
tr.part td { font-size: .95em; } tr.context { opacity: .75; }
td.verdict { white-space: nowrap; font-weight: 600; }
.reproduced { color: #1a8f4c; } .partly { color: #b07d00; }
.direction { color: #c2600c; } .not { color: #d0342c; }
.open { opacity: .7; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption, .small { font-size: .85rem; opacity: .85; }
code { background: var(--quiet); padding: 0 .25em; }
@media print { body { max-width: none; font-size: 11px; } section { break-inside: avoid; } }
"""

CLASSES = {verdict.REPRODUCED: "reproduced", verdict.PARTLY: "partly",
           verdict.DIRECTION: "direction", verdict.NOT: "not"}


# ---- what is written beside the page ----

DRAWN_LINKS: dict = {
    "fig2": lambda link: link in claims.INTO_LEAF_1 or link.startswith("leaf0.up"),
    "fig3": lambda link: link in claims.INTO_LEAF_2 or link.startswith("leaf1.up"),
    "fig12": lambda link: link.startswith("leaf0.up"),
    "grey": lambda link: link.startswith("leaf0.up"),
}


def queue_matters(run: dict, link: str) -> bool:
    if run["scenario"] in ("fig16", "fattree-cut"):
        return link in measures.links_next_to_failures(run)
    return run["scenario"] in ("fig11", *claims.HEADLINES) and link == claims.REST


def throughput_matters(run: dict, link: str) -> bool:
    wanted = DRAWN_LINKS.get(run["scenario"])
    return bool(wanted and wanted(link))


def counter_matters(run: dict, row: dict) -> bool:
    """Of the fat tree what was dropped, and that something was counted."""
    if run["scenario"] == "fattree-cut":
        return row["counter"] == DROPS or (row["counter"] == "packets"
                                           and row["box"] in measures.links_next_to_failures(run))
    return run["scenario"] == "congestion" and row["counter"] == "flowlets_started"


def of_runs(runs: list[dict], rows: dict, wanted: Callable) -> dict:
    some = {run["id"]: [row for row in rows.get(run["id"], []) if wanted(run, row)]
            for run in runs}
    return {name: chosen for name, chosen in some.items() if chosen}


def compact(found: Tables) -> Tables:
    """What the page and the verdicts need."""
    runs = [run for run in found.runs if run["forms"]]
    return found._replace(
        runs=runs,
        queues=of_runs(runs, found.queues, lambda run, row: queue_matters(run, row["link"])),
        throughput=of_runs(runs, found.throughput,
                           lambda run, row: throughput_matters(run, row["link"])),
        counters=of_runs(runs, found.counters, counter_matters),
        **{name: of_runs(runs, getattr(found, name), lambda run, row: True)
           for name in ("balance", "flowlets", "concurrency", "failures", "probes", "order")})


def write_tables(found: Tables, into: Path) -> None:
    for name, rows in found._asdict().items():
        if isinstance(rows, dict):
            rows = [row for some in rows.values() for row in some]
        tables.write_file(into / f"{name}.csv", rows)


# ---- HTML ----

def tag(name: str, content: str, **attributes) -> str:
    words = "".join(f' {key.rstrip("_")}="{escape(str(text))}"'
                    for key, text in attributes.items())
    return f"<{name}{words}>{content}</{name}>"


def cells(texts: list[str], kind: str = "td") -> str:
    return "".join(tag(kind, text) for text in texts)


def verdict_cell(row: Row) -> str:
    return tag("td", escape(row.verdict),
               class_=f"verdict {CLASSES.get(row.verdict, 'open')}")


def numbers(row: Row) -> list[str]:
    seeds = f"{row.least_seed} to {row.most_seed}" if row.measured else ""
    return [escape(text) for text in (judgement.interval(row), seeds, row.seeds, row.form,
                                      row.published)]


HEAD = ["verdict", "measured (95 %)", "seeds from, to", "seeds", "form", "published"]


def summary_row(row: Row) -> str:
    link = tag("a", escape(row.claim), href=f"#{row.claim}")
    return tag("tr", tag("td", link) + tag("td", escape(row.says)) + verdict_cell(row)
               + cells(numbers(row) + [escape(row.point)]))


def summary(rows: list[Row]) -> str:
    head = tag("tr", cells(["claim", "what the paper says"] + HEAD + ["case"], "th"))
    return tag("p", escape(judgement.summary(rows) + ".")) \
        + tag("table", head + "".join(map(summary_row, judgement.judged(rows))))


def part_line(row: Row) -> str:
    name = escape(f"{row.part}, {row.point}" if row.point else row.part)
    return tag("tr", tag("td", name if row.counts else f"(context) {name}") + verdict_cell(row)
               + cells(numbers(row)), class_="part" if row.counts else "part context")


def claim_block(rows: list[Row]) -> str:
    whole = rows[0]
    head = tag("tr", cells([""] + HEAD, "th"))
    title = f"{tag('b', escape(whole.claim), id=whole.claim)} {escape(whole.says)} " + \
        tag("span", escape(whole.verdict), class_=CLASSES.get(whole.verdict, "open"))
    return (tag("p", title) + tag("table", head + "".join(map(part_line, rows[1:])))
            + tag("p", f"Measured: {escape(whole.how)}. Differs: {escape(whole.differs)} "
                  f"{tag('code', escape(whole.command))}", class_="small"))


def drawing_block(found: Tables, draw: Callable, caption: str) -> str:
    picture = draw(found)
    if picture is None:
        return tag("p", f"{NO_DATA} {escape(caption)}", class_="small")
    return tag("figure", picture + tag("figcaption", escape(caption)))


def section(found: Tables, rows: list[Row], one: Section) -> str:
    parts = [tag("h2", escape(one.title))]
    parts += [drawing_block(found, *each) for each in one.drawings + one.tables]
    if one.drawings:
        parts.append(tag("p", tag("code", one.command), class_="small"))
    parts += [claim_block([row for row in rows if row.claim == name]) for name in one.claims]
    return tag("section", "\n".join(parts))


def other_sections(found: Tables) -> list[Section]:
    """Of scenarios that no section above is about, a researcher's own among them."""
    known = {one.command for one in SECTIONS}
    names = dict.fromkeys(run["scenario"] for run in found.runs)
    return [Section(f"Scenario {name}", (), runs_of(name),
                    ((figures.of_scenario(name), "Means over seeds."),),
                    tuple(map(ranked, ranks.fabrics(found, name))))
            for name in names if runs_of(name) not in known]


def plain_table(rows: list[dict]) -> str:
    return tag("table", tag("tr", cells([escape(name) for name in rows[0]], "th")) + "".join(
        tag("tr", cells([escape(str(text)) for text in row.values()])) for row in rows))


def chance(found: Tables) -> str:
    lines = [f"{name}: {one.mean:.3g}, {judgement.deviation(one)}"
             for name, one in judgement.spreads(found).items()]
    return tag("p", "ECMP / CONGA, web search, 60 %, one link failed, 0.3 s, over " + escape(
        "; over ".join(lines)) + ".") if lines else ""


def facts(found: Tables) -> str:
    parts = [tag("h2", "The machine")]
    parts.append(plain_table(machine.rows(found.runs)) if found.runs else tag("p", NO_DATA))
    if found.balance:
        parts += [tag("h2", "How evenly flows of one packet are hashed"),
                  plain_table([row for rows in found.balance.values() for row in rows])]
    if found.calibration:
        parts += [tag("h2", "Calibration"), plain_table(found.calibration)]
    return tag("section", "\n".join(parts))


RULE = (verdict.__doc__ or "").strip()
INTRODUCTION = """CONGA (Alizadeh et al., SIGCOMM 2014) as this kernel module does it, measured in
User Mode Linux at the paper's link rates. Every verdict is computed from the tables beside this
page. Schemes are compared seed by seed on the same trace; error bars reach from the least to the
most of all seeds."""


def html(found: Tables, rows: list[Row]) -> str:
    body = [tag("h1", "The paper's evaluation, again"), tag("p", INTRODUCTION), chance(found),
            summary(rows), tag("details", tag("summary", "The rule") + tag("pre", escape(RULE))),
            facts(found)]
    body += [section(found, rows, one) for one in (*SECTIONS, *other_sections(found))]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">' \
        + tag("title", "CONGA on Linux: the paper's evaluation") + tag("style", CSS)
    return "<!DOCTYPE html>\n" + tag("html", tag("head", head) + "\n"
                                     + tag("body", "\n".join(body)), lang="en") + "\n"


def make(source: Path, into: Path) -> Path:
    """Writes the page, its verdicts and its tables; returns the page's name."""
    found = compact(tables.read(source))
    rows = judgement.judge_all(found)
    into.mkdir(parents=True, exist_ok=True)
    if into.resolve() != source.resolve():
        write_tables(found, into)
    judgement.write(rows, into / "verdicts.csv")
    (into / PAGE).write_text(html(found, rows), encoding="utf-8")
    return into / PAGE
