"""Sets up and runs every check and test of Pamir.

Steps, in order: formatting, lints, documentation, layering, checks of dependencies, documents,
comments, licences and unsafe code, the documents' mechanisms and the tests that prove them (an open
one is no failure), tests of the scripts themselves, an installation, the Rust tests (those of tests/ run
whole programs and faults on the installation), the loom models of the shared-memory protocols,
the compiler wrappers, pkg-config and CMake, the same for Fortran with Meson and autoconf (with flang where
there is one), the examples, the commands of the users' chapters, the C programs of tests/conformance,
the list of MPI functions, the search for mappings on small problems of QAPLIB (skipped where these
cannot be fetched).

The output of a step goes to target/test/STEP.log as it comes. When the step fails, its failures and
the end of its output are shown. The time of each test goes to target/test/times.tsv, the slowest first.
A whole run in an empty target folder takes about 11 GB of disk; it is refused where they are missing.

With --changed only what a change touches is checked: formatting, lints and unit tests of its
crates, test programs and programs of tests/programs whose files differ, conformance chapters
whose folders do, and all rules of the source tree. It says what it leaves out. The change is what
differs from COMMIT, otherwise from the commit where the branch left origin/main (the last commit, if
nothing differs from there). Files that are not committed count too.

Environment: PROPTEST_RNG_SEED gives property tests other cases, PAMIR_TEST_SEED tests that strike
at random moments; RUST_TEST_THREADS is how many Rust tests run at the same time.
"""

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.placement import qaplib  # noqa: E402  (the path must be set first)
from verification import changed, disk, fortran  # noqa: E402
from verification.runner import LOGS, ROOT, Runner, Step  # noqa: E402

TIMES = LOGS / "times.tsv"
EXAMPLES = """\
examples:
  scripts/test --changed               while you work
  scripts/test --quick                 before a commit
  scripts/test --only conformance      one step, on the installation that is there
  scripts/test --slowest 20            everything, and where the time goes
"""

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.13)
project(check C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(check_c check.c)
target_link_libraries(check_c MPI::MPI_C)
add_executable(check_cxx check.cpp)
target_link_libraries(check_cxx MPI::MPI_CXX)
"""
CHECK_PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }
"""


def plain(*command, **environment):
    return lambda runner: [(command, environment)]


def loom_models(runner):
    """The crates that hold loom models."""
    crates = []
    for manifest in sorted(ROOT.glob("*/Cargo.toml")) + sorted(ROOT.glob("bindings/*/Cargo.toml")):
        sources = [*manifest.parent.rglob("*.rs")]
        if any("loom::model" in source.read_text(encoding="utf-8") for source in sources):
            name = re.search(r'^name = "(.+)"', manifest.read_text(encoding="utf-8"), re.MULTILINE)
            crates.append(name.group(1))
    if not crates:
        return "there are no models"
    # A directory of its own: the flag changes every crate, and would rebuild them back and forth.
    environment = {
        "RUSTFLAGS": "--cfg loom",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "loom"),
        "CARGO_PROFILE_RELEASE_LTO": "off",
    }
    return [
        (["cargo", "test", "--locked", "-p", crate, "--release", "--lib", "loom"], environment)
        for crate in crates
    ]


def rust_tests(runner):
    # Without a fresh installation the tests make one of the development build.
    environment = {"PAMIR_TEST_PREFIX": str(runner.prefix)} if runner.installed else {}
    return [(["cargo", "test", "--locked", "--workspace", "--no-fail-fast"], environment)]


def installation(runner):
    profile = "dev" if runner.quick else "release"
    return [(["scripts/install", "--profile", profile, "--prefix", runner.prefix], {})]


def wrappers(runner):
    directory = LOGS / "wrapper"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / "check.c").write_text(CHECK_PROGRAM, encoding="utf-8")
    (directory / "check.cpp").write_text(CHECK_PROGRAM, encoding="utf-8")
    (directory / "CMakeLists.txt").write_text(CMAKE_PROJECT, encoding="utf-8")
    bin_directory = runner.prefix / "bin"
    launcher = [bin_directory / "mpiexec", "-n", "2", "--timeout", "60"]
    commands = [
        ([bin_directory / "mpicc", directory / "check.c", "-o", directory / "c"], {}),
        ([*launcher, directory / "c"], {}),
        ([bin_directory / "mpicxx", directory / "check.cpp", "-o", directory / "cxx"], {}),
        ([*launcher, directory / "cxx"], {}),
    ]
    by_name = 'cc "$1" $(pkg-config --cflags --libs mpi_abi) -o "$2" && exec "$3" -n 2 "$2"'
    commands.append((
        ["sh", "-c", by_name, "sh", directory / "check.c", directory / "pc", launcher[0]],
        {"PKG_CONFIG_PATH": str(runner.prefix / "lib" / "pkgconfig")},
    ))
    build = directory / "build"
    environment = {"PATH": f"{bin_directory}:{os.environ['PATH']}"}
    return [
        *commands,
        (["cmake", "-S", directory, "-B", build], environment),
        (["cmake", "--build", build], environment),
        ([*launcher, build / "check_c"], {}),
        ([*launcher, build / "check_cxx"], {}),
    ]


