"""The benchmarks of communication: how long messages and collective operations take.

To add one, write its file with a `BENCHMARK` and name its module in the list below; `scripts/bench all` runs
them in this order. A benchmark of what a job or a mechanism costs beside its messages belongs to costs.
"""

from . import (
    active_messages,
    collectives,
    oversubscribed,
    datatypes,
    gather_scatter,
    one_sided,
    overlap,
    point_to_point,
)

BENCHMARKS = [
    module.BENCHMARK
    for module in (
        point_to_point,
        collectives,
        oversubscribed,
        overlap,
        datatypes,
        gather_scatter,
        one_sided,
        active_messages,
    )
]
