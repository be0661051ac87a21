"""The table of libraries: adding a peer is adding an entry.

An entry says how the library is installed (which packages, into which prefix),
how a program is compiled for it, how N ranks are started, and with which
environment. Nothing else in the runner knows any library by name.

Launch commands are templates; `{prefix}`, `{ranks}` and `{cpus}` (the list of
processors, "0,1") are filled in. Binding is asked of the launcher when there
are at most as many ranks as processors; with more, the launcher is told not to
bind and all ranks share the processors.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / "target" / "bench"
PEERS = WORK / "peers"
PAMIR_PREFIX = ROOT / "target" / "pamir"

OVERSUBSCRIBED = frozenset({"oversubscribed"})
"""Benchmarks for which the settings made for more ranks than processors are worth a column."""

OVERLAP = frozenset({"overlap"})
"""Benchmarks for which the settings with threads that move transfers on are worth a column."""

LARGE = frozenset({"point-to-point", "collectives", "overlap"})
"""Benchmarks for which large buffers that peers can map are worth a column."""


@dataclass(frozen=True)
class Library:
    """One column of the tables: a library in one setting."""

    name: str
    """Short, as it stands in tables, CSV and --libraries."""
    title: str
    """Long, for the list in --help."""
    prefix: Path
    """Where it is installed; several entries may share one."""
    packages: tuple[str, ...] = ()
    """Packages of the Python package index that are installed into the prefix."""
    marker: str = "include/mpi.h"
    """A file below the prefix that is there once it is installed."""
    compile: tuple[str, ...] = ("cc", "-I{prefix}/include", "{prefix}/lib/libmpi.so", "-Wl,-rpath,{prefix}/lib")
    """Compiler and what the library needs; source, optimisation and output are added."""
    launch: tuple[str, ...] = ()
    """Launcher and its options, for any number of ranks."""
    bound: tuple[str, ...] = ()
    """More launcher options with at most as many ranks as processors."""
    unbound: tuple[str, ...] = ()
    """More launcher options with more ranks than processors."""
    environment: dict[str, str] = field(default_factory=dict)
    bound_environment: dict[str, str] = field(default_factory=dict)
    unbound_environment: dict[str, str] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    """Names of the benchmarks it takes part in; empty: all."""
    peer: bool = True

    def installed(self) -> bool:
        return (self.prefix / self.marker).exists()

    def command(self, ranks: int, cpus: list[int], program: list[str]) -> list[str]:
        """The command that starts `ranks` ranks of `program`."""
        options = self.bound if ranks <= len(cpus) else self.unbound
        return [self._filled(part, ranks, cpus) for part in self.launch + options] + program

    def settings(self, ranks: int, cpus: list[int]) -> dict[str, str]:
        """The environment for that command."""
        chosen = self.environment | (
            self.bound_environment if ranks <= len(cpus) else self.unbound_environment
        )
        return {name: self._filled(value, ranks, cpus) for name, value in chosen.items()}

    def compiler(self) -> list[str]:
        return [self._filled(part, 0, []) for part in self.compile]

    def _filled(self, template: str, ranks: int, cpus: list[int]) -> str:
        return template.format(
            prefix=self.prefix, ranks=ranks, cpus=",".join(map(str, cpus)), root=ROOT
        )


_OPENMPI_LAUNCH = (
    "{prefix}/bin/mpirun",
    # Benchmarks run in containers too, where everything belongs to root.
    *(("--allow-run-as-root",) if os.geteuid() == 0 else ()),
    "-n",
    "{ranks}",
)
_OPENMPI = dict(
    prefix=PEERS / "openmpi",
    packages=("openmpi",),
    bound=("--bind-to", "core"),
    unbound=("--bind-to", "none", "--map-by", ":oversubscribe"),
)
# The names of UCX's transports are not in Open MPI's list of devices worth using it for;
# "any" takes it for shared memory alone.
_UCX = ("--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any",
        "--mca", "opal_common_ucx_devices", "any")  # fmt: skip

_INTEL = dict(
    prefix=PEERS / "impi",
    packages=("impi-rt", "impi-devel"),
    compile=("cc", "-I{prefix}/include", "{prefix}/lib/libmpi.so.12", "-Wl,-rpath,{prefix}/lib"),
    launch=("{prefix}/bin/mpiexec.hydra", "-n", "{ranks}"),
    bound_environment={"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": "{cpus}"},
    unbound_environment={"I_MPI_PIN": "0"},
)
_INTEL_ENVIRONMENT = {"I_MPI_ROOT": "{prefix}", "I_MPI_FABRICS": "shm"}

_MPICH = dict(
    prefix=PEERS / "mpich",
    packages=("mpich",),
    compile=("cc", "-I{prefix}/include", "{prefix}/lib/libmpi.so.12", "-Wl,-rpath,{prefix}/lib"),
    launch=("{prefix}/bin/mpiexec", "-n", "{ranks}"),
    bound=("-bind-to", "user:{cpus}"),
)

_PAMIR = dict(
    prefix=PAMIR_PREFIX,
    marker="bin/mpicc",
    compile=("{prefix}/bin/mpicc",),
    bound=("--bind-to", "core"),
    # What else runs is not looked at, as the other libraries do not.
    bound_environment={"PAMIR_CLAIMS": "off"},
    unbound_environment={"PAMIR_CLAIMS": "off"},
    peer=False,
)

LIBRARIES: tuple[Library, ...] = (
    Library(
        name="pamir",
        title="Pamir, from scripts/install --prefix target/pamir",
        launch=("{prefix}/bin/mpiexec", "-n", "{ranks}"),
        **_PAMIR,
    ),
    Library(
        name="pamir-heap",
        title="Pamir, with large allocations from memory that peers map",
        launch=("{prefix}/bin/mpiexec", "--shared-heap", "-n", "{ranks}"),
        only=LARGE,
        **_PAMIR,
    ),
    Library(
        name="pamir-engine",
        title="Pamir, with the engine on a thread of its own",
        launch=("{prefix}/bin/mpiexec", "-n", "{ranks}"),
        environment={"PAMIR_ENGINE": "thread"},
        only=OVERLAP,
        **_PAMIR,
    ),
    Library(
        name="mpich",
        title="MPICH (ch4)",
        **_MPICH,
    ),
    Library(
        name="openmpi",
        title="Open MPI, ob1 over shared memory",
        launch=(*_OPENMPI_LAUNCH, "--mca", "pml", "ob1", "--mca", "btl", "self,sm"),
        **_OPENMPI,
    ),
    Library(
        name="openmpi-ucx",
        title="Open MPI over UCX",
        launch=(*_OPENMPI_LAUNCH, *_UCX),
        **_OPENMPI,
    ),
    Library(
        name="impi",
        title="Intel MPI over shared memory",
        environment=_INTEL_ENVIRONMENT,
        **_INTEL,
    ),
    Library(
        name="mpich-progress",
        title="MPICH, with a progress thread (MPIR_CVAR_ASYNC_PROGRESS)",
        environment={"MPIR_CVAR_ASYNC_PROGRESS": "1"},
        only=OVERLAP,
        **_MPICH,
    ),
    Library(
        name="impi-progress",
        title="Intel MPI, with a progress thread (I_MPI_ASYNC_PROGRESS)",
        environment=_INTEL_ENVIRONMENT | {"I_MPI_ASYNC_PROGRESS": "1"},
        only=OVERLAP,
        **_INTEL,
    ),
    Library(
        name="openmpi-yield",
        title="Open MPI, told to yield when idle",
        launch=(*_OPENMPI_LAUNCH, "--mca", "pml", "ob1", "--mca", "btl", "self,sm",
                "--mca", "mpi_yield_when_idle", "1"),  # fmt: skip
        only=OVERSUBSCRIBED,
        **_OPENMPI,
    ),
    Library(
        name="openmpi-ucx-yield",
        title="Open MPI over UCX, told to yield when idle",
        launch=(*_OPENMPI_LAUNCH, *_UCX, "--mca", "mpi_yield_when_idle", "1"),
        only=OVERSUBSCRIBED,
        **_OPENMPI,
    ),
    Library(
        name="impi-yield",
        title="Intel MPI, yielding while it waits",
        environment=_INTEL_ENVIRONMENT | {"I_MPI_THREAD_YIELD": "2", "I_MPI_WAIT_MODE": "1"},
        only=OVERSUBSCRIBED,
        **_INTEL,
    ),
    Library(
        name="impi-sleep",
        title="Intel MPI, sleeping 10 us at a time while it waits",
        environment=_INTEL_ENVIRONMENT | {"I_MPI_THREAD_YIELD": "3", "I_MPI_THREAD_SLEEP": "10"},
        only=OVERSUBSCRIBED,
        **_INTEL,
    ),
    Library(
        name="mpich-yield",
        title="MPICH, its collectives made of messages, which yield (those in shared memory spin)",
        environment={
            f"MPIR_CVAR_{operation}_POSIX_INTRA_ALGORITHM": "mpir"
            for operation in ("BARRIER", "ALLREDUCE", "BCAST", "REDUCE")
        },
        only=OVERSUBSCRIBED,
        **_MPICH,
    ),
    Library(
        name="mpich-sleep",
        title="MPICH, sleeping while it waits (MPIR_CVAR_ENABLE_HEAVY_YIELD)",
        environment={"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"},
        only=OVERSUBSCRIBED,
        **_MPICH,
    ),
)


def named(names: list[str]) -> list[Library]:
    """The entries with these names; raises KeyError with the first that is not there."""
    known = {library.name: library for library in LIBRARIES}
    return [known[name] for name in names]
