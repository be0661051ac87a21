"""Fortran's programs: each is written once and compiled with the three interfaces of MPI.

tests/conformance/fortran/<room>/<noun>.F90 has a module noun_program with a subroutine noun. All programs of an
interface are one executable, which runs those that its arguments name; a run that ends early is begun again behind
the program that ended it. Comment lines at a program's top say how it runs:

    ! interfaces: mpi_f08   of mpif_h, mpi, mpi_f08 (default: all)
    ! ranks: 1 3            default: 1 2 3
    ! only: pamir           as for C programs
    ! differs: TEXT         as for C programs
    ! with: NAME.f         a file in C or old Fortran, of the same folder, that is linked with it

Step before: `run`, which selects and judges. Step after: mpifort and mpicc, called in a folder of their own.
"""

import concurrent.futures
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent / "fortran"
INTERFACES = {"mpif_h": "WITH_MPIF_H", "mpi": "WITH_MPI", "mpi_f08": "WITH_MPI_F08"}
DIRECTIVE = re.compile(r"^!\s*(interfaces|ranks|only|differs|with):\s*(.*?)\s*$")
# One procedure takes buffers of all types: only mpif.h's programs and old modules need to be told so.
GNU = ["-O1", "-g", "-w", "-fcheck=all", "-ffree-line-length-none", "-fallow-argument-mismatch"]
LLVM = ["-O1", "-g", "-w"]
# Nothing in mpif.h tells an optimizer that a variable changes in calls that do not name it.
UNOPTIMIZED = ["-O0"]
LIMIT_SECONDS = 60.0


class Unit:
    """One program in Fortran and what its directives say."""

    def __init__(self, source):
        self.source, self.noun = source, source.stem
        self.name = f"fortran/{source.stem}"
        self.interfaces, self.ranks = list(INTERFACES), [1, 2, 3]
        self.only, self.differs, self.companion = None, None, None
        for line in source.read_text().splitlines():
            if not line.startswith("!"):
                break
            found = DIRECTIVE.match(line)
            if not found:
                continue
            key, value = found.groups()
            if key == "interfaces":
                self.interfaces = value.split()
            elif key == "ranks":
                self.ranks = [int(word) for word in value.split()]
            elif key == "with":
                self.companion = source.parent / value
            else:
                setattr(self, key, value)


def units():
    """All programs, in the order of their rooms and names."""
    return [Unit(source) for source in sorted(HERE.glob("*/*.F90"))]


class Build:
    """The executable of one interface, made by one compiler."""

    def __init__(self, interface, units_of_it, folder, mpifort, mpicc, compiler=None, is_peer=False):
        self.interface, self.units, self.mpicc = interface, units_of_it, mpicc
        words = [compiler] if compiler else []
        self.title = f"fortran {' '.join([interface, *words])}"
        self.folder = folder.absolute() / "-".join(["fortran", interface, *words])
        self.mpifort = [str(mpifort), *([f"-fc={compiler}"] if compiler else [])]
        self.flags = [*(LLVM if "flang" in (compiler or "") else GNU), f"-D{INTERFACES[interface]}",
                      *(UNOPTIMIZED if interface == "mpif_h" else []), *(["-DWITH_PEER"] if is_peer else [])]
        self.binary = self.folder / "programs"

    def make(self, jobs):
        """Compiles and links; returns the compiler's messages for each source that it refuses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        refused = {}

        def compile_one(source):
            tool = [str(self.mpicc), "-g", "-O1"] if source.suffix == ".c" else [
                *self.mpifort, *self.flags, f"-I{HERE}", "-I."]
            done = subprocess.run([*tool, "-c", str(source), "-o", f"{source.stem}.{source.suffix[1:]}.o"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder, check=False)
            if done.returncode != 0:
                refused[source] = done.stdout
            return done.returncode == 0

        if not compile_one(HERE / "check.F90"):
            self.units = []
            return refused
        sources = {unit.source for unit in self.units} | {unit.companion for unit in self.units if unit.companion}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compile_one, sorted(sources)))
        self.units = [unit for unit in self.units if unit.source not in refused and unit.companion not in refused]
        self.list_programs()
        linked_sources = {unit.source for unit in self.units} | {unit.companion for unit in self.units if unit.companion}
        objects = {f"{source.stem}.{source.suffix[1:]}.o" for source in linked_sources}
        if compile_one(HERE / "main.F90"):
            linked = subprocess.run([*self.mpifort, "main.F90.o", "check.F90.o", *sorted(objects), "-o", "programs"],
                                    text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                                    check=False)
            if linked.returncode != 0:
                refused[self.binary] = linked.stdout
        if {self.binary, HERE / "main.F90"} & refused.keys():
            self.units = []
        return refused

    def list_programs(self):
        uses = [f"use {unit.noun}_program, only: {unit.noun}\n" for unit in self.units]
        cases = [f"case ('{unit.noun}'); call {unit.noun}\n" for unit in self.units]
        (self.folder / "uses.inc").write_text("".join(uses))
        (self.folder / "cases.inc").write_text("".join(cases))

    def run(self, ranks, run):
        """Runs all programs on so many ranks; yields each with the reasons of its failure and the output.

        `run` takes the arguments of a run and gives (exit code, standard output, standard error, reasons).
        """
        left = [unit.noun for unit in self.units if ranks in unit.ranks]
        while left:
            code, out, err, reasons = run(left)
            ended = {line.split()[1]: line.split()[0] for line in out.splitlines()
                     if line.startswith(("ok ", "failed "))}
            while left and left[0] in ended:
                noun = left.pop(0)
                yield noun, [] if ended[noun] == "ok" else ["a check failed"], err
            if not left and not reasons and (code == 0 or "failed" in ended.values()):
                return
            culprit = left.pop(0) if left else "end"
            yield culprit, reasons or [f"exit code {code} before its end"], out + err
