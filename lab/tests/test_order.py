# SPDX-License-Identifier: GPL-2.0
"""Who overtook whom, of captures that are made here byte by byte."""
import base64
import gzip
import json
import struct
import tempfile
import unittest
from pathlib import Path

import context

collect = context.module("collect")
order = context.module("order")

SECOND = order.BEGIN_S + 5
RATE = 8 * 10 ** 9      # a byte a ns
LINK_NS, HOST_LINK = 1000, 7
FULL = 1000             # bytes of an outer frame
INDEX = {"leaf0.up0": 3, "leaf0.up1": 4}
META = {"values": {"scheme": "tr", "link_rate": f"{RATE}bit", "delay": f"{LINK_NS}ns",
                   "link_delays": "spine1=3000ns"}}


def ethernet(number: int, payload: int = 900, port: int = 1) -> bytes:
    tcp = struct.pack("!HHIIBBHHH", port, 2, number, 0, 5 << 4, 0, 0, 0, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + payload, number, 0, 64, 6, 0, b"\x0a\0\0\1",
                     b"\x0a\0\0\2")
    return bytes(12) + b"\x08\x00" + ip + tcp


def tunnelled(frame: bytes, link: int, leaving: bool, byte3: int = 0) -> bytes:
    sll = struct.pack("!HHIHBB8s", 0x800, 0, link, 1, 4 if leaving else 0, 6, bytes(8))
    return sll + bytes(28) + bytes((8, 0, 0, byte3, 0, 0, 0, 0)) + frame


def pcap(path: Path, kind: int, packets: list, length: int) -> None:
    data = struct.pack("<IHHiIII", order.PCAP_NANO, 2, 4, 0, 0, 128, kind)
    for ns, frame in sorted(packets):
        data += struct.pack("<IIII", SECOND, ns, len(frame), length) + frame
    path.write_bytes(base64.b64encode(gzip.compress(data)))


