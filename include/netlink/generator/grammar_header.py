# SPDX-License-Identifier: GPL-2.0
"""The header of what grammar.py makes."""
from . import grammar
from .description import Description
from .text import guarded

PATH = "userspace/tool/grammar_generated.h"


def text(description: Description) -> str:
    arrays = ([f"struct nla_policy {grammar.policy_array(one)}"
               for one in grammar.sets_with_policies(description)] +
              [f"unsigned long long {grammar.defaults_array(name)}" for name in grammar.OBJECTS] +
              [f"struct conga_keyword {name}[]" for name in grammar.TABLES] +
              ["char conga_fabric_usage[]"])
    return guarded("CONGA_TOOL_GRAMMAR_GENERATED_H",
                   "The interface of grammar_generated.c, which tells more.",
                   ['#include <linux/conga.h>\n#include <netlink/attr.h>\n'
                    '#include "tool/grammar.h"\n',
                    "".join(f"extern const {array};\n" for array in arrays)])
