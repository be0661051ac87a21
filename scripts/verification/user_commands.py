#!/usr/bin/env python3
"""Runs the commands of the users' chapters that are marked to be run.

In docs/user, a block that begins with ```sh run holds commands that work on every machine, with the
installation's bin in PATH. Each block is one script and must end with 0. A block that begins with ```c NAME.c
or ```fortran NAME.f90 is a program, which lies in the directory in which the commands of its page run, one block after the other.
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
PROGRAM = re.compile(r"^```(?:c|fortran) (\w+\.(?:c|f90))\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """The scripts of a page, each with the line on which its commands begin."""
    return [(text.count("\n", 0, found.start(1)) + 1, found.group(1)) for found in BLOCK.finditer(text)]


def programs(text):
    """The programs of a page: name and text."""
    return PROGRAM.findall(text)


def run(script, directory, prefix, seconds):
    """Runs a script; returns what went wrong, if anything did."""
    path = f"{prefix / 'bin'}:{os.environ['PATH']}"
    with subprocess.Popen(
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


def run_page(text, prefix, seconds):
    """Runs the scripts of a page; gives the line of each, and what went wrong, if anything did."""
    with tempfile.TemporaryDirectory() as directory:
        for name, program in programs(text):
            Path(directory, name).write_text(program, encoding="utf-8")
        for line, script in blocks(text):
            yield line, run(script, directory, prefix, seconds)


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
        for line, problem in run_page(page.read_text(encoding="utf-8"), prefix, arguments.seconds):
            if problem:
                print(f"FAILED {page.relative_to(ROOT)}:{line}: {problem}")
            failed += bool(problem)
            passed += not problem
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
