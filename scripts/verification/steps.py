"""Sets up and runs every check and test of Pamir.

Steps, in order: formatting, lints, documentation, layering, checks of dependencies, documents,
licences and unsafe code, the mechanisms of the five documents and the tests that prove them (what
is open is no failure), an installation, the Rust tests (those of tests/ run whole programs and
faults on the installation), the loom models of the shared-memory protocols, the compiler wrappers, pkg-config and CMake, the examples, the C programs of
tests/conformance, the list of MPI functions, the search for mappings on small problems of QAPLIB
(skipped where these cannot be fetched). Output of a step goes to target/test/STEP.log; when
the step fails, what failed and the end of it are shown.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from benchmarks import placement  # noqa: E402  (the path must be set first)

LOGS = ROOT / "target" / "test"
SUITE = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.MULTILINE)
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed")
# Lines of a failed step that say what failed, and how much of its output is shown.
FAILURE = re.compile(r"FAILED |test .* FAILED$|error(\[\w+\])?: |thread '.*panicked")
SHOWN_LINES = 40
SHOWN_WIDTH = 240

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


def end_step(group):
    """Ends a step: SIGTERM lets a runner of programs end those, SIGKILL ends the rest."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        time.sleep(1)


class Step:
    """One step: a name, and a function that yields (command, environment) pairs to run."""

    def __init__(self, name, title, commands, quick=True, seconds=1800):
        self.name = name
        self.title = title
        self.commands = commands
        self.quick = quick
        self.seconds = seconds


class Runner:
    """Runs steps, keeps the counts."""

    def __init__(self, quick, verbose):
        self.quick = quick
        self.verbose = verbose
        self.passed = 0
        self.failed = 0
        self.failures = []
        self.installed = False
        self.group = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.interrupted)
        self.prefix = ROOT / "target" / ("pamir-dev" if quick else "pamir")

    def interrupted(self, number, _frame):
        """Ends the step in progress, which a session of its own keeps from the signal."""
        if self.group is not None:
            end_step(self.group)
        os._exit(128 + number)

    def run(self, step, position, count):
        print(f"[{position}/{count}] {step.title} ... ", end="", flush=True)
        if self.verbose:
            print()
        begin = time.monotonic()
        log = LOGS / f"{step.name}.log"
        commands = step.commands(self)
        if isinstance(commands, str):
            print(f"skipped: {commands}")
            return True
        ok, text = self.execute(commands, log, step.seconds)
        passed, failed = counts(text, ok)
        self.passed += passed
        self.failed += failed
        seconds = time.monotonic() - begin
        print(f"{'ok' if ok else 'FAILED'} ({passed} passed, {failed} failed, {seconds:.0f} s)")
        if not ok:
            self.failures.append(step.title)
            if not self.verbose:
                print("\n".join("    " + line[:SHOWN_WIDTH] for line in excerpt(text)))
            print(f"    all of it: {log.relative_to(ROOT)}")
        return ok

    def execute(self, commands, log, seconds):
        """Runs all commands even after a failure; returns whether all succeeded, and their text."""
        ok, text = True, []
        with open(log, "w", encoding="utf-8", errors="replace") as file:
            for command, environment in commands:
                words = [str(word) for word in command]
                file.write(f"$ {' '.join(words)}\n")
                file.flush()
                # A session of its own, so that a step that hangs is ended with all it started.
                with subprocess.Popen(
                    words, cwd=ROOT, env={**os.environ, **environment}, text=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    errors="replace", start_new_session=True,
                ) as process:
                    self.group = process.pid
                    try:
                        output, _ = process.communicate(timeout=seconds)
                        code = process.returncode
                    except subprocess.TimeoutExpired:
                        end_step(process.pid)
                        output, _ = process.communicate()
                        output += f"\nended after {seconds} s\n"
                        code = 124
                    self.group = None
                if code != 0:
                    ok = False
                    output += f"\nexit code {code}: {' '.join(words)}\n"
                file.write(output)
                text.append(output)
                if self.verbose:
                    print(output, end="", flush=True)
        return ok, "".join(text)


def excerpt(text):
    """The lines that name failures, and the last ones."""
    lines = text.splitlines()
    named = [line for line in lines[:-SHOWN_LINES] if FAILURE.match(line)]
    more = [f"... {len(named) - SHOWN_LINES} more of them"] if len(named) > SHOWN_LINES else []
    return named[:SHOWN_LINES] + more + lines[-SHOWN_LINES:]


def counts(text, ok):
    """What a step counts for: its tests, or itself when it has none."""
    suites = SUITE.findall(text)
    summaries = SUMMARY.findall(text) if not suites else []
    passed, failed = 0, 0
    if suites:
        passed = sum(int(one) for one, _ in suites)
        failed = sum(int(one) for _, one in suites)
    elif summaries:
        passed, failed = (int(number) for number in summaries[-1])
    else:
        passed = int(ok)
    if not ok and failed == 0:
        failed = 1
    return passed, failed


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


def conformance(runner):
    if not (ROOT / "tests" / "conformance" / "run").exists():
        return "there is no tests/conformance/run"
    quick = ["--quick"] if runner.quick else []
    command = ["tests/conformance/run", "--prefix", runner.prefix]
    # Messages of every kind between nodes that share no memory; each program once.
    chapters = ["point_to_point", "collective", "communicator", "topology", "fault"]
    return [([*command, *quick], {}), ([*command, "--quick", "--nodes", "2", *chapters], {})]


def placement_problems(runner):
    try:
        placement.fetch()
    except placement.NotMeasured as error:
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
        "cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings")),
    Step("documentation", "documentation (rustdoc)", plain(
        "cargo", "doc", "--locked", "--workspace", "--no-deps",
        RUSTDOCFLAGS="-D warnings"), quick=False),
    Step("layering", "layering", plain("scripts/layering", "--self-test")),
    Step("checks", "dependencies, documents, licences, unsafe code", plain(
        "scripts/structure/checks/run", "--self-test")),
    Step("requirements", "mechanisms of the documents", plain("scripts/requirements")),
    Step("install", "installation", installation),
    Step("rust", "Rust tests", rust_tests),
    Step("loom", "loom models", loom_models, quick=False),
    Step("wrappers", "compiler wrappers, pkg-config, CMake", wrappers),
    Step("examples", "examples", examples),
    Step("conformance", "C programs (tests/conformance)", conformance),
    Step("coverage", "list of MPI functions", coverage),
    Step("placement", "small problems of QAPLIB", placement_problems, quick=False),
]


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="leave out documentation and loom models, and install a dev build")
    parser.add_argument("--only", metavar="STEP", action="append",
                        choices=[step.name for step in STEPS],
                        help="run this step only (can be given again): "
                             + ", ".join(step.name for step in STEPS))
    parser.add_argument("-v", "--verbose", action="store_true", help="show everything as it comes")
    arguments = parser.parse_args()

    LOGS.mkdir(parents=True, exist_ok=True)
    runner = Runner(arguments.quick, arguments.verbose)
    steps = [step for step in STEPS if step.quick or not arguments.quick]
    if arguments.only:
        steps = [step for step in STEPS if step.name in arguments.only]
    begin = time.monotonic()
    for position, step in enumerate(steps, start=1):
        ok = runner.run(step, position, len(steps))
        if step.name == "install":
            runner.installed = ok
            if not ok and position < len(steps):
                print("What follows needs this step: stopped.")
                break
    for failure in runner.failures:
        print(f"failed: {failure}")
    print(f"{runner.passed} passed, {runner.failed} failed "
          f"({time.monotonic() - begin:.0f} s)")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
