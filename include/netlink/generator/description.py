# SPDX-License-Identifier: GPL-2.0
"""The description, include/netlink/conga.yaml, as objects that the outputs are made from.

read() rejects a description that is wrong with one sentence, a DescriptionError. What each
key means is written at the top of conga.yaml.
"""
import re
from dataclasses import dataclass, field

import yaml

BITS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}
UNITS = {"ns", "bit/s", "bytes", "millionths", "bits", "entries", "port", "on/off", "dscp",
         "id", "tag", "tier", "packets", "none"}
SPECIAL = ("auto", "off")
FACTS = ("min", "max", "auto", "off", "default", "power-of", "min-user", "usual", "word")

# The keys that are read: others would be ignored.
KEYS = {
    "the description": "name protocol doc definitions attribute-sets operations mcast-groups",
    "constant": "type name value doc",
    "enum": "type name header doc value-start render-max entries",
    "entry": "name doc",
    "attribute set": "name doc subset-of attributes",
    "attribute": "name type doc byte-order display-hint checks multi-attr nested-attributes enum",
    "operation": "name doc attribute-set do dump event notify mcgrp",
}


class DescriptionError(Exception):
    """The description is wrong; the text is one sentence for its author."""


def c_name(*words: str) -> str:
    return "_".join(words).upper().replace("-", "_")


@dataclass
class Constant:
    name: str
    value: int | str
    doc: str

    @property
    def constant(self) -> str:
        return c_name("conga", self.name)


@dataclass
class Entry:
    constant: str
    name: str
    value: int
    doc: str
    word: str = ""                      # what the tool calls it, unless by its name


@dataclass
class Enum:
    name: str
    doc: str
    start: int
    entries: list[Entry]
    render_max: bool

    @property
    def tag(self) -> str:
        return "conga_" + self.name.replace("-", "_")

    def entry(self, value: int) -> Entry | None:
        return next((entry for entry in self.entries if entry.value == value), None)


@dataclass
class Attribute:
    set: str
    name: str
    number: int
    type: str
    unit: str
    doc: str
    for_operators: str = ""             # the second paragraph of the doc
    big_endian: bool = False
    length: int = 0                     # of a binary one, in bytes
    repeated: bool = False
    nested: str = ""                    # name of a set
    enum: Enum | None = None
    facts: dict = field(default_factory=dict)   # of FACTS, in the order of the description
    requested: bool = False             # a request takes it
    replied: bool = False               # a reply or an event has it

    @property
    def label(self) -> str:
        return f"attribute {self.name} of {self.set}"

    @property
    def constant(self) -> str:
        return c_name("conga", "a", self.set, self.name)

    @property
    def word(self) -> str:
        """What sentences, and the tool, call it"""
        return self.facts.get("word", self.name)

    @property
    def constants(self) -> dict:
        """The facts that are constants of C"""
        return {fact: value for fact, value in self.facts.items() if fact != "word"}

    def fact_constant(self, fact: str) -> str:
        return c_name("conga", self.set, self.name, fact)

    @property
    def is_limited(self) -> bool:
        """Not every value of its type is valid."""
        return bool(self.enum) or "max" in self.facts

    def is_special(self, value: int) -> bool:
        return any(self.facts.get(special) == value for special in SPECIAL)

    def in_range(self, value: int) -> bool:
        """Of the range alone, without special values."""
        base = self.facts.get("power-of")
        if base and not is_power(value, base):
            return False
        return (self.facts.get("min", 0) <= value <=
                self.facts.get("max", (1 << BITS[self.type]) - 1))


@dataclass
class AttributeSet:
    name: str
    doc: str
    attributes: list[Attribute]
    subset_of: str = ""

    def find(self, name: str) -> Attribute | None:
        return next((attr for attr in self.attributes if attr.name == name), None)


@dataclass
class Operation:
    name: str
    number: int
    doc: str
    set: str
    # The attributes of "do request", "do reply", "dump request", "dump reply" and "event"; a
    # message that the operation does not have is not there.
    messages: dict[str, list[Attribute]]
    notify: str
    group: str

    @property
    def constant(self) -> str:
        return c_name("conga", "cmd", self.name)


