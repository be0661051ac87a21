"""overlap: how much of a nonblocking operation is hidden behind computation that calls nothing."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled

SIZES = "65536,262144,1048576,4194304"
QUICK_SIZES = "65536,1048576"


def _jobs(options: Options) -> list[Job]:
    sizes = options.size_list if options.sizes else QUICK_SIZES if options.quick else SIZES
    return [
        Job(
            title=test,
            ranks=2,
            run=sampled("overlap", [test, sizes, options.repetitions], 2, options),
            by_distance=True,
        )
        for test in ("send", "receive", "allreduce", "alltoall")
    ]


BENCHMARK = Benchmark(
    name="overlap",
    summary="time of a send, receive, iallreduce or ialltoall that a computation of the same length hides",
    jobs=_jobs,
    sources=("overlap",),
    notes=(
        "_pure: from the call to the end of its wait, with nothing between",
        "_overlap: the part of it that is gone when a computation as long as it lies between",
        "_overlap2: the same for a computation that is twice as long",
        "send, receive: one rank computes, the other waits; allreduce, alltoall: both compute, so that "
        "who moves the data takes the time from a computation",
    ),
)
