"""The virtual environment and the peers, all under target/bench.

    target/bench/venv          a virtual environment with matplotlib (for the SVG plots)
    target/bench/peers/NAME    one prefix a peer: bin, include, lib of its wheel

The peers' wheels contain the same file names (bin/mpicc, include/mpi.h), so
each gets a prefix of its own. Nothing outside target/bench is written. The
wheels say nothing about where they are unpacked; the table of libraries knows
what each needs beyond that.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from ..processes import CommandFailed, run
from .table import ROOT, WORK, Library

VENV = WORK / "venv"
PYTHON = VENV / "bin" / "python"
INSTALL_SECONDS = 900.0

Say = Callable[[str], None]


class NotInstalled(Exception):
    """Something that a measurement needs is not there and could not be installed."""


def virtual_environment(say: Say) -> Path:
    """The virtual environment's Python; creates it when it is not there."""
    if not PYTHON.exists():
        say(f"creating {VENV.relative_to(ROOT)}")
        WORK.mkdir(parents=True, exist_ok=True)
        try:
            run([sys.executable, "-m", "venv", str(VENV)], seconds=INSTALL_SECONDS)
        except CommandFailed as error:
            raise NotInstalled(
                f"cannot create a virtual environment ({error}); "
                "install Python's venv module (Debian: python3-venv)"
            ) from error
    return PYTHON


def _pip(say: Say, what: str, arguments: list[str]) -> None:
    python = virtual_environment(say)
    say(f"installing {what} from the Python package index")
    try:
        run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments],
            seconds=INSTALL_SECONDS,
        )
    except CommandFailed as error:
        raise NotInstalled(f"cannot install {what}: {error}") from error


def plotting(say: Say) -> Path:
    """A Python that has matplotlib."""
    python = virtual_environment(say)
    try:
        run([str(python), "-c", "import matplotlib"], seconds=60)
    except CommandFailed:
        _pip(say, "matplotlib", ["matplotlib"])
    return python


def peer(library: Library, say: Say) -> None:
    """Installs a peer's packages into its prefix unless they are there."""
    if library.installed():
        return
    if not library.packages:
        raise NotInstalled(f"{library.name} has no packages and {library.prefix} is not there")
    # A prefix without its marker is what an interrupted installation left.
    shutil.rmtree(library.prefix, ignore_errors=True)
    names = " and ".join(library.packages)
    _pip(say, f"{names} into {library.prefix.relative_to(ROOT)}", ["--prefix", str(library.prefix), *library.packages])
    if not library.installed():
        raise NotInstalled(
            f"{names} brought no {library.marker}; see whether the index has a wheel for this machine"
        )


def pamir(library: Library, say: Say) -> None:
    """Builds and installs Pamir itself unless it is there, built to be measured."""
    if library.installed():
        note = library.prefix / "share" / "pamir" / "build-profile"
        profile = note.read_text().strip() if note.exists() else "release"
        if profile != "release":
            place = library.prefix.relative_to(ROOT)
            raise NotInstalled(f"{place} is a {profile} build, whose figures say nothing: scripts/install --prefix {place}")
        return
    script = ROOT / "scripts" / "install"
    if not script.exists():
        raise NotInstalled(f"{library.prefix.relative_to(ROOT)} is not there and neither is scripts/install")
    say(f"building Pamir: scripts/install --prefix {library.prefix.relative_to(ROOT)}")
    try:
        run([str(script), "--prefix", str(library.prefix)], seconds=INSTALL_SECONDS, directory=ROOT)
    except CommandFailed as error:
        raise NotInstalled(f"scripts/install failed: {error}") from error