@dataclass
class Description:
    name: str
    version: int
    doc: str
    constants: list[Constant]           # those that are no facts
    enums: dict[str, Enum]
    sets: dict[str, AttributeSet]
    operations: dict[str, Operation]
    groups: list[str]

    def attributes_with_facts(self) -> list[Attribute]:
        return [attr for attr_set in self.sets.values() if not attr_set.subset_of
                for attr in attr_set.attributes if attr.facts]


def is_power(value: int, base: int) -> bool:
    while value > 1 and not value % base:
        value //= base
    return value == 1


def check(condition: bool, sentence: str) -> None:
    if not condition:
        raise DescriptionError(sentence)


def check_keys(what: str, label: str, given: dict) -> None:
    for key in given:
        check(key in KEYS[what].split(), f"{label} has the unknown key {key}")


def check_unique(what: str, names: list) -> None:
    for name in names:
        check(names.count(name) == 1, f"there are two of {what} {name}")


def paragraphs(label: str, given: dict) -> list[dict]:
    """Of a doc, each as if it were a doc of its own"""
    found = given.get("doc", "").strip().split("\n")
    check(len(found) <= 2, f"the doc of {label} has more than two paragraphs")
    return [{"doc": one} for one in found]


def read_doc(label: str, given: dict) -> str:
    check("\n" not in given.get("doc", "").strip(),
          f"the doc of {label} has more than one paragraph")
    doc = " ".join(given.get("doc", "").split())
    check(doc, f"{label} has no doc")
    check(doc.isascii(), f"the doc of {label} is not ASCII")
    check(doc.endswith("."), f"the doc of {label} does not end with a full stop")
    return doc


# ---- definitions ----

def read_enum(given: dict, prefixes: dict[str, str]) -> Enum:
    """Takes the prefix of its constants out of @prefixes, if there is one."""
    name = given["name"]
    check_keys("enum", f"enum {name}", given)
    start = given.get("value-start", 0)
    prefix = prefixes.pop(f"{name}-prefix", name.split("-")[0])
    entries = []
    for value, entry in enumerate(given["entries"], start):
        label = f"entry {entry['name'] if isinstance(entry, dict) else entry} of enum {name}"
        check(isinstance(entry, dict), f"{label} has no doc")
        check_keys("entry", label, entry)
        entries.append(Entry(c_name("conga", prefix, entry["name"]), entry["name"], value,
                             read_doc(label, entry)))
    return Enum(name, read_doc(f"enum {name}", given), start, entries,
                given.get("render-max", False))


def facts_of(attr: Attribute) -> tuple:
    """Those that an attribute of this type may have."""
    if attr.type == "string":
        return ("default",)
    if attr.enum:
        return ("default", "word")
    return FACTS if attr.type in BITS else ()


def check_word(label: str, value: int | str) -> None:
    check(re.fullmatch("[A-Za-z0-9 -]+", str(value)), f"the word of {label} is not of letters")


def read_words(given: list, enums: dict[str, Enum]) -> list:
    """Gives words to their entries, and returns the rest."""
    entries = {f"{enum.name}-{entry.name}-word": entry
               for enum in enums.values() for entry in enum.entries}
    for const in given:
        if const["name"] in entries:
            entry = entries[const["name"]]
            check_word(f"entry {entry.name}", const["value"])
            entry.word = const["value"]
    return [const for const in given if const["name"] not in entries]


def read_constants(given: list, sets: dict[str, AttributeSet]) -> list[Constant]:
    """Gives facts to their attributes, and returns the rest."""
    attributes = [attr for attr_set in sets.values() if not attr_set.subset_of
                  for attr in attr_set.attributes]
    owners = {f"{attr.set}-{attr.name}-{fact}": (attr, fact)
              for attr in attributes for fact in facts_of(attr)}
    order, constants = [], []
    for const in given:
        name = const["name"]
        check_keys("constant", f"constant {name}", const)
        if name in owners:
            attr, fact = owners[name]
            attr.facts[fact] = const["value"]
            order.append(attributes.index(attr))
            check(order == sorted(order), f"fact {name} is not in the order of the attributes")
            continue
        check("doc" in const, f"constant {name} is no fact of an attribute, and has no doc")
        constants.append(Constant(name, const["value"], read_doc(f"constant {name}", const)))
    return constants


