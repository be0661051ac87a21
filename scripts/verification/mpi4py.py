"""mpi4py's own tests: some 2000 of them, from Python, through the C ABI.

mpi4py is built from its source distribution with Pamir's mpicc, in a virtual
environment, and each of its test files runs on each number of ranks under a
time limit of its own, so that one that hangs costs its time only. All ranks run
all tests of a file; a test that fails on any rank has failed.

Left out, by name and with the reason, is only what Pamir raises
MPI_ERR_UNSUPPORTED_OPERATION for.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from .packages import python_source, virtual_environment
from .workshop import Failed, Workshop, relative

TITLE = "mpi4py 4.1.2: its own test suite, built with Pamir's mpicc"
RANKS = (1, 2, 3, 5)
VERSION = "4.1.2"

LEFT_OUT_FILES = {
    "test_file": "files",
    "test_io": "files",
    "test_dynproc": "connecting jobs",
    "test_spawn": "starting processes",
    "test_util_pool": "starts processes when it has one rank",
    "test_session": "sessions",
    "test_p2p_buf_part": "partitioned communication",
    "test_exceptions": "makes a session before its first test",
    "test_subclass": "opens a file before its first test",
    "test_ulfm": "mends communicators after faults; without that mpi4py puts a barrier on one rank"
                 " against an allreduce on another",
}
LEFT_OUT_TESTS = {
    "*File*": "files",
    "*Session*": "sessions",
    "*CreateFromGroups*": "communicators from groups, which belong to sessions",
    "*SafeFreeCreated*": "frees a file among others",
}

RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
SKIPPED = re.compile(r"\bskipped=(\d+)")
WRONG = re.compile(r"^(?:FAIL|ERROR): (\S+) \(([\w.]+)", re.MULTILINE)
ENDED = re.compile(r"^(?:OK|NO TESTS RAN|FAILED \()", re.MULTILINE)


@dataclass
class Outcome:
    """What became of one file on one number of ranks."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: int = 0


def verify(workshop: Workshop, options) -> int:
    """Builds mpi4py and runs its tests; gives the number of failed tests."""
    python, tests = build(workshop)
    for name, reason in {**LEFT_OUT_FILES, **LEFT_OUT_TESTS}.items():
        workshop.say(f"left out: {name} ({reason})")
    files = [path.stem for path in sorted(tests.glob("test_*.py"))]
    files = [name for name in files if name not in LEFT_OUT_FILES]
    if options.only:
        files = [name for name in files if any(pattern in name for pattern in options.only)]
    if not files:
        raise Failed("no test file has such a name")
    totals = Outcome()
    for ranks in options.ranks or RANKS:
        for name in files:
            outcome = run(workshop, python, tests, name, ranks, options.timeout)
            totals.passed += outcome.passed
            totals.skipped += outcome.skipped
            totals.failed += outcome.failed
            log = "" if not outcome.failed else f"  {relative(workshop.log(step(name, ranks)))}"
            workshop.say(
                f"{ranks} ranks  {name:24} {outcome.passed:4} passed {len(outcome.failed):3} failed "
                f"{outcome.skipped:3} skipped{log}"
            )
            for test in outcome.failed:
                workshop.say(f"         {test}")
    workshop.say(f"{totals.passed} passed, {len(totals.failed)} failed, {totals.skipped} skipped")
    return len(totals.failed)


def build(workshop: Workshop) -> tuple[Path, Path]:
    """Builds mpi4py unless it was built with this library; gives Python and the tests' folder."""
    archive = python_source(workshop, "mpi4py", VERSION)
    python = virtual_environment(workshop, []) / "bin" / "python"
    source = workshop.place / f"mpi4py-{VERSION}"
    marker = workshop.place / "built-with"
    if not marker.exists() or marker.read_text(encoding="utf-8") != str(workshop.prefix):
        marker.unlink(missing_ok=True)
        shutil.rmtree(source, ignore_errors=True)
        workshop.run("unpack", ["tar", "-xf", archive, "-C", workshop.place], seconds=60)
        workshop.say("building mpi4py with Pamir's mpicc (some minutes)")
        workshop.run(
            "build",
            [python, "-m", "pip", "install", "--disable-pip-version-check", "--force-reinstall",
             "--no-cache-dir", "--no-deps", source],
            seconds=3600, environment={"MPICC": str(workshop.compiler)},
        )
        marker.write_text(str(workshop.prefix), encoding="utf-8")
    return python, source / "test"


def step(name: str, ranks: int) -> str:
    """The name of a run's log."""
    return f"{name}-{ranks}"


def run(workshop: Workshop, python, tests: Path, name: str, ranks: int, seconds: float) -> Outcome:
    """Runs one file on a number of ranks."""
    excluded = [word for pattern in LEFT_OUT_TESTS for word in ("-x", pattern)]
    code, text = workshop.attempt(
        step(name, ranks),
        [workshop.launcher, "-n", ranks, python, tests / "main.py", "-v", *excluded,
         "-i", f"^{name}\\.py$"],
        seconds=seconds, directory=tests.parent,
        environment={"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return read(text, code, ranks)


def read(text: str, code: int | None, ranks: int) -> Outcome:
    """What the output of all ranks says."""
    wrong = sorted({f"{cls.removeprefix('__main__.')} {test}" for test, cls in WRONG.findall(text)})
    ran = [int(number) for number in RAN.findall(text)]
    skipped = max((int(number) for number in SKIPPED.findall(text)), default=0)
    outcome = Outcome(failed=wrong, skipped=skipped)
    if len(ran) == ranks and len(ENDED.findall(text)) == ranks:
        outcome.passed = max(max(ran) - len(wrong) - skipped, 0)
    if code is None:
        outcome.failed.append(f"(no end in time; last: {last_test(text)})")
    elif len(ran) != ranks:
        outcome.failed.append(f"({len(ran)} of {ranks} ranks came to an end, exit code {code}; "
                              f"last: {last_test(text)})")
    elif code != 0 and not wrong:
        outcome.failed.append(f"(exit code {code} though no test failed)")
    return outcome


def last_test(text: str) -> str:
    """The test that was begun last."""
    begun = re.findall(r"^(test\w+) \(([\w.]+)", text, re.MULTILINE)
    return f"{begun[-1][1]} {begun[-1][0]}" if begun else "none was begun"
