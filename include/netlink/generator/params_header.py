# SPDX-License-Identifier: GPL-2.0
"""The header of what params.py makes."""
from .description import Description
from .params import SIGNATURES
from .text import guarded

PATH = "kmod/netlink/params_generated.h"


def text(_description: Description) -> str:
    return guarded(
        "_CONGA_PARAMS_GENERATED_H", "The interface of params_generated.c, which tells more.",
        ["struct conga_params;\nstruct nlattr;\nstruct sk_buff;\n",
         "".join(f"{signature};\n" for signature in SIGNATURES.values())])
