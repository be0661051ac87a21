"""placement --sparse: graphs of up to 16,384 ranks on machines that are trees, beside other mappers.

Each mapper gets the same graph and the same machine of nodes, packages, caches and cores, one place a
rank; the cost of what it answers is computed here. Where a mapper puts two ranks on one place, the second
moves to the nearest free one, which is told. The time is the processor's time of the whole process,
reading and writing included. Scotch comes from Debian's package (fetched and unpacked below
target/bench/scotch, not installed), KaHIP's global multisection from PyPI (target/bench/kahip). That one
places ranks on caches, perfectly balanced; a cache's cores, equally far apart, are given out in order. With
one rank a block, it takes 50 s for 1,024 ranks and finds next to nothing. What cannot be fetched, or takes
longer than a minute, is left out. SharedMap is not measured: PyPI's `sharedmap` is a dictionary in
shared memory, not the mapper.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..libraries.table import ROOT
from ..output import whole_file
from .graphs import KINDS, Graph, graph

FOLDER = ROOT / "target" / "bench"

# Between nodes, packages, caches, cores: as in a cluster of machines with two packages.
DISTANCES = (100, 30, 10, 1)

# Places from the outside in.
MACHINES = {1024: (8, 2, 4, 16), 4096: (32, 2, 4, 16), 16384: (64, 2, 8, 16)}


# A mapper that takes longer is left out.
MOST_SECONDS = 60


class NotThere(Exception):
    """A mapper cannot be had or has failed."""


@dataclass(frozen=True)
class Case:
    """A graph, its machine, and a folder for files."""

    edges: Graph
    ranks: int
    fanouts: tuple[int, ...]
    folder: Path

    def distance(self, one: int, other: int) -> int:
        """Between two places."""
        below = self.ranks
        for fanout, distance in zip(self.fanouts, DISTANCES, strict=True):
            below //= fanout
            if one // below != other // below:
                return distance
        return 0

    def cost(self, places: list[int]) -> int:
        """Equation 1."""
        return sum(weight * self.distance(places[one], places[other]) for (one, other), weight in self.edges.items())

    def neighbours(self) -> list[list[tuple[int, int]]]:
        """By rank."""
        lists: list[list[tuple[int, int]]] = [[] for _ in range(self.ranks)]
        for (one, other), weight in self.edges.items():
            lists[one].append((other, weight))
            lists[other].append((one, weight))
        return lists


@dataclass(frozen=True)
class Answer:
    """What a mapper found."""

    cost: int
    seconds: float
    moved: int


def _seconds(command: list[str], folder: Path, libraries: Path | None = None) -> tuple[str, float]:
    """Its output, and the processor's time it took."""
    # Threads that wait for each other would count as time: each mapper has one.
    environment = dict(os.environ, SCOTCH_PTHREAD_NUMBER="1", OMP_NUM_THREADS="1")
    if libraries:
        environment["LD_LIBRARY_PATH"] = str(libraries)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise NotThere(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _one_each(case: Case, places: list[int]) -> tuple[list[int], int]:
    """Ranks on a place that is taken move to the nearest free one; how many moved."""
    free = set(range(case.ranks)) - set(places)
    taken: set[int] = set()
    result = list(places)
    moved = 0
    for rank, place in enumerate(places):
        if place in taken:
            result[rank] = min(free, key=lambda other: (case.distance(place, other), other))
            free.remove(result[rank])
            moved += 1
        taken.add(place)
    return result, moved


def _write_profile(case: Case) -> Path:
    path = case.folder / "graph.comm"
    lines = [f"{one} {other} 1 {weight}" for (one, other), weight in case.edges.items()]
    path.write_text("\n".join(["# pamir communication 1", f"ranks {case.ranks}", *lines]) + "\n")
    return path


def _pamir(case: Case, options: argparse.Namespace) -> tuple[list[int], float]:
    profile, mapping = _write_profile(case), case.folder / "pamir.map"
    tree, distances = (":".join(map(str, numbers)) for numbers in (case.fanouts, DISTANCES))
    command = [str(options.pamir), "place", str(profile), "--tree", tree, "--distances", distances, "--weight", "bytes",
               "--algorithm", "multilevel", "--starts", str(options.starts), "--time", "600", "--seed", str(options.seed),
               "--output", str(mapping)]  # fmt: skip
    _, seconds = _seconds(command, case.folder)
    places = [0] * case.ranks
    for line in mapping.read_text().splitlines():
        if words := re.match(r"(\d+) (\d+)", line):
            places[int(words[1])] = int(words[2])
    return places, seconds


def _fetched(folder: Path, wanted: str, packages: list[str]) -> Path:
    """A file of Debian's packages, fetched and unpacked if it is not there."""
    if not (folder / wanted).exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", *packages], cwd=folder, check=True, capture_output=True, timeout=300)
            for archive in folder.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise NotThere(f"cannot fetch {' '.join(packages)}: {error}") from error
    return folder / wanted


def _scotch(case: Case, options: argparse.Namespace) -> tuple[list[int], float]:
    folder = options.scotch or FOLDER / "scotch"
    program = _fetched(folder, "usr/bin/scotch_gmap", ["scotch", "libscotch-7.0"])
    # The folders below are for numbers of other sizes than the program's.
    library = next(folder.glob("usr/lib/*/libscotch-7.0.so"), None)
    neighbours = case.neighbours()
    lines = ["0", f"{case.ranks} {2 * len(case.edges)}", "0 010"]
    lines += [" ".join([str(len(own)), *(f"{weight} {other}" for other, weight in own)]) for own in neighbours]
    (case.folder / "graph.grf").write_text("\n".join(lines) + "\n")
    # The distance of leaves is the sum of what lies between.
    steps = [outer - inner for outer, inner in zip(DISTANCES, (*DISTANCES[1:], 0), strict=True)]
    levels = " ".join(f"{fanout} {step}" for fanout, step in zip(case.fanouts, steps, strict=True))
    (case.folder / "machine.tgt").write_text(f"tleaf {len(case.fanouts)} {levels}\n")
    command = [str(program), "graph.grf", "machine.tgt", "scotch.map", "-b0", "-Cf"]
    _, seconds = _seconds(command, case.folder, library.parent if library else None)
    places = [0] * case.ranks
    for line in (case.folder / "scotch.map").read_text().splitlines()[1:]:
        rank, place = line.split()
        places[int(rank)] = int(place)
    return places, seconds


def _kahip(case: Case, options: argparse.Namespace, preconfiguration: str) -> tuple[list[int], float]:
    folder = options.kahip or FOLDER / "kahip"
    program = folder / "bin" / "global_multisection"
    if not program.exists():
        command = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(folder), "kahip"]
        if subprocess.run(command, capture_output=True).returncode or not program.exists():
            raise NotThere("cannot fetch PyPI's kahip")
    program.chmod(0o755)
    lines = [f"{case.ranks} {len(case.edges)} 1"]
    lines += [" ".join(f"{other + 1} {weight}" for other, weight in own) for own in case.neighbours()]
    (case.folder / "graph.metis").write_text("\n".join(lines) + "\n")
    *fanouts, cores = case.fanouts
    hierarchy, distances = (":".join(map(str, reversed(numbers))) for numbers in (fanouts, DISTANCES[:-1]))
    command = [str(program), "graph.metis", f"--hierarchy_parameter_string={hierarchy}",
               f"--distance_parameter_string={distances}", f"--preconfiguration={preconfiguration}", "--imbalance=0",
               f"--seed={options.seed}", "--output_filename=kahip.map"]  # fmt: skip
    _, seconds = _seconds(command, case.folder, next(iter(folder.glob("kahip.libs")), None))
    ranks_in: dict[int, int] = {}
    places = []
    for cache in map(int, (case.folder / "kahip.map").read_text().split()):
        # What is too much for a cache is put on its first core, and moved from there.
        core = ranks_in.get(cache, 0)
        places.append(cache * cores + core % cores)
        ranks_in[cache] = core + 1
    return places, seconds


