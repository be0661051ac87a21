"""Packages from elsewhere have licences that are allowed, and come in one version.

packages.toml says which licences, and which packages come in several versions: that table only
shrinks. Looked at is what is built on this machine, for loom models too.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, metadata

TABLE = Path(__file__).with_name("packages.toml")
WORD = re.compile(r"\(|\)|/|[^\s()/]+")


def check(_update: bool) -> Iterator[str]:
    """One line for each package that breaks a rule."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    packages = built()
    for (name, version), licence in sorted(packages.items()):
        if not licence:
            yield f"{name} {version} does not say its licence"
        elif not is_allowed(licence, set(table["licences"])):
            yield f"{name} {version}: {TABLE.name} does not allow the licence {licence}"
    versions = Counter(name for name, _ in packages)
    for name in sorted(set(versions) | set(table["duplicates"])):
        found, expected = versions[name], table["duplicates"].get(name, 1)
        if found > expected:
            yield f"{name} is built in {found} versions, see `cargo tree --duplicates`"
        elif found < expected:
            yield f"{TABLE.relative_to(ROOT)}: {name} = {expected} is {found} by now: say so"


def built() -> dict[tuple[str, str], str | None]:
    """The packages that this machine builds: name and version, and the licence."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = re.search(r"^host: (.*)$", said, re.MULTILINE).group(1)
    packages = {}
    for flags in ("", "--cfg loom"):
        environment = {**os.environ, "RUSTFLAGS": flags}
        found = metadata("--filter-platform", host, environment=environment)
        nodes = {node["id"] for node in found["resolve"]["nodes"]}
        for package in found["packages"]:
            if package["id"] in nodes:
                packages[package["name"], package["version"]] = package["license"]
    return packages


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met by `allowed` licences; `/` is an old OR."""
    words = WORD.findall(expression)

    def either() -> bool:
        value = both()
        while words and words[0] in ("OR", "/"):
            words.pop(0)
            value = both() or value
        return value

    def both() -> bool:
        value = one()
        while words and words[0] == "AND":
            words.pop(0)
            value = one() and value
        return value

    def one() -> bool:
        word = words.pop(0) if words else ""
        if word == "(":
            value = either()
            return bool(words) and words.pop(0) == ")" and value
        if words and words[0] == "WITH":
            del words[0]
            word = f"{word} WITH {words.pop(0) if words else ''}"
        return word in allowed

    return either() and not words
