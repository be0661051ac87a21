"""gather-scatter: the engine of data that does not lie together, by itself.

The program is transport/examples/gather_scatter.rs, built as the library is. No other library takes
part: the program has no MPI in it.
"""

from __future__ import annotations

from pathlib import Path

from .benchmark import Benchmark, Job, Options, Sample, samples_in
from .compilation import example
from .libraries import Library
from .processes import run


def _jobs(options: Options) -> list[Job]:
    built: list[Path] = []

    def engine(library: Library) -> list[Sample]:
        if not built:
            built.append(example("pamir-transport", "gather_scatter"))
        cpu = str(options.cpus[0])
        arguments = [str(built[0]), options.repetitions, options.milliseconds]
        return samples_in(run(["taskset", "-c", cpu, *arguments], seconds=options.seconds))

    return [Job("engine", 1, engine)]


BENCHMARK = Benchmark(
    name="gather-scatter",
    summary="packing, unpacking, copies from layout to layout, and seeking in 10^6 blocks (Pamir alone)",
    jobs=_jobs,
    sources=(),
    notes=(
        "pack, unpack: nanoseconds of a block, in bursts of 16 KiB; by_hand: a loop over a list of blocks. "
        "8_of_16: blocks of 8 bytes, 16 apart; irregular: 4 to 60 bytes, 4 to 32 apart",
        "straight: from one layout to another, the whole; through_buffer: the same packed and unpacked",
        "random_offset: the dummy machine's way to an offset of an indexed type (at most 200 ns)",
    ),
    own_only=True,
)
