"""The steps for a change: what it touches, and nothing else.

```text
  files that differ ──▶ Change: crates, whole programs, chapters ──▶ steps, and what they leave out
```

An installation is made where a whole program or a chapter runs on it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from .runner import ROOT, Step

sys.path.insert(0, str(ROOT / "scripts" / "structure" / "checks"))

import repository  # noqa: E402  (the path must be set first)

# Of these everything is built.
EVERY_CRATE = {"Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml"}
WHOLE_PROGRAMS = "pamir-tests"
# Files that the steps which always run look at.
ALWAYS_LOOKED_AT = ("scripts/structure/", "scripts/layering", "scripts/verification/",
                    "tests/requirements")


class Change:
    """What a list of changed files touches."""

    def __init__(self, paths: list[str], crates: dict[str, str], programs: dict[str, str]):
        """`crates`: name by folder; `programs`: text of each whole-program test by its name."""
        self.crates: set[str] = set()
        self.tests: set[tuple[str, str]] = set()
        self.chapters: set[str] = set()
        self.all_chapters = self.all_programs = self.all_crates = False
        self.unseen: list[str] = []
        for path in paths:
            self.take(path, crates, programs)

    def take(self, path: str, crates: dict[str, str], programs: dict[str, str]) -> None:
        """Sorts one file in."""
        parts = path.split("/")
        # The innermost folder: crates lie in those of others.
        around = max(filter(path.startswith, crates), key=len, default=None)
        crate = crates.get(around)
        if path in EVERY_CRATE:
            self.all_crates = True
        elif path.startswith("tests/conformance/"):
            if len(parts) >= 4:
                self.chapters.add(parts[2])
            else:
                self.all_chapters = True
        elif path.startswith("tests/programs/"):
            named = re.compile(rf'"{re.escape(Path(path).stem)}(\.\w+)?"')
            users = {(WHOLE_PROGRAMS, name) for name, text in programs.items() if named.search(text)}
            self.tests |= users
            if not users:
                self.unseen.append(path)
        elif path.startswith("tests/build_systems/"):
            self.unseen.append(path)
        elif crate and parts[-1].endswith((".rs", ".toml", ".txt", ".h")) and "benchmarks" not in parts:
            self.take_source(path, crate)
        elif not path.startswith(ALWAYS_LOOKED_AT):
            self.unseen.append(path)

    def take_source(self, path: str, crate: str) -> None:
        """A source of a crate: of one of its test programs, or of the crate itself."""
        test = re.search(r"/tests/(\w+)(?:\.rs$|/)", path)
        if path.startswith("tests/requirements"):
            return
        self.crates.add(crate)
        if test and "/src/" not in path:
            self.tests.add((crate, test[1]))
        elif crate == WHOLE_PROGRAMS:
            self.all_programs = True


def steps(reference: str | None) -> tuple[list[Step], list[str]]:
    """The steps for what differs from `reference`, and lines that say what they leave out."""
    since = repository.base(reference)
    if since is None:
        sys.exit(f"no commit to compare with{f': {reference}' if reference else ''}")
    packages = repository.metadata("--no-deps")["packages"]
    folders = {folder(package) + "/": package["name"] for package in packages}
    programs = {path.stem: path.read_text(encoding="utf-8")
                for path in (ROOT / "tests" / "tests").glob("*.rs")}
    paths = repository.changed(since)
    change = Change(paths, folders, programs)
    # A file that is gone has no test of its own.
    change.tests = {(crate, test) for crate, test in change.tests if test_exists(crate, test, folders)}
    change.chapters = {name for name in change.chapters if (ROOT / "tests/conformance" / name).is_dir()}
    print(f"{len(paths)} files differ from {since[:10]}: "
          f"{', '.join(sorted(change.crates)) or 'no crate'}"
          + "".join(f", {name}" for name in sorted(change.chapters)))
    return chosen(change), left_out(change, packages)


def folder(package: dict) -> str:
    """Where a crate lies."""
    return str(Path(package["manifest_path"]).parent.relative_to(ROOT))


def test_exists(crate: str, test: str, folders: dict[str, str]) -> bool:
    """Whether a crate has this test program."""
    place = next(ROOT / folder / "tests" for folder, name in folders.items() if name == crate)
    return (place / f"{test}.rs").exists() or (place / test / "main.rs").exists()


def chosen(change: Change) -> list[Step]:
    """The steps for a change."""
    named = [word for crate in sorted(change.crates) for word in ("-p", crate)]
    steps = [
        always("layering", "layering", ["scripts/layering", "--self-test"]),
        always("checks", "dependencies, documents, comments, licences, unsafe code",
               ["scripts/structure/checks/run", "--self-test"]),
        always("requirements", "mechanisms of the documents", ["scripts/requirements", "--self-test"]),
        always("scripts", "tests of the scripts", ["scripts/verification/self_test.py"]),
    ]
    if named:
        steps += [
            always("format", "formatting (rustfmt)", ["cargo", "fmt", "--check", *named]),
            always("lints", "lints (clippy)", ["cargo", "clippy", "--locked", *named,
                                               "--all-targets", "--", "-D", "warnings"],
                   gigabytes=0.5),
            always("rust", "unit tests", ["cargo", "test", "--locked", *named, "--lib", "--bins",
                                          "--no-fail-fast"], gigabytes=2.0),
        ]
    if change.tests or change.chapters:
        steps.append(Step("install", "installation", lambda runner: [
            (["scripts/install", "--profile", "dev", "--prefix", runner.prefix], {})],
            gigabytes=1.5))
    if change.tests:
        steps.append(Step("programs", "whole programs", lambda runner: [
            (["cargo", "test", "--locked", "-p", crate, "--test", test, "--no-fail-fast"],
             {"PAMIR_TEST_PREFIX": str(runner.prefix)}) for crate, test in sorted(change.tests)],
            gigabytes=1.5))
    if change.chapters:
        steps.append(Step("conformance", "C programs (tests/conformance)", lambda runner: [
            (["tests/conformance/run", "--prefix", runner.prefix, "--quick", "--verbose",
              *sorted(change.chapters)], {})]))
    return steps


def always(name: str, title: str, command: list[str], gigabytes: float = 0.05) -> Step:
    """A step that needs no installation."""
    return Step(name, title, lambda _runner: [(command, {})], gigabytes=gigabytes)


def left_out(change: Change, packages: list[dict]) -> list[str]:
    """What scripts/test would run besides, a line each."""
    lines = []
    if change.all_crates:
        lines.append("every crate, which a file at the top touches: scripts/test --quick")
    above = dependents(change.crates, packages) - change.crates
    if above:
        lines.append(f"crates that build on these: {', '.join(sorted(above))}")
    if change.crates:
        lines.append("test programs of crates, and whole programs, whose files are unchanged: "
                     "scripts/test --only install --only rust")
    chapters = {path.name for path in (ROOT / "tests" / "conformance").iterdir() if path.is_dir()}
    if unchanged := chapters - change.chapters:
        lines.append(f"chapters: {', '.join(sorted(unchanged))}: tests/conformance/run CHAPTER"
                     + (" (a file of all chapters differs)" if change.all_chapters else ""))
    if change.all_programs:
        lines.append("whole programs, of which a file of all differs: cargo test -p pamir-tests")
    lines.append("documentation, loom models, wrappers, Fortran, examples, list of MPI functions, QAPLIB: scripts/test")
    if change.unseen:
        lines.append(f"files that nothing here looks at: {', '.join(change.unseen)}")
    return lines


def dependents(crates: set[str], packages: list[dict]) -> set[str]:
    """The crates that build on some of these, and these."""
    found = set(crates)
    while True:
        more = {package["name"] for package in packages
                if found & {dependency["name"] for dependency in package["dependencies"]}}
        if more <= found:
            return found
        found |= more
