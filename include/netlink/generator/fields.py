# SPDX-License-Identifier: GPL-2.0
"""What the tool prints of the fabric: a field for each attribute of the reply."""
from .choices import enum_array, special_array, with_specials
from .description import Attribute, Description
from .text import names_of, top

PATH = "userspace/tool/fields_generated.c"

HEAD = """\
The fields of the fabric, in the order of the list of fabric-get. On screen a parameter is left \
out while it has its default."""

INCLUDES = """\
#include <linux/conga.h>
#include "tool/choices_generated.h"
#include "tool/fabric_print.h"
#include "tool/field.h"
#include "tool/fields_generated.h"
#include "tool/print.h"
"""

ARRAY = "conga_fabric_fields"
# The function that prints a number of this unit, and how its key in JSON ends
PRINTS = {"ns": ("conga_print_time", "_ns"), "bit/s": ("conga_print_rate", "_bps"),
          "millionths": ("conga_print_fraction", ""), "id": ("conga_print_id", ""),
          "on/off": ("conga_print_on_off", "")}

# Attributes whose fields are printed by functions of userspace/tool/fabric_print.c, and those that
# are printed together with others, or not at all
BY_HAND = {"policy": "policy", "dstport": "dstports", "opt-out-mark": "opt_out", "local4": "local"}
LEFT_OUT = ("param", "opt-out-mask", "opt-out-dscp", "local6", "probe-source", "leaf-id-origin")
# On screen: with -d only, and never
DETAILS = ("probe-late", "probe-latest")
JSON_ALONE = ("flowlet-timeout-source",)
# What is left out on screen, where it is not the default
USUAL = {"byte3": "CONGA_BYTE3_NONE",
         "flowlet-timeout": "CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL",
         "probe": "CONGA_FABRIC_PROBE_OFF"}
ALWAYS = ("q",)


def shown(attr: Attribute) -> list[tuple[str, str]]:
    """When the field is on screen"""
    if attr.name in DETAILS:
        return [("shown", "CONGA_FIELD_DETAIL")]
    if attr.name in JSON_ALONE:
        return [("shown", "CONGA_FIELD_JSON")]
    if attr.name in ALWAYS or not ("default" in attr.facts or attr.name in USUAL):
        return []
    return [("shown", "CONGA_FIELD_CHANGED"),
            ("usual", USUAL.get(attr.name, attr.fact_constant("default")))]


def members(attr: Attribute, description: Description) -> list[tuple[str, str]]:
    if attr.name in BY_HAND:
        return [("print_by_hand", f"conga_fabric_print_{BY_HAND[attr.name]}")]
    function, suffix = PRINTS.get(attr.unit, ("conga_print_uint", ""))
    given = [("attr", attr.constant), ("key", f'"{names_of(attr.name)}{suffix}"'),
             ("label", f'"{attr.word}"')]
    if attr.enum:
        given.append(("choices", enum_array(attr.enum)))
    else:
        given.append(("print", function))
    if attr in with_specials(description):
        given.append(("choices", special_array(attr)))
    return given + shown(attr)


def field(attr: Attribute, description: Description) -> str:
    lines = "".join(f"\t\t.{name} = {value},\n" for name, value in members(attr, description))
    return f"\t{{\n{lines}\t}},\n"


def text(description: Description) -> str:
    told = description.operations["fabric-get"].messages["do reply"]
    fields = "".join(field(attr, description) for attr in told if attr.name not in LEFT_OUT)
    return (top("//", HEAD) + INCLUDES +
            f"\nconst struct conga_field {ARRAY}[] = {{\n{fields}\t{{ }}\n}};\n")
