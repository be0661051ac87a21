"""One C source, one program a library: tests/benchmarks/NAME.c -> target/bench/built.

A program is compiled anew when its source, a header beside it, or the library's header
or compiler wrapper is newer. Libraries that share a prefix share programs. What measures a
crate without MPI is an example of that crate.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from ..processes import CommandFailed, run
from .table import ROOT, WORK, Library

SOURCES = ROOT / "tests" / "benchmarks"
BUILT = WORK / "built"
FLAGS = ["-O2", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra"]
COMPILE_SECONDS = 120.0
BUILD_SECONDS = 1800.0


class NotCompiled(CommandFailed):
    """A program could not be compiled; the message has the compiler's first lines."""


def _compiled(source: Path, target: Path, compiler: list[str], others: list[Path]) -> Path:
    inputs = [source, *SOURCES.glob("*.h"), *others]
    newest = max(path.stat().st_mtime for path in inputs if path.exists())
    if target.exists() and target.stat().st_mtime > newest:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # The library's own options follow the source: the linker reads from left to right.
    command = [compiler[0], *FLAGS, str(source), "-o", str(target), *compiler[1:]]
    try:
        run(command, seconds=COMPILE_SECONDS)
    except CommandFailed as error:
        raise NotCompiled(f"{source.relative_to(ROOT)}: {error}") from error
    return target


def program(name: str, library: Library, link: tuple[str, ...] = ()) -> Path:
    """tests/benchmarks/`name`.c for this library, and with others to `link`."""
    return _compiled(
        SOURCES / f"{name}.c",
        BUILT / library.prefix.name / name,
        [*library.compiler(), *link],
        [library.prefix / "include" / "mpi.h", library.prefix / library.marker],
    )


def plain_program(name: str) -> Path:
    """A program without MPI."""
    return _compiled(SOURCES / f"{name}.c", BUILT / name, ["cc"], [])


@functools.cache
def example(package: str, name: str) -> Path:
    """A crate's example, built as the library is, once in a run, and anew where its sources have changed."""
    command = ["cargo", "build", "--locked", "--release", "-p", package, "--example", name]
    run(["env", "-C", str(ROOT), *command], seconds=BUILD_SECONDS)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "examples" / name
