"""idle: what the launcher does for programs that know nothing of balancing.

Ranks of `uneven` have 3, 1, 1 and 1 parts of work on two cores. As ranks are dealt out, one core has twice
as much as the other; the ideal seats leave each core three parts. `--balance` has to find them:
`settled` is a cycle of the second half of the run, and `even_after` the first cycle from whose end
on the cores' load balance was at least 0.95. Nothing to balance (1, 1, 1, 1) is run with and without.

Then two ranks of 2 and 1 parts: a quarter of both cores is idle, and a second program that counts
its processor time gets it (`--fill-idle`): `idle_share` is how much of that time it ran. It is kept
out of the way as the launcher chooses (`--fill-by auto`), by the scheduler's idle class alone, and by
stopping it but for the gaps that the last cycles let expect: three runs, `filled`, `filled_class` and
`filled_gaps`.

Last a barrier of two ranks that announces itself to all ranks, and one that does not.

No other library takes part: what is measured are options of Pamir's launcher.
"""

from __future__ import annotations

import shlex
import struct
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from ..libraries.compilation import program
from ..libraries.table import Library
from ..measuring.benchmark import Benchmark, Job, Options, Sample, cpu_environment, samples_in
from ..measuring.row import Row
from ..processes import CommandFailed, Finished, run

CYCLES, QUICK_CYCLES = 40, 20
# Millions of steps of one part: some 20 ms.
PART = "15"
UNEVEN, EVEN, TWO = "3,1,1,1", "1,1,1,1", "2,1"
ENOUGH = 0.95
# Counts its own processor time, for as long as it may run, in a file that it has mapped: it is
# stopped and killed at any moment, and must never wait for a disk.
SECOND = (
    "import mmap, sys, time\n"
    "with open(sys.argv[1], 'r+b') as file: seconds = memoryview(mmap.mmap(file.fileno(), 8)).cast('d')\n"
    "while True:\n"
    "    for _ in range(5000): pass\n"
    "    seconds[0] = time.process_time()\n"
)
# How the second program is kept out of the ranks' way, and what the runs are called.
FILLED = {"auto": "filled", "class": "filled_class", "gaps": "filled_gaps"}
SEATS = {"in_turn": (0, 1, 0, 1), "ideal_seats": (0, 1, 1, 1)}


def _cycles(options: Options) -> int:
    return QUICK_CYCLES if options.quick else CYCLES


def _uneven(library: Library, options: Options, ranks: int, more: list[str], work: str) -> Finished:
    cpus = ",".join(map(str, options.cpus[:2]))
    launcher = str(library.prefix / "bin" / "mpiexec")
    command = ["taskset", "-c", cpus, launcher, "-n", str(ranks), *more]
    command += [str(program("uneven", library)), str(_cycles(options)), PART, work]
    return run(command, seconds=options.seconds)


def _seated(library: Library, options: Options, seats: tuple[int, ...]) -> list[Sample]:
    """Ranks that keep to these of the two cores."""
    with tempfile.TemporaryDirectory() as folder:
        mapping = Path(folder) / "mapping"
        lines = [f"{rank} {options.cpus[seat]}" for rank, seat in enumerate(seats)]
        mapping.write_text("\n".join(["# pamir mapping 1", *lines, ""]))
        more = ["--map-by", f"file:{mapping}"]
        return samples_in(_uneven(library, options, len(seats), more, UNEVEN))


def _balances(record: Path) -> list[float]:
    """The cores' load balance of each recorded cycle."""
    cores: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in record.read_text().splitlines():
        words = line.split()
        if words[:1] == ["call"]:
            # One that roams is a core by itself.
            place = words[3] if words[3] != "-" else f"rank {words[2]}"
            cores[int(words[1])][place] += int(words[6])
    balances = []
    for cycle in sorted(cores):
        # With both cores: one may have had nothing to do.
        times = [*cores[cycle].values(), 0][:2]
        balances.append(sum(times) / len(times) / max(*times, 1))
    return balances


def _balanced(library: Library, options: Options, work: str) -> list[Sample]:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "cycles"
        more = ["--balance", "--balance-record", str(record)]
        samples = samples_in(_uneven(library, options, 4, more, work))
        balances = _balances(record)
    even = [balance >= ENOUGH for balance in balances]
    after = next((cycle for cycle in range(len(even)) if all(even[cycle:])), len(even))
    return [*samples, Sample("even_after", 0, "cycles", float(after))]


