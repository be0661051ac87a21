"""one-sided: operations on another rank's window, and what windows and their synchronisation cost."""

from __future__ import annotations

from ..measuring.benchmark import Benchmark, Job, Options, sampled
from ..measuring.row import Row

SIZES = "1024,65536,1048576,4194304"
OPERATIONS = ("allocated", "blocks", "created", "alloc-mem", "computing", "locks")
"""Tests of one_sided.c."""
WINDOWS = {"post-start": [2], "made": [2], "fence": [2, 8], "lock-all": [2, 16]}
"""Tests of windows.c, and of how many ranks."""
ANY_RANKS = ("made", "fence", "lock-all")
BY_HAND = "_by_hand"
LARGE_BYTES = 1024
"""From here on an operation takes longer than what a library adds to it."""


def _jobs(options: Options) -> list[Job]:
    sizes = options.size_list if options.sizes else SIZES
    effort = [options.repetitions, options.milliseconds]
    jobs = [
        Job(title=test, ranks=2, run=sampled("one_sided", [test, sizes, *effort], 2, options), by_distance=True)
        for test in OPERATIONS
    ]
    for test, several in WINDOWS.items():
        for ranks in options.ranks if options.ranks and test in ANY_RANKS else several:
            # With more ranks than processors the scheduler must be free to choose.
            pinned = ranks <= len(options.cpus)
            run = sampled("windows", [test, *effort], ranks, options, pinned=pinned)
            jobs.append(Job(title=test, ranks=ranks, run=run, by_distance=pinned and ranks == 2))
    return jobs


def _conclusions(rows: list[Row], own: list[str], _peers: list[str]) -> list[str]:
    """Large operations beside the same work without a library, and fences beside barriers."""
    said = []
    for library in own:
        times = {(row.key.metric, row.key.ranks, row.key.bytes): row.figures.get(library) for row in rows}
        ratios = []
        for (metric, ranks, size), figure in times.items():
            fence = metric == "fence"
            other = times.get(("barrier", ranks, 0) if fence else (metric + BY_HAND, ranks, size))
            if figure and other and (fence or size >= LARGE_BYTES):
                what = f"{ranks} ranks" if fence else f"{size} B"
                ratios.append(f"{metric} {what} {figure.median / other.median:.2f}")
        if ratios:
            said.append(f"{library}, times as long as by hand (fence: as a barrier): {', '.join(ratios)}")
    return said


BENCHMARK = Benchmark(
    name="one-sided",
    summary="put, get, accumulate and atomic operations on windows that were allocated and created, locks, "
    "fences, post and start, and windows made and freed",
    jobs=_jobs,
    sources=("one_sided", "windows"),
    notes=(
        "put, get and the like: under lock_all, each with a flush, on an allocated window; put_stream: a put of 64 "
        "with one flush; the target waits in MPI_Recv",
        "_by_hand: a copy, a loop or a locked instruction in memory of the same kind, without a library",
        "created_, alloc_mem_: on a window over the program's memory, or over memory of MPI_Alloc_mem; "
        "_computing: while the target calls nothing for 10 ms",
        "lock_exclusive, lock_shared: lock, put of 8 B, unlock; lock_all: with its unlock_all, of rank 0",
        "post_start: start, put of 8 B and complete of a rank, post and wait of the other; put_fence: a put of 8 B "
        "to the next rank before each fence",
        "--ranks sets how many ranks fence, lock-all and made have; more than there are processors are not bound",
    ),
    conclusions=_conclusions,
)
