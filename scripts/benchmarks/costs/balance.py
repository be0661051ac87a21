"""balance: work that follows the ranks' speed, beside a static division and the ideal one.

Four programs in one (`tests/benchmarks/balance.c`), each divided evenly for good ("static"), and
anew after each cycle ("balanced"). A row's metric begins with the program.
"""

from __future__ import annotations

from collections.abc import Callable

from ..libraries.table import Library
from ..measuring.benchmark import Benchmark, Job, Options, Sample, sampled
from ..measuring.row import Row

KINDS = ("even", "stencil", "mandelbrot", "particles")
RANKS, QUICK_RANKS = (2, 4, 8), (2, 4)
CYCLES, QUICK_CYCLES = "120", "60"


def _named(kind: str, run: Callable[[Library], list[Sample]]) -> Callable[[Library], list[Sample]]:
    """The same samples, with the program in their names."""

    def run_with(library: Library) -> list[Sample]:
        return [Sample(f"{kind}_{sample.metric}", sample.bytes, sample.unit, sample.value) for sample in run(library)]

    return run_with


def _jobs(options: Options) -> list[Job]:
    cycles = QUICK_CYCLES if options.quick else CYCLES
    return [
        Job(
            title=kind,
            ranks=ranks,
            run=_named(
                kind,
                sampled("balance", [kind, cycles], ranks, options, pinned=ranks <= len(options.cpus), link=("-lm",)),
            ),
        )
        for ranks in options.ranks or (QUICK_RANKS if options.quick else RANKS)
        for kind in KINDS
    ]


def _conclusions(rows: list[Row], own: list[str], _peers: list[str]) -> list[str]:
    """A line for each program and number of ranks."""
    if not own:
        return []
    found = {(row.key.metric, row.key.ranks): row.figures[own[0]].median for row in rows if own[0] in row.figures}
    lines = []
    for kind in KINDS:
        for ranks in sorted({row.key.ranks for row in rows}):

            def value(metric: str) -> float | None:
                return found.get((f"{kind}_{metric}", ranks))  # noqa: B023 (called at once)

            names = ("balanced_of_ideal", "static_of_ideal", "balanced_balance", "static_balance", "balanced_cycle", "static_cycle")
            values = [value(name) for name in names]
            if any(one is None for one in values):
                continue
            ideal, fixed_ideal, balance, fixed_balance, cycle, fixed_cycle = values
            lines.append(
                f"{kind}, {ranks} ranks: {ideal:.0f} % of the ideal speed (static {fixed_ideal:.0f}), "
                f"load balance {balance / 100:.3f} (static {fixed_balance / 100:.3f}), "
                f"cycle by the wall {cycle:.0f} us (static {fixed_cycle:.0f})"
            )
            speed = value("balanced_speed")
            if speed is not None:
                lines[-1] += f"; in pairs of short runs {speed:.1f} % of the static speed"
    return lines


BENCHMARK = Benchmark(
    name="balance",
    summary="work that moves between ranks, beside a static and an ideal division (Pamir alone)",
    jobs=_jobs,
    # Compiled with libm when the first job runs.
    sources=(),
    notes=(
        "even: a stencil with nothing to balance; stencil: the last rank computes each row three times as often; "
        "mandelbrot: costs vary by row; particles: a cluster moves through the cells",
        "_busy: the longest busy time of a cycle by processor time, which is what a cycle takes where every "
        "rank has a processor; _cycle: by the clock on the wall, which with more ranks than processors "
        "cannot be shorter than all work together; both after the first third of the cycles",
        "balanced_speed: of even, by the clock on the wall, the median of forty pairs of short runs in turn",
        "ideal: the work of the static run, divided perfectly over the ranks' speeds",
        "_balance: average / maximum of busy times (of a slowed rank too); set_up_hidden: of the "
        "set-up operations' time, the part while others still computed",
    ),
    own_only=True,
    conclusions=_conclusions,
)
