"""gather-scatter: the engine of data that does not lie together, by itself.

The program is transport/examples/gather_scatter.rs, built as the library is. No other library takes
part: the program has no MPI in it.
"""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled_example


def _jobs(options: Options) -> list[Job]:
    arguments = [options.repetitions, options.milliseconds]
    run = sampled_example("pamir-transport", "gather_scatter", arguments, 1, options)
    return [Job("engine", 1, run)]


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
