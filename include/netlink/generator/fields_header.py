# SPDX-License-Identifier: GPL-2.0
"""The header of what fields.py makes."""
from .description import Description
from .fields import ARRAY
from .text import guarded

PATH = "userspace/tool/fields_generated.h"


def text(_description: Description) -> str:
    return guarded("CONGA_TOOL_FIELDS_GENERATED_H",
                   "The interface of fields_generated.c, which tells more.",
                   ['#include "tool/field.h"\n', f"extern const struct conga_field {ARRAY}[];\n"])
