"""Runs the steps of scripts/test, and keeps counts and times.

Before: steps.py or changed.py has chosen the steps. Here: each command runs in a session of its
own, with a time limit; each line goes to the step's log as it comes. After: the failures are
shown, and times.py has what each test took.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from . import disk
from .times import Reader, Times

ROOT = Path(__file__).resolve().parent.parent.parent
LOGS = ROOT / "target" / "test"
SUITE = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.MULTILINE)
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed")
# Lines of a failed step that say what failed, and how much of its output is shown.
FAILURE = re.compile(r"FAILED |test .* FAILED$|error(\[\w+\])?: |thread '.*panicked")
SHOWN_LINES = 40
SHOWN_WIDTH = 240
# How long the last lines of a step that was ended may take to come.
LAST_LINES_SECONDS = 10


def end_step(group):
    """Ends a step: SIGTERM lets a runner of programs end those, SIGKILL ends the rest."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        time.sleep(1)


class Step:
    """One step: a name, and a function that yields (command, environment) pairs to run."""

    def __init__(self, name, title, commands, quick=True, seconds=1800, gigabytes=0.05):
        """`gigabytes`: what it adds to an empty target folder."""
        self.name = name
        self.title = title
        self.commands = commands
        self.quick = quick
        self.seconds = seconds
        self.gigabytes = gigabytes


class Runner:
    """Runs steps, keeps the counts."""

    def __init__(self, quick, verbose):
        self.quick = quick
        self.verbose = verbose
        self.passed = 0
        self.failed = 0
        self.failures = []
        self.times = Times()
        self.installed = False
        self.group = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.interrupted)
        self.prefix = ROOT / "target" / ("pamir-dev" if quick else "pamir")

    def interrupted(self, number, _frame):
        """Ends the step in progress, which a session of its own keeps from the signal."""
        if self.group is not None:
            end_step(self.group)
        os._exit(128 + number)

    def run_all(self, steps):
        """Runs the steps in order; all of them, unless the installation fails."""
        for position, step in enumerate(steps, start=1):
            ok = self.run(step, position, len(steps))
            if step.name == "install":
                self.installed = ok
                if not ok and position < len(steps):
                    print("What follows needs this step: stopped.")
                    break

    def run(self, step, position, count):
        print(f"[{position}/{count}] {step.title} ... ", end="", flush=True)
        if self.verbose:
            print()
        begin = time.monotonic()
        log = LOGS / f"{step.name}.log"
        commands = step.commands(self)
        if isinstance(commands, str):
            print(f"skipped: {commands}")
            return True
        ok, text = self.execute(commands, log, step)
        passed, failed = counts(text, ok)
        self.passed += passed
        self.failed += failed
        seconds = time.monotonic() - begin
        print(f"{'ok' if ok else 'FAILED'} ({passed} passed, {failed} failed, {seconds:.0f} s)")
        if not ok:
            self.failures.append(step.title)
            if not self.verbose:
                print("\n".join("    " + line[:SHOWN_WIDTH] for line in excerpt(text)))
            print(f"    all of it: {log.relative_to(ROOT)}")
            if disk.failed_by_it(text, ROOT / "target"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(log))
        return ok

    def execute(self, commands, log, step):
        """Runs all commands even after a failure; returns whether all succeeded, and their text."""
        ok, text = True, []
        with open(log, "w", encoding="utf-8", errors="replace") as file:
            def take(line):
                file.write(line)
                file.flush()
                text.append(line)
                if self.verbose:
                    print(line, end="", flush=True)

            for command, environment in commands:
                words = [str(word) for word in command]
                file.write(f"$ {' '.join(words)}\n")
                code = self.command(words, environment, step, take)
                if code != 0:
                    ok = False
                    take(f"\nexit code {code}: {' '.join(words)}\n")
        return ok, "".join(text)

    def command(self, words, environment, step, take):
        """Runs one command, whose lines `take` gets as they come; returns its exit code."""
        reader, begin = Reader(self.times, step.name), time.monotonic()

        refused = []

        def follow():
            try:
                for line in process.stdout:
                    reader.line(time.monotonic(), line)
                    take(line)
            except OSError as error:
                # A log that takes nothing more: nobody would empty the pipe.
                refused.append(error)
                end_step(process.pid)

        # A session of its own, so that a step that hangs is ended with all it started.
        with subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            errors="replace", start_new_session=True,
        ) as process:
            self.group = process.pid
            follower = threading.Thread(target=follow, daemon=True)
            follower.start()
            try:
                process.wait(step.seconds)
                follower.join(max(0.0, step.seconds - (time.monotonic() - begin)))
                code = process.returncode
            except subprocess.TimeoutExpired:
                code = 124
            if code == 124 or follower.is_alive():
                code = 124
                end_step(process.pid)
                follower.join(LAST_LINES_SECONDS)
                take(f"\nended after {step.seconds} s\n")
            self.group = None
        if refused:
            raise refused[0]
        here = " ".join(words).replace(f"{ROOT}/", "")
        reader.close(here, time.monotonic() - begin)
        return code


def excerpt(text):
    """The lines that name failures, and the last ones."""
    lines = text.splitlines()
    named = [line for line in lines[:-SHOWN_LINES] if FAILURE.match(line)]
    more = [f"... {len(named) - SHOWN_LINES} more of them"] if len(named) > SHOWN_LINES else []
    return named[:SHOWN_LINES] + more + lines[-SHOWN_LINES:]


def counts(text, ok):
    """What a step counts for: its tests, or itself when it has none."""
    suites = SUITE.findall(text)
    summaries = SUMMARY.findall(text) if not suites else []
    passed, failed = 0, 0
    if suites:
        passed = sum(int(one) for one, _ in suites)
        failed = sum(int(one) for _, one in suites)
    elif summaries:
        passed, failed = (int(number) for number in summaries[-1])
    else:
        passed = int(ok)
    if not ok and failed == 0:
        failed = 1
    return passed, failed
