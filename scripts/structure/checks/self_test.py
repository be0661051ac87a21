"""Tests of the checks' own rules: each one is seen to find what it looks for."""

import sys
import tempfile
import unittest
from pathlib import Path

from comments import measured
from documents import anchors, broken, missing, prose
from packages import is_allowed
from repository import ROOT, code
from unsafe_files import UNSAFE, entries


class Licences(unittest.TestCase):
    """SPDX expressions, with the slash that old packages write."""

    def allowed(self, expression):
        return is_allowed(expression, {"MIT", "Unicode-3.0"})

    def test_one_of_several_is_enough(self):
        for expression in ("MIT", "GPL-2.0 OR MIT", "GPL-2.0/MIT", "MIT OR (GPL-2.0 AND BSD-2-Clause)",
                           "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT"):
            self.assertTrue(self.allowed(expression), expression)

    def test_all_of_several_are_needed(self):
        self.assertTrue(self.allowed("(GPL-2.0 OR MIT) AND Unicode-3.0"))
        for expression in ("", "GPL-2.0", "MIT AND GPL-2.0", "MIT WITH x", "(MIT", "MIT MIT",
                           "(GPL-2.0 OR MIT) AND BSD-2-Clause"):
            self.assertFalse(self.allowed(expression), expression)


class Code(unittest.TestCase):
    """Where a word is code, and where it is not."""

    def test_comments_and_literals_are_no_code(self):
        for text in ("// unsafe", "/// unsafe {", "/* unsafe\n unsafe */", '"unsafe"', '"\\" unsafe"',
                     'r#"" unsafe"#', "'\"' ; \"unsafe\"", "'\\'' ; \"unsafe\"", "unsafe_op"):
            self.assertFalse(UNSAFE.search(code(text)), text)

    def test_code_is_found_beside_them(self):
        for text in ("unsafe { 1 }", "pub unsafe fn f()", '"a" unsafe "b"', "fn f<'a>() { unsafe {} }",
                     "'\"' unsafe '\"'", "// a\nunsafe impl Send", 'r"\\" unsafe r"\\"'):
            self.assertTrue(UNSAFE.search(code(text)), text)

    def test_a_list_has_comments(self):
        self.assertEqual(entries("# a\n\nb\nc/\n"), {"b", "c/"})


class Comments(unittest.TestCase):
    """Which comments hold a measured time."""

    def test_measured_times_are_found(self):
        for text in ("/// 4 KiB in 0.55 us instead of 0.63", "x(); // takes .64 µs", "//! some 25 ns |",
                     "// streams at 13 GB/s", "// 14 million a second", "// 7 % slower than by vectors",
                     "//! barrier of 8 ms instead of 0.2 ms"):
            self.assertEqual([number for number, _ in measured(f"a\n{text}")], [2], text)

    def test_other_numbers_are_not(self):
        for text in ("/// Naps of 50 ms", "// 0 -> 2  4 -> 6", "let ns = 5;", "/// 16 KiB, 3 users",
                     'let words = "5 us";', "// a share of 3 %"):
            self.assertEqual(list(measured(text)), [], text)


class Links(unittest.TestCase):
    """Where a document's links lead."""

    def test_code_has_no_links(self):
        self.assertEqual(prose("a `[b](c)` d\n```\n[e](f)\n```\n"), "a  d\n\n")

    def test_headings_have_anchors(self):
        self.assertEqual(anchors("# A page\n## MPI's objects, put: get\n"), {"a-page", "mpis-objects-put-get"})

    def test_links_that_lead_nowhere_are_found(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "scripts") as folder:
            page = Path(folder) / "page.md"
            page.write_text("# A\n[a](#a) [b](#b) [page](page.md#a) [none](none.md) [out](https://x.y)\n")
            self.assertEqual([line.split(": ", 1)[1] for line in broken(page)],
                             ["#b: there is no such heading", "the link none.md leads nowhere"])

    def test_paths_that_are_not_there_are_found(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "scripts") as folder:
            page = Path(folder) / "page.md"
            page.write_text("`scripts/test --quick` `scripts/none` `docs/none.md` `docs/SUMMARY.md` `a/b` `MPI/x`\n"
                            "`scripts/<kind>/x` `target/none` `shm::x`\n```\n`scripts/gone`\n```\n")
            self.assertEqual([line.split(": ", 1)[1] for line in missing(page)],
                             ["there is no scripts/none", "there is no docs/none.md"])


def main() -> bool:
    """Runs them; whether they passed."""
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    return unittest.TextTestRunner(verbosity=0).run(tests).wasSuccessful()
