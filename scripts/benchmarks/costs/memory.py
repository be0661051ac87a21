"""memory: what a rank has for itself after MPI_Init and after some traffic."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, limited, sampled


def _jobs(options: Options) -> list[Job]:
    return [
        Job(
            title="footprint",
            ranks=ranks,
            run=sampled("memory", [], ranks, options, pinned=False),
            limit=limited(["footprint"], options, "limits_of_processes", pinned=False),
        )
        for ranks in options.ranks or [2, 8]
    ]


BENCHMARK = Benchmark(
    name="memory",
    summary="private, proportional and peak memory of a rank, 2 and 8 ranks",
    jobs=_jobs,
    sources=("memory",),
    notes=(
        "private: /proc/self/smaps_rollup, Private_*; proportional: Pss; peak_resident: VmHWM",
        "limit: a C program that does nothing",
    ),
)
