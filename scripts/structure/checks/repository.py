"""The repository as the checks see it: its files, where a change began, its packages.

Every check asks here, scripts/layering too, and prints what it found; scripts/structure/checks/run counts.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

from structure.imports import tokens

ROOT = Path(__file__).resolve().parents[3]


def git(*arguments: str) -> str | None:
    """What git says; `None` where it fails, as in an unpacked archive."""
    try:
        outcome = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return outcome.stdout if outcome.returncode == 0 else None


def files() -> list[str]:
    """The paths of all files that are the project's, those that are not committed too."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard")
    if listed:
        paths = set(listed.splitlines())
    else:
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        paths = {str(path) for path in found if path.parts[0] not in {"target", ".git"}}
    return sorted(path for path in paths if (ROOT / path).is_file())


def code(text: str) -> str:
    """Rust source without comments, literals and lifetimes."""
    return " ".join(tokens(text))


@functools.cache
def rust_code() -> dict[str, str]:
    """The code of each Rust file."""
    paths = [path for path in files() if path.endswith(".rs")]
    return {path: code((ROOT / path).read_text(encoding="utf-8")) for path in paths}


def base(reference: str | None = None) -> str | None:
    """The commit that a change is compared with.

    `reference`, otherwise the commit where this branch left origin/main; the commit before, where neither
    commits nor files differ from that.
    """
    if reference:
        found = git("merge-base", reference, "HEAD")
        return found.strip() if found else None
    left = git("merge-base", "origin/main", "HEAD")
    if left and (git("diff", "--name-only", left.strip()) or untracked()):
        return left.strip()
    before = git("rev-parse", "HEAD" if untracked() else "HEAD~")
    return before.strip() if before else None


def untracked() -> list[str]:
    """Files that are not committed and not ignored."""
    return (git("ls-files", "--others", "--exclude-standard") or "").splitlines()


def changed(since: str) -> list[str]:
    """The paths of the files that differ from commit `since`; deleted ones too."""
    return sorted({*(git("diff", "--name-only", since) or "").splitlines(), *untracked()})


def metadata(*arguments: str, environment: dict[str, str] | None = None) -> dict:
    """What cargo knows of the packages; without the network where all of them are here."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", *arguments]
    for words in (["--offline"], []):
        outcome = subprocess.run(
            [*command, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if outcome.returncode == 0:
            return json.loads(outcome.stdout)
    sys.exit(f"{' '.join(command)} failed:\n{outcome.stderr}")
