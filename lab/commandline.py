# SPDX-License-Identifier: GPL-2.0
"""What the command lines of the lab's calculations share: options, refusals, CSV."""
import argparse
import csv
import sys

BAD_INPUT = 2  # exit status


def refuse(program: str, message: str) -> None:
    sys.stderr.write(f"{program}: {message}\n")
    raise SystemExit(BAD_INPUT)


def parser(description: str) -> argparse.ArgumentParser:
    """A parser that refuses in one sentence, and knows --seed and --csv."""
    options = argparse.ArgumentParser(description=description)
    options.error = lambda message: refuse(options.prog, message)
    options.add_argument("--seed", type=whole_number(0), default=1, help="default %(default)s")
    options.add_argument("--csv", metavar="FILE", help="write the rows there too")
    return options


def whole_number(least: int, most: int = sys.maxsize):
    """A type of argument: a whole number in this range."""
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            upper = "up" if most == sys.maxsize else f"to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number "
                                             f"from {least} {upper}")
        return int(text)
    return number


def open_csv(program: str, name: str | None):
    """The file to write, before any work is done; None if none is wanted."""
    if name is None:
        return None
    try:
        return open(name, "w", encoding="ascii", newline="")
    except OSError as error:
        return refuse(program, f"cannot write {name}: {error.strerror}")


def write_csv(file, rows: list) -> None:
    """Rows are named tuples of one type; numbers keep all digits."""
    if file is None:
        return
    with file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0]._fields)
        writer.writerows(rows)
