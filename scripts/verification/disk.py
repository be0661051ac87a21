"""Room on the disk: whether the steps of scripts/test have enough, and what is told when they have not.

Before: steps.py or changed.py has chosen the steps, each of which says how many gigabytes it adds to an empty
`target/`. After: runner.py runs them. Cargo keeps what it built, so a later run needs less.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

GIGABYTE = 10**9
# The part of it that a run needs where everything was built before: what has changed is built beside the old.
REBUILT = 0.2
FULL = (errno.ENOSPC, errno.EDQUOT)
FULL_WORDS = ("No space left on device", "Disk quota exceeded")
# With less room than this, a step that names a full disk failed because of it.
NEARLY_FULL = GIGABYTE
ADVICE = "run `cargo clean`, free some elsewhere, or choose fewer steps (--changed, --only STEP)"


def needed(added: float, present: int) -> int:
    """Bytes that must be free for steps that add `added` gigabytes, where `target/` has `present` bytes."""
    whole = added * GIGABYTE
    return int(max(whole - present, REBUILT * whole))


def free(folder: Path) -> int:
    """Bytes that this user may still write on the file system of `folder`, which need not be there."""
    while not folder.exists():
        folder = folder.parent
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize


def used(folder: Path) -> int:
    """Bytes on the disk that `folder` takes, a file with several names once."""
    total, seen = 0, set()
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(place, name))
            except FileNotFoundError:
                continue
            if status.st_nlink == 1 or status.st_ino not in seen:
                total += status.st_blocks * 512
                seen.add(status.st_ino)
    return total


def lack(added: float, folder: Path) -> str | None:
    """One line that says what is missing for steps that add so many gigabytes, or nothing if they have room."""
    there, wanted = free(folder), needed(added, used(folder))
    if there >= wanted:
        return None
    return (f"these steps need about {gigabytes(wanted)} on the disk of {folder}, which has {gigabytes(there)} "
            f"free: {gigabytes(wanted - there)} are missing; {ADVICE}")


def filled(folder: Path) -> str:
    """One line for a disk that has become full."""
    return f"the disk of {folder} is full ({gigabytes(free(folder))} free): stopped; {ADVICE}"


def failed_by_it(text: str, folder: Path) -> bool:
    """Whether a step with this output failed because the disk was full."""
    return any(words in text for words in FULL_WORDS) and free(folder) < NEARLY_FULL


def guarded(run: Callable[[], int], folder: Path) -> int:
    """The exit code of `run`: 1, after one line, if the disk becomes full."""
    try:
        code = run()
        sys.stdout.flush()
        return code
    except OSError as error:
        if error.errno not in FULL:
            raise
        print(f"\nscripts/test: {filled(folder)}", file=sys.stderr, flush=True)
        # What could not be written shall not be tried once more at the end.
        try:
            sys.stdout.close()
        except OSError:
            sys.stdout = None
        return 1


def gigabytes(number: int) -> str:
    """A number of bytes as text."""
    return f"{number / GIGABYTE:.1f} GB"
