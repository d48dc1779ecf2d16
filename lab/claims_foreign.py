# SPDX-License-Identifier: GPL-2.0
"""What conga is worth where others do not run it: spines of hardware, plain leaves."""
from claim import CONGA, ECMP, LOCAL, MEAN, Claim, Part
from measures import gain, over_best, ratios
from verdict import Factor, Limit

MOST_OF_IT = 0.9        # of what CONGA at every node gains over ECMP
ALIKE = 0.03            # where nothing failed
WORSE = 1.05            # than the better one of two
LETFLOW, BY_RATE = ({"scheme": name} for name in ("letflow", "letflow-rate"))

OURS = {**CONGA, "options": "entropy auto ecn on hello 100ms", "unmarked_spines": "0 1"}
LEAVES_ALONE = {**OURS, "options": ""}
EVERYWHERE = {**LEAVES_ALONE, "unmarked_spines": ""}
FAILED, HEALTHY = ({"scenario": "foreign", "cut": cut} for cut in ("1.1.1", ""))

DELAYS = " ".join(f"{way}=20us" for way in (
    "leaf0-spine1.0", "leaf0-spine1.1", "leaf1-spine1.0", "leaf1-spine1.1",
    "spine1.0-leaf0", "spine1.1-leaf0", "spine1.0-leaf1", "spine1.1-leaf1"))
FABRICS = {
    "healthy": {"cut": "", "link_delays": "", "load": 0.6},
    "one link failed": {"cut": "1.1.1"},
    "unequal delays": {"link_delays": DELAYS},
    "unequal rates": {"load": 0.4},
}


def fabric(name: str) -> Part:
    where = FABRICS[name]
    return Part(f"letflow-rate / the better of local and letflow, {name}", Limit(most=WORSE),
                over_best(MEAN, BY_RATE, (LOCAL, LETFLOW), scenario="plain", **where))


CLAIMS = (
    Claim("G02", "With spines that do not mark, CONGA at the leaves still gains.",
          "beyond the papers", "foreign", "mean FCT, web search at 60 %, one link failed, ECMP / "
          "CONGA at the leaves alone, 3 s", "our own",
          "No spine marks CE. A fabric of four leaves and two spines, one of which does not mark "
          "(scenario mixed), is shown.",
          (Part("ECMP / CONGA at the leaves", Factor(),
                ratios(MEAN, ECMP, LEAVES_ALONE, **FAILED)),
           Part("one of two spines does not mark, four leaves: ECMP / CONGA", Factor(),
                ratios(MEAN, {**ECMP, "unmarked_spines": ""}, {**CONGA, "unmarked_spines": "1"},
                       scenario="mixed", foreign_hosts=0), False))),
    Claim("G03", "Past spines that only hash and mark ECN, several source ports and ECN at the "
          "leaves have at least 90 % of what CONGA at every node gains over ECMP, and more than "
          "LetFlow.", "beyond the papers", "foreign",
          "mean FCT, web search at 60 %, one link failed, 3 s; and healthy, 1 s", "our own",
          "Spines mark from 100 KB on. Hosts have Cubic without ECN.",
          (Part("gain over ECMP, of CONGA's at every node", Limit(least=MOST_OF_IT),
                gain(MEAN, OURS, EVERYWHERE, ECMP, **FAILED)),
           Part("letflow / entropy and ecn", Factor(), ratios(MEAN, LETFLOW, OURS, **FAILED)),
           Part("healthy: entropy and ecn / CONGA at every node", Limit(most=1 + ALIKE),
                ratios(MEAN, OURS, EVERYWHERE, **HEALTHY)))),
    Claim("G04", "Towards leaves that feed nothing back, flowlets placed by the rates of the "
          "uplinks are at most 5 % worse than the better of a choice by local load and LetFlow.",
          "beyond the papers", "plain", "mean FCT, web search, four fabrics, 1 s", "our own",
          "At 60 % load, with unequal rates at 40 %.", tuple(map(fabric, FABRICS))),
)
