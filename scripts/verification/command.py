"""The command line of scripts/verify.

Step before: scripts/verify. Step after: one module a code, each with `TITLE`,
`RANKS` and `verify(workshop, options)`, which gives the number of failures.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from . import abi, hpcc, mpi4py
from .workshop import ROOT, Failed, Workshop, relative

CODES = {"hpcc": hpcc, "mpi4py": mpi4py, "abi": abi}
INSTALL_SECONDS = 3600.0

DESCRIPTION = """\
Runs real MPI codes, written elsewhere, on Pamir, and checks what they say of their results.

Everything is fetched by package name (apt-get, pip) into target/verification/NAME, where the
logs are too. Nothing is installed into the system.
"""


def main() -> int:
    """Reads the arguments, runs what they name; gives the exit code."""
    titles = "\n".join(f"  {name:8} {code.TITLE}" for name, code in CODES.items())
    parser = argparse.ArgumentParser(
        prog="scripts/verify",
        description=DESCRIPTION,
        epilog=f"codes:\n{titles}\n\nThe exit code is 0 if everything passed, 1 if not.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=[*CODES, "all"], help="which code")
    parser.add_argument("--prefix", type=Path, metavar="DIR",
                        help="an installation of Pamir (default: builds it and installs it into "
                             "target/pamir)")
    parser.add_argument("--ranks", type=numbers, metavar="N,N",
                        help="numbers of ranks (each code has its own defaults)")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS",
                        help="how long one run may take (default: 600)")
    parser.add_argument("--peer", action="store_true",
                        help="hpcc: also on MPICH from the Python package index, to compare")
    parser.add_argument("--size", type=int, default=1000, metavar="N",
                        help="hpcc: unknowns of the linear system (default: 1000)")
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[],
                        help="mpi4py, abi: only files with PATTERN in their name (can be given again)")
    parser.add_argument("-v", "--verbose", action="store_true", help="show everything as it comes")
    options = parser.parse_args()

    failures = 0
    try:
        prefix = options.prefix.resolve() if options.prefix else installation(options.verbose)
        for name in CODES if options.name == "all" else [options.name]:
            failures += verify(name, prefix, options)
    except Failed as failed:
        print(failed)
        return 1
    return 1 if failures else 0


def numbers(text: str) -> list[int]:
    """`2,4` as a list of numbers of ranks."""
    found = [int(word) for word in text.split(",")]
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError("numbers of ranks are at least 1")
    return found


def installation(verbose: bool) -> Path:
    """Builds and installs what has changed."""
    prefix = ROOT / "target" / "pamir"
    workshop = Workshop("install", prefix, verbose)
    workshop.say(f"building Pamir and installing it into {relative(prefix)}")
    workshop.run("install", ["scripts/install", "--prefix", prefix], seconds=INSTALL_SECONDS)
    return prefix


def verify(name: str, prefix: Path, options) -> int:
    """Verifies one code; gives the number of failures."""
    start = time.monotonic()
    workshop = Workshop(name, prefix, options.verbose)
    if not workshop.compiler.exists():
        raise Failed(f"{prefix} has no bin/mpicc: give --prefix an installation of Pamir")
    workshop.say(CODES[name].TITLE)
    failures = CODES[name].verify(workshop, options)
    seconds = time.monotonic() - start
    verdict = "passed" if failures == 0 else f"FAILED: {failures}"
    workshop.say(f"{verdict} ({seconds:.0f} s; logs in {relative(workshop.logs)})")
    return failures
