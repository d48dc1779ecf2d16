# SPDX-License-Identifier: GPL-2.0
"""The picture of what packets cost as a fabric grows."""
import unittest
import xml.etree.ElementTree

import context

growth = context.module("growth")

LINES = ["# make bench-growth",
         "growth send-leaves-stock 1 6800", "growth send-leaves 1 7600",
         "growth send-leaves 10000 7700", "growth hello-leaves 1 12000",
         "growth recv-uplinks 16 9800", "growth send-keys 8 7900",
         "traffic waiting 10000 33333 21866666"]


class Growth(unittest.TestCase):
    def test_points(self):
        found = growth.points(LINES)
        self.assertEqual(found["send", "leaves"], {1: 7600, 10000: 7700})
        self.assertEqual(found["send", "leaves-stock"], {1: 6800})
        self.assertEqual(len(found), 5)

    def test_picture(self):
        picture = growth.drawing.document(growth.picture(growth.points(LINES)))
        xml.etree.ElementTree.fromstring(picture)
        for text in ("10,000", "hello answered", "route keys of the leaf"):
            self.assertIn(text, picture)
        self.assertEqual(picture,
                         growth.drawing.document(growth.picture(growth.points(LINES))))


if __name__ == "__main__":
    unittest.main()
