"""How far apart the two processors are, and which runs may be compared.

A virtual machine's processors wander: for a while two of them are threads of
one core, then cores of one cluster, then of different ones. A cache line takes
25 ns one way in the first case and 200 in the last, and every library's
latency changes with it. Medians over a mixture say nothing, so each run of two
pinned ranks is bracketed by a probe of the line's way, and only runs at one
distance are compared. Distances are told apart by gaps in the sorted probes:

    24 26 27 31 39 44 |  gap  | 205 208 211 216 230      [ns]
      one distance             another

A probe of more than 2 us says that the machine below had taken one of the processors away: that is no
distance, and the runs beside it do not count.

A run counts when the probes before and after it belong to the same one. What
the probes cannot see is a change there and back during a run.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from ..libraries.compilation import plain_program
from ..processes import run
from .benchmark import Options, cpu_environment, samples_in

GAP = 1.5
"""Neighbouring probes whose ratio exceeds this belong to different distances."""

FARTHEST_NS = 2000.0
"""No two processors of a machine are farther apart: between two of its sockets it is less than half of that."""


@dataclass(frozen=True)
class Distance:
    """A range of probes that belong together, in ns."""

    least: float
    most: float
    typical: float

    def holds(self, probe: float) -> bool:
        return self.least <= probe <= self.most


def probe(options: Options) -> float:
    """One way of a line between the two processors, in ns; takes some 20 ms."""
    command = [str(plain_program("limits")), "latency", "0", "7", "0.3"]
    finished = run(command, seconds=options.seconds, environment=cpu_environment(options.cpus))
    return statistics.median(sample.value for sample in samples_in(finished)) * 1e3


def distances(probes: list[float]) -> list[Distance]:
    """The distances that occur, nearest first."""
    found: list[list[float]] = []
    for value in sorted(value for value in probes if value <= FARTHEST_NS):
        if found and value <= found[-1][-1] * GAP:
            found[-1].append(value)
        else:
            found.append([value])
    return [Distance(group[0], group[-1], statistics.median(group)) for group in found]
