# SPDX-License-Identifier: GPL-2.0
"""Completion times beside a capture: two connections of a pair, packet by packet."""
import gzip
import tempfile
import unittest
from pathlib import Path

import context

captured = context.module("captured")

BEGIN_NS = 1_400_000_003_000_000_500
SERVER, CLIENT = "192.168.0.11", "192.168.1.10"     # hosts 1 and 4 of 4 a leaf
# start in ns, bytes, sender, receiver, connection of the pair
TRACE = ((0, 3000, 1, 4, 0), (1000, 100, 1, 4, 1), (5000, 1448, 1, 4, 0))
# when data come, in ns since the clock started; port of the connection; bytes
PACKETS = ((9000, 5001, 1448), (9500, 5002, 100), (10200, 5001, 1448), (10300, 5001, 104),
           (15000, 5001, 1448))
FCT_NS = (10300, 8500, 10000)


def stamp(ns: int) -> str:
    return f"{(BEGIN_NS + ns) // 10 ** 9}.{(BEGIN_NS + ns) % 10 ** 9:09}"


class Compared(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.trace = self.folder / "trace"
        self.trace.write_text("# seed 1\n" + "".join(
            " ".join(map(str, row)) + " - - -\n" for row in TRACE))

    def write(self, packets=PACKETS, fct_ns=FCT_NS, begin=f"begin {stamp(0)}\n"):
        rows = [f"{start / 1e9:.9f} {size} {fct / 1e9:.9f} 0 0 0 {sender} {receiver} - 1\n"
                for (start, size, sender, receiver, _), fct in zip(TRACE, fct_ns)]
        (self.folder / "transfers").write_text("# start_s ...\n" + "".join(rows))
        with gzip.open(self.folder / "capture.gz", "wt") as file:
            file.write(begin)
            # A request, by the same connection, the other way
            file.write(f"{stamp(10)} IP {CLIENT}.40000 > {SERVER}.5001: tcp 16\n")
            for ns, port, size in packets:
                file.write(f"{stamp(ns)} IP {SERVER}.{port} > {CLIENT}.40000: tcp {size}\n")

    def compare(self):
        return captured.compare(self.folder, self.trace, 4)

    def test_the_same(self):
        self.write()
        self.assertEqual(self.compare(), (3, 3, 0, 0))

    def test_a_time_that_differs(self):
        self.write(fct_ns=(10300, 8500, 8000))
        found = self.compare()
        self.assertAlmostEqual(found.worst, 0.25)
        self.assertAlmostEqual(found.mean, 0.25 / 3)

    def test_sent_again(self):
        """Connection 5001 has brought a packet twice: nobody knows which."""
        self.write(packets=PACKETS + ((15100, 5001, 1448),))
        with self.assertRaisesRegex(ValueError, "1 of 3 transfers can be told from the capture"):
            self.compare()

    def test_no_begin(self):
        self.write(begin="")
        with self.assertRaisesRegex(ValueError, "does not say when the load began"):
            self.compare()

    def test_no_runs(self):
        with self.assertRaisesRegex(ValueError, "there is no run of capture in"):
            captured.check(self.folder, "capture")


if __name__ == "__main__":
    unittest.main()
