"""Tables for people, CSV for programs.

A cell is the median over rounds and, behind "+-", half of the range in per
cent of it. The ratio is Pamir to the best of the others: below 1 is better for
times, above 1 for rates; "limit" is what the machine does without a library.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ..measuring.benchmark import Benchmark
from ..measuring.rounds import Measured
from ..measuring.row import Figure, Row
from . import whole_file

COLUMNS = ["benchmark", "library", "ranks", "bytes", "metric", "unit", "median", "minimum", "maximum", "runs"]


def number(value: float) -> str:
    """Three significant digits without an exponent."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}"


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    spread = f" +-{figure.spread * 100:.0f}%" if figure.runs > 1 else ""
    return number(figure.median) + spread


def _lines(header: list[str], body: list[list[str]]) -> list[str]:
    widths = [max(len(line[i]) for line in [header, *body]) for i in range(len(header))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in [header, *body]]


def table(
    benchmark: Benchmark, rows: list[Row], names: list[str], own: list[str]
) -> str:
    """All metrics of a benchmark; the ratio is about the first of Pamir's `own` settings, if any,
    and the best of the libraries that are not."""
    subject = own[0] if own else None
    others = [name for name in names if name not in own] if len(names) > 1 else []
    blocks = []
    metrics = dict.fromkeys((row.key.metric, row.key.unit) for row in rows)
    for metric, unit in metrics:
        chosen = [row for row in rows if (row.key.metric, row.key.unit) == (metric, unit)]
        columns = [name for name in names if any(name in row.figures for row in chosen)]
        header = ["ranks", "bytes", *columns]
        if others:
            header += ["best peer", f"{subject}/best"] if subject else ["best"]
        header.append("limit")
        body = []
        for row in chosen:
            line = [str(row.key.ranks), str(row.key.bytes)]
            line += [_cell(row.figures.get(name)) for name in columns]
            if others:
                best = row.best_of(others)
                line.append(best or "-")
                if subject:
                    ratio = row.ratio(subject, best) if best else None
                    line.append("-" if ratio is None else f"{ratio:.2f}")
            line.append(_cell(row.machine))
            body.append(line)
        better = "more is better" if chosen[0].higher_is_better else "less is better"
        blocks.append("\n".join([f"{benchmark.name}: {metric} [{unit}], {better}", *_lines(header, body)]))
    return "\n\n".join(blocks)


def failures(measured: Measured) -> str:
    """What could not be measured, and why."""
    return "\n".join(
        f"not measured: {title}: {name}: {reason}" for (title, name), reason in measured.failures.items()
    )


def write_csv(path: Path, results: list[tuple[Benchmark, list[Row]]]) -> None:
    """All rows of all benchmarks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file.replacement(path) as new, new.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for benchmark, rows in results:
            for row in rows:
                for name, figure in row.figures.items():
                    key = row.key
                    writer.writerow(
                        [benchmark.name, name, key.ranks, key.bytes, key.metric, key.unit]
                        + [f"{value:.6g}" for value in (figure.median, figure.minimum, figure.maximum)]
                        + [figure.runs]
                    )

