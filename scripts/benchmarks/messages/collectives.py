"""collectives: latency of collective operations of pinned ranks, by OSU's method."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled

SIZES = [1 << power for power in range(3, 21)]
QUICK_SIZES = [8, 64, 1024, 16384, 65536, 1048576]

# Jobs of about one length: a library does one of them before the next has its turn.
TESTS = ("barrier,bcast,scatter", "reduce,gather", "allreduce", "allgather", "alltoall")


def _jobs(options: Options) -> list[Job]:
    sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)
    size_list = ",".join(map(str, sizes))
    repetitions = "5" if options.quick else "9"
    jobs = []
    for ranks in options.ranks or [2]:
        # With more ranks than processors the scheduler must be free to choose.
        pinned = ranks <= len(options.cpus)
        for tests in TESTS:
            arguments = [tests, size_list, repetitions, options.milliseconds]
            run = sampled("collectives", arguments, ranks, options, pinned=pinned)
            jobs.append(Job(title=tests, ranks=ranks, run=run, by_distance=pinned and ranks == 2))
    return jobs


BENCHMARK = Benchmark(
    name="collectives",
    summary="barrier, bcast, reduce, allreduce, gather, scatter, allgather and alltoall, 8 B to 1 MiB",
    jobs=_jobs,
    sources=("collectives",),
    notes=(
        "average of all ranks of single calls, a barrier that is not counted after each",
        "bytes: the whole buffer of bcast, reduce and allreduce (doubles), a rank's block of the others",
        "--ranks sets how many ranks; more than there are processors are not bound",
    ),
)
