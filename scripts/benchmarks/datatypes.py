"""datatypes: messages whose data does not lie together, beside packing by hand."""

from __future__ import annotations

from .benchmark import Benchmark, Job, Options, sampled

LAYOUTS = ("vector_8", "vector_512", "indexed", "arrays", "column", "face", "nested")
APPLICATIONS = (
    "wrf_x", "wrf_y", "milc", "nas_lu", "nas_mg_x", "nas_mg_y", "lammps", "specfem_oc", "specfem_cm", "fft",
)
APPLICATION_SIZES = "4096,65536,1048576"
"""An application's neighbours exchange parts of what one of them holds."""
SIZES = "1024,32768,1048576,16777216"
QUICK_APPLICATIONS = (
    "wrf_x", "wrf_y", "milc", "nas_lu", "nas_mg_x", "nas_mg_y", "lammps", "specfem_oc", "specfem_cm", "fft",
)
APPLICATION_SIZES = "4096,65536,1048576"
"""An application's neighbours exchange parts of what one of them holds."""
SIZES = "1024,32768,1048576"
WIDTHS = "256,1024,4096"
"""Widths of square matrices of doubles, of which a column is sent."""


def _sizes(layout: str, options: Options) -> str:
    if layout == "column":
        return WIDTHS
    if layout in APPLICATIONS and not options.sizes:
        return APPLICATION_SIZES
    if options.sizes:
        return options.size_list
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


BENCHMARK = Benchmark(
    name="datatypes",
    summary="half a round trip of vectors, indexed blocks, structures of arrays, columns, faces and nested "
    "vectors, and what ten applications send, each beside a loop that packs by hand",
    jobs=_jobs,
    sources=("datatypes",),
    notes=(
        "by_hand: a loop made for the layout copies to a contiguous buffer, which is sent, and another unpacks it",
        "applications: what they send is described in tests/benchmarks/applications.h",
        "column: of square matrices of doubles, 256 to 4096 wide",
    ),
)
