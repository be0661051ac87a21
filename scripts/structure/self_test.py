"""The test of scripts/layering's own reading: small crates with a known answer.

`scripts/layering --self-test` runs it before it looks at the tree's rules.
"""

import unittest

from .imports import Crate, circles, tokens, use_leaves, without_tests
from .limits import circles_grew, large_folders, differences


def crate(**files):
    """The circles of a crate: `lane__room="..."` is src/lane/room.rs."""
    texts = {f"src/{name.replace('__', '/')}.rs": text for name, text in files.items()}
    return circles(Crate("src/lib.rs", texts.get).imports())


class Reading(unittest.TestCase):
    def test_comments_and_strings_are_no_words(self):
        text = """a /* b /* c */ d */ "e \\" f" r#"g "h" i"# 'j' 'k: l // m"""
        self.assertEqual([word for word in tokens(text) if word != '""'], ["a", ":", "l"])

    def test_tests_are_left_out(self):
        text = "#[cfg(test)] use a::{b, c}; d; #[cfg(all(test, unix))] mod t { x } e #[inline] f"
        self.assertEqual(without_tests(tokens(text)), ["d", ";", "e", "f"])
        field = "struct S { a: u8, #[cfg(test)] b: u8, c: u8 }"
        self.assertNotIn("b", without_tests(tokens(field)))

    def test_a_tree_of_uses_has_these_leaves(self):
        leaves = list(use_leaves(tokens("crate::{a::{self, b as c}, d::*, e::{f, g::h}}")))
        self.assertEqual(leaves, [
            (("crate", "a"), "a"), (("crate", "a", "b"), "c"), (("crate", "d"), "*"),
            (("crate", "e", "f"), "f"), (("crate", "e", "g", "h"), "h"),
        ])


class Circles(unittest.TestCase):
    def test_two_files_that_import_each_other(self):
        found = crate(lib="mod a; mod b; mod c;", a="use crate::b::B; pub struct A;",
                      b="use super::a::A; pub struct B;", c="use crate::a::A;")
        self.assertEqual(found, [["src/a.rs", "src/b.rs"]])

    def test_one_way_is_no_circle(self):
        self.assertEqual(crate(lib="mod a; mod b;", a="use crate::b::B;", b="pub struct B;"), [])

    def test_a_path_in_the_code_is_an_import(self):
        found = crate(lib="mod a; mod b;", a="use crate::b; pub fn f() { b::g() }",
                      b="pub fn g() { crate::a::f() }")
        self.assertEqual(found, [["src/a.rs", "src/b.rs"]])

    def test_a_test_may_close_a_circle(self):
        found = crate(lib="mod a; mod b;", a="use crate::b::B; pub struct A;",
                      b="pub struct B; #[cfg(test)] mod tests { use crate::a::A; }")
        self.assertEqual(found, [])

    def test_a_parent_may_pass_a_child_on(self):
        found = crate(lib="mod a;", a="mod b; pub use b::B; pub struct A;",
                      a__b="use super::A; pub struct B(A);")
        self.assertEqual(found, [])

    def test_a_parent_may_not_use_a_child_that_uses_it(self):
        for own in ("pub use b::B; pub struct A(B);", "use b::B; pub struct A;",
                    "pub struct A(b::B);"):
            found = crate(lib="mod a;", a="mod b; " + own, a__b="use super::A; pub struct B;")
            self.assertEqual(found, [["src/a.rs", "src/a/b.rs"]], own)

    def test_a_reexport_hides_nothing(self):
        found = crate(lib="mod a; mod b; mod front;", front="pub use crate::b::B;",
                      a="use crate::front::B; pub struct A;", b="use crate::a::A; pub struct B;")
        self.assertEqual(found, [["src/a.rs", "src/b.rs"]])
        found = crate(lib="mod a; mod b; mod front;", front="pub use crate::b::*;",
                      a="use crate::front::B; pub struct A;", b="use crate::a::A; pub struct B;")
        self.assertEqual(found, [["src/a.rs", "src/b.rs"]])

    def test_a_glob_takes_the_names_that_are_used(self):
        files = {"lib": "mod a; mod b;", "b": "use crate::a::A; pub struct B;"}
        self.assertEqual(crate(a="use crate::b::*; pub struct A(B);", **files),
                         [["src/a.rs", "src/b.rs"]])
        self.assertEqual(crate(a="use crate::b::*; pub struct A;", **files), [])

    def test_a_longer_circle(self):
        found = crate(lib="mod a; mod b; mod c;", a="use crate::b::B; pub struct A;",
                      b="use crate::c::C; pub struct B;", c="use crate::a::A; pub struct C;")
        self.assertEqual(found, [["src/a.rs", "src/b.rs", "src/c.rs"]])


class Limits(unittest.TestCase):
    def test_more_or_larger_circles_are_worse(self):
        for found in ([5], [6], [4, 2, 2], [4, 3]):
            self.assertTrue(circles_grew(found, [4, 2]), found)
        for found in ([], [4], [3, 2], [3, 3], [4, 2]):
            self.assertFalse(circles_grew(found, [4, 2]), found)

    def test_a_number_that_shrank_must_be_lowered(self):
        grew, shrank = differences({"a": 16, "b": 20, "d": 15}, {"a": 15, "b": 21, "c": 18})
        self.assertEqual(grew, ["a", "d"])
        self.assertEqual(shrank, ["b", "c"])

    def test_a_module_and_its_folder_are_one_sibling(self):
        files = [f"x/src/f{number}.rs" for number in range(14)]
        self.assertEqual(large_folders([*files, "x/src/lib.rs", "x/src/f1/a.rs"]), {})
        self.assertEqual(large_folders([*files, "x/src/tests.rs", "x/src/tests/a.rs"]), {})
        self.assertEqual(large_folders([*files, "x/src/g/mod.rs"]), {"x/src": 15})


def main():
    suite = unittest.defaultTestLoader.loadTestsFromName(__name__)
    return unittest.TextTestRunner().run(suite).wasSuccessful()
