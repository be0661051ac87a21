#!/usr/bin/env python3
"""Runs the commands of the users' chapters that are marked to be run.

In docs/user, a block that begins with ```sh run holds commands that work on every machine, in a
directory of their own, with the installation's bin in PATH. Each block is one script and must end
with 0.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```sh run\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """The scripts of a page, each with the line on which its commands begin."""
    return [(text.count("\n", 0, found.start(1)) + 1, found.group(1)) for found in BLOCK.finditer(text)]


def run(script, prefix, seconds):
    """Runs a script; returns what went wrong, if anything did."""
    path = f"{prefix / 'bin'}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as directory, subprocess.Popen(
        ["sh", "-e", "-c", script], cwd=directory, env={**os.environ, "PATH": path}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return f"ended after {seconds} s\n{output}"
    return f"exit code {process.returncode}\n{output}" if process.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "pamir",
                        help="the installation (default: target/pamir)")
    parser.add_argument("--seconds", type=int, default=60, help="limit for a block (60)")
    arguments = parser.parse_args()
    prefix = arguments.prefix.resolve()
    if not (prefix / "bin" / "mpiexec").exists():
        parser.error(f"there is no installation in {prefix}")
    passed = failed = 0
    for page in sorted((ROOT / "docs" / "user").glob("*.md")):
        for line, script in blocks(page.read_text(encoding="utf-8")):
            problem = run(script, prefix, arguments.seconds)
            if problem:
                print(f"FAILED {page.relative_to(ROOT)}:{line}: {problem}")
            failed += bool(problem)
            passed += not problem
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
