"""selection: what choosing an algorithm by message size costs, in tables of 3, 16 and 128 ranges.

The program is transport/examples/selection.rs, built as the library is; the table's column for
bytes holds the number of ranges. No other library takes part: the program has no MPI in it.
"""

from __future__ import annotations

from pathlib import Path

from .benchmark import Benchmark, Job, Options, Sample, samples_in
from .compilation import example
from .libraries import Library
from .processes import run


def _jobs(options: Options) -> list[Job]:
    built: list[Path] = []

    def selections(library: Library) -> list[Sample]:
        if not built:
            built.append(example("pamir-transport", "selection"))
        cpu = str(options.cpus[0])
        arguments = [str(built[0]), options.repetitions, options.milliseconds]
        return samples_in(run(["taskset", "-c", cpu, *arguments], seconds=options.seconds))

    return [Job("selections", 1, selections)]


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
