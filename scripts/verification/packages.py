"""Fetches what a verification needs, by package name, with the ordinary clients.

    Debian's source packages   apt-get source --download-only, with lists of its own
    Debian's binary packages   apt-get download, unpacked below target/verification
    Python's packages          pip, into a virtual environment below target/verification

Nothing is installed into the system. The lists of sources come from where the
system's own package lists come from, whatever that is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .workshop import Failed, Workshop

FETCH_SECONDS = 900.0
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def _apt_options(workshop: Workshop) -> list[str]:
    """Options that give apt-get package lists of its own, with sources, below the workshop."""
    place = workshop.place / "apt"
    sources = place / "sources.list"
    for folder in ("lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    options = [
        f"Dir::Etc::SourceList={sources}",
        "Dir::Etc::SourceParts=-",
        f"Dir::State::Lists={place / 'lists'}",
        f"Dir::Cache={place / 'cache'}",
        # The usual download user may not be allowed to write below the repository.
        "APT::Sandbox::User=root",
    ]
    options = [word for option in options for word in ("-o", option)]
    if sources.exists():
        return options
    where = workshop.run(
        "apt-targets",
        ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages"],
        seconds=60,
    )
    # The first line of a log is the command, the last ones tell how it ended.
    places = sorted({line for line in where.splitlines()[1:] if line.count(" ") == 2 and "://" in line})
    if not places:
        raise Failed("apt-get has no package lists: run apt-get update as root, then try again")
    signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
    kinds = ("deb", "deb-src")
    text = "".join(f"{kind} {signed}{line}\n" for kind in kinds for line in places)
    waiting = sources.with_suffix(".new")
    waiting.write_text(text, encoding="utf-8")
    fresh = [option.replace(str(sources), str(waiting)) for option in options]
    workshop.run("apt-update", ["apt-get", *fresh, "update"], seconds=FETCH_SECONDS)
    waiting.rename(sources)
    return options


def source_tarball(workshop: Workshop, package: str, pattern: str) -> Path:
    """The original tarball of a Debian source package; apt-get checks its checksum."""
    place = workshop.place / "source"
    found = sorted(place.glob(pattern))
    if found:
        return found[-1]
    workshop.say(f"fetching the source package {package} with apt-get")
    place.mkdir(parents=True, exist_ok=True)
    options = _apt_options(workshop)
    # Debian's own changes are not used, so that not getting them is no failure.
    workshop.attempt(
        "apt-source",
        ["apt-get", *options, "source", "--download-only", package],
        seconds=FETCH_SECONDS,
        directory=place,
    )
    found = sorted(place.glob(pattern))
    if not found:
        raise Failed(f"apt-get source {package} gave no {pattern}; see {workshop.log('apt-source')}")
    return found[-1]


def unpacked(workshop: Workshop, packages: list[str]) -> Path:
    """Debian's binary packages, unpacked into one tree that is no part of the system."""
    tree = workshop.place / "tree"
    done = workshop.place / "tree.done"
    if done.exists():
        return tree
    workshop.say(f"fetching {', '.join(packages)} with apt-get")
    place = workshop.place / "packages"
    place.mkdir(parents=True, exist_ok=True)
    options = _apt_options(workshop)
    workshop.run(
        "apt-download", ["apt-get", *options, "download", *packages],
        seconds=FETCH_SECONDS, directory=place,
    )
    for package in sorted(place.glob("*.deb")):
        workshop.run("dpkg", ["dpkg", "-x", package, tree], seconds=300)
    done.touch()
    return tree


def virtual_environment(workshop: Workshop, packages: list[str]) -> Path:
    """A virtual environment with packages of the Python package index; gives its folder."""
    place = workshop.place / "venv"
    python = place / "bin" / "python"
    if not python.exists():
        workshop.say("making a virtual environment")
        workshop.run("venv", [sys.executable, "-m", "venv", place], seconds=FETCH_SECONDS)
    marker = place / ("installed-" + "-".join(packages))
    if packages and not marker.exists():
        workshop.say(f"installing {', '.join(packages)} with pip")
        workshop.run(
            "pip", [python, "-m", "pip", "install", "--disable-pip-version-check", *packages],
            seconds=FETCH_SECONDS,
        )
        marker.touch()
    return place


def python_source(workshop: Workshop, name: str, version: str) -> Path:
    """The source distribution of a Python package."""
    place = workshop.place / "source"
    archive = place / f"{name}-{version}.tar.gz"
    if not archive.exists():
        workshop.say(f"fetching {name} {version} with pip")
        place.mkdir(parents=True, exist_ok=True)
        python = virtual_environment(workshop, []) / "bin" / "python"
        workshop.run(
            "pip-download",
            [python, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
             "--no-binary", ":all:", "-d", place, f"{name}=={version}"],
            seconds=FETCH_SECONDS,
        )
    if not archive.exists():
        raise Failed(f"pip gave no {archive.name}; see {workshop.log('pip-download')}")
    return archive
