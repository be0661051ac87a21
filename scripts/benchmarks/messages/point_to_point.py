"""point-to-point: latency, exchange, bandwidth and message rate of two pinned ranks."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, limited, sampled

QUICK_SIZES = [0, 8, 64, 512, 1024, 4096, 8192, 65536, 1048576]
BANDWIDTH_SIZES = [8, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304]
QUICK_BANDWIDTH_SIZES = [1024, 65536, 1048576]


def _jobs(options: Options) -> list[Job]:
    everything = ",".join(map(str, [0] + [1 << power for power in range(23)]))
    latency = options.size_list if options.sizes else everything
    bandwidth = options.size_list if options.sizes else ",".join(map(str, BANDWIDTH_SIZES))
    rate = options.size_list if options.sizes else "8,1024"
    if options.quick and not options.sizes:
        latency = ",".join(map(str, QUICK_SIZES))
        bandwidth = ",".join(map(str, QUICK_BANDWIDTH_SIZES))
    jobs = []
    tests = {"latency": latency, "exchange": bandwidth, "bandwidth": bandwidth, "message-rate": rate}
    for test, sizes in tests.items():
        arguments = [test, sizes, options.repetitions, options.milliseconds]
        jobs.append(
            Job(
                title=test,
                ranks=2,
                run=sampled("point_to_point", arguments, 2, options),
                # A limit has up to three ways to try for each size: fewer samples of each. That of an exchange
                # is the latency's, since both messages go at once.
                limit=None if test == "exchange" else limited([test, sizes, "7", options.milliseconds], options),
                by_distance=True,
            )
        )
    return jobs


BENCHMARK = Benchmark(
    name="point-to-point",
    summary="latency (0 B to 4 MiB), exchange, bandwidth and message rate of two pinned ranks; "
    "the sender's buffer untouched between sends and rewritten before each",
    jobs=_jobs,
    sources=("point_to_point",),
    notes=(
        "latency is half a round trip; an exchange is a message each way at once; bandwidth and message rate use windows of 64 sends",
        "_rewritten: the sender writes its buffers before it sends; the writing is not counted",
        "limit: loads and stores between two processes, without a library (tests/benchmarks/limits.c)",
    ),
)
