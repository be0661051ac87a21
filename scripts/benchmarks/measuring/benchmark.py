"""What a benchmark is: a list of jobs, each of which every library runs once a round.

A job is the unit of interleaving, so it is short: one test of one program with
one number of ranks. Running it gives samples; `rounds` makes one value of the
samples of a round. Lower is better unless the unit is a rate (`/s`) or a hidden
part (`%`), or the metric a share (`_share`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..libraries.compilation import example, plain_program, program
from ..libraries.table import Library
from ..processes import CommandFailed, Finished, run
from .row import Row


@dataclass(frozen=True)
class Sample:
    """One measured number."""

    metric: str
    bytes: int
    unit: str
    value: float


@dataclass(frozen=True)
class Options:
    """What the command line says about how to measure."""

    cpus: list[int]
    sizes: list[int] | None = None
    ranks: list[int] | None = None
    quick: bool = False
    seconds: float = 120.0
    only: list[str] | None = None
    """Titles of the jobs to run; all, if there are none."""

    @property
    def size_list(self) -> str:
        return ",".join(map(str, self.sizes)) if self.sizes else "-"

    @property
    def repetitions(self) -> str:
        """Samples of each figure within one run of a program."""
        return "5" if self.quick else "15"

    @property
    def milliseconds(self) -> str:
        """About the length of a sample."""
        return "0.5" if self.quick else "1"


@dataclass(frozen=True)
class Job:
    """Something a library does once a round."""

    title: str
    ranks: int
    run: Callable[[Library], list[Sample]]
    """Raises CommandFailed when it could not be measured."""
    limit: Callable[[], list[Sample]] | None = None
    """The same without any library: what the machine allows."""
    rounds_of_limit: int = 3
    """In how many rounds the limit is measured again; each round for the cheap ones."""
    by_distance: bool = False
    """Two pinned ranks whose processors' distance matters (distance.py)."""


@dataclass(frozen=True)
class Benchmark:
    """One NAME of scripts/bench."""

    name: str
    summary: str
    jobs: Callable[[Options], list[Job]]
    sources: tuple[str, ...]
    """The C programs (without .c) that must compile for each library."""
    notes: tuple[str, ...] = ()
    """What a reader of the table must know; printed below it."""
    own_only: bool = False
    """Measures something of Pamir's own, which has no peer."""
    conclusions: Callable[[list[Row], list[str], list[str]], list[str]] | None = None
    """What all rows together say of Pamir's own settings and the peers; printed below the notes."""

    def chosen_jobs(self, options: Options) -> list[Job]:
        """The jobs that the command line asks for."""
        jobs = self.jobs(options)
        return [job for job in jobs if job.title in options.only] if options.only else jobs


def samples_in(finished: Finished) -> list[Sample]:
    """The '@ METRIC BYTES UNIT VALUE' lines of a program's output."""
    samples = []
    for line in finished.output.splitlines():
        # A launcher may put a rank's label before the line.
        start = line.find("@ ")
        parts = line[start:].split() if start >= 0 else []
        if len(parts) == 5:
            samples.append(Sample(parts[1], int(parts[2]), parts[3], float(parts[4])))
    if not samples:
        raise CommandFailed("the program printed no sample")
    return samples


def cpu_environment(cpus: list[int]) -> dict[str, str]:
    """Tells the C programs to pin themselves (measure.h)."""
    return {"BENCH_CPUS": ",".join(map(str, cpus))}


def launched(
    source: str,
    arguments: list[str],
    ranks: int,
    options: Options,
    pinned: bool = True,
    link: tuple[str, ...] = (),
) -> Callable[[Library], Finished]:
    """Runs `ranks` ranks of a program under a library."""

    def run_with(library: Library) -> Finished:
        built = program(source, library, link)
        command = library.command(ranks, options.cpus, [str(built), *arguments])
        settings = library.settings(ranks, options.cpus)
        if pinned:
            settings |= cpu_environment(options.cpus)
        return run(command, seconds=options.seconds, environment=settings)

    return run_with


def sampled(
    source: str,
    arguments: list[str],
    ranks: int,
    options: Options,
    pinned: bool = True,
    link: tuple[str, ...] = (),
) -> Callable[[Library], list[Sample]]:
    """The samples that such a run prints."""
    start = launched(source, arguments, ranks, options, pinned, link)
    return lambda library: samples_in(start(library))


def sampled_example(
    package: str, name: str, arguments: list[str], cpus: int, options: Options
) -> Callable[[Library], list[Sample]]:
    """The samples that a crate's example prints, on so many processors; no library is asked."""

    def run_alone(_library: Library) -> list[Sample]:
        units = ",".join(map(str, options.cpus[:cpus]))
        command = ["taskset", "-c", units, str(example(package, name)), *arguments]
        return samples_in(run(command, seconds=options.seconds))

    return run_alone


def limited(
    arguments: list[str], options: Options, source: str = "limits", pinned: bool = True
) -> Callable[[], list[Sample]]:
    """The samples of limits.c, or of another program without MPI."""

    def run_alone() -> list[Sample]:
        environment = cpu_environment(options.cpus) if pinned else {}
        command = [str(plain_program(source)), *arguments]
        return samples_in(run(command, seconds=options.seconds, environment=environment))

    return run_alone