# ---- attributes ----

def split_unit(label: str, doc: str) -> tuple[str, str]:
    found = re.match(r"\(([^)]*)\) (.*)", doc)
    if not found:
        return "", doc
    check(found[1] in UNITS, f"{label} has the unknown unit {found[1]}")
    return found[1], found[2]


def read_attribute(set_name: str, number: int, given: dict, enums: dict[str, Enum]) -> Attribute:
    label = f"attribute {given['name']} of {set_name}"
    check_keys("attribute", label, given)
    unit, doc, for_operators = "", "", ""
    if given["type"] != "pad":
        first, *second = [read_doc(label, one) for one in paragraphs(label, given)]
        unit, doc = split_unit(label, first)
        for_operators = second[0] if second else ""
    enum = given.get("enum")
    check(not enum or enum in enums, f"{label} has the unknown enum {enum}")
    return Attribute(set_name, given["name"], number, given["type"], unit, doc, for_operators,
                     given.get("byte-order") == "big-endian",
                     given.get("checks", {}).get("exact-len", 0), given.get("multi-attr", False),
                     given.get("nested-attributes", ""), enums.get(enum))


def read_sets(given: list, enums: dict[str, Enum]) -> dict[str, AttributeSet]:
    sets = {}
    for one in given:
        name, whole = one["name"], one.get("subset-of", "")
        check_keys("attribute set", f"attribute set {name}", one)
        doc = read_doc(f"attribute set {name}", one)
        names = [attr["name"] for attr in one["attributes"]]
        check_unique("attribute", names)
        if whole:
            check(whole in sets, f"attribute set {name} is a subset of the unknown set {whole}")
            attributes = [sets[whole].find(n) for n in names]
            for n, attr in zip(names, attributes):
                check(attr is not None, f"attribute set {name} has {n}, which {whole} lacks")
        else:
            attributes = [read_attribute(name, number, attr, enums)
                          for number, attr in enumerate(one["attributes"], 1)]
        sets[name] = AttributeSet(name, doc, attributes, whole)
    for attr_set in sets.values():
        for attr in attr_set.attributes:
            check(not attr.nested or attr.nested in sets,
                  f"{attr.label} nests the unknown set {attr.nested}")
            check((attr.type == "nest") == bool(attr.nested),
                  f"{attr.label} is a nest without a set, or no nest with one")
    return sets


def check_facts(attr: Attribute) -> None:
    facts, label = attr.facts, attr.label
    if attr.type == "string":
        check(all(isinstance(value, str) for value in facts.values()),
              f"the default of {label} is not text")
        return
    for fact, value in facts.items():
        if fact == "word":
            check_word(label, value)
            continue
        check(isinstance(value, int) and 0 <= value < 1 << BITS[attr.type],
              f"{fact} of {label} is not a number of type {attr.type}")
    if attr.enum:
        default = facts.get("default")
        check(default is None or attr.enum.entry(default),
              f"default {default} of {label} is not in enum {attr.enum.name}")
        return
    check(("min" in facts) == ("max" in facts), f"{label} has only one end of its range")
    check(facts.get("power-of", 2) == 2, f"power-of of {label} is not 2")
    check("max" not in facts or attr.unit, f"{label} has a range, but no unit")
    check(facts.get("min", 0) <= facts.get("max", 0) or "max" not in facts,
          f"the range of {label} is empty")
    for fact in ("default", "usual", "min-user"):
        value = facts.get(fact)
        check(value is None or attr.in_range(value) or (fact == "default" and
                                                        attr.is_special(value)),
              f"{fact} {value} of {label} is out of its range")
    for special in SPECIAL:
        value = facts.get(special)
        check(value is None or "max" not in facts or not attr.in_range(value),
              f"{special} {value} of {label} is in its range")


# ---- operations ----

def read_message(label: str, attr_set: AttributeSet | None, given: dict) -> list[Attribute]:
    names = given.get("attributes", [])
    check_unique(f"attributes of {label},", names)
    check(attr_set or not names, f"{label} has attributes, but no attribute set")
    attributes = [attr_set.find(name) for name in names] if attr_set else []
    for name, attr in zip(names, attributes):
        check(attr is not None, f"{label} has {name}, which is no attribute of {attr_set.name}")
    return attributes


