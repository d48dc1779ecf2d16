# SPDX-License-Identifier: GPL-2.0
"""Where the tests find what they test."""
import importlib
import sys
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent


def module(name: str):
    """A module of the lab, by name."""
    if str(LAB) not in sys.path:
        sys.path.insert(0, str(LAB))
    return importlib.import_module(name)
