"""placement --runs: two programs in the default order and as they are placed.

`groups`: eight ranks in two groups that talk much among themselves; profiled, placed, run by the mapping.
`halo`: eight ranks exchange borders on a grid that MPI_Cart_create makes without and with reordering. Both
orders run in turn; what is told is the median of the times that the programs measure, and the bytes that
the profile has between ranks on different cores.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..libraries.table import ROOT

RANKS = 8
PROGRAMS = ROOT / "tests" / "programs"
CORES = Path("/sys/devices/system/cpu")


class Failed(Exception):
    """A program cannot be compiled or run."""


@dataclass(frozen=True)
class Order:
    """A way to run a program."""

    program: str
    name: str
    options: list[str]
    arguments: list[str]
    portion: str


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def _core(unit: int) -> str:
    """The hardware threads of a unit's core, which are the same for all of them."""
    path = CORES / f"cpu{unit}" / "topology" / "thread_siblings_list"
    return path.read_text().strip() if path.exists() else str(unit)


def _sent(profile: str, portion: str) -> dict[tuple[int, int], int]:
    """Bytes by pair in a portion of a profile."""
    current, bytes_by_pair = "run", {}
    for line in profile.splitlines():
        if line.startswith("portion "):
            current = line.removeprefix("portion ")
        elif (words := re.fullmatch(r"(\d+) (\d+) (\d+) (\d+)", line)) and current == portion:
            pair = int(words[1]), int(words[2])
            bytes_by_pair[pair] = bytes_by_pair.get(pair, 0) + int(words[4])
    return bytes_by_pair


def _across(bin_folder: Path, folder: Path, order: Order, rounds: int) -> tuple[int, int]:
    """Bytes between cores, and all bytes."""
    profile = folder / "profile"
    output = _run([str(bin_folder / "mpiexec"), "-n", str(RANKS), "--profile-comm", str(profile), *order.options,
                   str(folder / order.program), *order.arguments, str(rounds)])  # fmt: skip
    core = {int(rank): _core(int(unit)) for rank, unit in re.findall(r"^rank (\d+) unit (\d+)$", output, re.MULTILINE)}
    sent = _sent(profile.read_text(), order.portion)
    return sum(count for (one, other), count in sent.items() if core[one] != core[other]), sum(sent.values())


def _seconds(bin_folder: Path, folder: Path, order: Order, rounds: int) -> float:
    command = [str(bin_folder / "mpiexec"), "-n", str(RANKS), *order.options, str(folder / order.program), *order.arguments, str(rounds)]
    found = re.search(r"^time ([0-9.]+) s$", _run(command), re.MULTILINE)
    if not found:
        raise Failed(f"{order.program} printed no time")
    return float(found[1])


def _orders(bin_folder: Path, folder: Path) -> list[list[Order]]:
    """Pairs of orders, the default one first; makes the mapping of the groups."""
    profile, mapping = folder / "groups.comm", folder / "groups.map"
    _run([str(bin_folder / "mpiexec"), "-n", str(RANKS), "--profile-comm", str(profile), str(folder / "groups"), "20"])
    _run([str(bin_folder / "pamir"), "place", str(profile), "--steps", "20000", "--output", str(mapping)])
    placed = ["--map-by", f"file:{mapping}"]
    return [
        [Order("groups", "default", [], [], "run"), Order("groups", "mapping", placed, [], "run")],
        [Order("halo", "default", [], ["0"], "level 3"), Order("halo", "reorder", [], ["1"], "level 3")],
    ]


def measure(options: argparse.Namespace) -> None:
    """Prints a line for each program and order."""
    bin_folder = options.pamir.parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in ("groups", "halo"):
            _run([str(bin_folder / "mpicc"), "-O2", str(PROGRAMS / f"{program}.c"), "-o", str(folder / program)])
        print(f"{'program':<10}{'order':<10}{'bytes across cores':>20}{'of all':>9}{'median time':>14}")
        for pair in _orders(bin_folder, folder):
            times: list[list[float]] = [[] for _ in pair]
            for _ in range(options.repeat):
                for taken, order in zip(times, pair, strict=True):
                    taken.append(_seconds(bin_folder, folder, order, options.rounds))
            for taken, order in zip(times, pair, strict=True):
                across, everything = _across(bin_folder, folder, order, 20)
                share = across / everything * 100
                print(f"{order.program:<10}{order.name:<10}{across:>20}{share:>8.1f}%{statistics.median(taken) * 1e3:>11.2f} ms")
            gain = (1 - statistics.median(times[1]) / statistics.median(times[0])) * 100
            print(f"{'':<10}time improved by {gain:.1f} %")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of --runs."""
    group = parser.add_argument_group("real runs", __doc__)
    group.add_argument("--runs", action="store_true", help="measure these instead of QAPLIB")
    group.add_argument("--rounds", type=int, default=2000, help="of messages in each run (default 2000)")
    group.add_argument("--repeat", type=int, default=7, help="runs of each order (default 7)")
