"""`unsafe` is in few files: those that unsafe-files.txt lists, and the list only shrinks.

A room that is new brings the files that it needs; from then on they shrink like the others.

A line is a file, or a folder (with `/` at its end) whose files are all functions that C calls.
`scripts/structure/checks/run unsafe --update` takes out files that have lost theirs, and renames:
it adds no more files than it takes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, base, git, rust_code

LIST = Path(__file__).with_name("unsafe-files.txt")
NAME = str(LIST.relative_to(ROOT))
UNSAFE = re.compile(r"\bunsafe\b")


def check(update: bool) -> Iterator[str]:
    """One line for each file that breaks the rule."""
    listed = entries(LIST.read_text(encoding="utf-8"))
    found = {path for path, code in rust_code().items() if UNSAFE.search(code)}
    folders = tuple(entry for entry in listed if entry.endswith("/"))
    new = {path for path in found - listed if not path.startswith(folders or ("/",))}
    gone = {entry for entry in listed if not any(path.startswith(entry) for path in found)}
    if update and len(new) <= len(gone):
        write((listed - gone) | new)
        new, gone = set(), set()
    for path in sorted(new):
        yield f"{path}: `unsafe` in a file that {NAME} does not list: build on a safe type"
    for path in sorted(gone):
        yield f"{NAME}: {path} has no `unsafe` any more: `scripts/structure/checks/run unsafe --update`"
    yield from growth()


def entries(text: str) -> set[str]:
    """The lines that are no comments."""
    return {line for line in text.splitlines() if line and not line.startswith("#")}


def growth() -> Iterator[str]:
    """A line if the list is longer than where the change began."""
    since = base()
    before = git("show", f"{since}:{NAME}") if since else None
    if before:
        old, now = entries(before), entries(LIST.read_text(encoding="utf-8"))
        known = folders_of(git("ls-tree", "-r", "--name-only", since) or "")
        now = {entry for entry in now if entry in old or str(Path(entry).parent) in known}
        if len(now) > len(old):
            yield f"{NAME}: {len(now)} lines in old rooms, and {len(old)} before the change: it only shrinks"


def folders_of(paths: str) -> set[str]:
    """The folders that files lie in."""
    return {str(Path(path).parent) for path in paths.splitlines()}


def write(listed: set[str]) -> None:
    """Writes the list below its comments."""
    head = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    LIST.write_text("\n".join([*head, *sorted(listed)]) + "\n", encoding="utf-8")
