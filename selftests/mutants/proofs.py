# SPDX-License-Identifier: GPL-2.0
"""Documentation/developer/proofs.md, as the tables have it, and whether they are true to it."""
from collections import Counter
from pathlib import Path

import source
from tables import Entry, Table

PAGE = "Documentation/developer/proofs.md"
TEMPLATE = "proofs.template"    # the page, with "@NAME" for each table
ROOMS = ("include/netlink", "include/netlink/generator", "kmod", "kmod/*", "userspace",
         "Documentation/man", "Documentation/user/frr", "debian", "packaging/*", "selftests",
         "selftests/lib", "selftests/tools", "selftests/vm", "selftests/kselftests", "lab",
         "selftests/mutants", ".")
NO_TESTS = ("lib", "tools")     # what tests source or run may have the name of a test


def row(cells: list) -> str:
    return "| " + " | ".join(cells) + " |"


def rule_row(rule: Entry) -> str:
    names = ", ".join(mutant.title for mutant in rule.mutants)
    return row([rule.title, rule.fields.get("Paper", "-"), rule.fields["Rooms"],
                rule.fields["Tests"], names])


def kind_row(kind: Entry) -> str:
    return row([kind.title] + [kind.fields[field]
                               for field in ("Met", "Siblings", "Tests", "Mutants")])


def section(table: Table) -> list:
    """The lines of a table in the page."""
    text = "\n".join(table.subject.text).strip()
    lines = [f"## {table.subject.title}", ""] + ([text, ""] if text else [])
    if table.rules:
        lines += ["| rule | paper | room | test | mutant |", "|---|---|---|---|---|"]
        lines += [rule_row(rule) for rule in table.rules]
    if table.kinds:
        lines += ["| kind | met | siblings | tests | mutants |", "|---|---|---|---|---|"]
        lines += [kind_row(kind) for kind in table.kinds]
    return lines


def page(tables: list, template: str) -> str:
    """The whole of Documentation/developer/proofs.md."""
    by_name = {table.name: table for table in tables}
    lines = []
    for line in template.splitlines():
        known = line.startswith("@") and by_name.get(line[1:])
        lines += section(known) if known else [line]
    return "\n".join(lines) + "\n"


def check_page(tables: list, folder: Path, tree: Path) -> list:
    template = (folder / TEMPLATE).read_text()
    named = [line[1:] for line in template.splitlines() if line.startswith("@")]
    wrong = [f"{TEMPLATE}: there is no table {name}"
             for name in named if name not in {table.name for table in tables}]
    wrong += [f"{TEMPLATE}: does not have the table {table.name} once"
              for table in tables if named.count(table.name) != 1]
    if (tree / PAGE).read_text() != page(tables, template):
        wrong.append(f"{PAGE} is stale: selftests/mutants/mutant print >{PAGE}")
    return wrong


def test_path(name: str, tree: Path) -> str:
    """The program, or module of the lab's tests, of that name; empty if there is none."""
    if name.endswith(".py"):
        folders = ("lab/tests",)
    elif name.startswith(("test_", "fuzz_")):
        folders = ("selftests/unit",)
    else:
        folders = ("selftests", "selftests/*")
    found = [path.with_suffix("") if path.suffix == ".c" else path
             for folder in folders for end in ("", ".c")
             for path in tree.glob(f"{folder}/{name}{end}")
             if path.parent.name not in NO_TESTS]
    return str(found[0].relative_to(tree)) if found else ""


def room_exists(name: str, tree: Path) -> bool:
    return any(path.is_file() for folder in ROOMS for path in tree.glob(f"{folder}/{name}"))


def check_rule(rule: Entry, tree: Path) -> list:
    """Its rooms, its tests, and who kills its mutants."""
    tests = rule.words("Tests")
    wrong = [f"there is no room {room}"
             for room in rule.words("Rooms") if not room_exists(room, tree)]
    wrong += [f"there is no test {test}" for test in tests if not test_path(test, tree)]
    wrong += [] if rule.mutants else ["no mutant breaks it"]
    wrong = [f"{rule.where}: {rule.title}: {text}" for text in wrong]
    return wrong + [f"{mutant.where}: {mutant.title} is killed by {mutant.fields['Kills']}, "
                    "which is no test of its rule"
                    for mutant in rule.mutants if mutant.fields["Kills"] not in tests]


def check_kind(kind: Entry, mutants: dict, tree: Path) -> list:
    tests = kind.words("Tests")
    wrong = [f"there is no test {test}" for test in tests if not test_path(test, tree)]
    for name in kind.words("Mutants"):
        if name not in mutants:
            wrong.append(f"there is no mutant {name}")
        elif mutants[name].fields["Kills"] not in tests:
            wrong.append(f"{name} is killed by {mutants[name].fields['Kills']}, "
                         "which is no test of this kind")
    return [f"{kind.where}: {kind.title}: {text}" for text in wrong]


def check_names(mutants: list) -> list:
    """No name is that of two mutants."""
    count = Counter(mutant.title for mutant in mutants)
    return [f"{mutant.where}: {mutant.title} is the name of {count[mutant.title]} mutants"
            for mutant in mutants if count[mutant.title] > 1]


def check_text(mutants: list, tree: Path) -> list:
    """Each change applies."""
    wrong = []
    for mutant in mutants:
        try:
            source.mutated(mutant, tree)
        except source.SourceError as error:
            wrong.append(f"{mutant.where}: {mutant.title}: {error}")
    return wrong


def check(tables: list, folder: Path, tree: Path) -> list:
    """All that is wrong, a sentence each."""
    mutants = [mutant for table in tables for mutant in table.mutants]
    by_name = {mutant.title: mutant for mutant in mutants}
    wrong = check_names(mutants) + check_text(mutants, tree)
    for table in tables:
        for rule in table.rules:
            wrong += check_rule(rule, tree)
        for kind in table.kinds:
            wrong += check_kind(kind, by_name, tree)
    return wrong + check_page(tables, folder, tree)