def read_operation(number: int, given: dict, sets: dict[str, AttributeSet]) -> Operation:
    name, set_name = given["name"], given.get("attribute-set", "")
    check_keys("operation", f"operation {name}", given)
    check(not set_name or set_name in sets, f"operation {name} has the unknown set {set_name}")
    messages = {}
    for kind in ("do", "dump"):
        for direction in ("request", "reply"):
            if direction in given.get(kind, {}):
                messages[f"{kind} {direction}"] = read_message(
                    f"{kind} {direction} of {name}", sets.get(set_name), given[kind][direction])
    if "event" in given:
        messages["event"] = read_message(f"event {name}", sets.get(set_name), given["event"])
    return Operation(name, number, read_doc(f"operation {name}", given), set_name, messages,
                     given.get("notify", ""), given.get("mcgrp", ""))


def mark_use(description: Description, attributes: list[Attribute], use: str) -> None:
    """Says of the attributes, and of what they nest, that they are requested or replied."""
    for attr in attributes:
        setattr(attr, use, True)
        if attr.nested:
            mark_use(description, description.sets[attr.nested].attributes, use)


def check_operations(description: Description) -> None:
    for operation in description.operations.values():
        for message, attributes in operation.messages.items():
            mark_use(description, attributes,
                     "requested" if message.endswith("request") else "replied")
        check(not operation.notify or operation.notify in description.operations,
              f"operation {operation.name} notifies of the unknown {operation.notify}")
        check(not operation.group or operation.group in description.groups,
              f"operation {operation.name} has the unknown group {operation.group}")
    for attr_set in description.sets.values():
        nested = any(attr_set.name == attr.nested for other in description.sets.values()
                     for attr in other.attributes)
        for attr in attr_set.attributes:
            check(not (nested and attr.requested and attr.is_limited),
                  f"{attr.label} has a range, which requests do not check in a nest")
            check(attr.type == "pad" or attr.requested or attr.replied,
                  f"{attr.label} is in no operation")


def check_constants(description: Description) -> None:
    """Names of C"""
    names = [const.constant for const in description.constants]
    names += [entry.constant for enum in description.enums.values() for entry in enum.entries]
    names += [attr.fact_constant(fact) for attr in description.attributes_with_facts()
              for fact in attr.constants]
    check_unique("constant", names)


def make(given: dict) -> Description:
    check_keys("the description", "the description", given)
    definitions = given["definitions"]
    check_unique("definition", [one["name"] for one in definitions])
    check_unique("attribute set", [one["name"] for one in given["attribute-sets"]])
    operations = given["operations"]["list"]
    check_unique("operation", [one["name"] for one in operations])
    check("doc" in given, "the description has no doc")
    given_constants = [one for one in definitions if one["type"] == "const"]
    prefixes = {one["name"]: one["value"] for one in given_constants
                if one["name"].endswith("-prefix")}
    given_constants = [one for one in given_constants if one["name"] not in prefixes]
    enums = {one["name"]: read_enum(one, prefixes) for one in definitions
             if one["type"] == "enum"}
    check(not prefixes, f"constant {next(iter(prefixes), '')} is the prefix of no enum")
    sets = read_sets(given["attribute-sets"], enums)
    constants = read_constants(read_words(given_constants, enums), sets)
    # YNL's default of the version is 1; its schema of "genetlink" has no key for another.
    description = Description(given["name"], 1, given["doc"], constants, enums, sets,
                              {one["name"]: read_operation(number, one, sets)
                               for number, one in enumerate(operations, 1)},
                              [one["name"] for one in given["mcast-groups"]["list"]])
    for attr in description.attributes_with_facts():
        check_facts(attr)
    check_operations(description)
    check_constants(description)
    return description


def read(path) -> Description:
    try:
        return make(yaml.safe_load(path.read_text(encoding="ascii")))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DescriptionError(f"line {line}: {error.problem}") from error
    except UnicodeDecodeError as error:
        raise DescriptionError("the description is not ASCII") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise DescriptionError(f"the description is not a YNL specification: "
                               f"{error!r} is missing or of another type") from error
