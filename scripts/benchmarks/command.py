"""The command line of scripts/bench."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from . import costs, messages
from .libraries import compilation, installation
from .libraries.table import LIBRARIES, ROOT, Library, named
from .measuring.benchmark import Benchmark, Options
from .measuring.figures import rows_of
from .measuring.rounds import measure
from .measuring.row import Row
from .output import markdown, report, whole_file
from .processes import CommandFailed, run

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark for benchmark in (*messages.BENCHMARKS, *costs.BENCHMARKS)
}

EXIT_MEASURED, EXIT_NOT_MEASURED, EXIT_USAGE = 0, 1, 2


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a comma list of numbers, like 8,1024") from None
    if any(value < 0 for value in numbers):
        raise argparse.ArgumentTypeError(f"'{text}' has a negative number")
    return numbers


def _positive(text: str) -> int:
    values = _numbers(text)
    if len(values) != 1 or values[0] < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 1")
    return values[0]


def _processors(text: str) -> list[int]:
    cpus = _numbers(text)
    missing = set(cpus) - os.sched_getaffinity(0)
    if missing or len(set(cpus)) != len(cpus):
        raise argparse.ArgumentTypeError(
            f"'{text}': choose different processors among {sorted(os.sched_getaffinity(0))}"
        )
    return cpus


def _entry(name: str, text: str) -> str:
    """A line of a list in --help, wrapped."""
    return textwrap.fill(text, 88, initial_indent=f"  {name:<19}", subsequent_indent=" " * 21)


def _parser() -> argparse.ArgumentParser:
    benchmarks = "\n".join(_entry(benchmark.name, benchmark.summary) for benchmark in BENCHMARKS.values())
    libraries = "\n".join(
        _entry(library.name, library.title + (f" [{', '.join(sorted(library.only))}]" if library.only else ""))
        for library in LIBRARIES
    )
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures Pamir, alone or beside other MPI libraries, and what the machine allows.",
        epilog=f"""\
benchmarks:
{benchmarks}
{_entry("all", "every one of them, one after another")}
{_entry("tables", "measures nothing: writes the figures of --csv into --markdown, and plots them into --svg")}
{_entry("placement", "searches for mappings on QAPLIB (options of its own: scripts/bench placement --help)")}

libraries (in brackets: the only benchmark that a setting takes part in):
{libraries}

