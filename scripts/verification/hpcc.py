"""HPC Challenge: eight benchmarks that check their own results.

The source is Debian's original tarball, built by the MPI library's own compiler
wrapper, with OpenBLAS, out of a fresh tree for each library. A small problem
runs on each number of ranks; what is looked at is not how fast it was but what
the benchmarks say of their results:

    HPL            scaled residual below the threshold of 16
    PTRANS         every transpose PASSED
    RandomAccess   no table location wrong, with both generators of random numbers
    FFT            greatest error of the inverse transform below 1e-12
    DGEMM, STREAM  every rank without error
    b_eff          latencies and bandwidths of ping-pong and rings are there and positive

The speeds are printed beside a peer's with --peer. A machine that does other
work meanwhile gives other speeds, never other residuals.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from .packages import source_tarball, unpacked, virtual_environment
from .workshop import Failed, Workshop, relative

TITLE = "HPC Challenge 1.5.0: HPL, PTRANS, RandomAccess, FFT, DGEMM, STREAM, b_eff"
RANKS = (2, 4)

ARCHITECTURE = "verification"
BLAS_PACKAGES = ["libopenblas0-pthread", "libopenblas-pthread-dev", "libgfortran5", "libquadmath0"]
LARGEST_FFT_ERROR = 1e-12

# HPL can send its panels as datatypes made with MPI_Address and MPI_Type_struct. MPI-3.0 took
# both away; HPL_NO_MPI_DATATYPE is HPL's own setting for libraries without them.
MAKEFILE = """\
SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir -p
RM = rm -f
TOUCH = touch
ARCH = $(arch)
TOPdir = ../../..
INCdir = $(TOPdir)/include
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
HPL_INCLUDES = -I$(INCdir) -I$(INCdir)/$(ARCH)
HPL_LIBS = $(HPLlib) {blas} -lm
HPL_DEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle -DHPL_NO_MPI_DATATYPE $(HPL_INCLUDES)
CC = {compiler}
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O2
LINKER = {compiler}
LINKFLAGS =
ARCHIVER = ar
ARFLAGS = r
RANLIB = ranlib
"""

# The sample input says 1000 unknowns on a 2 by 2 grid; only these three lines are changed.
SIZE_LINE, ROWS_LINE, COLUMNS_LINE = 5, 10, 11

POSITIVE = [
    "HPL_Tflops", "PTRANS_GBs", "MPIRandomAccess_GUPs", "MPIRandomAccess_LCG_GUPs",
    "MPIFFT_Gflops", "StarDGEMM_Gflops", "StarSTREAM_Triad",
    "MaxPingPongLatency_usec", "MinPingPongBandwidth_GBytes",
    "NaturallyOrderedRingLatency_usec", "RandomlyOrderedRingLatency_usec",
    "NaturallyOrderedRingBandwidth_GBytes", "RandomlyOrderedRingBandwidth_GBytes",
]
SHOWN = [
    ("HPL_Tflops", "HPL, Tflop/s"),
    ("PTRANS_GBs", "PTRANS, GB/s"),
    ("MPIRandomAccess_GUPs", "RandomAccess, GUP/s"),
    ("MPIFFT_Gflops", "FFT, Gflop/s"),
    ("AvgPingPongLatency_usec", "ping-pong, us"),
    ("AvgPingPongBandwidth_GBytes", "ping-pong, GB/s"),
    ("RandomlyOrderedRingLatency_usec", "ring, us"),
    ("RandomlyOrderedRingBandwidth_GBytes", "ring, GB/s"),
]


def verify(workshop: Workshop, options) -> int:
    """Builds and runs it; gives the number of failed checks."""
    tarball = source_tarball(workshop, "hpcc", "hpcc_1.5.0.orig.tar.*")
    blas = find_blas(workshop)
    libraries = {"pamir": (workshop.compiler, [workshop.launcher])}
    if options.peer:
        peer = virtual_environment(workshop, ["mpich"]) / "bin"
        libraries["mpich"] = (peer / "mpicc", [peer / "mpiexec"])
    failures, speeds = 0, {}
    for name, (compiler, launcher) in libraries.items():
        program = build(workshop, name, tarball, compiler, blas)
        for ranks in options.ranks or RANKS:
            wrong, summary = run(workshop, name, program, launcher, ranks, options)
            speeds[name, ranks] = summary
            for text in wrong:
                workshop.say(f"{name}, {ranks} ranks: WRONG: {text}")
            if name == "pamir":
                failures += len(wrong)
    show(speeds)
    return failures


def find_blas(workshop: Workshop) -> str:
    """What links OpenBLAS: the system's, or Debian's packages unpacked in the workshop."""
    check = workshop.place / "blas.c"
    check.write_text(
        "double ddot_(int *, double *, int *, double *, int *);\n"
        "int main(void) { int n = 0; double x = 0; return (int)ddot_(&n, &x, &n, &x, &n); }\n",
        encoding="utf-8",
    )
    output = workshop.place / "blas"
    code, _ = workshop.attempt("blas", ["cc", check, "-lopenblas", "-o", output], seconds=60)
    if code == 0:
        return "-lopenblas"
    tree = unpacked(workshop, BLAS_PACKAGES)
    shared = sorted(tree.rglob("libopenblas.so"))
    if not shared:
        raise Failed(f"Debian's packages {', '.join(BLAS_PACKAGES)} have no libopenblas.so")
    folders = {shared[0].parent, *(found.parent for found in tree.rglob("libgfortran.so.5"))}
    # The old tag: what OpenBLAS itself needs is looked for there too.
    paths = " ".join(f"-L{folder} -Wl,-rpath,{folder}" for folder in sorted(folders))
    return f"-Wl,--disable-new-dtags {paths} -lopenblas"


def build(workshop: Workshop, name: str, tarball: Path, compiler: Path, blas: str) -> Path:
    """Builds out of a fresh tree; the code is not changed in any way."""
    tree = workshop.place / f"build-{name}"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    workshop.run("unpack", ["tar", "-xf", tarball, "-C", tree, "--strip-components=1"], seconds=60)
    makefile = MAKEFILE.replace("{compiler}", str(compiler)).replace("{blas}", blas)
    (tree / "hpl" / f"Make.{ARCHITECTURE}").write_text(makefile, encoding="utf-8")
    workshop.say(f"building with {name}'s {compiler.name}")
    workshop.run(f"make-{name}", ["make", f"arch={ARCHITECTURE}"], seconds=900, directory=tree)
    return tree / "hpcc"


def run(workshop: Workshop, name, program: Path, launcher: list, ranks: int, options):
    """Runs it on a number of ranks; gives what is wrong, and the summary it wrote."""
    place = workshop.place / f"run-{name}-{ranks}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    lines = (program.parent / "_hpccinf.txt").read_text(encoding="utf-8").splitlines()
    rows = max(divisor for divisor in range(1, int(ranks**0.5) + 1) if ranks % divisor == 0)
    lines[SIZE_LINE] = f"{options.size} Ns"
    lines[ROWS_LINE] = f"{rows} Ps"
    lines[COLUMNS_LINE] = f"{ranks // rows} Qs"
    (place / "hpccinf.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    workshop.say(f"running on {ranks} ranks of {name}")
    step = f"run-{name}-{ranks}"
    code, _ = workshop.attempt(
        step, [*launcher, "-n", ranks, program],
        seconds=options.timeout, directory=place, environment={"OPENBLAS_NUM_THREADS": "1"},
    )
    report = place / "hpccoutf.txt"
    text = report.read_text(encoding="utf-8", errors="replace") if report.exists() else ""
    wrong = [] if code == 0 else [f"it did not end well; see {relative(workshop.log(step))}"]
    wrong += check(text, ranks)
    if not wrong:
        workshop.say(f"{name}, {ranks} ranks: all results are right ({relative(report)})")
    return wrong, summary_of(text)


def summary_of(text: str) -> dict[str, str]:
    """The `key=value` lines at the end of the report."""
    _, _, summary = text.partition("Begin of Summary section.")
    return dict(line.split("=", 1) for line in summary.splitlines() if re.match(r"\w+=", line))


def number(summary: dict[str, str], key: str) -> float:
    """A number of the summary; not a number where there is none."""
    try:
        return float(summary[key])
    except (KeyError, ValueError):
        return float("nan")


def check(text: str, ranks: int) -> list[str]:
    """What the report says that it must not say, and what it does not say that it must."""
    summary = summary_of(text)
    if not summary:
        return ["the report has no summary"]
    wrong = []
    if summary.get("Success") != "1":
        wrong.append("the summary does not say Success=1")
    if summary.get("CommWorldProcs") != str(ranks):
        wrong.append(f"the summary speaks of {summary.get('CommWorldProcs')} ranks")
    if "FAILED" in text or "(failed)" in text:
        wrong.append("a benchmark says FAILED")
    passed = re.findall(r"(\d+) tests completed and passed residual checks", text)
    failed = re.findall(r"(\d+) tests completed and failed residual checks", text)
    if len(passed) != 2 or "0" in passed:
        wrong.append("PTRANS and HPL do not both say which tests passed")
    if len(failed) != 2 or set(failed) != {"0"}:
        wrong.append("PTRANS or HPL has failed residual checks")
    if text.count("...... PASSED") < 1:
        wrong.append("HPL's residual is not said to be PASSED")
    tables = re.findall(r"Found (\d+) errors in (\d+) locations \((\w+)\)", text)
    if len(tables) != 4:
        wrong.append(f"RandomAccess looked at {len(tables)} tables rather than 4")
    for errors, locations, word in tables:
        if errors != "0" or word != "passed":
            wrong.append(f"RandomAccess: {errors} of {locations} locations are wrong")
    if not number(summary, "MPIFFT_maxErr") < LARGEST_FFT_ERROR:
        wrong.append(f"FFT: the greatest error is {summary.get('MPIFFT_maxErr')}")
    if any(count != "0" for count in re.findall(r"Node\(s\) with error (\d+)", text)):
        wrong.append("a benchmark had errors on some ranks")
    for key in POSITIVE:
        if not 0 < number(summary, key) < float("inf"):
            wrong.append(f"{key} is {summary.get(key)}")
    return wrong


def show(speeds: dict) -> None:
    """The speeds of all runs, side by side."""
    columns = list(speeds)
    print(f"{'':24}" + "".join(f"{f'{name} {ranks}':>14}" for name, ranks in columns))
    for key, title in SHOWN:
        values = (speeds[column].get(key, "-") for column in columns)
        print(f"{title:24}" + "".join(f"{value:>14}" for value in values))
    print(f"Numbers after a name are ranks; this machine has {os.cpu_count()} processors.", flush=True)
