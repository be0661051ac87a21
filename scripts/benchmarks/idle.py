"""idle: what the launcher does for programs that know nothing of balancing.

Ranks of `uneven` have 3, 1, 1 and 1 parts of work on two cores. Dealt out in turn, one core has twice
as much as the other; the ideal seats leave each core three parts. `--balance` has to find them:
`settled` is a cycle of the second half of the run.

Then two ranks of 2 and 1 parts: a quarter of both cores is idle, and a second program that counts
its processor time gets it (`--fill-idle`): `idle_share` is how much of that time it ran.

No other library takes part: what is measured are options of Pamir's launcher.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from .benchmark import Benchmark, Job, Options, Sample, samples_in
from .compilation import program
from .libraries import Library
from .processes import CommandFailed, Finished, run

CYCLES, QUICK_CYCLES = 40, 20
# Millions of steps of one part: some 20 ms.
PART = "15"
# Counts its own processor time, for as long as it may run, in a file.
SECOND = (
    "import sys, time\n"
    "while True:\n"
    "    for _ in range(50000): pass\n"
    "    with open(sys.argv[1], 'w') as file: file.write(str(time.process_time()))\n"
)
SEATS = {"in turn": (0, 1, 0, 1), "ideal seats": (0, 1, 1, 1)}


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
        return samples_in(_uneven(library, options, len(seats), more, "3,1,1,1"))


def _filled(library: Library, options: Options) -> list[Sample]:
    """Two ranks beside a second program."""
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder) / "seconds"
        second = shlex.join([sys.executable, "-c", SECOND, str(counted)])
        samples = samples_in(_uneven(library, options, 2, ["--fill-idle", f"exec {second}"], "2,1"))
        try:
            seconds = float(counted.read_text())
        except (OSError, ValueError) as error:
            raise CommandFailed(f"the second program has not run: {error}") from error
    cycle_ms = next(sample.value for sample in samples if sample.metric == "cycle")
    # The rank with two parts computes all the time, the other one half of it.
    idle_ms = 0.5 * cycle_ms * _cycles(options)
    return [*samples, Sample("idle_share", 0, "%", 100.0 * seconds * 1e3 / idle_ms)]


def _jobs(options: Options) -> list[Job]:
    def seated(seats: tuple[int, ...]):
        return lambda library: _seated(library, options, seats)

    def balanced(library: Library) -> list[Sample]:
        return samples_in(_uneven(library, options, 4, ["--balance"], "3,1,1,1"))

    def alone(library: Library) -> list[Sample]:
        return samples_in(_uneven(library, options, 2, [], "2,1"))

    def filled(library: Library) -> list[Sample]:
        return _filled(library, options)

    jobs = [Job(title, 4, seated(seats)) for title, seats in SEATS.items()]
    return [*jobs, Job("balance", 4, balanced), Job("alone", 2, alone), Job("filled", 2, filled)]


BENCHMARK = Benchmark(
    name="idle",
    summary="uneven ranks on two cores, seated in turn, ideally, and by --balance; a second program in "
    "the time that one of two ranks waits, --fill-idle (Pamir alone)",
    jobs=_jobs,
    sources=("uneven",),
    notes=(
        "settled: a cycle of the second half of the run; processor: of all ranks in a cycle",
        "idle_share: how much of the time that a core was idle the second program ran",
    ),
    own_only=True,
)
