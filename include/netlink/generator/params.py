# SPDX-License-Identifier: GPL-2.0
"""The parameters of the fabric that are only copied between attributes and parameters."""
from .description import BITS, Attribute, Description, check
from .text import names_of, top

PATH = "kmod/netlink/params_generated.c"

# What kmod/netlink/set_fabric.c and get.c read and put themselves; all others are plain.
BY_HAND = ("policy", "flowlet-timeout", "dstport", "leaf-id", "param", "opt-out-mark",
           "opt-out-mask", "opt-out-dscp", "probe", "local4", "local6")
# Members of struct conga_params that are named after the paper's symbol
SYMBOLS = {"age": "tage"}

HEAD = """\
Plain parameters of the fabric: their defaults, and what copies them between attributes and \
struct conga_params."""

SIGNATURES = {
    "default": "void conga_netlink_default_plain(struct conga_params *params)",
    "read": "void conga_netlink_read_plain(struct conga_params *params, struct nlattr **attrs)",
    "put": "int conga_netlink_put_plain(struct sk_buff *skb, const struct conga_params *params)",
}


def plain(description: Description) -> list[Attribute]:
    taken = description.operations["fabric-new"].messages["do request"]
    found = sorted((attr for attr in taken if attr.name not in BY_HAND),
                   key=lambda attr: attr.number)
    told = description.operations["fabric-get"].messages["do reply"]
    for attr in found:
        check(attr.type in BITS and not attr.repeated and "default" in attr.facts,
              f"{attr.label} is no number with a default, as all are that are only copied")
        check(attr in told, f"{attr.label} can be set, but is not in the reply of fabric-get")
    return found


def field(attr: Attribute) -> str:
    return "params->" + SYMBOLS.get(attr.name, names_of(attr.name))


def default(attr: Attribute) -> str:
    return f"\t{field(attr)} = {attr.fact_constant('default')};\n"


def read(attr: Attribute) -> str:
    return (f"\tif (attrs[{attr.constant}])\n"
            f"\t\t{field(attr)} = nla_get_{attr.type}(attrs[{attr.constant}]);\n")


def put(attr: Attribute) -> str:
    if attr.type == "u64":
        return (f"nla_put_u64_64bit(skb, {attr.constant}, {field(attr)},\n"
                "\t\t\t\t CONGA_A_FABRIC_PAD)")
    return f"nla_put_{attr.type}(skb, {attr.constant}, {field(attr)})"


def text(description: Description) -> str:
    attributes = plain(description)
    puts = " ?:\n\t       ".join(put(attr) for attr in attributes)
    bodies = {"default": "".join(default(attr) for attr in attributes),
              "read": "".join(read(attr) for attr in attributes),
              "put": f"\treturn {puts};\n"}
    return "\n".join(
        [top("//", HEAD) + '#include <net/netlink.h>\n#include <uapi/linux/conga.h>\n',
         '#include "netlink/params_generated.h"\n#include "objects/fabric.h"\n'] +
        [f"{SIGNATURES[name]}\n{{\n{body}}}\n" for name, body in bodies.items()])
