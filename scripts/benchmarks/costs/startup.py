"""startup: from the start of mpiexec to its end, for an empty program.

The limit is that of two (or more) plain processes that are started, map a
segment, meet in it and end (limits_of_processes.c, `startup`), timed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable

from ..libraries.compilation import plain_program
from ..libraries.table import Library
from ..measuring.benchmark import Benchmark, Job, Options, Sample, launched
from ..processes import Finished, run

RUNS_A_ROUND = 3
METRIC = "start_to_end"


def _timed(start: Callable[[], Finished]) -> list[Sample]:
    return [Sample(METRIC, 0, "ms", start().seconds * 1e3) for _ in range(RUNS_A_ROUND)]


def _jobs(options: Options) -> list[Job]:
    def job(ranks: int) -> Job:
        start = launched("startup", [], ranks, options, pinned=False)

        def with_library(library: Library) -> list[Sample]:
            return _timed(lambda: start(library))

        def alone() -> list[Sample]:
            command = [str(plain_program("limits_of_processes")), "startup", str(ranks)]
            return _timed(lambda: run(command, seconds=options.seconds))

        return Job("empty program", ranks, with_library, alone, rounds_of_limit=1000)

    return [job(ranks) for ranks in options.ranks or [2, 8]]


BENCHMARK = Benchmark(
    name="startup",
    summary="mpiexec of an empty program, from start to end, 2 and 8 ranks",
    jobs=_jobs,
    sources=("startup",),
    notes=("limit: plain processes that meet in a mapped segment and end",),
)
