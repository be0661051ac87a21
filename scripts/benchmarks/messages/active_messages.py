"""active-messages: PAMI_Send_immediate beside MPI_Send, in one process."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled

SIZES = "0,8,64,1024"


def _jobs(options: Options) -> list[Job]:
    arguments = [options.size_list if options.sizes else SIZES, options.repetitions, "2"]
    run = sampled("active_messages", arguments, 2, options, link=("-lpami",))
    return [Job(title="active messages", ranks=2, run=run, by_distance=True)]


BENCHMARK = Benchmark(
    name="active-messages",
    summary="PAMI_Send_immediate beside MPI_Send in one program: half a round trip and message rate (Pamir alone)",
    jobs=_jobs,
    sources=(),
    notes=(
        "the two take turns within every repetition, so read pami_ beside mpi_",
        "rate: 64 messages one way, then an acknowledgement",
    ),
    own_only=True,
)
