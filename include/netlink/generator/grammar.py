# SPDX-License-Identifier: GPL-2.0
"""The grammar of the tool for fabric, ports and leaves, and the attributes of all replies."""
from .description import Attribute, AttributeSet, Description, check
from .keywords import Keyword, keywords, usage, written
from .text import TAB, WIDEST, align, c_size, names_of, top

PATH = "userspace/tool/grammar_generated.c"

HEAD = """\
The attributes that replies have, and their types; the numbers that a request means that lacks \
them; the keywords of commands; the help about the fabric."""

INCLUDES = """\
#include <linux/conga.h>
#include <netlink/attr.h>
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/fabric_kind.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
"""

NLA = {"u8": "NLA_U8", "u16": "NLA_U16", "u32": "NLA_U32", "u64": "NLA_U64",
       "string": "NLA_STRING", "flag": "NLA_FLAG", "nest": "NLA_NESTED"}
OBJECTS = ("fabric", "port", "leaf")
COUNTERS = "stats"      # whose attributes are read by their length alone

# Tables of keywords: their operation, and the attributes without which a command is incomplete
TABLES = {
    "conga_fabric_words": ("fabric-new", ()),
    "conga_port_add_words": ("port-new", ("ifindex", "role")),
    "conga_port_set_words": ("port-set", ("ifindex",)),
    "conga_port_del_words": ("port-del", ("ifindex",)),
    "conga_port_show_words": ("port-get", ()),
    "conga_leaf_add_words": ("leaf-new", ("addr4",)),
    "conga_leaf_set_words": ("leaf-set", ("addr4", "mode")),
    "conga_leaf_del_words": ("leaf-del", ("addr4",)),
    "conga_leaf_show_words": ("leaf-get", ()),
}

# The help about the fabric: the command that is followed by its parameters, those with which a
# line begins, the columns that a line may have, and what else there is.
COMMAND = "Usage: conga fabric { add | set }"
INDENT = " " * len("Usage: conga fabric ")
BEGINS = ("metric", "flowlet-timeout", "dstport", "probe", "explicit-feedback", "opt-out-mark",
          "opt-out-dscp", "local4")
COLUMNS = 88
OTHERS = """\
       conga fabric [ show ]
       conga fabric del
TIME := NUMBER{ ns | us | ms | s }
Policies and their parameters: conga policy list"""


# ---- attributes ----

def replied(attr_set: AttributeSet) -> list[Attribute]:
    return [attr for attr in attr_set.attributes if attr.replied and attr.type != "pad"]


def sets_with_policies(description: Description) -> list[AttributeSet]:
    return [one for one in description.sets.values()
            if not one.subset_of and one.name != COUNTERS and replied(one)]


def policy_array(attr_set: AttributeSet) -> str:
    return f"conga_{names_of(attr_set.name)}_policy[{c_size(attr_set.name)}]"


def rule(attr: Attribute) -> str:
    return f".minlen = {attr.length}" if attr.length else f".type = {NLA[attr.type]}"


def policy(attr_set: AttributeSet) -> str:
    lines = align([(f"\t[{attr.constant}]", f"= {{ {rule(attr)} }},")
                   for attr in replied(attr_set)])
    return f"const struct nla_policy {policy_array(attr_set)} = {{\n{lines}}};\n"


def defaults_array(name: str) -> str:
    return f"conga_{names_of(name)}_defaults[{c_size(name)}]"


def defaults(attr_set: AttributeSet) -> str:
    lines = align([(f"\t[{attr.constant}]", f"= {attr.fact_constant('default')},")
                   for attr in attr_set.attributes
                   if "default" in attr.facts and attr.type != "string"])
    return (f"const unsigned long long {defaults_array(attr_set.name)} = {{\n{lines}}};\n")


# ---- keywords ----

def row(attr: Attribute, word: Keyword) -> str:
    flags = " | ".join(f"CONGA_KEYWORD_{flag}" for flag in word.flags) or "0"
    head = f'\t{{ "{word.word}", {attr.constant}, &{word.kind},'
    tail = f"{flags}, {word.choices} }},"
    if len(f"{head} {tail}".expandtabs(TAB)) <= WIDEST:
        return f"{head} {tail}\n"
    return f"{head}\n\t  {tail}\n"


def table(name: str, description: Description) -> str:
    operation, required = TABLES[name]
    rows = []
    for attr, word in keywords(description, operation):
        word.flags[:0] = ["REQUIRED"] * (attr.name in required)
        rows.append(row(attr, word))
    return f"const struct conga_keyword {name}[] = {{\n{''.join(rows)}\t{{ }}\n}};\n"


# ---- help ----

def help_lines(description: Description) -> list[str]:
    lines = [COMMAND]
    for attr in written(description, "fabric-new"):
        longer = f"{lines[-1]} {usage(attr)}"
        if attr.name in BEGINS or len(longer) > COLUMNS:
            lines.append(INDENT + usage(attr))
        else:
            lines[-1] = longer
    return lines + OTHERS.split("\n")


def fabric_help(description: Description) -> str:
    lines = "\n".join(f'\t"{line}\\n"' for line in help_lines(description))
    return f"const char conga_fabric_usage[] =\n{lines};\n"


def text(description: Description) -> str:
    requests = [description.operations[name].messages["do request"]
                for name in ("fabric-new", "fabric-set")]
    check(requests[0] == requests[1], "fabric-new and fabric-set take different lists")
    return "\n".join(
        [top("//", HEAD) + INCLUDES] +
        [policy(one) for one in sets_with_policies(description)] +
        [defaults(description.sets[name]) for name in OBJECTS] +
        [table(name, description) for name in TABLES] + [fabric_help(description)])
