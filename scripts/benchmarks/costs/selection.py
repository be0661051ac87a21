"""selection: what choosing an algorithm by message size costs, in tables of 3, 16 and 128 ranges.

The program is transport/examples/selection.rs, built as the library is; the table's column for
bytes holds the number of ranges. No other library takes part: the program has no MPI in it.
"""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled_example


def _jobs(options: Options) -> list[Job]:
    arguments = [options.repetitions, options.milliseconds]
    run = sampled_example("pamir-transport", "selection", arguments, 1, options)
    return [Job("selections", 1, run)]


BENCHMARK = Benchmark(
    name="selection",
    summary="choosing an algorithm by size, 3, 16 and 128 ranges (Pamir alone)",
    jobs=_jobs,
    sources=(),
    notes=(
        "bytes: the number of ranges. latency: from a size to its algorithm; throughput: of many "
        "selections that do not wait for each other; binary_search: the same by binary search",
    ),
    own_only=True,
)
