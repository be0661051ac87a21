"""Each declared dependency is used.

One of a crate is named in the crate's sources: a build dependency in the build script and its
modules, any other in the rest. One of the workspace is inherited by a crate.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, metadata, rust_code

# Dependencies that are there for something else than to be named, and what that is.
UNNAMED: dict[tuple[str, str], str] = {}


def check(_update: bool) -> Iterator[str]:
    """One line for each dependency that nothing uses."""
    packages = metadata("--no-deps")["packages"]
    libraries = {package["name"]: library(package) for package in packages}
    inherited = set()
    for package in packages:
        folder = str(Path(package["manifest_path"]).parent.relative_to(ROOT)) + "/"
        built, rest = sources(folder)
        # A library's sources may be another folder's, where several crates have the same.
        for target in package["targets"]:
            shared = Path(target["src_path"]).resolve().parent
            if not shared.is_relative_to(ROOT / folder):
                rest += sources(str(shared.relative_to(ROOT)) + "/")[1]
        for dependency in package["dependencies"]:
            name = dependency["name"]
            inherited.add(name)
            crate = dependency["rename"] or libraries.get(name, name)
            text = built if dependency["kind"] == "build" else rest
            word = re.compile(rf"\b{crate.replace('-', '_')}\b")
            if not word.search(text) and (package["name"], name) not in UNNAMED:
                yield f"{folder}Cargo.toml: {name} is named in no source of the crate: take it out"
    declared = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    for name in declared["dependencies"]:
        if name not in inherited:
            yield f"Cargo.toml: no crate inherits {name}: take it out"


def library(package: dict) -> str:
    """The name by which sources know a crate."""
    kinds = {"lib", "cdylib", "proc-macro"}
    names = [target["name"] for target in package["targets"] if kinds & set(target["kind"])]
    return names[0] if names else package["name"]


def sources(folder: str) -> tuple[str, str]:
    """The code of a crate: of its build script, and of everything else."""
    built, rest = [], []
    for path, text in rust_code().items():
        if path.startswith(folder):
            is_built = path.removeprefix(folder).startswith(("build.rs", "generator/"))
            (built if is_built else rest).append(text)
    return "\n".join(built), "\n".join(rest)