MAPPERS = {
    "pamir": _pamir,
    "scotch": _scotch,
    "kahip-fast": lambda case, options: _kahip(case, options, "fast"),
    "kahip-eco": lambda case, options: _kahip(case, options, "eco"),
    "kahip-strong": lambda case, options: _kahip(case, options, "strong"),
}


def _answer(name: str, case: Case, options: argparse.Namespace) -> Answer | None:
    try:
        places, seconds = MAPPERS[name](case, options)
    except (NotThere, subprocess.TimeoutExpired, OSError) as error:
        print(f"  {name}: {error}", file=sys.stderr)
        return None
    places, moved = _one_each(case, places)
    return Answer(case.cost(places), seconds, moved)


def _chosen(text: str, known: list[str], option: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in known]:
        raise NotThere(f"{option}: there is no {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def measure(options: argparse.Namespace) -> None:
    """Prints a line for each graph, size and mapper."""
    names = _chosen(options.mappers, list(MAPPERS), "--mappers")
    kinds = _chosen(options.graphs, list(KINDS), "--graphs")
    sizes = _chosen(options.ranks, list(map(str, MACHINES)), "--ranks")
    lines = ["graph,ranks,mapper,cost,seconds,moved"]
    print(f"{'graph':<10}{'ranks':>6}{'mapper':>14}{'cost':>12}{'of pamir':>10}{'seconds':>9}  ranks moved off shared places")
    for ranks in map(int, sizes):
        for kind in kinds:
            folder = FOLDER / "sparse"
            folder.mkdir(parents=True, exist_ok=True)
            case = Case(graph(kind, ranks, options.seed), ranks, MACHINES[ranks], folder)
            own = None
            for name in names:
                answer = _answer(name, case, options)
                if answer is None:
                    continue
                own = own or answer.cost
                share = f"{answer.cost / own * 100:9.1f}%"
                print(f"{kind:<10}{ranks:>6}{name:>14}{answer.cost:>12}{share}{answer.seconds:>9.2f}{answer.moved:>6}", flush=True)
                lines.append(f"{kind},{ranks},{name},{answer.cost},{answer.seconds:.2f},{answer.moved}")
                if options.csv:
                    whole_file.write_text(options.csv, "\n".join(lines) + "\n")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of --sparse."""
    group = parser.add_argument_group("graphs of thousands of ranks", __doc__)
    group.add_argument("--sparse", action="store_true", help="measure these instead of QAPLIB")
    group.add_argument("--graphs", default=",".join(KINDS), metavar="LIST", help=f"of {', '.join(KINDS)} (default: all)")
    group.add_argument("--ranks", default="1024,4096,16384", metavar="LIST", help="of 1024, 4096, 16384 (default: all)")
    group.add_argument("--mappers", default=",".join(MAPPERS), metavar="LIST", help=f"of {', '.join(MAPPERS)} (default: all)")
    group.add_argument("--starts", type=int, default=1, help="searches of pamir's, of which the best counts (default 1)")
    group.add_argument("--scotch", type=Path, metavar="DIR", help="a folder with usr/bin/scotch_gmap")
    group.add_argument("--kahip", type=Path, metavar="DIR", help="a folder with bin/global_multisection")
