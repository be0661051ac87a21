"""placement: how near the searches for mappings come to the best known costs of QAPLIB.

    scripts/bench placement [--seconds S] [--instances LIST] [--algorithms LIST] [--csv FILE] [--check]
    scripts/bench placement --sparse [--graphs LIST] [--ranks LIST] [--mappers LIST] [--csv FILE]
    scripts/bench placement --runs [--rounds N] [--repeat N]

The instances and their best known costs come from Debian's package r-cran-qap, which is fetched and
unpacked below target/bench (or are read from --qaplib DIR). Each search runs on one processor until
the best known cost is reached or its time is over; the time is the processor's, so that others on the
machine do not count. The first algorithm gets all of it, the others get as much as the first took (at
least a second). With --check it fails unless the first reaches the best known cost of each instance;
scripts/test does this with the small ones. A solution's file states a cost and a
permutation; the statement is believed where the permutation has that cost in either orientation.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..libraries.table import ROOT
from ..output import whole_file
from . import runs, trees

PACKAGE = "r-cran-qap"
FOLDER = ROOT / "target" / "bench" / "qaplib"

# Published optima of instances whose solution is missing in the package or contradicts itself.
PUBLISHED = {
    "esc32a": 130, "esc32b": 168, "esc32c": 642, "esc32d": 200, "esc32h": 438, "esc64a": 116,
    "kra32": 88700, "tai10a": 135028, "tai10b": 1183760,
}  # fmt: skip

# Small, of every family; what --quick runs.
SMALL = "bur26a,chr12a,chr25a,els19,esc16a,esc32a,had12,had20,kra30a,kra32,lipa20a,nug12,nug30,rou15,scr20,ste36a,tai12a,tai20b,tho30"


# What algorithms after the first get at least, in seconds.
LEAST_SECONDS = 1.0


class NotMeasured(Exception):
    """Something that was asked for cannot be measured."""


@dataclass(frozen=True)
class Instance:
    """A problem and what is known of it."""

    name: str
    path: Path
    size: int
    best_known: int


@dataclass(frozen=True)
class Outcome:
    """What one search reached."""

    cost: float
    seconds: float

    def gap(self, instance: Instance) -> float:
        """Per cent above the best known cost."""
        if instance.best_known == 0:
            return 0.0 if self.cost == 0 else float("inf")
        return (self.cost / instance.best_known - 1) * 100


def _numbers(path: Path) -> list[int]:
    return [int(word) for word in re.split(r"[\s,]+", path.read_text()) if word]


def _cost(numbers: list[int], permutation: list[int], exchanged: bool) -> int:
    size = numbers[0]
    first, second = numbers[1 : 1 + size * size], numbers[1 + size * size : 1 + 2 * size * size]
    if exchanged:
        first, second = second, first
    return sum(
        first[i * size + j] * second[permutation[i] * size + permutation[j]]
        for i in range(size)
        for j in range(size)
        if first[i * size + j]
    )


def _best_known(name: str, problem: Path) -> int:
    if name in PUBLISHED:
        return PUBLISHED[name]
    solution = _numbers(problem.with_suffix(".sln"))
    size, stated, permutation = solution[0], solution[1], [value - 1 for value in solution[2:]]
    numbers = _numbers(problem)
    if len(permutation) == size and sorted(permutation) == list(range(size)):
        costs = {_cost(numbers, permutation, exchanged) for exchanged in (False, True)}
        if stated not in costs:
            print(f"  {name}: its solution states {stated}, but costs {sorted(costs)}", file=sys.stderr)
    return stated


def fetch() -> Path:
    """The folder with the instances, fetched and unpacked if it is not there."""
    found = sorted(FOLDER.rglob("nug12.dat"))
    if not found:
        FOLDER.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", PACKAGE], cwd=FOLDER, check=True, capture_output=True, timeout=300)
            archive = next(FOLDER.glob("*.deb"))
            subprocess.run(["dpkg-deb", "-x", str(archive), str(FOLDER)], check=True, timeout=60)
        except (OSError, StopIteration, subprocess.SubprocessError) as error:
            raise NotMeasured(f"cannot fetch Debian's {PACKAGE} ({error}); name its folder with --qaplib") from error
        found = sorted(FOLDER.rglob("nug12.dat"))
    if not found:
        raise NotMeasured(f"{PACKAGE} has no instances any more; name a folder with --qaplib")
    return found[0].parent


def _instances(folder: Path, wanted: list[str]) -> list[Instance]:
    paths = {path.stem: path for path in sorted(folder.glob("*.dat"))}
    missing = [name for name in wanted if name not in paths]
    if missing or not paths:
        raise NotMeasured(f"{folder} has no {', '.join(missing) or 'instances'}")
    chosen = wanted or list(paths)
    return [
        Instance(name, paths[name], int(paths[name].read_text().split(None, 1)[0]), _best_known(name, paths[name]))
        for name in chosen
    ]


def _search(pamir: Path, instance: Instance, algorithm: str, seconds: float, seed: int, cpu: int | None) -> Outcome | None:
    """Runs a search; none where the algorithm does not take such a problem."""
    command = [*(["taskset", "-c", str(cpu)] if cpu is not None else []), str(pamir), "place", "--qaplib", str(instance.path), "--algorithm", algorithm,
               "--time", str(seconds), "--cpu-time", "--seed", str(seed), "--target", str(instance.best_known)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 20 + 60)
    found = re.search(r"^cost after +(\S+)$", done.stdout, re.MULTILINE)
    if not found:
        if "the algorithm" in done.stderr:
            return None
        raise NotMeasured(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    taken = re.search(r"^search .* in ([0-9.]+) s$", done.stdout, re.MULTILINE)
    return Outcome(float(found[1]), float(taken[1]) if taken else seconds)


def _summary(algorithm: str, results: dict[str, dict[str, Outcome]], instances: list[Instance]) -> str:
    gaps = [results[instance.name][algorithm].gap(instance) for instance in instances if algorithm in results[instance.name]]
    reached = sum(gap <= 0 for gap in gaps)
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    return f"{algorithm}: best known cost in {reached} of {len(gaps)}, mean gap {mean:.3f} %, largest {max(gaps, default=0):.3f} %"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench placement", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="time of each search (default 60)")
    parser.add_argument("--instances", default="", metavar="LIST", help="names, such as nug30,tai40a (default: all)")
    parser.add_argument("--quick", action="store_true", help="small instances, 5 seconds each")
    parser.add_argument("--algorithms", default="memetic,tabu,document", metavar="LIST", help="default: memetic,tabu,document")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int, help="the processor to bind searches to (default: any)")
    parser.add_argument("--qaplib", type=Path, metavar="DIR", help="a folder with .dat and .sln files")
    parser.add_argument("--pamir", type=Path, default=ROOT / "target" / "pamir" / "bin" / "pamir", help="the command (default: target/pamir/bin/pamir)")
    parser.add_argument("--check", action="store_true", help="fail unless the first algorithm reaches every best known cost")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the figures")
    trees.add_options(parser)
    runs.add_options(parser)
    return parser


def _measure(options: argparse.Namespace) -> bool:
    """Whether what --check asks for holds."""
    if not options.pamir.is_file():
        raise NotMeasured(f"{options.pamir} is missing: scripts/install --prefix target/pamir, or --pamir FILE")
    if options.sparse or options.runs:
        (trees if options.sparse else runs).measure(options)
        return True
    names = [name for name in (options.instances or (SMALL if options.quick else "")).split(",") if name]
    instances = _instances(options.qaplib or fetch(), names)
    seconds = min(options.seconds, 5) if options.quick else options.seconds
    algorithms = options.algorithms.split(",")
    results: dict[str, dict[str, Outcome]] = {instance.name: {} for instance in instances}
    lines = ["instance,size,best_known,algorithm,cost,gap_percent,seconds"]
    print(f"{'instance':<10}{'size':>5}{'best known':>12}" + "".join(f"{name:>26}" for name in algorithms))
    for instance in instances:
        shown = f"{instance.name:<10}{instance.size:>5}{instance.best_known:>12}"
        limit = seconds
        for algorithm in algorithms:
            outcome = _search(options.pamir, instance, algorithm, limit, options.seed, options.cpu)
            limit = min(limit, max(LEAST_SECONDS, outcome.seconds)) if outcome and limit == seconds else limit
            if outcome is None:
                shown += f"{'-':>26}"
                continue
            results[instance.name][algorithm] = outcome
            gap = outcome.gap(instance)
            shown += f"{outcome.cost:>13.0f}{gap:>7.3f}%{outcome.seconds:>4.0f}s"
            lines.append(f"{instance.name},{instance.size},{instance.best_known},{algorithm},{outcome.cost:.0f},{gap:.4f},{outcome.seconds:.2f}")
        print(shown, flush=True)
        if options.csv:
            whole_file.write_text(options.csv, "\n".join(lines) + "\n")
    for algorithm in algorithms:
        print(_summary(algorithm, results, instances))
    if not options.check:
        return True
    first = [results[instance.name].get(algorithms[0]) for instance in instances]
    reached = sum(outcome is not None and outcome.gap(instance) <= 0 for outcome, instance in zip(first, instances, strict=True))
    print(f"{reached} passed, {len(instances) - reached} failed")
    return reached == len(instances)


def main(arguments: list[str]) -> int:
    """Runs scripts/bench placement; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        holds = _measure(options)
    except (NotMeasured, runs.Failed, trees.NotThere) as error:
        print(f"scripts/bench placement: {error}", file=sys.stderr)
        return 1
    return 0 if holds else 1
