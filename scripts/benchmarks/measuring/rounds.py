"""Interleaving: round by round, job by job, every library once (A B C A B C).

What disturbs the machine for a while then disturbs all libraries alike. The
samples that one run prints become one value, their median: it stands as long
as fewer than half of the samples were disturbed.

Jobs of two pinned ranks are compared at one distance of the processors
(distance.py). When a library has too few runs at the distance that most runs
share, it gets further rounds, up to as many again as were asked for.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from ..libraries.table import Library
from ..processes import CommandFailed
from .benchmark import Benchmark, Job, Options, Sample
from .distance import Distance, distances, probe
from .row import MACHINE, Key

GIVE_UP_AFTER = 2
"""A library that failed a job this often in a row is not asked for it again."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Run:
    """One run of a job by a library: a value for each figure."""

    library: str
    values: dict[Key, float]
    probes: tuple[float, float] | None
    """The processors' distance before and after, in ns."""

    def at(self, distance: Distance | None) -> bool:
        if distance is None or self.probes is None:
            return True
        return all(distance.holds(value) for value in self.probes)


@dataclass
class Measured:
    """All values of a benchmark: one a round, by figure and library."""

    values: dict[Key, dict[str, list[float]]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    """(job, library) -> the last reason."""
    remarks: list[str] = field(default_factory=list)
    """What a reader of the table must know about this measurement."""

    def add(self, run: Run) -> None:
        """Takes over the values of a run that counts."""
        for key, value in run.values.items():
            self.values.setdefault(key, {}).setdefault(run.library, []).append(value)


def _values(ranks: int, samples: list[Sample]) -> dict[Key, float]:
    gathered: dict[Key, list[float]] = {}
    for sample in samples:
        key = Key(sample.metric, ranks, sample.bytes, sample.unit)
        gathered.setdefault(key, []).append(sample.value)
    return {key: statistics.median(values) for key, values in gathered.items()}


@dataclass
class _Series:
    """All runs of one job."""

    job: Job
    runs: list[Run] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.job.title}, {self.job.ranks} ranks"

    def given_up(self, name: str) -> bool:
        return self.failed.get(name, 0) >= GIVE_UP_AFTER

    def count(self, name: str, distance: Distance | None) -> int:
        return sum(run.library == name and run.at(distance) for run in self.runs)

    def distance(self, names: list[str]) -> Distance | None:
        """The distance at which the library with the fewest runs has most of them; of equal ones
        that with most runs altogether."""
        known = distances([value for run in self.runs for value in run.probes or ()])
        if not known:
            return None

        def worth(distance: Distance) -> tuple[int, int]:
            counts = [self.count(name, distance) for name in names if not self.given_up(name)]
            return min(counts, default=0), sum(counts)

        return max(known, key=worth)


class _Rounds:
    """The state of a measurement: series, failures, the last probe."""

    def __init__(self, libraries: list[Library], options: Options, say: Say) -> None:
        self.libraries = libraries
        self.options = options
        self.say = say
        self.measured = Measured()
        self.last_probe: float | None = None

    def participants(self, job: Job, shift: int) -> list[tuple[str, Callable[[], list[Sample]]]]:
        """Names and what to run, each round beginning with another library, the machine last."""
        start = shift % max(1, len(self.libraries))
        ordered = self.libraries[start:] + self.libraries[:start]
        found = [(library.name, lambda library=library: job.run(library)) for library in ordered]
        if job.limit is not None:
            found.append((MACHINE, job.limit))
        return found

    def attempt(self, series: _Series, name: str, run: Callable[[], list[Sample]], prefix: str) -> None:
        """Runs a job once; a failure is noted."""
        self.say(f"{prefix} {series.title}: {name}")
        job = series.job
        try:
            before = self.last_probe if self.last_probe is not None else self._probed(job)
            values = _values(job.ranks, run())
            after = self._probed(job)
        except CommandFailed as error:
            self.last_probe = None
            series.failed[name] = series.failed.get(name, 0) + 1
            self.measured.failures[series.title, name] = str(error)
            return
        series.failed[name] = 0
        probes = (before, after) if before is not None and after is not None else None
        series.runs.append(Run(name, values, probes))
        # The next run's "before", if it follows at once.
        self.last_probe = after

    def _probed(self, job: Job) -> float | None:
        return probe(self.options) if job.by_distance else None

    def finish(self, series: _Series, names: list[str]) -> None:
        """Takes over the runs that count."""
        distance = series.distance(names)
        counted = [run for run in series.runs if run.at(distance)]
        for run in counted:
            self.measured.add(run)
        if distance is None:
            return
        remark = f"{series.title}: the processors were {distance.typical:.0f} ns apart (a line, one way)"
        left_out = len(series.runs) - len(counted)
        if left_out:
            remark += f"; {left_out} of {len(series.runs)} runs at other distances left out"
        short = [name for name in names if series.count(name, distance) == 0 and not series.given_up(name)]
        if short:
            remark += f"; none counted of {', '.join(short)}: run again"
        self.measured.remarks.append(remark)


def measure(benchmark: Benchmark, libraries: list[Library], options: Options, repeats: int, say: Say) -> Measured:
    """Runs all jobs of a benchmark `repeats` times, interleaved."""
    rounds = _Rounds(libraries, options, say)
    all_series = [_Series(job) for job in benchmark.chosen_jobs(options)]
    names = [library.name for library in libraries]
    for number in range(1, 2 * repeats + 1):
        prefix = f"round {number}/{repeats}" if number <= repeats else "further round"
        for series in all_series:
            distance = series.distance(names) if number > repeats else None
            rounds.last_probe = None
            for name, run in rounds.participants(series.job, number - 1):
                if series.given_up(name):
                    continue
                if number > repeats and (distance is None or series.count(name, distance) >= repeats):
                    continue
                if name == MACHINE and not series.job.by_distance and number > series.job.rounds_of_limit:
                    continue
                rounds.attempt(series, name, run, prefix)
    for series in all_series:
        rounds.finish(series, names)
    return rounds.measured
