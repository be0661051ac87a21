"""Tests of what scripts/bench writes into documents; scripts/verification/self_test.py runs them."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from ..libraries.table import ROOT
from . import markdown
from .report import COLUMNS

FIGURES = """\
point-to-point,pamir,2,8,latency,us,0.055,0.05,0.06,3
point-to-point,impi,2,8,latency,us,0.09,0.09,0.09,3
point-to-point,mpich,2,8,latency,us,0.08,0.08,0.08,3
point-to-point,pamir,2,65536,latency,us,1.05,1,1.1,3
point-to-point,pamir,2,8,bandwidth,GB/s,2,2,2,3
point-to-point,impi,2,8,bandwidth,GB/s,1.5,1.5,1.5,3
point-to-point,mpich,2,8,bandwidth,GB/s,1.25,1.25,1.25,3
"""


class Documents(unittest.TestCase):
    """Tables in a document are those of their CSV file."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.source = Path(self.folder.name) / "figures.csv"
        self.document = Path(self.folder.name) / "page.md"
        self.source.write_text(f"{','.join(COLUMNS)}\n{FIGURES}")

    def tearDown(self):
        self.folder.cleanup()

    def test_a_table_has_pamir_and_the_best_of_the_others(self):
        self.assertEqual(markdown.tables(self.source).splitlines(), [
            "### point-to-point",
            "",
            "|  |  | 8 B | 64 KiB |",
            "|---|---|---|---|",
            "| latency [us] | pamir | 0.055 | 1.05 |",
            "|  | best of the others: mpich | 0.080 |  |",
            "",
            "|  |  | 8 B |",
            "|---|---|---|",
            "| bandwidth [GB/s] | pamir | 2.00 |",
            "|  | best of the others: impi | 1.50 |",
        ])

    def test_a_block_is_replaced_and_the_rest_stays(self):
        markdown.write(self.source, self.document, "scripts/bench a")
        before = self.document.read_text()
        self.document.write_text(f"{before}\nWords below.\n")
        self.source.write_text(self.source.read_text().replace("1.05", "1.15"))
        self.assertEqual(markdown.stale(self.document), ["figures.csv"])
        markdown.write(self.source, self.document, "scripts/bench b")
        after = self.document.read_text()
        self.assertEqual(markdown.stale(self.document), [])
        self.assertEqual(after, before.replace("1.05", "1.15").replace("bench a", "bench b") + "\nWords below.\n")

    def test_the_project_s_figures_are_those_of_their_files(self):
        document = ROOT / "docs/performance.md"
        self.assertTrue("<!-- begin " in document.read_text(), "no tables in it")
        self.assertEqual(markdown.stale(document), [], "scripts/bench tables --csv FILE --markdown docs/performance.md")
