"""From the values of all rounds to figures: median, spread, ratio."""

from __future__ import annotations

import statistics

from .rounds import Measured
from .row import Figure, Row


def rows_of(measured: Measured) -> list[Row]:
    """All rows, sorted by the order in which metrics first appeared, then ranks, then bytes."""
    order: dict[str, int] = {}
    for key in measured.values:
        order.setdefault(key.metric, len(order))
    rows = []
    for key in sorted(measured.values, key=lambda key: (order[key.metric], key.ranks, key.bytes)):
        figures = {
            name: Figure(statistics.median(values), min(values), max(values), len(values))
            for name, values in measured.values[key].items()
        }
        rows.append(Row(key, figures))
    return rows
