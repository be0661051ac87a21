"""instructions: callgrind's count for one MPI_Send and one MPI_Recv of a message that has arrived.

Both ranks run under callgrind, which collects only inside counted_send and
counted_receive (tests/benchmarks/instructions.c). From each rank's file

    instructions a message = (total - the counted function's own) / messages

so the loop around the calls does not count, but everything in the library
does, and what it calls in libc. The counts do not depend on what else the
machine does. The files stay in target/bench/callgrind/LIBRARY, for
callgrind_annotate.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ..libraries.compilation import program
from ..libraries.table import WORK, Library
from ..measuring.benchmark import Benchmark, Job, Options, Sample
from ..processes import CommandFailed, run

FILES = WORK / "callgrind"
MESSAGES = 512
SLOWDOWN = 5.0
"""Launching under valgrind takes longer; the time limit is raised by this."""


def counted(path: Path, function: str) -> int:
    """Instructions collected in a callgrind file without the own ones of `function`."""
    total, own = None, 0
    inside = after_calls = False
    identifier = None
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith(("summary:", "totals:")):
            total = int(line.split()[1])
        elif line.startswith("fn="):
            # A name is written out once, "fn=(12) name", and is "fn=(12)" from then on. Calls
            # define names too, in the same numbering.
            named = re.match(r"fn=\((\d+)\)(?: (.*))?", line)
            if named and named[2] == function:
                identifier = named[1]
            inside = named is not None and named[1] == identifier
        elif line.startswith("cfn="):
            named = re.match(r"cfn=\((\d+)\)(?: (.*))?", line)
            if named and named[2] == function:
                identifier = named[1]
        elif line.startswith("calls="):
            after_calls = True
        elif inside and line and (line[0].isdigit() or line[0] in "+-*"):
            if not after_calls:
                own += int(line.split()[1])
            after_calls = False
        elif line and (line[0].isdigit() or line[0] in "+-*"):
            after_calls = False
    if total is None:
        raise CommandFailed(f"{path} has no totals; did valgrind end early?")
    if identifier is None or total == 0:
        raise CommandFailed(f"callgrind collected nothing in {function}; see {path}")
    return total - own


def _count(library: Library, size: int, options: Options) -> list[Sample]:
    if shutil.which("valgrind") is None:
        raise CommandFailed("valgrind is not installed (Debian: valgrind)")
    folder = FILES / library.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    turns = folder / "turns"
    turns.write_bytes(bytes(4096))
    tool = [
        "valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no",
        "--toggle-collect=counted_send", "--toggle-collect=counted_receive",
        f"--callgrind-out-file={folder}/%p.out",
    ]  # fmt: skip
    built = program("instructions", library)
    command = library.command(2, options.cpus, [*tool, str(built), str(turns), str(size), str(MESSAGES)])
    finished = run(
        command,
        seconds=options.seconds * SLOWDOWN,
        environment=library.settings(2, options.cpus),
    )
    turns.unlink()
    samples, whole = [], 0.0
    for role in ("send", "receive"):
        found = re.search(rf"role {role} (\d+)", finished.output)
        if found is None:
            raise CommandFailed(f"the {role} rank did not report itself")
        kept = folder / f"{role}-{size}.out"
        (folder / f"{found[1]}.out").rename(kept)
        each = counted(kept, f"counted_{role}") / MESSAGES
        whole += each
        samples.append(Sample(f"instructions_{role}", size, "instructions", each))
    return [*samples, Sample("instructions", size, "instructions", whole)]


def _jobs(options: Options) -> list[Job]:
    return [
        Job(f"{size} B", 2, lambda library, size=size: _count(library, size, options))
        for size in options.sizes or [8]
    ]


BENCHMARK = Benchmark(
    name="instructions",
    summary="callgrind's count for sending and receiving 8 B that have arrived",
    jobs=_jobs,
    sources=("instructions",),
    notes=(
        "callgrind files: target/bench/callgrind/LIBRARY; see where they go with "
        "callgrind_annotate --inclusive=yes FILE",
    ),
)
