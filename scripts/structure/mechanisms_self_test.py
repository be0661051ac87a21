"""The test of scripts/requirements: small trees with a known answer.

`scripts/requirements --self-test` runs it before it looks at the list.
"""

import tempfile
import unittest
from pathlib import Path

from . import mechanisms, test_names

INDEX = '[lanes]\ntitle = "Lanes"\nmechanisms = 2\nfiles = "requirements/lanes*.toml"\n'
RUST = '''
const PROGRAM: &str = "ring";

fn run(ranks: usize) -> Outcome {
    // "commented" is no program.
    mpiexec(ranks, &compile(PROGRAM)).arg("--slots")
}

#[test]
fn it_goes_round() {
    run(2);
}

#[test]
fn it_says_nothing() {
    compile("commented_not");
}

#[test]
#[ignore = "slow"]
fn it_never_runs() {
    run(3);
}
'''
REAL = {"text": "A ring.", "tests": ["tests/tests/lanes.rs::it_goes_round"],
        "program": "tests/programs/ring.c", "shown": "its sum"}


def toml(entries):
    """The text of a file of entries."""
    lines = []
    for key, entry in entries.items():
        lines.append(f"[{key}]")
        lines += [f"{name} = {value!r}" for name, value in entry.items()]
    return "\n".join(lines) + "\n"


class Listed(unittest.TestCase):
    """What is said of entries."""

    def listed(self, *files):
        """States by number, and problems, of files of entries."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            texts = {"tests/requirements.toml": INDEX, "tests/tests/lanes.rs": RUST,
                     "tests/programs/ring.c": "", "docs/user/lanes.md": "```sh run\npamir lanes\n```\n",
                     "bindings/cli/share/man1/pamir.1": ".B pamir lanes\n.B \\-\\-slots\n"}
            texts |= {f"tests/requirements/lanes-{n}.toml": toml(file) for n, file in enumerate(files)}
            for path, text in texts.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            problems = []
            found = mechanisms.listed(root, problems)["lanes"]
            test_names.definitions.cache_clear()
            test_names.tests_in.cache_clear()
        return [mechanism.state() for mechanism in found.values()], problems

    def problem(self, change, without=()):
        """The one problem of an entry that differs from a real one."""
        entry = {name: value for name, value in (REAL | change).items() if name not in without}
        _, problems = self.listed({"lanes-1": entry, "lanes-2": REAL})
        self.assertEqual(len(problems), 1, problems)
        return problems[0].partition("]: ")[2]

    def test_entries_are_real_inside_only_or_open(self):
        inside = {"text": "A lane.", "tests": ["tests/tests/lanes.rs::it_says_nothing"]}
        self.assertEqual(self.listed({"lanes-1": REAL}, {"lanes-2": inside}), (["real", "inside only"], []))
        part = REAL | {"open": "half of it"}
        bare = {"text": "None.", "open": "all of it"}
        self.assertEqual(self.listed({"lanes-1": part, "lanes-2": bare}), (["open", "open"], []))

    def test_entries_are_there_once(self):
        states, problems = self.listed({"lanes-1": REAL}, {"lanes-1": REAL})
        self.assertEqual(states, ["real", "inside only"])
        self.assertEqual(problems, ["tests/requirements/lanes-1.toml [lanes-1]: it stands twice",
                                    "lanes-2: there is no entry"])
        _, problems = self.listed({"lanes-1": REAL, "lanes-2": REAL, "lanes-3": REAL})
        self.assertEqual(len(problems), 1)

    def test_malformed_entries_are_told(self):
        self.assertIn("unknown field 'proof'", self.problem({"proof": "x"}))
        self.assertIn("shown is not a string", self.problem({"shown": ["x"]}))
        self.assertIn("come together", self.problem({}, without=["shown"]))
        self.assertIn("has no tests", self.problem({}, without=["program", "shown", "tests"]))

    def test_a_test_runs_the_program(self):
        none = ["tests/tests/lanes.rs::it_says_nothing"]
        self.assertIn("no test of it runs tests/programs/ring.c", self.problem({"tests": none}))
        inside = ["tests/tests/lanes.rs::it_goes_round"]
        self.assertIn("no file tests/programs/gone.c",
                      self.problem({"program": "tests/programs/gone.c", "tests": inside}))

    def test_a_test_exists_and_is_run(self):
        program = {"program": "pamir lanes"}
        chapter = "docs/user/lanes.md"
        for test, reason in (("tests/tests/lanes.rs::gone", "has no test gone"),
                             ("tests/tests/lanes.rs::it_never_runs", "is ignored"),
                             ("tests/tests/lanes.rs", "name the test in it"),
                             ("tests/programs/ring.c", "name the test that does"),
                             ("nowhere::name", "should begin with a crate")):
            self.assertIn(reason, self.problem(program | {"tests": [chapter, test]}))

    def test_a_command_is_in_the_manual_and_a_test_or_a_chapter_runs_it(self):
        chapter = {"tests": ["docs/user/lanes.md"]}
        told = self.problem({"program": "pamir lanes --fifo"} | chapter)
        self.assertIn("does not know --fifo", told)
        told = self.problem({"program": "pamir lanes --slots"} | chapter)
        self.assertIn("no test of it runs pamir lanes --slots", told)
        self.assertIn("nobody is no program", self.problem({"program": "nobody --slots"}))
        command = REAL | {"program": "pamir lanes"} | chapter
        own = REAL | {"program": "docs/user/lanes.md"} | chapter
        self.assertEqual(self.listed({"lanes-1": command, "lanes-2": own}), (["real", "real"], []))


if __name__ == "__main__":
    unittest.main()
