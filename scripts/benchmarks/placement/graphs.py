"""Communication graphs of thousands of ranks, as programs have them, with their ranks shuffled.

Every graph is a dictionary from pairs (lower rank, higher rank) to weights, in both directions together.
Shuffled ranks hide the structure: the numbering gives nothing away that a search should find.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

Graph = dict[tuple[int, int], int]
Edge = tuple[int, int, int]


def _torus(sides: tuple[int, ...]) -> Iterator[Edge]:
    ranks = math.prod(sides)
    for rank in range(ranks):
        stride = 1
        for side in sides:
            at = rank // stride % side
            yield rank, rank + ((at + 1) % side - at) * stride, 10
            stride *= side


def _stencil(side: int) -> Iterator[Edge]:
    """Nine points: whole rows with the neighbours at the sides, one element at the corners; no wrap."""
    for row in range(side):
        for column in range(side):
            for down, right, weight in ((0, 1, 100), (1, 0, 100), (1, 1, 1), (1, -1, 1)):
                if row + down < side and 0 <= column + right < side:
                    yield row * side + column, (row + down) * side + column + right, weight


def _geometric(ranks: int, chance: random.Random) -> Iterator[Edge]:
    """Points of a square; those nearer than a radius, with eight neighbours on average, communicate."""
    radius = math.sqrt(8 / (math.pi * ranks))
    points = [(chance.random(), chance.random()) for _ in range(ranks)]
    cells: dict[tuple[int, int], list[int]] = {}
    for number, (x, y) in enumerate(points):
        cells.setdefault((int(x / radius), int(y / radius)), []).append(number)
    for number, (x, y) in enumerate(points):
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                for other in cells.get((int(x / radius) + down, int(y / radius) + right), ()):
                    if number < other and math.dist(points[number], points[other]) < radius:
                        yield number, other, chance.randint(1, 20)


def _power_law(ranks: int, chance: random.Random) -> Iterator[Edge]:
    """Each vertex ties itself to four earlier ones, by preference to those with many ties."""
    ends = [0]
    for rank in range(1, ranks):
        for other in {chance.choice(ends) for _ in range(4)}:
            yield rank, other, 1
            ends += [rank, other]


def _shuffled(ranks: int, edges: Iterator[Edge], chance: random.Random) -> Graph:
    order = list(range(ranks))
    chance.shuffle(order)
    graph: Graph = {}
    for one, other, weight in edges:
        if one != other:
            low, high = sorted((order[one], order[other]))
            graph[low, high] = graph.get((low, high), 0) + weight
    return graph


def _cube(ranks: int) -> tuple[int, ...]:
    """Three sides that are powers of two and differ little."""
    exponent = ranks.bit_length() - 1
    return tuple(2 ** ((exponent + extra) // 3) for extra in range(3))


KINDS: dict[str, Callable[[int, random.Random], Iterator[Edge]]] = {
    "torus-2d": lambda ranks, _: _torus((math.isqrt(ranks), math.isqrt(ranks))),
    "torus-3d": lambda ranks, _: _torus(_cube(ranks)),
    "stencil": lambda ranks, _: _stencil(math.isqrt(ranks)),
    "geometric": _geometric,
    "power-law": _power_law,
}


def graph(kind: str, ranks: int, seed: int) -> Graph:
    """The graph of a kind; the number of ranks is a power of four."""
    chance = random.Random(seed)
    return _shuffled(ranks, KINDS[kind](ranks, chance), chance)
