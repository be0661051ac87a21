"""Figures in documents: tables of Markdown from a CSV file.

A document holds the tables of a CSV file between two comments, and is otherwise written by hand:

    <!-- begin figures/zen5.csv -->
    <!-- end figures/zen5.csv -->

A row of a table is a metric of Pamir, or of the best of the other libraries; a column is a message's length or
a number of ranks. The first line of the block says by which command it was written, so that a test can write
it again and compare.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ..measuring.row import MACHINE, Figure, Key, Row
from . import whole_file
from .report import number

OWN = "pamir"
"""What the names of Pamir's own settings begin with."""

WRITTEN = re.compile(r"^Written by `(.*)`\.", re.MULTILINE)


def read(path: Path) -> dict[str, list[Row]]:
    """The rows of a CSV file, by benchmark, in the file's order."""
    rows: dict[tuple[str, Key], Row] = {}
    with path.open(newline="") as stream:
        for line in csv.DictReader(stream):
            key = Key(line["metric"], int(line["ranks"]), int(line["bytes"]), line["unit"])
            row = rows.setdefault((line["benchmark"], key), Row(key, {}))
            median, minimum, maximum = (float(line[name]) for name in ("median", "minimum", "maximum"))
            row.figures[line["library"]] = Figure(median, minimum, maximum, int(line["runs"]))
    benchmarks: dict[str, list[Row]] = {}
    for (benchmark, _), row in rows.items():
        benchmarks.setdefault(benchmark, []).append(row)
    return benchmarks


def length(size: int) -> str:
    """A message's length, in the largest unit that divides it."""
    for exponent, unit in ((20, "MiB"), (10, "KiB")):
        if size and size % (1 << exponent) == 0:
            return f"{size >> exponent} {unit}"
    return f"{size} B"


def tables(path: Path) -> str:
    """All figures of a CSV file: a heading for each benchmark, and a table for each set of columns."""
    blocks = []
    for benchmark, rows in read(path).items():
        parts = [_Part(list(group)) for _, group in groupby(_in_order(rows), key=_subject)]
        blocks.append(f"### {benchmark}")
        for _, group in groupby(parts, key=lambda part: part.columns):
            blocks.append("\n".join(_table(list(group))))
    return "\n\n".join(blocks)


def _subject(row: Row) -> tuple[str, str]:
    return row.key.metric, row.key.unit


def _in_order(rows: list[Row]) -> list[Row]:
    """A metric's rows side by side, metrics in the order of their first rows."""
    order = {subject: place for place, subject in reversed(list(enumerate(map(_subject, rows))))}
    return sorted(rows, key=lambda row: (order[_subject(row)], row.key.ranks, row.key.bytes))


class _Part:
    """A metric: its columns, and a line for Pamir's settings and the best of the others."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        ranks, sizes = ({getattr(row.key, name) for row in rows} for name in ("ranks", "bytes"))
        names = []
        for row in rows:
            name = [f"{row.key.ranks} ranks"] if len(ranks) > 1 else []
            if sizes != {0} and (len(sizes) > 1 or not name):
                name += [length(row.key.bytes)]
            names.append(", ".join(name))
        self.columns = tuple(names)

    def lines(self) -> Iterator[list[str]]:
        key = self.rows[0].key
        title = f"{key.metric} [{key.unit}]"
        names = dict.fromkeys(name for row in self.rows for name in row.figures)
        for name in names:
            if name.startswith(OWN) or name == MACHINE:
                yield [title, name, *(_figure(row.figures.get(name)) for row in self.rows)]
                title = ""
        others = [name for name in names if not name.startswith(OWN) and name != MACHINE]
        if others:
            best = [row.best_of(others) for row in self.rows]
            named = set(best) - {None}
            figures = [_figure(row.figures.get(name)) for row, name in zip(self.rows, best, strict=True)]
            if len(named) > 1:
                figures = [f"{figure} ({name})" if name else "" for figure, name in zip(figures, best, strict=True)]
            yield [title, f"best of the others{f': {named.pop()}' if len(named) == 1 else ''}", *figures]


def _figure(figure: Figure | None) -> str:
    return number(figure.median) if figure else ""


def _table(parts: list[_Part]) -> Iterator[str]:
    columns = ["", "", *parts[0].columns]
    yield _line(columns)
    yield _line(["---"] * len(columns)).replace(" ", "")
    for part in parts:
        for line in part.lines():
            yield _line(line)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def block(source: Path, document: Path, command: str, plot: Path | None = None) -> str:
    """What stands in a document for a CSV file, the comments included."""
    name = _beside(source, document)
    picture = f"\n\n![{source.stem}]({_beside(plot, document)})" if plot else ""
    return (
        f"<!-- begin {name} -->\nWritten by `{command}`. The figures: [{source.name}]({name}).{picture}\n\n"
        f"{tables(source)}\n<!-- end {name} -->\n"
    )


def _beside(path: Path, document: Path) -> str:
    return Path(os.path.relpath(path.resolve(), document.resolve().parent)).as_posix()


def write(source: Path, document: Path, command: str, plot: Path | None = None) -> None:
    """Replaces the block of this CSV file in a document, or puts it at the end of it."""
    old = document.read_text() if document.exists() else "# Figures\n"
    new = block(source, document, command, plot)
    found = _blocks(source, document).search(old)
    text = old[: found.start()] + new + old[found.end() :] if found else f"{old.rstrip()}\n\n{new}"
    document.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write_text(document, text)


def _blocks(source: Path, document: Path) -> re.Pattern[str]:
    name = re.escape(_beside(source, document))
    return re.compile(rf"<!-- begin {name} -->\n.*?<!-- end {name} -->\n", re.DOTALL)


def stale(document: Path) -> list[str]:
    """The CSV files whose figures a document does not show as they are."""
    text = document.read_text()
    names = re.findall(r"<!-- begin (\S+) -->", text)
    return [name for name in names if not _agrees(text, document.parent / name, document)]


def _agrees(text: str, source: Path, document: Path) -> bool:
    found = _blocks(source, document).search(text)
    command = WRITTEN.search(found.group()) if found else None
    if not found or not command or not source.exists():
        return False
    picture = re.search(r"^!\[.*\]\((.*)\)$", found.group(), re.MULTILINE)
    plot = document.parent / picture.group(1) if picture else None
    return found.group() == block(source, document, command.group(1), plot)
