# SPDX-License-Identifier: GPL-2.0
"""The header of what rules.py makes."""
from . import rules
from .description import SPECIAL, Description
from .text import align, guarded

PATH = "kmod/netlink/rules_generated.h"

MEMBERS = (
    ("const char", "*sentence;", "for all others"),
    ("const char", "*sentence_user;", "where min is that of a user namespace"),
    ("u64", "min;", ""),
    ("u64", "max;", ""),
    ("u64", f"special[{len(SPECIAL)}];", "accepted beside the range"),
    ("u8", "specials;", "how many of them there are"),
    ("bool", "power_of_two;", "and nothing else in the range"),
)


def rule() -> str:
    members = align([("\t" + kind, name + (f" /* {what} */" if what else ""))
                     for kind, name, what in MEMBERS])
    return ("/* The values that are accepted of an attribute; without a sentence all are. */\n"
            f"struct conga_netlink_rule {{\n{members}}};\n")


def text(description: Description) -> str:
    return guarded(
        "_CONGA_RULES_GENERATED_H", "The interface of rules_generated.c, which tells more.",
        ["#include <net/netlink.h>\n#include <uapi/linux/conga.h>\n", rule(),
         "".join(f"extern const struct nla_policy {one.array};\n"
                 for one in rules.policies(description)),
         "".join(f"extern const struct conga_netlink_rule {rules.rules_array(one)};\n"
                 for one in rules.sets_with_rules(description))])
