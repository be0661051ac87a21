"""Runs one command and ends all of it.

Every command gets a time limit and a session of its own. When the limit is
over, or the runner is interrupted, first the launcher is asked to end (so that
it can end ranks that it put into sessions of their own), then everything that
is left of the session and of its descendants is killed. Descendants are found by
a mark in their environment, because launchers daemonise helpers. Segments in
/dev/shm that they had mapped are removed with them: a killed library cannot.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "BENCH_RUN"
GRACE_SECONDS = 2.0


class CommandFailed(Exception):
    """A command could not be measured; the message says which and why."""


@dataclass(frozen=True)
class Finished:
    """A command that ended by itself with exit code 0."""

    output: str
    seconds: float


def _descendants(mark: str) -> list[int]:
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue  # ended meanwhile, or not ours
    return found


def _segments(pids: list[int]) -> set[Path]:
    """Named segments that these processes have mapped."""
    found = set()
    for pid in pids:
        try:
            maps = Path(f"/proc/{pid}/maps").read_text(errors="replace")
        except OSError:
            continue
        for line in maps.splitlines():
            parts = line.split(maxsplit=5)
            if len(parts) == 6 and parts[5].startswith("/dev/shm/") and not parts[5].endswith(" (deleted)"):
                found.add(Path(parts[5]))
    return found


def _end(process: subprocess.Popen, mark: str, gently: bool) -> None:
    segments = _segments(_descendants(mark))
    if gently and process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for pid in _descendants(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    for segment in segments:
        segment.unlink(missing_ok=True)


def run(
    command: list[str],
    *,
    seconds: float,
    environment: dict[str, str] | None = None,
    directory: Path | None = None,
) -> Finished:
    """Runs `command` for at most `seconds`; raises CommandFailed unless it ends with 0."""
    mark = secrets.token_hex(8)
    merged = dict(os.environ) | (environment or {}) | {MARK: mark}
    start = time.perf_counter()
    try:
        process = subprocess.Popen(
            command,
            env=merged,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise CommandFailed(f"cannot start {command[0]}: {error.strerror}") from error
    gently = True
    try:
        output, errors = process.communicate(timeout=seconds)
        took = time.perf_counter() - start
        gently = False
    except subprocess.TimeoutExpired:
        _end(process, mark, gently=True)
        gently = False
        output, errors = process.communicate()
        raise CommandFailed(f"no end within {seconds:.0f} s (--timeout raises this)") from None
    finally:
        _end(process, mark, gently)
    if process.returncode != 0:
        lines = (errors or output).strip().splitlines()
        shown = " | ".join(line.strip() for line in lines[:6] if line.strip())
        raise CommandFailed(f"exit code {process.returncode}: {shown[:400]}")
    return Finished(output, took)
