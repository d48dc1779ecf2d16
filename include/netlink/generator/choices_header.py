# SPDX-License-Identifier: GPL-2.0
"""The header of what choices.py makes."""
from . import choices
from .description import Description
from .text import guarded

PATH = "userspace/tool/choices_generated.h"


def text(description: Description) -> str:
    return guarded(
        "CONGA_TOOL_CHOICES_GENERATED_H",
        "The interface of choices_generated.c, which tells more.",
        ['#include "tool/grammar.h"\n',
         "".join(f"extern const struct conga_choice {name}[];\n"
                 for name in choices.tables(description))])
