# SPDX-License-Identifier: GPL-2.0
"""The attributes that the kernel takes, their types, ranges and the sentences of refusals."""
from dataclasses import dataclass

from .description import SPECIAL, Attribute, AttributeSet, Description
from .sentences import refusal, refusal_of_user
from .text import align, c_size, fold, names_of, top

PATH = "kmod/netlink/rules_generated.c"

HEAD = """\
What attributes each operation takes, and their types; then the values that are accepted of \
an attribute, and the sentence for all others. IPv4 addresses are NLA_U32, though in network \
order: a policy dump leaves out what is NLA_BE32. Ranges are not in the policies: there they \
have a fixed sentence, and a range with a function of its own cannot be dumped (a policy dump \
of an integer with one warns in the kernel's log)."""

NLA = {"u8": "NLA_U8", "u16": "NLA_U16", "u32": "NLA_U32", "u64": "NLA_U64",
       "string": "NLA_NUL_STRING", "flag": "NLA_FLAG"}


@dataclass
class Policy:
    """A list of attributes that requests, or nests, take"""
    name: str
    set: str                    # whose numbers they have
    attributes: list[Attribute]
    users: list[str]            # operations, or none for a nest
    fixed: list[Attribute]      # what an operation that sets cannot change

    @property
    def array(self) -> str:
        return f"conga_netlink_{names_of(self.name)}_policy[{c_size(self.set)}]"


def rules_array(attr_set: AttributeSet) -> str:
    return f"conga_netlink_{names_of(attr_set.name)}_rules[{c_size(attr_set.name)}]"


# ---- policies ----

def nests(description: Description, attributes: list[Attribute]) -> list[Policy]:
    """Those in these attributes, the innermost first"""
    found = []
    for attr in attributes:
        if attr.nested:
            one = description.sets[attr.nested]
            found += nests(description, one.attributes)
            found.append(Policy(one.name, one.subset_of or one.name, one.attributes, [], []))
    return found


def fixed(description: Description, operation: str, attributes: list[Attribute]) -> list[Attribute]:
    """Those that only NAME-new takes, if the operation is NAME-set"""
    name, _, verb = operation.rpartition("-")
    if verb != "set":
        return []
    taken = description.operations[f"{name}-new"].messages["do request"]
    return [attr for attr in taken if attr not in attributes]


def policies(description: Description) -> list[Policy]:
    """One per distinct list, named after the first operation that has it. A request and a
    dump of one operation have one policy.
    """
    lists = {}
    for operation in description.operations.values():
        taken = [attr for kind in ("do request", "dump request")
                 for attr in operation.messages.get(kind, [])]
        if not taken:
            continue
        attributes = [attr for attr in description.sets[operation.set].attributes
                      if attr in taken]
        key = tuple(attr.constant for attr in attributes)
        one = lists.setdefault(key, Policy(operation.name, attributes[0].set, attributes, [],
                                           fixed(description, operation.name, attributes)))
        one.users.append(operation.name)
    found = {}
    for one in lists.values():
        found |= {nest.name: nest for nest in nests(description, one.attributes)}
        found[one.name] = one
    return list(found.values())


def nla(attr: Attribute) -> str:
    if attr.nested:
        return f"NLA_POLICY_NESTED(conga_netlink_{names_of(attr.nested)}_policy)"
    if attr.length:
        return f"NLA_POLICY_EXACT_LEN({attr.length})"
    return f"{{ .type = {NLA[attr.type]} }}"


def reject_text(policy: Policy, attr: Attribute) -> str:
    return (f"\t[{attr.constant}] = {{\n\t\t.type = NLA_REJECT,\n"
            f'\t\t.reject_message = "{attr.name} cannot be changed: delete the {policy.set}, '
            'and add it with another",\n\t},\n')


def policy_text(policy: Policy) -> str:
    comment = ", ".join(policy.users) or f"a nest of set {policy.name}"
    lines = align([(f"\t[{attr.constant}]", f"= {nla(attr)},") for attr in policy.attributes])
    lines += "".join(reject_text(policy, attr) for attr in policy.fixed)
    return f"/* {comment} */\nconst struct nla_policy\n{policy.array} = {{\n{lines}}};\n"


# ---- rules ----

def members(attr: Attribute) -> list[tuple[str, str]]:
    facts = attr.facts
    given = [("sentence", f'"{refusal(attr)}"')]
    if "min-user" in facts:
        given.append(("sentence_user", f'"{refusal_of_user(attr)}"'))
    if attr.enum:
        entries = attr.enum.entries
        return given + [("min", entries[0].constant), ("max", entries[-1].constant)]
    given += [(fact, attr.fact_constant(fact))
              for fact in ("min", "max") if fact in facts]
    if "power-of" in facts:
        given.append(("power_of_two", "true"))
    special = [attr.fact_constant(one) for one in SPECIAL if one in facts]
    if special:
        given += [("special", f"{{ {', '.join(special)} }}"), ("specials", str(len(special)))]
    return given


def limited(attr_set: AttributeSet) -> list[Attribute]:
    return [attr for attr in attr_set.attributes if attr.requested and attr.is_limited]


def sets_with_rules(description: Description) -> list[AttributeSet]:
    return [one for one in description.sets.values() if not one.subset_of and limited(one)]


def rules_text(attr_set: AttributeSet) -> str:
    lines = []
    for attr in limited(attr_set):
        lines.append(f"\t[{attr.constant}] = {{")
        lines += [f"\t\t.{name} = {value}," for name, value in members(attr)]
        lines.append("\t},")
    return (f"const struct conga_netlink_rule\n{rules_array(attr_set)} = {{\n" +
            "\n".join(lines) + "\n};\n")


def text(description: Description) -> str:
    return fold("\n".join(
        [top("//", HEAD) + '#include "netlink/rules_generated.h"\n'] +
        [policy_text(one) for one in policies(description)] +
        [rules_text(one) for one in sets_with_rules(description)]))