def _filled(library: Library, options: Options, way: str) -> list[Sample]:
    """Two ranks beside a second program, kept out of theirs in that way."""
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder) / "seconds"
        counted.write_bytes(bytes(8))
        second = shlex.join([sys.executable, "-c", SECOND, str(counted)])
        more = ["--fill-by", way, "--fill-idle", f"exec {second}"]
        samples = samples_in(_uneven(library, options, 2, more, TWO))
        (seconds,) = struct.unpack("d", counted.read_bytes())
    if seconds == 0:
        raise CommandFailed("the second program has not run")
    cycle_ms = next(sample.value for sample in samples if sample.metric == "cycle")
    # The rank with two parts computes all the time, the other one half of it.
    idle_ms = 0.5 * cycle_ms * _cycles(options)
    return [*samples, Sample("idle_share", 0, "%", 100.0 * seconds * 1e3 / idle_ms)]


def _barrier(library: Library, options: Options, announced: str) -> list[Sample]:
    command = library.command(2, options.cpus, [str(program("collectives", library)), "barrier", "8", options.repetitions, options.milliseconds])
    settings = library.settings(2, options.cpus) | cpu_environment(options.cpus) | {"PAMIR_BALANCE": announced}
    return samples_in(run(command, seconds=options.seconds, environment=settings))


def _jobs(options: Options) -> list[Job]:
    def seated(seats: tuple[int, ...]) -> Callable[[Library], list[Sample]]:
        return lambda library: _seated(library, options, seats)

    def filled(way: str) -> Callable[[Library], list[Sample]]:
        return lambda library: _filled(library, options, way)

    work: dict[str, tuple[int, Callable[[Library], list[Sample]]]] = {
        **{name: (4, seated(seats)) for name, seats in SEATS.items()},
        "balance": (4, lambda library: _balanced(library, options, UNEVEN)),
        "even": (4, lambda library: samples_in(_uneven(library, options, 4, [], EVEN))),
        "even_balance": (4, lambda library: _balanced(library, options, EVEN)),
        "alone": (2, lambda library: samples_in(_uneven(library, options, 2, [], TWO))),
        **{name: (2, filled(way)) for way, name in FILLED.items()},
        "silent": (2, lambda library: _barrier(library, options, "off")),
        "announced": (2, lambda library: _barrier(library, options, "barrier")),
    }

    def named(name: str, run_with: Callable[[Library], list[Sample]]) -> Callable[[Library], list[Sample]]:
        return lambda library: [
            Sample(f"{name}_{sample.metric}", sample.bytes, sample.unit, sample.value) for sample in run_with(library)
        ]

    return [Job(name, ranks, named(name, run_with)) for name, (ranks, run_with) in work.items()]


def _conclusions(rows: list[Row], own: list[str], _peers: list[str]) -> list[str]:
    """The figures that matter, beside what they are to be compared with."""
    found = {row.key.metric: row.figures[own[0]].median for row in rows if own and own[0] in row.figures}
    lines = []
    if {"in_turn_settled", "ideal_seats_settled", "balance_settled", "balance_even_after"} <= found.keys():
        ideal, balanced = found["ideal_seats_settled"], found["balance_settled"]
        lines.append(
            f"--balance: {100 * ideal / balanced:.1f} % of the speed of ideal seats (in turn "
            f"{100 * ideal / found['in_turn_settled']:.1f} %), load balance {ENOUGH} after "
            f"{found['balance_even_after']:.0f} cycles"
        )
    if {"even_cycle", "even_balance_cycle"} <= found.keys():
        lines.append(f"nothing to balance: --balance costs {100 * (found['even_balance_cycle'] / found['even_cycle'] - 1):+.2f} %")
    for way, name in FILLED.items():
        if {"alone_cycle", f"{name}_cycle", f"{name}_idle_share"} <= found.keys():
            lines.append(
                f"--fill-idle, --fill-by {way}: {found[f'{name}_idle_share']:.1f} % of the idle time, at "
                f"{100 * (found[f'{name}_cycle'] / found['alone_cycle'] - 1):+.2f} % to the ranks"
            )
    if {"silent_barrier", "announced_barrier"} <= found.keys():
        lines.append(f"announcing a barrier of two ranks: {found['announced_barrier'] - found['silent_barrier']:+.3f} us")
    return lines


BENCHMARK = Benchmark(
    name="idle",
    summary="uneven ranks on two cores, seated in turn, ideally, and by --balance; a second program in "
    "the time that one of two ranks waits, --fill-idle; a barrier that announces itself (Pamir alone)",
    jobs=_jobs,
    sources=("uneven", "collectives"),
    notes=(
        "settled: a cycle of the second half of the run; processor: of all ranks in a cycle",
        "even_after: the cycle from whose end on the cores' load balance is 0.95 or more",
        "idle_share: how much of the time that a core was idle the second program ran",
    ),
    own_only=True,
    conclusions=_conclusions,
)