class Captures(unittest.TestCase):
    """Packets: (number, sent, uplink, what it waits at the leaf, and at the spine)"""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def look(self, packets: list, told: tuple = (), lost: tuple = (), control: bool = False):
        sent, left, came = [], [], []
        for number, ns, uplink, own, ahead in packets:
            frame, delay = ethernet(number), (LINK_NS, 3000)[uplink]
            link = INDEX[f"leaf0.up{uplink}"]
            spine = ns + own + FULL + delay
            sent.append((ns, frame))
            left.append((spine, tunnelled(frame, link, True)))
            if number not in lost:
                came.append((spine + ahead + FULL + delay, tunnelled(frame, HOST_LINK, False)))
        teller = b"" if control else ethernet(99, port=9)
        left += [(ns, tunnelled(teller, INDEX[f"leaf0.up{uplink}"], False,
                                order.VALID | code << 2)) for ns, uplink, code in told]
        pcap(self.folder / "order_sent", order.ETHERNET, sent, FULL - order.ROOM)
        for name, some in (("left", left), ("came", came)):
            pcap(self.folder / f"order_{name}", order.SLL2, some,
                 FULL - order.ETHERNET_BYTES + order.SLL2_BYTES)
        (self.folder / "order_links").write_text(
            "".join(f"{name} {number}\n" for name, number in INDEX.items()))
        (self.folder / "order_paths").write_text(json.dumps(
            [{"dev": "up0", "delay_ns": 2 * LINK_NS}, {"dev": "up1", "delay_ns": 6000}]))
        return order.look(self.folder, META)

    def row(self) -> dict:
        return order.rows(self.folder, META)[0]

    def test_in_order(self):
        found, overtook = self.look([(1, 10_000, 0, 0, 0), (2, 11_000, 0, 0, 0),
                                     (3, 12_000, 1, 0, 0)])
        self.assertEqual((len(found), overtook), (3, []))
        self.assertEqual(found[0].arrival - found[0].ns, 2 * (LINK_NS + FULL))
        self.assertEqual(found[0].errors, (2 * FULL, 0, 0, 0, 0))

    def test_errors_are_all_that_tnl_is_wrong_by(self):
        found, _ = self.look([(1, 10_000, 0, 0, 5_000), (2, 10_400, 0, 600, 700),
                              (3, 13_000, 1, 0, 9_000)], ((9_000, 0, 10), (9_000, 1, 20)))
        for one in found:
            self.assertAlmostEqual(one.arrival, one.tnl + sum(one.errors))
        self.assertEqual(found[1].errors[1], 600 - FULL, "told when the one before came")

    def test_a_queue_that_was_told_and_is_gone(self):
        """The first waits where nothing was told of; the second takes the other way."""
        _, overtook = self.look([(1, 10_000, 0, 0, 50_000), (2, 11_000, 1, 0, 0)])
        self.assertEqual([one.cause for one in overtook], ["stale"])
        self.assertEqual(self.row()["overtook"], 1)
        self.assertEqual(self.row()["stale"], 1)
        self.assertEqual(self.row()["most_ns"], str(2_000 + 2 * FULL + 50_000 + 10_000
                                                    - (6_000 + 2 * FULL + 11_000)))

    def test_within_the_code(self):
        """Code 24 is 4096 units, 1,048,576 ns: a tenth more is within it."""
        told = ((9_000, 0, 24), (9_000, 1, 24))
        _, overtook = self.look([(1, 10_000, 0, 0, 1_150_000), (2, 11_000, 1, 0, 1_048_576)],
                                told)
        self.assertEqual([one.cause for one in overtook], ["code"])

    def test_against_its_own_estimate(self):
        """By the slow way first, then by the fast one: no error explains that."""
        _, overtook = self.look([(1, 10_000, 1, 0, 0), (2, 10_500, 0, 0, 0)])
        self.assertEqual([one.cause for one in overtook], ["unexplained"])

    def test_control_packets_tell_nothing(self):
        told = ((9_000, 0, 20),)
        found, _ = self.look([(1, 10_000, 0, 0, 0)], told)
        self.assertEqual(found[0].tnl, found[0].ns + 2_000 + order.queue_ns(20))
        found, _ = self.look([(1, 10_000, 0, 0, 0)], told, control=True)
        self.assertEqual(found[0].tnl, found[0].ns + 2_000)

    def test_its_own_uplink_may_fall(self):
        """Told of a queue that is gone, then not: by its own uplink, and then another."""
        told = ((9_000, 0, 16), (11_500, 0, 0))
        found, overtook = self.look([(1, 11_000, 0, 0, 65_000), (2, 12_000, 0, 0, 64_000),
                                     (3, 13_000, 1, 0, 0)], told)
        self.assertLess(found[2].tnl, found[0].tnl)
        self.assertEqual([one.cause for one in overtook], ["stale"])

    def test_what_is_lost_overtakes_nobody(self):
        found, overtook = self.look([(1, 10_000, 0, 0, 50_000), (2, 11_000, 1, 0, 0)], lost=(1,))
        self.assertEqual((len(found), overtook), (1, []))

    def test_other_schemes_know_no_tnl(self):
        self.look([(1, 10_000, 0, 0, 50_000), (2, 11_000, 1, 0, 0)])
        row = order.rows(self.folder, {"values": {**META["values"], "scheme": "rps"}})[0]
        self.assertEqual((row["overtook"], row["stale"]), (1, ""))

    def test_runs_that_watched(self):
        self.assertEqual(collect.order_rows(self.folder, META), {})
        self.look([(1, 10_000, 0, 0, 0)])
        self.assertEqual(collect.order_rows(self.folder, META)["order"][0]["packets"], 1)

    def test_not_a_capture(self):
        self.look([(1, 10_000, 0, 0, 0)])
        path = self.folder / "order_came"
        data = gzip.decompress(base64.b64decode(path.read_bytes()))
        path.write_bytes(base64.b64encode(gzip.compress(b"\xd4\xc3\xb2\xa1" + data[4:])))
        with self.assertRaisesRegex(ValueError, "no capture with nanoseconds"):
            order.look(self.folder, META)


class Told(unittest.TestCase):
    def test_codes_of_the_wire(self):
        units = [order.queue_ns(code) // order.UNIT_NS for code in range(32)]
        self.assertEqual(units[:11], [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
        self.assertEqual(units[30:], [32768, 49152])

    def test_ages(self):
        """Four codes per 10 ms, as the leaf reads it."""
        uplink = order.Uplink(RATE, LINK_NS, 2 * LINK_NS, order.TAGE_NS)
        uplink.heard = [(1000, 26)]
        for after, code in ((0, 26), (2_499_999, 26), (2_500_000, 25), (10_000_000, 22),
                            (65_000_000, 0), (90_000_000, 0)):
            self.assertEqual(uplink.told(1000 + after), order.queue_ns(code), after)
        self.assertEqual(uplink.told(999), 0)


if __name__ == "__main__":
    unittest.main()
