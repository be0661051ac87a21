"""Programs compiled for another library, run on Pamir as they are.

MPICH's `mpicc_abi` compiles against the standard ABI of MPI-5.0. What it has
compiled is not compiled or linked again: the loader is told, by
LD_LIBRARY_PATH, to take Pamir's libmpi_abi.so.1 instead of MPICH's.

    compiled by    MPICH        MPICH        Pamir
    run on         MPICH        Pamir        MPICH
                   |            |            |
    a program that names its library: both ways, so that the exchange is real
    the examples                |
    tests/conformance           +-- every program checks its own results
    its programs in Fortran                   through the same libmpi_abi_fortran.so.1
"""

from __future__ import annotations

import re
from pathlib import Path

from .packages import virtual_environment
from .workshop import ROOT, Failed, Workshop, relative

TITLE = "programs compiled with MPICH's mpicc_abi, run on Pamir without rebuilding"
RANKS = (2,)

WITNESS = """\
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int bytes, rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(version, &bytes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (char *end = version; *end; end++)
        if (*end == '\\n')
            *end = 0;
    printf("rank %d of %d, sum %d, library %s\\n", rank, size, sum, version);
    return MPI_Finalize();
}
"""

# Chapters whose programs are about the functions, not about the launcher or wrong arguments.
CHAPTERS = [
    "environment",
    "point_to_point",
    "collective",
    "communicator",
    "datatype",
    "topology",
    "window",
]
# What only Pamir's mpi.h declares.
ONLY_HERE = {"removed_function"}
# Where MPICH 5.0 itself is wrong: a call returns success after a handler of the program's, in C too;
# a received message to oneself is copied onto itself.
WRONG_ON_MPICH = {"error_handlers", "probes"}
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed")


def verify(workshop: Workshop, options) -> int:
    """Compiles with MPICH, runs on Pamir; gives the number of failures."""
    peer = virtual_environment(workshop, ["mpich"])
    compiler = peer / "bin" / "mpicc_abi"
    if not compiler.exists():
        raise Failed("the package mpich has no mpicc_abi: a version for MPI-5.0 is needed")
    libraries = {"Pamir": workshop.prefix / "lib", "MPICH": peer / "lib"}
    launchers = {"Pamir": workshop.launcher, "MPICH": peer / "bin" / "mpiexec"}
    failures = 0
    for name, built_by in (("MPICH", compiler), ("Pamir", workshop.compiler)):
        program = compiled(workshop, built_by, witness_source(workshop), f"witness-{name.lower()}")
        for library in ("MPICH", "Pamir"):
            failures += not testifies(
                workshop, name, program, library, launchers[library], libraries[library], options
            )
    environment = {"LD_LIBRARY_PATH": str(libraries["Pamir"])}
    heat = compiled(workshop, compiler, ROOT / "bindings" / "abi" / "examples" / "heat.c", "heat")
    for ranks in options.ranks or RANKS:
        code, _ = workshop.attempt(
            f"heat-{ranks}", [workshop.launcher, "-n", ranks, heat],
            seconds=options.timeout, environment=environment,
        )
        workshop.say(f"the example heat on {ranks} ranks: {'passed' if code == 0 else 'FAILED'}")
        failures += code != 0
    failures += conformance(workshop, compiler, environment, options)
    return failures + fortran(workshop, launchers["MPICH"], libraries["MPICH"], options)


def witness_source(workshop: Workshop) -> Path:
    """The program that names the library it runs on."""
    source = workshop.place / "witness.c"
    source.write_text(WITNESS, encoding="utf-8")
    return source


def compiled(workshop: Workshop, compiler: Path, source: Path, name: str) -> Path:
    """Compiles a program."""
    program = workshop.place / name
    workshop.run(f"compile-{name}", [compiler, "-O2", source, "-o", program, "-lm"], seconds=120)
    return program


def testifies(workshop, built_by, program, library, launcher, folder, options) -> bool:
    """Whether the program runs on the library, and names it."""
    step = f"{program.name}-on-{library.lower()}"
    code, text = workshop.attempt(
        step, [launcher, "-n", "3", program],
        seconds=min(options.timeout, 120), environment={"LD_LIBRARY_PATH": str(folder)},
    )
    said = re.findall(r"rank (\d) of 3, sum 3, library (\w+)", text)
    right = code == 0 and sorted(said) == [(str(rank), library) for rank in range(3)]
    found = "passed" if right else f"FAILED ({relative(workshop.log(step))})"
    workshop.say(f"compiled by {built_by}, run on {library}: {found}")
    return right


def conformance(workshop: Workshop, compiler: Path, environment: dict[str, str], options) -> int:
    """The C programs of tests/conformance, compiled by MPICH and run on Pamir."""
    patterns = options.only or CHAPTERS
    workshop.say(f"tests/conformance, compiled by MPICH, run on Pamir: {', '.join(patterns)}")
    failures = 0
    for pattern in patterns:
        code, text = workshop.attempt(
            f"conformance-{pattern.replace('/', '-')}",
            [ROOT / "tests" / "conformance" / "run", "--mpicc", compiler,
             "--mpiexec", workshop.launcher, "--build", workshop.place / "conformance",
             *programs(pattern)],
            seconds=options.timeout * 2, environment=environment,
        )
        passed, failed = outcome(code, text)
        workshop.say(f"  {pattern:16} {passed} passed, {failed} failed")
        failures += failed
    return failures


def outcome(code: int, text: str) -> tuple[int, int]:
    """How many runs of tests/conformance/run passed and failed; one at least failed where none passed."""
    found = SUMMARY.findall(text)
    passed, failed = (int(word) for word in found[-1]) if found else (0, 0)
    return passed, max(failed, 1) if code != 0 or passed == 0 else failed


def programs(pattern: str) -> list[str]:
    """The programs of a chapter that compile with any library's header; another pattern as it is."""
    chapter = ROOT / "tests" / "conformance" / pattern
    nouns = {source.stem for source in chapter.glob("*.c")} - ONLY_HERE
    return [f"{pattern}/{noun}" for noun in sorted(nouns)] or [pattern]


def fortran(workshop: Workshop, launcher: Path, folder: Path, options) -> int:
    """The programs in Fortran, compiled by mpifort and run on MPICH with Pamir's Fortran library."""
    sources = (ROOT / "tests" / "conformance" / "fortran").glob("*/*.F90")
    nouns = sorted({source.stem for source in sources} - WRONG_ON_MPICH)
    code, text = workshop.attempt(
        "fortran-on-mpich",
        [ROOT / "tests" / "conformance" / "run", "--prefix", workshop.prefix, "--mpiexec", launcher,
         "--peer", "--ranks", "1", "2", "--build", workshop.place / "fortran",
         *(f"fortran/{noun}" for noun in nouns)],
        seconds=options.timeout * 2, environment={"LD_LIBRARY_PATH": str(folder)},
    )
    passed, failed = outcome(code, text)
    workshop.say(f"Fortran on MPICH's libmpi_abi.so.1: {passed} passed, {failed} failed")
    return failed
