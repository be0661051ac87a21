"""The ways by which a program in Fortran gets at MPI, each tried on an installation.

Before: scripts/install has made the modules of gfortran. Here: the commands that compile the programs of
tests/build_systems with mpifort, pkg-config, CMake, Meson and autoconf, and run them. Where Open MPI or MPICH
are installed too, it shows that Pamir is found: a program of theirs runs alone, and fails.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .runner import LOGS, ROOT

SOURCES = ROOT / "tests" / "build_systems"
FORTRAN = ["header.f", "module.f90", "module_f08.f90"]
PROGRAMS = ["check", "header", "module", "module_f08"]
FLANGS = ["flang", "flang-new", *(name for version in range(30, 16, -1)
                                  for name in (f"flang-{version}", f"flang-new-{version}"))]
Command = tuple[list, dict]


def gfortran(runner) -> list[Command]:
    """The wrapper, pkg-config and the build systems, with the usual compiler."""
    folder = workplace("fortran")
    found = surroundings(runner)
    return [
        *wrapper(runner, folder / "wrapper", "gfortran"),
        *pkg_config(runner, folder / "package"),
        *cmake(runner, folder, folder / "cmake", found),
        (["meson", "setup", folder / "meson", folder], found),
        (["ninja", "-C", folder / "meson"], found),
        *run(runner, folder / "meson", PROGRAMS),
        *autoconf(runner, folder, found),
    ]


def flang(runner) -> list[Command] | str:
    """A second compiler beside the usual one."""
    compiler = next(filter(shutil.which, FLANGS), None)
    if compiler is None:
        return "there is no flang"
    folder = workplace("flang")
    found = {**surroundings(runner), "FC": compiler, "PAMIR_FC": compiler}
    return [
        ([runner.prefix / "bin" / "pamir", "fortran", "--compiler", compiler], {}),
        *wrapper(runner, folder / "wrapper", compiler),
        *cmake(runner, folder, folder / "cmake", found),
    ]


def workplace(name: str) -> Path:
    """A copy of the sources, where build systems may write."""
    folder = LOGS / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES, folder)
    return folder


def surroundings(runner) -> dict[str, str]:
    """The environment of a user of this installation."""
    return {
        "PATH": f"{runner.prefix / 'bin'}:{os.environ['PATH']}",
        "PKG_CONFIG_PATH": str(runner.prefix / "lib" / "pkgconfig"),
    }


def run(runner, folder: Path, programs: list[str]) -> list[Command]:
    """Runs programs with two ranks."""
    launcher = [runner.prefix / "bin" / "mpiexec", "-n", "2", "--timeout", "60"]
    return [([*launcher, folder / program], {}) for program in programs]


def wrapper(runner, folder: Path, compiler: str) -> list[Command]:
    """mpifort, with each interface."""
    folder.mkdir()
    commands = []
    for source in FORTRAN:
        program = folder / Path(source).stem
        words = [runner.prefix / "bin" / "mpifort", f"-fc={compiler}", SOURCES / source, "-o", program]
        commands += [(words, {}), *run(runner, folder, [program.name])]
    return commands


def pkg_config(runner, folder: Path) -> list[Command]:
    """The package's flags, with the compiler itself."""
    folder.mkdir()
    by_name = 'gfortran "$1" $(pkg-config --cflags --libs mpi-fort) -o "$2"'
    words = ["sh", "-c", by_name, "sh", SOURCES / "module_f08.f90", folder / "module_f08"]
    return [(words, surroundings(runner)), *run(runner, folder, ["module_f08"])]


def cmake(runner, source: Path, build: Path, environment: dict[str, str]) -> list[Command]:
    """find_package(MPI), which must find all interfaces."""
    return [
        (["cmake", "-S", source, "-B", build], environment),
        (["cmake", "--build", build], environment),
        *run(runner, build, PROGRAMS),
    ]


def autoconf(runner, folder: Path, environment: dict[str, str]) -> list[Command]:
    """configure, with the macros of autoconf-archive."""
    build = folder / "autoconf"
    configured = 'mkdir "$1" && cd "$1" && ../configure && make'
    return [
        (["autoreconf", "--force", "--install", folder], environment),
        (["sh", "-c", configured, "sh", build], environment),
        *run(runner, build, PROGRAMS),
    ]
