"""replenish: an injection FIFO of 8 slots that is replenished, beside one of 65,536 slots.

The program is driver/examples/replenish.rs, built as the library is: the same million messages
of 8 bytes (--sizes changes that) under each interrupt criterion; the table's column for bytes
holds the number of slots. No other library takes part: the program has no MPI in it.
"""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled_example

CRITERIA = ("drained", "timer", "timer-learned", "memory-fifo", "counted-put", "touching-put:word")
MESSAGES, QUICK_MESSAGES = "1000000", "200000"
# Memory that interrupts comes last: a kernel may refuse it.
MEMORY = "touching-put:userfaultfd"


def _jobs(options: Options) -> list[Job]:
    repetitions = "3" if options.quick else "9"
    messages = QUICK_MESSAGES if options.quick else MESSAGES
    size = str(options.sizes[0]) if options.sizes else "8"

    def job(criterion: str) -> Job:
        arguments = [repetitions, messages, size, criterion]
        run = sampled_example("pamir-driver", "replenish", arguments, 2, options)
        return Job(criterion, 2, run)

    return [job(criterion) for criterion in (*CRITERIA, MEMORY)]


BENCHMARK = Benchmark(
    name="replenish",
    summary="an injection FIFO of 8 slots under each interrupt criterion, beside 65,536 slots (Pamir alone)",
    jobs=_jobs,
    sources=(),
    notes=(
        "bytes: the number of slots; 65,536 slots always with `drained`. stream: submitted while the "
        "receiver reads; backlog: submitted before, so that all of it passes the FIFO. "
        "share: of the throughput of 65,536 slots, run by run",
        "paused: interrupts of 100 messages that were submitted while the engine stood still "
        "(14 = (100 - 8 + 1) / (8 - 1), rounded up; a timer counts periods)",
    ),
    own_only=True,
)
