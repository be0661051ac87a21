#!/usr/bin/env python3
"""Tests of how scripts/test reads times, chooses steps, runs the chapters' commands and meets a full disk, and of what
scripts/bench writes."""

import contextlib
import errno
import io
import os
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.output.self_test import Documents  # noqa: E402, F401  (the path must be set first)
from verification import disk  # noqa: E402
from verification.changed import Change, dependents  # noqa: E402
from verification.runner import ROOT, Runner, Step  # noqa: E402
from verification.steps import STEPS  # noqa: E402
from verification.times import Reader, Times  # noqa: E402
from verification.user_commands import run_page  # noqa: E402


class ReadTimes(unittest.TestCase):
    """Lines as cargo and tests/conformance/run print them."""

    def read(self, threads, lines, command=("cargo test", 9.0)):
        times = Times()
        reader = Reader(times, "rust", threads)
        for moment, line in lines:
            reader.line(moment, line + "\n")
        reader.close(*command)
        return {test: round(seconds, 3) for seconds, _, test in times.rows}

    def test_a_test_begins_when_one_before_it_ends(self):
        lines = [
            (0.0, "     Running unittests src/lib.rs (target/debug/deps/pamir_shm-0a1b2c)"),
            (1.0, "running 5 tests"),
            (1.0, "test b_ignored ... ignored, it is slow"),
            (3.0, "test c ... ok"),
            (4.0, "test a - should panic ... ok"),
            (4.5, "test e ... FAILED"),
            (9.0, "test d ... ok"),
            (9.0, "test result: FAILED. 3 passed; 1 failed; 1 ignored; finished in 8.00s"),
        ]
        # Two threads: a and c begin, then d where c ends, then e where a ends.
        self.assertEqual(self.read(2, lines), {
            "pamir_shm a": 3.0, "pamir_shm c": 2.0, "pamir_shm d": 6.0, "pamir_shm e": 0.5})
        one = [(1.0, "running 2 tests"), (1.5, "test a ... ok"), (4.0, "test b ... ok"),
               (4.0, "test result: ok. 2 passed; 0 failed;")]
        self.assertEqual(self.read(1, one), {"a": 0.5, "b": 2.5})

    def test_what_is_cut_short_or_out_of_order_has_times_too(self):
        lines = [(0.0, "running 4 tests"), (1.0, "test d ... ok"), (3.0, "test a ... ok")]
        self.assertEqual(self.read(1, lines), {"d": 1.0, "a": 3.0})

    def test_programs_and_commands(self):
        lines = [(0.0, "passed collective/scan on 3 ranks (0.3 s)"),
                 (0.0, "FAILED fault/killed on 2 ranks (2.5 s): exit code 1"), (0.0, "1 passed, 1 failed")]
        self.assertEqual(self.read(1, lines),
                         {"collective/scan on 3 ranks": 0.3, "fault/killed on 2 ranks": 2.5})
        self.assertEqual(self.read(1, [(0.0, "words")], ("mpiexec heat", 1.25)), {"mpiexec heat": 1.25})

    def test_the_slowest_come_first(self):
        times = Times()
        for seconds, name in ((1, "a"), (3, "b"), (2, "c")):
            times.add("rust", name, seconds)
        self.assertEqual([name for _, _, name in times.slowest(2)], ["b", "c"])


class ChooseSteps(unittest.TestCase):
    """Which files touch what."""

    CRATES = {"shm/": "pamir-shm", "bindings/abi/": "pamir-abi", "bindings/fortran/": "pamir-fortran",
              "bindings/fortran/generator/": "pamir-fortran-generator", "tests/": "pamir-tests"}
    PROGRAMS = {"balance": 'compile("leveled")', "fault": 'compile("leveled_twice")'}

    def change(self, *paths):
        return Change(list(paths), self.CRATES, self.PROGRAMS)

    def test_sources_touch_their_crate(self):
        change = self.change("shm/src/lane/mod.rs", "shm/README.md",
                             "bindings/fortran/generator/src/lib.rs", "bindings/abi/src/words.txt")
        self.assertEqual(change.crates, {"pamir-shm", "pamir-abi", "pamir-fortran-generator"})
        self.assertEqual((change.tests, change.unseen), (set(), ["shm/README.md"]))
        self.assertFalse(self.change("shm/src/lane/tests/loom.rs").tests)

    def test_test_programs_are_run(self):
        change = self.change("tests/tests/fault.rs", "bindings/abi/tests/header.rs",
                             "tests/programs/leveled.c", "tests/programs/nobody.c")
        self.assertEqual(change.tests, {
            ("pamir-tests", "fault"), ("pamir-abi", "header"), ("pamir-tests", "balance")})
        self.assertEqual(change.unseen, ["tests/programs/nobody.c"])
        self.assertTrue(self.change("tests/src/run.rs").all_programs)

    def test_chapters_are_run(self):
        change = self.change("tests/conformance/fault/killed.c", "tests/requirements/bgq.toml")
        self.assertEqual((change.chapters, change.crates), ({"fault"}, set()))
        self.assertFalse(change.all_chapters)
        self.assertTrue(self.change("tests/conformance/check.h").all_chapters)

    def test_files_at_the_top_touch_every_crate(self):
        self.assertTrue(self.change("Cargo.lock").all_crates)
        self.assertEqual(self.change("scripts/bench", "docs/a.md").unseen, ["scripts/bench", "docs/a.md"])

    def test_what_builds_on_a_crate_is_known(self):
        packages = [{"name": name, "dependencies": [{"name": other} for other in below]}
                    for name, below in (("a", []), ("b", ["a"]), ("c", ["b"]), ("d", []))]
        self.assertEqual(dependents({"a"}, packages), {"a", "b", "c"})


