# SPDX-License-Identifier: GPL-2.0
"""In place of a machine, for test_runner.py: fake_experiment.py FOLDER SETTINGS

Writes down in FOLDER that it was called and by which process. FOLDER/mode says what
it does: "well", "fail", "fail-once", "half" (output without an end), "short" (one
transfer less), "otherwise" (with each call), "sleep", "told" (says how far it is, and
goes on when there is FOLDER/go).
"""
import os
import re
import sys
import time
from pathlib import Path
from typing import Optional

LINE = "0.000000000 1000 0.001000000 0 0 0 1 0 0 1"


def setting(text: str, name: str) -> str:
    return re.search(rf"^{name}='?([^'\n]*)", text, re.MULTILINE)[1]


def print_output(count: int, whole: bool, packets: int, folder_to_go: Optional[Path]) -> None:
    print("noise before the first section")
    print("== facts\nkernel 6.1.0-fake\nhz 250")
    if folder_to_go:
        print("== load\nprogress 100000000 1 5000000", flush=True)
        while not (folder_to_go / "go").exists():
            time.sleep(0.05)
    print("== transfers\n# start_s size_bytes fct_s ...")
    print("\n".join([LINE] * count))
    print("== samples\nns leaf0.up0.backlog leaf0.up0.accepted\n0 0 0\n100000 1500 3000")
    print("== counters\nleaf0.up0 bytes 3000 "
          f"packets {packets} drops 0\nleaf0 stamped 7")
    if whole:
        print("== end")


def main() -> int:
    folder, settings = Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="ascii")
    calls = len(list(folder.glob("call-*")))
    (folder / f"call-{calls}-{os.getpid()}").write_text(settings, encoding="ascii")
    mode = (folder / "mode").read_text(encoding="ascii").strip()
    if mode == "sleep":
        time.sleep(600)
    if mode == "fail" or (mode == "fail-once" and not calls):
        print("it went wrong", file=sys.stderr)
        return 7
    lines = Path(setting(settings, "TRACE")).read_text(encoding="ascii").splitlines()
    count = sum(not line.startswith("#") for line in lines)
    packets = os.getpid() if mode == "otherwise" else 2
    print_output(count - (mode == "short"), mode != "half", packets,
                 folder if mode == "told" else None)
    return 0


sys.exit(main())
