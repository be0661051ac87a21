"""Files that have their old text or all of the new one.

A disk that is full while figures are written would otherwise leave a file that
is cut short, and looks like a whole one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """A name to write to, whose file takes the place of path once the block has ended well."""
    place = path.resolve()
    if place.exists() and not place.is_file():
        # A pipe or a device is written as it is.
        yield path
        return
    new = place.with_name(f".{place.stem}.{os.getpid()}{place.suffix}")
    try:
        yield new
        with new.open("rb") as stream:
            os.fsync(stream.fileno())
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes the text, all of it or none."""
    with replacement(path) as new:
        new.write_text(text)