class RunChapters(unittest.TestCase):
    """Commands of a chapter, and the programs that they find."""

    def test_commands_find_the_programs_of_their_page_and_what_ran_before(self):
        page = ("```c one.c\nint one;\n```\nWords.\n```sh run\ncp one.c two.c\n```\n```sh\nfalse\n```\n"
                "```sh run\ngrep -q 'int one;' two.c\n```\n```sh run\ngrep -q 'int two;' two.c\n```\n")
        told = list(run_page(page, ROOT, 20))
        self.assertEqual([(line, problem is None) for line, problem in told], [(6, True), (12, True), (15, False)])
        self.assertIn("exit code 1", told[2][1])


class Room(unittest.TestCase):
    """What is told where the disk has no room."""

    WHOLE = sum(step.gigabytes for step in STEPS)

    def test_an_empty_folder_needs_more_than_a_warm_one(self):
        empty, warm = disk.needed(self.WHOLE, 0), disk.needed(self.WHOLE, 9 * disk.GIGABYTE)
        self.assertGreater(empty, 9 * disk.GIGABYTE)
        self.assertTrue(disk.GIGABYTE < warm < 3 * disk.GIGABYTE)
        self.assertLess(disk.needed(0.1, 0), disk.GIGABYTE)

    def test_what_is_missing_is_told_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "target"
            least = disk.needed(self.WHOLE, 0)
            with unittest.mock.patch.object(disk, "free", lambda _: least - 2 * disk.GIGABYTE):
                lack = disk.lack(self.WHOLE, target)
            self.assertIn("2.0 GB are missing", lack)
            self.assertIn("cargo clean", lack)
            self.assertNotIn("\n", lack)
            with unittest.mock.patch.object(disk, "free", lambda _: least):
                self.assertIsNone(disk.lack(self.WHOLE, target))

    def test_a_file_with_two_names_is_counted_once(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a"
            file.write_bytes(bytes(1 << 20))
            once = disk.used(Path(folder))
            os.link(file, Path(folder) / "b")
            self.assertGreaterEqual(once, 1 << 20)
            self.assertEqual(disk.used(Path(folder)), once)

    def test_a_log_on_a_full_disk_ends_the_step(self):
        runner, step = Runner(True, False), Step("full", "full", None, seconds=60)
        endless = ["sh", "-c", "while echo line; do :; done"]
        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            code = disk.guarded(
                lambda: runner.execute([(endless, {})], Path("/dev/full"), step), ROOT)
        self.assertEqual(code, 1)
        self.assertRegex(told.getvalue(), r"\A\nscripts/test: the disk of .* is full .*\n\Z")

    def test_other_errors_are_no_full_disk(self):
        def refused():
            raise OSError(errno.EACCES, "no")

        self.assertRaises(PermissionError, disk.guarded, refused, ROOT)

    def test_a_step_that_names_a_full_disk_is_believed_where_it_is_one(self):
        text = "error: No space left on device (os error 28)"
        for free, believed in ((0, True), (50 * disk.GIGABYTE, False)):
            with unittest.mock.patch.object(disk, "free", lambda _, free=free: free):
                self.assertEqual(disk.failed_by_it(text, ROOT), believed)
                self.assertFalse(disk.failed_by_it("error: expected one of", ROOT))


if __name__ == "__main__":
    unittest.main()
