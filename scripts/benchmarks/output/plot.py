"""CSV -> SVG: one panel a metric. Run by the virtual environment's Python.

    python plot.py FIGURES.csv PLOT.svg

Over sizes (if a metric has several) or ranks lines with a band from minimum to
maximum are drawn; a metric with one figure a library becomes bars. The limit
of the machine is the dashed line. Where a metric has variants (by_hand and the
like), they are dotted and dash-dotted lines in its panel, for the first
library only: they are what its own figures are compared with.
"""

from __future__ import annotations

import csv
import math
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402  (the backend comes first)

MACHINE = "machine"
VARIANTS = {"_by_hand": ":", "_one_end_at_a_time": "-."}
"""A variant's suffix: its line."""


def read(path: str) -> dict[tuple[str, str, str], list[dict]]:
    """Rows by (benchmark, metric, unit)."""
    panels: dict[tuple[str, str, str], list[dict]] = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            for name in ("ranks", "bytes", "runs"):
                row[name] = int(row[name])
            for name in ("median", "minimum", "maximum"):
                row[name] = float(row[name])
            panels.setdefault((row["benchmark"], row["metric"], row["unit"]), []).append(row)
    return panels


def _without_variant(name: str) -> str:
    for suffix in VARIANTS:
        name = name.removesuffix(suffix)
    return name


def with_variants(panels: dict[tuple[str, str, str], list[dict]]) -> dict[tuple[str, str, str], list[dict]]:
    """The panels, those of variants as further lines of the metric's own."""
    first = next(iter(panels.values()))[0]["library"]
    merged: dict[tuple[str, str, str], list[dict]] = {}
    for key, rows in panels.items():
        benchmark, metric, unit = key
        own = (benchmark, _without_variant(metric), unit)
        if own == key or own not in panels:
            merged.setdefault(key, []).extend(rows)
            continue
        line = first + metric.removeprefix(own[1])
        merged.setdefault(own, []).extend({**row, "library": line} for row in rows if row["library"] == first)
    return merged


def _style(name: str) -> str:
    if name == MACHINE:
        return "--"
    return next((line for suffix, line in VARIANTS.items() if name.endswith(suffix)), "-")


def _lines(axes, rows: list[dict], names: list[str], colours: dict[str, object], over: str) -> None:
    for name in names:
        mine = sorted((row for row in rows if row["library"] == name), key=lambda row: row[over])
        if not mine:
            continue
        # Zero bytes have no place on a logarithmic axis; they stand at one half.
        places = [row[over] or 0.5 for row in mine]
        axes.plot(places, [row["median"] for row in mine], _style(name), marker=".", color=colours[name])
        axes.fill_between(
            places, [row["minimum"] for row in mine], [row["maximum"] for row in mine],
            color=colours[name], alpha=0.15, linewidth=0,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xlabel(over)


def _bars(axes, rows: list[dict], names: list[str], colours: dict[str, object]) -> None:
    for place, name in enumerate(names):
        for row in rows:
            if row["library"] == name:
                below, above = row["median"] - row["minimum"], row["maximum"] - row["median"]
                axes.bar(place, row["median"], yerr=[[below], [above]], color=colours[name])
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")


def draw(source: str, target: str) -> None:
    """Writes the plot of a CSV file."""
    panels = with_variants(read(source))
    names = list(dict.fromkeys(row["library"] for rows in panels.values() for row in rows))
    names.sort(key=lambda name: (name == MACHINE, name.endswith(tuple(VARIANTS))))
    palette = matplotlib.colormaps["tab10"]
    colours = {name: "black" if name == MACHINE else palette(i % 10) for i, name in enumerate(names)}
    colours = {name: colours[_without_variant(name)] for name in names}
    across = min(2, len(panels))
    down = math.ceil(len(panels) / across)
    figure, grid = pyplot.subplots(down, across, figsize=(7 * across, 4 * down + 0.6), squeeze=False)
    places = [axes for line in grid for axes in line]
    for axes, ((benchmark, metric, unit), rows) in zip(places, panels.items(), strict=False):
        present = [name for name in names if any(row["library"] == name for row in rows)]
        if len({row["bytes"] for row in rows}) > 1:
            _lines(axes, rows, present, colours, "bytes")
            axes.set_yscale("log")
        elif len({row["ranks"] for row in rows}) > 1:
            _lines(axes, rows, present, colours, "ranks")
            axes.set_yscale("log")
        else:
            _bars(axes, rows, present, colours)
        axes.set_title(f"{benchmark}: {metric}")
        axes.set_ylabel(unit)
        axes.grid(True, which="major", alpha=0.3)
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    handles = [
        pyplot.Line2D([], [], color=colours[name], linestyle=_style(name), label=name)
        for name in names
    ]
    figure.legend(handles=handles, loc="upper center", ncols=min(6, len(handles)), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.5 / (4 * down + 0.6)))
    figure.savefig(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py FIGURES.csv PLOT.svg")
    draw(sys.argv[1], sys.argv[2])
