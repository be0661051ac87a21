"""datatypes: messages whose data does not lie together, beside packing by hand."""

from __future__ import annotations

from math import exp, log

from ..measuring.benchmark import Benchmark, Job, Options, sampled
from ..measuring.row import Row

LAYOUTS = ("vector_8", "vector_512", "indexed", "arrays", "column", "face", "nested")
APPLICATIONS = (
    "wrf_x", "wrf_y", "milc", "nas_lu", "nas_mg_x", "nas_mg_y", "lammps", "specfem_oc", "specfem_cm", "fft",
)  # fmt: skip
APPLICATION_SIZES = "4096,65536,1048576"
"""An application's neighbours exchange parts of what one of them holds."""
SIZES = "1024,32768,1048576,16777216"
QUICK_SIZES = "1024,32768,1048576"
WIDTHS = "256,1024,4096"
"""Widths of square matrices of doubles, of which a column is sent."""
BY_HAND, ONE_END = "_by_hand", "_one_end_at_a_time"
LARGE_BYTES = 1 << 20
"""From here on both ends' work at once is compared with one's at a time."""


def _sizes(layout: str, options: Options) -> str:
    if layout == "column":
        return WIDTHS
    if options.sizes:
        return options.size_list
    if layout in APPLICATIONS:
        return APPLICATION_SIZES
    return QUICK_SIZES if options.quick else SIZES


def _jobs(options: Options) -> list[Job]:
    return [
        Job(
            title=layout,
            ranks=2,
            run=sampled(
                "datatypes",
                [layout, _sizes(layout, options), options.repetitions, options.milliseconds],
                2,
                options,
            ),
            by_distance=True,
        )
        for layout in LAYOUTS + APPLICATIONS
    ]


def _mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def _said(what: str, ratios: dict[str, float]) -> str:
    """The geometric mean of ratios, and the least of them with its name."""
    least = min(ratios, key=lambda name: ratios[name])
    mean = _mean(list(ratios.values()))
    return f"{what}: {mean:.2f} in the geometric mean of {len(ratios)}, least {ratios[least]:.2f} ({least})"


def _conclusions(rows: list[Row], own: list[str], peers: list[str]) -> list[str]:
    """How much faster the datatypes are than each thing that they are compared with."""
    if not own:
        return []
    subject = own[0]
    by_hand, one_end, best_peer = {}, {}, {}
    times = {(row.key.metric, row.key.bytes): row.figures.get(subject) for row in rows}
    for row in rows:
        layout, size, figure = row.key.metric, row.key.bytes, row.figures.get(subject)
        if layout.endswith((BY_HAND, ONE_END)) or figure is None:
            continue
        name = f"{layout}, {size} B"
        for suffix, ratios in ((BY_HAND, by_hand), (ONE_END, one_end)):
            other = times.get((layout + suffix, size))
            if other and (suffix == BY_HAND or size >= LARGE_BYTES * 7 // 8):
                ratios[name] = other.median / figure.median
        best = row.best_of(peers)
        if best:
            best_peer[name] = row.figures[best].median / figure.median
    said = (
        ("times as fast as packing by hand", by_hand),
        ("times as fast as one end at a time, from about 1 MiB on", one_end),
        ("times as fast as the best peer", best_peer),
    )
    return [_said(f"{subject}, {what}", ratios) for what, ratios in said if ratios]


BENCHMARK = Benchmark(
    name="datatypes",
    summary="half a round trip of vectors, indexed blocks, structures of arrays, columns, faces and nested "
    "vectors, and what ten applications send, each beside a loop that packs by hand",
    jobs=_jobs,
    sources=("datatypes",),
    notes=(
        "by_hand: a loop made for the layout copies to a contiguous buffer, which is sent, and another unpacks it",
        "one_end_at_a_time: MPI_Pack packs all of it, which is sent, and MPI_Unpack unpacks it when all has come",
        "applications: what they send is described in tests/benchmarks/applications.h",
        "column: of square matrices of doubles, 256 to 4096 wide",
    ),
    conclusions=_conclusions,
)
