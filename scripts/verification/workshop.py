"""Where a verification works, and how it runs commands.

Everything is below target/verification/NAME: what was fetched, what was built,
and `logs/STEP.log` with all that a command said. A command has a time limit and
a session of its own: when the limit is over, first it is asked to end (a
launcher then ends its ranks), then what is left of the session is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "verification"
GRACE_SECONDS = 3.0
SHOWN_LINES = 25


class Failed(Exception):
    """A step did not do what it must; the message says which, why, and where the log is."""


def relative(path: Path) -> str:
    """A path as it is shown: from the top of the repository where it lies below."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


class Workshop:
    """The places and the commands of one verification."""

    def __init__(self, name: str, prefix: Path, verbose: bool):
        self.name = name
        self.prefix = prefix
        self.verbose = verbose
        self.place = WORK / name
        self.logs = self.place / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)

    @property
    def compiler(self) -> Path:
        """Pamir's compiler wrapper."""
        return self.prefix / "bin" / "mpicc"

    @property
    def launcher(self) -> Path:
        """Pamir's launcher."""
        return self.prefix / "bin" / "mpiexec"

    def say(self, text: str) -> None:
        """A line of progress."""
        print(f"[{self.name}] {text}", flush=True)

    def log(self, step: str) -> Path:
        """Where a step's output goes."""
        return self.logs / f"{step}.log"

    def attempt(
        self,
        step: str,
        command: list,
        *,
        seconds: float,
        environment: dict[str, str] | None = None,
        directory: Path | None = None,
    ) -> tuple[int | None, str]:
        """Runs a command; gives its exit code, `None` when its time was over, and its output."""
        words = [str(word) for word in command]
        log = self.log(step)
        start = time.monotonic()
        with log.open("w", encoding="utf-8", errors="replace") as file:
            file.write(f"$ {' '.join(words)}\n")
            file.flush()
            try:
                process = subprocess.Popen(
                    words,
                    env={**os.environ, **(environment or {})},
                    cwd=directory or ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise Failed(f"{step}: cannot start {words[0]}: {error.strerror}") from error
            code: int | None = None
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            finally:
                end(process)
            took = time.monotonic() - start
            outcome = f"exit code {code}" if code is not None else "ended by the time limit"
            file.write(f"\n{outcome} after {took:.1f} s\n")
        text = log.read_text(encoding="utf-8", errors="replace")
        if self.verbose:
            print(text, flush=True)
        return code, text

    def run(self, step: str, command: list, **options) -> str:
        """Runs a command that must succeed; gives its output."""
        code, text = self.attempt(step, command, **options)
        if code != 0:
            why = "no end in time" if code is None else f"exit code {code}"
            tail = "\n".join("    " + line for line in text.splitlines()[-SHOWN_LINES:])
            raise Failed(f"{step}: {why}\n{tail}\n    all of it: {relative(self.log(step))}")
        return text


def end(process: subprocess.Popen) -> None:
    """Ends a command's session; nothing happens if it has ended."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
