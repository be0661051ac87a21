"""Interleaving: round by round, job by job, every library once (A B C A B C).

What disturbs the machine for a while then disturbs all libraries alike. The
samples that one run prints become one value, their median: it stands as long
as fewer than half of the samples were disturbed.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from .benchmark import MACHINE, Benchmark, Job, Options, Sample
from .libraries import Library
from .processes import CommandFailed

GIVE_UP_AFTER = 2
"""A library that failed a job this often in a row is not asked for it again."""


@dataclass(frozen=True, order=True)
class Key:
    """What a figure is about."""

    metric: str
    ranks: int
    bytes: int
    unit: str


@dataclass
class Measured:
    """All values of a benchmark: one a round, by figure and library."""

    values: dict[Key, dict[str, list[float]]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    """(job, library) -> the last reason."""

    def add(self, ranks: int, library: str, samples: list[Sample]) -> None:
        """Adds one run's samples as one value for each figure."""
        gathered: dict[Key, list[float]] = {}
        for sample in samples:
            key = Key(sample.metric, ranks, sample.bytes, sample.unit)
            gathered.setdefault(key, []).append(sample.value)
        for key, values in gathered.items():
            rows = self.values.setdefault(key, {})
            rows.setdefault(library, []).append(statistics.median(values))


def measure(
    benchmark: Benchmark,
    libraries: list[Library],
    options: Options,
    repeats: int,
    say: Callable[[str], None],
) -> Measured:
    """Runs all jobs of a benchmark `repeats` times, interleaved."""
    measured = Measured()
    jobs = benchmark.jobs(options)
    failed: dict[tuple[str, str], int] = {}

    def attempt(job: Job, name: str, run: Callable[[], list[Sample]], prefix: str) -> None:
        title = f"{job.title}, {job.ranks} ranks"
        if failed.get((title, name), 0) >= GIVE_UP_AFTER:
            return
        say(f"{prefix} {title}: {name}")
        try:
            measured.add(job.ranks, name, run())
            failed[title, name] = 0
        except CommandFailed as error:
            failed[title, name] = failed.get((title, name), 0) + 1
            measured.failures[title, name] = str(error)

    for number in range(1, repeats + 1):
        prefix = f"round {number}/{repeats}"
        for job in jobs:
            # Each round starts with another library, so that none always follows the same one.
            shift = (number - 1) % max(1, len(libraries))
            for library in libraries[shift:] + libraries[:shift]:
                attempt(job, library.name, lambda job=job, library=library: job.run(library), prefix)
            if job.limit is not None and number <= job.rounds_of_limit:
                attempt(job, MACHINE, job.limit, prefix)
    return measured
