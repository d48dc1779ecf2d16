# SPDX-License-Identifier: GPL-2.0
"""Whether a mutant is one: it compiles without a warning, and its object code differs."""
import hashlib
import subprocess
import tempfile
from pathlib import Path

from .candidates import Mutant
from .results import REJECTED, SAME, Result, result

# Optimised, so that code that means the same is the same; without debugging information, which
# has columns.
FLAGS = ["-O2", "-g0", "-w"]
# What includes a header. A function that is inlined always would not be kept.
PROBE = """\
#include <linux/compiler.h>
#undef __always_inline
#define __always_inline inline
"""


class Compiler:
    """Makes object code of one file with other text, and remembers the code of the original."""

    def __init__(self, tree: Path, suite):
        self.tree, self.flags = tree, suite.flags(tree)
        self.kept, self.warnings = suite.KEPT, suite.WARNINGS
        self.originals: dict = {}

    def code(self, file: str, text: bytes, folder: Path, options: list) -> str:
        """A hash of the object code; empty if the compiler rejects it."""
        name = folder / Path(file).name
        name.write_bytes(text)
        # In place of the file itself, so that what it includes by its own folder is found.
        source = folder / "probe.c" if file.endswith(".h") else name
        if file.endswith(".h"):
            source.write_text(PROBE + f'#include "{name}"\n')
        target = folder / "code.o"
        made = subprocess.run(
            ["gcc", *self.flags, f"-I{(self.tree / file).parent}", f"-ffile-prefix-map={folder}=",
             *options, "-c", "-o", str(target), str(source)], capture_output=True, check=False)
        return "" if made.returncode else hashlib.sha256(target.read_bytes()).hexdigest()[:12]

    def original(self, mutant: Mutant, folder: Path) -> str:
        file = mutant.file
        if file not in self.originals:
            self.originals[file] = self.code(file, mutant.whole, folder, FLAGS + self.kept)
        return self.originals[file]

    def judge(self, mutant: Mutant) -> Result:
        """Rejected, of the same code, or, without a verdict, to be tested."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = mutant.text()
            if not self.code(mutant.file, text, folder, self.warnings):
                return result(mutant, REJECTED)
            code = self.code(mutant.file, text, folder, FLAGS + self.kept)
            same = code == self.original(mutant, folder)
            return result(mutant, SAME if same else "-", code=code)
