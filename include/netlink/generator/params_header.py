# SPDX-License-Identifier: GPL-2.0
"""The header of what params.py makes."""
from .description import Description
from .params import SIGNATURES
from .text import top

PATH = "kmod/netlink/params_generated.h"


def text(_description: Description) -> str:
    return "\n".join(
        [top("/*", "The interface of params_generated.c, which tells more.") +
         "#ifndef _CONGA_PARAMS_GENERATED_H\n#define _CONGA_PARAMS_GENERATED_H\n",
         "struct conga_params;\nstruct nlattr;\nstruct sk_buff;\n",
         "".join(f"{signature};\n" for signature in SIGNATURES.values()),
         "#endif /* _CONGA_PARAMS_GENERATED_H */\n"])