def examples(runner):
    directory = LOGS / "examples"
    directory.mkdir(parents=True, exist_ok=True)
    compiler = runner.prefix / "bin" / "mpicc"
    launcher = [runner.prefix / "bin" / "mpiexec", "--timeout", "120"]
    commands = []
    for example in ("heat", "latency", "balance"):
        source = f"bindings/abi/examples/{example}.c"
        warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
        output = directory / example
        commands.append(([compiler, "-O2", *warnings, source, "-o", output, "-lm"], {}))
    commands += [([*launcher, "-n", ranks, directory / "heat"], {}) for ranks in (1, 2, 3)]
    commands.append(([*launcher, "-n", "2", directory / "latency"], {}))
    commands.append(([*launcher, "-n", "3", directory / "balance"], {}))
    return commands


def user_commands(runner):
    return [(["scripts/verification/user_commands.py", "--prefix", runner.prefix], {})]


def conformance(runner):
    if not (ROOT / "tests" / "conformance" / "run").exists():
        return "there is no tests/conformance/run"
    quick = ["--quick"] if runner.quick else []
    command = ["tests/conformance/run", "--verbose", "--prefix", runner.prefix]
    # Messages of every kind between nodes that share no memory; each program once.
    chapters = ["point_to_point", "collective", "communicator", "topology", "fault"]
    return [([*command, *quick], {}), ([*command, "--quick", "--nodes", "2", *chapters], {})]


def placement_problems(runner):
    try:
        qaplib.fetch()
    except qaplib.NotMeasured as error:
        return str(error)
    command = runner.prefix / "bin" / "pamir"
    return [(["scripts/bench", "placement", "--quick", "--check", "--algorithms", "memetic",
              "--pamir", command], {})]


def coverage(runner):
    if not (ROOT / "scripts" / "mpi-coverage").exists():
        return "there is no scripts/mpi-coverage"
    library = runner.prefix / "lib" / "libmpi_abi.so.1"
    return [(["scripts/mpi-coverage", "--library", library], {})]


STEPS = [
    Step("format", "formatting (rustfmt)", plain("cargo", "fmt", "--all", "--check")),
    Step("lints", "lints (clippy)", plain(
        "cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"),
        gigabytes=1.0),
    Step("documentation", "documentation (rustdoc)", plain(
        "cargo", "doc", "--locked", "--workspace", "--no-deps",
        RUSTDOCFLAGS="-D warnings"), quick=False, gigabytes=0.2),
    Step("layering", "layering", plain("scripts/layering", "--self-test")),
    Step("checks", "dependencies, documents, comments, licences, unsafe code", plain(
        "scripts/structure/checks/run", "--self-test")),
    Step("requirements", "mechanisms of the documents", plain("scripts/requirements", "--self-test")),
    Step("scripts", "tests of the scripts", plain("scripts/verification/self_test.py")),
    Step("install", "installation", installation, gigabytes=1.5),
    Step("rust", "Rust tests", rust_tests, gigabytes=7.5),
    Step("loom", "loom models", loom_models, quick=False, gigabytes=0.5),
    Step("wrappers", "compiler wrappers, pkg-config, CMake", wrappers),
    Step("fortran", "mpifort; pkg-config, CMake, Meson and autoconf for Fortran", fortran.gfortran),
    Step("flang", "a second Fortran compiler", fortran.flang),
    Step("examples", "examples", examples),
    Step("commands", "commands of the users' chapters", user_commands),
    Step("conformance", "C programs (tests/conformance)", conformance),
    Step("coverage", "list of MPI functions", coverage),
    Step("placement", "small problems of QAPLIB", placement_problems, quick=False),
]


def main():
    arguments = parse()
    return disk.guarded(lambda: run(arguments), ROOT / "target")


def run(arguments):
    """Chooses the steps, runs them, and tells how they ended; returns the exit code."""
    LOGS.mkdir(parents=True, exist_ok=True)
    runner = Runner(arguments.quick or arguments.changed is not None, arguments.verbose)
    begin, left_out = time.monotonic(), []
    if arguments.changed is not None:
        steps, left_out = changed.steps(arguments.changed or None)
    else:
        steps = [step for step in STEPS if step.quick or not arguments.quick]
    if arguments.only:
        steps = [step for step in (steps if left_out else STEPS) if step.name in arguments.only]
    lack = disk.lack(sum(step.gigabytes for step in steps), ROOT / "target")
    if lack:
        print(f"scripts/test: {lack}", file=sys.stderr)
        return 1
    runner.run_all(steps)
    for line in left_out:
        print(f"left out: {line}")
    runner.times.write(TIMES)
    if arguments.slowest:
        print(f"slowest (all: {TIMES.relative_to(ROOT)}):")
        for seconds, step, test in runner.times.slowest(arguments.slowest):
            print(f"  {seconds:8.1f} s  {step:12} {test}")
    for failure in runner.failures:
        print(f"failed: {failure}")
    print(f"{runner.passed} passed, {runner.failed} failed "
          f"({time.monotonic() - begin:.0f} s)")
    return 1 if runner.failed else 0


def parse():
    """The arguments."""
    parser = argparse.ArgumentParser(
        prog="scripts/test", description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="leave out documentation and loom models, and install a dev build")
    parser.add_argument("--changed", metavar="COMMIT", nargs="?", const="",
                        help="only what the files touch that differ from COMMIT; see above")
    parser.add_argument("--only", metavar="STEP", action="append",
                        choices=sorted({*(step.name for step in STEPS), "programs"}),
                        help="run this step only (can be given again): "
                             + ", ".join(step.name for step in STEPS))
    parser.add_argument("--slowest", metavar="N", nargs="?", const=10, default=0, type=natural,
                        help="list the N slowest tests at the end (without N: 10)")
    parser.add_argument("-v", "--verbose", action="store_true", help="show everything as it comes")
    return parser.parse_args()


def natural(text):
    """A number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
