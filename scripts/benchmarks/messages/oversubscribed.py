"""oversubscribed: more ranks than processors, where whoever spins burns the slice that others need."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, limited, sampled


def _jobs(options: Options) -> list[Job]:
    repetitions = "5" if options.quick else "9"
    jobs = []
    for ranks in options.ranks or [4, 8]:
        jobs.append(
            Job(
                title="operations",
                ranks=ranks,
                run=sampled("oversubscribed", ["operations", repetitions, "5"], ranks, options, pinned=False),
                limit=limited(["oversubscribed", str(ranks), repetitions], options, "limits_of_processes", pinned=False),
            )
        )
    jobs.append(
        Job(
            title="blocked",
            ranks=2,
            run=sampled("oversubscribed", ["blocked"], 2, options, pinned=False),
            limit=limited(["blocked"], options, "limits_of_processes", pinned=False),
        )
    )
    return jobs


BENCHMARK = Benchmark(
    name="oversubscribed",
    summary="barrier, allreduce and alltoall of 8 B, ping-pong, and a token that is received or polled for, "
    "of 4 and 8 ranks on two processors; "
    "processor time of a rank blocked for a second",
    jobs=_jobs,
    sources=("oversubscribed",),
    notes=(
        "ranks are not bound; -yield and -sleep are settings that the libraries offer for this case",
        "limit: processes that wait by sched_yield on flags in shared memory",
    ),
)
