"""What each test took, read from what the tests print as they go.

```text
  line of a step, and the moment it came ──▶ Reader ──▶ Times ──▶ target/test/times.tsv, slowest tests
```

Rust's test harness does not tell times on a stable compiler, but when a test ends. It starts
tests in the order of their names, as many as there are threads, and the next one whenever one
ends: so the end of one is the start of another. tests/conformance/run tells seconds itself. A
command without tests counts as one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

RUNNING = re.compile(r"^\s*(?:Running .*\(.*/(.+)-[0-9a-f]+\)|Doc-tests (\S+))$")
BEGIN = re.compile(r"^running \d+ tests?$")
END = re.compile(r"^test (.+?)(?: - should panic| - compile(?: fail)?)* \.\.\. (ok|FAILED|ignored)")
RESULT = re.compile(r"^test result: ")
PROGRAM = re.compile(r"^(?:passed|FAILED) (.+) \((\d+\.\d+) s\)")
NAME_WIDTH = 100


class Times:
    """Seconds of each test of a run."""

    def __init__(self):
        self.rows: list[tuple[float, str, str]] = []

    def add(self, step: str, test: str, seconds: float) -> None:
        """A test of a step has ended."""
        self.rows.append((seconds, step, test))

    def slowest(self, most: int) -> list[tuple[float, str, str]]:
        """The slowest tests, the slowest first."""
        return sorted(self.rows, key=lambda row: (-row[0], row[1:]))[:most]

    def write(self, path: Path) -> None:
        """All of them, the slowest first."""
        lines = [f"{seconds:.3f}\t{step}\t{test}" for seconds, step, test in self.slowest(len(self.rows))]
        path.write_text("\n".join(["seconds\tstep\ttest", *lines]) + "\n", encoding="utf-8")


class Reader:
    """Reads the lines of one command of a step, each with the moment it came, in seconds."""

    def __init__(self, times: Times, step: str, threads: int | None = None):
        self.times = times
        self.step = step
        self.threads = threads or concurrency()
        self.suite = ""
        self.began = 0.0
        self.ended: list[tuple[float, str]] = []
        self.tests = 0

    def line(self, moment: float, text: str) -> None:
        """The next line."""
        text = text.rstrip("\n")
        if found := RUNNING.match(text):
            self.suite = (found[1] or f"{found[2]} documentation") + " "
        elif BEGIN.match(text):
            self.began, self.ended = moment, []
        elif found := END.match(text):
            if found[2] != "ignored":
                self.ended.append((moment, found[1]))
        elif RESULT.match(text):
            self.settle()
        elif found := PROGRAM.match(text):
            self.add(found[1], float(found[2]))

    def add(self, test: str, seconds: float) -> None:
        """A test took so long."""
        self.tests += 1
        self.times.add(self.step, test, seconds)

    def settle(self) -> None:
        """A suite is over: now the order in which its tests began is known."""
        waiting = sorted((test for _, test in self.ended), reverse=True)
        starts: dict[str, float] = {}
        for _ in range(min(self.threads, len(waiting))):
            starts[waiting.pop()] = self.began
        last = self.began
        for moment, test in self.ended:
            # One that came out of order began when the one before it ended, as far as we know.
            self.add(self.suite + test, max(0.0, moment - starts.get(test, last)))
            if waiting:
                starts.setdefault(waiting.pop(), moment)
            last = moment
        self.ended = []

    def close(self, command: str, seconds: float) -> None:
        """The command has ended after `seconds`."""
        self.settle()
        if self.tests == 0:
            self.add(command[:NAME_WIDTH], seconds)


def concurrency() -> int:
    """How many tests the harness runs at the same time."""
    said = os.environ.get("RUST_TEST_THREADS", "")
    return int(said) if said.isdigit() and int(said) > 0 else len(os.sched_getaffinity(0))
