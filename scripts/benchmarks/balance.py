"""balance: work that follows the ranks' speed, beside a static division and the ideal one."""

from __future__ import annotations

from .benchmark import Benchmark, Job, Options, sampled

KINDS = ("even", "stencil", "mandelbrot", "particles")
RANKS, QUICK_RANKS = (2, 4, 8), (2, 4)
CYCLES, QUICK_CYCLES = "120", "60"


def _jobs(options: Options) -> list[Job]:
    cycles = QUICK_CYCLES if options.quick else CYCLES
    return [
        Job(
            title=kind,
            ranks=ranks,
            run=sampled("balance", [kind, cycles], ranks, options, pinned=ranks <= len(options.cpus), link=("-lm",)),
        )
        for ranks in options.ranks or (QUICK_RANKS if options.quick else RANKS)
        for kind in KINDS
    ]


BENCHMARK = Benchmark(
    name="balance",
    summary="work that moves between ranks, beside a static and an ideal division (Pamir alone)",
    jobs=_jobs,
    # Compiled with libm when the first job runs.
    sources=(),
    notes=(
        "even: a stencil with nothing to balance; stencil: the last rank computes each row three times; "
        "mandelbrot: costs vary by row; particles: a cluster moves through the cells",
        "_busy: the longest busy time of a cycle by processor time, which is what a cycle takes where every "
        "rank has a processor; _cycle: by the clock on the wall, which with more ranks than processors "
        "cannot be shorter than all work together; both after the first third of the cycles",
        "ideal: the work of the static run, divided perfectly over the ranks' speeds",
        "_balance: average / maximum of busy times (of a slowed rank too); set_up_hidden: of the "
        "set-up operations' time, the part while others still computed",
    ),
    own_only=True,
)