Pamir is taken from target/pamir and built there first (scripts/install) when it
is not. With --peers the other libraries are installed from the Python package
index (mpich, openmpi, impi-rt, impi-devel; about 120 MB to fetch) into
target/bench/peers, and with --svg matplotlib into target/bench/venv; nothing
outside target/bench is written. Benchmark programs are tests/benchmarks/*.c,
compiled once for each library. `instructions` needs valgrind.

Each round runs every library once for each test (A B C A B C). A program
prints many short samples; their median is the value of the round; the table
shows the median of the rounds and half of their range in per cent. Only runs of
two pinned ranks whose processors were equally far apart are compared, since
those of a virtual machine wander; further rounds are run for what is missing.
CSV columns:
{",".join(report.COLUMNS)}

Exit codes: 0 measured, {EXIT_NOT_MEASURED} something asked for could not be measured (it is
named), {EXIT_USAGE} wrong usage.

examples:
  scripts/bench point-to-point --peers --csv target/bench/p2p.csv --svg target/bench/p2p.svg
  scripts/bench point-to-point --libraries pamir,impi --sizes 8,1024 --repeats 9
  scripts/bench all --peers --quick
  scripts/bench point-to-point --peers --csv docs/figures/mine.csv --markdown docs/performance.md
""",
    )
    parser.add_argument("name", metavar="NAME", choices=[*BENCHMARKS, "all", "tables"], help=f"one of {', '.join([*BENCHMARKS, 'all', 'tables'])}")
    parser.add_argument("--peers", action="store_true", help="measure the other libraries too; installs them")
    parser.add_argument("--libraries", metavar="LIST", help="measure exactly these (comma list of names below); installs them")
    parser.add_argument("--repeats", type=_positive, metavar="N", help="rounds (default 5; with --quick 3)")
    parser.add_argument("--sizes", type=_numbers, metavar="LIST", help="message sizes in bytes, like 8,1024 (default: the benchmark's own)")
    parser.add_argument("--only", metavar="LIST", help="only these tests of the benchmark, like vector_8,column for datatypes (a wrong name lists them)")
    parser.add_argument("--ranks", type=_numbers, metavar="LIST", help="numbers of ranks, for benchmarks that vary them (collectives, oversubscribed, startup, memory)")
    parser.add_argument("--cpus", type=_processors, metavar="LIST", help="processors to use (default: the first two allowed)")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, samples and rounds")
    parser.add_argument("--timeout", type=_positive, metavar="SECONDS", default=120, help="limit for one run of one program (default 120)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a plot of them")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write tables of them into a document, and the figures beside it unless --csv says where")
    return parser


class Progress:
    """One line on a terminal that is overwritten; plain lines elsewhere."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.start = time.monotonic()

    def say(self, text: str) -> None:
        """Shows what is being done now."""
        line = f"[{time.monotonic() - self.start:5.0f} s] {text}"
        if self.terminal:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Removes the line, before a table."""
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _chosen(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[Library]:
    if options.libraries:
        try:
            return named([name.strip() for name in options.libraries.split(",")])
        except KeyError as error:
            known = ", ".join(library.name for library in LIBRARIES)
            parser.error(f"no library is called {error}; there are {known}")
    return [library for library in LIBRARIES if options.peers or not library.peer]


def _ready(libraries: list[Library], progress: Progress) -> tuple[list[Library], list[str]]:
    """Installs what is missing. Returns those that are there and what is wrong with the others."""
    ready, problems = [], []
    for library in libraries:
        try:
            (installation.peer if library.peer else installation.pamir)(library, progress.say)
            ready.append(library)
        except installation.NotInstalled as error:
            problems.append(f"{library.name}: {error}")
    return ready, problems


def _compiled(benchmark: Benchmark, libraries: list[Library], progress: Progress) -> tuple[list[Library], list[str]]:
    usable, problems = [], []
    for library in libraries:
        progress.say(f"compiling for {library.name}")
        try:
            for source in benchmark.sources:
                compilation.program(source, library)
            usable.append(library)
        except compilation.NotCompiled as error:
            problems.append(f"{library.name}: {error}")
    return usable, problems


def _with_these_tests(chosen: list[Benchmark], settings: Options, parser: argparse.ArgumentParser) -> list[Benchmark]:
    """Those benchmarks that have a test that `--only` names; it names none that is not there."""
    titles = [job.title for benchmark in chosen for job in benchmark.jobs(settings)]
    for title in settings.only or []:
        if title not in titles:
            parser.error(f"there is no test '{title}'; there are {', '.join(dict.fromkeys(titles))}")
    return [benchmark for benchmark in chosen if benchmark.chosen_jobs(settings)]


def _plot(csv_path: Path, svg_path: Path, progress: Progress) -> str | None:
    """Writes the plot; returns what went wrong."""
    try:
        python = installation.plotting(progress.say)
        svg_path.parent.mkdir(parents=True, exist_ok=True)
        script = Path(__file__).with_name("output") / "plot.py"
        with whole_file.replacement(svg_path) as new:
            run([str(python), str(script), str(csv_path), str(new)], seconds=300)
    except (installation.NotInstalled, CommandFailed, OSError) as error:
        return f"no plot in {svg_path}: {error}"
    return None


def _write(options: argparse.Namespace, results: list[tuple[Benchmark, list[Row]]], progress: Progress) -> list[str]:
    """Files after each benchmark, so that an interruption loses little."""
    problems = []
    if options.csv:
        try:
            report.write_csv(options.csv, results)
        except OSError as error:
            problems.append(f"no figures in {options.csv}: {error}")
    if options.svg:
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.csv"
            report.write_csv(figures, results)
            problem = _plot(figures, options.svg, progress)
            if problem:
                problems.append(problem)
    if options.markdown:
        problems += _document(options)
    return problems


def _document(options: argparse.Namespace) -> list[str]:
    """Writes the tables of --csv into --markdown; returns what went wrong."""
    command = shlex.join(["scripts/bench", *sys.argv[1:]])
    plot = options.svg if options.svg and options.svg.exists() else None
    try:
        markdown.write(options.csv, options.markdown, command, plot)
    except OSError as error:
        return [f"no tables in {options.markdown}: {error}"]
    return []


def _only_tables(options: argparse.Namespace, parser: argparse.ArgumentParser, progress: Progress) -> int:
    """Tables and a plot of figures that are there."""
    if not options.csv or not options.csv.exists() or not (options.markdown or options.svg):
        parser.error("tables needs --csv with a file that is there, and --markdown or --svg")
    problem = _plot(options.csv, options.svg, progress) if options.svg else None
    problems = [problem] if problem else []
    if options.markdown:
        problems += _document(options)
    for problem in problems:
        print(f"scripts/bench: {problem}", file=sys.stderr)
    return EXIT_NOT_MEASURED if problems else EXIT_MEASURED


def main() -> int:
    """Runs scripts/bench; returns its exit code."""
    try:
        return _measured()
    except KeyboardInterrupt:
        # What was started has been ended on the way here (processes.run).
        print("\nscripts/bench: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


def _measured() -> int:
    parser = _parser()
    options = parser.parse_args()
    # Ending by SIGTERM shall clean up as ending by Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    progress = Progress()
    if options.markdown and not options.csv:
        options.csv = options.markdown.with_suffix(".csv")
    if options.name == "tables":
        return _only_tables(options, parser, progress)
    cpus = options.cpus or sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        parser.error("two processors are needed; see --cpus")
    # All that is started inherits this.
    os.sched_setaffinity(0, cpus)
    only = [title.strip() for title in options.only.split(",")] if options.only else None
    settings = Options(cpus, options.sizes, options.ranks, options.quick, float(options.timeout), only)
    repeats = options.repeats or (3 if options.quick else 5)
    chosen = list(BENCHMARKS.values()) if options.name == "all" else [BENCHMARKS[options.name]]
    chosen = _with_these_tests(chosen, settings, parser)
    libraries, problems = _ready(_chosen(options, parser), progress)
    results: list[tuple[Benchmark, list[Row]]] = []
    for benchmark in chosen:
        # A setting made for some benchmarks takes part in others only when it is named.
        taking_part = [
            library for library in libraries
            if (options.libraries or not library.only or benchmark.name in library.only)
            and not (library.peer and benchmark.own_only)
        ]  # fmt: skip
        usable, uncompiled = _compiled(benchmark, taking_part, progress)
        problems += uncompiled
        if not usable:
            problems.append(f"{benchmark.name}: no library to measure")
            continue
        measured = measure(benchmark, usable, settings, repeats, progress.say)
        rows = rows_of(measured)
        results.append((benchmark, rows))
        progress.clear()
        names = [library.name for library in usable]
        own = [library.name for library in usable if not library.peer]
        print(report.table(benchmark, rows, names, own))
        conclusions = benchmark.conclusions(rows, own, [name for name in names if name not in own]) if benchmark.conclusions else []
        for note in [*benchmark.notes, *measured.remarks, *conclusions]:
            print(f"  {note}")
        if measured.failures:
            print(report.failures(measured))
            problems.append(f"{benchmark.name}: {len(measured.failures)} failures, listed above")
        print(flush=True)
        problems += _write(options, results, progress)
    progress.clear()
    for path in (options.csv, options.svg, options.markdown):
        if path and results and not any(str(path) in problem for problem in problems):
            shown = path.resolve()
            print(f"wrote {shown.relative_to(ROOT) if shown.is_relative_to(ROOT) else shown}")
    for problem in problems:
        print(f"scripts/bench: {problem}", file=sys.stderr)
    return EXIT_NOT_MEASURED if problems else EXIT_MEASURED
