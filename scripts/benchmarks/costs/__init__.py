"""The benchmarks of what a job or a mechanism costs: start-up, memory, instructions, waiting, choosing.

To add one, write its file with a `BENCHMARK` and name its module in the list below; `scripts/bench all` runs
them in this order. A benchmark of how long communication takes belongs to messages.
"""

from . import balance, idle, instructions, memory, replenish, selection, startup

BENCHMARKS = [
    module.BENCHMARK
    for module in (startup, memory, instructions, selection, replenish, balance, idle)
]
