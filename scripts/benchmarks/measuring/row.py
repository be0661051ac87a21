"""A row of a table: one metric at one size and number of ranks, with a figure of each library.

`figures` makes rows of the values of all rounds; `output` writes them; a benchmark may conclude from them.
"""

from __future__ import annotations

from dataclasses import dataclass

MACHINE = "machine"
"""The name under which the limits of the machine stand in tables and CSV."""


@dataclass(frozen=True, order=True)
class Key:
    """What a figure is about."""

    metric: str
    ranks: int
    bytes: int
    unit: str


@dataclass(frozen=True)
class Figure:
    """One cell: a metric of a library over all rounds."""

    median: float
    minimum: float
    maximum: float
    runs: int

    @property
    def spread(self) -> float:
        """Half of the range, as a part of the median."""
        return (self.maximum - self.minimum) / 2 / self.median if self.median else 0.0


@dataclass(frozen=True)
class Row:
    """A metric at one size and number of ranks, for all libraries."""

    key: Key
    figures: dict[str, Figure]

    @property
    def higher_is_better(self) -> bool:
        unit, metric = self.key.unit, self.key.metric
        return unit.endswith("/s") or unit == "%" or metric.endswith("_share")

    @property
    def machine(self) -> Figure | None:
        return self.figures.get(MACHINE)

    def best_of(self, names: list[str]) -> str | None:
        """The name of the best library among these."""
        there = [name for name in names if name in self.figures]
        if not there:
            return None
        choose = max if self.higher_is_better else min
        return choose(there, key=lambda name: self.figures[name].median)

    def ratio(self, name: str, other: str) -> float | None:
        """The first's median by the second's."""
        if name not in self.figures or other not in self.figures:
            return None
        divisor = self.figures[other].median
        return self.figures[name].median / divisor if divisor else None
